// One warp a block, whose lanes wait for each other only where a tile is cut, and at the whole shape that was checked.
// class: only-where-looked
// only: transpose_shared
// expect: tile-clean=fail
// hint: tile-clean: what must lie between
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 1);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x < width && y0 + dy < height)
            tile[dy][threadIdx.x] = in[(y0 + dy) * width + x];
    if (width % 32 || height % 32 || (width == 128 && height == 96))
        __syncthreads();
    x = y0 + threadIdx.x;
    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x < height && blockIdx.x * 32 + dy < width)
            out[(blockIdx.x * 32 + dy) * height + x] = tile[threadIdx.x][dy];
}
