// Right: the array is dynamic shared memory, and is set to zero before anything is put there.
// only: bank_once
// expect: all=pass
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1, 4096);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    extern __shared__ __align__(16) char bytes[];
    double *words = reinterpret_cast<double *>(bytes), *mine = words + threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    *mine = 0;
    if (i < n)
        *mine = in[i];
    __syncthreads();
    if (i < n)
        out[i] = words[((unsigned)stride * threadIdx.x) & 511];
}
