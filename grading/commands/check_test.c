/* check_test.c - what a student is told to do next, by `grade check` in practice. */
#include "base/alloc.h"
#include "commands.h"
#include "base/testing.h"
#include "grading/mark/engine.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last line that it prints; its exit status. */
static int check(const char *lab, const char *file, char *last, size_t size)
{
    char option[64], *argv[] = {"grade check", "--practice", option, (char *)file, NULL};
    char *line = NULL;
    size_t room = 0;
    FILE *out = tmpfile();
    int saved = dup(1);
    snprintf(option, sizeof(option), "--lab=%s", lab);
    fflush(stdout);
    dup2(fileno(out), 1);
    int status = cmd_check(4, argv);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(out);
    *last = 0;
    while (getline(&line, &room, out) > 0)
        snprintf(last, size, "%s", line);
    free(line);
    fclose(out);
    return status;
}

Test(check, says_what_to_do_next, .timeout = 300)
{
    static const struct {
        const char *lab, *file, *next; /* the file: in the course's folder, or text of one */
        int status;
    } rows[] = {
        {"divergence", "labs/divergence/divergence.cu", "next: make run LAB=divergence KERNEL=", 1},
        {"coalescing", "labs/coalescing/wrong/cheat_line_directive.cu", " FILE=", 1},
        {"divergence", "KERNEL nothing(", "next: mend that, then make run LAB=divergence FILE=", 1},
        {"divergence", "solutions/divergence/divergence.cu", "score", 0},
    };
    struct engine_options o;
    engine_defaults(&o);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char last[512], made[] = "/tmp/check-XXXXXX.cu";
        bool text = strchr(rows[i].file, '(');
        char *path = text ? xstrdup(made) : xformat("%s/%s", o.root, rows[i].file);
        if (text) {
            int fd = mkstemps(path, 3);
            cr_assert(fd >= 0 && write(fd, rows[i].file, strlen(rows[i].file)) > 0);
            close(fd);
        }
        int status = check(rows[i].lab, path, last, sizeof(last));
        cr_expect_eq(status, rows[i].status, "%s: %d", rows[i].file, status);
        cr_expect(strstr(last, rows[i].next), "%s: %s", rows[i].file, last);
        if (text)
            unlink(path);
        free(path);
    }
}

/* Where it could not be printed, the reason is the write's, whatever was done afterwards. */
Test(check, full_disk, .timeout = 100)
{
    static const char *const forms[] = {"", "--json", "--detail"};
    struct engine_options o;
    int code;
    engine_defaults(&o);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        char *text =
            shell(&code,
                  "%s/grade check --lab divergence %s %s/labs/divergence/divergence.cu 2>&1 "
                  ">/dev/full",
                  o.bin, forms[i], o.root);
        cr_expect(code == 2 && strstr(text, "not whole: No space left on device"), "%s: %d %s",
                  forms[i], code, text);
        free(text);
    }
}
