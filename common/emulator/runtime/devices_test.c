/* devices_test.c - several devices: whose is what, and who may use what of another's. */
#include "cudart.h"
#include "warplab.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)           cr_assert_eq((call), cudaSuccess, "%s", #call)
#define GIVES(call, error) cr_assert_str_eq(cudaGetErrorName(call), #error, "%s", #call)
#define ON(device)         OK(cudaSetDevice(device))

/* put(int *p): p[0] = bias + 1, and bias is a variable of the device; tell() tells all devices of
 * it. all(int *p): p[thread of the grid] = that. */
static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                          ".global .align 4 .u32 bias = 3;\n"
                          ".global .attribute(.managed) .align 4 .u32 common = 8;\n"
                          ".visible .entry put(.param .u64 p)\n"
                          "{\n"
                          "    .reg .b32 %r<3>;\n"
                          "    .reg .b64 %rd<3>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.global.u32 %r1, [bias];\n"
                          "    add.s32 %r2, %r1, 1;\n"
                          "    st.global.u32 [%rd1], %r2;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry tell()\n"
                          "{\n"
                          "    .reg .b32 %r<2>;\n"
                          "    ld.global.u32 %r1, [bias];\n"
                          "    st.global.u32 [common], %r1;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry all(.param .u64 p)\n"
                          "{\n"
                          "    .reg .b32 %r<5>;\n"
                          "    .reg .b64 %rd<4>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    mov.u32 %r1, %ctaid.x;\n"
                          "    mov.u32 %r2, %ntid.x;\n"
                          "    mov.u32 %r3, %tid.x;\n"
                          "    mad.lo.s32 %r4, %r1, %r2, %r3;\n"
                          "    mul.wide.s32 %rd2, %r4, 4;\n"
                          "    add.s64 %rd3, %rd1, %rd2;\n"
                          "    st.global.u32 [%rd3], %r4;\n"
                          "    ret;\n"
                          "}\n";

static cudaLibrary_t library;
static cudaKernel_t put, tell, all;
static int *at[2];
static cudaStream_t stream[2];
static cudaEvent_t event[2];

static void set_up(void)
{
    setenv("WARPLAB_DEVICES", "3", 1);
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&put, library, "put"));
    OK(cudaLibraryGetKernel(&tell, library, "tell"));
    OK(cudaLibraryGetKernel(&all, library, "all"));
    for (int d = 1; d >= 0; d--) {
        ON(d);
        OK(cudaMalloc((void **)&at[d], 4096));
        OK(cudaStreamCreate(&stream[d]));
        OK(cudaEventCreate(&event[d]));
    }
}

static cudaError_t launch(int *p, cudaStream_t s)
{
    void *args[] = {&p};

    return cudaLaunchKernel(put, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, s);
}

static int value(const int *p)
{
    int x = -1;

    OK(cudaMemcpy(&x, p, sizeof(x), cudaMemcpyDefault));
    return x;
}

TestSuite(devices, .init = set_up);

Test(devices, are_alike_and_told_apart)
{
    struct cudaDeviceProp p, q;
    char id[16];
    int n;

    OK(cudaGetDeviceCount(&n));
    cr_assert_eq(n, 3);
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaGetDeviceProperties(&q, 2));
    cr_assert_str_eq(p.name, q.name);
    cr_assert(p.pciBusID == 0 && q.pciBusID == 2 && memcmp(&p.uuid, &q.uuid, sizeof(p.uuid)));
    OK(cudaDeviceGetPCIBusId(id, sizeof(id), 2));
    OK(cudaDeviceGetByPCIBusId(&n, id));
    cr_assert_eq(n, 2);
    GIVES(cudaGetDeviceProperties(&p, 3), cudaErrorInvalidDevice);
    GIVES(cudaSetDevice(3), cudaErrorInvalidDevice);
    GIVES(cudaSetDevice(-1), cudaErrorInvalidDevice);
    OK(cudaGetDevice(&n));
    cr_assert_eq(n, 0);
}

static void *ask(void *arg)
{
    cudaGetDevice(arg);
    cudaSetDevice(2);
    return NULL;
}

Test(devices, current_one_is_the_threads)
{
    pthread_t t;
    int n = -1;

    ON(1);
    pthread_create(&t, NULL, ask, &n);
    pthread_join(t, NULL);
    cr_assert_eq(n, 0);
    OK(cudaGetDevice(&n));
    cr_assert_eq(n, 1);
}

Test(devices, have_memories_of_their_own)
{
    struct cudaPointerAttributes a;
    size_t before, after, total;
    void *p, *pinned;

    ON(1);
    OK(cudaMemGetInfo(&before, &total));
    ON(0);
    OK(cudaMalloc(&p, 1 << 20));
    OK(cudaMallocHost(&pinned, 64));
    ON(1);
    OK(cudaMemGetInfo(&after, &total));
    cr_assert_eq(before, after);
    OK(cudaPointerGetAttributes(&a, p));
    cr_assert(a.type == cudaMemoryTypeDevice && a.device == 0);
    OK(cudaPointerGetAttributes(&a, at[1]));
    cr_assert_eq(a.device, 1);
    OK(cudaPointerGetAttributes(&a, pinned));
    cr_assert(a.type == cudaMemoryTypeHost && a.device == 0);
    OK(launch(pinned, 0)); /* pinned memory is everybody's */
    cr_assert_eq(*(int *)pinned, 4);
    OK(cudaFree(p)); /* whoever is current */
}

Test(devices, fault_on_anothers_memory)
{
    void *p;

    OK(launch(at[1], 0));
    cr_assert(strstr(emu_error_text(), "of device 1; the kernel runs on device 0"), "%s",
              emu_error_text());
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    GIVES(cudaMalloc(&p, 16), cudaErrorIllegalAddress);
    ON(1); /* the process's, whichever device it came from */
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    GIVES(cudaMalloc(&p, 16), cudaErrorIllegalAddress);
    ON(0);
    OK(cudaDeviceReset());
    GIVES(cudaMalloc(&p, 16), cudaErrorDevicesUnavailable);
    ON(1);
    GIVES(cudaMalloc(&p, 16), cudaErrorIllegalAddress);
}

Test(devices, peer_access)
{
    int can;

    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    cr_assert_eq(can, 1);
    OK(cudaDeviceCanAccessPeer(&can, 1, 1));
    cr_assert_eq(can, 0);
    GIVES(cudaDeviceCanAccessPeer(&can, 0, 3), cudaErrorInvalidDevice);
    OK(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    cr_assert_eq(can, 1);
    GIVES(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 1, 1),
          cudaErrorInvalidDevice);
    GIVES(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    GIVES(cudaDeviceEnablePeerAccess(3, 0), cudaErrorInvalidDevice);
    GIVES(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    GIVES(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    GIVES(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    OK(launch(at[1], 0));
    cr_assert_eq(value(at[1]), 4);
    ON(1);
    GIVES(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled); /* one way */
    ON(0);
    OK(cudaDeviceDisablePeerAccess(1));
    OK(launch(at[1], 0));
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

Test(devices, streams_and_events_belong_to_one)
{
    float ms;
    int d;

    OK(cudaStreamGetDevice(stream[1], &d));
    cr_assert_eq(d, 1);
    OK(cudaMemsetAsync(at[1], 0, 64, stream[1]));
    OK(launch(at[1], stream[1])); /* runs on the stream's device */
    cr_assert_eq(value(at[1]), 4);
    OK(cudaMemsetAsync(at[1], 0, 64, stream[1]));
    GIVES(cudaMemset(at[1], 0, 64), cudaErrorInvalidValue);
    GIVES(cudaMemsetAsync(at[1], 0, 64, stream[0]), cudaErrorInvalidValue);
    OK(cudaMemcpyAsync(at[0], at[1], 64, cudaMemcpyDefault, stream[1]));
    GIVES(cudaEventRecord(event[0], stream[1]), cudaErrorInvalidResourceHandle);
    GIVES(cudaEventRecord(event[1], 0), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(event[1], stream[1]));
    OK(cudaEventRecord(event[0], stream[0]));
    OK(cudaEventQuery(event[1]));
    OK(cudaEventSynchronize(event[1]));
    GIVES(cudaEventElapsedTime(&ms, event[0], event[1]), cudaErrorInvalidResourceHandle);
    OK(cudaStreamWaitEvent(stream[0], event[1], 0));
    OK(cudaStreamSynchronize(stream[1]));
    OK(cudaEventDestroy(event[1]));
    OK(cudaStreamDestroy(stream[1]));
}

Test(devices, variables_are_one_a_device)
{
    void *bias[2], *common[2];
    int ten = 10;

    for (int d = 0; d < 2; d++) {
        ON(d);
        OK(cudaLibraryGetGlobal(&bias[d], NULL, library, "bias"));
        OK(cudaLibraryGetManaged(&common[d], NULL, library, "common"));
    }
    cr_assert_neq(bias[0], bias[1]);
    cr_assert_eq(common[0], common[1]);
    OK(cudaMemcpy(bias[1], &ten, sizeof(ten), cudaMemcpyDefault));
    for (int d = 0; d < 2; d++) {
        ON(d);
        OK(launch(at[d], 0));
        OK(cudaLaunchKernel(tell, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    }
    cr_assert(value(at[0]) == 4 && value(at[1]) == 11 && *(int *)common[0] == 10);
    ON(0);
    OK(cudaDeviceReset()); /* its module was the first, and the others keep what they share */
    cr_assert_eq(*(int *)common[1], 10);
    ON(1);
    OK(launch(at[1], 0));
    cr_assert_eq(value(at[1]), 11);
}

Test(devices, reset_is_of_one)
{
    OK(cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaMemset(at[1], 7, 4));
    OK(cudaDeviceReset());
    GIVES(cudaFree(at[0]), cudaErrorInvalidValue);
    GIVES(cudaEventQuery(event[0]), cudaErrorInvalidResourceHandle);
    OK(cudaEventQuery(event[1]));
    cr_assert_eq(value(at[1]), 0x07070707);
    OK(launch(at[1], 0)); /* no peer of it any more */
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

/* A kernel's time with its array at home, and with the other device's. */
Test(devices, others_memory_is_behind_a_link)
{
    int *p[2], n = 1 << 22;
    double ms[2];

    OK(cudaDeviceEnablePeerAccess(1, 0));
    for (int d = 1; d >= 0; d--) {
        ON(d);
        OK(cudaMalloc((void **)&p[d], (size_t)n * 4));
    }
    for (int d = 0; d < 2; d++) {
        void *args[] = {&p[d]};

        warplabReset();
        OK(cudaLaunchKernel(all, (dim3){(unsigned)n / 256, 1, 1}, (dim3){256, 1, 1}, args, 0, 0));
        ms[d] = warplabModelledMs();
        cr_assert_eq(!strcmp(warplabBound(), "peer"), d, "%s", warplabBound());
    }
    cr_assert(ms[1] > 1.5 * ms[0], "%g %g", ms[0], ms[1]);
}

static double copy_ms(int n)
{
    cudaEvent_t from, to;
    float ms;

    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to));
    OK(cudaEventRecord(from, 0));
    OK(cudaMemcpyPeerAsync(at[0], 0, at[1], 1, (size_t)n, 0));
    OK(cudaEventRecord(to, 0));
    OK(cudaEventElapsedTime(&ms, from, to));
    return ms;
}

Test(devices, copies_between_them)
{
    for (int d = 0; d < 2; d++) {
        ON(d);
        OK(cudaMalloc((void **)&at[d], 1 << 26));
        OK(cudaMemset(at[d], d + 1, 1 << 26));
    }
    ON(0);
    double staged = copy_ms(1 << 26);
    cr_assert_eq(value(at[0] + (1 << 24) - 1), 0x02020202);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    double linked = copy_ms(1 << 26);
    cr_assert(linked < staged / 3 && linked > 0, "%g %g", linked, staged);
    OK(cudaMemset(at[0], 9, 8));
    OK(cudaMemcpy(at[1], at[0], 8, cudaMemcpyDeviceToDevice));
    cr_assert_eq(value(at[1] + 1), 0x09090909);
    GIVES(cudaMemcpyPeer(at[0], 0, at[1], 3, 8), cudaErrorInvalidDevice);
    OK(cudaMemcpyPeer(at[0], 1, at[1], 1, 8)); /* the addresses tell */
    GIVES(cudaMemcpyPeer(at[0], 0, at[1], 1, (1 << 26) + 1), cudaErrorInvalidValue);
    OK(cudaMemcpyPeer(at[0], 0, at[1], 1, 0));
}

/* Two devices work at the same time; one does one kernel after the other. */
Test(devices, work_side_by_side)
{
    for (int d = 0; d < 2; d++) {
        ON(d);
        OK(launch(at[d], 0));
    }
    ON(0);
    warplabReset();
    OK(launch(at[0], stream[0]));
    double one = warplabSpanMs();
    ON(1);
    OK(launch(at[1], stream[1]));
    cr_assert_float_eq(warplabSpanMs(), one, one / 100);
    OK(launch(at[1], stream[1]));
    cr_assert_float_eq(warplabSpanMs(), 2 * one, one / 100);
    OK(cudaDeviceSynchronize());
}

Test(devices, pools_are_opened_one_by_one)
{
    struct cudaMemAccessDesc all = {{cudaMemLocationTypeDevice, 0},
                                    cudaMemAccessFlagsProtReadWrite};
    enum cudaMemAccessFlags flags;
    cudaMemPool_t pool;
    int *p;

    OK(cudaMallocAsync((void **)&p, 64, stream[1])); /* of the stream's device */
    OK(cudaDeviceGetDefaultMemPool(&pool, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, &all.location));
    cr_assert_eq(flags, cudaMemAccessFlagsProtNone);
    OK(cudaMemPoolSetAccess(pool, &all, 1));
    OK(launch(p, 0));
    cr_assert_eq(value(p), 4);
    all.flags = cudaMemAccessFlagsProtNone;
    OK(cudaMemPoolSetAccess(pool, &all, 1));
    all.location.id = 1;
    GIVES(cudaMemPoolSetAccess(pool, &all, 1), cudaErrorInvalidDevice); /* its own */
    GIVES(cudaDeviceSetMemPool(0, pool), cudaErrorInvalidValue);
    OK(cudaDeviceEnablePeerAccess(1, 0)); /* is of other memory */
    OK(launch(p, 0));
    cr_assert(strstr(emu_error_text(), "cudaMemPoolSetAccess"), "%s", emu_error_text());
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

Test(devices_without_a_link, copies_go_through_the_host)
{
    int can;
    void *a, *b;

    setenv("WARPLAB_DEVICES", "2", 1);
    setenv("WARPLAB_DEVICE", "gtx980", 1);
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    cr_assert_eq(can, 0);
    GIVES(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
    OK(cudaMalloc(&a, 64));
    ON(1);
    OK(cudaMalloc(&b, 64));
    OK(cudaMemcpyPeer(a, 0, b, 1, 64));
}

/* A capture goes over to another device's stream and comes back; what it holds works where it was
 * captured, whichever stream the graph is launched in. */
Test(devices, graphs_work_on_several)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int value[2];

    ON(0);
    OK(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event[0], stream[0]));
    OK(cudaStreamWaitEvent(stream[1], event[0], 0));
    for (int d = 0; d < 2; d++) {
        void *args[] = {&at[d]};

        OK(cudaMemsetAsync(at[d], 0, 8, stream[d]));
        OK(cudaLaunchKernel(put, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, stream[d]));
    }
    ON(1);
    GIVES(cudaMemset(at[1], 0, 4), cudaErrorStreamCaptureImplicit);
    GIVES(cudaStreamEndCapture(stream[0], &graph), cudaErrorStreamCaptureInvalidated);
    ON(0);
    OK(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event[0], stream[0]));
    OK(cudaStreamWaitEvent(stream[1], event[0], 0));
    for (int d = 0; d < 2; d++) {
        void *args[] = {&at[d]};

        OK(cudaLaunchKernel(put, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, stream[d]));
    }
    ON(1);
    OK(cudaEventRecord(event[1], stream[1]));
    ON(0);
    OK(cudaStreamWaitEvent(stream[0], event[1], 0));
    OK(cudaStreamEndCapture(stream[0], &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    ON(1);
    OK(cudaGraphLaunch(exec, stream[1]));
    for (int d = 0; d < 2; d++) {
        OK(cudaMemcpy(&value[d], at[d], 4, cudaMemcpyDeviceToHost));
        cr_assert_eq(value[d], 4);
    }
}
