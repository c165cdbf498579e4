// Right: each warp has a tile of its own and waits for nobody else; in conv_multi a thread makes
// three outputs.
// only: conv_shared conv_multi
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128
#define WARPS     (BLOCK / 32)

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float tiles[WARPS][32 + MAX_WIDTH - 1];
    int lane = threadIdx.x % 32, i = blockIdx.x * BLOCK + threadIdx.x, first = i - lane;
    float *tile = tiles[threadIdx.x / 32], sum = 0;

    for (int j = lane; j < 32 + width - 1 && first + j < n + width - 1; j += 32)
        tile[j] = in[first + j];
    __syncwarp();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * tile[lane + j];
    out[i] = sum;
}

__constant__ float conv_weights[MAX_WIDTH];

#define V 3

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tiles[WARPS][32 * V + MAX_WIDTH - 1];
    int lane = threadIdx.x % 32, first = (blockIdx.x * BLOCK + threadIdx.x - lane) * V;
    float *tile = tiles[threadIdx.x / 32], *mine = tile + lane * V;
    float sum[V] = {};

    for (int j = lane; j < 32 * V + width - 1; j += 32)
        tile[j] = first + j < n + width - 1 ? in[first + j] : 0;
    __syncwarp();
    float x0 = mine[0], x1 = mine[1];
    for (int j = 0; j < width; j++) {
        float x2 = mine[j + 2], w = conv_weights[j];
        sum[0] += w * x0;
        sum[1] += w * x1;
        sum[2] += w * x2;
        x0 = x1;
        x1 = x2;
    }
    for (int o = 0; o < V; o++)
        if (first + lane * V + o < n)
            out[first + lane * V + o] = sum[o];
}
