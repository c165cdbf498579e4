/* gradescope.c - reads the part of a Gradescope download that is not files. See gradescope.h.
 *
 * Event by event: the file repeats every result of the class, and none of it is kept.
 */
#include "gradescope.h"
#include "base/alloc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yaml.h>

struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the one in hand */
    bool ended;         /* by the text's end, or where it is damaged */
    struct submitter *v;
    int n;
};

static void next(struct reader *r)
{
    yaml_event_delete(&r->event);
    if (!r->ended && !yaml_parser_parse(&r->parser, &r->event))
        r->ended = true;
    r->ended = r->ended || r->event.type == YAML_STREAM_END_EVENT;
}

/* To the last event of the value that begins with the one in hand. */
static void skip(struct reader *r)
{
    for (int depth = 0; !r->ended; next(r)) {
        yaml_event_type_t t = r->event.type;
        depth += t == YAML_MAPPING_START_EVENT || t == YAML_SEQUENCE_START_EVENT;
        depth -= t == YAML_MAPPING_END_EVENT || t == YAML_SEQUENCE_END_EVENT;
        if (depth <= 0)
            return;
    }
}

/* The text of the value in hand, allocated; "" for null and for what is no text. */
static char *scalar(struct reader *r)
{
    if (r->event.type != YAML_SCALAR_EVENT) {
        skip(r);
        return xstrdup("");
    }
    const char *s = (const char *)r->event.data.scalar.value;
    bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return xstrdup(plain && (!strcmp(s, "null") || !strcmp(s, "~")) ? "" : s);
}

/* In a mapping: the next key, allocated, with its value in hand; NULL at the end. */
static char *next_key(struct reader *r)
{
    next(r);
    if (r->ended || r->event.type == YAML_MAPPING_END_EVENT)
        return NULL;
    char *key = scalar(r);
    next(r);
    return key;
}

static int64_t time_of(const char *s)
{
    struct tm t = {0};
    const char *end = strptime(s, "%Y-%m-%d %H:%M:%S", &t);
    int hours = 0, minutes = 0;
    char sign = 0;
    if (!end)
        return 0;
    end += strspn(end, ".0123456789 ");
    if (sscanf(end, "%c%2d:%2d", &sign, &hours, &minutes) == 3 && (sign == '-' || sign == '+'))
        return timegm(&t) - (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return timegm(&t); /* Z */
}

static void read_submitter(struct reader *r, const char *submission)
{
    if (r->event.type != YAML_MAPPING_START_EVENT) {
        skip(r);
        return;
    }
    r->v = xrealloc(r->v, (size_t)(r->n + 1) * sizeof(*r->v));
    struct submitter *x = &r->v[r->n++];
    *x = (struct submitter){xstrdup(submission), xstrdup(""), xstrdup(""), xstrdup(""), 0};
    for (char *key; (key = next_key(r)); free(key)) {
        char **field = !strcmp(key, ":name")    ? &x->name
                       : !strcmp(key, ":sid")   ? &x->sid
                       : !strcmp(key, ":email") ? &x->email
                                                : NULL;
        if (!field) {
            skip(r);
            continue;
        }
        free(*field);
        *field = scalar(r);
    }
}

static void read_submission(struct reader *r, const char *submission)
{
    int first = r->n;
    int64_t created = 0;
    for (char *key; (key = next_key(r)); free(key)) {
        if (!strcmp(key, ":created_at")) {
            char *at = scalar(r);
            created = time_of(at);
            free(at);
        } else if (!strcmp(key, ":submitters") && r->event.type == YAML_SEQUENCE_START_EVENT) {
            for (next(r); !r->ended && r->event.type != YAML_SEQUENCE_END_EVENT; next(r))
                read_submitter(r, submission);
        } else {
            skip(r);
        }
    }
    for (int i = first; i < r->n; i++)
        r->v[i].created = created;
}

/* "submission_42069": its number; NULL for another key. */
static const char *submission_of(const char *key)
{
    static const char prefix[] = "submission_";
    const char *number = key + sizeof(prefix) - 1;
    bool ok = !strncmp(key, prefix, sizeof(prefix) - 1) && *number &&
              !number[strspn(number, "0123456789")];
    return ok ? number : NULL;
}

struct submitter *gradescope_metadata(const char *text, size_t length, int *n, char **problem)
{
    struct reader r = {.ended = false};
    if (!yaml_parser_initialize(&r.parser))
        die("out of memory");
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    while (!r.ended && r.event.type != YAML_MAPPING_START_EVENT) {
        next(&r);
        if (r.event.type == YAML_SCALAR_EVENT || r.event.type == YAML_SEQUENCE_START_EVENT)
            break;
    }
    bool mapping = r.event.type == YAML_MAPPING_START_EVENT;
    for (char *key; mapping && (key = next_key(&r)); free(key)) {
        const char *submission = submission_of(key);
        if (submission && r.event.type == YAML_MAPPING_START_EVENT)
            read_submission(&r, submission);
        else
            skip(&r);
    }
    *problem = r.parser.problem
                   ? xformat("line %zu: %s", r.parser.problem_mark.line + 1, r.parser.problem)
                   : NULL;
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    *n = r.n;
    return r.v;
}

void gradescope_free(struct submitter *v, int n)
{
    for (int i = 0; i < n; i++) {
        free(v[i].submission);
        free(v[i].name);
        free(v[i].sid);
        free(v[i].email);
    }
    free(v);
}
