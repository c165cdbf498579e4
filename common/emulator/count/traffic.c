/* traffic.c - see traffic.h.
 *
 * The first REQUESTS global accesses of a sampled block go through an L1 of its own: 128-byte lines
 * of four sectors, four ways, least recently used, of the size that its share of the SM's L1 has.
 * Loads that miss and all stores and atomics go on to L2. The launch's L2 sectors are its counted
 * sectors times the sample's ratio; its distinct sectors are no more than that, and no more than
 * the allocations that the sample touched. Not modelled: hits on what a former block of the SM
 * loaded; an L2 that is too small for what is used twice.
 */
#include "traffic.h"
#include "base/alloc.h"
#include "emulator/base/mem.h"
#include "emulator/base/options.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 4096, SAMPLE = 8, WAYS = 4, MAX_SETS = 512, MAX_TOUCHED = 64, RUNNING = 16 };

struct line {
    uint64_t tag; /* address / 128, plus 1 */
    uint32_t sectors, used;
};

struct cache {
    struct cache *next; /* of `opened` */
    uint64_t launch;
    uint32_t nsets, clock, requests;
    uint64_t asked, missed, lines; /* sectors; lines a request, summed */
    uint64_t touched[MAX_TOUCHED];
    uint32_t ntouched;
    uint64_t last_addr, last_size;
    struct line sets[MAX_SETS][WAYS];
};

struct sums {        /* of one launch */
    uint64_t launch; /* 0: free */
    uint64_t asked, missed, lines;
    uint64_t touched[MAX_TOUCHED];
    uint32_t ntouched;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sums running[RUNNING];
static struct cache
    *opened; /* of blocks that have not ended; where a launch fails, they never do */

bool traffic_wants(uint64_t block, uint64_t nblocks)
{
    uint64_t step = nblocks / SAMPLE;

    return step < 2 ? block < SAMPLE : block % step == step / 2 && block / step < SAMPLE;
}

/* Bytes of L1 that one of the resident blocks can call its own. */
static uint32_t l1_bytes(const struct block_info *b)
{
    const struct device_profile *d = device_profile();
    uint32_t resident = d->max_threads_per_sm / (b->threads ? b->threads : 1);
    uint32_t all = d->cc_major < 7 ? 24576 : d->shared_per_sm;

    if (d->cc_major < 2)
        return 0;
    if (b->shared_bytes && d->shared_per_sm / b->shared_bytes < resident)
        resident = d->shared_per_sm / b->shared_bytes;
    if (!resident)
        resident = 1;
    if (d->cc_major >= 7)
        all -= resident * b->shared_bytes < all - 16384 ? resident * b->shared_bytes : all - 16384;
    return all / resident;
}

static uint64_t blocks_of(const struct block_info *b)
{
    return (uint64_t)b->nctaid[0] * b->nctaid[1] * b->nctaid[2];
}

static void block_begin(struct listener *self, struct block_info *b)
{
    b->user[self->slot] = NULL;
    if (!traffic_wants(b->index, blocks_of(b)))
        return;
    struct cache *c = xcalloc(1, sizeof(*c));
    uint32_t sets = l1_bytes(b) / (128 * WAYS);
    c->nsets = sets < MAX_SETS ? sets : MAX_SETS;
    c->launch = b->launch;
    b->user[self->slot] = c;
    pthread_mutex_lock(&lock);
    c->next = opened;
    opened = c;
    pthread_mutex_unlock(&lock);
}

/* One sector; false when it has to come from L2. */
static bool hit(struct cache *c, uint64_t sector)
{
    uint64_t tag = (sector >> 2) + 1;
    uint32_t bit = 1u << (sector & 3);

    if (!c->nsets)
        return false;
    struct line *set = c->sets[(tag * 0x9e3779b97f4a7c15ull >> 32) % c->nsets];
    struct line *oldest = set;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].tag == tag) {
            bool had = set[i].sectors & bit;

            set[i].sectors |= bit;
            set[i].used = ++c->clock;
            return had;
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    *oldest = (struct line){tag, bit, ++c->clock};
    return false;
}

static void touch(struct cache *c, uint64_t addr)
{
    if (addr - c->last_addr < c->last_size)
        return;
    const struct mem_alloc *a = mem_find(addr);
    if (!a)
        return;
    c->last_addr = a->addr;
    c->last_size = a->size;
    for (uint32_t i = 0; i < c->ntouched; i++)
        if (c->touched[i] == a->addr)
            return;
    if (c->ntouched < MAX_TOUCHED)
        c->touched[c->ntouched++] = a->addr;
}

static bool new_line(const uint64_t *seen, uint32_t n, uint64_t sector)
{
    while (n && seen[n - 1] >> 2 != sector >> 2)
        n--;
    return !n;
}

static void on_access(struct listener *self, struct block_info *b, const struct access *a)
{
    struct cache *c = b->user[self->slot];
    uint64_t seen[32];
    uint32_t nseen = 0;

    if (!c || a->space != ACCESS_GLOBAL || c->requests == REQUESTS)
        return;
    c->requests++;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t sector = a->addr[__builtin_ctz(m)] >> 5;
        uint32_t i = nseen;

        while (i && seen[i - 1] != sector)
            i--;
        if (i)
            continue;
        c->lines += new_line(seen, nseen, sector);
        seen[nseen++] = sector;
        touch(c, sector << 5);
        c->asked++;
        c->missed += a->kind != ACCESS_LOAD || !hit(c, sector);
    }
}

/* The launch's sums; a free place when it has none yet, or that of the oldest launch, which
 * nobody asked about. */
static struct sums *sums_of(uint64_t launch)
{
    struct sums *free_one = &running[0];

    for (int i = 0; i < RUNNING; i++) {
        if (running[i].launch == launch)
            return &running[i];
        if (running[i].launch < free_one->launch)
            free_one = &running[i];
    }
    memset(free_one, 0, sizeof(*free_one));
    free_one->launch = launch;
    return free_one;
}

static void block_end(struct listener *self, struct block_info *b)
{
    struct cache *c = b->user[self->slot], **p;

    if (!c)
        return;
    b->user[self->slot] = NULL;
    pthread_mutex_lock(&lock);
    for (p = &opened; *p != c; p = &(*p)->next)
        ;
    *p = c->next;
    struct sums *s = sums_of(b->launch);
    s->asked += c->asked;
    s->missed += c->missed;
    s->lines += c->lines;
    for (uint32_t i = 0; i < c->ntouched; i++) {
        uint32_t k = 0;

        while (k < s->ntouched && s->touched[k] != c->touched[i])
            k++;
        if (k == s->ntouched && k < MAX_TOUCHED)
            s->touched[s->ntouched++] = c->touched[i];
    }
    pthread_mutex_unlock(&lock);
    free(c);
}

/* The blocks that the launch's failure kept from ending. */
static void forget_open(uint64_t launch)
{
    for (struct cache **p = &opened, *c; (c = *p);)
        if (c->launch == launch) {
            *p = c->next;
            free(c);
        } else {
            p = &c->next;
        }
}

void traffic_result(uint64_t launch, const struct counters *c, struct model_launch *l)
{
    struct sums s = {0};
    uint64_t counted, footprint = 0;

    pthread_mutex_lock(&lock);
    forget_open(launch);
    for (int i = 0; i < RUNNING; i++)
        if (running[i].launch == launch) {
            s = running[i];
            memset(&running[i], 0, sizeof(running[i]));
        }
    pthread_mutex_unlock(&lock);
    if (!s.asked)
        return;
    counted = c->global_ld_sectors + c->global_st_sectors + c->global_atom_sectors;
    l->l2_sectors = (uint64_t)((double)counted * (double)s.missed / (double)s.asked) +
                    c->local_ld_sectors + c->local_st_sectors;
    l->l1_lines = (uint64_t)((double)counted * (double)s.lines / (double)s.asked);
    for (uint32_t i = 0; i < s.ntouched; i++) {
        const struct mem_alloc *a = mem_find(s.touched[i]);

        footprint += a ? (a->size + 31) / 32 : 0;
    }
    l->unique_sectors = footprint < l->l2_sectors ? footprint : l->l2_sectors;
}

static bool wants_launch(struct listener *self, const struct block_info *any)
{
    (void)self, (void)any;
    return emu_options()->sample;
}

static bool wants_block(struct listener *self, const struct block_info *b)
{
    (void)self;
    return traffic_wants(b->index, blocks_of(b));
}

struct listener *traffic_listener(void)
{
    static struct listener self = {
        .name = "traffic",
        .wants_launch = wants_launch,
        .wants_block = wants_block,
        .block_begin = block_begin,
        .block_end = block_end,
        .access = on_access,
    };

    return &self;
}

__attribute__((constructor)) static void listen(void)
{
    listener_register(traffic_listener());
}
