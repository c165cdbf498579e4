// Step 8 by cub::WarpReduce, one value a warp through shared memory; step 9 by cub::BlockReduce and a ticket.
// only: reduce8 reduce9
// expect: all=pass
#include "warplab.cuh"
#include <cub/cub.cuh>

// ---- given: what can be reduced, and the kernels made of it ----

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

// The block's shared memory as an array of T. It has blockDim.x elements, not one more.
template <class T> __device__ T *shared_array()
{
    extern __shared__ double words[];
    return reinterpret_cast<T *>(words);
}

// The kernels that the harness looks for, made from one template f.
#define KERNELS(f)                                                                                 \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { f<Sum>(in, out, n); }                \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { f<Sum>(in, out, n); }            \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { f<Sum>(in, out, n); }          \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { f<Min>(in, out, n); }                \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { f<Max>(in, out, n); }

// The same where the block size is a template argument: the lectures choose among the ten
// in host code; here the kernel does, on a value that is the same for all its threads.
#define FOR_BLOCK(f, Op)                                                                           \
    switch (blockDim.x) {                                                                          \
    case 512: f<512, Op>(in, out, n); break;                                                       \
    case 256: f<256, Op>(in, out, n); break;                                                       \
    case 128: f<128, Op>(in, out, n); break;                                                       \
    case  64: f< 64, Op>(in, out, n); break;                                                       \
    case  32: f< 32, Op>(in, out, n); break;                                                       \
    case  16: f< 16, Op>(in, out, n); break;                                                       \
    case   8: f<  8, Op>(in, out, n); break;                                                       \
    case   4: f<  4, Op>(in, out, n); break;                                                       \
    case   2: f<  2, Op>(in, out, n); break;                                                       \
    case   1: f<  1, Op>(in, out, n); break;                                                       \
    }
#define KERNELS_FOR_BLOCK(f)                                                                       \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Sum) }                  \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { FOR_BLOCK(f, Sum) }              \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { FOR_BLOCK(f, Sum) }            \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Min) }                  \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Max) }

template <class Op, class T> struct Functor {
    __device__ T operator()(T a, T b) const { return Op::apply(a, b); }
};

template <class Op, class T> __device__ T grid_sum(const T *in, unsigned n)
{
    T v = Op::neutral(T());
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        v = Op::apply(v, in[i]);
    return v;
}

LAUNCH(reduce8, 128, 1, 8);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    using Warp = cub::WarpReduce<T>;
    __shared__ typename Warp::TempStorage temp[32];
    __shared__ T part[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    T v = Warp(temp[warp]).Reduce(grid_sum<Op>(in, n), Functor<Op, T>());

    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    if (warp)
        return;
    v = Warp(temp[0]).Reduce(lane < blockDim.x / 32 ? part[lane] : Op::neutral(T()), Functor<Op, T>());
    if (lane == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)

__device__ unsigned ticket;
LAUNCH(reduce9, 256, 1, 0);
template <class Op, class T> __device__ void reduce9(const T *in, T *out, unsigned n, T *partial)
{
    using Block = cub::BlockReduce<T, 256>;
    __shared__ typename Block::TempStorage temp;
    __shared__ unsigned mine;
    T v = Block(temp).Reduce(grid_sum<Op>(in, n), Functor<Op, T>());

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence();
        mine = atomicInc(&ticket, gridDim.x - 1);
    }
    __syncthreads();
    if (mine != gridDim.x - 1)
        return;
    __threadfence();
    v = Op::neutral(T());
    for (unsigned b = threadIdx.x; b < gridDim.x; b += 256)
        v = Op::apply(v, partial[b]);
    v = Block(temp).Reduce(v, Functor<Op, T>());
    if (threadIdx.x == 0)
        *out = v;
}
#define KERNEL9(type_op, T, Op) KERNEL reduce9_##type_op(const T *in, T *out, unsigned n, T *partial) { reduce9<Op, T>(in, out, n, partial); }
KERNEL9(i32_sum, int, Sum)
KERNEL9(f32_sum, float, Sum)
KERNEL9(f64_sum, double, Sum)
KERNEL9(i32_min, int, Min)
KERNEL9(i32_max, int, Max)
