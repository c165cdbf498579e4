/* reword.c - is a kernel right with one small change to its file (edits.h)? Then that is said, and
 * where: it was tried on all cases that are quick, and watched by the checker. Where a change of
 * another line does as well, none is told: two faults that cancel out look the same.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "diagnosing.h"
#include "edits.h"
#include "lab/dtype.h"
#include "lab/plan.h"
#include "report.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A change may be for ever in a loop; the first case is small. */
enum {
    AS_WELL = 150000, /* bytes (experiment.c) for another change that does */
    BETTER = 2000000, /* … for one that does more than leave something out */
    AT_FIRST = 16,
    LEAST_JOINED = 8,
    JOINED_BYTES = 300000,
    RUNS = 400,
    MOST_ALONE = 8 * MOST, /* elements of the only case that it is wrong on */
    MOST_WIDE = 1 << 20,   /* … where one of smaller blocks stands for it */
    ROUNDS = 4,            /* at most of a narrow grid, where the wide one has one and a little */
    STEPS_OF_WIDE = 1 << 24,
    MANY = 4000, /* elements */
    STEPS_AT_FIRST = 1 << 16,
    MORE_STEPS = 4, /* than the file takes: what it leaves out may be a call in each round */
    FAR = 16,
    SLOW = 1 << 21,
    STEPS_OF_UNKNOWN = 1 << 22, /* it was stopped on its way */
    STEPS_OF_A_LOOP = 1 << 20,
    TOLD_MAX = 1 << 20,
    TRIES = 2000,   /* of one sort */
    INFINITE = 4,   /* cases */
    OF_A_BLOCK = 6, /* cases */
    GOAL_STEPS = 1 << 28
};

void edits_budget(struct search *s, uint64_t steps)
{
    s->x->runs = RUNS;
    s->x->instructions = 64ull << 20;
    s->x->steps = steps;
}

static const struct lab_case *fewest(const struct search *s)
{
    const struct lab_case *best = NULL;

    for (int i = 0; i < s->nfailed; i++) {
        if (!best || elements_of(s, s->failed[i]) < elements_of(s, best))
            best = s->failed[i];
    }
    return best;
}

/* The fewest elements of those that were wrong, or of what was made of them where that is too many,
 * or many times as many. */
static const struct lab_case *quickest(const struct search *s)
{
    const struct lab_case *best = fewest(s);
    uint64_t n, least = s->smallest.name ? elements_of(s, &s->smallest) : UINT64_MAX;

    if (s->narrow.name)
        return &s->narrow;
    n = best ? elements_of(s, best) : 0;
    return (n > MOST && s->smallest.name) || (n > MANY && n / 4 > least) ? &s->smallest : best;
}

/* Where a grid of so many blocks takes all of what is quick at once, one whose blocks are of a warp
 * takes less: as many rounds are needed of fewer elements. */
static void find_narrow(struct search *s)
{
    const struct lab_variant *v = s->x->variant;
    const struct lab_case *c = quickest(s), *wide = fewest(s);
    const char *extents = s->x->verify->lab->extents;
    const uint32_t is = s->x->record.block_x, least = v->min.block_x > 32 ? v->min.block_x : 32;
    struct experiment before = *s->x;

    if (!c || elements_of(s, c) <= MOST_ALONE || elements_of(s, wide) > MOST_WIDE || wide->block ||
        !v->has_record || is <= least || !extents || !*extents)
        return;
    for (uint32_t times = 1; times <= ROUNDS && !s->narrow.name; times *= 2) {
        struct lab_case less = *wide;

        less.block = least;
        set_extent(&less, *extents, extent_of(wide, *extents) * least / is * times);
        edits_budget(s, STEPS);
        if (elements_of(s, &less) <= MOST_ALONE && fails(s, &less))
            s->narrow = less;
    }
    s->wide = wide;
    s->x->runs = before.runs;
    s->x->instructions = before.instructions;
    s->x->steps = before.steps;
}

/* What is tried on a narrow case is right on the one that it stands for, too. */
static bool right_on_wide(struct search *s)
{
    edits_budget(s, STEPS_OF_WIDE);
    return !s->narrow.name || passes(s, s->wide);
}

/* Where it touches memory. */
static void find_alive(struct search *s, const struct lab_case *c, struct alive *was)
{
    struct sample sample;

    edits_budget(s, STEPS);
    s->x->lines = true;
    experiment_run(s->x, c, s->x->verify->seed, false, &sample);
    s->x->lines = false;
    alive_add(was, s, &sample);
    sample_free(&sample);
}

/* How many steps a change may take. What the kernel takes as it is is more than the instructions it
 * executes, as moves and parameters are steps, too, of which quickly compiled code is full. */
static uint64_t steps_for(struct search *s, const struct lab_case *c)
{
    enum run_end end = RUN_ENDLESS;
    uint64_t steps = STEPS_AT_FIRST;

    while (end == RUN_ENDLESS && steps < STEPS) {
        struct sample sample;

        steps *= 2;
        edits_budget(s, steps);
        end = experiment_run(s->x, c, s->x->verify->seed, false, &sample);
        bool unknown = end == RUN_ERROR && sample.outputs.error != cudaErrorLaunchTimeout;
        sample_free(&sample);
        if (unknown)
            return STEPS_OF_UNKNOWN;
    }
    return end == RUN_ENDLESS ? STEPS_OF_A_LOOP : MORE_STEPS * steps;
}

static uint32_t threads_of(const struct launch_record *r)
{
    return r->block_x * (r->block_y ? r->block_y : 1);
}

/* "&& n % 4 == 0": of what else there is a way for. */
static bool adds_rows(const struct edit *e)
{
    return !e->length && strstr(e->with, " % ");
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool in_brackets(const char *text, size_t at)
{
    while (at > 0 && !strchr("[];{}\n", text[at - 1]))
        at--;
    return at && text[at - 1] == '[';
}

static bool in_define(const char *text, size_t at)
{
    at = edits_line_begin(text, at);
    return !strncmp(text + at, "#define ", strlen("#define "));
}

/* "#define N 255", where N is in brackets alone, as the sizes of arrays are, or in what others are
 * defined as. */
static bool is_size_by_name(const struct edits *e, int i)
{
    size_t at = e->v[i].at;
    bool sizes = false;

    if (!in_define(e->text, at))
        return false;
    const char *name = e->text + edits_line_begin(e->text, at) + strlen("#define ");
    size_t n = strspn(name, LETTERS);
    for (const char *p = name + n; n && *p; p += strspn(p, LETTERS), p += *p && !in_name(*p)) {
        if (strncmp(p, name, n) != 0 || in_name(p[n]) || in_name(p[-1]))
            continue;
        if (in_define(e->text, (size_t)(p - e->text)))
            continue;
        if (!in_brackets(e->text, (size_t)(p - e->text)))
            return false;
        sizes = true;
    }
    return sizes;
}

/* In the size of a shared array, where an index may be what is wrong. */
static bool is_array_size(const struct edits *e, int i)
{
    size_t at = e->v[i].at;

    if (!in_brackets(e->text, at))
        return is_size_by_name(e, i);
    while (at > 0 && !strchr(";{}", e->text[at - 1]))
        at--;
    at += strspn(e->text + at, " \n");
    return !strncmp(e->text + at, "__shared__", strlen("__shared__"));
}

/* The number that stands at p, or that p is inside of. */
static unsigned long number_at(const char *text, const char *p)
{
    while (p > text && in_name(p[-1]))
        p--;
    return isdigit((unsigned char)*p) ? strtoul(p, NULL, 0) : 0;
}

/* Does the number stand elsewhere in the function that is changed at this place? */
static bool has_number(const char *text, size_t at, unsigned long number)
{
    size_t from = at;
    while (from && strncmp(text + from - 1, "\n}", 2) != 0)
        from--;
    const char *end = strstr(text + at, "\n}");
    for (const char *p = text + from; *p && p != end; p++)
        if (isdigit((unsigned char)*p) && (p == text || !in_name(p[-1])) &&
            strtoul(p, NULL, 0) == number)
            return true;
    return false;
}

/* "% 33" for "% 32", or "& 4" for "& 3": a number that is no power of two, or no such less 1, for
 * one that is, where lanes and what is left over are told by it; "/ 8" for "/ 4", where the
 * function has no 8 otherwise. It may do by chance. */
static bool is_rough(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    size_t from = edits_line_begin(e->text, x->at), at = 0;
    bool rough = false;

    char *was = xformat("%.*s", (int)strcspn(e->text + from, "\n"), e->text + from),
         *is = xformat("%.*s%s", (int)(x->at - from), e->text + from, x->with);
    while (was[at] && was[at] == is[at])
        at++;
    const char *sign = was + at;
    while (sign > was && (in_name(sign[-1]) || sign[-1] == ' '))
        sign--;
    unsigned long a = number_at(was, was + at), b = number_at(is, is + at);
    if (a && b && x->length && sign > was && sign[-1] == '%')
        rough = !(a & (a - 1)) && (b & (b - 1));
    else if (a && b && x->length && sign > was && sign[-1] == '&')
        rough = !(a & (a + 1)) && (b & (b + 1));
    else if (a && b && x->length && sign > was && sign[-1] == '/')
        rough = !has_number(e->text, x->at, b);
    free(was);
    free(is);
    return rough;
}

/* "n + 1 / 128" for "n / 128": what is put in is 1 / 128 of whole numbers, and that is 0. */
static bool adds_nothing(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    const char *behind = e->text + x->at + x->length, *last = x->with + strlen(x->with);

    while (last > x->with && isdigit((unsigned char)last[-1]))
        last--;
    behind += strspn(behind, " ");
    bool adds = last - x->with > 3 && last[-1] == ' ' && strchr("+-", last[-2]) && isdigit(*last);
    return adds && !strncmp(behind, "/ ", 2) &&
           strtoul(last, NULL, 10) < strtoul(behind + 2, NULL, 10);
}

/* "warps * warps / 2" for "warps / 2": a count times itself, where the file has no such product. */
static bool is_squared(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    const char *behind = e->text + x->at + x->length;
    char *text = xformat("%s%.*s", x->with, (int)strcspn(behind, "\n"), behind);
    bool is = false;

    for (const char *p = text; (p = strstr(p, " * ")) && p < text + strlen(x->with); p += 3) {
        const char *name = p;
        while (name > text && in_name(name[-1]))
            name--;
        size_t n = (size_t)(p - name);
        if (!n || isdigit((unsigned char)*name) || strncmp(name, p + 3, n) || in_name(p[3 + n]))
            continue;
        char *product = xformat("%.*s", (int)(2 * n + 3), name);
        is |= !strncmp(p + 3 + n, " / ", 3) && !strstr(e->text, product);
        free(product);
    }
    free(text);
    return is;
}

/* … and "(i) % n" for i, which may only send back what went too far before. */
static bool is_poor(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];

    return adds_rows(x) || is_array_size(e, i) ||
           (x->length && strstr(x->with, ") % ") && !memchr(e->text + x->at, '%', x->length));
}

/* … of a name alone: another's work is done again, where there may be none. */
static bool is_again(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    bool name = x->length;

    for (size_t k = 0; k < x->length; k++)
        name &= isalnum((unsigned char)e->text[x->at + k]) || e->text[x->at + k] == '_';
    return name && strstr(x->with, ") % ");
}

/* Is it right, too, where the condition that was changed never holds? Then it is what it guards
 * that is wrong, and the change one way of many to leave that out. The number of cases. */
static int never_holds(struct search *s, const struct edits *e, int i, const struct others *o,
                       bool *once)
{
    size_t length = 0, at = edits_condition(e->text, e->v[i].at, &length);
    struct edit never = {.at = at, .length = length, .with = (char[]){"0"}};
    struct edits one = {.text = e->text, .v = &never, .n = 1};

    if (!at || e->v[i].at + e->v[i].length > at + length || adds_rows(&e->v[i]))
        return 0;
    char *text = edits_apply(&one, 0);
    edits_budget(s, STEPS);
    const struct lab_case *first = quickest(s);
    int cases = experiment_replace(s->x, text, false, NULL) && passes(s, first) &&
                        on_large(s, first) != WRONG_ON_LARGE && right_on_wide(s)
                    ? right_on(s, first, STEPS)
                    : 0;
    *once = cases && works_once(s, o, first, true);
    free(text);
    return cases;
}

/* once: and no more is done than should be. */
static void tell_never(struct search *s, const struct edits *e, int i, int cases, bool once)
{
    size_t length = 0, at = edits_condition(e->text, e->v[i].at, &length);
    char *was = one_line(e->text + at, length);

    tell_change(s, "function",
                once ? "%s:%d: if \"%s\" never holds, and what hangs on it is not done, it is "
                       "right on all %d inputs that were tried"
                     : "%s:%d: what is wrong hangs on \"%s\": if that never holds, the results "
                       "are right on all %d inputs that were tried, but too much is done",
                s->path, edits_line(e, i), was, cases);
    free(was);
}

void tell_edit(struct search *s, const struct edits *e, int i, int other, int cases)
{
    char *a = edits_words(e, i), *b = other < 0 ? NULL : edits_words(e, other);
    size_t n = b ? strlen(b) : 0;

    n -= n && b[n - 1] == ','; /* nothing follows */
    if (b)
        tell_change(s, "function",
                    "%s:%d: %s it is right on all %d inputs that were tried; or, instead, on line "
                    "%d: %.*s",
                    s->path, edits_line(e, i), a, cases, edits_line(e, other), (int)n, b);
    else
        tell_change(s, "function", "%s:%d: %s it is right on all %d inputs that were tried",
                    s->path, edits_line(e, i), a, cases);
    free(a);
    free(b);
}

static void tell_digits(struct search *s, const struct edits *e, int i, int cases)
{
    tell_change(s, "type",
                "%s:%d: with more digits than a float has it is right on all %d inputs that were "
                "tried, but more digits are rounded, too: can whole numbers do it?",
                s->path, edits_line(e, i), cases);
}

/* But for what the hardware reads later from registers, and must stay in them; and for who waits in
 * a loop, who is compared with what it was a round ago, all of its registers. */
bool edits_replace(struct search *s, const char *text, char **log)
{
    bool quick = !strstr(text, "wgmma_") && !strstr(text, "mbarrier_wait(");

    return experiment_replace(s->x, text, quick, log);
}

static bool replace_quickly(struct search *s, const char *text)
{
    return edits_replace(s, text, NULL);
}

static uint64_t hash_of(const struct sample *sample)
{
    uint64_t hash = sample->end;

    for (int b = 0; b < sample->plan.nbuffers; b++) {
        const unsigned char *bytes = sample->outputs.data[b];
        size_t n = bytes ? plan_buffer_bytes(&sample->plan, b) : 0;

        for (size_t i = 0; i < n; i++)
            hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash;
}

/* With a constant of the record, too: blocks are of whole warps, as the file's own were, and a
 * thread has a multiple or a part of what it had, and nothing that was lucky in the sizes tried. */
static bool is_launched_alike(const struct experiment *x)
{
    const struct launch_record *is = &x->record, *was = &x->own;
    uint32_t less = is->items < was->items ? is->items : was->items,
             more = is->items < was->items ? was->items : is->items;

    return (threads_of(is) % 32 == 0 || threads_of(was) % 32 != 0) && (!less || more % less == 0);
}

/* hash: of what comes of it; NULL: it is not asked for. */
static enum run_end end_on(struct search *s, const char *text, const struct lab_case *c,
                           uint64_t steps, uint64_t *hash)
{
    struct sample sample;

    edits_budget(s, steps);
    if (!replace_quickly(s, text) || !is_launched_alike(s->x))
        return RUN_NO_KERNEL;
    enum run_end end = experiment_run(s->x, c, s->x->verify->seed, false, &sample);
    if (hash)
        *hash = hash_of(&sample);
    sample_free(&sample);
    return end;
}

/* Does the same come of the text? */
static bool is_as_before(struct search *s, const char *text, const struct lab_case *c,
                         uint64_t steps, enum run_end was, uint64_t hash)
{
    uint64_t is = 0;

    return end_on(s, text, c, steps, &is) == was && is == hash;
}

/* NAME(...), with nothing before or behind it on its line: a macro makes kernels, of other types it
 * may be. */
static bool is_macro_line(const char *line, size_t n)
{
    size_t name = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    return name && name < n && line[name] == '(' && line[n - 1] == ')';
}

static bool is_unroll(const char *line, size_t n)
{
    size_t skip = strspn(line, " \t");

    return skip < n && !strncmp(line + skip, "#pragma unroll", strlen("#pragma unroll"));
}

/* Blanks for those of the text's lines that are asked for. For free(). */
static char *without_lines(const char *text, bool (*is)(const char *line, size_t n))
{
    char *less = xstrdup(text);

    for (char *p = less; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t n = strcspn(p, "\n");

        if (is(p, n))
            memset(p, ' ', n);
    }
    return less;
}

/* Of a macro of several lines, one that opens no brace that it does not close: a kernel it may be,
 * or what is done for one size of many. */
static bool is_part_of_macro(const char *text, const char *line, size_t n)
{
    int depth = 0;

    if (line < text + 2 || line[-2] != '\\' || n < 2)
        return false;
    for (size_t i = 0; i < n && depth >= 0; i++)
        depth += (line[i] == '{') - (line[i] == '}');
    return !depth && memchr(line, ';', n);
}

/* What of the text the first case needs; and loops as they are, as one that a change makes longer
 * may be unrolled for ever. For free(). */
static char *least_text(struct search *s, const struct edits *e, const struct lab_case *first,
                        uint64_t steps)
{
    char *text = without_lines(e->text, is_unroll);
    uint64_t hash = 0;
    enum run_end was = end_on(s, e->text, first, steps, &hash);

    if (!is_as_before(s, text, first, steps, was, hash))
        strcpy(text, e->text);
    for (char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t n = strcspn(p, "\n");

        if (!is_macro_line(p, n) && !is_part_of_macro(text, p, n))
            continue;
        char *line = xformat("%.*s", (int)n, p);
        memset(p, ' ', n - (line[n - 1] == '\\'));
        if (!is_as_before(s, text, first, steps, was, hash))
            memcpy(p, line, n);
        free(line);
    }
    return text;
}

/* "break" where it was not, but between the cases of a switch; or "return" where a round was left:
 * a loop's later rounds are left out, which none of the small cases may have. */
static bool leaves_loop(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    char *was = xformat("%.*s", (int)x->length, e->text + x->at);
    bool leaves = (strstr(x->with, "break;") && !strstr(was, "break;") &&
                   (x->length || strncmp(e->text + x->at, "default", strlen("default")) != 0) &&
                   (x->length || strncmp(e->text + x->at, "case", strlen("case")) != 0)) ||
                  !strcmp(x->with, "break") || !strcmp(x->with, "return");

    free(was);
    return leaves;
}

/* "<" for "<=", or the other way: what it leaves out is one alone. */
static bool is_by_one(const struct edits *e, int i)
{
    const char *was = e->text + e->v[i].at, *is = e->v[i].with;
    size_t n = e->v[i].length, to = strlen(is), at = 0;

    while (at < n && at < to && was[at] == is[at])
        at++;
    const char *more = n > to ? was : is, *less = n > to ? is : was;
    return (n == to + 1 || to == n + 1) && at && strchr("<>", more[at - 1]) && more[at] == '=' &&
           !strncmp(more + at + 1, less + at, (n > to ? to : n) - at);
}

/* What begins there is a number, or a name that is one: in capitals, or of an enum or a constexpr.
 */
static bool is_fixed(const char *text, const char *name)
{
    size_t n = 0, small = 0;

    for (; in_name(name[n]); n++)
        small += islower((unsigned char)name[n]) != 0;
    if (isdigit((unsigned char)*name) || (n > 1 && !small))
        return true;
    for (const char *p = text; n && (p = strchr(p, name[0])); p++) {
        const char *line = p, *behind = p + n + strspn(p + n, " ");

        if (strncmp(p, name, n) != 0 || in_name(p[n]) || (p > text && in_name(p[-1])) ||
            *behind != '=' || behind[1] == '=')
            continue;
        while (line > text && !strchr(";{}\n", line[-1]))
            line--;
        if (line > text && line[-1] == '{') /* enum { */
            line -= line - text < 6 ? line - text : 6;
        for (const char *w = line; w < p; w++) {
            if (!strncmp(w, "constexpr", 9) || !strncmp(w, "enum", 4))
                return true;
        }
    }
    return false;
}

/* … and it is a number that is compared with, or a constant: of which the small sizes say nothing
 * that are less. */
static bool is_of_number(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    const char *from = e->text + x->at, *op = from + strcspn(from, "<>");
    const char *behind = op + strspn(op, "<>= "), *before = op;

    while (before > e->text && before[-1] == ' ')
        before--;
    while (before > e->text && in_name(before[-1]))
        before--;
    return is_by_one(e, i) && (is_fixed(e->text, behind) || is_fixed(e->text, before));
}

/* "double" where it was not. */
static bool is_more_exact(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    char *was = xformat("%.*s", (int)x->length, e->text + x->at);
    bool more = strstr(x->with, "double") && !strstr(was, "double");

    free(was);
    return more;
}

/* Outputs of whole numbers alone. */
static bool makes_whole(const struct search *s, const struct lab_case *c)
{
    struct sample sample;
    bool whole = experiment_plan(s->x, c, &sample);

    for (int b = 0; b < sample.plan.nbuffers && whole; b++)
        whole = sample.plan.buffers[b].role == BUF_INPUT ||
                !dtype_is_float(sample.plan.buffers[b].dtype);
    return whole;
}

/* More digits are seldom wrong, and need not be right: not where whole numbers are to be made. */
static bool is_digits(const struct search *s, const struct edits *e, int i,
                      const struct lab_case *first)
{
    return is_more_exact(e, i) && makes_whole(s, first);
}

/* "x / 64" for "x * 64", of an x below 64: a plain 0 does as well, and nobody meant that. missed:
 * the step's goals, with the change; with a 0 that misses others it is another step. */
static bool is_zero(struct search *s, const struct edits *e, int i, const struct lab_case *first,
                    uint64_t missed)
{
    char *text = edits_as_zero(e, i);
    bool zero = false;
    struct arithmetic does;

    if (text) {
        edits_budget(s, STEPS);
        zero = experiment_replace(s->x, text, false, NULL) && passes(s, first) &&
               on_large(s, first) != WRONG_ON_LARGE && right_on(s, first, STEPS) &&
               !(missed_goals(s, &does) & ~missed);
    }
    free(text);
    return zero;
}

/* The lab asks for sums of products that have infinite factors, too. */
static bool asks_infinite(const struct search *s)
{
    const struct lab *lab = s->x->verify->lab;
    bool asks = false;

    for (int i = 0; i < lab->ncases && !asks; i++)
        asks = lab->cases[i].flags & CASE_SPECIAL && is_of_products(s, &lab->cases[i]);
    return asks;
}

/* Of a sum of products: with an infinite factor it is no number where it should be one or infinite.
 * What is there past an edge, or from a round before, is taken by 0, and 0 of it is not. */
static bool multiplies_more(struct search *s)
{
    int tried = asks_infinite(s) ? 0 : INFINITE;
    bool more = false;

    for (int i = 0; i < s->nfailed && tried < INFINITE && !more; i++) {
        const struct lab_case *c = s->failed[i];

        if (elements_of(s, c) > MOST || !is_of_products(s, c))
            continue;
        tried++;
        for (int b = 0; b < LAB_MAX_BUFFERS && !more; b++) {
            struct sample sample;

            if (!experiment_plan(s->x, c, &sample) || b >= sample.plan.nbuffers ||
                sample.plan.buffers[b].role != BUF_INPUT)
                continue;
            sample_free(&sample);
            edits_budget(s, STEPS);
            s->x->infinite = b + 1;
            experiment_run(s->x, c, s->x->verify->seed, false, &sample);
            s->x->infinite = 0;
            for (int k = 0; k < sample.result.noutputs && !more; k++) {
                const struct comparison *is = &sample.result.outputs[k].comparison;

                more = is->nshown && isnan(is->shown[0].got) && !isnan(is->shown[0].expected);
            }
            sample_free(&sample);
        }
    }
    return more;
}

/* Other results in blocks that the handout tells to try: it is by luck that it is right in its own.
 * What does not fit there is told as such elsewhere. */
static bool is_luck(struct search *s)
{
    const uint32_t own = s->x->record.block_x, *blocks = s->x->verify->lab->blocks;
    bool luck = false;

    for (int b = 0; b < 4 && blocks[b] && !luck; b++) {
        int tried = 0;

        s->x->record.block_x = blocks[b];
        for (int i = s->nfailed - 1; i >= 0 && tried < OF_A_BLOCK && !luck; i--) {
            if (blocks[b] == own || elements_of(s, s->failed[i]) > MOST)
                continue;
            edits_budget(s, STEPS);
            luck = how_it_ends(s, s->failed[i]) == RUN_WRONG;
            tried++;
        }
    }
    s->x->record.block_x = own;
    return luck;
}

/* How many cases it is right on; 0: not to be told. *poor: it does not do what the step is for, as
 * the file did not, or leaves others wrong that are made of the same kernels. */
static int with_edit(struct search *s, const struct edits *e, int i, const char *least,
                     const struct lab_case *first, uint64_t steps, const struct alive *was,
                     struct others *others, bool *poor)
{
    char *part = edits_apply_to(least, e, i), *text = edits_apply(e, i);
    bool right = end_on(s, part, first, steps, NULL) == RUN_OK;
    enum on_large on = right ? on_large(s, first) : NONE_LARGE; /* before all of it is compiled */
    right &= on == RIGHT_ON_LARGE || (on == NONE_LARGE && !leaves_loop(e, i));
    enum on_large twice = right ? on_twice(s, first) : NONE_LARGE;
    right &= is_of_number(e, i) ? twice == RIGHT_ON_LARGE : twice != WRONG_ON_LARGE;
    right = right && experiment_replace(s->x, text, false, NULL) && is_launched_alike(s->x) &&
            right_on_wide(s);
    int cases = right ? right_on(s, first, STEPS) : 0;

    bool any_grid = strstr(text, "gridDim"); /* it goes on where the grid ends */
    free(part);
    free(text);
    if (!cases || !serves_others(s, e, i, first, others) || !keeps_alive(s, e, i, was) ||
        !works_once(s, others, first, false) || multiplies_more(s) ||
        (!edits_launched(e, i, NULL) && is_luck(s)))
        return 0;
    /* What is put in takes nothing away. */
    struct arithmetic does = {0};
    uint64_t missed = e->v[i].length ? missed_goals(s, &does) : 0;
    if (adds_arithmetic(&others->arithmetic, &does))
        return 0;
    *poor = missed != 0 || !mends_others(s, others) || s->x->record.items != s->x->own.items;
    edits_budget(s, STEPS);
    /* Some blocks do all: what others were for, the change takes from them. */
    bool idle = !any_grid && most_items(s) != s->x->record.items;
    if (idle || missed & ~others->missed || is_zero(s, e, i, first, missed))
        return 0;
    return cases;
}

/* What the student has read: the handout, and the comments of the skeleton and of the file. */
static char *told_text(const struct search *s)
{
    const char *lab = s->x->verify->lab->name, *root = course_root();
    char *handout = xformat("%s/labs/%s/README.md", root, lab),
         *skeleton = xformat("%s/labs/%s/%s.cu", root, lab, lab);
    struct text why = {0};
    size_t size;
    char *read = file_load(handout, TOLD_MAX, &size, &why);
    char *code = file_load(skeleton, TOLD_MAX, &size, &why);
    char *comments = edits_comments(code ? code : ""), *own = edits_comments(s->x->source);
    char *all = xformat("%s\n%s\n%s", read ? read : "", comments, own);

    free(handout);
    free(skeleton);
    free(read);
    free(code);
    free(comments);
    free(own);
    text_free(&why);
    return all;
}

/* What it does without: other functions, and headers of the toolkit, of which reading some takes
 * longer than all the rest. */
void edits_make_lean(struct search *s, struct edits *e)
{
    char *lacks = NULL;

    if (e->lean && replace_quickly(s, e->lean) &&
        !(lacks = module_lacks(s->x->verify->module, s->x->variant))) {
        char *whole = e->text;

        e->text = e->lean;
        e->lean = whole;
    }
    free(lacks);
    for (char *p = e->text; (p = strstr(p, "#include <")); p++) {
        size_t n = strcspn(p, "\n");
        char *line = xformat("%.*s", (int)n, p);

        memset(p, ' ', n);
        if (!replace_quickly(s, e->text))
            memcpy(p, line, n);
        free(line);
    }
}

/* What was told, for other variants. Of a condition that may as well never hold: that it does not.
 */
static void remember(struct search *s, const struct edits *e, int i, bool never)
{
    struct tries *t = s->x->edits;

    free(t->with);
    t->of = s->x->variant->name;
    t->cause = s->d->cause;
    t->at = e->v[i].at;
    t->length = e->v[i].length;
    if (never)
        t->at = edits_condition(e->text, e->v[i].at, &t->length);
    t->with = xstrdup(never ? "0" : e->v[i].with);
}

/* So many are tried at once: first the likeliest alone, then as many as do not make the text, whose
 * loops may be unrolled with all of them, too large. */
static int next_window(int n, uint64_t bytes)
{
    if (bytes > JOINED_BYTES)
        return n > 2 * LEAST_JOINED ? n / 2 : LEAST_JOINED;
    return 4 * n < EDITS_JOINED ? 4 * n : EDITS_JOINED;
}

/* What is found on the way: a change, another of another line that does as well, and one that does
 * because a condition may as well never hold, which is told where nothing else is found. -1: none.
 */
struct finds {
    int found, other, never;
    int cases, never_cases;
    bool never_once; /* … and no more is done then than should be */
    bool poor;       /* what was found leaves something out, or is not what the step is for */
    uint64_t enough; /* spent, it is no longer looked for another */
    char *given;     /* the lab's file, and its solution's */
};

static bool is_same_line(const struct edits *e, int i, int k)
{
    return k >= 0 && edits_line(e, i) == edits_line(e, k);
}

/* Is each name and number of one in the other? */
static bool has_words(const char *of, size_t length, const char *in, size_t size)
{
    bool all = true;

    for (size_t i = 0; i < length && all; i++) {
        size_t n = 0;

        while (i + n < length && in_name(of[i + n]))
            n++;
        all = !n;
        for (size_t k = 0; k + n <= size && !all; k++)
            all = !strncmp(of + i, in + k, n) && (!k || !in_name(in[k - 1])) &&
                  (k + n == size || !in_name(in[k + n]));
        i += n;
    }
    return all;
}

/* "i + 3 < n" for "i < n - 3": the same is asked in another way; "n < i" for "i < n" is not. */
static bool is_slight(const struct edits *e, int i)
{
    const char *was = e->text + e->v[i].at, *is = e->v[i].with;
    size_t n = e->v[i].length, to = strlen(is);

    return is_by_one(e, i) || (strpbrk(is, "<>=") && strpbrk(is, "+-*/%") &&
                               has_words(was, n, is, to) && has_words(is, to, was, n));
}

/* "<" for "<=" first: it is likelier than a guard put in, which would do as well. */
static void slight_first(struct edits *e)
{
    struct edit *v = xcalloc((size_t)e->n + 1, sizeof(*v));
    int n = 0;

    for (int by_one = 1; by_one >= 0; by_one--) {
        for (int i = 0; i < e->n; i++) {
            if (is_by_one(e, i) == by_one)
                v[n++] = e->v[i];
        }
    }
    free(e->v);
    e->v = v;
}

/* "a / b" on its line, and no " / b" any more. */
static bool takes_division(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    size_t n = strlen(x->with);
    const char *rest = e->text + x->at + n;

    return n && n < x->length && !strncmp(e->text + x->at, x->with, n) &&
           !strncmp(rest, " / ", 3) && in_name(rest[3]) &&
           strspn(rest + 3, LETTERS) == x->length - n - 3;
}

/* "a / b * b" comes of it, where there was none. */
static bool undoes_division(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    size_t line = edits_line_begin(e->text, x->at);
    bool so = false;

    char *is = xformat("%.*s%s%.1s", (int)(x->at - line), e->text + line, x->with,
                       e->text + x->at + x->length);
    for (const char *p = is; (p = strstr(p, " / ")); p++) {
        size_t n = strspn(p + 3, LETTERS);
        const char *times = p + 3 + n;

        so |= n && !strncmp(times, " * ", 3) && !strncmp(times + 3, p + 3, n) &&
              !in_name(times[3 + n]);
    }
    free(is);
    return so;
}

/* What is not to be divided is not divided and multiplied again: the simpler first. */
static void undivided_first(struct edits *e)
{
    for (int i = 0; i < e->n; i++) {
        bool undoes = undoes_division(e, i);

        for (int k = i + 1; k < e->n && undoes; k++) {
            if (!takes_division(e, k) || edits_line(e, k) != edits_line(e, i))
                continue;
            struct edit simple = e->v[k];

            memmove(&e->v[i + 1], &e->v[i], (size_t)(k - i) * sizeof(simple));
            e->v[i] = simple;
            break;
        }
    }
}

/* In the condition that may never hold: it is in vain. */
static bool is_in_vain(const struct edits *e, int i, int never)
{
    size_t lengths[2], at = edits_condition(e->text, e->v[i].at, &lengths[0]);

    return never >= 0 && at && at == edits_condition(e->text, e->v[never].at, &lengths[1]) &&
           !adds_rows(&e->v[i]) && !is_slight(e, i);
}

enum { BEFORE = 2 /* words */ };

/* Does what it comes to, with what is before it, stand elsewhere in the file? Then it is likelier
 * than another that does as well. */
static bool is_known(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    size_t from = x->at;

    for (int words = 0; x->length && words < BEFORE && from; words++) {
        while (from && strchr(" \n(", e->text[from - 1]))
            from--;
        if (from && !isalnum((unsigned char)e->text[from - 1]))
            from--;
        while (from && (isalnum((unsigned char)e->text[from - 1]) || e->text[from - 1] == '_'))
            from--;
    }
    char *form = xformat("%.*s%s", (int)(x->at - from), e->text + from, x->with),
         *end = strchr(form, '\n');
    if (end)
        *end = '\0';
    const char *first = strstr(e->text, form);
    free(form);
    return x->length && first;
}

static bool is_same_place(const struct edits *e, int i, int k)
{
    return k >= 0 && e->v[i].at == e->v[k].at && e->v[i].length == e->v[k].length;
}

/* How often the name that a change has where another has another one, with what is before it,
 * stands in the text: constants that are equal are not the same. */
static int times_known(const struct edits *e, int i, int other)
{
    const char *a = e->v[i].with, *b = e->v[other].with, *from = a;
    int times = 0;

    while (*a && *a == *b)
        a++, b++;
    while (a > from && in_name(a[-1]))
        a--;
    size_t n = 0, before = 0;
    while (in_name(a[n]))
        n++;
    if (isdigit((unsigned char)*a))
        return 0;
    while (a - before > from && before < 2 && !in_name(a[-1 - (int)before]))
        before++;
    char *form = xformat("%.*s", (int)(n + before), a - before);
    for (const char *p = e->text; n && (p = strstr(p, form)); p += n)
        times += !in_name(p[n + before]);
    free(form);
    return times;
}

/* "name + 1" or "name - 1" for the name, which may take back what is wrong before it. */
static bool is_offset(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    const char *more = x->with + x->length;

    return x->length && strlen(x->with) == x->length + strlen(" + 1") &&
           !strncmp(e->text + x->at, x->with, x->length) &&
           (!strcmp(more, " + 1") || !strcmp(more, " - 1"));
}

static bool is_number(const struct edits *e, int i)
{
    return e->v[i].length && isdigit((unsigned char)e->text[e->v[i].at]) &&
           isdigit((unsigned char)e->v[i].with[0]);
}

static bool is_everywhere(const struct edits *e, int i)
{
    return e->v[i].told && strstr(e->v[i].told, "in the rest of the function");
}

/* "without this …": no other way to leave it out is likelier. */
static bool is_without(const struct edits *e, int i)
{
    const char *told = e->v[i].told ? e->v[i].told : "";

    return !strncmp(told, "without this \"if", 16) || !strncmp(told, "without this loop", 17) ||
           !strncmp(told, "without the loop", 16);
}

static bool is_likelier(const struct edits *e, int i, int than, const char *given)
{
    return (is_without(e, i) && !is_without(e, than)) || (is_known(e, i) && !is_known(e, than)) ||
           (is_number(e, i) && is_offset(e, than)) ||
           (is_own_amount(e, than, given) && !is_own_amount(e, i, given)) ||
           (is_everywhere(e, than) && !is_everywhere(e, i));
}

/* Another place is likelier, if it does. */
static bool is_doubtful(const struct edits *e, int i, const char *given)
{
    return is_offset(e, i) || is_everywhere(e, i) || is_own_amount(e, i, given);
}

static void take_find(struct search *s, const struct edits *e, int i, int cases, bool poor,
                      const struct others *o, struct finds *f)
{
    bool first = f->found < 0, better = f->poor && !poor, once = true;
    int never = first && f->never < 0 && !is_slight(e, i) ? never_holds(s, e, i, o, &once) : 0;

    if (never) {
        f->never = i;
        f->never_cases = never;
        f->never_once = once;
    } else if (is_same_place(e, i, f->found) && !better) {
        if (times_known(e, i, f->found) > times_known(e, f->found, i))
            f->found = i;
    } else if (first || better || (poor == f->poor && is_likelier(e, i, f->found, f->given))) {
        f->found = i;
        f->cases = cases;
        f->poor = poor;
    } else if (poor == f->poor && !is_likelier(e, f->found, i, f->given) &&
               !is_same_line(e, i, f->found) && (e->v[i].length || !is_by_one(e, f->found))) {
        f->other = i;
    }
    if (first || better)
        f->enough = s->x->edits->spent +
                    (never || f->poor || is_doubtful(e, f->found, f->given) ? BETTER : AS_WELL);
}

/* "#define NAME 33" before `end`: the name, whose length is *length; NULL: there is none. */
static const char *defined_as(const char *text, const char *end, const char *number, size_t *length)
{
    static const char define[] = "#define ";
    size_t digits = strlen(number);

    for (const char *at = text; (at = strstr(at, define)) && at < end; at++) {
        const char *name = at + strlen(define);

        *length = strcspn(name, " (\n");
        const char *value = name + *length + strspn(name + *length, " "), *behind = value + digits;
        if (!strncmp(value, number, digits) && strchr("\n/", behind[strspn(behind, " ")]))
            return name;
    }
    return NULL;
}

/* Does it stand anywhere but where constants are defined, and records? */
static bool is_used(const char *text, const char *name, size_t length)
{
    for (const char *p = text; (p = strchr(p, *name)); p++) {
        const char *line = text + edits_line_begin(text, (size_t)(p - text));

        if (!strncmp(p, name, length) && !in_name(p[length]) && (p == text || !in_name(p[-1])) &&
            *line != '#' && strncmp(line, "LAUNCH(", strlen("LAUNCH(")) != 0)
            return true;
    }
    return false;
}

/* A number that a change has, and that was not there, by the name that the file has for it. */
static void use_name(const struct edits *e, int i)
{
    struct edit *x = &e->v[i];
    char *p = x->with, *with = NULL;
    size_t length;

    while (*p && !(isdigit((unsigned char)*p) && (p == x->with || !in_name(p[-1]))))
        p++;
    size_t n = strspn(p, "0123456789");
    char *number = xformat("%.*s", (int)n, p),
         *was = xformat("%.*s", (int)x->length, e->text + x->at);
    const char *name = n > 1 && !in_name(p[n]) && p[n] != '.' && !strstr(was, number)
                           ? defined_as(e->text, e->text + x->at, number, &length)
                           : NULL;
    if (name && is_used(e->text, name, length))
        with = xformat("%.*s%.*s%s", (int)(p - x->with), x->with, (int)length, name, p + n);
    if (with) {
        free(x->with);
        x->with = with;
    }
    free(number);
    free(was);
}

/* What of the step's goals is missed with change i. */
static void tell_missed(struct search *s, const struct edits *e, int i)
{
    const struct lab_goal *goals = s->x->verify->lab->goals;
    char *text = edits_apply_to(s->x->source, e, i);
    struct arithmetic does;
    uint64_t missed =
        goals && experiment_replace(s->x, text, false, NULL) ? missed_goals(s, &does) : 0;

    free(text);
    for (int k = 0; k < 64 && missed; k++) {
        if (missed >> k & 1) {
            tell_change(s, NULL, "That is not all, or another change is better: with it %s%s %s",
                        goals[k].says, goal_on(&goals[k]), goals[k].case_name);
            return;
        }
    }
}

/* Tries `most` of them at most. */
static bool search_edits(struct search *s, const struct edits *e, unsigned most,
                         const struct lab_case *first, uint64_t steps, const struct alive *was)
{
    struct experiment *x = s->x;
    char *least = least_text(s, e, first, steps);
    enum run_end end = end_on(s, least, first, steps, NULL);
    unsigned char *verdicts = xcalloc((size_t)e->n, 1);
    struct others others = {.known = false};
    struct finds f = {
        .found = -1, .other = -1, .never = -1, .enough = UINT64_MAX, .given = given_text(s)};
    int tried = 0, window = AT_FIRST;

    for (int i = 0; i < e->n && most && f.other < 0; i++, most--) {
        bool left = tries_left(x->edits);

        if (x->edits->spent >= f.enough || (!left && i == tried))
            break;
        if (i == tried) {
            uint64_t before = x->edits->compiled;
            int n = window < e->n - tried ? window : e->n - tried;

            edits_try(s, e, least, tried, n, first, steps, end, verdicts);
            window = next_window(window, x->edits->compiled - before);
            tried += n;
        }
        x->edits->left -= x->edits->left > 0;
        if (verdicts[i] == EDIT_WRONG || (verdicts[i] == EDIT_UNKNOWN && !left) ||
            is_in_vain(e, i, f.never) || is_again(e, i) || is_rough(e, i) || adds_nothing(e, i) ||
            is_squared(e, i) || is_given(e, i, f.given) ||
            (is_same_line(e, i, f.found) && !is_same_place(e, i, f.found) &&
             (!f.poor || is_poor(e, i))))
            continue;
        bool poor = false;
        int n = with_edit(s, e, i, least, first, steps, was, &others, &poor);
        if (n)
            take_find(s, e, i, n,
                      poor || is_poor(e, i) || edits_launched(e, i, NULL) ||
                          is_digits(s, e, i, first),
                      &others, &f);
    }
    if (f.found >= 0 && !e->v[f.found].told)
        use_name(e, f.found);
    if (f.found >= 0 && is_digits(s, e, f.found, first))
        tell_digits(s, e, f.found, f.cases);
    else if (f.found >= 0)
        tell_edit(s, e, f.found, f.other, f.cases);
    if (f.found >= 0 && f.poor)
        tell_missed(s, e, f.found);
    else if (f.found < 0 && f.never >= 0)
        tell_never(s, e, f.never, f.never_cases, f.never_once);
    bool told = f.found >= 0 || f.never >= 0;
    if (told)
        remember(s, e, f.found >= 0 ? f.found : f.never, f.found < 0);
    free(verdicts);
    free(least);
    free(f.given);
    return told;
}

/* A case that few elements take long on, with extents that are not so far from the least that it is
 * wrong with. False: it is right then. */
static bool make_less(struct search *s, const struct lab_case *c, struct lab_case *less)
{
    const char *extents = s->x->verify->lab->extents;

    *less = *c;
    for (const char *e = extents && s->smallest.name ? extents : ""; *e; e++) {
        uint64_t most = FAR * extent_of(&s->smallest, *e);

        if (extent_of(c, *e) > most)
            set_extent(less, *e, most);
    }
    edits_budget(s, STEPS);
    return fails(s, less);
}

static bool try_edits(struct search *s, struct edits *e, unsigned most)
{
    const struct lab_case *first = quickest(s);
    struct lab_case less;
    struct experiment before = *s->x;

    if (!e->n || !tries_left(s->x->edits))
        return false;
    struct alive was = {0};
    find_alive(s, first, &was);
    s->x->edits->counts = true;
    edits_make_lean(s, e);
    uint64_t steps = replace_quickly(s, e->text) ? steps_for(s, first) : STEPS;
    if (steps > SLOW && replace_quickly(s, e->text) && make_less(s, first, &less)) {
        first = &less;
        steps = steps_for(s, first);
    }
    bool told = search_edits(s, e, most, first, steps, &was);
    alive_free(&was);
    s->x->edits->counts = false;
    s->x->runs = before.runs;
    s->x->instructions = before.instructions;
    s->x->steps = before.steps;
    experiment_fresh(s->x);
    return told;
}

/* The file can be changed, and be run quickly. */
static bool can_change(struct search *s)
{
    const struct experiment *x = s->x;

    if (!x->replace || !x->source || x->verify->lab->program)
        return false;
    find_narrow(s);
    const struct lab_case *first = quickest(s);
    return first && elements_of(s, first) <= MOST_ALONE;
}

/* And of variants of the same kernels: one may be what their file calls them. */
static char *names_of(const struct lab *lab, const struct lab_variant *v)
{
    const char *kernels = v->kernels ? v->kernels : "";
    struct text names = {0};

    text_addf(&names, "%s %s", v->name, kernels);
    for (int i = 0; i < lab->nvariants; i++) {
        const struct lab_variant *of = &lab->variants[i];

        if (of != v && of->kernels && !strcmp(of->kernels, kernels))
            text_addf(&names, " %s", of->name);
    }
    return text_take(&names);
}

/* What is loaded fails on a case that failed before. */
static bool is_still_wrong(struct search *s)
{
    bool wrong = false;

    edits_budget(s, STEPS);
    for (int i = 0; i < s->nfailed && !wrong; i++)
        wrong = elements_of(s, s->failed[i]) <= MOST && fails(s, s->failed[i]);
    return wrong;
}

bool by_known(struct search *s)
{
    struct experiment before = *s->x;
    const struct tries *t = s->x->edits;
    struct edit v = {.at = t->at, .length = t->length, .with = t->with};
    struct edits whole = {(char *)(uintptr_t)s->x->source, NULL, &v, 1};

    if (!t->with || !can_change(s))
        return false;
    char *text = edits_apply(&whole, 0);
    const struct lab_case *first = quickest(s);
    bool loaded = experiment_replace(s->x, text, false, NULL);
    int cases = loaded && on_large(s, first) != WRONG_ON_LARGE && right_on_wide(s)
                    ? right_on(s, first, STEPS)
                    : 0;
    free(text);
    if (loaded && !cases && is_still_wrong(s)) {
        char *names = names_of(s->x->verify->lab, s->x->variant);

        s->d->despite = edits_called(s->x->source, names, t->at) ? t->of : NULL;
        free(names);
    }
    s->x->runs = before.runs;
    s->x->instructions = before.instructions;
    s->x->steps = before.steps;
    experiment_fresh(s->x);
    if (cases) {
        s->d->cause = t->cause;
        s->d->as = t->of;
    }
    return cases;
}

bool by_no_return(struct search *s)
{
    const struct experiment *x = s->x;
    char *names = names_of(x->verify->lab, x->variant);
    int line;
    char *f = x->source && x->log ? edits_no_return(x->source, names, x->log, &line) : NULL;

    if (f)
        diagnosis_add(s->d, "uninitialised",
                      "%s:%d: no return is in %s(), which is to give a value: what it gives may be "
                      "anything, and what needs it may be left out by the compiler",
                      s->path, line, f);
    free(names);
    free(f);
    return f != NULL;
}

/* Constants of launch records last: with more threads, or other blocks, what is wrong in the kernel
 * may not show. What kernels have, too, that are right, is not at fault. */
static void launched_last(struct search *s, struct edits *e)
{
    struct edit *v = xcalloc((size_t)e->n + 1, sizeof(*v));
    char *sound = NULL;
    int n = 0;

    for (int last = 0; last <= 1; last++) {
        for (int i = 0; i < e->n; i++) {
            bool is = edits_launched(e, i, NULL);

            sound = !is || sound ? sound : sound_names(s);
            if (is == last && !(is && edits_launched(e, i, sound)))
                v[n++] = e->v[i];
            else if (is && last)
                free(e->v[i].with), free(e->v[i].told);
        }
    }
    free(sound);
    free(e->v);
    e->v = v;
    e->n = n;
}

static bool try_list(struct search *s, struct edits *e, unsigned most)
{
    slight_first(e);
    undivided_first(e);
    launched_last(s, e);
    s->edited = try_edits(s, e, most);
    edits_free(e);
    return s->edited;
}

bool by_edit(struct search *s)
{
    struct edits e = {0};

    if (s->edited || !can_change(s))
        return s->edited;
    char *read = told_text(s), *names = names_of(s->x->verify->lab, s->x->variant);
    char *sound = sound_names(s);
    edits_make(&e, s->x->source, names, sound, read);
    free(sound);
    free(read);
    free(names);
    return try_list(s, &e, s->x->edits->left);
}

/* Where its results are stored. */
static bool find_stores(struct search *s, int lines[2])
{
    struct experiment before = *s->x;
    struct sample sample;

    edits_budget(s, STEPS);
    s->x->lines = true;
    experiment_run(s->x, quickest(s), s->x->verify->seed, false, &sample);
    bool found = alive_stores(s, &sample, lines);
    sample_free(&sample);
    *s->x = before;
    return found;
}

bool by_edit_of(struct search *s, enum edits_of what, const int *lines)
{
    struct edits e = {0};
    int stores[2];

    if (s->edited || !can_change(s))
        return s->edited;
    if (!(lines && lines[0]) && what != OF_LIKELY)
        lines = find_stores(s, stores) ? stores : NULL;
    char *names = names_of(s->x->verify->lab, s->x->variant);
    edits_make_of(&e, what, s->x->source, names, lines);
    free(names);
    return try_list(s, &e, TRIES);
}
