/* report.h - a verdict for people. Everything that came from a student is escaped. */
#ifndef GRADING_REPORT_H
#define GRADING_REPORT_H

#include "base/text.h"
#include "grading/mark/verdict.h"

/* For a terminal: at most 100 columns. In brief (no detail) what was given and is right is one
 * line, so are kernels whose TODO stands in the source, and a row that waits for another has no
 * reason. */
struct text_look {
    bool colours, detail;
    const char *source; /* of what was marked; NULL: not at hand, then no kernel is to be written */
};
/* Nothing of the row's kernel is right, and its TODO stands; or it is one that may be left out. */
bool still_to_write(const struct verdict *v, const struct verdict_row *row, const char *source);
/* The lab's first kernel with a row that failed; NULL: none. */
const char *first_failed(const struct verdict *v);
void report_text(const struct verdict *v, const struct text_look *look, struct text *out);
/* Adds text for HTML, attributes included. */
void html_escape(struct text *out, const char *s);
const char *json_text(const json_t *o, const char *key); /* "" when there is none */
double json_double(const json_t *o, const char *key);

#endif
