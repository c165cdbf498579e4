/* cudart_test.c - the runtime API as a C program calls it; programs/ has what nvcc calls.
 *
 * Kernels are PTX text, as the labs' harness loads them.
 */
#include "cudart.h"
#include "emulator/count/model.h"
#include "emulator/exec/launch.h"
#include "warplab.h"
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK(call)           cr_assert_eq((call), cudaSuccess, "%s", #call)
#define GIVES(call, error) cr_assert_str_eq(cudaGetErrorName(call), #error, "%s", #call)

/* fill(int *p, int value): p[thread of the grid] = value + a device variable. */
static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                          ".global .align 4 .u32 bias = 3;\n"
                          ".visible .entry fill(.param .u64 p, .param .u32 value)\n"
                          "{\n"
                          "    .reg .b32 %r<8>;\n"
                          "    .reg .b64 %rd<6>;\n"
                          "    .shared .align 4 .b8 room[1024];\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    ld.param.u32 %r1, [value];\n"
                          "    cvta.to.global.u64 %rd2, %rd1;\n"
                          "    mov.u32 %r2, %ctaid.x;\n"
                          "    mov.u32 %r3, %ntid.x;\n"
                          "    mov.u32 %r4, %tid.x;\n"
                          "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                          "    mul.wide.s32 %rd3, %r5, 4;\n"
                          "    add.s64 %rd4, %rd2, %rd3;\n"
                          "    ld.global.u32 %r6, [bias];\n"
                          "    add.s32 %r7, %r6, %r1;\n"
                          "    st.global.u32 [%rd4], %r7;\n"
                          "    ret;\n"
                          "}\n";

static cudaLibrary_t library;
static cudaKernel_t fill;
static int *device;

static void set_up(void)
{
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&fill, library, "fill"));
    OK(cudaMalloc((void **)&device, 4096));
}

static cudaError_t launch(int *p, unsigned blocks, unsigned threads, size_t shared, cudaStream_t s)
{
    int value = 10;
    void *args[] = {&p, &value};

    return cudaLaunchKernel(fill, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, args, shared, s);
}

TestSuite(cudart, .init = set_up);

Test(cudart, library_kernel_and_global)
{
    int host[64], bias = 5;
    void *address;
    size_t size;

    OK(cudaLibraryGetGlobal(&address, &size, library, "bias"));
    cr_assert_eq(size, 4);
    OK(cudaMemcpy(&host[0], address, 4, cudaMemcpyDeviceToHost));
    cr_assert_eq(host[0], 3);
    OK(cudaMemcpy(address, &bias, 4, cudaMemcpyHostToDevice));
    OK(launch(device, 2, 32, 0, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
    cr_assert_eq(host[0], 15);
    cr_assert_eq(host[63], 15);
}

Test(cudart, library_says_what_is_missing)
{
    cudaLibrary_t l;
    cudaKernel_t k;
    void *address;
    unsigned count;

    GIVES(cudaLibraryGetKernel(&k, library, "none"), cudaErrorSymbolNotFound);
    GIVES(cudaLibraryGetGlobal(&address, NULL, library, "none"), cudaErrorSymbolNotFound);
    GIVES(cudaLibraryLoadData(&l, ".version 99.0\n.target sm_90\n", 0, 0, 0, 0, 0, 0),
          cudaErrorUnsupportedPtxVersion);
    GIVES(cudaLibraryLoadData(&l, ".version 9.0\n.target sm_90\nversion", 0, 0, 0, 0, 0, 0),
          cudaErrorInvalidPtx);
    GIVES(cudaLibraryLoadData(&l, ".version 9.0\n.target sm_90\nnonsense", 0, 0, 0, 0, 0, 0),
          cudaErrorInvalidPtx);
    GIVES(cudaLibraryLoadData(&l, NULL, 0, 0, 0, 0, 0, 0), cudaErrorInvalidValue);
    GIVES(cudaLibraryLoadFromFile(&l, "/none", 0, 0, 0, 0, 0, 0), cudaErrorFileNotFound);
    OK(cudaLibraryGetKernelCount(&count, library));
    cr_assert_eq(count, 1);
    OK(cudaLibraryEnumerateKernels(&k, 1, library));
    cr_assert_eq(k, fill);
    OK(cudaLibraryUnload(library));
    GIVES(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
    GIVES(launch(device, 1, 1, 0, 0), cudaErrorInvalidResourceHandle);
}

Test(cudart, function_attributes)
{
    struct cudaFuncAttributes a;
    size_t offset, size;
    const char *name;

    OK(cudaFuncGetAttributes(&a, fill));
    cr_assert_eq(a.sharedSizeBytes, 1024);
    cr_assert_eq(a.maxDynamicSharedSizeBytes, 49152 - 1024);
    cr_assert_eq(a.maxThreadsPerBlock, 1024);
    cr_assert_eq(a.ptxVersion, 75);
    cr_assert_eq(a.binaryVersion, 90);
    cr_assert(a.numRegs > 0 && a.numRegs < 64);
    OK(cudaFuncGetName(&name, fill));
    cr_assert_str_eq(name, "fill");
    OK(cudaFuncGetParamInfo(fill, 1, &offset, &size));
    cr_assert(offset == 8 && size == 4);
    GIVES(cudaFuncGetParamInfo(fill, 2, &offset, &size), cudaErrorInvalidValue);
    GIVES(cudaFuncGetAttributes(&a, &offset), cudaErrorInvalidResourceHandle);
    GIVES(cudaFuncGetAttributes(&a, NULL), cudaErrorInvalidDeviceFunction);
}

/* More than 48 KiB only where the kernel was allowed to; never more than the device has. */
Test(cudart, shared_memory_needs_an_opt_in)
{
    const enum cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;

    OK(launch(device, 1, 32, 48 * 1024 - 1024, 0));
    GIVES(launch(device, 1, 32, 48 * 1024 - 1023, 0), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(fill, most, 232448 - 1024));
    OK(launch(device, 1, 32, 232448 - 1024, 0));
    GIVES(cudaFuncSetAttribute(fill, most, 232448 - 1023), cudaErrorInvalidValue);
    GIVES(cudaFuncSetAttribute(fill, (enum cudaFuncAttribute)3, 1), cudaErrorInvalidValue);
}

Test(cudart, newer_architectures_are_refused)
{
    static const char text[] = ".version 8.8\n.target sm_100\n.address_size 64\n"
                               ".visible .entry k()\n{\nret;\n}\n";
    cudaLibrary_t newer;

    GIVES(cudaLibraryLoadData(&newer, text, NULL, NULL, 0, NULL, NULL, 0), cudaErrorInvalidPtx);
}

Test(cudart, launch_errors_are_returned_once)
{
    GIVES(launch(device, 1, 1025, 0, 0), cudaErrorInvalidValue);
    GIVES(cudaPeekAtLastError(), cudaErrorInvalidValue);
    GIVES(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaGetLastError());
    OK(launch(device, 1, 32, 0, 0));
    GIVES(launch(device, 1, 32, 0, (cudaStream_t)0x1234), cudaErrorInvalidResourceHandle);
    GIVES(cudaLaunchKernel(fill, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0),
          cudaErrorInvalidValue);
}

/* As on an H200 with CUDA 13.0 (programs/errors.cu runs there, too). */
Test(cudart, faults_stay)
{
    int count;

    OK(launch((int *)16, 1, 32, 0, 0)); /* the launch itself is fine */
    OK(cudaPeekAtLastError());
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    GIVES(cudaGetLastError(), cudaErrorIllegalAddress);
    OK(cudaGetLastError()); /* told once, but every call that needs the context says it again */
    GIVES(cudaMalloc((void **)&device, 4), cudaErrorIllegalAddress);
    GIVES(launch(device, 1, 1, 0, 0), cudaErrorIllegalAddress);
    OK(cudaGetDeviceCount(&count)); /* asks nothing of the context */
    OK(cudaSetDevice(0));
    OK(cudaDeviceReset());
    GIVES(cudaGetLastError(), cudaErrorIllegalAddress); /* the launch's, still */
    OK(cudaGetLastError());
    GIVES(cudaMalloc((void **)&device, 4096), cudaErrorDevicesUnavailable);
    GIVES(cudaSetDevice(0), cudaErrorDevicesUnavailable);
}

Test(cudart, libraries_outlive_a_reset)
{
    OK(cudaDeviceReset());
    OK(cudaMalloc((void **)&device, 4096));
    OK(launch(device, 1, 32, 0, 0));
    OK(cudaDeviceSynchronize());
}

Test(cudart, events_read_modelled_time)
{
    cudaEvent_t a, b, c;
    float empty, small, large;

    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    GIVES(cudaEventElapsedTime(&empty, a, b), cudaErrorInvalidResourceHandle); /* not recorded */
    OK(cudaEventRecord(a, 0));
    OK(cudaEventRecord(b, 0));
    OK(cudaEventRecord(c, 0));
    OK(cudaEventElapsedTime(&empty, a, b));
    cr_assert(fabs(empty - device_profile()->event_overhead_us / 1e3) < 1e-6, "%g", empty);
    GIVES(cudaEventElapsedTime(&empty, a, c), cudaErrorInvalidResourceHandle);
    GIVES(cudaEventElapsedTime(NULL, a, b), cudaErrorInvalidValue);
    OK(cudaEventRecord(a, 0));
    OK(launch(device, 1, 32, 0, 0));
    OK(cudaEventRecord(b, 0));
    OK(cudaEventElapsedTime(&small, a, b));
    OK(cudaEventRecord(a, 0));
    for (int i = 0; i < 10; i++)
        OK(launch(device, 1, 32, 0, 0));
    OK(cudaEventRecord(b, 0));
    OK(cudaEventElapsedTime(&large, a, b));
    cr_assert(small > empty && large > 5 * small, "%g %g %g", empty, small, large);
    OK(cudaEventDestroy(a));
    GIVES(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
}

/* Two streams' work overlaps in modelled time; the legacy stream waits for both. */
Test(cudart, streams_have_clocks_of_their_own)
{
    cudaStream_t s, t;
    cudaEvent_t a, b, c;
    float one, both;

    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreate(&c));
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(a, s));
    OK(cudaMemsetAsync(device, 0, 4096, s));
    OK(cudaMemsetAsync(device, 0, 4096, t));
    OK(cudaEventRecord(b, t));
    OK(cudaEventElapsedTime(&one, a, b));
    OK(cudaMemsetAsync(device, 0, 4096, 0)); /* legacy: after s and t */
    OK(cudaEventRecord(c, 0));
    OK(cudaEventElapsedTime(&both, a, c));
    cr_assert(both > 1.5 * one, "%g %g", one, both);
    OK(cudaStreamWaitEvent(s, c, 0));
    OK(cudaEventRecord(b, s));
    OK(cudaEventElapsedTime(&one, c, b));
    cr_assert_geq(one, 0);
    OK(cudaStreamQuery(s));
    OK(cudaMemsetAsync(device, 0, 4096, s));
    OK(cudaEventRecord(b, s)); /* ends later than all else */
    OK(cudaStreamDestroy(s));
    OK(cudaEventRecord(c, 0));
    OK(cudaEventElapsedTime(&one, b, c));
    cr_assert_gt(one, 0, "its work still counts: %g", one);
    GIVES(cudaStreamQuery(s), cudaErrorInvalidResourceHandle);
    GIVES(cudaStreamDestroy(0), cudaErrorInvalidResourceHandle);
}

/* ---- who works when ---- */

enum { BIG = 16 << 20 };

struct transfers {
    char *pinned, *pageable, *on_device, *on_device2;
    cudaStream_t s, t;
    double one_way, kernel; /* ms */
};

static struct transfers begin_transfers(void)
{
    struct transfers x = {.pageable = calloc(1, BIG)};

    OK(cudaMallocHost((void **)&x.pinned, BIG));
    OK(cudaMalloc((void **)&x.on_device, BIG));
    OK(cudaMalloc((void **)&x.on_device2, BIG));
    OK(cudaStreamCreate(&x.s));
    OK(cudaStreamCreate(&x.t));
    x.one_way =
        BIG / (device_profile()->pcie_gbps * 1e6) + device_profile()->copy_in_latency_us / 1e3;
    warplabReset();
    OK(launch((int *)x.on_device2, 16384, 256, 0, x.s));
    x.kernel = warplabSpanMs();
    OK(cudaDeviceSynchronize());
    warplabReset();
    return x;
}

static void end_transfers(struct transfers *x)
{
    OK(cudaFreeHost(x->pinned));
    OK(cudaFree(x->on_device));
    OK(cudaFree(x->on_device2));
    OK(cudaStreamDestroy(x->s));
    OK(cudaStreamDestroy(x->t));
    free(x->pageable);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

Test(cudart, copies_go_on_under_kernels)
{
    struct transfers x = begin_transfers();
    double start, end;

    cr_assert(x.kernel > 0.002 && x.kernel < x.one_way, "%g", x.kernel);
    OK(cudaMemcpyAsync(x.on_device, x.pinned, BIG, cudaMemcpyHostToDevice, x.s));
    OK(launch((int *)x.on_device2, 16384, 256, 0, x.t));
    cr_assert(near(warplabSpanMs(), x.one_way), "%g %g", warplabSpanMs(), x.one_way);
    warplabLastWork(&start, &end);
    cr_assert(near(start, 0) && near(end, x.kernel), "%g to %g", start, end);
    OK(cudaDeviceSynchronize());
    warplabReset();
    OK(cudaMemcpyAsync(x.on_device, x.pinned, BIG, cudaMemcpyHostToDevice, x.s));
    OK(launch((int *)x.on_device2, 16384, 256, 0, x.s)); /* the same stream: one after the other */
    cr_assert(near(warplabSpanMs(), x.one_way + x.kernel));
    end_transfers(&x);
}

Test(cudart, an_engine_does_one_thing_at_a_time)
{
    struct transfers x = begin_transfers();

    OK(launch((int *)x.on_device, 16384, 256, 0, x.s));
    OK(launch((int *)x.on_device2, 16384, 256, 0, x.t));
    cr_assert(near(warplabSpanMs(), 2 * x.kernel), "%g %g", warplabSpanMs(), x.kernel);
    OK(cudaDeviceSynchronize());
    warplabReset();
    OK(cudaMemcpyAsync(x.on_device, x.pinned, BIG, cudaMemcpyHostToDevice, x.s));
    OK(cudaMemcpyAsync(x.on_device2, x.pinned, BIG, cudaMemcpyHostToDevice, x.t));
    cr_assert(near(warplabSpanMs(), 2 * x.one_way));
    end_transfers(&x);
}

/* Work that waits leaves a gap, which what comes after it may use. */
Test(cudart, gaps_are_used)
{
    struct transfers x = begin_transfers();
    double start, end;

    OK(cudaMemcpyAsync(x.on_device, x.pinned, BIG, cudaMemcpyHostToDevice, x.s));
    OK(launch((int *)x.on_device, 16384, 256, 0, x.s)); /* not before the copy is over */
    OK(launch((int *)x.on_device2, 16384, 256, 0, x.t));
    warplabLastWork(&start, &end);
    cr_assert(near(start, 0) && near(end, x.kernel), "%g to %g", start, end);
    cr_assert(near(warplabSpanMs(), x.one_way + x.kernel));
    end_transfers(&x);
}

Test(cudart, two_directions_at_once_are_slower)
{
    struct transfers x = begin_transfers();
    double rate = device_profile()->pcie_both_gbps * 1e6;

    OK(cudaMemcpyAsync(x.on_device, x.pinned, BIG, cudaMemcpyHostToDevice, x.s));
    OK(cudaMemcpyAsync(x.pinned, x.on_device2, BIG, cudaMemcpyDeviceToHost, x.t));
    cr_assert_gt(warplabSpanMs(), BIG / rate);
    cr_assert_lt(warplabSpanMs(), 1.05 * BIG / rate);
    end_transfers(&x);
}

Test(cudart, pageable_copies_keep_the_host_waiting)
{
    struct transfers x = begin_transfers();
    double start, end;

    OK(cudaMemcpyAsync(x.on_device, x.pageable, BIG, cudaMemcpyHostToDevice, x.s));
    double alone = warplabSpanMs();
    cr_assert_gt(alone, 2 * x.one_way);
    OK(launch((int *)x.on_device2, 16384, 256, 0, x.t));
    warplabLastWork(&start, &end);
    cr_assert(near(start, alone), "the kernel is issued when the copy is over: %g, %g", start,
              alone);
    end_transfers(&x);
}

/* A kernel that writes managed memory: by its pages, after a prefetch as fast as ever, and again
 * when the host has looked at it. */
Test(cudart, managed_memory_moves_once)
{
    struct cudaMemLocation here = {.type = cudaMemLocationTypeDevice, .id = 0},
                           host = {.type = cudaMemLocationTypeHost};
    struct transfers x = begin_transfers();
    double faults = model_fault_ms(device_profile(), BIG, true);
    int *managed;

    OK(cudaMallocManaged((void **)&managed, BIG, cudaMemAttachGlobal));
    OK(launch(managed, 16384, 256, 0, 0));
    double first = warplabSpanMs();
    cr_assert(fabs(first - faults - x.kernel) < 0.01 * faults, "%g %g", first, faults);
    OK(cudaDeviceSynchronize());
    warplabReset();
    OK(launch(managed, 16384, 256, 0, 0));
    double second = warplabSpanMs();
    cr_assert(near(second, x.kernel), "%g %g", second, x.kernel);
    warplabHostTouch(managed, BIG);
    cr_assert_gt(warplabSpanMs(), 0.99 * model_fault_ms(device_profile(), BIG, false));
    OK(cudaDeviceSynchronize());
    warplabReset();
    OK(cudaMemPrefetchAsync(managed, BIG, here, 0, 0));
    double moving =
        model_copy_ms(device_profile(), BIG, (struct copy_path){COPY_IN, MANAGED_MEMORY});
    cr_assert(near(warplabSpanMs(), moving), "%g", warplabSpanMs());
    OK(launch(managed, 16384, 256, 0, 0));
    cr_assert(near(warplabSpanMs(), moving + x.kernel));
    OK(cudaMemPrefetchAsync(managed, BIG, host, 0, 0));
    OK(cudaDeviceSynchronize());
    warplabReset();
    warplabHostTouch(managed, BIG);
    cr_assert(near(warplabSpanMs(), 0), "it is there already");
    OK(cudaFree(managed));
    end_transfers(&x);
}

Test(cudart, mapped_memory_is_as_fast_as_the_bus)
{
    struct transfers x = begin_transfers();
    double bus = BIG / (device_profile()->mapped_gbps * 1e6);

    OK(launch((int *)x.pinned, 16384, 256, 0, 0));
    cr_assert(warplabSpanMs() > bus && warplabSpanMs() < 1.1 * bus, "%g %g", warplabSpanMs(), bus);
    end_transfers(&x);
}

Test(cudart, no_more_memory_is_pinned_than_there_is)
{
    void *p = &p;

    GIVES(cudaMallocHost(&p, 1ull << 46), cudaErrorMemoryAllocation);
    cr_assert_null(p);
}

Test(cudart, a_lack_of_addresses_is_told_as_one)
{
    void *p;

    GIVES(cudaMalloc(&p, 1ull << 38), cudaErrorMemoryAllocation);
    cr_assert(strstr(emu_error_text(), "of the device's in use"), "%s", emu_error_text());
    for (uint64_t n = mem_window(); n > 1 << 20; n /= 2)
        mem_reserve(0, n);
    GIVES(cudaMalloc(&p, 1ull << 30), cudaErrorMemoryAllocation);
    cr_assert(strstr(emu_error_text(), "cudaMalloc: 1073741824 bytes asked for, no room in a "),
              "%s", emu_error_text());
}

Test(cudart, launch_attributes)
{
    int value = 1;
    void *args[] = {&device, &value};
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeClusterDimension,
                             .val.clusterDim = {2, 1, 1}};
    cudaLaunchConfig_t c = {
        .gridDim = {4, 1, 1}, .blockDim = {32, 1, 1}, .attrs = &a, .numAttrs = 1};

    OK(cudaLaunchKernelExC(&c, fill, args));
    a.val.clusterDim.x = 0;
    GIVES(cudaLaunchKernelExC(&c, fill, args), cudaErrorInvalidClusterSize);
    a.val.clusterDim.y = a.val.clusterDim.z = 0; /* none given */
    OK(cudaLaunchKernelExC(&c, fill, args));
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    a.val.clusterDim.x = 3;
    GIVES(cudaLaunchKernelExC(&c, fill, args), cudaErrorInvalidClusterSize);
    a.val.clusterDim.x = 16;
    c.gridDim.x = 16;
    GIVES(cudaLaunchKernelExC(&c, fill, args), cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute(fill, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaLaunchKernelExC(&c, fill, args));
    GIVES(cudaLaunchKernelExC(NULL, fill, args), cudaErrorInvalidConfiguration);
}

Test(cudart, occupancy)
{
    int blocks;
    size_t shared;

    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1024, 0));
    cr_assert_eq(blocks, 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1025, 0));
    cr_assert_eq(blocks, 0);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, fill, 2, 1024));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1024, shared));
    cr_assert_eq(blocks, 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1024, shared + 1024));
    cr_assert_eq(blocks, 1);
    GIVES(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, fill, 32, 0), cudaErrorInvalidValue);
}

Test(cudart, device_is_the_profile)
{
    struct cudaDeviceProp p;
    int value;

    OK(cudaGetDeviceProperties(&p, 0));
    cr_assert_str_eq(p.name, "NVIDIA H200");
    cr_assert(p.major == 9 && p.multiProcessorCount == 132 && p.warpSize == 32);
    cr_assert_eq(p.maxGridSize[0], 2147483647);
    cr_assert(p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
    cr_assert(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024);
    cr_assert_eq(p.maxThreadsDim[2], 64);
    cr_assert(p.maxThreadsPerBlock == 1024 && p.maxThreadsPerMultiProcessor == 2048);
    cr_assert(p.maxBlocksPerMultiProcessor == 32 && p.regsPerMultiprocessor == 65536);
    cr_assert(p.sharedMemPerBlock == 49152 && p.sharedMemPerBlockOptin == 232448);
    cr_assert(p.sharedMemPerMultiprocessor == 233472 && p.reservedSharedMemPerBlock == 1024);
    cr_assert(p.memoryBusWidth == 6016 && p.l2CacheSize == 62914560 && p.totalConstMem == 65536);
    cr_assert(p.cooperativeLaunch && p.unifiedAddressing && p.clusterLaunch && !p.integrated);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryClockRate, 0));
    cr_assert_eq(value, 3201000);
    GIVES(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0), cudaErrorInvalidValue);
    GIVES(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
    GIVES(cudaGetDeviceProperties(&p, -1), cudaErrorInvalidDevice);
    GIVES(cudaSetDevice(1), cudaErrorInvalidDevice);
    OK(cudaRuntimeGetVersion(&value));
    cr_assert_eq(value, 13000);
}

Test(cudart, pools_count_what_they_gave)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location = {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t pool;
    uint64_t used;
    void *p;

    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync(&p, 1000, pool, 0));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    cr_assert_eq(used, 1000);
    OK(cudaFreeAsync(p, 0));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    cr_assert_eq(used, 0);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
    cr_assert_eq(used, 1000);
    OK(cudaMemPoolDestroy(pool));
    GIVES(cudaMallocFromPoolAsync(&p, 1000, pool, 0), cudaErrorInvalidValue);
}

/* A function that calls itself has the stack that it is given, 512 KiB a thread at the most. */
Test(cudart, stack_limit)
{
    static const char dive[] =
        ".version 9.0\n.target sm_75\n.address_size 64\n"
        ".func down(.param .u32 n);\n"
        ".func down(.param .u32 n)\n{\n    .local .align 4 .b8 room[1000];\n"
        "    .reg .b32 %r<3>;\n    .reg .pred %p1;\n    .reg .b64 %rd1;\n"
        "    ld.param.u32 %r1, [n];\n    setp.eq.u32 %p1, %r1, 0;\n    @%p1 ret;\n"
        "    cvta.local.u64 %rd1, room;\n    st.u32 [%rd1], %r1;\n    sub.u32 %r2, %r1, 1;\n"
        "    {\n    .param .u32 p;\n    st.param.u32 [p], %r2;\n    call.uni down, (p);\n    }\n"
        "    ret;\n}\n"
        ".visible .entry dive(.param .u32 n)\n{\n    .reg .b32 %r1;\n    ld.param.u32 %r1, [n];\n"
        "    {\n    .param .u32 p;\n    st.param.u32 [p], %r1;\n    call.uni down, (p);\n    }\n"
        "    ret;\n}\n";
    size_t value = 0;
    unsigned calls = 10;
    void *args[] = {&calls};
    cudaLibrary_t l;
    cudaKernel_t k;

    OK(cudaDeviceSetLimit(cudaLimitStackSize, 512 << 10));
    GIVES(cudaDeviceSetLimit(cudaLimitStackSize, (512 << 10) + 1), cudaErrorInvalidValue);
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    cr_assert_eq(value, 512 << 10);
    OK(cudaLibraryLoadData(&l, dive, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&k, l, "dive"));
    OK(cudaLaunchKernel(k, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 9 << 10));
    OK(cudaLaunchKernel(k, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
    GIVES(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

Test(cudart, what_is_not_supported_says_so)
{
    const void *table;
    cudaArray_t array;
    struct cudaChannelFormatDesc d = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);

    GIVES(cudaGetExportTable(&table, NULL), cudaErrorNotSupported);
    GIVES(cudaMallocArray(&array, &d, 4, 4, cudaArraySparse), cudaErrorNotSupported);
    GIVES(cudaGetLastError(), cudaErrorNotSupported);
}

/* Once, with what to use instead. */
Test(cudart, what_is_not_supported_is_told_once)
{
    cudaArray_t array;
    struct cudaChannelFormatDesc d = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    char path[] = "/tmp/saidXXXXXX", text[4096] = "";
    int fd = mkstemp(path);

    cr_assert(fd >= 0 && freopen(path, "w", stderr));
    for (int k = 0; k < 3; k++)
        GIVES(cudaMallocArray(&array, &d, 4, 4, cudaArraySparse), cudaErrorNotSupported);
    fflush(stderr);
    cr_assert_gt(read(fd, text, sizeof(text) - 1), 0);
    unlink(path);
    char *said = strstr(text, "cudaMallocArray: sparse arrays");
    cr_assert(said && strstr(said, "leave the flag out"), "%s", text);
    cr_assert(!strstr(strchr(said, '\n'), "sparse arrays"), "%s", text);
}

Test(cudart, error_texts)
{
    cr_assert_str_eq(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    cr_assert_str_eq(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered");
    cr_assert_str_eq(cudaGetErrorString(cudaSuccess), "no error");
    cr_assert_str_eq(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
}

Test(cudart, sums_since_the_reset)
{
    warplabReset();
    OK(launch(device, 2, 64, 0, 0));
    OK(launch(device, 1, 32, 0, 0));
    cr_assert_eq(warplabCounter("global_st_requests"), 5);
    cr_assert_eq(warplabCounter("global_st_bytes"), 5 * 128);
    cr_assert_eq(warplabCounter("none"), UINT64_MAX);
    cr_assert_gt(warplabModelledMs(), 0);
    cr_assert(warplabOccupancy() > 0 && warplabOccupancy() <= 1);
    warplabReset();
    cr_assert_eq(warplabCounter("global_st_requests"), 0);
}

/* seen(u64 *p, u64 bytes): p: how often it ran, by three variables, one of them inside of it;
 * %gridid; what malloc(bytes) gives, unless that is 0. */
static const char counting[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                               ".extern .func (.param .b64 m) malloc(.param .b64 bytes);\n"
                               ".global .u64 count = 40;\n"
                               ".global .u64 there = count;\n"
                               ".global .u64 sum;\n"
                               ".visible .entry seen(.param .u64 p, .param .u64 bytes)\n"
                               "{\n"
                               "    .global .u64 own = 7;\n"
                               "    .reg .pred %p;\n"
                               "    .reg .b64 %rd<10>;\n"
                               "    ld.param.u64 %rd1, [p];\n"
                               "    ld.param.u64 %rd7, [bytes];\n"
                               "    cvta.to.global.u64 %rd1, %rd1;\n"
                               "    ld.global.u64 %rd2, [there];\n"
                               "    atom.global.add.u64 %rd3, [%rd2], 1;\n"
                               "    atom.global.add.u64 %rd4, [sum], 1;\n"
                               "    atom.global.add.u64 %rd5, [own], 1;\n"
                               "    mov.u64 %rd6, %gridid;\n"
                               "    st.global.v2.u64 [%rd1], {%rd3, %rd4};\n"
                               "    st.global.v2.u64 [%rd1+16], {%rd5, %rd6};\n"
                               "    setp.eq.u64 %p, %rd7, 0;\n"
                               "    @%p ret;\n"
                               "    st.global.u64 [there], %rd1;\n"
                               "    {\n"
                               "    .param .b64 b; .param .b64 m;\n"
                               "    st.param.b64 [b], %rd7;\n"
                               "    call.uni (m), malloc, (b);\n"
                               "    ld.param.b64 %rd8, [m];\n"
                               "    }\n"
                               "    st.global.u64 [%rd1+32], %rd8;\n"
                               "    ret;\n"
                               "}\n";

static void look(cudaKernel_t seen, uint64_t bytes, uint64_t told[5], int **p)
{
    void *args[] = {p, &bytes};

    OK(cudaMalloc((void **)p, 40));
    OK(cudaLaunchKernel(seen, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
    OK(cudaMemcpy(told, *p, 40, cudaMemcpyDeviceToHost));
    OK(cudaFree(*p));
}

Test(cudart, what_ran_before_cannot_be_told)
{
    uint64_t first[5], again[5];
    cudaLibrary_t l;
    cudaKernel_t seen;
    int *at, *later;

    OK(cudaLibraryLoadData(&l, counting, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&seen, l, "seen"));
    look(seen, 0, first, &at);
    look(seen, 0, again, &later);
    cr_expect(later > at && again[3] == first[3] + 1);
    warplabRenew();
    look(seen, 100, first, &later);
    cr_expect(later == at && first[0] == 42 && first[1] == 2 && first[2] == 9 && first[3] == 1);
    warplabRenew(); /* with what malloc() gave goes what may know of it */
    look(seen, 100, again, &later);
    cr_expect(later == at && again[0] == 40 && again[1] == 0 && again[2] == 7 && again[3] == 1);
    cr_expect_eq(again[4], first[4]);
}

Test(cudart, sizes_that_wrap_are_refused)
{
    static char host[4096];
    const size_t half = (size_t)1 << 63;
    struct cudaPitchedPtr deep = {device, half, 8, 8};

    GIVES(cudaMemcpy(device, host, SIZE_MAX, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy2D(device, half, host, half, 8, 3, cudaMemcpyHostToDevice),
          cudaErrorInvalidValue);
    GIVES(
        cudaMemcpy2D(device, SIZE_MAX, host, SIZE_MAX, SIZE_MAX, SIZE_MAX, cudaMemcpyHostToDevice),
        cudaErrorInvalidValue);
    GIVES(cudaMemcpy(host, host, SIZE_MAX - 8, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    GIVES(cudaMemset2D(device, half, 1, 8, 3), cudaErrorInvalidValue);
    GIVES(cudaMemset3D(deep, 1, (struct cudaExtent){8, 4, 1}), cudaErrorInvalidValue);
    GIVES(cudaHostRegister(host, SIZE_MAX, 0), cudaErrorInvalidValue);
}

static void *hold_launches(void *pipe)
{
    launch_pause(); /* as a kernel of this thread would */
    cr_assert_eq(write(((int *)pipe)[1], "x", 1), 1);
    pause();
    return NULL;
}

/* Its worker threads and locks are not there in the child: no hang, an error. */
Test(cudart, a_fork_during_a_launch, .timeout = 20)
{
    int ends[2], status;
    char c;
    pthread_t other;

    OK(launch(device, 2, 32, 0, 0));
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(pthread_create(&other, NULL, hold_launches, ends), 0);
    cr_assert_eq(read(ends[0], &c, 1), 1);
    pid_t child = fork();
    if (child == 0)
        _exit(launch(device, 2, 32, 0, 0) == cudaErrorInitializationError &&
                      cudaFree(device) == cudaSuccess
                  ? 0
                  : 1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
}

/* Of tiles, interleaved and not, and of images: none where a driver makes none. */
Test(cudart, tensor_maps_are_made_and_refused)
{
    typedef unsigned encode(void *, unsigned, unsigned, void *, const uint64_t *, const uint64_t *,
                            const uint32_t *, const uint32_t *, unsigned, unsigned, unsigned,
                            unsigned);
    const uint64_t extent[3] = {64, 8, 8}, stride[2] = {128, 1024};
    const uint32_t box[3] = {16, 4, 4}, step[3] = {1, 1, 1};
    _Alignas(64) char map[128], address[32];
    enum cudaDriverEntryPointQueryResult found;
    typedef unsigned encode_image(void *, unsigned, unsigned, void *, const uint64_t *,
                                  const uint64_t *, const int *, const int *, unsigned, unsigned,
                                  const uint32_t *, unsigned, unsigned, unsigned, unsigned);
    const int low[1] = {-1}, high[1] = {0}, far[1] = {-32769};
    encode *tiled;
    encode_image *image;
    void *f;

    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, 0, &found));
    memcpy(&tiled, &f, sizeof(f));
    cr_expect_eq(tiled(map, 6, 3, address, extent, stride, box, step, 0, 0, 0, 0), 0);
    cr_expect_eq(tiled(map, 6, 3, address, extent, stride, box, step, 2, 0, 0, 0), 0);
    cr_expect_eq(tiled(map, 6, 3, address + 16, extent, stride, box, step, 2, 0, 0, 0), 1);
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &f, 12000, 0, &found));
    memcpy(&image, &f, sizeof(f));
    cr_expect_eq(image(map, 6, 3, address, extent, stride, low, high, 16, 9, step, 0, 0, 0, 0), 0);
    cr_expect_eq(image(map, 6, 3, address, extent, stride, far, high, 16, 9, step, 0, 0, 0, 0), 1);
    cr_expect_eq(image(map, 6, 3, address, extent, stride, NULL, high, 16, 9, step, 0, 0, 0, 0), 1);
    GIVES(cudaGetDriverEntryPointByVersion("cuTensorMapReplaceAddress", &f, 12000, 0, &found),
          cudaErrorNotSupported);
    cr_expect(strstr(emu_error_text(), "cuTensorMapReplaceAddress"), "%s", emu_error_text());
    cr_expect_null(f);
}
