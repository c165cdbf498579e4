// first_program: y = a x + y on the GPU. The whole program is yours, host code too.
//
//     program INPUT OUTPUT
//
// INPUT holds n (32 bits), a, then n floats x and n floats y. OUTPUT is to hold n floats: what the
// device computed. Reading, writing and the form in which times are printed are given.
//
//     make run LAB=first_program
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <cuda_runtime.h>

/* ---- given: files and times ---- */

struct problem {
    uint32_t n;
    float a, *x, *y; // x and y: on the host
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

// What is one of to_device, kernel, to_host, cpu: "kernel 0.00321 ms 3738.3 GB/s".
static void print_time(const char *what, double ms, double bytes)
{
    printf("%s %.5f ms %.1f GB/s\n", what, ms, ms > 0 ? bytes / ms / 1e6 : 0.0);
}

/* ---- yours ---- */

// TODO: a thread an element: y[i] = a * x[i] + y[i], and nothing beyond n.
__global__ void saxpy(uint32_t n, float a, const float *x, float *y)
{
}

// TODO: every call of CUDA's returns a cudaError_t. When it is not cudaSuccess, say on stderr which
// call it was and why (cudaGetErrorString), free what there is, and end with a status that is not 0:
// without a result. A launch returns nothing; cudaGetLastError() tells.

// TODO: on the device:
//   1. allocate x and y there                          cudaMalloc
//   2. copy both there                                 cudaMemcpy, cudaMemcpyHostToDevice
//   3. launch, with enough blocks for n (n may be 0)   saxpy<<<blocks, threads>>>(…)
//   4. copy y back into result                         cudaMemcpy, cudaMemcpyDeviceToHost
//   5. the times of 2, 3 and 4                         cudaEventCreate, cudaEventRecord,
//                                                      cudaEventSynchronize, cudaEventElapsedTime
//   6. free all that was allocated and created         cudaFree, cudaEventDestroy
static bool on_device(const struct problem *p, float *result)
{
    (void)p, (void)result;
    fprintf(stderr, "TODO: nothing runs on the device yet\n");
    return false;
}

// TODO: the same on the CPU, timed (timespec_get); then each element beside the device's. They may
// differ by rounding: by about 3e-7 of |a x| + |a x + y|. Say on stderr what is further away.
static bool right(const struct problem *p, const float *result)
{
    (void)p, (void)result, (void)print_time;
    return false;
}

int main(int argc, char **argv)
{
    struct problem p = {};
    float *result = NULL;

    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT OUTPUT\n", argv[0]);
        return 2;
    }
    // The result is written as it came from the device, and then compared: when it is wrong,
    // somebody will want to look at it.
    bool good = read_problem(argv[1], &p) && (result = (float *)malloc(4 * (size_t)p.n + 4)) &&
                on_device(&p, result) && write_result(argv[2], result, p.n) && right(&p, result);
    free(p.x);
    free(p.y);
    free(result);
    return good ? 0 : 1;
}
