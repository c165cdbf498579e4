/* texture_make.c - makes what texture.h describes, and runs an instruction on it. */
#include "texture.h"
#include <stdlib.h>
#include <string.h>

static const char *const geometries[] = {"1d",   "2d",    "3d",     "a1d",  "a2d",
                                         "cube", "acube", "linear", "pitch"};
static const char *const channels[] = {"u8", "s8", "u16", "s16", "f16", "u32", "s32", "f32"};
static const int bits[] = {8, 8, 16, 16, 16, 32, 32, 32};

static enum cudaChannelFormatKind kind(enum channel c)
{
    return c == C_F16 || c == C_F32                ? cudaChannelFormatKindFloat
           : c == C_S8 || c == C_S16 || c == C_S32 ? cudaChannelFormatKindSigned
                                                   : cudaChannelFormatKindUnsigned;
}
uint32_t texture_texel(const struct texture *t)
{
    return (uint32_t)bits[t->type] / 8 * t->channels;
}
bool texture_is_float(const struct texture *t)
{
    return t->norm_read || kind(t->type) == cudaChannelFormatKindFloat;
}
void texture_name(const struct texture *t, char *name)
{
    static const char modes[] = "wcmb";
    int n = sprintf(name, "%s %sx%u %ux%ux%u", geometries[t->geometry], channels[t->type],
                    t->channels, t->width, t->height, t->depth);
    n += sprintf(name + n, " %c%c%c", modes[t->address[0]], modes[t->address[1]],
                 modes[t->address[2]]);
    n += sprintf(name + n, "%s%s%s%s%s%s", t->linear ? " linear" : " point",
                 t->normalized ? " norm" : "", t->norm_read ? " read" : "", t->srgb ? " srgb" : "",
                 t->border ? " color" : "", t->steps ? " steps" : "");
    if (t->levels)
        n += sprintf(name + n, " levels=%u%s bias=%g %g..%g", t->levels,
                     t->mip_linear ? " between" : "", (double)t->bias, (double)t->least,
                     (double)t->most);
    if (t->anisotropy)
        n += sprintf(name + n, " aniso=%d", t->anisotropy);
    if (t->view)
        sprintf(name + n, " view=%d levels %u..%u layers %u..%u", t->view, t->first_level,
                t->last_level, t->first_layer, t->last_layer);
}

static uint16_t some_half(uint64_t *state) /* a finite one */
{
    uint16_t h = (uint16_t)hopper_random(state);
    return (h & 0x7c00) == 0x7c00 ? h & 0xbfff : h;
}
static void fill(const struct texture *t, uint8_t *p, size_t texels, uint64_t *state)
{
    for (size_t k = 0; k < texels * t->channels; k++) {
        uint32_t r = hopper_random(state);
        float f = (float)(int32_t)r * 0x1p-31f;
        if (t->steps)
            r = k / t->channels % 2 ? ~0u : 0, f = (float)(k / t->channels % 2);
        if (t->small_random)
            r %= 100;
        uint16_t h = t->steps ? (r ? 0x3c00 : 0) : some_half(state);
        if (t->steps && kind(t->type) == cudaChannelFormatKindSigned)
            r >>= 32 - bits[t->type] + 1;
        if (t->type == C_F32)
            memcpy(p + k * 4, &f, 4);
        else if (t->type == C_F16)
            memcpy(p + k * 2, &h, 2);
        else
            memcpy(p + k * (size_t)bits[t->type] / 8, &r, (size_t)bits[t->type] / 8);
    }
}
static uint32_t at_least_1(uint32_t n)
{
    return n ? n : 1;
}
static struct cudaExtent extent(const struct texture *t, uint32_t level)
{
    bool layered = t->geometry == G_A1D || t->geometry == G_A2D || t->geometry == G_ACUBE ||
                   t->geometry == G_CUBE;
    struct cudaExtent e = {at_least_1(t->width >> level),
                           t->height ? at_least_1(t->height >> level) : 0,
                           !t->depth ? 0
                           : layered ? t->depth
                                     : at_least_1(t->depth >> level)};
    return e;
}
static cudaError_t put(const struct texture *t, cudaArray_t array, uint32_t level, uint64_t *state)
{
    struct cudaExtent e = extent(t, level);
    struct cudaExtent copy = {e.width, at_least_1((uint32_t)e.height),
                              at_least_1((uint32_t)e.depth)};
    size_t texels = copy.width * copy.height * copy.depth, row = copy.width * texture_texel(t);
    uint8_t *host = malloc(texels * texture_texel(t));
    fill(t, host, texels, state);
    struct cudaMemcpy3DParms p = {.srcPtr = {host, row, copy.width, copy.height},
                                  .dstArray = array,
                                  .extent = copy,
                                  .kind = cudaMemcpyHostToDevice};
    cudaError_t r = cudaMemcpy3D(&p);
    free(host);
    return r;
}
uint8_t *texture_contents(const struct texture *t, size_t *bytes)
{
    struct cudaExtent e = extent(t, 0);
    e.height = at_least_1((uint32_t)e.height);
    e.depth = at_least_1((uint32_t)e.depth);
    size_t row = e.width * texture_texel(t);
    *bytes = row * e.height * e.depth;
    uint8_t *host = calloc(*bytes, 1);
    struct cudaMemcpy3DParms p = {.dstPtr = {host, row, e.width, e.height},
                                  .srcArray = t->array,
                                  .extent = e,
                                  .kind = cudaMemcpyDeviceToHost};
    hopper_need(cudaMemcpy3D(&p), "copying an array back");
    return host;
}
static cudaError_t make_memory(struct texture *t, const struct cudaChannelFormatDesc *format,
                               uint64_t *state, struct cudaResourceDesc *r)
{
    size_t row = (size_t)t->width * texture_texel(t), height = at_least_1(t->height);
    t->pitch = (row + 511) / 512 * 512;
    size_t bytes = t->geometry == G_PITCH ? t->pitch * height : row;
    uint8_t *host = calloc(bytes, 1);
    cudaError_t e = cudaMalloc(&t->memory, bytes);
    for (size_t y = 0; y < height; y++)
        fill(t, host + y * t->pitch, t->width, state);
    if (!e)
        e = cudaMemcpy(t->memory, host, bytes, cudaMemcpyHostToDevice);
    free(host);
    r->resType = cudaResourceTypeLinear;
    r->res.linear.devPtr = t->memory;
    r->res.linear.desc = *format;
    r->res.linear.sizeInBytes = bytes;
    if (t->geometry == G_PITCH) {
        r->resType = cudaResourceTypePitch2D;
        r->res.pitch2D.devPtr = t->memory;
        r->res.pitch2D.desc = *format;
        r->res.pitch2D.width = t->width;
        r->res.pitch2D.height = t->height;
        r->res.pitch2D.pitchInBytes = t->pitch;
    }
    return e;
}
static cudaError_t make_array(struct texture *t, const struct cudaChannelFormatDesc *format,
                              uint64_t *state, struct cudaResourceDesc *r)
{
    bool layered = t->geometry >= G_A1D && t->geometry != G_CUBE;
    unsigned flags = (t->geometry >= G_CUBE ? cudaArrayCubemap : 0u) |
                     (layered ? cudaArrayLayered : 0u) |
                     (t->surface ? cudaArraySurfaceLoadStore : 0u) |
                     (t->geometry == G_2D ? cudaArrayTextureGather : 0u);
    cudaError_t e;
    if (!t->levels) {
        r->resType = cudaResourceTypeArray;
        e = cudaMalloc3DArray(&t->array, format, extent(t, 0), flags);
        r->res.array.array = t->array;
        return e ? e : put(t, t->array, 0, state);
    }
    r->resType = cudaResourceTypeMipmappedArray;
    e = cudaMallocMipmappedArray(&t->mipmap, format, extent(t, 0), t->levels, flags);
    r->res.mipmap.mipmap = t->mipmap;
    for (uint32_t k = 0; !e && k < t->levels; k++) {
        cudaArray_t level;
        e = cudaGetMipmappedArrayLevel(&level, t->mipmap, k);
        e = e ? e : put(t, level, k, state);
    }
    return e;
}
static cudaError_t make_object(struct texture *t, const struct cudaResourceDesc *r)
{
    struct cudaTextureDesc d = {
        .filterMode = t->linear ? cudaFilterModeLinear : cudaFilterModePoint,
        .readMode = t->norm_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .sRGB = t->srgb,
        .normalizedCoords = t->normalized,
        .maxAnisotropy = (unsigned)t->anisotropy,
        .mipmapFilterMode = t->mip_linear ? cudaFilterModeLinear : cudaFilterModePoint,
        .mipmapLevelBias = t->bias,
        .minMipmapLevelClamp = t->least,
        .maxMipmapLevelClamp = t->most > 0 ? t->most : (float)t->levels};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = (enum cudaTextureAddressMode)t->address[k];
    for (int k = 0; t->border && k < 4; k++)
        d.borderColor[k] = 0.375f * (float)(k + 1) - 0.8f;
    struct cudaResourceViewDesc v = {
        .format = (enum cudaResourceViewFormat)t->view,
        .width = t->width,
        .height = t->height,
        .depth = t->geometry == G_3D ? t->depth : 0,
        .firstMipmapLevel = t->first_level,
        .lastMipmapLevel = t->last_level,
        .firstLayer = t->first_layer,
        .lastLayer = t->last_layer,
    };
    return cudaCreateTextureObject(&t->object, r, &d, t->view ? &v : NULL);
}
cudaError_t texture_make(struct texture *t, uint64_t seed)
{
    int b = bits[t->type];
    struct cudaChannelFormatDesc format = {b, t->channels > 1 ? b : 0, t->channels > 2 ? b : 0,
                                           t->channels > 2 ? b : 0, kind(t->type)};
    struct cudaResourceDesc r;
    memset(&r, 0, sizeof(r));
    bool memory = t->geometry == G_LINEAR || t->geometry == G_PITCH;
    cudaError_t e = memory ? make_memory(t, &format, &seed, &r) : make_array(t, &format, &seed, &r);
    if (e || !t->surface)
        return e ? e : make_object(t, &r);
    return cudaCreateSurfaceObject(&t->surf, &r);
}
void texture_free(struct texture *t)
{
    if (t->object)
        cudaDestroyTextureObject(t->object);
    if (t->surf)
        cudaDestroySurfaceObject(t->surf);
    if (t->array)
        cudaFreeArray(t->array);
    if (t->mipmap)
        cudaFreeMipmappedArray(t->mipmap);
    if (t->memory)
        cudaFree(t->memory);
}

/* ---- running ---- */
static const char before[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 pt, .param .u64 pi, .param .u64 po)\n{\n"
    ".reg .b32 %r<24>;\n.reg .b16 %h<8>;\n.reg .b64 %l<8>;\n.reg .pred %p<4>;\n"
    "mov.u32 %r22, %tid.x;\nld.param.u64 %l0, [pt];\nld.param.u64 %l1, [pi];\n"
    "ld.param.u64 %l2, [po];\nmul.wide.u32 %l3, %r22, 48;\nadd.u64 %l1, %l1, %l3;\n"
    "mul.wide.u32 %l3, %r22, 16;\nadd.u64 %l2, %l2, %l3;\n"
    "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%l1];\n"
    "ld.global.v4.b32 {%r14, %r15, %r16, %r17}, [%l1+16];\n"
    "ld.global.v4.b32 {%r18, %r19, %r20, %r21}, [%l1+32];\n"
    "mov.b32 %r0, 0;\nmov.b32 %r1, 0;\nmov.b32 %r2, 0;\nmov.b32 %r3, 0;\n";
static const char after[] = "\nst.global.v4.b32 [%l2], {%r0, %r1, %r2, %r3};\nret;\n}\n";

struct kernel {
    char *body;
    cudaKernel_t kernel;
    struct kernel *next;
};
static cudaError_t kernel_of(const char *body, cudaKernel_t *k)
{
    static struct kernel *all;
    struct kernel *x = all;
    while (x && strcmp(x->body, body) != 0)
        x = x->next;
    if (!x) {
        char *ptx = malloc(sizeof(before) + strlen(body) + sizeof(after));
        sprintf(ptx, "%s%s%s", before, body, after);
        cudaLibrary_t lib;
        cudaError_t e = cudaLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0);
        free(ptx);
        if (e || (e = cudaLibraryGetKernel(k, lib, "k")))
            return e;
        x = malloc(sizeof(*x));
        *x = (struct kernel){strdup(body), *k, all};
        all = x;
    }
    *k = x->kernel;
    return cudaSuccess;
}
cudaError_t texture_run(const char *body, uint64_t object, points in, uint32_t out[POINTS][4])
{
    static void *device_in, *device_out;
    cudaKernel_t k;
    if (!device_in)
        hopper_need(cudaMalloc(&device_in, sizeof(points)), "cudaMalloc");
    if (!device_out)
        hopper_need(cudaMalloc(&device_out, POINTS * 16), "cudaMalloc");
    cudaError_t e = cudaMemcpy(device_in, in, sizeof(points), cudaMemcpyHostToDevice);
    void *args[] = {&object, &device_in, &device_out};
    if (e || (e = kernel_of(body, &k)) ||
        (e = cudaLaunchKernel((const void *)k, (dim3){1, 1, 1}, (dim3){POINTS, 1, 1}, args, 0,
                              NULL)))
        return e;
    return cudaMemcpy(out, device_out, POINTS * 16, cudaMemcpyDeviceToHost);
}
/* TEXTURE_RAW=FILE keeps what is hashed: to look for the rule behind it. */
void texture_result(const char *name, cudaError_t e, const void *data, size_t bytes)
{
    static FILE *raw;
    const char *file = getenv("TEXTURE_RAW");
    if (e) {
        cudaGetLastError();
        hopper_error(name, cudaGetErrorName(e));
        return;
    }
    if (file && (raw || (raw = fopen(file, "w")))) {
        fprintf(raw, "%s\n%zu\n", name, bytes);
        fwrite(data, 1, bytes, raw);
        fflush(raw);
    }
    hopper_result(name, hopper_hash(data, bytes));
}
