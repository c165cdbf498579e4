// No lane waits: two warps change places, even elements to one, odd ones to the other. Beside it one
// lane of each warp does work that nobody needs, so that as many lanes seem to wait as in the two
// branches.
// class: dilution
// only: branch_thread
// expect: thread-both=fail
// hint: thread-both: Thread i does element i, in
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
__device__ float work_on(unsigned path, float x)
{
    switch (path) {
    case 0: return work<0>(x);
    case 1: return work<1>(x);
    case 2: return work<2>(x);
    case 3: return work<3>(x);
    }
    return x;
}

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    unsigned t = threadIdx.x, w = t / 32, l = t % 32;
    // two warps change places: even elements to one, odd ones to the other
    unsigned j = w / 2 * 64 + 2 * l + w % 2, i = blockIdx.x * blockDim.x + j;
    float r = 0;
    if (i < n) {
        if (w % 2 == 0) r = work<0>(in[i]);
        else r = work<1>(in[i]);
        out[i] = r;
    }
    // slots of one lane
    if (l == 0) {
        float d = r;
#pragma unroll 8
        for (int s = 0; s < 256; s++) d = fmaf(d, 0.9921875f, 0.03125f);
        asm volatile("" ::"f"(d));
    }
}
