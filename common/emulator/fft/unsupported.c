/* unsupported.c - functions of the real library that this one does not have.
 *
 * Each name that libcufft.so.12 exports exists, so that programs load; these answer
 * CUFFT_NOT_SUPPORTED and say so. What they would take does not matter.
 */
#include "cufft_api.h"
#include "emulator/runtime/step.h"

#define UNSUPPORTED(X)                                                                             \
    X(cufftDebug, "")                                                                              \
    X(cufftGetPlanPropertyInt64, "properties of plans")                                            \
    X(cufftResetPlanProperty, "properties of plans")                                               \
    X(cufftSetPlanPropertyInt64, "properties of plans")                                            \
    X(cufftXtClearCallback, "callbacks")                                                           \
    X(cufftXtExecDescriptor, "several GPUs")                                                       \
    X(cufftXtExecDescriptorC2C, "several GPUs")                                                    \
    X(cufftXtExecDescriptorC2R, "several GPUs")                                                    \
    X(cufftXtExecDescriptorD2Z, "several GPUs")                                                    \
    X(cufftXtExecDescriptorR2C, "several GPUs")                                                    \
    X(cufftXtExecDescriptorZ2D, "several GPUs")                                                    \
    X(cufftXtExecDescriptorZ2Z, "several GPUs")                                                    \
    X(cufftXtFree, "several GPUs")                                                                 \
    X(cufftXtMakePlanGuru64, "plans of any strides")                                               \
    X(cufftXtMalloc, "several GPUs")                                                               \
    X(cufftXtMemcpy, "several GPUs")                                                               \
    X(cufftXtQueryPlan, "several GPUs")                                                            \
    X(cufftXtSetCallback, "callbacks")                                                             \
    X(cufftXtSetCallbackSharedSize, "callbacks")                                                   \
    X(cufftXtSetGPUs, "several GPUs")                                                              \
    X(cufftXtSetJITCallback, "callbacks")                                                          \
    X(cufftXtSetWorkArea, "several GPUs")                                                          \
    X(cufftXtSetWorkAreaPolicy, "policies of work areas")

#define X(name, what)                                                                              \
    cufftResult name(void);                                                                        \
    cufftResult name(void)                                                                         \
    {                                                                                              \
        warplab_say(*what ? #name ": " what ": not supported by the emulator"                      \
                          : #name ": not supported by the emulator");                              \
        return CUFFT_NOT_SUPPORTED;                                                                \
    }
UNSUPPORTED(X)
#undef X
