/* cmd_export.c - grade export, report: marks and verdicts out of the gradebook, or of one file. */
#include "args.h"
#include "commands.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "grading/mark/engine.h"
#include "grading/export/export.h"
#include "grading/report/html.h"
#include "grading/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_VERDICT = 64 << 20 };

struct export_args {
    const char *book, *lab, *title, *output, *format, *verdict;
};

static const struct argp_option options[] = {
    BOOK_OPTION,
    {"lab", 'l', "LAB", 0, "Only this lab", 0},
    {"title", 't', "TITLE", 0, "canvas: the assignment's column, with its id: \"Lab 1 (4711)\"", 0},
    {"output", 'o', "FILE", 0, "Write there (default: standard output)", 0},
    {"verdict", 'v', "FILE", 0,
     "Of this verdict (grade check --json), for gradescope, autolab, prairielearn, classroom", 0},
    {0}};

static const struct arg_field fields[] = {
    {'b', ARG_TEXT, offsetof(struct export_args, book)},
    {'l', ARG_TEXT, offsetof(struct export_args, lab)},
    {'t', ARG_TEXT, offsetof(struct export_args, title)},
    {'o', ARG_TEXT, offsetof(struct export_args, output)},
    {'v', ARG_TEXT, offsetof(struct export_args, verdict)},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct export_args *a = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        arg_word(state, &a->format, arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->format)
            argp_usage(state);
        return 0;
    default:
        return arg_store(fields, key, arg, state);
    }
}

static bool export_class(const struct export_args *a, struct text *out)
{
    struct book *b = open_book(a->book);
    int n;
    bool known = true;
    struct mark *v = book_marks(b, a->lab, 0, false, &n);
    if (!strcmp(a->format, "canvas")) {
        if (!a->lab || !a->title)
            die("canvas wants --lab LAB and --title \"NAME (ID)\": one column, one assignment");
        export_canvas(v, n, a->title, out);
    } else if (!strcmp(a->format, "moodle")) {
        if (!a->lab)
            die("moodle wants --lab LAB: one worksheet, one assignment");
        export_moodle(v, n, out);
    } else if (!strcmp(a->format, "junit")) {
        export_junit(v, n, out);
    } else if (!strcmp(a->format, "csv")) {
        export_csv(v, n, out);
    } else if (!strcmp(a->format, "anonymous")) {
        export_anonymous(v, n, out);
    } else {
        known = false;
    }
    book_marks_free(v, n);
    book_close(b);
    return known;
}

static bool export_verdict(const struct export_args *a, struct text *out)
{
    static const struct {
        const char *name;
        void (*write)(const struct verdict *, struct text *);
    } formats[] = {{"gradescope", export_gradescope},
                   {"autolab", export_autolab},
                   {"prairielearn", export_prairielearn},
                   {"classroom", export_classroom}};
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(formats[i].name, a->format))
            continue;
        char *data, *why;
        size_t length;
        if (!a->verdict)
            die("%s wants --verdict FILE, made by: grade check --json", a->format);
        int e = file_read(a->verdict, MAX_VERDICT, &data, &length);
        if (e)
            die("%s: %s", a->verdict, file_why(e));
        struct verdict *v = verdict_read(data, length, &why);
        if (!v)
            die("%s: %s", a->verdict, why);
        formats[i].write(v, out);
        verdict_free(v);
        free(data);
        return true;
    }
    return false;
}

static void write_out(const char *path, const struct text *t)
{
    int e = path ? file_write(path, text_str(t), t->length) : 0;
    if (e)
        die("%s: %s", path, strerror(e));
    if (!path)
        fwrite(text_str(t), 1, t->length, stdout);
}

int cmd_export(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "FORMAT",
        "A class: canvas, moodle, csv, junit, anonymous. One verdict: gradescope, autolab, "
        "prairielearn, classroom.",
        0,
        0,
        0};
    struct export_args a = {.book = "grades.db"};
    struct text out = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (!export_verdict(&a, &out) && !export_class(&a, &out))
        die("no format \"%s\"; see grade export --help", a.format);
    write_out(a.output, &out);
    text_free(&out);
    return 0;
}

/* ---- HTML pages ---- */

static void write_page(const char *folder, const char *name, struct text *t)
{
    char *path = xformat("%s/%s.html", folder, name);
    write_out(path, t);
    free(path);
    text_free(t);
}

int cmd_report(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "FOLDER",
        "Writes index.html (the class, for the instructor) and one page a student, named by "
        "the student's alias; every page stands alone.",
        0,
        0,
        0};
    struct export_args a = {.book = "grades.db"};
    int n;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (!a.lab)
        die("--lab LAB is needed");
    int e = make_dirs(a.format);
    if (e)
        die("%s: %s", a.format, strerror(e));
    struct book *b = open_book(a.book);
    struct mark *v = book_marks(b, a.lab, 0, true, &n);
    struct pass_rates rates = {0};
    for (int i = 0; i < n; i++) {
        struct text page = {0};
        struct verdict *verdict = book_verdict(b, v[i].run, v[i].student);
        html_student(&v[i], verdict, v, n, &page);
        pass_rates_add(&rates, verdict);
        write_page(a.format, v[i].alias, &page);
        verdict_free(verdict);
    }
    struct text page = {0};
    html_class(v, n, &rates, &page);
    write_page(a.format, "index", &page);
    pass_rates_free(&rates);
    if (n)
        printf("%s/index.html and %d students' pages\n", a.format, n);
    else
        fprintf(stderr, "grade: nobody in %s has handed in %s\n", a.book, a.lab);
    book_marks_free(v, n);
    book_close(b);
    return n == 0;
}
