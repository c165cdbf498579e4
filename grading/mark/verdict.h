/* verdict.h - the parts of a verdict (engine.h says what is in it) that come from runs. */
#ifndef GRADING_VERDICT_H
#define GRADING_VERDICT_H

#include "session.h"

/* Sets a text that may come from anywhere: made printable first. */
void json_put(json_t *o, const char *key, const char *text);
json_t *json_of_run(const struct run *r);

#endif
