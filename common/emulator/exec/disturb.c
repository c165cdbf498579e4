/* disturb.c - flips bits in what a class of instructions brings (disturb.h).
 *
 * The instructions of the class get another handler, which runs their own and then flips bits in
 * the registers that it wrote; all others, and launches without disturbance, run as ever. Bits
 * depend on the instruction, the lane and on how far the warp has come, so that two loads of one
 * word do not cancel, and are the same each time. A sum to which products of matrices added
 * nothing stays as it was. Who stored a word, and how long ago it was loaded, follow.c knows.
 *
 * Of each 2 bytes some of bits 4 to 9 are flipped: a good part of the value as f16, as the high
 * half of an f32 and as an integer, without making a NaN or an infinity of usual numbers. Of 8
 * bytes the highest 2 lose only bits 0 to 3, the highest of an f64's mantissa.
 *
 * Not disturbed: predicates of shfl and vote; an atomic of 16 bytes; lanes that an instruction of
 * the whole warp (shfl) took along from another path.
 */
#include "disturb.h"
#include "follow.h"
#include "late.h"
#include "nan.h"
#include "compared.h"
#include "outcomes.h"
#include "base/mix.h"
#include "emulator/base/mem.h"
#include "emulator/code/mma_shape.h"
#include <stdlib.h>
#include <string.h>

#define SET(class) (1u << DISTURB_##class)
/* All that some warps or blocks load. */
#define PARTS (SET(half_warps) | SET(one_warp) | SET(one_block))
/* What so many lanes load together from shared memory. */
#define TOGETHER (SET(lanes_8) | SET(lanes_2))
#define SHARED   (SET(shared_ld) | SET(others) | SET(one_in_64) | TOGETHER)
/* Of products of matrices. */
#define PRODUCTS (SET(tensor) | SET(one_block))

static unsigned wanted; /* under no lock: launches read it once */

unsigned disturb_set(unsigned classes)
{
    unsigned before = wanted;
    /* each of these has all of the one before it */
    classes |= classes & SET(crowded) ? SET(late) : 0;
    classes |= classes & SET(late) ? SET(parted) : 0;
    classes |= classes & SET(parted) ? SET(reordered) : 0;
    wanted = classes;
    return before;
}
unsigned disturb_now(void)
{
    return wanted;
}

/* ---- which bits ---- */
static uint64_t moment(const struct warp *w)
{
    return mix64(w->executed << 32 | w->block->index);
}
static uint64_t moment_of(const struct warp *w, const struct insn *in, uint32_t element)
{
    uint64_t where =
        (uint64_t)in->site->index << 40 | (uint64_t)w->index << 16 | (uint64_t)element << 5;
    return mix64(where) ^ moment(w);
}
/* In 32 bits, so that a warp's lanes are mixed side by side. */
static inline uint32_t mix_lane(uint32_t x, uint32_t lane)
{
    x ^= lane * 0x9e3779b9u;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
static inline uint32_t choice(uint32_t r, uint32_t mask)
{
    return r & mask ? r & mask : 5;
}
/* Of an element's first 4 bytes, and of those from its fourth on. */
static inline uint32_t low_bits(uint32_t r, uint32_t size)
{
    uint32_t first = size == 1 ? choice(r, 0xf) << 2 : choice(r, 0x3f) << 4;
    return size > 2 ? first | choice(r >> 8, 0x3f) << 20 : first;
}
static inline uint32_t high_bits(uint32_t r, uint32_t size)
{
    return size > 4 ? choice(r, 0x3f) << 4 | choice(r >> 8, 0xf) << 16 : 0;
}
static inline uint64_t bits_at(uint64_t when, uint32_t lane, uint32_t size)
{
    uint64_t low = low_bits(mix_lane((uint32_t)when, lane), size);
    return low | (uint64_t)high_bits(mix_lane((uint32_t)(when >> 32), lane), size) << 32;
}
uint64_t disturb_bits(const struct warp *w, const struct insn *in, int lane, uint32_t element,
                      uint32_t size)
{
    return bits_at(moment_of(w, in, element), (uint32_t)lane, size);
}

/* ---- of which instructions ---- */
static unsigned by_space(enum ptx_space s)
{
    switch (s) {
    case SPACE_SHARED:
    case SPACE_SHARED_CLUSTER:
        return SHARED | PARTS;
    case SPACE_GLOBAL:
        return SET(global_ld) | PARTS;
    case SPACE_GENERIC:
        return SHARED | SET(global_ld) | PARTS;
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
        return access ? by_space(SPACE_SHARED) : 0;
    case OP_wmma:
        if (ptx_has(p, M_load) && access)
            return by_space((enum ptx_space)in->sub);
        return ptx_has(p, M_mma) && in->data ? PRODUCTS : 0;
    case OP_mma:
    case OP_wgmma: /* fence, commit_group and wait_group have no shape */
        return in->data ? PRODUCTS : 0;
    case OP_vote:
        return p->types[0] == PTX_PRED ? 0 : SET(shuffle);
    case OP_shfl:
    case OP_redux:
    case OP_match:
    case OP_movmatrix:
        return SET(shuffle);
    case OP_atom:
        return access ? SET(atom) : 0;
    default:
        return 0;
    }
}
/* What else may leave something in shared memory. */
static bool may_store_shared(const struct ptx_insn *p, const struct insn *in)
{
    bool matrix = p->op == OP_stmatrix || (p->op == OP_wmma && ptx_has(p, M_store));
    enum ptx_space s = matrix ? (enum ptx_space)in->sub : p->space;
    bool stores = matrix || p->op == OP_st || p->op == OP_atom || p->op == OP_red;
    return stores && !ptx_has(p, M_async) && in->slot != NO_PLACE &&
           (s == SPACE_SHARED || s == SPACE_SHARED_CLUSTER || s == SPACE_GENERIC);
}
static const struct ptx_insn *statement_of(const struct warp *w, const struct insn *in)
{
    return &w->cur->frame->func->ptx->insns[in->site->index];
}

/* ---- of which lanes ---- */
static uint64_t address_of(const struct warp *w, const struct insn *in, int lane)
{
    uint64_t a = 0;
    if (in->src[0] != NO_PLACE && in->flags & F_SHARED32)
        a = ((const uint32_t *)place(w, in->src[0]))[lane];
    else if (in->src[0] != NO_PLACE)
        a = ((const uint64_t *)place(w, in->src[0]))[lane];
    return a + (uint64_t)in->imm;
}
/* Of generic addresses those that lead to shared memory, or to global. */
static uint32_t leads_to(const struct warp *w, const struct insn *in, uint32_t mask, bool shared)
{
    const struct ptx_insn *p = statement_of(w, in);
    bool matrix = p->op == OP_wmma || p->op == OP_ldmatrix || p->op == OP_stmatrix;
    enum ptx_space s = matrix ? (enum ptx_space)in->sub : p->space;
    uint32_t lanes = 0;
    if (s != SPACE_GENERIC || in->src[0] == NO_PLACE || in->flags & F_SHARED32)
        return shared == (s != SPACE_GLOBAL) ? mask : 0;
    for (int i = 0; i < WARP; i++) {
        uint64_t window = address_of(w, in, i) & MEM_WINDOW_MASK;
        lanes |= (uint32_t)(shared ? window == MEM_SHARED_BASE : !window) << i;
    }
    return lanes & mask;
}
/* Of the lanes that read element k of a load from shared memory, those to whom another left it. */
static uint32_t from_others(const struct warp *w, const struct insn *in, uint32_t mask,
                            const uint64_t at[WARP], uint32_t k)
{
    const struct ptx_insn *p = statement_of(w, in);
    uint32_t lanes = 0;
    if (p->op != OP_ld && p->op != OP_ldu) /* a matrix is dealt to all lanes */
        return mask;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint32_t thread = w->index * WARP + (uint32_t)i + 1;
        lanes |=
            (uint32_t)writers_others(w->block, thread, at[i] + (uint64_t)k * in->size, in->size)
            << i;
    }
    return lanes;
}
/* Which half it is goes by the block's index, mixed, so that no warp is of it in all blocks. */
static bool of_half(const struct warp *w)
{
    return w->block->nwarps == 1 || ((w->index ^ mix64(w->block->index)) & 1);
}
/* What one row of a grid makes together is found as what one block makes: by another choice for
 * each, the same for all of the row. One of n, another for each k: steps of the golden ratio leave
 * no part of n out for long. */
static uint32_t one_of(uint32_t n, uint32_t k)
{
    return (uint32_t)((uint64_t)n * ((k + 1) * 0x9e3779b9u) >> 32);
}
static bool of_part(const struct warp *w, unsigned now)
{
    const struct block *b = w->block;
    uint32_t across = b->launch->grid[0], row = b->index / across;
    uint32_t turn = b->launch->grid[1] * b->launch->grid[2] > 1 ? row : b->index;

    return (now & SET(half_warps) && of_half(w)) ||
           (now & SET(one_warp) && w->index == one_of(b->nwarps, turn)) ||
           (now & SET(one_block) && b->ctaid[0] == one_of(across, row));
}
/* One in 64 of these lanes, others each time. */
static uint32_t some_of(const struct warp *w, const struct insn *in, uint32_t mask, uint32_t k)
{
    uint64_t when = moment_of(w, in, k);
    uint32_t some = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        some |= (uint32_t)(mix_lane((uint32_t)(when >> 32), lane) >> 26 == 0) << lane;
    }
    return some;
}
static bool are_together(unsigned now, uint32_t lanes)
{
    return (now & SET(lanes_8) && lanes >= 8 && lanes < 16) ||
           (now & SET(lanes_2) && lanes >= 2 && lanes < 4);
}
/* Lanes of `mask` in whose element k, of n, bits are to be flipped. */
static void lanes_of_class(const struct warp *w, const struct insn *in, uint32_t mask, unsigned now,
                           uint32_t n, uint32_t lanes[16])
{
    unsigned memory = SHARED | SET(global_ld) | PARTS;
    uint32_t all = now & ~memory & ~SET(tensor) ? mask : 0;
    uint32_t shared = now & SHARED ? leads_to(w, in, mask, true) : 0;
    if (of_part(w, now))
        all |= mask;
    if (now & SET(shared_ld) || are_together(now, (uint32_t)__builtin_popcount(shared)))
        all |= shared;
    if (now & SET(global_ld))
        all |= leads_to(w, in, mask, false);
    for (uint32_t k = 0; k < n; k++)
        lanes[k] = all | (now & SET(one_in_64) ? some_of(w, in, shared, k) : 0);
    if (!(now & SET(others)))
        return;
    uint64_t at[WARP];
    for (int i = 0; i < WARP; i++)
        at[i] = address_of(w, in, i) & ~MEM_WINDOW_MASK;
    for (uint32_t k = 0; k < n; k++)
        lanes[k] |= from_others(w, in, shared, at, k);
}

static bool are_apart(const struct warp *w, const struct insn *in, uint32_t lanes)
{
    uint64_t first = lanes ? address_of(w, in, __builtin_ctz(lanes)) : 0;
    for (uint32_t m = lanes; m; m &= m - 1)
        if (address_of(w, in, __builtin_ctz(m)) != first)
            return true;
    return false;
}

/* ---- what they write ---- */
static void add_place(struct written *x, uint32_t at)
{
    if (x->n < sizeof(x->places) / sizeof(x->places[0]))
        x->places[x->n++] = at;
}
static struct written written_by(const struct ptx_insn *p, const struct insn *in)
{
    struct written x = {.width = 4, .size = 4};
    const struct mma_shape *s = in->data;
    if (p->op == OP_shfl || p->op == OP_redux || p->op == OP_vote || p->op == OP_match ||
        p->op == OP_movmatrix) {
        add_place(&x, in->dst);
    } else if (p->op == OP_wmma || p->op == OP_ldmatrix) {
        x.width = x.size = s->element_bytes == 8 ? 8 : 4;
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
/* A row of words, as most are, in one go. */
static void flip_words(uint32_t *row, uint64_t when, uint32_t lanes)
{
    for (uint32_t i = 0; i < WARP; i++)
        row[i] ^= low_bits(mix_lane((uint32_t)when, i), 4) & -(lanes >> i & 1);
}
static void flip(struct warp *w, const struct insn *in, uint32_t at, uint32_t width, uint32_t size,
                 uint32_t element, uint32_t lanes)
{
    if (at == NO_PLACE || width > 8 || !lanes)
        return;
    uint8_t *first = place(w, at);
    uint64_t when = moment_of(w, in, element);
    if (width == 4 && size == 4) {
        flip_words((uint32_t *)first, when, lanes);
        return;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t bits = bits_at(when, lane, size), v = 0;
        uint8_t *p = first + lane * width;
        memcpy(&v, p, width);
        v ^= bits;
        memcpy(p, &v, width);
    }
}
/* ---- sums of products ---- */
#define MOST_SUMS 128 /* registers of a wgmma's */
struct addend {       /* what a product is added to */
    uint32_t n, width;
    bool known;
    uint64_t v[MOST_SUMS][WARP];
};
static void read_addend(const struct warp *w, const struct insn *in, struct addend *x)
{
    const struct mma_shape *s = in->data;
    bool adds_to_first = statement_of(w, in)->op == OP_wgmma;
    uint32_t from = adds_to_first ? 0 : s->nd + s->na + s->nb;
    x->n = s->nd < MOST_SUMS ? s->nd : MOST_SUMS;
    x->width = s->d_type == PTX_F64 ? 8 : 4;
    x->known = adds_to_first || s->c_type == s->d_type;
    memset(x->v, 0, x->n * sizeof(x->v[0]));
    for (uint32_t k = 0; k < x->n && x->known; k++) {
        const uint8_t *p = place(w, in->places[from + k]);
        for (int i = 0; i < WARP; i++)
            memcpy(&x->v[k][i], p + (uint32_t)i * x->width, x->width);
    }
}
/* Of a sum only where something was added. */
static void flip_sums(struct warp *w, const struct insn *in, const struct addend *x)
{
    for (uint32_t k = 0; k < x->n; k++) {
        const uint8_t *p = place(w, in->places[k]);
        uint32_t changed = 0;
        for (int i = 0; i < WARP; i++) {
            uint64_t v = 0;
            memcpy(&v, p + (uint32_t)i * x->width, x->width);
            changed |= (uint32_t)(v != x->v[k][i] || !x->known) << i;
        }
        flip(w, in, in->places[k], x->width, x->width, k, changed & w->cur->mask);
    }
}

/* ---- the handler ---- */
handler disturb_own(const struct insn *in)
{
    return in->guard_slot == NO_PLACE ? in->unguarded : handler_function(H_guard);
}
uint32_t disturb_lanes(const struct warp *w, const struct insn *in)
{
    uint32_t mask = w->cur->mask;
    if (in->guard_slot != NO_PLACE) {
        uint32_t p = *(const uint32_t *)place(w, in->guard);
        mask &= in->guard_neg ? ~p : p;
    }
    return mask;
}
static void note_stores(struct warp *w, const struct insn *in, uint32_t mask)
{
    const struct ptx_insn *p = statement_of(w, in);
    for (uint32_t m = leads_to(w, in, mask, true); m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint32_t n = in->count > 1 ? in->count : 1;
        uint32_t thread = p->op == OP_st ? w->index * WARP + (uint32_t)i + 1 : 0;
        uint64_t to = address_of(w, in, i) & ~MEM_WINDOW_MASK;
        if (w->block->writers)
            writers_note(w->block, thread, to, n * in->size);
        if (w->held)
            follow_stored(w, to, n * in->size);
    }
}
static const struct insn *disturbed(struct warp *w, const struct insn *in)
{
    const struct path *path = w->cur;
    const struct ptx_insn *p = statement_of(w, in);
    uint32_t mask = disturb_lanes(w, in), lanes[16] = {0}, loaded = 0;
    unsigned now = w->block->launch->disturb, of = classes_of(p, in);
    struct written x = {0};
    bool makes = of & SET(tensor);
    bool product = makes && (now & SET(tensor) || of_part(w, now & SET(one_block)));
    follow_uses(w, in, mask, flip);
    if (of && !makes)
        x = written_by(p, in);
    lanes_of_class(w, in, mask, now & of, x.n, lanes); /* the address may be overwritten */
    if (of & SET(global_ld)) {
        loaded = leads_to(w, in, mask, false);
        x.apart = are_apart(w, in, loaded);
    }
    struct addend sums;
    if (product)
        read_addend(w, in, &sums);
    const struct insn *next = disturb_own(in)(w, in);
    bool done = next == in + 1 && w->cur == path; /* else it waits, or the launch failed */
    if (!done)
        return next;
    if (product)
        flip_sums(w, in, &sums);
    if (follow_again(w))
        for (uint32_t k = 0; k < x.n; k++)
            lanes[k] |= loaded;
    for (uint32_t k = 0; k < x.n; k++)
        flip(w, in, x.places[k], x.width, x.size, k, lanes[k]);
    follow_results(w, in, mask, loaded, &x);
    if ((w->block->writers || w->handed != NOT_HANDED) && may_store_shared(p, in))
        note_stores(w, in, mask);
    return next;
}

/* ---- the order in which things happen ---- */
static bool shares(const struct ptx_insn *p, const struct insn *in)
{
    return in->slot != NO_PLACE && ptx_is_strong(p);
}
/* Of what others may change meanwhile: an atomic, or a load that is no plain one. */
static bool looks_at_others(const struct ptx_insn *p, const struct insn *in)
{
    return p->op != OP_red && p->op != OP_st && shares(p, in);
}
/* At every second such access some of the lanes, which are drawn, come later, until there is
 * something that all do together. */
static void part_lanes(struct warp *w, const struct insn *in)
{
    enum { MOST_READY = 4 };
    uint64_t drawn = mix64(moment_of(w, in, w->cur->mask) ^ w->block->launch->turns);
    uint32_t later = w->cur->mask & (uint32_t)drawn;
    if (drawn >> 32 & 1 && later && later != w->cur->mask && w->nready < MOST_READY)
        warp_part(w, in, later);
}
static void see_late(struct warp *w, const struct insn *in, struct late_look *x)
{
    uint32_t global = in->slot != NO_PLACE ? leads_to(w, in, disturb_lanes(w, in), false) : 0;
    uint64_t at[WARP] = {0};
    for (uint32_t m = global; m; m &= m - 1)
        at[__builtin_ctz(m)] = address_of(w, in, __builtin_ctz(m));
    late_begin(w, in, statement_of(w, in), global, at, x);
}
/* Who has looked gives up the rest of a short turn: what others do comes before what is made of it.
 */
static const struct insn *ordered(struct warp *w, const struct insn *in)
{
    const struct ptx_insn *p = statement_of(w, in);
    const struct launch *l = w->block->launch;
    struct late_look late = {.n = 0};
    if (launch_parted(l) && !l->aligned && shares(p, in))
        part_lanes(w, in);
    if (launch_late(l) && late_matters(l, p, in))
        see_late(w, in, &late);
    const struct path *path = w->cur;
    const struct insn *next = disturb_own(in)(w, in);
    late_end(&late);
    if (next != in + 1 || w->cur != path || !w->block->looks || !looks_at_others(p, in))
        return next;
    return warp_give_way(w, next);
}
static bool ordered_watches(const struct ptx_insn *p, const struct insn *in, unsigned classes)
{
    return (classes & SET(parted) && shares(p, in)) ||
           (classes & SET(reordered) && looks_at_others(p, in)) ||
           (classes & SET(late) && late_watches(p, in));
}

static void disturb_func(struct emu_func *f, unsigned classes)
{
    bool *held = follow_loads(classes) ? follow_registers(f->ptx, classes) : NULL;
    for (uint32_t i = 0; i < f->ninsns; i++) {
        struct insn *in = &f->insns[i];
        const struct ptx_insn *p = in->site ? &f->ptx->insns[in->site->index] : NULL;
        if (!p)
            continue;
        bool wanted_now = classes_of(p, in) & classes ||
                          (held && classes_of(p, in) & SET(global_ld)) ||
                          (classes & SET(others) && may_store_shared(p, in)) ||
                          (held && follow_touches(f->ptx, p, held));
        if (classes & SET(nan) && nan_watches(p))
            in->fn = nan_watched;
        else if (classes & SET(compared) && compared_watches(p))
            in->fn = compared_watched;
        else if (classes & SET(outcomes) && outcomes_watches(f, in, p))
            in->fn = outcomes_watched;
        else if (ordered_watches(p, in, classes))
            in->fn = ordered;
        else if (wanted_now)
            in->fn = disturbed;
        else if (in->fn == disturbed || in->fn == nan_watched || in->fn == compared_watched ||
                 in->fn == outcomes_watched || in->fn == ordered)
            in->fn = disturb_own(in);
    }
    free(held);
}
static bool may_run(const struct emu_func *entry, const struct emu_func *f)
{
    return f->lowered && (f == entry || !f->ptx->is_entry);
}
bool disturb_aligned(const struct emu_func *entry)
{
    const struct emu_module *m = entry->module;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        for (uint32_t k = 0; may_run(entry, m->funcs[i]) && k < m->funcs[i]->ptx->ninsns; k++) {
            const struct ptx_insn *p = &m->funcs[i]->ptx->insns[k];
            if (ptx_has(p, M_aligned) && p->op != OP_bar && p->op != OP_barrier)
                return true;
        }
    return false;
}
void disturb_code(struct emu_func *entry, unsigned classes)
{
    const struct emu_module *m = entry->module;
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        struct emu_func *f = m->funcs[i];
        if (!may_run(entry, f) || f->disturbed == classes)
            continue;
        disturb_func(f, classes);
        f->disturbed = classes;
    }
}
