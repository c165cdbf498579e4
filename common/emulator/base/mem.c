/* mem.c - device memory: see mem.h for the contract.
 *
 * Two arenas of address space, reserved once. Allocations are cut off an arena's end, so
 * that its table of them is sorted by address by construction and only ever grows:
 *
 *   device arena   | a0 |gap| a1 |gap| ... fresh ...    PROT_NONE, what programs see
 *                    |        |
 *   its contents   | a0 |   | a1 |   | ...              read/write, the emulator's own
 *
 *   host arena     | managed and pinned memory |        read/write, seen by both sides
 *
 * A reader takes the table's length (acquire) and searches; nothing it can see moves.
 * Only when an arena's fresh space is used up are the places of freed allocations used
 * again. Registered host memory is elsewhere: a short list, replaced as a whole.
 */
#include "mem.h"
#include "base/alloc.h"
#ifdef WITH_ASAN
#include <sanitizer/lsan_interface.h>
#endif
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE         4096ull
#define ALIGN        512ull /* what cudaMalloc gives */
#define ARENA_WANTED (1ull << 40)
#define ARENA_LEAST  (64ull << 20)
#define DEVICE_HINT  0x200000000000ull
#define TABLE_ROWS   (1u << 24)

struct arena {
    uint64_t base, size; /* as device addresses */
    uint8_t *host;       /* contents of base */
    uint64_t next;       /* first fresh address */
    struct mem_alloc *table;
    uint64_t *span; /* bytes from table[i].addr that are its to reuse; 0: merged into a former */
    uint32_t rows;  /* room in table */
    _Atomic uint32_t count;
};

struct registered {
    struct registered *former; /* a reader may still walk it */
    uint32_t count;
    struct mem_alloc *alloc[]; /* sorted by address */
};

_Atomic uint64_t mem_generation;

static struct arena device_arena, host_arena;
static struct registered *_Atomic registered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t serial, limit = UINT64_MAX;
#define ROUND16(n) (((n) + 15) / 16 * 16)
static struct account {
    uint64_t in_use, peak, heap_in_use, heap_limit;
    _Atomic uint16_t peers; /* 1 << device: whose memory its kernels reach */
} accounts[MEM_DEVICES] = {[0 ... MEM_DEVICES - 1] = {.heap_limit = 8 << 20}};

static _Noreturn void no_room(const char *what)
{
    fprintf(stderr, "warplab: mem: %s (%s)\n", what, strerror(errno));
    abort();
}

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) & ~(unit - 1);
}

/* ---- reserving address space ---- */

static void *reserve(uint64_t hint, uint64_t size, int protection)
{
    void *p =
        mmap((void *)hint, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if ((uint64_t)p + size > MEM_SHARED_BASE) { /* would collide with the generic windows */
        munmap(p, size);
        return NULL;
    }
    madvise(p, size, MADV_DONTDUMP);
    return p;
}

/* The table grows with use: reserved pages cost nothing until written. */
static bool arena_table(struct arena *a)
{
    for (a->rows = TABLE_ROWS; a->rows >= 1 << 12; a->rows >>= 1) {
        a->table = reserve(0, a->rows * sizeof(*a->table), PROT_READ | PROT_WRITE);
        a->span = reserve(0, a->rows * sizeof(*a->span), PROT_READ | PROT_WRITE);
        if (a->table && a->span)
            return true;
        if (a->table)
            munmap(a->table, a->rows * sizeof(*a->table));
        if (a->span)
            munmap(a->span, a->rows * sizeof(*a->span));
    }
    return false;
}

/* Everything at one size, or nothing: under a limit on address space (ulimit -v) the
 * caller tries again with less. */
static bool reserve_all(uint64_t size)
{
    void *window = reserve(DEVICE_HINT, size, PROT_NONE);
    void *contents = reserve(0, size, PROT_READ | PROT_WRITE);
    void *host = reserve(0, size, PROT_READ | PROT_WRITE);

    if (!window || !contents || !host) {
        if (window)
            munmap(window, size);
        if (contents)
            munmap(contents, size);
        if (host)
            munmap(host, size);
        return false;
    }
    device_arena.base = (uint64_t)window;
    device_arena.host = contents;
    host_arena.base = (uint64_t)host;
    host_arena.host = host;
    device_arena.size = host_arena.size = size;
    device_arena.next = device_arena.base;
    host_arena.next = host_arena.base;
    return true;
}

static void init(void)
{
    uint64_t size = ARENA_WANTED;

    if (!arena_table(&device_arena) || !arena_table(&host_arena))
        no_room("no address space for the table of allocations");
    while (size >= ARENA_LEAST && !reserve_all(size))
        size >>= 1;
    if (size < ARENA_LEAST)
        no_room("no address space for device memory: raise the limit (ulimit -v)");
}

void mem_init(void)
{
    pthread_once(&once, init);
}

/* ---- contents of what comes and goes ---- */

/* Addresses are not given out again for long, but the pages behind them can be: to get new ones
 * from the system takes longer than to zero some, and programs allocate again and again. */
enum { KEPT_PIECE = 64 << 10, KEPT_PIECES = 1024, KEPT_MOST = 8 << 20 };
static uint8_t *kept;
static bool piece_used[KEPT_PIECES];

static uint32_t pieces_of(uint64_t size)
{
    return (uint32_t)((size + KEPT_PIECE - 1) / KEPT_PIECE);
}

/* So many pieces side by side, which read as zero; NULL: too many, or there are none. */
static uint8_t *kept_take(uint64_t size)
{
    uint32_t n = pieces_of(size), run = 0;

    if (size < PAGE || size > KEPT_MOST)
        return NULL;
    if (!kept)
        kept = reserve(0, (uint64_t)KEPT_PIECE * KEPT_PIECES, PROT_READ | PROT_WRITE);
    for (uint32_t i = 0; kept && i < KEPT_PIECES; i++) {
        run = piece_used[i] ? 0 : run + 1;
        if (run < n)
            continue;
        memset(&piece_used[i + 1 - n], 1, n);
        return kept + (uint64_t)KEPT_PIECE * (i + 1 - n);
    }
    return NULL;
}

/* False: it is none of these. */
static bool kept_give(const struct mem_alloc *m)
{
    uint64_t at = (uint64_t)(m->host - kept);

    if (!kept || at >= (uint64_t)KEPT_PIECE * KEPT_PIECES)
        return false;
    memset(m->host, 0, m->size);
    memset(&piece_used[at / KEPT_PIECE], 0, pieces_of(m->size));
    return true;
}

/* ---- finding ---- */

static bool arena_holds(const struct arena *a, uint64_t addr)
{
    return addr - a->base < a->size;
}

/* Index of the last allocation that starts at or before addr, -1 when none does. */
static int64_t arena_search(const struct arena *a, uint64_t addr)
{
    int64_t low = -1, high = atomic_load_explicit(&a->count, memory_order_acquire);

    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (a->table[mid].addr <= addr)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static bool holds(const struct mem_alloc *a, uint64_t addr)
{
    return __atomic_load_n(&a->live, __ATOMIC_ACQUIRE) && addr - a->addr < a->size;
}

static struct mem_alloc *registered_find(uint64_t addr)
{
    struct registered *r = atomic_load_explicit(&registered, memory_order_acquire);

    for (uint32_t i = 0; r && i < r->count; i++)
        if (holds(r->alloc[i], addr))
            return r->alloc[i];
    return NULL;
}

static struct arena *arena_of(uint64_t addr)
{
    if (arena_holds(&device_arena, addr))
        return &device_arena;
    return arena_holds(&host_arena, addr) ? &host_arena : NULL;
}

static struct mem_alloc *find(uint64_t addr)
{
    struct arena *a = arena_of(addr);

    if (!a)
        return registered_find(addr);
    int64_t i = arena_search(a, addr);
    /* An empty place that a merge left behind may lie between: step over dead ones. */
    for (; i >= 0; i--) {
        if (holds(&a->table[i], addr))
            return &a->table[i];
        if (a->span[i] != 0)
            return NULL;
    }
    return NULL;
}

const struct mem_alloc *mem_find(uint64_t addr)
{
    return find(addr);
}

bool mem_in_window(uint64_t addr)
{
    return arena_holds(&device_arena, addr);
}

bool mem_in_host_window(uint64_t addr)
{
    return arena_holds(&host_arena, addr);
}

static uint64_t distance(const struct mem_alloc *a, uint64_t addr)
{
    if (addr < a->addr)
        return a->addr - addr;
    return addr - a->addr < a->size ? 0 : addr - (a->addr + a->size) + 1;
}

const struct mem_alloc *mem_nearest(uint64_t addr)
{
    const struct mem_alloc *best = NULL;
    struct registered *r = atomic_load(&registered);
    struct arena *arenas[] = {&device_arena, &host_arena};

    for (int k = 0; k < 2; k++) {
        int64_t n = atomic_load(&arenas[k]->count), i = arena_search(arenas[k], addr);
        for (int64_t j = i < 0 ? 0 : i; j <= i + 1 && j < n; j++)
            if (!best || distance(&arenas[k]->table[j], addr) < distance(best, addr))
                best = &arenas[k]->table[j];
    }
    for (uint32_t i = 0; r && i < r->count; i++)
        if (!best || distance(r->alloc[i], addr) < distance(best, addr))
            best = r->alloc[i];
    return best;
}

void *mem_host(uint64_t addr, uint64_t len)
{
    const struct mem_alloc *a = mem_find(addr);

    if (!a || len > a->size - (addr - a->addr))
        return NULL;
    return a->host + (addr - a->addr);
}

/* ---- allocating ---- */

static uint64_t gap; /* behind MEM_DEVICE */

uint64_t mem_set_gap(uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    uint64_t former = gap;
    gap = round_up(bytes, PAGE);
    pthread_mutex_unlock(&lock);
    return former;
}

static bool on_device(enum mem_kind kind)
{
    return kind != MEM_PINNED && kind != MEM_REGISTERED;
}

static bool counted(enum mem_kind kind)
{
    return on_device(kind) && kind != MEM_IMPORTED;
}

/* A gap follows every allocation, so that running off its end never meets the next one.
 * Small ones stay close together: kernels call malloc() by the hundred thousand. */
static uint64_t span_of(uint64_t size)
{
    return size < PAGE ? round_up(size + 256, ALIGN) : round_up(size, PAGE) + PAGE;
}

static int64_t arena_fresh(struct arena *a, uint64_t size, uint64_t align, uint64_t behind)
{
    uint32_t i = atomic_load(&a->count);
    uint64_t addr = round_up(a->next, align), span = span_of(size) + behind;

    if (i == a->rows || addr + span < addr || addr + span > a->base + a->size)
        return -1;
    a->next = addr + span;
    a->table[i].addr = addr;
    a->span[i] = span;
    return i;
}

/* Not fresh: the place of a run of freed allocations that is large enough together. */
static int64_t arena_reuse(struct arena *a, uint64_t size, uint64_t align)
{
    uint32_t n = atomic_load(&a->count), first = 0;
    uint64_t run = 0, span = span_of(size);

    for (uint32_t i = 0; i < n; i++) {
        if (a->table[i].live || a->table[i].reserved ||
            (run == 0 && a->table[i].addr % align != 0)) {
            run = 0;
            first = i + 1;
            continue;
        }
        run += a->span[i];
        if (run < span)
            continue;
        for (uint32_t j = first + 1; j <= i; j++)
            a->span[j] = 0;
        a->span[first] = run;
        return first;
    }
    return -1;
}

static void account(struct account *own, enum mem_kind kind, uint64_t size, bool added)
{
    if (!counted(kind))
        return;
    if (kind == MEM_HEAP)
        own->heap_in_use += added ? ROUND16(size) : -ROUND16(size);
    own->in_use += added ? size : -size;
    if (own->in_use > own->peak)
        own->peak = own->in_use;
}

static bool has_room(const struct account *own, enum mem_kind kind, uint64_t size)
{
    if (counted(kind) && (size > limit || own->in_use > limit - size))
        return false;
    return kind != MEM_HEAP ||
           (size <= own->heap_limit && own->heap_in_use + ROUND16(size) <= own->heap_limit);
}

/* A row for so many bytes at an address of its own; nobody sees it yet. NULL: no room. */
static struct mem_alloc *row_new(struct arena *a, unsigned device, uint64_t size, uint64_t align,
                                 enum mem_kind kind)
{
    if (size > a->size)
        return NULL;
    int64_t i = arena_fresh(a, size, align, kind == MEM_DEVICE ? gap : 0);
    if (i < 0)
        i = arena_reuse(a, size, align);
    if (i < 0)
        return NULL;
    struct mem_alloc *m = &a->table[i];
    m->size = size;
    m->kind = kind;
    m->read_only = false;
    m->label = NULL;
    m->element = 0;
    m->moved = NULL;
    m->device = (uint8_t)device;
    m->pooled = false;
    m->reach = 0;
    m->reserved = false;
    m->mapped = 0;
    m->file = -1;
    return m;
}

static void row_publish(struct arena *a, const struct mem_alloc *m)
{
    uint32_t i = (uint32_t)(m - a->table);

    if (i == atomic_load(&a->count))
        atomic_store_explicit(&a->count, i + 1, memory_order_release);
}

/* Its contents are there; host NULL: where the arena has them. */
static void row_live(struct arena *a, struct mem_alloc *m, uint8_t *host)
{
    m->host = host || m->kind != MEM_DEVICE ? host : kept_take(m->size);
    if (!m->host)
        m->host = a->host + (m->addr - a->base);
    m->serial = ++serial;
    m->shadow = NULL;
    account(&accounts[m->device], m->kind, m->size, true);
    __atomic_store_n(&m->live, true, __ATOMIC_RELEASE);
    row_publish(a, m);
    atomic_fetch_add(&mem_generation, 1);
}

static struct mem_alloc *alloc_locked(unsigned device, uint64_t size, uint64_t align,
                                      enum mem_kind kind, const char *label, uint8_t *host)
{
    struct arena *a = kind == MEM_MANAGED || kind == MEM_PINNED ? &host_arena : &device_arena;
    struct mem_alloc *m =
        has_room(&accounts[device], kind, size) ? row_new(a, device, size, align, kind) : NULL;

    if (!m)
        return NULL;
    m->label = label;
    m->moved = kind == MEM_MANAGED ? xcalloc(size / MEM_MANAGED_PAGE + 1, 1) : NULL;
#ifdef WITH_ASAN /* tables of pages that malloc did not give tell of it */
    if (m->moved)
        __lsan_ignore_object(m->moved);
#endif
    row_live(a, m, host);
    return m;
}

static uint64_t align_of(uint64_t size, uint64_t wanted)
{
    if (wanted < ALIGN)
        wanted = ALIGN;
    return size >= PAGE && wanted < PAGE ? PAGE : wanted; /* whole pages can be given back */
}

struct mem_alloc *mem_alloc(uint64_t size, uint64_t align, enum mem_kind kind, const char *label)
{
    return mem_alloc_on(0, size, align, kind, label);
}

struct mem_alloc *mem_alloc_on(unsigned device, uint64_t size, uint64_t align, enum mem_kind kind,
                               const char *label)
{
    mem_init();
    if (size == 0)
        return NULL;
    pthread_mutex_lock(&lock);
    struct mem_alloc *m = alloc_locked(device, size, align_of(size, align), kind, label, NULL);
    pthread_mutex_unlock(&lock);
    return m;
}

/* ---- addresses that are kept, contents of the caller's ---- */

uint64_t mem_reserve(unsigned device, uint64_t size)
{
    mem_init();
    pthread_mutex_lock(&lock);
    struct mem_alloc *m =
        size ? row_new(&device_arena, device, size, align_of(size, 0), MEM_DEVICE) : NULL;
    if (m) {
        m->reserved = true;
        m->host = NULL;
        m->serial = ++serial;
        row_publish(&device_arena, m);
    }
    pthread_mutex_unlock(&lock);
    return m ? m->addr : 0;
}

static struct mem_alloc *reserved_at(uint64_t addr)
{
    int64_t i = arena_holds(&device_arena, addr) ? arena_search(&device_arena, addr) : -1;
    struct mem_alloc *m = i < 0 ? NULL : &device_arena.table[i];

    return m && m->addr == addr && m->reserved ? m : NULL;
}

bool mem_back(uint64_t addr)
{
    pthread_mutex_lock(&lock);
    struct mem_alloc *m = reserved_at(addr);
    bool back = m && !m->live && has_room(&accounts[m->device], m->kind, m->size);
    if (back)
        row_live(&device_arena, m, NULL);
    pthread_mutex_unlock(&lock);
    return back;
}

void mem_unreserve(uint64_t addr)
{
    pthread_mutex_lock(&lock);
    struct mem_alloc *m = reserved_at(addr);
    if (m)
        m->reserved = false;
    pthread_mutex_unlock(&lock);
}

struct mem_alloc *mem_adopt(unsigned device, uint64_t size, enum mem_kind kind, void *host,
                            uint64_t mapped)
{
    mem_init();
    pthread_mutex_lock(&lock);
    struct mem_alloc *m = alloc_locked(device, size, align_of(size, 0), kind, NULL, host);
    if (m)
        m->mapped = mapped;
    pthread_mutex_unlock(&lock);
    return m;
}

/* ---- registered host memory ---- */

/* A new list with `add` inserted, or `drop` left out. Lists are never freed, since readers
 * may still walk them; programs register seldom. */
static void registered_replace(struct mem_alloc *add, const struct mem_alloc *drop)
{
    struct registered *old = atomic_load(&registered), *new;
    uint32_t n = old ? old->count : 0, k = 0;

    new = xmalloc(sizeof(*new) + (n + 1) * sizeof(new->alloc[0]));
    for (uint32_t i = 0; i < n; i++) {
        if (add && old->alloc[i]->addr > add->addr) {
            new->alloc[k++] = add;
            add = NULL;
        }
        if (old->alloc[i] != drop)
            new->alloc[k++] = old->alloc[i];
    }
    if (add)
        new->alloc[k++] = add;
    new->count = k;
    new->former = old;
    atomic_store_explicit(&registered, new, memory_order_release);
}

static bool registered_overlaps(uint64_t addr, uint64_t size)
{
    struct registered *r = atomic_load(&registered);

    for (uint32_t i = 0; r && i < r->count; i++)
        if (addr < r->alloc[i]->addr + r->alloc[i]->size && r->alloc[i]->addr < addr + size)
            return true;
    return false;
}

struct mem_alloc *mem_register(void *host, uint64_t size)
{
    struct mem_alloc *m = NULL;
    uint64_t addr = (uint64_t)host;

    mem_init();
    pthread_mutex_lock(&lock);
    if (!arena_of(addr) && !registered_overlaps(addr, size)) {
        m = xcalloc(1, sizeof(*m));
        *m = (struct mem_alloc){.addr = addr,
                                .size = size,
                                .host = host,
                                .kind = MEM_REGISTERED,
                                .live = true,
                                .serial = ++serial};
        registered_replace(m, NULL);
        atomic_fetch_add(&mem_generation, 1);
    }
    pthread_mutex_unlock(&lock);
    return m;
}

/* ---- freeing ---- */

/* Contents read as zero when the place is used again; the system's whole pages, which are
 * larger than PAGE on some arm64 machines, go back to it. */
void mem_wipe(const struct mem_alloc *m)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = (uint64_t)m->host;
    uint64_t end = begin + (m->size < PAGE ? m->size : round_up(m->size, PAGE));
    uint64_t first = round_up(begin, page), last = end & ~(page - 1);

    if (first >= last) {
        memset(m->host, 0, end - begin);
        return;
    }
    memset(m->host, 0, first - begin);
    madvise((void *)first, last - first, MADV_DONTNEED);
    memset((void *)last, 0, end - last);
}

/* What it had its contents in is as new. */
static void let_go(struct mem_alloc *m)
{
    if (!m->mapped) {
        if (!kept_give(m))
            mem_wipe(m);
        return;
    }
    munmap(m->host, m->mapped);
    m->mapped = 0;
    if (m->file >= 0)
        close(m->file);
    m->file = -1;
}

void mem_move(uint64_t addr, void *host, uint64_t mapped, int file)
{
    pthread_mutex_lock(&lock);
    struct mem_alloc *m = find(addr);
    memcpy(host, m->host, m->size);
    let_go(m);
    m->host = host;
    m->mapped = mapped;
    m->file = file;
    atomic_fetch_add(&mem_generation, 1);
    pthread_mutex_unlock(&lock);
}

static void free_locked(struct mem_alloc *m)
{
    __atomic_store_n(&m->live, false, __ATOMIC_RELEASE);
    account(&accounts[m->device], m->kind, m->size, false);
    free(m->moved);
    m->moved = NULL;
    if (m->kind == MEM_REGISTERED)
        registered_replace(NULL, m); /* itself kept: a reader may hold it */
    else
        let_go(m);
    atomic_fetch_add(&mem_generation, 1);
}

bool mem_name(uint64_t addr, const char *name, uint32_t element, uint64_t elements)
{
    mem_init();
    pthread_mutex_lock(&lock);
    struct mem_alloc *m = find(addr);
    bool found = m && m->addr == addr && element;
    if (found) {
        m->label = name;
        m->element = element;
        m->elements = elements;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool mem_free(uint64_t addr)
{
    mem_init();
    pthread_mutex_lock(&lock);
    struct mem_alloc *m = find(addr);
    bool found = m && m->addr == addr;
    if (found)
        free_locked(m);
    pthread_mutex_unlock(&lock);
    return found;
}

static bool free_heap(struct arena *a)
{
    bool any = false;

    for (uint32_t i = 0; i < a->count; i++) {
        if (!a->table[i].live || a->table[i].kind != MEM_HEAP)
            continue;
        free_locked(&a->table[i]);
        any = true;
    }
    return any;
}

static void forget_freed(struct arena *a)
{
    uint32_t n = a->count;

    while (n && !a->table[n - 1].live && !a->table[n - 1].reserved && a->span[n - 1])
        n--;
    a->next = n ? a->table[n - 1].addr + a->span[n - 1] : a->base;
    a->count = n;
}

bool mem_forget(void)
{
    mem_init();
    pthread_mutex_lock(&lock);
    bool heap = free_heap(&device_arena);
    forget_freed(&device_arena);
    forget_freed(&host_arena);
    atomic_fetch_add(&mem_generation, 1);
    pthread_mutex_unlock(&lock);
    return heap;
}

void mem_set_heap_limit(unsigned device, uint64_t bytes)
{
    mem_init();
    pthread_mutex_lock(&lock);
    accounts[device].heap_limit = bytes;
    pthread_mutex_unlock(&lock);
}

/* ---- several devices ---- */

bool mem_peer(unsigned device, unsigned other, bool on)
{
    uint16_t bit = (uint16_t)(1u << other), was;

    was = on ? atomic_fetch_or(&accounts[device].peers, bit)
             : atomic_fetch_and(&accounts[device].peers, (uint16_t)~bit);
    atomic_fetch_add(&mem_generation, 1);
    return on != !!(was & bit);
}

bool mem_linked(unsigned device, unsigned other)
{
    return (accounts[device].peers >> other | accounts[other].peers >> device) & 1;
}

void mem_hand_over(struct mem_alloc *a, unsigned device)
{
    pthread_mutex_lock(&lock);
    account(&accounts[a->device], a->kind, a->size, false);
    a->device = (uint8_t)device;
    account(&accounts[device], a->kind, a->size, true);
    pthread_mutex_unlock(&lock);
}

void mem_pool_reach(uint64_t addr, uint16_t reach)
{
    pthread_mutex_lock(&lock);
    struct mem_alloc *m = find(addr);
    if (m) {
        m->pooled = true;
        m->reach = reach;
    }
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&mem_generation, 1);
}

bool mem_reaches(unsigned device, const struct mem_alloc *a)
{
    if (a->device == device || !on_device(a->kind) || a->kind == MEM_MANAGED ||
        a->kind == MEM_WORKSPACE)
        return true;
    return (a->pooled ? a->reach >> device : accounts[device].peers >> a->device) & 1;
}

void mem_reset(unsigned device)
{
    struct arena *arenas[] = {&device_arena, &host_arena};

    mem_init();
    pthread_mutex_lock(&lock);
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < atomic_load(&arenas[k]->count); i++)
            if (arenas[k]->table[i].live && arenas[k]->table[i].kind != MEM_WORKSPACE &&
                arenas[k]->table[i].device == device)
                free_locked(&arenas[k]->table[i]);
    for (unsigned d = 0; d < MEM_DEVICES; d++)
        accounts[d].peers &= d == device ? 0 : (uint16_t) ~(1u << device);
    pthread_mutex_unlock(&lock);
}

/* ---- reports ---- */

static int by_serial(const void *a, const void *b)
{
    uint64_t x = (*(const struct mem_alloc *const *)a)->serial;
    uint64_t y = (*(const struct mem_alloc *const *)b)->serial;
    return x < y ? -1 : x > y;
}

void mem_each(void (*fn)(const struct mem_alloc *a, void *arg), void *arg)
{
    struct arena *arenas[] = {&device_arena, &host_arena};
    struct registered *r = atomic_load(&registered);
    size_t n = 0, room = (r ? r->count : 0) + 1;

    pthread_mutex_lock(&lock);
    for (int k = 0; k < 2; k++)
        room += atomic_load(&arenas[k]->count);
    const struct mem_alloc **all = xmalloc(room * sizeof(*all));
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < atomic_load(&arenas[k]->count); i++)
            if (arenas[k]->table[i].live)
                all[n++] = &arenas[k]->table[i];
    for (uint32_t i = 0; r && i < r->count; i++)
        all[n++] = r->alloc[i];
    pthread_mutex_unlock(&lock);

    qsort(all, n, sizeof(*all), by_serial);
    for (size_t i = 0; i < n; i++)
        fn(all[i], arg);
    free(all);
}

void mem_usage(unsigned device, uint64_t *used, uint64_t *most)
{
    pthread_mutex_lock(&lock);
    if (used)
        *used = accounts[device].in_use;
    if (most)
        *most = accounts[device].peak;
    pthread_mutex_unlock(&lock);
}

uint64_t mem_window(void)
{
    mem_init();
    return device_arena.size;
}

void mem_set_limit(uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    limit = bytes;
    pthread_mutex_unlock(&lock);
}
