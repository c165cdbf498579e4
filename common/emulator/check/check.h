/* check.h - what --check finds.
 *
 * Interface: a listener of every launch while checks are on (check_set()); the
 * runtime API tells it what the host writes (check_host_*), what it frees (check_free) and
 * when the program ends (check_leaks). Everything found goes through finding_report().
 * All calls are thread safe, and cheap while no checked launch has run and
 * check_enable() was not called.
 */
#ifndef EMULATOR_CHECK_H
#define EMULATOR_CHECK_H

#include "emulator/exec/events.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listener *check_listener(void); /* one for all launches */

/* CHECK_SOME: races, barriers, and words of shared memory that nobody stored; of each launch only
 * the first block, the last and some that are drawn (turns_set()), or the first cluster; not in
 * large allocations; variables lie as on a GPU. */
enum { CHECK_OFF, CHECK_ALL, CHECK_SOME };
enum { CHECKED_DRAWN = 4 };

/* From now on launches are checked, or not, whatever options.check says; returns what was before.
 * Findings are then the program's to read, and not printed unless options.check is set. */
int check_set(int on);
bool check_is_on(void); /* CHECK_ALL */

/* Checks may come: from now on remember what the host writes. Call at start when
 * options.check is set, and in check_set(CHECK_ALL). Memory that was allocated before
 * counts as written (the first checked launch enables, too, should nobody have). */
void check_enable(void);

/* [addr, addr+bytes) was written by the host: memcpy to the device, memset. */
void check_host_write(uint64_t addr, uint64_t bytes);
/* A library's step (runtime/step.h) reads [addr, addr+bytes): true, with the address of the first
 * word, when there is one of which nothing was ever written. False while checks are off. */
bool check_host_read(uint64_t addr, uint64_t bytes, uint64_t *at);
/* Device to device copy: what was never written stays so. Ranges may overlap. */
void check_host_copy(uint64_t dst, uint64_t src, uint64_t bytes);
/* An allocation is about to be freed (before mem_free): its shadow goes with it. */
void check_free(uint64_t addr);

/* What was found is forgotten, and told again where it is found again (findings_clear()). While
 * nothing runs. */
void check_forget(void);

/* Reports allocations of cudaMalloc and friends that are still alive; says that it does not
 * when a fault has ended the context. At exit. */
void check_leaks(bool faulted);

#endif
