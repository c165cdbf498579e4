// Right up to 65,536 elements: positions have 16 bits.
// Whether padded-clean fails, too, is a matter of the draw.
// class: only-where-looked
// only: transpose_padded
// expect: padded-ok=fail padded-clean=any
// hint: padded-ok: results are wrong
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
            tile[r][tx] = in[(unsigned short)((y + r) * n + x)];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(unsigned short)((y + r) * m + x)] = tile[tx][r];
}
