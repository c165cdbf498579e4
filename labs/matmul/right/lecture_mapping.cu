// Right: a thread takes V neighbouring rows and columns, as the lecture has it, and shared memory
// keeps the tile of a as it is stored.
// only: mm_registers mm_tiled
// expect: all=pass
#include "warplab.cuh"

// A thread's columns lie blockDim.x apart, not side by side: so the 32 lanes of a warp
// still read 32 neighbouring floats of b at a time.

#define REG_V 4

LAUNCH(mm_registers, 32, 8, REG_V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row0 = (blockIdx.y * blockDim.y + threadIdx.y) * REG_V;
    int col0 = (blockIdx.x * blockDim.x + threadIdx.x) * REG_V;
    int dy = 1, dx = 1;
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
    __shared__ float sa[TL_L][TL_S + 1], sb[TL_S][TL_L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TL_SIDE + tx;
    int row0 = blockIdx.y * TL_L, col0 = blockIdx.x * TL_L;
    float sum[TL_V][TL_V] = {};

    for (int k0 = 0; k0 < k; k0 += TL_S) {
        // Cooperative fetching: which thread brings an element has nothing to do with
        // which thread uses it. Neighbouring threads bring neighbouring elements.
#pragma unroll
        for (int j = tid; j < TL_L * TL_S; j += TL_T) {
            int r = j / TL_S, i = j % TL_S;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
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
                av[v] = sa[ty * TL_V + v][i];
                bv[v] = sb[i][tx * TL_V + v];
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
            int row = row0 + ty * TL_V + y, col = col0 + tx * TL_V + x;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
