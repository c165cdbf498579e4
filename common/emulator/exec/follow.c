/* follow.c - who stored what in shared memory, and loads on their way to their first use
 * (follow.h).
 */
#include "follow.h"
#include "disturb.h"
#include "emulator/code/lower.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_REGISTERS = 160 }; /* that one instruction names */

/* What a register of the kernel holds, until it is used for the first time. */
struct held {
    uint32_t lanes; /* none: nothing */
    uint32_t place, width, size;
    uint64_t since; /* the clock at the load */
    bool apart;     /* lanes loaded from different addresses */
    /* Where it is asked what is parked, it is held until it is written over: */
    uint64_t element; /* of one that it is made of: when and where it was loaded */
    uint32_t met;     /* lanes in which it is made of several */
    uint64_t waited;  /* 1 + the clock when another register that holds the same was used; or 0 */
};

/* A copy that a barrier waits for, or two: who waits at the first may tell of it at the second. */
struct flight {
    uint64_t barrier[2], to, since;
    uint32_t phase[2], bytes;
    const struct warp *by; /* who has got it */
};
struct flights { /* head of an allocation */
    uint32_t n, capacity;
    struct flight of[];
};

static bool wants(const struct launch *l, int class)
{
    return l->disturb >> class & 1;
}

bool follow_loads(unsigned classes)
{
    return classes & (1u << DISTURB_ahead | 1u << DISTURB_at_once | 1u << DISTURB_again |
                      1u << DISTURB_straight | 1u << DISTURB_parked);
}
bool follow_again(const struct warp *w)
{
    return w->used && wants(w->block->launch, DISTURB_again);
}
bool follow_disturbs(const struct launch *l, uint64_t since, uint64_t now)
{
    if (!few_floats(since, now))
        return wants(l, DISTURB_ahead);
    return since && wants(l, DISTURB_at_once);
}

void follow_start(struct block *b)
{
    const struct launch *l = b->launch;
    uint32_t nregs = l->func->ptx->nregs;
    if (wants(l, DISTURB_others)) {
        if (!b->writers)
            b->writers = xcalloc(l->shared_bytes + 1, sizeof(*b->writers));
        memset(b->writers, 0, l->shared_bytes * sizeof(*b->writers));
    }
    bool loads = follow_loads(l->disturb);
    if (b->flights)
        b->flights->n = 0;
    for (uint32_t i = 0; i < b->nwarps && loads; i++) {
        struct warp *w = &b->warps[i];
        if (!w->held)
            w->held = xcalloc(nregs + 1, sizeof(*w->held));
        memset(w->held, 0, nregs * sizeof(*w->held));
        w->entry.held = w->held;
        w->used = false;
    }
}

/* ---- shared memory ---- */
static bool inside(const struct block *b, uint64_t at, uint32_t size)
{
    return at <= b->launch->shared_bytes && size <= b->launch->shared_bytes - at;
}

void writers_note(struct block *b, uint32_t thread, uint64_t at, uint32_t size)
{
    for (uint32_t k = 0; k < size && inside(b, at, size); k++)
        b->writers[at + k] = (uint16_t)thread;
}

bool writers_others(const struct block *b, uint32_t thread, uint64_t at, uint32_t size)
{
    uint64_t four;
    if (!inside(b, at, size))
        return true;
    if (size == 4) {
        memcpy(&four, &b->writers[at], sizeof(four));
        return four != thread * 0x0001000100010001ull;
    }
    for (uint32_t k = 0; k < size; k++)
        if (b->writers[at + k] != thread)
            return true;
    return false;
}

/* ---- clocks ---- */
uint64_t follow_clock(const struct warp *w, const struct insn *in)
{
    return warp_floats(w, in) + w->lead;
}
bool follow_fetches(const struct warp *w)
{
    return w->held && !w->floats && w->lead;
}
uint64_t follow_hears(struct warp *w, const struct insn *in, uint64_t heard)
{
    uint64_t now = follow_clock(w, in), later = heard > now ? heard - now : 0;
    w->lead += later;
    return now + later;
}
void follow_tells(struct warp *w, const struct insn *in, uint64_t barrier, uint32_t phase,
                  uint64_t *heard)
{
    struct flights *x = w->block->flights;
    uint64_t now = follow_clock(w, in);
    *heard = now > *heard ? now : *heard;
    for (uint32_t k = 0; x && k < x->n; k++) {
        struct flight *f = &x->of[k];
        if (f->by != w || f->barrier[1] != FLIGHT_HELD)
            continue;
        f->barrier[1] = barrier;
        f->phase[1] = phase;
    }
}

/* ---- copies that a barrier waits for ---- */
void flights_note(struct warp *w, uint64_t barrier, uint32_t phase, uint64_t to, uint32_t bytes,
                  uint64_t since)
{
    struct block *b = w->block;
    uint32_t n = b->flights ? b->flights->n : 0;
    if (!bytes || !(wants(b->launch, DISTURB_ahead) || wants(b->launch, DISTURB_at_once)))
        return;
    if (!b->flights || n == b->flights->capacity) {
        uint32_t capacity = 2 * n + 64;
        b->flights = xrealloc(b->flights, sizeof(*b->flights) + capacity * sizeof(struct flight));
        b->flights->capacity = capacity;
    }
    b->flights->of[n] = (struct flight){{barrier, barrier}, to, since, {phase, phase}, bytes, w};
    b->flights->n = n + 1;
}

static void flip_shared(struct warp *w, const struct insn *in, const struct flight *f)
{
    uint32_t word = f->bytes < 8 ? f->bytes : 8;
    for (uint32_t k = 0; k + word <= f->bytes; k += word) {
        uint64_t v = 0;
        uint8_t *at = w->block->shared + f->to + k;
        memcpy(&v, at, word);
        v ^= disturb_bits(w, in, 0, k ^ (uint32_t)f->to, word);
        memcpy(at, &v, word);
    }
}

static bool is_there(const struct flight *f, uint64_t barrier, uint32_t phase)
{
    return (f->barrier[0] == barrier && f->phase[0] != phase) ||
           (f->barrier[1] == barrier && f->phase[1] != phase);
}
static void land(struct warp *w, const struct insn *in, uint64_t barrier, uint32_t phase,
                 uint64_t now)
{
    struct flights *x = w->block->flights;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < x->n; k++) {
        const struct flight *f = &x->of[k];
        if (!is_there(f, barrier, phase))
            x->of[kept++] = *f;
        else if (now >= f->since && follow_disturbs(w->block->launch, f->since, now))
            flip_shared(w, in, f);
    }
    x->n = kept;
}
/* w has them, or who brought them: those who compute hear of it there. */
static void hold(struct flights *x, const struct warp *w, uint64_t barrier, uint32_t phase)
{
    for (uint32_t k = 0; k < x->n; k++) {
        struct flight *f = &x->of[k];
        if (!is_there(f, barrier, phase))
            continue;
        f->by = w ? w : f->by;
        f->barrier[1] = FLIGHT_HELD;
    }
}
void flights_land(struct warp *w, const struct insn *in, uint64_t mbarrier, uint32_t phase)
{
    if (follow_fetches(w))
        hold(w->block->flights, w, mbarrier, phase);
    else
        land(w, in, mbarrier, phase, follow_clock(w, in));
}
void flights_pass(struct block *b, uint32_t id)
{
    const struct barrier *x = &b->barriers[id];
    struct warp *computes = NULL;
    const struct insn *in = NULL;
    if (!b->flights)
        return;
    for (uint32_t k = 0; k < b->nwarps; k++)
        for (int i = 0; i < WARP && !follow_fetches(&b->warps[k]); i++) {
            const struct path *p = &b->warps[k].paths[i];
            if (!p->mask || p->state != PATH_BARRIER || p->barrier != id)
                continue;
            computes = &b->warps[k];
            in = p->pc;
        }
    if (computes)
        land(computes, in, FLIGHT_BARRIER + id, x->generation + 1, x->heard);
    else
        hold(b->flights, NULL, FLIGHT_BARRIER + id, x->generation + 1);
}

/* ---- registers ---- */
/* Does it hand values on, or put their bits elsewhere, as compilers do before they are needed? On
 * the way to shared memory a number may become one of another type, too. */
static bool carries(const struct ptx_insn *p, bool converted)
{
    switch (p->op) {
    case OP_mov:
    case OP_selp:
    case OP_shl:
    case OP_shr:
    case OP_or:
    case OP_prmt:
        return true;
    case OP_cvt:
        return p->ntypes == 2 &&
               (converted || (!is_float_type(p->types[0]) && !is_float_type(p->types[1])));
    default:
        return false;
    }
}
/* Does it only put together what was loaded? Whatever else goes into it, it waits for that. So it
 * does to choose, but in straight code the compiler moves a choice behind other loads. */
static bool puts_together(const struct warp *w, const struct ptx_insn *p, uint32_t mask)
{
    uint32_t regs[MAX_REGISTERS], held = 0;
    uint32_t n = insn_uses(p, w->cur->frame->func->ptx, regs, MAX_REGISTERS);
    const struct launch *l = w->block->launch;
    if (p->op == OP_selp && (wants(l, DISTURB_ahead) || wants(l, DISTURB_at_once)))
        return false;
    if (p->op == OP_mov || p->op == OP_selp || p->op == OP_cvt)
        return true;
    for (uint32_t k = 0; k < n; k++)
        held += (w->cur->frame->held[regs[k]].lanes & mask) != 0;
    return held == n || !held;
}
static uint32_t row_bytes(const struct ptx_func *f, uint32_t reg) /* of a lane in the frame */
{
    unsigned bits = ptx_type_bits(f->regs[reg].type);
    return bits <= 16 ? 2 : bits / 8;
}

static bool loads_global(const struct ptx_insn *p)
{
    return (p->op == OP_ld || p->op == OP_ldu) &&
           (p->space == SPACE_GLOBAL || p->space == SPACE_GENERIC);
}

static const struct ptx_insn *followed_statement(const struct warp *w, const struct insn *in)
{
    const struct frame *f = w->cur->frame;
    return f->held ? &f->func->ptx->insns[in->site->index] : NULL;
}

struct held *follow_frame(const struct emu_func *f)
{
    return xcalloc(f->ptx->nregs + 1, sizeof(struct held));
}

/* Where it is asked which way values go, their type is no matter. */
static bool converts(const struct warp *w)
{
    const struct launch *l = w->block->launch;
    return wants(l, DISTURB_straight) || wants(l, DISTURB_parked);
}

static bool lies_there(const struct ptx_insn *p)
{
    return p->space == SPACE_SHARED || p->space == SPACE_GENERIC;
}
/* Does it bring values elsewhere as they are: into shared memory, to other lanes, to a function
 * that is called or out of one? */
static bool leaves(const struct ptx_insn *p)
{
    bool own = p->space == SPACE_GLOBAL || p->space == SPACE_LOCAL;
    return p->op == OP_shfl || (p->op == OP_st && !own);
}

/* Lanes of a row of registers that differ. */
static uint32_t changed(const uint8_t *a, const uint8_t *b, uint32_t width)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < WARP; i++)
        lanes |= (uint32_t)(memcmp(a + i * width, b + i * width, width) != 0) << i;
    return lanes;
}
/* Does it compute one register of others, and leave nothing else behind? */
static bool computes(const struct ptx_insn *p, const struct insn *in)
{
    bool carry = ptx_has(p, M_cc) || p->op == OP_addc || p->op == OP_subc || p->op == OP_madc;
    return p->op < OP_cvta && p->op != OP_mov && !carry && in->dst >> SEL_SHIFT == SEL_REG &&
           p->noperands && p->operands[0].kind == OPD_REG;
}
/* Does it lay bits beside bits? What it makes of two elements is no sum of them yet. */
static bool lays_bits(const struct ptx_insn *p)
{
    switch (p->op) {
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_not:
    case OP_lop3:
    case OP_shl:
    case OP_shr:
    case OP_shf:
    case OP_bfi:
    case OP_prmt:
        return true;
    default:
        return false;
    }
}
/* In these lanes x is made of h, too; meets: as a sum is. */
static void make_of(struct held *x, const struct held *h, uint32_t lanes, bool meets)
{
    x->met |= lanes & (h->met | (meets && h->element != x->element ? x->lanes : 0));
    x->lanes |= lanes;
    x->element = lanes ? h->element : x->element;
}
/* What `in` is about to make, of which elements is it made? It is tried out with each that it
 * might be: one that is multiplied by 0, or too small to matter in a sum, is none of them. Nor is
 * a float that is 0, of which flipping bits makes a tiny one. */
static struct held made_of(struct warp *w, const struct insn *in, const struct ptx_insn *p,
                           uint32_t mask, flip_register flip)
{
    enum { ROW = 8 * WARP };
    const struct ptx_func *f = w->cur->frame->func->ptx;
    uint32_t regs[MAX_REGISTERS], n = insn_uses(p, f, regs, MAX_REGISTERS);
    uint8_t before[ROW], as_is[ROW], source[ROW], *to = place(w, in->dst);
    uint32_t width = row_bytes(f, p->operands[0].reg);
    struct held x = {.place = in->dst, .width = width, .size = width};
    bool meets = !lays_bits(p);

    if (width > 8 || ptx_type_bits(f->regs[p->operands[0].reg].type) < 8)
        return x;
    memcpy(before, to, width * WARP);
    disturb_own(in)(w, in);
    memcpy(as_is, to, width * WARP);
    memcpy(to, before, width * WARP);
    for (uint32_t k = 0; k < n; k++) {
        const struct held *h = &w->cur->frame->held[regs[k]];
        if (!(h->lanes & mask) || h->width > 8)
            continue;
        memcpy(source, place(w, h->place), h->width * WARP);
        flip(w, in, h->place, h->width, h->size, k, h->lanes & mask);
        disturb_own(in)(w, in);
        uint32_t lanes = changed(to, as_is, width) & h->lanes & mask;
        memcpy(to, before, width * WARP);
        memcpy(place(w, h->place), source, h->width * WARP);
        make_of(&x, h, lanes, meets);
    }
    return x;
}

/* What an instruction makes that cannot be tried out, since it leaves a carry or becomes several:
 * it is made of all that goes into it. */
static struct held made_of_all(const struct warp *w, const struct ptx_insn *p, uint32_t mask)
{
    const struct ptx_func *f = w->cur->frame->func->ptx;
    uint32_t regs[MAX_REGISTERS], n = insn_uses(p, f, regs, MAX_REGISTERS);
    struct held x = {.lanes = 0};
    if (p->op >= OP_cvta || !p->noperands || p->operands[0].kind != OPD_REG ||
        ptx_type_bits(f->regs[p->operands[0].reg].type) < 8)
        return x;
    for (uint32_t k = 0; k < n; k++) {
        const struct held *h = &w->cur->frame->held[regs[k]];
        make_of(&x, h, h->lanes & mask, true);
    }
    return x;
}

/* Where what is made of one element goes into shared memory, or what it is that `in` makes: kept
 * behind the registers until it is made. */
static void follow_parked(struct warp *w, const struct insn *in, const struct ptx_insn *p,
                          uint32_t mask, flip_register flip)
{
    const struct ptx_func *f = w->cur->frame->func->ptx;
    struct held *held = w->cur->frame->held;
    uint32_t regs[MAX_REGISTERS];
    held[f->nregs] = computes(p, in) ? made_of(w, in, p, mask, flip) : made_of_all(w, p, mask);
    /* from local memory, which nobody follows, it could go on to shared */
    if (p->op != OP_st || (!lies_there(p) && p->space != SPACE_LOCAL))
        return;
    uint32_t n = insn_uses(p, f, regs, MAX_REGISTERS);
    for (uint32_t k = 0; k < n; k++) {
        struct held *h = &held[regs[k]];
        uint32_t lanes = h->lanes & ~h->met & mask;
        flip(w, in, h->place, h->width, h->size, k, lanes);
        h->lanes &= ~lanes;
    }
}

/* Who waits for one register has waited for all that hold the same. */
static void wait_for_copies(struct warp *w, const struct held *used, uint64_t now)
{
    struct frame *f = w->cur->frame;
    for (uint32_t r = 0; r < f->func->ptx->nregs; r++) {
        struct held *h = &f->held[r];
        if (h->lanes & used->lanes && h->element == used->element && !h->waited)
            h->waited = now + 1;
    }
}

void follow_uses(struct warp *w, const struct insn *in, uint32_t mask, flip_register flip)
{
    const struct ptx_insn *p = followed_statement(w, in);
    uint32_t regs[MAX_REGISTERS];
    w->handed = NOT_HANDED;
    bool straight = wants(w->block->launch, DISTURB_straight);
    if (!p)
        return;
    if (wants(w->block->launch, DISTURB_parked)) {
        follow_parked(w, in, p, mask, flip);
        return;
    }
    if (carries(p, converts(w)) && puts_together(w, p, mask))
        return;
    uint32_t n = insn_uses(p, w->cur->frame->func->ptx, regs, MAX_REGISTERS);
    /* nobody need have told w of anything: who fetches for others begins with empty room */
    bool hands = p->op == OP_st && lies_there(p) && !w->floats;
    for (uint32_t k = 0; k < n; k++) {
        struct held *h = &w->cur->frame->held[regs[k]];
        if (!(h->lanes & mask))
            continue;
        w->used = true;
        if (hands) /* for others: who waits for it is told by w */
            w->handed = h->since;
        uint64_t now = h->waited ? h->waited - 1 : follow_clock(w, in);
        if (!hands && ((straight && h->apart && !leaves(p)) ||
                       follow_disturbs(w->block->launch, h->since, now)))
            flip(w, in, h->place, h->width, h->size, k, h->lanes);
        if (!hands)
            wait_for_copies(w, h, now);
        h->lanes = 0;
    }
}

void follow_stored(struct warp *w, uint64_t to, uint32_t bytes)
{
    if (w->handed != NOT_HANDED)
        flights_note(w, FLIGHT_HELD, 0, to, bytes, w->handed);
}

/* The first register that p moves on and that holds something. */
static const struct held *moved(const struct warp *w, const struct ptx_insn *p, uint32_t mask)
{
    uint32_t regs[MAX_REGISTERS];
    uint32_t n =
        carries(p, converts(w)) ? insn_uses(p, w->cur->frame->func->ptx, regs, MAX_REGISTERS) : 0;
    for (uint32_t k = 0; k < n; k++)
        if (w->cur->frame->held[regs[k]].lanes & mask)
            return &w->cur->frame->held[regs[k]];
    return NULL;
}

/* Which of a thread's elements: others are loaded elsewhere, or later. */
static uint64_t element_of(const struct warp *w, const struct insn *in, uint32_t k)
{
    return w->executed << 32 | in->site->index << 4 | k;
}

void follow_results(struct warp *w, const struct insn *in, uint32_t mask, uint32_t loaded,
                    const struct written *x)
{
    const struct ptx_insn *p = followed_statement(w, in);
    uint32_t regs[MAX_REGISTERS];
    if (!p)
        return;
    const struct held *from = moved(w, p, mask);
    const struct held *made = &w->cur->frame->held[w->cur->frame->func->ptx->nregs];
    if (wants(w->block->launch, DISTURB_parked) && (computes(p, in) || (!from && made->lanes)))
        from = made;
    struct held what = from ? *from : (struct held){.lanes = FULL};
    const struct ptx_func *f = w->cur->frame->func->ptx;
    uint32_t n = insn_defs(p, f, regs, MAX_REGISTERS);
    bool load = loads_global(p) && loaded && n == x->n;
    for (uint32_t k = 0; k < n; k++) {
        struct held *h = &w->cur->frame->held[regs[k]];
        h->lanes &= ~mask;
        h->met &= ~mask;
        if (load)
            *h = (struct held){
                h->lanes | loaded, x->places[k],         x->width, x->size, follow_clock(w, in),
                x->apart,          element_of(w, in, k), h->met,   0};
        else if (from && (n == 1 || n == in->count))
            *h = (struct held){h->lanes | (what.lanes & mask),
                               n > 1 ? in->places[k] : in->dst,
                               row_bytes(f, regs[k]),
                               row_bytes(f, regs[k]),
                               what.since,
                               what.apart,
                               what.element,
                               h->met | (what.met & mask),
                               what.waited};
    }
}

static bool any_of(const bool *held, const uint32_t *regs, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (held[regs[k]])
            return true;
    return false;
}

bool follow_touches(const struct ptx_func *f, const struct ptx_insn *p, const bool *held)
{
    uint32_t regs[MAX_REGISTERS];
    return any_of(held, regs, insn_uses(p, f, regs, MAX_REGISTERS)) ||
           any_of(held, regs, insn_defs(p, f, regs, MAX_REGISTERS));
}

bool *follow_registers(const struct ptx_func *f, unsigned classes)
{
    bool all = classes >> DISTURB_parked & 1, *held = xcalloc(f->nregs + 1, 1);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < f->ninsns; i++) {
            const struct ptx_insn *p = &f->insns[i];
            uint32_t regs[MAX_REGISTERS];
            bool moves = (all || carries(p, true)) &&
                         any_of(held, regs, insn_uses(p, f, regs, MAX_REGISTERS));
            uint32_t n = insn_defs(p, f, regs, MAX_REGISTERS);
            for (uint32_t k = 0; k < n && (moves || loads_global(p)); k++) {
                more |= !held[regs[k]];
                held[regs[k]] = true;
            }
        }
    }
    return held;
}
