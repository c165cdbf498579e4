// Goes round after 256 words.
// only: bank_once
// expect: once-ok=fail
// hint: once-ok: % 512
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ double sm[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    sm[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = sm[stride * threadIdx.x % 256];
}
