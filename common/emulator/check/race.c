/* race.c - two accesses to one place, one of them a write, not ordered.
 *
 * Interface: private.h. Every access visits the cells of its bytes: it is compared
 * with the last write and (a write) with the last reads, then takes their place. Two
 * readers are kept, of different warps when there are such, so that whoever writes next
 * meets one who is not himself. What is no race:
 *   - both accesses strong (atomics, relaxed and stronger; in global memory volatile, too),
 *     unless one has .cta scope and they are of different blocks;
 *   - stores of the value that is there already, by weak stores;
 *   - lanes of one instruction storing the same value;
 *   - granted: two collective accesses (wmma, ldmatrix, stmatrix) by one warp. Each waits for
 *     all lanes, but the ISA does not say that it orders memory;
 *   - granted: a plain read and an atomic, when the reader goes on to compare and swap there
 *     (held.c).
 */
#include "private.h"
#include <string.h>
#include <time.h>

static bool is_strong(const struct access *a)
{
    return a->kind == ACCESS_ATOMIC || a->order || (a->is_volatile && a->space == ACCESS_GLOBAL);
}

static enum how how_of(const struct access *a, bool strong)
{
    /* what is on its way may come at any time, and is no thread's own */
    if (a->is_async && a->kind == ACCESS_STORE && a->site->proxy)
        return HOW_WARP;
    if (!strong)
        return a->collective ? HOW_WARP : HOW_WEAK;
    if (a->kind != ACCESS_LOAD && a->scope == 1)
        return HOW_MANY;
    return HOW_STRONG;
}

static uint32_t site_register(struct launch_state *l, const struct site *s)
{
    uint32_t n, id = 0;

    pthread_mutex_lock(&l->lock);
    n = atomic_load(&l->nsites);
    while (id < n && l->sites[id] != s)
        id++;
    if (id == n && n < SITE_UNKNOWN) {
        l->sites[n] = s;
        atomic_store(&l->nsites, n + 1);
    }
    pthread_mutex_unlock(&l->lock);
    return id;
}

static uint32_t site_id(struct block_state *b, const struct site *s)
{
    uint32_t h = s->index % SITE_CACHE;

    if (b->site_cache[h].site != s) {
        b->site_cache[h].site = s;
        b->site_cache[h].id = site_register(b->launch, s);
    }
    return b->site_cache[h].id;
}

void race_begin(struct race *x, struct block_state *b, const struct access *a)
{
    x->b = b;
    x->a = a;
    x->strong = is_strong(a);
    x->proxy = a->space == ACCESS_SHARED && a->kind == ACCESS_LOAD && a->site->proxy;
    x->crowded = a->space == ACCESS_GLOBAL && !b->has_learned;
    x->block = a->space == ACCESS_SHARED ? 0 : b->block;
    x->below = (uint64_t)(b->bar + 1) << CELL_CLOCK_SHIFT;
    x->simple = !b->has_learned && !b->lane_known[a->warp] && how_of(a, x->strong) == HOW_WEAK;
    x->since = (uint64_t)((b->bar > b->synced[a->warp] ? b->bar : b->synced[a->warp]) + 1)
               << CELL_CLOCK_SHIFT;
    x->shift = a->size >= 4 ? 2 : a->size == 2 ? 1 : 0;
    x->me = (uint64_t)b->clock[a->warp] << CELL_CLOCK_SHIFT |
            (uint64_t)site_id(b, a->site) << CELL_SITE_SHIFT |
            (uint64_t)how_of(a, x->strong) << CELL_HOW_SHIFT |
            (uint64_t)a->warp << CELL_WARP_SHIFT | x->block;
}

/* Empty, or ordered before by the last barrier of the whole block. */
static inline bool settled(const struct race *x, uint64_t cell)
{
    return !cell || (cell < x->below && (cell & CELL_BLOCK) == x->block);
}

static bool ordered(const struct race *x, uint64_t cell, bool read, uint32_t lane)
{
    if (x->a->space == ACCESS_SHARED)
        cell |= x->b->block;
    return order_before(x->b, cell, read, x->a->warp, lane);
}

/* In program order: of one thread, or each of the whole warp. Which of a warp's lanes makes a
 * collective access is not known, so none of them is sure to have made it. */
static inline bool own(const struct race *x, uint64_t cell, uint32_t lane)
{
    bool whole = cell_how(x->me) == HOW_WARP;

    return !((cell ^ x->me) & CELL_WARP_MASK) && (cell_how(cell) == HOW_WARP) == whole &&
           (whole || cell_lane(cell) == lane);
}

/* Both strong, and each in the other's scope. */
static bool synchronising(const struct race *x, uint64_t cell, bool cell_writes)
{
    uint32_t how = cell_how(cell);
    bool mine = cell_how(x->me) != HOW_MANY, his = !(cell_writes && how == HOW_MANY);

    if (!x->strong || how <= HOW_WEAK || (!cell_writes && how == HOW_MANY))
        return false;
    return (mine && his) || (cell & CELL_BLOCK) == x->block;
}

/* The other lane stored in this very execution of the instruction. */
static bool same_instruction(const struct race *x, uint64_t cell, uint32_t lane)
{
    uint32_t other = cell_lane(cell);
    uint64_t lanes = 31ull << CELL_LANE_SHIFT;

    return ((cell ^ x->me) & ~lanes) == 0 && other < lane && (x->a->mask >> other & 1) &&
           x->a->addr[other] == x->a->addr[lane];
}

static bool lanes_store_the_same(const struct race *x, uint32_t i, uint32_t k)
{
    const struct access *a = x->a;

    if (!a->value)
        return true; /* not known: no accusation */
    for (uint32_t w = 0; w < (a->size + 3u) / 4; w++)
        if (a->value[w][i] != a->value[w][k])
            return false;
    return true;
}

static bool has_the_value(const struct race *x, uint32_t lane, const uint8_t *contents)
{
    uint32_t word[4];

    if (!contents || !x->a->value || x->a->size > sizeof(word))
        return false;
    for (uint32_t w = 0; w < (x->a->size + 3u) / 4; w++)
        word[w] = x->a->value[w][lane];
    return !memcmp(word, contents, x->a->size);
}

static bool stores_what_is_there(const struct race *x, uint32_t lane, const uint8_t *contents)
{
    return !x->strong && has_the_value(x, lane, contents);
}

bool race_stores_nothing_new(const struct race *x, uint32_t lane, const uint8_t *contents)
{
    return x->a->kind == ACCESS_STORE && stores_what_is_there(x, lane, contents);
}

bool race_stores_the_same(const struct race *x, uint32_t lane, const uint8_t *contents)
{
    return x->a->kind == ACCESS_STORE && has_the_value(x, lane, contents);
}

/* Another host thread tells of a store before it makes it: another block's may be on its way.
 * So wait for it, once for two lines: when they are accused, there is nothing to wait for. */
static __attribute__((noinline, cold)) bool stored_meanwhile(const struct race *x, uint64_t cell,
                                                             uint32_t lane, const uint8_t *contents)
{
    struct timespec pause = {.tv_nsec = 1000000};

    if (x->a->space != ACCESS_GLOBAL || cell_block(cell) == x->b->block)
        return false;
    struct clash c = clash_of(x->b, x->a, lane, cell, true, false);
    if (clash_known(&c))
        return false;
    for (int ms = 0; ms < 50; ms++) {
        nanosleep(&pause, NULL);
        if (stores_what_is_there(x, lane, contents))
            return true;
    }
    return false;
}

/* Reads plainly what others update atomically: it may be about to compare and swap. */
static __attribute__((noinline, cold)) void race_with(const struct race *x, uint64_t cell,
                                                      uint32_t lane, bool cell_writes)
{
    struct block_state *b = x->b;
    struct clash c = clash_of(b, x->a, lane, cell, cell_writes, false);
    uint32_t how = cell_how(cell);
    struct reader r = {b->block, x->a->warp, lane, false};
    bool hold = !x->strong && x->a->kind == ACCESS_LOAD && how >= HOW_STRONG;

    if (!cell_writes) {
        hold = x->strong && (how == HOW_WEAK || how == HOW_MANY);
        r = (struct reader){x->a->space == ACCESS_SHARED ? b->block : cell_block(cell),
                            cell_warp(cell), cell_lane(cell), false};
        r.another = how == HOW_MANY && !((cell ^ x->me) & CELL_WARP_MASK) && r.lane == lane;
    }
    if (!hold || !held_back(b->launch, &c, &r))
        report_clash(&c);
}

static __attribute__((noinline, cold)) void race_with_itself(const struct race *x, uint64_t cell,
                                                             uint32_t lane)
{
    struct clash c = clash_of(x->b, x->a, lane, cell, true, true);

    report_clash(&c);
}

/* A copy's, of which landing.c knows better when it has come. */
static bool brought(const struct race *x, uint64_t cell)
{
    uint32_t id = cell_site(cell);

    return x->a->space == ACCESS_SHARED && x->b->info->shared && id < SITE_UNKNOWN &&
           cell_how(cell) == HOW_WARP && x->b->launch->sites[id]->proxy;
}

/* Out of line: a last write that is neither settled nor this thread's own. */
static __attribute__((noinline)) void meet_write(const struct race *x, uint64_t cell, uint32_t lane,
                                                 const uint8_t *contents)
{
    bool store = x->a->kind == ACCESS_STORE;

    if (own(x, cell, lane) || synchronising(x, cell, true))
        return;
    if (store && same_instruction(x, cell, lane)) {
        if (!lanes_store_the_same(x, lane, cell_lane(cell)))
            race_with_itself(x, cell, lane);
        return;
    }
    if (ordered(x, cell, false, lane) || brought(x, cell))
        return;
    if (store && cell_how(cell) <= HOW_WEAK &&
        (stores_what_is_there(x, lane, contents) || stored_meanwhile(x, cell, lane, contents)))
        return;
    race_with(x, cell, lane, true);
}

static __attribute__((noinline)) void meet_read(const struct race *x, uint64_t cell, uint32_t lane)
{
    if (cell_how(cell) != HOW_MANY && own(x, cell, lane))
        return;
    if (!synchronising(x, cell, false) && !ordered(x, cell, true, lane))
        race_with(x, cell, lane, false);
}

/* A reader of the same warp takes the slot; several lanes' plain reads become HOW_MANY. */
static void replace_reader(const struct race *x, uint64_t *slot, uint64_t me, uint32_t lane)
{
    if ((!own(x, *slot, lane) || cell_how(*slot) == HOW_MANY) && cell_how(*slot) != HOW_STRONG &&
        !ordered(x, *slot, true, lane)) {
        if (x->strong)
            return; /* the plain read is the one that can race */
        me |= (uint64_t)HOW_MANY << CELL_HOW_SHIFT;
    }
    *slot = me;
}

/* A reader joins others that are not all settled. Which two to keep: of different warps
 * rather than of one, of different blocks rather than of one. */
static __attribute__((noinline)) void join_readers(const struct race *x, struct cells *c,
                                                   uint64_t me, uint32_t lane)
{
    if (((c->read ^ me) & CELL_WARP_MASK) == 0)
        replace_reader(x, &c->read, me, lane);
    else if (settled(x, c->other))
        c->other = me;
    else if (((c->other ^ me) & CELL_WARP_MASK) == 0)
        replace_reader(x, &c->other, me, lane);
    else if (ordered(x, c->read, true, lane))
        c->read = me;
    else if (((c->read ^ c->other) & CELL_BLOCK) == 0 || ordered(x, c->other, true, lane))
        c->other = me;
}

/* Needs no look: settled, or this very thread's and of the same sort. */
static inline bool plain(const struct race *x, uint64_t cell, uint64_t me)
{
    return settled(x, cell) || ((cell ^ me) & (CELL_THREAD_MASK | CELL_HOW_MASK)) == 0;
}

/* A race is said as that. */
static __attribute__((noinline)) void meet_unfenced(const struct race *x, uint64_t cell,
                                                    uint32_t lane)
{
    bool before = settled(x, cell) || own(x, cell, lane) || ordered(x, cell, false, lane);

    if (before && async_unfenced(x, cell))
        report_async(x->b, ASYNC_UNFENCED, x->a, lane,
                     &(struct asked){.site = x->b->launch->sites[cell_site(cell)]});
}

static inline void touch_read(const struct race *x, struct cells *c, uint64_t me, uint32_t lane)
{
    if (!plain(x, c->write, me))
        meet_write(x, c->write, lane, NULL);
    if (x->proxy && c->write)
        meet_unfenced(x, c->write, lane);
    if (plain(x, c->read, me))
        c->read = me;
    else if (x->simple && !((c->read ^ me) & CELL_WARP_MASK) && cell_how(c->read) != HOW_STRONG)
        c->read = c->read < x->since ? me : me | (uint64_t)HOW_MANY << CELL_HOW_SHIFT;
    else if (!x->crowded || !((c->read ^ c->other) & CELL_BLOCK) || settled(x, c->other) ||
             !((c->read ^ me) & CELL_WARP_MASK) || !((c->other ^ me) & CELL_WARP_MASK))
        join_readers(x, c, me, lane);
}

static bool is_store(const struct race *x, uint64_t cell)
{
    uint32_t id = cell_site(cell);

    return cell_how(cell) == HOW_WEAK && id < SITE_UNKNOWN && x->b->launch->sites[id]->store;
}

/* A plain store is not over for others because its own warp went on with an atomic there: it takes
 * a reader's place behind that, for the next warp to meet. */
static __attribute__((noinline)) uint64_t stored_before(const struct race *x, const struct cells *c)
{
    if (c->write && !settled(x, c->write) && is_store(x, c->write))
        return c->write;
    return c->other && !settled(x, c->other) && is_store(x, c->other) ? c->other : 0;
}

static inline void touch_write(const struct race *x, struct cells *c, uint64_t me, uint32_t lane,
                               const uint8_t *contents)
{
    if (!plain(x, c->write, me))
        meet_write(x, c->write, lane, contents);
    if (!plain(x, c->read, me))
        meet_read(x, c->read, lane);
    if (!settled(x, c->other)) {
        if (is_store(x, c->other))
            meet_write(x, c->other, lane, contents);
        else
            meet_read(x, c->other, lane);
    }
    c->other = x->strong ? stored_before(x, c) : 0;
    c->write = me;
    c->read = 0;
}

static inline bool same_cells(const struct cells *a, const struct cells *b)
{
    return a->write == b->write && a->read == b->read && a->other == b->other;
}

void race_run(const struct race *x, struct shadow_page *p, uint32_t from, uint32_t lane, uint32_t n,
              const uint8_t *contents)
{
    uint32_t size = x->a->size, each = size >> p->shift;
    struct cells *c = p->cells + (from >> p->shift);
    bool load = x->a->kind == ACCESS_LOAD, atomic = x->a->kind == ACCESS_ATOMIC;
    _Atomic uint32_t *nheld = &x->b->launch->nheld;

    if (p->older)
        family_meet(x, p, from, lane, n, contents);
    for (uint32_t k = 0; k < n; k++, lane++) {
        uint64_t me = x->me | (uint64_t)lane << CELL_LANE_SHIFT;

        struct cells was = *c;
        for (uint32_t i = 0; i < each; i++, c++)
            if (i && same_cells(c, &was)) /* the words of one access mostly share their past */
                *c = c[-1];
            else if (was = *c, load)
                touch_read(x, c, me, lane);
            else
                touch_write(x, c, me, lane, contents ? contents + k * size : NULL);
        if (atomic && atomic_load_explicit(nheld, memory_order_relaxed))
            held_decide(x->b, x->a, lane);
    }
}
