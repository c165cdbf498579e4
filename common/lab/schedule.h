/* schedule.h - a student's schedule: which copies, kernels and events, on which streams.
 *
 * It is data of the module (device/schedule.cuh), read by run/module.h. Nothing in it is trusted:
 * schedule_check() finds from the list alone what would go wrong.
 */
#ifndef LAB_SCHEDULE_H
#define LAB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SCHEDULE_STEPS = 512,
    SCHEDULE_STREAMS = 16,
    SCHEDULE_EVENTS = 256,
    SCHEDULE_CHUNKS = 64,
    SCHEDULE_UNIT = 32 /* elements: chunks begin at multiples of it */
};

/* As in the device's header. RESIDENT: inputs lie on each rank's device before it begins, results
 * are looked at on the first one's. */
enum host_memory { NO_MEMORY, PAGEABLE, PINNED, MAPPED, MANAGED, RESIDENT, HOST_MEMORIES };
enum schedule_what {
    DO_COPY_IN = 1,
    DO_KERNEL,
    DO_COPY_OUT,
    DO_RECORD,
    DO_WAIT,
    DO_SUM,   /* all ranks': each has the sum then */
    DO_GATHER /* the first rank fetches the others' results, one after another, and adds them up */
};

struct schedule_step {
    uint32_t what, stream;
    uint32_t first, count; /* chunks; first is the event of a record or wait */
};
struct schedule {
    uint32_t memory, chunks, nsteps;
    struct schedule_step steps[SCHEDULE_STEPS];
};

extern const char *const host_memory_names[HOST_MEMORIES];

/* False with the first thing that is wrong in err: a number out of range, a chunk that is dealt
 * with twice, never, or by a step that nothing makes wait until what it needs is done. */
bool schedule_check(const struct schedule *s, char *err, size_t errsize);
/* Are steps a and b in no order, so that both can be under way at a time? Of one that is checked.
 */
bool schedule_overlap(const struct schedule *s, uint32_t a, uint32_t b);
/* The elements of a step's chunks, of n; *count is 0 where there are none. */
void schedule_range(const struct schedule *s, const struct schedule_step *step, uint64_t n,
                    uint64_t *offset, uint64_t *count);

#endif
