/* group.c - groups of four warps, whose products (wgmma) are one: where a warp waits for them, they
 * are over for the others, too.
 *
 * On a GPU the four issue a product together, so that after wgmma.wait_group one of them may say
 * that what all four read may be written again. Here each does its part by itself; a warp that
 * waits lets those go on that have not issued so much. Who has ended keeps nobody waiting.
 * Groups of copies (cp.async.bulk) are over when they are asked for; listeners hear of them.
 */
#include "exec.h"

enum { GROUP = 4 }; /* warps */

/* Have all four committed so many groups of products? They count round and round. */
static bool has_come(const struct block *b, uint32_t warp, uint32_t products)
{
    for (uint32_t k = warp / GROUP * GROUP; k < b->nwarps && k < warp / GROUP * GROUP + GROUP; k++)
        if (b->warps[k].state != WARP_DONE && (int32_t)(b->warps[k].products - products) < 0)
            return false;
    return true;
}
void warp_look_again(struct warp *w, uint8_t barrier)
{
    for (uint32_t rest = w->begun; rest; rest &= rest - 1) {
        struct path *p = &w->paths[__builtin_ctz(rest)];
        if (!p->mask || p->state != PATH_BARRIER || p->barrier != barrier)
            continue;
        p->state = PATH_READY;
        w->ready[w->nready++] = p;
        w->state = WARP_READY;
    }
}
static void wake(struct warp *w)
{
    warp_look_again(w, GROUP_WAIT);
    w->at_group = false;
}
bool group_release(struct block *b)
{
    bool any = false;
    for (uint32_t k = 0; k < b->nwarps; k++) {
        struct warp *w = &b->warps[k];
        if (!w->at_group || !has_come(b, k, w->awaited))
            continue;
        wake(w);
        any = true;
    }
    return any;
}
static void tell_commit(struct warp *w, const struct insn *in)
{
    struct block *b = w->block;
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->async_commit)
            b->listeners[k]->async_commit(b->listeners[k], &b->info, in->site, w->index, w->mask);
}
static void tell_wait(struct warp *w, const struct insn *in)
{
    struct block *b = w->block;
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->async_wait)
            b->listeners[k]->async_wait(b->listeners[k], &b->info, in->site, w->index, w->mask,
                                        (uint32_t)in->imm);
}
const struct insn *group_copies(struct warp *w, const struct insn *in)
{
    if (in->sub == M_commit_group)
        tell_commit(w, in);
    else
        tell_wait(w, in);
    return in + 1;
}
const struct insn *group_commit(struct warp *w, const struct insn *in)
{
    struct block *b = w->block;
    w->products++;
    tell_commit(w, in);
    for (uint32_t k = w->index / GROUP * GROUP; k < b->nwarps && k / GROUP == w->index / GROUP; k++)
        if (b->warps[k].at_group && has_come(b, k, b->warps[k].awaited))
            wake(&b->warps[k]);
    return in + 1;
}
/* insn.imm: groups that may still be under way */
const struct insn *group_wait(struct warp *w, const struct insn *in)
{
    struct path *p = w->cur;
    w->awaited = w->products - (uint32_t)in->imm;
    if (has_come(w->block, w->index, w->awaited)) {
        tell_wait(w, in);
        return in + 1;
    }
    w->at_group = true;
    path_wait(p, in, GROUP_WAIT);
    w->cur = NULL;
    return warp_next_path(w);
}
