/* graph_work.c - what nodes do: from a program's parameters, and kept.
 *
 * A node has its own copy of a kernel's arguments and attributes, and of a child graph.
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
    }
}

static cudaError_t keep_kernel(struct work *to, const struct work *from)
{
    size_t bytes = from->kernel.nattrs * sizeof(cudaLaunchAttribute);
    cudaError_t e = kernel_arguments(from->kernel.func, from->kernel.args, &to->kernel.args);

    if (e)
        return e;
    to->kernel.attrs = NULL;
    if (bytes)
        to->kernel.attrs = memcpy(xmalloc(bytes), from->kernel.attrs, bytes);
    return cudaSuccess;
}

cudaError_t work_keep(struct work *to, const struct work *from, bool listed)
{
    *to = *from;
    if (from->type == cudaGraphNodeTypeKernel)
        return keep_kernel(to, from);
    if (from->type != cudaGraphNodeTypeGraph)
        return cudaSuccess;
    cudaError_t e = graph_clone(&to->child, from->child, listed);
    if (!e)
        to->child->child = true;
    return e;
}

cudaError_t work_kernel(struct work *w, const struct cudaKernelNodeParams *p)
{
    if (!p || !p->func)
        return cudaErrorInvalidValue;
    if (p->extra)
        return emu_fail(cudaErrorNotSupported, "a kernel node's arguments in one buffer (extra) "
                                               "are not supported: use kernelParams");
    *w = (struct work){.type = cudaGraphNodeTypeKernel,
                       .kernel = {.func = p->func,
                                  .grid = p->gridDim,
                                  .block = p->blockDim,
                                  .shared = p->sharedMemBytes,
                                  .args = p->kernelParams}};
    return cudaSuccess;
}

cudaError_t work_copy(struct work *w, const struct cudaMemcpy3DParms *p)
{
    if (!p || (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return cudaErrorInvalidValue;
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

    return work_copy(w, &p);
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

    return symbol_part(symbol, count, offset, &at) ?: work_linear(w, at, src, count, kind);
}

cudaError_t work_from_symbol(struct work *w, void *dst, const void *symbol, size_t count,
                             size_t offset, enum cudaMemcpyKind kind)
{
    void *at;

    return symbol_part(symbol, count, offset, &at) ?: work_linear(w, dst, at, count, kind);
}

cudaError_t work_fill(struct work *w, const struct cudaMemsetParams *p)
{
    if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
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

cudaError_t work_any(struct work *w, const struct cudaGraphNodeParams *p)
{
    if (!p)
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
        if (p->graph.ownership != cudaGraphChildGraphOwnershipClone)
            return emu_fail(cudaErrorNotSupported,
                            "a child graph that moves into its node is not supported");
        return work_child(w, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        *w = (struct work){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return work_event(w, p->type, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return work_event(w, p->type, p->eventRecord.event);
    default:
        return emu_fail(cudaErrorNotSupported, "graph nodes of type %d are not supported",
                        (int)p->type);
    }
}

/* An edge is a whole one: its end starts when its beginning has ended. */
cudaError_t edges_plain(const cudaGraphEdgeData *edges, size_t n)
{
    for (size_t i = 0; edges && i < n; i++)
        if (edges[i].from_port || edges[i].to_port || edges[i].type)
            return emu_fail(cudaErrorNotSupported,
                            "programmatic edges of graphs are not supported");
    return cudaSuccess;
}
