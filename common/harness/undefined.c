/* undefined.c - functions that PTX calls and that nothing defines (undefined.h).
 *
 *     .extern .func (.param .b32 r) cudaLaunchDevice ( … ) ;      declared
 *     .func (.param .b32 r) twice ( … ) { … }                     defined
 */
#include "undefined.h"
#include "base/alloc.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char *const of_the_device[] = {"vprintf", "malloc", "free", "__assertfail"};

static const char *skip_blanks(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (p[0] == '/' && p[1] == '/')
            p += strcspn(p, "\n");
        else if (p[0] == '/' && p[1] == '*' && strstr(p + 2, "*/"))
            p = strstr(p + 2, "*/") + 2;
        else
            return p;
    }
}
static size_t word_length(const char *p)
{
    size_t n = *p == '.';

    while (isalnum((unsigned char)p[n]) || (p[n] && strchr("_$%", p[n])))
        n++;
    return n;
}
/* Behind the token at p: a word, what is in parentheses or quotes, or a character. */
static const char *skip_token(const char *p)
{
    size_t n = word_length(p);
    char end = *p == '(' ? ')' : *p == '"' ? '"' : 0;

    if (end && strchr(p + 1, end))
        n = (size_t)(strchr(p + 1, end) - p) + 1;
    return skip_blanks(p + (n ? n : 1));
}
/* Is text p in a line's comment? */
static bool is_comment(const char *start, const char *p)
{
    const char *line = p;

    while (line > start && line[-1] != '\n')
        line--;
    const char *comment = strstr(line, "//");
    return comment && comment < p;
}
/* PTX is long, and has few: so it is not read word by word. */
static const char *next_function(const char *start, const char *p)
{
    for (; (p = strstr(p, ".func")); p++)
        if ((p == start || isspace((unsigned char)p[-1])) && word_length(p) == 5 &&
            !is_comment(start, p))
            return p;
    return NULL;
}

struct function {
    const char *name;
    size_t length;
    bool defined;
};
static struct function function_at(const char *p)
{
    struct function f = {NULL, 0, false};

    for (p = skip_token(p); *p && *p != ';' && *p != '{'; p = skip_token(p))
        if (!f.name && word_length(p) && *p != '.')
            f = (struct function){p, word_length(p), false};
    f.defined = *p == '{';
    return f;
}
static bool is_known(const char *ptx, const struct function *f)
{
    for (size_t k = 0; k < sizeof(of_the_device) / sizeof(of_the_device[0]); k++)
        if (strlen(of_the_device[k]) == f->length && !memcmp(of_the_device[k], f->name, f->length))
            return true;
    for (const char *p = ptx; (p = next_function(ptx, p)); p = skip_token(p)) {
        struct function g = function_at(p);
        if (g.defined && g.length == f->length && !memcmp(g.name, f->name, f->length))
            return true;
    }
    return false;
}

char *undefined_function(const char *ptx)
{
    for (const char *p = ptx; (p = next_function(ptx, p)); p = skip_token(p)) {
        struct function f = function_at(p);
        if (f.name && !f.defined && !is_known(ptx, &f))
            return xformat("%.*s", (int)f.length, f.name);
    }
    return NULL;
}
