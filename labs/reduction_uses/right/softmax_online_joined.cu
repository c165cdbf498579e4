// Right: the greatest element and the sum come of one pass, and of one tree that joins pairs of them.
// INFINITY needs no header, as with nvcc.
// only: softmax_block
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

struct pair {
    float most, sum;
};
static __device__ pair join(pair a, pair b)
{
    float most = fmaxf(a.most, b.most);

    if (most == -INFINITY)
        return {most, 0};
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    __shared__ pair part[BLOCK];
    const float *x = in + (size_t)blockIdx.x * n;
    pair v = {-INFINITY, 0};

    for (unsigned i = threadIdx.x; i < n; i += BLOCK) {
        float e = x[i];
        if (e > v.most)
            v = {e, v.sum * expf(v.most - e) + 1};
        else
            v.sum += expf(e - v.most);
    }
    part[threadIdx.x] = v;
    __syncthreads();
    for (unsigned h = BLOCK / 2; h; h /= 2) {
        if (threadIdx.x < h)
            part[threadIdx.x] = v = join(v, part[threadIdx.x + h]);
        __syncthreads();
    }
    v = part[0];
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        out[(size_t)blockIdx.x * n + i] = expf(x[i] - v.most) / v.sum;
}
