/* sandbox_test.c - a box's limits: each takes hold where it says, and no earlier; and that it ends
 * with those who made it. What a box hides and forbids is threats_test.c's matter. */
#include "sandbox.h"
#include "base/clock.h"
#include "base/file.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

#define COUNTING "i=0; while [ $i -lt $0 ]; do i=$((i + 1)); done"

/* Processor time that it takes to count to n here. */
static double counting_s(long n)
{
    char count[24];
    int status;
    struct rusage r;

    snprintf(count, sizeof(count), "%ld", n);
    pid_t p = fork();
    if (!p) {
        execl("/usr/bin/sh", "sh", "-c", COUNTING, count, NULL);
        _exit(127);
    }
    cr_assert(p > 0 && wait4(p, &status, 0, &r) == p && status == 0);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* How a box ends that counts to n with so much on the clock, beside others on one processor. */
static enum box_end end_beside(int others, long n, double wall_s)
{
    char count[24];
    const char *argv[] = {"/usr/bin/sh", "-c", COUNTING, count, NULL};
    struct box_spec spec = {.argv = argv,
                            .wall_s = wall_s,
                            .log_cap = 4096,
                            .binds = {{"/usr/bin", "/usr/bin"}},
                            .nbinds = 1};
    struct box b;
    struct text out = {0};
    size_t dropped;
    cpu_set_t all, one;
    pid_t busy[16];

    snprintf(count, sizeof(count), "%ld", n);
    cr_assert(!sched_getaffinity(0, sizeof(all), &all));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    cr_assert(!sched_setaffinity(0, sizeof(one), &one));
    for (int i = 0; i < others; i++)
        if (!(busy[i] = fork())) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            setsid(); /* by sessions Linux may share a processor out (autogroups) */
            for (volatile int j = 0;; j++)
                ;
        }
    cr_assert(box_start(&b, &spec), "%s", text_str(&b.log));
    box_drain(&b, &out, 4096, &dropped);
    box_finish(&b);
    enum box_end end = b.end;
    text_free(&out);
    box_close(&b);
    for (int i = 0; i < others; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    sched_setaffinity(0, sizeof(all), &all);
    return end;
}

/* Whoever waits for a processor gets its time again; whoever has had one does not. The first needs
 * a quarter of its time, and beside seven others twice as long as it has; the second needs three
 * times as much as it has, which it would get if it got its time ten times again. */
Test(box, is_not_ended_for_others_work)
{
    long n = 100000;
    double takes = counting_s(n);

    while (takes < 0.25) /* its time is to be long beside a box's start */
        takes = counting_s(n *= 2);
    cr_expect_eq(end_beside(7, n, 4 * takes), BOX_EXITED);
    cr_expect_eq(end_beside(0, 12 * n, 4 * takes), BOX_TIMEOUT);
}

static pid_t child_of(pid_t p)
{
    char path[64], line[64] = "";
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)p, (int)p);
    FILE *f = fopen(path, "re");

    if (f && !fgets(line, sizeof(line), f))
        line[0] = 0;
    if (f)
        fclose(f);
    return (pid_t)strtol(line, NULL, 10);
}

/* Whether this machine lets a process trace its children (Yama). */
static bool may_trace(void)
{
    char *scope = NULL;
    size_t n;
    int e = file_read("/proc/sys/kernel/yama/ptrace_scope", 64, &scope, &n);
    int level = e ? 0 : atoi(scope);

    free(scope);
    return level < (geteuid() ? 2 : 3);
}

/* Of a box of which holder and bwrap are killed as soon as its first process is seen. It comes to
 * us, as orphans do. 1: it has ended, 0: it lives on, -1: it was not seen. */
static int end_of_orphan(void)
{
    const char *argv[] = {"/usr/bin/cat", NULL};
    struct box_spec spec = {.argv = argv,
                            .wall_s = 10,
                            .log_cap = 4096,
                            .binds = {{"/usr/bin", "/usr/bin"}},
                            .nbinds = 1};
    struct box b;
    pid_t bwrap = 0, init = 0;
    int ended = 0;

    cr_assert(box_start(&b, &spec), "%s", text_str(&b.log));
    for (double end = now_s() + 5; !init && now_s() < end;) {
        bwrap = bwrap ? bwrap : child_of(b.pid);
        init = bwrap ? child_of(bwrap) : 0;
    }
    kill(b.pid, SIGKILL);
    if (bwrap)
        kill(bwrap, SIGKILL);
    box_close(&b);
    for (int ms = 0; init && !ended && ms < 2000; ms++) {
        ended = waitpid(init, NULL, WNOHANG | __WALL) != 0;
        usleep(1000);
    }
    if (init && !ended)
        kill(init, SIGKILL);
    return init ? ended : -1;
}

Test(box, ends_with_those_who_made_it)
{
    int seen = 0;

    if (!may_trace())
        cr_skip_test("tracing is refused here (kernel.yama.ptrace_scope)");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int i = 0; i < 30; i++) {
        int ended = end_of_orphan();
        cr_assert_neq(ended, 0, "in turn %d it waits for a word of the dead", i);
        seen += ended > 0;
    }
    cr_expect_gt(seen, 15, "its first process was seen %d times", seen);
}

static char state_of(pid_t p)
{
    char path[64], state = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)p);
    FILE *f = fopen(path, "re");

    if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (f)
        fclose(f);
    return state;
}

Test(box, its_holder_sleeps_while_it_runs_unconfined)
{
    const char *argv[] = {"/usr/bin/cat", NULL};
    struct box_spec spec = {.argv = argv, .wall_s = 10, .log_cap = 4096, .unconfined = true};
    struct box b;
    int asleep = 0; /* looks one after another */

    cr_assert(box_start(&b, &spec), "%s", text_str(&b.log));
    for (double end = now_s() + 5; asleep < 10 && now_s() < end; usleep(1000))
        asleep = state_of(b.pid) == 'S' ? asleep + 1 : 0;
    cr_expect_eq(asleep, 10);
    box_close(&b);
}

Test(box, its_program_is_not_traced)
{
    const char *argv[] = {"/usr/bin/grep", "-q", "TracerPid:.0$", "/proc/self/status", NULL};

    cr_expect_eq(exit_of(argv), 0);
}

/* Small pieces wait for one another, and for nothing longer than an answer is asked for. */
Test(box, pieces_arrive_in_their_order)
{
    const char *cat[] = {"/usr/bin/cat", NULL};
    struct box_spec spec = {.argv = cat,
                            .wall_s = 10,
                            .cpu_s = 5,
                            .log_cap = 4096,
                            .binds = {{"/usr/bin", "/usr/bin"}},
                            .nbinds = 1};
    static uint32_t large[1 << 14], back[1 << 14];
    struct box b;

    for (uint32_t i = 0; i < 1 << 14; i++)
        large[i] = i * 0x9e3779b9u;
    cr_assert(box_start(&b, &spec), "%s", text_str(&b.log));
    for (uint32_t i = 0; i < 2000; i++)
        cr_assert(box_send(&b, &i, sizeof(i)));
    for (uint32_t i = 0, got; i < 2000; i++) {
        cr_assert(box_receive(&b, &got, sizeof(got)));
        cr_assert_eq(got, i);
    }
    cr_assert(box_send(&b, "last", 4) && box_send(&b, large, 1 << 16));
    cr_assert(box_receive(&b, back, 4) && !memcmp(back, "last", 4));
    cr_assert(box_receive(&b, back, 1 << 16) && !memcmp(back, large, 1 << 16));
    cr_assert(box_send(&b, "end, rest", 9));
    box_end_input(&b);
    cr_assert(box_receive(&b, back, 3) && !memcmp(back, "end", 3));
    struct text rest = {0};
    size_t dropped;
    box_drain(&b, &rest, 4, &dropped); /* what was read ahead is in front */
    cr_expect_str_eq(text_str(&rest), ", re");
    cr_expect_eq(dropped, 2);
    text_free(&rest);
    cr_expect_not(box_receive(&b, back, 1));
    box_finish(&b);
    cr_expect_eq(b.exit_code, 0);
    box_close(&b);
}
