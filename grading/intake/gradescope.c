/* gradescope.c - reads the part of a Gradescope download that is not files. See gradescope.h. */
#include "gradescope.h"
#include "base/alloc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A YAML scalar on one line: plain, 'quoted' or "quoted". Allocated. */
static char *scalar(const char *s, size_t n)
{
    while (n && isspace((unsigned char)s[n - 1]))
        n--;
    while (n && isspace((unsigned char)*s))
        s++, n--;
    char quote = n >= 2 && (*s == '\'' || *s == '"') && s[n - 1] == *s ? *s : 0;
    char *out = xzalloc(n + 1), *w = out;
    for (size_t i = quote != 0; i < n - (quote != 0); i++) {
        if (i + 1 < n && ((quote == '\'' && s[i] == '\'') || (quote == '"' && s[i] == '\\')))
            i++; /* '' and \x stand for one */
        *w++ = s[i];
    }
    *w = 0;
    if (!quote && (!strcmp(out, "null") || !strcmp(out, "~")))
        *out = 0;
    return out;
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

/* The value after ":key:" when line (indentation off) has that key; else NULL. */
static const char *value_of(const char *line, size_t n, const char *key, size_t *length)
{
    size_t k = strlen(key);
    if (n < k || strncmp(line, key, k))
        return NULL;
    *length = n - k;
    return line + k;
}

static void keep(char **field, const char *value, size_t length)
{
    free(*field);
    *field = scalar(value, length);
}

struct reader {
    struct submitter *v;
    int n, first; /* first: of the submission in hand */
    char *submission;
    bool listing; /* below :submitters: */
};

static struct submitter *new_submitter(struct reader *r)
{
    r->v = xrealloc(r->v, (size_t)(r->n + 1) * sizeof(*r->v));
    r->v[r->n] =
        (struct submitter){xstrdup(r->submission), xstrdup(""), xstrdup(""), xstrdup(""), 0};
    return &r->v[r->n++];
}

static void open_submission(struct reader *r, const char *line, size_t n)
{
    size_t digits = n > 11 ? strspn(line + 11, "0123456789") : 0;
    free(r->submission);
    r->submission = NULL;
    r->listing = false;
    r->first = r->n;
    if (!strncmp(line, "submission_", 11) && digits && line[11 + digits] == ':')
        r->submission = xformat("%.*s", (int)digits, line + 11);
}

static void read_field(struct reader *r, const char *line, size_t n, size_t indent)
{
    size_t length;
    const char *value;
    if (indent == 2 && *line != '-') {
        r->listing = value_of(line, n, ":submitters:", &length) != NULL;
        if ((value = value_of(line, n, ":created_at:", &length))) {
            char *at = scalar(value, length);
            for (int i = r->first; i < r->n; i++)
                r->v[i].created = time_of(at);
            free(at);
        }
        return;
    }
    if (!r->listing)
        return;
    if (n > 2 && line[0] == '-' && line[1] == ' ') {
        new_submitter(r);
        line += 2;
        n -= 2;
    }
    struct submitter *x = r->n > r->first ? &r->v[r->n - 1] : NULL;
    if (x && (value = value_of(line, n, ":name:", &length)))
        keep(&x->name, value, length);
    else if (x && (value = value_of(line, n, ":sid:", &length)))
        keep(&x->sid, value, length);
    else if (x && (value = value_of(line, n, ":email:", &length)))
        keep(&x->email, value, length);
}

struct submitter *gradescope_metadata(const char *text, size_t length, int *n)
{
    struct reader r = {NULL, 0, 0, NULL, false};
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((newline ? newline : end) - text), indent = 0;
        while (indent < size && text[indent] == ' ')
            indent++;
        if (indent == 0 && size)
            open_submission(&r, text, size);
        else if (r.submission && indent < size)
            read_field(&r, text + indent, size - indent, indent);
        text += size + 1;
    }
    free(r.submission);
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
