// Right: 16-byte loads, whose four words go to four rows of a tile kept turned and exchanged.
// only: transpose_swizzled
// expect: all=pass
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    int t = threadIdx.y * 32 + tx, r = t / 8, q = t % 8 * 4;

    if (n % 4 == 0) {
        if (y0 + r < m && x0 + q < n) {
            float4 v = *reinterpret_cast<const float4 *>(in + (y0 + r) * n + x0 + q);
            tile[r][q ^ r] = v.x;
            tile[r][(q + 1) ^ r] = v.y;
            tile[r][(q + 2) ^ r] = v.z;
            tile[r][(q + 3) ^ r] = v.w;
        }
    } else
        for (int y = threadIdx.y; y < TILE; y += STEP)
            if (y0 + y < m && x0 + tx < n)
                tile[y][tx ^ y] = in[(y0 + y) * n + x0 + tx];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += STEP)
        if (x0 + y < n && y0 + tx < m)
            out[(x0 + y) * m + y0 + tx] = tile[tx][y ^ tx];
}
