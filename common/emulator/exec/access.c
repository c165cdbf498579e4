/* access.c - the slow half of memory accesses: finding allocations, telling listeners. */
#include "exec.h"
#include "emulator/base/describe.h"
#include <string.h>

bool access_lookup(struct warp *w, const struct insn *in, int lane, uint64_t addr, uint32_t size,
                   bool write, struct mem_cache *c)
{
    const struct mem_alloc *a = mem_find(addr);
    if (!a || a->addr + a->size - addr < size) {
        struct text where = {0};
        mem_describe(&where, addr);
        if (a)
            text_addf(&where, ", of which %llu bytes are left",
                      (unsigned long long)(a->addr + a->size - addr));
        warp_fault(w, in, lane, cudaErrorIllegalAddress,
                   "illegal address: %s of %u bytes at 0x%llx, %s", write ? "write" : "read", size,
                   (unsigned long long)addr, text_str(&where));
        text_free(&where);
        return false;
    }
    unsigned device = w->block->launch->module->device;
    if (!mem_reaches(device, a)) {
        struct text where = {0};
        mem_describe(&where, addr);
        warp_fault(w, in, lane, cudaErrorIllegalAddress,
                   "illegal address: %s of %u bytes at 0x%llx, %s; the kernel runs on device %u, "
                   "which has no access to it (%s)",
                   write ? "write" : "read", size, (unsigned long long)addr, text_str(&where),
                   device,
                   a->pooled ? "cudaMemPoolSetAccess" : "cudaDeviceEnablePeerAccess, or a copy");
        text_free(&where);
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

void access_misaligned(struct warp *w, const struct insn *in, int lane, uint64_t addr,
                       uint32_t size, const char *access)
{
    struct text where = {0};

    if (mem_find(addr)) {
        text_add(&where, " (");
        mem_describe(&where, addr);
        text_add(&where, ")");
    }
    warp_fault(w, in, lane, cudaErrorMisalignedAddress,
               "misaligned address: %u-byte %s at 0x%llx%s, which is no multiple of %u", size,
               access, (unsigned long long)addr, text_str(&where), size);
    text_free(&where);
}

void tensor_map_event(struct warp *w, const struct insn *in, uint64_t at, bool fence)
{
    struct block *b = w->block;
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->tensor_map)
            b->listeners[k]->tensor_map(b->listeners[k], &b->info, in->site, w->index, at, fence);
}

void access_event(struct warp *w, const struct insn *in, enum access_kind kind,
                  enum access_space space, uint32_t mask, uint32_t size, const uint64_t *addr,
                  const uint32_t *const *value)
{
    struct block *b = w->block;
    struct access a = {
        .site = in->site,
        .kind = kind,
        .space = space,
        .is_volatile = in->flags & (F_VOLATILE | F_RELAXED | F_ACQUIRE | F_RELEASE),
        .is_async = in->flags & F_ASYNC,
        .collective = in->flags & F_COLLECTIVE,
        .scope = scope_of(w, in),
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
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->access)
            b->listeners[k]->access(b->listeners[k], &b->info, &a);
    if (w->worker->by_rules)
        rules_count(b->launch->profile, &a, &w->worker->by_rules[in->slot]);
}

void access_matrix(struct warp *w, const struct insn *in, const uint64_t *addr,
                   const uint64_t *pitch, uint32_t fragment)
{
    struct block *b = w->block;
    struct matrix_move m = {in->site, w->index, w->mask, fragment, addr, pitch};
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->matrix)
            b->listeners[k]->matrix(b->listeners[k], &b->info, &m);
}
