// Step 8 with one element a thread, and step 7 with four.
// only: reduce7 reduce8
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

LAUNCH(reduce8, 512, 1, 1);
template <class Op, class T> __device__ void reduce8(const T *__restrict__ in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    T v = i < n ? __ldg(in + i) : Op::neutral(T());
    auto warp = [](T x) {
        for (int half = 16; half; half /= 2)
            x = Op::apply(x, __shfl_down_sync(0xffffffffu, x, half));
        return x;
    };

    v = warp(v);
    if (threadIdx.x % warpSize == 0)
        s[threadIdx.x / warpSize] = v;
    __syncthreads();
    if (threadIdx.x / warpSize)
        return;
    v = threadIdx.x < blockDim.x / warpSize ? s[threadIdx.x] : Op::neutral(T());
    v = warp(v);
    if (!threadIdx.x)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)

LAUNCH(reduce7, 64, 1, 4);
template <class Op, class T> __device__ void reduce7(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>(), v = Op::neutral(T());
    const size_t block = blockDim.x, first = size_t(blockIdx.x) * block * 4 + threadIdx.x;

#pragma unroll
    for (size_t k = 0; k < 4; k++)
        if (first + k * block < n)
            v = Op::apply(v, in[first + k * block]);
    s[threadIdx.x] = v;
    for (unsigned half = block / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            s[threadIdx.x] = v = Op::apply(v, s[threadIdx.x + half]);
    }
    if (!threadIdx.x)
        out[blockIdx.x] = v;
}
KERNELS(reduce7)
