/* gpu_path_test.c - marking with a GPU's times, on a runtime that stands in for a GPU's.
 *
 * It is the emulator without its own functions, so that the runner takes it for a GPU: compile,
 * run in a second box, time in turns, judge. The kernels of threats/gpu need a real one
 * (make test-gpu).
 */
#include "engine.h"
#include "base/alloc.h"
#include "base/file.h"
#include "grading/report/report.h"
#include "marked.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define LAB "bank_conflicts"

/* build/test/gpu/WHICH, beside this program. */
static void stand_in(struct engine_options *o, const char *which)
{
    engine_defaults(o);
    o->secret = "gpu-path-secret";
    o->only = "transpose_swizzled";
    o->measure = true;
    static char lib[4200];
    snprintf(lib, sizeof(lib), "%s/../test/gpu/%s", o->bin, which);
    o->gpu_lib = lib;
    snprintf(o->gpu_arch, sizeof(o->gpu_arch), "compute_90");
    snprintf(o->gpu_name, sizeof(o->gpu_name), "a stand-in");
}

/* The lab's rubric, timed on its rows' own cases: what a GPU does at once takes the stand-in long.
 */
static void time_small_cases(struct engine *e)
{
    static struct rubric small;
    static struct rubric_row rows[64];
    small = *e->rubric;
    cr_assert_leq((size_t)small.nrows, sizeof(rows) / sizeof(rows[0]));
    for (int i = 0; i < small.nrows; i++) {
        rows[i] = small.rows[i];
        rows[i].gpu_cases = NULL;
        rows[i].gpu_ratio = 0; /* its time is modelled */
    }
    small.rows = rows;
    e->rubric = &small;
}

static json_t *mark(const struct engine_options *o, const char *file)
{
    struct engine e;
    struct text why = {0};
    char *path = xformat("%s/%s", o->root, file), *source;
    size_t n;
    cr_assert_eq(file_read_no_link(path, 1 << 20, &source, &n), 0, "%s", path);
    cr_assert(engine_open(&e, LAB, o, &why), "%s", text_str(&why));
    time_small_cases(&e);
    json_t *v = marked(&e, file, source, n);
    engine_close(&e);
    free(source);
    free(path);
    return v;
}

static json_t *row(const json_t *v, const char *id)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(v, "rows"), i, x)
    {
        if (!strcmp(json_text(x, "id"), id))
            return x;
    }
    cr_assert_fail("no row %s: %s", id, json_text(v, "message"));
    return NULL;
}

Test(gpu_path, measured_in_turns, .timeout = 100)
{
    struct engine_options o;
    stand_in(&o, "honest");
    json_t *v = mark(&o, "solutions/" LAB "/" LAB ".cu"), *fast = row(v, "swizzled-fast");
    cr_assert_str_eq(json_text(fast, "status"), "pass", "%s", json_text(fast, "why"));
    cr_assert_str_eq(json_text(fast, "evidence"), "measured");
    cr_assert_eq(json_array_size(json_object_get(fast, "samples")), 20);
    cr_assert_eq(json_array_size(json_object_get(fast, "reference_samples")), 20);
    cr_assert_str_eq(json_text(row(v, "swizzled-ok"), "evidence"), "emulator and GPU");
    cr_assert_str_eq(json_text(row(v, "swizzled-banks"), "evidence"), "counted");
    cr_assert(*json_text(v, "gpu") && *json_text(v, "gpu_version"));
    cr_assert(!json_is_true(json_object_get(v, "needs_human")));
    json_decref(v);
}

Test(gpu_path, too_slow, .timeout = 100)
{
    struct engine_options o;
    stand_in(&o, "honest");
    json_t *v = mark(&o, "grading/threats/gpu/" LAB "/20_slow.cu"), *fast = row(v, "swizzled-fast");
    cr_assert_str_eq(json_text(fast, "status"), "fail");
    cr_assert(strstr(json_text(fast, "why"), "of the reference's speed"));
    json_decref(v);
}

/* 12: right results in a time that the memory cannot reach are nobody's mark. */
Test(gpu_path, t12_impossible_times, .timeout = 100)
{
    struct engine_options o;
    stand_in(&o, "fast");
    json_t *v = mark(&o, "solutions/" LAB "/" LAB ".cu"), *fast = row(v, "swizzled-fast");
    cr_assert_str_eq(json_text(fast, "status"), "error", "%s", json_text(fast, "why"));
    cr_assert(strstr(json_text(fast, "why"), "cannot be"), "%s", json_text(fast, "why"));
    cr_assert_eq(json_double(fast, "points"), 0);
    cr_assert(json_is_true(json_object_get(v, "needs_human")));
    cr_assert_str_eq(json_text(row(v, "swizzled-ok"), "status"), "pass");
    json_decref(v);
}

/* gpu_cases: the emulator sees the small case, the GPU is timed on the large one. */
Test(gpu_path, large_cases, .timeout = 100)
{
    static const struct lab_case cases[] = {
        {.name = "small", .m = 64, .n = 32, .dtype = DT_F32, .op = 1, .flags = CASE_CHECK},
        {.name = "large", .m = 640, .n = 320, .dtype = DT_F32, .op = 1, .flags = CASE_CHECK},
    };
    static const struct rubric_row rows[] = {
        {"fast", 1, "is fast", ROW_SPEED, "transpose_swizzled", .cases = "small",
         .gpu_cases = "large", .ratio = 0.7, .hint = "-"},
    };
    const struct rubric own = {.lab = LAB, .rows = rows, .nrows = 1, .cases = cases, .ncases = 2};
    struct engine_options o;
    struct engine e;
    struct text why = {0};
    char *source;
    size_t n, i;
    json_t *run;
    stand_in(&o, "honest");
    char *path = xformat("%s/solutions/" LAB "/" LAB ".cu", o.root);
    cr_assert_eq(file_read_no_link(path, 1 << 20, &source, &n), 0);
    cr_assert(engine_open(&e, LAB, &o, &why), "%s", text_str(&why));
    e.rubric = &own;
    json_t *v = marked(&e, "x", source, n), *fast = row(v, "fast");
    cr_assert_str_eq(json_text(fast, "status"), "pass", "%s", json_text(fast, "why"));
    cr_assert_str_eq(json_text(fast, "case"), "large");
    cr_assert_eq(json_array_size(json_object_get(fast, "samples")), 20);
    json_array_foreach(json_object_get(v, "runs"), i, run)
    {
        cr_assert_str_eq(json_text(run, "case"), "small");
    }
    json_decref(v);
    engine_close(&e);
    free(source);
    free(path);
}

/* The reference's runner is kept for a class: how long it waits from one file to the next is no
 * run's time. */
Test(gpu_path, waiting_is_no_run, .timeout = 100)
{
    struct engine_options o;
    struct engine e;
    struct text why = {0};
    char *source;
    size_t n;
    stand_in(&o, "honest");
    char *path = xformat("%s/solutions/" LAB "/" LAB ".cu", o.root);
    cr_assert_eq(file_read_no_link(path, 1 << 20, &source, &n), 0);
    cr_assert(engine_open(&e, LAB, &o, &why), "%s", text_str(&why));
    time_small_cases(&e);
    for (int i = 0; i < 2; i++) {
        json_t *v = marked(&e, "x", source, n), *fast = row(v, "swizzled-fast");
        cr_assert_str_eq(json_text(fast, "status"), "pass", "%s", json_text(fast, "why"));
        json_decref(v);
        cr_assert(e.gpu_reference->open);
        box_deadline(&e.gpu_reference->box, -1);
    }
    engine_close(&e);
    free(source);
    free(path);
}

/* A GPU that is there but cannot be used is said before anything is marked. */
Test(gpu_path, no_gpu_no_marks)
{
    struct engine_options o;
    engine_defaults(&o);
    char *command = xformat("%s/grade check --gpu --lab " LAB " %s/solutions/" LAB "/" LAB
                            ".cu >/dev/null 2>&1; [ $? -eq 2 ]",
                            o.bin, o.root);
    if (system("test -e /dev/nvidiactl"))
        cr_assert_eq(system(command), 0);
    free(command);
}
