// Steps 3 to 8 in blocks of 32 threads and fewer, where a step has little left to do. Rounds are
// written out by a template that calls itself.
// only: reduce3 reduce4 reduce5 reduce6 reduce7 reduce8
// expect: all=pass
#include "warplab.cuh"

struct Sum {
    template <class T> static __device__ T neutral(T) { return 0; }
    template <class T> static __device__ T apply(T a, T b) { return a + b; }
};
struct Min {
    static __device__ int neutral(int) { return 2147483647; }
    static __device__ int apply(int a, int b) { return a < b ? a : b; }
};
struct Max {
    static __device__ int neutral(int) { return -2147483647 - 1; }
    static __device__ int apply(int a, int b) { return a > b ? a : b; }
};

// The sum of `many` elements, `stride` apart, as far as there are any.
template <class Op, class T>
__device__ T several(const T *in, unsigned n, unsigned i, unsigned stride, unsigned many)
{
    T v = Op::neutral(T());

    while (many-- && i < n) {
        v = Op::apply(v, in[i]);
        i += stride;
    }
    return v;
}

template <class Op, class T> __device__ void all_wait_tree(T v, T *out)
{
    __shared__ T word[1024];
    unsigned left = blockDim.x;

    for (word[threadIdx.x] = v; __syncthreads(), left > 1;) {
        left /= 2;
        if (threadIdx.x < left)
            word[threadIdx.x] = Op::apply(word[threadIdx.x], word[left + threadIdx.x]);
    }
    if (!threadIdx.x)
        out[blockIdx.x] = *word;
}

LAUNCH(reduce3, 4, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    all_wait_tree<Op>(several<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x, 1, 1), out);
}

LAUNCH(reduce4, 1, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    unsigned first = 2 * blockDim.x * blockIdx.x + threadIdx.x;

    all_wait_tree<Op>(several<Op>(in, n, first, blockDim.x, 2), out);
}

// Rounds from `half` down to 1. Those of more than a warp end at a barrier.
template <unsigned half> struct Rounds {
    template <class Op, class T> static __device__ void go(T *word)
    {
        if (threadIdx.x < half)
            word[threadIdx.x] = Op::apply(word[threadIdx.x], word[half + threadIdx.x]);
        if (half > 32)
            __syncthreads();
        else
            __syncwarp();
        if (half > 32 || threadIdx.x < 32)
            Rounds<half / 2>::template go<Op>(word);
    }
};
template <> struct Rounds<0> {
    template <class Op, class T> static __device__ void go(T *) {}
};

template <unsigned block, class Op, class T> __device__ void written_out(T v, T *out)
{
    __shared__ T word[block];

    word[threadIdx.x] = v;
    __syncthreads();
    Rounds<block / 2>::template go<Op>(word);
    if (!threadIdx.x)
        out[blockIdx.x] = *word;
}

LAUNCH(reduce5, 32, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    unsigned first = 2 * blockDim.x * blockIdx.x + threadIdx.x;
    T v = several<Op>(in, n, first, blockDim.x, 2);

    if (blockDim.x == 32)
        written_out<32, Op>(v, out);
    else
        written_out<64, Op>(v, out);
}

LAUNCH(reduce6, 8, 1, 2);
template <unsigned block, class Op, class T>
__device__ void reduce6(const T *in, T *out, unsigned n)
{
    unsigned i = 2 * block * blockIdx.x + threadIdx.x;
    T a = i < n ? in[i] : Op::neutral(T()), b = i + block < n ? in[i + block] : Op::neutral(T());

    written_out<block, Op>(Op::apply(a, b), out);
}

LAUNCH(reduce7, 16, 1, 32);
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    unsigned threads = gridDim.x * block, i = blockIdx.x * block + threadIdx.x;

    written_out<block, Op>(several<Op>(in, n, i, threads, ~0u), out);
}

LAUNCH(reduce8, 32, 1, 3);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    T v = several<Op>(in, n, i, threads, ~0u);
    __shared__ T of_warps[32];

    for (int mask = 16; mask; mask /= 2)
        v = Op::apply(v, __shfl_xor_sync(~0u, v, mask));
    if (blockDim.x > 32) {
        if (threadIdx.x % 32 == 31)
            of_warps[threadIdx.x / 32] = v;
        __syncthreads();
        v = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : Op::neutral(T());
        for (int mask = 16; mask; mask /= 2)
            v = Op::apply(v, __shfl_xor_sync(~0u, v, mask));
    }
    if (!threadIdx.x)
        out[blockIdx.x] = v;
}

#define KERNELS(f)                                                                                 \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { f<Sum>(in, out, n); }                \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { f<Sum>(in, out, n); }            \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { f<Sum>(in, out, n); }          \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { f<Min>(in, out, n); }                \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { f<Max>(in, out, n); }
KERNELS(reduce3)
KERNELS(reduce4)
KERNELS(reduce5)
KERNELS(reduce8)

// One of ten, found by halving.
template <unsigned block> struct Size {
    template <class Op, class T>
    static __device__ void six(const T *in, T *out, unsigned n)
    {
        if (blockDim.x == block)
            reduce6<block, Op>(in, out, n);
        else
            Size<block / 2>::template six<Op>(in, out, n);
    }
    template <class Op, class T>
    static __device__ void seven(const T *in, T *out, unsigned n)
    {
        if (blockDim.x == block)
            reduce7<block, Op>(in, out, n);
        else
            Size<block / 2>::template seven<Op>(in, out, n);
    }
};
template <> struct Size<0> {
    template <class Op, class T> static __device__ void six(const T *, T *, unsigned) {}
    template <class Op, class T> static __device__ void seven(const T *, T *, unsigned) {}
};
template <class Op, class T> __device__ void six(const T *in, T *out, unsigned n)
{
    Size<512>::six<Op>(in, out, n);
}
template <class Op, class T> __device__ void seven(const T *in, T *out, unsigned n)
{
    Size<512>::seven<Op>(in, out, n);
}
#define KERNELS_AS(f, g)                                                                           \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { g<Sum>(in, out, n); }                \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { g<Sum>(in, out, n); }            \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { g<Sum>(in, out, n); }          \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { g<Min>(in, out, n); }                \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { g<Max>(in, out, n); }
KERNELS_AS(reduce6, six)
KERNELS_AS(reduce7, seven)
