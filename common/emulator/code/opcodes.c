/* opcodes.c - ptx/opcodes.def, expanded: the rows and the forms of each. */
#include "opcodes.h"
#include "lower.h"

#define T(id)    (1ull << PTX_##id)
#define ANY      (~0ull)
#define UNTYPED  T(NOTYPE)
#define BYTES    (T(U8) | T(S8))
#define SIGNED   (T(S16) | T(S32) | T(S64))
#define UNSIGNED (T(U16) | T(U32) | T(U64))
#define INTEGERS (SIGNED | UNSIGNED)
#define WORDS    (T(U32) | T(S32) | T(U64) | T(S64))
#define BITS     (T(B16) | T(B32) | T(B64))
#define HALVES   (T(F16) | T(F16X2))
#define BRAINS   (T(BF16) | T(BF16X2))
#define STORED   (T(B8) | BYTES | BITS | INTEGERS | T(F32) | T(F64) | T(B128))

#define NO_MODIFIER M_none
#define ROUND       M_rn, M_rz, M_rm, M_rp
#define WHOLE       M_rni, M_rzi, M_rmi, M_rpi
#define PART        M_lo, M_hi, M_wide
#define ORDER       M_eq, M_ne, M_lt, M_le, M_gt, M_ge
#define UNORDERED   M_equ, M_neu, M_ltu, M_leu, M_gtu, M_geu, M_num, M_nan
#define JOIN_BY     M_and, M_or, M_xor
#define SCOPE       M_cta, M_cluster, M_gpu, M_sys
#define ARRIVING    M_async, M_mbarrier, M_complete_tx, M_bytes
#define ATOMICS     M_add, M_min, M_max, M_inc, M_dec, M_and, M_or, M_xor
#define BARRIERS                                                                                   \
    M_cta, M_cluster, M_warp, M_sync, M_arrive, M_wait, M_red, M_popc, M_and, M_or, M_aligned,     \
        M_all, M_any, M_acquire, M_release, M_relaxed

#define FORM_BY(lower, types, needs, ...)            {types, ANY, lower, needs, false, {__VA_ARGS__}},
#define FORM(...)                                    FORM_BY(NULL, __VA_ARGS__)
#define SOURCE_FORM_BY(lower, to, types, needs, ...) {types, to, lower, needs, true, {__VA_ARGS__}},
#define SOURCE_FORM(...)                             SOURCE_FORM_BY(NULL, __VA_ARGS__)
#define LOOSE_FORM                                   FORM(ANY, TAKES_LOOSE, NO_MODIFIER)
#define ANY_FORM                                     FORM(ANY, TAKES_ANY, NO_MODIFIER)

/* a row's main handler; what it has beside that is for its `lower` to know */
#define ONE(h)         .handler = H_##h,
#define USES(h)        .handler = H_##h,
#define FAMILY(f)      .family = FAM_##f,
#define USES_FAMILY(f) .family = FAM_##f,
#define MORE(h)
#define MORE_FAMILY(f)
#define MEMBER(f, t)

static const struct opcode opcodes[OP_COUNT] = {
#define OPCODE(name, lower_, handlers, cost_, result_, key, forms_)                                \
    [OP_##name] = {.lower = lower_,                                                                \
                   handlers.cost = cost_,                                                          \
                   .result = RESULT_##result_,                                                     \
                   .forms = (const struct form[]){forms_{0}}},
/* spelt out: cppcheck counts the commas of a macro in a macro's argument */
#define UNSUPPORTED(name)                                                                          \
    [OP_##name] = {.lower = lower_unsupported,                                                     \
                   .cost = COST_NONE,                                                              \
                   .result = RESULT_FIRST,                                                         \
                   .forms = (const struct form[]){ANY_FORM{0}}},
#include "emulator/ptx/opcodes.def"
};

const struct opcode *opcode_of(const struct ptx_insn *in)
{
    return &opcodes[in->op];
}

enum ptx_type form_type(const struct form *f, const struct ptx_insn *in)
{
    return !in->ntypes ? PTX_NOTYPE : in->types[f->by_source && in->ntypes > 1 ? 1 : 0];
}

const struct form *form_of(const struct ptx_insn *in)
{
    for (const struct form *f = opcodes[in->op].forms; f->types; f++)
        if (f->types >> form_type(f, in) & 1 && f->to >> in->types[0] & 1)
            return f;
    return NULL;
}
