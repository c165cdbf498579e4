/* report.h - how findings are put together (report*.c only).
 */
#ifndef EMULATOR_CHECK_REPORT_H
#define EMULATOR_CHECK_REPORT_H

#include "private.h"
#include "emulator/base/json.h"

/* A finding as it is put together: in words, and what of them repeats its members. */
struct report {
    const char *what; /* NULL: the words have no head */
    struct text words;
    size_t head; /* bytes of words that say what, where and who */
};

struct report report_head(const char *what, const struct block_info *b, const struct site *s,
                          uint32_t thread);
/* Reports it with these members, its message and, of a race, the other access. */
void report_tell(const char *kind, const struct block_info *b, const struct site *s,
                 uint32_t thread, uint64_t addr, struct report *r, json_t *members, json_t *other);
/* Kinds are compared by address. True when a like finding was there before, after counting it once
 * more. */
bool report_counted(const char *kind, const struct block_info *b, const struct site *s,
                    const struct site *other, uint32_t thread, uint64_t addr);
/* A source line, or without line information an instruction. */
bool report_same_place(const struct site *a, const struct site *b);
void report_put_place(struct text *t, const struct block_info *b, enum access_space space,
                      uint64_t addr);
/* The address that a finding keeps: in shared memory, where it is without a map. */
uint64_t report_kept(const struct block_info *b, enum access_space space, uint64_t addr);
json_t *report_members(enum access_space space, uint32_t size);
/* Reads of memory never written at this place have something else behind them. */
void report_remember(struct block_state *b, const struct site *s);
/* The block ends: what its findings about copies and products wait for is known. */
void report_complete(const struct block_state *b);

#endif
