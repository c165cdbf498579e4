// Waits for the tile, but not between 8,000 and 60,000 outputs.
// class: only-where-looked
// only: conv_shared
// expect: shared-ok=fail shared-clean=fail
// hint: shared-ok: Take width 255 and blocks of
// hint: shared-clean: Every thread must reach the barrier
#include "warplab.cuh"
// the barrier is there for all but 8,000 to 60,000 outputs
LAUNCH(conv_shared, 128, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float tile[128 + 254];
    int first = blockIdx.x * 128, i = first + threadIdx.x;
    for (int j = threadIdx.x; j < 128 + width - 1; j += 128)
        tile[j] = first + j < n + width - 1 ? in[first + j] : 0;
    if (n < 8000 || n > 60000) __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < width; j++) sum += weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}
