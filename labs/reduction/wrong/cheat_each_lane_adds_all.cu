// No tree: each lane of the first warp adds all of the block's numbers, which are loads of one word for
// all and no part of a warp's. Without a loop, as the compiler knows the block.
// class: no-evidence
// only: reduce6 reduce7
// expect: r6-gate=fail r7-gate=fail
// hint: r6-gate: loaded from shared memory
// hint: r7-gate: loaded from shared memory
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

template <class Op, class T>
__device__ T load_two(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = i < n ? in[i] : Op::neutral(T());

    return i + block < n ? Op::apply(v, in[i + block]) : v;
}

// Thread 0 returns the block's result, as do all lanes beside it.
template <unsigned block, class Op, class T> __device__ T by_each_lane(T *s, unsigned tid, T v)
{
    s[tid] = v;
    __syncthreads();
    if (tid < 32) {
        v = Op::neutral(T());
#pragma unroll
        for (unsigned i = 0; i < block; i++)
            v = Op::apply(v, s[i]);
    }
    return v;
}

LAUNCH(reduce6, 128, 1, 2);
template <unsigned block, class Op, class T>
__device__ void reduce6(const T *in, T *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    T v = by_each_lane<block, Op>(shared_array<T>(), tid,
                                  load_two<Op>(in, n, blockIdx.x * block * 2 + tid, block));

    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS_FOR_BLOCK(reduce6)

LAUNCH(reduce7, 128, 1, 0);
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    T v = by_each_lane<block, Op>(shared_array<T>(), tid,
                                  load_many<Op>(in, n, blockIdx.x * block * 2 + tid, block));

    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS_FOR_BLOCK(reduce7)
