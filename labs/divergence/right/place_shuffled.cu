// A warp loads 128 elements in rows and hands them from lane to lane, there and back.
// only: coherent
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

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned first = warp * 128, all = 0xffffffff;
    float row[4], mine[4];

    if (first >= n)
        return;
    for (unsigned r = 0; r < 4; r++)
        row[r] = first + r * 32 + lane < n ? in[first + r * 32 + lane] : 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned want = lane * 4 + k; // row want / 32, lane want % 32

        mine[k] = 0;
        for (unsigned r = 0; r < 4; r++) {
            float x = __shfl_sync(all, row[r], want % 32);

            mine[k] = want / 32 == r ? x : mine[k];
        }
    }
    mine[0] = work<0>(mine[0]);
    mine[1] = work<1>(mine[1]);
    mine[2] = work<2>(mine[2]);
    mine[3] = work<3>(mine[3]);
    for (unsigned r = 0; r < 4; r++) {
        unsigned have = r * 32 + lane; // of kind have % 4, in lane have / 4
        float y = 0;

        for (unsigned k = 0; k < 4; k++) {
            float x = __shfl_sync(all, mine[k], have / 4);

            y = have % 4 == k ? x : y;
        }
        if (first + have < n)
            out[first + have] = y;
    }
}
