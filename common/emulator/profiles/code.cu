// code.cu - measures how fast an SM gets code: straight lines of so many multiplications and
// additions, gone through four times in one launch, by one warp or eight of one block, on one SM or
// on all. Cycles of each time, in the last of 40 launches; a launch's time is of one with one time.
//
//   nvcc -arch=sm_90 -o code code.cu && ./code >code-h200.txt
#include <cstdio>

__device__ float sink[1 << 20];

// N multiplications and additions, of four chains by turns: one a cycle.
template <int N> __device__ __forceinline__ void line(float &a, float &b, float &c, float &d, float x)
{
#pragma unroll
    for (int i = 0; i < N / 4; i++) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(x));
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(b) : "f"(x));
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(c) : "f"(x));
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(d) : "f"(x));
    }
}

template <int N> __global__ void twice(float x, int turns, unsigned *cycles)
{
    float a = x, b = x + 1, c = x + 2, d = x + 3;
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
        __syncthreads();
        long long start = clock64();
        line<N>(a, b, c, d, x);
        __syncthreads();
        long long end = clock64();
        if (threadIdx.x == 0)
            cycles[blockIdx.x * turns + t] = (unsigned)(end - start);
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

static float launch_us(void (*f)(float, int, unsigned *), int blocks, int threads, int turns, unsigned *cycles)
{
    cudaEvent_t e[2];
    float best = 1e9f;
    cudaEventCreate(&e[0]), cudaEventCreate(&e[1]);
    for (int i = 0; i < 40; i++) {
        float ms;
        cudaEventRecord(e[0]);
        f<<<blocks, threads>>>(1.0f, turns, cycles);
        cudaEventRecord(e[1]);
        cudaEventSynchronize(e[1]);
        cudaEventElapsedTime(&ms, e[0], e[1]);
        best = ms < best ? ms : best;
    }
    return 1e3f * best;
}

static void row(int n, void (*f)(float, int, unsigned *), int blocks, int threads, unsigned *cycles)
{
    static unsigned host[4 * 1024];
    float us = launch_us(f, blocks, threads, 1, cycles);
    launch_us(f, blocks, threads, 4, cycles);
    cudaMemcpy(host, cycles, sizeof(host), cudaMemcpyDeviceToHost);
    double mean[4] = {};
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < 4; t++)
            mean[t] += (double)host[4 * b + t] / blocks;
    printf("line_of_%d warps %d blocks %d cycles %.0f %.0f %.0f %.0f, a launch %.2f us\n", n, threads / 32, blocks, mean[0],
           mean[1], mean[2], mean[3], us);
}

int main()
{
    cudaDeviceProp p;
    unsigned *cycles;
    int khz;
    cudaGetDeviceProperties(&p, 0);
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    printf("# code.cu on an %s, %d MHz\n", p.name, khz / 1000);
    cudaMalloc(&cycles, 4 * 4 * 1024);
    for (int blocks = 1; blocks <= p.multiProcessorCount; blocks += p.multiProcessorCount - 1)
        for (int threads = 32; threads <= 256; threads *= 8) {
            row(64, twice<64>, blocks, threads, cycles);
            row(128, twice<128>, blocks, threads, cycles);
            row(256, twice<256>, blocks, threads, cycles);
            row(512, twice<512>, blocks, threads, cycles);
            row(1024, twice<1024>, blocks, threads, cycles);
            row(1536, twice<1536>, blocks, threads, cycles);
            row(2048, twice<2048>, blocks, threads, cycles);
            row(3072, twice<3072>, blocks, threads, cycles);
            row(4096, twice<4096>, blocks, threads, cycles);
            row(6144, twice<6144>, blocks, threads, cycles);
            row(8192, twice<8192>, blocks, threads, cycles);
            row(16384, twice<16384>, blocks, threads, cycles);
        }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
