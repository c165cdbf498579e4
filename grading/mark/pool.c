/* pool.c - forked workers, each with an engine. See pool.h. */
#include "pool.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 64, MAX_VERDICT = 64 << 20 };

struct worker {
    pid_t pid;
    int fd;
    int item; /* -1: idle */
    int number;
};

static bool all_of(int fd, void *data, size_t n, bool writing)
{
    char *p = data;
    while (n) {
        ssize_t k = writing ? write(fd, p, n) : read(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

static _Noreturn void work(int fd, const char *lab, const struct engine_options *all, int number,
                           const struct pool_item *items)
{
    struct engine e;
    struct engine_options o = *all;
    struct text why = {0};
    int32_t i;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the boxes below die with us in turn */
    o.gpu_index += number;            /* workers share a machine's GPUs evenly */
    if (!engine_open(&e, lab, &o, &why))
        die("%s", why.s);
    while (all_of(fd, &i, sizeof(i), false)) {
        struct verdict *v = engine_mark(&e, items[i].name, items[i].source, items[i].length);
        char *text = verdict_text(v, 0);
        uint32_t n = (uint32_t)strlen(text);
        if (!all_of(fd, &n, sizeof(n), true) || !all_of(fd, text, n, true))
            break;
        free(text);
        verdict_free(v);
    }
    engine_close(&e);
    _exit(0);
}

static void start(struct worker *w, int number, const char *lab, const struct engine_options *o,
                  const struct pool_item *items)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        die("cannot start a worker: %s", strerror(errno));
    fflush(NULL);
    *w = (struct worker){.pid = fork(), .fd = pair[0], .item = -1, .number = number};
    if (w->pid < 0)
        die("cannot start a worker: %s", strerror(errno));
    if (w->pid == 0) {
        close(pair[0]);
        work(pair[1], lab, o, number, items);
    }
    close(pair[1]);
}

static void stop(struct worker *w)
{
    shutdown(w->fd, SHUT_RDWR); /* workers forked later hold copies: closing is not enough */
    close(w->fd);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
}

static bool give(struct worker *w, int item)
{
    int32_t i = item;
    w->item = item;
    return all_of(w->fd, &i, sizeof(i), true);
}

/* The verdict a worker sends, for free(); or NULL when it has died. */
static char *take(struct worker *w)
{
    uint32_t n;
    if (!all_of(w->fd, &n, sizeof(n), false) || n > MAX_VERDICT)
        return NULL;
    char *text = xzalloc((size_t)n + 1);
    if (all_of(w->fd, text, n, false))
        return text;
    free(text);
    return NULL;
}

static char *failed_verdict(const char *lab, const struct engine_options *o, const char *name)
{
    struct engine e;
    struct text why = {0};
    if (!engine_open(&e, lab, o, &why))
        die("%s", why.s);
    struct verdict *v = engine_no_mark(
        &e, name, VERDICT_FAILED, "The grader's worker ended while marking this; mark it again.");
    engine_close(&e);
    char *text = verdict_text(v, 0);
    verdict_free(v);
    return text;
}

void pool_run_unread(const char *lab, const struct engine_options *o, const struct pool_item *items,
                     int n, int jobs, pool_said *said, void (*tick)(void *user), void *user)
{
    struct worker workers[MAX_JOBS];
    struct pollfd polls[MAX_JOBS];
    int next = 0, finished = 0;
    bool go_on = true;
    jobs = jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : jobs;
    jobs = jobs < n ? jobs : n;
    for (int k = 0; k < jobs; k++) {
        start(&workers[k], k, lab, o, items);
        give(&workers[k], next++);
    }
    while (finished < n && go_on) {
        for (int k = 0; k < jobs; k++)
            polls[k] = (struct pollfd){workers[k].item >= 0 ? workers[k].fd : -1, POLLIN, 0};
        poll(polls, (nfds_t)jobs, 200);
        for (int k = 0; k < jobs && go_on; k++) {
            if (!polls[k].revents)
                continue;
            int item = workers[k].item;
            char *text = take(&workers[k]);
            if (!text) {
                stop(&workers[k]);
                start(&workers[k], k, lab, o, items);
                text = failed_verdict(lab, o, items[item].name);
            }
            workers[k].item = -1;
            if (next < n)
                give(&workers[k], next++);
            go_on = said(user, item, text, strlen(text));
            free(text);
            finished++;
        }
        if (tick)
            tick(user);
    }
    for (int k = 0; k < jobs; k++) {
        if (workers[k].item >= 0)
            kill(workers[k].pid, SIGKILL); /* stopped early */
        stop(&workers[k]);
    }
}

struct reader {
    const char *lab;
    const struct engine_options *o;
    const struct pool_item *items;
    pool_done *done;
    void (*tick)(void *user);
    void *user;
};

/* What is no verdict (our bug) costs its item one, not the class. */
static bool read_it(void *user, int item, const char *text, size_t length)
{
    struct reader *r = user;
    char *why = NULL, *failed = NULL;
    struct verdict *v = verdict_read(text, length, &why);

    if (!v) {
        failed = failed_verdict(r->lab, r->o, r->items[item].name);
        v = verdict_read(failed, strlen(failed), &why);
    }
    bool go_on = r->done(r->user, item, v);
    verdict_free(v);
    free(failed);
    free(why);
    return go_on;
}

static void pass_on(void *user)
{
    struct reader *r = user;

    if (r->tick)
        r->tick(r->user);
}

void pool_run(const char *lab, const struct engine_options *o, const struct pool_item *items, int n,
              int jobs, pool_done *done, void (*tick)(void *user), void *user)
{
    struct reader r = {lab, o, items, done, tick, user};

    pool_run_unread(lab, o, items, n, jobs, read_it, pass_on, &r);
}
