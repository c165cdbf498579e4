/* sectors.h - which 32-byte sectors a block fetched and wrote: a set, by hashing. */
#ifndef EMULATOR_SECTORS_H
#define EMULATOR_SECTORS_H

#include <stdbool.h>
#include <stdint.h>

struct sector {
    uint64_t number;  /* address / 32, plus 1; 0: a free place */
    uint32_t written; /* a bit for each of its bytes */
    bool fetched;     /* by a load, from beyond L1 */
};
struct sectors {
    struct sector *places;
    uint32_t room, count; /* room: 0 or a power of two */
};

/* The sector's entry, made when it is new; the pointer lives until the next call. */
struct sector *sectors_at(struct sectors *s, uint64_t number);
bool sectors_have(const struct sectors *s, uint64_t number);
/* Bytes of it that were written. */
uint32_t sectors_written(const struct sectors *s, uint64_t number);
void sectors_free(struct sectors *s);

#endif
