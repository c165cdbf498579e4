/* rounds.c - what came to mbarriers, for words about what goes wrong at them.
 *
 * Interface: private.h. Of each mbarrier of a block: for how many arrivals it was made, who has
 * arrived, how many of its rounds (phases) are over, who has waited and by which parity, how many
 * bytes it was told to expect and how many came. None of it is a finding: a right program may leave
 * rounds that nobody waits for, and have threads arrive in turn. It is said of an mbarrier that has
 * to do with a finding, or that a block waits for in vain.
 * Not looked at: counts of mbarriers at which threads drop out (arrive_drop).
 */
#include "private.h"
#include "emulator/exec/guard.h"
#include "emulator/exec/mbarrier.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct arriver {
    const struct site *site;
    uint32_t block, warp, lane;
    uint32_t times;
    uint32_t most; /* at a time: lanes of one instruction come together */
};
struct waiter {
    const struct site *site; /* of the last wait that was over; NULL: there was none */
    uint32_t times, over;    /* over: rounds, then */
    bool same, again;        /* some wait named the parity of the one before; the last one did */
};
struct rounds {
    uint64_t at, state;
    const struct site *made;
    uint32_t over, unwaited; /* unwaited: since somebody has waited */
    bool piled, drops;       /* piled: two were over, and nobody had waited between them */
    bool asked, surplus;     /* in this round it was told what to expect; and that was too little */
    bool foreign;            /* bytes came by other blocks' copies, too */
    struct arriver *arrivers;
    uint32_t narrivers, most_arrivers;
    const struct site *expects;
    uint64_t expected, brought; /* bytes in all */
    struct waiter waiters[MAX_WARPS];
};
struct all_rounds {
    struct rounds *x;
    uint32_t n, most;
    uint64_t last[MAX_WARPS]; /* the mbarrier that a warp has waited for last, and by what */
    const struct site *by[MAX_WARPS];
};

/* ---- what is kept ---- */
static struct rounds *find(const struct block_state *b, uint64_t at)
{
    struct all_rounds *all = b->rounds;

    for (uint32_t i = 0; all && i < all->n; i++)
        if (all->x[i].at == at)
            return &all->x[i];
    return NULL;
}

static struct rounds *find_or_add(struct block_state *b, uint64_t at)
{
    struct rounds *r = find(b, at);

    if (r)
        return r;
    if (!b->rounds)
        b->rounds = xcalloc(1, sizeof(*b->rounds));
    struct all_rounds *all = b->rounds;
    if (all->n == all->most) {
        all->most = 2 * all->n + 16;
        all->x = xrealloc(all->x, all->most * sizeof(*all->x));
    }
    r = &all->x[all->n++];
    *r = (struct rounds){.at = at};
    return r;
}

void rounds_begin(struct block_state *b)
{
    struct all_rounds *all = b->rounds;

    for (uint32_t i = 0; all && i < all->n; i++)
        free(all->x[i].arrivers);
    if (all) {
        all->n = 0;
        memset(all->by, 0, sizeof(all->by));
    }
}

static void arrived(struct rounds *r, const struct block_state *who, const struct access *a,
                    uint32_t n)
{
    uint32_t lane = (uint32_t)__builtin_ctz(a->mask), i = 0;

    while (i < r->narrivers && (r->arrivers[i].block != who->block ||
                                r->arrivers[i].warp != a->warp || r->arrivers[i].lane != lane))
        i++;
    if (i == r->most_arrivers) {
        r->most_arrivers = 2 * i + 4;
        r->arrivers = xrealloc(r->arrivers, r->most_arrivers * sizeof(*r->arrivers));
    }
    if (i == r->narrivers)
        r->arrivers[r->narrivers++] = (struct arriver){NULL, who->block, a->warp, lane, 0, 0};
    r->arrivers[i].times++;
    r->arrivers[i].site = a->site;
    r->arrivers[i].most = n > r->arrivers[i].most ? n : r->arrivers[i].most;
}

static void waited(struct block_state *b, struct rounds *r, const struct access *a)
{
    struct waiter *w = &r->waiters[a->warp];

    w->again = w->times && (w->over & 1) == (r->over & 1);
    w->same |= w->again;
    w->times++;
    w->over = r->over;
    w->site = a->site;
    r->unwaited = 0;
    b->rounds->last[a->warp] = r->at;
    b->rounds->by[a->warp] = a->site;
}

/* Arrivals and bytes, by what they have made of its state. */
static void counted(struct rounds *r, const struct block_state *b, const struct block_state *who,
                    const struct access *a, uint64_t now)
{
    bool over = MBARRIER_PHASE(now) != MBARRIER_PHASE(r->state);
    int32_t bytes = MBARRIER_BYTES(now) - MBARRIER_BYTES(r->state);
    uint32_t n =
        MBARRIER_PENDING(r->state) - MBARRIER_PENDING(now) + (over ? MBARRIER_EXPECTED(now) : 0);

    if (MBARRIER_EXPECTED(now) != MBARRIER_EXPECTED(r->state))
        r->drops = true;
    else if (n && !site_brings(a->site))
        arrived(r, who, a, n);
    if (bytes > 0) {
        r->expected += (uint64_t)bytes;
        r->expects = a->site;
        r->asked = true;
    } else {
        r->brought += (uint64_t)(-(int64_t)bytes);
        r->foreign |= bytes && who != b;
    }
    r->surplus |= r->asked && MBARRIER_BYTES(now) < 0 && !over;
    r->asked &= !over;
    r->over += over;
    r->unwaited += over;
    r->piled |= r->unwaited > 1;
    r->state = now;
}

void rounds_hear(struct block_state *b, const struct block_state *who, const struct access *a)
{
    uint64_t at = a->addr[__builtin_ctz(a->mask)], now;

    if (!b->info->shared)
        return;
    memcpy(&now, b->info->shared + at, sizeof(now));
    struct rounds *r = find_or_add(b, at);
    if (a->site->sets_up) {
        free(r->arrivers);
        *r = (struct rounds){.at = at, .made = a->site, .state = now};
    } else if (a->kind == ACCESS_LOAD) {
        waited(b, r, a);
    } else {
        counted(r, b, who, a, now);
    }
}

uint32_t rounds_over(const struct block_state *b, uint64_t at)
{
    const struct rounds *r = find(b, at);

    return r ? r->over : 0;
}

bool rounds_waited(const struct block_state *b, uint32_t warp, uint64_t *at)
{
    const struct all_rounds *all = b->rounds;

    if (!all || !all->by[warp])
        return false;
    *at = all->last[warp];
    return true;
}

bool rounds_waited_for_nothing(const struct block_state *b, uint32_t warp)
{
    uint64_t at;
    const struct rounds *r = rounds_waited(b, warp, &at) ? find(b, at) : NULL;

    return r && r->waiters[warp].over == 0;
}

/* ---- in words ---- */
static uint32_t arrivals(const struct rounds *r)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->narrivers; i++)
        n += r->arrivers[i].most;
    return n;
}

static void put_mbarrier(struct text *t, const struct block_state *b, const struct rounds *r)
{
    text_add(t, "the mbarrier at ");
    shared_map_describe(t, b->info->map, r->at);
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

/* More come than it was made for. */
static bool too_many(const struct rounds *r)
{
    return r->made && !r->drops && arrivals(r) > MBARRIER_EXPECTED(r->state);
}

static void put_too_many(struct text *t, const struct rounds *r)
{
    uint32_t made_for = MBARRIER_EXPECTED(r->state);

    text_addf(t, "made for %u arrival%s (", made_for, plural(made_for));
    report_put_site(t, r->made);
    text_add(t, "), and the threads that arrive there (");
    report_put_site(t, r->arrivers[0].site);
    text_addf(t, ") make %u, once each", arrivals(r));
    if (r->piled)
        text_add(t, "; two of its rounds were over with nobody having waited between them");
}

bool rounds_put_too_many(struct text *t, const struct block_state *b, uint64_t at)
{
    const struct rounds *r = find(b, at);

    if (!r || !too_many(r))
        return false;
    text_add(t, "    before that, this thread has waited for ");
    put_mbarrier(t, b, r);
    text_add(t, ": it is ");
    put_too_many(t, r);
    text_add(t, "\n    is it made for as many as arrive in a round?\n");
    return true;
}

/* Has nobody of the block arrived there as often as its rounds are over? */
static bool absent(const struct rounds *r, uint32_t block)
{
    for (uint32_t i = 0; i < r->narrivers; i++)
        if (r->arrivers[i].block == block && r->arrivers[i].times >= r->over)
            return false;
    return r->made && !r->drops && r->over;
}

bool rounds_put_absent(struct text *t, const struct block_state *b, uint32_t warp,
                       const struct block_info *reader)
{
    const uint32_t *c = reader->ctaid;
    uint64_t at;
    const struct rounds *r = rounds_waited(b, warp, &at) ? find(b, at) : NULL;

    if (!r || !absent(r, reader->index))
        return false;
    text_add(t, "    before that, this thread has waited for ");
    put_mbarrier(t, b, r);
    text_add(t, ", made for ");
    text_addf(t, "%u arrival%s (", MBARRIER_EXPECTED(r->state),
              plural(MBARRIER_EXPECTED(r->state)));
    report_put_site(t, r->made);
    text_addf(t,
              "): %u round%s of it %s over, and no thread of block (%u,%u,%u), where the place is, "
              "had arrived there%s\n",
              r->over, plural(r->over), r->over == 1 ? "was" : "were", c[0], c[1], c[2],
              r->over == 1 ? "" : " as often");
    text_add(t, "    is it made for as many as arrive in a round?\n");
    return true;
}

bool rounds_put_again(struct text *t, const struct block_state *b, uint32_t warp)
{
    uint64_t at;
    const struct rounds *r = rounds_waited(b, warp, &at) ? find(b, at) : NULL;

    if (!r || !r->waiters[warp].again)
        return false;
    text_add(t, "    before that, this thread has waited for ");
    put_mbarrier(t, b, r);
    text_addf(t, " by parity %u, as the time before (", (r->over + 1) & 1);
    report_put_site(t, r->waiters[warp].site);
    text_add(t, "): does its count of rounds begin anew?\n");
    return true;
}

/* Bytes may come before they are expected, but not when that was said, or nobody is left to say it.
 */
static const struct rounds *with_surplus(const struct block_state *b)
{
    const struct all_rounds *all = b->rounds;

    for (uint32_t i = 0; all && i < all->n; i++) {
        const struct rounds *r = &all->x[i];

        if (r->expects && r->brought > r->expected && (r->surplus || b->ended))
            return r;
    }
    return NULL;
}

bool rounds_put_surplus(struct text *t, const struct block_state *b)
{
    const struct rounds *r = with_surplus(b);

    if (!r)
        return false;
    text_add(t, "    ");
    put_mbarrier(t, b, r);
    text_addf(t, " has been told to expect %" PRIu64 " bytes in all (", r->expected);
    report_put_site(t, r->expects);
    text_addf(t, "), and %" PRIu64 " have come, so that its rounds are over too soon\n",
              r->brought);
    text_addf(t, "    Does expect_tx name the bytes of all copies%s?\n",
              r->foreign ? ", those of other blocks, too" : "");
    return true;
}

/* Rounds are numbered from 1. */
static void put_round(struct text *t, uint32_t round)
{
    text_addf(t, "round %u (parity %u)", round, (round + 1) & 1);
}

static void put_last_wait(struct text *t, const struct waiter *w)
{
    text_add(t, "this warp's last wait for it (");
    report_put_site(t, w->site);
    if (w->over) {
        text_add(t, ") was for ");
        put_round(t, w->over);
    } else {
        text_add(t, ") was for parity 1 before its first round was over, and waits for nothing");
    }
}

void rounds_put_read_early(struct text *t, const struct block_state *b, uint32_t warp, uint64_t at,
                           uint32_t over)
{
    const struct rounds *r = find(b, at);
    const struct waiter *w = r ? &r->waiters[warp] : NULL;

    if (w && w->times) {
        text_add(t, "    ");
        put_mbarrier(t, b, r);
        text_add(t, " counts it in ");
        put_round(t, over + 1);
        text_add(t, "; ");
        put_last_wait(t, w);
        text_add(t, "\n    does the wait name the parity of the copy's own round?\n");
    } else {
        text_add(t, "    a wait for its mbarrier missing, or for another round's parity?\n");
    }
}

/* Of the mbarriers set up where this one is, one that a warp waits for by one parity twice. */
static const struct rounds *with_one_parity(const struct block_state *b, const struct rounds *like,
                                            uint32_t *warp)
{
    const struct all_rounds *all = b->rounds;

    for (uint32_t i = 0; like->made && i < all->n; i++) {
        const struct rounds *r = &all->x[i];

        for (*warp = 0; r->made && r->made->line == like->made->line && *warp < b->nwarps; ++*warp)
            if (r->waiters[*warp].same)
                return r;
    }
    return NULL;
}

static void put_one_parity(struct text *t, const struct block_state *b, const struct rounds *like)
{
    uint32_t warp = 0;
    const struct rounds *r = with_one_parity(b, like, &warp);

    if (!r)
        return;
    text_add(t, "    ");
    report_put_site(t, r->waiters[warp].site);
    text_addf(t, ": warp %u has waited for ", warp);
    put_mbarrier(t, b, r);
    text_addf(t,
              " by the same parity twice in a row: does its count of rounds begin anew, or go on "
              "in another way than that of who fills it?\n");
}

void rounds_put_left(struct text *t, const struct block_state *b, uint64_t at, uint32_t over)
{
    const struct rounds *r = find(b, at);
    const struct waiter *last = NULL;

    if (!r)
        return;
    for (uint32_t w = 0; w < b->nwarps; w++)
        if (r->waiters[w].times && (!last || r->waiters[w].over > last->over))
            last = &r->waiters[w];
    text_add(t, "    ");
    put_mbarrier(t, b, r);
    text_add(t, " counts it in ");
    put_round(t, over + 1);
    if (last && last->over) {
        text_add(t, ", and the last wait for it (");
        report_put_site(t, last->site);
        text_add(t, ") was for ");
        put_round(t, last->over);
    } else {
        text_add(t, ", and nobody has waited for any of its rounds");
    }
    text_add(t, "\n    is more asked for than is used, or a wait missing?\n");
    put_one_parity(t, b, r);
}

void rounds_put_waiting(struct text *t, const struct block_state *b, uint32_t warp, uint64_t at)
{
    const struct rounds *r = find(b, at);
    uint32_t n = r ? arrivals(r) : 0;

    if (!r || !r->made)
        return;
    const struct waiter *w = &r->waiters[warp];
    text_addf(t, " (%u round%s of it %s over; warp %u has waited for it %u time%s before", r->over,
              plural(r->over), r->over == 1 ? "is" : "are", warp, w->times, plural(w->times));
    if (w->times && (w->over & 1) != (r->over & 1))
        text_addf(t, ", last by parity %u, too", r->over & 1);
    if (too_many(r)) {
        text_add(t, "; it is ");
        put_too_many(t, r);
    } else if (!r->drops && !n) {
        text_add(t, "; nobody has ever arrived at it");
    } else if (!r->drops && n < MBARRIER_EXPECTED(r->state)) {
        text_addf(t, "; the threads that have ever arrived at it make %u arrival%s, once each", n,
                  plural(n));
    }
    text_add(t, ")");
}
