/* twister.c - words of small Mersenne Twisters, and which of them are good (twister.h).
 *
 * A polynomial over two elements is an array of bits, lowest first. */
#include "twister.h"

#include <string.h>

enum { WORDS = TWISTER_BITS / 64 + 1, DEGREE = TWISTER_BITS };
struct poly {
    uint64_t w[WORDS];
};

static const uint16_t upper[TWISTERS] = {
#include "twisters.inc"
};

uint32_t twister_a(uint32_t s)
{
    return (uint32_t)upper[s] << 16 | s;
}

static uint32_t recur(struct twister *t)
{
    uint32_t *x = t->x, at = t->at;
    uint32_t y = (x[at] & 0xff800000) | (x[(at + 1) % TWISTER_WORDS] & 0x7fffff);

    t->at = (at + 1) % TWISTER_WORDS;
    return x[at] = x[(at + TWISTER_MIDDLE) % TWISTER_WORDS] ^ (y >> 1) ^ (y & 1 ? t->a : 0);
}

/* Knuth's filling of the state, as in MT19937 of 2002. */
void twister_start(struct twister *t, uint32_t a, uint32_t seed, uint32_t s)
{
    t->a = a;
    t->at = 0;
    t->x[0] = seed ^ s * 0x9e3779b9;
    for (uint32_t i = 1; i < TWISTER_WORDS; i++)
        t->x[i] = 1812433253 * (t->x[i - 1] ^ (t->x[i - 1] >> 30)) + i;
}

uint32_t twister_tempered(uint32_t y)
{
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return y ^ (y >> 18);
}

uint32_t twister_next(struct twister *t)
{
    return twister_tempered(recur(t));
}

/* ---- is it full? ---- */

static bool bit(const uint64_t *w, unsigned i)
{
    return w[i / 64] >> i % 64 & 1;
}

/* a ^= b << by, both of n words. */
static void add_shifted(uint64_t *a, const uint64_t *b, unsigned by, unsigned n)
{
    unsigned words = by / 64, bits = by % 64;

    for (unsigned i = words; i < n; i++) {
        a[i] ^= b[i - words] << bits;
        if (bits && i > words)
            a[i] ^= b[i - words - 1] >> (64 - bits);
    }
}

/* The shortest recurrence that makes the sequence, as a polynomial whose bit i says whether the
 * word i before is added (Berlekamp and Massey). Its length. */
static unsigned shortest(const bool *s, unsigned n, struct poly *c)
{
    struct poly b = {{1}}, before;
    unsigned length = 0, since = 1;

    *c = b;
    for (unsigned i = 0; i < n; i++) {
        bool odd = false;

        for (unsigned j = 0; j <= length && j <= DEGREE; j++)
            odd ^= bit(c->w, j) && s[i - j];
        before = *c;
        if (odd)
            add_shifted(c->w, b.w, since, WORDS);
        if (odd && 2 * length <= i) {
            length = i + 1 - length;
            b = before;
            since = 0;
        }
        since++;
    }
    return length;
}

/* p * p mod f, of degree DEGREE. */
static void square(struct poly *p, const struct poly *f)
{
    uint64_t wide[2 * WORDS] = {0}, from[2 * WORDS] = {0};

    for (unsigned i = 0; i < DEGREE; i++)
        wide[2 * i / 64] |= (uint64_t)bit(p->w, i) << 2 * i % 64;
    memcpy(from, f->w, sizeof(f->w));
    for (unsigned i = 2 * DEGREE - 1; i >= DEGREE; i--)
        if (bit(wide, i))
            add_shifted(wide, from, i - DEGREE, i / 64 + 1);
    memcpy(p->w, wide, sizeof(p->w));
}

/* Of prime degree p, and not a product of x and x + 1: irreducible when x^(2^p) = x. */
bool twister_is_full(uint32_t a)
{
    struct twister t;
    struct poly f, p = {{2}}, x = p;
    bool s[2 * DEGREE + 2], odd = false;

    twister_start(&t, a, 1, 0);
    for (unsigned i = 0; i < 2 * DEGREE + 2; i++)
        s[i] = recur(&t) & 1;
    if (shortest(s, 2 * DEGREE + 2, &f) != DEGREE)
        return false;
    for (unsigned i = 0; i <= DEGREE; i++)
        odd ^= bit(f.w, i);
    if (!odd || !bit(f.w, DEGREE)) /* x + 1 or x divides it */
        return false;
    for (unsigned i = 0; i < DEGREE; i++)
        square(&p, &f);
    return !memcmp(&p, &x, sizeof(p));
}

uint16_t twister_upper(uint32_t s)
{
    for (uint32_t i = 0;; i++) {
        uint16_t half = (uint16_t)(0x8000 | ((i * 0x6d2b + s * 0x1235) & 0x7fff));

        if (twister_is_full((uint32_t)half << 16 | s))
            return half;
    }
}
