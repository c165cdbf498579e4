// graphs.cu - a graph captured from two streams, launched many times and updated; what a capture
// refuses.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(e_));            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define GIVES(call, error)                                                                         \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != error) {                                                                         \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(e_));            \
            exit(1);                                                                               \
        }                                                                                          \
        cudaGetLastError();                                                                        \
    } while (0)

const int n = 1000;

__global__ void grow(int *x, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] += by;
}

__global__ void add(int *sum, const int *a, const int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        sum[i] = a[i] + b[i];
}

static void count(void *calls)
{
    ++*(int *)calls;
}

static cudaStream_t one, two;
static cudaEvent_t fork_, join_;
static int *a, *b, *sum, *host, calls;

static cudaGraph_t capture(int by)
{
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork_, one));
    CHECK(cudaStreamWaitEvent(two, fork_, 0));
    grow<<<4, 256, 0, one>>>(a, by);
    grow<<<4, 256, 0, two>>>(b, 10 * by);
    CHECK(cudaEventRecord(join_, two));
    CHECK(cudaStreamWaitEvent(one, join_, 0));
    add<<<4, 256, 0, one>>>(sum, a, b);
    CHECK(cudaMemcpyAsync(host, sum, n * sizeof(int), cudaMemcpyDeviceToHost, one));
    CHECK(cudaLaunchHostFunc(one, count, &calls));
    CHECK(cudaStreamEndCapture(one, &graph));
    return graph;
}

static void launch(cudaGraphExec_t exec, int expected)
{
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaStreamSynchronize(one));
    for (int i = 0; i < n; i++) {
        if (host[i] != expected) {
            printf("sum[%d] is %d, not %d\n", i, host[i], expected);
            exit(1);
        }
    }
}

static void refused()
{
    cudaGraph_t graph;
    cudaEvent_t outside;
    void *p;

    CHECK(cudaEventCreate(&outside));
    CHECK(cudaEventRecord(outside, two));
    GIVES(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal),
          cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorIllegalState);
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    GIVES(cudaStreamSynchronize(one), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    GIVES(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    GIVES(cudaStreamWaitEvent(one, outside, 0), cudaErrorStreamCaptureIsolation);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
}

int main()
{
    cudaGraphExecUpdateResultInfo info;
    cudaGraphExec_t exec;
    size_t nodes = 0;

    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreate(&fork_));
    CHECK(cudaEventCreate(&join_));
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, n * sizeof(int)));
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    CHECK(cudaMemset(a, 0, n * sizeof(int)));
    CHECK(cudaMemset(b, 0, n * sizeof(int)));
    cudaGraph_t first = capture(1), second = capture(2);
    CHECK(cudaGraphGetNodes(first, NULL, &nodes));
    if (nodes != 5 || calls) {
        printf("%zu nodes, %d calls\n", nodes, calls);
        return 1;
    }
    CHECK(cudaGraphInstantiate(&exec, first, 0));
    launch(exec, 11);
    launch(exec, 22);
    CHECK(cudaGraphExecUpdate(exec, second, &info));
    launch(exec, 44);
    if (calls != 3) {
        printf("the host was called %d times\n", calls);
        return 1;
    }
    refused();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(first));
    CHECK(cudaGraphDestroy(second));
    for (int *p : {a, b, sum})
        CHECK(cudaFree(p));
    CHECK(cudaFreeHost(host));
    printf("ok\n");
    return 0;
}
