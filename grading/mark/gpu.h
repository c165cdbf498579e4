/* gpu.h - the machine's NVIDIA GPUs, as seen without a driver library in this process.
 *
 * The driver is only ever loaded in a box. gpu_probe() starts the runner there, on no student's
 * code, and asks it: what works for it works for what comes after.
 */
#ifndef GRADING_GPU_H
#define GRADING_GPU_H

#include "session.h"

int gpu_count(void);
/* The device file of GPU number i, counted over those that are there, and round again. */
const char *gpu_device(int i);
/* Where libcuda.so.1 is, when a box does not see it anyway; NULL: it does, or it is nowhere. */
const char *gpu_driver_folder(void);

/* What a box on GPU o->gpu_index sees. False: why says what failed, and which system calls
 * were refused in a second try. */
bool gpu_probe(const struct engine_options *o, struct loaded *l, struct text *why);
/* Sets measure, gpu_arch and gpu_name; false with the reason where boxes cannot use a GPU. */
bool gpu_use(struct engine_options *o, struct text *why);

/* Waits for the lock of that GPU, which all graders of this machine respect: one job at a time.
 * Compiling needs none. -1: the lock cannot be made; give it to gpu_unlock() all the same. */
int gpu_lock(int index);
void gpu_unlock(int lock);

#endif
