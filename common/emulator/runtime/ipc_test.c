/* ipc_test.c - memory, events and pools that processes share. */
#include "cudart.h"
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK(call)           cr_assert_eq((call), cudaSuccess, "%s", #call)
#define GIVES(call, error) cr_assert_str_eq(cudaGetErrorName(call), #error, "%s", #call)

enum { N = 5000 }; /* more than a page, no multiple of it */

static uint8_t *device;

/* The child's exit status; what OK() says in it is seen on stderr. */
static int run(int (*child)(const void *arg), const void *arg)
{
    int status;
    pid_t pid = fork();

    if (!pid)
        _exit(child(arg));
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int byte_at(const uint8_t *p, size_t i)
{
    uint8_t value;

    OK(cudaMemcpy(&value, p + i, 1, cudaMemcpyDeviceToHost));
    return value;
}

/* Reads what is there, writes 7. */
static int writes(const void *handle)
{
    uint8_t *p, *again;
    cudaIpcMemHandle_t h;

    memcpy(&h, handle, sizeof(h));
    if (cudaIpcOpenMemHandle((void **)&p, h, 0) != cudaErrorInvalidValue)
        return 1;
    if (cudaIpcOpenMemHandle((void **)&p, h, cudaIpcMemLazyEnablePeerAccess) || p == device)
        return 2;
    if (cudaIpcOpenMemHandle((void **)&again, h, cudaIpcMemLazyEnablePeerAccess) || again != p)
        return 3;
    if (byte_at(p, N - 1) != 3 || cudaMemset(p, 7, N))
        return 4;
    if (cudaFree(p) != cudaErrorInvalidValue || cudaIpcCloseMemHandle(p) || byte_at(p, 0) != 7)
        return 5;
    if (cudaIpcCloseMemHandle(p) || cudaIpcCloseMemHandle(p) != cudaErrorInvalidValue)
        return 6;
    return cudaMemset(p, 0, 1) == cudaErrorInvalidValue ? 0 : 7;
}

Test(ipc, memory_is_one_for_both)
{
    cudaIpcMemHandle_t h, same;
    void *p;

    OK(cudaMalloc((void **)&device, N));
    OK(cudaMemset(device, 3, N));
    GIVES(cudaIpcGetMemHandle(&h, &h), cudaErrorInvalidValue);
    OK(cudaIpcGetMemHandle(&h, device));
    OK(cudaIpcGetMemHandle(&same, device));
    cr_assert_arr_eq(&h, &same, sizeof(h));
    cr_assert_eq(byte_at(device, 1), 3);
    GIVES(cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess),
          cudaErrorDeviceUninitialized);
    cr_assert_eq(run(writes, &h), 0);
    cr_assert(byte_at(device, 0) == 7 && byte_at(device, N - 1) == 7);
    OK(cudaFree(device));
    h.reserved[8] ^= 1;
    GIVES(cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess), cudaErrorNotPermitted);
    memset(&h, 0, sizeof(h));
    GIVES(cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidValue);
}

static int cannot_open(const void *handle)
{
    cudaIpcMemHandle_t h;
    void *p;

    memcpy(&h, handle, sizeof(h));
    return cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess) == cudaErrorNotPermitted ? 0
                                                                                                : 1;
}

/* Freed memory is nobody's, whatever its handle says; what comes after it has another. */
Test(ipc, handles_go_with_their_memory)
{
    cudaIpcMemHandle_t h, other;

    OK(cudaMalloc((void **)&device, 64));
    OK(cudaIpcGetMemHandle(&h, device));
    OK(cudaFree(device));
    cr_assert_eq(run(cannot_open, &h), 0);
    OK(cudaMalloc((void **)&device, 64));
    OK(cudaIpcGetMemHandle(&other, device));
    cr_assert(memcmp(&h, &other, sizeof(h)));
    cr_assert_eq(run(cannot_open, &h), 0);
}

/* What is mapped stays when the process that made it is killed; its handle is worth nothing. */
Test(ipc, memory_outlives_its_process)
{
    cudaIpcMemHandle_t h;
    int pipes[2];
    uint8_t *p;

    cr_assert_eq(pipe(pipes), 0);
    pid_t pid = fork();
    if (!pid) {
        if (cudaMalloc((void **)&p, N) || cudaMemset(p, 9, N) || cudaIpcGetMemHandle(&h, p) ||
            write(pipes[1], &h, sizeof(h)) != sizeof(h))
            _exit(1);
        for (;;)
            pause();
    }
    cr_assert_eq(read(pipes[0], &h, sizeof(h)), sizeof(h));
    OK(cudaIpcOpenMemHandle((void **)&p, h, cudaIpcMemLazyEnablePeerAccess));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    cr_assert_eq(byte_at(p, N - 1), 9);
    OK(cudaMemset(p, 1, N));
    OK(cudaIpcCloseMemHandle(p));
    GIVES(cudaIpcOpenMemHandle((void **)&p, h, cudaIpcMemLazyEnablePeerAccess),
          cudaErrorNotPermitted);
}

static int waits(const void *handle)
{
    cudaIpcEventHandle_t h;
    cudaEvent_t event;
    float ms;

    memcpy(&h, handle, sizeof(h));
    if (cudaIpcOpenEventHandle(&event, h) || cudaStreamWaitEvent(0, event, 0) ||
        cudaEventRecord(event, 0) || cudaEventSynchronize(event))
        return 1;
    if (cudaEventElapsedTime(&ms, event, event) != cudaErrorInvalidResourceHandle)
        return 2;
    return cudaEventDestroy(event) ? 3 : 0;
}

Test(ipc, events_are_known_to_both)
{
    cudaEvent_t event, plain;
    cudaIpcEventHandle_t h;
    int supported;

    OK(cudaDeviceGetAttribute(&supported, cudaDevAttrIpcEventSupport, 0));
    cr_assert_eq(supported, 1);
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaEventCreate(&plain));
    GIVES(cudaIpcGetEventHandle(&h, plain), cudaErrorInvalidResourceHandle);
    OK(cudaIpcGetEventHandle(&h, event));
    OK(cudaEventRecord(event, 0));
    cr_assert_eq(run(waits, &h), 0);
    OK(cudaEventDestroy(event));
    cr_assert_eq(run(waits, &h), 1);
}

/* ---- pools ---- */

struct shared_pool {
    int file;
    struct cudaMemPoolPtrExportData data;
};

static int imports(const void *arg)
{
    const struct shared_pool *s = arg;
    struct cudaMemPoolPtrExportData data = s->data;
    cudaMemPool_t pool;
    uint8_t *p;

    if (cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)s->file,
                                             cudaMemHandleTypePosixFileDescriptor, 0))
        return 1;
    if (cudaMallocFromPoolAsync((void **)&p, 16, pool, 0) != cudaErrorInvalidValue ||
        cudaDeviceSetMemPool(0, pool) != cudaErrorInvalidValue)
        return 2;
    if (cudaMemPoolImportPointer((void **)&p, pool, &data) || byte_at(p, N - 1) != 4)
        return 3;
    if (cudaMemset(p, 5, N) || cudaFreeAsync(p, 0) || cudaMemset(p, 5, N) != cudaErrorInvalidValue)
        return 4;
    data.reserved[0] ^= 1;
    return cudaMemPoolImportPointer((void **)&p, pool, &data) == cudaErrorInvalidValue ? 0 : 5;
}

Test(ipc, pools_are_shared_by_file_descriptor)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .handleTypes = cudaMemHandleTypePosixFileDescriptor,
                                     .location = {cudaMemLocationTypeDevice, 0}};
    struct shared_pool s;
    cudaMemPool_t pool, own;
    cudaIpcMemHandle_t h;
    uint8_t *first;

    OK(cudaDeviceGetDefaultMemPool(&own, 0));
    GIVES(cudaMemPoolExportToShareableHandle(&s.file, own, cudaMemHandleTypePosixFileDescriptor, 0),
          cudaErrorInvalidValue);
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMemPoolExportToShareableHandle(&s.file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    OK(cudaMallocFromPoolAsync((void **)&first, N, pool, 0));
    OK(cudaMallocFromPoolAsync((void **)&device, N, pool, 0));
    OK(cudaMemset(first, 1, N));
    OK(cudaMemset(device, 4, N));
    GIVES(cudaIpcGetMemHandle(&h, device), cudaErrorInvalidValue);
    OK(cudaMemPoolExportPointer(&s.data, device));
    cr_assert_eq(run(imports, &s), 0);
    cr_assert(byte_at(device, 0) == 5 && byte_at(first, N - 1) == 1);
    OK(cudaFreeAsync(first, 0));
    OK(cudaFree(device));
    OK(cudaMallocFromPoolAsync((void **)&device, N, pool, 0));
    cr_assert_eq(byte_at(device, 0), 0);
    OK(cudaMemPoolDestroy(pool));
    cr_assert_eq(byte_at(device, 0), 0);
    OK(cudaFree(device));
    close(s.file);
}
