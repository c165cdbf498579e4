/* cluster.c - clusters of blocks (PTX ISA 9.7.13.4, barrier.cluster): the blocks of one run in
 * turns on one worker, see each other's shared memory, and wait for each other.
 *
 * Shared memory of the block of rank r lies, for the others, at (r + 1) << PEER_SHIFT of their
 * own window; mapa makes such addresses. It stays until all blocks of the cluster have ended.
 * Clusters start in order. A cooperative launch has all of them open at once.
 */
#include "cluster.h"
#include "launch.h"
#include <stdlib.h>

/* ---- barrier.cluster: complete when every thread that has not exited has arrived ---- */
static bool complete(const struct cluster *c)
{
    bool any = false;
    for (uint32_t r = 0; r < c->nblocks; r++)
        for (uint32_t k = 0; k < c->blocks[r]->nwarps; k++) {
            const struct warp *w = &c->blocks[r]->warps[k];
            if (w->live & ~w->at_cluster)
                return false;
            any |= w->at_cluster != 0;
        }
    return any;
}
/* Listeners hear of it as of a barrier of the block, that all its threads come to when the last
 * of the cluster has arrived; and of all blocks' arrivals before any leaves. */
static void tell(struct block *b)
{
    static const struct site site = {.opcode = "barrier.cluster.wait"};
    for (int k = 0; k < b->nlisteners; k++)
        for (uint32_t i = 0; b->listeners[k]->barrier_arrive && i < b->nwarps; i++)
            if (b->warps[i].live)
                b->listeners[k]->barrier_arrive(b->listeners[k], &b->info, &site, i,
                                                b->warps[i].live, CLUSTER_BARRIER, false);
}
bool cluster_release(struct cluster *c)
{
    if (!complete(c))
        return false;
    for (uint32_t r = 0; r < c->nblocks; r++) {
        struct block *b = c->blocks[r];
        for (uint32_t k = 0; k < b->nwarps; k++)
            b->warps[k].at_cluster = 0;
        tell(b);
    }
    for (uint32_t r = 0; r < c->nblocks; r++)
        block_release_barrier(c->blocks[r], CLUSTER_BARRIER);
    return true;
}
const struct insn *warp_cluster_arrive(struct warp *w, const struct insn *in)
{
    struct block *b = w->block;
    if (!b->cluster) /* of one block: the wait is all there is to it */
        return in + 1;
    if (w->at_cluster & w->mask)
        return warp_fault(w, in, __builtin_ctz(w->at_cluster & w->mask), cudaErrorLaunchFailure,
                          "barrier.cluster.arrive for the second time without a wait between");
    w->at_cluster |= w->mask;
    cluster_release(b->cluster);
    return in + 1;
}
const struct insn *warp_cluster_wait(struct warp *w, const struct insn *in)
{
    struct path *p = w->cur;
    if (!w->block->cluster)
        return warp_barrier(w, in);
    if (!p->released && w->at_cluster & p->mask) {
        path_wait(p, in, CLUSTER_BARRIER);
        w->cur = NULL;
        return warp_next_path(w);
    }
    p->released = false;
    w->worker->slots[in->slot].requests++;
    return in + 1;
}

/* ---- a worker's life in a launch of clusters ---- */
static void start(struct cluster *c, struct launch *l, uint64_t index)
{
    uint32_t n[3], at[3], rank = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = l->grid[k] / l->cluster[k];
        at[k] = (uint32_t)(index % n[k]) * l->cluster[k];
        index /= n[k];
    }
    for (uint32_t z = 0; z < l->cluster[2]; z++)
        for (uint32_t y = 0; y < l->cluster[1]; y++)
            for (uint32_t x = 0; x < l->cluster[0]; x++, rank++) {
                struct block *b = c->blocks[rank];
                b->cluster = c;
                b->rank = rank;
                b->done = false;
                block_start(b, ((uint64_t)(at[2] + z) * l->grid[1] + at[1] + y) * l->grid[0] +
                                   at[0] + x);
            }
}
/* Is any of its threads held by something else than the cluster's barrier? */
static bool holds_up(const struct block *b)
{
    for (uint32_t k = 0; k < b->nwarps; k++)
        for (int i = 0; i < WARP; i++)
            if (b->warps[k].paths[i].mask && !waits_for_cluster(&b->warps[k].paths[i]))
                return true;
    return false;
}
/* Gives each block a turn until all have ended. */
static void run(struct launch *l, struct cluster *open, uint64_t n)
{
    uint64_t left = n * open->nblocks;
    uint32_t idle = 0; /* rounds in which nothing came of it: a second one shows that */
    while (left) {
        struct block *stuck = NULL;
        bool moved = false; /* or could yet */
        for (uint64_t k = 0; k < n * open->nblocks; k++) {
            struct block *b = open[k / open->nblocks].blocks[k % open->nblocks];
            if (b->done)
                continue;
            b->moved = false;
            b->done = block_run(b) == RUN_DONE;
            if (l->failed)
                return;
            if (b->done) {
                block_finish(b);
                left--;
            }
            moved |= (b->moved && !b->stuck) || b->done;
            if (!stuck || b->stuck || (holds_up(b) && !stuck->stuck))
                stuck = b;
        }
        idle = moved ? 0 : idle + 1;
        if (idle > 1 && stuck) {
            block_deadlock(stuck);
            return;
        }
    }
}
void cluster_worker(struct worker *k)
{
    struct launch *l = k->launch;
    uint32_t size = (uint32_t)cluster_size(l->cluster);
    uint64_t n = l->nblocks / size, together = l->cooperative ? n : l->together;
    struct cluster *open = xcalloc(together, sizeof(*open));
    struct block **blocks = xcalloc(together * size, sizeof(struct block *));
    for (uint64_t i = 0; i < together * size; i++)
        blocks[i] = block_new(k);
    for (uint64_t i = 0; i < together; i++)
        open[i] = (struct cluster){.blocks = blocks + i * size, .nblocks = size};
    while (!l->failed) {
        uint64_t begun = 0;
        for (uint64_t next; begun < together; begun++) {
            next = launch_chosen(l, atomic_fetch_add(&l->next_block, 1), n);
            if (next == UINT64_MAX)
                break;
            start(&open[begun], l, next);
        }
        if (!begun)
            break;
        run(l, open, begun);
    }
    for (uint64_t i = 0; i < together * size; i++)
        block_free(blocks[i]);
    free(blocks);
    free(open);
}
