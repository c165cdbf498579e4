/* book_test.c - the gradebook: nothing lost or doubled when killed, lateness, overrides. */
#include "book.h"
#include "base/alloc.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLASS = 200 };

static char *book_path(void)
{
    char folder[] = "/tmp/booktestXXXXXX";
    cr_assert(mkdtemp(folder));
    return xformat("%s/grades.db", folder);
}

static void book_remove(char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        char *p = xformat("%s%s", path, ends[i]);
        unlink(p);
        free(p);
    }
    *strrchr(path, '/') = 0;
    rmdir(path);
    free(path);
}

static struct submissions class_of(int n)
{
    struct submissions s = {.v = xzalloc((size_t)n * sizeof(struct submission)), .n = n};
    for (int i = 0; i < n; i++) {
        char *id = xformat("s%03d", i);
        s.v[i] = (struct submission){.student = id,
                                     .person = xformat("Person %d", i),
                                     .email = xstrdup(""),
                                     .login = xstrdup(""),
                                     .section = xstrdup(""),
                                     .original = xstrdup("reduction.cu"),
                                     .source = xformat("// %d\n", i),
                                     .length = strlen(id)};
    }
    return s;
}

/* What a batch does, without marking. */
static void mark_all(const char *path)
{
    struct text why = {0};
    int resumed, n;
    struct submissions s = class_of(CLASS);
    struct book *b = book_open(path, &why);
    if (!b)
        _exit(1);
    int64_t run = book_run(b, "reduction", "key", "{}", &s, &resumed);
    struct book_item *v = book_pending(b, run, &n);
    for (int i = 0; i < n; i++) {
        if (!book_result(b, run, v[i].student, &(struct verdict){.score = i % 20, .max = 20}))
            _exit(2); /* a result was there twice */
        usleep(300);
    }
    book_run_done(b, run);
    _exit(0);
}

/* The name of s000 after batches that called it names[0], names[1], …; '!' before it: a roster. */
static char *name_after(const char *const *names)
{
    char *path = book_path();
    struct text why = {0};
    int resumed, n;
    struct book *b = book_open(path, &why);
    cr_assert(b, "%s", text_str(&why));
    for (int i = 0; names[i]; i++) {
        struct submissions s = class_of(1);
        s.v[0].row = *names[i] == '!';
        free(s.v[0].person);
        s.v[0].person = xstrdup(names[i] + s.v[0].row);
        book_run(b, "reduction", names[i], "{}", &s, &resumed);
        submissions_free(&s);
    }
    struct mark *v = book_marks(b, NULL, 0, true, &n);
    char *name = xstrdup(n == 1 ? v[0].person : "not one");
    book_marks_free(v, n);
    book_close(b);
    book_remove(path);
    return name;
}

Test(book, keeps_a_rosters_names)
{
    static const struct {
        const char *names[4], *is;
    } rows[] = {
        {{"ames", NULL}, "ames"},
        {{"ames", "!Ann Ames", NULL}, "Ann Ames"},
        {{"!Ann Ames", "ames", NULL}, "Ann Ames"},
        {{"!Ann Ames", "ames", "!Ann Best", NULL}, "Ann Best"},
        {{"", "ames", NULL}, "ames"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *name = name_after(rows[i].names);
        cr_expect_str_eq(name, rows[i].is, "row %zu: %s", i, name);
        free(name);
    }
}

Test(book, killed_at_any_instant, .timeout = 120)
{
    char *path = book_path();
    struct text why = {0};
    int status = 0, kills = 0, n;
    for (int round = 0; round < 200; round++) {
        pid_t p = fork();
        if (p == 0)
            mark_all(path);
        usleep((useconds_t)(1000 + 997 * (round * 7 % 23)));
        if (waitpid(p, &status, round < 199 ? WNOHANG : 0) == 0) { /* the last may run to its end */
            kill(p, SIGKILL);
            waitpid(p, &status, 0);
        }
        if (WIFEXITED(status))
            break;
        kills++;
    }
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
    cr_assert_gt(kills, 3);
    struct book *b = book_open(path, &why);
    struct mark *v = book_marks(b, "reduction", 0, false, &n);
    cr_assert_eq(n, CLASS);
    for (int i = 0; i < n; i++)
        cr_assert(v[i].verdict && v[i].run == 1, "%s has no result, or of another run",
                  v[i].student);
    book_marks_free(v, n);
    book_close(b);
    book_remove(path);
}

/* One student, one lab, one score. */
static struct mark *one_mark(const char *path, const struct policy *p, bool late, int64_t handed_in,
                             double points, struct book **book)
{
    struct text why = {0};
    int resumed, n;
    struct submissions s = class_of(1);
    s.v[0].late = late;
    s.v[0].handed_in = handed_in;
    *book = book_open(path, &why);
    book_policy_set(*book, "reduction", p);
    int64_t run = book_run(*book, "reduction", "k", "{}", &s, &resumed);
    book_result(*book, run, "s000", &(struct verdict){.score = points, .max = 20});
    book_run_done(*book, run);
    submissions_free(&s);
    struct mark *v = book_marks(*book, "reduction", 0, false, &n);
    cr_assert_eq(n, 1);
    return v;
}

Test(book, lateness)
{
    const int64_t due = 1700000000;
    static const struct {
        struct policy p;
        bool late;
        int64_t after; /* due; 0 with late: only the system's word */
        double mark;
    } rows[] = {
        {{.due = 1700000000, .per_day = 0.1}, false, -5, 10},
        {{.due = 1700000000, .per_day = 0.1}, false, 5, 9},
        {{.due = 1700000000, .per_day = 0.1, .grace = 600}, false, 599, 10},
        {{.due = 1700000000, .per_day = 0.1, .grace = 600}, false, 601, 9},
        {{.due = 1700000000, .per_day = 0.1}, false, 86400 + 1, 8},
        {{.due = 1700000000, .per_day = 0.1, .max_days = 1}, false, 86400 + 1, 0},
        {{.due = 1700000000, .per_day = 0.1, .late_days = 1}, false, 86400 + 1, 9},
        {{.per_day = 0.1}, true, 0, 9},
        {{.per_day = 0.1}, false, 0, 10},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *path = book_path();
        struct book *b;
        struct mark *v = one_mark(path, &rows[i].p, rows[i].late,
                                  rows[i].after ? due + rows[i].after : 0, 10, &b);
        cr_assert_float_eq(v->mark, rows[i].mark, 1e-9, "row %zu: %g (%s)", i, v->mark, v->rule);
        book_marks_free(v, 1);
        book_close(b);
        book_remove(path);
    }
}

Test(book, override_and_regrade_are_audited)
{
    char *path = book_path();
    struct book *b;
    int n;
    const struct policy none = {0};
    struct mark *v = one_mark(path, &none, false, 0, 3, &b);
    book_marks_free(v, 1);
    cr_assert(book_override(b, "reduction", "s000", 17, "spoke with the student"));
    cr_assert(!book_override(b, "reduction", "nobody", 17, "?"));
    v = book_marks(b, "reduction", 0, false, &n);
    cr_assert(v->mark == 17 && v->score == 3 && strstr(v->rule, "spoke with the student"));
    book_marks_free(v, n);
    cr_assert(book_override(b, "reduction", "s000", -1, "withdrawn"));
    const struct verdict other = {.score = 5, .max = 20, .message = "new"};
    cr_assert(book_replace(b, 1, "s000", &other, "new driver", true));
    cr_assert(!book_replace(b, 7, "s000", &other, "no such run", true));
    v = book_marks(b, "reduction", 0, false, &n);
    struct verdict *kept = mark_verdict(v);
    cr_assert(v->score == 5 && !strcmp(kept->message, "new"));
    verdict_free(kept);
    book_marks_free(v, n);
    struct text t = {0};
    book_print_audit(b, "s000", &t);
    for (int i = 0; i < 3; i++) { /* taken away, set and set again: a row each that changes it */
        cr_assert(book_override(b, "reduction", "s000", -1, "none there"));
        cr_assert(book_override(b, "reduction", "s000", 4, "twice"));
        cr_assert(book_override(b, "reduction", "s000", 4, "twice"));
        cr_assert(book_override(b, "reduction", "s000", 4, "another reason"));
        cr_assert(book_override(b, "reduction", "s000", -1, "none there"));
    }
    struct text rows = {0};
    book_print_audit(b, "s000", &rows);
    int n_rows = 0;
    for (const char *p = rows.s + t.length; (p = strchr(p, '\n')); p++)
        n_rows++;
    cr_assert_eq(n_rows, 3 * 3, "%s", rows.s);
    text_free(&rows);
    cr_assert(strstr(t.s, "override to 17") && strstr(t.s, "override removed") &&
                  strstr(t.s, "graded 3 -> graded 5") && strstr(t.s, "new driver"),
              "%s", t.s);
    text_free(&t);
    book_close(b);
    book_remove(path);
}
