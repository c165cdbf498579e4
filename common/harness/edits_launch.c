/* edits_launch.c - which changes are of constants that launch records have (edits.h)? Such a change
 * alters how many threads there are, and so may hide what a kernel does wrong with as many as it
 * was made for. And a number that a template is given becomes what the record has. Not modelled:
 * constants of several lines, or of functions. */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <ctype.h>
#include <stdlib.h>
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
    struct name n = defined_on(e->text + edits_line_begin(e->text, e->v[i].at));
    return n.s && is_launched(e->text, n, kernels, DEPTH);
}

bool edits_recorded(const struct scan *s, const char *name, size_t length)
{
    const struct name n = {name, length};
    bool is = false;

    for (int b = 0; b < s->nblocks && !is; b++) {
        const struct word *w = &s->v[s->blocks[b].name];
        char *kernel = s->blocks[b].kernel && s->blocks[b].reached
                           ? xformat("%.*s", (int)w->length, s->text + w->at)
                           : NULL;

        is = kernel && is_launched(s->text, n, kernel, DEPTH);
        free(kernel);
    }
    return is;
}

/* The last number of a kernel's record, as it is written: "OUTPUTS" of LAUNCH(k, 128, 1, OUTPUTS).
 */
static struct name items_of(const char *text, struct name kernel)
{
    for (const char *p = text; (p = strstr(p, "LAUNCH(")); p++) {
        const char *name = p + strlen("LAUNCH("), *at = name, *close = strchr(p, ')');

        if (name_length(name) != kernel.length || strncmp(name, kernel.s, kernel.length) != 0)
            continue;
        for (int commas = 0; close && commas < 3; commas++, at++)
            at = memchr(at, ',', (size_t)(close - at)) ? strchr(at, ',') : close - 1;
        at += close ? strspn(at, " ") : 0;
        size_t n = close && at < close ? strcspn(at, " ,)") : 0;
        return (struct name){n ? at : NULL, n};
    }
    return (struct name){NULL, 0};
}

/* f<4> in a kernel whose record has another number of elements a thread, by a name: that. Other
 * numbers say which step it is. */
void as_launched(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    bool argument = word_kind(s, i) == NUMBER && word_is(s, i - 1, "<") && word_is(s, i + 1, ">") &&
                    word_is(s, i + 2, "(") && word_kind(s, i - 2) == NAME;

    if (!argument || !in->kernel)
        return;
    const struct word *kernel = &s->v[in->name];
    struct name is = items_of(s->text, (struct name){s->text + kernel->at, kernel->length});
    if (!is.s || !isupper((unsigned char)*is.s) || name_length(is.s) != is.length)
        return;
    char *was = words_text(s, i - 2, i + 1),
         *with = xformat("%.*s<%.*s>", (int)s->v[i - 2].length, s->text + s->v[i - 2].at,
                         (int)is.length, is.s);
    char *told = xformat("with \"%s\" in place of \"%s\"", with, was);

    change(s, i - 2, i + 1, with);
    change_told(s, told);
    free(was);
}
