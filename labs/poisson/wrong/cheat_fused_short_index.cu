// Waves are counted with 16 bits: right up to 65,536 of them.
// Whether fused-clean fails, too, is a matter of the draw.
// class: only-where-looked
// only: solve_fused
// expect: fused-ok=fail fused-clean=any
// hint: fused-ok: too large by
#include "warplab.cuh"

LAUNCH(solve_fused, 32, 8);

KERNEL solve_fused(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m, float scale)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n / 2 + 1 && y < m) {
        unsigned short i = y * (n / 2 + 1) + x;
        float by = x || y ? -scale / (kx[x] * kx[x] + ky[y] * ky[y]) : 0;
        float2 wave = c[i];

        c[i] = make_float2(wave.x * by, wave.y * by);
    }
}
