/* graph_nodes_test.c - memory and conditional nodes, user objects, DOT files. */
#include "cudart.h"
#include "base/file.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK(call)           cr_assert_eq((call), cudaSuccess, "%s", #call)
#define GIVES(call, error) cr_assert_str_eq(cudaGetErrorName(call), #error, "%s", #call)

/* add(int *p, int value): p[0] = p[0] * 2 + value. down(int *p, handle): sets what --p[0] is. */
static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                          ".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n"
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
                          "}\n"
                          ".visible .entry down(.param .u64 p, .param .u64 handle)\n"
                          "{\n"
                          "    .reg .b32 %r<4>;\n"
                          "    .reg .b64 %rd<4>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.param.u64 %rd3, [handle];\n"
                          "    cvta.to.global.u64 %rd2, %rd1;\n"
                          "    ld.global.u32 %r1, [%rd2];\n"
                          "    sub.s32 %r2, %r1, 1;\n"
                          "    st.global.u32 [%rd2], %r2;\n"
                          "    {\n"
                          "    .param .b64 param0;\n"
                          "    st.param.b64 [param0+0], %rd3;\n"
                          "    .param .b32 param1;\n"
                          "    st.param.b32 [param1+0], %r2;\n"
                          "    call.uni cudaGraphSetConditional, (param0, param1);\n"
                          "    }\n"
                          "    ret;\n"
                          "}\n";

static cudaLibrary_t library;
static cudaKernel_t add, down;
static int *device; /* [0]: what down counts, [1]: what add works on */
static cudaStream_t one;
static cudaGraph_t graph;
static cudaGraphExec_t exec;

static void set_up(void)
{
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&add, library, "add"));
    OK(cudaLibraryGetKernel(&down, library, "down"));
    OK(cudaMalloc((void **)&device, 4096));
    OK(cudaMemset(device, 0, 4096));
    OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    OK(cudaGraphCreate(&graph, 0));
}

TestSuite(graph_nodes, .init = set_up);

static void set_now(int at, int value)
{
    OK(cudaMemcpy(device + at, &value, 4, cudaMemcpyHostToDevice));
}

static int now(const int *p)
{
    int value;

    OK(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    return value;
}

static cudaGraphNode_t kernel(cudaGraph_t g, cudaKernel_t k, const cudaGraphNode_t *after,
                              int *where, const void *second)
{
    void *args[] = {&where, (void *)second};
    struct cudaKernelNodeParams p = {
        .func = (void *)k, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = args};
    cudaGraphNode_t node;

    OK(cudaGraphAddKernelNode(&node, g, after, after != NULL, &p));
    return node;
}

static cudaGraphNode_t adds(cudaGraph_t g, const cudaGraphNode_t *after, int *where, int value)
{
    return kernel(g, add, after, where, &value);
}

/* ---- memory ---- */

#define UNIT (32u << 20) /* that a device has for graphs */

static struct cudaMemAllocNodeParams bytes(size_t size)
{
    return (struct cudaMemAllocNodeParams){
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, 0}},
        .bytesize = size};
}

static uint64_t attribute(enum cudaGraphMemAttributeType attr)
{
    uint64_t value;

    OK(cudaDeviceGetGraphMemAttribute(0, attr, &value));
    return value;
}

/* Memory that one node allocates, another uses and a third frees. */
static int *alloc_use(cudaGraphNode_t *last)
{
    struct cudaMemAllocNodeParams p = bytes(1 << 20);
    struct cudaMemsetParams zero = {.elementSize = 4, .width = 1, .height = 1};
    cudaGraphNode_t node;

    OK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
    zero.dst = p.dptr;
    OK(cudaGraphAddMemsetNode(&node, graph, &node, 1, &zero));
    node = adds(graph, &node, p.dptr, 5);
    OK(cudaGraphAddMemcpyNode1D(last, graph, &node, 1, device, p.dptr, 4,
                                cudaMemcpyDeviceToDevice));
    return p.dptr;
}

Test(graph_nodes, allocates_and_frees_within)
{
    cudaGraphNode_t last, node;
    int *p = alloc_use(&last), value;

    OK(cudaGraphAddMemFreeNode(&node, graph, &last, 1, p));
    GIVES(cudaGraphAddMemFreeNode(&node, graph, &last, 1, p), cudaErrorInvalidValue);
    GIVES(cudaGraphAddMemFreeNode(&node, graph, &last, 1, device), cudaErrorInvalidValue);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    GIVES(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    cr_assert_eq(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
    for (int i = 0; i < 3; i++) {
        set_now(0, 0);
        OK(cudaGraphLaunch(exec, one));
        cr_assert_eq(now(device), 5);
        cr_assert_eq(attribute(cudaGraphMemAttrUsedMemCurrent), UNIT);
        cr_assert_eq(attribute(cudaGraphMemAttrReservedMemCurrent), UNIT);
        GIVES(cudaFree(p), cudaErrorInvalidValue);
    }
    OK(cudaDeviceGraphMemTrim(0));
    cr_assert_eq(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
    cr_assert_eq(attribute(cudaGraphMemAttrUsedMemHigh), UNIT);
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &(uint64_t){0}));
    cr_assert_eq(attribute(cudaGraphMemAttrUsedMemHigh), 0);
    GIVES(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &(uint64_t){0}),
          cudaErrorInvalidValue);
}

/* Launches in one stream use the same memory, those side by side their own, until it is trimmed. */
Test(graph_nodes, the_footprint_is_of_what_runs_at_once)
{
    struct cudaMemAllocNodeParams p = bytes(UNIT);
    cudaGraphExec_t all[3];
    cudaStream_t streams[3];
    cudaGraphNode_t node;

    for (int i = 0; i < 3; i++) {
        OK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        OK(cudaGraphCreate(&graph, 0));
        OK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
        node = adds(graph, &node, device, 1);
        OK(cudaGraphAddMemFreeNode(&node, graph, &node, 1, p.dptr));
        OK(cudaGraphInstantiate(&all[i], graph, 0));
        OK(cudaGraphLaunch(all[i], one));
        cr_assert_eq(attribute(cudaGraphMemAttrUsedMemCurrent), UNIT);
    }
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++) {
        OK(cudaGraphLaunch(all[i], streams[i]));
        cr_assert_eq(attribute(cudaGraphMemAttrUsedMemCurrent), (uint64_t)(i + 1) * UNIT);
    }
    OK(cudaDeviceGraphMemTrim(0));
    cr_assert_eq(attribute(cudaGraphMemAttrUsedMemCurrent), 0);
}

/* What the graph leaves is the program's to free; a launch before that fails. */
Test(graph_nodes, memory_outlives_its_launch)
{
    cudaGraphNode_t last, node;
    cudaGraphExec_t freeing;
    cudaGraph_t other;
    int *p = alloc_use(&last);

    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(p), 5);
    cr_assert_eq(attribute(cudaGraphMemAttrUsedMemCurrent), UNIT);
    GIVES(cudaGraphLaunch(exec, one), cudaErrorInvalidValue);
    OK(cudaFree(p));
    OK(cudaGraphLaunch(exec, one));
    OK(cudaFreeAsync(p, one));
    OK(cudaGraphLaunch(exec, one));
    OK(cudaGraphCreate(&other, 0));
    OK(cudaGraphAddMemFreeNode(&node, other, NULL, 0, p));
    GIVES(cudaGraphAddMemFreeNode(&node, graph, &last, 1, p), cudaErrorInvalidValue);
    OK(cudaGraphInstantiate(&freeing, other, 0));
    OK(cudaGraphLaunch(freeing, one));
    GIVES(cudaGraphLaunch(freeing, one), cudaErrorInvalidValue);
    OK(cudaGraphLaunch(exec, one));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphExecDestroy(exec));
    cr_assert_eq(now(p), 5);
    OK(cudaFree(p));
}

Test(graph_nodes, automatic_frees_and_single_instances)
{
    cudaGraphNode_t last;
    cudaGraphExec_t second;
    cudaGraph_t clone;
    int *p = alloc_use(&last);

    OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(exec, one));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(p), 5);
    GIVES(cudaGraphInstantiate(&second, graph, 0), cudaErrorNotSupported);
    GIVES(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    GIVES(cudaGraphDestroyNode(last), cudaErrorNotSupported);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiate(&second, graph, 0));
}

Test(graph_nodes, memory_is_captured)
{
    enum cudaGraphNodeType type;
    cudaGraphNode_t nodes[4];
    size_t n = 4;
    int *p;

    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync((void **)&p, 256, one));
    OK(cudaMemsetAsync(p, 1, 4, one));
    OK(cudaMemcpyAsync(device, p, 4, cudaMemcpyDeviceToDevice, one));
    OK(cudaFreeAsync(p, one));
    OK(cudaStreamEndCapture(one, &graph));
    OK(cudaGraphGetNodes(graph, nodes, &n));
    OK(cudaGraphNodeGetType(nodes[3], &type));
    cr_assert(n == 4 && type == cudaGraphNodeTypeMemFree);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(device), 0x01010101);
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    GIVES(cudaFreeAsync(device, one), cudaErrorInvalidValue);
    OK(cudaStreamEndCapture(one, &graph));
}

/* A child that has memory nodes goes into its node, handle and all. */
Test(graph_nodes, a_child_moves_into_its_node)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeGraph};
    cudaGraphNode_t last, node;
    cudaGraph_t outer;

    alloc_use(&last);
    OK(cudaGraphCreate(&outer, 0));
    GIVES(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, graph), cudaErrorNotSupported);
    p.graph.graph = graph;
    p.graph.ownership = cudaGraphChildGraphOwnershipMove;
    OK(cudaGraphAddNode(&node, outer, NULL, NULL, 0, &p));
    GIVES(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    OK(cudaGraphInstantiate(&exec, outer, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(exec, one));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(device), 5);
    OK(cudaGraphDestroy(outer));
}

/* ---- conditional nodes ---- */

static cudaGraph_t *branch(cudaGraph_t g, const cudaGraphNode_t *after,
                           cudaGraphConditionalHandle handle,
                           enum cudaGraphConditionalNodeType type, unsigned size)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional,
                                    .conditional = {.handle = handle, .type = type, .size = size}};
    cudaGraphNode_t node;

    OK(cudaGraphAddNode(&node, g, after, NULL, after != NULL, &p));
    return p.conditional.phGraph_out;
}

Test(graph_nodes, if_and_else)
{
    cudaGraphConditionalHandle handle;

    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t first = kernel(graph, down, NULL, device, &handle);
    cudaGraph_t *bodies = branch(graph, &first, handle, cudaGraphCondTypeIf, 2);
    adds(bodies[0], NULL, device + 1, 10);
    adds(bodies[1], NULL, device + 1, 20);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    set_now(0, 2);
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(device + 1), 10);
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(device + 1), 40);
}

/* The value that a handle begins with is that of each launch. */
Test(graph_nodes, while_it_is_not_zero)
{
    cudaGraphConditionalHandle handle, inner;

    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    OK(cudaGraphConditionalHandleCreate(&inner, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = branch(graph, NULL, handle, cudaGraphCondTypeWhile, 1)[0];
    cudaGraphNode_t node = kernel(body, down, NULL, device, &handle);
    adds(branch(body, &node, inner, cudaGraphCondTypeIf, 1)[0], NULL, device + 1, 1);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        set_now(0, 5);
        set_now(1, 0);
        OK(cudaGraphLaunch(exec, one));
        cr_assert(now(device) == 0 && now(device + 1) == 31);
    }
}

Test(graph_nodes, switch_takes_one_body_or_none)
{
    cudaGraphConditionalHandle handle;

    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t first = kernel(graph, down, NULL, device, &handle);
    cudaGraph_t *bodies = branch(graph, &first, handle, cudaGraphCondTypeSwitch, 3);
    for (int i = 0; i < 3; i++)
        adds(bodies[i], NULL, device + 1, i + 1);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 4; i++) {
        set_now(0, i + 1);
        set_now(1, 0);
        OK(cudaGraphLaunch(exec, one));
        cr_assert_eq(now(device + 1), (i + 1) % 4);
    }
}

Test(graph_nodes, handles_have_one_node)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional,
                                    .conditional = {.type = cudaGraphCondTypeWhile, .size = 1}};
    struct cudaHostNodeParams host = {.fn = free};
    cudaGraphConditionalHandle handle;
    cudaGraphInstantiateParams how = {0};
    cudaGraph_t other;
    cudaGraphNode_t node;

    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    GIVES(cudaGraphInstantiateWithParams(&exec, graph, &how), cudaErrorInvalidValue);
    cr_assert_eq(how.result_out, cudaGraphInstantiateConditionalHandleUnused);
    p.conditional.handle = handle;
    OK(cudaGraphCreate(&other, 0));
    GIVES(cudaGraphAddNode(&node, other, NULL, NULL, 0, &p), cudaErrorInvalidValue);
    p.conditional.size = 2;
    GIVES(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p), cudaErrorInvalidValue);
    p.conditional.size = 1;
    OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    GIVES(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p), cudaErrorInvalidValue);
    OK(cudaGraphAddHostNode(&node, p.conditional.phGraph_out[0], NULL, 0, &host));
    GIVES(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    OK(cudaGraphDestroyNode(node));
    GIVES(cudaGraphDestroy(p.conditional.phGraph_out[0]), cudaErrorInvalidValue);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    GIVES(cudaGraphInstantiate(&exec, graph, 0), cudaErrorNotSupported);
}

/* Kernels of another graph know that one's handles. */
Test(graph_nodes, an_update_brings_its_conditions)
{
    cudaGraphExecUpdateResultInfo info;
    cudaGraphConditionalHandle handle;
    cudaGraph_t all[2] = {graph};

    OK(cudaGraphCreate(&all[1], 0));
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphConditionalHandleCreate(&handle, all[i], 0, 0));
        cudaGraphNode_t first = kernel(all[i], down, NULL, device, &handle);
        cudaGraph_t body = branch(all[i], &first, handle, cudaGraphCondTypeIf, 1)[0];
        adds(body, NULL, device + 1, i + 1);
    }
    OK(cudaGraphInstantiate(&exec, all[0], 0));
    OK(cudaGraphExecUpdate(exec, all[1], &info));
    set_now(0, 2);
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(device + 1), 2);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiate(&exec, all[0], 0));
}

/* Where a launch's steps are limited, so are a loop's rounds. */
Test(graph_loop, without_end)
{
    cudaGraphConditionalHandle handle;

    setenv("WARPLAB_STEPS", "1000", 1);
    set_up();
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    adds(branch(graph, NULL, handle, cudaGraphCondTypeWhile, 1)[0], NULL, device, 0);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, one));
    cr_assert(strstr(emu_error_text(), "WARPLAB_STEPS"), "%s", emu_error_text());
    GIVES(cudaStreamSynchronize(one), cudaErrorLaunchTimeout);
}

/* A handle that is none is the kernel's fault. */
Test(graph_nodes, wrong_handles_are_faults)
{
    uint64_t handle = (uint64_t)device;
    void *args[] = {&device, &handle};

    OK(cudaLaunchKernel(down, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, one));
    GIVES(cudaStreamSynchronize(one), cudaErrorIllegalAddress);
}

/* ---- user objects ---- */

static void count(void *calls)
{
    ++*(int *)calls;
}

Test(graph_nodes, objects_go_with_their_last_graph)
{
    static int gone;
    cudaUserObject_t object;
    cudaGraph_t clone;

    GIVES(cudaUserObjectCreate(&object, &gone, count, 1, 0), cudaErrorInvalidValue);
    OK(cudaUserObjectCreate(&object, &gone, count, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    GIVES(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphInstantiate(&exec, clone, 0));
    OK(cudaGraphDestroy(clone));
    GIVES(cudaGraphReleaseUserObject(graph, object, 2), cudaErrorInvalidValue);
    OK(cudaGraphReleaseUserObject(graph, object, 1));
    OK(cudaGraphDestroy(graph));
    cr_assert_eq(gone, 0);
    OK(cudaGraphExecDestroy(exec));
    cr_assert_eq(gone, 1);
    GIVES(cudaUserObjectRetain(object, 1), cudaErrorInvalidValue);
}

/* ---- DOT ---- */

Test(graph_nodes, draws_itself)
{
    char path[] = "/tmp/graph_dot_XXXXXX", *text;
    int file = mkstemp(path);
    cudaGraphNode_t last;
    size_t size;

    cr_assert(file >= 0);
    alloc_use(&last);
    OK(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
    cr_assert_eq(file_read(path, 1 << 20, &text, &size), 0);
    for (const char *const *w =
             (const char *const[]){"digraph dot {", "MEM_ALLOC", "KERNEL\\nadd", "grid 1,1,1",
                                   "MEMCPY DtoD", "node_0\" ->", NULL};
         *w; w++)
        cr_assert(strstr(text, *w), "no %s in %s", *w, text);
    free(text);
    unlink(path);
    close(file);
    GIVES(cudaGraphDebugDotPrint(graph, "/nowhere/at/all", 0), cudaErrorOperatingSystem);
}
