// Through a tile where all tiles are whole, and down the columns of out at other shapes.
// class: only-where-looked
// only: transpose_shared
// expect: tile-coalesced=fail tile-banks=fail
// hint: tile-coalesced: Neighbouring lanes
// hint: tile-banks: longer
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;

    if (width % 32 || height % 32) {
        for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
            if (x < width && y0 + dy < height)
                out[x * height + y0 + dy] = in[(y0 + dy) * width + x];
        return;
    }
    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x < width && y0 + dy < height)
            tile[dy][threadIdx.x] = in[(y0 + dy) * width + x];
    __syncthreads();
    x = y0 + threadIdx.x;
    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x < height && blockIdx.x * 32 + dy < width)
            out[(blockIdx.x * 32 + dy) * height + x] = tile[threadIdx.x][dy];
}
