/* sound.c - is a changed kernel right wherever it is quickly tried: on the lab's cases, watched by
 * the checker, on sizes and inputs of other cases, as two faults may cancel out on a few, and on a
 * large one, in which loops go round where a grid takes all of a small one at once (diagnosing.h).
 */
#include "diagnosing.h"
#include "lab/random.h"

#include <string.h>

/* One of most remainders by the usual blocks and vectors, and a few beyond a block or four. */
static const uint64_t sizes[] = {
    1,    2,    3,    4,    5,    6,    7,    8,    9,    11,   12,   15,  16,  17,
    18,   31,   32,   33,   36,   47,   62,   63,   64,   65,   66,   67,  97,  100,
    127,  128,  129,  130,  131,  192,  200,  254,  255,  256,  257,  258, 259, 260,
    321,  385,  506,  507,  508,  509,  510,  511,  512,  513,  514,  515, 516, 517,
    1000, 1019, 1022, 1023, 1024, 1025, 1026, 1027, 1029, 1500, 2047, 2049};
enum {
    NSIZES = sizeof(sizes) / sizeof(*sizes),
    KINDS = 24, /* of cases */
    A_KIND = 24,
    SEEDS = 12,
    RANKS = 4,       /* devices, of which there are not so many */
    TOGETHER = 60,   /* small sizes of all extents at once, */
    SMALL = 40,      /* up to this */
    FURTHER = 20000, /* elements */
    LARGE = 1 << 21,
    STEPS_OF_LARGE = 1 << 24,
    TRIES_OF_LARGE = 3, /* the next smaller one, where one takes too long */
    STEP = 29           /* from one extent's size to the next one's; NSIZES is no multiple of it */
};
_Static_assert(NSIZES % STEP != 0, "all sizes are met");

bool is_clean(struct search *s, const struct lab_case *c)
{
    struct sample sample;
    bool right = experiment_run(s->x, c, s->x->verify->seed, true, &sample) == RUN_OK &&
                 (!sample.outputs.findings || !*sample.outputs.findings);

    sample_free(&sample);
    return right;
}

/* What takes too long here need not be wrong. */
static bool is_wrong_with(struct search *s, const struct lab_case *c, uint64_t seed, bool *ran)
{
    struct sample sample;
    enum run_end end = experiment_run(s->x, c, seed, false, &sample);
    bool late = sample.outputs.error == cudaErrorLaunchTimeout;

    sample_free(&sample);
    *ran = end == RUN_OK;
    return !late && is_failure(end);
}

/* But for its sizes. */
static bool is_same_kind(const struct lab *lab, const struct lab_case *a, const struct lab_case *b)
{
    return a->dtype == b->dtype && a->op == b->op && a->block == b->block &&
           !((a->flags ^ b->flags) & (CASE_SPECIAL | CASE_DATA)) &&
           (a->param == b->param || strchr(lab->extents, 'p'));
}

/* … and for what else is a case's own, as the stride of a copy. */
static bool is_as_given(const struct lab *lab, const struct lab_case *a, const struct lab_case *b)
{
    return is_same_kind(lab, a, b) && (a->m == b->m || strchr(lab->extents, 'm')) &&
           (a->k == b->k || strchr(lab->extents, 'k'));
}

enum { ALL, BY_EIGHT, NOT_ALONE, WAYS };

static uint64_t size_of(const struct search *s, const struct lab_case *c, int k, int i, int way)
{
    const char *extents = s->x->verify->lab->extents;
    uint64_t was = extent_of(c, extents[k]),
             size = sizes[(extents[1] ? i + k * STEP + i * k : i) % NSIZES];

    if (!was || (was == 1 && way == NOT_ALONE))
        return was;
    if (extents[k] == 'p' && s->x->verify->lab->ranks)
        return size % RANKS + 1;
    return way == BY_EIGHT && extents[k] != 'p' ? (size + 7) / 8 * 8 : size;
}

/* The i-th of its sizes; or, where no others are taken, the next multiples of 8, or of extents that
 * are more than 1 alone. False: the lab has no such. */
static bool resize(const struct search *s, struct lab_case *c, int i)
{
    const struct lab_case was = *c;
    const char *extents = s->x->verify->lab->extents;
    uint64_t n = UINT64_MAX;

    for (int way = ALL; way < WAYS && n == UINT64_MAX; way++) {
        for (int k = 0; extents[k]; k++)
            set_extent(c, extents[k], size_of(s, &was, k, i, way));
        n = elements_of(s, c);
    }
    return n <= FURTHER;
}

/* A small size of each extent; alone: but of those that are 1. */
static void make_small(const struct search *s, struct lab_case *c, uint64_t draw, bool alone)
{
    const struct lab *lab = s->x->verify->lab;

    for (int k = 0; lab->extents[k]; k++) {
        bool ranks = lab->extents[k] == 'p' && lab->ranks;
        uint64_t was = extent_of(c, lab->extents[k]);

        if (was && (was > 1 || ranks || !alone))
            set_extent(c, lab->extents[k],
                       1 + random_u64(draw, (uint64_t)k) % (ranks ? RANKS : SMALL));
    }
}

/* On small sizes of several extents at once: what one makes of another, as a share's beginning. */
static bool right_together(struct search *s, const struct lab_case *first, int *n)
{
    const char *extents = s->x->verify->lab->extents;
    bool right = true;

    edits_budget(s, STEPS);
    for (uint64_t i = 0; extents && extents[0] && extents[1] && i < TOGETHER && right; i++) {
        struct lab_case c = *first;
        bool ran = false;

        make_small(s, &c, i, false);
        if (elements_of(s, &c) == UINT64_MAX) {
            c = *first;
            make_small(s, &c, i, true);
        }
        if (elements_of(s, &c) > FURTHER)
            continue;
        right = !is_wrong_with(s, &c, s->x->verify->seed + NSIZES + i, &ran);
        *n += ran;
    }
    return right;
}

/* On all sizes of the first kind, and some of each other that the lab has, also where its own cases
 * are large: of two extents each has every size, one of the other's with it. *n: right on so many
 * more. */
static bool right_on_sizes(struct search *s, const struct lab_case *first, int *n)
{
    const struct lab *lab = s->x->verify->lab;
    const struct lab_case *kinds[KINDS] = {first};
    int nkinds = 1;
    bool right = true;

    for (int c = 0; c < lab->ncases && nkinds < KINDS && lab->extents; c++) {
        bool new = elements_of(s, &lab->cases[c]) < UINT64_MAX;

        for (int k = 0; k < nkinds && new; k++)
            new = !is_as_given(lab, &lab->cases[c], kinds[k]);
        if (new)
            kinds[nkinds++] = &lab->cases[c];
    }
    for (int k = 0; k < nkinds && lab->extents; k++) {
        edits_budget(s, STEPS);
        for (int i = 0; i < (k ? A_KIND : NSIZES) && right; i++) {
            struct lab_case c = *kinds[k];
            bool ran = false;

            if (!resize(s, &c, k ? i * NSIZES / A_KIND + k : i))
                continue;
            right = !is_wrong_with(s, &c, s->x->verify->seed + 1 + (uint64_t)i, &ran);
            *n += ran;
        }
    }
    return right && right_together(s, first, n);
}

/* Where `first` is hardly a warp's: the smallest of the lab's that is more. NULL: none. */
static const struct lab_case *of_several_warps(const struct search *s, const struct lab_case *first)
{
    const struct lab *lab = s->x->verify->lab;
    const struct lab_case *best = NULL;

    for (int i = 0; i < lab->ncases && elements_of(s, first) < SEVERAL_WARPS; i++) {
        uint64_t n = elements_of(s, &lab->cases[i]);

        if (n >= SEVERAL_WARPS && n <= MOST && (!best || n < elements_of(s, best)))
            best = &lab->cases[i];
    }
    return best;
}

/* The lab's largest case of the first one's kind that has less than so many elements; NULL: none
 * that is not quick. */
static const struct lab_case *large_case(const struct search *s, const struct lab_case *first,
                                         uint64_t below)
{
    const struct lab *lab = s->x->verify->lab;
    const struct lab_case *best = NULL;

    for (int i = 0; i < lab->ncases; i++) {
        const struct lab_case *c = &lab->cases[i];
        uint64_t n = is_same_kind(lab, c, first) ? elements_of(s, c) : 0;

        if (n > MOST && n < below && (!best || n > elements_of(s, best)))
            best = c;
    }
    return best;
}

/* Not counted as tries: it is run for changes alone that are right on a small one. A kernel that is
 * not there says nothing. */
enum on_large on_large(struct search *s, const struct lab_case *first)
{
    const struct lab_case *c = first;
    enum on_large on = NONE_LARGE;
    bool counts = s->x->edits->counts;

    s->x->edits->counts = false;
    for (int i = 0; i < TRIES_OF_LARGE && c && on == NONE_LARGE; i++) {
        struct sample sample;

        c = large_case(s, first, i ? elements_of(s, c) : LARGE);
        if (!c)
            break;
        edits_budget(s, STEPS_OF_LARGE);
        enum run_end end = experiment_run(s->x, c, s->x->verify->seed, false, &sample);
        if (sample.outputs.error != cudaErrorLaunchTimeout && end != RUN_NO_KERNEL)
            on = end == RUN_OK ? RIGHT_ON_LARGE : is_failure(end) ? WRONG_ON_LARGE : NONE_LARGE;
        sample_free(&sample);
    }
    edits_budget(s, STEPS);
    s->x->edits->counts = counts;
    return on;
}

enum on_large on_twice(struct search *s, const struct lab_case *first)
{
    const char *extents = s->x->verify->lab->extents;
    enum on_large on = extents ? NONE_LARGE : RIGHT_ON_LARGE;
    bool counts = s->x->edits->counts, ran;

    s->x->edits->counts = false;
    for (const char *e = extents ? extents : ""; *e && on != WRONG_ON_LARGE; e++) {
        struct lab_case c = *first;

        set_extent(&c, *e, 2 * extent_of(first, *e));
        if (!extent_of(first, *e) || elements_of(s, &c) == UINT64_MAX)
            continue;
        edits_budget(s, STEPS_OF_LARGE);
        if (is_wrong_with(s, &c, s->x->verify->seed, &ran))
            on = WRONG_ON_LARGE;
        else if (ran)
            on = RIGHT_ON_LARGE;
    }
    edits_budget(s, STEPS);
    s->x->edits->counts = counts;
    return on;
}

/* Of those that were wrong and are quick, the one of most elements, with other numbers: what is
 * rounded is seldom wrong. *n: right on so many more. */
static bool right_on_seeds(struct search *s, int *n)
{
    const struct lab_case *best = NULL;
    bool right = true;

    for (int i = 0; i < s->nfailed; i++) {
        uint64_t of = elements_of(s, s->failed[i]);

        if (of <= MOST && (!best || of > elements_of(s, best)))
            best = s->failed[i];
    }
    edits_budget(s, STEPS);
    for (uint64_t i = 0; i < SEEDS && best && right; i++) {
        bool ran;

        right = !is_wrong_with(s, best, s->x->verify->seed + NSIZES + 1 + i, &ran);
        *n += ran;
    }
    return right;
}

int right_on(struct search *s, const struct lab_case *first, uint64_t steps)
{
    const struct lab *lab = s->x->verify->lab;
    bool ran;
    int n = 0;

    edits_budget(s, steps);
    if (!passes(s, first))
        return 0;
    edits_budget(s, STEPS);
    for (int i = 0; i < s->nfailed; i++) {
        if (elements_of(s, s->failed[i]) <= MOST && !passes(s, s->failed[i]))
            return 0;
    }
    for (int i = 0; i < lab->ncases; i++) {
        if (elements_of(s, &lab->cases[i]) > MOST)
            continue;
        if (is_wrong_with(s, &lab->cases[i], s->x->verify->seed, &ran))
            return 0;
        n++;
    }
    edits_budget(s, STEPS);
    if (!is_clean(s, first))
        return 0;
    const struct lab_case *rich = of_several_warps(s, first);
    edits_budget(s, STEPS);
    if (rich && !is_clean(s, rich))
        return 0;
    edits_budget(s, STEPS);
    return right_on_sizes(s, first, &n) && right_on_seeds(s, &n) ? n : 0;
}
