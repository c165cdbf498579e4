// Races inside a function that calls itself CUB's, in lines that call themselves the toolkit's.
// only: energy_soa
// expect: soa-clean=fail soa-coalesced=any
// hint: soa-clean: race in shared memory
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

#line 1 "/usr/local/cuda/include/cub/block/block_exchange.cuh"
namespace cub
{
__device__ __noinline__ float exchange(float *room, float x)
{
    room[threadIdx.x ^ 1] = x;
    return room[threadIdx.x];
}
} // namespace cub

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    __shared__ float room[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = i ^ 1;
    float x = cub::exchange(room, k < n ? energy(field, n, k) : 0);

    if (i < n)
        out[i] = x;
}
