// Reads the word from global memory: right, and nothing of shared memory is seen.
// only: bank_once
// expect: once-reads=fail
// hint: once-reads: one load from there
// score: 2
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = blockIdx.x * blockDim.x + stride * threadIdx.x % 512;

    if (i < n)
        out[i] = from < n ? in[from] : 0;
}
