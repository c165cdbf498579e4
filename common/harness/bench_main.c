/* bench_main.c - make bench-emulator: how fast the emulator interprets.
 *
 * For each kernel of bench.cu and each mode, a fresh process launches it three times; the
 * fastest counts. With --rounds that is done so often, the median counts, and how far the rounds
 * lie apart is shown. bench_compare.py lets two builds take turns. Counting is part of interpreting
 * and cannot be turned off; what can is the sample of accesses that the time model takes. G
 * thread-instructions a second and thread = lanes active at each warp instruction (the counter
 * thread_inst_executed), divided by wall time and host threads.
 */
#include "compile.h"
#include "run/exec.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "run/emulator.h"
#include "run/machine.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct kernel {
    const char *name;
    uint32_t grid, block, n;
    uint64_t elements; /* of each buffer */
};
static const struct kernel kernels[] = {
    {"reduce_divergent", 1 << 15, 128, 1 << 22, 1 << 22},
    {"matmul_naive", 512 * 512 / 256, 256, 512, 512 * 512},
    {"fma_loop", 256, 256, 1 << 16, 1 << 16},
    {"copy", 1 << 14, 256, 1 << 22, 1 << 22},
    {"transpose", 1 << 12, 256, 1 << 22, 1 << 22},
    {"atomics", 1 << 12, 256, 1 << 20, 1 << 20},
    {"mma_f16", 128, 128, 16, 1 << 14},
    {"mma_f16_f16", 128, 128, 16, 1 << 14},
    {"mma_bf16", 128, 128, 16, 1 << 14},
    {"mma_tf32", 128, 128, 32, 1 << 14},
    {"mma_s8", 128, 128, 16, 1 << 14},
    {"mma_f64", 128, 128, 32, 1 << 15},
    {"wmma_f16", 128, 128, 8, 1 << 14},
    {"wmma_shared_f16", 128, 128, 8, 1 << 14},
    {"wmma_shared_bf16", 128, 128, 8, 1 << 14},
    {"wmma_shared_tf32", 128, 128, 16, 1 << 14},
    {"wmma_shared_f64", 128, 128, 64, 1 << 15},
    {"wgmma_f16", 128, 128, 4, 1 << 14},
    {"wgmma_e4m3", 128, 128, 2, 1 << 14},
    {"ldmatrix", 128, 128, 32, 1 << 14},
};
#define NKERNELS (int)(sizeof(kernels) / sizeof(kernels[0]))

static const struct {
    const char *name, *sample, *check, *threads; /* threads NULL: all cores */
} modes[] = {
    {"counters, no sample", "0", "0", "1"},
    {"counters", "1", "0", "1"},
    {"checks", "1", "1", "1"},
    {"counters, all threads", "1", "0", NULL},
};
#define NMODES (int)(sizeof(modes) / sizeof(modes[0]))
enum { MAX_ROUNDS = 1000 };

struct measured {
    double seconds, instructions; /* thread-instructions; 0 when not counted */
    double fused;                 /* multiplications and additions of tensor instructions */
    double megabytes;             /* most resident */
};

static struct plan plan_of(const struct kernel *k)
{
    struct plan p = {.nbuffers = 2, .nsteps = 1};

    p.buffers[0] = (struct lab_buffer){"in", BUF_INPUT, DT_I32, k->elements, ""};
    p.buffers[1] = (struct lab_buffer){"out", BUF_OUTPUT, DT_I32, k->elements, ""};
    lab_name(p.steps[0].kernel, sizeof(p.steps[0].kernel), "%s", k->name);
    p.steps[0].grid[0] = k->grid;
    p.steps[0].block[0] = k->block;
    p.steps[0].grid[1] = p.steps[0].grid[2] = p.steps[0].block[1] = p.steps[0].block[2] = 1;
    p.steps[0].nargs = 3;
    p.steps[0].args[0] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = 0};
    p.steps[0].args[1] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = 1};
    p.steps[0].args[2] = (struct plan_arg){.kind = ARG_U32, .v.u32 = k->n};
    return p;
}

static double fastest_of_three(struct exec *e)
{
    double best = 1e9;

    for (int i = 0; i < 3; i++) {
        double start = now_s();

        emulator_reset();
        if (!exec_launch(e) || !exec_finish(e))
            die("%s", e->message);
        best = now_s() - start < best ? now_s() - start : best;
    }
    return best;
}

static struct measured measure(const struct kernel *k)
{
    char *path = xformat("%s/common/harness/bench.cu", course_root());
    struct compile_request r = {.path = path, .arch = EMULATOR_ARCH, .toolkit = CUDA_INCLUDE};
    struct exec_options o = {0};
    struct plan p = plan_of(k);
    struct counters counters = {0};
    struct measured m = {0};
    struct machine machine;
    struct module module;
    struct compiled c;
    struct rusage usage;
    struct text why = {0};
    struct exec e;
    void *zeros = xzalloc(k->elements * 4);

    if (!machine_open(&machine, &why))
        die("%s", why.s);
    if (!machine.emulator)
        die("this is the GPU's runtime; make bench-emulator sets the library path");
    if (!compile_cuda(&r, &c))
        die("%s", c.log);
    if (!module_load(&module, path, c.image, c.size, &why))
        die("%s", why.s);
    if (!exec_open(&e, &p, &module, &o) || !exec_upload(&e, 0, zeros) || !exec_upload(&e, 1, zeros))
        die("%s", e.message);
    m.seconds = fastest_of_three(&e);
    emulator_counters(&counters);
    m.instructions = (double)counters.thread_inst_executed;
    m.fused = (double)counters.tensor_flop / 2;
    getrusage(RUSAGE_SELF, &usage);
    m.megabytes = (double)usage.ru_maxrss / 1024;
    return m;
}

static void set_mode(int mode)
{
    setenv("WARPLAB_SAMPLE", modes[mode].sample, 1);
    setenv("WARPLAB_CHECK", modes[mode].check, 1);
    if (modes[mode].threads)
        setenv("WARPLAB_THREADS", modes[mode].threads, 1);
    else
        unsetenv("WARPLAB_THREADS");
}

/* In a child of its own: options are read once a process, and memory is counted for one. */
static struct measured in_child(int kernel, int mode)
{
    struct measured m = {0};
    int ends[2], status;
    pid_t child;

    fflush(stdout);
    if (pipe(ends) || (child = fork()) < 0)
        die("cannot start a process");
    if (!child) {
        set_mode(mode);
        m = measure(&kernels[kernel]);
        _exit(write(ends[1], &m, sizeof(m)) == sizeof(m) ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &m, sizeof(m)) != sizeof(m))
        m.seconds = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return m;
}

/* ---- rounds ---- */

struct words {
    const char *kernel; /* NULL: all */
    int rounds;
    bool csv;
};

struct rounds {
    double seconds[MAX_ROUNDS]; /* sorted */
    int n;                      /* 0: one failed */
    double instructions, fused, megabytes;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const struct rounds *r)
{
    return (r->seconds[(r->n - 1) / 2] + r->seconds[r->n / 2]) / 2;
}

static void add_round(struct rounds *r, const struct measured *m)
{
    r->seconds[r->n++] = m->seconds;
    if (m->instructions > 0)
        r->instructions = m->instructions;
    if (m->fused > 0)
        r->fused = m->fused;
    if (m->megabytes > r->megabytes)
        r->megabytes = m->megabytes;
}

/* Modes take turns, so that what else the machine does falls on all of them. */
static void run_rounds(int kernel, const struct words *w, struct rounds of[NMODES])
{
    for (int i = 0; i < w->rounds; i++) {
        for (int mode = 0; mode < NMODES; mode++) {
            struct measured m = in_child(kernel, mode);

            if (m.seconds <= 0)
                die("%s, %s: failed", kernels[kernel].name, modes[mode].name);
            add_round(&of[mode], &m);
            if (w->csv)
                printf("%s,\"%s\",%d,%.6f,%.0f\n", kernels[kernel].name, modes[mode].name, i,
                       m.seconds, m.instructions);
        }
    }
    for (int mode = 0; mode < NMODES; mode++)
        qsort(of[mode].seconds, (size_t)of[mode].n, sizeof(of[mode].seconds[0]), by_value);
}

/* ---- the table ---- */

static void print_heading(long cores, const struct words *w)
{
    printf(
        "G thread-instructions a second and host thread; %ld cores. Counters are always on;\n"
        "\"no sample\" is without the accesses sampled for the modelled time. \"G fused\": fused\n"
        "operations of tensor instructions a second, with counters.",
        cores);
    if (w->rounds > 1)
        printf(" Median of %d rounds;\n±: half of what lies between the fastest and the slowest.",
               w->rounds);
    printf("\n%-18s", "");
    for (int mode = 0; mode < NMODES; mode++)
        printf(" %30s", modes[mode].name);
    printf(" %10s %10s\n", "MiB", "G fused");
}

static void print_kernel(int kernel, long cores, const struct rounds of[NMODES])
{
    double most = 0;

    printf("%-18s", kernels[kernel].name);
    for (int mode = 0; mode < NMODES; mode++) {
        const struct rounds *r = &of[mode];
        double threads = modes[mode].threads ? 1 : (double)cores, middle = median(r);
        double apart = 50 * (r->seconds[r->n - 1] - r->seconds[0]) / middle;

        printf("   %8.3f (%8.1f ms", of[1].instructions / middle / threads / 1e9, 1e3 * middle);
        printf(r->n > 1 ? " ±%3.0f %%)" : ")       ", apart);
        most = r->megabytes > most ? r->megabytes : most;
    }
    printf(" %10.0f", most);
    if (of[1].fused > 0)
        printf(" %10.2f", of[1].fused / median(&of[1]) / 1e9);
    printf("\n");
    fflush(stdout);
}

/* ---- the command line ---- */

static bool is_kernel(const char *name)
{
    for (int k = 0; k < NKERNELS; k++)
        if (!strcmp(name, kernels[k].name))
            return true;
    return false;
}

static void refuse_kernel(const char *name)
{
    struct text there = {0};

    for (int k = 0; k < NKERNELS; k++)
        text_addf(&there, " %s", kernels[k].name);
    die("no kernel \"%s\"; there are:%s", name, text_str(&there));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    char *end;

    switch (key) {
    case 'k':
        if (!is_kernel(arg))
            refuse_kernel(arg);
        w->kernel = arg;
        return 0;
    case 'r':
        w->rounds = (int)strtol(arg, &end, 10);
        if (*end || w->rounds < 1 || w->rounds > MAX_ROUNDS)
            argp_error(state, "--rounds=%s: a number from 1 to %d", arg, MAX_ROUNDS);
        return 0;
    case 'c':
        w->csv = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"kernel", 'k', "NAME", 0, "This kernel alone", 0},
        {"rounds", 'r', "N", 0, "Measure so often, and take the median", 0},
        {"csv", 'c', 0, 0, "Each round: kernel, mode, round, seconds, thread-instructions", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Launches the kernels of common/harness/bench.cu on the emulator and says how many "
               "instructions a second it interprets."};
    struct words w = {.rounds = 1};

    if (argp_parse(&argp, argc, argv, 0, NULL, &w))
        return 2;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (!w.csv)
        print_heading(cores, &w);
    for (int k = 0; k < NKERNELS; k++) {
        struct rounds of[NMODES] = {0};

        if (w.kernel && strcmp(w.kernel, kernels[k].name))
            continue;
        run_rounds(k, &w, of);
        if (!w.csv)
            print_kernel(k, cores, of);
    }
    return 0;
}
