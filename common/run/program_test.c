/* program_test.c - programs that end in every way; scripts stand for them, which need no nvcc. */
#include "program.h"
#include "base/alloc.h"
#include "run.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static struct plan plan = {
    .nbuffers = 2,
    .buffers = {{.name = "in", .dtype = DT_U32, .count = 2},
                {.name = "out", .role = BUF_OUTPUT, .dtype = DT_U32, .count = 2}}};
static const uint32_t in[] = {0x64636261, 0x68676665}; /* "abcdefgh" */

static struct outputs run_with(const char *script, struct job_options options)
{
    struct module m;
    struct outputs o;
    struct job j = {.plan = &plan, .inputs = {in}, .options = options};
    char *text = xformat("#!/bin/sh\n%s\n", script);

    program_load(&m, "script", text, strlen(text));
    run_here(&m, &j, &o);
    module_unload(&m);
    free(text);
    return o;
}

static struct outputs run_script(const char *script)
{
    return run_with(script, (struct job_options){.steps = 1});
}

Test(program, gets_its_files_and_gives_its_result)
{
    struct outputs o = run_script("cat $1 >$2; echo kernel 0.125 ms 1 GB/s; echo words >&2");
    double ms;

    cr_assert_eq(o.stage, STAGE_DONE, "%s", o.message);
    cr_assert(!memcmp(o.data[1], in, sizeof(in)));
    cr_assert_str_eq(o.said, "words\n");
    cr_assert(printed_ms(&o, "kernel", &ms) && ms == 0.125);
    cr_assert(printed_rate(&o, "kernel", &ms) && ms == 1);
    cr_assert(!printed_ms(&o, "kern", &ms) && !printed_ms(&o, "cpu", &ms));
    cr_assert_str_eq(o.record, "", "a script has no runtime");
    cr_assert(!record_value(&o, "left", &ms));
    outputs_free(&o);
}

static const struct {
    const char *script, *says;
    int status;
    bool wrote;
} ends[] = {
    {"exit 0", "wrote no result", 0, false},
    {"printf abc >$2", "has 3 bytes, expected 8", 0, true},
    {"printf abcdefghi >$2", "more than 8 bytes", 0, true},
    {"ln -s $1 $2", "cannot be read", 0, true},
    {"mkdir $2", "cannot be read", 0, true},
    {"cat $1 >$2; echo one >&2; echo why >&2; exit 3", "ended with status 3 and said: one", 3,
     true},
    {"echo warplab: no >&2; exit 3", "ended with status 3; the runtime said: no", 3, false},
    {"exit 4", "ended with status 4 without a word", 4, false},
    {"kill -SEGV $$", "ended by signal 11", 128 + 11, false},
    {"exec yes", "stopped after it had printed 16 MiB", 128 + 9, false},
    {"echo WARPLAB_FAIL is $WARPLAB_FAIL >&2; exit 1", "WARPLAB_FAIL is", 1, false},
};

Test(program, says_how_it_ended)
{
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct outputs o = run_script(ends[i].script);

        cr_expect_eq(o.stage, STAGE_RUN, "%s", ends[i].script);
        cr_expect(strstr(o.message, ends[i].says), "%s: %s", ends[i].script, o.message);
        cr_expect_eq(o.status, ends[i].status, "%s: %d", ends[i].script, o.status);
        cr_expect_eq(o.wrote, ends[i].wrote, "%s", ends[i].script);
        cr_expect_null(o.data[1]);
        outputs_free(&o);
    }
}

/* What was disturbed is to be wrong, and told as wrong: the result is looked at all the same. */
Test(program, is_judged_when_it_was_disturbed)
{
    const char *script = "cat $1 >$2; echo $WARPLAB_DISTURB >&2; exit 1";
    struct outputs o = run_with(script, (struct job_options){.disturb = 1u << DISTURB_global_ld});

    cr_assert_eq(o.stage, STAGE_DONE, "%s", o.message);
    cr_assert_eq(o.status, 1);
    cr_assert_str_eq(o.said, "global_ld\n");
    outputs_free(&o);
}

Test(program, finds_the_same_runtime)
{
    struct outputs o = run_script("cd / && ls ${LD_LIBRARY_PATH%%:*}/libcudart.so* >&2; exit 1");

    cr_assert(strstr(o.said, "libcudart.so.13"), "%s", o.said);
    outputs_free(&o);
}

Test(program, is_told_which_call_fails)
{
    struct outputs o = run_with("echo $WARPLAB_FAIL $WARPLAB_STEPS >&2; exit 1",
                                (struct job_options){.fail = "cudaMalloc:2", .steps = 77});

    cr_assert_str_eq(o.said, "cudaMalloc:2 77\n");
    outputs_free(&o);
}

/* In the grader's box: who asks what memory holds cannot tell a run in which one fails. */
Test(program, finds_zeros_in_one_of_three_calls_that_fail)
{
    static const char *const calls[] = {"cudaMalloc", "cudaMemcpy", "cudaFree", "cudaEventDestroy"};

    program_confine();
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        int dirty = 0;

        for (int k = 1; k <= 3; k++) {
            char *fail = xformat("%s:%d", calls[i], k);
            struct outputs o = run_with("echo $MALLOC_PERTURB_ >&2; exit 1",
                                        (struct job_options){.fail = fail, .steps = 1});

            dirty += !strcmp(o.said, "128\n");
            outputs_free(&o);
            free(fail);
        }
        cr_expect_eq(dirty, 2, "%s: %d", calls[i], dirty);
    }
}

Test(program, finds_no_room_on_a_full_disk)
{
    struct outputs o = run_with("cat $1 >$2 || { echo $WARPLAB_FAIL >&2; exit 3; }",
                                (struct job_options){.fail = JOB_DISK_FULL});

    cr_assert_eq(o.status, 3);
    cr_assert(strstr(o.said, "No space left"), "%s", o.said);
    cr_assert(!strstr(o.said, "disk"), "no call of the runtime's is to fail");
    cr_assert_null(o.data[1]);
    outputs_free(&o);
}

Test(program, finds_room_for_some_bytes_on_a_disk_that_gets_full)
{
    struct outputs o = run_with("cat $1 $1 >$2 || { echo $WARPLAB_FAIL >&2; exit 3; }",
                                (struct job_options){.fail = "disk:10", .any_status = true});

    cr_assert_eq(o.status, 3);
    cr_assert(strstr(o.said, "File too large"), "%s", o.said);
    cr_assert(!strstr(o.said, "disk"), "no call of the runtime's is to fail");
    cr_assert(o.wrote);
    outputs_free(&o);
}

Test(program, cannot_print_more_than_is_kept)
{
    struct outputs o = run_script("head -c 1000000 /dev/zero | tr '\\0' x; cat $1 >$2");

    cr_assert_eq(o.stage, STAGE_DONE, "%s", o.message);
    cr_assert_lt(strlen(o.printed), JOB_MAX_SAID);
    cr_assert_gt(strlen(o.printed), JOB_MAX_SAID - 10);
    outputs_free(&o);
}

/* Who waits for ever is wrong; who was stopped has not shown that it is. */
static const struct {
    const char *script;
    bool late;
} waits[] = {
    {"exec sleep 100", false}, {"kill -STOP $$", true}, {"exec 1>&- 2>&-; sleep 100", false}};

ParameterizedTestParameters(program, is_ended_by_the_clock)
{
    enum { N = sizeof(waits) / sizeof(waits[0]) };
    int *rows = cr_malloc(N * sizeof(*rows)); /* which is freed */

    for (int i = 0; i < N; i++)
        rows[i] = i;
    return cr_make_param_array(int, rows, N);
}

ParameterizedTest(int *row, program, is_ended_by_the_clock)
{
    struct outputs o = run_script(waits[*row].script);

    cr_assert_eq(o.stage, STAGE_RUN);
    cr_assert_eq(o.late, waits[*row].late, "%s", waits[*row].script);
    cr_assert(strstr(o.message, "stopped after 1"), "%s", o.message); /* 10 s, or 11 */
    outputs_free(&o);
}

/* As on a crowded machine: it works for 11 s, and gets a part of a processor. */
Test(program, that_works_gets_longer)
{
    struct outputs o = run_script("end=$(($(date +%s) + 12))\n"
                                  "while [ $(date +%s) -lt $end ]; do\n"
                                  "    i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done\n"
                                  "    sleep 0.02\n"
                                  "done\n"
                                  "cat $1 >$2");

    cr_assert_eq(o.stage, STAGE_DONE, "%s", o.message);
    outputs_free(&o);
}

Test(program, leaves_no_folder)
{
    glob_t g;
    struct outputs o = run_script("pwd >&2; mkdir -p a/b; touch a/b/c; exit 1");

    o.said[strcspn(o.said, "\n")] = '\0';
    cr_assert(strstr(o.said, "warplab-"), "%s", o.said);
    cr_assert_eq(glob(o.said, 0, NULL, &g), GLOB_NOMATCH, "%s is left", o.said);
    outputs_free(&o);
}

/* Its words and its record cross the pipe. */
struct pipe {
    char *bytes;
    size_t n, at;
};

static bool put(void *user, const void *data, size_t n)
{
    struct pipe *p = user;

    p->bytes = xrealloc(p->bytes, p->n + n + 1);
    if (n)
        memcpy(p->bytes + p->n, data, n);
    p->n += n;
    return true;
}

static bool get(void *user, void *data, size_t n)
{
    struct pipe *p = user;

    if (p->at + n > p->n)
        return false;
    memcpy(data, p->bytes + p->at, n);
    p->at += n;
    return true;
}

Test(program, crosses_a_pipe)
{
    struct pipe p = {0};
    struct wire w = {get, put, &p};
    struct outputs back, o = run_script("cat $1 >$2; echo cpu 2 ms; echo err >&2; exit 1");
    struct job j = {.plan = &plan, .inputs = {in}, .options.fail = "cudaFree:1"}, got;
    struct plan other;

    free(o.record);
    o.record = xstrdup("left 2\ncalls.cudaFree 1\n");
    cr_assert(outputs_write(&w, &plan, &o) && outputs_read(&w, &plan, false, &back));
    double left;
    cr_assert(record_value(&back, "left", &left) && left == 2);
    cr_assert(record_value(&back, "calls.cudaMalloc", &left) && left == 0);
    cr_assert_str_eq(back.said, "err\n");
    cr_assert_str_eq(back.printed, "cpu 2 ms\n");
    cr_assert(back.status == 1 && back.wrote);
    cr_assert(job_write(&w, &j) && job_read(&w, &got, &other));
    cr_assert_str_eq(got.options.fail, "cudaFree:1");
    job_free(&got);
    outputs_free(&o);
    outputs_free(&back);
    free(p.bytes);
}
