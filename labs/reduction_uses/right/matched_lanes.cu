// Right: lanes that count the same find each other first, by a ballot or a match, and one of them
// adds for all.
// only: count_block histogram
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256
#define BINS  64

KERNEL clear(unsigned *out, unsigned n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 0;
}

static __device__ bool is_first(unsigned lanes)
{
    return (threadIdx.x & 31) == __ffs(lanes) - 1;
}

KERNEL count_block(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned count;

    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        unsigned here = __activemask(), yes = __ballot_sync(here, in[i] % 4 == 3);
        if (yes && is_first(here))
            atomicAdd(&count, __popc(yes));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, count);
}

KERNEL histogram(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned own[BINS];

    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        unsigned bin = in[i] >> 26, same = __match_any_sync(__activemask(), bin);
        if (is_first(same))
            atomicAdd(&own[bin], __popc(same));
    }
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&out[threadIdx.x], own[threadIdx.x]);
}
