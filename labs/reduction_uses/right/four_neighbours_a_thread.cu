// A thread takes four neighbouring elements at a time, in rows of any length.
// only: product_rows and_rows or_rows
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

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

    for (unsigned base = 0; base < n; base += 1024)
#pragma unroll
        for (unsigned k = 0; k < 4; k++) {
            unsigned i = base + 4 * threadIdx.x + k;
            if (i < n)
                v = Op::apply(v, in[blockIdx.x * n + i]);
        }
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
