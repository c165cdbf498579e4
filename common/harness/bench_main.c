/* bench_main.c - make bench-emulator: how fast the emulator interprets.
 *
 * For each kernel of bench.cu and each mode, a fresh process launches it three times; the
 * fastest counts. Counting is part of interpreting and cannot be turned off; what can is the
 * sample of accesses that the time model takes. G thread-instructions a second and thread = lanes
 * active at each warp instruction (the counter thread_inst_executed), divided by wall time and host
 * threads.
 */
#include "compile.h"
#include "run/exec.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "run/emulator.h"
#include "run/machine.h"

#include <argp.h>
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

struct measured {
    double seconds, instructions; /* thread-instructions; 0 when not counted */
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
    struct compile_request r = {.path = path, .arch = "compute_90"};
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

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .doc = "Launches the kernels of common/harness/bench.cu on the emulator and says how many "
               "instructions a second it interprets."};

    if (argp_parse(&argp, argc, argv, 0, NULL, NULL))
        return 2;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    printf("G thread-instructions a second and host thread; %ld cores. Counters are always on;\n"
           "\"no sample\" is without the accesses sampled for the modelled time.\n%-18s",
           cores, "");
    for (int mode = 0; mode < NMODES; mode++)
        printf(" %24s", modes[mode].name);
    printf(" %10s\n", "MiB");
    for (int k = 0; k < NKERNELS; k++) {
        struct measured m[NMODES];
        double most = 0;

        for (int mode = 0; mode < NMODES; mode++) {
            m[mode] = in_child(k, mode);
            most = m[mode].megabytes > most ? m[mode].megabytes : most;
        }
        printf("%-18s", kernels[k].name);
        for (int mode = 0; mode < NMODES; mode++) {
            double threads = modes[mode].threads ? 1 : (double)cores;

            if (m[mode].seconds > 0)
                printf("    %8.3f (%8.1f ms)", m[1].instructions / m[mode].seconds / threads / 1e9,
                       1e3 * m[mode].seconds);
            else
                printf(" %24s", "failed");
        }
        printf(" %10.0f\n", most);
    }
    return 0;
}
