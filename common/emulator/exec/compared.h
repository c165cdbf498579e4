/* compared.h - comparisons whose operands are the same in all threads of a launch.
 *
 * What such a one decides is decided for the launch as a whole, by its parameters: a guard of
 * a loop, or a size that is treated in a way of its own. For launches that disturb `compared`
 * alone, of which nothing changes. Watched: setp, min and max of integers, f32 and f64.
 */
#ifndef EMULATOR_EXEC_COMPARED_H
#define EMULATOR_EXEC_COMPARED_H

#include "exec.h"

bool compared_watches(const struct ptx_insn *p);
/* The handler of such an instruction, instead of its own. */
const struct insn *compared_watched(struct warp *w, const struct insn *in);
/* Around a launch that is watched, whose blocks run one after the other. */
void compared_begin(struct launch *l);
void compared_end(struct launch *l);
/* Of launches since the last call a line each, "KERNEL INSTRUCTION TYPE RELATION A B", of as many
 * as fit into 64 KiB: the instruction by its number in the kernel's PTX, functions that it calls
 * by theirs; A and B as decimal numbers. For free(). */
char *compared_take(void);

#endif
