// The first thread of a block loads all that the block is to add, and adds it. No lane diverges,
// no bank has a conflict, no barrier is needed, and each load touches a single sector.
// class: no-evidence
// only: reduce2 reduce3 reduce4 reduce5 reduce7 reduce8
// expect: r2-gate=fail r3-gate=fail r4-gate=fail r5-gate=fail r7-ok=fail r7-gate=fail r8-gate=fail
// hint: r7-ok: did not come to an end
// hint: r2-gate: first of the block
// hint: r3-gate: neighbours
// hint: r4-gate: half of
// hint: r5-gate: whom
// hint: r7-gate: side by side
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

#define KERNELS(f)                                                                                 \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { f<Sum>(in, out, n); }                \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { f<Sum>(in, out, n); }            \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { f<Sum>(in, out, n); }          \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { f<Min>(in, out, n); }                \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { f<Max>(in, out, n); }

template <class Op, class T>
__device__ void serial(const T *in, T *out, unsigned n, unsigned each)
{
    if (threadIdx.x != 0)
        return;
    T v = Op::neutral(T());
    unsigned chunk = blockDim.x * each;

    for (unsigned from = blockIdx.x * chunk; from < n; from += gridDim.x * chunk)
        for (unsigned i = from; i < n && i < from + chunk; i++)
            v = Op::apply(v, in[i]);
    out[blockIdx.x] = v;
}

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    serial<Op>(in, out, n, 1);
}
KERNELS(reduce2)

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    serial<Op>(in, out, n, 1);
}
KERNELS(reduce3)

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    serial<Op>(in, out, n, 2);
}
KERNELS(reduce4)

LAUNCH(reduce5, 128, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    serial<Op>(in, out, n, 2);
}
KERNELS(reduce5)

LAUNCH(reduce7, 128, 1, 0);
template <class Op, class T> __device__ void reduce7(const T *in, T *out, unsigned n)
{
    serial<Op>(in, out, n, 1);
}
KERNELS(reduce7)

LAUNCH(reduce8, 128, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    serial<Op>(in, out, n, 1);
}
KERNELS(reduce8)
