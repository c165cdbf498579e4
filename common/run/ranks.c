/* ranks.c - devices of a plan's ranks, and NCCL between them (ranks.h).
 *
 * NCCL's calls are as the emulator's own header declares them: a machine without a GPU has no
 * nccl.h. Communicators are made once for each number of ranks, which takes seconds on a GPU.
 */
#include "ranks.h"
#include "base/alloc.h"
#include "calls.h"
#include "emulator.h"
#include "emulator/nccl/nccl_api.h"
#include "lab/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libnccl.so.2"

struct ranks {
    char *data[LAB_MAX_RANKS][LAB_MAX_BUFFERS]; /* from rank 1 on */
    cudaEvent_t so_far[LAB_MAX_RANKS];          /* what the first one fetches is there */
};

/* ---- NCCL ---- */

static struct {
    __typeof__(ncclCommInitAll) *init_all;
    __typeof__(ncclGroupStart) *start;
    __typeof__(ncclGroupEnd) *end;
    __typeof__(ncclAllReduce) *all_reduce;
    __typeof__(ncclGetErrorString) *words;
} calls;
static char *why_not; /* NULL: it is there */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static ncclComm_t comms[LAB_MAX_RANKS + 1][LAB_MAX_RANKS]; /* by how many there are */

/* The first that can be had. On a GPU the emulator's, which lies beside this program's libraries,
 * is found first by its name and cannot be loaded: then where systems have NVIDIA's. */
static void load(void)
{
    static const char *const places[] = {LIBRARY, "/usr/lib/x86_64-linux-gnu/" LIBRARY,
                                         "/usr/lib/aarch64-linux-gnu/" LIBRARY,
                                         "/usr/lib64/" LIBRARY, "/usr/local/lib/" LIBRARY};
    size_t nplaces = emulator_here() ? 1 : sizeof(places) / sizeof(places[0]);
    static const struct call symbols[] = {
        {"ncclCommInitAll", &calls.init_all}, {"ncclGroupStart", &calls.start},
        {"ncclGroupEnd", &calls.end},         {"ncclAllReduce", &calls.all_reduce},
        {"ncclGetErrorString", &calls.words},
    };

    for (size_t i = 0; i < nplaces && (!i || why_not); i++) {
        free(why_not);
        why_not = calls_load(places[i], symbols, sizeof(symbols) / sizeof(symbols[0]));
    }
}

static bool has_op(const struct plan *p, enum op_kind kind)
{
    for (int i = 0; i < p->nops; i++) {
        if (p->ops[i].kind == kind)
            return true;
    }
    return false;
}

static bool open_nccl(struct exec *e, int n)
{
    pthread_once(&once, load);
    if (why_not)
        return exec_fail(e, cudaSuccess,
                         "several ranks need NCCL, " LIBRARY
                         ", which is not here: %s. Install it, or "
                         "put its folder into LD_LIBRARY_PATH. One rank needs none",
                         why_not);
    if (comms[n][0])
        return true;
    ncclResult_t result = calls.init_all(comms[n], n, NULL);
    return !result || exec_fail(e, cudaSuccess, "NCCL has no communicator for %d ranks: %s", n,
                                calls.words(result));
}

/* ---- devices ---- */

int ranks_of(const struct exec *e)
{
    return e->plan->ranks > 1 ? e->plan->ranks : 1;
}

static bool enough_devices(struct exec *e, int n)
{
    int there = 0;

    emulator_set_devices(n);
    cudaError_t error = cudaGetDeviceCount(&there);
    if (error != cudaSuccess)
        return exec_fail(e, error, "devices for %d ranks", n);
    return there >= n || exec_fail(e, cudaSuccess,
                                   "%d ranks need a device each, and there %s %d: ask for fewer, "
                                   "or use the emulator, which has as many as are asked for",
                                   n, there == 1 ? "is" : "are", there);
}

bool rank_use(struct exec *e, int rank)
{
    cudaError_t error = cudaSetDevice(rank);

    return error == cudaSuccess || exec_fail(e, error, "device %d", rank);
}

static bool open_rank(struct exec *e, int rank)
{
    if (!rank_use(e, rank))
        return false;
    for (int b = 0; b < e->plan->nbuffers; b++) {
        void **at = (void **)&e->ranks->data[rank][b];
        const struct lab_buffer *buffer = &e->plan->buffers[b];
        cudaError_t error = e->bytes[b] ? cudaMalloc(at, e->bytes[b]) : cudaSuccess;

        if (error != cudaSuccess)
            return exec_fail(e, error, "cannot allocate %zu bytes for %s on device %d", e->bytes[b],
                             buffer->name, rank);
        if (*at)
            emulator_name(*at, buffer->name, dtype_size(buffer->dtype), buffer->count);
    }
    return true;
}

/* The first rank's way to rank r's memory, over a link where there is one. Without, copies go
 * through the host. */
static bool open_link(struct exec *e, int r)
{
    int linked = 0;
    cudaError_t error = cudaDeviceCanAccessPeer(&linked, 0, r);

    if (error == cudaSuccess && linked && rank_use(e, 0))
        error = cudaDeviceEnablePeerAccess(r, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
        error = cudaSuccess;
    }
    if (error == cudaSuccess && rank_use(e, r))
        error = cudaEventCreateWithFlags(&e->ranks->so_far[r], cudaEventDisableTiming);
    return error == cudaSuccess || exec_fail(e, error, "a link from device %d to device 0", r);
}

bool ranks_open(struct exec *e)
{
    int n = ranks_of(e);

    if (n == 1)
        return true;
    if (!enough_devices(e, n))
        return false;
    e->ranks = xcalloc(1, sizeof(*e->ranks));
    for (int r = 1; r < n; r++) {
        if (!open_rank(e, r) || (has_op(e->plan, OP_FETCH) && !open_link(e, r)))
            return false;
    }
    return rank_use(e, 0) && (!has_op(e->plan, OP_SUM) || open_nccl(e, n));
}

char *rank_data(const struct exec *e, int rank, int b)
{
    return rank ? e->ranks->data[rank][b] : e->data[b];
}

bool ranks_upload(struct exec *e, int b, const void *host)
{
    cudaError_t error = cudaSuccess;

    for (int r = 1; r < ranks_of(e) && error == cudaSuccess && e->bytes[b]; r++)
        error = cudaMemcpy(rank_data(e, r, b), host, e->bytes[b], cudaMemcpyHostToDevice);
    return error == cudaSuccess ||
           exec_fail(e, error, "cannot copy %s to all ranks", e->plan->buffers[b].name);
}

bool ranks_poison(struct exec *e, int b, int value)
{
    cudaError_t error = cudaSuccess;
    int n = ranks_of(e);

    for (int r = 1; r < n && error == cudaSuccess; r++) {
        if (!rank_use(e, r)) /* a fill is its device's work */
            return false;
        error = cudaMemset(rank_data(e, r, b), value, e->bytes[b]);
    }
    if (n > 1 && !rank_use(e, 0))
        return false;
    return error == cudaSuccess || exec_fail(e, error, "cannot fill %s", e->plan->buffers[b].name);
}

bool ranks_sum(struct exec *e, const struct plan_op *o)
{
    static const ncclDataType_t types[DT_COUNT] = {
        [DT_I32] = ncclInt32,    [DT_U32] = ncclUint32,  [DT_I64] = ncclInt64,
        [DT_F16] = ncclFloat16,  [DT_F32] = ncclFloat32, [DT_F64] = ncclFloat64,
        [DT_BF16] = ncclBfloat16};
    enum dtype type = e->plan->buffers[o->index].dtype;
    int n = ranks_of(e);

    if (n == 1 || !o->count)
        return true;
    ncclResult_t result = calls.start();
    for (int r = 0; r < n && !result; r++) {
        char *at = rank_data(e, r, o->index) + o->offset * dtype_size(type);

        result = calls.all_reduce(at, at, o->count, types[type], ncclSum, comms[n][r],
                                  e->streams[r][o->stream]);
    }
    ncclResult_t ended = calls.end();
    result = result ? result : ended;
    return !result || exec_fail(e, cudaPeekAtLastError(), "ncclAllReduce of %s: %s",
                                e->plan->buffers[o->index].name, calls.words(result));
}

cudaError_t ranks_fetch(struct exec *e, const struct plan_op *o)
{
    size_t size = dtype_size(e->plan->buffers[o->index].dtype), from = o->offset * size;
    int r = (int)o->rank;

    if (!r || !o->count)
        return cudaSuccess;
    cudaEvent_t there = e->ranks->so_far[r];
    cudaError_t error = cudaEventRecord(there, e->streams[r][o->stream]);
    if (error == cudaSuccess)
        error = cudaSetDevice(0);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(e->streams[0][o->stream], there, 0);
    return error == cudaSuccess ? cudaMemcpyPeerAsync(rank_data(e, 0, o->index) + from, 0,
                                                      rank_data(e, r, o->index) + from, r,
                                                      o->count * size, e->streams[0][o->stream])
                                : error;
}

cudaError_t ranks_wait(struct exec *e)
{
    cudaError_t error = cudaSuccess, one;

    for (int r = ranks_of(e) - 1; r >= 0; r--) {
        one = ranks_of(e) > 1 ? cudaSetDevice(r) : cudaSuccess;
        one = one == cudaSuccess ? cudaDeviceSynchronize() : one;
        error = one == cudaSuccess ? error : one;
    }
    return error;
}

void ranks_close(struct exec *e)
{
    for (int r = 1; e->ranks && r < ranks_of(e); r++) {
        for (int b = 0; b < e->plan->nbuffers; b++)
            cudaFree(e->ranks->data[r][b]);
        if (e->ranks->so_far[r])
            cudaEventDestroy(e->ranks->so_far[r]);
    }
    free(e->ranks);
    e->ranks = NULL;
}
