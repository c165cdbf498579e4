/* boxes.h - the two programs that work in boxes: the compiler (grade-cc), which sees toolkit,
 * public header and submission, and the runner (grade-runner), which sees a CUDA runtime.
 *
 * A runner on a GPU also gets the device files of one GPU and the driver's libraries, wherever
 * this machine keeps them.
 */
#ifndef GRADING_BOXES_H
#define GRADING_BOXES_H

#include "grading/sandbox/sandbox.h"
#include "session.h"

enum { RUNNER_LOG_CAP = 64 << 10, COMPILER_IMAGE_CAP = 64 << 20, COMPILER_TEXT_CAP = 4 << 20 };

/* name: of the source file, in messages. Both as box_start(). */
/* program: host code, too, with nvcc. */
bool compiler_start(struct box *b, const struct engine_options *o, const char *name,
                    const char *how); /* NULL, or grade-cc's third argument */
/* argument: NULL, "probe" or "program" (runner_main.c). traced: as in box_spec. */
bool runner_start(struct box *b, const struct engine_options *o, const char *argument, bool traced);

#endif
