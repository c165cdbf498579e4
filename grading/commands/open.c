/* open.c - what commands open before they begin: a secret, a sandbox, a GPU, a gradebook. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "commands.h"
#include "grading/book/book.h"
#include "grading/mark/engine.h"
#include "grading/mark/gpu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *read_secret(const char *path)
{
    char *secret;
    size_t n;
    int e = file_read_no_link(path, 65536, &secret, &n);
    if (e)
        die("secret %s: %s", path, file_why(e));
    while (n && (secret[n - 1] == '\n' || secret[n - 1] == '\r' || secret[n - 1] == ' '))
        secret[--n] = 0;
    if (n < 8)
        die("secret %s: at least 8 characters, please", path);
    return secret;
}

bool sandbox_or_refuse(struct engine_options *o, bool practice)
{
    const char *why = sandbox_refused();
    if (!why)
        return true;
    if (!practice) {
        fprintf(stderr, "grade: the sandbox does not work here, so nothing is marked: %s\n", why);
        return false;
    }
    fprintf(stderr,
            "grade: warning: the sandbox does not work here (%s); going on without it.\n"
            "grade: do this with your own files only.\n",
            why);
    o->unconfined = true;
    return true;
}

bool gpu_or_refuse(struct engine_options *o)
{
    struct text why = {0};
    bool ok = gpu_use(o, &why);
    if (!ok)
        fprintf(stderr, "grade: no GPU can be used from the sandbox: %s\n", text_str(&why));
    text_free(&why);
    return ok;
}

void open_engine(struct engine *e, const char *lab, const struct engine_options *o)
{
    struct text why = {0};
    if (!engine_open(e, lab, o, &why))
        die("%s", why.s);
}

static struct book *opened(struct book *b, const struct text *why)
{
    if (!b)
        die("%s", text_str(why));
    return b;
}

struct book *make_book(const char *path)
{
    struct text why = {0};
    return opened(book_open(path, &why), &why);
}

static void must_be_there(const char *path)
{
    if (access(path, R_OK))
        die("there is no gradebook %s", path);
}

struct book *open_book(const char *path)
{
    must_be_there(path);
    return make_book(path);
}

struct book *read_book(const char *path)
{
    struct text why = {0};
    must_be_there(path);
    return opened(book_open_read(path, &why), &why);
}

struct mark *marks_of(struct book *b, const char *lab, bool brief, int *n)
{
    struct mark *v = book_marks(b, lab, 0, brief, n);
    if (*n || !lab)
        return v;
    fprintf(stderr, "grade: nobody in the gradebook has handed in %s\n", lab);
    exit(1);
}

/* ---- one student of many ---- */

bool mark_is(const struct mark *m, const char *who)
{
    return !strcmp(m->student, who) || !strcasecmp(m->login, who) || !strcasecmp(m->email, who) ||
           !strcasecmp(m->person, who) || !strcmp(m->alias, who);
}

const struct mark *find_mark(const struct mark *v, int n, const char *lab, const char *who)
{
    const struct mark *found = NULL;
    bool several = false;
    for (int i = 0; i < n; i++) {
        if (!mark_is(&v[i], who))
            continue;
        several = several || (found && strcmp(found->student, v[i].student));
        found = &v[i];
    }
    if (found && !several)
        return found;
    fprintf(stderr, "grade: %s \"%s\" in %s\n",
            several ? "several students are called" : "no student", who, lab);
    return NULL;
}
