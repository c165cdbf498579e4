// Right: blocks seven wide, whose rows begin amid sectors in the given kernels, too.
// only: solve_shared
// expect: all=pass
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

LAUNCH(solve_shared, 7, 32);

KERNEL solve_shared(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    __shared__ float k[64]; // of columns, then of rows
    const unsigned x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
    const unsigned x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    const unsigned size = blockDim.x * blockDim.y, rank = threadIdx.y * blockDim.x + threadIdx.x;
    const unsigned from_end = size - 1 - rank;

    if (rank < blockDim.x && x0 + rank < n)
        k[rank] = kx[x0 + rank];
    if (from_end < blockDim.y && y0 + from_end < m)
        k[32 + from_end] = ky[y0 + from_end];
    __syncthreads();
    if (x < n && y < m) {
        const float a = k[threadIdx.x], b = k[32 + threadIdx.y], by = x || y ? -1 / (a * a + b * b) : 0;
        const float2 wave = c[y * n + x];

        c[y * n + x] = make_float2(wave.x * by, wave.y * by);
    }
}
