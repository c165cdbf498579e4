/* Variables: __device__, __constant__, __managed__, symbols, templates, printf, streams. */
#include <cstdio>
#include <cstring>

__device__ int counter = 5;
__constant__ float table[4];
__managed__ int shared_value = 7;

template <typename T, int N> __global__ void scale(T *x)
{
    x[threadIdx.x] = x[threadIdx.x] * N + (T)table[threadIdx.x % 4];
    if (threadIdx.x == 0) {
        atomicAdd(&counter, N);
        shared_value += N;
        printf("scaled by %d of %s\n", N, sizeof(T) == 4 ? "float" : "double");
    }
}

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s (%s)\n", __LINE__, #condition,                                     \
                   cudaGetErrorString(cudaPeekAtLastError()));                                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static void CUDART_CB host_work(void *arg)
{
    *(int *)arg += cudaGetLastError() == cudaSuccess && cudaFree(0) == cudaErrorNotPermitted;
}

int main()
{
    const float t[4] = {1, 2, 3, 4};
    float *f, back[4];
    double *d;
    int value, called = 0;
    void *address;
    size_t size;
    cudaStream_t s;

    EXPECT(shared_value == 7);
    EXPECT(cudaMemcpyToSymbol(table, t, sizeof(t)) == cudaSuccess);
    EXPECT(cudaMemcpyFromSymbol(&value, counter, sizeof(value)) == cudaSuccess && value == 5);
    EXPECT(cudaGetSymbolSize(&size, table) == cudaSuccess && size == sizeof(t));
    EXPECT(cudaGetSymbolAddress(&address, table) == cudaSuccess && address);
    EXPECT(cudaMallocManaged(&f, 4 * sizeof(*f)) == cudaSuccess);
    EXPECT(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess);
    EXPECT(cudaMallocAsync((void **)&d, 4 * sizeof(*d), s) == cudaSuccess);
    EXPECT(cudaMemsetAsync(d, 0, 4 * sizeof(*d), s) == cudaSuccess);
    for (int i = 0; i < 4; i++)
        f[i] = i;
    scale<float, 10><<<1, 4, 0, s>>>(f);
    scale<double, 3><<<1, 4, 0, s>>>(d);
    EXPECT(cudaLaunchHostFunc(s, host_work, &called) == cudaSuccess);
    EXPECT(cudaStreamSynchronize(s) == cudaSuccess);
    EXPECT(called == 1);
    EXPECT(f[3] == 34 && f[0] == 1);
    EXPECT(shared_value == 20);
    EXPECT(cudaMemcpyFromSymbol(&value, counter, sizeof(value)) == cudaSuccess && value == 18);
    EXPECT(cudaMemcpy(back, address, sizeof(back), cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(memcmp(back, t, sizeof(t)) == 0);
    EXPECT(cudaMemcpyFromSymbol(&value, shared_value, sizeof(value)) == cudaSuccess && value == 20);
    double last;
    EXPECT(cudaMemcpy(&last, d + 3, sizeof(last), cudaMemcpyDefault) == cudaSuccess && last == 4);
    EXPECT(cudaFreeAsync(d, s) == cudaSuccess);
    EXPECT(cudaStreamDestroy(s) == cudaSuccess);
    EXPECT(cudaFree(f) == cudaSuccess);
    printf("ok\n");
    return 0;
}
