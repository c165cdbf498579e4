/* disturb.h - launches in which a class of instructions brings other bits than it should.
 *
 * Whether the results of such a launch differ says whether what those instructions bring reaches
 * them: work whose result is thrown away, or multiplied by 0, changes nothing.
 */
#ifndef EMULATOR_EXEC_DISTURB_H
#define EMULATOR_EXEC_DISTURB_H

#include "emulator/base/disturb.h"
#include "exec.h"

/* Of code that is as no classes want it: the next launch sees to it. */
#define DISTURBED_IN_PART (~0u)

/* The classes (1 << DISTURB_…) to disturb in launches from now on; returns the former ones. */
unsigned disturb_set(unsigned classes);
unsigned disturb_now(void);
/* Makes the code of a kernel, and of what it may call, such that these are disturbed and no others;
 * nothing runs meanwhile. */
void disturb_code(struct emu_func *entry, unsigned classes);
/* Is there, but for barriers, an instruction that a warp's lanes have to execute together? */
bool disturb_aligned(const struct emu_func *entry);
/* Of an instruction with another handler: its own, and the lanes that execute it. */
handler disturb_own(const struct insn *in);
uint32_t disturb_lanes(const struct warp *w, const struct insn *in);
/* Bits to flip, at least one in each 2 bytes, in an element of `size` bytes of a lane. */
uint64_t disturb_bits(const struct warp *w, const struct insn *in, int lane, uint32_t element,
                      uint32_t size);

#endif
