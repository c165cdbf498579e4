// Believes that every block has 128 threads, and asks for 256.
// only: reduce4
// expect: r4-ok=fail r4-clean=blocked
// hint: r4-ok: On the case tail
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

LAUNCH(reduce4, 256, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * 128 * 2 + tid;
    T v = i < n ? in[i] : Op::neutral(T());

    s[tid] = i + 128 < n ? Op::apply(v, in[i + 128]) : v;
    __syncthreads();
    for (unsigned half = 128 / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce4)
