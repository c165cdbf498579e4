/* plain.h - tokens in one form where a compiler makes the same of several: what adds nothing is
 * gone, and what can be said in several ways is said in one. Meaning is kept only as far as two
 * sources can be compared: numbers' types and brackets are not looked at closely.
 */
#ifndef GRADING_PLAIN_H
#define GRADING_PLAIN_H

#include "base/lex.h"

/* Whether l's i-th token has nothing to its left, as the star of *p. */
bool is_unary(const struct list *l, int i);

/* Rewrites the list in place; its tokens point to where they pointed, or to constants. */
void make_plain(struct list *l);

#endif
