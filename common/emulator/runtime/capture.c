/* capture.c - streams that record a graph instead of working.
 *
 * Interface: capture_takes(), which functions that issue work ask before they do it.
 *
 * A capture begins in one stream. Each stream of it has a tip: the nodes that its next one depends
 * on. An event recorded in it keeps a copy of the tip; a stream that waits for the event takes that
 * on, and is part of the capture from then on. What cannot be captured makes the capture invalid:
 * all that follows answers so, until it is ended.
 */
#include "graph.h"
#include <stdlib.h>
#include <string.h>

struct capture {
    struct capture *next;
    cudaGraph_t graph;
    bool own_graph; /* goes with the capture, if that is invalid */
    uint64_t id;
    enum cudaStreamCaptureMode mode;
    struct CUstream_st *origin;
    pthread_t thread;
    uint16_t blocking; /* 1 << device: a stream of it waits for the legacy one there */
    bool invalid;
};

static struct capture *captures;
static uint64_t next_id = 1;
static __thread enum cudaStreamCaptureMode own_mode = cudaStreamCaptureModeGlobal;

void tip_set(struct tip *t, struct capture *in, const cudaGraphNode_t *nodes,
             const cudaGraphEdgeData *edges, size_t n)
{
    struct tip new = {in, NULL, NULL, n};

    if (n) {
        new.nodes = memcpy(xmalloc(n * sizeof(*nodes)), nodes, n * sizeof(*nodes));
        new.edges = xcalloc(n, sizeof(*edges));
    }
    if (n && edges)
        memcpy(new.edges, edges, n * sizeof(*edges));
    free(t->nodes);
    free(t->edges);
    *t = new;
}

static bool tip_has(const struct tip *t, cudaGraphNode_t node, const cudaGraphEdgeData *edge)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->nodes[i] == node && !memcmp(&t->edges[i], edge, sizeof(*edge)))
            return true;
    return false;
}

static void tip_join(struct tip *t, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges,
                     size_t n)
{
    static const cudaGraphEdgeData plain;

    t->nodes = xrealloc(t->nodes, (t->n + n + 1) * sizeof(*t->nodes));
    t->edges = xrealloc(t->edges, (t->n + n + 1) * sizeof(*t->edges));
    for (size_t i = 0; i < n; i++) {
        const cudaGraphEdgeData *edge = edges ? &edges[i] : &plain;

        if (tip_has(t, nodes[i], edge))
            continue;
        t->nodes[t->n] = nodes[i];
        t->edges[t->n++] = *edge;
    }
}

void capture_invalidate(struct capture *c)
{
    c->invalid = true;
}

static cudaError_t invalid(struct capture *c, cudaError_t e)
{
    capture_invalidate(c);
    return e;
}

static bool is_legacy(const struct CUstream_st *s)
{
    return s->id == 0;
}

/* The legacy stream waits for blocking ones: it cannot work while they are captured. spoil: those
 * captures are of no use any more. */
static bool against_legacy(const struct CUstream_st *s, bool spoil)
{
    bool found = false;

    pthread_mutex_lock(&graphs_lock);
    for (struct capture *c = is_legacy(s) ? captures : NULL; c; c = c->next) {
        if (!(c->blocking >> s->device & 1))
            continue;
        c->invalid = c->invalid || spoil;
        found = true;
    }
    pthread_mutex_unlock(&graphs_lock);
    return found;
}

/* A kernel that may begin before the one before it has ended; nothing else may. */
static void overlap(struct tip *t, const struct work *w)
{
    bool may = false;

    for (unsigned i = 0; w->type == cudaGraphNodeTypeKernel && i < w->kernel.nattrs; i++)
        if (w->kernel.attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization)
            may = w->kernel.attrs[i].val.programmaticStreamSerializationAllowed;
    for (size_t i = 0; w->type != cudaGraphNodeTypeKernel && i < t->n; i++)
        t->edges[i] = (cudaGraphEdgeData){0};
    for (size_t i = 0; may && i < t->n; i++)
        if (t->nodes[i]->work.type == cudaGraphNodeTypeKernel)
            t->edges[i] = (cudaGraphEdgeData){.from_port = cudaGraphKernelNodePortProgrammatic,
                                              .type = cudaGraphDependencyTypeProgrammatic};
}

bool capture_takes(cudaStream_t stream, const struct work *w, cudaError_t *e)
{
    struct CUstream_st *s = captures ? stream_find(stream) : NULL;
    struct capture *c = s ? s->tip.in : NULL;
    cudaGraphNode_t node;

    *e = cudaSuccess;
    if (!s)
        return false;
    if (!c) {
        bool barred = against_legacy(s, true);
        if (barred)
            *e = cudaErrorStreamCaptureImplicit;
        return barred;
    }
    if (c->invalid || !w) {
        *e = c->invalid ? cudaErrorStreamCaptureInvalidated
                        : invalid(c, cudaErrorStreamCaptureUnsupported);
        return true;
    }
    overlap(&s->tip, w);
    *e = node_add_by(&node, c->graph, s->tip.nodes, s->tip.edges, s->tip.n, w);
    if (*e) {
        capture_invalidate(c);
        return true;
    }
    node->device = s->device;
    if (w->type == cudaGraphNodeTypeKernel) {
        cudaLaunchAttribute a = {.id = cudaLaunchAttributePriority};
        a.val.priority = s->priority;
        work_set_attribute(&node->work, &a);
    }
    tip_set(&s->tip, c, &node, NULL, 1);
    return true;
}

cudaGraph_t capture_graph(cudaStream_t stream)
{
    struct CUstream_st *s = captures ? stream_find(stream) : NULL;

    return s && s->tip.in ? s->tip.in->graph : NULL;
}

cudaError_t capture_bars(cudaStream_t stream)
{
    cudaError_t e;

    capture_takes(stream, NULL, &e);
    return e;
}

bool capture_records(cudaStream_t stream, struct tip *event, cudaError_t *e)
{
    struct CUstream_st *s = stream_find(stream);

    *e = cudaSuccess;
    if (!s->tip.in) {
        if (capture_takes(stream, NULL, e))
            return true;
        tip_set(event, NULL, NULL, NULL, 0);
        return false;
    }
    if (s->tip.in->invalid)
        *e = cudaErrorStreamCaptureInvalidated;
    else
        tip_set(event, s->tip.in, s->tip.nodes, s->tip.edges, s->tip.n);
    return true;
}

static uint16_t blocks(const struct CUstream_st *s)
{
    return s->flags & cudaStreamNonBlocking ? 0 : (uint16_t)(1u << s->device);
}

static cudaError_t join_capture(struct CUstream_st *s, const struct tip *event)
{
    struct capture *c = event->in;

    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (is_legacy(s))
        return invalid(c, cudaErrorStreamCaptureImplicit);
    s->tip.in = c;
    c->blocking |= blocks(s);
    tip_join(&s->tip, event->nodes, event->edges, event->n);
    return cudaSuccess;
}

bool capture_waits(cudaStream_t stream, const struct tip *event, bool recorded, cudaError_t *e)
{
    struct CUstream_st *s = stream_find(stream);
    struct capture *c = s->tip.in;

    *e = cudaSuccess;
    if (c && !event->in && !recorded && !c->invalid) /* there is nothing to wait for */
        return true;
    if (!c && !event->in)
        return capture_takes(stream, NULL, e);
    if (c && c->invalid)
        *e = cudaErrorStreamCaptureInvalidated;
    else if (!event->in)
        *e = invalid(c, cudaErrorStreamCaptureIsolation);
    else if (c && c != event->in) {
        capture_invalidate(event->in);
        *e = invalid(c, cudaErrorStreamCaptureMerge);
    } else
        *e = join_capture(s, event);
    return true;
}

/* ---- calls that wait, or may ---- */

/* Unsafe during a capture: they wait for work, or may. */
static const char *const unsafe[] = {
    "cudaMalloc",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaMallocManaged",
    "cudaMallocArray",
    "cudaMalloc3DArray",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaFree",
    "cudaFreeHost",
    "cudaFreeArray",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaEventQuery",
    "cudaEventSynchronize",
    "cudaStreamSynchronize",
    "cudaStreamQuery",
    "cudaDeviceReset",
    "cudaDeviceSetLimit",
    "cudaMemPoolTrimTo",
    "cudaGraphInstantiate",
};
/* They go by way of the legacy stream, and are none of a capture's business otherwise. */
static const char *const legacy_copies[] = {
    "cudaMemcpy",         "cudaMemcpy2D",         "cudaMemcpy3D",
    "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaMemcpyPeer",
};

/* As cudaStreamBeginCapture() and cudaThreadExchangeStreamCaptureMode() have it: a thread's own
 * mode, and the modes of its and others' captures; `all`: whatever they are. Those that forbid it
 * are of no use any more. */
static bool forbidden(bool all)
{
    bool found = false;

    pthread_mutex_lock(&graphs_lock);
    for (struct capture *c = captures; c; c = c->next) {
        bool own = pthread_equal(c->thread, pthread_self());

        if (!all && (own ? c->mode == cudaStreamCaptureModeRelaxed
                         : c->mode != cudaStreamCaptureModeGlobal ||
                               own_mode != cudaStreamCaptureModeGlobal))
            continue;
        c->invalid = found = true;
    }
    pthread_mutex_unlock(&graphs_lock);
    return found;
}

static bool is_among(const char *function, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], function))
            return true;
    return false;
}
#define IS_AMONG(function, names) is_among(function, names, sizeof(names) / sizeof((names)[0]))

/* All of a device's work is waited for, what is captured too. */
cudaError_t capture_forbids(const char *function)
{
    bool all = captures && !strcmp(function, "cudaDeviceSynchronize");

    if (!captures || (!all && own_mode == cudaStreamCaptureModeRelaxed))
        return cudaSuccess;
    if (IS_AMONG(function, legacy_copies))
        return against_legacy(stream_find(0), true) ? cudaErrorStreamCaptureImplicit : cudaSuccess;
    return (all || IS_AMONG(function, unsafe)) && forbidden(all) ? cudaErrorStreamCaptureUnsupported
                                                                 : cudaSuccess;
}

/* ---- beginning and ending ---- */

static cudaError_t begin(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps,
                         const cudaGraphEdgeData *edges, size_t n, enum cudaStreamCaptureMode mode)
{
    struct CUstream_st *s = stream_find(stream);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (is_legacy(s))
        return cudaErrorStreamCaptureUnsupported;
    if (s->tip.in)
        return cudaErrorIllegalState;
    struct capture *c = xcalloc(1, sizeof(*c));
    bool own_graph = !graph;
    graph = graph ? graph : graph_new();
    pthread_mutex_lock(&graphs_lock);
    *c = (struct capture){.next = captures,
                          .graph = graph,
                          .own_graph = own_graph,
                          .id = next_id++,
                          .mode = mode,
                          .origin = s,
                          .thread = pthread_self(),
                          .blocking = blocks(s)};
    captures = c;
    pthread_mutex_unlock(&graphs_lock);
    tip_set(&s->tip, c, deps, edges, n);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return rt_leave(rt_enter() ?: begin(stream, NULL, NULL, NULL, 0, mode));
}

/* Into a graph that there is already, after some of its nodes. */
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *deps,
                                          const cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode)
{
    cudaError_t e = rt_enter();

    if (!e && (!graph_known(graph) || (n && !deps)))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++)
        if (!graph_has(graph, deps[i]))
            e = cudaErrorInvalidValue;
    return rt_leave(e ?: begin(stream, graph, deps, edges, n, mode));
}

static cudaError_t ending(const struct CUstream_st *s)
{
    const struct capture *c = s->tip.in;

    if (c->origin != s)
        return cudaErrorStreamCaptureUnmatched;
    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        return cudaErrorStreamCaptureWrongThread;
    return c->own_graph && graph_has_loose_end(c->graph, s->tip.nodes, s->tip.n)
               ? cudaErrorStreamCaptureUnjoined
               : cudaSuccess;
}

/* Its streams are free again. Unless the graph is kept, it goes, too. */
static void capture_over(struct capture *c, bool keep)
{
    if (!keep && c->own_graph)
        graph_free(c->graph);
    streams_forget(c);
    pthread_mutex_lock(&graphs_lock);
    for (struct capture **p = &captures; *p; p = &(*p)->next) {
        if (*p == c) {
            *p = c->next;
            break;
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    free(c);
}

void capture_leaves(cudaStream_t stream)
{
    struct CUstream_st *s = captures ? stream_find(stream) : NULL;
    struct capture *c = s ? s->tip.in : NULL;

    if (c && c->origin == s)
        capture_over(c, false); /* another's nodes stay, to be joined */
}

static cudaError_t end(cudaStream_t stream, cudaGraph_t *out)
{
    struct CUstream_st *s = stream_find(stream);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    struct capture *c = s->tip.in;
    if (!c)
        return cudaErrorIllegalState;
    if (!out && c->own_graph)
        return cudaErrorInvalidValue;
    cudaError_t e = ending(s);
    cudaGraph_t nobody = NULL;
    out = out ? out : &nobody; /* who began with a graph of its own has it */
    *out = NULL;
    if (e == cudaErrorStreamCaptureUnmatched)
        return invalid(c, e);
    if (!e)
        *out = c->graph;
    capture_over(c, !e);
    return e;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    return rt_leave(rt_enter() ?: end(stream, graph));
}

/* ---- asking ---- */

static enum cudaStreamCaptureStatus status_of(const struct CUstream_st *s)
{
    return !s->tip.in           ? cudaStreamCaptureStatusNone
           : s->tip.in->invalid ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
}

static cudaError_t ask(cudaStream_t stream, struct CUstream_st **s,
                       enum cudaStreamCaptureStatus *status)
{
    *s = stream_find(stream);
    if (!*s)
        return cudaErrorInvalidResourceHandle;
    if (!status)
        return cudaErrorInvalidValue;
    if (against_legacy(*s, false))
        return cudaErrorStreamCaptureImplicit;
    *status = status_of(*s);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    struct CUstream_st *s;

    return rt_leave(rt_enter() ?: ask(stream, &s, status));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *ndependencies)
{
    struct CUstream_st *s;
    cudaError_t e = rt_enter() ?: ask(stream, &s, status);

    if (e)
        return rt_leave(e);
    const struct capture *c = s->tip.in;
    if (id && c)
        *id = c->id;
    if (graph)
        *graph = c ? c->graph : NULL;
    if (dependencies)
        *dependencies = s->tip.nodes;
    if (edges)
        *edges = s->tip.edges;
    if (ndependencies)
        *ndependencies = s->tip.n;
    return cudaSuccess;
}

static cudaError_t update(cudaStream_t stream, const cudaGraphNode_t *nodes,
                          const cudaGraphEdgeData *edges, size_t n, unsigned flags)
{
    struct CUstream_st *s = stream_find(stream);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (flags > cudaStreamSetCaptureDependencies || (n && !nodes))
        return cudaErrorInvalidValue;
    if (status_of(s) != cudaStreamCaptureStatusActive)
        return cudaErrorIllegalState;
    for (size_t i = 0; i < n; i++)
        if (!graph_has(s->tip.in->graph, nodes[i]))
            return cudaErrorInvalidValue;
    if (flags == cudaStreamSetCaptureDependencies)
        tip_set(&s->tip, s->tip.in, nodes, edges, n);
    else
        tip_join(&s->tip, nodes, edges, n);
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *edges, size_t n,
                                                unsigned flags)
{
    return rt_leave(rt_enter() ?: update(stream, nodes, edges, n, flags));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode former = own_mode;

    if (!mode || *mode > cudaStreamCaptureModeRelaxed)
        return rt_leave(cudaErrorInvalidValue);
    own_mode = *mode;
    *mode = former;
    return cudaSuccess;
}
