/* disturb.c - flips bits in what a class of instructions brings (disturb.h).
 *
 * The instructions of the class get another handler, which runs their own and then flips bits in
 * the registers that it wrote; all others, and launches without disturbance, run as ever. Bits
 * depend on the instruction, the lane and on how far the warp has come, so that two loads of one
 * word do not cancel, and are the same each time.
 *
 * Of each 2 bytes some of bits 4 to 9 are flipped: a good part of the value as f16, as the high
 * half of an f32 and as an integer, without making a NaN or an infinity of usual numbers. Of 8
 * bytes the highest 2 lose only bits 0 to 3, the highest of an f64's mantissa.
 *
 * Not disturbed: predicates of shfl; an atomic of 16 bytes; lanes that an instruction of the whole
 * warp (shfl) took along from another path.
 */
#include "disturb.h"
#include "emulator/base/mem.h"
#include "emulator/code/mma_shape.h"
#include <string.h>

#define SET(class) (1u << DISTURB_##class)

static unsigned wanted; /* under no lock: launches read it once */

unsigned disturb_set(unsigned classes)
{
    unsigned before = wanted;
    wanted = classes;
    return before;
}
unsigned disturb_now(void)
{
    return wanted;
}

/* ---- which bits ---- */
static uint64_t mix(uint64_t x) /* splitmix64's finalizer */
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
uint64_t disturb_bits(const struct warp *w, const struct insn *in, int lane, uint32_t element,
                      uint32_t size)
{
    uint64_t where = (uint64_t)in->site->index << 40 | (uint64_t)w->index << 16 |
                     (uint64_t)element << 5 | (unsigned)lane;
    uint64_t r = mix(mix(where) ^ mix(w->executed << 32 | w->block->index)), bits = 0;
    for (uint32_t part = 0; part < (size + 1) / 2; part++, r >>= 12) {
        bool top = part == 3, byte = size == 1;
        uint64_t choice = r & (top || byte ? 0xf : 0x3f);
        choice = choice ? choice : 5;
        bits |= choice << (16 * part + (top ? 0 : byte ? 2 : 4));
    }
    return bits;
}

/* ---- of which instructions ---- */
static unsigned by_space(enum ptx_space s)
{
    switch (s) {
    case SPACE_SHARED:
    case SPACE_SHARED_CLUSTER:
        return SET(shared_ld);
    case SPACE_GLOBAL:
        return SET(global_ld);
    case SPACE_GENERIC:
        return SET(shared_ld) | SET(global_ld);
    default:
        return 0;
    }
}
/* Of several instructions that a statement became, the one that accesses memory or multiplies. */
static unsigned classes_of(const struct ptx_insn *p, const struct insn *in)
{
    bool access = in->slot != NO_PLACE;
    switch (p->op) {
    case OP_ld:
    case OP_ldu:
        return access ? by_space(p->space) : 0;
    case OP_ldmatrix:
        return access ? SET(shared_ld) : 0;
    case OP_wmma:
        if (ptx_has(p, M_load) && access)
            return by_space((enum ptx_space)in->sub);
        return ptx_has(p, M_mma) && in->data ? SET(tensor) : 0;
    case OP_mma:
        return in->data ? SET(tensor) : 0;
    case OP_shfl:
    case OP_redux:
        return SET(shuffle);
    case OP_atom:
        return access ? SET(atom) : 0;
    default:
        return 0;
    }
}
static const struct ptx_insn *statement_of(const struct warp *w, const struct insn *in)
{
    return &w->cur->frame->func->ptx->insns[in->site->index];
}

/* Lanes of `mask` that read memory of the class: generic addresses are looked at. */
static uint32_t lanes_of_class(const struct warp *w, const struct insn *in, uint32_t mask)
{
    unsigned both = SET(shared_ld) | SET(global_ld), now = w->block->launch->disturb & both;
    uint32_t lanes = 0;
    if ((classes_of(statement_of(w, in), in) & both) != both || now == both ||
        in->src[0] == NO_PLACE || in->flags & F_SHARED32)
        return mask;
    const uint64_t *a = place(w, in->src[0]);
    for (int i = 0; i < WARP; i++) {
        uint64_t window = (a[i] + (uint64_t)in->imm) & MEM_WINDOW_MASK;
        lanes |= (uint32_t)(now == SET(shared_ld) ? window == MEM_SHARED_BASE : !window) << i;
    }
    return lanes & mask;
}

/* ---- what they wrote ---- */
struct written {
    uint32_t n, places[16];
    uint32_t width, size; /* bytes of a register, and of what was brought into it */
};
static void add_place(struct written *x, uint32_t at)
{
    if (at != NO_PLACE && x->n < sizeof(x->places) / sizeof(x->places[0]))
        x->places[x->n++] = at;
}
static struct written written_by(const struct ptx_insn *p, const struct insn *in)
{
    struct written x = {.width = 4, .size = 4};
    const struct mma_shape *s = in->data;
    bool product = p->op == OP_mma || (p->op == OP_wmma && ptx_has(p, M_mma));
    if (p->op == OP_shfl || p->op == OP_redux) {
        add_place(&x, in->dst);
    } else if (product || p->op == OP_wmma || p->op == OP_ldmatrix) {
        bool wide = product ? s->d_type == PTX_F64 : s->element_bytes == 8;
        x.width = x.size = wide ? 8 : 4;
        for (uint32_t k = 0; k < s->nd; k++)
            add_place(&x, in->places[k]);
    } else {
        x.width = in->width;
        x.size = in->size < in->width ? in->size : in->width;
        for (uint32_t k = 0; k < in->count; k++)
            add_place(&x, in->count > 1 ? in->places[k] : in->dst);
    }
    return x;
}
static void flip(struct warp *w, const struct insn *in, uint32_t lanes)
{
    struct written x = written_by(statement_of(w, in), in);
    for (uint32_t k = 0; k < x.n && x.width <= 8; k++)
        for (uint32_t m = lanes; m; m &= m - 1) {
            int lane = __builtin_ctz(m);
            uint64_t bits = disturb_bits(w, in, lane, k, x.size), v = 0;
            uint8_t *at = (uint8_t *)place(w, x.places[k]) + (uint32_t)lane * x.width;
            memcpy(&v, at, x.width);
            v ^= bits;
            memcpy(at, &v, x.width);
        }
}

/* ---- the handler ---- */
static handler own_handler(const struct insn *in)
{
    return in->guard_slot == NO_PLACE ? in->unguarded : handler_function(H_guard);
}
static const struct insn *disturbed(struct warp *w, const struct insn *in)
{
    const struct path *path = w->cur;
    uint32_t mask = w->cur->mask;
    if (in->guard_slot != NO_PLACE) {
        uint32_t p = *(const uint32_t *)place(w, in->guard);
        mask &= in->guard_neg ? ~p : p;
    }
    uint32_t lanes = lanes_of_class(w, in, mask); /* the address may be overwritten */
    const struct insn *next = own_handler(in)(w, in);
    if (next == in + 1 && w->cur == path) /* else it waits, or the launch failed */
        flip(w, in, lanes);
    return next;
}

static void disturb_func(struct emu_func *f, unsigned classes)
{
    for (uint32_t i = 0; i < f->ninsns; i++) {
        struct insn *in = &f->insns[i];
        unsigned of = in->site ? classes_of(&f->ptx->insns[in->site->index], in) : 0;
        if (of)
            in->fn = of & classes ? disturbed : own_handler(in);
    }
}
void disturb_module(struct emu_module *m, unsigned classes)
{
    if (!m->disturbed && !classes)
        return;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->lowered)
            disturb_func(m->funcs[i], classes);
    m->disturbed = classes;
}
