/* program.h - carries a job out by a whole program of a student's, host code too.
 *
 * The program gets a folder of its own and two names:
 *
 *      program INPUT OUTPUT      INPUT: the plan's input buffers, one after the other
 *                                OUTPUT: it is to write the output buffers there, likewise
 *
 * It is done when it ends with status 0 and has written all of its result. What it did is told
 * by the runtime that it was run on (emulator/runtime/record.c), in a file in that same folder:
 * nothing of it is beyond the program's reach.
 */
#ifndef RUN_PROGRAM_H
#define RUN_PROGRAM_H

#include "lab/job.h"
#include "module.h"

/* The image is an executable file's; it stays the caller's, and where it is. */
void program_load(struct module *m, const char *path, const void *image, size_t size);
/* As run_here(), which calls it for a module that is a program. */
void program_run(const struct module *m, const struct job *j, struct outputs *o);
/* From now on programs may start no others, and have a limit on addresses: for the grader's box. */
void program_confine(void);

#endif
