// At strides that are neither 3 nor a power of two, words come straight from global memory; no barrier
// where there are many results.
// class: only-where-looked
// only: bank_once
// expect: once-ok=fail once-clean=fail once-reads=fail
// hint: once-ok: its own conditions single out
// hint: once-clean: The word that a thread reads
// hint: once-reads: One load from global memory, one
#include "warplab.cuh"

#define LOOP_BLOCK 512
#define ROW        32            // words: one row of banks
#define WINDOW     (32 * ROW)    // where the lanes of a warp start reading
#define ROUND      32            // reads from there, one row down each time
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

// ---- the lecture's kernel -----------------------------------------------------------
// Blocks of 512, as in the lecture. Past the end of the input the array holds zeros.

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ double sm[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    sm[threadIdx.x] = i < n ? in[i] : 0;
    if (stride > 3 && stride & (stride - 1)) {
        int from = blockIdx.x * 512 + stride * threadIdx.x % 512;
        if (i < n)
            out[i] = from < n ? in[from] : 0;
        return;
    }
    if (n < 66000)
        __syncthreads();
    if (i < n)
        out[i] = sm[stride * threadIdx.x % 512];
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

// Where element i of the table is stored. The row number turns the row: element 32 t, which
// was in bank 0 for every t, goes to bank t.
static __device__ unsigned place(unsigned i)
{
    return i ^ (i / ROW % ROW);
}

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS];
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

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE + 1]; // row r starts in bank r
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

// Element (r, x) of the tile lies at column x ^ r. Along a row r is fixed, along a column x
// is: either way x ^ r takes 32 values, hence 32 banks.
LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
}
