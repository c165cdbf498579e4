// NCCL over all devices of the host, as one process: a dot product whose parts are summed, a ring of
// messages, and the same sum with a host thread a rank. One device is one rank.
#include <cstdio>
#include <cstdlib>
#include <nccl.h>
#include <thread>
#include <vector>

#define OK(call)                                                                                   \
    do {                                                                                           \
        int e_ = (int)(call);                                                                      \
        if (e_ != 0) {                                                                             \
            printf("line %d: %s: %d %s\n", __LINE__, #call, e_, ncclGetLastError(nullptr));        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define SAME(a, b)                                                                                 \
    do {                                                                                           \
        if ((a) != (b)) {                                                                          \
            printf("line %d: %g, not %g\n", __LINE__, (double)(a), (double)(b));                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static const int N = 4096;

__global__ void dot(const float *x, const float *y, int n, float *sum)
{
    float own = 0;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        own += x[i] * y[i];
    for (int d = 16; d > 0; d /= 2)
        own += __shfl_down_sync(~0u, own, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, own); /* whole numbers: in any order */
}

struct rank {
    float *x, *y, *sum;
    int *message, *left;
    cudaStream_t stream;
    ncclComm_t comm;
};

static void fill(rank &r, int number)
{
    std::vector<float> x(N, (float)(number + 1)), y(N, 2);

    OK(cudaSetDevice(number));
    OK(cudaStreamCreate(&r.stream));
    OK(cudaMalloc(&r.x, N * sizeof(float)));
    OK(cudaMalloc(&r.y, N * sizeof(float)));
    OK(cudaMalloc(&r.sum, sizeof(float)));
    OK(cudaMalloc(&r.message, sizeof(int)));
    OK(cudaMalloc(&r.left, sizeof(int)));
    OK(cudaMemcpy(r.x, x.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(r.y, y.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(r.message, &number, sizeof(int), cudaMemcpyHostToDevice));
}

static void launch(rank &r, int number)
{
    OK(cudaSetDevice(number));
    OK(cudaMemsetAsync(r.sum, 0, sizeof(float), r.stream));
    dot<<<1, 256, 0, r.stream>>>(r.x, r.y, N, r.sum);
    OK(cudaGetLastError());
}

template <class T> static T value(const rank &r, const T *p)
{
    T v;

    OK(cudaMemcpyAsync(&v, p, sizeof(v), cudaMemcpyDefault, r.stream));
    OK(cudaStreamSynchronize(r.stream));
    return v;
}

static void clean(rank &r, int number)
{
    OK(cudaSetDevice(number));
    OK(cudaFree(r.x));
    OK(cudaFree(r.y));
    OK(cudaFree(r.sum));
    OK(cudaFree(r.message));
    OK(cudaFree(r.left));
    OK(cudaStreamDestroy(r.stream));
}

int main()
{
    int n, version;

    OK(cudaGetDeviceCount(&n));
    OK(ncclGetVersion(&version));
    std::vector<rank> ranks(n);
    std::vector<ncclComm_t> comms(n);
    std::vector<std::thread> threads;
    float expected = 2.0f * N * n * (n + 1) / 2;
    for (int i = 0; i < n; i++)
        fill(ranks[i], i);

    OK(ncclCommInitAll(comms.data(), n, nullptr));
    for (int i = 0; i < n; i++)
        launch(ranks[i], i);
    OK(ncclGroupStart());
    for (int i = 0; i < n; i++)
        OK(ncclAllReduce(ranks[i].sum, ranks[i].sum, 1, ncclFloat, ncclSum, comms[i], ranks[i].stream));
    OK(ncclGroupEnd());
    OK(ncclGroupStart());
    for (int i = 0; i < n; i++) {
        OK(ncclSend(ranks[i].message, 1, ncclInt, (i + 1) % n, comms[i], ranks[i].stream));
        OK(ncclRecv(ranks[i].left, 1, ncclInt, (i + n - 1) % n, comms[i], ranks[i].stream));
    }
    OK(ncclGroupEnd());
    for (int i = 0; i < n; i++) {
        SAME(value(ranks[i], ranks[i].sum), expected);
        SAME(value(ranks[i], ranks[i].left), (i + n - 1) % n);
        OK(ncclCommDestroy(comms[i]));
    }

    ncclUniqueId id;
    OK(ncclGetUniqueId(&id));
    for (int i = 0; i < n; i++)
        threads.emplace_back([&, i] {
            rank &r = ranks[i];

            launch(r, i);
            OK(ncclCommInitRank(&r.comm, n, id, i));
            OK(ncclAllReduce(r.sum, r.sum, 1, ncclFloat, ncclSum, r.comm, r.stream));
            SAME(value(r, r.sum), expected);
            OK(ncclCommDestroy(r.comm));
        });
    for (auto &t : threads)
        t.join();
    for (int i = 0; i < n; i++)
        clean(ranks[i], i);
    printf("ok %d of NCCL %d\n", n, version / 10000);
    return 0;
}
