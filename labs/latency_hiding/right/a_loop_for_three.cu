// Right: who has three walks, or numbers, goes through another loop than who has four. The warp in
// which both are takes both, one after the other.
// only: steps_4 walk_4
// expect: all=pass
#include "warplab.cuh"

// So many walks of a thread that has all of them: no guard in the loop.
template <int many>
__device__ void walks(const unsigned *next, unsigned *out, unsigned i, unsigned apart, unsigned m,
                      unsigned k)
{
    unsigned at[many];

    for (int j = 0; j < many; j++)
        at[j] = (i + j * apart) % m;
    for (; k >= 2; k -= 2)
#pragma unroll
        for (int both = 0; both < 2; both++)
#pragma unroll
            for (int j = 0; j < many; j++)
                at[j] = __ldg(next + at[j]);
    if (k)
        for (int j = 0; j < many; j++)
            at[j] = next[at[j]];
    for (int j = 0; j < many; j++)
        out[i + j * apart] = at[j];
}

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= threads)
        return;
    switch (1 + (n - 1 - i) / threads) {
    case 4: return walks<4>(next, out, i, threads, m, k);
    case 3: return walks<3>(next, out, i, threads, m, k);
    case 2: return walks<2>(next, out, i, threads, m, k);
    default: return walks<1>(next, out, i, threads, m, k);
    }
}

// The same of steps, whose numbers a thread has side by side in registers.
template <int many>
__device__ void chains(const float *x, const float *c, float *out, unsigned i, unsigned apart,
                       unsigned k)
{
    float at[many], add[many];

#pragma unroll
    for (int j = 0; j < many; j++)
        at[j] = x[i + j * apart], add[j] = c[i + j * apart];
    for (; k; k--)
#pragma unroll
        for (int j = 0; j < many; j++)
            at[j] = __fmaf_rn(at[j], at[j], add[j]);
#pragma unroll
    for (int j = 0; j < many; j++)
        out[i + j * apart] = at[j];
}

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= threads)
        return;
    switch (1 + (n - 1 - i) / threads) {
    case 4: return chains<4>(x, c, out, i, threads, k);
    case 3: return chains<3>(x, c, out, i, threads, k);
    case 2: return chains<2>(x, c, out, i, threads, k);
    default: return chains<1>(x, c, out, i, threads, k);
    }
}
