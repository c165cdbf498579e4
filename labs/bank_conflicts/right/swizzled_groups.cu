// Right: cooperative groups say who waits, and the tile is one array of dynamic shared memory.
// only: transpose_swizzled
// expect: all=pass
#include "warplab.cuh"

#include <cooperative_groups.h>

#define TILE 32
#define STEP 8

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP, TILE * TILE * 4);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    extern __shared__ float tile[];
    auto block = cooperative_groups::this_thread_block();
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r * TILE + (tx ^ r)] = in[(y + r) * n + x];
    block.sync();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx * TILE + (r ^ tx)];
}
