// Right: rows of 33 words, each filled from its end, and the last row first.
// only: transpose_padded
// expect: all=pass
#include "warplab.cuh"

#define TILE 32
#define STEP 8

struct reversed {
    float words[TILE * (TILE + 1)];

    __device__ float &operator()(int r, int x)
    {
        return words[(TILE - 1 - r) * (TILE + 1) + TILE - 1 - x];
    }
};

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ reversed tile;
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE, r = threadIdx.y;

    while (r < TILE) {
        if (y + r < m && x < n)
            tile(r, tx) = in[(y + r) * n + x];
        r += STEP;
    }
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
#pragma unroll 1
    for (r = TILE - STEP + threadIdx.y; r >= 0; r -= STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile(tx, r);
}
