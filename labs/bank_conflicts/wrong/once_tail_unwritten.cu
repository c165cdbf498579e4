// Past the end of the input nobody stores a zero.
// only: bank_once
// expect: once-ok=fail once-clean=fail
// hint: once-ok: are wrong
// hint: once-clean: never written
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ double sm[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        sm[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n)
        out[i] = sm[stride * threadIdx.x % 512];
}
