/* launches.c - with which launch records is a kernel right as it is (diagnosing.h)? */
#include "base/alloc.h"
#include "base/text.h"
#include "diagnosing.h"
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { A_WORD = 4 /* bytes */, STEPS_OF_SHARED = 1 << 20, STEPS_OF_MANY = 1 << 24 };

uint64_t blocks_of(const struct search *s, const struct lab_case *c, bool layers)
{
    struct sample sample;
    uint64_t most = 0;

    if (experiment_plan(s->x, c, &sample)) {
        for (int i = 0; i < sample.plan.nsteps; i++) {
            const uint32_t *grid = sample.plan.steps[i].grid;
            uint64_t n = layers ? grid[2] : (uint64_t)grid[0] * grid[1] * grid[2];

            most = n > most ? n : most;
        }
    }
    sample_free(&sample);
    return most;
}

/* Where all of those were large: on its first extent made so many, where it was wrong as it is. */
static bool right_on_some(struct search *s, uint64_t block)
{
    const char *extents = s->x->verify->lab->extents;
    struct lab_case c = s->smallest;

    if (!extents || !*extents || !extent_of(&c, *extents))
        return false;
    uint64_t n = extent_of(&c, *extents) + block;
    set_extent(&c, *extents, n > 4 * block + 1 ? n : 4 * block + 1);
    return elements_of(s, &c) <= MOST && passes(s, &c) && blocks_of(s, &c, false) > 1;
}

/* Whose threads are many, though its inputs are few, as where all blocks have one table: what takes
 * long there need not be wrong. */
static bool is_of_many(const struct search *s, const struct lab_case *c)
{
    const struct launch_record *r = &s->x->record;

    return blocks_of(s, c, false) * r->block_x * (r->block_y ? r->block_y : 1) > MOST;
}

/* One that was stopped is run again, for longer. */
static enum run_end how_it_ends_at_last(struct search *s, const struct lab_case *c)
{
    struct experiment before = *s->x;
    enum run_end end = how_it_ends(s, c);

    if (end == RUN_ENDLESS) {
        edits_budget(s, STEPS_OF_MANY);
        end = how_it_ends(s, c);
        s->x->runs = before.runs;
        s->x->instructions = before.instructions;
        s->x->steps = before.steps;
    }
    return end;
}

/* Is it right on all of the lab's cases, but for the large ones? One of them must be of several
 * blocks: a block alone is right where all do the same. Where blocks stay as they are, what is cut
 * off says nothing. */
static bool right_on_all(struct search *s, bool blocks_stay)
{
    const struct lab *lab = s->x->verify->lab;
    const struct launch_record *r = &s->x->record;
    uint64_t most = 0, blocks = 0,
             block =
                 (uint64_t)r->block_x * (r->block_y ? r->block_y : 1) * (r->items ? r->items : 1);
    bool large = true; /* all that failed */

    for (int i = 0; i < s->nfailed; i++) {
        bool small = elements_of(s, s->failed[i]) <= MOST;

        if (small && !passes(s, s->failed[i]))
            return false;
        large &= !small;
    }
    /* Of those, what was made of them is to tell: else nothing that was wrong is looked at. */
    if (large && (!s->smallest.name || !passes(s, &s->smallest)))
        return false;
    for (int i = 0; i < lab->ncases; i++) {
        const struct lab_case *c = &lab->cases[i];
        uint64_t n = elements_of(s, c);

        if (n > MOST)
            continue;
        enum run_end end = how_it_ends_at_last(s, c);

        if (end == RUN_ENDLESS && blocks_stay && is_of_many(s, c))
            continue;
        if (end != RUN_OK)
            return false;
        most = n > most ? n : most;
        blocks = blocks > 1 ? blocks : blocks_of(s, c, false);
    }
    return (most > 3 * block && blocks > 1) || (large && right_on_some(s, block));
}

static uint32_t *field(struct launch_record *r, int which)
{
    return which == 0 ? &r->block_x : which == 1 ? &r->block_y : &r->items;
}

/* With larger blocks a fault may only begin later: right, too, on what is larger by as much, one
 * way and the other? */
static bool right_further(struct search *s, uint32_t times)
{
    const struct lab *lab = s->x->verify->lab;
    struct lab_case most = {0};
    uint64_t size = 0;
    bool right = true;

    if (!lab->extents || !*lab->extents)
        return true;
    for (int i = 0; i < s->nfailed; i++) {
        uint64_t n = elements_of(s, s->failed[i]);

        if (n > MOST || n < size)
            continue;
        most = *s->failed[i];
        size = n;
    }
    for (const char *e = lab->extents; *e && right; e++) {
        struct lab_case further = most;

        set_extent(&further, *e, extent_of(&most, *e) * times + 1);
        enum run_end end = how_it_ends(s, &further);
        right = e == lab->extents ? end == RUN_OK : end != RUN_WRONG; /* it need not be a case */
    }
    return right;
}

/* … and on all that failed, large as they are; what takes too long says nothing. */
static bool right_on_failed(struct search *s)
{
    bool right = true;

    for (int i = 0; i < s->nfailed && right; i++) {
        if (elements_of(s, s->failed[i]) <= MOST)
            continue; /* it was seen */
        enum run_end end = how_it_ends_at_last(s, s->failed[i]);
        right = end == RUN_OK || end == RUN_ENDLESS;
    }
    return right;
}

/* The kernel as it is, with a number of one field of its launch record `times` as large, or less.
 */
static bool right_with(struct search *s, struct launch_record r, uint32_t times)
{
    struct launch_record used = r;
    struct text note = {0};

    record_clamp(s->x->variant, &r, &used, &note);
    bool allowed = !note.length && !memcmp(&used, &r, sizeof(r));
    text_free(&note);
    s->x->record = r;
    bool blocks_stay = r.block_x == s->x->own.block_x && r.block_y == s->x->own.block_y;
    return allowed && right_on_all(s, blocks_stay) && (times < 2 || right_further(s, times)) &&
           on_large(s, s->failed[0]) != WRONG_ON_LARGE && right_on_failed(s);
}

/* Powers of two; of items one less and one more than there are, too. */
static uint32_t next_number(uint32_t v, int which, uint32_t was)
{
    uint32_t power = 1;

    while (power <= v)
        power *= 2;
    for (uint32_t near = was - 1; which == 2 && was > 1 && near <= was + 1; near += 2) {
        if (v < near && near < power)
            return near;
    }
    return power;
}

/* No advice to have other blocks: more may be wrong than their size. */
static void tell_record(struct search *s, int which, const char *right, uint32_t was)
{
    if (which == 2)
        diagnosis_add(s->d, "record",
                      "with %s for the third number (items) in LAUNCH it is right, with %u it is "
                      "not: the larger that number, the fewer blocks there are; how many does each "
                      "thread of the kernel take?",
                      right, was);
    else
        diagnosis_add(s->d, "record",
                      "right with blocks of %s thread%s%s, wrong with %u: the kernel relies on a "
                      "block's size. Where does it take it for granted: a constant in its place, "
                      "or one thread or lane for each of what may be more or fewer?",
                      right, strcmp(right, "1") != 0 ? "s" : "", which ? " along y" : "", was);
}

static bool by_field(struct search *s, const struct launch_record *given, int which)
{
    struct launch_record r = *given;
    struct text right = {0};
    int n = 0, tried = 0;

    if (which == 2 && !given->items)
        return false; /* as many blocks as fit: any other number is another rule, and hides faults
                       */

    const uint32_t was = *field((struct launch_record *)given, which);
    bool larger = true; /* all that are more than given are right, and no others */

    for (uint32_t v = which == 0 ? 32 : 1; v <= 1024; v = next_number(v, which, was)) {
        *field(&r, which) = v;
        if (v == was)
            continue;
        tried++;
        bool is = right_with(s, r, v / was);
        larger &= is == (v > was);
        if (is)
            text_addf(&right, "%s%u", n++ ? " or " : "", v);
    }
    s->x->record = *given;
    /* Sizes below some bound may all be right for another reason: one alone is the kernel's own.
     * Not of shared memory that the threads beyond fill, or that so few do not. */
    bool bound = n && is_cause(s->d, "uninitialised") && (which == 1 || (!which && larger));
    bool told = which == 2 ? n && n <= tried / 2 : n == 1 || bound;
    if (told) {
        s->d->cause = which == 0 && !strcmp(right.s, "32") ? s->d->cause : "record";
        tell_record(s, which, right.s, was);
    }
    text_free(&right);
    return told;
}

/* Of its launch record, in the file; 0: not found. */
static int record_line(const struct search *s)
{
    char *begin = xformat("LAUNCH(%s,", s->x->variant->name);
    const char *source = s->x->source, *at = source ? strstr(source, begin) : NULL;
    int line = 1;

    for (const char *p = source; at && p < at; p++)
        line += *p == '\n';
    free(begin);
    return at ? line : 0;
}

/* An access of shared memory was out of bounds: with more of it? As much as there is, then less. */
static bool by_shared(struct search *s)
{
    struct launch_record given = s->x->record, r = given;
    struct experiment before = *s->x;
    uint32_t least = 0;

    for (uint32_t step = 1 << 17; step >= A_WORD && given.shared_bytes; step /= 2) {
        r.shared_bytes = least ? least - step : given.shared_bytes + step;
        edits_budget(s, STEPS_OF_SHARED);
        if (r.shared_bytes > given.shared_bytes && right_with(s, r, 0))
            least = r.shared_bytes;
    }
    s->x->record = given;
    s->x->runs = before.runs;
    s->x->instructions = before.instructions;
    s->x->steps = before.steps;
    if (least) {
        s->d->cause = "record";
        int line = record_line(s);
        char *where = line ? xformat("%s:%d: ", s->path, line) : xstrdup("");

        diagnosis_add(s->d, "record",
                      "%swith %" PRIu32 " bytes of shared memory in LAUNCH it is right, with the "
                      "%" PRIu32 " that are asked for there it is not: the kernel uses more",
                      where, least, given.shared_bytes);
        free(where);
    }
    return least;
}

static bool by_fields(struct search *s, int from, int to)
{
    struct launch_record given = s->x->record;
    bool told = false;

    for (int which = from; which < to && !told && s->x->variant->has_record; which++)
        told = by_field(s, &given, which);
    return told;
}

/* Is it right with two of its numbers in each other's place? */
static bool by_numbers_exchanged(struct search *s)
{
    static const char *const which[] = {"first", "second", "third"};
    struct launch_record given = s->x->record;
    bool told = false;

    for (int a = 0; a < 2 && !told && s->x->variant->has_record; a++) {
        for (int b = a + 1; b < 3 && !told; b++) {
            struct launch_record r = given;
            uint32_t was = *field(&r, a);

            *field(&r, a) = *field(&r, b);
            *field(&r, b) = was;
            if (was == *field(&r, a) || !was || !*field(&r, a))
                continue;
            uint32_t now = *field(&r, a), times = now > was ? now / was : was / now;
            told = right_with(s, r, times);
            if (told)
                diagnosis_add(s->d, "record",
                              "with the %s and the %s number of LAUNCH exchanged (%u and %u for %u "
                              "and %u) it is right",
                              which[a], which[b], *field(&r, a), was, was, *field(&r, a));
        }
    }
    s->x->record = given;
    return told;
}

bool by_record(struct search *s)
{
    return by_numbers_exchanged(s) || by_fields(s, 0, 2);
}

bool by_record_or_edit(struct search *s, const int *lines)
{
    bool shared = is_cause(s->d, "out-of-bounds") && s->x->variant->has_record &&
                  strstr(text_str(&s->found), "shared memory");

    /* The kernel may be meant for what it has; not where its threads bring what they should not. */
    if (!is_cause(s->d, "neutral") && by_numbers_exchanged(s))
        return true;
    /* Of what is known otherwise a block's size is no cause. */
    bool known = s->edited || is_cause(s->d, "neutral") || is_cause(s->d, "wrong-element");
    const char *cause = s->d->cause;
    bool record = !known && by_fields(s, 0, 2);
    bool steps = lines && is_cause(s->d, "unwritten") && by_edit_of(s, OF_LOOPS, lines);
    bool edited = steps || (lines ? by_edit_of(s, OF_PLACES, lines) : record && by_edit(s));
    if (record && s->edited)
        s->d->cause = cause;
    return record || edited || by_fields(s, 2, 3) || (shared && by_shared(s));
}
