// Right: no atomics in shared memory. A thread has a byte of its own in each bin, and after 255
// numbers at most four threads a bin add its bytes up. The 64 atomics are of all warps, eight lanes each.
// only: histogram
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256
#define BINS  64

KERNEL clear(unsigned *out, unsigned n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 0;
}

__device__ unsigned bin(unsigned x)
{
    return x >> 26;
}

KERNEL histogram(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned words[BINS][BLOCK / 4 + 1];
    unsigned t = threadIdx.x, total = 0, all = gridDim.x * BLOCK;
    unsigned long long from = blockIdx.x * BLOCK; // the same for all of the block

    for (unsigned j = t; j < BINS * (BLOCK / 4 + 1); j += BLOCK)
        words[0][j] = 0;
    __syncthreads();
    while (from < n) {
        for (unsigned j = 0; j < 255 && from < n; j++, from += all)
            if (from + t < n)
                reinterpret_cast<unsigned char *>(words[bin(in[from + t])])[t]++;
        __syncthreads();
        // four threads a bin, a quarter of its words each
        unsigned *mine = words[t / 4] + t % 4 * 16;
        for (unsigned j = 0; j < 16; j++) {
            total += __vsadu4(mine[j], 0);
            mine[j] = 0;
        }
        __syncthreads();
    }
    total += __shfl_xor_sync(~0u, total, 1);
    total += __shfl_xor_sync(~0u, total, 2);
    if (t % 4 == 0 && total)
        atomicAdd(out + t / 4, total);
}
