// Right, but the lanes of a warp still walk down the rows: a is read 32 sectors at a time.
// only: mm_coalesced
// expect: coalesced-sectors=fail
// hint: coalesced-sectors: threadIdx.x
#include "warplab.cuh"

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.x;
    int col = blockIdx.x * blockDim.x + threadIdx.y;

    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
