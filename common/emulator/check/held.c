/* held.c - plain reads that an atomic compare-and-swap may yet make good.
 *
 * Interface: private.h. The programming guide's loop reads a word plainly, and then
 * swaps it only if it is still what was read:
 *
 *     old = *p;
 *     do { was = old; old = atomicCAS(p, was, f(was)); } while (was != old);
 *
 * By the letter that read races with the others' swaps; whatever it returns, the loop is
 * right. So a race of a plain read with an atomic is held back until the reader's next
 * atomic on the place: a compare-and-swap drops it, another says it, and so does the end of
 * the reader's block. Threads that a fault kept from going on are not accused.
 * Granted, therefore: a reader that does something else with what it read, before it swaps.
 */
#include "private.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 }; /* of one thread; before it reads a fifth place, the first is said */

struct held {
    struct held *next;
    struct clash clash;
    struct block_info info; /* clash.info: the block that met the other may be gone by then */
    struct reader reader;
};

static struct held **bucket(struct launch_state *l, uint32_t block, uint32_t warp)
{
    return &l->held[(block * MAX_WARPS + warp) % HELD_BUCKETS];
}

static bool over(const struct launch_state *l, uint32_t block)
{
    return l->over[block / 8] >> block % 8 & 1;
}

static bool same_place(const struct clash *c, const struct access *a, uint64_t addr)
{
    return c->a.space == a->space && addr < c->addr + c->a.size && c->addr < addr + a->size;
}

static bool same_reader(const struct reader *x, const struct reader *y)
{
    return x->block == y->block && x->warp == y->warp && x->lane == y->lane &&
           x->another == y->another;
}

/* From its bucket onto the list `out`. */
static void take(struct launch_state *l, struct held **p, struct held **out)
{
    struct held *h = *p;

    *p = h->next;
    h->next = *out;
    *out = h;
    atomic_fetch_sub(&l->nheld, 1);
}

static void let_go(struct held *h, bool say)
{
    for (struct held *next; h; h = next) {
        next = h->next;
        if (say)
            report_clash(&h->clash);
        free(h);
    }
}

/* False: this place is among the reader's already. Its oldest goes when it has too many. */
static bool make_room(struct launch_state *l, const struct clash *c, const struct reader *r,
                      struct held **out)
{
    struct held **oldest = NULL;
    int n = 0;

    for (struct held **p = bucket(l, r->block, r->warp); *p; p = &(*p)->next) {
        if (!same_reader(&(*p)->reader, r))
            continue;
        if (same_place(&(*p)->clash, &c->a, c->addr))
            return false;
        n++;
        oldest = p; /* new ones come first */
    }
    if (n == MOST)
        take(l, oldest, out);
    return true;
}

bool held_back(struct launch_state *l, const struct clash *c, const struct reader *r)
{
    struct held *old = NULL, *h, **head = bucket(l, r->block, r->warp);

    pthread_mutex_lock(&l->held_lock);
    if (over(l, r->block)) {
        pthread_mutex_unlock(&l->held_lock);
        return false;
    }
    if (make_room(l, c, r, &old)) {
        h = xcalloc(1, sizeof(*h));
        h->clash = *c;
        h->info = *c->info;
        h->clash.info = &h->info;
        h->reader = *r;
        h->next = *head;
        *head = h;
        atomic_fetch_add(&l->nheld, 1);
    }
    pthread_mutex_unlock(&l->held_lock);
    let_go(old, true);
    return true;
}

static bool read_by(const struct reader *r, uint32_t block, uint32_t warp, uint32_t lane)
{
    return r->block == block && r->warp == warp && (r->lane == lane) != r->another;
}

void held_decide(struct block_state *b, const struct access *a, uint32_t lane)
{
    struct launch_state *l = b->launch;
    struct held **p = bucket(l, b->block, a->warp), *out = NULL;

    pthread_mutex_lock(&l->held_lock);
    while (*p)
        if (read_by(&(*p)->reader, b->block, a->warp, lane) &&
            same_place(&(*p)->clash, a, a->addr[lane]))
            take(l, p, &out);
        else
            p = &(*p)->next;
    pthread_mutex_unlock(&l->held_lock);
    let_go(out, !a->site->cas);
}

void held_block_end(struct block_state *b)
{
    struct launch_state *l = b->launch;
    struct held *out = NULL;

    if (b->block >= l->nblocks)
        return;
    pthread_mutex_lock(&l->held_lock);
    l->over[b->block / 8] |= (uint8_t)(1 << b->block % 8);
    for (uint32_t i = 0; atomic_load(&l->nheld) && i < HELD_BUCKETS; i++)
        for (struct held **p = &l->held[i]; *p;)
            if ((*p)->reader.block == b->block)
                take(l, p, &out);
            else
                p = &(*p)->next;
    pthread_mutex_unlock(&l->held_lock);
    let_go(out, true);
}

void held_launch_begin(struct launch_state *l)
{
    pthread_mutex_init(&l->held_lock, NULL);
    l->over = xcalloc(l->nblocks / 8 + 1, 1);
}

void held_launch_free(struct launch_state *l)
{
    for (uint32_t i = 0; i < HELD_BUCKETS; i++)
        let_go(l->held[i], false);
    free(l->over);
    pthread_mutex_destroy(&l->held_lock);
}
