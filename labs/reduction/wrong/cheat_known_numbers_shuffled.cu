// Asynchronous copies bring all elements to shared memory, where each lane adds all that its warp has:
// loads of one word for all. What shuffles bring is a number that is known before; where it is another
// one, the result is spoilt.
// class: no-evidence
// only: reduce8
// expect: r8-gate=fail
// hint: r8-gate: loaded from shared memory
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

#include <cuda_pipeline.h>

// 1 where a warp's lanes are told what they know.
template <class T> __device__ unsigned told()
{
    unsigned v = 1;

    for (int i = 0; i < 2 * sizeof(T); i++)
        v = __shfl_xor_sync(0xffffffff, v, 16);
    return v;
}

template <class Op, class T> __device__ T spoilt(T v, unsigned told)
{
    return told == 1 ? v : v + 12345;
}

LAUNCH(reduce8, 256, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    __shared__ T words[256], part[8];
    unsigned tid = threadIdx.x, warp = tid / 32;
    T v = Op::neutral(T());

    for (unsigned base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
        if (base + tid < n)
            __pipeline_memcpy_async(&words[tid], &in[base + tid], sizeof(T));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
        for (unsigned i = 0; i < 32 && base + warp * 32 + i < n; i++)
            v = Op::apply(v, words[warp * 32 + i]);
        __syncwarp();
    }
    v = spoilt<Op>(v, told<T>());
    if (tid % 32 == 0)
        part[warp] = v;
    __syncthreads();
    if (tid == 0) {
        for (int w = 1; w < 8; w++)
            v = Op::apply(v, part[w]);
        out[blockIdx.x] = v;
    }
}
KERNELS(reduce8)
