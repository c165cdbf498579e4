/* export.h - marks and verdicts in the forms that other systems import: a table of them.
 *
 * An exporter writes into a text, and shows of a verdict what a student may see: no hidden rows.
 */
#ifndef GRADING_EXPORT_H
#define GRADING_EXPORT_H

#include "grading/book/book.h"

struct export_options {
    const char *title; /* of the assignment, with the system's id, "Lab 1 (4711)"; else NULL */
    bool missing_zero; /* 0 for who handed in nothing, else no mark */
};

extern const struct export_format {
    const char *name, *what;
    void (*verdict)(const struct verdict *v, struct text *out); /* of one verdict; or */
    /* of a class */
    void (*marks)(const struct mark *v, int n, const struct export_options *o, struct text *out);
    bool wants_lab, wants_title;
} export_formats[]; /* up to one without a name */

const struct export_format *export_format_named(const char *name); /* NULL: none */

#endif
