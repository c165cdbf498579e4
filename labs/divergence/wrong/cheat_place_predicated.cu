// Step 4 without a branch: every lane is there for all four paths, and switched off in three.
// class: elsewhere
// only: coherent
// expect: place-lanes=fail
// hint: place-lanes: remainder by 4
#include "warplab.cuh"

#define STEP "@p fma.rn.f32 %0, %0, %3, %4;"
#define STEPS4  STEP STEP STEP STEP
#define STEPS16 STEPS4 STEPS4 STEPS4 STEPS4

template <unsigned path> __device__ void work_if(unsigned kind, float &x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f;
    constexpr float b = 0.03125f + path * 0.0078125f;

    for (int i = 0; i < 256; i += 16)
        asm("{.reg .pred p; setp.eq.u32 p, %1, %2;" STEPS16 "}"
            : "+f"(x) : "r"(kind), "n"(path), "f"(a), "f"(b));
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float x = in[i];

        work_if<0>(i % 4, x);
        work_if<1>(i % 4, x);
        work_if<2>(i % 4, x);
        work_if<3>(i % 4, x);
        out[i] = x;
    }
}
