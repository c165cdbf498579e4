/* tokens.h - a source as a row of numbers, the same for what a compiler takes for the same.
 *
 * Comments, layout, joined lines, other spellings of an operator and the file's own macros are
 * seen through as a compiler does. Names, types, numbers, brackets around expressions and
 * statements and words without an effect on what is computed say nothing here. What is left is
 * the shape: operators, subscripts, control and the words of CUDA.
 *
 * Not modelled: conditional compilation other than #if 0 (all branches are read), # and ## in
 * macros, macros of headers.
 */
#ifndef GRADING_TOKENS_H
#define GRADING_TOKENS_H

#include <stdint.h>

uint64_t *tokens_of(const char *source, int *n);

#endif
