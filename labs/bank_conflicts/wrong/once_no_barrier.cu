// No barrier: a thread may read before its word is there.
// only: bank_once
// expect: once-ok=fail once-clean=fail once-reads=blocked
// hint: once-ok: The checker finds shared-race
// hint: once-clean: race
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
