// reads.cu - measures how fast 4 GiB can be read at all: every warp reads whole lines, 16 bytes a
// lane, so many loads under way a thread, and throws the values away (an unlikely one is stored).
// Shapes by turns; median and quartiles of 30, hot in the sense that nothing is flushed.
//
//   nvcc -O3 -arch=native -std=c++17 -o reads reads.cu && ./reads >reads-h200.txt
#include <algorithm>
#include <cstdio>
#include <vector>

enum { ROUNDS = 33, FIRST = 3 };

template <int LOADS> __global__ void near(const int4 *in, int *out, size_t n)
{
    size_t all = (size_t)gridDim.x * blockDim.x, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;

    for (; i + (LOADS - 1) * all < n; i += all * LOADS) {
        int4 v[LOADS];

#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = __ldcs(in + i + k * all);
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    for (; i < n; i += all)
        sum += in[i].x;
    if (sum == 0x7a3b1c55)
        *out = sum;
}

// Each block reads one piece of its own, from end to end.
template <int LOADS> __global__ void pieces(const int4 *in, int *out, size_t n)
{
    size_t piece = n / gridDim.x, first = blockIdx.x * piece;
    int sum = 0;

    for (size_t i = threadIdx.x; i < piece; i += (size_t)blockDim.x * LOADS) {
        int4 v[LOADS];

#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = __ldcs(in + first + i + (size_t)k * blockDim.x);
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    if (sum == 0x7a3b1c55)
        *out = sum;
}

struct shape {
    const char *name;
    void (*kernel)(const int4 *, int *, size_t);
    unsigned blocks, threads; // blocks: 0 as many as a piece of 64 KiB each wants
    std::vector<float> ms;
};

int main()
{
    const size_t bytes = (size_t)4 << 30, n = bytes / sizeof(int4);
    cudaDeviceProp p;
    cudaEvent_t a, b;
    int4 *in;
    int *out;

    cudaGetDeviceProperties(&p, 0);
    unsigned sms = p.multiProcessorCount;
    std::vector<shape> all;
    for (unsigned t : {256u, 512u, 1024u}) {
        all.push_back({"near, 1 load", near<1>, (unsigned)(n / t), t, {}});
        all.push_back({"near, 4 loads", near<4>, (unsigned)(n / t / 4), t, {}});
        all.push_back({"near, 8 loads", near<8>, (unsigned)(n / t / 8), t, {}});
        for (unsigned k : {1u, 2u, 4u})
            if (k * t <= 2048)
                all.push_back({"near, 4 loads, blocks stay", near<4>, k * sms, t, {}});
        all.push_back({"pieces, 4 loads", pieces<4>, 1u << 14, t, {}});
        all.push_back({"pieces, 8 loads", pieces<8>, 1u << 14, t, {}});
    }
    if (cudaMalloc(&in, bytes) || cudaMalloc(&out, 4) || cudaMemset(in, 1, bytes))
        return printf("no memory\n"), 1;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int r = 0; r < ROUNDS; r++)
        for (shape &s : all) {
            float ms;

            cudaEventRecord(a);
            s.kernel<<<s.blocks, s.threads>>>(in, out, n);
            cudaEventRecord(b);
            cudaEventSynchronize(b);
            cudaEventElapsedTime(&ms, a, b);
            if (r >= FIRST)
                s.ms.push_back(ms);
        }
    printf("# reads.cu on an %s: shape, threads a block, blocks, GB/s (quartiles)\n", p.name);
    for (shape &s : all) {
        std::sort(s.ms.begin(), s.ms.end());
        size_t m = s.ms.size();
        printf("%s, %u, %u: %.0f GB/s (%.0f to %.0f)\n", s.name, s.threads, s.blocks, bytes / s.ms[m / 2] / 1e6,
               bytes / s.ms[3 * m / 4] / 1e6, bytes / s.ms[m / 4] / 1e6);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
