/* stream.c - streams: their handles, their order, their modelled clocks.
 *
 * Work runs when it is issued, unless it is held (hold.h), so a stream is done; what it keeps is
 * the modelled time at which its work would end on the device. Work starts when the stream's former
 * work has ended, not before the host issued it (the host's clock moves only where it
 * waits), and as the legacy default stream asks: that one waits for all blocking streams,
 * and they for it.
 *
 * A device has one engine for kernels, one for copies to it, one for copies to the host and one for
 * copies to other devices: each does a thing at a time, in the earliest gap that is long enough, so
 * that a copy goes on under a kernel, and two kernels one after the other. A copy that meets one in
 * the other direction is slowed.
 *
 * Not modelled: kernels that share the device, and a copy that one issued later slows;
 * host time itself.
 */
#include "graph.h"
#include "hold.h"
#include "emulator/count/model.h"
#include "share.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct CUstream_st legacy[MEM_DEVICES];
static struct CUstream_st *streams; /* created and per-thread ones */
static __thread struct CUstream_st *own[MEM_DEVICES];

/* When an engine is busy: spans in order, apart from each other. Where there are too many, the
 * gap between the first two is given up. */
#define KEPT 64
struct span {
    double start, end;
};
static struct engine {
    struct span busy[KEPT + 1];
    int n;
} engines[MEM_DEVICES][ENGINES];
static struct span last_work; /* ms, of the work issued last */
static double reset_clock;

/* Where there is one device all threads share a clock; threads with a device each go on their own.
 */
static double shared_clock;
static __thread double own_clock;
static double gone_clock[MEM_DEVICES]; /* end of the work of streams that were destroyed */
static uint64_t next_id = 2;

#define LEAST_PRIORITY    0
#define GREATEST_PRIORITY (-5) /* as on compute capability 7 and later */

static struct CUstream_st *stream_new(unsigned flags, int priority)
{
    struct CUstream_st *s = xcalloc(1, sizeof(*s));

    *s = (struct CUstream_st){.next = streams,
                              .flags = flags,
                              .priority = priority,
                              .device = rt_device,
                              .id = next_id++};
    streams = s;
    return s;
}

static struct CUstream_st *find_locked(cudaStream_t handle)
{
    if (!handle || handle == cudaStreamLegacy) {
        legacy[rt_device].device = rt_device;
        return &legacy[rt_device];
    }
    if (handle == cudaStreamPerThread) {
        if (!own[rt_device])
            own[rt_device] = stream_new(cudaStreamDefault, 0);
        return own[rt_device];
    }
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (s == handle)
            return s;
    return NULL;
}

struct CUstream_st *stream_find(cudaStream_t handle)
{
    pthread_mutex_lock(&rt_lock);
    struct CUstream_st *s = find_locked(handle);
    pthread_mutex_unlock(&rt_lock);
    return s;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

static double *host_clock(void)
{
    return rt_devices() > 1 ? &own_clock : &shared_clock;
}

/* When work issued to s now would start. */
static double start_of(const struct CUstream_st *s)
{
    double t = later(s->clock, *host_clock());

    if (s == &legacy[s->device]) {
        t = later(t, gone_clock[s->device]);
        for (const struct CUstream_st *o = streams; o; o = o->next)
            if (o->device == s->device && !(o->flags & cudaStreamNonBlocking))
                t = later(t, o->clock);
    } else if (!(s->flags & cudaStreamNonBlocking)) {
        t = later(t, legacy[s->device].clock);
    }
    return t;
}

/* ---- engines ---- */

/* Spans that touch are one; of too many the first two become one. */
static void join_spans(struct engine *e)
{
    int n = 0;

    for (int i = 1; i < e->n; i++) {
        if (e->busy[i].start <= e->busy[n].end || (e->n > KEPT && n == 0 && i == 1))
            e->busy[n].end = later(e->busy[n].end, e->busy[i].end);
        else
            e->busy[++n] = e->busy[i];
    }
    e->n = e->n ? n + 1 : 0;
}

/* The first moment from `from` on at which the engine is free for ms. */
static double free_from(const struct engine *e, double from, double ms)
{
    for (int i = 0; i < e->n; i++) {
        if (from + ms <= e->busy[i].start)
            break;
        from = later(from, e->busy[i].end);
    }
    return from;
}

static void take(struct engine *e, double start, double ms)
{
    int i = e->n;

    if (!(ms > 0))
        return;
    while (i > 0 && e->busy[i - 1].start > start) {
        e->busy[i] = e->busy[i - 1];
        i--;
    }
    e->busy[i] = (struct span){start, start + ms};
    e->n++;
    join_spans(e);
}

/* How long the engine is busy in that time. */
static double busy_within(const struct engine *e, double start, double end)
{
    double sum = 0;

    for (int i = 0; i < e->n; i++) {
        double from = later(e->busy[i].start, start);
        double to = e->busy[i].end < end ? e->busy[i].end : end;

        sum += to > from ? to - from : 0;
    }
    return sum;
}

/* Where the work goes, with what it loses to a copy in the other direction. */
static struct span place_work(const struct engine *all, enum engine_kind kind, double from,
                              double ms)
{
    const struct device_profile *d = device_profile();
    const struct engine *other = kind == ENGINE_IN    ? &all[ENGINE_OUT]
                                 : kind == ENGINE_OUT ? &all[ENGINE_IN]
                                                      : NULL;
    double start = kind == ENGINE_NONE ? from : free_from(&all[kind], from, ms);

    if (other) {
        ms += (d->pcie_gbps / d->pcie_both_gbps - 1) * busy_within(other, start, start + ms);
        start = free_from(&all[kind], from, ms);
    }
    return (struct span){start, start + ms};
}

bool stream_work(cudaStream_t handle, enum engine_kind kind, double ms)
{
    pthread_mutex_lock(&rt_lock);
    struct CUstream_st *s = find_locked(handle);
    if (s) {
        struct engine *all = engines[s->device];

        last_work = place_work(all, kind, start_of(s), ms);
        if (kind != ENGINE_NONE)
            take(&all[kind], last_work.start, last_work.end - last_work.start);
        s->clock = last_work.end;
    }
    pthread_mutex_unlock(&rt_lock);
    return s != NULL;
}

double stream_ready(cudaStream_t handle)
{
    pthread_mutex_lock(&rt_lock);
    const struct CUstream_st *s = find_locked(handle);
    double t = s ? start_of(s) : 0;
    pthread_mutex_unlock(&rt_lock);
    return t;
}

double stream_end(cudaStream_t handle)
{
    pthread_mutex_lock(&rt_lock);
    const struct CUstream_st *s = find_locked(handle);
    double t = s ? s->clock : 0;
    pthread_mutex_unlock(&rt_lock);
    return t;
}

cudaStream_t stream_beside(cudaStream_t handle, int device)
{
    static __thread struct CUstream_st *beside[MEM_DEVICES];
    int now = rt_device;

    pthread_mutex_lock(&rt_lock);
    const struct CUstream_st *s = find_locked(handle);
    if (s && s->device != device) {
        rt_device = device;
        if (!beside[device])
            beside[device] = stream_new(cudaStreamNonBlocking, 0);
        rt_device = now;
        handle = beside[device];
    }
    pthread_mutex_unlock(&rt_lock);
    return handle;
}

void stream_set_end(cudaStream_t handle, double ms)
{
    pthread_mutex_lock(&rt_lock);
    struct CUstream_st *s = find_locked(handle);
    if (s)
        s->clock = ms;
    pthread_mutex_unlock(&rt_lock);
}

/* The first moment from `from` on at which all their links are free. */
static double links_free(const struct meeting *m, int n, double from, double ms)
{
    double before;

    do {
        before = from;
        for (int i = 0; i < n; i++) {
            if (m[i].out)
                from = free_from(&engines[m[i].device][ENGINE_PEER], from, ms);
            if (m[i].in)
                from = free_from(&engines[m[i].device][ENGINE_FROM_PEER], from, ms);
        }
    } while (from > before);
    return from;
}

/* A stream may have gone since it was ready. */
static void meet_on(const struct meeting *m, double end)
{
    int now = rt_device;

    rt_device = m->device;
    struct CUstream_st *s = find_locked(m->stream);
    rt_device = now;
    if (s)
        s->clock = later(s->clock, end);
}

void streams_meet(const struct meeting *m, int n, double ms)
{
    double start = 0;

    pthread_mutex_lock(&rt_lock);
    for (int i = 0; i < n; i++)
        start = later(start, m[i].ready);
    start = links_free(m, n, start, ms);
    last_work = (struct span){start, start + ms};
    for (int i = 0; i < n; i++) {
        if (m[i].out)
            take(&engines[m[i].device][ENGINE_PEER], start, ms);
        if (m[i].in)
            take(&engines[m[i].device][ENGINE_FROM_PEER], start, ms);
        meet_on(&m[i], start + ms);
    }
    pthread_mutex_unlock(&rt_lock);
}

/* When all that was issued to a device is done. */
static double done_on(int device)
{
    double t = later(legacy[device].clock, gone_clock[device]);

    for (const struct CUstream_st *s = streams; s; s = s->next)
        if (s->device == device)
            t = later(t, s->clock);
    return t;
}

static double all_done(void)
{
    double t = *host_clock();

    for (int d = 0; d < rt_devices(); d++)
        t = later(t, done_on(d));
    return t;
}

void stream_span_reset(void)
{
    pthread_mutex_lock(&rt_lock);
    reset_clock = all_done();
    pthread_mutex_unlock(&rt_lock);
}

double stream_span_ms(void)
{
    pthread_mutex_lock(&rt_lock);
    double ms = all_done() - reset_clock;
    pthread_mutex_unlock(&rt_lock);
    return ms;
}

void stream_last_work(double *start_ms, double *end_ms)
{
    pthread_mutex_lock(&rt_lock);
    *start_ms = last_work.start - reset_clock;
    *end_ms = last_work.end - reset_clock;
    pthread_mutex_unlock(&rt_lock);
}

/* ---- waiting of the host ---- */

/* The host waits for one stream, or for all of the current device when s is NULL. */
static void host_wait(const struct CUstream_st *s)
{
    double *clock = host_clock();

    *clock = later(*clock, s ? start_of(s) : done_on(rt_device));
}

void host_work(double ms)
{
    pthread_mutex_lock(&rt_lock);
    double *clock = host_clock();
    last_work = (struct span){*clock, *clock + ms};
    *clock += ms;
    pthread_mutex_unlock(&rt_lock);
}

void stream_wait(cudaStream_t handle)
{
    pthread_mutex_lock(&rt_lock);
    struct CUstream_st *s = find_locked(handle);
    if (s)
        host_wait(s);
    pthread_mutex_unlock(&rt_lock);
}

void streams_reset(void)
{
    pthread_mutex_lock(&rt_lock);
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (s->device == rt_device)
            s->clock = 0;
    legacy[rt_device].clock = gone_clock[rt_device] = 0;
    memset(engines[rt_device], 0, sizeof(engines[rt_device]));
    if (rt_devices() == 1) { /* else time goes on, on the others */
        shared_clock = reset_clock = 0;
        last_work = (struct span){0, 0};
    }
    pthread_mutex_unlock(&rt_lock);
}

/* ---- creating ---- */

int stream_priority(int priority)
{
    return priority > LEAST_PRIORITY      ? LEAST_PRIORITY
           : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                          : priority;
}

static cudaError_t create(cudaStream_t *out, unsigned flags, int priority)
{
    if (!out || flags & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&rt_lock);
    *out = stream_new(flags, stream_priority(priority));
    pthread_mutex_unlock(&rt_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return rt_leave(rt_enter() ?: create(out, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags)
{
    return rt_leave(rt_enter() ?: create(out, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned int flags, int priority)
{
    return rt_leave(rt_enter() ?: create(out, flags, priority));
}

static cudaError_t destroy_now(cudaStream_t handle)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    pthread_mutex_lock(&rt_lock);
    for (struct CUstream_st **p = &streams; *p; p = &(*p)->next) {
        if (*p != handle)
            continue;
        *p = handle->next;
        tip_set(&handle->tip, NULL, NULL, NULL, 0);
        gone_clock[handle->device] = later(gone_clock[handle->device], handle->clock);
        free(handle);
        e = cudaSuccess;
        break;
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

static bool destroy_later(cudaStream_t stream, void *args)
{
    (void)stream;
    destroy_now(*(cudaStream_t *)args);
    return true;
}

/* What it holds is done first, and the call does not wait for that. */
static cudaError_t destroy(cudaStream_t handle)
{
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return cudaErrorInvalidResourceHandle;
    capture_leaves(handle);
    if (hold_later(handle, destroy_later, &handle, sizeof(handle)))
        return cudaSuccess;
    return destroy_now(handle);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    return rt_leave(rt_enter() ?: destroy(handle));
}

/* ---- asking ---- */

#define STREAM_OR_FAIL(handle)                                                                     \
    ({                                                                                             \
        struct CUstream_st *s_ = stream_find(handle);                                              \
        if (!s_)                                                                                   \
            return rt_leave(cudaErrorInvalidResourceHandle);                                       \
        s_;                                                                                        \
    })

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    struct CUstream_st *s = STREAM_OR_FAIL(handle);

    if (!priority)
        return rt_leave(cudaErrorInvalidValue);
    *priority = s->priority;
    return rt_leave(rt_enter());
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags)
{
    struct CUstream_st *s = STREAM_OR_FAIL(handle);

    if (!flags)
        return rt_leave(cudaErrorInvalidValue);
    *flags = s->flags;
    return rt_leave(rt_enter());
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
    struct CUstream_st *s = STREAM_OR_FAIL(handle);

    if (!id)
        return rt_leave(cudaErrorInvalidValue);
    *id = s == &legacy[s->device] ? 1 : s->id;
    return rt_leave(rt_enter());
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
    struct CUstream_st *s = STREAM_OR_FAIL(handle);

    if (!device)
        return rt_leave(cudaErrorInvalidValue);
    *device = s->device;
    return rt_leave(rt_enter());
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return rt_leave(rt_enter());
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    STREAM_OR_FAIL(handle);
    cudaError_t e = capture_bars(handle) ?: rt_enter();
    return rt_leave(e ?: hold_query(handle) ? cudaErrorNotReady : cudaSuccess);
}

/* Attributes are hints about caches and scheduling, of which nothing is modelled but the
 * priority. */
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attr,
                                   const cudaStreamAttrValue *value)
{
    struct CUstream_st *s = STREAM_OR_FAIL(handle);

    if (!value)
        return rt_leave(cudaErrorInvalidValue);
    if (attr == cudaLaunchAttributePriority)
        s->priority = value->priority;
    return rt_leave(rt_enter());
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attr,
                                   cudaStreamAttrValue *value)
{
    struct CUstream_st *s = STREAM_OR_FAIL(handle);

    if (!value)
        return rt_leave(cudaErrorInvalidValue);
    memset(value, 0, sizeof(*value));
    if (attr == cudaLaunchAttributePriority)
        value->priority = s->priority;
    else if (attr == cudaLaunchAttributeSynchronizationPolicy)
        value->syncPolicy = cudaSyncPolicyAuto;
    return rt_leave(rt_enter());
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    struct CUstream_st *to = STREAM_OR_FAIL(dst), *from = STREAM_OR_FAIL(src);

    to->priority = from->priority;
    return rt_leave(rt_enter());
}

/* Managed memory is visible to all streams at any time here. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void *p, size_t length,
                                     unsigned int flags)
{
    const struct mem_alloc *a = mem_find((uint64_t)p);

    STREAM_OR_FAIL(handle);
    (void)length;
    if (!a || a->kind != MEM_MANAGED ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
         flags != cudaMemAttachSingle))
        return rt_leave(cudaErrorInvalidValue);
    return rt_leave(rt_enter());
}

/* ---- waiting ---- */

cudaError_t cudaDeviceSynchronize(void)
{
    hold_wait_all();
    pthread_mutex_lock(&rt_lock);
    host_wait(NULL);
    pthread_mutex_unlock(&rt_lock);
    return rt_leave(rt_enter());
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    struct CUstream_st *s = STREAM_OR_FAIL(handle);
    cudaError_t e = capture_bars(handle);

    if (e)
        return rt_leave(e);
    hold_wait(handle);
    pthread_mutex_lock(&rt_lock);
    host_wait(s);
    pthread_mutex_unlock(&rt_lock);
    return rt_leave(rt_enter());
}

/* ---- host functions ---- */

static bool call_now(cudaStream_t handle, void *function)
{
    const struct cudaHostNodeParams *f = function;

    (void)handle;
    rt_in_callback(true);
    f->fn(f->userData);
    rt_in_callback(false);
    return true;
}

cudaError_t host_function(cudaStream_t handle, cudaHostFn_t fn, void *user)
{
    struct work w = {.type = cudaGraphNodeTypeHost, .host = {fn, user}};
    cudaError_t e;

    if (!stream_find(handle))
        return cudaErrorInvalidResourceHandle;
    if (!fn)
        return cudaErrorInvalidValue;
    if (capture_takes(handle, &w, &e))
        return e;
    if (!hold_later(handle, call_now, &w.host, sizeof(w.host)))
        call_now(handle, &w.host);
    return cudaSuccess;
}

/* The work before it is done, as a rule, so the function is called at once, on this thread. */
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t fn, void *user)
{
    return rt_leave(rt_enter() ?: host_function(handle, fn, user));
}

struct callback {
    cudaStreamCallback_t fn;
    void *user;
    cudaError_t error;
};
/* It is told of an error, unlike a host function. */
static bool call_back(cudaStream_t handle, void *callback)
{
    const struct callback *c = callback;

    rt_in_callback(true);
    c->fn(handle, c->error ?: rt_fault(), c->user);
    rt_in_callback(false);
    return true;
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void *user,
                                  unsigned int flags)
{
    cudaError_t e = rt_enter();

    STREAM_OR_FAIL(handle);
    if (!callback || flags)
        return rt_leave(cudaErrorInvalidValue);
    cudaError_t barred = capture_bars(handle);
    if (barred)
        return rt_leave(barred);
    struct callback c = {callback, user, e};
    if (!hold_later(handle, call_back, &c, sizeof(c)))
        call_back(handle, &c);
    return rt_leave(e);
}

/* ---- events: a modelled time each ---- */

struct CUevent_st {
    struct CUevent_st *next;
    struct tip tip;
    unsigned flags;
    int device;
    bool recorded;
    bool gone;     /* recorded in a capture that is over */
    double time;   /* ms */
    uint64_t held; /* its record's number, where that came behind a held launch (hold.h) */
    int file;      /* other processes know it by; -1: none */
};

static struct CUevent_st *events;

static bool event_known(cudaEvent_t event)
{
    for (struct CUevent_st *e = events; e; e = e->next)
        if (e == event)
            return true;
    return false;
}

static bool event_found(cudaEvent_t event)
{
    pthread_mutex_lock(&rt_lock);
    bool known = event_known(event);
    pthread_mutex_unlock(&rt_lock);
    return known;
}

void streams_forget(const struct capture *c)
{
    pthread_mutex_lock(&rt_lock);
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (s->tip.in == c)
            tip_set(&s->tip, NULL, NULL, NULL, 0);
    for (struct CUevent_st *e = events; e; e = e->next)
        if (e->tip.in == c) {
            tip_set(&e->tip, NULL, NULL, NULL, 0);
            e->gone = true;
        }
    pthread_mutex_unlock(&rt_lock);
}

/* The host cannot wait for an event that was recorded in a capture. */
static cudaError_t event_captured(cudaEvent_t event)
{
    if (!event_found(event))
        return cudaSuccess;
    if (event->gone)
        return cudaErrorInvalidValue;
    if (!event->tip.in)
        return cudaSuccess;
    capture_invalidate(event->tip.in);
    return cudaErrorCapturedEvent;
}

cudaError_t event_create(cudaEvent_t *out, unsigned flags)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

    if (!out || flags & ~known)
        return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming))
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&rt_lock);
    struct CUevent_st *e = xcalloc(1, sizeof(*e));
    *e = (struct CUevent_st){.next = events, .flags = flags, .device = rt_device, .file = -1};
    events = e;
    pthread_mutex_unlock(&rt_lock);
    *out = e;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return rt_leave(rt_enter() ?: event_create(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return rt_leave(rt_enter() ?: event_create(event, flags));
}

static void event_free(cudaEvent_t event)
{
    tip_set(&event->tip, NULL, NULL, NULL, 0);
    if (event->file >= 0)
        close(event->file);
    free(event);
}

cudaError_t event_share(cudaEvent_t event, int *file)
{
    struct share s;
    cudaError_t e = cudaSuccess;

    pthread_mutex_lock(&rt_lock);
    if (!event_known(event) || !(event->flags & cudaEventInterprocess))
        e = cudaErrorInvalidResourceHandle;
    if (!e && event->file < 0)
        event->file = share_new(&s, SHARE_EVENT, 0, event->device);
    if (!e && event->file < 0)
        e = cudaErrorMapBufferObjectFailed;
    *file = e ? -1 : event->file;
    pthread_mutex_unlock(&rt_lock);
    return e;
}

static cudaError_t event_destroy(cudaEvent_t event)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    pthread_mutex_lock(&rt_lock);
    for (struct CUevent_st **p = &events; event && *p; p = &(*p)->next) {
        if (*p != event)
            continue;
        *p = event->next;
        event_free(event);
        e = cudaSuccess;
        break;
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return rt_leave(rt_enter() ?: event_destroy(event));
}

/* Recording takes its time too: what an empty pair of events reads. */
static cudaError_t event_record_now(cudaEvent_t event, cudaStream_t handle)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    pthread_mutex_lock(&rt_lock);
    struct CUstream_st *s = find_locked(handle);
    if (s && event_known(event) && event->device != s->device)
        emu_fail(e, "cudaEventRecord: an event of device %d in a stream of device %d",
                 event->device, s->device);
    if (s && event_known(event) && event->device == s->device) {
        event->time = start_of(s);
        event->recorded = true;
        event->gone = false;
        s->clock = event->time + device_profile()->event_overhead_us / 1e3;
        e = cudaSuccess;
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

static bool record_later(cudaStream_t handle, void *event)
{
    event_record_now(*(cudaEvent_t *)event, handle);
    return true;
}

/* In a capture an event marks a place; an external one is a node that records. */
cudaError_t event_record(cudaEvent_t event, cudaStream_t handle, bool external)
{
    struct work w = {.type = cudaGraphNodeTypeEventRecord, .event = event};
    cudaError_t e;

    if (!event_found(event) || !stream_find(handle))
        return cudaErrorInvalidResourceHandle;
    bool taken =
        external ? capture_takes(handle, &w, &e) : capture_records(handle, &event->tip, &e);
    event->gone = event->gone && e;
    if (taken)
        return e;
    event->held = hold_later(handle, record_later, &event, sizeof(event));
    return event->held ? cudaSuccess : event_record_now(event, handle);
}

cudaError_t event_of_launch(cudaEvent_t event, int flags, unsigned char port, cudaStream_t stream)
{
    (void)port, (void)stream;
    if (!event_found(event))
        return cudaErrorInvalidResourceHandle;
    if (flags)
        return cudaErrorIllegalState;
    return event->flags & cudaEventDisableTiming ? cudaSuccess : cudaErrorNotSupported;
}

cudaError_t event_record_early(cudaEvent_t event, int flags, unsigned char port,
                               cudaStream_t stream)
{
    cudaError_t e = event_record(event, stream, false);

    (void)flags;
    for (size_t i = 0; !e && i < event->tip.n; i++)
        event->tip.edges[i] =
            (cudaGraphEdgeData){.from_port = port, .type = cudaGraphDependencyTypeProgrammatic};
    return e;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: event_record(event, stream, false));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return rt_leave(cudaErrorInvalidValue);
    return rt_leave(rt_enter() ?: event_record(event, stream, flags & cudaEventRecordExternal));
}

static cudaError_t event_done(cudaEvent_t event, bool wait)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    if (event_found(event) && wait)
        hold_wait_number(event->held);
    else if (event_found(event))
        hold_query_number(event->held);
    pthread_mutex_lock(&rt_lock);
    if (event_known(event)) {
        if (wait)
            *host_clock() = later(*host_clock(), event->time);
        e = hold_waits(event->held) ? cudaErrorNotReady : rt_fault();
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return rt_leave(event_captured(event) ?: rt_enter() ?: event_done(event, false));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return rt_leave(event_captured(event) ?: rt_enter() ?: event_done(event, true));
}

static cudaError_t elapsed(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    if (!ms)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&rt_lock);
    if (event_known(start) && event_known(end) && (start->tip.in || end->tip.in))
        e = cudaErrorCapturedEvent;
    else if (event_known(start) && event_known(end) &&
             (hold_waits(start->held) || hold_waits(end->held)))
        e = cudaErrorNotReady;
    else if (event_known(start) && event_known(end) && start->device == end->device &&
             start->recorded && end->recorded &&
             !((start->flags | end->flags) & cudaEventDisableTiming)) {
        *ms = (float)(end->time - start->time);
        e = cudaSuccess;
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t e = rt_enter() ?: elapsed(ms, start, end);

    if (e == cudaSuccess && *ms > 0)
        record_told(*ms);
    return rt_leave(e);
}

static cudaError_t wait_event_now(cudaStream_t handle, cudaEvent_t event)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    pthread_mutex_lock(&rt_lock);
    struct CUstream_st *s = find_locked(handle);
    if (s && event_known(event)) {
        s->clock = later(s->clock, event->time);
        e = cudaSuccess;
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

static bool wait_later(cudaStream_t handle, void *event)
{
    wait_event_now(handle, *(cudaEvent_t *)event);
    return true;
}

cudaError_t wait_event(cudaStream_t handle, cudaEvent_t event, bool external)
{
    struct work w = {.type = cudaGraphNodeTypeWaitEvent, .event = event};
    cudaError_t e;

    if (!event_found(event) || !stream_find(handle))
        return cudaErrorInvalidResourceHandle;
    if (event->gone)
        return cudaErrorInvalidValue;
    bool taken = external ? capture_takes(handle, &w, &e)
                          : capture_waits(handle, &event->tip, event->recorded || event->held, &e);
    if (taken)
        return e;
    return hold_after(handle, wait_later, &event, sizeof(event), event->held)
               ? cudaSuccess
               : wait_event_now(handle, event);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return rt_leave(cudaErrorInvalidValue);
    return rt_leave(rt_enter() ?: wait_event(stream, event, flags & cudaEventWaitExternal));
}

/* Streams and events do not outlive their context. */
void events_reset(void)
{
    pthread_mutex_lock(&rt_lock);
    for (struct CUevent_st **p = &events, *e; (e = *p);) {
        if (e->device != rt_device) {
            p = &e->next;
            continue;
        }
        *p = e->next;
        event_free(e);
    }
    pthread_mutex_unlock(&rt_lock);
}
