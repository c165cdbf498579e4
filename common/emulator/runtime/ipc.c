/* ipc.c - memory and events of other processes.
 *
 * A handle is of a whole allocation, whatever address in it is given. Memory that is exported moves
 * to a file that processes share (share.h); what is not costs nothing. Whoever opens a handle maps
 * that file: kernels of all see each other's writes, atomics included. Work is done when it is
 * issued, so that a shared event has nothing to say but that there is one.
 *
 * Not modelled: that a process waits, in modelled time, for another's event; what --check would
 * have to know of other processes' accesses: shared memory counts as written. No other thread may
 * copy to or from memory just while it is first exported.
 */
#include "emulator/check/check.h"
#include "graph.h"
#include "hold.h"
#include "share.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(struct ticket) <= CUDA_IPC_HANDLE_SIZE, "a ticket is a handle");

struct import { /* opened here, by a device */
    struct import *next;
    uint64_t key[2], addr;
    int device;
    unsigned opened;
};

static struct import *imports;
static pthread_mutex_t ipc_lock = PTHREAD_MUTEX_INITIALIZER;

/* A ticket for the file, as a handle of either kind is one. */
static cudaError_t hand_out(void *handle, int file, enum share_kind kind)
{
    struct share s;

    if (!share_read(file, &s, kind))
        return cudaErrorMapBufferObjectFailed;
    struct ticket t = share_ticket(&s, file);
    memset(handle, 0, CUDA_IPC_HANDLE_SIZE);
    memcpy(handle, &t, sizeof(t));
    return cudaSuccess;
}

/* ---- exporting memory ---- */

/* Its contents go to a file; what is there already stays as it is. */
static cudaError_t move_out(const struct mem_alloc *a)
{
    struct share s;
    uint64_t mapped;
    int file = share_new(&s, SHARE_MEMORY, a->size, a->device);
    void *host = file < 0 ? NULL : share_map(file, 0, a->size, &mapped);

    if (!host) {
        if (file >= 0)
            close(file);
        return emu_fail(cudaErrorMapBufferObjectFailed,
                        "cudaIpcGetMemHandle: the system has no room for %lu shared bytes",
                        a->size);
    }
    launch_pause();
    mem_move(a->addr, host, mapped, file);
    launch_resume();
    check_host_write(a->addr, a->size);
    return cudaSuccess;
}

static cudaError_t export_memory(cudaIpcMemHandle_t *handle, void *p)
{
    const struct mem_alloc *a = mem_find((uint64_t)p);
    cudaError_t e = cudaSuccess;

    if (!handle || !p)
        return cudaErrorInvalidValue;
    if (!a || a->kind != MEM_DEVICE || a->reserved || pool_owns(a->addr))
        return emu_fail(cudaErrorInvalidValue,
                        "cudaIpcGetMemHandle: %p is not in memory from cudaMalloc", p);
    if (a->file < 0)
        e = move_out(a);
    return e ?: hand_out(handle, a->file, SHARE_MEMORY);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p)
{
    cudaError_t e = rt_enter();

    pthread_mutex_lock(&ipc_lock);
    hold_not_alone();
    e = e ?: export_memory(handle, p);
    pthread_mutex_unlock(&ipc_lock);
    return rt_leave(e);
}

/* ---- importing memory ---- */

static bool is_there(const struct import *i)
{
    const struct mem_alloc *a = mem_find(i->addr);

    return a && a->addr == i->addr && a->kind == MEM_IMPORTED;
}

/* What a reset of the device took away is forgotten. */
static struct import *find_import(const struct ticket *t, uint64_t addr)
{
    for (struct import **p = &imports, *i; (i = *p);) {
        if (!is_there(i)) {
            *p = i->next;
            free(i);
            continue;
        }
        if (t ? !memcmp(i->key, t->key, sizeof(i->key)) && i->device == rt_device : i->addr == addr)
            return i;
        p = &i->next;
    }
    return NULL;
}

/* As cudaDeviceEnablePeerAccess() would, where that was not asked for yet. */
static cudaError_t reach(int device)
{
    int can = device == rt_device;

    if (!can)
        cudaDeviceCanAccessPeer(&can, rt_device, device);
    if (!can)
        return cudaErrorPeerAccessUnsupported;
    if (device != rt_device)
        mem_peer((unsigned)rt_device, (unsigned)device, true);
    return cudaSuccess;
}

static cudaError_t map_import(void **out, int file, const struct share *s)
{
    cudaError_t e = rt_is_device(s->device) ? reach(s->device) : cudaErrorInvalidResourceHandle;

    if (e)
        return emu_fail(e,
                        "cudaIpcOpenMemHandle: memory of device %d, which device %d does not "
                        "reach here",
                        s->device, rt_device);
    struct mem_alloc *a = share_adopt(file, 0, s->size, s->device, MEM_IMPORTED);
    if (!a)
        return emu_fail(cudaErrorMapBufferObjectFailed,
                        "cudaIpcOpenMemHandle: no room for %lu bytes", s->size);
    struct import *i = xcalloc(1, sizeof(*i));
    *i = (struct import){imports, {s->key[0], s->key[1]}, a->addr, rt_device, 1};
    imports = i;
    *out = (void *)a->addr;
    return cudaSuccess;
}

static cudaError_t import_memory(void **out, const struct ticket *t, unsigned flags)
{
    struct share s;

    if (!out || flags != cudaIpcMemLazyEnablePeerAccess)
        return cudaErrorInvalidValue;
    struct import *i = find_import(t, 0);
    if (i) {
        i->opened++;
        *out = (void *)i->addr;
        return cudaSuccess;
    }
    int file = share_open(t, &s, SHARE_MEMORY);
    if (file < 0)
        return emu_fail(share_is_ticket(t, SHARE_MEMORY) ? cudaErrorNotPermitted
                                                         : cudaErrorInvalidValue,
                        "cudaIpcOpenMemHandle: no such memory: the handle is none, or its memory "
                        "was freed, or process %d has ended",
                        t->pid);
    cudaError_t e = t->pid == getpid()
                        ? emu_fail(cudaErrorDeviceUninitialized,
                                   "cudaIpcOpenMemHandle: the memory is this process's own")
                        : map_import(out, file, &s);
    close(file);
    return e;
}

cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags)
{
    struct ticket t;
    cudaError_t e = rt_enter();

    memcpy(&t, &handle, sizeof(t));
    pthread_mutex_lock(&ipc_lock);
    hold_not_alone();
    e = e ?: import_memory(out, &t, flags);
    pthread_mutex_unlock(&ipc_lock);
    return rt_leave(e);
}

static cudaError_t close_memory(void *p)
{
    struct import *i = find_import(NULL, (uint64_t)p);

    if (!p || !i)
        return cudaErrorInvalidValue;
    if (--i->opened)
        return cudaSuccess;
    launch_pause();
    check_free(i->addr);
    mem_free(i->addr);
    launch_resume();
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *p)
{
    cudaError_t e = rt_enter();

    pthread_mutex_lock(&ipc_lock);
    e = e ?: close_memory(p);
    pthread_mutex_unlock(&ipc_lock);
    return rt_leave(e);
}

/* ---- events ---- */

static cudaError_t export_event(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    int file;

    if (!handle || !event)
        return cudaErrorInvalidValue;
    return event_share(event, &file) ?: hand_out(handle, file, SHARE_EVENT);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    return rt_leave(rt_enter() ?: export_event(handle, event));
}

static cudaError_t import_event(cudaEvent_t *event, const struct ticket *t)
{
    struct share s;
    int file;

    if (!event)
        return cudaErrorInvalidValue;
    if ((file = share_open(t, &s, SHARE_EVENT)) < 0)
        return emu_fail(cudaErrorMapBufferObjectFailed,
                        "cudaIpcOpenEventHandle: no such event: the handle is none, or its event "
                        "was destroyed, or process %d has ended",
                        t->pid);
    close(file);
    if (t->pid == getpid())
        return emu_fail(cudaErrorDeviceUninitialized,
                        "cudaIpcOpenEventHandle: the event is this process's own");
    return event_create(event, cudaEventDisableTiming);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    struct ticket t;

    memcpy(&t, &handle, sizeof(t));
    return rt_leave(rt_enter() ?: import_event(event, &t));
}
