// coalescing.cu - the same bytes, asked for in different orders. Yours to complete.
//
// Kernels 2, 3 and 6 are complete: run them, and compare what they ask for. Write 1, 4, 5 and 7;
// README.md of this folder says what each is about.
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

    // TODO 1: thread i copies the element that lies stride * i further on than the first, around
    // the end of the array: from in to the same place of out.
    if (i < n)
        out[i] = -1;
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

    // TODO 4: where in field[] are the four numbers of particle i now?
    if (i < n)
        out[i] = -1;
}

// TODO 5: the particles are laid out as in 3 again, but fetch what you need of one by a single
// load of 16 bytes: p starts at a multiple of 16 bytes, and CUDA has a type float4. The
// compiler does not dare to by itself, since nothing in the type promises that alignment.
KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = -1;
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

// TODO 7: bring a tile of 32 x 32 elements into shared memory, then write it out transposed,
// so that a warp reads along a row of `in` *and* writes along a row of `out`. All threads
// must have stored before any of them loads what another stored. The block has 32 threads
// along x and blockDim.y along y, as in 6. When it works, look at its bank conflicts.
LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y) {
        unsigned y = blockIdx.y * 32 + dy;

        if (x < width && y < height)
            out[y * width + x] = -1;
    }
}
