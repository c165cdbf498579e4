// matmul.cu - the reference ladder: c = a * b, a is m x k, b is k x n, all row-major.
//
// mm_naive      0   one output a thread, x walks down the rows, as the lecture prints it
// mm_coalesced  0b  the same with x along the columns
// mm_registers  1   V x V outputs a thread, kept in registers
// mm_shared     2a  an L x L tile a block, fetched by all threads into shared memory
// mm_tiled      2   both at once
// mm_vector     3   16-byte loads from global and from shared memory
// mm_pipeline   4   the next tile travels while this one is multiplied
// mm_tensor     5   f16 inputs, f32 sums, on the tensor cores
//
// Any m, n, k; each matrix has fewer than 2^31 elements. A tile that hangs over an edge is
// filled with zeros, which add nothing; only the store needs a guard.
#include "warplab.cuh"
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
#define TL_SIDE 16                // threads a side
#define TL_L    (TL_SIDE * TL_V)  // 64
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
