/* opcodes_test.c - the rows of ptx/opcodes.def: each is whole, and what has no case runs. */
#include "emulator/exec/launch.h"
#include "lower.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static cudaError_t run(const char *statement)
{
    char text[1024];
    const char *at = text;
    struct emu_module *m;
    size_t n = (size_t)snprintf(text, sizeof(text),
                                ".version 8.7\n.target sm_90a\n.address_size 64\n"
                                ".entry k() { .reg .b32 r<4>; .reg .b64 d<4>; %s; ret; }",
                                statement);
    cr_assert_eq(emu_module_load(&at, &n, 1, "test", &m), cudaSuccess, "%s", emu_error_text());
    struct emu_launch l = {.func = emu_module_func(m, "k"),
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .params = &(uint64_t){0}};
    cudaError_t e = emu_launch(&l, NULL);
    emu_module_unload(m);
    return e;
}

/* Rows whose case is NOTHING: there is no result that a case could compare. */
Test(opcodes, that_do_nothing)
{
    static const char *const statements[] = {"pmevent 1",
                                             "griddepcontrol.wait",
                                             "griddepcontrol.launch_dependents",
                                             "setmaxnreg.inc.sync.aligned.u32 64", /* no bounds */
                                             "createpolicy.fractional.L2::evict_first.b64 d1, 1.0",
                                             ("createpolicy.range.global.L2::evict_last.b64 d1, "
                                              "[d0], 64, 128")};
    for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++)
        cr_expect_eq(run(statements[i]), cudaSuccess, "%s: %s", statements[i], emu_error_text());
}

/* PTX ISA, setmaxnreg: 24 to 256, a multiple of 8. */
Test(opcodes, registers_that_setmaxnreg_takes)
{
    static const char *const taken[] = {"dec.sync.aligned.u32 24", "inc.sync.aligned.u32 232",
                                        "inc.sync.aligned.u32 256"};
    static const char *const refused[] = {"dec.sync.aligned.u32 41", "inc.sync.aligned.u32 233",
                                          "dec.sync.aligned.u32 16", "inc.sync.aligned.u32 264",
                                          "dec.sync.aligned.u32 0",  "dec.sync.aligned.u32 r0"};
    char statement[80];

    cr_assert(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
        snprintf(statement, sizeof(statement), "setmaxnreg.%s", taken[i]);
        cr_expect_eq(run(statement), cudaSuccess, "%s: %s", statement, emu_error_text());
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        snprintf(statement, sizeof(statement), "setmaxnreg.%s", refused[i]);
        cr_expect_eq(run(statement), cudaErrorInvalidPtx, "%s", statement);
        cr_expect(strstr(emu_error_text(), "24 to 256, and a multiple of 8"), "%s: %s", statement,
                  emu_error_text());
    }
}

Test(opcodes, that_are_not_there)
{
    static const char *const statements[] = {
        "vadd.u32.u32.u32 r0, r1, r1, r1", /* no such opcode here, */
        "vadd.s32.s32.s32.sat r0, r1, r1", /* whatever its modifiers, */
        "add.f32x2 d0, d1, d1",            /* no such type, */
        "mad24.hi.sat.s32 r0, r1, r1, r1", /* no such handler */
        "add.f16x2.f16x2 r0, r1, r1",
    };
    cr_assert(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++) {
        cr_expect_eq(run(statements[i]), cudaErrorInvalidPtx, "%s", statements[i]);
        cr_expect(strstr(emu_error_text(), "not supported by the emulator"), "%s: %s",
                  statements[i], emu_error_text());
    }
}

/* A type that a row lists is one that its handlers have. */
Test(opcodes, handlers_of_all_types)
{
    for (int op = 0; op < OP_COUNT; op++) {
        const struct ptx_insn in = {.op = (enum ptx_op)op};
        const struct opcode *o = opcode_of(&in);
        cr_expect(o->lower && o->forms && o->forms[0].types, "%s", ptx_op_name(in.op));
        for (const struct form *f = o->forms; f->types; f++) {
            lowering *lower = f->lower ? f->lower : o->lower;
            bool by_row = lower == lower_1 || lower == lower_2 || lower == lower_3 ||
                          lower == lower_logic_1 || lower == lower_logic_2 ||
                          lower == lower_shift || lower == lower_setp || lower == lower_selp;
            for (int t = 0; by_row && !o->handler && t < PTX_TYPE_COUNT; t++)
                if (f->types >> t & 1)
                    cr_expect(handler_of(o->family, (enum ptx_type)t), "%s.%s has no handler",
                              ptx_op_name(in.op), ptx_type_name((enum ptx_type)t));
        }
    }
}
