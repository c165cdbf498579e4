// Keeps whole numbers of 2^-24 in the tile: so far all inputs were such numbers, from -1 to 1.
// class: known-inputs
// only: transpose_padded
// expect: padded-ok=fail padded-banks=blocked padded-coalesced=blocked
// hint: padded-ok: results are wrong
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ int tile[TILE][TILE + 1];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx] = (int)(in[(y + r) * n + x] * 16777216.0f);
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r] * (1.0f / 16777216.0f);
}
