/* transform.h - discrete Fourier transforms of any length, in double precision.
 *
 *   forward  X[k] = sum over j of x[j] exp(-2 pi i jk / n);  inverse: +, and no 1/n, as cuFFT's
 *
 * Stockham's algorithm, which takes the prime factors of n in turn and needs no reordering; a
 * length with a prime factor above MOST_RADIX becomes a convolution of a power of two (Bluestein).
 */
#ifndef EMULATOR_FFT_TRANSFORM_H
#define EMULATOR_FFT_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>

struct cx {
    double re, im;
};

struct transform;
struct transform *transform_new(size_t n); /* n > 0 */
void transform_free(struct transform *t);
/* n x inner numbers, in place: a transform along the first of the two for each of `inner` columns.
 * room: as many. */
void transform_run(const struct transform *t, struct cx *x, size_t inner, bool inverse,
                   struct cx *room);

#endif
