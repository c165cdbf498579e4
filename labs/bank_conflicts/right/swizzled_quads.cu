// Right: squares of 4 x 4 elements are turned in registers, 16 bytes at a time; pieces of a row change
// places by the number of the square. Where rows do not begin at multiples of 16 bytes, word by word.
// only: transpose_swizzled
// expect: all=pass
#include "warplab.cuh"

#define TILE  32
#define QUADS (TILE / 4)

static __device__ void quads(float4 *tile, const float *in, float *out, int m, int n, int x0, int y0)
{
    int tid = threadIdx.y * TILE + threadIdx.x, bx = tid % QUADS, by = tid / QUADS;
    int x = x0 + 4 * bx, y = y0 + 4 * by;
    float v[4][4] = {};

    if (x < n && y < m)
#pragma unroll
        for (int r = 0; r < 4; r++)
            *reinterpret_cast<float4 *>(v[r]) =
                *reinterpret_cast<const float4 *>(&in[(y + r) * n + x]);
#pragma unroll
    for (int c = 0; c < 4; c++)
        tile[(4 * bx + c) * QUADS + (by ^ bx)] = make_float4(v[0][c], v[1][c], v[2][c], v[3][c]);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; r++) {
        int row = r * QUADS + by, at = y0 + 4 * bx;

        if (x0 + row < n && at < m)
            *reinterpret_cast<float4 *>(&out[(x0 + row) * m + at]) =
                tile[row * QUADS + (bx ^ row / 4)];
    }
}

LAUNCH(transpose_swizzled, TILE, 2, TILE / 2);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ __align__(16) float tile[TILE][TILE];
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE, lane = threadIdx.x;

    if (m % 4 == 0 && n % 4 == 0) {
        quads(reinterpret_cast<float4 *>(tile), in, out, m, n, x0, y0);
        return;
    }
    for (int r = threadIdx.y; r < TILE; r += 2)
        if (y0 + r < m && x0 + lane < n)
            tile[r][lane ^ r] = in[(y0 + r) * n + x0 + lane];
    __syncthreads();
    for (int r = threadIdx.y; r < TILE; r += 2)
        if (x0 + r < n && y0 + lane < m)
            out[(x0 + r) * m + y0 + lane] = tile[lane][r ^ lane];
}
