/* cmd_similar.c - grade similar: pairs of submissions that are alike in structure.
 *
 * For a person to read, never a mark: short kernels that do the same thing are alike without
 * anybody having copied. The lab's skeleton is taken away first; sharing the published
 * solution is said, too.
 */
#include "book.h"
#include "commands.h"
#include "session.h"
#include "similar.h"
#include "submissions.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
    const char *lab, *book;
    double least;
};

static const struct argp_option options[] = {
    {"lab", 'l', "LAB", 0, "The lab", 0},
    {"book", 'b', "FILE", 0, "The gradebook (default: grades.db)", 0},
    {"least", 'm', "PERCENT", 0, "Show pairs that share at least this much (default 80)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 'l':
        a->lab = arg;
        return 0;
    case 'b':
        a->book = arg;
        return 0;
    case 'm':
        a->least = atof(arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->lab)
            argp_error(state, "--lab LAB is needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct prints prints_of_file(const char *root, const char *folder, const char *lab)
{
    char *path = gr_format("%s/%s/%s/%s.cu", root, folder, lab, lab), *source;
    size_t n;
    struct prints p = {NULL, 0};
    if (!file_read(path, SUBMISSION_MAX_BYTES, &source, &n)) {
        p = prints_of(source);
        free(source);
    }
    free(path);
    return p;
}

static void print_pair(const char *a, const char *b, double share)
{
    struct text t = {0};
    text_printable(&t, a, strlen(a), false);
    text_add(&t, "  ");
    text_printable(&t, b, strlen(b), false);
    printf("%5.1f %%  %s\n", 100 * share, text_str(&t));
    text_free(&t);
}

int cmd_similar(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "", "Lists pairs alike in structure. Read them; never mark by them.",
        0,       0,     0};
    struct args a = {.book = "grades.db", .least = 80};
    struct engine_options o;
    char err[512];
    int n, pairs = 0;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    if (access(a.book, R_OK))
        gr_die("there is no gradebook %s", a.book);
    struct book *b = book_open(a.book, err, sizeof(err));
    if (!b) {
        fprintf(stderr, "grade: %s\n", err);
        return 2;
    }
    struct prints skeleton = prints_of_file(o.root, "labs", a.lab),
                  solution = prints_of_file(o.root, "solutions", a.lab);
    prints_subtract(&solution, &skeleton);
    struct book_item *v = book_sources(b, book_last_run(b, a.lab), &n);
    struct prints *p = gr_alloc((size_t)(n + 1) * sizeof(*p));
    for (int i = 0; i < n; i++) {
        p[i] = prints_of(v[i].source);
        prints_subtract(&p[i], &skeleton);
        double published = prints_overlap(&p[i], &solution);
        if (published * 100 >= a.least)
            print_pair(v[i].student, "(the published solution)", published);
    }
    for (int i = 0; i < n; i++) {
        for (int k = i + 1; k < n; k++) {
            double share = prints_overlap(&p[i], &p[k]);
            if (share * 100 < a.least)
                continue;
            print_pair(v[i].student, v[k].student, share);
            pairs++;
        }
    }
    printf("%d pairs among %d submissions share %g %% or more of what is not the skeleton's: for a "
           "person to read, no verdict\n",
           pairs, n, a.least);
    for (int i = 0; i < n; i++)
        prints_free(&p[i]);
    free(p);
    prints_free(&skeleton);
    prints_free(&solution);
    book_items_free(v, n);
    book_close(b);
    return 0;
}
