/* fragment_test.c - wmma.load and wmma.store in shared memory go lane by lane at first, then by
 * whole lines: both move the same, and count it alike.
 */
#include "testing.h"
#include "emulator/base/counters.h"
#include <stdlib.h>
#include <string.h>

struct move {
    const char *part, *layout, *shape, *type;
    int registers; /* a lane */
    int line;      /* elements side by side in memory */
};
static const struct move moves[] = {
    {"a", "row", "m16n16k16", "f16", 8, 16},  {"b", "col", "m16n16k16", "f16", 8, 16},
    {"a", "col", "m32n8k16", "f16", 8, 32},   {"b", "row", "m32n8k16", "f16", 8, 8},
    {"a", "row", "m16n16k16", "bf16", 4, 16}, {"b", "col", "m8n32k16", "bf16", 8, 16},
    {"b", "row", "m32n8k16", "bf16", 2, 8},   {"a", "row", "m16n16k8", "tf32", 4, 8},
    {"b", "row", "m16n16k8", "tf32", 4, 16},  {"a", "row", "m16n16k16", "s8", 2, 16},
    {"b", "row", "m32n8k16", "u8", 1, 8},     {"a", "row", "m8n8k4", "f64", 1, 4},
    {"b", "col", "m8n8k4", "f64", 1, 4},      {"c", "row", "m16n16k16", "f32", 8, 16},
    {"c", "col", "m16n16k16", "f32", 8, 16},  {"c", "row", "m32n8k16", "f16", 4, 8},
    {"c", "col", "m8n32k16", "f16", 4, 8},    {"c", "row", "m16n16k16", "s32", 8, 16},
    {"c", "row", "m8n8k4", "f64", 2, 8},      {"c", "col", "m8n8k4", "f64", 2, 8},
    {"a", "row", "m8n8k32", "s4", 1, 32},     {"b", "col", "m8n8k32", "u4", 1, 32},
    {"c", "row", "m8n8k32", "s32", 2, 8},     {"c", "col", "m8n8k128", "s32", 2, 8},
};

static const char *list(const struct move *m)
{
    static const char *const words[] = {"{a0, a1, a2, a3, a4, a5, a6, a7}", "{a0}", "{a0, a1}", "",
                                        "{a0, a1, a2, a3}"};
    return !strcmp(m->type, "f64") ? m->registers == 1 ? "{e0}" : "{e0, e1}"
                                   : words[m->registers % 8];
}
/* A load from d0, told at d1; of an accumulator it goes back, 4096 bytes on. */
static int add_move(char *to, size_t room, const struct move *m, int stride, const char *space)
{
    int wide = !strcmp(m->type, "f64"),
        n = snprintf(to, room, "{ .reg .b32 a<8>; .reg .b64 e<2>;\n");
    n +=
        snprintf(to + n, room - (size_t)n, "wmma.load.%s.sync.aligned.%s.%s%s.%s %s, [%%d0], %d;\n",
                 m->part, m->layout, m->shape, space, m->type, list(m), stride);
    if (*m->part == 'c')
        n += snprintf(to + n, room - (size_t)n,
                      "wmma.store.d.sync.aligned.%s.%s%s.%s [%%d0+4096], %s, %d;\n", m->layout,
                      m->shape, space, m->type, list(m), stride);
    for (int r = 0; r < m->registers; r++)
        n += snprintf(to + n, room - (size_t)n, "st.global.b%d [%%d1+%d], %c%d;\n", wide ? 64 : 32,
                      r * 256, wide ? 'e' : 'a', r);
    return n + snprintf(to + n, room - (size_t)n, "}\n");
}
/* Twice, 96 bytes apart: by one instruction or by two */
static cudaError_t move_twice(const struct move *m, int stride, bool generic, bool by_one,
                              int apart)
{
    static char body[8192];
    const char *on = "add.u64 %d0, %d0, %d3;\nadd.u64 %d1, %d1, 2048;\n";
    int n = snprintf(body, sizeof(body),
                     "mov.u32 %%r0, s;\nmov.u32 %%r1, %%t;\n"
                     "FILL: mul.lo.u32 %%r2, %%r1, 2654435761;\nshl.b32 %%r3, %%r1, 2;\n"
                     "add.u32 %%r3, %%r3, %%r0;\nst.shared.u32 [%%r3], %%r2;\nadd.u32 %%r1, %%r1, "
                     "32;\nsetp.lt.u32 %%p0, %%r1, 2048;\n@%%p0 bra FILL;\nbar.warp.sync -1;\n"
                     "cvt.u64.u32 %%d0, %%r0;\n%smov.u64 %%d3, %d;\nmov.u32 %%r4, 0;\n"
                     "mul.wide.u32 %%d1, %%t, 8;\nadd.u64 %%d1, %%d1, %%out;\nTOP:\n",
                     generic ? "cvta.shared.u64 %d0, %d0;\n" : "", apart);
    for (int k = 0; k < (by_one ? 1 : 2); k++) {
        n += add_move(body + n, sizeof(body) - (size_t)n, m, stride, generic ? "" : ".shared");
        n += snprintf(body + n, sizeof(body) - (size_t)n, "%s", on);
    }
    snprintf(
        body + n, sizeof(body) - (size_t)n,
        "add.u32 %%r4, %%r4, 1;\nsetp.lt.u32 %%p0, %%r4, %d;\n@%%p0 bra TOP;\n"
        "bar.warp.sync -1;\nmov.u32 %%r1, %%t;\n"
        "TELL: shl.b32 %%r3, %%r1, 2;\nadd.u32 %%r2, %%r3, %%r0;\nld.shared.u32 %%r2, [%%r2];\n"
        "cvt.u64.u32 %%d2, %%r3;\nadd.u64 %%d2, %%d2, %%out;\nst.global.u32 [%%d2+8192], %%r2;\n"
        "add.u32 %%r1, %%r1, 32;\nsetp.lt.u32 %%p0, %%r1, 2048;\n@%%p0 bra TELL;\n",
        by_one ? 2 : 1);
    return launch((struct program){
        .target = "sm_90", .before = ".shared .align 128 .b8 s[8192];", .body = body});
}

Test(fragment, lines_move_and_count_as_lanes)
{
    static uint32_t want[WORDS];

    setenv("WARPLAB_SAMPLE", "0", 1); /* nobody listens: then it goes by lines */
    for (size_t k = 0; k < 8 * sizeof(moves) / sizeof(moves[0]); k++) {
        const struct move *m = &moves[k / 8];
        int stride = m->line + (int)(k % 4 == 3 ? 48 : k % 4 * 8);
        cr_assert_eq(move_twice(m, stride, k & 4, false, 96), cudaSuccess, "%s", emu_error_text());
        memcpy(want, out, sizeof(want));
        struct counters c = result.counters;
        cr_assert_eq(move_twice(m, stride, k & 4, true, 96), cudaSuccess, "%s", emu_error_text());
        cr_expect(!memcmp(want, out, sizeof(want)), "%s %s %s %s, %d", m->part, m->layout, m->shape,
                  m->type, stride);
#define SAME(counter)                                                                              \
    cr_expect_eq(result.counters.counter, c.counter,                                               \
                 #counter " of %s %s %s %s, %d: %llu, not %llu", m->part, m->layout, m->shape,     \
                 m->type, stride, (unsigned long long)result.counters.counter,                     \
                 (unsigned long long)c.counter)
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

Test(fragment, later_lines_are_looked_at_too)
{
    setenv("WARPLAB_SAMPLE", "0", 1);
    cr_assert_eq(move_twice(&moves[4], 16, false, true, 8192), cudaErrorIllegalAddress);
}
Test(fragment, later_lines_are_aligned_too)
{
    setenv("WARPLAB_SAMPLE", "0", 1);
    cr_assert_eq(move_twice(&moves[4], 16, false, true, 2), cudaErrorMisalignedAddress);
}
