/* cmd_steps.c - grade steps: what marking a file takes of the budget of steps, as CSV.
 *
 * A line a file: its steps, those of checked runs four times, as the budget counts them
 * (boxes.c: steps_all); their share of it; and the steps of the one run that took most, each once.
 * That has several launches with some kernels: a launch takes no more. `make steps` keeps the
 * lines of all solutions and right kernels in grading/steps.csv; steps_test.c says when a file is
 * missing there.
 */
#include "args.h"
#include "cheats.h"
#include "commands.h"
#include "base/alloc.h"
#include "base/file.h"
#include "grading/intake/submissions.h"

#include <stdlib.h>
#include <string.h>

struct steps_args {
    const char *lab, *secret_file;
    char **files;
    int nfiles;
};

static const struct argp_option options[] = {
    {"lab", 'l', "LAB", 0, "The lab; without a FILE: one lab, otherwise all", 0},
    {"secret", 's', "FILE", 0, "The instructor's secret (default: that of selftest)", 0},
    {0}};

static const struct arg_field fields[] = {
    {'l', ARG_TEXT, offsetof(struct steps_args, lab)},
    {'s', ARG_TEXT, offsetof(struct steps_args, secret_file)},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct steps_args *a = state->input;
    switch (key) {
    case ARGP_KEY_ARGS:
        a->files = state->argv + state->next;
        a->nfiles = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (a->nfiles && !a->lab)
            argp_error(state, "which lab? --lab LAB");
        return 0;
    default:
        return arg_store(fields, key, arg, state);
    }
}

static void print_head(const struct engine_options *o)
{
    printf("# Steps that marking takes, of a budget of %llu; a launch may take %llu. Written by "
           "`grade steps`;\n"
           "# `make steps` keeps those of the solutions and the right kernels.\n"
           "lab,kind,file,steps,percent,dearest_run\n",
           (unsigned long long)o->steps_all, (unsigned long long)o->steps);
}

/* False: it was not marked to its end, so that another count would be as good. */
static bool print_steps(struct engine *e, const char *kind, const char *shown, const char *source,
                        size_t n)
{
    struct verdict *v = engine_mark(e, shown, source, n);
    bool ok = v->status == VERDICT_GRADED && !v->needs_human;
    printf("%s,%s,%s,%llu,%.2f,%llu\n", v->lab, kind, v->file, (unsigned long long)v->steps,
           100.0 * (double)v->steps / (double)e->o->steps_all, (unsigned long long)v->dearest);
    if (!ok)
        fprintf(stderr, "grade: %s is %s: %s\n", shown, verdict_word(v->status),
                v->message ? v->message : "a person has to look");
    fflush(stdout);
    verdict_free(v);
    return ok;
}

static int of_files(struct engine_options *o, const struct steps_args *a)
{
    struct engine e;
    int bad = 0;
    open_engine(&e, a->lab, o);
    for (int i = 0; i < a->nfiles; i++) {
        char *source;
        size_t n;
        int error = file_read_no_link(a->files[i], SUBMISSION_MAX_BYTES, &source, &n);
        if (error)
            die("%s: %s", a->files[i], file_why(error));
        bad += !print_steps(&e, "file", a->files[i], source, n);
        free(source);
    }
    engine_close(&e);
    return bad > 0;
}

static int of_right_ones(struct engine_options *o, const char *lab)
{
    struct engine e = {.lab = NULL};
    const char *open = "";
    int n, bad = 0, marked = 0;
    struct known_file *v = known_files(o, lab, &n);
    if (!n)
        open_engine(&e, lab, o); /* says which labs there are */
    for (int i = 0; i < n; i++) {
        struct expect x;
        if (strcmp(v[i].kind, "solution") && strcmp(v[i].kind, "right"))
            continue;
        if (strcmp(open, v[i].lab)) {
            engine_close(&e);
            open_engine(&e, v[i].lab, o);
            open = v[i].lab;
        }
        char *source = cheats_read(&v[i], &x);
        o->only = x.only;
        bad += !print_steps(&e, v[i].kind, known_name(&v[i]), source, strlen(source));
        o->only = NULL;
        marked++;
        expect_free(&x);
        free(source);
    }
    engine_close(&e);
    known_files_free(v, n);
    return bad || !marked;
}

int cmd_steps(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "[FILE.cu…]",
        "Marks files, or all solutions and right kernels, and prints what each takes of the "
        "budget of steps.",
        0,
        0,
        0};
    struct steps_args a = {.lab = NULL};
    struct engine_options o;
    char *secret = NULL;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    if (!sandbox_or_refuse(&o, false))
        return 2;
    if (a.secret_file)
        secret = read_secret(a.secret_file);
    o.secret = secret ? secret : "selftest-secret";
    print_head(&o);
    int status = a.nfiles ? of_files(&o, &a) : of_right_ones(&o, a.lab);
    free(secret);
    return status;
}
