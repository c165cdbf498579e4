// Lanes tell each other their bits by votes, and each keeps a row; the tile is passed through by the thread that filled it.
// class: elsewhere
// only: transpose_padded
// expect: padded-banks=fail
// hint: padded-banks: 32 banks
#include "warplab.cuh"

LAUNCH(transpose_padded, 32, 1, 32);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ volatile float tile[32][33];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32;
    unsigned bits[32] = {};

#pragma unroll 1
    for (int r = 0; r < 32; r++) {
        unsigned v = 0;

        if (y + r < m && x < n) {
            tile[r][tx] = in[(y + r) * n + x];
            v = __float_as_uint(tile[r][tx]);
        }
#pragma unroll
        for (int b = 0; b < 32; b++) {
            unsigned mask = __ballot_sync(0xffffffff, v >> b & 1);

            bits[b] = tx == r ? mask : bits[b];
        }
    }
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32;
#pragma unroll 1
    for (int r = 0; r < 32; r++) {
        unsigned v = 0;

#pragma unroll
        for (int b = 0; b < 32; b++)
            v |= (bits[b] >> r & 1) << b;
        if (y + r < n && x < m)
            out[(y + r) * m + x] = __uint_as_float(v);
    }
}
