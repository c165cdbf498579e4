// Several devices in one program: work split over all of them by threads and by streams, values
// handed round by peer access and by copies, a variable of each, events between them. On one
// device it does the same with that one.
#include <cstdio>
#include <thread>
#include <vector>

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e_));                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define SAME(a, b)                                                                                 \
    do {                                                                                           \
        if ((a) != (b)) {                                                                          \
            printf("line %d: %lld, not %lld\n", __LINE__, (long long)(a), (long long)(b));         \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static const int N = 20000;

__device__ int device_number;
__constant__ int scale;
__managed__ int visits[16];

__global__ void sum_part(const int *in, int n, unsigned long long *sum)
{
    unsigned long long own = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += (unsigned long long)in[i] * scale;
    atomicAdd(sum, own);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        visits[device_number]++;
}

__global__ void add_from(const int *theirs, int *mine, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        mine[i] += theirs[i];
}

// A part of the work by a host thread with a device of its own.
static unsigned long long part(int device, int devices, const std::vector<int> &all)
{
    int from = (int)((long long)N * device / devices),
        to = (int)((long long)N * (device + 1) / devices);
    int *in, one = 1;
    unsigned long long *sum, result = 0;

    OK(cudaSetDevice(device));
    OK(cudaMemcpyToSymbol(device_number, &device, sizeof(int)));
    OK(cudaMemcpyToSymbol(scale, &one, sizeof(int)));
    OK(cudaMalloc(&in, (to - from) * sizeof(int)));
    OK(cudaMalloc(&sum, sizeof(*sum)));
    OK(cudaMemcpy(in, &all[from], (to - from) * sizeof(int), cudaMemcpyHostToDevice));
    OK(cudaMemset(sum, 0, sizeof(*sum)));
    sum_part<<<4, 128>>>(in, to - from, sum);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&result, sum, sizeof(result), cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(sum));
    return result;
}

// Every device adds its left neighbour's array to its own, one after the other.
static int ring(int devices, bool access)
{
    std::vector<int *> mine(devices), guest(devices);
    std::vector<cudaStream_t> stream(devices);
    std::vector<cudaEvent_t> ready(devices);
    std::vector<int> host(N);

    for (int d = 0; d < devices; d++) {
        OK(cudaSetDevice(d));
        OK(cudaStreamCreate(&stream[d]));
        OK(cudaEventCreateWithFlags(&ready[d], cudaEventDisableTiming));
        OK(cudaMalloc(&mine[d], N * sizeof(int)));
        OK(cudaMalloc(&guest[d], N * sizeof(int)));
        for (int i = 0; i < N; i++)
            host[i] = i + d;
        OK(cudaMemcpy(mine[d], host.data(), N * sizeof(int), cudaMemcpyHostToDevice));
        if (access && d > 0)
            OK(cudaDeviceEnablePeerAccess(d - 1, 0));
        OK(cudaDeviceSynchronize());
    }
    for (int d = 1; d < devices; d++) {
        OK(cudaSetDevice(d));
        OK(cudaStreamWaitEvent(stream[d], ready[d - 1], 0));
        if (!access)
            OK(cudaMemcpyPeerAsync(guest[d], d, mine[d - 1], d - 1, N * sizeof(int), stream[d]));
        add_from<<<(N + 255) / 256, 256, 0, stream[d]>>>(access ? mine[d - 1] : guest[d], mine[d],
                                                         N);
        OK(cudaGetLastError());
        OK(cudaEventRecord(ready[d], stream[d]));
    }
    OK(cudaEventSynchronize(ready[devices - 1]));
    OK(cudaMemcpy(host.data(), mine[devices - 1], N * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        SAME(host[i], i * devices + devices * (devices - 1) / 2);
    for (int d = 0; d < devices; d++) {
        OK(cudaSetDevice(d));
        if (access && d > 0)
            OK(cudaDeviceDisablePeerAccess(d - 1));
        OK(cudaStreamDestroy(stream[d]));
        OK(cudaEventDestroy(ready[d]));
        OK(cudaFree(mine[d]));
        OK(cudaFree(guest[d]));
    }
    return 0;
}

int main()
{
    std::vector<int> all(N);
    std::vector<std::thread> threads;
    int devices, linked = 1, can;
    unsigned long long sums[16] = {0}, sum = 0;

    OK(cudaGetDeviceCount(&devices));
    devices = devices > 16 ? 16 : devices;
    for (int i = 0; i < N; i++)
        all[i] = i;
    for (int d = 0; d < devices; d++)
        threads.emplace_back([&, d] { sums[d] = part(d, devices, all); });
    for (auto &t : threads)
        t.join();
    for (int d = 0; d < devices; d++) {
        sum += sums[d];
        SAME(visits[d], 1);
    }
    SAME(sum, (unsigned long long)N * (N - 1) / 2);
    for (int d = 1; d < devices; d++) {
        OK(cudaDeviceCanAccessPeer(&can, d, d - 1));
        linked &= can;
    }
    if (ring(devices, false) || (linked && ring(devices, true)))
        return 1;
    printf("ok %d\n", devices);
    return 0;
}
