/* traffic.c - see traffic.h.
 *
 * The first REQUESTS global accesses of a sampled block go through an L1 of its own: 128-byte lines
 * of four sectors, four ways, least recently used, of the size that its share of the SM's L1 has.
 * Loads that miss and all stores and atomics go on to L2, and so do bulk copies, which pass L1 by.
 * The launch's L2 sectors are its counted sectors times the sample's ratio.
 *
 * What L2 has to fetch from DRAM and to write there: nothing where the allocations that the sample
 * touched fit L2. Else what a block asks for, once, less what its neighbour in x or in y asks for
 * too, which is still there; DRAM brings 64 bytes for a sector whose other half nobody wants, and a
 * sector that is only partly written is fetched first.
 *
 * Not modelled: hits on what a former block of the SM left in L1; reuse in L2 at other distances
 * than a neighbour's.
 */
#include "traffic.h"
#include "base/alloc.h"
#include "base/mix.h"
#include "emulator/base/mem.h"
#include "emulator/base/options.h"
#include "emulator/exec/disturb.h"
#include "pace.h"
#include "sectors.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    REQUESTS = 4096,
    PACED_REQUESTS = 16384,
    SAMPLE = 8,
    BASES = SAMPLE / 2, /* of a large grid: sampled blocks that have a neighbour sampled */
    WAYS = 4,
    MAX_SETS = 512,
    MAX_TOUCHED = 64,
    MAX_CHAINS = 64,
    RUNNING = 16
};
#define L2_KEEPS 0.8 /* of L2, before what is used again is gone */

struct line {
    uint64_t tag; /* address / 128, plus 1 */
    uint32_t sectors, used;
};

struct chain { /* requests for atomics at an address */
    uint64_t addr, requests;
};

/* A sampled block. */
struct sample {
    struct sample *next; /* of `opened`; of its launch's, when it has ended */
    uint64_t launch, index;
    struct pace *pace; /* NULL: not of this one */
    uint32_t nsets, clock, requests, most;
    uint64_t asked, missed, passes; /* sectors; passes of requests */
    uint64_t touched[MAX_TOUCHED];
    uint32_t ntouched;
    struct chain chains[MAX_CHAINS];
    uint32_t nchains;
    uint64_t atomics; /* requests */
    uint64_t constant_loads, constant_visits, paths;
    uint64_t visited, visited_on; /* the last line of constants, plus 1, and the path */
    uint64_t bulk, last_bulk;     /* sectors of bulk copies; the last one, plus 1 */
    uint64_t for_others;          /* of bulk copies that another block of the cluster gets, too */
    uint64_t landed;              /* of them, those that an mbarrier was told of */
    uint32_t landing;             /* bytes of the last such copy */
    uint64_t last_addr, last_size;
    enum mem_kind last_kind;
    unsigned device, last_device; /* that it runs on; whose memory was touched last */
    uint64_t host_in, host_out;   /* of missed, by what memory it is */
    uint64_t peer_in, peer_out;
    struct managed_sectors managed[SAMPLED_MANAGED];
    struct sectors sectors, constants;
    struct line (*sets)[WAYS];
};

struct ended {       /* of one launch */
    uint64_t launch; /* 0: free */
    struct sample *blocks;
    uint32_t width; /* of the grid, in blocks */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ended running[RUNNING];
static struct sample *opened; /* not ended; where a launch fails, they never do */

/* ---- which blocks ---- */

static uint64_t blocks_in(const uint32_t grid[3])
{
    return (uint64_t)grid[0] * grid[1] * grid[2];
}

/* The middle of quarter k of the grid; with sample_at set somewhere in it, where only who set it
 * knows: a kernel that does well in the middles alone is seen elsewhere, too. */
static uint64_t sample_at;

static uint64_t drawn(uint64_t k, uint64_t nblocks)
{
    return mix64(sample_at + (k + 1) * 0x9e3779b97f4a7c15u + nblocks * 0xd1342543de82ef95u);
}

static uint64_t base_block(int k, uint64_t nblocks)
{
    uint64_t eighth = nblocks / (2 * BASES), first = 2 * (uint64_t)k * eighth;
    return first + (sample_at ? drawn((uint64_t)k, nblocks) % (2 * eighth - 1) : eighth);
}

static bool is_base(uint64_t block, uint64_t nblocks)
{
    for (int k = 0; k < BASES; k++)
        if (block == base_block(k, nblocks))
            return true;
    return false;
}

static uint64_t neighbour(int k, const uint32_t grid[3])
{
    return base_block(k, blocks_in(grid)) + (k % 2 && grid[1] > 1 ? grid[0] : 1);
}

bool traffic_wants(uint64_t block, const uint32_t grid[3])
{
    uint64_t n = blocks_in(grid);
    if (n <= SAMPLE || is_base(block, n))
        return true;
    for (int k = 0; k < BASES; k++)
        if (block == neighbour(k, grid))
            return true;
    return false;
}

/* Of those, the two whose instructions are timed: not the last of more, which may have little to
 * do. */
static bool is_paced(uint64_t block, const uint32_t grid[3])
{
    uint64_t n = blocks_in(grid), first = sample_at && n > 3 ? drawn(0, n) % (n - 2) : 0;
    return n <= SAMPLE ? block == first || block == first + 1
                       : block == base_block(1, n) || block == base_block(2, n);
}

/* ---- one block ---- */

/* Bytes of L1 that one of the resident blocks can call its own; a small grid has not so many. */
static uint32_t l1_bytes(const struct block_info *b)
{
    const struct device_profile *d = device_profile();
    uint64_t an_sm = (blocks_in(b->nctaid) + d->sms - 1) / d->sms;
    uint32_t resident = d->max_threads_per_sm / (b->threads ? b->threads : 1);
    uint32_t all = d->cc_major < 7 ? 24576 : d->shared_per_sm;

    if (d->cc_major < 2)
        return 0;
    if (b->shared_bytes && d->shared_per_sm / b->shared_bytes < resident)
        resident = d->shared_per_sm / b->shared_bytes;
    if (resident > an_sm)
        resident = (uint32_t)an_sm;
    if (!resident)
        resident = 1;
    if (d->cc_major >= 7)
        all -= resident * b->shared_bytes < all - 16384 ? resident * b->shared_bytes : all - 16384;
    return all / resident;
}

static void sample_free(struct sample *s)
{
    if (s->pace)
        pace_free(s->pace);
    sectors_free(&s->sectors);
    sectors_free(&s->constants);
    free(s->sets);
    free(s);
}

static void block_begin(struct listener *self, struct block_info *b)
{
    b->user[self->slot] = NULL;
    if (!traffic_wants(b->index, b->nctaid))
        return;
    struct sample *s = xcalloc(1, sizeof(*s));
    uint32_t sets = l1_bytes(b) / (128 * WAYS);
    *s = (struct sample){.launch = b->launch,
                         .device = b->device,
                         .index = b->index,
                         .nsets = sets < MAX_SETS ? sets : MAX_SETS,
                         .most = REQUESTS};
    s->sets = xcalloc(s->nsets + 1, sizeof(*s->sets));
    if (is_paced(b->index, b->nctaid) && b->func) {
        s->pace = pace_new(b);
        s->most = PACED_REQUESTS;
    }
    b->user[self->slot] = s;
    pthread_mutex_lock(&lock);
    s->next = opened;
    opened = s;
    pthread_mutex_unlock(&lock);
}

/* One sector; false when it has to come from L2. */
static bool hit(struct sample *s, uint64_t sector)
{
    uint64_t tag = (sector >> 2) + 1;
    uint32_t bit = 1u << (sector & 3);

    if (!s->nsets)
        return false;
    struct line *set = s->sets[(tag * 0x9e3779b97f4a7c15ull >> 32) % s->nsets];
    struct line *oldest = set;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].tag == tag) {
            bool had = set[i].sectors & bit;

            set[i].sectors |= bit;
            set[i].used = ++s->clock;
            return had;
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    *oldest = (struct line){tag, bit, ++s->clock};
    return false;
}

static void touch(struct sample *s, uint64_t addr)
{
    if (addr - s->last_addr < s->last_size)
        return;
    const struct mem_alloc *a = mem_find(addr);
    if (!a)
        return;
    s->last_addr = a->addr;
    s->last_size = a->size;
    s->last_kind = a->kind;
    s->last_device = a->device;
    for (uint32_t i = 0; i < s->ntouched; i++)
        if (s->touched[i] == a->addr)
            return;
    if (s->ntouched < MAX_TOUCHED)
        s->touched[s->ntouched++] = a->addr;
}

static bool new_line(const uint64_t *seen, uint32_t n, uint64_t sector)
{
    while (n && seen[n - 1] >> 2 != sector >> 2)
        n--;
    return !n;
}

/* More allocations than there is room for are not told apart from the last. */
static void add_managed(struct managed_sectors *all, const struct managed_sectors *x)
{
    int i = 0;

    while (i < SAMPLED_MANAGED - 1 && all[i].addr && all[i].addr != x->addr)
        i++;
    struct managed_sectors *m = &all[i];
    if (!m->addr)
        *m = (struct managed_sectors){.addr = x->addr, .low = x->low, .high = x->high};
    m->low = x->low < m->low ? x->low : m->low;
    m->high = x->high > m->high ? x->high : m->high;
    m->sectors += x->sectors;
    m->far += x->far;
}

static void touch_managed(struct sample *s, uint64_t addr)
{
    const struct mem_alloc *a = mem_find(addr);
    bool far = a && a->moved && a->moved[(addr - a->addr) / MEM_MANAGED_PAGE] != 1 + s->device;

    add_managed(s->managed, &(struct managed_sectors){s->last_addr, addr, addr + 32, 1, far});
}

/* The bytes of the sector that lanes write. */
static void write_to(struct sector *x, uint64_t sector, const struct access *a)
{
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t addr = a->addr[__builtin_ctz(m)];
        if (addr >> 5 == sector)
            x->written |= (uint32_t)((1ull << a->size) - 1) << (addr & 31);
    }
}

/* Beyond L1: a load's sector; or the bytes that lanes write. */
static void go_on(struct sample *s, uint64_t sector, const struct access *a)
{
    struct sector *x = sectors_at(&s->sectors, sector);
    bool host = s->last_kind == MEM_PINNED || s->last_kind == MEM_REGISTERED;
    bool peer = !host && s->last_kind != MEM_MANAGED && s->last_device != s->device;
    s->missed++;
    s->peer_in += peer && a->kind != ACCESS_STORE;
    s->peer_out += peer && a->kind != ACCESS_LOAD;
    s->host_in += host && a->kind != ACCESS_STORE;
    s->host_out += host && a->kind != ACCESS_LOAD;
    if (s->last_kind == MEM_MANAGED)
        touch_managed(s, sector << 5);
    if (a->kind == ACCESS_LOAD)
        x->fetched = true;
    else
        write_to(x, sector, a);
}

/* More addresses than there is room for are not followed: they are no queue at one. */
static void add_chain(struct sample *s, uint64_t addr)
{
    uint32_t i = 0;

    while (i < s->nchains && s->chains[i].addr != addr)
        i++;
    if (i == MAX_CHAINS)
        return;
    s->nchains += i == s->nchains;
    s->chains[i].addr = addr;
    s->chains[i].requests++;
}

static void add_atomics(struct sample *s, const struct access *a)
{
    s->atomics++;
    for (uint32_t m = a->mask, before = 0; m; before |= m & -m, m &= m - 1) {
        uint64_t addr = a->addr[__builtin_ctz(m)];
        bool first = true;

        for (uint32_t k = before; k && first; k &= k - 1)
            first = a->addr[__builtin_ctz(k)] != addr;
        if (first)
            add_chain(s, addr);
    }
}

/* The request's sectors, each once. Does one of them miss? */
static bool look_up(struct sample *s, const struct access *a)
{
    uint64_t seen[32], far[32], missed = s->missed;
    uint32_t nseen = 0, nfar = 0, lines = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t sector = a->addr[__builtin_ctz(m)] >> 5;
        uint32_t i = nseen;

        while (i && seen[i - 1] != sector)
            i--;
        if (i)
            continue;
        seen[nseen++] = sector;
        touch(s, sector << 5);
        s->asked++;
        if (a->kind != ACCESS_LOAD || !hit(s, sector)) {
            lines += new_line(far, nfar, sector);
            far[nfar++] = sector;
            go_on(s, sector, a);
        }
    }
    uint32_t passes = pace_passes(a);
    s->passes += passes > lines ? passes : lines;
    return s->missed > missed;
}

/* Constants lie in global memory and have a cache of their own. */
static bool is_constant(const struct access *a)
{
    return a->site && strncmp(a->site->opcode, "ld.const", 8) == 0;
}

static void read_constant(struct sample *s, const struct access *a)
{
    uint64_t line = (a->addr[__builtin_ctz(a->mask)] >> 6) + 1;

    s->constant_loads++;
    s->constant_visits += s->visited != line || s->visited_on != s->paths;
    s->visited = line;
    s->visited_on = s->paths;
    for (uint32_t m = a->mask; m && s->constants.count < REQUESTS; m &= m - 1)
        sectors_at(&s->constants, a->addr[__builtin_ctz(m)] >> 5);
}

static bool is_bulk(const struct access *a)
{
    return a->is_async && a->site &&
           (!strncmp(a->site->opcode, "cp.async.bulk", 13) ||
            !strncmp(a->site->opcode, "cp.reduce.async.bulk", 20));
}

/* A piece of a bulk copy, of less than a sector; as many sectors as a warp's lanes can ask for
 * stand for a request. */
static void copy_bulk(struct sample *s, const struct access *a)
{
    uint64_t sector = a->addr[__builtin_ctz(a->mask)] >> 5;

    if (a->space != ACCESS_GLOBAL || s->requests == s->most)
        return;
    if (sector + 1 == s->last_bulk) {
        if (a->kind != ACCESS_LOAD)
            write_to(sectors_at(&s->sectors, sector), sector, a);
        return;
    }
    s->last_bulk = sector + 1;
    s->requests += s->bulk++ % 32 == 0;
    s->asked++;
    touch(s, sector << 5);
    go_on(s, sector, a);
}

static bool is_mbarriers(const struct access *a)
{
    return a->space == ACCESS_SHARED && !a->is_async && a->size == 8 && a->site &&
           (!strncmp(a->site->opcode, "mbarrier.", 9) || !strncmp(a->site->opcode, "cp.async.", 9));
}

/* A copy may tell the mbarriers of several blocks. */
static void at_mbarrier(struct sample *s, const struct access *a, bool peer)
{
    bool copy = !strncmp(a->site->opcode, "cp.async.bulk", 13);

    if (copy && s->bulk > s->landed) {
        s->landing = (uint32_t)(32 * (s->bulk - s->landed));
        s->landed = s->bulk;
    }
    s->for_others += copy && peer ? s->landing / 32 : 0;
    if (s->pace)
        pace_mbarrier(s->pace, a, copy ? s->landing : 0, peer);
}

static void on_peer_arrive(struct listener *self, struct block_info *b,
                           const struct block_info *owner, const struct access *a)
{
    struct sample *s = b->user[self->slot];
    (void)owner;
    if (s)
        at_mbarrier(s, a, true);
}

static void on_access(struct listener *self, struct block_info *b, const struct access *a)
{
    struct sample *s = b->user[self->slot];
    bool misses = false;
    if (!s)
        return;
    if (is_bulk(a)) {
        copy_bulk(s, a);
        return;
    }
    if (is_constant(a)) {
        read_constant(s, a);
        return;
    }
    if (is_mbarriers(a)) {
        at_mbarrier(s, a, false);
        return;
    }
    if (a->space == ACCESS_GLOBAL) {
        if (a->kind == ACCESS_ATOMIC)
            add_atomics(s, a);
        if (s->requests == s->most) {
            if (s->pace)
                pace_stop(s->pace);
            return;
        }
        s->requests++;
        misses = look_up(s, a);
    }
    if (s->pace)
        pace_access(s->pace, a, misses);
}

static void on_path(struct listener *self, struct block_info *b, const struct site *first,
                    uint32_t ninsns, uint32_t warp, uint32_t mask)
{
    struct sample *s = b->user[self->slot];
    (void)mask;
    if (s)
        s->paths++;
    if (s && s->pace)
        pace_path(s->pace, first, ninsns, warp);
}

static void on_arrive(struct listener *self, struct block_info *b, const struct site *site,
                      uint32_t warp, uint32_t mask, uint32_t id, bool aligned)
{
    struct sample *s = b->user[self->slot];
    (void)mask, (void)aligned;
    if (s && s->pace)
        pace_arrive(s->pace, site, warp, id);
}

static void on_leave(struct listener *self, struct block_info *b, uint32_t id)
{
    struct sample *s = b->user[self->slot];
    if (s && s->pace)
        pace_leave(s->pace, id);
}

/* ---- launches ---- */

static void drop_ended(struct ended *e)
{
    for (struct sample *s = e->blocks, *next; s; s = next) {
        next = s->next;
        sample_free(s);
    }
    *e = (struct ended){0};
}

/* The launch's place; a free one when it has none yet, or that of the oldest launch, which nobody
 * asked about. */
static struct ended *place_of(uint64_t launch)
{
    struct ended *free_one = &running[0];

    for (int i = 0; i < RUNNING; i++) {
        if (running[i].launch == launch)
            return &running[i];
        if (running[i].launch < free_one->launch)
            free_one = &running[i];
    }
    drop_ended(free_one);
    free_one->launch = launch;
    return free_one;
}

static void block_end(struct listener *self, struct block_info *b)
{
    struct sample *s = b->user[self->slot], **p;

    if (!s)
        return;
    b->user[self->slot] = NULL;
    pthread_mutex_lock(&lock);
    for (p = &opened; *p != s; p = &(*p)->next)
        ;
    *p = s->next;
    struct ended *e = place_of(b->launch);
    /* By number, so that sums do not depend on which ended first. */
    for (p = &e->blocks; *p && (*p)->index < s->index; p = &(*p)->next)
        ;
    s->next = *p;
    *p = s;
    e->width = b->nctaid[0];
    pthread_mutex_unlock(&lock);
}

/* The blocks that the launch's failure kept from ending. */
static void forget_open(uint64_t launch)
{
    for (struct sample **p = &opened, *s; (s = *p);)
        if (s->launch == launch) {
            *p = s->next;
            sample_free(s);
        } else {
            p = &s->next;
        }
}

static struct ended take(uint64_t launch)
{
    struct ended e = {0};
    pthread_mutex_lock(&lock);
    forget_open(launch);
    for (int i = 0; i < RUNNING; i++)
        if (running[i].launch == launch) {
            e = running[i];
            running[i] = (struct ended){0};
        }
    pthread_mutex_unlock(&lock);
    return e;
}

/* ---- from the sample to the launch ---- */

static const struct sample *block_of(const struct ended *e, uint64_t index)
{
    const struct sample *s = e->blocks;
    while (s && s->index != index)
        s = s->next;
    return s;
}

/* Of b's sectors, those that a has too. */
static double shared_part(const struct sample *a, const struct sample *b)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < b->sectors.room; i++)
        common += b->sectors.places[i].number &&
                  sectors_have(&a->sectors, b->sectors.places[i].number - 1);
    return b->sectors.count ? (double)common / b->sectors.count : 0;
}

/* Of a block's sectors, those that the one before it in x, and the one before it in y, have had. */
static double near_part(const struct ended *e)
{
    double sum[2] = {0}, near = 0;
    int n[2] = {0};
    for (const struct sample *s = e->blocks; s; s = s->next)
        for (int k = 0; k < 2; k++) {
            uint64_t away = k ? e->width : 1;
            const struct sample *before = s->index < away ? NULL : block_of(e, s->index - away);
            if (!before || (k && e->width == 1))
                continue;
            sum[k] += shared_part(before, s);
            n[k]++;
        }
    for (int k = 0; k < 2; k++)
        near += n[k] ? sum[k] / n[k] : 0;
    return near < 1 ? near : 1;
}

static const struct sample *beside(const struct ended *e, const struct sample *s)
{
    const struct sample *next = block_of(e, s->index + 1);
    if (!next)
        next = block_of(e, s->index + e->width);
    if (!next && s->index)
        next = block_of(e, s->index - 1);
    return next ? next : s;
}

/* Sectors that DRAM moves for each that is asked of it: fetched in pairs, written after they were
 * fetched when not all of their bytes are. */
static double waste(const struct ended *e)
{
    uint64_t asked = 0, moved = 0;
    for (const struct sample *s = e->blocks; s; s = s->next) {
        const struct sectors *other = &beside(e, s)->sectors;
        for (uint32_t i = 0; i < s->sectors.room; i++) {
            const struct sector *x = &s->sectors.places[i];
            if (!x->number)
                continue;
            uint64_t n = x->number - 1, half = n ^ 1;
            bool alone = !sectors_have(&s->sectors, half) && !sectors_have(other, half);
            bool partly = (x->written | sectors_written(other, n)) != ~0u;
            asked += x->fetched + (x->written != 0);
            moved += (x->fetched ? 1 + alone : 0) + (x->written ? 1 + (partly && !x->fetched) : 0);
        }
    }
    return asked ? (double)moved / (double)asked : 1;
}

static uint64_t sectors_touched(const struct ended *e)
{
    uint64_t all[MAX_TOUCHED], sectors = 0;
    uint32_t n = 0;
    for (const struct sample *s = e->blocks; s; s = s->next)
        for (uint32_t i = 0; i < s->ntouched; i++) {
            uint32_t k = 0;
            while (k < n && all[k] != s->touched[i])
                k++;
            if (k == n && k < MAX_TOUCHED)
                all[n++] = s->touched[i];
        }
    for (uint32_t i = 0; i < n; i++) {
        const struct mem_alloc *a = mem_find(all[i]);
        sectors += a ? (a->size + 31) / 32 : 0;
    }
    return sectors;
}

/* Does L2 hold all that the launch touches? Then it was there before: times are of launches that
 * come after others on the same data. */
static bool fits_l2(double all)
{
    return all <= L2_KEEPS * (double)device_profile()->l2_bytes / 32;
}

static double from_dram(const struct ended *e, double all, double l2_sectors, double once)
{
    double asked = l2_sectors * once, least = all < asked ? all : asked;
    double fresh = asked * (1 - near_part(e));
    return (fresh > least ? fresh : least) * waste(e);
}

/* The longest queue at an address. What several sampled blocks add to, the others do, too, as
 * often; what one alone does is its own. */
static uint64_t longest_chain(const struct ended *e, double atomics)
{
    uint64_t all = 0, most = 0;
    double part = 0;

    for (const struct sample *s = e->blocks; s; s = s->next)
        all += s->atomics;
    for (const struct sample *s = e->blocks; s; s = s->next)
        for (uint32_t i = 0; i < s->nchains; i++) {
            uint64_t requests = 0;
            int n = 0;

            for (const struct sample *o = e->blocks; o; o = o->next)
                for (uint32_t k = 0; k < o->nchains; k++)
                    if (o->chains[k].addr == s->chains[i].addr) {
                        requests += o->chains[k].requests;
                        n++;
                    }
            if (n > 1)
                part = fmax(part, (double)requests / (double)all);
            else if (requests > most)
                most = requests;
        }
    uint64_t shared = (uint64_t)(part * atomics + 0.5);
    return shared > most ? shared : most;
}

static void mean_life(const struct ended *e, double life[PACE_CLOCKS])
{
    int n = 0;
    for (const struct sample *s = e->blocks; s; s = s->next) {
        double one[PACE_CLOCKS];
        if (!s->pace)
            continue;
        pace_life(s->pace, one);
        n++;
        for (int k = 0; k < PACE_CLOCKS; k++)
            life[k] += (one[k] - life[k]) / n;
    }
}

/* Of the passes that are counted, as many more and fewer as in the blocks that are paced. */
static void shared_passes(const struct ended *e, const struct counters *c, struct sampled *to)
{
    double counted = (double)(c->shared_ld_wavefronts + c->shared_st_wavefronts);
    struct pace_shared all = {0};
    for (const struct sample *s = e->blocks; s; s = s->next)
        if (s->pace)
            pace_shared(s->pace, &all);
    if (all.passes) {
        to->shared_skipped = (uint64_t)(counted * (double)all.skipped / (double)all.passes);
        to->shared_joined = (uint64_t)(counted * (double)all.joined / (double)all.passes);
    }
}

void traffic_result(uint64_t launch, const struct counters *c, struct model_launch *l)
{
    struct ended e = take(launch);
    double counted = (double)(c->global_ld_sectors + c->global_st_sectors + c->global_atom_sectors);
    double local = (double)(c->local_ld_sectors + c->local_st_sectors);
    uint64_t asked = 0, missed = 0, passes = 0, bulk = 0, distinct = 0, constants = 0;
    uint64_t loads = 0, visits = 0, for_others = 0;
    uint64_t host_in = 0, host_out = 0, peer_in = 0, peer_out = 0;
    double life[PACE_CLOCKS] = {0};
    for (const struct sample *s = e.blocks; s; s = s->next) {
        asked += s->asked;
        missed += s->missed;
        passes += s->passes;
        bulk += s->bulk;
        host_in += s->host_in;
        host_out += s->host_out;
        peer_in += s->peer_in;
        peer_out += s->peer_out;
        for (int i = 0; i < SAMPLED_MANAGED && s->managed[i].addr; i++)
            add_managed(l->sampled.managed, &s->managed[i]);
        distinct += s->sectors.count;
        constants = s->constants.count > constants ? s->constants.count : constants;
        for_others += s->for_others;
        loads += s->constant_loads;
        visits += s->constant_visits;
    }
    l->sampled.known = e.blocks != NULL;
    l->sampled.const_bytes = 32 * constants;
    l->sampled.const_visits =
        loads ? (uint64_t)((double)c->const_ld_requests * (double)visits / (double)loads) : 0;
    l->sampled.atom_chain =
        longest_chain(&e, (double)(c->global_atom_requests + c->global_red_requests));
    mean_life(&e, life);
    shared_passes(&e, c, &l->sampled);
    l->sampled.life_l2 = life[PACE_NEAR];
    l->sampled.life_dram = life[PACE_FAR];
    if (asked) {
        double beyond = counted * (double)missed / (double)asked;
        double a_sector = missed ? beyond / (double)missed : 0;
        l->sampled.l2_sectors = (uint64_t)(beyond + local);
        l->sampled.cluster_sectors = (uint64_t)(a_sector * (double)for_others);
        l->sampled.host_in_sectors = (uint64_t)(a_sector * (double)host_in);
        l->sampled.host_out_sectors = (uint64_t)(a_sector * (double)host_out);
        l->sampled.peer_in_sectors = (uint64_t)(a_sector * (double)peer_in);
        l->sampled.peer_out_sectors = (uint64_t)(a_sector * (double)peer_out);
        for (int i = 0; i < SAMPLED_MANAGED; i++) {
            struct managed_sectors *m = &l->sampled.managed[i];
            m->sectors = (uint64_t)(a_sector * (double)m->sectors);
            m->far = (uint64_t)(a_sector * (double)m->far);
        }
        l->sampled.l1_passes = (uint64_t)(counted * (double)passes / (double)asked);
        l->sampled.l2_repeated = bulk ? (uint64_t)(a_sector * (double)bulk * near_part(&e)) : 0;
        double all = (double)sectors_touched(&e);
        if (fits_l2(all))
            l->sampled.life_dram = l->sampled.life_l2;
        else
            l->sampled.dram_sectors = (uint64_t)from_dram(
                &e, all, beyond + local, missed ? (double)distinct / (double)missed : 1);
    }
    drop_ended(&e);
}

static bool sampling = true;

bool traffic_set_sample(bool on)
{
    bool before = sampling;
    sampling = on;
    return before;
}

uint64_t traffic_set_sample_at(uint64_t at)
{
    uint64_t before = sample_at;
    sample_at = at;
    return before;
}

static bool wants_launch(struct listener *self, const struct block_info *any)
{
    (void)self, (void)any;
    return emu_options()->sample && sampling && !disturb_now();
}

static bool wants_block(struct listener *self, const struct block_info *b)
{
    (void)self;
    return traffic_wants(b->index, b->nctaid);
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
        .path = on_path,
        .barrier_arrive = on_arrive,
        .barrier_leave = on_leave,
        .peer_arrive = on_peer_arrive,
    };

    return &self;
}

__attribute__((constructor)) static void listen(void)
{
    listener_register(traffic_listener());
}
