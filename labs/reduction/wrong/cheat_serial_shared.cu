// Every thread leaves its value in shared memory, and the first one adds them all. Where a
// loop would tell, the compiler unrolls it and 16 bytes are read at a time.
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

// Sixteen bytes of the others' values.
template <class T> struct alignas(16) Some {
    T v[16 / sizeof(T)];
};

template <class Op, class T> __device__ void serial(T v, T *out, unsigned block)
{
    T *s = shared_array<T>();

    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    constexpr unsigned some = 16 / sizeof(T);
    v = Op::neutral(T());
    if (block >= some) {
        const Some<T> *all = reinterpret_cast<const Some<T> *>(s);

#pragma unroll 4
        for (unsigned i = 0; i < block / some; i++) {
            Some<T> next = all[i];

            for (T x : next.v)
                v = Op::apply(v, x);
        }
    } else {
        for (unsigned i = 0; i < block; i++)
            v = Op::apply(v, s[i]);
    }
    out[blockIdx.x] = v;
}

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    serial<Op>(load_one<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), out, blockDim.x);
}
KERNELS(reduce2)

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    serial<Op>(load_one<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), out, blockDim.x);
}
KERNELS(reduce3)

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    serial<Op>(load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out, blockDim.x);
}
KERNELS(reduce4)

LAUNCH(reduce5, 128, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    serial<Op>(load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out, blockDim.x);
}
KERNELS(reduce5)

LAUNCH(reduce6, 128, 1, 2);
template <unsigned block, class Op, class T>
__device__ void reduce6(const T *in, T *out, unsigned n)
{
    serial<Op>(load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out, block);
}
KERNELS_FOR_BLOCK(reduce6)

LAUNCH(reduce7, 128, 1, 0);
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    serial<Op>(load_many<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out, block);
}
KERNELS_FOR_BLOCK(reduce7)
