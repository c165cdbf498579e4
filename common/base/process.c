/* process.c - see process.h. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

/* False at its end. */
static bool take(int fd, struct text *t)
{
    char bytes[8192];
    ssize_t n = read(fd, bytes, sizeof(bytes));

    if (n > 0)
        text_bytes(t, bytes, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR);
}

static void take_both(int out, int err, struct text *o, struct text *e)
{
    struct pollfd p[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};

    while (p[0].fd >= 0 || p[1].fd >= 0) {
        if (poll(p, 2, -1) < 0)
            continue; /* a signal: what was seen before is not news */
        for (int i = 0; i < 2; i++) {
            if (p[i].fd >= 0 && p[i].revents && !take(p[i].fd, i ? e : o))
                p[i].fd = -1;
        }
    }
}

static _Noreturn void become(char *const argv[], bool alone, int out, int err)
{
    int null = open("/dev/null", O_RDONLY);

    if (alone)
        setpgid(0, 0);
    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(NO_PROGRAM);
    execvp(argv[0], argv);
    _exit(NO_PROGRAM);
}

int call_program(char *const argv[], bool alone, struct text *out, struct text *err)
{
    int o[2], e[2] = {-1, -1}, status = 0;
    bool two = out != err;

    if (pipe2(o, O_CLOEXEC))
        return -1;
    if (two && pipe2(e, O_CLOEXEC)) {
        close(o[0]), close(o[1]);
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0)
        become(argv, alone, o[1], two ? e[1] : o[1]);
    close(o[1]);
    if (two)
        close(e[1]);
    take_both(o[0], e[0], out, err);
    close(o[0]);
    if (two)
        close(e[0]);
    if (pid < 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
