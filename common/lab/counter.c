/* counter.c - the emulator's counters and disturbances by name (counter.h). */
#include "counter.h"

#include <string.h>

const struct counter_info counter_infos[] = {
#define X(id, metric, unit, text) {#id, metric, offsetof(struct counters, id)},
    COUNTERS(X)
#undef X
};
const int ncounters = sizeof(counter_infos) / sizeof(counter_infos[0]);

uint64_t counter_get(const struct counters *c, int i)
{
    return *(const uint64_t *)((const char *)c + counter_infos[i].offset);
}

void counter_set(struct counters *c, int i, uint64_t value)
{
    *(uint64_t *)((char *)c + counter_infos[i].offset) = value;
}

int counter_index(const char *name)
{
    for (int i = 0; i < ncounters; i++) {
        if (!strcmp(counter_infos[i].name, name))
            return i;
    }
    return -1;
}

const struct disturb_info disturb_infos[DISTURB_COUNT] = {
#define X(id, text) {#id, text},
    DISTURBANCES(X)
#undef X
};

int disturb_index(const char *name)
{
    for (int i = 0; i < DISTURB_COUNT; i++) {
        if (!strcmp(disturb_infos[i].name, name))
            return i;
    }
    return -1;
}
