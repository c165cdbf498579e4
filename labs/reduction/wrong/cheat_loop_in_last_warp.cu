// The rounds of more than a warp are written out, those of the last warp are a loop still: in blocks of 128
// one warp's six turns are hardly more than four warps' one.
// class: no-evidence
// only: reduce6
// expect: r6-gate=fail
// hint: r6-gate: turns of loops
#include "warplab.cuh"

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

// What a thread of steps 4 to 6 brings: elements i and i + block, where they exist.
template <class Op, class T>
__device__ T load_two(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = i < n ? in[i] : Op::neutral(T());

    return i + block < n ? Op::apply(v, in[i + block]) : v;
}

template <class Op, class T> __device__ void last_warp(T *s, unsigned tid, unsigned block)
{
#pragma unroll 1
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

LAUNCH(reduce6, 128, 1, 2);
template <unsigned block, class Op, class T>
__device__ void reduce6(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * block * 2 + tid, block);
    unrolled_tree<block, Op>(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS_FOR_BLOCK(reduce6)

