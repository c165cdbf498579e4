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
#include "hold.h"
#include <stdlib.h>
#include <string.h>

struct CUgraphExec_st {
    struct CUgraphExec_st *next;
    cudaGraph_t graph;
    unsigned long long flags;
    bool uploaded;
    const struct running *tail_of; /* which it is to follow */
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

cudaGraph_t exec_graph(cudaGraphExec_t exec)
{
    return exec_known(exec) ? exec->graph : NULL;
}

/* ---- instantiating ---- */

bool graph_sort_all(cudaGraph_t g)
{
    if (!graph_sort(g))
        return false;
    for (size_t i = 0; i < g->n; i++) {
        cudaGraph_t *inner;
        size_t n = node_inner(g->nodes[i], &inner);

        for (size_t k = 0; k < n; k++)
            if (!graph_sort_all(inner[k]))
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

cudaGraphNode_t graph_original(cudaGraph_t graph, const struct CUgraphNode_st *clone)
{
    for (size_t i = 0; clone && i < graph->n; i++) {
        cudaGraph_t *inner;
        size_t n = node_inner(graph->nodes[i], &inner);
        cudaGraphNode_t found = graph->nodes[i]->id == clone->origin ? graph->nodes[i] : NULL;

        for (size_t k = 0; k < n && !found; k++)
            found = graph_original(inner[k], clone);
        if (found)
            return found;
    }
    return NULL;
}

/* What a device does by itself, for one that kernels launch. */
static void look_at(cudaGraphNode_t node, void *arg)
{
    cudaGraphInstantiateParams *p = arg;
    const struct work *w = &node->work;
    bool kernel = w->type == cudaGraphNodeTypeKernel, copy = w->type == cudaGraphNodeTypeMemcpy;

    if (p->errNode_out)
        return;
    if (copy && copy_is_pageable(&w->copy))
        p->result_out = cudaGraphInstantiateMultipleDevicesNotSupported;
    else if (!kernel && !copy && w->type != cudaGraphNodeTypeMemset &&
             w->type != cudaGraphNodeTypeGraph)
        p->result_out = cudaGraphInstantiateNodeOperationNotSupported;
    else
        return;
    p->errNode_out = node;
}

static cudaError_t fit_for_kernels(cudaGraph_t own, cudaGraph_t graph, unsigned long long flags,
                                   cudaGraphInstantiateParams *p)
{
    if (!own->n || flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)
        return emu_fail(cudaErrorInvalidValue, "cudaGraphInstantiate: a graph that kernels launch "
                                               "is not empty, and frees no memory by itself");
    graph_each(own, look_at, p);
    if (!p->errNode_out)
        return cudaSuccess;
    p->errNode_out = graph_original(graph, p->errNode_out);
    return emu_fail(cudaErrorInvalidValue, "cudaGraphInstantiate: a graph that kernels launch "
                                           "holds kernels, fills, graphs, and copies that touch no "
                                           "pageable memory");
}

static void look_in_body(cudaGraphNode_t node, void *found)
{
    switch (node->work.type) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeConditional:
        return;
    case cudaGraphNodeTypeMemcpy:
        *(bool *)found = *(bool *)found || copy_is_pageable(&node->work.copy);
        return;
    default:
        *(bool *)found = true;
    }
}

/* A device runs bodies by itself. */
static bool bodies_fit(cudaGraph_t g)
{
    bool other = false;

    for (size_t i = 0; i < g->n && !other; i++) {
        cudaGraph_t *inner;
        size_t n = node_inner(g->nodes[i], &inner);

        for (size_t k = 0; k < n; k++)
            if (inner[k]->body)
                graph_each(inner[k], look_in_body, &other);
            else
                other = other || !bodies_fit(inner[k]);
    }
    return !other;
}

/* own: the clone that is to run. */
static cudaError_t fit_to_run(cudaGraph_t own, cudaGraph_t graph, unsigned long long flags,
                              cudaGraphInstantiateParams *p)
{
    bool held = false;

    if (!graph_sort_all(own)) {
        p->result_out = cudaGraphInstantiateInvalidStructure;
        for (size_t i = 0; i < own->n; i++)
            if (own->nodes[i]->place == SIZE_MAX)
                p->errNode_out = graph_original(graph, own->nodes[i]);
        return emu_fail(cudaErrorInvalidValue, "cudaGraphInstantiate: nodes depend on each other "
                                               "in a ring");
    }
    if (!conditions_used(graph)) {
        p->result_out = cudaGraphInstantiateConditionalHandleUnused;
        return emu_fail(cudaErrorInvalidValue,
                        "cudaGraphInstantiate: a conditional handle has no node");
    }
    if (!bodies_fit(own))
        return emu_fail(cudaErrorInvalidValue,
                        "cudaGraphInstantiate: the body of a conditional node holds kernels, "
                        "fills, graphs, conditional nodes, and copies that touch no pageable "
                        "memory");
    graph_each(own, look_held, &held);
    if (held)
        return emu_fail(cudaErrorNotSupported,
                        "cudaGraphInstantiate: a graph with memory or conditional nodes is "
                        "instantiated once at a time");
    return flags & cudaGraphInstantiateFlagDeviceLaunch ? fit_for_kernels(own, graph, flags, p)
                                                        : cudaSuccess;
}

/* p: all that there is to say; its flags are not looked at. */
static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags,
                               cudaGraphInstantiateParams *p)
{
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                     cudaGraphInstantiateFlagDeviceLaunch |
                                     cudaGraphInstantiateFlagUseNodePriority;
    cudaGraph_t own;

    p->result_out = cudaGraphInstantiateError;
    p->errNode_out = NULL;
    if (!out || !graph_known(graph) || flags & ~known)
        return cudaErrorInvalidValue;
    cudaError_t e = graph_clone(&own, graph, false);
    if (e)
        return e;
    e = fit_to_run(own, graph, flags, p);
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
    p->result_out = cudaGraphInstantiateSuccess;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    cudaGraphInstantiateParams p;

    return rt_leave(rt_enter() ?: instantiate(exec, graph, flags, &p));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

/* Not modelled: the upload, which costs nothing here. */
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *p)
{
    const unsigned long long upload = cudaGraphInstantiateFlagUpload;
    cudaError_t e = rt_enter();

    if (!e && !p)
        e = cudaErrorInvalidValue;
    e = e ?: instantiate(exec, graph, p->flags & ~upload, p);
    if (!e)
        (*exec)->uploaded = p->flags & upload;
    return rt_leave(e);
}

/* Those that change what it does. */
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    cudaError_t e = rt_enter();

    if (!e && (!flags || !exec_known(exec)))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = exec->flags & ~(unsigned long long)cudaGraphInstantiateFlagUseNodePriority;
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

/* Where kernels launch graphs to (cuda_device_runtime_api.h). */
#define GRAPH_TAIL    (1ull << 56)
#define GRAPH_FORGET  (2ull << 56)
#define GRAPH_SIBLING (3ull << 56)

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
    struct kernel_set *base = order_now(), *all = order_now();
    cudaError_t e = cudaSuccess;

    for (size_t i = 0; !e && i < g->n && !rt_fault(); i++) {
        cudaGraphNode_t node = g->nodes[i];
        cudaStream_t on = stream_beside(stream, node->device);
        double at = start;

        for (size_t k = 0; k < node->ndeps; k++)
            at = node->deps[k]->end > at ? node->deps[k]->end : at;
        stream_set_end(on, at);
        order_start(base, node);
        if (!node->disabled)
            e = run_work(&node->work, on);
        node->over = order_now();
        order_join(all);
        node->end = stream_end(on);
        end = node->end > end ? node->end : end;
    }
    stream_set_end(stream, end);
    for (size_t i = 0; i < g->n; i++) {
        free(g->nodes[i]->over);
        g->nodes[i]->over = NULL;
    }
    free(base);
    free(all);
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

static cudaError_t run_once(cudaGraphExec_t exec, cudaStream_t stream)
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
    bool was = order_begin();
    cudaError_t e = run_graph(exec->graph, stream);
    order_end(was);
    return e;
}

/* ---- launches from kernels ---- */

/* Graphs that are to run one after another; what a graph's kernels launch into its tail comes
 * before what was to follow it. */
struct following {
    struct following *next;
    cudaGraphExec_t exec;
};
static __thread struct running {
    struct running *above;
    cudaGraphExec_t exec;
    struct following *tail, **end;
    unsigned tails, forgotten; /* that its kernels have asked for */
} * running;

uint64_t graph_running(void)
{
    return (uint64_t)running;
}

/* What kernels know of it: those of a graph that they cannot launch know none. */
uint64_t graph_current(void)
{
    return running && running->exec->flags & cudaGraphInstantiateFlagDeviceLaunch
               ? (uint64_t)running->exec
               : 0;
}

enum { MOST_TAILS = 255, MOST_FORGOTTEN = 120 }; /* of a graph at once (programming guide) */

static bool is_running(const struct running *r, const struct CUgraphExec_st *exec)
{
    while (r && r->exec != exec)
        r = r->above;
    return r != NULL;
}

static cudaError_t may_follow(cudaGraphExec_t exec, bool tail, struct running *from)
{
    if (!exec->uploaded)
        return emu_fail(cudaErrorInvalidValue, "the graph was not uploaded (cudaGraphUpload())");
    if (tail ? exec->tail_of == from : is_running(from, exec))
        return emu_fail(cudaErrorInvalidValue,
                        tail ? "the graph is in the tail already" : "the graph is running");
    unsigned *n = tail ? &from->tails : &from->forgotten;
    if (*n == (tail ? MOST_TAILS : MOST_FORGOTTEN))
        return emu_fail(cudaErrorInvalidValue,
                        "a graph launches no more than %d graphs into its tail and %d others",
                        MOST_TAILS, MOST_FORGOTTEN);
    ++*n;
    exec->tail_of = tail ? from : exec->tail_of;
    return cudaSuccess;
}

cudaError_t graph_may_follow(uint64_t graph, uint64_t stream, uint64_t from)
{
    cudaGraphExec_t exec = (cudaGraphExec_t)graph;

    if (!exec)
        return emu_fail(cudaErrorInvalidValue, "the graph is NULL");
    if (stream != GRAPH_TAIL && stream != GRAPH_FORGET && stream != GRAPH_SIBLING)
        return emu_fail(cudaErrorInvalidValue, "0x%lx is no stream for graphs", stream);
    if (!exec_known(exec) || !(exec->flags & cudaGraphInstantiateFlagDeviceLaunch))
        return emu_fail(cudaErrorIllegalAddress,
                        "0x%lx is no graph that was instantiated with "
                        "cudaGraphInstantiateFlagDeviceLaunch",
                        graph);
    pthread_mutex_lock(&graphs_lock);
    cudaError_t e = may_follow(exec, stream == GRAPH_TAIL, (struct running *)from);
    pthread_mutex_unlock(&graphs_lock);
    return e;
}

/* What was asked of a graph that is over stands no longer in its tail. */
static void forget_tails(const struct running *r)
{
    pthread_mutex_lock(&graphs_lock);
    for (struct CUgraphExec_st *x = execs; x; x = x->next)
        x->tail_of = x->tail_of == r ? NULL : x->tail_of;
    pthread_mutex_unlock(&graphs_lock);
}

/* It, and what is launched into its tail. */
static cudaError_t run_all(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct following *todo = NULL, *now;
    struct running *above = running, here = {.above = above, .exec = exec};
    uint64_t rounds = 0, limit = emu_options()->steps;
    cudaError_t e;

    for (;;) {
        here.end = &here.tail;
        running = &here;
        e = run_once(here.exec, stream);
        *here.end = todo;
        now = here.tail;
        forget_tails(&here);
        running = above;
        if (!now || e || rt_fault())
            break;
        if (limit && ++rounds >= limit) {
            emu_keep(cudaErrorLaunchTimeout,
                     "a graph's kernels have launched %lu graphs after it: WARPLAB_STEPS", rounds);
            rt_set_sticky(cudaErrorLaunchTimeout);
            break;
        }
        here = (struct running){.above = above, .exec = now->exec};
        todo = now->next;
        free(now);
    }
    for (struct following *next; now; now = next) {
        next = now->next;
        free(now);
    }
    return e;
}

cudaError_t graph_follow(uint64_t graph, uint64_t from_stream, cudaStream_t stream)
{
    cudaGraphExec_t exec = (cudaGraphExec_t)graph;

    if (from_stream != GRAPH_TAIL)
        return run_all(exec, stream);
    struct following *f = xcalloc(1, sizeof(*f));
    f->exec = exec;
    *running->end = f;
    running->end = &f->next;
    return cudaSuccess;
}

static bool run_later(cudaStream_t stream, void *exec)
{
    cudaError_t e = run_all(*(cudaGraphExec_t *)exec, stream);

    if (e)
        rt_set_sticky(e);
    return true;
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
    if (capture_takes(stream, &w, &e))
        return e;
    exec->uploaded = true;
    return hold_later(stream, run_later, &exec, sizeof(exec)) ? cudaSuccess : run_all(exec, stream);
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
    e = e ?: capture_bars(stream);
    if (!e)
        exec->uploaded = true;
    return rt_leave(e);
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

cudaError_t exec_find(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNode_t *out)
{
    if (!exec_known(exec) || !node_known(node))
        return cudaErrorInvalidValue;
    *out = made_from(exec->graph, node->id);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

/* A copy goes the way that it went, and neither it nor a fill gets rows. */
static bool is_like(const struct work *a, const struct work *b)
{
    if (a->type != b->type)
        return true; /* another error's */
    if (a->type == cudaGraphNodeTypeMemset)
        return (a->fill.height > 1) == (b->fill.height > 1);
    return a->type != cudaGraphNodeTypeMemcpy ||
           (a->copy.kind == b->copy.kind &&
            (a->copy.extent.height > 1) == (b->copy.extent.height > 1) &&
            (a->copy.extent.depth > 1) == (b->copy.extent.depth > 1));
}

static cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct work *w)
{
    cudaGraphNode_t own;
    cudaError_t e = exec_find(exec, node, &own);

    if (!e && !is_like(&own->work, w))
        e = emu_fail(cudaErrorInvalidValue, "a node that is instantiated copies the way that it "
                                            "did, and as many dimensions");
    return e ?: node_set(own, w);
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
    cudaError_t e = rt_enter() ?: exec_find(exec, node, &own);

    if (!e && !can_disable(own))
        e = cudaErrorInvalidValue;
    if (!e)
        own->disabled = !enabled;
    return rt_leave(e);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    cudaGraphNode_t own;
    cudaError_t e = rt_enter() ?: exec_find(exec, node, &own);

    if (!e && (!enabled || !can_disable(own)))
        e = cudaErrorInvalidValue;
    if (!e)
        *enabled = !own->disabled;
    return rt_leave(e);
}
