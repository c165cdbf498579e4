/* traffic.h - how much of a launch's global traffic passes L1, from a sample of blocks.
 *
 * Interface: a listener that wants the accesses of a few blocks only (traffic_wants()), and of
 * none with options.sample off; traffic_result() then fills the sectors of struct model_launch.
 */
#ifndef EMULATOR_TRAFFIC_H
#define EMULATOR_TRAFFIC_H

#include "emulator/exec/events.h"
#include "model.h"

struct listener *traffic_listener(void);

/* This block is one of the at most 8 that are looked at; the same whatever the threads. */
bool traffic_wants(uint64_t block, uint64_t nblocks);

/* After the launch's last block, once: fills l2_sectors, unique_sectors and l1_lines of *l from
 * the sample and the counters; leaves them 0 when nothing was sampled. */
void traffic_result(uint64_t launch, const struct counters *c, struct model_launch *l);

#endif
