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

#include <stdbool.h>
#include <stdint.h>

struct emu_func;

/* Where in the program: one per PTX instruction, the same pointer every time. */
struct site {
    uint32_t ptx_line;
    uint32_t line, column; /* source; 0 when there is no line information */
    const char *file;      /* NULL likewise */
    /* Where in a header of the toolkit, when file:line is the place that it was inlined at;
     * NULL and 0 otherwise. */
    const char *inner_file;
    uint32_t inner_line;
    const char *opcode; /* "ld.shared.u32" */
    uint32_t index;     /* dense, unique in the function */
    bool load;          /* ld, ldu, ldmatrix */
    bool atomic, cas;   /* atom, red; with .cas */
    bool arrives;       /* at a barrier, without waiting there: bar.arrive, mbarrier.arrive */
    bool approximate;   /* .approx, .full */
    bool early;         /* a load whose value goes into selp alone: maybe not the program's */
    bool put_back;      /* a load of bits around a bit-field, which are stored as they were */
};

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };
enum access_space { ACCESS_GLOBAL, ACCESS_SHARED, ACCESS_LOCAL };

struct block_info {
    struct emu_func *func;
    const char *kernel;
    uint64_t launch; /* serial of the launch */
    uint32_t index;  /* linear, x fastest */
    uint32_t ctaid[3], ntid[3], nctaid[3];
    uint32_t threads, warps;      /* per block */
    uint32_t shared_bytes;        /* static + dynamic */
    uint32_t shared_extent;       /* bytes of `shared` that variables are in: more, with a map */
    const struct shared_map *map; /* check.h; NULL: variables lie side by side */
    const uint8_t *shared;        /* contents of the block's shared memory; NULL: not shown */
    void *user[4];                /* a listener's own data for this block, by listener slot */
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
    int slot; /* 0..3, index of block_info.user */
    /* All may be NULL. */
    void (*launch_begin)(struct listener *l, const struct block_info *any);
    void (*launch_end)(struct listener *l, const struct block_info *any);
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
    /* Another block of the cluster writes n bytes from offset `at` of b's shared memory. */
    void (*peer_write)(struct listener *l, struct block_info *b, uint32_t at, uint32_t n);
    /* bar.warp.sync (and the other .sync operations, with sync=false) among `mask`. */
    void (*warp_sync)(struct listener *l, struct block_info *b, const struct site *s, uint32_t warp,
                      uint32_t mask, bool sync);
    /* membar/fence; scope as in struct access. */
    void (*fence)(struct listener *l, struct block_info *b, const struct site *s, uint32_t warp,
                  uint32_t mask, uint8_t scope, uint8_t order);
    void (*lanes_exit)(struct listener *l, struct block_info *b, uint32_t warp, uint32_t mask);
    /* A warp starts on a basic block's instructions with these lanes active (trace). */
    void (*path)(struct listener *l, struct block_info *b, const struct site *first,
                 uint32_t ninsns, uint32_t warp, uint32_t mask);
    void *user;
};

/* Records a finding (warplab.h's warplabFinding): `json` members after "kind", already
 * escaped, without braces. Prints `text` on stderr. Thread safe; the same kind, kernel
 * and site is kept once, with a count. json and text NULL: one more of those. b and s may
 * be NULL (a leak). kernel, file, line, block, thread and address are made from the
 * arguments, not expected in json. Defined in findings.c. */
void finding_report(const char *kind, const struct block_info *b, const struct site *s,
                    uint32_t thread, uint64_t address, const char *json, const char *text);
/* Prints text where findings are printed, and keeps nothing. */
void finding_note(const char *text);

#endif
