// Step 9 by one thread a block: each adds its share alone, and the first block's thread waits
// for none, as it does all of it.
// class: no-evidence
// only: reduce9
// expect: r9-gate=fail
// hint: r9-gate: threads
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

LAUNCH(reduce9, 32, 1, 0);
template <class Op, class T> __device__ void reduce9(const T *in, T *out, unsigned n)
{
    if (blockIdx.x + threadIdx.x != 0)
        return;
    T v = Op::neutral(T());

#pragma unroll 8
    for (unsigned i = 0; i < n; i++)
        v = Op::apply(v, in[i]);
    out[0] = v;
}

#define KERNEL9(type_op, T, Op)                                                                    \
    KERNEL reduce9_##type_op(const T *in, T *out, unsigned n, T *) { reduce9<Op>(in, out, n); }
KERNEL9(i32_sum, int, Sum)
KERNEL9(f32_sum, float, Sum)
KERNEL9(f64_sum, double, Sum)
KERNEL9(i32_min, int, Min)
KERNEL9(i32_max, int, Max)
