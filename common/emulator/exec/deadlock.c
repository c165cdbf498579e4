/* deadlock.c - what is said of a block, or of its cluster, that can never go on: block_deadlock().
 *
 * All that have not ended wait. Where one waits for registers, it is named; where some wait for
 * mbarriers, each of these, with what it lacks; else the first path that waits at a barrier or for
 * other lanes.
 */
#include "cluster.h"
#include "guard.h"
#include "launch.h"
#include "mbarrier.h"
#include <stdlib.h>
#include <string.h>

#define MOST_TOLD 16 /* mbarriers */

/* ---- mbarriers ---- */
struct awaited { /* an mbarrier: of which block, and who waits */
    struct block *block;
    const struct path *path;
    uint32_t warp; /* the first of them */
};
struct all_awaited {
    struct awaited x[MOST_TOLD];
    uint32_t n, left_out;
};

static void put_made(struct text *t, const struct block *b, uint64_t at)
{
    for (uint32_t k = 0; b->mbarriers && k < b->mbarriers->n; k++)
        if (b->mbarriers->made[k].at == at) {
            char *where = site_text(b->mbarriers->made[k].site);
            text_addf(t, ", set up at %s", where);
            free(where);
        }
}
void mbarrier_describe(struct text *t, const struct block *b, uint64_t at)
{
    uint64_t x;
    memcpy(&x, b->shared + at, sizeof(x));
    shared_map_describe(t, b->info.map, at);
    put_made(t, b, at);
    text_addf(t, " for %u arrivals", MBARRIER_EXPECTED(x));
}
static void put_mbarrier(struct text *t, const struct awaited *a)
{
    uint64_t x;
    memcpy(&x, a->block->shared + a->path->mbarrier, sizeof(x));
    mbarrier_describe(t, a->block, a->path->mbarrier);
    text_addf(t, ", lacks %u of them", MBARRIER_PENDING(x));
    if (MBARRIER_BYTES(x) > 0)
        text_addf(t, " and %d bytes", MBARRIER_BYTES(x));
    if (MBARRIER_BYTES(x) < 0)
        text_addf(t, " and was brought %d bytes more than it was told to expect",
                  -MBARRIER_BYTES(x));
    text_addf(t, " in a phase of parity %u", MBARRIER_PHASE(x) & 1);
    for (int k = 0; k < a->block->nlisteners; k++) {
        struct listener *l = a->block->listeners[k];
        if (l->waits_in_vain)
            l->waits_in_vain(l, &a->block->info, a->warp, a->path->mbarrier, t);
    }
}
static void add_awaited(struct all_awaited *all, struct block *b, uint32_t warp,
                        const struct path *p)
{
    for (uint32_t k = 0; k < all->n; k++)
        if (all->x[k].block == b && all->x[k].path->mbarrier == p->mbarrier)
            return;
    if (all->n == MOST_TOLD)
        all->left_out++;
    else
        all->x[all->n++] = (struct awaited){b, p, warp};
}
static void find_awaited(struct all_awaited *all, struct block *b)
{
    for (uint32_t k = 0; k < b->nwarps; k++) {
        const struct warp *w = &b->warps[k];
        for (int i = 0; w->state == WARP_READY && i < WARP; i++) {
            const struct path *p = &w->paths[i];
            if (p->mask && p->state == PATH_READY && p->stuck)
                add_awaited(all, b, k, p);
        }
    }
}
static void find_all_awaited(struct all_awaited *all, struct block *b)
{
    if (!b->cluster)
        find_awaited(all, b);
    for (uint32_t r = 0; b->cluster && r < b->cluster->nblocks; r++)
        if (!b->cluster->blocks[r]->done)
            find_awaited(all, b->cluster->blocks[r]);
}
static void mbarrier_deadlock(const struct all_awaited *all)
{
    const struct awaited *first = &all->x[0];
    struct warp *w = &first->block->warps[first->warp];
    struct text t = {0};
    put_mbarrier(&t, first);
    text_addf(&t, ", and nobody is left who could bring them: all that have not ended wait");
    for (uint32_t k = 1; k < all->n; k++) {
        const struct awaited *a = &all->x[k];
        const uint32_t *c = a->block->ctaid;
        text_addf(&t, "%s thread (warp %u", k == 1 ? "; so does a" : ", a", a->warp);
        if (a->block != first->block)
            text_addf(&t, " of block (%u,%u,%u)", c[0], c[1], c[2]);
        text_addf(&t, ") for the mbarrier at ");
        put_mbarrier(&t, a);
    }
    if (all->left_out)
        text_addf(&t, ", and others for %u more", all->left_out);
    text_addf(&t,
              "; does each wait name the parity of its own round, of rounds that are counted on "
              "and do not begin anew, and do as many arrive as it is set up for?");
    w->mask = first->path->mask;
    warp_fault(w, first->path->waits, -1, cudaErrorLaunchTimeout, "deadlock: the mbarrier at %s",
               text_str(&t));
    text_free(&t);
}

/* ---- registers ---- */
static bool registers_deadlock(struct block *b)
{
    for (uint32_t k = 0; k < b->nwarps; k++)
        for (int i = 0; i < WARP; i++) {
            struct warp *w = &b->warps[k];
            const struct path *p = &w->paths[i];
            if (!p->mask || p->state != PATH_BARRIER || p->barrier != REGISTERS_WAIT)
                continue;
            w->mask = p->mask;
            warp_fault(w, p->pc, -1, cudaErrorLaunchTimeout,
                       "deadlock: a warp waits for %u registers a thread, of which it has %u, and "
                       "%u are free; no warp gives any back; do those that need few do "
                       "setmaxnreg.dec?",
                       (uint32_t)p->pc->imm, w->registers, b->spare);
            return true;
        }
    return false;
}
static bool any_registers_deadlock(struct block *b)
{
    if (!b->cluster)
        return registers_deadlock(b);
    for (uint32_t r = 0; r < b->cluster->nblocks; r++)
        if (!b->cluster->blocks[r]->done && registers_deadlock(b->cluster->blocks[r]))
            return true;
    return false;
}

/* ---- barriers, and lanes that wait for others ---- */
static void counted_deadlock(struct warp *w, struct path *p)
{
    const struct barrier *x = &w->block->barriers[p->barrier];
    uint32_t been = (uint32_t)__builtin_popcount(x->been);
    struct text t = {0};
    if (barrier_warps_too_many(x))
        text_addf(&t,
                  "%u warps (%u threads) have been at it: has each group of warps a barrier of its "
                  "own, of another number?",
                  been, been * WARP);
    else if (x->expected > w->block->live_threads)
        text_addf(&t, "of the block's threads %u are left", w->block->live_threads);
    else
        text_add(&t, "do all of its warps come there, each as often as the others?");
    warp_fault(
        w, p->pc, -1, cudaErrorLaunchTimeout,
        "deadlock: barrier %u is for %u threads, %u have come, and the others never come; %s",
        p->barrier, x->expected, x->threads, text_str(&t));
    text_free(&t);
}
static void path_deadlock(struct warp *w, struct path *p)
{
    const struct block *b = w->block;
    bool left = b->live_threads < b->launch->threads;

    w->mask = p->mask;
    w->cur = p;
    if (p->state == PATH_SYNC)
        warp_fault(w, p->pc, -1, cudaErrorLaunchTimeout,
                   "deadlock: lanes 0x%08x wait at a .sync instruction for lanes 0x%08x, of which "
                   "0x%08x never come",
                   p->mask, p->sync_mask, p->sync_mask & w->live & ~p->mask);
    else if (p->barrier == GROUP_WAIT)
        warp_fault(w, p->pc, -1, cudaErrorLaunchTimeout,
                   "deadlock: a warp waits for a product that the others of its four never commit; "
                   "do all four come here?");
    else if (b->barriers[p->barrier].expected)
        counted_deadlock(w, p);
    else
        warp_fault(
            w, p->pc, -1, cudaErrorLaunchTimeout,
            "deadlock: %u of %s%u threads%s wait at barrier %u and the others never come; is "
            "the barrier inside a branch that not all threads take, or in a loop that some leave "
            "earlier?",
            b->barriers[p->barrier].lanes, left ? "the " : "", b->live_threads,
            left ? " that have not ended" : "", p->barrier);
}
void block_deadlock(struct block *b)
{
    struct all_awaited all = {.n = 0};
    if (any_registers_deadlock(b))
        return;
    if (b->stuck)
        find_all_awaited(&all, b);
    if (all.n) {
        mbarrier_deadlock(&all);
        return;
    }
    for (uint32_t k = 0; k < b->nwarps; k++)
        for (int i = 0; i < WARP; i++) {
            struct path *p = &b->warps[k].paths[i];
            if (!p->mask || (b->cluster && waits_for_cluster(p)))
                continue;
            path_deadlock(&b->warps[k], p);
            return;
        }
    if (!b->launch->failed)
        panic("block with no warp to run");
}
