/* device_call.c - the device runtime's functions in kernels (device_calls.h).
 *
 * Each lane calls for itself. What a call asks to be done is kept by children.c until the grid has
 * ended. Which arguments are errors, and which error, is libcudadevrt's own code where that says
 * it (copies and fills, cudaMalloc, cudaFuncGetAttributes) and the programming guide's elsewhere.
 * An error is the thread's last one; the first of a grid is told, too.
 *
 * Not modelled: children that begin before their parent has ended.
 */
#include "device_call.h"
#include "builtin.h"
#include "children.h"
#include "emulator/base/mem.h"
#include "emulator/base/names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_MOST = 4096 }; /* bytes of arguments in cudaGetParameterBuffer() */
enum { LEGACY = 1 };         /* cudaStreamLegacy, which is the block's stream here */

const struct device_host *device_host;

struct call { /* of one lane */
    struct warp *w;
    const struct insn *in;
    const struct call_info *ci;
    int lane;
    bool faulted;
};

/* ---- arguments and results ---- */
static void argument_bytes(const struct call *c, uint32_t k, void *out)
{
    const struct param_place *p = &c->ci->args[k];
    const uint32_t *rows = (const uint32_t *)(c->w->base[SEL_REG] + p->offset);
    for (uint32_t n = 0; n < p->var->size / 4; n++)
        memcpy((uint8_t *)out + 4 * n, &rows[n * WARP + (uint32_t)c->lane], 4);
}
static uint64_t argument(const struct call *c, uint32_t k)
{
    return builtin_argument(c->w, c->ci, k, c->lane);
}
static unsigned device_of(const struct call *c)
{
    return c->w->block->launch->module->device;
}

static void fault(struct call *c, cudaError_t e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fault(struct call *c, cudaError_t e, const char *format, ...)
{
    struct text t = {0};
    va_list ap;
    va_start(ap, format);
    text_vaddf(&t, format, ap);
    va_end(ap);
    warp_fault(c->w, c->in, c->lane, e, "%s", text_str(&t));
    text_free(&t);
    c->faulted = true;
}

static int *last_error(const struct call *c)
{
    if (!c->w->errors)
        c->w->errors = xcalloc(WARP, sizeof(int));
    return &c->w->errors[c->lane];
}
static const char *name_of(const struct call *c)
{
    static const char *const names[] = {
#define X(name, shape) "cuda" #name,
        DEVICE_CALLS(X)
#undef X
    };
    return names[c->ci->device_call];
}
/* The call comes back with e. */
static uint64_t refuse(struct call *c, cudaError_t e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static uint64_t refuse(struct call *c, cudaError_t e, const char *format, ...)
{
    *last_error(c) = (int)e;
    if (!children_tell())
        return e;
    struct text t = {0};
    va_list ap;
    va_start(ap, format);
    text_vaddf(&t, format, ap);
    va_end(ap);
    char *where = site_text(c->in->site);
    emu_fail(e, "%s: in kernel %s: %s: %s (error %d; others of this launch are not told)", where,
             shown_name(c->w->block->launch->func->info.name), name_of(c), text_str(&t), (int)e);
    free(where);
    text_free(&t);
    return e;
}

/* Stores n bytes for the lane; what listens hears of it. */
static uint8_t *place_to_write(struct call *c, uint64_t a, uint32_t n, enum access_space *space)
{
    struct block *b = c->w->block;
    struct mem_cache found;
    uint64_t window = a & MEM_WINDOW_MASK, off = a & ~MEM_WINDOW_MASK;
    *space = ACCESS_SHARED;
    if (window == MEM_SHARED_BASE && off + n <= b->launch->shared_bytes)
        return b->shared + off;
    *space = ACCESS_GLOBAL;
    if (!access_lookup(c->w, c->in, c->lane, a, n, true, &found))
        return NULL;
    return (uint8_t *)(a + (uint64_t)found.delta);
}
static void tell_write(struct call *c, enum access_space space, uint64_t a, uint32_t n)
{
    struct insn one = *c->in;
    uint64_t at[WARP] = {0};
    one.flags = 0;
    for (uint32_t k = 0; c->w->block->tell && k < n; k += 4) {
        at[c->lane] = a + k;
        access_event(c->w, &one, ACCESS_STORE, space, 1u << c->lane, n - k < 4 ? n - k : 4, at,
                     NULL);
    }
}
static void put(struct call *c, uint64_t a, const void *value, uint32_t n)
{
    enum access_space space;
    uint64_t off = a & ~MEM_WINDOW_MASK;
    if ((a & MEM_WINDOW_MASK) == MEM_LOCAL_BASE && off + n <= c->w->local_size) {
        tell_write(c, ACCESS_LOCAL, off, n);
        for (uint32_t k = 0; k < n; k++, off++)
            c->w->local[(off >> 2) * 128 + (uint64_t)c->lane * 4 + (off & 3)] =
                ((const uint8_t *)value)[k];
        return;
    }
    uint8_t *to = place_to_write(c, a, n, &space);
    if (!to) {
        c->faulted = true;
        return;
    }
    tell_write(c, space, space == ACCESS_SHARED ? off : a, n);
    memcpy(to, value, n);
}
/* e, and the value if there is none. */
static uint64_t give(struct call *c, cudaError_t e, const void *value, uint32_t n)
{
    if (e)
        return refuse(c, e, "its arguments are not valid");
    if (!argument(c, 0))
        return refuse(c, cudaErrorInvalidValue, "the place for its result is NULL");
    put(c, argument(c, 0), value, n);
    return cudaSuccess;
}

/* ---- launches ---- */
static struct emu_func *kernel_at(struct call *c, uint64_t address)
{
    struct emu_func *f = module_func_by_address(c->w->block->launch->module, address);
    if (!f || !f->ptx->is_entry) {
        fault(c, cudaErrorInvalidPc, "%s: at 0x%llx is no kernel of this program", name_of(c),
              (unsigned long long)address);
        return NULL;
    }
    cudaError_t e = f->lowered ? cudaSuccess : lower_func(f);
    if (!e)
        return f;
    char *why = xstrdup(emu_error_text());
    fault(c, e, "kernel %s cannot be launched: %s", shown_name(f->info.name), why);
    free(why);
    return NULL;
}
static void kernel_limits(struct emu_func *f, struct device_kernel *k)
{
    const struct device_profile *d = device_profile();
    k->max_dynamic_shared = (int)d->shared_per_block - (int)f->info.shared_bytes;
    if (device_host)
        device_host->kernel(f, k);
}
/* May it be launched so? */
static cudaError_t check(struct call *c, struct emu_launch *l)
{
    struct device_kernel k = {0};
    kernel_limits(l->func, &k);
    l->nonportable_cluster = k.nonportable_cluster;
    emu_error_hush(true);
    cudaError_t e = launch_check(l);
    if (!e && (int)l->shared_bytes > k.max_dynamic_shared)
        e = emu_fail(cudaErrorInvalidValue,
                     "kernel %s: %u bytes of dynamic shared memory, %d allowed (the host's "
                     "cudaFuncSetAttribute() allows more)",
                     shown_name(l->func->info.name), l->shared_bytes, k.max_dynamic_shared);
    emu_error_hush(false);
    if (!e)
        return e;
    e = e == cudaErrorInvalidValue ? cudaErrorInvalidConfiguration : e;
    char *why = xstrdup(emu_error_text());
    refuse(c, e, "%s", why);
    free(why);
    return e;
}
/* func, grid, block, shared from argument k on; false after a fault or an error. */
static bool launch_of(struct call *c, uint64_t func, uint32_t k, struct emu_launch *l)
{
    *l = (struct emu_launch){.func = kernel_at(c, func)};
    if (!l->func)
        return false;
    argument_bytes(c, k, l->grid);
    argument_bytes(c, k + 1, l->block);
    l->shared_bytes = (uint32_t)argument(c, k + 2);
    l->device = device_of(c);
    return check(c, l) == cudaSuccess;
}

/* A pointer to what is a thread's or block's own means nothing to another grid. */
static bool points_inside(struct call *c, const struct emu_func *f, const uint8_t *arguments)
{
    for (uint32_t k = 0; k < f->ptx->nparams; k++) {
        const struct ptx_var *v = f->ptx->params[k];
        uint64_t a;
        if (v->is_array || v->size != 8 || (v->type != PTX_U64 && v->type != PTX_B64))
            continue;
        memcpy(&a, arguments + f->param_offset[k], 8);
        uint64_t window = a & MEM_WINDOW_MASK;
        a &= ~MEM_WINDOW_MASK;
        bool local = window == MEM_LOCAL_BASE && a < c->w->local_size;
        if (!local && !(window == MEM_SHARED_BASE && a < c->w->block->launch->shared_bytes))
            continue;
        fault(c, cudaErrorIllegalAddress,
              "argument %u of kernel %s points to %s memory of the thread that launches it, which "
              "no other grid can reach: use global memory",
              k, shown_name(f->info.name), local ? "local" : "shared");
        return true;
    }
    return false;
}

/* The stream that the argument names; false: there is none, and that is the call's error. */
static bool stream_of(struct call *c, uint32_t k, uint64_t *stream)
{
    uint64_t s = *stream = argument(c, k);
    if (s == 0 && c->ci->own_stream)
        *stream = STREAM_OF_THREAD;
    if (s == LEGACY)
        s = *stream = STREAM_OF_BLOCK;
    if (s == STREAM_OF_BLOCK || s == STREAM_OF_THREAD || s == STREAM_TAIL || s == STREAM_FORGET ||
        children_use(c->w->block, s, false, false))
        return true;
    refuse(c, cudaErrorInvalidValue, "0x%llx is no stream of this grid", (unsigned long long)s);
    return false;
}
static uint64_t limit_of(const struct call *c)
{
    uint64_t n = 2048; /* a GPU's default */
    if (device_host)
        device_host->limit(&n, cudaLimitDevRuntimePendingLaunchCount, device_of(c));
    return n;
}
static struct device_work *work_new(struct call *c, enum device_work_kind kind, uint64_t stream,
                                    uint32_t bytes)
{
    struct device_work *w = xcalloc(1, sizeof(*w) + bytes);
    w->kind = kind;
    w->stream = stream;
    w->device = device_of(c);
    w->parent = c->w->block->launch->func;
    w->site = c->in->site;
    w->thread = c->w->index * WARP + (uint32_t)c->lane;
    w->parent_launch = c->w->block->launch->serial;
    return w;
}
static void tell_child(struct call *c, const struct device_work *w)
{
    struct block *b = c->w->block;
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->child)
            b->listeners[k]->child(b->listeners[k], &b->info, w, c->w->index, (uint32_t)c->lane);
}
static uint64_t add(struct call *c, struct device_work *w)
{
    uint64_t most = limit_of(c);
    if (children_add(c->w->block, w, most)) {
        tell_child(c, w);
        return cudaSuccess;
    }
    free(w);
    return refuse(c, cudaErrorLaunchPendingCountExceeded,
                  "%llu launches wait, as many as cudaLimitDevRuntimePendingLaunchCount allows; "
                  "here they wait for their parent's end, on a GPU some may have begun before",
                  (unsigned long long)most);
}
static uint64_t launch(struct call *c, const struct emu_launch *l, const uint8_t *arguments,
                       uint64_t stream)
{
    uint32_t n = l->func->info.param_bytes;
    if (points_inside(c, l->func, arguments))
        return 0;
    struct device_work *w = work_new(c, DEVICE_KERNEL, stream, n + 8);
    w->launch = *l;
    w->launch.params = w->arguments;
    if (n)
        memcpy(w->arguments, arguments, n);
    return add(c, w);
}

static uint64_t buffer(struct call *c, uint32_t bytes, struct slot_of_launch **s)
{
    uint64_t a = children_buffer(bytes, s);
    if (!a)
        refuse(c, cudaErrorMemoryAllocation, "no memory for the arguments of a launch");
    return a;
}
static uint64_t call_GetParameterBuffer(struct call *c)
{
    struct slot_of_launch *s;
    if (argument(c, 1) <= BUFFER_MOST)
        return buffer(c, (uint32_t)argument(c, 1), &s);
    refuse(c, cudaErrorInvalidValue, "%llu bytes of arguments, %d are the most",
           (unsigned long long)argument(c, 1), BUFFER_MOST);
    return 0;
}
static uint64_t call_GetParameterBufferV2(struct call *c)
{
    struct emu_launch l;
    struct slot_of_launch *s;
    if (!launch_of(c, argument(c, 0), 1, &l))
        return 0;
    uint64_t a = buffer(c, l.func->info.param_bytes, &s);
    if (a) {
        s->known = true;
        s->launch = l;
    }
    return a;
}
static uint64_t call_LaunchDeviceV2(struct call *c)
{
    struct slot_of_launch *s = children_slot(argument(c, 0));
    uint64_t stream;
    if (!s || !s->known || s->taken)
        return refuse(c, cudaErrorInvalidValue, "0x%llx is no buffer of a launch to come",
                      (unsigned long long)argument(c, 0));
    if (!stream_of(c, 1, &stream))
        return cudaErrorInvalidValue;
    s->taken = true;
    return launch(c, &s->launch, s->arguments, stream);
}
static uint64_t call_LaunchDevice(struct call *c)
{
    struct emu_launch l;
    struct slot_of_launch *s = children_slot(argument(c, 1));
    uint64_t stream;
    if (!launch_of(c, argument(c, 0), 2, &l))
        return c->faulted ? cudaSuccess : (uint64_t)*last_error(c);
    if (!stream_of(c, 5, &stream))
        return cudaErrorInvalidValue;
    if (l.func->info.param_bytes && (!s || s->taken || s->bytes < l.func->info.param_bytes))
        return refuse(c, cudaErrorInvalidValue, "0x%llx is no buffer of %u bytes of arguments",
                      (unsigned long long)argument(c, 1), l.func->info.param_bytes);
    if (s)
        s->taken = true;
    return launch(c, &l, s ? s->arguments : NULL, stream);
}

/* ---- streams and events: in the order of issue there is nothing to wait for ---- */
static uint64_t call_StreamCreateWithFlags(struct call *c)
{
    if (argument(c, 1) > cudaStreamNonBlocking)
        return refuse(c, cudaErrorInvalidValue, "streams of kernels are cudaStreamNonBlocking");
    uint64_t handle = children_stream(c->w->block);
    return give(c, cudaSuccess, &handle, 8);
}
static uint64_t call_StreamDestroy(struct call *c)
{
    if (children_use(c->w->block, argument(c, 0), false, true))
        return cudaSuccess;
    return refuse(c, cudaErrorInvalidValue, "0x%llx is no stream of this grid",
                  (unsigned long long)argument(c, 0));
}
static uint64_t call_EventCreateWithFlags(struct call *c)
{
    if (argument(c, 1) != cudaEventDisableTiming &&
        argument(c, 1) != (cudaEventDisableTiming | cudaEventBlockingSync))
        return refuse(c, cudaErrorInvalidValue, "events of kernels are cudaEventDisableTiming");
    uint64_t most = 2 * limit_of(c), handle = children_event(c->w->block, most);
    if (!handle)
        return refuse(c, cudaErrorMemoryAllocation,
                      "a grid has %llu events at most, twice cudaLimitDevRuntimePendingLaunchCount",
                      (unsigned long long)most);
    return give(c, cudaSuccess, &handle, 8);
}
static uint64_t call_EventDestroy(struct call *c)
{
    if (children_use(c->w->block, argument(c, 0), true, true))
        return cudaSuccess;
    return refuse(c, cudaErrorInvalidValue, "0x%llx is no event of this grid",
                  (unsigned long long)argument(c, 0));
}
static uint64_t event_in_stream(struct call *c, uint64_t event, uint32_t k)
{
    uint64_t stream;
    if (!stream_of(c, k, &stream))
        return cudaErrorInvalidValue;
    if (stream == STREAM_TAIL || stream == STREAM_FORGET)
        return refuse(c, cudaErrorInvalidValue,
                      "events are not for the tail-launch and fire-and-forget streams");
    if (children_use(c->w->block, event, true, false))
        return cudaSuccess;
    return refuse(c, cudaErrorInvalidValue, "0x%llx is no event of this grid",
                  (unsigned long long)event);
}
static uint64_t call_EventRecord(struct call *c)
{
    return event_in_stream(c, argument(c, 0), 1);
}
static uint64_t call_EventRecordWithFlags(struct call *c)
{
    if (argument(c, 2) != cudaEventRecordDefault)
        return refuse(c, cudaErrorInvalidValue, "its flags are to be cudaEventRecordDefault");
    return event_in_stream(c, argument(c, 0), 1);
}
static uint64_t call_StreamWaitEvent(struct call *c)
{
    uint64_t e = event_in_stream(c, argument(c, 1), 0);
    if (!e)
        children_wait();
    return e;
}

/* ---- copies and fills: libcudadevrt's checks, in its order ---- */
static bool is_global(uint64_t a)
{
    uint64_t window = a & MEM_WINDOW_MASK;
    return window != MEM_SHARED_BASE && window != MEM_LOCAL_BASE && window != MEM_PARAM_BASE;
}
static uint64_t not_global(struct call *c)
{
    return refuse(c, cudaErrorInvalidValue,
                  "an address is NULL, or of shared or local memory, not of global memory");
}
static uint64_t start(struct call *c, struct device_work *w)
{
    *last_error(c) = cudaSuccess; /* as libcudadevrt does before it launches */
    return add(c, w);
}
static uint64_t copy(struct call *c, const struct cudaMemcpy3DParms *p, uint32_t k)
{
    const struct cudaExtent *n = &p->extent;
    uint64_t stream, to = (uint64_t)p->dstPtr.ptr, from = (uint64_t)p->srcPtr.ptr;
    if (!n->width || !n->height || !n->depth)
        return cudaSuccess;
    if (p->kind != cudaMemcpyDeviceToDevice && p->kind != cudaMemcpyDefault)
        return refuse(c, cudaErrorInvalidMemcpyDirection,
                      "kernels copy from device to device alone");
    if (!to || !from)
        return not_global(c);
    if (((n->height > 1 || n->depth > 1) &&
         (p->srcPtr.pitch < n->width || p->dstPtr.pitch < n->width)) ||
        (n->depth > 1 && (p->srcPtr.ysize < n->height || p->dstPtr.ysize < n->height)))
        return refuse(c, cudaErrorInvalidPitchValue, "a pitch is less than its width");
    if (!is_global(to) || !is_global(from))
        return not_global(c);
    if (!stream_of(c, k, &stream))
        return cudaErrorInvalidValue;
    struct device_work *w = work_new(c, DEVICE_COPY, stream, 0);
    w->copy = *p;
    if (n->height == 1 && n->depth == 1) /* no other row to get to */
        w->copy.srcPtr.pitch = w->copy.dstPtr.pitch = n->width;
    w->copy.kind = cudaMemcpyDeviceToDevice;
    return start(c, w);
}
static uint64_t call_MemcpyAsync(struct call *c)
{
    uint64_t n = argument(c, 2);
    struct cudaMemcpy3DParms p = {.dstPtr = {(void *)argument(c, 0), n, n, 1},
                                  .srcPtr = {(void *)argument(c, 1), n, n, 1},
                                  .extent = {n, 1, 1},
                                  .kind = (enum cudaMemcpyKind)argument(c, 3)};
    return copy(c, &p, 4);
}
static uint64_t call_Memcpy2DAsync(struct call *c)
{
    uint64_t width = argument(c, 4), height = argument(c, 5);
    struct cudaMemcpy3DParms p = {.dstPtr = {(void *)argument(c, 0), argument(c, 1), width, height},
                                  .srcPtr = {(void *)argument(c, 2), argument(c, 3), width, height},
                                  .extent = {width, height, 1},
                                  .kind = (enum cudaMemcpyKind)argument(c, 6)};
    return copy(c, &p, 7);
}
/* From a position on. */
static void move_to(struct cudaPitchedPtr *q, struct cudaPos *at)
{
    q->ptr = (uint8_t *)q->ptr + at->x + at->y * q->pitch + at->z * q->pitch * q->ysize;
    *at = (struct cudaPos){0, 0, 0};
}
static uint64_t call_Memcpy3DAsync(struct call *c)
{
    struct cudaMemcpy3DParms p;
    if (!argument(c, 0))
        return refuse(c, cudaErrorInvalidValue, "its parameters are NULL");
    if (!builtin_read(c->w, c->lane, argument(c, 0), &p, sizeof(p))) {
        fault(c, cudaErrorIllegalAddress,
              "cudaMemcpy3DAsync: its parameters are at 0x%llx, which "
              "cannot be read",
              (unsigned long long)argument(c, 0));
        return 0;
    }
    if (p.srcArray || p.dstArray)
        return refuse(c, cudaErrorInvalidValue, "kernels do not copy arrays");
    move_to(&p.srcPtr, &p.srcPos);
    move_to(&p.dstPtr, &p.dstPos);
    return copy(c, &p, 1);
}
/* Measured: children.cu on an H200. */
static void tell_fill(const struct call *c)
{
    char *where = site_text(c->in->site);
    fprintf(stderr,
            "warplab: %s: in kernel %s: %s fills with the value that it is given; libcudadevrt of "
            "CUDA 13.0 fills with 0, whatever that is\n",
            where, shown_name(c->w->block->launch->func->info.name), name_of(c));
    free(where);
}
static uint64_t set(struct call *c, const struct device_fill *f, uint32_t k)
{
    const struct cudaExtent *n = &f->extent;
    uint64_t stream;
    bool many = n->height > 1 || n->depth > 1;
    if (!n->width || !n->height || !n->depth)
        return cudaSuccess;
    if (!f->to.ptr || !is_global((uint64_t)f->to.ptr))
        return not_global(c);
    if ((many && n->width > f->to.pitch) || (n->depth > 1 && n->height > f->to.ysize))
        return refuse(c, cudaErrorInvalidValue, "a pitch is less than its width");
    if (!stream_of(c, k, &stream))
        return cudaErrorInvalidValue;
    struct device_work *w = work_new(c, DEVICE_FILL, stream, 0);
    w->fill = *f;
    if ((uint8_t)f->value && children_tell())
        tell_fill(c);
    return start(c, w);
}
static uint64_t call_MemsetAsync(struct call *c)
{
    uint64_t n = argument(c, 2);
    struct device_fill f = {{(void *)argument(c, 0), n, n, 1}, (int)argument(c, 1), {n, 1, 1}};
    return set(c, &f, 3);
}
static uint64_t call_Memset2DAsync(struct call *c)
{
    uint64_t width = argument(c, 3), height = argument(c, 4);
    struct device_fill f = {{(void *)argument(c, 0), argument(c, 1), width, height},
                            (int)argument(c, 2),
                            {width, height, 1}};
    return set(c, &f, 5);
}
static uint64_t call_Memset3DAsync(struct call *c)
{
    struct device_fill f = {.value = (int)argument(c, 1)};
    argument_bytes(c, 0, &f.to);
    argument_bytes(c, 2, &f.extent);
    return set(c, &f, 3);
}

/* ---- memory ---- */
static uint64_t call_Malloc(struct call *c)
{
    uint64_t n = argument(c, 1);
    if (!n || !argument(c, 0))
        return refuse(c, cudaErrorInvalidValue, "0 bytes, or no place for their address");
    uint64_t a = builtin_malloc(c->w, n);
    if (!a)
        return refuse(c, cudaErrorMemoryAllocation,
                      "%llu bytes are more than the kernels' heap has left "
                      "(cudaLimitMallocHeapSize)",
                      (unsigned long long)n);
    put(c, argument(c, 0), &a, 8);
    return cudaSuccess;
}
static uint64_t call_Free(struct call *c)
{
    uint64_t a = argument(c, 0);
    if (a && !builtin_free(a))
        fault(c, cudaErrorIllegalAddress,
              "cudaFree(0x%llx): not an address that cudaMalloc() or malloc() in a kernel "
              "returned, or freed already",
              (unsigned long long)a);
    return cudaSuccess;
}

/* ---- questions ---- */
static uint64_t call_GetLastError(struct call *c)
{
    int e = *last_error(c);
    *last_error(c) = cudaSuccess;
    return (uint64_t)e;
}
static uint64_t call_PeekAtLastError(struct call *c)
{
    return (uint64_t)*last_error(c);
}
static uint64_t no_host(struct call *c)
{
    fault(c, cudaErrorNotSupported, "%s: not supported without the CUDA runtime", name_of(c));
    return 0;
}
static uint64_t call_GetErrorString(struct call *c)
{
    return device_host ? builtin_text(device_host->error_text((cudaError_t)argument(c, 0)))
                       : no_host(c);
}
static uint64_t call_GetErrorName(struct call *c)
{
    return device_host ? builtin_text(device_host->error_name((cudaError_t)argument(c, 0)))
                       : no_host(c);
}
static uint64_t call_GetDevice(struct call *c)
{
    int device = (int)device_of(c);
    return give(c, cudaSuccess, &device, 4);
}
static uint64_t call_GetDeviceCount(struct call *c)
{
    int n = device_host ? device_host->devices() : 1;
    return give(c, cudaSuccess, &n, 4);
}
static uint64_t call_DeviceGetAttribute(struct call *c)
{
    int value = 0;
    if (!device_host)
        return no_host(c);
    cudaError_t e = device_host->attribute(&value, (int)argument(c, 1), (int)argument(c, 2));
    return give(c, e, &value, 4);
}
static uint64_t call_DeviceGetLimit(struct call *c)
{
    uint64_t value = 0;
    if (!device_host)
        return no_host(c);
    cudaError_t e = device_host->limit(&value, (int)argument(c, 1), device_of(c));
    return give(c, e, &value, 8);
}
static uint64_t call_DeviceGetCacheConfig(struct call *c)
{
    int value = device_host ? device_host->cache_config() : 0;
    return give(c, cudaSuccess, &value, 4);
}
static uint64_t call_DeviceGetSharedMemConfig(struct call *c)
{
    int value = cudaSharedMemBankSizeFourByte;
    return give(c, cudaSuccess, &value, 4);
}
static uint64_t call_RuntimeGetVersion(struct call *c)
{
    int version = device_host ? device_host->version() : 0;
    return device_host ? give(c, cudaSuccess, &version, 4) : no_host(c);
}
static uint64_t call_FuncGetAttributes(struct call *c)
{
    enum { WRITTEN = 40 }; /* up to binaryVersion, as by libcudadevrt */
    struct cudaFuncAttributes a = {0};
    if (!argument(c, 0) || !argument(c, 1))
        return refuse(c, cudaErrorInvalidValue, "the kernel or the place for its result is NULL");
    if (!device_host)
        return no_host(c);
    struct emu_func *f = kernel_at(c, argument(c, 1));
    return f ? give(c, device_host->attributes(&a, f), &a, WRITTEN) : 0;
}
static uint64_t call_OccupancyMaxActiveBlocksPerMultiprocessor(struct call *c)
{
    struct device_kernel k;
    struct emu_func *f = kernel_at(c, argument(c, 1));
    if (!f)
        return 0;
    kernel_limits(f, &k);
    if ((int)argument(c, 2) <= 0)
        return cudaErrorInvalidValue;
    int blocks = (int)emu_occupancy(f, (uint32_t)argument(c, 2), (uint32_t)argument(c, 3), NULL);
    return give(c, cudaSuccess, &blocks, 4);
}
static uint64_t call_OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(struct call *c)
{
    return call_OccupancyMaxActiveBlocksPerMultiprocessor(c);
}

/* ---- graphs: what is done about order is the runtime's ---- */
static uint64_t call_GraphLaunch(struct call *c)
{
    uint64_t graph = argument(c, 0), stream = argument(c, 1);
    if (!device_host)
        return no_host(c);
    emu_error_hush(true);
    cudaError_t e = device_host->graph(graph, stream, c->w->block->launch->graph_run);
    emu_error_hush(false);
    if (e) {
        char *why = xstrdup(emu_error_text());
        if (e == cudaErrorIllegalAddress)
            fault(c, e, "cudaGraphLaunch: %s", why);
        else
            refuse(c, e, "%s", why);
        free(why);
        return e;
    }
    struct device_work *w = work_new(c, DEVICE_GRAPH, stream, 0);
    w->graph = graph;
    return add(c, w);
}

const struct insn *warp_call_device(struct warp *w, const struct insn *in)
{
    static uint64_t (*const calls[])(struct call *) = {
#define X(name, shape) call_##name,
        DEVICE_CALLS(X)
#undef X
    };
    struct call c = {.w = w, .in = in, .ci = in->data};
    for (c.lane = 0; c.lane < WARP; c.lane++) {
        if (!(w->mask >> c.lane & 1))
            continue;
        uint64_t value = calls[c.ci->device_call](&c);
        if (c.faulted)
            return NULL;
        builtin_return(w, c.ci, c.lane, value);
    }
    return in + 1;
}
