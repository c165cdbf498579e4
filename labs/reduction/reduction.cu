// reduction.cu - the sum, minimum or maximum of an array, in nine steps. Yours to write.
//
// in[0..n) is reduced to one partial result a block, out[blockIdx.x]. The harness launches
// the same kernel again on the partial results until one is left. n is any number, 0 too,
// and rarely a multiple of the block: a thread without an element brings Op::neutral(T()).
//
// Step 1 is complete: read it first. Then do 2 to 8 in order, each from the one before;
// README.md of this folder says what each is about. Each step is written once, as a
// template over the operation (Op::apply(a, b) is a + b, or the smaller, or the larger)
// and the type T; KERNELS(...) makes the five kernels of it that the harness looks for.
//
// LAUNCH(kernel, threads a block, 1, elements a thread) is read by the harness: try others.
// Blocks of steps 1 to 7 are a power of two, of 8 and 9 whole warps.
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

LAUNCH(reduce1, 128, 1, 1); // threads a block, 1, elements a thread
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

LAUNCH(reduce2, 128, 1, 1);
template <class Op, class T> __device__ void reduce2(const T *in, T *out, unsigned n)
{
    // TODO 2: step 1 keeps every second thread of a warp idle, then three of four, ... Let the
    // *first* threads of the block do the work instead: which pair is thread tid's?
    if (threadIdx.x == 0)
        out[blockIdx.x] = Op::neutral(T());
}
KERNELS(reduce2)

// ---- 3: sequential addressing ----

LAUNCH(reduce3, 128, 1, 1);
template <class Op, class T> __device__ void reduce3(const T *in, T *out, unsigned n)
{
    // TODO 3: the pairs of step 2 lie further and further apart, in the same few banks.
    // Choose pairs so that neighbouring threads always touch neighbouring words.
    if (threadIdx.x == 0)
        out[blockIdx.x] = Op::neutral(T());
}
KERNELS(reduce3)

// ---- 4: first add while loading ----

LAUNCH(reduce4, 128, 1, 2);
template <class Op, class T> __device__ void reduce4(const T *in, T *out, unsigned n)
{
    // TODO 4: half of step 3's threads never add anything. Load two elements a thread and add
    // them at once: a block now covers 2 * blockDim.x elements. Either may be past the end.
    if (threadIdx.x == 0)
        out[blockIdx.x] = Op::neutral(T());
}
KERNELS(reduce4)

// ---- 5: last warp unrolled ----

LAUNCH(reduce5, 128, 1, 2);
template <class Op, class T> __device__ void reduce5(const T *in, T *out, unsigned n)
{
    // TODO 5: when only one warp is left, the barrier of the whole block is too much. Leave the
    // loop early and do the last halvings in warp 0 alone, with __syncwarp() between them.
    // Blocks smaller than 64 threads must still work.
    if (threadIdx.x == 0)
        out[blockIdx.x] = Op::neutral(T());
}
KERNELS(reduce5)

// ---- 6: completely unrolled ----

LAUNCH(reduce6, 128, 1, 2);
template <unsigned block, class Op, class T>
__device__ void reduce6(const T *in, T *out, unsigned n)
{
    // TODO 6: `block` is known to the compiler here. Write the whole tree without a loop: an
    // `if` on `block` costs nothing, its branch is kept or dropped before the kernel exists.
    if (threadIdx.x == 0)
        out[blockIdx.x] = Op::neutral(T());
}
KERNELS_FOR_BLOCK(reduce6)

// ---- 7: many elements a thread ----

LAUNCH(reduce7, 128, 1, 0); // 0 elements a thread: as many blocks as the device can hold
template <unsigned block, class Op, class T>
__device__ void reduce7(const T *in, T *out, unsigned n)
{
    // TODO 7: add up many elements in a register before the tree begins. The grid is smaller
    // than the array: walk on by whole grids (2 * block * gridDim.x), so that the loads of a
    // warp stay side by side.
    if (threadIdx.x == 0)
        out[blockIdx.x] = Op::neutral(T());
}
KERNELS_FOR_BLOCK(reduce7)

// ---- 8: shuffles ----

LAUNCH(reduce8, 256, 1, 0);
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    // TODO 8: inside a warp values can go from register to register: __shfl_down_sync. Only
    // one value a warp has to pass through shared memory, and one barrier is enough.
    if (threadIdx.x == 0)
        out[blockIdx.x] = Op::neutral(T());
}
KERNELS(reduce8)

// ---- 9: your best (optional) ----
//
// Kernels reduce9_i32_sum, _f32_sum, _f64_sum, _i32_min and _i32_max are launched once each, as
// (in, out, n, partial): `partial` has room for one element a block, and out[0] is to be the
// final result. Leave them out, and the table has no row 9. LAUNCH(reduce9, ...) sets the shape;
// in[] starts at a multiple of 16 bytes. The README says what has been tried.
