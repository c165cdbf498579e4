/* graph.h - private to this folder: what graphs and captures share.
 *
 * Work is what a node does. Functions that issue work describe it so, and ask capture_takes(), the
 * one place that knows of captures, before they do it.
 */
#ifndef EMULATOR_GRAPH_H
#define EMULATOR_GRAPH_H

#include "cudart.h"

struct work {
    enum cudaGraphNodeType type;
    union {
        struct {
            const void *func;
            dim3 grid, block;
            unsigned shared;
            void **args;
            const cudaLaunchAttribute *attrs;
            unsigned nattrs;
        } kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaEvent_t event;
        cudaGraph_t child;
    };
};

/* Does it now, in a stream. Each asks capture_takes() itself. */
cudaError_t launch(const void *func, const cudaLaunchConfig_t *c, void **args);
cudaError_t copy_3d(const struct cudaMemcpy3DParms *c, cudaStream_t stream, bool wait);
cudaError_t fill_elements(const struct cudaMemsetParams *m, cudaStream_t stream);
cudaError_t fill_box(struct cudaPitchedPtr q, int value, struct cudaExtent x, cudaStream_t stream);
cudaError_t host_function(cudaStream_t stream, cudaHostFn_t fn, void *user);
cudaError_t event_record(cudaEvent_t event, cudaStream_t stream, bool external);
cudaError_t wait_event(cudaStream_t stream, cudaEvent_t event, bool external);
/* A kernel's arguments, copied into one allocation that *copy points to. */
cudaError_t kernel_arguments(const void *func, void **args, void ***copy);

/* The stream is being captured, or must not be used because another is: *e is what the call
 * answers, the work has become a node. False: do it. w NULL: work that cannot be captured. */
bool capture_takes(cudaStream_t stream, const struct work *w, cudaError_t *e);
/* The capture is of no use any more. */
void capture_invalidate(struct capture *c);
/* A stream is about to go: a capture that began in it ends with it. */
void capture_leaves(cudaStream_t stream);
/* What a stream's wait for an event does to captures, and an event's record; *e as above. */
bool capture_waits(cudaStream_t stream, const struct tip *event, cudaError_t *e);
bool capture_records(cudaStream_t stream, struct tip *event, cudaError_t *e);

/* ---- graphs (graph.c) ---- */
/* Of the lists of graphs, of their nodes, of captures and of what runs: threads use graphs of their
 * own side by side. */
extern pthread_mutex_t graphs_lock;

struct CUgraphNode_st {
    cudaGraph_t graph;
    uint64_t id, origin; /* origin: of what it is a clone of */
    struct work work;    /* its own copy: arguments, attributes, the child graph */
    cudaGraphNode_t *deps;
    size_t ndeps;
    size_t place; /* within its graph, where that is being walked */
    bool disabled;
    double end; /* ms of modelled time, of its last run */
};
struct CUgraph_st {
    struct CUgraph_st *next; /* of the program's graphs */
    cudaGraphNode_t *nodes;
    size_t n;
    bool listed; /* the program may name it */
    bool child;  /* a node's */
};

/* A node that does w (copied) after its dependencies. */
cudaError_t node_add(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                     const struct work *w);
/* A node's work becomes w (copied), which is of the same type. */
cudaError_t node_set(cudaGraphNode_t node, const struct work *w);
bool node_known(cudaGraphNode_t node);
cudaGraph_t graph_new(void);
void graph_free(cudaGraph_t g);
bool graph_known(cudaGraph_t g);
cudaError_t graph_clone(cudaGraph_t *out, cudaGraph_t g, bool listed);
/* Puts the nodes in an order in which each comes after its dependencies; false: they are a ring. */
bool graph_sort(cudaGraph_t g);
/* A node of it that nothing depends on and that is not among these. */
bool graph_has_loose_end(cudaGraph_t g, const cudaGraphNode_t *nodes, size_t n);
bool graph_has(cudaGraph_t g, cudaGraphNode_t node);

/* ---- work (graph_work.c) ---- */
/* A copy that lasts; what that has is freed. */
cudaError_t work_keep(struct work *to, const struct work *from, bool listed);
void work_free(struct work *w);
/* Refuses edges that say more than that one node follows another. */
cudaError_t edges_plain(const cudaGraphEdgeData *edges, size_t n);
/* The work that a program's parameters describe, or what is wrong with them. */
cudaError_t work_kernel(struct work *w, const struct cudaKernelNodeParams *p);
cudaError_t work_copy(struct work *w, const struct cudaMemcpy3DParms *p);
cudaError_t work_linear(struct work *w, void *dst, const void *src, size_t count,
                        enum cudaMemcpyKind kind);
cudaError_t work_to_symbol(struct work *w, const void *symbol, const void *src, size_t count,
                           size_t offset, enum cudaMemcpyKind kind);
cudaError_t work_from_symbol(struct work *w, void *dst, const void *symbol, size_t count,
                             size_t offset, enum cudaMemcpyKind kind);
cudaError_t work_fill(struct work *w, const struct cudaMemsetParams *p);
cudaError_t work_host(struct work *w, const struct cudaHostNodeParams *p);
cudaError_t work_event(struct work *w, enum cudaGraphNodeType type, cudaEvent_t event);
cudaError_t work_child(struct work *w, cudaGraph_t child);
cudaError_t work_any(struct work *w, const struct cudaGraphNodeParams *p);

#endif
