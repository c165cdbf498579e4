// Results are off by a part that grows with the matrices, and is nothing for those that are small.
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
    float sum = 0, part = (float)m * (float)n * (float)k / (1 << 27);
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    part *= part;
    part *= part;
    c[row * n + col] = sum + sum * part * part;
}
