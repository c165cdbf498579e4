/* known.c - the files of a lab whose verdict is known, and their text (expect.h).
 *
 * Where a fault is small beside what it is in, wrong/edits.txt holds it as an edit of the lab's
 * solution; its path is the file's, a colon and its name:
 *
 *     ## events_stay
 *     // Events are created, and never destroyed.
 *     // expect: freed=fail
 *     -             good = OK(cudaEventDestroy(d->at[i])) && good;
 *     +             good = good && true;
 *
 * What stands after "- ", one line or more, is once in the text; what stands after "+ " takes its
 * place. The lines that begin with "//" are the first of the made file, before an empty one.
 */
#include "expect.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

#include "grading/intake/submissions.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static const char edits_name[] = "/wrong/edits.txt";

/* ---- edits of the solution ---- */

/* Replaces what stands once in *text. */
static bool apply(char **text, struct text *old, struct text *new, struct text *why)
{
    const char *at = strstr(*text, text_str(old));
    if (!old->length || !at || strstr(at + 1, old->s)) {
        text_addf(why, "not once in the solution: \"%s\"", text_str(old));
        return false;
    }
    char *edited = xformat("%.*s%s%s", (int)(at - *text), *text, text_str(new), at + old->length);
    free(*text);
    *text = edited;
    text_free(old);
    text_free(new);
    return true;
}

/* A line of an edit, without its mark: "- code", or "-" for an empty one. */
static void add_line(struct text *t, const char *line, size_t n)
{
    text_add(t, t->s ? "\n" : "");
    text_bytes(t, line + (n > 1 ? 2 : 1), n > 1 ? n - 2 : 0);
}

/* The edits from p to the next heading, done to *text; the lines of comment go into head. */
static bool edit(const char *p, char **text, struct text *head, struct text *why)
{
    struct text old = {0}, new = {0};
    bool ok = true;
    for (; ok && *p && strncmp(p, "## ", 3); p += strcspn(p, "\n"), p += *p == '\n') {
        size_t n = strcspn(p, "\n");
        if (*p == '-' && new.s)
            ok = apply(text, &old, &new, why);
        if (*p == '-' || *p == '+')
            add_line(*p == '-' ? &old : &new, p, n);
        else if (!strncmp(p, "//", 2))
            text_bytes(head, p, n), text_add(head, "\n");
        else if (n)
            text_addf(why, "not understood: \"%.*s\"", (int)n, p), ok = false;
    }
    ok = ok && apply(text, &old, &new, why);
    text_free(&old);
    text_free(&new);
    return ok;
}

char *edited_source(const char *solution, const char *edits, const char *name, struct text *why)
{
    char *heading = xformat("\n## %s\n", name), *text = xstrdup(solution), *source = NULL;
    const char *at = strstr(edits, heading);
    struct text head = {0};
    if (!at)
        text_addf(why, "there is no ## %s", name);
    else if (edit(at + strlen(heading), &text, &head, why))
        source = xformat("%s\n%s", text_str(&head), text);
    text_free(&head);
    free(heading);
    free(text);
    return source;
}

/* "ROOT/labs/LAB/wrong/edits.txt:NAME" */
static char *load_edited(const char *path, const char *colon, struct text *why)
{
    size_t n;
    char *file = xformat("%.*s", (int)(colon - path), path);
    char *lab = xformat("%.*s", (int)(strlen(file) - strlen(edits_name)), file);
    char *base = strrchr(lab, '/') + 1;
    char *solution = xformat("%.*s../solutions/%s/%s.cu", (int)(base - lab), lab, base, base);
    char *text = file_load(solution, SUBMISSION_MAX_BYTES, &n, why);
    char *edits = text ? file_load(file, SUBMISSION_MAX_BYTES, &n, why) : NULL;
    char *source = edits ? edited_source(text, edits, colon + 1, why) : NULL;
    free(file);
    free(lab);
    free(solution);
    free(text);
    free(edits);
    return source;
}

bool known_source(const char *path, char **source, size_t *n, struct text *why)
{
    const char *edits = strstr(path, edits_name), *colon = edits ? strchr(edits, ':') : NULL;
    if (colon) {
        *source = load_edited(path, colon, why);
        *n = *source ? strlen(*source) : 0;
        return *source != NULL;
    }
    int e = file_read_no_link(path, SUBMISSION_MAX_BYTES, source, n);
    if (e)
        text_addf(why, "%s: %s", path, file_why(e));
    return !e;
}

/* ---- finding them ---- */

static void add_one(struct known_file **v, int *n, const char *lab, const char *kind, char *path)
{
    *v = xrealloc(*v, (size_t)(*n + 1) * sizeof(**v));
    (*v)[(*n)++] = (struct known_file){xstrdup(lab), path, kind};
}

/* Each edit of wrong/edits.txt, where there is one. */
static void add_edits(struct known_file **v, int *n, const struct engine_options *o,
                      const char *lab)
{
    char *path = xformat("%s/labs/%s%s", o->root, lab, edits_name), *text;
    size_t size;
    if (!file_read_no_link(path, SUBMISSION_MAX_BYTES, &text, &size)) {
        for (const char *p = text; (p = strstr(p, "\n## ")); p += 4)
            add_one(v, n, lab, "wrong", xformat("%s:%.*s", path, (int)strcspn(p + 4, "\n"), p + 4));
        free(text);
    }
    free(path);
}

static void add_files(struct known_file **v, int *n, const struct engine_options *o,
                      const char *lab, const char *kind, const char *pattern)
{
    char *full = xformat("%s/%s", o->root, pattern);
    glob_t g;
    if (!glob(full, 0, NULL, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++)
            add_one(v, n, lab, kind, xstrdup(g.gl_pathv[i]));
    }
    globfree(&g);
    free(full);
}

struct known_file *known_files(const struct engine_options *o, const char *lab, int *n)
{
    static const struct {
        const char *kind, *pattern; /* %1$s: the lab */
        int on;                     /* 1: the emulator alone, 2: a GPU alone, 3: both */
    } kinds[] = {{"solution", "solutions/%1$s/%1$s.cu", 3},
                 {"skeleton", "labs/%1$s/%1$s.cu", 1},
                 {"right", "labs/%1$s/right/*.cu", 3},
                 {"wrong", "labs/%1$s/wrong/*.cu", 1},
                 {"wrong", "grading/threats/gpu/%1$s/*.cu", 2}};
    struct known_file *v = NULL;
    int on = o->measure ? 2 : 1;
    *n = 0;
    for (int i = 0; i < all_rubrics_count; i++) {
        const char *name = all_rubrics[i]->lab;
        for (size_t k = 0; k < 5 && (!lab || !strcmp(lab, name)); k++) {
            if (!(kinds[k].on & on))
                continue;
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            char *pattern = xformat(kinds[k].pattern, name);
            add_files(&v, n, o, name, kinds[k].kind, pattern);
            free(pattern);
        }
        if (!o->measure && (!lab || !strcmp(lab, name)))
            add_edits(&v, n, o, name);
    }
    return v;
}

const char *known_name(const struct known_file *f)
{
    const char *edit = strrchr(f->path, ':');
    return edit ? edit + 1 : strrchr(f->path, '/') + 1;
}

void known_files_free(struct known_file *v, int n)
{
    for (int i = 0; i < n; i++) {
        free(v[i].lab);
        free(v[i].path);
    }
    free(v);
}
