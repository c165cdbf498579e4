// The reference solution in block sizes of all kinds, and elements a thread of its own.
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

// ---- 1: interleaved addressing, divergent branch ----

LAUNCH(reduce1, 64, 1, 1); // threads a block, 1, elements a thread
template <class Op, class T> __device__ void reduce1(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : Op::neutral(T());
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (tid % (2 * step) == 0)
            s[tid] = Op::apply(s[tid], s[tid + step]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce1)

// ---- 2: interleaved addressing, strided index ----

LAUNCH(reduce2, 1024, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : Op::neutral(T());
    __syncthreads();
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

// ---- 3: sequential addressing ----

LAUNCH(reduce3, 32, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : Op::neutral(T());
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce3)

// ---- 4: first add while loading ----

// What a thread of steps 4 to 6 brings: elements i and i + block, where they exist.
template <class Op, class T>
__device__ T load_two(const T *in, unsigned n, unsigned i, unsigned block)
{
    T v = i < n ? in[i] : Op::neutral(T());

    return i + block < n ? Op::apply(v, in[i + block]) : v;
}

LAUNCH(reduce4, 256, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + tid, blockDim.x);
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS(reduce4)

// ---- 5: last warp unrolled ----

// The last six halvings, by one warp. The lectures leave out the barrier and the guard since
// "a warp runs in lock step". It has not since Volta: without __syncwarp() a lane may read
// before its neighbour wrote. The guard keeps idle lanes off elements being read by others.
template <class Op, class T> __device__ void last_warp(T *s, unsigned tid, unsigned block)
{
#pragma unroll
    for (unsigned half = 32; half > 0; half /= 2) {
        if (block >= 2 * half && tid < half)
            s[tid] = Op::apply(s[tid], s[tid + half]);
        __syncwarp();
    }
}

LAUNCH(reduce5, 512, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * blockDim.x * 2 + tid, blockDim.x);
    __syncthreads();
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

// ---- 6: completely unrolled ----

// Every `if` on `block` is settled by the compiler: what is left has no loop.
template <unsigned block, class Op, class T> __device__ void unrolled_tree(T *s, unsigned tid)
{
    __syncthreads();
    if (block >= 512) {
        if (tid < 256)
            s[tid] = Op::apply(s[tid], s[tid + 256]);
        __syncthreads();
    }
    if (block >= 256) {
        if (tid < 128)
            s[tid] = Op::apply(s[tid], s[tid + 128]);
        __syncthreads();
    }
    if (block >= 128) {
        if (tid < 64)
            s[tid] = Op::apply(s[tid], s[tid + 64]);
        __syncthreads();
    }
    if (tid < 32)
        last_warp<Op>(s, tid, block);
}

LAUNCH(reduce6, 512, 1, 2);
template <unsigned block, class Op, class T>
__device__ void reduce6(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_two<Op>(in, n, blockIdx.x * block * 2 + tid, block);
    unrolled_tree<block, Op>(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS_FOR_BLOCK(reduce6)

// ---- 7: many elements a thread ----

// Steps over the array by whole grids, so that neighbours stay neighbours: still coalesced.
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

LAUNCH(reduce7, 64, 1, 8); // 0 elements a thread: as many blocks as the device can hold
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    T *s = shared_array<T>();
    unsigned tid = threadIdx.x;

    s[tid] = load_many<Op>(in, n, blockIdx.x * block * 2 + tid, block);
    unrolled_tree<block, Op>(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
KERNELS_FOR_BLOCK(reduce7)

// ---- 8: shuffles ----

// Lane 0 returns the result of the warp; the values travel from register to register.
template <class Op, class T> __device__ T warp_reduce(T v)
{
#pragma unroll
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

LAUNCH(reduce8, 1024, 1, 4);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    T v = load_many<Op>(in, n, blockIdx.x * blockDim.x * 2 + threadIdx.x, blockDim.x);

    v = block_reduce<Op>(v, [](T x) { return warp_reduce<Op>(x); });
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
KERNELS(reduce8)

// ---- 9: the best we know ----

// 16 bytes of T, loaded by one instruction.
template <class T> struct alignas(16) Pack {
    T v[16 / sizeof(T)];
};

// The warp's result in one instruction where there is one (int, since compute capability
// 8.0), else by shuffles.
template <class Op, class T> __device__ T warp_fast(Op, T v) { return warp_reduce<Op>(v); }
__device__ int warp_fast(Sum, int v) { return __reduce_add_sync(0xffffffff, v); }
__device__ int warp_fast(Min, int v) { return __reduce_min_sync(0xffffffff, v); }
__device__ int warp_fast(Max, int v) { return __reduce_max_sync(0xffffffff, v); }

template <class Op, class T> __device__ T apply_pack(T v, Pack<T> p)
{
#pragma unroll
    for (T x : p.v)
        v = Op::apply(v, x);
    return v;
}

// Two packs in flight a thread; then what is left, fewer elements than a pack holds.
template <class Op, class T> __device__ T load_packs(const T *in, unsigned n)
{
    constexpr unsigned per_pack = 16 / sizeof(T);
    const Pack<T> *packs = reinterpret_cast<const Pack<T> *>(in);
    unsigned npacks = n / per_pack, threads = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, rest = npacks * per_pack + i;
    T v = Op::neutral(T());

    for (; i + threads < npacks; i += 2 * threads) {
        Pack<T> a = packs[i], b = packs[i + threads];

        v = apply_pack<Op>(apply_pack<Op>(v, a), b);
    }
    if (i < npacks)
        v = apply_pack<Op>(v, packs[i]);
    return rest < n ? Op::apply(v, in[rest]) : v;
}

// How many blocks of this launch have left their partial result. Counts from 0 to the number
// of blocks and wraps to 0, ready for the next launch.
__device__ unsigned blocks_done;

// All blocks leave a partial result; the block that comes last reduces these. No block waits
// for another, so any number of them will do. Adding in a fixed order keeps floats repeatable.
LAUNCH(reduce9, 32, 1, 16);
template <class Op, class T>
__device__ void reduce9(const T *in, T *out, unsigned n, T *partial)
{
    __shared__ bool last;
    auto warp = [](T x) { return warp_fast(Op(), x); };
    T v = block_reduce<Op>(load_packs<Op>(in, n), warp);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence(); // the partial result is seen before the count of it
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence(); // the count is seen before the partial results of the others
    v = Op::neutral(T());
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
        v = Op::apply(v, partial[b]);
    v = block_reduce<Op>(v, warp);
    if (threadIdx.x == 0)
        out[0] = v;
}

#define KERNEL9(type_op, T, Op)                                                                    \
    KERNEL reduce9_##type_op(const T *in, T *out, unsigned n, T *partial)                          \
    {                                                                                              \
        reduce9<Op, T>(in, out, n, partial);                                                       \
    }
KERNEL9(i32_sum, int, Sum)
KERNEL9(f32_sum, float, Sum)
KERNEL9(f64_sum, double, Sum)
KERNEL9(i32_min, int, Min)
KERNEL9(i32_max, int, Max)
