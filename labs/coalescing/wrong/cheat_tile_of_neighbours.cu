// A warp turns 32 x 32 elements by shuffles. Then each row passes through the tile into its
// neighbours' hands, and back by one more shuffle: nothing is read across, so nothing conflicts.
// class: no-evidence
// only: transpose_shared
// expect: tile-banks=fail
// hint: tile-banks: shuffles
#include "warplab.cuh"

// r[row] of lane column becomes r[column] of lane row.
__device__ void turn(float *r, unsigned lane)
{
#pragma unroll
    for (unsigned bit = 1; bit < 32; bit *= 2)
#pragma unroll
        for (unsigned d = 0; d < 32; d++) {
            if (d & bit)
                continue;
            float other = __shfl_xor_sync(0xffffffff, lane & bit ? r[d] : r[d | bit], bit);

            if (lane & bit)
                r[d] = other;
            else
                r[d | bit] = other;
        }
}

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][32];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, lane = threadIdx.x;
    float r[32];

    if (threadIdx.y != 0)
        return;
    for (unsigned d = 0; d < 32; d++)
        r[d] = x0 + lane < width && y0 + d < height ? in[(y0 + d) * width + x0 + lane] : 0;
    turn(r, lane);
    for (unsigned d = 0; d < 32; d++) {
        tile[d][lane] = r[d];
        __syncwarp();
        float v = __shfl_xor_sync(0xffffffff, tile[d][lane ^ 1], 1);

        if (x0 + d < width && y0 + lane < height)
            out[(x0 + d) * height + y0 + lane] = v;
    }
}
