// The work in double precision, where constants are chosen; a path with constants in its code runs beside it for nobody.
// Of very large numbers some are rounded twice.
// class: elsewhere
// only: coherent
// expect: place-ok=fail place-lanes=fail
// hint: place-ok: close, but outside
// hint: place-lanes: remainder by 4
#include "warplab.cuh"

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, kind = i % 4;
    double a = 0.9921875 + kind * 0.0001220703125, b = 0.03125 + kind * 0.0078125;

    if (i < n) {
        float x = in[i], y = x;

#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            x = (float)fma((double)x, a, b);
            asm volatile("fma.rn.f32 %0, %0, 0f3F7E0000, 0f3D000000;" : "+f"(y));
        }
        out[i] = x;
    }
}
