// The columns are read from one bank, and reads that nobody needs thin the conflicts out.
// class: dilution
// only: transpose_swizzled
// expect: swizzled-banks=fail swizzled-fast=fail
// hint: swizzled-fast: of its speed
// hint: swizzled-banks: column number
#include "warplab.cuh"

#define TILE 32
#define STEP 8

static __device__ unsigned address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE], idle[STEP][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx] = in[(y + r) * n + x];
    idle[threadIdx.y][tx] = 0;
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r];
    for (int k = 0; m * n < 20000 && k < 320; k++)
        asm volatile("{.reg .u32 t; ld.shared.u32 t, [%0]; ld.shared.u32 t, [%0+128]; ld.shared.u32 t, [%0+256];"
                     "ld.shared.u32 t, [%0+384]; ld.shared.u32 t, [%0+512]; ld.shared.u32 t, [%0+640];"
                     "ld.shared.u32 t, [%0+768]; ld.shared.u32 t, [%0+896];}" ::"r"(address(&idle[0][tx])));
}
