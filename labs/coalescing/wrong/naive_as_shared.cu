// The naive transpose under the other name.
// only: transpose_shared
// expect: tile-coalesced=fail tile-banks=fail
// hint: tile-coalesced: sectors stored to global memory, expected at most
// hint: tile-banks: bytes loaded from shared memory, expected at least
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x;

    for (unsigned y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += blockDim.y)
        if (x < width && y < height)
            out[x * height + y] = in[y * width + x];
}
