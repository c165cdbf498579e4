// matmul.cu - the reference ladder: c = a * b, a is m x k, b is k x n, all row-major.
//
// mm_naive      0   one output a thread, x walks down the rows, as the lecture prints it
// mm_coalesced  0b  the same with x along the columns
// mm_registers  1   V x V outputs a thread, kept in registers
// mm_shared     2a  an L x L tile a block, fetched by all threads into shared memory
// mm_tiled      2   both at once
// mm_vector     3   16-byte loads from global and from shared memory
// mm_pipeline   4   the next tile travels while this one is multiplied
// mm_sliced     4b  a larger tile, its words read one step ahead; slices of k
// mm_large      4c  a tile twice as large, fetched past the registers
// mm_tensor     5   f16 inputs, f32 sums, on the tensor cores
// mm_mma        6   the same in PTX: mma.sync, ldmatrix, three stages of cp.async
// mm_tma        7   tiles come by tensor map (compute capability 9.0 from here on)
// mm_wgmma      8   warp groups multiply straight from shared memory
// mm_roles      9   one warp fetches, two groups multiply, with barriers of their own
// mm_small      9b  the same with small tiles, for small products
// mm_persistent 10  one block a multiprocessor, many tiles each
// mm_store      11  results leave by tensor map, too
// mm_bf16       11b the same of bf16
// mm_cluster    12  two blocks share a tile of b, each fetches half of it for both
//
// Any m, n, k; each matrix has fewer than 2^31 elements. A tile that hangs over an edge is
// filled with zeros, which add nothing; only the store needs a guard.
#include "warplab.cuh"
#include "tensor.cuh"
#include <cuda_fp16.h>
#include <mma.h>

// ---- 0: as printed ------------------------------------------------------------------

LAUNCH(mm_naive, 32, 32, 1);
KERNEL mm_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

// ---- 0b: neighbours in a warp take neighbouring columns -----------------------------

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

// ---- 1: V x V outputs a thread ------------------------------------------------------
// A thread's columns lie blockDim.x apart, not side by side: so the 32 lanes of a warp
// still read 32 neighbouring floats of b at a time.

#define REG_V 4

LAUNCH(mm_registers, 32, 8, REG_V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row0 = blockIdx.y * blockDim.y * REG_V + threadIdx.y;
    int col0 = blockIdx.x * blockDim.x * REG_V + threadIdx.x;
    int dy = blockDim.y, dx = blockDim.x;
    float sum[REG_V][REG_V] = {};

    for (int i = 0; i < k; i++) {
        float av[REG_V], bv[REG_V];
#pragma unroll
        for (int v = 0; v < REG_V; v++) {
            int row = row0 + v * dy, col = col0 + v * dx;
            av[v] = row < m ? a[row * k + i] : 0;
            bv[v] = col < n ? b[i * n + col] : 0;
        }
#pragma unroll
        for (int y = 0; y < REG_V; y++)
#pragma unroll
            for (int x = 0; x < REG_V; x++)
                sum[y][x] += av[y] * bv[x];
    }
#pragma unroll
    for (int y = 0; y < REG_V; y++)
#pragma unroll
        for (int x = 0; x < REG_V; x++) {
            int row = row0 + y * dy, col = col0 + x * dx;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}

// ---- 2a: shared-memory tile, one output a thread ------------------------------------

#define SH_L 32

LAUNCH(mm_shared, SH_L, SH_L, 1);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[SH_L][SH_L], sb[SH_L][SH_L];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * SH_L + ty, col = blockIdx.x * SH_L + tx;
    float sum = 0;

    for (int k0 = 0; k0 < k; k0 += SH_L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads(); // the tiles are complete
        for (int i = 0; i < SH_L; i++)
            sum += sa[ty][i] * sb[i][tx];
        __syncthreads(); // nobody reads them any more
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

// ---- 2: shared-memory tile and V x V outputs a thread -------------------------------
// sa holds the tile of a transposed, so that both operands of step i lie in one row. Its
// rows are two words longer than the tile: otherwise the transposing stores of a warp
// (16 values of i at a distance of 64 words) would all meet in two banks.

#define TL_V    4
#define TL_SIDE 16               // threads a side
#define TL_L    (TL_SIDE * TL_V) // 64
#define TL_S    16
#define TL_T    (TL_SIDE * TL_SIDE)

LAUNCH(mm_tiled, TL_SIDE, TL_SIDE, TL_V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[TL_S][TL_L + 2], sb[TL_S][TL_L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TL_SIDE + tx;
    int row0 = blockIdx.y * TL_L, col0 = blockIdx.x * TL_L;
    float sum[TL_V][TL_V] = {};

    for (int k0 = 0; k0 < k; k0 += TL_S) {
        // Cooperative fetching: which thread brings an element has nothing to do with
        // which thread uses it. Neighbouring threads bring neighbouring elements.
#pragma unroll
        for (int j = tid; j < TL_L * TL_S; j += TL_T) {
            int r = j / TL_S, i = j % TL_S;
            sa[i][r] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
#pragma unroll
        for (int j = tid; j < TL_L * TL_S; j += TL_T) {
            int i = j / TL_L, r = j % TL_L;
            sb[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TL_S; i++) {
            float av[TL_V], bv[TL_V];
#pragma unroll
            for (int v = 0; v < TL_V; v++) {
                av[v] = sa[i][ty + v * TL_SIDE];
                bv[v] = sb[i][tx + v * TL_SIDE];
            }
#pragma unroll
            for (int y = 0; y < TL_V; y++)
#pragma unroll
                for (int x = 0; x < TL_V; x++)
                    sum[y][x] += av[y] * bv[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < TL_V; y++)
#pragma unroll
        for (int x = 0; x < TL_V; x++) {
            int row = row0 + ty + y * TL_SIDE, col = col0 + tx + x * TL_SIDE;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}

// ---- 3 and 4: 16-byte loads, then double buffering ----------------------------------
// 64 threads make a 64 x 64 tile, 8 x 8 outputs each: rows 4 ty + {0..3} and 32 more,
// columns 4 tx + {0..3} and 32 more. So a thread's operands are two float4 of each tile,
// and the eight tx of a quarter warp read 128 neighbouring bytes: no bank conflict.

#define VC_SIDE 8
#define VC_V    8
#define VC_L    64
#define VC_S    16
#define VC_T    (VC_SIDE * VC_SIDE)
#define VC_N    (VC_L * VC_S / 4 / VC_T) // float4 each thread fetches of each tile: 4
#define VC_PAD  4                        // keeps float4 aligned, spreads the stores to sa

struct tiles {
    float a[VC_S][VC_L + VC_PAD], b[VC_S][VC_L];
};
struct fetched {
    float4 a[VC_N], b[VC_N];
};

// Four neighbours of a row from column col (a multiple of 4) on, zero from ncols on.
static __device__ float4 load4(const float *row, int col, int ncols)
{
    float4 v = {0, 0, 0, 0};

    if (ncols % 4 == 0) { // then every row starts on 16 bytes, and col < ncols means all four
        if (col < ncols)
            v = *reinterpret_cast<const float4 *>(row + col);
        return v;
    }
    v.x = col + 0 < ncols ? row[col + 0] : 0;
    v.y = col + 1 < ncols ? row[col + 1] : 0;
    v.z = col + 2 < ncols ? row[col + 2] : 0;
    v.w = col + 3 < ncols ? row[col + 3] : 0;
    return v;
}

static __device__ void fetch(struct fetched &f, const float *a, const float *b, int m, int n, int k,
                             int row0, int col0, int k0, int tid)
{
    float4 zero = {0, 0, 0, 0};

#pragma unroll
    for (int j = 0; j < VC_N; j++) {
        int r = (j * VC_T + tid) / (VC_S / 4), q = (j * VC_T + tid) % (VC_S / 4) * 4;
        f.a[j] = row0 + r < m ? load4(a + (row0 + r) * k, k0 + q, k) : zero;
    }
#pragma unroll
    for (int j = 0; j < VC_N; j++) {
        int i = (j * VC_T + tid) / (VC_L / 4), q = (j * VC_T + tid) % (VC_L / 4) * 4;
        f.b[j] = k0 + i < k ? load4(b + (k0 + i) * n, col0 + q, n) : zero;
    }
}

static __device__ void put(struct tiles &s, const struct fetched &f, int tid)
{
#pragma unroll
    for (int j = 0; j < VC_N; j++) {
        int r = (j * VC_T + tid) / (VC_S / 4), q = (j * VC_T + tid) % (VC_S / 4) * 4;
        s.a[q + 0][r] = f.a[j].x;
        s.a[q + 1][r] = f.a[j].y;
        s.a[q + 2][r] = f.a[j].z;
        s.a[q + 3][r] = f.a[j].w;
    }
#pragma unroll
    for (int j = 0; j < VC_N; j++) {
        int i = (j * VC_T + tid) / (VC_L / 4), q = (j * VC_T + tid) % (VC_L / 4) * 4;
        *reinterpret_cast<float4 *>(&s.b[i][q]) = f.b[j];
    }
}

static __device__ void multiply(float sum[VC_V][VC_V], const struct tiles &s, int tx, int ty)
{
#pragma unroll
    for (int i = 0; i < VC_S; i++) {
        float4 a0 = *reinterpret_cast<const float4 *>(&s.a[i][ty * 4]);
        float4 a1 = *reinterpret_cast<const float4 *>(&s.a[i][ty * 4 + VC_L / 2]);
        float4 b0 = *reinterpret_cast<const float4 *>(&s.b[i][tx * 4]);
        float4 b1 = *reinterpret_cast<const float4 *>(&s.b[i][tx * 4 + VC_L / 2]);
        float av[VC_V] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
        float bv[VC_V] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
        for (int y = 0; y < VC_V; y++)
#pragma unroll
            for (int x = 0; x < VC_V; x++)
                sum[y][x] += av[y] * bv[x];
    }
}

static __device__ void store(float *c, const float sum[VC_V][VC_V], int m, int n, int row0,
                             int col0, int tx, int ty)
{
#pragma unroll
    for (int y = 0; y < VC_V; y++) {
        int row = row0 + ty * 4 + y % 4 + y / 4 * (VC_L / 2);
        if (row >= m)
            continue;
#pragma unroll
        for (int x = 0; x < VC_V; x += 4) {
            int col = col0 + tx * 4 + x / 4 * (VC_L / 2);
            if (n % 4 == 0 && col < n) {
                float4 v = {sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]};
                *reinterpret_cast<float4 *>(&c[row * n + col]) = v;
                continue;
            }
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (col + j < n)
                    c[row * n + col + j] = sum[y][x + j];
        }
    }
}

LAUNCH(mm_vector, VC_SIDE, VC_SIDE, VC_V);
KERNEL mm_vector(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) struct tiles s;
    struct fetched f;
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * VC_SIDE + tx;
    int row0 = blockIdx.y * VC_L, col0 = blockIdx.x * VC_L;
    float sum[VC_V][VC_V] = {};

    for (int k0 = 0; k0 < k; k0 += VC_S) {
        fetch(f, a, b, m, n, k, row0, col0, k0, tid);
        put(s, f, tid);
        __syncthreads();
        multiply(sum, s, tx, ty);
        __syncthreads();
    }
    store(c, sum, m, n, row0, col0, tx, ty);
}

// Two sets of tiles. While one is multiplied, the next is on its way into registers; it is
// put down in the other set, which nobody has read since the last barrier. So one barrier
// a step is enough.
LAUNCH(mm_pipeline, VC_SIDE, VC_SIDE, VC_V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) struct tiles s[2];
    struct fetched f;
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * VC_SIDE + tx;
    int row0 = blockIdx.y * VC_L, col0 = blockIdx.x * VC_L;
    float sum[VC_V][VC_V] = {};
    int now = 0;

    fetch(f, a, b, m, n, k, row0, col0, 0, tid); // all zeros when k is 0
    put(s[0], f, tid);
    __syncthreads();
    for (int k0 = VC_S; k0 < k; k0 += VC_S) {
        fetch(f, a, b, m, n, k, row0, col0, k0, tid);
        multiply(sum, s[now], tx, ty);
        now ^= 1;
        put(s[now], f, tid);
        __syncthreads();
    }
    multiply(sum, s[now], tx, ty);
    store(c, sum, m, n, row0, col0, tx, ty);
}

// ---- 4b: a larger tile, and slices of k ---------------------------------------------
// 256 threads make a tile of 16 V x 16 V: eight warps, four down and two across, of 4 x 8 lanes,
// with V x V outputs each: groups of four rows 16 apart, and of four columns 32 apart. Against
// mm_pipeline a word that comes from global memory is used twice as often, and a step's operands
// are read from shared memory while those of the step before are multiplied.
//
// A product of few tiles leaves most SMs without work. Then the harness gives a tile gridDim.z
// blocks, each with a slice of k. They leave their sums in `partial`; the one that is done last
// adds them all up, in the order of the slices, so that the result is the same every time. Of many
// slices the last one of each group adds up the group's, and the last one of these all groups': one
// multiprocessor would take long to read them all.

#define SL_SIDE  16
#define SL_V     8
#define SL_S     16
#define SL_T     (SL_SIDE * SL_SIDE)
#define SL_TILES 1024 // that may be sliced, at most
#define SL_MANY  8    // slices: more are added up in groups
#define SL_GROUP 6

__device__ unsigned groups_done[SL_TILES], slices_done[SL_TILES]; // atomicInc makes them 0 again

template <int V> struct sliced {
    static constexpr int L = SL_SIDE * V, N = L * SL_S / 4 / SL_T; // N: float4 a thread fetches

    struct tile {
        float a[SL_S][L + 4], b[SL_S][L];
    };
    float4 fa[N], fb[N];
    float sum[V][V] = {}, av[2][V], bv[2][V]; // operands of a step, and of the next
    int row0, col0, tid, row, col;            // row, col: of the thread's first output in the tile

    __device__ sliced()
    {
        int warp, lane;

        tid = threadIdx.y * SL_SIDE + threadIdx.x;
        warp = tid / 32, lane = tid % 32;
        row0 = blockIdx.y * L, col0 = blockIdx.x * L;
        row = warp / 2 * 4 * V + lane / 8 * 4, col = warp % 2 * 8 * V + lane % 8 * 4;
        ar = tid / 2 % L, ai = tid % 2 * 4 + tid / 2 / L * 8;
        bi = tid / (L / 4), bc = tid % (L / 4) * 4;
    }

    // Float4 number j that a thread fetches: of a steps ai + A_NEXT j of row ar, of b columns bc of
    // step bi + B_NEXT j. Two lanes have 32 bytes of a row of a, which are a sector, and a warp has
    // 16 rows, which fall into 32 banks when it puts them down.
    static constexpr int A_NEXT = SL_T / 2 / L * 8, B_NEXT = SL_T / (L / 4);
    int ar, ai, bi, bc;
    const float *from_a, *from_b; // the first of them in the next tile

    // `whole`: nothing of it hangs over an edge, rows start on 16 bytes, so there is nothing to ask
    __device__ void fetch(const float *a, const float *b, int m, int n, int k, int k0, bool whole)
    {
        float4 zero = {0, 0, 0, 0};

        if (whole) {
#pragma unroll
            for (int j = 0; j < N; j++)
                fa[j] = *reinterpret_cast<const float4 *>(from_a + j * A_NEXT);
#pragma unroll
            for (int j = 0; j < N; j++)
                fb[j] = *reinterpret_cast<const float4 *>(from_b + j * B_NEXT * n);
        } else {
#pragma unroll
            for (int j = 0; j < N; j++)
                fa[j] = row0 + ar < m ? load4(a + (row0 + ar) * k, k0 + ai + j * A_NEXT, k) : zero;
#pragma unroll
            for (int j = 0; j < N; j++)
                fb[j] = k0 + bi + j * B_NEXT < k
                            ? load4(b + (k0 + bi + j * B_NEXT) * n, col0 + bc, n)
                            : zero;
        }
        from_a += SL_S;
        from_b += SL_S * n;
    }

    __device__ void put(tile &s)
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            int i = ai + j * A_NEXT;
            s.a[i + 0][ar] = fa[j].x;
            s.a[i + 1][ar] = fa[j].y;
            s.a[i + 2][ar] = fa[j].z;
            s.a[i + 3][ar] = fa[j].w;
        }
#pragma unroll
        for (int j = 0; j < N; j++)
            *reinterpret_cast<float4 *>(&s.b[bi + j * B_NEXT][bc]) = fb[j];
    }

    __device__ void operands(const tile &s, int i)
    {
#pragma unroll
        for (int v = 0; v < V; v += 4) {
            float4 x = *reinterpret_cast<const float4 *>(&s.a[i][row + v * 4]);
            float4 y = *reinterpret_cast<const float4 *>(&s.b[i][col + v * 8]);
            float *to_a = &av[i % 2][v], *to_b = &bv[i % 2][v];
            to_a[0] = x.x, to_a[1] = x.y, to_a[2] = x.z, to_a[3] = x.w;
            to_b[0] = y.x, to_b[1] = y.y, to_b[2] = y.z, to_b[3] = y.w;
        }
    }

    // To the right, and back: at a turn the operand of b stays, which an FFMA need not read again.
    __device__ void multiply(int i)
    {
#pragma unroll
        for (int y = 0; y < V; y++)
#pragma unroll
            for (int j = 0; j < V; j++) {
                int x = y % 2 ? V - 1 - j : j;
                sum[y][x] += av[i % 2][y] * bv[i % 2][x];
            }
    }

    __device__ void slice(tile s[2], const float *a, const float *b, int m, int n, int k, int lo,
                          int hi)
    {
        bool inside = k % 4 == 0 && n % 4 == 0 && row0 + L <= m && col0 + L <= n;
        int now = 0;

        from_a = a + (row0 + ar) * k + lo + ai;
        from_b = b + (lo + bi) * n + col0 + bc;
        fetch(a, b, m, n, k, lo, inside && lo + SL_S <= k);
        put(s[0]);
        __syncthreads();
        operands(s[0], 0);
        for (int k0 = lo; k0 < hi; k0 += SL_S) {
            int next = k0 + SL_S;
            if (next < hi)
                fetch(a, b, m, n, k, next, inside && next + SL_S <= k);
#pragma unroll
            for (int i = 0; i < SL_S; i++) {
                if (i + 1 < SL_S) {
                    operands(s[now], i + 1);
                } else if (next < hi) {
                    put(s[now ^ 1]);
                    __syncthreads();
                    operands(s[now ^ 1], 0);
                }
                multiply(i);
            }
            now ^= 1;
        }
    }

    static constexpr int ALL = V * V / 4 * SL_T; // float4 that a block's sums are

    __device__ void leave(float4 *at)
    {
#pragma unroll
        for (int v = 0; v < V * V; v += 4)
            at[v / 4 * SL_T] = *reinterpret_cast<float4 *>(&sum[v / V][v % V]);
    }

    // Adds up what so many blocks have left, `apart` from each other.
    __device__ void gather(const float4 *at, int blocks, int apart)
    {
#pragma unroll
        for (int v = 0; v < V * V; v++)
            sum[v / V][v % V] = 0;
#pragma unroll 2
        for (int z = 0; z < blocks; z++)
#pragma unroll
            for (int v = 0; v < V * V; v += 4) {
                float4 x = __ldcg(&at[z * apart + v / 4 * SL_T]);
                float *to = &sum[v / V][v % V];
                to[0] += x.x, to[1] += x.y, to[2] += x.z, to[3] += x.w;
            }
    }

    // Whether so many others have been here.
    __device__ bool last_of(unsigned *done, int others)
    {
        __shared__ bool last;

        __threadfence(); // what all threads have left is seen before the count of it
        __syncthreads();
        if (tid == 0)
            last = atomicInc(done, others) == others;
        __syncthreads();
        if (!last)
            return false;
        __threadfence(); // the count is seen before what the others have left
        return true;
    }

    // Whether this block is the last of its tile's; then it has the sums of all.
    __device__ bool meet(float *partial)
    {
        int tile_number = blockIdx.y * gridDim.x + blockIdx.x, slices = gridDim.z;
        float4 *of_tile = reinterpret_cast<float4 *>(partial) + tile_number * slices * ALL + tid;
        int apart = 1;

        leave(of_tile + blockIdx.z * ALL);
        if (slices > SL_MANY) {
            int groups = (slices + SL_GROUP - 1) / SL_GROUP, group = blockIdx.z / SL_GROUP;
            int rest = slices - group * SL_GROUP, mine = rest < SL_GROUP ? rest : SL_GROUP;

            if (!last_of(&groups_done[tile_number * groups + group], mine - 1))
                return false;
            gather(of_tile + group * SL_GROUP * ALL, mine, ALL);
            leave(of_tile + group * SL_GROUP * ALL);
            slices = groups;
            apart = SL_GROUP;
        }
        if (!last_of(&slices_done[tile_number], slices - 1))
            return false;
        gather(of_tile, slices, apart * ALL);
        return true;
    }

    __device__ void store(float *c, int m, int n)
    {
#pragma unroll
        for (int y = 0; y < V; y++) {
            int r = row0 + row + y % 4 + y / 4 * 16;
            if (r >= m)
                continue;
#pragma unroll
            for (int x = 0; x < V; x += 4) {
                int q = col0 + col + x * 8;
                if (n % 4 == 0 && q < n) {
                    float4 v = {sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]};
                    *reinterpret_cast<float4 *>(&c[r * n + q]) = v;
                    continue;
                }
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (q + j < n)
                        c[r * n + q + j] = sum[y][x + j];
            }
        }
    }

    __device__ void product(tile s[2], const float *a, const float *b, float *c, int m, int n,
                            int k, float *partial)
    {
        int steps = (k + SL_S - 1) / SL_S, each = (steps + gridDim.z - 1) / gridDim.z * SL_S;
        int lo = blockIdx.z * each, hi = lo + each < k ? lo + each : k;

        if (lo < hi)
            slice(s, a, b, m, n, k, lo, hi);
        if (gridDim.z == 1 || meet(partial))
            store(c, m, n);
    }
};

LAUNCH(mm_sliced, SL_SIDE, SL_SIDE, SL_V);
KERNEL __launch_bounds__(SL_T)
    mm_sliced(const float *a, const float *b, float *c, int m, int n, int k, float *partial)
{
    __shared__ __align__(16) sliced<SL_V>::tile s[2];

    sliced<SL_V>().product(s, a, b, c, m, n, k, partial);
}

// The same with tiles of half the side, for products that are too small to fill the GPU with the
// larger ones; launched by mm_sliced's record.
KERNEL __launch_bounds__(SL_T)
    mm_sliced_half(const float *a, const float *b, float *c, int m, int n, int k, float *partial)
{
    __shared__ __align__(16) sliced<SL_V / 2>::tile s[2];

    sliced<SL_V / 2>().product(s, a, b, c, m, n, k, partial);
}

// ---- 4c: a tile twice as large, past the registers -----------------------------------
// As mm_sliced, but 8 x 16 outputs a thread, in tiles of 128 x 256, for products that have enough
// of them. Words go from global to shared memory by cp.async, four stages of them: a's one by one,
// for they go down a column of their tile, b's four at a time where rows start on 16 bytes.
//
// Registers lie in two banks, and an FFMA reads one of each in a cycle; a third operand has to be
// the one that the FFMA before it had in the same place. So products go down a column of sums and
// up the next: b's operand stays, a's and the sum come from different banks, if ptxas may choose.
// It may not where four sums leave as one float4. Hence they leave as single words.

#define LG_M      128
#define LG_N      256
#define LG_S      8
#define LG_STAGES 4
#define LG_T      256
#define LG_R      8
#define LG_C      16
#define LG_SHARED (LG_STAGES * sizeof(struct large_tile))

extern __shared__ __align__(1024) unsigned char tiles[];

// Tiles of c are numbered in bands of 16 rows of tiles, down each column: blocks that run at the
// same time share rows of a and columns of b, which then come from L2.
static __device__ void tile_place(int t, int down, int across, int &row, int &col)
{
    const int most = 16;
    int band = t / (most * across), left = down - band * most, rows = left < most ? left : most;

    t -= band * most * across;
    row = band * most + t % rows;
    col = t / rows;
}

static __device__ int tiles_of(int extent, int side)
{
    return (extent + side - 1) / side;
}

struct large_tile {
    float a[LG_S][LG_M + 4], b[LG_S][LG_N];
};

struct large {
    float sum[LG_R][LG_C], av[2][LG_R], bv[2][LG_C];
    int row0, col0, tid, row, col; // row, col: of the thread's first output in the tile

    __device__ large(int m, int n)
    {
        int warp, lane;

        tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
        row = warp / 2 * 4 * LG_R + lane / 8 * 4, col = warp % 2 * 8 * LG_C + lane % 8 * 4;
        tile_place(blockIdx.x, tiles_of(m, LG_M), tiles_of(n, LG_N), row0, col0);
        row0 *= LG_M;
        col0 *= LG_N;
#pragma unroll
        for (int v = 0; v < LG_R * LG_C; v++)
            sum[v / LG_C][v % LG_C] = 0;
    }

    // Nothing of the tile hangs over an edge: from_a and from_b step on; to_a and to_b are places
    // in the first stage.
    const float *from_a, *from_b;
    unsigned to_a, to_b;

    __device__ void fetch_whole(unsigned stage, int n, int k)
    {
#pragma unroll
        for (int j = 0; j < LG_M; j += LG_T / LG_S)
            cp_async_4(to_a + stage + j * 4, from_a + (size_t)j * k, true);
#pragma unroll
        for (int j = 0; j < LG_S; j += LG_T * 4 / LG_N)
            cp_async_16(to_b + stage + j * LG_N * 4, from_b + (size_t)j * n, true);
        from_a += LG_S;
        from_b += (size_t)LG_S * n;
    }

    // What hangs over one is filled with zeros.
    __device__ void fetch_edge(large_tile &to, const float *a, const float *b, int m, int n, int k,
                               int k0)
    {
#pragma unroll 1
        for (int j = tid; j < LG_M * LG_S; j += LG_T) {
            int r = j / LG_S, i = j % LG_S;
            bool some = row0 + r < m && k0 + i < k;
            cp_async_4(shared_address(&to.a[i][r]), some ? a + (row0 + r) * k + k0 + i : a, some);
        }
#pragma unroll 1
        for (int j = tid; j < LG_N * LG_S; j += LG_T) {
            int i = j / LG_N, q = j % LG_N;
            bool some = k0 + i < k && col0 + q < n;
            cp_async_4(shared_address(&to.b[i][q]), some ? b + (k0 + i) * n + col0 + q : b, some);
        }
    }

    __device__ void operands(const large_tile &s, int i)
    {
#pragma unroll
        for (int v = 0; v < LG_R; v += 4) {
            float4 x = *reinterpret_cast<const float4 *>(&s.a[i][row + v * 4]);
            float *to = &av[i % 2][v];
            to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
        }
#pragma unroll
        for (int v = 0; v < LG_C; v += 4) {
            float4 x = *reinterpret_cast<const float4 *>(&s.b[i][col + v * 8]);
            float *to = &bv[i % 2][v];
            to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
        }
    }

    __device__ void multiply(int i)
    {
#pragma unroll
        for (int x = 0; x < LG_C; x++)
#pragma unroll
            for (int j = 0; j < LG_R; j++) {
                int y = x % 2 ? LG_R - 1 - j : j;
                sum[y][x] += av[i % 2][y] * bv[i % 2][x];
            }
    }

    // A warp puts a row of sums of each of its lanes into shared memory, from where its lanes take
    // neighbouring words of c.
    __device__ void store(float *c, float *room, int m, int n)
    {
        const int wide = 8 * LG_C;
        int warp = tid / 32, lane = tid % 32;
        float(*mine)[wide + 1] = reinterpret_cast<float(*)[wide + 1]>(room) + warp * 4;

        __syncthreads(); // nobody reads tiles any more
#pragma unroll
        for (int y = 0; y < LG_R; y++) {
#pragma unroll
            for (int x = 0; x < LG_C; x++)
                mine[lane / 8][x / 4 * 32 + lane % 8 * 4 + x % 4] = sum[y][x];
            __syncwarp();
#pragma unroll
            for (int j = 0; j < LG_C; j++) {
                int down = j / (LG_C / 4), x = j % (LG_C / 4) * 32 + lane;
                int r = row0 + warp / 2 * 4 * LG_R + down * 4 + y % 4 + y / 4 * 16;
                int q = col0 + warp % 2 * wide + x;
                if (r < m && q < n)
                    c[r * n + q] = mine[down][x];
            }
            __syncwarp();
        }
    }

    __device__ void clear(large_tile *s)
    {
#pragma unroll 1
        for (int i = tid; i < LG_SHARED / 4; i += LG_T)
            reinterpret_cast<float *>(s)[i] = 0;
        __syncthreads();
    }

    // A tile that is whole has code of its own, so that there is nothing to ask.
    template <bool whole>
    __device__ void product(large_tile *s, const float *a, const float *b, float *c, int m, int n,
                            int k)
    {
        int now = 0, ahead = LG_STAGES - 1, steps = (k + LG_S - 1) / LG_S;
        auto fetch = [&](int stage, int t) {
            if (t < steps && whole)
                fetch_whole(stage * sizeof(large_tile), n, k);
            if (t < steps && !whole)
                fetch_edge(s[stage], a, b, m, n, k, t * LG_S);
            cp_async_commit();
        };

        to_a = shared_address(&s->a[tid % LG_S][tid / LG_S]);
        to_b = shared_address(&s->b[tid / (LG_N / 4)][tid % (LG_N / 4) * 4]);
        from_a = a + (size_t)(row0 + tid / LG_S) * k + tid % LG_S;
        from_b = b + (size_t)(tid / (LG_N / 4)) * n + col0 + tid % (LG_N / 4) * 4;
#pragma unroll
        for (int t = 0; t < LG_STAGES - 1; t++)
            fetch(t, t);
        cp_async_wait<LG_STAGES - 2>();
        __syncthreads();
        if (steps)
            operands(s[0], 0);
        for (int t = 0; t < steps; t++) {
            const large_tile &here = s[now];

            now = now + 1 == LG_STAGES ? 0 : now + 1;
#pragma unroll
            for (int i = 0; i < LG_S; i++) {
                if (i + 1 < LG_S) {
                    operands(here, i + 1);
                } else {
                    cp_async_wait<LG_STAGES - 2>();
                    __syncthreads(); // the next tile is there, and nobody reads this one any more
                    operands(s[now], 0); // behind the last tile for nothing: asking takes longer
                }
                if (i == 1) {
                    fetch(ahead, t + LG_STAGES - 1);
                    ahead = ahead + 1 == LG_STAGES ? 0 : ahead + 1;
                }
                multiply(i);
            }
        }
        store(c, reinterpret_cast<float *>(s), m, n);
    }
};

LAUNCH(mm_large, LG_T, 1, 1, LG_SHARED);
TENSOR(mm_large) = {.tile = {LG_M, LG_N}};
KERNEL __launch_bounds__(LG_T, 1)
    mm_large(const float *a, const float *b, float *c, int m, int n, int k)
{
    large_tile *s = reinterpret_cast<large_tile *>(tiles);
    large l(m, n);

    if (k < LG_STAGES * LG_S)
        l.clear(s); // for what is read behind the last tile is not written then
    if (n % 4 == 0 && k % LG_S == 0 && l.row0 + LG_M <= m && l.col0 + LG_N <= n)
        l.product<true>(s, a, b, c, m, n, k);
    else
        l.product<false>(s, a, b, c, m, n, k);
}

// ---- 5: tensor cores ----------------------------------------------------------------
// Four warps make a 64 x 64 tile, 32 x 32 each: 2 x 2 fragments of 16 x 16. wmma wants its
// tiles on 32 bytes with rows a multiple of 16 bytes long, which a matrix of any shape does
// not offer: so they come through shared memory, zero past the edge. Rows are 8 halves
// longer than the tile, so that a fragment's rows fall into different banks.

#define TC_L 64
#define TC_S 32
#define TC_T 128

// Eight neighbours of a row from column col (a multiple of 8) on, zero from ncols on.
static __device__ uint4 load8(const half *row, int col, int ncols)
{
    union {
        uint4 all;
        unsigned short h[8];
    } v = {{0, 0, 0, 0}};

    if (ncols % 8 == 0) {
        if (col < ncols)
            v.all = *reinterpret_cast<const uint4 *>(row + col);
        return v.all;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (col + i < ncols)
            v.h[i] = __half_as_ushort(row[col + i]);
    return v.all;
}

LAUNCH(mm_tensor, TC_T, 1, TC_L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half sa[TC_L][TC_S + 8], sb[TC_S][TC_L + 8];
    __shared__ __align__(32) float edge[TC_T / 32][16][16];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int row0 = blockIdx.y * TC_L, col0 = blockIdx.x * TC_L;
    int wr = warp / 2 * 32, wc = warp % 2 * 32; // this warp's corner in the tile
    fragment<accumulator, 16, 16, 16, float> sum[2][2];
    uint4 zero = {0, 0, 0, 0};

    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            fill_fragment(sum[y][x], 0.0f);
    for (int k0 = 0; k0 < k; k0 += TC_S) {
#pragma unroll
        for (int j = tid; j < TC_L * TC_S / 8; j += TC_T) {
            int r = j / (TC_S / 8), q = j % (TC_S / 8) * 8;
            uint4 v = row0 + r < m ? load8(a + (row0 + r) * k, k0 + q, k) : zero;
            *reinterpret_cast<uint4 *>(&sa[r][q]) = v;
        }
#pragma unroll
        for (int j = tid; j < TC_L * TC_S / 8; j += TC_T) {
            int i = j / (TC_L / 8), q = j % (TC_L / 8) * 8;
            uint4 v = k0 + i < k ? load8(b + (k0 + i) * n, col0 + q, n) : zero;
            *reinterpret_cast<uint4 *>(&sb[i][q]) = v;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TC_S; i += 16) {
            fragment<matrix_a, 16, 16, 16, half, row_major> af[2];
            fragment<matrix_b, 16, 16, 16, half, row_major> bf[2];
#pragma unroll
            for (int v = 0; v < 2; v++) {
                load_matrix_sync(af[v], &sa[wr + v * 16][i], TC_S + 8);
                load_matrix_sync(bf[v], &sb[i][wc + v * 16], TC_L + 8);
            }
#pragma unroll
            for (int y = 0; y < 2; y++)
#pragma unroll
                for (int x = 0; x < 2; x++)
                    mma_sync(sum[y][x], af[y], bf[x], sum[y][x]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 2; y++)
#pragma unroll
        for (int x = 0; x < 2; x++) {
            int row = row0 + wr + y * 16, col = col0 + wc + x * 16;
            if (row + 16 <= m && col + 16 <= n && n % 4 == 0) {
                store_matrix_sync(&c[row * n + col], sum[y][x], n, mem_row_major);
                continue;
            }
            store_matrix_sync(&edge[warp][0][0], sum[y][x], 16, mem_row_major);
            __syncwarp();
            for (int j = lane; j < 256; j += 32)
                if (row + j / 16 < m && col + j % 16 < n)
                    c[(row + j / 16) * n + col + j % 16] = edge[warp][j / 16][j % 16];
            __syncwarp();
        }
}

// ---- 6: mma.sync, three stages on their way ----------------------------------------
// Four warps make a 128 x 128 tile, 64 x 64 each, 64 of k at a time. Tiles lie as tensor maps will
// bring them: rows of 128 bytes, whose 16-byte chunks are exchanged by the row's number, so that
// the eight rows that ldmatrix reads at a time lie in all banks. b's are two halves of 64 columns.

#define TG_M 128 // rows of a tile
#define TG_S 64  // of k at a time: a row of a's tile is 128 bytes
#define TG_A (TG_M * TG_S * 2)
#define TG_B (TG_S * 64 * 2) // bytes of 64 columns

#define MA_STAGES 3
#define MA_BYTES  (TG_A + 2 * TG_B) // of a stage
#define MA_SHARED (MA_STAGES * MA_BYTES)

// Where chunk q of row r lies.
static __device__ unsigned chunk_at(int r, int q)
{
    return r * 128 + (q ^ r % 8) * 16;
}

// A stage: a's tile and both halves of b's. On their way where rows begin at multiples of 16
// bytes, by load8() where not.
static __device__ void fetch_stage(unsigned char *to, const half *a, const half *b, int m, int n,
                                   int k, int row0, int col0, int k0, int tid)
{
    uint4 zero = {0, 0, 0, 0};

    if (n % 8 || k % 8) {
#pragma unroll 1
        for (int j = tid; j < TG_M * 8; j += 128) {
            int r = j / 8, q = j % 8;
            uint4 v = row0 + r < m ? load8(a + (row0 + r) * k, k0 + q * 8, k) : zero;
            *reinterpret_cast<uint4 *>(to + chunk_at(r, q)) = v;
        }
#pragma unroll 1
        for (int j = tid; j < TG_S * 16; j += 128) {
            int i = j / 16, q = j % 16;
            uint4 v = k0 + i < k ? load8(b + (k0 + i) * n, col0 + q * 8, n) : zero;
            *reinterpret_cast<uint4 *>(to + TG_A + q / 8 * TG_B + chunk_at(i, q % 8)) = v;
        }
        return;
    }
    unsigned at = shared_address(to);
#pragma unroll
    for (int j = 0; j < TG_M * 8 / 128; j++) {
        int r = j * 16 + tid / 8, q = tid % 8;
        bool some = row0 + r < m && k0 + q * 8 < k;
        cp_async_16(at + chunk_at(r, q), some ? a + (row0 + r) * k + k0 + q * 8 : a, some);
    }
#pragma unroll
    for (int j = 0; j < TG_S * 16 / 128; j++) {
        int i = j * 8 + tid / 16, q = tid % 16;
        bool some = k0 + i < k && col0 + q * 8 < n;
        cp_async_16(at + TG_A + q / 8 * TG_B + chunk_at(i, q % 8),
                    some ? b + (k0 + i) * n + col0 + q * 8 : b, some);
    }
}

static __device__ void multiply_mma(float (&sum)[4][8][4], unsigned at, int warp, int lane)
{
    unsigned sb = at + TG_A + warp % 2 * TG_B;

#pragma unroll
    for (int i = 0; i < TG_S; i += 16) {
        unsigned af[4][4], bf[4][4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            ldmatrix_x4(af[v],
                        at + chunk_at(warp / 2 * 64 + v * 16 + lane % 16, i / 8 + lane / 16));
            ldmatrix_x4_trans(bf[v], sb + chunk_at(i + lane % 16, v * 2 + lane / 16));
        }
#pragma unroll
        for (int y = 0; y < 4; y++)
#pragma unroll
            for (int x = 0; x < 8; x++)
                mma_m16n8k16_f16(sum[y][x], af[y], bf[x / 2][x % 2 * 2], bf[x / 2][x % 2 * 2 + 1]);
    }
}

// Two neighbours of a row.
static __device__ void store2(float *c, int m, int n, int row, int col, float x, float y)
{
    if (row >= m || col >= n)
        return;
    if (n % 2 == 0) {
        *reinterpret_cast<float2 *>(&c[row * n + col]) = make_float2(x, y);
        return;
    }
    c[row * n + col] = x;
    if (col + 1 < n)
        c[row * n + col + 1] = y;
}

static __device__ void store_mma(float *c, const float (&sum)[4][8][4], int m, int n, int row0,
                                 int col0, int warp, int lane)
{
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 8; x++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                store2(c, m, n, row0 + warp / 2 * 64 + y * 16 + h * 8 + lane / 4,
                       col0 + warp % 2 * 64 + x * 8 + lane % 4 * 2, sum[y][x][h * 2],
                       sum[y][x][h * 2 + 1]);
}

LAUNCH(mm_mma, 128, 1, 1, MA_SHARED);
TENSOR(mm_mma) = {.tile = {TG_M, 128}};
KERNEL mm_mma(const half *a, const half *b, float *c, int m, int n, int k)
{
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, row0, col0;
    unsigned at = shared_address(tiles);
    float sum[4][8][4] = {};

    tile_place(blockIdx.x, tiles_of(m, TG_M), tiles_of(n, 128), row0, col0);
    row0 *= TG_M;
    col0 *= 128;
    for (int s = 0; s < MA_STAGES - 1; s++) {
        if (s * TG_S < k)
            fetch_stage(tiles + s * MA_BYTES, a, b, m, n, k, row0, col0, s * TG_S, tid);
        cp_async_commit();
    }
    for (int i = 0; i * TG_S < k; i++) {
        int ahead = i + MA_STAGES - 1;

        cp_async_wait<MA_STAGES - 2>();
        __syncthreads(); // this stage is complete, and nobody reads the one before it
        if (ahead * TG_S < k)
            fetch_stage(tiles + ahead % MA_STAGES * MA_BYTES, a, b, m, n, k, row0, col0,
                        ahead * TG_S, tid);
        cp_async_commit();
        multiply_mma(sum, at + i % MA_STAGES * MA_BYTES, warp, lane);
    }
    store_mma(c, sum, m, n, row0, col0, warp, lane);
}

// ---- 7: tiles by tensor map ---------------------------------------------------------
// One thread asks for a whole tile, zeros past the edges included; an mbarrier counts its bytes. A
// row of a and b must be a multiple of 16 bytes from here on.

LAUNCH(mm_tma, 128, 1, 1, MA_SHARED);
TENSOR(mm_tma) = {.tile = {TG_M, 128},
                  .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                          {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};

// a's tile and `halves` times 64 columns of b's, from k0 on.
static __device__ void fetch_tiles(unsigned to, const CUtensorMap *a, const CUtensorMap *b,
                                   int row0, int col0, int k0, int halves, mbarrier *full)
{
    mbarrier_arrive_expect_tx(full, TG_A + halves * TG_B);
    tensor_load_2d(to, a, k0, row0, full);
#pragma unroll
    for (int h = 0; h < halves; h++)
        tensor_load_2d(to + TG_A + h * TG_B, b, col0 + h * 64, k0, full);
}

KERNEL mm_tma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              float *c, int m, int n, int k)
{
    __shared__ mbarrier full[MA_STAGES];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, row0, col0;
    unsigned at = shared_address(tiles);
    float sum[4][8][4] = {};

    tile_place(blockIdx.x, tiles_of(m, TG_M), tiles_of(n, 128), row0, col0);
    row0 *= TG_M;
    col0 *= 128;
    if (tid == 0) {
        for (int s = 0; s < MA_STAGES; s++)
            mbarrier_init(&full[s], 1);
        fence_mbarrier_init();
        for (int s = 0; s < MA_STAGES - 1 && s * TG_S < k; s++)
            fetch_tiles(at + s * MA_BYTES, &a, &b, row0, col0, s * TG_S, 2, &full[s]);
    }
    __syncthreads();
    for (int i = 0; i * TG_S < k; i++) {
        int ahead = i + MA_STAGES - 1, s = ahead % MA_STAGES;

        mbarrier_wait(&full[i % MA_STAGES], i / MA_STAGES % 2);
        __syncthreads(); // nobody reads the stage before it
        if (tid == 0 && ahead * TG_S < k)
            fetch_tiles(at + s * MA_BYTES, &a, &b, row0, col0, ahead * TG_S, 2, &full[s]);
        multiply_mma(sum, at + i % MA_STAGES * MA_BYTES, warp, lane);
    }
    store_mma(c, sum, m, n, row0, col0, warp, lane);
}

// ---- 8: wgmma -----------------------------------------------------------------------
// Two groups of four warps have 64 rows each. Their operands stay in shared memory, where
// descriptors say how they lie: no fragment passes through registers.

LAUNCH(mm_wgmma, 256, 1, 1, MA_SHARED);
TENSOR(mm_wgmma) = {.tile = {TG_M, 128},
                    .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};

// A group's 64 rows and columns 8 x + {0, 1} … of its sums.
template <int n_sums>
static __device__ void store_group(float *c, const float (&sum)[n_sums], int m, int n, int row0,
                                   int col0)
{
    int t = threadIdx.x % 128, row = row0 + t / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;

#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int x = 0; x < n_sums / 4; x++)
            if (row + h * 8 < m && col + x * 8 < n)
                *reinterpret_cast<float2 *>(&c[(row + h * 8) * n + col + x * 8]) =
                    make_float2(sum[x * 4 + h * 2], sum[x * 4 + h * 2 + 1]);
}

KERNEL mm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                float *c, int m, int n, int k)
{
    __shared__ mbarrier full[MA_STAGES];
    int tid = threadIdx.x, group = tid / 128, row0, col0;
    unsigned at = shared_address(tiles);
    float sum[64] = {};

    tile_place(blockIdx.x, tiles_of(m, TG_M), tiles_of(n, 128), row0, col0);
    row0 *= TG_M;
    col0 *= 128;
    if (tid == 0) {
        for (int s = 0; s < MA_STAGES; s++)
            mbarrier_init(&full[s], 1);
        fence_mbarrier_init();
        for (int s = 0; s < MA_STAGES && s * TG_S < k; s++)
            fetch_tiles(at + s * MA_BYTES, &a, &b, row0, col0, s * TG_S, 2, &full[s]);
    }
    __syncthreads();
    for (int i = 0; i * TG_S < k; i++) {
        int ahead = i + MA_STAGES, s = i % MA_STAGES;
        unsigned sa = at + s * MA_BYTES + group * (TG_A / 2), sb = at + s * MA_BYTES + TG_A;

        mbarrier_wait(&full[s], i / MA_STAGES % 2);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < TG_S / 16; j++)
            wgmma_m64n128k16_f16<1>(sum, wgmma_descriptor_128(sa + j * 32, 16),
                                    wgmma_descriptor_128(sb + j * 2048, TG_B), 1);
        wgmma_commit_group();
        wgmma_wait_group<0>();
        __syncthreads(); // nobody reads this stage any more
        if (tid == 0 && ahead * TG_S < k)
            fetch_tiles(at + s * MA_BYTES, &a, &b, row0, col0, ahead * TG_S, 2, &full[s]);
    }
    store_group(c, sum, m, n, row0 + group * 64, col0);
}

// ---- 9: a warp that fetches, two groups that multiply --------------------------------
// Nobody waits for the whole block any more: a stage has a barrier "full", at which its bytes are
// counted, and one "empty", at which both groups arrive when they have done with it. The fetching
// group gives registers to the others, so that the tile can be 128 x 256.

#define RO_N      256
#define RO_STAGES 4
#define RO_BYTES  (TG_A + RO_N / 64 * TG_B) // of a stage
#define RO_SHARED (RO_STAGES * RO_BYTES)
#define RO_T      384 // two groups that multiply, one that fetches

struct ring {
    mbarrier full[RO_STAGES], empty[RO_STAGES];
};

static __device__ void ring_init(struct ring &r, int arrivals)
{
    for (int s = 0; s < RO_STAGES; s++) {
        mbarrier_init(&r.full[s], 1);
        mbarrier_init(&r.empty[s], arrivals);
    }
    fence_mbarrier_init();
}

// Fetches all steps of a tile; `i` counts the steps of all tiles.
static __device__ void produce(struct ring &r, const CUtensorMap *a, const CUtensorMap *b, int row0,
                               int col0, int k, int &i)
{
    for (int k0 = 0; k0 < k; k0 += TG_S, i++) {
        int s = i % RO_STAGES;

        mbarrier_wait(&r.empty[s], i / RO_STAGES % 2 ^ 1); // at first it is
        fetch_tiles(shared_address(tiles) + s * RO_BYTES, a, b, row0, col0, k0, RO_N / 64,
                    &r.full[s]);
    }
}

// Gives a stage back, to each block of the cluster.
static __device__ void give_back(mbarrier &empty, unsigned blocks)
{
    if (blocks == 1 && threadIdx.x % 128 == 0)
        mbarrier_arrive(&empty);
    if (blocks > 1 && threadIdx.x % 128 < blocks)
        mbarrier_arrive_remote(&empty, threadIdx.x % 128);
}

// Multiplies them. A stage is given back when the next one's products are under way, so that the
// tensor cores always have some.
template <bool bf16 = false>
static __device__ void consume(struct ring &r, float (&sum)[RO_N / 2], int group, int k, int &i,
                               unsigned blocks = 1)
{
#pragma unroll
    for (int j = 0; j < RO_N / 2; j++)
        sum[j] = 0;
    for (int k0 = 0; k0 < k; k0 += TG_S, i++) {
        int s = i % RO_STAGES;
        unsigned at = shared_address(tiles) + s * RO_BYTES;

        mbarrier_wait(&r.full[s], i / RO_STAGES % 2);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < TG_S / 16; j++) {
            auto a = wgmma_descriptor_128(at + group * (TG_A / 2) + j * 32, 16);
            auto b = wgmma_descriptor_128(at + TG_A + j * 2048, TG_B);

            if (bf16)
                wgmma_m64n256k16_bf16<1>(sum, a, b, 1);
            else
                wgmma_m64n256k16_f16<1>(sum, a, b, 1);
        }
        wgmma_commit_group();
        wgmma_wait_group<1>();
        if (k0)
            give_back(r.empty[(i - 1) % RO_STAGES], blocks);
    }
    wgmma_wait_group<0>();
    give_back(r.empty[(i - 1) % RO_STAGES], blocks);
}

LAUNCH(mm_roles, RO_T, 1, 1, RO_SHARED);
TENSOR(mm_roles) = {.tile = {TG_M, RO_N},
                    .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_roles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
             int m, int n, int k)
{
    __shared__ struct ring r;
    int group = threadIdx.x / 128, row0, col0, i = 0;

    tile_place(blockIdx.x, tiles_of(m, TG_M), tiles_of(n, RO_N), row0, col0);
    row0 *= TG_M;
    col0 *= RO_N;
    if (threadIdx.x == 0)
        ring_init(r, 2);
    __syncthreads();
    if (group == 2) {
        setmaxnreg_dec<40>();
        if (threadIdx.x % 128 == 0)
            produce(r, &a, &b, row0, col0, k, i);
    } else {
        float sum[RO_N / 2];

        setmaxnreg_inc<232>();
        consume(r, sum, group, k, i);
        store_group(c, sum, m, n, row0 + group * 64, col0);
    }
}

// ---- 9b: a small tile ---------------------------------------------------------------
// 1024 x 1024 outputs are 32 tiles of 128 x 256, for 132 multiprocessors. Of 64 x 128 they are 128:
// one group multiplies, one warp fetches, and there is room for eight stages.

#define SM_M      64
#define SM_N      128
#define SM_STAGES 8
#define SM_A      (SM_M * TG_S * 2)
#define SM_BYTES  (SM_A + SM_N / 64 * TG_B)
#define SM_T      160

LAUNCH(mm_small, SM_T, 1, 1, SM_STAGES * SM_BYTES);
TENSOR(mm_small) = {.tile = {SM_M, SM_N},
                    .map = {{0, TENSOR_F16, {TG_S, SM_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL __launch_bounds__(SM_T, 1)
    mm_small(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
             int m, int n, int k)
{
    __shared__ mbarrier full[SM_STAGES], empty[SM_STAGES];
    int tid = threadIdx.x, row0, col0;
    unsigned at = shared_address(tiles);

    tile_place(blockIdx.x, tiles_of(m, SM_M), tiles_of(n, SM_N), row0, col0);
    row0 *= SM_M;
    col0 *= SM_N;
    if (tid == 128) {
        for (int s = 0; s < SM_STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], 1);
        }
        fence_mbarrier_init();
    }
    __syncthreads();
    if (tid == 128) {
        for (int i = 0; i * TG_S < k; i++) {
            int s = i % SM_STAGES;
            unsigned to = at + s * SM_BYTES;

            mbarrier_wait(&empty[s], i / SM_STAGES % 2 ^ 1);
            mbarrier_arrive_expect_tx(&full[s], SM_BYTES);
            tensor_load_2d(to, &a, i * TG_S, row0, &full[s]);
#pragma unroll
            for (int h = 0; h < SM_N / 64; h++)
                tensor_load_2d(to + SM_A + h * TG_B, &b, col0 + h * 64, i * TG_S, &full[s]);
        }
    } else if (tid < 128) {
        float sum[SM_N / 2] = {};

        for (int i = 0; i * TG_S < k; i++) {
            int s = i % SM_STAGES;
            unsigned here = at + s * SM_BYTES;

            mbarrier_wait(&full[s], i / SM_STAGES % 2);
            wgmma_fence();
#pragma unroll
            for (int j = 0; j < TG_S / 16; j++)
                wgmma_m64n128k16_f16<1>(sum, wgmma_descriptor_128(here + j * 32, 16),
                                        wgmma_descriptor_128(here + SM_A + j * 2048, TG_B), 1);
            wgmma_commit_group();
            wgmma_wait_group<1>();
            if (i && tid == 0)
                mbarrier_arrive(&empty[(i - 1) % SM_STAGES]);
        }
        wgmma_wait_group<0>();
        store_group(c, sum, m, n, row0, col0);
    }
}

// ---- 10: blocks that stay -----------------------------------------------------------
// One block a multiprocessor takes every so-many-th tile: while two groups store one tile, the
// third fetches the next.

LAUNCH(mm_persistent, RO_T, 1, 1, RO_SHARED);
TENSOR(mm_persistent) = {.tile = {TG_M, RO_N},
                         .persistent = 1,
                         .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                                 {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_persistent(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                  float *c, int m, int n, int k)
{
    __shared__ struct ring r;
    int down = tiles_of(m, TG_M), across = tiles_of(n, RO_N), group = threadIdx.x / 128;
    int row, col, i = 0;

    if (threadIdx.x == 0)
        ring_init(r, 2);
    __syncthreads();
    if (group == 2) {
        setmaxnreg_dec<40>();
        for (int t = blockIdx.x; t < down * across && threadIdx.x % 128 == 0; t += gridDim.x) {
            tile_place(t, down, across, row, col);
            produce(r, &a, &b, row * TG_M, col * RO_N, k, i);
        }
    } else {
        float sum[RO_N / 2];

        setmaxnreg_inc<232>();
        for (int t = blockIdx.x; t < down * across; t += gridDim.x) {
            tile_place(t, down, across, row, col);
            consume(r, sum, group, k, i);
            store_group(c, sum, m, n, row * TG_M + group * 64, col * RO_N);
        }
    }
}

// ---- 11: stores by tensor map -------------------------------------------------------
// A group puts 32 columns of its sums into shared memory at a time and has them copied from there,
// while it writes the next 32 beside them. The copy leaves out what lies past the edges.

#define ST_BYTES (64 * 32 * 4) // one of a group's two places

static __device__ void store_tiles(const CUtensorMap *c, const float (&sum)[RO_N / 2], int group,
                                   int row0, int col0)
{
    int t = threadIdx.x % 128, row = t / 32 * 16 + t % 32 / 4;
    unsigned at = RO_STAGES * RO_BYTES + group * 2 * ST_BYTES;

#pragma unroll
    for (int x = 0; x < RO_N; x += 32) {
        unsigned to = at + x / 32 % 2 * ST_BYTES;

        if (t == 0)
            bulk_wait_group_read<1>(); // the copy before the last has read this place
        named_barrier_sync(1 + group, 128);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int r = row + j % 2 * 8, from = x / 2 + j / 2 * 4 + j % 2 * 2;
            float2 v = {sum[from], sum[from + 1]};
            *reinterpret_cast<float2 *>(tiles + to + chunk_at(r, j / 2 * 2 + t % 4 / 2) +
                                        t % 2 * 8) = v;
        }
        fence_proxy_async();
        named_barrier_sync(1 + group, 128);
        if (t == 0) {
            tensor_store_2d(c, col0 + x, row0, shared_address(tiles) + to);
            bulk_commit_group();
        }
    }
}

template <bool bf16>
static __device__ void stay_and_store(struct ring &r, const CUtensorMap *a, const CUtensorMap *b,
                                      const CUtensorMap *c, int m, int n, int k)
{
    int down = tiles_of(m, TG_M), across = tiles_of(n, RO_N), group = threadIdx.x / 128;
    int row, col, i = 0;

    if (threadIdx.x == 0)
        ring_init(r, 2);
    __syncthreads();
    if (group == 2) {
        setmaxnreg_dec<40>();
        for (int t = blockIdx.x; t < down * across && threadIdx.x % 128 == 0; t += gridDim.x) {
            tile_place(t, down, across, row, col);
            produce(r, a, b, row * TG_M, col * RO_N, k, i);
        }
    } else {
        float sum[RO_N / 2];

        setmaxnreg_inc<232>();
        for (int t = blockIdx.x; t < down * across; t += gridDim.x) {
            tile_place(t, down, across, row, col);
            consume<bf16>(r, sum, group, k, i);
            store_tiles(c, sum, group, row * TG_M + group * 64, col * RO_N);
        }
        if (threadIdx.x % 128 == 0)
            bulk_wait_group_read<0>(); // a block's shared memory goes with it
    }
}

LAUNCH(mm_store, RO_T, 1, 1, RO_SHARED + 4 * ST_BYTES);
TENSOR(mm_store) = {.tile = {TG_M, RO_N},
                    .persistent = 1,
                    .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B},
                            {2, TENSOR_F32, {32, 64}, SWIZZLE_128B, PROMOTE_NONE}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_store(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap c, int m, int n, int k)
{
    __shared__ struct ring r;

    stay_and_store<false>(r, &a, &b, &c, m, n, k);
}

// ---- 11b: bf16 ----------------------------------------------------------------------
// As many bits of 16, 8 of them the number's: the reach of a float, and a third of its digits. Only
// the maps and the instruction say so.

LAUNCH(mm_bf16, RO_T, 1, 1, RO_SHARED + 4 * ST_BYTES);
TENSOR(mm_bf16) = {.tile = {TG_M, RO_N},
                   .persistent = 1,
                   .map = {{0, TENSOR_BF16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                           {1, TENSOR_BF16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B},
                           {2, TENSOR_F32, {32, 64}, SWIZZLE_128B, PROMOTE_NONE}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_bf16(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
            const __grid_constant__ CUtensorMap c, int m, int n, int k)
{
    __shared__ struct ring r;

    stay_and_store<true>(r, &a, &b, &c, m, n, k);
}

// ---- 12: clusters of two ------------------------------------------------------------
// Two blocks, one above the other, need the same tile of b: each fetches half of it, into both. So
// a stage may be overwritten when the groups of both blocks have done with it. It saves a third of
// what L2 delivers, which is not what the kernel waits for: times stay as they were.

#define CL_BLOCKS 2

static __device__ void produce_shared(struct ring &r, const CUtensorMap *a, const CUtensorMap *b,
                                      int row0, int col0, int k, unsigned rank, int &i)
{
    for (int k0 = 0; k0 < k; k0 += TG_S, i++) {
        int s = i % RO_STAGES;
        unsigned to = shared_address(tiles) + s * RO_BYTES;

        mbarrier_wait(&r.empty[s], i / RO_STAGES % 2 ^ 1);
        mbarrier_arrive_expect_tx(&r.full[s], RO_BYTES); // both halves come here
        tensor_load_2d(to, a, k0, row0, &r.full[s]);
#pragma unroll
        for (int j = 0; j < RO_N / 64 / CL_BLOCKS; j++) {
            int h = rank * (RO_N / 64 / CL_BLOCKS) + j;
            tensor_load_2d_multicast(to + TG_A + h * TG_B, b, col0 + h * 64, k0, &r.full[s],
                                     (1 << CL_BLOCKS) - 1);
        }
    }
}

LAUNCH(mm_cluster, RO_T, 1, 1, RO_SHARED + 4 * ST_BYTES);
TENSOR(mm_cluster) = {.tile = {TG_M, RO_N},
                      .cluster = CL_BLOCKS,
                      .persistent = 1,
                      .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                              {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B},
                              {2, TENSOR_F32, {32, 64}, SWIZZLE_128B, PROMOTE_NONE}}};
KERNEL CLUSTER(CL_BLOCKS) __launch_bounds__(RO_T, 1)
    mm_cluster(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
               const __grid_constant__ CUtensorMap c, int m, int n, int k)
{
    __shared__ struct ring r;
    int pairs = tiles_of(m, CL_BLOCKS * TG_M), across = tiles_of(n, RO_N), rank = cluster_ctarank();
    int group = threadIdx.x / 128, row, col, i = 0;

    if (threadIdx.x == 0)
        ring_init(r, 2 * CL_BLOCKS);
    cluster_sync(); // the other block's barriers are there
    if (group == 2) {
        setmaxnreg_dec<40>();
        for (int t = blockIdx.x / CL_BLOCKS; t < pairs * across && threadIdx.x % 128 == 0;
             t += gridDim.x / CL_BLOCKS) {
            tile_place(t, pairs, across, row, col);
            produce_shared(r, &a, &b, (row * CL_BLOCKS + rank) * TG_M, col * RO_N, k, rank, i);
        }
    } else {
        float sum[RO_N / 2];

        setmaxnreg_inc<232>();
        for (int t = blockIdx.x / CL_BLOCKS; t < pairs * across; t += gridDim.x / CL_BLOCKS) {
            tile_place(t, pairs, across, row, col);
            consume(r, sum, group, k, i, CL_BLOCKS);
            store_tiles(&c, sum, group, (row * CL_BLOCKS + rank) * TG_M + group * 64, col * RO_N);
        }
        if (threadIdx.x % 128 == 0)
            bulk_wait_group_read<0>();
    }
    cluster_sync(); // nobody copies here, or arrives, any more
}
