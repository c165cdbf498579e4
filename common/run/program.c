/* program.c - runs a student's whole program on a job's files (program.h).
 *
 * Limits: processor time and the clock, size of files, how much is printed; in the grader's box
 * addresses, too, and no process of its own. What it prints is kept up to a length.
 */
#include "program.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "emulator.h"
#include "lab/counter.h"
#include "lab/plan.h"
#include "lab/random.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CPU_SECONDS = 5,
    WALL_SECONDS = 10,
    MOST_WALL_SECONDS = 24, /* who works on a crowded machine; the box ends at 30 */
    SANITIZED = 12,         /* times as long under compute-sanitizer, which is slow to start */
    FILE_ROOM = 64 << 20,
    PRINT_ROOM = 16 << 20,
    LAUNCH_TIMEOUT = 702, /* cudaErrorLaunchTimeout: result.c's "did not come to an end" */
    NO_START = 126,
};
/* In the grader's box. What the runtime reserves is addresses; what is written to is memory. */
#define ADDRESSES ((rlim_t)8 << 30)
#define MEMORY    ((rlim_t)3 << 30)

static bool confined;

/* How many times the limits of a plain run: on a GPU it is compute-sanitizer that checks. */
static int patience(const struct job *j)
{
    return j->options.check && !emulator_here() ? SANITIZED : 1;
}

void program_confine(void)
{
    confined = true;
}

void program_load(struct module *m, const char *path, const void *image, size_t size)
{
    *m = (struct module){.path = xstrdup(path), .program = image, .program_size = size};
}

/* ---- its folder ---- */

struct place {
    char *folder, *program, *input, *output, *record;
};

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s, (void)type, (void)at;
    return remove(path);
}

static void place_free(struct place *p)
{
    if (p->folder)
        nftw(p->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(p->folder);
    free(p->program);
    free(p->input);
    free(p->output);
    free(p->record);
}

static bool put_bytes(int fd, const struct job *j)
{
    for (int b = 0; b < j->plan->nbuffers; b++) {
        if (j->plan->buffers[b].role == BUF_INPUT &&
            file_write_fd(fd, j->inputs[b], plan_buffer_bytes(j->plan, b)))
            return false;
    }
    return true;
}

static bool put_file(const char *path, mode_t mode, const struct module *m, const struct job *j)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    bool ok = fd >= 0 && (m ? !file_write_fd(fd, m->program, m->program_size) : put_bytes(fd, j));

    return (fd < 0 || !close(fd)) && ok;
}

static bool disk_full(const struct job_options *o)
{
    return o->fail && !strcmp(o->fail, JOB_DISK_FULL);
}

/* Of "disk:9000" the 9000; of others 0. */
static rlim_t disk_room(const struct job_options *o)
{
    return o->fail && !strncmp(o->fail, "disk:", 5) ? strtoul(o->fail + 5, NULL, 10) : 0;
}

static bool place_make(struct place *p, const struct module *m, const struct job *j)
{
    p->folder = make_temporary_dir();
    if (!p->folder)
        return false;
    p->program = xformat("%s/program", p->folder);
    p->input = xformat("%s/input", p->folder);
    p->output = disk_full(&j->options) ? xstrdup("/dev/full") : xformat("%s/output", p->folder);
    p->record = xformat("%s/record", p->folder);
    return put_file(p->program, 0700, m, j) && put_file(p->input, 0600, NULL, j);
}

/* ---- starting it ---- */

/* Threads yes, processes no; what tries clone3 is told that there is none. */
static void forbid_processes(void)
{
#define DENY(n, error)                                                                             \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1),                                                  \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_fork
        DENY(SYS_fork, EPERM),
        DENY(SYS_vfork, EPERM),
#endif
        DENY(SYS_clone3, ENOSYS),
        DENY(SYS_execveat, EPERM),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        _exit(NO_START);
}

/* Processor time has a second more to die in: SIGXCPU says why, SIGKILL does not. */
static void limit(int what, rlim_t most)
{
    struct rlimit l;

    if (getrlimit(what, &l))
        return;
    rlim_t last = what == RLIMIT_CPU ? most + 1 : most;
    l.rlim_max = last < l.rlim_max ? last : l.rlim_max;
    l.rlim_cur = most < l.rlim_max ? most : l.rlim_max;
    setrlimit(what, &l);
}

static _Noreturn void become(const struct place *p, char **env, const int out[2],
                             rlim_t cpu_seconds, rlim_t room, bool emulator)
{
    char *argv[] = {p->program, p->input, p->output, NULL};
    int null = open("/dev/null", O_RDONLY);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (chdir(p->folder) || null < 0 || dup2(null, 0) < 0 || dup2(out[0], 1) < 0 ||
        dup2(out[1], 2) < 0)
        _exit(NO_START);
    close_range(3, ~0u, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, cpu_seconds);
    limit(RLIMIT_FSIZE, room ? room : FILE_ROOM);
    if (room)
        signal(SIGXFSZ, SIG_IGN); /* it is told by an error, as of a full disk */
    if (confined && emulator)
        limit(RLIMIT_AS, ADDRESSES), limit(RLIMIT_DATA, MEMORY);
    signal(SIGPIPE, SIG_DFL);
    if (confined)
        forbid_processes();
    execve(p->program, argv, env);
    dprintf(2, "the program cannot be started: %s%s\n", strerror(errno),
            errno == EACCES ? " (may files in this folder be run? TMPDIR names another)" : "");
    _exit(NO_START);
}

/* The folder of the runtime that this program has, first of all: the student's is to have it, too,
 * from whatever folder it runs in. */
static char *library_path(void)
{
    const char *path = getenv("LD_LIBRARY_PATH");
    Dl_info runtime;
    char *file = dladdr((void *)cudaGetDeviceCount, &runtime) && runtime.dli_fname
                     ? realpath(runtime.dli_fname, NULL)
                     : NULL;
    char *slash = file ? strrchr(file, '/') : NULL;
    char *all = xformat("LD_LIBRARY_PATH=%.*s%s%s", slash ? (int)(slash - file) : 0,
                        file ? file : "", slash && path && *path ? ":" : "", path ? path : "");

    free(file);
    return all;
}

/* Memory that nobody wrote holds no zeros where a call fails: glibc's mallopt(3). In the grader's
 * box a program could tell by it that one does. So there it is in two runs of three, of all; which
 * ones follows from inputs and fault. Where three calls of a function fail in turn, it is two. */
static bool memory_is_dirty(const struct job *j)
{
    const char *fail = j->options.fail ? j->options.fail : "", *call = strchr(fail, ':');
    uint64_t drawn = j->options.disturb;

    if (!confined)
        return j->options.fail != NULL;
    while (*fail && fail != call)
        drawn = random_u64(drawn, (unsigned char)*fail++);
    for (int b = 0; b < j->plan->nbuffers; b++) {
        unsigned char bytes[8] = {0};
        size_t size = j->inputs[b] ? plan_buffer_bytes(j->plan, b) : 0;

        memcpy(bytes, j->inputs[b] ? j->inputs[b] : bytes, size < 8 ? size : 8);
        for (int i = 0; i < 8; i++)
            drawn = random_u64(drawn, bytes[i]);
    }
    return (drawn % 3 + (call ? strtoull(call + 1, NULL, 10) : 0)) % 3 != 0;
}

static char **environment(const struct place *p, const struct job *j)
{
    enum { OWN = 9 };
    const struct job_options *o = &j->options;
    int n = 0, kept = 0;
    struct text classes = {0};

    while (environ[n])
        n++;
    char **env = xcalloc((size_t)n + OWN + 1, sizeof(*env));
    for (int i = 0; i < n; i++) {
        static const char *const own[] = {
            "LD_LIBRARY_PATH=", "WARPLAB_RECORD=", "WARPLAB_STEPS=",
            "WARPLAB_CHECK=",   "WARPLAB_FAIL=",   "WARPLAB_DISTURB="};
        bool set = false;

        for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++)
            set |= !strncmp(environ[i], own[k], strlen(own[k]));
        if (!set)
            env[kept++] = xstrdup(environ[i]);
    }
    for (int k = 0; k < DISTURB_COUNT; k++) {
        if (o->disturb & 1u << k)
            text_addf(&classes, "%s%s", classes.length ? " " : "", disturb_infos[k].name);
    }
    env[kept++] = library_path();
    /* on a GPU a kernel is otherwise loaded when it is launched first: between two events */
    env[kept++] = xstrdup("CUDA_MODULE_LOADING=EAGER");
    env[kept++] = xformat("WARPLAB_RECORD=%s", p->record);
    env[kept++] = xformat("WARPLAB_STEPS=%llu", (unsigned long long)o->steps);
    env[kept++] = xformat("WARPLAB_CHECK=%d", o->check);
    env[kept++] =
        xformat("WARPLAB_FAIL=%s", o->fail && strncmp(o->fail, "disk:", 5) != 0 ? o->fail : "");
    if (memory_is_dirty(j))
        env[kept++] = xstrdup("MALLOC_PERTURB_=128");
    if (confined)
        env[kept++] = xstrdup("WARPLAB_HIDDEN=1");
    env[kept++] = xformat("WARPLAB_DISTURB=%s", text_str(&classes));
    text_free(&classes);
    return env;
}

/* ---- waiting for it ---- */

/* All that comes, up to a length; the rest is dropped. False at its end. */
static bool take(int fd, struct text *t, size_t *printed)
{
    char bytes[16384];
    ssize_t n = read(fd, bytes, sizeof(bytes));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0)
        return false;
    *printed += (size_t)n;
    size_t room = t->length < JOB_MAX_SAID - 1 ? JOB_MAX_SAID - 1 - t->length : 0;
    text_bytes(t, bytes, (size_t)n < room ? (size_t)n : room);
    return true;
}

struct ending {
    int status;
    double wall_ms;
    bool late, much, cpu; /* late: somebody had to end it; much: as it printed so much */
    bool held;            /* late, and not as it waits: it was stopped, or has had no time */
};

struct clock {
    pid_t pid;
    double end, last; /* when a program that waits is ended, and one that works */
};

/* Does it go on as soon as it may? A crowded machine lets it wait for a good part of a second. */
static bool is_running(pid_t pid)
{
    struct timespec before, after;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &before))
        return true;
    for (int i = 0; i < 10; i++) {
        usleep(100000);
        if (clock_gettime(clock, &after) || after.tv_sec != before.tv_sec ||
            after.tv_nsec - before.tv_nsec > 1000000)
            return true;
    }
    return false;
}

/* On a crowded machine who works gets time again: what ends it is its processor time. */
static bool is_over(struct clock *c)
{
    if (now_s() < c->end)
        return false;
    if (now_s() >= c->last || !is_running(c->pid))
        return true;
    c->end = now_s() + 1;
    return false;
}

/* Until both pipes are closed. False when the clock ended it first, or so much was printed. */
static bool listen_to(struct pollfd p[2], struct text said[2], struct clock *c, bool *much)
{
    size_t printed = 0;

    while (p[0].fd >= 0 || p[1].fd >= 0) {
        *much = printed > PRINT_ROOM;
        if (*much || is_over(c))
            return false;
        if (poll(p, 2, (int)(fmax(c->end - now_s(), 0) * 1000) + 1) < 0 && errno != EINTR)
            return false;
        for (int i = 0; i < 2; i++) {
            if (p[i].fd >= 0 && p[i].revents && !take(p[i].fd, &said[i], &printed))
                p[i].fd = -1;
        }
    }
    return true;
}

/* Its pipes are closed, which a program can do and go on. */
static int reap(struct clock *c, struct ending *e)
{
    int status = 0;
    bool stopped = false;

    for (;; usleep(1000)) {
        bool told = waitpid(c->pid, &status, WNOHANG | WUNTRACED) == c->pid;

        if (told && !WIFSTOPPED(status))
            return status;
        stopped |= told;
        if (e->late)
            break;
        e->late = is_over(c);
    }
    e->held = !e->much && (stopped || is_running(c->pid));
    syscall(SYS_tgkill, c->pid, c->pid, SIGKILL); /* boxes have no kill() */
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static bool start_and_wait(const struct place *p, const struct job *j, struct text said[2],
                           struct ending *e)
{
    int out[2], err[2];
    bool emulator = emulator_here();

    if (pipe2(out, O_CLOEXEC))
        return false;
    if (pipe2(err, O_CLOEXEC)) {
        close(out[0]), close(out[1]);
        return false;
    }
    char **env = environment(p, j);
    double begin = now_s(); /* before the fork: the child may have ended before it goes on here */
    pid_t pid = fork();
    if (pid == 0)
        become(p, env, (int[]){out[1], err[1]}, (rlim_t)(CPU_SECONDS * patience(j)),
               disk_room(&j->options), emulator);
    close(out[1]), close(err[1]);
    struct pollfd pipes[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
    if (pid > 0) {
        struct clock c = {pid, begin + WALL_SECONDS * patience(j),
                          begin + MOST_WALL_SECONDS * patience(j)};
        e->late = !listen_to(pipes, said, &c, &e->much);
        int status = reap(&c, e);
        e->wall_ms = 1e3 * (now_s() - begin);
        e->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        e->cpu = e->status == 128 + SIGXCPU;
    }
    close(out[0]), close(err[0]);
    for (char **x = env; *x; x++)
        free(*x);
    free(env);
    return pid > 0;
}

/* ---- what came of it ---- */

/* The first line that is not empty, made printable; "" for none. What follows often comes of it. */
static char *first_line(const char *s)
{
    struct text t = {0};

    s += strspn(s, "\r\n \t");
    size_t n = strcspn(s, "\n");
    while (n && strchr("\r \t", s[n - 1]))
        n--;
    text_printable(&t, s, n < 300 ? n : 300, false);
    return t.s ? t.s : xstrdup("");
}

static const char runtime_says[] = "warplab: "; /* the emulator's, on the program's stderr */

static char *ending_words(const struct ending *e, const struct job *j, const char *said)
{
    struct text t = {0};
    char *line = first_line(said);

    if (e->much)
        text_addf(&t, "the program was stopped after it had printed %d MiB", PRINT_ROOM >> 20);
    else if (e->late)
        text_addf(&t, "the program was stopped after %.0f s", e->wall_ms / 1e3);
    else if (e->cpu)
        text_addf(&t, "the program was stopped after %d s of processor time",
                  CPU_SECONDS * patience(j));
    else if (e->status > 128)
        text_addf(&t, "the program was ended by signal %d (%s)", e->status - 128,
                  strsignal(e->status - 128));
    else
        text_addf(&t, "the program ended with status %d", e->status);
    bool runtime = !strncmp(line, runtime_says, strlen(runtime_says));
    if (!e->much && runtime)
        text_addf(&t, "; the runtime said: %s", line + strlen(runtime_says));
    else if (!e->much)
        text_addf(&t, *line ? " and said: %s" : " without a word%s", line);
    free(line);
    return text_take(&t);
}

static uint64_t result_bytes(const struct plan *p)
{
    uint64_t bytes = 0;

    for (int b = 0; b < p->nbuffers; b++)
        bytes += p->buffers[b].role == BUF_OUTPUT ? plan_buffer_bytes(p, b) : 0;
    return bytes;
}

static void split_result(const struct plan *p, const char *bytes, struct outputs *o)
{
    for (int b = 0; b < p->nbuffers; b++) {
        if (p->buffers[b].role != BUF_OUTPUT)
            continue;
        size_t n = plan_buffer_bytes(p, b);
        o->data[b] = large_alloc(n);
        memcpy(o->data[b], bytes, n);
        bytes += n;
    }
}

/* True when all of the result is there; else why not. */
static bool take_result(const struct place *p, const struct plan *plan, struct outputs *o,
                        struct text *why)
{
    uint64_t expected = result_bytes(plan);
    char *bytes = NULL;
    size_t n = 0;
    int e = file_read_no_link(p->output, expected, &bytes, &n);

    o->wrote = e != ENOENT;
    if (e == ENOENT)
        text_add(why, "the program ended with status 0 and wrote no result");
    else if (e == EFBIG)
        text_addf(why, "the program's result has more than %llu bytes",
                  (unsigned long long)expected);
    else if (e)
        text_addf(why, "the program's result cannot be read: %s", file_why(e));
    else if (n != expected)
        text_addf(why, "the program's result has %zu bytes, expected %llu", n,
                  (unsigned long long)expected);
    else
        split_result(plan, bytes, o);
    free(bytes);
    return !why->length;
}

/* Lines "finding {…}" of the record. */
static void take_findings(struct outputs *o)
{
    struct text t = {0};

    for (const char *p = o->record; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        if (strncmp(p, "finding ", 8))
            continue;
        o->nfindings++;
        p += 8;
        text_bytes(&t, p, strcspn(p, "\n"));
        text_add(&t, "\n");
    }
    o->findings = t.s ? text_take(&t) : xstrdup("");
}

static void take_word(const struct outputs *o, const char *name, char *out, size_t size)
{
    char *line = xformat("\n%s ", name), *at = strstr(o->record, line);

    if (at)
        snprintf(out, size, "%.*s", (int)strcspn(at + strlen(line), "\n"), at + strlen(line));
    free(line);
}

/* The record, behind a line of ours: by the clock, the program took no longer. */
static void take_record(const struct place *p, const struct ending *e, struct outputs *o)
{
    size_t n;
    char *own;

    if (file_read_no_link(p->record, JOB_MAX_TEXT - 64, &own, &n))
        own = xstrdup("");
    o->record = *own ? xformat("wall_ms %.3f\n%s", e->wall_ms, own) : xstrdup("");
    free(own);
    o->counted = *o->record && emulator_here();
    for (int i = 0; i < ncounters && o->counted; i++) {
        char *name = xformat("counter.%s", counter_infos[i].name);
        double value = 0;
        if (record_value(o, name, &value) && value >= 0 && value < 0x1p63)
            counter_set(&o->counters, i, (uint64_t)value);
        free(name);
    }
    record_value(o, "modelled_ms", &o->modelled_ms);
    record_value(o, "occupancy", &o->occupancy);
    take_word(o, "bound", o->bound, sizeof(o->bound));
    take_word(o, "limiter", o->limiter, sizeof(o->limiter));
    take_findings(o);
}

static void judge_end(const struct place *p, const struct job *j, const struct ending *e,
                      struct outputs *o)
{
    struct text why = {0};
    bool whole = take_result(p, j->plan, o, &why);

    o->status = e->status;
    o->late = e->held;
    if (e->late || e->cpu)
        o->error = LAUNCH_TIMEOUT;
    if (e->status || e->late) {
        text_free(&why);
        char *words = ending_words(e, j, o->said);
        text_add(&why, words);
        free(words);
    }
    /* of a run that was disturbed, a program is to say that it is wrong */
    bool faulty = j->options.disturb || j->options.fail || j->options.any_status;
    if (whole && !e->late && (!e->status || (faulty && e->status < 128)))
        o->stage = STAGE_DONE;
    else
        outputs_drop_data(o);
    o->message = o->stage == STAGE_DONE ? xstrdup("") : text_take(&why);
    text_free(&why);
}

void program_run(const struct module *m, const struct job *j, struct outputs *o)
{
    struct place p = {0};
    struct text said[2] = {{0}, {0}};
    struct ending e = {0};

    *o = (struct outputs){.changed = -1, .stage = STAGE_RUN};
    if (!place_make(&p, m, j)) {
        o->message = xformat("no folder could be made for the program: %s", strerror(errno));
    } else if (!start_and_wait(&p, j, said, &e)) {
        o->message = xformat("the program cannot be started: %s", strerror(errno));
    } else {
        text_add(&said[0], ""), text_add(&said[1], "");
        o->printed = text_take(&said[0]);
        o->said = text_take(&said[1]);
        take_record(&p, &e, o);
        judge_end(&p, j, &e, o);
        printed_ms(o, "kernel", &o->measured_ms);
    }
    o->printed = o->printed ? o->printed : xstrdup("");
    o->said = o->said ? o->said : xstrdup("");
    o->record = o->record ? o->record : xstrdup("");
    o->findings = o->findings ? o->findings : xstrdup("");
    text_free(&said[0]), text_free(&said[1]);
    place_free(&p);
}
