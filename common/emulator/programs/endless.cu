/* A kernel that never ends: `warprun --steps` ends it, as a GPU's watchdog would. */
#include <cstdio>

__global__ void spin(volatile int *flag)
{
    while (*flag == 0)
        ;
}

int main()
{
    int *flag;

    if (cudaMalloc(&flag, 4) || cudaMemset(flag, 0, 4))
        return 1;
    spin<<<1, 32>>>(flag);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e == cudaErrorLaunchTimeout ? 0 : 2;
}
