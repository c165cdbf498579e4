// Right: loops by goto and in while form, pairs added by a lambda, elements fetched by a function that is
// called and gives two at once.
// only: reduce2 reduce3 reduce4 reduce5
// expect: all=pass
#include "warplab.cuh"

// ---- given: what can be reduced, and the kernels made of it ----

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

// The block's shared memory as an array of T. It has blockDim.x elements, not one more.
template <class T> __device__ T *shared_array()
{
    extern __shared__ double words[];
    return reinterpret_cast<T *>(words);
}

// The kernels that the harness looks for, made from one template f.
#define KERNELS(f)                                                                                 \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { f<Sum>(in, out, n); }                \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { f<Sum>(in, out, n); }            \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { f<Sum>(in, out, n); }          \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { f<Min>(in, out, n); }                \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { f<Max>(in, out, n); }

template <class T> struct two {
    T a, b;
};
template <class Op, class T>
__device__ __noinline__ two<T> fetched(const T *in, unsigned n, unsigned i, unsigned further)
{
    two<T> v = {Op::neutral(T()), Op::neutral(T())};

    if (i < n)
        v.a = in[i];
    if (further && i + further < n)
        v.b = in[i + further];
    return v;
}

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, step = 1;

    s[tid] = fetched<Op>(in, n, blockIdx.x * blockDim.x + tid, 0).a;
next:
    __syncthreads();
    if (step < blockDim.x) {
        T *p = s + 2 * step * tid;

        if (p < s + blockDim.x)
            *p = Op::apply(p[0], p[step]);
        step *= 2;
        goto next;
    }
    if (!tid)
        out[blockIdx.x] = *s;
}
KERNELS(reduce2)

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, half = blockDim.x;

    s[tid] = fetched<Op>(in, n, blockIdx.x * blockDim.x + tid, 0).a;
    __syncthreads();
    while (half >>= 1) {
        auto add = [=] { s[tid] = Op::apply(s[tid], s[tid + half]); };

        if (tid < half)
            add();
        __syncthreads();
    }
    if (!tid)
        out[blockIdx.x] = *s;
}
KERNELS(reduce3)

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, left = blockDim.x;
    two<T> v = fetched<Op>(in, n, blockIdx.x * blockDim.x * 2 + tid, blockDim.x);

    s[tid] = Op::apply(v.a, v.b);
    do {
        __syncthreads();
        left /= 2;
        if (tid >= left)
            continue;
        s[tid] = Op::apply(s[tid + left], s[tid]);
    } while (left > 1);
    if (!tid)
        out[blockIdx.x] = *s;
}
KERNELS(reduce4)

LAUNCH(reduce5, 256, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x, left = blockDim.x;
    two<T> v = fetched<Op>(in, n, blockIdx.x * blockDim.x * 2 + tid, blockDim.x);

    s[tid] = Op::apply(v.a, v.b);
    __syncthreads();
    while (left > 64) {
        left /= 2;
        if (tid < left)
            s[tid] = Op::apply(s[tid], s[tid + left]);
        __syncthreads();
    }
    if (tid >= 32)
        return;
again:
    left /= 2;
    if (tid < left)
        s[tid] = Op::apply(s[tid], s[tid + left]);
    __syncwarp();
    if (left > 1)
        goto again;
    if (!tid)
        out[blockIdx.x] = *s;
}
KERNELS(reduce5)
