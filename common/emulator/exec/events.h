/* events.h - what the interpreter tells its listeners.
 *
 * The warp interpreter counts the cheap things itself (count.h, inline) and, when any
 * listener is installed for a launch, calls it at every memory access, barrier, path
 * change and block boundary. The interpreter knows nothing of what listeners do. Calls
 * for one block come in program order from one host thread; different blocks' calls may
 * come from different threads at once.
 */
#ifndef EMULATOR_EVENTS_H
#define EMULATOR_EVENTS_H

#include "emulator/code/source.h"
#include <stdbool.h>
#include <stdint.h>

#define MAX_LISTENERS 8

struct emu_func;
struct launch;
struct device_work;
struct block;
struct launch_moment;
struct text;

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };
enum access_space { ACCESS_GLOBAL, ACCESS_SHARED, ACCESS_LOCAL };

struct block_info {
    const struct block *of; /* for copy_coming(), while it runs */
    struct emu_func *func;
    const char *kernel;
    uint64_t launch;                  /* serial of the launch */
    const struct device_work *origin; /* by which a kernel launched it; NULL: the host did */
    const struct launch_moment *moment;
    unsigned device;         /* that it runs on */
    uint32_t index;          /* linear, x fastest */
    uint32_t cluster;        /* index of its cluster's first block; alone: its own */
    bool chosen;             /* one of a few that run without the others */
    uint32_t cluster_blocks; /* in its cluster; 1: alone */
    uint32_t ctaid[3], ntid[3], nctaid[3];
    uint32_t threads, warps;      /* per block */
    uint32_t shared_bytes;        /* static + dynamic */
    uint32_t shared_extent;       /* bytes of `shared` that variables are in: more, with a map */
    const struct shared_map *map; /* guard.h; NULL: variables lie side by side */
    const uint8_t *shared;        /* contents of the block's shared memory; NULL: not shown */
    void *user[MAX_LISTENERS];    /* a listener's own data for this block, by listener slot */
};

struct access {
    const struct site *site;
    enum access_kind kind;
    enum access_space space;
    bool is_volatile, is_async; /* ld/st.volatile or relaxed and stronger; cp.async */
    bool collective;            /* by the warp as one: which lane moves what is not defined */
    uint8_t order;              /* 0 weak/volatile, 1 relaxed, 2 acquire, 4 release (2|4 acq_rel) */
    uint8_t scope;              /* 0 none, 1 cta, 2 cluster, 3 gpu, 4 sys */
    uint8_t size;               /* bytes a lane: 1, 2, 4, 8, 16 */
    uint32_t warp;              /* in the block */
    uint32_t mask;              /* lanes that access */
    const uint64_t *addr;       /* 32; shared: offset in the block's shared memory; local:
                                   offset in the thread's; global: device address */
    const uint32_t *const *value; /* not NULL for loads after, stores before the access:
                             value[k][lane] is word k (size/4 words, at least 1) */
};

/* A warp's wmma.load or wmma.store: where its matrix is. */
struct matrix_move {
    const struct site *site;
    uint32_t warp, mask;
    uint32_t fragment;            /* bytes of it in a lane's registers */
    const uint64_t *addr, *pitch; /* by lane: generic address; bytes from row (column) to next */
};

struct listener {
    const char *name;
    int slot;   /* index of block_info.user, from listener_register() */
    bool apart; /* wants shared variables laid apart (guard.h) ... */
    bool as_is; /* ... or as they lie on a GPU, whatever others want */
    /* All may be NULL. Does it want this launch, this block? NULL: each. One without block_begin
     * hears of no block. */
    bool (*wants_launch)(struct listener *l, const struct block_info *any);
    bool (*wants_block)(struct listener *l, const struct block_info *b);
    void (*launch_begin)(struct listener *l, const struct block_info *any);
    void (*launch_end)(struct listener *l, const struct block_info *any);
    /* Then: workers have counted, and *x->result is to be filled (exec.h). */
    void (*counted)(struct listener *l, struct launch *x);
    /* A thread's error has ended the launch: `what` happened, and in emu_error_text() also where.
     * Told once no block runs any more, before launch_end; of several blocks' the lowest one's. */
    void (*fault)(struct listener *l, const struct block_info *b, const struct site *s,
                  uint32_t thread, const char *what);
    void (*block_begin)(struct listener *l, struct block_info *b);
    void (*block_end)(struct listener *l, struct block_info *b);
    /* Before the access takes place; bounds and alignment have been checked. */
    void (*access)(struct listener *l, struct block_info *b, const struct access *a);
    /* Before the accesses that it is made of. */
    void (*matrix)(struct listener *l, struct block_info *b, const struct matrix_move *m);
    /* A warp's lanes `mask` arrive at block barrier `id`; later, all leave it. */
    void (*barrier_arrive)(struct listener *l, struct block_info *b, const struct site *s,
                           uint32_t warp, uint32_t mask, uint32_t id, bool aligned);
    void (*barrier_leave)(struct listener *l, struct block_info *b, uint32_t id);
    /* A warp of b writes to the shared memory of another block of the cluster, or has a copy write
     * there: a->addr is the offset there. */
    void (*peer_write)(struct listener *l, struct block_info *b, const struct block_info *owner,
                       const struct access *a);
    /* A warp of b arrives at an mbarrier of another block of the cluster: a->addr is its offset
     * there. */
    void (*peer_arrive)(struct listener *l, struct block_info *b, const struct block_info *owner,
                        const struct access *a);
    /* bar.warp.sync (and the other .sync operations, with sync=false) among `mask`. */
    void (*warp_sync)(struct listener *l, struct block_info *b, const struct site *s, uint32_t warp,
                      uint32_t mask, bool sync);
    /* Lanes execute a .sync operation whose member mask, the first of them's being `members`, does
     * not name themselves. */
    void (*outside_mask)(struct listener *l, struct block_info *b, const struct site *s,
                         uint32_t warp, uint32_t lanes, uint32_t members);
    /* A thread computes a NaN of operands that are none: "0 and inf" (nan.h). */
    void (*makes_nan)(struct listener *l, struct block_info *b, const struct site *s,
                      uint32_t thread, const char *operands);
    /* membar/fence; scope as in struct access. */
    void (*fence)(struct listener *l, struct block_info *b, const struct site *s, uint32_t warp,
                  uint32_t mask, uint8_t scope, uint8_t order);
    /* A warp's tensor copy reads the map there, in global memory; or a fence of it lets copies see
     * what was written there. */
    void (*tensor_map)(struct listener *l, struct block_info *b, const struct site *s,
                       uint32_t warp, uint64_t at, bool fence);
    /* What a warp has asked for asynchronously, products, or these lanes of it, copies from shared
     * memory, becomes a group; later it waits, or they do, for all but the last `left` groups. */
    void (*async_commit)(struct listener *l, struct block_info *b, const struct site *s,
                         uint32_t warp, uint32_t mask);
    void (*async_wait)(struct listener *l, struct block_info *b, const struct site *s,
                       uint32_t warp, uint32_t mask, uint32_t left);
    /* A lane has asked for work that is done when its grid has ended (exec/launch.h). */
    void (*child)(struct listener *l, struct block_info *b, const struct device_work *w,
                  uint32_t warp, uint32_t lane);
    /* The block can never go on, and this warp of it waits for the mbarrier at that offset: adds
     * what is known of it to the words about that. */
    void (*waits_in_vain)(struct listener *l, const struct block_info *b, uint32_t warp,
                          uint64_t at, struct text *t);
    void (*lanes_exit)(struct listener *l, struct block_info *b, uint32_t warp, uint32_t mask);
    /* A warp starts on a basic block's instructions with these lanes active (trace). */
    void (*path)(struct listener *l, struct block_info *b, const struct site *first,
                 uint32_t ninsns, uint32_t warp, uint32_t mask);
    void *user;
};

/* A cp.async that a warp of the block has asked for, and nobody has waited for. */
struct coming {
    const struct site *site;
    bool committed;          /* to a group; since that one's, ... */
    const struct site *wait; /* ... the warp's last wait for groups; NULL: none */
    uint32_t since, left;    /* groups committed between the two, and left under way by the wait */
    bool idle;               /* none was committed between that wait and the one before */
};
/* One that is to write there in shared memory; false: none. For listeners, of a block that runs. */
bool copy_coming(const struct block_info *b, uint64_t at, uint32_t size, struct coming *c);
/* Have more warps been at a barrier that has a count of its own than that is for? Likewise. */
bool barrier_is_crowded(const struct block_info *b);

/* Registers one for all launches to come, at the program's start (a constructor): the launcher
 * knows of nobody, and asks each whether it wants a launch. */
void listener_register(struct listener *l);
/* Who wants this launch; returns how many. */
int listeners_of(const struct block_info *any, struct listener *out[MAX_LISTENERS]);

#endif
