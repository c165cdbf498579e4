// Threads past the edge leave before the barrier, and with them the outputs they owed.
// only: transpose_swizzled
// expect: swizzled-ok=fail swizzled-clean=fail
// hint: swizzled-ok: results are wrong
// hint: swizzled-clean: thread missing at a barrier
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    if (x >= n)
        return;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
}
