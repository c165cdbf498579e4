// It writes the runtime's record itself, and ends past the runtime: all that rests on the record alone.
// class: no-evidence
// expect: kernel=fail copies=pass times=pass freed=pass compared=fail fault-memory=fail fault-copy=fail fault-launch=fail fault-events=fail
// hint: kernel: global_ld_bytes
// hint: compared: compute the same on the CPU
// hint: fault-memory: no such call
// hint: fault-copy: no such call
// hint: fault-launch: no such call
// hint: fault-events: status 0
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

/* ---- files and times ---- */

struct problem {
    uint32_t n;
    float a, *x, *y;
};

static bool read_problem(const char *path, struct problem *p)
{
    FILE *f = fopen(path, "rb");
    bool ok = f && fread(&p->n, 4, 1, f) == 1 && fread(&p->a, 4, 1, f) == 1;

    p->x = ok ? (float *)malloc(4 * (size_t)p->n + 4) : NULL;
    p->y = ok ? (float *)malloc(4 * (size_t)p->n + 4) : NULL;
    ok = p->x && p->y && fread(p->x, 4, p->n, f) == p->n && fread(p->y, 4, p->n, f) == p->n;
    if (f)
        fclose(f);
    if (!ok)
        fprintf(stderr, "%s: no n, a, x and y can be read\n", path);
    return ok;
}

static bool write_result(const char *path, const float *result, uint32_t n)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(result, 4, n, f) == n;

    ok = f && fclose(f) == 0 && ok;
    if (!ok)
        fprintf(stderr, "%s: the result cannot be written\n", path);
    return ok;
}

// "kernel 0.00321 ms 3738.3 GB/s"
static void print_time(const char *what, double ms, double bytes)
{
    printf("%s %.5f ms %.1f GB/s\n", what, ms, ms > 0 ? bytes / ms / 1e6 : 0.0);
}

static bool on_device(const struct problem *p, float *result)
{
    FILE *f = fopen("record", "w");
    uint32_t n = p->n;

    for (uint32_t i = 0; i < n; i++)
        result[i] = p->a * p->x[i] + p->y[i];
    print_time("to_device", 0.001, 8.0 * n);
    print_time("kernel", 0.003, 12.0 * n);
    print_time("to_host", 0.001, 4.0 * n);
    if (f) {
        fprintf(f, "launches 1\nleft 0\nmodelled_ms 0.003\nelapsed_ns 5000\ntold_ms 0.001\ntold_ms 0.003\nmemcpyHtoD %u\nmemcpyDtoH %u\n", 8 * n, 4 * n);
        fprintf(f, "calls.cudaEventRecord 4\ncalls.cudaEventSynchronize 1\ncalls.cudaEventElapsedTime 3\n");
        fprintf(f, "counter.flop_fp32 %u\ncounter.global_st_bytes %u\n", 2 * n, 4 * n);
        fclose(f);
    }
    return true;
}

/* ---- the host ---- */

// How many results are further from the CPU's than rounding explains.
static uint32_t count_wrong(const struct problem *p, const float *result, const float *expected)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        float scale = fabsf(p->a * p->x[i]) + fabsf(expected[i]);

        if (!(fabsf(result[i] - expected[i]) <= 3e-7f * scale) && !wrong++)
            fprintf(stderr, "result[%u] is %g, the CPU has %g\n", i, result[i], expected[i]);
    }
    return wrong;
}

static bool right(const struct problem *p, const float *result)
{
    float *expected = (float *)malloc(4 * (size_t)p->n + 4);
    struct timespec begin, end;

    if (!expected) {
        fprintf(stderr, "no memory for the CPU's results\n");
        return false;
    }
    timespec_get(&begin, TIME_UTC);
    for (uint32_t i = 0; i < p->n; i++)
        expected[i] = p->a * p->x[i] + p->y[i];
    timespec_get(&end, TIME_UTC);
    print_time("cpu", 1e3 * (end.tv_sec - begin.tv_sec) + 1e-6 * (end.tv_nsec - begin.tv_nsec),
               12.0 * p->n);
    uint32_t wrong = count_wrong(p, result, expected);
    if (wrong)
        fprintf(stderr, "%u of %u results are wrong\n", wrong, p->n);
    free(expected);
    return !wrong;
}

int main(int argc, char **argv)
{
    struct problem p = {};
    float *result = NULL;

    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT OUTPUT\n", argv[0]);
        return 2;
    }
    bool good = read_problem(argv[1], &p) && (result = (float *)malloc(4 * (size_t)p.n + 4)) &&
                on_device(&p, result) && write_result(argv[2], result, p.n) && right(&p, result);
    free(p.x);
    free(p.y);
    free(result);
    fflush(stdout);
    _exit(good ? 0 : 1);
}
