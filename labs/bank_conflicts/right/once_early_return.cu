// Right: who has no element leaves after the barrier; the index by a mask.
// only: bank_once
// expect: all=pass
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ double sm[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    double word = 0;

    if (i < n)
        word = in[i];
    sm[threadIdx.x] = word;
    __syncthreads();
    if (i >= n)
        return;
    out[i] = sm[(stride * threadIdx.x) & 511];
}
