/* verdict.c - verdicts to and from JSON, and the words of their facts. See verdict.h. */
#include "verdict.h"
#include "base/alloc.h"
#include "base/text.h"

#include "lab/counter.h"
#include "lab/dtype.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_FINDINGS = 10 };
#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- words: an enum's, in its order ---- */

static const struct status_words statuses[] = {
    [STATUS_PASS] = {"pass", "pass", "passed", "\033[32m"},
    [STATUS_FAIL] = {"fail", "FAIL", "failed", "\033[31m"},
    [STATUS_BLOCKED] = {"blocked", "  - ", "not looked at", "\033[33m"},
    [STATUS_INCONCLUSIVE] = {"inconclusive", "  ? ", "inconclusive", "\033[33m"},
    [STATUS_SKIPPED] = {"skipped", "skip", "skipped", "\033[90m"},
    [STATUS_ERROR] = {"error", " !! ", "grader's error", "\033[35m"},
};
static const char *const verdicts[] = {
    [VERDICT_GRADED] = "graded",       [VERDICT_NOT_COMPILED] = "not compiled",
    [VERDICT_EMPTY] = "empty",         [VERDICT_NOT_TEXT] = "not text",
    [VERDICT_UTF16] = "UTF-16",        [VERDICT_UTF32] = "UTF-32",
    [VERDICT_TOO_LARGE] = "too large", [VERDICT_UNREADABLE] = "unreadable",
    [VERDICT_MISSING] = "missing",     [VERDICT_FAILED] = "failed",
};
static const char *const kinds[] = {[ROW_CORRECT] = "correct",
                                    [ROW_GATE] = "gate",
                                    [ROW_CHECKS] = "checks",
                                    [ROW_SPEED] = "speed",
                                    [ROW_FAULTS] = "faults"};
static const char *const evidences[] = {
    [EVIDENCE_EMULATOR] = "emulator", [EVIDENCE_BOTH] = "emulator and GPU",
    [EVIDENCE_COUNTED] = "counted",   [EVIDENCE_MODELLED] = "modelled",
    [EVIDENCE_MEASURED] = "measured", [EVIDENCE_RECORD] = "the runtime's own record"};
struct words {
    const char *const *first;
    size_t stride; /* from one word to the next */
    int n;
};
#define WORDS(a)                                                                                   \
    {                                                                                              \
        a, sizeof(*(a)), COUNT(a)                                                                  \
    }
static const struct words status_list = {&statuses[0].word, sizeof(statuses[0]), COUNT(statuses)},
                          verdict_list = WORDS(verdicts), kind_list = WORDS(kinds),
                          evidence_list = WORDS(evidences), end_list = WORDS(run_end_words);

static const char *word_at(const struct words *w, unsigned i)
{
    return *(const char *const *)(const void *)((const char *)w->first + i * w->stride);
}

/* -1: none of them. */
static int find_word(const struct words *w, const char *s)
{
    for (int i = 0; s && i < w->n; i++)
        if (!strcmp(word_at(w, (unsigned)i), s))
            return i;
    return -1;
}

const struct status_words *status_words(enum row_status s)
{
    return &statuses[s];
}

bool status_of(const char *word, enum row_status *out)
{
    int i = find_word(&status_list, word);
    *out = i < 0 ? STATUS_ERROR : (enum row_status)i;
    return i >= 0;
}

bool status_loses_nothing(enum row_status s)
{
    return s == STATUS_PASS || s == STATUS_SKIPPED;
}

const char *verdict_word(enum verdict_status s)
{
    return verdicts[s];
}

bool verdict_status_of(const char *word, enum verdict_status *out)
{
    int i = find_word(&verdict_list, word);
    *out = i < 0 ? VERDICT_FAILED : (enum verdict_status)i;
    return i >= 0;
}

const char *row_kind_name(enum row_kind k)
{
    return kinds[k];
}

const char *evidence_word(enum evidence e)
{
    return evidences[e];
}

/* ---- members: what they are called, how they are written, where they lie ---- */

enum as {
    TEXT,  /* char *; not written when NULL */
    NAMED, /* char *; null when NULL */
    REAL,  /* double; not written when NAN */
    SCORE, /* double; 0 when it is not there */
    WHOLE, /* int64_t */
    PLACE, /* int64_t; not written when 0 */
    FLAG,  /* bool */
    HEX,   /* uint64_t, as text */
    WORD,  /* an enum */
    VALUE, /* json_t *; not written when NULL */
};

struct member {
    const char *key;
    enum as as;
    size_t at;
    const struct words *words;
};

#define V(field) offsetof(struct verdict, field)
static const struct member verdict_members[] = {
    {"lab", TEXT, V(lab), NULL},
    {"title", TEXT, V(title), NULL},
    {"file", TEXT, V(file), NULL},
    {"status", WORD, V(status), &verdict_list},
    {"message", TEXT, V(message), NULL},
    {"score", SCORE, V(score), NULL},
    {"max", SCORE, V(max), NULL},
    {"needs_human", FLAG, V(needs_human), NULL},
    {"source", TEXT, V(source), NULL},
    {"length", PLACE, V(length), NULL},
    {"backend", TEXT, V(backend), NULL},
    {"device", TEXT, V(device), NULL},
    {"version", TEXT, V(version), NULL},
    {"gpu", TEXT, V(gpu), NULL},
    {"gpu_version", TEXT, V(gpu_version), NULL},
    {"tools", TEXT, V(tools), NULL},
    {"secret", NAMED, V(secret), NULL},
    {"output", TEXT, V(output), NULL},
};

static const struct member compile_members[] = {
    {"ok", FLAG, V(compiled), NULL},
    {"log", TEXT, V(log), NULL},
};
#define R(field) offsetof(struct verdict_row, field)
static const struct member row_members[] = {
    {"id", TEXT, R(id), NULL},
    {"title", TEXT, R(title), NULL},
    {"kind", WORD, R(kind), &kind_list},
    {"variant", TEXT, R(variant), NULL},
    {"points", SCORE, R(points), NULL},
    {"max", SCORE, R(max), NULL},
    {"status", WORD, R(status), &status_list},
    {"why", TEXT, R(why), NULL},
    {"hint", TEXT, R(hint), NULL},
    {"evidence", WORD, R(evidence), &evidence_list},
    {"case", TEXT, R(case_name), NULL},
    {"line", PLACE, R(line), NULL},
    {"expression", TEXT, R(expression), NULL},
    {"counted", REAL, R(counted), NULL},
    {"limit", REAL, R(limit), NULL},
    {"picture", VALUE, R(picture), NULL},
    {"finding", VALUE, R(finding), NULL},
};
#define N(field) offsetof(struct verdict_run, field)
/* All that is said of a hidden one, and what others have beside it. */
static const struct member any_run_members[] = {
    {"variant", TEXT, N(variant), NULL}, {"case", TEXT, N(case_name), NULL},
    {"hidden", FLAG, N(hidden), NULL},   {"check", FLAG, N(check), NULL},
    {"end", WORD, N(end), &end_list},    {"correct", FLAG, N(correct), NULL},
};
static const struct member run_members[] = {
    {"n", WHOLE, N(n), NULL},
    {"m", WHOLE, N(m), NULL},
    {"k", WHOLE, N(k), NULL},
    {"param", WHOLE, N(param), NULL},
    {"dtype", TEXT, N(dtype), NULL},
    {"seed", HEX, N(seed), NULL},
    {"why", TEXT, N(why), NULL},
    {"wrong", WHOLE, N(wrong), NULL},
    {"compared", WHOLE, N(compared), NULL},
    {"block_x", WHOLE, N(block_x), NULL},
    {"block_y", WHOLE, N(block_y), NULL},
    {"items", WHOLE, N(items), NULL},
    {"modelled_ms", REAL, N(modelled_ms), NULL},
    {"bound", TEXT, N(bound), NULL},
    {"occupancy", REAL, N(occupancy), NULL},
    {"findings", VALUE, N(findings), NULL},
};

static const void *field(const void *of, const struct member *m)
{
    return (const char *)of + m->at;
}

static const char *text_at(const void *of, const struct member *m)
{
    return *(char *const *)field(of, m);
}

/* NULL: not to be written. */
static json_t *value_of(const void *of, const struct member *m)
{
    const void *at = field(of, m);
    char hex[24];
    double real;
    unsigned word;
    switch (m->as) {
    case TEXT:
        return text_at(of, m) ? json_string(text_at(of, m)) : NULL;
    case NAMED:
        return text_at(of, m) ? json_string(text_at(of, m)) : json_null();
    case REAL:
    case SCORE:
        real = *(const double *)at;
        return isfinite(real) ? json_real(real) : NULL;
    case WHOLE:
        return json_integer(*(const int64_t *)at);
    case PLACE:
        return *(const int64_t *)at ? json_integer(*(const int64_t *)at) : NULL;
    case FLAG:
        return json_boolean(*(const bool *)at);
    case HEX:
        snprintf(hex, sizeof(hex), "%llx", (unsigned long long)*(const uint64_t *)at);
        return json_string(hex);
    case WORD:
        memcpy(&word, at, sizeof(word));
        return json_string(word_at(m->words, word));
    case VALUE:
        return json_incref(*(json_t *const *)at);
    }
    return NULL;
}

static json_t *write_members(const void *of, const struct member *m, int n)
{
    json_t *o = json_object();
    for (int i = 0; i < n; i++) {
        json_t *value = value_of(of, &m[i]);
        if (value)
            json_object_set_new(o, m[i].key, value);
    }
    return o;
}

/* False: a word that is none, or missing. */
static bool read_value(void *of, const struct member *m, const json_t *value)
{
    void *at = (char *)of + m->at;
    int word;
    switch (m->as) {
    case TEXT:
    case NAMED:
        verdict_put(at, json_string_value(value));
        return true;
    case REAL:
        *(double *)at = json_is_number(value) ? json_number_value(value) : NAN;
        return true;
    case SCORE:
        *(double *)at = json_number_value(value);
        return true;
    case WHOLE:
    case PLACE:
        *(int64_t *)at = json_integer_value(value);
        return true;
    case FLAG:
        *(bool *)at = json_is_true(value);
        return true;
    case HEX:
        *(uint64_t *)at = strtoull(or_empty(json_string_value(value)), NULL, 16);
        return true;
    case WORD:
        word = find_word(m->words, json_string_value(value));
        if (word >= 0)
            memcpy(at, &(unsigned){(unsigned)word}, sizeof(unsigned));
        return word >= 0;
    case VALUE:
        *(json_t **)at = value ? json_deep_copy(value) : NULL;
        return true;
    }
    return false;
}

/* False, with the first reason in *why, where a fact has no word of ours. */
static bool read_members(void *of, const struct member *m, int n, const json_t *o, char **why)
{
    bool ok = true;
    for (int i = 0; i < n; i++) {
        const json_t *value = json_object_get(o, m[i].key);
        if (read_value(of, &m[i], value))
            continue;
        if (ok && !*why)
            *why = xformat("its \"%s\" is \"%s\", which is not known", m[i].key,
                           or_empty(json_string_value(value)));
        ok = false;
    }
    return ok;
}

static void free_members(void *of, const struct member *m, int n)
{
    for (int i = 0; i < n; i++) {
        void *at = (char *)of + m[i].at;
        if (m[i].as == TEXT || m[i].as == NAMED)
            free(*(char **)at);
        else if (m[i].as == VALUE)
            json_decref(*(json_t **)at);
    }
}

/* ---- rows ---- */

static json_t *write_reals(const double *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_real(isfinite(v[i]) ? v[i] : -1));
    return list;
}

static double *read_reals(const json_t *list, int *n)
{
    *n = (int)json_array_size(list);
    double *v = *n ? xcalloc((size_t)*n, sizeof(*v)) : NULL;
    for (int i = 0; i < *n; i++)
        v[i] = json_number_value(json_array_get(list, (size_t)i));
    return v;
}

static json_t *write_row(const struct verdict_row *r)
{
    json_t *o = write_members(r, row_members, COUNT(row_members));
    if (r->nsamples) {
        json_object_set_new(o, "samples", write_reals(r->samples, r->nsamples));
        json_object_set_new(o, "reference_samples", write_reals(r->reference_samples, r->nsamples));
    }
    if (r->clocks_mhz[1])
        json_object_set_new(
            o, "clocks_mhz",
            json_pack("[I,I]", (json_int_t)r->clocks_mhz[0], (json_int_t)r->clocks_mhz[1]));
    return o;
}

struct verdict_row verdict_row_new(void)
{
    return (struct verdict_row){.counted = NAN, .limit = NAN};
}

static bool read_row(struct verdict *v, const json_t *o, char **why)
{
    struct verdict_row r = verdict_row_new();
    bool ok = read_members(&r, row_members, COUNT(row_members), o, why);
    int n, m;
    r.samples = read_reals(json_object_get(o, "samples"), &n);
    r.reference_samples = read_reals(json_object_get(o, "reference_samples"), &m);
    r.nsamples = n < m ? n : m;
    for (size_t i = 0; i < 2; i++)
        r.clocks_mhz[i] = json_integer_value(json_array_get(json_object_get(o, "clocks_mhz"), i));
    verdict_add_row(v, r);
    return ok;
}

void verdict_add_row(struct verdict *v, struct verdict_row row)
{
    v->rows = xrealloc(v->rows, (size_t)(v->nrows + 1) * sizeof(*v->rows));
    v->rows[v->nrows++] = row;
}

void verdict_drop_rows(struct verdict *v)
{
    for (int i = 0; i < v->nrows; i++) {
        free_members(&v->rows[i], row_members, COUNT(row_members));
        free(v->rows[i].samples);
        free(v->rows[i].reference_samples);
    }
    free(v->rows);
    v->rows = NULL;
    v->nrows = 0;
}

/* ---- runs ---- */

static json_t *write_run(const struct verdict_run *r)
{
    json_t *o = write_members(r, any_run_members, COUNT(any_run_members));
    if (r->hidden)
        return o;
    json_t *more = write_members(r, run_members, COUNT(run_members)), *first = json_array(),
           *counters = json_object();
    json_object_update(o, more);
    json_decref(more);
    for (int i = 0; i < r->nfirst; i++)
        json_array_append_new(first,
                              json_pack("{s:I,s:s,s:s}", "index", (json_int_t)r->first[i].index,
                                        "expected", r->first[i].expected, "got", r->first[i].got));
    for (int i = 0; i < r->ncounters; i++)
        json_object_set_new(counters, r->counters[i].name, json_integer(r->counters[i].value));
    json_object_set_new(o, "first", first);
    json_object_set_new(o, "counters", counters);
    return o;
}

static struct verdict_run *new_run(struct verdict *v)
{
    v->runs = xrealloc(v->runs, (size_t)(v->nruns + 1) * sizeof(*v->runs));
    v->runs[v->nruns] = (struct verdict_run){.modelled_ms = NAN, .occupancy = NAN};
    return &v->runs[v->nruns++];
}

static void add_first(struct verdict_run *r, int64_t index, const char *expected, const char *got)
{
    if (r->nfirst == COUNT(r->first))
        return;
    r->first[r->nfirst].index = index;
    verdict_put(&r->first[r->nfirst].expected, or_empty(expected));
    verdict_put(&r->first[r->nfirst++].got, or_empty(got));
}

static void add_counter(struct verdict_run *r, const char *name, int64_t value)
{
    r->counters = xrealloc(r->counters, (size_t)(r->ncounters + 1) * sizeof(*r->counters));
    r->counters[r->ncounters++] = (struct verdict_counter){xstrdup(name), value};
}

static bool read_run(struct verdict *v, json_t *o, char **why)
{
    struct verdict_run *r = new_run(v);
    bool ok = read_members(r, any_run_members, COUNT(any_run_members), o, why) &&
              (r->hidden || read_members(r, run_members, COUNT(run_members), o, why));
    const char *name;
    json_t *x;
    size_t i;
    json_array_foreach(json_object_get(o, "first"), i, x)
    {
        add_first(r, json_integer_value(json_object_get(x, "index")),
                  json_string_value(json_object_get(x, "expected")),
                  json_string_value(json_object_get(x, "got")));
    }
    json_object_foreach(json_object_get(o, "counters"), name, x)
    {
        add_counter(r, name, json_integer_value(x));
    }
    return ok;
}

static json_t *first_findings(const json_t *all)
{
    json_t *kept = json_array_size(all) ? json_array() : NULL;
    for (size_t i = 0; i < json_array_size(all) && i < KEPT_FINDINGS; i++)
        json_array_append(kept, json_array_get(all, i));
    return kept;
}

static void put_values(struct verdict_run *x, const struct run *r)
{
    verdict_put(&x->dtype, dtype_name(r->c.dtype));
    verdict_put(&x->why, r->why);
    x->n = (int64_t)r->c.n;
    x->m = (int64_t)r->c.m;
    x->k = (int64_t)r->c.k;
    x->param = r->c.param;
    x->seed = r->seed;
    x->wrong = (int64_t)r->result.wrong;
    x->compared = (int64_t)r->result.compared;
    x->block_x = r->record.block_x;
    x->block_y = r->record.block_y;
    x->items = r->record.items;
    x->findings = first_findings(r->findings);
}

static void put_mismatches(struct verdict_run *x, const struct run *r)
{
    const struct comparison *first = &r->result.outputs[0].comparison; /* none: of nothing */
    for (int i = 0; i < first->nshown; i++) {
        char want[40], got[40];
        number_text(want, first->shown[i].expected);
        number_text(got, first->shown[i].got);
        add_first(x, (int64_t)first->shown[i].index, want, got);
    }
}

static void put_counts(struct verdict_run *x, const struct run *r)
{
    for (int i = 0; i < ncounters; i++)
        if (counter_get(&r->outputs.counters, i))
            add_counter(x, counter_infos[i].name, (int64_t)counter_get(&r->outputs.counters, i));
    bool whole = r->result.end <= RUN_INPUT_CHANGED; /* else it is chance how far blocks came */
    if (whole && isfinite(r->outputs.modelled_ms) && r->outputs.modelled_ms > 0) {
        x->modelled_ms = r->outputs.modelled_ms;
        x->occupancy = isfinite(r->outputs.occupancy) ? r->outputs.occupancy : 0;
        verdict_put(&x->bound, r->outputs.bound);
    }
}

void verdict_add_run(struct verdict *v, const struct run *r)
{
    struct verdict_run *x = new_run(v);
    verdict_put(&x->variant, r->variant->name);
    verdict_put(&x->case_name, r->c.name);
    x->hidden = r->hidden;
    x->check = r->check;
    x->end = r->result.end;
    x->correct = r->result.end == RUN_OK;
    if (r->hidden)
        return;
    put_values(x, r);
    put_mismatches(x, r);
    put_counts(x, r);
}

static void run_free(struct verdict_run *r)
{
    free_members(r, any_run_members, COUNT(any_run_members));
    free_members(r, run_members, COUNT(run_members));
    for (int i = 0; i < r->nfirst; i++) {
        free(r->first[i].expected);
        free(r->first[i].got);
    }
    for (int i = 0; i < r->ncounters; i++)
        free(r->counters[i].name);
    free(r->counters);
}

/* ---- the whole ---- */

void verdict_put(char **field, const char *text)
{
    struct text t = {0};
    if (text)
        text_printable(&t, text, strlen(text), true);
    free(*field);
    *field = text ? text_take(&t) : NULL;
}

static json_t *write_verdict(const struct verdict *v)
{
    json_t *o = write_members(v, verdict_members, COUNT(verdict_members)), *rows = json_array(),
           *runs = json_array();
    for (int i = 0; i < v->nrows; i++)
        json_array_append_new(rows, write_row(&v->rows[i]));
    for (int i = 0; i < v->nruns; i++)
        json_array_append_new(runs, write_run(&v->runs[i]));
    json_object_set_new(o, "rows", rows);
    if (v->ran)
        json_object_set(o, "runs", runs);
    json_decref(runs);
    if (v->source)
        json_object_set_new(o, "compile",
                            write_members(v, compile_members, COUNT(compile_members)));
    if (v->output)
        json_object_set_new(o, "output_dropped", json_integer(v->output_dropped));
    return o;
}

char *verdict_text(const struct verdict *v, size_t flags)
{
    json_t *o = write_verdict(v);
    char *s = json_dumps(o, JSON_SORT_KEYS | (flags ? flags : JSON_COMPACT));
    json_decref(o);
    return s ? s : xstrdup("{}");
}

struct verdict *verdict_of_json(const json_t *o, char **why)
{
    struct verdict *v = xzalloc(sizeof(*v));
    size_t i;
    json_t *x;
    *why = json_is_object(o) ? NULL : xstrdup("it is no JSON object");
    bool ok = read_members(v, verdict_members, COUNT(verdict_members), o, why) && !*why;
    read_members(v, compile_members, COUNT(compile_members), json_object_get(o, "compile"), why);
    v->output_dropped = json_integer_value(json_object_get(o, "output_dropped"));
    v->ran = json_object_get(o, "runs") != NULL;
    json_array_foreach(json_object_get(o, "rows"), i, x)
    {
        ok = read_row(v, x, why) && ok;
    }
    json_array_foreach(json_object_get(o, "runs"), i, x)
    {
        ok = read_run(v, x, why) && ok;
    }
    if (ok)
        return v;
    verdict_free(v);
    return NULL;
}

struct verdict *verdict_read(const char *text, size_t length, char **why)
{
    json_error_t bad;
    json_t *o = json_loadb(text, length, 0, &bad);
    if (!o) {
        *why = xformat("line %d: %s", bad.line, bad.text);
        return NULL;
    }
    struct verdict *v = verdict_of_json(o, why);
    json_decref(o);
    return v;
}

void verdict_free(struct verdict *v)
{
    if (!v)
        return;
    verdict_drop_rows(v);
    for (int i = 0; i < v->nruns; i++)
        run_free(&v->runs[i]);
    free(v->runs);
    free_members(v, verdict_members, COUNT(verdict_members));
    free_members(v, compile_members, COUNT(compile_members));
    free(v);
}
