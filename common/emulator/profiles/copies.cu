// copies.cu - what copies between host and device cost, and what of them overlaps: copies-h200.csv.
//
//     nvcc -O2 -arch=sm_90 common/emulator/profiles/copies.cu -o copies && ./copies >copies-h200.csv
//
// A row a measurement: the median of so many repetitions and the quartiles, in ms by the host's
// clock, from the first call until the host has what it waits for. In pageable, pinned and managed
// memory all pages have been touched before.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static const size_t MOST = 1ull << 30, PAGE = 4096;

__global__ void read_all(const float *in, float *out, size_t n)
{
    float sum = 0;

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += in[i];
    if (sum == 12345.678f)
        *out = sum;
}

__global__ void copy_all(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

__global__ void work(float *a, size_t n, int rounds)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        float x = a[i];
        for (int k = 0; k < rounds; k++)
            x = x * 0.5f + 1;
        a[i] = x;
    }
}

static double now_ms()
{
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// before() is not timed.
template <class Before, class Run>
static void row(const char *what, const char *memory, const char *way, size_t bytes, int chunks,
                int reps, Before before, Run run)
{
    std::vector<double> ms;

    for (int i = -2; i < reps; i++) {
        before();
        OK(cudaDeviceSynchronize());
        double start = now_ms();
        run();
        if (i >= 0)
            ms.push_back(now_ms() - start);
    }
    std::sort(ms.begin(), ms.end());
    printf("%s,%s,%s,%zu,%d,%d,%.6f,%.6f,%.6f\n", what, memory, way, bytes, chunks, reps,
           ms[ms.size() / 2], ms[ms.size() / 4], ms[ms.size() * 3 / 4]);
    fflush(stdout);
}

static void nothing() {}

static void touch(volatile char *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += PAGE)
        p[i] = p[i];
}

static void prefetch(void *p, size_t bytes, bool to_device)
{
    cudaMemLocation where = {};

    where.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
    OK(cudaMemPrefetchAsync(p, bytes, where, 0, 0));
    OK(cudaDeviceSynchronize());
}

int main()
{
    char *device, *device2, *pinned, *pinned2, *managed, *pageable = (char *)malloc(MOST);
    float *out;

    OK(cudaMalloc(&device, MOST));
    OK(cudaMalloc(&device2, MOST));
    OK(cudaMalloc(&out, 4));
    OK(cudaMallocHost(&pinned, MOST));
    OK(cudaMallocHost(&pinned2, MOST));
    OK(cudaMallocManaged(&managed, MOST));
    memset(pageable, 1, MOST);
    memset(pinned, 1, MOST);
    memset(pinned2, 1, MOST);
    memset(managed, 1, MOST);
    printf("what,memory,way,bytes,chunks,reps,ms,lo_ms,hi_ms\n");

    row("launch", "", "", 0, 1, 100, nothing, [&] {
        work<<<1, 32>>>((float *)device, 0, 0);
        OK(cudaDeviceSynchronize());
    });
    for (size_t b = 4; b <= MOST; b *= 4) {
        int reps = b <= 1 << 20 ? 50 : b <= 1 << 26 ? 20 : 5, few = std::min(reps, 10);
        unsigned grid = (unsigned)((b / 4 + 255) / 256);
        float *mapped = (float *)pinned, *mapped2 = (float *)pinned2;

        row("copy", "pageable", "in", b, 1, reps, nothing,
            [&] { OK(cudaMemcpy(device, pageable, b, cudaMemcpyHostToDevice)); });
        row("copy", "pageable", "out", b, 1, reps, nothing,
            [&] { OK(cudaMemcpy(pageable, device, b, cudaMemcpyDeviceToHost)); });
        row("copy", "pinned", "in", b, 1, reps, nothing,
            [&] { OK(cudaMemcpy(device, pinned, b, cudaMemcpyHostToDevice)); });
        row("copy", "pinned", "out", b, 1, reps, nothing,
            [&] { OK(cudaMemcpy(pinned, device, b, cudaMemcpyDeviceToHost)); });
        row("kernel reads", "mapped", "in", b, 1, reps, nothing, [&] {
            read_all<<<264, 256>>>(mapped, out, b / 4);
            OK(cudaDeviceSynchronize());
        });
        row("kernel writes", "mapped", "out", b, 1, reps, nothing, [&] {
            copy_all<<<grid, 256>>>((float *)device, mapped2, b / 4);
            OK(cudaDeviceSynchronize());
        });
        row("kernel copies", "mapped", "both", b, 1, reps, nothing, [&] {
            copy_all<<<grid, 256>>>(mapped, mapped2, b / 4);
            OK(cudaDeviceSynchronize());
        });
        row("prefetch", "managed", "in", b, 1, few, [&] { prefetch(managed, b, false); },
            [&] { prefetch(managed, b, true); });
        row("prefetch", "managed", "out", b, 1, few, [&] { prefetch(managed, b, true); },
            [&] { prefetch(managed, b, false); });
        row("kernel reads", "managed", "in", b, 1, few, [&] { prefetch(managed, b, false); }, [&] {
            read_all<<<264, 256>>>((float *)managed, out, b / 4);
            OK(cudaDeviceSynchronize());
        });
        row("host touches", "managed", "out", b, 1, few, [&] { prefetch(managed, b, true); },
            [&] { touch(managed, b); });
    }

    const size_t B = 1 << 28;
    cudaStream_t s[4];
    for (auto &x : s)
        OK(cudaStreamCreate(&x));
    row("both ways", "pinned", "both", B, 1, 10, nothing, [&] {
        OK(cudaMemcpyAsync(device, pinned, B, cudaMemcpyHostToDevice, s[0]));
        OK(cudaMemcpyAsync(pinned2, device2, B, cudaMemcpyDeviceToHost, s[1]));
        OK(cudaDeviceSynchronize());
    });
    row("two copies in", "pinned", "in", B, 2, 10, nothing, [&] {
        OK(cudaMemcpyAsync(device, pinned, B / 2, cudaMemcpyHostToDevice, s[0]));
        OK(cudaMemcpyAsync(device + B / 2, pinned + B / 2, B / 2, cudaMemcpyHostToDevice, s[1]));
        OK(cudaDeviceSynchronize());
    });
    for (int rounds : {1, 2000, 8000}) {
        char name[32];

        snprintf(name, sizeof(name), "kernel of %d", rounds);
        row(name, "", "", B, 1, 5, nothing, [&] {
            work<<<1056, 256>>>((float *)device, B / 4, rounds);
            OK(cudaDeviceSynchronize());
        });
        snprintf(name, sizeof(name), "pipeline of %d", rounds);
        for (int chunks : {1, 2, 4, 8, 16, 32, 64})
            row(name, "pinned", "both", B, chunks, 5, nothing, [&] {
                size_t c = B / chunks;

                for (int i = 0; i < chunks; i++) {
                    char *d = device + i * c;

                    OK(cudaMemcpyAsync(d, pinned + i * c, c, cudaMemcpyHostToDevice, s[i % 4]));
                    work<<<1056, 256, 0, s[i % 4]>>>((float *)d, c / 4, rounds);
                    OK(cudaMemcpyAsync(pinned2 + i * c, d, c, cudaMemcpyDeviceToHost, s[i % 4]));
                }
                OK(cudaDeviceSynchronize());
            });
    }
    return 0;
}
