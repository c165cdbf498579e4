// Blocks without elements leave their result as it was: an empty array has none.
// only: reduce2
// expect: r2-ok=fail r2-clean=blocked
// hint: r2-ok: never written.
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

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : Op::neutral(T());
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned index = 2 * step * tid;

        if (index < blockDim.x)
            s[index] = Op::apply(s[index], s[index + step]);
        __syncthreads();
    }
    if (tid == 0 && i < n)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce2)
