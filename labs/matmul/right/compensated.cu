// Right: every product and sum carries its rounding error along (Ogita, Rump, Oishi: Dot2), and the rows
// are walked with a stride of the grid, so that any grid would do.
// only: mm_coalesced
// expect: all=pass
#include "warplab.cuh"

LAUNCH(mm_coalesced, 32, 4, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < m; row += gridDim.y * blockDim.y)
        for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < n;
             col += gridDim.x * blockDim.x) {
            float sum = 0, lost = 0;
            for (int i = 0; i < k; i++) {
                float x = a[row * k + i], y = b[i * n + col];
                float product = __fmul_rn(x, y), rest = __fmaf_rn(x, y, -product);
                float next = __fadd_rn(sum, product), part = __fsub_rn(next, sum);
                lost += rest + __fadd_rn(__fsub_rn(sum, __fsub_rn(next, part)),
                                         __fsub_rn(product, part));
                sum = next;
            }
            c[row * n + col] = sum + lost;
        }
}
