/* bulk_test.c - what bulk copies and mbarriers of a cluster count, and what wrong ones are told.
 */
#include "testing.h"
#include <stdlib.h>
#include <string.h>

#define PAIR                                                                                       \
    .target = "sm_90", .grid = 2, .block = 1, .attribute = ".reqnctapercluster 2",                 \
    .before = ".shared .align 16 .b8 s[256];\n.shared .align 8 .b64 bar;\n"
#define MEET "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
/* A thread of each block: s in %r0, bar in %r1, its rank in %r2, the other's s and bar in %r3, %r4
 */
#define SET                                                                                        \
    "mov.u32 %r0, s;\nmov.u32 %r1, bar;\nmov.u32 %r2, %cluster_ctarank;\nxor.b32 %r5, %r2, 1;\n"   \
    "mapa.shared::cluster.u32 %r3, %r0, %r5;\nmapa.shared::cluster.u32 %r4, %r1, %r5;\n"           \
    ".reg .b16 %h;\nmbarrier.init.shared::cta.b64 [%r1], 1;\nsetp.eq.u32 %p1, %r2, 1;\n" MEET
#define END  "END:\n" MEET
#define WAIT "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra W;\n"

static void expect_fault(cudaError_t e, const char *words, const char *body)
{
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_expect_eq(launch((struct program){PAIR, .body = body}), e, "%s", emu_error_text());
    cr_expect(strstr(emu_error_text(), words), "%s", emu_error_text());
}

/* The same of all these words. */
static void expect_told(const char *const *words, const char *body)
{
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_expect_eq(launch((struct program){PAIR, .body = body}), cudaErrorLaunchTimeout, "%s",
                 emu_error_text());
    for (; *words; words++)
        cr_expect(strstr(emu_error_text(), *words), "no '%s' in %s", *words, emu_error_text());
}

/* One block brings both what they wait for, and says how much to both. */
Test(bulk, multicast_counts_once_what_it_reads)
{
    RUN(PAIR,
        .body = SET
        "mov.u16 %h, 3;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 64;\n"
        "mbarrier.arrive.shared::cta.b64 %d0, [%r1];\n@!%p1 bra SKIP;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%r0], [%out], 64, [%r1], %h;\nSKIP:\n" WAIT "mul.wide.u32 %d1, %r2, 4;\n"
        "add.u64 %d1, %d1, %out;\nst.global.u32 [%d1+256], 7;\n" END);
    cr_expect_eq(out[64], 7);
    cr_expect_eq(out[65], 7);
    cr_expect_eq(result.counters.global_ld_bytes, 64);
    cr_expect_eq(result.counters.global_ld_sectors, 2);
    cr_expect_eq(result.counters.shared_st_bytes, 128);
}

/* A phase that nobody completes is an error at once, not at the limit of steps. */
Test(bulk, names_an_mbarrier_that_is_never_complete)
{
    setenv("WARPLAB_STEPS", "100000000", 1);
    expect_fault(cudaErrorLaunchTimeout, "lacks 0 of them and 32 bytes",
                 SET "mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%r1], 96;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%r0], [%out], 64, [%r1];\n" WAIT END);
    expect_fault(cudaErrorLaunchTimeout, "for 1 arrivals, lacks 1 of them and was brought 64 bytes",
                 SET "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%r0], [%out], 64, [%r1];\n" WAIT END);
    expect_fault(cudaErrorLaunchTimeout,
                 "the mbarrier at byte 256 of shared memory, set up at PTX line",
                 SET "@%p1 bra END;\n" WAIT END);
    /* who waits is helped by one that has waited itself, and helps it */
    RUN(PAIR, .body = SET "mov.u32 %r6, 0;\n@%p1 bra SECOND;\n"
                          "AGAIN: mbarrier.arrive.shared::cluster.b64 _, [%r4];\n"
                          "SECOND: and.b32 %r7, %r6, 1;\n"
                          "V: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], %r7;\n"
                          "@!%p2 bra V;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 20;\n"
                          "@%p3 bra AGAIN;\n@!%p1 bra END;\n"
                          "mbarrier.arrive.shared::cluster.b64 _, [%r4];\n" END);
}

/* Block 0 waits for an arrival in the second phase of its own, block 1 for bytes at its own. */
Test(bulk, names_every_mbarrier_that_is_waited_for)
{
    expect_told(
        (const char *const[]){"the mbarrier at byte 256 of shared memory, set up at PTX line",
                              "for 1 arrivals, lacks 1 of them in a phase of parity 1, and "
                              "nobody is left",
                              "; so does a thread (warp 0 of block (1,0,0)) for the mbarrier "
                              "at byte 256 of shared memory",
                              "lacks 0 of them and 96 bytes in a phase of parity 0", NULL},
        SET "@%p1 bra SECOND;\nmbarrier.arrive.shared::cta.b64 %d0, [%r1];\n"
            "V: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 1;\n@!%p2 bra V;\n"
            "bra END;\nSECOND:\n"
            "mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%r1], 96;\n" WAIT END);
}

Test(bulk, says_what_is_wrong_in_a_cluster)
{
    expect_fault(cudaErrorIllegalAddress, "which has fewer blocks",
                 SET "mapa.shared::cluster.u32 %r4, %r1, 2;\n"
                     "mbarrier.arrive.shared::cluster.b64 _, [%r4];\n" END);
    expect_fault(cudaErrorIllegalAddress, "block 2 of the cluster, which has fewer blocks",
                 SET "mov.u16 %h, 6;\n@%p1 bra END;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster [%r0], [%out], 64, [%r1], %h;\n" END);
    expect_fault(cudaErrorIllegalAddress, "in another block of the cluster",
                 SET "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%r3], [%out], 64, [%r1];\n" END);
    expect_fault(cudaErrorLaunchFailure, "2 arrivals, where 1 are pending",
                 SET "mbarrier.arrive.shared.b64 %d0, [%r1], 2;\n" END);
    expect_fault(cudaErrorLaunchFailure, "goes on for 64 bytes that have not come",
                 SET "mbarrier.arrive.expect_tx.shared.b64 %d0, [%r1], 64;\n"
                     "mbarrier.arrive.shared.b64 %d0, [%r1];\n" END);
    expect_fault(cudaErrorIllegalAddress, "only arrivals",
                 SET "mov.b64 %d0, bar;\ncvta.shared.u64 %d0, %d0;\nmapa.u64 %d1, %d0, %r5;\n"
                     "mbarrier.test_wait.parity.b64 %p2, [%d1], 0;\n" END);
    expect_fault(cudaErrorIllegalAddress, "which has ended",
                 SET "@%p1 bra END;\nnanosleep.u32 100;\nbra GO;\nGO:\n"
                     "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r3], 1, [%r4];\n"
                     "END:");
}

Test(bulk, a_cluster_of_one_block_is_one)
{
    static const char body[] = "mov.pred %p0, %is_explicit_cluster;\nselp.u32 %r0, 1, 0, %p0;\n"
                               "st.global.u32 [%out], %r0;";

    RUN(.target = "sm_90", .body = body);
    cr_expect_eq(out[0], 0);
    RUN(.target = "sm_90", .attribute = ".reqnctapercluster 1", .body = body);
    cr_expect_eq(out[0], 1);
}

/* As on an H200: an illegal instruction in a launch without clusters, not in one of one block each.
 */
Test(bulk, elements_are_sent_in_clusters_alone)
{
    static const char *const ways[] = {
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r0], 1, [%r1];\n",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
        "[%r0], 1, [%r1];\n",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
        "[%r0], [%r0+16], 16, [%r1];\n",
    };

    for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++) {
        char body[512];

        snprintf(body, sizeof(body),
                 "mov.u32 %%r0, s;\nadd.u32 %%r1, %%r0, 256;\n"
                 "mbarrier.init.shared::cta.b64 [%%r1], 1;\n%s",
                 ways[k]);
        RUN(.target = "sm_90", .attribute = ".reqnctapercluster 1",
            .before = ".shared .align 16 .b8 s[512];", .block = 1, .body = body);
        cr_expect_eq(launch((struct program){.target = "sm_90",
                                             .before = ".shared .align 16 .b8 s[512];",
                                             .block = 1,
                                             .body = body}),
                     cudaErrorIllegalInstruction, "%s", ways[k]);
        cr_expect(strstr(emu_error_text(), "needs a launch with clusters"), "%s", emu_error_text());
    }
}
