/* shuffle.c - what lanes of a warp say to each other: shuffles, votes, matches, reductions, and the
 * barrier of a warp. Lanes that execute one of these together may have to come together first. */
#include "lanes.h"

/* The lanes of `left` that name the same members as the first of them. */
static inline u32 peers(const u32 *members, u32 left)
{
    u32 first = members[__builtin_ctz(left)], same = 0;
    for (int i = 0; i < WARP; i++)
        same |= (u32)(members[i] == first) << i;
    return same & left;
}
/* Lanes that their own member masks do not name: the ISA leaves open what becomes of them. */
static void look_outside(struct warp *w, const struct insn *in, const u32 *members)
{
    struct block *b = w->block;
    u32 outside = 0;

    for (int i = 0; i < WARP; i++)
        outside |= ON(w->mask & ~members[i], i) ? 1u << i : 0;
    for (int k = 0; k < b->nlisteners && outside; k++)
        if (b->listeners[k]->outside_mask)
            b->listeners[k]->outside_mask(b->listeners[k], &b->info, in->site, w->index, outside,
                                          members[__builtin_ctz(outside)]);
}
/* The lanes that execute a .sync instruction together, 0 when the path has to wait. They
 * are in w->mask until warp_joined(). src: the source with the member masks. Lanes on one
 * path may name different ones, each group its own (tiles, labelled partitions): when all that
 * a group needs are here all groups go at once, else each goes for itself. */
static inline u32 together(struct warp *w, const struct insn *in, u32 src)
{
    const u32 *members = place(w, in->src[src]);
    if (w->block->nlisteners)
        look_outside(w, in, members);
    if (in->src[src] >> SEL_SHIFT != SEL_LAUNCH) {
        u32 missing = 0, others = w->mask & ~peers(members, w->mask);
        for (int i = 0; i < WARP && others; i++)
            missing |= ON(w->mask, i) ? members[i] & w->live & ~w->cur->mask : 0;
        if (missing) {
            u32 mine = w->mask & ~others;
            warp_set_aside(w, in, others);
            w->mask = mine;
        }
    }
    u32 want = members[__builtin_ctz(w->mask)];
    if ((want & w->live & ~w->cur->mask) != 0 && !warp_gather(w, in, want))
        return 0;
    return w->mask;
}
/* For each group of `all`, which names the same members: body sees `group`, and `set`, the
 * members that are here. */
#define GROUPS(members, all)                                                                       \
    for (u32 left_ = (all), group, set;                                                            \
         left_ &&                                                                                  \
         (group = peers((members), left_), set = (members)[__builtin_ctz(group)] & (all), true);   \
         left_ &= ~group)

/* A limit on steps is there to end what takes too long (code/lower_cost.c). */
static inline void charge_groups(struct warp *w, u32 groups)
{
    enum { GROUPS_A_STEP = 4 };
    w->worker->steps += groups / GROUPS_A_STEP;
}

/* Of these lanes the ISA defines no value; one that is seen where it goes into a result. */
static void disturb_absent(const struct warp *w, const u32 *members, const u32 *from, u32 *r)
{
    for (int i = 0; i < WARP; i++)
        if (!ON(w->mask & members[i], from[i] & 31))
            r[i] = 0x40490fdb;
}

/* shfl.sync (PTX ISA 9.7.9.6): d|p, a, b, c, membermask */
HANDLER(shfl)
{
    if (!together(w, in, 3))
        return warp_next_path(w);
    const u32 *a = SRC(u32, 0), *b = SRC(u32, 1), *c = SRC(u32, 2);
    u32 r[WARP], from[WARP], valid = 0, apart = 0;
    for (int i = 0; i < WARP; i++) {
        s32 lane = i, bval = b[i] & 31, cval = c[i] & 31, seg = c[i] >> 8 & 31;
        s32 max = (lane & seg) | (cval & ~seg), min = lane & seg, j;
        bool p;
        switch (in->sub) {
        case M_up:
            j = lane - bval;
            p = j >= max;
            break;
        case M_down:
            j = lane + bval;
            p = j <= max;
            break;
        case M_bfly:
            j = lane ^ bval;
            p = j <= max;
            break;
        default:
            j = min | (bval & ~seg);
            p = j <= max;
        }
        if (!p)
            j = lane;
        r[i] = ON(w->mask, j & 31) ? a[j & 31] : 0; /* as an H200 does where it is undefined */
        from[i] = (u32)j;
        valid |= (u32)p << i;
    }
    for (int i = 0; i < WARP; i++)
        apart |= ON(w->mask, i) ? from[i] ^ from[__builtin_ctz(w->mask)] : 0;
    if (w->block->launch->disturb & 1u << DISTURB_absent)
        disturb_absent(w, SRC(u32, 3), from, r);
    u32 *d = DST(u32);
    if (in->dst != NO_PLACE)
        WRITE(u32, d, r[i]);
    if (in->dst2 != NO_PLACE) {
        u32 *q = place(w, in->dst2);
        *q = (*q & ~w->mask) | (valid & w->mask);
    }
    w->worker->slots[in->slot].requests++;
    w->worker->slots[in->slot].extra += !apart;
    return warp_joined(w, in);
}

/* movmatrix.trans (9.7.14.5.17): an 8 x 8 matrix of 16 bits, two elements of row lane/4 a lane */
HANDLER(movmatrix)
{
    if (w->mask != FULL)
        return warp_fault(w, in, -1, cudaErrorIllegalInstruction, "%s needs all 32 lanes",
                          in->site->opcode);
    const u32 *a = SRC(u32, 0);
    u32 r[WARP], *d = DST(u32);
    for (u32 i = 0; i < WARP; i++) {
        u32 row = i / 4, col = i % 4 * 2; /* d[row][col] = a[col][row] */
        u32 low = a[col * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
        u32 high = a[(col + 1) * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
        r[i] = low | high << 16;
    }
    WRITE(u32, d, r[i]);
    return in + 1;
}

HANDLER(vote)
{
    static const u32 everyone[WARP] = {[0 ... WARP - 1] = FULL};
    bool sync = in->src[1] != NO_PLACE;
    u32 all = sync ? together(w, in, 1) : w->mask;
    if (!all)
        return warp_next_path(w);
    const u32 *members = sync ? SRC(u32, 1) : everyone;
    u32 p = *SRC(u32, 0), yes = 0, n = 0, ballot[WARP] = {0};
    if (in->flags & F_NEG_SRC)
        p = ~p;
    GROUPS(members, all)
    {
        u32 q = p & set;
        bool one = in->sub == M_all ? q == set : in->sub == M_any ? q != 0 : q == set || q == 0;
        yes |= one ? group : 0;
        LANES ballot[i] = ON(group, i) ? q : ballot[i];
        n++;
    }
    charge_groups(w, n);
    u32 *d = DST(u32);
    if (in->sub == M_ballot)
        WRITE(u32, d, ballot[i]);
    else
        *d = (*d & ~w->mask) | (yes & w->mask);
    return warp_joined(w, in);
}

/* match.sync: insn.src_width is the width of a */
HANDLER(match)
{
    u32 all = together(w, in, 1);
    if (!all)
        return warp_next_path(w);
    const u32 *members = SRC(u32, 1);
    u64 a[WARP];
    load_lanes(a, place(w, in->src[0]), in->src_width, false);
    u32 r[WARP], same = 0;
    for (int i = 0; i < WARP; i++) {
        u32 set = members[i] & all;
        r[i] = 0;
        for (int j = 0; j < WARP; j++)
            r[i] |= (u32)(ON(set, j) && a[j] == a[i]) << j;
        same |= (u32)(r[i] == set) << i;
    }
    u32 *d = DST(u32);
    if (in->sub == M_any) {
        WRITE(u32, d, r[i]);
    } else {
        WRITE(u32, d, ON(same, i) ? r[i] : 0);
        if (in->dst2 != NO_PLACE) {
            u32 *q = place(w, in->dst2);
            *q = (*q & ~w->mask) | (same & w->mask);
        }
    }
    return warp_joined(w, in);
}

static inline u32 reduced(const struct insn *in, u32 x, u32 y)
{
    bool sign = in->flags & F_SIGNED;
    switch (in->sub) {
    case M_add:
        return x + y;
    case M_and:
        return x & y;
    case M_or:
        return x | y;
    case M_xor:
        return x ^ y;
    case M_min:
        return sign ? ((s32)y < (s32)x ? y : x) : (y < x ? y : x);
    default:
        return sign ? ((s32)y > (s32)x ? y : x) : (y > x ? y : x);
    }
}
HANDLER(redux)
{
    u32 all = together(w, in, 1), r[WARP] = {0}, n = 0;
    if (!all)
        return warp_next_path(w);
    const u32 *members = SRC(u32, 1), *a = SRC(u32, 0);
    GROUPS(members, all)
    {
        u32 x = 0;
        for (u32 m = set; m; m &= m - 1)
            x = m == set ? a[__builtin_ctz(m)] : reduced(in, x, a[__builtin_ctz(m)]);
        LANES r[i] = ON(group, i) ? x : r[i];
        n++;
    }
    charge_groups(w, n);
    u32 *d = DST(u32);
    WRITE(u32, d, r[i]);
    return warp_joined(w, in);
}

HANDLER(activemask)
{
    u32 *d = DST(u32);
    WRITE(u32, d, w->mask);
    return in + 1;
}

HANDLER(elect) /* d|p, membermask: the lowest lane is elected */
{
    u32 all = together(w, in, 0), leader[WARP], elected = 0;
    if (!all)
        return warp_next_path(w);
    const u32 *members = SRC(u32, 0);
    GROUPS(members, all)
    {
        u32 lowest = (u32)__builtin_ctz(set ? set : group);
        LANES leader[i] = ON(group, i) ? lowest : leader[i];
        elected |= 1u << lowest;
    }
    if (in->dst != NO_PLACE) {
        u32 *d = DST(u32);
        WRITE(u32, d, leader[i]);
    }
    u32 *q = place(w, in->dst2);
    *q = (*q & ~w->mask) | (elected & w->mask);
    return warp_joined(w, in);
}

HANDLER(bar_warp_sync)
{
    u32 all = together(w, in, 0);
    if (!all)
        return warp_next_path(w);
    w->worker->slots[in->slot].requests++;
    struct block *b = w->block;
    const u32 *members = SRC(u32, 0);
    for (u32 left = b->nlisteners ? all : 0; left;) { /* lanes may name different masks: tiles */
        u32 mask = members[__builtin_ctz(left)] & all;
        for (int k = 0; k < b->nlisteners; k++)
            if (b->listeners[k]->warp_sync)
                b->listeners[k]->warp_sync(b->listeners[k], &b->info, in->site, w->index, mask,
                                           true);
        left &= ~(mask | 1u << __builtin_ctz(left));
    }
    return warp_joined(w, in);
}
