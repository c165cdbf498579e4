// A block is one warp, which waits for nobody above 40,000 elements.
// class: only-where-looked
// only: transpose_padded
// expect: padded-clean=fail
// hint: padded-clean: is there a barrier
#include "warplab.cuh"
LAUNCH(transpose_padded, 32, 1, 32);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[32 * 33];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 1)
        if (y + r < m && x < n)
            tile[r * 33 + tx] = in[(y + r) * n + x];
    if (m * n <= 40000)
        __syncwarp();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 1)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx * 33 + r];
}
