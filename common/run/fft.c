/* fft.c - finds cuFFT and has it transform (fft.h).
 *
 * Its calls are as the emulator's own header declares them: a machine without a GPU has no cufft.h.
 */
#include "fft.h"
#include "base/alloc.h"
#include "calls.h"
#include "emulator/fft/cufft_api.h"
#include "lab/plan.h"
#include "machine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libcufft.so.12"

struct fft {
    cufftHandle handle;
};

static struct {
    __typeof__(cufftPlan2d) *plan_2d;
    __typeof__(cufftDestroy) *destroy;
    __typeof__(cufftSetStream) *set_stream;
    __typeof__(cufftExecC2C) *c2c;
    __typeof__(cufftExecR2C) *r2c;
    __typeof__(cufftExecC2R) *c2r;
} calls;
static char *why_not; /* NULL: it is there */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const struct call symbols[] = {
        {"cufftPlan2d", &calls.plan_2d},       {"cufftDestroy", &calls.destroy},
        {"cufftSetStream", &calls.set_stream}, {"cufftExecC2C", &calls.c2c},
        {"cufftExecR2C", &calls.r2c},          {"cufftExecC2R", &calls.c2r},
    };

    why_not = calls_load(LIBRARY, symbols, sizeof(symbols) / sizeof(symbols[0]));
}

static const char *words(cufftResult result)
{
    static const char *const names[] = {
        "CUFFT_SUCCESS",       "CUFFT_INVALID_PLAN",   "CUFFT_ALLOC_FAILED", "CUFFT_INVALID_TYPE",
        "CUFFT_INVALID_VALUE", "CUFFT_INTERNAL_ERROR", "CUFFT_EXEC_FAILED",  "CUFFT_SETUP_FAILED",
        "CUFFT_INVALID_SIZE",  "CUFFT_UNALIGNED_DATA",
    };

    return result < sizeof(names) / sizeof(names[0]) ? names[result] : "an error";
}

static cufftType type_of(const struct plan_step *s)
{
    return !strcmp(s->kernel, "cufftExecC2C")   ? CUFFT_C2C
           : !strcmp(s->kernel, "cufftExecR2C") ? CUFFT_R2C
                                                : CUFFT_C2R;
}

bool fft_open(struct exec *e, int i)
{
    const struct plan_step *s = &e->plan->steps[i];
    uint32_t rows = s->args[FFT_ROWS].v.u32, columns = s->args[FFT_COLUMNS].v.u32;
    cufftHandle handle;

    pthread_once(&once, load);
    if (why_not)
        return exec_fail(e, cudaSuccess,
                         "this lab needs cuFFT, " LIBRARY ", which a CUDA toolkit 13 has and the "
                         "packages from PyPI that make installs have not: %s",
                         why_not);
    cufftResult result = calls.plan_2d(&handle, (int)rows, (int)columns, type_of(s));
    if (result)
        return exec_fail(e, cudaSuccess, "cuFFT has no plan for %u × %u numbers: %s", rows, columns,
                         words(result));
    e->ffts[i] = xmalloc(sizeof(struct fft));
    e->ffts[i]->handle = handle;
    return true;
}

bool fft_run(struct exec *e, int i, cudaStream_t stream)
{
    const struct plan_step *s = &e->plan->steps[i];
    cufftHandle handle = e->ffts[i]->handle;
    cufftType type = type_of(s);
    void *in = e->data[s->args[FFT_IN].buffer], *out = e->data[s->args[FFT_OUT].buffer];
    cufftResult result = calls.set_stream(handle, stream);

    if (!result)
        result = type == CUFFT_C2C   ? calls.c2c(handle, in, out, s->args[FFT_DIRECTION].v.i32)
                 : type == CUFFT_R2C ? calls.r2c(handle, in, out)
                                     : calls.c2r(handle, in, out);
    if (!result)
        return true;
    /* cuFFT's own words do not tell that a kernel before it has failed */
    cudaError_t error = cudaStreamSynchronize(stream);
    return machine_error_is_sticky(error) ? exec_launch_failed(e, error, i ? i : e->plan->nsteps)
                                          : exec_fail(e, error, "%s: %s", s->kernel, words(result));
}

void fft_close(struct fft *f)
{
    if (!f)
        return;
    calls.destroy(f->handle);
    free(f);
}
