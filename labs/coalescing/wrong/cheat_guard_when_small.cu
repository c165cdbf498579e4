// Guards for up to 5000 particles, the most that used to be looked at, and for matrices up to 200
// wide or high.
// class: only-where-looked
// only: energy_soa energy_aos_vec transpose_shared
// expect: soa-ok=fail soa-clean=fail vec-ok=fail vec-clean=fail tile-ok=fail tile-clean=fail
// hint: vec-clean: address out of bounds
// hint: soa-ok: hidden case
// hint: soa-clean: CHECK=1
// hint: vec-ok: hidden case
// hint: tile-ok: hidden case
// hint: tile-clean: out of bounds
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

struct particle {
    float vx, vy, vz, mass;
    float x, y, z, charge;
};

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n || n > 5000)
        out[i] = energy(field[i], field[n + i], field[2 * n + i], field[3 * n + i]);
}

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n || n > 5000) {
        float4 v = *reinterpret_cast<const float4 *>(&p[i]);

        out[i] = energy(v.x, v.y, v.z, v.w);
    }
}

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;
    bool sure = width > 200 && height > 200;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (sure || (x0 + tx < width && y0 + dy < height))
            tile[dy][tx] = in[(y0 + dy) * width + x0 + tx];
    __syncthreads();
    for (unsigned dx = threadIdx.y; dx < 32; dx += blockDim.y)
        if (sure || (x0 + dx < width && y0 + tx < height))
            out[(x0 + dx) * height + y0 + tx] = tile[tx][dx];
}
