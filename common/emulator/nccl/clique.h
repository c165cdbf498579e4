/* clique.h - the ranks of one communicator, and where their calls meet.
 *
 * An operation of a rank is posted, and then waited for. The k-th collective that a rank posts
 * meets the k-th of each other; a send meets the peer's receive, first come, first served. Who
 * comes last carries the operation out. A rank that never comes is an error: nobody waits while
 * nothing else in the process runs.
 */
#ifndef EMULATOR_NCCL_CLIQUE_H
#define EMULATOR_NCCL_CLIQUE_H

#include "emulator/runtime/step.h"
#include "nccl_api.h"
#include <stdbool.h>
#include <stdint.h>

enum kind {
    INIT,
    ALL_REDUCE,
    REDUCE,
    BROADCAST,
    ALL_GATHER,
    REDUCE_SCATTER,
    SEND, /* these two of a pair alone */
    RECEIVE,
};

struct op {
    struct op *after, *next; /* in its group; among those that wait for their other half */
    enum kind kind;
    const char *name; /* "ncclAllReduce" */
    ncclComm_t comm;
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t reduce;
    int root; /* or the peer */
    cudaStream_t stream;
    struct warplab_step *step;
    bool done;
    ncclResult_t result;
};

struct ncclComm {
    struct ncclComm *next; /* all there are */
    struct clique *clique;
    int rank, device;
    uint64_t posted; /* collectives */
};

/* The rank's place among those of that id; *comm is its handle. Meets the others by an INIT. */
ncclResult_t clique_join(ncclComm_t *comm, int nranks, const ncclUniqueId *id, int rank,
                         int device);
/* Of a rank that goes; `abort`: others that wait for it are told. */
void clique_leave(ncclComm_t comm, bool abort);
bool comm_known(const struct ncclComm *comm);
int comm_ranks(const struct ncclComm *comm);
/* ncclSuccess, or what broke its clique. */
ncclResult_t comm_broken(const struct ncclComm *comm);

void op_post(struct op *o);
ncclResult_t op_wait(struct op *o);

/* Keeps why a call fails, for ncclGetLastError(), says it on stderr, and returns r. */
ncclResult_t refuse(ncclResult_t r, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *refused_last(void);

#endif
