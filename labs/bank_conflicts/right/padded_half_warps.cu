// Right: half a warp a row in the second half: lanes 16 apart take columns 16 apart of 16 rows.
// only: transpose_padded
// expect: all=pass
#include "warplab.cuh"

#define TILE 32
#define STEP 16

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx % 16;
    y = blockIdx.x * TILE + threadIdx.y + tx / 16 * 16;
    for (int h = 0; h < 32; h += 16)
        if (y < n && x + h < m)
            out[y * m + x + h] = tile[tx % 16 + h][threadIdx.y + tx / 16 * 16];
}
