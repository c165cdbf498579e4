/* register.c - what a program compiled by nvcc registers, and finding it again.
 *
 * As CUDA 13 does it: each object file registers its fatbin, then kernels and variables by
 * the address of their host stub or shadow; with -rdc=true the link step registers one
 * fatbin for all. Nothing is unpacked or parsed until a kernel or variable is used:
 * programs with Thrust carry megabytes of PTX of which a run needs a little.
 */
#include "cudart.h"
#include "hold.h"
#include "emulator/base/names.h"
#include "emulator/code/code.h"
#include "emulator/count/profile.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct image *images;

/* ---- kernels by handle: host stubs and struct kernel themselves ---- */

struct entry {
    const void *key;
    struct kernel *kernel;
};
static struct entry *entries;
static size_t nentries, room; /* room: a power of two, or 0 */

static size_t slot_of(const void *key)
{
    size_t i = ((uint64_t)key >> 4) * 0x9E3779B97F4A7C15ull >> 20 & (room - 1);

    while (entries[i].key && entries[i].key != key)
        i = (i + 1) & (room - 1);
    return i;
}

static void entry_put(const void *key, struct kernel *k)
{
    size_t i = slot_of(key);

    if (entries[i].key)
        return; /* a template instantiated in several files: the first stands for all */
    entries[i] = (struct entry){key, k};
    nentries++;
}

static void grow(void)
{
    struct entry *old = entries;
    size_t n = room;

    if (2 * (nentries + 2) < room)
        return;
    room = room ? 2 * room : 256;
    entries = xcalloc(room, sizeof(*entries));
    nentries = 0;
    for (size_t i = 0; i < n; i++)
        if (old[i].key)
            entry_put(old[i].key, old[i].kernel);
    free(old);
}

static const struct on_device unused = {.max_dynamic_shared = -1,
                                        .carveout = cudaSharedmemCarveoutDefault};

struct kernel *kernel_new(struct image *i, const char *name, const void *stub)
{
    struct kernel *k = xcalloc(1, sizeof(*k));

    *k = (struct kernel){.stub = stub, .name = xstrdup(name), .image = i, .next = i->kernels};
    for (int d = 0; d < MEM_DEVICES; d++)
        k->on[d] = unused;
    i->kernels = k;
    grow();
    entry_put(k, k);
    if (stub)
        entry_put(stub, k);
    return k;
}

struct kernel *kernel_find(const void *handle)
{
    return handle && room ? entries[slot_of(handle)].kernel : NULL;
}

/* Takes an image's kernels out of the table, by building the table anew without them. */
static void kernels_forget(struct image *image)
{
    struct entry *old = entries;
    size_t n = room;

    entries = xcalloc(room + 1, sizeof(*entries));
    nentries = 0;
    for (size_t i = 0; i < n; i++)
        if (old[i].key && old[i].kernel->image != image)
            entry_put(old[i].key, old[i].kernel);
    free(old);
    while (image->kernels) {
        struct kernel *k = image->kernels;

        image->kernels = k->next;
        free(k->name);
        free(k);
    }
}

struct image *image_new(const void *data, size_t length)
{
    struct image *i = xcalloc(1, sizeof(*i));

    i->data = data;
    i->length = length;
    pthread_mutex_lock(&rt_lock);
    i->next = images;
    images = i;
    pthread_mutex_unlock(&rt_lock);
    return i;
}

/* What is loaded elsewhere keeps the managed variables. */
static void module_drop(struct image *i, int device)
{
    struct emu_module *m = i->module[device];

    i->module[device] = NULL;
    i->error[device] = cudaSuccess;
    for (int d = 0; m && d < MEM_DEVICES; d++)
        if (i->module[d]) {
            emu_module_hand_over(m, i->module[d]);
            break;
        }
    if (m) {
        profile_lines(m);
        emu_module_unload(m);
    }
}

/* Takes an image and all that is in it out of the tables. rt_lock held. */
void image_free(struct image *i)
{
    struct image **p = &images;

    while (*p && *p != i)
        p = &(*p)->next;
    if (*p)
        *p = i->next;
    kernels_forget(i);
    while (i->variables) {
        struct variable *v = i->variables;
        i->variables = v->next;
        free(v);
    }
    for (int d = 0; d < MEM_DEVICES; d++)
        module_drop(i, d);
    if (i->opened)
        fatbin_close(&i->fatbin);
    free(i);
}

/* ---- loading ---- */

/* PTX for anything up to compute capability 9.0 runs, whichever device is modelled. */
uint32_t rt_ptx_limit(void)
{
    const struct device_profile *d = device_profile();
    uint32_t sm = d->cc_major * 10 + d->cc_minor;

    return sm > 90 ? sm : 90;
}

static cudaError_t fatbin_error(enum fatbin_status s)
{
    switch (s) {
    case FATBIN_OK:
    case FATBIN_EMPTY:
        return cudaSuccess;
    case FATBIN_NO_PTX:
    case FATBIN_LTO_ONLY:
    case FATBIN_TOO_NEW:
        return cudaErrorNoKernelImageForDevice;
    case FATBIN_MEMORY:
        return cudaErrorMemoryAllocation;
    case FATBIN_COMPRESSION:
    case FATBIN_DAMAGED:
    case FATBIN_UNKNOWN:
        break;
    }
    return cudaErrorInvalidKernelImage;
}

static void managed_point(struct image *i, struct emu_module *m)
{
    uint64_t addr, size;
    bool managed;

    for (struct variable *v = i->variables; v; v = v->next)
        if (v->managed && emu_module_var(m, v->name, &addr, &size, &managed))
            *v->managed = (void *)addr;
}

/* A fatbin offers a choice of architectures, PTX text does not. */
static cudaError_t refuse_newer(const struct emu_module *m)
{
    for (int k = 0; k < m->nptx; k++)
        if (m->ptx[k]->sm > rt_ptx_limit())
            return emu_fail(cudaErrorInvalidPtx, "the PTX is for sm_%u, which sm_%u cannot run",
                            m->ptx[k]->sm, rt_ptx_limit());
    return cudaSuccess;
}

static struct emu_module *loaded_elsewhere(const struct image *i)
{
    for (int d = 0; d < MEM_DEVICES; d++)
        if (i->module[d])
            return i->module[d];
    return NULL;
}

static cudaError_t load_here(struct image *i)
{
    struct emu_module *m;
    cudaError_t e = cudaSuccess;

    if (!i->opened) {
        e = fatbin_error(fatbin_open(i->data, i->length, rt_ptx_limit(), &i->fatbin));
        i->opened = true;
        if (e)
            return emu_fail(e, "%s", i->fatbin.message);
    }
    if (i->fatbin.ntexts == 0)
        return emu_fail(cudaErrorNoKernelImageForDevice, "no PTX in this program: %s",
                        i->fatbin.message);
    e = emu_module_load_on((unsigned)rt_device, loaded_elsewhere(i), i->fatbin.texts,
                           i->fatbin.lengths, i->fatbin.ntexts, program_invocation_short_name, &m);
    if (e)
        return e;
    e = refuse_newer(m);
    if (e) {
        emu_module_unload(m);
        return e;
    }
    i->module[rt_device] = m;
    managed_point(i, m);
    return cudaSuccess;
}

cudaError_t image_load(struct image *i)
{
    if (!i->module[rt_device] && !i->error[rt_device])
        i->error[rt_device] = load_here(i);
    return i->error[rt_device];
}

static cudaError_t kernel_load(struct kernel *k)
{
    struct on_device *own = here(k);
    cudaError_t e = own->func ? cudaSuccess : image_load(k->image);

    if (e || own->func)
        return e;
    own->func = emu_module_func(k->image->module[rt_device], k->name);
    if (!own->func)
        return emu_fail(cudaErrorInvalidDeviceFunction, "kernel %s is not in the module's PTX",
                        shown_name(k->name));
    uint32_t registers = fatbin_registers(&k->image->fatbin, k->name);
    if (registers && k->image->fatbin.cubin_sm)
        emu_func_set_registers(own->func, registers);
    else if (registers)
        emu_func_set_needed(own->func, registers);
    return cudaSuccess;
}

/* A kernel of this image, so that machine code says its registers. */
static struct kernel *kernel_named(struct image *i, const char *name)
{
    struct kernel *k = i->kernels;

    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k && kernel_load(k) == cudaSuccess ? k : NULL;
}

struct kernel *kernel_of(struct emu_func *f)
{
    struct kernel *k = NULL;

    pthread_mutex_lock(&rt_lock);
    for (struct image *i = images; i && !k; i = i->next)
        if (i->module[rt_device] == f->module)
            k = kernel_named(i, f->info.name);
    pthread_mutex_unlock(&rt_lock);
    return k;
}

cudaError_t kernel_use(const void *handle, struct kernel **k)
{
    cudaError_t e = handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;

    pthread_mutex_lock(&rt_lock);
    *k = kernel_find(handle);
    if (*k)
        e = kernel_load(*k);
    pthread_mutex_unlock(&rt_lock);
    return e;
}

static struct variable *variable_find(const void *symbol)
{
    for (struct image *i = images; i; i = i->next)
        for (struct variable *v = i->variables; v; v = v->next)
            if (v->host == symbol || (v->managed && *v->managed == symbol))
                return v;
    return NULL;
}

static cudaError_t symbol_find_locked(const void *symbol, uint64_t *addr, uint64_t *size)
{
    struct variable *v = variable_find(symbol);
    bool managed;

    if (!v)
        return cudaErrorInvalidSymbol;
    cudaError_t e = image_load(v->image);
    if (e)
        return e;
    if (!emu_module_var(v->image->module[rt_device], v->name, addr, size, &managed))
        return emu_fail(cudaErrorInvalidSymbol,
                        "variable %s is not in the module's PTX (unused "
                        "by any kernel?)",
                        shown_name(v->name));
    return cudaSuccess;
}

cudaError_t symbol_find(const void *symbol, uint64_t *addr, uint64_t *size)
{
    if (!symbol)
        return cudaErrorInvalidSymbol;
    pthread_mutex_lock(&rt_lock);
    cudaError_t e = symbol_find_locked(symbol, addr, size);
    pthread_mutex_unlock(&rt_lock);
    return e;
}

void images_reset(void)
{
    pthread_mutex_lock(&rt_lock);
    for (struct image *i = images; i; i = i->next) {
        module_drop(i, rt_device);
        for (struct kernel *k = i->kernels; k; k = k->next)
            k->on[rt_device] = unused;
    }
    pthread_mutex_unlock(&rt_lock);
}

/* ---- what nvcc's code calls ---- */

void **__cudaRegisterFatBinary(void *fatbin)
{
    return (void **)image_new(fatbin, 0);
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* At exit, or when a shared library with kernels is closed: its code is gone then. */
void __cudaUnregisterFatBinary(void **handle)
{
    hold_wait_all(); /* a library that is closed; a program that ends has left it (hold_drop()) */
    pthread_mutex_lock(&rt_lock);
    image_free((struct image *)handle);
    pthread_mutex_unlock(&rt_lock);
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, uint3 *tid, uint3 *bid, dim3 *block,
                            dim3 *grid, int *warp)
{
    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
    (void)warp;
    pthread_mutex_lock(&rt_lock);
    kernel_new((struct image *)handle, name, stub);
    pthread_mutex_unlock(&rt_lock);
}

static void variable_new(struct image *i, const void *host, void **managed, const char *name,
                         size_t size)
{
    struct variable *v = xcalloc(1, sizeof(*v));

    *v =
        (struct variable){.host = host, .managed = managed, .name = name, .size = size, .image = i};
    pthread_mutex_lock(&rt_lock);
    v->next = i->variables;
    i->variables = v;
    pthread_mutex_unlock(&rt_lock);
}

void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)device_address, (void)ext, (void)constant, (void)global;
    variable_new((struct image *)handle, host, NULL, name, size);
}

void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *device_address,
                              const char *name, int ext, size_t size, int constant, int global)
{
    (void)device_address, (void)ext, (void)constant, (void)global;
    variable_new((struct image *)handle, NULL, host_pointer, name, size);
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
}

/* Called before the program's host code first touches a __managed__ variable. */
char __cudaInitModule(void **handle)
{
    rt_enter();
    pthread_mutex_lock(&rt_lock);
    cudaError_t e = image_load((struct image *)handle);
    pthread_mutex_unlock(&rt_lock);
    rt_leave(e);
    return e == cudaSuccess;
}
