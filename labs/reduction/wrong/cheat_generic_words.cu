// Step 2's tree as 3, its words read and written by addresses that do not say that they are
// shared memory's.
// class: elsewhere
// only: reduce3
// expect: r3-gate=fail
// hint: r3-gate: neighbours
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

__device__ int get(const int *p)
{
    int v;

    asm volatile("ld.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ float get(const float *p) { return __int_as_float(get((const int *)p)); }
__device__ double get(const double *p)
{
    double v;

    asm volatile("ld.f64 %0, [%1];" : "=d"(v) : "l"(p) : "memory");
    return v;
}
__device__ void set(int *p, int v) { asm volatile("st.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ void set(float *p, float v) { set((int *)p, __float_as_int(v)); }
__device__ void set(double *p, double v) { asm volatile("st.f64 [%0], %1;" ::"l"(p), "d"(v) : "memory"); }

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_one<Op>(in, n, blockIdx.x * blockDim.x + tid);
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned index = 2 * step * tid;

        if (index < blockDim.x)
            set(s + index, Op::apply(get(s + index), get(s + index + step)));
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce3)
