// Barriers where they are looked for: sums of int have them, in the last rounds of the other
// kernels lanes race.
// class: only-where-looked
// only: reduce3
// expect: r3-clean=fail
// hint: r3-clean: barrier
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

template <class Op, class T> __device__ T load_one(const T *in, unsigned n, unsigned i)
{
    return i < n ? in[i] : Op::neutral(T());
}

// The last rounds are one warp's.
__device__ void barrier(int, Sum) { __syncthreads(); }
template <class T, class Op> __device__ void barrier(T, Op) {}

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_one<Op>(in, n, blockIdx.x * blockDim.x + tid);
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        if (half > 32)
            __syncthreads();
        else
            barrier(T(), Op());
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce3)
