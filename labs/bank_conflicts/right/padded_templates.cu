// Right: one template for tiles of any pitch, unrolled; threads past the edges leave after the barrier.
// only: transpose_padded
// expect: all=pass
#include "warplab.cuh"

template <int pitch, int step> static __device__ void turn(const float *in, float *out, int m, int n)
{
    __shared__ float tile[32 * pitch];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + threadIdx.y;

#pragma unroll
    for (int r = 0; r < 32; r += step)
        if (y + r < m && x < n)
            tile[(threadIdx.y + r) * pitch + tx] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32 + threadIdx.y;
    if (x >= m)
        return;
#pragma unroll
    for (int r = 0; r < 32; r += step)
        if (y + r < n)
            out[(y + r) * m + x] = tile[tx * pitch + threadIdx.y + r];
}

LAUNCH(transpose_padded, 32, 2, 16);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    turn<35, 2>(in, out, m, n);
}
