/* private.h - what the parts of the checker share (check*.c only).
 *
 * Shadow memory. Every 4 KiB of an allocation, or of a block's shared memory, has a
 * struct shadow_page: which of its bytes were ever written, and for races three cells a
 * word: the last write and the last reads of two different warps. A cell is 64 bits:
 *
 *   63        44 43       32 31  30 29    25 24    20 19                0
 *   |   clock   |   site    | how  |  warp  |  lane  |       block       |
 *
 * Order. A warp's clock ticks whenever something orders its accesses before somebody
 * else's: at block barriers, bar.warp.sync, fences and releases. An access at clock c is
 * ordered before the present one when the present thread has learned of c:
 *   - every warp of the block: c <= bar, the clock of the last barrier of the whole block;
 *   - lanes of the same warp: c <= synced[warp], or lane_known after a partial sync;
 *   - warps that met at a named barrier: known[][];
 *   - through memory: the writer published c (a fence, then an atomic or other strong
 *     write: struct release), and the reader has since seen a strong read or atomic on
 *     the same channel. A channel is a hash of the address into CHANNELS classes, so
 *     two synchronisation variables may be taken for one: a race can be missed that way,
 *     never invented.
 * At a barrier of the whole block all clocks become equal, so that "before the barrier"
 * is one comparison of a cell with a threshold.
 */
#ifndef EMULATOR_CHECK_INTERNAL_H
#define EMULATOR_CHECK_INTERNAL_H

#include "check.h"
#include "base/alloc.h"
#include "emulator/base/mem.h"
#include <pthread.h>
#include <stdatomic.h>

/* ---- shadow memory (shadow.c) ---- */
#define PAGE_BITS  12
#define PAGE_BYTES (1u << PAGE_BITS)
enum page_init { INIT_NONE, INIT_ALL, INIT_SOME };

struct cells {
    uint64_t write, read, other; /* other: a read by another warp, or a store before write */
};

struct shadow_page {
    _Atomic uint8_t lock;
    uint8_t init;        /* enum page_init; INIT_SOME: see bits */
    uint8_t shift;       /* a cell covers 1 << shift bytes: 4, or fewer once narrow accesses came */
    uint32_t tag;        /* launch that the cells belong to */
    uint32_t family;     /* and whose grids `older` is of (family.c) */
    struct cells *cells; /* PAGE_BYTES >> shift */
    struct older *older; /* as many, NULL: no other grid was here */
    uint8_t *bits;       /* a bit a byte: written */
};

struct shadow { /* mem_alloc.shadow points to this */
    uint64_t addr, serial;
    uint64_t base, npages; /* pages start at multiples of PAGE_BYTES: nothing straddles one */
    struct shadow *next;
    struct shadow_page pages[];
};

static inline void page_lock(struct shadow_page *p)
{
    while (atomic_exchange_explicit(&p->lock, 1, memory_order_acquire))
        while (atomic_load_explicit(&p->lock, memory_order_relaxed))
            ;
}

static inline void page_unlock(struct shadow_page *p)
{
    atomic_store_explicit(&p->lock, 0, memory_order_release);
}

struct shadow *shadow_of(const struct mem_alloc *a); /* made when missing */
void shadow_sweep(void); /* frees shadows of freed allocations; no launch may run */
void page_set_written(struct shadow_page *p, uint32_t from, uint32_t to);
bool page_any_written(const struct shadow_page *p, uint32_t from, uint32_t to);
bool page_all_written(const struct shadow_page *p, uint32_t from, uint32_t to);
/* Cells of at most 1 << shift bytes, empty unless they are of this launch. */
void page_prepare_cells(struct shadow_page *p, uint32_t tag, uint32_t shift);
static inline void page_ready(struct shadow_page *p, uint32_t tag, uint32_t shift)
{
    if (!p->cells || p->tag != tag || p->shift > shift)
        page_prepare_cells(p, tag, shift);
}
void page_clear(struct shadow_page *p); /* nothing written; cells stay */

/* ---- cells ---- */
#define CELL_BLOCK       0xfffffull
#define CELL_LANE_SHIFT  20
#define CELL_WARP_SHIFT  25
#define CELL_HOW_SHIFT   30
#define CELL_SITE_SHIFT  32
#define CELL_CLOCK_SHIFT 44
#define CELL_WARP_MASK   ((31ull << CELL_WARP_SHIFT) | CELL_BLOCK)
#define CELL_THREAD_MASK ((31ull << CELL_LANE_SHIFT) | CELL_WARP_MASK)
#define CELL_HOW_MASK    (3ull << CELL_HOW_SHIFT)
#define CLOCK_MAX        ((1u << 20) - 2)
#define SITE_UNKNOWN     0xfffu
#define MAX_BLOCKS       (1u << 20) /* races are looked for in the first so many blocks */
#define MAX_WARPS        32u
#define READ_CHUNK       16u
#define READ_CHUNKS      (1u << 14) /* more than a block has */

/* 0 is an empty cell: clocks start at 1. */
enum how {
    HOW_WARP = 0,   /* the warp as one (wmma, ldmatrix): any of its lanes may have done it */
    HOW_WEAK = 1,   /* plain load or store */
    HOW_STRONG = 2, /* atomic, relaxed, acquire, release; volatile in global memory */
    HOW_MANY = 3,   /* reads: several lanes of the warp; writes: strong at .cta scope only */
};

static inline uint32_t cell_clock(uint64_t c)
{
    return (uint32_t)(c >> CELL_CLOCK_SHIFT);
}
static inline uint32_t cell_site(uint64_t c)
{
    return (uint32_t)(c >> CELL_SITE_SHIFT) & 0xfff;
}
static inline uint32_t cell_how(uint64_t c)
{
    return (uint32_t)(c >> CELL_HOW_SHIFT) & 3;
}
static inline uint32_t cell_warp(uint64_t c)
{
    return (uint32_t)(c >> CELL_WARP_SHIFT) & 31;
}
static inline uint32_t cell_lane(uint64_t c)
{
    return (uint32_t)(c >> CELL_LANE_SHIFT) & 31;
}
static inline uint32_t cell_block(uint64_t c)
{
    return (uint32_t)(c & CELL_BLOCK);
}

/* ---- one launch ---- */
#define CHANNELS 64

struct release { /* what a strong write published; immutable once linked */
    struct release *next;
    uint64_t time;
    uint8_t channel;
    bool block_only; /* the fence was .cta: counts inside the block */
    bool reads_only; /* there was none: only reads were over before it */
    uint16_t nwarps;
    uint32_t clock[]; /* of each warp of the block: accesses up to here; then what each
                         warp's clock was */
};

struct channel {
    pthread_mutex_t lock;
    _Atomic bool used;
    uint64_t known[2][CHANNELS]; /* what those who released here knew; 1: of reads */
};

#define HELD_BUCKETS 64

struct launch_state {
    struct launch_state *next;
    uint64_t serial;
    uint32_t tag, nblocks;
    struct block_state *running;
    pthread_mutex_t later_lock;
    struct later *later;  /* report.c */
    pthread_mutex_t lock; /* of sites */
    const struct site *sites[SITE_UNKNOWN];
    _Atomic uint32_t nsites;
    _Atomic uint64_t now; /* releases so far */
    struct channel channels[CHANNELS];
    _Atomic(struct release *) *released; /* by block */

    pthread_mutex_t held_lock; /* of what follows: held.c */
    _Atomic uint32_t nheld;
    struct held *held[HELD_BUCKETS];
    uint8_t *over; /* a bit a block: ended */
    struct grid *grid;
};

/* ---- one block ---- */
#define BARRIERS   17 /* the last: barrier.cluster */
#define SITE_CACHE 64

#define MAX_UNWRITTEN 32
#define READS_ENDED   32

/* The last wait that left a read under way, and how many groups it leaves; site NULL: none did. */
struct left_by {
    const struct site *site;
    uint32_t left;
};

struct unwritten { /* a read of memory that was never written */
    const struct site *site;
    enum access_space space;
    uint32_t size, thread;
    uint64_t addr;
    bool stored;  /* since, but by an atomic or by the line and thread that read it */
    bool changed; /* … by such alone: what it is made of nobody has set */
};

struct block_state {
    struct block_state *next; /* of the pool, or of the launch's running blocks */
    struct launch_state *launch;
    const struct block_info *info; /* of the copy: the block may be gone before the launch */
    struct block_info info_copy;
    uint32_t block, nwarps;
    bool some;                /* checked without most others */
    bool races;               /* looked for: few enough blocks, clocks not run out */
    uint32_t live[MAX_WARPS]; /* lanes not exited */
    bool any_exited;
    const struct site *met[2]; /* barriers of the code at which warps first met as if at one */

    uint32_t clock[MAX_WARPS];
    uint32_t bar;
    uint32_t synced[MAX_WARPS];
    uint32_t (*lane_known[MAX_WARPS])[32]; /* [me][other]; NULL until a partial sync */
    bool has_known;
    uint32_t known[MAX_WARPS][MAX_WARPS]; /* [me][other] */

    struct {                     /* who stands at which barrier */
        uint32_t arrived, waits; /* warps */
        const struct site *site;
    } barrier[BARRIERS];
    struct { /* part of a warp at a barrier: divergent, unless the others have exited */
        const struct site *site;
        uint32_t mask, live;
    } partial[MAX_WARPS];

    /* Release and acquire; used only by programs that fence. published[g][w][v]: clock of
     * warp v that w's last fence covers; g 0 .cta and wider, 1 wider only. */
    bool has_published, has_learned;
    bool has_met; /* somebody by an atomic or another strong access */
    uint32_t published[2][MAX_WARPS][MAX_WARPS];
    uint64_t pending[MAX_WARPS]; /* channels read since the last event */
    /* Time, by what it is good for: order after writes and reads, after reads only. The last
     * row: every warp. */
    uint64_t learned[2][MAX_WARPS + 1][CHANNELS];
    uint64_t nlearned; /* times that somebody learned */
    struct answer {    /* the last one, by read and by the warp that the cell names */
        uint64_t cell, nlearned;
        uint32_t warp;
        bool ordered;
    } answers[2][MAX_WARPS];

    struct { /* recently used allocations */
        uint64_t addr, size, generation;
        const struct mem_alloc *alloc;
        struct shadow *shadow; /* NULL: not checked */
    } recent[4];
    uint32_t recent_next;

    struct {
        const struct site *site;
        uint32_t id;
    } site_cache[SITE_CACHE];

    const struct site *last[3][MAX_WARPS]; /* access by space and warp; for advice */
    /* Shared memory read early: said at the end of the block, unless a race explains it. */
    struct unwritten unwritten[MAX_UNWRITTEN];
    const struct site *raced[MAX_UNWRITTEN];
    uint32_t nunwritten, nraced;
    bool stopped; /* by a fault, before its end */

    /* Local memory read before it was written: no finding if the warp's next access stores
     * it back, for then a bit-field was set. */
    struct read_first {
        const struct site *site; /* NULL: none */
        uint32_t size, mask;
        uint64_t addr;
    } read_first[MAX_WARPS];

    /* The asynchronous proxy (async.c): reads under way, groups asked for (a lane's of copies, a
     * warp's of products); clocks of warps whose stores a proxy fence covers; whose last fence came
     * after all that they have learned of. */
    struct reading *reading;
    struct ended { /* reads that are over, by their instruction */
        const struct site *read;
        struct left_by by;
    } ended_reads[READS_ENDED];
    uint32_t nended_reads;
    uint16_t under_way[READ_CHUNKS]; /* readings of a chunk, by its place modulo their number */
    uint32_t copies[MAX_WARPS][32], products[MAX_WARPS], proxied[MAX_WARPS];
    bool fenced[MAX_WARPS];
    /* Tensor maps (maps.c): acquired by whom of the block; clocks of warps whose writes a release
     * fence for them covers. */
    struct acquired *acquired;
    uint32_t nacquired, released[MAX_WARPS];

    struct landings *landings; /* landing.c; NULL: none yet */
    struct all_rounds *rounds; /* rounds.c; likewise */
    bool follows;              /* something went wrong here: what comes may follow from it */
    bool ended;                /* by itself */
    bool landed;               /* some copy has come, or will */

    struct shadow_page *shared; /* pages of the block's shared memory */
    uint32_t nshared;           /* pages there are */
    uint32_t *local[MAX_WARPS]; /* a mask of lanes a byte: written */
    uint32_t nlocal[MAX_WARPS]; /* bytes there are */
};

/* ---- order (order.c) ---- */
void order_block_begin(struct block_state *b);
void order_arrive(struct block_state *b, const struct site *s, uint32_t warp, uint32_t id);
void order_leave(struct block_state *b, uint32_t id);
void order_warp_sync(struct block_state *b, uint32_t warp, uint32_t mask);
void order_fence(struct block_state *b, uint32_t warp, uint8_t scope);
/* A strong access to a synchronisation variable at key; write: it may release. Lanes of the
 * access whose variables share a channel tell nothing new: `told` has a bit a channel. */
void order_strong(struct block_state *b, const struct access *a, uint64_t key, bool write,
                  uint64_t *told);
void order_resolve(struct block_state *b, uint32_t warp);
/* By warp, up to which clock a proxy fence of this one covers stores; before order_fence(). */
void order_proxy(struct block_state *b, uint32_t warp, uint32_t clocks[MAX_WARPS]);
/* A warp arrives at the cluster's barrier; then, all blocks' warps having arrived, b leaves it. */
void order_cluster_arrive(struct block_state *b, uint32_t warp);
void order_cluster_leave(struct block_state *b);
/* The warp has waited for n from `first` on. */
void order_group(struct block_state *b, uint32_t warp, uint32_t first, uint32_t n);
/* The access in the cell, a read or a write, is ordered before what this lane does now. */
bool order_before(struct block_state *b, uint64_t cell, bool read, uint32_t warp, uint32_t lane);
void order_launch_free(struct launch_state *l);

static inline void order_catch_up(struct block_state *b, uint32_t warp)
{
    if (b->pending[warp])
        order_resolve(b, warp);
}

void shared_touch(struct block_state *b, const struct access *a);      /* check.c */
struct shadow_page *global_page(struct block_state *b, uint64_t addr); /* NULL: not checked */

void order_tick(struct block_state *b, uint32_t warp);

/* ---- what is read while nobody waits (async.c) ---- */
struct race;
void async_begin(struct block_state *b);
void async_read(struct block_state *b, const struct access *a);
/* a: of a warp of `who`, b itself or another block of its cluster */
void async_written(struct block_state *b, struct block_state *who, const struct access *a);
/* mask: the lanes whose copies it is about; of products, which are a warp's, nothing */
void async_commit(struct block_state *b, const struct site *s, uint32_t warp, uint32_t mask);
void async_wait(struct block_state *b, const struct site *s, uint32_t warp, uint32_t mask,
                uint32_t left);
void async_fence(struct block_state *b, const struct site *s, uint32_t warp);
/* Does the access read by that proxy what an ordinary store wrote, with no proxy fence since? */
bool async_unfenced(const struct race *x, uint64_t cell);
/* What left it under way, of the reads by that instruction that are over, the last. */
struct left_by async_left_by(const struct block_state *b, const struct site *read);
void async_end(struct block_state *b); /* the block has ended: is anything still read? */

/* ---- tensor maps that kernels write (maps.c) ---- */
void maps_begin(struct block_state *b);
void maps_fence(struct block_state *b, const struct site *s, uint32_t warp); /* any fence */
/* A tensor copy reads the map there; or an acquire fence lets them read it. */
void maps_read(struct block_state *b, const struct site *s, uint32_t warp, uint64_t at, bool fence);

/* ---- what copies bring (landing.c) ---- */
/* Of what it writes an mbarrier hears that it has come. */
static inline bool site_brings(const struct site *s)
{
    return s->proxy || s->sends;
}
void landing_begin(struct block_state *b);
void landing_end(struct block_state *b);
/* The access is to an mbarrier, as one: then landing_arrive() is for it, after its state changed.
 */
bool landing_barrier(const struct access *a);
void landing_arrive(struct block_state *b, const struct access *a);
/* A warp of `who`, another block, arrives at an mbarrier of b. */
void landing_peer_arrive(struct block_state *b, struct block_state *who, const struct access *a);
/* A copy is to bring this; what its mbarrier hears comes next. */
void landing_chunk(struct block_state *b, const struct access *a);
void landing_touched(struct block_state *b, const struct access *a); /* anything else */

/* ---- what came to mbarriers (rounds.c) ---- */
void rounds_begin(struct block_state *b);
/* A warp of `who`, b itself or another block, has done something with an mbarrier of b. */
void rounds_hear(struct block_state *b, const struct block_state *who, const struct access *a);
uint32_t rounds_over(const struct block_state *b, uint64_t at); /* of this mbarrier */
/* The mbarrier that the warp has waited for last; false: none. */
bool rounds_waited(const struct block_state *b, uint32_t warp, uint64_t *at);
/* And that wait was for the parity that has been before the first round, as one may at first. */
bool rounds_waited_for_nothing(const struct block_state *b, uint32_t warp);
/* Adds, of the mbarrier that a thread has waited for, that more arrive than it is made for; or of
 * any that more bytes come than it is told to expect. False: it is not so. */
bool rounds_put_too_many(struct text *t, const struct block_state *b, uint64_t at);
bool rounds_put_surplus(struct text *t, const struct block_state *b);
/* Adds, of the mbarrier that the warp has waited for last, that nobody of the block whose memory it
 * is about to write has arrived in each round. False: somebody has. */
bool rounds_put_absent(struct text *t, const struct block_state *b, uint32_t warp,
                       const struct block_info *reader);
/* Likewise, that the warp has waited for it by one parity twice in a row. */
bool rounds_put_again(struct text *t, const struct block_state *b, uint32_t warp);
/* Why a warp may not know of a copy that an mbarrier counts, so many rounds of which were over when
 * it was asked for. */
void rounds_put_read_early(struct text *t, const struct block_state *b, uint32_t warp, uint64_t at,
                           uint32_t over);
void rounds_put_left(struct text *t, const struct block_state *b, uint64_t at, uint32_t over);
/* A warp waits for it in vain. */
void rounds_put_waiting(struct text *t, const struct block_state *b, uint32_t warp, uint64_t at);

/* ---- races (race.c) ---- */
struct race {
    struct block_state *b;
    const struct access *a;
    uint64_t me;        /* cell of lane 0 */
    uint64_t below;     /* cells of this block below it are ordered before */
    uint32_t block;     /* as cells have it: 0 in shared memory, which only one block sees */
    uint32_t shift;     /* widest cell that suits the access */
    bool strong, proxy; /* proxy: reads by the asynchronous one */
    bool simple;    /* plain, and lanes of this warp know of each other only what all of them do */
    uint64_t since; /* cells of this warp from here on are not known to be over */
    bool crowded;   /* two readers of other blocks are enough: nothing can have ordered them */
};
void race_begin(struct race *x, struct block_state *b, const struct access *a);
/* n lanes' accesses, from `lane` on, to consecutive places from `from` on in a page that
 * is locked and prepared. contents: what memory holds there, or NULL; tells stores that
 * change nothing. */
void race_run(const struct race *x, struct shadow_page *p, uint32_t from, uint32_t lane, uint32_t n,
              const uint8_t *contents);
/* The lane stores what memory holds already. */
bool race_stores_nothing_new(const struct race *x, uint32_t lane, const uint8_t *contents);
/* … or does so by a strong store. */
bool race_stores_the_same(const struct race *x, uint32_t lane, const uint8_t *contents);

/* ---- grids that launch grids (family.c) ---- */
void family_begin(struct launch_state *l, const struct block_info *any);
void family_end(struct launch_state *l);
/* A thread of the block has launched w. */
void family_child(struct block_state *b, const struct device_work *w, uint32_t warp, uint32_t lane);
void family_keep(struct shadow_page *p); /* its cells, before another launch's come */
void family_split(struct shadow_page *p, uint32_t n, uint32_t times); /* each of n into so many */
void family_meet(const struct race *x, struct shadow_page *p, uint32_t from, uint32_t lane,
                 uint32_t n, const uint8_t *contents);

/* ---- reports (report.c) ---- */
/* A race as it will be told. a.addr and a.value may be over by then. */
struct clash {
    const struct block_info *info;
    struct access a;
    uint64_t addr, other; /* other: its cell */
    uint32_t lane;
    bool other_writes, same_instruction, follows;
    const struct site *site;   /* the other's, or NULL */
    const struct site *before; /* of the warp's last access; for advice */
    struct left_by left_by;    /* of the other, a product or a copy */
    bool waited_for_nothing;   /* this one's thread, at the mbarrier before it */
    bool by_some;              /* not by all lanes of this one's warp that have not ended */
};
struct clash clash_of(struct block_state *b, const struct access *a, uint32_t lane, uint64_t other,
                      bool other_writes, bool same_instruction);
bool clash_known(const struct clash *c); /* its two lines have been told */
void report_clash(const struct clash *c);
/* Shared memory is stored: perhaps what was read before. */
void report_stored(struct block_state *b, const struct access *a);
void report_unwritten(struct block_state *b, const struct access *a, uint32_t lane);
void report_block_end(struct block_state *b);
void report_later(struct launch_state *launch);   /* findings that wait for its end */
void report_launch_end(const struct emu_func *f); /* races that wait for a block that did not end */
void report_barrier(struct block_state *b, const struct site *s, uint32_t warp, uint32_t mask,
                    uint32_t live);
enum async_fault {
    ASYNC_OVERWRITTEN,
    ASYNC_UNFENCED,
    ASYNC_UNWAITED,
    ASYNC_UNORDERED,
    ASYNC_NOT_WAITED
};
void report_put_left_by(struct text *t, const struct left_by *by);
extern const char report_first_wait[]; /* what it means that a copy's thread waited for nothing */
/* What is known of the read or the copy that an access meets. */
struct asked {
    const struct site *site;
    struct block_state *of; /* in whose memory; NULL: no more is known than the site */
    uint32_t block, warp;   /* by whom */
    bool product;
    uint64_t barrier;            /* of a copy: the mbarrier that counts it, ... */
    uint32_t over;               /* ... and how many of its rounds were over then */
    const struct coming *coming; /* of a cp.async */
    struct left_by left_by;      /* of a read */
};
/* What the access does to what another place asked for, or wrote. */
void report_async(struct block_state *b, enum async_fault what, const struct access *a,
                  uint32_t lane, const struct asked *other);
/* By a warp of a block of b's cluster: a copy that is under way when b ends; something sent to an
 * mbarrier of another block that need not be set up yet, or whose block may have ended. */
void report_left(struct block_state *b, const struct asked *by);
/* A copy reads a map that `writer` wrote. */
void report_map(struct block_state *b, uint32_t warp, const struct site *s,
                const struct site *writer, bool acquired);
void report_early(struct block_state *b, uint32_t block, uint32_t warp, const struct site *s,
                  const struct site *made);
/* By a warp of the block that sets the mbarrier up: nothing orders that before. */
/* More bytes came to an mbarrier than it was told to expect, the last by `s`. */
void report_surplus(struct block_state *b, uint32_t block, uint32_t warp, const struct site *s,
                    const struct site *made, uint32_t bytes);
void report_unmade(struct block_state *b, uint32_t warp, const struct site *s,
                   const struct site *made);
void report_late(struct block_state *b, uint32_t block, uint32_t warp, const struct site *s,
                 const struct site *made);
enum register_fault { REGISTER_TOUCHED, REGISTER_UNFENCED };
/* At s; other: the product whose register it is, or that touched it before the product s. */
void report_registers(const struct block_info *b, enum register_fault what, uint32_t warp,
                      const struct site *s, const struct site *other);
void report_exited(struct block_state *b, const struct site *s);
void report_matrix(struct block_state *b, const struct matrix_move *m); /* if it is not allowed */
/* Lanes execute a .sync operation whose mask does not name them. */
void report_nan(struct block_state *b, const struct site *s, uint32_t thread, const char *operands);
void report_outside_mask(struct block_state *b, const struct site *s, uint32_t warp, uint32_t lanes,
                         uint32_t members);
struct relative { /* an access by a grid that ran before */
    const struct emu_func *func;
    const struct site *site; /* or NULL */
    bool above, writes;      /* above: it launched this one, or a grid that did */
    bool graph, streams;     /* both are nodes of one; of a schedule's kernels */
    uint32_t block, thread, ntid[3], nctaid[3];
};
void report_relative(struct block_state *b, const struct access *a, uint32_t lane,
                     const struct relative *r);
void report_leak(const struct mem_alloc *a);
void report_put_site(struct text *t, const struct site *s);

/* ---- ways through the program (paths.c) ---- */
/* Is there a way from one instruction on to the other that passes no block barrier? Where that is
 * not known, there is. */
bool way_without_barrier(const struct emu_func *f, const struct site *from, const struct site *to);
/* The two instructions name their address in the same way, so that a thread that executes one after
 * the other means one place. Where that is not known, they do. */
bool one_address(const struct emu_func *f, const struct site *a, const struct site *b);
/* Is the address made of blockIdx, by what the program computes? Where that is not known, it is. */
bool address_of_block(const struct emu_func *f, const struct site *s);
/* Does it read blockIdx, itself? */
bool asks_for_block(const struct emu_func *f);

/* ---- plain reads that may yet turn out harmless (held.c) ---- */
struct reader {
    uint32_t block, warp, lane;
    bool another; /* not this lane, but one of its warp's */
};
/* c is a race of this reader with an atomic. False: the reader is gone, say it now. */
bool held_back(struct launch_state *l, const struct clash *c, const struct reader *r);
void held_decide(struct block_state *b, const struct access *a, uint32_t lane); /* an atomic */
void held_block_end(struct block_state *b);
void held_launch_begin(struct launch_state *l);
void held_launch_free(struct launch_state *l);

#endif
