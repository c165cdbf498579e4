// Right: the tile by the launch record's shared memory, one row of words after the other.
// only: transpose_padded
// expect: all=pass
#include "warplab.cuh"

#define TILE 32
#define STEP 16

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP, TILE * (TILE + 1) * sizeof(float));
KERNEL transpose_padded(const float *__restrict__ in, float *__restrict__ out, int m, int n)
{
    extern __shared__ float tile[];
    const int pitch = TILE + 1, tx = threadIdx.x;
    size_t x = blockIdx.x * (size_t)TILE + tx, y = blockIdx.y * (size_t)TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < (size_t)m && x < (size_t)n)
            tile[r * pitch + tx] = __ldg(in + (y + r) * n + x);
    __syncthreads();
    x = blockIdx.y * (size_t)TILE + tx;
    y = blockIdx.x * (size_t)TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < (size_t)n && x < (size_t)m)
            out[(y + r) * m + x] = tile[tx * pitch + r];
}
