/* cmd_mutate.c - grade mutate, bench: how much of what is wrong is caught, and how fast. */
#include "args.h"
#include "commands.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "base/clock.h"
#include "mutate.h"
#include "mutate_code.h"
#include "grading/mark/pool.h"
#include "grading/report/report.h"
#include "grading/intake/submissions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct args {
    const char *lab;
    int jobs, every, count;
    int first_line, last_line;
    bool verbose;
};

static const struct argp_option options[] = {
    {"lab", 'l', "LAB", 0, "The lab", 0},
    JOBS_OPTION,
    {"every", 'e', "N", 0, "mutate: only every N-th mutant", 0},
    {"lines", 'L', "A-B", 0, "mutate: only mutants of these source lines", 0},
    {"verbose", 'v', 0, 0, "mutate: say on standard error how far it is, and what survives", 0},
    {"count", 'n', "N", 0, "bench: how many submissions (default 100)", 0},
    {0}};

static const struct arg_field fields[] = {
    {'l', ARG_TEXT, offsetof(struct args, lab)},    {'j', ARG_COUNT, offsetof(struct args, jobs)},
    {'e', ARG_COUNT, offsetof(struct args, every)}, {'v', ARG_FLAG, offsetof(struct args, verbose)},
    {'n', ARG_COUNT, offsetof(struct args, count)}, {0},
};

/* "20-35" */
static void parse_lines(struct args *a, const char *arg, struct argp_state *state)
{
    int end = 0;
    if (sscanf(arg, "%d-%d%n", &a->first_line, &a->last_line, &end) != 2 || arg[end])
        argp_error(state, "--lines is given as 20-35");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 'L':
        parse_lines(a, arg, state);
        return 0;
    case ARGP_KEY_END:
        if (!a->lab)
            argp_error(state, "--lab LAB is needed");
        if (!a->jobs || !a->every || !a->count)
            argp_error(state, "--jobs, --every and --count are 1 or more");
        return 0;
    default:
        return arg_store(fields, key, arg, state);
    }
}

static struct args first_args(void)
{
    return (struct args){.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN), .every = 1, .count = 100};
}

static void open_all(struct args *a, struct engine_options *o, struct engine *e)
{
    engine_defaults(o);
    o->secret = "selftest-secret";
    o->steps = 12000000;
    if (!sandbox_or_refuse(o, false))
        exit(2);
    open_engine(e, a->lab, o);
    if (!e->solution)
        die("there is no solutions/%s/%s.cu", a->lab, a->lab);
}

/* ---- mutants: what each changes ---- */

enum change { NO_CODE, SAME_CODE, OTHER_CODE, NOT_MARKED };

struct trial {
    const struct mutant *m;
    enum change change;
    char *only; /* the marked variants that it reaches, each with a blank after it */
    bool taken;
};

static bool compiled(const struct engine *e, const struct engine_options *o, const char *source,
                     struct code *c)
{
    struct session s;
    char *name = xformat("%s.cu", e->lab->name);
    session_start(&s, e->lab, o, name, source, strlen(source));
    if (s.internal)
        die("%s", s.problem);
    bool ok = s.compiled;
    if (ok)
        *c = code_of(s.image, s.image_bytes);
    session_end(&s);
    free(name);
    return ok;
}

static bool any_in(const char *list, const char *names)
{
    char *copy = xstrdup(names), *save = NULL;
    bool found = false;
    for (char *w = strtok_r(copy, " ", &save); w && !found; w = strtok_r(NULL, " ", &save))
        found = word_in(list, w);
    free(copy);
    return found;
}

static bool is_marked(const struct rubric *r, const struct lab_variant *v)
{
    for (int i = 0; i < r->nrows; i++)
        if (!strcmp(r->rows[i].variant, v->name))
            return true;
    return false;
}

/* The variants that rows are about, with a kernel among `kernels` ("*": any), in the lab's order.
 */
static char *variants_with(const struct engine *e, const char *kernels)
{
    struct text t = {0};
    for (int i = 0; i < e->lab->nvariants; i++) {
        const struct lab_variant *v = &e->lab->variants[i];
        if (!is_marked(e->rubric, v))
            continue;
        if (!strcmp(kernels, "*") || any_in(kernels, v->kernels ? v->kernels : v->name))
            text_addf(&t, "%s ", v->name);
    }
    char *all = xstrdup(text_str(&t));
    text_free(&t);
    return all;
}

/* One line: its number, what became of it, the variants it reaches. */
static void try_one(const struct engine *e, const struct engine_options *o,
                    const struct code *original, const struct trial *t, int i, FILE *out)
{
    struct code c;
    if (!compiled(e, o, t->m->source, &c)) {
        fprintf(out, "%d %d -\n", i, NO_CODE);
        return;
    }
    char *kernels = code_changes(original, &c), *only = variants_with(e, kernels);
    enum change change = !*kernels ? SAME_CODE : *only ? OTHER_CODE : NOT_MARKED;
    fprintf(out, "%d %d -%s\n", i, change, only);
    free(kernels);
    free(only);
    code_free(&c);
}

static void read_trials(struct trial *v, int n, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    int i, change, at;
    while (getline(&line, &size, in) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%d %d -%n", &i, &change, &at) != 2 || i < 0 || i >= n)
            die("a compiling worker said \"%s\"", line);
        v[i].change = (enum change)change;
        v[i].only = xstrdup(line + at);
    }
    free(line);
}

/* Compiles all mutants, `jobs` at a time, and finds out what each of them reaches. */
static void compile_all(const struct engine *e, const struct engine_options *o, struct trial *v,
                        int n, int jobs)
{
    struct code original;
    FILE *from[64];
    int fds[2];
    jobs = jobs < 64 ? jobs : 64;
    if (!compiled(e, o, e->solution, &original))
        die("the solution does not compile");
    fflush(NULL);
    for (int k = 0; k < jobs; k++) {
        if (pipe(fds) || !(from[k] = fdopen(fds[0], "r")))
            die("cannot start a worker");
        if (fork()) {
            close(fds[1]);
            continue;
        }
        FILE *out = fdopen(fds[1], "w");
        for (int i = k; i < n; i += jobs)
            try_one(e, o, &original, &v[i], i, out);
        fclose(out);
        _exit(0);
    }
    for (int k = 0; k < jobs; k++) {
        read_trials(v, n, from[k]);
        fclose(from[k]);
        wait(NULL);
    }
    for (int i = 0; i < n; i++)
        if (!v[i].only)
            die("a compiling worker ended before its time");
    code_free(&original);
}

/* The solution's code. A whole program has no kernels to be told apart by: any mutant may reach
 * all. */
static const struct code *program_of(const struct engine *e, const struct engine_options *o,
                                     struct trial *v, int n, struct code *c)
{
    if (!compiled(e, o, e->solution, c))
        die("the solution does not compile");
    for (int i = 0; i < n; i++)
        v[i] = (struct trial){v[i].m, OTHER_CODE, variants_with(e, "*"), false};
    return c;
}

/* ---- mutants: which are caught ---- */

struct tally {
    const struct trial **v; /* those being marked */
    const struct engine *e;
    const struct engine_options *o;
    const struct code *program; /* the solution's, of a whole program; else NULL */
    const char *known;          /* text of mutants/LAB.txt, or NULL */
    int caught, same, equivalent, unloadable, human;
    int done, n; /* so far, of how many */
    bool verbose;
    struct text survivors;
};

/* A line of mutants/LAB.txt: where, the changed line, why it means the same; tabs between.
 * `where` is a variant that it reaches, or * for any. NULL: no such line. */
static char *known_reason(const char *known, const struct trial *t)
{
    char *copy = xstrdup(known ? known : ""), *save = NULL, *reason = NULL;
    for (char *line = strtok_r(copy, "\n", &save); line && !reason;
         line = strtok_r(NULL, "\n", &save)) {
        char *text = strchr(line, '\t'), *why = text ? strchr(text + 1, '\t') : NULL;
        if (*line == '#' || !why)
            continue;
        *text = *why = 0;
        if (!strcmp(text + 1, t->m->text) && (!strcmp(line, "*") || word_in(t->only, line)))
            reason = xstrdup(why + 1);
    }
    free(copy);
    return reason;
}

/* Rows without points count, too: labs watch their given kernels by such rows. */
static bool any_row_fails(const struct verdict *v)
{
    for (int i = 0; i < v->nrows; i++)
        if (!status_loses_nothing(v->rows[i].status))
            return true;
    return false;
}

/* Whole programs are compiled once, to be marked; these that lose nothing once more. */
static bool same_program(const struct tally *t, const struct mutant *m)
{
    struct code c;
    if (!compiled(t->e, t->o, m->source, &c))
        return false;
    char *changes = code_changes(t->program, &c);
    bool same = !*changes;
    free(changes);
    code_free(&c);
    return same;
}

static bool count_mutant(void *user, int item, const struct verdict *v)
{
    struct tally *t = user;
    const struct trial *trial = t->v[item];
    const struct mutant *m = trial->m;
    t->done++;
    t->human += v->needs_human;
    if (v->status != VERDICT_GRADED) { /* no PTX of it can be loaded, or we failed */
        t->unloadable++;
        return true;
    }
    if (any_row_fails(v)) {
        t->caught++;
        return true;
    }
    if (t->program && same_program(t, m)) {
        t->same++;
        return true;
    }
    char *reason = known_reason(t->known, trial);
    t->equivalent += reason != NULL;
    if (t->verbose && !reason)
        fprintf(stderr, "%d of %d: line %d: %s   [%s]\n", t->done, t->n, m->line, m->text,
                trial->only);
    text_addf(&t->survivors, "  line %d: %s -> %s   %s   [%s]%s%s\n", m->line, m->was, m->now,
              m->text, trial->only, reason ? "   means the same: " : "", reason ? reason : "");
    free(reason);
    return true;
}

/* Marks all that reach the same variants, by the rows of these alone: no other row could
 * tell them from the solution. */
static void mark_alike(struct args *a, struct engine_options *o, struct trial *v, int n, int first,
                       struct tally *t)
{
    struct pool_item *items = xzalloc((size_t)n * sizeof(*items));
    int used = 0;
    for (int i = first; i < n; i++) {
        if (v[i].change != OTHER_CODE || v[i].taken || strcmp(v[i].only, v[first].only))
            continue;
        v[i].taken = true;
        t->v[used] = &v[i];
        items[used++] = (struct pool_item){"mutant", v[i].m->source, v[i].m->length};
    }
    o->only = v[first].only;
    if (t->verbose)
        fprintf(stderr, "%d of %d: next %d that reach %s\n", t->done, t->n, used, o->only);
    pool_run(a->lab, o, items, used, a->jobs, count_mutant, NULL, t);
    o->only = NULL;
    free(items);
}

/* Prints the totals; the share caught of those that mean something else. */
static double print_share(const char *lab, const struct trial *v, int n, const struct tally *t)
{
    int code = -t->unloadable, same = t->same, unmarked = 0;
    for (int i = 0; i < n; i++) {
        code += v[i].change != NO_CODE;
        same += v[i].change == SAME_CODE;
        unmarked += v[i].change == NOT_MARKED;
    }
    int counted = code - same - unmarked - t->equivalent;
    double share = counted ? 100.0 * t->caught / counted : 0;
    printf("%s: %d mutants, %d compile, %d to the same code, %d of kernels that no row is about, "
           "%d more mean the same, %d of %d others caught (%.1f %%), %d need a person\n%s",
           lab, n, code, same, unmarked, t->equivalent, t->caught, counted, share, t->human,
           text_str(&t->survivors));
    return share;
}

int cmd_mutate(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "",
        "Changes the lab's solution in one place at a time and prints the share of these "
        "mutants that lose marks, and which do not.",
        0,
        0,
        0};
    struct args a = first_args();
    struct engine_options o;
    struct engine e;
    int all, n = 0;
    size_t length;
    char *known = NULL;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    open_all(&a, &o, &e);
    struct verdict *whole = engine_mark(&e, "solution", e.solution, e.solution_length);
    if (whole->status != VERDICT_GRADED || any_row_fails(whole))
        die("%s: the solution itself does not pass: a share caught would mean nothing", a.lab);
    verdict_free(whole);
    char *path = xformat("%s/grading/mutants/%s.txt", o.root, a.lab);
    file_read_no_link(path, 1 << 20, &known, &length);
    struct mutant *m = mutants_of(e.solution, &all);
    struct trial *v = xzalloc((size_t)(all + 1) * sizeof(*v));
    for (int i = 0; i < all; i += a.every)
        if (!a.last_line || (m[i].line >= a.first_line && m[i].line <= a.last_line))
            v[n++].m = &m[i];
    struct tally t = {
        .v = xzalloc((size_t)(n + 1) * sizeof(*t.v)), .known = known, .verbose = a.verbose};
    struct code program;
    t.e = &e, t.o = &o;
    if (e.lab->program)
        t.program = program_of(&e, &o, v, n, &program);
    else
        compile_all(&e, &o, v, n, a.jobs);
    for (int i = 0; i < n; i++)
        t.n += v[i].change == OTHER_CODE;
    o.first_failure = true;
    o.run_s = 120; /* steps end what is endless: no verdict hangs on how busy this machine is */
    for (int i = 0; i < n; i++)
        if (v[i].change == OTHER_CODE && !v[i].taken)
            mark_alike(&a, &o, v, n, i, &t);
    double share = print_share(a.lab, v, n, &t);
    for (int i = 0; i < n; i++)
        free(v[i].only);
    free(v);
    free(t.v);
    if (t.program)
        code_free(&program);
    text_free(&t.survivors);
    mutants_free(m, all);
    free(known);
    free(path);
    engine_close(&e);
    return share < 98;
}

/* ---- speed ---- */

struct bench {
    int graded;
};

static bool count_graded(void *user, int item, const struct verdict *v)
{
    (void)item;
    ((struct bench *)user)->graded += v->status == VERDICT_GRADED;
    return true;
}

static double processor_s(const struct rusage *r)
{
    return (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) +
           1e-6 * (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec);
}

int cmd_bench(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "",
        "Marks copies of the lab's solution, each different in a comment, and "
        "prints submissions a second, processor time and memory used. The solution that "
        "they are compared with is compiled once for each worker, in that time, too.",
        0,
        0,
        0};
    struct args a = first_args();
    struct engine_options o;
    struct engine e;
    struct bench b = {0};
    struct rusage own, children;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    open_all(&a, &o, &e);
    o.steps = 20000000;
    struct pool_item *items = xzalloc((size_t)a.count * sizeof(*items));
    for (int i = 0; i < a.count; i++) {
        char *source = xformat("%s\n// copy %d\n", e.solution, i);
        items[i] = (struct pool_item){"copy", source, strlen(source)};
    }
    double from = now_s();
    pool_run(a.lab, &o, items, a.count, a.jobs, count_graded, NULL, &b);
    double took = now_s() - from;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    printf("%-16s %d submissions, %d workers: %.2f a second; %.3f s of processor time each; most "
           "memory %.0f MiB (grader), %.0f MiB (largest of workers and boxes)\n",
           a.lab, b.graded, a.jobs, b.graded / took,
           (processor_s(&own) + processor_s(&children)) / a.count, own.ru_maxrss / 1024.0,
           children.ru_maxrss / 1024.0);
    for (int i = 0; i < a.count; i++)
        free((char *)items[i].source);
    free(items);
    engine_close(&e);
    return b.graded != a.count;
}
