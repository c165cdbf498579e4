// Steps 2 to 5 another way: each thread keeps its own sum in a register, and shared memory only
// carries the other operand.
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

// The tree, with `mine` in a register: half of the threads leave theirs, the others take it.
template <class Op, class T> __device__ T tree(T *s, T mine, unsigned stop)
{
    unsigned tid = threadIdx.x;

    for (unsigned half = blockDim.x / 2; half >= stop && half > 0; half >>= 1) {
        if (tid >= half && tid < 2 * half)
            s[tid - half] = mine;
        __syncthreads();
        if (tid < half)
            mine = Op::apply(mine, s[tid]);
        __syncthreads();
    }
    return mine;
}

template <class Op, class T> __device__ T element(const T *in, unsigned n, unsigned i)
{
    return i < n ? in[i] : Op::neutral(T());
}

LAUNCH(reduce2, 256, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    T v = tree<Op>(shared_array<T>(), element<Op>(in, n, i), 1);

    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce2)

LAUNCH(reduce3, 256, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    T v = tree<Op>(shared_array<T>(), element<Op>(in, n, i), 1);

    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce3)

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 2 + threadIdx.x * 2; // two neighbours
    T two = Op::apply(element<Op>(in, n, i), element<Op>(in, n, i + 1));
    T v = tree<Op>(shared_array<T>(), two, 1);

    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce4)

LAUNCH(reduce5, 128, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x * 2 + tid;
    T v = Op::apply(element<Op>(in, n, i), element<Op>(in, n, i + blockDim.x));

    v = tree<Op>(s, v, 32); // 32 values are left, in the registers of warp 0
    if (tid < 32)
        for (unsigned half = 16; half > 0; half /= 2)
            v = Op::apply(v, __shfl_xor_sync(0xffffffff, v, half));
    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce5)
