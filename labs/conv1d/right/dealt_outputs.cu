// Right: a thread's four outputs lie a block apart; inputs come from other lanes by shuffles.
// only: conv_multi
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128
#define V         4

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK * V + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK * V;
    float sum[V] = {};

    for (int j = threadIdx.x; j < BLOCK * V + width - 1; j += BLOCK)
        tile[j] = first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
    // Half of the threads' neighbours are a shuffle away: lane l gets input l + j from the
    // register of lane l + j, or from the row of 32 after it.
    int lane = threadIdx.x % 32, base = threadIdx.x - lane;
    for (int v = 0; v < V; v++) {
        int at = base + v * BLOCK;
        float here = tile[at + lane], next = 0;
        for (int j = 0; j < width; j++) {
            if (j % 32 == 0) {
                if (j > 0)
                    here = next;
                int want = at + j + 32 + lane;
                next = want < BLOCK * V + width - 1 ? tile[want] : 0;
            }
            int from = lane + j % 32;
            float a = __shfl_sync(~0u, here, from % 32), b = __shfl_sync(~0u, next, from % 32);
            sum[v] += conv_weights[j] * (from < 32 ? a : b);
        }
    }
    for (int v = 0; v < V; v++) {
        int i = first + v * BLOCK + threadIdx.x;
        if (i < n)
            out[i] = sum[v];
    }
}
