/* texture.c - texture and surface objects: made of arrays, mipmapped arrays and memory.
 *
 * What is refused is refused as an H200 does it (cases/texture_array.c).
 */
#include "array.h"
#include "emulator/exec/launch.h"
#include <stdlib.h>
#include <string.h>

/* What an object was made of, for those who ask. */
struct made {
    struct made *next;
    uint64_t handle;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    bool viewed, surface;
};
static struct made *objects;

#define TEXTURE_ALIGN 512u /* cudaDevAttrTextureAlignment */
#define PITCH_ALIGN   32u  /* cudaDevAttrTexturePitchAlignment */
#define MOST_ROWS     65000u

/* ---- resources ---- */

static cudaError_t of_array(struct texture *t, const struct cudaArray *levels, unsigned n)
{
    bool cube = levels->flags & cudaArrayCubemap, layered = levels->flags & cudaArrayLayered;

    t->format = levels->texel;
    t->layered = layered;
    t->cube = cube;
    t->dims = (uint8_t)(!levels->extent.height                     ? 1
                        : cube || layered || !levels->extent.depth ? 2
                                                                   : 3);
    t->layers = cube || layered ? levels->level.depth : 1;
    t->nlevels = n;
    t->base = levels->base;
    t->bytes = levels->bytes;
    for (unsigned k = 0; k < n; k++)
        t->level[k] = levels[k].level;
    return cudaSuccess;
}
/* Memory that a texture reads as rows of texels. */
static cudaError_t of_memory(struct texture *t, const void *p,
                             const struct cudaChannelFormatDesc *d, uint64_t width, uint64_t height,
                             uint64_t pitch, uint64_t bytes)
{
    const struct mem_alloc *a = mem_find((uint64_t)p);

    if (!texel_format_of(d, &t->format))
        return cudaErrorInvalidChannelDescriptor;
    if (!a || (uint64_t)p % TEXTURE_ALIGN)
        return emu_fail(cudaErrorInvalidValue, "cudaCreateTextureObject: %p is %s", p,
                        a ? "no multiple of 512, as a texture's memory has to be"
                          : "no memory of a device");
    t->rows = true;
    t->dims = height ? 2 : 1;
    t->layers = t->nlevels = 1;
    t->base = (uint64_t)p;
    t->bytes = bytes;
    t->level[0] = (struct texture_level){
        (uint64_t)p, (uint32_t)width, (uint32_t)(height ? height : 1), 1, pitch, bytes};
    return cudaSuccess;
}
static cudaError_t of_linear(struct texture *t, const struct cudaResourceDesc *r)
{
    struct texel_format f;

    if (!texel_format_of(&r->res.linear.desc, &f))
        return cudaErrorInvalidChannelDescriptor;
    return of_memory(t, r->res.linear.devPtr, &r->res.linear.desc,
                     r->res.linear.sizeInBytes / texel_bytes(f), 0, r->res.linear.sizeInBytes,
                     r->res.linear.sizeInBytes);
}
static cudaError_t of_pitched(struct texture *t, const struct cudaResourceDesc *r)
{
    size_t pitch = r->res.pitch2D.pitchInBytes, height = r->res.pitch2D.height;

    if (pitch % PITCH_ALIGN || height > MOST_ROWS)
        return emu_fail(cudaErrorInvalidValue,
                        "cudaCreateTextureObject: %zu rows %zu bytes apart: a multiple of 32 bytes "
                        "and at most 65000 rows",
                        height, pitch);
    return of_memory(t, r->res.pitch2D.devPtr, &r->res.pitch2D.desc, r->res.pitch2D.width, height,
                     pitch, pitch * height);
}
static cudaError_t resource(struct texture *t, const struct cudaResourceDesc *r)
{
    switch (r->resType) {
    case cudaResourceTypeArray: {
        const struct cudaArray *a = array_find(r->res.array.array);

        return a ? of_array(t, a, 1) : cudaErrorInvalidResourceHandle;
    }
    case cudaResourceTypeMipmappedArray: {
        const struct cudaMipmappedArray *m = mipmap_find(r->res.mipmap.mipmap);

        return m ? of_array(t, m->level, m->nlevels) : cudaErrorInvalidResourceHandle;
    }
    case cudaResourceTypeLinear:
        return of_linear(t, r);
    case cudaResourceTypePitch2D:
        return of_pitched(t, r);
    }
    return cudaErrorInvalidValue;
}

/* ---- samplers ---- */

static cudaError_t sampler(struct texture *t, const struct cudaTextureDesc *d)
{
    bool integers = t->format.kind != TEXEL_FLOAT;

    if (d->filterMode > cudaFilterModeLinear || (d->seamlessCubemap && !t->cube))
        return cudaErrorInvalidValue;
    if (d->seamlessCubemap)
        return rt_unsupported("cudaCreateTextureObject: seamlessCubemap: not supported by the "
                              "emulator (leave it 0: each face is filtered by itself)");
    t->to_float = integers && d->readMode == cudaReadModeNormalizedFloat;
    t->linear = d->filterMode == cudaFilterModeLinear;
    t->mip_linear = d->mipmapFilterMode == cudaFilterModeLinear;
    t->normalized = d->normalizedCoords;
    t->srgb = d->sRGB;
    t->bias = d->mipmapLevelBias;
    t->least = d->minMipmapLevelClamp;
    t->most = d->maxMipmapLevelClamp;
    t->anisotropy = d->maxAnisotropy;
    for (int k = 0; k < 4; k++)
        t->border[k] = d->borderColor[k];
    for (int k = 0; k < 3; k++) {
        if (d->addressMode[k] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        t->address[k] = (uint8_t)d->addressMode[k];
        if (!t->normalized && (t->address[k] == TEX_WRAP || t->address[k] == TEX_MIRROR))
            t->address[k] = TEX_CLAMP; /* the programming guide: not with these coordinates */
    }
    if (d->readMode == cudaReadModeNormalizedFloat && t->format.bits == 32)
        return emu_fail(cudaErrorInvalidNormSetting,
                        "cudaCreateTextureObject: texels of 32 bits are not read as normalised "
                        "floats");
    if (t->linear && integers && !t->to_float)
        return emu_fail(cudaErrorInvalidFilterSetting,
                        "cudaCreateTextureObject: integers are not filtered, unless read as "
                        "normalised floats");
    return cudaSuccess;
}

/* ---- views ---- */

static cudaError_t view(struct texture *t, const struct cudaResourceViewDesc *v)
{
    static const uint8_t channels[3] = {1, 2, 4};
    unsigned f = (unsigned)v->format;

    if (f == cudaResViewFormatNone)
        return cudaErrorInvalidValue;
    if (f > cudaResViewFormatFloat4)
        return rt_unsupported("cudaCreateTextureObject: views of compressed blocks: not supported "
                              "by the emulator (unpack them into an array of texels)");
    struct texel_format was = t->format;
    unsigned k = f - 1, kind = k / 3; /* u8 s8 u16 s16 u32 s32 f16 f32, of 1, 2, 4 each */
    t->format.channels = channels[k % 3];
    t->format.bits = (uint8_t)(kind < 6 ? 8u << kind / 2 : kind == 6 ? 16 : 32);
    t->format.kind = kind >= 6 ? TEXEL_FLOAT : kind % 2 ? TEXEL_SIGNED : TEXEL_UNSIGNED;
    t->to_float = t->to_float && t->format.kind != TEXEL_FLOAT;
    const struct texture_level *l = &t->level[0];
    if (texel_bytes(t->format) != texel_bytes(was) || v->width != l->width ||
        v->height != (t->dims > 1 ? l->height : 0) || v->depth != (l->depth > 1 ? l->depth : 0) ||
        v->lastMipmapLevel < v->firstMipmapLevel || v->lastMipmapLevel >= t->nlevels ||
        v->lastLayer < v->firstLayer || v->lastLayer >= t->layers)
        return cudaErrorInvalidValue;
    t->nlevels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    memmove(t->level, t->level + v->firstMipmapLevel, t->nlevels * sizeof(t->level[0]));
    if (t->layered) {
        t->layers = v->lastLayer - v->firstLayer + 1;
        for (unsigned n = 0; n < t->nlevels; n++) {
            t->level[n].address += v->firstLayer * t->level[n].slice;
            t->level[n].depth = t->layers;
        }
    }
    return cudaSuccess;
}

/* ---- objects ---- */

static uint64_t keep(const struct texture *t, const struct made *like)
{
    struct made *m = xmalloc(sizeof(*m));

    *m = *like;
    m->handle = texture_add(t);
    pthread_mutex_lock(&rt_lock);
    m->next = objects;
    objects = m;
    pthread_mutex_unlock(&rt_lock);
    return m->handle;
}
static cudaError_t create_texture(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                  const struct cudaTextureDesc *d,
                                  const struct cudaResourceViewDesc *v)
{
    struct texture t = {0};

    if (!out || !r)
        return cudaErrorInvalidValue;
    if (!d)
        return cudaErrorInvalidResourceHandle;
    cudaError_t e = resource(&t, r) ?: sampler(&t, d);
    if (!e && v)
        e = view(&t, v);
    if (e)
        return e;
    struct made m = {.resource = *r, .texture = *d};
    if (v) {
        m.view = *v;
        m.viewed = true;
    }
    *out = keep(&t, &m);
    return cudaSuccess;
}
static cudaError_t create_surface(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r)
{
    struct texture t = {.surface = true};

    if (!out || !r || r->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    const struct cudaArray *a = array_find(r->res.array.array);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    of_array(&t, a, 1);
    *out = keep(&t, &(struct made){.resource = *r, .surface = true});
    return cudaSuccess;
}
/* Its entry, copied; false: there is none. */
static bool look_up(uint64_t handle, bool surface, struct made *out)
{
    bool found = false;

    pthread_mutex_lock(&rt_lock);
    for (struct made *m = objects; m && !found; m = m->next)
        if (m->handle == handle && m->surface == surface) {
            *out = *m;
            found = true;
        }
    pthread_mutex_unlock(&rt_lock);
    return found;
}
static cudaError_t destroy(uint64_t handle, bool surface)
{
    struct made *gone = NULL;

    pthread_mutex_lock(&rt_lock);
    for (struct made **p = &objects; *p && !gone; p = *p ? &(*p)->next : p)
        if ((*p)->handle == handle && (*p)->surface == surface) {
            gone = *p;
            *p = gone->next;
            break;
        }
    pthread_mutex_unlock(&rt_lock);
    if (!gone)
        return cudaSuccess;
    free(gone);
    launch_pause();
    texture_remove(handle);
    launch_resume();
    return cudaSuccess;
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *d,
                                    const struct cudaResourceViewDesc *v)
{
    return rt_leave(rt_enter() ?: create_texture(out, r, d, v));
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r)
{
    return rt_leave(rt_enter() ?: create_surface(out, r));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return rt_leave(rt_enter() ?: destroy(object, false));
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return rt_leave(rt_enter() ?: destroy(object, true));
}

/* ---- asking ---- */

static cudaError_t ask(const void *out, uint64_t handle, bool surface, struct made *m)
{
    return out && look_up(handle, surface, m) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out,
                                             cudaTextureObject_t object)
{
    struct made m;
    cudaError_t e = rt_enter() ?: ask(out, object, false, &m);

    if (!e)
        *out = m.resource;
    return rt_leave(e);
}
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t object)
{
    struct made m;
    cudaError_t e = rt_enter() ?: ask(out, object, false, &m);

    if (!e)
        *out = m.texture;
    return rt_leave(e);
}
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out,
                                                 cudaTextureObject_t object)
{
    struct made m;
    cudaError_t e = rt_enter() ?: ask(out, object, false, &m);

    if (!e)
        *out = m.view;
    return rt_leave(e);
}
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out,
                                             cudaSurfaceObject_t object)
{
    struct made m;
    cudaError_t e = rt_enter() ?: ask(out, object, true, &m);

    if (!e)
        *out = m.resource;
    return rt_leave(e);
}
