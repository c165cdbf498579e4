/* matrix_test.c - ldmatrix and stmatrix at shared addresses go by rows of 16 bytes, at generic ones
 * element by element: both move the same, and count it alike. */
#include "testing.h"
#include "emulator/base/counters.h"
#include <stdlib.h>
#include <string.h>

/* Row of lane t: (t * from + first) % 256, and where it goes, (t * to + second) / 2^half % 256:
 * rows are neighbours, meet in banks, are the same. */
struct rows {
    unsigned from, first, to, second, half;
};
static const char *const lists[] = {"{%r2}", "{%r2, %r3}", NULL, "{%r2, %r3, %r4, %r5}"};

static void move(const struct rows *r, int matrices, const char *turned, bool generic)
{
    static char body[4096];

    snprintf(
        body, sizeof(body),
        "mov.u32 %%r0, s;\nmov.u32 %%r1, %%t;\n"
        "FILL: mul.lo.u32 %%r2, %%r1, 2654435761;\nshl.b32 %%r3, %%r1, 2;\n"
        "add.u32 %%r3, %%r3, %%r0;\nst.shared.u32 [%%r3], %%r2;\nadd.u32 %%r1, %%r1, 32;\n"
        "setp.lt.u32 %%p0, %%r1, 1024;\n@%%p0 bra FILL;\nbar.warp.sync -1;\n"
        "mov.u32 %%r2, 0;\nmov.u32 %%r3, 0;\nmov.u32 %%r4, 0;\nmov.u32 %%r5, 0;\n"
        "mad.lo.u32 %%r6, %%t, %u, %u;\nand.b32 %%r6, %%r6, 255;\nmad.lo.u32 %%r6, %%r6, 16, "
        "%%r0;\n"
        "mad.lo.u32 %%r7, %%t, %u, %u;\nshr.u32 %%r7, %%r7, %u;\nand.b32 %%r7, %%r7, "
        "255;\nmad.lo.u32 %%r7, %%r7, 16, %%r0;\n"
        "cvt.u64.u32 %%d0, %%r6;\ncvta.shared.u64 %%d0, %%d0;\n"
        "cvt.u64.u32 %%d1, %%r7;\ncvta.shared.u64 %%d1, %%d1;\n"
        "ldmatrix.sync.aligned.m8n8.x%d%s%s.b16 %s, [%s];\n"
        "stmatrix.sync.aligned.m8n8.x%d%s%s.b16 [%s], %s;\nbar.warp.sync -1;\n"
        "mul.wide.u32 %%d2, %%t, 16;\nadd.u64 %%d2, %%d2, %%out;\n"
        "st.global.v4.u32 [%%d2], {%%r2, %%r3, %%r4, %%r5};\nmov.u32 %%r1, %%t;\n"
        "TELL: shl.b32 %%r3, %%r1, 2;\nadd.u32 %%r2, %%r3, %%r0;\nld.shared.u32 %%r2, [%%r2];\n"
        "cvt.u64.u32 %%d2, %%r3;\nadd.u64 %%d2, %%d2, %%out;\nst.global.u32 [%%d2+4096], %%r2;\n"
        "add.u32 %%r1, %%r1, 32;\nsetp.lt.u32 %%p0, %%r1, 1024;\n@%%p0 bra TELL;\n",
        r->from, r->first, r->to, r->second, r->half, matrices, turned, generic ? "" : ".shared",
        lists[matrices - 1], generic ? "%d0" : "%r6", matrices, turned, generic ? "" : ".shared",
        generic ? "%d1" : "%r7", lists[matrices - 1]);
    RUN(.target = "sm_90", .before = ".shared .align 128 .b8 s[4096];", .body = body);
}

Test(matrix, rows_move_and_count_as_elements)
{
    static const struct rows all[] = {{1, 0, 1, 128, 0}, {1, 7, 8, 0, 0},   {8, 0, 3, 5, 0},
                                      {8, 3, 0, 9, 0},   {0, 5, 1, 0, 0},   {5, 1, 7, 2, 0},
                                      {37, 4, 5, 11, 0}, {64, 1, 64, 2, 0}, {2, 0, 1, 1, 1},
                                      {255, 0, 16, 0, 0}};
    static uint32_t want[2048];
    const char *turned[] = {"", ".trans"};

    setenv("WARPLAB_SAMPLE", "0", 1); /* nobody listens: then it goes by rows */
    for (size_t k = 0; k < 2 * sizeof(all) / sizeof(all[0]); k++)
        for (int matrices = 1; matrices <= 4; matrices *= 2) {
            move(&all[k / 2], matrices, turned[k % 2], true);
            memcpy(want, out, sizeof(want));
            struct counters c = result.counters;
            move(&all[k / 2], matrices, turned[k % 2], false);
            cr_assert(!memcmp(want, out, sizeof(want)), "x%d%s, %u t + %u", matrices, turned[k % 2],
                      all[k / 2].from, all[k / 2].first);
            cr_assert(c.ldmatrix_requests == 1 && c.stmatrix_requests == 1);
#define SAME(counter)                                                                              \
    cr_assert_eq(result.counters.counter, c.counter, #counter ": %llu, not %llu",                  \
                 (unsigned long long)result.counters.counter, (unsigned long long)c.counter)
            SAME(ldmatrix_requests);
            SAME(stmatrix_requests);
            SAME(shared_ld_requests);
            SAME(shared_ld_wavefronts);
            SAME(shared_ld_bank_conflicts);
            SAME(shared_ld_bytes);
            SAME(shared_ld_strided);
            SAME(shared_ld_lanes_32);
            SAME(shared_st_requests);
            SAME(shared_st_wavefronts);
            SAME(shared_st_bank_conflicts);
            SAME(shared_st_bytes);
        }
}

/* As Nsight Compute counts on an H200: eight rows of 16 bytes in one pass, in as many as meet in a
 * bank, however they are turned. */
Test(matrix, a_matrix_is_a_pass)
{
    static const struct {
        unsigned pitch, passes;
    } all[] = {{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {9, 1}};
    const char *turned[] = {"", ".trans"};

    for (size_t k = 0; k < 2 * sizeof(all) / sizeof(all[0]); k++) {
        unsigned pitch = all[k / 2].pitch, passes = all[k / 2].passes;
        struct rows r = {pitch, 0, pitch, 0, 0};
        move(&r, 4, turned[k % 2], false);
        uint64_t loads = result.counters.shared_ld_requests;
        cr_expect_eq(result.counters.shared_ld_wavefronts, loads + 4 * passes, "%u", pitch);
        cr_expect_eq(result.counters.shared_ld_bank_conflicts, 4 * (passes - 1), "%u", pitch);
        cr_expect_eq(result.counters.shared_st_bank_conflicts, 4 * (passes - 1), "%u", pitch);
    }
}
