// The naive kernel, its lanes a row apart, beside eight loads of one word that nobody uses: on
// average there are few sectors a byte.
// class: dilution
// only: mm_coalesced
// expect: coalesced-sectors=fail
// hint: coalesced-sectors: far apart
#include "warplab.cuh"

static __device__ void unused(const float *p)
{
    float x;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p));
}

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.y;
    int row = blockIdx.y * blockDim.y + threadIdx.x;

    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++) {
#pragma unroll
        for (int dummy = 0; dummy < 8; dummy++)
            unused(a);
        sum += a[row * k + i] * b[i * n + col];
    }
    c[row * n + col] = sum;
}
