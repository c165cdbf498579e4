/* site_test.c - what later stages are told of an instruction, instead of reading its text. */
#include "code.h"
#include <criterion/criterion.h>
#include <stdio.h>

static const struct {
    const char *statement;
    bool load, atomic, cas, arrives, approximate, returns;
} rows[] = {
    /* statement                            load   atomic cas    arrives approximate, returns */
    {"ld.global.u32 r0, [d0]", true, false, false, false, false, false},
    {"ldu.global.u32 r0, [d0]", true, false, false, false, false, false},
    {"st.global.u32 [d0], r0", false, false, false, false, false, false},
    {"atom.global.add.u32 r0, [d0], r1", false, true, false, false, false, true},
    {"atom.global.cas.b32 r0, [d0], r1, r1", false, true, true, false, false, true},
    {"atom.global.add.u32 r2, [d0], r1", false, true, false, false, false, false},
    {"atom.global.exch.b32 r3, [d0], r1", false, true, false, false, false, true},
    {"red.global.add.u32 [d0], r1", false, true, false, false, false, false},
    {"redux.sync.add.s32 r0, r1, -1", false, false, false, false, false, false},
    {"bar.sync 0", false, false, false, false, false, false},
    {"barrier.cta.arrive 1, 32", false, false, false, true, false, false},
    {"div.full.f32 r0, r1, r1", false, false, false, false, true, false},
    {"sqrt.approx.f32 r0, r1", false, false, false, false, true, false},
    {"sqrt.rn.f32 r0, r1", false, false, false, false, false, false},
};
#define NROWS (sizeof(rows) / sizeof(*rows))

Test(site, facts)
{
    char text[4096];
    const char *at = text;
    struct emu_module *m;
    size_t n = (size_t)snprintf(text, sizeof(text),
                                ".version 8.7\n.target sm_90\n.address_size 64\n.entry k()\n"
                                "{ .reg .b32 r<4>; .reg .b64 d<1>; bra end;\n");
    for (size_t i = 0; i < NROWS; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s;\n", rows[i].statement);
    n += (size_t)snprintf(text + n, sizeof(text) - n, "end: ret; }\n");
    cr_assert_eq(emu_module_load(&at, &n, 1, "test", &m), cudaSuccess, "%s", emu_error_text());
    struct emu_func *f = emu_module_func(m, "k");
    cr_assert_eq(lower_func(f), cudaSuccess, "%s", emu_error_text());
    for (size_t i = 0; i < NROWS; i++) {
        const struct site *s = &f->sites[i + 1];
        cr_expect_eq(s->load, rows[i].load, "%s", s->opcode);
        cr_expect_eq(s->atomic, rows[i].atomic, "%s", s->opcode);
        cr_expect_eq(s->cas, rows[i].cas, "%s", s->opcode);
        cr_expect_eq(s->returns, rows[i].returns, "%s", s->opcode);
        cr_expect_eq(s->arrives, rows[i].arrives, "%s", s->opcode);
        cr_expect_eq(s->approximate, rows[i].approximate, "%s", s->opcode);
    }
    emu_module_unload(m);
}
