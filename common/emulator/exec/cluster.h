/* cluster.h - blocks and clusters of blocks: private to launch.c, block.c, cluster.c and the
 * interpreter. */
#ifndef EMULATOR_CLUSTER_H
#define EMULATOR_CLUSTER_H

#include "exec.h"

#define RESERVED_BYTES 1024 /* of shared memory, the system's: cooperative groups use some */

struct cluster {
    struct block **blocks; /* by rank */
    uint32_t nblocks;
};

static inline bool waits_for_cluster(const struct path *p)
{
    return p->state == PATH_BARRIER && p->barrier == CLUSTER_BARRIER;
}
/* The block whose shared memory an offset of b's window leads to; NULL: there is none. */
static inline struct block *cluster_block(struct block *b, uint64_t offset)
{
    uint64_t rank = offset >> PEER_SHIFT;
    if (rank == 0 || rank - 1 == b->rank)
        return b;
    return b->cluster && rank <= b->cluster->nblocks ? b->cluster->blocks[rank - 1] : NULL;
}
void cluster_worker(struct worker *k); /* runs clusters until none is left */
/* Lets the waiting go on if all threads have arrived or exited; true: it did. */
bool cluster_release(struct cluster *c);

/* block.c */
void launch_warp_constants(struct launch *l); /* fills l->warp_constants */
enum run {
    RUN_DONE,
    RUN_YIELD, /* it may wait for a block that is not open yet */
    RUN_TURN,  /* others that are open should have a turn */
};
struct block *block_new(struct worker *k);
void block_free(struct block *b);
void block_start(struct block *b, uint64_t index); /* b->cluster and b->rank are set */
enum run block_run(struct block *b);
void block_finish(struct block *b);
void block_deadlock(struct block *b); /* the launch ends with an error that names a barrier */

#endif
