/* lower_suffix_test.c - modifiers that an instruction takes, and those it does not: each row as
 * ptxas 13.0 has it for sm_90, but for what is not supported.
 */
#include "emulator/base/error.h"
#include "emulator/exec/launch.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static cudaError_t lower(const char *statement)
{
    char text[1024];
    const char *at = text;
    struct emu_module *m;
    size_t n = (size_t)snprintf(text, sizeof(text),
                                ".version 8.7\n.target sm_90\n.address_size 64\n"
                                ".entry k() { .reg .pred p; .reg .b16 h<4>; .reg .b32 r<4>;\n"
                                ".reg .b64 d<4>; %s; ret; }",
                                statement);
    cudaError_t e = emu_module_load(&at, &n, 1, "test", &m);

    cr_assert_eq(e, cudaSuccess, "%s", statement);
    struct emu_launch l = {.func = emu_module_func(m, "k"),
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .params = &(uint64_t){0}};
    e = emu_launch(&l, NULL);
    emu_module_unload(m);
    return e;
}

Test(lower_suffix, taken)
{
    static const char *const statements[] = {
        "add.sat.s32 r0, r1, r1",
        "add.cc.u64 d0, d1, d1",
        "add.rz.ftz.sat.f32 r0, r1, r1",
        "fma.rn.relu.f16x2 r0, r1, r1, r1",
        "fma.rz.bf16 h0, h1, h1, h1",
        "mad.hi.sat.s32 r0, r1, r1, r1",
        "min.ftz.NaN.xorsign.abs.f32 r0, r1, r1",
        "max.relu.s32 r0, r1, r1",
        "div.full.ftz.f32 r0, r1, r1",
        "rcp.approx.ftz.f64 d0, d1",
        "rsqrt.approx.ftz.f64 d0, d1",
        "abs.ftz.f16 h0, h1",
        "setp.ltu.and.ftz.f32 p, r0, r1, p",
        "setp.hs.u16 p, h0, h1",
        "set.eq.ftz.u32.f32 r0, r0, r1",
        "slct.ftz.b16.f32 h0, h1, h1, r1",
        "bfind.shiftamt.u64 r0, d1",
        "cvt.sat.u8.s32 h0, r1",
        "cvt.rn.satfinite.f16.f32 h0, r1",
        "cvt.rzi.ftz.sat.s16.f32 h0, r1",
        "cvt.f64.bf16 d0, h1",
        "cvt.rn.relu.f16x2.f32 r0, r1, r1",
        "shfl.sync.bfly.b32 r0, r1, 1, 31, -1",
    };

    for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++)
        cr_expect_eq(lower(statements[i]), cudaSuccess, "%s: %s", statements[i], emu_error_text());
}

Test(lower_suffix, refused)
{
    static const struct {
        const char *statement, *says;
    } rows[] = {
        {"add.ftz.u32 r0, r1, r1", "add of .u32 takes no .ftz"},
        {"add.sat.u32 r0, r1, r1", "add of .u32 takes no .sat"},
        {"add.ftz.f64 d0, d1, d1", "add of .f64 takes no .ftz"},
        {"add.rz.f16 h0, h1, h1", "add of .f16 takes no .rz"},
        {"add.rn.rz.f32 r0, r1, r1", "add takes at most one of: rn rz"},
        {"add.global.u32 r0, r1, r1", "add takes no state space"},
        {"add.v2.u32 r0, r1, r1", "add takes no vector width"},
        {"add.ca.u32 r0, r1, r1", "add takes no cache operator"},
        {"mul.s32 r0, r1, r1", "mul of .s32 needs .lo, .hi or .wide"},
        {"fma.f32 r0, r1, r1, r1", "fma of .f32 does not say how to round"},
        {"min.sat.f32 r0, r1, r1", "min of .f32 takes no .sat"},
        {"sqrt.approx.f64 d0, d1", "sqrt of .f64 takes no .approx"},
        {"and.cc.b32 r0, r1, r1", "and of .b32 takes no .cc"},
        {"setp.lo.s32 p, r0, r1", "setp of .s32 takes no .lo"},
        {"setp.num.u32 p, r0, r1", "setp of .u32 takes no .num"},
        {"setp.lt.ftz.f64 p, d0, d1", "setp of .f64 takes no .ftz"},
        {"cvt.rn.f64.f32 d0, r1", "cvt of .f32 takes no .rn"},
        {"cvt.ftz.rzi.s32.f64 r0, d1", "cvt of .f64 takes no .ftz"},
        {"cvt.f32.f64 r0, d1", "cvt of .f64 does not say how to round"},
        {"mov.sat.b32 r0, r1", "mov of .b32 takes no .sat"},
        {"ld.ftz.global.b32 r0, [d0]", "ld of .b32 takes no .ftz"},
        {"bar.sat.sync 0", "bar takes no .sat"},
        {"fence.ftz.sc.gpu", "fence takes no .ftz"},
    };

    cr_assert(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        cr_expect_eq(lower(rows[i].statement), cudaErrorInvalidPtx, "%s", rows[i].statement);
        cr_expect(strstr(emu_error_text(), rows[i].says), "%s: %s", rows[i].statement,
                  emu_error_text());
    }
}
