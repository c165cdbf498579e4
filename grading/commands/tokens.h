/* tokens.h - a source as a row of numbers, the same for what a compiler takes for the same.
 *
 * What a compiler sees is read: conditionals are evaluated and macros expanded (macros.h), and what
 * can be said in several ways is said in one (plain.h). Names, types, numbers, brackets around
 * expressions and statements, statements without an operator, and words without an effect on what
 * is computed say nothing here; a[i] is *(a + i). What is left is the shape: operators, control and
 * the words of CUDA.
 *
 * Not modelled: a variable that nobody uses and that is named like one that is, in one function.
 */
#ifndef GRADING_TOKENS_H
#define GRADING_TOKENS_H

#include <stdint.h>

uint64_t *tokens_of(const char *source, int *n);

#endif
