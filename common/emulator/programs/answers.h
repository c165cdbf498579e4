/* answers.h - programs that ask the runtime, and print a line an answer: NAME.cu's on an H200 are
 * kept in answers/NAME.h200, and the emulator is held to them (run.sh).
 *
 * Each topic is asked in a process of its own, so that a fault or a crash ends that topic alone.
 */
#ifndef ANSWERS_H
#define ANSWERS_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

/* What a call answers, and the error that it leaves where that is another. */
#define ASK(call) answer(#call, call)
/* The same of a call that is told in other words. */
#define TELL(what, call) answer(what, call)
/* What must be so for the questions to mean anything. */
#define MUST(call) must(__LINE__, #call, call)

static void must(int line, const char *what, cudaError_t e)
{
    if (e == cudaSuccess)
        return;
    printf("line %d: %s: %s\n", line, what, cudaGetErrorName(e));
    fflush(stdout);
    _exit(1);
}

static void answer(const char *what, cudaError_t e)
{
    cudaError_t left = cudaGetLastError();

    printf("  %s: %s", what, cudaGetErrorName(e));
    if (left != e)
        printf(", leaves %s", cudaGetErrorName(left));
    printf("\n");
    fflush(stdout);
}

static void value(const char *what, long long v)
{
    printf("  %s = %lld\n", what, v);
    fflush(stdout);
}

/* A topic named as its function; the names that the program was given, or all. */
struct topic {
    const char *name;
    void (*ask)();
};

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc < 2;
}

static void ask_all(const struct topic *topics, size_t n, int argc, char **argv)
{
    for (size_t i = 0; i < n; i++) {
        int status = 0;

        if (!wanted(topics[i].name, argc, argv))
            continue;
        printf("%s\n", topics[i].name);
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            topics[i].ask();
            fflush(stdout);
            _exit(0);
        }
        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status))
            printf("  ended by signal %d\n", WTERMSIG(status));
        else if (WEXITSTATUS(status))
            printf("  ended with status %d\n", WEXITSTATUS(status));
    }
}

#endif
