// Right: a wave is one number of two parts.
// only: solve_half
// expect: all=pass
#include "warplab.cuh"

KERNEL scale(float *u, unsigned n, unsigned m, float by)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        u[y * n + x] *= by;
}

LAUNCH(solve_half, 64, 4);

KERNEL solve_half(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n / 2 + 1 && y < m) {
        unsigned i = y * (n / 2 + 1) + x;
        float by = x || y ? -1 / (kx[x] * kx[x] + ky[y] * ky[y]) : 0;
        float2 wave = c[i];

        c[i] = make_float2(wave.x * by, wave.y * by);
    }
}
