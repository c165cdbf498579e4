/* ncu.c - reads Nsight Compute's CSV and gives its counters to a run's results (ncu.h).
 *
 * The file begins with lines "==PROF== …", then one heading line ("ID", …, "Kernel Name", …,
 * a column a metric), one line of units, and one line a launch.
 */
#include "ncu.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 1024 /* ncu adds hundreds of device attributes */

void ncu_print_metrics(FILE *out)
{
    const char *comma = "";

    for (int i = 0; i < ncounters; i++) {
        if (!counter_infos[i].metric[0])
            continue;
        fprintf(out, "%s%s", comma, counter_infos[i].metric);
        comma = ",";
    }
    fputc('\n', out);
}

/* Splits a line of quoted cells in place. */
static int split(char *line, char *fields[MAX_FIELDS])
{
    int n = 0;

    while (n < MAX_FIELDS) {
        char *w;

        fields[n++] = w = line;
        if (*line == '"') {
            for (line++; *line && (*line != '"' || line[1] == '"'); *w++ = *line++)
                line += *line == '"';
            line += *line == '"';
        } else {
            while (*line && *line != ',')
                *w++ = *line++;
        }
        if (*line != ',') {
            *w = '\0';
            return n;
        }
        line++;
        *w = '\0';
    }
    return n;
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

static void add_launch(struct entry *r, char *const *fields, int n, const int *counter_of)
{
    for (int f = 0; f < n; f++) {
        int c = counter_of[f];

        if (c < 0)
            continue;
        counter_set(&r->counters, c, counter_get(&r->counters, c) + number(fields[f]));
        r->metric_given[c] = true;
    }
    r->counted = true;
}

static void read_heading(char *const *fields, int n, int *counter_of)
{
    for (int f = 0; f < n; f++) {
        counter_of[f] = -1;
        for (int c = 0; c < ncounters; c++) {
            if (!strcmp(fields[f], counter_infos[c].metric))
                counter_of[f] = c;
        }
    }
}

/* The result that the i-th launch belongs to. */
static struct entry *owner(struct report *p, uint64_t launch)
{
    for (int i = 0; i < p->n; i++) {
        if (p->results[i].verdict != VERDICT_PASS)
            continue;
        if (launch < p->results[i].launches)
            return &p->results[i];
        launch -= p->results[i].launches;
    }
    return NULL;
}

static uint64_t total_launches(const struct report *p)
{
    uint64_t n = 0;

    for (int i = 0; i < p->n; i++)
        n += p->results[i].verdict == VERDICT_PASS ? p->results[i].launches : 0;
    return n;
}

bool ncu_merge(struct report *p, const char *path, char *err, size_t errsize)
{
    size_t size;
    char *file = file_load(path, 256u << 20, &size, err, errsize), *rest = file, *line;
    int counter_of[MAX_FIELDS], width = 0;
    uint64_t launches = 0;

    if (!file)
        return false;
    while ((line = strsep(&rest, "\n"))) {
        char *fields[MAX_FIELDS];
        int n = split(line, fields);

        if (!width && !strcmp(fields[0], "ID")) {
            width = n;
            read_heading(fields, n, counter_of);
        } else if (width && n == width && fields[0][0]) { /* the units' line has no ID */
            struct entry *r = owner(p, launches++);

            if (r)
                add_launch(r, fields, n, counter_of);
        }
    }
    free(file);
    if (launches == total_launches(p))
        return true;
    snprintf(err, errsize, "%s: %llu launches; this run has %llu", path,
             (unsigned long long)launches, (unsigned long long)total_launches(p));
    for (int i = 0; i < p->n; i++)
        p->results[i].counted = false;
    return false;
}
