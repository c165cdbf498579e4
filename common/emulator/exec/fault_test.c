/* fault_test.c - which fault of several blocks is told: that of the lowest, on any number of host
 * threads; and that nobody waits for blocks that have stopped.
 */
#include "testing.h"
#include "emulator/check/findings.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAULT "st.global.u32 [%out+-4], %t;\nret;\n"
/* Blocks below 2 end, 2 takes its time, and all from there on fault. */
#define LATE_BLOCK(rounds)                                                                         \
    "setp.lt.u32 %p0, %cta, 2;\n@%p0 ret;\nsetp.ne.u32 %p0, %cta, 2;\n@%p0 bra BAD;\n"             \
    "mov.u32 %r0, 0;\nTOP: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, " rounds                    \
    ";\n@%p0 bra TOP;\n"
#define SPIN "SPIN: ld.volatile.global.u32 %r1, [%out];\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra SPIN;\n"

static const char *const threads[] = {"1", "2", "5", "16"};

/* In a process of its own, which may have so many host threads: block of the fault; -1: none. */
static int faulty_block(const char *n, struct program p)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        unsigned block;
        setenv("WARPLAB_THREADS", n, 1);
        const char *at = launch(p) ? strstr(emu_error_text(), "block (") : NULL;
        _exit(at && sscanf(at, "block (%u", &block) == 1 ? (int)block : 255);
    }
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status), "%s threads: status %x", n, (unsigned)status);
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}
#define EXPECT_FAULT_OF(lowest, ...)                                                               \
    for (size_t k_ = 0; k_ < sizeof(threads) / sizeof(threads[0]); k_++) {                         \
        int b_ = faulty_block(threads[k_], (struct program){__VA_ARGS__});                         \
        cr_expect_eq(b_, lowest, "%s threads: block %d", threads[k_], b_);                         \
    }

Test(fault, of_several_blocks_the_lowest_is_told)
{
    EXPECT_FAULT_OF(2, .grid = 40, .body = LATE_BLOCK("3000000") "BAD: " FAULT);
}

/* Its warps part and meet again, wait for each other, and call, when the launch has failed. */
Test(fault, a_lower_block_goes_on_as_ever)
{
    EXPECT_FAULT_OF(2, .grid = 40, .block = 96,
                    .before = ".func f(.param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %x;\n"
                              "ld.param.u32 %x, [n];\nsetp.gt.u32 %q, %x, 20000;\n@%q ret;\n"
                              "bar.sync 1;\nret;\n}\n",
                    .body = "setp.lt.u32 %p0, %cta, 2;\n@%p0 ret;\nsetp.ne.u32 %p0, %cta, 2;\n"
                            "@%p0 bra BAD;\nmov.u32 %r0, 0;\nTOP: and.b32 %r1, %t, 3;\n"
                            "setp.eq.u32 %p1, %r1, 2;\n@%p1 bra MET;\nadd.u32 %r2, %r2, %r1;\n"
                            "MET: bar.sync 0;\n{ .param .b32 n;\nst.param.b32 [n], %r0;\n"
                            "call f, (n); }\nadd.u32 %r0, %r0, 1;\n"
                            "setp.lt.u32 %p0, %r0, 30000;\n@%p0 bra TOP;\n"
                            "BAD: setp.ne.u32 %p1, %t, 70;\n@%p1 ret;\n" FAULT);
}

/* So does one that waits for another that goes on: 3 for 2, when 4 has faulted. */
Test(fault, a_lower_block_waits_for_one_that_goes_on)
{
    EXPECT_FAULT_OF(3, .grid = 40,
                    .body = LATE_BLOCK("3000000") "st.volatile.global.u32 [%out], 1;\nret;\n"
                                                  "BAD: setp.ne.u32 %p0, %cta, 3;\n"
                                                  "@%p0 bra NOW;\n" SPIN "NOW: " FAULT);
}

/* Blocks below 3 wait for it, and it has faulted; some of them count meanwhile. */
#define WAIT_FOR_3(wait) "setp.eq.u32 %p0, %cta, 3;\n@%p0 bra BAD;\n" wait "ret;\nBAD: " FAULT
Test(fault, nobody_waits_for_blocks_that_have_stopped)
{
    EXPECT_FAULT_OF(3, .grid = 4, .body = WAIT_FOR_3(SPIN));
    EXPECT_FAULT_OF(
        3, .grid = 4, .block = 64,
        .body = WAIT_FOR_3("setp.ne.u32 %p0, %t, 0;\n@%p0 bra MET;\n" SPIN "MET: bar.sync 0;\n"));
    struct program counts = {.grid = 4,
                             .body = WAIT_FOR_3("SPIN: ld.volatile.global.u32 %r1, [%out];\n"
                                                "add.u32 %r2, %r2, 1;\nsetp.eq.u32 %p0, %r1, 0;\n"
                                                "@%p0 bra SPIN;\n")};
    cr_expect_eq(faulty_block("2", counts), 3);
}

/* A deadlock is a fault as others are. */
Test(fault, a_deadlock_of_the_lowest_is_told)
{
    EXPECT_FAULT_OF(2, .grid = 40, .block = 64,
                    .body = LATE_BLOCK("3000000") "setp.lt.u32 %p0, %t, 32;\n@%p0 bar.sync 0;\n"
                                                  "setp.ge.u32 %p0, %t, 32;\n@%p0 bar.sync 1;\n"
                                                  "BAD: " FAULT);
}

/* Where each says a line of its own, it is that of the block, and said once. */
Test(fault, is_told_whole)
{
    setenv("WARPLAB_THREADS", "5", 1);
    cr_expect_eq(launch((struct program){.grid = 9,
                                         .body = LATE_BLOCK("3000000") ".loc 1 7 3\ntrap;\n"
                                                                       "BAD: .loc 1 8 3\n" FAULT}),
                 cudaErrorLaunchFailure, "%s", emu_error_text());
    cr_expect(strstr(emu_error_text(), "k.cu:7: ") == emu_error_text(), "%s", emu_error_text());
    cr_expect(strstr(emu_error_text(), "block (2,0,0), thread (0,0,0), at trap"), "%s",
              emu_error_text());
    cr_assert_eq(findings_count(), 1);
    cr_expect(strstr(findings_json(0), "\"block\":[2,0,0]"), "%s", findings_json(0));
}
