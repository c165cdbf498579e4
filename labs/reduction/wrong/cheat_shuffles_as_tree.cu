// Step 8 as 2 to 7: with shuffles there are no conflicts, few branches and a barrier.
// class: no-evidence
// only: reduce2 reduce3 reduce4 reduce5 reduce6 reduce7
// expect: r2-gate=fail r3-gate=fail r4-gate=fail r5-gate=fail r6-gate=fail r7-gate=fail
// hint: r2-gate: first of the block
// hint: r3-gate: neighbours
// hint: r4-gate: half of
// hint: r5-gate: whom
// hint: r6-gate: loop
// hint: r7-gate: side by side
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

// Elements i and i + block, where they exist.
template <class Op, class T>
__device__ T load_two(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = i < n ? in[i] : Op::neutral(T());

    return i + block < n ? Op::apply(v, in[i + block]) : v;
}

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

template <class Op, class T> __device__ void finish(T v, T *out)
{
    v = block_reduce<Op>(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    finish<Op>(load_one<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), out);
}
KERNELS(reduce2)

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    finish<Op>(load_one<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), out);
}
KERNELS(reduce3)

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    finish<Op>(load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out);
}
KERNELS(reduce4)

LAUNCH(reduce5, 128, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    finish<Op>(load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out);
}
KERNELS(reduce5)

LAUNCH(reduce6, 128, 1, 2);
template <class Op, class T> __device__ void reduce6(const T *in, T *out, unsigned n)
{
    finish<Op>(load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out);
}
KERNELS(reduce6)

LAUNCH(reduce7, 128, 1, 0);
template <class Op, class T> __device__ void reduce7(const T *in, T *out, unsigned n)
{
    finish<Op>(load_many<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out);
}
KERNELS(reduce7)
