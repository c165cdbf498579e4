/* sandbox.c - boxes made with bubblewrap and seccomp. See sandbox.h.
 *
 * bwrap is started with an empty environment and reads its arguments from a descriptor, as both
 * could be read in the box (/proc/1); standard streams are pipes, the seccomp program is on 3, its
 * status report on 4, the arguments are on 5; every other descriptor is closed before exec.
 * Limits are set before exec and inherited.
 * Not limited here: CPU share and total memory of several boxes at once (the batch runs
 * as many as there are cores).
 */
#include "sandbox.h"
#include "filter.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGS = 256, MAX_ENV = 16 };

/* ---- starting ---- */

struct args {
    const char *v[MAX_ARGS];
    int n;
};

static void add(struct args *a, const char *s)
{
    if (a->n + 1 >= MAX_ARGS)
        die("sandbox: too many arguments");
    a->v[a->n++] = s;
}

static void add3(struct args *a, const char *x, const char *y, const char *z)
{
    add(a, x);
    add(a, y);
    add(a, z);
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* Beside the one GPU's own device file; those for parts of a GPU (MIG), and Windows' (WSL). */
static const char *const gpu_devices[] = {"/dev/nvidiactl", "/dev/nvidia-uvm",
                                          "/dev/nvidia-uvm-tools", "/dev/nvidia-caps", "/dev/dxg"};

static const char *const tool_folders[] = {"/usr/bin", "/usr/include", "/usr/libexec"};

static void box_arguments(struct args *a, const struct box_spec *s)
{
    static const char *const fixed[] = {"--unshare-all",
                                        "--unshare-user",
                                        "--disable-userns",
                                        "--die-with-parent",
                                        "--new-session",
                                        "--cap-drop",
                                        "ALL",
                                        "--hostname",
                                        "box",
                                        "--seccomp",
                                        "3",
                                        "--json-status-fd",
                                        "4",
                                        "--ro-bind",
                                        "/usr/lib",
                                        "/usr/lib",
                                        "--symlink",
                                        "usr/lib",
                                        "/lib"};
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        add(a, fixed[i]);
    if (exists("/usr/lib64")) {
        add3(a, "--ro-bind", "/usr/lib64", "/usr/lib64");
        add3(a, "--symlink", "usr/lib64", "/lib64");
    }
    if (s->gpu && exists("/etc/ld.so.cache")) /* the driver's own libraries are anywhere */
        add3(a, "--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache");
    if (!s->no_proc) {
        add(a, "--proc");
        add(a, "/proc");
    }
    add(a, "--dev");
    add(a, "/dev");
    for (size_t i = 0; s->gpu && i < sizeof(gpu_devices) / sizeof(gpu_devices[0]); i++)
        if (exists(gpu_devices[i]))
            add3(a, "--dev-bind", gpu_devices[i], gpu_devices[i]);
    if (s->gpu && exists(s->gpu))
        add3(a, "--dev-bind", s->gpu, s->gpu);
    if (s->gpu)
        add3(a, "--ro-bind", "/sys", "/sys");
    for (size_t i = 0; s->tools && i < sizeof(tool_folders) / sizeof(tool_folders[0]); i++)
        if (exists(tool_folders[i]))
            add3(a, "--ro-bind", tool_folders[i], tool_folders[i]);
    if (s->tools)
        add3(a, "--symlink", "usr/bin", "/bin");
    add(a, "--size");
    add3(a, s->tools ? "268435456" : "16777216", "--tmpfs", "/tmp");
    for (int i = 0; i < s->nbinds; i++)
        add3(a, "--ro-bind", s->binds[i].host, s->binds[i].inside);
    add3(a, "--setenv", "PATH", "/usr/bin");
    for (const char *const *e = s->env; e && e[0] && e[1]; e += 2)
        add3(a, "--setenv", e[0], e[1]);
    add3(a, "--remount-ro", "/", "--chdir");
    add(a, "/tmp");
}

static void limit(int what, rlim_t value)
{
    struct rlimit l = {value, value};
    setrlimit(what, &l);
}

enum { FD_FILTER = 3, FD_STATUS, FD_ARGS, FD_LIFE, FD_END };

/* Puts the box's descriptors on 0 to 5 and the life line on 6; nothing else stays open. */
static void only_these(const int fds[FD_END])
{
    int high[FD_END];
    for (int i = 0; i < FD_END; i++) /* out of the way first */
        high[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD, 64);
    for (int i = 0; i < FD_END; i++)
        if (high[i] < 0 || dup2(high[i], i) < 0)
            close(i);
    close_range(FD_END, ~0u, 0);
}

/* Becomes bwrap, or the program itself, once `start` ends: the holder traces us by then. */
static _Noreturn void child(const struct box_spec *s, struct args *a, char *const *env,
                            pid_t holder, int start)
{
    char ignored_byte;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (read(start, &ignored_byte, 1) < 0 && errno == EINTR)
        ;
    if (getppid() != holder) /* it has died before that */
        _exit(127);
    close_range(s->unconfined ? FD_FILTER : FD_LIFE, ~0u, 0);
    limit(RLIMIT_CORE, 0);
    if (s->cpu_s > 0)
        limit(RLIMIT_CPU, (rlim_t)(s->cpu_s + 1));
    if (s->file_bytes)
        limit(RLIMIT_FSIZE, s->file_bytes);
    if (s->address_bytes)
        limit(RLIMIT_AS, s->address_bytes);
    limit(RLIMIT_NOFILE, 256);
    for (int sig = 1; sig < 32; sig++)
        signal(sig, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(a->v[0], (char *const *)a->v, env);
    static const char message[] = "cannot start the sandbox's program\n";
    ssize_t ignored = write(2, message, sizeof(message) - 1);
    (void)ignored;
    _exit(127);
}

/* From the kernel's list, which not every kernel keeps; else by looking at all processes. */
static pid_t first_child(pid_t p)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)p, (int)p);
    FILE *f = fopen(path, "re");
    if (f) {
        if (!fgets(line, sizeof(line), f))
            line[0] = 0;
        fclose(f);
        return (pid_t)strtol(line, NULL, 10);
    }
    DIR *d = errno == ENOENT && !kill(p, 0) ? opendir("/proc") : NULL;
    pid_t found = 0;
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        int parent;
        snprintf(path, sizeof(path), "/proc/%.20s/stat", e->d_name);
        if (e->d_name[0] < '1' || e->d_name[0] > '9' || !(f = fopen(path, "re")))
            continue;
        const char *name_end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
        if (name_end && sscanf(name_end, ") %*c %d", &parent) == 1 && parent == (int)p)
            found = (pid_t)strtol(e->d_name, NULL, 10);
        fclose(f);
    }
    if (d)
        closedir(d);
    return found;
}

/* ---- what dies with whom ----
 *
 *      grader ── life line ── holder ── bwrap ── init ── program
 *
 * The holder stands between the grader and bwrap and outlives a grader that is killed: whatever is
 * orphaned below becomes its child and is killed here. When it is killed itself, bwrap dies
 * (--die-with-parent), and init, and with that all of the box. But bwrap makes init and lets it
 * wait for a word; where holder and bwrap are killed before that (a cluster's SIGKILL to all that
 * its list has), init would wait for ever. The kernel kills what is traced with its tracer, from
 * its first instruction on: so init is traced by the holder until it makes the program, and the
 * program not at all. Where tracing is refused, a box works as well, without that.
 */
enum { TRACE = PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE };

struct watched {
    pid_t bwrap, init; /* init: 0 until it is made */
    int status;        /* bwrap's */
    bool ended;
};

/* bwrap makes init, init the program: who has made one is not traced any more, nor is the program.
 * All else, as a signal, goes its way. */
static void on_stop(struct watched *w, pid_t p, int status)
{
    int event = status >> 16;
    bool made = event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_CLONE;

    if (!w->init && p != w->bwrap)
        w->init = p;
    if (made || (p != w->bwrap && p != w->init))
        ptrace(PTRACE_DETACH, p, NULL, NULL);
    else
        ptrace(PTRACE_CONT, p, NULL, (void *)(intptr_t)(event ? 0 : WSTOPSIG(status)));
}

/* Takes in all that children and traced processes have to say. */
static void look_at_children(struct watched *w)
{
    int status;
    pid_t p;

    while (!w->ended && (p = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
        if (WIFSTOPPED(status)) {
            on_stop(w, p, status);
        } else if (p == w->bwrap) {
            w->ended = true;
            w->status = status;
        }
    }
}

/* A bwrap that runs as another user than ours, which some systems want, would not when traced. */
static void trace(pid_t p, const char *program)
{
    struct stat st;

    if (geteuid() == 0 || (!stat(program, &st) && !(st.st_mode & S_ISUID)))
        ptrace(PTRACE_SEIZE, p, NULL, (void *)(intptr_t)TRACE);
}

/* Kills p, a child, and waits for its end; takes in the ends of all that are traced, too: one who
 * is the first of a PID namespace ends only when we have seen those of all others in it. */
static int end_of(pid_t p)
{
    int status = 0;
    pid_t got;

    kill(p, SIGKILL);
    do
        got = waitpid(-1, &status, __WALL);
    while ((got < 0 && errno == EINTR) || (got > 0 && (got != p || WIFSTOPPED(status))));
    return status;
}

/* bwrap, or the program itself, traced; -1: it cannot be. */
static pid_t start_traced(const struct box_spec *s, struct args *a, char *const *env)
{
    int start[2];
    pid_t holder = getpid(), p = pipe2(start, O_CLOEXEC) ? -1 : fork();

    if (p < 0)
        return -1;
    if (p == 0) {
        close(start[1]);
        child(s, a, env, holder, start[0]);
    }
    if (!s->unconfined)
        trace(p, a->v[0]);
    close(start[0]);
    close(start[1]);
    return p;
}

/* Until bwrap ends, or the grader. `news` has signals of children. */
static void watch(struct watched *w, int news)
{
    struct pollfd wait[2] = {{FD_LIFE, POLLIN, 0}, {news, POLLIN, 0}};
    struct signalfd_siginfo ignored;

    while (!w->ended && !wait[0].revents) {
        poll(wait, 2, -1);
        while (read(news, &ignored, sizeof(ignored)) > 0)
            ;
        look_at_children(w);
    }
    if (!w->ended)
        w->status = end_of(w->bwrap);
}

static _Noreturn void hold(const struct box_spec *s, struct args *a, char *const *env,
                           const int fds[FD_END])
{
    struct watched w = {.bwrap = -1};
    sigset_t children;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid();
    only_these(fds);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    int news = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    if (news >= 0)
        w.bwrap = start_traced(s, a, env);
    for (int i = 0; i < FD_LIFE; i++)
        if (i != news) /* without bwrap some of these were free */
            close(i);
    if (w.bwrap > 0)
        watch(&w, news);
    for (pid_t orphan; (orphan = first_child(getpid())) > 0;)
        end_of(orphan);
    int status = w.status;
    _exit(w.bwrap < 0 ? 127 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static const char *find_bwrap(void)
{
    static const char *const places[] = {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"};
    for (size_t i = 0; i < 3; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

static bool no_start(struct box *b, const char *why)
{
    b->end = BOX_NO_START;
    text_add(&b->log, why);
    return false;
}

/* What an unconfined program gets: "NAME=value", allocated. */
static void environment(const struct box_spec *s, char *env[MAX_ENV])
{
    int n = 0;
    for (const char *const *e = s->env; e && e[0] && e[1]; e += 2) {
        if (n + 1 == MAX_ENV)
            die("sandbox: too many variables");
        env[n++] = xformat("%s=%s", e[0], e[1]);
    }
}

/* The box's arguments as bwrap reads them, each with its NUL; -1: no descriptor is to be had. */
static int arguments_file(const struct box_spec *s)
{
    struct args a = {.n = 0};
    struct text t = {0};
    box_arguments(&a, s);
    for (int i = 0; i < a.n; i++)
        text_bytes(&t, a.v[i], strlen(a.v[i]) + 1);
    int fd = memfd_create("arguments", MFD_CLOEXEC);
    bool ok = fd >= 0 && write(fd, t.s, t.length) == (ssize_t)t.length && !lseek(fd, 0, SEEK_SET);
    text_free(&t);
    if (ok || fd < 0)
        return fd;
    close(fd);
    return -1;
}

/* What is started, and with what around it. False: there is no bubblewrap. */
static bool command_line(struct args *a, char *env[MAX_ENV], const struct box_spec *s)
{
    const char *bwrap = s->unconfined ? NULL : find_bwrap();
    if (s->unconfined) {
        environment(s, env);
    } else if (bwrap) {
        add3(a, bwrap, "--args", "5");
        add(a, "--");
    } else {
        return false;
    }
    for (const char *const *p = s->argv; *p; p++)
        add(a, *p);
    return true;
}

enum { WIDE_PIPE = 1 << 20 };
enum { PIPE_IN, PIPE_OUT, PIPE_ERR, PIPE_STATUS, PIPE_LIFE, PIPES };

static bool make_pipes(int pipes[PIPES][2])
{
    for (int i = 0; i < PIPES; i++)
        pipes[i][0] = pipes[i][1] = -1;
    for (int i = 0; i < PIPES; i++)
        if (pipe2(pipes[i], O_CLOEXEC))
            return false;
    /* Inputs of many megabytes pass: fewer turns of the two. Refused, it works as well. */
    fcntl(pipes[PIPE_IN][0], F_SETPIPE_SZ, WIDE_PIPE);
    fcntl(pipes[PIPE_OUT][0], F_SETPIPE_SZ, WIDE_PIPE);
    return true;
}

/* The grader's ends, which do not block, stay in b; the box's are closed. */
static void keep_ends(struct box *b, int pipes[PIPES][2])
{
    int *const own[PIPES] = {&b->in, &b->out, &b->err, &b->status, &b->life};
    for (int i = 0; i < PIPES; i++) {
        bool writes = i == PIPE_IN || i == PIPE_LIFE;
        *own[i] = pipes[i][writes];
        close(pipes[i][!writes]);
        if (i != PIPE_LIFE)
            fcntl(*own[i], F_SETFL, O_NONBLOCK);
    }
}

/* Forks the holder. False when a pipe, the filter or the process cannot be had. */
static bool start_holder(struct box *b, const struct box_spec *s, struct args *a, char *const *env)
{
    int pipes[PIPES][2], filter = s->unconfined ? -1 : filter_of(s),
                         arguments = s->unconfined ? -1 : arguments_file(s);
    bool ok = make_pipes(pipes) && ((filter >= 0 && arguments >= 0) || s->unconfined);
    b->pid = ok ? fork() : -1;
    if (b->pid == 0)
        hold(s, a, env,
             (int[FD_END]){pipes[PIPE_IN][0], pipes[PIPE_OUT][1], pipes[PIPE_ERR][1], filter,
                           s->unconfined ? -1 : pipes[PIPE_STATUS][1], arguments,
                           pipes[PIPE_LIFE][0]});
    close(filter);
    close(arguments);
    keep_ends(b, pipes);
    ok = b->pid > 0;
    b->pid = ok ? b->pid : 0;
    return ok;
}

bool box_start(struct box *b, const struct box_spec *spec)
{
    *b = (struct box){.life = -1,
                      .unconfined = spec->unconfined,
                      .in = -1,
                      .out = -1,
                      .err = -1,
                      .status = -1,
                      .exit_code = -1,
                      .resident_bytes = spec->resident_bytes,
                      .log_cap = spec->log_cap};
    box_deadline(b, spec->wall_s);
    signal(SIGPIPE, SIG_IGN); /* a box that ends early is an error return, not our death */
    struct args a = {.n = 0};
    char *env[MAX_ENV] = {NULL};
    if (!command_line(&a, env, spec))
        return no_start(b, "bubblewrap (bwrap) is not installed");
    bool ok = start_holder(b, spec, &a, env);
    for (int i = 0; env[i]; i++)
        free(env[i]);
    return ok || no_start(b, "cannot make the sandbox's filter, pipes or process");
}

/* ---- watching ---- */

enum { MOST_AGAIN = 10 };

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool find_program(struct box *b)
{
    if (!b->inner) { /* the holder, bwrap, its init, the program */
        pid_t bwrap = first_child(b->pid), init = b->unconfined ? 0
                                                  : bwrap       ? first_child(bwrap)
                                                                : 0;
        b->inner = b->unconfined ? bwrap : init ? first_child(init) : 0;
    }
    return b->inner;
}

/* What /proc says behind the name of a process or of a thread: its state, and seconds of processor
 * time. False: there is none. */
static bool read_stat(const char *path, char *state, double *seconds)
{
    char line[1024];
    unsigned long user = 0, system = 0;
    FILE *f = fopen(path, "re");
    const char *behind = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
    if (f)
        fclose(f);
    if (!behind || sscanf(behind, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", state,
                          &user, &system) != 3)
        return false;
    *seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

/* Processor time of the box's program so far. */
static double worked_s(struct box *b)
{
    char path[64], state;
    double seconds = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)b->inner);
    return find_program(b) && read_stat(path, &state, &seconds) ? seconds : 0;
}

/* Whether one of its threads has, or waits for, a processor. */
static bool wants_processor(const struct box *b)
{
    char path[320], state = 0;
    double seconds;
    bool wants = false;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)b->inner);
    DIR *d = opendir(path);
    for (struct dirent *e; d && !wants && (e = readdir(d));) {
        snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", (int)b->inner, e->d_name);
        wants = e->d_name[0] != '.' && read_stat(path, &state, &seconds) && state == 'R';
    }
    if (d)
        closedir(d);
    return wants;
}

/* On a crowded machine a program may not get to what its time is for: who still wants a processor,
 * and has had less than half of its time on one, gets that time again. */
static bool is_starved(struct box *b)
{
    if (b->limit_s <= 0 || b->again >= MOST_AGAIN || b->worked < 0 ||
        worked_s(b) - b->worked >= b->limit_s / 2 || !wants_processor(b))
        return false;
    b->again++;
    b->deadline = now_s() + b->limit_s;
    return true;
}

static void watch_memory(struct box *b)
{
    if (!find_program(b))
        return;
    char path[64];
    unsigned long pages = 0;
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)b->inner);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (fscanf(f, "%*u %lu", &pages) != 1)
        pages = 0;
    fclose(f);
    size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > b->resident_peak)
        b->resident_peak = bytes;
    if (b->resident_bytes && bytes > b->resident_bytes && b->end == BOX_RUNNING) {
        b->end = BOX_MEMORY;
        close_fd(&b->life);
    }
}

/* Moves what is there to read on *fd into t, up to cap bytes; counts the rest. */
static void drain_fd(int *fd, struct text *t, size_t cap, size_t *dropped)
{
    char chunk[65536];
    for (int turns = 0; turns < 16 && *fd >= 0; turns++) {
        ssize_t n = read(*fd, chunk, sizeof(chunk));
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            close_fd(fd);
        if (n <= 0)
            return;
        size_t room = t->length < cap ? cap - t->length : 0;
        size_t keep = (size_t)n < room ? (size_t)n : room;
        text_bytes(t, chunk, keep);
        *dropped += (size_t)n - keep;
    }
}

/* Waits until fd (may be -1) is ready for `events`, keeping the log and the limits in the
 * meantime. False when the box was ended for a limit. */
static bool wait_ready(struct box *b, int fd, short events)
{
    for (;;) {
        if (fd < 0 && b->err < 0 && b->status < 0)
            return true;
        if (b->end == BOX_RUNNING && b->deadline <= now_s() && !is_starved(b)) {
            b->end = BOX_TIMEOUT;
            close_fd(&b->life);
        }
        if (b->end != BOX_RUNNING)
            return false;
        struct pollfd p[3] = {{fd, events, 0}, {b->err, POLLIN, 0}, {b->status, POLLIN, 0}};
        double left = fmax(b->deadline - now_s(), 0);
        int wait_ms = left > 0.05 ? 50 : (int)(left * 1000) + 1;
        int n = poll(p, 3, wait_ms);
        if (p[1].revents)
            drain_fd(&b->err, &b->log, b->log_cap, &b->log_dropped);
        size_t ignored = 0;
        if (p[2].revents)
            drain_fd(&b->status, &b->status_text, 4096, &ignored);
        if (n == 0 || b->resident_peak == 0)
            watch_memory(b);
        if (n == 0 && b->worked < 0)
            b->worked = worked_s(b);
        if (fd >= 0 && p[0].revents)
            return true;
    }
}

void box_deadline(struct box *b, double seconds)
{
    b->limit_s = seconds;
    b->deadline = now_s() + seconds;
    b->again = 0;
    b->worked = -1;
}

static bool try_again(int *fd)
{
    if (errno == EAGAIN || errno == EINTR)
        return true;
    close_fd(fd);
    return false;
}

static bool write_all(struct box *b, const char *p, size_t n)
{
    while (n) {
        if (b->in < 0 || b->end != BOX_RUNNING)
            return false;
        ssize_t w = write(b->in, p, n);
        if (w < 0 && (!try_again(&b->in) || !wait_ready(b, b->in, POLLOUT)))
            return false;
        if (w > 0) {
            p += w;
            n -= (size_t)w;
        }
    }
    return true;
}

static bool flush(struct box *b)
{
    size_t n = b->nwaiting;
    b->nwaiting = 0;
    return write_all(b, b->waiting, n);
}

bool box_send(struct box *b, const void *data, size_t n)
{
    if (n > sizeof(b->waiting) - b->nwaiting && !flush(b))
        return false;
    if (n > sizeof(b->waiting))
        return write_all(b, data, n);
    if (n) /* of nothing, data may be NULL */
        memcpy(b->waiting + b->nwaiting, data, n);
    b->nwaiting += n;
    return b->in >= 0 && b->end == BOX_RUNNING;
}

void box_end_input(struct box *b)
{
    flush(b);
    close_fd(&b->in);
}

/* Some of up to n bytes, into data; 0: the box ended, or was ended. */
static size_t receive_some(struct box *b, void *data, size_t n)
{
    while (b->out >= 0 && b->end == BOX_RUNNING) {
        ssize_t r = read(b->out, data, n);
        if (r > 0)
            return (size_t)r;
        if (r == 0)
            close_fd(&b->out);
        else if (!try_again(&b->out) || !wait_ready(b, b->out, POLLIN))
            return 0;
    }
    return 0;
}

bool box_receive(struct box *b, void *data, size_t n)
{
    char *p = data;
    if (!flush(b))
        return false;
    while (n) {
        size_t k = b->nahead < n ? b->nahead : n;
        memcpy(p, b->ahead + b->first_ahead, k);
        b->first_ahead += k, b->nahead -= k, p += k, n -= k;
        if (n >= sizeof(b->ahead)) {
            size_t r = receive_some(b, p, n);
            if (!r)
                return false;
            p += r, n -= r;
        } else if (n) {
            b->first_ahead = 0;
            b->nahead = receive_some(b, b->ahead, sizeof(b->ahead));
            if (!b->nahead)
                return false;
        }
    }
    return true;
}

void box_drain(struct box *b, struct text *out, size_t cap, size_t *dropped)
{
    size_t keep = b->nahead < cap ? b->nahead : cap;
    text_bytes(out, b->ahead + b->first_ahead, keep);
    *dropped = b->nahead - keep;
    b->nahead = 0;
    flush(b);
    while (b->out >= 0 && wait_ready(b, b->out, POLLIN))
        drain_fd(&b->out, out, cap, dropped);
}

static void reap(struct box *b)
{
    int status;
    if (b->pid <= 0)
        return;
    while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
        ;
    b->pid = 0;
    b->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void box_finish(struct box *b)
{
    box_end_input(b);
    size_t ignored = 0;
    struct text rest = {0};
    box_drain(b, &rest, 0, &ignored);
    text_free(&rest);
    bool confined = b->status >= 0 || b->status_text.length;
    if (b->pid > 0)
        wait_ready(b, -1, 0);
    if (b->pid > 0 && b->end != BOX_RUNNING)
        close_fd(&b->life);
    reap(b);
    drain_fd(&b->err, &b->log, b->log_cap, &b->log_dropped);
    if (b->end == BOX_RUNNING)
        b->end = confined && !strstr(text_str(&b->status_text), "\"child-pid\"") ? BOX_NO_START
                                                                                 : BOX_EXITED;
}

void box_close(struct box *b)
{
    if (b->pid > 0)
        close_fd(&b->life);
    reap(b);
    close_fd(&b->life);
    close_fd(&b->in);
    close_fd(&b->out);
    close_fd(&b->err);
    close_fd(&b->status);
    text_free(&b->log);
    text_free(&b->status_text);
}

const char *boxed_programs(void)
{
    static char *bin;
    char self[4096];
    if (bin)
        return bin;
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    char *runner = xformat("%s/grade-runner", self);
    bin = access(runner, X_OK) ? xformat("%s/../bin", self) : xstrdup(self);
    free(runner);
    return bin;
}

/* The dynamic loader runs anywhere and ends at once. NULL: it did; else why not, allocated. */
static char *try_a_box(void)
{
    static const char *const argv[] = {"/usr/lib64/ld-linux-x86-64.so.2", "--version", NULL};
    static const char *const arm[] = {"/usr/lib/ld-linux-aarch64.so.1", "--version", NULL};
    struct box_spec s = {
        .argv = exists(argv[0]) ? argv : arm, .cpu_s = 2, .wall_s = 10, .log_cap = 4000};
    struct box b;
    char *why = NULL;
    if (box_start(&b, &s))
        box_finish(&b);
    if (b.end != BOX_EXITED || b.exit_code != 0) {
        const char *log = b.log.length ? b.log.s : "the box ended at once";
        why = xformat("%.*s", (int)strcspn(log, "\n"), log);
    }
    box_close(&b);
    return why;
}

const char *sandbox_refused(void)
{
    static bool tried;
    static char *why;
    if (!tried)
        why = try_a_box();
    tried = true;
    return why;
}
