/* cmd_book.c - grade marks, show, override, audit, stats, diff: what is in the gradebook. */
#include "grading/book/book.h"
#include "base/alloc.h"
#include "base/text.h"
#include "args.h"
#include "commands.h"
#include "grading/report/rates.h"
#include "grading/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct book_args {
    const char *book, *lab, *why, *words[3];
    int nwords;
    bool json, missing_zero;
};

static const struct argp_option options[] = {
    BOOK_OPTION,
    {"lab", 'l', "LAB", 0, "Only this lab", 0},
    {"why", 'w', "TEXT", 0, "The reason, for the audit trail", 0},
    {"json", 'j', 0, 0, "Print the whole evidence as JSON", 0},
    {"missing-zero", KEY_MISSING_ZERO, 0, 0,
     "stats: 0 for who handed in nothing (default: left out)", 0},
    {0}};

static const struct arg_field fields[] = {
    {'b', ARG_TEXT, offsetof(struct book_args, book)},
    {'l', ARG_TEXT, offsetof(struct book_args, lab)},
    {'w', ARG_TEXT, offsetof(struct book_args, why)},
    {'j', ARG_FLAG, offsetof(struct book_args, json)},
    {KEY_MISSING_ZERO, ARG_FLAG, offsetof(struct book_args, missing_zero)},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct book_args *a = state->input;
    if (key != ARGP_KEY_ARG)
        return arg_store(fields, key, arg, state);
    if (a->nwords == 3)
        argp_usage(state);
    a->words[a->nwords++] = arg;
    return 0;
}

static void read_words(struct book_args *a, int argc, char **argv, const char *words,
                       const char *what, int nwords)
{
    const struct argp argp = {options, parse, words, what, 0, 0, 0};
    *a = (struct book_args){.book = "grades.db"};
    argp_parse(&argp, argc, argv, 0, NULL, a);
    if (a->nwords != nwords)
        die("usage: %s [OPTIONS] %s", argv[0], words);
}

static struct book *read_with(struct book_args *a, int argc, char **argv, const char *words,
                              const char *what, int nwords)
{
    read_words(a, argc, argv, words, what, nwords);
    return read_book(a->book);
}

static void need(const char *value, const char *option)
{
    if (!value)
        die("%s is needed", option);
}

int cmd_marks(int argc, char **argv)
{
    struct book_args a;
    struct book *b = read_with(&a, argc, argv, "", "Prints what counts for each student.", 0);
    print_marks(b, a.lab, stdout);
    book_close(b);
    return 0;
}

static void show(const struct mark *m, bool json)
{
    struct text t = {0}, safe = {0};
    struct verdict *v = mark_verdict(m);
    text_addf(&t, "student %s  %s  %s\nfile %s  SHA-256 %s\nrun %lld\n", m->student, m->person,
              m->email, m->original, m->hash ? m->hash : "-", (long long)m->run);
    text_printable(&safe, t.s, t.length, true);
    fputs(safe.s, stdout);
    text_free(&t);
    text_free(&safe);
    if (v && json) {
        char *text = verdict_text(v, JSON_INDENT(1));
        puts(text);
        free(text);
    } else if (v) {
        report_text(v, &(struct text_look){.colours = isatty(1), .detail = true}, &t);
        fputs(text_str(&t), stdout);
        text_free(&t);
    }
    if (mark_counts(m, false))
        printf("mark %.4g (%s)\n", m->mark, m->rule);
    else
        printf("no mark (%s)\n",
               m->needs_human ? "needs a person" : mark_status(m, "not marked yet"));
    verdict_free(v);
}

int cmd_show(int argc, char **argv)
{
    struct book_args a;
    struct book *b = read_with(&a, argc, argv, "STUDENT",
                               "Prints a student's reports, marks and audit trail.", 1);
    struct text audit = {0};
    const char *id = NULL;
    int n, found = 0;
    struct mark *v = marks_of(b, a.lab, false, &n);
    for (int i = 0; i < n; i++) {
        if (!mark_is(&v[i], a.words[0]))
            continue;
        show(&v[i], a.json);
        char *node = a.json ? NULL : book_node(b, v[i].run, v[i].student);
        if (node)
            printf("marked on node %s\n", node);
        free(node);
        id = v[i].student;
        found++;
    }
    if (id)
        book_print_audit(b, id, &audit);
    fputs(text_str(&audit), stdout);
    text_free(&audit);
    if (!found)
        fprintf(stderr, "grade: no student \"%s\" in %s\n", a.words[0], a.book);
    book_marks_free(v, n);
    book_close(b);
    return !found;
}

/* The student's id, allocated, and the lab's points; NULL: said why not. */
static char *find_student(struct book *b, const char *lab, const char *who, double *max)
{
    int n;
    struct mark *v = marks_of(b, lab, true, &n);
    const struct mark *m = find_mark(v, n, lab, who);
    char *id = m ? xstrdup(m->student) : NULL;
    *max = m ? m->max : 0;
    book_marks_free(v, n);
    return id;
}

int cmd_override(int argc, char **argv)
{
    struct book_args a;
    read_words(&a, argc, argv, "STUDENT POINTS",
               "Sets a mark by hand; POINTS \"none\" takes it back.", 2);
    need(a.lab, "--lab LAB");
    need(a.why, "--why TEXT");
    char *end;
    double points = strcmp(a.words[1], "none") ? strtod(a.words[1], &end) : -1;
    if (strcmp(a.words[1], "none") && (*end || end == a.words[1] || !(points >= 0 && points < 1e6)))
        die("not a number of points: %s", a.words[1]);
    struct book *b = open_book(a.book);
    double max;
    char *id = find_student(b, a.lab, a.words[0], &max);
    bool ok = id && book_override(b, a.lab, id, points, a.why);
    if (ok && points < 0)
        printf("%s: the mark is again what was marked\n", id);
    else if (ok)
        printf("%s: %g points, set by hand%s\n", id, points,
               max > 0 && points > max ? ": more than the lab has" : "");
    free(id);
    book_close(b);
    return !ok;
}

int cmd_audit(int argc, char **argv)
{
    struct book_args a;
    struct book *b = read_with(&a, argc, argv, "", "Prints who changed what, when and why.", 0);
    struct text t = {0};
    book_print_audit(b, NULL, &t);
    fputs(text_str(&t), stdout);
    text_free(&t);
    book_close(b);
    return 0;
}

/* ---- statistics ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_bars(const double *marks, int n, double max)
{
    int bins[10] = {0}, most = 1;
    for (int i = 0; i < n && max > 0; i++)
        bins[(int)fmin(9, 10 * marks[i] / max)]++;
    for (int i = 0; i < 10; i++)
        most = bins[i] > most ? bins[i] : most;
    for (int i = 0; i < 10; i++)
        printf("  %5.3g-%-5.3g %3d %.*s\n", max * i / 10, max * (i + 1) / 10, bins[i],
               bins[i] * 50 / most, "##################################################");
}

/* Of the marks that there are: who has none is no 0. */
static void print_distribution(const struct mark *v, int n, const char *lab, bool missing_zero)
{
    double *marks = xzalloc((size_t)(n + 1) * sizeof(*marks)), sum = 0, max = 0;
    int k = 0, human = 0, missing = 0, students = 0;
    for (int i = 0; i < n; i++) {
        if (strcmp(v[i].lab, lab) || !v[i].verdict)
            continue;
        students++;
        max = fmax(max, v[i].max);
        human += v[i].needs_human && !v[i].overridden;
        missing += v[i].missing && !v[i].overridden;
        if (!mark_counts(&v[i], missing_zero))
            continue;
        marks[k++] = v[i].mark;
        sum += v[i].mark;
    }
    qsort(marks, (size_t)k, sizeof(*marks), by_value);
    printf("%s: %d students, %d handed in nothing, %d need a person", lab, students, missing,
           human);
    printf(k < students ? "; %d without a mark are left out\n" : "\n", students - k);
    if (k) {
        printf("  mean %.3g, median %.3g, quartiles %.3g and %.3g, of %.4g\n", sum / k,
               marks[k / 2], marks[k / 4], marks[3 * k / 4], max);
        print_bars(marks, k, max);
    }
    free(marks);
}

static void print_pass_rates(struct book *b, const struct mark *v, int n, const char *lab)
{
    struct pass_rates rates = {0};
    for (int i = 0; i < n; i++) {
        struct verdict *verdict =
            !strcmp(v[i].lab, lab) ? book_verdict(b, v[i].run, v[i].student) : NULL;
        pass_rates_add(&rates, verdict);
        verdict_free(verdict);
    }
    for (int i = 0; i < rates.n; i++)
        printf("  %-24s %3d of %d pass\n", rates.v[i].id, rates.v[i].passed, rates.graded);
    pass_rates_free(&rates);
}

int cmd_stats(int argc, char **argv)
{
    struct book_args a;
    struct book *b =
        read_with(&a, argc, argv, "",
                  "Prints each lab's distribution and the share that passes each check.", 0);
    int n;
    struct mark *v = marks_of(b, a.lab, true, &n);
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (strcmp(v[k].lab, v[i].lab))
            k++;
        if (k < i)
            continue; /* this lab was printed */
        print_distribution(v, n, v[i].lab, a.missing_zero);
        print_pass_rates(b, v, n, v[i].lab);
    }
    book_marks_free(v, n);
    book_close(b);
    return 0;
}

/* ---- two runs ---- */

static const struct mark *mark_of(const struct mark *v, int n, const char *student)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(v[i].student, student))
            return &v[i];
    return NULL;
}

static int print_rows(const struct verdict *x, const struct verdict *y)
{
    int differences = 0;
    for (int i = 0; x && y && i < x->nrows && i < y->nrows; i++) {
        const struct verdict_row *a = &x->rows[i], *b = &y->rows[i];
        if (strcmp(or_empty(a->id), or_empty(b->id)) || a->status == b->status)
            continue;
        printf("  %s: %s -> %s  %s\n", or_empty(a->id), status_words(a->status)->word,
               status_words(b->status)->word, or_empty(b->why));
        differences++;
    }
    return differences;
}

static int print_difference(const struct mark *x, const struct mark *y)
{
    struct verdict *vx = mark_verdict(x), *vy = mark_verdict(y);
    int differences = 0;
    if (!x->verdict != !y->verdict || (x->verdict && x->status != y->status) ||
        fabs(x->score - y->score) > 1e-9) {
        printf("%s: %s %.4g -> %s %.4g\n", x->student, mark_status(x, "-"), x->score,
               mark_status(y, "-"), y->score);
        differences++;
    }
    differences += print_rows(vx, vy);
    verdict_free(vx);
    verdict_free(vy);
    return differences;
}

static int64_t run_number(const char *s)
{
    char *end;
    long long run = strtoll(s, &end, 10);
    if (end == s || *end || run <= 0)
        die("not a run's number: %s; the last line of `grade batch` has it", s);
    return run;
}

int cmd_diff(int argc, char **argv)
{
    struct book_args a;
    struct book *b =
        read_with(&a, argc, argv, "RUN RUN",
                  "Compares two runs, by their numbers: exit status 1 when they differ.", 2);
    int n, m, differences = 0;
    struct mark *v = book_marks(b, NULL, run_number(a.words[0]), false, &n),
                *w = book_marks(b, NULL, run_number(a.words[1]), false, &m);
    if (!n || !m)
        die("run %s is not in %s, or has no marks: the last line of `grade batch` has a run's "
            "number",
            a.words[n ? 1 : 0], a.book);
    for (int i = 0; i < n; i++) {
        const struct mark *other = mark_of(w, m, v[i].student);
        if (other)
            differences += print_difference(&v[i], other);
        else
            printf("%s: only in run %s\n", v[i].student, a.words[0]);
        differences += !other;
    }
    for (int i = 0; i < m; i++) {
        if (!mark_of(v, n, w[i].student)) {
            printf("%s: only in run %s\n", w[i].student, a.words[1]);
            differences++;
        }
    }
    printf("%d difference%s\n", differences, differences == 1 ? "" : "s");
    book_marks_free(v, n);
    book_marks_free(w, m);
    book_close(b);
    return differences > 0;
}
