/* edits_told.c - a small change in words (edits.h). */
#include "base/alloc.h"
#include "base/text.h"
#include "edits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

char *one_line(const char *s, size_t length)
{
    char *line = xzalloc(length + 1), *to = line;

    for (size_t i = 0; i < length; i++) {
        if (!isspace((unsigned char)s[i]))
            *to++ = s[i];
        else if (to > line && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > line && to[-1] == ' ')
        to[-1] = '\0';
    return line;
}

size_t edits_condition(const char *text, size_t at, size_t *length)
{
    int depth = 0;
    size_t open = at, end;

    while (open > 0 && text[open - 1] != ';' && text[open - 1] != '{' && depth >= 0) {
        open--;
        depth += text[open] == ')' ? 1 : text[open] == '(' ? -1 : 0;
        if (depth < 0 && (open < 3 || strncmp(text + open - 3, "if ", 3)))
            depth = 0; /* of a call, or around a part */
    }
    if (depth >= 0)
        return 0;
    depth = 0;
    for (end = open; text[end] && (end == open || depth > 0); end++)
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    *length = end - open - 2; /* from bracket to bracket */
    return *length ? open + 1 : 0;
}

enum {
    SHORT_WORDS = 3,
    AROUND = 60,
    LONG_WORDS = 110
}; /* characters: that tell little, and that may be told */

/* Where what is around text[at] begins, or ends: brackets, a comma, a semicolon. step: -1 or 1. */
static size_t edge_of(const char *text, size_t at, int step)
{
    static const char *const in[] = {"([", ")]"}, *const stops = ",;{}\n";
    int depth = 0;

    while (at > 0 && text[at]) {
        char c = text[step < 0 ? at - 1 : at];

        depth += strchr(in[step < 0], c) ? 1 : strchr(in[step > 0], c) ? -1 : 0;
        if (depth < 0 || (!depth && strchr(stops, c)))
            break;
        if (step > 0 && (!strncmp(text + at, " //", 3) || !strncmp(text + at, " /*", 3)))
            break;
        at += (size_t)step;
    }
    return at;
}

/* Of what is long, its beginning. */
static char *shortened(char *line)
{
    char *all = line;

    if (strlen(line) <= LONG_WORDS)
        return line;
    line = xformat("%.*s…", LONG_WORDS, all);
    free(all);
    return line;
}

char *edits_words(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    const char *text = e->text;
    size_t from = x->at, end = x->at + x->length, rest = strcspn(text + from, ";{}\n");

    if (x->told)
        return xstrdup(x->told);
    if (x->length && x->length <= SHORT_WORDS && strlen(x->with) <= SHORT_WORDS) {
        from = edge_of(text, from, -1);
        end = edge_of(text, end, 1);
        if (end - from > AROUND) {
            from = x->at;
            end = from + x->length;
        }
    } else if (x->length && strchr("+-*/%", text[end + strspn(text + end, " ")])) {
        end = edge_of(text, end, 1); /* a part of a sum alone says something else */
    }
    char *changed = xformat("%.*s%s%.*s", (int)(x->at - from), text + from, x->with,
                            (int)(end - x->at - x->length), text + x->at + x->length);
    char *was = shortened(one_line(text + from, x->length ? end - from : rest)),
         *is = shortened(one_line(changed, strlen(changed))), *words;

    if (!x->length)
        words = xformat("with \"%s\" put in before \"%s\"", is, was);
    else if (!strcmp(is, ";") || !*is)
        words = xformat("without \"%s\"", was);
    else
        words = xformat("with \"%s\" in place of \"%s\"", is, was);
    free(changed);
    free(was);
    free(is);
    return words;
}
