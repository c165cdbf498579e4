// n / 2 waves a row: the last one is left as it was.
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

    if (x < n / 2 && y < m) {
        unsigned i = y * (n / 2 + 1) + x;
        float by = i ? -1 / (kx[x] * kx[x] + ky[y] * ky[y]) : 0;
        c[i].x *= by;
        c[i].y *= by;
    }
}
