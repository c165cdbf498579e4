/* graph_test.c - graphs as programs build, capture, change and launch them. */
#include "cudart.h"
#include <criterion/criterion.h>
#include <string.h>

#define OK(call)           cr_assert_eq((call), cudaSuccess, "%s", #call)
#define GIVES(call, error) cr_assert_str_eq(cudaGetErrorName(call), #error, "%s", #call)

/* add(int *p, int value): p[0] = p[0] * 2 + value, so that the order of launches is seen. */
static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 value)\n"
                          "{\n"
                          "    .reg .b32 %r<4>;\n"
                          "    .reg .b64 %rd<3>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.param.u32 %r1, [value];\n"
                          "    cvta.to.global.u64 %rd2, %rd1;\n"
                          "    ld.global.u32 %r2, [%rd2];\n"
                          "    mad.lo.s32 %r3, %r2, 2, %r1;\n"
                          "    st.global.u32 [%rd2], %r3;\n"
                          "    ret;\n"
                          "}\n";

static cudaLibrary_t library;
static cudaKernel_t add;
static int *device;
static cudaStream_t one, two;
static cudaGraph_t graph;
static cudaGraphExec_t exec;

static void set_up(void)
{
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&add, library, "add"));
    OK(cudaMalloc((void **)&device, 4096));
    OK(cudaMemset(device, 0, 4096));
    OK(cudaStreamCreate(&one));
    OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
}

static void launch_add(int value, cudaStream_t s)
{
    void *args[] = {&device, &value};

    OK(cudaLaunchKernel(add, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, s));
}

static int now(void)
{
    int value;

    OK(cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost));
    return value;
}

static void begin(void)
{
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
}

static size_t edges(cudaGraph_t g)
{
    size_t n = 0;

    OK(cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
    return n;
}

static size_t nodes(cudaGraph_t g)
{
    size_t n = 0;

    OK(cudaGraphGetNodes(g, NULL, &n));
    return n;
}

static cudaGraphNode_t kernel_node(cudaGraph_t g, const cudaGraphNode_t *deps, size_t n, int value)
{
    void *args[] = {&device, &value};
    struct cudaKernelNodeParams p = {
        .func = (void *)add, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = args};
    cudaGraphNode_t node;

    OK(cudaGraphAddKernelNode(&node, g, deps, n, &p));
    return node;
}

TestSuite(graph, .init = set_up);

static void count(void *calls)
{
    ++*(int *)calls;
}

/* Nothing happens while it is captured; each launch does all of it, with the arguments of then. */
Test(graph, captures_what_one_stream_does)
{
    static int calls, back;
    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    size_t n;

    begin();
    OK(cudaMemsetAsync(device, 1, 4, one));
    launch_add(7, one);
    OK(cudaMemcpyAsync(&back, device, 4, cudaMemcpyDeviceToHost, one));
    OK(cudaLaunchHostFunc(one, count, &calls));
    OK(cudaStreamGetCaptureInfo(one, &status, &id, NULL, NULL, NULL, &n));
    cr_assert(status == cudaStreamCaptureStatusActive && id && n == 1);
    OK(cudaStreamEndCapture(one, &graph));
    cr_assert(!calls && !back && now() == 0);
    cr_assert(nodes(graph) == 4 && edges(graph) == 3);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    for (int i = 1; i <= 2; i++) {
        back = 0;
        OK(cudaGraphLaunch(exec, one));
        cr_assert(calls == i && back == 0x01010101 * 2 + 7);
    }
    OK(cudaGraphExecDestroy(exec));
    GIVES(cudaGraphLaunch(exec, one), cudaErrorInvalidValue);
}

/* An event takes the capture to a second stream, another brings it back. */
Test(graph, captures_a_fork_and_a_join)
{
    enum cudaStreamCaptureStatus status;
    cudaEvent_t fork, join;

    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    begin();
    launch_add(1, one);
    OK(cudaEventRecord(fork, one));
    OK(cudaStreamWaitEvent(two, fork, 0));
    OK(cudaStreamIsCapturing(two, &status));
    cr_assert_eq(status, cudaStreamCaptureStatusActive);
    OK(cudaMemsetAsync(device + 1, 0, 4, one));
    OK(cudaMemsetAsync(device + 2, 0, 4, two));
    OK(cudaEventRecord(join, two));
    OK(cudaStreamWaitEvent(one, join, 0));
    launch_add(3, one);
    OK(cudaStreamEndCapture(one, &graph));
    cr_assert(nodes(graph) == 4 && edges(graph) == 4);
    OK(cudaStreamIsCapturing(two, &status));
    cr_assert_eq(status, cudaStreamCaptureStatusNone);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    cr_assert_eq(now(), 5);
}

/* The graph's time is its longest way, not the sum of all. */
Test(graph, branches_share_modelled_time)
{
    static uint8_t *host;
    cudaGraphNode_t node, first;
    cudaEvent_t start, stop;
    float apart, behind;

    OK(cudaMallocHost((void **)&host, 1 << 20));
    OK(cudaFree(device));
    OK(cudaMalloc((void **)&device, 2 << 20));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    for (int chained = 0; chained < 2; chained++) {
        OK(cudaGraphCreate(&graph, 0));
        OK(cudaGraphAddMemcpyNode1D(&first, graph, NULL, 0, device, host, 1 << 20,
                                    cudaMemcpyHostToDevice));
        OK(cudaGraphAddMemcpyNode1D(&node, graph, &first, (size_t)chained, device + (1 << 18),
                                    device, 1 << 20, cudaMemcpyDeviceToDevice));
        OK(cudaGraphInstantiate(&exec, graph, 0));
        OK(cudaEventRecord(start, one));
        OK(cudaGraphLaunch(exec, one));
        OK(cudaEventRecord(stop, one));
        OK(cudaEventElapsedTime(chained ? &behind : &apart, start, stop));
    }
    cr_assert(apart > 0 && apart < behind, "%f %f", apart, behind);
}

Test(graph, capture_refuses_what_waits)
{
    cudaEvent_t event, outside;
    void *p;

    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&outside));
    begin();
    GIVES(cudaStreamSynchronize(one), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaMemsetAsync(device, 0, 4, one), cudaErrorStreamCaptureInvalidated);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    cr_assert_null(graph);
    begin();
    GIVES(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    begin();
    GIVES(cudaMemset(device, 0, 4), cudaErrorStreamCaptureImplicit);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    begin();
    OK(cudaEventRecord(event, one));
    GIVES(cudaEventSynchronize(event), cudaErrorCapturedEvent);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    begin();
    OK(cudaStreamWaitEvent(one, outside, 0)); /* it was never recorded */
    OK(cudaStreamEndCapture(one, &graph));
    OK(cudaEventRecord(outside, two));
    begin();
    GIVES(cudaStreamWaitEvent(one, outside, 0), cudaErrorStreamCaptureIsolation);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&p, 4));
    OK(cudaStreamEndCapture(one, &graph));
    GIVES(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal),
          cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorIllegalState);
}

Test(graph, capture_ends_where_it_began)
{
    cudaEvent_t fork;

    OK(cudaEventCreate(&fork));
    begin();
    OK(cudaEventRecord(fork, one));
    OK(cudaStreamWaitEvent(two, fork, 0));
    launch_add(1, two);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureUnjoined);
    begin();
    OK(cudaEventRecord(fork, one));
    OK(cudaStreamWaitEvent(two, fork, 0));
    GIVES(cudaStreamEndCapture(two, &graph), cudaErrorStreamCaptureUnmatched);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    begin();
    OK(cudaStreamBeginCapture(two, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(fork, one));
    GIVES(cudaStreamWaitEvent(two, fork, 0), cudaErrorStreamCaptureMerge);
    GIVES(cudaStreamEndCapture(two, &graph), cudaErrorStreamCaptureInvalidated);
    GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
    cr_assert_eq(now(), 0);
}

/* The legacy stream is free again. Events that were recorded in it are of no use until they are
 * recorded again. */
Test(graph, capture_goes_with_its_stream)
{
    cudaEvent_t event;

    OK(cudaEventCreate(&event));
    begin();
    OK(cudaEventRecord(event, one));
    launch_add(1, one);
    OK(cudaStreamDestroy(one));
    OK(cudaMemset(device, 0, 4));
    GIVES(cudaEventQuery(event), cudaErrorInvalidValue);
    OK(cudaEventRecord(event, two));
    OK(cudaEventQuery(event));
    cr_assert_eq(now(), 0);
}

/* A second stream may go before the capture ends, once it is joined. */
Test(graph, captures_outlive_their_other_streams)
{
    cudaEvent_t event;

    OK(cudaEventCreate(&event));
    for (int joined = 0; joined < 2; joined++) {
        cudaStream_t other;

        OK(cudaStreamCreate(&other));
        begin();
        OK(cudaEventRecord(event, one));
        OK(cudaStreamWaitEvent(other, event, 0));
        launch_add(1, other);
        OK(cudaEventRecord(event, other));
        OK(cudaStreamDestroy(other));
        if (joined)
            OK(cudaStreamWaitEvent(one, event, 0));
        cr_assert_eq(cudaStreamEndCapture(one, &graph),
                     joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    }
    cr_assert_eq(nodes(graph), 1);
}

/* Nodes run after what they depend on, whichever was made first. */
Test(graph, nodes_follow_their_edges)
{
    struct cudaMemsetParams wide = {
        .dst = NULL, .pitch = 64, .value = 0x10002, .elementSize = 4, .width = 2, .height = 2};
    cudaGraphNode_t c, got[3];
    enum cudaGraphNodeType type;
    size_t n = 3;
    int host[32];

    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = kernel_node(graph, NULL, 0, 1);
    cudaGraphNode_t b = kernel_node(graph, NULL, 0, 5);
    OK(cudaGraphAddDependencies(graph, &b, &a, NULL, 1));
    GIVES(cudaGraphAddDependencies(graph, &b, &a, NULL, 1), cudaErrorInvalidValue);
    wide.dst = device + 16;
    OK(cudaGraphAddMemsetNode(&c, graph, &a, 1, &wide));
    OK(cudaGraphNodeGetType(c, &type));
    cr_assert_eq(type, cudaGraphNodeTypeMemset);
    OK(cudaGraphGetRootNodes(graph, got, &n));
    cr_assert(n == 1 && got[0] == b && !got[1]);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(), 11);
    OK(cudaMemcpy(host, device + 16, sizeof(host), cudaMemcpyDeviceToHost));
    cr_assert(host[0] == 0x10002 && host[1] == 0x10002 && !host[2] && host[17] == 0x10002);
    OK(cudaGraphAddDependencies(graph, &a, &b, NULL, 1));
    GIVES(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
}

/* What is instantiated keeps its arguments until they are set there. */
Test(graph, changes_reach_what_runs_when_they_are_set_there)
{
    int value = 9;
    void *args[] = {&device, &value};
    struct cudaKernelNodeParams p;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNode_t found;
    cudaGraph_t clone;
    unsigned enabled;

    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = kernel_node(graph, NULL, 0, 1);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphKernelNodeGetParams(a, &p));
    cr_assert_eq(*(int *)p.kernelParams[1], 1);
    p.kernelParams = args;
    OK(cudaGraphKernelNodeSetParams(a, &p));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(), 1);
    OK(cudaGraphExecUpdate(exec, graph, &info));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(), 11);
    value = 2;
    OK(cudaGraphExecKernelNodeSetParams(exec, a, &p));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(), 24);
    OK(cudaGraphNodeSetEnabled(exec, a, 0));
    OK(cudaGraphNodeGetEnabled(exec, a, &enabled));
    OK(cudaGraphLaunch(exec, one));
    cr_assert(!enabled && now() == 24);
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, a, clone));
    kernel_node(clone, &found, 1, 1);
    GIVES(cudaGraphExecUpdate(exec, clone, &info), cudaErrorGraphExecUpdateFailure);
    cr_assert_eq(info.result, cudaGraphExecUpdateErrorTopologyChanged);
}

/* What does not fit is named, as the guide has it. */
Test(graph, updates_name_what_does_not_fit)
{
    cudaLaunchAttributeValue together = {.cooperative = 1};
    struct cudaMemsetParams fill = {.dst = device, .elementSize = 4, .width = 1, .height = 1};
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t other;

    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = kernel_node(graph, NULL, 0, 1);
    cudaGraphNode_t b = kernel_node(graph, &a, 1, 2);
    kernel_node(graph, &b, 1, 3);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphCreate(&other, 0));
    a = kernel_node(other, NULL, 0, 1);
    GIVES(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    cr_assert(info.result == cudaGraphExecUpdateErrorTopologyChanged && !info.errorNode);
    b = kernel_node(other, &a, 1, 2);
    cudaGraphNode_t c = kernel_node(other, &a, 1, 3);
    GIVES(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    cr_assert(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == b &&
              !info.errorFromNode);
    OK(cudaGraphRemoveDependencies(other, &a, &c, NULL, 1));
    OK(cudaGraphAddDependencies(other, &b, &c, NULL, 1));
    OK(cudaGraphExecUpdate(exec, other, &info));
    OK(cudaGraphKernelNodeSetAttribute(b, cudaLaunchAttributeCooperative, &together));
    GIVES(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    cr_assert(info.result == cudaGraphExecUpdateErrorAttributesChanged && info.errorNode == b);
    OK(cudaGraphDestroyNode(c));
    OK(cudaGraphAddMemsetNode(&c, other, &b, 1, &fill));
    together.cooperative = 0;
    OK(cudaGraphKernelNodeSetAttribute(b, cudaLaunchAttributeCooperative, &together));
    GIVES(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    cr_assert(info.result == cudaGraphExecUpdateErrorNodeTypeChanged && info.errorNode == c);
}

/* A graph within a graph; a graph launched into a capture. */
Test(graph, graphs_hold_graphs)
{
    cudaGraph_t outer, inner;
    cudaGraphNode_t node;
    cudaGraphExec_t all;

    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&outer, 0));
    kernel_node(graph, NULL, 0, 1);
    OK(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
    cudaGraphNode_t last = kernel_node(outer, &node, 1, 2);
    cr_assert(last != node);
    OK(cudaGraphChildGraphNodeGetGraph(node, &inner));
    cr_assert(inner != graph && nodes(inner) == 1);
    GIVES(cudaGraphDestroy(inner), cudaErrorInvalidValue);
    OK(cudaGraphInstantiate(&exec, outer, 0));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(), 4);
    begin();
    OK(cudaGraphLaunch(exec, one));
    launch_add(0, one);
    OK(cudaStreamEndCapture(one, &graph));
    cr_assert_eq(nodes(graph), 2);
    OK(cudaGraphInstantiate(&all, graph, 0));
    OK(cudaGraphLaunch(all, one));
    cr_assert_eq(now(), (4 * 4 + 4) * 2);
}
