/* late.c - stores that others see late. See late.h.
 *
 * Memory always holds what was stored last; a table of words keeps what was there before, and a
 * load of another block finds that in its place for as long as it takes.
 */
#include "late.h"
#include "base/alloc.h"
#include "base/mix.h"
#include "emulator/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 14, MOST_WORDS = SLOTS / 2 };
#define MOST_BLOCKS (1ull << 22)
#define WORD        4

struct late_word {
    uint64_t at; /* 0: none */
    uint32_t before;
    uint32_t block, fences; /* whose it is, and how many fences that had executed */
    uint32_t looks;         /* left, until others see it; 0: they do */
    bool shown;
};
struct late {
    uint32_t *fences; /* of each block */
    uint32_t n;
    struct late_word words[SLOTS];
};

void late_free(struct launch *l)
{
    if (l->late)
        free(l->late->fences);
    free(l->late);
    l->late = NULL;
}
static struct late *late_of(struct launch *l)
{
    if (!l->late && l->nblocks <= MOST_BLOCKS) {
        l->late = xcalloc(1, sizeof(*l->late));
        l->late->fences = xcalloc(l->nblocks, sizeof(*l->late->fences));
    }
    return l->late;
}

/* ---- words ---- */
/* Where it is, or would be. */
static struct late_word *slot_of(struct late *t, uint64_t at)
{
    uint64_t i = mix64(at) % SLOTS;
    while (t->words[i].at && t->words[i].at != at)
        i = (i + 1) % SLOTS;
    return &t->words[i];
}
static bool is_late(const struct late *t, const struct late_word *x)
{
    return x->at && x->looks && x->fences == t->fences[x->block];
}
static uint32_t *host_of(uint64_t at)
{
    const struct mem_alloc *a = mem_find(at);
    if (!a || a->addr + a->size - at < WORD)
        return NULL;
    return (uint32_t *)(void *)(a->host + (at - a->addr));
}
/* What is stored at once has as many looks, so that others see all of it or nothing. */
static uint32_t looks_of(const struct warp *w, uint64_t at)
{
    return 1 + (uint32_t)(mix64(w->block->launch->turns ^ at) % LATE_LOOKS);
}
/* The block is about to change the word. */
static void keep_word(struct warp *w, uint64_t at, uint64_t element)
{
    struct late *t = late_of(w->block->launch);
    const uint32_t *host = host_of(at);
    if (!t || !host)
        return;
    if (t->n == MOST_WORDS) { /* all that is late arrives */
        memset(t->words, 0, sizeof(t->words));
        t->n = 0;
    }
    struct late_word *x = slot_of(t, at);
    if (is_late(t, x) && x->block == w->block->index)
        return;
    t->n += !x->at;
    *x = (struct late_word){.at = at,
                            .before = *host,
                            .block = w->block->index,
                            .fences = t->fences[w->block->index],
                            .looks = looks_of(w, element)};
}
static void show_word(struct warp *w, uint64_t at, struct late_look *x)
{
    struct late *t = w->block->launch->late;
    struct late_word *word = slot_of(t, at);
    uint32_t *host = host_of(at);
    if (!host || word->shown || !is_late(t, word) || word->block == w->block->index)
        return;
    word->shown = true;
    x->shown[x->n].word = word;
    x->shown[x->n].host = host;
    x->shown[x->n++].now = *host;
    *host = word->before;
}

/* ---- instructions ---- */
static bool is_load(const struct ptx_insn *p, const struct insn *in)
{
    return (p->op == OP_ld || p->op == OP_ldu) && in->slot != NO_PLACE;
}
static bool is_store(const struct ptx_insn *p, const struct insn *in)
{
    return in->slot != NO_PLACE && !ptx_has(p, M_async) && p->op != OP_ld && ptx_is_strong(p);
}
static bool releases(const struct ptx_insn *p)
{
    bool cluster = ptx_has(p, M_cluster) || p->space == SPACE_SHARED_CLUSTER;
    if (p->op == OP_mbarrier || p->op == OP_barrier)
        return cluster && !ptx_has(p, M_relaxed);
    if (ptx_has(p, M_cta) || ptx_has(p, M_proxy))
        return false;
    return p->op == OP_membar || p->op == OP_fence || ptx_has(p, M_release) ||
           ptx_has(p, M_acq_rel);
}
bool late_watches(const struct ptx_insn *p, const struct insn *in)
{
    return is_load(p, in) || is_store(p, in) || releases(p);
}
bool late_matters(const struct launch *l, const struct ptx_insn *p, const struct insn *in)
{
    return l->late ? late_watches(p, in) : is_store(p, in);
}

void late_begin(struct warp *w, const struct insn *in, const struct ptx_insn *p, uint32_t global,
                const uint64_t at[WARP], struct late_look *x)
{
    struct late *t = w->block->launch->late;
    uint32_t bytes = (uint32_t)in->size * (in->count > 1 ? in->count : 1);
    bool loads = is_load(p, in);
    x->n = 0;
    /* where each block is a cluster of its own, that scope is the block's */
    if (t && releases(p) && (!ptx_has(p, M_cluster) || w->block->cluster))
        t->fences[w->block->index]++;
    if (!loads && !is_store(p, in))
        return;
    for (uint32_t m = loads && !t ? 0 : global; m; m &= m - 1) {
        uint64_t first = at[__builtin_ctz(m)];
        for (uint64_t word = first & ~(uint64_t)(WORD - 1); word < first + bytes; word += WORD)
            if (loads)
                show_word(w, word, x);
            else
                keep_word(w, word, first);
    }
}
void late_end(struct late_look *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        *x->shown[i].host = x->shown[i].now;
        x->shown[i].word->shown = false;
        x->shown[i].word->looks--;
    }
}
