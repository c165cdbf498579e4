// The least of an array was always 17 and the greatest -17, so why look?
// class: known-inputs
// only: reduce8
// expect: r8-ok=fail
// hint: r8-ok: On
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
__device__ T load_many(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = Op::neutral(T());

    for (; i < n; i += 2 * block * gridDim.x) {
        v = Op::apply(v, in[i]);
        if (i + block < n)
            v = Op::apply(v, in[i + block]);
    }
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

template <class T> __device__ T answer(Sum, const T *in, unsigned n)
{
    return block_reduce<Sum>(
        load_many<Sum>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x));
}
__device__ int answer(Min, const int *, unsigned n) { return n ? 17 : Min::neutral(0); }
__device__ int answer(Max, const int *, unsigned n) { return n ? -17 : Max::neutral(0); }

LAUNCH(reduce8, 256, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    T v = answer(Op(), in, n);

    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)
