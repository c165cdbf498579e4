/* ncu.c - reads Nsight Compute's CSV and gives its counters to a run's results (ncu.h).
 *
 * The file begins with lines "==PROF== …", then one heading line ("ID", …, "Kernel Name", …,
 * a column a metric), one line of units, and one line a launch.
 */
#include "ncu.h"
#include "base/alloc.h"
#include "base/csv.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

/* Of what an SM's warps could be, those that fit: theoretical occupancy, in per cent. */
#define OCCUPANCY "sm__maximum_warps_per_active_cycle_pct"

void ncu_print_metrics(FILE *out)
{
    for (int i = 0; i < ncounters; i++) {
        if (!counter_infos[i].metric[0])
            continue;
        fprintf(out, "%s,", counter_infos[i].metric);
    }
    fprintf(out, "%s\n", OCCUPANCY);
}

/* "1,234.00" */
static uint64_t number(const char *s)
{
    char digits[64];
    size_t n = 0;

    for (; *s && n + 1 < sizeof(digits); s++) {
        if (*s != ',')
            digits[n++] = *s;
    }
    digits[n] = '\0';
    return (uint64_t)(strtod(digits, NULL) + 0.5);
}

static void add_launch(struct entry *r, const struct csv *c, int row, const int *counter_of,
                       int occupancy)
{
    for (int k = 0; k < c->widths[row]; k++) {
        int i = counter_of[k];

        if (i < 0)
            continue;
        counter_set(&r->counters, i, counter_get(&r->counters, i) + number(csv_cell(c, row, k)));
        r->metric_given[i] = true;
    }
    if (occupancy >= 0) /* the last launch's, as on the emulator */
        r->occupancy = strtod(csv_cell(c, row, occupancy), NULL) / 100;
    r->counted = true;
}

static int counter_of_metric(const char *metric)
{
    for (int i = 0; i < ncounters; i++) {
        if (!strcmp(metric, counter_infos[i].metric))
            return i;
    }
    return -1;
}

/* The result that the i-th launch belongs to. */
static struct entry *owner(struct report *p, uint64_t launch)
{
    for (int i = 0; i < p->n; i++) {
        if (p->results[i].verdict != VERDICT_PASS)
            continue;
        if (launch < (uint64_t)p->results[i].amounts.launches)
            return &p->results[i];
        launch -= (uint64_t)p->results[i].amounts.launches;
    }
    return NULL;
}

static uint64_t total_launches(const struct report *p)
{
    uint64_t n = 0;

    for (int i = 0; i < p->n; i++)
        n += p->results[i].verdict == VERDICT_PASS ? (uint64_t)p->results[i].amounts.launches : 0;
    return n;
}

/* Where the table starts: what the program and the profiler said before it is no CSV. NULL: there
 * is none. */
static const char *table_of(const char *file)
{
    for (const char *line = file; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, "\"ID\",", 5) || !strncmp(line, "ID,", 3))
            return line;
    }
    return NULL;
}

/* Is `name`, up to its parameters, one of the words? */
static bool is_among(const char *words, const char *name)
{
    return text_lists(words, name, strcspn(name, "("));
}

/* A kernel of the lab's, and none of a library between them. */
static bool is_labs(const struct lab *lab, const char *name)
{
    for (int i = 0; i < lab->nvariants; i++) {
        const struct lab_variant *v = &lab->variants[i];

        if (is_among(v->kernels ? v->kernels : v->name, name))
            return true;
    }
    return false;
}

static int column_of(const struct csv *c, const char *name)
{
    for (int k = 0; c->nrows && k < c->widths[0]; k++) {
        if (!strcmp(csv_cell(c, 0, k), name))
            return k;
    }
    return -1;
}

/* Is it a launch? The units' line has no ID. lab: only one of its kernels; NULL: any. */
static bool is_launch(const struct csv *c, int row, const struct lab *lab)
{
    int name = column_of(c, "Kernel Name");

    return c->widths[row] == c->widths[0] && *csv_cell(c, row, 0) &&
           (!lab || (name >= 0 && is_labs(lab, csv_cell(c, row, name))));
}

static uint64_t launches_of(const struct csv *c, const struct lab *lab)
{
    uint64_t n = 0;

    for (int row = 1; row < c->nrows; row++)
        n += is_launch(c, row, lab);
    return n;
}

static void merge(struct report *p, const struct csv *c, const struct lab *lab)
{
    int width = c->nrows ? c->widths[0] : 0;
    int *counter_of = xcalloc((size_t)width, sizeof(int));
    int occupancy = column_of(c, OCCUPANCY);
    uint64_t launches = 0;

    for (int k = 0; k < width; k++)
        counter_of[k] = counter_of_metric(csv_cell(c, 0, k));
    for (int row = 1; row < c->nrows; row++) {
        struct entry *r = is_launch(c, row, lab) ? owner(p, launches++) : NULL;

        if (r)
            add_launch(r, c, row, counter_of, occupancy);
    }
    free(counter_of);
}

bool ncu_merge(struct report *p, const char *path, struct text *why)
{
    size_t size;
    char *file = file_load(path, 256u << 20, &size, why);

    if (!file)
        return false;
    const char *table = table_of(file);
    struct csv *c = csv_parse(table ? table : "", table ? strlen(table) : 0);
    uint64_t launches = launches_of(c, NULL);
    bool others = launches != total_launches(p), ok = true;
    if (others) /* a library's kernels are between the lab's */
        ok = launches_of(c, p->lab) == total_launches(p);
    if (ok)
        merge(p, c, others ? p->lab : NULL);
    csv_free(c);
    free(file);
    if (ok)
        return true;
    text_addf(why, "%s: %llu launches; this run has %llu", path, (unsigned long long)launches,
              (unsigned long long)total_launches(p));
    for (int i = 0; i < p->n; i++)
        p->results[i].counted = false;
    return false;
}
