/* alive.c - is what a wrong run did still done, on some input, when the file is changed? A
 * condition that sends all inputs another way round what is wrong makes the results right, and
 * mends nothing. Lines that touch memory count, and barriers: others are the compiler's to merge
 * and to move. It may take a load, too, together with one of another line, as of *p at a loop's end
 * and behind it: what such a line computes of it is still done there.
 */
#include "base/alloc.h"
#include "diagnosing.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const touches[] = {"global_ld_requests",   "global_st_requests",
                                      "global_atom_requests", "shared_ld_requests",
                                      "shared_st_requests",   "barriers"};

static const char *const counts[] = {"flop_fp16", "flop_fp32", "flop_fp64"};

static bool has_any(const json_t *line, const char *const *keys, size_t n)
{
    bool has = false;

    for (size_t i = 0; i < n && !has; i++)
        has = json_object_get(line, keys[i]) != NULL;
    return has;
}

/* path: a short one. */
static bool is_of(const json_t *line, const char *path)
{
    const char *file = json_string_value(json_object_get(line, "file")),
               *at = file ? strstr(file, path) : NULL;

    return at && !at[strlen(path)];
}

/* Each line of the student's file that was executed. */
static void each_line(const struct search *s, const struct sample *sample,
                      void (*f)(void *user, const json_t *line, int at), void *user)
{
    json_t *lines = json_loads(sample->outputs.lines ? sample->outputs.lines : "[]", 0, NULL),
           *line;
    size_t i;

    json_array_foreach(lines, i, line)
    {
        json_int_t at = json_integer_value(json_object_get(line, "line"));

        if (at > 0 && at <= 1 << 20 && is_of(line, s->path))
            f(user, line, (int)at);
    }
    json_decref(lines);
}

static void touch(void *user, const json_t *line, int at)
{
    struct alive *a = user;
    size_t n = (size_t)at + 1;

    if (n > a->n) {
        a->touched = xrealloc(a->touched, n);
        a->counts = xrealloc(a->counts, n);
        memset(a->touched + a->n, 0, n - a->n);
        memset(a->counts + a->n, 0, n - a->n);
        a->n = n;
    }
    a->touched[at] |= has_any(line, touches, sizeof(touches) / sizeof(touches[0]));
    a->counts[at] |= has_any(line, counts, sizeof(counts) / sizeof(counts[0]));
}

void alive_add(struct alive *a, const struct search *s, const struct sample *sample)
{
    each_line(s, sample, touch, a);
}

struct busiest {
    json_int_t most[2];
    int *lines;
};

static void find_busiest(void *user, const json_t *line, int at)
{
    struct busiest *b = user;
    json_int_t n = json_integer_value(json_object_get(line, "inst_executed"));

    if (n <= b->most[1])
        return;
    int k = n > b->most[0] ? 0 : 1;
    if (!k) {
        b->most[1] = b->most[0];
        b->lines[1] = b->lines[0];
    }
    b->most[k] = n;
    b->lines[k] = at;
}

void alive_busiest(const struct search *s, const struct sample *sample, int lines[2])
{
    struct busiest b = {.lines = lines};

    each_line(s, sample, find_busiest, &b);
}

struct stores {
    int *lines, n;
};

static void find_store(void *user, const json_t *line, int at)
{
    struct stores *found = user;

    if (json_object_get(line, "global_st_requests") && found->n < 2)
        found->lines[found->n++] = at;
}

bool alive_stores(const struct search *s, const struct sample *sample, int lines[2])
{
    struct stores found = {.lines = lines};

    lines[0] = lines[1] = 0;
    each_line(s, sample, find_store, &found);
    return found.n;
}

bool alive_all(const struct alive *was, const struct alive *is, int from, int to)
{
    for (size_t i = 0; i < was->n; i++) {
        bool changed = (int)i >= from && (int)i <= to;

        if (was->touched[i] && !changed && (i >= is->n || !(is->touched[i] || is->counts[i])))
            return false;
    }
    return true;
}

void alive_free(struct alive *a)
{
    free(a->touched);
    free(a->counts);
    *a = (struct alive){0};
}
