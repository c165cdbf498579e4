// Right: the tile is dynamic shared memory, as the record asks for it; cooperative groups, 64-bit
// indices.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <class T> struct square {
    T *at;
    __device__ T &operator()(unsigned r, unsigned c) { return at[r * 33 + c]; }
};
LAUNCH(transpose_shared, 32, 16, 0, 33 * 32 * 4);
KERNEL transpose_shared(const float *__restrict__ in, float *__restrict__ out, unsigned width, unsigned height)
{
    extern __shared__ float words[];
    square<float> tile{words};
    auto block = cg::this_thread_block();
    unsigned long long w = width, h = height, x0 = blockIdx.x * 32ull, y0 = blockIdx.y * 32ull;
    unsigned lane = block.thread_index().x;
    for (unsigned r = block.thread_index().y; r < 32; r += block.group_dim().y)
        if (x0 + lane < w && y0 + r < h) tile(r, lane) = in[(y0 + r) * w + x0 + lane];
    block.sync();
    for (unsigned r = block.thread_index().y; r < 32; r += block.group_dim().y)
        if (x0 + r < w && y0 + lane < h) out[(x0 + r) * h + y0 + lane] = tile(lane, r);
}
