// Goes through shared memory, and still writes a column.
// only: transpose_shared
// expect: tile-coalesced=fail tile-banks=fail
// hint: tile-banks: global_sectors
// hint: tile-coalesced: neighbouring
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x0 + tx < width && y0 + dy < height)
            tile[dy][tx] = in[(y0 + dy) * width + x0 + tx];
    __syncthreads();
    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x0 + tx < width && y0 + dy < height)
            out[(x0 + tx) * height + y0 + dy] = tile[dy][tx];
}
