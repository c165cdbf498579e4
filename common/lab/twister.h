/* twister.h - small Mersenne Twisters, each a generator of its own.
 *
 *   x[k+17] = x[k+8] ^ (y >> 1) ^ (y odd ? a : 0),  y = the upper 9 bits of x[k], the lower 23 of
 *   x[k+1]
 *
 * The recurrence of Matsumoto and Nishimura (1998) with 17 words of 32 bits: 521 bits of state.
 * For some `a` its characteristic polynomial is irreducible, and then, as 2^521 - 1 is a prime, its
 * period is 2^521 - 1. Each such `a` is a twister that has nothing to do with the others: their
 * "dynamic creation" (2000). Stream s has in `a` its number, below, and what was found for it
 * (twisters.inc, which `twister_upper` made).
 *
 * Not modelled: tempering chosen for each `a`. All have that of MT19937, which is one to one: the
 * period stays, and what the words are like is tested (labs/monte_carlo/monte_carlo_test.c).
 */
#ifndef LAB_TWISTER_H
#define LAB_TWISTER_H

#include <stdbool.h>
#include <stdint.h>

enum { TWISTER_WORDS = 17, TWISTER_MIDDLE = 8, TWISTER_BITS = 521, TWISTERS = 4096 };

struct twister {
    uint32_t a, x[TWISTER_WORDS];
    unsigned at;
};

/* `a` of stream s, s < TWISTERS. */
uint32_t twister_a(uint32_t s);

/* Starts stream s: with one seed for all, streams begin alike, whatever their `a`. */
void twister_start(struct twister *t, uint32_t a, uint32_t seed, uint32_t s);

/* The next word. */
uint32_t twister_next(struct twister *t);
/* What a word of the state becomes on its way out. */
uint32_t twister_tempered(uint32_t y);

/* Has it the full period, 2^521 - 1? Some milliseconds. */
bool twister_is_full(uint32_t a);

/* The first upper half, of those tried in the order that s says, that makes it full. */
uint16_t twister_upper(uint32_t s);

#endif
