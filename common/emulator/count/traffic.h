/* traffic.h - what a launch's memory traffic finds on its way, and how long its blocks live, from
 * a sample of blocks.
 *
 * Interface: a listener that wants the accesses and paths of a few blocks only (traffic_wants()),
 * and of none with options.sample off, in launches that are disturbed, or where nobody asks for a
 * time; traffic_result() then fills the sectors and lives of struct model_launch.
 */
#ifndef EMULATOR_TRAFFIC_H
#define EMULATOR_TRAFFIC_H

#include "emulator/exec/events.h"
#include "model.h"

struct listener *traffic_listener(void);

/* Are launches from now on sampled? Returns the former setting, true at first. */
bool traffic_set_sample(bool on);

/* Which blocks are sampled in launches from now on: 0, at first, those in the middle of each
 * quarter of the grid; else those that follow from this number and the grid. Returns the former
 * one. */
uint64_t traffic_set_sample_at(uint64_t at);

/* This block of a grid is one of the at most 8 that are looked at; the same whatever the threads:
 * all of a small grid, else four and of each a neighbour, in x or in y. */
bool traffic_wants(uint64_t block, const uint32_t grid[3]);

/* After the launch's last block, once: fills l2_sectors, dram_sectors, l1_lines and life of *l from
 * the sample and the counters; leaves them 0 when nothing was sampled. */
void traffic_result(uint64_t launch, const struct counters *c, struct model_launch *l);

#endif
