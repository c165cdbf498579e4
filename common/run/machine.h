/* machine.h - finds out what is under this program: a GPU, or the emulator. */
#ifndef RUN_MACHINE_H
#define RUN_MACHINE_H

#include "base/text.h"
#include "lab/machine.h"

#include <cuda_runtime_api.h>

/* False with a reason that says what to do next. */
bool machine_open(struct machine *m, struct text *why);
/* SM clock now, MHz, from NVML; 0 when it cannot tell. */
uint32_t machine_clock_now(void);
bool machine_error_is_sticky(cudaError_t e);
void machine_revive(void); /* resets the device after such an error; a GPU may stay lost */

#endif
