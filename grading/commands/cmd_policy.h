/* cmd_policy.h - the options for late work, which batch and policy share. */
#ifndef GRADING_CMD_POLICY_H
#define GRADING_CMD_POLICY_H

#include "grading/book/book.h"

#include <argp.h>

struct policy_args {
    struct policy p;
    unsigned given; /* which fields */
};
extern const struct argp policy_argp; /* a child parser; its input is a struct policy_args */

/* Changes what was given, keeps the rest; a change is recorded in the audit trail. */
void policy_apply(struct book *b, const char *lab, const struct policy_args *a);
char *policy_text(const struct policy *p);

#endif
