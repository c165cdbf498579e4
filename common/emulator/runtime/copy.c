/* copy.c - copies and fills: linear, 2-D, 3-D, arrays, symbols.
 *
 * Each becomes a box of rows between two places. A place is checked before anything
 * moves: it must be memory of the kind that the direction says, inside one allocation.
 * Managed, pinned and registered memory counts as either kind. An array's texels lie in device
 * memory: a part of it is a place like others.
 */
#include "emulator/base/describe.h"
#include "emulator/check/check.h"
#include "array.h"
#include "graph.h"
#include "hold.h"
#include "emulator/count/model.h"
#include "emulator/count/profile.h"
#include <stdlib.h>
#include <string.h>

#define HOST_MOST (1ull << 56) /* bytes of a process's addresses, whatever the processor */

struct box {
    const char *function; /* for messages and the profile */
    size_t width, height, depth;
    unsigned element; /* bytes of a fill's value, where it is more than one */
};

struct place {
    const void *p;
    size_t pitch, slice; /* bytes from row to row, from plane to plane */
    uint8_t *host;       /* where its contents are */
    const struct mem_alloc *alloc;
};

/* Bytes from the first to the last of a box that is not empty; SIZE_MAX: more than there are. */
static size_t extent_of(const struct box *b, const struct place *q)
{
    size_t planes, rows, bytes;

    if (__builtin_mul_overflow(b->depth - 1, q->slice, &planes) ||
        __builtin_mul_overflow(b->height - 1, q->pitch, &rows) ||
        __builtin_add_overflow(planes, rows, &bytes) ||
        __builtin_add_overflow(bytes, b->width, &bytes))
        return SIZE_MAX;
    return bytes;
}

static struct cudaPitchedPtr pitched(const struct box *b, const struct place *q)
{
    size_t pitch = q->pitch ? q->pitch : b->width;

    return (struct cudaPitchedPtr){.ptr = (void *)q->p,
                                   .pitch = pitch,
                                   .xsize = b->width,
                                   .ysize = pitch && q->slice ? q->slice / pitch : b->height};
}

static bool is_empty(const struct box *b)
{
    return !b->width || !b->height || !b->depth;
}

/* Finds a place's contents; `device` says which side the caller took it to be. */
static cudaError_t resolve(const struct box *b, struct place *q, bool device, const char *role)
{
    enum side side = address_side(q->p, &q->alloc);
    size_t bytes = extent_of(b, q);

    if (!q->p)
        return emu_fail(cudaErrorInvalidValue, "%s: the %s is NULL", b->function, role);
    if (side == (device ? SIDE_HOST : SIDE_DEVICE) && (side == SIDE_HOST || q->alloc))
        return emu_fail(cudaErrorInvalidValue,
                        "%s: the %s %p is %s memory, but the direction says %s (arguments or "
                        "direction swapped?)",
                        b->function, role, q->p, device ? "host" : "device",
                        device ? "device" : "host");
    if (side == SIDE_HOST) {
        if (bytes > HOST_MOST || (uint64_t)q->p > UINT64_MAX - bytes)
            return emu_fail(cudaErrorInvalidValue, "%s: %zu bytes at the %s %p: no host has them",
                            b->function, bytes, role, q->p);
        q->host = (uint8_t *)q->p;
        return cudaSuccess;
    }
    if (!q->alloc || bytes > q->alloc->size - ((uint64_t)q->p - q->alloc->addr)) {
        struct text where = {0};

        mem_describe(&where, (uint64_t)q->p);
        emu_fail(cudaErrorInvalidValue,
                 "%s: %zu bytes at the %s %p are not inside one allocation: %s", b->function, bytes,
                 role, q->p, text_str(&where));
        text_free(&where);
        return cudaErrorInvalidValue;
    }
    q->host = q->alloc->host + ((uint64_t)q->p - q->alloc->addr);
    return cudaSuccess;
}

static uint64_t address_at(const struct place *q, const uint8_t *host)
{
    return (uint64_t)q->p + (uint64_t)(host - q->host);
}

static bool in_host(const struct place *q)
{
    return !q->alloc || q->alloc->kind == MEM_PINNED || q->alloc->kind == MEM_REGISTERED;
}

/* What the host wrote itself, in memory both sides see, the checker has not followed. */
static void copy_row(const struct place *dst, uint8_t *to, const struct place *src,
                     const uint8_t *from, size_t width)
{
    if (dst->alloc && src->alloc && !in_host(src) && src->alloc->kind != MEM_MANAGED)
        check_host_copy(address_at(dst, to), address_at(src, from), width);
    else if (dst->alloc)
        check_host_write(address_at(dst, to), width);
    memmove(to, from, width);
    if (in_host(dst) && !in_host(src))
        inject_back(to, width);
}

static void copy_box(const struct box *b, const struct place *dst, const struct place *src)
{
    bool rows = b->height > 1 || b->depth > 1;

    if (!rows) {
        copy_row(dst, dst->host, src, src->host, b->width);
        return;
    }
    for (size_t z = 0; z < b->depth; z++)
        for (size_t y = 0; y < b->height; y++)
            copy_row(dst, dst->host + z * dst->slice + y * dst->pitch, src,
                     src->host + z * src->slice + y * src->pitch, b->width);
}

/* ---- directions ---- */

/* What the kind says, or what the addresses do when it leaves that open. */
static cudaError_t direction(enum cudaMemcpyKind kind, const void *dst, const void *src,
                             bool *to_device, bool *from_device)
{
    const struct mem_alloc *a;

    switch (kind) {
    case cudaMemcpyHostToDevice:
    case cudaMemcpyDeviceToHost:
    case cudaMemcpyDeviceToDevice:
        *to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
        *from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
        return cudaSuccess;
    case cudaMemcpyHostToHost: /* looks at the addresses, too, on a GPU */
    case cudaMemcpyDefault:
        *to_device = address_side(dst, &a) != SIDE_HOST;
        *from_device = address_side(src, &a) != SIDE_HOST;
        return cudaSuccess;
    }
    return cudaErrorInvalidMemcpyDirection;
}

static const char *label(const struct place *dst, const struct place *src)
{
    if (in_host(dst))
        return in_host(src) ? "memcpyHtoH" : "memcpyDtoH";
    if (!in_host(src) && dst->alloc->device != src->alloc->device)
        return "memcpyPtoP";
    return in_host(src) ? "memcpyHtoD" : "memcpyDtoD";
}

static struct copy_path path_of(const struct place *dst, const struct place *src)
{
    bool to_host = in_host(dst), from_host = in_host(src);
    enum copy_way way = to_host && from_host                                 ? COPY_ON_HOST
                        : to_host                                            ? COPY_OUT
                        : from_host                                          ? COPY_IN
                        : dst->alloc->device == src->alloc->device           ? COPY_ON_DEVICE
                        : mem_linked(dst->alloc->device, src->alloc->device) ? COPY_PEER
                                                                             : COPY_STAGED;

    bool pageable = (to_host && !dst->alloc) || (from_host && !src->alloc);
    return (struct copy_path){way, pageable ? PAGEABLE_MEMORY : PINNED_MEMORY};
}

static enum engine_kind engine_of(struct copy_path p)
{
    static const enum engine_kind engine[] = {[COPY_IN] = ENGINE_IN,
                                              [COPY_OUT] = ENGINE_OUT,
                                              [COPY_PEER] = ENGINE_PEER,
                                              [COPY_STAGED] = ENGINE_OUT};

    return (size_t)p.way < sizeof(engine) / sizeof(engine[0]) ? engine[p.way] : ENGINE_NONE;
}

/* As a node: a place in an array is one in memory. */
static bool copy_captured(const struct box *b, const struct place *dst, const struct place *src,
                          enum cudaMemcpyKind kind, cudaStream_t stream, cudaError_t *e)
{
    struct work w = {.type = cudaGraphNodeTypeMemcpy,
                     .copy = {.dstPtr = pitched(b, dst),
                              .srcPtr = pitched(b, src),
                              .extent = {b->width, b->height, b->depth},
                              .kind = kind}};

    return capture_takes(stream, &w, e);
}

/* Copies a box, takes its modelled time; `wait`: the host waits for the end of it. It waits for
 * pageable memory always: the driver copies through a buffer of its own, part by part. */
static void transfer_now(const struct box *b, const struct place *to, const struct place *from,
                         cudaStream_t stream)
{
    struct place dst = *to, src = *from;
    const struct CUstream_st *s = stream_find(stream);
    double begin = host_now_us(), ms;
    uint64_t bytes = (uint64_t)b->width * b->height * b->depth;

    copy_box(b, &dst, &src);
    struct copy_path path = path_of(&dst, &src);
    ms = model_copy_ms(device_profile(), bytes, path);
    stream_work(stream, engine_of(path), ms);
    record_add("", label(&dst, &src), bytes);
    record_add("",
               path.way == COPY_IN    ? "in_ns"
               : path.way == COPY_OUT ? "out_ns"
                                      : "within_ns",
               (uint64_t)(1e6 * ms));
    profile_copy(label(&dst, &src), bytes, s->id, (unsigned)s->device, ms, host_now_us() - begin);
}

/* Does the host wait for a copy that says so? Late, as the manual has it: not within a device, and
 * on the host always. */
static bool host_waits(const struct place *dst, const struct place *src, bool wait)
{
    struct copy_path path = path_of(dst, src);
    bool inside = path.way == COPY_ON_DEVICE && dst->alloc->kind == MEM_DEVICE &&
                  src->alloc->kind == MEM_DEVICE;

    if (path.memory == PAGEABLE_MEMORY || (hold_is_late() && path.way == COPY_ON_HOST))
        return true;
    return wait && !(hold_is_late() && inside);
}

struct later {
    struct box box;
    struct place to, from;
};
static bool transfer_later(cudaStream_t stream, void *later)
{
    const struct later *l = later;

    transfer_now(&l->box, &l->to, &l->from, stream);
    return true;
}

static cudaError_t transfer(const struct box *b, struct place dst, struct place src,
                            enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    bool to_device, from_device;
    cudaError_t e = direction(kind, dst.p, src.p, &to_device, &from_device);

    if (e)
        return e;
    if (!stream_find(stream))
        return cudaErrorInvalidResourceHandle;
    if (is_empty(b) || copy_captured(b, &dst, &src, kind, stream, &e))
        return e;
    e = resolve(b, &dst, to_device, "destination") ?: resolve(b, &src, from_device, "source");
    if (e)
        return e;
    wait = host_waits(&dst, &src, wait);
    if (wait)
        hold_wait(stream);
    if (rt_fault() && wait)
        return rt_fault();
    struct later l = {*b, dst, src};
    if ((wait ? hold_behind : hold_later)(stream, transfer_later, &l, sizeof(l)))
        return cudaSuccess;
    transfer_now(b, &dst, &src, stream);
    if (wait)
        stream_wait(stream);
    return cudaSuccess;
}

/* ---- linear ---- */

static cudaError_t linear(const char *function, void *dst, const void *src, size_t count,
                          enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    struct box b = {function, count, 1, 1, 0};

    return transfer(&b, (struct place){.p = dst}, (struct place){.p = src}, kind, stream, wait);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter() ?: linear("cudaMemcpy", dst, src, count, kind, 0, true));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: linear("cudaMemcpyAsync", dst, src, count, kind, stream, false));
}

/* The numbers have to be devices'; whose the memory is, its addresses tell. */
static cudaError_t peer(void *dst, int to, const void *src, int from, size_t count,
                        cudaStream_t stream, bool wait)
{
    if (!rt_is_device(to) || !rt_is_device(from))
        return cudaErrorInvalidDevice;
    return linear("cudaMemcpyPeer", dst, src, count, cudaMemcpyDeviceToDevice, stream, wait);
}

cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t count)
{
    return rt_leave(rt_enter() ?: peer(dst, to, src, from, count, 0, true));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t count,
                                cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: peer(dst, to, src, from, count, stream, false));
}

cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                 size_t count, struct cudaMemcpyAttributes *attrs, size_t *index,
                                 size_t nattrs, cudaStream_t stream)
{
    cudaError_t e = rt_enter();

    (void)attrs, (void)index, (void)nattrs; /* hints about order and place */
    if (!e && (!dsts || !srcs || !sizes || !stream))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < count; i++)
        e = linear("cudaMemcpyBatchAsync", dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, stream,
                   false);
    return rt_leave(e);
}

/* ---- symbols ---- */

static cudaError_t symbol_place(const void *symbol, size_t count, size_t offset, uint64_t *addr)
{
    uint64_t size;
    cudaError_t e = symbol_find(symbol, addr, &size);

    if (e)
        return e;
    if (offset > size || count > size - offset)
        return emu_fail(cudaErrorInvalidValue,
                        "copy of %zu bytes at offset %zu of a variable of %lu bytes", count, offset,
                        size);
    *addr += offset;
    return cudaSuccess;
}

static cudaError_t to_symbol(const void *symbol, const void *src, size_t count, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    uint64_t addr;

    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return symbol_place(symbol, count, offset, &addr)
               ?: linear("cudaMemcpyToSymbol", (void *)addr, src, count, kind, stream, wait);
}

static cudaError_t from_symbol(void *dst, const void *symbol, size_t count, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    uint64_t addr;

    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return symbol_place(symbol, count, offset, &addr)
               ?: linear("cudaMemcpyFromSymbol", dst, (void *)addr, count, kind, stream, wait);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter() ?: to_symbol(symbol, src, count, offset, kind, 0, true));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: to_symbol(symbol, src, count, offset, kind, stream, false));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter() ?: from_symbol(dst, symbol, count, offset, kind, 0, true));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: from_symbol(dst, symbol, count, offset, kind, stream, false));
}

/* ---- two and three dimensions ---- */

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    struct box b = {"cudaMemcpy2D", width, height, 1, 0};

    if (width > dpitch || width > spitch)
        return emu_fail(height == 1 ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue,
                        "cudaMemcpy2D: rows of %zu bytes, pitches of %zu and %zu", width, dpitch,
                        spitch);
    return transfer(&b, (struct place){.p = dst, .pitch = dpitch},
                    (struct place){.p = src, .pitch = spitch}, kind, stream, wait);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter() ?: copy_2d(dst, dpitch, src, spitch, width, height, kind, 0, true));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return rt_leave(rt_enter()
                        ?: copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, false));
}

/* ---- arrays ---- */

/* A box's place in an array, from byte x of row y of plane z on; refused where it is not all
 * inside. */
static cudaError_t array_place(const struct box *b, cudaArray_const_t array, size_t x, size_t y,
                               size_t z, struct place *q)
{
    const struct cudaArray *a = array_find(array);

    if (!a)
        return emu_fail(cudaErrorInvalidResourceHandle, "%s: %p is no array", b->function,
                        (const void *)array);
    const struct texture_level *l = &a->level;

    if (b->width > l->pitch || x > l->pitch - b->width || b->height > l->height ||
        y > l->height - b->height || b->depth > l->depth || z > l->depth - b->depth)
        return emu_fail(cudaErrorInvalidValue,
                        "%s: %zu bytes x %zu x %zu at byte %zu, row %zu, plane %zu are no part of "
                        "an array of %u x %u x %u texels of %u bytes",
                        b->function, b->width, b->height, b->depth, x, y, z, l->width, l->height,
                        l->depth, texel_bytes(a->texel));
    *q = (struct place){.p = (void *)(l->address + z * l->slice + y * l->pitch + x),
                        .pitch = l->pitch,
                        .slice = l->slice};
    return cudaSuccess;
}
/* An array is the device's. */
static cudaError_t toward(enum cudaMemcpyKind kind, enum cudaMemcpyKind host)
{
    return kind == host || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault
               ? cudaSuccess
               : cudaErrorInvalidMemcpyDirection;
}
static cudaError_t pitch_of(const struct box *b, size_t pitch)
{
    return b->width <= pitch || b->height <= 1
               ? cudaSuccess
               : emu_fail(cudaErrorInvalidPitchValue, "%s: rows of %zu bytes, a pitch of %zu",
                          b->function, b->width, pitch);
}
static cudaError_t to_array(const char *function, cudaArray_t dst, size_t x, size_t y,
                            const void *src, size_t pitch, size_t width, size_t height,
                            enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    struct box b = {function, width, height, 1, 0};
    struct place to;

    return toward(kind, cudaMemcpyHostToDevice) ?: pitch_of(&b, pitch)
               ?: array_place(&b, dst, x, y, 0, &to)
               ?: transfer(&b, to, (struct place){.p = src, .pitch = pitch}, kind, stream, wait);
}
static cudaError_t from_array(const char *function, void *dst, size_t pitch, cudaArray_const_t src,
                              size_t x, size_t y, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    struct box b = {function, width, height, 1, 0};
    struct place from;

    return toward(kind, cudaMemcpyDeviceToHost) ?: pitch_of(&b, pitch)
               ?: array_place(&b, src, x, y, 0, &from)
               ?: transfer(&b, (struct place){.p = dst, .pitch = pitch}, from, kind, stream, wait);
}
static cudaError_t between_arrays(cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src,
                                  size_t xs, size_t ys, size_t width, size_t height,
                                  enum cudaMemcpyKind kind)
{
    struct box b = {"cudaMemcpy2DArrayToArray", width, height, 1, 0};
    struct place to, from;

    return toward(kind, cudaMemcpyDeviceToDevice) ?: array_place(&b, dst, xd, yd, 0, &to) ?: array_place(&b, src, xs, ys, 0, &from)
               ?: transfer(&b, to, from, kind, 0, true);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter()
                        ?: to_array("cudaMemcpy2DToArray", dst, x, y, src, pitch, width, height,
                                    kind, 0, true));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rt_leave(rt_enter()
                        ?: to_array("cudaMemcpy2DToArrayAsync", dst, x, y, src, pitch, width,
                                    height, kind, stream, false));
}
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter()
                        ?: from_array("cudaMemcpy2DFromArray", dst, pitch, src, x, y, width, height,
                                      kind, 0, true));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rt_leave(rt_enter()
                        ?: from_array("cudaMemcpy2DFromArrayAsync", dst, pitch, src, x, y, width,
                                      height, kind, stream, false));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src,
                                     size_t xs, size_t ys, size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter() ?: between_arrays(dst, xd, yd, src, xs, ys, width, height, kind));
}

/* The older ones copy so many bytes from row to row on: an array's rows lie side by side. Their
 * per-thread twins are here, too, since the header warns of calls. */
static cudaError_t array_bytes(const struct box *b, cudaArray_const_t array, size_t x, size_t y,
                               struct place *q)
{
    const struct cudaArray *a = array_find(array);
    struct box none = {b->function, 0, 1, 1, 0};
    cudaError_t e = array_place(&none, array, x, y, 0, q);

    if (!e && b->width > a->level.slice - (y * a->level.pitch + x))
        return emu_fail(cudaErrorInvalidValue,
                        "%s: %zu bytes from byte %zu of row %zu on end "
                        "beyond the array",
                        b->function, b->width, x, y);
    return e;
}
static cudaError_t bytes_to_array(const char *function, cudaArray_t dst, size_t x, size_t y,
                                  const void *src, size_t count, enum cudaMemcpyKind kind,
                                  cudaStream_t stream, bool wait)
{
    struct box b = {function, count, 1, 1, 0};
    struct place to;

    return toward(kind, cudaMemcpyHostToDevice) ?: array_bytes(&b, dst, x, y, &to)
               ?: transfer(&b, to, (struct place){.p = src}, kind, stream, wait);
}
static cudaError_t bytes_from_array(const char *function, void *dst, cudaArray_const_t src,
                                    size_t x, size_t y, size_t count, enum cudaMemcpyKind kind,
                                    cudaStream_t stream, bool wait)
{
    struct box b = {function, count, 1, 1, 0};
    struct place from;

    return toward(kind, cudaMemcpyDeviceToHost) ?: array_bytes(&b, src, x, y, &from)
               ?: transfer(&b, (struct place){.p = dst}, from, kind, stream, wait);
}
static cudaError_t bytes_between(cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src,
                                 size_t xs, size_t ys, size_t count, enum cudaMemcpyKind kind)
{
    struct box b = {"cudaMemcpyArrayToArray", count, 1, 1, 0};
    struct place to, from;

    return toward(kind, cudaMemcpyDeviceToDevice) ?: array_bytes(&b, dst, xd, yd, &to)
               ?: array_bytes(&b, src, xs, ys, &from) ?: transfer(&b, to, from, kind, 0, true);
}
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                              enum cudaMemcpyKind kind)
{
    return rt_leave(
        rt_enter() ?: bytes_to_array("cudaMemcpyToArray", dst, x, y, src, count, kind, 0, true));
}
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return rt_leave(
        rt_enter()
            ?: bytes_from_array("cudaMemcpyFromArray", dst, src, x, y, count, kind, 0, true));
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src,
                                   size_t xs, size_t ys, size_t count, enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter() ?: bytes_between(dst, xd, yd, src, xs, ys, count, kind));
}
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t x, size_t y, const void *src,
                                   size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t x, size_t y, const void *src,
                                   size_t count, enum cudaMemcpyKind kind)
{
    return rt_leave(
        rt_enter() ?: bytes_to_array("cudaMemcpyToArray", dst, x, y, src, count, kind, 0, true));
}
cudaError_t cudaMemcpyFromArray_ptds(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                     size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray_ptds(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                     size_t count, enum cudaMemcpyKind kind)
{
    return rt_leave(
        rt_enter()
            ?: bytes_from_array("cudaMemcpyFromArray", dst, src, x, y, count, kind, 0, true));
}
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t xd, size_t yd,
                                        cudaArray_const_t src, size_t xs, size_t ys, size_t count,
                                        enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t xd, size_t yd,
                                        cudaArray_const_t src, size_t xs, size_t ys, size_t count,
                                        enum cudaMemcpyKind kind)
{
    return rt_leave(rt_enter() ?: bytes_between(dst, xd, yd, src, xs, ys, count, kind));
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rt_leave(rt_enter()
                        ?: bytes_to_array("cudaMemcpyToArrayAsync", dst, x, y, src, count, kind,
                                          stream, false));
}
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rt_leave(rt_enter()
                        ?: bytes_from_array("cudaMemcpyFromArrayAsync", dst, src, x, y, count, kind,
                                            stream, false));
}
cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t dst, size_t x, size_t y, const void *src,
                                        size_t count, enum cudaMemcpyKind kind,
                                        cudaStream_t stream);
cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t dst, size_t x, size_t y, const void *src,
                                        size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return rt_leave(rt_enter()
                        ?: bytes_to_array("cudaMemcpyToArrayAsync", dst, x, y, src, count, kind,
                                          per_thread(stream), false));
}
cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                          size_t count, enum cudaMemcpyKind kind,
                                          cudaStream_t stream);
cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                          size_t count, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    return rt_leave(rt_enter()
                        ?: bytes_from_array("cudaMemcpyFromArrayAsync", dst, src, x, y, count, kind,
                                            per_thread(stream), false));
}

/* ---- three dimensions ---- */

/* Position pos in a pitched allocation, whose ysize gives the height of a plane, or in an array,
 * whose texels it counts. */
static cudaError_t place_3d(const struct box *b, cudaArray_const_t array, struct cudaPitchedPtr q,
                            struct cudaPos pos, cudaError_t wrong_pitch, struct place *out)
{
    size_t slice = q.pitch * q.ysize;

    if (array) {
        const struct cudaArray *a = array_find(array);
        size_t texel = a ? texel_bytes(a->texel) : 1;

        return array_place(b, array, pos.x * texel, pos.y, pos.z, out);
    }
    *out =
        (struct place){.p = q.ptr ? (char *)q.ptr + pos.z * slice + pos.y * q.pitch + pos.x : NULL,
                       .pitch = q.pitch,
                       .slice = slice};
    if (b->width > q.pitch)
        return emu_fail(wrong_pitch, "%s: rows of %zu bytes, a pitch of %zu", b->function, b->width,
                        q.pitch);
    return b->depth > 1 && b->height > q.ysize ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t places_3d(const struct cudaMemcpy3DParms *c, struct box *b, struct place *to,
                             struct place *from)
{
    if (!c || (c->dstArray && c->dstPtr.ptr) || (c->srcArray && c->srcPtr.ptr))
        return cudaErrorInvalidValue;
    const struct cudaArray *a = array_find(c->dstArray ? c->dstArray : c->srcArray);
    *b = (struct box){.function = "cudaMemcpy3D",
                      .width = c->extent.width * (a ? texel_bytes(a->texel) : 1), /* in texels */
                      .height = c->extent.height,
                      .depth = c->extent.depth};
    cudaError_t wrong = a ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue;
    return place_3d(b, c->dstArray, c->dstPtr, c->dstPos, wrong, to)
               ?: place_3d(b, c->srcArray, c->srcPtr, c->srcPos, wrong, from);
}

cudaError_t copy_3d(const struct cudaMemcpy3DParms *c, cudaStream_t stream, bool wait)
{
    struct box b;
    struct place to, from;

    return places_3d(c, &b, &to, &from) ?: transfer(&b, to, from, c->kind, stream, wait);
}

/* A graph's own memory comes and goes. */
static cudaError_t resolve_later(const struct box *b, struct place *q, bool device,
                                 const char *role)
{
    return graph_memory_holds(q->p) ? cudaSuccess : resolve(b, q, device, role);
}

static bool is_pageable(struct cudaPitchedPtr q, cudaArray_const_t array)
{
    const struct mem_alloc *a;

    return !array && !graph_memory_holds(q.ptr) && address_side(q.ptr, &a) == SIDE_HOST && !a;
}

bool copy_is_pageable(const struct cudaMemcpy3DParms *c)
{
    return is_pageable(c->dstPtr, c->dstArray) || is_pageable(c->srcPtr, c->srcArray);
}

static unsigned way_of(const struct cudaMemcpy3DParms *c)
{
    bool to_device = true, from_device = true;

    direction(c->kind, c->dstPtr.ptr, c->srcPtr.ptr, &to_device, &from_device);
    return (to_device || c->dstArray) + 2u * (from_device || c->srcArray);
}

bool copies_alike(const struct cudaMemcpy3DParms *a, const struct cudaMemcpy3DParms *b)
{
    return way_of(a) == way_of(b);
}

cudaError_t copy_check(const struct cudaMemcpy3DParms *c)
{
    struct box b;
    struct place to, from;
    bool to_device, from_device;
    cudaError_t e =
        places_3d(c, &b, &to, &from) ?: direction(c->kind, to.p, from.p, &to_device, &from_device);

    if (!e && is_empty(&b))
        e = cudaErrorInvalidValue;
    return e ?: resolve_later(&b, &to, to_device, "destination")
                 ?: resolve_later(&b, &from, from_device, "source");
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *c)
{
    return rt_leave(rt_enter() ?: copy_3d(c, 0, true));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *c, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: copy_3d(c, stream, false));
}

static cudaError_t peer_3d(const struct cudaMemcpy3DPeerParms *c, cudaStream_t stream, bool wait)
{
    if (!c)
        return cudaErrorInvalidValue;
    if (!rt_is_device(c->srcDevice) || !rt_is_device(c->dstDevice))
        return cudaErrorInvalidDevice;
    struct cudaMemcpy3DParms one = {.srcArray = c->srcArray,
                                    .srcPos = c->srcPos,
                                    .srcPtr = c->srcPtr,
                                    .dstArray = c->dstArray,
                                    .dstPos = c->dstPos,
                                    .dstPtr = c->dstPtr,
                                    .extent = c->extent,
                                    .kind = cudaMemcpyDeviceToDevice};
    return copy_3d(&one, stream, wait);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *c)
{
    return rt_leave(rt_enter() ?: peer_3d(c, 0, true));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *c, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: peer_3d(c, stream, false));
}

/* ---- fills ---- */

/* A fill is a kernel's work: unlike copies it needs access to another device's memory. */
static cudaError_t filled_from(const struct box *b, const void *p, int device)
{
    const struct mem_alloc *a;

    if (address_side(p, &a) != SIDE_DEVICE || !a || mem_reaches((unsigned)device, a))
        return cudaSuccess;
    return emu_fail(cudaErrorInvalidValue,
                    "%s: %p is memory of device %d, the stream is of device %d, which has no "
                    "access to it (cudaDeviceEnablePeerAccess)",
                    b->function, p, a->device, device);
}

/* A node for each plane. */
static bool fill_captured(const struct box *b, const struct place *q, int value,
                          cudaStream_t stream, cudaError_t *e)
{
    bool taken = false;

    for (size_t z = 0; z < b->depth && !*e; z++) {
        struct work w = {.type = cudaGraphNodeTypeMemset,
                         .fill = {.dst = (char *)q->p + z * q->slice,
                                  .pitch = q->pitch,
                                  .value = (uint8_t)value,
                                  .elementSize = 1,
                                  .width = b->width,
                                  .height = b->height}};

        taken = capture_takes(stream, &w, e);
        if (!taken)
            break;
    }
    return taken;
}

static void set_row(uint8_t *row, int value, size_t width, unsigned element)
{
    if (element <= 1)
        memset(row, value, width);
    else
        for (size_t i = 0; i < width; i += element)
            memcpy(row + i, &value, element);
}

static void fill_now(const struct box *b, const struct place *to, int value, cudaStream_t stream)
{
    struct place q = *to;
    const struct CUstream_st *s = stream_find(stream);
    double begin = host_now_us(), ms;
    uint64_t bytes = (uint64_t)b->width * b->height * b->depth;

    for (size_t z = 0; z < b->depth; z++) {
        for (size_t y = 0; y < b->height; y++) {
            uint8_t *row = q.host + z * q.slice + y * q.pitch;

            check_host_write(address_at(&q, row), b->width);
            set_row(row, value, b->width, b->element);
        }
    }
    /* a copy moves each byte twice */
    ms = model_copy_ms(device_profile(), bytes / 2,
                       (struct copy_path){COPY_ON_DEVICE, PINNED_MEMORY});
    stream_work(stream, ENGINE_NONE, ms);
    record_add("", "memset", bytes);
    profile_copy("memset", bytes, s->id, (unsigned)s->device, ms, host_now_us() - begin);
}

struct later_fill {
    struct box box;
    struct place to;
    int value;
};
static bool fill_later(cudaStream_t stream, void *later)
{
    const struct later_fill *l = later;

    fill_now(&l->box, &l->to, l->value, stream);
    return true;
}

static cudaError_t fill(const struct box *b, struct place q, int value, cudaStream_t stream,
                        bool wait)
{
    struct CUstream_st *s = stream_find(stream);
    cudaError_t e = cudaSuccess;

    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (is_empty(b) || fill_captured(b, &q, value, stream, &e))
        return e;
    e = resolve(b, &q, true, "destination") ?: filled_from(b, q.p, s->device);
    if (e)
        return e;
    wait = wait && !(hold_is_late() && q.alloc->kind == MEM_DEVICE);
    if (wait)
        hold_wait(stream);
    if (wait && rt_fault())
        return rt_fault();
    struct later_fill l = {*b, q, value};
    if ((wait ? hold_behind : hold_later)(stream, fill_later, &l, sizeof(l)))
        return cudaSuccess;
    fill_now(b, &q, value, stream);
    if (wait)
        stream_wait(stream);
    return cudaSuccess;
}

/* A node's: elements of one, two or four bytes. */
cudaError_t fill_elements(const struct cudaMemsetParams *m, cudaStream_t stream)
{
    struct box b = {"cudaGraphLaunch", m->width * m->elementSize, m->height, 1, m->elementSize};

    return fill(&b, (struct place){.p = m->dst, .pitch = m->pitch}, (int)m->value, stream, false);
}

cudaError_t fill_check(const struct cudaMemsetParams *m)
{
    struct box b = {"a node that fills", m->width * m->elementSize, m->height, 1, m->elementSize};
    struct place q = {.p = m->dst, .pitch = m->height > 1 ? m->pitch : 0};

    if (is_empty(&b) || (uint64_t)m->dst % m->elementSize || q.pitch % m->elementSize ||
        (m->height > 1 && q.pitch < b.width))
        return cudaErrorInvalidValue;
    return resolve_later(&b, &q, true, "destination");
}

static cudaError_t fill_linear(void *p, int value, size_t count, cudaStream_t stream, bool wait)
{
    struct box b = {"cudaMemset", count, 1, 1, 0};

    return fill(&b, (struct place){.p = p}, value, stream, wait);
}

static cudaError_t fill_2d(void *p, size_t pitch, int value, size_t width, size_t height,
                           cudaStream_t stream, bool wait)
{
    struct box b = {"cudaMemset2D", width, height, 1, 0};

    if (height > 1 && width > pitch)
        return cudaErrorInvalidValue;
    return fill(&b, (struct place){.p = p, .pitch = pitch}, value, stream, wait);
}

cudaError_t fill_3d(struct cudaPitchedPtr q, int value, struct cudaExtent x, cudaStream_t stream,
                    bool wait)
{
    struct box b = {"cudaMemset3D", x.width, x.height, x.depth, 0};

    if (x.width > q.pitch || (x.depth > 1 && x.height > q.ysize))
        return cudaErrorInvalidValue;
    return fill(&b, (struct place){.p = q.ptr, .pitch = q.pitch, .slice = q.pitch * q.ysize}, value,
                stream, wait);
}

cudaError_t cudaMemset(void *p, int value, size_t count)
{
    return rt_leave(rt_enter() ?: fill_linear(p, value, count, 0, true));
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t count, cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: fill_linear(p, value, count, stream, false));
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    return rt_leave(rt_enter() ?: fill_2d(p, pitch, value, width, height, 0, true));
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: fill_2d(p, pitch, value, width, height, stream, false));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr q, int value, struct cudaExtent extent)
{
    return rt_leave(rt_enter() ?: fill_3d(q, value, extent, 0, true));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr q, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    return rt_leave(rt_enter() ?: fill_3d(q, value, extent, stream, false));
}
