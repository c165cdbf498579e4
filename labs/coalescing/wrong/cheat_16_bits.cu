// Numbers of particles and elements are kept in 16 bits: right up to 65536 of them.
// class: only-where-looked
// only: energy_soa energy_aos_vec transpose_shared
// expect: soa-ok=fail vec-ok=fail tile-ok=fail
// hint: soa-ok: hidden case
// hint: vec-ok: hidden case
// hint: tile-ok: hidden case
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
    unsigned short k = i;

    if (i < n)
        out[i] = energy(field[k], field[n + k], field[2 * n + k], field[3 * n + k]);
}

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short k = i;

    if (i < n) {
        float4 v = *reinterpret_cast<const float4 *>(&p[k]);

        out[i] = energy(v.x, v.y, v.z, v.w);
    }
}

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y) {
        unsigned short from = (y0 + dy) * width + x0 + tx;

        if (x0 + tx < width && y0 + dy < height)
            tile[dy][tx] = in[from];
    }
    __syncthreads();
    for (unsigned dx = threadIdx.y; dx < 32; dx += blockDim.y)
        if (x0 + dx < width && y0 + tx < height)
            out[(x0 + dx) * height + y0 + tx] = tile[tx][dx];
}
