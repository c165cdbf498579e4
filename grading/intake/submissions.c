/* submissions.c - from files to students. See submissions.h. */
#include "submissions.h"
#include "base/alloc.h"
#include "entries.h"
#include "gradescope.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    MOST_INSIDE = 8, /* archives in one that a student handed in */
    MOST_UNUSED = 5  /* kernel files that a note names */
};

void submission_set(char **field, const char *value)
{
    if (!*value)
        return;
    free(*field);
    *field = name_printable(value);
}

void submissions_note(struct submissions *s, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *line = xvformat(format, ap);
    va_end(ap);
    char *safe = name_printable(line);
    text_cut(&s->notes, safe, 400);
    text_add(&s->notes, "\n");
    free(safe);
    free(line);
}

static void copy_submission(struct submission *to, const struct submission *from)
{
    *to = *from;
    to->student = xstrdup(from->student);
    to->person = xstrdup("");
    to->email = xstrdup("");
    to->login = xstrdup(from->login);
    to->section = xstrdup(from->section);
    to->original = xstrdup(from->original);
    to->problem = xstrdup(from->problem);
    to->unused = xstrdup(from->unused);
    to->source = from->source ? xzalloc(from->length + 1) : NULL;
    if (to->source)
        memcpy(to->source, from->source, from->length);
}

static struct submission *find_student(struct submissions *s, const char *id)
{
    for (int i = s->n - 1; i >= 0; i--)
        if (!strcmp(s->v[i].student, id))
            return &s->v[i];
    return NULL;
}

static struct submission *add_student(struct submissions *s, const char *id, const char *person)
{
    s->v = xrealloc(s->v, (size_t)(s->n + 1) * sizeof(*s->v));
    struct submission *x = &s->v[s->n++];
    *x = (struct submission){.student = name_printable(id),
                             .person = name_printable(person),
                             .email = xstrdup(""),
                             .login = xstrdup(""),
                             .section = xstrdup(""),
                             .original = xstrdup(""),
                             .rank = -1};
    return x;
}

struct submission *submissions_missing(struct submissions *s, const char *id)
{
    struct submission *x = add_student(s, id, "");
    x->missing = true;
    x->problem = xstrdup("nothing was handed in");
    return x;
}

static struct submission *student_of(struct submissions *s, const struct file_name *f)
{
    struct submission *x = find_student(s, f->student);
    return x ? x : add_student(s, f->student, f->person);
}

/* One of several kernel files: which are not marked is kept for a note. */
static void leave_out(struct submission *x, const char *original)
{
    if (x->nunused++ >= MOST_UNUSED)
        return;
    char *all = x->unused ? xformat("%s, %s", x->unused, original) : xstrdup(original);
    free(x->unused);
    x->unused = all;
}

/* Keeps the entry's text when it is the best of this student's so far. */
static void offer(struct submission *x, const char *original, struct entry *e, const char *lab,
                  bool late)
{
    int rank = name_rank(original, lab);
    if (rank > 0 && x->rank > 0)
        leave_out(x, rank <= x->rank ? original : x->original);
    if (rank <= x->rank)
        return;
    x->rank = rank;
    x->late = late;
    x->handed_in = e->time; /* forgotten where archives carry another time, see below */
    free(x->original);
    free(x->source);
    free(x->problem);
    x->original = xstrdup(original);
    x->source = NULL;
    x->length = 0;
    x->problem = e->problem ? xstrdup(e->problem) : NULL;
    if (rank == 0 && !x->problem)
        x->problem = xstrdup("no .cu file: this is what was handed in");
    if (x->problem)
        return;
    x->source = e->data;
    x->length = e->length;
    e->data = NULL;
}

/* ---- archives that students handed in ---- */

/* What a Mac adds to each file. */
static bool is_copy(const char *path)
{
    return !strncmp(path, "__MACOSX/", 9) || !strncmp(path_base(path), "._", 2);
}

/* One of them, with the archives that are in it. */
struct nest {
    struct submissions *s;
    struct submission *x;
    const char *lab;
    bool late;
    int64_t time;
    int opened; /* archives inside */
};

static bool open_nested(struct nest *t, const char *name, const struct entry *e, int depth,
                        struct text *why);

/* Why an archive inside is not opened; NULL: it is, or was said to be one too many. */
static const char *not_opened(struct nest *t, const struct entry *e, int depth)
{
    if (e->problem)
        return e->problem;
    if (depth == 2)
        return "it is in an archive in an archive";
    return t->opened == MOST_INSIDE ? "8 others were, and this and all after it are not" : NULL;
}

static void offer_inner(struct nest *t, const char *name, struct entry *e, int depth)
{
    const char *base = path_base(e->path), *why_not;
    struct text why = {0};
    if (is_copy(e->path) || e->replaced || e->kind == MEMBER_FOLDER)
        return;
    e->time = t->time;
    if (name_rank(base, t->lab) > 0)
        offer(t->x, base, e, t->lab, t->late);
    if (!name_is_archive(base) || t->opened > MOST_INSIDE)
        return;
    why_not = not_opened(t, e, depth);
    t->opened++;
    if (!why_not && !open_nested(t, base, e, depth + 1, &why))
        why_not = text_str(&why);
    if (why_not)
        submissions_note(t->s, "%s: %s in %s is not opened: %s", t->x->student, base, name,
                         why_not);
    text_free(&why);
}

/* False, with the reason, when the archive is damaged: nothing of it counts. */
static bool open_nested(struct nest *t, const char *name, const struct entry *e, int depth,
                        struct text *why)
{
    struct entries inner = {0};
    char *whose = xformat("%s: %s: ", t->x->student, name);
    bool ok = entries_of_bytes(&inner, e->data, e->length, why);
    if (ok)
        entries_replace(&inner, whose, &t->s->notes);
    for (int i = 0; ok && i < inner.n; i++)
        offer_inner(t, name, &inner.v[i], depth);
    entries_free(&inner);
    free(whose);
    return ok;
}

static void offer_nested(struct submissions *s, struct submission *x, const char *original,
                         struct entry *e, const char *lab, bool late)
{
    struct nest t = {.s = s, .x = x, .lab = lab, .late = late, .time = e->time};
    struct text why = {0};
    bool ok = open_nested(&t, original, e, 1, &why);
    if (!ok)
        submissions_note(s, "%s: %s cannot be read: %s", x->student, original, text_str(&why));
    if (x->rank < 1) {
        free(e->problem);
        e->problem = ok ? xstrdup("an archive without a .cu file")
                        : xformat("an archive that cannot be read: %s", text_str(&why));
        offer(x, original, e, lab, late);
    }
    text_free(&why);
}

/* ---- files to students ---- */

static void take(struct submissions *s, struct entry *e, const char *lab)
{
    struct file_name f;
    if (e->replaced || e->kind == MEMBER_FOLDER)
        return;
    if (!name_parse(s->system, e->path, &f)) {
        if (!is_copy(e->path) && (e->problem || name_rank(path_base(e->path), lab) > 0))
            submissions_note(s, "%s was skipped: %s", e->path,
                             e->problem ? e->problem : "its name says no student");
        name_free(&f);
        return;
    }
    struct submission *x = student_of(s, &f);
    if (e->data && name_is_archive(f.original))
        offer_nested(s, x, f.original, e, lab, f.late);
    else
        offer(x, f.original, e, lab, f.late);
    name_free(&f);
}

/* A folder without a file in it and in all below, or with a system's own files alone: its student
 * handed in nothing. */
static void take_empty_folder(struct submissions *s, const struct entry *e)
{
    size_t folder = (size_t)(path_base(e->path) - e->path);
    char *file = xformat("%.*s(nothing)", (int)folder, e->path);
    struct file_name f = {.student = NULL};
    if (folder && name_parse(s->system, file, &f) && !find_student(s, f.student)) {
        struct submission *x = submissions_missing(s, f.student);
        submission_set(&x->person, f.person);
        submissions_note(s, "%s: an empty folder", f.student);
    }
    name_free(&f);
    free(file);
}

static int by_student(const void *a, const void *b)
{
    return strcmp(((const struct submission *)a)->student, ((const struct submission *)b)->student);
}

void submissions_sort(struct submissions *s)
{
    if (s->n)
        qsort(s->v, (size_t)s->n, sizeof(*s->v), by_student);
}

/* A download may have one folder around everything; only the plain form needs it off. */
static void strip_common_folder(struct entries *e)
{
    const char *first = e->n ? e->v[0].path : "";
    size_t n = strcspn(first, "/");
    bool files_below = false; /* STUDENT.cu below the folder: it is a wrapper */
    for (int i = 0; i < e->n; i++) {
        if (strncmp(e->v[i].path, first, n + 1) || !first[n] || name_refused(e->v[i].path))
            return;
        files_below = files_below || !strchr(e->v[i].path + n + 1, '/');
    }
    if (e->n < 2 && files_below) /* one student's folder */
        return;
    for (int i = 0; i < e->n; i++)
        memmove(e->v[i].path, e->v[i].path + n + 1, strlen(e->v[i].path + n + 1) + 1);
}

static bool has_other(const struct submissions *s, const struct submission *x, const char *id)
{
    for (int i = 0; i < s->n; i++)
        if (&s->v[i] != x && !strcmp(s->v[i].student, id))
            return true;
    return false;
}

/* The submitter's own id; where somebody has that, the submission's number, or that and a count. */
static void set_id(struct submissions *s, struct submission *x, const struct submitter *w)
{
    const char *own = *w->sid ? w->sid : *w->email ? w->email : w->submission;
    char *id = name_printable(own);
    for (int k = 1; has_other(s, x, id); k++) {
        free(id);
        id = k == 1 ? xstrdup(w->submission) : xformat("%s-%d", w->submission, k);
    }
    if (strcmp(own, w->submission) && !strncmp(id, w->submission, strlen(w->submission)))
        submissions_note(s, "%s %s is in several submissions: in %s here as %s", own, w->name,
                         w->submission, id);
    free(x->student);
    x->student = id;
}

/* Makes the i-th submission the submitter's: itself for the first, a copy for other members. */
static void give(struct submissions *s, int i, const struct submitter *w, bool first)
{
    struct submission *x = &s->v[i];
    if (!first) {
        s->v = xrealloc(s->v, (size_t)(s->n + 1) * sizeof(*s->v));
        x = &s->v[s->n++];
        copy_submission(x, &s->v[i]);
    }
    set_id(s, x, w);
    submission_set(&x->person, w->name);
    submission_set(&x->email, w->email);
    x->handed_in = w->created;
}

/* Gradescope's folders are named by submission; its metadata says whose they are. Members of
 * a group all get it. */
static bool apply_metadata(struct submissions *s, const struct entry *e, struct text *why)
{
    int n, files = s->n;
    char *problem = NULL;
    struct submitter *who = gradescope_metadata(e->data, e->length, &n, &problem);
    if (problem)
        text_addf(why, "%s is damaged: %s", e->path, problem);
    free(problem);
    for (int i = 0; i < files; i++) {
        char *number = xstrdup(s->v[i].student);
        int given = 0;
        for (int k = 0; k < n; k++)
            if (!strcmp(number, who[k].submission))
                give(s, i, &who[k], !given++);
        if (!given)
            submissions_note(s, "submission_%s is not in %s: it keeps that number", number,
                             path_base(e->path));
        free(number);
    }
    gradescope_free(who, n);
    return !why->length;
}

/* Not one that a student handed in under that name: it would say whose the others' files are. */
static bool is_systems_metadata(const char *path)
{
    struct file_name f;
    bool students = name_parse(NAMES_GRADESCOPE, path, &f);
    name_free(&f);
    return !students && name_is_metadata(path);
}

/* In a folder a file's time is when it came. In a system's archive it is not: often that of
 * the download. Late marks, Gradescope's metadata and Moodle's worksheet say it there. */
static bool apply_times(struct submissions *s, const struct entries *e, struct text *why)
{
    bool ok = true;
    for (int i = 0; s->system != NAMES_PLAIN && i < s->n; i++)
        s->v[i].handed_in = 0;
    for (int i = 0; ok && s->system == NAMES_GRADESCOPE && i < e->n; i++) {
        if (e->v[i].replaced || !is_systems_metadata(e->v[i].path))
            continue;
        ok = e->v[i].data && apply_metadata(s, &e->v[i], why);
        if (e->v[i].problem)
            text_addf(why, "%s %s", e->v[i].path, e->v[i].problem);
    }
    return ok;
}

static void note_unused(struct submissions *s)
{
    for (int i = 0; i < s->n; i++) {
        const struct submission *x = &s->v[i];
        if (x->unused)
            submissions_note(s, "%s: %d .cu files: %s is marked, not %s%s", x->student,
                             x->nunused + 1, x->original, x->unused,
                             x->nunused > MOST_UNUSED ? ", …" : "");
    }
}

static int by_student_any_case(const void *a, const void *b)
{
    return strcasecmp(*(char *const *)a, *(char *const *)b);
}

/* Two students whose ids differ in nothing else may be one, and a roster knows them as one. */
static void note_same_ids(struct submissions *s)
{
    char **ids = xzalloc((size_t)(s->n + 1) * sizeof(*ids));
    for (int i = 0; i < s->n; i++)
        ids[i] = s->v[i].student;
    if (s->n)
        qsort(ids, (size_t)s->n, sizeof(*ids), by_student_any_case);
    for (int i = 1; i < s->n; i++)
        if (!strcasecmp(ids[i - 1], ids[i]))
            submissions_note(s, "%s and %s differ in capitals alone: two students here", ids[i - 1],
                             ids[i]);
    free(ids);
}

static enum name_system system_of(const struct entries *e)
{
    const char **paths = xzalloc((size_t)(e->n + 1) * sizeof(*paths));
    int n = 0;
    for (int i = 0; i < e->n; i++)
        if (e->v[i].kind != MEMBER_FOLDER)
            paths[n++] = e->v[i].path;
    enum name_system system = names_detect(paths, n);
    free(paths);
    return system;
}

static bool take_all(struct submissions *s, struct entries *e, const char *lab, struct text *why)
{
    s->system = system_of(e);
    entries_replace(e, "", &s->notes);
    if (s->system == NAMES_PLAIN)
        strip_common_folder(e);
    for (int i = 0; i < e->n; i++)
        take(s, &e->v[i], lab);
    for (int i = 0; i < e->n; i++)
        take_empty_folder(s, &e->v[i]);
    bool ok = apply_times(s, e, why);
    note_unused(s);
    note_same_ids(s);
    return ok;
}

/* Somebody handed something in, whether it can be read or not. */
static bool has_one(const struct submissions *s, struct text *why)
{
    for (int i = 0; i < s->n; i++)
        if (!s->v[i].missing)
            return true;
    text_add(why, "there is no submission in it; name the download or folder that has them");
    return false;
}

bool submissions_read(const char *path, const char *lab, struct submissions *out, struct text *why)
{
    struct entries e = {0};
    struct stat st;
    struct text problem = {0};
    *out = (struct submissions){0};
    if (stat(path, &st)) {
        text_addf(why, "%s: %s", path, strerror(errno));
        return false;
    }
    bool folder = S_ISDIR(st.st_mode),
         ok = folder ? entries_of_folder(&e, path, &problem) : entries_of_file(&e, path, &problem);
    ok = ok && take_all(out, &e, lab, &problem);
    if (ok && !has_one(out, &problem))
        text_addf(why, "%s: %s: nothing is marked", path, text_str(&problem));
    else if (!ok)
        text_addf(why,
                  folder ? "%s%s: nothing is marked, as students would be missing"
                         : "%s: %s: nothing is marked; download or pack it again",
                  folder ? "" : path, text_str(&problem));
    ok = !problem.length;
    text_free(&problem);
    entries_free(&e);
    submissions_sort(out);
    return ok;
}

void submissions_free(struct submissions *s)
{
    for (int i = 0; i < s->n; i++) {
        struct submission *x = &s->v[i];
        char *all[] = {x->student,  x->person, x->email,   x->login, x->section,
                       x->original, x->source, x->problem, x->unused};
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
            free(all[k]);
    }
    free(s->v);
    text_free(&s->notes);
    *s = (struct submissions){0};
}

const char *name_system_text(enum name_system s)
{
    static const char *const names[] = {"a folder of files", "Canvas", "Moodle", "Gradescope"};
    return names[s];
}
