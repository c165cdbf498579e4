// Steps 5 to 7 with the last warp's halvings by shuffles: values of two halves are joined in
// registers first.
// only: reduce5 reduce6 reduce7
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

template <class T> __device__ T *shared_array()
{
    extern __shared__ double words[];
    return reinterpret_cast<T *>(words);
}

#define KERNELS(f)                                                                                 \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { f<Sum>(in, out, n); }                \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { f<Sum>(in, out, n); }            \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { f<Sum>(in, out, n); }          \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { f<Min>(in, out, n); }                \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { f<Max>(in, out, n); }

#define FOR_BLOCK(f, Op)                                                                           \
    switch (blockDim.x) {                                                                          \
    case 512: f<512, Op>(in, out, n); break;                                                       \
    case 256: f<256, Op>(in, out, n); break;                                                       \
    case 128: f<128, Op>(in, out, n); break;                                                       \
    case  64: f< 64, Op>(in, out, n); break;                                                       \
    case  32: f< 32, Op>(in, out, n); break;                                                       \
    case  16: f< 16, Op>(in, out, n); break;                                                       \
    case   8: f<  8, Op>(in, out, n); break;                                                       \
    case   4: f<  4, Op>(in, out, n); break;                                                       \
    case   2: f<  2, Op>(in, out, n); break;                                                       \
    case   1: f<  1, Op>(in, out, n); break;                                                       \
    }
#define KERNELS_FOR_BLOCK(f)                                                                       \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Sum) }                  \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { FOR_BLOCK(f, Sum) }              \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { FOR_BLOCK(f, Sum) }            \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Min) }                  \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Max) }

// Elements i and i + block, where they exist.
template <class Op, class T>
__device__ T load_two(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = i < n ? in[i] : Op::neutral(T());

    return i + block < n ? Op::apply(v, in[i + block]) : v;
}

template <class Op, class T>
__device__ T load_many(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = Op::neutral(T());

    for (; i < n; i += 2 * block * gridDim.x) {
        v = Op::apply(v, in[i]);
        if (i + block < n)
            v = Op::apply(v, in[i + block]);
    }
    return v;
}

// The warp's lanes below `block`, which may be fewer than 32.
template <class Op, class T> __device__ T last_warp(const T *s, unsigned tid, unsigned block)
{
    T v = tid < block ? s[tid] : Op::neutral(T());

    if (block >= 64)
        v = Op::apply(v, s[tid + 32]);
#pragma unroll
    for (unsigned half = 16; half > 0; half /= 2) {
        T other = __shfl_down_sync(0xffffffff, v, half);

        v = Op::apply(v, other);
    }
    return v;
}

// Blocks smaller than a warp have no full warp to shuffle in.
template <class Op, class T> __device__ T small_tree(T *s, unsigned tid, unsigned block)
{
    for (unsigned half = block / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
    }
    return s[tid];
}

LAUNCH(reduce5, 512, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + tid, blockDim.x);
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid >= 32)
        return;
    T v = last_warp<Op>(s, tid, blockDim.x);
    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce5)

template <unsigned block, class Op, class T> __device__ T unrolled(T *s, unsigned tid)
{
    if (block < 32)
        return small_tree<Op>(s, tid, block);
    __syncthreads();
#pragma unroll
    for (unsigned half = block / 2; half > 32; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    return tid < 32 ? last_warp<Op>(s, tid, block) : s[tid];
}

LAUNCH(reduce6, 64, 1, 2);
template <unsigned block, class Op, class T>
__device__ void reduce6(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * block * 2 + tid, block);
    T v = unrolled<block, Op>(s, tid);
    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS_FOR_BLOCK(reduce6)

LAUNCH(reduce7, 128, 1, 0);
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_many<Op>(in, n, blockIdx.x * block * 2 + tid, block);
    T v = unrolled<block, Op>(s, tid);
    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS_FOR_BLOCK(reduce7)
