// A warp takes its 32 elements one after the other, all lanes doing the same one: no order is made.
// class: no-evidence
// only: coherent_data
// expect: data-ok=fail data-lanes=fail
// hint: data-ok: did not come to an end
// hint: data-lanes: in order
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
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x / 32 * 32;

    for (unsigned i = first; i < first + 32 && i < n; i++) {
        float y = work_on(kind[i], in[i]);

        if (threadIdx.x % 32 == 0)
            out[i] = y;
    }
}
