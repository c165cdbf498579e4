// Right: asynchronous copies into the shared memory that the block asks for anyway, and out of it.
// only: copy_4
// expect: all=pass
#include "warplab.cuh"

KERNEL copy_4(const float *in, float *out, unsigned n)
{
    extern __shared__ float held[];
    unsigned first = blockIdx.x * blockDim.x * 4;

    for (unsigned i = threadIdx.x; i < 4 * blockDim.x; i += blockDim.x)
        if (first + i < n)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                         :
                         : "r"((unsigned)__cvta_generic_to_shared(&held[i])), "l"(&in[first + i])
                         : "memory");
    asm volatile("cp.async.wait_all;" : : : "memory");
    for (unsigned i = threadIdx.x; i < 4 * blockDim.x; i += blockDim.x)
        if (first + i < n)
            out[first + i] = held[i];
}
