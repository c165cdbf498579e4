// Right: a value's children lie side by side and come in loads of 16 bytes, from one array into the
// other by turns.
// only: tree_4 tree_8
// expect: all=pass
#include "warplab.cuh"

#define TREE 512

template <unsigned degree> __device__ unsigned children(const unsigned *s, unsigned t)
{
    const uint4 *mine = reinterpret_cast<const uint4 *>(s) + t * (degree / 4);
    unsigned sum = 0;

#pragma unroll
    for (unsigned q = 0; q < degree / 4; q++)
        sum += mine[q].x + mine[q].y + (mine[q].z + mine[q].w);
    return sum;
}

template <unsigned degree> __device__ void tree(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ __align__(16) unsigned a[TREE], b[TREE];
    unsigned tid = threadIdx.x, *from = a, *to = b;

    a[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    for (unsigned left = TREE / degree; left >= 1; left /= degree) {
        if (tid < left)
            to[tid] = children<degree>(from, tid);
        unsigned *other = from;
        from = to;
        to = other;
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = degree == 4 ? from[0] + from[1] : from[0];
}

KERNEL tree_4(const unsigned *in, unsigned *out, unsigned n)
{
    tree<4>(in, out, n);
}

KERNEL tree_8(const unsigned *in, unsigned *out, unsigned n)
{
    tree<8>(in, out, n);
}
