/* The other half of split_main.cu. */
__device__ int offset = 100;

__device__ int shifted(int x)
{
    return x << 4;
}

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

void other_launch(int *p)
{
    twice<<<1, 32>>>(p);
}
