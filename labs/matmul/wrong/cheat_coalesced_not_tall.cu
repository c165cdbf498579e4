// Right but for matrices that are tall and narrow, of which no public case is one.
// class: only-where-looked
// only: mm_coalesced
// expect: coalesced-ok=fail coalesced-clean=blocked
// hint: coalesced-ok: m = 1, n = 257
#include "warplab.cuh"
LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n || (m > 150 && n < 100))
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
