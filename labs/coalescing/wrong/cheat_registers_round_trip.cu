// Each thread turns 4 x 4 elements in its registers, and passes each through a word of its own in shared memory.
// class: no-evidence
// only: transpose_shared
// expect: tile-banks=fail tile-coalesced=fail
// hint: tile-banks: first see to that
// hint: tile-coalesced: sectors loaded
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ volatile float tile[16][64];
    unsigned t = threadIdx.y * 32 + threadIdx.x;

    if (t >= 64)
        return;
    unsigned bx = blockIdx.x * 32 + t % 8 * 4, by = blockIdx.y * 32 + t / 8 * 4;
    float v[4][4];
    bool vec = width % 4 == 0 && height % 4 == 0;
    for (int r = 0; r < 4; r++)
        if (vec && bx < width && by + r < height) {
            float4 q = *(const float4 *)&in[(by + r) * width + bx];
            v[r][0] = q.x; v[r][1] = q.y; v[r][2] = q.z; v[r][3] = q.w;
        } else
            for (int c = 0; c < 4; c++)
                v[r][c] = bx + c < width && by + r < height ? in[(by + r) * width + bx + c] : 0;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            tile[r * 4 + c][t] = v[r][c];
            v[r][c] = tile[r * 4 + c][t];
        }
    for (int c = 0; c < 4; c++)
        if (vec && bx + c < width && by < height)
            *(float4 *)&out[(bx + c) * height + by] = make_float4(v[0][c], v[1][c], v[2][c], v[3][c]);
        else
            for (int r = 0; r < 4; r++)
                if (bx + c < width && by + r < height)
                    out[(bx + c) * height + by + r] = v[r][c];
}
