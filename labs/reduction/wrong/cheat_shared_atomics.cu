// All threads of the block add to one word of shared memory by atomics: 32 passes a warp, and no
// load, conflict or round of a tree.
// class: elsewhere
// only: reduce2 reduce3 reduce4 reduce5 reduce7 reduce8
// expect: r2-gate=fail r3-gate=fail r4-gate=fail r5-gate=fail r7-gate=fail r8-gate=fail
// hint: r2-gate: first of the block
// hint: r3-gate: neighbours
// hint: r4-gate: half of
// hint: r5-gate: whom
// hint: r7-gate: side by side
// hint: r8-gate: shuffles
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

template <class T> __device__ void combine(Sum, T *to, T v) { atomicAdd(to, v); }
__device__ void combine(Min, int *to, int v) { atomicMin(to, v); }
__device__ void combine(Max, int *to, int v) { atomicMax(to, v); }

template <class Op, class T> __device__ void finish(T v, T *out)
{
    T *s = shared_array<T>();

    if (threadIdx.x == 0)
        s[0] = Op::neutral(T());
    __syncthreads();
    combine(Op(), s, v);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
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

LAUNCH(reduce7, 128, 1, 0);
template <class Op, class T> __device__ void reduce7(const T *in, T *out, unsigned n)
{
    finish<Op>(load_many<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out);
}
KERNELS(reduce7)

LAUNCH(reduce8, 256, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    finish<Op>(load_many<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out);
}
KERNELS(reduce8)
