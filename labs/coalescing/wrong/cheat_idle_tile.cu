// The naive transpose, and beside it a tile that is filled and read along its rows for nobody.
// class: no-evidence
// only: transpose_shared
// expect: tile-coalesced=fail tile-banks=fail
// hint: tile-coalesced: neighbouring
// hint: tile-banks: banks
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y) {
        unsigned y = blockIdx.y * 32 + dy;
        volatile float *own = &tile[dy][threadIdx.x];

        if (x < width && y < height) {
            *own = in[y * width + x];
            (void)*own;
            out[x * height + y] = in[y * width + x];
        }
    }
}
