/* records.c - a run as CSV and JSON, columns as RECORDS.md lists them (report.h).
 *
 * Both come from one list of cells, so that they cannot differ.
 */
#include "report.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if __has_include("version.h")
#include "version.h"
#endif
#ifndef WARPLAB_VERSION
#define WARPLAB_VERSION ""
#endif

#define MAX_CELLS (COUNTER_COUNT + 40) /* 40 columns are no counters */

enum cell_kind { CELL_EMPTY, CELL_TEXT, CELL_COUNT, CELL_REAL };
struct cell {
    const char *column;
    enum cell_kind kind;
    const char *text;
    int64_t count;
    double real;
};
struct row {
    struct cell cells[MAX_CELLS];
    int n;
    char block[40], grid[40]; /* what two of the cells point to */
};

static void put(struct row *r, struct cell cell)
{
    if (r->n == MAX_CELLS)
        abort(); /* a column more than is counted above */
    r->cells[r->n++] = cell;
}

static void text(struct row *r, const char *column, const char *value)
{
    put(r, (struct cell){
               .column = column, .kind = value && *value ? CELL_TEXT : CELL_EMPTY, .text = value});
}

static void count(struct row *r, const char *column, uint64_t value)
{
    put(r, (struct cell){.column = column, .kind = CELL_COUNT, .count = (int64_t)value});
}

/* NaN, infinite and (when 0 means "not available") zero leave the cell empty. */
static void real(struct row *r, const char *column, double value, bool available)
{
    put(r, (struct cell){.column = column,
                         .kind = available && isfinite(value) ? CELL_REAL : CELL_EMPTY,
                         .real = value});
}

/* "256", or "16x16": extents behind the last that is not 1 are left out. */
static void shape(struct row *r, const char *column, const uint32_t extent[3], char cell[40])
{
    if (extent[2] > 1)
        snprintf(cell, 40, "%ux%ux%u", extent[0], extent[1], extent[2]);
    else if (extent[1] > 1)
        snprintf(cell, 40, "%ux%u", extent[0], extent[1]);
    else
        snprintf(cell, 40, "%u", extent[0]);
    text(r, column, cell);
}

static void add_input(struct row *r, const struct report *p, const struct entry *x)
{
    text(r, "lab", p->lab->name);
    text(r, "variant", x->variant->name);
    text(r, "number", x->variant->number);
    text(r, "case", x->input->name);
    count(r, "n", x->input->n);
    count(r, "m", x->input->m);
    count(r, "k", x->input->k);
    count(r, "param", (uint64_t)x->input->param);
    text(r, "dtype", dtype_name(x->input->dtype));
    count(r, "op", (uint64_t)x->input->op);
    count(r, "seed", x->seed);
    shape(r, "block", x->block, r->block);
    shape(r, "grid", x->grid, r->grid);
    count(r, "items", x->items);
    count(r, "launches", (uint64_t)x->amounts.launches);
}

static void add_times(struct row *r, const struct report *p, const struct entry *x)
{
    static const char *const verdicts[] = {"skip", "pass", "fail"};
    const struct spread *h = &x->time.hot, *c = &x->time.cold;
    double ms = entry_ms(x);
    bool timed = h->reps || c->reps;

    text(r, "device", p->machine->device);
    text(r, "backend", p->machine->emulator ? "emulator" : "gpu");
    text(r, "evidence", !timed ? "" : p->machine->emulator ? "modelled" : "measured");
    text(r, "correct", verdicts[x->verdict]);
    count(r, "reps", (uint64_t)(h->reps > c->reps ? h->reps : c->reps));
    real(r, "hot_ms", h->median, h->reps);
    real(r, "hot_lo_ms", h->lo, h->reps);
    real(r, "hot_hi_ms", h->hi, h->reps);
    real(r, "cold_ms", c->median, c->reps);
    real(r, "cold_lo_ms", c->lo, c->reps);
    real(r, "cold_hi_ms", c->hi, c->reps);
    real(r, "bytes", x->amounts.bytes, true);
    real(r, "flops", x->amounts.flops, true);
    real(r, "gbps", x->amounts.bytes / ms / 1e6, ms > 0 && x->amounts.bytes > 0);
    real(r, "gflops", x->amounts.flops / ms / 1e6, ms > 0 && x->amounts.flops > 0);
    real(r, "step", x->step, x->step > 0);
    real(r, "cumulative", x->cumulative, x->cumulative > 0);
}

static void add_counters(struct row *r, const struct report *p, const struct entry *x)
{
    text(r, "counters_evidence", !x->counted ? "" : p->machine->emulator ? "counted" : "measured");
    for (int i = 0; i < ncounters; i++) {
        if (x->counted && x->metric_given[i])
            count(r, counter_infos[i].name, counter_get(&x->counters, i));
        else
            text(r, counter_infos[i].name, "");
    }
    real(r, "occupancy", x->occupancy, x->occupancy > 0);
    text(r, "bound", x->bound);
}

static void fill_row(struct row *r, const struct report *p, const struct entry *x, const char *date)
{
    r->n = 0;
    add_input(r, p, x);
    add_times(r, p, x);
    add_counters(r, p, x);
    text(r, "date", date);
    text(r, "version", WARPLAB_VERSION);
    real(r, "clock_mhz", p->clock_mhz, p->clock_mhz > 0);
    real(r, "error_l1", x->error_l1, x->verdict == VERDICT_PASS);
    real(r, "error_max", x->error_max, x->verdict == VERDICT_PASS);
}

static void today(char date[32])
{
    time_t now = time(NULL);
    struct tm tm;

    strftime(date, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

static void put_cell(struct text *t, const struct cell *c)
{
    char number[40] = "";

    if (c->kind == CELL_COUNT)
        snprintf(number, sizeof(number), "%lld", (long long)c->count);
    else if (c->kind == CELL_REAL)
        snprintf(number, sizeof(number), "%.9g", c->real);
    csv_put_exact(t, c->kind == CELL_TEXT ? c->text : number);
}

bool records_csv(const struct report *p, const char *path, struct text *why)
{
    struct entry none = {.variant = p->lab->variants, .input = p->lab->cases};
    struct text t = {0};
    char date[32];

    today(date);
    text_add(&t, "# command: ");
    text_printable(&t, p->command, strlen(p->command), false);
    csv_end(&t);
    for (int i = -1; i < p->n; i++) { /* -1: the heading line */
        struct row r;

        fill_row(&r, p, i < 0 ? &none : &p->results[i], date);
        for (int c = 0; c < r.n && i < 0; c++)
            csv_put_exact(&t, r.cells[c].column);
        for (int c = 0; c < r.n && i >= 0; c++)
            put_cell(&t, &r.cells[c]);
        csv_end(&t);
    }
    bool ok = file_save(path, t.s, t.length, why);
    text_free(&t);
    return ok;
}

static json_t *json_row(const struct row *r)
{
    json_t *object = json_object();

    for (int i = 0; i < r->n; i++) {
        const struct cell *c = &r->cells[i];
        json_t *value = c->kind == CELL_TEXT    ? json_string(c->text)
                        : c->kind == CELL_COUNT ? json_integer(c->count)
                        : c->kind == CELL_REAL  ? json_real(c->real)
                                                : json_null();

        json_object_set_new(object, c->column, value ? value : json_null());
    }
    return object;
}

bool records_json(const struct report *p, const char *path, struct text *why)
{
    json_t *rows = json_array();
    char date[32];

    today(date);
    for (int i = 0; i < p->n; i++) {
        struct row r;

        fill_row(&r, p, &p->results[i], date);
        json_array_append_new(rows, json_row(&r));
    }
    json_t *top = json_pack("{s:s, s:o}", "command", p->command, "rows", rows);
    char *dump = json_dumps(top, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(top);
    bool ok = dump && file_save(path, dump, strlen(dump), why);
    free(dump);
    return ok;
}
