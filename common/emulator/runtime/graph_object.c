/* graph_object.c - user objects: what a program wants destroyed when no graph needs it any more.
 *
 * References are the program's own or graphs'; a clone of a graph, also one that runs or is in a
 * node, has as many as that. The destructor is called by whoever drops the last one.
 *
 * Not modelled: a thread of CUDA's own that calls it, some time later.
 */
#include "graph.h"
#include <limits.h>
#include <stdlib.h>

struct CUuserObject_st {
    struct CUuserObject_st *next;
    void *what;
    cudaHostFn_t destroy;
    uint64_t refs, own; /* own: of these, the program's */
};

struct held { /* by a graph */
    struct held *next;
    cudaUserObject_t object;
    uint64_t refs;
};

static struct CUuserObject_st *objects;

static bool object_known(cudaUserObject_t object)
{
    bool known = false;

    pthread_mutex_lock(&graphs_lock);
    for (struct CUuserObject_st *o = objects; o && !known; o = o->next)
        known = o == object;
    pthread_mutex_unlock(&graphs_lock);
    return known;
}

static void drop(cudaUserObject_t object, uint64_t n, bool own)
{
    pthread_mutex_lock(&graphs_lock);
    object->refs -= n;
    object->own -= own ? n : 0;
    bool last = !object->refs;
    for (struct CUuserObject_st **p = &objects; last && *p; p = &(*p)->next) {
        if (*p == object) {
            *p = object->next;
            break;
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    if (!last)
        return;
    rt_in_callback(true);
    object->destroy(object->what);
    rt_in_callback(false);
    free(object);
}

static void keep(cudaUserObject_t object, uint64_t n, bool own)
{
    pthread_mutex_lock(&graphs_lock);
    object->refs += n;
    object->own += own ? n : 0;
    pthread_mutex_unlock(&graphs_lock);
}

static void hold(cudaGraph_t g, cudaUserObject_t object, uint64_t n)
{
    struct held *h = g->held;

    while (h && h->object != object)
        h = h->next;
    if (!h) {
        h = xcalloc(1, sizeof(*h));
        *h = (struct held){.next = g->held, .object = object};
        g->held = h;
    }
    h->refs += n;
}

void held_copy(cudaGraph_t to, cudaGraph_t from)
{
    for (const struct held *h = from->held; h; h = h->next) {
        keep(h->object, h->refs, false);
        hold(to, h->object, h->refs);
    }
}

void held_drop(cudaGraph_t g)
{
    for (struct held *h = g->held, *next; h; h = next) {
        next = h->next;
        drop(h->object, h->refs, false);
        free(h);
    }
    g->held = NULL;
}

/* ---- what programs call ---- */

static cudaError_t create(cudaUserObject_t *out, void *what, cudaHostFn_t destroy, unsigned refs,
                          unsigned flags)
{
    if (!out || !destroy || !refs || refs > INT_MAX || flags != cudaUserObjectNoDestructorSync)
        return cudaErrorInvalidValue;
    struct CUuserObject_st *o = xcalloc(1, sizeof(*o));
    pthread_mutex_lock(&graphs_lock);
    *o = (struct CUuserObject_st){objects, what, destroy, refs, refs};
    objects = o;
    pthread_mutex_unlock(&graphs_lock);
    *out = o;
    return cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *what, cudaHostFn_t destroy,
                                 unsigned refs, unsigned flags)
{
    return rt_leave(rt_enter() ?: create(object, what, destroy, refs, flags));
}

static cudaError_t countable(cudaUserObject_t object, unsigned n)
{
    return n && n <= INT_MAX && object_known(object) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned n)
{
    cudaError_t e = rt_enter() ?: countable(object, n);

    if (!e)
        keep(object, n, true);
    return rt_leave(e);
}

/* More than are the program's: no graph's are taken. */
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned n)
{
    cudaError_t e = rt_enter() ?: countable(object, n);

    if (!e && n > object->own)
        e = cudaErrorInvalidValue;
    if (!e)
        drop(object, n, true);
    return rt_leave(e);
}

static cudaError_t retain(cudaGraph_t g, cudaUserObject_t object, unsigned n, unsigned flags)
{
    bool moves = flags & cudaGraphUserObjectMove;
    cudaError_t e = countable(object, n);

    if (e || !graph_known(g) || flags & ~(unsigned)cudaGraphUserObjectMove ||
        (moves && n > object->own))
        return cudaErrorInvalidValue;
    keep(object, n, false);
    hold(g, object, n);
    if (moves)
        drop(object, n, true);
    return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned n,
                                      unsigned flags)
{
    return rt_leave(rt_enter() ?: retain(graph, object, n, flags));
}

static cudaError_t release(cudaGraph_t g, cudaUserObject_t object, unsigned n)
{
    struct held **p;
    cudaError_t e = countable(object, n);

    if (e || !graph_known(g))
        return cudaErrorInvalidValue;
    for (p = &g->held; *p && (*p)->object != object;)
        p = &(*p)->next;
    struct held *h = *p;
    if (!h || h->refs < n)
        return cudaErrorInvalidValue;
    h->refs -= n;
    if (!h->refs) {
        *p = h->next;
        free(h);
    }
    drop(object, n, false);
    return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned n)
{
    return rt_leave(rt_enter() ?: release(graph, object, n));
}
