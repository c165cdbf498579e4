// Right, but one thread of each block does the work of all, and of large matrices comes to no end.
// only: mm_coalesced
// expect: coalesced-ok=fail coalesced-sectors=fail
// hint: coalesced-ok: did not come to an end
// hint: coalesced-sectors: sectors of global memory in all, expected at most
// score: 1
#include "warplab.cuh"

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x != 0 || threadIdx.y != 0)
        return;
    for (int y = row; y < row + blockDim.y && y < m; y++)
        for (int x = col; x < col + blockDim.x && x < n; x++) {
            float sum = 0;
            for (int i = 0; i < k; i++)
                sum += a[y * k + i] * b[i * n + x];
            c[y * n + x] = sum;
        }
}
