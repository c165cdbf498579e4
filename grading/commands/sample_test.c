/* sample_test.c - the bundled class of 60: one command marks it, with the marks expected, and
 * every export reads back. Then the same again, killed (-9) over and over: same marks. */
#include "grading/mark/cases.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/csv.h"
#include "grading/mark/session.h"
#include "base/testing.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct engine_options o;

static char *new_folder(void)
{
    char folder[] = "/tmp/sampletestXXXXXX";
    engine_defaults(&o);
    cr_assert(mkdtemp(folder));
    return xstrdup(folder);
}

static char *batch_command(const char *folder)
{
    return xformat(
        "%s/grade batch %s/grading/sample/class.zip --lab coalescing --secret "
        "%s/grading/sample/secret.txt "
        "--roster %s/grading/sample/roster.csv --book %s/g.db --late-per-day 10 --quiet -j2",
        o.bin, o.root, o.root, o.root, folder);
}

static void assert_marks(const char *folder)
{
    char *csv = shell(NULL, "%s/grade export csv --book %s/g.db", o.bin, folder), *path, *want;
    size_t n;
    path = xformat("%s/grading/sample/expected.csv", o.root);
    cr_assert_eq(file_read_no_link(path, 1 << 20, &want, &n), 0);
    struct csv *got = csv_parse(csv, strlen(csv)), *expected = csv_parse(want, n);
    cr_assert_eq(expected->nrows, 62);
    cr_assert_eq(got->nrows, expected->nrows);
    for (int r = 1; r < expected->nrows; r++)
        for (int c = 0; c < expected->widths[0]; c++)
            cr_expect_str_eq(csv_cell(got, r, c), csv_cell(expected, r, c),
                             "%s: %s is \"%s\", not \"%s\"", csv_cell(expected, r, 1),
                             csv_cell(expected, 0, c), csv_cell(got, r, c),
                             csv_cell(expected, r, c));
    csv_free(got);
    csv_free(expected);
    free(csv);
    free(want);
    free(path);
}

static void assert_exports(const char *folder)
{
    char *canvas =
        shell(NULL, "%s/grade export canvas --title 'Lab 2 (4711)' --lab coalescing --book %s/g.db",
              o.bin, folder);
    struct csv *c = csv_parse(canvas, strlen(canvas));
    cr_assert_eq(csv_column(c, "Lab 2 (4711)"), 5);
    cr_assert_eq(c->nrows, 63);
    cr_assert(strstr(csv_cell(c, 1, 0), "Points Possible"));
    cr_assert_str_eq(csv_cell(c, 62, 0), "Missing, Mia");
    cr_assert_str_eq(csv_cell(c, 62, 5), ""); /* 0 is the instructor's to say */
    csv_free(c);
    free(canvas);
    char *zero = shell(NULL, "%s/grade export csv --missing-zero --book %s/g.db", o.bin, folder);
    cr_assert(strstr(zero, "\"Missing, Mia\",coalescing,missing,0,24,0,0"), "%s", zero);
    free(zero);
    char *moodle =
        shell(NULL, "%s/grade export moodle --lab coalescing --book %s/g.db", o.bin, folder);
    c = csv_parse(moodle, strlen(moodle));
    cr_assert(csv_column(c, "Identifier") >= 0 && csv_column(c, "Grade") >= 0 &&
              csv_column(c, "Last modified (grade)") >= 0);
    cr_assert_eq(c->nrows, 62);
    cr_assert_str_eq(csv_cell(c, 1, 0), "Participant 40017");
    csv_free(c);
    free(moodle);
    char *junit = shell(NULL, "%s/grade export junit --book %s/g.db", o.bin, folder);
    cr_assert(strstr(junit, "<testsuites>") && strstr(junit, "</testsuites>") &&
              !strstr(junit, "\x1b"));
    free(junit);
    char *anonymous = shell(NULL, "%s/grade export anonymous --book %s/g.db", o.bin, folder);
    int lines = 0;
    for (char *save = NULL, *line = strtok_r(anonymous, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        json_error_t bad;
        json_t *v = json_loads(line, 0, &bad);
        cr_assert(v, "%s", bad.text);
        json_decref(v);
        cr_assert(!strcasestr(line, "adams") && !strstr(line, "40017") &&
                      !strstr(line, "example.edu"),
                  "%s", line);
        lines++;
    }
    cr_assert_eq(lines, 61);
    free(anonymous);
    free(shell(NULL, "%s/grade override --book %s/g.db --lab coalescing --why ill 41037 9", o.bin,
               folder));
    char *set = shell(NULL, "%s/grade export csv --book %s/g.db", o.bin, folder);
    cr_assert(strstr(set, "coalescing,missing,,24,9,0,set by hand"), "%s", set);
    free(set);
}

static void assert_verdict_exports(const char *folder)
{
    int code;
    free(shell(&code,
               "%s/grade check --json --lab coalescing %s/labs/coalescing/wrong/soa_strided.cu > "
               "%s/v.json",
               o.bin, o.root, folder));
    cr_assert_eq(code, 1);
    static const char *const formats[] = {"gradescope", "prairielearn", "autolab"};
    for (size_t i = 0; i < 3; i++) {
        char *text =
            shell(NULL, "%s/grade export %s --verdict %s/v.json", o.bin, formats[i], folder);
        json_error_t bad;
        json_t *v = json_loads(text, 0, &bad);
        cr_assert(v, "%s: %s", formats[i], bad.text);
        json_t *tests = json_object_get(v, i == 2 ? "scores" : "tests");
        cr_assert_eq(i == 2 ? json_object_size(tests) : json_array_size(tests),
                     (size_t)rubric_of("coalescing")->nrows, "%s", text);
        json_decref(v);
        free(text);
    }
    char *classroom =
        shell(NULL, "%s/grade export classroom --verdict %s/v.json | base64 -d", o.bin, folder);
    json_error_t bad;
    json_t *v = json_loads(classroom, 0, &bad);
    cr_assert(v && json_integer_value(json_object_get(v, "version")) == 1, "%s", classroom);
    json_decref(v);
    free(classroom);
}

/* Pages stand alone, escape, and name nobody but their own student. */
static void assert_pages(const char *folder)
{
    free(shell(NULL, "%s/grade report --lab coalescing --book %s/g.db %s/html", o.bin, folder,
               folder));
    char *n = shell(NULL, "ls %s/html | wc -l", folder);
    cr_assert_eq(atoi(n), 62);
    free(n);
    int code;
    char *bad = shell(&code, "grep -lE '<script|http://|https://|src=' %s/html/*.html", folder);
    cr_assert_str_eq(bad, "");
    free(bad);
    char *names = shell(NULL, "grep -l 'Adams, Alex' %s/html/*.html | wc -l", folder);
    cr_assert_eq(atoi(names), 2); /* the student's own and the instructor's */
    char *causes = shell(NULL,
                         "grep -c '<td class=\"n\">14</td><td><strong>the kernel is not in the "
                         "file</strong>' %s/html/index.html",
                         folder);
    cr_expect_eq(atoi(causes), 1);
    free(causes);
    free(names);
}

Test(sample, class_of_sixty, .timeout = 200)
{
    char *folder = new_folder(), *command = batch_command(folder);
    int code;
    char *out = shell(&code, "%s", command);
    cr_assert(strstr(out, "61 submissions") && strstr(out, "4 need a person"), "%s", out);
    cr_assert_eq(code, 1);
    assert_marks(folder);
    assert_exports(folder);
    assert_verdict_exports(folder);
    assert_pages(folder);
    char *again = shell(&code, "%s", command); /* known by content */
    cr_assert(strstr(again, ", 0 marked now") && strstr(again, "4 need a person"), "%s", again);
    cr_assert_eq(code, 1);
    char *diff = shell(NULL, "%s/grade diff --book %s/g.db 1 2", o.bin, folder);
    cr_assert(strstr(diff, "0 differences"), "%s", diff);
    free(shell(NULL, "rm -r %s", folder));
    free(out);
    free(again);
    free(diff);
    free(command);
    free(folder);
}

/* Boxes of the whole machine that nobody waits for. In a container nobody may collect those that
 * are dead (Z). */
static int orphans(void)
{
    char *count = shell(NULL, "ps -eo ppid,stat,comm | grep -c '^ *1 [^Z].* bwrap' || true");
    int n = atoi(count);
    free(count);
    return n;
}
/* More than there were: they have time to die. */
static void assert_no_box_left(int before)
{
    int now = before + 1;
    for (int tries = 0; now > before && tries < 20; tries++) {
        usleep(500000);
        now = orphans();
    }
    cr_expect_leq(now, before, "%d boxes were left behind", now - before);
}

Test(sample, killed_and_gone_on_with, .timeout = 200)
{
    char *folder = new_folder(), *command = batch_command(folder);
    int status = 0, kills = 0, boxes = orphans();
    for (int round = 0; round <= 16; round++) {
        pid_t p = fork();
        if (p == 0) {
            setpgid(0, 0);
            int null = open("/dev/null", O_WRONLY);
            dup2(null, 1);
            dup2(null, 2);
            execl("/bin/sh", "sh", "-c", xformat("exec %s", command), NULL);
            _exit(127);
        }
        usleep((useconds_t)(300000 + 83000 * (round % 7)));
        if (waitpid(p, &status, round < 16 ? WNOHANG : 0) == p)
            break;        /* the last one may run to its end */
        kill(p, SIGKILL); /* the batch alone: its workers and boxes must follow */
        waitpid(p, &status, 0);
        kills++;
    }
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%x", status); /* 4 need a person */
    cr_assert_gt(kills, 2);
    assert_marks(folder);
    assert_no_box_left(boxes);
    char *runs = shell(NULL, "%s/grade diff --book %s/g.db 1 1", o.bin, folder);
    free(runs);
    free(shell(NULL, "rm -r %s", folder));
    free(command);
    free(folder);
}
