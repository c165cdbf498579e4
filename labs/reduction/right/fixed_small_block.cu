// Steps 2 to 5 written for one block size, the one that their records ask for: constants, static
// shared memory, and every round of the tree written out by the compiler.
// only: reduce2 reduce3 reduce4 reduce5
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

#define KERNELS(f)                                                                                 \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { f<Sum>(in, out, n); }                \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { f<Sum>(in, out, n); }            \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { f<Sum>(in, out, n); }          \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { f<Min>(in, out, n); }                \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { f<Max>(in, out, n); }

// Elements i and i + block, where they exist.
template <class Op, class T>
__device__ T load_two(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = i < n ? in[i] : Op::neutral(T());

    return i + block < n ? Op::apply(v, in[i + block]) : v;
}

enum { BLOCK = 64 };

template <class Op, class T> __device__ void join(T *s, unsigned to, unsigned from)
{
    s[to] = Op::apply(s[to], s[from]);
}

LAUNCH(reduce2, BLOCK, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;

    s[tid] = i < n ? in[i] : Op::neutral(T());
#pragma unroll
    for (unsigned step = 1; step < BLOCK; step *= 2) {
        __syncthreads();
        if (tid < BLOCK / 2 / step)
            join<Op>(s, 2 * step * tid, 2 * step * tid + step);
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce2)

LAUNCH(reduce3, BLOCK, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;

    s[tid] = i < n ? in[i] : Op::neutral(T());
#pragma unroll
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half)
            join<Op>(s, tid, tid + half);
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce3)

LAUNCH(reduce4, BLOCK, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * BLOCK * 2 + tid, BLOCK);
#pragma unroll
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half)
            join<Op>(s, tid, tid + half);
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce4)

// Two warps: one barrier, and the second is done.
LAUNCH(reduce5, BLOCK, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * BLOCK * 2 + tid, BLOCK);
    __syncthreads();
    if (tid >= 32)
        return;
#pragma unroll
    for (unsigned half = 32; half > 0; half /= 2) {
        if (tid < half)
            join<Op>(s, tid, tid + half);
        __syncwarp();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce5)
