/* graph_update.c - graphs that are instantiated take on another's work: all of it, or a child's.
 *
 * Interface: cudaGraphExecUpdate() and its kin. Node by node both must do the same kinds of things
 * in the same order. Which node is named where they do not is what an H200 says.
 */
#include "graph.h"
#include <string.h>

static bool has_edge(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to,
                     const cudaGraphEdgeData *edge)
{
    for (size_t i = 0; i < to->ndeps; i++)
        if (to->deps[i]->place == from->place && !memcmp(&to->edges[i], edge, sizeof(*edge)))
            return true;
    return false;
}

/* As many edges lead to it, and those from it there are, too. */
static bool edges_match(cudaGraph_t a, cudaGraph_t b, size_t at)
{
    const struct CUgraphNode_st *from = a->nodes[at];

    for (size_t i = 0; i < a->n; i++) {
        const struct CUgraphNode_st *to = a->nodes[i];

        for (size_t k = 0; k < to->ndeps; k++)
            if (to->deps[k] == from && !has_edge(b->nodes[at], b->nodes[i], &to->edges[k]))
                return false;
    }
    return from->ndeps == b->nodes[at]->ndeps;
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
        return cudaGraphExecUpdateErrorNotSupported;
    if ((v->type == cudaGraphNodeTypeMemcpy && !copies_alike(&v->copy, &w->copy)) ||
        (v->type == cudaGraphNodeTypeMemset && (v->fill.height > 1) != (w->fill.height > 1)))
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
        if (!edges_match(a, b, *at))
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

/* graph is the program's; its nodes are named where they do not fit. */
static cudaError_t update(cudaGraph_t own, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    cudaGraph_t clone;
    size_t at;
    cudaError_t e = graph_clone(&clone, graph, false);

    if (e)
        return e;
    info->result = graph_sort_all(clone) ? compare(own, clone, &at) : cudaGraphExecUpdateError;
    if (info->result == cudaGraphExecUpdateSuccess) {
        take_work(own, clone);
    } else {
        e = cudaErrorGraphExecUpdateFailure;
        if (info->result != cudaGraphExecUpdateError && at < clone->n)
            info->errorNode = graph_original(graph, clone->nodes[at]);
    }
    graph_free(clone);
    return e;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphExecUpdateResultInfo unread = {0};
    cudaError_t e = rt_enter();

    if (!e && (!exec_graph(exec) || !graph_known(graph)))
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    info = info ? info : &unread;
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    return rt_leave(update(exec_graph(exec), graph, info));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    cudaGraphExecUpdateResultInfo info = {0};
    cudaGraphNode_t own;
    cudaError_t e = rt_enter() ?: exec_find(exec, node, &own);

    if (!e && (!graph_known(child) || own->work.type != cudaGraphNodeTypeGraph))
        e = cudaErrorInvalidValue;
    return rt_leave(e ?: update(own->work.child, child, &info));
}
