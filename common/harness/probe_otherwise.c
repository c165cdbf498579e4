/* probe_otherwise.c - outputs that are no sum and no extreme (probing.h): which elements matter,
 * the simplest inputs that come out wrong, and what the lab itself recognises.
 */
#include "base/alloc.h"
#include "lab/dtype.h"
#include "lab/plan.h"
#include "lab/random.h"
#include "probing.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 6, FEW_SEEDS = 3, MOST_ASKED = 64, MOST_OF_A_KEY = 4, MOST_REACHED = 24 };

/* The lab's own inputs, of two seeds: an element that is the other seed's changes the output or
 * does not. */
struct influence {
    void *other[LAB_MAX_BUFFERS];
    struct probed of;
    double usual;
    uint64_t reached; /* elements that the reference goes with */
    bool differs;     /* the array does, by the seed: else nothing follows */
};

static void copy_element(struct probe *p, const struct influence *f, uint64_t i)
{
    size_t size = dtype_size(probe_buffer(p, f->of.buffer)->dtype);
    char *mine = (char *)p->data[f->of.buffer] + i * size, spare[16];
    char *theirs = (char *)f->other[f->of.buffer] + i * size;

    memcpy(spare, mine, size);
    memcpy(mine, theirs, size);
    memcpy(theirs, spare, size);
}

static void exchange(struct probe *p, const struct influence *f, uint64_t lo, uint64_t hi)
{
    for (uint64_t i = lo; i < hi; i++)
        copy_element(p, f, i);
}

static bool same_result(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* got[] is 1 where the element matters. */
static void search_influence(struct probe *p, struct influence *f, uint64_t lo, uint64_t hi)
{
    exchange(p, f, lo, hi);
    double got = probe_look(p);
    exchange(p, f, lo, hi);
    if (p->broken || same_result(got, f->usual))
        return;
    if (hi - lo == 1) {
        f->of.got[lo] = 1;
        return;
    }
    uint64_t mid = lo + (hi - lo) / 2;
    search_influence(p, f, lo, mid);
    search_influence(p, f, mid, hi);
}

static void make_inputs(struct probe *p, void *data[], uint64_t seed)
{
    const struct plan *plan = &p->s.plan;

    for (int b = 0; b < plan->nbuffers; b++) {
        if (plan->buffers[b].role == BUF_INPUT)
            p->lab->make_input(plan, b, &p->s.input, seed, data[b]);
    }
}

/* Nothing that should matter is left, so that another seed can tell nothing new of it. */
static bool all_matter(const struct probed *a)
{
    for (uint64_t i = 0; i < a->count; i++) {
        if (a->want[i] != 0 && a->got[i] == 0)
            return false;
    }
    return true;
}

/* What the lab's reference makes of the inputs, and how far off a result may be. */
static double reference(const struct probe *p, double *tolerance)
{
    const struct plan *plan = &p->s.plan;
    void *expected[LAB_MAX_BUFFERS] = {NULL};
    const void *inputs[LAB_MAX_BUFFERS];
    double *bounds[LAB_MAX_BUFFERS] = {NULL}, *made[LAB_MAX_BUFFERS];

    for (int b = 0; b < plan->nbuffers; b++) {
        inputs[b] = p->data[b];
        if (plan->buffers[b].role != BUF_OUTPUT)
            continue;
        expected[b] = xzalloc(plan_buffer_bytes(plan, b));
        bounds[b] = xcalloc(plan->buffers[b].count, sizeof(double));
    }
    memcpy(made, bounds, sizeof(made));
    p->lab->reference(plan, p->x->variant, &p->s.input, inputs, expected, bounds);
    double want = dtype_get(plan->buffers[p->out].dtype, expected[p->out], p->o);
    *tolerance = bounds[p->out] ? bounds[p->out][p->o] : 0;
    for (int b = 0; b < plan->nbuffers; b++) {
        free(expected[b]);
        free(made[b]);
    }
    return want;
}

/* With this element another seed's, what belongs there changes, and what comes does not. Of two
 * elements that are the same, or come to the same, nothing follows; nor of several at a time. */
static bool is_ignored(struct probe *p, struct influence *f, uint64_t i)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double bound, other_bound;

        make_inputs(p, p->data, p->x->verify->seed);
        make_inputs(p, f->other, p->x->verify->seed + seed);
        double usual = reference(p, &bound);
        copy_element(p, f, i);
        if (fabs(reference(p, &other_bound) - usual) > bound + other_bound)
            return same_result(probe_look(p), f->usual);
    }
    return false;
}

/* Of those that do not seem to matter, the ones that are ignored. */
static void only_ignored(struct probe *p, struct influence *f)
{
    int asked = 0;

    for (uint64_t i = 0; i < f->of.count && asked < MOST_ASKED && !p->broken; i++) {
        if (f->of.want[i] == 0 || f->of.got[i] != 0)
            continue;
        asked++;
        if (!is_ignored(p, f, i))
            f->of.got[i] = f->of.want[i];
    }
}

/* Of buffer b, which elements go in. For probed_close(). */
static struct probed probe_influence(struct probe *p, int b)
{
    struct influence f = {.of = probed_open(p, b)};

    for (int i = 0; i < p->s.plan.nbuffers; i++) {
        if (p->data[i])
            f.other[i] = xzalloc(plan_buffer_bytes(&p->s.plan, i));
    }
    for (uint64_t i = 0; i < f.of.count; i++) {
        f.of.want[i] = f.of.want[i] != 0;
        f.of.got[i] = 0;
    }
    /* Of few different values one may be the same by chance: several seeds. */
    for (uint64_t seed = 1; seed <= SEEDS && f.of.count; seed++) {
        make_inputs(p, p->data, p->x->verify->seed);
        make_inputs(p, f.other, p->x->verify->seed + seed);
        f.usual = probe_look(p);
        if (!isfinite(f.usual)) { /* whatever goes in, that may come out */
            f.of.count = 0;
            break;
        }
        search_influence(p, &f, 0, f.of.count);
        if (dtype_is_float(probe_buffer(p, b)->dtype) && all_matter(&f.of))
            break;
    }
    if (!p->broken)
        only_ignored(p, &f);
    for (int i = 0; i < LAB_MAX_BUFFERS; i++)
        free(f.other[i]);
    return f.of;
}

/* Which elements of the inputs go in, and should not, or the other way round. *vague: that is all
 * that is told of one. With another element in the place of one, what comes may not hang on those
 * of the other inputs that go with it, all the same: of these none is said to be left out. */
static bool probe_influences(struct probe *p, bool *vague)
{
    struct probed of[LAB_MAX_BUFFERS] = {{0}};
    bool exchanged[LAB_MAX_BUFFERS] = {false}, any = false, told = false;

    for (int b = 0; b < p->s.plan.nbuffers; b++) {
        if (!p->data[b] || probe_buffer(p, b)->count > MOST_ELEMENTS)
            continue;
        of[b] = probe_influence(p, b);
        exchanged[b] = !p->broken && tell_exchange(p, &of[b], "depends on");
        any |= exchanged[b];
    }
    for (int b = 0; b < p->s.plan.nbuffers; b++) {
        bool so = false;

        if (of[b].count && !exchanged[b] && !p->broken) {
            so |= !any && tell_left_out(p, &of[b], "does not depend on");
            so |= tell_extra(p, &of[b], "depends on");
        }
        *vague |= so;
        told |= so || exchanged[b];
        probed_close(&of[b]);
    }
    return told;
}

static bool is_key(const struct probe *p, int b)
{
    return p->data[b] && !dtype_is_float(probe_buffer(p, b)->dtype) &&
           probe_buffer(p, b)->count <= MOST_OF_A_KEY;
}

/* " and key to 0": what an example sets besides its ones. */
static void put_keys(struct text *t, const struct probe *p)
{

    for (int b = 0; p->lab->any_numbers && b < p->s.plan.nbuffers; b++) {
        if (is_key(p, b))
            text_addf(t, " and of %s to 0", probe_buffer(p, b)->name);
    }
}

/* One input element is `value`, the other floats are `rest`: is the output right? */
static bool example(struct probe *p, const struct lab_factor *at, double rest, double value)
{
    double tolerance;

    for (int b = 0; b < p->s.plan.nbuffers; b++) {
        if (p->data[b] && dtype_is_float(probe_buffer(p, b)->dtype))
            probe_fill(p, b, rest);
        else if (p->lab->any_numbers && is_key(p, b))
            probe_fill(p, b, 0);
    }
    if (at->buffer >= 0)
        probe_put(p, at->buffer, at->index, value);
    double want = reference(p, &tolerance), got = probe_look(p);
    if (p->broken || got == want || fabs(got - want) <= tolerance || (isnan(got) && isnan(want)))
        return false;
    p->d->example = true;
    char *name = probe_output_name(p);
    char *element = at->buffer < 0 ? NULL : probe_element_name(p, at->buffer, at->index);
    struct text keys = {0};
    put_keys(&keys, p);
    if (value == rest)
        diagnosis_add(
            p->d, "function",
            "with all elements of the inputs set to %.10g%s, %s is %.10g instead of %.10g", rest,
            text_str(&keys), name, got, want);
    else
        diagnosis_add(p->d, value == 3 ? "function" : "precision",
                      "with %s = %.10g and all other elements 1, %s is %.10g instead of %.10g",
                      element, value, name, got, want);
    text_free(&keys);
    free(name);
    free(element);
    return true;
}

/* The simplest inputs that come out wrong. */
static bool probe_examples(struct probe *p)
{
    static const double values[] = {1, 3, 0.5, 1 + 0x1p-12, 1 + 0x1p-20};
    struct lab_term t;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        for (uint64_t k = 0; k < MOST_PAIRS && probe_term(p, k, &t); k++) {
            if (dtype_is_float(probe_buffer(p, t.factor[0].buffer)->dtype) &&
                example(p, &t.factor[0], 1, values[i]))
                return true;
        }
    }
    return false;
}

/* It holds what it did before the run: that is no result. */
static bool is_untouched(const struct probe *p)
{
    const struct plan *plan = &p->s.plan;
    size_t size = dtype_size(plan->buffers[p->out].dtype);
    const unsigned char *bytes = p->s.outputs.data[p->out];
    bool untouched = bytes != NULL;

    for (size_t k = 0; k < size && untouched; k++)
        untouched = bytes[p->o * size + k] == poison_byte(p->x->verify->seed);
    return untouched;
}

/* What the lab makes of the inputs of a seed, and of what came of them; one a line, where that is
 * several things. NULL: nothing. *right: there is nothing to explain. */
static char *recognised(struct probe *p, uint64_t seed, bool *right)
{
    const void *inputs[LAB_MAX_BUFFERS] = {NULL};
    char words[600] = "";
    double tolerance;

    make_inputs(p, p->data, seed);
    double got = probe_look(p), want = p->broken ? NAN : reference(p, &tolerance);
    *right = !p->broken && (same_result(got, want) || fabs(got - want) <= tolerance);
    for (int b = 0; b < p->s.plan.nbuffers; b++)
        inputs[b] = p->data[b];
    bool told = !p->broken && !is_untouched(p) &&
                p->lab->recognise(&p->s.plan, p->x->variant, &p->s.input, inputs, p->out,
                                  p->s.outputs.data[p->out], p->o, words, sizeof(words));
    return told ? xstrdup(words) : NULL;
}

/* Behind the number that begins there, which may be "-1e-07" or "nan", too. */
static const char *behind_number(const char *p)
{
    char *end;

    if (isspace((unsigned char)*p))
        return p;
    strtod(p, &end);
    return end;
}

/* The same but for its numbers, up to the line's end. */
static bool same_sentence(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = behind_number(a);
        b = behind_number(b);
        bool a_ends = !*a || *a == '\n', b_ends = !*b || *b == '\n';
        if (*a != *b || a_ends || b_ends)
            return a_ends && b_ends;
    }
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end ? end + 1 : NULL;
}

static bool among(const char *lines, const char *line)
{
    for (; lines; lines = next_line(lines)) {
        if (same_sentence(lines, line))
            return true;
    }
    return false;
}

/* Of the lines those that are among the others, too. */
static void keep_common(char *lines, const char *others)
{
    char *all = xstrdup(lines), *rest = all, *line, *to = lines;

    while ((line = strsep(&rest, "\n"))) {
        if (!among(others, line))
            continue;
        if (to > lines)
            *to++ = '\n';
        to = stpcpy(to, line);
    }
    *to = 0;
    free(all);
}

/* It may be another number by chance. On the inputs of other seeds, where it is wrong, too, the
 * same must be so: of a whole number, which may be small, on all; of a float on some, as what it
 * comes to may go with them. */
static void without_chance(struct probe *p, char *words)
{
    bool whole = !dtype_is_float(probe_buffer(p, p->out)->dtype), asked = false;
    struct text seen = {0};

    for (uint64_t seed = 1; seed <= (whole ? SEEDS : FEW_SEEDS) && *words && !p->broken; seed++) {
        bool right;
        char *other = recognised(p, p->x->verify->seed + seed, &right);

        if (whole && !right && !p->broken)
            keep_common(words, other);
        else if (!whole && other)
            text_addf(&seen, "%s\n", other);
        asked |= !right;
        free(other);
    }
    if (asked && !whole)
        keep_common(words, seen.s);
    text_free(&seen);
}

/* Elements of the output that are numbers. */
static uint64_t count_numbers(const struct probe *p)
{
    const struct lab_buffer *out = probe_buffer(p, p->out);
    uint64_t n = 0;

    for (uint64_t i = 0; i < out->count; i++)
        n += isfinite(dtype_get(out->dtype, p->s.outputs.data[p->out], i)) != 0;
    return n;
}

static bool arrange(struct probe *p, int which, uint64_t numbers)
{
    make_inputs(p, p->data, p->x->verify->seed);
    return p->lab->arrange(&p->s.plan, &p->s.input, which, numbers, p->data);
}

/* On inputs that the lab chooses for it, where the usual ones do not say what it is. */
static char *recognised_arranged(struct probe *p)
{
    char words[600] = "";
    bool told = false;

    if (!p->lab->arrange || p->broken)
        return NULL;
    make_inputs(p, p->data, p->x->verify->seed);
    probe_look(p);
    uint64_t numbers = p->broken ? 0 : count_numbers(p);
    for (int which = 0; !told && !p->broken && arrange(p, which, numbers); which++) {
        const void *inputs[LAB_MAX_BUFFERS];

        for (int b = 0; b < LAB_MAX_BUFFERS; b++)
            inputs[b] = p->data[b];
        probe_look(p);
        told = !p->broken &&
               p->lab->recognise_arranged(&p->s.plan, p->x->variant, &p->s.input, which, inputs,
                                          p->s.outputs.data[p->out], p->o, words, sizeof(words));
    }
    return told ? xstrdup(words) : NULL;
}

/* The lab knows what else its function can come to. */
bool probe_recognised(struct probe *p)
{
    bool right;

    if (!p->lab->recognise)
        return false;
    char *words = recognised(p, p->x->verify->seed, &right);
    if (words)
        without_chance(p, words);
    if (!words || !*words) {
        free(words);
        words = recognised_arranged(p);
    }
    bool told = words && !p->broken;
    if (told) {
        char *name = probe_output_name(p);

        words[strcspn(words, "\n")] = 0;
        p->d->example |= strstr(words, ", and should be ") != NULL;
        diagnosis_add(p->d, "function", "%s is %s", name, words);
        free(name);
    }
    free(words);
    return told;
}

#define ALL_OF_IT    UINT64_MAX
#define FEW_ELEMENTS 8 /* as a key has */
#define MANY_OUTPUTS 8
#define MOST_WANTED  8
#define MOST_SEEDS   24

/* The numbers that belong there under the seeds that were tried: of a small count they are few. */
struct wanted {
    double of[MOST_WANTED];
    int n;
};

static void add_wanted(struct wanted *w, double want)
{
    for (int i = 0; i < w->n; i++) {
        if (w->of[i] == want)
            return;
    }
    if (w->n < MOST_WANTED)
        w->of[w->n++] = want;
}

/* With another seed's elements what belongs there changes, and what comes does not: twice. Whole
 * numbers may be the same by chance: eight times, in all of many outputs, or else of eight numbers
 * that belong there. */
static bool goes_unused(struct probe *p, int b, void *other, uint64_t from, uint64_t count)
{
    const struct lab_buffer *out = probe_buffer(p, p->out);
    bool whole = !dtype_is_float(out->dtype);
    size_t size = dtype_size(probe_buffer(p, b)->dtype);
    size_t outsize = plan_buffer_bytes(&p->s.plan, p->out);
    void *usually = xmalloc(outsize);
    struct wanted wanted = {0};
    int changed = 0, enough = whole ? MOST_WANTED : 2;
    bool same = true;

    for (uint64_t seed = 1; seed <= MOST_SEEDS && changed < enough && same; seed++) {
        double bound, other_bound;

        make_inputs(p, p->data, p->x->verify->seed);
        double usual = reference(p, &bound), got = probe_look(p);
        same = isfinite(got); /* else, whatever goes in, that may come out */
        if (!same)
            break;
        memcpy(usually, p->s.outputs.data[p->out], outsize);
        p->lab->make_input(&p->s.plan, b, &p->s.input, p->x->verify->seed + seed, other);
        memcpy((char *)p->data[b] + from * size, (char *)other + from * size, count * size);
        double want = reference(p, &other_bound);
        if (!(fabs(want - usual) > bound + other_bound))
            continue;
        same = same_result(probe_look(p), got) && !p->broken &&
               !(whole && memcmp(usually, p->s.outputs.data[p->out], outsize) != 0);
        add_wanted(&wanted, want);
        changed = whole && out->count < MANY_OUTPUTS ? wanted.n : changed + 1;
    }
    free(usually);
    return same && changed == enough;
}

/* All of it, or of few one; *at: which, or ALL_OF_IT. */
static bool ignores(struct probe *p, int b, uint64_t *at)
{
    uint64_t n = probe_buffer(p, b)->count;
    void *other = xzalloc(plan_buffer_bytes(&p->s.plan, b));
    bool is = goes_unused(p, b, other, 0, n);

    *at = ALL_OF_IT;
    for (uint64_t i = 0; !is && n > 1 && n <= FEW_ELEMENTS && i < n && !p->broken; i++) {
        is = goes_unused(p, b, other, i, 1);
        *at = i;
    }
    free(other);
    return is && !p->broken;
}

bool probe_ignored(struct probe *p)
{
    bool told = false;
    uint64_t at;

    for (int b = 0; b < p->s.plan.nbuffers && !p->broken && !told; b++) {
        if (!p->data[b] || !probe_buffer(p, b)->count)
            continue;
        told = ignores(p, b, &at);
        if (told) {
            char *name = probe_output_name(p);
            struct text one = {0};

            if (at != ALL_OF_IT)
                text_addf(&one, "[%" PRIu64 "]", at);
            diagnosis_add(p->d, "left-out", "%s does not depend on %s%s", name,
                          probe_buffer(p, b)->name, text_str(&one));
            text_free(&one);
            free(name);
        }
    }
    return told;
}

/* Where the lab says nothing of terms: one number everywhere, but for its key. */
bool probe_ones(struct probe *p)
{
    const struct lab_factor none = {.buffer = -1};
    int floats = 0;

    for (int b = 0; b < p->s.plan.nbuffers; b++) {
        bool is_float = p->data[b] && dtype_is_float(probe_buffer(p, b)->dtype);

        if (p->data[b] && !is_float && !is_key(p, b))
            return false;
        floats += is_float;
    }
    if (p->broken || !floats)
        return false;
    return example(p, &none, 1, 1) || example(p, &none, 2, 2) || example(p, &none, 0.5, 0.5);
}

/* ---- does it take what it should? ---- */

/* want[] is 1 where the lab's reference goes with an element; false: with too many. */
static bool search_reference(struct probe *p, struct influence *f, double usual, uint64_t lo,
                             uint64_t hi)
{
    double bound;

    exchange(p, f, lo, hi);
    bool same = same_result(reference(p, &bound), usual);
    exchange(p, f, lo, hi);
    if (same)
        return true;
    if (hi - lo == 1) {
        f->reached += f->of.want[lo] == 0;
        f->of.want[lo] = 1;
        return f->reached <= MOST_REACHED;
    }
    uint64_t mid = lo + (hi - lo) / 2;
    return search_reference(p, f, usual, lo, mid) && search_reference(p, f, usual, mid, hi);
}

/* Of one input array. The sets of all seeds together: by one of them an element may not matter. */
static bool reach(struct probe *p, struct influence *f)
{
    double bound;

    f->differs = false;
    memset(f->of.want, 0, f->of.count * sizeof(*f->of.want));
    memset(f->of.got, 0, f->of.count * sizeof(*f->of.got));
    for (uint64_t seed = 1; seed <= SEEDS && !p->broken; seed++) {
        make_inputs(p, p->data, p->x->verify->seed);
        make_inputs(p, f->other, p->x->verify->seed + seed);
        f->differs |= memcmp(p->data[f->of.buffer], f->other[f->of.buffer],
                             plan_buffer_bytes(&p->s.plan, f->of.buffer)) != 0;
        f->usual = probe_look(p);
        if (!isfinite(f->usual) || !search_reference(p, f, reference(p, &bound), 0, f->of.count))
            return false;
        search_influence(p, f, 0, f->of.count);
    }
    return !p->broken && f->differs &&
           !memcmp(f->of.want, f->of.got, f->of.count * sizeof(*f->of.want));
}

static void put_reached(struct text *t, const struct probe *p, const struct probed *a)
{
    uint64_t index[MOST_REACHED], n = 0;

    for (uint64_t i = 0; i < a->count; i++) {
        if (a->want[i] != 0)
            index[n++] = i;
    }
    if (n) {
        text_addf(t, "%s", t->length ? " and with " : "");
        probe_say(t, p, a->buffer, index, n);
    }
}

enum { BITS = 32, SOME_BITS = 2 };

/* How many of a whole number's lowest bits, or highest, change nothing of the output: one of them
 * should, and the next one does. 0: not so many that it is no chance. */
static int lost_bits(struct probe *p, int b, uint64_t i, bool high)
{
    uint32_t *at = (uint32_t *)p->data[b] + i;
    bool should = false;
    double bound, other;
    int n = 0;

    make_inputs(p, p->data, p->x->verify->seed);
    double got = probe_look(p), want = reference(p, &bound);
    for (bool same = true; same && n < BITS && !p->broken; n += same) {
        uint32_t bit = 1u << (high ? BITS - 1 - n : n);

        *at ^= bit;
        same = same_result(probe_look(p), got);
        should |= same && fabs(reference(p, &other) - want) > bound + other;
        *at ^= bit;
    }
    return should && n >= SOME_BITS && n < BITS && !p->broken ? n : 0;
}

static void put_lost_bits(struct text *t, struct probe *p, const struct probed *a)
{
    bool whole = probe_buffer(p, a->buffer)->dtype == DT_U32;

    for (uint64_t i = 0; i < a->count && whole; i++) {
        for (int high = 0; high < 2 && a->want[i] != 0; high++) {
            int n = lost_bits(p, a->buffer, i, high);

            if (!n)
                continue;
            text_addf(t, "; of ");
            probe_say(t, p, a->buffer, &i, 1);
            text_addf(t, " the %s %d bits change nothing, and should", high ? "highest" : "lowest",
                      n);
        }
    }
}

/* An output that takes what it should, and makes something else of it. */
bool probe_reach(struct probe *p)
{
    struct influence f = {0};
    struct text t = {0}, bits = {0};
    bool right = true, numbers = false; /* of a key all may depend, by other numbers */

    for (int b = 0; b < p->s.plan.nbuffers; b++) {
        if (p->data[b])
            f.other[b] = xzalloc(plan_buffer_bytes(&p->s.plan, b));
    }
    for (int b = 0; b < p->s.plan.nbuffers && right; b++) {
        if (!p->data[b] || !probe_buffer(p, b)->count)
            continue;
        f.of = probed_open(p, b);
        right = f.of.count <= MOST_ELEMENTS && reach(p, &f);
        uint64_t before = t.length;
        if (right) {
            put_reached(&t, p, &f.of);
            put_lost_bits(&bits, p, &f.of);
        }
        numbers |= !is_key(p, b) && t.length > before;
        probed_close(&f.of);
    }
    right &= numbers;
    if (right) {
        char *name = probe_output_name(p);

        p->d->example = true;
        diagnosis_add(p->d, "function",
                      "%s changes with %s, as it should, and with nothing else: it uses the right "
                      "elements, but what it computes of them is not what is asked for%s",
                      name, t.s, text_str(&bits));
        free(name);
    }
    for (int i = 0; i < LAB_MAX_BUFFERS; i++)
        free(f.other[i]);
    text_free(&t);
    text_free(&bits);
    return right;
}

enum { MOST_NANS = 100 };

/* NaN by an input that is, and that nothing is to be made of: with 1 in its place it is a number.
 */
static bool is_nan_by(struct probe *p, int b, uint64_t i)
{
    const struct lab_buffer *buffer = probe_buffer(p, b);
    double was = dtype_get(buffer->dtype, p->data[b], i);

    if (!isnan(was))
        return false;
    dtype_set(buffer->dtype, p->data[b], i, 1);
    double is = probe_look(p);
    dtype_set(buffer->dtype, p->data[b], i, was);
    return !isnan(is) && !p->broken;
}

bool probe_nan(struct probe *p)
{
    double bound;
    int tried = 0;
    bool told = false, some = false;

    make_inputs(p, p->data, p->x->verify->seed);
    for (int b = 0; b < p->s.plan.nbuffers && !some; b++) {
        for (uint64_t i = 0; p->data[b] && i < probe_buffer(p, b)->count && !some; i++)
            some = dtype_is_float(probe_buffer(p, b)->dtype) &&
                   isnan(dtype_get(probe_buffer(p, b)->dtype, p->data[b], i));
    }
    if (!some || isnan(reference(p, &bound)) || !isnan(probe_look(p)) || p->broken) {
        p->broken = false; /* by these inputs alone, perhaps */
        return false;
    }
    for (int b = 0; b < p->s.plan.nbuffers && !told; b++) {
        uint64_t n =
            p->data[b] && dtype_is_float(probe_buffer(p, b)->dtype) ? probe_buffer(p, b)->count : 0;

        for (uint64_t i = 0; i < n && !told && tried < MOST_NANS && !p->broken; i++) {
            tried += isnan(dtype_get(probe_buffer(p, b)->dtype, p->data[b], i));
            told = is_nan_by(p, b, i);
            if (!told)
                continue;
            char *name = probe_output_name(p);
            struct text by = {0};

            probe_say(&by, p, b, &i, 1);
            diagnosis_add(p->d, "function",
                          "%s is NaN by %s, which is, and nothing of which belongs there: what is "
                          "not to count is to be left out, as 0 times NaN or infinity is NaN",
                          name, text_str(&by));
            text_free(&by);
            free(name);
        }
    }
    return told;
}

bool probe_simple(struct probe *p)
{
    for (int b = 0; b < p->s.plan.nbuffers; b++) {
        if (p->data[b] && !dtype_is_float(probe_buffer(p, b)->dtype))
            return false;
    }
    return !p->broken && probe_examples(p);
}

bool probe_otherwise(struct probe *p)
{
    bool vague = false, told = probe_influences(p, &vague);

    if (vague && !p->broken)
        probe_recognised(p);
    return told || probe_recognised(p) || (!p->broken && probe_examples(p));
}
