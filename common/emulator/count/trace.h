/* trace.h - records one block's execution for pictures (warplabTrace).
 *
 * Interface: trace_arm() names a kernel, a block and a file; the listener then wants the
 * next launch of that kernel. The file's format is
 * described in trace.c.
 */
#ifndef EMULATOR_TRACE_H
#define EMULATOR_TRACE_H

#include "emulator/exec/events.h"

/* Arms the recorder for the next launch of `kernel` (NULL or "": of any). 0 on success;
 * -1 when FILE cannot be written. A second call before the launch replaces the first. */
int trace_arm(const char *kernel, unsigned block, const char *file);

/* The listener when a trace is armed for this kernel, else NULL. Cheap. */
struct listener *trace_listener(const char *kernel);

/* Bytes a trace may grow to (default 64 MiB); returns the former limit. */
uint64_t trace_set_limit(uint64_t bytes);

#endif
