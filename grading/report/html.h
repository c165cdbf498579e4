/* html.h - self-contained pages: one a student, one of the class. Nothing is loaded from
 * anywhere, there are no scripts, and whatever came from a student is escaped. */
#ifndef GRADING_HTML_H
#define GRADING_HTML_H

#include "grading/book/book.h"

#include <jansson.h>

/* verdict: JSON, NULL when there is none yet. all[0..n): the class, for the distribution; no
 * other student's name is on the page. all may be brief (book.h). */
void html_student(const struct mark *m, const char *verdict, const struct mark *all, int n,
                  struct text *out);

/* How many pass each check, added up one verdict at a time: a class's take much memory. */
struct pass_rates {
    json_t *passes, *titles, *speeds; /* by row's id; speeds: modelled ms of the slowest run */
    int graded;
};
void pass_rates_add(struct pass_rates *r, const struct mark *m, const char *verdict);
void pass_rates_free(struct pass_rates *r);
/* For the instructor. */
void html_class(const struct mark *all, int n, const struct pass_rates *r, struct text *out);

#endif
