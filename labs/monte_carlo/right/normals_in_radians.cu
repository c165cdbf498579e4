// Right: the angle in radians, its sine and cosine one by one.
// only: normals
// expect: all=pass
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
        float r = sqrtf(-2 * logf(uniform(words[i].x)));
        float phi = 6.2831853f * uniform(words[i].y);

        out[i] = make_float2(r * sinf(phi), r * cosf(phi));
    }
}
