/* What cudaDeviceSetLimit() limits: the device heap, printf's buffer, the stack. */
#include <cstdio>
#include <cstdlib>

#define EXPECT(call, error)                                                                        \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != (error)) {                                                                       \
            printf("line %d: %s gives %s\n", __LINE__, #call, cudaGetErrorName(e_));               \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

__global__ void fill_heap(int *blocks, size_t bytes)
{
    while (malloc(bytes))
        ++*blocks;
}
__global__ void talk(int rounds)
{
    for (int i = 0; i < rounds; i++)
        printf("thread %d round %d\n", (int)threadIdx.x, i);
}
__device__ __noinline__ int deep(int n, volatile int *before)
{
    volatile int room[16];

    room[n % 16] = before ? before[0] : n;
    return n == 0 ? room[0] : deep(n - 1, room) + room[n % 16];
}
__global__ void dive(int *out, int n)
{
    *out = deep(n, nullptr);
}

static int heap_holds(size_t bytes)
{
    int *blocks, n = 0;

    cudaMalloc(&blocks, sizeof(int));
    cudaMemset(blocks, 0, sizeof(int));
    fill_heap<<<1, 1>>>(blocks, bytes);
    cudaMemcpy(&n, blocks, sizeof(n), cudaMemcpyDeviceToHost);
    cudaFree(blocks);
    return n;
}

int main()
{
    const size_t mib = 1 << 20;
    size_t value = 0;
    int *out, n;

    n = heap_holds(mib); /* of 8 MiB, of which a GPU keeps some for itself */
    if (n < 6 || n > 8)
        return printf("8 MiB of heap hold %d blocks of 1 MiB\n", n), 1;
    EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 * mib), cudaErrorInvalidValue);
    EXPECT(cudaDeviceReset(), cudaSuccess);
    EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 * mib), cudaSuccess);
    EXPECT(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
    n = heap_holds(mib);
    if (value != 32 * mib || n < 24 || n > 32)
        return printf("32 MiB of heap hold %d blocks of 1 MiB\n", n), 1;

    EXPECT(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096), cudaSuccess);
    talk<<<1, 32>>>(100); /* what comes out is the last of it */
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8192), cudaErrorInvalidValue);

    EXPECT(cudaMalloc(&out, sizeof(int)), cudaSuccess);
    EXPECT(cudaDeviceSetLimit(cudaLimitStackSize, 64 * 1024), cudaSuccess);
    dive<<<1, 1>>>(out, 200);
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT(cudaDeviceSetLimit(cudaLimitStackSize, 1024), cudaSuccess);
    dive<<<1, 1>>>(out, 5);
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
    dive<<<1, 1>>>(out, 200);
    if (cudaDeviceSynchronize() == cudaSuccess)
        return printf("12 KiB fit a stack of 1 KiB\n"), 1;
    printf("ok\n");
    return 0;
}
