// A warp's ints are added by one instruction each, which leaves as little to do as shuffles do. The
// tree beside it counts the threads.
// class: elsewhere
// only: reduce2 reduce3 reduce4
// expect: r2-gate=fail r3-gate=fail r4-gate=fail
// hint: r2-gate: first of the block
// hint: r3-gate: neighbours
// hint: r4-gate: half of
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

// Step 3's tree: a barrier of the block in every round.
template <class Op, class T> __device__ void sequential_tree(T v, T *out)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = v;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

__device__ int warp_fast(Sum, int v) { return __reduce_add_sync(0xffffffff, v); }
__device__ int warp_fast(Min, int v) { return __reduce_min_sync(0xffffffff, v); }
__device__ int warp_fast(Max, int v) { return __reduce_max_sync(0xffffffff, v); }

template <class Op> __device__ void finish(int v, int *out)
{
    __shared__ int of_warps[32], threads;
    unsigned tid = threadIdx.x, lane = tid % 32;

    sequential_tree<Sum>(1, &threads - blockIdx.x); // as if it were the block's result
    v = warp_fast(Op(), v);
    if (lane == 0)
        of_warps[tid / 32] = v;
    __syncthreads();
    if (tid >= 32 || threads != (int)blockDim.x)
        return;
    v = warp_fast(Op(), lane < blockDim.x / 32 ? of_warps[lane] : Op::neutral(0));
    if (tid == 0)
        out[blockIdx.x] = v;
}
template <class Op, class T> __device__ void finish(T v, T *out) { sequential_tree<Op>(v, out); }

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
