/* graph_edge_test.c - what edges say: which kernels race, which overlap; arguments in one buffer.
 */
#include "cudart.h"
#include "warplab.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#define OK(call)           cr_assert_eq((call), cudaSuccess, "%s", #call)
#define GIVES(call, error) cr_assert_str_eq(cudaGetErrorName(call), #error, "%s", #call)

/* put(int *p, int value): *p = value. get(int *p, int *to): *to = *p. By strong accesses: raise(),
 * look(), take(p, to): *to = atomicAdd(p, 1), and add(p): atomicAdd(p, 1). */
static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry put(.param .u64 p, .param .u32 value)\n"
                          "{\n"
                          "    .reg .b32 %r<2>;\n"
                          "    .reg .b64 %rd<2>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.param.u32 %r1, [value];\n"
                          "    st.global.u32 [%rd1], %r1;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry get(.param .u64 p, .param .u64 to)\n"
                          "{\n"
                          "    .reg .b32 %r<2>;\n"
                          "    .reg .b64 %rd<3>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.param.u64 %rd2, [to];\n"
                          "    ld.global.u32 %r1, [%rd1];\n"
                          "    st.global.u32 [%rd2], %r1;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry raise(.param .u64 p, .param .u32 value)\n"
                          "{\n"
                          "    .reg .b32 %r<2>;\n"
                          "    .reg .b64 %rd<2>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.param.u32 %r1, [value];\n"
                          "    st.relaxed.gpu.global.u32 [%rd1], %r1;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry look(.param .u64 p, .param .u64 to)\n"
                          "{\n"
                          "    .reg .b32 %r<2>;\n"
                          "    .reg .b64 %rd<3>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.param.u64 %rd2, [to];\n"
                          "    ld.relaxed.gpu.global.u32 %r1, [%rd1];\n"
                          "    st.global.u32 [%rd2], %r1;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry take(.param .u64 p, .param .u64 to)\n"
                          "{\n"
                          "    .reg .b32 %r<2>;\n"
                          "    .reg .b64 %rd<3>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.param.u64 %rd2, [to];\n"
                          "    atom.global.add.u32 %r1, [%rd1], 1;\n"
                          "    st.global.u32 [%rd2], %r1;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry add(.param .u64 p)\n"
                          "{\n"
                          "    .reg .b32 %r<2>;\n"
                          "    .reg .b64 %rd<2>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    atom.global.add.u32 %r1, [%rd1], 1;\n"
                          "    ret;\n"
                          "}\n";

static cudaLibrary_t library;
static cudaKernel_t put, get;
static int *device, value;
static cudaGraph_t graph;
static cudaGraphExec_t exec;

static void set_up(void)
{
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&put, library, "put"));
    OK(cudaLibraryGetKernel(&get, library, "get"));
    OK(cudaMalloc((void **)&device, 4096));
    OK(cudaMemset(device, 0, 4096));
    OK(cudaGraphCreate(&graph, 0));
}

TestSuite(graph_edge, .init = set_up);

static cudaGraphNode_t kernel(cudaGraph_t g, cudaKernel_t k, const cudaGraphNode_t *after, size_t n,
                              void **args)
{
    struct cudaKernelNodeParams p = {
        .func = (void *)k, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = args};
    cudaGraphNode_t node;

    OK(cudaGraphAddKernelNode(&node, g, after, n, &p));
    return node;
}

static cudaGraphNode_t puts_at(cudaGraph_t g, int *at, const cudaGraphNode_t *after)
{
    value++; /* storing what is there is no race */
    return kernel(g, put, after, after != NULL, (void *[]){&at, &value});
}

static cudaGraphNode_t gets(int *from, int *to, const cudaGraphNode_t *after)
{
    return kernel(graph, get, after, after != NULL, (void *[]){&from, &to});
}

/* Findings of two launches of the graph. */
static size_t found(void)
{
    warplabSetCheck(1);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        OK(cudaGraphLaunch(exec, NULL));
    OK(cudaDeviceSynchronize());
    return warplabFindingCount();
}

Test(graph_edge, orders_what_it_leads_to)
{
    cudaGraphNode_t a = puts_at(graph, device, NULL), empty, b = gets(device, device + 1, &a);
    struct cudaMemsetParams fill = {device + 9, 0, 1, 4, 1, 1};

    gets(device, device + 2, &a);
    OK(cudaGraphAddMemsetNode(&empty, graph, &b, 1, &fill));
    gets(device + 1, device + 3, &empty);
    cr_expect_eq(found(), 0);
}

Test(graph_edge, branches_race)
{
    cudaGraphNode_t a = puts_at(graph, device, NULL);

    gets(device, device + 1, &a);
    puts_at(graph, device, &a);
    cr_assert_gt(found(), 0);
    cr_expect(strstr(warplabFinding(0), "global-race") &&
                  strstr(warplabFinding(0), "no edge orders"),
              "%s", warplabFinding(0));
}

Test(graph_edge, roots_race)
{
    puts_at(graph, device, NULL);
    puts_at(graph, device, NULL);
    cr_expect_gt(found(), 0);
}

Test(graph_edge, a_child_comes_as_a_whole)
{
    cudaGraph_t inner;
    cudaGraphNode_t a = puts_at(graph, device, NULL), child;

    OK(cudaGraphCreate(&inner, 0));
    puts_at(inner, device, NULL);
    OK(cudaGraphAddChildGraphNode(&child, graph, &a, 1, inner));
    puts_at(graph, device, &child);
    cr_expect_eq(found(), 0);
}

Test(graph_edge, a_child_races_with_a_branch)
{
    cudaGraph_t inner;
    cudaGraphNode_t child;

    OK(cudaGraphCreate(&inner, 0));
    puts_at(inner, device, NULL);
    OK(cudaGraphAddChildGraphNode(&child, graph, NULL, 0, inner));
    puts_at(graph, device, NULL);
    cr_expect_gt(found(), 0);
}

/* ---- edges that say more ---- */

static const cudaGraphEdgeData early = {.from_port = cudaGraphKernelNodePortProgrammatic,
                                        .type = cudaGraphDependencyTypeProgrammatic};

Test(graph_edge, leads_from_kernel_to_kernel)
{
    cudaGraphNode_t a = puts_at(graph, device, NULL), b = puts_at(graph, device, NULL), empty;
    cudaGraphNode_t from[2], to[2];
    cudaGraphEdgeData data[2];
    size_t n = 2;

    OK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    GIVES(cudaGraphAddDependencies(graph, &empty, &a, &early, 1), cudaErrorInvalidValue);
    OK(cudaGraphAddDependencies(graph, &a, &b, &early, 1));
    GIVES(cudaGraphGetEdges(graph, from, to, NULL, &n), cudaErrorLossyQuery);
    OK(cudaGraphGetEdges(graph, from, to, data, &n));
    cr_expect(n == 1 && from[0] == a && to[0] == b && !memcmp(&data[0], &early, sizeof(early)));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaGraphRemoveDependencies(graph, &a, &b, NULL, 1));
    GIVES(cudaGraphRemoveDependencies(graph, &a, &b, &early, 1), cudaErrorInvalidValue);
}

Test(graph_edge, is_captured)
{
    cudaLaunchAttribute attr = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    cudaLaunchConfig_t c = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .attrs = &attr};
    cudaGraphNode_t from[2], to[2];
    cudaGraphEdgeData data[2];
    size_t n = 2;

    attr.val.programmaticStreamSerializationAllowed = 1;
    c.numAttrs = 1;
    OK(cudaStreamCreate(&c.stream));
    OK(cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 2; i++)
        OK(cudaLaunchKernelExC(&c, put, (void *[]){&device, &value}));
    OK(cudaStreamEndCapture(c.stream, &graph));
    OK(cudaGraphGetEdges(graph, from, to, data, &n));
    cr_expect(n == 1 && !memcmp(&data[0], &early, sizeof(early)));
}

Test(graph_edge, begins_at_an_event_of_a_launch)
{
    cudaLaunchAttribute attr = {.id = cudaLaunchAttributeProgrammaticEvent};
    cudaLaunchConfig_t c = {
        .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .attrs = &attr, .numAttrs = 1};
    cudaEvent_t *event = &attr.val.programmaticEvent.event, timed;

    GIVES(cudaLaunchKernelExC(&c, put, (void *[]){&device, &value}),
          cudaErrorInvalidResourceHandle);
    OK(cudaEventCreate(&timed));
    *event = timed;
    GIVES(cudaLaunchKernelExC(&c, put, (void *[]){&device, &value}), cudaErrorNotSupported);
    OK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    OK(cudaLaunchKernelExC(&c, put, (void *[]){&device, &value}));
    OK(cudaEventSynchronize(*event));
    attr.val.programmaticEvent.flags = cudaEventRecordExternal;
    GIVES(cudaLaunchKernelExC(&c, put, (void *[]){&device, &value}), cudaErrorIllegalState);
}

/* ---- arguments in one buffer ---- */

Test(graph_edge, takes_arguments_in_one_buffer)
{
    struct {
        int *at;
        int value;
    } args = {device, 77};
    size_t size = sizeof(args), less = 8;
    void *extra[] = {(void *)1, &args, (void *)2, &size, NULL};
    struct cudaKernelNodeParams p = {
        .func = (void *)put, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .extra = extra};
    cudaGraphNode_t node;
    int got = 0;

    OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
    extra[3] = &less;
    GIVES(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p), cudaErrorInvalidValue);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaMemcpy(&got, device, 4, cudaMemcpyDeviceToHost));
    cr_expect_eq(got, 77);
}

/* The named kernel on the first word, as a schedule's: `before` has those that are over by then. */
static void schedule(const char *name, int mark, uint64_t before)
{
    int *to = device + mark;
    bool stores = !strcmp(name, "put") || !strcmp(name, "raise");
    cudaKernel_t k;

    OK(cudaLibraryGetKernel(&k, library, name));
    warplabOrder(&before);
    OK(cudaLaunchKernel((void *)k, (dim3){1, 1, 1}, (dim3){1, 1, 1},
                        (void *[]){&device, stores ? (void *)&mark : (void *)&to}, 0, NULL));
}

/* Kernels of two streams; strong accesses are in no order either, where one has a value of it. */
static const struct {
    const char *first, *second;
    bool races;
} pairs[] = {
    {"put", "put", true},     {"put", "get", true},    {"get", "put", true},
    {"get", "get", false},    {"raise", "look", true}, {"look", "raise", true},
    {"raise", "raise", true}, {"look", "look", false}, {"take", "take", true},
    {"take", "add", true},    {"add", "take", true},   {"add", "add", false},
    {"add", "look", true},    {"put", "add", true},    {"get", "take", true},
};

ParameterizedTestParameters(graph_edge, schedules_race)
{
    enum { N = sizeof(pairs) / sizeof(pairs[0]) };
    int *rows = cr_malloc(N * sizeof(*rows)); /* which is freed */

    for (int i = 0; i < N; i++)
        rows[i] = i;
    return cr_make_param_array(int, rows, N);
}

ParameterizedTest(int *row, graph_edge, schedules_race, .init = set_up)
{
    const char *first = pairs[*row].first, *second = pairs[*row].second;
    bool races = pairs[*row].races;

    warplabSetCheck(1);
    for (int ordered = 1; ordered >= 0; ordered--) {
        schedule(first, 1 + 2 * ordered, 0);
        schedule(second, 2 + 2 * ordered, (uint64_t)ordered);
        warplabOrder(NULL);
        cr_assert_eq(warplabFindingCount() > 0, races && !ordered, "%s, %s, %d", first, second,
                     ordered);
    }
    cr_expect(!races || (strstr(warplabFinding(0), "kernels of two streams") &&
                         strstr(warplabFinding(0), "\"distance\":\"streams\"")),
              "%s", races ? warplabFinding(0) : "");
}

/* What one store leaves, the other stores: whichever comes first. Another schedule comes later. */
Test(graph_edge, schedules_that_store_the_same)
{
    warplabSetCheck(1);
    schedule("raise", 5, 0);
    schedule("raise", 5, 0);
    schedule("put", 5, 0);
    warplabOrder(NULL);
    schedule("put", 6, 0);
    warplabOrder(NULL);
    cr_expect_eq(warplabFindingCount(), 0, "%s", warplabFinding(0));
}
