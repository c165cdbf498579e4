/* array.c - CUDA arrays: made, asked about, freed. Copies are copy.c's, objects texture.c's.
 *
 * An array is device memory like any other, its texels row by row: no program sees the order in
 * which a GPU has them. Not modelled: sparse arrays and deferred mapping, formats of more than one
 * plane or of compressed blocks: refused.
 */
#include "array.h"
#include "emulator/check/check.h"
#include "emulator/exec/launch.h"
#include <stdlib.h>
#include <string.h>

static struct cudaArray *arrays;
static struct cudaMipmappedArray *mipmaps;

struct cudaArray *array_find(cudaArray_const_t a)
{
    struct cudaArray *found = NULL;

    pthread_mutex_lock(&rt_lock);
    for (struct cudaArray *x = arrays; x && !found; x = x->next)
        found = x == a ? x : NULL;
    for (struct cudaMipmappedArray *m = mipmaps; m && !found; m = m->next)
        for (unsigned k = 0; k < m->nlevels; k++)
            found = &m->level[k] == a ? &m->level[k] : found;
    pthread_mutex_unlock(&rt_lock);
    return found;
}
struct cudaMipmappedArray *mipmap_find(cudaMipmappedArray_const_t m)
{
    struct cudaMipmappedArray *x;

    pthread_mutex_lock(&rt_lock);
    for (x = mipmaps; x && x != m;)
        x = x->next;
    pthread_mutex_unlock(&rt_lock);
    return x;
}

/* ---- what is asked for ---- */

bool texel_format_of(const struct cudaChannelFormatDesc *d, struct texel_format *f)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    int n = 0;

    while (n < 4 && bits[n])
        n++;
    for (int k = 0; k < 4; k++)
        if (bits[k] != (k < n ? d->x : 0))
            return false;
    if (n == 0 || n == 3 || (d->x != 8 && d->x != 16 && d->x != 32) ||
        d->f > cudaChannelFormatKindFloat || d->f < 0 ||
        (d->f == cudaChannelFormatKindFloat && d->x == 8))
        return false;
    *f = (struct texel_format){(uint8_t)d->x, (uint8_t)n,
                               d->f == cudaChannelFormatKindFloat    ? TEXEL_FLOAT
                               : d->f == cudaChannelFormatKindSigned ? TEXEL_SIGNED
                                                                     : TEXEL_UNSIGNED};
    return true;
}

static int attribute(enum cudaDeviceAttr a)
{
    int v = 0;

    cudaDeviceGetAttribute(&v, a, rt_device);
    return v;
}
/* Sizes that a device has of each kind of array. */
static bool sized(struct cudaExtent e, unsigned flags)
{
    static const enum cudaDeviceAttr flat[2] = {cudaDevAttrMaxTexture1DWidth,
                                                cudaDevAttrMaxTexture1DLayeredWidth};
    bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    size_t w = e.width, h = e.height, d = e.depth;

#define MOST(x, what) ((x) <= (size_t)attribute(cudaDevAttrMaxTexture##what))
    if (!w || (layered && !d))
        return false;
    if (cube)
        return w == h && (layered ? d % 6 == 0 && MOST(d / 6, CubemapLayeredLayers) : d == 6) &&
               MOST(w, CubemapWidth);
    if (!h)
        return w <= (size_t)attribute(flat[layered]) &&
               (layered ? MOST(d, 1DLayeredLayers) : d == 0);
    if (layered)
        return MOST(w, 2DLayeredWidth) && MOST(h, 2DLayeredHeight) && MOST(d, 2DLayeredLayers);
    if (!d)
        return MOST(w, 2DWidth) && MOST(h, 2DHeight);
    if (flags & cudaArrayTextureGather)
        return false;
    return (MOST(w, 3DWidth) && MOST(h, 3DHeight) && MOST(d, 3DDepth)) ||
           (MOST(w, 3DWidthAlt) && MOST(h, 3DHeightAlt) && MOST(d, 3DDepthAlt));
#undef MOST
}
static cudaError_t acceptable(const char *function, const struct cudaChannelFormatDesc *d,
                              struct cudaExtent e, unsigned flags, struct texel_format *f)
{
    const unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

    if (!d || flags & ~(known | cudaArraySparse | cudaArrayDeferredMapping))
        return cudaErrorInvalidValue;
    if (flags & ~known)
        return rt_unsupported("%s: sparse arrays and deferred mapping: not supported by the "
                              "emulator (leave the flag out: memory is taken when it is written)",
                              function);
    if (d->f > cudaChannelFormatKindNone && d->f != cudaChannelFormatKindNV12)
        return rt_unsupported("%s: a format of several planes, of compressed blocks or normalised "
                              "by itself: not supported by the emulator (take texels of 8, 16 or "
                              "32 bits, an array a plane, cudaReadModeNormalizedFloat)",
                              function);
    if (!texel_format_of(d, f))
        return emu_fail(cudaErrorInvalidChannelDescriptor,
                        "%s: no texels have channels of %d, %d, %d and %d bits", function, d->x,
                        d->y, d->z, d->w);
    if (!sized(e, flags))
        return emu_fail(cudaErrorInvalidValue, "%s: there is no array of %zu x %zu x %zu%s%s",
                        function, e.width, e.height, e.depth,
                        flags & cudaArrayLayered ? ", layered" : "",
                        flags & cudaArrayCubemap ? ", of a cube map" : "");
    return cudaSuccess;
}

/* ---- making ---- */

static uint32_t at_least_1(size_t n)
{
    return n ? (uint32_t)n : 1;
}
static size_t level_size(size_t n, unsigned level)
{
    return n >> level ? n >> level : n ? 1 : 0;
}
static void lay_out(struct cudaArray *a, const struct cudaChannelFormatDesc *d,
                    struct texel_format f, struct cudaExtent e, unsigned flags, unsigned level)
{
    bool slices = !(flags & (cudaArrayLayered | cudaArrayCubemap));

    a->format = *d;
    a->texel = f;
    a->flags = flags;
    a->extent.width = level_size(e.width, level);
    a->extent.height = level_size(e.height, level);
    a->extent.depth = slices ? level_size(e.depth, level) : e.depth;
    a->level.width = at_least_1(a->extent.width);
    a->level.height = at_least_1(a->extent.height);
    a->level.depth = at_least_1(a->extent.depth);
    a->level.pitch = (uint64_t)a->level.width * texel_bytes(f);
    a->level.slice = a->level.pitch * a->level.height;
    a->bytes = a->level.slice * a->level.depth;
}
static uint64_t memory_for(const char *function, uint64_t bytes)
{
    struct mem_alloc *a = mem_alloc_on((unsigned)rt_device, bytes, 512, MEM_DEVICE, "a CUDA array");

    if (!a)
        rt_no_memory(function, bytes, true);
    return a ? a->addr : 0;
}
static cudaError_t make_array(const char *function, cudaArray_t *out,
                              const struct cudaChannelFormatDesc *d, struct cudaExtent e,
                              unsigned flags)
{
    struct texel_format f;

    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t r = acceptable(function, d, e, flags, &f);
    if (r)
        return r;
    struct cudaArray *a = xcalloc(1, sizeof(*a));
    lay_out(a, d, f, e, flags, 0);
    a->base = a->level.address = memory_for(function, a->bytes);
    if (!a->base) {
        free(a);
        return cudaErrorMemoryAllocation;
    }
    pthread_mutex_lock(&rt_lock);
    a->next = arrays;
    arrays = a;
    pthread_mutex_unlock(&rt_lock);
    *out = a;
    return cudaSuccess;
}
static cudaError_t make_mipmap(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *d,
                               struct cudaExtent e, unsigned nlevels, unsigned flags)
{
    static const char function[] = "cudaMallocMipmappedArray";
    struct texel_format f;
    uint64_t bytes = 0;

    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t r = acceptable(function, d, e, flags, &f);
    if (r)
        return r;
    size_t most = e.width > e.height ? e.width : e.height, levels = 1;
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && e.depth > most)
        most = e.depth;
    for (; most > 1; most /= 2)
        levels++;
    nlevels = nlevels < 1 ? 1 : nlevels > levels ? (unsigned)levels : nlevels;
    struct cudaMipmappedArray *m = xcalloc(1, sizeof(*m));
    m->nlevels = nlevels;
    for (unsigned k = 0; k < nlevels; k++) {
        lay_out(&m->level[k], d, f, e, flags, k);
        m->level[k].of_mipmap = true;
        m->level[k].level.address = bytes;
        bytes += ROUND_UP(m->level[k].bytes, 512);
    }
    uint64_t base = memory_for(function, bytes);
    if (!base) {
        free(m);
        return cudaErrorMemoryAllocation;
    }
    for (unsigned k = 0; k < nlevels; k++) {
        m->level[k].base = base;
        m->level[k].bytes = bytes;
        m->level[k].level.address += base;
    }
    pthread_mutex_lock(&rt_lock);
    m->next = mipmaps;
    mipmaps = m;
    pthread_mutex_unlock(&rt_lock);
    *out = m;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *d, size_t width,
                            size_t height, unsigned int flags)
{
    cudaError_t e = rt_enter();

    if (!e && flags & (cudaArrayLayered | cudaArrayCubemap)) /* cudaMalloc3DArray makes those */
        e = cudaErrorInvalidValue;
    return rt_leave(
        e ?: make_array("cudaMallocArray", out, d, (struct cudaExtent){width, height, 0}, flags));
}
cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *d,
                              struct cudaExtent extent, unsigned int flags)
{
    return rt_leave(rt_enter() ?: make_array("cudaMalloc3DArray", out, d, extent, flags));
}
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out,
                                     const struct cudaChannelFormatDesc *d,
                                     struct cudaExtent extent, unsigned int nlevels,
                                     unsigned int flags)
{
    return rt_leave(rt_enter() ?: make_mipmap(out, d, extent, nlevels, flags));
}

/* ---- freeing ---- */

static void free_texels(uint64_t base)
{
    launch_pause();
    check_free(base);
    mem_free(base);
    launch_resume();
}
static cudaError_t free_array(struct cudaArray *a)
{
    if (!a)
        return cudaSuccess;
    if (!array_find(a) || a->of_mipmap)
        return emu_fail(cudaErrorInvalidValue, "cudaFreeArray: %p is no array that it can free%s",
                        (void *)a, array_find(a) ? ", but a level of a mipmapped one" : "");
    pthread_mutex_lock(&rt_lock);
    for (struct cudaArray **p = &arrays; *p; p = &(*p)->next)
        if (*p == a) {
            *p = a->next;
            break;
        }
    pthread_mutex_unlock(&rt_lock);
    free_texels(a->base);
    free(a);
    return cudaSuccess;
}
static cudaError_t free_mipmap(struct cudaMipmappedArray *m)
{
    if (!m)
        return cudaSuccess;
    if (!mipmap_find(m))
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&rt_lock);
    for (struct cudaMipmappedArray **p = &mipmaps; *p; p = &(*p)->next)
        if (*p == m) {
            *p = m->next;
            break;
        }
    pthread_mutex_unlock(&rt_lock);
    free_texels(m->level[0].base);
    free(m);
    return cudaSuccess;
}
cudaError_t cudaFreeArray(cudaArray_t a)
{
    return rt_leave(rt_enter() ?: free_array(a));
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t m)
{
    return rt_leave(rt_enter() ?: free_mipmap(m));
}

/* ---- asking ---- */

static cudaError_t level_of(cudaArray_t *out, cudaMipmappedArray_const_t handle, unsigned level)
{
    struct cudaMipmappedArray *m = mipmap_find(handle);

    if (!out || !m || level >= m->nlevels)
        return cudaErrorInvalidValue;
    *out = &m->level[level];
    return cudaSuccess;
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_const_t m,
                                       unsigned int level)
{
    return rt_leave(rt_enter() ?: level_of(out, m, level));
}
static cudaError_t info(struct cudaChannelFormatDesc *d, struct cudaExtent *e, unsigned *flags,
                        cudaArray_t handle)
{
    const struct cudaArray *a = array_find(handle);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (d)
        *d = a->format;
    if (e)
        *e = a->extent;
    if (flags)
        *flags = a->flags;
    return cudaSuccess;
}
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *d, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t a)
{
    return rt_leave(rt_enter() ?: info(d, extent, flags, a));
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *d, cudaArray_const_t a)
{
    return rt_leave(rt_enter() ?: info(d, NULL, NULL, (cudaArray_t)a));
}
/* What only sparse, deferred or many-planed arrays have, of which there are none here. */
static cudaError_t has_none(const void *array, const char *what)
{
    return array ? emu_fail(cudaErrorInvalidValue, "%s: this array has none", what)
                 : cudaErrorInvalidResourceHandle;
}
cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t a, unsigned int index)
{
    (void)plane, (void)index;
    return rt_leave(rt_enter() ?: has_none(a, "cudaArrayGetPlane"));
}
cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *need, cudaArray_t a,
                                           int device)
{
    (void)need, (void)device;
    return rt_leave(rt_enter() ?: has_none(a, "cudaArrayGetMemoryRequirements"));
}
cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *p, cudaArray_t a)
{
    (void)p;
    return rt_leave(rt_enter() ?: has_none(a, "cudaArrayGetSparseProperties"));
}
