// Adds to what c held before, which nobody has set.
// only: mm_coalesced
// expect: coalesced-ok=fail coalesced-clean=blocked coalesced-sectors=blocked
// hint: coalesced-ok: never written
#include "warplab.cuh"

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] += sum;
}
