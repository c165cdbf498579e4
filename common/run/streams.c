/* streams.c - carries a plan's operations out on streams (streams.h). */
#include "streams.h"
#include "base/alloc.h"
#include "emulator.h"
#include "lab/dtype.h"
#include "lab/plan.h"
#include "machine.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

/* ---- the host's memory ---- */

static bool kernels_use_host(const struct exec *e)
{
    return e->plan->memory == MAPPED || e->plan->memory == MANAGED;
}

bool host_open(struct exec *e, int b, size_t bytes)
{
    const char *name = e->plan->buffers[b].name;
    void **at = (void **)&e->host_base[b];
    cudaError_t error = cudaSuccess;

    if (e->plan->memory == PAGEABLE)
        *at = xmalloc(bytes);
    else if (e->plan->memory == MANAGED)
        error = cudaMallocManaged(at, bytes, cudaMemAttachGlobal);
    else
        error = cudaHostAlloc(
            at, bytes, e->plan->memory == MAPPED ? cudaHostAllocMapped : cudaHostAllocDefault);
    return error == cudaSuccess || exec_fail(e, error, "%s: %zu bytes of %s memory cannot be had",
                                             name, bytes, host_memory_names[e->plan->memory]);
}

bool host_is_used(const struct exec *e, int b)
{
    return e->plan->memory && kernels_use_host(e) && e->plan->buffers[b].role != BUF_SCRATCH;
}

static void host_close(struct exec *e, int b)
{
    if (e->plan->memory == PAGEABLE)
        free(e->host_base[b]);
    else if (e->plan->memory == MANAGED)
        cudaFree(e->host_base[b]);
    else
        cudaFreeHost(e->host_base[b]);
    e->host_base[b] = e->host[b] = NULL;
}

/* ---- streams and events ---- */

static bool timed_event(struct exec *e, cudaEvent_t *event)
{
    cudaError_t error = cudaEventCreate(event);

    return error == cudaSuccess || exec_fail(e, error, "an event to time with");
}

/* What operation o needs on a rank's device. */
static cudaError_t open_for(struct exec *e, const struct plan_op *o, int rank)
{
    cudaStream_t *stream = &e->streams[rank][o->stream];
    cudaEvent_t *event = &e->events[rank][o->event];
    cudaError_t error = cudaSuccess;

    if (o->kind != OP_SUM && o->rank != (uint32_t)rank && !(o->kind == OP_FETCH && rank == 0))
        return cudaSuccess;
    if (ranks_of(e) > 1)
        error = cudaSetDevice(rank);
    if (error == cudaSuccess && !*stream)
        error = cudaStreamCreate(stream);
    if (error == cudaSuccess && o->kind == OP_RECORD && !*event)
        error = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    if (error == cudaSuccess && ranks_of(e) > 1)
        error = cudaSetDevice(0);
    return error;
}

bool schedule_open(struct exec *e)
{
    const struct plan *p = e->plan;
    cudaError_t error = cudaSuccess;

    if (e->options.timeline && !emulator_here() && ranks_of(e) == 1) {
        e->begin = xcalloc((size_t)p->nops + 1, sizeof(*e->begin));
        e->end = xcalloc((size_t)p->nops + 1, sizeof(*e->end));
    }
    e->times = p->nops ? xcalloc((size_t)p->nops, sizeof(*e->times)) : NULL;
    for (int i = 0; i < p->nops && error == cudaSuccess; i++) {
        const struct plan_op *o = &p->ops[i];

        for (int r = 0; r < ranks_of(e) && error == cudaSuccess; r++)
            error = open_for(e, o, r);
        if (e->begin && (!timed_event(e, &e->begin[i]) || !timed_event(e, &e->end[i])))
            return false;
    }
    return error == cudaSuccess || exec_fail(e, error, "streams and events");
}

void schedule_close(struct exec *e)
{
    for (int b = 0; b < e->plan->nbuffers; b++) {
        if (e->host_base[b])
            host_close(e, b);
    }
    for (int r = 0; r < ranks_of(e); r++) {
        for (int i = 0; i < SCHEDULE_STREAMS; i++) {
            if (e->streams[r][i])
                cudaStreamDestroy(e->streams[r][i]);
        }
        for (int i = 0; i < SCHEDULE_EVENTS; i++) {
            if (e->events[r][i])
                cudaEventDestroy(e->events[r][i]);
        }
    }
    for (int i = 0; e->begin && i < e->plan->nops; i++) {
        cudaEventDestroy(e->begin[i]);
        cudaEventDestroy(e->end[i]);
    }
    free(e->begin);
    free(e->end);
    free(e->times);
}

/* ---- running ---- */

static cudaError_t copy(struct exec *e, const struct plan_op *o)
{
    size_t size = dtype_size(e->plan->buffers[o->index].dtype);
    char *host = e->host[o->index] + o->offset * size;
    char *device = rank_data(e, (int)o->rank, o->index) + o->offset * size;
    cudaStream_t stream = e->streams[o->rank][o->stream];
    bool in = o->kind == OP_COPY_IN;

    if (!o->count)
        return cudaSuccess;
    if (e->plan->memory == MANAGED) {
        struct cudaMemLocation where = {
            .type = in ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost, .id = 0};

        return cudaMemPrefetchAsync(host, o->count * size, where, 0, stream);
    }
    return in ? cudaMemcpyAsync(device, host, o->count * size, cudaMemcpyHostToDevice, stream)
              : cudaMemcpyAsync(host, device, o->count * size, cudaMemcpyDeviceToHost, stream);
}

/* What a kernel did, a later call is told. */
static bool blame(struct exec *e, cudaError_t error, int i, const char *what)
{
    if (machine_error_is_sticky(error) && e->plan->nsteps)
        return exec_launch_failed(e, error, e->plan->nsteps);
    return exec_fail(e, error, "operation %d, %s", i, what);
}

static bool carry_out(struct exec *e, int i)
{
    static const char *const words[] = {"kernel", "copy_in", "copy_out", "record",
                                        "wait",   "sum",     "fetch"};
    const struct plan_op *o = &e->plan->ops[i];
    cudaStream_t stream = e->streams[o->rank][o->stream];
    cudaError_t error = cudaSuccess;

    if (ranks_of(e) > 1 && !rank_use(e, (int)o->rank))
        return false;
    switch (o->kind) {
    case OP_LAUNCH:
        return exec_step(e, o->index, (int)o->rank, stream);
    case OP_COPY_IN:
    case OP_COPY_OUT:
        error = copy(e, o);
        break;
    case OP_RECORD:
        error = cudaEventRecord(e->events[o->rank][o->event], stream);
        break;
    case OP_WAIT:
        error = cudaStreamWaitEvent(stream, e->events[o->rank][o->event], 0);
        break;
    case OP_FETCH:
        error = ranks_fetch(e, o);
        break;
    case OP_SUM:
        return ranks_sum(e, o);
    }
    return error == cudaSuccess || blame(e, error, i, words[o->kind]);
}

/* The host looks at what managed memory holds now: results that nobody moved come page by page. */
static void look(struct exec *e)
{
    for (int b = 0; b < e->plan->nbuffers && e->plan->memory == MANAGED; b++) {
        if (e->plan->buffers[b].role != BUF_OUTPUT)
            continue;
        emulator_host_touch(e->host[b], e->bytes[b]);
        for (size_t i = 0; i < e->bytes[b]; i += PAGE)
            (void)*(volatile char *)(e->host[b] + i);
    }
}

/* Managed inputs are the host's before a run, results' place is the device's. */
bool schedule_prepare(struct exec *e)
{
    cudaError_t error = cudaSuccess;

    for (int b = 0; b < e->plan->nbuffers && e->plan->memory == MANAGED; b++) {
        bool in = e->plan->buffers[b].role == BUF_INPUT;
        struct cudaMemLocation where = {
            .type = in ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, .id = 0};

        if (error == cudaSuccess && e->host[b] && e->bytes[b])
            error = cudaMemPrefetchAsync(e->host[b], e->bytes[b], where, 0, NULL);
    }
    if (error == cudaSuccess && e->plan->memory == MANAGED)
        error = cudaDeviceSynchronize();
    return error == cudaSuccess || exec_fail(e, error, "managed memory, before the run");
}

/* One rank has nobody to add to, or to fetch from. */
static bool takes_time(const struct plan_op *o, int ranks)
{
    switch (o->kind) {
    case OP_LAUNCH:
        return true;
    case OP_COPY_IN:
    case OP_COPY_OUT:
        return o->count;
    case OP_SUM:
        return o->count && ranks > 1;
    case OP_FETCH:
        return o->count && o->rank;
    default:
        return false;
    }
}

/* What all launches so far did. */
static struct op_time done_so_far(void)
{
    return (struct op_time){.work = emulator_counter("inst_executed"),
                            .loaded = emulator_counter("global_ld_sectors")};
}

/* Of a launch also what it did: that of all with it, less that of those before. */
static void take_work(struct op_time *t, struct op_time before)
{
    struct op_time after = done_so_far();

    t->work = after.work - before.work;
    t->loaded = after.loaded - before.loaded;
}

/* ---- which launches are over before which ---- */

struct reached { /* the streams, and the events, all of whose operations so far are over */
    bool stream[LAB_MAX_RANKS][SCHEDULE_STREAMS], event[LAB_MAX_RANKS][SCHEDULE_EVENTS];
};

/* One operation further back. */
static void reach(struct reached *x, const struct plan_op *o)
{
    bool *stream = &x->stream[o->rank][o->stream], *event = &x->event[o->rank][o->event];
    bool any = false;

    switch (o->kind) {
    case OP_WAIT:
        *event |= *stream;
        break;
    case OP_RECORD: /* the event's last one before the wait */
        *stream |= *event;
        *event = false;
        break;
    case OP_SUM:
        for (int r = 0; r < LAB_MAX_RANKS; r++)
            any |= x->stream[r][o->stream];
        for (int r = 0; r < LAB_MAX_RANKS; r++)
            x->stream[r][o->stream] |= any;
        break;
    case OP_FETCH:
        *stream |= x->stream[0][o->stream];
        break;
    default:
        break;
    }
}

/* Which launches are over when operation i begins: a bit each, in their order. */
static void find_before(const struct plan *p, int i, uint64_t before[LAB_MAX_OPS / 64])
{
    struct reached x = {0};
    int launch = 0;

    memset(before, 0, LAB_MAX_OPS / 64 * sizeof(*before));
    for (int k = 0; k < i; k++)
        launch += p->ops[k].kind == OP_LAUNCH;
    x.stream[p->ops[i].rank][p->ops[i].stream] = true;
    for (int k = i - 1; k >= 0; k--) {
        const struct plan_op *o = &p->ops[k];

        launch -= o->kind == OP_LAUNCH;
        if (o->kind == OP_LAUNCH && x.stream[o->rank][o->stream])
            before[launch / 64] |= 1ull << launch % 64;
        reach(&x, o);
    }
}

/* With the clock around it; the emulator says when it was. */
static bool timed(struct exec *e, int i)
{
    cudaStream_t stream = e->streams[e->plan->ops[i].rank][e->plan->ops[i].stream];

    bool counted = !e->begin && e->plan->ops[i].kind == OP_LAUNCH;
    struct op_time before = counted ? done_so_far() : (struct op_time){0};

    if (e->begin)
        cudaEventRecord(e->begin[i], stream);
    if (!carry_out(e, i))
        return false;
    if (e->begin)
        cudaEventRecord(e->end[i], stream);
    else if (takes_time(&e->plan->ops[i], ranks_of(e)))
        emulator_last_work(&e->times[i].start, &e->times[i].end);
    if (counted)
        take_work(&e->times[i], before);
    return true;
}

static void read_times(struct exec *e)
{
    for (int i = 0; e->begin && i < e->plan->nops; i++) {
        float start = 0, end = 0;

        cudaEventElapsedTime(&start, e->begin[0], e->begin[i]);
        cudaEventElapsedTime(&end, e->begin[0], e->end[i]);
        e->times[i] = (struct op_time){.start = start, .end = end};
    }
}

bool schedule_launch(struct exec *e)
{
    uint64_t before[LAB_MAX_OPS / 64];
    bool done = true;

    for (int i = 0; i < e->plan->nops && done; i++) {
        if (e->plan->ops[i].kind == OP_LAUNCH) {
            find_before(e->plan, i, before);
            emulator_order(before);
        }
        done = timed(e, i);
    }
    emulator_order(NULL);
    if (!done)
        return false;
    cudaError_t error = ranks_wait(e);
    if (error != cudaSuccess)
        return blame(e, error, e->plan->nops, "after the last step");
    read_times(e);
    look(e);
    return true;
}
