/* code.h - what PTX is lowered to, and what a launch runs on.
 *
 * A function is an array of struct insn, one or more per PTX instruction that does
 * something at run time, cut into basic blocks. Operands are places holding 32 lanes:
 *
 *   31 30 29                       0
 *   |sel |  byte offset             |   sel 0: the frame's registers
 *                                           1: launch constants (immediates, parameters, %ntid…)
 *                                           2: warp constants (%tid, %laneid, lane masks)
 *                                           3: block constants (%ctaid)
 *
 * so an instruction never asks what kind of operand it has. A 16-bit register takes 64
 * bytes, a 32-bit one 128, a 64-bit one 256; a predicate is one uint32_t, bit = lane.
 */
#ifndef EMULATOR_CODE_H
#define EMULATOR_CODE_H

#include "base/alloc.h"
#include "emulator/base/counters.h"
#include "emulator/base/error.h"
#include "emulator/base/round.h"
#include "emulator/ptx/ptx.h"
#include "device_calls.h"
#include "handlers.h"
#include "module.h"
#include "source.h"

#define WARP        32
#define FULL        0xffffffffu
#define SEL_SHIFT   30
#define OFFSET_MASK ((1u << SEL_SHIFT) - 1)
enum { SEL_REG, SEL_LAUNCH, SEL_WARP, SEL_BLOCK };
#define PLACE(sel, off) ((uint32_t)(sel) << SEL_SHIFT | (uint32_t)(off))
#define NO_PLACE        UINT32_MAX
#define WIDE_HALF       (WARP * 8) /* from the low to the high halves of a .b128 register */

/* insn.flags */
enum {
    F_FTZ = 1 << 0,
    F_SAT = 1 << 1,
    F_ROUND_SHIFT = 2, /* two bits: 0 rn, 1 rz, 2 rm, 3 rp */
    F_ROUND = 3 << F_ROUND_SHIFT,
    F_SIGNED = 1 << 4,
    F_CC_OUT = 1 << 5,
    F_NEG_SRC = 1 << 6, /* last source predicate is negated */
    F_RELU = 1 << 7,
    F_NAN = 1 << 8, /* min/max.NaN */
    F_VOLATILE = 1 << 9,
    F_ACQUIRE = 1 << 10,
    F_RELEASE = 1 << 11,
    F_ALIGNED = 1 << 12,
    F_RED = 1 << 13, /* atomic without a result */
    F_ABS = 1 << 14,
    F_XORSIGN = 1 << 15,
    F_ROUND_INT = 1 << 16, /* cvt float to float with an integer rounding */
    F_ASYNC = 1 << 17,
    F_SHARED32 = 1 << 18, /* address register is 32 bits wide */
    F_RELAXED = 1 << 19,
    F_SATFINITE = 1 << 20,
    F_ROUND_RNA = 1 << 21,
    F_CARRY_IN = 1 << 22,
    F_COLLECTIVE = 1 << 23, /* struct access.collective */
    F_SCOPE_SHIFT = 24,     /* three bits, struct access.scope */
};

struct insn {
    handler fn;        /* executes for w->mask, returns what to execute next */
    handler unguarded; /* guarded instructions: fn applies the guard, then calls this */
    uint32_t dst, dst2;
    uint32_t src[4];
    int64_t imm; /* address offset; branch: see block indices below */
    uint32_t flags;
    uint8_t sub;       /* operation within a family: comparison, atomic op, shuffle mode */
    uint8_t sub2;      /* second one: bool op */
    uint8_t size;      /* bytes of one element in memory, or of the operation */
    uint8_t count;     /* elements of a vector access */
    uint8_t width;     /* bytes of the destination register(s) */
    uint8_t src_width; /* bytes of the source register(s) where it matters */
    uint16_t guard_neg;
    uint32_t guard; /* place of the guard predicate, NO_PLACE without */
    uint32_t slot;  /* struct slot this instruction counts in, module-wide; a generic access in
                       this for global memory, and by enum generic_slot in those behind it */
    uint32_t guard_slot;
    const uint32_t *places; /* further operands: vector elements, mma fragments */
    uint32_t taken, fall;   /* branch: block indices in the function; fall: also "next block" */
    const void *data;       /* call: struct call_info; mma: shape; brx: table */
    const struct site *site;
};

/* By what memory a generic address turned out to be of. */
enum generic_slot { IN_GLOBAL, IN_SHARED, IN_LOCAL, GENERIC_SLOTS };

/* Counts of one instruction: meaning depends on its class (see count.c). */
struct slot {
    uint64_t requests, units, bytes, extra;
    uint64_t by_lanes[LANE_GROUPS]; /* requests, of shared loads; executions, of guards */
    uint64_t spacing;               /* of shared loads: requests with evenly spaced lanes; of global
                                       ones and stores: bytes from lane to lane */
};
struct block_count {
    uint64_t by_lanes[LANE_GROUPS]; /* warps that entered it */
    uint64_t lanes;                 /* theirs, summed */
};
static inline uint64_t block_warps(const struct block_count *c)
{
    uint64_t warps = 0;
    for (int k = 0; k < LANE_GROUPS; k++)
        warps += c->by_lanes[k];
    return warps;
}
static inline unsigned lane_group(uint32_t mask) /* that is not empty */
{
    return 31 - (unsigned)__builtin_clz((unsigned)__builtin_popcount(mask));
}

struct bblock {
    uint32_t first;     /* index into code.insns */
    uint32_t ninsns;    /* PTX instructions, for counting */
    uint32_t nfloats;   /* of them floating-point and tensor ones, a wgmma as several */
    uint32_t dear;      /* steps beyond one that they take (lower_cost.c) */
    bool stores, looks; /* is one a store that others can see, a look at what others may write? */
    uint32_t recon;     /* block where lanes that part at its end meet again; NO_BLOCK: at return */
    uint32_t count;     /* index of its struct block_count, module-wide */
    uint32_t ptx_first; /* first PTX instruction */
    uint32_t code_end;  /* one past its last struct insn */
};
#define NO_BLOCK UINT32_MAX

enum const_kind {
    CONST_IMM,
    CONST_PARAM,
    CONST_SREG,
    CONST_SHARED, /* offset of a shared variable in the launched kernel's layout */
};

struct shared_var { /* of a kernel: where a variable lies in the block's shared memory */
    const struct ptx_var *var;
    uint64_t offset;
};
struct launch_const { /* an entry of the launch-constant area */
    enum const_kind kind;
    uint32_t place; /* byte offset in the area */
    uint8_t width;  /* 2, 4, 8 bytes a lane; 1: predicate */
    uint8_t size;   /* CONST_PARAM: bytes in the parameter buffer */
    bool sign;      /* CONST_PARAM: sign-extend */
    uint64_t value; /* immediate, or byte offset of the parameter, or sreg<<8|comp, or variable */
    int64_t addend; /* CONST_SHARED: bytes from its start */
};

/* Layout of the warp-constant area, bytes. */
enum {
    WC_TID_X = 0,
    WC_TID_Y = 128,
    WC_TID_Z = 256,
    WC_LANEID = 384,
    WC_WARPID = 512,
    WC_EQ = 640,
    WC_LE = 768,
    WC_LT = 896,
    WC_GE = 1024,
    WC_GT = 1152,
    WARP_CONST_BYTES = 1280
};
enum {
    BC_CTAID_X = 0,
    BC_CTAID_Y = 128,
    BC_CTAID_Z = 256,
    BC_SMID = 384,
    BC_CLUSTERID_X = 512, /* these only in kernels that ask about their cluster */
    BC_CLUSTER_CTAID_X = 896,
    BC_CLUSTER_RANK = 1280,
    BLOCK_CONST_BYTES = 1408
};

/* What one execution of a PTX instruction adds, per lane (tensor: per warp). */
struct insn_cost {
    uint8_t flop16, flop32, flop64;
    bool sfu, div;
    bool exchange;              /* lanes tell each other, and it is no shfl */
    bool turns;                 /* always branches to its own block, or one before */
    bool clock;                 /* asks what time it is */
    bool strong;                /* ptx_is_strong() */
    bool fence;                 /* waits for what it has stored and loaded to be seen */
    bool fp64;                  /* a double is among its types, and it does more than move it */
    bool coded;                 /* fma of which a factor and the addend are numbers of the code */
    bool wgmma, arrives, waits; /* the latter two: at, for an mbarrier */
    uint8_t factor;             /* enum ptx_type, of a product's factors */
    uint32_t tensor;
    uint32_t guard_slot; /* NO_PLACE: not predicated */
};

struct param_place { /* a function's .param variable: rows of 4 bytes x 32 lanes in the frame */
    const struct ptx_var *var;
    uint32_t offset; /* bytes in the frame */
    uint32_t place;  /* .reg parameters: register place, else NO_PLACE */
};

/* emu_func.uses; USES_DEVICE: launches, streams and what else device_calls.h has */
enum { USES_HEAP = 1, USES_PRINTF = 2, USES_RESERVED = 4, USES_DEVICE = 8, USES_GRAPHS = 16 };

struct emu_func {
    struct emu_module *module;
    struct ptx_func *ptx;
    struct emu_func_info info;
    uint32_t *param_offset, *param_size;
    bool lowered;
    cudaError_t lower_error;
    struct shared_var *shared;
    uint32_t nshared;
    uint32_t index;       /* in module.funcs */
    bool recursive;       /* may call itself or indirectly, or uses alloca: stack size unknown */
    unsigned uses;        /* of the device runtime: USES_…; callees included */
    uint32_t frame_bytes; /* registers, predicates and .param variables */
    uint32_t local_bytes; /* .local variables of one thread */
    struct insn *insns;
    uint32_t ninsns;
    struct bblock *blocks;
    uint32_t nblocks;
    struct launch_const *consts;
    uint32_t nconsts, const_bytes;
    struct param_place *params; /* ABI parameters, then return values, then locals */
    uint32_t nparams;
    struct site *sites;               /* one per PTX instruction */
    struct insn_cost *costs;          /* one per PTX instruction */
    uint32_t *floats_before;          /* floating-point and tensor instructions in front of each */
    uint32_t first_slot, first_count; /* its slots and counts, module-wide, */
    uint32_t end_slot, end_count;     /* and one past them */
    uint32_t max_live;                /* 32-bit registers live at once */
    uint32_t needed;                  /* emu_func_set_needed(); 0: not known */
    uint32_t static_shared;
    uint32_t depth_local;            /* .local bytes of a thread, each function that may run once */
    const struct site *cluster_site; /* the first instruction that asks about a cluster */
    bool hears;                      /* may look at what other blocks write, or call who does */
    bool reached, on_path;           /* lower.c: while it follows calls */
    uint64_t address;                /* what mov %rd, func yields */
    unsigned disturbed;              /* classes whose code exec/disturb.c has changed */
};

struct call_info {
    struct emu_func *target; /* NULL: indirect, address in src[0] */
    enum call_builtin {
        CALL_FUNC,
        CALL_VPRINTF,
        CALL_ASSERTFAIL,
        CALL_MALLOC,
        CALL_FREE,
        CALL_SET_CONDITIONAL,
        CALL_DEVICE
    } builtin;
    enum device_call device_call; /* CALL_DEVICE: which; stream 0 is the thread's own */
    bool own_stream;
    uint32_t nargs, nrets;
    struct param_place *args, *rets; /* in the caller's frame */
};

/* Has the call an argument for each parameter of f, and are they, and the results' places, as
 * large as those? */
bool call_fits(const struct call_info *ci, const struct ptx_func *f); /* lower_control.c */

struct emu_module {
    char *name;
    unsigned device;          /* that its variables are on */
    struct emu_module *first; /* while it is loaded: whose managed variables it shares */
    struct ptx_module **ptx;
    int nptx;
    struct emu_func **funcs;
    uint32_t nfuncs, nentries;
    struct named *func_names, *var_names; /* module.c: of funcs, and of variables defined */
    uint32_t nvar_names;
    struct emu_func **entries;
    struct mem_alloc **vars; /* allocations of its variables */
    uint32_t nvars;
    uint32_t nslots, ncounts; /* module-wide numbering so far */
    struct slot *sum_slots;   /* over launches, for per-line counters (count.c) */
    struct block_count *sum_counts;
    uint32_t sum_nslots, sum_ncounts;
    struct emu_module *next; /* all modules */
};

extern struct emu_module *emu_modules; /* all that are loaded, newest first */

/* lower.c: turns f's PTX into code (once; thread safe through the module lock). */
cudaError_t lower_func(struct emu_func *f);
const struct ptx_module *ptx_module_of(const struct emu_func *f);
/* Lowers f as far as it goes, callees aside, and tells each reason why it cannot run; f is not
 * to be launched after. */
typedef void (*lower_note)(void *arg, const struct emu_func *f, const struct ptx_insn *in,
                           const char *why);
void lower_survey(struct emu_func *f, lower_note note, void *arg);
/* True when test() is of f or of a function that it calls, directly or through others. */
bool lower_reaches(struct emu_func *f, bool (*test)(const struct emu_func *g, void *arg),
                   void *arg);
/* Function whose address (emu_func.address) this is, or NULL. */
struct emu_func *module_func_by_address(struct emu_module *m, uint64_t address);
struct emu_func *module_find_any(struct emu_module *m, const char *name);

/* cfg.c */
struct cfg {
    uint32_t nblocks;
    uint32_t *first, *end; /* PTX instruction ranges */
    uint32_t (*succ)[2];   /* NO_BLOCK for none; brx: see extra */
    uint32_t **extra, *nextra;
    uint32_t *ipdom;    /* NO_BLOCK: only the exit */
    uint32_t *block_of; /* PTX instruction index -> block */
};
struct cfg *cfg_build(const struct ptx_func *f);
void cfg_free(struct cfg *c);

/* regalloc.c: gives each virtual register a byte offset in the frame; SSA-like registers
 * with skip[r] set get none. Returns frame bytes; *max_live in 32-bit registers. */
uint32_t regalloc(const struct ptx_func *f, const struct cfg *c, const bool *skip, uint32_t *offset,
                  uint32_t *max_live);
/* Register lists of one PTX instruction, for liveness. */
uint32_t insn_uses(const struct ptx_insn *in, const struct ptx_func *f, uint32_t *out,
                   uint32_t max);
uint32_t insn_defs(const struct ptx_insn *in, const struct ptx_func *f, uint32_t *out,
                   uint32_t max);

#define CLUSTER_BARRIER 16          /* barrier.cluster's number: PTX has sixteen others */
#define MAX_LOCAL       (512 << 10) /* bytes of local memory a thread (programming guide) */

#endif
