/* wgmma_test.c - products of a warp group: what is refused, where they end, what they count.
 * What they compute: cases/hopper_wgmma.c, on an H200. */
#include "testing.h"
#include "emulator/base/counters.h"
#include "emulator/runtime/warplab.h"
#include <stdlib.h>
#include <string.h>

#define VARIABLES ".shared .align 1024 .b8 s[4096];"
/* a and b at s + 0 and s + 2048, 8 rows of 16 bytes side by side, no swizzle: LBO 128, SBO 256 */
#define PRODUCT                                                                                    \
    "mov.u32 %r0, s;\nshr.u32 %r0, %r0, 4;\ncvt.u64.u32 %d0, %r0;\nadd.u64 %d1, %d0, 128;\n"       \
    "or.b64 %d0, %d0, 0x0000001000080000;\nor.b64 %d1, %d1, 0x0000001000080000;\n"                 \
    "setp.eq.u32 %p0, %t, 999;\n"
#define MULTIPLY                                                                                   \
    "wgmma.fence.sync.aligned;\n"                                                                  \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, %p0, "      \
    "1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"

static void expect_fault(cudaError_t e, const char *words, struct program p)
{
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_expect_eq(launch(p), e, "%s", emu_error_text());
    cr_expect(strstr(emu_error_text(), words), "%s", emu_error_text());
}

/* 64 rows of ones times 8 columns of ones: 16 each, in all of a thread's four sums */
Test(wgmma, multiplies)
{
    RUN(.target = "sm_90a", .before = VARIABLES, .block = 128,
        .body =
            "mov.u32 %r0, s;\nshl.b32 %r1, %t, 5;\nadd.u32 %r0, %r0, %r1;\n"
            "mov.b32 %r2, 0x3c003c00;\nst.shared.v4.b32 [%r0], {%r2, %r2, %r2, %r2};\n"
            "st.shared.v4.b32 [%r0+16], {%r2, %r2, %r2, %r2};\nfence.proxy.async;\n"
            "bar.sync 0;\n" PRODUCT MULTIPLY "mul.wide.u32 %d2, %t, 16;\nadd.u64 %d2, %d2, %out;\n"
            "st.global.v4.f32 [%d2], {%f0, %f1, %f2, %f3};");
    for (int i = 0; i < 512; i++)
        cr_assert_eq(out[i], 0x41800000, "%d: %x", i, out[i]);
    cr_expect_eq(result.counters.tensor_flop, 2 * 64 * 8 * 16);
}

/* Of four warps one says that b has been read; a fifth writes the next one there, of 2, 3 ... in
 * halves. The last warp is late each time. */
Test(wgmma, one_warp_may_speak_for_four)
{
    setenv("WARPLAB_STEPS", "2000000", 1);
    RUN(.target = "sm_90a", .before = VARIABLES ".shared .align 8 .b64 bar[2];", .block = 160,
        .body =
            "mov.u32 %r0, s;\nshl.b32 %r1, %t, 5;\nadd.u32 %r0, %r0, %r1;\nmov.u32 %r9, bar;\n"
            "mov.b32 %r2, 0x3c003c00;\nsetp.ge.u32 %p3, %t, 128;\n@%p3 bra READY;\n"
            "st.shared.v4.b32 [%r0], {%r2, %r2, %r2, %r2};\n"
            "st.shared.v4.b32 [%r0+16], {%r2, %r2, %r2, %r2};\nREADY: setp.ne.u32 %p2, %t, 0;\n"
            "@%p2 bra GO;\nmbarrier.init.shared.b64 [%r9], 1;\nmbarrier.init.shared.b64 [%r9+8], "
            "32;\n"
            "GO: bar.sync 0;\nmov.u32 %r3, 0;\n@%p3 bra WRITER;\n" PRODUCT
            "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n"
            "NEXT: setp.lt.u32 %p1, %t, 96;\n@%p1 bra MULTIPLY;\nmov.u32 %r4, 0;\n"
            "LATE: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 9000;\n@%p1 bra LATE;\nMULTIPLY:\n"
            "setp.eq.u32 %p0, %t, %t;\n" MULTIPLY "@%p2 bra TOLD;\n"
            "mbarrier.arrive.shared.b64 %d5, [%r9];\nTOLD: and.b32 %r5, %r3, 1;\n"
            "FULL: mbarrier.try_wait.parity.shared.b64 %p1, [%r9+8], %r5;\n@!%p1 bra FULL;\n"
            "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 4;\n@%p1 bra NEXT;\n"
            "mul.wide.u32 %d2, %t, 16;\nadd.u64 %d2, %d2, %out;\n"
            "st.global.v4.f32 [%d2], {%f0, %f1, %f2, %f3};\nbra END;\n"
            "WRITER: mov.u32 %r0, s;\nsub.u32 %r1, %t, 128;\nshl.b32 %r1, %r1, 4;\n"
            "add.u32 %r0, %r0, %r1;\nEMPTY: and.b32 %r5, %r3, 1;\n"
            "AGAIN: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], %r5;\n@!%p1 bra AGAIN;\n"
            "add.u32 %r2, %r2, 0x04000400;\nst.shared.v4.b32 [%r0+2048], {%r2, %r2, %r2, %r2};\n"
            "fence.proxy.async;\nmbarrier.arrive.shared.b64 %d5, [%r9+8];\n"
            "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 4;\n@%p1 bra EMPTY;\nEND:");
    for (int i = 0; i < 512; i++) /* 16 * (1 + 2 + 4 + 8) */
        cr_assert_eq(out[i], 0x43700000, "%d: %x", i, out[i]);
}

Test(wgmma, is_of_one_target)
{
    expect_fault(
        cudaErrorInvalidPtx, "nvcc -arch=sm_90a",
        (struct program){
            .target = "sm_90", .before = VARIABLES, .block = 128, .body = PRODUCT MULTIPLY});
}

Test(wgmma, needs_whole_warps_that_agree)
{
    expect_fault(cudaErrorIllegalInstruction, "descriptors differ",
                 (struct program){.target = "sm_90a",
                                  .before = VARIABLES,
                                  .block = 128,
                                  .body = PRODUCT
                                  "cvt.u64.u32 %d3, %t;\nadd.u64 %d0, %d0, %d3;\n" MULTIPLY});
    expect_fault(cudaErrorIllegalInstruction, "needs all 32 lanes",
                 (struct program){.target = "sm_90a",
                                  .before = VARIABLES,
                                  .block = 128,
                                  .body = PRODUCT
                                  "setp.eq.u32 %p1, %t, 5;\n@%p1 bra END;\n" MULTIPLY "END:"});
}

Test(wgmma, reads_what_is_the_blocks)
{
    expect_fault(cudaErrorIllegalAddress, "shared",
                 (struct program){.target = "sm_90a",
                                  .before = VARIABLES,
                                  .block = 128,
                                  .body = PRODUCT "add.u64 %d1, %d1, 120;\n" MULTIPLY});
    expect_fault(
        cudaErrorNotSupported, "base offset",
        (struct program){.target = "sm_90a",
                         .before = VARIABLES,
                         .block = 128,
                         .body = PRODUCT "or.b64 %d1, %d1, 0x0002000000000000;\n" MULTIPLY});
}
