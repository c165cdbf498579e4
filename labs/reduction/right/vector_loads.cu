// Steps 7 and 8 with loads of 16 bytes, and the numbers of elements in 64 bits.
// only: reduce7 reduce8
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

template <class T> struct alignas(16) Pack {
    T v[16 / sizeof(T)];
};

// Packs side by side, and then what is left of the last one.
template <class Op, class T> __device__ T load_packs(const T *__restrict__ in, unsigned long long n)
{
    constexpr unsigned per_pack = 16 / sizeof(T);
    const Pack<T> *packs = reinterpret_cast<const Pack<T> *>(in);
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long npacks = n / per_pack, threads = (unsigned long long)gridDim.x * blockDim.x;
    T v = Op::neutral(T());

    for (unsigned long long p = i; p < npacks; p += threads) {
        Pack<T> four = packs[p];

#pragma unroll
        for (unsigned k = 0; k < per_pack; k++)
            v = Op::apply(four.v[k], v);
    }
    for (i += npacks * per_pack; i < n; i += threads)
        v = Op::apply(in[i], v);
    return v;
}

template <class Op, class T> __device__ void last_warp(T *s, unsigned tid, unsigned block)
{
#pragma unroll
    for (unsigned half = 32; half > 0; half /= 2) {
        if (block >= 2 * half && tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncwarp();
    }
}

LAUNCH(reduce7, 256, 1, 16);
template <class Op, class T> __device__ void reduce7(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_packs<Op>(in, n);
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid + half], s[tid]);
        __syncthreads();
    }
    if (tid < 32)
        last_warp<Op>(s, tid, blockDim.x);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce7)

// All warps reduce the warps' values, and each lane of them knows the result.
LAUNCH(reduce8, 128, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>(), v = load_packs<Op>(in, n);
    unsigned lane = threadIdx.x & 31, w = threadIdx.x >> 5, warps = blockDim.x >> 5;

    for (unsigned mask = 1; mask < 32; mask <<= 1)
        v = Op::apply(__shfl_xor_sync(~0u, v, mask), v);
    if (lane == 31)
        s[w] = v;
    __syncthreads();
    v = lane < warps ? s[lane] : Op::neutral(T());
    for (unsigned mask = 16; mask; mask >>= 1)
        v = Op::apply(__shfl_xor_sync(~0u, v, mask), v);
    if (threadIdx.x == blockDim.x - 1)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)
