/* runner_main.c - runs a submission's module in the box and sends back what it did.
 *
 * It knows no lab and no expected answer; jobs are carried out as in the harness (run/run.h).
 * Standard input and output are the grader's (proto.h); what device code prints goes to standard
 * error, which the grader keeps and caps.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "proto.h"
#include "run/emulator.h"
#include "run/machine.h"
#include "run/program.h"
#include "run/run.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

static int in_fd, out_fd;
static struct module module;
static bool whole_program; /* the module is one, of the student's: run/program.h */

/* ---- the pipe ---- */

/* What is said goes together, when more is asked for. */
static char waiting[1 << 16];
static size_t nwaiting;

static bool flush(void)
{
    size_t n = nwaiting;
    nwaiting = 0;
    return !file_write_fd(out_fd, waiting, n);
}

/* What has been read ahead: messages are of many small pieces. */
static char ahead[1 << 16];
static size_t first_ahead, nahead;

static ssize_t more(void *data, size_t n)
{
    ssize_t r;
    while ((r = read(in_fd, data, n)) < 0 && errno == EINTR)
        ;
    return r;
}

static bool get(void *unused, void *data, size_t n)
{
    char *p = data;
    (void)unused;
    while (n) {
        size_t k = nahead < n ? nahead : n;
        memcpy(p, ahead + first_ahead, k);
        first_ahead += k, nahead -= k, p += k, n -= k;
        if (!n)
            break;
        if (!flush())
            return false;
        bool large = n >= sizeof(ahead);
        ssize_t r = large ? more(p, n) : more(ahead, sizeof(ahead));
        if (r <= 0)
            return false;
        if (large)
            p += r, n -= (size_t)r;
        else
            first_ahead = 0, nahead = (size_t)r;
    }
    return true;
}

static bool put(void *unused, const void *data, size_t n)
{
    (void)unused;
    if (n > sizeof(waiting) - nwaiting && !flush())
        return false;
    if (n > sizeof(waiting))
        return !file_write_fd(out_fd, data, n);
    if (n) /* of nothing, data may be NULL */
        memcpy(waiting + nwaiting, data, n);
    nwaiting += n;
    return true;
}

static const struct wire grader = {get, put, NULL};

/* ---- what the grader asks for ---- */

/* The image stays: the library may refer to it. */
static bool load(void)
{
    struct loaded l = {.state = LOAD_NO_DEVICE};
    struct text why = {0};
    char *name;
    void *image;
    size_t bytes;
    if (!hello_read(&grader, &name, &image, &bytes))
        return false;
    bool opened = machine_open(&l.machine, &why);
    if (opened && whole_program) {
        program_load(&module, name, image, bytes);
        l.state = LOADED;
    } else if (opened)
        l.state = module_load(&module, name, image, bytes + 1, &why) ? LOADED : LOAD_REFUSED;
    l.tight = l.state == LOADED && !whole_program && module_is_tight(&module);
    l.why = text_take(&why);
    free(name);
    return loaded_write(&grader, &l) && l.state == LOADED;
}

static bool ask(void)
{
    struct launch_record given = {0};
    char *variant = wire_get_text(&grader, PROTO_MAX_NAME);
    if (!variant)
        return false;
    enum record_state state = module_given(&module, variant, &given);
    free(variant);
    return record_write(&grader, state, &given);
}

static bool ask_schedule(void)
{
    static struct schedule s;
    char *variant = wire_get_text(&grader, PROTO_MAX_NAME);
    if (!variant)
        return false;
    enum record_state state = module_schedule(&module, variant, &s);
    free(variant);
    return schedule_write(&grader, state, &s);
}

static bool run(void)
{
    static struct plan plan;
    struct job j;
    struct outputs o;
    bool ok = job_read(&grader, &j, &plan);
    if (ok) {
        emulator_renew();
        emulator_set_timeless(true);
        run_here(&module, &j, &o);
        if (o.record)
            fprintf(stderr, "%s%s", o.printed, o.said);
        ok = outputs_write(&grader, &plan, &o);
        outputs_free(&o);
    }
    job_free(&j);
    return ok;
}

/* ---- probing: what a box on this machine's GPU can do, before any student's code ---- */

/* A refused system call, in boxes whose filter says so (box_spec.traced): its number, and the
 * answer that it gets in others. */
static void refused(int signal, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    char line[32];
    (void)signal;
    int n = snprintf(line, sizeof(line), "refused %d\n", info->si_syscall);
    if (write(2, line, (size_t)n) < 0)
        _exit(3);
#if defined(__x86_64__)
    c->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    c->uc_mcontext.regs[0] = (unsigned long long)-EPERM;
#else
    (void)c;
#endif
}

static cudaError_t try_device(void)
{
    void *memory = NULL;
    cudaEvent_t event = NULL;
    cudaError_t e = cudaSetDevice(0);
    e = e ? e : cudaMalloc(&memory, 1 << 20);
    e = e ? e : cudaMemset(memory, 0, 1 << 20);
    e = e ? e : cudaEventCreate(&event);
    e = e ? e : cudaEventRecord(event, 0);
    e = e ? e : cudaDeviceSynchronize();
    cudaFree(memory);
    return e;
}

static int probe(void)
{
    struct loaded l = {.state = LOAD_NO_DEVICE};
    struct sigaction a = {.sa_sigaction = refused, .sa_flags = SA_SIGINFO};
    struct text why = {0};
    sigaction(SIGSYS, &a, NULL);
    cudaError_t e = try_device();
    if (e)
        l.why = xformat("%s (%s)", cudaGetErrorString(e), cudaGetErrorName(e));
    else if (machine_open(&l.machine, &why))
        l.state = LOADED;
    else
        l.why = text_take(&why);
    l.sm_mhz = machine_clock_now();
    return loaded_write(&grader, &l) && flush() && l.state == LOADED ? 0 : 1;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bool *probing = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (!strcmp(arg, "probe"))
        *probing = true;
    else if (!strcmp(arg, "program"))
        whole_program = true;
    else
        argp_usage(state);
    return 0;
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "[probe|program]",
    .doc = "Runs the module on standard input as the grader asks for; with \"probe\", tries the "
           "device and says what it is; with \"program\", the module is a whole program. The "
           "answers on standard output are for the grader."};

int main(int argc, char **argv)
{
    bool probing = false;
    uint32_t kind;
    alloc_keep_freed();
    if (argp_parse(&argp, argc, argv, 0, NULL, &probing))
        return 2;
    in_fd = fcntl(0, F_DUPFD_CLOEXEC, 10);
    out_fd = fcntl(1, F_DUPFD_CLOEXEC, 10);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(2, 1); /* device printf */
    if (probing)
        return probe();
    if (whole_program) {
        prctl(PR_SET_DUMPABLE, 0); /* this process's memory is no file of the program's */
        program_confine();
    }
    bool go_on = load();
    while (go_on && get(NULL, &kind, sizeof(kind)))
        go_on = kind == MSG_ASK        ? ask()
                : kind == MSG_RUN      ? run()
                : kind == MSG_SCHEDULE ? ask_schedule()
                                       : false;
    return flush() && go_on ? 0 : 1;
}
