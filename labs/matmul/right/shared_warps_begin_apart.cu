// Right: each warp begins at another step of the tile, by a signed modulo.
// only: mm_shared
// expect: all=pass
#include "warplab.cuh"

LAUNCH(mm_shared, 32, 32, 1);
KERNEL __launch_bounds__(1024)
    mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[32][32], sb[32][32];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float sum = 0;

    for (int k0 = 0; k0 < k; k0 += 32) {
        if (k0)
            __syncthreads();
        sa[y][x] = row < m && k0 + x < k ? a[(size_t)row * k + k0 + x] : 0;
        sb[y][x] = col < n && k0 + y < k ? b[(size_t)(k0 + y) * n + col] : 0;
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            const int i = (j + y) % 32;
            sum += sa[y][i] * sb[i][x];
        }
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}
