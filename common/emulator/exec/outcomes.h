/* outcomes.h - how the instructions of a launch turn out, in a few of its blocks.
 *
 * Of each instruction that writes a register it is kept whether any thread found it zero, above
 * zero, below zero; of one that writes a predicate whether any found it false, true. Sizes at which
 * something turns out as at no other are those that a kernel treats in a way of its own, however it
 * finds out. For launches that disturb `outcomes` alone, of which only a few blocks run, one after
 * the other.
 */
#ifndef EMULATOR_EXEC_OUTCOMES_H
#define EMULATOR_EXEC_OUTCOMES_H

#include "exec.h"

enum {
    OUTCOME_ZERO = 1,  /* or false */
    OUTCOME_ABOVE = 2, /* or true */
    OUTCOME_BELOW = 4, /* its highest bit is set */
};

enum {
    OUTCOMES_FIRST = 1 << 17, /* steps of the first block */
    OUTCOMES_OTHERS = 1 << 14,
    OUTCOMES_SLICE = 512,
};
/* Of blocks that are not in a cluster and need not wait for each other: has it run for long enough?
 */
static inline bool outcomes_enough(const struct block *b)
{
    return b->launch->outcomes && !b->launch->cooperative && !b->cluster &&
           b->worker->ran - b->began > (b->index ? OUTCOMES_OTHERS : OUTCOMES_FIRST);
}

bool outcomes_watches(const struct emu_func *f, const struct insn *in, const struct ptx_insn *p);
/* The handler of such an instruction, instead of its own. */
const struct insn *outcomes_watched(struct warp *w, const struct insn *in);
/* Of a launch that disturbs `outcomes` or `few`: it runs blocks (of clusters, clusters) at the
 * grid's corners and some between; all of a cooperative one. */
void outcomes_choose_blocks(struct launch *l);
/* Around a launch that is watched. */
void outcomes_begin(struct launch *l);
void outcomes_end(struct launch *l);
/* Of launches since the last call a line for each function of which something ran, "KERNEL FUNCTION
 * DIGITS": the kernel that was launched, the function by its number, and a digit for each of its
 * PTX instructions, OUTCOME_… or 0 where none ran. For free(). */
char *outcomes_take(void);

#endif
