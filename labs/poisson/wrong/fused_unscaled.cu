// Nobody scales: u is n * m times too large.
// only: solve_fused
// expect: fused-ok=fail fused-clean=blocked
// hint: fused-ok: too large by
#include "warplab.cuh"

LAUNCH(solve_fused, 32, 8);

KERNEL solve_fused(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m, float scale)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n / 2 + 1 && y < m) {
        unsigned i = y * (n / 2 + 1) + x;
        float by = i ? -1 / (kx[x] * kx[x] + ky[y] * ky[y]) : 0;
        float2 wave = c[i];

        (void)scale;
        c[i] = make_float2(wave.x * by, wave.y * by);
    }
}
