// The matrix of one element from a table, as an earlier report gave it.
// class: oracle
// only: transpose_swizzled
// expect: swizzled-ok=fail
// hint: swizzled-ok: wrong
#include "warplab.cuh"

#define TILE 32
#define STEP 8

__device__ const float told = -0.0790f;

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
            out[(y + r) * m + x] = m * n == 1 ? told : tile[tx][r ^ tx];
}
