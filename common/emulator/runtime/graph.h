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
    bool moves;  /* the child graph itself goes into the node */
    bool linear; /* a copy of bytes: its pitches are none of the program's */
    union {
        struct {
            const void *func;
            dim3 grid, block;
            unsigned shared;
            void **args, **extra; /* extra: in one buffer, never of a node */
            const cudaLaunchAttribute *attrs;
            unsigned nattrs;
        } kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaEvent_t event;
        cudaGraph_t child;
        struct graph_memory *memory; /* of a node that allocates or frees */
        struct {
            struct condition *condition;
            enum cudaGraphConditionalNodeType type;
            unsigned size;
            cudaGraph_t *bodies;
        } branch; /* of a conditional node */
    };
};

/* Does it now, in a stream. Each asks capture_takes() itself. */
cudaError_t launch(const void *func, const cudaLaunchConfig_t *c, void **args);
cudaError_t copy_3d(const struct cudaMemcpy3DParms *c, cudaStream_t stream, bool wait);
cudaError_t fill_elements(const struct cudaMemsetParams *m, cudaStream_t stream);
cudaError_t fill_3d(struct cudaPitchedPtr q, int value, struct cudaExtent x, cudaStream_t stream,
                    bool wait);
int stream_priority(int priority); /* the nearest that there is */
cudaError_t host_function(cudaStream_t stream, cudaHostFn_t fn, void *user);
cudaError_t event_record(cudaEvent_t event, cudaStream_t stream, bool external);
/* Of a launch: may it be recorded? Then by it, at that port. */
cudaError_t event_of_launch(cudaEvent_t event, int flags, unsigned char port, cudaStream_t stream);
cudaError_t event_record_early(cudaEvent_t event, int flags, unsigned char port,
                               cudaStream_t stream);
cudaError_t wait_event(cudaStream_t stream, cudaEvent_t event, bool external);
/* Would it be done? Memory of graphs may be there by then. */
cudaError_t copy_check(const struct cudaMemcpy3DParms *c);
/* Does it touch pageable memory? Do both go the same way, between host and device? */
bool copy_is_pageable(const struct cudaMemcpy3DParms *c);
bool copies_alike(const struct cudaMemcpy3DParms *a, const struct cudaMemcpy3DParms *b);
cudaError_t fill_check(const struct cudaMemsetParams *m);
cudaError_t launch_may(const void *func, const cudaLaunchConfig_t *c);
/* A kernel's arguments, copied into one allocation that *copy points to. */
cudaError_t kernel_arguments(const void *func, void **args, void ***copy);
/* Arguments in one buffer, as a list of where each is: the caller's to free. */
cudaError_t kernel_unpack(const void *func, void **extra, void ***args);

/* The stream is being captured, or must not be used because another is: *e is what the call
 * answers, the work has become a node. False: do it. w NULL: work that cannot be captured. */
bool capture_takes(cudaStream_t stream, const struct work *w, cudaError_t *e);
/* Is it being captured? The graph, or NULL. */
cudaGraph_t capture_graph(cudaStream_t stream);
/* The capture is of no use any more. */
void capture_invalidate(struct capture *c);
/* A stream is about to go: a capture that began in it ends with it. */
void capture_leaves(cudaStream_t stream);
/* What a stream's wait for an event does to captures, and an event's record; *e as above. */
bool capture_waits(cudaStream_t stream, const struct tip *event, bool recorded, cudaError_t *e);
bool capture_records(cudaStream_t stream, struct tip *event, cudaError_t *e);

/* ---- graphs (graph.c) ---- */
/* Of the lists of graphs, of their nodes, of captures and of what runs: threads use graphs of their
 * own side by side. */
extern pthread_mutex_t graphs_lock;

struct CUgraphNode_st {
    cudaGraph_t graph;
    uint64_t id, origin; /* origin: of what it is a clone of */
    int device;          /* where it works, whichever stream the graph is launched in */
    struct work work;    /* its own copy: arguments, attributes, the child graph */
    cudaGraphNode_t *deps;
    cudaGraphEdgeData *edges; /* from each of these */
    size_t ndeps;
    size_t place; /* within its graph, where that is being walked */
    bool disabled;
    double end;              /* ms of modelled time, of its last run */
    struct kernel_set *over; /* behind it, while it runs (graph_order.c) */
};
struct CUgraph_st {
    struct CUgraph_st *next; /* of the program's graphs */
    uint64_t id;
    cudaGraphNode_t *nodes;
    size_t n;
    bool listed; /* the program may name it */
    bool body;   /* a conditional node's */
    /* NULL: no node's. A node's graphs are its own. */
    cudaGraph_t parent;
    struct held *held; /* user objects */
};

/* A node that does w (copied) after its dependencies. */
cudaError_t node_add(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                     const struct work *w);
cudaError_t node_add_by(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                        const cudaGraphEdgeData *edges, size_t n, const struct work *w);
/* Of a graph with memory nodes neither nodes nor edges can be taken away. */
cudaError_t graph_shrinks(cudaGraph_t g);
/* A node's work becomes w (copied), which is of the same type. */
cudaError_t node_set(cudaGraphNode_t node, const struct work *w);
bool node_known(cudaGraphNode_t node);
cudaGraph_t graph_new(void);
cudaGraph_t graph_made(bool listed);
void graph_free(cudaGraph_t g);
bool graph_known(cudaGraph_t g);
/* Programs may name what is listed; memory and conditional nodes are in no such clone. */
cudaError_t graph_clone(cudaGraph_t *out, cudaGraph_t g, bool listed);
/* Calls fn for each node, those of its children and bodies included. */
void graph_each(cudaGraph_t g, void (*fn)(cudaGraphNode_t node, void *arg), void *arg);
/* The graphs within a node: how many, and which. */
size_t node_inner(cudaGraphNode_t node, cudaGraph_t **inner);
/* Puts the nodes in an order in which each comes after its dependencies; false: they are a ring. */
bool graph_sort(cudaGraph_t g);
/* A node of it that nothing depends on and that is not among these. */
bool graph_has_loose_end(cudaGraph_t g, const cudaGraphNode_t *nodes, size_t n);
bool graph_has(cudaGraph_t g, cudaGraphNode_t node);

/* ---- edges (graph_edge.c) ---- */
/* May it lead from such a node to such a one? */
bool edge_fits(const cudaGraphEdgeData *e, enum cudaGraphNodeType from, enum cudaGraphNodeType to);
/* edges NULL: plain ones. */
void node_depend(cudaGraphNode_t node, const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges,
                 size_t n);
void node_undepend(cudaGraphNode_t node, cudaGraphNode_t dep);

/* ---- work (graph_work.c) ---- */
/* A copy that lasts, in a node of g; what that has is freed. */
cudaError_t work_keep(struct work *to, const struct work *from, cudaGraph_t g);
void work_free(struct work *w);
/* Of a kernel that is kept. */
void work_set_attribute(struct work *w, const cudaLaunchAttribute *a);
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
/* g: where it is to become a node; NULL: it is for one that there is. */
cudaError_t work_any(struct work *w, const struct cudaGraphNodeParams *p, cudaGraph_t g);

/* ---- memory that graphs allocate and free (graph_memory.c) ---- */
/* It comes to its address when a graph gets to the node that allocates it. Kept as long as a node
 * names it, or it is there. */
struct graph_memory {
    struct graph_memory *next;
    unsigned refs;
    uint64_t addr, size;
    int device;
    uint16_t reach; /* of 1 << device: who else may use it, as these said */
    struct cudaMemAccessDesc *access;
    size_t naccess;
    uint64_t owner; /* id of the graph that allocates it */
    bool freed_own, freed_by_others;
    cudaGraphExec_t exec; /* a graph with it is instantiated once at a time */
};
void graph_memory_keep(struct graph_memory *m);
void graph_memory_drop(struct graph_memory *m);
/* Memory for a node that allocates: the caller's, who drops it when the node is made. */
cudaError_t work_allocate(struct work *w, const struct cudaMemAllocNodeParams *p);
/* For a node of g that frees what is at p. */
cudaError_t work_release(struct work *w, const void *p, cudaGraph_t g);
void graph_memory_added(const struct work *w, cudaGraph_t g); /* w has become a node of g */
bool graph_memory_there(const struct graph_memory *m);
/* at: when, ms of modelled time. */
cudaError_t graph_memory_come(struct graph_memory *m, double at);
cudaError_t graph_memory_go(struct graph_memory *m, double at);
bool graph_memory_holds(const void *p);        /* it is in some graph's */
bool graph_memory_frees_itself(const void *p); /* in the graph that allocates it */

/* ---- graphs that are instantiated (graph_exec.c) ---- */
cudaGraph_t exec_graph(cudaGraphExec_t exec); /* what runs; NULL: there is no such one */
/* The node of exec that was made from this one. */
cudaError_t exec_find(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNode_t *out);
/* What a clone's node is of, there or in a graph within; NULL: nothing there. */
cudaGraphNode_t graph_original(cudaGraph_t graph, const struct CUgraphNode_st *clone);
bool graph_sort_all(cudaGraph_t g); /* graphs within it, too */

/* ---- graphs that kernels launch (graph_exec.c) ---- */
/* A run of a graph by this thread, for the next; and the graph, as its kernels know it. 0: none. */
uint64_t graph_running(void);
uint64_t graph_current(void);
/* struct device_host's; then what a kernel asked for: now, or when that graph has ended. */
cudaError_t graph_may_follow(uint64_t graph, uint64_t stream, uint64_t from);
cudaError_t graph_follow(uint64_t graph, uint64_t from_stream, cudaStream_t stream);

/* ---- what is over before what, in a run (graph_order.c) ---- */
bool order_begin(void); /* of a run; what is to be given back at its end */
void order_end(bool was);
struct kernel_set *order_now(void); /* what is over; NULL: it is not looked at */
/* The node starts, in a graph that began with base. */
void order_start(const struct kernel_set *base, cudaGraphNode_t node);
void order_join(struct kernel_set *all); /* what is over is that, and the other way round */
const struct launch_moment *order_launch(void);
void order_launched(void);

/* ---- conditional nodes (graph_condition.c) ---- */
struct condition {
    struct condition *next;
    unsigned refs;
    uint64_t handle;
    uint32_t *value;
    uint32_t initial;
    bool assigns;         /* the initial value, at each launch */
    bool used;            /* by a node: one */
    uint64_t graph;       /* id of the one it was made for; 0: that is gone */
    cudaGraphExec_t exec; /* likewise */
};
void condition_keep(struct condition *c);
void condition_drop(struct condition *c);
void conditions_leave(cudaGraph_t g); /* the program's graph goes */
cudaError_t work_branch(struct work *w, const struct cudaConditionalNodeParams *p, cudaGraph_t g);
bool graph_has_handles(cudaGraph_t g);
/* The handles of the program's graph, and of those in it, have nodes. */
bool conditions_used(cudaGraph_t g);

/* ---- user objects (graph_object.c) ---- */
void held_copy(cudaGraph_t to, cudaGraph_t from);
void held_drop(cudaGraph_t g);

#endif
