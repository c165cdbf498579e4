/* sandbox_test.c - a box's limits: each takes hold where it says, and no earlier. What a box
 * hides and forbids is threats_test.c's matter. */
#include "base/alloc.h"
#include "base/file.h"
#include "boxes.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static char *proc_file(pid_t p, const char *name)
{
    char *path = xformat("/proc/%d/%s", (int)p, name), *text = NULL;
    size_t n;

    if (file_read_no_link(path, 1 << 16, &text, &n))
        text = xstrdup("");
    free(path);
    return text;
}

/* The box's bwrap, whose limits all in the box inherit. */
static pid_t bwrap_of(const struct box *b)
{
    char *children = xformat("task/%d/children", (int)b->pid);
    pid_t found = 0;

    for (int ms = 0; ms < 5000 && !found; ms++) {
        char *text = proc_file(b->pid, children);
        pid_t child = (pid_t)strtol(text, NULL, 10);
        char *name = child ? proc_file(child, "comm") : xstrdup("");
        found = !strcmp(name, "bwrap\n") ? child : 0;
        free(text);
        free(name);
        usleep(1000);
    }
    free(children);
    cr_assert(found, "no bwrap is seen");
    return found;
}

/* 0: no limit */
static unsigned long long limit_of(const struct box *b, const char *name)
{
    char *text = proc_file(bwrap_of(b), "limits"), *line = strstr(text, name);
    unsigned long long soft = 0;

    cr_assert(line, "%s is not in: %s", name, text);
    line += strlen(name);
    line += strspn(line, " ");
    if (strncmp(line, "unlimited", 9))
        soft = strtoull(line, NULL, 10);
    free(text);
    return soft;
}

Test(box, the_compilers_and_the_runners_limits)
{
    struct engine_options o;
    struct box b;

    engine_defaults(&o);
    cr_assert(compiler_start(&b, &o, "x.cu"), "%s", text_str(&b.log));
    cr_expect_eq(limit_of(&b, "Max file size"), 64 << 20);
    cr_expect_eq(limit_of(&b, "Max cpu time"), (unsigned long long)(o.compile_s * 0.75 + 1));
    cr_expect_eq(limit_of(&b, "Max core file size"), 0);
    cr_expect_eq(limit_of(&b, "Max open files"), 256);
    cr_expect_eq(b.resident_bytes, 1ull << 30);
    box_close(&b);
    cr_assert(runner_start(&b, &o, NULL, false), "%s", text_str(&b.log));
    cr_expect_eq(limit_of(&b, "Max file size"), 16 << 20);
    cr_expect_eq(limit_of(&b, "Max cpu time"), (unsigned long long)(20 * o.run_s + 1));
    cr_expect_eq(limit_of(&b, "Max open files"), 256);
    cr_expect_eq(b.resident_bytes, 3ull << 30);
    box_close(&b);
}
