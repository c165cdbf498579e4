// Step 1's tree as 3 and 4: its words lie side by side, so that it has no bank conflict.
// class: no-evidence
// only: reduce3 reduce4
// expect: r3-gate=fail r4-gate=fail
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

// Step 1's tree: interleaved, every warp stays to the end.
template <class Op, class T> __device__ void divergent_tree(T v, T *out)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = v;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (tid % (2 * step) == 0)
            s[tid] = Op::apply(s[tid], s[tid + step]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    divergent_tree<Op>(load_one<Op>(in, n, blockIdx.x * blockDim.x + threadIdx.x), out);
}
KERNELS(reduce3)

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    divergent_tree<Op>(load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x), out);
}
KERNELS(reduce4)
