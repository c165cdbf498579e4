/* graph_work.c - what nodes do: from a program's parameters, and kept.
 *
 * A node has its own copy of a kernel's arguments and attributes, and of a child graph; memory and
 * conditions are counted.
 */
#include "graph.h"
#include <stdlib.h>
#include <string.h>

void work_free(struct work *w)
{
    if (w->type == cudaGraphNodeTypeKernel) {
        free(w->kernel.args);
        free((void *)w->kernel.attrs);
    } else if (w->type == cudaGraphNodeTypeGraph) {
        graph_free(w->child);
    } else if (w->type == cudaGraphNodeTypeMemAlloc || w->type == cudaGraphNodeTypeMemFree) {
        graph_memory_drop(w->memory);
    } else if (w->type == cudaGraphNodeTypeConditional) {
        for (unsigned i = 0; i < w->branch.size; i++)
            graph_free(w->branch.bodies[i]);
        free(w->branch.bodies);
        condition_drop(w->branch.condition);
    }
}

static cudaError_t may_launch(const struct work *w)
{
    cudaLaunchConfig_t c = {.gridDim = w->kernel.grid,
                            .blockDim = w->kernel.block,
                            .dynamicSmemBytes = w->kernel.shared,
                            .attrs = (cudaLaunchAttribute *)w->kernel.attrs,
                            .numAttrs = w->kernel.nattrs};

    return launch_may(w->kernel.func, &c);
}

static cudaError_t keep_kernel(struct work *to, const struct work *from)
{
    size_t bytes = from->kernel.nattrs * sizeof(cudaLaunchAttribute);
    void **args = from->kernel.args, **list = NULL;
    cudaError_t e = may_launch(from);

    if (!e && from->kernel.extra) {
        e = kernel_unpack(from->kernel.func, from->kernel.extra, &list);
        args = list;
    }
    e = e ?: kernel_arguments(from->kernel.func, args, &to->kernel.args);
    free(list);
    to->kernel.extra = NULL;
    if (e)
        return e;
    to->kernel.attrs = NULL;
    if (bytes)
        to->kernel.attrs = memcpy(xmalloc(bytes), from->kernel.attrs, bytes);
    return cudaSuccess;
}

static cudaError_t keep_child(struct work *to, const struct work *from, cudaGraph_t g)
{
    cudaError_t e = from->moves ? cudaSuccess : graph_clone(&to->child, from->child, g->listed);

    to->moves = false;
    if (!e)
        to->child->parent = g;
    return e;
}

/* A node's bodies are new and empty; its clone's are clones of them. */
static cudaError_t keep_branch(struct work *to, const struct work *from, cudaGraph_t g)
{
    unsigned n = from->branch.size;
    cudaError_t e = cudaSuccess;

    to->branch.bodies = xcalloc(n, sizeof(cudaGraph_t));
    condition_keep(to->branch.condition);
    for (unsigned i = 0; i < n; i++) {
        cudaGraph_t *body = &to->branch.bodies[i];

        if (!e && from->branch.bodies)
            e = graph_clone(body, from->branch.bodies[i], g->listed);
        if (!*body)
            *body = graph_made(g->listed);
        (*body)->parent = g;
        (*body)->body = true;
    }
    if (e)
        work_free(to);
    return e;
}

cudaError_t work_keep(struct work *to, const struct work *from, cudaGraph_t g)
{
    *to = *from;
    switch (from->type) {
    case cudaGraphNodeTypeKernel:
        return keep_kernel(to, from);
    case cudaGraphNodeTypeGraph:
        return keep_child(to, from, g);
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        graph_memory_keep(to->memory);
        return cudaSuccess;
    case cudaGraphNodeTypeConditional:
        return keep_branch(to, from, g);
    default:
        return cudaSuccess;
    }
}

void work_set_attribute(struct work *w, const cudaLaunchAttribute *a)
{
    cudaLaunchAttribute *all = (cudaLaunchAttribute *)w->kernel.attrs;

    for (unsigned i = 0; i < w->kernel.nattrs; i++) {
        if (all[i].id == a->id) {
            all[i] = *a;
            return;
        }
    }
    all = xrealloc(all, (w->kernel.nattrs + 1) * sizeof(*all));
    all[w->kernel.nattrs++] = *a;
    w->kernel.attrs = all;
}

cudaError_t work_kernel(struct work *w, const struct cudaKernelNodeParams *p)
{
    if (!p || (p->kernelParams && p->extra))
        return cudaErrorInvalidValue;
    if (!p->func)
        return cudaErrorInvalidDeviceFunction;
    *w = (struct work){.type = cudaGraphNodeTypeKernel,
                       .kernel = {.func = p->func,
                                  .grid = p->gridDim,
                                  .block = p->blockDim,
                                  .shared = p->sharedMemBytes,
                                  .args = p->kernelParams,
                                  .extra = p->extra}};
    return cudaSuccess;
}

/* Which error a pitch is depends on there being rows that it leads to. */
static cudaError_t pitches_fit(const struct cudaMemcpy3DParms *p)
{
    size_t width = p->extent.width, height = p->extent.height;

    if (p->srcArray || p->dstArray)
        return cudaSuccess;
    if (width > p->srcPtr.pitch || width > p->dstPtr.pitch)
        return height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
    return p->extent.depth > 1 && (height > p->srcPtr.ysize || height > p->dstPtr.ysize)
               ? cudaErrorInvalidPitchValue
               : cudaSuccess;
}

cudaError_t work_copy(struct work *w, const struct cudaMemcpy3DParms *p)
{
    if (!p || (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    cudaError_t e = pitches_fit(p) ?: copy_check(p);
    if (e)
        return e;
    *w = (struct work){.type = cudaGraphNodeTypeMemcpy, .copy = *p};
    return cudaSuccess;
}

cudaError_t work_linear(struct work *w, void *dst, const void *src, size_t count,
                        enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = {.srcPtr = {(void *)src, count, count, 1},
                                  .dstPtr = {dst, count, count, 1},
                                  .extent = {count, 1, 1},
                                  .kind = kind};
    cudaError_t e = work_copy(w, &p);

    w->linear = !e;
    return e;
}

static cudaError_t symbol_part(const void *symbol, size_t count, size_t offset, void **at)
{
    uint64_t addr, size;
    cudaError_t e = symbol_find(symbol, &addr, &size);

    if (!e && (offset > size || count > size - offset))
        e = cudaErrorInvalidValue;
    *at = e ? NULL : (void *)(addr + offset);
    return e;
}

cudaError_t work_to_symbol(struct work *w, const void *symbol, const void *src, size_t count,
                           size_t offset, enum cudaMemcpyKind kind)
{
    void *at;

    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    return symbol_part(symbol, count, offset, &at) ?: work_linear(w, at, src, count, kind);
}

cudaError_t work_from_symbol(struct work *w, void *dst, const void *symbol, size_t count,
                             size_t offset, enum cudaMemcpyKind kind)
{
    void *at;

    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    return symbol_part(symbol, count, offset, &at) ?: work_linear(w, dst, at, count, kind);
}

cudaError_t work_fill(struct work *w, const struct cudaMemsetParams *p)
{
    if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    cudaError_t e = fill_check(p);
    if (e)
        return e;
    *w = (struct work){.type = cudaGraphNodeTypeMemset, .fill = *p};
    return cudaSuccess;
}

cudaError_t work_host(struct work *w, const struct cudaHostNodeParams *p)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *w = (struct work){.type = cudaGraphNodeTypeHost, .host = *p};
    return cudaSuccess;
}

cudaError_t work_event(struct work *w, enum cudaGraphNodeType type, cudaEvent_t event)
{
    if (!event)
        return cudaErrorInvalidValue;
    *w = (struct work){.type = type, .event = event};
    return cudaSuccess;
}

cudaError_t work_child(struct work *w, cudaGraph_t child)
{
    if (!graph_known(child))
        return cudaErrorInvalidValue;
    *w = (struct work){.type = cudaGraphNodeTypeGraph, .child = child};
    return cudaSuccess;
}

static void look(cudaGraphNode_t node, void *found)
{
    *(bool *)found = *(bool *)found || node->work.type == cudaGraphNodeTypeConditional;
}

/* The graph that moves is no longer the program's to destroy. */
static cudaError_t work_move(struct work *w, cudaGraph_t child, cudaGraph_t g)
{
    bool conditional = false;
    cudaError_t e = work_child(w, child);

    if (e)
        return e;
    for (cudaGraph_t up = g; up; up = up->parent)
        if (up == child)
            return cudaErrorInvalidValue;
    if (!g)
        return cudaErrorInvalidValue;
    if (child->parent)
        return emu_fail(cudaErrorNotSupported, "a graph that is in a node already cannot move");
    graph_each(child, look, &conditional);
    if (conditional)
        return emu_fail(cudaErrorNotSupported, "a child graph cannot hold conditional nodes");
    w->moves = true;
    return cudaSuccess;
}

cudaError_t work_any(struct work *w, const struct cudaGraphNodeParams *p, cudaGraph_t g)
{
    if (!p || p->reserved0[0] || p->reserved0[1] || p->reserved0[2] || p->reserved2)
        return cudaErrorInvalidValue;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        struct cudaKernelNodeParams k = {p->kernel.func,         p->kernel.gridDim,
                                         p->kernel.blockDim,     p->kernel.sharedMemBytes,
                                         p->kernel.kernelParams, p->kernel.extra};
        return work_kernel(w, &k);
    }
    case cudaGraphNodeTypeMemcpy:
        return work_copy(w, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
        struct cudaMemsetParams m = {p->memset.dst,         p->memset.pitch, p->memset.value,
                                     p->memset.elementSize, p->memset.width, p->memset.height};
        return work_fill(w, &m);
    }
    case cudaGraphNodeTypeHost:
        return work_host(w, &(struct cudaHostNodeParams){p->host.fn, p->host.userData});
    case cudaGraphNodeTypeGraph:
        return p->graph.ownership == cudaGraphChildGraphOwnershipMove
                   ? work_move(w, p->graph.graph, g)
                   : work_child(w, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        *w = (struct work){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return work_event(w, p->type, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return work_event(w, p->type, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: {
        struct cudaMemAllocNodeParams m = {p->alloc.poolProps, p->alloc.accessDescs,
                                           p->alloc.accessDescCount, p->alloc.bytesize, NULL};
        return g ? work_allocate(w, &m) : cudaErrorNotSupported;
    }
    case cudaGraphNodeTypeMemFree:
        return g ? work_release(w, p->free.dptr, g) : cudaErrorNotSupported;
    case cudaGraphNodeTypeConditional:
        return g ? work_branch(w, &p->conditional, g) : cudaErrorNotSupported;
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        return emu_fail(cudaErrorNotSupported, "graph nodes of external semaphores are not "
                                               "supported");
    default:
        return emu_fail(cudaErrorInvalidValue, "there are no graph nodes of type %d", (int)p->type);
    }
}
