/* async.c - what is read while nobody waits: shared memory that products (wgmma) and copies
 * (cp.async.bulk) read by the asynchronous proxy.
 *
 * Interface: private.h. A read by that proxy may take place at any time up to the wait that ends
 * it: it is recorded as a read when it is asked for and again when it is waited for, and memory
 * written in between is a finding of its own. A wait for products is one of all four warps that
 * multiply together: one may say for them that memory is free again, as CUTLASS's consumers do.
 * What ordinary stores wrote is seen by that proxy behind a fence.proxy.async, of the writer or
 * of any other thread that the writer's stores were ordered before.
 * Copies are a lane's: another lane's wait does not end them.
 * Not looked at: copies from shared memory to another block's, which an mbarrier there ends.
 */
#include "private.h"
#include <stdlib.h>
#include <string.h>

enum { GROUP = 4, CHUNK = READ_CHUNK, LANES = 32 };

struct reading {
    struct reading *next;
    const struct site *site;
    uint32_t warp, group;
    bool product, told; /* told: a finding, which the race need not say again */
    struct left_by left_by;
    uint32_t mask;
    uint64_t at[LANES], lo, hi; /* from the first to behind the last */
};

/* Counts it among those of its chunks, or no more. */
static void count_chunks(struct block_state *b, const struct reading *r, int by)
{
    for (uint32_t m = r->mask; m; m &= m - 1) {
        uint64_t at = r->at[__builtin_ctz(m)];

        for (uint64_t c = at / CHUNK; c <= (at + CHUNK - 1) / CHUNK; c++)
            b->under_way[c % READ_CHUNKS] += by;
    }
}
/* May one of them read what a writes? Most writes are told by this that none does. */
static bool may_meet(const struct block_state *b, const struct access *a)
{
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t at = a->addr[__builtin_ctz(m)];

        for (uint64_t c = at / CHUNK; c <= (at + a->size - 1) / CHUNK; c++)
            if (b->under_way[c % READ_CHUNKS])
                return true;
    }
    return false;
}

void async_begin(struct block_state *b)
{
    for (struct reading *r = b->reading, *next; r; r = next) {
        next = r->next;
        count_chunks(b, r, -1);
        free(r);
    }
    b->reading = NULL;
    b->nended_reads = 0;
    memset(b->copies, 0, sizeof(b->copies));
    memset(b->products, 0, sizeof(b->products));
    memset(b->fenced, 0, sizeof(b->fenced));
    for (uint32_t w = 0; w < MAX_WARPS; w++)
        b->proxied[w] = b->bar;
}

/* How many groups have been asked for: by the warp, or by the lane whose copy it is. */
static uint32_t groups(const struct block_state *b, const struct reading *r)
{
    return r->product ? b->products[r->warp] : b->copies[r->warp][__builtin_ctz(r->mask)];
}

/* ---- reads under way ---- */
void async_read(struct block_state *b, const struct access *a)
{
    if (!a->site->held)
        return;
    struct reading *r = xcalloc(1, sizeof(*r));

    r->site = a->site;
    r->warp = a->warp;
    r->product = a->site->product;
    r->mask = a->mask;
    r->group = groups(b, r);
    memcpy(r->at, a->addr, sizeof(r->at));
    r->lo = UINT64_MAX;
    for (uint32_t m = r->mask; m; m &= m - 1) {
        uint64_t at = r->at[__builtin_ctz(m)];

        r->lo = at < r->lo ? at : r->lo;
        r->hi = at + CHUNK > r->hi ? at + CHUNK : r->hi;
    }
    r->next = b->reading;
    b->reading = r;
    count_chunks(b, r, 1);
}

/* Does a chunk of it lie in what the lane writes? */
static bool meets(const struct reading *r, uint64_t at, uint32_t size)
{
    for (uint32_t m = at < r->hi && at + size > r->lo ? r->mask : 0; m; m &= m - 1) {
        uint64_t chunk = r->at[__builtin_ctz(m)];

        if (chunk < at + size && at < chunk + CHUNK)
            return true;
    }
    return false;
}

void async_written(struct block_state *b, struct block_state *who, const struct access *a)
{
    uint64_t lo = UINT64_MAX, hi = 0;

    if (!may_meet(b, a))
        return;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t at = a->addr[__builtin_ctz(m)];

        lo = at < lo ? at : lo;
        hi = at + a->size > hi ? at + a->size : hi;
    }
    for (struct reading *r = b->reading; r; r = r->next)
        for (uint32_t m = lo < r->hi && hi > r->lo ? a->mask : 0; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);

            if (!meets(r, a->addr[lane], a->size))
                continue;
            report_async(who, ASYNC_OVERWRITTEN, a, lane,
                         &(struct asked){.site = r->site,
                                         .of = b,
                                         .block = b->block,
                                         .warp = r->warp,
                                         .product = r->product,
                                         .left_by = r->left_by});
            r->told = true;
            break;
        }
}

/* ---- waits ---- */
void async_commit(struct block_state *b, const struct site *s, uint32_t warp, uint32_t mask)
{
    b->products[warp] += s->product;
    for (uint32_t m = s->product ? 0 : mask; m; m &= m - 1)
        b->copies[warp][__builtin_ctz(m)]++;
}

/* It is over only now. */
static void settle(struct block_state *b, const struct reading *r)
{
    const struct access a = {.site = r->site,
                             .kind = ACCESS_LOAD,
                             .space = ACCESS_SHARED,
                             .is_async = true,
                             .size = CHUNK,
                             .warp = r->warp,
                             .mask = r->mask,
                             .addr = r->at};

    shared_touch(b, &a);
    if (b->landed)
        landing_touched(b, &a);
}

static void remember(struct block_state *b, const struct reading *r)
{
    uint32_t i = 0;

    while (i < b->nended_reads && b->ended_reads[i].read != r->site)
        i++;
    if (i == READS_ENDED)
        return;
    b->ended_reads[i] = (struct ended){r->site, r->left_by};
    b->nended_reads += i == b->nended_reads;
}

struct left_by async_left_by(const struct block_state *b, const struct site *read)
{
    for (uint32_t i = 0; i < b->nended_reads; i++)
        if (b->ended_reads[i].read == read)
            return b->ended_reads[i].by;
    return (struct left_by){0};
}

void async_wait(struct block_state *b, const struct site *s, uint32_t warp, uint32_t mask,
                uint32_t left)
{
    bool product = s->product;
    uint32_t first = product ? warp / GROUP * GROUP : warp, n = product ? GROUP : 1;

    for (struct reading **p = &b->reading; *p;) {
        struct reading *r = *p;
        bool mine = r->product == product && r->warp >= first && r->warp < first + n &&
                    (product || r->mask & mask);
        uint32_t asked = product ? b->products[warp] : groups(b, r);

        if (!mine || r->group + left >= asked) {
            if (mine && r->group < asked)
                r->left_by = (struct left_by){s, left};
            p = &r->next;
            continue;
        }
        *p = r->next;
        count_chunks(b, r, -1);
        remember(b, r);
        if (!r->told)
            settle(b, r);
        free(r);
    }
    if (product)
        order_group(b, warp, first, n);
}

/* ---- proxies ---- */
void async_fence(struct block_state *b, const struct site *s, uint32_t warp)
{
    if (strncmp(s->opcode, "fence.proxy.async", 17) != 0 || strstr(s->opcode, ".global"))
        return;
    order_proxy(b, warp, b->proxied);
    b->fenced[warp] = true;
}

bool async_unfenced(const struct race *x, uint64_t cell)
{
    const struct block_state *b = x->b;
    uint32_t id = cell_site(cell), warp = cell_warp(cell), mine = x->a->warp;

    if ((warp != mine && b->fenced[mine]) || cell_clock(cell) <= b->proxied[warp] ||
        id >= SITE_UNKNOWN)
        return false;
    return !b->launch->sites[id]->proxy;
}

/* A block's shared memory goes with it. */
void async_end(struct block_state *b)
{
    for (const struct reading *r = b->reading; r; r = r->next)
        if (!r->told && !r->product)
            report_left(b, &(struct asked){.site = r->site, .block = b->block, .warp = r->warp});
}
