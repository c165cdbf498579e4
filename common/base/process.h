/* process.h - another program, run to its end. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "text.h"

#include <stdbool.h>

enum { NO_PROGRAM = 127 };

/* Runs a program of PATH, without a shell and with nothing to read; what it prints is added to out
 * and err, which may be one text. alone: Ctrl-C does not reach it. Its exit status, 128 and a
 * signal's number, or NO_PROGRAM; -1 with errno set where none could be started. */
int call_program(char *const argv[], bool alone, struct text *out, struct text *err);

#endif
