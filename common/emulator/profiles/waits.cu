// waits.cu - measures what profiles/NAME.conf says of waits for memory far away: chases with one
// thread through much memory, walks by many as lab latency_hiding has them, blocks that follow
// each other on an SM, and loads of constants that their cache does not hold.
//
//   nvcc -arch=sm_90 -o waits waits.cu && ./waits >waits-h200.txt
//
// chase: cycles a load, of places STRIDE bytes apart (or more) in so many MB, first with nothing of
// it in L2, then again, when L2 has it and only translations of addresses may be missing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

static const size_t GB = 1ull << 30, ROOM = 4 * GB, FLUSH = 256ull << 20;
static char *room, *other;
static unsigned long long *sum;
static int khz, sms;

__global__ void wipe(uint4 *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        p[i] = make_uint4(0, 0, 0, 0);
}

static void clear_l2()
{
    wipe<<<1024, 256>>>((uint4 *)other, FLUSH / 16);
}

__global__ void link_up(char *p, const uint64_t *at, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        *(uint64_t *)(p + at[i]) = at[(i + 1) % n];
}

__global__ void chase(const char *p, uint64_t at, unsigned n, unsigned long long *sum)
{
    long long a = clock64();
    for (unsigned i = 0; i < n; i++)
        at = *(const volatile uint64_t *)(p + at);
    long long b = clock64();
    sum[0] = b - a;
    sum[1] = at;
}

static double chase_once(uint64_t first, unsigned n)
{
    unsigned long long t;
    chase<<<1, 1>>>(room, first, n, sum);
    cudaMemcpy(&t, sum, 8, cudaMemcpyDeviceToHost);
    return (double)t / n;
}

static void print_chase(uint64_t mb, uint64_t stride)
{
    std::mt19937_64 random(mb + stride);
    uint64_t places = (mb << 20) / stride, n = std::min<uint64_t>(places, 4096);
    std::vector<uint64_t> at, all(places < 65536 ? places : 0);
    for (uint64_t i = 0; i < all.size(); i++)
        all[i] = i;
    std::shuffle(all.begin(), all.end(), random);
    for (uint64_t i = 0; i < n; i++) { // in much memory few are drawn twice: these are taken out
        uint64_t x = all.empty() ? random() % places : all[i];
        at.push_back(x * stride + (stride > 128 ? random() % (stride / 128) * 128 : 0));
    }
    if (all.empty()) {
        std::sort(at.begin(), at.end());
        at.erase(std::unique(at.begin(), at.end()), at.end());
        std::shuffle(at.begin(), at.end(), random);
    }
    uint64_t *d;
    n = at.size();
    cudaMalloc(&d, 8 * n);
    cudaMemcpy(d, at.data(), 8 * n, cudaMemcpyHostToDevice);
    link_up<<<(unsigned)(n + 255) / 256, 256>>>(room, d, (unsigned)n);
    cudaFree(d);
    clear_l2();
    double cold = chase_once(at[0], (unsigned)n), again = chase_once(at[0], (unsigned)n);
    printf("chase_MB_%llu stride %llu places %llu cold %.1f again %.1f cycles\n", (unsigned long long)mb,
           (unsigned long long)stride, (unsigned long long)n, cold, again);
}

// Every lane that is on walks where a random sequence leads it; what it loads is 0, but has to be
// waited for.
__global__ void walk(const unsigned *p, int bits, unsigned lanes, unsigned steps, unsigned long long *sum)
{
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u, lane = threadIdx.x % 32;
    if (lane >= lanes)
        return;
    long long a = clock64();
#pragma unroll 4
    for (unsigned i = 0; i < steps; i++)
        x = (x + p[x >> (32 - bits)]) * 1664525u + 1013904223u;
    long long b = clock64();
    if (lane == 0)
        atomicAdd(sum, (unsigned long long)(b - a));
    if (x == 12345)
        sum[1] = x;
}

static void print_walk(int bits, unsigned lanes, unsigned warps, unsigned blocks)
{
    const unsigned steps = 64;
    unsigned long long t[2];
    wipe<<<1024, 256>>>((uint4 *)room, (4ull << bits) / 16);
    clear_l2();
    for (int k = 0; k < 3; k++) {
        cudaMemset(sum, 0, 8);
        walk<<<blocks, 32 * warps>>>((unsigned *)room, bits, lanes, steps, sum);
        cudaMemcpy(t + (k > 0), sum, 8, cudaMemcpyDeviceToHost);
    }
    double per = (double)blocks * warps * steps;
    printf("walk 2^%d words, %u lanes, %u warps, %u blocks: first %.1f again %.1f cycles\n", bits, lanes,
           warps, blocks, (double)t[0] / per, (double)t[1] / per);
}

enum { NOTHING, LOAD, COPY, STORE };
__global__ void turn(const float *in, float *out, int what)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float x = 1;
    if (what == LOAD || what == COPY)
        x = in[i];
    if (what == COPY || what == STORE || x == 12345)
        out[i] = x;
}

static void print_turn(int threads, int shared, int resident, int what, size_t words)
{
    static const char *const names[] = {"nothing", "load", "copy", "store"};
    int blocks = (int)std::min<size_t>(words / threads, (size_t)sms * resident * 256);
    cudaEvent_t a, b;
    float best = 1e9, ms;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    for (int k = 0; k < 5; k++) {
        clear_l2();
        cudaEventRecord(a);
        turn<<<blocks, threads, shared>>>((float *)room, (float *)(room + 2 * GB), what);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        best = std::min(best, ms);
    }
    printf("turn %d threads %d shared %d resident %s: %d blocks %.5f ms, %.1f cycles a turn\n", threads, shared,
           resident, names[what], blocks, best, best * khz / ((double)blocks / sms / resident));
}

__constant__ float4 words4[4096];

template <typename T> __global__ void constants(int n, int rounds, float *out, unsigned long long *sum)
{
    const T *c = (const T *)words4;
    float x = 0;
    long long t = 0;
    for (int r = 0; r < rounds; r++) {
        if (r == 1)
            t = clock64();
#pragma unroll 4
        for (int i = 0; i < n; i++) {
            T v;
            if constexpr (sizeof(T) == 16)
                v = c[i], x += v.x + v.y + v.z + v.w;
            else
                v = c[i], x += v;
        }
    }
    long long b = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *sum = b - t;
    if (x == 12345)
        *out = x;
}

template <typename T> static void print_constants(int bytes, int threads)
{
    int n = bytes / (int)sizeof(T), rounds = 9;
    unsigned long long t;
    constants<T><<<sms, threads>>>(n, rounds, (float *)room, sum);
    constants<T><<<sms, threads>>>(n, rounds, (float *)room, sum);
    cudaMemcpy(&t, sum, 8, cudaMemcpyDeviceToHost);
    double loads = (double)n * (rounds - 1);
    printf("constants %d bytes by %d, %d threads: %.2f cycles a warp's load, %.2f a load and SM\n", bytes,
           (int)sizeof(T), threads, (double)t / loads, (double)t / loads / (threads / 32));
}

int main()
{
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    sms = p.multiProcessorCount;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    if (cudaMalloc(&room, ROOM) || cudaMalloc(&other, FLUSH) || cudaMalloc(&sum, 64))
        return 1;
    wipe<<<1024, 256>>>((uint4 *)room, ROOM / 16);
    printf("# waits.cu on an %s, %d MHz\n", p.name, khz / 1000);
    for (uint64_t mb : {1, 4, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096})
        for (uint64_t stride : {128, 4096, 65536, 2097152})
            if ((mb << 20) / stride >= 16)
                print_chase(mb, stride);
    fflush(stdout);
    for (int bits : {18, 20, 22, 23, 24, 25, 26, 28, 30})
        for (unsigned lanes : {1, 8, 32})
            for (unsigned warps : {1, 4, 16})
                print_walk(bits, lanes, warps, sms);
    for (int bits : {20, 25, 30})
        for (unsigned lanes : {1, 8, 32})
            print_walk(bits, lanes, 1, 1);
    fflush(stdout);
    for (int what = NOTHING; what <= STORE; what++) {
        print_turn(32, 230000, 1, what, 1u << 28);
        print_turn(256, 230000, 1, what, 1u << 28);
        print_turn(1024, 230000, 1, what, 1u << 28);
        print_turn(256, 110000, 2, what, 1u << 28);
        print_turn(256, 55000, 4, what, 1u << 28);
        print_turn(256, 0, 8, what, 1u << 28);
        print_turn(1024, 0, 2, what, 1u << 28);
        print_turn(32, 0, 32, what, 1u << 28);
    }
    fflush(stdout);
    for (int bytes : {64, 128, 256, 512, 768, 1024, 1536, 2048, 2560, 3072, 4096, 8192, 16384, 32768, 65536})
        for (int threads : {32, 256, 1024}) {
            print_constants<float>(bytes, threads);
            print_constants<float4>(bytes, threads);
        }
    cudaError_t e = cudaDeviceSynchronize();
    printf("# %s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
