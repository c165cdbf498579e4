/* cmd_check.c - grade check, selftest, labs: marking without a gradebook. */
#include "commands.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "base/clock.h"
#include "grading/mark/expect.h"
#include "grading/mark/gpu.h"
#include "grading/report/report.h"
#include "grading/intake/submissions.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check_args {
    const char *lab, *file, *secret_file, *only;
    bool json, practice, gpu;
};

static const struct argp_option check_options[] = {
    {"lab", 'l', "LAB", 0, "The lab whose rubric to use", 0},
    {"json", 'j', 0, 0, "Print the verdict as JSON", 0},
    {"only", 'o', "VARIANTS", 0, "Only the rows of these variants", 0},
    {"secret", 's', "FILE", 0, "The instructor's secret: hidden cases are marked, too", 0},
    {"gpu", 'g', 0, 0, "Measure times on this machine's GPU, in turns with the reference", 0},
    {"practice", 'p', 0, 0, "Go on without a sandbox where none can be made", 0},
    {0}};

static error_t parse_check(int key, char *arg, struct argp_state *state)
{
    struct check_args *a = state->input;
    switch (key) {
    case 'l':
        a->lab = arg;
        return 0;
    case 'j':
        a->json = true;
        return 0;
    case 'o':
        a->only = arg;
        return 0;
    case 's':
        a->secret_file = arg;
        return 0;
    case 'g':
        a->gpu = true;
        return 0;
    case 'p':
        a->practice = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_usage(state);
        a->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->file || !a->lab)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

char *read_secret(const char *path)
{
    char *secret;
    size_t n;
    int e = file_read_no_link(path, 65536, &secret, &n);
    if (e)
        die("secret %s: %s", path, strerror(e));
    while (n && (secret[n - 1] == '\n' || secret[n - 1] == '\r' || secret[n - 1] == ' '))
        secret[--n] = 0;
    if (n < 8)
        die("secret %s: at least 8 characters, please", path);
    return secret;
}

/* Marking needs the sandbox. Practice on a file of one's own may go on without. */
bool sandbox_or_refuse(struct engine_options *o, bool practice)
{
    char why[512];
    if (sandbox_works(why, sizeof(why)))
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

int cmd_gpu(int argc, char **argv)
{
    struct engine_options o;
    int bad = 0;
    (void)argc;
    (void)argv;
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

static struct verdict *mark_file(struct engine *e, const char *path)
{
    char *source;
    size_t n;
    int error = file_read_no_link(path, SUBMISSION_MAX_BYTES, &source, &n);
    if (error)
        return engine_no_mark(e, path, error == EFBIG ? VERDICT_TOO_LARGE : VERDICT_UNREADABLE,
                              strerror(error));
    struct verdict *v = engine_mark(e, path, source, n);
    free(source);
    return v;
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
    char err[4096];
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    o.only = a.only;
    if (!sandbox_or_refuse(&o, a.practice && !a.secret_file) || (a.gpu && !gpu_or_refuse(&o)))
        return 2;
    if (a.secret_file)
        o.secret = read_secret(a.secret_file);
    if (!engine_open(&e, a.lab, &o, err, sizeof(err)))
        die("%s", err);
    struct verdict *v = mark_file(&e, a.file);
    if (a.json) {
        char *text = verdict_text(v, JSON_INDENT(1));
        puts(text);
        free(text);
    } else {
        struct text t = {0};
        report_text(v, isatty(1), &t);
        fputs(text_str(&t), stdout);
        text_free(&t);
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

static error_t parse_selftest(int key, char *arg, struct argp_state *state)
{
    struct selftest_args *a = state->input;
    if (key == 'l')
        a->lab = arg;
    else if (key == 'g')
        a->gpu = true;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
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
    char err[4096];
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
        struct text t = {0};
        if (strcmp(open, v[i].lab)) {
            engine_close(&e);
            if (!engine_open(&e, v[i].lab, &o, err, sizeof(err)))
                die("%s", err);
            open = v[i].lab;
        }
        double from = now_s();
        int bad = expect_file(&e, &o, v[i].path, v[i].kind, &t);
        const char *shown =
            strstr(v[i].path, o.root) == v[i].path ? v[i].path + strlen(o.root) + 1 : v[i].path;
        printf("%s %s (%s, %.2f s)\n%s", bad ? "FAIL" : "ok  ", shown, v[i].kind, now_s() - from,
               text_str(&t));
        fflush(stdout);
        text_free(&t);
        bad_files += bad > 0;
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
    (void)argc;
    (void)argv;
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
