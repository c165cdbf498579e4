/* boxes_test.c - the limits of the compiler's and the runner's boxes. */
#include "base/alloc.h"
#include "base/file.h"
#include "boxes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

Test(boxes, the_compilers_and_the_runners_limits)
{
    struct engine_options o;
    struct box b;

    engine_defaults(&o);
    cr_assert(compiler_start(&b, &o, "x.cu", NULL), "%s", text_str(&b.log));
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
