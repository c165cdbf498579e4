// poisson.cu - the kernels between cuFFT's transforms. Yours to complete.
//
// A plane of n columns and m rows, c[y * n + x] with x < n and y < m; kx[x] and ky[y] are the wave
// numbers of a column and of a row. Variants 1 and 3 are complete: they are the lecture's. Write
// solve_shared, solve_half and solve_fused; README.md of this folder says what each is about.
#include "warplab.cuh"

// ---- 1: complex transforms ----

LAUNCH(solve_naive, 32, 16);

KERNEL real_to_complex(const float *r, float2 *c, unsigned n, unsigned m)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        c[y * n + x] = make_float2(r[y * n + x], 0);
}

// Divides each wave by -(kx^2 + ky^2). The wave of no length, at (0, 0), is the mean: it becomes 0.
KERNEL solve_naive(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m) {
        unsigned i = y * n + x;
        float by = i ? -1 / (kx[x] * kx[x] + ky[y] * ky[y]) : 0;

        c[i].x *= by;
        c[i].y *= by;
    }
}

// A transform and its inverse give n * m times what they were given: scale is 1 / (n * m).
KERNEL complex_to_real(const float2 *c, float *u, unsigned n, unsigned m, float scale)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        u[y * n + x] = scale * c[y * n + x].x;
}

// ---- 2: wave numbers in shared memory ----

LAUNCH(solve_shared, 16, 16);

// TODO 2: as solve_naive, but each wave number is loaded from global memory once a block, not once
// a thread. Blocks are 8 to 32 wide, and 32 high at most. Those at the edge reach beyond the plane.
KERNEL solve_shared(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        c[y * n + x] = make_float2(-3, 0);
}

// ---- 3: complex numbers, read whole ----

LAUNCH(read_pairs, 16, 16);

// The lecture's third step: a load of both parts, so that a G80 could join them.
KERNEL pairs_to_real(const float2 *c, float *u, unsigned n, unsigned m, float scale)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m) {
        const volatile float2 *from = c + y * n + x;
        float re = from->x, im = from->y;

        (void)im;
        u[y * n + x] = scale * re;
    }
}

// ---- 4: real numbers have half as many waves ----

LAUNCH(solve_half, 32, 8);

// TODO 4: as solve_naive, for the waves of a plane of real numbers: m rows of n / 2 + 1 waves each,
// side by side. The other waves of a row are not there, and nobody needs them.
KERNEL solve_half(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n / 2 + 1 && y < m)
        c[y * (n / 2 + 1) + x] = make_float2(-3, 0);
}

KERNEL scale(float *u, unsigned n, unsigned m, float by)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        u[y * n + x] *= by;
}

// ---- 5: one kernel ----

LAUNCH(solve_fused, 32, 8);

// TODO 5: as solve_half, and all of u comes out scaled: there is no kernel behind the inverse
// transform. A wave is loaded and stored once, both parts at once. A fourth number in LAUNCH gives
// each thread so many rows, blockDim.y apart.
KERNEL solve_fused(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m, float scale)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n / 2 + 1 && y < m)
        c[y * (n / 2 + 1) + x] = make_float2(-3, 0);
}
