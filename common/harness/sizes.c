/* sizes.c - at which sizes is a kernel wrong, and at which right (diagnosing.h)? Two neighbours are
 * told where they say something of other sizes, too: not where it is by chance of the inputs.
 */
#include "diagnosing.h"
#include "lab/plan.h"

#include <inttypes.h>
#include <string.h>

enum { SEEDS = 2 }; /* of the inputs' numbers, beside the lab's own */

/* 1, 2, 3, 4, 5, 7, 8, 9, 15, …: powers of two and their neighbours. */
static uint64_t next_try(uint64_t v)
{
    uint64_t p = 1;

    if (v < 5)
        return v + 1;
    while (2 * p <= v + 1)
        p *= 2;
    return v < p ? p : v < p + 1 ? p + 1 : 2 * p - 1;
}

/* Where the checker named the cause, a size is wrong on which it finds something: results may be
 * right by luck. Of what is loaded it tells the same thing once. */
static enum run_end ends_with(struct search *s, const struct lab_case *c, uint64_t seed)
{
    struct sample sample;

    if (s->watched && s->told)
        experiment_fresh(s->x);
    enum run_end end = experiment_run(s->x, c, seed, s->watched, &sample);
    s->told = sample.outputs.findings && *sample.outputs.findings;
    if (s->watched && end == RUN_OK && s->told)
        end = RUN_WRONG;
    sample_free(&sample);
    return end;
}

static bool wrong_at(struct search *s, const struct lab_case *c)
{
    return is_failure(ends_with(s, c, s->x->verify->seed));
}

static bool right_at(struct search *s, const struct lab_case *c)
{
    return ends_with(s, c, s->x->verify->seed) == RUN_OK;
}

/* Makes an extent as small as it may be for the kernel to be wrong still; *right: the largest that
 * was right below, when one was. */
static bool shrink(struct search *s, struct lab_case *c, char which, uint64_t *right)
{
    uint64_t most = extent_of(c, which), v, low = 0;
    struct lab_case t = *c;
    bool any = false;

    for (v = 1; v < most; v = next_try(v)) {
        set_extent(&t, which, v);
        if (wrong_at(s, &t))
            break;
        if (right_at(s, &t)) {
            low = v;
            any = true;
        }
    }
    uint64_t high = v < most ? v : most;
    while (any && high - low > 1 && s->x->runs) {
        uint64_t mid = low + (high - low) / 2;

        set_extent(&t, which, mid);
        if (wrong_at(s, &t))
            high = mid;
        else
            low = mid;
    }
    set_extent(c, which, high);
    set_extent(&t, which, low);
    *right = low;
    return any && right_at(s, &t);
}

/* Wrong at the least already: is there a size above that is right, its neighbour below not? */
static bool right_above(struct search *s, const struct lab_case *c, char which, uint64_t *right)
{
    struct lab_case t = *c;

    for (uint64_t v = 2; v <= 1024; v *= 2) {
        set_extent(&t, which, v - 1);
        if (extent_of(c, which) >= v || !wrong_at(s, &t))
            continue;
        set_extent(&t, which, v);
        if (right_at(s, &t)) {
            *right = v;
            return true;
        }
    }
    return false;
}

/* Of sizes around the multiples of `of`, those above `least`: are the multiples right and no
 * others, or the other way round? How many were tried; 0: they are not. */
static int multiples_are(struct search *s, const struct lab_case *c, char which, uint64_t of,
                         uint64_t least, bool right)
{
    struct lab_case t = *c;
    int tried = 0, multiples = 0;

    for (uint64_t k = 1; k <= 4 && of > 1; k++) {
        const uint64_t near[] = {k * of - 1, k * of, k * of + 1, k * of + of / 2};

        for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
            bool is_multiple = near[i] % of == 0;

            set_extent(&t, which, near[i]);
            if (near[i] <= least || elements_of(s, &t) > MOST)
                continue;
            if (is_multiple == right ? !right_at(s, &t) : !wrong_at(s, &t))
                return 0;
            tried++;
            multiples += is_multiple;
        }
    }
    return multiples > 1 && multiples < tried ? tried : 0;
}

/* Of an extent's values above `least`: the multiples of `of` are right and all others wrong, or the
 * other way round. */
struct rule {
    char which;
    uint64_t of, least;
    bool right;
};

/* How it ended on the case is not what the rule says; of what was not tried nothing is known. */
static bool contradicts(const struct rule *r, const struct lab_case *c, enum run_end end)
{
    uint64_t size = extent_of(c, r->which);
    bool right = (size % r->of == 0) == r->right;

    return size > r->least && (right ? is_failure(end) : end == RUN_OK);
}

static bool has_failed(const struct search *s, const struct lab_case *c)
{
    bool failed = false;

    for (int i = 0; i < s->nfailed && !failed; i++)
        failed = s->failed[i] == c || !strcmp(s->failed[i]->name, c->name);
    return failed;
}

/* On all cases of the lab's, those that are not too large. */
static bool holds_on_cases(struct search *s, const struct rule *r)
{
    const struct lab *lab = s->x->verify->lab;
    bool holds = true;

    for (int i = 0; i < s->nfailed && holds; i++)
        holds = !contradicts(r, s->failed[i], RUN_WRONG);
    for (int i = 0; i < lab->ncases && holds; i++) {
        const struct lab_case *c = &lab->cases[i];

        if (has_failed(s, c) || (lab->applies && !lab->applies(s->x->variant, c)) ||
            elements_of(s, c) > MOST)
            continue;
        holds = !contradicts(r, c, ends_with(s, c, s->x->verify->seed));
    }
    return holds;
}

/* With other values of the other extents, smaller and larger than this one's. */
static bool holds_beside(struct search *s, const struct rule *r)
{
    const uint64_t of = r->of, values[] = {1, 2, of - 1, of, of + 1, 2 * of + 2, 5 * of};
    const uint64_t sizes[] = {of, of + 1, 2 * of, 3 * of - 1};
    const char *extents = s->x->verify->lab->extents;
    bool holds = true;

    for (const char *e = extents; *e; e++) {
        for (size_t i = 0; *e != r->which && i < sizeof(values) / sizeof(values[0]); i++) {
            for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]) && holds; k++) {
                struct lab_case t = s->smallest;

                set_extent(&t, *e, values[i]);
                set_extent(&t, r->which, sizes[k]);
                if (values[i] && elements_of(s, &t) <= MOST)
                    holds = !contradicts(r, &t, ends_with(s, &t, s->x->verify->seed));
            }
        }
    }
    return holds;
}

/* In everything that is run. What this takes is not taken from the search. */
static bool holds_throughout(struct search *s, char which, uint64_t of, uint64_t least, bool right)
{
    const struct rule r = {which, of, least, right};
    const unsigned runs = s->x->runs;
    const uint64_t instructions = s->x->instructions;
    bool holds = holds_on_cases(s, &r) && holds_beside(s, &r);

    s->x->runs = runs;
    s->x->instructions = instructions;
    return holds;
}

/* The result is right there, and what the checker finds is all that is wrong. */
static bool is_found_alone(struct search *s, char which, uint64_t wrong)
{
    struct lab_case t = s->smallest;
    const struct experiment before = *s->x;

    set_extent(&t, which, wrong);
    bool alone = s->watched && passes(s, &t);
    s->x->runs = before.runs;
    s->x->instructions = before.instructions;
    return alone;
}

/* What of an extent decides it, where one size is right and its neighbour not. False: nothing that
 * is known. */
static bool find_rest(struct search *s, char which, uint64_t right, uint64_t wrong, struct text *t)
{
    const char *name = extent_name(s->x->verify->lab, which);
    bool first = wrong < right; /* … is wrong */
    uint64_t least = first ? 0 : right - (right > 0);
    int n;

    if ((n = multiples_are(s, &s->smallest, which, right, least, true)) &&
        holds_throughout(s, which, right, least, true))
        text_addf(t,
                  "; of %d values of %s %sthat were tried, the multiples of %" PRIu64
                  " are right and all others wrong",
                  n, name, first ? "" : "from there on ", right);
    else if ((n = multiples_are(s, &s->smallest, which, wrong, 0, false)) &&
             holds_throughout(s, which, wrong, 0, false))
        text_addf(t,
                  "; of %d values of %s that were tried, the multiples of %" PRIu64
                  " are wrong and all others right",
                  n, name, wrong);
    return t->length;
}

/* With other numbers in its inputs, too, a size is what it was: not by chance of these. */
static bool is_steady(struct search *s, const struct lab_case *c, bool right)
{
    bool steady = true;

    for (uint64_t seed = 1; seed <= SEEDS && steady; seed++) {
        enum run_end end = ends_with(s, c, s->x->verify->seed + seed);

        steady = right ? end == RUN_OK : is_failure(end);
    }
    return steady;
}

/* One size is right and its neighbour not: is it the same with all that were tried beyond the
 * larger one of the two? `most`: one beyond that is known to be. */
static bool is_bound(struct search *s, char which, uint64_t right, uint64_t wrong, uint64_t most)
{
    const uint64_t from = right > wrong ? right : wrong,
                   beyond[] = {from + 1,     from + 2,     from + 3,     from + 4,
                               2 * from - 1, 2 * from,     2 * from + 1, 3 * from,
                               4 * from,     4 * from + 1, 5 * from + 2, 7 * from + 3};
    struct lab_case t = s->smallest;

    set_extent(&t, which, most);
    uint64_t elements = elements_of(s, &t), limit = elements < MOST ? MOST : elements;
    int n = most > from;

    for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
        set_extent(&t, which, beyond[i]);
        if (elements_of(s, &t) > limit)
            continue;
        enum run_end end = ends_with(s, &t, s->x->verify->seed);
        if (right > wrong ? is_failure(end) : end == RUN_OK)
            return false;
        n += right > wrong ? end == RUN_OK : is_failure(end);
    }
    set_extent(&t, which, right);
    bool steady = n > 1 && is_steady(s, &t, true);
    set_extent(&t, which, wrong);
    return steady && is_steady(s, &t, false);
}

/* Where it takes too long from some size on, that is the limit's, and says nothing of the cause.
 * What this takes is not taken from the search. */
static bool bears_out(struct search *s, char which, uint64_t right, uint64_t wrong, uint64_t most)
{
    struct lab_case t = s->smallest;
    const uint64_t runs = s->x->runs, instructions = s->x->instructions;

    set_extent(&t, which, wrong);
    bool bound = ends_with(s, &t, s->x->verify->seed) != RUN_ENDLESS &&
                 is_bound(s, which, right, wrong, most);
    s->x->runs = runs;
    s->x->instructions = instructions;
    return bound;
}

/* ---- what else was so where a size was tried ---- */

/* Of a case, beside its extents. */
enum { PARAM = 1, SECOND = 2, THIRD = 4, BLOCK = 8, KIND = 16 /* its type, or the operation */ };
enum { VALUES = 8 /* of one of them that are tried */, RUNS = 4 * VALUES };

static bool is_extent(const struct lab *lab, char which)
{
    return lab->extents && strchr(lab->extents, which);
}

static unsigned differ_in(const struct lab *lab, const struct lab_case *a, const struct lab_case *b)
{
    return (a->param != b->param && !is_extent(lab, 'p') ? PARAM : 0) |
           (a->m != b->m && !is_extent(lab, 'm') ? SECOND : 0) |
           (a->k != b->k && !is_extent(lab, 'k') ? THIRD : 0) | (a->block != b->block ? BLOCK : 0) |
           (a->dtype != b->dtype || a->op != b->op ? KIND : 0);
}

/* Which of the lab's cases one of a student's own (--n) is like; NULL: none. */
static const struct lab_case *usual_case(const struct search *s)
{
    const struct lab *lab = s->x->verify->lab;

    for (int i = 0; i < lab->ncases; i++) {
        if (lab->cases[i].flags & CASE_TIME &&
            (!lab->applies || lab->applies(s->x->variant, &lab->cases[i])))
            return &lab->cases[i];
    }
    return NULL;
}

/* A size that is right and one that is not, on a case of these extents. */
struct pair {
    const struct lab_case *of;
    char which;
    uint64_t right, wrong;
};

/* Another case with these extents. */
static struct lab_case with_extents(const struct search *s, const struct pair *p, uint64_t size,
                                    struct lab_case c)
{
    for (const char *e = s->x->verify->lab->extents; *e; e++)
        set_extent(&c, *e, extent_of(p->of, *e));
    set_extent(&c, p->which, size);
    return c;
}

/* Is what is wrong right on it? */
static bool right_with(struct search *s, const struct pair *p, const struct lab_case *other)
{
    struct lab_case t = with_extents(s, p, p->wrong, *other);

    return right_at(s, &t);
}

/* Are both as they are on it, too? */
static bool holds_on(struct search *s, const struct pair *p, const struct lab_case *other)
{
    struct lab_case t = with_extents(s, p, p->right, *other);

    return !is_failure(ends_with(s, &t, s->x->verify->seed)) && !right_with(s, p, other);
}

static struct lab_case with_field(struct lab_case c, const struct lab_case *from, unsigned field)
{
    c.param = field & PARAM ? from->param : c.param;
    c.m = field & SECOND ? from->m : c.m;
    c.k = field & THIRD ? from->k : c.k;
    c.block = field & BLOCK ? from->block : c.block;
    return c;
}

/* With blocks of half, or twice, as many threads as the file asks for the size that is wrong is not
 * right. What was right may be wrong with them for another reason: they are not the file's. */
static bool holds_in_blocks(struct search *s, const struct pair *p)
{
    const struct lab_variant *v = s->x->variant;
    uint32_t is = s->x->record.block_x;
    const uint32_t other[] = {is / 2, 2 * is};

    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]) && !p->of->block; i++) {
        struct lab_case t = *p->of;

        t.block = other[i];
        if (v->has_record && other[i] && other[i] >= v->min.block_x && other[i] <= v->max.block_x &&
            right_with(s, p, &t))
            return false;
    }
    return true;
}

/* What of the case decides, so that the pair does not hold without it. What this takes is not taken
 * from the search. */
static unsigned find_given(struct search *s, const struct pair *p)
{
    const struct lab *lab = s->x->verify->lab;
    const struct lab_case *usual = usual_case(s);
    const unsigned runs = s->x->runs;
    const uint64_t instructions = s->x->instructions;
    unsigned given = 0;

    s->x->runs = s->x->runs > RUNS ? s->x->runs : RUNS;
    for (unsigned field = PARAM; field < KIND && usual; field *= 2) {
        struct lab_case t = with_field(*p->of, usual, field);

        given |= differ_in(lab, p->of, &t) && !holds_on(s, p, &t) ? field : 0;
    }
    if (usual) {
        struct lab_case t = with_field(*usual, p->of, given);

        given |= holds_on(s, p, &t) ? 0 : differ_in(lab, p->of, &t);
    }
    for (unsigned field = PARAM; field < KIND; field *= 2) {
        struct lab_case last = *p->of;
        int tried = 0;

        for (int i = 0; i < lab->ncases && tried < VALUES && !(given & field); i++) {
            const struct lab_case *c = &lab->cases[i];
            struct lab_case t = with_field(*p->of, c, field);

            if (differ_in(lab, c, p->of) & KIND || c->flags & CASE_SPECIAL ||
                !differ_in(lab, &t, p->of) || !differ_in(lab, &t, &last))
                continue;
            tried++;
            given |= holds_on(s, p, &t) ? 0 : field;
            last = t;
        }
    }
    given |= holds_in_blocks(s, p) ? 0 : BLOCK;
    s->x->runs = runs;
    s->x->instructions = instructions;
    return given;
}

/* Of special inputs: do the two hold on ordinary ones, too? Else it is the inputs that decide. */
static bool is_of_size(struct search *s, const struct pair *p)
{
    struct lab_case ordinary = *p->of;

    ordinary.flags &= ~(unsigned)CASE_SPECIAL;
    return ordinary.flags == p->of->flags || holds_on(s, p, &ordinary);
}

static void put_blocks(const struct search *s, const struct lab_case *c, struct text *t)
{
    const struct launch_record *r = &s->x->record;

    text_addf(t, "blocks of %u", c->block ? c->block : r->block_x);
    if (r->block_y > 1)
        text_addf(t, " x %u", r->block_y);
    text_add(t, " threads");
}

/* "m = 5, blocks of 64 threads": its extents but one, and what else is asked for. */
static void put_given(const struct search *s, const struct lab_case *c, char but, unsigned given,
                      struct text *t)
{
    const struct lab *lab = s->x->verify->lab;
    static const char fields[] = {'p', 'm', 'k'};
    size_t begin = t->length;

    for (const char *e = lab->extents; *e; e++) {
        if (*e != but && (extent_of(c, *e) || extent_of(s->failed[0], *e)))
            text_addf(t, "%s%s = %" PRIu64, t->length > begin ? ", " : "", extent_name(lab, *e),
                      extent_of(c, *e));
    }
    for (int i = 0; i < 3; i++) {
        const char *name = extent_name(lab, fields[i]);

        if (!(given & 1u << i) || !extent_of(c, fields[i]))
            continue;
        text_addf(t, "%s%s%s%" PRId64, t->length > begin ? ", " : "", name ? name : "--param",
                  name ? " = " : "=", (int64_t)extent_of(c, fields[i]));
    }
    if (given & BLOCK) {
        text_add(t, t->length > begin ? ", " : "");
        put_blocks(s, c, t);
    }
    if (given & KIND)
        text_addf(t, "%sall else as in %s", t->length > begin ? ", " : "", c->name);
}

/* … of a case that is like none of a student's own (--n): what it has for its own, too. */
void put_sizes_of(const struct search *s, const struct lab_case *c, struct text *t)
{
    const struct lab_case *usual = usual_case(s);

    put_given(s, c, '\0', usual ? differ_in(s->x->verify->lab, c, usual) & (PARAM | BLOCK) : 0, t);
}

/* ---- all of it ---- */

/* Of two neighbours one is right: told where it says something of other sizes, too. */
static void put_sizes(struct search *s, const char *extent, uint64_t right, uint64_t wrong,
                      uint64_t most)
{
    const char *name = extent_name(s->x->verify->lab, *extent);
    const uint64_t less = right < wrong ? right : wrong, more = right < wrong ? wrong : right;
    struct text rest = {0};

    const struct pair pair = {&s->smallest, *extent, right, wrong};

    if ((find_rest(s, *extent, right, wrong, &rest) || bears_out(s, *extent, right, wrong, most)) &&
        is_of_size(s, &pair)) {
        struct text given = {0}, two = {0};

        put_given(s, &s->smallest, *extent, find_given(s, &pair), &given);
        if (given.length)
            text_addf(&two, "with %s: ", given.s);
        text_free(&given);
        if (is_found_alone(s, *extent, wrong))
            text_addf(&two,
                      "at %s = %" PRIu64 " the checks find nothing, at %s = %" PRIu64 " something",
                      name, right, name, wrong);
        else
            text_addf(&two, "%s = %" PRIu64 " is %sright, %s = %" PRIu64 " is%s", name, less,
                      right < wrong ? "" : "not ", name, more, right < wrong ? " not" : "");
        text_addf(&s->bounds, "%s%s", s->bounds.length ? "; " : "", two.s);
        text_addf(&s->sizes, "%s%s%s", s->sizes.length ? "; " : "", two.s, text_str(&rest));
        text_free(&two);
    }
    text_free(&rest);
}

void forget_sizes(struct search *s)
{
    text_free(&s->sizes);
    text_free(&s->bounds);
}

/* "of n = 2: right with n = 1, wrong from n = 2 on" is more than was tried; so no "on". */
void find_sizes(struct search *s)
{
    const struct lab *lab = s->x->verify->lab;
    uint64_t right;

    for (const char *e = lab->extents ? lab->extents : ""; *e; e++) {
        uint64_t most = extent_of(&s->smallest, *e);

        if (shrink(s, &s->smallest, *e, &right)) {
            put_sizes(s, e, right, extent_of(&s->smallest, *e), most);
        } else if (right_above(s, &s->smallest, *e, &right)) {
            s->edge = s->smallest;
            s->sharp = true;
            set_extent(&s->edge, *e, right - 1);
            put_sizes(s, e, right, right - 1, 0);
        }
    }
}
