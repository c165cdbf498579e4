// No tree: four lanes add sixteen numbers each, in few loads as these are of 16 bytes, and the first
// adds these four. In blocks of 64 that has no more loads by a part of a warp than a tree has.
// class: no-evidence
// only: reduce2 reduce3 reduce4 reduce5
// expect: r2-gate=fail r3-gate=fail r4-gate=fail r5-gate=fail
// hint: r2-gate: full warps
// hint: r3-gate: full warps
// hint: r4-gate: full warps
// hint: r5-gate: flop_fp32_slots
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

// Of 16 numbers a lane: its own packs, four lanes side by side.
template <class Op, class T> __device__ T add_packs(const T *s, unsigned lane)
{
    T v = Op::neutral(T());

#pragma unroll
    for (unsigned j = 0; j < sizeof(T); j++) {
        Pack<T> p = reinterpret_cast<const Pack<T> *>(s)[j * 4 + lane];

#pragma unroll
        for (T x : p.v)
            v = Op::apply(v, x);
    }
    return v;
}

template <class Op, class T>
__device__ void few_lanes(const T *in, T *out, unsigned n, unsigned each)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, block = blockDim.x, i = blockIdx.x * block * each + tid;
    T v = i < n ? in[i] : Op::neutral(T());

    if (each == 2 && i + block < n)
        v = Op::apply(v, in[i + block]);
    s[tid] = v;
    __syncthreads();
    if (tid >= 4)
        return;
    v = add_packs<Op>(s, tid);
    __syncwarp(15);
    s[tid] = v;
    __syncwarp(15);
    if (tid == 0)
        out[blockIdx.x] = Op::apply(Op::apply(v, s[1]), Op::apply(s[2], s[3]));
}

#define STEP(name, each)                                                                           \
    LAUNCH(name, 64, 1, each);                                                                     \
    template <class Op, class T> __device__ void name(const T *in, T *out, unsigned n)             \
    {                                                                                              \
        few_lanes<Op>(in, out, n, each);                                                           \
    }                                                                                              \
    KERNELS(name)
STEP(reduce2, 1)
STEP(reduce3, 1)
STEP(reduce4, 2)
STEP(reduce5, 2)
