/* registers_test.c - setmaxnreg: who waits for registers, and for ever (exec/registers.c).
 */
#include "testing.h"
#include <stdlib.h>
#include <string.h>

/* Three groups of four warps, of which the third goes to LAST; each thread stores 1. */
#define GROUPS(bounds) .target = "sm_90a", .block = 384, .attribute = bounds
#define BOUNDS         ".maxntid 384 .minnctapersm 1"
#define LAST           "setp.ge.u32 %p0, %t, 256;\n@%p0 bra LAST;\n"
#define INC(n)         ".loc 1 9 5\nsetmaxnreg.inc.sync.aligned.u32 " n ";\n"
#define DEC(n)         "setmaxnreg.dec.sync.aligned.u32 " n ";\n"
#define MEET           "bar.sync 1, 256;\n"
#define STORE          "END: st.global.u32 [%mine], 1;\n"
#define ROLES(n, last) LAST INC(n) "bra END;\nLAST: " last STORE

static void expect_deadlock(const char *words, struct program p)
{
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_expect_eq(launch(p), cudaErrorLaunchTimeout, "%s", emu_error_text());
    cr_expect(strstr(emu_error_text(), "k.cu:9: deadlock: a warp waits"), "%s", emu_error_text());
    cr_expect(strstr(emu_error_text(), words), "no '%s' in %s", words, emu_error_text());
}
static void expect_all(struct program p)
{
    cr_expect_eq(launch(p), cudaSuccess, "%s", emu_error_text());
    for (int k = 0; k < 384; k++)
        cr_assert_eq(out[k], 1, "thread %d", k);
}

/* 65,536 / 384 is 170: each starts with 168. */
Test(registers, that_are_given_back_are_there_for_others)
{
    expect_all((struct program){GROUPS(BOUNDS), .body = ROLES("232", DEC("40"))});
    expect_all((struct program){GROUPS(BOUNDS), .body = ROLES("168", "")});
    expect_all((struct program){GROUPS(".maxnreg 168"), .body = ROLES("232", DEC("40"))});
    /* those of the third group go to the second, and from there to the first */
    expect_all((struct program){
        GROUPS(BOUNDS), .body = LAST "setp.lt.u32 %p1, %t, 128;\n@%p1 bra FIRST;\n" INC("232")
                            DEC("168") MEET
                        "bra END;\nFIRST: " MEET INC("232") "bra END;\nLAST: " DEC("104") STORE});
}

/* Seen on an H200: a warp that ends gives nothing back, and a block with fewer threads than the
 * kernel is compiled for has no more a thread. */
Test(registers, that_nobody_gives_back_are_waited_for_in_vain)
{
    static const char words[] = "for 232 registers a thread, of which it has 168, and 0 are free; "
                                "no warp gives any back";
    expect_deadlock(words, (struct program){GROUPS(BOUNDS), .body = ROLES("232", "")});
    expect_deadlock(words, (struct program){GROUPS(BOUNDS), .body = ROLES("232", "ret;\n")});
    expect_deadlock(words, (struct program){GROUPS(".maxnreg 165"), .body = ROLES("232", "")});
    expect_deadlock(words, (struct program){.target = "sm_90a",
                                            .block = 256,
                                            .attribute = BOUNDS,
                                            .body = ROLES("232", "")});
    expect_deadlock("for 232 registers a thread, of which it has 168, and 32 are free",
                    (struct program){GROUPS(BOUNDS), .body = ROLES("232", DEC("128"))});
    expect_deadlock(
        "for 232 registers a thread, of which it has 96",
        (struct program){GROUPS(BOUNDS), .registers = 96, .body = ROLES("232", DEC("40"))});
}

/* Where others wait for mbarriers, that is not why. */
Test(registers, are_named_before_an_mbarrier)
{
    expect_deadlock(
        "for 232 registers a thread",
        (struct program){
            GROUPS(BOUNDS), .before = ".shared .align 8 .b64 bar;\n",
            .body = "mov.u32 %r0, bar;\nsetp.eq.u32 %p1, %t, 0;\n"
                    "@%p1 mbarrier.init.shared::cta.b64 [%r0], 256;\nbar.sync 0;\n" LAST INC(
                        "232") "mbarrier.arrive.shared::cta.b64 %d0, [%r0];\nbra END;\n"
                               "LAST: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r0], 0;\n"
                               "@!%p2 bra LAST;\n" STORE});
}

/* ptxas leaves it out where the number at the start is not known, and where there are calls. */
Test(registers, are_as_many_as_ever_where_ptxas_says_so)
{
    expect_all((struct program){GROUPS(".maxntid 384"), .body = ROLES("232", "")});
    expect_all((struct program){GROUPS(""), .registers = 64, .body = ROLES("232", "")});
    expect_all((struct program){GROUPS(BOUNDS), .before = ".func f()\n{\nret;\n}\n",
                                .body = "call f;\n" ROLES("232", "")});
    expect_all((struct program){GROUPS(BOUNDS), .before = ".func f()\n{\n" INC("232") "ret;\n}\n",
                                .body = "call f;\n" STORE});
}
