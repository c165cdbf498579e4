/* twister_test.c - are the kept twisters what twister.h says? */
#include "twister.h"

#include <criterion/criterion.h>

#ifdef WITH_ASAN /* six times as slow there, and each twister goes the same ways */
enum { LOOKED_AT = 7, OTHERS = 30 };
#else
enum { LOOKED_AT = TWISTERS / 117, OTHERS = 199 };
#endif

/* The recurrence as it is written down, word by word in one long array. */
Test(twister, words_are_those_of_the_recurrence)
{
    uint32_t x[60], a = twister_a(5), seed = 2026;
    struct twister t;

    x[0] = seed ^ 5 * 0x9e3779b9;
    for (uint32_t i = 1; i < 17; i++)
        x[i] = 1812433253 * (x[i - 1] ^ (x[i - 1] >> 30)) + i;
    twister_start(&t, a, seed, 5);
    for (int k = 0; k + 17 < 60; k++) {
        uint32_t y = (x[k] & 0xff800000) | (x[k + 1] & 0x007fffff), w;

        x[k + 17] = x[k + 8] ^ (y >> 1) ^ (y % 2 ? a : 0);
        w = x[k + 17];
        w ^= w >> 11;
        w ^= (w << 7) & 0x9d2c5680;
        w ^= (w << 15) & 0xefc60000;
        w ^= w >> 18;
        cr_assert_eq(twister_next(&t), w, "word %d", k);
    }
}

/* All are different, as each has its own number in it; some are looked at. */
Test(twister, twisters_have_the_full_period)
{
    for (uint32_t s = 0; s < TWISTERS; s++)
        cr_assert_eq(twister_a(s) & 0xffff, s);
    for (uint32_t s = 0; s < TWISTERS; s += TWISTERS / LOOKED_AT)
        cr_assert(twister_is_full(twister_a(s)), "twister %u", s);
    cr_assert(twister_is_full(twister_a(TWISTERS - 1)));
}

/* Of other numbers about one in 130 is full, of those that end in 0 and begin with 0 none here. */
Test(twister, others_have_not)
{
    unsigned full = 0;

    for (uint32_t i = 1; i <= OTHERS; i++)
        full += twister_is_full(i * 0x9e3779b9);
    cr_assert_leq(full, 8, "%u of %d", full, OTHERS);
    cr_assert_not(twister_is_full(0));
}

Test(twister, the_search_finds_what_is_kept)
{
    cr_assert_eq((uint32_t)twister_upper(4) << 16 | 4, twister_a(4));
}
