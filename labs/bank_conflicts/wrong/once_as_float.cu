// Keeps floats in place of doubles.
// only: bank_once
// expect: once-ok=fail once-reads=blocked
// hint: once-ok: results are wrong
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ float sm[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    sm[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = sm[stride * threadIdx.x % 512];
}
