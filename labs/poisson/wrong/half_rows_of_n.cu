// The second row is looked for where that of a whole plane would begin.
// only: solve_half
// expect: half-ok=fail half-clean=fail half-whole=blocked
// hint: half-clean: illegal address
// hint: half-ok: Where does the second row begin
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
        unsigned i = y * n + x;
        float by = i ? -1 / (kx[x] * kx[x] + ky[y] * ky[y]) : 0;
        c[i].x *= by;
        c[i].y *= by;
    }
}
