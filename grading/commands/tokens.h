/* tokens.h - a source as a row of numbers, the same for what a compiler takes for the same.
 *
 * What a compiler sees is read: conditionals are evaluated and macros expanded (macros.h). Names,
 * types, numbers, brackets around expressions and statements, statements without an operator or
 * behind if (0), and words without an effect on what is computed say nothing here; a[i] is
 * *(a + i). What is left is the shape: operators, control and the words of CUDA.
 *
 * Not modelled: statements that compute something nobody uses.
 */
#ifndef GRADING_TOKENS_H
#define GRADING_TOKENS_H

#include <stdint.h>

uint64_t *tokens_of(const char *source, int *n);

#endif
