// Right: elements are fetched by a function that is called, loops go by goto and stay loops, the products
// are a lambda's.
// only: conv_shared conv_const conv_multi
// expect: all=pass
#include "warplab.cuh"

#define WIDEST 255

__constant__ float conv_weights[WIDEST];

static __device__ __noinline__ float element(const float *in, long long i, long long total)
{
    if (i >= total)
        return 0;
    return in[i];
}

template <int room> static __device__ void bring(float (&tile)[room], const float *in, long long first,
                                                 int count, long long total)
{
    int j = threadIdx.x;

more:
    if (j >= count)
        return;
    tile[j] = element(in, first + j, total);
    j += blockDim.x;
    goto more;
}

LAUNCH(conv_shared, 160, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float tile[160 + WIDEST - 1];
    long long first = blockIdx.x * 160ll, i = first + threadIdx.x;
    float sum = 0;
    int j = 0;

    bring(tile, in, first, 160 + width - 1, n + width - 1ll);
    __syncthreads();
    auto add = [&](float weight) { sum = __fmaf_rn(weight, tile[threadIdx.x + j], sum); };
next:
    add(weights[j]);
    if (++j < width)
        goto next;
    if (i < n)
        out[i] = sum;
}

LAUNCH(conv_const, 224, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[224 + WIDEST - 1];
    long long first = blockIdx.x * 224ll, i = first + threadIdx.x;
    const float *weight = conv_weights, *x = tile + threadIdx.x;
    float sum = 0;

    bring(tile, in, first, 224 + width - 1, n + width - 1ll);
    __syncthreads();
#pragma unroll 1
    while (weight < conv_weights + width)
        sum += *weight++ * *x++;
    if (i < n)
        out[i] = sum;
}

// Three outputs a thread, a block's width of 64 apart by three: word by word, in turns.
LAUNCH(conv_multi, 64, 1, 3);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[3 * 64 + WIDEST - 1];
    long long first = blockIdx.x * 192ll, i = first + 3 * threadIdx.x;
    const float *x = tile + 3 * threadIdx.x;
    float a = 0, b = 0, c = 0, p, q, r;

    bring(tile, in, first, 192 + width - 1, n + width - 1ll);
    __syncthreads();
    p = x[0];
    q = x[1];
#pragma unroll 1
    for (int j = 0; j < width; j++) {
        float w = conv_weights[j];

        r = x[j + 2];
        a += w * p;
        b += w * q;
        c += w * r;
        p = q;
        q = r;
    }
    if (i < n)
        out[i] = a;
    if (i + 1 < n)
        out[i + 1] = b;
    if (i + 2 < n)
        out[i + 2] = c;
}
