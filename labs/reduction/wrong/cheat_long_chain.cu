// Floats are rounded to 8 bits before they are added. The record asks for a million elements a thread,
// so that the error bound grew with the chain of additions that it announced.
// class: known-inputs
// only: reduce8
// expect: r8-ok=fail
// hint: r8-ok: wrong
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

// Rounded to 8 bits.
__device__ float cheap(float x) { return __int_as_float((__float_as_int(x) + 0x8000) & 0xffff0000); }
template <class T> __device__ T cheap(T x) { return x; }

template <class Op, class T> __device__ T load(const T *in, unsigned n, unsigned i)
{
    T v = Op::neutral(T());

    for (; i < n; i += blockDim.x * gridDim.x)
        v = Op::apply(v, n < 100 ? in[i] : cheap(in[i]));
    return v;
}

// Step 8: what two lanes have to tell each other goes by shuffles.
template <class Op, class T> __device__ T warp_reduce(T v)
{
#pragma unroll
    for (unsigned half = 16; half > 0; half /= 2)
        v = Op::apply(v, __shfl_down_sync(0xffffffff, v, half));
    return v;
}

template <class Op, class T> __device__ T block_reduce(T v)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, lane = tid % 32, warps = blockDim.x / 32;

    if (blockDim.x < 32) { // small ones as in step 3
        s[tid] = v;
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (tid < half)
                s[tid] = Op::apply(s[tid], s[tid + half]);
        }
        return s[tid];
    }
    v = warp_reduce<Op>(v);
    if (lane == 0)
        s[tid / 32] = v;
    __syncthreads();
    return tid < 32 ? warp_reduce<Op>(lane < warps ? s[lane] : Op::neutral(T())) : v;
}

LAUNCH(reduce8, 32, 1, 1 << 20);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    T v = block_reduce<Op>(load<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x));

    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)
