/* parts.c - the times of a whole program's parts, as it prints them itself (program.h).
 *
 * A run is a process of its own: nothing is warm but what the program has warmed. On the emulator
 * one run does, as modelled times are always the same; what the host's clock took is left out
 * there. On a GPU the program is run RUNS times on fresh inputs, and the medians are told.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "lab/dtype.h"
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { RUNS = 7 };

/* A part's bytes are those that the lab's plan says of it. */
static bool entry_of(struct run *r, int v, const struct lab_case *c, struct entry *x)
{
    const struct lab_variant *part = &r->lab->variants[v];
    struct plan *plan = xzalloc(sizeof(*plan));
    char err[200];
    bool ok = r->lab->plan(part, c, &part->record, &r->machine.limits, plan, err, sizeof(err));

    *x = (struct entry){.variant = part,
                        .input = c,
                        .seed = c->seed ? c->seed : r->o.seed,
                        .verdict = VERDICT_PASS,
                        .amounts = amounts_of(c, plan),
                        .other_type = plan_has_other_type(plan, c)};
    free(plan);
    return ok;
}

void keep_parts(struct run *r, const struct lab_case *c)
{
    for (int v = 1; v < r->lab->nvariants; v++) {
        const struct lab_variant *part = &r->lab->variants[v];
        enum lab_part kind = lab_part(r->lab, part);
        double ms = r->verify.printed[v];
        struct entry x;

        if (!kind || !(ms >= 0) || (kind == PART_HOST && r->machine.emulator) ||
            !entry_of(r, v, c, &x))
            continue;
        x.time.hot = (struct spread){1, ms, ms, ms};
        keep_result(r, &x);
    }
}

static bool run_once(struct run *r, const struct entry *x, int i)
{
    struct lab_case again = *x->input;
    struct entry unused;

    again.seed = x->seed + 1 + (uint64_t)i;
    return verify_variant(&r->verify, x->variant, &again,
                          &r->variants[variant_index(r, x->variant)].record, &unused);
}

/* The medians of all parts of this case, which stand behind entry i. */
static void take_medians(struct run *r, int i, double samples[PARTS_MAX][RUNS])
{
    const struct lab_case *c = r->report.results[i].input;

    for (; i < r->report.n && r->report.results[i].input == c; i++) {
        struct entry *x = &r->report.results[i];
        double *own = samples[variant_index(r, x->variant)];

        x->time.hot = (struct spread){0};
        for (int k = 0; k < RUNS; k++)
            if (!(own[k] >= 0))
                own = NULL, k = RUNS;
        if (own)
            x->time.hot = spread_of(own, RUNS);
    }
}

bool time_parts(struct run *r, int i)
{
    double samples[PARTS_MAX][RUNS];
    bool ok = true;

    for (int k = 0; k < RUNS && ok; k++) {
        ok = run_once(r, &r->report.results[i], k);
        for (int v = 0; v < r->lab->nvariants && v < PARTS_MAX; v++)
            samples[v][k] = r->verify.printed[v];
    }
    if (ok)
        take_medians(r, i, samples);
    return ok;
}

/* ---- what is left to try by hand ---- */

static void put_input(const struct dataset *d, struct text *t)
{
    for (int b = 0; b < d->nbuffers; b++) {
        if (d->buffers[b].role == BUF_INPUT)
            text_bytes(t, d->data[b], d->buffers[b].count * dtype_size(d->buffers[b].dtype));
    }
}

void keep_program(const struct run *r)
{
    char *folder = xformat("%s/build/yours/%s", course_root(), r->lab->name);
    char *program = xformat("%s/program", folder), *input = xformat("%s/input", folder);
    struct text bytes = {0}, why = {0};

    put_input(&r->verify.data, &bytes);
    if (!file_save(program, r->image.image, r->image.size, &why) || chmod(program, 0755) ||
        !file_save(input, text_str(&bytes), bytes.length, &why))
        fprintf(stderr, "%s\n", why.length ? why.s : program);
    text_free(&bytes);
    text_free(&why);
    free(input), free(program), free(folder);
}
