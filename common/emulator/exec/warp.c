/* warp.c - paths of a warp: how lanes part, meet again, wait, call, return and end.
 *
 * The slow half of the interpreter, shared by all instruction-set levels. A branch whose
 * lanes disagree makes two paths and a recon at the branch's immediate post-dominator; a
 * path that reaches its recon leaves its lanes there; when the last one has come, one path
 * goes on with all of them. Recons form a tree, not a stack, because a path that waits or
 * spins is set aside while others run.
 */
#include "builtin.h"
#include "follow.h"
#include "base/mix.h"
#include "emulator/base/mem.h"
#include "emulator/base/names.h"
#include <stdlib.h>
#include <string.h>

#define CALL_DEPTH_LIMIT 4096
#define PATIENCE                                                                                   \
    64 /* slices a path may run while others wait for it at a recon; a                             \
        * slice that ends at a look at memory counts as 16 */

/* ---- small allocations of a warp ---- */
static struct recon *recon_new(struct warp *w)
{
    struct recon *r = w->free_recon, *all = w->all_recons;
    if (r) {
        w->free_recon = r->next_free;
        all = r->next_all;
    } else {
        r = xmalloc(sizeof(*r));
        w->all_recons = r;
    }
    memset(r, 0, sizeof(*r));
    r->next_all = all;
    return r;
}
static void recon_free(struct warp *w, struct recon *r)
{
    r->next_free = w->free_recon;
    w->free_recon = r;
}
static struct path *path_new(struct warp *w)
{
    for (uint32_t i = 0; i < WARP; i++) {
        struct path *p = &w->paths[i];
        if (p->mask == 0) {
            memset(p, 0, sizeof(*p));
            p->enter = NO_BLOCK;
            w->begun |= 1u << i;
            return p;
        }
    }
    panic("warp: more than %d paths", WARP);
}

static void use_frame(struct warp *w, struct frame *f)
{
    w->base[SEL_REG] = f->regs;
    w->base[SEL_LAUNCH] = launch_constants(w->block->launch, f->func);
}
static void use_path(struct warp *w, struct path *p)
{
    if (!w->cur || w->cur->frame != p->frame || w->base[SEL_REG] != p->frame->regs)
        use_frame(w, p->frame);
    w->cur = p;
    w->mask = p->mask;
    w->recon_block = p->parent ? p->parent->block : NO_BLOCK;
}

/* ---- calls' frames ---- */
/* A limit on steps is there to end what takes too long (code/lower_cost.c): of arguments and
 * results a step moves so many bytes a lane, or clears so many of a frame. */
enum { BYTES_A_STEP = 16, CLEARED_A_STEP = 2048 };
/* What a function that calls itself, or another that calls it, keeps of its registers meanwhile,
 * the least that ptxas 13.0 makes of any for sm_90a. Not modelled: what others keep, and more. */
enum { SAVED_A_CALL = 16 };
static uint32_t saved(const struct frame *caller, const struct emu_func *f)
{
    const struct frame *before = caller->parent;
    bool again = before && (caller->func == f || before->func == f);
    return caller->saved + (again ? SAVED_A_CALL : 0);
}
static struct frame *frame_push(struct warp *w, struct emu_func *f, const struct insn *call)
{
    struct frame *n = xcalloc(1, sizeof(*n) + f->frame_bytes + 64);
    n->regs = (uint8_t *)ROUND_UP((uintptr_t)(n + 1), 64);
    memset(n->regs, launch_unset(w->block->launch), f->frame_bytes);
    n->func = f;
    n->parent = w->cur->frame;
    n->call = call;
    n->saved = saved(n->parent, f);
    n->held = w->held ? follow_frame(f) : NULL;
    n->local_base = ROUND_UP(w->local_top, 16);
    n->bytes = f->local_bytes;
    w->local_top = n->local_base + f->local_bytes;
    w->depth++;
    w->dear += f->frame_bytes / CLEARED_A_STEP;
    n->next = w->frames;
    n->at = &w->frames;
    if (n->next)
        n->next->at = &n->next;
    w->frames = n;
    return n;
}
static void frame_free(struct frame *f)
{
    *f->at = f->next;
    if (f->next)
        f->next->at = f->at;
    free(f->held);
    free(f);
}
static void frame_pop(struct warp *w, struct frame *f)
{
    if (--w->depth == 0)
        w->local_top = w->entry.bytes;
    else if (w->local_top <= f->local_base + f->bytes)
        w->local_top = f->local_base;
    frame_free(f);
}
void warp_free(struct warp *w)
{
    while (w->frames) /* the launch failed inside calls */
        frame_free(w->frames);
    while (w->all_recons) {
        struct recon *r = w->all_recons;
        w->all_recons = r->next_all;
        free(r);
    }
    free(w->async);
    free(w->held);
    free(w->errors);
}
static void copy_rows(struct warp *w, uint8_t *dst, const uint8_t *src, uint32_t bytes,
                      uint32_t mask)
{
    w->dear += bytes / BYTES_A_STEP;
    for (uint32_t k = 0; k < (bytes + 3) / 4; k++)
        for (uint32_t i = 0; i < WARP; i++)
            if (mask >> i & 1)
                ((uint32_t *)dst)[k * WARP + i] = ((const uint32_t *)src)[k * WARP + i];
}

/* ---- recons ---- */

/* p's lanes go on after the call that r is of, with its results. */
static void return_from(struct warp *w, const struct recon *r, struct path *p)
{
    const struct frame *callee = r->frame;
    const struct call_info *ci = callee->call->data;
    p->frame = callee->parent;
    p->pc = callee->call + 1;
    p->enter = NO_BLOCK;
    const struct emu_func *f = callee->func;
    for (uint32_t k = 0; k < ci->nrets && k < f->ptx->nrets; k++) {
        const struct param_place *from = &f->params[f->ptx->nparams + k];
        copy_rows(w, p->frame->regs + ci->rets[k].offset, callee->regs + from->offset,
                  (uint32_t)from->var->size, p->mask);
    }
}

/* One path or inner recon less is on its way to r. When none is left: the lanes that
 * arrived go on as the current path (returned true), or, none having arrived, the recon
 * around loses one too. */
static bool recon_leave(struct warp *w, struct recon *r)
{
    while (r) {
        if (--r->pending)
            return false;
        struct recon *up = r->parent;
        struct frame *callee = r->frame;
        if (!r->arrived) { /* all lanes exited on the way */
            if (r->is_call)
                frame_pop(w, callee);
            recon_free(w, r);
            r = up;
            continue;
        }
        uint8_t alone = w->cur ? w->cur->alone : 0; /* a loop that calls is alone all the same */
        struct path *p = path_new(w);
        p->alone = alone;
        p->mask = r->arrived;
        p->parent = up;
        p->frame = callee;
        p->enter = r->block;
        if (r->is_call) {
            return_from(w, r, p);
            frame_pop(w, callee);
        }
        recon_free(w, r);
        use_path(w, p);
        return true;
    }
    return false;
}

/* The current path's lanes leave it (they returned, ended or arrived): drop the path. */
static const struct insn *path_end(struct warp *w)
{
    struct path *p = w->cur;
    struct recon *r = p->parent;
    p->mask = 0;
    if (recon_leave(w, r))
        return warp_resume(w);
    return warp_next_path(w);
}

const struct insn *warp_arrive(struct warp *w)
{
    w->cur->parent->arrived |= w->cur->mask;
    return path_end(w);
}

/* ---- choosing what runs ---- */
static bool covers(const struct warp *w, uint32_t have, uint32_t want)
{
    return (want & w->live & ~have) == 0;
}
static bool is_warp_barrier(const struct insn *in)
{
    return in->flags & F_ALIGNED && in->sub == M_warp;
}
/* Lanes waiting with p at the same .sync instruction (any bar.warp.sync counts as one). */
static uint32_t gathered(const struct warp *w, const struct path *p)
{
    uint32_t have = p->mask;
    for (uint32_t rest = w->begun; rest; rest &= rest - 1) {
        const struct path *q = &w->paths[__builtin_ctz(rest)];
        if (q == p || !q->mask || q->state != PATH_SYNC || q->sync_mask != p->sync_mask)
            continue;
        if ((q->pc == p->pc && q->frame == p->frame) ||
            (is_warp_barrier(p->pc) && is_warp_barrier(q->pc)))
            have |= q->mask;
    }
    return have;
}

bool warp_gather(struct warp *w, const struct insn *in, uint32_t sync_mask)
{
    struct path *p = w->cur;
    p->pc = in;
    p->enter = NO_BLOCK;
    p->sync_mask = sync_mask;
    p->state = PATH_SYNC;
    uint32_t have = gathered(w, p);
    if (!covers(w, have, sync_mask))
        return false;
    p->state = PATH_READY;
    for (uint32_t rest = w->begun; rest; rest &= rest - 1) {
        struct path *q = &w->paths[__builtin_ctz(rest)];
        if (q == p || !q->mask || q->state != PATH_SYNC || (q->mask & ~have) ||
            q->sync_mask != sync_mask)
            continue;
        q->state = PATH_READY;
        q->pc = q->pc + 1;
        w->ready[w->nready++] = q;
    }
    w->mask = have;
    return true;
}

const struct insn *warp_next_path(struct warp *w)
{
    if (block_stops(w->block)) {
        w->state = WARP_DONE;
        return NULL;
    }
    if (w->nready == 0) {
        bool waiting = false;
        for (uint32_t rest = w->begun; rest; rest &= rest - 1) {
            struct path *p = &w->paths[__builtin_ctz(rest)];
            if (!p->mask)
                continue;
            waiting = true;
            if (p->state == PATH_SYNC && covers(w, gathered(w, p), p->sync_mask)) {
                p->state = PATH_READY; /* lanes it waited for have exited */
                w->ready[w->nready++] = p;
                break;
            }
        }
        if (w->nready == 0) {
            w->cur = NULL;
            w->state = waiting ? WARP_WAITING : WARP_DONE;
            w->still = w->stuck = false; /* it came as far as this */
            return NULL;
        }
    }
    use_path(w, w->ready[--w->nready]);
    return warp_resume(w);
}

const struct insn *warp_resume(struct warp *w)
{
    if (!w->cur)
        return warp_next_path(w);
    struct path *p = w->cur;
    if (p->enter == NO_BLOCK)
        return p->pc;
    uint32_t b = p->enter;
    p->enter = NO_BLOCK;
    return warp_enter(w, b);
}

/* Block b runs now: count it and tell it. */
static const struct insn *begin_block(struct warp *w, uint32_t b)
{
    struct path *p = w->cur;
    const struct emu_func *f = p->frame->func;
    const struct bblock *bb = &f->blocks[b];
    struct block_count *c = &w->worker->counts[bb->count];
    count_entry(w, bb, c, p->mask);
    struct block *x = w->block;
    for (int k = 0; x->tell_paths && k < x->nlisteners; k++)
        if (x->listeners[k]->path && bb->ninsns)
            x->listeners[k]->path(x->listeners[k], &x->info, &f->sites[bb->ptx_first], bb->ninsns,
                                  w->index, p->mask);
    return f->insns + bb->first;
}
const struct insn *warp_enter(struct warp *w, uint32_t b)
{
    if (b == w->recon_block && b != NO_BLOCK)
        return warp_arrive(w);
    w->slice -= (int32_t)w->cur->frame->func->blocks[b].ninsns + 1;
    return w->slice < 0 ? warp_slice_end(w, b) : begin_block(w, b);
}

/* Do lanes that go on at block b come to a barrier of all threads before they can do anything
 * that others see? Then it helps nobody to let them go on. */
static bool stops_at_barrier(const struct emu_func *f, uint32_t b)
{
    const struct bblock *bb = &f->blocks[b];
    for (uint32_t i = bb->ptx_first; i < bb->ptx_first + bb->ninsns; i++) {
        const struct ptx_insn *p = &f->ptx->insns[i];
        uint32_t defs[1];
        if (p->op == OP_bar || p->op == OP_barrier)
            return ptx_has(p, M_sync) && !ptx_has(p, M_warp) && p->noperands == 1 && !p->guarded;
        if (p->op == OP_atom || p->op == OP_mbarrier || insn_defs(p, f->ptx, defs, 1) == 0)
            return false;
    }
    return false;
}

/* Lanes that arrived at a recon may hold what the current path, alone, spins for (a lock
 * taken in a loop): PTX promises that every lane makes progress. They go on without it. */
static void release_arrived(struct warp *w)
{
    struct recon *r = w->cur->parent;
    while (r &&
           (!r->arrived || (r->block != NO_BLOCK && stops_at_barrier(r->frame->func, r->block))))
        r = r->parent;
    if (!r)
        return;
    struct path *p = path_new(w);
    p->mask = r->arrived;
    p->parent = r->parent;
    p->frame = r->frame;
    p->enter = r->block;
    if (r->is_call)
        return_from(w, r, p);
    if (r->parent)
        r->parent->pending++;
    r->arrived = 0;
    w->ready[w->nready++] = p;
    w->apart = true;
}

/* Does block b look at memory that others may change? */
static bool looks(const struct emu_func *f, uint32_t b)
{
    const struct bblock *bb = &f->blocks[b];
    for (uint32_t i = bb->ptx_first; i < bb->ptx_first + bb->ninsns; i++) {
        const struct ptx_insn *p = &f->ptx->insns[i];
        if (p->op == OP_atom)
            return true;
        if (p->op == OP_ld &&
            (ptx_has(p, M_volatile) || ptx_has(p, M_relaxed) || ptx_has(p, M_acquire)))
            return true;
    }
    return false;
}

/* ---- going round and round ---- */
#define LOOK_AFTER 16 /* slices that found a lock taken: they are short */
static uint64_t digest(const uint64_t *v, uint32_t n, uint32_t step)
{
    uint64_t h[8] = {0}, all = 0;
    for (uint32_t i = 0; i + 8 <= n; i += step)
        for (int k = 0; k < 8; k++)
            h[k] = (h[k] << 7 | h[k] >> 57) ^ v[i + (uint32_t)k];
    for (int k = 0; k < 8; k++)
        all = (all ^ h[k]) * 0x9e3779b97f4a7c15ull;
    return all;
}
/* Is the current path where it was a slice ago, or a few, with the same in its registers? Then it
 * only waits for what others do. Looked at closely when some of the registers are the same. */
static bool nothing_new(struct warp *w, uint32_t b)
{
    struct path *p = w->cur;
    const uint64_t *regs = (const uint64_t *)p->frame->regs;
    uint32_t n = (p->frame->func->frame_bytes + 7) / 8;
    uint64_t where = ((uint64_t)b << 32 | p->mask) ^ w->depth;
    uint64_t quick = digest(regs, n, ROUND_UP(1 + n / 32, 8)) ^ where;
    for (uint32_t k = 0; k < SLICE_ENDS; k++) {
        if (p->ends[k].quick != quick)
            continue;
        uint64_t before = p->ends[k].full;
        p->ends[k].full = digest(regs, n, 8) ^ where;
        return p->ends[k].full == before;
    }
    p->last = (p->last + 1) % SLICE_ENDS;
    p->ends[p->last].quick = quick;
    p->ends[p->last].full = 0;
    return false;
}
static bool all_still(const struct warp *w, bool *idle, bool *stuck)
{
    bool still = w->cur->still;
    *idle = still || w->cur->same;
    *stuck = w->cur->stuck;
    for (uint32_t k = 0; k < w->nready; k++) {
        still &= w->ready[k]->still;
        *idle &= w->ready[k]->still || w->ready[k]->same;
        *stuck &= w->ready[k]->stuck;
    }
    return still;
}

/* The path that has waited longest runs next; where lanes part it may have to wait longer. */
static void oldest_next(struct warp *w)
{
    if (!w->nready || mix64(w->block->turns ^ w->executed) & w->block->stays)
        return;
    struct path *oldest = w->ready[0];
    memmove(w->ready, w->ready + 1, (w->nready - 1) * sizeof(w->ready[0]));
    w->ready[w->nready - 1] = w->cur;
    use_path(w, oldest);
}
const struct insn *warp_give_way(struct warp *w, const struct insn *next)
{
    w->cur->pc = next;
    w->cur->enter = NO_BLOCK;
    w->still = w->idle = w->stuck = false;
    oldest_next(w);
    return NULL;
}

const struct insn *warp_slice_end(struct warp *w, uint32_t b)
{
    int32_t needs = (int32_t)w->cur->frame->func->blocks[b].ninsns + 1;
    if (w->slice + needs >= w->given) { /* longer than a slice: a turn of its own */
        w->slice = 0;
        w->given = needs;
        return begin_block(w, b);
    }
    w->cur->still = !w->spins && nothing_new(w, b);
    if (!w->spins)
        w->cur->same = false;
    else if (w->cur->spun++ % LOOK_AFTER == 0)
        w->cur->same = nothing_new(w, b);
    w->cur->stuck = w->cur->still && w->waited;
    w->waited = false;
    w->still = all_still(w, &w->idle, &w->stuck);
    bool waits = w->spins || w->cur->still || looks(w->cur->frame->func, b);
    w->cur->enter = b;
    w->spun = w->spins;
    w->spins = false;
    if (w->nready) {
        w->cur->alone = 0;
    } else if ((w->cur->alone += waits ? 16 : 1) >= PATIENCE) {
        w->cur->alone = 0;
        release_arrived(w);
    }
    oldest_next(w);
    return NULL; /* state stays WARP_READY: the block's scheduler comes back */
}

/* ---- parting ---- */

/* Lanes `lanes` of the current path become a path of their own; both will meet at block
 * `meet`. A parent that meets there already serves: a loop that lanes leave one by one
 * needs one recon, not one an iteration. */
static struct path *part(struct warp *w, uint32_t meet, uint32_t lanes)
{
    struct path *p = w->cur;
    struct recon *r = p->parent;
    if (meet == NO_BLOCK || (r && !r->is_call && r->block == meet)) {
        if (r)
            r->pending++;
    } else {
        r = recon_new(w);
        r->block = meet;
        r->pending = 2;
        r->parent = p->parent;
        r->frame = p->frame;
        p->parent = r;
    }
    struct path *q = path_new(w);
    q->mask = lanes;
    q->parent = p->parent;
    q->frame = p->frame;
    w->ready[w->nready++] = q;
    p->mask &= ~lanes;
    use_path(w, p);
    return q;
}

void warp_set_aside(struct warp *w, const struct insn *in, uint32_t lanes)
{
    const struct emu_func *f = w->cur->frame->func;
    uint32_t at = (uint32_t)(in - f->insns), b = 0;
    while (b + 1 < f->nblocks && f->blocks[b + 1].first <= at)
        b++;
    part(w, f->blocks[b].recon, lanes)->pc = in;
}
void warp_part(struct warp *w, const struct insn *in, uint32_t lanes)
{
    part(w, NO_BLOCK, lanes)->pc = in;
    w->apart = true;
}

const struct insn *warp_branch(struct warp *w, const struct insn *in, uint32_t taken)
{
    part(w, (uint32_t)in->imm, taken)->enter = in->taken;
    w->cur->enter = in->fall;
    return warp_resume(w);
}

/* brx.idx: lanes with the first lane's index part; the others come back here.
 * insn.places: target blocks, insn.taken: how many. */
const struct insn *warp_indirect(struct warp *w, const struct insn *in)
{
    const uint32_t *index = place(w, in->src[0]);
    uint32_t mask = w->cur->mask, same = 0;
    uint32_t first = index[__builtin_ctz(mask)];
    for (int i = 0; i < WARP; i++) {
        if (!(mask >> i & 1))
            continue;
        if (index[i] >= in->taken)
            return warp_fault(w, in, i, cudaErrorIllegalInstruction,
                              "brx.idx: index %u, but there are %u targets", index[i], in->taken);
        same |= (uint32_t)(index[i] == first) << i;
    }
    if (same == mask) {
        w->cur->enter = in->places[first];
        return warp_resume(w);
    }
    part(w, (uint32_t)in->imm, same)->enter = in->places[first];
    return in;
}

/* ---- ending ---- */
const struct insn *warp_exit_lanes(struct warp *w, const struct insn *in, uint32_t lanes)
{
    struct block *b = w->block;
    struct path *p = w->cur;
    if (lanes) {
        w->live &= ~lanes;
        b->live_threads -= (uint32_t)__builtin_popcount(lanes);
        for (int k = 0; k < b->nlisteners; k++)
            if (b->listeners[k]->lanes_exit)
                b->listeners[k]->lanes_exit(b->listeners[k], &b->info, w->index, lanes);
    }
    p->mask &= ~lanes;
    if (p->mask) {
        w->mask = p->mask;
        return warp_enter(w, in->fall);
    }
    p->mask = 0;
    if (recon_leave(w, p->parent))
        return warp_resume(w);
    return warp_next_path(w);
}

const struct insn *warp_return(struct warp *w, const struct insn *in, uint32_t lanes)
{
    struct path *p = w->cur;
    struct recon *c = p->parent;
    while (c && !c->is_call)
        c = c->parent;
    if (!c)
        return warp_exit_lanes(w, in, lanes);
    c->arrived |= lanes;
    p->mask &= ~lanes;
    if (p->mask) {
        w->mask = p->mask;
        return warp_enter(w, in->fall);
    }
    return path_end(w);
}

/* ---- calls ---- */

static const struct insn *call_function(struct warp *w, const struct insn *in, struct emu_func *f)
{
    const struct call_info *ci = in->data;
    if (w->depth >= CALL_DEPTH_LIMIT)
        return warp_fault(w, in, -1, cudaErrorLaunchFailure,
                          "call stack overflow: %u nested calls of device functions", w->depth);
    if (!f->lowered) {
        return warp_fault(w, in, -1, cudaErrorInvalidPc, "call of %s, which has no body",
                          shown_name(f->info.name));
    }
    if (!ci->target && !call_fits(ci, f->ptx))
        return warp_fault(w, in, -1, cudaErrorInvalidPc,
                          "arguments or results of the call are not those of %s",
                          shown_name(f->info.name));
    struct path *p = w->cur;
    struct frame *n = frame_push(w, f, in);
    if (w->local_top > w->local_size) {
        frame_free(n);
        w->depth--;
        return warp_fault(w, in, -1, cudaErrorLaunchFailure,
                          "stack overflow: %u bytes of local memory a thread are in use; raise "
                          "cudaLimitStackSize",
                          w->local_top);
    }
    uint32_t limit = launch_stack_limit[w->block->launch->module->device];
    if (n->saved > limit) {
        uint32_t bytes = n->saved;
        frame_free(n);
        w->depth--;
        return warp_fault(w, in, -1, cudaErrorIllegalAddress,
                          "stack overflow: nested calls of %s keep %u bytes of registers a thread "
                          "at least, and a stack has %u; call less deeply, or raise "
                          "cudaLimitStackSize",
                          shown_name(f->info.name), bytes, limit);
    }
    for (uint32_t k = 0; k < f->ptx->nparams; k++)
        copy_rows(w, n->regs + f->params[k].offset, p->frame->regs + ci->args[k].offset,
                  (uint32_t)f->params[k].var->size, FULL);
    struct recon *r = recon_new(w);
    r->block = NO_BLOCK;
    r->is_call = true;
    r->pending = 1;
    r->parent = p->parent;
    r->frame = n;
    p->parent = r;
    p->frame = n;
    use_frame(w, n);
    use_path(w, p);
    return warp_enter(w, 0);
}

/* Lanes with the same target call it together; the others come back here. */
static const struct insn *call_indirect(struct warp *w, const struct insn *in)
{
    const uint64_t *target = place(w, in->src[0]);
    struct path *p = w->cur;
    uint64_t first = target[__builtin_ctz(p->mask)];
    uint32_t same = 0;
    for (int i = 0; i < WARP; i++)
        same |= (uint32_t)(p->mask >> i & 1 && target[i] == first) << i;
    struct emu_func *f = module_func_by_address(w->block->launch->module, first);
    if (!f)
        return warp_fault(w, in, __builtin_ctz(same), cudaErrorInvalidPc,
                          "indirect call to 0x%llx, which is no function",
                          (unsigned long long)first);
    if (!f->lowered && lower_func(f) != cudaSuccess)
        return warp_fault(w, in, -1, cudaErrorInvalidPtx, "%s", emu_error_text());
    if (same != p->mask) /* all meet after the call, which ends its block */
        part(w, in->fall, p->mask & ~same)->pc = in;
    return call_function(w, in, f);
}

static bool is_executed(const struct warp *w, const struct emu_func *f)
{
    for (const struct frame *at = w->cur->frame; f && at; at = at->parent)
        if (at->func == f)
            return true;
    return false;
}

const struct insn *warp_call(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    if (ci->builtin != CALL_FUNC)
        return warp_call_builtin(w, in);
    w->worker->slots[in->slot].requests++;
    w->worker->slots[in->slot].extra += is_executed(w, ci->target); /* a turn of a loop */
    return ci->target ? call_function(w, in, ci->target) : call_indirect(w, in);
}

/* ---- block barriers (PTX ISA 9.7.13.1): sixteen, each counts arrivals ---- */
static bool barrier_complete(const struct block *b, const struct barrier *x)
{
    if (x->lanes == 0)
        return false;
    return x->expected ? x->threads >= x->expected : x->lanes >= b->live_threads;
}
void block_release_barrier(struct block *b, uint32_t id)
{
    struct barrier *x = &b->barriers[id];
    flights_pass(b, id);
    for (uint32_t k = 0; k < b->nwarps; k++) {
        struct warp *w = &b->warps[k];
        for (uint32_t rest = w->begun; rest; rest &= rest - 1) {
            struct path *p = &w->paths[__builtin_ctz(rest)];
            if (!p->mask || p->state != PATH_BARRIER || p->barrier != id)
                continue;
            p->state = PATH_READY;
            p->released = true;
            uint32_t mode = p->pc->sub2;
            p->result = mode == M_popc ? x->popc : mode == M_and ? x->all : x->any;
            p->heard = x->heard;
            if (p != w->cur) /* the arriving path goes on at once */
                w->ready[w->nready++] = p;
            if (w->state == WARP_WAITING)
                w->state = WARP_READY;
        }
    }
    *x = (struct barrier){.generation = x->generation + 1, .been = x->been, .is_for = x->is_for};
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->barrier_leave)
            b->listeners[k]->barrier_leave(b->listeners[k], &b->info, id);
}
void block_release_barriers(struct block *b)
{
    for (uint32_t id = 0; id < NBARRIERS; id++)
        if (barrier_complete(b, &b->barriers[id]))
            block_release_barrier(b, id);
}

bool barrier_is_crowded(const struct block_info *info)
{
    const struct block *b = info->of;
    for (uint32_t id = 0; b && id < NBARRIERS; id++)
        if (barrier_warps_too_many(&b->barriers[id]))
            return true;
    return false;
}

static const struct insn *barrier_done(struct warp *w, const struct insn *in)
{
    struct path *p = w->cur;
    p->released = false;
    uint64_t now = follow_hears(w, in, p->heard);
    w->worker->slots[in->slot].extra += few_floats(w->at_barrier, now);
    w->at_barrier = now;
    w->worker->slots[in->slot].bytes += w->met ? 0 : warp_floats(w, in);
    w->met = true;
    if (in->sub != M_red)
        return in + 1;
    if (in->sub2 == M_popc) {
        uint32_t *d = place(w, in->dst);
        for (int i = 0; i < WARP; i++)
            if (p->mask >> i & 1)
                d[i] = p->result;
    } else {
        uint32_t *d = place(w, in->dst);
        *d = (*d & ~p->mask) | (p->result ? p->mask : 0);
    }
    return in + 1;
}

/* src[0]: barrier number, src[1]: thread count, src[2]: predicate of bar.red */
const struct insn *warp_barrier(struct warp *w, const struct insn *in)
{
    struct path *p = w->cur;
    struct block *b = w->block;
    if (p->released)
        return barrier_done(w, in);
    uint32_t lead = (uint32_t)__builtin_ctz(p->mask);
    uint32_t id = ((const uint32_t *)place(w, in->src[0]))[lead];
    if (id >= NBARRIERS)
        return warp_fault(w, in, -1, cudaErrorIllegalInstruction, "barrier %u: there are 16", id);
    struct barrier *x = &b->barriers[id];
    uint32_t n = (uint32_t)__builtin_popcount(p->mask);
    if (in->src[1] != NO_PLACE) {
        x->expected = ((const uint32_t *)place(w, in->src[1]))[lead];
        if (x->expected == 0 || x->expected % WARP)
            return warp_fault(w, in, -1, cudaErrorIllegalInstruction,
                              "barrier with a thread count of %u, which is no multiple of 32",
                              x->expected);
        x->is_for = x->expected;
        x->been |= 1u << w->index;
    }
    if (in->sub == M_red) {
        uint32_t v = *(const uint32_t *)place(w, in->src[2]);
        v = (in->flags & F_NEG_SRC ? ~v : v) & p->mask;
        x->all = (x->lanes == 0 || x->all) && v == p->mask;
        x->any |= v != 0;
        x->popc += (uint32_t)__builtin_popcount(v);
    }
    x->lanes += n;
    x->threads += p->mask == w->live ? WARP : n;
    if (p->mask == w->live)
        w->apart = false;
    w->worker->slots[in->slot].requests++;
    follow_tells(w, in, FLIGHT_BARRIER + id, x->generation, &x->heard);
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->barrier_arrive)
            b->listeners[k]->barrier_arrive(b->listeners[k], &b->info, in->site, w->index, p->mask,
                                            id, in->flags & F_ALIGNED && !w->apart);
    if (in->sub != M_arrive)
        path_wait(p, in, (uint8_t)id);
    if (barrier_complete(b, x)) {
        block_release_barrier(b, id);
        if (in->sub == M_arrive)
            return in + 1;
        if (!launch_reordered(b->launch))
            return barrier_done(w, in);
        w->still = w->idle = w->stuck = false;
        return NULL; /* who came last is not the first to go on: it is ready for its next turn */
    }
    if (in->sub == M_arrive)
        return in + 1;
    w->cur = NULL;
    return warp_next_path(w);
}

/* The warp counted the blocks that it entered whole. */
uint64_t warp_floats(const struct warp *w, const struct insn *in)
{
    const struct emu_func *f = w->cur->frame->func;
    uint32_t at = in->site->index, b = 0;
    while (at - f->blocks[b].ptx_first >= f->blocks[b].ninsns)
        b++;
    uint32_t end = f->blocks[b].ptx_first + f->blocks[b].ninsns;
    return w->floats - (f->floats_before[end] - f->floats_before[at]);
}
