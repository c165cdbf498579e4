/* cases.h - the cases a rubric names, hidden ones among them, and whether a rubric holds together.
 */
#ifndef GRADING_CASES_H
#define GRADING_CASES_H

#include "rubric.h"
#include "base/text.h"

const struct lab *lab_named(const char *name);        /* NULL: none */
const struct rubric *rubric_of(const char *lab_name); /* NULL: none */
const struct lab_variant *variant_named(const struct lab *lab, const char *name);

/* What a marking draws hidden cases and inputs from. */
struct draw {
    const char *secret;     /* NULL: practice, the same for everybody, nothing is hidden */
    const char *submission; /* digest of its source */
};
struct marked_case {
    struct lab_case c;
    const char *kind; /* hidden: all that may be told of it; NULL: all of it may */
    bool pooled; /* hidden, and others of the class get it, too: not even a line is told of it */
};
/* The case of this name for a variant; false: there is none. */
bool case_named(const struct lab *lab, const struct rubric *r, const char *variant,
                const char *name, const struct draw *d, struct marked_case *out);
/* Could hidden case h of r be like this, for some submission? What it may take (work_max) aside. */
bool could_draw(const struct lab *lab, const struct rubric *r, const struct hidden_case *h,
                const struct lab_case *c);
/* The cases of a row, allocated; an unknown name is fatal (rubric_problems() finds them). */
struct marked_case *row_cases(const struct lab *lab, const struct rubric *r,
                              const struct rubric_row *row, const struct draw *d, int *n);
/* The same for any list of names. */
struct marked_case *named_cases(const struct lab *lab, const struct rubric *r,
                                const struct rubric_row *row, const char *names,
                                const struct draw *d, int *n);
/* The seed of the inputs of a variant's case; `again` 1, 2, … for fresh inputs. No two cases,
 * variants or submissions have one in common. */
uint64_t case_seed(const struct lab *lab, const struct lab_case *c, const char *variant,
                   const struct draw *d, int again);
/* The same for the reference solution: one for all submissions. */
uint64_t reference_seed(const struct lab *lab, const struct lab_case *c, const char *variant);

/* The least prime that is n or more, and above param: what is param apart then reaches all n. */
uint64_t next_prime(uint64_t n, int64_t param);
/* Of a case that h is to have: n as such a prime, where h asks for one. */
void make_prime(const struct hidden_case *h, struct lab_case *c);

/* Adds a line for each mistake in r's tables; returns how many. */
int rubric_problems(const struct lab *lab, const struct rubric *r, struct text *out);
double rubric_points(const struct rubric *r);
/* True when name is among the words of list (separated by spaces). */
bool word_in(const char *list, const char *name);

#endif
