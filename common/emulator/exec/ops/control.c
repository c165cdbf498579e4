/* control.c - branches, calls, barriers, guards, and the loop that runs a warp. */
#include "lanes.h"

/* The current path goes to block b of its function: count it, and see whether that is
 * where it meets others or whether its slice is over. */
static inline const struct insn *enter(struct warp *w, u32 b)
{
    struct path *p = w->cur;
    if (b == w->recon_block && b != NO_BLOCK)
        return warp_arrive(w);
    const struct emu_func *f = p->frame->func;
    const struct bblock *bb = &f->blocks[b];
    if (__builtin_expect(w->block->tell_paths, 0))
        return warp_enter(w, b);
    w->slice -= (s32)bb->ninsns + 1;
    if (__builtin_expect(w->slice < 0, 0))
        return warp_slice_end(w, b);
    count_entry(w, bb, &w->worker->counts[bb->count], p->mask);
    return f->insns + bb->first;
}

HANDLER(guard)
{
    u32 p = *(const u32 *)place(w, in->guard);
    if (in->guard_neg)
        p = ~p;
    u32 m = w->cur->mask & p;
    struct slot *s = &w->worker->slots[in->guard_slot];
    s->requests++;
    s->units += (u64)__builtin_popcount(m);
    if (!m)
        return in + 1;
    s->by_lanes[lane_group(m)]++;
    w->mask = m;
    const struct insn *next = in->unguarded(w, in);
    w->mask = w->cur->mask;
    return next;
}

static inline u32 guard_lanes(struct warp *w, const struct insn *in)
{
    if (in->guard == NO_PLACE)
        return w->cur->mask;
    u32 p = *(const u32 *)place(w, in->guard);
    return w->cur->mask & (in->guard_neg ? ~p : p);
}

static inline const struct insn *branch(struct warp *w, const struct insn *in, bool back)
{
    u32 p = *(const u32 *)place(w, in->guard), mask = w->cur->mask;
    if (in->guard_neg)
        p = ~p;
    struct slot *s = &w->worker->slots[in->slot];
    s->requests++;
    u32 taken = p & mask;
    if (back)
        s->extra += taken != 0;
    if (taken == mask)
        return enter(w, in->taken);
    if (taken == 0)
        return enter(w, in->fall);
    s->units++;
    return warp_branch(w, in, taken);
}
HANDLER(bra)
{
    return branch(w, in, false);
}
HANDLER(bra_back) /* to its own block, or one before */
{
    return branch(w, in, true);
}
HANDLER(bra_uni)
{
    return enter(w, in->taken);
}
HANDLER(jump)
{
    return enter(w, in->taken);
}
HANDLER(brx)
{
    return warp_indirect(w, in);
}
HANDLER(ret)
{
    return warp_return(w, in, guard_lanes(w, in));
}
HANDLER(exit_lanes)
{
    return warp_exit_lanes(w, in, guard_lanes(w, in));
}
HANDLER(call)
{
    return warp_call(w, in);
}
HANDLER(barrier)
{
    return warp_barrier(w, in);
}
HANDLER(trap)
{
    return warp_fault(w, in, -1, cudaErrorLaunchFailure, "the kernel executed a trap instruction");
}
HANDLER(brkpt)
{
    return warp_fault(w, in, -1, cudaErrorLaunchFailure,
                      "the kernel executed a breakpoint and no debugger is attached");
}
HANDLER(wgmma_commit)
{
    return group_commit(w, in);
}
HANDLER(wgmma_wait)
{
    return group_wait(w, in);
}
HANDLER(setmaxnreg)
{
    return guard_lanes(w, in) ? registers_set(w, in) : in + 1;
}
HANDLER(nop)
{
    (void)w;
    return in + 1;
}
HANDLER(nanosleep) /* others may go on, and need not: the slice ends at the next block */
{
    if (!launch_ordered(w->block->launch))
        w->slice = 0;
    return in + 1;
}

void FN(run_warp)(struct warp *w)
{
    const struct insn *in = warp_resume(w);
    while (in)
        in = in->fn(w, in);
}
