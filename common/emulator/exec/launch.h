/* launch.h - private to launch.c, block.c and count.c, and what an API sets of launches. */
#ifndef EMULATOR_LAUNCH_H
#define EMULATOR_LAUNCH_H

#include "exec.h"

#define RESERVED_BYTES 1024 /* of shared memory, the system's: cooperative groups use some */

/* Adds up the workers' block and instruction counts into r->counters, keeps the per-line
 * sums (count.c), and asks the model for a time. */
void count_launch(struct launch *l, struct worker **workers, int n, struct emu_result *r);

/* Between them no launch runs: what one may use is freed there, as cudaFree() on a GPU waits for
 * the kernels in progress. */
void launch_pause(void);
void launch_resume(void);

int launch_set_check(int on);              /* returns the former setting */
uint64_t launch_set_steps(uint64_t steps); /* 0: no limit; returns the former one */
extern uint32_t launch_stack_limit;        /* cudaLimitStackSize, bytes a thread:
                                              where recursion hides the need */

void launch_warp_constants(struct launch *l); /* fills l->warp_constants: block.c */

/* Source lines' counters since the last reset, as JSON; caller frees. */
char *count_lines_json(void);
char *count_module_lines_json(const struct emu_module *m); /* of one module; NULL: all */
void count_lines_reset(void);

#endif
