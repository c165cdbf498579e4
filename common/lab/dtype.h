/* dtype.h - element types on the host: sizes and names (lab.h), values as doubles. */
#ifndef LAB_DTYPE_H
#define LAB_DTYPE_H

#include "lab.h"

bool dtype_is_float(enum dtype t);
/* Element i of an array of t. 64-bit integers beyond 2^53 are rounded. */
double dtype_get(enum dtype t, const void *data, uint64_t i);
void dtype_set(enum dtype t, void *data, uint64_t i, double value);
/* "f32", "i32" …; false for another word. */
bool dtype_parse(const char *name, enum dtype *out);

float half_to_float(uint16_t h);
uint16_t half_from_float(float f); /* round to nearest, ties to even */
float bf16_to_float(uint16_t b);
uint16_t bf16_from_float(float f); /* likewise */

#endif
