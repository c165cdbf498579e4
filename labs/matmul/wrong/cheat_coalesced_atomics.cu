// The naive kernel, its lanes a row apart; what it reads at far addresses it reads with an atomic that
// changes nothing, and that is no load.
// class: elsewhere
// only: mm_coalesced
// expect: coalesced-sectors=fail
// hint: coalesced-sectors: far apart
#include "warplab.cuh"

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.y;
    int row = blockIdx.y * blockDim.y + threadIdx.x;

    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++) {
        int word = atomicOr((int *)&a[row * k + i], 0);
        sum += __int_as_float(word) * b[i * n + col];
    }
    c[row * n + col] = sum;
}
