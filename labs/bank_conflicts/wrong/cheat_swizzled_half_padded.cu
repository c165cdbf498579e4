// Half of the tile at a time, in rows of 33 words: padded, in less room than a swizzled tile has.
// Lanes take its rows in another order, so that no read is evenly spaced.
// class: no-evidence
// only: transpose_swizzled
// expect: swizzled-banks=fail
// hint: swizzled-banks: Along a column the row number
#include "warplab.cuh"
#define TILE 32
#define STEP 8
LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[16][33];
    int tx = threadIdx.x, bx = blockIdx.x * TILE, by = blockIdx.y * TILE;
    for (int h = 0; h < 2; h++) {
        int x = bx + tx, y = by + 16 * h;
        if (h) __syncthreads();
        for (int r = threadIdx.y; r < 16; r += STEP)
            if (y + r < m && x < n) tile[r][tx] = in[(y + r) * n + x];
        __syncthreads();
        // a warp writes 16 words of two rows, its lanes in another order
        int row = __brev(tx % 16) >> 28;
        for (int r = threadIdx.y; r < 16; r += STEP) {
            int c = r + tx / 16 * 16;
            if (bx + c < n && y + row < m) out[(bx + c) * m + y + row] = tile[row][c];
        }
    }
}
