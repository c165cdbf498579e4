// Right: a thread has eight rows' waves in turn, which is as fast where there are enough blocks.
// only: solve_fused
#include "warplab.cuh"

LAUNCH(solve_fused, 64, 2, 8);
KERNEL solve_fused(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m, float scale)
{
    unsigned columns = n / 2 + 1, x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned rows = 8 * blockDim.y, y = blockIdx.y * rows + threadIdx.y;
    unsigned end = min(m, (blockIdx.y + 1) * rows);

    if (x >= columns)
        return;

    float of_x = kx[x] * kx[x];
    float2 *p = c + y * columns + x;
#pragma unroll 8
    for (; y < end; y += blockDim.y, p += blockDim.y * columns) {
        float2 wave = *p;
        float by = x + y ? __fdividef(-scale, of_x + ky[y] * ky[y]) : 0;

        *p = make_float2(wave.x * by, wave.y * by);
    }
}
