/* text.c - a verdict as text for a terminal. See report.h. */
#include "report.h"

#include <string.h>

enum { WIDTH = 100, INDENT = 8 };

const char *json_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

double json_double(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

/* Words of s filled into lines, each after INDENT spaces. */
static void add_filled(struct text *out, const char *label, const char *s)
{
    size_t column = INDENT + strlen(label);
    text_addf(out, "%*s%s", INDENT, "", label);
    while (*s) {
        size_t space = strspn(s, " "), word = strcspn(s + space, " \n");
        bool break_line = s[0] == '\n' || (column > INDENT && column + space + word > WIDTH);
        if (break_line) {
            text_addf(out, "\n%*s", INDENT, "");
            column = INDENT;
            s += s[0] == '\n' ? 1 : space;
            continue;
        }
        text_bytes(out, s, space + word);
        column += space + word;
        s += space + word;
    }
    text_add(out, "\n");
}

static void add_row(const struct verdict_row *row, bool colours, struct text *out)
{
    const struct status_words *w = status_words(row->status);
    text_addf(out, "%s%s%s  %5.4g /%5.4g  %s\n", colours ? w->colour : "", w->mark,
              colours ? "\033[0m" : "", row->points, row->max, or_empty(row->title));
    if (row->status == STATUS_PASS)
        return;
    add_filled(out, "", or_empty(row->why));
    if (*or_empty(row->hint))
        add_filled(out, "Hint: ", row->hint);
}

void report_text(const struct verdict *v, bool colours, struct text *out)
{
    text_addf(out, "%s (%s)\n", or_empty(v->title), or_empty(v->lab));
    if (*or_empty(v->message))
        text_addf(out, "%s: %s\n", verdict_word(v->status), v->message);
    const char *log = or_empty(v->log);
    if (*log)
        text_addf(out, "The compiler says:\n%s%s", log, log[strlen(log) - 1] == '\n' ? "" : "\n");
    for (int i = 0; i < v->nrows; i++)
        add_row(&v->rows[i], colours, out);
    text_addf(out, "score %.4g of %.4g%s\n", v->score, v->max,
              v->needs_human ? " (a person has to look at it)" : "");
}
