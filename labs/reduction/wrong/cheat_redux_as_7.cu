// A warp's ints are added by one instruction, in each warp of a block. Before that all of them pass
// through a tile from which nobody takes anything.
// class: elsewhere
// only: reduce7
// expect: r7-gate=fail
// hint: r7-gate: exchanges
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

template <class Op, class T> __device__ void last_warp(T *s, unsigned tid, unsigned block)
{
#pragma unroll
    for (unsigned half = 32; half > 0; half /= 2) {
        if (block >= 2 * half && tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncwarp();
    }
}

template <unsigned block, class Op, class T> __device__ void unrolled_tree(T *s, unsigned tid)
{
    __syncthreads();
    if (block >= 512) {
        if (tid < 256)
            s[tid] = Op::apply(s[tid], s[tid + 256]);
        __syncthreads();
    }
    if (block >= 256) {
        if (tid < 128)
            s[tid] = Op::apply(s[tid], s[tid + 128]);
        __syncthreads();
    }
    if (block >= 128) {
        if (tid < 64)
            s[tid] = Op::apply(s[tid], s[tid + 64]);
        __syncthreads();
    }
    if (tid < 32)
        last_warp<Op>(s, tid, block);
}

__device__ int redux(Sum, int v) { return __reduce_add_sync(0xffffffff, v); }
__device__ int redux(Min, int v) { return __reduce_min_sync(0xffffffff, v); }
__device__ int redux(Max, int v) { return __reduce_max_sync(0xffffffff, v); }

template <unsigned block, class Op> __device__ int finish(Op op, int v)
{
    int *s = shared_array<int>(), unused;
    unsigned tid = threadIdx.x;

    s[tid] = v;
    __syncthreads();
    asm volatile("ld.volatile.shared.b32 %0, [%1];"
                 : "=r"(unused)
                 : "r"((unsigned)__cvta_generic_to_shared(s + (tid ^ 1))));
    __syncthreads();
    v = redux(op, v);
    if (tid % 32 == 0)
        s[tid / 32] = v;
    __syncthreads();
    return tid < 32 ? redux(op, tid < block / 32 ? s[tid] : Op::neutral(0)) : 0;
}

template <unsigned block, class Op, class T> __device__ T by_tree(T v)
{
    T *s = shared_array<T>();

    s[threadIdx.x] = v;
    unrolled_tree<block, Op>(s, threadIdx.x);
    return s[0];
}
template <unsigned block, class Op> __device__ int finish_any(int v)
{
    return block >= 32 ? finish<block>(Op(), v) : by_tree<block, Op>(v);
}
template <unsigned block, class Op, class T> __device__ T finish_any(T v)
{
    return by_tree<block, Op>(v);
}

LAUNCH(reduce7, 128, 1, 0);
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    T v = load_many<Op>(in, n, blockIdx.x * block * 2 + threadIdx.x, block);

    v = finish_any<block, Op>(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS_FOR_BLOCK(reduce7)
