/* Sums of a block in shared memory; `sums racy` leaves out a barrier: warprun --check says so. */
#include <cstdio>
#include <cstring>

__global__ void sums(const int *x, int *sum, bool racy)
{
    __shared__ int tile[256];

    tile[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half)
            tile[threadIdx.x] += tile[threadIdx.x + half];
        if (!racy)
            __syncthreads();
    }
    if (!threadIdx.x)
        sum[blockIdx.x] = tile[0];
}

int main(int argc, char **argv)
{
    const int blocks = 4, n = blocks * 256;
    int *x, *sum, wrong = 0;

    if (cudaMallocManaged(&x, n * sizeof(*x)) || cudaMallocManaged(&sum, blocks * sizeof(*sum)))
        return 2;
    for (int i = 0; i < n; i++)
        x[i] = i;
    sums<<<blocks, 256>>>(x, sum, argc > 1 && !strcmp(argv[1], "racy"));
    if (cudaDeviceSynchronize())
        return 2;
    for (int b = 0; b < blocks; b++)
        wrong += sum[b] != 256 * (256 * b) + 255 * 128;
    printf(wrong ? "%d wrong\n" : "ok\n", wrong);
    cudaFree(x);
    cudaFree(sum);
    return wrong != 0;
}
