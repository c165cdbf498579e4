// Right: each thread compares its kind with those of all 256, four bytes at a time.
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
    __shared__ unsigned kinds[64];
    __shared__ unsigned char order[256];
    const unsigned t = threadIdx.x, base = blockIdx.x * 256;
    const unsigned have = n - base < 256 ? n - base : 256;
    const unsigned mine = t < have ? kind[base + t] : 255;
    const unsigned four = mine * 0x01010101u;
    unsigned before = 0;

    reinterpret_cast<unsigned char *>(kinds)[t] = mine;
    __syncthreads();
#pragma unroll 8
    for (unsigned q = 0; q < 64; q++) {
        unsigned less = __vcmpltu4(kinds[q], four), same = __vcmpeq4(kinds[q], four);
        // of those alike, the ones before mine
        unsigned upto = 4 * q + 4 <= t ? ~0u : 4 * q >= t ? 0u : (1u << (t % 4 * 8)) - 1;

        before += __popc((less | (same & upto)) & 0x01010101u);
    }
    order[before] = t;
    __syncthreads();
    if (t < have) {
        unsigned e = base + order[t];

        out[e] = work_on(kind[e], in[e]);
    }
}
