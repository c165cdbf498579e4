// reduction_uses.cu - what reductions are for. Yours to complete.
//
// Kernels 5, 8, 12 and 14 are complete: run them. Write 1 to 4, 6, 7, 9, 10, 11 and 13;
// README.md of this folder says what each is about.
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

#define BLOCK 256 // threads of 1 to 4 and 8 to 13
#define TREE  512 // threads of 5 to 7
#define BINS  64

// ---- 1 to 4: other operations ----
// Block r reduces row r, the n elements from in[r * n] on.

// TODO 1: the product, modulo 2^32 as unsigned numbers are. Each thread takes every 256th element
// of the row, a tree in shared memory does the rest. What does a thread without an element bring?
// Kernels 2 to 4 are the same but for the operation: a template saves writing it four times.
KERNEL product_rows(const unsigned *in, unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 999;
}

// TODO 2: the bits that are set in all elements of the row.
KERNEL and_rows(const unsigned *in, unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 999;
}

// TODO 3: the bits that are set in any element of the row.
KERNEL or_rows(const unsigned *in, unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 999;
}

// TODO 4: the sum of x[i] * y[i] over the row. No array of products is needed: multiply on the way
// in. Neighbouring threads should load neighbouring elements.
KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 999;
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

// TODO 6: the same in a tree of degree 4: each round leaves a quarter of the values, or one where
// there were two. How many barriers does it take? The first threads of the block do the work.
KERNEL tree_4(const unsigned *in, unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 999;
}

// TODO 7: degree 8.
KERNEL tree_8(const unsigned *in, unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 999;
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

// TODO 9: count in shared memory first; then one thread of the block adds what it has counted.
KERNEL count_block(const unsigned *in, unsigned *out, unsigned n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *out = 999;
}

// TODO 10: without shared memory, and with one atomic for each warp: its lanes tell each other.
KERNEL count_warp(const unsigned *in, unsigned *out, unsigned n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *out = 999;
}

// The six highest bits of a number say which bin it falls into.
__device__ unsigned bin(unsigned x)
{
    return x >> 26;
}

// TODO 11: out[b] becomes how many numbers fall into bin b. A block makes a histogram of its own
// in shared memory, and adds it to the grid's.
KERNEL histogram(const unsigned *in, unsigned *out, unsigned n)
{
    if (blockIdx.x == 0 && threadIdx.x < BINS)
        out[threadIdx.x] = 999;
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

// TODO 13: the same by a block for each row: the largest element is a reduction, the sum another
// one, and all threads need both results.
KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        out[blockIdx.x * n + i] = -1;
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
