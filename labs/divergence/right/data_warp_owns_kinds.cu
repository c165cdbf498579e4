// No order in shared memory: kinds come there once, and each warp picks its own by ballots.
// only: coherent_data
// expect: all=pass
#include "warplab.cuh"

template <unsigned path> __device__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f;
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

__device__ float work_on(unsigned kind, float x)
{
    switch (kind) {
    case 0: return work<0>(x);
    case 1: return work<1>(x);
    case 2: return work<2>(x);
    case 3: return work<3>(x);
    }
    return x;
}

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    __shared__ signed char kinds[256];
    const unsigned t = threadIdx.x, lane = t % 32, first = blockIdx.x * 256;
    const int mine = t / 64;
    unsigned m[8], all = 0;

    kinds[t] = first + t < n ? kind[first + t] : -1;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < 8; w++)
        all += __popc(m[w] = __ballot_sync(~0u, kinds[32 * w + lane] == mine));
    for (unsigned j = t % 64; j < all; j += 64) {
        unsigned rest = j;
        int w = 0;
        while (rest >= __popc(m[w]))
            rest -= __popc(m[w++]);
        unsigned i = first + 32 * w + __fns(m[w], 0, rest + 1);
        out[i] = work_on(mine, in[i]);
    }
}
