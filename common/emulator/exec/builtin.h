/* builtin.h - the device runtime's functions: printf, assert, malloc, free in kernels,
 * cudaGraphSetConditional.
 *
 * Interface: warp_call_builtin() runs one; printf_flush() prints what a launch left in
 * printf's buffer; the limits are cudaDeviceSetLimit()'s. As CUDA documents, a limit can no
 * longer be set once a kernel that uses what it limits has been launched: builtin_used()
 * notes that, builtin_reset() (cudaDeviceReset) forgets it.
 */
#ifndef EMULATOR_BUILTIN_H
#define EMULATOR_BUILTIN_H

#include "base/text.h"
#include "exec.h"

#define STRING_MOST (1 << 20)

/* A conditional handle of a graph is the address of its value, in a MEM_WORKSPACE of this name. */
#define CONDITION_LABEL "a graph's condition"
uint32_t *builtin_condition(uint64_t handle); /* its value; NULL: it is none */

const struct insn *warp_call_builtin(struct warp *w, const struct insn *in);

void builtin_used(unsigned device, unsigned uses);        /* of emu_func */
bool builtin_heap_limit(unsigned device, uint64_t bytes); /* false: too late */
bool builtin_printf_limit(unsigned device, uint64_t bytes);
void builtin_reset(unsigned device);

/* At the end of a launch: prints its output, and says so when the buffer was too small. */
void printf_flush(const char *kernel);

/* ---- between builtin.c and printf.c ---- */
const struct insn *builtin_printf(struct warp *w, const struct insn *in);
void printf_set_limit(uint64_t bytes);
/* A lane's memory through generic addresses; false: not there. */
bool builtin_read(struct warp *w, int lane, uint64_t a, void *out, uint32_t n);
/* Adds the string at a; after STRING_MOST bytes of it "…". */
bool builtin_string(struct warp *w, int lane, uint64_t a, struct text *out);
/* ---- for device_call.c ---- */
uint64_t builtin_malloc(struct warp *w, uint64_t bytes); /* 0: no room */
bool builtin_free(uint64_t addr);                        /* false: it is none of malloc's */
uint64_t builtin_text(const char *s); /* the device address of a text that stays there */
uint64_t builtin_argument(struct warp *w, const struct call_info *ci, uint32_t k, int lane);
void builtin_return(struct warp *w, const struct call_info *ci, int lane, uint64_t v);

#endif
