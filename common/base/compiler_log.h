/* compiler_log.h - of a long compiler's log the part that is to be read first. */
#ifndef BASE_COMPILER_LOG_H
#define BASE_COMPILER_LOG_H

#include "text.h"

/* Adds the log's first error with what stands beneath it (the source line, a caret), and how many
 * lines and errors are left out, without what follows those words ("; DETAIL=1 shows them"). A log
 * of a few lines, or without an error, is added whole. Returns the number of lines left out. */
unsigned compiler_log_first(struct text *t, const char *log);
/* How many errors it has. */
unsigned compiler_log_errors(const char *log);

#endif
