/* report.h - a verdict for people. Everything that came from a student is escaped. */
#ifndef GRADING_REPORT_H
#define GRADING_REPORT_H

#include "base/text.h"
#include "grading/mark/verdict.h"

/* For a terminal: at most 100 columns; colours when asked for. */
void report_text(const struct verdict *v, bool colours, struct text *out);
/* Adds text for HTML, attributes included. */
void html_escape(struct text *out, const char *s);
const char *json_text(const json_t *o, const char *key); /* "" when there is none */
double json_double(const json_t *o, const char *key);

#endif
