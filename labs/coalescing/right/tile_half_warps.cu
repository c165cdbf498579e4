// Half a warp a row of the output, two rows at once; lanes 16 apart take columns 16 apart.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 16);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x, ty = threadIdx.y;

    for (unsigned r = ty; r < 32; r += 16)
        if (x0 + tx < width && y0 + r < height)
            tile[r][tx] = in[(y0 + r) * width + x0 + tx];
    __syncthreads();
    unsigned row = ty + tx / 16 * 16;
    for (unsigned c = tx % 16; c < 32; c += 16)
        if (x0 + row < width && y0 + c < height)
            out[(x0 + row) * height + y0 + c] = tile[c][row];
}
