// latencies.cu - measures what profiles/NAME.conf says of latencies: dependent chains, by clock64()
// on one warp or one thread; and how often a block can start. Each is run twice, the second counts.
//
//   nvcc -arch=sm_90 -o latencies latencies.cu && ./latencies >latencies-h200.txt
//
// Not measured: DRAM's latency. The chases through more than L2 holds go round the same elements
// twice, which L2 does hold.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#define CHAIN(name, type, times, start, step)                                                      \
    __global__ void name(type x, type *out, long long *t)                                          \
    {                                                                                              \
        type y = start;                                                                            \
        long long a = clock64();                                                                   \
        _Pragma("unroll") for (int i = 0; i < times; i++) step;                                    \
        long long b = clock64();                                                                   \
        out[threadIdx.x] = y;                                                                      \
        *t = b - a;                                                                                \
    }
CHAIN(fma, float, 1024, x, y = y * x + x)
CHAIN(dfma, double, 256, x, y = y * x + x)
CHAIN(imad, unsigned, 1024, x, y = y * x + x)
CHAIN(ex2, float, 256, x, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(y)))
CHAIN(shfl, unsigned, 256, threadIdx.x, y = __shfl_xor_sync(~0u, y, y & 1))

// In a loop: a division is a call, or long.
#define LOOP(name, type, start, step)                                                              \
    __global__ void name(type x, type *out, long long *t)                                          \
    {                                                                                              \
        type y = start;                                                                            \
        long long a = clock64();                                                                   \
        _Pragma("unroll 1") for (int i = 0; i < 256; i++) step;                                    \
        long long b = clock64();                                                                   \
        *out = y;                                                                                  \
        *t = b - a;                                                                                \
    }
LOOP(fdiv, float, x + 1, y = x / y)
LOOP(idiv, unsigned, x, y = x / (y | 1))
LOOP(turn, unsigned, x, asm volatile("add.u32 %0, %0, 1;" : "+r"(y)))

__global__ void chase(const unsigned *p, unsigned n, unsigned *out, long long *t)
{
    unsigned j = 0;
    for (unsigned i = 0; i < 4096; i++)
        j = p[j];
    long long a = clock64();
    for (unsigned i = 0; i < n; i++)
        j = p[j];
    long long b = clock64();
    *out = j;
    *t = b - a;
}

__global__ void shared(unsigned n, unsigned *out, long long *t)
{
    __shared__ unsigned s[1024];
    unsigned j = 0;
    for (int i = 0; i < 1024; i++)
        s[i] = (i * 33 + 1) % 1024;
    long long a = clock64();
    for (unsigned i = 0; i < n; i++)
        j = s[j];
    long long b = clock64();
    *out = j;
    *t = b - a;
}

__global__ void atomic(unsigned *p, unsigned n, unsigned *out, long long *t)
{
    unsigned y = 0;
    long long a = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < n; i++)
        y = atomicAdd(p + (y & 1), 0u);
    long long b = clock64();
    *out = y;
    *t = b - a;
}

__global__ void barrier(long long *t)
{
    long long a = clock64();
#pragma unroll
    for (int i = 0; i < 256; i++)
        __syncthreads();
    long long b = clock64();
    if (threadIdx.x == 0)
        *t = b - a;
}

__global__ void empty(int *p)
{
    if (p)
        *p = 1;
}

static long long *cycles;
static unsigned *words;

static void print(const char *name, int number, double per)
{
    long long t;
    cudaMemcpy(&t, cycles, sizeof(t), cudaMemcpyDeviceToHost);
    printf(number ? "%s_%d" : "%s", name, number);
    printf(" %.2f cycles\n", (double)t / per);
}

// One round through n words, a line apart, in an order that nobody can foresee.
static void print_chase(int kb)
{
    const unsigned line = 32, n = (unsigned)kb * 256, m = n / line;
    std::vector<unsigned> next(n), order(m);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(1);
    std::shuffle(order.begin(), order.end(), random);
    for (unsigned i = 0; i < m; i++)
        next[order[i] * line] = order[(i + 1) % m] * line;
    unsigned *p, count = kb < 256 ? 4096 : std::min(m, 200000u);
    cudaMalloc(&p, 4ull * n);
    cudaMemcpy(p, next.data(), 4ull * n, cudaMemcpyHostToDevice);
    for (int k = 0; k < 2; k++)
        chase<<<1, 1>>>(p, count, words, cycles);
    print("chase_KB", kb, count);
    cudaFree(p);
}

// Blocks that do nothing: what an SM needs for each.
static void print_empty(int threads, int blocks)
{
    cudaEvent_t a, b;
    float best = 1e9, ms;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int k = 0; k < 5; k++) {
        cudaEventRecord(a);
        empty<<<blocks, threads>>>(nullptr);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        best = std::min(best, ms);
    }
    cudaDeviceProp d;
    cudaGetDeviceProperties(&d, 0);
    int khz;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    printf("empty %d threads %d blocks %.5f ms, %.1f cycles a block and SM\n", threads, blocks, best,
           best * khz / ((double)blocks / d.multiProcessorCount));
}

#define TWICE(launch, name, number, per)                                                           \
    for (int k = 0; k < 2; k++)                                                                    \
        launch;                                                                                    \
    print(name, number, per)

int main()
{
    cudaMalloc(&words, 8192);
    cudaMalloc(&cycles, 8);
    for (int kb : {16, 64, 128, 200, 1024, 8192, 20480, 32768, 65536, 262144, 2097152})
        print_chase(kb);
    TWICE((shared<<<1, 1>>>(4096, words, cycles)), "shared", 0, 4096);
    TWICE((fma<<<1, 32>>>(1.1f, (float *)words, cycles)), "fma", 0, 1024);
    TWICE((dfma<<<1, 32>>>(1.1, (double *)words, cycles)), "dfma", 0, 256);
    TWICE((imad<<<1, 32>>>(3, words, cycles)), "imad", 0, 1024);
    TWICE((ex2<<<1, 32>>>(.5f, (float *)words, cycles)), "ex2", 0, 256);
    TWICE((fdiv<<<1, 32>>>(1.5f, (float *)words, cycles)), "fdiv", 0, 256);
    TWICE((idiv<<<1, 32>>>(123456789, words, cycles)), "idiv", 0, 256);
    TWICE((shfl<<<1, 32>>>(1, words, cycles)), "shfl", 0, 256);
    for (int threads : {32, 128, 256, 1024}) {
        TWICE((barrier<<<1, threads>>>(cycles)), "bar", threads, 256);
    }
    TWICE((turn<<<1, 32>>>(0, words, cycles)), "loop", 0, 256);
    TWICE((atomic<<<1, 1>>>(words, 1024, words + 64, cycles)), "atomic", 0, 1024);
    for (int threads : {32, 64, 128, 256, 512, 1024})
        for (int blocks : {1, 1320, 132000, 1320000})
            print_empty(threads, blocks);
    return cudaGetLastError() != cudaSuccess;
}
