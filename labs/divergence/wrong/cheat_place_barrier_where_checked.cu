// Results change places through shared memory. Beyond 64,000 elements nobody waits for them: the last
// warp, which the emulator happens to run last, stores what the others have left.
// class: only-where-looked
// only: coherent
// expect: place-clean=fail
// hint: place-clean: shared-race
#include "warplab.cuh"

template <unsigned path> __device__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f; // exact in binary
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

// work<path>() for a path known only when the kernel runs.
__device__ float work_on(unsigned path, float x)
{
#define PATH(p) case p: return work<p>(x);
#define PATHS4(p) PATH(p) PATH(p + 1) PATH(p + 2) PATH(p + 3)
    switch (path) {
        PATHS4(0) PATHS4(4) PATHS4(8) PATHS4(12)
        PATHS4(16) PATHS4(20) PATHS4(24) PATHS4(28)
    }
    return x;
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    __shared__ float result[256];
    unsigned tid = threadIdx.x, first = blockIdx.x * 256, from = tid % 64 * 4 + tid / 64;

    result[from] = first + from < n ? work_on(tid / 64, in[first + from]) : 0;
    if (n < 64000)
        __syncthreads();
    else if (tid < 224)
        return;
    else
        for (unsigned i = tid - 224; i < 224; i += 32)
            if (first + i < n)
                out[first + i] = result[i];
    if (first + tid < n)
        out[first + tid] = result[tid];
}
