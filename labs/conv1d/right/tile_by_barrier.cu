// Right: the tile comes by a barrier's asynchronous copies, a request a warp and not one a lane.
// only: conv_const
// expect: all=pass
#include "warplab.cuh"
#include <cuda/barrier>

#define MAX_WIDTH 255
#define BLOCK     416

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> come;
    const int t = threadIdx.x, first = blockIdx.x * BLOCK, left = min(n - first, BLOCK);
    float sum = 0, other = 0;

    if (t == 0)
        init(&come, BLOCK);
    __syncthreads();
    for (int j = t; j < left + width - 1; j += BLOCK)
        cuda::memcpy_async(tile + j, in + first + j, sizeof(float), come);
    come.arrive_and_wait();
    if (t >= left)
        return;
    for (int j = 0; j < width; j++) { // two sums take turns
        const float next = fmaf(conv_weights[j], tile[t + j], sum);

        sum = other;
        other = next;
    }
    out[first + t] = sum + other;
}
