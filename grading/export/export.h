/* export.h - marks and verdicts in the forms that other systems import. */
#ifndef GRADING_EXPORT_H
#define GRADING_EXPORT_H

#include "grading/book/book.h"

/* Of one verdict, as JSON or text. hidden rows: none; what a student may see of a verdict. */
void export_gradescope(const struct verdict *v, struct text *out);
void export_autolab(const struct verdict *v, struct text *out); /* one line: print it last */
void export_prairielearn(const struct verdict *v, struct text *out);
/* base64, for the step output "result" */
void export_classroom(const struct verdict *v, struct text *out);

/* Of a class. title: with the system's id, "Lab 1 (4711)", where it wants one. */
void export_canvas(const struct mark *v, int n, const char *title, struct text *out);
void export_moodle(const struct mark *v, int n, struct text *out);
/* Everything a spreadsheet wants: id, name, lab, status, score, mark, days late, rule. */
void export_csv(const struct mark *v, int n, struct text *out);
void export_junit(const struct mark *v, int n, struct text *out);
/* One JSON line a student, ids replaced by aliases; no names, no files' names, no free text
 * that came from the student. */
void export_anonymous(const struct mark *v, int n, struct text *out);

#endif
