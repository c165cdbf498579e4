/* guard.c - shared variables laid apart, so that running past the end of one shows.
 *
 * Interface: guard.h. PTX does not say which variable an address was made from, so that an
 * index past the end of one array finds the next one, or a part of it. In a checked launch
 * the variables lie apart, with at least GAP bytes that belong to nobody between them. Where
 * a variable starts changes by whole rows of banks, and by whole units of its alignment: all
 * counts stay what they are.
 * Not seen: what lands beyond the gap in another variable, and what stays inside one variable,
 * dynamic shared memory being one.
 */
#include "guard.h"
#include "emulator/base/names.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP        1024u
#define BANK_ROW   128u       /* bytes of all banks */
#define MOST_BYTES (1u << 20) /* of a block with gaps; more: without */

/* ---- layout ---- */

static uint32_t align_of(const struct ptx_var *v)
{
    return v->align > BANK_ROW ? v->align : BANK_ROW;
}

/* The first place from `from` on with the same banks and alignment as `plain`. */
static uint64_t like(uint64_t plain, uint64_t from, uint32_t align)
{
    return from <= plain ? plain : plain + ROUND_UP(from - plain, (uint64_t)align);
}

/* Dynamic shared memory is one part, however many variables name it: each is as far from the
 * first as without a map. */
static void add_part(struct shared_map *m, const struct shared_var *s, uint32_t bytes)
{
    struct shared_part *p = m->n ? &m->parts[m->n - 1] : NULL;

    if (!p || !p->var->is_extern) {
        uint64_t from = p ? p->at + p->size + GAP : 0;

        p = &m->parts[m->n++];
        p->var = s->var;
        p->plain = p->at = s->offset;
        p->size = s->var->is_extern ? bytes - s->offset : s->var->size;
        p->at = like(p->plain, from, align_of(s->var));
    }
    p->at = like(p->plain, p->at, align_of(s->var));
    m->extent = (uint32_t)(p->at + p->size);
}

struct shared_map *shared_map_new(const struct emu_func *kernel, uint32_t bytes)
{
    struct shared_map *m = xcalloc(1, sizeof(*m) + kernel->nshared * sizeof(m->parts[0]));
    uint64_t most = bytes + (uint64_t)kernel->nshared * GAP;

    for (uint32_t k = 0; k < kernel->nshared && most <= MOST_BYTES; k++) {
        add_part(m, &kernel->shared[k], bytes);
        most += align_of(kernel->shared[k].var);
    }
    if (m->n && most <= MOST_BYTES)
        return m;
    free(m);
    return NULL;
}

uint64_t shared_map_offset(const struct shared_map *m, const struct ptx_var *v, uint64_t plain)
{
    for (uint32_t k = 0; m && k < m->n; k++)
        if (m->parts[k].var == v || (v->is_extern && m->parts[k].var->is_extern))
            return plain - m->parts[k].plain + m->parts[k].at;
    return plain;
}

/* ---- in words ---- */

/* The part that the place is in, or next to. */
static const struct shared_part *nearest(const struct shared_map *m, uint64_t at)
{
    const struct shared_part *best = NULL;
    uint64_t least = GAP;

    for (uint32_t k = 0; k < m->n; k++) {
        const struct shared_part *p = &m->parts[k];
        uint64_t off = at < p->at ? p->at - at : at < p->at + p->size ? 0 : at - (p->at + p->size);

        if (off < least) {
            least = off;
            best = p;
        }
    }
    return best;
}

uint64_t shared_map_plain(const struct shared_map *m, uint64_t at)
{
    const struct shared_part *p = m ? nearest(m, at) : NULL;

    return p ? at - p->at + p->plain : at;
}

static const char *name_of(const struct shared_part *p)
{
    const char *name = shown_name(p->var->name), *last = name;

    for (const char *c = name; (c = strstr(c, "::")); c += 2)
        last = c + 2;
    return last;
}

bool shared_map_is_bytes(const struct shared_map *m, uint64_t at)
{
    for (uint32_t i = 0; m && i < m->n; i++) {
        const struct shared_part *p = &m->parts[i];

        if (at >= p->at && at - p->at < p->size)
            return p->var && p->var->align <= 1;
    }
    return false;
}

void shared_map_describe(struct text *t, const struct shared_map *m, uint64_t at)
{
    const struct shared_part *p = m ? nearest(m, at) : NULL;

    if (!p)
        text_addf(t, "byte %" PRIu64 " of shared memory", at);
    else if (at < p->at)
        text_addf(t, "%" PRIu64 " bytes before '%s' in shared memory", p->at - at, name_of(p));
    else
        text_addf(t, "byte %" PRIu64 " of '%s' (%" PRIu64 " bytes of shared memory)", at - p->at,
                  name_of(p), p->size);
}

/* ---- accesses ---- */

static bool inside(const struct shared_map *m, uint64_t lo, uint64_t hi, uint32_t size)
{
    for (uint32_t k = 0; k < m->n; k++) {
        const struct shared_part *p = &m->parts[k];

        if (lo >= p->at && hi < p->at + p->size && p->at + p->size - hi >= size)
            return true;
    }
    return false;
}

/* Past the window, as without a map; or, on it, nobody's. The system's own is on pages behind
 * the map. */
static bool outside(const struct launch *l, uint64_t at, uint32_t size)
{
    if (at >= l->shared_bytes || l->shared_bytes - at < size)
        return true;
    return l->shared_map && at < l->shared_map->extent && !inside(l->shared_map, at, at, size);
}

/* CUB's merges read past the end of a tile and do not use it. */
static bool harmless(const struct launch *l, const struct insn *in, uint64_t at, uint32_t size)
{
    return at < l->shared_bytes && l->shared_bytes - at >= size && in->site->load &&
           site_of_a_library(l->func->info.name, in->site);
}

/* What became of an index that went below zero, in 32 bits. */
static void put_offset(struct text *t, uint64_t at)
{
    int64_t below = (int64_t)(at - (1ull << 32));

    text_addf(t, "offset %" PRId64, (int64_t)at);
    if (below < 0 && below >= -(1 << 20))
        text_addf(t, " (2^32 more than %" PRId64 ": is an index negative?)", below);
}

static void fault_outside(struct warp *w, const struct insn *in, int lane, uint64_t at,
                          uint32_t size)
{
    const struct launch *l = w->block->launch;
    struct text place = {0};

    if (l->shared_map && nearest(l->shared_map, at)) {
        shared_map_describe(&place, l->shared_map, at);
    } else {
        put_offset(&place, at);
        text_addf(&place, ", but the block has %u bytes of shared memory",
                  l->shared_map ? l->user_shared : l->shared_bytes);
    }
    warp_fault(w, in, lane, cudaErrorIllegalAddress,
               "shared-memory address out of bounds: %u bytes at %s", size, text_str(&place));
    text_free(&place);
}

bool access_shared(struct warp *w, const struct insn *in, const uint64_t *addr, uint32_t mask,
                   uint64_t lo, uint64_t hi, uint32_t size)
{
    const struct launch *l = w->block->launch;

    if (l->shared_map && inside(l->shared_map, lo, hi, size))
        return true;
    for (; mask; mask &= mask - 1) {
        int i = __builtin_ctz(mask);

        if (!outside(l, addr[i], size) || harmless(l, in, addr[i], size))
            continue;
        fault_outside(w, in, i, addr[i], size);
        return false;
    }
    return true;
}
