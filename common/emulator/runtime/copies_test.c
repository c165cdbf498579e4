/* copies_test.c - modelled times of copies, and of what overlaps, beside those of an H200
 * (profiles/copies-h200.csv, which profiles/copies.cu measured; between two of them
 * profiles/peers-h200.csv, by profiles/peers.cu).
 *
 * Where a row is of a kernel or waits in a function of its own, the host's part is not the model's:
 * it is taken from the record's own empty launch.
 */
#include "cudart.h"
#include "base/csv.h"
#include "base/file.h"
#include "emulator/count/model.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 4 };

struct row {
    const char *what, *memory, *way;
    uint64_t bytes;
    int chunks;
    double ms;
};

static struct csv *csv;
static double waiting; /* ms of an empty launch that are not the device's */

static struct row row_at(int i)
{
    return (struct row){.what = csv_cell(csv, i, csv_column(csv, "what")),
                        .memory = csv_cell(csv, i, csv_column(csv, "memory")),
                        .way = csv_cell(csv, i, csv_column(csv, "way")),
                        .bytes = strtoull(csv_cell(csv, i, csv_column(csv, "bytes")), NULL, 10),
                        .chunks = atoi(csv_cell(csv, i, csv_column(csv, "chunks"))),
                        .ms = atof(csv_cell(csv, i, csv_column(csv, "ms")))};
}

static double measured(const char *what)
{
    for (int i = 1; i < csv->nrows; i++)
        if (!strcmp(row_at(i).what, what))
            return row_at(i).ms;
    cr_assert_fail("no row %s", what);
    return 0;
}

static void read_file(const char *path)
{
    struct text why = {0};
    size_t length;
    char *text = file_load(path, 1 << 20, &length, &why);
    cr_assert(text, "%s", text_str(&why));
    char *rows = strchr(text, '\n') + 1; /* behind the command */

    csv = csv_parse(rows, strlen(rows));
    free(text);
}

static void read_rows(void)
{
    read_file("common/emulator/profiles/copies-h200.csv");
    waiting = measured("launch") - device_profile()->launch_overhead_us * 1e-3;
}

static double copy_ms(const struct row *r, enum copy_memory memory)
{
    enum copy_way way = strcmp(r->way, "in") ? COPY_OUT : COPY_IN;

    return model_copy_ms(device_profile(), r->bytes, (struct copy_path){way, memory});
}

/* A kernel that does nothing but use the host's memory. */
static double mapped_ms(const struct row *r)
{
    struct counters none = {0};
    struct model_launch l = {.blocks = 1, .threads_per_block = 32, .occupancy.blocks_per_sm = 1};
    struct emu_result out;

    l.sampled.known = true;
    l.sampled.host_in_sectors = strcmp(r->way, "out") ? (r->bytes + 31) / 32 : 0;
    l.sampled.host_out_sectors = strcmp(r->way, "in") ? (r->bytes + 31) / 32 : 0;
    model_time(&none, &l, device_profile(), &out);
    return out.modelled_ms;
}

static double managed_ms(const struct row *r)
{
    const struct device_profile *d = device_profile();

    if (!strcmp(r->what, "prefetch"))
        return copy_ms(r, MANAGED_MEMORY);
    if (!strcmp(r->way, "in"))
        return waiting + d->launch_overhead_us * 1e-3 + model_fault_ms(d, r->bytes, true);
    return model_fault_ms(d, r->bytes, false);
}

/* As in copies.cu, each kernel with its share of the whole one's measured time. */
static double overlapped_ms(const struct row *r, double kernel)
{
    const struct copy_path in = {COPY_IN, PINNED_MEMORY}, out = {COPY_OUT, PINNED_MEMORY};
    uint64_t bytes = r->bytes / (uint64_t)r->chunks;
    cudaStream_t s[STREAMS];

    for (int i = 0; i < STREAMS; i++)
        cr_assert_eq(cudaStreamCreate(&s[i]), cudaSuccess);
    cudaDeviceSynchronize();
    stream_span_reset();
    for (int i = 0; i < r->chunks; i++) {
        cudaStream_t at = s[i % STREAMS];

        stream_work(at, ENGINE_IN, model_copy_ms(device_profile(), bytes, in));
        if (kernel > 0)
            stream_work(at, ENGINE_COMPUTE,
                        device_profile()->launch_overhead_us * 1e-3 + kernel / r->chunks);
        at = kernel > 0 ? at : s[STREAMS - 1]; /* without one: both ways, at once */
        stream_work(at, ENGINE_OUT, model_copy_ms(device_profile(), bytes, out));
    }
    double ms = stream_span_ms();
    for (int i = 0; i < STREAMS; i++)
        cudaStreamDestroy(s[i]);
    return ms;
}

static double modelled(const struct row *r)
{
    const char *rounds = strstr(r->what, "pipeline of ");
    char kernel[40];

    if (!strcmp(r->what, "copy"))
        return copy_ms(r, strcmp(r->memory, "pinned") ? PAGEABLE_MEMORY : PINNED_MEMORY);
    if (!strcmp(r->memory, "mapped"))
        return waiting + mapped_ms(r);
    if (!strcmp(r->memory, "managed"))
        return managed_ms(r);
    if (!strcmp(r->what, "both ways"))
        return overlapped_ms(r, 0);
    if (!rounds)
        return 0; /* kernels alone, and two copies in one direction */
    snprintf(kernel, sizeof(kernel), "kernel of %s", rounds + strlen("pipeline of "));
    return overlapped_ms(r, measured(kernel) - waiting);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of rows whose memory is this, of those that overlap with "both". */
static double median_error(const char *memory, bool overlap, int *n)
{
    double errors[200];

    *n = 0;
    for (int i = 1; i < csv->nrows; i++) {
        struct row r = row_at(i);
        bool overlaps = strstr(r.what, "pipeline") || !strcmp(r.what, "both ways");
        double ms = modelled(&r);

        if (!(ms > 0) || overlaps != overlap || strcmp(r.memory, memory))
            continue;
        cr_assert_lt(*n, 200);
        errors[(*n)++] = fabs(ms / r.ms - 1);
    }
    qsort(errors, (size_t)*n, sizeof(*errors), ascending);
    return *n ? errors[*n / 2] : NAN;
}

Test(copies, are_near_the_measured_ones)
{
    static const struct {
        const char *memory;
        bool overlap;
        int least; /* rows */
        double error;
    } kinds[] = {
        {"pinned", false, 30, 0.05}, {"pageable", false, 30, 0.15}, {"mapped", false, 45, 0.08},
        {"managed", false, 60, 0.2}, {"pinned", true, 22, 0.02},
    };

    read_rows();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        int n;
        double error = median_error(kinds[i].memory, kinds[i].overlap, &n);

        cr_log_info("%s%s: %d times, median error %.1f %%", kinds[i].memory,
                    kinds[i].overlap ? ", overlapping" : "", n, 100 * error);
        cr_expect_geq(n, kinds[i].least);
        cr_expect_leq(error, kinds[i].error, "%s: %g", kinds[i].memory, error);
    }
    csv_free(csv);
}

/* One at a time, get and put, with access enabled or without: the median's error. */
static void between_devices(const char *access, enum copy_way way, double most)
{
    double errors[200];
    int n = 0;

    read_file("common/emulator/profiles/peers-h200.csv");
    for (int i = 1; i < csv->nrows; i++) {
        const char *what = csv_cell(csv, i, csv_column(csv, "what"));
        uint64_t bytes = strtoull(csv_cell(csv, i, csv_column(csv, "bytes")), NULL, 10);
        double ms = atof(csv_cell(csv, i, csv_column(csv, "ms")));

        if (strcmp(csv_cell(csv, i, csv_column(csv, "access")), access) ||
            (strcmp(what, "get") && strcmp(what, "put")))
            continue;
        cr_assert_lt(n, 200);
        errors[n++] = fabs(
            model_copy_ms(device_profile(), bytes, (struct copy_path){way, PINNED_MEMORY}) / ms -
            1);
    }
    cr_assert_geq(n, 20);
    qsort(errors, (size_t)n, sizeof(*errors), ascending);
    cr_log_info("between two devices, access %s: %d times, median error %.1f %%", access, n,
                100 * errors[n / 2]);
    cr_expect_leq(errors[n / 2], most, "access %s: %g", access, errors[n / 2]);
    csv_free(csv);
}

Test(copies, between_devices_are_near_the_measured_ones)
{
    between_devices("yes", COPY_PEER, 0.06);
    between_devices("no", COPY_STAGED, 0.08);
}
