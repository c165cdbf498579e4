/* edits_launch.c - which changes are of constants that launch records have (edits.h)? Such a change
 * alters how many threads there are, and so may hide what a kernel does wrong with as many as it
 * was made for. Not modelled: constants of several lines, or of functions. */
#include "base/text.h"
#include "edits.h"
#include "words.h"

#include <string.h>

enum { DEPTH = 4 /* constants that are made of others */ };

struct name {
    const char *s;
    size_t length;
};

static bool has_name(const char *from, const char *end, struct name n)
{
    for (const char *p = from; p + n.length <= end; p++) {
        size_t length = name_length(p);

        if (length == n.length && !strncmp(p, n.s, length))
            return true;
        p += length ? length - 1 : 0;
    }
    return false;
}

/* Of a line at file level that defines a constant; {NULL} of another. */
static struct name defined_on(const char *line)
{
    static const char *const begins[] = {"#define ", "constexpr ", "const ", "static const"};
    const char *end = line + strcspn(line, "\n"), *p = NULL;

    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]) && !p; i++)
        p = strncmp(line, begins[i], strlen(begins[i])) ? NULL : line + strlen(begins[i]);
    if (p && *line == '#') {
        p += strspn(p, " ");
        return (struct name){p, name_length(p)};
    }
    const char *is = p ? memchr(p, '=', (size_t)(end - p)) : NULL, *last = is;
    while (last && last > p && last[-1] == ' ')
        last--;
    const char *first = last;
    while (first && first > p && !strchr(" *&", first[-1]))
        first--;
    return first && first < last ? (struct name){first, (size_t)(last - first)}
                                 : (struct name){NULL, 0};
}

/* Which record has the constant, or one that is made of it: that of one of the kernels, or any
 * (NULL). */
static bool is_launched(const char *text, struct name n, const char *kernels, int depth)
{
    bool is = false;

    for (const char *p = text; *p && !is; p += strcspn(p, "\n"), p += *p == '\n') {
        static const char launch[] = "LAUNCH(";
        const char *end = p + strcspn(p, "\n");
        struct name other = defined_on(p);

        if (!strncmp(p, launch, strlen(launch))) {
            const char *kernel = p + strlen(launch), *close = strchr(p, ')');

            is = close && has_name(kernel + name_length(kernel), close, n) &&
                 (!kernels || text_lists(kernels, kernel, name_length(kernel)));
        } else if (other.s && depth &&
                   (other.length != n.length || strncmp(other.s, n.s, n.length))) {
            is = has_name(other.s + other.length, end, n) &&
                 is_launched(text, other, kernels, depth - 1);
        }
    }
    return is;
}

bool edits_launched(const struct edits *e, int i, const char *kernels)
{
    const char *line = e->text + e->v[i].at;

    while (line > e->text && line[-1] != '\n')
        line--;
    struct name n = defined_on(line);
    return n.s && is_launched(e->text, n, kernels, DEPTH);
}
