/* cfg.c - basic blocks of a function and the immediate post-dominator of each.
 *
 * Blocks end at branches, returns, exits and calls; a predicated call or block barrier is
 * a block of its own, because the lanes that skip it must part from those that do not.
 * Post-dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm",
 * on the reversed graph with one virtual exit.
 */
#include "code.h"
#include <stdlib.h>
#include <string.h>

static bool ends_block(const struct ptx_insn *in)
{
    return in->op == OP_bra || in->op == OP_brx || in->op == OP_ret || in->op == OP_exit ||
           in->op == OP_call || in->op == OP_trap;
}
bool insn_alone(const struct ptx_insn *in); /* guarded call or block barrier */
bool insn_alone(const struct ptx_insn *in)
{
    bool barrier = (in->op == OP_bar || in->op == OP_barrier) && !ptx_has(in, M_warp);
    return in->guarded && (in->op == OP_call || barrier);
}

static void find_leaders(const struct ptx_func *f, bool *leader)
{
    leader[0] = true;
    for (uint32_t i = 0; i < f->nlabels; i++)
        if (f->labels[i].insn <= f->ninsns)
            leader[f->labels[i].insn] = true;
    for (uint32_t i = 0; i < f->ninsns; i++) {
        if (ends_block(&f->insns[i]))
            leader[i + 1] = true;
        if (insn_alone(&f->insns[i]))
            leader[i] = leader[i + 1] = true;
    }
}

static void find_successors(const struct ptx_func *f, struct cfg *c, uint32_t b)
{
    uint32_t next = b + 1 < c->nblocks ? b + 1 : NO_BLOCK;
    c->succ[b][0] = c->succ[b][1] = NO_BLOCK;
    if (c->end[b] == c->first[b]) {
        c->succ[b][0] = next;
        return;
    }
    const struct ptx_insn *last = &f->insns[c->end[b] - 1];
    /* the block before a lone guarded instruction may skip it */
    if (next != NO_BLOCK && c->first[next] < f->ninsns && insn_alone(&f->insns[c->first[next]]) &&
        !ends_block(last)) {
        c->succ[b][0] = next;
        c->succ[b][1] = next + 1 < c->nblocks ? next + 1 : NO_BLOCK;
        return;
    }
    switch (last->op) {
    case OP_bra:
        c->succ[b][0] = c->block_of[f->labels[last->operands[0].label].insn];
        if (last->guarded)
            c->succ[b][1] = next;
        break;
    case OP_brx:
        c->extra[b] = xcalloc(last->table->nlabels, sizeof(uint32_t));
        c->nextra[b] = last->table->nlabels;
        for (uint32_t k = 0; k < last->table->nlabels; k++)
            c->extra[b][k] = c->block_of[f->labels[last->table->labels[k]].insn];
        if (last->guarded)
            c->succ[b][1] = next;
        break;
    case OP_ret:
    case OP_exit:
    case OP_trap:
        if (last->guarded)
            c->succ[b][0] = next;
        break;
    default:
        c->succ[b][0] = next;
    }
}

/* Does b reach the virtual exit directly? */
static bool reaches_exit(const struct ptx_func *f, const struct cfg *c, uint32_t b)
{
    if (c->end[b] > c->first[b]) {
        enum ptx_op op = f->insns[c->end[b] - 1].op;
        if (op == OP_ret || op == OP_exit || op == OP_trap)
            return true;
    }
    return c->succ[b][0] == NO_BLOCK && c->succ[b][1] == NO_BLOCK && !c->nextra[b];
}
static uint32_t nsucc(const struct cfg *c, uint32_t b)
{
    return 2 + c->nextra[b];
}
static uint32_t succ(const struct cfg *c, uint32_t b, uint32_t k)
{
    return k < 2 ? c->succ[b][k] : c->extra[b][k - 2];
}

/* Postorder of the reversed graph, from the exit: order[0] is the exit (index n). */
struct reverse {
    uint32_t *head, *next, *to; /* predecessor lists */
    uint32_t nedges;
};
static void add_edge(struct reverse *r, uint32_t from, uint32_t to)
{
    r->to[r->nedges] = from;
    r->next[r->nedges] = r->head[to];
    r->head[to] = r->nedges++;
}

/* A kernel's block of nothing but `ret`: nobody waits there. Lanes that return early must
 * be gone when the others come to a barrier, as they are on a GPU. */
static bool only_ends(const struct ptx_func *f, const struct cfg *c, uint32_t b)
{
    const struct ptx_insn *in = &f->insns[c->first[b]];

    return f->is_entry && c->first[b] < f->ninsns && (in->op == OP_ret || in->op == OP_exit) &&
           !in->guarded;
}

static void post_dominators(const struct ptx_func *f, struct cfg *c)
{
    uint32_t n = c->nblocks, total = n;
    for (uint32_t b = 0; b < n; b++)
        total += nsucc(c, b);
    struct reverse r = {xmalloc((n + 1) * 4), xmalloc((total + n) * 4), xmalloc((total + n) * 4),
                        0};
    memset(r.head, 0xff, (n + 1) * 4);
    for (uint32_t b = 0; b < n; b++) {
        if (reaches_exit(f, c, b))
            add_edge(&r, b, n);
        for (uint32_t k = 0; k < nsucc(c, b); k++)
            if (succ(c, b, k) != NO_BLOCK)
                add_edge(&r, b, succ(c, b, k));
    }
    /* depth-first over predecessors from the exit, without recursion */
    uint32_t *number = xmalloc((n + 1) * 4), *order = xmalloc((n + 1) * 4), count = 0;
    uint32_t *stack = xmalloc((n + 1) * 4), *edge = xmalloc((n + 1) * 4), depth = 0;
    memset(number, 0xff, (n + 1) * 4);
    bool *seen = xcalloc(n + 1, 1);
    stack[depth] = n;
    edge[depth++] = r.head[n];
    seen[n] = true;
    while (depth) {
        uint32_t e = edge[depth - 1];
        if (e == UINT32_MAX) {
            uint32_t v = stack[--depth];
            number[v] = count;
            order[count++] = v;
            continue;
        }
        edge[depth - 1] = r.next[e];
        uint32_t v = r.to[e];
        if (!seen[v]) {
            seen[v] = true;
            stack[depth] = v;
            edge[depth++] = r.head[v];
        }
    }
    uint32_t *ip = xmalloc((n + 1) * 4);
    memset(ip, 0xff, (n + 1) * 4);
    ip[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = count; k-- > 0;) {
            uint32_t b = order[k], best = UINT32_MAX;
            if (b == n)
                continue;
            for (uint32_t j = 0; j <= nsucc(c, b); j++) {
                uint32_t s =
                    j < nsucc(c, b) ? succ(c, b, j) : (reaches_exit(f, c, b) ? n : NO_BLOCK);
                if (s == NO_BLOCK || ip[s] == UINT32_MAX)
                    continue;
                if (best == UINT32_MAX) {
                    best = s;
                    continue;
                }
                uint32_t x = s, y = best;
                while (x != y) {
                    while (number[x] < number[y])
                        x = ip[x];
                    while (number[y] < number[x])
                        y = ip[y];
                }
                best = x;
            }
            if (best != ip[b]) {
                ip[b] = best;
                changed = true;
            }
        }
    }
    for (uint32_t b = 0; b < n; b++)
        c->ipdom[b] =
            ip[b] == n || ip[b] == UINT32_MAX || only_ends(f, c, ip[b]) ? NO_BLOCK : ip[b];
    free(r.head);
    free(r.next);
    free(r.to);
    free(number);
    free(order);
    free(stack);
    free(edge);
    free(seen);
    free(ip);
}

struct cfg *cfg_build(const struct ptx_func *f)
{
    struct cfg *c = xcalloc(1, sizeof(*c));
    bool *leader = xcalloc(f->ninsns + 2, 1);
    find_leaders(f, leader);
    for (uint32_t i = 0; i <= f->ninsns; i++)
        c->nblocks += leader[i];
    c->nblocks += f->ninsns == 0 ? 0 : !leader[f->ninsns]; /* an empty last block: the end */
    leader[f->ninsns] = true;
    uint32_t n = c->nblocks;
    c->first = xcalloc(n, 4);
    c->end = xcalloc(n, 4);
    c->succ = xcalloc(n, sizeof(*c->succ));
    c->extra = xcalloc(n, sizeof(*c->extra));
    c->nextra = xcalloc(n, 4);
    c->ipdom = xcalloc(n, 4);
    c->block_of = xcalloc(f->ninsns + 2, 4);
    uint32_t b = 0;
    for (uint32_t i = 0; i <= f->ninsns; i++) {
        if (leader[i]) {
            if (b)
                c->end[b - 1] = i;
            c->first[b++] = i;
        }
        c->block_of[i] = b - 1;
    }
    c->end[n - 1] = f->ninsns;
    for (uint32_t k = 0; k < n; k++)
        find_successors(f, c, k);
    post_dominators(f, c);
    free(leader);
    return c;
}
void cfg_free(struct cfg *c)
{
    for (uint32_t b = 0; b < c->nblocks; b++)
        free(c->extra[b]);
    free(c->first);
    free(c->end);
    free(c->succ);
    free(c->extra);
    free(c->nextra);
    free(c->ipdom);
    free(c->block_of);
    free(c);
}
