/* check.h - what --check finds.
 *
 * Interface: the launcher installs check_listener() for a launch when checks are on; the
 * runtime API tells it what the host writes (check_host_*), what it frees (check_free) and
 * when the program ends (check_leaks). Everything found goes through finding_report().
 * All calls are thread safe, and cheap while no checked launch has run and
 * check_enable() was not called.
 */
#ifndef EMULATOR_CHECK_H
#define EMULATOR_CHECK_H

#include "events.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One listener for all launches; slot 0 of block_info.user is its own. */
struct listener *check_listener(void);

/* Checks may come: from now on remember what the host writes. Call at start when
 * options.check is set, and in warplabSetCheck(1). Memory that was allocated before
 * counts as written (the first checked launch enables, too, should nobody have). */
void check_enable(void);

/* [addr, addr+bytes) was written by the host: memcpy to the device, memset. */
void check_host_write(uint64_t addr, uint64_t bytes);
/* Device to device copy: what was never written stays so. Ranges may overlap. */
void check_host_copy(uint64_t dst, uint64_t src, uint64_t bytes);
/* An allocation is about to be freed (before mem_free): its shadow goes with it. */
void check_free(uint64_t addr);

/* Reports allocations of cudaMalloc and friends that are still alive. At exit. */
void check_leaks(void);

/* "12 bytes after a 4096-byte block from cudaMalloc (allocation 3)", for any address,
 * windows of shared, local and parameter memory included. Always terminates buf. */
void check_describe_address(uint64_t addr, char *buf, size_t size);

/* A function is about to be freed: nothing found in it is remembered as such. */
struct emu_func;
void check_forget(const struct emu_func *f);

#endif
