/* Errors as CUDA 13.0 gives them on an H200: returned once, or, after a fault in a kernel, by all
 * that needs the device, which this process does not get again. */
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

__global__ void __block_size__((64, 1, 1)) exact(int *p)
{
    p[threadIdx.x] = 1;
}

#define EXPECT(call, error)                                                                        \
    do {                                                                                           \
        auto e_ = (call);                                                                          \
        if (e_ != (error)) {                                                                       \
            printf("line %d: %s gives %d\n", __LINE__, #call, (int)(size_t)e_);                    \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main()
{
    int *p, host[4];

    EXPECT(cudaMalloc(&p, 1024), cudaSuccess);
    /* launch errors: no harm done */
    poke<<<1, 2048>>>(p);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT(cudaGetLastError(), cudaSuccess);
    poke<<<0, 32>>>(p);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    poke<<<dim3(1, 65536), 32>>>(p);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT(cudaLaunchKernel((void *)main, dim3(1), dim3(32), nullptr, 0, 0),
           cudaErrorInvalidResourceHandle);
    EXPECT(cudaLaunchKernel((void *)nullptr, dim3(1), dim3(32), nullptr, 0, 0),
           cudaErrorInvalidDeviceFunction);
    EXPECT(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
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
    exact<<<1, 64>>>(p);
    EXPECT(cudaGetLastError(), cudaSuccess);
    exact<<<1, 32>>>(p);
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
    EXPECT(cudaMemcpy2D(p, 8, host, 8, 16, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    EXPECT(cudaMemcpy2D(p, 8, host, 8, 16, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
    EXPECT(cudaMallocManaged(&p, 0), cudaSuccess);
    EXPECT(p, nullptr);
    EXPECT(cudaMalloc(&p, 1024), cudaSuccess);
    poke<<<1, 32>>>(p);
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT(cudaMemcpy(host, p, 16, cudaMemcpyHostToHost), cudaSuccess); /* asks the addresses */
    EXPECT(cudaFree(p), cudaSuccess);
    EXPECT(cudaFree(p), cudaErrorInvalidValue);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT(cudaMalloc(&p, 1024), cudaSuccess);
    /* a fault: the launch is fine, all that needs the device then is not */
    poke<<<1, 32>>>((int *)64);
    EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError(), cudaSuccess);
    EXPECT(cudaMalloc(&p, 16), cudaErrorIllegalAddress);
    EXPECT(cudaSetDevice(0), cudaSuccess);
    EXPECT(cudaDeviceReset(), cudaSuccess);
    EXPECT(cudaGetLastError(), cudaErrorIllegalAddress); /* cudaMalloc's, still */
    EXPECT(cudaGetLastError(), cudaSuccess);
    EXPECT(cudaMalloc(&p, 128), cudaErrorDevicesUnavailable);
    EXPECT(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
    printf("ok %d\n", host[3]);
    return host[3] == 1 ? 0 : 1;
}
