/* family.c - races between grids that launch each other.
 *
 * Interface: private.h. A kernel of the host's and all that it and its children launch are a
 * family: a tree of grids, which run one after the other here and, on a GPU, side by side where
 * nothing orders them. What orders an access of a grid before one of a grid that ran later:
 *   - the later one, or a grid above it, was launched by a thread that knew of the access then;
 *   - both are below one grid, by two of its launches in one stream, or the second into its tail
 *     stream.
 * So are the kernels of a graph that is launched: there an order is what its edges say; and those
 * of a schedule of several streams, whose order the program tells. Of these two may not even pass
 * each other a value by strong accesses, since neither knows how far the other has come; atomics
 * whose results nobody reads, in any order, come to the same.
 * The last write and read of each place, by all grids that were before, are kept beside a page's
 * cells (struct older) when another grid comes to it.
 *
 * Granted: what the launching thread may have learned by fences and atomics; launches of a grid
 * that has made a stream wait for an event; plain loads beside atomics. Not seen: copies and fills
 * by the device runtime; an access that another grid's has taken the place of; what a launch that
 * was parked does beside another family.
 */
#include "private.h"
#include "emulator/exec/children.h"
#include "emulator/exec/launch.h"
#include <stdlib.h>
#include <string.h>

struct older {
    uint64_t write, read;
    uint32_t writer, reader; /* numbers of grids */
};

/* What a thread knew when it launched a grid, of its block: clocks that accesses are known up to.
 */
struct known {
    uint32_t block, warp, lane;
    bool others;               /* blocks */
    bool met;                  /* it may have met them: their reads were over by then */
    uint32_t now, lanes;       /* of its own; of the other lanes of its warp */
    uint32_t clock[MAX_WARPS]; /* of the other warps */
};

struct grid {
    const struct grid *parent; /* NULL: the host launched it */
    uint32_t depth;
    struct origin { /* how */
        uint64_t stream, serial;
        uint32_t block, thread;
        bool events;
    } by;
    uint64_t launch;
    uint32_t number; /* in a graph's run, or in that of streams */
    bool streams;
    uint64_t *before;
    const struct emu_func *func;
    uint32_t ntid[3], nctaid[3];
    const struct site **sites;
    uint32_t nsites;
    struct known **known; /* by serial of what it launched */
    uint64_t nknown;
    bool runs, alone; /* alone: it was parked, and another family has begun */
};

static struct {
    uint32_t number, first_tag, n, room;
    uint64_t run; /* of a graph: all of it is a family; 0: none */
    struct grid **grids;
    pthread_mutex_t lock; /* of what a running grid knows */
} family = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the tree ---- */

static void grid_free(struct grid *g)
{
    for (uint64_t i = 0; i < g->nknown; i++)
        free(g->known[i]);
    free(g->known);
    free(g->before);
    free((void *)g->sites);
    free(g);
}

static void leave(struct grid *g)
{
    if (g->runs)
        g->alone = true;
    else
        grid_free(g);
}

static struct grid *grid_of_launch(uint64_t serial)
{
    uint32_t low = 0, n = family.n;

    while (n > 0) {
        uint32_t half = n / 2;

        if (family.grids[low + half]->launch < serial) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low < family.n && family.grids[low]->launch == serial ? family.grids[low] : NULL;
}

void family_begin(struct launch_state *l, const struct block_info *any)
{
    const struct device_work *w = any->origin;
    struct grid *parent = w ? grid_of_launch(w->parent_launch) : NULL;
    struct grid *g = xcalloc(1, sizeof(*g));

    uint64_t run = any->moment ? any->moment->run : 0;

    if (!parent && (!run || run != family.run)) {
        for (uint32_t i = 0; i < family.n; i++)
            leave(family.grids[i]);
        family.n = 0;
        family.first_tag = l->tag;
        family.number++;
        family.run = run;
    }
    g->runs = true;
    g->launch = any->launch;
    g->func = any->func;
    memcpy(g->ntid, any->ntid, sizeof(g->ntid));
    memcpy(g->nctaid, any->nctaid, sizeof(g->nctaid));
    if (any->moment) {
        size_t words = any->moment->number / 64 + 1;

        g->number = any->moment->number;
        g->streams = any->moment->streams;
        g->before = memcpy(xmalloc(words * 8), any->moment->before, words * 8);
    }
    if (parent) {
        g->parent = parent;
        g->depth = parent->depth + 1;
        g->by = (struct origin){w->stream, w->serial, w->block, w->thread, w->events};
    }
    if (family.n == family.room) {
        family.room = family.room ? 2 * family.room : 16;
        family.grids = xrealloc(family.grids, family.room * sizeof(struct grid *));
    }
    family.grids[family.n++] = g;
    l->grid = g;
}

void family_end(struct launch_state *l)
{
    struct grid *g = l->grid;

    g->runs = false;
    if (g->alone) {
        grid_free(g);
        return;
    }
    g->nsites = atomic_load(&l->nsites);
    g->sites = xcalloc(g->nsites + 1, sizeof(*g->sites));
    memcpy((void *)g->sites, (const void *)l->sites, g->nsites * sizeof(*g->sites));
}

/* ---- what a thread knows when it launches ---- */

static struct known *known_now(struct block_state *b, uint32_t warp, uint32_t lane)
{
    struct known *k = xcalloc(1, sizeof(*k));
    bool learned = b->has_learned;

    k->block = b->block;
    k->warp = warp;
    k->lane = lane;
    k->others = learned;
    k->met = b->has_met;
    k->now = b->clock[warp];
    k->lanes = learned || b->lane_known[warp] ? k->now
               : b->synced[warp] > b->bar     ? b->synced[warp]
                                              : b->bar;
    for (uint32_t v = 0; v < b->nwarps; v++) {
        k->clock[v] = learned ? b->clock[v] : b->bar;
        if (b->has_known && b->known[warp][v] > k->clock[v])
            k->clock[v] = b->known[warp][v];
    }
    return k;
}

void family_child(struct block_state *b, const struct device_work *w, uint32_t warp, uint32_t lane)
{
    struct grid *g = b->launch->grid;
    struct known *k = known_now(b, warp, lane);

    order_tick(b, warp); /* what follows is not known */
    pthread_mutex_lock(&family.lock);
    if (w->serial >= g->nknown) {
        uint64_t n = w->serial < 8 ? 16 : 2 * w->serial;

        g->known = xrealloc(g->known, n * sizeof(struct known *));
        memset(g->known + g->nknown, 0, (n - g->nknown) * sizeof(struct known *));
        g->nknown = n;
    }
    g->known[w->serial] = k;
    pthread_mutex_unlock(&family.lock);
}

static bool knew(const struct known *k, uint64_t cell, bool writes)
{
    uint32_t warp = cell_warp(cell), clock = cell_clock(cell);

    if (!k || (k->met && !writes))
        return true;
    if (cell_block(cell) != k->block)
        return k->others;
    if (warp != k->warp)
        return clock <= k->clock[warp];
    return clock <= (cell_how(cell) == HOW_WARP || cell_lane(cell) == k->lane ? k->now : k->lanes);
}

/* Two launches of one grid, the first of which was done first. */
static bool in_order(const struct origin *first, const struct origin *second)
{
    if (second->stream == STREAM_TAIL || second->events)
        return true;
    if (first->stream != second->stream || first->stream == STREAM_FORGET)
        return false;
    if (first->stream == STREAM_OF_BLOCK)
        return first->block == second->block;
    return first->stream != STREAM_OF_THREAD ||
           (first->block == second->block && first->thread == second->thread);
}

/* Is the access in the cell, by a grid that ran before g, ordered before what g does? *above: the
 * other is one that g is below. */
static bool ordered(const struct grid *other, uint64_t cell, bool writes, const struct grid *g,
                    bool *above)
{
    const struct grid *a = other, *b = g;

    while (b->depth > a->depth + 1)
        b = b->parent;
    *above = b->parent == a;
    if (*above)
        return b->by.stream == STREAM_TAIL ||
               knew(b->by.serial < a->nknown ? a->known[b->by.serial] : NULL, cell, writes);
    while (a->depth > b->depth)
        a = a->parent;
    while (b->depth > a->depth)
        b = b->parent;
    if (a == b) /* g's own, or of one below it: that ran later */
        return true;
    while (a->parent != b->parent) {
        a = a->parent;
        b = b->parent;
    }
    return a->parent ? in_order(&a->by, &b->by) : b->before[a->number / 64] >> a->number % 64 & 1;
}

/* ---- what grids before have done ---- */

static bool is_relative(uint32_t tag)
{
    return family.n > 1 && tag - family.first_tag < family.n;
}

void family_keep(struct shadow_page *p)
{
    uint32_t n = PAGE_BYTES >> p->shift, grid = p->tag - family.first_tag;

    if (!is_relative(p->tag))
        return;
    if (!p->older)
        p->older = xcalloc(n, sizeof(*p->older));
    else if (p->family != family.number)
        memset(p->older, 0, n * sizeof(*p->older));
    p->family = family.number;
    for (uint32_t i = 0; i < n; i++) {
        const struct cells *c = &p->cells[i];

        if (c->write) {
            p->older[i].write = c->write;
            p->older[i].writer = grid;
        }
        if (c->read) {
            p->older[i].read = c->read;
            p->older[i].reader = grid;
        }
    }
}

void family_split(struct shadow_page *p, uint32_t n, uint32_t times)
{
    struct older *wide = p->older, *older = xcalloc((size_t)n * times, sizeof(*older));

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < times; k++)
            older[i * times + k] = wide[i];
    free(wide);
    p->older = older;
}

/* An atomic that tells its thread nothing, and leaves the same in any order. */
static bool only_updates(const struct site *s)
{
    return s && s->atomic && !s->returns;
}

/* Both strong, by grids of two streams: is that all right? */
static bool may_meet(const struct race *x, const struct site *other, uint32_t lane,
                     const uint8_t *contents)
{
    return !x->b->launch->grid->streams || (only_updates(other) && only_updates(x->a->site)) ||
           race_stores_the_same(x, lane, contents);
}

static void meet(const struct race *x, uint32_t number, uint64_t cell, bool writes, uint32_t lane,
                 const uint8_t *contents)
{
    const struct grid *other = family.grids[number], *g = x->b->launch->grid;
    bool above, load = x->a->kind == ACCESS_LOAD, strong = cell_how(cell) >= HOW_STRONG;

    if (!writes && cell_how(cell) == HOW_MANY) /* of several lanes, plain */
        strong = false;
    uint32_t id = cell_site(cell);
    const struct site *site = id < other->nsites ? other->sites[id] : NULL;

    if (x->strong && strong && may_meet(x, site, lane, contents))
        return;
    if (!g->streams && ((load && strong) || (!writes && x->strong)))
        return; /* one may go on to compare and swap */
    if (ordered(other, cell, writes, g, &above) ||
        (writes && race_stores_nothing_new(x, lane, contents)))
        return;
    struct relative r = {.func = other->func,
                         .site = site,
                         .above = above,
                         .graph = !g->parent && !other->parent && !g->streams,
                         .streams = g->streams,
                         .writes = writes};
    memcpy(r.ntid, other->ntid, sizeof(r.ntid));
    memcpy(r.nctaid, other->nctaid, sizeof(r.nctaid));
    r.thread = cell_warp(cell) * 32 + cell_lane(cell);
    r.block = cell_block(cell);
    report_relative(x->b, x->a, lane, &r);
}

void family_meet(const struct race *x, struct shadow_page *p, uint32_t from, uint32_t lane,
                 uint32_t n, const uint8_t *contents)
{
    uint32_t each = x->a->size >> p->shift;
    const struct older *o = p->older + (from >> p->shift);

    if (p->family != family.number || x->b->launch->grid->alone)
        return;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < each; i++, o++) {
            const uint8_t *at = contents ? contents + k * x->a->size : NULL;

            if (o->write)
                meet(x, o->writer, o->write, true, lane + k, at);
            if (o->read && x->a->kind != ACCESS_LOAD)
                meet(x, o->reader, o->read, false, lane + k, at);
        }
}
