/* picture.h - what a failed gate is about, drawn: one request of a warp over the sectors it
 * moves, one shared access over the banks, or a warp's active lanes, path by path.
 *
 * picture_of() picks it from the trace of the submission's own run (common/emulator/count/trace.c)
 * and keeps it in the verdict as a few numbers; picture_svg() draws these into a page. Nothing
 * else in a verdict comes from a trace. plots/ draws the same things for handouts, with
 * matplotlib; here a class's pages have some thousand pictures, which may take neither Python
 * nor a second each, and must look the same on every machine.
 *
 *   {"kind": "sectors", "what": "load", "line": 12, "text": "…", "size": 4, "mask": 4294967295,
 *    "at": [0, 8, …], "units": 8, "least": 4}      at: bytes from the first's 128-byte line
 *   {"kind": "banks", …, "units": 32, "least": 1, "groups": 1}
 *        at: bytes in shared memory; units: passes; groups of lanes that are served together
 *   {"kind": "lanes", "paths": [[mask, instructions, first line, last], …], "more": 3}
 */
#ifndef GRADING_PICTURE_H
#define GRADING_PICTURE_H

#include "base/text.h"

#include <jansson.h>
#include <stdint.h>

/* counter: the gate's, it decides what is drawn. line: where most of it was counted, 0 unknown;
 * source: for that line's text. NULL when there is nothing to draw. */
json_t *picture_of(const char *trace, const char *counter, int64_t line, const char *source);
/* Draws one; nothing when it is not a picture. */
void picture_svg(const json_t *picture, struct text *out);

/* How an access of these lanes divides; at[i] for the i-th set bit of mask. */
int picture_sectors(uint32_t mask, const uint64_t *at, unsigned size);
int picture_passes(uint32_t mask, const uint64_t *at, unsigned size);

#endif
