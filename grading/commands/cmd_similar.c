/* cmd_similar.c - grade similar: pairs of submissions that are alike in structure.
 *
 * For a person to read, never a mark: short kernels that do the same thing are alike without
 * anybody having copied. The lab's skeleton is taken away first; sharing the published
 * solution is said, too.
 */
#include "grading/book/book.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "args.h"
#include "commands.h"
#include "grading/mark/session.h"
#include "similar.h"
#include "grading/intake/submissions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
    const char *lab, *book;
    double least;
    int top;
};

static const struct argp_option options[] = {
    {"lab", 'l', "LAB", 0, "The lab", 0},
    BOOK_OPTION,
    {"least", 'm', "PERCENT", 0, "Show pairs that share at least this much (default 80)", 0},
    {"top", 't', "N", 0, "Print this many pairs, the most alike first (default 50)", 0},
    {0}};

static const struct arg_field fields[] = {
    {'l', ARG_TEXT, offsetof(struct args, lab)},
    {'b', ARG_TEXT, offsetof(struct args, book)},
    {'t', ARG_COUNT, offsetof(struct args, top)},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    if (key == 'm') {
        a->least = arg_number(state, arg);
        return 0;
    }
    if (key == ARGP_KEY_END && !a->lab)
        argp_error(state, "--lab LAB is needed");
    return arg_store(fields, key, arg, state);
}

static struct prints prints_of_file(const char *root, const char *folder, const char *lab)
{
    char *path = xformat("%s/%s/%s/%s.cu", root, folder, lab, lab), *source;
    size_t n;
    struct prints p = {NULL, 0};
    if (!file_read_no_link(path, SUBMISSION_MAX_BYTES, &source, &n)) {
        p = prints_of(source);
        free(source);
    }
    free(path);
    return p;
}

struct text_of {
    char *source;
    struct prints prints;
    double published; /* share that is the published solution's */
};

struct pair {
    int a, b; /* b < 0: the published solution */
    double share;
};

static int most_first(const void *x, const void *y)
{
    const struct pair *a = x, *b = y;
    int by_share = (a->share < b->share) - (a->share > b->share);
    return by_share ? by_share : a->a != b->a ? a->a - b->a : a->b - b->b;
}

static void add_pair(struct pair **v, int *n, struct pair p)
{
    if ((*n & (*n - 1)) == 0)
        *v = xrealloc(*v, (size_t)(*n ? 2 * *n : 1) * sizeof(**v));
    (*v)[(*n)++] = p;
}

static void print_pair(const struct mark *marks, const struct pair *p)
{
    const struct mark *a = &marks[p->a], *b = p->b < 0 ? NULL : &marks[p->b];
    struct text line = {0}, safe = {0};
    text_addf(&line, "%s %s  =  %s %s", a->student, a->person,
              b ? b->student : "the published solution", b ? b->person : "");
    text_printable(&safe, line.s, line.length, false);
    printf("%5.1f %%  %s\n", 100 * p->share, text_str(&safe));
    text_free(&line);
    text_free(&safe);
}

static struct pair *find_pairs(const struct text_of *v, int n, double least, int *npairs)
{
    struct pair *pairs = NULL;
    *npairs = 0;
    for (int i = 0; i < n; i++) {
        if (v[i].source && v[i].published >= least)
            add_pair(&pairs, npairs, (struct pair){i, -1, v[i].published});
        for (int k = i + 1; v[i].source && k < n; k++) {
            double share = v[k].source ? prints_overlap(&v[i].prints, &v[k].prints) : 0;
            if (share >= least)
                add_pair(&pairs, npairs, (struct pair){i, k, share});
        }
    }
    if (*npairs)
        qsort(pairs, (size_t)*npairs, sizeof(*pairs), most_first);
    return pairs;
}

/* Of each student what counts, whichever run it came in with. */
static struct text_of *read_texts(struct book *b, const struct mark *marks, int n,
                                  const struct engine_options *o, const char *lab)
{
    struct prints skeleton = prints_of_file(o->root, "labs", lab),
                  solution = prints_of_file(o->root, "solutions", lab);
    struct text_of *v = xzalloc((size_t)(n + 1) * sizeof(*v));
    prints_subtract(&solution, &skeleton);
    for (int i = 0; i < n; i++) {
        size_t length;
        v[i].source = book_source(b, marks[i].run, marks[i].student, &length);
        if (!v[i].source)
            continue;
        v[i].prints = prints_of(v[i].source);
        prints_subtract(&v[i].prints, &skeleton);
        v[i].published = prints_overlap(&v[i].prints, &solution);
    }
    prints_free(&skeleton);
    prints_free(&solution);
    return v;
}

int cmd_similar(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "", "Lists pairs alike in structure. Read them; never mark by them.",
        0,       0,     0};
    struct args a = {.book = "grades.db", .least = 80, .top = 50};
    struct engine_options o;
    int n, npairs;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    struct book *b = read_book(a.book);
    struct mark *marks = marks_of(b, a.lab, true, &n);
    struct text_of *v = read_texts(b, marks, n, &o, a.lab);
    struct pair *pairs = find_pairs(v, n, a.least / 100, &npairs);
    for (int i = 0; i < npairs && i < a.top; i++)
        print_pair(marks, &pairs[i]);
    if (npairs > a.top)
        printf("… and %d more: --top %d shows all\n", npairs - a.top, npairs);
    printf("%d pairs among %d students share %g %% or more of what is not the skeleton's: for a "
           "person to read, no verdict\n",
           npairs, n, a.least);
    for (int i = 0; i < n; i++) {
        free(v[i].source);
        prints_free(&v[i].prints);
    }
    free(v);
    free(pairs);
    book_marks_free(marks, n);
    book_close(b);
    return 0;
}
