/* random_main.c - random programs, the same on the emulator and on a GPU.
 *
 *   ptxrandom --seeds A-B --write FILE   run seeds A … B-1 and keep a line of each
 *   ptxrandom --check FILE               run the seeds of FILE and compare
 *   ptxrandom --print SEED               the PTX of one seed
 *
 * A plain runtime-API program, as cases_main.c; random_gen.c writes the programs. A line is
 * "seed instructions text-hash result-hash", or the name of an error in place of the last; on
 * a GPU, from ptxas -O0, with " optimised " and the result of -O4 behind it where that is
 * another.
 */
#include "random_gen.h"
#include <argp.h>
#include <cuda_runtime_api.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- one program ---- */
static uint64_t hash(const void *data, size_t n)
{
    uint64_t h = 14695981039346656037ull;
    for (size_t k = 0; k < n; k++)
        h = (h ^ ((const unsigned char *)data)[k]) * 1099511628211ull;
    return h;
}
static void *dev_out, *dev_acc;

/* optimise: 0 to 4, as ptxas -O. */
static cudaError_t run(const struct random_program *p, uintptr_t optimise, uint64_t *result)
{
    const struct random_shape *s = &p->shape;
    static uint64_t all[MAX_THREADS + ACC_BYTES / 8];
    size_t out_bytes = MAX_THREADS * 8;
    cudaLibrary_t lib;
    cudaKernel_t k;
    void *args[] = {&dev_out, &dev_acc}, *value = (void *)optimise;
    enum cudaJitOption option = cudaJitOptimizationLevel;
    cudaError_t e = cudaLibraryLoadData(&lib, p->text, &option, &value, 1, NULL, NULL, 0);
    if (e != cudaSuccess)
        return e;
    if ((e = cudaLibraryGetKernel(&k, lib, "k")) == cudaSuccess &&
        (e = cudaMemset(dev_out, 0, out_bytes)) == cudaSuccess &&
        (e = cudaMemset(dev_acc, 0x5a, ACC_BYTES)) == cudaSuccess &&
        (e = cudaLaunchKernel((const void *)k, (dim3){s->grid, 1, 1},
                              (dim3){s->block[0], s->block[1], s->block[2]}, args, 0, NULL)) ==
            cudaSuccess &&
        (e = cudaDeviceSynchronize()) == cudaSuccess &&
        (e = cudaMemcpy(all, dev_out, out_bytes, cudaMemcpyDeviceToHost)) == cudaSuccess)
        e = cudaMemcpy(all + MAX_THREADS, dev_acc, ACC_BYTES, cudaMemcpyDeviceToHost);
    cudaLibraryUnload(lib);
    *result = hash(all, sizeof(all));
    return e;
}
enum { LINE = 160 };
static const char *outcome(const struct random_program *p, uintptr_t optimise)
{
    static char word[64];
    uint64_t result = 0;
    cudaError_t e = run(p, optimise, &result);
    if (e != cudaSuccess)
        return cudaGetErrorName(e);
    snprintf(word, sizeof(word), "%016" PRIx64, result);
    return word;
}
/* A line of the file, without its end. A compiler that optimises has no right to another
 * result; where it has one all the same, that stands behind "optimised". The line grows as
 * the runs end: what kills the process leaves what it did not do. */
static bool run_seed(struct random_program *p, uint64_t seed, bool both, char *line)
{
    char plain[64];
    random_generate(p, seed);
    int n = snprintf(line, LINE, "%" PRIu64 " %u %016" PRIx64, seed, p->insns, hash(p->text, p->n));
    snprintf(plain, sizeof(plain), "%s", outcome(p, 0));
    n += snprintf(line + n, LINE - (size_t)n, " %s", plain);
    if (both && strncmp(plain, "cuda", 4)) {
        snprintf(line + n, LINE - (size_t)n, " optimised crash");
        const char *word = outcome(p, 4);
        if (!strcmp(word, plain))
            line[n] = 0;
        else
            snprintf(line + n, LINE - (size_t)n, " optimised %s", word);
    }
    return !strstr(line, "cuda");
}
static void open_device(void)
{
    cudaError_t e = cudaDeviceSetLimit(cudaLimitStackSize, 16384); /* functions call themselves */
    if (e == cudaSuccess)
        e = cudaMalloc(&dev_out, MAX_THREADS * 8);
    if (e == cudaSuccess)
        e = cudaMalloc(&dev_acc, ACC_BYTES);
    if (e != cudaSuccess)
        random_fail("no device", cudaGetErrorString(e));
}
/* A GPU's context does not outlive most errors, nor a process a crash of the compiler: each
 * chunk of seeds has a process, which ends at the first error, and the rest of the chunk
 * another. */
enum { CHUNK = 25, JOBS = 64 };
struct work {
    uint64_t n, *seeds;
    char (*lines)[LINE]; /* shared with the processes */
    bool both;
};
struct chunk {
    uint64_t next, end; /* in work's arrays */
    pid_t pid;
};
static struct work new_work(uint64_t n, bool both)
{
    struct work w = {n, malloc(n * sizeof(uint64_t)), NULL, both};
    w.lines = mmap(NULL, n * LINE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!w.seeds || w.lines == MAP_FAILED)
        random_fail("out of memory", "");
    return w;
}
static void run_chunk(const struct work *w, const struct chunk *c)
{
    struct random_program p = {0};
    open_device();
    for (uint64_t k = c->next; k < c->end; k++)
        if (!run_seed(&p, w->seeds[k], w->both, w->lines[k]))
            _exit(1);
    _exit(0);
}
/* True if there is something left to do, which a process now does. */
static bool start_chunk(const struct work *w, struct chunk *c, uint64_t *given)
{
    if (c->next >= c->end) {
        c->next = *given;
        *given = c->end = *given + CHUNK < w->n ? *given + CHUNK : w->n;
    }
    if (c->next >= c->end)
        return false;
    if ((c->pid = fork()) == 0)
        run_chunk(w, c);
    if (c->pid < 0)
        random_fail("cannot start a process", strerror(errno));
    return true;
}
static void run_work(const struct work *w)
{
    struct chunk chunks[JOBS] = {{0}};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned jobs = cores < 1 ? 1 : cores > JOBS ? JOBS : (unsigned)cores, running = 0;
    uint64_t given = 0;
    for (;;) {
        for (unsigned j = 0; j < jobs; j++)
            if (!chunks[j].pid)
                running += start_chunk(w, &chunks[j], &given);
        if (!running)
            return;
        pid_t ended = wait(NULL);
        for (unsigned j = 0; j < jobs; j++)
            if (chunks[j].pid == ended) {
                struct chunk *c = &chunks[j];
                c->pid = 0;
                running--;
                while (c->next < c->end && w->lines[c->next][0])
                    c->next++;
            }
    }
}
static int write_file(uint64_t from, uint64_t n, const char *file)
{
    struct work w = new_work(n, true);
    uint64_t differ = 0;
    FILE *f = fopen(file, "w");
    if (!f)
        random_fail("cannot write", file);
    for (uint64_t k = 0; k < n; k++)
        w.seeds[k] = from + k;
    run_work(&w);
    struct cudaDeviceProp p; /* asked for last: a context does not outlive fork() */
    if (cudaGetDeviceProperties(&p, 0) == cudaSuccess)
        fprintf(f, "# seed, instructions, hash of the text, of the results: %s\n", p.name);
    for (uint64_t k = 0; k < n; k++) {
        differ += strstr(w.lines[k], "optimised") != NULL;
        fprintf(f, "%s\n", w.lines[k]);
    }
    if (fclose(f))
        random_fail("cannot write", file);
    printf("%" PRIu64 " programs, of which %" PRIu64 " have another result when optimised\n", n,
           differ);
    return 0;
}
static int check_file(const char *file)
{
    char want[LINE], *more;
    uint64_t n = 0, passed = 0;
    FILE *f = fopen(file, "r");
    if (!f)
        random_fail("cannot open", file);
    while (fgets(want, sizeof(want), f))
        n += want[0] != '#';
    if (!n)
        random_fail("no program in", file);
    struct work w = new_work(n, false);
    rewind(f);
    for (uint64_t k = 0; k < n && fgets(want, sizeof(want), f);)
        if (want[0] != '#')
            w.seeds[k++] = strtoull(want, NULL, 10);
    run_work(&w);
    rewind(f);
    for (uint64_t k = 0; k < n && fgets(want, sizeof(want), f);) {
        if (want[0] == '#')
            continue;
        want[strcspn(want, "\n")] = 0;
        if ((more = strstr(want, " optimised")))
            *more = 0;
        if (!strcmp(want, w.lines[k]))
            passed++;
        else if (k - passed < 10)
            printf("FAIL expected %s\n     got      %s\n", want, w.lines[k]);
        k++;
    }
    fclose(f);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, n - passed);
    return passed != n;
}

enum { OPT_SEEDS = 256, OPT_WRITE, OPT_CHECK, OPT_PRINT };
static const struct argp_option options[] = {
    {"seeds", OPT_SEEDS, "A-B", 0, "These seeds, the last left out, at most a million", 0},
    {"write", OPT_WRITE, "FILE", 0, "Run them, and keep a line of each", 0},
    {"check", OPT_CHECK, "FILE", 0, "Run the seeds of FILE and compare", 0},
    {"print", OPT_PRINT, "SEED", 0, "The PTX of one seed", 0},
    {0}};

struct words {
    uint64_t from, to, print;
    bool prints;
    const char *write, *check;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case OPT_SEEDS:
        if (sscanf(arg, "%" SCNu64 "-%" SCNu64, &w->from, &w->to) != 2 || w->to <= w->from ||
            w->to - w->from > 1000000)
            argp_error(state, "--seeds %s: A-B, A < B, at most a million", arg);
        return 0;
    case OPT_WRITE:
        w->write = arg;
        return 0;
    case OPT_CHECK:
        w->check = arg;
        return 0;
    case OPT_PRINT:
        w->prints = true;
        w->print = strtoull(arg, NULL, 10);
        return 0;
    case ARGP_KEY_END:
        if (w->prints + !!w->check + (w->write && w->to) != 1)
            argp_error(state, "one of --print SEED, --check FILE, --seeds A-B --write FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_program(uint64_t seed)
{
    struct random_program p = {0};
    random_generate(&p, seed);
    fputs(p.text, stdout);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, NULL, "Random programs, the same on the emulator and on a GPU.", 0, 0, 0};
    struct words w = {0};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &w);
    if (w.write)
        return write_file(w.from, w.to - w.from, w.write);
    if (w.check)
        return check_file(w.check);
    print_program(w.print);
    return 0;
}
