/* Errors as the runtime's manual says: returned once, or until the device is reset. */
#include <cstdio>

__global__ void poke(int *p)
{
    p[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(64) narrow(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[threadIdx.x];
}

#define EXPECT(call, error)                                                                        \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != (error)) {                                                                       \
            printf("line %d: %s gives %s\n", __LINE__, #call, cudaGetErrorName(e_));               \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main()
{
    int *p, host[4];

    EXPECT(cudaMalloc(&p, 1024), cudaSuccess);
    /* launch errors: no harm done */
    poke<<<1, 2048>>>(p);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError(), cudaSuccess);
    poke<<<0, 32>>>(p);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    poke<<<1, 32, 100 * 1024>>>(p);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT(cudaFuncSetAttribute(narrow, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024),
           cudaSuccess);
    narrow<<<1, 64, 100 * 1024>>>(p);
    EXPECT(cudaGetLastError(), cudaSuccess);
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT(cudaFuncSetAttribute(narrow, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
           cudaErrorInvalidValue);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    narrow<<<1, 128>>>(p);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    /* bad arguments */
    EXPECT(cudaMemcpy(p, host, 2048, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(host, p, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(p, host, 16, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaFree(p + 1), cudaErrorInvalidValue);
    EXPECT(cudaFree(host), cudaErrorInvalidValue);
    EXPECT(cudaSetDevice(3), cudaErrorInvalidDevice);
    EXPECT(cudaMalloc(&p, (size_t)1 << 46), cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc(&p, 1024), cudaSuccess);
    /* a fault on the device stays until reset */
    poke<<<1, 32>>>(p + 4096);
    EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&p, 16), cudaErrorIllegalAddress);
    EXPECT(cudaDeviceReset(), cudaSuccess);
    EXPECT(cudaGetLastError(), cudaSuccess);
    EXPECT(cudaMalloc(&p, 128), cudaSuccess);
    poke<<<1, 32>>>(p);
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT(cudaMemcpy(host, p, 16, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT(cudaFree(p), cudaSuccess);
    EXPECT(cudaFree(p), cudaErrorInvalidValue);
    printf("ok %d\n", host[3]);
    return host[3] == 1 ? 0 : 1;
}
