/* shadow.c - shadow memory of allocations and of shared memory.
 *
 * Interface: private.h; check_host_write and check_host_copy of check.h.
 * An allocation's shadow is one struct shadow_page for every 4 KiB, untouched until
 * needed; a page that is wholly written or wholly unwritten costs nothing more.
 */
#include "private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic bool enabled;
static _Atomic uint64_t first_serial; /* allocations before it count as written */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of making and freeing shadows */
static struct shadow *shadows;

static void last_serial(const struct mem_alloc *a, void *arg)
{
    uint64_t *last = arg;

    if (a->serial > *last)
        *last = a->serial;
}

void check_enable(void)
{
    pthread_mutex_lock(&lock);
    if (!atomic_load(&enabled)) {
        uint64_t last = 0;

        mem_each(last_serial, &last);
        atomic_store(&first_serial, last + 1);
        atomic_store(&enabled, true);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- making and freeing ---- */

static bool starts_unwritten(const struct mem_alloc *a)
{
    return (a->kind == MEM_DEVICE || a->kind == MEM_HEAP) &&
           a->serial >= atomic_load(&first_serial);
}

static struct shadow *shadow_make(const struct mem_alloc *a)
{
    uint64_t base = a->addr & ~(uint64_t)(PAGE_BYTES - 1);
    uint64_t npages = (a->addr + a->size - base + PAGE_BYTES - 1) >> PAGE_BITS;
    struct shadow *s = xcalloc(1, sizeof(*s) + npages * sizeof(s->pages[0]));

    s->addr = a->addr;
    s->base = base;
    s->npages = npages;
    s->serial = a->serial;
    if (!starts_unwritten(a))
        for (uint64_t i = 0; i < npages; i++)
            s->pages[i].init = INIT_ALL;
    s->next = shadows;
    shadows = s;
    return s;
}

struct shadow *shadow_of(const struct mem_alloc *a)
{
    uint8_t **slot = &((struct mem_alloc *)a)->shadow;
    uint8_t *s = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

    if (s)
        return (struct shadow *)s;
    pthread_mutex_lock(&lock);
    s = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!s) {
        s = (uint8_t *)shadow_make(a);
        __atomic_store_n(slot, s, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return (struct shadow *)s;
}

static void page_free(struct shadow_page *p)
{
    free(p->cells);
    free(p->older);
    free(p->bits);
}

static void shadow_free(struct shadow *s)
{
    for (uint64_t i = 0; i < s->npages; i++)
        page_free(&s->pages[i]);
    free(s);
}

/* Memory may be freed behind our back (a kernel's free(), a device reset), so a shadow
 * is kept only while an allocation with its serial lives at its address. */
static bool shadow_alive(const struct shadow *s)
{
    const struct mem_alloc *a = mem_find(s->addr);

    return a && a->serial == s->serial && a->shadow == (const uint8_t *)s;
}

void shadow_sweep(void)
{
    static uint64_t swept = UINT64_MAX;

    pthread_mutex_lock(&lock);
    if (swept != atomic_load(&mem_generation)) {
        swept = atomic_load(&mem_generation);
        for (struct shadow **p = &shadows; *p;) {
            struct shadow *s = *p;

            if (shadow_alive(s)) {
                p = &s->next;
                continue;
            }
            *p = s->next;
            shadow_free(s);
        }
    }
    pthread_mutex_unlock(&lock);
}

void check_free(uint64_t addr)
{
    struct mem_alloc *a = atomic_load(&enabled) ? (struct mem_alloc *)mem_find(addr) : NULL;

    if (!a || a->addr != addr || !a->shadow)
        return;
    pthread_mutex_lock(&lock);
    for (struct shadow **p = &shadows; *p; p = &(*p)->next)
        if (*p == (struct shadow *)a->shadow) {
            struct shadow *s = *p;

            *p = s->next;
            a->shadow = NULL;
            shadow_free(s);
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* ---- pages: which bytes were written ---- */

static void bits_set(uint8_t *bits, uint32_t from, uint32_t to)
{
    if (to - from == 4 && !(from & 3)) {
        bits[from >> 3] |= (uint8_t)(15 << (from & 7));
        return;
    }
    for (; from < to && (from & 7); from++)
        bits[from >> 3] |= (uint8_t)(1 << (from & 7));
    if (from + 8 <= to) {
        memset(bits + (from >> 3), 0xff, (to - from) >> 3);
        from += (to - from) & ~7u;
    }
    for (; from < to; from++)
        bits[from >> 3] |= (uint8_t)(1 << (from & 7));
}

void page_set_written(struct shadow_page *p, uint32_t from, uint32_t to)
{
    if (p->init == INIT_ALL)
        return;
    if (from == 0 && to == PAGE_BYTES) {
        p->init = INIT_ALL;
        return;
    }
    if (!p->bits)
        p->bits = xcalloc(1, PAGE_BYTES / 8);
    if (p->init == INIT_NONE)
        memset(p->bits, 0, PAGE_BYTES / 8);
    p->init = INIT_SOME;
    bits_set(p->bits, from, to);
}

bool page_any_written(const struct shadow_page *p, uint32_t from, uint32_t to)
{
    if (p->init != INIT_SOME)
        return p->init == INIT_ALL;
    for (uint32_t i = from; i < to; i++)
        if (p->bits[i >> 3] >> (i & 7) & 1)
            return true;
    return false;
}

bool page_all_written(const struct shadow_page *p, uint32_t from, uint32_t to)
{
    uint32_t i = from;

    if (p->init != INIT_SOME)
        return p->init == INIT_ALL;
    if (to - from == 4 && !(from & 3))
        return (p->bits[from >> 3] >> (from & 7) & 15) == 15;
    while (i < to)
        if (!(i & 63) && i + 64 <= to && *(const uint64_t *)(p->bits + (i >> 3)) == ~0ull)
            i += 64;
        else if (!(i & 7) && i + 8 <= to && p->bits[i >> 3] == 0xff)
            i += 8;
        else if (p->bits[i >> 3] >> (i & 7) & 1)
            i++;
        else
            return false;
    return true;
}

void page_clear(struct shadow_page *p)
{
    p->init = INIT_NONE;
}

/* ---- pages: cells ---- */

static size_t cells_bytes(uint32_t shift)
{
    return (PAGE_BYTES >> shift) * sizeof(struct cells);
}

/* A narrower access than any before: every cell becomes several with the same content. */
static void page_split(struct shadow_page *p, uint32_t shift)
{
    uint32_t n = PAGE_BYTES >> p->shift, times = 1u << (p->shift - shift);
    struct cells *wide = p->cells, *cells = xcalloc(1, cells_bytes(shift));

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < times; k++)
            cells[i * times + k] = wide[i];
    free(wide);
    p->cells = cells;
    p->shift = (uint8_t)shift;
    if (p->older)
        family_split(p, n, times);
}

void page_prepare_cells(struct shadow_page *p, uint32_t tag, uint32_t shift)
{
    if (p->cells && p->tag == tag && p->shift <= shift)
        return;
    if (!p->cells) {
        p->cells = xcalloc(1, cells_bytes(shift));
        p->shift = (uint8_t)shift;
    } else if (p->tag != tag) {
        family_keep(p);
        memset(p->cells, 0, cells_bytes(p->shift));
    }
    p->tag = tag;
    if (p->shift > shift)
        page_split(p, shift);
}

/* ---- what the host does ---- */

/* Calls fn for the part of each page that [addr, addr + bytes) covers. */
static void each_page(uint64_t addr, uint64_t bytes,
                      void (*fn)(struct shadow_page *p, uint32_t from, uint32_t to))
{
    const struct mem_alloc *a = bytes ? mem_find(addr) : NULL;

    if (!a || (!a->shadow && !starts_unwritten(a)))
        return;
    struct shadow *s = shadow_of(a);
    uint64_t at = addr - s->base;
    uint64_t end = a->addr + a->size - s->base;
    if (bytes < end - at)
        end = at + bytes;
    while (at < end) {
        uint64_t stop = (at | (PAGE_BYTES - 1)) + 1;
        struct shadow_page *p = &s->pages[at >> PAGE_BITS];
        uint32_t from = (uint32_t)(at & (PAGE_BYTES - 1));

        if (stop > end)
            stop = end;
        page_lock(p);
        fn(p, from, from + (uint32_t)(stop - at));
        page_unlock(p);
        at = stop;
    }
}

void check_host_write(uint64_t addr, uint64_t bytes)
{
    if (atomic_load(&enabled))
        each_page(addr, bytes, page_set_written);
}

bool check_host_read(uint64_t addr, uint64_t bytes, uint64_t *at)
{
    const struct mem_alloc *a = check_is_on() ? mem_find(addr) : NULL;

    if (!a || (!a->shadow && !starts_unwritten(a)))
        return false;
    struct shadow *s = shadow_of(a);
    for (uint64_t end = addr + bytes; addr < end;) {
        struct shadow_page *p = &s->pages[(addr - s->base) >> PAGE_BITS];
        uint32_t from = (uint32_t)((addr - s->base) & (PAGE_BYTES - 1)), to = PAGE_BYTES;

        if (end - addr < to - from)
            to = from + (uint32_t)(end - addr);
        page_lock(p);
        for (uint32_t i = from; !page_all_written(p, from, to) && i < to; i = (i | 3) + 1)
            if (!page_any_written(p, i & ~3u, (i | 3) + 1)) {
                page_unlock(p);
                *at = addr + (i - from);
                return true;
            }
        page_unlock(p);
        addr += to - from;
    }
    return false;
}

static void page_set_unwritten(struct shadow_page *p, uint32_t from, uint32_t to)
{
    if (from == 0 && to == PAGE_BYTES) {
        p->init = INIT_NONE;
        return;
    }
    if (p->init == INIT_NONE)
        return;
    if (!p->bits)
        p->bits = xcalloc(1, PAGE_BYTES / 8);
    if (p->init == INIT_ALL)
        memset(p->bits, 0xff, PAGE_BYTES / 8);
    p->init = INIT_SOME;
    for (uint32_t i = from; i < to; i++)
        p->bits[i >> 3] &= (uint8_t) ~(1 << (i & 7));
}

/* The state of the bytes from addr on, as far as they share it; *n: how many bytes. */
static bool written_run(uint64_t addr, uint64_t bytes, uint64_t *n)
{
    const struct mem_alloc *a = mem_find(addr);
    uint64_t at, i = 1;

    *n = bytes;
    if (!a || (!a->shadow && !starts_unwritten(a)))
        return true; /* host memory: no telling */
    struct shadow *s = shadow_of(a);
    at = addr - s->base;
    struct shadow_page *p = &s->pages[at >> PAGE_BITS];
    at &= PAGE_BYTES - 1;
    page_lock(p);
    bool written = page_any_written(p, (uint32_t)at, (uint32_t)at + 1);
    if (p->init != INIT_SOME)
        i = PAGE_BYTES - at;
    else
        while (at + i < PAGE_BYTES &&
               page_any_written(p, (uint32_t)(at + i), (uint32_t)(at + i + 1)) == written)
            i++;
    page_unlock(p);
    *n = i < bytes ? i : bytes;
    return written;
}

void check_host_copy(uint64_t dst, uint64_t src, uint64_t bytes)
{
    if (!atomic_load(&enabled))
        return;
    while (bytes) {
        uint64_t n;
        bool written = written_run(src, bytes, &n);

        each_page(dst, n, written ? page_set_written : page_set_unwritten);
        dst += n;
        src += n;
        bytes -= n;
    }
}
