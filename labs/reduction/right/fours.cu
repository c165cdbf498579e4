// Steps 3 to 5 by fours: a round adds four numbers to one, as long as there are so many.
// only: reduce3 reduce4 reduce5
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

template <class Op, class T>
__device__ void by_fours(const T *in, T *out, unsigned n, unsigned each)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x * each + tid, left = blockDim.x;
    T v = i < n ? in[i] : Op::neutral(T());

    if (each == 2 && i + blockDim.x < n)
        v = Op::apply(v, in[i + blockDim.x]);
    s[tid] = v;
    while (left > 1) {
        unsigned next = left >= 4 ? left / 4 : 1;

        __syncthreads();
        if (tid < next) {
            for (unsigned from = next; from < left; from += next)
                v = Op::apply(v, s[tid + from]);
            s[tid] = v;
        }
        left = next;
    }
    if (tid == 0)
        out[blockIdx.x] = v;
}

#define STEP(name, block, each)                                                                    \
    LAUNCH(name, block, 1, each);                                                                  \
    template <class Op, class T> __device__ void name(const T *in, T *out, unsigned n)             \
    {                                                                                              \
        by_fours<Op>(in, out, n, each);                                                            \
    }                                                                                              \
    KERNELS(name)
STEP(reduce3, 128, 1)
STEP(reduce4, 256, 2)
STEP(reduce5, 64, 2)
