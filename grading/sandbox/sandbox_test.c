/* sandbox_test.c - a box's limits: each takes hold where it says, and no earlier. What a box
 * hides and forbids is threats_test.c's matter. */
#include "sandbox.h"

#include <criterion/criterion.h>
#include <signal.h>

/* What argv's end is in a box where a file may have 4096 bytes. */
static int exit_of(const char *const *argv)
{
    struct box_spec spec = {.argv = argv,
                            .wall_s = 10,
                            .cpu_s = 5,
                            .file_bytes = 4096,
                            .log_cap = 4096,
                            .binds = {{"/usr/bin", "/usr/bin"}},
                            .nbinds = 1};
    struct box b;
    struct text out = {0};
    size_t dropped;

    cr_assert(box_start(&b, &spec), "%s", text_str(&b.log));
    box_drain(&b, &out, 4096, &dropped);
    box_finish(&b);
    cr_expect_eq(b.end, BOX_EXITED);
    int code = b.exit_code;
    text_free(&out);
    box_close(&b);
    return code;
}

Test(box, files_have_a_largest_size)
{
    const char *most[] = {"/usr/bin/dd", "if=/dev/zero", "of=/tmp/file", "bs=512", "count=8", NULL};
    const char *more[] = {"/usr/bin/dd", "if=/dev/zero", "of=/tmp/file", "bs=512", "count=9", NULL};

    cr_expect_eq(exit_of(most), 0);
    cr_expect_eq(exit_of(more), 128 + SIGXFSZ);
}
