// Step 7 where each block has a run of the array of its own, its threads side by side in it, in two
// sums a thread.
// only: reduce7
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

LAUNCH(reduce7, 256, 1, 16);
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    __shared__ T s[block];
    unsigned tid = threadIdx.x, each = (n + gridDim.x - 1) / gridDim.x;
    unsigned run = (each + block - 1) / block * block, first = blockIdx.x * run;
    unsigned end = min(n, first + run);
    T v = Op::neutral(T()), w = v;

    for (unsigned i = first + tid; i < end; i += 2 * block) {
        v = Op::apply(v, in[i]);
        if (i + block < end)
            w = Op::apply(w, in[i + block]);
    }
    s[tid] = v = Op::apply(v, w);
    __syncthreads();
#pragma unroll
    for (unsigned half = block / 2; half >= 32; half /= 2) {
        if (tid < half)
            s[tid] = v = Op::apply(v, s[tid + half]);
        __syncthreads();
    }
#pragma unroll
    for (unsigned half = block / 2 < 16 ? block / 2 : 16; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = v = Op::apply(v, s[tid + half]);
        if (tid < 32)
            __syncwarp();
    }
    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS_FOR_BLOCK(reduce7)
