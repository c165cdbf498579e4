// Right: each warp has an eighth of the row, side by side, whose last words go to a few lanes.
// only: product_rows and_rows or_rows
// expect: all=pass
#include "warplab.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <class Op>
static __device__ void whole_row(const unsigned *in, unsigned *out, unsigned n, unsigned neutral,
                                 Op op)
{
    __shared__ unsigned of_warp[8];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const unsigned long long wide = n;
    const unsigned w = warp.meta_group_rank(), *row = in + blockIdx.x * wide;
    const unsigned *p = row + wide * w / 8 + warp.thread_rank(), *end = row + wide * (w + 1) / 8;
    unsigned v = neutral;

    for (; p < end; p += 32)
        v = op(v, *p);
    v = cg::reduce(warp, v, op);
    if (warp.thread_rank() == 0)
        of_warp[w] = v;
    block.sync();
    const auto eight = cg::tiled_partition<8>(block);

    if (eight.meta_group_rank() == 0) {
        v = cg::reduce(eight, of_warp[eight.thread_rank()], op);
        if (eight.thread_rank() == 0)
            out[blockIdx.x] = v;
    }
}

KERNEL product_rows(const unsigned *in, unsigned *out, unsigned n)
{
    whole_row(in, out, n, 1u, [](unsigned a, unsigned b) { return a * b; });
}
KERNEL and_rows(const unsigned *in, unsigned *out, unsigned n)
{
    whole_row(in, out, n, ~0u, cg::bit_and<unsigned>());
}
KERNEL or_rows(const unsigned *in, unsigned *out, unsigned n)
{
    whole_row(in, out, n, 0u, cg::bit_or<unsigned>());
}
