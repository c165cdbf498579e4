/* steps_test.c - the steps of a file are told, the same each time; steps.csv has each right kernel.
 * What each takes is not counted again here: rubrics and compilers move it a little. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/testing.h"
#include "grading/mark/expect.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A line's last three numbers; false: there is no such line. */
static bool steps_of(const char *csv, const char *begin, unsigned long long *steps, double *share,
                     unsigned long long *dearest)
{
    char *line = xformat("\n%s,", begin);
    const char *at = strstr(csv, line);
    bool found = at && sscanf(at + strlen(line), "%llu,%lf,%llu", steps, share, dearest) == 3;
    free(line);
    return found;
}

/* Each once, with the share that its steps are. Other right files may take twice what any solution
 * does, and three times what any other one known does. */
Test(steps, record_has_each_right_kernel)
{
    struct engine_options o;
    struct text why = {0};
    size_t size;
    int n, lines = 0, wanted = 0;
    engine_defaults(&o);
    char *path = xformat("%s/grading/steps.csv", o.root);
    char *csv = file_load(path, 1 << 20, &size, &why);
    cr_assert(csv, "%s: `make steps` writes it", text_str(&why));
    struct known_file *v = known_files(&o, NULL, &n);
    for (int i = 0; i < n; i++) {
        unsigned long long steps, dearest;
        double share;
        bool solution = !strcmp(v[i].kind, "solution");
        if (!solution && strcmp(v[i].kind, "right"))
            continue;
        char *begin = xformat("%s,%s,%s", v[i].lab, v[i].kind, known_name(&v[i]));
        cr_assert(steps_of(csv, begin, &steps, &share, &dearest),
                  "%s lacks %s: `make steps` writes it", path, begin);
        cr_expect(steps > 0 && dearest > 0 && dearest <= steps && dearest <= o.steps, "%s", begin);
        cr_expect_float_eq(share, 100.0 * (double)steps / (double)o.steps_all, 0.006, "%s", begin);
        cr_expect_lt(share, solution ? 60.0 : 33.0, "%s takes too much of the budget", begin);
        wanted++;
        free(begin);
    }
    for (const char *p = csv; (p = strchr(p, '\n')); p++)
        lines += p[1] != '\0' && p[1] != '#' && strncmp(p + 1, "lab,", 4);
    cr_expect_eq(lines, wanted, "%s has %d lines for %d files: `make steps`", path, lines, wanted);
    known_files_free(v, n);
    free(csv);
    free(path);
}

/* Of files given by name: the same each time, and less of one in which nothing is done. */
Test(steps, of_files, .timeout = 200)
{
    struct engine_options o;
    unsigned long long steps, dearest, first = 0;
    double share;
    int code;
    engine_defaults(&o);
    for (int round = 0; round < 2; round++) {
        char *csv = shell(&code,
                          "cd %s && %s/grade steps --lab coalescing "
                          "solutions/coalescing/coalescing.cu labs/coalescing/coalescing.cu",
                          o.root, o.bin);
        cr_expect_eq(code, 0, "%d", code);
        cr_assert(steps_of(csv, "coalescing,file,solutions/coalescing/coalescing.cu", &steps,
                           &share, &dearest),
                  "%s", csv);
        cr_expect(steps > 1000000 && steps < o.steps_all / 20 && dearest < steps / 4, "%s", csv);
        cr_expect(!round || steps == first, "%llu, then %llu", first, steps);
        first = steps;
        cr_assert(steps_of(csv, "coalescing,file,labs/coalescing/coalescing.cu", &steps, &share,
                           &dearest),
                  "%s", csv);
        cr_expect_lt(steps, first, "%s", csv);
        free(csv);
    }
    char *said = shell(&code, "%s/grade steps x.cu 2>&1", o.bin);
    cr_expect(code == 2 && strstr(said, "which lab?"), "%d %s", code, said);
    free(said);
}
