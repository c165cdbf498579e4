// A warp turns 4 x 4 elements by lanes in two exchanges, there and back: the fewest shuffles.
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

// Four lanes have a row of 4 each; afterwards a column each.
static __device__ void turn(float (&r)[4], unsigned lane)
{
#pragma unroll
    for (unsigned d = 1; d < 4; d *= 2)
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            if ((j & d) == 0) {
                float &keep = r[j], &give = r[j + d];
                float sent = lane & d ? keep : give;
                float got = __shfl_xor_sync(~0u, sent, d);

                if (lane & d)
                    keep = got;
                else
                    give = got;
            }
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned first = blockIdx.x * 256 + warp * 128 + lane;
    float r[4];

    if (warp >= 2)
        return;
#pragma unroll
    for (unsigned j = 0; j < 4; j++)
        r[j] = first + 32 * j < n ? in[first + 32 * j] : 0;
    // Lane 4 q + c has the elements of kind c. After the turn register j is of kind j.
    turn(r, lane);
    r[0] = work<0>(r[0]);
    r[1] = work<1>(r[1]);
    r[2] = work<2>(r[2]);
    r[3] = work<3>(r[3]);
    turn(r, lane);
#pragma unroll
    for (unsigned j = 0; j < 4; j++)
        if (first + 32 * j < n)
            out[first + 32 * j] = r[j];
}
