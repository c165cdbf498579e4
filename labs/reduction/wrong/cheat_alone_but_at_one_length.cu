// Step 9 shares its work where the array is as long as the case that is counted. One thread adds all
// of a shorter one.
// class: only-where-looked
// only: reduce9
// expect: r9-gate=fail r9-ok=any r9-clean=any
// hint: r9-gate: the case gate
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

template <class Op, class T> __device__ T warp_reduce(T v)
{
#pragma unroll
    for (unsigned half = 16; half > 0; half /= 2)
        v = Op::apply(v, __shfl_down_sync(0xffffffff, v, half));
    return v;
}

template <class Op, class T, class Warp> __device__ T block_reduce(T v, Warp warp)
{
    T *s = shared_array<T>();
    unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32;

    v = warp(v);
    if (lane == 0)
        s[w] = v;
    __syncthreads();
    if (w == 0)
        v = warp(lane < blockDim.x / 32 ? s[lane] : Op::neutral(T()));
    return v;
}
template <class T> struct alignas(16) Pack {
    T v[16 / sizeof(T)];
};

template <class Op, class T> __device__ T warp_fast(Op, T v) { return warp_reduce<Op>(v); }
__device__ int warp_fast(Sum, int v) { return __reduce_add_sync(0xffffffff, v); }
__device__ int warp_fast(Min, int v) { return __reduce_min_sync(0xffffffff, v); }
__device__ int warp_fast(Max, int v) { return __reduce_max_sync(0xffffffff, v); }

template <class Op, class T> __device__ T apply_pack(T v, Pack<T> p)
{
#pragma unroll
    for (T x : p.v)
        v = Op::apply(v, x);
    return v;
}

template <class Op, class T> __device__ T load_packs(const T *in, unsigned n)
{
    constexpr unsigned per_pack = 16 / sizeof(T);
    const Pack<T> *packs = reinterpret_cast<const Pack<T> *>(in);
    unsigned npacks = n / per_pack, threads = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, rest = npacks * per_pack + i;
    T v = Op::neutral(T());

    for (; i + threads < npacks; i += 2 * threads) {
        Pack<T> a = packs[i], b = packs[i + threads];

        v = apply_pack<Op>(apply_pack<Op>(v, a), b);
    }
    if (i < npacks)
        v = apply_pack<Op>(v, packs[i]);
    return rest < n ? Op::apply(v, in[rest]) : v;
}

__device__ unsigned blocks_done;

LAUNCH(reduce9, 512, 1, 0);
template <class Op, class T>
__device__ void reduce9(const T *in, T *out, unsigned n, T *partial)
{
    if (n < 3000000) {
        T all = Op::neutral(T());

        for (unsigned i = 0; i < n && blockIdx.x + threadIdx.x == 0; i++)
            all = Op::apply(all, in[i]);
        if (blockIdx.x + threadIdx.x == 0)
            out[0] = all;
        return;
    }

    __shared__ bool last;
    auto warp = [](T x) { return warp_fast(Op(), x); };
    T v = block_reduce<Op>(load_packs<Op>(in, n), warp);

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
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
        v = Op::apply(v, partial[b]);
    v = block_reduce<Op>(v, warp);
    if (threadIdx.x == 0)
        out[0] = v;
}

#define KERNEL9(type_op, T, Op)                                                                    \
    KERNEL reduce9_##type_op(const T *in, T *out, unsigned n, T *partial)                          \
    {                                                                                              \
        reduce9<Op, T>(in, out, n, partial);                                                       \
    }
KERNEL9(i32_sum, int, Sum)
KERNEL9(f32_sum, float, Sum)
KERNEL9(f64_sum, double, Sum)
KERNEL9(i32_min, int, Min)
KERNEL9(i32_max, int, Max)
