/* special.h - numbers that programs are seldom tried on, for inputs of a CASE_SPECIAL case. */
#ifndef LAB_SPECIAL_H
#define LAB_SPECIAL_H

#include "lab.h"

/* Of either sign; the bits that make no difference to what it is are drawn. */
enum special {
    SPECIAL_NAN = 1,
    SPECIAL_INFINITE = 2,
    SPECIAL_HUGE = 4, /* of the greatest exponent; of an integer the least and the greatest */
    SPECIAL_TINY = 8, /* subnormal; of an integer 1 and -1 */
    SPECIAL_ZERO = 16,
    SPECIAL_FINITE = SPECIAL_HUGE | SPECIAL_TINY | SPECIAL_ZERO,
    SPECIAL_ALL = SPECIAL_FINITE | SPECIAL_INFINITE | SPECIAL_NAN
};

/* Puts one of the kinds (a union of enum special) in the place of about every eighth of n elements
 * of any type; integers are never NaN or infinite. */
void special_sprinkle(enum dtype t, unsigned kinds, uint64_t stream, uint64_t n, void *data);

/* Fills n elements of any type with numbers of all sizes, of either sign: any bits, small numbers,
 * powers of two, whole numbers, numbers that are equal to the one before, and special ones of all
 * kinds. For inputs that are copied, or computed with exactly. */
void special_fill(enum dtype t, uint64_t stream, uint64_t n, void *data);

#endif
