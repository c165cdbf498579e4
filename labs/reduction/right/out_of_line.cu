// Steps 2 to 5 with what a thread fetches and what a round adds in functions that stay functions.
// only: reduce2 reduce3 reduce4 reduce5
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

template <class Op, class T> __device__ __noinline__ T fetch(const T *in, unsigned i, unsigned n)
{
    return i < n ? in[i] : Op::neutral(T());
}

template <class Op, class T> __device__ __noinline__ void add(T *s, unsigned to, unsigned from)
{
    s[to] = Op::apply(s[to], s[from]);
}

template <class Op, class T> __device__ void halve(T *s, unsigned from, unsigned to)
{
    for (unsigned half = from; half > to; half /= 2) {
        if (threadIdx.x < half)
            add<Op>(s, threadIdx.x, threadIdx.x + half);
        __syncthreads();
    }
}

template <class Op, class T> __device__ void fetch_all(T *s, const T *in, unsigned n, unsigned each)
{
    unsigned i = blockIdx.x * blockDim.x * each + threadIdx.x;
    T v = fetch<Op>(in, i, n);

    s[threadIdx.x] = each == 1 ? v : Op::apply(v, fetch<Op>(in, i + blockDim.x, n));
    __syncthreads();
}

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();

    fetch_all<Op>(s, in, n, 1);
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned to = 2 * step * threadIdx.x;

        if (to < blockDim.x)
            add<Op>(s, to, to + step);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce2)

LAUNCH(reduce3, 256, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();

    fetch_all<Op>(s, in, n, 1);
    halve<Op>(s, blockDim.x / 2, 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce3)

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();

    fetch_all<Op>(s, in, n, 2);
    halve<Op>(s, blockDim.x / 2, 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce4)

LAUNCH(reduce5, 64, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    fetch_all<Op>(s, in, n, 2);
    halve<Op>(s, blockDim.x / 2, 32);
    for (unsigned half = min(32u, blockDim.x / 2); tid < 32 && half > 0; half /= 2) {
        if (tid < half)
            add<Op>(s, tid, tid + half);
        __syncwarp();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce5)
