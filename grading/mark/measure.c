/* measure.c - the part of marking that a GPU does: results again, and times in turns with the
 * reference's. Judged by speed.c; one job at a time on a GPU.
 */
#include "gpu.h"
#include "base/alloc.h"
#include "marking.h"
#include "speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPEED_ROUNDS = 20, SPEED_WARMUPS = 3 };

static struct session *gpu_session(struct session **kept, const struct session *like,
                                   const struct engine *e, const struct engine_options *o)
{
    if (!*kept) {
        *kept = xzalloc(sizeof(**kept));
        session_start(*kept, e->lab, o, like->name, like->source, like->length);
    }
    return *kept;
}

/* One job at a time on the GPU, whoever runs it on this machine; compiling needs no lock. */
static int lock_gpu(struct marking *m, const struct run *r)
{
    int lock = gpu_lock(m->e->gpu_options.gpu_index);
    if (lock < 0)
        marking_settle(m, STATUS_ERROR, "The lock of the GPU, a file in /tmp, cannot be had.",
                       r->c.name);
    return lock;
}

/* What is right on the emulator is run on the GPU, too, where there is one: once a case. */
bool measure_correct(struct marking *m, struct marked_case *cases, int n)
{
    struct session *gpu = gpu_session(m->gpu, m->s, m->e, &m->e->gpu_options);
    const struct lab_variant *v = variant_named(m->e->lab, m->row->variant);
    bool ok = gpu->compiled;
    if (!ok) {
        struct text why = {0};
        text_add(&why, "It does not compile for this GPU: ");
        text_cut(&why, gpu->compile_log ? gpu->compile_log : gpu->problem, 600);
        marking_settle(m, gpu->internal ? STATUS_ERROR : STATUS_FAIL, why.s, NULL);
        text_free(&why);
    }
    for (int i = 0; ok && i < n; i++) {
        struct run *emulated = marking_run(m, &cases[i], 0, false);
        int lock = lock_gpu(m, emulated);
        struct run *r = lock < 0 ? NULL : session_run(gpu, v, &cases[i].c, emulated->seed, 0);
        gpu_unlock(lock);
        ok = r && !marking_failed(m, r, &cases[i]) && r->result.end == RUN_OK;
        if (r && r->result.end != RUN_INTERNAL && r->result.end != RUN_OK)
            marking_fail_on(m, r, &cases[i], "On the emulator it is right, on the GPU it is not. ");
    }
    return ok;
}

struct rounds {
    double own[2 * SPEED_ROUNDS], reference[2 * SPEED_ROUNDS]; /* ms */
    uint32_t mhz_min, mhz_max;                                 /* of the SMs; 0: not known */
    double bytes;
    int n;
};

static void note_clock(struct rounds *all, uint32_t mhz)
{
    if (mhz && (!all->mhz_min || mhz < all->mhz_min))
        all->mhz_min = mhz;
    if (mhz > all->mhz_max)
        all->mhz_max = mhz;
}

/* Times both in turns, n rounds after the warm-up; the reference's results are compared in the
 * first of these alone. False when one cannot be timed: settled. */
static bool time_rounds(struct marking *m, const struct run *r, const struct marked_case *c,
                        struct session *own, struct session *theirs, int from, int n,
                        struct rounds *all)
{
    *all = (struct rounds){.n = n};
    for (int i = -SPEED_WARMUPS; i < n; i++) {
        uint64_t seed = r->seed ^ (uint64_t)(1000 + from + i) * 0x9e3779b97f4a7c15u;
        struct timed a = {0}, b = {0};
        char *why = NULL;
        bool ours = session_time(theirs, r, seed, i == -SPEED_WARMUPS, &b, &why);
        if (!ours || !session_time(own, r, seed + 1, true, &a, &why)) {
            char *text =
                xformat("%s on the GPU: %s", ours ? "Timed" : "The reference solution, timed",
                        c->kind ? "on a hidden case it fails" : why);
            marking_settle(m, ours ? STATUS_FAIL : STATUS_ERROR, text, r->c.name);
            free(text);
            free(why);
            return false;
        }
        if (i < 0)
            continue;
        all->bytes = a.bytes;
        all->own[i] = a.ms;
        all->reference[i] = b.ms;
        note_clock(all, a.sm_mhz);
        note_clock(all, b.sm_mhz);
    }
    return true;
}

static double *copy_of(const double *ms, int n)
{
    double *v = xcalloc((size_t)n, sizeof(*v));
    memcpy(v, ms, (size_t)n * sizeof(*v));
    return v;
}

/* A row's second case takes the place of the first's times. */
static void put_rounds(struct verdict_row *out, const struct rounds *all)
{
    free(out->samples);
    free(out->reference_samples);
    out->samples = copy_of(all->own, all->n);
    out->reference_samples = copy_of(all->reference, all->n);
    out->nsamples = all->n;
    if (all->mhz_max) {
        out->clocks_mhz[0] = all->mhz_min;
        out->clocks_mhz[1] = all->mhz_max;
    }
}

static char *speed_words(const struct marking *m, const struct marked_case *c,
                         const struct speed *s, const struct rounds *all)
{
    if (s->end == SPEED_IMPOSSIBLE)
        return xformat("A time of %.6g ms cannot be: the memory system is not that fast. A person "
                       "has to look.",
                       all->own[s->worst]);
    if (c->kind)
        return xformat("Measured on a hidden case (%s): at least %.2f of the reference's speed is "
                       "expected.",
                       c->kind, row_ratio(m->row, true));
    return xformat("Measured: %.2f of the reference's speed (95 %% sure: %.2f to %.2f, %d rounds "
                   "in turns), expected at least %.2f.",
                   s->ratio, s->low, s->high, all->n, row_ratio(m->row, true));
}

static void settle_speed(struct marking *m, const struct run *r, const struct marked_case *c,
                         const struct speed *s, const struct rounds *all)
{
    static const enum row_status status[] = {[SPEED_PASS] = STATUS_PASS,
                                             [SPEED_FAIL] = STATUS_FAIL,
                                             [SPEED_INCONCLUSIVE] = STATUS_INCONCLUSIVE,
                                             [SPEED_IMPOSSIBLE] = STATUS_ERROR};
    char *why = speed_words(m, c, s, all);
    marking_settle(m, status[s->end], why, r->c.name);
    m->out.evidence = EVIDENCE_MEASURED;
    m->out.limit = row_ratio(m->row, true);
    if (!c->kind) {
        if (isfinite(s->ratio))
            m->out.counted = s->ratio;
        put_rounds(&m->out, all);
    }
    free(why);
}

/* An interval that straddles the threshold gets one more, longer try; then it is a person's. */
static void time_case(struct marking *m, const struct run *r, const struct marked_case *c)
{
    struct rounds all;
    struct session *own = gpu_session(m->gpu, m->s, m->e, &m->e->gpu_options);
    struct session *theirs = gpu_session(&m->e->gpu_reference, engine_reference(m->e), m->e,
                                         &m->e->gpu_reference_options);
    struct speed s = {.end = SPEED_INCONCLUSIVE};
    double threshold = row_ratio(m->row, true) * (1 - m->row->tolerance);
    int lock = lock_gpu(m, r);
    bool ok = lock >= 0;
    for (int attempt = 0; ok && attempt < 2 && s.end == SPEED_INCONCLUSIVE; attempt++) {
        int n = SPEED_ROUNDS * (attempt + 1);
        ok = time_rounds(m, r, c, own, theirs, 100 * attempt, n, &all);
        if (ok)
            s = speed_judge(all.own, all.reference, n, threshold,
                            speed_floor_ms(all.bytes, own->loaded.machine.peak_gbps));
    }
    gpu_unlock(lock);
    if (ok)
        settle_speed(m, r, c, &s, &all);
}

void measure_speed(struct marking *m, const struct run *r, const struct marked_case *c)
{
    struct engine *e = m->e;
    int n;
    if (!m->row->gpu_cases) {
        time_case(m, r, c);
        return;
    }
    struct marked_case *cases =
        named_cases(e->lab, e->rubric, m->row, m->row->gpu_cases, &m->draw, &n);
    for (int i = 0; i < n; i++) {
        struct run like = {.variant = r->variant, .c = cases[i].c};
        like.seed = case_seed(e->lab, &like.c, r->variant->name, &m->draw, 0);
        time_case(m, &like, &cases[i]);
        if (m->settled && m->out.status != STATUS_PASS)
            break;
    }
    free(cases);
}
