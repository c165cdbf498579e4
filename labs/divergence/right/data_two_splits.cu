// A radix sort by hand: two splits by a bit, values and kinds move with it.
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

struct item {
    float x;
    unsigned short place, kind;
};

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    __shared__ item items[2][256];
    __shared__ unsigned zeros[8];
    unsigned t = threadIdx.x, lane = t % 32, first = blockIdx.x * 256;
    item mine = {0, (unsigned short)t, 7};

    if (first + t < n)
        mine = {in[first + t], (unsigned short)t, (unsigned short)kind[first + t]};
    for (unsigned bit = 0; bit < 3; bit++) {
        unsigned ones = __ballot_sync(~0u, mine.kind >> bit & 1), below = (1u << lane) - 1, sum = 0, all = 0;

        if (lane == 0)
            zeros[t / 32] = __popc(~ones);
        __syncthreads();
        for (unsigned w = 0; w < 8; w++) {
            sum += w < t / 32 ? zeros[w] : 0;
            all += zeros[w];
        }
        unsigned mine_zero = sum + __popc(~ones & below);
        unsigned to = mine.kind >> bit & 1 ? all + t - mine_zero : mine_zero;
        items[bit & 1][to] = mine;
        __syncthreads();
        mine = items[bit & 1][t];
    }
    if (first + t < n)
        out[first + mine.place] = work_on(mine.kind, mine.x);
}
