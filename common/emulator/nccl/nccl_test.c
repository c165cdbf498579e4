/* nccl_test.c - NCCL's calls on four devices: every type and operation against a definition, groups
 * and threads, what is refused, and ranks that do not come.
 *
 * Where there is NVIDIA's nccl.h, its names and numbers are those tested: ours are compiled into
 * the library.
 */
#include "base/alloc.h"
#include "emulator/base/error.h"
#include "emulator/runtime/warplab.h"
#if __has_include(<nccl.h>)
#include <nccl.h>
#else
#include "nccl_api.h"
#endif
#include <criterion/criterion.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CUDA(call)         cr_assert_eq((call), cudaSuccess, "%s", #call)
#define OK(call)           cr_assert_eq((call), ncclSuccess, "%s: %s", #call, ncclGetLastError(0))
#define GIVES(call, error) cr_assert_eq((call), error, "%s", #call)
#define SAYS(words)        cr_assert(strstr(ncclGetLastError(0), words), "%s", ncclGetLastError(0))
#define EACH(r)            for (int r = 0; r < RANKS; r++)

enum { RANKS = 4, COUNT = 70000 }; /* more than one chunk of the library's */

static ncclComm_t comm[RANKS];
static cudaStream_t stream[RANKS];
static void *in[RANKS], *out[RANKS];

static void devices(void)
{
    setenv("WARPLAB_DEVICES", "4", 1);
    setenv("WARPLAB_RANK_WAIT", "0.5", 1);
    EACH(r)
    {
        CUDA(cudaSetDevice(r));
        CUDA(cudaStreamCreate(&stream[r]));
        CUDA(cudaMalloc(&in[r], (size_t)RANKS * COUNT * 8));
        CUDA(cudaMalloc(&out[r], (size_t)RANKS * COUNT * 8));
        CUDA(cudaMemset(in[r], r + 1, (size_t)RANKS * COUNT * 8));
        CUDA(cudaMemset(out[r], 0xee, (size_t)RANKS * COUNT * 8));
    }
    CUDA(cudaSetDevice(0));
}

static void set_up(void)
{
    devices();
    OK(ncclCommInitAll(comm, RANKS, NULL));
}

TestSuite(nccl, .init = set_up);
TestSuite(nccl_start, .init = devices);

static void put(int r, size_t element, const void *values, size_t n)
{
    CUDA(cudaMemcpy(in[r], values, n * element, cudaMemcpyDefault));
}

static int32_t int_at(const void *p, size_t i)
{
    int32_t x;

    CUDA(cudaMemcpy(&x, (const int32_t *)p + i, sizeof(x), cudaMemcpyDefault));
    return x;
}

/* ---- types and operations: two ranks' values that tell them apart, by hand ---- */

static const struct {
    ncclDataType_t type;
    size_t bytes;
    ncclRedOp_t op;
    uint64_t value[RANKS], result;
} rows[] = {
    {ncclInt8, 1, ncclSum, {100, 100, 1, 2}, (uint8_t)203},
    {ncclInt8, 1, ncclMin, {5, 0xff, 7, 1}, 0xff}, /* -1 */
    {ncclInt8, 1, ncclMax, {5, 0xff, 7, 1}, 7},
    {ncclInt8, 1, ncclAvg, {0xf0, 0xf8, 0xfc, 0}, 0xf9}, /* -28 / 4 */
    {ncclUint8, 1, ncclMax, {5, 0xff, 7, 1}, 0xff},
    {ncclUint8, 1, ncclAvg, {200, 100, 0, 0}, 11}, /* 44 / 4 */
    {ncclInt32, 4, ncclProd, {3, 0xfffffffe, 5, 7}, (uint32_t)-210},
    {ncclUint32, 4, ncclSum, {0xffffffff, 2, 0, 0}, 1},
    {ncclInt64, 8, ncclMin, {1, 2, (uint64_t)-3, 4}, (uint64_t)-3},
    {ncclUint64, 8, ncclMin, {1, 2, (uint64_t)-3, 4}, 1},
    {ncclUint64, 8, ncclSum, {1, 2, (uint64_t)1 << 63, 4}, ((uint64_t)1 << 63) + 7},
    {ncclFloat16, 2, ncclSum, {0x3c00, 0x4000, 0xbc00, 0x3800}, 0x4100},  /* 1+2-1+.5 = 2.5 */
    {ncclFloat16, 2, ncclProd, {0x7bff, 0x4000, 0x3c00, 0x3c00}, 0x7c00}, /* 65504 * 2 */
    {ncclFloat16, 2, ncclAvg, {1, 0, 0, 0}, 0},                 /* 2^-24 / 4, to the even */
    {ncclFloat16, 2, ncclAvg, {6, 0, 0, 0}, 2},                 /* 1.5 of 2^-24: to the even */
    {ncclFloat16, 2, ncclMax, {0x3c00, 0x7e00, 0, 0}, 0x7c01},  /* NaN */
    {ncclBfloat16, 2, ncclSum, {0x3f80, 0x3b80, 0, 0}, 0x3f80}, /* 1 + 2^-8: to the even */
    {ncclBfloat16, 2, ncclSum, {0x3f81, 0x3b80, 0, 0}, 0x3f82},
    {ncclFloat32, 4, ncclSum, {0x3f800000, 0x33800000, 0x33800000, 0}, 0x3f800000}, /* in order */
    {ncclFloat32, 4, ncclMin, {0x3f800000, 0xc0000000, 0, 0}, 0xc0000000},
    {ncclFloat32, 4, ncclAvg, {0x3f800000, 0x40000000, 0x40400000, 0x40c00000}, 0x40400000},
    {ncclFloat64,
     8,
     ncclProd,
     {0x4000000000000000, 0x4008000000000000, 0x3ff0000000000000, 0x3fe0000000000000},
     0x4008000000000000},                                      /* 2*3*1*.5 */
    {ncclFloat8e4m3, 1, ncclSum, {0x38, 0x38, 0x40, 0}, 0x48}, /* 1+1+2 = 4 */
    {ncclFloat8e4m3, 1, ncclSum, {0x7e, 0x7e, 0, 0}, 0x7e},    /* 896: the greatest */
    {ncclFloat8e4m3, 1, ncclSum, {0x7f, 0, 0, 0}, 0x7f},       /* NaN */
    {ncclFloat8e5m2, 1, ncclSum, {0x3c, 0x3c, 0x40, 0}, 0x44}, /* 1+1+2 = 4 */
    {ncclFloat8e5m2, 1, ncclProd, {0x7b, 0x40, 0x3c, 0x3c}, 0x7b},
};

static ncclResult_t all_reduce(size_t count, ncclDataType_t type, ncclRedOp_t op)
{
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclAllReduce(in[r], out[r], count, type, op, comm[r], stream[r]));
    return ncclGroupEnd();
}

Test(nccl, types_and_operations)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t got = 0;

        EACH(r)
        put(r, rows[i].bytes, &rows[i].value[r], 1);
        OK(all_reduce(1, rows[i].type, rows[i].op));
        EACH(r)
        {
            CUDA(cudaMemcpy(&got, out[r], rows[i].bytes, cudaMemcpyDefault));
            cr_expect_eq(got, rows[i].result, "row %zu, rank %d: %lx, not %lx", i, r, got,
                         rows[i].result);
        }
    }
}

/* ---- collectives, past the end of a chunk, whose neighbours stay ---- */

static void number(size_t n) /* in[r][i] = 1000000 r + i */
{
    int32_t *x = xmalloc(n * sizeof(*x));

    EACH(r)
    {
        for (size_t i = 0; i < n; i++)
            x[i] = (int32_t)(1000000 * r + (int)i);
        put(r, sizeof(*x), x, n);
    }
    free(x);
}

#define UNTOUCHED ((int32_t)0xeeeeeeee)

Test(nccl, all_reduce)
{
    number(COUNT);
    OK(all_reduce(COUNT, ncclInt32, ncclSum));
    EACH(r)
    {
        cr_assert_eq(int_at(out[r], 5), 6000020);
        cr_assert_eq(int_at(out[r], COUNT - 1), 6000000 + 4 * (COUNT - 1));
        cr_assert_eq(int_at(out[r], COUNT), UNTOUCHED);
    }
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclAllReduce(in[r], in[r], COUNT, ncclInt32, ncclMax, comm[r], stream[r]));
    OK(ncclGroupEnd());
    cr_assert_eq(int_at(in[0], COUNT - 1), 3000000 + COUNT - 1);
}

Test(nccl, reduce_and_broadcast)
{
    number(COUNT);
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclReduce(in[r], r == 2 ? out[r] : NULL, COUNT, ncclInt32, ncclSum, 2, comm[r], stream[r]));
    OK(ncclGroupEnd());
    cr_assert_eq(int_at(out[2], COUNT - 1), 6000000 + 4 * (COUNT - 1));
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclBroadcast(r == 2 ? out[2] : NULL, out[r], COUNT, ncclInt32, 2, comm[r], stream[r]));
    OK(ncclGroupEnd());
    EACH(r)
    cr_assert_eq(int_at(out[r], COUNT - 1), 6000000 + 4 * (COUNT - 1));
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclBcast(in[r], 7, ncclInt32, 3, comm[r], stream[r]));
    OK(ncclGroupEnd());
    cr_assert(int_at(in[0], 6) == 3000006 && int_at(in[0], 7) == 7);
}

Test(nccl, all_gather)
{
    number(COUNT);
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclAllGather(in[r], out[r], COUNT, ncclInt32, comm[r], stream[r]));
    OK(ncclGroupEnd());
    EACH(r)
    for (int from = 0; from < RANKS; from++)
        cr_assert_eq(int_at(out[r], (size_t)(from + 1) * COUNT - 1), 1000000 * from + COUNT - 1);
    number(RANKS * 8); /* in place: a rank's part lies where it is to be */
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclAllGather((int32_t *)in[r] + 8 * r, in[r], 8, ncclInt32, comm[r], stream[r]));
    OK(ncclGroupEnd());
    EACH(r)
    for (int from = 0; from < RANKS; from++)
        cr_assert_eq(int_at(in[r], (size_t)from * 8 + 3), 1000000 * from + 8 * from + 3);
}

Test(nccl, reduce_scatter)
{
    number((size_t)RANKS * COUNT);
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclReduceScatter(in[r], out[r], COUNT, ncclInt32, ncclSum, comm[r], stream[r]));
    OK(ncclGroupEnd());
    EACH(r)
    {
        cr_assert_eq(int_at(out[r], 1), 6000000 + 4 * (r * COUNT + 1));
        cr_assert_eq(int_at(out[r], COUNT), UNTOUCHED);
    }
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclReduceScatter(in[r], (int32_t *)in[r] + r * COUNT, COUNT, ncclInt32, ncclSum, comm[r],
                         stream[r]));
    OK(ncclGroupEnd());
    EACH(r)
    cr_assert_eq(int_at(in[r], (size_t)r * COUNT + 2), 6000000 + 4 * (r * COUNT + 2));
}

/* All to all, as programs write it: a send to each and a receive from each in one group. */
Test(nccl, send_and_receive)
{
    number(RANKS * 16);
    OK(ncclGroupStart());
    EACH(r)
    EACH(other)
    {
        OK(ncclSend((int32_t *)in[r] + 16 * other, 16, ncclInt32, other, comm[r], stream[r]));
        OK(ncclRecv((int32_t *)out[r] + 16 * other, 16, ncclInt32, other, comm[r], stream[r]));
    }
    OK(ncclGroupEnd());
    EACH(r)
    EACH(other)
    cr_assert_eq(int_at(out[r], (size_t)(16 * other + 3)), 1000000 * other + 16 * r + 3);
}

Test(nccl, sends_of_a_pair_stay_in_order)
{
    number(2);
    OK(ncclGroupStart());
    for (int i = 0; i < 2; i++)
        OK(ncclSend((int32_t *)in[0] + i, 1, ncclInt32, 1, comm[0], stream[0]));
    for (int i = 0; i < 2; i++)
        OK(ncclRecv((int32_t *)out[1] + i, 1, ncclInt32, 0, comm[1], stream[1]));
    OK(ncclGroupEnd());
    cr_assert(int_at(out[1], 0) == 0 && int_at(out[1], 1) == 1);
}

/* ---- a thread a rank ---- */

static ncclUniqueId shared_id;

static void *rank_thread(void *arg)
{
    int r = (int)(intptr_t)arg;
    ncclComm_t own;
    int n = -1;

    cudaSetDevice(r);
    if (ncclCommInitRank(&own, RANKS, shared_id, r) || ncclCommCuDevice(own, &n) || n != r)
        return "no communicator";
    for (int round = 0; round < 10; round++)
        if (ncclAllReduce(round ? out[r] : in[r], out[r], 64, ncclInt32, ncclSum, own, stream[r]))
            return "no sum";
    if (r % 2 == 0 ? ncclSend(out[r], 64, ncclInt32, r + 1, own, stream[r])
                   : ncclRecv(in[r], 64, ncclInt32, r - 1, own, stream[r]))
        return "no message";
    return ncclCommDestroy(own) ? "not destroyed" : NULL;
}

Test(nccl_start, a_thread_a_rank, .timeout = 60)
{
    pthread_t t[RANKS];
    void *failed;

    number(64);
    OK(ncclGetUniqueId(&shared_id));
    EACH(r)
    pthread_create(&t[r], NULL, rank_thread, (void *)(intptr_t)r);
    EACH(r)
    {
        pthread_join(t[r], &failed);
        cr_assert_null(failed, "rank %d: %s: %s", r, (char *)failed, ncclGetLastError(0));
    }
    int32_t sum = (int32_t)((6000000u + 4 * 3) << 18); /* nine times by four */
    cr_assert(int_at(out[2], 3) == sum && int_at(in[3], 3) == sum);
}

Test(nccl_start, ranks_of_a_group)
{
    ncclUniqueId id;
    int n;

    OK(ncclGetUniqueId(&id));
    OK(ncclGroupStart());
    EACH(r)
    {
        CUDA(cudaSetDevice(RANKS - 1 - r));
        OK(ncclCommInitRank(&comm[r], RANKS, id, r));
    }
    OK(ncclGroupEnd());
    OK(ncclCommCount(comm[1], &n));
    cr_assert_eq(n, RANKS);
    OK(ncclCommUserRank(comm[1], &n));
    cr_assert_eq(n, 1);
    OK(ncclCommCuDevice(comm[1], &n));
    cr_assert_eq(n, 2);
    EACH(r)
    OK(ncclCommDestroy(comm[r]));
    GIVES(ncclCommCount(comm[1], &n), ncclInvalidArgument);
}

Test(nccl_start, one_rank_is_enough)
{
    OK(ncclCommInitAll(comm, 1, (const int[]){2}));
    number(8);
    OK(ncclAllReduce(in[2], out[2], 8, ncclInt32, ncclSum, comm[0], stream[2]));
    cr_assert_eq(int_at(out[2], 7), 2000007);
    OK(ncclCommDestroy(comm[0]));
}

/* ---- who does not come, who comes with something else ---- */

Test(nccl, rank_that_never_comes, .timeout = 60)
{
    OK(ncclGroupStart());
    OK(ncclAllReduce(in[0], out[0], 8, ncclInt32, ncclSum, comm[0], stream[0]));
    OK(ncclAllReduce(in[2], out[2], 8, ncclInt32, ncclSum, comm[2], stream[2]));
    GIVES(ncclGroupEnd(), ncclInvalidUsage);
    SAYS("waits for rank 1, 3, which never came");
    ncclResult_t state;
    OK(ncclCommGetAsyncError(comm[1], &state));
    cr_assert_eq(state, ncclInvalidUsage);
    GIVES(ncclAllReduce(in[1], out[1], 8, ncclInt32, ncclSum, comm[1], stream[1]),
          ncclInvalidUsage);
    cr_assert_eq(int_at(out[0], 0), UNTOUCHED);
}

Test(nccl, message_that_nobody_takes, .timeout = 60)
{
    GIVES(ncclSend(in[0], 8, ncclInt32, 3, comm[0], stream[0]), ncclInvalidUsage);
    SAYS("ncclSend: rank 0 of 4 waits for rank 3");
}

Test(nccl, ranks_that_differ)
{
    OK(ncclGroupStart());
    OK(ncclAllReduce(in[0], out[0], 8, ncclInt32, ncclSum, comm[0], stream[0]));
    OK(ncclAllReduce(in[1], out[1], 9, ncclInt32, ncclSum, comm[1], stream[1]));
    GIVES(ncclGroupEnd(), ncclInvalidUsage);
    SAYS("ncclAllReduce of rank 1 meets ncclAllReduce of rank 0: another count");
}

Test(nccl, bad_arguments)
{
    int n;

    GIVES(ncclAllReduce(in[0], out[0], 8, (ncclDataType_t)99, ncclSum, comm[0], 0),
          ncclInvalidArgument);
    SAYS("no type 99");
    GIVES(ncclAllReduce(in[0], out[0], 8, ncclInt32, (ncclRedOp_t)7, comm[0], 0),
          ncclInvalidArgument);
    GIVES(ncclReduce(in[0], out[0], 8, ncclInt32, ncclSum, 4, comm[0], 0), ncclInvalidArgument);
    GIVES(ncclSend(in[0], 8, ncclInt32, -1, comm[0], 0), ncclInvalidArgument);
    GIVES(ncclSend(in[0], SIZE_MAX / 2, ncclInt32, 1, comm[0], 0), ncclInvalidArgument);
    GIVES(ncclAllReduce(in[0], out[0], 8, ncclInt32, ncclSum, (ncclComm_t)&n, 0),
          ncclInvalidArgument);
    GIVES(ncclAllReduce(in[0], out[0], 8, ncclInt32, ncclSum, comm[0], stream[1]),
          ncclInvalidArgument);
    SAYS("on device 0, the stream on device 1");
    GIVES(ncclGroupEnd(), ncclInvalidUsage);
    OK(ncclCommDestroy(NULL));
    OK(ncclGetVersion(&n));
    cr_assert_eq(n / 100, NCCL_VERSION_CODE / 100); /* NVIDIA's may be a patch older or newer */
    cr_assert_str_eq(ncclGetErrorString(ncclSuccess), "no error");
}

Test(nccl_start, bad_starts)
{
    ncclUniqueId id = {{0}};

    GIVES(ncclCommInitAll(comm, RANKS + 1, NULL), ncclInvalidArgument);
    SAYS("no device 4");
    GIVES(ncclCommInitAll(comm, 2, (const int[]){1, 1}), ncclInvalidUsage);
    SAYS("ranks 0 and 1 are both on device 1");
    GIVES(ncclCommInitRank(comm, 2, id, 0), ncclInvalidArgument);
    OK(ncclGetUniqueId(&id));
    GIVES(ncclCommInitRank(comm, 2, id, 2), ncclInvalidArgument);
    OK(ncclCommInitAll(comm, RANKS, NULL)); /* no harm done */
    OK(all_reduce(8, ncclInt32, ncclSum));
}

/* ---- as part of the device ---- */

Test(nccl, faults_on_memory_out_of_reach)
{
    OK(ncclGroupStart());
    EACH(r)
    OK(ncclAllReduce(r == 1 ? in[0] : in[r], out[r], 8, ncclInt32, ncclSum, comm[r], stream[r]));
    OK(ncclGroupEnd());
    CUDA(cudaSetDevice(1));
    cr_assert_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

Test(nccl, takes_the_links_time)
{
    warplabReset();
    OK(all_reduce(1, ncclInt32, ncclSum));
    double small = warplabSpanMs();
    warplabReset();
    OK(all_reduce(COUNT, ncclInt32, ncclSum));
    double large = warplabSpanMs();
    cr_assert_float_eq(large - small, 2 * 3. / 4 * 4 * COUNT / 388e6, 1e-6, "%g %g", small, large);
}
