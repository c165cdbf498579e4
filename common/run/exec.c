/* exec.c - carries a launch plan out on a module (exec.h). */
#include "exec.h"
#include "base/alloc.h"
#include "base/text.h"
#include "emulator.h"
#include "fft.h"
#include "lab/plan.h"
#include "lab/random.h"
#include "machine.h"
#include "maps.h"
#include "ranks.h"
#include "streams.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE                  (1u << 20) /* of an input, compared while it is in the cache */
#define GAP                    (1u << 20) /* more than a kernel runs past an array by mistake */
#define DEFAULT_DYNAMIC_SHARED 49152 /* above it a kernel has to be told (CUDA guide, 7.x on) */

bool exec_fail(struct exec *e, cudaError_t error, const char *format, ...)
{
    struct text t = {0};
    va_list ap;

    va_start(ap, format);
    text_vaddf(&t, format, ap);
    va_end(ap);
    e->error = error;
    if (error != cudaSuccess) {
        text_addf(&t, ": %s (%s)", cudaGetErrorString(error), cudaGetErrorName(error));
        cudaGetLastError();
    }
    free(e->message);
    e->message = text_take(&t);
    return false;
}

static bool is_symbol(const struct exec *e, int b)
{
    return e->plan->buffers[b].symbol[0];
}

/* The bytes around buffer b; they differ from buffer to buffer and from run to run. */
static void fill_guard(const struct exec *e, int b, unsigned char *guard)
{
    for (size_t i = 0; i < e->options.guard_bytes; i += 8) {
        uint64_t u = random_u64(e->options.seed + (uint64_t)b, i);

        memcpy(guard + i, &u, 8);
    }
}

/* What lies behind a case's part of the module's array is as much as memory that nobody has set,
 * and not an earlier case's: 0 where nothing is to be seen of that. */
static cudaError_t fill_rest(const struct exec *e, int b)
{
    int with = e->options.poison == POISON_ALL ? poison_byte(e->options.seed) : 0;

    return e->rest[b] ? cudaMemset(e->data[b] + e->bytes[b], with, e->rest[b]) : cudaSuccess;
}

static bool open_symbol(struct exec *e, int b)
{
    const struct lab_buffer *buffer = &e->plan->buffers[b];
    void *address = NULL;
    size_t bytes = 0;

    if (cudaLibraryGetGlobal(&address, &bytes, e->module->library, buffer->symbol) != cudaSuccess) {
        cudaGetLastError();
        return exec_fail(e, cudaSuccess,
                         "%s: no variable \"%s\"; it must be declared at file level",
                         e->module->path, buffer->symbol);
    }
    if (bytes < e->bytes[b])
        return exec_fail(e, cudaSuccess, "%s: variable \"%s\" has %zu bytes; this case needs %zu",
                         e->module->path, buffer->symbol, bytes, e->bytes[b]);
    e->data[b] = address;
    e->rest[b] = bytes - e->bytes[b];
    return true;
}

static void name_buffer(const struct exec *e, int b)
{
    const struct lab_buffer *buffer = &e->plan->buffers[b];
    uint32_t parts = e->plan->parts[b] ? e->plan->parts[b] : 1;

    if (!e->options.guard_bytes)
        emulator_name(e->base[b], buffer->name, dtype_size(buffer->dtype) * parts,
                      buffer->count / parts);
}

/* No element: a GPU's kernel gets a null pointer. The emulator's gets a place of which nothing may
 * be touched, so that who does is told the array's name. */
static bool open_empty(struct exec *e, int b)
{
    enum { PLACE = 256 };

    if (!emulator_here() || cudaMalloc((void **)&e->base[b], PLACE) != cudaSuccess)
        return true;
    name_buffer(e, b);
    e->data[b] = e->base[b];
    e->base[b] = NULL;
    cudaFree(e->data[b]);
    return true;
}

/* On the host, where the plan has memory there; on the device, unless that is the same. */
static bool open_places(struct exec *e, int b, size_t total)
{
    const struct lab_buffer *buffer = &e->plan->buffers[b];

    if (e->plan->memory && e->plan->memory != RESIDENT && buffer->role != BUF_SCRATCH) {
        if (!host_open(e, b, total))
            return false;
        e->host[b] = e->host_base[b] + e->options.guard_bytes;
    }
    if (host_is_used(e, b)) {
        e->base[b] = e->host_base[b];
        return true;
    }
    cudaError_t error = cudaMalloc((void **)&e->base[b], total);
    return error == cudaSuccess ||
           exec_fail(e, error, "cannot allocate %zu bytes for %s", total, buffer->name);
}

static bool open_buffer(struct exec *e, int b)
{
    const struct lab_buffer *buffer = &e->plan->buffers[b];
    size_t guard = e->options.guard_bytes, total;
    unsigned char pattern[EXEC_GUARD_BYTES];

    e->bytes[b] = buffer->count * dtype_size(buffer->dtype);
    if (is_symbol(e, b))
        return open_symbol(e, b);
    total = e->bytes[b] + 2 * guard;
    if (!total)
        return open_empty(e, b);
    if (!open_places(e, b, total))
        return false;
    e->data[b] = e->base[b] + guard;
    name_buffer(e, b);
    if (!guard)
        return true;
    fill_guard(e, b, pattern);
    cudaError_t error = cudaMemcpy(e->base[b], pattern, guard, cudaMemcpyDefault);
    if (error == cudaSuccess)
        error = cudaMemcpy(e->data[b] + e->bytes[b], pattern, guard, cudaMemcpyDefault);
    return error == cudaSuccess || exec_fail(e, error, "cannot write around %s", buffer->name);
}

/* Parameters of a kernel; 0 when there are none or the runtime does not say. */
static int parameters(cudaKernel_t kernel)
{
    size_t offset, size;
    int n = 0;

    while (cudaFuncGetParamInfo((const void *)kernel, (size_t)n, &offset, &size) == cudaSuccess)
        n++;
    cudaGetLastError();
    return n;
}

/* Tensor maps are as large as they are, and in the right place; others no larger than numbers. */
static bool check_parameter(struct exec *e, int i, int a)
{
    const struct plan_step *s = &e->plan->steps[i];
    bool map = s->args[a].kind == ARG_TENSOR;
    size_t offset, size;

    if (cudaFuncGetParamInfo((const void *)e->kernels[i], (size_t)a, &offset, &size) !=
        cudaSuccess) {
        cudaGetLastError();
        return true;
    }
    if (size == MAP_BYTES && !map)
        return exec_fail(e, cudaSuccess,
                         "%s's parameter %d is a tensor map, but no line of its TENSOR record is "
                         "of argument %d",
                         s->kernel, a, a);
    if (size != MAP_BYTES && map)
        return exec_fail(e, cudaSuccess,
                         "%s's TENSOR record says that argument %d is a tensor map: its parameter "
                         "must be a const __grid_constant__ CUtensorMap",
                         s->kernel, a);
    return map || size <= sizeof(s->args[0].v) ||
           exec_fail(e, cudaSuccess, "%s has a parameter of %zu bytes: no argument is that large",
                     s->kernel, size);
}

/* A launch reads as many arguments as the kernel declares, and as large ones, whether or not
 * they are there. */
static bool check_parameters(struct exec *e, int i)
{
    const struct plan_step *s = &e->plan->steps[i];
    int n = parameters(e->kernels[i]);

    if (n && n != s->nargs)
        return exec_fail(
            e, cudaSuccess,
            "%s is declared with %d parameters, but is launched with %d arguments: compare "
            "its declaration with the one you were given",
            s->kernel, n, s->nargs);
    for (int a = 0; a < n; a++) {
        if (!check_parameter(e, i, a))
            return false;
    }
    return true;
}

static bool open_step(struct exec *e, int i)
{
    const struct plan_step *s = &e->plan->steps[i];
    struct text why = {0};

    if (s->kind == STEP_FFT)
        return e->options.blank || fft_open(e, i);
    e->kernels[i] = module_kernel(e->module, s->kernel, &why);
    if (!e->kernels[i]) {
        exec_fail(e, cudaSuccess, "%s", text_str(&why));
        text_free(&why);
        return false;
    }
    if (!check_parameters(e, i))
        return false;
    if (s->shared_bytes <= DEFAULT_DYNAMIC_SHARED)
        return true;
    cudaError_t error =
        cudaFuncSetAttribute((const void *)e->kernels[i],
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s->shared_bytes);
    return error == cudaSuccess ||
           exec_fail(e, error, "%s: %u bytes of dynamic shared memory", s->kernel, s->shared_bytes);
}

bool exec_open(struct exec *e, const struct plan *p, const struct module *m,
               const struct exec_options *o)
{
    char err[512];

    *e = (struct exec){.plan = p, .module = m, .options = *o, .message = xstrdup("")};
    emulator_set_gap(GAP);
    if (o->guard_bytes > EXEC_GUARD_BYTES || o->guard_bytes % 256)
        return exec_fail(e, cudaSuccess, "exec: guards of %zu bytes", o->guard_bytes);
    if (!plan_check(p, NULL, err, sizeof(err)))
        return exec_fail(e, cudaSuccess, "%s", err);
    for (int b = 0; b < p->nbuffers; b++) {
        if (!open_buffer(e, b))
            return false;
    }
    for (int i = 0; i < p->nsteps; i++) {
        if (!open_step(e, i))
            return false;
    }
    return maps_open(e) && ranks_open(e) && schedule_open(e);
}

bool exec_upload(struct exec *e, int buffer, const void *host)
{
    cudaError_t error = cudaSuccess;

    if (is_symbol(e, buffer))
        e->symbols[buffer] = host;
    if (e->host[buffer])
        memcpy(e->host[buffer], host, e->bytes[buffer]);
    else if (e->bytes[buffer])
        error = cudaMemcpy(e->data[buffer], host, e->bytes[buffer], cudaMemcpyHostToDevice);
    error = error == cudaSuccess ? fill_rest(e, buffer) : error;
    if (error != cudaSuccess)
        return exec_fail(e, error, "cannot copy %s to the device", e->plan->buffers[buffer].name);
    return e->plan->memory != RESIDENT || ranks_upload(e, buffer, host);
}

bool exec_refill(struct exec *e)
{
    for (int b = 0; b < e->plan->nbuffers; b++) {
        if (e->symbols[b] && !exec_upload(e, b, e->symbols[b]))
            return false;
    }
    return true;
}

/* On the device an input of a schedule is what it copies in. */
static bool is_poisoned(const struct exec *e, int b)
{
    enum buffer_role role = e->plan->buffers[b].role;

    if (role == BUF_INPUT)
        return e->host[b] && !host_is_used(e, b) && e->options.poison == POISON_ALL;
    return (role == BUF_OUTPUT && e->options.poison != POISON_NONE) ||
           (role == BUF_SCRATCH && e->options.poison == POISON_ALL);
}

bool exec_poison(struct exec *e)
{
    for (int b = 0; b < e->plan->nbuffers; b++) {
        if (!is_poisoned(e, b) || !e->bytes[b])
            continue;
        if (e->host[b] && e->plan->buffers[b].role == BUF_OUTPUT)
            memset(e->host[b], poison_byte(e->options.seed), e->bytes[b]);
        if (host_is_used(e, b))
            continue;
        cudaError_t error = cudaMemset(e->data[b], poison_byte(e->options.seed), e->bytes[b]);
        if (error != cudaSuccess)
            return exec_fail(e, error, "cannot fill %s", e->plan->buffers[b].name);
        if (!ranks_poison(e, b, poison_byte(e->options.seed)))
            return false;
    }
    return true;
}

static void *arg_pointer(struct exec *e, int rank, int step, int i, void **slot)
{
    const struct plan_arg *a = &e->plan->steps[step].args[i];

    if (a->kind == ARG_TENSOR)
        return maps_argument(e, step, i);
    if (a->kind != ARG_BUFFER)
        return (void *)&a->v;
    *slot = rank_data(e, rank, a->buffer);
    if (*slot)
        *slot = rank_data(e, rank, a->buffer) +
                a->offset * dtype_size(e->plan->buffers[a->buffer].dtype);
    return slot;
}

bool exec_launch_failed(struct exec *e, cudaError_t error, int nsteps)
{
    const struct plan *p = e->plan;
    struct text names = {0};

    for (int i = 0; i < nsteps; i++) {
        bool named = p->steps[i].kind != STEP_KERNEL;

        for (int k = 0; k < i; k++)
            named |= !strcmp(p->steps[k].kernel, p->steps[i].kernel);
        if (!named)
            text_addf(&names, "%s%s", names.length ? " or " : "", p->steps[i].kernel);
    }
    exec_fail(e, error, "%s: the launch failed", names.length ? names.s : "no kernel");
    text_free(&names);
    return false;
}

bool exec_step(struct exec *e, int i, int rank, cudaStream_t stream)
{
    const struct plan_step *s = &e->plan->steps[i];
    dim3 grid = {s->grid[0], s->grid[1], s->grid[2]},
         block = {s->block[0], s->block[1], s->block[2]};
    void *slots[LAB_MAX_ARGS], *args[LAB_MAX_ARGS];

    if (s->kind == STEP_FFT)
        return e->options.blank || fft_run(e, i, stream);
    for (int a = 0; a < s->nargs; a++)
        args[a] = arg_pointer(e, rank, i, a, &slots[a]);
    cudaError_t error =
        cudaLaunchKernel((const void *)e->kernels[i], grid, block, args, s->shared_bytes, stream);
    if (machine_error_is_sticky(error)) /* of what ran before, in the last round, too */
        return exec_launch_failed(e, error, i ? i : e->plan->nsteps);
    return error == cudaSuccess ||
           exec_fail(e, error, "%s: launch of %u×%u×%u blocks of %u×%u×%u threads", s->kernel,
                     grid.x, grid.y, grid.z, block.x, block.y, block.z);
}

bool exec_launch(struct exec *e)
{
    if (e->plan->nops)
        return schedule_launch(e);
    for (int i = 0; i < e->plan->nsteps; i++) {
        if (!exec_step(e, i, 0, NULL))
            return false;
    }
    return true;
}

static bool check_guard(struct exec *e, int b, bool after)
{
    unsigned char want[EXEC_GUARD_BYTES], got[EXEC_GUARD_BYTES];
    size_t n = e->options.guard_bytes;
    const char *name = e->plan->buffers[b].name;
    cudaError_t error =
        cudaMemcpy(got, after ? e->data[b] + e->bytes[b] : e->base[b], n, cudaMemcpyDefault);

    if (error != cudaSuccess)
        return exec_fail(e, error, "cannot read around %s", name);
    fill_guard(e, b, want);
    for (size_t i = 0; i < n; i++) {
        size_t at = after ? i : n - 1 - i; /* nearest first */

        if (want[at] == got[at])
            continue;
        return exec_fail(e, cudaSuccess, "a kernel wrote outside %s: %zu bytes %s (%llu elements)",
                         name, after ? at + 1 : n - at, after ? "past its end" : "before its start",
                         (unsigned long long)e->plan->buffers[b].count);
    }
    return true;
}

bool exec_finish(struct exec *e)
{
    cudaError_t error = ranks_wait(e);

    if (error == cudaSuccess)
        error = cudaGetLastError();
    if (error != cudaSuccess)
        return exec_launch_failed(e, error, e->plan->nsteps);
    for (int b = 0; b < e->plan->nbuffers && e->options.guard_bytes; b++) {
        if (is_symbol(e, b))
            continue;
        if (!check_guard(e, b, false) || !check_guard(e, b, true))
            return false;
    }
    return true;
}

static bool download_part(struct exec *e, int buffer, size_t from, size_t bytes, void *host)
{
    cudaError_t error = cudaSuccess;

    if (e->host[buffer])
        memcpy(host, e->host[buffer] + from, bytes);
    else if (bytes)
        error = cudaMemcpy(host, e->data[buffer] + from, bytes, cudaMemcpyDeviceToHost);
    return error == cudaSuccess ||
           exec_fail(e, error, "cannot read %s back", e->plan->buffers[buffer].name);
}

bool exec_download(struct exec *e, int buffer, void *host)
{
    return download_part(e, buffer, 0, e->bytes[buffer], host);
}

bool exec_unchanged(struct exec *e, int buffer, const void *host, uint64_t *at)
{
    size_t size = dtype_size(e->plan->buffers[buffer].dtype), bytes = e->bytes[buffer];
    size_t piece = bytes < PIECE ? bytes : PIECE, i = 0;
    const unsigned char *was = host;
    unsigned char *now = xmalloc(piece);
    bool ok = true, same = true;

    *at = UINT64_MAX;
    for (size_t from = 0; from < bytes && ok && same; from += piece) {
        piece = bytes - from < piece ? bytes - from : piece;
        ok = download_part(e, buffer, from, piece, now);
        same = !ok || !memcmp(now, was + from, piece);
        for (i = from; !same && now[i - from] == was[i];)
            i++;
    }
    if (!same) {
        *at = i / size;
        ok = exec_fail(e, cudaSuccess, "a kernel changed its input %s at index %llu",
                       e->plan->buffers[buffer].name, (unsigned long long)*at);
    }
    free(now);
    return ok;
}

void exec_close(struct exec *e)
{
    for (int b = 0; e->plan && b < e->plan->nbuffers; b++) {
        if (e->base[b] != e->host_base[b])
            cudaFree(e->base[b]);
    }
    for (int i = 0; e->plan && i < e->plan->nsteps; i++)
        fft_close(e->ffts[i]);
    if (e->plan) {
        maps_close(e);
        schedule_close(e);
        ranks_close(e);
    }
    free(e->message);
    memset(e, 0, sizeof(*e));
}
