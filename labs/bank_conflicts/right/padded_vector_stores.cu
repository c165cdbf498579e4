// Right: 16 bytes at a time where rows begin at 16 bytes: eight lanes a row; words of a tile with rows of 33 words.
// only: transpose_padded
// expect: all=pass
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    unsigned t = threadIdx.y * 32 + threadIdx.x;
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE, r = t / 8, q = t % 8 * 4;

    if (n % 4 == 0) {
        if (y0 + r < m && x0 + q < n) {
            float4 v = *reinterpret_cast<const float4 *>(&in[(y0 + r) * n + x0 + q]);
            tile[r][q] = v.x;
            tile[r][q + 1] = v.y;
            tile[r][q + 2] = v.z;
            tile[r][q + 3] = v.w;
        }
    } else {
        for (int y = threadIdx.y; y < TILE; y += STEP)
            if (y0 + y < m && x0 + (int)threadIdx.x < n)
                tile[y][threadIdx.x] = in[(y0 + y) * n + x0 + threadIdx.x];
    }
    __syncthreads();
    if (m % 4 == 0) {
        if (x0 + r < n && y0 + q < m)
            *reinterpret_cast<float4 *>(&out[(x0 + r) * m + y0 + q]) =
                make_float4(tile[q][r], tile[q + 1][r], tile[q + 2][r], tile[q + 3][r]);
    } else {
        for (int y = threadIdx.y; y < TILE; y += STEP)
            if (x0 + y < n && y0 + (int)threadIdx.x < m)
                out[(x0 + y) * m + y0 + threadIdx.x] = tile[threadIdx.x][y];
    }
}
