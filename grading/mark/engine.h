/* engine.h - marks one source text by a lab's rubric. It knows no lab.
 *
 * A verdict is a JSON object:
 *   lab, file, source (SHA-256), length, backend, device, tools, secret (its digest or null)
 *   status    "graded", or why there are no marks by rows: "not compiled", "empty", "not text",
 *             "too large", "unreadable", "missing", "failed" (the grader could not: a person must)
 *   message   a sentence when status is not "graded"
 *   score, max, needs_human
 *   compile   {ok, log}
 *   rows      [{id, title, kind, variant, points, max, status, why, hint, evidence, case, line,
 *              expression, counted, limit, samples, reference_samples, clocks_mhz,
 *              picture (picture.h)}], status pass,
 * fail, blocked (what it rests on failed), inconclusive, skipped (evidence not to be had here) or
 * error runs      [{variant, case, hidden, n, m, k, param, seed, check, end, correct, wrong,
 * compared, first, block, counters, modelled_ms, bound, occupancy, findings}] output    what the
 * device printed, capped; output_dropped bytes The same source, rubric, secret and tools give the
 * same verdict, byte for byte.
 */
#ifndef GRADING_ENGINE_H
#define GRADING_ENGINE_H

#include "base/digest.h"
#include "cases.h"
#include "session.h"

struct engine {
    const struct lab *lab;
    const struct rubric *rubric;
    const struct engine_options *o;
    char *solution; /* source of the reference, NULL when it could not be read */
    size_t solution_length;
    struct session *reference; /* made when first needed, kept */
    /* options.measure: times come from the GPU; counts still from the emulator. */
    bool gpu;
    struct engine_options gpu_options, reference_options, gpu_reference_options;
    struct session *gpu_reference;
    char tools[DIGEST_HEX]; /* digest of compiler, runtime, runner and this program */
};

/* False with a reason: unknown lab, no rubric, mistakes in it. */
bool engine_open(struct engine *e, const char *lab, const struct engine_options *o, char *err,
                 size_t size);
void engine_close(struct engine *e);

/* A verdict; the caller owns it. name is shown as it is: make it printable. */
json_t *engine_mark(struct engine *e, const char *name, const char *source, size_t length);
/* The verdict of what cannot be marked. */
json_t *engine_no_mark(const struct engine *e, const char *name, const char *status,
                       const char *message);
/* Everything a verdict depends on, as a digest: source, rubric, secret, tools, options. */
void engine_key(const struct engine *e, const char *source, size_t length, char out[DIGEST_HEX]);

const char *row_kind_name(enum row_kind k);

#endif
