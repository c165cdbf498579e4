// coalescing.cu - the same bytes, asked for in different orders.
//
// strided_copy      neighbouring threads copy elements `stride` apart (the lecture's kernel)
// offset_copy       neighbouring elements, but the first is not at a multiple of 128 bytes
// energy_aos        four fields of a particle, stored particle by particle
// energy_soa        the same, stored field by field
// energy_aos_vec    stored particle by particle, fetched by one 16-byte load
// transpose_naive   rows in, columns out
// transpose_shared  the same through a tile in shared memory
#include "warplab.cuh"

// ---- 1: stride ----

// n is a prime: i -> stride * i mod n then visits each element exactly once, whatever the
// stride is, and no two threads write the same one.
KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        unsigned j = stride * i % n;

        out[j] = in[j];
    }
}

// ---- 2: offset ----

KERNEL offset_copy(const float *in, float *out, unsigned n, unsigned offset)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i + offset];
}

// ---- 3, 4, 5: array of structures, structure of arrays ----

// The kinetic energy of a particle: half its mass times its speed squared.
__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

// How a particle is stored in an array of structures: 32 bytes.
struct particle {
    float vx, vy, vz, mass; // what the energy needs
    float x, y, z, charge;  // what it does not
};

KERNEL energy_aos(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = energy(p[i].vx, p[i].vy, p[i].vz, p[i].mass);
}

// Structure of arrays: n times vx, then n times vy, then vz, then mass, then the rest.
KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = energy(field[i], field[n + i], field[2 * n + i], field[3 * n + i]);
}

// The compiler may not join the four loads by itself: nothing in the type says that a particle
// starts at a multiple of 16 bytes. We know that it does, and say so.
KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float4 v = *reinterpret_cast<const float4 *>(&p[i]);

        out[i] = energy(v.x, v.y, v.z, v.w);
    }
}

// ---- 6, 7: transpose ----

// in has `height` rows of `width`; out has `width` rows of `height`.
LAUNCH(transpose_naive, 32, 8); // threads along x, threads along y
KERNEL transpose_naive(const float *in, float *out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y) {
        unsigned y = blockIdx.y * 32 + dy;

        if (x < width && y < height)
            out[x * height + y] = in[y * width + x];
    }
}

// Rows of the tile come in along x; its columns go out along x too. The 33rd column is never
// used: it shifts each row by one bank, so that a column lies in 32 different banks.
//
// How many rows a thread has is known when this is compiled, and all of them are asked for before
// the first is put down: so a thread has eight loads on their way at a time, not one.
#define ROWS 4 // of threads
LAUNCH(transpose_shared, 32, ROWS);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;
    float v[32 / ROWS];

#pragma unroll
    for (unsigned i = 0, dy = threadIdx.y; i < 32 / ROWS; i++, dy += ROWS)
        if (x0 + tx < width && y0 + dy < height)
            v[i] = in[(y0 + dy) * width + x0 + tx];
#pragma unroll
    for (unsigned i = 0, dy = threadIdx.y; i < 32 / ROWS; i++, dy += ROWS)
        if (x0 + tx < width && y0 + dy < height)
            tile[dy][tx] = v[i];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0, dx = threadIdx.y; i < 32 / ROWS; i++, dx += ROWS)
        if (x0 + dx < width && y0 + tx < height)
            out[(x0 + dx) * height + y0 + tx] = tile[tx][dx];
}
