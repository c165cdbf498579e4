/* device_calls.h - the device runtime's functions that the emulator provides itself: on a GPU they
 * are libcudadevrt's (programming guide, CUDA Dynamic Parallelism).
 *
 * In PTX a name is "__cudaCDP2" and that of the row, or "cuda" and it, as the guide has it for
 * compilers; "_ptsz" behind it: stream 0 is the thread's own. Then what it returns and takes:
 * i 4 bytes, p 8, d a dim3, q a cudaPitchedPtr, e a cudaExtent.
 */
#ifndef EMULATOR_DEVICE_CALLS_H
#define EMULATOR_DEVICE_CALLS_H

#define DEVICE_CALLS(X)                                                                            \
    X(GetParameterBuffer, "ppp")                                                                   \
    X(GetParameterBufferV2, "ppddi")                                                               \
    X(LaunchDevice, "ippddip")                                                                     \
    X(LaunchDeviceV2, "ipp")                                                                       \
    X(StreamCreateWithFlags, "ipi")                                                                \
    X(StreamDestroy, "ip")                                                                         \
    X(StreamWaitEvent, "ippi")                                                                     \
    X(EventCreateWithFlags, "ipi")                                                                 \
    X(EventRecord, "ipp")                                                                          \
    X(EventRecordWithFlags, "ippi")                                                                \
    X(EventDestroy, "ip")                                                                          \
    X(MemcpyAsync, "ipppip")                                                                       \
    X(Memcpy2DAsync, "ippppppip")                                                                  \
    X(Memcpy3DAsync, "ipp")                                                                        \
    X(MemsetAsync, "ipipp")                                                                        \
    X(Memset2DAsync, "ippippp")                                                                    \
    X(Memset3DAsync, "iqiep")                                                                      \
    X(Malloc, "ipp")                                                                               \
    X(Free, "ip")                                                                                  \
    X(GetLastError, "i")                                                                           \
    X(PeekAtLastError, "i")                                                                        \
    X(GetErrorString, "pi")                                                                        \
    X(GetErrorName, "pi")                                                                          \
    X(GetDevice, "ip")                                                                             \
    X(GetDeviceCount, "ip")                                                                        \
    X(DeviceGetAttribute, "ipii")                                                                  \
    X(DeviceGetLimit, "ipi")                                                                       \
    X(DeviceGetCacheConfig, "ip")                                                                  \
    X(DeviceGetSharedMemConfig, "ip")                                                              \
    X(FuncGetAttributes, "ipp")                                                                    \
    X(RuntimeGetVersion, "ip")                                                                     \
    X(OccupancyMaxActiveBlocksPerMultiprocessor, "ippip")                                          \
    X(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "ippipi")                                \
    X(GraphLaunch, "ipp")

enum device_call {
#define X(name, shape) DEVICE_CALL_##name,
    DEVICE_CALLS(X)
#undef X
        DEVICE_CALLS_N
};

#endif
