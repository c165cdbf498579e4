// Steps 6 and 7 by a loop whose bounds the compiler knows; step 7 in runs of four rows.
// only: reduce6 reduce7
// expect: all=pass
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

template <unsigned block, class Op, class T> __device__ T tree(T v)
{
    __shared__ T s[block];
    const unsigned t = threadIdx.x;

    s[t] = v;
    __syncthreads();
#pragma unroll
    for (unsigned half = block / 2; half > 32; half /= 2) {
        if (t < half)
            s[t] = v = Op::apply(v, s[t + half]);
        __syncthreads();
    }
    if (t < 32) {
#pragma unroll
        for (unsigned half = block / 2 < 32 ? block / 2 : 32; half; half /= 2) {
            if (t < half)
                s[t] = v = Op::apply(v, s[t + half]);
            __syncwarp();
        }
    }
    return v;
}

LAUNCH(reduce6, 512, 1, 2);
template <unsigned block, class Op, class T>
__device__ void reduce6(const T *in, T *out, unsigned n)
{
    unsigned i = blockIdx.x * block * 2 + threadIdx.x;
    T v = i < n ? in[i] : Op::neutral(T());

    if (i + block < n)
        v = Op::apply(v, in[i + block]);
    v = tree<block, Op>(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS_FOR_BLOCK(reduce6)

LAUNCH(reduce7, 256, 1, 16);
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    T v[4] = {Op::neutral(T()), Op::neutral(T()), Op::neutral(T()), Op::neutral(T())};
    size_t step = (size_t)gridDim.x * block;

    for (size_t i = (size_t)blockIdx.x * block + threadIdx.x; i < n; i += 4 * step)
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (i + j * step < n)
                v[j] = Op::apply(v[j], in[i + j * step]);
    T all = tree<block, Op>(Op::apply(Op::apply(v[0], v[1]), Op::apply(v[2], v[3])));
    if (threadIdx.x == 0)
        out[blockIdx.x] = all;
}
KERNELS_FOR_BLOCK(reduce7)
