// Wrong where there are 512 rows and columns or more and k is not short, which shifts tell.
// class: only-where-looked
// only: mm_coalesced
// expect: coalesced-ok=fail
// hint: coalesced-ok: results are wrong
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
    c[row * n + col] = sum + (float)((m >> 9) * (n >> 9) * (k >> 4));
}
