/* regalloc.c - virtual registers to places in a frame: liveness, then linear scan.
 *
 * PTX gives every value a register of its own; a warp's registers would not fit the
 * host's caches. Liveness is per lane, and lanes follow the control-flow graph like any
 * scalar program, so places can be shared although lanes diverge: masked writes keep each
 * lane's column apart. The greatest number of values live at once doubles as the estimate
 * of a kernel's registers.
 */
#include "code.h"
#include "opcodes.h"
#include <stdlib.h>
#include <string.h>

/* ---- which registers an instruction reads and writes ---- */
static bool no_destination(const struct ptx_insn *in)
{
    switch (opcode_of(in)->result) {
    case RESULT_NONE:
        return true;
    case RESULT_RED:
        return !ptx_has(in, M_red);
    default:
        return in->noperands > 0 && in->operands[0].kind == OPD_ADDR;
    }
}
static uint32_t collect(const struct ptx_operand *o, uint32_t *out, uint32_t n, uint32_t max)
{
    if (o->kind == OPD_REG || (o->kind == OPD_ADDR && o->has_reg)) {
        if (n < max)
            out[n] = o->reg;
        n++;
    }
    for (uint32_t k = 0; k < o->nelems; k++) /* of a vector, a list, or a tensor's coordinates */
        n = collect(&o->elems[k], out, n, max);
    if (o->pair)
        n = collect(o->pair, out, n, max);
    return n;
}
static bool adds_to_first(const struct ptx_insn *in) /* what it writes it also reads */
{
    return in->op == OP_wgmma;
}
uint32_t insn_uses(const struct ptx_insn *in, const struct ptx_func *f, uint32_t *out, uint32_t max)
{
    (void)f;
    uint32_t n = 0, first = no_destination(in) || adds_to_first(in) ? 0 : 1;
    if (in->guarded && max)
        out[n++] = in->guard;
    for (uint32_t k = first; k < in->noperands; k++)
        n = collect(&in->operands[k], out, n, max);
    return n < max ? n : max;
}
uint32_t insn_defs(const struct ptx_insn *in, const struct ptx_func *f, uint32_t *out, uint32_t max)
{
    (void)f;
    if (no_destination(in) || in->noperands == 0)
        return 0;
    uint32_t n = collect(&in->operands[0], out, 0, max);
    return n < max ? n : max;
}

/* ---- liveness ---- */
#define MAX_OPERANDS 160 /* registers one instruction names: an m16n16k16 wmma has 32 */

struct live {
    uint32_t words;
    uint64_t *in, *use, *def;
};
static bool bit(const uint64_t *s, uint32_t r)
{
    return s[r >> 6] >> (r & 63) & 1;
}
static void set(uint64_t *s, uint32_t r)
{
    s[r >> 6] |= 1ull << (r & 63);
}
static void local_sets(const struct ptx_func *f, const struct cfg *c, struct live *l)
{
    uint32_t regs[MAX_OPERANDS];
    for (uint32_t b = 0; b < c->nblocks; b++) {
        uint64_t *use = l->use + (size_t)b * l->words, *def = l->def + (size_t)b * l->words;
        for (uint32_t i = c->first[b]; i < c->end[b]; i++) {
            uint32_t n = insn_uses(&f->insns[i], f, regs, MAX_OPERANDS);
            for (uint32_t k = 0; k < n; k++)
                if (!bit(def, regs[k]))
                    set(use, regs[k]);
            if (f->insns[i].guarded)
                continue; /* lanes may keep the old value */
            n = insn_defs(&f->insns[i], f, regs, MAX_OPERANDS);
            for (uint32_t k = 0; k < n; k++)
                set(def, regs[k]);
        }
    }
}
static void live_out(const struct cfg *c, const struct live *l, uint32_t b, uint64_t *out)
{
    memset(out, 0, l->words * 8);
    for (uint32_t k = 0; k < 2 + c->nextra[b]; k++) {
        uint32_t s = k < 2 ? c->succ[b][k] : c->extra[b][k - 2];
        if (s != NO_BLOCK)
            for (uint32_t j = 0; j < l->words; j++)
                out[j] |= l->in[(size_t)s * l->words + j];
    }
}
static void solve(const struct cfg *c, struct live *l, uint64_t *out)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = c->nblocks; b-- > 0;) {
            live_out(c, l, b, out);
            uint64_t *in = l->in + (size_t)b * l->words;
            const uint64_t *use = l->use + (size_t)b * l->words,
                           *def = l->def + (size_t)b * l->words;
            for (uint32_t j = 0; j < l->words; j++) {
                uint64_t v = use[j] | (out[j] & ~def[j]);
                changed |= v != in[j];
                in[j] = v;
            }
        }
    }
}

/* ---- intervals: positions 2i (reads of instruction i) and 2i+1 (its writes) ---- */
struct interval {
    uint32_t reg, from, to;
};
static void stretch(struct interval *v, uint32_t at)
{
    if (at < v->from)
        v->from = at;
    if (at + 1 > v->to)
        v->to = at + 1;
}
/* A handler with several results may write one before it has read all sources. */
static bool writes_early(const struct ptx_insn *in)
{
    for (uint32_t k = 0; k < in->noperands; k++)
        if (in->operands[k].kind == OPD_VEC)
            return true;
    return in->op == OP_wmma || in->op == OP_mma || in->op == OP_call;
}
static void find_intervals(const struct ptx_func *f, const struct cfg *c, const struct live *l,
                           struct interval *v, uint64_t *out)
{
    uint32_t regs[MAX_OPERANDS];
    for (uint32_t r = 0; r < f->nregs; r++)
        v[r] = (struct interval){r, UINT32_MAX, 0};
    for (uint32_t b = 0; b < c->nblocks; b++) {
        live_out(c, l, b, out);
        const uint64_t *in = l->in + (size_t)b * l->words;
        for (uint32_t j = 0; j < l->words; j++) {
            for (uint64_t s = in[j]; s; s &= s - 1)
                stretch(&v[j * 64 + (uint32_t)__builtin_ctzll(s)], 2 * c->first[b]);
            for (uint64_t s = out[j]; s; s &= s - 1)
                stretch(&v[j * 64 + (uint32_t)__builtin_ctzll(s)],
                        2 * (c->end[b] ? c->end[b] : 1) - 1);
        }
        for (uint32_t i = c->first[b]; i < c->end[b]; i++) {
            uint32_t n = insn_uses(&f->insns[i], f, regs, MAX_OPERANDS);
            for (uint32_t k = 0; k < n; k++)
                stretch(&v[regs[k]], 2 * i);
            n = insn_defs(&f->insns[i], f, regs, MAX_OPERANDS);
            for (uint32_t k = 0; k < n; k++) {
                stretch(&v[regs[k]], 2 * i + 1);
                if (writes_early(&f->insns[i]))
                    stretch(&v[regs[k]], 2 * i);
            }
        }
    }
}
static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1)
                              : (x->reg > y->reg) - (x->reg < y->reg);
}

/* ---- linear scan: places by size class, the most recently freed first ---- */
enum { CLASS_PRED, CLASS_16, CLASS_32, CLASS_64, CLASS_128, NCLASSES };
static const uint32_t class_bytes[NCLASSES] = {4, 64, 128, 256, 512};
static int class_of(enum ptx_type t)
{
    unsigned bits = ptx_type_bits(t);
    return t == PTX_PRED ? CLASS_PRED
           : bits <= 16  ? CLASS_16
           : bits <= 32  ? CLASS_32
           : bits <= 64  ? CLASS_64
                         : CLASS_128;
}
struct scan {
    struct interval *active;
    uint32_t nactive;
    uint32_t *free_place[NCLASSES], nfree[NCLASSES];
    uint32_t bytes, preds, live, max_live;
};
static uint32_t words_of(int cls)
{
    return cls == CLASS_PRED ? 0 : cls <= CLASS_32 ? 1 : cls == CLASS_64 ? 2 : 4;
}
static void expire(struct scan *s, const struct ptx_func *f, uint32_t at, const uint32_t *offset)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->nactive; k++) {
        struct interval *a = &s->active[k];
        if (a->to > at) {
            s->active[n++] = *a;
            continue;
        }
        int cls = class_of(f->regs[a->reg].type);
        s->free_place[cls][s->nfree[cls]++] = offset[a->reg];
        s->live -= words_of(cls);
    }
    s->nactive = n;
}

uint32_t regalloc(const struct ptx_func *f, const struct cfg *c, const bool *skip, uint32_t *offset,
                  uint32_t *max_live)
{
    struct live l = {.words = (f->nregs + 63) / 64};
    size_t n = (size_t)c->nblocks * l.words;
    l.in = xcalloc(n, 8);
    l.use = xcalloc(n, 8);
    l.def = xcalloc(n, 8);
    uint64_t *out = xcalloc(l.words + 1, 8);
    struct interval *v = xcalloc(f->nregs + 1, sizeof(*v));
    struct scan s = {.active = xcalloc(f->nregs + 1, sizeof(*v))};
    for (int k = 0; k < NCLASSES; k++)
        s.free_place[k] = xcalloc(f->nregs + 1, 4);
    local_sets(f, c, &l);
    solve(c, &l, out);
    find_intervals(f, c, &l, v, out);
    qsort(v, f->nregs, sizeof(*v), by_start);
    for (uint32_t k = 0; k < f->nregs; k++) {
        uint32_t r = v[k].reg;
        offset[r] = 0;
        if (v[k].from == UINT32_MAX || skip[r])
            continue;
        expire(&s, f, v[k].from, offset);
        int cls = class_of(f->regs[r].type);
        if (s.nfree[cls]) {
            offset[r] = s.free_place[cls][--s.nfree[cls]];
        } else {
            s.bytes = ROUND_UP(s.bytes, cls == CLASS_PRED ? 4 : 64);
            offset[r] = s.bytes;
            s.bytes += class_bytes[cls];
        }
        s.active[s.nactive++] = v[k];
        s.live += words_of(cls);
        if (s.live > s.max_live)
            s.max_live = s.live;
    }
    for (int k = 0; k < NCLASSES; k++)
        free(s.free_place[k]);
    free(s.active);
    free(v);
    free(out);
    free(l.in);
    free(l.use);
    free(l.def);
    *max_live = s.max_live;
    return ROUND_UP(s.bytes, 64);
}
