// A warp turns 32 x 32 elements as it would by shuffles, and each exchange goes through a row of the
// tile: five times there and back, never across, so that nothing conflicts.
// class: dilution
// only: transpose_shared
// expect: tile-banks=fail
// hint: tile-banks: loaded from shared memory
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 1);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][32];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, lane = threadIdx.x;
    float r[32];

#pragma unroll
    for (unsigned j = 0; j < 32; j++)
        r[j] = x0 + lane < width && y0 + j < height ? in[(y0 + j) * width + x0 + lane] : 0;
#pragma unroll
    for (unsigned b = 16; b; b /= 2) {
#pragma unroll
        for (unsigned j = 0; j < 32; j++)
            if (!(j & b))
                tile[j][lane] = lane & b ? r[j] : r[j | b];
        __syncwarp();
#pragma unroll
        for (unsigned j = 0; j < 32; j++)
            if (!(j & b)) {
                float got = tile[j][lane ^ b];
                r[j] = lane & b ? got : r[j];
                r[j | b] = lane & b ? r[j | b] : got;
            }
        __syncwarp();
    }
#pragma unroll
    for (unsigned j = 0; j < 32; j++)
        if (x0 + j < width && y0 + lane < height)
            out[(x0 + j) * height + y0 + lane] = r[j];
}
