// The guard lets one row too many through: it loads and stores past the end.
// only: mm_coalesced
// expect: coalesced-ok=fail coalesced-clean=fail
// hint: coalesced-clean: last blocks
// hint: coalesced-ok: illegal address: read of 4 bytes
#include "warplab.cuh"

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row > m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
