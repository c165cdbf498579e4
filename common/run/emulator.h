/* emulator.h - the emulator's own calls (emulator/runtime/warplab.h), found when it is what runs.
 *
 * The same program runs on a GPU and on the emulator; only the library path differs. None of
 * these does anything on a GPU.
 */
#ifndef RUN_EMULATOR_H
#define RUN_EMULATOR_H

#include "lab/counter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool emulator_here(void);
const char *emulator_version(void);
void emulator_set_steps(uint64_t steps);
uint64_t emulator_steps(void);   /* taken so far by all launches with a limit */
void emulator_set_check(int on); /* 0 off, 1 all, 2 of some blocks */
/* Which of a schedule's launches are over before the next, a bit each; NULL: it has ended. */
void emulator_order(const uint64_t *before);
void emulator_set_sample(bool on);           /* for modelled times */
void emulator_set_sample_at(uint64_t at);    /* of blocks that no kernel knows; 0: fixed ones */
void emulator_set_disturb(unsigned classes); /* 1 << DISTURB_… (emulator/base/disturb.h) */
void emulator_set_turns(uint64_t from);      /* of `reordered` */
/* What modules' variables hold, copied to or from there unless NULL; how many bytes. 0 on a GPU. */
size_t emulator_variables(void *to, const void *from);
void emulator_renew(void);               /* kernels cannot tell how much ran before */
void emulator_set_side_by_side(bool on); /* shared variables, in checked launches, too */
void emulator_set_timeless(bool on);     /* %globaltimer tells nothing of the time taken */
/* In messages p is an array of this name; what runs past its end by less than the gap is its. */
void emulator_name(const void *p, const char *name, size_t element, uint64_t elements);
void emulator_set_gap(uint64_t bytes);
/* There are at least so many devices from now on. */
void emulator_set_devices(int n);
void emulator_revive(void);
void emulator_forgive(void);

/* Of all launches since emulator_reset(). */
void emulator_reset(void);
void emulator_counters(struct counters *out);
double emulator_counter(const char *name);
double emulator_modelled_ms(void);
double emulator_span_ms(void); /* until all work is done, copies and waiting included */
/* Of the work issued last, ms since emulator_reset(). Unchanged on a GPU. */
void emulator_last_work(double *start_ms, double *end_ms);
void emulator_host_touch(const void *p, uint64_t bytes); /* managed memory */
char *emulator_lines(void);                              /* JSON, for free(); NULL on a GPU */
char *emulator_instructions(void);
char *emulator_compared(void); /* since it was last asked; exec/compared.h */
char *emulator_outcomes(void); /* likewise; exec/outcomes.h */
/* Of the last launch; "" or 0 when there was none. */
double emulator_occupancy(void);
const char *emulator_bound(void);
const char *emulator_limiter(void);

/* Since the start of the program, or emulator_renew(), oldest first; each is one JSON object. */
size_t emulator_findings(void);
void emulator_set_quiet(int level); /* 1: findings, 2: refused launches, too, are not on stderr */
const char *emulator_finding(size_t i);

/* The next launch of kernel: its first block, as JSON lines into file. */
bool emulator_trace(const char *kernel, const char *file);

#endif
