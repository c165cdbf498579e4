// The second word makes the radius, the first the angle.
// only: normals
// expect: normals-ok=fail
// hint: normals-ok: Which word makes the radius
#include "warplab.cuh"

// Above 0, so that there is a logarithm.
__device__ float uniform(unsigned word)
{
    return (float)word * 0x1p-32f + 0x1p-33f;
}

KERNEL normals(const uint2 *words, float2 *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float r = sqrtf(-2 * logf(uniform(words[i].y))), s, c;

        sincospif(2 * uniform(words[i].x), &s, &c);
        out[i] = make_float2(r * s, r * c);
    }
}
