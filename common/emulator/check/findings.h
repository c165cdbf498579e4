/* findings.h - what the checks and faults found, kept as JSON.
 *
 * Faults come from the interpreter, as to a listener; all else through finding_report(). All calls
 * are thread safe.
 */
#ifndef EMULATOR_FINDINGS_H
#define EMULATOR_FINDINGS_H

#include "emulator/exec/events.h"
#include <jansson.h>
#include <stddef.h>

/* Keeps a finding and prints text on stderr. kind, kernel, file, line, block, thread and address
 * are made from the arguments; *members, which it takes over, has the rest. b and s may be NULL (a
 * leak). The same kind, kernel and site is kept once, with a count; members and text NULL: one more
 * of those. */
void finding_report(const char *kind, const struct block_info *b, const struct site *s,
                    uint32_t thread, uint64_t address, json_t *members, const char *text);
/* Prints text where findings are printed, and keeps nothing. */
void finding_note(const char *text);
/* The program reads findings and says them its own way: they and faults are not printed as well.
 * What comes at exit, leaks, it cannot read any more. */
void findings_read_by_program(bool reads);
void findings_read_always(bool reads); /* … whether or not the checks are on */
/* Called when a kernel faults, before that is a finding: what was found until then comes first. */
void findings_before_fault(void (*f)(const struct emu_func *f));

size_t findings_count(void);
const char *findings_json(size_t i); /* one object; NULL past the last. Stays valid */
/* What comes then is told again, as if it were the first of its kind; frees what was given out. */
void findings_clear(void);

#endif
