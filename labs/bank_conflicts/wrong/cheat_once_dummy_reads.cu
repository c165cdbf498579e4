// The words come from global memory; what is read from shared memory is thrown away.
// class: no-evidence
// only: bank_once
// expect: once-reads=fail
// hint: once-reads: one load from there
// score: 2
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ double sm[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = blockIdx.x * blockDim.x + stride * threadIdx.x % 512;

    sm[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();

    double x = sm[stride * threadIdx.x % 512];

    if (i < n)
        out[i] = x == 0.3125 ? x : from < n ? in[from] : 0;
}
