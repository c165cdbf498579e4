/* unsupported.c - functions of the real library that this one does not have.
 *
 * Every name that libcudart.so.13 exports exists, so that programs load; these answer
 * cudaErrorNotSupported and say so, once each. What they would take does not matter:
 * cuda_runtime_api.h is not included here, and arguments are ignored.
 */
#include "emulator/base/error.h"
#include <stdatomic.h>
#include <stdio.h>

cudaError_t rt_leave(cudaError_t e);

static cudaError_t unsupported(atomic_flag *said, const char *name, const char *what)
{
    if (!atomic_flag_test_and_set(said))
        fprintf(stderr, "warplab: %s: %s: not supported by the emulator\n", name, what);
    return rt_leave(cudaErrorNotSupported);
}

/* function, what it belongs to */
#define UNSUPPORTED(X)                                                                             \
    X(cudaDeviceGetTexture1DLinearMaxWidth, "textures and surfaces")                               \
    X(cudaMipmappedArrayGetMemoryRequirements, "CUDA arrays")                                      \
    X(cudaMipmappedArrayGetSparseProperties, "CUDA arrays")                                        \
    X(cudaGraphAddExternalSemaphoresSignalNode, "external semaphores")                             \
    X(cudaGraphAddExternalSemaphoresWaitNode, "external semaphores")                               \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams, "external semaphores")                   \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams, "external semaphores")                     \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams, "external semaphores")                       \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams, "external semaphores")                       \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams, "external semaphores")                         \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams, "external semaphores")                         \
    X(cudaEGLStreamConsumerAcquireFrame, "graphics interoperation")                                \
    X(cudaEGLStreamConsumerConnect, "graphics interoperation")                                     \
    X(cudaEGLStreamConsumerConnectWithFlags, "graphics interoperation")                            \
    X(cudaEGLStreamConsumerDisconnect, "graphics interoperation")                                  \
    X(cudaEGLStreamConsumerReleaseFrame, "graphics interoperation")                                \
    X(cudaEGLStreamProducerConnect, "graphics interoperation")                                     \
    X(cudaEGLStreamProducerDisconnect, "graphics interoperation")                                  \
    X(cudaEGLStreamProducerPresentFrame, "graphics interoperation")                                \
    X(cudaEGLStreamProducerReturnFrame, "graphics interoperation")                                 \
    X(cudaEventCreateFromEGLSync, "graphics interoperation")                                       \
    X(cudaGLGetDevices, "graphics interoperation")                                                 \
    X(cudaGLMapBufferObject, "graphics interoperation")                                            \
    X(cudaGLMapBufferObjectAsync, "graphics interoperation")                                       \
    X(cudaGLRegisterBufferObject, "graphics interoperation")                                       \
    X(cudaGLSetBufferObjectMapFlags, "graphics interoperation")                                    \
    X(cudaGLSetGLDevice, "graphics interoperation")                                                \
    X(cudaGLUnmapBufferObject, "graphics interoperation")                                          \
    X(cudaGLUnmapBufferObjectAsync, "graphics interoperation")                                     \
    X(cudaGLUnregisterBufferObject, "graphics interoperation")                                     \
    X(cudaGraphicsEGLRegisterImage, "graphics interoperation")                                     \
    X(cudaGraphicsGLRegisterBuffer, "graphics interoperation")                                     \
    X(cudaGraphicsGLRegisterImage, "graphics interoperation")                                      \
    X(cudaGraphicsMapResources, "graphics interoperation")                                         \
    X(cudaGraphicsResourceGetMappedEglFrame, "graphics interoperation")                            \
    X(cudaGraphicsResourceGetMappedMipmappedArray, "graphics interoperation")                      \
    X(cudaGraphicsResourceGetMappedPointer, "graphics interoperation")                             \
    X(cudaGraphicsResourceSetMapFlags, "graphics interoperation")                                  \
    X(cudaGraphicsSubResourceGetMappedArray, "graphics interoperation")                            \
    X(cudaGraphicsUnmapResources, "graphics interoperation")                                       \
    X(cudaGraphicsUnregisterResource, "graphics interoperation")                                   \
    X(cudaGraphicsVDPAURegisterOutputSurface, "graphics interoperation")                           \
    X(cudaGraphicsVDPAURegisterVideoSurface, "graphics interoperation")                            \
    X(cudaVDPAUGetDevice, "graphics interoperation")                                               \
    X(cudaVDPAUSetVDPAUDevice, "graphics interoperation")                                          \
    X(cudaDestroyExternalMemory, "external memory and semaphores")                                 \
    X(cudaDestroyExternalSemaphore, "external memory and semaphores")                              \
    X(cudaDeviceGetNvSciSyncAttributes, "external memory and semaphores")                          \
    X(cudaExternalMemoryGetMappedBuffer, "external memory and semaphores")                         \
    X(cudaExternalMemoryGetMappedMipmappedArray, "external memory and semaphores")                 \
    X(cudaImportExternalMemory, "external memory and semaphores")                                  \
    X(cudaImportExternalSemaphore, "external memory and semaphores")                               \
    X(cudaSignalExternalSemaphoresAsync, "external memory and semaphores")                         \
    X(cudaSignalExternalSemaphoresAsync_ptsz, "external memory and semaphores")                    \
    X(cudaWaitExternalSemaphoresAsync, "external memory and semaphores")                           \
    X(cudaWaitExternalSemaphoresAsync_ptsz, "external memory and semaphores")                      \
    X(__cudaGetProcAddress, "the driver API")                                                      \
    X(cudaGetDriverEntryPointByVersion_ptsz, "the driver API")                                     \
    X(cudaGetDriverEntryPoint_ptsz, "the driver API")                                              \
    X(cudaGetExportTable, "the driver API")                                                        \
    X(cudaMemGetDefaultMemPool, "memory pools other than a device's")                              \
    X(cudaMemGetMemPool, "memory pools other than a device's")                                     \
    X(cudaMemSetMemPool, "memory pools other than a device's")                                     \
    X(cudaMemDiscardAndPrefetchBatchAsync, "this memory operation")                                \
    X(cudaMemDiscardAndPrefetchBatchAsync_ptsz, "this memory operation")                           \
    X(cudaMemDiscardBatchAsync, "this memory operation")                                           \
    X(cudaMemDiscardBatchAsync_ptsz, "this memory operation")                                      \
    X(cudaMemPrefetchBatchAsync, "this memory operation")                                          \
    X(cudaMemPrefetchBatchAsync_ptsz, "this memory operation")                                     \
    X(cudaMemRangeGetAttribute, "this memory operation")                                           \
    X(cudaMemRangeGetAttributes, "this memory operation")                                          \
    X(cudaMemcpy3DBatchAsync, "this memory operation")                                             \
    X(cudaMemcpy3DBatchAsync_ptsz, "this memory operation")                                        \
    X(cudaDeviceRegisterAsyncNotification, "logs and notifications")                               \
    X(cudaDeviceUnregisterAsyncNotification, "logs and notifications")                             \
    X(cudaLogsCurrent, "logs and notifications")                                                   \
    X(cudaLogsDumpToFile, "logs and notifications")                                                \
    X(cudaLogsDumpToMemory, "logs and notifications")                                              \
    X(cudaLogsRegisterCallback, "logs and notifications")                                          \
    X(cudaLogsUnregisterCallback, "logs and notifications")                                        \
    X(__cudaRegisterUnifiedTable, "this function")                                                 \
    X(cudaDeviceGetHostAtomicCapabilities, "this function")                                        \
    X(cudaDeviceGetP2PAtomicCapabilities, "this function")                                         \
    X(cudaLibraryGetUnifiedFunction, "this function")

#define X(name, what)                                                                              \
    cudaError_t name(void);                                                                        \
    cudaError_t name(void)                                                                         \
    {                                                                                              \
        static atomic_flag said;                                                                   \
        return unsupported(&said, #name, what);                                                    \
    }
UNSUPPORTED(X)
