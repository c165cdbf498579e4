// Steps 8 and 9 with what the CUB library has for a warp and for a block.
// only: reduce8 reduce9
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

#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

LAUNCH(reduce8, 256, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    using Warp = cub::WarpReduce<T>;
    __shared__ typename Warp::TempStorage storage[9];
    __shared__ T of_warps[8];
    auto op = [](T a, T b) { return Op::apply(a, b); };
    unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32;
    T v = load_many<Op>(in, n, blockIdx.x * 512 + threadIdx.x, 256);

    v = Warp(storage[w]).Reduce(v, op);
    if (lane == 0)
        of_warps[w] = v;
    __syncthreads();
    if (w == 0) {
        v = Warp(storage[8]).Reduce(lane < 8 ? of_warps[lane] : Op::neutral(T()), op);
        if (lane == 0)
            out[blockIdx.x] = v;
    }
}
KERNELS(reduce8)

__device__ unsigned blocks_done;

LAUNCH(reduce9, 256, 1, 0);
template <class Op, class T>
__device__ void reduce9(const T *in, T *out, unsigned n, T *partial)
{
    using Block = cub::BlockReduce<T, 256>;
    __shared__ typename Block::TempStorage storage;
    __shared__ bool last;
    auto op = [](T a, T b) { return Op::apply(a, b); };
    T v = Block(storage).Reduce(load_many<Op>(in, n, blockIdx.x * 512 + threadIdx.x, 256), op);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    v = Op::neutral(T());
    for (unsigned b = threadIdx.x; b < gridDim.x; b += 256)
        v = Op::apply(v, partial[b]);
    v = Block(storage).Reduce(v, op);
    if (threadIdx.x == 0)
        out[0] = v;
}
#define KERNEL9(type_op, T, Op)                                                                    \
    KERNEL reduce9_##type_op(const T *in, T *out, unsigned n, T *partial)                          \
    {                                                                                              \
        reduce9<Op>(in, out, n, partial);                                                          \
    }
KERNEL9(i32_sum, int, Sum)
KERNEL9(f32_sum, float, Sum)
KERNEL9(f64_sum, double, Sum)
KERNEL9(i32_min, int, Min)
KERNEL9(i32_max, int, Max)
