/* finding.h - what the emulator's checker and faults found (JSON, a line each), told to a student.
 */
#ifndef HARNESS_FINDING_H
#define HARNESS_FINDING_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds a line each, the one that matters most first: races in shared memory, across warps before
 * those inside one; what stopped the kernel; other races, barriers, memory never written. What was
 * found on the same lines for several kernels is told once. At most `most` of them, with each_kind
 * one of a kind, then how many more there are. Returns the cause that the first one is ("race",
 * "out-of-bounds"), NULL: there is none. `path`: the file that ran, as it is to be called. */
const char *findings_put(struct text *t, const char *json_lines, const char *path, int most,
                         bool each_kind);

/* What they say of shared memory that was read before it was stored, where that is known. */
extern const char finding_stored_later[], finding_never_stored[];

/* What is said where there are more, with each_kind, to who has not asked for checks. */
extern const char finding_check_lists[];
/* Of such lines those are left out that tell what `told` does: the same at the same place. */
void findings_drop(struct text *lines, const char *told);
/* What they ask: it may be answered otherwise. */
void findings_drop_questions(struct text *lines);
/* Of the one that matters most: the line in the file of this path, and the other's of a race, else
 * the same twice. False: none is known. */
bool findings_lines(const char *json_lines, const char *path, int lines[2]);
/* Where results that are NaN begin, and of what (the finding of kind "nan"): a line in words.
 * False: there is none, there are several, or it has no line. */
bool findings_put_nan(struct text *t, const char *json_lines, const char *path);
/* Is there a race in shared memory among them? */
bool findings_race(const char *json_lines);

#endif
