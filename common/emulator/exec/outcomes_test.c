/* outcomes_test.c - how instructions turn out is told, in a few blocks that run alone. */
#include "outcomes.h"
#include "disturb.h"
#include "testing.h"
#include "turns.h"
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
/* Those at the ends, and four that are drawn, one in each quarter. */
Test(outcomes, few_blocks_alone)
{
    disturb_set(1u << DISTURB_few);
    turns_set(5);
    cr_assert_eq(launch((struct program){.grid = 1000,
                                         .body = "mov.u32 %r0, %cta;\nL: add.u32 %r0, %r0, 1;\n"
                                                 "setp.lt.u32 %p0, %r0, 200000;\n@%p0 bra L;\n"
                                                 "mul.wide.u32 %d0, %cta, 4;\n"
                                                 "add.u64 %d0, %out, %d0;\n"
                                                 "st.global.u32 [%d0], 1;"}),
                 cudaSuccess, "%s", emu_error_text());
    disturb_set(0);
    uint32_t ran = 0, in[4] = {0};
    for (int i = 0; i < 1000; i++) {
        ran += out[i];
        in[i / 250] += out[i];
    }
    cr_expect(ran == 6 && out[0] && out[999], "%u ran", ran);
    cr_expect(in[0] == 2 && in[1] == 1 && in[2] == 1 && in[3] == 2);
    cr_expect(!(out[200] && out[400] && out[600] && out[800]));
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

enum { BLOCKS = 7, WARPS = 5, PHASES = 2, ALL = BLOCKS * PHASES * WARPS };

/* Of each block's warps before and behind a barrier: 64 b + 8 p + w, in the order in which they
 * come, on several host threads; and 4096 for each that came while this one slept and worked. */
static void come(uint64_t from, uint32_t come[ALL])
{
    static const char body[] = /* out[64 + how many came before] */
        "shr.u32 %r0, %t, 5;\nmad.lo.u32 %r0, %cta, 64, %r0;\nmov.u32 %r4, 0;\n"
        "and.b32 %r1, %t, 31;\nsetp.eq.u32 %p0, %r1, 0;\n"
        "@%p0 atom.global.add.u32 %r2, [%out], 1;\nnanosleep.u32 1000;\n"
        "WORK: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 3000;\n@%p1 bra WORK;\n"
        "ld.relaxed.gpu.global.u32 %r3, [%out];\nsub.u32 %r3, %r3, %r2;\n"
        "sub.u32 %r3, %r3, 1;\nmad.lo.u32 %r1, %r3, 4096, %r0;\nmul.wide.u32 %d0, %r2, 4;\n"
        "add.u64 %d0, %out, %d0;\n@%p0 st.global.u32 [%d0+256], %r1;\nbar.sync 0;\n"
        "@%p0 atom.global.add.u32 %r2, [%out], 1;\nmul.wide.u32 %d0, %r2, 4;\n"
        "add.u64 %d0, %out, %d0;\nadd.u32 %r0, %r0, 8;\n@%p0 st.global.u32 [%d0+256], %r0;";

    setenv("WARPLAB_THREADS", "3", 1);
    disturb_set(1u << DISTURB_reordered);
    turns_set(from);
    RUN(.grid = BLOCKS, .block = WARPS * 32, .body = body);
    disturb_set(0);
    memcpy(come, out + 64, ALL * sizeof(*come));
}

/* Each of n once, k apart, and neither the first nor the last of them at an end. */
static void is_an_order(const uint32_t *at, uint32_t n, uint32_t k, uint32_t unit)
{
    uint32_t seen = 0, first = at[0] / unit % 8, last = at[(n - 1) * k] / unit % 8;
    for (uint32_t i = 0; i < n; i++)
        seen |= 1u << at[i * k] / unit % 8;
    cr_expect_eq(seen, (1u << n) - 1, "%x", seen);
    cr_expect(first && last && first < n - 1 && last < n - 1, "%u ... %u", first, last);
}

Test(outcomes, reordered)
{
    uint32_t at[ALL], again[ALL], other[ALL], phases = 0, blocks = 0, whole = 0, went_on = 0;
    come(5, at);
    come(6, other);
    cr_expect(memcmp(at, other, sizeof(at)));
    emu_renumber(); /* or the grid's number is another */
    come(5, at);
    for (int i = 0; i < 20; i++) {
        emu_renumber();
        come(5, again);
        cr_expect(!memcmp(at, again, sizeof(at)));
    }
    is_an_order(at, BLOCKS, PHASES * WARPS, 64);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        const uint32_t *first = at + b * PHASES * WARPS, *second = first + WARPS;
        for (uint32_t i = 0; i < PHASES * WARPS; i++)
            cr_expect_eq(first[i] % 4096 / 8, first[0] % 4096 / 8 + i / WARPS, "%u", first[i]);
        for (uint32_t i = 0; i < WARPS; i++)
            blocks += first[i] % 8 != at[i] % 8;
        if (first[0] >= 4096) /* short turns: others came before its work was done */
            continue;
        whole++;
        is_an_order(first, WARPS, 1, 1);
        is_an_order(second, WARPS, 1, 1);
        for (uint32_t i = 0; i < WARPS; i++) {
            phases += first[i] % 8 != second[i] % 8;
            cr_expect_lt(first[i], 4096);
        }
        went_on += first[WARPS - 1] % 8 == second[0] % 8;
    }
    cr_expect(phases && blocks, "always the same order");
    cr_expect(whole && whole < BLOCKS, "of %d blocks' turns %u are long", BLOCKS, whole);
    cr_expect_lt(went_on, whole, "who comes last to a barrier goes on first");
}

/* How many of 40 blocks' additions to one place are kept, by a load and a store. */
static uint32_t added_apart(uint64_t from)
{
    static const char body[] = "setp.ne.u32 %p0, %t, 0;\n@%p0 bra END;\n"
                               "ld.relaxed.gpu.global.u32 %r1, [%out];\nadd.u32 %r1, %r1, 1;\n"
                               "st.relaxed.gpu.global.u32 [%out], %r1;\nEND: bar.sync 0;";

    disturb_set(1u << DISTURB_reordered);
    turns_set(from);
    emu_renumber();
    RUN(.grid = 40, .block = 64, .body = body);
    disturb_set(0);
    return out[0];
}

/* Of every second launch several blocks take turns: none is done before the next begins. */
Test(outcomes, reordered_side_by_side)
{
    uint32_t apart = 0, lost = 0;

    for (uint64_t from = 0; from < 20; from++) {
        uint32_t kept = added_apart(from);

        cr_expect_eq(kept, added_apart(from));
        apart += kept == 40;
        lost += kept < 40;
    }
    cr_expect(apart >= 4 && lost >= 4, "%u %u", apart, lost);
}

/* The most of 200 blocks, or of as many in clusters, that have begun and not ended. */
static uint32_t most_at_once(uint64_t from, enum disturbance class, const char *attribute)
{
    static const char body[] =
        "setp.ne.u32 %p0, %t, 0;\n@%p0 bra END;\nmov.u32 %r1, 0;\n"
        "atom.global.add.u32 %r0, [%out], 1;\nadd.u32 %r0, %r0, 1;\n"
        "WORK: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 300;\n@%p1 bra WORK;\n"
        "red.global.max.u32 [%out+4], %r0;\nred.global.add.u32 [%out], -1;\nEND: bar.sync 0;";

    disturb_set(1u << class);
    turns_set(from);
    emu_renumber();
    RUN(.target = "sm_90", .attribute = attribute, .grid = 200, .block = 64, .body = body);
    disturb_set(0);
    cr_expect_eq(out[0], 0);
    return out[1];
}

/* One at a time, a few, or all that a GPU holds. */
Test(outcomes, reordered_how_many_at_once)
{
    static const char *const attributes[] = {NULL, ".reqnctapercluster 2"};

    for (int k = 0; k < 2; k++) {
        uint32_t alone = 0;
        for (uint64_t from = 0; from < 16; from++) {
            uint32_t n = most_at_once(from, DISTURB_reordered, attributes[k]);
            alone += n <= 1u << k;
            cr_expect_leq(n, (uint32_t)BLOCKS_TOGETHER << k);
            cr_expect_gt(most_at_once(from, DISTURB_crowded, attributes[k]), 64);
        }
        cr_expect(alone >= 4 && alone <= 12, "%u", alone);
    }
}

/* What a warp, or a block, waits for comes all the same: none between them is in its way. */
Test(outcomes, reordered_they_wait)
{
    static const char waits[] = /* all for the last warp of the last block, and for thread 0 */
        "setp.eq.u32 %p0, %t, 127;\nsetp.eq.u32 %p1, %cta, 4;\nand.pred %p0, %p0, %p1;\n"
        "@%p0 st.relaxed.gpu.global.u32 [%out], 1;\nsetp.eq.u32 %p0, %t, 0;\n"
        "@%p0 st.relaxed.gpu.global.u32 [%out+4], 1;\n"
        "WAIT: ld.relaxed.gpu.global.u32 %r1, [%out];\nld.relaxed.gpu.global.u32 %r2, [%out+4];\n"
        "and.b32 %r1, %r1, %r2;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\n"
        "st.global.u32 [%mine+64], 1;";
    disturb_set(1u << DISTURB_late);
    for (uint64_t from = 0; from < 20; from++) {
        turns_set(from);
        RUN(.grid = 5, .block = 128, .body = waits);
        for (uint32_t i = 0; i < 128; i++)
            cr_expect_eq(out[16 + i], 1);
    }
    disturb_set(0);
}

/* What the last of 40 blocks to count adds up: each has left a 1, with `fence` between that and its
 * count. */
static uint32_t handed_on(uint64_t from, const char *store, const char *fence)
{
    char body[1024];

    snprintf(body, sizeof(body),
             "setp.ne.u32 %%p0, %%t, 0;\n@%%p0 bra END;\nmul.wide.u32 %%d0, %%cta, 4;\n"
             "add.u64 %%d0, %%out, %%d0;\n%s [%%d0+256], 1;\n%s\n"
             "atom.global.add.u32 %%r0, [%%out], 1;\nsetp.ne.u32 %%p0, %%r0, 39;\n@%%p0 bra END;\n"
             "mov.u32 %%r1, 0;\nmov.u32 %%r2, 0;\nmov.u64 %%d0, %%out;\n"
             "ADD: ld.relaxed.gpu.global.u32 %%r3, [%%d0+256];\nadd.u32 %%r1, %%r1, %%r3;\n"
             "add.u64 %%d0, %%d0, 4;\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p0, %%r2, 40;\n"
             "@%%p0 bra ADD;\nst.global.u32 [%%out+4], %%r1;\nEND: bar.sync 0;",
             store, fence);
    turns_set(from);
    emu_renumber();
    RUN(.grid = 40, .block = 64, .body = body);
    return out[1];
}

/* A number that no fence hands on is not there yet, but for the adding block's own. */
Test(outcomes, late)
{
    static const struct {
        const char *store, *fence;
        uint32_t sum;
    } ways[] = {
        {"st.relaxed.gpu.global.u32", "", 1},
        {"st.volatile.global.u32", "", 1},
        {"st.relaxed.gpu.global.u32", "fence.acq_rel.cta;", 1},
        {"st.relaxed.gpu.global.u32", "fence.acq_rel.cluster;", 1},
        {"red.global.add.u32", "", 1},
        {"st.relaxed.gpu.global.u32", "membar.gl;", 40},
        {"st.relaxed.gpu.global.u32", "fence.acq_rel.gpu;", 40},
        {"red.global.add.u32", "fence.sc.sys;", 40},
        {"st.relaxed.gpu.global.u32", "red.release.gpu.global.add.u32 [%out+8], 1;", 40},
    };

    for (uint32_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        for (uint64_t from = 0; from < 8; from++) {
            disturb_set(1u << DISTURB_late);
            uint32_t sum = handed_on(from, ways[i].store, ways[i].fence);
            disturb_set(1u << DISTURB_reordered);
            uint32_t in_time = handed_on(from, ways[i].store, ways[i].fence);
            disturb_set(0);
            cr_expect_eq(sum, ways[i].sum, "%s %s %u", ways[i].store, ways[i].fence, sum);
            cr_expect_eq(in_time, 40);
        }
}

/* How often an mbarrier of which 20 phases end, one after the other, says of each that it is not
 * over, in each of four blocks. */
static void ask_in_vain(uint64_t from, uint32_t n[80])
{
    static const char body[] =
        "mov.u32 %r0, words;\nmov.u32 %r2, 0;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra END;\n"
        "mad.wide.u32 %d1, %cta, 80, %out;\nmbarrier.init.shared.b64 [%r0], 1;\n"
        "NEXT: mov.u32 %r1, 0;\nmbarrier.arrive.shared.b64 %d0, [%r0];\n"
        "ASK: mbarrier.test_wait.shared.b64 %p1, [%r0], %d0;\n@%p1 bra YES;\n"
        "add.u32 %r1, %r1, 1;\nbra ASK;\nYES: st.global.u32 [%d1], %r1;\n"
        "add.u64 %d1, %d1, 4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 20;\n@%p1 bra NEXT;\n"
        "END: bar.sync 0;";

    disturb_set(1u << DISTURB_late);
    turns_set(from);
    emu_renumber();
    RUN(.grid = 4, .before = ".shared .align 8 .b8 words[8];", .body = body);
    disturb_set(0);
    memcpy(n, out, 80 * sizeof(n[0]));
}

/* Each block's first phase and some others take as long as the slowest copies, the rest a few
 * looks. */
Test(outcomes, late_copies)
{
    uint32_t at_once = 0, slow = 0, most = 0;

    for (uint64_t from = 0; from < 20; from++) {
        uint32_t n[80];

        ask_in_vain(from, n);
        for (uint32_t i = 0; i < 80; i++) {
            cr_expect(i % 20 || n[i] > 32, "%u", n[i]);
            at_once += n[i] == 0;
            slow += n[i] > 32;
            most = n[i] > most ? n[i] : most;
        }
    }
    cr_expect(at_once > 400 && at_once < 1000, "%u", at_once);
    cr_expect(slow > 160 && slow < 400, "%u", slow);
    cr_expect(most > 900 && most < 1200, "%u", most);
}

/* One lane waits, the others where they meet again: none goes on without it. */
Test(outcomes, late_copies_part_no_warp)
{
    static const char body[] =
        "mov.u32 %r0, words;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra MEET;\n"
        "mbarrier.init.shared.b64 [%r0], 1;\nmbarrier.arrive.shared.b64 %d0, [%r0];\n"
        "ASK: mbarrier.test_wait.shared.b64 %p1, [%r0], %d0;\n@!%p1 bra ASK;\n"
        "MEET: activemask.b32 %r1;\nst.global.u32 [%mine], %r1;";

    for (uint64_t from = 0; from < 20; from++) {
        disturb_set(1u << DISTURB_late);
        turns_set(from);
        emu_renumber();
        RUN(.before = ".shared .align 8 .b8 words[8];", .body = body);
        disturb_set(0);
        cr_expect_eq(out[1], UINT32_MAX, "%x", out[1]);
    }
}

/* How many lanes of a warp get another number than their neighbour's, which that left in shared
 * memory right before. */
static uint32_t missed(uint64_t from, const char *sync)
{
    char body[1024];
    uint32_t n = 0;

    snprintf(body, sizeof(body),
             "mul.lo.u32 %%r0, %%t, 4;\nadd.u32 %%r1, %%t, 1;\nand.b32 %%r1, %%r1, 31;\n"
             "mul.lo.u32 %%r1, %%r1, 4;\nmov.u32 %%r2, words;\nadd.u32 %%r0, %%r0, %%r2;\n"
             "add.u32 %%r1, %%r1, %%r2;\nadd.u32 %%r3, %%t, 100;\n"
             "st.volatile.shared.u32 [%%r0], %%r3;\n%s\nld.volatile.shared.u32 %%r3, [%%r1];\n"
             "st.global.u32 [%%mine], %%r3;",
             sync);
    disturb_set(1u << DISTURB_parted);
    turns_set(from);
    emu_renumber();
    RUN(.block = 32, .before = ".shared .align 4 .b8 words[128];", .body = body);
    disturb_set(0);
    for (uint32_t i = 0; i < 32; i++)
        n += out[i] != 100 + (i + 1) % 32;
    return n;
}

/* What lanes of a warp tell each other without bar.warp.sync is not there in time, now and then. */
Test(outcomes, parted)
{
    uint32_t late = 0;

    for (uint64_t from = 0; from < 20; from++) {
        late += missed(from, "") > 0;
        cr_expect_eq(missed(from, "bar.warp.sync -1;"), 0);
        cr_expect_eq(missed(from, "bar.sync 0;"), 0);
    }
    cr_expect(late > 5 && late < 20, "%u", late);
}
