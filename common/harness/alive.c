/* alive.c - is what a wrong run did still done, on some input, when the file is changed? A
 * condition that sends all inputs another way round what is wrong makes the results right, and
 * mends nothing. Lines that touch memory count, and barriers: others are the compiler's to merge
 * and to move.
 */
#include "base/alloc.h"
#include "diagnosing.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const touches[] = {"global_ld_requests",   "global_st_requests",
                                      "global_atom_requests", "shared_ld_requests",
                                      "shared_st_requests",   "barriers"};

static bool is_touched(const json_t *line)
{
    for (size_t i = 0; i < sizeof(touches) / sizeof(touches[0]); i++) {
        if (json_object_get(line, touches[i]))
            return true;
    }
    return false;
}

/* path: a short one. */
static bool is_of(const json_t *line, const char *path)
{
    const char *file = json_string_value(json_object_get(line, "file")),
               *at = file ? strstr(file, path) : NULL;

    return at && !at[strlen(path)];
}

void alive_add(struct alive *a, const struct search *s, const struct sample *sample)
{
    json_t *lines = json_loads(sample->outputs.lines ? sample->outputs.lines : "[]", 0, NULL),
           *line;
    size_t i;

    json_array_foreach(lines, i, line)
    {
        json_int_t at = json_integer_value(json_object_get(line, "line"));

        if (at <= 0 || at > 1 << 20 || !is_touched(line) || !is_of(line, s->path))
            continue;
        if ((size_t)at >= a->n) {
            a->touched = xrealloc(a->touched, (size_t)at + 1);
            memset(a->touched + a->n, 0, (size_t)at + 1 - a->n);
            a->n = (size_t)at + 1;
        }
        a->touched[at] = true;
    }
    json_decref(lines);
}

void alive_busiest(const struct search *s, const struct sample *sample, int lines[2])
{
    json_t *all = json_loads(sample->outputs.lines ? sample->outputs.lines : "[]", 0, NULL), *line;
    json_int_t most[2] = {0, 0};
    size_t i;

    json_array_foreach(all, i, line)
    {
        json_int_t at = json_integer_value(json_object_get(line, "line")),
                   n = json_integer_value(json_object_get(line, "inst_executed"));

        if (at <= 0 || at > 1 << 20 || n <= most[1] || !is_of(line, s->path))
            continue;
        int k = n > most[0] ? 0 : 1;
        if (!k) {
            most[1] = most[0];
            lines[1] = lines[0];
        }
        most[k] = n;
        lines[k] = (int)at;
    }
    json_decref(all);
}

bool alive_stores(const struct search *s, const struct sample *sample, int lines[2])
{
    json_t *all = json_loads(sample->outputs.lines ? sample->outputs.lines : "[]", 0, NULL), *line;
    int n = 0;
    size_t i;

    lines[0] = lines[1] = 0;
    json_array_foreach(all, i, line)
    {
        json_int_t at = json_integer_value(json_object_get(line, "line"));
        bool stores = json_object_get(line, "global_st_requests") != NULL;

        if (stores && at > 0 && at <= 1 << 20 && is_of(line, s->path) && n < 2)
            lines[n++] = (int)at;
    }
    json_decref(all);
    return n;
}

bool alive_all(const struct alive *was, const struct alive *is, int from, int to)
{
    for (size_t i = 0; i < was->n; i++) {
        bool changed = (int)i >= from && (int)i <= to;

        if (was->touched[i] && !changed && (i >= is->n || !is->touched[i]))
            return false;
    }
    return true;
}

void alive_free(struct alive *a)
{
    free(a->touched);
    *a = (struct alive){0};
}
