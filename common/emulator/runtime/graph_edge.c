/* graph_edge.c - what of a graph follows what.
 *
 * An edge says when its second node may start: when the first has ended; or, of two kernels, when
 * the first's blocks allow it (cudaTriggerProgrammaticLaunchCompletion()) or have begun, and the
 * second waits for its end by itself (cudaGridDependencySynchronize()). Here it starts at its end
 * in each case, which these edges allow.
 */
#include "graph.h"
#include <stdlib.h>
#include <string.h>

static const cudaGraphEdgeData plain;

static bool is_plain(const cudaGraphEdgeData *e)
{
    return !memcmp(e, &plain, sizeof(plain));
}

bool edge_fits(const cudaGraphEdgeData *e, enum cudaGraphNodeType from, enum cudaGraphNodeType to)
{
    const cudaGraphEdgeData rest = {.from_port = e->from_port, .type = e->type};
    bool begun = e->from_port == cudaGraphKernelNodePortLaunchCompletion;

    if (is_plain(e))
        return true;
    if (memcmp(e, &rest, sizeof(rest)) || from != cudaGraphNodeTypeKernel)
        return false;
    if (e->type == cudaGraphDependencyTypeDefault)
        return begun;
    return e->type == cudaGraphDependencyTypeProgrammatic && to == cudaGraphNodeTypeKernel &&
           (begun || e->from_port == cudaGraphKernelNodePortProgrammatic);
}

void node_depend(cudaGraphNode_t node, const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges,
                 size_t n)
{
    if (!n)
        return;
    node->deps = xrealloc(node->deps, (node->ndeps + n) * sizeof(cudaGraphNode_t));
    node->edges = xrealloc(node->edges, (node->ndeps + n) * sizeof(cudaGraphEdgeData));
    for (size_t i = 0; i < n; i++, node->ndeps++) {
        node->deps[node->ndeps] = deps[i];
        node->edges[node->ndeps] = edges ? edges[i] : plain;
    }
}

void node_undepend(cudaGraphNode_t node, cudaGraphNode_t dep)
{
    size_t kept = 0;

    for (size_t i = 0; i < node->ndeps; i++) {
        if (node->deps[i] == dep)
            continue;
        node->deps[kept] = node->deps[i];
        node->edges[kept++] = node->edges[i];
    }
    node->ndeps = kept;
}

static bool depends(cudaGraphNode_t node, cudaGraphNode_t dep)
{
    for (size_t i = 0; i < node->ndeps; i++)
        if (node->deps[i] == dep)
            return true;
    return false;
}

static const cudaGraphEdgeData *edge_at(const cudaGraphEdgeData *edges, size_t i)
{
    return edges ? &edges[i] : &plain;
}

/* All are right, or none is done. Of an edge that is taken away, its data are not looked at. */
static cudaError_t edges_fit(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                             const cudaGraphEdgeData *edges, size_t n, bool there)
{
    if (!graph_known(g) || (n && (!from || !to)))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        const cudaGraphEdgeData *edge = edge_at(edges, i);

        if (!graph_has(g, from[i]) || !graph_has(g, to[i]) || from[i] == to[i] ||
            (!there && !edge_fits(edge, from[i]->work.type, to[i]->work.type)) ||
            depends(to[i], from[i]) != there)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t n)
{
    cudaError_t e = rt_enter() ?: edges_fit(graph, from, to, edges, n, false);

    for (size_t i = 0; !e && i < n; i++)
        node_depend(to[i], &from[i], edge_at(edges, i), 1);
    return rt_leave(e);
}

static cudaError_t shrinks(cudaGraph_t g)
{
    return graph_known(g) ? graph_shrinks(g) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t n)
{
    cudaError_t e = rt_enter() ?: shrinks(graph) ?: edges_fit(graph, from, to, edges, n, true);

    for (size_t i = 0; !e && i < n; i++)
        node_undepend(to[i], from[i]);
    return rt_leave(e);
}

/* ---- lists ---- */

/* What a program asks for a list with: room for *room, or none to learn how many there are; the
 * rest of its room is NULL. */
struct list {
    cudaGraphNode_t *out, *other;
    cudaGraphEdgeData *edges;
    size_t room, n;
    bool lossy; /* an edge says more than the program asks for */
};

static void put(struct list *l, cudaGraphNode_t node, cudaGraphNode_t other,
                const cudaGraphEdgeData *edge)
{
    if (l->out && l->n < l->room) {
        l->out[l->n] = node;
        if (l->other)
            l->other[l->n] = other;
        if (l->edges)
            l->edges[l->n] = *edge;
    }
    l->lossy = l->lossy || (!l->edges && l->out && !is_plain(edge));
    l->n++;
}

static cudaError_t listed(struct list *l, size_t *n)
{
    if (l->lossy)
        return emu_fail(cudaErrorLossyQuery, "an edge is no plain one: ask for edges' data, too");
    for (size_t i = l->n; l->out && i < l->room; i++) {
        l->out[i] = NULL;
        if (l->other)
            l->other[i] = NULL;
    }
    *n = l->out && l->n > l->room ? l->room : l->n;
    return cudaSuccess;
}

static cudaError_t nodes_of(cudaGraph_t g, cudaGraphNode_t *out, size_t *n, bool roots)
{
    if (!graph_known(g) || !n)
        return cudaErrorInvalidValue;
    struct list l = {.out = out, .room = *n};
    for (size_t i = 0; i < g->n; i++)
        if (!roots || !g->nodes[i]->ndeps)
            put(&l, g->nodes[i], NULL, &plain);
    return listed(&l, n);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    return rt_leave(rt_enter() ?: nodes_of(graph, nodes, n, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    return rt_leave(rt_enter() ?: nodes_of(graph, nodes, n, true));
}

static cudaError_t edges_of(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
                            cudaGraphEdgeData *edges, size_t *n)
{
    if (!graph_known(g) || !n || !from != !to)
        return cudaErrorInvalidValue;
    struct list l = {.out = from, .other = to, .edges = edges, .room = *n};
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->ndeps; k++)
            put(&l, g->nodes[i]->deps[k], g->nodes[i], &g->nodes[i]->edges[k]);
    return listed(&l, n);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *n)
{
    return rt_leave(rt_enter() ?: edges_of(graph, from, to, edges, n));
}

static cudaError_t before(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edges,
                          size_t *n)
{
    if (!node_known(node) || !n)
        return cudaErrorInvalidValue;
    struct list l = {.out = out, .edges = edges, .room = *n};
    for (size_t i = 0; i < node->ndeps; i++)
        put(&l, node->deps[i], NULL, &node->edges[i]);
    return listed(&l, n);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                         cudaGraphEdgeData *edges, size_t *n)
{
    return rt_leave(rt_enter() ?: before(node, deps, edges, n));
}

static cudaError_t behind(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edges,
                          size_t *n)
{
    if (!node_known(node) || !n)
        return cudaErrorInvalidValue;
    struct list l = {.out = out, .edges = edges, .room = *n};
    for (size_t i = 0; i < node->graph->n; i++) {
        cudaGraphNode_t other = node->graph->nodes[i];

        for (size_t k = 0; k < other->ndeps; k++)
            if (other->deps[k] == node)
                put(&l, other, NULL, &other->edges[k]);
    }
    return listed(&l, n);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *edges, size_t *n)
{
    return rt_leave(rt_enter() ?: behind(node, nodes, edges, n));
}
