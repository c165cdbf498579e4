/* hold.c - see hold.h.
 *
 * A launch is over when its call returns, but for one whose warps all wait for what others are to
 * write (exec/launch.h): it is parked, and goes on for a moment at each call of the program's that
 * follows. Its stream is held: what is issued to it, or to one that waits for it, stands in one
 * queue, in the order of issue. Each piece is done as soon as nothing before it that its stream
 * waits for is left. A call that waits for a held stream goes on until it is free, so that other
 * host threads can write meanwhile; where there are none, or nothing has changed for long, the
 * launch ends with an error.
 *
 * Late (hold_be_late()), all that is issued stands in the queue until a call waits for it, and of
 * what nothing orders the last comes first: no program that waits as it has to can tell. Queries
 * say no, and the last of so many (ASKED_IN_VAIN) does what it asks about. What has stood there for
 * a second or two in which nothing was done is done then, for programs that wait without a call: in
 * a host function, or for a word of pinned memory.
 *
 * Not modelled: that a GPU begins at once, and is late with a part of a copy or a kernel.
 */
#include "hold.h"
#include "base/clock.h"
#include "base/text.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALONE_S   0.2 /* how long nothing may change where no other thread of the program is */
#define OTHERS_S  60.0
#define PAUSE_US  100
#define LATE_MOST 1024 /* pieces; as on a GPU, who issues more waits */
#define LATE_S    1    /* how long the queue stands still before it is looked at again */

struct claim { /* what it waits for: earlier work of its stream, or that of the number */
    struct CUstream_st *stream;
    bool legacy, blocking;
    int device;
    uint64_t after; /* 0: none */
};
struct piece {
    struct piece *next;
    struct claim claim;
    uint64_t number;
    hold_fn fn;
    struct parked *parked; /* its args, if it is one */
    bool needed, tried;    /* by what is waited for; in this turn */
    _Alignas(16) uint8_t args[];
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; /* of the queue's links */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;      /* who has it does the queue's work */
static struct piece *queue;
static atomic_bool any; /* is there something in it? */
static uint64_t numbers;
static size_t length;
static bool late;
static atomic_int watchers; /* threads of our own */
static atomic_bool not_alone;
static __thread struct piece *now; /* that this thread is doing */
static __thread bool inside;

/* ---- what waits for what ---- */
static bool in_order(const struct claim *a, const struct claim *b)
{
    return a->stream == b->stream ||
           (a->device == b->device && ((a->legacy && b->blocking) || (b->legacy && a->blocking)));
}
static bool comes_before(const struct piece *p, const struct claim *x)
{
    return in_order(&p->claim, x) || (x->after && p->number == x->after);
}
static bool must_wait(const struct claim *x, const struct piece *end)
{
    for (const struct piece *p = queue; p && p != end; p = p->next)
        if (comes_before(p, x))
            return true;
    return false;
}
static struct claim claim_of(struct CUstream_st *s)
{
    return (struct claim){.stream = s,
                          .legacy = s->id == 0,
                          .blocking = !(s->flags & cudaStreamNonBlocking),
                          .device = s->device};
}

/* ---- the queue ---- */
static uint64_t append(const struct claim *x, hold_fn fn, struct parked *parked, const void *args,
                       size_t bytes)
{
    struct piece *p = xcalloc(1, sizeof(*p) + bytes), **last = &queue;

    *p = (struct piece){.claim = *x, .fn = fn, .parked = parked};
    if (bytes)
        memcpy(p->args, args, bytes);
    p->number = ++numbers;
    while (*last)
        last = &(*last)->next;
    *last = p;
    length++;
    atomic_store(&any, true);
    return p->number;
}

/* Of what is issued; always: whether it is held or not. */
static uint64_t add(cudaStream_t stream, hold_fn fn, const void *args, size_t bytes, uint64_t after,
                    bool always)
{
    struct CUstream_st *s = (always || atomic_load(&any)) && !inside ? stream_find(stream) : NULL;
    uint64_t number = 0;

    if (!s)
        return 0;
    struct claim x = claim_of(s);
    x.after = after;
    pthread_mutex_lock(&list_lock);
    if (always || must_wait(&x, NULL))
        number = append(&x, fn, NULL, args, bytes);
    bool full = late && length > LATE_MOST;
    pthread_mutex_unlock(&list_lock);
    if (full)
        hold_wait_all();
    return number;
}

uint64_t hold_later(cudaStream_t stream, hold_fn fn, const void *args, size_t bytes)
{
    return add(stream, fn, args, bytes, 0, late);
}

uint64_t hold_after(cudaStream_t stream, hold_fn fn, const void *args, size_t bytes,
                    uint64_t number)
{
    return add(stream, fn, args, bytes, number, late);
}

uint64_t hold_behind(cudaStream_t stream, hold_fn fn, const void *args, size_t bytes)
{
    return add(stream, fn, args, bytes, 0, false);
}

void hold_launch(cudaStream_t stream, hold_fn go_on, const struct parked *p)
{
    struct parked *copy = memcpy(xmalloc(sizeof(*p)), p, sizeof(*p));

    if (now) { /* it stays where it stood in the queue */
        now->fn = go_on;
        now->parked = copy;
        return;
    }
    struct claim x = claim_of(stream_find(stream));
    pthread_mutex_lock(&list_lock);
    append(&x, go_on, copy, NULL, 0);
    pthread_mutex_unlock(&list_lock);
}

static void take_out(struct piece *p)
{
    pthread_mutex_lock(&list_lock);
    struct piece **at = &queue;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    length--;
    atomic_store(&any, queue != NULL);
    pthread_mutex_unlock(&list_lock);
    free(p->parked);
    free(p);
}

/* ---- going on ---- */
static bool run_piece(struct piece *p)
{
    int device = rt_device;
    hold_fn fn = p->fn;

    rt_device = p->claim.device;
    now = p;
    if (p->parked && rt_fault())
        emu_give_up(p->parked->launch, NULL);
    bool done =
        (!p->parked && rt_fault()) || /* it ended all that was still to come */
        fn(p->claim.legacy ? NULL : p->claim.stream, p->parked ? (void *)p->parked : p->args);
    done = done && p->fn == fn; /* else it is a launch, and parked */
    now = NULL;
    rt_device = device;
    return done;
}
/* Each piece that waits for none before it. True: some is done. */
static bool run_queue(void)
{
    bool moved = false;

    inside = true;
    for (struct piece *p = queue, *next; p; p = next) {
        pthread_mutex_lock(&list_lock);
        bool waits = must_wait(&p->claim, p);
        pthread_mutex_unlock(&list_lock);
        bool done = !waits && run_piece(p);
        pthread_mutex_lock(&list_lock);
        next = p->next;
        pthread_mutex_unlock(&list_lock);
        if (done)
            take_out(p);
        moved |= done;
    }
    inside = false;
    return moved;
}

/* All pieces, in their order, for free(). */
static struct piece **pieces(size_t *n)
{
    pthread_mutex_lock(&list_lock);
    struct piece **all = xmalloc((length + 1) * sizeof(*all)), **last = all;
    for (struct piece *p = queue; p; p = p->next)
        *last++ = p;
    *n = (size_t)(last - all);
    pthread_mutex_unlock(&list_lock);
    return all;
}

/* What x waits for, and what that waits for; x NULL: all. */
static void mark_needed(struct piece **all, size_t n, const struct claim *x)
{
    for (size_t i = n; i-- > 0;) {
        all[i]->tried = false;
        all[i]->needed = !x || comes_before(all[i], x);
        for (size_t k = i + 1; k < n && !all[i]->needed; k++)
            all[i]->needed = all[k]->needed && comes_before(all[i], &all[k]->claim);
    }
}

/* The last piece that is needed and waits for none before it; n: there is none. */
static size_t last_ready(struct piece **all, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        bool ready = all[i] && all[i]->needed && !all[i]->tried;
        for (size_t k = 0; k < i && ready; k++)
            ready = !all[k] || !comes_before(all[k], &all[i]->claim);
        if (ready)
            return i;
    }
    return n;
}

/* Late: what x waits for, and no more, the last of what nothing orders first. True: some is done.
 */
static bool run_needed(const struct claim *x)
{
    size_t n, i;
    struct piece **all = pieces(&n);
    bool moved = false;

    inside = true;
    mark_needed(all, n, x);
    while ((i = last_ready(all, n)) < n) {
        all[i]->tried = true;
        if (!run_piece(all[i]))
            continue;
        take_out(all[i]);
        all[i] = NULL;
        moved = true;
    }
    inside = false;
    free(all);
    return moved;
}

void hold_go_on(void)
{
    if (!atomic_load(&any) || late || inside || pthread_mutex_trylock(&turn))
        return;
    run_queue();
    pthread_mutex_unlock(&turn);
}

void hold_drop(void)
{
    if (!atomic_load(&any) || inside)
        return;
    pthread_mutex_lock(&turn);
    pthread_mutex_lock(&list_lock);
    queue = NULL;
    length = 0;
    atomic_store(&any, false);
    pthread_mutex_unlock(&list_lock);
    pthread_mutex_unlock(&turn);
}

/* ---- waiting ---- */
void hold_not_alone(void)
{
    atomic_store(&not_alone, true);
}

/* Is there no other thread that could write? */
static bool no_others_left(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");

    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n - emu_threads() - atomic_load(&watchers) == 1 && !atomic_load(&not_alone);
}

static void give_up(bool no_others)
{
    pthread_mutex_lock(&turn);
    const struct piece *p = queue;
    while (p && !p->parked)
        p = p->next;
    if (p)
        emu_give_up(p->parked->launch,
                    no_others ? " waits for what nobody is left to write: the host waits for it"
                              : " waits for what nobody has written for a minute, and the host "
                                "waits for it");
    pthread_mutex_unlock(&turn);
}

static bool is_waited_for(const struct claim *x)
{
    pthread_mutex_lock(&list_lock);
    bool waits = x ? must_wait(x, NULL) : queue != NULL;
    pthread_mutex_unlock(&list_lock);
    return waits;
}

/* True: something has changed. What is needed may wait for what is not, by words in memory. */
static bool take_turn(const struct claim *x)
{
    pthread_mutex_lock(&turn);
    uint64_t before = emu_stirs();
    bool moved = (late && run_needed(x)) || run_queue();
    pthread_mutex_unlock(&turn);
    return moved || emu_stirs() != before;
}
/* What moved last did so then, and nothing has for too long. A limit of steps ends it otherwise. */
static bool too_long(double *since, bool moved, bool *no_others)
{
    if (moved)
        *since = now_s();
    if (moved || launch_steps())
        return false;
    *no_others = no_others_left();
    usleep(PAUSE_US);
    return now_s() - *since > (*no_others ? ALONE_S : OTHERS_S);
}
static void wait_for(const struct claim *x)
{
    double since = now_s();
    bool no_others;

    while (atomic_load(&any) && !inside && is_waited_for(x))
        if (too_long(&since, take_turn(x), &no_others))
            give_up(no_others);
}

cudaError_t hold_finish(struct launch *l, struct emu_result *result, bool alone)
{
    double since = now_s();
    uint64_t before = emu_stirs();
    bool no_others;
    cudaError_t e;

    while (!emu_go_on(l, result, &e)) {
        if (!alone)
            hold_go_on();
        if (too_long(&since, emu_stirs() != before, &no_others)) {
            struct text t = {0};
            text_addf(&t, " waits for what nobody %s: %s",
                      no_others ? "is left to write" : "has written for a minute",
                      alone ? "what a kernel launches begins when it has ended"
                            : "a graph is over when the call that launches it returns");
            emu_give_up(l, text_str(&t));
            text_free(&t);
        }
        before = emu_stirs();
    }
    return e;
}

/* Of the stream; false: nothing is held, or there is no such stream. */
static bool claim(cudaStream_t stream, struct claim *x)
{
    struct CUstream_st *s = atomic_load(&any) ? stream_find(stream) : NULL;

    if (s)
        *x = claim_of(s);
    return s != NULL;
}

void hold_wait(cudaStream_t stream)
{
    struct claim x;

    if (claim(stream, &x))
        wait_for(&x);
}

void hold_wait_number(uint64_t number)
{
    if (number)
        wait_for(&(struct claim){.device = -1, .after = number});
}

void hold_wait_all(void)
{
    wait_for(NULL);
}

bool hold_has(cudaStream_t stream)
{
    struct claim x;

    return claim(stream, &x) && is_waited_for(&x);
}

bool hold_waits(uint64_t number)
{
    return number && atomic_load(&any) &&
           is_waited_for(&(struct claim){.device = -1, .after = number});
}

/* ---- late ---- */

/* So often a question finds that nothing is done yet: who asks a few times has not waited. */
enum { ASKED_IN_VAIN = 500 };

/* Then what it asks about goes on, up to where it waits for the host. */
static void ask(const struct claim *x)
{
    static atomic_uint asked;

    if (!late || inside || !is_waited_for(x) ||
        atomic_fetch_add(&asked, 1) % ASKED_IN_VAIN != ASKED_IN_VAIN - 1 ||
        pthread_mutex_trylock(&turn))
        return;
    run_needed(x);
    pthread_mutex_unlock(&turn);
}

bool hold_query(cudaStream_t stream)
{
    struct claim x;

    if (claim(stream, &x))
        ask(&x);
    return hold_has(stream);
}

void hold_query_number(uint64_t number)
{
    if (number && atomic_load(&any))
        ask(&(struct claim){.device = -1, .after = number});
}

static uint64_t first_number(void)
{
    pthread_mutex_lock(&list_lock);
    uint64_t number = queue ? queue->number : 0;
    pthread_mutex_unlock(&list_lock);
    return number;
}

/* A program may wait by other means than a call. */
static void *watch(void *nothing)
{
    uint64_t before = 0, first;

    for (;; before = first) {
        sleep(LATE_S);
        bool busy = pthread_mutex_trylock(&turn); /* something is done right now */
        first = busy ? 0 : first_number();
        if (first && first == before)
            run_needed(NULL);
        if (!busy)
            pthread_mutex_unlock(&turn);
    }
    return nothing;
}

void hold_be_late(void)
{
    pthread_t thread;

    late = true;
    if (!pthread_create(&thread, NULL, watch, NULL)) {
        atomic_fetch_add(&watchers, 1);
        pthread_detach(thread);
    }
}

bool hold_is_late(void)
{
    return late;
}

/* ---- calls ---- */

/* They wait for all work of the device. */
static const char *const waiting[] = {
    "cudaDeviceSynchronize",
    "cudaFree",
    "cudaFreeHost",
    "cudaFreeArray",
    "cudaHostUnregister",
    "cudaFreeMipmappedArray",
    "cudaDeviceReset",
    "cudaLibraryUnload",
    "cudaGraphExecDestroy",
    "cudaDestroyTextureObject",
    "cudaDestroySurfaceObject",
    "cudaIpcCloseMemHandle",
    "cudaMemPoolDestroy",
    "cudaGraphExecUpdate",
};

void hold_enter(const char *function)
{
    if (!atomic_load(&any) || inside)
        return;
    for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++)
        if (!strcmp(function, waiting[i])) {
            hold_wait_all();
            return;
        }
    /* what was launched is as it was then */
    if (late &&
        (!strncmp(function, "cudaGraphExec", 13) || !strcmp(function, "cudaGraphNodeSetEnabled")))
        hold_wait_all();
    hold_go_on();
}
