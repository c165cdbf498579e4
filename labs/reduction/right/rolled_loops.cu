// Right: no loop is unrolled, neither a warp's last rounds nor step 7's tree nor the shuffles.
// only: reduce2 reduce3 reduce4 reduce5 reduce7 reduce8
// after: other_blocks
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

// The same where the block size is a template argument: the lectures choose among the ten
// in host code; here the kernel does, on a value that is the same for all its threads.
#define FOR_BLOCK(f, Op)                                                                           \
    switch (blockDim.x) {                                                                          \
    case 512: f<512, Op>(in, out, n); break;                                                       \
    case 256: f<256, Op>(in, out, n); break;                                                       \
    case 128: f<128, Op>(in, out, n); break;                                                       \
    case  64: f< 64, Op>(in, out, n); break;                                                       \
    case  32: f< 32, Op>(in, out, n); break;                                                       \
    case  16: f< 16, Op>(in, out, n); break;                                                       \
    case   8: f<  8, Op>(in, out, n); break;                                                       \
    case   4: f<  4, Op>(in, out, n); break;                                                       \
    case   2: f<  2, Op>(in, out, n); break;                                                       \
    case   1: f<  1, Op>(in, out, n); break;                                                       \
    }
#define KERNELS_FOR_BLOCK(f)                                                                       \
    KERNEL f##_i32_sum(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Sum) }                  \
    KERNEL f##_f32_sum(const float *in, float *out, unsigned n) { FOR_BLOCK(f, Sum) }              \
    KERNEL f##_f64_sum(const double *in, double *out, unsigned n) { FOR_BLOCK(f, Sum) }            \
    KERNEL f##_i32_min(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Min) }                  \
    KERNEL f##_i32_max(const int *in, int *out, unsigned n) { FOR_BLOCK(f, Max) }

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : Op::neutral(T());
    __syncthreads();
#pragma unroll 1
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned index = 2 * step * tid;

        if (index < blockDim.x)
            s[index] = Op::apply(s[index], s[index + step]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce2)

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : Op::neutral(T());
    __syncthreads();
#pragma unroll 1
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce3)

// What a thread of steps 4 to 6 brings: elements i and i + block, where they exist.
template <class Op, class T>
__device__ T load_two(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = i < n ? in[i] : Op::neutral(T());

    return i + block < n ? Op::apply(v, in[i + block]) : v;
}

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + tid, blockDim.x);
    __syncthreads();
#pragma unroll 1
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce4)

// The last six halvings, by one warp. The lectures leave out the barrier and the guard since
// "a warp runs in lock step". It has not since Volta: without __syncwarp() a lane may read
// before its neighbour wrote. The guard keeps idle lanes off elements being read by others.
template <class Op, class T> __device__ void last_warp(T *s, unsigned tid, unsigned block)
{
#pragma unroll 1
    for (unsigned half = 32; half > 0; half /= 2) {
        if (block >= 2 * half && tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncwarp();
    }
}

LAUNCH(reduce5, 128, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + tid, blockDim.x);
    __syncthreads();
#pragma unroll 1
    for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid < 32)
        last_warp<Op>(s, tid, blockDim.x);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce5)

// Steps over the array by whole grids, so that neighbours stay neighbours: still coalesced.
template <class Op, class T>
__device__ T load_many(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = Op::neutral(T());

#pragma unroll 1
    for (; i < n; i += 2 * block * gridDim.x) {
        v = Op::apply(v, in[i]);
        if (i + block < n)
            v = Op::apply(v, in[i + block]);
    }
    return v;
}

LAUNCH(reduce7, 128, 1, 0); // 0 elements a thread: as many blocks as the device can hold
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_many<Op>(in, n, blockIdx.x * block * 2 + tid, block);
    __syncthreads();
#pragma unroll 1
    for (unsigned half = block / 2; half > 32; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid < 32)
        last_warp<Op>(s, tid, block);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS_FOR_BLOCK(reduce7)

// Lane 0 returns the result of the warp; the values travel from register to register.
template <class Op, class T> __device__ T warp_reduce(T v)
{
#pragma unroll 1
    for (unsigned half = 16; half > 0; half /= 2)
        v = Op::apply(v, __shfl_down_sync(0xffffffff, v, half));
    return v;
}

// Thread 0 returns the result of the block: one value a warp through shared memory, one
// barrier in all. `warp` reduces 32 values to lane 0's.
template <class Op, class T, class Warp> __device__ T block_reduce(T v, Warp warp)
{
    T *s = shared_array<T>();
    unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32;

    v = warp(v);
    if (lane == 0)
        s[w] = v;
    __syncthreads();
    if (w == 0)
        v = warp(lane < blockDim.x / 32 ? s[lane] : Op::neutral(T()));
    return v;
}

LAUNCH(reduce8, 256, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    T v = load_many<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x);

    v = block_reduce<Op>(v, [](T x) { return warp_reduce<Op>(x); });
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)

