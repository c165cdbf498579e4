/* core_test.c - the interpreter's core on small PTX kernels: paths, barriers, calls,
 * counters and faults. Single instructions are cases/ops.txt's matter.
 */
#include "launch.h"
#include "testing.h"
#include "emulator/runtime/warplab.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- paths ---- */
Test(core, nested_branches_meet_again)
{
    RUN(.body = "setp.ge.u32 %p0, %t, 16;\n@%p0 bra OTHER;\n"
                "setp.ge.u32 %p1, %t, 8;\n@%p1 bra INNER;\n"
                "activemask.b32 %r0;\nbra MET;\n"
                "INNER: activemask.b32 %r0;\n"
                "MET: activemask.b32 %r1;\nbra ALL;\n"
                "OTHER: activemask.b32 %r0;\nmov.u32 %r1, %r0;\n"
                "ALL: activemask.b32 %r2;\n"
                "st.global.u32 [%mine], %r0;\nst.global.u32 [%mine+128], %r1;\n"
                "st.global.u32 [%mine+256], %r2;");
    for (int i = 0; i < 32; i++) {
        cr_expect_eq(out[i],
                     i < 8    ? 0xffu
                     : i < 16 ? 0xff00u
                              : 0xffff0000u,
                     "lane %d: %x", i, out[i]);
        cr_expect_eq(out[32 + i], i < 16 ? 0xffffu : 0xffff0000u, "lane %d: %x", i, out[32 + i]);
        cr_expect_eq(out[64 + i], ~0u, "lane %d: %x", i, out[64 + i]);
    }
    cr_expect_eq(result.counters.branches, 2);
    cr_expect_eq(result.counters.divergent_branches, 2);
}

/* A path to a trap ends the launch: the lanes of the others need not wait for it. */
Test(core, branches_beside_a_trap_meet_again)
{
    RUN(.body = "setp.lt.u32 %p0, %t, 16;\n@%p0 bra A;\nsetp.lt.u32 %p1, %t, 100;\n"
                "@%p1 bra MET;\ntrap;\nbra MET;\nA: setp.lt.u32 %p1, %t, 200;\n"
                "@%p1 bra MET;\ntrap;\nMET: activemask.b32 %r0;\nst.global.u32 [%mine], %r0;");
    for (int i = 0; i < 32; i++)
        cr_expect_eq(out[i], ~0u, "lane %d: %x", i, out[i]);
}

Test(core, a_loop_left_lane_by_lane_meets_after_it)
{
    RUN(.body = "mov.u32 %r0, 0;\nTOP: setp.ge.u32 %p0, %r0, %t;\n@%p0 bra END;\n"
                "add.u32 %r0, %r0, 1;\nbra TOP;\nEND: activemask.b32 %r1;\n"
                "st.global.u32 [%mine], %r1;\nst.global.u32 [%mine+128], %r0;");
    for (uint32_t i = 0; i < 32; i++)
        cr_expect(out[i] == ~0u && out[32 + i] == i, "lane %u: %x %u", i, out[i], out[32 + i]);
    cr_expect_eq(result.counters.branches, 32);
    cr_expect_eq(result.counters.divergent_branches, 31);
}

/* A loop that has no way out: who calls f in its third turn leaves. Lanes meet in the block that
 * lies before those that lead there; where there is none, at the next turn. */
#define LEAVES                                                                                     \
    ".func f(.param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %x;\nld.param.u32 %x, [n];\n"            \
    "setp.gt.u32 %q, %x, 2;\n@%q exit;\nret;\n}\n"
#define CALL "{ .param .b32 n;\nst.param.b32 [n], %r0;\ncall f, (n); }\n"
#define TOLD "activemask.b32 %r1;\nst.global.u32 [%mine], %r1;\n" CALL
Test(core, lanes_meet_in_a_loop_that_nobody_leaves)
{
    static const char *const loops[] = {
        "mov.u32 %r0, 0;\nbra TOP;\nALL: " TOLD "TOP: add.u32 %r0, %r0, 1;\n"
        "setp.lt.u32 %p0, %t, 16;\n@%p0 bra ALL;\nst.global.u32 [%mine+128], %r0;\nbra ALL;",
        "mov.u32 %r0, 0;\nTOP: " TOLD "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %t, 16;\n"
        "@%p0 bra TOP;\nst.global.u32 [%mine+128], %r0;\nbra TOP;"};

    for (size_t k = 0; k < 2; k++) {
        RUN(.before = LEAVES, .body = loops[k]);
        for (int i = 0; i < 32; i++)
            cr_expect_eq(out[i], ~0u, "%zu: lane %d: %x", k, i, out[i]);
    }
}

#define LOCKED_ADD                                                                                 \
    "SPIN: atom.global.cas.b32 %r0, [%out], 0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n"                     \
    "@%p0 bra SPIN;\nld.volatile.global.u32 %r1, [%out+4];\nadd.u32 %r1, %r1, 1;\n"                \
    "st.volatile.global.u32 [%out+4], %r1;\nmembar.gl;\natom.global.exch.b32 %r0, [%out], 0;"
/* Turns end between blocks of code, and one that is longer than a turn runs all the same. */
Test(core, code_without_branches_may_be_of_any_length)
{
    static char body[100000];
    for (uint32_t n = 50; n <= 5000; n *= 10)
        for (int cooperative = 0; cooperative < 2; cooperative++) {
            char *at = stpcpy(body, "mov.u32 %r0, %t;\n");
            for (uint32_t i = 0; i < n; i++)
                at = stpcpy(at, "add.u32 %r0,%r0,3;");
            stpcpy(at, "\nst.global.u32 [%mine], %r0;");
            RUN(.body = body, .cooperative = cooperative);
            cr_expect_eq(out[7], 7 + 3 * n);
        }
}

Test(core, a_lock_taken_by_each_lane)
{
    RUN(.grid = 1, .block = 64, .body = LOCKED_ADD);
    cr_expect_eq(out[1], 64);
}

/* Blocks that could end by themselves do not get in each other's way. */
Test(core, a_lock_is_passed_on_block_by_block)
{
    setenv("WARPLAB_THREADS", "1", 1);
    RUN(.grid = 1, .block = 256, .body = LOCKED_ADD);
    uint64_t alone = result.counters.inst_executed;
    RUN(.grid = 6, .block = 256, .body = LOCKED_ADD);
    cr_expect_eq(out[1], 6 * 256);
    cr_expect_eq(result.counters.inst_executed, 6 * alone);
}

/* A loop that waits for a time ends when it is come, however late that is, each lane by itself; its
 * rounds count as if each had been run. */
#define WAIT                                                                                       \
    "mov.u64 %d0, %clock64;\nTOP: mov.u64 %d1, %clock64;\nsub.s64 %d2, %d1, %d0;\n"                \
    "setp.lt.s64 %p0, %d2, %d3;\n@%p0 bra TOP;\nst.global.u32 [%mine], %d2;\n"                     \
    "shr.u64 %d2, %d2, 32;\nst.global.u32 [%mine+128], %d2;"
Test(core, waiting_for_a_late_clock_takes_no_time)
{
    RUN(.body = "mov.u64 %d3, 9;\n" WAIT);
    cr_expect_eq(out[0], 12);
    uint64_t soon = result.counters.inst_executed, branches = result.counters.branches;
    RUN(.body = "mov.u64 %d3, 1000000000001;\n" WAIT);
    cr_expect_eq((uint64_t)out[32] << 32 | out[0], 1000000000004ull);
    cr_expect_eq(result.counters.inst_executed - soon, 4 * (1000000000004ull - 12) / 4);
    cr_expect_eq(result.counters.branches - branches, (1000000000004ull - 12) / 4);
    RUN(.body = "mul.wide.u32 %d3, %t, 100000000;\n" WAIT);
    for (uint32_t i = 1; i < 32; i++)
        cr_expect_eq(out[i], i * 100000000);
}
/* What a round leaves for the next one is counted round by round. */
Test(core, a_loop_on_the_clock_that_counts_is_run)
{
    RUN(.body = "mov.u32 %r0, 0;\nmov.u64 %d0, %clock64;\nTOP: mov.u64 %d1, %clock64;\n"
                "sub.s64 %d2, %d1, %d0;\nadd.u32 %r0, %r0, 1;\nsetp.lt.s64 %p0, %d2, 4000;\n"
                "@%p0 bra TOP;\nst.global.u32 [%mine], %r0;");
    cr_expect_eq(out[5], 1000);
}

Test(core, two_kernels_need_a_function_that_cannot_run)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".func bad(.param .u32 x)\n"
        "{ .reg .b32 %a; tex.1d.v4.f32.s32 {%a, %a, %a, %a}, [x, {%a}]; ret; }\n"
        ".visible .entry one()\n{ .param .u32 x; st.param.u32 [x], 1; call bad, (x); ret; }\n"
        ".visible .entry two()\n{ .param .u32 x; st.param.u32 [x], 1; call bad, (x); ret; }\n";
    const char *texts[] = {text};
    size_t lengths[] = {sizeof(text) - 1};
    struct emu_module *m;
    struct emu_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};

    cr_assert_eq(emu_module_load(texts, lengths, 1, "test", &m), cudaSuccess, "%s",
                 emu_error_text());
    l.func = emu_module_func(m, "one");
    cr_expect_eq(emu_launch(&l, &result), cudaErrorInvalidPtx);
    cr_expect(strstr(emu_error_text(), "tex.1d"), "%s", emu_error_text());
    l.func = emu_module_func(m, "two");
    cr_expect_eq(emu_launch(&l, &result), cudaErrorInvalidPtx);
    cr_expect(strstr(emu_error_text(), "two cannot run either: it needs bad"), "%s",
              emu_error_text());
}

/* A loop that calls, or parts and meets in each round, is as much a loop as one that does not. */
Test(core, locks_taken_by_calls_are_given_back)
{
    RUN(.block = 64,
        .before = ".func (.param .u32 r) try(.param .u64 p)\n"
                  "{ .reg .u32 %a; .reg .u64 %p; ld.param.u64 %p, [p];\n"
                  "atom.cas.b32 %a, [%p], 0, 1; st.param.u32 [r], %a; ret; }",
        .body = "SPIN: { .param .u64 a; .param .u32 b; st.param.u64 [a], %out;\n"
                "call (b), try, (a); ld.param.u32 %r0, [b]; }\n"
                "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra SPIN;\n"
                "ld.volatile.global.u32 %r1, [%out+4];\nadd.u32 %r1, %r1, 1;\n"
                "st.volatile.global.u32 [%out+4], %r1;\nmembar.gl;\n"
                "atom.global.exch.b32 %r0, [%out], 0;");
    cr_expect_eq(out[1], 64);
}

Test(core, two_warps_answer_each_other_in_shared_memory)
{
    RUN(.block = 64, .before = ".shared .align 4 .u32 ball;",
        .body = "mov.u32 %r0, 0;\nshr.u32 %r1, %t, 5;\nand.b32 %r2, %t, 31;\n"
                "setp.eq.u32 %p0, %t, 0;\n@%p0 st.volatile.shared.u32 [ball], %r0;\nbar.sync 0;\n"
                "setp.ne.u32 %p0, %r2, 0;\n@%p0 bra END;\n"
                "TOP: ld.volatile.shared.u32 %r3, [ball];\nand.b32 %r4, %r3, 1;\n"
                "setp.ne.u32 %p1, %r4, %r1;\n@%p1 bra TOP;\n"
                "add.u32 %r3, %r3, 1;\nst.volatile.shared.u32 [ball], %r3;\n"
                "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 20;\n@%p1 bra TOP;\n"
                "END: bar.sync 0;\nld.shared.u32 %r5, [ball];\nst.global.u32 [%out], %r5;");
    cr_expect_eq(out[0], 40);
}

Test(core, a_block_waits_for_a_later_one)
{
    setenv("WARPLAB_THREADS", "1", 1);
    RUN(.grid = 5, .body = "setp.eq.u32 %p0, %cta, 4;\n@%p0 bra LAST;\n"
                           "TOP: ld.acquire.gpu.global.u32 %r0, [%out];\nsetp.eq.u32 %p1, %r0, 0;\n"
                           "@%p1 bra TOP;\nred.global.add.u32 [%out+4], 1;\nret;\n"
                           "LAST: mov.u32 %r1, 1;\nst.release.gpu.global.u32 [%out], %r1;");
    cr_expect_eq(out[1], 4 * 32);
}

/* A barrier of the grid made by hand, five times: what spins gives its turn away soon. */
Test(core, blocks_that_wait_for_each_other_do_not_spin_for_long)
{
    setenv("WARPLAB_THREADS", "1", 1);
    RUN(.grid = 16, .block = 64,
        .body = "mov.u32 %r0, 0;\n"
                "NEXT: add.u32 %r0, %r0, 16;\nbar.sync 0;\nsetp.ne.u32 %p0, %t, 0;\n"
                "@%p0 bra MET;\nred.global.add.u32 [%out], 1;\n"
                "SPIN: ld.volatile.global.u32 %r1, [%out];\nsetp.lt.u32 %p1, %r1, %r0;\n"
                "@%p1 bra SPIN;\n"
                "MET: bar.sync 0;\nsetp.lt.u32 %p1, %r0, 80;\n@%p1 bra NEXT;");
    cr_expect_eq(out[0], 5 * 16);
    cr_expect_lt(result.counters.inst_executed, 500000, "%lu", result.counters.inst_executed);
}

/* The first lane of block 0 spins for block 1; the others have come to the barrier meanwhile. */
Test(core, a_warp_with_a_spinning_lane_is_at_the_barrier_once)
{
    setenv("WARPLAB_THREADS", "1", 1);
    RUN(.grid = 2, .body =
                       "setp.ne.u32 %p0, %t, 0;\n@%p0 bra MET;\n"
                       "setp.eq.u32 %p1, %cta, 1;\n@%p1 bra GIVE;\n"
                       "TOP: ld.acquire.gpu.global.u32 %r0, [%out];\nsetp.eq.u32 %p1, %r0, 0;\n"
                       "@%p1 bra TOP;\nbra MET;\n"
                       "GIVE: mov.u32 %r1, 1;\nst.release.gpu.global.u32 [%out], %r1;\n"
                       "MET: add.u32 %r2, %t, 1;\nbar.sync 0;\nred.global.add.u32 [%out+4], 1;");
    cr_expect_eq(out[1], 64);
    cr_expect_eq(result.counters.barriers, 2);
}

/* ---- barriers ---- */
Test(core, named_barriers_join_the_warps_that_use_them)
{
    /* warps 0 and 1 exchange through barrier 3, warps 2 and 3 through barrier 5 */
    RUN(.block = 128, .before = ".shared .align 4 .b8 s[512];",
        .body = "mov.u32 %r0, s;\nshl.b32 %r1, %t, 2;\nadd.u32 %r2, %r0, %r1;\n"
                "st.shared.u32 [%r2], %t;\nshr.u32 %r3, %t, 6;\nshl.b32 %r3, %r3, 1;\n"
                "add.u32 %r3, %r3, 3;\nbar.sync %r3, 64;\nxor.b32 %r4, %r1, 128;\n"
                "add.u32 %r4, %r4, %r0;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%mine], %r5;");
    for (uint32_t i = 0; i < 128; i++)
        cr_expect_eq(out[i], i ^ 32, "thread %u: %u", i, out[i]);
    cr_expect_eq(result.counters.barriers, 4);
}

Test(core, barriers_reduce)
{
    RUN(.block = 80,
        .body =
            "setp.lt.u32 %p0, %t, 50;\nbar.red.popc.u32 %r0, 0, %p0;\n"
            "bar.red.and.pred %p1, 0, %p0;\nbar.red.or.pred %p2, 0, %p0;\n"
            "bar.red.and.pred %p3, 0, !%p1;\nselp.u32 %r1, 1, 0, %p1;\nselp.u32 %r2, 2, 0, %p2;\n"
            "selp.u32 %r3, 4, 0, %p3;\nor.b32 %r1, %r1, %r2;\nor.b32 %r1, %r1, %r3;\n"
            "st.global.u32 [%mine], %r0;\nst.global.u32 [%mine+512], %r1;");
    for (int i = 0; i < 80; i++)
        cr_expect(out[i] == 50 && out[128 + i] == 6, "thread %d: %u %u", i, out[i], out[128 + i]);
}

Test(core, who_arrives_does_not_wait)
{
    /* the producer arrives at barrier 1 and would never end if it waited for barrier 2 there */
    RUN(.block = 64, .before = ".shared .align 4 .u32 item;",
        .body =
            "setp.ge.u32 %p0, %t, 32;\n@%p0 bra CONSUMER;\n"
            "mov.u32 %r0, 77;\nst.shared.u32 [item], %r0;\nbar.arrive 1, 64;\n"
            "bar.sync 2, 64;\nbra END;\n"
            "CONSUMER: bar.sync 1, 64;\nld.shared.u32 %r1, [item];\nst.global.u32 [%out], %r1;\n"
            "bar.sync 2, 64;\nEND:");
    cr_expect_eq(out[0], 77);
}

/* Warp 2 would wait for ever at a barrier that is not its own. */
Test(core, who_skips_a_barrier_does_not_wait)
{
    RUN(.block = 96, .before = ".shared .align 4 .b8 s[256];",
        .body = "mov.u32 %r0, s;\nshl.b32 %r1, %t, 2;\nadd.u32 %r0, %r0, %r1;\n"
                "setp.lt.u32 %p0, %t, 64;\n@%p0 st.shared.u32 [%r0], %t;\n"
                "@%p0 bar.sync 1, 64;\n"
                "@!%p0 bra END;\nxor.b32 %r1, %r1, 128;\nmov.u32 %r0, s;\n"
                "add.u32 %r0, %r0, %r1;\nld.shared.u32 %r2, [%r0];\n"
                "st.global.u32 [%mine], %r2;\nEND:");
    for (uint32_t i = 0; i < 64; i++)
        cr_expect_eq(out[i], i ^ 32, "thread %u: %u", i, out[i]);
    cr_expect_eq(result.counters.barriers, 2);
}

static void expect_error(cudaError_t want, const char *text, struct program p)
{
    cudaError_t e = launch(p);

    cr_expect_eq(e, want, "expected error %d, got %d: %s", want, e, emu_error_text());
    cr_expect(strstr(emu_error_text(), text), "\"%s\" is not in: %s", text, emu_error_text());
}

Test(core, barriers_that_never_complete_are_a_deadlock)
{
    expect_error(cudaErrorLaunchTimeout, "k.cu:9: deadlock: 16 of 32 threads wait at barrier 0",
                 (struct program){.body = "setp.ge.u32 %p0, %t, 16;\n@%p0 bra OTHER;\n"
                                          ".loc 1 9 5\nbar.sync 0;\nbra END;\n"
                                          ".loc 1 11 5\nOTHER: bar.sync 1;\nEND:"});
    expect_error(cudaErrorLaunchTimeout,
                 "k.cu:9: deadlock: 16 of the 32 threads that have not ended wait at barrier 0",
                 (struct program){.body =
                                      "setp.ge.u32 %p0, %t, 32;\n@%p0 bra END;\n"
                                      "setp.ge.u32 %p0, %t, 16;\n@%p0 bra OTHER;\n"
                                      ".loc 1 9 5\nbar.sync 0;\nbra END;\nOTHER: bar.sync 1;\nEND:",
                                  .block = 64});
}

/* Of those of a count of its own it is said what they are for, and how many have been there. */
#define COME(threads)                                                                              \
    ".loc 1 9 5\nsetp.ge.u32 %p0, %t, " threads ";\n@%p0 bra END;\nbar.sync 1, 64;\nEND:"
Test(core, a_barrier_of_too_many_warps_is_named_in_a_deadlock)
{
    expect_error(
        cudaErrorLaunchTimeout,
        "k.cu:9: deadlock: barrier 1 is for 64 threads, 32 have come, and the others never "
        "come; 3 warps (96 threads) have been at it",
        (struct program){.body = COME("96"), .block = 128});
    expect_error(cudaErrorLaunchTimeout, "the others never come; do all of its warps come there",
                 (struct program){.body = COME("32") "bar.sync 0;\n", .block = 128});
    expect_error(cudaErrorLaunchTimeout, "of the block's threads 32 are left",
                 (struct program){.body = COME("32"), .block = 64});
}

Test(core, lanes_that_never_come_are_a_deadlock)
{
    expect_error(cudaErrorLaunchTimeout, "k.cu:9: ",
                 (struct program){.body = "setp.ge.u32 %p0, %t, 16;\n@%p0 bra OTHER;\n"
                                          ".loc 1 9 5\nbar.warp.sync -1;\nbra END;\n"
                                          "OTHER: bar.sync 0;\nEND:"});
}

/* Two warps meet at a barrier of theirs, over and over, before they let the third go on. */
Test(core, a_wait_for_those_who_meet_each_other_is_no_deadlock)
{
    RUN(.before = ".shared .align 8 .b64 bar;\n",
        .body = "mov.b64 %d1, bar;\nsetp.eq.u32 %p0, %t, 0;\n"
                "@%p0 mbarrier.init.shared.b64 [%d1], 1;\nbar.sync 0;\n"
                "setp.ge.u32 %p1, %t, 64;\n@%p1 bra WAIT;\nmov.u32 %r0, 0;\n"
                "AGAIN: bar.sync 1, 64;\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 5000;\n"
                "@%p1 bra AGAIN;\n@%p0 mbarrier.arrive.shared.b64 %d2, [%d1];\n"
                "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%d1], 0;\n@!%p1 bra WAIT;\n"
                "st.global.u32 [%mine], 1;",
        .block = 96);
    for (uint32_t i = 0; i < 96; i++)
        cr_expect_eq(out[i], 1);
}

/* In each of 200 rounds one warp works for 300 instructions, and seven wait for it: of a turn they
 * take what they execute, not what was left of it. */
Test(core, a_wait_takes_few_steps)
{
    uint64_t before = launch_set_steps(400000);
    RUN(.before = ".shared .align 8 .b64 bar;\n",
        .body = "mov.b64 %d1, bar;\nsetp.eq.u32 %p0, %t, 0;\n"
                "@%p0 mbarrier.init.shared.b64 [%d1], 1;\nbar.sync 0;\nmov.u32 %r1, 0;\n"
                "ROUND: @!%p0 bra WAIT;\nmov.u32 %r0, 0;\n"
                "AGAIN: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 100;\n@%p1 bra AGAIN;\n"
                "mbarrier.arrive.shared.b64 %d2, [%d1];\nWAIT: and.b32 %r2, %r1, 1;\n"
                "LOOK: mbarrier.try_wait.parity.shared.b64 %p1, [%d1], %r2;\n@!%p1 bra LOOK;\n"
                "bar.sync 0;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 200;\n"
                "@%p1 bra ROUND;\nst.global.u32 [%mine], 1;",
        .block = 256);
    launch_set_steps(before);
    for (uint32_t i = 0; i < 256; i++)
        cr_expect_eq(out[i], 1);
}

/* ---- what is charged ---- */
/* Steps that a round of a loop takes beyond its instructions: of many, one at most more or less. */
static double dear(const char *target, const char *first, const char *round)
{
    enum { ROUNDS = 64 };
    static char body[8192];
    snprintf(body, sizeof(body),
             ".local .align 16 .b8 own[1024];\n.reg .b16 %%h<4>;\nmov.u16 %%h0, 0;\n"
             "mov.f32 %%f0, 0f3f000000;\nmov.u32 %%r9, 1;\nand.b32 %%r8, %%t, 31;\n"
             "shl.b32 %%r9, %%r9, %%r8;\nmul.lo.u32 %%r8, %%r8, 13;\nand.b32 %%r8, %%r8, 31;\n"
             "mul.wide.u32 %%d9, %%r8, 32;\nadd.u64 %%d8, %%d9, %%out;\n"
             "mov.u64 %%d7, own;\nadd.u64 %%d7, %%d7, %%d9;\nmov.u64 %%d6, box;\n"
             "add.u64 %%d9, %%d9, %%d6;\n%s\nmov.u32 %%r0, 0;\nROUND: %s\n"
             "add.u32 %%r0, %%r0, 1;\nsetp.lt.u32 %%p0, %%r0, %d;\n@%%p0 bra ROUND;",
             first, round, ROUNDS);
    uint64_t before = launch_steps_taken();
    RUN(.target = target, .body = body,
        .before = ".shared .align 16 .b8 box[1024];\n"
                  ".global .align 1 .b8 text[1] = {0};\n"
                  ".func far(.param .align 4 .b8 a[512])\n{ ret; }\n"
                  ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
                  ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n");
    uint64_t plain = result.counters.inst_executed;
    return (double)(launch_steps_taken() - before - plain) / ROUNDS - 1; /* a block's own */
}

/* Lanes go their own way by %d7 in local memory, %d8 in global memory, %d9 in shared memory. */
Test(core, what_takes_long_takes_more_steps)
{
    static const struct {
        const char *what, *first, *round;
        double least, most;
        const char *target;
    } rows[] = {
        {"fma", "", "fma.rn.f32 %f0, %f0, %f0, %f0;", 0, 0, NULL},
        {"shfl", "", "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;", 0, 0, NULL},
        {"load side by side", "", "ld.global.u32 %r2, [%mine];", 0, 0, NULL},
        {"load of one", "", "ld.global.u32 %r2, [%out];", 0, 0, NULL},
        {"shared, one", "", "ld.shared.u32 %r2, [box];", 0, 0, NULL},
        {"load apart", "", "ld.global.u32 %r2, [%d8];", 8, 10, NULL},
        {"store apart", "", "st.global.u32 [%d8], %r2;", 8, 10, NULL},
        {"generic apart", "", "ld.u32 %r2, [%d8];", 8, 11, NULL},
        {"shared apart", "", "ld.shared.u32 %r2, [%d9];", 4, 5, NULL},
        {"shared store apart", "", "st.shared.u32 [%d9], %r2;", 4, 5, NULL},
        {"local", "", "ld.local.u32 %r2, [own];", 2, 3, NULL},
        {"local apart", "", "ld.local.u32 %r2, [%d7];", 4, 5, NULL},
        {"local vectors apart", "", "st.local.v4.u32 [%d7], {%r2, %r2, %r2, %r2};", 14, 20, NULL},
        {"bytes", "", "st.global.v4.u8 [%mine], {%r2, %r2, %r2, %r2};", 16, 18, NULL},
        {"atomics", "", "atom.global.add.u32 %r2, [%mine], 1;", 16, 18, NULL},
        {"atomics apart", "", "red.global.add.f32 [%d8], %f0;", 24, 26, NULL},
        {"vectors of atomics", "mul.wide.u32 %d0, %t, 16; add.u64 %d0, %d0, %out;",
         "red.global.v4.f32.add [%d0], {%f0, %f0, %f0, %f0};", 64, 66, "sm_90"},
        {"shared atomics", "", "atom.shared.add.u32 %r2, [box], 1;", 8, 9, NULL},
        {"match", "", "match.any.sync.b32 %r2, %r0, -1;", 10, 14, NULL},
        {"votes of each", "", "vote.sync.ballot.b32 %r2, %p1, %r9;", 8, 9, NULL},
        {"reductions of each", "", "redux.sync.add.u32 %r2, %r0, %r9;", 8, 9, NULL},
        {"bits", "", "bfe.u32 %r2, %r0, 3, 5;", 12, 13, NULL},
        {"special function", "", "sin.approx.f32 %f1, %f0;", 2, 3, NULL},
        {"halves", "", "add.f16x2 %r2, %r2, %r2;", 16, 18, NULL},
        {"half's", "", "cvt.rn.f16.f32 %h1, %f0;", 12, 13, NULL},
        {"whole number", "", "cvt.rni.s32.f32 %r2, %f0;", 4, 5, NULL},
        {"as wide", "", "cvt.rn.f32.s32 %f1, %r2;", 0, 0, NULL},
        {"mbarrier", "mbarrier.init.shared.b64 [box], 32;",
         "mbarrier.arrive.shared.b64 %d0, [box];", 16, 18, NULL},
        {"copies", "mul.wide.u32 %d0, %t, 4; add.u64 %d1, %d0, %d6; add.u64 %d0, %d0, %out;",
         "cp.async.ca.shared.global [%d1], [%d0], 4;", 6, 18, NULL},
        {"large argument", "",
         "{ .param .align 4 .b8 a[512];\nst.param.b32 [a], %r2;\ncall far, (a); }", 32, 48, NULL},
        {"product", "mov.u32 %r2, 0;",
         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
         "{%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f0, %f0, %f0, %f0};",
         16, 17, NULL},
        {"product of infinities", "mov.u32 %r2, 0x7c007c00;",
         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
         "{%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f0, %f0, %f0, %f0};",
         128, 129, NULL},
        {"printf", "mov.u64 %d0, text; cvta.global.u64 %d0, %d0;",
         "{ .param .b64 a;\n.param .b64 b;\n.param .b32 r;\nst.param.b64 [a], %d0;\n"
         "st.param.b64 [b], 0;\ncall (r), vprintf, (a, b); }",
         256, 300, NULL},
        {"malloc", "",
         "{ .param .b64 a;\n.param .b64 r;\nst.param.b64 [a], 16;\ncall (r), malloc, (a); }", 256,
         300, NULL},
    };
    launch_set_steps(1ull << 40);
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        double n = dear(rows[k].target, rows[k].first, rows[k].round);
        cr_expect(n > rows[k].least - 0.5 && n < rows[k].most + 0.9, "%s: %g steps more",
                  rows[k].what, n);
    }
}

/* ---- calls ---- */
#define SIGNATURE "(.param .b32 z) "
Test(core, functions_call_themselves)
{
    RUN(.before =
            ".func " SIGNATURE "sum(.param .b32 a);\n"
            ".func " SIGNATURE "sum(.param .b32 a)\n{\n.reg .b32 %n, %m;\n.reg .pred %p;\n"
            "ld.param.u32 %n, [a];\nsetp.eq.u32 %p, %n, 0;\n@%p bra ZERO;\n"
            "sub.u32 %m, %n, 1;\n{\n.param .b32 ca;\n.param .b32 cz;\nst.param.b32 [ca], %m;\n"
            "call (cz), sum, (ca);\nld.param.b32 %m, [cz];\n}\nadd.u32 %n, %n, %m;\n"
            "ZERO: st.param.b32 [z], %n;\nret;\n}\n",
        .body = "{\n.param .b32 ca;\n.param .b32 cz;\nst.param.b32 [ca], %t;\n"
                "call (cz), sum, (ca);\nld.param.b32 %r0, [cz];\n}\nactivemask.b32 %r1;\n"
                "st.global.u32 [%mine], %r0;\nst.global.u32 [%mine+128], %r1;");
    for (uint32_t i = 0; i < 32; i++)
        cr_expect(out[i] == i * (i + 1) / 2 && out[32 + i] == ~0u, "lane %u: %u, mask %x", i,
                  out[i], out[32 + i]);
    cr_expect_eq(result.counters.calls, 32);
}

#define TIMES(name, n)                                                                             \
    ".func " SIGNATURE name "(.param .b32 a)\n{\n.reg .b32 %n;\nld.param.u32 %n, [a];\n"           \
    "mul.lo.u32 %n, %n, " #n ";\nst.param.b32 [z], %n;\nret;\n}\n"
Test(core, lanes_call_different_functions)
{
    RUN(.before = TIMES("one", 1) TIMES("ten", 10)
            TIMES("hundred", 100) ".global .align 8 .u64 table[3] = {one, ten, hundred};\n",
        .body = "rem.u32 %r0, %t, 3;\nmul.wide.u32 %d0, %r0, 8;\nmov.u64 %d1, table;\n"
                "add.u64 %d0, %d0, %d1;\nld.global.u64 %d2, [%d0];\n"
                "{\n.param .b32 ca;\n.param .b32 cz;\nst.param.b32 [ca], %t;\n"
                "PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                "call (cz), %d2, (ca), PROTO;\nld.param.b32 %r1, [cz];\n}\nactivemask.b32 %r2;\n"
                "st.global.u32 [%mine], %r1;\nst.global.u32 [%mine+128], %r2;");
    static const uint32_t times[] = {1, 10, 100};
    for (uint32_t i = 0; i < 32; i++)
        cr_expect(out[i] == i * times[i % 3] && out[32 + i] == ~0u, "lane %u: %u, mask %x", i,
                  out[i], out[32 + i]);
}

Test(core, lanes_go_to_different_targets)
{
    RUN(.body = "and.b32 %r0, %t, 3;\nmov.u32 %r1, 0;\nWAYS: .branchtargets A, B, C, B;\n"
                "brx.idx %r0, WAYS;\nA: add.u32 %r1, %r1, 1;\nB: add.u32 %r1, %r1, 10;\nbra END;\n"
                "C: add.u32 %r1, %r1, 100;\nEND: activemask.b32 %r2;\n"
                "st.global.u32 [%mine], %r1;\nst.global.u32 [%mine+128], %r2;");
    static const uint32_t want[] = {11, 10, 100, 10};
    for (uint32_t i = 0; i < 32; i++)
        cr_expect(out[i] == want[i & 3] && out[32 + i] == ~0u, "lane %u: %u, mask %x", i, out[i],
                  out[32 + i]);
}

/* ---- counters ---- */
/* As ptxas makes it: sub.cc's carry, seen by addc, is set where there was no borrow. */
Test(core, subtraction_carries_where_it_does_not_borrow)
{
    RUN(.body = "mov.u32 %r1, 16;\nsub.cc.u32 %r2, %t, %r1;\naddc.u32 %r3, 0, 0;\n"
                "sub.cc.u32 %r2, %t, %r1;\nsubc.cc.u32 %r4, 5, 2;\naddc.u32 %r5, 0, 0;\n"
                "add.cc.u32 %r2, %t, 0xfffffff0;\nsubc.u32 %r6, 5, 2;\n"
                "cvt.u64.u32 %d1, %t;\nsub.cc.u64 %d2, %d1, 16;\naddc.u64 %d3, 0, 0;\n"
                "cvt.u32.u64 %r7, %d3;\n"
                "st.global.u32 [%mine], %r3;\nst.global.u32 [%mine+128], %r4;\n"
                "st.global.u32 [%mine+256], %r5;\nst.global.u32 [%mine+384], %r6;\n"
                "st.global.u32 [%mine+512], %r7;");
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t no_borrow = i >= 16;
        cr_expect_eq(out[i], no_borrow, "lane %u: %u", i, out[i]);
        cr_expect_eq(out[32 + i], 2 + no_borrow, "lane %u: %u", i, out[32 + i]);
        cr_expect_eq(out[64 + i], 1, "lane %u: %u", i, out[64 + i]);
        cr_expect_eq(out[96 + i], 2 + no_borrow, "lane %u: %u", i, out[96 + i]);
        cr_expect_eq(out[128 + i], no_borrow, "lane %u: %u", i, out[128 + i]);
    }
}

/* PTX ISA 9.7.20.1; vabsdiff4 is in cases/ops.txt. */
Test(core, absolute_differences_of_halves)
{
    RUN(.body = "mov.u32 %r0, 0x00018000;\nmov.u32 %r1, 0xffff7ffe;\nmov.u32 %r9, 5;\n"
                "vabsdiff2.u32.u32.u32 %r2, %r0, %r1, %r9;\n"
                "vabsdiff2.s32.s32.s32 %r3, %r0, %r1, %r9;\n"
                "vabsdiff2.u32.u32.u32.add %r4, %r0, %r1, %r9;\n"
                "st.global.v2.u32 [%out], {%r2, %r3};\nst.global.u32 [%out+8], %r4;");
    cr_expect_eq(out[0], 0xfffe0002, "%x", out[0]);
    cr_expect_eq(out[1], 0x0002fffe, "%x", out[1]);
    cr_expect_eq(out[2], 0xfffeu + 2 + 5, "%x", out[2]);
}

Test(core, instructions_are_counted)
{
    /* 2 blocks of 48: four warps. The prologue is 5 instructions, ret one. */
    RUN(.grid = 2, .block = 48,
        .body = "setp.lt.u32 %p0, %t, 8;\nmov.f32 %f0, 0f3f800000;\n"
                "@%p0 mul.rn.f32 %f1, %f0, %f0;\nfma.rn.f32 %f2, %f0, %f0, %f0;\n"
                "shfl.sync.down.b32 %r0, %t, 1, 31, 0xffff;\nbar.warp.sync 0xffff;");
    cr_expect_eq(result.counters.inst_executed, 4 * 12);
    cr_expect_eq(result.counters.thread_inst_executed, 96 * 12);
    cr_expect_eq(result.counters.thread_inst_executed_pred_on, 96 * 11 + 2 * 8);
    cr_expect_eq(result.counters.flop_fp32, 96 * 2 + 2 * 8);
    cr_expect_eq(result.counters.shuffles, 4);
    cr_expect_eq(result.counters.warp_syncs, 4);
    cr_expect_eq(result.counters.branches, 0);
}

/* What goes to the special-function unit, and what machine code expands (counters.h). */
Test(core, divisions_and_special_functions_are_counted)
{
    static const struct {
        const char *code;
        uint32_t sfu, div;
    } rows[] = {
        {"rcp.rn.f32 %f1, %f0;", 1, 1},
        {"rcp.rz.f32 %f1, %f0;", 1, 1},
        {"rcp.approx.f32 %f1, %f0;", 1, 0},
        {"rcp.rn.f64 %e1, %e0;", 1, 1},
        {"rcp.approx.ftz.f64 %e1, %e0;", 1, 0},
        {"div.rn.f32 %f1, %f0, %f0;", 1, 1},
        {"div.full.f32 %f1, %f0, %f0;", 1, 0},
        {"div.approx.f32 %f1, %f0, %f0;", 1, 0},
        {"div.u32 %r1, %t, 3;", 0, 1},
        {"rem.s32 %r1, %t, 3;", 0, 1},
        {"sqrt.rn.f32 %f1, %f0;", 1, 1},
        {"sqrt.approx.f32 %f1, %f0;", 1, 0},
        {"rsqrt.approx.f32 %f1, %f0;", 1, 0},
        {"ex2.approx.f32 %f1, %f0;", 1, 0},
        {"lg2.approx.f32 %f1, %f0;", 1, 0},
        {"sin.approx.f32 %f1, %f0;", 1, 0},
        {"cos.approx.f32 %f1, %f0;", 1, 0},
        {"tanh.approx.f32 %f1, %f0;", 1, 0},
        {"fma.rn.f32 %f1, %f0, %f0, %f0;", 0, 0},
        {"mul.lo.u32 %r1, %t, 3;", 0, 0},
    };
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char body[256];
        snprintf(body, sizeof(body),
                 ".reg .f64 %%e<2>;\nmov.f32 %%f0, 0f3f800000;\n"
                 "mov.f64 %%e0, 0d3ff0000000000000;\n%s",
                 rows[k].code);
        RUN(.block = 64, .body = body);
        cr_expect_eq(result.counters.sfu_ops, 2 * rows[k].sfu, "%s %lu", rows[k].code,
                     result.counters.sfu_ops);
        cr_expect_eq(result.counters.div_ops, 2 * rows[k].div, "%s %lu", rows[k].code,
                     result.counters.div_ops);
    }
}

Test(core, shared_wavefronts_and_conflicts)
{
    /* Nsight Compute's: a conflict is a wavefront beyond the 1, 2 or 4 that 32 accesses
     * of 4, 8, 16 bytes need. Stride in words of that size. */
    static const struct {
        uint32_t bytes, stride, wavefronts, conflicts;
    } rows[] = {
        {4, 1, 1, 0},  {4, 2, 2, 1},    {4, 32, 32, 31},  {4, 33, 1, 0},
        {8, 1, 2, 0},  {8, 2, 4, 2},    {8, 32, 32, 30},  {8, 33, 2, 0},
        {16, 1, 4, 0}, {16, 2, 8, 4},   {16, 32, 32, 28}, {16, 33, 4, 0},
        {4, 0, 1, 0},  {4, 96, 32, 31}, {4, 97, 1, 0}}; /* over more than 64 rows of banks */
    static const char *const type[] = {[4] = "u32", [8] = "v2.u32", [16] = "v4.u32"};
    static const char *const regs[] = {
        [4] = "%r2", [8] = "{%r2, %r3}", [16] = "{%r2, %r3, %r4, %r5}"};
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char body[512];
        uint32_t b = rows[k].bytes;
        snprintf(body, sizeof(body),
                 "mov.u32 %%r0, s;\nmad.lo.u32 %%r0, %%t, %u, %%r0;\nmov.u32 %%r2, 1;\n"
                 "mov.u32 %%r3, 1;\nmov.u32 %%r4, 1;\nmov.u32 %%r5, 1;\n"
                 "st.shared.%s [%%r0], %s;\nld.shared.%s %s, [%%r0];",
                 b * rows[k].stride, type[b], regs[b], type[b], regs[b]);
        RUN(.before = ".extern .shared .align 16 .b8 s[];", .body = body, .shared = 32768);
        const struct counters *c = &result.counters;
        cr_expect(c->shared_ld_requests == 1 && c->shared_st_requests == 1);
        cr_expect_eq(c->shared_ld_wavefronts, rows[k].wavefronts, "%u bytes, stride %u: %lu", b,
                     rows[k].stride, c->shared_ld_wavefronts);
        cr_expect_eq(c->shared_ld_bank_conflicts, rows[k].conflicts, "%u bytes, stride %u: %lu", b,
                     rows[k].stride, c->shared_ld_bank_conflicts);
        cr_expect_eq(c->shared_ld_bytes, 32 * b);
        if (rows[k].stride) { /* stores to one word: not stated in the reference */
            cr_expect_eq(c->shared_st_wavefronts, rows[k].wavefronts);
            cr_expect_eq(c->shared_st_bank_conflicts, rows[k].conflicts);
        }
    }
}

/* As a store of as many bytes a lane: a conflict is a wavefront beyond the 1, 2 or 4. */
Test(core, copies_into_shared_memory_conflict_as_stores_do)
{
    static const struct {
        uint32_t bytes, stride, wavefronts, conflicts;
    } rows[] = {{4, 1, 1, 0},  {4, 2, 2, 1},    {4, 32, 32, 31},  {4, 33, 1, 0},
                {8, 1, 2, 0},  {8, 2, 4, 2},    {8, 32, 32, 30},  {16, 1, 4, 0},
                {16, 2, 8, 4}, {16, 4, 16, 12}, {16, 32, 32, 28}, {16, 33, 4, 0}};
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char body[512];
        uint32_t b = rows[k].bytes;
        snprintf(body, sizeof(body),
                 "mov.u32 %%r0, s;\nmad.lo.u32 %%r0, %%t, %u, %%r0;\n"
                 "mad.wide.u32 %%d0, %%t, %u, %%out;\n"
                 "cp.async.ca.shared.global [%%r0], [%%d0], %u;\n"
                 "cp.async.ca.shared.global [%%r0], [%%d0], %u;\ncp.async.wait_all;",
                 b * rows[k].stride, b, b, b);
        RUN(.before = ".extern .shared .align 16 .b8 s[];", .body = body, .shared = 32768);
        const struct counters *c = &result.counters;
        cr_expect_eq(c->shared_st_requests, 2);
        cr_expect_eq(c->shared_st_wavefronts, 2 * rows[k].wavefronts, "%u bytes, stride %u: %lu", b,
                     rows[k].stride, c->shared_st_wavefronts);
        cr_expect_eq(c->shared_st_bank_conflicts, 2 * rows[k].conflicts, "%u bytes, stride %u: %lu",
                     b, rows[k].stride, c->shared_st_bank_conflicts);
        cr_expect_eq(c->shared_st_bytes, 2 * 32 * b);
        cr_expect_eq(c->global_ld_requests, 2);
        cr_expect_eq(c->global_ld_sectors, 2 * b);
    }
}

Test(core, global_sectors)
{
    static const struct {
        const char *type, *regs;
        uint32_t step, offset, bytes, sectors;
    } rows[] = {{"u8", "%r2", 1, 0, 1, 1},
                {"u32", "%r2", 4, 0, 4, 4},
                {"u32", "%r2", 8, 0, 4, 8},
                {"u32", "%r2", 16, 0, 4, 16},
                {"u32", "%r2", 32, 0, 4, 32},
                {"u32", "%r2", 128, 0, 4, 32},
                {"u32", "%r2", 4, 4, 4, 5},
                {"u32", "%r2", 4, 20, 4, 5},
                {"u32", "%r2", 4, 32, 4, 4},
                {"u32", "%r2", 0, 0, 4, 1},
                {"v2.u32", "{%r2, %r3}", 8, 0, 8, 8},
                {"v4.u32", "{%r2, %r3, %r4, %r5}", 16, 0, 16, 16}};
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char body[512];
        snprintf(body, sizeof(body),
                 "mul.wide.u32 %%d0, %%t, %u;\nadd.u64 %%d0, %%d0, %%out;\n"
                 "ld.global.%s %s, [%%d0+%u];\nst.global.%s [%%d0+%u], %s;",
                 rows[k].step, rows[k].type, rows[k].regs, rows[k].offset, rows[k].type,
                 rows[k].offset, rows[k].regs);
        RUN(.body = body);
        const struct counters *c = &result.counters;
        cr_expect(c->global_ld_requests == 1 && c->global_st_requests == 1);
        cr_expect_eq(c->global_ld_sectors, rows[k].sectors, "%s, step %u: %lu", rows[k].type,
                     rows[k].step, c->global_ld_sectors);
        cr_expect_eq(c->global_st_sectors, rows[k].sectors, "%s, step %u: %lu", rows[k].type,
                     rows[k].step, c->global_st_sectors);
        cr_expect_eq(c->global_ld_bytes, 32 * rows[k].bytes);
    }
}

Test(core, atomics_are_counted)
{
    RUN(.body = "and.b32 %r0, %t, 3;\nmul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %d0, %out;\n"
                "red.global.add.u32 [%d0], 1;\natom.global.add.u32 %r1, [%d0], 1;\n"
                "st.global.u32 [%mine+64], %r1;");
    cr_expect_eq(out[0], 16);
    cr_expect_eq(result.counters.global_red_requests, 1);
    cr_expect_eq(result.counters.global_atom_requests, 1);
    cr_expect_eq(result.counters.global_atom_sectors, 2);
    cr_expect_eq(result.counters.global_atom_passes, 16);
}

/* Something of everything, in many blocks. */
static void mixed(void)
{
    RUN(.grid = 200, .block = 96, .before = ".shared .align 4 .b8 s[512];",
        .body = "mov.u32 %r0, s;\nmad.lo.u32 %r0, %t, 4, %r0;\nst.shared.u32 [%r0], %cta;\n"
                "bar.sync 0;\nand.b32 %r1, %cta, 31;\nsetp.lt.u32 %p0, %t, %r1;\n@%p0 bra A;\n"
                "ld.shared.u32 %r2, [s];\nred.global.add.u32 [%out], %r2;\nbra B;\n"
                "A: ld.global.u32 %r3, [%mine+64];\nB: bar.sync 0;");
}
/* Element by element, the whole vector's lanes in turn; results may be left out. */
Test(core, atomics_take_vectors)
{
    RUN(.body = "mov.f32 %f0, 0f3f800000;\nmov.f32 %f1, 0f40000000;\n"
                "atom.global.add.v2.f32 {%f2, _}, [%out], {%f0, %f1};\n"
                "red.global.v4.f32.add [%out+16], {%f0, %f1, %f0, %f1};\n"
                "mov.b32 %r1, 0x40003c00;\nmov.b32 %r2, 0x4000bf80;\n" /* halves 1 2; -1 2 */
                "red.global.add.noftz.v2.f16x2 [%out+32], {%r1, %r1};\n"
                "red.global.min.noftz.v2.bf16x2 [%out+40], {%r2, %r2};\n"
                "red.global.max.noftz.v2.bf16x2 [%out+48], {%r2, %r2};\n"
                "cvt.rzi.u32.f32 %r3, %f2;\nst.global.u32 [%mine+128], %r3;");
    const float *f = (const float *)out;
    cr_expect(f[0] == 32 && f[1] == 64 && f[4] == 32 && f[5] == 64 && f[7] == 64);
    cr_expect(out[8] == 0x54005000 && out[9] == 0x54005000, "%x", out[8]);    /* 32 64 */
    cr_expect(out[10] == 0x0000bf80 && out[11] == 0x0000bf80, "%x", out[10]); /* below zero */
    cr_expect(out[12] == 0x40000000 && out[13] == 0x40000000, "%x", out[12]); /* above */
    uint32_t seen = 0;
    for (int i = 0; i < 32; i++)
        seen |= 1u << out[32 + i];
    cr_expect_eq(seen, ~0u);
    cr_expect_eq(result.counters.global_atom_requests, 1);
    cr_expect_eq(result.counters.global_red_requests, 4);
}

Test(core, wide_registers_hold_two_halves)
{
    RUN(.block = 64,
        .body = ".reg .b128 %q<4>;\nmov.b64 %d0, 7;\ncvt.u64.u32 %d1, %t;\n"
                "mov.b128 %q0, {%d0, %d1};\nmov.b128 %q1, %q0;\n"
                "atom.global.exch.b128 %q1, [%out+1024], %q1;\n" /* a chain through the lanes */
                "mul.wide.u32 %d2, %t, 16;\nadd.u64 %d2, %out, %d2;\n"
                "st.global.b128 [%d2+2048], %q0;\nld.global.b128 %q2, [%d2+2048];\n"
                "mov.b128 {_, %d3}, %q2;\ncvt.u32.u64 %r0, %d3;\nst.global.u32 [%mine], %r0;\n"
                "AGAIN: ld.relaxed.gpu.global.b128 %q1, [%out+512];\n"
                "mov.b128 {%d4, %d5}, %q1;\nadd.u64 %d6, %d4, 1;\nsub.u64 %d7, %d5, %d1;\n"
                "mov.b128 %q2, {%d6, %d7};\natom.global.cas.b128 %q3, [%out+512], %q1, %q2;\n"
                "mov.b128 {%d6, %d7}, %q3;\nsetp.ne.u64 %p0, %d6, %d4;\n@%p0 bra AGAIN;");
    const uint64_t *wide = (const uint64_t *)out;
    cr_expect(wide[64] == 64 && wide[65] == -(uint64_t)2016, "%lu %lu", wide[64], wide[65]);
    cr_expect_eq(wide[128], 7);
    for (uint32_t i = 0; i < 64; i++) {
        cr_expect_eq(out[i], i);
        cr_expect(wide[256 + 2 * i] == 7 && wide[257 + 2 * i] == i);
    }
}

Test(core, counts_do_not_depend_on_host_threads)
{
    int pipes[2];
    struct counters one;

    cr_assert_eq(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("WARPLAB_THREADS", "1", 1);
        mixed();
        _exit(write(pipes[1], &result.counters, sizeof(one)) != sizeof(one));
    }
    setenv("WARPLAB_THREADS", "2", 1);
    mixed();
    cr_assert_eq(read(pipes[0], &one, sizeof(one)), (ssize_t)sizeof(one));
    waitpid(child, NULL, 0);
#define X(id, metric, unit, text)                                                                  \
    cr_expect_eq(one.id, result.counters.id, #id ": %lu, %lu", one.id, result.counters.id);
    COUNTERS(X)
#undef X
    cr_expect_eq(one.barriers, 200 * 3 * 2);
}

/* ---- faults ---- */
Test(core, faults_end_the_launch_and_say_where)
{
    static const struct {
        cudaError_t error;
        const char *text, *before, *body;
    } rows[] = {
        {cudaErrorIllegalAddress, "k.cu:7: illegal address: write of 4 bytes", NULL,
         "setp.eq.u32 %p0, %t, 5;\n.loc 1 7 3\n@%p0 st.global.u32 [%out+16384], %t;"},
        {cudaErrorIllegalAddress, "thread (5,0,0)", NULL,
         "setp.eq.u32 %p0, %t, 5;\n.loc 1 7 3\n@%p0 ld.global.u32 %r0, [%out+-4];"},
        {cudaErrorMisalignedAddress, "k.cu:8: misaligned address: 4-byte global read", NULL,
         ".loc 1 8 3\nld.global.u32 %r0, [%out+2];"},
        {cudaErrorIllegalAddress, "k.cu:9: write to the constant variable fixed",
         ".const .align 4 .u32 fixed = 3;",
         "mov.u64 %d0, fixed;\ncvta.const.u64 %d0, %d0;\n.loc 1 9 3\nst.u32 [%d0], %t;"},
        {cudaErrorIllegalAddress, "k.cu:10: ", ".shared .align 4 .b8 s[64];",
         "mov.u32 %r0, s;\n.loc 1 10 3\nst.shared.u32 [%r0+64], %t;"},
        {cudaErrorLaunchFailure, "k.cu:11: the kernel executed a trap", NULL, ".loc 1 11 3\ntrap;"},
    };
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
        expect_error(rows[k].error, rows[k].text,
                     (struct program){.before = rows[k].before, .body = rows[k].body});
    RUN(.body = "st.global.u32 [%mine], %t;"); /* the core itself carries on */
    cr_expect_eq(out[31], 31);
}

/* One store in a loop: where it wrote before must not open what is constant. */
Test(core, constants_are_not_written_where_other_memory_was)
{
    static const char before[] = ".global .align 4 .b8 room[256];\n.const .align 4 .b8 fixed[256];";
    static const char first[] = "mov.u64 %d0, room;\ncvta.global.u64 %d0, %d0;\n"
                                "mov.u64 %d1, fixed;\ncvta.const.u64 %d1, %d1;\n";
    static const char *const rows[] = {
        /* all lanes, in the second round */
        "mov.u32 %r0, 0;\nTOP: .loc 1 9 3\nst.u32 [%d0], %t;\nmov.u64 %d0, %d1;\n"
        "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 2;\n@%p0 bra TOP;",
        /* one lane among others that may */
        "setp.eq.u32 %p0, %t, 7;\nselp.b64 %d0, %d1, %d0, %p0;\n.loc 1 9 3\nst.u32 [%d0], %t;",
        /* an update of some of its bytes */
        "mov.u32 %r0, 0;\nTOP: .loc 1 9 3\natom.add.u32 %r1, [%d0], 1;\nmov.u64 %d0, %d1;\n"
        "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 2;\n@%p0 bra TOP;",
        "setp.eq.u32 %p0, %t, 7;\nselp.b64 %d0, %d1, %d0, %p0;\n.loc 1 9 3\n"
        "atom.add.u32 %r1, [%d0], 1;"};
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char body[1024];
        snprintf(body, sizeof(body), "%s%s", first, rows[k]);
        expect_error(cudaErrorIllegalAddress, "k.cu:9: write to the constant variable fixed",
                     (struct program){.before = before, .body = body});
    }
}

/* x first, then y, then z, in threads and in blocks. */
Test(core, threads_and_blocks_have_three_indices)
{
    static const char body[] =
        "mov.u32 %r0, %tid.y;\nmov.u32 %r1, %tid.z;\nmov.u32 %r2, %ctaid.y;\n"
        "mov.u32 %r3, %ctaid.z;\nmov.u32 %r4, %ntid.y;\nmov.u32 %r5, %nctaid.y;\n"
        /* linear: ((((bz * 3 + by) * 2 + bx) * 5 + z) * 3 + y) * 4 + x */
        "mad.lo.u32 %r6, %r3, %r5, %r2;\nmov.u32 %r7, %nctaid.x;\n"
        "mad.lo.u32 %r6, %r6, %r7, %cta;\nmov.u32 %r7, %ntid.z;\n"
        "mad.lo.u32 %r6, %r6, %r7, %r1;\nmad.lo.u32 %r6, %r6, %r4, %r0;\n"
        "mov.u32 %r7, %ntid.x;\nmad.lo.u32 %r6, %r6, %r7, %t;\n"
        "mul.wide.u32 %d0, %r6, 4;\nadd.u64 %d0, %d0, %out;\n"
        "shl.b32 %r0, %r0, 4;\nshl.b32 %r1, %r1, 8;\nor.b32 %r0, %r0, %r1;\n"
        "or.b32 %r0, %r0, %t;\nshl.b32 %r2, %r2, 16;\nor.b32 %r0, %r0, %r2;\n"
        "shl.b32 %r3, %r3, 20;\nor.b32 %r0, %r0, %r3;\nshl.b32 %r1, %cta, 12;\n"
        "or.b32 %r0, %r0, %r1;\nadd.u32 %r0, %r0, 1;\n";
    char text[1200];

    snprintf(text, sizeof(text), "%sst.global.u32 [%%d0], %%r0;", body);
    RUN(.body = text, .grid = 2, .grid_yz = {3, 4}, .block = 4, .block_yz = {3, 5});
    for (uint32_t i = 0; i < 24 * 60; i++) {
        uint32_t t = i % 60, b = i / 60;
        uint32_t want = t % 4 + (t / 4 % 3 << 4) + (t / 12 << 8) + (b % 2 << 12) +
                        (b / 2 % 3 << 16) + (b / 6 << 20) + 1;
        cr_assert_eq(out[i], want, "%u: %x, not %x", i, out[i], want);
    }
    /* the same in what is said of a fault */
    snprintf(text, sizeof(text),
             "%ssetp.eq.u32 %%p0, %%r0, 0x%x;\n.loc 1 7 3\n@%%p0 st.global.u32 [%%out+-4], %%t;",
             body, 2 + (1 << 4) + (4 << 8) + (1 << 12) + (2 << 16) + (3 << 20) + 1);
    expect_error(cudaErrorIllegalAddress, "block (1,2,3), thread (2,1,4), at st.global.u32",
                 (struct program){
                     .body = text, .grid = 2, .grid_yz = {3, 4}, .block = 4, .block_yz = {3, 5}});
    cr_assert_eq(warplabFindingCount(), 1);
    cr_expect(strstr(warplabFinding(0), "\"block\":[1,2,3],\"thread\":[2,1,4]"), "%s",
              warplabFinding(0));
}

Test(core, lanes_on_a_path_may_name_different_members)
{
    RUN(.body =
            "and.b32 %r0, %t, 3;\nmov.u32 %r1, 0x11111111;\nshl.b32 %r1, %r1, %r0;\n"
            "redux.sync.add.u32 %r2, %t, %r1;\nsetp.lt.u32 %p0, %t, 4;\n"
            "vote.sync.ballot.b32 %r3, %p0, %r1;\nshl.b32 %r3, %r3, 16;\n"
            "or.b32 %r2, %r2, %r3;\nelect.sync %r4|%p1, %r1;\nmatch.any.sync.b32 %r5, %r0, %r1;\n"
            "@%p1 add.u32 %r2, %r2, %r5;\nst.global.u32 [%mine], %r2;");
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t residue = i % 4, sum = 8 * residue + 4 * 28, group = 0x11111111u << residue;
        cr_expect_eq(out[i], (1u << (residue + 16) | sum) + (i < 4 ? group : 0), "lane %u: %x", i,
                     out[i]);
    }
}

/* Lanes 24 to 31 come to the redux later than the rest: the lower half goes on without them,
 * the upper one waits. */
Test(core, groups_wait_for_their_own_members)
{
    RUN(.body = "setp.ge.u32 %p0, %t, 24;\nsetp.gt.u32 %p1, %cta, 0;\nsetp.lt.u32 %p2, %t, 16;\n"
                "selp.b32 %r1, 0xffff, 0xffff0000, %p2;\nmov.u32 %r0, 0;\n@%p0 bra LATE;\n"
                "bra.uni SUM;\nLATE: add.u32 %r0, %r0, 1;\n@%p1 bra END;\n"
                "SUM: redux.sync.add.u32 %r2, %t, %r1;\nst.global.u32 [%mine], %r2;\nEND:");
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(out[i], i < 16 ? 120 : 376, "lane %u: %u", i, out[i]);
}

/* Paths that met at one barrier part again before the next: who waited at the first has not come
 * to the second. */
Test(core, paths_meet_again_and_again)
{
    for (int upper = 0; upper < 2; upper++) {
        char body[1024];
        snprintf(body, sizeof(body),
                 "mov.u32 %%r0, s;\nand.b32 %%r1, %%t, 15;\nmad.lo.u32 %%r0, %%r1, 4, %%r0;\n"
                 "setp.%s.u32 %%p0, %%t, 16;\n@%%p0 bra READER;\n"
                 "mov.u32 %%r2, 0;\n"
                 "GIVE: bar.warp.sync -1;\nadd.u32 %%r2, %%r2, 1;\nadd.u32 %%r3, %%r2, %%r1;\n"
                 "st.shared.u32 [%%r0], %%r3;\nbar.warp.sync -1;\n"
                 "setp.lt.u32 %%p1, %%r2, 3;\n@%%p1 bra GIVE;\nbra END;\n"
                 "READER: mov.u32 %%r2, 0;\nmov.u32 %%r4, 0;\n"
                 "TAKE: bar.warp.sync -1;\nbar.warp.sync -1;\nadd.u32 %%r2, %%r2, 1;\n"
                 "ld.shared.u32 %%r3, [%%r0];\nmad.lo.u32 %%r4, %%r4, 100, %%r3;\n"
                 "setp.lt.u32 %%p1, %%r2, 3;\n@%%p1 bra TAKE;\n"
                 "st.global.u32 [%%mine], %%r4;\nEND:",
                 upper ? "lt" : "ge");
        RUN(.before = ".shared .align 4 .b8 s[64];", .body = body);
        for (uint32_t i = 0; i < 16; i++) /* 1, 2, 3 and the reader's own number in each */
            cr_expect_eq(out[i + (upper ? 0 : 16)], 10203 + 10101 * i, "%u: %u", i,
                         out[i + (upper ? 0 : 16)]);
    }
}

/* ptxas would not take it, either. */
Test(core, variables_have_at_most_48_KiB_of_shared_memory)
{
    RUN(.before = ".shared .align 4 .b8 s[49152];", .body = "st.shared.u32 [s+49148], %t;");
    expect_error(cudaErrorInvalidValue, "49156 bytes of __shared__ variables",
                 (struct program){.before = ".shared .align 4 .b8 s[49156];",
                                  .body = "st.shared.u32 [s], %t;"});
}

Test(core, endless_recursion_is_a_fault)
{
    struct program p = {.before = ".func f();\n.func f()\n{\ncall f;\nret;\n}\n",
                        .body = "call f;"};

    expect_error(cudaErrorIllegalAddress, "stack overflow: nested calls of f", p);
    launch_stack_limit[0] = 512 << 10;
    expect_error(cudaErrorLaunchFailure, "call stack overflow", p);
}

/* Each of n calls in the other keeps 16 bytes, or more: an H200 has 1024 at first, and faults. */
#define DOWN(name, next)                                                                           \
    ".func " name "(.param .b32 n)\n{\n.reg .b32 %n;\n.reg .pred %q;\n"                            \
    "ld.param.u32 %n, [n];\nsetp.eq.u32 %q, %n, 0;\n@%q ret;\nsub.u32 %n, %n, 1;\n"                \
    "{ .param .b32 a;\nst.param.b32 [a], %n;\ncall " next ", (a); }\nret;\n}\n"
#define BEGIN(n) "mov.u32 %r0, " n ";\n{ .param .b32 a;\nst.param.b32 [a], %r0;\ncall f, (a); }\n"
Test(core, recursion_has_a_stack)
{
    static const char *const before[] = {DOWN("f", "f"),
                                         ".func g(.param .b32 n);\n" DOWN("f", "g") DOWN("g", "f")};

    for (int k = 0; k < 2; k++) {
        RUN(.before = before[k], .body = BEGIN("64"));
        expect_error(cudaErrorIllegalAddress, "at least, and a stack has 1024",
                     (struct program){.before = before[k], .body = BEGIN("100")});
    }
    launch_stack_limit[0] = 2048;
    RUN(.before = before[0], .body = BEGIN("100"));
}

Test(core, endless_loops_meet_the_limit)
{
    setenv("WARPLAB_STEPS", "100000", 1);
    RUN(.body = "mov.u32 %r0, 0;\nTOP: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 1000;\n"
                "@%p0 bra TOP;");
    expect_error(cudaErrorLaunchTimeout, "more than 100000 steps (warp instructions",
                 (struct program){.body = "TOP: bra TOP;"});
}

/* 16 short blocks: what a worker does last is less than it counts at a time. */
Test(core, the_limit_is_met_with_any_number_of_workers)
{
    static const char *const workers[] = {"1", "2", "16"};
    struct program p = {.grid = 16,
                        .body = "mov.u32 %r0, 0;\nTOP: add.u32 %r0, %r0, 1;\n"
                                "setp.lt.u32 %p0, %r0, 200;\n@%p0 bra TOP;"};
    uint64_t before = launch_steps_taken();
    launch_set_steps(1ull << 40);
    cr_assert_eq(launch(p), cudaSuccess);
    uint64_t takes = launch_steps_taken() - before;
    for (size_t k = 0; k < sizeof(workers) / sizeof(workers[0]); k++) {
        setenv("WARPLAB_THREADS", workers[k], 1);
        launch_set_steps(takes);
        cr_expect_eq(launch(p), cudaSuccess, "%s workers", workers[k]);
        launch_set_steps(takes - 1);
        expect_error(cudaErrorLaunchTimeout, "k: more than", p);
    }
}

/* 4 instructions a turn: it is the time that an mma takes that ends it. */
Test(core, what_takes_long_counts_for_more)
{
    setenv("WARPLAB_STEPS", "100000", 1);
    expect_error(cudaErrorLaunchTimeout, "more than 100000 steps (warp instructions",
                 (struct program){
                     .body = "mov.u32 %r0, 0;\nmov.b32 %r1, 0;\n"
                             "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\n"
                             "mov.f32 %f3, %f0;\nTOP: add.u32 %r0, %r0, 1;\n"
                             "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, "
                             "{%r1,%r1}, {%r1}, {%f0,%f1,%f2,%f3};\nsetp.lt.u32 %p0, %r0, 10000;\n"
                             "@%p0 bra TOP;"});
}

Test(core, launches_that_do_not_fit_are_refused)
{
    expect_error(cudaErrorInvalidValue, "1025", (struct program){.body = "", .block = 1025});
    expect_error(cudaErrorInvalidValue, "600000 bytes of local memory",
                 (struct program){.body = ".local .b8 large[600000];\nst.local.u8 [large], 1;"});
    expect_error(cudaErrorInvalidValue, "233000 bytes of shared memory",
                 (struct program){.body = "", .shared = 233000});
    expect_error(cudaErrorInvalidValue, "__launch_bounds__ allow 64",
                 (struct program){.body = "", .block = 96, .attribute = ".maxntid 64, 1, 1"});
    expect_error(cudaErrorInvalidValue, "requires blocks of (64,1,1)",
                 (struct program){.body = "", .block = 32, .attribute = ".reqntid 64, 1, 1"});
}

/* One block of 200 kB fits a multiprocessor of the H200's 132, two of 100 kB do. */
Test(core, cooperative_launches_are_as_large_as_the_device)
{
    static const uint32_t shared[] = {200000, 100000};
    for (uint32_t k = 0; k < 2; k++) {
        RUN(.body = "", .cooperative = true, .grid = (k + 1) * 132, .shared = shared[k]);
        cr_expect_eq(result.blocks_per_sm, k + 1);
        expect_error(
            cudaErrorCooperativeLaunchTooLarge, "a cooperative launch needs them all",
            (struct program){
                .body = "", .cooperative = true, .grid = (k + 1) * 132 + 1, .shared = shared[k]});
        expect_error(cudaErrorCooperativeLaunchTooLarge, "a cooperative launch needs them all",
                     (struct program){.body = "",
                                      .cooperative = true,
                                      .grid = 12,
                                      .grid_yz = {11, k + 2},
                                      .shared = shared[k]});
        RUN(.body = "", .grid = (k + 1) * 132 + 1, .shared = shared[k]);
    }
}

#define BULK(bytes, from)                                                                          \
    "mov.b64 %d1, bar;\nsetp.eq.u32 %p0, %t, 0;\n@%p0 mbarrier.init.shared.b64 [%d1], 1;\n"        \
    "bar.sync 0;\n@!%p0 bra WAIT;\nst.global.u32 [%out+64], 7;\n"                                  \
    "mbarrier.arrive.expect_tx.shared.b64 %d2, [%d1], " bytes ";\ncvt.u32.u64 %r1, %d1;\n"         \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [row], [%out+" from         \
    "], " bytes ", [%r1];\n"                                                                       \
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%d1], 0;\n@!%p1 bra WAIT;\n"                  \
    "ld.shared.u32 %r2, [row+64];\nst.global.u32 [%mine+128], %r2;"
/* Has 200 values live at once. */
static const char *many_values(void)
{
    static char body[16384];
    int n = snprintf(body, sizeof(body), ".reg .b32 %%v<200>;\n");

    for (int i = 0; i < 200; i++)
        n += snprintf(body + n, sizeof(body) - (size_t)n, "add.u32 %%v%d, %%t, %d;\n", i, i);
    for (int i = 1; i < 200; i++)
        n += snprintf(body + n, sizeof(body) - (size_t)n, "xor.b32 %%v0, %%v0, %%v%d;\n", i);
    snprintf(body + n, sizeof(body) - (size_t)n, "st.global.u32 [%%mine], %%v0;");
    return body;
}
/* ptxas spills so that a block of __launch_bounds__ fits; an estimate must not say less. */
Test(core, launch_bounds_hold_without_machine_code)
{
    const char *body = many_values();
    RUN(.body = body, .block = 576, .attribute = ".maxntid 576, 1, 1"); /* 18 warps on 4 quarters */
    RUN(.body = body, .block = 1024, .attribute = ".maxntid 1024, 1, 1");
}
/* 65536 registers are 64 a thread: what machine code says refuses, what is guessed does not. */
/* What is known only by the text's first lines refuses a launch, and nothing else goes by it. */
Test(core, registers_that_machine_code_would_need_refuse)
{
    const char *body = many_values();
    RUN(.body = body, .block = 128);
    uint32_t blocks = result.blocks_per_sm;
    RUN(.body = body, .block = 128, .needed = 24);
    cr_expect_eq(result.blocks_per_sm, blocks);
    RUN(.body = body, .block = 1024, .needed = 64);
    expect_error(cudaErrorLaunchOutOfResources, "65 registers a thread are too many",
                 (struct program){.body = body, .block = 1024, .needed = 65});
}

Test(core, estimated_registers_refuse_nothing)
{
    const char *body = many_values();
    RUN(.body = body, .block = 1024);
    cr_expect_eq(result.blocks_per_sm, 1);
    RUN(.body = body, .block = 256, .cooperative = true, .grid = 8 * 132);
    expect_error(
        cudaErrorCooperativeLaunchTooLarge, "8 on each of 132",
        (struct program){.body = body, .block = 256, .cooperative = true, .grid = 8 * 132 + 1});
    RUN(.body = body, .block = 1024, .registers = 64);
    expect_error(cudaErrorLaunchOutOfResources,
                 "65 registers a thread are too many for a block of 1024 threads, which has 65536",
                 (struct program){.body = body, .block = 1024, .registers = 65});
    expect_error(
        cudaErrorCooperativeLaunchTooLarge, "1 on each of 132",
        (struct program){
            .body = body, .block = 256, .cooperative = true, .grid = 133, .registers = 208});
}

/* What does not fit a half or a byte is the nearest that does; c goes above (PTX ISA 9.7.9.22). */
Test(core, cvt_pack_clamps_and_packs)
{
    static const struct {
        const char *form;
        int a, b, c; /* -1: it takes none */
        uint32_t packed;
    } rows[] = {
        {"u8.s32.b32", 300, -5, 0x11112222, 0x2222ff00}, {"s8.s32.b32", 300, -300, 0, 0x7f80},
        {"s8.s32.b32", -2, 3, 0x7fff, 0x7ffffe03},       {"u16.s32", 70000, -1, -1, 0xffff0000},
        {"s16.s32", -70000, 70000, -1, 0x80007fff},      {"s16.s32", -2, 5, -1, 0xfffe0005},
    };

    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char body[512], c[16] = "";

        if (rows[k].c >= 0)
            snprintf(c, sizeof(c), ", %d", rows[k].c);
        snprintf(body, sizeof(body),
                 "mov.s32 %%r0, %d;\nmov.s32 %%r1, %d;\ncvt.pack.sat.%s %%r2, %%r0, %%r1%s;\n"
                 "st.global.u32 [%%out], %%r2;\n",
                 rows[k].a, rows[k].b, rows[k].form, c);
        RUN(.body = body, .block = 1);
        cr_expect_eq(out[0], rows[k].packed, "%s of %d, %d: %x", rows[k].form, rows[k].a, rows[k].b,
                     out[0]);
    }
    cr_expect_eq(launch((struct program){.body = "cvt.pack.sat.u8.s32 %r2, %r0, %r1;"}),
                 cudaErrorInvalidPtx);
    cr_expect_eq(launch((struct program){.body = "cvt.pack.u16.s32 %r2, %r0, %r1;"}),
                 cudaErrorInvalidPtx);
}

/* "%hd %hhx %x %s\n" of 0x1ffff three times and a string */
#define PRINTING                                                                                   \
    ".extern .func (.param .b32 n) vprintf(.param .b64 format, .param .b64 args);\n"               \
    ".global .b8 f[] = {37, 104, 100, 32, 37, 104, 104, 120, 32, 37, 120, 32, 37, 115, 10, 0};\n"  \
    ".global .b8 s[] = {111, 107, 0};\n"
#define PRINT(string)                                                                              \
    ".local .align 8 .b8 a[24];\n.reg .b64 %q, %g;\nmov.u64 %q, a;\ncvta.local.u64 %g, %q;\n"      \
    "mov.u32 %r0, 0x1ffff;\nst.local.v2.u32 [a], {%r0, %r0};\nst.local.u32 [a+8], %r0;\n" string   \
    "\nst.local.u64 [a+16], %d0;\nmov.u64 %d1, f;\ncvta.global.u64 %d1, %d1;\n"                    \
    "{ .param .b64 p0; .param .b64 p1; .param .b32 r;\nst.param.b64 [p0], %d1;\n"                  \
    "st.param.b64 [p1], %g;\ncall.uni (r), vprintf, (p0, p1); }"
#define PRINT_WITHOUT                                                                              \
    "mov.u64 %d1, f;\ncvta.global.u64 %d1, %d1;\n"                                                 \
    "{ .param .b64 p0; .param .b64 p1; .param .b32 r;\nst.param.b64 [p0], %d1;\n"                  \
    "st.param.b64 [p1], 0;\ncall.uni (r), vprintf, (p0, p1); }"
Test(core, printf_says_what_is_not_there)
{
    struct program none = {.before = PRINTING, .body = PRINT_WITHOUT, .block = 1};
    struct program no_string = {.before = PRINTING, .body = PRINT("mov.u64 %d0, 0;"), .block = 1};

    cr_expect_eq(launch(none), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "an argument that the format asks for is at 0x0"), "%s",
              emu_error_text());
    cr_expect_eq(launch(no_string), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "the format or a string is at 0x0"), "%s", emu_error_text());
}
Test(core, printf_takes_arguments_as_wide_as_it_says)
{
    FILE *printed = tmpfile();
    char line[64] = "";
    int screen = dup(STDOUT_FILENO);

    cr_assert(printed && screen >= 0 && dup2(fileno(printed), STDOUT_FILENO) >= 0);
    RUN(.before = PRINTING, .body = PRINT("mov.u64 %d0, s;\ncvta.global.u64 %d0, %d0;"),
        .block = 1);
    fflush(stdout);
    dup2(screen, STDOUT_FILENO);
    rewind(printed);
    cr_assert(fgets(line, sizeof(line), printed));
    cr_assert_str_eq(line, "-1 ff 1ffff ok\n");
}

/* What a thread prints, of a format and arguments of 4 or 8 bytes (ended by bytes 0). */
struct argument {
    uint32_t bytes;
    uint64_t value;
};
static const char *printed(const char *format, const struct argument *args)
{
    static char line[4096];
    char before[2048], body[2048];
    size_t n = 0, at = 0;
    FILE *file = tmpfile();
    int screen = dup(STDOUT_FILENO);

    n += (size_t)snprintf(before, sizeof(before),
                          ".extern .func (.param .b32 n) vprintf(.param .b64 format, "
                          ".param .b64 args);\n.global .b8 f[] = {");
    for (const char *p = format; *p; p++)
        n += (size_t)snprintf(before + n, sizeof(before) - n, "%d, ", *p);
    snprintf(before + n, sizeof(before) - n, "0};\n");
    n = (size_t)snprintf(body, sizeof(body),
                         ".local .align 8 .b8 a[128];\n.reg .b64 %%q, %%g;\nmov.u64 %%q, a;\n"
                         "cvta.local.u64 %%g, %%q;\n");
    for (; args->bytes; at += args++->bytes) {
        at = (at + args->bytes - 1) & ~(size_t)(args->bytes - 1);
        n += (size_t)snprintf(body + n, sizeof(body) - n, "mov.u64 %%d0, %lld;\n",
                              (long long)args->value);
        n += (size_t)snprintf(body + n, sizeof(body) - n, "st.local.u%u [a+%zu], %%d0;\n",
                              8 * args->bytes, at);
    }
    snprintf(body + n, sizeof(body) - n,
             "mov.u64 %%d1, f;\ncvta.global.u64 %%d1, %%d1;\n"
             "{ .param .b64 p0; .param .b64 p1; .param .b32 r;\nst.param.b64 [p0], %%d1;\n"
             "st.param.b64 [p1], %%g;\ncall.uni (r), vprintf, (p0, p1); }");
    cr_assert(file && screen >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    RUN(.before = before, .body = body, .block = 1);
    fflush(stdout);
    dup2(screen, STDOUT_FILENO);
    rewind(file);
    line[fread(line, 1, sizeof(line) - 1, file)] = 0;
    fclose(file);
    close(screen);
    return line;
}

#define HALF      0x3fe0000000000000 /* 0.5 */
#define NEARLY_PI 0x400921f9f01b866e /* 3.14159 */
Test(core, printf_writes_as_c_does)
{
    static const struct {
        const char *format;
        struct argument args[5];
        const char *printed;
    } rows[] = {
        {"plain", {{0}}, "plain"},
        {"%d %u %i|", {{4, -1}, {4, 0xffffffff}, {4, 7}}, "-1 4294967295 7|"},
        {"%5d|%-5d|%05d|%+d", {{4, 42}, {4, 42}, {4, 42}, {4, 42}}, "   42|42   |00042|+42"},
        {"%x %X %o %#x %%", {{4, 255}, {4, 255}, {4, 8}, {4, 16}}, "ff FF 10 0x10 %"},
        {"%c%c", {{4, 'o'}, {4, 'k'}}, "ok"},
        {"%lld %llx %ld", {{8, -5}, {8, 1ull << 40}, {8, 6}}, "-5 10000000000 6"},
        {"%d %lld %d", {{4, 1}, {8, 2}, {4, 3}}, "1 2 3"},
        {"%zu %d", {{8, 1ull << 33}, {4, 3}}, "8589934592 3"},
        {"%f %.2f %8.3f|", {{8, HALF}, {8, NEARLY_PI}, {8, NEARLY_PI}}, "0.500000 3.14    3.142|"},
        {"%e %g %d", {{8, HALF}, {8, HALF}, {4, 9}}, "5.000000e-01 0.5 9"},
        {"%*d|%-*d|", {{4, 5}, {4, 42}, {4, 4}, {4, 7}}, "   42|7   |"},
        {"%.*f|%d", {{4, 1}, {8, NEARLY_PI}, {4, 2}}, "3.1|2"},
        {"%p", {{8, 0x1234}}, "0x1234"},
        {"%", {{0}}, "%"},
    };

    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        const char *text = printed(rows[k].format, rows[k].args);
        cr_expect_str_eq(text, rows[k].printed, "%s: \"%s\"", rows[k].format, text);
    }
    const char *wide = printed("%1000d|%-1000d|", (struct argument[]){{4, 1}, {4, 2}, {0}});
    cr_expect_eq(strlen(wide), 2002, "%zu", strlen(wide));
    cr_expect(wide[999] == '1' && wide[1000] == '|' && wide[1001] == '2' && wide[2001] == '|');
}

Test(core, printf_says_whose_memory_a_string_is)
{
    static const struct program p = {.before = PRINTING, .body = PRINT("mov.u64 %d0, 0;")};

    cr_assert_eq(launch(p), cudaErrorIllegalAddress);
    cr_assert(strstr(emu_error_text(), "a string is at 0x0, the null pointer"), "%s",
              emu_error_text());
}

Test(core, bulk_copies_count_down_an_mbarrier)
{
    static const char room[] = ".shared .align 16 .b8 row[96];\n.shared .align 8 .b64 bar;";
    RUN(.block = 64, .before = room, .body = BULK("80", "0"));
    for (int i = 0; i < 64; i++)
        cr_expect_eq(out[32 + i], 7);
    expect_error(cudaErrorMisalignedAddress, "multiples of 16",
                 (struct program){.before = room, .body = BULK("72", "0")});
    expect_error(cudaErrorMisalignedAddress, "multiples of 16",
                 (struct program){.before = room, .body = BULK("80", "8")});
    expect_error(cudaErrorIllegalAddress, "out of bounds",
                 (struct program){.before = room, .body = BULK("160", "0")});
}

Test(core, registers_start_with_garbage_that_shows)
{
    RUN(.body = "add.f32 %f0, %f0, 0f3f800000;\nst.global.f32 [%mine], %f0;");
    cr_assert(isnan(*(float *)&out[3]));
    RUN(.before = ".func (.param .u32 y) f ()\n{\n.reg .u32 %x;\nst.param.u32 [y], %x;\nret;\n}\n",
        .body = "{\n.param .u32 r;\ncall (r), f, ();\nld.param.u32 %r0, [r];\n}\n"
                "st.global.u32 [%mine], %r0;");
    cr_assert_eq(out[3], UINT32_MAX);
}

#define CLUSTER_OF_2 .before = ".shared .u32 word[32];\n", .attribute = ".reqnctapercluster 2"
#define CLUSTER_SYNC "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
Test(core, blocks_of_a_cluster_see_each_others_shared_memory)
{
    /* each writes 100 * rank + t, and reads what lane 31 - t of the other one wrote */
    RUN(.body =
            "mov.u32 %r0, %cluster_ctarank;\nmad.lo.u32 %r1, %r0, 100, %t;\n"
            "mov.u32 %r2, word;\nmad.lo.u32 %r3, %t, 4, %r2;\nst.shared.u32 [%r3], "
            "%r1;\n" CLUSTER_SYNC "xor.b32 %r4, %r0, 1;\nmapa.shared::cluster.u32 %r5, %r2, %r4;\n"
            "getctarank.shared::cluster.u32 %r6, %r5;\nsub.u32 %r7, 31, %t;\n"
            "mad.lo.u32 %r5, %r7, 4, %r5;\nld.shared::cluster.u32 %r8, [%r5];\n"
            "mad.lo.u32 %r8, %r6, 1000, %r8;\n" CLUSTER_SYNC
            "mul.wide.u32 %d0, %cta, 128;\nadd.u64 %mine, %mine, %d0;\n"
            "st.global.u32 [%mine], %r8;",
        .grid = 6, CLUSTER_OF_2);
    for (uint32_t b = 0; b < 6; b++)
        for (uint32_t t = 0; t < 32; t++) {
            uint32_t other = (b & 1) ^ 1;
            cr_assert_eq(out[32 * b + t], 1000 * other + 100 * other + 31 - t, "block %u", b);
        }
    /* a cluster of one: the same code, its own memory */
    RUN(.body = "mov.u32 %r2, word;\nst.shared.u32 [%r2], 7;\n" CLUSTER_SYNC
                "mov.u32 %r0, %cluster_nctarank;\nmapa.shared::cluster.u32 %r5, %r2, 0;\n"
                "ld.shared::cluster.u32 %r1, [%r5];\nmad.lo.u32 %r1, %r0, 10, %r1;\n"
                "st.global.u32 [%mine], %r1;",
        .before = ".shared .u32 word[32];\n");
    cr_assert_eq(out[5], 17);
}

Test(core, what_goes_wrong_in_clusters_is_named)
{
    expect_error(cudaErrorInvalidClusterSize, "extents must divide the grid's",
                 (struct program){.body = "", .grid = 3, CLUSTER_OF_2});
    expect_error(cudaErrorIllegalAddress, "of block 2 of the cluster, which has fewer",
                 (struct program){.body =
                                      "mov.u32 %r2, word;\nmapa.shared::cluster.u32 %r5, %r2, 2;\n"
                                      "ld.shared::cluster.u32 %r1, [%r5];",
                                  .grid = 2,
                                  CLUSTER_OF_2});
    expect_error(
        cudaErrorLaunchTimeout, "barrier 1 is for 64 threads, 32 have come",
        (struct program){.body = "setp.eq.u32 %p0, %cta, 1;\n@%p0 bar.sync 1, 64;\n" CLUSTER_SYNC,
                         .grid = 4,
                         CLUSTER_OF_2});
    expect_error(
        cudaErrorLaunchTimeout, "block (2,0,0)",
        (struct program){.body = "setp.eq.u32 %p0, %cta, 2;\n@%p0 bar.sync 1, 64;\n" CLUSTER_SYNC,
                         .grid = 4,
                         CLUSTER_OF_2});
    expect_error(cudaErrorLaunchFailure, "second time without a wait",
                 (struct program){.body = "barrier.cluster.arrive;\nbarrier.cluster.arrive;",
                                  .grid = 2,
                                  CLUSTER_OF_2});
}

/* As the runtime tells them apart: another compiler would help, or none. */
Test(core, text_that_is_too_new_is_another_error)
{
    static const struct {
        const char *text;
        cudaError_t error;
    } rows[] = {
        {".version 99.0\n.target sm_80\n.address_size 64\n", cudaErrorUnsupportedPtxVersion},
        {".version 8.0\n.target sm_80\n.address_size 64\n.frobnicate\n", cudaErrorInvalidPtx},
    };
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        size_t length = strlen(rows[k].text);
        struct emu_module *m;
        cr_expect_eq(emu_module_load(&rows[k].text, &length, 1, "test", &m), rows[k].error, "%s",
                     emu_error_text());
    }
}

Test(core, unsupported_instructions_are_located)
{
    cr_expect_neq(launch((struct program){.body = "mov.u32 %r0, 1;\nfrobnicate.u32 %r0, %r0;"}),
                  cudaSuccess);
    cr_expect(strstr(emu_error_text(), "frobnicate"), "%s", emu_error_text());
    cr_expect(strstr(emu_error_text(), "line 18"), "%s", emu_error_text());
}
