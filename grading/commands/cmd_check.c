/* cmd_check.c - grade check, selftest, labs: marking without a gradebook. */
#include "args.h"
#include "commands.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "base/clock.h"
#include "grading/mark/expect.h"
#include "grading/mark/gpu.h"
#include "grading/report/report.h"
#include "grading/intake/submissions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check_args {
    const char *lab, *file, *secret_file, *only;
    bool json, practice, gpu, detail;
};

static const struct argp_option check_options[] = {
    {"lab", 'l', "LAB", 0, "The lab whose rubric to use", 0},
    {"json", 'j', 0, 0, "Print the verdict as JSON", 0},
    {"only", 'o', "VARIANTS", 0, "Only the rows of these variants", 0},
    {"secret", 's', "FILE", 0, "The instructor's secret: hidden cases are marked, too", 0},
    {"gpu", 'g', 0, 0, "Measure times on this machine's GPU, in turns with the reference", 0},
    {"detail", 'd', 0, 0, "Every row with its reason", 0},
    {"practice", 'p', 0, 0, "Go on without a sandbox where none can be made", 0},
    {0}};

static const struct arg_field check_fields[] = {
    {'l', ARG_TEXT, offsetof(struct check_args, lab)},
    {'j', ARG_FLAG, offsetof(struct check_args, json)},
    {'o', ARG_TEXT, offsetof(struct check_args, only)},
    {'s', ARG_TEXT, offsetof(struct check_args, secret_file)},
    {'g', ARG_FLAG, offsetof(struct check_args, gpu)},
    {'d', ARG_FLAG, offsetof(struct check_args, detail)},
    {'p', ARG_FLAG, offsetof(struct check_args, practice)},
    {0},
};

static error_t parse_check(int key, char *arg, struct argp_state *state)
{
    struct check_args *a = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        arg_word(state, &a->file, arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->lab)
            argp_error(state, "which lab? --lab LAB");
        if (!a->file)
            argp_error(state, "which file? FILE.cu");
        return 0;
    default:
        return arg_store(check_fields, key, arg, state);
    }
}

static void parse_nothing(int argc, char **argv, const char *what)
{
    const struct argp argp = {0, 0, "", what, 0, 0, 0};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
}

int cmd_gpu(int argc, char **argv)
{
    struct engine_options o;
    int bad = 0;
    parse_nothing(argc, argv, "Says whether the sandbox can use this machine's GPUs.");
    engine_defaults(&o);
    if (!sandbox_or_refuse(&o, false))
        return 2;
    for (int n = gpu_count(); o.gpu_index < (n ? n : 1); o.gpu_index++) {
        struct loaded l;
        struct text why = {0};
        double from = now_s();
        bool ok = gpu_probe(&o, &l, &why);
        if (ok)
            printf("%s: %s, sm_%u, %s, %.0f GB/s, idle at %u MHz; ready in %.2f s\n",
                   gpu_device(o.gpu_index), l.machine.device, l.machine.limits.cc,
                   l.machine.version, l.machine.peak_gbps, l.sm_mhz, now_s() - from);
        else
            printf("%s: %s\n", gpu_device(o.gpu_index), text_str(&why));
        bad += !ok;
        text_free(&why);
    }
    return bad > 0;
}

/* A file too large has a verdict; one that is not there, or no file, is a word mistyped. */
static struct verdict *mark_file(struct engine *e, const char *path)
{
    char *source;
    size_t n;
    int error = file_read_no_link(path, SUBMISSION_MAX_BYTES, &source, &n);
    if (error == EFBIG)
        return engine_no_mark(e, path, VERDICT_TOO_LARGE, file_why(error));
    if (error)
        die("%s\nnext: make grade LAB=%s marks labs/%s/%s.cu; FILE=… another one",
            error == ENOENT ? xformat("there is no file %s", path)
                            : xformat("%s cannot be marked: %s", path, file_why(error)),
            e->lab->name, e->lab->name, e->lab->name);
    struct verdict *v = engine_mark(e, path, source, n);
    free(source);
    return v;
}

/* The command of the lab's own program that looks at the first kernel with a row that failed. */
static void print_next(const struct verdict *v, const char *path)
{
    const char *kernel = first_failed(v);

    if (!kernel && v->status == VERDICT_GRADED)
        return;
    char *own = xformat("labs/%s/%s.cu", v->lab, v->lab);
    struct text file = {0};

    if (strcmp(path, own)) {
        text_add(&file, " FILE=");
        text_shell(&file, path);
    }
    if (kernel)
        printf("next: make run LAB=%s KERNEL=%s%s (make grade with DETAIL=1: every row)\n", v->lab,
               kernel, text_str(&file));
    else
        printf("next: mend that, then make run LAB=%s%s\n", v->lab, text_str(&file));
    text_free(&file);
    free(own);
}

static void print_verdict(const struct verdict *v, const struct check_args *a)
{
    struct text t = {0}, why = {0};
    size_t size;
    char *source = file_load(a->file, SUBMISSION_MAX_BYTES, &size, &why);
    struct text_look look = {isatty(1), a->detail, source};

    report_text(v, &look, &t);
    fputs(text_str(&t), stdout);
    if (a->practice)
        print_next(v, a->file);
    text_free(&t);
    text_free(&why);
    free(source);
}

int cmd_check(int argc, char **argv)
{
    static const struct argp argp = {
        check_options,
        parse_check,
        "FILE.cu",
        "Marks one file: exit status 0 for full marks, 1 for less, 2 for trouble.",
        0,
        0,
        0};
    struct check_args a = {.lab = NULL};
    struct engine_options o;
    struct engine e;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    o.only = a.only;
    if (!sandbox_or_refuse(&o, a.practice && !a.secret_file) || (a.gpu && !gpu_or_refuse(&o)))
        return 2;
    if (a.secret_file)
        o.secret = read_secret(a.secret_file);
    open_engine(&e, a.lab, &o);
    struct verdict *v = mark_file(&e, a.file);
    if (a.json) {
        char *text = verdict_text(v, JSON_INDENT(1));
        puts(text);
        free(text);
    } else {
        print_verdict(v, &a);
    }
    bool full = v->status == VERDICT_GRADED && v->score >= v->max, human = v->needs_human;
    verdict_free(v);
    engine_close(&e);
    free((char *)o.secret);
    return human ? 2 : full ? 0 : 1;
}

/* ---- selftest ---- */

struct selftest_args {
    const char *lab;
    bool gpu;
};

static const struct argp_option selftest_options[] = {
    {"lab", 'l', "LAB", 0, "Only this lab", 0},
    {"gpu", 'g', 0, 0, "On this machine's GPU, too: solutions, right kernels, and attacks on it",
     0},
    {0}};

static const struct arg_field selftest_fields[] = {
    {'l', ARG_TEXT, offsetof(struct selftest_args, lab)},
    {'g', ARG_FLAG, offsetof(struct selftest_args, gpu)},
    {0},
};

static error_t parse_selftest(int key, char *arg, struct argp_state *state)
{
    return arg_store(selftest_fields, key, arg, state);
}

/* Marks one of the known files and prints what came of it: whether it got its verdict. */
static bool selftest_file(struct engine *e, struct engine_options *o, const struct known_file *f)
{
    struct text t = {0};
    double from = now_s();
    bool ok = !expect_file(e, o, f->path, f->kind, &t);
    size_t root = strlen(o->root);
    const char *shown = strncmp(f->path, o->root, root) ? f->path : f->path + root + 1;
    printf("%s %s (%s, %.2f s)\n%s", ok ? "ok  " : "FAIL", shown, f->kind, now_s() - from,
           text_str(&t));
    fflush(stdout);
    text_free(&t);
    return ok;
}

int cmd_selftest(int argc, char **argv)
{
    static const struct argp argp = {selftest_options,
                                     parse_selftest,
                                     "",
                                     "Marks every kernel whose verdict is known and compares.",
                                     0,
                                     0,
                                     0};
    struct engine_options o;
    struct engine e = {.lab = NULL};
    struct selftest_args a = {.lab = NULL};
    const char *open = "";
    int n, bad_files = 0;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    o.secret = "selftest-secret";
    if (!sandbox_or_refuse(&o, false) || (a.gpu && !gpu_or_refuse(&o)))
        return 2;
    if (a.gpu)
        o.run_s = 10; /* one of the attacks waits for it */
    struct known_file *v = known_files(&o, a.lab, &n);
    for (int i = 0; i < n; i++) {
        if (strcmp(open, v[i].lab)) {
            engine_close(&e);
            open_engine(&e, v[i].lab, &o);
            open = v[i].lab;
        }
        bad_files += !selftest_file(&e, &o, &v[i]);
    }
    engine_close(&e);
    known_files_free(v, n);
    printf("%d of %d files got their verdict\n", n - bad_files, n);
    return bad_files || !n;
}

/* ---- labs ---- */

int cmd_labs(int argc, char **argv)
{
    int bad = 0;
    parse_nothing(argc, argv, "Lists the labs and their rubrics' rows.");
    for (int i = 0; i < all_rubrics_count; i++) {
        const struct rubric *r = all_rubrics[i];
        const struct lab *lab = lab_named(r->lab);
        struct text problems = {0};
        if (!lab)
            return fprintf(stderr, "grade: the rubric of %s has no lab\n", r->lab) > 0;
        printf("%s: %s (%g points)\n", lab->name, lab->title, rubric_points(r));
        for (int k = 0; k < r->nrows; k++)
            printf("  %-20s %5.4g  %-8s %s\n", r->rows[k].id, r->rows[k].points,
                   row_kind_name(r->rows[k].kind), r->rows[k].title);
        bad += rubric_problems(lab, r, &problems);
        fputs(text_str(&problems), stderr);
        text_free(&problems);
    }
    return bad > 0;
}
