/* exec.h - the warp interpreter's state.
 *
 * One host thread (struct worker) runs one block at a time, one warp at a time, until the
 * warp waits, ends or has used its slice. A warp is a set of *paths*: lanes that share a
 * program counter. Paths that part at a branch meet again at the branch's immediate
 * post-dominator, where a *recon* collects them; a path that spins is set aside after a
 * slice, so that the lanes it waits for make progress (PTX ISA: independent thread
 * scheduling).
 */
#ifndef EMULATOR_EXEC_H
#define EMULATOR_EXEC_H

#include "emulator/base/disturb.h"
#include "emulator/code/code.h"
#include "events.h"
#include "launch.h"
#include "rules.h"
#include "turns.h"
#include <stdatomic.h>

#define NBARRIERS         17              /* PTX's sixteen and barrier.cluster's */
#define GROUP_WAIT        NBARRIERS       /* in struct path: for products of the warp's group */
#define REGISTERS_WAIT    (NBARRIERS + 1) /* … for registers that other warps give back */
#define UNSET             0xff /* registers and shared memory at first, garbage that shows: NaN, -1 */
#define UNSET_OTHERWISE   0x4b /* … registers, where DISTURB_unset is asked for: 1.3e7 */
#define PEER_SHIFT        24   /* of a rank + 1 in addresses of other blocks' shared memory */
#define PEER_OFFSET       ((1ull << PEER_SHIFT) - 1)
#define SLICE             4096 /* warp instructions a path may run before others get a turn */
#define COOPERATIVE_SLICE 64   /* the same in a cooperative launch */
#define BLOCKS_TOGETHER   4    /* of every second launch whose blocks come in a drawn order */
#define SHORT_SLICE       64   /* the most in a block whose turns are drawn short */
#define SHORT_LENGTHS     7    /* … and so many powers of 2 up to it */
#define SLICE_ENDS        4    /* kept of a path: a loop's slices may end at its blocks by turns */
#define STILL_SLICE       64   /* and for a path that goes round and round: nothing_new() */

struct frame { /* registers of one call */
    uint8_t *regs;
    struct emu_func *func;
    struct frame *parent;
    struct frame *next, **at; /* the warp's frames, and who points here */
    uint32_t bytes;
    uint32_t saved;          /* bytes a thread that recursion has kept on a GPU's stack: save() */
    uint32_t local_base;     /* offset of its .local variables in the thread's local memory */
    const struct insn *call; /* the call that made it */
    struct held *held;       /* follow.c: by register, or NULL */
};

struct recon {        /* where paths meet again */
    uint32_t block;   /* NO_BLOCK: at the function's return */
    uint32_t pending; /* paths and inner recons still to come */
    uint32_t arrived; /* lanes waiting here */
    struct recon *parent;
    struct frame *frame; /* block belongs to this frame's function */
    struct recon *next_free, *next_all;
    bool is_call; /* return continues after frame->call in frame->parent */
};

enum wait_state { PATH_READY, PATH_BARRIER, PATH_SYNC };
struct path {
    uint32_t mask;
    enum wait_state state;
    const struct insn *pc;
    struct recon *parent;
    struct frame *frame;
    uint32_t sync_mask; /* PATH_SYNC: lanes it waits for */
    uint32_t enter;     /* block to start on when it runs, NO_BLOCK: continue at pc */
    uint8_t barrier;    /* PATH_BARRIER: which */
    bool released;      /* its barrier is complete: do not wait again */
    uint8_t alone;      /* slices in a row that only this path could run */
    bool stuck;         /* and that was to wait in vain for an mbarrier: by this, at offset */
    const struct insn *waits;
    uint64_t mbarrier;
    bool still;   /* ended its last slice as one of those before: nothing_new() */
    bool same;    /* likewise, of one that only finds locks taken: looked at now and then */
    uint8_t spun; /* such slices */
    uint8_t last; /* of these, which are of its registers at slices' ends, and where it was */
    struct {
        uint64_t quick, full; /* full 0: not looked at */
    } ends[SLICE_ENDS];
    uint32_t result; /* of bar.red, on release */
    uint64_t heard;  /* follow.c: of those who came to its barrier, on release */
};

/* It waits at that barrier, and asks again from `in` on. */
static inline void path_wait(struct path *p, const struct insn *in, uint8_t barrier)
{
    p->state = PATH_BARRIER;
    p->barrier = barrier;
    p->pc = in;
    p->enter = NO_BLOCK;
}

enum warp_state { WARP_READY, WARP_WAITING, WARP_DONE };

struct warp {
    uint8_t *base[4];     /* by operand selector */
    uint32_t mask;        /* lanes of the instruction in execution */
    uint32_t carry;       /* condition code CC.CF, bit a lane */
    int32_t slice, given; /* warp instructions left of this turn, and at its start */
    int32_t unused;       /* of these, given up while it waits for an mbarrier: no steps */
    bool still, stuck;    /* every path of it that could run is */
    bool idle;            /* every such path is still, or the same */
    bool waited;          /* this slice saw an mbarrier that is not complete */
    bool spins, spun;     /* this turn saw, the last one saw a lock that is taken: spinning() */
    bool apart; /* its lanes were parted here, where the program does not: release_arrived() */
    struct path *cur;
    struct block *block;
    struct worker *worker;
    uint32_t live;  /* lanes that have not exited */
    uint32_t index; /* in the block */
    enum warp_state state;
    struct path paths[WARP];
    uint32_t begun;           /* those that have been since it started: the others' masks are 0 */
    struct path *ready[WARP]; /* stack of paths that could run */
    uint32_t nready;
    struct recon *free_recon, *all_recons;
    struct frame *frames; /* of calls that have not returned */
    struct frame entry;   /* of the kernel itself */
    uint32_t local_top;   /* bytes of local memory in use, per thread */
    uint32_t local_size;
    uint8_t *local;             /* word k of lane l at local + k*128 + l*4 */
    uint32_t depth;             /* calls */
    uint32_t recon_block;       /* the current path's parent's block */
    uint32_t products, awaited; /* group.c: groups of them committed, and waited for */
    bool at_group;              /* some path waits there */
    uint32_t registers;         /* a thread, as setmaxnreg leaves it */
    uint32_t at_cluster;        /* lanes that have arrived at barrier.cluster */
    void *async;                /* exec/ops/async.c: copies in flight */
    int *errors;                /* device_call.c: each lane's last; NULL: none had one */
    struct held *held; /* follow.c: by register of the kernel, NULL where nothing is followed */
    /* Instructions of the blocks that it entered; of them floating-point and tensor ones. */
    uint64_t executed, floats;
    uint64_t dear;       /* steps of this turn beyond its instructions (code.h) */
    uint64_t loaded;     /* bytes from global memory, by loads */
    bool met;            /* it has waited at a barrier of the block */
    uint64_t at_barrier; /* its clock (follow.h) when it left one last */
    uint64_t lead;       /* follow.c: how much further others were, by what it waited for */
    bool used;           /* and whether it has used something that it loaded */
    uint64_t handed;     /* and when it loaded what it now stores for others; NOT_HANDED */
};

struct barrier {
    uint32_t threads;  /* arrived, full warps counted as 32 */
    uint32_t lanes;    /* arrived, live lanes */
    uint32_t expected; /* 0: all live threads */
    uint32_t popc, any, all;
    uint32_t generation;
    uint32_t been, is_for; /* warps ever, where it has a count of its own; threads, then */
    uint64_t heard;        /* follow.c: of those who have arrived */
};

/* More warps have been at it than a count of its own is for. */
static inline bool barrier_warps_too_many(const struct barrier *x)
{
    return (uint32_t)__builtin_popcount(x->been) * WARP > x->is_for;
}

struct block {
    struct worker *worker;
    struct launch *launch;
    struct warp *warps;
    uint32_t nwarps, live_threads, done_warps;
    uint32_t spare; /* registers a thread of one warp, which others have given back */
    uint32_t index, ctaid[3];
    uint8_t *shared;
    uint64_t read_lo, read_hi; /* of it, what loads read: from, to behind the last byte */
    uint8_t *constants;        /* SEL_BLOCK area */
    struct barrier barriers[NBARRIERS];
    struct block_info info;
    struct mbarriers *mbarriers; /* that it set up: mbarrier.h; NULL: none */
    uint64_t turns;              /* the order of its warps (turns.h), where that is drawn */
    uint32_t usual;              /* rounds before that in which they come as usual */
    bool looks;                  /* a turn ends where it looks at what others may change */
    uint32_t stays;              /* a path, at a turn's end, unless these bits are drawn 0 */
    uint32_t passes;             /* turns that it leaves out before the next, where many are open */
    int32_t slice;               /* the launch's, or a short one, where that is drawn, too */
    bool stuck;                  /* all warps that could run are, and nothing else can help them */
    uint32_t yields, lived;      /* turns since the last thread ended; live_threads then */
    bool idle;                   /* in its last turn all that could run went round and round */
    struct listener *listeners[MAX_LISTENERS]; /* those of the launch that want this block */
    int nlisteners;
    bool tell, tell_paths; /* somebody wants its accesses, its paths */
    struct block *next;
    struct cluster *cluster; /* NULL: of one block */
    uint32_t rank;           /* in it */
    uint64_t began;          /* worker's steps then */
    bool done, moved;        /* has ended; some warp has had a turn (cluster.c) */
    uint16_t *writers;       /* follow.c: by byte of shared memory, NULL where not asked for */
    struct flights
        *flights; /* follow.c: copies that mbarriers wait for, NULL where there are none */
};

/* Of shared memory, by a load. */
static inline void block_read(struct block *b, uint64_t from, uint64_t to)
{
    b->read_lo = from < b->read_lo ? from : b->read_lo;
    b->read_hi = to > b->read_hi ? to : b->read_hi;
}

/* The last allocation that an instruction touched. An instruction reads or writes, never both:
 * whether it may was asked when the allocation was found. */
struct mem_cache {
    uint64_t lo, hi; /* addresses [lo, hi) */
    intptr_t delta;  /* host = addr + delta */
    uint64_t generation;
};

/* Open blocks in the order of their turns, mostly one; and finished ones, for reuse. */
struct ring {
    struct block *first, *last, *spare;
};

struct worker {
    struct launch *launch;
    struct ring ring;
    bool idle;              /* its blocks only wait, or it has none any more */
    uint32_t idle_turns;    /* in a row, of such blocks */
    uint64_t stirs;         /* the launch's when the first of them began */
    bool quiet;             /* it looks at what others write, and has stored nothing for long */
    uint64_t ran, ran_then; /* steps in all, and when last looked at; by then it had */
    uint64_t stores, looks; /* begun so many blocks of instructions with one */
    struct slot *slots;
    struct block_count *counts;
    struct mem_cache *caches;    /* by slot */
    struct rule_count *by_rules; /* by slot; NULL: what is in slots holds (rules.h) */
    uint64_t steps;              /* taken since last added to the launch */
    uint64_t max_warp;           /* instructions of the warp that executed most */
    uint64_t busiest;            /* the same of each block, summed */
    uint64_t loaded_squares;     /* of each warp's bytes loaded from global memory, summed */
    uint64_t read_span;          /* bytes of shared memory from a block's first load to its last */
    uint32_t nopen;              /* blocks */
    uint32_t index;
    uint64_t clock;
    uint64_t late; /* steps since the launch has failed */
} __attribute__((aligned(128)));

#define LAUNCH_FEW 8

struct launch {
    struct emu_func *func;
    struct emu_module *module;
    uint32_t grid[3], block[3], cluster[3];
    bool clustered; /* it has clusters, of one block or more */
    uint64_t nblocks;
    uint32_t threads, nwarps;
    uint32_t entry_registers;      /* emu_entry_registers() */
    uint32_t user_shared;          /* static + dynamic */
    uint32_t shared_extent;        /* up to the end of the last variable: more, with a map */
    uint32_t shared_bytes;         /* and what the system reserves, for kernels that use that */
    struct shared_map *shared_map; /* guard.h; NULL: variables lie side by side */
    uint32_t dynamic_shared;
    const uint8_t *params;
    bool cooperative;
    uint64_t serial, number;          /* number: what %gridid tells */
    bool timeless;                    /* emu_set_timeless() */
    const struct device_work *origin; /* of emu_launch, as is graph */
    const struct launch_moment *moment;
    uint64_t graph_run, graph;
    struct device_work **children; /* likewise, and steps */
    uint64_t *steps;
    _Atomic(uint8_t *) *constants; /* SEL_LAUNCH area by function index: launch_constants() */
    uint8_t *warp_constants;       /* nwarps x WARP_CONST_BYTES */
    atomic_uint_fast64_t next_block;
    atomic_uint_fast64_t steps_used;
    uint64_t steps_limit;
    atomic_int failed;              /* cudaError_t, 0 while well */
    atomic_uint_fast64_t stop_from; /* blocks of this index and above stop; while well none does */
    struct fault *fault;            /* to be told when it is over: fault.c; NULL: none */
    struct listener *listeners[MAX_LISTENERS];
    int nlisteners;
    struct worker **workers;
    int nworkers;
    bool parks;                /* may be left alone when it only waits */
    uint8_t *kept;             /* parameters of one that was; NULL: the caller's serve */
    atomic_int idle;           /* workers that are */
    atomic_ulong stirs;        /* each time that one becomes it, or is it no more */
    atomic_int quiet;          /* workers that are, and are not idle */
    atomic_bool rests;         /* all are one or the other: it is left alone for a while */
    struct emu_result *result; /* for listeners to fill (events.h, `counted`) */
    uint32_t nslots, ncounts;  /* of the module when it began: of the workers' counts */
    int32_t slice;
    uint32_t max_active; /* blocks a worker may have open at once */
    uint32_t cc;
    unsigned disturb;    /* 1 << DISTURB_… (disturb.h) */
    uint64_t turns;      /* of `reordered`: the order of its blocks (turns.h) */
    uint32_t together;   /* blocks (clusters) that take turns, though none waits for another */
    uint32_t neighbours; /* blocks in a row that one multiprocessor has */
    bool aligned;        /* of `parted`: some instruction is for a whole warp at once */
    struct late *late;   /* what others do not see yet (late.h); NULL: nothing */
    struct compared **compared; /* of each function, where they are kept (compared.h) */
    uint8_t **outcomes;         /* likewise (outcomes.h), and of which blocks, or clusters */
    uint64_t few[LAUNCH_FEW];
    int nfew;           /* 0: all run */
    uint64_t workspace; /* cooperative grid workspace, for %envreg1/2 */
    uint32_t param_bytes;
    const struct device_profile *profile;
};

/* Of an access or a fence (struct access.scope): a block alone is a cluster. */
static inline uint8_t scope_of(const struct warp *w, const struct insn *in)
{
    enum { CTA = 1, CLUSTER = 2 };
    uint8_t scope = in->flags >> F_SCOPE_SHIFT & 7;
    return scope == CLUSTER && !w->block->cluster ? CTA : scope;
}
static inline uint64_t cluster_size(const uint32_t cluster[3]) /* blocks */
{
    return (uint64_t)cluster[0] * cluster[1] * cluster[2];
}

/* Blocks start, and a block's warps take turns, from the last to the first. */
static inline bool launch_backwards(const struct launch *l)
{
    return l->disturb >> DISTURB_backwards & 1;
}

/* They do in an order that is drawn; and a warp's lanes; and stores are late. */
static inline bool launch_reordered(const struct launch *l)
{
    return l->disturb >> DISTURB_reordered & 1;
}
static inline bool launch_parted(const struct launch *l)
{
    return l->disturb >> DISTURB_parted & 1;
}
static inline bool launch_late(const struct launch *l)
{
    return l->disturb >> DISTURB_late & 1;
}
/* In one or the other: a turn is long then, and sleeping gives nobody else one. */
static inline bool launch_ordered(const struct launch *l)
{
    return launch_backwards(l) || launch_reordered(l);
}
static inline uint64_t launch_turn(const struct launch *l, uint64_t drawn, uint64_t k, uint64_t n)
{
    return launch_backwards(l) ? n - 1 - k : launch_reordered(l) ? turns_at(drawn, k, n) : k;
}

/* Of the blocks (or clusters) that run, n in all without a choice, the k-th; UINT64_MAX: none. */
static inline uint64_t launch_chosen(const struct launch *l, uint64_t k, uint64_t n)
{
    if (!l->nfew && k < n)
        return l->cooperative ? k : launch_turn(l, l->turns, k, n);
    return k < (uint64_t)l->nfew ? l->few[k] : UINT64_MAX;
}

/* The interpreter, built once per instruction-set level. */
struct exec_level {
    const char *name;
    const handler *handlers;
    void (*run_warp)(struct warp *w);
};
const struct exec_level *exec_level(void); /* the best this machine runs; WARPLAB_LEVEL overrides */

/* ---- slow paths shared by all levels (warp.c, access.c, guard.c) ---- */
/* End the launch with e, unless a block of lower index does that; the text names kernel, source
 * line, block and thread. lane < 0: the first active one. Returns NULL so that handlers can
 * `return fault(…)`. */
const struct insn *warp_fault(struct warp *w, const struct insn *in, int lane, cudaError_t e,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));
bool launch_fail(struct launch *l, cudaError_t e); /* all blocks stop; false: it had failed */
void fault_tell(struct launch *l); /* to the listeners, when no block runs any more */
static inline bool block_stops(const struct block *b) /* for good */
{
    return b->index >= b->launch->stop_from;
}
const struct insn *warp_enter(struct warp *w, uint32_t block); /* current path goes to block */
const struct insn *warp_branch(struct warp *w, const struct insn *in, uint32_t taken_lanes);
const struct insn *warp_next_path(struct warp *w); /* current path is gone or waits */
const struct insn *warp_exit_lanes(struct warp *w, const struct insn *in, uint32_t lanes);
const struct insn *warp_return(struct warp *w, const struct insn *in, uint32_t lanes);
const struct insn *warp_call(struct warp *w, const struct insn *in);
const struct insn *warp_barrier(struct warp *w, const struct insn *in);
/* The lanes of sync_mask are not all on the current path. True when they have all come:
 * w->mask is then all lanes that execute `in` together, and the handler ends with
 * warp_joined(). False: the path waits, and the handler returns warp_next_path(). */
bool warp_gather(struct warp *w, const struct insn *in, uint32_t sync_mask);
/* Lanes of the current path come back to `in` on a path of their own. */
void warp_set_aside(struct warp *w, const struct insn *in, uint32_t lanes);
/* … and meet the others where the current path meets those that parted from it before. */
void warp_part(struct warp *w, const struct insn *in, uint32_t lanes);
const struct insn *warp_indirect(struct warp *w, const struct insn *in);
const struct insn *warp_slice_end(struct warp *w, uint32_t block); /* others get a turn */
/* So they do, before the current path goes on with `next`. */
const struct insn *warp_give_way(struct warp *w, const struct insn *next);
const struct insn *warp_resume(struct warp *w); /* what the chosen path executes next */
const struct insn *warp_arrive(struct warp *w); /* current path is at its recon */
void block_release_barriers(struct block *b);
void block_release_barrier(struct block *b, uint32_t id);
const struct insn *warp_cluster_arrive(struct warp *w, const struct insn *in); /* cluster.c */
const struct insn *warp_cluster_wait(struct warp *w, const struct insn *in);
const struct insn *group_commit(struct warp *w, const struct insn *in); /* group.c */
const struct insn *group_wait(struct warp *w, const struct insn *in);
const struct insn *group_copies(struct warp *w, const struct insn *in); /* insn.sub: wait, commit */
bool group_release(struct block *b);                                    /* did it wake any warp? */
void warp_look_again(struct warp *w, uint8_t barrier);                  /* paths that wait there */
const struct insn *registers_set(struct warp *w, const struct insn *in); /* registers.c */
void warp_free(struct warp *w); /* what it allocated on its way */
static inline const struct insn *warp_joined(struct warp *w, const struct insn *in)
{
    w->mask = w->cur->mask;
    return in + 1;
}
/* Allocation for [addr, addr+size) into the cache entry; false after a fault. */
bool access_lookup(struct warp *w, const struct insn *in, int lane, uint64_t addr, uint32_t size,
                   bool write, struct mem_cache *c);
/* The fault of a lane whose address is no multiple of size. access: "global read". */
void access_misaligned(struct warp *w, const struct insn *in, int lane, uint64_t addr,
                       uint32_t size, const char *access);
/* Are these shared addresses, from lo to hi, of the block's memory? False after a fault. */
bool access_shared(struct warp *w, const struct insn *in, const uint64_t *addr, uint32_t mask,
                   uint64_t lo, uint64_t hi, uint32_t size);
void access_event(struct warp *w, const struct insn *in, enum access_kind kind,
                  enum access_space space, uint32_t mask, uint32_t size, const uint64_t *addr,
                  const uint32_t *const *value);
void tensor_map_event(struct warp *w, const struct insn *in, uint64_t at, bool fence);
void access_matrix(struct warp *w, const struct insn *in, const uint64_t *addr,
                   const uint64_t *pitch, uint32_t fragment); /* struct matrix_move */

uint8_t *launch_constants(struct launch *l, struct emu_func *f); /* block.c */

/* What each byte of the registers is at first. */
static inline int launch_unset(const struct launch *l)
{
    return l->disturb & 1u << DISTURB_unset ? UNSET_OTHERWISE : UNSET;
}

/* The lanes `mask` enter block b, whose counts are *c. */
static inline void count_entry(struct warp *w, const struct bblock *b, struct block_count *c,
                               uint32_t mask)
{
    c->by_lanes[lane_group(mask)]++;
    c->lanes += (uint64_t)__builtin_popcount(mask);
    w->executed += b->ninsns;
    w->floats += b->nfloats;
    w->dear += b->dear;
}

/* Floating-point and tensor instructions that the warp has executed up to this one. */
uint64_t warp_floats(const struct warp *w, const struct insn *in);
/* Were they few between these two (base/disturb.h)? */
static inline bool few_floats(uint64_t since, uint64_t now)
{
    uint64_t part = now / DISTURB_AHEAD_PART;
    return now - since < (part > DISTURB_AHEAD ? part : DISTURB_AHEAD);
}

static inline void *place(const struct warp *w, uint32_t p)
{
    return w->base[p >> SEL_SHIFT] + (p & OFFSET_MASK);
}

#endif
