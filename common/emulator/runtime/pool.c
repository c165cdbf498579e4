/* pool.c - stream-ordered allocation and memory pools.
 *
 * Work is done when issued, so memory is there at once and gone at once; it never stays
 * in a pool (reserved is what is used). Not modelled: reuse, thresholds.
 *
 * A pool that processes share has its memory in a file (share.h): each allocation at a place of its
 * own, given back to the system when it is freed.
 */
#include "emulator/check/check.h"
#include "graph.h"
#include "hold.h"
#include "share.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct CUmemPoolHandle_st {
    struct CUmemPoolHandle_st *next;
    uint64_t used, high, threshold, max_size;
    int reuse[3]; /* cudaMemPoolReuse…: kept, to be asked for */
    bool is_default, destroyed;
    int device;
    uint16_t reach; /* 1 << device: who else may use what comes from it */
    /* Of a pool that processes share: its file (share.h), -1: it is none; its key; where the next
     * allocation goes. imported: another process's, which alone allocates from it. */
    int file;
    struct share share;
    bool imported;
};

struct owned { /* which pool an address came from */
    struct owned *next;
    uint64_t addr, size, at; /* at: in the pool's file */
    struct CUmemPoolHandle_st *pool;
};

static struct CUmemPoolHandle_st default_pools[MEM_DEVICES] = {
    [0 ... MEM_DEVICES - 1] = {.reuse = {1, 1, 1}, .is_default = true, .file = -1}};
static struct CUmemPoolHandle_st *pools, *current[MEM_DEVICES]; /* NULL: the default */
static struct owned *owned[1024];                               /* by address */

static struct owned **bucket(uint64_t addr)
{
    return &owned[(addr >> 9) % 1024];
}

/* rt_lock held. */
static bool pool_known(const struct CUmemPoolHandle_st *pool)
{
    if (pool >= default_pools && pool < default_pools + MEM_DEVICES)
        return true;
    for (const struct CUmemPoolHandle_st *p = pools; p; p = p->next)
        if (p == pool)
            return !p->destroyed;
    return false;
}

static void pool_take(struct CUmemPoolHandle_st *pool, uint64_t addr, uint64_t size, uint64_t at)
{
    struct owned *o = xmalloc(sizeof(*o)), **b = bucket(addr);

    *o = (struct owned){*b, addr, size, at, pool};
    *b = o;
    pool->used += size;
    if (pool->used > pool->high)
        pool->high = pool->used;
}

static struct CUmemPoolHandle_st *default_of(int device)
{
    default_pools[device].device = device;
    return &default_pools[device];
}

static struct CUmemPoolHandle_st *current_of(int device)
{
    return current[device] ? current[device] : default_of(device);
}

static cudaError_t malloc_on(int device, void **out, size_t size)
{
    int now = rt_device;

    rt_device = device;
    cudaError_t e = cudaMalloc(out, size);
    rt_device = now;
    return e;
}

/* Contents [at, at + size) of the pool's file, at an address here. */
static cudaError_t map_part(struct CUmemPoolHandle_st *pool, void **out, uint64_t at, size_t size,
                            enum mem_kind kind)
{
    struct mem_alloc *a = share_adopt(pool->file, at, size, pool->device, kind);

    *out = a ? (void *)a->addr : NULL;
    return a ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* At the end of the pool's file, which grows. */
static cudaError_t malloc_shared(struct CUmemPoolHandle_st *pool, void **out, size_t size,
                                 uint64_t *at)
{
    pthread_mutex_lock(&rt_lock);
    *at = pool->share.size;
    uint64_t end = *at + (size + SHARE_START - 1) / SHARE_START * SHARE_START;
    bool grown = end >= size && !ftruncate(pool->file, (off_t)(SHARE_START + end));
    if (grown)
        pool->share.size = end;
    pthread_mutex_unlock(&rt_lock);
    cudaError_t e = !grown ? cudaErrorMemoryAllocation
                    : size ? map_part(pool, out, *at, size, MEM_DEVICE)
                           : cudaSuccess;
    if (!e && size)
        check_host_write((uint64_t)*out, size); /* what others write, the checker does not see */
    return e;
}

/* In a capture it is a node, whose address is there at once. */
static bool captures_alloc(void **out, size_t size, struct CUmemPoolHandle_st *pool,
                           cudaStream_t stream, cudaError_t *e)
{
    cudaGraph_t g = capture_graph(stream);
    struct work w;

    if (!g)
        return capture_takes(stream, NULL, e);
    int device = stream_find(stream)->device;
    pthread_mutex_lock(&rt_lock);
    pool = pool ? pool : current_of(device);
    bool known = pool_known(pool);
    pthread_mutex_unlock(&rt_lock);
    struct cudaMemAllocNodeParams p = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, pool->device}},
        .bytesize = size};
    *out = NULL;
    *e = !known ? cudaErrorInvalidValue : size ? work_allocate(&w, &p) : cudaSuccess;
    if (*e || !size)
        return true;
    w.memory->reach = pool->reach;
    capture_takes(stream, &w, e);
    if (!*e)
        *out = (void *)w.memory->addr;
    graph_memory_drop(w.memory);
    return true;
}

static void pool_gave(struct CUmemPoolHandle_st *pool, void *p, size_t size, uint64_t at)
{
    pthread_mutex_lock(&rt_lock);
    pool_take(pool, (uint64_t)p, size, at);
    if (rt_devices() > 1)
        mem_pool_reach((uint64_t)p, pool->reach);
    pthread_mutex_unlock(&rt_lock);
}

static cudaError_t pool_alloc(void **out, size_t size, struct CUmemPoolHandle_st *pool,
                              cudaStream_t stream)
{
    struct CUstream_st *s = stream_find(stream);
    cudaError_t e;

    if (!out)
        return cudaErrorInvalidValue;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (captures_alloc(out, size, pool, stream, &e))
        return e;
    pthread_mutex_lock(&rt_lock);
    pool = pool ? pool : current_of(s->device);
    e = !pool_known(pool) || pool->imported                    ? cudaErrorInvalidValue
        : pool->max_size && pool->used + size > pool->max_size ? cudaErrorMemoryAllocation
                                                               : cudaSuccess;
    pthread_mutex_unlock(&rt_lock);
    *out = NULL;
    uint64_t at = 0;
    e = e
            ?: pool->file < 0 ? malloc_on(pool->device, out, size)
                              : malloc_shared(pool, out, size, &at);
    if (e || !*out)
        return e;
    pool_gave(pool, *out, size, at);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: pool_alloc(out, size, NULL, stream));
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    if (!pool)
        return rt_leave(cudaErrorInvalidValue);
    return rt_leave(rt_enter() ?: pool_alloc(out, size, pool, stream));
}

/* rt_lock held. Nobody asks a pool that is destroyed for its file once nothing of it is left. */
static void file_close(struct CUmemPoolHandle_st *pool)
{
    if (!pool->destroyed || pool->used || pool->file < 0)
        return;
    close(pool->file);
    pool->file = -1;
}

void pool_give(uint64_t addr)
{
    pthread_mutex_lock(&rt_lock);
    for (struct owned **p = bucket(addr); *p; p = &(*p)->next) {
        struct owned *o = *p;

        if (o->addr != addr)
            continue;
        o->pool->used -= o->size;
        if (o->pool->file >= 0 && !o->pool->imported)
            fallocate(o->pool->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      (off_t)(SHARE_START + o->at), (off_t)o->size);
        *p = o->next;
        file_close(o->pool);
        free(o);
        break;
    }
    pthread_mutex_unlock(&rt_lock);
}

/* rt_lock held. */
static const struct owned *owned_at(uint64_t addr)
{
    const struct owned *o = *bucket(addr);

    while (o && o->addr != addr)
        o = o->next;
    return o;
}

bool pool_owns(uint64_t addr)
{
    pthread_mutex_lock(&rt_lock);
    bool owns = owned_at(addr) != NULL;
    pthread_mutex_unlock(&rt_lock);
    return owns;
}

static bool free_later(cudaStream_t stream, void *p)
{
    (void)stream;
    free_memory("cudaFreeAsync", *(void **)p, false);
    return true;
}

static cudaError_t free_async(void *p, cudaStream_t stream)
{
    cudaGraph_t g = capture_graph(stream);
    struct work w;
    cudaError_t e;

    if (!stream_find(stream))
        return cudaErrorInvalidResourceHandle;
    if (!g && (capture_takes(stream, NULL, &e) || hold_later(stream, free_later, &p, sizeof(p))))
        return e;
    if (!g)
        return free_memory("cudaFreeAsync", p, false);
    e = p ? work_release(&w, p, g) : cudaSuccess;
    if (!e && p)
        capture_takes(stream, &w, &e);
    return e;
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: free_async(p, stream));
}

/* ---- pools ---- */

static void pool_add(struct CUmemPoolHandle_st *p)
{
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    pthread_mutex_lock(&rt_lock);
    p->next = pools;
    pools = p;
    pthread_mutex_unlock(&rt_lock);
}

static cudaError_t pool_create(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    if (!out || !props || props->allocType != cudaMemAllocationTypePinned ||
        props->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (!rt_is_device(props->location.id))
        return cudaErrorInvalidDevice;
    if (props->handleTypes & ~cudaMemHandleTypePosixFileDescriptor)
        return emu_fail(cudaErrorNotSupported, "cudaMemPoolCreate: of handles to share a pool by, "
                                               "file descriptors alone are supported");
    struct CUmemPoolHandle_st *p = xcalloc(1, sizeof(*p));
    p->max_size = props->maxSize;
    p->device = props->location.id;
    p->file = props->handleTypes ? share_new(&p->share, SHARE_POOL, 0, p->device) : -1;
    if (props->handleTypes && p->file < 0) {
        free(p);
        return cudaErrorMemoryAllocation;
    }
    pool_add(p);
    *out = p;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    return rt_leave(rt_enter() ?: pool_create(out, props));
}

/* What came from it may still be freed: the pool itself stays, unknown to programs. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    cudaError_t e = rt_enter();

    pthread_mutex_lock(&rt_lock);
    if (!e && (!pool_known(pool) || pool->is_default))
        e = cudaErrorInvalidValue;
    if (!e) {
        pool->destroyed = true;
        file_close(pool);
        if (current[pool->device] == pool)
            current[pool->device] = NULL;
    }
    pthread_mutex_unlock(&rt_lock);
    return rt_leave(e);
}

static cudaError_t pool_check(const struct CUmemPoolHandle_st *pool)
{
    pthread_mutex_lock(&rt_lock);
    bool known = pool_known(pool);
    pthread_mutex_unlock(&rt_lock);
    return known ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep; /* nothing unused is kept */
    return rt_leave(rt_enter() ?: pool_check(pool));
}

static cudaError_t pool_get(struct CUmemPoolHandle_st *p, enum cudaMemPoolAttr attr, void *value)
{
    uint64_t *wide = value;

    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)value = p->reuse[attr - cudaMemPoolReuseFollowEventDependencies];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        *wide = p->threshold;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        *wide = p->used;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        *wide = p->high;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

static cudaError_t pool_set(struct CUmemPoolHandle_st *p, enum cudaMemPoolAttr attr,
                            const void *value)
{
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        p->reuse[attr - cudaMemPoolReuseFollowEventDependencies] = *(const int *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        p->threshold = *(const uint64_t *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (*(const uint64_t *)value != 0) /* can only be reset */
            return cudaErrorInvalidValue;
        p->high = p->used;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = rt_enter() ?: pool_check(pool);

    return rt_leave(e ?: value ? pool_get(pool, attr, value) : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = rt_enter() ?: pool_check(pool);

    return rt_leave(e ?: value ? pool_set(pool, attr, value) : cudaErrorInvalidValue);
}

static cudaError_t on_a_device(const struct cudaMemLocation *l)
{
    if (!l || l->type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    return rt_is_device(l->id) ? cudaSuccess : cudaErrorInvalidDevice;
}

/* A device always has access to its own pools, and cannot lose it; another's is for reading and
 * writing, or none. */
static cudaError_t access_of(const struct CUmemPoolHandle_st *pool,
                             const struct cudaMemAccessDesc *d, uint16_t *reach)
{
    bool both = d && d->flags == cudaMemAccessFlagsProtReadWrite;
    cudaError_t e = d ? on_a_device(&d->location) : cudaErrorInvalidValue;

    if (e)
        return e;
    if (!both && d->flags != cudaMemAccessFlagsProtNone)
        return cudaErrorInvalidValue;
    if (!both && d->location.id == pool->device)
        return cudaErrorInvalidDevice;
    if (d->location.id != pool->device && !(device_profile()->peer_gbps > 0))
        return cudaErrorPeerAccessUnsupported;
    uint16_t bit = (uint16_t)(1u << d->location.id);
    *reach = both ? *reach | bit : *reach & (uint16_t)~bit;
    return cudaSuccess;
}

static void pool_open(struct CUmemPoolHandle_st *pool, uint16_t reach)
{
    pthread_mutex_lock(&rt_lock);
    pool->reach = reach;
    for (size_t i = 0; i < 1024; i++)
        for (const struct owned *o = owned[i]; o; o = o->next)
            if (o->pool == pool)
                mem_pool_reach(o->addr, reach);
    pthread_mutex_unlock(&rt_lock);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count)
{
    cudaError_t e = rt_enter() ?: pool_check(pool);
    uint16_t reach = e ? 0 : pool->reach;

    for (size_t i = 0; !e && i < count; i++)
        e = access_of(pool, list ? &list[i] : NULL, &reach);
    if (!e && reach != pool->reach)
        pool_open(pool, reach);
    return rt_leave(e);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *l)
{
    cudaError_t e = rt_enter() ?: pool_check(pool) ?: on_a_device(l);

    if (!e && !flags)
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = l->id == pool->device || pool->reach >> l->id & 1 ? cudaMemAccessFlagsProtReadWrite
                                                                   : cudaMemAccessFlagsProtNone;
    return rt_leave(e);
}

static cudaError_t device_pool(cudaMemPool_t *out, int device,
                               struct CUmemPoolHandle_st *(*which)(int device))
{
    if (!rt_is_device(device))
        return cudaErrorInvalidDevice;
    if (!out)
        return cudaErrorInvalidValue;
    *out = which(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    return rt_leave(rt_enter() ?: device_pool(out, device, default_of));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    return rt_leave(rt_enter() ?: device_pool(out, device, current_of));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaError_t e = rt_enter();

    if (!e && !rt_is_device(device))
        e = cudaErrorInvalidDevice;
    e = e ?: pool_check(pool);
    if (!e && (pool->device != device || pool->imported))
        e = cudaErrorInvalidValue;
    if (!e)
        current[device] = pool;
    return rt_leave(e);
}

/* ---- pools that processes share ---- */

struct part { /* what cudaMemPoolPtrExportData is */
    uint64_t key[2], at, size;
};
_Static_assert(sizeof(struct part) <= sizeof(struct cudaMemPoolPtrExportData), "fits");

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool,
                                               enum cudaMemAllocationHandleType type,
                                               unsigned flags)
{
    cudaError_t e = rt_enter() ?: pool_check(pool);

    if (!e && (!handle || flags || type != cudaMemHandleTypePosixFileDescriptor || pool->file < 0))
        e = cudaErrorInvalidValue;
    int file = e ? -1 : fcntl(pool->file, F_DUPFD_CLOEXEC, 0);
    if (!e && file < 0)
        e = cudaErrorMemoryAllocation;
    if (!e)
        memcpy(handle, &file, sizeof(file));
    return rt_leave(e);
}

static cudaError_t import_pool(cudaMemPool_t *out, int file, enum cudaMemAllocationHandleType type,
                               unsigned flags)
{
    struct share s;

    if (!out || flags || type != cudaMemHandleTypePosixFileDescriptor ||
        !share_read(file, &s, SHARE_POOL))
        return cudaErrorInvalidValue;
    if (!rt_is_device(s.device))
        return emu_fail(cudaErrorInvalidDevice,
                        "cudaMemPoolImportFromShareableHandle: a pool of device %d, which this "
                        "process has not",
                        s.device);
    int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return cudaErrorMemoryAllocation;
    struct CUmemPoolHandle_st *p = xcalloc(1, sizeof(*p));
    *p = (struct CUmemPoolHandle_st){.device = s.device, .file = own, .share = s, .imported = true};
    pool_add(p);
    *out = p;
    return cudaSuccess;
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                 enum cudaMemAllocationHandleType type,
                                                 unsigned flags)
{
    return rt_leave(rt_enter() ?: import_pool(pool, (int)(intptr_t)handle, type, flags));
}

static cudaError_t export_part(struct cudaMemPoolPtrExportData *data, const void *p)
{
    struct part part;

    if (!data || !p)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&rt_lock);
    const struct owned *o = owned_at((uint64_t)p);
    bool shared = o && o->pool->file >= 0 && !o->pool->imported;
    if (shared)
        part = (struct part){{o->pool->share.key[0], o->pool->share.key[1]}, o->at, o->size};
    pthread_mutex_unlock(&rt_lock);
    if (!shared)
        return cudaErrorInvalidValue;
    memset(data, 0, sizeof(*data));
    memcpy(data, &part, sizeof(part));
    return cudaSuccess;
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *p)
{
    return rt_leave(rt_enter() ?: export_part(data, p));
}

/* What the file has not got is no allocation of that pool. */
static cudaError_t import_part(void **out, struct CUmemPoolHandle_st *pool,
                               const struct cudaMemPoolPtrExportData *data)
{
    struct part part;
    struct stat file;

    if (!out || !data || !pool->imported)
        return cudaErrorInvalidValue;
    memcpy(&part, data, sizeof(part));
    if (memcmp(part.key, pool->share.key, sizeof(part.key)) || part.at % SHARE_START ||
        !part.size || fstat(pool->file, &file) || part.at > (uint64_t)file.st_size - SHARE_START ||
        part.size > (uint64_t)file.st_size - SHARE_START - part.at)
        return cudaErrorInvalidValue;
    cudaError_t e = map_part(pool, out, part.at, part.size, MEM_IMPORTED);
    if (!e)
        pool_gave(pool, *out, part.size, part.at);
    return e;
}

cudaError_t cudaMemPoolImportPointer(void **p, cudaMemPool_t pool,
                                     struct cudaMemPoolPtrExportData *data)
{
    return rt_leave(rt_enter() ?: pool_check(pool) ?: import_part(p, pool, data));
}

void pools_reset(void)
{
    pthread_mutex_lock(&rt_lock);
    for (size_t i = 0; i < 1024; i++) {
        for (struct owned **p = &owned[i], *o; (o = *p);) {
            if (o->pool->device != rt_device) {
                p = &o->next;
                continue;
            }
            *p = o->next;
            free(o);
        }
    }
    struct CUmemPoolHandle_st *pool = default_of(rt_device);
    pool->used = pool->high = 0;
    pool->reach = 0;
    for (struct CUmemPoolHandle_st *p = pools; p; p = p->next)
        if (p->device == rt_device) {
            p->destroyed = true;
            p->used = 0;
            file_close(p);
        }
    current[rt_device] = NULL;
    pthread_mutex_unlock(&rt_lock);
}
