// bank_conflicts.cu - how often a warp must pass over the 32 banks. Yours to write.
//
// Given, to measure: bank_loop4, bank_loop8, bank_loop16 (256 reads of 4-, 8- and 16-byte
// words) and transpose_conflict. Yours: bank_once (the lecture's exercise: one shared read a
// thread, of doubles), bank_fixed, transpose_padded, transpose_swizzled.
//
// LAUNCH(kernel, threads in x, threads in y, items); items is the rows of its tile that a
// thread of a transposition handles (threads in y times items = 32), and 1 elsewhere.
#include "warplab.cuh"

#define LOOP_BLOCK 512
#define ROW        32            // words: one row of banks
#define WINDOW     (32 * ROW)    // where the lanes of a warp start reading
#define ROUND      32            // reads from there, one row down each time
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

// ---- the lecture's kernel -----------------------------------------------------------
// Blocks of 512, as in the lecture.

// TODO: the block loads its 512 doubles into shared memory, thread t the one at i. Past the end
// of the input the array holds zeros. Then thread t gives back the word at stride * t, modulo
// 512: out[i] becomes that one, where there is an out[i].
LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
}

// ---- the conflict alone -------------------------------------------------------------
// Every block loads the same table, then thread t adds up the words at t * stride (within
// the window) and the ROUND - 1 rows below, and starts again one row further down. All the
// reads of a thread fall into one bank, so the conflicts are those of the first read; the
// additions cost little beside them.

struct __align__(16) word16 {
    unsigned long long lo, hi;
};
static __device__ void add(unsigned &sum, unsigned v)
{
    sum += v;
}
static __device__ void add(unsigned long long &sum, unsigned long long v)
{
    sum += v;
}
static __device__ void add(word16 &sum, word16 v)
{
    sum.lo += v.lo;
    sum.hi += v.hi;
}

template <class T> static __device__ void loop(const T *in, T *out, int n, int stride)
{
    __shared__ __align__(16) T sm[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int start = threadIdx.x * stride % WINDOW;
    T sum = {};

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[j] = in[j];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int r = 0; r < ROUND; r++)
            add(sum, sm[start + r * ROW]);
        start = (start + ROW) % WINDOW;
    }
    if (i < n)
        out[i] = sum;
}

LAUNCH(bank_loop4, LOOP_BLOCK, 1, 1);
KERNEL bank_loop4(const unsigned *in, unsigned *out, int n, int stride)
{
    loop(in, out, n, stride);
}

LAUNCH(bank_loop8, LOOP_BLOCK, 1, 1);
KERNEL bank_loop8(const unsigned long long *in, unsigned long long *out, int n, int stride)
{
    loop(in, out, n, stride);
}

LAUNCH(bank_loop16, LOOP_BLOCK, 1, 1);
KERNEL bank_loop16(const word16 *in, word16 *out, int n, int stride)
{
    loop(in, out, n, stride);
}

// ---- the same reads, other places ---------------------------------------------------

// TODO: where element i of the table is stored, so that reading every 1st, 2nd, 4th, … 32nd
// element is free of conflicts. No two elements may share a place. If you need more room
// than WORDS, say so in FIXED_WORDS. As it stands all elements share place 0. (With i itself
// the sums are right, and the conflicts are bank_loop4's.)
#define FIXED_WORDS WORDS

static __device__ unsigned place(unsigned i)
{
    return 0;
}

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[FIXED_WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % WINDOW;
    unsigned sum = 0;

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[place(j)] = in[j];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int r = 0; r < ROUND; r++)
            sum += sm[place(start + r * ROW)];
        start = (start + ROW) % WINDOW;
    }
    if (i < n)
        out[i] = sum;
}

// ---- transposition through a tile ---------------------------------------------------
// Blocks of 32 x 8 threads, a tile of 32 x 32: four rows a thread. in is m x n, out n x m.
// Both global accesses run along rows; it is the tile that is read across.

#define TILE 32
#define STEP 8

LAUNCH(transpose_conflict, TILE, STEP, TILE / STEP);
KERNEL transpose_conflict(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r];
}

// TODO: transpose_conflict with the tile's rows a little longer.
LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
}

// TODO: the tile is 32 x 32 words again, not one more. Which column of its row should
// element (r, x) be kept in, so that rows and columns are both spread over all the banks?
LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
}
