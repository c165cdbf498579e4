/* causes.h - what went wrong in a class, and with whom: failed checks grouped by what the grader
 * found, so that one sentence serves all who need it. Added up one verdict at a time. */
#ifndef GRADING_CAUSES_H
#define GRADING_CAUSES_H

#include "grading/mark/verdict.h"

struct cause {
    char *text;    /* without cases, lines and numbers; what one cause has in common */
    char *example; /* the first one's words, whole */
    char *checks;  /* titles of the rows it was found in, by commas */
    int *students; /* each once: what causes_add() was told */
    int n;
};

struct causes {
    struct cause *v;
    int n;
};

/* The causes of v, student number `student`'s; NULL is no submission and has none. source: what was
 * marked, which says what is still to be written; NULL: not at hand. */
void causes_add(struct causes *c, int student, const struct verdict *v, const char *source);
void causes_sort(struct causes *c); /* most students first; among equals as they came */
void causes_free(struct causes *c);

/* What is wrong, of one failed row: its kind of finding, or where nothing was found what failed. */
void cause_of_row(const struct verdict_row *row, struct text *out);

#endif
