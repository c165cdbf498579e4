/* lower.h - private to lower.c and lower_*.c: state while one function is lowered. */
#ifndef EMULATOR_LOWER_H
#define EMULATOR_LOWER_H

#include "code.h"
#include "handlers.h"
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
/* Appends an instruction with the handler of that name (lower_fail when there is none),
 * its operands empty, the guard applied. The pointer is good until the next call. */
struct insn *lower_emit(struct lower *l, const char *handler, ...)
    __attribute__((format(printf, 2, 3)));
bool lower_has(const char *handler);
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
uint32_t *lower_places(struct lower *l, uint32_t n); /* array that lives with the function */
const struct param_place *lower_param(struct lower *l, const struct ptx_var *v);
/* Address operand: fills src[0], imm and F_SHARED32 of in. */
void lower_address(struct lower *l, struct insn *in, const struct ptx_operand *o, enum ptx_space s);
/* Registers that are the same as a constant: makes them aliased, with the constant's place. */
void lower_aliases(struct lower *l);
uint32_t lower_float_flags(struct lower *l); /* F_FTZ, F_SAT, rounding … of the suffixes */
uint64_t shared_offset(struct emu_func *kernel, const struct ptx_var *v);
bool shared_collect(struct emu_func *kernel); /* lays out kernel's shared variables */

uint8_t lower_relation(struct lower *l); /* setp, set: the comparison, an enum ptx_mod */

/* lower_cost.c: fills the function's costs. */
void lower_costs(struct lower *l);

/* lower_suffix.c: are the instruction's modifiers those its opcode has? False after lower_fail. */
bool lower_suffixes(struct lower *l);

/* One PTX instruction; false when lower_fail was called. */
bool lower_insn(struct lower *l);
/* The wider families; return false when the opcode is none of theirs. */
bool lower_memory(struct lower *l);
bool lower_async(struct lower *l);
bool lower_matrix(struct lower *l);
bool lower_half(struct lower *l);
bool lower_video(struct lower *l);

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

#endif
