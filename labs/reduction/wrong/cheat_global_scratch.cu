// Step 8's lanes leave their values in global memory and fetch the neighbours' from there.
// class: elsewhere
// only: reduce8
// expect: r8-gate=fail
// hint: r8-gate: shuffles
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

// A word for each thread that the device can hold at once, and one array a type.
template <class T> __device__ T scratch[1 << 19];

LAUNCH(reduce8, 256, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    unsigned tid = threadIdx.x, first = blockIdx.x * blockDim.x;
    T *s = scratch<T> + first, *warps = shared_array<T>();
    T v = load_many<Op>(in, n, first * 2 + tid, blockDim.x);

    s[tid] = v;
    __syncwarp();
    for (unsigned half = 16; half > 0; half /= 2) {
        if (tid % 32 < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncwarp();
    }
    if (tid % 32 == 0)
        warps[tid / 32] = s[tid];
    __syncthreads();
    if (tid == 0) {
        for (unsigned w = 0; w < blockDim.x / 32; w++)
            v = w ? Op::apply(v, warps[w]) : warps[0];
        out[blockIdx.x] = v;
    }
}
KERNELS(reduce8)
