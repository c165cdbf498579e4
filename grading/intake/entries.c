/* entries.c - files of folders and archives. See entries.h. */
#include "entries.h"
#include "base/alloc.h"
#include "base/file.h"
#include "names.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 64 };

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static struct entry *add_entry(struct entries *e, const char *path)
{
    if (e->n == e->capacity) {
        e->capacity = e->capacity ? 2 * e->capacity : 64;
        e->v = xrealloc(e->v, (size_t)e->capacity * sizeof(*e->v));
    }
    e->v[e->n] = (struct entry){.path = name_printable(path)};
    return &e->v[e->n++];
}

void entries_free(struct entries *e)
{
    for (int i = 0; i < e->n; i++) {
        free(e->v[i].path);
        free(e->v[i].data);
        free(e->v[i].problem);
    }
    free(e->v);
    *e = (struct entries){0};
}

/* ---- archives ---- */

static char *damaged(const char *reason)
{
    struct text t = {0};
    char *safe = name_printable(reason);
    text_add(&t, "cannot be unpacked: ");
    text_cut(&t, safe, 200);
    free(safe);
    return text_take(&t);
}

static char *problem_of(const struct member *m)
{
    const char *refused = name_refused(m->path);
    if (refused)
        return xformat("refused: %s", refused);
    switch (m->kind) {
    case MEMBER_LINK:
        return xstrdup("refused: a link or a special file");
    case MEMBER_ENCRYPTED:
        return xstrdup("is encrypted");
    case MEMBER_LONG:
        return xstrdup("has a name that is too long");
    case MEMBER_LARGE:
        return xformat("is larger than %zu KiB", name_cap(m->path) >> 10);
    case MEMBER_DAMAGED:
        return damaged(m->data);
    default:
        return NULL;
    }
}

static void keep_member(void *user, struct member *m)
{
    struct entry *x = add_entry(user, m->path);
    x->kind = m->kind;
    x->time = m->time;
    x->problem = problem_of(m);
    if (m->kind == MEMBER_FILE && !x->problem) {
        x->data = m->data;
        x->length = m->length;
        m->data = NULL;
    }
    free(m->path);
    free(m->data);
}

/* What is damaged in a class's archive is no student's fault. */
static bool whole(const struct entries *e, struct text *why)
{
    for (int i = 0; i < e->n; i++) {
        const struct entry *x = &e->v[i];
        if (x->kind != MEMBER_DAMAGED && x->kind != MEMBER_ENCRYPTED)
            continue;
        text_addf(why, "%s %s", x->path, x->problem);
        return false;
    }
    return true;
}

bool entries_of_file(struct entries *e, const char *path, struct text *why)
{
    return unpack_file(path, keep_member, e, why) && whole(e, why);
}

bool entries_of_bytes(struct entries *e, const void *data, size_t n, struct text *why)
{
    return unpack_bytes(data, n, keep_member, e, why);
}

static int by_path(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x > y) - (x < y);
}

enum { MOST_NAMED = 5 };

static void note_again(struct text *notes, const char *whose, const char *path, int times, int nth)
{
    if (nth < MOST_NAMED) {
        text_add(notes, whose);
        text_cut(notes, path, 200);
        text_addf(notes, " is in the archive %d times: the last one counts\n", times);
    } else if (nth == MOST_NAMED) {
        text_addf(notes, "%sother names are in the archive several times, too\n", whose);
    }
}

void entries_replace(struct entries *e, const char *whose, struct text *notes)
{
    struct entry **v = xzalloc((size_t)(e->n + 1) * sizeof(*v));
    for (int i = 0; i < e->n; i++)
        v[i] = &e->v[i];
    if (e->n)
        qsort(v, (size_t)e->n, sizeof(*v), by_path);
    for (int i = 0, times = 1, noted = 0; i < e->n; i++) {
        bool again =
            i + 1 < e->n && !strcmp(v[i]->path, v[i + 1]->path) && v[i]->kind != MEMBER_FOLDER;
        v[i]->replaced = again;
        if (!again && times > 1)
            note_again(notes, whose, v[i]->path, times, noted++);
        times = again ? times + 1 : 1;
    }
    free(v);
}

/* ---- folders ---- */

struct walk {
    struct entries *e;
    const char *root;
    struct text *why; /* of the end */
};

/* Whether it is the disk's or the instructor's matter, and no student's. */
static bool stops(struct walk *w, const char *path, int error)
{
    if (error == ENAMETOOLONG)
        return false;
    text_addf(w->why, "%s/%s: %s", w->root, path, file_why(error));
    return true;
}

static void add_problem(struct walk *w, const char *path, const char *problem)
{
    struct entry *x = add_entry(w->e, path);
    x->kind = MEMBER_NAME;
    x->problem = xstrdup(problem);
}

static bool add_file(struct walk *w, const char *path, const char *full, const struct stat *st)
{
    struct entry *x = add_entry(w->e, path);
    size_t cap = name_cap(path);
    x->time = st->st_mtime;
    x->kind = cap ? MEMBER_FILE : MEMBER_NAME;
    if (S_ISLNK(st->st_mode))
        x->problem = xstrdup("refused: a link");
    else if (!S_ISREG(st->st_mode))
        x->problem = xstrdup("refused: a special file");
    int r = cap && !x->problem ? file_read_no_link(full, cap, &x->data, &x->length) : 0;
    if (r == EFBIG)
        x->problem = xformat("is larger than %zu KiB", cap >> 10);
    return !r || r == EFBIG || !stops(w, path, r);
}

static bool read_folder(struct walk *w, const char *below, int depth);

static bool read_name(struct walk *w, const char *path, int depth)
{
    char *full = xformat("%s/%s", w->root, path);
    struct stat st;
    bool ok = true;
    if (lstat(full, &st)) {
        ok = !stops(w, path, errno);
        if (ok)
            add_problem(w, path, "has a name that is too long");
    } else if (S_ISDIR(st.st_mode)) {
        ok = read_folder(w, path, depth + 1);
    } else {
        ok = add_file(w, path, full, &st);
    }
    free(full);
    return ok;
}

static bool too_many(struct walk *w)
{
    if (w->e->n > MEMBERS_MAX)
        text_addf(w->why, "%s: more than %d files in it: refused", w->root, MEMBERS_MAX);
    return w->e->n > MEMBERS_MAX;
}

/* Folders without anything are entries, too: a student's may be one. */
static bool read_folder(struct walk *w, const char *below, int depth)
{
    char *folder = *below ? xformat("%s/%s", w->root, below) : xstrdup(w->root);
    struct dirent **names;
    int n = depth > DEEPEST ? -1 : scandir(folder, &names, NULL, alphasort), inside = 0;
    bool ok = n >= 0 || depth > DEEPEST || !stops(w, below, errno);
    if (n < 0 && ok)
        add_problem(w, below, "is too deep in folders to be looked at");
    for (int i = 0; i < n; i++) {
        const char *d = names[i]->d_name;
        if (ok && strcmp(d, ".") && strcmp(d, "..")) {
            char *path = *below ? xformat("%s/%s", below, d) : xstrdup(d);
            ok = read_name(w, path, depth) && !too_many(w);
            inside++;
            free(path);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    if (n >= 0 && !inside && *below) {
        char *path = xformat("%s/", below);
        add_entry(w->e, path)->kind = MEMBER_FOLDER;
        free(path);
    }
    free(folder);
    return ok;
}

bool entries_of_folder(struct entries *e, const char *path, struct text *why)
{
    struct walk w = {.e = e, .root = path, .why = why};
    return read_folder(&w, "", 0);
}
