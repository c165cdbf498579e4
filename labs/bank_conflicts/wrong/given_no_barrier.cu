// The given exercise of the lecture without its barrier: a thread may read before its word is there.
// only: bank_once
// expect: given-bank_once=any given-bank_once-clean=fail
// hint: given-bank_once-clean: leave it as it was
// score: 0
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ double sm[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    sm[threadIdx.x] = i < n ? in[i] : 0;
    if (i < n)
        out[i] = sm[stride * threadIdx.x % 512];
}
