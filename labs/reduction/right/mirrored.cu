// Trees that grow towards the last thread, conditions the other way round, and warps that leave
// early once no barrier is to come.
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

template <class Op, class T> __device__ T mirrored_tree(T v, unsigned rounds_end)
{
    T *s = shared_array<T>();
    unsigned last = blockDim.x - 1, me = last - threadIdx.x; // how far from the last one

    s[threadIdx.x] = v;
    __syncthreads();
    for (unsigned half = blockDim.x >> 1; half != rounds_end; half >>= 1) {
        if (!(me >= half))
            s[last - me] = Op::apply(s[last - me - half], s[last - me]);
        __syncthreads();
    }
    return s[last];
}

LAUNCH(reduce2, 256, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    T v = mirrored_tree<Op>(load_one<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), 0);

    if (threadIdx.x == blockDim.x - 1)
        out[blockIdx.x] = v;
}
KERNELS(reduce2)

LAUNCH(reduce3, 512, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    T v = mirrored_tree<Op>(load_one<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), 0);

    if (threadIdx.x == blockDim.x - 1)
        out[blockIdx.x] = v;
}
KERNELS(reduce3)

// Two neighbours a thread.
LAUNCH(reduce4, 1024, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    T v = Op::apply(load_one<Op>(in, n, i + 1), load_one<Op>(in, n, i));

    v = mirrored_tree<Op>(v, 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce4)

// The last warp keeps its values in registers; all of its lanes go through every round.
LAUNCH(reduce5, 256, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    volatile T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    T v = load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + tid, blockDim.x);

    s[tid] = v;
    __syncthreads();
    for (unsigned half = blockDim.x >> 1; half > 32; half >>= 1) {
        if (tid < half)
            s[tid] = v = Op::apply(v, T(s[tid + half]));
        __syncthreads();
    }
    if (tid >= 32)
        return;
    for (unsigned half = 32; half > 0; half >>= 1) {
        if (tid + half < blockDim.x)
            v = Op::apply(v, T(s[tid + half]));
        __syncwarp();
        s[tid] = v;
        __syncwarp();
    }
    if (tid == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce5)
