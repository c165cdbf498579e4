/* tests_main.c - runs the unit tests that criterion/criterion.h collected.
 *
 *   tests [TEXT]   those whose "suite::name" contains TEXT
 *
 * A process a test; ended by a signal, or by its time, a test has failed. What it wrote is
 * shown then. Exits with 1 when one has failed.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT 120 /* seconds; a test's own is for a real processor, and is given ten times */

enum { PASSED = 0, FAILED = 1, SKIPPED = 77 };

static struct arm64_test *tests;
static int failures; /* of the test that this process runs */

void arm64_add(struct arm64_test *t)
{
    t->next = tests;
    tests = t;
}

void arm64_failed(const char *file, int line, int fatal, const char *what, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "%s:%d: %s:", file, line, what);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    failures++;
    if (fatal)
        exit(FAILED);
}

void arm64_skip(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(SKIPPED);
}

void arm64_log(const char *format, ...) /* shown where the test fails */
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static void run_here(const struct arm64_test *t)
{
    for (const struct arm64_test *s = tests; s; s = s->next)
        if (!s->run && s->init && strcmp(s->suite, t->suite) == 0)
            s->init();
    alarm(t->timeout ? 10 * t->timeout : TIMEOUT);
    if (t->init)
        t->init();
    t->run();
    if (t->fini)
        t->fini();
    for (const struct arm64_test *s = tests; s; s = s->next)
        if (!s->run && s->fini && strcmp(s->suite, t->suite) == 0)
            s->fini();
    exit(failures ? FAILED : PASSED);
}

static void show(FILE *f)
{
    rewind(f);
    for (int c; (c = getc(f)) != EOF;)
        putchar(c);
}

static int run(const struct arm64_test *t)
{
    FILE *said = tmpfile();
    int status;

    fflush(NULL);
    pid_t child = said ? fork() : -1;
    if (child < 0) {
        perror("tests");
        exit(2);
    }
    if (child == 0) {
        dup2(fileno(said), STDOUT_FILENO);
        dup2(fileno(said), STDERR_FILENO);
        run_here(t);
    }
    waitpid(child, &status, 0);
    int result = WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
    if (result != PASSED)
        show(said);
    if (WIFSIGNALED(status))
        printf("ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    fclose(said);
    return result;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;

    for (const struct arm64_test *t = tests; t; t = t->next) {
        char name[256];

        snprintf(name, sizeof(name), "%s::%s", t->suite, t->name);
        if (!t->run || (argc > 1 && !strstr(name, argv[1])))
            continue;
        switch (run(t)) {
        case PASSED:
            passed++;
            break;
        case SKIPPED:
            skipped++;
            printf("skipped: %s\n", name);
            break;
        default:
            failed++;
            printf("FAIL %s\n", name);
        }
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed || !passed;
}
