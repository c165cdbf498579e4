/* graph_memory.c - memory that graphs allocate and free.
 *
 * The address is there as soon as the node is; memory is at it from when a launch gets to that node
 * until one gets to the node that frees it, or the program frees it (cudaFree(), cudaFreeAsync()),
 * or the graph is launched again with cudaGraphInstantiateFlagAutoFreeOnLaunch.
 *
 * What a device has for graphs grows with what they use at once, in modelled time, and shrinks when
 * it is trimmed, as NVIDIA's sample graphMemoryFootprint tells it: a launch that begins when
 * another has ended uses the same memory. Not modelled: what is used of what is reserved; addresses
 * are not used twice, so that use after free is found.
 */
#include "emulator/check/check.h"
#include "graph.h"
#include "emulator/base/round.h"
#include <stdlib.h>

static struct graph_memory *memories;

#define UNIT  (32ull << 20) /* that a device has for graphs, on an H200 */
#define ENDED 64            /* of more the first to end is forgotten */
static struct footprint {
    uint64_t now, high;
    struct {
        double end; /* ms of modelled time at which it was freed */
        uint64_t bytes;
    } ended[ENDED];
    int n;
} footprints[MEM_DEVICES];

bool graph_memory_there(const struct graph_memory *m)
{
    const struct mem_alloc *a = mem_find(m->addr);

    return a && a->addr == m->addr;
}

/* graphs_lock held. What nobody names and is not there is forgotten. */
static void reap(void)
{
    for (struct graph_memory **p = &memories, *m; (m = *p);) {
        if (m->refs || graph_memory_there(m)) {
            p = &m->next;
            continue;
        }
        *p = m->next;
        mem_unreserve(m->addr);
        free(m->access);
        free(m);
    }
}

void graph_memory_keep(struct graph_memory *m)
{
    pthread_mutex_lock(&graphs_lock);
    m->refs++;
    pthread_mutex_unlock(&graphs_lock);
}

void graph_memory_drop(struct graph_memory *m)
{
    pthread_mutex_lock(&graphs_lock);
    m->refs--;
    reap();
    pthread_mutex_unlock(&graphs_lock);
}

static struct graph_memory *memory_at(const void *p)
{
    struct graph_memory *found = NULL;

    pthread_mutex_lock(&graphs_lock);
    for (struct graph_memory *m = memories; m && !found; m = m->next)
        if (m->addr == (uint64_t)p)
            found = m;
    pthread_mutex_unlock(&graphs_lock);
    return found;
}

/* ---- coming and going ---- */

/* graphs_lock held. */
static uint64_t used_on(int device)
{
    uint64_t sum = 0;

    for (const struct graph_memory *m = memories; m; m = m->next)
        if (m->device == device && graph_memory_there(m))
            sum += m->size;
    return ROUND_UP(sum, UNIT);
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* At that moment: what is there, and what launches of other streams have yet to free. */
static void grow(struct footprint *f, uint64_t used, double at)
{
    for (int i = 0; i < f->n; i++)
        used += f->ended[i].end > at ? f->ended[i].bytes : 0;
    used = ROUND_UP(used, UNIT);
    f->now = most(f->now, used);
    f->high = most(f->high, f->now);
}

static void note_end(struct footprint *f, uint64_t bytes, double end)
{
    int at = f->n;

    for (int i = 0; f->n == ENDED && i < ENDED; i++)
        at = at == ENDED || f->ended[i].end < f->ended[at].end ? i : at;
    f->ended[at].end = end;
    f->ended[at].bytes = bytes;
    f->n += at == f->n;
}

cudaError_t graph_memory_come(struct graph_memory *m, double at)
{
    if (!mem_back(m->addr))
        return emu_fail(cudaErrorMemoryAllocation,
                        "cudaGraphLaunch: no room for %lu bytes that a node allocates", m->size);
    if (rt_devices() > 1)
        mem_pool_reach(m->addr, m->reach);
    pthread_mutex_lock(&graphs_lock);
    grow(&footprints[m->device], used_on(m->device), at);
    pthread_mutex_unlock(&graphs_lock);
    return cudaSuccess;
}

cudaError_t graph_memory_go(struct graph_memory *m, double at)
{
    if (!graph_memory_there(m))
        return emu_fail(cudaErrorInvalidValue,
                        "cudaGraphLaunch: a node frees memory at 0x%lx that is not allocated",
                        m->addr);
    launch_pause();
    check_free(m->addr);
    mem_free(m->addr);
    launch_resume();
    pthread_mutex_lock(&graphs_lock);
    note_end(&footprints[m->device], m->size, at);
    pthread_mutex_unlock(&graphs_lock);
    return cudaSuccess;
}

bool graph_memory_holds(const void *p)
{
    bool holds = false;

    pthread_mutex_lock(&graphs_lock);
    for (const struct graph_memory *m = memories; m && !holds; m = m->next)
        holds = (uint64_t)p - m->addr < m->size;
    pthread_mutex_unlock(&graphs_lock);
    return holds;
}

bool graph_memory_frees_itself(const void *p)
{
    const struct graph_memory *m = memories ? memory_at(p) : NULL;

    return m && m->freed_own;
}

/* ---- nodes ---- */

static cudaError_t reach_of(const struct cudaMemAllocNodeParams *p, uint16_t *reach)
{
    *reach = 0;
    if (p->accessDescCount && !p->accessDescs)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < p->accessDescCount; i++) {
        const struct cudaMemAccessDesc *d = &p->accessDescs[i];

        if (d->location.type != cudaMemLocationTypeDevice)
            return cudaErrorInvalidValue;
        if (!rt_is_device(d->location.id))
            return cudaErrorInvalidDevice;
        if (d->flags != cudaMemAccessFlagsProtReadWrite)
            return cudaErrorNotSupported;
        *reach |= (uint16_t)(1u << d->location.id);
    }
    return cudaSuccess;
}

cudaError_t work_allocate(struct work *w, const struct cudaMemAllocNodeParams *p)
{
    uint16_t reach;

    if (!p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (p->poolProps.location.type != cudaMemLocationTypeDevice ||
        p->poolProps.handleTypes != cudaMemHandleTypeNone)
        return cudaErrorNotSupported;
    if (!rt_is_device(p->poolProps.location.id))
        return cudaErrorInvalidValue;
    cudaError_t e = reach_of(p, &reach);
    if (e)
        return e;
    int device = p->poolProps.location.id;
    uint64_t addr = p->bytesize > device_profile()->memory_bytes
                        ? 0
                        : mem_reserve((unsigned)device, p->bytesize);
    if (!addr)
        return emu_fail(cudaErrorMemoryAllocation,
                        "a node that allocates %zu bytes: the device has %lu", p->bytesize,
                        device_profile()->memory_bytes);
    struct graph_memory *m = xcalloc(1, sizeof(*m));
    *m = (struct graph_memory){
        .refs = 1, .addr = addr, .size = p->bytesize, .device = device, .reach = reach};
    m->naccess = p->accessDescCount;
    m->access = xcalloc(m->naccess + 1, sizeof(*m->access));
    for (size_t i = 0; i < m->naccess; i++)
        m->access[i] = p->accessDescs[i];
    pthread_mutex_lock(&graphs_lock);
    m->next = memories;
    memories = m;
    pthread_mutex_unlock(&graphs_lock);
    *w = (struct work){.type = cudaGraphNodeTypeMemAlloc, .memory = m};
    return cudaSuccess;
}

static cudaError_t not_releasable(const char *why)
{
    return emu_fail(cudaErrorInvalidValue, "a node that frees memory: %s", why);
}

cudaError_t work_release(struct work *w, const void *p, cudaGraph_t g)
{
    struct graph_memory *m = memory_at(p);

    if (!m)
        return not_releasable("no node allocates at this address");
    if (m->freed_own)
        return not_releasable("the graph that allocates it frees it already");
    if (g->id == m->owner && m->freed_by_others)
        return not_releasable("another graph frees it already");
    for (size_t i = 0; i < g->n; i++)
        if (g->nodes[i]->work.type == cudaGraphNodeTypeMemFree && g->nodes[i]->work.memory == m)
            return not_releasable("this graph frees it already");
    *w = (struct work){.type = cudaGraphNodeTypeMemFree, .memory = m};
    return cudaSuccess;
}

void graph_memory_added(const struct work *w, cudaGraph_t g)
{
    if (w->type == cudaGraphNodeTypeMemAlloc)
        w->memory->owner = g->id;
    if (w->type == cudaGraphNodeTypeMemFree && w->memory->owner == g->id)
        w->memory->freed_own = true;
    else if (w->type == cudaGraphNodeTypeMemFree)
        w->memory->freed_by_others = true;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *deps, size_t n,
                                     struct cudaMemAllocNodeParams *p)
{
    struct work w;
    cudaError_t e = rt_enter() ?: work_allocate(&w, p);

    if (e)
        return rt_leave(e);
    e = node_add(node, graph, deps, n, &w);
    p->dptr = e ? NULL : (void *)w.memory->addr;
    graph_memory_drop(w.memory);
    return rt_leave(e);
}

static cudaError_t typed(cudaGraphNode_t node, enum cudaGraphNodeType type, const void *out)
{
    return out && node_known(node) && node->work.type == type ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeMemAlloc, p);

    if (e)
        return rt_leave(e);
    const struct graph_memory *m = node->work.memory;
    *p = (struct cudaMemAllocNodeParams){
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, m->device}},
        .accessDescs = m->access,
        .accessDescCount = m->naccess,
        .bytesize = m->size,
        .dptr = (void *)m->addr};
    return cudaSuccess;
}

static cudaError_t add_release(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *deps, size_t n, const void *p)
{
    struct work w;

    if (!graph_known(graph))
        return cudaErrorInvalidValue;
    return work_release(&w, p, graph) ?: node_add(node, graph, deps, n, &w);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *deps, size_t n, void *p)
{
    return rt_leave(rt_enter() ?: add_release(node, graph, deps, n, p));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *p)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeMemFree, p);

    if (!e)
        *(void **)p = (void *)node->work.memory->addr;
    return rt_leave(e);
}

/* ---- what a device has for graphs ---- */

static cudaError_t get_attribute(int device, enum cudaGraphMemAttributeType attr, uint64_t *value)
{
    const struct footprint *f = &footprints[device];

    if ((unsigned)attr > cudaGraphMemAttrReservedMemHigh)
        return cudaErrorInvalidValue;
    *value = attr == cudaGraphMemAttrUsedMemCurrent || attr == cudaGraphMemAttrReservedMemCurrent
                 ? f->now
                 : f->high;
    return cudaSuccess;
}

static cudaError_t asked(int device, const void *value)
{
    if (!rt_is_device(device))
        return cudaErrorInvalidDevice;
    return value ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    return rt_leave(rt_enter() ?: asked(device, value) ?: get_attribute(device, attr, value));
}

/* The high ones can be set back, and are one here. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    cudaError_t e = rt_enter() ?: asked(device, value);

    if (!e && (!high || *(const uint64_t *)value))
        e = cudaErrorInvalidValue;
    if (!e)
        footprints[device].high = footprints[device].now;
    return rt_leave(e);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    cudaError_t e = rt_enter() ?: asked(device, "");

    if (e)
        return rt_leave(e);
    pthread_mutex_lock(&graphs_lock);
    footprints[device].now = used_on(device);
    footprints[device].n = 0;
    pthread_mutex_unlock(&graphs_lock);
    return cudaSuccess;
}
