/* some_test.c - checks of a few blocks' shared memory (CHECK_SOME).
 *
 * Each kernel has blocks of 64 threads and one parameter, a buffer of zeroed words. Criterion runs
 * each test in a process of its own.
 */
#include "check.h"
#include "emulator/base/error.h"
#include "emulator/base/mem.h"
#include "emulator/exec/launch.h"
#include "emulator/runtime/warplab.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Each thread has its own word in s: %mine. The other warp's is at %yours. */
#define SETUP                                                                                      \
    ".reg .pred %p;\n.reg .b32 %t, %b, %mine, %yours, %r<8>;\n.reg .b64 %out;\n"                   \
    "ld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %mine, s;\n"   \
    "mov.u32 %yours, s;\nshl.b32 %r0, %t, 2;\nadd.u32 %mine, %mine, %r0;\nxor.b32 %r0, %r0, "      \
    "128;\n"                                                                                       \
    "add.u32 %yours, %yours, %r0;\n"
#define STORE       "st.shared.u32 [%mine], %t;\n"
#define MEET        "bar.sync 0;\n"
#define LOAD        "ld.shared.u32 %r1, [%yours];\nadd.u32 %r2, %r1, 1;\n"
#define IN_BLOCK(b) "setp.ne.u32 %p, %b, " b ";\n@%p bra NO;\n"

/* How many more findings there are. */
static size_t found(int level, uint32_t grid, const char *attribute, const char *body)
{
    char text[8192];
    const char *texts[] = {text};
    struct mem_alloc *a = mem_alloc(4096, 256, MEM_DEVICE, NULL);
    struct emu_module *m;
    struct emu_result result;
    size_t before = warplabFindingCount();
    int n = snprintf(text, sizeof(text),
                     ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 s[256];\n"
                     ".visible .entry k(.param .u64 out) %s\n{\n%s%s\nNO: ret;\n}\n",
                     attribute, SETUP, body);
    size_t lengths[] = {(size_t)n};

    cr_assert_lt((size_t)n, sizeof(text));
    check_set(level);
    cr_assert_eq(emu_module_load(texts, lengths, 1, "test", &m), cudaSuccess, "%s",
                 emu_error_text());
    struct emu_launch l = {.func = emu_module_func(m, "k"),
                           .grid = {grid, 1, 1},
                           .block = {64, 1, 1},
                           .params = &a->addr};
    cr_assert_eq(emu_launch(&l, &result), cudaSuccess, "%s", emu_error_text());
    return warplabFindingCount() - before;
}

/* So many of 64 draws have a finding. */
static int draws(const char *body)
{
    int n = 0;

    for (uint64_t k = 0; k < 64; k++) {
        warplabSetTurns(k);
        n += found(CHECK_SOME, 16, "", body) > 0;
    }
    return n;
}

Test(check_some, first_and_last_block_and_some)
{
    cr_expect_eq(draws(IN_BLOCK("0") STORE LOAD), 64);
    cr_expect_eq(draws(IN_BLOCK("15") STORE LOAD), 64);
    int n = draws(IN_BLOCK("6") STORE LOAD);
    cr_expect(n > 4 && n < 40, "%d", n); /* 14 are to be expected */
    cr_expect_eq(draws(STORE MEET LOAD), 0);
    cr_expect_gt(found(CHECK_ALL, 16, "", IN_BLOCK("6") STORE LOAD), 0);
    cr_expect_eq(found(CHECK_OFF, 16, "", STORE LOAD), 0);
}

Test(check_some, what_nobody_stored)
{
    cr_expect_gt(found(CHECK_SOME, 1, "", LOAD), 0);
    cr_expect(strstr(warplabFinding(0), "uninitialised-read"), "%s", warplabFinding(0));
}

/* What others wrote to global memory is not known. */
Test(check_some, global_memory)
{
    static const char unwritten[] = "ld.global.u32 %r1, [%out];\nadd.u32 %r2, %r1, 1;\n",
                      race[] = "st.global.u32 [%out], %t;\n";

    check_enable(); /* what is allocated from now on is not written */
    cr_expect_eq(found(CHECK_SOME, 2, "", unwritten), 0);
    cr_expect_gt(found(CHECK_ALL, 2, "", unwritten), 0);
    cr_expect_gt(found(CHECK_SOME, 2, "", race), 0);
}

/* The second warp tells the first by a word in global memory. */
Test(check_some, order_by_global_memory)
{
#define PASSED(store, load)                                                                        \
    "setp.lt.u32 %p, %t, 32;\n@%p bra FIRST;\n" STORE store "bra NO;\nFIRST: " load                \
    " setp.eq.u32 %p, %r3, 0;\n@%p bra FIRST;\n" LOAD
    cr_expect_eq(found(CHECK_SOME, 1, "",
                       "bar.warp.sync -1;\n" PASSED("bar.warp.sync -1;\nst.release.gpu.global.u32 "
                                                    "[%out], 1;\n",
                                                    "ld.acquire.gpu.global.u32 %r3, [%out];\n")),
                 0, "%s", warplabFinding(0));
    cr_expect_gt(found(CHECK_SOME, 1, "",
                       PASSED("st.relaxed.gpu.global.u32 [%out], 1;\n",
                              "ld.relaxed.gpu.global.u32 %r3, [%out];\n")),
                 0);
}

/* Of clusters the first one's blocks; others reach into each other's memory even so. */
Test(check_some, the_first_cluster)
{
    static const char body[] =
        "xor.b32 %r4, %b, 1;\nand.b32 %r4, %r4, 1;\nmapa.shared::cluster.u32 %r5, %mine, %r4;\n"
        "st.shared::cluster.u32 [%r5], %t;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    char text[2048];

    snprintf(text, sizeof(text), "%s%s", body, LOAD);
    cr_expect_eq(found(CHECK_SOME, 8, ".reqnctapercluster 2", text), 0);
    for (int b = 1; b < 8; b++) {
        snprintf(text, sizeof(text), "%ssetp.ne.u32 %%p, %%b, %d;\n@%%p bra NO;\n%s%s", body, b,
                 STORE, LOAD);
        size_t n = found(CHECK_SOME, 8, ".reqnctapercluster 2", text);
        cr_expect(b < 2 ? n > 0 : n == 0, "%zu in block %d", n, b);
    }
}
