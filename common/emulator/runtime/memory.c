/* memory.c - allocating and freeing, and what is known of a pointer.
 *
 * Stream-ordered allocation takes place at once, as all work does. Pools keep statistics
 * and nothing else: freed memory goes back to the device.
 */
#include "emulator/base/describe.h"
#include "emulator/check/check.h"
#include "graph.h"
#include "hold.h"
#include "emulator/count/model.h"
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

#define PITCH_ALIGN 512u /* of cudaMallocPitch */

/* ---- allocating ---- */

cudaError_t rt_no_memory(const char *function, uint64_t size, bool of_the_device)
{
    uint64_t used, all = device_profile()->memory_bytes;

    mem_usage((unsigned)rt_device, &used, NULL);
    if (of_the_device && (size > all || used > all - size))
        return emu_fail(cudaErrorMemoryAllocation,
                        "%s: %lu bytes asked for, %lu of %lu of the device's in use", function,
                        size, used, all);
    return emu_fail(cudaErrorMemoryAllocation,
                    "%s: %lu bytes asked for, no room in a window of %lu bytes of addresses "
                    "(which a limit on address space, ulimit -v, makes smaller)",
                    function, size, mem_window());
}

static cudaError_t allocate(void **out, size_t size, enum mem_kind kind, const char *what)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (size == 0)
        return cudaSuccess;
    struct mem_alloc *a = mem_alloc_on((unsigned)rt_device, size, 256, kind, NULL);
    if (!a)
        return rt_no_memory(what, size, kind != MEM_PINNED);
    *out = (void *)a->addr;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t size)
{
    return rt_leave(rt_enter() ?: allocate(out, size, MEM_DEVICE, "cudaMalloc"));
}

static cudaError_t managed(void **out, size_t size, unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cudaErrorInvalidValue;
    return allocate(out, size, MEM_MANAGED, "cudaMallocManaged");
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned int flags)
{
    return rt_leave(rt_enter() ?: managed(out, size, flags));
}

static cudaError_t pitched(void **out, size_t *pitch, size_t width, size_t height, size_t depth)
{
    size_t row = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN, size;

    if (!out || !pitch || row < width)
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(row, height, &size) || __builtin_mul_overflow(size, depth, &size))
        return cudaErrorMemoryAllocation;
    *pitch = row;
    return allocate(out, size, MEM_DEVICE, "cudaMallocPitch");
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    return rt_leave(rt_enter() ?: pitched(out, pitch, width, height, 1));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    cudaError_t e = rt_enter();

    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        e = pitched(&out->ptr, &out->pitch, extent.width, extent.height, extent.depth);
    if (!e) {
        out->xsize = extent.width;
        out->ysize = extent.height;
    }
    return rt_leave(e);
}

/* ---- host memory; flags are kept to be asked for ---- */

struct host_flags {
    struct host_flags *next;
    uint64_t addr;
    unsigned flags;
};
static struct host_flags *host_flags;

static void flags_keep(uint64_t addr, unsigned flags)
{
    struct host_flags *h = xmalloc(sizeof(*h));

    pthread_mutex_lock(&rt_lock);
    *h = (struct host_flags){host_flags, addr, flags};
    host_flags = h;
    pthread_mutex_unlock(&rt_lock);
}

static void flags_drop(uint64_t addr)
{
    pthread_mutex_lock(&rt_lock);
    for (struct host_flags **p = &host_flags; *p; p = &(*p)->next) {
        struct host_flags *h = *p;

        if (h->addr != addr)
            continue;
        *p = h->next;
        free(h);
        break;
    }
    pthread_mutex_unlock(&rt_lock);
}

static unsigned flags_of(uint64_t addr)
{
    unsigned flags = 0;

    pthread_mutex_lock(&rt_lock);
    for (struct host_flags *h = host_flags; h; h = h->next)
        if (h->addr == addr)
            flags = h->flags;
    pthread_mutex_unlock(&rt_lock);
    return flags;
}

/* Pinned memory cannot be swapped out: there is no more of it than memory. */
static uint64_t memory_of_host(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static cudaError_t host_alloc(void **out, size_t size, unsigned flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;

    if (flags & ~known)
        return cudaErrorInvalidValue;
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (size > memory_of_host())
        return emu_fail(cudaErrorMemoryAllocation,
                        "cudaHostAlloc: %zu bytes to be pinned, of %lu that this machine has", size,
                        memory_of_host());
    cudaError_t e = allocate(out, size, MEM_PINNED, "cudaHostAlloc");
    if (!e && *out)
        flags_keep((uint64_t)*out, flags | cudaHostAllocMapped); /* all of it is, with UVA */
    return e;
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned int flags)
{
    return rt_leave(rt_enter() ?: host_alloc(out, size, flags));
}

cudaError_t cudaMallocHost(void **out, size_t size)
{
    return rt_leave(rt_enter() ?: host_alloc(out, size, cudaHostAllocDefault));
}

static cudaError_t host_register(void *p, size_t size, unsigned flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

    if (!p || !size || flags & ~known || mem_in_window((uint64_t)p) ||
        size > UINT64_MAX - (uint64_t)p)
        return cudaErrorInvalidValue;
    if (flags & cudaHostRegisterIoMemory)
        return emu_fail(cudaErrorNotSupported, "cudaHostRegister: I/O memory is not supported");
    struct mem_alloc *a = mem_register(p, size);
    if (!a)
        return cudaErrorHostMemoryAlreadyRegistered;
    a->device = (uint8_t)rt_device;
    hold_not_alone(); /* it may be mapped by others */
    flags_keep((uint64_t)p, flags | cudaHostRegisterMapped);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
    return rt_leave(rt_enter() ?: host_register(p, size, flags));
}

static cudaError_t host_unregister(void *p)
{
    const struct mem_alloc *a = mem_find((uint64_t)p);

    if (!p)
        return cudaErrorInvalidValue;
    if (!a || a->kind != MEM_REGISTERED || a->addr != (uint64_t)p)
        return cudaErrorHostMemoryNotRegistered;
    flags_drop(a->addr);
    check_free(a->addr);
    mem_free(a->addr);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *p)
{
    return rt_leave(rt_enter() ?: host_unregister(p));
}

static const struct mem_alloc *host_memory(const void *p)
{
    const struct mem_alloc *a = mem_find((uint64_t)p);

    return a && (a->kind == MEM_PINNED || a->kind == MEM_REGISTERED) ? a : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned int flags)
{
    cudaError_t e = rt_enter();

    if (!e && (!out || flags || !host_memory(p)))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = p; /* one address space */
    return rt_leave(e);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *p)
{
    const struct mem_alloc *a = host_memory(p);
    cudaError_t e = rt_enter();

    if (!e && (!flags || !a))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = flags_of(a->addr);
    return rt_leave(e);
}

/* ---- freeing ---- */

/* Why an address cannot be freed, for a person. */
static cudaError_t not_freed(const char *function, const void *p)
{
    struct text where = {0};

    mem_describe(&where, (uint64_t)p);
    emu_fail(cudaErrorInvalidValue, "%s: %p is not the start of memory it can free: %s", function,
             p, text_str(&where));
    text_free(&where);
    return cudaErrorInvalidValue;
}

cudaError_t free_memory(const char *function, void *p, bool host)
{
    const struct mem_alloc *a = mem_find((uint64_t)p);

    if (!p)
        return cudaSuccess;
    if (!a || a->addr != (uint64_t)p)
        return not_freed(function, p);
    if (host ? a->kind != MEM_PINNED
             : a->kind != MEM_DEVICE && a->kind != MEM_MANAGED &&
                   !(a->kind == MEM_IMPORTED && pool_owns(a->addr)))
        return not_freed(function, p);
    if (a->reserved && graph_memory_frees_itself(p))
        return emu_fail(cudaErrorInvalidValue, "%s: %p is freed by the graph that allocates it",
                        function, p);
    if (host)
        flags_drop(a->addr);
    launch_pause();
    check_free(a->addr);
    bool freed = mem_free(a->addr);
    launch_resume();
    if (freed)
        pool_give((uint64_t)p);
    return freed ? cudaSuccess : not_freed(function, p); /* another thread was first */
}

cudaError_t cudaFree(void *p)
{
    return rt_leave(rt_enter() ?: free_memory("cudaFree", p, false));
}

cudaError_t cudaFreeHost(void *p)
{
    return rt_leave(rt_enter() ?: free_memory("cudaFreeHost", p, true));
}

/* ---- asking ---- */

enum side address_side(const void *p, const struct mem_alloc **a)
{
    *a = mem_find((uint64_t)p);
    if (!*a)
        return mem_in_window((uint64_t)p) ? SIDE_DEVICE : SIDE_HOST;
    return (uint64_t)(*a)->host == (*a)->addr ? SIDE_BOTH : SIDE_DEVICE;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)
{
    const struct mem_alloc *a = mem_find((uint64_t)p);
    cudaError_t e = rt_enter();

    if (!out)
        return rt_leave(e ?: cudaErrorInvalidValue);
    memset(out, 0, sizeof(*out));
    out->device = cudaInvalidDeviceId;
    out->hostPointer = mem_in_window((uint64_t)p) ? NULL : (void *)p;
    if (!a)
        return rt_leave(e);
    out->device = a->device;
    out->devicePointer = mem_reaches((unsigned)rt_device, a) ? (void *)p : NULL;
    if (a->kind == MEM_MANAGED)
        out->type = cudaMemoryTypeManaged;
    else if (a->kind == MEM_PINNED || a->kind == MEM_REGISTERED)
        out->type = cudaMemoryTypeHost;
    else
        out->type = cudaMemoryTypeDevice;
    return rt_leave(e);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    uint64_t used = 0;
    cudaError_t e = rt_enter();

    if (e)
        return rt_leave(e);
    mem_usage((unsigned)rt_device, &used, NULL);
    if (total)
        *total = device_profile()->memory_bytes;
    if (available)
        *available = device_profile()->memory_bytes - used;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    uint64_t addr, size;
    cudaError_t e = rt_enter();

    if (!e && !out)
        e = cudaErrorInvalidValue;
    e = e ?: symbol_find(symbol, &addr, &size);
    if (!e)
        *out = (void *)addr;
    return rt_leave(e);
}

cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
    uint64_t addr, size;
    cudaError_t e = rt_enter();

    if (!e && !out)
        e = cudaErrorInvalidValue;
    e = e ?: symbol_find(symbol, &addr, &size);
    if (!e)
        *out = size;
    return rt_leave(e);
}

/* ---- managed memory: hints, of which prefetches take their time ---- */

static cudaError_t managed_range(const void *p, size_t count)
{
    const struct mem_alloc *a = mem_find((uint64_t)p);

    if (!a || a->kind != MEM_MANAGED || count == 0 || count > a->size - ((uint64_t)p - a->addr))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t location(struct cudaMemLocation l)
{
    if (l.type == cudaMemLocationTypeDevice)
        return rt_is_device(l.id) ? cudaSuccess : cudaErrorInvalidDevice;
    return l.type == cudaMemLocationTypeHost || l.type == cudaMemLocationTypeHostNuma ||
                   l.type == cudaMemLocationTypeHostNumaCurrent
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static void prefetch(const void *p, uint64_t count, int device, cudaStream_t stream)
{
    bool to_device = device != cudaCpuDeviceId;
    uint64_t moved = managed_move((uint64_t)p, count, device);
    struct copy_path path = {to_device ? COPY_IN : COPY_OUT, MANAGED_MEMORY};

    if (moved)
        stream_work(stream, to_device ? ENGINE_IN : ENGINE_OUT,
                    model_copy_ms(device_profile(), moved, path));
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, struct cudaMemLocation where,
                                 unsigned int flags, cudaStream_t stream)
{
    cudaError_t e = rt_enter() ?: managed_range(p, count) ?: location(where);

    if (!e && flags)
        e = cudaErrorInvalidValue;
    if (!e && !stream_find(stream))
        e = cudaErrorInvalidResourceHandle;
    e = e ?: capture_bars(stream);
    if (!e)
        prefetch(p, count, where.type == cudaMemLocationTypeDevice ? where.id : cudaCpuDeviceId,
                 stream);
    return rt_leave(e);
}

cudaError_t cudaMemAdvise(const void *p, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation where)
{
    cudaError_t e = rt_enter() ?: managed_range(p, count);

    if (!e && (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy))
        e = cudaErrorInvalidValue;
    if (!e && advice >= cudaMemAdviseSetPreferredLocation &&
        advice != cudaMemAdviseUnsetPreferredLocation)
        e = location(where);
    return rt_leave(e);
}
