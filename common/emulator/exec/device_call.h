/* device_call.h - the device runtime in kernels, and what the runtime above tells it.
 *
 * Interface: warp_call_device() carries out a call of device_calls.h for each lane by itself. What
 * only the runtime knows it asks by struct device_host; without one such calls are refused.
 */
#ifndef EMULATOR_DEVICE_CALL_H
#define EMULATOR_DEVICE_CALL_H

#include "launch.h"

struct warp;
struct insn;

/* Of a kernel that a kernel launches: what the program has set for it. */
struct device_kernel {
    int max_dynamic_shared; /* bytes */
    bool nonportable_cluster;
};

struct device_host { /* as the functions of those names, of any device */
    cudaError_t (*attribute)(int *value, int attribute, int device);
    cudaError_t (*limit)(uint64_t *value, int limit, unsigned device);
    cudaError_t (*attributes)(struct cudaFuncAttributes *out, struct emu_func *f);
    const char *(*error_name)(cudaError_t e), *(*error_text)(cudaError_t e);
    int (*devices)(void);
    int (*cache_config)(void);
    int (*version)(void);
    void (*kernel)(struct emu_func *f, struct device_kernel *k); /* about to be launched */
    /* May a kernel of that run of a graph launch the graph? cudaErrorIllegalAddress: it is none. */
    cudaError_t (*graph)(uint64_t graph, uint64_t stream, uint64_t from);
};
extern const struct device_host *device_host;

const struct insn *warp_call_device(struct warp *w, const struct insn *in);

#endif
