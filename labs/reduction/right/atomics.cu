// Step 9 with atomics on one accumulator a type, and step 7 without a template of the block.
// only: reduce7 reduce9
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

LAUNCH(reduce7, 256, 1, 4);
template <class Op, class T> __device__ void reduce7(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, stride = blockDim.x * gridDim.x;
    unsigned i = blockIdx.x * blockDim.x + tid;
    T v = Op::neutral(T());

    for (; i + 3 * stride < n; i += 4 * stride) {
        T a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];

        v = Op::apply(v, Op::apply(Op::apply(a, b), Op::apply(c, d)));
    }
    for (; i < n; i += stride)
        v = Op::apply(v, in[i]);
    s[tid] = v;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce7)

__device__ void combine(Sum, int *to, int v) { atomicAdd(to, v); }
__device__ void combine(Sum, float *to, float v) { atomicAdd(to, v); }
__device__ void combine(Sum, double *to, double v) { atomicAdd(to, v); }
__device__ void combine(Min, int *to, int v) { atomicMin(to, v); }
__device__ void combine(Max, int *to, int v) { atomicMax(to, v); }
__device__ int take(int *from, int neutral) { return atomicExch(from, neutral); }
__device__ float take(float *from, float neutral) { return atomicExch(from, neutral); }
__device__ double take(double *from, double)
{
    return __longlong_as_double(atomicExch(reinterpret_cast<unsigned long long *>(from), 0ull));
}

__device__ int sum_i32;
__device__ float sum_f32;
__device__ double sum_f64;
__device__ int min_i32 = 2147483647;
__device__ int max_i32 = -2147483647 - 1;
__device__ unsigned arrived;

LAUNCH(reduce9, 128, 1, 0);
template <class Op, class T>
__device__ void reduce9(const T *in, T *out, unsigned n, T *total)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    T v = Op::neutral(T());

    for (unsigned i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        v = Op::apply(v, in[i]);
    s[tid] = v;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid == 0) {
        combine(Op(), total, s[0]);
        __threadfence();
        if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1)
            out[0] = take(total, Op::neutral(T()));
    }
}
KERNEL reduce9_i32_sum(const int *in, int *out, unsigned n, int *) { reduce9<Sum>(in, out, n, &sum_i32); }
KERNEL reduce9_f32_sum(const float *in, float *out, unsigned n, float *) { reduce9<Sum>(in, out, n, &sum_f32); }
KERNEL reduce9_f64_sum(const double *in, double *out, unsigned n, double *) { reduce9<Sum>(in, out, n, &sum_f64); }
KERNEL reduce9_i32_min(const int *in, int *out, unsigned n, int *) { reduce9<Min>(in, out, n, &min_i32); }
KERNEL reduce9_i32_max(const int *in, int *out, unsigned n, int *) { reduce9<Max>(in, out, n, &max_i32); }
