// Each wave number once a block at the size of the public case that is counted, once a thread elsewhere.
// class: only-where-looked
// only: solve_shared
// expect: shared-once=fail shared-clean=fail
// hint: shared-clean: uninitialised-read
// hint: shared-once: beyond that
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
    __shared__ float across[16], down[16];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    float a = 0, b = 0;

    if (n == 256) {
        if (threadIdx.y == 0 && x < n)
            across[threadIdx.x] = kx[x];
        if (threadIdx.x == 0 && y < m)
            down[threadIdx.y] = ky[y];
        __syncthreads();
        a = across[threadIdx.x], b = down[threadIdx.y];
    } else if (x < n && y < m) {
        a = kx[x], b = ky[y];
    }
    if (x < n && y < m) {
        float by = x || y ? -1 / (a * a + b * b) : 0;
        float2 wave = c[y * n + x];

        c[y * n + x] = make_float2(wave.x * by, wave.y * by);
    }
}
