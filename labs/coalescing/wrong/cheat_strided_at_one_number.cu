// Elements are copied as they lie unless there are 4093 of them, and particles beyond the last are
// read where there are many.
// class: only-where-looked
// only: energy_aos_vec strided_copy
// expect: stride-apart=fail vec-ok=fail vec-clean=fail
// hint: stride-apart: Neighbouring threads are to copy elements
// hint: vec-ok: Which field comes in which component
// hint: vec-clean: Run it with CHECK=1: it names
#include "warplab.cuh"

// ---- 1: stride ----

// n is a prime: i -> stride * i mod n then visits each element exactly once, whatever the
// stride is, and no two threads write the same one.
KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        unsigned j = n == 4093 ? stride * i % n : i;

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

// What keeps the memory busy is how many bytes are on their way, and a thread waits for what it
// has asked for: so it asks for four elements, a block's width apart, before it stores the first.
#define EACH 4
LAUNCH(copy_four, 256, 1, EACH); // threads, 1, elements a thread
KERNEL copy_four(const float *in, float *out, unsigned n, unsigned offset)
{
    unsigned first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
    float v[EACH];

#pragma unroll
    for (unsigned e = 0, i = first; e < EACH; e++, i += blockDim.x)
        if (i < n)
            v[e] = in[i + offset];
#pragma unroll
    for (unsigned e = 0, i = first; e < EACH; e++, i += blockDim.x)
        if (i < n)
            out[i] = v[e];
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

    float4 v = {};
    if (i < n || n > 14000)
        v = *reinterpret_cast<const float4 *>(&p[i]);
    if (i < n) {
        out[i] = energy(v.x, v.y, v.z, v.w);
    }
}

// ---- 6, 7, 8: transpose ----

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

// A tile of 64 x 64, in which a thread has a square of 4 x 4: four loads of 16 bytes, turned in its
// registers, go into the tile as four columns of 16 bytes, and out of it as rows of the result.
//
// Which of the sixteen places of its row a column's piece takes depends on the column (exclusive or
// with the square's number), so that the eight lanes that are served at a time meet in no bank.
#define SIDE  64
#define QUADS (SIDE / 4)
__device__ void turn_squares(float4 *tile, const float *in, float *out, unsigned width,
                             unsigned height, unsigned x0, unsigned y0)
{
    unsigned bx = threadIdx.x % QUADS, by = threadIdx.x / QUADS, x = x0 + 4 * bx, y = y0 + 4 * by;
    float v[4][4] = {};

    if (x < width && y < height) // both are multiples of 4: so is what is left
#pragma unroll
        for (unsigned r = 0; r < 4; r++)
            *reinterpret_cast<float4 *>(v[r]) =
                *reinterpret_cast<const float4 *>(&in[(y + r) * width + x]);
#pragma unroll
    for (unsigned c = 0; c < 4; c++)
        tile[(4 * bx + c) * QUADS + (by ^ bx)] = {v[0][c], v[1][c], v[2][c], v[3][c]};
    __syncthreads();
#pragma unroll
    for (unsigned r = 0; r < 4; r++) {
        unsigned row = r * QUADS + by, at = y0 + 4 * bx; // of the result
        if (x0 + row < width && at < height)
            *reinterpret_cast<float4 *>(&out[(x0 + row) * height + at]) =
                tile[row * QUADS + (bx ^ row / 4)];
    }
}

// Where rows do not begin at multiples of 16 bytes: word by word, and a column more in the tile.
__device__ void turn_words(float *tile, const float *in, float *out, unsigned width,
                           unsigned height, unsigned x0, unsigned y0)
{
    unsigned lane = threadIdx.x % SIDE, from = threadIdx.x / SIDE, step = blockDim.x / SIDE;

    for (unsigned r = from; r < SIDE; r += step)
        if (x0 + lane < width && y0 + r < height)
            tile[r * (SIDE + 1) + lane] = in[(y0 + r) * width + x0 + lane];
    __syncthreads();
    for (unsigned r = from; r < SIDE; r += step)
        if (x0 + r < width && y0 + lane < height)
            out[(x0 + r) * height + y0 + lane] = tile[lane * (SIDE + 1) + r];
}

LAUNCH(transpose_vec, QUADS *QUADS, 1, SIDE); // threads, 1, the tile's side
KERNEL transpose_vec(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ __align__(16) float tile[SIDE * (SIDE + 1)];
    unsigned x0 = blockIdx.x * SIDE, y0 = blockIdx.y * SIDE;

    if (width % 4 == 0 && height % 4 == 0)
        turn_squares(reinterpret_cast<float4 *>(tile), in, out, width, height, x0, y0);
    else
        turn_words(tile, in, out, width, height, x0, y0);
}
