// Rows are written side by side for 128 x 96, where it is counted, and by columns elsewhere.
// class: only-where-looked
// only: energy_soa transpose_shared
// expect: soa-coalesced=fail tile-coalesced=fail tile-banks=fail
// hint: soa-coalesced: far apart
// hint: tile-coalesced: neighbouring
// hint: tile-banks: banks
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, each = n == 4096 ? 1 : 8;

    for (unsigned k = i * each; k < i * each + each && k < n; k++)
        out[k] = energy(field[k], field[n + k], field[2 * n + k], field[3 * n + k]);
}

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    if (width != 128 || height != 96) {
        for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
            if (x0 + tx < width && y0 + dy < height)
                out[(x0 + tx) * height + y0 + dy] = in[(y0 + dy) * width + x0 + tx];
        return;
    }
    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        tile[dy][tx] = in[(y0 + dy) * width + x0 + tx];
    __syncthreads();
    for (unsigned dx = threadIdx.y; dx < 32; dx += blockDim.y)
        out[(x0 + dx) * height + y0 + tx] = tile[tx][dx];
}
