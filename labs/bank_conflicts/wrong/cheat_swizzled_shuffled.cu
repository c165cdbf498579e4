// The tile is turned by shuffles, from lane to lane; shared memory holds what nobody asks for.
// class: elsewhere
// only: transpose_swizzled
// expect: swizzled-banks=fail
// hint: swizzled-banks: column number
#include "warplab.cuh"

#define TILE 32

LAUNCH(transpose_swizzled, TILE, 1, TILE);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ volatile float tile[TILE][TILE];
    int lane = threadIdx.x, x = blockIdx.x * TILE + lane, y = blockIdx.y * TILE;
    float row[TILE];

#pragma unroll
    for (int r = 0; r < TILE; r++)
        row[r] = y + r < m && x < n ? in[(y + r) * n + x] : 0;
#pragma unroll
    for (int bit = 1; bit < TILE; bit *= 2) // halves change places, at each size
#pragma unroll
        for (int r = 0; r < TILE; r++)
            if (!(r & bit)) {
                float give = lane & bit ? row[r] : row[r + bit];
                float take = __shfl_xor_sync(0xffffffff, give, bit);

                if (lane & bit)
                    row[r] = take;
                else
                    row[r + bit] = take;
            }
    x = blockIdx.y * TILE + lane;
    y = blockIdx.x * TILE;
#pragma unroll
    for (int r = 0; r < TILE; r++) {
        tile[r][lane] = row[r];
        (void)tile[r][lane];
        if (y + r < n && x < m)
            out[(y + r) * m + x] = row[r];
    }
}
