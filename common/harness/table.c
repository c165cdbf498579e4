/* table.c - a run as a table a student reads (report.h).
 *
 * A case is a table: its kernels are rows, each compared with the one before. Consecutive
 * cases which differ only in the lab's parameter are a sweep and share one table, kernel after
 * kernel; so do cases which differ only in n, if they have one kernel each. */
#include "report.h"

#include "base/text.h"
#include "lab/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH       100
#define MAX_COLUMNS 4
#define NAME_WIDTH  15
#define NAME_WIDEST 19
#define BRIEF       4 /* cases of a sweep */

double entry_ms(const struct entry *r)
{
    return r->time.cold.reps ? r->time.cold.median : r->time.hot.reps ? r->time.hot.median : 0;
}

/* Kernels of a case that do another thing (longer words, a mean instead of a sum) are no measure
 * of each other's speed. */
static bool same_work(const struct entry *a, const struct entry *b)
{
    return a->amounts.bytes == b->amounts.bytes && a->amounts.flops == b->amounts.flops;
}

void report_speedups(struct report *p)
{
    for (int i = 0; i < p->n; i++) {
        struct entry *r = &p->results[i];
        double first = 0, previous = 0;

        for (int j = 0; j < i; j++) {
            if (p->results[j].input != r->input || !(entry_ms(&p->results[j]) > 0) ||
                !same_work(&p->results[j], r))
                continue;
            previous = entry_ms(&p->results[j]);
            first = first > 0 ? first : previous;
        }
        if (!(entry_ms(r) > 0))
            continue;
        r->step = previous > 0 ? previous / entry_ms(r) : 1;
        r->cumulative = first > 0 ? first / entry_ms(r) : 1;
    }
}

/* ---- values ---- */

bool entry_named(const struct entry *r, const char *name, double *value)
{
    int i = counter_index(name);

    if (i >= 0 && r->counted && r->metric_given[i]) {
        *value = (double)counter_get(&r->counters, i);
        return true;
    }
    if (!strcmp(name, "ms")) {
        *value = entry_ms(r);
        return true;
    }
    if (!strcmp(name, "occupancy") && r->occupancy > 0) {
        *value = r->occupancy;
        return true;
    }
    if (!strcmp(name, "error_l1") || !strcmp(name, "error_max")) {
        *value = name[6] == 'l' ? r->error_l1 : r->error_max;
        return !isnan(*value);
    }
    return amount_named(&r->amounts, name, value);
}

static bool lookup(void *user, const char *name, double *value)
{
    return entry_named(user, name, value);
}

double entry_value(const struct entry *r, const char *expression, char *err, size_t errsize)
{
    struct gate_world world = {.lookup = lookup, .user = (void *)r};
    char *why;
    double value = gate_value(expression, &world, &why);

    snprintf(err, errsize, "%s", why ? why : "");
    free(why);
    return value;
}

/* ---- the layout ---- */

struct layout {
    const struct report *report;
    FILE *out;
    bool colour, cold, flops, bytes, errors;
    bool some_hot;             /* of those that have a time and bytes some have no cold time */
    int name, ncolumns, width; /* of the kernel's name, of a counter's column */
};

/* Consecutive results that make one table: ncases cases with the same nvariants kernels. */
struct group {
    const struct entry *results;
    int nvariants, ncases;
    bool by_n; /* what differs is n, not the parameter */
};

bool colours(FILE *out)
{
    return isatty(fileno(out)) && !getenv("NO_COLOR");
}

static const char *paint(const struct layout *l, const char *code)
{
    return l->colour ? code : "";
}

static bool has_counters(const struct report *p)
{
    for (int i = 0; i < p->n; i++) {
        if (p->results[i].counted)
            return true;
    }
    return false;
}

static struct layout layout_of(FILE *out, const struct report *p)
{
    struct layout l = {.report = p, .out = out, .colour = colours(out)};
    int used = 4 + 5 + 10 + 4 + 7 + 7;

    l.name = NAME_WIDTH;
    for (int i = 0; i < p->n; i++) {
        int length = (int)strlen(p->results[i].variant->name) + 1;

        l.name = length > l.name ? length : l.name;
        l.cold |= p->results[i].time.cold.reps > 0;
        l.bytes |= p->results[i].amounts.bytes > 0;
        l.some_hot |= p->results[i].time.hot.reps && !p->results[i].time.cold.reps &&
                      p->results[i].amounts.bytes > 0;
        l.flops |= p->results[i].amounts.flops > 0;
    }
    l.bytes &= p->lab->bytes_formula != NULL;
    l.flops &= p->lab->flops_formula != NULL;
    l.errors = p->lab->tells_errors;
    l.name = l.name < NAME_WIDEST ? l.name : NAME_WIDEST;
    used += l.name + 10 * l.cold + 9 * l.bytes + 9 * l.flops + 18 * l.errors;
    while (has_counters(p) && p->lab->columns && l.ncolumns < MAX_COLUMNS &&
           p->lab->columns[l.ncolumns].name)
        l.ncolumns++;
    if (l.ncolumns) {
        l.width = (WIDTH - used) / l.ncolumns;
        l.width = l.width > 12 ? 12 : l.width < 8 ? 8 : l.width;
        while (l.ncolumns * l.width > WIDTH - used)
            l.ncolumns--;
    }
    return l;
}

/* "1.234e+09" is hard to read, 1234567890 does not fit: at most 7 characters. */
static const char *short_number(double x, char text[16])
{
    static const struct {
        double from, unit;
        const char *suffix;
    } scales[] = {{1e13, 1e12, "T"}, {1e10, 1e9, "G"}, {1e7, 1e6, "M"}, {1e5, 1e3, "k"}};

    if (isnan(x))
        return "-";
    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
        if (fabs(x) >= scales[i].from) {
            snprintf(text, 16, "%.*f%s", fabs(x) / scales[i].unit < 100 ? 1 : 0, x / scales[i].unit,
                     scales[i].suffix);
            return text;
        }
    }
    if (x && fabs(x) < 1e-3) { /* of seven characters */
        snprintf(text, 16, "%.1e", x);
        return text;
    }
    snprintf(text, 16, "%.*f", x == floor(x) ? 0 : fabs(x) < 10 ? 3 : fabs(x) < 1000 ? 1 : 0, x);
    return text;
}

/* What a sweep's column is called: "stride=8-n=2^25" says stride. */
static const char *sweep_name(const struct group *g, char text[16])
{
    const char *name = g->results[0].input->name;
    int length = (int)strcspn(name, "=");

    while (length > 6 && memchr(name, '-', (size_t)length)) { /* "warps" of "copy-warps" */
        int first = (int)strcspn(name, "-") + 1;

        name += first;
        length -= first;
    }
    snprintf(text, 16, "%.*s", length < 6 ? length : 6, name);
    return text;
}

/* A parameter is a number; a size is as its case is called, "2^20" rather than 1049k. */
static const char *sweep_value(const struct group *g, const struct entry *r, char text[16])
{
    if (g->by_n)
        snprintf(text, 16, "%.6s", strchr(r->input->name, '=') + 1);
    else
        snprintf(text, 16, "%lld", (long long)r->input->param);
    return text;
}

/* Two lines, of which the first is for counters alone. */
struct head {
    struct text over, under;
};

static void head_add(struct head *h, int width, const char *over, const char *name)
{
    text_addf(&h->over, "%*s", width, over);
    text_addf(&h->under, "%*s", width, name);
}

static void head_counters(const struct layout *l, struct head *h)
{
    for (int i = 0; i < l->ncolumns; i++) {
        const struct lab_column *c = &l->report->lab->columns[i];

        head_add(h, l->width, c->over, c->name);
    }
}

static void head_of(const struct layout *l, const struct group *g, struct head *h)
{
    char text[16];

    head_add(h, 4, "", "");
    head_add(h, -l->name, "", "variant");
    head_add(h, 5, "", "");
    if (g->ncases > 1)
        head_add(h, 7, "", sweep_name(g, text));
    head_add(h, 10, "", l->cold ? "hot ms" : "ms");
    if (l->cold)
        head_add(h, 10, "", "cold ms");
    head_add(h, 2, "", "");
    text_add(&h->over, "  ");
    text_add(&h->under, "±%"); /* two bytes, one column: no width */
    if (l->bytes)
        head_add(h, 9, "", "GB/s");
    if (l->flops)
        head_add(h, 9, "", "GFLOP/s");
    if (g->ncases == 1)
        head_add(h, 7, "", "step");
    if (g->ncases == 1 || g->nvariants > 1)
        head_add(h, 7, "", "total");
    if (l->errors) {
        head_add(h, 9, "L1", "norm");
        head_add(h, 9, "great.", "error");
    }
    head_counters(l, h);
}

static void print_head(const struct layout *l, const struct group *g)
{
    struct head h = {{0}, {0}};

    head_of(l, g, &h);
    if (l->ncolumns || l->errors)
        fprintf(l->out, "%s%s%s\n", paint(l, "\033[1m"), h.over.s, paint(l, "\033[0m"));
    fprintf(l->out, "%s%s%s\n", paint(l, "\033[1m"), h.under.s, paint(l, "\033[0m"));
    text_free(&h.over);
    text_free(&h.under);
}

static void print_time(const struct layout *l, const struct spread *s)
{
    if (s->reps)
        fprintf(l->out, "%10.5f", s->median);
    else
        fprintf(l->out, "%10s", "-");
}

static void print_rate(const struct layout *l, double amount, double ms)
{
    char text[16];

    fprintf(l->out, "%9s", amount > 0 && ms > 0 ? short_number(amount / ms / 1e6, text) : "-");
}

static void print_times(const struct layout *l, const struct entry *r)
{
    const struct spread *s = r->time.cold.reps ? &r->time.cold : &r->time.hot;

    print_time(l, &r->time.hot);
    if (l->cold)
        print_time(l, &r->time.cold);
    if (s->reps > 1 && s->median > 0)
        fprintf(l->out, "%4.0f", fmin(100 * (s->hi - s->lo) / 2 / s->median, 999));
    else
        fprintf(l->out, "%4s", "");
    if (l->bytes)
        print_rate(l, r->amounts.bytes, entry_ms(r));
    if (l->flops)
        print_rate(l, r->amounts.flops, entry_ms(r));
}

static void print_factor(const struct layout *l, double factor)
{
    if (factor > 0)
        fprintf(l->out, "%7.2f", factor);
    else
        fprintf(l->out, "%7s", "-");
}

static void print_row(const struct layout *l, const struct group *g, const struct entry *r)
{
    static const char *const words[] = {"skip", "ok", "FAIL"}, *const codes[] = {"\033[33m",
                                                                                 "\033[32m",
                                                                                 "\033[31m"};
    char text[16], err[160];

    fprintf(l->out, "%-4.3s%-*.*s%s%5s%s", r->variant->number ? r->variant->number : "", l->name,
            l->name - 1, r->variant->name, paint(l, codes[r->verdict]), words[r->verdict],
            paint(l, "\033[0m"));
    if (g->ncases > 1)
        fprintf(l->out, "%7s", sweep_value(g, r, text));
    print_times(l, r);
    if (g->ncases == 1)
        print_factor(l, r->step);
    if (g->ncases == 1 || g->nvariants > 1)
        print_factor(l, r->cumulative);
    if (l->errors)
        fprintf(l->out, "%9s", short_number(r->error_l1, text));
    if (l->errors)
        fprintf(l->out, "%9s", short_number(r->error_max, text));
    for (int c = 0; c < l->ncolumns; c++) {
        double x =
            r->counted ? entry_value(r, l->report->lab->columns[c].counter, err, sizeof(err)) : NAN;

        fprintf(l->out, "%*s", l->width, short_number(x, text));
    }
    fputc('\n', l->out);
}

/* ---- groups ---- */

static int results_of_case(const struct report *p, int from)
{
    int n = 1;

    while (from + n < p->n && p->results[from + n].input == p->results[from].input)
        n++;
    return n;
}

static bool same_variants(const struct entry *a, const struct entry *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i].variant != b[i].variant)
            return false;
    }
    return true;
}

/* "stride=1" and "stride=32", "width=3 n=2^24" and "width=63 n=2^24". */
static bool same_word(const char *a, const char *b)
{
    size_t n = strcspn(a, "="), m = strcspn(b, "=");

    return a[n] && n == m && !strncmp(a, b, n);
}

static bool is_sweep(const struct lab *lab, const struct lab_case *a, const struct lab_case *b,
                     bool by_n)
{
    if (a->dtype != b->dtype || a->op != b->op || a->m != b->m || a->k != b->k ||
        !same_word(a->name, b->name))
        return false;
    return by_n ? a->n != b->n && a->param == b->param
                : lab->param_name && a->param != b->param && a->n == b->n &&
                      strncmp(a->name, "n=", 2);
}

static struct group group_at(const struct report *p, int from)
{
    struct group g = {&p->results[from], results_of_case(p, from), 1, false};

    for (int at = from + g.nvariants; at < p->n; at += g.nvariants, g.ncases++) {
        const struct entry *last = &p->results[at - g.nvariants], *next = &p->results[at];

        if (g.ncases == 1)
            g.by_n = g.nvariants == 1 && is_sweep(p->lab, last->input, next->input, true);
        if (results_of_case(p, at) != g.nvariants || !same_variants(last, next, g.nvariants) ||
            !is_sweep(p->lab, last->input, next->input, g.by_n))
            break;
    }
    return g;
}

/* Are the elements of all its kernels of the case's type? */
static bool has_one_type(const struct group *g)
{
    for (int i = 0; i < g->ncases * g->nvariants; i++) {
        if (g->results[i].other_type)
            return false;
    }
    return true;
}

static void print_title(const struct layout *l, const struct group *g)
{
    const struct lab_case *first = g->results[0].input;
    const struct lab_case *last = g->results[(g->ncases - 1) * g->nvariants].input;

    fprintf(l->out, "\n%s%s", paint(l, "\033[1m"), first->name);
    if (g->ncases > 1)
        fprintf(l->out, " … %s", last->name);
    fputs(paint(l, "\033[0m"), l->out);
    if (has_one_type(g))
        fprintf(l->out, " · %s", dtype_name(first->dtype));
    fputc('\n', l->out);
}

/* Of a long sweep in brief: four cases, evenly, with the first and the last. */
static bool is_told(const struct layout *l, const struct group *g, int at)
{
    int last = g->ncases - 1;

    if (!l->report->brief || g->ncases <= BRIEF)
        return true;
    for (int i = 0; i < BRIEF; i++) {
        if (at == i * last / (BRIEF - 1))
            return true;
    }
    return false;
}

static void print_group(const struct layout *l, const struct group *g)
{
    print_title(l, g);
    print_head(l, g);
    for (int v = 0; v < g->nvariants; v++) {
        for (int c = 0; c < g->ncases; c++) {
            if (is_told(l, g, c))
                print_row(l, g, &g->results[c * g->nvariants + v]);
        }
    }
}

static uint64_t blocks_of(const struct entry *r)
{
    return (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
}

bool case_is_larger(const struct lab *lab, const struct lab_case *a, const struct lab_case *b)
{
    const uint64_t of[] = {a->n, a->m, a->k}, than[] = {b->n, b->m, b->k};
    bool larger = false;

    for (int i = 0; i < 3; i++) {
        if (lab->extents && strchr(lab->extents, "nmk"[i]) ? of[i] < than[i] : of[i] != than[i])
            return false;
        larger |= of[i] > than[i];
    }
    return larger && a->dtype == b->dtype && a->op == b->op && a->param == b->param &&
           a->block == b->block;
}

/* The row that the step of a result is to: report_speedups()'s. NULL: none. */
static const struct entry *row_above(const struct report *p, const struct entry *r)
{
    for (const struct entry *e = r; e-- > p->results;) {
        if (e->input == r->input && entry_ms(e) > 0 && same_work(e, r))
            return e;
    }
    return NULL;
}

/* Slower than the row above. */
static bool is_back(const struct entry *r)
{
    return r->step > 0 && r->step < 0.98;
}

static uint64_t threads_of(const struct entry *r)
{
    return blocks_of(r) * r->block[0] * r->block[1] * r->block[2];
}

/* So much slower as the row above has more blocks, or more threads: not slower than that. */
static bool is_so_by_blocks(const struct entry *above, const struct entry *r)
{
    double blocks = (double)blocks_of(above) / (double)blocks_of(r),
           threads = threads_of(r) ? (double)threads_of(above) / (double)threads_of(r) : 0;

    return r->step * (threads > blocks ? threads : blocks) >= 1;
}

/* Its one launch leaves SMs without a block that the row above had one for. */
static bool has_few_blocks(const struct layout *l, const struct entry *r)
{
    const struct entry *above = row_above(l->report, r);

    return above && r->alone && blocks_of(r) && blocks_of(r) < blocks_of(above) &&
           blocks_of(r) < l->report->machine->limits.sms;
}

/* … or is over before a launch is. */
static bool is_brief(const struct entry *r)
{
    return r->alone && !strcmp(r->bound, "launch");
}

static bool is_small(const struct layout *l, const struct entry *r, bool few)
{
    return few ? has_few_blocks(l, r) : is_brief(r);
}

/* Results that have a step in their table, after r; the first from the report's beginning. */
static const struct entry *next_step(const struct report *p, const struct entry *r)
{
    int at = r ? (int)(r - p->results) + 1 : 0;

    for (int i = 0; i < p->n;) {
        struct group g = group_at(p, i);
        int end = i + g.ncases * g.nvariants;

        if (end > at && g.ncases == 1)
            return &p->results[i > at ? i : at];
        i = end;
    }
    return NULL;
}

/* The same kernel's largest shown case beyond r's where it is not so any more: what it says of the
 * step there is so, whatever the reason. NULL: none is shown. */
static const struct entry *shown_beyond(const struct layout *l, const struct entry *r, bool few)
{
    const struct report *p = l->report;
    const struct entry *largest = NULL;

    for (const struct entry *e = next_step(p, NULL); e; e = next_step(p, e)) {
        if (e->variant == r->variant && e->step > 0 && row_above(p, e) &&
            row_above(p, e)->variant == row_above(p, r)->variant &&
            case_is_larger(p->lab, e->input, r->input) && !is_small(l, e, few) &&
            (!largest || case_is_larger(p->lab, e->input, largest->input)))
            largest = e;
    }
    return largest;
}

/* That the size is what makes it slower is told where a larger one shows it: its step in a table,
 * or, where no table has it, that the lab's larger cases give every SM a block; and where it is no
 * slower than so few may be. */
static bool is_too_small(const struct layout *l, const struct entry *r, bool few)
{
    if (!is_back(r) || !row_above(l->report, r) || !is_small(l, r, few) ||
        (few ? !is_so_by_blocks(row_above(l->report, r), r) : has_few_blocks(l, r)))
        return false;
    const struct entry *beyond = shown_beyond(l, r, few);
    return beyond ? beyond->step >= 1 : few && r->filled_by;
}

static void print_too_small(const struct layout *l, bool few)
{
    const struct entry *worst = NULL;
    int n = 0;

    for (const struct entry *r = next_step(l->report, NULL); r; r = next_step(l->report, r)) {
        if (is_too_small(l, r, few))
            worst = worst && worst->step < r->step ? worst : r, n++;
    }
    if (!worst)
        return;
    const struct entry *beyond = shown_beyond(l, worst, few);
    if (few)
        fprintf(l->out, "too small: %s on %s has %llu block%s for %u SMs%s\n", worst->variant->name,
                worst->input->name, (unsigned long long)blocks_of(worst),
                blocks_of(worst) == 1 ? "" : "s", l->report->machine->limits.sms,
                n > 1 ? "; others have too few, too" : "");
    else
        fprintf(l->out, "too small: no part of %s on %s%s takes longer than a launch\n",
                worst->variant->name, worst->input->name, n > 1 ? ", and of others," : "");
    fprintf(l->out, "There a step can look slower than the one before: compare at larger sizes.\n");
    if (beyond)
        fprintf(l->out, "On %s its step is %.2f.\n", beyond->input->name, beyond->step);
    else
        fprintf(l->out, "On %s it has a block for each SM.\n", worst->filled_by->name);
}

/* "step" and "total", where a table has them. */
static void print_factors(const struct layout *l)
{
    bool step = false, total = false;

    for (int i = 0; i < l->report->n;) {
        struct group g = group_at(l->report, i);

        step |= g.ncases == 1;
        total |= g.ncases == 1 || g.nvariants > 1;
        i += g.ncases * g.nvariants;
    }
    const char *among = l->flops ? "have a time, move as many bytes and do as many operations"
                                 : "have a time and move as many bytes";

    if (step)
        fprintf(l->out,
                "step: times faster than the row above; total: than the first row of the same case;"
                "\nboth among rows that %s\n",
                among);
    else if (total)
        fprintf(l->out,
                "total: times faster than the first row of the same case, of those that\n%s\n",
                among);
    if (step) {
        print_too_small(l, true);
        print_too_small(l, false);
    }
}

/* What of a run is not told. */
static void print_part(const struct layout *l)
{
    const struct report *p = l->report;
    bool cases = p->cases_left;

    for (int i = 0; i < p->n;) {
        struct group g = group_at(p, i);

        cases |= p->brief && g.ncases > BRIEF;
        i += g.ncases * g.nvariants;
    }
    if (p->brief && (p->kernels_left || cases))
        fprintf(l->out, "This is a part: %s%s%s; DETAIL=1 tells all.\n",
                p->kernels_left ? "kernels that are right" : "",
                p->kernels_left && cases ? ", on " : "", cases ? "some cases" : "");
}

static void print_legend(const struct layout *l)
{
    const struct lab *lab = l->report->lab;
    bool emulator = l->report->machine->emulator;

    fputc('\n', l->out);
    print_factors(l);
    for (int c = 0; c < l->ncolumns; c++) {
        const char *over = lab->columns[c].over, *of = lab->columns[c].counter;
        int length = (int)strlen(over), broken = length && over[length - 1] == '-'; /* one word */

        if (broken && !strncmp(of, over, (size_t)length - 1) &&
            !strcmp(of + length - 1, lab->columns[c].name))
            continue; /* "occu-", "pancy" says it */
        fprintf(l->out, "%.*s%s%s: %s\n", length - broken, over, broken ? "" : " ",
                lab->columns[c].name, lab->columns[c].counter);
    }
    if (l->errors)
        fprintf(l->out,
                "L1 norm: the sum of all errors in parts of the sum of all that is expected\n"
                "great. error: the greatest of them\n");
    if (l->bytes)
        fprintf(l->out, "GB/s: %s bytes, by the %s\n", lab->bytes_formula,
                l->some_hot && l->cold ? "cold time, or the hot one where there is no cold one"
                : l->cold              ? "cold time"
                : emulator             ? "modelled time"
                                       : "hot time");
    if (l->flops)
        fprintf(l->out, "GFLOP/s: %s operations\n", lab->flops_formula);
    if (emulator)
        fprintf(l->out, "Times are modelled for %s, not measured; counters are counted.\n",
                l->report->machine->device);
    print_part(l);
    for (int i = 0; i < l->report->n; i++) {
        const struct entry *r = &l->report->results[i];

        if (r->warning[0])
            fprintf(l->out, "%swarning%s: %s, %s: %s\n", paint(l, "\033[33m"), paint(l, "\033[0m"),
                    r->variant->name, r->input->name, r->warning);
    }
}

void table_print(FILE *out, const struct report *p)
{
    struct layout l = layout_of(out, p);

    for (int i = 0; i < p->n;) {
        struct group g = group_at(p, i);

        print_group(&l, &g);
        i += g.ncases * g.nvariants;
    }
    if (p->n)
        print_legend(&l);
}
