// Right but for great widths of more than 2,000 outputs, of which no public case has both.
// class: only-where-looked
// only: conv_const
// expect: const-ok=fail
// hint: const-ok: Is it conv_shared but for the
#include "warplab.cuh"
// a tile of 192: with a width above 65 and more than 2000 outputs the halo is read from the wrong end
__constant__ float conv_weights[255];
LAUNCH(conv_const, 128, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[128 + 254];
    int first = blockIdx.x * 128, i = first + threadIdx.x;
    int most = width > 130 && n > 2000 ? 128 + 129 : 128 + width - 1;
    for (int j = threadIdx.x; j < 128 + width - 1; j += 128)
        tile[j] = j < most && first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < width; j++) sum += conv_weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}
