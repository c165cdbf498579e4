// Right: step 9 in blocks of 1024, where lane 0 of each of 32 warps stores its warp's value.
// only: reduce9
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

// Two accumulators, loads of 16 bytes, the ticket by PTX.
template <class T> struct alignas(16) Four {
    T v[16 / sizeof(T)];
};
template <class Op, class T> __device__ T whole_warp(T v)
{
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2)
        v = Op::apply(v, __shfl_xor_sync(~0u, v, d));
    return v;
}
template <class Op, class T> __device__ T whole_block(T v)
{
    __shared__ T of[32];
    v = whole_warp<Op>(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        of[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32)
        v = whole_warp<Op>(threadIdx.x < blockDim.x / 32 ? of[threadIdx.x] : Op::neutral(T()));
    return v;
}
__device__ unsigned tickets;
LAUNCH(reduce9, 1024, 1, 0);
template <class Op, class T> __device__ void reduce9(const T *in, T *out, unsigned n, T *partial)
{
    constexpr unsigned each = 16 / sizeof(T);
    __shared__ unsigned ticket;
    const Four<T> *quads = reinterpret_cast<const Four<T> *>(in);
    const unsigned m = n / each, by = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    T a = Op::neutral(T()), b = a;
    auto join = [](T &to, const Four<T> &q) {
#pragma unroll
        for (T x : q.v)
            to = Op::apply(to, x);
    };
    unsigned i = t;
    for (; i < m && m - i > by; i += 2 * by) {
        Four<T> p = quads[i], q = quads[i + by];
        join(a, p);
        join(b, q);
    }
    if (i < m) {
        Four<T> p = quads[i];
        join(a, p);
    }
    if (t < n - m * each)
        b = Op::apply(b, in[m * each + t]);
    a = whole_block<Op>(Op::apply(a, b));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = a;
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(ticket) : "l"(&tickets), "r"(gridDim.x - 1) : "memory");
    }
    __syncthreads();
    if (ticket != gridDim.x - 1)
        return;
    __threadfence();
    a = Op::neutral(T());
    for (unsigned p = threadIdx.x; p < gridDim.x; p += blockDim.x)
        a = Op::apply(a, __ldcg(partial + p));
    a = whole_block<Op>(a);
    if (threadIdx.x == 0)
        *out = a;
}
#define NINE(name, T, Op) KERNEL reduce9_##name(const T *in, T *out, unsigned n, T *partial) { reduce9<Op, T>(in, out, n, partial); }
NINE(i32_sum, int, Sum)
NINE(f32_sum, float, Sum)
NINE(f64_sum, double, Sum)
NINE(i32_min, int, Min)
NINE(i32_max, int, Max)
