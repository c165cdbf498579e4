// The naive transpose, each element of which goes through the tile into its own thread's hands
// again: no conflict, as nothing is exchanged.
// class: no-evidence
// only: transpose_shared
// expect: tile-coalesced=fail tile-banks=fail
// hint: tile-coalesced: neighbouring
// hint: tile-banks: banks
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ volatile float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, tx = threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y) {
        unsigned y = blockIdx.y * 32 + dy;

        if (x < width && y < height) {
            tile[dy][tx] = in[y * width + x];
            out[x * height + y] = tile[dy][tx];
        }
    }
}
