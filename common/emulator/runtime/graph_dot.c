/* graph_dot.c - a graph as a DOT file (cudaGraphDebugDotPrint).
 *
 * A cluster a graph, those within it after it; a box a node: its number, what it does, and as much
 * of its parameters as the flags ask for. The layout is like that of CUDA's own files, not the
 * same to the letter.
 */
#include "base/text.h"
#include "emulator/base/names.h"
#include "graph.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const type_words[] = {
    [cudaGraphNodeTypeKernel] = "KERNEL",
    [cudaGraphNodeTypeMemcpy] = "MEMCPY",
    [cudaGraphNodeTypeMemset] = "MEMSET",
    [cudaGraphNodeTypeHost] = "HOST",
    [cudaGraphNodeTypeGraph] = "GRAPH",
    [cudaGraphNodeTypeEmpty] = "EMPTY",
    [cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
    [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
    [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
    [cudaGraphNodeTypeMemFree] = "MEM_FREE",
    [cudaGraphNodeTypeConditional] = "CONDITIONAL",
};

static bool wants(unsigned flags, unsigned flag)
{
    return flags & (flag | cudaGraphDebugDotFlagsVerbose);
}

static void put_kernel(struct text *t, cudaGraphNode_t node, unsigned flags)
{
    const struct work *w = &node->work;
    const dim3 *g = &w->kernel.grid, *b = &w->kernel.block;

    pthread_mutex_lock(&rt_lock);
    const struct kernel *k = kernel_find(w->kernel.func);
    text_addf(t, "\\n%s", k ? shown_name(k->name) : "?");
    pthread_mutex_unlock(&rt_lock);
    if (wants(flags, cudaGraphDebugDotFlagsKernelNodeParams))
        text_addf(t, "\\ngrid %u,%u,%u block %u,%u,%u shared %u", g->x, g->y, g->z, b->x, b->y,
                  b->z, w->kernel.shared);
    for (unsigned i = 0;
         wants(flags, cudaGraphDebugDotFlagsKernelNodeAttributes) && i < w->kernel.nattrs; i++)
        text_addf(t, "\\nattribute %d", (int)w->kernel.attrs[i].id);
}

static void put_copy(struct text *t, const struct cudaMemcpy3DParms *c, unsigned flags)
{
    static const char *const kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD", "DEFAULT"};

    text_addf(t, " %s", (unsigned)c->kind < 5 ? kinds[c->kind] : "?");
    if (wants(flags, cudaGraphDebugDotFlagsMemcpyNodeParams))
        text_addf(t, "\\nfrom %p to %p\\n%zu x %zu x %zu", c->srcPtr.ptr, c->dstPtr.ptr,
                  c->extent.width, c->extent.height, c->extent.depth);
}

static void put_fill(struct text *t, const struct cudaMemsetParams *m, unsigned flags)
{
    if (wants(flags, cudaGraphDebugDotFlagsMemsetNodeParams))
        text_addf(t, "\\n%p value %u\\n%zu x %zu of %u", m->dst, m->value, m->width, m->height,
                  m->elementSize);
}

static void put_branch(struct text *t, const struct work *w, unsigned flags)
{
    static const char *const kinds[] = {"IF", "WHILE", "SWITCH"};

    text_addf(t, " %s", kinds[w->branch.type]);
    if (wants(flags, cudaGraphDebugDotFlagsConditionalNodeParams))
        text_addf(t, "\\nhandle 0x%lx bodies %u", w->branch.condition->handle, w->branch.size);
}

static void put_label(struct text *t, cudaGraphNode_t node, unsigned flags)
{
    const struct work *w = &node->work;

    text_add(t, type_words[w->type]);
    if (w->type == cudaGraphNodeTypeKernel)
        put_kernel(t, node, flags);
    else if (w->type == cudaGraphNodeTypeMemcpy)
        put_copy(t, &w->copy, flags);
    else if (w->type == cudaGraphNodeTypeMemset)
        put_fill(t, &w->fill, flags);
    else if (w->type == cudaGraphNodeTypeConditional)
        put_branch(t, w, flags);
    else if (w->type == cudaGraphNodeTypeMemAlloc || w->type == cudaGraphNodeTypeMemFree)
        text_addf(t, "\\n0x%lx, %lu bytes", w->memory->addr, w->memory->size);
    else if (w->type == cudaGraphNodeTypeHost && wants(flags, cudaGraphDebugDotFlagsHostNodeParams))
        text_addf(t, "\\n%p(%p)", (void *)w->host.fn, w->host.userData);
    else if ((w->type == cudaGraphNodeTypeWaitEvent || w->type == cudaGraphNodeTypeEventRecord) &&
             wants(flags, cudaGraphDebugDotFlagsEventNodeParams))
        text_addf(t, "\\n%p", (void *)w->event);
    if (wants(flags, cudaGraphDebugDotFlagsHandles))
        text_addf(t, "\\nnode %p", (void *)node);
}

static void put_graph(struct text *t, cudaGraph_t g, unsigned flags)
{
    text_addf(t, "subgraph cluster_%lu {\nlabel=\"graph_%lu\" graph[style=\"dashed\"];\n", g->id,
              g->id);
    for (size_t i = 0; i < g->n; i++) {
        g->nodes[i]->place = i;
        text_addf(t, "\"graph_%lu_node_%zu\"[shape=\"rectangle\" label=\"%zu\\n", g->id, i, i);
        put_label(t, g->nodes[i], flags);
        text_add(t, "\"];\n");
    }
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->ndeps; k++)
            text_addf(t, "\"graph_%lu_node_%zu\" -> \"graph_%lu_node_%zu\";\n", g->id,
                      g->nodes[i]->deps[k]->place, g->id, i);
    text_add(t, "}\n");
    for (size_t i = 0; i < g->n; i++) {
        cudaGraph_t *inner;
        size_t n = node_inner(g->nodes[i], &inner);

        for (size_t k = 0; k < n; k++) {
            if (inner[k]->n)
                text_addf(t, "\"graph_%lu_node_%zu\" -> \"graph_%lu_node_0\"[lhead=cluster_%lu];\n",
                          g->id, i, inner[k]->id, inner[k]->id);
            put_graph(t, inner[k], flags);
        }
    }
}

static cudaError_t print(cudaGraph_t g, const char *path, unsigned flags)
{
    struct text t = {0};

    if (!graph_known(g) || !path)
        return cudaErrorInvalidValue;
    FILE *f = fopen(path, "we");
    if (!f)
        return emu_fail(cudaErrorOperatingSystem, "cudaGraphDebugDotPrint: cannot write %s", path);
    text_add(&t, "digraph dot {\ncompound=true;\n");
    put_graph(&t, g, flags);
    text_add(&t, "}\n");
    bool written = fputs(text_str(&t), f) >= 0;
    written = fclose(f) == 0 && written;
    text_free(&t);
    return written ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags)
{
    return rt_leave(rt_enter() ?: print(graph, path, flags));
}
