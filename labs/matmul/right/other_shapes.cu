// Right with other blocks, tiles and numbers of outputs than the handout suggests.
// only: mm_coalesced mm_registers mm_shared mm_tiled
// expect: all=pass
#include "warplab.cuh"

LAUNCH(mm_coalesced, 64, 3, 1);
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

// A thread's columns lie blockDim.x apart, not side by side: so the 32 lanes of a warp
// still read 32 neighbouring floats of b at a time.

#define REG_V 8

LAUNCH(mm_registers, 16, 4, REG_V);
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

#define SH_L 16

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

// sa holds the tile of a transposed, so that both operands of step i lie in one row. Its
// rows are two words longer than the tile: otherwise the transposing stores of a warp
// (16 values of i at a distance of 64 words) would all meet in two banks.

#define TL_V    8
#define TL_SIDE 16                // threads a side
#define TL_L    (TL_SIDE * TL_V)  // 64
#define TL_S    8
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
