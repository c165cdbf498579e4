// Step 5 where warps leave as soon as they have nothing to add: those left wait at a barrier of
// another number, with as many threads as there still are.
// only: reduce5
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

LAUNCH(reduce5, 256, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, block = blockDim.x, i = blockIdx.x * block * 2 + tid;
    T v = i < n ? in[i] : Op::neutral(T());

    if (i + block < n)
        v = Op::apply(v, in[i + block]);
    s[tid] = v;
    __syncthreads();
    for (unsigned half = block / 2; half >= 32; half /= 2) {
        if (tid >= half)
            return;
        s[tid] = v = Op::apply(v, s[tid + half]);
        if (half > 32)
            asm volatile("bar.sync 1, %0;" : : "r"(half) : "memory");
    }

    unsigned lanes = block >= 32 ? 0xffffffff : (1u << block) - 1;

    __syncwarp(lanes);
    for (unsigned half = min(16u, block / 2); half > 0; half /= 2) {
        T other = s[tid < half ? tid + half : tid];

        __syncwarp(lanes);
        if (tid < half)
            s[tid] = v = Op::apply(v, other);
        __syncwarp(lanes);
    }
    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce5)
