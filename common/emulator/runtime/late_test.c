/* late_test.c - work that is done only where something waits for it (hold.h). */
#include "hold.h"
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#define OK(call)           cr_assert_eq((call), cudaSuccess, "%s", #call)
#define GIVES(call, error) cr_assert_str_eq(cudaGetErrorName(call), #error, "%s", #call)

/* Until it says yes: not after a few questions. */
#define ASKED(query)                                                                               \
    do {                                                                                           \
        int n = 0;                                                                                 \
        while ((query) == cudaErrorNotReady)                                                       \
            n++;                                                                                   \
        cr_assert(n > 100 && n < 1000, "%s %d", #query, n);                                        \
    } while (0)

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

static cudaKernel_t add;
static int *device, *pinned;
static cudaStream_t one, two, blocking;
static cudaEvent_t event;

static void set_up(void)
{
    cudaLibrary_t library;

    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&add, library, "add"));
    OK(cudaMalloc((void **)&device, 64));
    OK(cudaMemset(device, 0, 64));
    OK(cudaMallocHost((void **)&pinned, 64));
    OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&blocking));
    OK(cudaEventCreate(&event));
    memset(pinned, 0, 64);
    hold_be_late();
}

TestSuite(late, .init = set_up, .timeout = 30);

static void launch_add(int value, cudaStream_t s)
{
    void *args[] = {&device, &value};

    OK(cudaLaunchKernel(add, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, s));
}

/* What is there now, behind nothing but what the legacy stream waits for. */
static int now(void)
{
    int value;

    OK(cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost));
    return value;
}

/* A launch and a copy back: the host's memory is as it was until then. */
static void back(cudaStream_t s)
{
    pinned[0] = -1;
    launch_add(5, s);
    OK(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaEventRecord(event, s));
    OK(cudaMemsetAsync(device, 0, 64, s));
    cr_assert_eq(pinned[0], -1);
}
#define LANDS(wait, s)                                                                             \
    do {                                                                                           \
        back(s);                                                                                   \
        OK(wait);                                                                                  \
        cr_assert_eq(pinned[0], 5, "%s", #wait);                                                   \
    } while (0)

Test(late, a_copy_lands_where_it_is_waited_for)
{
    void *more;

    LANDS(cudaStreamSynchronize(one), one);
    LANDS(cudaEventSynchronize(event), one);
    LANDS(cudaDeviceSynchronize(), one);
    LANDS(cudaStreamSynchronize(0), blocking);
    LANDS(cudaMemcpy(pinned + 8, device, 4, cudaMemcpyDeviceToHost), blocking);
    LANDS(cudaMemcpy(pinned + 8, device, 4, cudaMemcpyDeviceToHost), 0);
    OK(cudaMalloc(&more, 64));
    LANDS(cudaFree(more), one);
    back(one);
    GIVES(cudaEventQuery(event), cudaErrorNotReady);
    cr_assert_eq(pinned[0], -1);
    ASKED(cudaEventQuery(event));
    cr_assert_eq(pinned[0], 5);
    ASKED(cudaStreamQuery(one)); /* a fill is behind the event */
}

Test(late, what_waits_for_something_else_is_no_wait)
{
    int there = 0;

    back(one);
    OK(cudaStreamSynchronize(two));
    OK(cudaStreamSynchronize(0));
    OK(cudaMemcpy(&there, device + 8, 4, cudaMemcpyDeviceToHost)); /* of the legacy stream */
    OK(cudaMemset(device + 8, 0, 4));
    OK(cudaMemcpy(device + 8, device + 9, 4, cudaMemcpyDeviceToDevice));
    cr_assert_eq(pinned[0], -1);
    float ms;
    GIVES(cudaEventElapsedTime(&ms, event, event), cudaErrorNotReady);
    back(blocking);
    OK(cudaMemset(device + 8, 0, 4)); /* the host does not wait for a fill of the device's */
    cr_assert_eq(pinned[0], -1);
    OK(cudaDeviceSynchronize());
}

Test(late, a_source_is_read_when_the_copy_is_done)
{
    pinned[0] = 3;
    OK(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, one));
    pinned[0] = 4;
    OK(cudaStreamSynchronize(one));
    cr_assert_eq(now(), 4);
}

/* The driver has read it, or written it, when the call returns. */
Test(late, pageable_memory_is_not_late)
{
    int own = 3, result = 0;

    OK(cudaMemcpyAsync(device, &own, 4, cudaMemcpyHostToDevice, one));
    own = 4;
    launch_add(1, one);
    OK(cudaMemcpyAsync(&result, device, 4, cudaMemcpyDeviceToHost, one));
    cr_assert_eq(result, 7);
    pinned[0] = 9;
    OK(cudaMemcpyAsync(pinned + 1, pinned, 4, cudaMemcpyHostToHost, one));
    cr_assert_eq(pinned[1], 9);
}

Test(late, only_blocking_streams_are_before_the_legacy_one)
{
    launch_add(1, one);
    cr_assert_eq(now(), 0);
    launch_add(1, blocking);
    cr_assert_eq(now(), 1);
    OK(cudaStreamSynchronize(one));
    cr_assert_eq(now(), 3);
}

Test(late, what_nothing_orders_comes_the_other_way_round)
{
    launch_add(1, one);
    launch_add(5, two);
    OK(cudaDeviceSynchronize());
    cr_assert_eq(now(), 2 * 5 + 1);
    OK(cudaMemset(device, 0, 4));
    OK(cudaDeviceSynchronize());
    launch_add(1, one);
    OK(cudaEventRecord(event, one));
    OK(cudaStreamWaitEvent(two, event, 0));
    launch_add(5, two);
    OK(cudaStreamSynchronize(two));
    cr_assert_eq(now(), 2 * 1 + 5);
}

Test(late, a_graph_is_as_it_was_launched)
{
    void *other[] = {&device, &(int){7}};
    size_t n = 1;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    struct cudaKernelNodeParams p;

    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    launch_add(1, one);
    OK(cudaStreamEndCapture(one, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphGetNodes(graph, &node, &n));
    OK(cudaGraphKernelNodeGetParams(node, &p));
    OK(cudaGraphLaunch(exec, one));
    cr_assert_eq(now(), 0);
    p.kernelParams = other;
    OK(cudaGraphExecKernelNodeSetParams(exec, node, &p));
    cr_assert_eq(now(), 1);
}

Test(late, not_more_is_queued_than_a_gpu_has_room_for)
{
    for (int i = 0; i < 1100; i++)
        launch_add(1, one);
    cr_assert_neq(now(), 0);
    OK(cudaDeviceSynchronize());
}

static void set_flag(void *flag)
{
    *(volatile int *)flag = 1;
}

/* No call of the runtime's waits for it. */
Test(late, a_host_function_comes_all_the_same)
{
    volatile int flag = 0;

    back(one);
    OK(cudaLaunchHostFunc(one, set_flag, (void *)&flag));
    while (!flag)
        usleep(1000);
    cr_assert_eq(pinned[0], 5);
}
