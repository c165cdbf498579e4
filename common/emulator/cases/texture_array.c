/* texture_array.c - the calls on arrays and objects: what they answer, and what they refuse how. */
#include "texture.h"
#include <stdlib.h>
#include <string.h>

static void answer(const char *name, cudaError_t e)
{
    if (hopper_wanted(name))
        hopper_error(name, cudaGetErrorName(e));
    cudaGetLastError();
}
/* What a call leaves in a number of 4 or 8 bytes. */
static void number(const char *name, cudaError_t e, const void *n, size_t bytes)
{
    char text[64];
    unsigned long long v = 0;
    memcpy(&v, n, bytes);
    sprintf(text, "%s %llu", cudaGetErrorName(e), v);
    if (hopper_wanted(name))
        hopper_error(name, text);
    cudaGetLastError();
}
static const struct cudaChannelFormatDesc f1 = {32, 0, 0, 0, cudaChannelFormatKindFloat},
                                          u4 = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};

/* ---- making ---- */
static void make(const char *name, struct cudaChannelFormatDesc d, size_t w, size_t h, size_t z,
                 unsigned flags)
{
    cudaArray_t a = NULL;
    char text[128];
    struct cudaChannelFormatDesc back = {0};
    struct cudaExtent e = {0, 0, 0};
    unsigned got = 0;
    cudaError_t r = cudaMalloc3DArray(&a, &d, (struct cudaExtent){w, h, z}, flags);
    sprintf(text, "cudaMalloc3DArray %s", name);
    answer(text, r);
    if (r)
        return;
    sprintf(text, "cudaArrayGetInfo %s", name);
    r = cudaArrayGetInfo(&back, &e, &got, a);
    unsigned long long all =
        e.width * 1000000 + e.height * 1000 + e.depth + got * 1000000000ull +
        (unsigned long long)(back.x + back.y * 2 + back.z * 3 + back.w * 4 + back.f) *
            1000000000000ull;
    number(text, r, &all, sizeof(all));
    cudaFreeArray(a);
}
static void making(void)
{
    struct cudaChannelFormatDesc d = f1;
    make("1d", d, 64, 0, 0, 0);
    make("2d", d, 64, 4, 0, 0);
    make("3d", d, 64, 4, 2, 0);
    make("depth without height", d, 64, 0, 2, 0);
    make("no width", d, 0, 4, 0, 0);
    make("layered 1d", d, 64, 0, 3, cudaArrayLayered);
    make("layered 2d", d, 64, 4, 3, cudaArrayLayered);
    make("layered, no layers", d, 64, 4, 0, cudaArrayLayered);
    make("cube", d, 8, 8, 6, cudaArrayCubemap);
    make("cube of 5", d, 8, 8, 5, cudaArrayCubemap);
    make("cube, oblong", d, 8, 4, 6, cudaArrayCubemap);
    make("layered cube", d, 8, 8, 12, cudaArrayCubemap | cudaArrayLayered);
    make("layered cube of 8", d, 8, 8, 8, cudaArrayCubemap | cudaArrayLayered);
    make("gather 2d", d, 8, 8, 0, cudaArrayTextureGather);
    make("gather 3d", d, 8, 8, 8, cudaArrayTextureGather);
    make("surface", d, 8, 8, 0, cudaArraySurfaceLoadStore);
    make("color", d, 8, 8, 0, cudaArrayColorAttachment);
    make("too wide", d, 1 << 18, 0, 0, 0);
    make("too high", d, 64, 65536 * 4, 0, 0);
    make("too deep", d, 64, 64, 16384 * 2, 0);
    make("too many layers", d, 8, 8, 4096, cudaArrayLayered);
    make("widest 1d", d, 131072, 0, 0, 0);
    make("widest 2d", d, 131072, 4, 0, 0);
    make("highest 2d", d, 4, 65536, 0, 0);
    make("higher 2d", d, 4, 65537, 0, 0);
    make("deepest", d, 4, 4, 16384, 0);
    make("2048 layers", d, 4, 4, 2048, cudaArrayLayered);
    d.y = 32;
    make("2 channels", d, 8, 8, 0, 0);
    d.z = 32;
    make("3 channels", d, 8, 8, 0, 0);
    d.w = 32;
    make("4 channels", d, 8, 8, 0, 0);
    d.w = 16;
    make("channels that differ", d, 8, 8, 0, 0);
    d = f1;
    d.x = 16;
    make("half", d, 8, 8, 0, 0);
    d.x = 8;
    make("8-bit float", d, 8, 8, 0, 0);
    d.x = 64;
    make("64-bit float", d, 8, 8, 0, 0);
    d.x = 24;
    make("24 bits", d, 8, 8, 0, 0);
    d.x = 0;
    make("0 bits", d, 8, 8, 0, 0);
    d = f1;
    d.f = cudaChannelFormatKindNone;
    make("no kind", d, 8, 8, 0, 0);
    d.x = d.y = d.z = d.w = 8;
    d.f = cudaChannelFormatKindNV12;
    make("nv12", d, 8, 8, 3, 0);
    answer("cudaMallocArray, no array", cudaMallocArray(NULL, &f1, 8, 8, 0));
    cudaArray_t a = NULL;
    answer("cudaMallocArray, no format", cudaMallocArray(&a, NULL, 8, 8, 0));
    answer("cudaMallocArray layered", cudaMallocArray(&a, &f1, 8, 8, cudaArrayLayered));
    make("of 16 TB", f1, 16384, 16384, 16384, 0);
    answer("cudaFreeArray NULL", cudaFreeArray(NULL));
    answer("cudaFreeMipmappedArray NULL", cudaFreeMipmappedArray(NULL));
    answer("cudaArrayGetInfo of nothing", cudaArrayGetInfo(NULL, NULL, NULL, NULL));
    hopper_need(cudaMallocArray(&a, &f1, 16, 8, 0), "cudaMallocArray");
    cudaArray_t plane;
    struct cudaArrayMemoryRequirements need = {0};
    struct cudaArraySparseProperties sparse;
    struct cudaChannelFormatDesc back;
    answer("cudaArrayGetPlane", cudaArrayGetPlane(&plane, a, 0));
    answer("cudaArrayGetMemoryRequirements", cudaArrayGetMemoryRequirements(&need, a, 0));
    answer("cudaArrayGetSparseProperties", cudaArrayGetSparseProperties(&sparse, a));
    number("cudaGetChannelDesc", cudaGetChannelDesc(&back, a), &back.x, sizeof(back.x));
    cudaFreeArray(a);
    for (unsigned n = 0; n < 9; n++) {
        cudaMipmappedArray_t m = NULL;
        cudaArray_t level = NULL;
        char name[64];
        struct cudaExtent e = {0, 0, 0};
        unsigned flags = 0;
        cudaError_t r = cudaMallocMipmappedArray(&m, &f1, (struct cudaExtent){32, 20, 0}, n, 0);
        sprintf(name, "cudaMallocMipmappedArray %u", n);
        answer(name, r);
        if (r)
            continue;
        for (unsigned k = 0; k < 8; k++) {
            r = cudaGetMipmappedArrayLevel(&level, m, k);
            sprintf(name, "cudaGetMipmappedArrayLevel %u of %u", k, n);
            if (!r)
                cudaArrayGetInfo(&back, &e, &flags, level);
            unsigned long long all = r ? 0 : e.width * 1000 + e.height + flags * 1000000;
            number(name, r, &all, sizeof(all));
        }
        cudaFreeMipmappedArray(m);
    }
}

/* ---- copies ---- */
static void copies(void)
{
    static float host[64 * 64];
    cudaArray_t a, b, l;
    void *d;
    struct cudaMemcpy3DParms p = {0};
    hopper_need(cudaMallocArray(&a, &f1, 16, 8, 0), "cudaMallocArray");
    hopper_need(cudaMallocArray(&b, &f1, 12, 8, 0), "cudaMallocArray");
    hopper_need(cudaMallocArray(&l, &f1, 16, 0, 0), "cudaMallocArray");
    hopper_need(cudaMalloc(&d, sizeof(host)), "cudaMalloc");
#define T2(name, w, h, pitch, bytes, rows, kind)                                                   \
    answer("cudaMemcpy2DToArray " name,                                                            \
           cudaMemcpy2DToArray(a, w, h, host, pitch, bytes, rows, kind))
    T2("whole", 0, 0, 64, 64, 8, cudaMemcpyHostToDevice);
    T2("default", 0, 0, 64, 64, 8, cudaMemcpyDefault);
    T2("to host", 0, 0, 64, 64, 8, cudaMemcpyDeviceToHost);
    T2("from device", 0, 0, 64, 64, 8, cudaMemcpyDeviceToDevice);
    T2("host to host", 0, 0, 64, 64, 8, cudaMemcpyHostToHost);
    T2("too wide", 0, 0, 128, 68, 8, cudaMemcpyHostToDevice);
    T2("too high", 0, 0, 64, 64, 9, cudaMemcpyHostToDevice);
    T2("beyond its right", 4, 0, 64, 64, 8, cudaMemcpyHostToDevice);
    T2("below it", 0, 1, 64, 64, 8, cudaMemcpyHostToDevice);
    T2("part of a texel", 0, 0, 64, 6, 8, cudaMemcpyHostToDevice);
    T2("at part of a texel", 2, 0, 64, 8, 8, cudaMemcpyHostToDevice);
    T2("small pitch", 0, 0, 32, 64, 8, cudaMemcpyHostToDevice);
    T2("nothing", 0, 0, 64, 0, 8, cudaMemcpyHostToDevice);
    T2("no rows", 0, 0, 64, 64, 0, cudaMemcpyHostToDevice);
    answer("cudaMemcpy2DToArray NULL",
           cudaMemcpy2DToArray(NULL, 0, 0, host, 64, 64, 8, cudaMemcpyHostToDevice));
    answer("cudaMemcpy2DToArray from NULL",
           cudaMemcpy2DToArray(a, 0, 0, NULL, 64, 64, 8, cudaMemcpyHostToDevice));
    answer("cudaMemcpy2DToArray 1d",
           cudaMemcpy2DToArray(l, 0, 0, host, 64, 64, 1, cudaMemcpyHostToDevice));
    answer("cudaMemcpy2DToArray 1d, two rows",
           cudaMemcpy2DToArray(l, 0, 0, host, 64, 64, 2, cudaMemcpyHostToDevice));
    answer("cudaMemcpy2DFromArray",
           cudaMemcpy2DFromArray(host, 64, a, 0, 0, 64, 8, cudaMemcpyDeviceToHost));
    answer("cudaMemcpy2DFromArray to device",
           cudaMemcpy2DFromArray(d, 64, a, 0, 0, 64, 8, cudaMemcpyDeviceToDevice));
    answer("cudaMemcpy2DFromArray wrong way",
           cudaMemcpy2DFromArray(host, 64, a, 0, 0, 64, 8, cudaMemcpyHostToDevice));
    answer("cudaMemcpy2DFromArray too high",
           cudaMemcpy2DFromArray(host, 64, a, 0, 4, 64, 8, cudaMemcpyDeviceToHost));
    answer("cudaMemcpy2DArrayToArray",
           cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 48, 8, cudaMemcpyDeviceToDevice));
    answer("cudaMemcpy2DArrayToArray too wide",
           cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 64, 8, cudaMemcpyDeviceToDevice));
    answer("cudaMemcpy2DArrayToArray wrong way",
           cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 48, 8, cudaMemcpyHostToDevice));
    p.srcPtr = (struct cudaPitchedPtr){host, 64, 16, 8};
    p.dstArray = a;
    p.extent = (struct cudaExtent){16, 8, 1};
    p.kind = cudaMemcpyHostToDevice;
    answer("cudaMemcpy3D", cudaMemcpy3D(&p));
    p.extent.depth = 0;
    answer("cudaMemcpy3D of no depth", cudaMemcpy3D(&p));
    p.extent.depth = 2;
    answer("cudaMemcpy3D of two planes", cudaMemcpy3D(&p));
    p.extent = (struct cudaExtent){17, 8, 1};
    answer("cudaMemcpy3D too wide", cudaMemcpy3D(&p));
    p.extent = (struct cudaExtent){16, 4, 1};
    p.dstPos.y = 5;
    answer("cudaMemcpy3D below it", cudaMemcpy3D(&p));
    p.dstPos.y = 0;
    p.dstPtr = (struct cudaPitchedPtr){d, 64, 16, 8};
    answer("cudaMemcpy3D to two places", cudaMemcpy3D(&p));
    p.dstPtr = (struct cudaPitchedPtr){0};
    p.srcPtr.pitch = 32;
    answer("cudaMemcpy3D, small pitch", cudaMemcpy3D(&p));
    p.srcPtr = (struct cudaPitchedPtr){0};
    answer("cudaMemcpy3D from nowhere", cudaMemcpy3D(&p));
    p.srcArray = b;
    p.kind = cudaMemcpyDeviceToDevice;
    answer("cudaMemcpy3D array to array, too wide", cudaMemcpy3D(&p));
    p.extent.width = 12;
    answer("cudaMemcpy3D array to array", cudaMemcpy3D(&p));
    p.extent.width = 48;
    p.dstArray = NULL;
    p.dstPtr = (struct cudaPitchedPtr){d, 64, 16, 8};
    p.srcArray = a;
    answer("cudaMemcpy3D array to memory, in bytes", cudaMemcpy3D(&p));
    cudaFreeArray(b);
    cudaFreeArray(l);
    cudaFreeArray(a);
    cudaFree(d);
}

/* ---- objects ---- */
static struct cudaResourceDesc of_array(cudaArray_t a)
{
    struct cudaResourceDesc r;
    memset(&r, 0, sizeof(r));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}
static void objects(void)
{
    cudaArray_t a, s, z;
    void *d;
    cudaTextureObject_t o = 0;
    struct cudaTextureDesc plain = {.readMode = cudaReadModeElementType}, t = plain;
    hopper_need(cudaMallocArray(&a, &f1, 16, 8, 0), "cudaMallocArray");
    hopper_need(cudaMallocArray(&s, &u4, 16, 8, cudaArraySurfaceLoadStore), "cudaMallocArray");
    struct cudaChannelFormatDesc i1 = {32, 0, 0, 0, cudaChannelFormatKindSigned};
    hopper_need(cudaMallocArray(&z, &i1, 16, 8, 0), "cudaMallocArray");
    hopper_need(cudaMalloc(&d, 1 << 16), "cudaMalloc");
    struct cudaResourceDesc r = of_array(a), u = of_array(s), w = of_array(z), n = of_array(NULL);
#define TEX(name, res)                                                                             \
    answer("cudaCreateTextureObject " name, cudaCreateTextureObject(&o, res, &t, NULL));           \
    t = plain
    TEX("plain", &r);
    TEX("no array", &n);
    answer("cudaCreateTextureObject NULL", cudaCreateTextureObject(NULL, &r, &t, NULL));
    answer("cudaCreateTextureObject no resource", cudaCreateTextureObject(&o, NULL, &t, NULL));
    answer("cudaCreateTextureObject no description", cudaCreateTextureObject(&o, &r, NULL, NULL));
    t.normalizedCoords = 0, t.addressMode[0] = cudaAddressModeWrap;
    TEX("wrap, not normalised", &r);
    t.addressMode[0] = (enum cudaTextureAddressMode)9;
    TEX("address mode 9", &r);
    t.filterMode = (enum cudaTextureFilterMode)9;
    TEX("filter 9", &r);
    t.readMode = (enum cudaTextureReadMode)9;
    TEX("read mode 9", &r);
    t.readMode = cudaReadModeNormalizedFloat;
    TEX("normalised float of f32", &r);
    t.readMode = cudaReadModeNormalizedFloat;
    TEX("normalised float of s32", &w);
    t.filterMode = cudaFilterModeLinear;
    TEX("linear of s32", &w);
    t.filterMode = cudaFilterModeLinear;
    TEX("linear of u8, elements", &u);
    t.filterMode = cudaFilterModeLinear, t.readMode = cudaReadModeNormalizedFloat;
    TEX("linear of u8, normalised", &u);
    t.sRGB = 1;
    TEX("srgb of f32", &r);
    t.maxAnisotropy = 99;
    TEX("anisotropy 99", &r);
    t.mipmapFilterMode = cudaFilterModeLinear;
    TEX("mip filter of an array", &r);
    t.seamlessCubemap = 1;
    TEX("seamless", &r);
    t.disableTrilinearOptimization = 1;
    TEX("no trilinear optimisation", &r);
    struct cudaResourceDesc m;
    memset(&m, 0, sizeof(m));
    m.resType = cudaResourceTypeLinear;
    m.res.linear.devPtr = d;
    m.res.linear.desc = f1;
    m.res.linear.sizeInBytes = 1 << 16;
    TEX("of memory", &m);
    t.filterMode = cudaFilterModeLinear;
    TEX("of memory, linear", &m);
    t.normalizedCoords = 1;
    TEX("of memory, normalised coordinates", &m);
    t.addressMode[0] = cudaAddressModeBorder;
    TEX("of memory, border", &m);
    m.res.linear.devPtr = (char *)d + 4;
    TEX("of memory, at 4", &m);
    m.res.linear.devPtr = (char *)d + 32;
    TEX("of memory, at 32", &m);
    m.res.linear.devPtr = (char *)d + 256;
    TEX("of memory, at 256, over its end", &m);
    m.res.linear.devPtr = NULL;
    TEX("of memory, NULL", &m);
    m.res.linear.devPtr = &r;
    TEX("of memory, of the host", &m);
    m.res.linear.devPtr = d;
    m.res.linear.sizeInBytes = 0;
    TEX("of memory, nothing", &m);
    m.res.linear.sizeInBytes = 1 << 30;
    TEX("of memory, more than there is", &m);
    m.res.linear.sizeInBytes = 1026;
    TEX("of memory, part of a texel", &m);
    m.res.linear.desc.y = m.res.linear.desc.z = 32;
    TEX("of memory, three channels", &m);
    memset(&m, 0, sizeof(m));
    m.resType = cudaResourceTypePitch2D;
    m.res.pitch2D.devPtr = d;
    m.res.pitch2D.desc = f1;
    m.res.pitch2D.width = 20;
    m.res.pitch2D.height = 8;
    m.res.pitch2D.pitchInBytes = 512;
    TEX("of rows", &m);
    m.res.pitch2D.pitchInBytes = 80;
    TEX("of rows 80 bytes apart", &m);
    m.res.pitch2D.pitchInBytes = 96;
    TEX("of rows 96 bytes apart", &m);
    m.res.pitch2D.pitchInBytes = 64;
    TEX("of rows 64 bytes apart", &m);
    m.res.pitch2D.pitchInBytes = 512;
    m.res.pitch2D.devPtr = (char *)d + 32;
    TEX("of rows at 32", &m);
    m.res.pitch2D.devPtr = d;
    m.res.pitch2D.width = 0;
    TEX("of rows of nothing", &m);
    m.res.pitch2D.width = 20;
    m.res.pitch2D.height = 1 << 20;
    TEX("of rows, too many", &m);
    m.resType = (enum cudaResourceType)9;
    TEX("of type 9", &m);
    struct cudaResourceViewDesc v = {
        .format = cudaResViewFormatUnsignedInt1, .width = 16, .height = 8};
#define VIEW(name)                                                                                 \
    answer("cudaCreateTextureObject view " name, cudaCreateTextureObject(&o, &r, &t, &v))
    VIEW("u32 of f32");
    v.format = cudaResViewFormatUnsignedChar1;
    VIEW("u8 of f32");
    v.format = cudaResViewFormatFloat4;
    VIEW("f32x4 of f32");
    v.format = cudaResViewFormatNone;
    VIEW("none");
    v.format = cudaResViewFormatFloat1;
    v.width = 8;
    VIEW("narrow");
    v.width = 16;
    v.lastLayer = 3;
    VIEW("layers");
    v.lastLayer = 0;
    v.lastMipmapLevel = 1;
    VIEW("levels");
    cudaSurfaceObject_t x = 0;
    answer("cudaCreateSurfaceObject", cudaCreateSurfaceObject(&x, &u));
    answer("cudaCreateSurfaceObject not made for it", cudaCreateSurfaceObject(&x, &r));
    m.resType = cudaResourceTypeLinear;
    answer("cudaCreateSurfaceObject of memory", cudaCreateSurfaceObject(&x, &m));
    answer("cudaCreateSurfaceObject NULL", cudaCreateSurfaceObject(NULL, &u));
    answer("cudaCreateSurfaceObject of nothing", cudaCreateSurfaceObject(&x, NULL));
    struct cudaResourceDesc back;
    struct cudaTextureDesc tback;
    struct cudaResourceViewDesc vback;
    TEX("plain again", &r);
    answer("cudaGetTextureObjectResourceDesc", cudaGetTextureObjectResourceDesc(&back, o));
    answer("cudaGetTextureObjectTextureDesc", cudaGetTextureObjectTextureDesc(&tback, o));
    answer("cudaGetTextureObjectResourceViewDesc", cudaGetTextureObjectResourceViewDesc(&vback, o));
    answer("cudaGetTextureObjectResourceDesc of 0", cudaGetTextureObjectResourceDesc(&back, 0));
    answer("cudaGetSurfaceObjectResourceDesc", cudaGetSurfaceObjectResourceDesc(&back, x));
    answer("cudaDestroyTextureObject", cudaDestroyTextureObject(o));
    answer("cudaDestroyTextureObject 0", cudaDestroyTextureObject(0));
    answer("cudaDestroySurfaceObject", cudaDestroySurfaceObject(x));
    answer("cudaDestroySurfaceObject 0", cudaDestroySurfaceObject(0));
    cudaFreeArray(a);
    cudaFreeArray(s);
    cudaFreeArray(z);
    cudaFree(d);
}
static void limits(void)
{
    for (int k = 1; k < 150; k++) {
        int v = 0;
        char name[64];
        bool texture = k == 14 || (k >= 21 && k <= 30) || k == 32 || k == 42 || k == 43 ||
                       (k >= 45 && k <= 74) || k == 77;
        sprintf(name, "attribute %d", k);
        if (texture)
            number(name, cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)k, 0), &v, sizeof(v));
    }
}
void array_cases(void)
{
    limits();
    making();
    copies();
    objects();
    answer("cudaDestroyTextureObject 12345", cudaDestroyTextureObject(12345));
}
