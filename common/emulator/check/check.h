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

#include "emulator/exec/events.h"
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

/* Reports allocations of cudaMalloc and friends that are still alive; says that it does not
 * when a fault has ended the context. At exit. */
void check_leaks(bool faulted);

/* "12 bytes after a 4096-byte block from cudaMalloc (allocation 3)", for any address,
 * windows of shared, local and parameter memory included. Always terminates buf. */
void check_describe_address(uint64_t addr, char *buf, size_t size);

/* ---- shared memory in checked launches (check_guard.c) ---- */
struct emu_func;
struct ptx_var;
struct shared_part {
    const struct ptx_var *var; /* of dynamic shared memory the first */
    uint64_t plain, at, size;  /* offset in other launches, in this one; bytes */
};
struct shared_map {
    uint32_t n, extent; /* parts; bytes up to the end of the last */
    struct shared_part parts[];
};
/* The kernel's variables with room between them, for a launch with so many bytes of shared
 * memory in all. free() it. NULL: there are none, or too many. */
struct shared_map *shared_map_new(const struct emu_func *kernel, uint32_t bytes);
/* Where v, which is at `plain` without a map, is with one; m may be NULL here and below. */
uint64_t shared_map_offset(const struct shared_map *m, const struct ptx_var *v, uint64_t plain);
/* And back, for any place. */
uint64_t shared_map_plain(const struct shared_map *m, uint64_t at);
/* "byte 12 of 'tile' (1024 bytes of shared memory)" */
void shared_map_describe(const struct shared_map *m, uint64_t at, char *buf, size_t size);
/* The instruction is a library's own: CUB's, Thrust's, or of a header of the toolkit. */
bool check_of_a_library(const char *kernel, const struct site *s);

/* A function is about to be freed: nothing found in it is remembered as such. */
void check_forget(const struct emu_func *f);

#endif
