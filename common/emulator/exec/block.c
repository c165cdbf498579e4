/* block.c - a block of a launch: its constants, its start, the turns of its warps, its end.
 *
 * A block runs on one host thread (launch.c, cluster.c) until it ends or cannot go on alone.
 */
#include "cluster.h"
#include "outcomes.h"
#include "follow.h"
#include "guard.h"
#include "mbarrier.h"
#include "base/mix.h"
#include "emulator/base/names.h"
#include "emulator/base/options.h"
#include "emulator/base/profile.h"
#include "emulator/code/lower.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Turns a block's warps have before its worker opens another block, if no thread ends in them:
 * they may wait for it. A block whose threads pass a lock on does better alone. A turn in which
 * all that could run went round and round counts as STILL_TURN. */
#define IMPATIENCE 64
#define STILL_TURN 8

/* ---- constant areas ---- */
static void fill(uint8_t *at, uint32_t width, uint64_t v)
{
    if (width == 1) { /* predicate */
        *(uint32_t *)at = v ? FULL : 0;
        return;
    }
    for (int i = 0; i < WARP; i++) {
        if (width == 2)
            ((uint16_t *)at)[i] = (uint16_t)v;
        else if (width == 4)
            ((uint32_t *)at)[i] = (uint32_t)v;
        else
            ((uint64_t *)at)[i] = v;
    }
}
static uint64_t param_value(const struct launch *l, const struct launch_const *c)
{
    uint64_t v = 0;
    if (c->value + c->size > l->param_bytes)
        return 0;
    memcpy(&v, l->params + c->value, c->size);
    if (c->sign && c->size < 8 && v >> (8 * c->size - 1) & 1)
        v |= ~0ull << 8 * c->size;
    return v;
}
static uint64_t sreg_value(const struct launch *l, uint64_t what)
{
    uint32_t comp = what & 0xff;
    switch (what >> 8) {
    case SREG_NTID:
        return l->block[comp];
    case SREG_NCTAID:
        return l->grid[comp];
    case SREG_NWARPID:
        return l->profile->max_threads_per_sm / WARP;
    case SREG_NSMID:
        return l->profile->sms;
    case SREG_GRIDID:
        return l->number;
    case SREG_DYNAMIC_SMEM_SIZE:
        return l->dynamic_shared;
    case SREG_TOTAL_SMEM_SIZE:
        return l->user_shared;
    case SREG_AGGR_SMEM_SIZE:
        return l->shared_bytes - l->shared_extent + l->user_shared;
    case SREG_RESERVED_SMEM_OFFSET: /* begin, end, cap, _0, _1 */
        return comp == 1   ? l->shared_bytes
               : comp == 2 ? RESERVED_BYTES
               : comp == 4 ? l->shared_bytes - RESERVED_BYTES / 2
                           : l->shared_bytes - RESERVED_BYTES;
    case SREG_CLUSTER_NCTAID:
        return l->cluster[comp];
    case SREG_CLUSTER_NCTARANK:
        return cluster_size(l->cluster);
    case SREG_NCLUSTERID:
        return l->grid[comp] / l->cluster[comp];
    case SREG_IS_EXPLICIT_CLUSTER:
        return l->clustered ? UINT32_MAX : 0; /* a predicate: of all lanes */
    default:
        return 0;
    }
}
static uint64_t shared_value(const struct launch *l, const struct ptx_var *v)
{
    return shared_map_offset(l->shared_map, v, shared_offset(l->func, v));
}
uint8_t *launch_constants(struct launch *l, struct emu_func *f)
{
    _Atomic(uint8_t *) *at = &l->constants[f->index];
    uint8_t *a = *at;
    if (__builtin_expect(a != NULL, 1))
        return a;
    a = aligned_alloc(64, ROUND_UP(f->const_bytes + 64, 64));
    if (!a)
        panic("out of memory");
    for (uint32_t k = 0; k < f->nconsts; k++) {
        const struct launch_const *c = &f->consts[k];
        uint64_t v = c->kind == CONST_IMM     ? c->value
                     : c->kind == CONST_PARAM ? param_value(l, c)
                     : c->kind == CONST_SHARED
                         ? shared_value(l, (const struct ptx_var *)(uintptr_t)c->value) + c->addend
                         : sreg_value(l, c->value);
        fill(a + c->place, c->width, v);
    }
    uint8_t *none = NULL;
    if (!atomic_compare_exchange_strong(at, &none, a)) {
        free(a);
        a = none;
    }
    return a;
}

void launch_warp_constants(struct launch *l)
{
    for (uint32_t k = 0; k < l->nwarps; k++) {
        uint8_t *at = l->warp_constants + k * WARP_CONST_BYTES;
        uint32_t *row[10];
        for (int r = 0; r < 10; r++)
            row[r] = (uint32_t *)(at + r * 128);
        for (uint32_t i = 0; i < WARP; i++) {
            uint32_t t = k * WARP + i, below = (1u << i) - 1;
            row[0][i] = t % l->block[0];
            row[1][i] = t / l->block[0] % l->block[1];
            row[2][i] = t / (l->block[0] * l->block[1]);
            row[3][i] = i;
            row[4][i] = k;
            row[5][i] = 1u << i;
            row[6][i] = below | 1u << i;
            row[7][i] = below;
            row[8][i] = ~below;
            row[9][i] = ~(below | 1u << i);
        }
    }
}

/* ---- blocks ---- */
struct block *block_new(struct worker *k)
{
    struct launch *l = k->launch;
    struct block *b = xcalloc(1, sizeof(*b));
    uint32_t frame = ROUND_UP(l->func->frame_bytes, 64) + 192; /* frames apart by no power of two */
    b->worker = k;
    b->launch = l;
    b->nwarps = l->nwarps;
    b->warps = aligned_alloc(64, ROUND_UP(sizeof(struct warp) * l->nwarps, 64));
    uint8_t *regs = aligned_alloc(64, (size_t)frame * l->nwarps + 64);
    b->shared = aligned_alloc(128, ROUND_UP((size_t)l->shared_bytes + 256, 128));
    b->constants = aligned_alloc(64, BLOCK_CONST_BYTES);
    if (!b->warps || !regs || !b->shared || !b->constants)
        panic("out of memory for a block");
    memset(b->warps, 0, sizeof(struct warp) * l->nwarps);
    memset(regs, 0, (size_t)frame * l->nwarps);
    uint32_t local = l->func->depth_local; /* a GPU's driver makes room for what is known */
    uint32_t limit = launch_stack_limit[l->module->device];
    if (l->func->recursive && local < limit)
        local = (uint32_t)ROUND_UP(limit, 16u);
    for (uint32_t i = 0; i < l->nwarps; i++) {
        struct warp *w = &b->warps[i];
        w->entry.regs = regs + (size_t)frame * i;
        w->entry.func = l->func;
        w->entry.bytes = l->func->local_bytes;
        w->block = b;
        w->worker = k;
        w->index = i;
        w->local_size = local;
        if (local) {
            w->local = mmap(NULL, (size_t)local * WARP, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (w->local == MAP_FAILED)
                panic("out of address space for local memory");
        }
    }
    return b;
}
void block_free(struct block *b)
{
    for (uint32_t i = 0; i < b->nwarps; i++) {
        struct warp *w = &b->warps[i];
        warp_free(w);
        if (w->local)
            munmap(w->local, (size_t)w->local_size * WARP);
    }
    free(b->warps[0].entry.regs);
    free(b->warps);
    free(b->shared);
    free(b->writers);
    free(b->flights);
    free(b->mbarriers);
    free(b->constants);
    free(b);
}

static void warp_start(struct warp *w, struct launch *l, struct block *b)
{
    uint32_t first = w->index * WARP, n = l->threads - first;
    w->live = n >= WARP ? FULL : (1u << n) - 1;
    w->state = WARP_READY;
    w->nready = 0;
    w->depth = 0;
    w->carry = 0;
    w->products = 0;
    w->at_group = false;
    w->registers = l->entry_registers;
    w->executed = w->floats = w->dear = w->at_barrier = w->lead = w->loaded = 0;
    w->met = false;
    w->handed = NOT_HANDED;
    w->given = b->slice;
    w->spins = w->spun = w->apart = w->still = w->idle = w->stuck = w->waited = false;
    w->unused = 0;
    w->local_top = w->entry.bytes;
    for (uint32_t rest = w->begun; rest; rest &= rest - 1)
        w->paths[__builtin_ctz(rest)].mask = 0;
    w->begun = 1;
    struct path *p = &w->paths[0];
    memset(p, 0, sizeof(*p));
    p->mask = w->live;
    p->frame = &w->entry;
    p->enter = 0;
    w->cur = p;
    w->mask = p->mask;
    w->recon_block = NO_BLOCK;
    w->base[SEL_REG] = w->entry.regs;
    w->base[SEL_LAUNCH] = launch_constants(l, l->func);
    w->base[SEL_WARP] = l->warp_constants + w->index * WARP_CONST_BYTES;
    w->base[SEL_BLOCK] = b->constants;
    memset(w->entry.regs, launch_unset(l), l->func->frame_bytes);
    if (w->errors)
        memset(w->errors, 0, WARP * sizeof(*w->errors));
}

static void fill_cluster(struct block *b)
{
    const uint32_t *n = b->launch->cluster;
    for (int k = 0; k < 3; k++) {
        fill(b->constants + BC_CLUSTERID_X + 128 * k, 4, b->ctaid[k] / n[k]);
        fill(b->constants + BC_CLUSTER_CTAID_X + 128 * k, 4, b->ctaid[k] % n[k]);
    }
    fill(b->constants + BC_CLUSTER_RANK, 4, b->rank);
}
static void choose_listeners(struct block *b)
{
    const struct launch *l = b->launch;
    b->nlisteners = 0;
    b->tell_paths = false;
    for (int k = 0; k < l->nlisteners; k++) {
        struct listener *x = l->listeners[k];
        if (!x->block_begin || (x->wants_block && !x->wants_block(x, &b->info)))
            continue;
        b->listeners[b->nlisteners++] = x;
        b->tell_paths |= x->path != NULL;
        x->block_begin(x, &b->info);
    }
    b->tell = b->nlisteners || b->worker->by_rules;
}
/* How warps take turns whose order is drawn. Of every second block, and of all that take turns with
 * others, these are short: who is the first to come is then not the first to be done. Of some of
 * these the order is the usual one at first, so that what looks at it finds nothing else. */
static void draw_turns(struct block *b)
{
    enum { SHORT = 1, USUAL = 2, LOOKS = 4, ROUNDS = 5, STAYS = 8 };
    const struct launch *l = b->launch;
    uint64_t drawn = b->turns = mix64(l->turns + b->index);
    b->slice = l->slice;
    b->stays = launch_parted(l) ? (1u << (drawn >> 16) % STAYS) - 1 : 0;
    b->passes = 0;
    b->usual = 0;
    b->looks = false;
    if (!launch_reordered(l) || (!(drawn & SHORT) && l->together == 1))
        return;
    b->slice = SHORT_SLICE;
    b->usual = drawn & USUAL ? 1u << (drawn >> 8) % ROUNDS : 0;
    b->looks = l->together > 1 || drawn & LOOKS;
}
void block_start(struct block *b, uint64_t index)
{
    struct launch *l = b->launch;
    b->index = (uint32_t)index;
    b->began = b->worker->ran;
    b->ctaid[0] = (uint32_t)(index % l->grid[0]);
    b->ctaid[1] = (uint32_t)(index / l->grid[0] % l->grid[1]);
    b->ctaid[2] = (uint32_t)(index / ((uint64_t)l->grid[0] * l->grid[1]));
    for (int k = 0; k < 3; k++)
        fill(b->constants + BC_CTAID_X + 128 * k, 4, b->ctaid[k]);
    fill(b->constants + BC_SMID, 4, b->index / l->neighbours % l->profile->sms);
    if (l->func->cluster_site)
        fill_cluster(b);
    b->live_threads = b->lived = l->threads;
    b->stuck = false;
    b->spare = 0;
    if (b->mbarriers)
        b->mbarriers->n = 0;
    b->yields = 0;
    draw_turns(b);
    memset(b->barriers, 0, sizeof(b->barriers));
    b->read_lo = UINT64_MAX;
    b->read_hi = 0;
    memset(b->shared, UNSET, l->shared_extent);
    memset(b->shared + l->shared_extent, 0, l->shared_bytes - l->shared_extent);
    for (uint32_t i = 0; i < b->nwarps; i++)
        warp_start(&b->warps[i], l, b);
    follow_start(b);
    b->info = (struct block_info){.func = l->func,
                                  .kernel = l->func->info.name,
                                  .device = l->module->device,
                                  .launch = l->serial,
                                  .origin = l->origin,
                                  .index = b->index,
                                  .of = b,
                                  .cluster = b->cluster ? b->cluster->blocks[0]->index : b->index,
                                  .chosen = l->nfew > 0,
                                  .cluster_blocks = (uint32_t)cluster_size(l->cluster),
                                  .threads = l->threads,
                                  .warps = l->nwarps,
                                  .shared_bytes = l->user_shared,
                                  .shared_extent = l->shared_extent,
                                  .map = l->shared_map,
                                  .shared = b->shared};
    for (int k = 0; k < 3; k++) {
        b->info.ctaid[k] = b->ctaid[k];
        b->info.ntid[k] = l->block[k];
        b->info.nctaid[k] = l->grid[k];
    }
    choose_listeners(b);
}

/* Where a warp is between two turns: before a block, at what it waits for, or at its end. */
static struct insn where_now(const struct warp *w)
{
    const struct path *p = w->cur;

    for (int i = 0; !p && i < WARP; i++)
        p = w->paths[i].mask ? &w->paths[i] : NULL;
    if (!p || w->state == WARP_DONE)
        return (struct insn){0};
    if (p->enter == NO_BLOCK)
        return p->pc ? *p->pc : (struct insn){0};
    const struct emu_func *f = p->frame->func;
    return (struct insn){.site = &f->sites[f->blocks[p->enter].ptx_first]};
}

/* "file.cu:12: kernel k" */
static char *whereabouts(const struct warp *w)
{
    struct insn in = where_now(w);
    char *where = site_text(in.site);
    struct text t = {0};
    text_addf(&t, "%s%skernel %s", where, in.site ? ": " : "",
              shown_name(w->block->launch->func->info.name));
    free(where);
    return text_take(&t);
}
static void add_steps(struct worker *k, struct warp *w)
{
    struct launch *l = k->launch;
    uint64_t steps = (uint64_t)(w->given - w->unused - (w->slice < 0 ? -1 : w->slice));
    k->steps += steps + w->dear;
    k->ran += steps;
    w->dear = 0;
    w->unused = 0;
    if (l->steps_limit == 0 || k->steps < (uint64_t)l->slice)
        return;
    uint64_t used = atomic_fetch_add(&l->steps_used, k->steps) + k->steps;
    k->steps = 0;
    if (used <= l->steps_limit)
        return;
    if (!launch_fail(l, cudaErrorLaunchTimeout))
        return;
    /* No finding of the checker's: a limit was met, nothing was proved. */
    char *where = whereabouts(w);
    emu_fail(cudaErrorLaunchTimeout,
             "%s: more than %llu steps (warp instructions, a slow one as several), and here it is "
             "now; does a loop not end, or do many threads do the same work? (WARPLAB_STEPS is the "
             "limit)",
             where, (unsigned long long)l->steps_limit);
    free(where);
}

void emu_give_up(struct launch *l, const char *words)
{
    const struct block *b = NULL;
    for (int i = 0; !b && i < l->nworkers; i++)
        b = l->workers[i]->ring.first;
    for (uint32_t i = 0; b && i < b->nwarps; i++) {
        if (b->warps[i].state != WARP_READY)
            continue;
        char *where = whereabouts(&b->warps[i]);
        if (launch_fail(l, cudaErrorLaunchTimeout) && words)
            emu_fail(cudaErrorLaunchTimeout, "%s%s", where, words);
        free(where);
        return;
    }
}

/* Short while it goes round and round, and from then on twice as long each time: it may soon
 * do so again. */
static int32_t next_slice(const struct block *b, const struct warp *w)
{
    if (w->still)
        return STILL_SLICE;
    if (launch_reordered(b->launch) && b->slice == SHORT_SLICE) /* of any length up to that */
        return SHORT_SLICE >> mix64(b->turns ^ w->executed << 8 ^ w->index) % SHORT_LENGTHS;
    return w->given < b->slice / 2 ? 2 * w->given : b->slice;
}
/* Gives each warp that can run a turn, until the block ends or nothing but yielding happens. */
enum run block_run(struct block *b)
{
    struct launch *l = b->launch;
    struct worker *k = b->worker;
    void (*run)(struct warp *) = exec_level()->run_warp;
    bool first = true; /* round of the turn */
    if (block_stops(b))
        return RUN_DONE;
    for (;;) {
        uint32_t done = 0, ready = 0, still = 0, stuck = 0, idle = 0;
        bool usual = b->usual > 0;
        b->usual -= usual;
        if (launch_reordered(l) && !usual)
            b->turns = turns_draw(b->turns, b->nwarps);
        for (uint32_t i = 0; i < b->nwarps; i++) {
            struct warp *w = &b->warps[usual ? i : launch_turn(l, b->turns, i, b->nwarps)];
            if (w->state == WARP_READY) {
                w->slice = w->given = next_slice(b, w);
                run(w);
                b->moved = true;
                add_steps(k, w);
                if (block_stops(b) || outcomes_enough(b))
                    return RUN_DONE;
            }
        }
        for (uint32_t i = 0; i < b->nwarps; i++) { /* who came last may have let others go on */
            const struct warp *w = &b->warps[i];
            done += w->state == WARP_DONE;
            ready += w->state == WARP_READY;
            still += w->state == WARP_READY && w->still;
            stuck += w->state == WARP_READY && w->stuck;
            idle += w->state == WARP_READY && w->idle;
        }
        b->idle = idle && idle == ready;
        /* Alone, a second round of it shows that the first one's arrivals have been seen; in a
         * cluster the whole turn was of no use. */
        bool now = stuck && stuck == ready && !l->func->hears,
             before = b->stuck && !(first && b->cluster);
        b->stuck = now && (!b->cluster || first || before);
        first = false;
        if (b->stuck && before && !b->cluster) {
            block_deadlock(b);
            return RUN_DONE;
        }
        if (done == b->nwarps)
            return RUN_DONE;
        if (ready == 0) {
            block_release_barriers(b);
            group_release(b);
            if (b->cluster)
                cluster_release(b->cluster);
            for (uint32_t i = 0; i < b->nwarps; i++)
                ready += b->warps[i].state == WARP_READY;
            if (ready == 0 && b->cluster) /* another block may help */
                return RUN_YIELD;
            if (ready == 0) { /* lanes a .sync waits for may have ended meanwhile */
                block_deadlock(b);
                return RUN_DONE;
            }
            continue;
        }
        if (b->live_threads < b->lived) { /* it gets on by itself */
            b->lived = b->live_threads;
            b->yields = 0;
        }
        uint32_t shorter = (uint32_t)(l->slice / b->slice);
        b->yields += still == ready ? STILL_TURN * shorter : 1;
        if (b->yields >= IMPATIENCE * shorter || l->cooperative) {
            b->yields = 0;
            return RUN_YIELD;
        }
        if ((still == ready && (b->cluster || k->nopen > 1)) || l->together > 1)
            return RUN_TURN;
    }
}

void block_finish(struct block *b)
{
    struct worker *own = b->worker;
    uint64_t busiest = 0;
    for (uint32_t i = 0; i < b->nwarps; i++) {
        const struct warp *w = &b->warps[i];
        busiest = w->executed > busiest ? w->executed : busiest;
        own->loaded_squares += w->loaded * w->loaded;
    }
    own->max_warp = busiest > own->max_warp ? busiest : own->max_warp;
    own->busiest += busiest;
    own->read_span += b->read_hi > b->read_lo ? b->read_hi - b->read_lo : 0;
    for (int k = 0; !block_stops(b) && k < b->nlisteners; k++)
        if (b->listeners[k]->block_end)
            b->listeners[k]->block_end(b->listeners[k], &b->info);
}
