// Right: the tile is filled by copies that do not pass through registers.
// only: transpose_padded
// expect: all=pass
#include "warplab.cuh"

#include <cuda_pipeline_primitives.h>

#define TILE 32
#define STEP 8

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            __pipeline_memcpy_async(&tile[r][tx], &in[(y + r) * n + x], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r];
}
