/* turns.h - orders that are drawn: of a launch's blocks, and of a block's warps
 * (DISTURB_reordered).
 *
 * Interface: turns_set() says what launches draw from; turns_draw() makes a number that stands for
 * an order of n, and turns_at() tells the k-th in it.
 */
#ifndef EMULATOR_TURNS_H
#define EMULATOR_TURNS_H

#include <stdint.h>

uint64_t turns_set(uint64_t from); /* in launches from now on; returns what it was */
uint64_t turns_now(void);
/* Of four or more neither the first nor the last comes first or last, as they do in the usual order
 * and in the opposite one; of three the one between them comes first or last. */
uint64_t turns_draw(uint64_t from, uint64_t n);
uint64_t turns_at(uint64_t order, uint64_t k, uint64_t n); /* k < n */

#endif
