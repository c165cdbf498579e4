// graph_nodes.cu - memory that a captured graph allocates and frees; a loop that a kernel ends.
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

const int n = 1000;

__global__ void squares(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = i * i;
}

__global__ void sum(const int *x, int *out)
{
    int s = 0;

    for (int i = 0; i < n; i++)
        s += x[i];
    *out = s;
}

// x to its next member of Collatz's sequence, until that is 1.
__global__ void collatz(int *x, int *steps, cudaGraphConditionalHandle again)
{
    *x = *x % 2 ? 3 * *x + 1 : *x / 2;
    ++*steps;
    cudaGraphSetConditional(again, *x != 1);
}

static cudaStream_t stream;

static void memory(int *out)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *x, got;
    size_t used = 1;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&x, n * sizeof(int), stream));
    squares<<<4, 256, 0, stream>>>(x);
    sum<<<1, 1, 0, stream>>>(x, out);
    CHECK(cudaFreeAsync(x, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpyAsync(&got, out, sizeof(got), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    if (got != (n - 1) * n / 2 * (2 * n - 1) / 3) {
        printf("the sum is %d\n", got);
        exit(1);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaDeviceGraphMemTrim(0));
}

static void loop(int *x)
{
    cudaGraphConditionalHandle again;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    int from[2] = {27, 0}, got[2];

    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = again;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    CHECK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    CHECK(cudaStreamBeginCaptureToGraph(stream, p.conditional.phGraph_out[0], NULL, NULL, 0,
                                        cudaStreamCaptureModeGlobal));
    collatz<<<1, 1, 0, stream>>>(x, x + 1, again);
    CHECK(cudaStreamEndCapture(stream, NULL));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMemcpy(x, from, sizeof(from), cudaMemcpyHostToDevice));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaMemcpy(got, x, sizeof(got), cudaMemcpyDeviceToHost));
        if (got[0] != 1 || got[1] != 111) {
            printf("27 is %d after %d steps\n", got[0], got[1]);
            exit(1);
        }
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    int *x;

    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&x, 2 * sizeof(int)));
    memory(x);
    loop(x);
    CHECK(cudaFree(x));
    CHECK(cudaStreamDestroy(stream));
    printf("ok\n");
    return 0;
}
