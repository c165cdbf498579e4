// Elements of a are numbered with 16 bits: right while a is small.
// class: only-where-looked
// only: mm_coalesced
// expect: coalesced-ok=fail
// hint: coalesced-ok: more than 65,536 inputs
#include "warplab.cuh"

LAUNCH(mm_coalesced, 32, 8, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[(unsigned short)(row * k + i)] * b[i * n + col];
    c[row * n + col] = sum;
}
