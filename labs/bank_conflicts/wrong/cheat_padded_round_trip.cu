// Goes down the columns of in, without a tile; each element is put into shared memory and taken out again by the same thread.
// class: no-evidence
// only: transpose_padded
// expect: padded-banks=fail padded-coalesced=fail
// hint: padded-banks: 32 banks
// hint: padded-coalesced: fastest index
#include "warplab.cuh"

LAUNCH(transpose_padded, 32, 8, 4);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ volatile float tile[32][33];
    int tx = threadIdx.x, x = blockIdx.y * 32 + tx, y = blockIdx.x * 32;

    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < n && x < m) {
            tile[r][tx] = in[x * n + y + r];
            out[(y + r) * m + x] = tile[r][tx];
        }
}
