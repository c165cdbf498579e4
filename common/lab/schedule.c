/* schedule.c - checks a student's schedule (schedule.h).
 *
 * Which step is certain to be over when another begins is kept by vector clocks: a stream's clock
 * holds, for each stream, how many of its steps are over by then. A step adds one to its own
 * stream's; an event keeps the clock of where it was recorded; who waits for it takes over what is
 * later there.
 *
 * Not modelled: that copies of pageable memory keep the host waiting, so that what is issued after
 * them begins after them. CUDA promises that of some of them only.
 */
#include "schedule.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const host_memory_names[HOST_MEMORIES] = {"none",   "PAGEABLE", "PINNED",
                                                      "MAPPED", "MANAGED",  "RESIDENT"};

static const char *const words[] = {"",       "copy_in", "kernel", "copy_out",
                                    "record", "wait",    "sum",    "gather"};

/* Of a chunk: the step that did it. */
struct done {
    bool is;
    int step;
    uint32_t stream, time; /* its place among its stream's steps, from 1 */
};

struct check {
    const struct schedule *s;
    uint32_t clock[SCHEDULE_STREAMS][SCHEDULE_STREAMS];
    uint32_t event[SCHEDULE_EVENTS][SCHEDULE_STREAMS];
    bool recorded[SCHEDULE_EVENTS];
    struct done chunk[DO_GATHER + 1][SCHEDULE_CHUNKS];
    char *err;
    size_t errsize;
    bool tried; /* is it in order? Why not, nobody asks */
};

static bool names_a_step(const char *words)
{
    for (const char *p = words; (p = strstr(p, "step ")); p++) {
        if (isdigit((unsigned char)p[strlen("step ")]))
            return true;
    }
    return false;
}

static bool complain(struct check *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool complain(struct check *c, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(c->err, c->errsize, format, ap);
    va_end(ap);
    if (names_a_step(c->err)) {
        size_t n = strlen(c->err);

        snprintf(c->err + n, c->errsize - n, "; steps are counted from 0");
    }
    return false;
}

static bool is_event(const struct schedule_step *x)
{
    return x->what == DO_RECORD || x->what == DO_WAIT;
}

/* "step 4, kernel(stream 1, chunk 2)" */
static const char *name_of(const struct check *c, int step, char text[80])
{
    const struct schedule_step *x = &c->s->steps[step];

    if (is_event(x))
        snprintf(text, 80, "step %d, %s(stream %u, event %u)", step, words[x->what], x->stream,
                 x->first);
    else if (x->count > 1)
        snprintf(text, 80, "step %d, %s(stream %u, chunks %u to %u)", step, words[x->what],
                 x->stream, x->first, x->first + x->count - 1);
    else
        snprintf(text, 80, "step %d, %s(stream %u, chunk %u)", step, words[x->what], x->stream,
                 x->first);
    return text;
}

static bool check_head(struct check *c)
{
    const struct schedule *s = c->s;

    if (s->memory == NO_MEMORY && !s->nsteps)
        return complain(c, "it has no steps, and says no memory: it is still to be written");
    if (s->memory == NO_MEMORY)
        return complain(c, "it says no memory: s.memory = PAGEABLE, PINNED, MAPPED, MANAGED or "
                           "RESIDENT");
    if (s->memory >= HOST_MEMORIES)
        return complain(c,
                        "memory %u is not known: there are PAGEABLE, PINNED, MAPPED, MANAGED "
                        "and RESIDENT",
                        s->memory);
    if (!s->chunks || s->chunks > SCHEDULE_CHUNKS)
        return complain(c, "%u chunks: s.chunks is 1 to %d", s->chunks, SCHEDULE_CHUNKS);
    if (!s->nsteps)
        return complain(c, "it has no steps");
    if (s->nsteps > SCHEDULE_STEPS)
        return complain(c, "%u steps: there is room for %d", s->nsteps, SCHEDULE_STEPS);
    return true;
}

static bool check_range(struct check *c, int i)
{
    const struct schedule_step *x = &c->s->steps[i];

    if (x->what < DO_COPY_IN || x->what > DO_GATHER)
        return complain(c, "step %d: %u is no kind of step", i, x->what);
    if (x->stream >= SCHEDULE_STREAMS)
        return complain(c, "step %d, %s: stream %u; streams are 0 to %d", i, words[x->what],
                        x->stream, SCHEDULE_STREAMS - 1);
    if (is_event(x) && x->first >= SCHEDULE_EVENTS)
        return complain(c, "step %d, %s: event %u; events are 0 to %d", i, words[x->what], x->first,
                        SCHEDULE_EVENTS - 1);
    if (is_event(x))
        return true;
    if (!x->count)
        return complain(c, "step %d, %s(stream %u): of 0 chunks", i, words[x->what], x->stream);
    if (x->first >= c->s->chunks || x->count > c->s->chunks - x->first)
        return complain(
            c,
            "step %d, %s(stream %u): %u chunk%s from chunk %u on; the last one is chunk "
            "%u",
            i, words[x->what], x->stream, x->count, x->count == 1 ? "" : "s", x->first,
            c->s->chunks - 1);
    return true;
}

/* Is that step over whenever the next step of `stream` begins? */
static bool is_over(const struct check *c, const struct done *d, uint32_t stream)
{
    return c->clock[stream][d->stream] >= d->time;
}

/* The step that recorded what the event of step `wait` stands for; -1: none. */
static int recorded_by(const struct schedule *s, uint32_t wait)
{
    for (int r = (int)wait - 1; r >= 0; r--)
        if (s->steps[r].what == DO_RECORD && s->steps[r].first == s->steps[wait].first)
            return r;
    return -1;
}

/* A wait of `stream` before step i that would be for d, had not another record taken its event
 * since: *behind is d's, *last that one. -1: none. */
static int taken_event(const struct check *c, int i, const struct done *d, int *behind, int *last)
{
    const struct schedule *s = c->s;

    for (int w = i - 1; w > d->step; w--) {
        const struct schedule_step *x = &s->steps[w];

        if (x->what != DO_WAIT || x->stream != s->steps[i].stream)
            continue;
        *last = recorded_by(s, (uint32_t)w);
        for (int r = *last - 1; r > d->step; r--) {
            *behind = r;
            if (s->steps[r].what == DO_RECORD && s->steps[r].first == x->first &&
                s->steps[r].stream == d->stream)
                return w;
        }
    }
    return -1;
}

static bool check_steps(struct check *c);

/* Is it all in order? */
static bool is_in_order(const struct schedule *s)
{
    static const struct check none;
    struct check c = none;
    char err[8];

    c.s = s;
    c.err = err;
    c.errsize = sizeof(err);
    c.tried = true;
    return check_steps(&c);
}

/* … with step w's stream waiting for `event` there, and elsewhere for those that are as far from
 * what it waits for now? */
static bool right_with_event(const struct schedule *s, int w, uint32_t event)
{
    struct schedule t = *s;
    uint32_t further = event - s->steps[w].first;

    for (uint32_t i = 0; i < t.nsteps; i++) {
        if (t.steps[i].what == DO_WAIT && t.steps[i].stream == s->steps[w].stream)
            t.steps[i].first += further;
    }
    return is_in_order(&t);
}

/* The first record in d's stream before step i, behind d, that its event still stands for then; -1:
 * none. */
static int record_behind(const struct check *c, int i, const struct done *d)
{
    const struct schedule_step *x = c->s->steps;

    for (int r = d->step + 1; r < i; r++) {
        bool last = x[r].what == DO_RECORD && x[r].stream == d->stream;

        for (int k = r + 1; k < i && last; k++)
            last = x[k].what != DO_RECORD || x[k].first != x[r].first;
        if (last)
            return r;
    }
    return -1;
}

/* The last wait that step i's stream has before it, with no work in between; -1: none. */
static int wait_before(const struct schedule *s, int i)
{
    for (int w = i - 1; w >= 0; w--) {
        if (s->steps[w].stream == s->steps[i].stream && s->steps[w].what != DO_RECORD)
            return s->steps[w].what == DO_WAIT ? w : -1;
    }
    return -1;
}

/* Step i's stream waits just before it, for no event of d's stream. */
static bool complain_of_event(struct check *c, int i, const struct done *d, int w)
{
    const struct schedule_step *x = c->s->steps;
    int behind = record_behind(c, i, d), r = recorded_by(c->s, (uint32_t)w), others = 0;
    char this[80], that[80], mark[80], wait[80], other[80], more[200] = "";

    for (uint32_t k = 0; k < c->s->nsteps; k++)
        others += (int)k != w && x[k].what == DO_WAIT && x[k].stream == x[w].stream;
    size_t n = behind < 0
                   ? 0
                   : (size_t)snprintf(more, sizeof(more), "; %s, does", name_of(c, behind, other));
    if (n && right_with_event(c->s, w, x[behind].first)) {
        n += (size_t)snprintf(more + n, sizeof(more) - n, ". With event %u in step %d",
                              x[behind].first, w);
        if (others)
            n += (size_t)snprintf(more + n, sizeof(more) - n,
                                  ", and so on in stream %u's other waits,", x[w].stream);
        snprintf(more + n, sizeof(more) - n, " it is right");
    }
    name_of(c, i, this);
    name_of(c, d->step, that);
    name_of(c, w, wait);
    if (r < 0)
        return complain(c, "%s may begin before %s is over: %s, waits for nothing%s", this, that,
                        wait, more);
    return complain(c,
                    "%s may begin before %s is over: %s, waits for %s, which is on stream %u and "
                    "need not come after step %d, on stream %u%s",
                    this, that, wait, name_of(c, r, mark), x[r].stream, d->step, d->stream, more);
}

/* Why the stream of step i does not wait for d, which it needs: the last event of d's stream that
 * it does wait for may be recorded before d. */
static bool complain_of_wait(struct check *c, int i, const struct done *d)
{
    const struct schedule *s = c->s;
    uint32_t stream = s->steps[i].stream;
    char this[80], that[80], mark[80], wait[80];

    if (c->tried)
        return false;
    int behind, r = -1, w = taken_event(c, i, d, &behind, &r);

    name_of(c, i, this);
    name_of(c, d->step, that);
    if (w >= 0) {
        char taken[80];

        return complain(c,
                        "%s may begin before %s is over: %s, comes after that, but %s, records "
                        "the event again before %s: an event stands for its last record alone",
                        this, that, name_of(c, behind, mark), name_of(c, r, taken),
                        name_of(c, w, wait));
    }
    w = i;
    while (--w >= 0) {
        if (s->steps[w].what != DO_WAIT || s->steps[w].stream != stream)
            continue;
        r = recorded_by(s, (uint32_t)w);
        if (r >= 0 && s->steps[r].stream == d->stream)
            break;
    }
    if (w < 0 && c->clock[stream][d->stream])
        return complain(c,
                        "%s may begin before %s is over: of stream %u, stream %u waits for earlier "
                        "steps alone",
                        this, that, d->stream, stream);
    if (w < 0 && (w = wait_before(s, i)) >= 0)
        return complain_of_event(c, i, d, w);
    if (w < 0)
        return complain(c,
                        "%s may begin before %s is over: nothing makes stream %u wait for stream "
                        "%u",
                        this, that, stream, d->stream);
    return complain(c, "%s may begin before %s is over: what %s waits for, %s, comes before it",
                    this, that, name_of(c, w, wait), name_of(c, r, mark));
}

/* Two steps of the kind work on one chunk, and none does on this: those two, and which of them is
 * meant for it, where all is in order then. */
static void put_twice(const struct check *c, uint32_t chunk, enum schedule_what kind, char *text,
                      size_t size)
{
    const struct schedule_step *x = c->s->steps;
    char one[80], other[80];

    for (uint32_t a = 0; a < c->s->nsteps; a++) {
        for (uint32_t b = a + 1; b < c->s->nsteps; b++) {
            if (x[a].what != kind || x[b].what != kind || x[a].first != x[b].first)
                continue;
            struct schedule first = *c->s, second = *c->s;

            first.steps[a].first = second.steps[b].first = chunk;
            bool a_is = is_in_order(&first), b_is = is_in_order(&second);
            size_t n =
                (size_t)snprintf(text, size, "; %s, and %s, are both of chunk %u",
                                 name_of(c, (int)a, one), name_of(c, (int)b, other), x[a].first);
            if (n < size && a_is != b_is)
                snprintf(text + n, size - n, ". With chunk %u in step %u it is right", chunk,
                         a_is ? a : b);
            return;
        }
    }
}

/* What step i does with a chunk needs `before` done with it. */
static bool needs(struct check *c, int i, uint32_t chunk, enum schedule_what before,
                  const char *otherwise)
{
    const struct done *d = &c->chunk[before][chunk];
    char this[80], twice[250] = "";

    if (!d->is && !c->tried)
        put_twice(c, chunk, before, twice, sizeof(twice));
    if (!d->is)
        return complain(c, "%s: %s chunk %u before%s", name_of(c, i, this), otherwise, chunk,
                        twice);
    return is_over(c, d, c->s->steps[i].stream) || complain_of_wait(c, i, d);
}

/* What its own memory asks of step i on a chunk. Managed pages move by themselves, too. */
static bool check_order(struct check *c, int i, uint32_t chunk)
{
    enum schedule_what what = (enum schedule_what)c->s->steps[i].what;
    bool moves = c->s->memory == MANAGED,
         there = c->s->memory == MAPPED || c->s->memory == RESIDENT;

    if (what == DO_KERNEL && !there && (!moves || c->chunk[DO_COPY_IN][chunk].is))
        return needs(c, i, chunk, DO_COPY_IN, "nothing has copied in");
    if (what == DO_COPY_OUT || what == DO_SUM || what == DO_GATHER)
        return needs(c, i, chunk, DO_KERNEL, "no kernel has worked on");
    if (what == DO_COPY_IN && c->chunk[DO_KERNEL][chunk].is)
        return complain(c, "step %d copies chunk %u in after the kernel that needs it, step %d", i,
                        chunk, c->chunk[DO_KERNEL][chunk].step);
    return true;
}

/* Kernels are for all kinds of memory; what else is there is one's own. */
static bool check_memory(struct check *c, int i)
{
    const struct schedule_step *x = &c->s->steps[i];
    bool ranks = x->what == DO_SUM || x->what == DO_GATHER;
    char this[80];

    if (x->what == DO_KERNEL)
        return true;
    if (c->s->memory != RESIDENT && ranks)
        return complain(c, "%s: it is for RESIDENT results, of several ranks, not for %s memory",
                        name_of(c, i, this), host_memory_names[c->s->memory]);
    if (c->s->memory == MAPPED)
        return complain(c, "%s: MAPPED memory is not copied, kernels use it where it is",
                        name_of(c, i, this));
    if (c->s->memory == RESIDENT && !ranks)
        return complain(c, "%s: what is RESIDENT lies on the devices already", name_of(c, i, this));
    return true;
}

/* What became of a chunk's results on all ranks; NULL: nothing so far. */
static const struct done *met(const struct check *c, uint32_t chunk)
{
    return c->chunk[DO_SUM][chunk].is      ? &c->chunk[DO_SUM][chunk]
           : c->chunk[DO_GATHER][chunk].is ? &c->chunk[DO_GATHER][chunk]
                                           : NULL;
}

static bool work(struct check *c, int i)
{
    const struct schedule_step *x = &c->s->steps[i];
    uint32_t time = ++c->clock[x->stream][x->stream];
    char this[80], that[80];

    if (!check_memory(c, i))
        return false;
    for (uint32_t k = x->first; k < x->first + x->count; k++) {
        struct done *d = &c->chunk[x->what][k];
        const struct done *before = x->what >= DO_SUM ? met(c, k) : d->is ? d : NULL;

        if (before)
            return complain(c, "%s: chunk %u had its turn already, in %s", name_of(c, i, this), k,
                            name_of(c, before->step, that));
        if (!check_order(c, i, k))
            return false;
        *d = (struct done){true, i, x->stream, time};
    }
    return true;
}

static bool wait_for(struct check *c, int i)
{
    const struct schedule_step *x = &c->s->steps[i];
    uint32_t *clock = c->clock[x->stream], *event = c->event[x->first];
    char this[80];

    if (!c->recorded[x->first])
        return complain(c, "%s: no step before it records that event, so it would not wait at all",
                        name_of(c, i, this));
    for (int k = 0; k < SCHEDULE_STREAMS; k++)
        clock[k] = event[k] > clock[k] ? event[k] : clock[k];
    return true;
}

static bool record(struct check *c, int i)
{
    const struct schedule_step *x = &c->s->steps[i];

    memcpy(c->event[x->first], c->clock[x->stream], sizeof(c->event[0]));
    c->recorded[x->first] = true;
    return true;
}

static bool check_step(struct check *c, int i)
{
    const struct schedule_step *x = &c->s->steps[i];

    if (!check_range(c, i))
        return false;
    if (x->what == DO_WAIT)
        return wait_for(c, i);
    return x->what == DO_RECORD ? record(c, i) : work(c, i);
}

/* "1 and 2", "0 to 2, 4 and 6 to 8": of which chunks something was done. */
static void put_chunks(const struct check *c, enum schedule_what what, char *text, size_t size)
{
    size_t n = 0, last = 0; /* where the last comma is */

    *text = '\0';
    for (uint32_t k = 0, to; k < c->s->chunks && n < size; k = to + 1) {
        for (to = k; to < c->s->chunks && c->chunk[what][to].is; to++)
            ;
        if (to == k)
            continue;
        last = n;
        n += (size_t)snprintf(text + n, size - n, "%s%u", n ? ", " : "", k);
        if (to == k + 2) {
            last = n;
            n += (size_t)snprintf(text + n, size - n, ", %u", to - 1);
        } else if (to > k + 2) {
            n += (size_t)snprintf(text + n, size - n, " to %u", to - 1);
        }
    }
    if (!last || n + strlen(" and") > size)
        return;
    memmove(text + last + strlen(" and"), text + last + 1, n - last);
    memcpy(text + last, " and", strlen(" and"));
}

/* Not done with chunk k: with which others it is. `with`: "on", or "those of". */
static void put_others(const struct check *c, enum schedule_what what, const char *with, char *text,
                       size_t size)
{
    char chunks[SCHEDULE_CHUNKS * 4];

    put_chunks(c, what, chunks, sizeof(chunks));
    *text = '\0';
    if (*chunks)
        snprintf(text, size, ", only %s %s; s.chunks is %u, so chunks are 0 to %u", with, chunks,
                 c->s->chunks, c->s->chunks - 1);
}

static bool check_all_done(struct check *c)
{
    char others[SCHEDULE_CHUNKS * 4 + 80];

    for (uint32_t k = 0; k < c->s->chunks; k++) {
        if (!c->chunk[DO_KERNEL][k].is) {
            put_others(c, DO_KERNEL, "on", others, sizeof(others));
            return complain(c, "no kernel works on chunk %u%s", k, others);
        }
        if (c->s->memory == RESIDENT && !met(c, k))
            return complain(c,
                            "the results of chunk %u stay on each rank: nothing sums or gathers "
                            "them",
                            k);
        if (!c->chunk[DO_COPY_OUT][k].is && c->s->memory < MAPPED) {
            put_others(c, DO_COPY_OUT, "those of", others, sizeof(others));
            return complain(c, "the results of chunk %u are never copied back%s", k, others);
        }
    }
    return true;
}

static bool check_steps(struct check *c)
{
    if (!check_head(c))
        return false;
    for (uint32_t i = 0; i < c->s->nsteps; i++) {
        if (!check_step(c, (int)i))
            return false;
    }
    return check_all_done(c);
}

bool schedule_check(const struct schedule *s, char *err, size_t errsize)
{
    static const struct check none;
    struct check c = none;

    c.s = s;
    c.err = err;
    c.errsize = errsize;
    return check_steps(&c);
}

/* Is step a over whenever step b, which comes later in the list, begins? */
static bool is_before(const struct schedule *s, uint32_t a, uint32_t b)
{
    static const struct check none;
    struct check c = none;
    uint32_t time = 0;

    c.s = s;
    for (uint32_t i = 0; i < b; i++) {
        const struct schedule_step *x = &s->steps[i];

        if (x->what == DO_WAIT)
            wait_for(&c, (int)i);
        else if (x->what == DO_RECORD)
            record(&c, (int)i);
        else
            c.clock[x->stream][x->stream]++;
        if (i == a)
            time = c.clock[x->stream][x->stream];
    }
    return c.clock[s->steps[b].stream][s->steps[a].stream] >= time;
}

bool schedule_overlap(const struct schedule *s, uint32_t a, uint32_t b)
{
    return a != b && !is_before(s, a < b ? a : b, a < b ? b : a);
}

void schedule_range(const struct schedule *s, const struct schedule_step *step, uint64_t n,
                    uint64_t *offset, uint64_t *count)
{
    uint64_t each = (n + s->chunks - 1) / s->chunks;

    each = (each + SCHEDULE_UNIT - 1) / SCHEDULE_UNIT * SCHEDULE_UNIT;
    uint64_t from = step->first * each, to = (step->first + (uint64_t)step->count) * each;
    *offset = from < n ? from : n;
    *count = (to < n ? to : n) - *offset;
}
