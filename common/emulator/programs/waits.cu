// Kernels that wait for what comes after their launch: what the host writes, another stream's
// kernel, a function of the host; and the order of what was issued behind them. With an argument:
// one that waits in vain, by itself or in a graph, or while the program ends.
#include <cstdio>
#include <cstdlib>
#include <thread>

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
        long long a_ = (a), b_ = (b);                                                              \
        if (a_ != b_) {                                                                            \
            printf("line %d: %s is %lld, not %lld\n", __LINE__, #a, a_, b_);                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void wait_for(volatile int *flag, int value)
{
    while (*flag != value)
        ;
}
__global__ void wait_branches(volatile int *flag, int value, volatile int *odd)
{
    int x;

    do {
        x = *flag;
        if (x < 0)
            *odd = 1;
        if (x > 9)
            *odd = 2;
    } while (x != value);
}
// What they count, or the clock, is other each time that they look; that they do once at least,
// though a GPU may start them when the flag is set already.
__global__ void wait_counting(volatile int *flag, int value, unsigned *rounds)
{
    unsigned k = 0;

    do
        k++;
    while (*flag != value);
    atomicAdd(rounds, k);
}
__global__ void wait_by_clock(volatile int *flag, int value, long long *last)
{
    long long now;

    do
        now = clock64();
    while (*flag != value);
    *last = now;
}
// It only computes, and looks at others' words at its end: the host may watch the flag alone.
__global__ void compute(int *done, int *out, volatile int *flag, int rounds)
{
    int x = blockIdx.x;

    for (int k = 0; k < rounds; k++)
        x = x * 1664525 + 1013904223 + (k >> 3);
    out[blockIdx.x] = x;
    __threadfence_system();
    if (atomicAdd(done, 1) == gridDim.x - 1)
        *flag = 1;
}
__global__ void hand_over(volatile int *word, int own, int rounds)
{
    for (int k = 0; k < rounds; k++) {
        while ((*word & 1) != own)
            ;
        *word = *word + 1;
    }
}
__global__ void add_one(int *n)
{
    atomicAdd(n, 1);
}
__global__ void twice(int *n)
{
    *n *= 2;
}
// Each of the blocks hands on what the one before it has.
__global__ void serve(volatile int *asked, volatile int *answered, int requests)
{
    for (int k = 1; k <= requests; k++) {
        if (threadIdx.x == 0)
            while (asked[blockIdx.x] < k)
                __nanosleep(100);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence_system();
            answered[blockIdx.x] = 10 * k;
        }
        __syncthreads();
    }
}
__global__ void lock(int *word, int *order)
{
    while (atomicCAS(word, 1, 2) != 1)
        ;
    *order = 7;
}

// It finds the word as it was each time, and gets on all the same.
__global__ void knock(int *word, int times, int *sum)
{
    int n = 0;

    for (int k = 0; k < times; k++)
        n += atomicExch(word, 1);
    *sum = n;
}

static volatile int *pinned()
{
    int *p;

    OK(cudaMallocHost(&p, 64));
    *p = 0;
    return p;
}

static cudaGraphExec_t waiting_graph(volatile int *flag, int value)
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t exec;

    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    wait_for<<<1, 32, 0, s>>>(flag, value);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&exec, g, 0));
    return exec;
}

// Copies, fills, kernels and events behind a kernel that waits come after it, in order.
static void host_writes()
{
    volatile int *flag = pinned(), *result = pinned();
    int *n;
    cudaStream_t s, beside;
    cudaEvent_t before, behind, fresh;
    float ms;

    OK(cudaMalloc(&n, 8));
    OK(cudaMemset(n, 0, 8));
    OK(cudaDeviceSynchronize()); // no stream below waits for the fill, nor has the host
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&behind));
    OK(cudaEventCreate(&fresh));
    OK(cudaEventRecord(before, s));
    wait_for<<<1, 32, 0, s>>>(flag, 1);
    add_one<<<2, 64, 0, s>>>(n);
    OK(cudaEventRecord(behind, s));
    twice<<<1, 1, 0, s>>>(n);
    OK(cudaMemcpyAsync((void *)result, n, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaMemsetAsync(n, 0, 4, s));
    OK(cudaStreamWaitEvent(beside, behind, 0));
    add_one<<<1, 5, 0, beside>>>(n + 1);
    SAME(cudaStreamQuery(s), cudaErrorNotReady);
    SAME(cudaStreamQuery(beside), cudaErrorNotReady);
    while (cudaEventQuery(before) == cudaErrorNotReady) /* nothing is before it: soon */
        continue;
    SAME(cudaEventQuery(before), cudaSuccess);
    SAME(cudaEventQuery(behind), cudaErrorNotReady);
    SAME(cudaEventElapsedTime(&ms, before, behind), cudaErrorNotReady);
    SAME(cudaEventQuery(fresh), cudaSuccess);
    SAME(cudaGetLastError(), cudaSuccess);
    SAME(*result, 0);
    *flag = 1;
    OK(cudaStreamSynchronize(s));
    SAME(*result, 256);
    OK(cudaStreamSynchronize(beside));
    SAME(cudaStreamQuery(s), cudaSuccess);
    OK(cudaEventElapsedTime(&ms, before, behind));
    int last[2];
    OK(cudaMemcpy(last, n, 8, cudaMemcpyDeviceToHost));
    SAME(last[0], 0);
    SAME(last[1], 5);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(beside));
    OK(cudaFree(n));
}

// A program polls until it sees that the kernel has done something, and asks again.
static void served()
{
    volatile int *asked = pinned(), *answered = pinned();

    for (int b = 0; b < 3; b++)
        asked[b] = answered[b] = 0;
    serve<<<3, 64>>>(asked, answered, 4);
    for (int k = 1; k <= 4; k++)
        for (int b = 2; b >= 0; b--) {
            asked[b] = k;
            while (answered[b] != 10 * k)
                cudaStreamQuery(0);
        }
    OK(cudaDeviceSynchronize());
}

// A kernel that was launched later, in another stream, writes what the first waits for; a host
// function does; another thread does, while the host waits.
static void others_write()
{
    int *n, *order;
    cudaStream_t a, b;
    volatile int *flag = pinned();

    OK(cudaMallocManaged(&n, 4));
    OK(cudaMallocManaged(&order, 4));
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    *n = *order = 0;
    lock<<<1, 1, 0, a>>>(n, order);
    add_one<<<1, 1, 0, b>>>(n);
    OK(cudaDeviceSynchronize());
    SAME(*order, 7);
    *n = 1;
    knock<<<1, 1, 0, a>>>(n, 20000, order);
    OK(cudaStreamSynchronize(a));
    SAME(*order, 20000);
    wait_for<<<1, 1, 0, a>>>(flag, 3);
    OK(cudaLaunchHostFunc(
        b, [](void *p) { *(volatile int *)p = 3; }, (void *)flag));
    OK(cudaStreamSynchronize(a));
    wait_branches<<<4, 32, 0, a>>>(flag, 4, flag + 1);
    std::thread writer([flag] { *flag = 4; });
    OK(cudaStreamSynchronize(a));
    writer.join();
    std::thread other([flag] { *flag = 5; });
    OK(cudaGraphLaunch(waiting_graph(flag, 5), a));
    OK(cudaStreamSynchronize(a));
    other.join();
}

// So do kernels whose registers change as they wait.
static void counted()
{
    volatile int *flag = pinned();
    unsigned *rounds;
    long long *last;
    cudaStream_t a, b;

    OK(cudaMallocManaged(&rounds, 4));
    *rounds = 0;
    OK(cudaMallocManaged(&last, 8));
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    wait_counting<<<3, 64, 0, a>>>(flag, 1, rounds);
    SAME(cudaStreamQuery(a), cudaErrorNotReady);
    *flag = 1;
    OK(cudaStreamSynchronize(a));
    SAME(*rounds > 0, 1);
    wait_by_clock<<<1, 1, 0, a>>>(flag, 2, last);
    add_one<<<1, 1, 0, b>>>((int *)flag);
    OK(cudaDeviceSynchronize());
    SAME(*last > 0, 1);
    wait_counting<<<1, 1, 0, a>>>(flag, 3, rounds);
    wait_by_clock<<<1, 1, 0, b>>>(flag, 3, last);
    std::thread writer([flag] { *flag = 3; });
    OK(cudaDeviceSynchronize());
    writer.join();
    *flag = *rounds = 0;
    compute<<<1, 1, 0, a>>>((int *)rounds, (int *)last, flag, 1000000);
    while (*flag == 0)
        ;
    OK(cudaDeviceSynchronize());
    *flag = 0;
    hand_over<<<1, 1, 0, a>>>(flag, 0, 100);
    hand_over<<<1, 1, 0, b>>>(flag, 1, 100);
    OK(cudaDeviceSynchronize());
    SAME(*flag, 200);
    *flag = 0;
    wait_counting<<<1, 1, 0, a>>>(flag, 1, rounds);
    OK(cudaStreamDestroy(a));
    *flag = 1;
    OK(cudaDeviceSynchronize());
    SAME(*rounds > 0, 1);
    OK(cudaStreamDestroy(b));
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        volatile int *flag = pinned();
        if (argv[1][0] == 'e') { // ends, and its kernel with it
            wait_counting<<<1, 1>>>(flag, 1, (unsigned *)pinned());
            return 0;
        }
        if (argv[1][0] == 'g')
            OK(cudaGraphLaunch(waiting_graph(flag, 1), 0));
        else
            wait_for<<<1, 32>>>(flag, 1);
        cudaError_t e = cudaDeviceSynchronize();
        printf("%s\n", cudaGetErrorName(e));
        return e == cudaErrorLaunchTimeout ? 0 : 2;
    }
    host_writes();
    served();
    others_write();
    counted();
    puts("ok");
    return 0;
}
