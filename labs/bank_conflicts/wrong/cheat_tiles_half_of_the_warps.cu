// Half of the warps have nothing to do, the others twice as many rows.
// class: no-evidence
// only: transpose_padded transpose_swizzled
// expect: padded-banks=fail padded-coalesced=fail swizzled-banks=fail swizzled-coalesced=fail
// hint: padded-banks: inst_executed_max_warp
// hint: padded-coalesced: inst_executed_max_warp
// hint: swizzled-banks: inst_executed_max_warp
// hint: swizzled-coalesced: inst_executed_max_warp
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE && threadIdx.y < STEP / 2; r += STEP / 2)
        if (y + r < m && x < n)
            tile[r][tx] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE && threadIdx.y < STEP / 2; r += STEP / 2)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r];
}

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE && threadIdx.y < STEP / 2; r += STEP / 2)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE && threadIdx.y < STEP / 2; r += STEP / 2)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
}
