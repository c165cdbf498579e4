/* cases.h - the cases a rubric names, hidden ones among them, and whether a rubric holds together.
 */
#ifndef GRADING_CASES_H
#define GRADING_CASES_H

#include "rubric.h"
#include "base/text.h"

const struct lab *lab_named(const char *name);        /* NULL: none */
const struct rubric *rubric_of(const char *lab_name); /* NULL: none */
const struct lab_variant *variant_named(const struct lab *lab, const char *name);

struct marked_case {
    struct lab_case c;
    bool hidden;
    bool drawn; /* hidden, and there was a secret: c is usable */
};
/* False: no case of this name. */
bool case_named(const struct lab *lab, const struct rubric *r, const char *name, const char *secret,
                struct marked_case *out);
/* The cases of a row, allocated; an unknown name is fatal (rubric_problems() finds them). */
struct marked_case *row_cases(const struct lab *lab, const struct rubric *r,
                              const struct rubric_row *row, const char *secret, int *n);
/* The same for any list of names. */
struct marked_case *named_cases(const struct lab *lab, const struct rubric *r,
                                const struct rubric_row *row, const char *names, const char *secret,
                                int *n);
/* The seed of a case's inputs; `again` 1, 2, … for fresh inputs of the same case. */
uint64_t case_seed(const struct lab *lab, const struct lab_case *c, const char *secret, int again);
/* Another seed for each variant: no two kernels of a file get the same inputs. */
uint64_t variant_seed(uint64_t seed, const char *variant);

/* Adds a line for each mistake in r's tables; returns how many. */
int rubric_problems(const struct lab *lab, const struct rubric *r, struct text *out);
double rubric_points(const struct rubric *r);
/* True when name is among the words of list (separated by spaces). */
bool word_in(const char *list, const char *name);

#endif
