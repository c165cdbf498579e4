/* guard_test.c - shared variables that lie apart in checked launches: what is found then,
 * and that nothing else changes.
 *
 * Each kernel has one parameter, a buffer of zeroed words. Criterion runs each test in a process
 * of its own.
 */
#include "launch.h"
#include "emulator/base/error.h"
#include "emulator/check/check.h"
#include "emulator/base/mem.h"
#include "emulator/runtime/warplab.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define WORDS 1024

static uint32_t *out; /* the buffer after the last launch */
static struct emu_result result;

/* variables: at module scope; body: %t, %out and %mine (&out[%t]) are set, %r0-9 are free */
static cudaError_t run(const char *kernel, const char *variables, const char *body,
                       uint32_t dynamic, bool checked)
{
    char text[8192];
    const char *texts[] = {text};
    struct mem_alloc *a = mem_alloc(WORDS * 4, 256, MEM_PINNED, NULL);
    struct emu_module *m;
    int n = snprintf(text, sizeof(text),
                     ".version 8.0\n.target sm_80\n.address_size 64\n%s\n"
                     ".visible .entry %s(.param .u64 out)\n{\n.reg .b32 %%t, %%r<10>;\n"
                     ".reg .b64 %%out, %%mine;\nld.param.u64 %%out, [out];\nmov.u32 %%t, %%tid.x;\n"
                     "mul.wide.u32 %%mine, %%t, 4;\nadd.u64 %%mine, %%out, %%mine;\n%s\nret;\n}\n",
                     variables, kernel, body);
    size_t lengths[] = {(size_t)n};

    cr_assert_lt((size_t)n, sizeof(text));
    out = (uint32_t *)a->host;
    memset(out, 0, WORDS * 4);
    check_set(checked);
    cr_assert_eq(emu_module_load(texts, lengths, 1, "test", &m), cudaSuccess, "%s",
                 emu_error_text());
    struct emu_launch l = {.func = emu_module_func(m, kernel),
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .shared_bytes = dynamic,
                           .params = &a->addr};
    return emu_launch(&l, &result);
}

/* Found in a checked launch, in these words; not in any other. */
static void expect_found(const char *variables, const char *body, uint32_t dynamic,
                         const char *words)
{
    cr_expect_eq(run("k", variables, body, dynamic, false), cudaSuccess, "%s", emu_error_text());
    cr_expect_eq(run("k", variables, body, dynamic, true), cudaErrorIllegalAddress, "not found: %s",
                 words);
    cr_expect(strstr(emu_error_text(), words), "no '%s' in %s", words, emu_error_text());
}

/* Found in any launch. */
static void expect_words(const char *body, const char *words)
{
    cr_expect_eq(run("k", ".shared .align 4 .b8 s[512];\n", body, 0, false),
                 cudaErrorIllegalAddress, "not found: %s", words);
    cr_expect(strstr(emu_error_text(), words), "no '%s' in %s", words, emu_error_text());
}

static void expect_none(const char *kernel, const char *variables, const char *body,
                        uint32_t dynamic)
{
    for (int checked = 0; checked < 2; checked++)
        cr_expect_eq(run(kernel, variables, body, dynamic, checked), cudaSuccess, "%s",
                     emu_error_text());
    cr_expect_eq(warplabFindingCount(), 0, "%s", warplabFinding(0));
}

#define TWO          ".shared .align 4 .b8 _ZZ1kE4tile[128];\n.shared .align 4 .b8 next[256];\n"
#define AT(variable) "mov.u32 %r0, " variable ";\nshl.b32 %r1, %t, 2;\nadd.u32 %r0, %r0, %r1;\n"

Test(check_guard, past_the_end_of_a_variable)
{
    expect_found(TWO, AT("_ZZ1kE4tile") "st.shared.u32 [%r0+4], %t;\nmov.u32 %r2, next;", 0,
                 "4 bytes at byte 128 of 'tile' (128 bytes of shared memory)");
}

Test(check_guard, before_a_variable)
{
    expect_found(TWO, "mov.u32 %r2, _ZZ1kE4tile;\n" AT("next") "st.shared.u32 [%r0-4], %t;", 0,
                 "4 bytes at 4 bytes before 'next' in shared memory");
}

Test(check_guard, an_index_below_zero)
{
    expect_words(
        "mov.u32 %r0, s;\nst.shared.u32 [%r0-128], %t;",
        "offset 4294967168 (2^32 more than -128: is an index negative?), but the block has");
    expect_words(
        "mov.u64 %mine, s;\nadd.u64 %mine, %mine, 17179869056;\nst.shared.u32 [%mine], %t;",
        "offset 4294967168 (2^32 more than -128: is an index negative?)");
}

/* The upper half of a shared address is nothing: 2^32 elements are taken off by it. */
Test(check_guard, round_the_end_of_32_bits)
{
    static const char *const accesses[] = {
        "st.shared.u32 [%mine], %t;", "ld.shared.u32 %t, [%mine];",
        "atom.shared.add.u32 %t, [%mine], 1;", "st.shared.u8 [%mine], %t;",
        "ld.shared.u8 %t, [%mine];"};

    for (int i = 0; i < 5; i++) {
        struct text body = {0};

        text_addf(&body,
                  "mov.u32 %%r0, s;\nst.shared.u32 [%%r0+8], %%t;\nmov.u64 %%mine, s;\n"
                  "add.u64 %%mine, %%mine, 17179869192;\n%s",
                  accesses[i]);
        cr_expect_eq(run("k", ".shared .align 4 .b8 s[512];\n", text_str(&body), 0, false),
                     cudaSuccess, "%s: %s", accesses[i], emu_error_text());
        text_free(&body);
    }
}

Test(check_guard, partly_past_the_end)
{
    expect_found(".shared .align 16 .b8 a[120];\n.shared .align 8 .b8 b[256];\n",
                 "mov.u32 %r2, b;\nst.shared.v4.u32 [a+112], {%t, %t, %t, %t};", 0,
                 "16 bytes at byte 112 of 'a' (120 bytes of shared memory)");
}

Test(check_guard, atomics_and_generic_addresses_past_the_end)
{
    expect_found(TWO, "mov.u32 %r2, next;\natom.shared.add.u32 %r3, [_ZZ1kE4tile+128], 1;", 0,
                 "byte 128 of 'tile'");
    expect_found(TWO,
                 "mov.u32 %r2, next;\nmov.u64 %mine, _ZZ1kE4tile;\ncvta.shared.u64 %mine, %mine;\n"
                 "st.u32 [%mine+128], %t;",
                 0, "byte 128 of 'tile'");
}

Test(check_guard, past_the_end_into_dynamic_memory)
{
    expect_found(".shared .align 4 .b8 a[128];\n.extern .shared .align 4 .b8 dynamic[];\n",
                 AT("a") "st.shared.u32 [%r0+64], %t;\nmov.u32 %r2, dynamic;", 256,
                 "byte 128 of 'a' (128 bytes of shared memory)");
}

/* Several names of dynamic memory are one place; its end is the window's. */
#define DYNAMIC                                                                                    \
    ".shared .align 4 .b8 a[20];\n.extern .shared .align 4 .b8 d[];\n"                             \
    ".extern .shared .align 16 .b8 e[];\n"
Test(check_guard, dynamic_memory_is_one)
{
    expect_none("k", DYNAMIC,
                "mov.u32 %r5, a;\n" AT("d") "st.shared.u32 [%r0], %t;\nbar.warp.sync -1;\n"
                                            "mov.u32 %r3, e;\nmov.u32 %r4, d;\n"
                                            "sub.u32 %r4, %r3, %r4;\nld.shared.u32 %r6, [%r3];\n"
                                            "st.global.u32 [%out], %r4;\n"
                                            "st.global.u32 [%out+4], %r6;",
                140);
    cr_expect(out[0] == 12 && out[1] == 3, "%u %u", out[0], out[1]);
    cr_expect_eq(run("k", DYNAMIC,
                     "mov.u32 %r5, a;\nmov.u32 %r6, e;\n" AT("d") "st.shared.u32 [%r0+16], %t;",
                     128, true),
                 cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "byte 140 of 'd' (140 bytes"), "%s", emu_error_text());
}

/* Addresses in device functions, and inside a variable, are moved as well; banks stay. */
Test(check_guard, counts_and_results_are_the_same)
{
    static const char variables[] =
        ".shared .align 1 .b8 odd[37];\n.shared .align 4 .b8 words[4096];\n"
        ".shared .align 2 .b8 halves[6];\n.shared .align 256 .b8 wide[512];\n"
        ".func (.param .b32 y) inner(.param .b32 x)\n{\n.reg .u32 %a, %b, %x, %y;\n"
        "ld.param.u32 %x, [x];\nshl.b32 %a, %x, 5;\nmov.u32 %b, words+8;\nadd.u32 %b, %b, %a;\n"
        "st.shared.u32 [%b], %x;\nld.shared.u32 %y, [%b];\nst.shared.u32 [words], 9;\n"
        "st.param.u32 [y], %y;\nret;\n}\n";
    static const char body[] =
        "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %t;\ncall.uni (y), inner, (x);\n"
        "ld.param.b32 %r5, [y];\n}\nst.shared.u8 [odd+36], %t;\n"
        "mov.u32 %r6, wide;\nand.b32 %r7, %r6, 255;\nshl.b32 %r1, %t, 4;\n"
        "add.u32 %r1, %r1, %r6;\nst.shared.u32 [%r1], %t;\n"
        "mov.u32 %r8, halves;\nand.b32 %r8, %r8, 127;\nst.shared.u16 [halves], 1;\n"
        "ld.shared.u32 %r2, [words];\nadd.u32 %r5, %r5, %r2;\n"
        "st.global.u32 [%mine], %r5;\nst.global.u32 [%out+128], %r7;\nst.global.u32 [%out+132], "
        "%r8;";
    uint32_t words[34];

    cr_assert_eq(run("k", variables, body, 0, false), cudaSuccess, "%s", emu_error_text());
    struct counters plain = result.counters;
    memcpy(words, out, sizeof(words));
    cr_expect(words[3] == 12 && words[32] == 0, "%u %u", words[3], words[32]);
    cr_expect_gt(plain.shared_st_bank_conflicts, 0);
    cr_assert_eq(run("k", variables, body, 0, true), cudaSuccess, "%s", emu_error_text());
    cr_expect_arr_eq(out, words, sizeof(words));
    cr_expect_arr_eq(&result.counters, &plain, sizeof(plain));
}

/* CUB's kernels do so, and do not use what they read. */
Test(check_guard, what_libraries_read_past_the_end)
{
    static const char body[] = AT("_ZZ1kE4tile") "mov.u32 %r3, next;\nst.shared.u32 [%r0], %t;\n"
                                                 "bar.warp.sync -1;\nld.shared.u32 %r2, [%r0+4];";

    expect_none("_ZN3cub1kEv", TWO, body, 0);
    cr_expect_eq(run("k", TWO, body, 0, true), cudaErrorIllegalAddress);
}

/* Findings name the place by its variable. */
Test(check_guard, a_race_is_told_by_the_variable)
{
    cr_expect_eq(run("k", TWO,
                     "mov.u32 %r2, _ZZ1kE4tile;\n" AT("next") "st.shared.u32 [%r0], %t;\n"
                                                              "ld.shared.u32 %r2, [%r0+4];",
                     0, true),
                 cudaSuccess);
    cr_assert_geq(warplabFindingCount(), 1);
    cr_expect(strstr(warplabFinding(0), "byte 4 of 'next' (256 bytes of shared memory)"), "%s",
              warplabFinding(0));
    cr_expect(strstr(warplabFinding(0), "\"address\":132"), "%s", warplabFinding(0));
}
