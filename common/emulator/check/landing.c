/* landing.c - what bulk copies (cp.async.bulk) bring into shared memory, until it is known to have
 * come; and mbarriers that other blocks of a cluster use.
 *
 * Interface: private.h. A copy's bytes are there when the phase of its mbarrier that they are
 * counted in is complete, and for whom: for warps that have waited for that phase, and those that
 * what such a warp did then is ordered before. Until then nobody may touch the place. Each 16 bytes
 * of shared memory know the copy that came there last, which also remembers who has read it since:
 * a copy by another block of the cluster, which shadow cells (race.c) do not know, may come only
 * when those reads are over. A block that ends must know of all that others still send to it, and
 * its mbarriers must have been told to expect what came: where they were not, a phase was complete
 * too soon, though whoever read may have been late enough.
 * An element that st.async or red.async sends is a copy as well: what lanes of a warp send one
 * after the other is one, and each 4 bytes know which came there last.
 * Not looked at: whether an mbarrier's own set-up has been fenced, for those that it has been
 * ordered before; what another block's element overwrites, but for what was sent there.
 */
#include "private.h"
#include "emulator/exec/mbarrier.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16, WORD = 4 };

struct moment { /* of a warp of some block; clock 0: none */
    const struct site *site;
    uint32_t block, warp, clock;
};
struct landing {
    struct landing *next;
    struct moment asked;
    uint64_t barrier;
    uint32_t over;                 /* rounds of that, before */
    bool complete;                 /* its phase is */
    bool sent;                     /* by st.async or red.async: its places are words */
    uint32_t chunks;               /* whose last copy it is */
    uint32_t seen[MAX_WARPS];      /* clock at which a warp first heard so from the mbarrier; 0 */
    uint32_t known, told;          /* warps that know, warps that touched it and did not */
    struct moment read[MAX_WARPS]; /* last, by each warp */
};
struct mbar {
    uint64_t at;
    uint32_t phase;
    struct moment made, early; /* early: another block was here before */
    struct moment brought;     /* by whom bytes came last */
    int32_t bytes;             /* that it still expects; negative: more came */
};
struct sent { /* by a warp of another block, last */
    struct moment when;
    uint64_t barrier;
};
struct landings {
    struct landing *first, **at; /* at: by chunk */
    struct landing **words;      /* likewise of what is sent; NULL: nothing was */
    uint32_t *coming, ncoming, most_coming, nchunks;
    struct mbar *bars;
    uint32_t nbars, most_bars;
    struct sent *sent;
    uint32_t nsent, most_sent;
    bool told; /* that somebody did not wait */
};

/* ---- moments ---- */
static struct moment now(const struct block_state *b, const struct site *s, uint32_t warp)
{
    return (struct moment){s, b->block, warp, b->clock[warp]};
}
/* Is it ordered before what this warp does now? Its own are: one lane stands for all. */
static bool known_to(struct block_state *b, const struct moment *m, uint32_t warp)
{
    uint64_t cell =
        (uint64_t)m->clock << CELL_CLOCK_SHIFT | (uint64_t)m->warp << CELL_WARP_SHIFT | m->block;

    return (m->block == b->block && m->warp == warp) || order_before(b, cell, false, warp, 0);
}

/* ---- what a block has ---- */
static struct landings *landings_of(struct block_state *b)
{
    uint32_t n = b->nshared * (PAGE_BYTES / CHUNK);

    if (!b->landings)
        b->landings = xcalloc(1, sizeof(*b->landings));
    struct landings *all = b->landings;
    if (all->nchunks < n) {
        all->at = xrealloc(all->at, n * sizeof(*all->at));
        memset(all->at + all->nchunks, 0, (n - all->nchunks) * sizeof(*all->at));
        if (all->words) {
            const uint32_t per = CHUNK / WORD;
            all->words = xrealloc(all->words, n * per * sizeof(*all->words));
            memset(all->words + all->nchunks * per, 0,
                   (n - all->nchunks) * per * sizeof(*all->words));
        }
        all->nchunks = n;
    }
    return all;
}

void landing_begin(struct block_state *b)
{
    struct landings *all = b->landings;

    if (!all)
        return;
    if (all->first)
        memset(all->at, 0, all->nchunks * sizeof(*all->at));
    free(all->words);
    all->words = NULL;
    for (struct landing *l = all->first, *next; l; l = next) {
        next = l->next;
        free(l);
    }
    all->first = NULL;
    b->landed = all->told = false;
    all->ncoming = all->nbars = all->nsent = 0;
}

/* Makes room for one more element behind n of them. */
#define ROOM(array, n, most)                                                                       \
    ((n) < (most) ? (array) : ((most) = 2 * (n) + 16, xrealloc(array, (most) * sizeof(*(array)))))

static struct mbar *mbar_of(struct landings *all, uint64_t at)
{
    for (uint32_t i = 0; i < all->nbars; i++)
        if (all->bars[i].at == at)
            return &all->bars[i];
    all->bars = ROOM(all->bars, all->nbars, all->most_bars);
    all->bars[all->nbars] = (struct mbar){.at = at};
    return &all->bars[all->nbars++];
}

/* The chunk, or word, is another's, or nobody's, from now on. */
static void leave(struct landings *all, struct landing **place)
{
    struct landing *l = *place;

    *place = NULL;
    if (!l || --l->chunks)
        return;
    for (struct landing **p = &all->first; *p; p = &(*p)->next)
        if (*p == l) {
            *p = l->next;
            free(l);
            return;
        }
}

/* ---- who touches what has come ---- */
static bool has_come(struct block_state *b, const struct landing *l, struct block_state *who,
                     uint32_t warp)
{
    if (who == b && l->seen[warp])
        return true;
    for (uint32_t w = 0; l->complete && w < b->nwarps; w++) {
        struct moment m = {l->asked.site, b->block, w, l->seen[w]};

        if (m.clock && known_to(who, &m, warp))
            return true;
    }
    return false;
}

static struct asked asked_of(struct block_state *b, const struct landing *l)
{
    return (struct asked){.site = l->asked.site,
                          .of = b,
                          .block = l->asked.block,
                          .warp = l->asked.warp,
                          .barrier = l->barrier,
                          .over = l->over};
}

static void touch(struct block_state *b, const struct access *a, uint32_t lane,
                  struct landing **place)
{
    struct landing *l = *place;

    if (!((l->known | l->told) >> a->warp & 1)) {
        bool known = has_come(b, l, b, a->warp);

        *(known ? &l->known : &l->told) |= 1u << a->warp;
        const struct asked by = asked_of(b, l);
        if (!known)
            report_async(b, ASYNC_UNWAITED, a, lane, &by);
        b->landings->told |= !known;
    }
    if (a->kind == ACCESS_LOAD)
        l->read[a->warp] = now(b, a->site, a->warp);
    else
        leave(b->landings, place);
}

static void touch_all(struct block_state *b, const struct access *a, uint32_t lane,
                      struct landing **places, uint32_t unit)
{
    uint64_t end = (a->addr[lane] + a->size + unit - 1) / unit;
    uint64_t n = (uint64_t)b->landings->nchunks * (CHUNK / unit);

    for (uint64_t c = a->addr[lane] / unit; places && c < end && c < n; c++)
        if (places[c])
            touch(b, a, lane, &places[c]);
}
void landing_touched(struct block_state *b, const struct access *a)
{
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);

        touch_all(b, a, lane, b->landings->at, CHUNK);
        touch_all(b, a, lane, b->landings->words, WORD);
    }
}

/* ---- copies ---- */
void landing_chunk(struct block_state *b, const struct access *a)
{
    struct landings *all = landings_of(b);
    uint64_t at = a->addr[__builtin_ctz(a->mask)];
    uint32_t unit = a->site->sends ? WORD : CHUNK;

    if (at / CHUNK >= all->nchunks)
        return;
    if (a->site->sends && !all->words)
        all->words = xcalloc(all->nchunks, CHUNK / WORD * sizeof(*all->words));
    for (uint64_t end = at + a->size; at < end; at += unit) {
        all->coming = ROOM(all->coming, all->ncoming, all->most_coming);
        all->coming[all->ncoming++] = (uint32_t)(at / unit);
    }
}

/* A copy for b that a warp of `who` asks for comes over another. */
static void overwrite(struct block_state *b, const struct landing *old, struct block_state *who,
                      const struct access *a, uint64_t to)
{
    uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
    uint64_t at[32] = {0};
    struct access c = *a;

    c.addr = at;
    c.kind = ACCESS_STORE;
    c.size = a->site->sends ? WORD : CHUNK;
    at[lane] = to;
    if (!old->told && !has_come(b, old, who, a->warp)) {
        const struct asked by = asked_of(b, old);
        report_async(who, ASYNC_UNWAITED, &c, lane, &by);
        b->landings->told = true;
    }
    for (uint32_t w = 0; who != b && w < b->nwarps; w++)
        if (old->read[w].clock && !known_to(who, &old->read[w], a->warp))
            report_async(
                who, ASYNC_UNORDERED, &c, lane,
                &(struct asked){.site = old->read[w].site, .of = b, .block = b->block, .warp = w});
}

/* What lanes of a warp send one after the other is one. */
static struct landing *landing_of(struct block_state *b, struct block_state *who,
                                  const struct access *a, uint64_t barrier)
{
    struct landings *all = b->landings;
    struct landing *l = all->first;

    if (l && l->sent && !l->complete && l->barrier == barrier && l->asked.site == a->site &&
        l->asked.block == who->block && l->asked.warp == a->warp)
        return l;
    l = xcalloc(1, sizeof(*l));
    l->asked = now(who, a->site, a->warp);
    l->barrier = barrier;
    l->over = rounds_over(b, barrier);
    l->sent = a->site->sends;
    l->next = all->first;
    all->first = l;
    b->landed = true;
    return l;
}

/* Its places have been told of, now the mbarrier that counts them. */
static void landing_asked(struct block_state *b, struct block_state *who, const struct access *a,
                          uint64_t barrier)
{
    struct landings *all = landings_of(b);
    bool adds = !strncmp(a->site->opcode, "cp.reduce", 9) ||
                !strncmp(a->site->opcode, "red.", 4); /* several may come to one place */
    uint32_t unit = a->site->sends ? WORD : CHUNK;
    const struct landing *met = NULL;

    if (!all->ncoming)
        return;
    struct landing *l = landing_of(b, who, a, barrier);
    for (uint32_t i = 0; i < all->ncoming; i++) {
        struct landing **place = (l->sent ? all->words : all->at) + all->coming[i], *old = *place;

        if (old && old != met && old != l && !adds)
            overwrite(b, old, who, a, (uint64_t)all->coming[i] * unit);
        met = old;
        l->chunks++;
        leave(all, place);
        *place = l;
    }
}

/* ---- mbarriers ---- */
bool landing_barrier(const struct access *a)
{
    return a->size == 8 &&
           (a->site->mbarrier || (a->order && (a->site->proxy || a->site->is_async)));
}

static void phase_of(struct block_state *b, struct mbar *m)
{
    uint64_t x;

    if (!b->info->shared)
        return;
    memcpy(&x, b->info->shared + m->at, sizeof(x));
    m->bytes = MBARRIER_BYTES(x);
    if (MBARRIER_PHASE(x) == m->phase)
        return;
    m->phase = MBARRIER_PHASE(x);
    for (struct landing *l = b->landings->first; l; l = l->next)
        l->complete |= l->barrier == m->at;
}

/* A warp has seen a phase of it complete, and so all those before. */
static void seen(struct block_state *b, uint64_t at, uint32_t warp)
{
    for (struct landing *l = b->landings->first; l; l = l->next)
        if (l->barrier == at && l->complete && !l->seen[warp])
            l->seen[warp] = b->clock[warp];
}

void landing_arrive(struct block_state *b, const struct access *a)
{
    struct landings *all = landings_of(b);
    struct mbar *m = mbar_of(all, a->addr[__builtin_ctz(a->mask)]);

    if (a->site->sets_up) {
        if (m->early.clock)
            report_early(b, m->early.block, m->early.warp, m->early.site, a->site);
        *m = (struct mbar){.at = m->at, .made = now(b, a->site, a->warp)};
        rounds_hear(b, b, a);
        return;
    }
    if (m->made.clock && !known_to(b, &m->made, a->warp))
        report_unmade(b, a->warp, a->site, m->made.site);
    if (a->kind == ACCESS_STORE && site_brings(a->site))
        landing_asked(b, b, a, m->at);
    if (site_brings(a->site))
        m->brought = now(b, a->site, a->warp);
    all->ncoming = 0;
    phase_of(b, m);
    rounds_hear(b, b, a);
    if (a->kind == ACCESS_LOAD)
        seen(b, m->at, a->warp);
}

/* ---- other blocks ---- */
/* What a warp of `who` sends to b has been sent last by this. */
static void remember(struct landings *all, const struct block_state *who, const struct access *a)
{
    uint32_t i = 0;

    while (i < all->nsent &&
           (all->sent[i].when.block != who->block || all->sent[i].when.warp != a->warp))
        i++;
    all->sent = ROOM(all->sent, all->nsent, all->most_sent);
    all->sent[i] = (struct sent){now(who, a->site, a->warp), a->addr[__builtin_ctz(a->mask)]};
    all->nsent += i == all->nsent;
}

void landing_peer_arrive(struct block_state *b, struct block_state *who, const struct access *a)
{
    struct landings *all = landings_of(b);
    struct mbar *m = mbar_of(all, a->addr[__builtin_ctz(a->mask)]);

    if (!m->made.clock && !m->early.clock)
        m->early = now(who, a->site, a->warp);
    else if (m->made.clock && !known_to(who, &m->made, a->warp))
        report_early(who, who->block, a->warp, a->site, m->made.site);
    if (site_brings(a->site))
        landing_asked(b, who, a, m->at);
    if (site_brings(a->site))
        m->brought = now(who, a->site, a->warp);
    all->ncoming = 0;
    phase_of(b, m);
    rounds_hear(b, who, a);
    remember(all, who, a);
}

static bool anybody_knows(struct block_state *b, const struct moment *m)
{
    for (uint32_t w = 0; w < b->nwarps; w++)
        if (known_to(b, m, w))
            return true;
    return false;
}

void landing_end(struct block_state *b)
{
    struct landings *all = b->landings;

    for (uint32_t i = 0; all && i < all->nsent; i++) {
        const struct moment *m = &all->sent[i].when;
        const struct moment *made = &mbar_of(all, all->sent[i].barrier)->made;

        if (!anybody_knows(b, m) && made->clock)
            report_late(b, m->block, m->warp, m->site, made->site);
    }
    for (uint32_t i = 0; all && !all->told && i < all->nbars; i++) {
        const struct mbar *m = &all->bars[i];

        if (m->bytes < 0 && m->made.clock && m->brought.clock)
            report_surplus(b, m->brought.block, m->brought.warp, m->brought.site, m->made.site,
                           (uint32_t)-m->bytes);
    }
    for (const struct landing *l = all && !all->told ? all->first : NULL; l; l = l->next) {
        bool known = l->known;

        for (uint32_t w = 0; w < b->nwarps && !known; w++)
            known = l->seen[w];
        const struct asked by = asked_of(b, l);
        if (!known)
            report_left(b, &by);
    }
}
