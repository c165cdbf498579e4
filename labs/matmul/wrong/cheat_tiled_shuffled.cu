// A warp makes 64 x 128 outputs, and its lanes hand each other the operands by shuffles. Shared memory is
// read for nothing, but for the results, which pass through it.
// class: elsewhere
// only: mm_tiled
// expect: tiled-global=fail tiled-sectors=fail tiled-shared=fail
// hint: tiled-global: shuffles
// hint: tiled-sectors: Let neighbouring threads
// hint: tiled-shared: shuffles
#include "warplab.cuh"

#define VY 16
#define VX 16
// A warp makes 64 x 128 outputs: lanes 4 x 8, 16 x 16 outputs each.

LAUNCH(mm_tiled, 8, 4, 16);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float st[32];
    int tx = threadIdx.x, ty = threadIdx.y, lane = ty * 8 + tx;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 128;
    volatile float *own = &st[lane];
    *own = 0;
    float sum[VY][VX] = {};
    for (int i0 = 0; i0 < k; i0 += 32) {
        // lane l of round r has a[row0 + r][i0 + l]: coalesced
        float ar[64];
#pragma unroll
        for (int r = 0; r < 64; r++)
            ar[r] = row0 + r < m && i0 + lane < k ? a[(row0 + r) * k + i0 + lane] : 0;
#pragma unroll 1
        for (int i = 0; i < 32 && i0 + i < k; i++) {
            float bv[VX], br[4];
#pragma unroll
            for (int q = 0; q < 4; q++)
                br[q] = col0 + q * 32 + lane < n ? b[(i0 + i) * n + col0 + q * 32 + lane] : 0;
#pragma unroll
            for (int x = 0; x < VX; x++)
                bv[x] = __shfl_sync(~0u, br[x / 4], x % 4 * 8 + tx);
#pragma unroll
            for (int q = 0; q < 30; q++)
                (void)*own;
#pragma unroll
            for (int y = 0; y < VY; y++) {
                float av = 0;
#pragma unroll
                for (int z = 0; z < 4; z++) {
                    float t = __shfl_sync(~0u, ar[y * 4 + z], i);
                    if (z == ty)
                        av = t;
                }
#pragma unroll
                for (int x = 0; x < VX; x++)
                    sum[y][x] += av * bv[x];
            }
        }
    }
#pragma unroll
    for (int y = 0; y < VY; y++)
#pragma unroll
        for (int x = 0; x < VX; x++) {
            int row = row0 + y * 4 + ty, col = col0 + x * 8 + tx;
            *own = sum[y][x];
            if (row < m && col < n)
                c[row * n + col] = *own;
        }
}
