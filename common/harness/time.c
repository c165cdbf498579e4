/* time.c - times a plan on a GPU with CUDA events (timing.h).
 *
 *   hot    one launch that is not timed, then `batch` launches between two events
 *   cold   a memset of twice the L2, then one launch between two events
 *
 * A sample's launches share one input, so that "hot" is what it says; the next sample takes
 * the next input. The event pair's own 1 to 2 µs stay in the figures: batches make them
 * small in the hot one, and the cold one is for inputs that take longer.
 *
 * Of ranks there is no cold one: while the first one's cache is flushed, the others would be done.
 *
 * On the emulator nothing is timed: modelled time is the same for every run (run/emulator.c).
 */
#include "timing.h"
#include "run/streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_REPS  101
#define BATCH_MS  0.5  /* launches between two events are to take this long … */
#define MAX_BATCH 50   /* … but are never more than this */
#define BUDGET_MS 2000 /* of one variant and case, hot and cold each */
#define FEWEST    5
#define SLACK     1.02 /* clocks are read with an error */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int n, double q)
{
    double at = q * (n - 1);
    int i = (int)at;

    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

struct spread spread_of(double *samples, int n)
{
    qsort(samples, (size_t)n, sizeof(*samples), ascending);
    return (struct spread){n, quantile(samples, n, 0.5), quantile(samples, n, 0.25),
                           quantile(samples, n, 0.75)};
}

struct spread interval_of(double *samples, int n)
{
    int low = (int)fmax(1, round((n - 1.96 * sqrt(n)) / 2)) - 1;
    struct spread s = spread_of(samples, n);

    s.lo = samples[low];
    s.hi = samples[n - 1 - low];
    return s;
}

struct clock {
    cudaEvent_t start, stop;
    void *flush; /* NULL: hot */
    size_t flush_bytes;
    struct exec *blame;
};

static bool ok(struct clock *k, cudaError_t e)
{
    if (e == cudaSuccess)
        return true;
    return exec_fail(k->blame, e, "timing");
}

/* One sample: ms a run. */
static bool sample(struct clock *k, struct exec *e, int batch, double *ms)
{
    float elapsed = 0;

    k->blame = e;
    if (!exec_refill(e))
        return false;
    if (k->flush && !ok(k, cudaMemsetAsync(k->flush, 0x5a, k->flush_bytes, NULL)))
        return false;
    if (!k->flush && !exec_launch(e))
        return false;
    if (!schedule_prepare(e) || !ok(k, cudaEventRecord(k->start, NULL)))
        return false;
    for (int i = 0; i < batch; i++) {
        if (!exec_launch(e))
            return false;
    }
    if (!ok(k, cudaEventRecord(k->stop, NULL)) || !ok(k, cudaDeviceSynchronize()) ||
        !ok(k, cudaEventElapsedTime(&elapsed, k->start, k->stop)))
        return false;
    *ms = (double)elapsed / batch;
    return true;
}

static bool series(struct clock *k, struct exec *const *sets, int nsets, int reps, int batch,
                   struct spread *out)
{
    double ms[MAX_REPS] = {0};

    for (int i = 0; i < reps; i++) {
        if (!sample(k, sets[i % nsets], batch, &ms[i]))
            return false;
    }
    *out = spread_of(ms, reps);
    return true;
}

static int clamp(double x, int lo, int hi)
{
    return x < lo ? lo : x > hi ? hi : (int)x;
}

static bool time_both(struct clock *k, struct exec *const *sets, int nsets, const struct machine *m,
                      int reps, struct timing *out)
{
    double first;

    if (!sample(k, sets[0], 1, &first) || !sample(k, sets[0], 1, &first))
        return false; /* the first one is for the clocks to rise */
    int batch = clamp(BATCH_MS / fmax(first, 1e-4), 1, MAX_BATCH);
    if (sets[0]->plan->memory == MANAGED)
        batch = 1; /* it is put in its place before each run */
    reps = clamp(BUDGET_MS / fmax(first * (batch + 1), 1e-4), FEWEST, reps);
    if (!series(k, sets, nsets, reps, batch, &out->hot))
        return false;
    k->flush_bytes = 2 * m->l2_bytes;
    if (!k->flush_bytes || sets[0]->plan->memory == RESIDENT)
        return true;
    return ok(k, cudaMalloc(&k->flush, k->flush_bytes)) &&
           series(k, sets, nsets, reps, 1, &out->cold);
}

bool time_gpu(struct exec *const *sets, int nsets, const struct machine *m, int reps,
              struct timing *out)
{
    struct clock k = {.blame = sets[0]};
    bool good = ok(&k, cudaEventCreate(&k.start)) && ok(&k, cudaEventCreate(&k.stop)) &&
                time_both(&k, sets, nsets, m, clamp(reps, 1, MAX_REPS), out);

    if (k.flush)
        cudaFree(k.flush);
    if (k.start)
        cudaEventDestroy(k.start);
    if (k.stop)
        cudaEventDestroy(k.stop);
    return good;
}

/* A plan's bytes are each moved at least once, by one of its devices. Cold ones come from DRAM. Hot
 * ones may come from a cache when half of them fit it, and then no faster than all L1s together,
 * which is also what bounds a plan whose bytes are shared memory's. */
const char *time_impossible(const struct machine *m, const struct plan *p, const struct timing *t)
{
    double best = t->cold.reps ? fmin(t->hot.lo, t->cold.lo) : t->hot.lo;
    double devices = p->ranks > 1 ? p->ranks : 1, peak = devices * m->peak_gbps;
    bool dram = !p->on_chip && p->bytes > 2.0 * devices * (double)m->l2_bytes;
    double hot_peak = dram ? peak : devices * m->peak_l1_gbps;

    if (!t->hot.reps || !(best > 0))
        return "a time of zero";
    if (t->cold.reps && peak > 0 && !p->on_chip && p->bytes > devices * (double)m->l2_bytes &&
        p->bytes / t->cold.lo / 1e6 > SLACK * peak)
        return "faster than the device's memory";
    if (hot_peak > 0 && p->bytes / t->hot.lo / 1e6 > SLACK * hot_peak)
        return "faster than the device's memory and caches";
    if (m->peak_flops > 0 && p->flops / best * 1e3 > SLACK * devices * m->peak_flops)
        return "more operations than the device can do";
    return NULL;
}
