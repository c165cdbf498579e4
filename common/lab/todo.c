/* todo.c - finds a function's text in a .cu file, and the TODO in it (todo.h). */
#include "todo.h"

#include <ctype.h>
#include <string.h>

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind a literal; a ' between digits is none. */
static const char *skip_literal(const char *s, const char *source)
{
    char quote = *s;

    if (quote == '\'' && s > source && in_word(s[-1]))
        return s + 1;
    for (s++; *s && *s != quote && *s != '\n'; s++)
        s += *s == '\\' && s[1];
    return s + (*s == quote);
}

/* A # line with the lines that it goes on in: its braces are nobody's. */
static const char *skip_directive(const char *s)
{
    while (*s && *s != '\n')
        s += *s == '\\' && s[1] ? 2 : 1;
    return s;
}

static bool starts_line(const char *s, const char *source)
{
    while (s > source && (s[-1] == ' ' || s[-1] == '\t'))
        s--;
    return s == source || s[-1] == '\n';
}

/* Behind what is no code and begins at s; s itself where that is code. */
static const char *skip_other(const char *s, const char *source)
{
    const char *end;

    if (s[0] == '/' && s[1] == '/')
        return s + strcspn(s, "\n");
    if (s[0] == '/' && s[1] == '*')
        return (end = strstr(s + 2, "*/")) ? end + 2 : s + strlen(s);
    if (*s == '"' || *s == '\'')
        return skip_literal(s, source);
    if (*s == '#' && starts_line(s, source))
        return skip_directive(s);
    return s;
}

static bool is_word(const char *s, const char *source, const char *word, size_t length)
{
    return !strncmp(s, word, length) && !in_word(s[length]) && (s == source || !in_word(s[-1]));
}

static bool is_definition(const char *s, const char *source, const char *name, size_t length)
{
    return is_word(s, source, name, length) && s[length + strspn(s + length, " \t\n")] == '(';
}

static bool holds_todo(const char *s, const char *end)
{
    for (; s + 4 <= end; s++) {
        if (!strncmp(s, "TODO", 4) && !in_word(s[4]))
            return true;
    }
    return false;
}

/* A kernel's text begins behind the function before it, so that comments above are its own, and
 * so are static functions: its helpers. */
static enum written look_for(const char *source, const char *name, size_t length)
{
    const char *from = source, *body = NULL;
    int depth = 0;
    bool helper = false;

    for (const char *s = source, *next; *s; s = next) {
        next = skip_other(s, source);
        if (next != s)
            continue;
        next = s + 1;
        if (depth == 0 && is_definition(s, source, name, length))
            body = s;
        helper |= depth == 0 && is_word(s, source, "static", 6);
        depth += *s == '{' ? 1 : *s == '}' && depth ? -1 : 0;
        if (*s != '}' || depth)
            continue;
        if (body)
            return holds_todo(body, next)   ? WRITTEN_NOT
                   : holds_todo(from, next) ? WRITTEN_PARTLY
                                            : WRITTEN;
        from = helper ? from : next;
        helper = false;
    }
    return WRITTEN_NONE;
}

/* Does a TODO stand in the body of SCHEDULE(name)? */
static bool schedule_is_open(const char *source, const char *name)
{
    size_t length = strlen(name);
    int depth = 0;
    const char *body = NULL;

    for (const char *s = source, *next; *s; s = next) {
        next = skip_other(s, source);
        if (next != s)
            continue;
        next = s + 1;
        if (depth == 0 && s >= source + 9 && is_word(s, source, name, length) && s[length] == ')' &&
            !strncmp(s - 9, "SCHEDULE(", 9))
            body = s;
        depth += *s == '{' ? 1 : *s == '}' && depth ? -1 : 0;
        if (*s == '}' && !depth && body)
            return holds_todo(body, next);
    }
    return false;
}

static enum written kernel_written(const char *source, const char *name)
{
    size_t length = strcspn(name, " ");
    enum written w = WRITTEN_NONE;

    while (length && (w = look_for(source, name, length)) == WRITTEN_NONE) {
        while (length && name[length - 1] != '_')
            length--;
        length -= length > 0;
    }
    return w;
}

enum written written_of(const char *source, const struct lab_variant *v)
{
    static const enum written least_done[] = {WRITTEN_NONE, WRITTEN, WRITTEN_PARTLY, WRITTEN_NOT};
    int at = 0;

    for (const char *name = v->kernels ? v->kernels : v->name; *name;
         name += strcspn(name, " "), name += *name == ' ') {
        enum written of = kernel_written(source, name);

        for (int i = at + 1; i < 4; i++)
            at = of == least_done[i] ? i : at;
    }
    enum written w = least_done[at];
    return w == WRITTEN && v->has_schedule && schedule_is_open(source, v->name) ? WRITTEN_PARTLY
                                                                                : w;
}

const char *kernel_to_write(const char *source, const struct lab_variant *v, size_t *length)
{
    const char *name = v->kernels ? v->kernels : v->name;

    for (; *name; name += *length, name += *name == ' ') {
        *length = strcspn(name, " ");
        enum written w = look_for(source, name, *length);
        if (w == WRITTEN_NOT || w == WRITTEN_PARTLY)
            return name;
    }
    return NULL;
}
