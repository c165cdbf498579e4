// Lanes without a warp of their own read shared memory that nobody wrote.
// only: reduce8
// expect: r8-ok=fail r8-clean=fail r8-gate=blocked
// hint: r8-ok: are wrong
// hint: r8-clean: read of memory never written
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

LAUNCH(reduce8, 256, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    T v = Op::neutral(T());

    for (unsigned i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        v = Op::apply(v, in[i]);
    for (unsigned half = 16; half > 0; half /= 2)
        v = Op::apply(v, __shfl_down_sync(0xffffffff, v, half));
    if (tid % 32 == 0)
        s[tid / 32] = v;
    __syncthreads();
    if (tid < 32) {
        v = s[tid];
        for (unsigned half = 16; half > 0; half /= 2)
            v = Op::apply(v, __shfl_down_sync(0xffffffff, v, half));
    }
    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)
