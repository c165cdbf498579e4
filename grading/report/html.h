/* html.h - self-contained pages: one a student, one of the class. Nothing is loaded from
 * anywhere, there are no scripts, and whatever came from a student is escaped. */
#ifndef GRADING_HTML_H
#define GRADING_HTML_H

#include "causes.h"
#include "grading/book/book.h"
#include "rates.h"

/* v: NULL when there is none yet; source: what was handed in, NULL when it cannot be shown.
 * all[0..n): the class, for the distribution; no other student's name is on the page. all may be
 * brief (book.h). */
void html_student(const struct mark *m, const struct verdict *v, const char *source,
                  const struct mark *all, int n, struct text *out);

/* For the instructor; r and c: of these, in this order. */
void html_class(const struct mark *all, int n, const struct pass_rates *r, const struct causes *c,
                struct text *out);

#endif
