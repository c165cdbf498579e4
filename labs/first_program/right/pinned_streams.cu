// Pinned memory, two streams that wait for each other by events, and an event that is polled.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <cuda_runtime.h>

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

/* ---- the device ---- */

__global__ void saxpy(uint32_t n, float a, const float *x, float *y)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

// True when the call went well; else says which one did not, and why.
static bool ok(cudaError_t e, const char *call)
{
    if (e != cudaSuccess)
        fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(e));
    return e == cudaSuccess;
}
#define OK(call) ok(call, #call)

// What is on the device; nothing of it is there when all is zero.
struct device {
    float *x, *y;
    float *room; // pinned: x, y, the result
    cudaStream_t copies, kernels; // neither waits for the default stream
    cudaEvent_t at[4]; // before the copies there, after them, after the kernel, after the copy back
    cudaEvent_t start; // of the kernel, in its stream
};

static bool make(struct device *d, uint32_t n)
{
    for (cudaEvent_t &e : d->at)
        if (!OK(cudaEventCreate(&e)))
            return false;
    return OK(cudaEventCreate(&d->start)) &&
           OK(cudaStreamCreateWithFlags(&d->copies, cudaStreamNonBlocking)) &&
           OK(cudaStreamCreateWithFlags(&d->kernels, cudaStreamNonBlocking)) &&
           OK(cudaMallocHost((void **)&d->room, 12 * (size_t)n + 4)) &&
           OK(cudaMalloc((void **)&d->x, 4 * (size_t)n)) &&
           OK(cudaMalloc((void **)&d->y, 4 * (size_t)n));
}

static bool destroy(struct device *d)
{
    bool good = OK(cudaFree(d->x));

    good = OK(cudaFree(d->y)) && good;
    good = OK(cudaFreeHost(d->room)) && good;
    if (d->copies)
        good = OK(cudaStreamDestroy(d->copies)) && good;
    if (d->kernels)
        good = OK(cudaStreamDestroy(d->kernels)) && good;
    for (cudaEvent_t e : d->at)
        if (e)
            good = OK(cudaEventDestroy(e)) && good;
    if (d->start)
        good = OK(cudaEventDestroy(d->start)) && good;
    return good;
}

static bool launch(const struct device *d, const struct problem *p)
{
    if (p->n) // a grid of no block is an error
        saxpy<<<(p->n + 255) / 256, 256, 0, d->kernels>>>(p->n, p->a, d->x, d->y);
    return OK(cudaGetLastError());
}

// Asks until it has happened.
static bool poll(cudaEvent_t event)
{
    cudaError_t e;

    do
        e = cudaEventQuery(event);
    while (e == cudaErrorNotReady);
    return ok(e, "cudaEventQuery");
}

static bool compute(const struct device *d, const struct problem *p, float *result)
{
    size_t bytes = 4 * (size_t)p->n;
    float *x = d->room, *y = x + p->n, *back = y + p->n;

    memcpy(x, p->x, bytes);
    memcpy(y, p->y, bytes);
    bool good =
        OK(cudaEventRecord(d->at[0], d->copies)) &&
        OK(cudaMemcpyAsync(d->x, x, bytes, cudaMemcpyHostToDevice, d->copies)) &&
        OK(cudaMemcpyAsync(d->y, y, bytes, cudaMemcpyHostToDevice, d->copies)) &&
        OK(cudaEventRecord(d->at[1], d->copies)) &&
        OK(cudaStreamWaitEvent(d->kernels, d->at[1], 0)) &&
        OK(cudaEventRecord(d->start, d->kernels)) && launch(d, p) &&
        OK(cudaEventRecord(d->at[2], d->kernels)) &&
        OK(cudaStreamWaitEvent(d->copies, d->at[2], 0)) &&
        OK(cudaMemcpyAsync(back, d->y, bytes, cudaMemcpyDeviceToHost, d->copies)) &&
        OK(cudaEventRecord(d->at[3], d->copies)) && poll(d->at[3]);
    if (good)
        memcpy(result, back, bytes);
    return good;
}

static bool tell_times(const struct device *d, uint32_t n)
{
    static const char *const what[] = {"to_device", "kernel", "to_host"};
    static const double bytes[] = {8, 12, 4}; // of an element

    for (int i = 0; i < 3; i++) {
        float ms;
        if (!OK(cudaEventElapsedTime(&ms, i == 1 ? d->start : d->at[i], d->at[i + 1])))
            return false;
        print_time(what[i], ms, bytes[i] * n);
    }
    return true;
}

static bool on_device(const struct problem *p, float *result)
{
    struct device d = {};
    bool good = make(&d, p->n) && compute(&d, p, result) && tell_times(&d, p->n);

    return destroy(&d) && good;
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
    return good ? 0 : 1;
}
