/* count.c - from what workers counted to a launch's counters, and sums by source line.
 *
 * Workers count two things: how often each basic block was entered and by how many lanes,
 * and, per memory access, branch, barrier and predicated instruction, a struct slot. All
 * else follows from the program: instructions are blocks' executions times their length.
 */
#include "count.h"
#include "base/alloc.h"
#include "emulator/base/json.h"
#include "emulator/base/occupancy.h"
#include "emulator/exec/exec.h"
#include "model.h"
#include "traffic.h"
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t sums_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- one instruction's slot into the counters, by what the instruction is ---- */
static void add_shared_load(struct counters *c, const struct slot *s)
{
    uint64_t *lanes[LANE_GROUPS] = {&c->shared_ld_lanes_1,  &c->shared_ld_lanes_2,
                                    &c->shared_ld_lanes_4,  &c->shared_ld_lanes_8,
                                    &c->shared_ld_lanes_16, &c->shared_ld_lanes_32};
    for (int k = 0; k < LANE_GROUPS; k++)
        *lanes[k] += s->by_lanes[k];
    c->shared_ld_requests += s->requests;
    c->shared_ld_wavefronts += s->units;
    c->shared_ld_bank_conflicts += s->extra;
    c->shared_ld_bytes += s->bytes;
    c->shared_ld_strided += s->spacing;
}
static uint64_t bytes_of_lane(const struct insn *in)
{
    uint64_t bytes = (uint64_t)in->size * (in->count > 1 ? in->count : 1);
    return bytes ? bytes : 1;
}
static void add_memory(struct counters *c, const struct ptx_insn *p, const struct insn *in,
                       enum ptx_space space, const struct slot *s)
{
    bool store = p->op == OP_st || (p->op == OP_wmma && ptx_has(p, M_store));
    if (space == SPACE_SHARED || space == SPACE_SHARED_CLUSTER) {
        if (p->op == OP_atom || p->op == OP_red) {
            c->shared_atom_requests += s->requests;
            c->shared_atom_passes += s->extra;
        } else if (store) {
            c->shared_st_requests += s->requests;
            c->shared_st_wavefronts += s->units;
            c->shared_st_bank_conflicts += s->extra;
            c->shared_st_bytes += s->bytes;
        } else {
            add_shared_load(c, s);
        }
    } else if (space == SPACE_LOCAL) {
        if (store) {
            c->local_st_requests += s->requests;
            c->local_st_sectors += s->units;
        } else {
            c->local_ld_requests += s->requests;
            c->local_ld_sectors += s->units;
        }
    } else if (space == SPACE_CONST) {
        c->const_ld_requests += s->requests;
        c->const_ld_sectors += s->units;
        c->const_ld_bytes += s->bytes;
    } else if (p->op == OP_atom || p->op == OP_red) {
        if (p->op == OP_red || in->flags & F_RED)
            c->global_red_requests += s->requests;
        else
            c->global_atom_requests += s->requests;
        c->global_atom_lanes += s->bytes / bytes_of_lane(in);
        c->global_atom_sectors += s->units;
        c->global_sectors += s->units;
        c->global_atom_passes += s->extra;
    } else if (store) {
        c->global_st_requests += s->requests;
        c->global_st_sectors += s->units;
        c->global_sectors += s->units;
        c->global_st_bytes += s->bytes;
        c->global_lane_steps += s->spacing;
    } else if (space == SPACE_GLOBAL) {
        c->global_ld_requests += s->requests;
        c->global_ld_sectors += s->units;
        c->global_sectors += s->units;
        c->global_ld_bytes += s->bytes;
        c->global_ld_lanes += s->bytes / bytes_of_lane(in);
        c->global_lane_steps += s->spacing;
    }
}
/* A generic address may be of any memory: each has a slot. */
static void add_access(struct counters *c, const struct ptx_insn *p, const struct insn *in,
                       enum ptx_space space, const struct slot *s)
{
    static const enum ptx_space spaces[GENERIC_SLOTS] = {
        [IN_GLOBAL] = SPACE_GLOBAL, [IN_SHARED] = SPACE_SHARED, [IN_LOCAL] = SPACE_LOCAL};
    for (int k = 0; space == SPACE_GENERIC && k < GENERIC_SLOTS; k++)
        add_memory(c, p, in, spaces[k], s + k);
    if (space != SPACE_GENERIC)
        add_memory(c, p, in, space, s);
}
/* ldmatrix, stmatrix: Nsight Compute has their requests under names of their own. */
static void add_rows(struct counters *c, const struct ptx_insn *p, const struct slot *s)
{
    bool loads = p->op == OP_ldmatrix;
    *(loads ? &c->ldmatrix_requests : &c->stmatrix_requests) += s->requests;
    *(loads ? &c->shared_ld_wavefronts : &c->shared_st_wavefronts) += s->units;
    *(loads ? &c->shared_ld_bank_conflicts : &c->shared_st_bank_conflicts) += s->extra;
    *(loads ? &c->shared_ld_bytes : &c->shared_st_bytes) += s->bytes;
}
/* cp.async: a load in slot s, a shared store in the one after. 16 bytes are carried as two
 * words (exec/ops/async.c), each a request of its own with every sector of the whole; a store of
 * 16 bytes needs four wavefronts, so conflicts are what is beyond these. */
static void add_copy(struct counters *c, const struct insn *in, const struct slot *s)
{
    uint64_t passes = in->size > 8 ? in->size / 8 : 1;
    uint64_t stores = s[1].requests / passes, wavefronts = s[1].units / passes;
    uint64_t beyond = wavefronts > 4 * stores ? wavefronts - 4 * stores : 0;
    c->global_ld_requests += s[0].requests / passes;
    c->global_ld_sectors += s[0].units / passes;
    c->global_sectors += s[0].units / passes;
    c->global_ld_bytes += s[0].bytes;
    c->global_ld_lanes += (s[0].bytes + in->size - 1) / in->size;
    c->async_bytes += s[0].bytes;
    c->async_flight += s[0].extra;
    c->cp_async_requests += s[0].requests / passes;
    c->shared_st_requests += stores;
    c->shared_st_wavefronts += wavefronts;
    c->shared_st_bank_conflicts += passes > 1 ? beyond : s[1].extra;
    c->shared_st_bytes += s[1].bytes;
}
/* A bulk copy, of bytes or of a tile; its shared side has no requests of lanes. .extra: sectors,
 * for each block that they go to; of slot 1, requests by a warp that had computed. */
static void add_bulk(struct counters *c, const struct ptx_insn *p, const struct slot *s)
{
    bool inside = !ptx_has(p, M_tensor) && !s[0].bytes; /* from shared memory to shared memory */
    if (ptx_has(p, M_reduce) || inside)
        c->async_sends += s[0].requests;
    if (inside) {
        c->tma_st_requests += s[0].requests;
        c->tma_peer_bytes += ptx_has(p, M_reduce) ? 0 : s[1].bytes;
        c->shared_ld_bytes += s[1].bytes;
        c->shared_st_bytes += s[1].bytes;
        return;
    }
    c->global_sectors += s[0].units;
    if (p->space == SPACE_GLOBAL) {
        *(ptx_has(p, M_reduce) ? &c->tma_red_bytes : &c->tma_st_bytes) += 32 * s[0].units;
        c->tma_st_requests += s[0].requests;
        c->global_st_requests += s[0].requests;
        c->global_st_sectors += s[0].units;
        c->global_st_bytes += s[0].bytes;
        c->shared_ld_bytes += s[1].bytes;
    } else {
        c->global_ld_requests += s[0].requests;
        c->global_ld_sectors += s[0].units;
        c->global_ld_bytes += s[0].bytes;
        c->global_ld_lanes += 32 * s[0].requests;
        c->async_bytes += s[0].bytes;
        c->shared_st_bytes += s[1].bytes;
        c->tma_ld_requests += s[0].requests;
        c->tma_ld_busy += s[1].extra;
        c->tma_ld_bytes += 32 * s[0].extra;
    }
}
static void add_texture(struct counters *c, const struct ptx_insn *p, const struct slot *s)
{
    c->global_sectors += s->units;
    if (p->op == OP_tex || p->op == OP_tld4) {
        c->texture_requests += s->requests;
        c->texture_sectors += s->units;
    } else if (p->op == OP_suld) {
        c->surface_ld_requests += s->requests;
        c->surface_ld_sectors += s->units;
    } else {
        c->surface_st_requests += s->requests;
        c->surface_st_sectors += s->units;
    }
}
static void add_insn(struct counters *c, const struct ptx_insn *p, const struct insn *in,
                     const struct slot *s)
{
    switch (p->op) {
    case OP_cp:
        if (ptx_has(p, M_bulk))
            add_bulk(c, p, s);
        else
            add_copy(c, in, s);
        break;
    case OP_ld:
    case OP_ldu:
    case OP_st:
    case OP_atom:
    case OP_red:
        if (ptx_has(p, M_async))
            c->async_sends += s->requests;
        else
            add_access(c, p, in, p->space, s);
        break;
    case OP_ldmatrix:
    case OP_stmatrix:
        add_rows(c, p, in->sub == SPACE_GENERIC ? s + IN_SHARED : s);
        break;
    case OP_wmma:
        add_access(c, p, in, (enum ptx_space)in->sub, s);
        break;
    case OP_tex:
    case OP_tld4:
    case OP_suld:
    case OP_sust:
    case OP_sured:
        add_texture(c, p, s);
        break;
    case OP_bra:
        if (in->guard != NO_PLACE) {
            c->branches += s->requests;
            c->divergent_branches += s->units;
            c->branches_back += s->extra;
        }
        break;
    case OP_bar:
    case OP_barrier:
        if (ptx_has(p, M_warp)) {
            c->warp_syncs += s->requests;
        } else {
            c->barriers += s->requests;
            c->barriers_close += s->extra;
            c->floats_first += s->bytes;
        }
        break;
    case OP_shfl:
        c->shuffles += s->requests;
        c->shuffles_one += s->extra;
        break;
    case OP_call:
        c->calls += s->requests;
        c->branches_back += s->extra;
        break;
    default:
        break;
    }
}
static void add_lanes(struct counters *c, const uint64_t *by_lanes)
{
    c->inst_lanes_1 += by_lanes[0];
    c->inst_lanes_2 += by_lanes[1];
    c->inst_lanes_4 += by_lanes[2];
    c->inst_lanes_8 += by_lanes[3];
    c->inst_lanes_16 += by_lanes[4];
    c->inst_lanes_32 += by_lanes[5];
}
/* Operations of products by warps. */
static void add_products(struct counters *c, const struct insn_cost *k, uint64_t warps)
{
    uint64_t n = warps * k->tensor;
    c->tensor_flop += n;
    c->wgmma_ops += k->wgmma ? n : 0;
    c->wgmma_requests += k->wgmma && n ? warps : 0;
    switch (k->factor) {
    case PTX_F16:
        c->tensor_ops_fp16 += n;
        break;
    case PTX_BF16:
        c->tensor_ops_bf16 += n;
        break;
    case PTX_TF32:
        c->tensor_ops_tf32 += n;
        break;
    case PTX_F64:
        c->tensor_ops_fp64 += n;
        break;
    case PTX_E4M3:
    case PTX_E5M2:
        c->tensor_ops_fp8 += n;
        break;
    case PTX_B1:
        c->tensor_ops_int1 += n;
        break;
    default:
        c->tensor_ops_int8 += n;
    }
}
static void add_block(struct counters *c, const struct emu_func *f, const struct bblock *b,
                      const struct block_count *n, const struct slot *slots)
{
    uint64_t warps = block_warps(n);
    c->inst_executed += warps * b->ninsns;
    c->thread_inst_executed += n->lanes * b->ninsns;
    c->thread_inst_executed_pred_on += n->lanes * b->ninsns;
    for (uint32_t i = b->ptx_first; i < b->ptx_first + b->ninsns; i++) {
        const struct insn_cost *k = &f->costs[i];
        const uint64_t *by_lanes = n->by_lanes;
        uint64_t lanes = n->lanes;
        if (k->guard_slot != NO_PLACE) {
            by_lanes = slots[k->guard_slot].by_lanes;
            lanes = slots[k->guard_slot].units;
            c->thread_inst_executed_pred_on -= n->lanes - (lanes < n->lanes ? lanes : n->lanes);
        }
        add_lanes(c, by_lanes);
        c->flop_fp16 += lanes * k->flop16;
        c->flop_fp32 += lanes * k->flop32;
        c->flop_fp32_coded += k->coded ? lanes * k->flop32 : 0;
        c->flop_fp32_slots += warps * 32 * k->flop32;
        c->flop_fp64 += lanes * k->flop64;
        c->thread_inst_fp64 += k->fp64 ? lanes : 0;
        if (k->tensor)
            add_products(c, k, warps);
        c->sfu_ops += k->sfu ? warps : 0;
        c->div_ops += k->div ? warps : 0;
        c->exchanges += k->exchange ? warps : 0;
        c->branches_back += k->turns ? warps : 0;
        c->clock_reads += k->clock ? warps : 0;
        c->strong_accesses += k->strong ? warps : 0;
        c->fences += k->fence ? warps : 0;
        c->mbarrier_arrivals += k->arrives ? warps : 0;
        c->mbarrier_waits += k->waits ? warps : 0;
    }
}
/* Slots of the instruction: in->slot and those behind it. */
static uint32_t slots_of(const struct ptx_insn *p, const struct insn *in)
{
    bool matrix = p->op == OP_wmma || p->op == OP_ldmatrix || p->op == OP_stmatrix;
    bool access = matrix || p->op == OP_ld || p->op == OP_ldu || p->op == OP_st ||
                  p->op == OP_atom || p->op == OP_red;
    enum ptx_space space = matrix ? (enum ptx_space)in->sub : p->space;
    return access && space == SPACE_GENERIC ? GENERIC_SLOTS : 1;
}
static bool was_executed(const struct emu_func *f, const struct insn *in, const struct slot *slots)
{
    if (in->slot == NO_PLACE || !in->site)
        return false;
    uint32_t n = slots_of(&f->ptx->insns[in->site->index], in);
    for (uint32_t k = 0; k < n; k++)
        if (slots[in->slot + k].requests)
            return true;
    return false;
}
static void add_func(struct counters *c, const struct emu_func *f, const struct block_count *counts,
                     const struct slot *slots)
{
    for (uint32_t b = 0; b < f->nblocks; b++)
        if (block_warps(&counts[f->blocks[b].count]))
            add_block(c, f, &f->blocks[b], &counts[f->blocks[b].count], slots);
    for (uint32_t i = 0; i < f->ninsns; i++) {
        const struct insn *in = &f->insns[i];
        if (was_executed(f, in, slots))
            add_insn(c, &f->ptx->insns[in->site->index], in, &slots[in->slot]);
    }
}

/* What the device's own rules counted, instead of the interpreter's units. */
static void take_rules(struct worker *k, uint32_t nslots)
{
    for (uint32_t i = 0; k->by_rules && i < nslots; i++) {
        const struct rule_count *n = &k->by_rules[i];
        if (n->sectors || n->wavefronts)
            k->slots[i].units = n->sectors + n->wavefronts;
        if (n->wavefronts)
            k->slots[i].extra = n->conflicts;
    }
}
/* Whoever comes into a function comes through its first block. A module may have a hundred
 * functions, of which a launch enters one or two. */
static bool was_entered(const struct emu_func *f, const struct block_count *counts, uint32_t n)
{
    return f->lowered && f->nblocks && f->end_count <= n &&
           block_warps(&counts[f->blocks[0].count]);
}
static void add_func_counts(struct slot *slots, struct block_count *counts, const struct worker *w,
                            const struct emu_func *f)
{
    for (uint32_t i = f->first_slot; i < f->end_slot; i++) {
        slots[i].requests += w->slots[i].requests;
        slots[i].units += w->slots[i].units;
        slots[i].bytes += w->slots[i].bytes;
        slots[i].extra += w->slots[i].extra;
        slots[i].spacing += w->slots[i].spacing;
        for (int k = 0; k < LANE_GROUPS; k++)
            slots[i].by_lanes[k] += w->slots[i].by_lanes[k];
    }
    for (uint32_t i = f->first_count; i < f->end_count; i++) {
        counts[i].lanes += w->counts[i].lanes;
        for (int k = 0; k < LANE_GROUPS; k++)
            counts[i].by_lanes[k] += w->counts[i].by_lanes[k];
    }
}
static void add_counts(struct slot *slots, struct block_count *counts, const struct worker *w,
                       const struct emu_module *m)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (was_entered(m->funcs[i], w->counts, w->launch->ncounts))
            add_func_counts(slots, counts, w, m->funcs[i]);
}
/* Into the first worker. */
static void merge(struct launch *l)
{
    struct worker *a = l->workers[0];
    for (int k = 0; k < l->nworkers; k++)
        take_rules(l->workers[k], l->nslots);
    for (int k = 1; k < l->nworkers; k++) {
        add_counts(a->slots, a->counts, l->workers[k], l->module);
        a->max_warp = l->workers[k]->max_warp > a->max_warp ? l->workers[k]->max_warp : a->max_warp;
        a->busiest += l->workers[k]->busiest;
        a->loaded_squares += l->workers[k]->loaded_squares;
        a->read_span += l->workers[k]->read_span;
    }
}
static void keep_sums(struct emu_module *m, const struct worker *a)
{
    pthread_mutex_lock(&sums_lock);
    if (m->sum_nslots < m->nslots || m->sum_ncounts < m->ncounts) {
        m->sum_slots = xrealloc(m->sum_slots, m->nslots * sizeof(*m->sum_slots));
        m->sum_counts = xrealloc(m->sum_counts, m->ncounts * sizeof(*m->sum_counts));
        memset(m->sum_slots + m->sum_nslots, 0, (m->nslots - m->sum_nslots) * sizeof(struct slot));
        memset(m->sum_counts + m->sum_ncounts, 0,
               (m->ncounts - m->sum_ncounts) * sizeof(struct block_count));
        m->sum_nslots = m->nslots;
        m->sum_ncounts = m->ncounts;
    }
    add_counts(m->sum_slots, m->sum_counts, a, m);
    pthread_mutex_unlock(&sums_lock);
}

static void counted(struct listener *self, struct launch *l)
{
    struct emu_result *r = l->result;
    struct worker *a = l->workers[0];
    (void)self;
    merge(l);
    for (uint32_t i = 0; i < l->module->nfuncs; i++)
        if (was_entered(l->module->funcs[i], a->counts, l->ncounts))
            add_func(&r->counters, l->module->funcs[i], a->counts, a->slots);
    r->counters.inst_executed_max_warp = a->max_warp;
    r->counters.inst_executed_busiest = a->busiest;
    r->counters.global_ld_squares = a->loaded_squares;
    r->counters.shared_ld_span = a->read_span;
    r->counters.shared_block_bytes = l->nblocks * l->user_shared;
    keep_sums(l->module, a);
    struct model_launch m = {.blocks = l->nblocks, .threads_per_block = l->threads};
    m.occupancy =
        occupancy_of(l->profile, l->threads, emu_registers(l->func, l->threads), l->user_shared);
    traffic_result(l->serial, &r->counters, &m);
    model_time(&r->counters, &m, l->profile, r);
}

__attribute__((constructor)) static void listen(void)
{
    static struct listener self = {.name = "count", .counted = counted};
    listener_register(&self);
}

/* ---- by statement ---- */
static bool has_sums(const struct emu_module *m, const struct emu_func *f)
{
    return f->lowered && f->end_count <= m->sum_ncounts && f->end_slot <= m->sum_nslots &&
           was_entered(f, m->sum_counts, m->sum_ncounts);
}
/* What f's statements counted: one for each, those of no statement left out. */
static struct counters *sum_statements(const struct emu_module *m, const struct emu_func *f)
{
    struct counters *c = xcalloc(f->ptx->ninsns + 1, sizeof(*c));
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t i = 0; i < f->blocks[b].ninsns; i++) {
            struct bblock one = f->blocks[b];
            one.ptx_first += i;
            one.ninsns = 1;
            add_block(&c[one.ptx_first], f, &one, &m->sum_counts[one.count], m->sum_slots);
        }
    for (uint32_t i = 0; i < f->ninsns; i++)
        if (was_executed(f, &f->insns[i], m->sum_slots))
            add_insn(&c[f->insns[i].site->index], &f->ptx->insns[f->insns[i].site->index],
                     &f->insns[i], &m->sum_slots[f->insns[i].slot]);
    return c;
}
/* ---- by source line ---- */
struct line_sum {
    const char *file;
    uint32_t line;
    struct counters c;
};
static struct line_sum *line_of(struct line_sum **all, size_t *n, const struct site *s)
{
    const char *file = s->file ? s->file : "";
    for (size_t i = *n; i-- > 0;)
        if ((*all)[i].line == s->line && !strcmp((*all)[i].file, file))
            return &(*all)[i];
    *all = xrealloc(*all, (*n + 1) * sizeof(**all));
    struct line_sum *x = &(*all)[(*n)++];
    memset(x, 0, sizeof(*x));
    x->file = file;
    x->line = s->line;
    return x;
}
static void add_json(json_t *o, const struct counters *c)
{
#define X(id, metric, unit, text)                                                                  \
    if (c->id)                                                                                     \
        json_object_set_new(o, #id, json_integer((json_int_t)c->id));
    COUNTERS(X)
#undef X
}
static void add_counters(struct counters *sum, const struct counters *c)
{
#define X(id, metric, unit, text) sum->id += c->id;
    COUNTERS(X)
#undef X
}
static void sum_lines(const struct emu_module *m, struct line_sum **all, size_t *n)
{
    for (uint32_t k = 0; k < m->nfuncs; k++) {
        const struct emu_func *f = m->funcs[k];
        if (!has_sums(m, f))
            continue;
        struct counters *c = sum_statements(m, f);
        for (uint32_t i = 0; i < f->ptx->ninsns; i++)
            if (c[i].inst_executed)
                add_counters(&line_of(all, n, &f->sites[i])->c, &c[i]);
        free(c);
    }
}
char *count_module_lines_json(const struct emu_module *only)
{
    struct line_sum *all = NULL;
    size_t n = 0;
    pthread_mutex_lock(&sums_lock);
    for (const struct emu_module *m = emu_modules; m; m = m->next)
        if (!only || m == only)
            sum_lines(m, &all, &n);
    pthread_mutex_unlock(&sums_lock);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_pack("{s:o, s:I}", "file", json_words(all[i].file), "line",
                              (json_int_t)all[i].line);
        add_json(o, &all[i].c);
        json_array_append_new(list, o);
    }
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    free(all);
    return text;
}
char *count_lines_json(void)
{
    return count_module_lines_json(NULL);
}

/* ---- by instruction ---- */
static void put_statements(json_t *list, const struct emu_module *m, const struct emu_func *f)
{
    struct counters *c = sum_statements(m, f);
    for (uint32_t i = 0; i < f->ptx->ninsns; i++) {
        const struct site *s = &f->sites[i];
        if (!c[i].inst_executed)
            continue;
        json_t *o = json_pack("{s:o, s:I, s:o, s:I}", "function", json_words(f->info.name), "index",
                              (json_int_t)i, "file", json_words(s->file ? s->file : ""), "line",
                              (json_int_t)s->line);
        add_json(o, &c[i]);
        json_array_append_new(list, o);
    }
    free(c);
}
char *count_instructions_json(void)
{
    json_t *list = json_array();
    pthread_mutex_lock(&sums_lock);
    for (const struct emu_module *m = emu_modules; m; m = m->next)
        for (uint32_t k = 0; k < m->nfuncs; k++) {
            const struct emu_func *f = m->funcs[k];
            if (has_sums(m, f))
                put_statements(list, m, f);
        }
    pthread_mutex_unlock(&sums_lock);
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}
static void reset_func(struct emu_module *m, const struct emu_func *f)
{
    memset(m->sum_slots + f->first_slot, 0, (f->end_slot - f->first_slot) * sizeof(struct slot));
    memset(m->sum_counts + f->first_count, 0,
           (f->end_count - f->first_count) * sizeof(struct block_count));
}
void count_lines_reset(void)
{
    pthread_mutex_lock(&sums_lock);
    for (struct emu_module *m = emu_modules; m; m = m->next) {
        for (uint32_t i = 0; i < m->nfuncs; i++)
            if (has_sums(m, m->funcs[i]))
                reset_func(m, m->funcs[i]);
    }
    pthread_mutex_unlock(&sums_lock);
}
