/* bench.cu - the fixed kernels of make bench-emulator. Each is called (in, out, n). */
#include "warplab.cuh"

/* The lecture's first reduction: interleaved addressing, half of each warp off. */
KERNEL reduce_divergent(const int *in, int *out, unsigned n)
{
    __shared__ int s[128];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (tid % (2 * step) == 0)
            s[tid] += s[tid + step];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

/* Square matrices of side n, one output a thread. */
KERNEL matmul_naive(const float *in, float *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, row = x / n, column = x % n;
    float sum = 0;

    if (row >= n)
        return;
    for (unsigned k = 0; k < n; k++)
        sum += in[row * n + k] * in[k * n + column];
    out[x] = sum;
}

KERNEL fma_loop(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i % n], b = a;

    for (int k = 0; k < 1024; k++) {
        a = a * 0.999f + 0.5f;
        b = b * 0.998f + 0.25f;
    }
    out[i] = a + b;
}

KERNEL copy(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

/* Tiles of 32 × 32 through padded shared memory; n is a power of 4. */
KERNEL transpose(const float *in, float *out, unsigned n)
{
    __shared__ float tile[32][33];
    unsigned side = 1;

    while (side * side < n)
        side *= 2;
    unsigned tiles = side / 32, bx = blockIdx.x % tiles * 32, by = blockIdx.x / tiles * 32;
    unsigned tx = threadIdx.x % 32, ty = threadIdx.x / 32;

    for (unsigned j = ty; j < 32; j += blockDim.x / 32)
        tile[j][tx] = in[(by + j) * side + bx + tx];
    __syncthreads();
    for (unsigned j = ty; j < 32; j += blockDim.x / 32)
        out[(bx + j) * side + by + tx] = tile[tx][j];
}

KERNEL atomics(const int *in, int *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&out[(unsigned)in[i] % 256], 1);
}
