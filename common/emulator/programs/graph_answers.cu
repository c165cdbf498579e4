// graph_answers.cu - what the runtime answers about graphs and captures (answers.h).
#include "answers.h"
#include <pthread.h>

__device__ int symbol[4];

__global__ void one(int *p)
{
    if (p)
        atomicAdd(p, 1);
}

__global__ void two(int *p, int by)
{
    if (p)
        *p += by;
}

__global__ void set_handle(cudaGraphConditionalHandle h, unsigned v)
{
    cudaGraphSetConditional(h, v);
}

static void nothing(void *)
{
}

static int destroyed;
static void destroy(void *)
{
    destroyed++;
}

static cudaGraph_t g, h;
static cudaGraphNode_t n, m, k;
static cudaGraphExec_t x, y;
static cudaStream_t s, t;
static int *d, *host, *pinned;

static void begin()
{
    MUST(cudaMalloc(&d, 4096));
    MUST(cudaMemset(d, 0, 4096));
    MUST(cudaMallocHost(&pinned, 4096));
    host = (int *)calloc(1, 4096);
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&t));
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphCreate(&h, 0));
}

static void *arguments[2] = {&d, NULL};
static int by = 3;

static cudaKernelNodeParams kernel(dim3 grid = 1, dim3 block = 32, unsigned shared = 0)
{
    arguments[0] = &d;
    return {(void *)one, grid, block, shared, arguments, NULL};
}

static cudaMemcpy3DParms copying(void *to, void *from, size_t bytes, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms p = {};

    p.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
    p.srcPtr = make_cudaPitchedPtr(from, bytes, bytes, 1);
    p.extent = make_cudaExtent(bytes, 1, 1);
    p.kind = kind;
    return p;
}

static cudaMemsetParams filling(void *to, unsigned size, size_t width, size_t height, size_t pitch)
{
    return {to, pitch, 7, size, width, height};
}

static cudaMemAllocNodeParams allocating(size_t bytes)
{
    cudaMemAllocNodeParams p = {};

    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = bytes;
    return p;
}

static cudaError_t add(cudaKernelNodeParams p)
{
    return cudaGraphAddKernelNode(&n, g, NULL, 0, &p);
}
static cudaError_t add(cudaMemcpy3DParms p)
{
    return cudaGraphAddMemcpyNode(&n, g, NULL, 0, &p);
}
static cudaError_t add(cudaMemsetParams p)
{
    return cudaGraphAddMemsetNode(&n, g, NULL, 0, &p);
}
static cudaError_t add(cudaHostNodeParams p)
{
    return cudaGraphAddHostNode(&n, g, NULL, 0, &p);
}

/* A graph with that node alone: is it instantiated, and does it run? */
template <typename P> static void alone(const char *what, P p)
{
    char line[200];

    g = NULL;
    MUST(cudaGraphCreate(&g, 0));
    cudaError_t e = add(p);
    snprintf(line, sizeof(line), "%s: add", what);
    answer(line, e);
    if (e)
        return;
    e = cudaGraphInstantiate(&x, g, 0);
    snprintf(line, sizeof(line), "%s: instantiate", what);
    if (e)
        answer(line, e);
    if (e)
        return;
    e = cudaGraphLaunch(x, s);
    e = e ? e : cudaStreamSynchronize(s);
    snprintf(line, sizeof(line), "%s: launch", what);
    answer(line, e);
}

static void graphs()
{
    begin();
    ASK(cudaGraphCreate(NULL, 0));
    ASK(cudaGraphCreate(&g, 1));
    ASK(cudaGraphDestroy(NULL));
    size_t count = 9;
    ASK(cudaGraphGetNodes(g, NULL, &count));
    value("nodes", count);
    ASK(cudaGraphGetNodes(g, NULL, NULL));
    ASK(cudaGraphGetNodes(NULL, NULL, &count));
    ASK(cudaGraphAddEmptyNode(&n, g, NULL, 0));
    ASK(cudaGraphAddEmptyNode(&m, g, &n, 1));
    ASK(cudaGraphAddEmptyNode(&k, g, NULL, 0));
    ASK(cudaGraphAddEmptyNode(NULL, g, NULL, 0));
    ASK(cudaGraphAddEmptyNode(&k, NULL, NULL, 0));
    ASK(cudaGraphAddEmptyNode(&k, g, NULL, 1));
    cudaGraphNode_t list[4] = {n, n, NULL, NULL}, of_h;
    ASK(cudaGraphAddEmptyNode(&k, g, list, 2));
    ASK(cudaGraphAddEmptyNode(&k, g, list + 2, 1));
    ASK(cudaGraphAddEmptyNode(&of_h, h, NULL, 0));
    ASK(cudaGraphAddEmptyNode(&k, g, &of_h, 1));
    count = 1;
    ASK(cudaGraphGetNodes(g, list, &count));
    value("nodes", count);
    count = 4;
    list[3] = n;
    ASK(cudaGraphGetNodes(g, list, &count));
    value("nodes", count);
    value("beyond is NULL", list[3] == NULL);
    ASK(cudaGraphGetRootNodes(g, NULL, &count));
    value("roots", count);
    ASK(cudaGraphNodeGetType(NULL, NULL));
    ASK(cudaGraphNodeGetType(n, NULL));
    ASK(cudaGraphDebugDotPrint(g, "/nowhere/at/all.dot", 0));
    ASK(cudaGraphDebugDotPrint(g, NULL, 0));
    ASK(cudaGraphDebugDotPrint(g, "/dev/null", 1u << 30));
    ASK(cudaGraphDebugDotPrint(NULL, "/dev/null", 0));
}

static void kernels()
{
    begin();
    cudaKernelNodeParams p = kernel();
    ASK(cudaGraphAddKernelNode(NULL, g, NULL, 0, &p));
    ASK(cudaGraphAddKernelNode(&n, NULL, NULL, 0, &p));
    ASK(cudaGraphAddKernelNode(&n, g, NULL, 0, NULL));
    p.func = NULL;
    alone("no function", p);
    p.func = (void *)nothing;
    alone("a host function", p);
    alone("no grid", kernel(0));
    alone("no block", kernel(1, 0));
    alone("2048 threads", kernel(1, 2048));
    alone("1024x2 threads", kernel(1, dim3(1024, 2)));
    alone("65 deep", kernel(1, dim3(1, 1, 65)));
    alone("65536 blocks in y", kernel(dim3(1, 65536)));
    alone("48K shared", kernel(1, 32, 48 * 1024));
    alone("49K shared", kernel(1, 32, 49 * 1024));
    alone("300K shared", kernel(1, 32, 300 * 1024));
    p = kernel();
    p.kernelParams = NULL;
    alone("no arguments", p);
    size_t size = sizeof(d);
    void *extra[] = {(void *)1, &d, (void *)2, &size, (void *)0};
    p = kernel();
    p.extra = extra;
    alone("both kinds of arguments", p);
    p.kernelParams = NULL;
    alone("arguments in extra", p);
}

static void kernel_params()
{
    begin();
    cudaKernelNodeParams p = kernel(3, 64, 16), q = {};
    MUST(cudaGraphAddKernelNode(&n, g, NULL, 0, &p));
    ASK(cudaGraphKernelNodeGetParams(n, &q));
    value("grid", q.gridDim.x);
    value("block", q.blockDim.x);
    value("shared", q.sharedMemBytes);
    value("the function", q.func == p.func);
    value("arguments", q.kernelParams && *(int **)q.kernelParams[0] == d);
    value("extra", q.extra != NULL);
    ASK(cudaGraphKernelNodeGetParams(n, NULL));
    ASK(cudaGraphKernelNodeGetParams(NULL, &q));
    void *more[] = {&d, &by};
    p.func = (void *)two;
    p.kernelParams = more;
    ASK(cudaGraphKernelNodeSetParams(n, &p));
    ASK(cudaGraphKernelNodeGetParams(n, &q));
    value("the function", q.func == p.func);
    p.blockDim = 2048;
    ASK(cudaGraphKernelNodeSetParams(n, &p));
    ASK(cudaGraphKernelNodeSetParams(n, NULL));
    ASK(cudaGraphKernelNodeSetParams(NULL, &p));
    cudaMemsetParams f = filling(d, 4, 1, 1, 0);
    ASK(cudaGraphMemsetNodeSetParams(n, &f));
    ASK(cudaGraphMemsetNodeGetParams(n, &f));
    cudaMemcpy3DParms c;
    ASK(cudaGraphMemcpyNodeGetParams(n, &c));
    cudaHostNodeParams hp;
    ASK(cudaGraphHostNodeGetParams(n, &hp));
    ASK(cudaGraphChildGraphNodeGetGraph(n, &h));
    cudaEvent_t e;
    ASK(cudaGraphEventRecordNodeGetEvent(n, &e));
    ASK(cudaGraphEventWaitNodeGetEvent(n, &e));
    cudaMemAllocNodeParams a;
    ASK(cudaGraphMemAllocNodeGetParams(n, &a));
    ASK(cudaGraphMemFreeNodeGetParams(n, &d));
}

static void attributes()
{
    begin();
    cudaKernelNodeParams p = kernel();
    MUST(cudaGraphAddKernelNode(&n, g, NULL, 0, &p));
    MUST(cudaGraphAddKernelNode(&m, g, NULL, 0, &p));
    for (int id = 0; id <= 17; id++) {
        cudaLaunchAttributeValue v, w;
        char line[80];

        memset(&v, 0x55, sizeof(v));
        cudaError_t e = cudaGraphKernelNodeGetAttribute(n, (cudaLaunchAttributeID)id, &v);
        snprintf(line, sizeof(line), "attribute %d: get", id);
        answer(line, e);
        int first;
        memcpy(&first, &v, sizeof(first));
        if (!e && id != 1 && id != 7 && id != 12 && id != 13)
            value("  first word", first);
        memset(&w, 0, sizeof(w));
        snprintf(line, sizeof(line), "attribute %d: set to 0", id);
        answer(line, cudaGraphKernelNodeSetAttribute(n, (cudaLaunchAttributeID)id, &w));
    }
    cudaLaunchAttributeValue v = {};
    v.priority = -100;
    ASK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributePriority, &v));
    ASK(cudaGraphKernelNodeGetAttribute(n, cudaLaunchAttributePriority, &v));
    value("priority", v.priority);
    v.cooperative = 1;
    ASK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeCooperative, &v));
    v.clusterDim = {3, 1, 1};
    ASK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeClusterDimension, &v));
    ASK(cudaGraphKernelNodeCopyAttributes(m, n));
    ASK(cudaGraphKernelNodeGetAttribute(m, cudaLaunchAttributeCooperative, &v));
    value("cooperative", v.cooperative);
    MUST(cudaGraphAddEmptyNode(&k, g, NULL, 0));
    ASK(cudaGraphKernelNodeCopyAttributes(m, k));
    ASK(cudaGraphKernelNodeCopyAttributes(k, m));
    ASK(cudaGraphKernelNodeGetAttribute(k, cudaLaunchAttributeCooperative, &v));
}

static void copies()
{
    begin();
    cudaMemcpy3DParms p = copying(d, host, 64, cudaMemcpyHostToDevice), q;
    ASK(cudaGraphAddMemcpyNode(&n, g, NULL, 0, NULL));
    ASK(cudaGraphAddMemcpyNode(NULL, g, NULL, 0, &p));
    alone("host to device", p);
    alone("default", copying(d, host, 64, cudaMemcpyDefault));
    alone("kind 9", copying(d, host, 64, (cudaMemcpyKind)9));
    alone("as device to host", copying(d, host, 64, cudaMemcpyDeviceToHost));
    alone("as host to host", copying(d, host, 64, cudaMemcpyHostToHost));
    alone("as device to device", copying(d, host, 64, cudaMemcpyDeviceToDevice));
    alone("pinned as device to device", copying(d, pinned, 64, cudaMemcpyDeviceToDevice));
    alone("nothing", copying(d, host, 0, cudaMemcpyHostToDevice));
    alone("too much", copying(d, host, 8192, cudaMemcpyHostToDevice));
    alone("too much on the device", copying(d, d, 8192, cudaMemcpyDeviceToDevice));
    alone("to nowhere", copying(NULL, host, 64, cudaMemcpyHostToDevice));
    alone("from nowhere", copying(d, NULL, 64, cudaMemcpyHostToDevice));
    p.srcPtr.pitch = 8;
    alone("a pitch of 8, one row", p);
    p.extent.height = 2;
    alone("a pitch of 8, two rows", p);
    p = copying(d, host, 64, cudaMemcpyHostToDevice);
    p.extent.height = 2;
    p.srcPtr.ysize = p.dstPtr.ysize = 2;
    alone("two rows", p);
    p.extent.depth = 2;
    p.srcPtr.ysize = 1;
    alone("two slices of one row, two copied", p);
    MUST(cudaGraphCreate(&g, 0));
    ASK(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, host, 48, cudaMemcpyHostToDevice));
    ASK(cudaGraphMemcpyNodeGetParams(n, &q));
    value("width", q.extent.width);
    value("height", q.extent.height);
    value("depth", q.extent.depth);
    value("source pitch", q.srcPtr.pitch);
    value("source xsize", q.srcPtr.xsize);
    value("source ysize", q.srcPtr.ysize);
    value("target pitch", q.dstPtr.pitch);
    value("kind", q.kind);
    ASK(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, host, 0, cudaMemcpyHostToDevice));
    ASK(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, host, 16, cudaMemcpyDefault));
    ASK(cudaGraphMemcpyNodeGetParams(n, &q));
    value("kind", q.kind);
    ASK(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, NULL, host, 16, cudaMemcpyHostToDevice));
    ASK(cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, symbol, host, 16, 0,
                                       cudaMemcpyHostToDevice));
    ASK(cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, symbol, host, 16, 4,
                                       cudaMemcpyHostToDevice));
    ASK(cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, symbol, host, 16, 0,
                                       cudaMemcpyDeviceToHost));
    ASK(cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, host, host, 16, 0, cudaMemcpyHostToDevice));
    ASK(cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, NULL, host, 16, 0, cudaMemcpyHostToDevice));
    ASK(cudaGraphAddMemcpyNodeFromSymbol(&n, g, NULL, 0, host, symbol, 16, 0,
                                         cudaMemcpyDeviceToHost));
    ASK(cudaGraphAddMemcpyNodeFromSymbol(&n, g, NULL, 0, host, symbol, 20, 0,
                                         cudaMemcpyDeviceToHost));
}

static void fills()
{
    begin();
    ASK(cudaGraphAddMemsetNode(&n, g, NULL, 0, NULL));
    alone("one word", filling(d, 4, 1, 1, 0));
    alone("of 3 bytes", filling(d, 3, 1, 1, 0));
    alone("of 8 bytes", filling(d, 8, 1, 1, 0));
    alone("of 0 bytes", filling(d, 0, 1, 1, 0));
    alone("nowhere", filling(NULL, 4, 1, 1, 0));
    alone("on the host", filling(host, 4, 1, 1, 0));
    alone("in pinned memory", filling(pinned, 4, 1, 1, 0));
    alone("no width", filling(d, 4, 0, 1, 0));
    alone("no height", filling(d, 4, 1, 0, 0));
    alone("too much", filling(d, 4, 2048, 1, 0));
    alone("a pitch too small", filling(d, 4, 8, 2, 16));
    alone("not aligned", filling((char *)d + 2, 4, 8, 1, 0));
    alone("a pitch that is not aligned", filling(d, 4, 2, 2, 10));
    cudaMemsetParams f = filling(d, 2, 5, 1, 77);
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphAddMemsetNode(&n, g, NULL, 0, &f));
    MUST(cudaGraphMemsetNodeGetParams(n, &f));
    value("pitch", f.pitch);
    value("width", f.width);
    value("height", f.height);
    value("element", f.elementSize);
    value("value", f.value);
}

static void hosts_and_events()
{
    cudaEvent_t e, untimed;

    begin();
    MUST(cudaEventCreate(&e));
    MUST(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    alone("a function", cudaHostNodeParams{nothing, NULL});
    alone("no function", cudaHostNodeParams{NULL, NULL});
    MUST(cudaGraphCreate(&g, 0));
    ASK(cudaGraphAddHostNode(&n, g, NULL, 0, NULL));
    ASK(cudaGraphAddEventRecordNode(&n, g, NULL, 0, NULL));
    ASK(cudaGraphAddEventWaitNode(&n, g, NULL, 0, NULL));
    ASK(cudaGraphAddEventRecordNode(&n, g, NULL, 0, e));
    ASK(cudaGraphAddEventWaitNode(&m, g, NULL, 0, untimed));
    ASK(cudaGraphEventRecordNodeSetEvent(n, NULL));
    ASK(cudaGraphEventRecordNodeSetEvent(m, e));
    ASK(cudaGraphEventWaitNodeSetEvent(m, e));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphExecEventRecordNodeSetEvent(x, n, untimed));
    ASK(cudaGraphExecEventWaitNodeSetEvent(x, n, untimed));
    ASK(cudaGraphExecEventWaitNodeSetEvent(x, m, NULL));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    ASK(cudaEventQuery(e));
    ASK(cudaEventQuery(untimed));
}

static void children()
{
    cudaGraph_t inner, grand;
    size_t count;

    begin();
    ASK(cudaGraphAddChildGraphNode(&n, g, NULL, 0, NULL));
    ASK(cudaGraphAddChildGraphNode(&n, g, NULL, 0, h));
    ASK(cudaGraphGetNodes(g, NULL, &count));
    value("nodes", count);
    ASK(cudaGraphChildGraphNodeGetGraph(n, &inner));
    ASK(cudaGraphGetNodes(inner, NULL, &count));
    value("nodes inside", count);
    ASK(cudaGraphDestroy(inner));
    ASK(cudaGraphAddEmptyNode(&m, inner, NULL, 0));
    MUST(cudaGraphAddEmptyNode(&m, h, NULL, 0));
    ASK(cudaGraphAddChildGraphNode(&n, g, NULL, 0, h));
    ASK(cudaGraphChildGraphNodeGetGraph(n, &inner));
    ASK(cudaGraphNodeFindInClone(&k, m, inner));
    ASK(cudaGraphDestroy(h));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphLaunch(x, s));
    MUST(cudaGraphCreate(&h, 0));
    cudaGraphNodeParams p = {cudaGraphNodeTypeGraph};
    p.graph.graph = h;
    p.graph.ownership = cudaGraphChildGraphOwnershipMove;
    ASK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
    ASK(cudaGraphDestroy(h));
    ASK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
    MUST(cudaGraphCreate(&h, 0));
    p.graph.graph = h;
    p.graph.ownership = (cudaGraphChildGraphNodeOwnership)7;
    ASK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
    p.graph.ownership = cudaGraphChildGraphOwnershipClone;
    ASK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
    p.graph.graph = NULL;
    ASK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
    MUST(cudaGraphCreate(&grand, 0));
    cudaMemAllocNodeParams a = allocating(64);
    MUST(cudaGraphAddMemAllocNode(&n, grand, NULL, 0, &a));
    ASK(cudaGraphAddChildGraphNode(&n, g, NULL, 0, grand));
    ASK(cudaGraphAddNode(NULL, g, NULL, NULL, 0, &p));
    ASK(cudaGraphAddNode(&n, g, NULL, NULL, 0, NULL));
    p.type = (cudaGraphNodeType)99;
    ASK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
    p = {cudaGraphNodeTypeEmpty};
    p.reserved0[0] = 1;
    ASK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
}

static void edges()
{
    cudaGraphNode_t from[4], to[4], other;
    cudaGraphEdgeData data[4] = {};
    size_t count;

    begin();
    MUST(cudaGraphAddEmptyNode(&n, g, NULL, 0));
    MUST(cudaGraphAddEmptyNode(&m, g, NULL, 0));
    MUST(cudaGraphAddEmptyNode(&k, g, NULL, 0));
    MUST(cudaGraphAddEmptyNode(&other, h, NULL, 0));
    ASK(cudaGraphAddDependencies(g, NULL, NULL, NULL, 0));
    ASK(cudaGraphAddDependencies(g, NULL, NULL, NULL, 1));
    ASK(cudaGraphAddDependencies(NULL, &n, &m, NULL, 1));
    ASK(cudaGraphAddDependencies(g, &n, &m, NULL, 1));
    ASK(cudaGraphAddDependencies(g, &n, &m, NULL, 1));
    ASK(cudaGraphAddDependencies(g, &n, &n, NULL, 1));
    ASK(cudaGraphAddDependencies(g, &n, &other, NULL, 1));
    ASK(cudaGraphAddDependencies(h, &n, &m, NULL, 1));
    ASK(cudaGraphRemoveDependencies(g, &m, &n, NULL, 1));
    ASK(cudaGraphRemoveDependencies(g, &n, &k, NULL, 1));
    ASK(cudaGraphRemoveDependencies(g, &n, &other, NULL, 1));
    ASK(cudaGraphAddDependencies(g, &m, &k, NULL, 1));
    ASK(cudaGraphAddDependencies(g, &k, &n, NULL, 1));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphRemoveDependencies(g, &k, &n, NULL, 1));
    ASK(cudaGraphGetEdges(g, NULL, NULL, NULL, &count));
    value("edges", count);
    ASK(cudaGraphGetEdges(g, from, NULL, NULL, &count));
    count = 1;
    ASK(cudaGraphGetEdges(g, from, to, NULL, &count));
    value("edges", count);
    count = 4;
    ASK(cudaGraphGetEdges(g, from, to, data, &count));
    value("edges", count);
    value("beyond is NULL", from[3] == NULL && to[3] == NULL);
    ASK(cudaGraphGetEdges(g, from, to, NULL, NULL));
    ASK(cudaGraphNodeGetDependencies(m, NULL, NULL, &count));
    value("dependencies", count);
    ASK(cudaGraphNodeGetDependencies(NULL, NULL, NULL, &count));
    ASK(cudaGraphNodeGetDependencies(m, NULL, NULL, NULL));
    ASK(cudaGraphNodeGetDependentNodes(n, NULL, NULL, &count));
    value("dependents", count);
    ASK(cudaGraphDestroyNode(m));
    ASK(cudaGraphGetEdges(g, NULL, NULL, NULL, &count));
    value("edges", count);
    ASK(cudaGraphDestroyNode(NULL));
}

static void programmatic()
{
    cudaGraphEdgeData e = {};
    cudaGraphNode_t fill, from[4], to[4], last;
    size_t count = 4;

    begin();
    cudaKernelNodeParams p = kernel();
    cudaMemsetParams f = filling(d, 4, 1, 1, 0);
    MUST(cudaGraphAddKernelNode(&n, g, NULL, 0, &p));
    MUST(cudaGraphAddKernelNode(&m, g, NULL, 0, &p));
    MUST(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &f));
    e.type = cudaGraphDependencyTypeProgrammatic;
    ASK(cudaGraphAddDependencies(g, &n, &m, &e, 1));
    e.from_port = cudaGraphKernelNodePortProgrammatic;
    ASK(cudaGraphAddDependencies(g, &n, &m, &e, 1));
    ASK(cudaGraphAddDependencies(g, &n, &m, &e, 1));
    ASK(cudaGraphAddDependencies(g, &n, &m, NULL, 1));
    ASK(cudaGraphAddDependencies(g, &n, &fill, &e, 1));
    ASK(cudaGraphAddDependencies(g, &fill, &m, &e, 1));
    ASK(cudaGraphGetEdges(g, from, to, NULL, &count));
    count = 4;
    cudaGraphEdgeData data[4];
    ASK(cudaGraphGetEdges(g, from, to, data, &count));
    value("edges", count);
    value("port", data[0].from_port);
    value("type", data[0].type);
    count = 4;
    ASK(cudaGraphNodeGetDependencies(m, from, NULL, &count));
    count = 4;
    ASK(cudaGraphNodeGetDependencies(m, from, data, &count));
    value("port", data[0].from_port);
    count = 4;
    ASK(cudaGraphNodeGetDependencies(m, NULL, NULL, &count));
    count = 4;
    ASK(cudaGraphNodeGetDependentNodes(n, from, NULL, &count));
    ASK(cudaGraphRemoveDependencies(g, &n, &m, NULL, 1));
    ASK(cudaGraphRemoveDependencies(g, &n, &m, &e, 1));
    e.from_port = cudaGraphKernelNodePortLaunchCompletion;
    ASK(cudaGraphAddDependencies(g, &n, &m, &e, 1));
    e.type = cudaGraphDependencyTypeDefault;
    ASK(cudaGraphRemoveDependencies(g, &n, &m, &e, 1));
    ASK(cudaGraphAddDependencies(g, &n, &fill, &e, 1));
    e.from_port = 3;
    ASK(cudaGraphAddDependencies(g, &n, &fill, &e, 1));
    e = {};
    e.to_port = 1;
    ASK(cudaGraphAddDependencies(g, &n, &fill, &e, 1));
    e = {};
    e.type = 2;
    ASK(cudaGraphAddDependencies(g, &n, &fill, &e, 1));
    e = {};
    e.reserved[0] = 1;
    ASK(cudaGraphAddDependencies(g, &n, &fill, &e, 1));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    e = {};
    e.type = cudaGraphDependencyTypeProgrammatic;
    e.from_port = cudaGraphKernelNodePortProgrammatic;
    cudaGraphNodeParams q = {cudaGraphNodeTypeKernel};
    q.kernel.func = (void *)one;
    q.kernel.gridDim = q.kernel.blockDim = 1;
    q.kernel.kernelParams = arguments;
    ASK(cudaGraphAddNode(&last, g, &m, &e, 1, &q));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    cudaLaunchAttributeValue v;
    ASK(cudaGraphKernelNodeGetAttribute(last, cudaLaunchAttributeProgrammaticStreamSerialization,
                                        &v));
}

static void capture_programmatic()
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a = {};
    cudaGraphEdgeData data[4];
    cudaGraphNode_t from[4], to[4];
    size_t count = 4;

    begin();
    c.gridDim = c.blockDim = 1;
    c.stream = s;
    c.attrs = &a;
    c.numAttrs = 1;
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASK(cudaLaunchKernelEx(&c, one, d));
    ASK(cudaLaunchKernelEx(&c, one, d));
    ASK(cudaMemsetAsync(d, 0, 4, s));
    ASK(cudaLaunchKernelEx(&c, one, d));
    ASK(cudaStreamEndCapture(s, &g));
    ASK(cudaGraphGetEdges(g, from, to, data, &count));
    for (size_t i = 0; i < count; i++) {
        cudaGraphNodeType type;

        MUST(cudaGraphNodeGetType(to[i], &type));
        value("edge to a node of type", type);
        value("  port", data[i].from_port);
        value("  type", data[i].type);
    }
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    cudaEvent_t e;
    MUST(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    a.id = cudaLaunchAttributeProgrammaticEvent;
    a.val.programmaticEvent.event = e;
    a.val.programmaticEvent.flags = 0;
    a.val.programmaticEvent.triggerAtBlockStart = 0;
    ASK(cudaLaunchKernelEx(&c, one, d));
    ASK(cudaEventSynchronize(e));
    a.val.programmaticEvent.flags = 1;
    ASK(cudaLaunchKernelEx(&c, one, d));
    a.val.programmaticEvent.flags = 0;
    a.val.programmaticEvent.event = NULL;
    ASK(cudaLaunchKernelEx(&c, one, d));
    cudaEvent_t timed;
    MUST(cudaEventCreate(&timed));
    a.val.programmaticEvent.event = timed;
    ASK(cudaLaunchKernelEx(&c, one, d));
    a.val.programmaticEvent.event = e;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASK(cudaLaunchKernelEx(&c, one, d));
    ASK(cudaStreamWaitEvent(t, e, 0));
    one<<<1, 1, 0, t>>>(d);
    ASK(cudaGetLastError());
    ASK(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, cudaStreamAddCaptureDependencies));
    cudaEvent_t join;
    MUST(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    ASK(cudaEventRecord(join, t));
    ASK(cudaStreamWaitEvent(s, join, 0));
    ASK(cudaStreamEndCapture(s, &g));
    count = 4;
    ASK(cudaGraphGetEdges(g, from, to, data, &count));
    value("edges", count);
    for (size_t i = 0; i < count; i++)
        value("  port", data[i].from_port);
    a = {};
    a.id = cudaLaunchAttributeLaunchCompletionEvent;
    a.val.launchCompletionEvent.event = e;
    ASK(cudaLaunchKernelEx(&c, one, d));
    ASK(cudaEventSynchronize(e));
    a.val.launchCompletionEvent.event = NULL;
    ASK(cudaLaunchKernelEx(&c, one, d));
    a.val.launchCompletionEvent.event = timed;
    ASK(cudaLaunchKernelEx(&c, one, d));
    ASK(cudaDeviceSynchronize());
}

static void clones()
{
    cudaGraph_t clone;
    cudaGraphNode_t found;

    begin();
    cudaKernelNodeParams p = kernel();
    MUST(cudaGraphAddKernelNode(&n, g, NULL, 0, &p));
    ASK(cudaGraphClone(NULL, g));
    ASK(cudaGraphClone(&clone, NULL));
    ASK(cudaGraphClone(&clone, g));
    ASK(cudaGraphNodeFindInClone(&found, n, clone));
    ASK(cudaGraphNodeFindInClone(&m, n, g));
    ASK(cudaGraphNodeFindInClone(&m, n, h));
    ASK(cudaGraphNodeFindInClone(NULL, n, clone));
    ASK(cudaGraphNodeFindInClone(&m, NULL, clone));
    ASK(cudaGraphNodeFindInClone(&m, found, clone));
    ASK(cudaGraphDestroyNode(found));
    ASK(cudaGraphNodeFindInClone(&m, n, clone));
    MUST(cudaGraphAddEmptyNode(&k, clone, NULL, 0));
    ASK(cudaGraphNodeFindInClone(&m, k, g));
    cudaMemAllocNodeParams a = allocating(64);
    MUST(cudaGraphAddMemAllocNode(&m, g, NULL, 0, &a));
    ASK(cudaGraphClone(&clone, g));
    cudaGraphConditionalHandle c;
    MUST(cudaGraphConditionalHandleCreate(&c, h, 0, 0));
    ASK(cudaGraphClone(&clone, h));
}

static cudaError_t instantiate(unsigned long long flags, cudaGraphInstantiateParams *p)
{
    memset(p, 0, sizeof(*p));
    p->flags = flags;
    p->result_out = (cudaGraphInstantiateResult)77;
    p->errNode_out = (cudaGraphNode_t)1;
    return cudaGraphInstantiateWithParams(&x, g, p);
}

static void try_instantiate(const char *what, unsigned long long flags)
{
    cudaGraphInstantiateParams p;

    printf("  %s:\n", what);
    answer("with params", instantiate(flags, &p));
    value("result", p.result_out);
    value("the node", p.errNode_out == NULL            ? 0
                      : p.errNode_out == (void *)n     ? 1
                      : p.errNode_out == (void *)m     ? 2
                      : p.errNode_out == (void *)(1ul) ? 77
                                                       : 3);
}

static void instantiating()
{
    unsigned long long flags;

    begin();
    ASK(cudaGraphInstantiate(NULL, g, 0));
    ASK(cudaGraphInstantiate(&x, NULL, 0));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphInstantiate(&x, g, 1));
    ASK(cudaGraphInstantiate(&x, g, 2));
    ASK(cudaGraphInstantiate(&x, g, 4));
    ASK(cudaGraphInstantiate(&x, g, 8));
    ASK(cudaGraphInstantiate(&x, g, 16));
    ASK(cudaGraphInstantiate(&x, g, 1ull << 40));
    ASK(cudaGraphInstantiate(&x, g, 9));
    ASK(cudaGraphExecGetFlags(x, &flags));
    value("flags", flags);
    ASK(cudaGraphExecGetFlags(x, NULL));
    ASK(cudaGraphExecGetFlags(NULL, &flags));
    ASK(cudaGraphInstantiateWithParams(&x, g, NULL));
    cudaGraphInstantiateParams p = {};
    p.flags = cudaGraphInstantiateFlagUpload;
    p.uploadStream = s;
    ASK(cudaGraphInstantiateWithParams(&x, g, &p));
    ASK(cudaGraphExecGetFlags(x, &flags));
    value("flags", flags);
    ASK(cudaGraphLaunch(NULL, s));
    ASK(cudaGraphUpload(NULL, s));
    ASK(cudaGraphUpload(x, s));
    ASK(cudaGraphUpload(x, 0));
    ASK(cudaGraphLaunch(x, 0));
    ASK(cudaGraphExecDestroy(NULL));
    MUST(cudaGraphAddEmptyNode(&n, g, NULL, 0));
    MUST(cudaGraphAddEmptyNode(&m, g, &n, 1));
    try_instantiate("right", 0);
    try_instantiate("unknown flags", 1ull << 40);
    MUST(cudaGraphAddDependencies(g, &m, &n, NULL, 1));
    try_instantiate("a ring", 0);
    MUST(cudaGraphCreate(&g, 0));
    cudaGraphConditionalHandle c;
    MUST(cudaGraphConditionalHandleCreate(&c, g, 0, 0));
    try_instantiate("a handle of no node", 0);
    ASK(cudaGraphInstantiate(&x, g, 0));
    MUST(cudaGraphCreate(&g, 0));
    cudaMemAllocNodeParams a = allocating(64);
    MUST(cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    try_instantiate("memory", 0);
    y = x;
    try_instantiate("memory, again", 0);
    ASK(cudaGraphExecDestroy(y));
    try_instantiate("memory, after the first went", 0);
}

static void device_graphs()
{
    begin();
    try_instantiate("empty", cudaGraphInstantiateFlagDeviceLaunch);
    cudaKernelNodeParams p = kernel();
    MUST(cudaGraphAddKernelNode(&n, g, NULL, 0, &p));
    try_instantiate("a kernel", cudaGraphInstantiateFlagDeviceLaunch);
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaGraphUpload(x, s));
    ASK(cudaStreamSynchronize(s));
    try_instantiate("a kernel, freeing", cudaGraphInstantiateFlagDeviceLaunch | 1);
    cudaHostNodeParams hp = {nothing, NULL};
    MUST(cudaGraphAddHostNode(&m, g, NULL, 0, &hp));
    try_instantiate("a host function", cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphDestroyNode(m));
    MUST(cudaGraphAddEmptyNode(&m, g, NULL, 0));
    try_instantiate("an empty node", cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphDestroyNode(m));
    MUST(cudaGraphAddMemcpyNode1D(&m, g, NULL, 0, d, host, 64, cudaMemcpyHostToDevice));
    try_instantiate("a copy from pageable memory", cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphDestroyNode(m));
    MUST(cudaGraphAddMemcpyNode1D(&m, g, NULL, 0, d, pinned, 64, cudaMemcpyHostToDevice));
    try_instantiate("a copy from pinned memory", cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphDestroyNode(m));
    cudaEvent_t e;
    MUST(cudaEventCreate(&e));
    MUST(cudaGraphAddEventRecordNode(&m, g, NULL, 0, e));
    try_instantiate("an event", cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphDestroyNode(m));
    MUST(cudaGraphAddEmptyNode(&k, h, NULL, 0));
    MUST(cudaGraphAddChildGraphNode(&m, g, NULL, 0, h));
    try_instantiate("a graph with an empty node", cudaGraphInstantiateFlagDeviceLaunch);
    cudaMemAllocNodeParams a = allocating(64);
    MUST(cudaGraphDestroyNode(m));
    MUST(cudaGraphAddMemAllocNode(&m, g, NULL, 0, &a));
    try_instantiate("memory", cudaGraphInstantiateFlagDeviceLaunch);
    MUST(cudaGraphCreate(&g, 0));
    cudaGraphConditionalHandle c;
    MUST(cudaGraphConditionalHandleCreate(&c, g, 0, cudaGraphCondAssignDefault));
    cudaGraphNodeParams q = {cudaGraphNodeTypeConditional};
    q.conditional.handle = c;
    q.conditional.type = cudaGraphCondTypeIf;
    q.conditional.size = 1;
    MUST(cudaGraphAddNode(&m, g, NULL, NULL, 0, &q));
    try_instantiate("a condition", cudaGraphInstantiateFlagDeviceLaunch);
}

static void set_exec()
{
    begin();
    cudaKernelNodeParams p = kernel(), q = kernel();
    cudaGraphNode_t fill, copy, empty, call, child, stranger, late;
    cudaMemsetParams f = filling(d, 4, 16, 1, 0);
    cudaHostNodeParams hp = {nothing, NULL};
    MUST(cudaGraphAddKernelNode(&n, g, NULL, 0, &p));
    MUST(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &f));
    MUST(cudaGraphAddMemcpyNode1D(&copy, g, NULL, 0, d, pinned, 64, cudaMemcpyHostToDevice));
    MUST(cudaGraphAddEmptyNode(&empty, g, NULL, 0));
    MUST(cudaGraphAddHostNode(&call, g, NULL, 0, &hp));
    MUST(cudaGraphAddKernelNode(&stranger, h, NULL, 0, &p));
    MUST(cudaGraphAddChildGraphNode(&child, g, NULL, 0, h));
    MUST(cudaGraphInstantiate(&x, g, 0));
    MUST(cudaGraphAddKernelNode(&late, g, NULL, 0, &p));
    ASK(cudaGraphExecKernelNodeSetParams(x, n, &q));
    ASK(cudaGraphExecKernelNodeSetParams(NULL, n, &q));
    ASK(cudaGraphExecKernelNodeSetParams(x, NULL, &q));
    ASK(cudaGraphExecKernelNodeSetParams(x, stranger, &q));
    ASK(cudaGraphExecKernelNodeSetParams(x, late, &q));
    ASK(cudaGraphExecKernelNodeSetParams(x, fill, &q));
    q.blockDim = 2048;
    TELL("2048 threads", cudaGraphExecKernelNodeSetParams(x, n, &q));
    q.blockDim = 0;
    TELL("no threads", cudaGraphExecKernelNodeSetParams(x, n, &q));
    q = kernel();
    void *more[] = {&d, &by};
    q.func = (void *)two;
    q.kernelParams = more;
    TELL("another function", cudaGraphExecKernelNodeSetParams(x, n, &q));
    q.kernelParams = NULL;
    TELL("no arguments", cudaGraphExecKernelNodeSetParams(x, n, &q));
    q.func = NULL;
    TELL("no function", cudaGraphExecKernelNodeSetParams(x, n, &q));
    TELL("the same fill", cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    f.width = 8;
    TELL("a shorter fill", cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    f.width = 64;
    TELL("a longer fill", cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    f.elementSize = 1;
    TELL("a fill of bytes", cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    f = filling(d, 4, 4, 4, 32);
    TELL("a fill of rows", cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    f = filling(pinned, 4, 16, 1, 0);
    TELL("a fill of pinned memory", cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    f = filling(d, 4, 1 << 20, 1, 0);
    TELL("too much of a fill", cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    f = filling(d, 3, 1, 1, 0);
    TELL("a fill of 3 bytes", cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    TELL("the same copy", cudaGraphExecMemcpyNodeSetParams1D(x, copy, d, pinned, 64,
                                                             cudaMemcpyHostToDevice));
    TELL("a shorter copy", cudaGraphExecMemcpyNodeSetParams1D(x, copy, d, pinned, 32,
                                                              cudaMemcpyHostToDevice));
    TELL("a longer copy", cudaGraphExecMemcpyNodeSetParams1D(x, copy, d, pinned, 128,
                                                             cudaMemcpyHostToDevice));
    TELL("a copy of nothing", cudaGraphExecMemcpyNodeSetParams1D(x, copy, d, pinned, 0,
                                                                 cudaMemcpyHostToDevice));
    TELL("from pageable memory", cudaGraphExecMemcpyNodeSetParams1D(x, copy, d, host, 64,
                                                                    cudaMemcpyHostToDevice));
    TELL("the other way", cudaGraphExecMemcpyNodeSetParams1D(x, copy, pinned, d, 64,
                                                             cudaMemcpyDeviceToHost));
    TELL("on the device", cudaGraphExecMemcpyNodeSetParams1D(x, copy, d, d + 64, 64,
                                                             cudaMemcpyDeviceToDevice));
    TELL("default", cudaGraphExecMemcpyNodeSetParams1D(x, copy, d, pinned, 64, cudaMemcpyDefault));
    TELL("too much of a copy", cudaGraphExecMemcpyNodeSetParams1D(x, copy, d, pinned, 1 << 20,
                                                                  cudaMemcpyHostToDevice));
    TELL("to a symbol", cudaGraphExecMemcpyNodeSetParamsToSymbol(x, copy, symbol, pinned, 16, 0,
                                                                 cudaMemcpyHostToDevice));
    TELL("from a symbol", cudaGraphExecMemcpyNodeSetParamsFromSymbol(x, copy, pinned, symbol, 16, 0,
                                                                     cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms c = copying(d, pinned, 16, cudaMemcpyHostToDevice);
    TELL("in 3D", cudaGraphExecMemcpyNodeSetParams(x, copy, &c));
    c.extent.height = 2;
    c.srcPtr.ysize = c.dstPtr.ysize = 2;
    TELL("two rows", cudaGraphExecMemcpyNodeSetParams(x, copy, &c));
    TELL("a host function", cudaGraphExecHostNodeSetParams(x, call, &hp));
    hp.fn = NULL;
    TELL("no host function", cudaGraphExecHostNodeSetParams(x, call, &hp));
    TELL("a child", cudaGraphExecChildGraphNodeSetParams(x, child, h));
    TELL("a child of another shape", cudaGraphExecChildGraphNodeSetParams(x, child, g));
    TELL("no child", cudaGraphExecChildGraphNodeSetParams(x, child, NULL));
    cudaGraphNodeParams any = {cudaGraphNodeTypeEmpty};
    ASK(cudaGraphExecNodeSetParams(x, empty, &any));
    ASK(cudaGraphExecNodeSetParams(x, n, &any));
    ASK(cudaGraphNodeSetParams(empty, &any));
    ASK(cudaGraphNodeSetParams(n, &any));
    ASK(cudaGraphNodeSetParams(n, NULL));
    unsigned enabled = 7;
    ASK(cudaGraphNodeGetEnabled(x, n, &enabled));
    value("enabled", enabled);
    ASK(cudaGraphNodeGetEnabled(x, n, NULL));
    ASK(cudaGraphNodeGetEnabled(x, empty, &enabled));
    ASK(cudaGraphNodeSetEnabled(x, empty, 0));
    ASK(cudaGraphNodeSetEnabled(x, call, 0));
    ASK(cudaGraphNodeSetEnabled(x, child, 0));
    ASK(cudaGraphNodeSetEnabled(x, stranger, 0));
    ASK(cudaGraphNodeSetEnabled(x, n, 5));
    ASK(cudaGraphNodeGetEnabled(x, n, &enabled));
    value("enabled", enabled);
    ASK(cudaGraphNodeSetEnabled(x, fill, 0));
    ASK(cudaGraphNodeSetEnabled(x, copy, 0));
    ASK(cudaGraphNodeSetEnabled(x, n, 0));
    ASK(cudaGraphExecKernelNodeSetParams(x, n, &p));
    ASK(cudaGraphNodeGetEnabled(x, n, &enabled));
    value("enabled", enabled);
    ASK(cudaGraphDestroyNode(n));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
}

/* h against what x was made of. */
static void try_update(const char *what, const cudaGraphNode_t *named, size_t count)
{
    cudaGraphExecUpdateResultInfo info = {};
    int node = 0, from = 0;

    info.result = (cudaGraphExecUpdateResult)77;
    printf("  %s:\n", what);
    answer("update", cudaGraphExecUpdate(x, h, &info));
    for (size_t i = 0; i < count; i++) {
        node = info.errorNode == named[i] ? (int)i + 1 : node;
        from = info.errorFromNode == named[i] ? (int)i + 1 : from;
    }
    value("result", info.result);
    value("the node", info.errorNode && !node ? -1 : node);
    value("comes from", info.errorFromNode && !from ? -1 : from);
    h = NULL;
    MUST(cudaGraphCreate(&h, 0));
}

static void updating()
{
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNode_t v[4] = {};
    cudaKernelNodeParams p = kernel(), q;
    cudaMemsetParams f;
    cudaHostNodeParams hp = {nothing, NULL};

    begin();
    p = kernel();
    f = filling(d, 4, 16, 1, 0);
    MUST(cudaGraphAddKernelNode(&n, g, NULL, 0, &p));
    MUST(cudaGraphAddMemsetNode(&m, g, &n, 1, &f));
    MUST(cudaGraphAddMemcpyNode1D(&k, g, &m, 1, d, pinned, 64, cudaMemcpyHostToDevice));
    MUST(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphExecUpdate(NULL, g, &info));
    ASK(cudaGraphExecUpdate(x, NULL, &info));
    ASK(cudaGraphExecUpdate(x, g, NULL));
    ASK(cudaGraphExecUpdate(x, g, &info));
    value("result", info.result);
#define LIKE(first, second, third)                                                                 \
    MUST(first);                                                                                   \
    MUST(second);                                                                                  \
    MUST(third)
#define KERNEL(p) cudaGraphAddKernelNode(&v[0], h, NULL, 0, p)
#define FILL(f)   cudaGraphAddMemsetNode(&v[1], h, &v[0], 1, f)
#define COPY(to, from, bytes, kind)                                                                \
    cudaGraphAddMemcpyNode1D(&v[2], h, &v[1], 1, to, from, bytes, kind)
#define SAME COPY(d, pinned, 64, cudaMemcpyHostToDevice)
    LIKE(KERNEL(&p), FILL(&f), SAME);
    try_update("the same", v, 3);
    MUST(KERNEL(&p));
    MUST(FILL(&f));
    try_update("a node less", v, 2);
    LIKE(KERNEL(&p), FILL(&f), SAME);
    MUST(cudaGraphAddEmptyNode(&v[3], h, &v[2], 1));
    try_update("a node more", v, 4);
    LIKE(KERNEL(&p), FILL(&f), SAME);
    MUST(cudaGraphAddDependencies(h, &v[0], &v[2], NULL, 1));
    try_update("an edge more", v, 3);
    LIKE(KERNEL(&p), FILL(&f), cudaGraphAddMemcpyNode1D(&v[2], h, &v[0], 1, d, pinned, 64,
                                                        cudaMemcpyHostToDevice));
    try_update("another edge", v, 3);
    LIKE(KERNEL(&p), FILL(&f), cudaGraphAddMemcpyNode1D(&v[2], h, NULL, 0, d, pinned, 64,
                                                        cudaMemcpyHostToDevice));
    try_update("an edge less", v, 3);
    LIKE(KERNEL(&p), cudaGraphAddHostNode(&v[1], h, &v[0], 1, &hp), SAME);
    try_update("another type", v, 3);
    q = kernel(2, 64);
    LIKE(KERNEL(&q), FILL(&f), SAME);
    try_update("another grid", v, 3);
    void *more[] = {&d, &by};
    q = kernel();
    q.func = (void *)two;
    q.kernelParams = more;
    LIKE(KERNEL(&q), FILL(&f), SAME);
    try_update("another function", v, 3);
    LIKE(KERNEL(&p), FILL(&f), SAME);
    cudaLaunchAttributeValue a = {};
    a.cooperative = 1;
    MUST(cudaGraphKernelNodeSetAttribute(v[0], cudaLaunchAttributeCooperative, &a));
    try_update("cooperative", v, 3);
    LIKE(KERNEL(&p), FILL(&f), SAME);
    a = {};
    a.priority = -1;
    MUST(cudaGraphKernelNodeSetAttribute(v[0], cudaLaunchAttributePriority, &a));
    try_update("another priority", v, 3);
    LIKE(KERNEL(&p), FILL(&f), COPY(pinned, d, 64, cudaMemcpyDeviceToHost));
    try_update("a copy the other way", v, 3);
    LIKE(KERNEL(&p), FILL(&f), COPY(d, host, 64, cudaMemcpyHostToDevice));
    try_update("a copy from pageable memory", v, 3);
    LIKE(KERNEL(&p), FILL(&f), COPY(d, pinned, 128, cudaMemcpyHostToDevice));
    try_update("a longer copy", v, 3);
    cudaMemsetParams rows = filling(d, 4, 4, 4, 32), bytes = filling(d, 1, 16, 1, 0);
    LIKE(KERNEL(&p), FILL(&rows), SAME);
    try_update("a fill of rows", v, 3);
    LIKE(KERNEL(&p), FILL(&bytes), SAME);
    try_update("a fill of bytes", v, 3);
    /* the same graph, made in another order */
    MUST(cudaGraphAddMemcpyNode1D(&v[2], h, NULL, 0, d, pinned, 64, cudaMemcpyHostToDevice));
    MUST(cudaGraphAddMemsetNode(&v[1], h, NULL, 0, &f));
    MUST(KERNEL(&p));
    MUST(cudaGraphAddDependencies(h, &v[0], &v[1], NULL, 1));
    MUST(cudaGraphAddDependencies(h, &v[1], &v[2], NULL, 1));
    try_update("in another order", v, 3);
}

static void update_conditions()
{
    cudaGraphNode_t v[2];
    cudaGraphConditionalHandle c[3];
    cudaGraphExecUpdateResultInfo info;

    begin();
    for (int i = 0; i < 3; i++) {
        cudaGraph_t *at = i ? &h : &g;

        MUST(cudaGraphCreate(at, 0));
        MUST(cudaGraphConditionalHandleCreate(&c[i], *at, 0, cudaGraphCondAssignDefault));
        cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
        p.conditional.handle = c[i];
        p.conditional.type = i == 2 ? cudaGraphCondTypeWhile : cudaGraphCondTypeIf;
        p.conditional.size = 1;
        MUST(cudaGraphAddNode(&v[0], *at, NULL, NULL, 0, &p));
        if (!i)
            MUST(cudaGraphInstantiate(&x, g, 0));
        else
            TELL(i == 1 ? "the same" : "another condition", cudaGraphExecUpdate(x, h, &info));
        if (i)
            value("result", info.result);
        if (i)
            value("the node", info.errorNode == v[0]);
    }
    ASK(cudaGraphExecUpdate(x, g, &info));
    value("result", info.result);
}

static void used(const char *when)
{
    size_t bytes[4] = {};

    for (int i = 0; i < 4; i++)
        cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)i, &bytes[i]);
    printf("  %s: used %zu, most %zu, reserved %zu, most %zu\n", when, bytes[0], bytes[1], bytes[2],
           bytes[3]);
    fflush(stdout);
}

static void memory_nodes()
{
    begin();
    cudaMemAllocNodeParams a = allocating(64);
    ASK(cudaGraphAddMemAllocNode(NULL, g, NULL, 0, &a));
    ASK(cudaGraphAddMemAllocNode(&n, NULL, NULL, 0, &a));
    ASK(cudaGraphAddMemAllocNode(&n, g, NULL, 0, NULL));
    a.bytesize = 0;
    TELL("0 bytes", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    value("an address", a.dptr != NULL);
    a = allocating(1ull << 46);
    TELL("64 TiB", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    a = allocating(64);
    a.poolProps.location.id = 99;
    TELL("device 99", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    a = allocating(64);
    a.poolProps.location.type = cudaMemLocationTypeHost;
    TELL("on the host", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    a = allocating(64);
    a.poolProps.allocType = cudaMemAllocationTypeInvalid;
    TELL("no type", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    a = allocating(64);
    a.poolProps.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    TELL("to be shared", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    a = allocating(64);
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtRead};
    a.accessDescs = &access;
    a.accessDescCount = 1;
    TELL("for reading", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    access.flags = cudaMemAccessFlagsProtNone;
    TELL("for nobody", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    access.flags = cudaMemAccessFlagsProtReadWrite;
    TELL("for both", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    cudaMemAllocNodeParams b = {};
    ASK(cudaGraphMemAllocNodeGetParams(n, &b));
    value("bytes", b.bytesize);
    value("descriptors", b.accessDescCount);
    value("the address", b.dptr == a.dptr);
    access.location.id = 99;
    TELL("for device 99", cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    a = allocating(64);
    MUST(cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    cudaPointerAttributes where;
    ASK(cudaPointerGetAttributes(&where, a.dptr));
    value("type", where.type);
    ASK(cudaMemset(a.dptr, 0, 64));
    ASK(cudaFree(a.dptr));
    ASK(cudaGraphAddMemFreeNode(&m, g, &n, 1, NULL));
    ASK(cudaGraphAddMemFreeNode(&m, g, &n, 1, d));
    ASK(cudaGraphAddMemFreeNode(&m, g, &n, 1, host));
    ASK(cudaGraphAddMemFreeNode(&m, g, &n, 1, (char *)a.dptr + 8));
    TELL("free it, not behind it", cudaGraphAddMemFreeNode(&m, g, NULL, 0, a.dptr));
    TELL("free it", cudaGraphAddMemFreeNode(&m, g, &n, 1, a.dptr));
    TELL("again", cudaGraphAddMemFreeNode(&k, g, &n, 1, a.dptr));
    TELL("in another graph", cudaGraphAddMemFreeNode(&k, h, NULL, 0, a.dptr));
    void *address = NULL;
    ASK(cudaGraphMemFreeNodeGetParams(m, &address));
    ASK(cudaGraphMemFreeNodeGetParams(m, NULL));
    ASK(cudaGraphMemFreeNodeGetParams(n, &address));
    value("the address", address == a.dptr);
    ASK(cudaGraphDestroyNode(n));
    ASK(cudaGraphRemoveDependencies(g, &n, &m, NULL, 1));
    ASK(cudaGraphAddEmptyNode(&k, g, NULL, 0));
    ASK(cudaGraphDestroyNode(k));
    cudaGraphNodeParams p = {cudaGraphNodeTypeMemAlloc};
    ASK(cudaGraphNodeSetParams(n, &p));
    int dummy[4];
    ASK(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, dummy));
    ASK(cudaDeviceGetGraphMemAttribute(99, cudaGraphMemAttrUsedMemCurrent, dummy));
    ASK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, NULL));
    unsigned long long v = 0;
    ASK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &v));
    ASK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &v));
    v = 5;
    ASK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &v));
    ASK(cudaDeviceGraphMemTrim(99));
    ASK(cudaDeviceGraphMemTrim(0));
}

static void memory_runs()
{
    begin();
    used("at first");
    cudaMemAllocNodeParams a = allocating(1000);
    MUST(cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    MUST(cudaGraphInstantiate(&x, g, 0));
    used("instantiated");
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    used("launched");
    TELL("launched again, not freed", cudaGraphLaunch(x, s));
    ASK(cudaMemset(a.dptr, 0, 1000));
    ASK(cudaMemset(a.dptr, 0, 1 << 20));
    ASK(cudaFree(a.dptr));
    used("freed");
    ASK(cudaFree(a.dptr));
    TELL("launched again, freed", cudaGraphLaunch(x, s));
    ASK(cudaFreeAsync(a.dptr, s));
    ASK(cudaFreeAsync(a.dptr, s));
    ASK(cudaStreamSynchronize(s));
    used("freed in the stream");
    ASK(cudaDeviceGraphMemTrim(0));
    used("trimmed");
    MUST(cudaGraphAddMemFreeNode(&m, h, NULL, 0, a.dptr));
    TELL("instantiate what frees", cudaGraphInstantiate(&y, h, 0));
    TELL("free what is not there", cudaGraphLaunch(y, s));
    ASK(cudaStreamSynchronize(s));
    TELL("launch", cudaGraphLaunch(x, s));
    TELL("free", cudaGraphLaunch(y, s));
    TELL("launch again", cudaGraphLaunch(x, s));
    TELL("free again", cudaGraphLaunch(y, s));
    ASK(cudaStreamSynchronize(s));
    TELL("launch", cudaGraphLaunch(x, s));
    ASK(cudaGraphExecDestroy(x));
    ASK(cudaGraphDestroy(g));
    ASK(cudaMemset(a.dptr, 0, 1000));
    used("its graph is gone");
    ASK(cudaFree(a.dptr));
    used("freed");
    ASK(cudaDeviceGraphMemTrim(0));
    used("trimmed");
}

static void memory_freeing()
{
    begin();
    cudaMemAllocNodeParams a = allocating(3 << 20);
    MUST(cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    MUST(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    used("launched twice");
    ASK(cudaGraphExecDestroy(x));
    used("destroyed");
    ASK(cudaMemset(a.dptr, 0, 64));
    ASK(cudaFree(a.dptr));
    ASK(cudaDeviceGraphMemTrim(0));
    used("trimmed");
}

static void memory_captured()
{
    void *p, *q;
    cudaGraph_t captured;

    begin();
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASK(cudaMallocAsync(&p, 64, s));
    ASK(cudaMallocAsync(&q, 0, s));
    ASK(cudaStreamEndCapture(s, &captured));
    ASK(cudaMallocAsync(&q, 64, s));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    TELL("free what a stream allocated", cudaFreeAsync(q, s));
    ASK(cudaStreamEndCapture(s, &captured));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASK(cudaMallocAsync(&p, 64, s));
    ASK(cudaFreeAsync(p, s));
    TELL("again", cudaFreeAsync(p, s));
    ASK(cudaStreamEndCapture(s, &captured));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASK(cudaFreeAsync(NULL, s));
    ASK(cudaStreamEndCapture(s, &captured));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASK(cudaMallocAsync(&p, 64, s));
    ASK(cudaMemsetAsync(p, 0, 64, s));
    ASK(cudaFreeAsync(p, s));
    ASK(cudaStreamEndCapture(s, &captured));
    ASK(cudaGraphInstantiate(&x, captured, 0));
    cudaGraphExecUpdateResultInfo info;
    ASK(cudaGraphExecUpdate(x, captured, &info));
    value("result", info.result);
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    TELL("free what a graph frees itself", cudaFree(p));
    TELL("so in a stream", cudaFreeAsync(p, s));
}

static void conditions()
{
    cudaGraphConditionalHandle c, of_h;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};

    begin();
    ASK(cudaGraphConditionalHandleCreate(NULL, g, 0, 0));
    ASK(cudaGraphConditionalHandleCreate(&c, NULL, 0, 0));
    ASK(cudaGraphConditionalHandleCreate(&c, g, 0, 2));
    ASK(cudaGraphConditionalHandleCreate(&c, g, 5, 0));
    ASK(cudaGraphConditionalHandleCreate(&of_h, h, 0, cudaGraphCondAssignDefault));
#define BRANCH(h_, type_, size_)                                                                   \
    (p.conditional = {}, p.conditional.handle = h_, p.conditional.type = type_,                    \
     p.conditional.size = size_, cudaGraphAddNode(&n, g, NULL, NULL, 0, &p))
    ASK(BRANCH(c, cudaGraphCondTypeIf, 0));
    ASK(BRANCH(c, cudaGraphCondTypeIf, 3));
    ASK(BRANCH(c, cudaGraphCondTypeWhile, 2));
    ASK(BRANCH(c, cudaGraphCondTypeWhile, 0));
    ASK(BRANCH(c, cudaGraphCondTypeSwitch, 0));
    ASK(BRANCH(c, (cudaGraphConditionalNodeType)3, 1));
    ASK(BRANCH(c, cudaGraphCondTypeIf, 2));
    cudaGraph_t body = p.conditional.phGraph_out ? p.conditional.phGraph_out[0] : NULL;
    value("bodies", p.conditional.phGraph_out != NULL);
    TELL("the handle again", BRANCH(c, cudaGraphCondTypeIf, 1));
    ASK(cudaGraphDestroy(body));
    cudaHostNodeParams hp = {nothing, NULL};
    cudaEvent_t e;
    MUST(cudaEventCreate(&e));
    cudaMemAllocNodeParams a = allocating(64);
    cudaKernelNodeParams kp = kernel();
    cudaMemsetParams f = filling(d, 4, 1, 1, 0);
    printf("  in a body:\n");
    ASK(cudaGraphAddHostNode(&m, body, NULL, 0, &hp));
    ASK(cudaGraphAddEventRecordNode(&m, body, NULL, 0, e));
    ASK(cudaGraphAddEventWaitNode(&m, body, NULL, 0, e));
    ASK(cudaGraphAddMemAllocNode(&m, body, NULL, 0, &a));
    ASK(cudaGraphAddKernelNode(&m, body, NULL, 0, &kp));
    ASK(cudaGraphAddMemsetNode(&m, body, NULL, 0, &f));
    ASK(cudaGraphAddEmptyNode(&m, body, NULL, 0));
    ASK(cudaGraphAddMemcpyNode1D(&m, body, NULL, 0, d, pinned, 16, cudaMemcpyHostToDevice));
    ASK(cudaGraphAddChildGraphNode(&m, body, NULL, 0, body));
    cudaGraph_t with_host;
    MUST(cudaGraphCreate(&with_host, 0));
    MUST(cudaGraphAddHostNode(&m, with_host, NULL, 0, &hp));
    TELL("a graph with a host function",
         cudaGraphAddChildGraphNode(&m, body, NULL, 0, with_host));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphInstantiate(&y, g, 0));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    ASK(cudaGraphDestroyNode(n));
    TELL("instantiate without its node", cudaGraphInstantiate(&y, g, 0));
}

static void condition_handles()
{
    cudaGraphConditionalHandle c, of_h;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};

    begin();
    ASK(cudaGraphConditionalHandleCreate(&c, g, 0, cudaGraphCondAssignDefault));
    ASK(cudaGraphConditionalHandleCreate(&of_h, h, 0, cudaGraphCondAssignDefault));
    TELL("IF, two bodies", BRANCH(c, cudaGraphCondTypeIf, 2));
    MUST(cudaGraphConditionalHandleCreate(&c, g, 0, cudaGraphCondAssignDefault));
    TELL("SWITCH, five bodies", BRANCH(c, cudaGraphCondTypeSwitch, 5));
    MUST(cudaGraphConditionalHandleCreate(&c, g, 0, cudaGraphCondAssignDefault));
    TELL("WHILE", BRANCH(c, cudaGraphCondTypeWhile, 1));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    TELL("no handle", BRANCH(0, cudaGraphCondTypeIf, 1));
    TELL("what is no handle", BRANCH(12345, cudaGraphCondTypeIf, 1));
    TELL("another graph's handle", BRANCH(of_h, cudaGraphCondTypeIf, 1));
    TELL("instantiate with it", cudaGraphInstantiate(&y, g, 0));
}

static void condition_bodies()
{
    cudaGraphConditionalHandle c, inside;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};

    begin();
    MUST(cudaGraphConditionalHandleCreate(&c, g, 1, cudaGraphCondAssignDefault));
    MUST(BRANCH(c, cudaGraphCondTypeIf, 1));
    cudaGraph_t body = p.conditional.phGraph_out[0];
    MUST(cudaGraphAddMemcpyNode1D(&m, body, NULL, 0, d, host, 16, cudaMemcpyHostToDevice));
    TELL("a copy from pageable memory", cudaGraphInstantiate(&x, g, 0));
    MUST(cudaGraphDestroyNode(m));
    ASK(cudaGraphConditionalHandleCreate(&inside, body, 1, cudaGraphCondAssignDefault));
    p.conditional = {};
    p.conditional.handle = inside;
    p.conditional.type = cudaGraphCondTypeSwitch;
    p.conditional.size = 3;
    TELL("a handle of the body, in it", cudaGraphAddNode(&m, body, NULL, NULL, 0, &p));
    ASK(cudaGraphConditionalHandleCreate(&inside, g, 1, cudaGraphCondAssignDefault));
    p.conditional.handle = inside;
    p.conditional.phGraph_out = NULL;
    TELL("a handle of the graph, in a body", cudaGraphAddNode(&m, body, NULL, NULL, 0, &p));
    ASK(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaStreamSynchronize(s));
    cudaGraphNodeParams q = p;
    ASK(cudaGraphNodeSetParams(n, &q));
    ASK(cudaGraphExecNodeSetParams(x, n, &q));
    unsigned enabled;
    ASK(cudaGraphNodeGetEnabled(x, n, &enabled));
    MUST(cudaGraphCreate(&h, 0));
    ASK(cudaGraphAddChildGraphNode(&m, h, NULL, 0, g));
    q = {cudaGraphNodeTypeGraph};
    q.graph.graph = g;
    q.graph.ownership = cudaGraphChildGraphOwnershipMove;
    ASK(cudaGraphAddNode(&m, h, NULL, NULL, 0, &q));
}

static void condition_elsewhere()
{
    cudaGraphConditionalHandle c;

    begin();
    MUST(cudaGraphConditionalHandleCreate(&c, g, 1, cudaGraphCondAssignDefault));
    TELL("a handle set where no graph runs",
         (set_handle<<<1, 1, 0, s>>>(c, 0), cudaGetLastError()));
    ASK(cudaStreamSynchronize(s));
}

static void user_objects()
{
    cudaUserObject_t o = NULL, p;

    begin();
    ASK(cudaUserObjectCreate(NULL, NULL, destroy, 1, cudaUserObjectNoDestructorSync));
    ASK(cudaUserObjectCreate(&o, NULL, NULL, 1, cudaUserObjectNoDestructorSync));
    ASK(cudaUserObjectCreate(&o, NULL, destroy, 0, cudaUserObjectNoDestructorSync));
    ASK(cudaUserObjectCreate(&o, NULL, destroy, 1, 0));
    ASK(cudaUserObjectCreate(&o, NULL, destroy, 1, 3));
    ASK(cudaUserObjectCreate(&o, NULL, destroy, 2, cudaUserObjectNoDestructorSync));
    ASK(cudaUserObjectRetain(o, 0));
    ASK(cudaUserObjectRetain(NULL, 1));
    ASK(cudaUserObjectRelease(o, 0));
    ASK(cudaUserObjectRelease(NULL, 1));
    ASK(cudaGraphRetainUserObject(g, o, 0, 0));
    ASK(cudaGraphRetainUserObject(NULL, o, 1, 0));
    ASK(cudaGraphRetainUserObject(g, NULL, 1, 0));
    ASK(cudaGraphRetainUserObject(g, o, 1, 2));
    ASK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
    ASK(cudaGraphReleaseUserObject(g, o, 0));
    ASK(cudaGraphReleaseUserObject(NULL, o, 1));
    ASK(cudaUserObjectRelease(o, 1));
    usleep(200000);
    value("destroyed", destroyed);
    MUST(cudaGraphAddEmptyNode(&n, g, NULL, 0));
    MUST(cudaGraphInstantiate(&x, g, 0));
    ASK(cudaGraphDestroy(g));
    usleep(200000);
    value("destroyed", destroyed);
    MUST(cudaGraphLaunch(x, s));
    MUST(cudaStreamSynchronize(s));
    ASK(cudaGraphExecDestroy(x));
    usleep(200000);
    value("destroyed", destroyed);
    MUST(cudaUserObjectCreate(&p, NULL, destroy, 1, cudaUserObjectNoDestructorSync));
    ASK(cudaUserObjectRelease(p, 1));
    usleep(200000);
    value("destroyed", destroyed);
}

/* While s, a stream that waits for the legacy one or not, is captured: what call answers, whether
 * the capture is still good, and what its end answers. */
static cudaStream_t free_stream, made_stream;
static cudaEvent_t event, event_of_capture, made_event;
static void *got, *spare, *spare_host;
static cudaMemPool_t pool;

static void during(const char *what, cudaStreamCaptureMode mode, unsigned flags,
                   cudaError_t (*call)())
{
    static const char *const states[] = {"none", "active", "invalid"};
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t captured = NULL;

    MUST(cudaStreamCreateWithFlags(&s, flags));
    MUST(cudaStreamBeginCapture(s, mode));
    MUST(cudaEventRecord(event_of_capture, s));
    cudaError_t e = call();
    cudaGetLastError();
    cudaError_t asked = cudaStreamIsCapturing(s, &status);
    cudaError_t ended = cudaStreamEndCapture(s, &captured);
    cudaGetLastError();
    printf("  %s: %s, %s%s, end %s%s\n", what, cudaGetErrorName(e),
           asked ? cudaGetErrorName(asked) : "", asked ? "" : states[status],
           cudaGetErrorName(ended), captured ? "" : ", no graph");
    fflush(stdout);
    if (captured)
        cudaGraphDestroy(captured);
    cudaStreamDestroy(s);
    cudaGetLastError();
}

struct call {
    const char *text;
    cudaError_t (*call)();
};
#define CALL(call)                                                                                 \
    {                                                                                              \
#call, []() -> cudaError_t { return call; }                                                \
    }

static void finish(void *)
{
}
static void CUDART_CB finished(cudaStream_t, cudaError_t, void *)
{
}

static const struct call calls[] = {
    CALL(cudaMalloc(&got, 64)),
    CALL(cudaFree(spare)),
    CALL(cudaFree(NULL)),
    CALL(cudaMallocManaged(&got, 64)),
    CALL(cudaMallocHost(&got, 64)),
    CALL(cudaHostAlloc(&got, 64, 0)),
    CALL(cudaFreeHost(NULL)),
    CALL(cudaHostRegister(spare_host, 4096, 0)),
    CALL(cudaMallocPitch(&got, (size_t *)host, 64, 2)),
    CALL(cudaMemcpy(pinned, d, 64, cudaMemcpyDeviceToHost)),
    CALL(cudaMemcpy(d, d + 64, 64, cudaMemcpyDeviceToDevice)),
    CALL(cudaMemset(d, 0, 64)),
    CALL(cudaMemcpyToSymbol(symbol, pinned, 16)),
    CALL(cudaMemcpyAsync(pinned, d, 64, cudaMemcpyDeviceToHost, s)),
    CALL(cudaMemcpyAsync(host, d, 64, cudaMemcpyDeviceToHost, s)),
    CALL(cudaMemcpyAsync(d, host, 64, cudaMemcpyHostToDevice, s)),
    CALL(cudaMemcpyAsync(d, host, 64, cudaMemcpyHostToDevice, free_stream)),
    CALL(cudaMemcpyAsync(d, pinned, 64, cudaMemcpyHostToDevice, 0)),
    CALL((one<<<1, 1, 0, s>>>(d), cudaGetLastError())),
    CALL((one<<<1, 1>>>(d), cudaGetLastError())),
    CALL((one<<<1, 1, 0, free_stream>>>(d), cudaGetLastError())),
    CALL((one<<<1, 2048, 0, s>>>(d), cudaGetLastError())),
    CALL(cudaStreamSynchronize(s)),
    CALL(cudaStreamQuery(s)),
    CALL(cudaStreamSynchronize(0)),
    CALL(cudaStreamQuery(0)),
    CALL(cudaStreamSynchronize(free_stream)),
    CALL(cudaStreamQuery(free_stream)),
    CALL(cudaDeviceSynchronize()),
    CALL(cudaEventSynchronize(event)),
    CALL(cudaEventQuery(event)),
    CALL(cudaEventSynchronize(event_of_capture)),
    CALL(cudaEventQuery(event_of_capture)),
    CALL(cudaEventElapsedTime((float *)host, event, event_of_capture)),
    CALL(cudaStreamWaitEvent(s, event, 0)),
    CALL(cudaStreamWaitEvent(s, event, cudaEventWaitExternal)),
    CALL(cudaStreamWaitEvent(0, event_of_capture, 0)),
    CALL(cudaStreamWaitEvent(free_stream, event_of_capture, 0)),
    CALL(cudaEventRecord(event, 0)),
    CALL(cudaEventRecord(event, free_stream)),
    CALL(cudaEventRecordWithFlags(event, s, cudaEventRecordExternal)),
    CALL(cudaEventRecordWithFlags(event, s, 2)),
    CALL(cudaStreamAddCallback(s, finished, NULL, 0)),
    CALL(cudaLaunchHostFunc(s, finish, NULL)),
    CALL(cudaStreamCreate(&made_stream)),
    CALL(cudaEventCreate(&made_event)),
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)),
    CALL(cudaMallocAsync(&got, 64, s)),
    CALL(cudaMallocAsync(&got, 64, free_stream)),
    CALL(cudaMallocAsync(&got, 64, 0)),
    CALL(cudaMallocFromPoolAsync(&got, 64, pool, s)),
    CALL(cudaMemset2DAsync(d, 64, 0, 16, 4, s)),
    CALL(cudaMemcpy2DAsync(d, 64, d + 256, 64, 16, 4, cudaMemcpyDeviceToDevice, s)),
    CALL(cudaMemcpyToSymbolAsync(symbol, pinned, 16, 0, cudaMemcpyHostToDevice, s)),
    CALL(cudaGraphInstantiate(&x, g, 0)),
    CALL(cudaGraphLaunch(y, 0)),
    CALL(cudaGraphLaunch(y, free_stream)),
    CALL(cudaGraphUpload(y, s)),
    CALL(cudaGetSymbolAddress(&got, symbol)),
    CALL(cudaMemGetInfo((size_t *)host, (size_t *)host + 1)),
    CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20)),
    CALL(cudaFuncSetAttribute(one, cudaFuncAttributePreferredSharedMemoryCarveout, 50)),
    CALL(cudaMemPoolTrimTo(pool, 0)),
    CALL(cudaStreamSetAttribute(s, cudaLaunchAttributePriority,
                                (const cudaLaunchAttributeValue *)memset(host, 0, 64))),
    CALL(cudaStreamGetPriority(s, host)),
    CALL(cudaStreamCopyAttributes(s, free_stream)),
};

static void begin_calls()
{
    begin();
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&event_of_capture));
    MUST(cudaEventRecord(event, 0));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMalloc(&spare, 64));
    spare_host = aligned_alloc(4096, 4096);
    MUST(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
    MUST(cudaGraphInstantiate(&y, g, 0));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
}

static void try_calls(cudaStreamCaptureMode mode, unsigned flags)
{
    begin_calls();
    for (const struct call &c : calls)
        during(c.text, mode, flags, c.call);
}

static void capture_global()
{
    try_calls(cudaStreamCaptureModeGlobal, cudaStreamNonBlocking);
}
static void capture_blocking()
{
    try_calls(cudaStreamCaptureModeGlobal, cudaStreamDefault);
}
static void capture_thread_local()
{
    try_calls(cudaStreamCaptureModeThreadLocal, cudaStreamNonBlocking);
}
static void capture_relaxed()
{
    try_calls(cudaStreamCaptureModeRelaxed, cudaStreamNonBlocking);
}

static void *end_elsewhere(void *)
{
    TELL("end in another thread", cudaStreamEndCapture(s, &h));
    return NULL;
}

static void *malloc_elsewhere(void *)
{
    TELL("cudaMalloc in another thread", cudaMalloc(&got, 64));
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    TELL("exchange", cudaThreadExchangeStreamCaptureMode(&mode));
    value("former mode", mode);
    TELL("cudaMalloc in a relaxed thread", cudaMalloc(&got, 64));
    return NULL;
}

static void elsewhere(void *(*fn)(void *))
{
    pthread_t thread;

    pthread_create(&thread, NULL, fn, NULL);
    pthread_join(thread, NULL);
}

static void captures()
{
    cudaStreamCaptureStatus status;
    unsigned long long id = 77;
    const cudaGraphNode_t *deps;
    const cudaGraphEdgeData *data;
    size_t count = 77;
    cudaEvent_t e;

    begin();
    MUST(cudaEventCreate(&e));
    ASK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    ASK(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    ASK(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)3));
    ASK(cudaStreamEndCapture(s, &h));
    ASK(cudaStreamEndCapture(0, &h));
    ASK(cudaStreamIsCapturing(s, NULL));
    ASK(cudaStreamIsCapturing(0, &status));
    ASK(cudaStreamGetCaptureInfo(s, &status, &id, &h, &deps, &data, &count));
    value("status", status);
    value("id", id);
    ASK(cudaStreamGetCaptureInfo(s, NULL, &id, &h, &deps, &data, &count));
    ASK(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0));
    ASK(cudaStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    MUST(cudaGraphAddEmptyNode(&n, g, NULL, 0));
    ASK(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 1, cudaStreamCaptureModeGlobal));
    ASK(cudaStreamBeginCaptureToGraph(s, g, &n, NULL, 1, cudaStreamCaptureModeGlobal));
    ASK(cudaStreamGetCaptureInfo(s, &status, &id, &h, &deps, &data, &count));
    value("the graph", h == g);
    value("dependencies", count);
    value("edges", data != NULL);
    ASK(cudaStreamGetCaptureInfo(s, &status, &id, &h, &deps, NULL, &count));
    ASK(cudaStreamIsCapturing(0, &status));
    ASK(cudaStreamGetCaptureInfo(0, &status, NULL, NULL, NULL, NULL, NULL));
    ASK(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 1, 0));
    ASK(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 2));
    ASK(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, cudaStreamSetCaptureDependencies));
    ASK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASK(cudaStreamEndCapture(s, NULL));
    ASK(cudaStreamEndCapture(s, &h));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASK(cudaStreamEndCapture(t, &h));
    ASK(cudaStreamIsCapturing(s, &status));
    value("status", status);
    MUST(cudaEventRecord(e, s));
    MUST(cudaStreamWaitEvent(t, e, 0));
    ASK(cudaStreamIsCapturing(t, &status));
    value("status", status);
    MUST(cudaMemsetAsync(d, 0, 64, t));
    ASK(cudaStreamEndCapture(s, &h));
    value("a graph", h != NULL);
    ASK(cudaStreamIsCapturing(t, &status));
    value("status", status);
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(e, s));
    MUST(cudaStreamWaitEvent(t, e, 0));
    ASK(cudaStreamEndCapture(t, &h));
    ASK(cudaStreamIsCapturing(s, &status));
    value("status", status);
    ASK(cudaStreamEndCapture(s, &h));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(e, s));
    MUST(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    TELL("merge", cudaStreamWaitEvent(t, e, 0));
    ASK(cudaStreamIsCapturing(s, &status));
    value("status", status);
    ASK(cudaStreamIsCapturing(t, &status));
    value("status", status);
    ASK(cudaStreamEndCapture(s, &h));
    ASK(cudaStreamEndCapture(t, &h));
    ASK(cudaEventQuery(e));
    ASK(cudaStreamWaitEvent(t, e, 0));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(e, s));
    MUST(cudaMemsetAsync(d, 0, 64, s));
    ASK(cudaStreamEndCapture(s, &h));
    printf("  after a good capture:\n");
    ASK(cudaEventQuery(e));
    ASK(cudaEventSynchronize(e));
    ASK(cudaStreamWaitEvent(t, e, 0));
    ASK(cudaEventRecord(e, t));
    ASK(cudaEventSynchronize(e));
    cudaEvent_t fresh;
    MUST(cudaEventCreate(&fresh));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    TELL("wait for an event that was never recorded", cudaStreamWaitEvent(s, fresh, 0));
    ASK(cudaStreamEndCapture(s, &h));
}

static void capture_threads()
{
    static const cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal,
                                                  cudaStreamCaptureModeThreadLocal,
                                                  cudaStreamCaptureModeRelaxed};
    begin();
    for (int i = 0; i < 3; i++) {
        printf("  mode %d\n", i);
        MUST(cudaStreamBeginCapture(s, modes[i]));
        elsewhere(malloc_elsewhere);
        elsewhere(end_elsewhere);
        ASK(cudaStreamEndCapture(s, &h));
    }
}

/* Handles that were good once: a driver may crash on these. */
static void gone()
{
    begin();
    MUST(cudaGraphAddEmptyNode(&n, g, NULL, 0));
    MUST(cudaGraphInstantiate(&x, g, 0));
    MUST(cudaGraphExecDestroy(x));
    ASK(cudaGraphLaunch(x, s));
    ASK(cudaGraphExecDestroy(x));
}
static void gone_graph()
{
    begin();
    MUST(cudaGraphDestroy(h));
    ASK(cudaGraphAddEmptyNode(&n, h, NULL, 0));
    ASK(cudaGraphDestroy(h));
}
#define TOPIC(name) {#name, name}
static const struct topic topics[] = {
    TOPIC(graphs),          TOPIC(kernels),          TOPIC(kernel_params),
    TOPIC(attributes),      TOPIC(copies),           TOPIC(fills),
    TOPIC(hosts_and_events), TOPIC(children),        TOPIC(edges),
    TOPIC(programmatic),    TOPIC(capture_programmatic), TOPIC(clones),
    TOPIC(instantiating),   TOPIC(device_graphs),    TOPIC(set_exec),
    TOPIC(updating),        TOPIC(update_conditions), TOPIC(memory_nodes),
    TOPIC(memory_runs),     TOPIC(memory_freeing),   TOPIC(memory_captured),
    TOPIC(conditions),      TOPIC(condition_handles), TOPIC(condition_bodies), TOPIC(condition_elsewhere), TOPIC(user_objects),
    TOPIC(capture_global),  TOPIC(capture_blocking), TOPIC(capture_thread_local),
    TOPIC(capture_relaxed), TOPIC(captures),         TOPIC(capture_threads),
    TOPIC(gone),            TOPIC(gone_graph),
};

int main(int argc, char **argv)
{
    ask_all(topics, sizeof(topics) / sizeof(topics[0]), argc, argv);
    return 0;
}
