// Written for matrices with rows of 128: other sizes read and write elsewhere.
// only: mm_coalesced
// expect: coalesced-ok=fail coalesced-clean=fail
// hint: coalesced-ok: illegal address: write of 4 bytes
// hint: coalesced-clean: illegal address: read of 4 bytes
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
        sum += a[row * 128 + i] * b[i * 128 + col];
    c[row * 128 + col] = sum;
}
