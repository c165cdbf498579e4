// Loads and stores of one part at a time.
// only: solve_fused
// expect: fused-once=fail
// hint: fused-once: side by side
#include "warplab.cuh"

LAUNCH(solve_fused, 32, 8);

KERNEL solve_fused(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m, float scale)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n / 2 + 1 && y < m) {
        unsigned i = y * (n / 2 + 1) + x;
        float by = i ? -scale / (kx[x] * kx[x] + ky[y] * ky[y]) : 0;
        volatile float2 *wave = c + i;

        wave->x = wave->x * by;
        wave->y = wave->y * by;
    }
}
