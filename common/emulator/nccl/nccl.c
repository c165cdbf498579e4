/* nccl.c - NCCL's calls: arguments, groups, communicators.
 *
 * A call outside a group is a group of one. The operations of a group are posted when its outermost
 * ncclGroupEnd() comes, and all waited for there: work is done when it is issued, so what NCCL
 * leaves to the streams is over when these calls return.
 */
#include "base/alloc.h"
#include "clique.h"
#include "move.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names, versions, ids ---- */

ncclResult_t ncclGetVersion(int *version)
{
    if (!version)
        return refuse(ncclInvalidArgument, "ncclGetVersion: version is NULL");
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const words[] = {
        [ncclSuccess] = "no error",
        [ncclUnhandledCudaError] = "unhandled CUDA error",
        [ncclSystemError] = "unhandled system error",
        [ncclInternalError] = "internal error",
        [ncclInvalidArgument] = "invalid argument",
        [ncclInvalidUsage] = "invalid usage",
        [ncclRemoteError] = "another rank failed, or went",
        [ncclInProgress] = "operation in progress",
    };

    return (unsigned)result < ncclNumResults ? words[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return refused_last();
}

/* An id is of this process: its number and a count are all that is in it. */
struct id {
    char mark[8];
    uint64_t process, count;
};

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    static _Atomic uint64_t count;
    struct id own = {"warplab", (uint64_t)getpid(), 0};

    if (!id)
        return refuse(ncclInvalidArgument, "ncclGetUniqueId: id is NULL");
    own.count = ++count;
    memset(id, 0, sizeof(*id));
    memcpy(id->internal, &own, sizeof(own));
    return ncclSuccess;
}

static ncclResult_t check_id(const ncclUniqueId *id)
{
    struct id own;

    memcpy(&own, id->internal, sizeof(own));
    if (memcmp(own.mark, "warplab", sizeof(own.mark)) != 0)
        return refuse(ncclInvalidArgument, "ncclCommInitRank: not an id of ncclGetUniqueId()");
    if (own.process != (uint64_t)getpid())
        return refuse(
            ncclInvalidUsage,
            "ncclCommInitRank: the id is another process's; the emulator has ranks of one "
            "process only");
    return ncclSuccess;
}

/* ---- groups: a thread's own ---- */

static __thread int depth;
static __thread struct op *first, **last;

/* The step that stands for it on its device. */
static ncclResult_t begin(struct op *o)
{
    int device = o->comm->device;

    if (o->kind == INIT)
        return ncclSuccess;
    int now = warplab_library_device(device);
    cudaError_t e = warplab_step_begin(&o->step, o->name, o->stream);
    warplab_library_device(now);
    int streams = e ? device : warplab_step_device(o->step);
    if (!e && streams == device)
        return ncclSuccess;
    if (o->step)
        warplab_steps_end(&o->step, 1, 0, false);
    o->step = NULL;
    if (e)
        return refuse(ncclUnhandledCudaError, "%s: rank %d on device %d: %s", o->name,
                      o->comm->rank, device, cudaGetErrorString(e));
    return refuse(ncclInvalidArgument, "%s: rank %d is on device %d, the stream on device %d",
                  o->name, o->comm->rank, device, streams);
}

/* Posts all, then waits for all: the ranks of one thread meet each other. */
static ncclResult_t run_group(void)
{
    ncclResult_t result = ncclSuccess;

    for (struct op *o = first; o; o = o->after) { /* all may begin before one is done */
        o->result = begin(o);
        o->done = o->result != ncclSuccess;
    }
    for (struct op *o = first; o; o = o->after)
        if (!o->done)
            op_post(o);
    while (first) {
        struct op *o = first;
        ncclResult_t r = op_wait(o);

        result = result ? result : r;
        first = o->after;
        free(o);
    }
    last = NULL;
    return result;
}

static void drop_group(void)
{
    while (first) {
        struct op *o = first;

        first = o->after;
        free(o);
    }
    last = NULL;
}

static ncclResult_t add(const struct op *what)
{
    struct op *o = xmalloc(sizeof(*o));

    *o = *what;
    if (!first)
        last = &first;
    *last = o;
    last = &o->after;
    return depth ? ncclSuccess : run_group();
}

ncclResult_t ncclGroupStart(void)
{
    depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    if (!depth)
        return refuse(ncclInvalidUsage, "ncclGroupEnd: without ncclGroupStart");
    return --depth ? ncclSuccess : run_group();
}

/* ---- communicators ---- */

static ncclResult_t known(const char *name, const struct ncclComm *comm)
{
    return comm && comm_known(comm) ? ncclSuccess
                                    : refuse(ncclInvalidArgument, "%s: no communicator", name);
}

static ncclResult_t join(ncclComm_t *comm, int nranks, const ncclUniqueId *id, int rank)
{
    int device;

    if (!comm || nranks < 1 || rank < 0 || rank >= nranks)
        return refuse(ncclInvalidArgument, "ncclCommInitRank: rank %d of %d%s", rank, nranks,
                      comm ? "" : ", comm is NULL");
    cudaError_t e = warplab_library_call("ncclCommInitRank") ?: cudaGetDevice(&device);
    if (e)
        return refuse(ncclUnhandledCudaError, "ncclCommInitRank: %s", cudaGetErrorString(e));
    ncclResult_t r = check_id(id) ?: clique_join(comm, nranks, id, rank, device);
    if (r)
        return r;
    struct op o = {.kind = INIT, .name = "ncclCommInitRank", .comm = *comm};
    return add(&o);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
    return join(comm, nranks, &id, rank);
}

static ncclResult_t join_all(ncclComm_t *comms, int n, const int *devices)
{
    ncclUniqueId id;
    ncclResult_t r = ncclGetUniqueId(&id), end;

    ncclGroupStart();
    for (int i = 0; !r && i < n; i++) {
        int device = devices ? devices[i] : i;

        r = cudaSetDevice(device)
                ? refuse(ncclInvalidArgument, "ncclCommInitAll: there is no device %d", device)
                : join(&comms[i], n, &id, i);
    }
    for (struct op *o = first; r && o; o = o->after) { /* the others will not come */
        comms[o->comm->rank] = NULL;
        clique_leave(o->comm, true);
    }
    if (r)
        drop_group();
    end = ncclGroupEnd();
    return r ? r : end;
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int n, const int *devices)
{
    int now = 0;

    if (!comms || n < 1)
        return refuse(ncclInvalidArgument, "ncclCommInitAll: %d ranks%s", n,
                      comms ? "" : ", comms is NULL");
    if (depth)
        return refuse(ncclInvalidUsage, "ncclCommInitAll: within a group");
    cudaGetDevice(&now);
    ncclResult_t r = join_all(comms, n, devices);
    cudaSetDevice(now);
    return r;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    return known("ncclCommFinalize", comm); /* all work is done */
}

static ncclResult_t leave(const char *name, ncclComm_t comm, bool abort)
{
    if (!comm)
        return ncclSuccess;
    ncclResult_t r = known(name, comm);
    if (!r && depth)
        return refuse(ncclInvalidUsage, "%s: within a group", name);
    if (!r)
        clique_leave(comm, abort);
    return r;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    return leave("ncclCommDestroy", comm, false);
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    return leave("ncclCommAbort", comm, true);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    ncclResult_t r = known("ncclCommGetAsyncError", comm);

    if (!r && !error)
        r = refuse(ncclInvalidArgument, "ncclCommGetAsyncError: error is NULL");
    if (!r)
        *error = comm_broken(comm);
    return r;
}

static ncclResult_t tell(const char *name, const struct ncclComm *comm, int *out,
                         int (*what)(const struct ncclComm *))
{
    ncclResult_t r = known(name, comm);

    if (!r && !out)
        r = refuse(ncclInvalidArgument, "%s: NULL to be written to", name);
    if (!r)
        *out = what(comm);
    return r;
}

static int device_of(const struct ncclComm *comm)
{
    return comm->device;
}

static int rank_of(const struct ncclComm *comm)
{
    return comm->rank;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    return tell("ncclCommCount", comm, count, comm_ranks);
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    return tell("ncclCommCuDevice", comm, device, device_of);
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    return tell("ncclCommUserRank", comm, rank, rank_of);
}

/* ---- operations ---- */

/* What is wrong with one that could not be carried out whatever the others say. */
static ncclResult_t check(const struct op *o)
{
    ncclResult_t r = known(o->name, o->comm);
    size_t ranks = r ? 1 : (size_t)comm_ranks(o->comm), bytes = type_bytes(o->type), all;

    if (r)
        return r;
    if (!bytes)
        return refuse(ncclInvalidArgument, "%s: there is no type %d", o->name, o->type);
    if ((unsigned)o->reduce >= ncclNumOps)
        return refuse(ncclInvalidArgument,
                      "%s: operation %d is none of sum, prod, max, min and avg", o->name,
                      o->reduce);
    if (o->root < 0 || (size_t)o->root >= ranks)
        return refuse(ncclInvalidArgument, "%s: there is no rank %d among %zu", o->name, o->root,
                      ranks);
    if (__builtin_mul_overflow(o->count, bytes, &all) || __builtin_mul_overflow(all, ranks, &all))
        return refuse(ncclInvalidArgument, "%s: %zu elements are more than there is room for",
                      o->name, o->count);
    return ncclSuccess;
}

static ncclResult_t operation(const struct op *o)
{
    return check(o) ?: add(o);
}

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    struct op o = {.kind = ALL_REDUCE,
                   .name = "ncclAllReduce",
                   .send = send,
                   .recv = recv,
                   .count = count,
                   .type = type,
                   .reduce = op,
                   .comm = comm,
                   .stream = stream};
    return operation(&o);
}

ncclResult_t ncclReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    struct op o = {.kind = REDUCE,
                   .name = "ncclReduce",
                   .send = send,
                   .recv = recv,
                   .count = count,
                   .type = type,
                   .reduce = op,
                   .root = root,
                   .comm = comm,
                   .stream = stream};
    return operation(&o);
}

ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream)
{
    struct op o = {.kind = BROADCAST,
                   .name = "ncclBroadcast",
                   .send = send,
                   .recv = recv,
                   .count = count,
                   .type = type,
                   .root = root,
                   .comm = comm,
                   .stream = stream};
    return operation(&o);
}

ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream)
{
    struct op o = {.kind = BROADCAST,
                   .name = "ncclBcast",
                   .send = buffer,
                   .recv = buffer,
                   .count = count,
                   .type = type,
                   .root = root,
                   .comm = comm,
                   .stream = stream};
    return operation(&o);
}

ncclResult_t ncclAllGather(const void *send, void *recv, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    struct op o = {.kind = ALL_GATHER,
                   .name = "ncclAllGather",
                   .send = send,
                   .recv = recv,
                   .count = count,
                   .type = type,
                   .comm = comm,
                   .stream = stream};
    return operation(&o);
}

ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    struct op o = {.kind = REDUCE_SCATTER,
                   .name = "ncclReduceScatter",
                   .send = send,
                   .recv = recv,
                   .count = count,
                   .type = type,
                   .reduce = op,
                   .comm = comm,
                   .stream = stream};
    return operation(&o);
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    struct op o = {.kind = SEND,
                   .name = "ncclSend",
                   .send = send,
                   .count = count,
                   .type = type,
                   .root = peer,
                   .comm = comm,
                   .stream = stream};
    return operation(&o);
}

ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    struct op o = {.kind = RECEIVE,
                   .name = "ncclRecv",
                   .recv = recv,
                   .count = count,
                   .type = type,
                   .root = peer,
                   .comm = comm,
                   .stream = stream};
    return operation(&o);
}

/* ---- the names that profilers wrap ---- */

#define ALIAS(name) extern __typeof__(name) p##name __attribute__((alias(#name)));
ALIAS(ncclGetVersion)
ALIAS(ncclGetUniqueId)
ALIAS(ncclCommInitAll)
ALIAS(ncclCommInitRank)
ALIAS(ncclCommFinalize)
ALIAS(ncclCommDestroy)
ALIAS(ncclCommAbort)
ALIAS(ncclCommGetAsyncError)
ALIAS(ncclCommCount)
ALIAS(ncclCommCuDevice)
ALIAS(ncclCommUserRank)
ALIAS(ncclGetErrorString)
ALIAS(ncclGetLastError)
ALIAS(ncclGroupStart)
ALIAS(ncclGroupEnd)
ALIAS(ncclAllReduce)
ALIAS(ncclReduce)
ALIAS(ncclBroadcast)
ALIAS(ncclBcast)
ALIAS(ncclAllGather)
ALIAS(ncclReduceScatter)
ALIAS(ncclSend)
ALIAS(ncclRecv)
