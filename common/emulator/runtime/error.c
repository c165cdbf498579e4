/* error.c - error names and texts, the last error, sticky errors.
 *
 * Each host thread has a last error, which cudaGetLastError() returns and clears. A fault
 * on the device (illegal address, trap, assertion, timeout) ruins the context: every later
 * call that needs it returns that error until cudaDeviceReset(). Launch errors and bad
 * arguments are returned once and do no harm.
 */
#include "emulator/check/check.h"
#include "emulator/count/profile.h"
#include "cudart.h"
#include "hold.h"
#include "warplab.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names and numbers are driver_types.h's; the texts are those that the runtime prints. */
#define ROW(name, text)                                                                            \
    {                                                                                              \
        name, #name, text                                                                          \
    }

static const struct {
    cudaError_t value;
    const char *name, *text;
} errors[] = {
    ROW(cudaSuccess, "no error"),
    ROW(cudaErrorInvalidValue, "invalid argument"),
    ROW(cudaErrorMemoryAllocation, "out of memory"),
    ROW(cudaErrorInitializationError, "initialization error"),
    ROW(cudaErrorCudartUnloading, "driver shutting down"),
    ROW(cudaErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    ROW(cudaErrorProfilerNotInitialized, "profiler not initialized: call cudaProfilerInitialize()"),
    ROW(cudaErrorProfilerAlreadyStarted, "profiler already started"),
    ROW(cudaErrorProfilerAlreadyStopped, "profiler already stopped"),
    ROW(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ROW(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ROW(cudaErrorInvalidSymbol, "invalid device symbol"),
    ROW(cudaErrorInvalidHostPointer, "invalid host pointer"),
    ROW(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    ROW(cudaErrorInvalidTexture, "invalid texture reference"),
    ROW(cudaErrorInvalidTextureBinding, "texture is not bound to a pointer"),
    ROW(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    ROW(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ROW(cudaErrorAddressOfConstant, "cudaErrorAddressOfConstant"),
    ROW(cudaErrorTextureFetchFailed, "fetch from texture failed"),
    ROW(cudaErrorTextureNotBound, "cannot fetch from a texture that is not bound"),
    ROW(cudaErrorSynchronizationError, "incorrect use of __syncthreads()"),
    ROW(cudaErrorInvalidFilterSetting, "linear filtering not supported for non-float type"),
    ROW(cudaErrorInvalidNormSetting,
        "read as normalized float not supported for 32-bit non float type"),
    ROW(cudaErrorMixedDeviceExecution,
        "device emulation mode and device execution mode cannot be mixed"),
    ROW(cudaErrorNotYetImplemented, "feature not yet implemented"),
    ROW(cudaErrorMemoryValueTooLarge, "memory size or pointer value too large to fit in 32 bit"),
    ROW(cudaErrorStubLibrary, "CUDA driver is a stub library"),
    ROW(cudaErrorInsufficientDriver,
        "CUDA driver version is insufficient for CUDA runtime version"),
    ROW(cudaErrorCallRequiresNewerDriver, "API call is not supported in the installed CUDA driver"),
    ROW(cudaErrorInvalidSurface, "invalid surface reference"),
    ROW(cudaErrorDuplicateVariableName, "duplicate global variable looked up by string name"),
    ROW(cudaErrorDuplicateTextureName, "duplicate texture looked up by string name"),
    ROW(cudaErrorDuplicateSurfaceName, "duplicate surface looked up by string name"),
    ROW(cudaErrorDevicesUnavailable, "all CUDA-capable devices are busy or unavailable"),
    ROW(cudaErrorIncompatibleDriverContext, "incompatible driver context"),
    ROW(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    ROW(cudaErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    ROW(cudaErrorLaunchMaxDepthExceeded, "launch would exceed maximum depth of nested launches"),
    ROW(cudaErrorLaunchFileScopedTex, "launch failed because kernel uses unsupported, file-scoped "
                                      "textures (texture objects are supported)"),
    ROW(cudaErrorLaunchFileScopedSurf, "launch failed because kernel uses unsupported, file-scoped "
                                       "surfaces (surface objects are supported)"),
    ROW(cudaErrorSyncDepthExceeded, "cudaDeviceSynchronize failed because caller's grid depth "
                                    "exceeds cudaLimitDevRuntimeSyncDepth"),
    ROW(cudaErrorLaunchPendingCountExceeded,
        "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    ROW(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ROW(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ROW(cudaErrorInvalidDevice, "invalid device ordinal"),
    ROW(cudaErrorDeviceNotLicensed, "device doesn't have valid Grid license"),
    ROW(cudaErrorSoftwareValidityNotEstablished, "integrity checks failed"),
    ROW(cudaErrorStartupFailure, "startup failure in cuda runtime"),
    ROW(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    ROW(cudaErrorDeviceUninitialized, "invalid device context"),
    ROW(cudaErrorMapBufferObjectFailed, "mapping of buffer object failed"),
    ROW(cudaErrorUnmapBufferObjectFailed, "unmapping of buffer object failed"),
    ROW(cudaErrorArrayIsMapped, "array is mapped"),
    ROW(cudaErrorAlreadyMapped, "resource already mapped"),
    ROW(cudaErrorNoKernelImageForDevice,
        "no kernel image is available for execution on the device"),
    ROW(cudaErrorAlreadyAcquired, "resource already acquired"),
    ROW(cudaErrorNotMapped, "resource not mapped"),
    ROW(cudaErrorNotMappedAsArray, "resource not mapped as array"),
    ROW(cudaErrorNotMappedAsPointer, "resource not mapped as pointer"),
    ROW(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    ROW(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    ROW(cudaErrorDeviceAlreadyInUse,
        "exclusive-thread device already in use by a different thread"),
    ROW(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ROW(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    ROW(cudaErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    ROW(cudaErrorNvlinkUncorrectable, "uncorrectable NVLink error detected during the execution"),
    ROW(cudaErrorJitCompilerNotFound, "PTX JIT compiler library not found"),
    ROW(cudaErrorUnsupportedPtxVersion,
        "the provided PTX was compiled with an unsupported toolchain."),
    ROW(cudaErrorJitCompilationDisabled, "PTX JIT compilation was disabled"),
    ROW(cudaErrorUnsupportedExecAffinity, "the provided execution affinity is not supported"),
    ROW(cudaErrorUnsupportedDevSideSync,
        "the provided PTX contains unsupported call to cudaDeviceSynchronize"),
    ROW(cudaErrorContained, "Invalid access blocking context"),
    ROW(cudaErrorInvalidSource, "device kernel image is invalid"),
    ROW(cudaErrorFileNotFound, "file not found"),
    ROW(cudaErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    ROW(cudaErrorSharedObjectInitFailed, "shared object initialization failed"),
    ROW(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    ROW(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ROW(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ROW(cudaErrorLossyQuery, "attempted introspection would be semantically lossy"),
    ROW(cudaErrorSymbolNotFound, "named symbol not found"),
    ROW(cudaErrorNotReady, "device not ready"),
    ROW(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ROW(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ROW(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    ROW(cudaErrorLaunchIncompatibleTexturing, "launch uses incompatible texturing mode"),
    ROW(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ROW(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ROW(cudaErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    ROW(cudaErrorContextIsDestroyed, "context is destroyed"),
    ROW(cudaErrorAssert, "device-side assert triggered"),
    ROW(cudaErrorTooManyPeers, "peer mapping resources exhausted"),
    ROW(cudaErrorHostMemoryAlreadyRegistered,
        "part or all of the requested memory range is already mapped"),
    ROW(cudaErrorHostMemoryNotRegistered,
        "pointer does not correspond to a registered memory region"),
    ROW(cudaErrorHardwareStackError, "hardware stack error"),
    ROW(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    ROW(cudaErrorMisalignedAddress, "misaligned address"),
    ROW(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    ROW(cudaErrorInvalidPc, "invalid program counter"),
    ROW(cudaErrorLaunchFailure, "unspecified launch failure"),
    ROW(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ROW(cudaErrorTensorMemoryLeak, "tensor memory not completely freed"),
    ROW(cudaErrorNotPermitted, "operation not permitted"),
    ROW(cudaErrorNotSupported, "operation not supported"),
    ROW(cudaErrorSystemNotReady, "system not yet initialized"),
    ROW(cudaErrorSystemDriverMismatch,
        "system has unsupported display driver / cuda driver combination"),
    ROW(cudaErrorCompatNotSupportedOnDevice,
        "forward compatibility was attempted on non supported HW"),
    ROW(cudaErrorMpsConnectionFailed,
        "MPS client failed to connect to the MPS control daemon or the MPS server"),
    ROW(cudaErrorMpsRpcFailure,
        "the remote procedural call between the MPS server and the MPS client failed"),
    ROW(cudaErrorMpsServerNotReady, "MPS server is not ready to accept new MPS client requests"),
    ROW(cudaErrorMpsMaxClientsReached,
        "the hardware resources required to create MPS client have been exhausted"),
    ROW(cudaErrorMpsMaxConnectionsReached,
        "the hardware resources required to support device connections have been exhausted"),
    ROW(cudaErrorMpsClientTerminated, "the MPS client has been terminated by the server"),
    ROW(cudaErrorCdpNotSupported, "is using CUDA Dynamic Parallelism, but the current "
                                  "configuration, like MPS, does not support it"),
    ROW(cudaErrorCdpVersionMismatch,
        "unsupported interaction between different versions of CUDA Dynamic Parallelism"),
    ROW(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ROW(cudaErrorStreamCaptureInvalidated,
        "operation failed due to a previous error during capture"),
    ROW(cudaErrorStreamCaptureMerge,
        "operation would result in a merge of separate capture sequences"),
    ROW(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ROW(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ROW(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ROW(cudaErrorStreamCaptureImplicit,
        "operation would make the legacy stream depend on a capturing blocking stream"),
    ROW(cudaErrorCapturedEvent,
        "operation not permitted on an event last recorded in a capturing stream"),
    ROW(cudaErrorStreamCaptureWrongThread,
        "attempt to terminate a thread-local capture sequence from another thread"),
    ROW(cudaErrorTimeout, "wait operation timed out"),
    ROW(cudaErrorGraphExecUpdateFailure,
        "the graph update was not performed because it included changes which violated constraints "
        "specific to instantiated graph update"),
    ROW(cudaErrorExternalDevice, "an async error has occured in external entity outside of CUDA"),
    ROW(cudaErrorInvalidClusterSize,
        "a kernel launch error has occurred due to cluster misconfiguration"),
    ROW(cudaErrorFunctionNotLoaded,
        "the function handle is not loaded when calling an API that requires a loaded function"),
    ROW(cudaErrorInvalidResourceType, "the resource type is invalid"),
    ROW(cudaErrorInvalidResourceConfiguration, "the resource configuration is invalid"),
    ROW(cudaErrorUnknown, "unknown error"),
    ROW(cudaErrorApiFailureBase, "api failure base"),
};

pthread_mutex_t rt_lock = PTHREAD_MUTEX_INITIALIZER;

/* By device. A fault: every call that needs a context answers it, whichever device is current.
 * Since the program began: a reset brings no device back. */
static atomic_int sticky[MEM_DEVICES];
static atomic_bool faulted[MEM_DEVICES];
static __thread cudaError_t last;
static __thread bool in_callback;

/* ---- names ---- */

const char *cudaGetErrorName(cudaError_t e)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].value == e)
            return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t e)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].value == e)
            return errors[i].text;
    return "unrecognized error code";
}

cudaError_t rt_error_named(const char *name)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (!strcmp(errors[i].name, name))
            return errors[i].value;
    return cudaSuccess;
}

/* ---- state ---- */

bool rt_is_device_fault(cudaError_t e)
{
    switch (e) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return true;
    default:
        return false;
    }
}

/* WARPLAB_DISTURB: as warplabSetDisturb(), for who starts a program and asks what its results
 * are made from. */
static void disturb_start(void)
{
    if (!warplabSetDisturb(emu_options()->disturb))
        return;
    fprintf(stderr, "warplab: WARPLAB_DISTURB=%s: there is no such class of instructions\n",
            emu_options()->disturb);
    _exit(2);
}

static bool started;

static void start(void)
{
    started = true;
    mem_init();
    mem_set_limit(device_profile()->memory_bytes);
    host_fault_install();
    inject_start();
    disturb_start();
    if (emu_options()->check)
        check_enable();
    atexit(hold_drop); /* before the program's own, which unregister its kernels */
}

static bool any_fault(void)
{
    for (int d = 0; d < MEM_DEVICES; d++)
        if (atomic_load(&sticky[d]))
            return true;
    return false;
}

/* After the program's own exit functions: last rows of the profile, what was not freed. */
__attribute__((destructor)) static void end(void)
{
    if (!started) {
        record_finish(); /* that there was no call is known, too */
        return;
    }
    profile_finish();
    inject_finish();
    if (emu_options()->check)
        check_leaks(any_fault());
    record_finish();
}

cudaError_t rt_enter_as(const char *function)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start);
    record_add("calls.", function, 1);
    if (in_callback)
        return cudaErrorNotPermitted;
    hold_enter(function);
    cudaError_t e = (cudaError_t)atomic_load(&sticky[rt_device]);
    return e ?: capture_forbids(function) ?: inject(function);
}

cudaError_t rt_leave(cudaError_t e)
{
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last = e;
    return e;
}

/* Nobody is told yet: on a GPU the launch is long over when the kernel runs. */
void rt_set_sticky(cudaError_t e)
{
    for (int d = 0; d < MEM_DEVICES; d++) {
        int none = 0;

        atomic_compare_exchange_strong(&sticky[d], &none, (int)e);
        atomic_store(&faulted[d], true);
    }
}

cudaError_t rt_fault(void)
{
    return (cudaError_t)atomic_load(&sticky[rt_device]);
}

void warplabForgive(void)
{
    for (int d = 0; d < MEM_DEVICES; d++) {
        atomic_store(&faulted[d], false);
        atomic_store(&sticky[d], 0);
    }
    last = cudaSuccess;
}

void warplabRevive(void)
{
    warplabForgive();
    cudaDeviceReset();
}

void rt_reset_errors(void)
{
    static atomic_bool said;

    bool fault = atomic_load(&faulted[rt_device]);

    atomic_store(&sticky[rt_device], fault ? (int)cudaErrorDevicesUnavailable : 0);
    if (fault && !atomic_exchange(&said, true))
        emu_fail(cudaErrorDevicesUnavailable,
                 "cudaDeviceReset after a fault: as on a GPU, this process gets no device any "
                 "more (cudaErrorDevicesUnavailable); run what follows in another");
}

void rt_in_callback(bool inside)
{
    in_callback = inside;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = last;

    last = cudaSuccess;
    return e;
}
