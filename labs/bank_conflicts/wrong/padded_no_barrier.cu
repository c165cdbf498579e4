// Reads what other threads wrote, without waiting for them.
// only: transpose_padded
// expect: padded-ok=fail padded-clean=fail padded-banks=blocked padded-coalesced=blocked
// hint: padded-ok: The checker finds shared-race
// hint: padded-clean: barrier
// hint: padded-ok: NaN
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx] = in[(y + r) * n + x];
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r];
}
