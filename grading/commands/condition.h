/* condition.h - the value of what stands behind an #if, its macros already expanded: whole numbers
 * of 64 bits, with and without a sign, as in C++ 15.2. A name is 0 there, `true` is 1.
 */
#ifndef GRADING_CONDITION_H
#define GRADING_CONDITION_H

#include "base/lex.h"

bool condition_holds(const struct list *l);

#endif
