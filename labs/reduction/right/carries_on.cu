// Step 9 by a grid that walks on with four loads under way, partial results by the first warp of
// the last block, and one warp's adding in pairs of lanes.
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

template <class T> __device__ T *shared_array()
{
    extern __shared__ double words[];
    return reinterpret_cast<T *>(words);
}

__device__ int arrived;

LAUNCH(reduce9, 1024, 1, 0);
template <class Op, class T>
__device__ void reduce9(const T *__restrict__ in, T *out, unsigned n, T *partial)
{
    __shared__ int ticket;
    volatile T *s = shared_array<T>();
    unsigned tid = threadIdx.x, stride = gridDim.x * blockDim.x;
    T v[4] = {Op::neutral(T()), Op::neutral(T()), Op::neutral(T()), Op::neutral(T())};
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + tid;

    for (; i + 3ull * stride < n; i += 4ull * stride)
        for (int k = 0; k < 4; k++)
            v[k] = Op::apply(v[k], in[i + (unsigned long long)k * stride]);
    for (; i < n; i += stride)
        v[0] = Op::apply(v[0], in[i]);
    v[0] = Op::apply(Op::apply(v[0], v[1]), Op::apply(v[2], v[3]));
    s[tid] = v[0];
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (tid < half)
            s[tid] = v[0] = Op::apply(v[0], T(s[tid + half]));
    }
    if (tid == 0) {
        partial[blockIdx.x] = v[0];
        __threadfence();
        ticket = atomicAdd(&arrived, 1);
    }
    __syncthreads();
    if (ticket != (int)gridDim.x - 1 || tid >= 32)
        return;
    __threadfence();
    T sum = Op::neutral(T());
    for (unsigned b = tid; b < gridDim.x; b += 32)
        sum = Op::apply(sum, partial[b]);
    for (int mask = 1; mask < 32; mask *= 2)
        sum = Op::apply(sum, __shfl_xor_sync(0xffffffff, sum, mask));
    if (tid == 0) {
        out[0] = sum;
        arrived = 0;
    }
}
#define KERNEL9(type_op, T, Op)                                                                    \
    KERNEL reduce9_##type_op(const T *in, T *out, unsigned n, T *partial)                          \
    {                                                                                              \
        reduce9<Op>(in, out, n, partial);                                                          \
    }
KERNEL9(i32_sum, int, Sum)
KERNEL9(f32_sum, float, Sum)
KERNEL9(f64_sum, double, Sum)
KERNEL9(i32_min, int, Min)
KERNEL9(i32_max, int, Max)
