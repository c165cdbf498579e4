/* error.h - what went wrong, for the program and for a person.
 *
 * A failure is a cudaError_t and a text that says where and why. emu_fail() keeps the text for
 * emu_error_text() and prints it; emu_keep() does not print. Both return e. panic() is for faults
 * of the emulator's own. All calls are thread safe.
 */
#ifndef EMULATOR_ERROR_H
#define EMULATOR_ERROR_H

#include <driver_types.h> /* cudaError_t */
#include <stdbool.h>

cudaError_t emu_keep(cudaError_t e, const char *format, ...) __attribute__((format(printf, 2, 3)));
cudaError_t emu_fail(cudaError_t e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emu_error_quiet(bool on); /* emu_fail() prints nothing */
void emu_error_hush(bool on);  /* likewise, in this thread */
/* The text of the last failure, "" when none; good until the thread asks again. */
const char *emu_error_text(void);
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
