/* marked.h - tests read a verdict as what is kept of it: its JSON. */
#ifndef GRADING_MARKED_H
#define GRADING_MARKED_H

#include "engine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static inline json_t *verdict_json(const struct verdict *v)
{
    json_error_t bad;
    char *text = verdict_text(v, 0);
    json_t *o = json_loads(text, 0, &bad);
    cr_assert(o, "%s", bad.text);
    free(text);
    return o;
}

/* engine_mark(), as JSON. */
static inline json_t *marked(struct engine *e, const char *name, const char *source, size_t length)
{
    struct verdict *v = engine_mark(e, name, source, length);
    json_t *o = verdict_json(v);
    verdict_free(v);
    return o;
}

#endif
