/* check.c - the checker's listener: what the interpreter's events mean to it.
 *
 * Interface: check.h. Finds reads of memory never written (global, shared, local), races
 * in shared and global memory, barriers in divergent code or that exited threads miss,
 * matrices that wmma does not take, and leaks. Shadow memory and clocks: private.h;
 * what orders accesses: order.c; what is a race: race.c, held.c; wording:
 * report.c; shared variables laid apart: guard.c.
 *
 * A read counts as one of unwritten memory when none of the bytes of its 4-byte words was ever
 * written: compilers widen loads over padding, and copy it. In a shared array of bytes, which has
 * none, each counts for itself.
 * Not modelled: host writes to managed, pinned and registered memory cannot be seen, so
 * that memory counts as written; shared memory of other blocks of a cluster.
 */
#include "private.h"
#include "findings.h"
#include "base/alloc.h"
#include "base/mix.h"
#include "emulator/base/options.h"
#include "emulator/code/source.h"
#include "emulator/exec/guard.h"
#include "emulator/exec/turns.h"
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two lists */
static struct launch_state *launches;
static struct block_state *pool;

/* ---- launches ---- */

static struct launch_state *launch_find(uint64_t serial)
{
    struct launch_state *l = launches;

    while (l && l->serial != serial)
        l = l->next;
    return l;
}

static void launch_begin(struct listener *self, const struct block_info *any)
{
    struct launch_state *l = xcalloc(1, sizeof(*l));
    static uint32_t tag;
    uint64_t blocks = (uint64_t)any->nctaid[0] * any->nctaid[1] * any->nctaid[2];

    (void)self;
    check_enable();
    l->serial = any->launch;
    l->nblocks = blocks < MAX_BLOCKS ? (uint32_t)blocks : MAX_BLOCKS;
    l->released = xcalloc(l->nblocks, sizeof(*l->released));
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->later_lock, NULL);
    held_launch_begin(l);
    for (int i = 0; i < CHANNELS; i++)
        pthread_mutex_init(&l->channels[i].lock, NULL);
    pthread_mutex_lock(&lock);
    if (!launches)
        shadow_sweep();
    if (++tag == 0)
        tag = 1;
    l->tag = tag;
    l->next = launches;
    launches = l;
    pthread_mutex_unlock(&lock);
    family_begin(l, any);
}

static void partial_settle(struct block_state *b, uint32_t w);
static void settle_read_first(struct block_state *b, uint32_t warp, const struct access *next);

/* Back into the pool. */
static void block_retire(struct block_state *b)
{
    struct block_state **p;

    for (uint32_t w = 0; w < b->nwarps; w++) {
        partial_settle(b, w);
        settle_read_first(b, w, NULL);
    }
    report_block_end(b);
    pthread_mutex_lock(&lock);
    for (p = &b->launch->running; *p != b; p = &(*p)->next)
        ;
    *p = b->next;
    b->next = pool;
    pool = b;
    pthread_mutex_unlock(&lock);
}

static void launch_end(struct listener *self, const struct block_info *any)
{
    struct launch_state **p;

    (void)self;
    pthread_mutex_lock(&lock);
    for (p = &launches; *p && (*p)->serial != any->launch; p = &(*p)->next)
        ;
    struct launch_state *l = *p;
    if (l)
        *p = l->next;
    pthread_mutex_unlock(&lock);
    if (!l)
        return;
    while (l->running) { /* a launch that failed: these blocks never end */
        l->running->stopped = true;
        block_retire(l->running);
    }
    report_later(l);
    report_launch_end(any->func);
    family_end(l);
    order_launch_free(l);
    held_launch_free(l);
    pthread_mutex_destroy(&l->lock);
    pthread_mutex_destroy(&l->later_lock);
    free(l);
}

/* ---- blocks ---- */

static void block_shared_begin(struct block_state *b, uint32_t bytes)
{
    uint32_t n = (bytes + PAGE_BYTES - 1) >> PAGE_BITS;

    if (n > b->nshared) {
        struct shadow_page *pages = xcalloc(n, sizeof(*pages));

        if (b->nshared)
            memcpy(pages, b->shared, b->nshared * sizeof(*pages));
        free(b->shared);
        b->shared = pages;
        b->nshared = n;
    }
    for (uint32_t i = 0; i < n; i++)
        page_clear(&b->shared[i]);
}

static void block_begin(struct listener *self, struct block_info *info)
{
    pthread_mutex_lock(&lock);
    struct block_state *b = pool;
    if (b)
        pool = b->next;
    else
        b = xcalloc(1, sizeof(*b));
    b->launch = launch_find(info->launch);
    b->next = b->launch->running;
    b->launch->running = b;
    pthread_mutex_unlock(&lock);
    info->user[self->slot] = b;
    b->info_copy = *info;
    b->info = &b->info_copy;
    b->block = info->index;
    b->nwarps = info->warps;
    b->races = info->index < b->launch->nblocks;
    b->any_exited = false;
    b->met[0] = b->met[1] = NULL;
    for (uint32_t w = 0; w < info->warps; w++) {
        uint32_t left = info->threads - w * 32;

        b->live[w] = left >= 32 ? ~0u : (1u << left) - 1;
        if (b->nlocal[w])
            memset(b->local[w], 0, b->nlocal[w] * sizeof(*b->local[w]));
    }
    memset(b->site_cache, 0, sizeof(b->site_cache));
    memset(b->recent, 0, sizeof(b->recent));
    memset(b->last, 0, sizeof(b->last));
    memset(b->partial, 0, sizeof(b->partial));
    block_shared_begin(b, info->shared_extent);
    order_block_begin(b);
    async_begin(b);
    maps_begin(b);
    landing_begin(b);
    rounds_begin(b);
    b->follows = b->ended = b->some = false;
}

static void block_end(struct listener *self, struct block_info *info)
{
    struct block_state *b = info->user[self->slot];

    info->user[self->slot] = NULL;
    for (uint32_t w = 0; w < b->nwarps; w++)
        order_catch_up(b, w);
    if (b->races) {
        async_end(b);
        landing_end(b);
    }
    held_block_end(b);
    b->ended = true;
    block_retire(b);
}

/* ---- accesses ---- */

/* Neighbouring lanes whose accesses follow one another in memory, within a page; or that
 * all load one place. */
struct run {
    uint32_t lane, n;
    bool same;
};

static inline struct run run_next(const struct access *a, uint32_t m)
{
    struct run r = {(uint32_t)__builtin_ctz(m), 1, false};
    uint64_t at = a->addr[r.lane], step = a->size, next;

    if (r.lane == 31 || !(m >> (r.lane + 1) & 1))
        return r;
    next = a->addr[r.lane + 1];
    if (next == at && a->kind == ACCESS_LOAD) {
        step = 0;
        r.same = true;
    } else if (next != at + step) {
        return r;
    }
    while (r.lane + r.n < 32 && (m >> (r.lane + r.n) & 1) && next == at + r.n * step &&
           !((next ^ at) >> PAGE_BITS))
        next = a->addr[(r.lane + ++r.n) & 31];
    if (r.n == 1)
        r.same = false;
    return r;
}

static void unwritten(struct block_state *b, const struct access *a, const struct shadow_page *p,
                      uint32_t from, struct run r)
{
    bool bytes = a->size == 1 && a->space == ACCESS_SHARED &&
                 shared_map_is_bytes(b->info->map, a->addr[r.lane]);
    uint32_t step = r.same ? 0 : a->size, word = bytes ? 1 : 4;

    for (uint32_t i = 0; i < r.n; i++, from += step)
        if (!page_any_written(p, from & ~(word - 1), (from + a->size + word - 1) & ~(word - 1)))
            report_unwritten(b, a, r.lane + i);
}

static inline void page_access(const struct race *x, struct shadow_page *p, uint32_t from,
                               struct run r, const uint8_t *contents)
{
    const struct access *a = x->a;

    if (p->init != INIT_ALL && !(x->b->some && a->space == ACCESS_GLOBAL)) {
        uint32_t to = from + (r.same ? 1 : r.n) * a->size;

        if (a->kind != ACCESS_STORE && !page_all_written(p, from, to))
            unwritten(x->b, a, p, from, r);
        if (a->kind != ACCESS_LOAD)
            page_set_written(p, from, to);
    }
    if (!x->b->races)
        return;
    if (!r.same) {
        race_run(x, p, from, r.lane, r.n, contents);
    } else if (x->b->lane_known[a->warp]) { /* each lane knows something else */
        for (uint32_t i = 0; i < r.n; i++)
            race_run(x, p, from, r.lane + i, 1, contents);
    } else { /* two lanes stand for all */
        race_run(x, p, from, r.lane, 1, contents);
        race_run(x, p, from, r.lane + r.n - 1, 1, contents);
    }
}

static inline uint32_t run_mask(struct run r)
{
    return (r.n == 32 ? ~0u : (1u << r.n) - 1) << r.lane;
}

/* A synchronisation variable in a block's shared memory. */
static uint64_t shared_key(uint32_t block, uint64_t at)
{
    return (uint64_t)block << 40 | 1ull << 39 | at;
}
void shared_touch(struct block_state *b, const struct access *a)
{
    uint64_t told = 0;
    struct race x;
    struct run r;

    race_begin(&x, b, a);
    for (uint32_t m = a->mask; m; m &= ~run_mask(r)) {
        r = run_next(a, m);
        uint32_t at = (uint32_t)a->addr[r.lane];
        uint32_t page = at >> PAGE_BITS;
        if (page >= b->nshared)
            continue;
        if (b->races)
            page_ready(&b->shared[page], 1, x.shift);
        page_access(&x, &b->shared[page], at & (PAGE_BYTES - 1), r,
                    b->info->shared ? b->info->shared + at : NULL);
        for (uint32_t i = 0; x.strong && b->races && i < r.n; i++)
            order_strong(b, a, shared_key(b->block, a->addr[r.lane + i]), a->kind != ACCESS_LOAD,
                         &told);
    }
    if (b->nunwritten && a->kind != ACCESS_LOAD)
        report_stored(b, a);
}

static void async_access(struct block_state *b, const struct access *a)
{
    if (b->reading && a->kind != ACCESS_LOAD)
        async_written(b, b, a);
    if (landing_barrier(a))
        landing_arrive(b, a);
    else if (a->is_async && a->kind == ACCESS_STORE && site_brings(a->site))
        landing_chunk(b, a);
    else if (b->landed)
        landing_touched(b, a);
}

static void shared_access(struct block_state *b, const struct access *a)
{
    if (b->races)
        async_access(b, a);
    shared_touch(b, a);
    if (b->races && a->kind == ACCESS_LOAD && a->site->proxy)
        async_read(b, a);
}

/* The i of b->recent that holds the allocation of addr, or -1. */
static inline int recent_find(struct block_state *b, uint64_t addr)
{
    uint64_t generation = atomic_load_explicit(&mem_generation, memory_order_relaxed);
    uint32_t i;

    for (i = 0; i < 4; i++)
        if (addr - b->recent[i].addr < b->recent[i].size && b->recent[i].generation == generation)
            return (int)i;
    const struct mem_alloc *a = mem_find(addr);
    if (!a)
        return -1;
    i = b->recent_next++ % 4;
    b->recent[i].addr = a->addr;
    b->recent[i].size = a->size;
    b->recent[i].generation = generation;
    b->recent[i].alloc = a;
    b->recent[i].shadow = a->read_only || a->kind == MEM_WORKSPACE ? NULL : shadow_of(a);
    return (int)i;
}

struct shadow_page *global_page(struct block_state *b, uint64_t addr)
{
    int i = recent_find(b, addr);
    struct shadow *s = i < 0 ? NULL : b->recent[i].shadow;

    return s ? &s->pages[(addr - s->base) >> PAGE_BITS] : NULL;
}

/* Bytes of an allocation in which blocks that are checked alone may race: a block that goes through
 * all of a large one would take long. */
enum { MOST_OF_SOME = 4 << 20 };

static void global_run(const struct race *x, uint64_t addr, struct run r, struct shadow_page **held)
{
    struct block_state *b = x->b;
    int i = recent_find(b, addr);

    if (i < 0 || !b->recent[i].shadow || (b->some && b->recent[i].size > MOST_OF_SOME))
        return;
    uint64_t at = addr - b->recent[i].shadow->base;
    struct shadow_page *p = &b->recent[i].shadow->pages[at >> PAGE_BITS];
    if (p != *held) {
        if (*held)
            page_unlock(*held);
        page_lock(p);
        *held = p;
        if (b->races)
            page_ready(p, b->launch->tag, x->shift);
    }
    page_access(x, p, (uint32_t)(at & (PAGE_BYTES - 1)), r,
                b->recent[i].alloc->host + (addr - b->recent[i].addr));
}

static void global_access(struct block_state *b, const struct access *a)
{
    struct shadow_page *held = NULL;
    uint64_t told = 0;
    struct race x;
    struct run r;

    race_begin(&x, b, a);
    for (uint32_t m = a->mask; m; m &= ~run_mask(r)) {
        r = run_next(a, m);
        global_run(&x, a->addr[r.lane], r, &held);
        for (uint32_t i = 0; x.strong && b->races && i < r.n; i++)
            order_strong(b, a, a->addr[r.lane + i], a->kind != ACCESS_LOAD, &told);
    }
    if (held)
        page_unlock(held);
}

static uint32_t *local_masks(struct block_state *b, uint32_t warp, uint32_t bytes)
{
    if (bytes > b->nlocal[warp]) {
        uint32_t n = bytes < 256 ? 256 : bytes * 2;
        uint32_t *masks = xcalloc(n, sizeof(*masks));

        if (b->nlocal[warp])
            memcpy(masks, b->local[warp], b->nlocal[warp] * sizeof(*masks));
        free(b->local[warp]);
        b->local[warp] = masks;
        b->nlocal[warp] = n;
    }
    return b->local[warp];
}

static void local_unwritten(struct block_state *b, const struct access *a, uint32_t lane)
{
    struct read_first *r = &b->read_first[a->warp];

    if (a->kind != ACCESS_LOAD || (r->site && r->addr != a->addr[lane])) {
        report_unwritten(b, a, lane);
        return;
    }
    *r = (struct read_first){a->site, a->size, r->mask | 1u << lane, a->addr[lane]};
}

/* The warp's next access, NULL at the end of the block: were bits of the word set, or was it
 * read for its own sake? */
static void settle_read_first(struct block_state *b, uint32_t warp, const struct access *next)
{
    struct read_first r = b->read_first[warp];
    uint64_t addr[32];
    struct access a = {.site = r.site, .space = ACCESS_LOCAL, .size = r.size, .warp = warp};

    b->read_first[warp] = (struct read_first){0};
    a.addr = addr;
    for (uint32_t m = r.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);

        addr[lane] = r.addr;
        if (!next || next->space != ACCESS_LOCAL || next->kind != ACCESS_STORE ||
            next->size != r.size || !(next->mask >> lane & 1) || next->addr[lane] != r.addr)
            report_unwritten(b, &a, lane);
    }
}

static void local_access(struct block_state *b, const struct access *a)
{
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), any = 0;
        uint32_t at = (uint32_t)a->addr[lane], end = at + a->size;
        uint32_t *written = local_masks(b, a->warp, (end + 3) & ~3u);

        for (uint32_t i = at & ~3u; i < ((end + 3) & ~3u); i++)
            any |= written[i];
        for (uint32_t i = at; i < end && a->kind != ACCESS_LOAD; i++)
            written[i] |= 1u << lane;
        if (a->kind != ACCESS_STORE && !(any >> lane & 1) && !a->site->early &&
            !site_of_a_library(b->info->kernel, a->site))
            local_unwritten(b, a, lane);
    }
}

static void on_access(struct listener *self, struct block_info *info, const struct access *a)
{
    struct block_state *b = info->user[self->slot];

    order_catch_up(b, a->warp);
    if (b->read_first[a->warp].site)
        settle_read_first(b, a->warp, a);
    if (a->space == ACCESS_GLOBAL)
        global_access(b, a);
    else if (a->space == ACCESS_SHARED)
        shared_access(b, a);
    else
        local_access(b, a);
    b->last[a->space][a->warp] = a->site;
}

static void on_matrix(struct listener *self, struct block_info *info, const struct matrix_move *m)
{
    report_matrix(info->user[self->slot], m);
}

/* Races between blocks over shared memory are not looked for, but of copies. */
static void on_peer_write(struct listener *self, struct block_info *info,
                          const struct block_info *owner, const struct access *a)
{
    struct block_state *b = owner->user[self->slot], *who = info->user[self->slot];
    uint32_t at = (uint32_t)a->addr[__builtin_ctz(a->mask)], end = at + a->size;

    if (b->races && who->races && site_brings(a->site)) {
        async_written(b, who, a);
        landing_chunk(b, a);
    }
    while (at < end && at >> PAGE_BITS < b->nshared) {
        uint32_t from = at & (PAGE_BYTES - 1);
        uint32_t to = end - at < PAGE_BYTES - from ? from + (end - at) : PAGE_BYTES;

        page_set_written(&b->shared[at >> PAGE_BITS], from, to);
        at += to - from;
    }
}

static void on_peer_arrive(struct listener *self, struct block_info *info,
                           const struct block_info *owner, const struct access *a)
{
    struct block_state *b = info->user[self->slot], *there = owner->user[self->slot];
    uint64_t told = 0;

    order_catch_up(b, a->warp);
    if (b->races && there && there->races)
        landing_peer_arrive(there, b, a);
    if (b->races)
        order_strong(b, a, shared_key(owner->index, a->addr[0]), true, &told);
}

/* ---- synchronisation ---- */

/* The rest of the warp is not coming: it has left the kernel, or is elsewhere. */
static void partial_settle(struct block_state *b, uint32_t w)
{
    if (b->partial[w].site && b->partial[w].mask != b->live[w])
        report_barrier(b, b->partial[w].site, w, b->partial[w].mask, b->partial[w].live);
    b->partial[w].site = NULL;
}

static void partial_arrive(struct block_state *b, const struct site *s, uint32_t w, uint32_t mask)
{
    bool again = b->partial[w].site != NULL; /* one piece at this barrier, one at that */

    partial_settle(b, w);
    b->partial[w].site = s;
    b->partial[w].mask = mask;
    b->partial[w].live = b->live[w];
    if (again)
        partial_settle(b, w);
}

static void on_arrive(struct listener *self, struct block_info *info, const struct site *s,
                      uint32_t warp, uint32_t mask, uint32_t id, bool aligned)
{
    struct block_state *b = info->user[self->slot];

    order_catch_up(b, warp);
    if (aligned && mask != b->live[warp])
        partial_arrive(b, s, warp, mask);
    else if (aligned && b->any_exited && id == 0)
        report_exited(b, s);
    order_arrive(b, s, warp, id);
    if (id == CLUSTER_BARRIER && b->races)
        order_cluster_arrive(b, warp);
}

static void on_leave(struct listener *self, struct block_info *info, uint32_t id)
{
    struct block_state *b = info->user[self->slot];

    if (!b) /* of a cluster, and over: others of it wait no longer */
        return;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        order_catch_up(b, w);
        partial_settle(b, w);
    }
    order_leave(b, id);
    if (id == CLUSTER_BARRIER)
        order_cluster_leave(b);
}

static void on_warp_sync(struct listener *self, struct block_info *info, const struct site *s,
                         uint32_t warp, uint32_t mask, bool sync)
{
    struct block_state *b = info->user[self->slot];

    (void)s;
    order_catch_up(b, warp);
    if (sync)
        order_warp_sync(b, warp, mask);
}

static void on_outside_mask(struct listener *self, struct block_info *info, const struct site *s,
                            uint32_t warp, uint32_t lanes, uint32_t members)
{
    report_outside_mask(info->user[self->slot], s, warp, lanes, members);
}

static void on_nan(struct listener *self, struct block_info *info, const struct site *s,
                   uint32_t thread, const char *operands)
{
    report_nan(info->user[self->slot], s, thread, operands);
}

static void on_fence(struct listener *self, struct block_info *info, const struct site *s,
                     uint32_t warp, uint32_t mask, uint8_t scope, uint8_t order)
{
    struct block_state *b = info->user[self->slot];

    (void)mask, (void)order;
    order_catch_up(b, warp);
    async_fence(b, s, warp);
    maps_fence(b, s, warp);
    order_fence(b, warp, scope);
}

static void on_tensor_map(struct listener *self, struct block_info *info, const struct site *s,
                          uint32_t warp, uint64_t at, bool fence)
{
    struct block_state *b = info->user[self->slot];

    if (b->races)
        maps_read(b, s, warp, at, fence);
}

static void on_async_commit(struct listener *self, struct block_info *info, const struct site *s,
                            uint32_t warp, uint32_t mask)
{
    async_commit(info->user[self->slot], s, warp, mask);
}

static void on_async_wait(struct listener *self, struct block_info *info, const struct site *s,
                          uint32_t warp, uint32_t mask, uint32_t left)
{
    struct block_state *b = info->user[self->slot];

    order_catch_up(b, warp);
    if (b->races)
        async_wait(b, s, warp, mask, left);
}

static void on_exit_lanes(struct listener *self, struct block_info *info, uint32_t warp,
                          uint32_t mask)
{
    struct block_state *b = info->user[self->slot];

    order_catch_up(b, warp);
    b->live[warp] &= ~mask;
    b->any_exited = true;
    if (b->barrier[0].arrived)
        report_exited(b, b->barrier[0].site);
}

static void on_child(struct listener *self, struct block_info *info, const struct device_work *w,
                     uint32_t warp, uint32_t lane)
{
    struct block_state *b = info->user[self->slot];

    order_catch_up(b, warp);
    family_child(b, w, warp, lane);
}

static atomic_int check_on = -1; /* -1: as the option says */

static int checked(void)
{
    return check_on < 0 ? emu_options()->check ? CHECK_ALL : CHECK_OFF : check_on;
}

int check_set(int on)
{
    int now = checked();

    check_on = on == CHECK_SOME ? CHECK_SOME : on != CHECK_OFF;
    findings_read_by_program(on && !emu_options()->check);
    if (check_on == CHECK_ALL)
        check_enable();
    return now;
}

bool check_is_on(void)
{
    return checked() == CHECK_ALL;
}

static void on_waits_in_vain(struct listener *self, const struct block_info *info, uint32_t warp,
                             uint64_t at, struct text *t)
{
    if (info->user[self->slot])
        rounds_put_waiting(t, info->user[self->slot], warp, at);
}

static bool wants_launch(struct listener *self, const struct block_info *any)
{
    (void)self, (void)any;
    return check_is_on();
}

/* What it read and nobody had written may be where the address came from. */
static void on_fault(struct listener *self, const struct block_info *info, const struct site *s,
                     uint32_t thread, const char *what)
{
    (void)s, (void)thread, (void)what;
    struct block_state *b = info->user[self->slot];

    if (!b)
        return;
    b->stopped = true;
    report_block_end(b);
}

struct listener *check_listener(void)
{
    static struct listener self = {
        .name = "check",
        .apart = true,
        .wants_launch = wants_launch,
        .launch_begin = launch_begin,
        .launch_end = launch_end,
        .block_begin = block_begin,
        .block_end = block_end,
        .access = on_access,
        .matrix = on_matrix,
        .barrier_arrive = on_arrive,
        .barrier_leave = on_leave,
        .peer_write = on_peer_write,
        .peer_arrive = on_peer_arrive,
        .warp_sync = on_warp_sync,
        .outside_mask = on_outside_mask,
        .makes_nan = on_nan,
        .fence = on_fence,
        .tensor_map = on_tensor_map,
        .async_commit = on_async_commit,
        .async_wait = on_async_wait,
        .lanes_exit = on_exit_lanes,
        .child = on_child,
        .waits_in_vain = on_waits_in_vain,
        .fault = on_fault,
    };

    return &self;
}

/* ---- a few blocks alone ---- */

static bool some_want_launch(struct listener *self, const struct block_info *any)
{
    (void)self, (void)any;
    return checked() == CHECK_SOME;
}

/* The first, the last and some that are drawn; of clusters all of the first one's. All where only a
 * few run. */
static bool some_want_block(struct listener *self, const struct block_info *b)
{
    uint64_t n = (uint64_t)b->nctaid[0] * b->nctaid[1] * b->nctaid[2];
    bool drawn = false;

    (void)self;
    n = n < MAX_BLOCKS ? n : MAX_BLOCKS;
    for (uint64_t i = 0; i < CHECKED_DRAWN; i++)
        drawn |= b->index == mix64(turns_now() + b->launch * CHECKED_DRAWN + i) % n;
    return b->chosen || !b->cluster || (b->cluster_blocks == 1 && (drawn || b->index == n - 1));
}

static void some_block_begin(struct listener *self, struct block_info *info)
{
    block_begin(self, info);
    ((struct block_state *)info->user[self->slot])->some = true;
}

/* Of local memory nothing: it is a thread's own. */
static void on_some_access(struct listener *self, struct block_info *info, const struct access *a)
{
    if (a->space != ACCESS_LOCAL)
        on_access(self, info, a);
}

static struct listener *some_listener(void)
{
    static struct listener self;

    self = *check_listener();
    self.name = "check of some blocks";
    self.apart = false;
    self.wants_launch = some_want_launch;
    self.wants_block = some_want_block;
    self.block_begin = some_block_begin;
    self.access = on_some_access;
    self.makes_nan = NULL;
    self.child = NULL;
    return &self;
}

__attribute__((constructor)) static void listen(void)
{
    listener_register(check_listener());
    listener_register(some_listener());
}

static bool is_leak(const struct mem_alloc *a)
{
    return a->kind == MEM_DEVICE || a->kind == MEM_MANAGED || a->kind == MEM_PINNED ||
           a->kind == MEM_HEAP;
}

static void leak(const struct mem_alloc *a, void *arg)
{
    (void)arg;
    if (is_leak(a))
        report_leak(a);
}

static void count_leak(const struct mem_alloc *a, void *arg)
{
    *(unsigned *)arg += is_leak(a);
}

/* After a fault cudaFree() fails, so that what is left may well have been freed. */
void check_leaks(bool faulted)
{
    unsigned n = 0;

    if (!faulted) {
        mem_each(leak, NULL);
        return;
    }
    mem_each(count_leak, &n);
    if (n)
        finding_note("leaks are not looked for: after the fault nothing could be freed\n");
}
