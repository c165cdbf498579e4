// C as it is often written: one macro, one way out, a clock that counts microseconds.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>
#include <sys/time.h>

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

__global__ void kernel(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    y[i] = a * x[i] + y[i];
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));            \
            goto out;                                                                              \
        }                                                                                          \
    } while (0)

int main(int argc, char **argv)
{
    struct problem p = {};
    float *dx = NULL, *dy = NULL, *result = NULL, ms[3];
    cudaEvent_t e[4] = {};
    struct timeval begin, end;
    size_t bytes;
    int status = 1;

    if (argc != 3 || !read_problem(argv[1], &p))
        goto out;
    bytes = p.n * sizeof(float);
    result = (float *)malloc(bytes + 1);
    for (int i = 0; i < 4; i++)
        CHECK(cudaEventCreateWithFlags(&e[i], cudaEventDefault));
    CHECK(cudaMalloc((void **)&dx, bytes));
    CHECK(cudaMalloc((void **)&dy, bytes));
    CHECK(cudaEventRecord(e[0], 0));
    CHECK(cudaMemcpy(dx, p.x, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, p.y, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(e[1], 0));
    kernel<<<p.n / 512 + 1, 512>>>((int)p.n, p.a, dx, dy);
    CHECK(cudaPeekAtLastError());
    CHECK(cudaEventRecord(e[2], 0));
    CHECK(cudaMemcpy(result, dy, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaEventRecord(e[3], 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++)
        CHECK(cudaEventElapsedTime(&ms[i], e[i], e[i + 1]));
    if (!write_result(argv[2], result, p.n))
        goto out;
    print_time("to_device", ms[0], 2.0 * bytes);
    print_time("kernel", ms[1], 3.0 * bytes);
    print_time("to_host", ms[2], bytes);
    gettimeofday(&begin, NULL);
    for (uint32_t i = 0; i < p.n; i++)
        p.y[i] = p.a * p.x[i] + p.y[i];
    gettimeofday(&end, NULL);
    print_time("cpu", 1e3 * (end.tv_sec - begin.tv_sec) + 1e-3 * (end.tv_usec - begin.tv_usec),
               3.0 * bytes);
    status = 0;
    for (uint32_t i = 0; i < p.n && !status; i++)
        if (!(fabsf(result[i] - p.y[i]) < 1e-4f)) {
            fprintf(stderr, "first difference at %u\n", i);
            status = 1;
        }
out:
    cudaError_t last[6] = {cudaFree(dx), cudaFree(dy)};
    for (int i = 0; i < 4; i++)
        last[i + 2] = e[i] ? cudaEventDestroy(e[i]) : cudaSuccess;
    for (int i = 0; i < 6; i++)
        if (last[i]) {
            fprintf(stderr, "in the end: %s\n", cudaGetErrorString(last[i]));
            status = 1;
        }
    free(p.x);
    free(p.y);
    free(result);
    return status;
}
