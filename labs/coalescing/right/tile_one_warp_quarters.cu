// One warp a block, which turns the tile in four pieces of eight rows.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 1);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float piece[8][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, l = threadIdx.x;

    for (unsigned p = 0; p < 32; p += 8) {
#pragma unroll
        for (unsigned r = 0; r < 8; r++)
            if (x0 + l < width && y0 + p + r < height)
                piece[r][l] = in[(y0 + p + r) * width + x0 + l];
        __syncwarp();
        // eight words of four rows of the output: a sector of each
#pragma unroll
        for (unsigned c = 0; c < 8; c++) {
            unsigned row = c + l / 8 * 8, from = l % 8;
            if (x0 + row < width && y0 + p + from < height)
                out[(x0 + row) * height + y0 + p + from] = piece[from][row];
        }
        __syncwarp();
    }
}
