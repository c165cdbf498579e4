/* paths_test.c - ways through a program, with barriers on them and without. */
#include "private.h"
#include "emulator/code/code.h"
#include <criterion/criterion.h>
#include <stdio.h>

static const char header[] = ".version 8.7\n.target sm_90\n.address_size 64\n"
                             ".entry k() { .reg .b32 r<4>; .reg .pred p<2>; .shared .b32 s[64];\n";
static struct emu_module *module;
static const struct emu_func *f;

/* Instructions are counted from 0. */
static void load(const char *body)
{
    static char text[2048];
    const char *at = text;
    size_t n = (size_t)snprintf(text, sizeof(text), "%s%s\nret; }\n", header, body);

    cr_assert_eq(emu_module_load(&at, &n, 1, "test", &module), cudaSuccess, "%s", emu_error_text());
    struct emu_func *k = emu_module_func(module, "k");
    cr_assert_eq(lower_func(k), cudaSuccess, "%s", emu_error_text());
    f = k;
}

static bool way(uint32_t from, uint32_t to)
{
    return way_without_barrier(f, &f->sites[from], &f->sites[to]);
}

/* for (…) { store; barrier; load; } : the next store may come before the others' loads. */
Test(paths, round_a_loop)
{
    load("again: st.shared.b32 [s], r0;\n bar.sync 0;\n ld.shared.b32 r1, [s];\n"
         "setp.lt.s32 p0, r1, r2;\n @p0 bra again;");
    cr_expect_not(way(0, 2));
    cr_expect(way(2, 0));
    emu_module_unload(module);
}

Test(paths, both_barriers)
{
    load("again: st.shared.b32 [s], r0;\n bar.sync 0;\n ld.shared.b32 r1, [s];\n bar.sync 0;\n"
         "setp.lt.s32 p0, r1, r2;\n @p0 bra again;");
    cr_expect_not(way(0, 2));
    cr_expect_not(way(2, 0));
    emu_module_unload(module);
}

/* A barrier that some do not reach, and one for a warp, stand in nobody's way. */
Test(paths, no_barriers_of_the_block)
{
    load("st.shared.b32 [s], r0;\n @p0 bar.sync 0;\n bar.warp.sync 0xffffffff;\n"
         "ld.shared.b32 r1, [s];");
    cr_expect(way(0, 3));
    cr_expect_not(way(3, 0), "there is no way back");
    emu_module_unload(module);
}

/* if (…) barrier in one branch alone. */
Test(paths, round_a_branch)
{
    load("st.shared.b32 [s], r0;\n @p0 bra past;\n bar.sync 0;\n past: ld.shared.b32 r1, [s];");
    cr_expect(way(0, 3));
    emu_module_unload(module);
}

Test(paths, unknown_places_are_granted)
{
    static const struct site elsewhere;

    load("st.shared.b32 [s], r0;\n bar.sync 0;\n ld.shared.b32 r1, [s];");
    cr_expect_not(way(0, 2));
    cr_expect(way_without_barrier(f, &elsewhere, &f->sites[2]));
    cr_expect(way_without_barrier(NULL, &f->sites[0], &f->sites[2]));
    emu_module_unload(module);
}

Test(paths, addresses)
{
    load("ld.shared.b32 r1, [r0];\n ld.shared.b32 r2, [r0+4];\n ld.shared.b32 r2, [r3];\n"
         "st.shared.b32 [r0], r1;\n st.shared.b32 [s], r1;");
    cr_expect(one_address(f, &f->sites[0], &f->sites[3]));
    cr_expect_not(one_address(f, &f->sites[1], &f->sites[3]));
    cr_expect_not(one_address(f, &f->sites[2], &f->sites[3]));
    cr_expect_not(one_address(f, &f->sites[4], &f->sites[3]));
    emu_module_unload(module);
}

/* Through registers, round a loop, and by what is loaded from there; not by what is stored. */
Test(paths, addresses_of_a_block)
{
    load("mov.u32 r0, %ctaid.x;\n again: ld.shared.b32 r1, [r3];\n ld.shared.b32 r2, [r1];\n"
         "add.u32 r3, r0, r0;\n st.shared.b32 [s], r0;\n @p0 bra again;");
    cr_expect(address_of_block(f, &f->sites[1]));
    cr_expect(address_of_block(f, &f->sites[2]));
    cr_expect_not(address_of_block(f, &f->sites[4]));
    cr_expect(address_of_block(NULL, &f->sites[4]));
    emu_module_unload(module);
}

Test(paths, of_a_kernel_that_asks_for_its_block)
{
    load("mov.u32 r0, %tid.x;");
    cr_expect_not(asks_for_block(f));
    emu_module_unload(module);
    load("mov.u32 r0, %tid.x;\n mov.u32 r1, %ctaid.x;");
    cr_expect(asks_for_block(f));
    emu_module_unload(module);
    cr_expect_not(asks_for_block(NULL));
}
