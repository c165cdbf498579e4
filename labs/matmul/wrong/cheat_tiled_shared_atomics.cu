// One output at a time: both operands of every product come from the tile, but by atomics that
// change nothing, which are no loads from shared memory.
// class: elsewhere
// only: mm_tiled
// expect: tiled-shared=fail
// hint: tiled-shared: how large is your V
#include "warplab.cuh"

#define L 32

static __device__ float fetch(float *p)
{
    return __int_as_float(atomicOr((int *)p, 0));
}

LAUNCH(mm_tiled, L, L, 1);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[L][L], sb[L][L];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * L + ty, col = blockIdx.x * L + tx;
    float sum = 0;

    for (int k0 = 0; k0 < k; k0 += L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
#pragma unroll 1
#pragma unroll 1
#pragma unroll 1
#pragma unroll 1
#pragma unroll 1
        for (int i = 0; i < L; i++)
            sum += fetch(&sa[ty][i]) * fetch(&sb[i][tx]);
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
