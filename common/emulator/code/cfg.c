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

/* Does b reach the virtual exit directly? A trap ends the launch: paths to it lead nowhere, and
 * the lanes of the others meet as if it were not there. */
static bool reaches_exit(const struct ptx_func *f, const struct cfg *c, uint32_t b)
{
    if (c->end[b] > c->first[b]) {
        enum ptx_op op = f->insns[c->end[b] - 1].op;
        if (op == OP_ret || op == OP_exit || op == OP_trap)
            return op != OP_trap;
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

/* ---- immediate post-dominators ---- */
/* In a loop that nobody leaves lanes meet at its end, and at the latest where its next turn begins:
 * for (;;) with a branch in it would part them for ever. So the ways back to its first block lead
 * to a block of their own, and that one to the exit. */
struct reverse {    /* the graph backwards: who leads to a block; block n is the exit */
    uint32_t n;     /* blocks; n + 1 + b: b's next turn */
    uint32_t *head; /* by block: its first edge, UINT32_MAX: none */
    uint32_t *next; /* by edge: the block's next one */
    uint32_t *from; /* by edge: who leads there */
    uint32_t nedges;
    uint32_t *order; /* blocks that lead to the exit, in postorder from there */
    uint32_t norder;
    uint32_t *number; /* by block: its place in order */
    uint32_t *loop;   /* by block: the first of the loop that nobody leaves, NO_BLOCK: none */
};
static uint32_t nodes(const struct reverse *r)
{
    return 2 * r->n + 1;
}
/* Where the edge leads. */
static uint32_t target(const struct reverse *r, const struct cfg *c, uint32_t b, uint32_t k)
{
    uint32_t s = succ(c, b, k);
    return s != NO_BLOCK && r->loop[b] == s && r->loop[s] == s ? r->n + 1 + s : s;
}
static void add_edge(struct reverse *r, uint32_t from, uint32_t to)
{
    r->from[r->nedges] = from;
    r->next[r->nedges] = r->head[to];
    r->head[to] = r->nedges++;
}
static void add_edges(const struct ptx_func *f, const struct cfg *c, struct reverse *r)
{
    r->nedges = 0;
    memset(r->head, 0xff, nodes(r) * sizeof(*r->head));
    for (uint32_t b = 0; b < r->n; b++) {
        if (reaches_exit(f, c, b))
            add_edge(r, b, r->n);
        if (r->loop[b] == b)
            add_edge(r, r->n + 1 + b, r->n);
        for (uint32_t k = 0; k < nsucc(c, b); k++)
            if (succ(c, b, k) != NO_BLOCK)
                add_edge(r, b, target(r, c, b, k));
    }
}
/* Marks what leads to `to`, and it. */
static void mark_before(const struct reverse *r, uint32_t to, bool *seen)
{
    uint32_t *todo = xmalloc(nodes(r) * sizeof(*todo)), ntodo = 0;
    todo[ntodo++] = to;
    seen[to] = true;
    while (ntodo) {
        uint32_t b = todo[--ntodo];
        for (uint32_t e = r->head[b]; e != UINT32_MAX; e = r->next[e]) {
            if (!seen[r->from[e]])
                todo[ntodo++] = r->from[e];
            seen[r->from[e]] = true;
        }
    }
    free(todo);
}
/* Marks what b leads to, in the order in which it is come to; b itself only if on a way around. */
static uint32_t mark_behind(const struct cfg *c, uint32_t b, bool *seen, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t at = 0, from = b;; from = order[at++]) {
        for (uint32_t k = 0; k < nsucc(c, from); k++) {
            uint32_t s = succ(c, from, k);
            if (s != NO_BLOCK && !seen[s])
                order[n++] = s;
            if (s != NO_BLOCK)
                seen[s] = true;
        }
        if (at == n)
            return n;
    }
}
/* The first block, on the way from the start, of a loop that nobody leaves becomes one. */
static bool find_endless(const struct cfg *c, struct reverse *r)
{
    bool *leaves = xcalloc(nodes(r), 1), *seen = xcalloc(r->n, 1), found = false;
    uint32_t *order = xmalloc((r->n + 1) * sizeof(*order)), n;
    uint32_t *inside = xmalloc((r->n + 1) * sizeof(*inside));
    mark_before(r, r->n, leaves);
    order[0] = 0;
    seen[0] = true;
    n = 1 + mark_behind(c, 0, seen, order + 1);
    for (uint32_t i = 0; i < n && !found; i++) {
        uint32_t b = order[i], m;
        if (leaves[b])
            continue;
        memset(seen, 0, r->n);
        m = mark_behind(c, b, seen, inside);
        found = seen[b];
        for (uint32_t k = 0; k < m && found; k++)
            r->loop[inside[k]] = b;
    }
    free(leaves);
    free(seen);
    free(order);
    free(inside);
    return found;
}
static struct reverse reverse_edges(const struct ptx_func *f, const struct cfg *c)
{
    struct reverse r = {.n = c->nblocks};
    size_t most = 0;
    for (uint32_t b = 0; b < r.n; b++)
        most += nsucc(c, b) + 2;
    r.head = xmalloc(nodes(&r) * sizeof(*r.head));
    r.next = xmalloc((most + 1) * sizeof(*r.next));
    r.from = xmalloc((most + 1) * sizeof(*r.from));
    r.loop = xmalloc((r.n + 1) * sizeof(*r.loop));
    memset(r.loop, 0xff, (r.n + 1) * sizeof(*r.loop));
    do
        add_edges(f, c, &r);
    while (find_endless(c, &r));
    return r;
}
/* Depth first from the exit, without recursion. */
static void number_blocks(struct reverse *r)
{
    struct step {
        uint32_t block, edge; /* the next to follow */
    } *path = xmalloc(nodes(r) * sizeof(*path));
    bool *seen = xcalloc(nodes(r), 1);
    uint32_t depth = 0;
    r->order = xmalloc(nodes(r) * sizeof(*r->order));
    r->number = xmalloc(nodes(r) * sizeof(*r->number));
    path[depth++] = (struct step){r->n, r->head[r->n]};
    seen[r->n] = true;
    while (depth) {
        struct step *s = &path[depth - 1];
        if (s->edge == UINT32_MAX) {
            r->number[s->block] = r->norder;
            r->order[r->norder++] = s->block;
            depth--;
            continue;
        }
        uint32_t b = r->from[s->edge];
        s->edge = r->next[s->edge];
        if (!seen[b])
            path[depth++] = (struct step){b, r->head[b]};
        seen[b] = true;
    }
    free(path);
    free(seen);
}
/* The first block that paths from x and from y both come to. */
static uint32_t meet(const struct reverse *r, const uint32_t *ipdom, uint32_t x, uint32_t y)
{
    while (x != y) {
        while (r->number[x] < r->number[y])
            x = ipdom[x];
        while (r->number[y] < r->number[x])
            y = ipdom[y];
    }
    return x;
}
/* Where all successors of b that have been looked at meet. */
static uint32_t meet_of_successors(const struct ptx_func *f, const struct cfg *c,
                                   const struct reverse *r, const uint32_t *ipdom, uint32_t b)
{
    if (b > r->n)
        return r->n;
    uint32_t best = reaches_exit(f, c, b) ? r->n : NO_BLOCK;
    for (uint32_t k = 0; k < nsucc(c, b); k++) {
        uint32_t s = target(r, c, b, k);
        if (s != NO_BLOCK && ipdom[s] != NO_BLOCK)
            best = best == NO_BLOCK ? s : meet(r, ipdom, s, best);
    }
    return best;
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
    struct reverse r = reverse_edges(f, c);
    uint32_t *ipdom = xmalloc(nodes(&r) * sizeof(*ipdom));
    number_blocks(&r);
    memset(ipdom, 0xff, nodes(&r) * sizeof(*ipdom)); /* NO_BLOCK: not looked at */
    ipdom[r.n] = r.n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = r.norder - 1; k-- > 0;) { /* the exit is the last in order */
            uint32_t b = r.order[k], to = meet_of_successors(f, c, &r, ipdom, b);
            changed |= to != ipdom[b];
            ipdom[b] = to;
        }
    }
    for (uint32_t b = 0; b < r.n; b++) {
        uint32_t to = ipdom[b] != NO_BLOCK && ipdom[b] > r.n ? ipdom[b] - r.n - 1 : ipdom[b];
        if (to != r.n && to != NO_BLOCK && !only_ends(f, c, to))
            c->ipdom[b] = to;
        else
            c->ipdom[b] = NO_BLOCK;
    }
    free(r.head);
    free(r.next);
    free(r.from);
    free(r.order);
    free(r.number);
    free(r.loop);
    free(ipdom);
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
