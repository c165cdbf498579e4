/* func.c - what is known of a kernel: attributes, occupancy. */
#include "cudart.h"
#include "emulator/base/names.h"
#include "emulator/code/code.h"
#include <stdlib.h>
#include <string.h>

/* ---- attributes ---- */

/* The architecture the PTX was made for, times 10: what the runtime calls its version.
 * CUB chooses its tuning by it, which must be that of the device code. */
static int ptx_target(struct kernel *k)
{
    const char *target = here(k)->func->module->ptx[0]->target; /* "sm_90a" */
    uint32_t sm = k->image->fatbin.ptx_sm;

    return sm ? (int)sm : target ? atoi(target + strcspn(target, "0123456789")) : 0;
}

cudaError_t kernel_attributes(struct cudaFuncAttributes *out, struct kernel *k)
{
    const struct device_profile *d = device_profile();
    const struct emu_func_info *f = emu_func_info(here(k)->func);
    memset(out, 0, sizeof(*out));
    out->sharedSizeBytes = f->shared_bytes;
    out->constSizeBytes = f->const_bytes;
    out->localSizeBytes = f->local_bytes;
    out->maxThreadsPerBlock = (int)f->max_threads;
    out->numRegs = (int)f->registers;
    out->ptxVersion = ptx_target(k);
    out->binaryVersion = (int)(d->cc_major * 10 + d->cc_minor);
    out->maxDynamicSharedSizeBytes = dynamic_shared_limit(k);
    out->preferredShmemCarveout = here(k)->carveout;
    out->nonPortableClusterSizeAllowed = here(k)->nonportable_cluster;
    return cudaSuccess;
}

static cudaError_t get_attributes(struct cudaFuncAttributes *out, const void *func)
{
    struct kernel *k;

    return out ? kernel_use(func, &k) ?: kernel_attributes(out, k) : cudaErrorInvalidValue;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *func)
{
    return rt_leave(rt_enter() ?: get_attributes(out, func));
}

static cudaError_t set_dynamic_shared(struct kernel *k, int value)
{
    const struct device_profile *d = device_profile();
    int most = (int)d->shared_per_block_optin - (int)emu_func_info(here(k)->func)->shared_bytes;

    if (value < 0 || value > most)
        return emu_fail(cudaErrorInvalidValue,
                        "kernel %s: %d bytes of dynamic shared memory asked for; %s has %d left "
                        "beside its static memory",
                        shown_name(k->name), value, d->name, most);
    here(k)->max_dynamic_shared = value;
    return cudaSuccess;
}

static cudaError_t set_attribute(struct kernel *k, enum cudaFuncAttribute attr, int value)
{
    switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic_shared(k, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
            return cudaErrorInvalidValue;
        here(k)->carveout = value; /* a hint; the occupancy does not depend on it here */
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        here(k)->nonportable_cluster = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess; /* a hint */
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    struct kernel *k;

    return rt_leave(rt_enter() ?: kernel_use(func, &k) ?: set_attribute(k, attr, value));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device)
{
    int now = rt_device;

    if (!rt_is_device(device))
        return rt_leave(cudaErrorInvalidDevice);
    rt_device = device;
    cudaError_t e = cudaFuncSetAttribute(kernel, attr, value);
    rt_device = now;
    return e;
}

/* Hints about caches: checked, and of no effect. */
cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    struct kernel *k;
    cudaError_t e = rt_enter() ?: kernel_use(func, &k);

    return rt_leave(e ?: config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    struct kernel *k;
    cudaError_t e = rt_enter() ?: kernel_use(func, &k);

    return rt_leave(e
                        ?: config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
                                                                   : cudaSuccess);
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    struct kernel *k;
    cudaError_t e = rt_enter();

    if (!e && !name)
        e = cudaErrorInvalidValue;
    e = e ?: kernel_use(func, &k);
    if (!e)
        *name = k->name;
    return rt_leave(e);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t i, size_t *offset, size_t *size)
{
    struct kernel *k;
    cudaError_t e = rt_enter() ?: kernel_use(func, &k);

    if (e)
        return rt_leave(e);
    const struct emu_func_info *f = emu_func_info(here(k)->func);
    if (!offset || i >= f->nparams)
        return rt_leave(cudaErrorInvalidValue);
    *offset = f->param_offset[i];
    if (size)
        *size = f->param_size[i];
    return cudaSuccess;
}

static cudaError_t handle_of(const void *stub, struct kernel **out)
{
    if (!out)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&rt_lock);
    *out = kernel_find(stub);
    pthread_mutex_unlock(&rt_lock);
    return *out ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *stub)
{
    return rt_leave(rt_enter() ?: handle_of(stub, (struct kernel **)out));
}

cudaError_t cudaGetKernel(cudaKernel_t *out, const void *stub)
{
    return rt_leave(rt_enter() ?: handle_of(stub, (struct kernel **)out));
}

/* ---- occupancy ---- */

static cudaError_t blocks_per_sm(int *out, const void *func, int threads, size_t shared,
                                 unsigned flags)
{
    const struct device_profile *d = device_profile();
    struct kernel *k;

    if (!out || threads <= 0 || flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
        return cudaErrorInvalidValue;
    cudaError_t e = kernel_use(func, &k);
    if (e)
        return e;
    *out = 0;
    if (threads > (int)emu_func_info(here(k)->func)->max_threads ||
        shared + emu_func_info(here(k)->func)->shared_bytes > d->shared_per_block_optin)
        return cudaSuccess; /* none fits */
    *out = (int)emu_occupancy(here(k)->func, (uint32_t)threads, (uint32_t)shared, NULL);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *func, int threads,
                                                          size_t shared)
{
    return rt_leave(rt_enter() ?: blocks_per_sm(out, func, threads, shared, 0));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *func,
                                                                   int threads, size_t shared,
                                                                   unsigned int flags)
{
    return rt_leave(rt_enter() ?: blocks_per_sm(out, func, threads, shared, flags));
}

/* The most dynamic shared memory with which nblocks still fit one multiprocessor. */
static cudaError_t available_shared(size_t *out, const void *func, int nblocks, int threads)
{
    const struct device_profile *d = device_profile();
    struct kernel *k;

    if (!out || nblocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t e = kernel_use(func, &k);
    if (e)
        return e;
    const struct emu_func_info *f = emu_func_info(here(k)->func);
    if ((int)emu_occupancy(here(k)->func, (uint32_t)threads, 0, NULL) < nblocks)
        return cudaErrorInvalidValue; /* not even without any */
    uint32_t share = d->shared_per_sm / (uint32_t)nblocks;
    share -= share % d->shared_allocation_unit;
    share = share > d->shared_reserved_per_block ? share - d->shared_reserved_per_block : 0;
    uint32_t most = share < d->shared_per_block_optin ? share : d->shared_per_block_optin;
    *out = most > f->shared_bytes ? most - f->shared_bytes : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *func, int nblocks,
                                                      int threads)
{
    return rt_leave(rt_enter() ?: available_shared(out, func, nblocks, threads));
}

/* ---- clusters. Not modelled: GPCs, so that all multiprocessors count alike ---- */

static unsigned cluster_blocks(const cudaLaunchConfig_t *c)
{
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension)
            return c->attrs[i].val.clusterDim.x * c->attrs[i].val.clusterDim.y *
                   c->attrs[i].val.clusterDim.z;
    return 1;
}

static cudaError_t clusters(int *out, const void *func, const cudaLaunchConfig_t *c)
{
    const struct device_profile *d = device_profile();
    int blocks;

    if (!out || !c)
        return cudaErrorInvalidValue;
    unsigned size = cluster_blocks(c);
    if (size == 0 || size > 16 || (size > 1 && d->cc_major < 9))
        return cudaErrorInvalidClusterSize;
    cudaError_t e =
        blocks_per_sm(&blocks, func, (int)(c->blockDim.x * c->blockDim.y * c->blockDim.z),
                      c->dynamicSmemBytes, 0);
    if (!e)
        *out = blocks * (int)d->sms / (int)size;
    return e;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *out, const void *func, const cudaLaunchConfig_t *c)
{
    return rt_leave(rt_enter() ?: clusters(out, func, c));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *out, const void *func,
                                                 const cudaLaunchConfig_t *c)
{
    struct kernel *k;
    cudaError_t e = rt_enter() ?: kernel_use(func, &k);

    if (!e && (!out || !c))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = device_profile()->cc_major < 9 ? 1 : here(k)->nonportable_cluster ? 16 : 8;
    return rt_leave(e);
}
