/* sizes.c - at which sizes is a kernel wrong, and at which right (diagnosing.h)? Two neighbours are
 * told where they say something of other sizes, too: not where it is by chance of the inputs.
 */
#include "diagnosing.h"
#include "lab/plan.h"

#include <inttypes.h>

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

/* What of an extent decides it, where one size is right and its neighbour not. False: nothing that
 * is known. */
static bool find_rest(struct search *s, char which, uint64_t right, uint64_t wrong, struct text *t)
{
    const char *name = extent_name(s->x->verify->lab, which);
    bool first = wrong < right; /* … is wrong */
    uint64_t least = first ? 0 : right - (right > 0);
    int n;

    if ((n = multiples_are(s, &s->smallest, which, right, least, true)))
        text_addf(t,
                  ": of %d sizes %sthat were tried those are right that are multiples of %" PRIu64
                  ", and no others",
                  n, first ? "" : "from there on ", right);
    else if ((n = multiples_are(s, &s->smallest, which, wrong, 0, false)))
        text_addf(t,
                  ": of %d sizes that were tried those are wrong where %s is a multiple of %" PRIu64
                  ", and no others",
                  n, name, wrong);
    return n;
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

/* The sizes that the extents before this one have by then. */
static void put_others(struct search *s, const char *extent, struct text *t)
{
    const struct lab *lab = s->x->verify->lab;

    text_add(t, t->length ? "; " : "");
    for (const char *e = lab->extents; e < extent; e++)
        text_addf(t, "%s%s = %" PRIu64 ", ", e == lab->extents ? "with " : "", extent_name(lab, *e),
                  extent_of(&s->smallest, *e));
}

/* Of two neighbours one is right: told where it says something of other sizes, too. */
static void put_sizes(struct search *s, const char *extent, uint64_t right, uint64_t wrong,
                      uint64_t most, struct text *t)
{
    const char *name = extent_name(s->x->verify->lab, *extent);
    const uint64_t less = right < wrong ? right : wrong, more = right < wrong ? wrong : right;
    struct text rest = {0};

    if (find_rest(s, *extent, right, wrong, &rest) || bears_out(s, *extent, right, wrong, most)) {
        put_others(s, extent, t);
        text_addf(t, "%s = %" PRIu64 " is %sright, %s = %" PRIu64 " is%s%s", name, less,
                  right < wrong ? "" : "not ", name, more, right < wrong ? " not" : "",
                  text_str(&rest));
    }
    text_free(&rest);
}

/* "of n = 2: right with n = 1, wrong from n = 2 on" is more than was tried; so no "on". */
void find_sizes(struct search *s, struct text *t)
{
    const struct lab *lab = s->x->verify->lab;
    uint64_t right;

    for (const char *e = lab->extents ? lab->extents : ""; *e; e++) {
        uint64_t most = extent_of(&s->smallest, *e);

        if (shrink(s, &s->smallest, *e, &right)) {
            put_sizes(s, e, right, extent_of(&s->smallest, *e), most, t);
        } else if (right_above(s, &s->smallest, *e, &right)) {
            s->edge = s->smallest;
            s->sharp = true;
            set_extent(&s->edge, *e, right - 1);
            put_sizes(s, e, right, right - 1, 0, t);
        }
    }
}
