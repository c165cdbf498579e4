/* random_gen.h - random PTX programs, one a seed (random_gen.c).
 *
 * A program is a module with the kernel k(.u64 out, .u64 acc): 8 bytes at out for each thread
 * of the grid, and ACC_BYTES at acc that atomics change: any, but always the same.
 */
#ifndef EMULATOR_RANDOM_GEN_H
#define EMULATOR_RANDOM_GEN_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_THREADS = 512 }; /* in a grid */
/* atomics: one row of 16 words for each operation, so that all of a row commute */
enum { ACC_WORDS = 16, ACC_ROWS = 10, ACC_BYTES = ACC_ROWS * ACC_WORDS * 8 };

struct random_program {
    char *text; /* PTX; the buffer is kept from one program to the next, NULL at first */
    size_t n;   /* its bytes */
    unsigned insns;
    struct random_shape {
        unsigned grid, block[3];
    } shape;
};
void random_generate(struct random_program *p, uint64_t seed);

/* Says what is wrong and ends the process. */
void random_fail(const char *what, const char *which);

#endif
