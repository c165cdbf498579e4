/* device.c - the devices, which are all alike: attributes, properties, limits, peers, reset.
 *
 * Figures come from the device profile (base/profile.c); what a profile does not hold and a
 * program may still ask for is in the second table, with the values of compute capability
 * 9.0. An attribute in neither is an error.
 */
#include "emulator/exec/builtin.h"
#include "emulator/check/check.h"
#include "cudart.h"
#include <stdio.h>
#include <string.h>

#define CUDA_VERSION_HERE 13000 /* 1000 * major + 10 * minor */

/* ---- attributes ---- */

static const struct {
    enum cudaDeviceAttr attr;
    size_t offset; /* of a uint32_t in struct device_profile */
} from_profile[] = {
#define FROM(attr, field)                                                                          \
    {                                                                                              \
        cudaDevAttr##attr, offsetof(struct device_profile, field)                                  \
    }
    FROM(MaxThreadsPerBlock, max_threads_per_block),
    FROM(MaxBlockDimX, max_block_dim[0]),
    FROM(MaxBlockDimY, max_block_dim[1]),
    FROM(MaxBlockDimZ, max_block_dim[2]),
    FROM(MaxGridDimX, max_grid_dim[0]),
    FROM(MaxGridDimY, max_grid_dim[1]),
    FROM(MaxGridDimZ, max_grid_dim[2]),
    FROM(MaxSharedMemoryPerBlock, shared_per_block),
    FROM(TotalConstantMemory, const_bytes),
    FROM(WarpSize, warp_size),
    FROM(MaxRegistersPerBlock, registers_per_block),
    FROM(MultiProcessorCount, sms),
    FROM(GlobalMemoryBusWidth, memory_bus_bits),
    FROM(MaxThreadsPerMultiProcessor, max_threads_per_sm),
    FROM(ComputeCapabilityMajor, cc_major),
    FROM(ComputeCapabilityMinor, cc_minor),
    FROM(MaxSharedMemoryPerMultiprocessor, shared_per_sm),
    FROM(MaxRegistersPerMultiprocessor, registers_per_sm),
    FROM(MaxSharedMemoryPerBlockOptin, shared_per_block_optin),
    FROM(MaxBlocksPerMultiprocessor, max_blocks_per_sm),
    FROM(ReservedSharedMemoryPerBlock, shared_reserved_per_block),
#undef FROM
};

static const struct {
    enum cudaDeviceAttr attr;
    int value;
} fixed[] = {
    {cudaDevAttrMaxPitch, 0x7fffffff},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrCanFlushRemoteWrites, 0},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {cudaDevAttrMaxPersistingL2CacheSize, 0}, /* not modelled */
    {cudaDevAttrMaxAccessPolicyWindowSize, 0},
    {cudaDevAttrSparseCudaArraySupported, 0},
    {cudaDevAttrHostRegisterReadOnlySupported, 1},
    {cudaDevAttrTimelineSemaphoreInteropSupported, 0},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrGPUDirectRDMASupported, 0},
    {cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0},
    {cudaDevAttrGPUDirectRDMAWritesOrdering, 0},
    {cudaDevAttrMemoryPoolSupportedHandleTypes, cudaMemHandleTypePosixFileDescriptor},
    {cudaDevAttrDeferredMappingCudaArraySupported, 0},
    {cudaDevAttrIpcEventSupport, 1},
    {cudaDevAttrMemSyncDomainCount, 1},
    {cudaDevAttrNumaConfig, 0},
    {cudaDevAttrNumaId, -1},
    {cudaDevAttrMpsEnabled, 0},
    {cudaDevAttrHostNumaId, -1},
    {cudaDevAttrD3D12CigSupported, 0},
    {cudaDevAttrVulkanCigSupported, 0},
    {cudaDevAttrGpuPciDeviceId, 0},
    {cudaDevAttrGpuPciSubsystemId, 0},
    {cudaDevAttrHostNumaMemoryPoolsSupported, 0},
    {cudaDevAttrHostNumaMultinodeIpcSupported, 0},
    {cudaDevAttrHostMemoryPoolsSupported, 0},
    {cudaDevAttrOnlyPartialHostNativeAtomicSupported, 0},
    /* of compute capability 9.0 */
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
};

static cudaError_t attribute(int *value, enum cudaDeviceAttr attr, int device)
{
    const struct device_profile *d = device_profile();

    for (size_t i = 0; i < sizeof(from_profile) / sizeof(from_profile[0]); i++) {
        if (from_profile[i].attr != attr)
            continue;
        *value = *(const int *)((const char *)d + from_profile[i].offset);
        return cudaSuccess;
    }
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (fixed[i].attr != attr)
            continue;
        *value = fixed[i].value;
        return cudaSuccess;
    }
    switch (attr) {
    case cudaDevAttrClockRate: /* kHz */
        *value = (int)(d->clock_mhz * 1e3);
        return cudaSuccess;
    case cudaDevAttrMemoryClockRate:
        *value = (int)(d->memory_clock_mhz * 1e3);
        return cudaSuccess;
    case cudaDevAttrL2CacheSize:
        *value = (int)d->l2_bytes;
        return cudaSuccess;
    case cudaDevAttrPciBusId:
    case cudaDevAttrMultiGpuBoardGroupID:
        *value = device;
        return cudaSuccess;
    case cudaDevAttrClusterLaunch:
        *value = d->cc_major >= 9;
        return cudaSuccess;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = d->fp64_lanes ? (int)(d->fp32_lanes / d->fp64_lanes) : 0;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t device_attribute(int *value, int attr, int device)
{
    if (!rt_is_device(device))
        return cudaErrorInvalidDevice;
    return value ? attribute(value, (enum cudaDeviceAttr)attr, device) : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    return rt_leave(device_attribute(value, (int)attr, device));
}

/* ---- properties: attributes under other names ---- */

static const struct {
    size_t offset, size; /* of an int or a size_t */
    enum cudaDeviceAttr attr;
} properties[] = {
#define PROP(field, attr)                                                                          \
    {                                                                                              \
        offsetof(struct cudaDeviceProp, field), sizeof(((struct cudaDeviceProp *)0)->field),       \
            cudaDevAttr##attr                                                                      \
    }
    PROP(sharedMemPerBlock, MaxSharedMemoryPerBlock),
    PROP(regsPerBlock, MaxRegistersPerBlock),
    PROP(warpSize, WarpSize),
    PROP(memPitch, MaxPitch),
    PROP(maxThreadsPerBlock, MaxThreadsPerBlock),
    PROP(maxThreadsDim[0], MaxBlockDimX),
    PROP(maxThreadsDim[1], MaxBlockDimY),
    PROP(maxThreadsDim[2], MaxBlockDimZ),
    PROP(maxGridSize[0], MaxGridDimX),
    PROP(maxGridSize[1], MaxGridDimY),
    PROP(maxGridSize[2], MaxGridDimZ),
    PROP(totalConstMem, TotalConstantMemory),
    PROP(major, ComputeCapabilityMajor),
    PROP(minor, ComputeCapabilityMinor),
    PROP(textureAlignment, TextureAlignment),
    PROP(texturePitchAlignment, TexturePitchAlignment),
    PROP(multiProcessorCount, MultiProcessorCount),
    PROP(integrated, Integrated),
    PROP(canMapHostMemory, CanMapHostMemory),
    PROP(surfaceAlignment, SurfaceAlignment),
    PROP(concurrentKernels, ConcurrentKernels),
    PROP(ECCEnabled, EccEnabled),
    PROP(asyncEngineCount, AsyncEngineCount),
    PROP(unifiedAddressing, UnifiedAddressing),
    PROP(memoryBusWidth, GlobalMemoryBusWidth),
    PROP(l2CacheSize, L2CacheSize),
    PROP(persistingL2CacheMaxSize, MaxPersistingL2CacheSize),
    PROP(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor),
    PROP(streamPrioritiesSupported, StreamPrioritiesSupported),
    PROP(globalL1CacheSupported, GlobalL1CacheSupported),
    PROP(localL1CacheSupported, LocalL1CacheSupported),
    PROP(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor),
    PROP(regsPerMultiprocessor, MaxRegistersPerMultiprocessor),
    PROP(managedMemory, ManagedMemory),
    PROP(concurrentManagedAccess, ConcurrentManagedAccess),
    PROP(computePreemptionSupported, ComputePreemptionSupported),
    PROP(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem),
    PROP(cooperativeLaunch, CooperativeLaunch),
    PROP(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin),
    PROP(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor),
    PROP(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize),
    PROP(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock),
    PROP(hostRegisterSupported, HostRegisterSupported),
    PROP(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported),
    PROP(memoryPoolsSupported, MemoryPoolsSupported),
    PROP(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes),
    PROP(ipcEventSupported, IpcEventSupport),
    PROP(clusterLaunch, ClusterLaunch),
    PROP(pciBusID, PciBusId),
    PROP(multiGpuBoardGroupID, MultiGpuBoardGroupID),
    PROP(deviceNumaId, NumaId),
    PROP(hostNumaId, HostNumaId),
#undef PROP
};

static cudaError_t fill_properties(struct cudaDeviceProp *p, int device)
{
    const struct device_profile *d = device_profile();
    int value = 0;

    memset(p, 0, sizeof(*p));
    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
        char *at = (char *)p + properties[i].offset;
        cudaError_t e = attribute(&value, properties[i].attr, device);

        if (e)
            return e;
        if (properties[i].size == sizeof(size_t))
            *(size_t *)at = (size_t)value;
        else
            *(int *)at = value;
    }
    snprintf(p->name, sizeof(p->name), "%s", d->name);
    snprintf(p->uuid.bytes, sizeof(p->uuid.bytes), "warplab %.7s", d->key);
    p->uuid.bytes[sizeof(p->uuid.bytes) - 1] = (char)device;
    p->totalGlobalMem = d->memory_bytes;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    if (!rt_is_device(device))
        return rt_leave(cudaErrorInvalidDevice);
    return rt_leave(p ? fill_properties(p, device) : cudaErrorInvalidValue);
}

/* ---- choosing ---- */

__thread int rt_device;
static __thread unsigned device_flags;

int rt_devices(void)
{
    return emu_devices(0);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return rt_leave(cudaErrorInvalidValue);
    *count = rt_devices();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return rt_leave(cudaErrorInvalidValue);
    *device = rt_device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (!rt_is_device(device))
        return rt_leave(cudaErrorInvalidDevice);
    rt_device = device;
    cudaError_t e = rt_enter();
    return e == cudaErrorDevicesUnavailable ? rt_leave(e) : cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags_wanted, unsigned int flags)
{
    if (!rt_is_device(device))
        return rt_leave(cudaErrorInvalidDevice);
    if (flags & ~(unsigned)cudaInitDeviceFlagsAreValid)
        return rt_leave(cudaErrorInvalidValue);
    if (flags)
        device_flags = device_flags_wanted;
    return rt_leave(rt_enter());
}

/* The best match: all match alike, the first is taken. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *p)
{
    if (!device || !p)
        return rt_leave(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int n)
{
    for (int i = 0; i < n; i++)
        if (!devices || !rt_is_device(devices[i]))
            return rt_leave(devices ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    if (n < 0)
        return rt_leave(cudaErrorInvalidValue);
    if (n > 0)
        rt_device = devices[0];
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        return rt_leave(cudaErrorInvalidValue);
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    if (!flags)
        return rt_leave(cudaErrorInvalidValue);
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    if (!rt_is_device(device))
        return rt_leave(cudaErrorInvalidDevice);
    if (!id || size < 13)
        return rt_leave(cudaErrorInvalidValue);
    snprintf(id, (size_t)size, "0000:%02x:00.0", (unsigned)device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    unsigned domain = 0, bus = 1, slot = 1;

    if (!device || !id)
        return rt_leave(cudaErrorInvalidValue);
    if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        domain = 0;
        if (sscanf(id, "%x:%x", &bus, &slot) != 2)
            return rt_leave(cudaErrorInvalidValue);
    }
    if (domain | slot || bus >= (unsigned)rt_devices())
        return rt_leave(cudaErrorInvalidDevice);
    *device = (int)bus;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    if (!version)
        return rt_leave(cudaErrorInvalidValue);
    *version = CUDA_VERSION_HERE;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

/* ---- peers: all devices have a link to each other, where there are links at all ---- */

static bool linked(int device, int other)
{
    return device != other && device_profile()->peer_gbps > 0; /* not its own peer */
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other)
{
    if (!rt_is_device(device) || !rt_is_device(other))
        return rt_leave(cudaErrorInvalidDevice);
    if (!can)
        return rt_leave(cudaErrorInvalidValue);
    *can = linked(device, other);
    return cudaSuccess;
}

static cudaError_t enable_peer(int other, unsigned flags)
{
    if (!rt_is_device(other))
        return cudaErrorInvalidDevice;
    if (flags)
        return cudaErrorInvalidValue;
    if (!linked(rt_device, other))
        return cudaErrorPeerAccessUnsupported;
    return mem_peer((unsigned)rt_device, (unsigned)other, true) ? cudaSuccess
                                                                : cudaErrorPeerAccessAlreadyEnabled;
}

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned int flags)
{
    return rt_leave(rt_enter() ?: enable_peer(other, flags));
}

static cudaError_t disable_peer(int other)
{
    if (!rt_is_device(other))
        return cudaErrorInvalidDevice;
    return mem_peer((unsigned)rt_device, (unsigned)other, false) ? cudaSuccess
                                                                 : cudaErrorPeerAccessNotEnabled;
}

cudaError_t cudaDeviceDisablePeerAccess(int other)
{
    return rt_leave(rt_enter() ?: disable_peer(other));
}

static cudaError_t p2p_attribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to)
{
    if (!rt_is_device(from) || !rt_is_device(to) || from == to)
        return cudaErrorInvalidDevice;
    if (!value)
        return cudaErrorInvalidValue;
    switch (attr) {
    case cudaDevP2PAttrPerformanceRank: /* 0: the best */
    case cudaDevP2PAttrCudaArrayAccessSupported:
    case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
        *value = 0;
        return cudaSuccess;
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
        *value = linked(from, to);
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to)
{
    return rt_leave(p2p_attribute(value, attr, from, to));
}

/* ---- limits and cache configuration ---- */

/* At first, and after cudaDeviceReset(): the defaults of the programming guide. */
static const size_t default_limits[] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 1 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 0,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 0,
};
#define LEAST_PENDING 32
#define NLIMITS       (sizeof(default_limits) / sizeof(default_limits[0]))
static size_t limits[MEM_DEVICES][NLIMITS];
static pthread_once_t limits_once = PTHREAD_ONCE_INIT;

static void default_all(void)
{
    for (int d = 0; d < MEM_DEVICES; d++)
        memcpy(limits[d], default_limits, sizeof(limits[d]));
}

static cudaError_t too_late(const char *limit, const char *what)
{
    return emu_fail(cudaErrorInvalidValue,
                    "cudaDeviceSetLimit: %s cannot be changed after a kernel that uses %s was "
                    "launched: set it first",
                    limit, what);
}

static cudaError_t set_limit(enum cudaLimit limit, size_t value)
{
    if ((size_t)limit >= NLIMITS)
        return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth)
        return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitStackSize) {
        if (value > 512 * 1024)
            return cudaErrorInvalidValue;
        launch_stack_limit[rt_device] = (uint32_t)value;
    }
    if (limit == cudaLimitMallocHeapSize && !builtin_heap_limit((unsigned)rt_device, value))
        return too_late("cudaLimitMallocHeapSize", "malloc() or free()");
    if (limit == cudaLimitPrintfFifoSize && !builtin_printf_limit((unsigned)rt_device, value))
        return too_late("cudaLimitPrintfFifoSize", "printf()");
    if (limit == cudaLimitDevRuntimePendingLaunchCount && value < LEAST_PENDING)
        value = LEAST_PENDING;
    pthread_once(&limits_once, default_all);
    limits[rt_device][limit] = value;
    return cudaSuccess;
}

static void reset_limits(void)
{
    builtin_reset((unsigned)rt_device);
    for (size_t i = 0; i < NLIMITS; i++)
        set_limit((enum cudaLimit)i, default_limits[i]);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    return rt_leave(rt_enter() ?: set_limit(limit, value));
}

cudaError_t device_limit(uint64_t *value, int limit, unsigned device)
{
    if (!value || (size_t)limit >= NLIMITS)
        return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth)
        return cudaErrorUnsupportedLimit;
    pthread_once(&limits_once, default_all);
    *value = limits[device][limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    return rt_leave(rt_enter() ?: device_limit(value, (int)limit, (unsigned)rt_device));
}

static enum cudaFuncCache cache_config;

int device_cache_config(void)
{
    return (int)cache_config;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cudaError_t e = rt_enter();

    if (!e && config > cudaFuncCachePreferEqual)
        e = cudaErrorInvalidValue;
    if (!e)
        cache_config = config;
    return rt_leave(e);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    if (!config)
        return rt_leave(cudaErrorInvalidValue);
    *config = cache_config;
    return rt_leave(rt_enter());
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    if (!config)
        return rt_leave(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return rt_leave(rt_enter());
}

/* Banks are 4 bytes wide on everything since compute capability 5: no effect. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    if (config > cudaSharedMemBankSizeEightByte)
        return rt_leave(cudaErrorInvalidValue);
    return rt_leave(rt_enter());
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return rt_leave(rt_enter());
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    (void)target, (void)scope; /* nobody else writes to device memory here */
    return rt_leave(rt_enter());
}

/* The profile is written for the whole run: starting and stopping mark nothing. */
cudaError_t cudaProfilerStart(void)
{
    return rt_leave(rt_enter());
}

cudaError_t cudaProfilerStop(void)
{
    return rt_leave(rt_enter());
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* ---- reset ---- */

static void forget(const struct mem_alloc *a, void *arg)
{
    (void)arg;
    if (a->device == rt_device && a->kind != MEM_REGISTERED && a->kind != MEM_WORKSPACE)
        check_free(a->addr);
}

/* Ends the current device's context: modules are unloaded before memory goes, since variables are
 * memory. */
cudaError_t cudaDeviceReset(void)
{
    cudaError_t e = rt_enter();
    uint64_t left = record_left();

    if (e && (e == cudaErrorNotPermitted || e != rt_fault()))
        return rt_leave(e);
    launch_pause();
    images_reset();
    pools_reset();
    events_reset();
    streams_reset();
    mem_each(forget, NULL);
    mem_reset((unsigned)rt_device);
    record_reset(left);
    launch_resume();
    reset_limits();
    rt_reset_errors();
    return cudaSuccess;
}
