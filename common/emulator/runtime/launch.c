/* launch.c - launching kernels.
 *
 * The ways in differ in how they name the kernel and the shape; all end in rt_launch().
 * A fault on the device does not come back from the launch but from the calls after it,
 * as on a GPU, where launches are asynchronous.
 */
#include "graph.h"
#include "hold.h"
#include "base/clock.h"
#include "emulator/code/code.h"
#include "emulator/base/names.h"
#include "emulator/count/model.h"
#include "emulator/count/profile.h"
#include <stdlib.h>
#include <string.h>

double host_now_us(void)
{
    return now_s() * 1e6;
}

/* ---- shape ---- */

static cudaError_t read_attributes(struct emu_launch *l, const cudaLaunchConfig_t *c)
{
    if (c->numAttrs && !c->attrs)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const cudaLaunchAttribute *a = &c->attrs[i];

        switch (a->id) {
        case cudaLaunchAttributeCooperative:
            l->cooperative = a->val.cooperative != 0;
            break;
        case cudaLaunchAttributeClusterDimension:
            l->cluster[0] = a->val.clusterDim.x;
            l->cluster[1] = a->val.clusterDim.y;
            l->cluster[2] = a->val.clusterDim.z;
            break;
        case cudaLaunchAttributeDeviceUpdatableKernelNode:
            return emu_fail(cudaErrorNotSupported, "launch attribute %d (graphs) is not supported",
                            (int)a->id);
        default: /* events: see launch(); hints: caches, priorities, scheduling, overlap */
            break;
        }
    }
    return cudaSuccess;
}

/* Dynamic shared memory that needs no opt-in. */
static int default_dynamic_shared(const struct emu_func_info *f)
{
    return (int)device_profile()->shared_per_block - (int)f->shared_bytes;
}

int dynamic_shared_limit(struct kernel *k)
{
    return here(k)->max_dynamic_shared >= 0 ? here(k)->max_dynamic_shared
                                            : default_dynamic_shared(emu_func_info(here(k)->func));
}

static cudaError_t check_shared(struct kernel *k, size_t bytes)
{
    int most = dynamic_shared_limit(k);

    if (bytes <= (size_t)(most > 0 ? most : 0))
        return cudaSuccess;
    return emu_fail(cudaErrorInvalidValue,
                    "kernel %s: %zu bytes of dynamic shared memory, %d allowed. Up to %u with "
                    "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
                    "bytes)",
                    shown_name(k->name), bytes, most > 0 ? most : 0,
                    device_profile()->shared_per_block_optin -
                        emu_func_info(here(k)->func)->shared_bytes);
}

/* ---- arguments ---- */

static cudaError_t pack(struct kernel *k, void **args, uint8_t *params)
{
    const struct emu_func_info *f = emu_func_info(here(k)->func);

    if (f->nparams && !args)
        return emu_fail(cudaErrorInvalidValue, "kernel %s: no arguments given, it takes %u",
                        shown_name(k->name), f->nparams);
    for (uint32_t i = 0; i < f->nparams; i++) {
        if (!args[i])
            return emu_fail(cudaErrorInvalidValue, "kernel %s: argument %u of %u is NULL",
                            shown_name(k->name), i, f->nparams);
        memcpy(params + f->param_offset[i], args[i], f->param_size[i]);
    }
    return cudaSuccess;
}

/* ---- the launch ---- */

/* Pages of managed memory come when they are touched. */
static double faults_ms(const struct sampled *s)
{
    uint64_t moved = 0;

    for (int i = 0; i < SAMPLED_MANAGED && s->managed[i].addr; i++)
        moved += managed_touched(&s->managed[i]);
    return model_fault_ms(device_profile(), moved, true);
}

static void launched(const struct emu_launch *l, cudaStream_t stream, const struct emu_result *r,
                     double begin_us, cudaError_t e)
{
    stream_work(stream, ENGINE_COMPUTE, r->modelled_ms + faults_ms(&r->sampled));
    sums_add(r);
    record_add("", "launches", 1);
    profile_launch(l, emu_func_info(l->func), r, host_now_us() - begin_us);
    if (e)
        rt_set_sticky(e);
}

/* Of a launch that only waited (hold.h). */
static bool go_on(cudaStream_t stream, void *args)
{
    const struct parked *p = args;
    struct emu_result result = {0};
    cudaError_t e;
    bool done = emu_go_on(p->launch, &result, &e);

    if (done)
        launched(&p->shape, stream, &result, p->begin_us, e);
    return done;
}

cudaError_t launch_one(struct emu_launch *l, cudaStream_t stream, struct device_work **children)
{
    struct emu_result result = {0};
    struct launch *waits = NULL;
    struct emu_launch x = *l;
    double begin = host_now_us();

    x.children = children;
    x.parked = &waits;
    cudaError_t e = emu_launch(&x, &result);
    bool alone = l->func->uses & USES_DEVICE || l->origin; /* with all that it launches */
    if (waits && (alone || l->graph_run)) {
        e = hold_finish(waits, &result, alone);
        waits = NULL;
    }
    if (e && !rt_is_device_fault(e))
        return e;
    if (waits)
        hold_launch(stream, go_on, &(struct parked){waits, x, begin});
    else
        launched(&x, stream, &result, begin, e);
    return cudaSuccess;
}

/* With all that it launches itself: nothing is freed before that has ended. */
static cudaError_t run(struct emu_launch *l, cudaStream_t stream)
{
    struct device_work *children = NULL;
    uint64_t steps = 0;
    struct emu_launch x = *l;

    x.steps = &steps;
    if (x.func->uses & USES_GRAPHS && !x.graph_run)
        return emu_fail(cudaErrorNotSupported,
                        "kernel %s launches graphs: it must be a graph's itself",
                        shown_name(x.func->info.name));
    if (!(x.func->uses & USES_DEVICE))
        return launch_one(&x, stream, &children);
    launch_pause();
    cudaError_t e = launch_one(&x, stream, &children) ?: children_run(children, stream, &steps);
    launch_resume();
    return e;
}

static struct emu_launch shape_of(struct kernel *k, const cudaLaunchConfig_t *c)
{
    return (struct emu_launch){
        .func = here(k)->func,
        .grid = {c->gridDim.x, c->gridDim.y, c->gridDim.z},
        .block = {c->blockDim.x, c->blockDim.y, c->blockDim.z},
        .nonportable_cluster = here(k)->nonportable_cluster,
        .shared_bytes = (uint32_t)c->dynamicSmemBytes,
    };
}

cudaError_t launch_may(const void *func, const cudaLaunchConfig_t *c)
{
    struct kernel *k;
    cudaError_t e = kernel_use(func, &k);

    if (e)
        return e;
    struct emu_launch l = shape_of(k, c);
    return read_attributes(&l, c) ?: check_shared(k, c->dynamicSmemBytes) ?: launch_check(&l);
}

static cudaError_t rt_launch(struct kernel *k, const cudaLaunchConfig_t *c, void **args)
{
    const struct emu_func_info *f = emu_func_info(here(k)->func);
    struct emu_launch l = shape_of(k, c);
    struct CUstream_st *s = stream_find(c->stream);

    if (!s)
        return cudaErrorInvalidResourceHandle;
    l.stream = s->id;
    l.graph_run = graph_running();
    l.graph = graph_current();
    l.moment = order_launch();
    l.device = (unsigned)rt_device;
    cudaError_t e = read_attributes(&l, c) ?: check_shared(k, c->dynamicSmemBytes);
    if (e)
        return e;
    uint8_t *params = xcalloc(1, f->param_bytes + 8);
    l.params = params;
    e = pack(k, args, params) ?: run(&l, c->stream);
    order_launched();
    free(params);
    return e;
}

/* cuda.h's CU_LAUNCH_PARAM_END, _BUFFER_POINTER and _BUFFER_SIZE */
#define EXTRA_END    ((void *)0)
#define EXTRA_BUFFER ((void *)1)
#define EXTRA_SIZE   ((void *)2)

/* Where each argument of such a buffer is. */
static cudaError_t unpack(struct kernel *k, void **extra, void ***args)
{
    const struct emu_func_info *f = emu_func_info(here(k)->func);
    uint8_t *buffer = NULL;
    size_t *size = NULL;

    for (; *extra != EXTRA_END; extra += 2) {
        if (*extra == EXTRA_BUFFER)
            buffer = extra[1];
        else if (*extra == EXTRA_SIZE)
            size = extra[1];
        else
            return emu_fail(cudaErrorInvalidValue,
                            "kernel %s: its arguments in one buffer "
                            "(extra): %p is none of the words that name "
                            "buffer, size and end",
                            shown_name(k->name), *extra);
    }
    if (!buffer || !size || *size < f->param_bytes)
        return emu_fail(cudaErrorInvalidValue,
                        "kernel %s: its arguments in one buffer (extra): "
                        "%zu bytes, it takes %u",
                        shown_name(k->name), buffer && size ? *size : 0, f->param_bytes);
    *args = xcalloc(f->nparams + 1, sizeof(**args));
    for (uint32_t i = 0; i < f->nparams; i++)
        (*args)[i] = buffer + f->param_offset[i];
    return cudaSuccess;
}

cudaError_t kernel_unpack(const void *func, void **extra, void ***args)
{
    struct kernel *k;

    return kernel_use(func, &k) ?: unpack(k, extra, args);
}

cudaError_t kernel_arguments(const void *func, void **args, void ***copy)
{
    struct kernel *k;
    cudaError_t e = kernel_use(func, &k);

    *copy = NULL;
    if (e)
        return e;
    const struct emu_func_info *f = emu_func_info(here(k)->func);
    void **all = xcalloc(1, f->nparams * sizeof(*all) + f->param_bytes + 8);
    uint8_t *values = (uint8_t *)(all + f->nparams);

    e = pack(k, args, values);
    for (uint32_t i = 0; i < f->nparams; i++)
        all[i] = values + f->param_offset[i];
    if (e)
        free(all);
    else
        *copy = all;
    return e;
}

static bool captured(const void *func, const cudaLaunchConfig_t *c, void **args, cudaError_t *e)
{
    struct work w = {.type = cudaGraphNodeTypeKernel,
                     .kernel = {.func = func,
                                .grid = c->gridDim,
                                .block = c->blockDim,
                                .shared = (unsigned)c->dynamicSmemBytes,
                                .args = args,
                                .attrs = c->attrs,
                                .nattrs = c->numAttrs}};

    return capture_takes(c->stream, &w, e);
}

/* Of a launch that comes later. */
struct later {
    const void *func;
    cudaLaunchConfig_t c;
    void **args;
};
static bool launch_now(cudaStream_t stream, void *later)
{
    struct later *l = later;
    struct kernel *k;

    l->c.stream = stream;
    cudaError_t e = kernel_use(l->func, &k) ?: rt_launch(k, &l->c, l->args);
    if (e)
        rt_set_sticky(e);
    free(l->c.attrs);
    free(l->args);
    return true;
}
static bool launches_later(const void *func, const cudaLaunchConfig_t *c, void **args,
                           cudaError_t *e)
{
    struct later l = {func, *c, NULL};
    size_t bytes = c->numAttrs * sizeof(*c->attrs);

    *e = cudaSuccess;
    if (!hold_is_late() && !hold_has(c->stream))
        return false;
    *e = launch_may(func, c) ?: kernel_arguments(func, args, &l.args);
    if (*e)
        return true;
    l.c.attrs = bytes ? memcpy(xmalloc(bytes), c->attrs, bytes) : NULL;
    if (hold_later(c->stream, launch_now, &l, sizeof(l)))
        return true;
    free(l.c.attrs);
    free(l.args);
    return false;
}

/* Calls fn for each event that the launch records: when its blocks allow it or have begun, here
 * when they have ended. */
static cudaError_t each_event(const cudaLaunchConfig_t *c,
                              cudaError_t (*fn)(cudaEvent_t event, int flags, unsigned char port,
                                                cudaStream_t stream))
{
    cudaError_t e = cudaSuccess;

    for (unsigned i = 0; c->attrs && i < c->numAttrs && !e; i++) {
        const cudaLaunchAttributeValue *v = &c->attrs[i].val;

        if (c->attrs[i].id == cudaLaunchAttributeProgrammaticEvent)
            e = fn(v->programmaticEvent.event, v->programmaticEvent.flags,
                   v->programmaticEvent.triggerAtBlockStart
                       ? cudaGraphKernelNodePortLaunchCompletion
                       : cudaGraphKernelNodePortProgrammatic,
                   c->stream);
        else if (c->attrs[i].id == cudaLaunchAttributeLaunchCompletionEvent)
            e = fn(v->launchCompletionEvent.event, v->launchCompletionEvent.flags,
                   cudaGraphKernelNodePortLaunchCompletion, c->stream);
    }
    return e;
}

cudaError_t launch(const void *handle, const cudaLaunchConfig_t *c, void **args)
{
    struct CUstream_st *s = stream_find(c->stream);
    struct kernel *k;
    int current = rt_device;

    if (!s)
        return cudaErrorInvalidResourceHandle;
    rt_device = s->device; /* where it runs, whichever is current */
    cudaError_t e = kernel_use(handle, &k) ?: each_event(c, event_of_launch);
    if (!e && !captured(handle, c, args, &e) && !launches_later(handle, c, args, &e))
        e = rt_launch(k, c, args);
    e = e ?: each_event(c, event_record_early);
    rt_device = current;
    return e;
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    cudaLaunchConfig_t c = {
        .gridDim = grid, .blockDim = block, .dynamicSmemBytes = shared, .stream = stream};

    return rt_leave(rt_enter() ?: launch(func, &c, args));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    cudaLaunchAttribute together = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    cudaLaunchConfig_t c = {.gridDim = grid,
                            .blockDim = block,
                            .dynamicSmemBytes = shared,
                            .stream = stream,
                            .attrs = &together,
                            .numAttrs = 1};

    return rt_leave(rt_enter() ?: launch(func, &c, args));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args)
{
    if (!c)
        return rt_leave(cudaErrorInvalidConfiguration);
    return rt_leave(rt_enter() ?: launch(func, c, args));
}

/* ---- what `kernel<<<grid, block, shared, stream>>>(...)` becomes ---- */

struct call {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
#define DEPTH 32 /* a kernel's arguments may launch kernels themselves */

static __thread struct call calls[DEPTH];
static __thread int depth;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (depth == DEPTH) {
        rt_leave(cudaErrorMissingConfiguration);
        return 1;
    }
    calls[depth++] = (struct call){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (depth == 0)
        return rt_leave(cudaErrorMissingConfiguration);
    const struct call *c = &calls[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

/* Runs before main() for a static handle: it must not load anything. */
cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *stub)
{
    pthread_mutex_lock(&rt_lock);
    struct kernel *k = kernel_find(stub);
    pthread_mutex_unlock(&rt_lock);
    *handle = (cudaKernel_t)k;
    return k ? cudaSuccess : rt_leave(cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                    size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, per_thread(stream));
}
