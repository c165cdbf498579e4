// Right: sixteen bytes at a time; what does not fill a vector goes alone.
// only: copy_4
// expect: all=pass
#include "warplab.cuh"

KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;

    if (i + 4 <= n)
        *reinterpret_cast<float4 *>(out + i) = *reinterpret_cast<const float4 *>(in + i);
    else
        for (; i < n; i++)
            out[i] = in[i];
}
