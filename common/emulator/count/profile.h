/* profile.h - the log of --profile: a row a launch, copy or fill; rows by source line. */
#ifndef EMULATOR_COUNT_PROFILE_H
#define EMULATOR_COUNT_PROFILE_H

#include "emulator/exec/launch.h"

void profile_launch(const struct emu_launch *l, const struct emu_func_info *f,
                    const struct emu_result *r, double host_us);
/* The stream's device; of a copy between two it is the one whose stream it is in. */
void profile_copy(const char *what, uint64_t bytes, uint64_t stream, unsigned device, double ms,
                  double host_us);
/* A library's own kernels, as one: "cufftExecC2C". */
void profile_step(const char *name, uint64_t bytes, uint64_t stream, unsigned device, double ms,
                  double host_us);
/* Rows by source line of one module, or (NULL) of all that are loaded. */
void profile_lines(const struct emu_module *m);
void profile_finish(void);

#endif
