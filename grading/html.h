/* html.h - self-contained pages: one a student, one of the class. Nothing is loaded from
 * anywhere, there are no scripts, and whatever came from a student is escaped. */
#ifndef GRADING_HTML_H
#define GRADING_HTML_H

#include "book.h"

/* all[0..n): the class, for the distribution; no other student's name is on the page. */
void html_student(const struct mark *m, const struct mark *all, int n, struct text *out);
void html_class(const struct mark *all, int n, struct text *out); /* for the instructor */

#endif
