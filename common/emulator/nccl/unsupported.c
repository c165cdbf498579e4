/* unsupported.c - functions of the real library that this one does not have.
 *
 * Each name that libnccl.so.2 exports exists, so that programs load; these answer ncclInvalidUsage
 * and say so. What they would take does not matter.
 */
#include "clique.h"

#define UNSUPPORTED(X)                                                                             \
    X(ncclAlltoAll, "")                                                                            \
    X(ncclCommDeregister, "registered buffers")                                                    \
    X(ncclCommInitRankConfig, "communicators with settings")                                       \
    X(ncclCommInitRankScalable, "communicators with settings")                                     \
    X(ncclCommRegister, "registered buffers")                                                      \
    X(ncclCommRevoke, "communicators made from others")                                            \
    X(ncclCommShrink, "communicators made from others")                                            \
    X(ncclCommSplit, "communicators made from others")                                             \
    X(ncclCommWindowDeregister, "windows")                                                         \
    X(ncclCommWindowRegister, "windows")                                                           \
    X(ncclDevCommCreate, "")                                                                       \
    X(ncclDevCommDestroy, "")                                                                      \
    X(ncclGather, "")                                                                              \
    X(ncclGinBarrierCreateRequirement, "")                                                         \
    X(ncclGroupSimulateEnd, "")                                                                    \
    X(ncclLLA2ACalcSlots, "")                                                                      \
    X(ncclLLA2ACreateRequirement, "")                                                              \
    X(ncclLsaBarrierCreateRequirement, "")                                                         \
    X(ncclMemAlloc, "memory of NCCL's")                                                            \
    X(ncclMemFree, "memory of NCCL's")                                                             \
    X(ncclRedOpCreatePreMulSum, "operations of one's own")                                         \
    X(ncclRedOpDestroy, "operations of one's own")                                                 \
    X(ncclScatter, "")                                                                             \
    X(ncclTeamLsa, "")                                                                             \
    X(ncclTeamRail, "")                                                                            \
    X(ncclTeamRankToLsa, "")                                                                       \
    X(ncclTeamRankToWorld, "")                                                                     \
    X(ncclTeamWorld, "")

#define X(name, what)                                                                              \
    ncclResult_t name(void);                                                                       \
    ncclResult_t name(void)                                                                        \
    {                                                                                              \
        return refuse(ncclInvalidUsage, "%s: %s%snot supported by the emulator", #name, what,      \
                      *what ? ": " : "");                                                          \
    }                                                                                              \
    extern __typeof__(name) p##name __attribute__((alias(#name)));
UNSUPPORTED(X)
#undef X

void ncclResetDebugInit(void);
void ncclResetDebugInit(void)
{
}
