/* ptx.h - the PTX front end: text in, syntax tree out.
 *
 * Interface: ptx_parse() turns the text of one PTX module into a struct
 * ptx_module; ptx_free() releases it. The tree keeps every suffix of every
 * instruction (PTX ISA 4.4, "Instruction Statements") in decoded form, so that
 * later stages never look at text again. Everything a module owns lives in one
 * arena: ptx_free() is the only release.
 *
 * Not here: what instructions mean (lower.c), control flow (cfg.c), fatbins
 * (fatbin.c). Suffixes are decoded orthogonally: a suffix known to PTX becomes
 * a type or a modifier whatever the opcode; whether the opcode takes it is
 * lower.c's business. An unknown opcode or suffix is an error with a location.
 */
#ifndef EMULATOR_PTX_H
#define EMULATOR_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- fundamental types (PTX ISA 5.2): name, bits ---- */
/* clang-format off */
#define PTX_TYPES(X)                                                                               \
    X(B8, "b8", 8) X(U8, "u8", 8) X(S8, "s8", 8)                                                   \
    X(B16, "b16", 16) X(U16, "u16", 16) X(S16, "s16", 16) X(F16, "f16", 16) X(BF16, "bf16", 16)    \
    X(B32, "b32", 32) X(U32, "u32", 32) X(S32, "s32", 32) X(F32, "f32", 32)                        \
    X(F16X2, "f16x2", 32) X(BF16X2, "bf16x2", 32) X(U16X2, "u16x2", 32) X(S16X2, "s16x2", 32)      \
    X(TF32, "tf32", 32)                                                                            \
    X(B64, "b64", 64) X(U64, "u64", 64) X(S64, "s64", 64) X(F64, "f64", 64)                        \
    X(F32X2, "f32x2", 64)                                                                          \
    X(B128, "b128", 128)                                                                           \
    X(PRED, "pred", 1)                                                                             \
    X(B1, "b1", 1) X(U4, "u4", 4) X(S4, "s4", 4)                                                   \
    X(E4M3, "e4m3", 8) X(E5M2, "e5m2", 8) X(E4M3X2, "e4m3x2", 16) X(E5M2X2, "e5m2x2", 16)

enum ptx_type {
    PTX_NOTYPE,
#define X(id, text, bits) PTX_##id,
    PTX_TYPES(X)
#undef X
    PTX_TYPE_COUNT
};

/* ---- state spaces (PTX ISA 5.1) ---- */
enum ptx_space {
    SPACE_GENERIC, /* no space suffix on an instruction */
    SPACE_REG,
    SPACE_CONST,
    SPACE_GLOBAL,
    SPACE_LOCAL,
    SPACE_PARAM,  /* kernel parameter, or a call's .param variable */
    SPACE_SHARED, /* .shared and .shared::cta */
    SPACE_SHARED_CLUSTER,
};

/* ---- opcodes: the mnemonic before the first dot ---- */
enum ptx_op {
#define OPCODE(name, ...) OP_##name,
#define UNSUPPORTED(name) OP_##name,
#include "opcodes.def"
    OP_COUNT
};

/* ---- every suffix that is neither a type, a state space, a vector width, a
 * matrix shape nor a cache hint. Suffixes with '::' spell it '__' in the
 * identifier. Cache operators, eviction priorities and prefetch sizes
 * (.ca .cg .cs .cv .lu .wb .wt .nc, .L1::*, .L2::*, .level::*, cache hints)
 * change no result and are accepted and dropped, except .nc (M_nc); with .L2::cache_hint its
 * operand, the last one, is dropped too. A suffix with '::' that is not in a table is the
 * modifiers it is made of: .mbarrier::complete_tx::bytes sets three. */
#define PTX_MODS(X)                                                                                \
    X(rn) X(rz) X(rm) X(rp) X(rna) X(rni) X(rzi) X(rmi) X(rpi) X(rs)                               \
    X(ftz) X(noftz) X(sat) X(satfinite) X(relu) X(xorsign) X(abs) X(NaN) X(cc) X(lo) X(hi) X(wide) \
    X(approx) X(full) X(oob)                                                                       \
    X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(ls) X(hs) X(equ) X(neu) X(ltu) X(leu) X(gtu) X(geu)      \
    X(num) X(nan)                                                                                  \
    X(and) X(or) X(xor) X(popc) X(add) X(inc) X(dec) X(min) X(max) X(cas) X(exch)                  \
    X(uni) X(sync) X(aligned) X(arrive) X(wait) X(red) X(warp) X(cta) X(cluster) X(gpu) X(gl)      \
    X(sys) X(volatile) X(relaxed) X(acquire) X(release) X(acq_rel) X(sc) X(weak) X(mmio)           \
    X(proxy) X(async) X(alias) X(mbarrier_init) X(unified) X(nc)                                   \
    X(up) X(down) X(bfly) X(idx) X(all) X(any) X(ballot)                                           \
    X(clamp) X(wrap) X(trap) X(zero) X(l) X(r) X(shiftamt)                                         \
    X(b4e) X(f4e) X(rc8) X(ecl) X(ecr) X(rc16)                                                     \
    X(to) X(bulk) X(commit_group) X(wait_group) X(wait_all) X(commit) X(mbarrier)                  \
    X(complete_tx) X(bytes) X(tensor) X(multicast) X(tile) X(reduce) X(prefetch)                   \
    X(init) X(inval) X(test_wait) X(try_wait) X(expect_tx) X(arrive_drop) X(noComplete)            \
    X(noinc) X(pending_count) X(parity)                                                            \
    X(load) X(store) X(mma) X(a) X(b) X(c) X(d) X(row) X(col) X(trans) X(x1) X(x2) X(x4) X(sp)     \
    X(finite) X(infinite) X(number) X(notanumber) X(normal) X(subnormal)                           \
    X(launch_dependents) X(global) X(const) X(local) X(param) X(shared) X(L2) X(L1) X(L2_only)     \
    X(launch) X(read) X(tensormap) X(acquire_sync_restrict)                                        \
    X(1d) X(2d) X(3d) X(a1d) X(a2d) X(cube) X(acube) X(2dms) X(a2dms) X(base) X(grad) X(level)     \
    X(p) X(g) X(pack) X(generic) X(sync_restrict) X(fence) X(mma_async) X(ordered_metadata)        \
    X(fractional) X(range) X(cvt) X(ld_reduce) X(im2col) X(im2col_no_offs) X(kind) X(try_cancel) X(bulk_group)     \
    X(4d) X(5d) X(replace) X(st) X(cp_fenceproxy) X(query_cancel) X(is_canceled)                   \
    X(get_first_ctaid) X(cp_mask) X(b1024) X(global_address) X(rank) X(box_dim) X(global_dim)      \
    X(global_stride) X(element_stride) X(elemtype) X(interleave_layout) X(swizzle_mode)            \
    X(swizzle_atomicity) X(fill_mode)                                                              \
    X(width) X(height) X(depth) X(channel_data_type) X(channel_order) X(normalized_coords)         \
    X(array_size) X(num_mipmap_levels) X(num_samples) X(filter_mode) X(addr_mode_0)                \
    X(addr_mode_1) X(addr_mode_2) X(force_unnormalized_coords) X(memory_layout) X(texref)          \
    X(samplerref) X(surfref)

/* clang-format on */
enum ptx_mod {
    M_none,
#define X(name) M_##name,
    PTX_MODS(X)
#undef X
        M_COUNT
};
_Static_assert(M_COUNT <= 256, "struct ptx_insn.mods holds 256 bits");

/* ---- special registers (PTX ISA 10): id, text without '%', component x=0 y=1 z=2 ---- */
/* clang-format off */
enum ptx_sreg {
    SREG_TID, SREG_NTID, SREG_CTAID, SREG_NCTAID, /* component in ptx_operand.comp */
    SREG_LANEID, SREG_WARPID, SREG_NWARPID, SREG_SMID, SREG_NSMID, SREG_GRIDID,
    SREG_LANEMASK_EQ, SREG_LANEMASK_LE, SREG_LANEMASK_LT, SREG_LANEMASK_GE, SREG_LANEMASK_GT,
    SREG_CLOCK, SREG_CLOCK_HI, SREG_CLOCK64, SREG_GLOBALTIMER, SREG_GLOBALTIMER_LO,
    SREG_GLOBALTIMER_HI, SREG_ENVREG, /* %envregN: N in comp */
    SREG_DYNAMIC_SMEM_SIZE, SREG_TOTAL_SMEM_SIZE, SREG_AGGR_SMEM_SIZE,
    SREG_CLUSTERID, SREG_NCLUSTERID, SREG_CLUSTER_CTAID, SREG_CLUSTER_NCTAID, /* with component */
    SREG_CLUSTER_CTARANK, SREG_CLUSTER_NCTARANK, SREG_IS_EXPLICIT_CLUSTER,
    SREG_CURRENT_GRAPH_EXEC, SREG_RESERVED_SMEM_OFFSET, SREG_COUNT
};
/* clang-format on */

/* A place in the sources. file is an index into ptx_module.files (0: none). */
struct ptx_loc {
    uint32_t ptx_line;           /* 1-based line of the PTX text */
    uint32_t file, line, column; /* from the last .loc; 0 when there is none */
    /* -lineinfo's "inlined_at": index of ptx_module.inlined, 0: not inlined */
    uint32_t inlined;
};

/* A variable of any space: module scope, function scope or a parameter. */
struct ptx_reloc {   /* an address inside an initialiser */
    uint64_t offset; /* bytes from the variable's start */
    uint32_t size;   /* bytes stored: 8, or 1 with shift for "0xFF00(sym)" masks */
    uint32_t shift;  /* right shift applied before storing (mask operators) */
    const char *symbol;
    int64_t addend;
    bool generic; /* generic(sym) */
};

struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align; /* bytes, power of two */
    uint64_t size;  /* bytes in all; 0 for an unsized extern array */
    uint32_t elem;  /* bytes of one element (vector width included) */
    bool is_extern, is_visible, is_weak, is_common, is_managed;
    bool is_array;       /* declared with [] */
    const uint8_t *init; /* size bytes, or NULL for zeros */
    const struct ptx_reloc *relocs;
    uint32_t nrelocs;
    struct ptx_func *func; /* owner, NULL at module scope */
    struct ptx_loc loc;
    uint64_t address; /* for later stages; the parser leaves 0 */
    bool used;        /* the same: by the function being looked at */
};

struct ptx_reg {
    const char *name;
    enum ptx_type type;
};

enum ptx_operand_kind {
    OPD_NONE,
    OPD_REG,   /* reg; negated for "!%p" */
    OPD_IMM,   /* imm: value as written, sign-extended to 64 bits */
    OPD_FIMM,  /* imm: bit pattern; width 32 for 0fXXXXXXXX, 64 for 0dX.. and decimal */
    OPD_SYM,   /* address of var (or func) + offset: mov %r, sym */
    OPD_ADDR,  /* [reg + offset], [sym + offset], [offset]; elems: what follows a comma, as in
                * tex's [a, {x, y}] */
    OPD_VEC,   /* {a, b, ...}: elems */
    OPD_LABEL, /* label: index into ptx_func.labels */
    OPD_SREG,  /* special register */
    OPD_SINK,  /* "_" */
    OPD_LIST,  /* "( ... )" of a call: elems */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;  /* '!' before a predicate, '-' before a register */
    uint8_t width; /* OPD_FIMM: 32 or 64 */
    uint8_t comp;  /* OPD_SREG: component or number */
    uint32_t reg;  /* OPD_REG, OPD_ADDR with a base register: index into ptx_func.regs */
    bool has_reg;  /* OPD_ADDR: base is reg */
    enum ptx_sreg sreg;
    uint32_t label;
    uint64_t imm;
    int64_t offset;
    struct ptx_var *var;       /* OPD_SYM, OPD_ADDR */
    struct ptx_func *func;     /* OPD_SYM naming a function */
    struct ptx_operand *elems; /* OPD_VEC, OPD_LIST */
    uint32_t nelems;
    struct ptx_operand *pair; /* the "|%p" of "%r|%p", NULL without */
};

#define PTX_MAX_OPERANDS 8

struct ptx_insn {
    enum ptx_op op;
    struct ptx_loc loc;
    uint32_t text_offset, text_length; /* the statement in ptx_module.text, for messages */
    bool guarded, guard_negated;
    uint32_t guard;         /* predicate register */
    uint64_t mods[4];       /* bit set of enum ptx_mod */
    enum ptx_type types[5]; /* type suffixes in the order written */
    uint8_t ntypes;
    enum ptx_space space;               /* first space suffix; SPACE_GENERIC without one */
    enum ptx_space space2;              /* second one (cp.async, cvta.to has space only) */
    bool has_space, cache;              /* cache: a suffix that changes no result */
    uint8_t vec;                        /* 1, 2, 4 or 8 */
    uint16_t shape_m, shape_n, shape_k; /* .m16n8k16; m8n8 has k = 0 */
    uint8_t nlayouts;                   /* .row and .col, the first two in the order written: */
    bool col[2];                        /* wmma.mma's a and b */
    uint32_t noperands;
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    /* call: operands are (ret list), target, (arg list), with absent lists OPD_LIST of 0;
     * a fourth operand OPD_LABEL-like name of .callprototype / .calltargets in callproto.
     * brx.idx: the one operand is the index. */
    const struct ptx_proto *callproto;
    const struct ptx_branch_table *table; /* brx.idx */
};

static inline bool ptx_has(const struct ptx_insn *in, enum ptx_mod m)
{
    return in->mods[m >> 6] >> (m & 63) & 1;
}
/* A strong operation on memory (PTX ISA, memory consistency model) that is no fence: by which
 * threads tell each other something without a race. */
static inline bool ptx_is_strong(const struct ptx_insn *in)
{
    bool plain = !ptx_has(in, M_volatile) && !ptx_has(in, M_mmio) && !ptx_has(in, M_relaxed) &&
                 !ptx_has(in, M_acquire) && !ptx_has(in, M_release);
    return in->op == OP_atom || in->op == OP_red ||
           ((in->op == OP_ld || in->op == OP_st) && !plain);
}

struct ptx_label {
    const char *name;
    uint32_t insn; /* index of the instruction it precedes; ninsns for the end */
};

struct ptx_branch_table { /* .branchtargets */
    const char *name;
    uint32_t *labels;
    uint32_t nlabels;
};

struct ptx_proto { /* .callprototype, or .calltargets (targets then non-NULL) */
    const char *name;
    struct ptx_var **rets, **params; /* size and align matter, names do not */
    uint32_t nrets, nparams;
    struct ptx_func **targets;
    uint32_t ntargets;
};

struct ptx_func {
    const char *name;
    bool is_entry, is_extern, is_visible, is_weak, has_body, is_noreturn;
    struct ptx_var **params, **rets; /* declaration order */
    uint32_t nparams, nrets;
    struct ptx_var **vars; /* .shared/.local/.param variables of the body; its .global and
                            * .const ones are in ptx_module.vars, with func set */
    uint32_t nvars;
    struct ptx_reg *regs;
    uint32_t nregs;
    struct ptx_insn *insns;
    uint32_t ninsns;
    struct ptx_label *labels;
    uint32_t nlabels;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0: not given */
    uint32_t reqnctapercluster[3];
    bool explicit_cluster;
    struct ptx_loc loc;
    uint32_t index; /* in ptx_module.funcs */
};

struct ptx_inlined { /* -lineinfo: the call site a .loc was inlined at */
    const char *function;
    uint32_t file, line, column;
    uint32_t parent; /* index into inlined, 0: none */
};

struct ptx_module {
    const char *text; /* a copy, NUL-terminated */
    size_t length;
    uint32_t version_major, version_minor;
    const char *target; /* "sm_90" */
    uint32_t sm;        /* 90 */
    char sm_suffix;     /* 'a', 'f' or 0 */
    uint32_t address_size;
    struct ptx_var **vars;
    uint32_t nvars;
    struct ptx_func **funcs; /* definitions; a declaration with a later body is merged */
    uint32_t nfuncs;
    const char **files; /* indexed by ptx_loc.file; entry 0 is NULL */
    uint32_t nfiles;
    struct ptx_inlined *inlined; /* entry 0 unused */
    uint32_t ninlined;
    void *arena;
};

/* What went wrong, for a person: "line 12: unknown opcode 'foo'\n  foo.b32 %r1;\n  ^". */
struct ptx_error {
    uint32_t line, column;
    bool newer;        /* PTX of a version that is not known yet */
    char message[512]; /* one line */
    char text[1024];   /* message, source line and caret, ready to print */
};

/* Parses length bytes of PTX (need not be NUL-terminated). Returns NULL and fills
 * *err on failure: never crashes or loops on any bytes, never allocates more than a
 * small multiple of length plus the sizes of declared initialisers (declared sizes
 * over 1 GiB are an error). PTX versions above 9.x are an error that says so. */
struct ptx_module *ptx_parse(const char *text, size_t length, struct ptx_error *err);
void ptx_free(struct ptx_module *m);

/* "add.s32"-style rendering of an instruction's opcode with all its suffixes as written
 * in the text, into buf; for messages and the --support report. */
void ptx_opcode_text(const struct ptx_module *m, const struct ptx_insn *in, char *buf, size_t size);

const char *ptx_type_name(enum ptx_type t);
unsigned ptx_type_bits(enum ptx_type t); /* 1 for .pred */
const char *ptx_op_name(enum ptx_op op);
const char *ptx_mod_name(enum ptx_mod m);

#endif
