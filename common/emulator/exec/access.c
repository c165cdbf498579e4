/* access.c - the slow half of memory accesses: finding allocations, telling listeners. */
#include "emulator/check/check.h"
#include "exec.h"
#include "emulator/base/mem.h"
#include "emulator/count/traffic.h"
#include <string.h>

bool access_lookup(struct warp *w, const struct insn *in, int lane, uint64_t addr, uint32_t size,
                   bool write, struct mem_cache *c)
{
    const struct mem_alloc *a = mem_find(addr);
    char where[300];
    if (!a || a->addr + a->size - addr < size) {
        check_describe_address(addr, where, sizeof(where));
        warp_fault(w, in, lane, cudaErrorIllegalAddress,
                   "illegal address: %s of %u bytes at 0x%llx, %s", write ? "write" : "read", size,
                   (unsigned long long)addr, where);
        return false;
    }
    if (write && a->read_only) {
        warp_fault(w, in, lane, cudaErrorIllegalAddress, "write to the constant variable %s",
                   a->label ? a->label : "?");
        return false;
    }
    c->lo = a->addr;
    c->hi = a->addr + a->size;
    c->delta = (intptr_t)a->host - (intptr_t)a->addr;
    return true;
}

void access_event(struct warp *w, const struct insn *in, enum access_kind kind,
                  enum access_space space, uint32_t mask, uint32_t size, const uint64_t *addr,
                  const uint32_t *const *value)
{
    struct launch *l = w->block->launch;
    struct access a = {
        .site = in->site,
        .kind = kind,
        .space = space,
        .is_volatile = in->flags & (F_VOLATILE | F_RELAXED | F_ACQUIRE | F_RELEASE),
        .is_async = in->flags & F_ASYNC,
        .collective = in->flags & F_COLLECTIVE,
        .scope = (uint8_t)(in->flags >> F_SCOPE_SHIFT & 7),
        .size = (uint8_t)size,
        .warp = w->index,
        .mask = mask,
        .addr = addr,
        .value = value,
    };
    if (in->flags & (F_RELAXED | F_ACQUIRE | F_RELEASE) || kind == ACCESS_ATOMIC)
        a.order = (in->flags & F_ACQUIRE ? 2 : 0) | (in->flags & F_RELEASE ? 4 : 0);
    if (a.order == 0 && (in->flags & F_RELAXED || kind == ACCESS_ATOMIC))
        a.order = 1;
    for (int k = 0; k < l->nlisteners; k++)
        if (l->listeners[k]->access)
            l->listeners[k]->access(l->listeners[k], &w->block->info, &a);
    if (w->worker->by_rules)
        rules_count(l->profile, &a, &w->worker->by_rules[in->slot]);
    if (w->block->sampled)
        traffic_listener()->access(traffic_listener(), &w->block->info, &a);
}

void access_matrix(struct warp *w, const struct insn *in, const uint64_t *addr,
                   const uint64_t *pitch, uint32_t fragment)
{
    struct launch *l = w->block->launch;
    struct matrix_move m = {in->site, w->index, w->mask, fragment, addr, pitch};
    for (int k = 0; k < l->nlisteners; k++)
        if (l->listeners[k]->matrix)
            l->listeners[k]->matrix(l->listeners[k], &w->block->info, &m);
}
