// Right: blocks of 8 x 8: a warp has four rows, whose words are whole sectors still.
// only: mm_coalesced
// expect: all=pass
#include "warplab.cuh"

LAUNCH(mm_coalesced, 8, 8, 1);
KERNEL mm_coalesced(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= m || col >= n)
        return;
    const float *pa = a + (size_t)row * k, *pb = b + col;
    float sum = 0;
#pragma unroll 4
    for (int i = k; i > 0; i--, pb += n)
        sum += *pa++ * __ldg(pb);
    c[(size_t)row * n + col] = sum;
}
