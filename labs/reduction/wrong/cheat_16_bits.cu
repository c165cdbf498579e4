// An element's number is kept in 16 bits: right up to 65536 elements.
// class: only-where-looked
// only: reduce2 reduce3 reduce4
// expect: r2-ok=fail r3-ok=fail r4-ok=fail
// hint: r2-ok: hidden case
// hint: r3-ok: hidden case
// hint: r4-ok: hidden case
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

template <class Op, class T> __device__ T load(const T *in, unsigned n, unsigned i)
{
    unsigned short place = i;

    return i < n ? in[place] : Op::neutral(T());
}

// Step 2's tree: whole warps retire, and its words lie in ever fewer banks.
template <class Op, class T> __device__ void strided_tree(T v, T *out)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = v;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned index = 2 * step * tid;

        if (index < blockDim.x)
            s[index] = Op::apply(s[index], s[index + step]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
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

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    strided_tree<Op>(load<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), out);
}
KERNELS(reduce2)

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    sequential_tree<Op>(load<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), out);
}
KERNELS(reduce3)

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 2 + threadIdx.x;

    sequential_tree<Op>(Op::apply(load<Op>(in, n, i), load<Op>(in, n, i + blockDim.x)), out);
}
KERNELS(reduce4)
