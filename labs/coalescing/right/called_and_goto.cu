// Loads by functions that are called, loops by goto and in while form, indices as differences of pointers.
// only: strided_copy energy_soa energy_aos_vec transpose_shared
// expect: all=pass
#include "warplab.cuh"

KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;

again:
    if (i >= n)
        return;
    out[i * stride % n] = in[i * stride % n];
    i += (unsigned long long)gridDim.x * blockDim.x;
    goto again;
}

__device__ __noinline__ float field_of(const float *field, unsigned long long n, unsigned k,
                                       unsigned long long i)
{
    return field[k * n + i];
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float square = 0;

    if (i >= n)
        return;
#pragma unroll 1
    for (unsigned k = 0; k < 3; k++) {
        float v = field_of(field, n, k, i);

        square += v * v;
    }
    out[i] = 0.5f * field_of(field, n, 3, i) * square;
}

struct particle {
    float4 moving, rest;
};
__device__ __noinline__ float4 moving_of(const particle *p)
{
    return p->moving;
}

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    const particle *mine = p + blockIdx.x * blockDim.x + threadIdx.x;

    while (mine < p + n) {
        float4 v = moving_of(mine);

        out[mine - p] = 0.5f * v.w * (v.x * v.x + v.y * v.y + v.z * v.z);
        mine += gridDim.x * blockDim.x;
    }
}

__device__ __noinline__ void bring(float *to, const float *from, bool there)
{
    if (there)
        *to = *from;
}

LAUNCH(transpose_shared, 32, 16);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32 * 33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x, y = threadIdx.y;

    while (y < 32) {
        bring(&tile[y * 33 + tx], in + (y0 + y) * width + x0 + tx, x0 + tx < width && y0 + y < height);
        y += 16;
    }
    __syncthreads();
    do {
        y -= 16;
        bring(out + (x0 + y) * height + y0 + tx, &tile[tx * 33 + y],
              x0 + y < width && y0 + tx < height);
    } while (y >= 16);
}
