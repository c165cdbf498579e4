/* maps.c - tensor maps that kernels write, and the proxy by which tensor copies read them.
 *
 * Interface: private.h. A copy sees what was written to a map in global memory behind the writer's
 * fence.proxy.tensormap::generic.release (tensormap.cp_fenceproxy has one) and behind the
 * .acquire of that map by the block that copies (PTX ISA, fence). Which writes of this launch an
 * acquire came after is known by the cells that it found: other ones were written since.
 * Granted: any warp's acquire is the whole block's; a release by a block other than the copy's; a
 * narrower scope than who writes and who copies are apart.
 */
#include "private.h"
#include <string.h>

#define WORDS 32 /* of a map */

struct acquired {
    uint64_t at;
    uint64_t cells[WORDS]; /* last writes then */
};

void maps_begin(struct block_state *b)
{
    b->nacquired = 0;
    memset(b->released, 0, sizeof(b->released));
}

/* The last writes of its words by this launch; 0: there was none. */
static void last_writes(struct block_state *b, uint64_t at, uint64_t cells[WORDS])
{
    for (uint32_t k = 0; k < WORDS; k++) {
        uint64_t addr = at + 4 * k;
        struct shadow_page *p = global_page(b, addr);

        cells[k] = 0;
        if (!p)
            continue;
        page_lock(p);
        if (p->cells && p->tag == b->launch->tag)
            cells[k] = p->cells[(addr & (PAGE_BYTES - 1)) >> p->shift].write;
        page_unlock(p);
    }
}

static struct acquired *acquired_at(struct block_state *b, uint64_t at)
{
    for (uint32_t i = 0; i < b->nacquired; i++)
        if (b->acquired[i].at == at)
            return &b->acquired[i];
    return NULL;
}
static void acquire(struct block_state *b, uint64_t at)
{
    struct acquired *m = acquired_at(b, at);

    if (!m) {
        b->acquired = xrealloc(b->acquired, (b->nacquired + 1) * sizeof(*m));
        m = &b->acquired[b->nacquired++];
        m->at = at;
    }
    last_writes(b, at, m->cells);
}

static bool is_released(const struct block_state *b, uint64_t cell, const struct site *writer)
{
    return cell_block(cell) != b->block ||
           !strncmp(writer->opcode, "tensormap.cp_fenceproxy", 23) ||
           cell_clock(cell) <= b->released[cell_warp(cell)];
}

void maps_read(struct block_state *b, const struct site *s, uint32_t warp, uint64_t at, bool fence)
{
    uint64_t cells[WORDS];
    const struct acquired *m = acquired_at(b, at);

    if (fence) {
        acquire(b, at);
        return;
    }
    last_writes(b, at, cells);
    for (uint32_t k = 0; k < WORDS; k++) {
        bool known = cells[k] && cell_site(cells[k]) < SITE_UNKNOWN;
        const struct site *writer = known ? b->launch->sites[cell_site(cells[k])] : NULL;
        bool acquires = m && m->cells[k] == cells[k];

        if (!known || (acquires && is_released(b, cells[k], writer)))
            continue;
        report_map(b, warp, s, writer, acquires);
        return;
    }
}

void maps_fence(struct block_state *b, const struct site *s, uint32_t warp)
{
    if (!strncmp(s->opcode, "fence.proxy.tensormap", 21) && strstr(s->opcode, ".release"))
        order_proxy(b, warp, b->released);
}
