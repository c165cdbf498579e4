// Right: what rounding takes from a sum is added up beside it, and everybody ends with the result.
// only: dot_rows
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

// A butterfly: in each round everybody joins what he has with what a partner has, and all of them
// end up with the result. Two arrays take turns, so that one barrier a round is enough.
template <class T, class F> __device__ T butterfly(T v, F join)
{
    __shared__ T turn[2][BLOCK];
    unsigned p = 0;

#pragma unroll
    for (unsigned d = 1; d < BLOCK; d <<= 1, p ^= 1) {
        turn[p][threadIdx.x] = v;
        __syncthreads();
        v = join(v, turn[p][threadIdx.x ^ d]);
    }
    return v;
}

// What a rounded sum leaves behind is added up beside it. Where the sum is no number, or infinite,
// what was left behind says nothing.
struct exact {
    float sum, rest;
};

__device__ exact plus(exact a, exact b)
{
    float s = a.sum + b.sum, part = s - a.sum;
    float lost = (a.sum - (s - part)) + (b.sum - part);

    return {s, lost + (a.rest + b.rest)};
}

KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    const size_t row = (size_t)blockIdx.x * n;
    exact v = {0, 0};

    for (unsigned i = threadIdx.x; i < n; i += BLOCK) {
        float a = x[row + i], b = y[row + i], p = a * b;

        v = plus(v, {p, fmaf(a, b, -p)});
    }
    v = butterfly(v, [](exact a, exact b) { return plus(a, b); });
    if (threadIdx.x == 0)
        out[blockIdx.x] = isfinite(v.sum) && isfinite(v.rest) ? v.sum + v.rest : v.sum;
}
