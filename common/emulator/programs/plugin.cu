/* A shared library with a kernel, opened and closed again and again: plugin_main.cu. */
#include <cuda_runtime.h>

__device__ int calls;

__global__ void count(int *out)
{
    *out = ++calls;
}

extern "C" int plugin(void)
{
    int *p, value = -1;

    if (cudaMalloc(&p, sizeof(value)))
        return -2;
    count<<<1, 1>>>(p);
    count<<<1, 1>>>(p);
    if (cudaMemcpy(&value, p, sizeof(value), cudaMemcpyDeviceToHost) || cudaFree(p))
        return -3;
    return value;
}
