/* tests_main.c - runs the unit tests that criterion/criterion.h collected.
 *
 *   tests [-j N] [--filter PATTERN] [--timeout SECONDS]
 *
 * Those whose "suite/name" is as PATTERN, a shell's with !(…) and @(…), N at once (as many as
 * there are processors). A process a test, forked from this one; ended by a signal, by its time
 * (of the processor, or five times that by the clock), by a sanitizer or before its end, a test has
 * failed. What it wrote is shown then. Exits with 1 when one has failed, or none was run.
 */
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PASSED = 0, FAILED = 1, SKIPPED = 77 };
enum { MAX_JOBS = 64, SLOWER = 10 /* a test's own time is for a real processor, without checks */ };
enum { PATIENCE = 5 };

/* Of the test that a process runs; its children's failures are its own. */
struct told {
    atomic_int failures;
    atomic_bool ended;
};

struct job {
    const struct unit_test *test; /* NULL: free */
    void *parameter;
    struct told *told;
    FILE *said;
    pid_t child;
};

static struct unit_test *tests;
static struct told *told;
static int timeout = 120; /* seconds */
static struct job jobs[MAX_JOBS];
static int jobs_most, running, passed, failed, skipped;

void unit_add(struct unit_test *t)
{
    t->next = tests;
    tests = t;
}

static void say(const char *format, va_list args)
{
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void unit_failed(const char *file, int line, int fatal, const char *what, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: %s:", file, line, what);
    va_start(args, format);
    say(format, args);
    va_end(args);
    told->failures++;
    if (fatal) {
        fflush(NULL);
        _exit(FAILED);
    }
}

void unit_skip(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
    _exit(SKIPPED);
}

void unit_log(const char *format, ...) /* shown where the test fails */
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
}

static bool is_suite(const struct unit_test *t)
{
    return !t->run && !t->run_with;
}

/* So many seconds of this process's processor time: how long a crowded machine takes over them
 * says nothing. One that waits for ever ends by the clock. */
static void limit(int seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = seconds}}, NULL);
    alarm(PATIENCE * (unsigned)seconds);
}

static void run_here(const struct job *job)
{
    const struct unit_test *t = job->test;

    told = job->told;
    dup2(fileno(job->said), STDOUT_FILENO);
    dup2(fileno(job->said), STDERR_FILENO);
    limit(t->timeout ? SLOWER * (int)t->timeout : timeout);
    for (const struct unit_test *s = tests; s; s = s->next)
        if (is_suite(s) && s->init && strcmp(s->suite, t->suite) == 0)
            s->init();
    if (t->init)
        t->init();
    if (t->run)
        t->run();
    else
        t->run_with(job->parameter);
    if (t->fini)
        t->fini();
    for (const struct unit_test *s = tests; s; s = s->next)
        if (is_suite(s) && s->fini && strcmp(s->suite, t->suite) == 0)
            s->fini();
    told->ended = true;
    exit(told->failures ? FAILED : PASSED);
}

static void show(FILE *f)
{
    rewind(f);
    for (int c; (c = getc(f)) != EOF;)
        putchar(c);
}

static void judge(const struct job *job, int status)
{
    int result = WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;

    if (result == SKIPPED) {
        skipped++;
        show(job->said);
        printf("skipped: %s/%s\n", job->test->suite, job->test->name);
    } else if (result == PASSED && job->told->ended && !job->told->failures) {
        passed++;
    } else {
        failed++;
        show(job->said);
        if (WIFSIGNALED(status))
            printf("ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
        else if (!job->told->ended && !job->told->failures)
            printf("ended before its end, with status %d\n", result);
        printf("FAIL %s/%s\n", job->test->suite, job->test->name);
    }
}

static void wait_for_one(void)
{
    int status;
    pid_t child = wait(&status);

    for (struct job *job = jobs; job < jobs + jobs_most; job++) {
        if (!job->test || job->child != child)
            continue;
        judge(job, status);
        fclose(job->said);
        munmap(job->told, sizeof(*job->told));
        job->test = NULL;
        running--;
    }
}

static void start(const struct unit_test *t, void *parameter)
{
    struct job *job = jobs;

    while (running == jobs_most)
        wait_for_one();
    while (job->test)
        job++;
    *job = (struct job){.test = t, .parameter = parameter, .said = tmpfile()};
    job->told =
        mmap(NULL, sizeof(*job->told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(NULL);
    job->child = job->said && job->told != MAP_FAILED ? fork() : -1;
    if (job->child < 0) {
        perror("tests");
        exit(2);
    }
    if (job->child == 0)
        run_here(job);
    running++;
}

static void start_each(const struct unit_test *t)
{
    if (!t->parameters) {
        start(t, NULL);
        return;
    }
    struct unit_parameters p = t->parameters();
    for (size_t i = 0; i < p.count; i++)
        start(t, (char *)p.values + i * p.size);
    free(p.values); /* each process has its own */
}

static bool wanted(const struct unit_test *t, const char *pattern)
{
    char name[256];

    snprintf(name, sizeof(name), "%s/%s", t->suite, t->name);
    return !is_suite(t) && fnmatch(pattern, name, FNM_EXTMATCH) == 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"filter", required_argument, NULL, 'f'},
        {"timeout", required_argument, NULL, 't'},
        {0},
    };
    const char *pattern = "*";

    jobs_most = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int o; (o = getopt_long(argc, argv, "j:", options, NULL)) != -1;) {
        switch (o) {
        case 'f':
            pattern = optarg;
            break;
        case 'j':
            jobs_most = atoi(optarg);
            break;
        case 't':
            timeout = atoi(optarg);
            break;
        default:
            return 2;
        }
    }
    if (jobs_most < 1 || jobs_most > MAX_JOBS)
        jobs_most = MAX_JOBS;
    for (const struct unit_test *t = tests; t; t = t->next)
        if (wanted(t, pattern))
            start_each(t);
    while (running)
        wait_for_one();
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed || !passed;
}
