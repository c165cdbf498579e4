/* address.c - what is asked of addresses without an access, and the thread's stack. */
#include "lanes.h"
#include "emulator/base/mem.h"

HANDLER(prefetch)
{
    (void)w;
    return in + 1;
}
/* the lanes of `mask` whose address is a .const variable's */
static u32 constants(const u64 *a, u32 mask)
{
    u32 r = 0;
    for (int i = 0; i < WARP; i++) {
        const struct mem_alloc *m = ON(mask, i) ? mem_find(a[i]) : NULL;
        r |= (u32)(m && m->read_only) << i;
    }
    return r;
}
HANDLER(isspacep) /* insn.imm: the window asked about; .const has none, it lies in global's */
{
    const u64 *a = SRC(u64, 0);
    u32 r = 0;
    for (int i = 0; i < WARP; i++)
        r |= (u32)((a[i] & (in->sub2 ? ~PEER_OFFSET : MEM_WINDOW_MASK)) == (u64)in->imm) << i;
    if (in->imm == 0)
        r = in->sub ? constants(a, r & w->mask) : r & ~constants(a, r & w->mask);
    u32 *d = DST(u32);
    *d = (*d & ~w->mask) | (r & w->mask);
    return in + 1;
}

/* ---- the thread's stack ---- */
HANDLER(local_address) /* a .local variable: the frame's base plus insn.imm */
{
    u64 t[WARP], v = w->cur->frame->local_base + (u64)in->imm;
    LANES t[i] = v;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}
HANDLER(alloca) /* all lanes get the largest request: offsets stay uniform */
{
    u64 n[WARP], most = 0, t[WARP];
    load_lanes(n, place(w, in->src[0]), in->src_width, false);
    for (int i = 0; i < WARP; i++)
        if (ON(w->mask, i) && n[i] > most)
            most = n[i];
    u64 align = in->imm > 0 ? (u64)in->imm : 8;
    u64 base = ROUND_UP((u64)w->local_top, align);
    if (most > w->local_size || base + most > w->local_size)
        return warp_fault(w, in, -1, cudaErrorIllegalAddress,
                          "stack overflow: alloca of %llu bytes", (unsigned long long)most);
    w->local_top = (u32)(base + most);
    LANES t[i] = base;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}
HANDLER(stacksave)
{
    u64 t[WARP];
    LANES t[i] = w->local_top;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}
HANDLER(stackrestore)
{
    u64 t[WARP];
    load_lanes(t, place(w, in->src[0]), in->src_width, false);
    u64 v = t[__builtin_ctz(w->mask)];
    if (v <= w->local_top)
        w->local_top = (u32)v;
    return in + 1;
}
