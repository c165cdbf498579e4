/* order.c - which accesses of a launch are ordered before which.
 *
 * Interface and terms: private.h. What orders (PTX ISA 8, "Memory Consistency
 * Model"), and what is granted beyond it so that programs which work are not accused:
 *   - a block barrier orders all that its warps did before; bar.arrive gives, but does not
 *     take. Warps that have exited count as arrived;
 *   - bar.warp.sync orders the lanes of its mask. The other .sync operations (shfl, vote,
 *     match, redux) do not: the ISA gives them no memory ordering;
 *   - a fence followed by a strong write (atomic, relaxed, release; volatile in global
 *     memory) publishes what the warp did or had learned of before the fence, and what other
 *     warps did before fences of their own that it has learned of since. Granted: the
 *     whole warp is covered by one lane's fence;
 *   - any strong read or atomic learns what was published on its channel. Granted: no
 *     fence is asked for behind it, as in the CUDA samples' last-block reduction;
 *   - granted: a relaxed store publishes, without a fence, that the reads before it are over.
 *     By the letter that takes a release; a value that was read and went into what is
 *     stored has arrived, though, and CUB's and Thrust's compaction in place rests on it
 *     (agent_select_if.cuh, loads_via_smem). Writes are not published so.
 * An mbarrier's arrivals release, waits for it that succeed acquire; so does barrier.cluster,
 * among the blocks of a cluster.
 * Not modelled: cp.async's own order, other than by the moment that its accesses are reported;
 * scopes beyond "inside the block" and "wider".
 */
#include "private.h"
#include <stdlib.h>
#include <string.h>

enum { WALK_MAX = 4096 }; /* releases looked through before the benefit of the doubt */

void order_block_begin(struct block_state *b)
{
    uint32_t start = 0;

    /* Clocks go on from the last block that used this state: its cells in the shadow of
     * shared memory are then all "before the barrier" and need no clearing. */
    for (uint32_t w = 0; w < MAX_WARPS; w++)
        if (b->clock[w] > start)
            start = b->clock[w];
    if (start > CLOCK_MAX / 2) {
        start = 0;
        for (uint32_t i = 0; i < b->nshared; i++)
            b->shared[i].tag = 0;
    }
    b->bar = start;
    for (uint32_t w = 0; w < MAX_WARPS; w++) {
        b->clock[w] = start + 1;
        b->synced[w] = start;
        free(b->lane_known[w]);
        b->lane_known[w] = NULL;
        b->pending[w] = 0;
    }
    if (b->has_known)
        memset(b->known, 0, sizeof(b->known));
    if (b->has_published)
        memset(b->published, 0, sizeof(b->published));
    if (b->has_learned)
        memset(b->learned, 0, sizeof(b->learned));
    b->has_known = b->has_published = b->has_learned = b->has_met = false;
    b->nlearned++;
    memset(b->barrier, 0, sizeof(b->barrier));
}

static void tick(struct block_state *b, uint32_t warp)
{
    if (++b->clock[warp] >= CLOCK_MAX)
        b->races = false;
}

void order_tick(struct block_state *b, uint32_t warp)
{
    tick(b, warp);
}

static uint32_t live_warps(const struct block_state *b)
{
    uint32_t m = 0;

    for (uint32_t w = 0; w < b->nwarps; w++)
        if (b->live[w])
            m |= 1u << w;
    return m;
}

static void learn_row(uint64_t *to, const uint64_t *from)
{
    for (int i = 0; i < CHANNELS; i++)
        if (from[i] > to[i])
            to[i] = from[i];
}

/* What warp w of the block knows of warp v's clock. */
static uint32_t knows(const struct block_state *b, uint32_t w, uint32_t v)
{
    uint32_t c = b->bar;

    if (w == v)
        return b->clock[w];
    if (b->has_known && b->known[w][v] > c)
        c = b->known[w][v];
    return c;
}

/* ---- barriers ---- */

static void leave_all(struct block_state *b)
{
    uint32_t top = 0;

    for (uint32_t w = 0; w < b->nwarps; w++)
        if (b->clock[w] > top)
            top = b->clock[w];
    b->bar = top;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        b->synced[w] = top;
        b->clock[w] = top;
        b->fenced[w] = false;
        tick(b, w);
    }
    for (uint32_t w = 0; b->has_learned && w < b->nwarps; w++)
        for (int i = 0; i < 2; i++)
            learn_row(b->learned[i][MAX_WARPS], b->learned[i][w]);
    b->nlearned++;
}

static void leave_some(struct block_state *b, uint32_t arrived, uint32_t waits)
{
    uint32_t all[MAX_WARPS] = {0};
    uint64_t learned[2][CHANNELS] = {0};

    b->has_known = true;
    for (uint32_t u = 0; u < b->nwarps; u++) {
        if (!(arrived >> u & 1))
            continue;
        for (uint32_t v = 0; v < b->nwarps; v++)
            if (knows(b, u, v) > all[v])
                all[v] = knows(b, u, v);
        for (int i = 0; b->has_learned && i < 2; i++)
            learn_row(learned[i], b->learned[i][u]);
    }
    for (uint32_t u = 0; u < b->nwarps; u++) {
        if (!(arrived >> u & 1))
            continue;
        if (waits >> u & 1) {
            memcpy(b->known[u], all, sizeof(all));
            b->synced[u] = b->clock[u];
            b->fenced[u] = false;
            for (int i = 0; b->has_learned && i < 2; i++)
                learn_row(b->learned[i][u], learned[i]);
        }
        tick(b, u);
    }
    b->nlearned++;
}

void order_arrive(struct block_state *b, const struct site *s, uint32_t warp, uint32_t id)
{
    bool waits = !s->arrives;

    id %= BARRIERS;
    if (!id && b->barrier[0].arrived && b->barrier[0].site != s && !b->met[0]) {
        b->met[0] = b->barrier[0].site;
        b->met[1] = s;
    }
    b->barrier[id].arrived |= 1u << warp;
    if (waits)
        b->barrier[id].waits |= 1u << warp;
    b->barrier[id].site = s;
}

void order_leave(struct block_state *b, uint32_t id)
{
    uint32_t arrived = b->barrier[id % BARRIERS].arrived, waits = b->barrier[id % BARRIERS].waits;
    uint32_t live = live_warps(b);

    b->barrier[id % BARRIERS].arrived = b->barrier[id % BARRIERS].waits = 0;
    if ((waits & live) == live)
        leave_all(b);
    else
        leave_some(b, arrived, waits);
}

/* ---- lanes ---- */

static void sync_some(struct block_state *b, uint32_t warp, uint32_t mask)
{
    uint32_t(*known)[32] = b->lane_known[warp];
    uint32_t all[32] = {0};

    if (!known)
        known = b->lane_known[warp] = xcalloc(32, sizeof(*known));
    for (uint32_t i = 0; i < 32; i++)
        if (mask >> i & 1) {
            known[i][i] = b->clock[warp];
            for (uint32_t k = 0; k < 32; k++)
                if (known[i][k] > all[k])
                    all[k] = known[i][k];
        }
    for (uint32_t i = 0; i < 32; i++)
        if (mask >> i & 1)
            memcpy(known[i], all, sizeof(all));
}

void order_warp_sync(struct block_state *b, uint32_t warp, uint32_t mask)
{
    if ((mask & b->live[warp]) == b->live[warp])
        b->synced[warp] = b->clock[warp];
    else
        sync_some(b, warp, mask);
    tick(b, warp);
}

void order_group(struct block_state *b, uint32_t warp, uint32_t first, uint32_t n)
{
    b->has_known = true;
    for (uint32_t v = first; v < first + n && v < b->nwarps; v++) {
        b->known[warp][v] = b->clock[v];
        tick(b, v);
    }
    b->synced[warp] = b->known[warp][warp];
    b->nlearned++;
}

/* ---- release and acquire ---- */

void order_proxy(struct block_state *b, uint32_t warp, uint32_t clocks[MAX_WARPS])
{
    for (uint32_t v = 0; v < b->nwarps; v++)
        if (knows(b, warp, v) > clocks[v])
            clocks[v] = knows(b, warp, v);
}

void order_fence(struct block_state *b, uint32_t warp, uint8_t scope)
{
    b->has_published = true;
    for (uint32_t v = 0; v < b->nwarps; v++) {
        uint32_t c = knows(b, warp, v);

        b->published[0][warp][v] = c;
        if (scope >= 2)
            b->published[1][warp][v] = c;
    }
    tick(b, warp);
}

/* Clocks of the block's warps that a strong write of `warp` publishes. False: none. */
static bool covered(const struct block_state *b, const struct access *a, int wider, uint32_t *clock)
{
    bool own = (a->order & 4) && (!wider || a->scope >= 2), any = false;

    for (uint32_t v = 0; v < b->nwarps; v++) {
        uint32_t c = b->published[wider][a->warp][v], his = b->published[wider][v][v];

        if (his > c && his <= knows(b, a->warp, v))
            c = his;
        if (own)
            c = knows(b, a->warp, v);
        clock[v] = c;
        any |= c != 0;
    }
    return any;
}

enum reach { WIDER, BLOCK_ONLY, READS_ONLY };

static bool same_as_last(const struct release *r, uint8_t channel, enum reach reach,
                         const uint32_t *clock, uint32_t n)
{
    return r && r->channel == channel && r->block_only == (reach == BLOCK_ONLY) &&
           r->reads_only == (reach == READS_ONLY) && !memcmp(r->clock, clock, n * sizeof(*clock));
}

static void release(struct block_state *b, uint32_t warp, uint8_t channel, enum reach reach,
                    const uint32_t *clock)
{
    struct launch_state *l = b->launch;
    struct release *last = atomic_load(&l->released[b->block]), *r;
    struct channel *c = &l->channels[channel];

    if (same_as_last(last, channel, reach, clock, b->nwarps))
        return;
    r = xcalloc(1, sizeof(*r) + 2 * b->nwarps * sizeof(r->clock[0]));
    memcpy(r->clock, clock, b->nwarps * sizeof(*clock));
    memcpy(r->clock + b->nwarps, b->clock, b->nwarps * sizeof(*clock));
    r->channel = channel;
    r->block_only = reach == BLOCK_ONLY;
    r->reads_only = reach == READS_ONLY;
    r->nwarps = (uint16_t)b->nwarps;
    r->next = last;
    pthread_mutex_lock(&c->lock);
    for (int i = reach == READS_ONLY; b->has_learned && i < 2; i++) {
        learn_row(c->known[i], b->learned[i][warp]);
        learn_row(c->known[i], b->learned[i][MAX_WARPS]);
    }
    r->time = atomic_fetch_add(&l->now, 1) + 1;
    atomic_store(&l->released[b->block], r);
    atomic_store(&c->used, true);
    pthread_mutex_unlock(&c->lock);
}

static uint8_t channel_of(uint64_t key)
{
    return (uint8_t)((key >> 2) * 0x9e3779b97f4a7c15ull >> 58);
}

void order_strong(struct block_state *b, const struct access *a, uint64_t key, bool write,
                  uint64_t *told)
{
    uint32_t clock[2][MAX_WARPS];
    uint8_t channel = channel_of(key);
    bool wider;

    b->has_met = true;
    if (*told >> channel & 1)
        return;
    *told |= 1ull << channel;
    if (write && (b->has_published || (a->order & 4))) {
        wider = covered(b, a, 1, clock[1]);
        if (wider)
            release(b, a->warp, channel, WIDER, clock[1]);
        if (covered(b, a, 0, clock[0]) &&
            (!wider || memcmp(clock[0], clock[1], b->nwarps * sizeof(clock[0][0]))))
            release(b, a->warp, channel, BLOCK_ONLY, clock[0]);
        if (a->order & 4)
            tick(b, a->warp);
    }
    if (a->kind == ACCESS_STORE && a->order == 1 && a->scope >= 2) {
        for (uint32_t v = 0; v < b->nwarps; v++)
            clock[0][v] = knows(b, a->warp, v);
        release(b, a->warp, channel, READS_ONLY, clock[0]);
        tick(b, a->warp);
    }
    if (!write || a->kind == ACCESS_ATOMIC)
        b->pending[a->warp] |= 1ull << channel;
}

/* barrier.cluster's */
static uint8_t cluster_channel(const struct block_state *b)
{
    return channel_of((1ull << 38 | b->info->cluster) << 2);
}
void order_cluster_arrive(struct block_state *b, uint32_t warp)
{
    uint32_t clock[MAX_WARPS];

    for (uint32_t v = 0; v < b->nwarps; v++)
        clock[v] = knows(b, warp, v);
    release(b, warp, cluster_channel(b), WIDER, clock);
}
void order_cluster_leave(struct block_state *b)
{
    for (uint32_t w = 0; w < b->nwarps; w++)
        b->pending[w] |= 1ull << cluster_channel(b);
}

/* The strong reads since the last event have taken place by now, and read values that
 * were published before this moment at the latest. */
void order_resolve(struct block_state *b, uint32_t warp)
{
    struct launch_state *l = b->launch;
    uint64_t pending = b->pending[warp];

    b->pending[warp] = 0;
    if (pending)
        b->fenced[warp] = false;
    for (; pending; pending &= pending - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(pending);
        struct channel *c = &l->channels[i];

        if (!atomic_load(&c->used))
            continue;
        b->has_learned = true;
        b->nlearned++;
        pthread_mutex_lock(&c->lock);
        for (int k = 0; k < 2; k++) {
            learn_row(b->learned[k][warp], c->known[k]);
            b->learned[k][warp][i] = atomic_load(&l->now);
        }
        pthread_mutex_unlock(&c->lock);
    }
}

static bool learned_of(const struct block_state *b, uint64_t cell, bool read, uint32_t warp)
{
    uint32_t block = cell_block(cell), v = cell_warp(cell), clock = cell_clock(cell);
    const uint64_t(*learned)[CHANNELS] = b->learned[read];
    const struct release *r = atomic_load(&b->launch->released[block]);

    for (int i = 0; r; r = r->next, i++) {
        if (r->clock[r->nwarps + v] < clock) /* earlier than the access, as all behind it */
            return false;
        if (i == WALK_MAX)
            return true;
        if ((r->block_only && block != b->block) || (r->reads_only && !read) || r->clock[v] < clock)
            continue;
        if (learned[warp][r->channel] >= r->time || learned[MAX_WARPS][r->channel] >= r->time)
            return true;
    }
    return false;
}

/* Lanes and words mostly ask the same, and what is learned changes only now and then. */
static bool learned_before(struct block_state *b, uint64_t cell, bool read, uint32_t warp)
{
    uint64_t key = cell & (CELL_WARP_MASK | ~0ull << CELL_CLOCK_SHIFT);
    struct answer *known = &b->answers[read][cell_warp(cell)];

    if (known->cell != key || known->nlearned != b->nlearned || known->warp != warp) {
        *known = (struct answer){key, b->nlearned, warp, false};
        known->ordered = learned_of(b, key, read, warp);
    }
    return known->ordered;
}

bool order_before(struct block_state *b, uint64_t cell, bool read, uint32_t warp, uint32_t lane)
{
    uint32_t clock = cell_clock(cell), v = cell_warp(cell), other = cell_lane(cell);

    if (cell_block(cell) == b->block) {
        if (clock <= b->bar)
            return true;
        if (v == warp && (clock <= b->synced[warp] ||
                          (b->lane_known[warp] && b->lane_known[warp][lane][other] >= clock)))
            return true;
        if (v != warp && b->has_known && b->known[warp][v] >= clock)
            return true;
    }
    return b->has_learned && learned_before(b, cell, read, warp);
}

void order_launch_free(struct launch_state *l)
{
    for (uint32_t i = 0; i < l->nblocks; i++)
        for (struct release *r = l->released[i], *next; r; r = next) {
            next = r->next;
            free(r);
        }
    free(l->released);
    for (int i = 0; i < CHANNELS; i++)
        pthread_mutex_destroy(&l->channels[i].lock);
}
