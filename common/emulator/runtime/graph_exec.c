/* graph_exec.c - graphs that run: clones with their nodes in order.
 *
 * A launch does all of them at once, as a stream does its work when it is issued. In modelled time
 * a node begins when those that it depends on have ended; engines are streams' own (stream.c), so
 * that copies go on under kernels, and the launching stream has worked until the last has ended.
 *
 * Not modelled: what a launch costs the host, and that a kernel of a graph starts sooner than one
 * launched alone; priorities of nodes.
 */
#include "graph.h"
#include <stdlib.h>

struct CUgraphExec_st {
    struct CUgraphExec_st *next;
    cudaGraph_t graph;
    unsigned long long flags;
};

static struct CUgraphExec_st *execs;

static bool exec_known(cudaGraphExec_t exec)
{
    bool known = false;

    pthread_mutex_lock(&graphs_lock);
    for (struct CUgraphExec_st *x = execs; x && !known; x = x->next)
        known = x == exec;
    pthread_mutex_unlock(&graphs_lock);
    return known;
}

/* ---- instantiating ---- */

/* Those within it, too. */
static bool sort_all(cudaGraph_t g)
{
    if (!graph_sort(g))
        return false;
    for (size_t i = 0; i < g->n; i++) {
        cudaGraph_t *inner;
        size_t n = node_inner(g->nodes[i], &inner);

        for (size_t k = 0; k < n; k++)
            if (!sort_all(inner[k]))
                return false;
    }
    return true;
}

/* What only one instantiation may have at a time: NULL where there is no such thing. */
static cudaGraphExec_t *holder(cudaGraphNode_t node)
{
    switch (node->work.type) {
    case cudaGraphNodeTypeMemAlloc:
        return &node->work.memory->exec;
    case cudaGraphNodeTypeConditional:
        return &node->work.branch.condition->exec;
    default:
        return NULL;
    }
}

static void look_held(cudaGraphNode_t node, void *found)
{
    cudaGraphExec_t *by = holder(node);

    *(bool *)found = *(bool *)found || (by && *by);
}

static void give_to(cudaGraphNode_t node, void *exec)
{
    cudaGraphExec_t *by = holder(node);

    if (by)
        *by = exec;
}

/* own: the clone that is to run. */
static cudaError_t fit_to_run(cudaGraph_t own, cudaGraph_t graph,
                              cudaGraphInstantiateResult *result)
{
    bool held = false;

    if (!sort_all(own)) {
        *result = cudaGraphInstantiateInvalidStructure;
        return emu_fail(cudaErrorInvalidValue, "cudaGraphInstantiate: nodes depend on each other "
                                               "in a ring");
    }
    if (!conditions_used(graph)) {
        *result = cudaGraphInstantiateConditionalHandleUnused;
        return emu_fail(cudaErrorInvalidValue,
                        "cudaGraphInstantiate: a conditional handle has no node");
    }
    graph_each(own, look_held, &held);
    if (held)
        return emu_fail(cudaErrorInvalidValue,
                        "cudaGraphInstantiate: a graph with memory or conditional nodes is "
                        "instantiated once at a time");
    return cudaSuccess;
}

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags,
                               cudaGraphInstantiateResult *result)
{
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                     cudaGraphInstantiateFlagUpload |
                                     cudaGraphInstantiateFlagUseNodePriority;
    cudaGraph_t own;

    *result = cudaGraphInstantiateError;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return emu_fail(cudaErrorNotSupported,
                        "graphs that kernels launch (cudaGraphInstantiateFlagDeviceLaunch) are "
                        "not supported");
    if (!out || !graph_known(graph) || flags & ~known)
        return cudaErrorInvalidValue;
    cudaError_t e = graph_clone(&own, graph, false);
    if (e)
        return e;
    e = fit_to_run(own, graph, result);
    if (e) {
        graph_free(own);
        return e;
    }
    cudaGraphExec_t exec = xcalloc(1, sizeof(*exec));
    graph_each(own, give_to, exec);
    pthread_mutex_lock(&graphs_lock);
    *exec = (struct CUgraphExec_st){.next = execs, .graph = own, .flags = flags};
    execs = exec;
    pthread_mutex_unlock(&graphs_lock);
    *out = exec;
    *result = cudaGraphInstantiateSuccess;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    cudaGraphInstantiateResult result;

    return rt_leave(rt_enter() ?: instantiate(exec, graph, flags, &result));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    cudaGraphInstantiateResult result;

    return rt_leave(rt_enter() ?: instantiate(exec, graph, flags, &result));
}

/* Not modelled: the upload, which costs nothing here. */
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *p)
{
    cudaError_t e = rt_enter();

    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    p->errNode_out = NULL;
    return rt_leave(instantiate(exec, graph, p->flags, &p->result_out));
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    cudaError_t e = rt_enter();

    if (!e && (!flags || !exec_known(exec)))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = exec->flags;
    return rt_leave(e);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    cudaError_t e = rt_enter();

    if (!e && !exec_known(exec))
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    pthread_mutex_lock(&graphs_lock);
    struct CUgraphExec_st **p = &execs;
    while (*p != exec)
        p = &(*p)->next;
    *p = exec->next;
    pthread_mutex_unlock(&graphs_lock);
    graph_each(exec->graph, give_to, NULL);
    graph_free(exec->graph);
    free(exec);
    return cudaSuccess;
}

/* ---- launching ---- */

static cudaError_t run_graph(cudaGraph_t g, cudaStream_t stream);

/* The body that the value chooses now; NULL: none. */
static cudaGraph_t body_of(const struct work *w)
{
    uint32_t value = __atomic_load_n(w->branch.condition->value, __ATOMIC_RELAXED);
    unsigned i = w->branch.type == cudaGraphCondTypeSwitch ? value : !value;

    return i < w->branch.size ? w->branch.bodies[i] : NULL;
}

/* A loop counts as a kernel that never ends, where a launch's steps are limited. */
static cudaError_t run_branch(const struct work *w, cudaStream_t stream)
{
    uint64_t rounds = 0, limit = emu_options()->steps;
    cudaGraph_t body = body_of(w);
    cudaError_t e = body ? run_graph(body, stream) : cudaSuccess;

    while (!e && w->branch.type == cudaGraphCondTypeWhile && body_of(w) && !rt_fault()) {
        if (limit && ++rounds >= limit) {
            emu_keep(cudaErrorLaunchTimeout,
                     "a conditional node has run its body %lu times: WARPLAB_STEPS", rounds);
            rt_set_sticky(cudaErrorLaunchTimeout);
            break;
        }
        e = run_graph(body, stream);
    }
    return e;
}

static cudaError_t run_work(const struct work *w, cudaStream_t stream)
{
    switch (w->type) {
    case cudaGraphNodeTypeKernel: {
        cudaLaunchConfig_t c = {.gridDim = w->kernel.grid,
                                .blockDim = w->kernel.block,
                                .dynamicSmemBytes = w->kernel.shared,
                                .stream = stream,
                                .attrs = (cudaLaunchAttribute *)w->kernel.attrs,
                                .numAttrs = w->kernel.nattrs};
        return launch(w->kernel.func, &c, w->kernel.args);
    }
    case cudaGraphNodeTypeMemcpy:
        return copy_3d(&w->copy, stream, false);
    case cudaGraphNodeTypeMemset:
        return fill_elements(&w->fill, stream);
    case cudaGraphNodeTypeHost:
        return host_function(stream, w->host.fn, w->host.userData);
    case cudaGraphNodeTypeGraph:
        return run_graph(w->child, stream);
    case cudaGraphNodeTypeWaitEvent:
        return wait_event(stream, w->event, false);
    case cudaGraphNodeTypeEventRecord:
        return event_record(w->event, stream, false);
    case cudaGraphNodeTypeMemAlloc:
        return graph_memory_come(w->memory, stream_end(stream));
    case cudaGraphNodeTypeMemFree:
        return graph_memory_go(w->memory, stream_end(stream));
    case cudaGraphNodeTypeConditional:
        return run_branch(w, stream);
    default: /* empty: nothing else is let into a graph */
        return cudaSuccess;
    }
}

/* A fault of a kernel ends it, and comes back from the calls after the launch. */
static cudaError_t run_graph(cudaGraph_t g, cudaStream_t stream)
{
    double start = stream_ready(stream), end = start;
    cudaError_t e = cudaSuccess;

    for (size_t i = 0; !e && i < g->n && !rt_fault(); i++) {
        cudaGraphNode_t node = g->nodes[i];
        cudaStream_t on = stream_beside(stream, node->device);
        double at = start;

        for (size_t k = 0; k < node->ndeps; k++)
            at = node->deps[k]->end > at ? node->deps[k]->end : at;
        stream_set_end(on, at);
        if (!node->disabled)
            e = run_work(&node->work, on);
        node->end = stream_end(on);
        end = node->end > end ? node->end : end;
    }
    stream_set_end(stream, end);
    return e;
}

/* Memory that is there from the launch before. */
static void look_there(cudaGraphNode_t node, void *found)
{
    *(bool *)found = *(bool *)found || (node->work.type == cudaGraphNodeTypeMemAlloc &&
                                        graph_memory_there(node->work.memory));
}

static void free_there(cudaGraphNode_t node, void *ready)
{
    if (node->work.type == cudaGraphNodeTypeMemAlloc && graph_memory_there(node->work.memory))
        graph_memory_go(node->work.memory, *(double *)ready);
}

static void begin_condition(cudaGraphNode_t node, void *arg)
{
    const struct condition *c =
        node->work.type == cudaGraphNodeTypeConditional ? node->work.branch.condition : NULL;

    (void)arg;
    if (c && c->assigns)
        __atomic_store_n(c->value, c->initial, __ATOMIC_RELAXED);
}

static cudaError_t run_all(cudaGraphExec_t exec, cudaStream_t stream)
{
    double ready = stream_ready(stream);
    bool there = false;

    if (exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)
        graph_each(exec->graph, free_there, &ready);
    graph_each(exec->graph, look_there, &there);
    if (there)
        return emu_fail(cudaErrorInvalidValue,
                        "cudaGraphLaunch: memory that the launch before allocated was not freed "
                        "(cudaGraphInstantiateFlagAutoFreeOnLaunch?)");
    graph_each(exec->graph, begin_condition, NULL);
    return run_graph(exec->graph, stream);
}

/* Into a capture it goes as a child graph. */
static cudaError_t launch_graph(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct work w = {.type = cudaGraphNodeTypeGraph};
    cudaError_t e;

    if (!exec_known(exec))
        return cudaErrorInvalidValue;
    if (!stream_find(stream))
        return cudaErrorInvalidResourceHandle;
    w.child = exec->graph;
    return capture_takes(stream, &w, &e) ? e : run_all(exec, stream);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: launch_graph(exec, stream));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t e = rt_enter();

    if (!e && !exec_known(exec))
        e = cudaErrorInvalidValue;
    if (!e && !stream_find(stream))
        e = cudaErrorInvalidResourceHandle;
    return rt_leave(e ?: capture_bars(stream));
}

/* ---- changing one that is instantiated ---- */

static cudaGraphNode_t made_from(cudaGraph_t g, uint64_t id)
{
    for (size_t i = 0; i < g->n; i++) {
        cudaGraphNode_t node = g->nodes[i], found = NULL;
        cudaGraph_t *inner;
        size_t n = node_inner(node, &inner);

        if (node->origin == id)
            return node;
        for (size_t k = 0; !found && k < n; k++)
            found = made_from(inner[k], id);
        if (found)
            return found;
    }
    return NULL;
}

/* The node of exec that was made from this one. */
static cudaError_t find(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNode_t *out)
{
    if (!exec_known(exec) || !node_known(node))
        return cudaErrorInvalidValue;
    *out = made_from(exec->graph, node->id);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct work *w)
{
    cudaGraphNode_t own;

    return find(exec, node, &own) ?: node_set(own, w);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_kernel(&w, p) ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_copy(&w, p) ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_linear(&w, dst, src, count, kind) ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void *symbol, const void *src,
                                                     size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_to_symbol(&w, symbol, src, count, offset, kind)
                        ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void *dst, const void *symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_from_symbol(&w, dst, symbol, count, offset, kind)
                        ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_fill(&w, p) ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *p)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_host(&w, p) ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_event(&w, cudaGraphNodeTypeEventRecord, event)
                        ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event)
{
    struct work w;

    return rt_leave(rt_enter() ?: work_event(&w, cudaGraphNodeTypeWaitEvent, event)
                        ?: set(exec, node, &w));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *p)
{
    struct work w;

    if (p && p->type == cudaGraphNodeTypeGraph)
        return cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph);
    return rt_leave(rt_enter() ?: work_any(&w, p, NULL) ?: set(exec, node, &w));
}

static bool can_disable(const struct CUgraphNode_st *node)
{
    return node->work.type == cudaGraphNodeTypeKernel ||
           node->work.type == cudaGraphNodeTypeMemcpy || node->work.type == cudaGraphNodeTypeMemset;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    cudaGraphNode_t own;
    cudaError_t e = rt_enter() ?: find(exec, node, &own);

    if (!e && !can_disable(own))
        e = cudaErrorInvalidValue;
    if (!e)
        own->disabled = !enabled;
    return rt_leave(e);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    cudaGraphNode_t own;
    cudaError_t e = rt_enter() ?: find(exec, node, &own);

    if (!e && (!enabled || !can_disable(own)))
        e = cudaErrorInvalidValue;
    if (!e)
        *enabled = !own->disabled;
    return rt_leave(e);
}

/* ---- updating all of it ---- */

/* The first dependency of b that a has not; NULL: there is none. */
static cudaGraphNode_t other_edge(const struct CUgraphNode_st *a, const struct CUgraphNode_st *b)
{
    for (size_t i = 0; i < b->ndeps; i++) {
        bool found = false;

        for (size_t k = 0; k < a->ndeps; k++)
            found = found || a->deps[k]->place == b->deps[i]->place;
        if (!found)
            return b->deps[i];
    }
    return NULL;
}

static bool is_cooperative(const struct work *w)
{
    bool is = false;

    for (unsigned i = 0; i < w->kernel.nattrs; i++)
        if (w->kernel.attrs[i].id == cudaLaunchAttributeCooperative)
            is = w->kernel.attrs[i].val.cooperative;
    return is;
}

static enum cudaGraphExecUpdateResult compare(cudaGraph_t a, cudaGraph_t b, size_t *at);

/* Memory is at its address, and conditional nodes are what they are. */
static enum cudaGraphExecUpdateResult compare_work(cudaGraphNode_t x, cudaGraphNode_t y)
{
    const struct work *v = &x->work, *w = &y->work;
    enum cudaGraphExecUpdateResult r = cudaGraphExecUpdateSuccess;
    cudaGraph_t *a, *b;
    size_t n = node_inner(x, &a), m = node_inner(y, &b), inside;

    if (v->type != w->type)
        return cudaGraphExecUpdateErrorNodeTypeChanged;
    if ((v->type == cudaGraphNodeTypeMemAlloc || v->type == cudaGraphNodeTypeMemFree) &&
        v->memory != w->memory)
        return cudaGraphExecUpdateErrorNotSupported;
    if (v->type == cudaGraphNodeTypeKernel && is_cooperative(v) != is_cooperative(w))
        return cudaGraphExecUpdateErrorAttributesChanged;
    if (v->type == cudaGraphNodeTypeConditional && (v->branch.type != w->branch.type || n != m))
        return cudaGraphExecUpdateErrorParametersChanged;
    for (size_t i = 0; i < n && r == cudaGraphExecUpdateSuccess; i++)
        r = compare(a[i], b[i], &inside);
    return r;
}

/* Both sorted: node by node the same types, dependencies and graphs within. *at: the place of the
 * first that is not; of graphs of different sizes, none. */
static enum cudaGraphExecUpdateResult compare(cudaGraph_t a, cudaGraph_t b, size_t *at)
{
    *at = SIZE_MAX;
    if (a->n != b->n)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (*at = 0; *at < a->n; ++*at) {
        const struct CUgraphNode_st *x = a->nodes[*at], *y = b->nodes[*at];

        if (x->ndeps != y->ndeps || other_edge(x, y))
            return cudaGraphExecUpdateErrorTopologyChanged;
        enum cudaGraphExecUpdateResult r = compare_work(a->nodes[*at], b->nodes[*at]);
        if (r != cudaGraphExecUpdateSuccess)
            return r;
    }
    return cudaGraphExecUpdateSuccess;
}

static void swap_work(cudaGraphNode_t a, cudaGraphNode_t b)
{
    struct work w = a->work;

    a->work = b->work;
    b->work = w;
}

/* The first takes the second's work, and remains what its nodes were made from. Kernels of the
 * second know its handles, so that its conditions come along. */
static void take_work(cudaGraph_t a, cudaGraph_t b)
{
    for (size_t i = 0; i < a->n; i++) {
        cudaGraphNode_t x = a->nodes[i], y = b->nodes[i];
        cudaGraph_t *inner, *other;
        size_t n = node_inner(x, &inner);

        node_inner(y, &other);
        for (size_t k = 0; k < n; k++)
            take_work(inner[k], other[k]);
        if (x->work.type == cudaGraphNodeTypeConditional) {
            struct condition *c = x->work.branch.condition, *d = y->work.branch.condition;

            d->exec = d->exec ? d->exec : c->exec;
            c->exec = c == d ? c->exec : NULL;
            x->work.branch.condition = d;
            y->work.branch.condition = c;
        } else if (!n) {
            swap_work(x, y);
        }
    }
}

static cudaGraphNode_t original(cudaGraph_t graph, const struct CUgraphNode_st *clone)
{
    for (size_t i = 0; clone && i < graph->n; i++)
        if (graph->nodes[i]->id == clone->origin)
            return graph->nodes[i];
    return NULL;
}

/* Of the program's graph, what its clone says does not fit. */
static void name_nodes(cudaGraphNode_t own, cudaGraphNode_t clone, cudaGraph_t graph,
                       cudaGraphExecUpdateResultInfo *info)
{
    info->errorNode = original(graph, clone);
    if (info->result == cudaGraphExecUpdateErrorTopologyChanged && own->ndeps == clone->ndeps)
        info->errorFromNode = original(graph, other_edge(own, clone));
}

/* graph is the program's; its nodes are named where they do not fit. */
static cudaError_t update(cudaGraph_t own, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    cudaGraph_t clone;
    size_t at;
    cudaError_t e = graph_clone(&clone, graph, false);

    if (e)
        return e;
    info->result = sort_all(clone) ? compare(own, clone, &at) : cudaGraphExecUpdateError;
    if (info->result == cudaGraphExecUpdateSuccess) {
        take_work(own, clone);
    } else {
        e = cudaErrorGraphExecUpdateFailure;
        if (info->result != cudaGraphExecUpdateError && at < clone->n)
            name_nodes(own->nodes[at], clone->nodes[at], graph, info);
    }
    graph_free(clone);
    return e;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    cudaError_t e = rt_enter();

    if (!e && (!exec_known(exec) || !graph_known(graph) || !info))
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    return rt_leave(update(exec->graph, graph, info));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    cudaGraphExecUpdateResultInfo info = {0};
    cudaGraphNode_t own;
    cudaError_t e = rt_enter() ?: find(exec, node, &own);

    if (!e && (!graph_known(child) || own->work.type != cudaGraphNodeTypeGraph))
        e = cudaErrorInvalidValue;
    return rt_leave(e ?: update(own->work.child, child, &info));
}
