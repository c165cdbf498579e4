/* outcomes_test.c - how instructions turn out is told, in a few blocks that run alone. */
#include "outcomes.h"
#include "disturb.h"
#include "testing.h"
#include <stdlib.h>
#include <string.h>

/* The digits of the kernel's last instructions, without ret: as many as there are in `expected`. */
static void turn_out(struct program p, const char *expected)
{
    disturb_set(1u << DISTURB_outcomes);
    cr_assert_eq(launch(p), cudaSuccess, "%s", emu_error_text());
    disturb_set(0);
    char *text = outcomes_take();
    size_t n = strlen(expected), all = strlen(text);
    cr_assert(!strncmp(text, "k 0 ", 4) && all > n + 6, "%s", text);
    text[all - 2] = 0; /* ret's digit, and the line's end */
    cr_expect_str_eq(text + all - 2 - n, expected, "%s: %s", p.body, text);
    free(text);
}

Test(outcomes, numbers_and_predicates)
{
    turn_out((struct program){.body = "shr.u32 %r0, %t, 5;"}, "1");
    turn_out((struct program){.block = 64, .body = "shr.u32 %r0, %t, 5;"}, "3");
    turn_out((struct program){.body = "sub.s32 %r0, %t, 3;"}, "7");
    turn_out((struct program){.body = "setp.lt.u32 %p0, %t, 32;\nsetp.lt.u32 %p1, %t, 31;\n"
                                      "and.pred %p2, %p0, %p1;\nnot.pred %p2, %p0;"},
             "2331");
    turn_out((struct program){.body = "mov.f32 %f0, 0fbf800000;\nadd.f32 %f1, %f0, 0f3f800000;"},
             "01"); /* a number of the code is no result */
    turn_out((struct program){.body = "cvt.s64.s32 %d0, -5;\nneg.s64 %d1, %d0;"}, "42");
    turn_out((struct program){.body = "ld.global.u32 %r0, [%mine];"}, "1");
}

/* Not executed: nothing; by some lanes: theirs. */
Test(outcomes, of_those_that_execute_it)
{
    turn_out((struct program){.body = "setp.gt.u32 %p0, %t, 99;\n@%p0 mov.u32 %r0, 1;"}, "10");
    turn_out((struct program){.body = "setp.eq.u32 %p0, %t, 9;\n@%p0 mov.u32 %r0, %t;"}, "32");
}

/* Of a large grid the corners and some between, of a small one all. */
Test(outcomes, few_blocks)
{
    static const char body[] = "mul.wide.u32 %d0, %cta, 4;\nadd.u64 %d0, %out, %d0;\n"
                               "st.global.u32 [%d0], 1;";
    uint32_t ran = 0;
    turn_out((struct program){.grid = 1000, .body = body}, "0");
    for (int i = 0; i < 1000; i++)
        ran += out[i];
    cr_expect(ran == 6 && out[0] && out[999], "%u ran", ran);
    turn_out((struct program){.grid = 2, .body = body}, "0");
    cr_expect(out[0] && out[1] && !out[2]);
}

/* The same without a look at what they do, and each to its end. */
Test(outcomes, few_blocks_alone)
{
    disturb_set(1u << DISTURB_few);
    cr_assert_eq(launch((struct program){.grid = 1000,
                                         .body = "mov.u32 %r0, %cta;\nL: add.u32 %r0, %r0, 1;\n"
                                                 "setp.lt.u32 %p0, %r0, 200000;\n@%p0 bra L;\n"
                                                 "mul.wide.u32 %d0, %cta, 4;\n"
                                                 "add.u64 %d0, %out, %d0;\n"
                                                 "st.global.u32 [%d0], 1;"}),
                 cudaSuccess, "%s", emu_error_text());
    disturb_set(0);
    uint32_t ran = 0;
    for (int i = 0; i < 1000; i++)
        ran += out[i];
    cr_expect(ran == 6 && out[0] && out[999], "%u ran", ran);
    char *text = outcomes_take();
    cr_assert_str_empty(text);
    free(text);
}

/* Blocks that go on for long are left, the others run; nothing has failed. */
Test(outcomes, long_blocks_are_left)
{
    turn_out((struct program){.grid = 2,
                              .block = 64,
                              .body = "mov.u32 %r0, %cta;\nL: add.u32 %r0, %r0, 1;\n"
                                      "setp.ne.u32 %p0, %r0, 2000000000;\n@%p0 bra L;"},
             "3220");
}

Test(outcomes, nothing_else_changes)
{
    turn_out((struct program){.body = "add.u32 %r0, %t, 7;\nst.global.u32 [%mine], %r0;"}, "20");
    cr_expect_eq(out[31], 38);
    RUN(.body = "add.u32 %r0, %t, 7;");
    char *text = outcomes_take();
    cr_assert_str_empty(text);
    free(text);
}

/* In what order blocks and warps come, on so many host threads; and the last wait for the first. */
static void order_is(bool backwards, const char *host_threads)
{
    static const char order[] = /* out[64 + how many came before] = block and warp */
        "nanosleep.u32 1000;\nshr.u32 %r0, %t, 5;\nmad.lo.u32 %r0, %cta, 16, %r0;\n"
        "and.b32 %r1, %t, 31;\nsetp.eq.u32 %p0, %r1, 0;\n@!%p0 bra END;\n"
        "atom.global.add.u32 %r2, [%out], 1;\nmul.wide.u32 %d0, %r2, 4;\nadd.u64 %d0, %out, %d0;\n"
        "st.global.u32 [%d0+256], %r0;\nEND:";
    static const char waits[] = /* the last warp, and block, for the first ones */
        "setp.ne.u32 %p0, %t, 0;\n@%p0 bra WAIT;\nmul.wide.u32 %d0, %cta, 4;\n"
        "add.u64 %d0, %out, %d0;\nst.relaxed.gpu.global.u32 [%d0], 1;\n"
        "WAIT: ld.relaxed.gpu.global.u32 %r1, [%out];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT;";
    struct program p = {.grid = 3, .block = 128, .body = order};

    setenv("WARPLAB_THREADS", host_threads, 1); /* read once a process */
    disturb_set(backwards ? 1u << DISTURB_backwards : 0);
    cr_assert_eq(launch(p), cudaSuccess, "%s", emu_error_text());
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t k = backwards ? 11 - i : i;
        cr_expect_eq(out[64 + i], k / 4 * 16 + k % 4, "%u: %u", i, out[64 + i]);
    }
    p.body = waits;
    cr_assert_eq(launch(p), cudaSuccess, "%s", emu_error_text());
    cr_expect(out[0] && out[1] && out[2]);
    disturb_set(0);
}

Test(outcomes, forwards)
{
    order_is(false, "1");
}

/* Whatever they sleep, and of however many host threads. */
Test(outcomes, backwards)
{
    order_is(true, "3");
}
