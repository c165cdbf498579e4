/* cases.c - looks up and draws a rubric's cases, and checks its tables. See cases.h. */
#include "cases.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/digest.h"

#include "emulator/base/counters.h"
#include "lab/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRACTICE "practice" /* seeds of runs without a secret: the same for everybody */

const struct lab *lab_named(const char *name)
{
    for (int i = 0; i < all_labs_count; i++)
        if (!strcmp(all_labs[i]->name, name))
            return all_labs[i];
    return NULL;
}

const struct rubric *rubric_of(const char *lab_name)
{
    for (int i = 0; i < all_rubrics_count; i++)
        if (!strcmp(all_rubrics[i]->lab, lab_name))
            return all_rubrics[i];
    return NULL;
}

const struct lab_variant *variant_named(const struct lab *lab, const char *name)
{
    for (int i = 0; i < lab->nvariants; i++)
        if (!strcmp(lab->variants[i].name, name))
            return &lab->variants[i];
    return NULL;
}

bool word_in(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; p && *p;) {
        size_t k = strcspn(p, " ");
        if (k == n && !strncmp(p, name, n))
            return true;
        p += k + strspn(p + k, " ");
    }
    return false;
}

static const struct lab_case *plain_case(const struct lab *lab, const struct rubric *r,
                                         const char *name)
{
    for (int i = 0; i < r->ncases; i++)
        if (!strcmp(r->cases[i].name, name))
            return &r->cases[i];
    for (int i = 0; i < lab->ncases; i++)
        if (!strcmp(lab->cases[i].name, name))
            return &lab->cases[i];
    return NULL;
}

static uint64_t draw(const char *secret, const struct lab *lab, const char *what, const char *field)
{
    char *label = xformat("%s/%s/%s", lab->name, what, field);
    uint64_t v = secret_draw(secret, label);
    free(label);
    return v;
}

static uint64_t draw_between(const char *secret, const struct lab *lab, const char *name,
                             const char *field, uint64_t min, uint64_t max)
{
    return min + draw(secret, lab, name, field) % (max - min + 1);
}

static bool draw_hidden(const struct lab *lab, const struct rubric *r, const struct hidden_case *h,
                        const char *secret, struct marked_case *out)
{
    const struct lab_case *like = plain_case(lab, r, h->like);
    if (!like)
        return false;
    *out = (struct marked_case){.c = *like, .hidden = true, .drawn = secret != NULL};
    out->c.name = h->name;
    if (!secret)
        return true;
    out->c.seed = draw(secret, lab, h->name, "seed");
    if (h->n_max)
        out->c.n = draw_between(secret, lab, h->name, "n", h->n_min, h->n_max);
    if (h->m_max)
        out->c.m = draw_between(secret, lab, h->name, "m", h->m_min, h->m_max);
    if (h->k_max)
        out->c.k = draw_between(secret, lab, h->name, "k", h->k_min, h->k_max);
    if (h->multiple > 1)
        out->c.n = (out->c.n + h->multiple - 1) / h->multiple * h->multiple;
    return true;
}

bool case_named(const struct lab *lab, const struct rubric *r, const char *name, const char *secret,
                struct marked_case *out)
{
    for (int i = 0; i < r->ncases; i++) {
        if (!strcmp(r->cases[i].name, name)) {
            *out = (struct marked_case){.c = r->cases[i], .drawn = true};
            return true;
        }
    }
    for (int i = 0; i < r->nhidden; i++)
        if (!strcmp(r->hidden[i].name, name))
            return draw_hidden(lab, r, &r->hidden[i], secret, out);
    const struct lab_case *c = plain_case(lab, r, name);
    if (c)
        *out = (struct marked_case){.c = *c, .drawn = true};
    return c != NULL;
}

static struct marked_case *default_cases(const struct lab *lab, const struct rubric_row *row,
                                         int *n)
{
    const struct lab_variant *v = variant_named(lab, row->variant);
    struct marked_case *all = xzalloc((size_t)(lab->ncases + 1) * sizeof(*all));
    *n = 0;
    for (int i = 0; i < lab->ncases; i++) {
        const struct lab_case *c = &lab->cases[i];
        if ((c->flags & CASE_CHECK) && !(c->flags & CASE_GPU_ONLY) && v &&
            (!lab->applies || lab->applies(v, c)))
            all[(*n)++] = (struct marked_case){.c = *c, .drawn = true};
    }
    return all;
}

struct marked_case *row_cases(const struct lab *lab, const struct rubric *r,
                              const struct rubric_row *row, const char *secret, int *n)
{
    return row->cases ? named_cases(lab, r, row, row->cases, secret, n)
                      : default_cases(lab, row, n);
}

struct marked_case *named_cases(const struct lab *lab, const struct rubric *r,
                                const struct rubric_row *row, const char *names, const char *secret,
                                int *n)
{
    struct marked_case *all = xzalloc((strlen(names) / 2 + 1) * sizeof(*all));
    char *list = xstrdup(names), *save = NULL;
    *n = 0;
    for (char *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save))
        if (!case_named(lab, r, name, secret, &all[(*n)++]))
            die("rubric of %s, row %s: no case \"%s\"", r->lab, row->id, name);
    free(list);
    return all;
}

uint64_t case_seed(const struct lab *lab, const struct lab_case *c, const char *secret, int again)
{
    char field[24] = "inputs";
    if (c->seed && !again)
        return c->seed;
    for (int i = 0; i < again; i++)
        strcat(field, "+"); /* again is small */
    return draw(secret ? secret : PRACTICE, lab, c->name, field) | 1;
}

uint64_t variant_seed(uint64_t seed, const char *variant)
{
    for (const char *p = variant; *p; p++) /* FNV-1a, as good as any here */
        seed = (seed ^ (unsigned char)*p) * 0x100000001b3u;
    return seed | 1;
}

double rubric_points(const struct rubric *r)
{
    double sum = 0;
    for (int i = 0; i < r->nrows; i++)
        sum += r->rows[i].points;
    return sum;
}

/* ---- checking tables ---- */

static const char *const gate_names[] = {"n",    "m",       "k",     "param",  "bytes",   "flops",
                                         "elem", "threads", "warps", "blocks", "launches"};

static bool any_name(void *user, const char *name, double *value)
{
    (void)user;
    *value = 1;
    if (!strncmp(name, "ref.", 4))
        name += 4;
    else
        for (size_t i = 0; i < sizeof(gate_names) / sizeof(gate_names[0]); i++)
            if (!strcmp(gate_names[i], name))
                return true;
#define X(id, metric, unit, text)                                                                  \
    if (!strcmp(#id, name))                                                                        \
        return true;
    COUNTERS(X)
#undef X
    return false;
}

static int problem(struct text *out, const struct rubric *r, const char *row, const char *what,
                   const char *detail)
{
    text_addf(out, "rubric of %s, %s: %s%s\n", r->lab, row, what, detail);
    return 1;
}

static int row_case_problems(const struct lab *lab, const struct rubric *r,
                             const struct rubric_row *row, struct text *out)
{
    int bad = 0;
    char *list =
             xformat("%s %s", row->cases ? row->cases : "", row->gpu_cases ? row->gpu_cases : ""),
         *save = NULL;
    for (char *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        struct marked_case c;
        const struct lab_variant *v = variant_named(lab, row->variant);
        if (!case_named(lab, r, name, "x", &c))
            bad += problem(out, r, row->id, "no case ", name);
        else if (v && lab->applies && !lab->applies(v, &c.c))
            bad += problem(out, r, row->id, "its variant does not apply to the case ", name);
    }
    free(list);
    return bad;
}

static int row_problems(const struct lab *lab, const struct rubric *r, const struct rubric_row *row,
                        struct text *out)
{
    int bad = 0;
    if (!row->id || !*row->id || strpbrk(row->id, " =:,\"<>&"))
        return problem(out, r, "a row", "its id is empty or has odd characters", "");
    if (!row->title || !row->hint)
        bad += problem(out, r, row->id, "no title or no hint", "");
    if (!(row->points >= 0 && row->points < 1e6))
        bad += problem(out, r, row->id, "points out of range", "");
    if (!row->variant || !variant_named(lab, row->variant))
        bad += problem(out, r, row->id, "no variant ", row->variant ? row->variant : "(NULL)");
    for (const struct rubric_row *other = r->rows; other < row; other++)
        if (other->id && !strcmp(other->id, row->id))
            bad += problem(out, r, row->id, "this id is used twice", "");
    if ((row->kind == ROW_GATE || row->kind == ROW_SPEED) && !row->cases)
        bad += problem(out, r, row->id, "names no case", "");
    if (row->kind != ROW_SPEED && row->gpu_cases)
        bad += problem(out, r, row->id, "gpu_cases are for SPEED", "");
    if (row->kind == ROW_SPEED && !(row->ratio > 0))
        bad += problem(out, r, row->id, "its ratio is not above 0", "");
    if (row->kind == ROW_GATE) {
        struct gate_result g = {.error = "no gate"};
        if (row->gate)
            g = gate_eval(row->gate, any_name, NULL);
        if (g.error[0])
            bad += problem(out, r, row->id, g.error, "");
    }
    return bad + row_case_problems(lab, r, row, out);
}

int rubric_problems(const struct lab *lab, const struct rubric *r, struct text *out)
{
    int bad = 0;
    for (int i = 0; i < r->nhidden; i++) {
        const struct hidden_case *h = &r->hidden[i];
        if (!h->like || !plain_case(lab, r, h->like))
            bad += problem(out, r, h->name, "no case to be like: ", h->like ? h->like : "(NULL)");
        if (h->n_min > h->n_max || h->m_min > h->m_max || h->k_min > h->k_max)
            bad += problem(out, r, h->name, "a minimum above its maximum", "");
    }
    for (int i = 0; i < r->nrows; i++)
        bad += row_problems(lab, r, &r->rows[i], out);
    return bad;
}
