/* random_rows.h - the instructions random_gen.c writes programs from.
 *
 * Templates: see expand() there. Only instructions whose result the PTX ISA gives to the
 * bit. Float arithmetic names its rounding, or ptxas would contract a mul and an add.
 * A row that begins with "!" gets no guard.
 */
#ifndef EMULATOR_RANDOM_ROWS_H
#define EMULATOR_RANDOM_ROWS_H

#include <stdbool.h>

/* Half precision's arithmetic makes one NaN, 0x7fff (cases/ops.txt has it from an H200), and
 * programs see its bits. Where sign and payload are left open, these make it that one: for
 * %s0, and for the two of %t0. */
#define ONE_NAN(type, to) "setp.nan." type " %q0, %s0, %s0; selp.b16 " to ", 0x7fff, %s0, %q0;"
#define ONE_NAN2(type, to)                                                                         \
    "setp.nan." type " %q0|%q1, %t0, %t0; mov.b32 {%s0, %s1}, %t0;"                                \
    "selp.b16 %s0, 0x7fff, %s0, %q0; selp.b16 %s1, 0x7fff, %s1, %q1; mov.b32 " to ", {%s0, %s1};"

static const char *const simple_rows[] = {
    /* 32-bit integers */
    "<add|sub|mul.lo|mul.hi|min|max|mul24.lo|mul24.hi>.<u32|s32> @R, @r, @x;",
    "<add|sub>.<u32|s32> @R, @r, @x;",
    "<add|sub>.sat.s32 @R, @r, @x;",
    "<mad.lo|mad.hi|mad24.lo|sad>.<u32|s32> @R, @r, @x, @r;",
    "or.b32 %t0, @r, 1; and.b32 %t0, %t0, 0x7fffffff; <div|rem>.<u32|s32> @R, @r, %t0;",
    "<abs|neg>.s32 @R, @r;",
    "<popc|clz|brev>.b32 @R, @r;",
    "bfind<|.shiftamt>.<u32|s32> @R, @r;",
    "and.b32 %t0, @r, 63; and.b32 %t1, @r, 63; bfe.<u32|s32> @R, @r, %t0, %t1;",
    "and.b32 %t0, @r, 63; and.b32 %t1, @r, 63; bfi.b32 @R, @r, @r, %t0, %t1;",
    "szext.<wrap|clamp>.<u32|s32> @R, @r, @r;",
    "bmsk.<wrap|clamp>.b32 @R, @r, @r;",
    "dp4a.<u32|s32>.<u32|s32> @R, @r, @r, @r;",
    "dp2a.<lo|hi>.<u32|s32>.<u32|s32> @R, @r, @r, @r;",
    "<and|or|xor>.b32 @R, @r, @x;",
    "not.b32 @R, @r;", /* ptxas 13.0 crashes on a loop of shl.b16 by a cnot.b32 */
    "lop3.b32 @R, @r, @r, @r, @b;",
    "<shl.b32|shr.u32|shr.s32|shr.b32> @R, @r, @x;",
    "shf.<l|r>.<clamp|wrap>.b32 @R, @r, @r, @x;",
    "prmt.b32 @R, @r, @r, @x;",
    "prmt.b32.<f4e|b4e|rc8|ecl|ecr|rc16> @R, @r, @r, @r;",
    "selp.<b32|u32|s32> @R, @r, @x, @p;",
    "slct.b32.s32 @R, @r, @r, @r;",
    "set.<eq|ne|lt|ge>.<u32|s32>.<u32|s32> @R, @r, @x;",
    "mov.b32 @R, @x;",
    "add.cc.u32 %t0, @r, @r; addc.u32 %t1, @r, @r; xor.b32 @R, %t0, %t1;",
    "sub.cc.u32 %t0, @r, @r; subc.cc.u32 %t1, @r, @r; subc.u32 %t2, %t0, %t1; mov.b32 @R, %t2;",
    "mad.lo.cc.u32 %t0, @r, @r, @r; madc.hi.u32 %t1, @r, @r, @r; sub.u32 @R, %t0, %t1;",
    /* 64-bit integers */
    "<add|sub|mul.lo|mul.hi|min|max>.<u64|s64> @D, @d, @d;",
    "<mad.lo|mad.hi|sad>.<u64|s64> @D, @d, @d, @d;",
    "mul.wide.<u32|s32> @D, @r, @x;",
    "mad.wide.<u32|s32> @D, @r, @x, @d;",
    "or.b64 %e0, @d, 1; shr.u64 %e0, %e0, 1; or.b64 %e0, %e0, 1; <div|rem>.<u64|s64> @D, @d, %e0;",
    "<abs|neg>.s64 @D, @d;",
    "<popc|clz>.b64 @R, @d;",
    "bfind.<u64|s64> @R, @d;",
    "brev.b64 @D, @d;",
    "and.b32 %t0, @r, 127; and.b32 %t1, @r, 127; bfe.<u64|s64> @D, @d, %t0, %t1;",
    "and.b32 %t0, @r, 127; and.b32 %t1, @r, 127; bfi.b64 @D, @d, @d, %t0, %t1;",
    "<and|or|xor>.b64 @D, @d, @d;",
    "<not|cnot>.b64 @D, @d;",
    /* no immediate: ptxas 13.0 loses a shl.b64 by 64 or more that follows a multiplication */
    "<shl.b64|shr.u64|shr.s64> @D, @d, @r;",
    "selp.b64 @D, @d, @d, @p;",
    "slct.b64.s32 @D, @d, @d, @r;",
    "add.cc.u64 %e0, @d, @d; addc.u64 %e1, @d, @d; xor.b64 @D, %e0, %e1;",
    "mov.b64 @D, {@r, @r};",
    "mov.b64 {%t0, %t1}, @d; sub.u32 @R, %t1, %t0;",
    "cvt.<u64.u32|s64.s32> @D, @r;",
    "cvt.u32.u64 @R, @d;",
    "cvt.sat.<u32|s32>.<u64|s64> @R, @d;",
    /* 16 bits and bytes */
    "<add|sub|mul.lo|mul.hi|min|max>.<u16|s16> @H, @h, @h;",
    "mad.lo.<u16|s16> @H, @h, @h, @h;",
    "mul.wide.<u16|s16> @R, @h, @h;",
    "<and|or|xor>.b16 @H, @h, @h;",
    /* bytes: ptxas 13.0 takes an immediate's lower 16 bits alone */
    "<shl.b16|shr.u16|shr.s16> @H, @h, <@r|@b>;",
    "<abs.s16|neg.s16|not.b16|cnot.b16> @H, @h;",
    "cvt.<u16|s16|u8|s8>.<u32|s32> @H, @r;",
    "cvt.sat.<u16|s16|u8|s8>.<u32|s32> @H, @r;",
    "cvt.<u32.u16 @R|s32.s16 @R|u64.u16 @D|s64.s16 @D>, @h;",
    "mov.b32 @R, {@h, @h};",
    "selp.b16 @H, @h, @h, @p;",
    /* predicates */
    "setp.<eq|ne|lt|le|gt|ge>.<u32|s32> @P, @r, @x;",
    "setp.<eq|ne|lt|le|gt|ge>.<u64|s64> @P, @d, @d;",
    "setp.<eq|ne|lt|le|gt|ge>.<u16|s16> @P, @h, @h;",
    "setp.<lo|ls|hi|hs>.u32 @P, @r, @x;",
    "setp.<lt|ge>.<and|or|xor>.s32 @P, @r, @x, <|!>@p;",
    "setp.<lt|eq>.<and|or|xor>.u32 %q0|%q1, @r, @x, @p; xor.pred @P, %q0, %q1;",
    "setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan><|.ftz>.f32 @P, @f, @y;",
    "setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>.f64 @P, @g, @g;",
    "<and|or|xor>.pred @P, @p, @p;",
    "not.pred @P, @p;",
    /* floats */
    "<add|sub|mul>.<rn|rz|rm|rp><|.ftz><|.sat>.f32 @F, @f, @y;",
    "<add|sub|mul>.rn.f32 @F, @f, @y;",
    "fma.<rn|rz|rm|rp><|.ftz><|.sat>.f32 @F, @f, @y, @f;",
    "fma.rn.f32 @F, @f, @f, @f;",
    "div.<rn|rz|rm|rp>.f32 @F, @f, @f;",
    "<sqrt|rcp>.<rn|rz|rm|rp>.f32 @F, @f;",
    "<abs|neg>.f32 @F, @f;",
    "<min|max><|.ftz><|.NaN>.f32 @F, @f, @y;",
    "selp.f32 @F, @f, @y, @p;",
    "slct.f32.s32 @F, @f, @f, @r;",
    /* ptxas 13.0 drops the guard of testp (seen in sm_90 machine code): not the ISA's doing */
    "!testp.<finite|infinite|number|notanumber|normal|subnormal>.f32 @P, @f;",
    "cvt.<rn|rz|rm|rp>.f32.<u32|s32> @F, @r;",
    "cvt.<rn|rz>.f32.<u64|s64> @F, @d;",
    "cvt.<rni|rzi|rmi|rpi>.<u32|s32|u8|s16>.f32 @R, @f;",
    "cvt.<rni|rzi|rmi|rpi>.f32.f32 @F, @f;",
    "cvt.<rn|rz|rm|rp>.f32.f64 @F, @g;",
    "<add|sub|mul>.<rn|rz|rm|rp>.f64 @G, @g, @g;",
    "fma.<rn|rz|rm|rp>.f64 @G, @g, @g, @g;",
    "div.rn.f64 @G, @g, @g;",
    "<sqrt|rcp>.rn.f64 @G, @g;",
    "<abs|neg>.f64 @G, @g;",
    "<min|max>.f64 @G, @g, @g;",
    "selp.f64 @G, @g, @g, @p;",
    "cvt.f64.f32 @G, @f;",
    "cvt.rn.f64.<u64|s64> @G, @d;",
    "cvt.<rni|rzi|rmi|rpi>.<u64|s64>.f64 @D, @g;",
    /* f16: @k; two of them: @w */
    "<add|sub|mul>.rn<|.ftz><|.sat>.f16 @K, @k, @k;",
    "<add|sub|mul>.rn<|.ftz><|.sat>.f16x2 @W, @w, @w;",
    "fma.rn<|.ftz><|.sat|.relu>.<f16 @K, @k, @k, @k|f16x2 @W, @w, @w, @w>;",
    "<min|max><|.ftz><|.NaN>.<f16 @K, @k, @k|f16x2 @W, @w, @w>;",
    "<neg|abs><|.ftz>.f16 %s0, @k;" ONE_NAN("f16", "@K"),
    "<neg|abs><|.ftz>.f16x2 %t0, @w;" ONE_NAN2("f16x2", "@W"),
    "setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan><|.ftz>.f16 @P, @k, @k;",
    "setp.<lt|geu><|.ftz>.f16x2 %q0|%q1, @w, @w; <and|or|xor>.pred @P, %q0, %q1;",
    /* ptxas 13.0 makes two steps of such a set, and guards the first alone */
    "!set.<eq|lt|geu|nan><|.ftz>.<f16.f16 @K|u32.f16 @R|s32.f16 @R>, @k, @k;",
    "!set.<le|neu>.<and|or|xor><|.ftz>.<f16.f16 @K|u32.f16 @R>, @k, @k, <|!>@p;",
    "set.<ne|gt|num><|.ftz>.<f16x2.f16x2 @W|u32.f16x2 @R|s32.f16x2 @R>, @w, @w;",
    "mov.b16 <@K, @h|@H, @k|@K, 0x0001|@K, 0x83ff|@K, 0x7bff|@K, 0xfc00|@K, 0xbc00>;",
    "mov.b32 <@W, @r|@R, @w|@W, {@k, @k}>;",
    "mov.b32 {%s0, %s1}, @w; mov.b16 @K, <%s0|%s1>;",
    "selp.<b16 @K, @k, @k|b32 @W, @w, @w>, @p;",
    "cvt<|.ftz><|.sat>.f32.f16 @F, @k;",
    "cvt.<rn|rz|rm|rp><|.ftz><|.sat>.f16.f32 @K, @f;",
    "cvt.<rn|rz><|.relu>.<f16.f32 @K, @f|f16x2.f32 @W, @f, @f>;",
    "cvt.<rn|rz|rm|rp><|.sat>.f16.f64 %s0, @g;" ONE_NAN("f16", "@K"),
    "cvt.<rn|rz|rm|rp>.f16.<u8 @K, @h|u16 @K, @h|s16 @K, @h|s32 @K, @r|u64 @K, @d>;",
    "and.b32 %t0, @r, 0x1ffff; sub.s32 %t0, %t0, 0xffff; cvt.<rn|rz|rm|rp>.f16.s32 @K, %t0;",
    "cvt.<rni|rzi|rmi|rpi>.<u8.f16 @H|s8.f16 @H|u16.f16 @H|s16.f16 @H>, @k;",
    "cvt.<rni|rzi|rmi|rpi>.<u32.f16 @R|s32.f16 @R|u64.f16 @D|s64.f16 @D>, @k;",
    "cvt.<rni|rzi|rmi|rpi>.f16.f16 @K, @k;",
    /* bf16: @j; two of them: @u */
    "<add|sub|mul>.rn.bf16 @J, @j, @j;",
    "<add|sub|mul>.rn.bf16x2 @U, @u, @u;",
    "fma.rn<|.relu>.<bf16 @J, @j, @j, @j|bf16x2 @U, @u, @u, @u>;",
    "<min|max><|.NaN>.<bf16 @J, @j, @j|bf16x2 @U, @u, @u>;",
    "<neg|abs>.bf16 %s0, @j;" ONE_NAN("bf16", "@J"),
    "<neg|abs>.bf16x2 %t0, @u;" ONE_NAN2("bf16x2", "@U"),
    "setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>.bf16 @P, @j, @j;",
    "setp.<gt|leu>.bf16x2 %q0|%q1, @u, @u; <and|or|xor>.pred @P, %q0, %q1;",
    "!set.<ne|ge|ltu|num>.<bf16.bf16 @J|u32.bf16 @R|s32.bf16 @R>, @j, @j;",
    "set.<eq|gtu|nan>.<bf16x2.bf16x2 @U|u32.bf16x2 @R|s32.bf16x2 @R>, @u, @u;",
    "mov.b16 <@J, @h|@H, @j|@J, 0x0001|@J, 0x807f|@J, 0x7f7f|@J, 0xff80|@J, 0xbf80>;",
    "mov.b32 <@U, @r|@R, @u|@U, {@j, @j}>;",
    "mov.b32 {%s0, %s1}, @u; mov.b16 @J, <%s0|%s1>;",
    "selp.<b16 @J, @j, @j|b32 @U, @u, @u>, @p;",
    "cvt.<f32.bf16 @F|f64.bf16 @G>, @j;",
    "cvt.<rn|rz><|.relu>.<bf16.f32 @J, @f|bf16x2.f32 @U, @f, @f>;",
    "cvt.<rn|rz|rm|rp>.<bf16.f32 %s0, @f|bf16.f64 %s0, @g|bf16.f16 %s0, @k>;" ONE_NAN("bf16", "@J"),
    "cvt.<rn|rz|rm|rp>.f16.bf16 %s0, @j;" ONE_NAN("f16", "@K"),
    "cvt.<rn|rz|rm|rp>.bf16.<u16 @J, @h|s16 @J, @h|u32 @J, @r|s32 @J, @r|s64 @J, @d>;",
    "cvt.<rni|rzi|rmi|rpi>.<u16.bf16 @H|s16.bf16 @H|s32.bf16 @R>, @j;",
    "cvt.<rni|rzi|rmi|rpi>.<u32.bf16 @R|u64.bf16 @D|s64.bf16 @D>, @j;",
    "cvt.<rni|rzi|rmi|rpi>.bf16.bf16 %s0, @j;" ONE_NAN("bf16", "@J"),
};
#define SIMPLE_ROWS (sizeof(simple_rows) / sizeof(simple_rows[0]))

/* %e0: a generic address of 8 bytes that only this thread uses */
static const char *const private_rows[] = {
    "st<|.volatile>.b32 [%e0+4], @r; ld<|.volatile>.b64 @D, [%e0];",
    "ld.<u8|s8|u16|s16|u32> @R, [%e0]; st.b64 [%e0], @d;",
    "ld.v2.b32 {%t0, %t1}, [%e0]; xor.b32 @R, %t0, %t1; st.v2.b16 [%e0], {@h, @h};",
    "st.u8 [%e0+3], @r; ld.b32 @R, [%e0];",
    "st.v2.b16 [%e0+4], {@k, @j}; ld.v2.b32 {%t0, %t1}, [%e0]; mov.b32 <@W|@U>, <%t0|%t1>;",
};
#define PRIVATE_ROWS (sizeof(private_rows) / sizeof(private_rows[0]))

/* %t0: address of the own slot, %t1: of any thread's slot */
static const struct exchange_row {
    const char *array;
    unsigned slot; /* bytes */
    const char *store, *load;
} exchange_rows[] = {
    {"si", 8, "st.shared.b64 [%t0], @d;", "ld.shared.b64 @D, [%t1];"},
    {"si", 8, "st.shared.b32 [%t0], @r;", "ld.shared.<b32|u16|s16|u8|s8> @R, [%t1];"},
    {"si", 8, "st.shared.v2.b32 [%t0], {@r, @r};", "ld.shared.b64 @D, [%t1];"},
    {"si", 8, "@@p st.shared.b32 [%t0+4], @r;", "ld.shared.<u16|s8|b32> @R, [%t1+4];"},
    {"si", 8, "st.shared.u16 [%t0], @h;", "ld.shared.<s16|u16|u8> @R, [%t1];"},
    {"si", 8, "st.shared.b16 [%t0+2], <@k|@j>;", "ld.shared.b16 <@K|@J>, [%t1+<0|2>];"},
    {"si", 8, "st.shared.v2.b32 [%t0], {@w, @u};", "ld.shared.b32 <@W|@U>, [%t1+<0|4>];"},
    {"sf", 4, "st.shared.f32 [%t0], @f;", "ld.shared.f32 @F, [%t1];"},
    {"sg", 8, "st.shared.f64 [%t0], @g;", "ld.shared.f64 @G, [%t1];"},
};
#define EXCHANGE_ROWS (sizeof(exchange_rows) / sizeof(exchange_rows[0]))

/* Each operation has words of its own: all that happens to a word commutes. */
static const struct {
    const char *op, *value;
    bool wide;
} atomic_rows[] = {
    {"add.u32", "@r", false},   {"min.u32", "@r", false}, {"max.s32", "@r", false},
    {"and.b32", "@r", false},   {"or.b32", "@r", false},  {"xor.b32", "@r", false},
    {"inc.u32", "1000", false}, {"add.u64", "@d", true},  {"min.s64", "@d", true},
    {"xor.b64", "@d", true},
};
#define ATOMIC_ROWS (sizeof(atomic_rows) / sizeof(atomic_rows[0]))

/* %m: the lanes that come here. The first rows suit any set of lanes; the next any warp whose
 * first lanes exist; the last full warps only, since they may read any lane. */
static const char *const lane_rows[] = {
    "vote.sync.ballot.b32 @R, <|!>@p, %m;",
    "vote.sync.<all|any|uni>.pred @P, @p, %m;",
    "redux.sync.<add|min|max>.<u32|s32> @R, @r, %m;",
    "redux.sync.<and|or|xor>.b32 @R, @r, %m;",
    "and.b32 %t0, @r, 3; match.any.sync.b32 @R, %t0, %m;",
    "match.any.sync.b64 @R, @d, %m;",
    "and.b32 %t0, @r, 1; match.all.sync.b32 @R|@P, %t0, %m;",
    "brev.b32 %t0, %m; clz.b32 %t0, %t0; shfl.sync.idx.b32 @R, @r, %t0, 31, %m;",
    "rem.u32 %t0, @r, %lanes; shfl.sync.idx.b32 @R|@P, @r, %t0, 31, %m;",
    "and.b32 %t0, @r, 31; shfl.sync.up.b32 @R|@P, @r, %t0, 0, %m;",
    "shfl.sync.up.b32 @R|@P, @r, <1|2|7>, <0|0x1800|0x1c00>, %m;",
    "bar.warp.sync %m;",
    "shfl.sync.<down|bfly>.b32 @R|@P, @r, <1|2|4|16|31>, <31|0x181f|0x1c1f>, %m;",
    "and.b32 %t0, @r, 31; shfl.sync.<down|bfly|idx>.b32 @R|@P, @r, %t0, <31|0x180f>, %m;",
};
#define LANE_ROWS      (sizeof(lane_rows) / sizeof(lane_rows[0]))
#define LANE_ROWS_ANY  (LANE_ROWS - 2)
#define LANE_ROWS_SOME (LANE_ROWS - 6)

#endif
