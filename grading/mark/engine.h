/* engine.h - marks one source text by a lab's rubric. It knows no lab.
 * The same source, rubric, secret and tools give the same verdict (verdict.h), byte for byte.
 */
#ifndef GRADING_ENGINE_H
#define GRADING_ENGINE_H

#include "base/digest.h"
#include "cases.h"
#include "session.h"
#include "verdict.h"

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
bool engine_open(struct engine *e, const char *lab, const struct engine_options *o,
                 struct text *why);
void engine_close(struct engine *e);

/* A verdict, for verdict_free(). name is shown: it is made printable. */
struct verdict *engine_mark(struct engine *e, const char *name, const char *source, size_t length);
/* The verdict of what cannot be marked. What could not be read may be a download's or a disk's
 * fault: it is no 0, and a person has to look. */
struct verdict *engine_no_mark(const struct engine *e, const char *name, enum verdict_status status,
                               const char *message);
/* Everything a verdict depends on, as a digest: source, rubric, secret, tools, options. */
void engine_key(const struct engine *e, const char *source, size_t length, char out[DIGEST_HEX]);
/* What a verdict says of the secret: enough to tell two apart. */
void secret_digest(const char *secret, char out[DIGEST_HEX]);

#endif
