/* seek_test.c - sizes that a kernel's own conditions single out, and what follows from them. */
#include "base/file.h"
#include "marked.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A launch may take so little here that at some sizes which are sought the reference takes more. */
Test(seek, a_size_that_takes_ours_too_long_is_no_fault)
{
    struct engine e;
    struct engine_options o;
    struct text why = {0};
    size_t length;
    char *source;

    cr_assert(
        !file_read("labs/latency_hiding/right/a_loop_for_three.cu", 1 << 20, &source, &length));
    for (int k = 0; k < 2; k++) {
        engine_defaults(&o);
        o.secret = (const char *const[]){"s25", "s45"}[k];
        o.only = "walk_4";
        o.steps = 4000000;
        cr_assert(engine_open(&e, "latency_hiding", &o, &why), "%s", text_str(&why));
        json_t *v = marked(&e, "submission", source, length);
        char *rows = json_dumps(json_object_get(v, "rows"), JSON_INDENT(1));
        cr_assert_eq(json_number_value(json_object_get(v, "score")),
                     json_number_value(json_object_get(v, "max")), "%s", rows);
        free(rows);
        json_decref(v);
        engine_close(&e);
    }
    free(source);
}
