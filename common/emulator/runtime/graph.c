/* graph.c - graphs: their nodes, what these do, what they depend on.
 *
 * What a node does is its work (graph_work.c). Graphs that run are clones
 * (graph_exec.c), edges are in graph_edge.c, captures add nodes as programs do (capture.c). As in
 * CUDA, a graph is used by one thread at a time.
 *
 * Not supported: semaphores.
 */
#include "graph.h"
#include <stdlib.h>
#include <string.h>

pthread_mutex_t graphs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUgraph_st *graphs; /* that programs may name */
static uint64_t next_id = 1, next_graph = 1;

/* ---- what there is ---- */

bool graph_known(cudaGraph_t graph)
{
    bool known = false;

    pthread_mutex_lock(&graphs_lock);
    for (struct CUgraph_st *g = graphs; g && !known; g = g->next)
        known = g == graph;
    pthread_mutex_unlock(&graphs_lock);
    return known;
}

bool graph_has(cudaGraph_t g, cudaGraphNode_t node)
{
    for (size_t i = g->n; i > 0; i--)
        if (g->nodes[i - 1] == node)
            return true;
    return false;
}

bool node_known(cudaGraphNode_t node)
{
    bool known = false;

    pthread_mutex_lock(&graphs_lock);
    for (struct CUgraph_st *g = graphs; node && g && !known; g = g->next)
        known = graph_has(g, node);
    pthread_mutex_unlock(&graphs_lock);
    return known;
}

cudaGraph_t graph_made(bool listed)
{
    cudaGraph_t g = xcalloc(1, sizeof(*g));

    g->listed = listed;
    pthread_mutex_lock(&graphs_lock);
    g->id = next_graph++;
    if (listed) {
        g->next = graphs;
        graphs = g;
    }
    pthread_mutex_unlock(&graphs_lock);
    return g;
}

cudaGraph_t graph_new(void)
{
    return graph_made(true);
}

static void node_free(cudaGraphNode_t node)
{
    work_free(&node->work);
    free(node->deps);
    free(node->edges);
    free(node);
}

void graph_free(cudaGraph_t g)
{
    pthread_mutex_lock(&graphs_lock);
    for (struct CUgraph_st **p = &graphs; g->listed && *p; p = &(*p)->next) {
        if (*p == g) {
            *p = g->next;
            break;
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    if (g->listed)
        conditions_leave(g);
    held_drop(g);
    for (size_t i = 0; i < g->n; i++)
        node_free(g->nodes[i]);
    free(g->nodes);
    free(g);
}

size_t node_inner(cudaGraphNode_t node, cudaGraph_t **inner)
{
    if (node->work.type == cudaGraphNodeTypeGraph) {
        *inner = &node->work.child;
        return 1;
    }
    *inner = node->work.branch.bodies;
    return node->work.type == cudaGraphNodeTypeConditional ? node->work.branch.size : 0;
}

void graph_each(cudaGraph_t g, void (*fn)(cudaGraphNode_t node, void *arg), void *arg)
{
    for (size_t i = 0; i < g->n; i++) {
        cudaGraph_t *inner;
        size_t n = node_inner(g->nodes[i], &inner);

        fn(g->nodes[i], arg);
        for (size_t k = 0; k < n; k++)
            graph_each(inner[k], fn, arg);
    }
}

/* ---- nodes ---- */

/* Takes over its work. */
static cudaGraphNode_t node_new(cudaGraph_t g, const struct work *w)
{
    cudaGraphNode_t node = xcalloc(1, sizeof(*node));

    pthread_mutex_lock(&graphs_lock);
    *node = (struct CUgraphNode_st){.graph = g, .id = next_id++, .device = rt_device, .work = *w};
    g->nodes = xrealloc(g->nodes, (g->n + 1) * sizeof(cudaGraphNode_t));
    g->nodes[g->n++] = node;
    pthread_mutex_unlock(&graphs_lock);
    return node;
}

cudaError_t node_add_by(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                        const cudaGraphEdgeData *edges, size_t n, const struct work *w)
{
    struct work own;

    if (!out || !graph_known(g) || (n && !deps))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        if (!graph_has(g, deps[i]))
            return cudaErrorInvalidValue;
        for (size_t k = 0; k < i; k++)
            if (deps[k] == deps[i])
                return cudaErrorInvalidValue;
    }
    for (size_t i = 0; edges && i < n; i++)
        if (!edge_fits(&edges[i], deps[i]->work.type, w->type))
            return cudaErrorInvalidValue;
    cudaError_t e = work_keep(&own, w, g);
    if (e)
        return e;
    cudaGraphNode_t node = node_new(g, &own);
    node_depend(node, deps, edges, n);
    *out = node; /* which may lie where deps does */
    graph_memory_added(&own, g);
    if (own.type == cudaGraphNodeTypeConditional)
        own.branch.condition->used = true;
    return cudaSuccess;
}

cudaError_t node_add(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                     const struct work *w)
{
    return node_add_by(out, g, deps, NULL, n, w);
}

cudaError_t node_set(cudaGraphNode_t node, const struct work *w)
{
    struct work own;

    if (node->work.type != w->type || w->type == cudaGraphNodeTypeMemAlloc ||
        w->type == cudaGraphNodeTypeMemFree || w->type == cudaGraphNodeTypeConditional)
        return cudaErrorInvalidValue;
    cudaError_t e = work_keep(&own, w, node->graph);
    if (e)
        return e;
    if (w->type == cudaGraphNodeTypeKernel && !own.kernel.attrs) { /* parameters leave them */
        own.kernel.attrs = node->work.kernel.attrs;
        own.kernel.nattrs = node->work.kernel.nattrs;
        node->work.kernel.attrs = NULL;
    }
    work_free(&node->work);
    node->work = own;
    return cudaSuccess;
}

static cudaError_t set(cudaGraphNode_t node, const struct work *w)
{
    return node_known(node) ? node_set(node, w) : cudaErrorInvalidValue;
}

static cudaError_t typed(cudaGraphNode_t node, enum cudaGraphNodeType type, const void *out)
{
    return out && node_known(node) && node->work.type == type ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    cudaError_t e = rt_enter();

    if (!e && (!graph || flags))
        e = cudaErrorInvalidValue;
    if (!e)
        *graph = graph_new();
    return rt_leave(e);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    cudaError_t e = rt_enter();

    if (!e && (!graph_known(graph) || graph->parent))
        e = cudaErrorInvalidValue;
    if (!e)
        graph_free(graph);
    return rt_leave(e);
}

#define DEPS const cudaGraphNode_t *deps, size_t n

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                   const struct cudaKernelNodeParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_kernel(&w, p) ?: node_add(node, graph, deps, n, &w));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeKernel, p);

    if (!e)
        *p = (struct cudaKernelNodeParams){(void *)node->work.kernel.func, node->work.kernel.grid,
                                           node->work.kernel.block,        node->work.kernel.shared,
                                           node->work.kernel.args,         NULL};
    return rt_leave(e);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_kernel(&w, p) ?: set(node, &w));
}

/* Those that a node can be asked for; a hint about NVLink can only be set. */
static bool is_asked_for(cudaLaunchAttributeID id)
{
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        return true;
    default:
        return false;
    }
}

static cudaError_t attribute_fits(cudaGraphNode_t node, cudaLaunchAttribute *a)
{
    const dim3 *g = &node->work.kernel.grid;
    unsigned x = a->val.clusterDim.x, y = a->val.clusterDim.y, z = a->val.clusterDim.z;

    if (!is_asked_for(a->id) && a->id != cudaLaunchAttributeNvlinkUtilCentricScheduling)
        return cudaErrorInvalidValue;
    if (a->id == cudaLaunchAttributeClusterDimension &&
        ((x && g->x % x) || (y && g->y % y) || (z && g->z % z)))
        return cudaErrorInvalidClusterSize;
    if (a->id == cudaLaunchAttributePriority)
        a->val.priority = stream_priority(a->val.priority);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeKernel, value);

    if (e)
        return rt_leave(e);
    cudaLaunchAttribute a = {.id = id, .val = *value};
    e = attribute_fits(node, &a);
    if (!e)
        work_set_attribute(&node->work, &a);
    return rt_leave(e);
}

/* One that was never set is zero. */
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeKernel, value);

    if (!e && !is_asked_for(id))
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    if (id == cudaLaunchAttributeMemSyncDomainMap)
        value->memSyncDomainMap = (cudaLaunchMemSyncDomainMap){0, 1};
    else
        memset(value, 0, sizeof(*value));
    for (unsigned i = 0; i < node->work.kernel.nattrs; i++)
        if (node->work.kernel.attrs[i].id == id)
            *value = node->work.kernel.attrs[i].val;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src)
{
    cudaError_t e = rt_enter() ?: typed(dst, cudaGraphNodeTypeKernel, dst)
                        ?: typed(src, cudaGraphNodeTypeKernel, src);

    for (unsigned i = 0; !e && i < src->work.kernel.nattrs; i++)
        work_set_attribute(&dst->work, &src->work.kernel.attrs[i]);
    return rt_leave(e);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                   const struct cudaMemcpy3DParms *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_copy(&w, p) ?: node_add(node, graph, deps, n, &w));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, DEPS, void *dst,
                                     const void *src, size_t count, enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_linear(&w, dst, src, count, kind)
                        ?: node_add(node, graph, deps, n, &w));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                           const void *symbol, const void *src, size_t count,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_to_symbol(&w, symbol, src, count, offset, kind)
                        ?: node_add(node, graph, deps, n, &w));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                             void *dst, const void *symbol, size_t count,
                                             size_t offset, enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_from_symbol(&w, dst, symbol, count, offset, kind)
                        ?: node_add(node, graph, deps, n, &w));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeMemcpy, p);

    if (!e)
        *p = node->work.copy;
    if (!e && node->work.linear) {
        p->dstPtr = (struct cudaPitchedPtr){.ptr = p->dstPtr.ptr};
        p->srcPtr = (struct cudaPitchedPtr){.ptr = p->srcPtr.ptr};
    }
    return rt_leave(e);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_copy(&w, p) ?: set(node, &w));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t count, enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_linear(&w, dst, src, count, kind) ?: set(node, &w));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_to_symbol(&w, symbol, src, count, offset, kind)
                        ?: set(node, &w));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                   const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_from_symbol(&w, dst, symbol, count, offset, kind)
                        ?: set(node, &w));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                   const struct cudaMemsetParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_fill(&w, p) ?: node_add(node, graph, deps, n, &w));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeMemset, p);

    if (!e)
        *p = node->work.fill;
    return rt_leave(e);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_fill(&w, p) ?: set(node, &w));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                 const struct cudaHostNodeParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_host(&w, p) ?: node_add(node, graph, deps, n, &w));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeHost, p);

    if (!e)
        *p = node->work.host;
    return rt_leave(e);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_host(&w, p) ?: set(node, &w));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                       cudaGraph_t child)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_child(&w, child) ?: node_add(node, graph, deps, n, &w));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    cudaError_t e = rt_enter() ?: typed(node, cudaGraphNodeTypeGraph, graph);

    if (!e)
        *graph = node->work.child;
    return rt_leave(e);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, DEPS)
{
    struct work w = {.type = cudaGraphNodeTypeEmpty};

    return rt_leave(rt_enter() ?: node_add(node, graph, deps, n, &w));
}

static cudaError_t add_event(cudaGraphNode_t *node, cudaGraph_t graph, DEPS, cudaEvent_t event,
                             enum cudaGraphNodeType type)
{
    struct work w;

    return work_event(&w, type, event) ?: node_add(node, graph, deps, n, &w);
}

static cudaError_t get_event(cudaGraphNode_t node, cudaEvent_t *event, enum cudaGraphNodeType type)
{
    cudaError_t e = typed(node, type, event);

    if (!e)
        *event = node->work.event;
    return e;
}

static cudaError_t set_event(cudaGraphNode_t node, cudaEvent_t event, enum cudaGraphNodeType type)
{
    struct work w;

    return work_event(&w, type, event) ?: set(node, &w);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                        cudaEvent_t event)
{
    return rt_leave(rt_enter()
                        ?: add_event(node, graph, deps, n, event, cudaGraphNodeTypeEventRecord));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return rt_leave(rt_enter() ?: get_event(node, event, cudaGraphNodeTypeEventRecord));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return rt_leave(rt_enter() ?: set_event(node, event, cudaGraphNodeTypeEventRecord));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, DEPS,
                                      cudaEvent_t event)
{
    return rt_leave(rt_enter()
                        ?: add_event(node, graph, deps, n, event, cudaGraphNodeTypeWaitEvent));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return rt_leave(rt_enter() ?: get_event(node, event, cudaGraphNodeTypeWaitEvent));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return rt_leave(rt_enter() ?: set_event(node, event, cudaGraphNodeTypeWaitEvent));
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *edges, size_t n,
                             struct cudaGraphNodeParams *p)
{
    struct work w;

    cudaError_t e = rt_enter();

    if (!e && !graph_known(graph))
        e = cudaErrorInvalidValue;
    e = e ?: work_any(&w, p, graph);
    if (e)
        return rt_leave(e);
    e = node_add_by(node, graph, deps, edges, n, &w);
    if (w.type == cudaGraphNodeTypeMemAlloc) {
        p->alloc.dptr = e ? NULL : (void *)w.memory->addr;
        graph_memory_drop(w.memory);
    }
    if (!e && w.type == cudaGraphNodeTypeConditional)
        p->conditional.phGraph_out = (*node)->work.branch.bodies;
    return rt_leave(e);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_any(&w, p, NULL) ?: set(node, &w));
}

cudaError_t graph_shrinks(cudaGraph_t g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->nodes[i]->work.type == cudaGraphNodeTypeMemAlloc ||
            g->nodes[i]->work.type == cudaGraphNodeTypeMemFree)
            return emu_fail(cudaErrorNotSupported, "nodes and edges of a graph with memory nodes "
                                                   "cannot be deleted");
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    cudaError_t e = rt_enter();

    if (!e)
        e = node_known(node) ? graph_shrinks(node->graph) : cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    cudaGraph_t g = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < g->n; i++) {
        node_undepend(g->nodes[i], node);
        if (g->nodes[i] != node)
            g->nodes[kept++] = g->nodes[i];
    }
    g->n = kept;
    if (node->work.type == cudaGraphNodeTypeConditional)
        node->work.branch.condition->used = false;
    node_free(node);
    return cudaSuccess;
}

/* ---- what there is to see ---- */

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    cudaError_t e = rt_enter();

    if (!e && (!type || !node_known(node)))
        e = cudaErrorInvalidValue;
    if (!e)
        *type = node->work.type;
    return rt_leave(e);
}

bool graph_has_loose_end(cudaGraph_t g, const cudaGraphNode_t *nodes, size_t n)
{
    for (size_t i = 0; i < g->n; i++)
        g->nodes[i]->place = 0;
    for (size_t i = 0; i < n; i++)
        nodes[i]->place = 1;
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->ndeps; k++)
            g->nodes[i]->deps[k]->place = 1;
    for (size_t i = 0; i < g->n; i++)
        if (!g->nodes[i]->place)
            return true;
    return false;
}

/* ---- order, clones ---- */

#define UNPLACED SIZE_MAX

static bool ready(cudaGraphNode_t node)
{
    for (size_t i = 0; i < node->ndeps; i++)
        if (node->deps[i]->place == UNPLACED)
            return false;
    return true;
}

bool graph_sort(cudaGraph_t g)
{
    cudaGraphNode_t *order = xmalloc((g->n + 1) * sizeof(cudaGraphNode_t));
    size_t n = 0, before;

    for (size_t i = 0; i < g->n; i++)
        g->nodes[i]->place = UNPLACED;
    do {
        before = n;
        for (size_t i = 0; i < g->n; i++) {
            if (g->nodes[i]->place != UNPLACED || !ready(g->nodes[i]))
                continue;
            g->nodes[i]->place = n;
            order[n++] = g->nodes[i];
        }
    } while (n > before);
    bool all = n == g->n;
    if (all && n)
        memcpy(g->nodes, order, n * sizeof(cudaGraphNode_t));
    free(order);
    return all;
}

static void look_once(cudaGraphNode_t node, void *found)
{
    enum cudaGraphNodeType type = node->work.type;

    *(bool *)found = *(bool *)found || type == cudaGraphNodeTypeMemAlloc ||
                     type == cudaGraphNodeTypeMemFree || type == cudaGraphNodeTypeConditional;
}

cudaError_t graph_clone(cudaGraph_t *out, cudaGraph_t g, bool listed)
{
    bool once = false;

    if (listed)
        graph_each(g, look_once, &once);
    once = once || (listed && graph_has_handles(g));
    if (once)
        return emu_fail(cudaErrorNotSupported,
                        "a graph with memory or conditional nodes cannot be cloned, nor be a "
                        "child's (of memory nodes: unless it moves into the node)");
    cudaGraph_t copy = graph_made(listed);
    struct work w;

    held_copy(copy, g);
    for (size_t i = 0; i < g->n; i++) {
        cudaError_t e = work_keep(&w, &g->nodes[i]->work, copy);

        if (e) {
            graph_free(copy);
            return e;
        }
        cudaGraphNode_t node = node_new(copy, &w);
        node->origin = g->nodes[i]->id;
        node->device = g->nodes[i]->device;
        g->nodes[i]->place = i;
    }
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->ndeps; k++)
            node_depend(copy->nodes[i], &copy->nodes[g->nodes[i]->deps[k]->place],
                        &g->nodes[i]->edges[k], 1);
    *out = copy;
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    cudaError_t e = rt_enter();

    if (!e && (!clone || !graph_known(graph)))
        e = cudaErrorInvalidValue;
    return rt_leave(e ?: graph_clone(clone, graph, true));
}

static cudaError_t find_in_clone(cudaGraphNode_t *out, cudaGraphNode_t node, cudaGraph_t clone)
{
    if (!out || !node_known(node) || !graph_known(clone))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < clone->n; i++) {
        if (clone->nodes[i]->origin == node->id) {
            *out = clone->nodes[i];
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t node, cudaGraph_t clone)
{
    return rt_leave(rt_enter() ?: find_in_clone(out, node, clone));
}
