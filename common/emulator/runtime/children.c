/* children.c - launches from kernels: the work that kernels asked for is done, and they are told
 * what the runtime knows (exec/device_call.h).
 *
 * Interface: children_run(), after a kernel of the host's. Its children follow one by one, and
 * what a child asks for comes before the next; the tail stream's last: a grid is complete when
 * all of that is. In modelled time they follow each other, too, in the stream of the host's
 * kernel.
 *
 * Not modelled: that children overlap; what a launch from a kernel costs.
 */
#include "graph.h"
#include "emulator/code/code.h"
#include "emulator/exec/device_call.h"
#include <stdlib.h>
#include <string.h>

/* ---- what kernels ask about ---- */

/* Those calls are made as by a host thread of that device; no last error is left behind. */
static int as_device(int device)
{
    int was = rt_device;

    rt_device = device;
    return was;
}

static cudaError_t ask_attributes(struct cudaFuncAttributes *out, struct emu_func *f)
{
    int was = as_device((int)f->module->device);
    struct kernel *k = kernel_of(f);
    cudaError_t e = k ? kernel_attributes(out, k) : cudaErrorInvalidDeviceFunction;

    rt_device = was;
    return e;
}

static void ask_kernel(struct emu_func *f, struct device_kernel *out)
{
    int was = as_device((int)f->module->device);
    struct kernel *k = kernel_of(f);

    if (k) {
        out->max_dynamic_shared = dynamic_shared_limit(k);
        out->nonportable_cluster = here(k)->nonportable_cluster;
    }
    rt_device = was;
}

static int ask_version(void)
{
    return 6000; /* libcudadevrt's, with CUDA 13.0 */
}

__attribute__((constructor)) static void tell_kernels(void)
{
    static const struct device_host host = {.attribute = device_attribute,
                                            .limit = device_limit,
                                            .attributes = ask_attributes,
                                            .error_name = cudaGetErrorName,
                                            .error_text = cudaGetErrorString,
                                            .devices = rt_devices,
                                            .cache_config = device_cache_config,
                                            .version = ask_version,
                                            .graph = graph_may_follow,
                                            .kernel = ask_kernel};

    device_host = &host;
}

/* ---- what they asked for ---- */

/* On a GPU copies and fills from kernels are kernels: an address they cannot use is a fault. */
static cudaError_t do_work(const struct device_work *w, cudaStream_t stream, uint64_t *steps,
                           struct device_work **children)
{
    if (w->kind == DEVICE_KERNEL) {
        struct emu_launch l = w->launch;

        l.stream = stream_find(stream)->id;
        l.origin = w;
        l.steps = steps;
        return launch_one(&l, stream, children);
    }
    if (w->kind == DEVICE_GRAPH)
        return graph_follow(w->graph, w->stream, stream);
    const struct device_fill *f = &w->fill;
    cudaError_t e = w->kind == DEVICE_COPY ? copy_3d(&w->copy, stream, false)
                                           : fill_3d(f->to, f->value, f->extent, stream, false);
    if (!e)
        return cudaSuccess;
    char *why = xstrdup(emu_error_text()), *where = site_text(w->site);
    emu_keep(cudaErrorIllegalAddress, "%s: kernel %s asked for this: %s", where,
             w->parent->info.name, why);
    free(where);
    free(why);
    rt_set_sticky(cudaErrorIllegalAddress);
    return cudaSuccess;
}

cudaError_t children_run(struct device_work *todo, cudaStream_t stream, uint64_t *steps)
{
    cudaError_t e = cudaSuccess;

    while (todo) {
        struct device_work *w = todo, *children = NULL, **last = &children;

        todo = w->next;
        if (!e && !rt_fault())
            e = do_work(w, stream, steps, &children);
        while (*last)
            last = &(*last)->next;
        *last = todo;
        todo = children;
        device_work_free(w);
    }
    return e;
}
