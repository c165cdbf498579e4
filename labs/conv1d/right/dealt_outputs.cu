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
    // Lane l wants input l + j. It is in the register of lane (l + j) % 32, which offers the
    // row of 32 that l is in, or the next one to lanes that have come round.
    int lane = threadIdx.x % 32, base = threadIdx.x - lane;
    for (int v = 0; v < V; v++) {
        int at = base + v * BLOCK + lane;
        float here = tile[at], next = 0;
        for (int j = 0; j < width; j++) {
            int turn = j % 32;
            if (turn == 0) {
                here = j > 0 ? next : here;
                next = at + j + 32 < BLOCK * V + width - 1 ? tile[at + j + 32] : 0;
            }
            float offer = lane >= turn ? here : next;
            sum[v] += conv_weights[j] * __shfl_sync(~0u, offer, (lane + turn) % 32);
        }
    }
    for (int v = 0; v < V; v++) {
        int i = first + v * BLOCK + threadIdx.x;
        if (i < n)
            out[i] = sum[v];
    }
}
