// The wave numbers are worked out for a side of length 1, where nobody asks how long it is.
// class: known-inputs
// only: solve_half
// expect: half-ok=fail half-clean=blocked half-whole=blocked
// hint: half-ok: How many waves has a row
#include "warplab.cuh"

KERNEL scale(float *u, unsigned n, unsigned m, float by)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        u[y * n + x] *= by;
}

LAUNCH(solve_half, 32, 8);

KERNEL solve_half(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n / 2 + 1 && y < m) {
        unsigned i = y * (n / 2 + 1) + x;
        float a = 6.2831853f * x, b = 6.2831853f * (y < (m + 1) / 2 ? (float)y : (float)y - m);
        float by = i ? -1 / (a * a + b * b) : 0;
        float2 wave = c[i];

        c[i] = make_float2(wave.x * by, wave.y * by);
    }
}
