/* wrapped.h - statements and values without what is around them only to be there: lambdas that are
 * called where they stand, switches with one way, loops of one round, copies of a value, asm that
 * does nothing.
 */
#ifndef GRADING_WRAPPED_H
#define GRADING_WRAPPED_H

#include "pass.h"

int called_lambda(struct pass *p, int i);
int chosen_case(struct pass *p, int i);
int one_round(struct pass *p, int i);
int asm_of_nothing(struct pass *p, int i);

/* Where the name stands that the asm at i writes to and does no more; -1: it is no such asm. */
int asm_output(const struct pass *p, int i);
/* A variable that nothing changes and that is a name's or a number's copy, or is used once and at
 * once, is what it was made with. */
void put_copies(struct list *l);

#endif
