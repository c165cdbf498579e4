// Right: four elements a load, a function taken as an argument, cooperative groups.
// only: histogram count_block count_warp
// expect: all=pass
// reduction_uses.cu - what reductions are for.
//
// product_rows, and_rows, or_rows   a row's product, the bits set in all of it, in any of it
// dot_rows                          the dot product of two rows
// tree_2, tree_4, tree_8            a row's sum by trees of degree 2, 4 and 8
// count_each, count_block, count_warp   how many numbers are wanted: an atomic for each of them,
//                                   one a block, one a warp
// histogram                         how many numbers fall into each of 64 bins
// softmax_thread, softmax_block     softmax of each row, by one thread or by a block
// sum_grid                          a sum by as many blocks as the grid has
#include "warplab.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

#define BLOCK 256 // threads of 1 to 4 and 8 to 13
#define TREE  512 // threads of 5 to 7
#define BINS  64

// ---- 1 to 4: other operations ----
// Block r reduces row r, the n elements from in[r * n] on.

struct Product {
    static __device__ unsigned neutral() { return 1; }
    static __device__ unsigned apply(unsigned a, unsigned b) { return a * b; }
};
struct And {
    static __device__ unsigned neutral() { return ~0u; }
    static __device__ unsigned apply(unsigned a, unsigned b) { return a & b; }
};
struct Or {
    static __device__ unsigned neutral() { return 0; }
    static __device__ unsigned apply(unsigned a, unsigned b) { return a | b; }
};
struct Sum {
    static __device__ float neutral() { return 0; }
    static __device__ float apply(float a, float b) { return a + b; }
};
struct Most {
    static __device__ float neutral() { return -1.0f / 0.0f; }
    static __device__ float apply(float a, float b) { return fmaxf(a, b); }
};

// What the threads of a block bring, reduced: all of them get it. May be called again.
template <class Op, class T> __device__ T of_block(T v)
{
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = v;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (tid < left)
            s[tid] = Op::apply(s[tid], s[tid + left]);
        __syncthreads();
    }
    v = s[0];
    __syncthreads(); // before the next one writes there
    return v;
}

template <class Op> __device__ void reduce_row(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned v = Op::neutral();

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        v = Op::apply(v, in[blockIdx.x * n + i]);
    v = of_block<Op>(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

KERNEL product_rows(const unsigned *in, unsigned *out, unsigned n)
{
    reduce_row<Product>(in, out, n);
}

KERNEL and_rows(const unsigned *in, unsigned *out, unsigned n)
{
    reduce_row<And>(in, out, n);
}

KERNEL or_rows(const unsigned *in, unsigned *out, unsigned n)
{
    reduce_row<Or>(in, out, n);
}

KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    float v = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        v += x[blockIdx.x * n + i] * y[blockIdx.x * n + i];
    v = of_block<Sum>(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

// ---- 5 to 7: trees of other degrees ----
// A row has at most TREE elements: thread t brings element t, or 0 where there is none.

__device__ unsigned element(const unsigned *in, unsigned n)
{
    return threadIdx.x < n ? in[blockIdx.x * n + threadIdx.x] : 0;
}

KERNEL tree_2(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = element(in, n);
    __syncthreads();
    for (unsigned left = TREE / 2; left > 0; left /= 2) { // values that are left after this round
        if (tid < left)
            s[tid] += s[tid + left];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

template <unsigned degree>
__device__ void tree(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = element(in, n);
    __syncthreads();
    for (unsigned have = TREE; have > 1;) {
        unsigned left = (have + degree - 1) / degree;

        if (tid < left) {
            unsigned sum = s[tid];

            for (unsigned child = tid + left; child < have; child += left)
                sum += s[child];
            s[tid] = sum;
        }
        have = left;
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

KERNEL tree_4(const unsigned *in, unsigned *out, unsigned n)
{
    tree<4>(in, out, n);
}

KERNEL tree_8(const unsigned *in, unsigned *out, unsigned n)
{
    tree<8>(in, out, n);
}

// ---- 8 to 11: many threads, one counter ----

// Given: it goes before each of these kernels.
KERNEL clear(unsigned *out, unsigned n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 0;
}

// Is x counted? One number in four is.
__device__ bool wanted(unsigned x)
{
    return x % 4 == 3;
}

// All threads of the grid walk through the array side by side.
KERNEL count_each(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        if (wanted(in[i]))
            atomicAdd(out, 1);
}

KERNEL count_block(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned count;

    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        if (wanted(in[i]))
            atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, count);
}

KERNEL count_warp(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned count = 0;

    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        count += wanted(in[i]);
    for (unsigned d = 16; d > 0; d /= 2)
        count += __shfl_down_sync(~0u, count, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, count);
}

// The six highest bits of a number say which bin it falls into.
__device__ unsigned bin(unsigned x)
{
    return x >> 26;
}

template <typename F> static __device__ __forceinline__ void each(const unsigned *__restrict__ in, unsigned n, F f)
{
    const unsigned me = blockIdx.x * BLOCK + threadIdx.x, all = gridDim.x * BLOCK;
    const uint4 *quads = reinterpret_cast<const uint4 *>(in);
    for (unsigned q = me; q < n / 4; q += all) {
        const uint4 v = __ldg(quads + q);
        f(v.x), f(v.y), f(v.z), f(v.w);
    }
    if (me < n % 4)
        f(in[n / 4 * 4 + me]);
}
extern "C" __global__ void __launch_bounds__(BLOCK, 4) histogram(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned own[BINS];
    auto block = cg::this_thread_block();
    for (unsigned i = block.thread_rank(); i < BINS; i += block.size())
        own[i] = 0;
    block.sync();
    each(in, n, [&](unsigned x) { atomicAdd_block(own + (x >> 26), 1u); });
    block.sync();
    for (unsigned i = block.thread_rank(); i < BINS; i += block.size())
        if (own[i])
            atomicAdd(out + i, own[i]);
}

// ---- 12, 13: softmax ----
// out = exp(x - most) / sum of exp(x - most), where most is the row's largest element. Without it
// the result would be the same on paper; but exp(100) is no float.

KERNEL softmax_thread(const float *in, float *out, unsigned n, unsigned m)
{
    unsigned row = blockIdx.x * BLOCK + threadIdx.x;

    if (row >= m)
        return;
    in += row * n, out += row * n;

    float most = in[0], sum = 0;

    for (unsigned i = 1; i < n; i++)
        most = fmaxf(most, in[i]);
    for (unsigned i = 0; i < n; i++)
        sum += expf(in[i] - most);
    for (unsigned i = 0; i < n; i++)
        out[i] = expf(in[i] - most) / sum;
}

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    const float *x = in + blockIdx.x * n;
    float most = Most::neutral(), sum = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        most = fmaxf(most, x[i]);
    most = of_block<Most>(most);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        sum += expf(x[i] - most);
    sum = of_block<Sum>(sum);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        out[blockIdx.x * n + i] = expf(x[i] - most) / sum;
}

// ---- 14: how many blocks does it take? ----

// A thread adds up its share, a tree the threads', an atomic the blocks'.
KERNEL sum_grid(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[128];
    unsigned tid = threadIdx.x, sum = 0;

    for (unsigned i = blockIdx.x * 128 + tid; i < n; i += gridDim.x * 128)
        sum += in[i];
    s[tid] = sum;
    __syncthreads();
    for (unsigned left = 64; left > 0; left /= 2) {
        if (tid < left)
            s[tid] += s[tid + left];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(out, s[0]);
}
