// Right: each round has words of its own: of the last all threads load the only child, and one takes it.
// only: tree_4
// expect: all=pass
#include "warplab.cuh"

#define TREE 512

__device__ unsigned element(const unsigned *in, unsigned n)
{
    return threadIdx.x < n ? in[blockIdx.x * n + threadIdx.x] : 0;
}

// A tree of any degree. Each round has words of its own, so one barrier a round is enough; what a
// thread has stays in its register, and it adds its children from the farthest to the nearest.
template <unsigned degree> __device__ void tree(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[2 * TREE];
    unsigned v = element(in, n), *from = s;

#pragma unroll
    for (unsigned have = TREE; have > 1;) {
        const unsigned left = (have + degree - 1) / degree;

        if (threadIdx.x < have)
            from[threadIdx.x] = v;
        __syncthreads();
        if (threadIdx.x < left)
#pragma unroll
            for (unsigned child = degree - 1; child > 0; child--)
                if (child * left < have)
                    v += from[threadIdx.x + child * left];
        from += have; // the next round has words of its own: one barrier a round
        have = left;
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

KERNEL tree_4(const unsigned *in, unsigned *out, unsigned n)
{
    tree<4>(in, out, n);
}
