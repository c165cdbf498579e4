/* lower_insn.h - operands and names, shared by lower_insn.c, lower_alu.c and lower_mov.c.
 *
 * Handlers are found by name, made from the mnemonic and the type: "add" + ".s32" is
 * add_32, "min" + ".s32" is min_s32. A name that does not exist is an instruction that is
 * not supported, and said to be.
 */
#ifndef EMULATOR_LOWER_INSN_H
#define EMULATOR_LOWER_INSN_H

#include "lower.h"

static inline const struct ptx_operand *op(struct lower *l, uint32_t k)
{
    static const struct ptx_operand none;
    if (k < l->in->noperands)
        return &l->in->operands[k];
    lower_fail(l, "operand %u is missing", k + 1);
    return &none;
}
static inline enum ptx_type type(const struct lower *l)
{
    return l->in->ntypes ? l->in->types[0] : PTX_NOTYPE;
}
/* "16", "32", "64": where signedness makes no difference */
static inline const char *width_tag(enum ptx_type t)
{
    unsigned bits = ptx_type_bits(t);
    return bits <= 16 ? "16" : bits == 32 ? "32" : bits == 64 ? "64" : "128";
}
/* "u32", "s64", "f32", …; untyped bits count as unsigned */
static inline const char *type_tag(enum ptx_type t)
{
    switch (t) {
    case PTX_B16:
        return "u16";
    case PTX_B32:
        return "u32";
    case PTX_B64:
        return "u64";
    default:
        return ptx_type_name(t);
    }
}
static inline bool is_int(enum ptx_type t)
{
    return !is_float_type(t) && t != PTX_PRED && t != PTX_U16X2 && t != PTX_S16X2;
}
static inline bool plain_float(struct lower *l)
{
    return (lower_float_flags(l) & (F_FTZ | F_SAT | F_ROUND | F_RELU | F_SATFINITE)) == 0;
}

/* ---- lower_alu.c ---- */
/* Emits handler `name` for destination and nsrc sources of those types: operands 0, 1, … */
struct insn *lower_alu(struct lower *l, const char *name, uint32_t nsrc, const enum ptx_type *src);
/* The same for mnemonic_tag, all sources of the instruction's type. */
struct insn *lower_alu_format(struct lower *l, uint32_t nsrc, const char *mnemonic,
                              const char *tag);
void lower_logic(struct lower *l, uint32_t nsrc); /* and, or, xor, not; mov of predicates */
void lower_arithmetic(struct lower *l);           /* lower_fail when it is none */

/* ---- lower_mov.c ---- */
void lower_mov(struct lower *l);
void lower_cvt(struct lower *l);
void lower_cvta(struct lower *l);

#endif
