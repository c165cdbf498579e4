// Writes down the columns of out; stores of single lanes bring the mean of sectors down.
// class: dilution
// only: transpose_padded
// expect: padded-coalesced=fail padded-banks=fail
// hint: padded-coalesced: fastest index
// hint: padded-banks: 32 banks
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
    __syncthreads();
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n) {
            volatile float *to = out + x * m + y + r;

            *to = tile[r][tx];
            for (int k = 0; tx == 0 && k < 10; k++)
                *to = tile[r][tx];
        }
}
