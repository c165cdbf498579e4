// The matrix is read by columns and written by rows. Loads of a word that nobody needs bring the
// average down to what a row has, and loads of the tile that nobody needs have no conflicts.
// class: dilution
// only: transpose_shared
// expect: tile-coalesced=fail tile-banks=fail
// hint: tile-coalesced: neighbouring
// hint: tile-banks: banks
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned y = blockIdx.y * 32 + threadIdx.x;
    const volatile float *one = in;
    volatile float *own = &tile[threadIdx.y][threadIdx.x];

    for (unsigned dx = threadIdx.y; dx < 32; dx += blockDim.y) {
        unsigned x = blockIdx.x * 32 + dx;

        if (x < width && y < height) {
            out[x * height + y] = in[y * width + x];
#pragma unroll
            for (unsigned again = 0; again < 16; again++)
                (void)*one;
            *own = 0;
            (void)*own;
        }
    }
}
