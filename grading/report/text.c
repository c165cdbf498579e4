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

static void add_row(const json_t *row, bool colours, struct text *out)
{
    static const struct {
        const char *status, *shown, *colour;
    } styles[] = {{"pass", "pass", "\033[32m"},    {"fail", "FAIL", "\033[31m"},
                  {"blocked", "  - ", "\033[33m"}, {"inconclusive", "  ? ", "\033[33m"},
                  {"skipped", "skip", "\033[90m"}, {"error", " !! ", "\033[35m"}};
    const char *status = json_text(row, "status");
    size_t i = 0;
    while (i < 5 && strcmp(styles[i].status, status))
        i++;
    text_addf(out, "%s%s%s  %5.4g /%5.4g  %s\n", colours ? styles[i].colour : "", styles[i].shown,
              colours ? "\033[0m" : "", json_double(row, "points"), json_double(row, "max"),
              json_text(row, "title"));
    if (!strcmp(status, "pass"))
        return;
    add_filled(out, "", json_text(row, "why"));
    if (*json_text(row, "hint"))
        add_filled(out, "Hint: ", json_text(row, "hint"));
}

void report_text(const json_t *v, bool colours, struct text *out)
{
    text_addf(out, "%s (%s)\n", json_text(v, "title"), json_text(v, "lab"));
    if (*json_text(v, "message"))
        text_addf(out, "%s: %s\n", json_text(v, "status"), json_text(v, "message"));
    const char *log = json_text(json_object_get(v, "compile"), "log");
    if (*log)
        text_addf(out, "The compiler says:\n%s%s", log, log[strlen(log) - 1] == '\n' ? "" : "\n");
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(v, "rows"), i, row)
    {
        add_row(row, colours, out);
    }
    text_addf(out, "score %.4g of %.4g%s\n", json_double(v, "score"), json_double(v, "max"),
              json_is_true(json_object_get(v, "needs_human")) ? " (a person has to look at it)"
                                                              : "");
}
