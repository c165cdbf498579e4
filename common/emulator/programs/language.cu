/* What C++ brings to a kernel: malloc, virtual functions, recursion, 128-bit integers, traps. */
#include <cassert>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

__global__ void allocate(int **out)
{
    int *p = (int *)malloc(64 * sizeof(int));

    for (int i = 0; i < 64; i++)
        p[i] = i * threadIdx.x;
    out[threadIdx.x] = p;
}
__global__ void sum_and_free(int **in, int *sum)
{
    int s = 0;

    for (int i = 0; i < 64; i++)
        s += in[threadIdx.x][i];
    free(in[threadIdx.x]);
    atomicAdd(sum, s);
}

struct alignas(64) wide {
    float f[16];
};
__global__ void allocate_aligned(int *off)
{
    wide *one = new wide, *some = new wide[3];
    void *page = __nv_aligned_device_malloc(10 + threadIdx.x, 4096);

    off[threadIdx.x] =
        !one || !some || !page || (size_t)one % 64 || (size_t)some % 64 || (size_t)page % 4096;
    free(page);
    delete one;
    delete[] some;
}

struct shape {
    __device__ virtual int area(int x) = 0;
};
struct square : shape {
    __device__ int area(int x) override
    {
        return x * x;
    }
};
struct strip : shape {
    __device__ int area(int x) override
    {
        return 3 * x;
    }
};
__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void areas(int *out)
{
    square a;
    strip b;
    shape *s = threadIdx.x % 2 ? (shape *)&a : (shape *)&b;

    out[threadIdx.x] = s->area((int)threadIdx.x) + fibonacci(10);
}

typedef unsigned __int128 u128;

/* nvcc divides by carry chains that add and subtract in turn */
__global__ void divide(unsigned long long *out)
{
    unsigned long long x = 0x9e3779b97f4a7c15 * (threadIdx.x + 1);
    u128 q = (u128)x * x / (x >> threadIdx.x);

    out[2 * threadIdx.x] = (unsigned long long)(q >> 64);
    out[2 * threadIdx.x + 1] = (unsigned long long)q;
}
static bool divided(const unsigned long long *out)
{
    for (int i = 0; i < 32; i++) {
        unsigned long long x = 0x9e3779b97f4a7c15 * (unsigned long long)(i + 1);
        u128 q = (u128)x * x / (x >> i);
        if (out[2 * i] != (unsigned long long)(q >> 64) || out[2 * i + 1] != (unsigned long long)q)
            return false;
    }
    return true;
}

/* Lanes 16 to 31 do not shuffle: what others get from them is open, and 0 on an H200. NVIDIA's
 * sample `reduction` rests on it. */
__global__ void shuffle_by_half(int *out)
{
    int sum = 2 + threadIdx.x;

    if (threadIdx.x < 16)
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffff, sum, d);
    out[threadIdx.x] = sum;
}

__global__ void claim(int x)
{
    assert(x == 0);
}
__global__ void trap()
{
    __trap();
}
__global__ void misaligned(char *p)
{
    *(int *)(p + 1) = 3;
}

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s (%s)\n", __LINE__, #condition,                                     \
                   cudaGetErrorName(cudaPeekAtLastError()));                                       \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* Each in a process of its own, since a fault ends the use of the device. */
static int asserts()
{
    claim<<<2, 32>>>(0);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    claim<<<2, 32>>>(1);
    EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
    return 0;
}
static int traps()
{
    trap<<<1, 1>>>();
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return 0;
}
static int misaligns()
{
    char *bytes;

    EXPECT(cudaMalloc(&bytes, 64) == cudaSuccess);
    misaligned<<<1, 1>>>(bytes);
    EXPECT(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
    return 0;
}
static bool passes(int (*test)())
{
    int status;
    pid_t child = fork(); /* before this process asks for the device */

    if (child == 0) {
        int failed = test();
        fflush(stdout);
        _exit(failed);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

int main()
{
    int **lists, *x;
    unsigned long long *quotients;

    EXPECT(passes(asserts) && passes(traps) && passes(misaligns));
    EXPECT(cudaMallocManaged(&lists, 32 * sizeof(*lists)) == cudaSuccess);
    EXPECT(cudaMallocManaged(&x, 32 * sizeof(*x)) == cudaSuccess);
    *x = 0;
    allocate<<<1, 32>>>(lists);
    sum_and_free<<<1, 32>>>(lists, x);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(*x == 2016 * 496);
    allocate_aligned<<<1, 32>>>(x);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 32; i++)
        EXPECT(x[i] == 0);
    areas<<<1, 32>>>(x);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(x[3] == 9 + 55 && x[4] == 12 + 55);
    shuffle_by_half<<<1, 32>>>(x);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(x[0] == 152 && x[7] == 117 && x[15] == 17 && x[16] == 18);
    EXPECT(cudaMallocManaged(&quotients, 64 * sizeof(*quotients)) == cudaSuccess);
    divide<<<1, 32>>>(quotients);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(divided(quotients));
    printf("ok\n");
    return 0;
}
