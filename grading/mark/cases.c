/* cases.c - looks up and draws a rubric's cases, and checks its tables. See cases.h. */
#include "cases.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/digest.h"

#include "emulator/base/counters.h"
#include "lab/counter.h"
#include "lab/gate.h"
#include "lab/job.h"
#include "lab/plan.h"

#include <stdio.h>
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
    return text_lists(list, name, strlen(name));
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

/* ---- drawing ---- */

/* What one set of values is drawn from: a secret, and what it is for. */
struct source {
    const char *secret;
    char *stem;
};

static struct source source_of(const struct lab *lab, const char *case_name, const char *variant,
                               const char *whose, const char *secret)
{
    return (struct source){secret ? secret : PRACTICE,
                           xformat("%s/%s/%s/%s", lab->name, case_name, variant, whose)};
}

static uint64_t draw(const struct source *s, const char *field)
{
    char *label = xformat("%s/%s", s->stem, field);
    uint64_t v = secret_draw(s->secret, label);
    free(label);
    return v;
}

/* min, 2 min, 4 min … begin octaves. The last goes to max: less than half of a whole one is part of
 * the one before it, which else would be drawn less often a number than a few numbers are. */
static void draw_octave(const struct source *s, const char *field, uint64_t *min, uint64_t *max)
{
    uint64_t octaves = 1;
    char *which = xformat("%s octave", field);
    while (*min << octaves <= *max)
        octaves++;
    uint64_t last = *min << (octaves - 1);
    if (octaves > 1 && 2 * (*max - last + 1) < last)
        octaves--;
    uint64_t at = draw(s, which) % octaves;
    *min <<= at;
    *max = at + 1 < octaves ? 2 * *min - 1 : *max;
    free(which);
}

static void draw_size(const struct source *s, const char *field, bool any_scale, uint64_t min,
                      uint64_t max, uint64_t *out)
{
    if (max && min && any_scale)
        draw_octave(s, field, &min, &max);
    if (max)
        *out = min + draw(s, field) % (max - min + 1);
}

/* What of n, m, k and param is drawn from a range. */
struct extent {
    const char *field;
    uint64_t min, max, *value;
};

/* As many as the bound says, from half of that on where there is room. */
static void make_room(const struct source *s, const struct extent *x, uint64_t others,
                      uint64_t most)
{
    uint64_t left = others ? most / others : *x->value;
    char *again = xformat("%s room", x->field);
    if (*x->value > left) {
        *x->value = left - draw(s, again) % (left / 2 + 1);
        *x->value = *x->value < x->min ? x->min : *x->value;
    }
    free(again);
}

static void bound_work(const struct source *s, const struct extent *x, int n, uint64_t most)
{
    for (int i = 0, first = (int)(draw(s, "room") % (uint64_t)n); i < n; i++) {
        int at = (first + i) % n;
        uint64_t others = 1;
        for (int k = 0; k < n; k++)
            others *= k != at && x[k].max ? *x[k].value : 1;
        if (x[at].max)
            make_room(s, &x[at], others, most);
    }
}

static void draw_extents(const struct source *s, const struct hidden_case *h, struct lab_case *c)
{
    uint64_t param = (uint64_t)c->param;
    const struct extent x[] = {{"n", h->n_min, h->n_max, &c->n},
                               {"m", h->m_min, h->m_max, &c->m},
                               {"k", h->k_min, h->k_max, &c->k},
                               {"param", (uint64_t)h->param_min, (uint64_t)h->param_max, &param}};
    enum { EXTENTS = sizeof(x) / sizeof(x[0]), PARAM = EXTENTS - 1 };
    for (int i = 0; i < EXTENTS; i++)
        if (i != PARAM || h->param_min || h->param_max)
            draw_size(s, x[i].field, h->any_scale && (i != PARAM || h->work_max), x[i].min,
                      x[i].max, x[i].value);
    if (h->work_max)
        bound_work(s, x, EXTENTS, h->work_max);
    c->param = (int64_t)param;
}

static uint64_t rounded_up(uint64_t v, uint64_t multiple)
{
    return multiple > 1 ? (v + multiple - 1) / multiple * multiple : v;
}

uint64_t next_prime(uint64_t n, int64_t param)
{
    if (param > 0 && n <= (uint64_t)param)
        n = (uint64_t)param + 1;
    for (n = n < 2 ? 2 : n;; n++) {
        uint64_t k = 2;
        while (k * k <= n && n % k)
            k++;
        if (k * k > n)
            return n;
    }
}

void make_prime(const struct hidden_case *h, struct lab_case *c)
{
    c->n = h->prime ? next_prime(c->n, c->param) : c->n;
}

static int64_t draw_value(const struct source *s, const char *field, const struct one_of *list,
                          int64_t otherwise)
{
    return list->n ? list->v[draw(s, field) % (uint64_t)list->n] : otherwise;
}

/* One of the cases that h may be like. NULL: it is none of them. */
static const struct lab_case *draw_like(const struct lab *lab, const struct rubric *r,
                                        const struct hidden_case *h, const struct source *s)
{
    uint64_t n = 0;
    for (const char *p = h->like; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
        n++;
    const char *p = h->like;
    for (uint64_t left = n ? draw(s, "like") % n : 0; left; left--) {
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    char *name = xformat("%.*s", p ? (int)strcspn(p, " ") : 0, p ? p : "");
    const struct lab_case *like = plain_case(lab, r, name);
    free(name);
    return like;
}

/* The reference's runs are kept for a class, so that these sizes are few. */
static bool meets_reference(const struct rubric *r, const char *variant, const char *name)
{
    for (int i = 0; i < r->nrows; i++) {
        const struct rubric_row *row = &r->rows[i];
        bool refers = !strcmp(row->variant, variant) &&
                      (row->kind == ROW_SPEED || (row->gate && strstr(row->gate, "ref.")));
        if (refers && (word_in(row->cases, name) || word_in(row->gpu_cases, name)))
            return true;
    }
    return false;
}

static struct source hidden_source(const struct lab *lab, const struct rubric *r,
                                   const char *case_name, const char *variant, const struct draw *d)
{
    struct source s = source_of(lab, case_name, variant, d->secret ? d->submission : "", d->secret);
    if (!meets_reference(r, variant, case_name))
        return s;
    char which[24];
    snprintf(which, sizeof(which), "%d", (int)(draw(&s, "pool") % POOL_DRAWS));
    free(s.stem);
    return source_of(lab, case_name, variant, which, d->secret);
}

static bool draw_hidden(const struct lab *lab, const struct rubric *r, const struct hidden_case *h,
                        const char *variant, const struct draw *d, struct marked_case *out)
{
    struct source s = hidden_source(lab, r, h->name, variant, d);
    const struct lab_case *like = draw_like(lab, r, h, &s);
    if (like) {
        struct lab_case *c = &out->c;
        bool pooled = d->secret && meets_reference(r, variant, h->name);
        *out = (struct marked_case){*like, d->secret ? h->kind : NULL, pooled};
        c->name = h->name;
        draw_extents(&s, h, c);
        c->n = rounded_up(c->n, h->multiple);
        c->m = rounded_up(c->m, h->m_multiple);
        c->k = rounded_up(c->k, h->k_multiple);
        c->param = draw_value(&s, "params", &h->params, c->param);
        c->dtype = (enum dtype)draw_value(&s, "dtypes", &h->dtypes, c->dtype);
        make_prime(h, c);
        c->op = (int)draw_value(&s, "ops", &h->ops, c->op);
        c->block = (uint32_t)draw_value(&s, "blocks", &h->blocks, c->block);
    }
    free(s.stem);
    return like;
}

bool case_named(const struct lab *lab, const struct rubric *r, const char *variant,
                const char *name, const struct draw *d, struct marked_case *out)
{
    for (int i = 0; i < r->nhidden; i++)
        if (!strcmp(r->hidden[i].name, name))
            return draw_hidden(lab, r, &r->hidden[i], variant, d, out);
    const struct lab_case *c = plain_case(lab, r, name);
    if (c)
        *out = (struct marked_case){.c = *c};
    return c != NULL;
}

static bool in_range(uint64_t v, uint64_t least, uint64_t most, uint64_t multiple, uint64_t like)
{
    return most
               ? v >= least && v <= rounded_up(most, multiple) && v % (multiple ? multiple : 1) == 0
               : v == like;
}

static bool is_one_of(const struct one_of *list, int64_t v, int64_t like)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i] == v)
            return true;
    return !list->n && v == like;
}

static bool could_be(const struct hidden_case *h, const struct lab_case *like,
                     const struct lab_case *c)
{
    bool any_param = (h->param_min || h->param_max) && !h->params.n;
    return is_one_of(&h->dtypes, c->dtype, like->dtype) && is_one_of(&h->ops, c->op, like->op) &&
           is_one_of(&h->blocks, c->block, like->block) && c->flags == like->flags &&
           (h->prime ? c->n >= h->n_min && next_prime(c->n, c->param) == c->n
                     : in_range(c->n, h->n_min, h->n_max, h->multiple, like->n)) &&
           in_range(c->m, h->m_min, h->m_max, h->m_multiple, like->m) &&
           in_range(c->k, h->k_min, h->k_max, h->k_multiple, like->k) &&
           (any_param ? c->param >= h->param_min && c->param <= h->param_max
                      : is_one_of(&h->params, c->param, like->param));
}

bool could_draw(const struct lab *lab, const struct rubric *r, const struct hidden_case *h,
                const struct lab_case *c)
{
    bool could = false;
    char *list = xstrdup(h->like ? h->like : ""), *save = NULL;
    for (char *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        const struct lab_case *like = plain_case(lab, r, name);
        could |= like && could_be(h, like, c);
    }
    free(list);
    return could;
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
            all[(*n)++] = (struct marked_case){.c = *c};
    }
    return all;
}

struct marked_case *row_cases(const struct lab *lab, const struct rubric *r,
                              const struct rubric_row *row, const struct draw *d, int *n)
{
    return row->cases ? named_cases(lab, r, row, row->cases, d, n) : default_cases(lab, row, n);
}

struct marked_case *named_cases(const struct lab *lab, const struct rubric *r,
                                const struct rubric_row *row, const char *names,
                                const struct draw *d, int *n)
{
    struct marked_case *all = xzalloc((strlen(names) / 2 + 1) * sizeof(*all));
    char *list = xstrdup(names), *save = NULL;
    *n = 0;
    for (char *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save))
        if (!case_named(lab, r, row->variant, name, d, &all[(*n)++]))
            die("rubric of %s, row %s: no case \"%s\"", r->lab, row->id, name);
    free(list);
    return all;
}

static uint64_t draw_seed(const struct lab *lab, const struct lab_case *c, const char *variant,
                          const char *whose, const char *secret, int again)
{
    char field[32];
    snprintf(field, sizeof(field), "inputs %d", again);
    struct source s = source_of(lab, c->name, variant, whose, secret);
    uint64_t seed = draw(&s, field) | 1;
    free(s.stem);
    return seed;
}

uint64_t case_seed(const struct lab *lab, const struct lab_case *c, const char *variant,
                   const struct draw *d, int again)
{
    if (!d->secret && c->seed && !again)
        return c->seed;
    return draw_seed(lab, c, variant, d->secret ? d->submission : "", d->secret, again);
}

uint64_t reference_seed(const struct lab *lab, const struct lab_case *c, const char *variant)
{
    return draw_seed(lab, c, variant, "reference", NULL, 0);
}

double rubric_points(const struct rubric *r)
{
    double sum = 0;
    for (int i = 0; i < r->nrows; i++)
        sum += r->rows[i].points;
    return sum;
}

/* ---- checking tables ---- */

static const char *const gate_names[] = {
    "n",       "m",       "k",      "param",    "bytes",    "flops",       "elem",
    "threads", "warps",   "blocks", "launches", "bytes_in", "bytes_out",   "copies",
    "streams", "overlap", "sums",   "fetches",  "skew",     "skew_loaded", "beside"};

static bool any_name(void *user, const char *name, double *value)
{
    (void)user;
    *value = 1;
    if (!strncmp(name, "calls.cuda", 10) || !strncmp(name, "record.", 7) ||
        !strncmp(name, "printed.", 8) || !strncmp(name, "rate.", 5) || !strncmp(name, "told.", 5))
        return true;
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

/* A run of one instruction, of which nothing is known but the names. */
static long one_instruction(void *user, bool ref)
{
    (void)user, (void)ref;
    return 1;
}

static bool any_influence(void *user, bool ref, const char *what, double *value)
{
    (void)user, (void)ref;
    *value = 1;
    return disturb_index(what) >= 0;
}

static const struct gate_world any_world = {
    .lookup = any_name, .instructions = one_instruction, .influence = any_influence, .every = true};

static int problem(struct text *out, const struct rubric *r, const char *row, const char *what,
                   const char *detail)
{
    text_addf(out, "rubric of %s, %s: %s%s\n", r->lab, row, what, detail);
    return 1;
}

/* Why this case cannot be run by this variant as the lab gives it, or NULL. */
static char *case_problem(const struct lab *lab, const struct lab_variant *v,
                          const struct lab_case *c)
{
    static const struct device_limits h200 = {.sms = 132,
                                              .max_threads_per_block = 1024,
                                              .max_threads_per_sm = 2048,
                                              .shared_per_block = 227 << 10,
                                              .cc = 90};
    struct plan plan;
    char err[512] = "";
    if (lab->applies && !lab->applies(v, c))
        return xstrdup("its variant does not apply to the case");
    if (c->block && (!v->has_record || c->block < v->min.block_x || c->block > v->max.block_x))
        return xformat("a block of %u, which the variant's record may not ask for", c->block);
    return plan_make(lab, v, c, &v->record, &h200, &plan, err, sizeof(err)) ? NULL : xstrdup(err);
}

/* A case is tried as several submissions would get it. */
static int row_case_problems(const struct lab *lab, const struct rubric *r,
                             const struct rubric_row *row, struct text *out)
{
    const struct lab_variant *v = variant_named(lab, row->variant);
    char *list = xformat("%s %s %s", row->cases ? row->cases : "",
                         row->gpu_cases ? row->gpu_cases : "", row->if_right ? row->if_right : ""),
         *save = NULL, *why = NULL;
    int bad = 0;
    for (char *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        for (char digit[] = "0"; !why && *digit <= '9'; ++*digit) {
            struct draw d = {"x", digit};
            struct marked_case c;
            if (!case_named(lab, r, row->variant, name, &d, &c))
                why = xstrdup("there is none");
            else if (v)
                why = case_problem(lab, v, &c.c);
        }
        if (why) {
            text_addf(out, "rubric of %s, %s: case %s: %s\n", r->lab, row->id, name, why);
            bad++;
        }
        free(why);
        why = NULL;
    }
    free(list);
    return bad;
}

static bool is_fault(const char *f)
{
    const char *colon = strchr(f, ':');
    if (!colon || !strncmp(f, "back:", 5))
        return colon &&
               word_in(
                   "first last any slight nan infinite huge sign small many zero swapped evened "
                   "exchanged",
                   colon + 1);
    if (!strcmp(f, JOB_DISK_FULL) || !strcmp(f, "disk:late") || !strcmp(f, "others:each"))
        return true;
    return !strncmp(f, "disturb:", 8)
               ? disturb_index(colon + 1) >= 0
               : !strncmp(f, "cuda", 4) && (atoi(colon + 1) > 0 || word_in("any each", colon + 1));
}

/* "cudaMalloc:2", "cudaMalloc:any", "cudaMalloc:each", "cudaMalloc*:each", "disturb:CLASS",
 * "back:first", "back:last", "back:any", "back:slight", "back:nan", "back:infinite", "back:huge",
 * "back:sign", "back:small", "back:many", "back:zero", "back:swapped", "back:evened",
 * "back:exchanged", "disk:full", "disk:late" or "others:each"; with a | between them, one of
 * several
 */
static int fault_problems(const struct rubric *r, const struct rubric_row *row, struct text *out)
{
    int bad = 0;
    char *list = xstrdup(row->faults ? row->faults : ""), *save = NULL;
    for (char *f = strtok_r(list, " |", &save); f; f = strtok_r(NULL, " |", &save)) {
        if (!is_fault(f))
            bad += problem(out, r, row->id, "no fault: ", f);
    }
    free(list);
    return bad;
}

/* Has it a condition that is to be told in words? */
static bool is_unreadable(const char *gate)
{
    for (const char *at = gate; at; at = strstr(at, "&&")) {
        at += strspn(at, "& ");
        if (strcspn(at, "<>=") > GATE_READABLE + 1) /* and a space */
            return true;
    }
    return false;
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
    if (row->kind == ROW_FAULTS && (!row->cases || !row->faults || !lab->program))
        bad += problem(out, r, row->id, "no case or no fault, or its lab is no program's", "");
    bad += fault_problems(r, row, out);
    if (row->kind != ROW_GATE && row->if_right)
        bad += problem(out, r, row->id, "if_right is for gates", "");
    if (is_unreadable(row->gate) != !!row->asks)
        bad += problem(out, r, row->id, "asks says a gate's long condition in words, and no other",
                       "");
    if (row->kind != ROW_SPEED && row->gpu_cases)
        bad += problem(out, r, row->id, "gpu_cases are for SPEED", "");
    if (row->kind == ROW_SPEED && !(row->ratio > 0))
        bad += problem(out, r, row->id, "its ratio is not above 0", "");
    if (row->kind == ROW_GATE || row->gate) {
        struct gate_result g = gate_eval(row->gate ? row->gate : "", &any_world);
        if (g.error)
            bad += problem(out, r, row->id, g.error, "");
        gate_free(&g);
    }
    return bad + row_case_problems(lab, r, row, out);
}

/* The product of the minima. */
static uint64_t least_work(const struct hidden_case *h)
{
    return (h->n_max ? h->n_min : 1) * (h->m_max ? h->m_min : 1) * (h->k_max ? h->k_min : 1) *
           (h->param_max > 0 ? (uint64_t)h->param_min : 1);
}

static int hidden_problems(const struct lab *lab, const struct rubric *r,
                           const struct hidden_case *h, struct text *out)
{
    int bad = 0;
    char *list = xstrdup(h->like ? h->like : ""), *save = NULL;
    if (!*list)
        bad += problem(out, r, h->name, "no case to be like", "");
    for (char *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save))
        if (!plain_case(lab, r, name))
            bad += problem(out, r, h->name, "no case to be like: ", name);
    free(list);
    if (!h->kind || !*h->kind)
        bad += problem(out, r, h->name, "no kind, which is what students are told of it", "");
    if (h->n_min > h->n_max || h->m_min > h->m_max || h->k_min > h->k_max ||
        h->param_min > h->param_max)
        bad += problem(out, r, h->name, "a minimum above its maximum", "");
    if (h->any_scale &&
        ((h->n_max && !h->n_min) || (h->m_max && !h->m_min) || (h->k_max && !h->k_min)))
        bad += problem(out, r, h->name, "any scale, and from 0 on", "");
    if (h->work_max && least_work(h) > h->work_max)
        bad += problem(out, r, h->name, "its minima are more than work_max", "");
    if ((h->param_min || h->param_max) && h->params.n)
        bad += problem(out, r, h->name, "both a range and a list of params", "");
    return bad;
}

int rubric_problems(const struct lab *lab, const struct rubric *r, struct text *out)
{
    int bad = 0;
    for (int i = 0; i < r->nhidden; i++)
        bad += hidden_problems(lab, r, &r->hidden[i], out);
    for (int i = 0; i < r->nrows; i++)
        bad += row_problems(lab, r, &r->rows[i], out);
    return bad;
}
