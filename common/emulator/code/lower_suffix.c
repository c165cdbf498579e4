/* lower_suffix.c - which modifiers an instruction takes, by opcode and type (PTX ISA 9.7).
 *
 * Suffixes are read by spelling alone, whatever the opcode; here those that the opcode does not
 * have for its type are refused, as ptxas refuses them. Opcodes of arithmetic have rows: what
 * their row does not list they do not take, nor a state space, a vector width or a cache
 * operator unless it is memory's. All others take no modifier of arithmetic. Not modelled: the
 * order of modifiers, of which ptxas accepts some orders and not others.
 */
#include "lower.h"
#include "emulator/ptx/private.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROUND  "rn rz rm rp "
#define WHOLE  "rni rzi rmi rpi "
#define PART   "lo hi wide "
#define ORDER  "eq ne lt le gt ge "
#define SCOPE  "cta cluster gpu sys"
#define INTS   "u8 s8 u16 s16 u32 s32 u64 s64"
#define HALVES "f16 f16x2"
#define BRAINS "bf16 bf16x2"

/* needs: one that rounds ('r'), one of PART ('p'); or it accesses memory ('m'), with a state
 * space, a vector width and cache operators. For cvt, set and slct the type
 * is the source's; a row's last type list is the destination's, where that matters. */
static const struct {
    const char *ops, *types, *mods;
    char needs;
    const char *to;
} rows[] = {
    {"add sub", "s32", "sat cc", 0, 0},
    {"add sub", "u32 u64 s64", "cc", 0, 0},
    {"add sub", "u16 s16 u16x2 s16x2", "", 0, 0},
    {"add sub mul", "f32", ROUND "ftz sat", 0, 0},
    {"add sub mul", "f64", ROUND, 0, 0},
    {"add sub mul", HALVES, "rn ftz sat", 0, 0},
    {"add sub mul", BRAINS, "rn", 0, 0},
    {"addc subc", "u32 s32 u64 s64", "cc", 0, 0},
    {"mul", "u16 s16 u32 s32", PART, 'p', 0},
    {"mul", "u64 s64", "lo hi", 'p', 0},
    {"mad", "s32", PART "sat cc", 'p', 0},
    {"mad", "u32", PART "cc", 'p', 0},
    {"mad", "u16 s16", PART, 'p', 0},
    {"mad", "u64 s64", "lo hi cc", 'p', 0},
    {"madc", "u32 s32 u64 s64", "lo hi cc", 'p', 0},
    {"mul24", "u32 s32", "lo hi", 'p', 0},
    {"mad24", "u32 s32", "lo hi sat", 'p', 0},
    {"fma mad", "f32", ROUND "ftz sat", 'r', 0},
    {"fma mad", "f64", ROUND, 'r', 0},
    {"fma", HALVES, "rn ftz sat relu oob", 'r', 0},
    {"fma", BRAINS, ROUND "relu oob", 'r', 0},
    {"div", "f32", ROUND "approx full ftz", 'r', 0},
    {"rcp", "f32 f64", ROUND "approx ftz", 'r', 0},
    {"sqrt", "f32", ROUND "approx ftz", 'r', 0},
    {"div sqrt", "f64", ROUND, 'r', 0},
    {"div rem", "u16 s16 u32 s32 u64 s64", "", 0, 0},
    {"rsqrt", "f32 f64", "approx ftz", 'r', 0},
    {"sin cos lg2 ex2", "f32", "approx ftz", 'r', 0},
    {"ex2", BRAINS, "approx ftz", 'r', 0},
    {"ex2 tanh", "", "approx", 'r', 0},
    {"abs neg", "f32 " HALVES, "ftz", 0, 0},
    {"min max", "f32 " HALVES, "ftz NaN xorsign abs", 0, 0},
    {"min max", BRAINS, "NaN xorsign abs", 0, 0},
    {"min max", "s32 s16x2", "relu", 0, 0},
    {"bfind", "", "shiftamt", 0, 0},
    {"shf", "", "l r wrap clamp", 0, 0},
    {"bmsk szext", "", "wrap clamp", 0, 0},
    {"prmt", "", "f4e b4e rc8 ecl ecr rc16", 0, 0},
    {"dp2a", "", "lo hi", 0, 0},
    {"testp", "", "finite infinite number notanumber normal subnormal", 0, 0},
    {"slct", "f32", "ftz", 0, 0},
    {"setp set", "b16 b32 b64", "eq ne and or xor", 0, 0},
    {"setp set", "s16 s32 s64", ORDER "and or xor", 0, 0},
    {"setp set", "u16 u32 u64", ORDER "lo ls hi hs and or xor", 0, 0},
    {"setp set", "f32 " HALVES, ORDER "equ neu ltu leu gtu geu num nan and or xor ftz", 0, 0},
    {"setp set", "f64 " BRAINS, ORDER "equ neu ltu leu gtu geu num nan and or xor", 0, 0},
    {"cvt", INTS, "sat", 0, INTS},
    {"cvt", INTS, ROUND "ftz sat", 'r', "f32"},
    {"cvt", INTS, ROUND "sat", 'r', "f16 f64"},
    {"cvt", INTS, ROUND, 'r', "bf16"},
    {"cvt", "f32", WHOLE "ftz sat", 'r', INTS},
    {"cvt", "f16 f64", WHOLE "sat", 'r', INTS},
    {"cvt", "bf16", WHOLE, 'r', INTS},
    {"cvt", "f32", WHOLE "ftz sat", 0, "f32"},
    {"cvt", "f32", "ftz sat", 0, "f64"},
    {"cvt", "f32", ROUND "ftz sat relu satfinite", 'r', "f16"},
    {"cvt", "f32", ROUND "ftz relu satfinite", 'r', "bf16"},
    {"cvt", "f64", WHOLE "sat", 0, "f64"},
    {"cvt", "f64", ROUND "ftz sat", 'r', "f32"},
    {"cvt", "f64", ROUND "sat", 'r', "f16"},
    {"cvt", "f64", ROUND, 'r', "bf16"},
    {"cvt", "f16", WHOLE "sat", 0, "f16"},
    {"cvt", "f16", "ftz sat", 0, "f32"},
    {"cvt", "f16", "sat", 0, "f64"},
    {"cvt", "bf16", WHOLE, 0, "bf16"},
    {"cvt", "bf16", ROUND "ftz", 0, "f32"},
    {"cvt", "f16 bf16", ROUND, 0, "f16 bf16 f64"},
    {"cvt", "", ROUND "rna rs ftz sat satfinite relu", 0, 0},
    {"abs neg min max bfi bfe brev clz popc sad and or xor not cnot shl shr selp slct fns dp4a "
     "copysign",
     "", "", 0, 0},
    {"mov lop3 trap exit brkpt nanosleep alloca stacksave stackrestore activemask", "", "", 0, 0},
    {"bra ret call", "", "uni", 0, 0},
    {"brx", "", "idx uni", 0, 0},
    {"elect", "", "sync", 0, 0},
    {"bar barrier", "",
     "cta cluster warp sync arrive wait red popc and or aligned all any acquire release relaxed", 0,
     0},
    {"movmatrix", "", "sync aligned trans", 0, 0},
    {"ldmatrix stmatrix", "", "sync aligned trans x1 x2 x4", 'm', 0},
    {"vabsdiff2 vabsdiff4", "", "add min max sat", 0, 0},
    {"vote", "", "sync all any uni ballot", 0, 0},
    {"match", "", "sync all any", 0, 0},
    {"shfl", "", "sync up down bfly idx", 0, 0},
    {"redux", "", "sync add and or xor min max abs NaN", 0, 0},
    {"cvta", "", "to", 'm', 0},
    {"mapa getctarank ldu", "", "", 'm', 0},
    {"ld", "", "weak volatile relaxed acquire mmio nc unified " SCOPE, 'm', 0},
    {"st", "", "weak volatile relaxed release mmio " SCOPE, 'm', 0},
    {"atom red", "",
     "add min max inc dec and or xor cas exch noftz relaxed acquire release acq_rel " SCOPE, 'm',
     0},
    {"mma wmma cp", "", NULL, 0, 0}, /* not looked at: they see to their own */
};
#define NROWS  (sizeof(rows) / sizeof(rows[0]))
#define OTHERS ROUND WHOLE PART "rna rs ftz sat satfinite relu xorsign NaN cc approx full oob"
/* of each at most one */
static const char *const groups[] = {ROUND WHOLE "rna rs approx full",
                                     PART,
                                     "sat relu cc",
                                     "l r",
                                     "wrap clamp",
                                     "up down bfly idx",
                                     "uni any all ballot",
                                     SCOPE,
                                     "add min max inc dec and or xor cas exch popc",
                                     ORDER "lo ls hi hs equ neu ltu leu gtu geu num nan"};
enum { ROUNDS, PARTS, NGROUPS = sizeof(groups) / sizeof(groups[0]) };

struct mods {
    uint64_t bits[4];
};
static struct {
    uint64_t ops[NROWS][(OP_COUNT + 63) / 64], types[NROWS], to[NROWS];
    struct mods mods[NROWS], others, groups[NGROUPS];
} sets;

/* ---- words to bits ---- */
static const char *next_word(const char **at, size_t *length)
{
    const char *word = *at + strspn(*at, " ");
    *length = strcspn(word, " ");
    *at = word + *length;
    return *length ? word : NULL;
}
static struct mods mods_of(const char *words)
{
    struct mods m = {{0}};
    const char *word;
    for (size_t n; (word = next_word(&words, &n));) {
        int k = mod_find(word, n);
        if (k >= 0)
            m.bits[k >> 6] |= 1ull << (k & 63);
        else
            panic("lower_suffix: %s", word);
    }
    return m;
}
static uint64_t types_of(const char *words)
{
    uint64_t set = 0;
    const char *word;
    for (size_t n; (word = next_word(&words, &n));)
        for (int t = 1; t < PTX_TYPE_COUNT; t++)
            if (strlen(ptx_type_name(t)) == n && !strncmp(ptx_type_name(t), word, n))
                set |= 1ull << t;
    return set;
}
static void ops_of(const char *words, uint64_t *set)
{
    const char *word;
    for (size_t n; (word = next_word(&words, &n));)
        for (int k = 0; k < OP_COUNT; k++)
            if (strlen(ptx_op_name(k)) == n && !strncmp(ptx_op_name(k), word, n))
                set[k >> 6] |= 1ull << (k & 63);
}
static void make_sets(void)
{
    for (size_t k = 0; k < NROWS; k++) {
        ops_of(rows[k].ops, sets.ops[k]);
        sets.types[k] = types_of(rows[k].types);
        sets.to[k] = rows[k].to ? types_of(rows[k].to) : 0;
        sets.mods[k] = mods_of(rows[k].mods ? rows[k].mods : "");
    }
    sets.others = mods_of(OTHERS);
    for (int k = 0; k < NGROUPS; k++)
        sets.groups[k] = mods_of(groups[k]);
}

/* ---- one instruction ---- */
static enum ptx_type key_type(const struct ptx_insn *in)
{
    bool source = in->op == OP_cvt || in->op == OP_set || in->op == OP_slct;
    return !in->ntypes ? PTX_NOTYPE : in->types[source && in->ntypes > 1 ? 1 : 0];
}
static int row_of(const struct ptx_insn *in)
{
    uint64_t type = 1ull << key_type(in), to = 1ull << in->types[0];
    for (size_t k = 0; k < NROWS; k++)
        if (sets.ops[k][in->op >> 6] >> (in->op & 63) & 1 &&
            (!sets.types[k] || sets.types[k] & type) && (!sets.to[k] || sets.to[k] & to))
            return (int)k;
    return -1;
}
static unsigned count(const struct ptx_insn *in, const struct mods *m)
{
    unsigned n = 0;
    for (int k = 0; k < 4; k++)
        n += (unsigned)__builtin_popcountll(in->mods[k] & m->bits[k]);
    return n;
}
/* Refuses what the instruction has of `set`, or, with `beyond`, has beyond it. */
static bool refuse_any(struct lower *l, const struct mods *set, bool beyond)
{
    const struct ptx_insn *in = l->in;
    for (int k = 0; k < 4; k++) {
        uint64_t bad = in->mods[k] & (beyond ? ~set->bits[k] : set->bits[k]);
        if (!bad)
            continue;
        lower_fail(l, "%s%s%s takes no .%s", ptx_op_name(in->op), in->ntypes ? " of ." : "",
                   in->ntypes ? ptx_type_name(key_type(in)) : "",
                   ptx_mod_name((enum ptx_mod)(64 * k + __builtin_ctzll(bad))));
        return true;
    }
    return false;
}
static void check_row(struct lower *l, char needs)
{
    const struct ptx_insn *in = l->in;
    const char *op = ptx_op_name(in->op);
    if (needs != 'm' && (in->has_space || in->vec > 1 || in->cache))
        lower_fail(l, "%s takes no %s", op,
                   in->has_space ? "state space"
                   : in->cache   ? "cache operator"
                                 : "vector width");
    for (int k = 0; k < NGROUPS; k++)
        if (count(in, &sets.groups[k]) > 1)
            lower_fail(l, "%s takes at most one of: %s", op, groups[k]);
    if (needs == 'r' && !count(in, &sets.groups[ROUNDS]))
        lower_fail(l, "%s of .%s does not say how to round", op, ptx_type_name(key_type(in)));
    if (needs == 'p' && !count(in, &sets.groups[PARTS]))
        lower_fail(l, "%s of .%s needs .lo, .hi or .wide", op, ptx_type_name(key_type(in)));
}

bool lower_suffixes(struct lower *l)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_sets);
    int row = row_of(l->in);
    if (row < 0)
        return !refuse_any(l, &sets.others, false);
    if (rows[row].mods && !refuse_any(l, &sets.mods[row], true))
        check_row(l, rows[row].needs);
    return !l->error;
}
