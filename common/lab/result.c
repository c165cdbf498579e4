/* result.c - a run's outputs against the CPU reference (result.h). */
#include "result.h"
#include "base/alloc.h"
#include "dtype.h"
#include "plan.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const run_end_words[RUN_ENDS] = {
    [RUN_OK] = "ok",
    [RUN_WRONG] = "wrong",
    [RUN_INPUT_CHANGED] = "input changed",
    [RUN_NO_KERNEL] = "no kernel",
    [RUN_RECORD] = "bad launch record",
    [RUN_ERROR] = "error",
    [RUN_ENDLESS] = "endless",
    [RUN_DIED] = "died",
    [RUN_NOT_TRIED] = "not tried",
    [RUN_INTERNAL] = "internal",
};

/* ---- the reference ---- */

struct expected {
    void *data[LAB_MAX_BUFFERS];
    double *tolerance[LAB_MAX_BUFFERS], *allocated[LAB_MAX_BUFFERS]; /* a lab may set NULL: exact */
    uint64_t *written[LAB_MAX_BUFFERS]; /* compare_written() of what a disturbed run came to */
};

static bool leaves_any(const struct job *j)
{
    return j->options.disturb && j->options.poison != POISON_NONE;
}

static void expected_make(struct expected *e, const struct lab *lab, const struct lab_variant *v,
                          const struct lab_case *c, uint64_t seed, const struct job *j,
                          const struct outputs *o)
{
    const struct plan *p = j->plan;
    struct lab_case seeded = *c;

    seeded.seed = seed;
    memset(e, 0, sizeof(*e));
    seeded.asked = (const uint64_t *const *)e->written;
    for (int b = 0; b < p->nbuffers; b++) {
        if (p->buffers[b].role != BUF_OUTPUT)
            continue;
        if (leaves_any(j))
            e->written[b] = compare_written(p->buffers[b].dtype, o->data[b], p->buffers[b].count,
                                            poison_byte(j->options.seed));
        e->data[b] = large_zeroed(plan_buffer_bytes(p, b));
        if (lab->integer_bounds || dtype_is_float(p->buffers[b].dtype))
            e->tolerance[b] = e->allocated[b] = large_zeroed(p->buffers[b].count * sizeof(double));
    }
    lab->reference(p, v, &seeded, j->inputs, e->data, e->tolerance);
}

static void expected_free(struct expected *e)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++) {
        large_free(e->data[b]);
        large_free(e->allocated[b]);
        free(e->written[b]);
    }
}

/* ---- comparing ---- */

static struct compare_hints hints_of(const struct job *j, const struct launch_record *record)
{
    const struct plan *p = j->plan;
    const struct plan_step *last = p->nsteps ? &p->steps[p->nsteps - 1] : NULL;

    return (struct compare_hints){
        .poison = j->options.poison == POISON_NONE ? -1 : poison_byte(j->options.seed),
        .block_threads = last ? last->block[0] * last->block[1] * last->block[2] : 0,
        .items = record->items,
        .unsaid = j->options.disturb, /* who disturbs asks for the share that is wrong */
    };
}

static void compare_output(const struct lab *lab, const struct lab_case *c, const struct job *j,
                           int b, const struct expected *e, struct compare_hints *hints,
                           const void *got, struct comparison *sums, struct result *r)
{
    const struct lab_buffer *buffer = &j->plan->buffers[b];
    uint64_t n = lab->output_count ? lab->output_count(j->plan, c, b) : buffer->count;

    n = n < buffer->count ? n : buffer->count;
    hints->written = e->written[b];
    struct comparison x = compare(buffer->dtype, e->data[b], got, e->tolerance[b], n, hints);
    sums->off += x.off;
    sums->size += x.size;
    sums->most_off = fmax(sums->most_off, x.most_off);
    r->compared += n;
    r->wrong += x.nwrong;
    r->unwritten += x.nunwritten;
    if (x.nwrong)
        r->outputs[r->noutputs++] =
            (struct wrong_output){b, x, x.cause[0] ? xstrdup(x.cause) : NULL};
}

/* What the emulator cannot run is not the student's mistake: a person has to look. */
static enum run_end end_of(const struct outputs *o)
{
    enum { /* cudaError_t */
           INVALID_PTX = 218,
           PTX_VERSION = 222,
           LAUNCH_TIMEOUT = 702,
           NOT_SUPPORTED = 801
    };

    switch (o->error) {
    case INVALID_PTX:
    case PTX_VERSION:
    case NOT_SUPPORTED:
        return RUN_INTERNAL;
    case LAUNCH_TIMEOUT:
        return RUN_ENDLESS;
    case 0:
        return o->stage == STAGE_OPEN ? RUN_NO_KERNEL : RUN_ERROR;
    default:
        return RUN_ERROR;
    }
}

void result_of(const struct lab *lab, const struct lab_variant *v, const struct lab_case *c,
               uint64_t seed, const struct launch_record *record, const struct job *j,
               const struct outputs *o, struct result *r)
{
    struct compare_hints hints = hints_of(j, record);
    struct comparison sums = {0};
    struct expected e;

    memset(r, 0, sizeof(*r));
    r->error_l1 = r->error_max = NAN;
    if (o->stage != STAGE_DONE) {
        r->end = end_of(o);
        return;
    }
    if (j->options.launch_only) {
        r->end = RUN_OK;
        return;
    }
    expected_make(&e, lab, v, c, seed, j, o);
    for (int b = 0; b < j->plan->nbuffers; b++) {
        if (j->plan->buffers[b].role == BUF_OUTPUT)
            compare_output(lab, c, j, b, &e, &hints, o->data[b], &sums, r);
    }
    expected_free(&e);
    if (sums.size > 0) {
        r->error_l1 = sums.off / sums.size;
        r->error_max = sums.most_off;
    }
    r->end = o->changed >= 0 ? RUN_INPUT_CHANGED : r->wrong ? RUN_WRONG : RUN_OK;
}

void result_free(struct result *r)
{
    for (int i = 0; i < r->noutputs; i++)
        free(r->outputs[i].cause);
    memset(r, 0, sizeof(*r));
}
