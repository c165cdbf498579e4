/* counter.h - the emulator's counters by name. */
#ifndef LAB_COUNTER_H
#define LAB_COUNTER_H

#include "emulator/base/counters.h"

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

#endif
