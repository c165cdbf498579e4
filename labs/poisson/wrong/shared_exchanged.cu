// Columns have the rows' wave numbers, and the other way round.
// only: solve_shared
// expect: shared-ok=fail shared-clean=fail
// hint: shared-clean: illegal address
// hint: shared-ok: wave numbers of its columns
#include "warplab.cuh"

KERNEL real_to_complex(const float *r, float2 *c, unsigned n, unsigned m)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        c[y * n + x] = make_float2(r[y * n + x], 0);
}

KERNEL complex_to_real(const float2 *c, float *u, unsigned n, unsigned m, float scale)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        u[y * n + x] = scale * c[y * n + x].x;
}

LAUNCH(solve_shared, 16, 16);

KERNEL solve_shared(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    __shared__ float across[32], down[32];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (threadIdx.y == 0 && x < n)
        across[threadIdx.x] = ky[x];
    if (threadIdx.x == 0 && y < m)
        down[threadIdx.y] = kx[y];
    __syncthreads();
    if (x < n && y < m) {
        float a = across[threadIdx.x], b = down[threadIdx.y];
        float by = x || y ? -1 / (a * a + b * b) : 0;
        float2 wave = c[y * n + x];

        c[y * n + x] = make_float2(wave.x * by, wave.y * by);
    }
}
