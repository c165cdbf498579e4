/* library.c - code loaded at run time: cudaLibrary*.
 *
 * A library is loaded at once, so that bad code is found out where it is loaded. The code
 * is copied first; its length is found from its own headers, or the end of the text.
 */
#include "cudart.h"
#include "base/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUlib_st {
    struct CUlib_st *next;
    struct image *image;
};
static struct CUlib_st *libraries;

static bool known(cudaLibrary_t l)
{
    for (struct CUlib_st *i = libraries; i; i = i->next)
        if (i == l)
            return true;
    return false;
}

/* Takes over the image; kernels get their handles now, so that they can be enumerated. */
static cudaError_t adopt(cudaLibrary_t *out, struct image *i)
{
    struct CUlib_st *l;

    pthread_mutex_lock(&rt_lock);
    cudaError_t e = image_load(i);
    if (e) {
        image_free(i);
    } else {
        i->data = NULL; /* everything needed was copied out */
        l = xcalloc(1, sizeof(*l));
        *l = (struct CUlib_st){libraries, i};
        libraries = l;
        for (uint32_t k = emu_module_func_count(i->module[rt_device]); k-- > 0;)
            kernel_new(i, emu_func_info(emu_module_func_at(i->module[rt_device], k))->name, NULL);
        *out = l;
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *options,
                                void **values, unsigned int noptions,
                                enum cudaLibraryOption *library_options, void **library_values,
                                unsigned int nlibrary_options)
{
    cudaError_t e = rt_enter();

    (void)options, (void)values, (void)noptions; /* of a compiler that is not run */
    (void)library_options, (void)library_values, (void)nlibrary_options;
    if (!e && (!out || !code))
        e = cudaErrorInvalidValue;
    return rt_leave(e ?: adopt(out, image_new(code, 0)));
}

static cudaError_t load_file(cudaLibrary_t *out, const char *path)
{
    char *data;
    size_t size;
    int error = file_read(path, SIZE_MAX, &data, &size);

    if (error || !size) {
        free(data);
        return emu_fail(error == ENOENT ? cudaErrorFileNotFound : cudaErrorInvalidSource,
                        "cudaLibraryLoadFromFile: %s: %s", path,
                        error ? file_why(error) : "the file is empty");
    }
    cudaError_t e = adopt(out, image_new(data, size));
    free(data);
    return e;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path,
                                    enum cudaJitOption *options, void **values,
                                    unsigned int noptions, enum cudaLibraryOption *library_options,
                                    void **library_values, unsigned int nlibrary_options)
{
    cudaError_t e = rt_enter();

    (void)options, (void)values, (void)noptions;
    (void)library_options, (void)library_values, (void)nlibrary_options;
    if (!e && (!out || !path))
        e = cudaErrorInvalidValue;
    return rt_leave(e ?: load_file(out, path));
}

static cudaError_t unload(cudaLibrary_t library)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    launch_pause();
    pthread_mutex_lock(&rt_lock);
    for (struct CUlib_st **p = &libraries; library && *p; p = &(*p)->next) {
        if (*p != library)
            continue;
        *p = library->next;
        image_free(library->image);
        free(library);
        e = cudaSuccess;
        break;
    }
    pthread_mutex_unlock(&rt_lock);
    launch_resume();
    return e;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    return rt_leave(rt_enter() ?: unload(library));
}

static cudaError_t get_kernel(cudaKernel_t *out, cudaLibrary_t library, const char *name)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    if (!out || !name)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&rt_lock);
    if (known(library)) {
        e = cudaErrorSymbolNotFound;
        for (struct kernel *k = library->image->kernels; k; k = k->next) {
            if (strcmp(k->name, name) != 0)
                continue;
            *out = (cudaKernel_t)k;
            e = cudaSuccess;
            break;
        }
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name)
{
    return rt_leave(rt_enter() ?: get_kernel(out, library, name));
}

static cudaError_t get_variable(void **out, size_t *bytes, cudaLibrary_t library, const char *name,
                                bool want_managed)
{
    uint64_t addr, size;
    bool managed;
    cudaError_t e = cudaErrorInvalidResourceHandle;

    if (!name || (!out && !bytes))
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&rt_lock);
    if (known(library))
        e = image_load(library->image);
    if (!e && (!emu_module_var(library->image->module[rt_device], name, &addr, &size, &managed) ||
               (want_managed && !managed)))
        e = cudaErrorSymbolNotFound;
    if (!e && out)
        *out = (void *)addr;
    if (!e && bytes)
        *bytes = size;
    pthread_mutex_unlock(&rt_lock);
    return e;
}

cudaError_t cudaLibraryGetGlobal(void **out, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return rt_leave(rt_enter() ?: get_variable(out, bytes, library, name, false));
}

cudaError_t cudaLibraryGetManaged(void **out, size_t *bytes, cudaLibrary_t library,
                                  const char *name)
{
    return rt_leave(rt_enter() ?: get_variable(out, bytes, library, name, true));
}

/* Writes at most room handles to out (which may be NULL) and counts all. */
static cudaError_t kernels(unsigned *count, cudaKernel_t *out, unsigned room, cudaLibrary_t library)
{
    cudaError_t e = cudaErrorInvalidResourceHandle;

    *count = 0;
    pthread_mutex_lock(&rt_lock);
    if (known(library)) {
        e = cudaSuccess;
        for (struct kernel *k = library->image->kernels; k; k = k->next, ++*count)
            if (out && *count < room)
                out[*count] = (cudaKernel_t)k;
    }
    pthread_mutex_unlock(&rt_lock);
    return e;
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
    cudaError_t e = rt_enter();

    if (!e && !count)
        e = cudaErrorInvalidValue;
    return rt_leave(e ?: kernels(count, NULL, 0, library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *out, unsigned int room, cudaLibrary_t library)
{
    unsigned count;
    cudaError_t e = rt_enter();

    if (!e && !out && room)
        e = cudaErrorInvalidValue;
    return rt_leave(e ?: kernels(&count, out, room, library));
}
