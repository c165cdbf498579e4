/* trace.h - the emulator's trace of one block, as text: through a pipe, as files in the grader's
 * box are small. */
#ifndef RUN_TRACE_H
#define RUN_TRACE_H

#include <stdbool.h>

struct trace;

/* Of the next launch of kernel. NULL when there is none to be had. */
struct trace *trace_begin(const char *kernel);
/* launched: that launch has been waited for. The text, for free(). */
char *trace_end(struct trace *t, bool launched);

#endif
