/* hopper_main.c - instructions on tiles, the same on the emulator and on an H200.
 *
 *   ptxhopper --write FILE [--only TEXT]   run the cases and keep a line of each
 *   ptxhopper --check FILE [--only TEXT]   run them and compare
 *
 * A plain runtime-API program, as cases_main.c.
 */
#include "hopper.h"
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *write, *check, *only;
    char *program;
} words;
static FILE *record;
static uint64_t passed, failed;
static uint64_t asked, done; /* cases; those of the processes before this */

bool hopper_wanted(const char *name)
{
    return ++asked > done && (!words.only || strstr(name, words.only));
}
/* The record's line of this case: without --only they come in the record's order. */
static const char *expected(const char *name)
{
    static char line[1024];
    size_t n = strlen(name);
    while (fgets(line, sizeof(line), record)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, name, n) && !strncmp(line + n, " = ", 3))
            return line + n + 3;
    }
    rewind(record);
    return "no line in the record";
}
void hopper_error(const char *name, const char *error)
{
    if (words.write) {
        fprintf(record, "%s = %s\n", name, error);
        passed++;
        return;
    }
    const char *want = expected(name);
    bool same = !strcmp(want, error);
    if (!same && failed < 10)
        printf("FAIL %s: expected %s, got %s\n", name, want, error);
    passed += same;
    failed += !same;
}
void hopper_result(const char *name, uint64_t hash)
{
    char text[20];
    snprintf(text, sizeof(text), "%016" PRIx64, hash);
    hopper_error(name, text);
}

void hopper_fault(const char *name, cudaError_t e)
{
    char counts[80];
    hopper_error(name, cudaGetErrorName(e));
    snprintf(counts, sizeof(counts), "%" PRIu64 ",%" PRIu64 ",%" PRIu64, asked, passed, failed);
    fflush(NULL);
    execl("/proc/self/exe", words.program, words.write ? "--write" : "--check",
          words.write ? words.write : words.check, "--only", words.only ? words.only : "",
          "--after", counts, (char *)NULL);
    perror("ptxhopper: exec");
    exit(2);
}

uint64_t hopper_hash(const void *data, size_t n)
{
    uint64_t h = 14695981039346656037ull;
    for (size_t k = 0; k < n; k++)
        h = (h ^ ((const unsigned char *)data)[k]) * 1099511628211ull;
    return h;
}
uint32_t hopper_random(uint64_t *state) /* PCG XSH RR */
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t x = (uint32_t)((*state >> 18 ^ *state) >> 27), r = (uint32_t)(*state >> 59);
    return x >> r | x << (-r & 31);
}
void hopper_need(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "ptxhopper: %s: %s\n", what, cudaGetErrorString(e));
    exit(2);
}
cudaError_t hopper_run(const char *ptx, uint32_t blocks, void **args)
{
    cudaLibrary_t lib;
    cudaKernel_t k;
    cudaError_t e = cudaLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0);
    if (e != cudaSuccess)
        return e;
    if ((e = cudaLibraryGetKernel(&k, lib, "k")) == cudaSuccess &&
        (e = cudaLaunchKernel((const void *)k, (dim3){blocks, 1, 1}, (dim3){128, 1, 1}, args, 0,
                              NULL)) == cudaSuccess)
        e = cudaDeviceSynchronize();
    cudaLibraryUnload(lib);
    return e;
}
void hopper_put_fill(FILE *f, const char *label, int from, int at, int bytes)
{
    fprintf(f,
            "mov.u32 %%r2, %%r0;\n%sA:\nsetp.ge.u32 %%p0, %%r2, %d;\n@%%p0 bra %sB;\n"
            "mul.wide.u32 %%l4, %%r2, 4;\nadd.u64 %%l5, %%l%d, %%l4;\nld.global.b32 %%r3, [%%l5];\n"
            "shl.b32 %%r4, %%r2, 2;\nadd.u32 %%r4, %%r4, %%r1;\nst.shared.b32 [%%r4+%d], %%r3;\n"
            "add.u32 %%r2, %%r2, 128;\nbra %sA;\n%sB:\n",
            label, bytes / 4, label, from, at, label, label);
}

enum { OPT_WRITE = 256, OPT_CHECK, OPT_ONLY, OPT_AFTER };
static const struct argp_option options[] = {
    {"write", OPT_WRITE, "FILE", 0, "Run the cases and keep a line of each", 0},
    {"check", OPT_CHECK, "FILE", 0, "Run them and compare", 0},
    {"only", OPT_ONLY, "TEXT", 0, "Those whose name has this in it", 0},
    {"after", OPT_AFTER, "N,N,N", OPTION_HIDDEN, "So many done, passed and failed before", 0},
    {0}};
static error_t parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case OPT_WRITE:
        words.write = arg;
        return 0;
    case OPT_CHECK:
        words.check = arg;
        return 0;
    case OPT_ONLY:
        words.only = arg;
        return 0;
    case OPT_AFTER:
        return sscanf(arg, "%" SCNu64 ",%" SCNu64 ",%" SCNu64, &done, &passed, &failed) == 3
                   ? 0
                   : EINVAL;
    case ARGP_KEY_END:
        if (!words.write == !words.check)
            argp_error(state, "one of --write FILE, --check FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
int main(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, NULL, "Instructions on tiles, on the emulator and on a GPU.", 0, 0, 0};
    argp_err_exit_status = 2;
    words.program = argv[0];
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    const char *file = words.write ? words.write : words.check;
    record = fopen(file, words.check ? "re" : done ? "ae" : "we");
    if (!record) {
        fprintf(stderr, "ptxhopper: cannot open %s\n", file);
        return 2;
    }
    setvbuf(record, NULL, _IOLBF, 0); /* a case may end the program */
    hopper_cases();
    if (fclose(record)) {
        fprintf(stderr, "ptxhopper: cannot write %s\n", file);
        return 2;
    }
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed || !passed;
}
