/* graph_condition.c - handles whose value kernels set, and nodes that look at it.
 *
 * A handle is the address of its value (exec/builtin.h), which lasts as long as the graph that it
 * was made for, or a node that looks at it. Bodies are graphs of the node's own, empty at first.
 */
#include "emulator/exec/builtin.h"
#include "graph.h"
#include <stdlib.h>

static struct condition *conditions;

void condition_keep(struct condition *c)
{
    pthread_mutex_lock(&graphs_lock);
    c->refs++;
    pthread_mutex_unlock(&graphs_lock);
}

void condition_drop(struct condition *c)
{
    pthread_mutex_lock(&graphs_lock);
    bool last = --c->refs == 0;
    for (struct condition **p = &conditions; last && *p; p = &(*p)->next) {
        if (*p == c) {
            *p = c->next;
            break;
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    if (!last)
        return;
    launch_pause();
    mem_free(c->handle);
    launch_resume();
    free(c);
}

static struct condition *of_graph(uint64_t id)
{
    struct condition *found = NULL;

    pthread_mutex_lock(&graphs_lock);
    for (struct condition *c = conditions; c && !found; c = c->next)
        if (c->graph == id)
            found = c;
    pthread_mutex_unlock(&graphs_lock);
    return found;
}

bool graph_has_handles(cudaGraph_t g)
{
    return of_graph(g->id) != NULL;
}

void conditions_leave(cudaGraph_t g)
{
    for (struct condition *c; (c = of_graph(g->id));) {
        c->graph = 0;
        condition_drop(c);
    }
}

static cudaError_t create(cudaGraphConditionalHandle *out, cudaGraph_t g, unsigned initial,
                          unsigned flags)
{
    if (!out || !graph_known(g) || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return cudaErrorInvalidValue;
    const struct mem_alloc *a =
        mem_alloc_on((unsigned)rt_device, sizeof(uint32_t), 256, MEM_WORKSPACE, CONDITION_LABEL);
    if (!a)
        return cudaErrorMemoryAllocation;
    struct condition *c = xcalloc(1, sizeof(*c));
    pthread_mutex_lock(&graphs_lock);
    *c = (struct condition){.next = conditions,
                            .refs = 1,
                            .handle = a->addr,
                            .value = (uint32_t *)a->host,
                            .initial = initial,
                            .assigns = flags & cudaGraphCondAssignDefault,
                            .graph = g->id};
    conditions = c;
    pthread_mutex_unlock(&graphs_lock);
    *out = c->handle;
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned initial, unsigned flags)
{
    return rt_leave(rt_enter() ?: create(handle, graph, initial, flags));
}

/* Made for g, or for a graph that g is in. */
static struct condition *condition_for(cudaGraphConditionalHandle handle, cudaGraph_t g)
{
    struct condition *found = NULL;

    pthread_mutex_lock(&graphs_lock);
    for (struct condition *c = conditions; c; c = c->next)
        for (cudaGraph_t up = g; up; up = up->parent)
            if (c->handle == handle && c->graph == up->id)
                found = c;
    pthread_mutex_unlock(&graphs_lock);
    return found;
}

static bool size_fits(enum cudaGraphConditionalNodeType type, unsigned size)
{
    switch (type) {
    case cudaGraphCondTypeIf:
        return size == 1 || size == 2;
    case cudaGraphCondTypeWhile:
        return size == 1;
    case cudaGraphCondTypeSwitch:
        return size > 0;
    }
    return false;
}

cudaError_t work_branch(struct work *w, const struct cudaConditionalNodeParams *p, cudaGraph_t g)
{
    struct condition *c = condition_for(p->handle, g);

    if (!size_fits(p->type, p->size))
        return emu_fail(cudaErrorInvalidValue,
                        "a conditional node of type %d cannot have %u bodies", (int)p->type,
                        p->size);
    if (!c || c->used)
        return emu_fail(cudaErrorInvalidValue, "a conditional node: its handle is %s",
                        c ? "another node's" : "not of this graph");
    *w = (struct work){.type = cudaGraphNodeTypeConditional,
                       .branch = {.condition = c, .type = p->type, .size = p->size}};
    return cudaSuccess;
}

bool conditions_used(cudaGraph_t g)
{
    bool all = true;

    pthread_mutex_lock(&graphs_lock);
    for (const struct condition *c = conditions; c; c = c->next)
        all = all && (c->graph != g->id || c->used);
    pthread_mutex_unlock(&graphs_lock);
    for (size_t i = 0; all && i < g->n; i++) {
        cudaGraph_t *inner;
        size_t n = node_inner(g->nodes[i], &inner);

        for (size_t k = 0; k < n; k++)
            all = all && conditions_used(inner[k]);
    }
    return all;
}
