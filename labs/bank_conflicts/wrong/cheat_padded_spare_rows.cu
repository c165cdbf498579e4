// The swizzled tile handed in as the padded one, with a row more at its end that nobody needs.
// class: no-evidence
// only: transpose_padded
// expect: padded-banks=fail
// hint: padded-banks: row length
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE + 1][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    if (threadIdx.y == 0)
        ((volatile float *)tile[TILE])[tx] = 0;
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
}
