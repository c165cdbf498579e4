/* managed.c - which pages of managed memory lie on the device, as far as that is known.
 *
 * All begin on the host. What a kernel touches moves, page by page, unless it was prefetched; what
 * the host touches moves back, but only who says so (warplabHostTouch()) is seen.
 *
 * Of a kernel the pages that its sampled blocks touch are known. After it those count as on the
 * device that lie around them, as many as all its blocks touch.
 */
#include "cudart.h"

static const struct mem_alloc *managed_at(uint64_t addr)
{
    const struct mem_alloc *a = mem_find(addr);

    return a && a->moved ? a : NULL;
}

/* Bytes of [from, to) on a page. */
static uint64_t part(const struct mem_alloc *a, uint64_t page, uint64_t from, uint64_t to)
{
    uint64_t low = a->addr + page * MEM_MANAGED_PAGE, high = low + MEM_MANAGED_PAGE;

    low = from > low ? from : low;
    high = to < high ? to : high;
    return high > low ? high - low : 0;
}

uint64_t managed_move(uint64_t addr, uint64_t bytes, int device)
{
    const struct mem_alloc *a = managed_at(addr);
    uint8_t place = (uint8_t)(1 + device);
    uint64_t moved = 0;

    _Static_assert(cudaCpuDeviceId == -1, "the host's pages are marked 0");
    if (!a || !bytes)
        return 0;
    uint64_t end = bytes < a->addr + a->size - addr ? addr + bytes : a->addr + a->size;
    for (uint64_t page = (addr - a->addr) / MEM_MANAGED_PAGE;
         page <= (end - 1 - a->addr) / MEM_MANAGED_PAGE; page++) {
        if (a->moved[page] != place)
            moved += part(a, page, addr, end);
        a->moved[page] = place;
    }
    return moved;
}

uint64_t managed_touched(const struct managed_sectors *m)
{
    const struct mem_alloc *a = managed_at(m->addr);
    uint64_t bytes = 32 * m->sectors, known = m->high - m->low;
    uint64_t more = bytes > known ? (bytes - known + 1) / 2 : 0;

    if (!a)
        return 0;
    uint64_t low = m->low - a->addr > more ? m->low - more : a->addr;
    managed_move(low, m->high + more - low, rt_device);
    return 32 * m->far;
}
