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
    const char *book, *lab, *output, *format, *verdict;
    struct export_options o;
};

static const struct argp_option options[] = {
    BOOK_OPTION,
    {"lab", 'l', "LAB", 0, "Only this lab", 0},
    {"title", 't', "TITLE", 0, "canvas: the assignment's column, with its id: \"Lab 1 (4711)\"", 0},
    {"output", 'o', "FILE", 0, "Write there (default: standard output)", 0},
    {"verdict", 'v', "FILE", 0, "Of this verdict (grade check --json), where the format is of one",
     0},
    {"missing-zero", KEY_MISSING_ZERO, 0, 0,
     "0 for who handed in nothing (default: an empty cell, which imports leave alone)", 0},
    {0}};

static const struct arg_field fields[] = {
    {'b', ARG_TEXT, offsetof(struct export_args, book)},
    {'l', ARG_TEXT, offsetof(struct export_args, lab)},
    {'t', ARG_TEXT, offsetof(struct export_args, o.title)},
    {'o', ARG_TEXT, offsetof(struct export_args, output)},
    {'v', ARG_TEXT, offsetof(struct export_args, verdict)},
    {KEY_MISSING_ZERO, ARG_FLAG, offsetof(struct export_args, o.missing_zero)},
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

static void export_class(const struct export_args *a, const struct export_format *f,
                         struct text *out)
{
    int n;
    if (f->wants_title && !(a->lab && a->o.title))
        die("%s wants --lab LAB and --title \"NAME (ID)\": one column, one assignment", f->name);
    if (f->wants_lab && !a->lab)
        die("%s wants --lab LAB: one worksheet, one assignment", f->name);
    struct book *b = read_book(a->book);
    struct mark *v = marks_of(b, a->lab, false, &n);
    f->marks(v, n, &a->o, out);
    book_marks_free(v, n);
    book_close(b);
}

static void export_verdict(const struct export_args *a, const struct export_format *f,
                           struct text *out)
{
    char *data, *why;
    size_t length;
    if (!a->verdict)
        die("%s wants --verdict FILE, made by: grade check --json", f->name);
    int e = file_read(a->verdict, MAX_VERDICT, &data, &length);
    if (e)
        die("%s: %s", a->verdict, file_why(e));
    struct verdict *v = verdict_read(data, length, &why);
    if (!v)
        die("%s: %s", a->verdict, why);
    f->verdict(v, out);
    verdict_free(v);
    free(data);
}

static void write_out(const char *path, const struct text *t)
{
    int e = path ? file_write(path, text_str(t), t->length) : 0;
    if (e)
        die("%s: %s", path, strerror(e));
    if (!path)
        fwrite(text_str(t), 1, t->length, stdout);
}

/* The formats, behind the options. */
static char *list_formats(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    struct text t = {0};
    text_add(&t, "Formats:\n");
    for (const struct export_format *f = export_formats; f->name; f++)
        text_addf(&t, "  %-14s%s (%s)\n", f->name, f->what, f->verdict ? "--verdict" : "a class");
    return text_take(&t);
}

int cmd_export(int argc, char **argv)
{
    static const struct argp argp = {
        options,  parse,
        "FORMAT", "Writes a class's marks, or one verdict, for another system.",
        0,        list_formats,
        0};
    struct export_args a = {.book = "grades.db"};
    struct text out = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    const struct export_format *f = export_format_named(a.format);
    if (!f)
        die("no format \"%s\"; see grade export --help", a.format);
    if (f->verdict)
        export_verdict(&a, f, &out);
    else
        export_class(&a, f, &out);
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
    struct book *b = read_book(a.book);
    struct mark *v = marks_of(b, a.lab, true, &n);
    int e = make_dirs(a.format);
    if (e)
        die("%s: %s", a.format, strerror(e));
    struct pass_rates rates = {0};
    struct causes causes = {0};
    for (int i = 0; i < n; i++) {
        struct text page = {0};
        struct verdict *verdict = book_verdict(b, v[i].run, v[i].student);
        size_t length;
        char *source = verdict ? book_source(b, v[i].run, v[i].student, &length) : NULL;
        html_student(&v[i], verdict, source, v, n, &page);
        pass_rates_add(&rates, verdict);
        causes_add(&causes, i, verdict, source);
        write_page(a.format, v[i].alias, &page);
        verdict_free(verdict);
        free(source);
    }
    struct text page = {0};
    causes_sort(&causes);
    html_class(v, n, &rates, &causes, &page);
    write_page(a.format, "index", &page);
    pass_rates_free(&rates);
    causes_free(&causes);
    printf("%s/index.html and %d students' pages\n", a.format, n);
    book_marks_free(v, n);
    book_close(b);
    return 0;
}
