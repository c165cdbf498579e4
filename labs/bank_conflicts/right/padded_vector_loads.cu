// Right: rows are loaded by 16 bytes where the matrix allows it; the tile's rows have 33 words.
// only: transpose_padded
// expect: all=pass
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE, y = blockIdx.y * TILE;

    if (n % 4 == 0) { // a thread has four elements of a row, a warp four rows
        int r = ty * 4 + tx / 8, c = tx % 8 * 4;

        if (y + r < m && x + c < n) {
            float4 v = *(const float4 *)&in[(y + r) * n + x + c];

            tile[r][c] = v.x;
            tile[r][c + 1] = v.y;
            tile[r][c + 2] = v.z;
            tile[r][c + 3] = v.w;
        }
    } else {
        for (int r = ty; r < TILE; r += STEP)
            if (y + r < m && x + tx < n)
                tile[r][tx] = in[(y + r) * n + x + tx];
    }
    __syncthreads();
    for (int r = ty; r < TILE; r += STEP)
        if (x + r < n && y + tx < m)
            out[(x + r) * m + y + tx] = tile[tx][r];
}
