/* launch.h - launches, as the runtime API sees them.
 *
 * A launch runs to completion before emu_launch returns: streams are an order of launches, not of
 * time. The exception: one whose warps all go round and round, none of them with anything new, may
 * be parked, if the caller can do that. Not modelled: overlap in host time. All calls are thread
 * safe.
 */
#ifndef EMULATOR_LAUNCH_H
#define EMULATOR_LAUNCH_H

#include "emulator/base/counters.h"
#include "emulator/code/module.h"
#include <driver_types.h>

/* A kernel of a graph's run, or of several streams': numbers of those that are over before it, one
 * bit each. */
struct launch_moment {
    uint64_t run;
    bool streams;
    uint32_t number;
    const uint64_t *before; /* of all numbers less than its own */
};

struct launch;
struct emu_launch {
    struct emu_func *func;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* 0, 0, 0: as the kernel was compiled for */
    uint32_t shared_bytes; /* dynamic */
    const void *params;    /* func_info.param_bytes */
    bool cooperative, nonportable_cluster;
    uint64_t stream; /* for the profile only, as is device: the module's counts */
    unsigned device;
    struct device_work **children;    /* gets what its threads ask for; NULL: they may not */
    const struct device_work *origin; /* what it was asked for by; NULL: by the host */
    const struct launch_moment *moment;
    uint64_t graph_run, graph; /* that it is in, and what its threads know of it; 0: none */
    uint64_t *steps; /* taken so far by what counts as one launch with it; NULL: it is alone */
    /* Gets the launch where it only waits for what the host or others are to write: its result and
     * its errors come from emu_go_on(). NULL: it runs to its end, whatever it waits for. */
    struct launch **parked;
};

/* What a thread of a kernel asked the device runtime for. It is to be done when the kernel has
 * ended: all that one piece of it asks for itself comes before the next. */
struct device_fill {
    struct cudaPitchedPtr to;
    int value;
    struct cudaExtent extent;
};
struct device_work {
    struct device_work *next;
    enum device_work_kind { DEVICE_KERNEL, DEVICE_COPY, DEVICE_FILL, DEVICE_GRAPH } kind;
    unsigned device;
    uint64_t stream;        /* the grid's own name of it (exec/children.h) */
    uint32_t block, thread; /* that asked for it */
    uint64_t serial;        /* in the order of asking */
    uint64_t parent_launch; /* serial of the grid's launch */
    bool events;            /* the grid has made a stream wait for an event */
    struct emu_func *parent;
    const struct site *site;  /* where */
    struct emu_launch launch; /* DEVICE_KERNEL; its params are arguments below */
    struct cudaMemcpy3DParms copy;
    struct device_fill fill;
    uint64_t graph; /* DEVICE_GRAPH: instantiated */
    uint8_t arguments[];
};
/* It was begun, or is not to be: it waits no longer. */
void device_work_free(struct device_work *w);

/* What a sample of a launch's blocks showed (count/traffic.h), for all of it. */
enum { SAMPLED_MANAGED = 4 };
struct sampled {
    bool known; /* false: nothing was sampled, all else is 0 */
    /* Sectors that leave the SM (L1 misses), and sectors that DRAM moves for them. */
    uint64_t l2_sectors, dram_sectors;
    uint64_t l1_passes; /* through L1's banks and tags, that the requests need */
    /* Shared memory's passes of accesses whose lanes are all predicated off, which count as none;
     * and of loads that ptxas joins to the one before, which need none. */
    uint64_t shared_skipped, shared_joined;
    uint64_t l2_repeated; /* of bulk copies' sectors, those that the neighbours ask for, too */
    /* Cycles that a block lives by its own warps' dependences (count/pace.h), what misses L1 coming
     * from L2 and from DRAM. */
    double life_l2, life_dram;
    uint64_t const_visits; /* loads of constants; several of a 64-byte line between branches, one */
    uint64_t const_bytes;  /* different bytes of constants that a block reads, whole sectors */
    uint64_t atom_chain;   /* requests for atomics at the address that most of them share */
    uint64_t cluster_sectors; /* that come to an SM, and another block of the cluster asked for */
    /* Of l2_sectors, those of the host's pinned memory, loaded and stored; and of the first managed
     * allocations, each. */
    uint64_t host_in_sectors, host_out_sectors;
    uint64_t peer_in_sectors, peer_out_sectors; /* likewise those of another device's memory */
    struct managed_sectors {
        uint64_t addr, low, high; /* of the allocation; of what the sample touches of it */
        uint64_t sectors, far;    /* far: those whose page does not lie on the device */
    } managed[SAMPLED_MANAGED];
};

/* What a launch did, filled in by the listeners that add it up (events.h, `counted`). */
struct emu_result {
    struct counters counters;
    double modelled_ms;            /* see model.c */
    const char *bound;             /* what bounds it in the model: "issue", "dram", … */
    double occupancy;              /* theoretical, 0..1 */
    const char *occupancy_limiter; /* "registers", "shared memory", "blocks", "warps" */
    uint32_t blocks_per_sm;
    struct sampled sampled;
};
/* May it run? */
cudaError_t launch_check(const struct emu_launch *l);
/* Validates (sizes against the device profile) and runs; *result may be NULL. */
cudaError_t emu_launch(const struct emu_launch *l, struct emu_result *result);

/* A parked launch goes on, at most until it only waits again. True: it is over, *e is its error. */
bool emu_go_on(struct launch *l, struct emu_result *result, cudaError_t *e);
/* Ends a parked launch with cudaErrorLaunchTimeout: the kernel, the line where it is, and the
 * words. */
void emu_give_up(struct launch *l, const char *words); /* NULL: nothing is said */
/* Of launches from now on: shared variables lie side by side in checked ones, too; %globaltimer
 * goes on with %clock. */
void emu_set_side_by_side(bool on);
void emu_set_timeless(bool on);
void emu_renumber(void);           /* the next launch is number 1 */
uint64_t emu_stirs(void);          /* grows when a launch that was parked does something */
int emu_threads(void);             /* of the process, that are the emulator's */
uint64_t launch_steps(void);       /* the limit; 0: none */
uint64_t launch_steps_taken(void); /* by all launches with a limit so far */

/* Between them no launch runs: what one may use is freed there, as cudaFree() on a GPU waits for
 * the kernels in progress. */
void launch_pause(void);
void launch_resume(void);

uint64_t launch_set_steps(uint64_t steps); /* 0: no limit; returns the former one */
/* cudaLimitStackSize of a device, bytes a thread, where recursion hides the need. */
extern uint32_t launch_stack_limit[];

#endif
