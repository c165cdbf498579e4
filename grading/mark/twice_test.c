/* twice_test.c - the same source text gets the same verdict, byte for byte. */
#include "engine.h"
#include "base/alloc.h"
#include "base/file.h"
#include "grading/intake/submissions.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *verdict_of(const char *lab, const char *file)
{
    struct engine_options o;
    struct engine e;
    struct text why = {0};
    size_t n;
    char *source;
    engine_defaults(&o);
    o.secret = "twice";
    char *path = xformat("%s/labs/%s/wrong/%s", o.root, lab, file);
    cr_assert_eq(file_read_no_link(path, SUBMISSION_MAX_BYTES, &source, &n), 0, "%s", path);
    cr_assert(engine_open(&e, lab, &o, &why), "%s", text_str(&why));
    struct verdict *v = engine_mark(&e, file, source, n);
    char *text = verdict_text(v, JSON_INDENT(1));
    verdict_free(v);
    engine_close(&e);
    free(source);
    free(path);
    return text;
}

/* part: what must be in it, so that it is a verdict of the kind that is meant. */
static char *same_twice(const char *lab, const char *file, const char *part)
{
    char *first = verdict_of(lab, file), *second = verdict_of(lab, file);
    cr_assert(strstr(first, part), "no %s in %s", part, first);
    cr_assert_str_eq(first, second);
    cr_assert(!strstr(first, "(line 0)"), "%s", first);
    free(second);
    return first;
}

Test(twice, a_race, .timeout = 100)
{
    free(same_twice("bank_conflicts", "swizzled_no_barrier.cu", "\"kind\": \"shared-race\""));
}

Test(twice, wrong_values, .timeout = 100)
{
    char *text = same_twice("bank_conflicts", "fixed_overflow.cu", "\"end\": \"wrong\"");
    cr_assert(strstr(text, "\"modelled_ms\": 0.0"), "%s", text);
    free(text);
}

/* How far the blocks came before it is chance; where it was is not, and the row says it. */
Test(twice, an_illegal_address, .timeout = 100)
{
    char *text = same_twice("bank_conflicts", "fixed_no_tail_guard.cu", "\"end\": \"error\""),
         *why = NULL;
    struct verdict *v = verdict_read(text, strlen(text), &why);
    int lines = 0;
    cr_assert(v, "%s", why);
    for (int i = 0; i < v->nrows; i++) {
        const struct verdict_row *row = &v->rows[i];
        if (row->kind != ROW_CORRECT || row->status != STATUS_FAIL || !row->line)
            continue;
        char *there = xformat("(line %lld)", (long long)row->line);
        cr_expect(strstr(row->why, there), "%s: no %s in %s", row->id, there, row->why);
        free(there);
        lines++;
    }
    cr_assert_gt(lines, 0, "%s", text);
    for (int i = 0; i < v->nruns; i++)
        cr_expect(v->runs[i].end <= RUN_INPUT_CHANGED || !(v->runs[i].modelled_ms > 0));
    verdict_free(v);
    free(text);
}
