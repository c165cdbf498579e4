// Stores at the stride and reads in a row: the turn is the wrong way, and words meet.
// only: bank_once
// expect: once-ok=fail once-clean=fail
// hint: once-ok: stores at t
// hint: once-clean: race in shared memory
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ double sm[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    sm[stride * threadIdx.x % 512] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = sm[threadIdx.x];
}
