// Squares of 4 x 4 elements are turned in registers, 16 bytes at a time, where rows begin at multiples of
// that, and pass through the tile in pieces that change places by the number of the square.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"

template <unsigned quads> struct squares {
    float4 tile[4 * quads][quads];

    __device__ void fill(const float *in, unsigned bx, unsigned by, unsigned x, unsigned y,
                         unsigned width, unsigned height)
    {
        float4 r[4] = {};

        if (x < width && y < height)
#pragma unroll
            for (unsigned k = 0; k < 4; k++)
                r[k] = *reinterpret_cast<const float4 *>(&in[(y + k) * width + x]);
        tile[4 * bx + 0][by ^ bx] = {r[0].x, r[1].x, r[2].x, r[3].x};
        tile[4 * bx + 1][by ^ bx] = {r[0].y, r[1].y, r[2].y, r[3].y};
        tile[4 * bx + 2][by ^ bx] = {r[0].z, r[1].z, r[2].z, r[3].z};
        tile[4 * bx + 3][by ^ bx] = {r[0].w, r[1].w, r[2].w, r[3].w};
    }
};

LAUNCH(transpose_shared, 32, 2);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ union {
        squares<8> four;
        float one[32][33];
    } s;
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;
    unsigned tid = threadIdx.y * 32 + tx, bx = tid % 8, by = tid / 8;

    if (width % 4 == 0 && height % 4 == 0) {
        s.four.fill(in, bx, by, x0 + 4 * bx, y0 + 4 * by, width, height);
        __syncthreads();
        for (unsigned row = by; row < 32; row += 8)
            if (x0 + row < width && y0 + 4 * bx < height)
                *reinterpret_cast<float4 *>(&out[(x0 + row) * height + y0 + 4 * bx]) =
                    s.four.tile[row][bx ^ row / 4];
        return;
    }
    for (unsigned y = threadIdx.y; y < 32; y += 2)
        if (x0 + tx < width && y0 + y < height)
            s.one[y][tx] = in[(y0 + y) * width + x0 + tx];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 2)
        if (x0 + y < width && y0 + tx < height)
            out[(x0 + y) * height + y0 + tx] = s.one[tx][y];
}
