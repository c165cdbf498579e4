/* With -rdc=true: a kernel here calls a function and uses a variable of split_other.cu. */
#include <cstdio>

extern __device__ int offset;
__device__ int shifted(int x);

__global__ void kernel(int *p)
{
    p[threadIdx.x] = shifted((int)threadIdx.x) + offset;
}

void other_launch(int *p);

int main()
{
    int *p, host[32];

    if (cudaMalloc(&p, sizeof(host)))
        return 1;
    kernel<<<1, 32>>>(p);
    other_launch(p);
    if (cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost))
        return printf("%s\n", cudaGetErrorString(cudaGetLastError())), 2;
    for (int i = 0; i < 32; i++)
        if (host[i] != 2 * ((i << 4) + 100))
            return printf("[%d] = %d\n", i, host[i]), 3;
    printf("ok\n");
    return 0;
}
