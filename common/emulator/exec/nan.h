/* nan.h - instructions that make a NaN of what is none.
 *
 * For launches that disturb `nan` alone: such a result becomes 0, and listeners are told of
 * it. Watched: what computes f32 or f64 in registers, but no products of matrices, nothing in f16
 * or bf16, and no conversion.
 */
#ifndef EMULATOR_EXEC_NAN_H
#define EMULATOR_EXEC_NAN_H

#include "exec.h"

bool nan_watches(const struct ptx_insn *p);
/* The handler of such an instruction, instead of its own. */
const struct insn *nan_watched(struct warp *w, const struct insn *in);

#endif
