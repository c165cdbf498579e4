/* managed.c - where managed memory is: how much of each allocation lies on the device, as far as
 * that is known.
 *
 * It begins on the host. What a kernel touches moves, page by page, unless it was prefetched; what
 * the host touches moves back, but only who says so (warplabHostTouch()) is seen.
 *
 * Not modelled: which pages of an allocation are where.
 */
#include "cudart.h"
#include <stdlib.h>

static struct managed {
    struct managed *next;
    uint64_t addr, size, on_device; /* bytes */
} * list;

void managed_allocated(const void *p, uint64_t size)
{
    struct managed *m = xmalloc(sizeof(*m));

    pthread_mutex_lock(&rt_lock);
    *m = (struct managed){list, (uint64_t)p, size, 0};
    list = m;
    pthread_mutex_unlock(&rt_lock);
}

void managed_freed(uint64_t addr)
{
    pthread_mutex_lock(&rt_lock);
    for (struct managed **p = &list; *p; p = &(*p)->next) {
        struct managed *m = *p;

        if (m->addr != addr)
            continue;
        *p = m->next;
        free(m);
        break;
    }
    pthread_mutex_unlock(&rt_lock);
}

uint64_t managed_move(uint64_t addr, uint64_t bytes, bool to_device)
{
    uint64_t moved = 0;

    pthread_mutex_lock(&rt_lock);
    for (struct managed *m = list; m; m = m->next) {
        uint64_t most = to_device ? m->size - m->on_device : m->on_device;

        if (addr - m->addr >= m->size)
            continue;
        moved = bytes < most ? bytes : most;
        m->on_device += to_device ? moved : -moved;
    }
    pthread_mutex_unlock(&rt_lock);
    return moved;
}

double managed_fault_ms(uint64_t bytes)
{
    return (double)bytes / (device_profile()->managed_gbps * 1e6);
}
