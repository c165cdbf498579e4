/* async_test.c - what the checker says of reads by the asynchronous proxy: kernels as the
 * interpreter runs them, right ones and those with one thing missing.
 */
#include "emulator/exec/testing.h"
#include "emulator/runtime/warplab.h"
#include <string.h>

#define VARIABLES ".shared .align 1024 .b8 s[4096];\n.shared .align 8 .b64 bar;"
/* a at s, b behind 2048 bytes, as in exec/wgmma_test.c, by threads 0 to 127 */
#define FILL                                                                                       \
    "mov.u32 %r9, bar;\nmov.u32 %r0, s;\nshl.b32 %r1, %t, 5;\nadd.u32 %r1, %r1, %r0;\n"            \
    "mov.b32 %r2, 0x3c003c00;\nsetp.ge.u32 %p3, %t, 128;\nsetp.ne.u32 %p2, %t, 0;\n"               \
    "@%p2 bra STORE;\nmbarrier.init.shared.b64 [%r9], 1;\nSTORE: @%p3 bra READY;\n"                \
    "st.shared.v4.b32 [%r1], {%r2, %r2, %r2, %r2};\n"                                              \
    "st.shared.v4.b32 [%r1+16], {%r2, %r2, %r2, %r2};\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
#define MEET                                                                                       \
    "READY: bar.sync 0;\nshr.u32 %r3, %r0, 4;\ncvt.u64.u32 %d0, %r3;\nadd.u64 %d1, %d0, 128;\n"    \
    "or.b64 %d0, %d0, 0x0000001000080000;\nor.b64 %d1, %d1, 0x0000001000080000;\n"                 \
    "setp.eq.u32 %p0, %t, 999;\n"
#define MULTIPLY                                                                                   \
    "wgmma.fence.sync.aligned;\n"                                                                  \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, %p0, "      \
    "1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
#define WAIT "wgmma.wait_group.sync.aligned 0;\n"

/* Of its findings one is of this kind, with these words; NULL: there is none. A wait by one of four
 * warps may come before another's store: that is a race besides. */
static void expect(const char *kind, const char *words, uint32_t threads, const char *body)
{
    size_t before = warplabFindingCount(), n;
    bool found = false;
    warplabSetCheck(1);
    cr_assert(freopen("/dev/null", "w", stderr));
    RUN(.target = "sm_90a", .before = VARIABLES, .block = threads, .body = body);
    n = warplabFindingCount();
    for (size_t k = before; k < n; k++)
        found |= !kind || (strstr(warplabFinding(k), kind) && strstr(warplabFinding(k), words));
    cr_assert_eq(found, kind != NULL, "%zu: %s", n - before,
                 n > before ? warplabFinding(before) : body);
}

Test(async, products_need_a_proxy_fence)
{
    expect(NULL, NULL, 128, FILL FENCE MEET MULTIPLY WAIT);
    expect(NULL, NULL, 128, FILL MEET FENCE MULTIPLY WAIT);
    expect("\"async-proxy\"", "ordinary store", 128, FILL MEET MULTIPLY WAIT);
    expect("\"async-proxy\"", "ordinary store", 128, FENCE FILL MEET MULTIPLY WAIT);
    expect("\"async-proxy\"", "ordinary store", 128,
           FILL "fence.proxy.async.global;\n" MEET MULTIPLY WAIT);
}

/* Another warp's thread arrives before the barrier that follows the set-up, or behind it. */
#define OTHER                                                                                      \
    "setp.ne.u32 %p1, %t, 32;\n@%p1 bra NOT;\nmbarrier.arrive.shared.b64 %d5, [%r9];\nNOT:\n"
Test(async, an_mbarrier_is_set_up_before_it_is_used)
{
    expect("\"mbarrier-early\"", "sets it up, and nothing orders that", 64, FILL FENCE OTHER MEET);
    expect(NULL, NULL, 64, FILL FENCE MEET OTHER);
}

#define ASK_FOR_WORDS                                                                              \
    "mov.u32 %r9, bar;\nmov.u32 %r0, s;\nshl.b32 %r1, %t, 4;\nadd.u32 %r1, %r1, %r0;\n"            \
    "st.global.v2.u64 [%out], {%out, %out};\nbar.sync 0;\n"                                        \
    "cp.async.ca.shared.global [%r1], [%out], 16;\n"
#define READ_WORD "ld.shared.b32 %r5, [%r1];\n"
Test(async, copies_of_a_thread_are_waited_for)
{
    expect(NULL, NULL, 32,
           ASK_FOR_WORDS "cp.async.commit_group;\ncp.async.wait_group 0;\n" READ_WORD);
    expect("\"async-unwaited\"", "nobody has waited for that", 32,
           ASK_FOR_WORDS "cp.async.commit_group;\ncp.async.wait_group 1;\n" READ_WORD);
}

/* What was committed, and what the last wait behind that left under way. */
#define COMMIT   "cp.async.commit_group;\n"
#define LEAVE(n) ".loc 1 8 0\ncp.async.wait_group " #n ";\n"
Test(async, a_copy_that_a_wait_leaves_under_way_is_told_by_its_group)
{
    expect("\"async-unwaited\"", "has committed no group", 32, ASK_FOR_WORDS LEAVE(0) READ_WORD);
    expect("\"async-unwaited\"", "has not waited (cp.async.wait_group) since", 32,
           ASK_FOR_WORDS LEAVE(0) COMMIT READ_WORD);
    expect("\"async-unwaited\"", "k.cu:8, its thread's last wait, leaves the last group under way",
           32, ASK_FOR_WORDS COMMIT LEAVE(1) READ_WORD);
    expect("\"async-unwaited\"",
           "leaves the last 3 groups under way, and the copy's was one of "
           "them, with 1 behind it",
           32, ASK_FOR_WORDS COMMIT COMMIT LEAVE(3) READ_WORD);
    expect("\"async-unwaited\"", "leave fewer under way", 32,
           ASK_FOR_WORDS COMMIT LEAVE(1) READ_WORD);
    expect("\"async-unwaited\"", "between it and the wait before no group was committed", 32,
           ASK_FOR_WORDS COMMIT LEAVE(1) LEAVE(1) READ_WORD);
    expect(NULL, NULL, 32, ASK_FOR_WORDS COMMIT COMMIT LEAVE(1) READ_WORD);
}

Test(async, products_read_until_they_are_waited_for)
{
    expect(NULL, NULL, 128,
           FILL FENCE MEET MULTIPLY WAIT "bar.sync 0;\nst.shared.b32 [%r1], %r2;\n");
    expect("\"async-overwrite\"", "nobody has waited", 128,
           FILL FENCE MEET MULTIPLY "bar.sync 0;\nst.shared.b32 [%r1], %r2;\n" WAIT);
}

/* A fifth warp writes b again when one of four says so: before its wait, after. */
#define WRITER                                                                                     \
    "bra END;\nWRITER: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 0;\n@!%p1 bra WRITER;\n"    \
    "and.b32 %r4, %t, 31;\nmad.lo.u32 %r4, %r4, 4, %r0;\nst.shared.b32 [%r4+2048], %r2;\nEND:"
#define SAY "@%p2 bra SAID;\nmbarrier.arrive.shared.b64 %d5, [%r9];\nSAID:\n"
Test(async, memory_is_given_back_after_the_wait)
{
    expect(NULL, NULL, 160, FILL FENCE MEET "@%p3 bra WRITER;\n" MULTIPLY WAIT SAY WRITER);
    expect("\"shared-race\"", "", 160,
           FILL FENCE MEET "@%p3 bra WRITER;\n" MULTIPLY SAY WAIT WRITER);
}

#define STORE                                                                                      \
    "@%p2 bra END;\ncp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], 1024;\n"            \
    "cp.async.bulk.commit_group;\n"
Test(async, copies_read_until_they_are_waited_for)
{
    expect(NULL, NULL, 128,
           FILL FENCE MEET STORE
           "cp.async.bulk.wait_group.read 0;\nst.shared.b32 [%r0+64], %r2;\nEND:");
    expect("\"async-overwrite\"", "nobody has waited", 128,
           FILL FENCE MEET STORE "st.shared.b32 [%r0+64], %r2;\ncp.async.bulk.wait_group 0;\nEND:");
    expect("\"async-proxy\"", "ordinary store", 128,
           FILL MEET STORE "cp.async.bulk.wait_group 0;\nEND:");
}

/* Thread 0 asks, and a thread of its warp waits. */
#define WAITED_FOR_BY(lane, more)                                                                  \
    FILL FENCE MEET "@%p2 bra OTHERS;\n"                                                           \
                    "cp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], 1024;\n"           \
                    "cp.async.bulk.commit_group;\nOTHERS: setp.ne.u32 %p1, %t, " lane ";\n"        \
                    "@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" more
#define FILL_AGAIN "st.shared.b32 [%r1], %r2;\n"
Test(async, copies_are_waited_for_by_the_thread_that_asked)
{
    expect(NULL, NULL, 128, WAITED_FOR_BY("0", FILL_AGAIN));
    expect("\"async-overwrite\"", "wait_group before the memory", 128,
           WAITED_FOR_BY("1", FILL_AGAIN));
    expect("\"async-left\"", "goes with the block", 128, WAITED_FOR_BY("1", ""));
    /* its group is that of who commits it */
    expect("\"async-left\"", "", 128,
           FILL FENCE MEET
           "@!%p2 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], 1024;\n"
           "@%p2 cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
}

#define LOAD                                                                                       \
    "@%p2 bra END;\nst.global.v2.u64 [%out], {%out, %out};\n"                                      \
    "mbarrier.arrive.expect_tx.shared.b64 %d5, [%r9], 16;\n"                                       \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0+16], [%out], 16, "     \
    "[%r9];\n"
#define LANDED "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 0;\n@!%p1 bra W;\n"
Test(async, who_asked_for_a_copy_waits_for_it_as_others_do)
{
    expect(NULL, NULL, 32, FILL FENCE MEET LOAD LANDED "ld.shared.b32 %r5, [%r0+16];\nEND:");
    expect("\"async-unwaited\"", "has it copied there", 32,
           FILL FENCE MEET LOAD "ld.shared.b32 %r5, [%r0+16];\n" LANDED "END:");
}

/* As above, and it is of these two lines. */
static void expect_lines(const char *kind, unsigned line, unsigned other, uint32_t threads,
                         const char *body)
{
    char words[80];
    size_t before = warplabFindingCount(), found = 0;

    expect(kind, "", threads, body);
    for (size_t k = before; k < warplabFindingCount(); k++) {
        snprintf(words, sizeof(words), "\"line\":%u", line);
        found += strstr(warplabFinding(k), words) != NULL;
        snprintf(words, sizeof(words), "k.cu:%u ", other);
        found += strstr(warplabFinding(k), words) != NULL;
    }
    cr_assert_eq(found, 2, "%s", warplabFinding(before));
}

/* Thread 0 has 16 bytes copied to s + 16, in line 7; all meet, and read them in line 9. */
#define COPY(to, bytes)                                                                            \
    ".loc 1 7 0\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0+" to       \
    "], [%out], " bytes ", [%r9];\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared.b64 %d5, [%r9], " bytes ";\n"
#define ASK_NOW(copies)                                                                            \
    "@%p2 bra ASKED;\nst.global.v2.u64 [%out], {%out, %out};\n" copies                             \
    ".loc 1 8 0\nASKED: bar.sync 0;\n"
#define ASK(copies) FILL FENCE MEET ASK_NOW(copies)
#define READ(at)    ".loc 1 9 0\nld.shared.b32 %r5, [%r0+" at "];\n"
Test(async, a_copy_has_come_for_those_who_know)
{
    expect(NULL, NULL, 128, ASK(EXPECT("16") COPY("16", "16")) LANDED READ("16"));
    expect_lines("\"async-unwaited\"", 9, 7, 128, ASK(EXPECT("16") COPY("16", "16")) READ("16"));
    /* one warp waits for all */
    expect(NULL, NULL, 128,
           ASK(EXPECT("16") COPY("16", "16")) "setp.ge.u32 %p0, %t, 32;\n@%p0 bra KNOWN;\n" LANDED
                                              "KNOWN: bar.sync 0;\n" READ("16"));
    expect(NULL, NULL, 128, ASK(EXPECT("16") COPY("16", "16")) READ("32") LANDED);
}

Test(async, a_phase_that_was_not_this_ones_says_nothing)
{
    expect_lines("\"async-unwaited\"", 9, 7, 128,
                 FILL FENCE MEET "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 1;\n@!%p1 bra "
                                 "W;\nbar.sync 0;\n" ASK_NOW(EXPECT("16") COPY("16", "16"))
                                     READ("16"));
    /* fewer bytes than come: the phase is complete too soon */
    expect_lines("\"async-unwaited\"", 9, 7, 128,
                 ASK(EXPECT("16") COPY("16", "16") COPY("32", "16")) LANDED READ("32"));
    expect(NULL, NULL, 128, ASK(EXPECT("32") COPY("16", "16") COPY("32", "16")) LANDED READ("32"));
}

/* The second copy's bytes complete phases that nobody reads behind. */
Test(async, bytes_that_nobody_expects_are_told_of_at_the_end)
{
    expect("\"async-unwaited\"", "16 bytes more came", 128,
           ASK(EXPECT("16") COPY("16", "16") COPY("32", "16")) LANDED READ("16"));
    expect("\"async-unwaited\"", "does expect_tx name", 128,
           ASK("mbarrier.arrive.shared.b64 %d5, [%r9];\n" COPY("16", "16")) LANDED READ("48"));
}

#define EARLY "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 1;\n@!%p1 bra W;\n"
Test(async, of_an_mbarrier_it_is_said_what_came_to_it)
{
    expect("\"async-unwaited\"",
           "has been told to expect 16 bytes in all (k.cu:8), and 32 have come", 128,
           ASK(".loc 1 8 0\n" EXPECT("16") COPY("16", "16") COPY("32", "16")) LANDED READ("32"));
    expect("\"async-unwaited\"", "Does expect_tx name the bytes of all copies?", 128,
           ASK(EXPECT("16") COPY("16", "16") COPY("32", "16")) LANDED READ("32"));
    expect("\"async-unwaited\"", "counts it in round 1 (parity 0); this warp's last wait for it",
           128,
           FILL FENCE MEET EARLY "bar.sync 0;\n" ASK_NOW(EXPECT("16") COPY("16", "16")) READ("16"));
    expect("\"async-unwaited\"", "was for parity 1 before its first round was over", 128,
           FILL FENCE MEET EARLY "bar.sync 0;\n" ASK_NOW(EXPECT("16") COPY("16", "16")) READ("16"));
    expect("\"async-left\"", "counts it in round 1 (parity 0), and nobody has waited for any", 128,
           ASK(EXPECT("16") COPY("16", "16")));
    expect("\"async-left\"",
           "counts it in round 2 (parity 1), and the last wait for it (k.cu:8) was "
           "for round 1 (parity 0)",
           128,
           ASK(EXPECT("16") COPY("16", "16")) LANDED "bar.sync 0;\n@%p2 bra END;\n" EXPECT("16")
               COPY("48", "16") "END:");
}

Test(async, a_missing_fence_keeps_its_advice_beside_bytes_that_nobody_expects)
{
    expect("\"async-proxy\"", "fence.proxy.async after the stores", 128,
           FILL MEET ASK_NOW(EXPECT("16") COPY("16", "16") COPY("32", "16")) LANDED STORE
           "cp.async.bulk.wait_group 0;\nEND:");
}

Test(async, a_place_is_written_again_when_its_copy_has_come)
{
    expect_lines("\"async-unwaited\"", 9, 7, 128,
                 ASK(EXPECT("16") COPY("16", "16")) ".loc 1 9 0\n@%p2 bra END;\n"
                                                    "st.shared.b32 [%r0+20], %r2;\nEND:");
    expect("\"async-unwaited\"", "readers must have waited", 128,
           ASK(EXPECT("32") COPY("16", "16") COPY("16", "16")));
    expect("\"async-left\"", "\"line\":7", 128, ASK(EXPECT("16") COPY("16", "16")));
}

Test(async, copies_are_over_when_the_block_is)
{
    expect("\"async-left\"", "goes with the block", 128, FILL FENCE MEET STORE "END:");
    expect(NULL, NULL, 128, FILL FENCE MEET STORE "cp.async.bulk.wait_group.read 0;\nEND:");
}

#define WAIT_FOR(label, parity)                                                                    \
    label ": mbarrier.try_wait.parity.shared.b64 %p1, [%r9], " parity ";\n@!%p1 bra " label ";\n"
/* Warp 0 has s copied away, the third one writes there when the mbarrier says so, which is made for
 * one arrival: that of the second warp. Warp 0 arrives, too, after its wait. */
#define ARRIVES "mbarrier.arrive.shared.b64 %d5, [%r9];\n"
#define GIVE(wait, arrive)                                                                         \
    "setp.ge.u32 %p1, %t, 64;\n@%p1 bra WRITER;\nsetp.ge.u32 %p1, %t, 32;\n@%p1 bra SECOND;\n"     \
    "@%p2 bra ASKED;\ncp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], 1024;\n"          \
    "cp.async.bulk.commit_group;\n" wait "ASKED: bar.sync 1, 64;\n@%p2 bra END;\n"                 \
    "cp.async.bulk.wait_group.read 0;\n" arrive                                                    \
    "bra END;\nSECOND: setp.ne.u32 %p1, %t, 32;\n@%p1 bra END;\n"                                  \
    ".loc 1 8 0\nmbarrier.arrive.shared.b64 %d5, [%r9];\nbra END;\n"                               \
    "WRITER: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 0;\n@!%p1 bra WRITER;\n"
#define OVER(by) by "bar.sync 1, 64;\nEND:"
#define BY_STORE OVER("st.shared.b32 [%r0+64], %r2;\n")
#define BY_COPY                                                                                    \
    "setp.ne.u32 %p1, %t, 64;\n@%p1 bra BROUGHT;\n"                                                \
    "st.global.v2.u64 [%out], {%out, %out};\n"                                                     \
    "mbarrier.init.shared.b64 [%r0+4000], 1;\n"                                                    \
    "mbarrier.arrive.expect_tx.shared.b64 %d5, [%r0+4000], 16;\n"                                  \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0+64], [%out], "         \
    "16, [%r0+4000];\nX: mbarrier.try_wait.parity.shared.b64 %p1, [%r0+4000], 0;\n@!%p1 bra "      \
    "X;\n" OVER("BROUGHT: ")
Test(async, who_overwrites_what_others_ask_for_is_told_of_their_wait)
{
    expect("\"async-overwrite\"", "who asked must wait for it (wait_group) before the barrier", 96,
           FILL FENCE MEET GIVE("", "") BY_STORE);
    expect("\"async-overwrite\"", "only then have arrived at the mbarrier", 96,
           FILL FENCE MEET GIVE("", "") BY_COPY);
    expect("\"async-overwrite\"", "made for 1 arrival (", 96,
           FILL FENCE MEET GIVE("", ARRIVES) BY_COPY);
    expect("\"async-overwrite\"", "the threads that arrive there (k.cu:8) make 2, once each", 96,
           FILL FENCE MEET GIVE("", ARRIVES) BY_COPY);
}

Test(async, waits_that_are_there_and_do_not_help_are_named)
{
    expect("\"async-overwrite\"", "leaves the last group under way, and that was this one", 96,
           FILL FENCE MEET GIVE("cp.async.bulk.wait_group.read 1;\n", "") BY_COPY);
    expect("\"async-overwrite\"", "by parity 0, as the time before (k.cu:9)", 96,
           FILL FENCE MEET GIVE("", "") ".loc 1 9 0\n" WAIT_FOR("Z", "0") BY_COPY);
}

/* The words of a deadlock say what came to the mbarrier. */
static void expect_deadlock(const char *words, const char *body)
{
    size_t before = warplabFindingCount();

    warplabSetCheck(1);
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_expect_eq(launch((struct program){
                     .target = "sm_90a", .before = VARIABLES, .block = 64, .body = body}),
                 cudaErrorLaunchTimeout);
    cr_assert_gt(warplabFindingCount(), before);
    cr_expect(strstr(warplabFinding(before), words), "%s", warplabFinding(before));
}
Test(async, a_deadlock_tells_of_the_rounds_that_were)
{
    expect_deadlock("0 rounds of it are over; warp 0 has waited for it 0 times before; nobody has "
                    "ever arrived at it)",
                    FILL FENCE MEET WAIT_FOR("W", "0"));
    expect_deadlock(
        "2 rounds of it are over; warp 0 has waited for it 1 time before, last by parity "
        "0, too)",
        FILL FENCE MEET "@%p2 bra W;\n" ARRIVES WAIT_FOR(
            "W", "0") "bar.sync 0;\n@%p2 bra V;\n" ARRIVES WAIT_FOR("V", "0"));
    expect_deadlock("the threads that have ever arrived at it make 1 arrival, once each)",
                    FILL FENCE MEET
                    "@%p2 bra W;\nmbarrier.init.shared.b64 [%r9], 3;\n" ARRIVES WAIT_FOR("W", "0"));
}

/* Line 7 multiplies, line 9 has its sums; line 11 multiplies again. */
#define PRODUCT(line)                                                                              \
    ".loc 1 " line " 0\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "                        \
    "{%f0, %f1, %f2, %f3}, %d0, %d1, %p0, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
#define ORDER "wgmma.fence.sync.aligned;\n"
#define SUMS  ".loc 1 9 0\nadd.f32 %f0, %f0, %f1;\n"
Test(async, sums_are_there_after_the_wait)
{
    expect(NULL, NULL, 128, FILL FENCE MEET ORDER PRODUCT("7") WAIT SUMS);
    expect_lines("\"wgmma-registers\"", 9, 7, 128, FILL FENCE MEET ORDER PRODUCT("7") SUMS WAIT);
    expect_lines("\"wgmma-registers\"", 9, 7, 128,
                 FILL FENCE MEET ORDER PRODUCT("7") "wgmma.wait_group.sync.aligned 1;\n" SUMS WAIT);
    /* products may follow one another, and a move is the compiler's */
    expect(NULL, NULL, 128, FILL FENCE MEET ORDER PRODUCT("7") PRODUCT("11") WAIT SUMS);
    expect(NULL, NULL, 128,
           FILL FENCE MEET ORDER PRODUCT("7") ".reg .f32 %g;\nmov.f32 %g, %f0;\n" WAIT SUMS);
    expect_lines("\"wgmma-registers\"", 9, 7, 128,
                 FILL FENCE MEET ORDER PRODUCT("7") ".reg .f32 %g;\nmov.f32 %g, %f0;\n"
                                                    ".loc 1 9 0\nadd.f32 %g, %g, %g;\n" WAIT);
}

Test(async, a_fence_keeps_products_behind_what_touched_their_registers)
{
    expect_lines("\"wgmma-registers\"", 11, 9, 128,
                 FILL FENCE MEET ORDER PRODUCT("7") WAIT SUMS PRODUCT("11") WAIT);
    expect(NULL, NULL, 128, FILL FENCE MEET ORDER PRODUCT("7") WAIT SUMS ORDER PRODUCT("11") WAIT);
    expect("\"wgmma-registers\"", "something before it", 128, FILL FENCE MEET PRODUCT("7") WAIT);
}

/* ---- two blocks, of a thread each ---- */
#define SYNC "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
#define SET                                                                                        \
    "mov.u32 %r0, s;\nmov.u32 %r9, bar;\nmov.u32 %r2, %cluster_ctarank;\nxor.b32 %r5, %r2, 1;\n"   \
    "mapa.shared::cluster.u32 %r3, %r0, %r5;\nmapa.shared::cluster.u32 %r4, %r9, %r5;\n"           \
    "setp.eq.u32 %p1, %r2, 1;\n.loc 1 5 0\nmbarrier.init.shared::cta.b64 [%r9], 1;\n.loc 1 6 0\n"
#define WHILE(n)                                                                                   \
    "mov.u32 %r6, 0;\nL: add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, " n ";\n@%p3 bra L;\n"
#define ARRIVE ".loc 1 7 0\nmbarrier.arrive.shared::cluster.b64 _, [%r4];\n.loc 1 8 0\n"
static void expect_pair(const char *kind, const char *words, const char *body)
{
    size_t before = warplabFindingCount();
    bool found = false;

    warplabSetCheck(1);
    cr_assert(freopen("/dev/null", "w", stderr));
    RUN(.target = "sm_90", .before = VARIABLES, .grid = 2, .block = 1,
        .attribute = ".reqnctapercluster 2", .body = body);
    for (size_t k = before; k < warplabFindingCount(); k++)
        found |= !kind || (strstr(warplabFinding(k), kind) && strstr(warplabFinding(k), words));
    cr_assert_eq(found, kind != NULL, "%zu: %s", warplabFindingCount() - before,
                 warplabFindingCount() > before ? warplabFinding(before) : body);
}

/* The second block arrives at the first one's mbarrier. */
Test(async, a_cluster_meets_before_and_after)
{
    expect_pair(NULL, NULL, SET SYNC "@!%p1 bra END;\n" ARRIVE "END: " SYNC);
    expect_pair(NULL, NULL,
                SET SYNC "@%p1 bra ARRIVE;\n" LANDED "bra END;\nARRIVE: " ARRIVE "END:");
    expect_pair("\"cluster-barrier\"", "k.cu:5 sets it up",
                SET "@!%p1 bra END;\n" ARRIVE "END: " SYNC);
    expect_pair("\"cluster-barrier\"", "k.cu:5 has set it up",
                SET SYNC "@!%p1 bra WHILE;\n" ARRIVE "bra END;\nWHILE:" WHILE("9000") "END:");
}

/* The second block has a copy, waits and reads, in line 9; then the first copies to that place. */
#define OWN "st.global.v2.u64 [%out], {%out, %out};\n" EXPECT("16") COPY("0", "16") LANDED READ("0")
#define FOREIGN                                                                                    \
    ".loc 1 7 0\ncp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], "   \
    "[%r0], 16, [%r4];\n"
#define BROUGHT "V: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 1;\n@!%p1 bra V;\n"
Test(async, another_blocks_copy_comes_when_readers_have_done)
{
    expect_pair("\"async-overwrite\"", "k.cu:9 reads it, in another block",
                SET SYNC "@!%p1 bra FOREIGN;\n" OWN EXPECT("16") BROUGHT
                "bra END;\n"
                "FOREIGN: st.shared.v2.u64 [%r0], {%out, %out};\n" FENCE FOREIGN "END: " SYNC);
    expect_pair(NULL, NULL,
                SET SYNC "@!%p1 bra FOREIGN;\n" OWN EXPECT("16") SYNC BROUGHT
                "bra END;\n"
                "FOREIGN: st.shared.v2.u64 [%r0], {%out, %out};\n" FENCE SYNC FOREIGN "END: " SYNC);
}

#define SEND(to, at, barrier)                                                                      \
    ".loc 1 7 0\nst.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [" to "+" at            \
    "], 1, [" barrier "];\n"
#define ADD                                                                                        \
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r0+16], 1, " \
    "[%r9];\n"
#define STORE_BESIDE "st.shared.b32 [%r0+20], %r2;\n"
/* To the block's own memory, of one thread; to the other's, where both meet. */
Test(async, an_element_has_come_for_those_who_know)
{
    expect_pair(NULL, NULL, SET EXPECT("4") SEND("%r0", "16", "%r9") LANDED READ("16") SYNC);
    expect_pair("\"async-unwaited\"", "k.cu:7 sends it there",
                SET EXPECT("4") SEND("%r0", "16", "%r9") READ("16") LANDED SYNC);
    expect_pair("\"async-left\"", "\"line\":7", SET EXPECT("4") SEND("%r0", "16", "%r9") SYNC);
    /* the word beside it is another's */
    expect_pair(NULL, NULL,
                SET EXPECT("4") SEND("%r0", "16", "%r9") STORE_BESIDE READ("20") LANDED SYNC);
    expect_pair(NULL, NULL, SET EXPECT("8") ADD ADD LANDED READ("16") SYNC);
    expect_pair("\"async-unwaited\"", "sends it there", SET EXPECT("8") ADD ADD READ("16") SYNC);

    expect_pair(NULL, NULL, SET EXPECT("4") SYNC SEND("%r3", "16", "%r4") LANDED READ("16") SYNC);
    expect_pair("\"async-unwaited\"", "k.cu:7 sends it there",
                SET EXPECT("4") SYNC SEND("%r3", "16", "%r4") SYNC READ("16") LANDED SYNC);
}

/* The second block has a copy that it does not wait for; then the first, which has waited for its
 * own mbarrier, copies to that place. */
#define ASK_OWN  "st.global.v2.u64 [%out], {%out, %out};\n" EXPECT("16") COPY("0", "16")
#define COPY_OUT "st.shared.v2.u64 [%r0], {%out, %out};\n" WAIT_FOR("V", "0") FENCE SYNC FOREIGN
Test(async, who_has_not_arrived_where_a_copy_waited_is_told)
{
    expect_pair(
        "\"async-unwaited\"",
        "made for 1 arrival (k.cu:5): 1 round of it was over, and no thread of block (1,0,0), "
        "where the place is, had arrived there; is it made for as many as arrive",
        SET SYNC "@!%p1 bra FOREIGN;\n" ASK_OWN SYNC LANDED "bra END;\nFOREIGN: " ARRIVES COPY_OUT
                 "END: " SYNC);
    expect_pair("\"async-unwaited\"", "its readers must have waited for the copy",
                SET SYNC "@!%p1 bra FOREIGN;\n" ASK_OWN ARRIVE SYNC LANDED
                         "bra END;\nFOREIGN: " COPY_OUT "END: " SYNC);
}
