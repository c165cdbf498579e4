// Right but for widths of 64 and more with more than 55,000 outputs, of which no public case has both.
// class: only-where-looked
// only: conv_const
// expect: const-ok=fail
// hint: const-ok: Is it conv_shared but for the
#include "warplab.cuh"
// with a width of 64 and more and more than 55000 outputs the halo ends too early
__constant__ float conv_weights[255];
LAUNCH(conv_const, 128, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[128 + 254];
    int first = blockIdx.x * 128, i = first + threadIdx.x;
    int most = width > 63 && n > 55000 ? 128 + 61 : 128 + width - 1;
    for (int j = threadIdx.x; j < 128 + width - 1; j += 128)
        tile[j] = j < most && first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < width; j++) sum += conv_weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}
