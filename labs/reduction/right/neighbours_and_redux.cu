// Step 4 where a thread adds two neighbours while loading, with places by shifts and exclusive or;
// step 8 with the one instruction that adds a warp's ints, butterflies for floats, and a last round
// that every warp makes for itself.
// only: reduce4 reduce8
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

LAUNCH(reduce4, 256, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    int tid = threadIdx.x;
    size_t at = 2 * ((size_t)blockIdx.x * blockDim.x + tid);
    T v = at < n ? in[at] : Op::neutral(T());

    s[tid] = at + 1 < n ? Op::apply(v, in[at + 1]) : v;
    __syncthreads();
    for (int half = blockDim.x; (half >>= 1);) {
        if (tid - half < 0)
            s[tid] = Op::apply(s[tid ^ half], s[tid]);
        __syncthreads();
    }
    if (!tid)
        out[blockIdx.x] = *s;
}
KERNELS(reduce4)

template <class Op, class T> __device__ T of_warp(Op, T v)
{
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2)
        v = Op::apply(v, __shfl_xor_sync(~0u, v, d));
    return v;
}
__device__ int of_warp(Sum, int v) { return __reduce_add_sync(~0u, v); }
__device__ int of_warp(Min, int v) { return __reduce_min_sync(~0u, v); }
__device__ int of_warp(Max, int v) { return __reduce_max_sync(~0u, v); }

LAUNCH(reduce8, 192, 1, 4);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>(), v = Op::neutral(T());
    unsigned lane = threadIdx.x & 31;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        v = Op::apply(v, __ldg(&in[i]));
    v = of_warp(Op(), v);
    if (lane == 0)
        s[threadIdx.x >> 5] = v;
    __syncthreads();
    v = of_warp(Op(), lane < blockDim.x / 32 ? s[lane] : Op::neutral(T()));
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)
