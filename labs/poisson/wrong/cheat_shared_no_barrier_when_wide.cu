// There is no barrier where a plane has more than 300 columns.
// class: only-where-looked
// only: solve_shared
// expect: shared-clean=fail
// hint: shared-clean: Run it with CHECK=1: it names
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

enum { MOST = 32 }; // a block is at most so wide, and so high

KERNEL solve_shared(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    __shared__ float across[MOST], down[MOST];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (threadIdx.y == 0 && x < n)
        across[threadIdx.x] = kx[x];
    if (threadIdx.x == 0 && y < m)
        down[threadIdx.y] = ky[y];
    if (n < 301)
        __syncthreads();
    if (x < n && y < m) {
        float a = across[threadIdx.x], b = down[threadIdx.y];
        float by = x || y ? -1 / (a * a + b * b) : 0;
        float2 wave = c[y * n + x];

        c[y * n + x] = make_float2(wave.x * by, wave.y * by);
    }
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

// n / 2 + 1 waves a row: the others are these, conjugated.
KERNEL solve_half(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n / 2 + 1 && y < m) {
        unsigned i = y * (n / 2 + 1) + x;
        float by = i ? -1 / (kx[x] * kx[x] + ky[y] * ky[y]) : 0;

        c[i].x *= by;
        c[i].y *= by;
    }
}

KERNEL scale(float *u, unsigned n, unsigned m, float by)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < m)
        u[y * n + x] *= by;
}

// ---- 5: one kernel ----

LAUNCH(solve_fused, 256, 1, 2);

// The transforms are linear: what is scaled in between is scaled at the end. The plane is one long
// row of waves here, and a thread has two neighbours of it, a float4: rows of n / 2 + 1 waves begin
// anywhere, and would leave the last block of each with hardly a wave.
KERNEL solve_fused(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m, float scale)
{
    unsigned columns = n / 2 + 1, all = columns * m;
    unsigned i = 2 * ((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x);

    if (i >= all)
        return;
    unsigned x = i % columns, y = i / columns;
    float by = i ? __fdividef(-scale, kx[x] * kx[x] + ky[y] * ky[y]) : 0;
    if (i + 1 == all) {
        c[i] = make_float2(c[i].x * by, c[i].y * by);
        return;
    }
    float4 two = *(float4 *)(c + i);
    if (++x == columns)
        x = 0, y++;
    float next = __fdividef(-scale, kx[x] * kx[x] + ky[y] * ky[y]);
    *(float4 *)(c + i) = make_float4(two.x * by, two.y * by, two.z * next, two.w * next);
}
