// Steps 4 and 5 with cooperative groups: the block waits, then a tile of 32.
// only: reduce4 reduce5
// expect: all=pass
#include "warplab.cuh"
#include <cooperative_groups.h>

// ---- given: what can be reduced, and the kernels made of it ----

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

// The block's shared memory as an array of T. It has blockDim.x elements, not one more.
template <class T> __device__ T *shared_array()
{
    extern __shared__ double words[];
    return reinterpret_cast<T *>(words);
}

// The kernels that the harness looks for, made from one template f.
#define KERNELS(f)                                                                                 \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { f<Sum>(in, out, n); }                \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { f<Sum>(in, out, n); }            \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { f<Sum>(in, out, n); }          \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { f<Min>(in, out, n); }                \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { f<Max>(in, out, n); }

// The same where the block size is a template argument: the lectures choose among the ten
// in host code; here the kernel does, on a value that is the same for all its threads.
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

namespace cg = cooperative_groups;

LAUNCH(reduce4, 256, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    auto block = cg::this_thread_block();
    unsigned t = block.thread_rank(), i = blockIdx.x * 2 * block.size() + t;
    T v = i < n ? in[i] : Op::neutral(T());

    if (i + block.size() < n)
        v = Op::apply(in[i + block.size()], v);
    s[t] = v;
    block.sync();
#pragma unroll 1
    for (unsigned half = block.size() / 2; half >= 1; half /= 2) {
        if (t < half)
            s[t] = v = Op::apply(v, s[t + half]);
        block.sync();
    }
    if (t == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce4)

LAUNCH(reduce5, 512, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    unsigned t = threadIdx.x, size = blockDim.x, i = blockIdx.x * 2 * size + t;
    T v = i < n ? in[i] : Op::neutral(T());

    if (i + size < n)
        v = Op::apply(v, in[i + size]);
    s[t] = v;
    block.sync();
    for (; size > 64; block.sync()) {
        size /= 2;
        if (t < size)
            s[t] = v = Op::apply(v, s[t + size]);
    }
    if (t >= 32)
        return;
    if (size == 64)
        v = Op::apply(v, s[t + 32]);
    for (unsigned half = size < 32 ? size / 2 : 16; half; half /= 2) {
        s[t] = v;
        warp.sync();
        if (t < half)
            v = Op::apply(v, s[t + half]);
        warp.sync();
    }
    if (t == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce5)
