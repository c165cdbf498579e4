/* cmd_rungs.c - grade rungs: what the rung before gets in each row that asks for speed, as a table
 * of Markdown. A file of the bank says with `// rung: ROW` that it is that rung.
 *
 * `make rungs` keeps it in grading/cheats/rungs-emulator.md, on a GPU in rungs-gpu.md;
 * cheats_test.c says what is missing there. Rows that are not measured are named below the table.
 */
#include "args.h"
#include "cheats.h"
#include "commands.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rungs_args {
    const char *lab;
    bool gpu;
};

static const struct rubric_row *rubric_row_named(const struct rubric *r, const char *id)
{
    for (int i = 0; i < r->nrows; i++)
        if (!strcmp(r->rows[i].id, id))
            return &r->rows[i];
    return NULL;
}

static const struct verdict_row *row_named(const struct verdict *v, const char *id)
{
    for (int i = 0; i < v->nrows; i++)
        if (!strcmp(v->rows[i].id, id))
            return &v->rows[i];
    return NULL;
}

/* How many times the reference's speed, on the row's first case and whatever else it asks for: NAN
 * where it did not run. */
static double speed_of(struct engine *e, const struct known_file *f, const char *source,
                       const struct rubric_row *asked)
{
    const struct rubric *all = e->rubric;
    struct rubric_row row = *asked;
    char *first = xformat("%.*s", (int)strcspn(asked->cases, " "), asked->cases);
    row.cases = first;
    row.gate = NULL;
    row.ratio = row.gpu_ratio = 1e-9; /* it always passes */
    struct rubric alone = *all;
    alone.rows = &row;
    alone.nrows = 1;
    e->rubric = &alone;
    struct verdict *v = engine_mark(e, f->path, source, strlen(source));
    const struct verdict_row *r = row_named(v, row.id);
    double speed = r ? r->counted : NAN;
    e->rubric = all;
    verdict_free(v);
    free(first);
    return speed;
}

/* A row of the table. False: it gets what it is not to get. */
static bool print_rung(struct engine *e, struct engine_options *o, const struct known_file *f,
                       const struct expect *x, const char *source)
{
    const struct rubric_row *asked = rubric_row_named(e->rubric, x->rung);
    if (!asked)
        die("%s: there is no row %s", f->path, x->rung);
    if (o->measure && !row_measured(asked))
        return true;
    o->only = x->only;
    struct verdict *v = engine_mark(e, f->path, source, strlen(source));
    const struct verdict_row *r = row_named(v, x->rung);
    if (!r)
        die("%s: it is not marked by the row %s", f->path, x->rung);
    double speed = speed_of(e, f, source, asked);
    printf("| %s | %s | `%s` | %.2f | ", f->lab, x->rung, known_name(f),
           row_ratio(asked, o->measure));
    if (isfinite(speed))
        printf("%.2f (%s)", speed, o->measure ? "measured" : "modelled");
    printf(" | %s: %s |\n", status_words(r->status)->word, or_empty(r->why));
    bool ok = r->status == STATUS_FAIL;
    verdict_free(v);
    return ok;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct rungs_args *a = state->input;
    if (key == 'l')
        a->lab = arg;
    else if (key == 'g')
        a->gpu = true;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static bool print_lab(struct engine_options *o, const char *lab)
{
    struct engine e;
    bool ok = true;
    int n;
    open_engine(&e, lab, o);
    struct engine_options here = *o;
    here.measure = false; /* the bank has other files for a GPU */
    struct known_file *v = known_files(&here, lab, &n);
    for (int i = 0; i < n; i++) {
        struct expect x;
        if (strcmp(v[i].kind, "wrong"))
            continue;
        char *source = cheats_read(&v[i], &x);
        ok &= !x.rung || print_rung(&e, o, &v[i], &x, source);
        fflush(stdout);
        expect_free(&x);
        free(source);
    }
    known_files_free(v, n);
    engine_close(&e);
    return ok;
}

static void print_head(const struct engine_options *o)
{
    printf(
        "# The rung before, where speed is asked for: %s\n"
        "Written by `make rungs%s`. A file that does what the rung before does is handed in for "
        "the "
        "row's rung, and is not to pass. Its speed is in times of the reference solution's, on the "
        "first of the row's cases. Where another condition of the row's fails it before time does, "
        "the last column says which. The files are in labs/LAB/wrong; names without .cu are edits "
        "of the solution in its edits.txt.\n\n"
        "| lab | row | the rung before | speed asked | its speed | what it gets |\n"
        "| --- | --- | --- | --- | --- | --- |\n",
        o->measure ? "measured" : "modelled", o->measure ? " GPU=1" : "");
}

/* Rows that no GPU's time decides: nothing is missing above without a word here. */
static void print_not_measured(const char *lab)
{
    bool first = true;
    for (int i = 0; i < all_rubrics_count; i++) {
        const struct rubric *r = all_rubrics[i];
        for (int k = 0; k < r->nrows && (!lab || !strcmp(lab, r->lab)); k++) {
            if (r->rows[k].kind != ROW_SPEED || row_measured(&r->rows[k]))
                continue;
            printf("%s- `%s` %s: asks for modelled times on a GPU, too; "
                   "[its rubric](../../labs/%s/grader.c) says why.\n",
                   first ? "\nNot measured:\n" : "", r->lab, r->rows[k].id, r->lab);
            first = false;
        }
    }
}

int cmd_rungs(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"gpu", 'g', 0, 0, "Measure on this machine's GPU", 0},
        {"lab", 'l', "LAB", 0, "One lab; otherwise all", 0},
        {0}};
    static const struct argp argp = {
        options,
        parse,
        "",
        "Hands in each rung for the next one, and prints what it gets where speed is asked for.",
        0,
        0,
        0};
    struct rungs_args a = {0};
    struct engine_options o;
    bool ok = true;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    if (!sandbox_or_refuse(&o, false) || (a.gpu && !gpu_or_refuse(&o)))
        return 2;
    print_head(&o);
    for (int i = 0; i < all_rubrics_count; i++)
        if (!a.lab || !strcmp(a.lab, all_rubrics[i]->lab))
            ok &= print_lab(&o, all_rubrics[i]->lab);
    if (o.measure)
        print_not_measured(a.lab);
    return !ok;
}
