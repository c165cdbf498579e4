/* counters_test.c - counters of small kernels against numbers worked out by hand.
 *
 * Every kernel begins with testing.h's five instructions and ends with ret.
 */
#include "emulator/exec/testing.h"
#include "count.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define COUNTED(id, n) cr_expect_eq(result.counters.id, n, #id ": %lu", result.counters.id)

/* Lanes below n of each warp go on: n of 32 do what follows up to END. */
#define FIRST(n) "and.b32 %r0, %t, 31;\nsetp.ge.u32 %p0, %r0, " #n ";\n@%p0 bra END;\n"

/* Warp 0 takes 5 + 2 + ret; warp 1 ten rounds of three instructions and a mov more. */
Test(counters, the_warp_that_executes_most)
{
    RUN(.grid = 3, .block = 64,
        .body = "setp.lt.u32 %p0, %t, 32;\n@%p0 bra END;\nmov.u32 %r0, 0;\n"
                "TOP: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 10;\n@%p1 bra TOP;\nEND:");
    COUNTED(inst_executed, 3 * (8 + 39));
    COUNTED(inst_executed_max_warp, 39);
    COUNTED(inst_executed_busiest, 3 * 39);
}

/* Of each request the bytes from lane to lane: 4 side by side, of every second lane too; 12 apart;
 * none where all lanes have one word; back by what they came. What each warp loads, squared. */
Test(counters, steps_from_lane_to_lane)
{
    RUN(.grid = 2, .body = "ld.global.u32 %r0, [%mine];\nst.global.u32 [%mine], %r0;\n");
    COUNTED(global_lane_steps, 2 * 2 * 31 * 4);
    COUNTED(global_ld_squares, 2 * 128 * 128);
    RUN(.body =
            "and.b32 %r0, %t, 1;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 ld.global.u32 %r0, [%mine];\n");
    COUNTED(global_lane_steps, 15 * 4);
    COUNTED(global_ld_squares, 64 * 64);
    RUN(.body = "mul.wide.u32 %d0, %t, 12;\nadd.u64 %d0, %d0, %out;\nld.global.u32 %r0, [%d0];\n"
                "ld.global.u32 %r0, [%out];\n");
    COUNTED(global_lane_steps, 31 * 12);
    RUN(.body = "shl.b32 %r0, %t, 2;\nsub.u32 %r0, 124, %r0;\ncvt.u64.u32 %d0, %r0;\n"
                "add.u64 %d0, %d0, %out;\nld.global.u32 %r0, [%d0];\n");
    COUNTED(global_lane_steps, 31 * 4);
}

/* Four words a lane are one ask; of a predicated load those that are on. */
Test(counters, lanes_that_ask)
{
    RUN(.grid = 2, .body = "ld.global.u32 %r0, [%mine];\nst.global.u32 [%mine], %r0;\n");
    COUNTED(global_ld_lanes, 2 * 32);
    RUN(.body = "and.b32 %r0, %t, 3;\nsetp.eq.u32 %p0, %r0, 0;\n"
                "@%p0 ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%mine];\n");
    COUNTED(global_ld_requests, 1);
    COUNTED(global_ld_bytes, 8 * 16);
    COUNTED(global_ld_lanes, 8);
}

/* Of either kind, and of few lanes those. */
Test(counters, lanes_that_ask_for_atomics)
{
    RUN(.grid = 2, .body = "red.global.add.u32 [%mine], 1;\n"
                           "and.b32 %r0, %t, 3;\nsetp.eq.u32 %p0, %r0, 0;\n"
                           "@%p0 atom.global.add.u32 %r1, [%mine], 1;\n"
                           "st.global.u32 [%mine], %r1;\n");
    COUNTED(global_red_requests, 2);
    COUNTED(global_atom_requests, 2);
    COUNTED(global_atom_lanes, 2 * (32 + 8));
}

/* From the first byte that is read to the last, in each block. */
Test(counters, span_of_shared_loads)
{
    RUN(.grid = 2, .before = ".shared .align 8 .b8 s[512];",
        .body = "shl.b32 %r1, %t, 2;\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\n"
                "st.shared.u32 [%r1+256], %r1;\nst.shared.u32 [%r1], %r1;\n"
                "ld.shared.u32 %r0, [%r1+40];\nsetp.eq.u32 %p0, %t, 3;\n"
                "@%p0 ld.shared.u64 %d0, [%r1+268];\n");
    COUNTED(shared_ld_span, 2 * (12 + 268 + 8 - 40));
    RUN(.body = "");
    COUNTED(shared_ld_span, 0);
}

/* By all lanes, though it is one word. */
Test(counters, bytes_of_constants)
{
    RUN(.before = ".const .align 16 .b8 c[64];",
        .body = "ld.const.u32 %r0, [c];\nld.const.v4.u32 {%r0, %r1, %r2, %r3}, [c+16];\n");
    COUNTED(const_ld_bytes, 32 * (4 + 16));
}

/* A warp of 32 and one of 16, of which 5 lanes go on; a guard leaves one of these, another none. */
Test(counters, instructions_by_lanes)
{
    RUN(.block = 48, .body = FIRST(5) "add.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\n"
                                      "setp.eq.u32 %p1, %r0, 3;\n@%p1 add.u32 %r1, %r1, 1;\n"
                                      "setp.eq.u32 %p1, %r0, 30;\n@%p1 add.u32 %r1, %r1, 1;\n"
                                      "END: add.u32 %r1, %r0, 1;");
    COUNTED(inst_lanes_32, 5 + 3 + 2);
    COUNTED(inst_lanes_16, 5 + 3 + 2);
    COUNTED(inst_lanes_8, 0);
    COUNTED(inst_lanes_4, 2 * 4);
    COUNTED(inst_lanes_2, 0);
    COUNTED(inst_lanes_1, 2);
    COUNTED(inst_executed, 2 * (5 + 3 + 6 + 2));
}

/* Each warp goes back three times by the guarded branch, with fewer lanes each time, and once by
 * the other; what is skipped forwards is no turn. */
Test(counters, turns_of_loops)
{
    RUN(.block = 64, .body = "and.b32 %r0, %t, 31;\nmov.u32 %r1, 0;\nbra TOP;\n"
                             "TOP: add.u32 %r1, %r1, 8;\nsetp.lt.u32 %p0, %r1, %r0;\n"
                             "@%p0 bra TOP;\nsetp.gt.u32 %p1, %r1, 100;\n@%p1 bra END;\n"
                             "mov.u32 %r1, 200;\nmov.u32 %r0, 0;\nbra TOP;\nEND:");
    COUNTED(branches_back, 2 * (3 + 1));
    COUNTED(branches, 2 * (4 + 1 + 1 + 1));
}

/* Functions count only where a launch entered them: here a single block of many does, of four
 * workers' one, and from there another. That nobody calls the third is nothing to it. */
Test(counters, functions_that_one_block_enters)
{
    static const char functions[] =
        ".func never()\n{ .reg .u32 %a; mov.u32 %a, 1; ret; }\n"
        ".func deeper()\n{ .reg .u32 %a; mov.u32 %a, 1; ret; }\n"
        ".func far()\n{ .reg .u32 %a; .reg .pred %p; mov.u32 %a, 0;\n"
        "TOP: add.u32 %a, %a, 1; setp.lt.u32 %p, %a, 3; @%p bra TOP; call deeper; ret; }\n";
    setenv("WARPLAB_THREADS", "4", 1);
    for (unsigned block = 0; block < 64; block += 21) {
        char body[200];
        snprintf(body, sizeof(body),
                 "setp.ne.u32 %%p0, %%cta, %u;\n@%%p0 bra END;\ncall far;\nEND:", block);
        RUN(.before = functions, .grid = 64, .body = body);
        COUNTED(calls, 2);
        COUNTED(inst_executed, 64 * 8 + 1 + 12 + 2);
        COUNTED(inst_executed_max_warp, 8 + 1 + 12 + 2);
    }
    RUN(.before = functions, .grid = 64, .body = "");
    COUNTED(calls, 0);
    COUNTED(inst_executed, 64 * 6);
}

static uint64_t all_loads(void)
{
    const struct counters *c = &result.counters;

    return c->shared_ld_lanes_1 + c->shared_ld_lanes_2 + c->shared_ld_lanes_4 +
           c->shared_ld_lanes_8 + c->shared_ld_lanes_16 + c->shared_ld_lanes_32;
}

/* The trees of the reduction lab, 128 threads, two loads a round: half the threads, a quarter, …;
 * in step 1 those whose number is a multiple of 2, 4, …, in step 3 the first. */
#define LOADS "ld.shared.u32 %r3, [s];\nld.shared.u32 %r3, [s];\n"
#define LOOP(first, idle, next)                                                                    \
    "mov.u32 %r1, " first ";\nTOP: " idle "@%p0 bra MET;\n" LOADS "MET: bar.sync 0;\n" next        \
    "@%p1 bra TOP;"
Test(counters, shared_loads_by_lanes)
{
    static const char room[] = ".shared .align 4 .b8 s[512];";
    RUN(.before = room, .block = 128, /* interleaved: 16, 8, 4, 2, 1 lanes of all, two, one warp */
        .body = LOOP("2", "sub.u32 %r2, %r1, 1;\nand.b32 %r2, %r2, %t;\nsetp.ne.u32 %p0, %r2, 0;\n",
                     "shl.b32 %r1, %r1, 1;\nsetp.le.u32 %p1, %r1, 128;\n"));
    COUNTED(shared_ld_lanes_32, 0);
    COUNTED(shared_ld_lanes_16, 2 * 4);
    COUNTED(shared_ld_lanes_8, 2 * 4);
    COUNTED(shared_ld_lanes_4, 2 * 4);
    COUNTED(shared_ld_lanes_2, 2 * 4);
    COUNTED(shared_ld_lanes_1, 2 * (4 + 2 + 1));
    cr_expect_eq(all_loads(), result.counters.shared_ld_requests);
    RUN(.before = room, .block = 128, /* the first 64, 32, 16, … */
        .body = LOOP("64", "setp.ge.u32 %p0, %t, %r1;\n",
                     "shr.u32 %r1, %r1, 1;\nsetp.gt.u32 %p1, %r1, 0;\n"));
    COUNTED(shared_ld_lanes_32, 2 * (2 + 1));
    COUNTED(shared_ld_lanes_16, 2);
    COUNTED(shared_ld_lanes_8, 2);
    COUNTED(shared_ld_lanes_4, 2);
    COUNTED(shared_ld_lanes_2, 2);
    COUNTED(shared_ld_lanes_1, 2);
    cr_expect_eq(all_loads(), result.counters.shared_ld_requests);
}

/* A barrier right at the start; one after 40 instructions of work; one after 4,000 more, of which
 * 40 are few; so the next comes close. */
#define ADD2  "add.f32 %f0, %f0, %f0;\nadd.f32 %f0, %f0, %f0;\n"
#define ADD10 ADD2 ADD2 ADD2 ADD2 ADD2
#define ADD40 ADD10 ADD10 ADD10 ADD10
Test(counters, barriers_without_work_between)
{
    RUN(.block = 64, .body = "bar.sync 0;\n" ADD40 "bar.sync 0;\nmov.u32 %r0, 0;\n"
                             "TOP: " ADD40 "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 100;\n"
                             "@%p1 bra TOP;\nbar.sync 0;\n" ADD40 "bar.sync 0;\n");
    COUNTED(barriers, 2 * 4);
    COUNTED(barriers_close, 2 * 2);
}

/* What comes before a warp's first wait; of a warp that never waits, nothing. */
Test(counters, floats_before_the_first_barrier)
{
    RUN(.block = 64, .body = ADD10 "bar.sync 0;\n" ADD40 "bar.sync 0;\n" ADD2);
    COUNTED(floats_first, 2 * 10);
    RUN(.block = 64,
        .body = ADD10 "setp.gt.u32 %p1, %t, 31;\n@%p1 bra END;\n" ADD2 "bar.sync 1, 32;\nEND:");
    COUNTED(floats_first, 12);
}

/* The first warp works and tells of it, the second waits for that: only its first wait is close,
 * for which the other had done nothing. To tell is no wait. */
Test(counters, barriers_that_others_work_for)
{
    RUN(.block = 64, .body = "setp.gt.u32 %p1, %t, 31;\n@%p1 bra HEARS;\n"
                             "bar.arrive 1, 64;\n" ADD40 "bar.arrive 2, 64;\n" ADD40
                             "bar.arrive 3, 64;\nbar.arrive 4, 64;\nbra.uni END;\n"
                             "HEARS: bar.sync 1, 64;\nbar.sync 2, 64;\nbar.sync 3, 64;\n"
                             "bar.sync 4, 64;\nEND: mov.u32 %r0, 0;\n");
    COUNTED(barriers, 2 * 4);
    COUNTED(barriers_close, 2);
}

Test(counters, shuffles_of_one_word)
{
    RUN(.block = 64, .body = "shfl.sync.idx.b32 %r1, %t, 3, 31, -1;\n"
                             "shfl.sync.idx.b32 %r1, %t, %t, 31, -1;\n"
                             "shfl.sync.idx.b32 %r1, %t, 3, 0x1c1f, -1;\n"
                             "shfl.sync.bfly.b32 %r1, %t, 1, 31, -1;\n");
    COUNTED(shuffles, 2 * 4);
    COUNTED(shuffles_one, 2);
}

/* Lanes that a guard keeps from loading are none of a load's. */
Test(counters, guarded_shared_loads_by_lanes)
{
    RUN(.before = ".shared .align 4 .b8 s[128];",
        .body = "setp.lt.u32 %p0, %t, 9;\n@%p0 ld.shared.u32 %r1, [s];");
    COUNTED(shared_ld_lanes_8, 1);
    COUNTED(shared_ld_requests, 1);
}

/* Words t; 33 t; 0; t ^ 5; 3 t for odd t alone; for lanes 0, 1 and 7 0, 5 and 9; halves apart,
 * each 3 t; two runs of 8 lanes. */
Test(counters, evenly_spaced_shared_loads)
{
    RUN(.before = ".shared .align 4 .b8 s[4224];", .grid = 2, .shared = 64,
        .body = "mov.u32 %r5, s;\nshl.b32 %r0, %t, 2;\nadd.u32 %r1, %r5, %r0;\n"
                "ld.shared.u32 %r9, [%r1];\nmad.lo.u32 %r1, %r0, 33, %r5;\n"
                "ld.shared.u32 %r9, [%r1];\nld.shared.u32 %r9, [s];\n"
                "xor.b32 %r1, %r0, 20;\nadd.u32 %r1, %r1, %r5;\nld.shared.u32 %r9, [%r1];\n"
                "and.b32 %r2, %t, 1;\nsetp.ne.u32 %p0, %r2, 0;\n"
                "mad.lo.u32 %r1, %r0, 3, %r5;\n@%p0 ld.shared.u32 %r9, [%r1];\n"
                "setp.lt.u32 %p0, %t, 2;\nsetp.eq.or.u32 %p0, %t, 7, %p0;\n"
                "mul.lo.u32 %r1, %t, 20;\nmin.u32 %r1, %r1, 36;\nadd.u32 %r1, %r1, %r5;\n"
                "@%p0 ld.shared.u32 %r9, [%r1];\n"
                "and.b32 %r2, %r0, 64;\nmad.lo.u32 %r1, %r0, 3, %r5;\n"
                "mad.lo.u32 %r1, %r2, 7, %r1;\nld.shared.u32 %r9, [%r1];\n"
                "and.b32 %r2, %r0, 32;\nmad.lo.u32 %r1, %r2, 3, %r5;\nadd.u32 %r1, %r1, %r0;\n"
                "ld.shared.u32 %r9, [%r1];");
    COUNTED(shared_ld_requests, 2 * 8);
    COUNTED(shared_ld_strided, 2 * 5);
    COUNTED(shared_block_bytes, 2 * (4224 + 64));
}

/* 128 bytes, 4 sectors each: a load, a store, an atomic and a reduction, one more load by a generic
 * address; 16 bytes a lane by cp.async are 16; 512 by one bulk copy are 16. */
Test(counters, all_ways_to_global_memory)
{
    RUN(.before = ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b8 b[8];",
        .body = "cvta.to.global.u64 %d0, %mine;\nld.global.u32 %r0, [%d0];\n"
                "st.global.u32 [%d0], %r0;\natom.global.add.u32 %r1, [%d0], 1;\n"
                "red.global.add.u32 [%d0], 1;\nld.u32 %r2, [%mine];\n"
                "mul.wide.u32 %d2, %t, 16;\nadd.u64 %d2, %out, %d2;\nshl.b32 %r4, %t, 4;\n"
                "mov.u32 %r5, s;\nadd.u32 %r4, %r4, %r5;\n"
                "cp.async.cg.shared.global [%r4], [%d2], 16;\ncp.async.wait_all;\n"
                "mov.u32 %r6, b;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra END;\n"
                "mbarrier.init.shared.b64 [%r6], 1;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%r5], [%out], 512, [%r6];\nEND:");
    COUNTED(global_ld_sectors, 4 + 4 + 16 + 16);
    COUNTED(global_st_sectors, 4);
    COUNTED(global_atom_sectors, 4 + 4);
    COUNTED(global_sectors, 40 + 4 + 8);
    COUNTED(async_bytes, 512 + 512);
    COUNTED(async_flight, 0); /* not committed, and at once */
}

/* Four sectors: whoever waits for it, a warp's copy is one request. */
Test(counters, copies_that_an_mbarrier_waits_for)
{
    RUN(.before = ".shared .align 16 .b8 s[128];\n.shared .align 8 .b8 b[8];",
        .body = "mov.u32 %r5, s;\nshl.b32 %r4, %t, 2;\nadd.u32 %r4, %r4, %r5;\nmov.u32 %r6, b;\n"
                "setp.eq.u32 %p0, %t, 0;\n@%p0 mbarrier.init.shared.b64 [%r6], 32;\n"
                "bar.warp.sync -1;\ncp.async.ca.shared.global [%r4], [%mine], 4;\n"
                "cp.async.mbarrier.arrive.noinc.shared.b64 [%r6];");
    COUNTED(cp_async_requests, 1);
    COUNTED(global_ld_requests, 1);
    COUNTED(global_ld_sectors, 4);
    COUNTED(global_ld_lanes, 32);
    COUNTED(shared_st_requests, 1);
    COUNTED(shared_st_wavefronts, 1);
    COUNTED(async_bytes, 128);
}

/* Two bulk copies, between them a sum: whoever asks for the second does more than fetch. */
Test(counters, copies_by_who_computes)
{
    RUN(.before = ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b8 b[8];",
        .body = "mov.u32 %r5, s;\nmov.u32 %r6, b;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra END;\n"
                "mbarrier.init.shared.b64 [%r6], 1;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%r5], [%out], 512, [%r6];\nadd.f32 %f0, %f0, %f0;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%r5], [%out], 512, [%r6];\nEND:");
    COUNTED(tma_ld_requests, 2);
    COUNTED(tma_ld_busy, 1);
}

/* An element a lane, one more by red.async; 64 bytes to shared memory from there, and 64 that are
 * added to global memory: a request each, and no store's or atomic's. */
Test(counters, what_no_store_counts)
{
    RUN(.attribute = ".reqnctapercluster 1",
        .before = ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b8 b[8];",
        .body = "mov.u32 %r5, s;\nshl.b32 %r4, %t, 2;\nadd.u32 %r4, %r4, %r5;\nmov.u32 %r6, b;\n"
                "mbarrier.init.shared.b64 [%r6], 1;\n"
                "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r4], 1, [%r6];\n"
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                "[%r4], 1, [%r6];\n"
                "setp.ne.u32 %p0, %t, 0;\n@%p0 bra END;\n"
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                "[%r5+512], [%r5], 64, [%r6];\n"
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%r5], 64;\n"
                "END:");
    COUNTED(async_sends, 4);
    COUNTED(shared_st_requests, 0);
    COUNTED(shared_atom_requests, 0);
    COUNTED(global_atom_requests, 0);
    COUNTED(shared_st_bytes, 64);
    COUNTED(shared_ld_bytes, 64 + 64);
}

/* All lanes want one word of constant memory; lane t wants word 2 t, and eight bytes from there. */
Test(counters, sectors_of_constants)
{
    RUN(.before = ".const .align 16 .b8 c[256];",
        .body = "mov.u64 %d0, c;\nld.const.u32 %r0, [%d0+4];\nmul.wide.u32 %d1, %t, 8;\n"
                "add.u64 %d0, %d0, %d1;\nld.const.u32 %r0, [%d0];\n"
                "ld.const.v2.u32 {%r0, %r1}, [%d0];");
    COUNTED(const_ld_requests, 3);
    COUNTED(const_ld_sectors, 1 + 8 + 8);
}

/* Units that lanes ask of their group's fullest bank: lane i's is unit i * apart. */
static uint64_t fullest(uint32_t apart, uint32_t lanes, uint32_t banks)
{
    uint32_t per[32] = {0}, top = 0;

    for (uint32_t i = 0; i < lanes; i++)
        per[i * apart % banks]++;
    for (uint32_t b = 0; b < banks; b++)
        top = per[b] > top ? per[b] : top;
    return top;
}

/* Lanes evenly apart, units of 4, 8 and 16 bytes: a warp goes in 1, 2 and 4 groups. */
Test(counters, wavefronts_of_lanes_evenly_apart)
{
    static const uint32_t apart[] = {2, 3, 4, 6, 7, 8, 12, 16, 24, 31, 32, 33, 40};
    static const char *const load[] = {"u32 %r0", "v2.u32 {%r0, %r1}",
                                       "v4.u32 {%r0, %r1, %r2, %r3}"};

    for (uint32_t k = 0; k < 3; k++)
        for (size_t a = 0; a < sizeof(apart) / sizeof(apart[0]); a++) {
            uint32_t groups = 1u << k;
            char body[200];

            snprintf(body, sizeof(body),
                     "mov.u32 %%r5, s;\nmad.lo.u32 %%r4, %%t, %u, %%r5;\n"
                     "ld.shared.%s, [%%r4];",
                     apart[a] * 4 * groups, load[k]);
            RUN(.before = ".shared .align 16 .b8 s[20480];", .body = body);
            cr_expect_eq(result.counters.shared_ld_wavefronts,
                         groups * fullest(apart[a], 32 / groups, 32 / groups),
                         "%u units of %u bytes apart: %lu", apart[a], 4 * groups,
                         result.counters.shared_ld_wavefronts);
        }
}

/* By what they reach, not by how they are written: conflicts hide behind no generic address. */
Test(counters, generic_addresses_count_where_they_lead)
{
    RUN(.before = ".shared .align 4 .b8 s[4096];",
        .body = ".local .align 4 .b8 l[8];\nmov.u64 %d0, s;\ncvta.shared.u64 %d0, "
                "%d0;\nmul.wide.u32 %d1, %t, 128;\n"
                "add.u64 %d0, %d0, %d1;\nst.u32 [%d0], %t;\nld.u32 %r0, [%d0];\n"
                "atom.add.u32 %r1, [%d0], 1;\nmov.u64 %d2, l;\ncvta.local.u64 %d2, %d2;\n"
                "st.u32 [%d2], %t;\nld.u32 %r2, [%d2];\n"
                "setp.lt.u32 %p0, %t, 8;\nselp.b64 %d3, %mine, %d0, %p0;\nld.u32 %r3, [%d3];\n");
    COUNTED(shared_st_requests, 1);
    COUNTED(shared_st_bank_conflicts, 31);
    COUNTED(shared_ld_requests, 2);
    COUNTED(shared_ld_bank_conflicts, 31 + 23);
    COUNTED(shared_ld_lanes_32, 1);
    COUNTED(shared_ld_lanes_16, 1);
    COUNTED(shared_atom_requests, 1);
    COUNTED(local_st_requests, 1);
    COUNTED(local_ld_requests, 1);
    COUNTED(global_ld_requests, 1);
    COUNTED(global_ld_sectors, 1);
    COUNTED(global_sectors, 1);
    COUNTED(global_atom_requests, 0);
}

#define COPY(at) "cp.async.ca.shared.global [%r4+" #at "], [%mine+" #at "], 4;\n"
#define FLOATS   "add.f32 %f0, %f0, %f0;\nfma.rn.f32 %f1, %f0, %f0, %f0;\n"
/* The first copy flies while four floating-point instructions are executed, two of them in a loop
 * of two rounds of one; the second during the last two; the third is not waited for, the fourth not
 * committed. Integers do not count. */
Test(counters, copies_in_flight)
{
    RUN(.before = ".shared .align 16 .b8 s[1024];",
        .body = "shl.b32 %r4, %t, 2;\nmov.u32 %r5, s;\nadd.u32 %r4, %r4, %r5;\nmov.f32 %f0, "
                "0f00000000;\n"
                "add.f32 %f0, %f0, %f0;\n" COPY(
                    0) "add.f32 %f0, %f0, %f0;\n"
                       "cp.async.commit_group;\nmov.u32 %r0, 0;\nTOP: add.f32 %f0, %f0, %f0;\n"
                       "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 2;\n@%p0 bra TOP;\n" COPY(
                           128) "cp.async.commit_group;\n" FLOATS
                                "cp.async.wait_group 0;\n" FLOATS COPY(
                                    256) "cp.async.commit_group;\n" FLOATS COPY(384));
    COUNTED(async_bytes, 256);
    COUNTED(async_flight, 128 * 4 + 128 * 2);
}

/* Each floating-point opcode lands somewhere: add, mul 1, fma 2 a lane and element. */
Test(counters, floating_point_of_all_types)
{
    static const struct {
        const char *code;
        uint32_t fp16, fp32, fp64;
    } rows[] = {
        {"sub.f32 %f1, %f0, %f0;", 0, 32, 0},
        {"mad.rn.f32 %f1, %f0, %f0, %f0;", 0, 64, 0},
        {"fma.rn.f16x2 %r1, %r0, %r0, %r0;", 128, 0, 0},
        {"add.f16x2 %r1, %r0, %r0;", 64, 0, 0},
        {"fma.rn.bf16x2 %r1, %r0, %r0, %r0;", 128, 0, 0},
        {"{.reg .b16 h; mov.b16 h, 0; mul.f16 h, h, h;}", 32, 0, 0},
        {"{.reg .f64 d; mov.f64 d, 0d0000000000000000; fma.rn.f64 d, d, d, d;}", 0, 0, 64},
    };
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        RUN(.body = rows[k].code);
        COUNTED(flop_fp16, rows[k].fp16);
        COUNTED(flop_fp32, rows[k].fp32);
        COUNTED(flop_fp64, rows[k].fp64);
    }
}

/* Of itself, three times: the first call is none. Fences, but of proxies. */
Test(counters, calls_of_itself_and_fences)
{
    static const char before[] =
        ".func down(.param .b32 n);\n"
        ".func down(.param .b32 n)\n{ .reg .u32 %a; .reg .pred %p; ld.param.u32 %a, [n];\n"
        "setp.eq.u32 %p, %a, 0; @%p bra OUT; sub.u32 %a, %a, 1;\n"
        "{ .param .b32 m; st.param.b32 [m], %a; call down, (m); }\nOUT: ret; }\n";
    RUN(.block = 64, .before = before,
        .body = "{ .param .b32 m; st.param.b32 [m], 3; call down, (m); }\n"
                "membar.gl;\nfence.acq_rel.gpu;\nfence.proxy.async;\n");
    COUNTED(branches_back, 3 * 2);
    COUNTED(calls, 4 * 2);
    COUNTED(fences, 2 * 2);
}

/* Of any of the registers that tell a time, where a warp runs or in which launch, by warps. */
Test(counters, reads_of_clocks)
{
    RUN(.grid = 2, .block = 64,
        .body = "{.reg .u64 d;\nmov.u32 %r0, %clock;\nmov.u32 %r0, %clock_hi;\n"
                "mov.u64 d, %clock64;\nmov.u64 d, %globaltimer;\nmov.u32 %r0, %globaltimer_lo;\n"
                "mov.u32 %r0, %globaltimer_hi;\nmov.u32 %r0, %smid;\nmov.u32 %r0, %warpid;\n"
                "mov.u64 d, %gridid;\nmov.u32 %r0, %laneid;\nmov.u32 %r0, %ctaid.x;}");
    COUNTED(clock_reads, 9 * 4);
}

/* By warps, in any space, whether or not its value is used. */
Test(counters, strong_accesses)
{
    RUN(.grid = 2, .block = 64,
        .body = "{.reg .u32 r;\n.shared .u32 s[4];\n"
                "ld.volatile.global.u32 r, [%out];\nld.relaxed.gpu.global.u32 r, [%out];\n"
                "ld.acquire.gpu.global.u32 r, [%out];\nst.release.gpu.global.u32 [%out], 0;\n"
                "atom.global.add.u32 r, [%out], 0;\nred.shared.add.u32 [s], 0;\n"
                "st.volatile.shared.u32 [s], 0;\nld.global.u32 r, [%out];\n"
                "st.global.u32 [%out], r;\nfence.acq_rel.gpu;}");
    COUNTED(strong_accesses, 7 * 4);
}

/* Of doubles whatever is no flop counts, too; who moves one, or asks for its bits, does nothing. */
Test(counters, instructions_of_doubles)
{
    RUN(.body = "{.reg .f64 d, e; .reg .b64 b;\n"
                "mov.f64 d, 0d3FF0000000000000;\nmov.b64 b, d;\n"
                "setp.gt.f64 %p0, d, 0d0000000000000000;\nsetp.lt.u32 %p0, %t, 8;\n"
                "@%p0 cvt.f64.f32 e, %f0;\ncvt.rn.f32.f64 %f1, d;\nmin.f64 e, d, d;\n"
                "div.rn.f64 e, d, d;\nselp.f64 e, d, d, %p0;\nfma.rn.f64 e, d, d, d;\n"
                "add.f32 %f1, %f0, %f0;}");
    COUNTED(thread_inst_fp64, 6 * 32 + 8);
    COUNTED(flop_fp64, 64);
}

/* Numbers of the code are written where they are used, or moved into a register that nothing else
 * writes. Who waits has slots, too. */
Test(counters, multiply_adds_by_numbers_of_the_code)
{
    RUN(.body = "setp.lt.u32 %p0, %t, 8;\n@%p0 fma.rn.f32 %f1, %f0, 0f3F800000, 0f40000000;\n"
                "fma.rn.f32 %f1, %f0, 0f3F800000, %f1;\nfma.rn.f32 %f1, %f0, %f1, 0f3F800000;\n"
                "mov.f32 %f2, 0f40000000;\nfma.rn.f32 %f1, %f2, %f1, %f2;\n"
                "mov.f32 %f3, 0f40000000;\n@%p0 mov.f32 %f3, 0f3F800000;\n"
                "fma.rn.f32 %f1, %f1, %f3, %f3;\n"
                "@!%p0 bra END;\nadd.f32 %f1, %f1, 0f3F800000;\nEND:");
    COUNTED(flop_fp32, 16 + 64 + 64 + 64 + 64 + 8);
    COUNTED(flop_fp32_coded, 16 + 64);
    COUNTED(flop_fp32_slots, 64 + 64 + 64 + 64 + 64 + 32);
}

/* Ways between lanes that are no shuffles; once for each warp. */
Test(counters, exchanges_of_lanes)
{
    RUN(.block = 64, .body = "vote.sync.ballot.b32 %r0, 1, -1;\nmatch.any.sync.b32 %r0, %t, -1;\n"
                             "redux.sync.add.u32 %r0, %t, -1;\nshfl.sync.idx.b32 %r0, %t, 1, 31, "
                             "-1;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r0, %t;");
    COUNTED(exchanges, 2 * 4);
    COUNTED(shuffles, 2);
}

static json_int_t of(const json_t *list, const char *name, size_t i)
{
    return json_integer_value(json_object_get(json_array_get(list, i), name));
}

/* One line, by its #line another file's, holds a load without conflicts and one with 31: they are
 * told apart. What is not reached is not there. */
Test(counters, by_instruction)
{
    RUN(.before = ".shared .align 4 .b8 s[4096];",
        .body = "shl.b32 %r0, %t, 7;\nmov.u32 %r1, s;\nadd.u32 %r0, %r0, %r1;\n.loc 1 9 3\n"
                "ld.shared.u32 %r2, [%r1];\nld.shared.u32 %r2, [%r0];\nbra END;\n"
                "add.u32 %r2, %r2, 1;\nEND:");
    char *text = count_instructions_json();
    json_t *list = json_loads(text, 0, NULL);
    cr_assert_eq(json_array_size(list), 5 + 3 + 3 + 1);
    for (size_t i = 0; i < 12; i++) {
        bool loads = i == 8 || i == 9;
        cr_expect_eq(of(list, "index", i), i < 11 ? (int)i : 12);
        cr_expect_eq(of(list, "inst_executed", i), 1);
        cr_expect_eq(of(list, "shared_ld_requests", i), loads);
        cr_expect_eq(of(list, "shared_ld_bank_conflicts", i), i == 9 ? 31 : 0);
        cr_expect_eq(of(list, "line", i), i < 8 ? 0 : 9);
    }
    json_decref(list);
    free(text);
}

/* ---- wavefronts of lanes anywhere ---- */
struct scatter {
    unsigned by, units, words; /* lane t: unit (t * by >> 8) % units, of so many words */
    uint32_t mask;
};
static unsigned unit_of(const struct scatter *s, unsigned lane)
{
    return (lane * s->by >> 8) % s->units;
}
/* The distinct units that the lanes from first to end ask of their fullest bank. */
static unsigned fullest_bank(const struct scatter *s, unsigned first, unsigned end)
{
    static unsigned char asked[4096];
    unsigned n[32] = {0}, top = 0;

    memset(asked, 0, sizeof(asked));
    for (unsigned l = first; l < end; l++) {
        unsigned unit = unit_of(s, l), bank = unit % (32 / s->words);
        if (!(s->mask >> l & 1) || asked[unit])
            continue;
        asked[unit] = 1;
        top = ++n[bank] > top ? n[bank] : top;
    }
    return top;
}
static bool share(const struct scatter *s, unsigned apart) /* each lane with the one so far off? */
{
    for (unsigned l = 0; l < 32; l++)
        if (s->mask >> l & s->mask >> (l ^ apart) & 1 && unit_of(s, l) != unit_of(s, l ^ apart))
            return false;
    return true;
}
static void load_scattered(const struct scatter *s)
{
    static const char *const loads[] = {"u32 %r3", "v2.u32 {%r3, %r4}", "",
                                        "v4.u32 {%r3, %r4, %r5, %r6}"};
    char body[600];

    snprintf(body, sizeof(body),
             "mov.u32 %%r0, s;\nmul.lo.u32 %%r1, %%t, %u;\nshr.u32 %%r1, %%r1, 8;\n"
             "rem.u32 %%r1, %%r1, %u;\nmad.lo.u32 %%r1, %%r1, %u, %%r0;\nmov.u32 %%r2, %u;\n"
             "shr.u32 %%r2, %%r2, %%t;\nand.b32 %%r2, %%r2, 1;\nsetp.ne.u32 %%p0, %%r2, 0;\n"
             "@%%p0 ld.shared.%s, [%%r1];\n",
             s->by, s->units, 4 * s->words, s->mask, loads[s->words - 1]);
    RUN(.before = ".shared .align 16 .b8 s[16384];", .body = body);
}
Test(counters, wavefronts_are_what_the_fullest_bank_is_asked_for)
{
    uint32_t random = 1;

    for (int k = 0; k < 150; k++) {
        struct scatter s = {.words = 1u << k % 3};
        random = random * 1664525 + 1013904223;
        s.by = random >> 16;
        s.units = 1 + (random >> 4) % ((k & 8 ? 4096u : 200u) / s.words);
        s.mask = k & 1 ? ~0u : (random * 2654435761u) | 1;
        unsigned groups = s.words > 1 && (share(&s, 1) || share(&s, 2)) ? s.words / 2 : s.words;
        unsigned used = 0, all = 0;
        for (unsigned g = 0; g < groups; g++) {
            unsigned top = fullest_bank(&s, 32 / groups * g, 32 / groups * (g + 1));
            used += top > 0;
            all += top;
        }
        load_scattered(&s);
        cr_expect_eq(result.counters.shared_ld_wavefronts, all, "%d: %lu, not %u", k,
                     result.counters.shared_ld_wavefronts, all);
        cr_expect_eq(result.counters.shared_ld_bank_conflicts, all - used, "%d", k);
    }
}
