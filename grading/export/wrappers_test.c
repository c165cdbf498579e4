/* wrappers_test.c - the ready-made wrappers, run: Gradescope's script in a layout like its own,
 * Autolab's Makefile beside a tar, and the steps of GitHub's workflow; what they write is read
 * back as these systems do.
 */
#include "grading/mark/engine.h"
#include "base/alloc.h"
#include "base/file.h"
#include "grading/report/report.h"
#include "base/testing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAB "coalescing"

static struct engine_options o;

/* A folder with bin/grade where the wrappers look, and the lab's files at hand. */
static char *new_root(void)
{
    char folder[] = "/tmp/wrapperXXXXXX";
    engine_defaults(&o);
    cr_assert(mkdtemp(folder));
    return xstrdup(folder);
}

static void done(char *root)
{
    free(shell(NULL, "rm -rf '%s'", root));
    free(root);
}

/* ---- Gradescope ---- */

static json_t *gradescope(const char *root, const char *from, const char *name)
{
    json_error_t bad;
    free(shell(
        NULL,
        "set -e; cd %s; rm -rf *; mkdir -p source/warplab/build submission; "
        "ln -s \"$(realpath %s)\" source/warplab/build/bin; echo " LAB " >source/lab.txt; "
        "echo a secret text >source/secret.txt; printf '{\"id\": 1}' >submission_metadata.json; "
        "%s%s%s%s%s",
        root, o.bin, *from ? "cp " : ":", from, *from ? " 'submission/" : "", name,
        *from ? "'" : ""));
    char *said =
        shell(NULL, "AUTOGRADER=%s %s/grading/wrappers/gradescope/run_autograder", root, o.root);
    cr_assert_str_eq(said, "", "hidden output: %s", said);
    char *path = xformat("%s/results/results.json", root);
    json_t *v = json_load_file(path, JSON_REJECT_DUPLICATES, &bad);
    cr_assert(v, "%s: %s", path, bad.text);
    free(path);
    free(said);
    return v;
}

/* The names and values of Gradescope's specification, and nothing else. */
static void assert_specification(json_t *v)
{
    static const char top[] = "score output output_format test_output_format test_name_format "
                              "visibility stdout_visibility tests",
                      test[] = "score max_score status name number output tags visibility";
    const char *key;
    json_t *x, *t;
    double sum = 0;
    size_t i;
    json_object_foreach(v, key, x)
    {
        cr_assert(word_in(top, key), "results.json has %s", key);
    }
    cr_assert(word_in("hidden after_due_date after_published visible", json_text(v, "visibility")));
    cr_assert(word_in("text html simple_format md ansi", json_text(v, "output_format")));
    json_array_foreach(json_object_get(v, "tests"), i, t)
    {
        json_object_foreach(t, key, x)
        {
            cr_assert(word_in(test, key), "a test has %s", key);
        }
        cr_assert(word_in("passed failed", json_text(t, "status")));
        cr_assert(
            word_in("hidden after_due_date after_published visible", json_text(t, "visibility")));
        cr_assert(json_double(t, "score") >= 0 &&
                  json_double(t, "score") <= json_double(t, "max_score"));
        sum += json_double(t, "score");
    }
    cr_assert_float_eq(sum, json_double(v, "score"), 1e-9);
}

Test(wrappers, gradescope, .timeout = 60)
{
    char *root = new_root(), *solution = xformat("%s/solutions/" LAB "/" LAB ".cu", o.root),
         *skeleton = xformat("%s/labs/" LAB "/" LAB ".cu", o.root);
    json_t *v = gradescope(root, solution, LAB ".cu");
    assert_specification(v);
    cr_assert_eq(json_double(v, "score"), 24);
    cr_assert_gt(json_array_size(json_object_get(v, "tests")), 5);
    json_decref(v);
    v = gradescope(root, skeleton, "my $(touch x) kernel.cu");
    assert_specification(v);
    cr_assert(json_double(v, "score") < 24 && json_array_size(json_object_get(v, "tests")) > 5);
    json_decref(v);
    v = gradescope(root, "", "");
    cr_assert_eq(json_double(v, "score"), 0);
    cr_assert(strstr(json_text(v, "output"), "No .cu file"));
    json_decref(v);
    v = gradescope(root, "/bin/ls", LAB ".cu");
    assert_specification(v);
    cr_assert_eq(json_double(v, "score"), 0);
    cr_assert(*json_text(v, "output"));
    json_decref(v);
    free(solution);
    free(skeleton);
    done(root);
}

/* The image's script: apt-get and make are stood in for, the rest runs. */
Test(wrappers, gradescope_setup, .timeout = 20)
{
    char *root = new_root();
    free(shell(NULL,
               "set -e; mkdir -p %s/bin %s/source/warplab; cd %s/bin; "
               "printf '#!/bin/sh\\necho apt-get \"$@\" >>%s/log\\n' >apt-get; "
               "printf '#!/bin/sh\\necho make \"$@\" in \"$PWD\" >>%s/log\\n' >make; chmod +x *",
               root, root, root, root, root));
    free(shell(NULL, "PATH=%s/bin:$PATH AUTOGRADER=%s %s/grading/wrappers/gradescope/setup.sh",
               root, root, o.root));
    char *log = shell(NULL, "cat %s/log", root),
         *want = xformat("make grading in %s/source/warplab", root);
    cr_assert(strstr(log, "apt-get update") && strstr(log, " bubblewrap "), "%s", log);
    cr_assert(strstr(log, want), "%s", log);
    free(want);
    free(log);
    done(root);
}

/* ---- Autolab ---- */

/* The last line is what counts, whatever the device printed before. */
Test(wrappers, autolab, .timeout = 60)
{
    char *root = new_root();
    json_error_t bad;
    free(shell(NULL,
               "set -e; cd %s; cp %s/grading/wrappers/autolab/Makefile .; echo a secret text "
               ">secret.txt; tar cf autograde.tar secret.txt; rm secret.txt; "
               "{ cat %s/solutions/" LAB "/" LAB ".cu; echo '__device__ int unused;'; } >handin.cu",
               root, o.root, o.root));
    char *said =
        shell(NULL,
              "cd %s && make -s LAB=" LAB " FILE=%s/handin.cu GRADE=\"$(realpath %s)/grade\" "
              "2>&1 | tail -n 1",
              root, root, o.bin);
    json_t *v = json_loads(said, JSON_REJECT_DUPLICATES, &bad), *x;
    const char *id;
    double sum = 0;
    cr_assert(v, "%s: %s", said, bad.text);
    json_object_foreach(json_object_get(v, "scores"), id, x)
    {
        sum += json_number_value(x);
    }
    cr_assert_eq(sum, 24);
    cr_assert_eq(json_number_value(json_array_get(json_object_get(v, "scoreboard"), 0)), 24);
    json_decref(v);
    free(said);
    done(root);
}

/* ---- GitHub ---- */

/* The commands of the step `name` in the workflow, indentation off. */
static char *step_of(const char *name)
{
    return shell(NULL,
                 "awk -v step='- name: %s' 'index($0, step) {found = 1; next} "
                 "found && /- (name|uses):/ {exit} found && /run: \\|/ {on = 1; next} on' "
                 "%s/grading/wrappers/github/classroom.yml",
                 name, o.root);
}

Test(wrappers, github, .timeout = 60)
{
    char *root = new_root(), *step = step_of("Mark"), *build = step_of("Build");
    json_error_t bad;
    cr_assert(strstr(build, "make grading") && strstr(build, "bubblewrap"), "%s", build);
    cr_assert(strstr(step, "export classroom"), "%s", step);
    free(shell(NULL,
               "set -e; cd %s; mkdir -p build labs/" LAB "; ln -s \"$(realpath %s)\" build/bin; "
               "cp %s/solutions/" LAB "/" LAB ".cu labs/" LAB,
               root, o.bin, o.root));
    char *path = xformat("%s/step.sh", root);
    cr_assert_eq(file_write(path, step, strlen(step)), 0);
    free(shell(NULL, "cd %s && LAB=" LAB " GITHUB_OUTPUT=out bash -e step.sh 2>&1", root));
    char *text = shell(NULL, "cd %s && sed -n 's/^result=//p' out | base64 -d", root);
    json_t *v = json_loads(text, 0, &bad);
    cr_assert(v, "%s: %s", text, bad.text);
    cr_assert_eq(json_integer_value(json_object_get(v, "version")), 1);
    cr_assert_str_eq(json_text(v, "status"), "pass");
    cr_assert_eq(json_double(v, "max_score"), 24);
    cr_assert_gt(json_array_size(json_object_get(v, "tests")), 5);
    json_decref(v);
    free(text);
    free(path);
    free(step);
    free(build);
    done(root);
}
