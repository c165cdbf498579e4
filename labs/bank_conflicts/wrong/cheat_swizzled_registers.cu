// Each thread turns 4 x 4 elements in its registers, and neighbours fill whole sectors; the tile is
// filled and read for the count.
// class: elsewhere
// only: transpose_swizzled
// expect: swizzled-banks=fail swizzled-coalesced=fail
// hint: swizzled-coalesced: global_sectors
// hint: swizzled-banks: column number
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ volatile float tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE, y = blockIdx.y * TILE;

    for (int r = ty; r < TILE; r += STEP) {
        tile[r][tx ^ r] = r;
        (void)tile[r][tx ^ r];
    }
    if (n % 4 || m % 4) {
        for (int r = ty; r < TILE; r += STEP)
            if (y + tx < m && x + r < n)
                out[(x + r) * m + y + tx] = in[(y + tx) * n + x + r];
    } else if (ty < 2) {
        float a[4][4];

        x += tx % 8 * 4;
        y += (tx / 8 + ty * 4) * 4;
        if (x >= n || y >= m)
            return;
        for (int r = 0; r < 4; r++)
            *(float4 *)a[r] = *(const float4 *)&in[(y + r) * n + x];
        for (int c = 0; c < 4; c++)
            *(float4 *)&out[(x + c) * m + y] = make_float4(a[0][c], a[1][c], a[2][c], a[3][c]);
    }
}
