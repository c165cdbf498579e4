/* lower.h - private to lower.c and lower_*.c: state while one function is lowered. */
#ifndef EMULATOR_LOWER_H
#define EMULATOR_LOWER_H

#include "code.h"
#include "opcodes.h"
#include "emulator/base/mem.h"

struct lower {
    struct emu_func *f;
    const struct ptx_func *p;
    struct cfg *cfg;
    uint32_t *reg_place; /* by register */
    bool *aliased;       /* the register is a constant place, not part of the frame */
    uint32_t frame;      /* bytes so far */
    struct insn *out;
    uint32_t n, capacity;
    uint32_t const_capacity;
    const struct ptx_insn *in; /* in work */
    cudaError_t error;
    uint32_t block;  /* in work */
    lower_note note; /* a survey: who is told of failures, instead of stderr; else NULL */
    void *note_arg;
};

/* Records "not supported" (or another reason) for the instruction in work. */
void lower_fail(struct lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for an instruction, or a form of it, that the emulator does not have. */
void lower_unsupported(struct lower *l);
/* Appends an instruction with that handler (lower_unsupported() for H_none), its operands empty,
 * the guard applied. The pointer is good until the next call. */
struct insn *lower_emit(struct lower *l, enum handler_id h);
/* Place of an operand read as type t: registers, immediates, constant special registers,
 * addresses of variables. NO_PLACE after lower_fail. */
uint32_t lower_src(struct lower *l, const struct ptx_operand *o, enum ptx_type t);
/* Place of a register operand of any width; *bytes gets it. Immediates become 64-bit. */
uint32_t lower_src_any(struct lower *l, const struct ptx_operand *o, enum ptx_type t,
                       uint8_t *bytes);
uint32_t lower_dst(struct lower *l, const struct ptx_operand *o); /* NO_PLACE for "_" */
uint32_t lower_const(struct lower *l, enum const_kind kind, uint8_t width, uint64_t value,
                     uint8_t size, bool sign);
uint8_t lower_reg_bytes(const struct lower *l, uint32_t reg); /* 1 for a predicate */
uint32_t lower_slot(struct lower *l);                         /* a new struct slot */
uint32_t lower_scratch(struct lower *l, uint32_t bytes);      /* room in the frame */
/* The slot, or generic ones', that an access counts in (struct insn). */
void access_slots(struct lower *l, struct insn *in, bool generic);
uint32_t *lower_places(struct lower *l, uint32_t n); /* array that lives with the function */
const struct param_place *lower_param(struct lower *l, const struct ptx_var *v);
/* Address operand: fills src[0], imm and F_SHARED32 of in. */
void lower_address(struct lower *l, struct insn *in, const struct ptx_operand *o, enum ptx_space s);
/* Place of an address operand's base, its constant part in *offset, 4 or 8 in *bytes: for what
 * has several addresses, or adds to one. */
uint32_t lower_base(struct lower *l, const struct ptx_operand *o, int64_t *offset, uint8_t *bytes);
/* Registers that are the same as a constant: makes them aliased, with the constant's place. */
void lower_aliases(struct lower *l);
uint32_t lower_float_flags(struct lower *l); /* F_FTZ, F_SAT, rounding … of the suffixes */
uint64_t shared_offset(struct emu_func *kernel, const struct ptx_var *v);
bool shared_collect(struct emu_func *kernel); /* lays out kernel's shared variables */

/* lower_spin.c: if block b, the last that was lowered, only waits for a time, its clock's
 * insn.count becomes how far behind it the branch is; else that stays 0. */
void lower_spin(struct lower *l, uint32_t b);

/* lower_cost.c: fills the function's costs. */
void lower_costs(struct lower *l);
void lower_async_element(struct lower *l); /* st.async, red.async: lower_async.c */

/* lower_suffix.c: are the instruction's types and modifiers those its opcode has? Returns the
 * form; NULL after lower_fail. */
const struct form *lower_suffixes(struct lower *l);

/* lower_control.c: one PTX instruction; false when lower_fail was called. */
bool lower_insn(struct lower *l);

/* What opcodes.def names: a function each, in lower_*.c. */
#define FORM(...)
#define SOURCE_FORM(...)
#define LOOSE_FORM
#define ANY_FORM
#define FORM_BY(f, ...)        lowering f;
#define SOURCE_FORM_BY(f, ...) lowering f;
#define OPCODE(name, f, handlers, cost, result, key, forms)                                        \
    lowering f;                                                                                    \
    forms
#define UNSUPPORTED(name)
#include "emulator/ptx/opcodes.def"
#undef FORM
#undef SOURCE_FORM
#undef LOOSE_FORM
#undef ANY_FORM
#undef FORM_BY
#undef SOURCE_FORM_BY

/* lower_alu.c: emits h for destination and nsrc sources of those types: operands 0, 1, … */
struct insn *lower_alu(struct lower *l, enum handler_id h, uint32_t nsrc, const enum ptx_type *src);
void lower_pack(struct lower *l); /* cvt.pack */
/* The same, all sources of the instruction's type. */
struct insn *lower_same(struct lower *l, enum handler_id h, uint32_t nsrc);
/* What the opcode's row is lowered to, for the instruction's type. */
enum handler_id lower_handler(const struct lower *l);

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
/* The first of the modifiers, up to M_none, that the instruction has; M_none: it has none. */
static inline uint8_t lower_mod(const struct lower *l, const uint8_t *mods)
{
    for (; *mods; mods++)
        if (ptx_has(l->in, mods[0]))
            break;
    return mods[0];
}
#define FIRST_MOD(l, ...) lower_mod(l, (const uint8_t[]){__VA_ARGS__, M_none})
static inline unsigned type_bytes(enum ptx_type t)
{
    return (ptx_type_bits(t) + 7) / 8;
}
static inline bool is_signed_type(enum ptx_type t)
{
    return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
}
static inline bool is_float_type(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_F32 || t == PTX_F64 || t == PTX_BF16 || t == PTX_F16X2 ||
           t == PTX_BF16X2 || t == PTX_F32X2 || t == PTX_TF32;
}
static inline bool is_half_type(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2;
}
static inline bool is_int(enum ptx_type t)
{
    return !is_float_type(t) && t != PTX_PRED && t != PTX_U16X2 && t != PTX_S16X2;
}
static inline bool is_shared(enum ptx_space s)
{
    return s == SPACE_SHARED || s == SPACE_SHARED_CLUSTER;
}

#endif
