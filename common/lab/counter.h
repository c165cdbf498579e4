/* counter.h - the emulator's counters, and what it can disturb, by name. */
#ifndef LAB_COUNTER_H
#define LAB_COUNTER_H

#include "emulator/base/counters.h"
#include "emulator/base/disturb.h"

#include <stddef.h>
#include <stdint.h>

extern const struct counter_info {
    const char *name, *metric; /* metric: Nsight Compute's, "" when there is none */
    size_t offset;             /* in struct counters */
} counter_infos[];
extern const int ncounters;

uint64_t counter_get(const struct counters *c, int i);
void counter_set(struct counters *c, int i, uint64_t value);
int counter_index(const char *name); /* -1: no such counter */

extern const struct disturb_info {
    const char *name, *text; /* "shared_ld", "what is loaded from shared memory" */
} disturb_infos[DISTURB_COUNT];
int disturb_index(const char *name); /* an enum disturbance, or -1 */

#endif
