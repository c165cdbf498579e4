// Right: rows in loads of 16 bytes where they can be, eight values that every thread puts together, a
// dot product of which the first warp takes eight values a lane.
// only: product_rows and_rows or_rows dot_rows
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

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

template <class Op> __device__ void reduce_row(const unsigned *row, unsigned *out, unsigned n)
{
    __shared__ unsigned of_warp[BLOCK / 32];
    unsigned v = Op::neutral(), whole = n % 4 ? 0 : n / 4;

    for (unsigned i = threadIdx.x; i < whole; i += BLOCK) {
        uint4 q = reinterpret_cast<const uint4 *>(row)[i];

        v = Op::apply(Op::apply(v, q.x), Op::apply(Op::apply(q.y, q.z), q.w));
    }
    for (unsigned i = 4 * whole + threadIdx.x; i < n; i += BLOCK)
        v = Op::apply(v, row[i]);
    for (unsigned d = 16; d; d /= 2)
        v = Op::apply(v, __shfl_xor_sync(~0u, v, d));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    v = Op::neutral();
    for (unsigned j = 0; j < BLOCK / 32; j++)
        v = Op::apply(v, of_warp[j]);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

KERNEL product_rows(const unsigned *in, unsigned *out, unsigned n)
{
    reduce_row<Product>(in + blockIdx.x * n, out, n);
}

KERNEL and_rows(const unsigned *in, unsigned *out, unsigned n)
{
    reduce_row<And>(in + blockIdx.x * n, out, n);
}

KERNEL or_rows(const unsigned *in, unsigned *out, unsigned n)
{
    reduce_row<Or>(in + blockIdx.x * n, out, n);
}

KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    __shared__ float s[BLOCK];
    float v = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        v = fmaf(x[blockIdx.x * n + i], y[blockIdx.x * n + i], v);
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    v = 0;
    for (unsigned j = threadIdx.x; j < BLOCK; j += 32)
        v += s[j];
    for (unsigned d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
