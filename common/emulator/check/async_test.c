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

#define LOAD                                                                                       \
    "@%p2 bra END;\nst.global.v2.u64 [%out], {%out, %out};\n"                                      \
    "mbarrier.arrive.expect_tx.shared.b64 %d5, [%r9], 16;\n"                                       \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0+16], [%out], 16, "     \
    "[%r9];\n"
#define LANDED "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 0;\n@!%p1 bra W;\n"
Test(async, who_asked_for_a_copy_waits_for_it_as_others_do)
{
    expect(NULL, NULL, 32, FILL FENCE MEET LOAD LANDED "ld.shared.b32 %r5, [%r0+16];\nEND:");
    expect("\"shared-race\"", "", 32,
           FILL FENCE MEET LOAD "ld.shared.b32 %r5, [%r0+16];\n" LANDED "END:");
}
