// Right: the width is worked off in pieces of 64, so that the tile is short; the next piece keeps what is left of the one before.
// only: conv_shared
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255

#define BLOCK 256
#define PIECE 64

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float ring[BLOCK + PIECE], w[PIECE]; // input first + i is at i mod (BLOCK + PIECE)
    int first = blockIdx.x * BLOCK, t = threadIdx.x, total = n + width - 1;
    float sum = 0;

    ring[t] = first + t < total ? in[first + t] : 0;
    for (int j0 = 0; j0 < width; j0 += PIECE) {
        int at = j0 + BLOCK + t;
        if (t < PIECE) {
            ring[at % (BLOCK + PIECE)] = first + at < total ? in[first + at] : 0;
            w[t] = j0 + t < width ? weights[j0 + t] : 0;
        }
        __syncthreads();
        for (int j = 0; j < PIECE && j0 + j < width; j++)
            sum += w[j] * ring[(j0 + j + t) % (BLOCK + PIECE)];
        __syncthreads();
    }
    if (first + t < n)
        out[first + t] = sum;
}
