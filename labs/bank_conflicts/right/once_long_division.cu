// Right: a double's halves lie in two arrays, and the last block's idle warps are spared a long division.
// only: bank_once
// expect: all=pass
#include "warplab.cuh"

LAUNCH(bank_once, 512, 1, 1);
KERNEL bank_once(const double *in, double *out, int n, int stride)
{
    __shared__ int low[512], high[512];
    const int t = threadIdx.x, i = blockIdx.x * 512 + t;
    const double mine = i < n ? in[i] : 0;

    low[t] = __double2loint(mine);
    high[t] = __double2hiint(mine);
    __syncthreads();
    if (i < n) {
        unsigned from = stride * t;

        for (unsigned part = 1u << 31; part >= 512; part /= 2)
            if (from >= part)
                from -= part;
        out[i] = __hiloint2double(high[from], low[from]);
    }
}
