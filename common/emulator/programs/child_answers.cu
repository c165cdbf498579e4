// child_answers.cu - what the device runtime answers kernels (answers.h). Built with -rdc=true.
#include "answers.h"

#define SAY(call)       say(#call, (int)(call))
#define AFTER(what)     after(what)
#define IS(what, value) printf("  %s = %lld\n", what, (long long)(value))

__device__ int count, gate;

__device__ static void say(const char *what, int e)
{
    int left = cudaGetLastError();

    printf("  %s: %d%s", what, e, left == e ? "\n" : "");
    if (left != e)
        printf(", leaves %d\n", left);
}

// a launch says nothing itself
__device__ static void after(const char *what)
{
    int left = cudaPeekAtLastError(), again = cudaGetLastError(), then = cudaGetLastError();

    printf("  %s: leaves %d, %d, %d\n", what, left, again, then);
}

__global__ void child()
{
    atomicAdd(&count, 1);
}
__global__ void __launch_bounds__(64) narrow()
{
    atomicAdd(&count, 1);
}
__global__ void much_shared()
{
    __shared__ char s[40000];

    s[threadIdx.x] = 1;
    atomicAdd(&count, s[0]);
}
__global__ void __cluster_dims__(2) pair()
{
    atomicAdd(&count, 1);
}
// waits until the grid that launched it opens the gate
__global__ void guard()
{
    while (!atomicAdd(&gate, 0))
        ;
}
__global__ void fails()
{
    *(volatile int *)16 = 1;
}
__global__ void traps()
{
    asm("trap;");
}

__global__ void ask_launches()
{
    child<<<0, 1>>>();
    AFTER("no grid");
    child<<<1, 0>>>();
    AFTER("no block");
    child<<<1, 1024>>>();
    AFTER("1024 threads");
    child<<<1, 1025>>>();
    AFTER("1025 threads");
    child<<<1, dim3(1, 1, 65)>>>();
    AFTER("65 deep");
    child<<<dim3(1, 65536), 1>>>();
    AFTER("65536 blocks in y");
    child<<<1, 1, 48 * 1024>>>();
    AFTER("48K shared");
    child<<<1, 1, 49 * 1024>>>();
    AFTER("49K shared");
    child<<<1, 1, 228 * 1024>>>();
    AFTER("228K shared");
    narrow<<<1, 65>>>();
    AFTER("more than its launch bounds");
    much_shared<<<1, 1, 9000>>>();
    AFTER("9000 beside 40000 shared");
    much_shared<<<1, 1, 20000>>>();
    AFTER("20000 beside 40000 shared");
    pair<<<2, 1>>>();
    AFTER("a pair");
    pair<<<3, 1>>>();
    AFTER("a pair and a half");
    child<<<1, 1, 0, (cudaStream_t)0x1>>>();
    AFTER("stream 1");
    child<<<1, 1, 0, (cudaStream_t)0x2>>>();
    AFTER("stream 2");
    child<<<1, 1, 0, (cudaStream_t)0x3>>>();
    AFTER("stream 3");
    child<<<1, 1, 0, (cudaStream_t)0x4>>>();
    AFTER("stream 4");
}

__global__ void ask_streams()
{
    cudaStream_t s, t;

    SAY(cudaStreamCreateWithFlags(&s, cudaStreamDefault));
    SAY(cudaStreamCreateWithFlags(&s, 2));
    SAY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    SAY(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    IS("another", s != t);
    child<<<1, 1, 0, s>>>();
    AFTER("launched in it");
    SAY(cudaStreamDestroy(s));
    SAY(cudaStreamDestroy(t));
}

__global__ void ask_odd_streams()
{
    SAY(cudaStreamDestroy(0));
    SAY(cudaStreamDestroy(cudaStreamTailLaunch));
    SAY(cudaStreamDestroy(cudaStreamFireAndForget));
}

__global__ void ask_events()
{
    cudaEvent_t e;
    cudaStream_t s;

    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (unsigned flags = 0; flags < 8; flags++) {
        IS("flags", flags);
        SAY(cudaEventCreateWithFlags(&e, flags));
    }
    SAY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    SAY(cudaEventRecord(e, s));
    SAY(cudaEventRecord(e, 0));
    SAY(cudaEventRecord(e, cudaStreamTailLaunch));
    SAY(cudaEventRecord(e, cudaStreamFireAndForget));
    SAY(cudaStreamWaitEvent(s, e, 0));
    SAY(cudaStreamWaitEvent(s, e, 1));
    SAY(cudaStreamWaitEvent(0, e, 0));
    SAY(cudaStreamWaitEvent(cudaStreamTailLaunch, e, 0));
    SAY(cudaStreamWaitEvent(cudaStreamFireAndForget, e, 0));
    SAY(cudaEventDestroy(e));
}

__global__ void ask_copies(int *x, int *of_host)
{
    cudaMemcpy3DParms p = {};
    int local[4];
    __shared__ int shared[4];

    shared[0] = local[0] = 0;
    SAY(cudaMemcpyAsync(x, x + 64, 64, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpyAsync(x, x + 64, 64, cudaMemcpyDefault, 0));
    SAY(cudaMemcpyAsync(x, x + 64, 0, cudaMemcpyDeviceToHost, 0));
    SAY(cudaMemcpyAsync(x, x + 64, 64, cudaMemcpyDeviceToHost, 0));
    SAY(cudaMemcpyAsync(x, x + 64, 64, cudaMemcpyHostToDevice, 0));
    SAY(cudaMemcpyAsync(x, x + 64, 64, cudaMemcpyHostToHost, 0));
    SAY(cudaMemcpyAsync(x, x + 64, 64, (cudaMemcpyKind)9, 0));
    SAY(cudaMemcpyAsync(x, of_host, 64, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpyAsync(x, of_host, 64, cudaMemcpyHostToDevice, 0));
    SAY(cudaMemcpyAsync(NULL, x, 64, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpyAsync(x, NULL, 64, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpyAsync(local, x, 16, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpyAsync(x, shared, 16, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpyAsync(x, x + 64, 64, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch));
    SAY(cudaMemcpyAsync(x, x + 64, 64, cudaMemcpyDeviceToDevice, cudaStreamFireAndForget));
    SAY(cudaMemcpy2DAsync(x, 4, x + 64, 4, 8, 2, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpy2DAsync(x, 4, x + 64, 4, 8, 1, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpy2DAsync(x, 8, x + 64, 8, 8, 0, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpy2DAsync(x, 8, x + 64, 8, 8, 2, cudaMemcpyDeviceToDevice, 0));
    SAY(cudaMemcpy3DAsync(&p, 0));
    SAY(cudaMemsetAsync(x, 1, 64, 0));
    SAY(cudaMemsetAsync(NULL, 1, 64, 0));
    SAY(cudaMemsetAsync(NULL, 1, 0, 0));
    SAY(cudaMemsetAsync(local, 1, 16, 0));
    SAY(cudaMemsetAsync(of_host, 1, 16, 0));
    SAY(cudaMemset2DAsync(x, 4, 1, 8, 2, 0));
    SAY(cudaMemset2DAsync(x, 8, 1, 8, 2, 0));
}

__global__ void ask_memory(int *of_host_malloc)
{
    int *p = NULL, *q;

    SAY(cudaMalloc(&p, 64));
    IS("an address", p != NULL);
    SAY(cudaFree(p));
    SAY(cudaMalloc(&p, 0));
    SAY(cudaMalloc((void **)NULL, 64));
    SAY(cudaMalloc(&q, (size_t)1 << 40));
    SAY(cudaFree(NULL));
    p = (int *)malloc(64);
    SAY(cudaFree(p));
    SAY(cudaMalloc(&p, 64));
    free(p);
    AFTER("free() of what cudaMalloc() gave");
}

__global__ void ask_free(int *of_host_malloc)
{
    SAY(cudaFree(of_host_malloc));
}

__global__ void ask_questions()
{
    int v = -1;
    size_t size;
    cudaFuncAttributes a;

    SAY(cudaGetDevice(&v));
    IS("device", v);
    SAY(cudaGetDeviceCount(&v));
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
    IS("warp", v);
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
    IS("SMs", v);
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    IS("shared", v);
    SAY(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99));
    SAY(cudaDeviceGetLimit(&size, cudaLimitStackSize));
    IS("stack", size);
    SAY(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize));
    IS("heap", size);
    SAY(cudaDeviceGetLimit(&size, cudaLimitDevRuntimePendingLaunchCount));
    IS("pending", size);
    cudaFuncCache cache = (cudaFuncCache)77;
    SAY(cudaDeviceGetCacheConfig(&cache));
    IS("cache", cache);
    SAY(cudaFuncGetAttributes(&a, narrow));
    IS("most threads", a.maxThreadsPerBlock);
    SAY(cudaFuncGetAttributes(&a, much_shared));
    IS("shared", a.sharedSizeBytes);
    IS("ptx", a.ptxVersion);
    IS("binary", a.binaryVersion);
    SAY(cudaFuncGetAttributes(NULL, narrow));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, child, 1024, 0));
    IS("blocks", v);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, child, 32, 0));
    IS("blocks", v);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, child, 2048, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, child, 0, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, much_shared, 32, 0));
    IS("blocks", v);
    SAY(cudaRuntimeGetVersion(&v));
    IS("version", v);
    SAY(cudaGetDevice(NULL));
}

// launches into one stream behind one that waits for the gate: all of them wait
__global__ void ask_pending(int n)
{
    int first = 0, error = 0;

    gate = 0;
    guard<<<1, 1>>>();
    for (int i = 2; i <= n && !error; i++) {
        child<<<1, 1>>>();
        error = cudaGetLastError();
        first = i;
    }
    IS("the error", error);
    IS("at launch", error ? first : 0);
    __threadfence();
    atomicExch(&gate, 1);
}

__global__ void ask_pending_forget(int n)
{
    int first = 0, error = 0;

    gate = 0;
    for (int i = 1; i <= n && !error; i++) {
        guard<<<1, 1, 0, cudaStreamFireAndForget>>>();
        error = cudaGetLastError();
        first = i;
    }
    IS("the error", error);
    IS("at launch", error ? first : 0);
    __threadfence();
    atomicExch(&gate, 1);
}

__global__ void ask_pending_tail(int n)
{
    int first = 0, error = 0;

    for (int i = 1; i <= n && !error; i++) {
        child<<<1, 1, 0, cudaStreamTailLaunch>>>();
        error = cudaGetLastError();
        first = i;
    }
    IS("the error", error);
    IS("at launch", error ? first : 0);
}

__device__ int reached, error_below;

__global__ void deeper(int depth, int most)
{
    atomicMax(&reached, depth);
    if (depth == most)
        return;
    deeper<<<1, 1>>>(depth + 1, most);
    if (int e = cudaGetLastError())
        atomicExch(&error_below, e);
}
__global__ void deeper_tail(int depth, int most)
{
    atomicMax(&reached, depth);
    if (depth == most)
        return;
    deeper_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(depth + 1, most);
    if (int e = cudaGetLastError())
        atomicExch(&error_below, e);
}

__device__ int log_at, log_of[8];

__global__ void note(int what)
{
    log_of[atomicAdd(&log_at, 1)] = what;
}
// the tail after everything, the last of it last
__global__ void ask_order()
{
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(5);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(6);
    note<<<1, 1>>>(1);
    note<<<1, 1>>>(2);
    note<<<1, 1>>>(3);
}
__global__ void inner_tail()
{
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(2);
    note<<<1, 1>>>(1);
}
// a child's tail is of the child
__global__ void ask_inner_tail()
{
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(4);
    inner_tail<<<1, 1>>>();
    note<<<1, 1>>>(3);
}
__global__ void launch_failing(int kind)
{
    if (kind == 0)
        fails<<<1, 1>>>();
    if (kind == 1)
        traps<<<1, 1>>>();
    if (kind == 2)
        fails<<<1, 1, 0, cudaStreamTailLaunch>>>();
    child<<<1, 1>>>();
    AFTER("a child that fails, and one more");
}
__global__ void in_stream(cudaStream_t s)
{
    child<<<1, 1, 0, s>>>();
    AFTER("a stream of the host's");
}
__global__ void with_threads()
{
    child<<<1, 0>>>();
    int mine = cudaPeekAtLastError();
    __syncthreads();
    if (threadIdx.x == 1)
        child<<<1, 1>>>();
    int then = cudaPeekAtLastError();
    if (threadIdx.x < 2)
        printf("  thread's last error: %d, then %d\n", mine, then);
}

__global__ void move(unsigned char *p, int kind, size_t n)
{
    if (kind == 0)
        SAY(cudaMemcpyAsync(p, p + 2048, n, cudaMemcpyDeviceToDevice, 0));
    if (kind == 1)
        SAY(cudaMemcpy2DAsync(p, 32, p + 2048, 64, n, 3, cudaMemcpyDeviceToDevice, 0));
}

static void ended(const char *what)
{
    int n = 0;

    TELL(what, cudaDeviceSynchronize());
    if (cudaMemcpyFromSymbol(&n, count, sizeof(n)) == cudaSuccess)
        value("children", n);
    cudaGetLastError();
}

static int *x, *pinned;
static void begin()
{
    MUST(cudaMalloc(&x, 4096));
    MUST(cudaMallocHost(&pinned, 4096));
}

static void launches()
{
    ask_launches<<<1, 1>>>();
    ended("all");
}
static void more_shared()
{
    MUST(cudaFuncSetAttribute(child, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    ask_launches<<<1, 1>>>();
    ended("all, where the host allowed 100K");
}
static void streams()
{
    ask_streams<<<1, 1>>>();
    ended("all");
}
static void odd_streams()
{
    ask_odd_streams<<<1, 1>>>();
    ended("all");
}
static void events()
{
    ask_events<<<1, 1>>>();
    ended("all");
}
static void copies()
{
    begin();
    ask_copies<<<1, 1>>>(x, pinned);
    ended("all");
}
static void show(const unsigned char *p)
{
    for (int i = 0, run = 1; i < 1024; i += run) {
        for (run = 1; i + run < 1024 && p[i + run] == p[i];)
            run++;
        printf(" %dx%02x", run, p[i]);
    }
    printf("\n");
}
static void moves()
{
    static const size_t sizes[] = {1, 4, 7, 16, 30};
    static unsigned char h[4096];

    begin();
    for (int kind = 0; kind < 2; kind++)
        for (size_t n : sizes) {
            MUST(cudaMemset(x, 0xee, 2048));
            MUST(cudaMemset(x + 512, 0x77, 2048));
            move<<<1, 1>>>((unsigned char *)x, kind, n);
            MUST(cudaMemcpy(h, x, 4096, cudaMemcpyDeviceToHost));
            printf("  %s, %zu bytes:", kind ? "rows" : "a row", n);
            show(h);
        }
}
static void memory()
{
    begin();
    ask_memory<<<1, 1>>>(x);
    ended("all");
}
static void free_host_memory()
{
    begin();
    ask_free<<<1, 1>>>(x);
    ended("all");
}
static void questions()
{
    ask_questions<<<1, 1>>>();
    ended("all");
}
static void pending()
{
    size_t n = 0;

    MUST(cudaDeviceGetLimit(&n, cudaLimitDevRuntimePendingLaunchCount));
    value("limit", n);
    ask_pending<<<1, 1>>>(5000);
    ended("behind one that waits");
    ask_pending_tail<<<1, 1>>>(5000);
    ended("in the tail");
}
static void pending_set()
{
    size_t n = 0;

    ASK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100));
    MUST(cudaDeviceGetLimit(&n, cudaLimitDevRuntimePendingLaunchCount));
    value("limit", n);
    ask_pending<<<1, 1>>>(5000);
    ended("behind one that waits");
    ASK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    ask_pending<<<1, 1>>>(5000);
    ended("behind one that waits");
    ASK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 0));
    MUST(cudaDeviceGetLimit(&n, cudaLimitDevRuntimePendingLaunchCount));
    value("limit", n);
    ASK(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 3));
    ASK(cudaDeviceGetLimit(&n, cudaLimitDevRuntimeSyncDepth));
}
static void pending_forgotten()
{
    ask_pending_forget<<<1, 1>>>(200);
    ended("200 that wait themselves");
}
static void depth()
{
    int n[2];

    deeper<<<1, 1>>>(0, 40);
    ended("40 deep");
    MUST(cudaMemcpyFromSymbol(&n[0], reached, sizeof(int)));
    MUST(cudaMemcpyFromSymbol(&n[1], error_below, sizeof(int)));
    value("reached", n[0]);
    value("error", n[1]);
}
static void depth_tail()
{
    int n[2];

    deeper_tail<<<1, 1>>>(0, 100);
    ended("100 tails");
    MUST(cudaMemcpyFromSymbol(&n[0], reached, sizeof(int)));
    MUST(cudaMemcpyFromSymbol(&n[1], error_below, sizeof(int)));
    value("reached", n[0]);
    value("error", n[1]);
}
static void order()
{
    int log[8], at, none[8] = {};

    for (int k = 0; k < 2; k++) {
        if (k == 0)
            ask_order<<<1, 1>>>();
        else
            ask_inner_tail<<<1, 1>>>();
        MUST(cudaMemcpyFromSymbol(log, log_of, sizeof(log)));
        MUST(cudaMemcpyFromSymbol(&at, log_at, sizeof(at)));
        for (int i = 0; i < at; i++)
            value("order", log[i]);
        MUST(cudaMemcpyToSymbol(log_at, none, sizeof(at)));
    }
}
static void failing()
{
    launch_failing<<<1, 1>>>(0);
    ended("a bad address");
}
static void trapping()
{
    launch_failing<<<1, 1>>>(1);
    ended("a trap");
}
static void failing_tail()
{
    launch_failing<<<1, 1>>>(2);
    ended("a bad address in the tail");
}
static void host_stream()
{
    cudaStream_t s;

    MUST(cudaStreamCreate(&s));
    in_stream<<<1, 1>>>(s);
    ended("all");
}
static void threads()
{
    with_threads<<<1, 32>>>();
    ended("all");
}

#define TOPIC(name) {#name, name}
static const struct topic topics[] = {
    TOPIC(launches),    TOPIC(more_shared),       TOPIC(streams),    TOPIC(odd_streams),
    TOPIC(events),      TOPIC(copies), TOPIC(moves),           TOPIC(memory),     TOPIC(free_host_memory),
    TOPIC(questions),   TOPIC(pending),           TOPIC(pending_set), TOPIC(pending_forgotten),
    TOPIC(depth),       TOPIC(depth_tail),        TOPIC(order),      TOPIC(failing),
    TOPIC(trapping),    TOPIC(failing_tail),      TOPIC(host_stream), TOPIC(threads),
};

int main(int argc, char **argv)
{
    ask_all(topics, sizeof(topics) / sizeof(topics[0]), argc, argv);
    return 0;
}
