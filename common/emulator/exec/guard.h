/* guard.h - where shared variables lie, and whether an access is inside of them.
 *
 * For launches in which a listener wants them apart, see guard.c; in all others there is no map.
 */
#ifndef EMULATOR_GUARD_H
#define EMULATOR_GUARD_H

#include "base/text.h"
#include "exec.h"

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
/* Is there a variable of single bytes? No alignment, so no padding. */
bool shared_map_is_bytes(const struct shared_map *m, uint64_t at);
/* Adds "byte 12 of 'tile' (1024 bytes of shared memory)" */
void shared_map_describe(struct text *t, const struct shared_map *m, uint64_t at);

#endif
