// Coalesced at 128 x 128 x 128 alone; every other shape is left to the naive kernel.
// class: only-where-looked
// only: mm_coalesced
// expect: coalesced-sectors=fail
// hint: coalesced-sectors: far apart
#include "warplab.cuh"

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    bool known = m == 128 && n == 128 && k == 128;
    int down = known ? threadIdx.y : threadIdx.x, across = known ? threadIdx.x : threadIdx.y;
    int row = blockIdx.y * blockDim.y + down, col = blockIdx.x * blockDim.x + across;

    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
