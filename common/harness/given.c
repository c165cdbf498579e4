/* given.c - how much is done in a piece (a block, a chunk, a tile) is a constant that every case
 * uses: another may make right by luck what is wrong elsewhere (diagnosing.h). Where the file has
 * the line as the lab gives it, or as its solution has it, no change of it is tried; a constant
 * that neither has is changed where nothing else helps.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "diagnosing.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE_MAX = 1 << 20 };

/* The line that holds text[at], without what is before its first word; *length. */
static const char *line_of(const char *text, size_t at, size_t *length)
{
    const char *line = text + edits_line_begin(text, at);

    line += strspn(line, " \t");
    *length = strcspn(line, "\n");
    return line;
}

static bool begins_with(const char *line, size_t n, const char *with)
{
    return n >= strlen(with) && !strncmp(line, with, strlen(with));
}

static bool is_amount(const char *line, size_t n)
{
    static const char *const starts[] = {"enum ",   "constexpr ",    "static constexpr ", "const ",
                                         "LAUNCH(", "static const ", "s.chunks = "};
    static const char define[] = "#define ";

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (begins_with(line, n, starts[i]))
            return memchr(line, '=', n) || *line == 'L';
    }
    if (!begins_with(line, n, define))
        return false;
    size_t name = strcspn(line + strlen(define), " (\n"); /* of a macro with brackets it is code */
    return strlen(define) + name < n && line[strlen(define) + name] == ' ';
}

/* In a function it is code. */
static bool changes_amount(const struct edits *e, int i)
{
    size_t n;
    const char *line = line_of(e->text, e->v[i].at, &n);

    return is_amount(line, n) && (line == e->text + edits_line_begin(e->text, e->v[i].at) ||
                                  begins_with(line, n, "s.chunks"));
}

char *given_text(const struct search *s)
{
    const char *lab = s->x->verify->lab->name, *root = course_root();
    char *paths[] = {xformat("%s/labs/%s/%s.cu", root, lab, lab),
                     xformat("%s/solutions/%s/%s.cu", root, lab, lab)};
    struct text all = {0}, why = {0};

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        size_t size;
        char *one = file_load(paths[i], SOURCE_MAX, &size, &why);

        text_addf(&all, "%s\n", one ? one : "");
        free(one);
        free(paths[i]);
    }
    text_free(&why);
    return text_take(&all);
}

/* Has the text a line that begins so, but for what is before its first word? `whole`: and ends. */
static bool has_line(const char *text, const char *line, size_t n, bool whole)
{
    bool has = false;

    for (const char *p = text; *p && !has; p += strcspn(p, "\n"), p += *p == '\n') {
        p += strspn(p, " \t");
        has = strncmp(p, line, n) == 0 && (!whole || strcspn(p, "\n") == n);
    }
    return has;
}

/* Up to what the amount is: "#define NAME ", "LAUNCH(kernel,", "constexpr int NAME =". */
static size_t head_of(const char *line)
{
    static const char define[] = "#define ";

    if (begins_with(line, strlen(line), define))
        return strlen(define) + strcspn(line + strlen(define), " ") + 1;
    return strcspn(line, *line == 'L' ? "," : "=") + 1;
}

bool is_given(const struct edits *e, int i, const char *given)
{
    size_t n;
    const char *line = line_of(e->text, e->v[i].at, &n);

    return changes_amount(e, i) && has_line(given, line, n, true);
}

bool is_own_amount(const struct edits *e, int i, const char *given)
{
    size_t n;
    const char *line = line_of(e->text, e->v[i].at, &n);

    return changes_amount(e, i) && !has_line(given, line, head_of(line), false);
}
