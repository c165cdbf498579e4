/* idle.c - blocks of a right kernel that have nothing to do (diagnosing.h): a launch record that
 * says fewer outputs a thread than the kernel makes.
 */
#include "diagnosing.h"

#include <string.h>

enum { BLOCKS = 4 }; /* several */

/* What the largest grid of a case has, and the most instructions that a warp of it takes. */
struct work {
    bool right;
    uint64_t blocks, longest;
};

static struct work work_of(struct search *s, const struct lab_case *c)
{
    struct work w = {false, 0, 0};
    struct sample r;

    w.right = experiment_run(s->x, c, s->x->verify->seed, false, &r) == RUN_OK;
    for (int i = 0; i < r.plan.nsteps; i++) {
        const uint32_t *grid = r.plan.steps[i].grid;
        uint64_t n = (uint64_t)grid[0] * grid[1] * grid[2];

        w.blocks = n > w.blocks ? n : w.blocks;
    }
    w.longest = r.outputs.counted ? r.outputs.counters.inst_executed_max_warp : 0;
    sample_free(&r);
    return w;
}

static struct work work_with(struct search *s, const struct lab_case *c, struct launch_record r)
{
    struct launch_record given = s->x->record;

    s->x->record = r;
    struct work w = work_of(s, c);
    s->x->record = given;
    return w;
}

/* It is with the record as it is, and is not with this one: along n or m, beyond what a few blocks
 * of it take, where those of a small case may have room left. */
static bool fails_beyond(struct search *s, const struct lab_case *of, struct launch_record more)
{
    const char *extents = s->x->verify->lab->extents;
    bool known = false;

    for (int along = 0; along < 2; along++) {
        struct lab_case c = *of;
        uint64_t *extent = along ? &c.m : &c.n;

        if (!strchr(extents, along ? 'm' : 'n') || !*extent)
            continue;
        *extent = BLOCKS * (uint64_t)more.block_x * more.items + 3;
        if (elements_of(s, &c) > MOST || !work_of(s, &c).right)
            continue;
        known = true;
        if (!work_with(s, &c, more).right)
            return true;
    }
    return !known;
}

/* With so many for each thread it is right on all that is quick, and on some of several blocks a
 * fraction of them do it, each with no more work: who takes what others leave does more. */
static bool does_without(struct search *s, struct launch_record more)
{
    const struct lab_case *few = NULL;
    bool right = true;

    for (int i = 0; i < s->nfailed && right; i++) {
        const struct lab_case *c = s->failed[i];

        if (elements_of(s, c) > MOST)
            continue;
        struct work as_is = work_of(s, c), with = work_with(s, c, more);
        right = with.right && with.longest <= as_is.longest;
        if (as_is.blocks >= BLOCKS && with.blocks <= (as_is.blocks + 1) / 2 &&
            (!few || elements_of(s, c) < elements_of(s, few)))
            few = c;
    }
    return right && few && !fails_beyond(s, few, more);
}

uint32_t most_items(struct search *s)
{
    struct launch_record given = s->x->record, most = given;

    if (!s->x->variant->has_record || !s->x->verify->lab->extents)
        return given.items;
    for (uint32_t items = 2 * given.items; items && items <= 1024; items *= 2) {
        struct launch_record more = given, used;
        struct text note = {0};

        more.items = items;
        used = more;
        record_clamp(s->x->variant, &more, &used, &note);
        bool may = !note.length && used.items == items;
        text_free(&note);
        if (!may || !does_without(s, more))
            break;
        most = more;
    }
    return most.items;
}

void by_idle(struct search *s)
{
    uint32_t items = s->x->record.items, most = most_items(s);

    if (most != items)
        text_addf(&s->d->beside,
                  "with %u for the third number (items) in LAUNCH, in place of %u, fewer blocks do "
                  "it, and none does more: the others have nothing of their own to do",
                  most, items);
}
