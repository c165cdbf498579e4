/* cmd_mutate.c - grade mutate, bench: how much of what is wrong is caught, and how fast. */
#include "commands.h"
#include "mutate.h"
#include "pool.h"
#include "report.h"
#include "submissions.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct args {
    const char *lab;
    int jobs, every, count;
};

static const struct argp_option options[] = {
    {"lab", 'l', "LAB", 0, "The lab", 0},
    {"jobs", 'j', "N", 0, "Submissions at a time (default: as many as there are cores)", 0},
    {"every", 'e', "N", 0, "mutate: only every N-th mutant", 0},
    {"count", 'n', "N", 0, "bench: how many submissions (default 100)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 'l':
        a->lab = arg;
        return 0;
    case 'j':
        a->jobs = atoi(arg);
        return 0;
    case 'e':
        a->every = atoi(arg) > 0 ? atoi(arg) : 1;
        return 0;
    case 'n':
        a->count = atoi(arg) > 0 ? atoi(arg) : 1;
        return 0;
    case ARGP_KEY_END:
        if (!a->lab)
            argp_error(state, "--lab LAB is needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void open_all(struct args *a, struct engine_options *o, struct engine *e)
{
    char err[4096];
    engine_defaults(o);
    o->secret = "selftest-secret";
    o->steps = 5000000;
    if (!sandbox_or_refuse(o, false))
        exit(2);
    if (!engine_open(e, a->lab, o, err, sizeof(err)))
        gr_die("%s", err);
    if (!e->solution)
        gr_die("there is no solutions/%s/%s.cu", a->lab, a->lab);
}

/* ---- mutants ---- */

struct tally {
    const struct mutant *v;
    int stride;
    const char *known; /* text of mutants/LAB.txt, or NULL */
    int compiled, caught, equivalent, human;
    struct text survivors;
};

static int line_of(const char *source, const char *at)
{
    int line = 1;
    for (; source < at; source++)
        line += *source == '\n';
    return line;
}

/* The lines of a function's body; false when the source defines none of this name. */
static bool body_of(const char *source, const char *name, int *from, int *to)
{
    size_t n = strlen(name);
    for (const char *p = strstr(source, name); p; p = strstr(p + n, name)) {
        const char *open = p + n + strcspn(p + n, "{;");
        if (p == source || (p[-1] != ' ' && p[-1] != '*') || p[n] != '(' || *open != '{')
            continue;
        int depth = 0;
        const char *end = open;
        do {
            depth += (*end == '{') - (*end == '}');
        } while (*++end && depth);
        *from = line_of(source, p);
        *to = line_of(source, end);
        return true;
    }
    return false;
}

/* Among the words of names, a function whose body holds this line. */
static bool in_one_of(const struct engine *e, const char *names, int line)
{
    char *list = gr_strdup(names ? names : ""), *save = NULL;
    bool found = false;
    int from, to;
    for (char *name = strtok_r(list, " ", &save); name && !found; name = strtok_r(NULL, " ", &save))
        found = body_of(e->solution, name, &from, &to) && line >= from && line <= to;
    free(list);
    return found;
}

/* True when line lies in a kernel that the lab gives away: no row of the rubric is about it. */
static bool is_given(const struct engine *e, int line)
{
    bool given = false;
    for (int i = 0; i < e->lab->nvariants; i++) {
        const struct lab_variant *v = &e->lab->variants[i];
        bool marked = false;
        for (int k = 0; k < e->rubric->nrows; k++)
            marked = marked || !strcmp(e->rubric->rows[k].variant, v->name);
        bool here = in_one_of(e, v->name, line) || in_one_of(e, v->kernels, line);
        if (here && marked)
            return false;
        given = given || here;
    }
    return given;
}

/* Leaves out mutants of given kernels. */
static int keep_marked(const struct engine *e, struct mutant *v, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (is_given(e, v[i].line))
            mutant_free(&v[i]);
        else
            v[kept++] = v[i];
    }
    return kept;
}

/* The reason why this mutant means the same as the original, or NULL. */
static char *known_reason(const char *known, const char *text)
{
    size_t n = strlen(text);
    for (const char *line = known; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, text, n) && line[n] == '\t')
            return gr_format("%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
    return NULL;
}

/* Rows without points count, too: labs watch their given kernels by such rows. */
static bool any_row_fails(const json_t *v)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(v, "rows"), i,
                       row) if (!word_in("pass skipped", json_text(row, "status"))) return true;
    return false;
}

static bool count_mutant(void *user, int item, json_t *v)
{
    struct tally *t = user;
    const struct mutant *m = &t->v[item * t->stride];
    if (strcmp(json_text(v, "status"), "graded"))
        return true; /* not compiled: nobody hands that in as an answer */
    t->compiled++;
    if (json_is_true(json_object_get(v, "needs_human")))
        t->human++;
    if (any_row_fails(v)) {
        t->caught++;
        return true;
    }
    char *reason = known_reason(t->known, m->text);
    t->equivalent += reason != NULL;
    text_addf(&t->survivors, "  line %d: %s -> %s   %s%s%s\n", m->line, m->was, m->now, m->text,
              reason ? "   means the same: " : "", reason ? reason : "");
    free(reason);
    return true;
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
    struct args a = {.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN), .every = 1};
    struct engine_options o;
    struct engine e;
    int n;
    size_t length;
    char *known = NULL;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    open_all(&a, &o, &e);
    json_t *whole = engine_mark(&e, "solution", e.solution, e.solution_length);
    if (strcmp(json_text(whole, "status"), "graded") || any_row_fails(whole))
        gr_die("%s: the solution itself does not pass: a share caught would mean nothing", a.lab);
    json_decref(whole);
    char *path = gr_format("%s/grading/mutants/%s.txt", o.root, a.lab);
    file_read(path, 1 << 20, &known, &length);
    struct mutant *v = mutants_of(e.solution, &n);
    n = keep_marked(&e, v, n);
    int used = (n + a.every - 1) / a.every;
    struct pool_item *items = gr_alloc((size_t)(used + 1) * sizeof(*items));
    for (int i = 0; i < used; i++)
        items[i] = (struct pool_item){"mutant", v[i * a.every].source, v[i * a.every].length};
    struct tally t = {.v = v, .stride = a.every, .known = known};
    pool_run(a.lab, &o, items, used, a.jobs, count_mutant, NULL, &t);
    int counted = t.compiled - t.equivalent;
    double share = counted ? 100.0 * t.caught / counted : 0;
    printf("%s: %d mutants, %d compile, %d mean the same, %d of %d others caught (%.1f %%), %d "
           "need a person\n%s",
           a.lab, used, t.compiled, t.equivalent, t.caught, counted, share, t.human,
           text_str(&t.survivors));
    text_free(&t.survivors);
    mutants_free(v, n);
    free(items);
    free(known);
    free(path);
    engine_close(&e);
    return share < 98;
}

/* ---- speed ---- */

struct bench {
    int graded;
};

static bool count_graded(void *user, int item, json_t *v)
{
    (void)item;
    ((struct bench *)user)->graded += !strcmp(json_text(v, "status"), "graded");
    return true;
}

int cmd_bench(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "",
        "Marks copies of the lab's solution, each different in a comment, and "
        "prints submissions a second and memory used.",
        0,
        0,
        0};
    struct args a = {.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN), .count = 100};
    struct engine_options o;
    struct engine e;
    struct bench b = {0};
    struct rusage own, children;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    open_all(&a, &o, &e);
    o.steps = 20000000;
    struct pool_item *items = gr_alloc((size_t)a.count * sizeof(*items));
    for (int i = 0; i < a.count; i++) {
        char *source = gr_format("%s\n// copy %d\n", e.solution, i);
        items[i] = (struct pool_item){"copy", source, strlen(source)};
    }
    double from = now_s();
    pool_run(a.lab, &o, items, a.count, a.jobs, count_graded, NULL, &b);
    double took = now_s() - from;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    printf("%-16s %d submissions, %d workers: %.2f a second; most memory %.0f MiB (grader), %.0f "
           "MiB (largest of workers and boxes)\n",
           a.lab, b.graded, a.jobs, b.graded / took, own.ru_maxrss / 1024.0,
           children.ru_maxrss / 1024.0);
    for (int i = 0; i < a.count; i++)
        free((char *)items[i].source);
    free(items);
    engine_close(&e);
    return b.graded != a.count;
}
