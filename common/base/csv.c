/* csv.c - reads and writes comma-separated values. See csv.h. */
#include "csv.h"
#include "alloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void add_cell(struct csv *c, struct text *cell)
{
    int r = c->nrows - 1;
    c->rows[r] = xrealloc(c->rows[r], (size_t)(c->widths[r] + 1) * sizeof(char *));
    c->rows[r][c->widths[r]++] = xstrdup(text_str(cell));
    text_free(cell);
}

static void add_row(struct csv *c)
{
    c->rows = xrealloc(c->rows, (size_t)(c->nrows + 1) * sizeof(char **));
    c->widths = xrealloc(c->widths, (size_t)(c->nrows + 1) * sizeof(int));
    c->rows[c->nrows] = NULL;
    c->widths[c->nrows++] = 0;
}

/* One cell from *p; true when it ends its line. */
static bool parse_cell(const char **p, const char *end, struct text *cell)
{
    bool quoted = *p < end && **p == '"';
    if (quoted)
        (*p)++;
    while (*p < end) {
        char ch = *(*p)++;
        if (quoted && ch == '"') {
            if (*p < end && **p == '"')
                (*p)++;
            else {
                quoted = false;
                continue;
            }
        } else if (!quoted && ch == ',') {
            return false;
        } else if (!quoted && ch == '\n') {
            return true;
        } else if (!quoted && ch == '\r') {
            *p += *p < end && **p == '\n';
            return true;
        }
        text_bytes(cell, &ch, 1);
    }
    return true;
}

struct csv *csv_parse(const char *text, size_t length)
{
    struct csv *c = xzalloc(sizeof(*c));
    const char *p = text, *end = text + length;
    if (length >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
        p += 3;
    while (p < end) {
        add_row(c);
        bool last = false, comma = true;
        while (!last && (p < end || comma)) {
            struct text cell = {0};
            last = parse_cell(&p, end, &cell);
            comma = !last && p >= end;
            add_cell(c, &cell);
        }
    }
    return c;
}

void csv_free(struct csv *c)
{
    if (!c)
        return;
    for (int r = 0; r < c->nrows; r++) {
        for (int k = 0; k < c->widths[r]; k++)
            free(c->rows[r][k]);
        free(c->rows[r]);
    }
    free(c->rows);
    free(c->widths);
    free(c);
}

int csv_column(const struct csv *c, const char *names)
{
    while (c->nrows && *names) {
        size_t n = strcspn(names, "|");
        for (int k = 0; k < c->widths[0]; k++)
            if (strlen(c->rows[0][k]) == n && !strncasecmp(c->rows[0][k], names, n))
                return k;
        names += n + (names[n] == '|');
    }
    return -1;
}

const char *csv_cell(const struct csv *c, int row, int column)
{
    return row >= 0 && row < c->nrows && column >= 0 && column < c->widths[row]
               ? c->rows[row][column]
               : "";
}

static bool is_number(const char *s)
{
    char *end;
    strtod(s, &end);
    return end != s && !*end;
}

/* An empty cell alone in its line is quoted: without, the line is none. */
static void put(struct text *t, const char *cell, bool formula)
{
    bool first = !t->length || t->s[t->length - 1] == '\n';
    if (!first)
        text_add(t, ",");
    if (!formula && !strpbrk(cell, ",\"\r\n") && (*cell || !first)) {
        text_add(t, cell);
        return;
    }
    text_addf(t, "\"%s", formula ? "'" : "");
    for (const char *p = cell; *p; p++)
        text_bytes(t, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    text_add(t, "\"");
}

void csv_put(struct text *t, const char *cell)
{
    put(t, cell, *cell && cell[1] && strchr("=+-@\t\r", *cell) && !is_number(cell));
}

void csv_put_exact(struct text *t, const char *cell)
{
    put(t, cell, false);
}

void csv_end(struct text *t)
{
    text_add(t, "\n");
}
