// peers.cu - what copies between two devices cost, and kernels on the other's memory: peers-h200.csv.
//
//     nvcc -O2 -arch=sm_90 common/emulator/profiles/peers.cu -lnccl -o peers && ./peers >peers-h200.csv
//
// A row a measurement: the median of so many repetitions and the quartiles, in ms. Copies and kernels
// are timed by events of device 0, where they are issued; "both" are two copies at once, by the
// host's clock. access: whether device 0 has access to device 1's memory. NCCL's rows are of two
// ranks, by the host's clock from the first call until both devices are done.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nccl.h>
#include <vector>

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define NCCL(call)                                                                                 \
    do {                                                                                           \
        ncclResult_t r_ = (call);                                                                  \
        if (r_ != ncclSuccess) {                                                                   \
            fprintf(stderr, "%s: %s\n", #call, ncclGetErrorString(r_));                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static const size_t MOST = 1ull << 28;

__global__ void copy_all(const float4 *in, float4 *out, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        out[i] = in[i];
}

static double now_ms()
{
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

static void both_done()
{
    for (int d = 1; d >= 0; d--) {
        OK(cudaSetDevice(d));
        OK(cudaDeviceSynchronize());
    }
}

template <class Once> static void row(const char *what, const char *access, size_t bytes, Once once)
{
    int reps = bytes > 1 << 24 ? 10 : 50;
    std::vector<double> ms;

    for (int i = -3; i < reps; i++) {
        both_done();
        double t = once();
        if (i >= 0)
            ms.push_back(t);
    }
    std::sort(ms.begin(), ms.end());
    printf("%s,%s,%zu,%d,%.6f,%.6f,%.6f\n", what, access, bytes, reps, ms[ms.size() / 2],
           ms[ms.size() / 4], ms[ms.size() * 3 / 4]);
    fflush(stdout);
}

static cudaEvent_t begin_event, end_event;

template <class Work> static double by_events(Work work)
{
    float ms;

    OK(cudaEventRecord(begin_event));
    work();
    OK(cudaEventRecord(end_event));
    OK(cudaEventSynchronize(end_event));
    OK(cudaEventElapsedTime(&ms, begin_event, end_event));
    return ms;
}

template <class Work> static double by_clock(Work work)
{
    double start = now_ms();

    work();
    both_done();
    return now_ms() - start;
}

int main()
{
    float4 *a[2], *b[2];
    cudaStream_t s[2];
    int count = 0;

    OK(cudaGetDeviceCount(&count));
    if (count < 2) {
        fprintf(stderr, "two devices are needed; there are %d\n", count);
        return 1;
    }
    for (int d = 1; d >= 0; d--) {
        OK(cudaSetDevice(d));
        OK(cudaMalloc(&a[d], MOST));
        OK(cudaMalloc(&b[d], MOST));
        OK(cudaMemset(a[d], 1, MOST));
        OK(cudaMemset(b[d], 1, MOST));
        OK(cudaStreamCreate(&s[d]));
    }
    OK(cudaEventCreate(&begin_event));
    OK(cudaEventCreate(&end_event));
    printf("# command: nvcc -O2 -arch=sm_90 common/emulator/profiles/peers.cu -lnccl -o peers && "
           "./peers\n");
    printf("what,access,bytes,reps,ms,lo_ms,hi_ms\n");
    for (int open = 0; open < 2; open++) {
        const char *access = open ? "yes" : "no";

        for (int d = 1; open && d >= 0; d--) {
            OK(cudaSetDevice(d));
            OK(cudaDeviceEnablePeerAccess(1 - d, 0));
        }
        for (size_t n = 4; n <= MOST; n *= n < 1 << 12 ? 32 : 4) {
            row("get", access, n, [&] {
                return by_events([&] { OK(cudaMemcpyPeerAsync(a[0], 0, a[1], 1, n, 0)); });
            });
            row("put", access, n, [&] {
                return by_events([&] { OK(cudaMemcpyPeerAsync(a[1], 1, a[0], 0, n, 0)); });
            });
            row("both", access, n, [&] {
                return by_clock([&] {
                    OK(cudaMemcpyPeerAsync(a[1], 1, a[0], 0, n, s[0]));
                    OK(cudaMemcpyPeerAsync(b[0], 0, b[1], 1, n, s[1]));
                });
            });
            if (!open || n < sizeof(float4))
                continue;
            size_t items = n / sizeof(float4);
            unsigned blocks = items / 256 < 1 ? 1 : items / 256 > 2112 ? 2112 : items / 256;
            row("kernel reads", access, n, [&] {
                return by_events([&] { copy_all<<<blocks, 256>>>(a[1], a[0], items); });
            });
            row("kernel writes", access, n, [&] {
                return by_events([&] { copy_all<<<blocks, 256>>>(a[0], a[1], items); });
            });
            row("kernel at home", access, n, [&] {
                return by_events([&] { copy_all<<<blocks, 256>>>(a[0], b[0], items); });
            });
        }
    }
    ncclComm_t comm[2];
    NCCL(ncclCommInitAll(comm, 2, nullptr));
    for (size_t n = 4; n <= MOST; n *= n < 1 << 12 ? 32 : 4) {
        auto all = [&](auto one) {
            return by_clock([&] {
                NCCL(ncclGroupStart());
                for (int d = 0; d < 2; d++)
                    NCCL(one(d));
                NCCL(ncclGroupEnd());
            });
        };
        size_t k = n / 4;
        row("ncclAllReduce", "", n, [&] {
            return all([&](int d) { return ncclAllReduce(a[d], b[d], k, ncclFloat, ncclSum, comm[d], s[d]); });
        });
        row("ncclReduce", "", n, [&] {
            return all([&](int d) { return ncclReduce(a[d], b[d], k, ncclFloat, ncclSum, 0, comm[d], s[d]); });
        });
        row("ncclBroadcast", "", n, [&] {
            return all([&](int d) { return ncclBroadcast(a[d], b[d], k, ncclFloat, 0, comm[d], s[d]); });
        });
        if (n > 4) {
            row("ncclAllGather", "", n, [&] {
                return all([&](int d) { return ncclAllGather(a[d], b[d], k / 2, ncclFloat, comm[d], s[d]); });
            });
            row("ncclReduceScatter", "", n, [&] {
                return all([&](int d) { return ncclReduceScatter(a[d], b[d], k / 2, ncclFloat, ncclSum, comm[d], s[d]); });
            });
        }
        row("ncclSend", "", n, [&] {
            return by_clock([&] {
                NCCL(ncclGroupStart());
                NCCL(ncclSend(a[0], k, ncclFloat, 1, comm[0], s[0]));
                NCCL(ncclRecv(b[1], k, ncclFloat, 0, comm[1], s[1]));
                NCCL(ncclGroupEnd());
            });
        });
    }
    for (int d = 0; d < 2; d++)
        NCCL(ncclCommDestroy(comm[d]));
    return 0;
}
