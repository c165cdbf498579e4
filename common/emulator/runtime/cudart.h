/* cudart.h - private to this folder: what the runtime API's parts share.
 *
 * Every API function is written
 *
 *     cudaError_t cudaThing(...)
 *     {
 *         return rt_leave(rt_enter() ?: thing(...));
 *     }
 *
 * rt_enter() starts the runtime and answers a sticky error; rt_leave() keeps the result
 * for cudaGetLastError(). Functions that only ask (device attributes, error names) do
 * without rt_enter().
 *
 * Work is done when it is issued: a stream is an order of work, not of host time. What a
 * stream does have is a modelled clock (stream.c), which events read.
 */
#ifndef EMULATOR_CUDART_H
#define EMULATOR_CUDART_H

#include "base/alloc.h"
#include "emulator/base/error.h"
#include "emulator/base/mem.h"
#include "emulator/base/options.h"
#include "emulator/base/profile.h"
#include "emulator/base/round.h"
#include "emulator/exec/launch.h"
#include "emulator/ptx/fatbin.h"
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- errors (error.c) ---- */
/* __func__ names the call, for inject.c. */
#define rt_enter() rt_enter_as(__func__)
cudaError_t rt_enter_as(const char *function);
cudaError_t rt_leave(cudaError_t e);
/* From now on every call that needs the device's context returns e; after cudaDeviceReset() it
 * returns cudaErrorDevicesUnavailable, as on an H200 with CUDA 13.0: the manual has the process
 * end. */
void rt_set_sticky(cudaError_t e);
cudaError_t rt_fault(void);             /* of the current device: what the next call will answer */
void rt_reset_errors(void);             /* of the current device */
bool rt_is_device_fault(cudaError_t e); /* ends the context: sticky */
cudaError_t rt_error_named(const char *name); /* cudaSuccess: there is none of that name */
/* The device of this host thread's calls, and how many there are (device.c). */
extern __thread int rt_device;
int rt_devices(void);
static inline bool rt_is_device(int device)
{
    return device >= 0 && device < rt_devices();
}

/* Inside a host function of a stream, CUDA calls are not permitted. */
void rt_in_callback(bool inside);

/* Calls that are made to fail (inject.c): the error that this one is to return, or cudaSuccess. */
void inject_start(void);
cudaError_t inject(const char *function);
void inject_back(void *to, size_t bytes); /* what was just copied from the device to the host */
void inject_finish(void);                 /* says which calls never came */

/* What the program did, for WARPLAB_RECORD (record.c): adds to the fact KINDNAME, "calls." and
 * "cudaMalloc" say; "" is no kind. */
void record_add(const char *kind, const char *name, uint64_t value);
void record_told(float ms);         /* between two events */
uint64_t record_left(void);         /* how many allocations nobody has freed */
void record_reset(uint64_t before); /* so many there were before a reset */
void record_finish(void);

/* A host access to device memory: a line that says so, then the fault (host_fault.c). */
void host_fault_install(void);

/* This call is not permitted while a capture goes on: the error, and the capture is of no use any
 * more (capture.c). */
cudaError_t capture_forbids(const char *function);
/* Work that no graph takes is issued to a stream: an error where that is being captured. */
cudaError_t capture_bars(cudaStream_t stream);

/* One lock for all tables of the runtime; never held during a launch or a callback. */
extern pthread_mutex_t rt_lock;

/* ---- what is not there: told the first time, with what to use instead ---- */
#define rt_unsupported(...)                                                                        \
    ({                                                                                             \
        static atomic_flag said_ = ATOMIC_FLAG_INIT;                                               \
        atomic_flag_test_and_set(&said_) ? emu_keep(cudaErrorNotSupported, __VA_ARGS__)            \
                                         : emu_fail(cudaErrorNotSupported, __VA_ARGS__);           \
    })

/* ---- images: the code a program registers or loads (register.c) ---- */
struct image {
    const void *data; /* what fatbin_open() wants; a library's own copy */
    size_t length;    /* 0: not known */
    bool opened;
    struct fatbin fatbin;
    /* By device. NULL until something of it is used there; why it could not be loaded: the same
     * answer every time. */
    struct emu_module *module[MEM_DEVICES];
    cudaError_t error[MEM_DEVICES];
    struct variable *variables;
    struct kernel *kernels;
    struct image *next;
};

struct variable {     /* __device__, __constant__, __managed__ */
    const void *host; /* the program's shadow: what cudaMemcpyToSymbol() is given */
    void **managed;   /* the program's pointer to a __managed__ variable, or NULL */
    const char *name;
    size_t size;
    struct image *image;
    struct variable *next;
};

struct kernel {       /* cudaKernel_t and cudaFunction_t point to one of these */
    const void *stub; /* the program's host function, NULL in a library */
    char *name;
    struct image *image;
    struct on_device {
        struct emu_func *func;  /* NULL until used */
        int max_dynamic_shared; /* set by the program; -1: what needs no opt-in */
        int carveout;
        bool nonportable_cluster;
    } on[MEM_DEVICES];
    struct kernel *next; /* in the image */
};

/* Its part on the current device. */
static inline struct on_device *here(struct kernel *k)
{
    return &k->on[rt_device];
}
/* Loads on the current device what is not loaded there yet. rt_lock held. */
cudaError_t image_load(struct image *i);
/* From a host stub, a cudaKernel_t or a cudaFunction_t; NULL when it is none. */
struct kernel *kernel_find(const void *handle);
/* The same, and loaded; *f is its function. cudaErrorInvalidDeviceFunction otherwise. */
cudaError_t kernel_use(const void *handle, struct kernel **k);
cudaError_t symbol_find(const void *symbol, uint64_t *addr, uint64_t *size);
struct kernel *kernel_new(struct image *i, const char *name, const void *stub);
struct image *image_new(const void *data, size_t length);
void image_free(struct image *i);
void images_reset(void);     /* cudaDeviceReset: load again there at next use */
uint32_t rt_ptx_limit(void); /* newest PTX architecture that is accepted, 90 */

/* ---- streams and their modelled clocks (stream.c) ---- */
/* Where in a capture something is: after these nodes (capture.c). */
struct capture;
struct tip {
    struct capture *in; /* NULL: in none */
    cudaGraphNode_t *nodes;
    cudaGraphEdgeData *edges; /* from each of them to what comes */
    size_t n;
};
/* edges NULL: plain ones. */
void tip_set(struct tip *t, struct capture *in, const cudaGraphNode_t *nodes,
             const cudaGraphEdgeData *edges, size_t n);

struct CUstream_st {
    struct CUstream_st *next;
    struct tip tip;
    unsigned flags;
    int priority;
    int device;
    uint64_t id;
    double clock; /* ms of modelled time when all its work is done */
};

/* The stream behind a handle, special handles included; NULL when it is none. */
struct CUstream_st *stream_find(cudaStream_t handle);
/* What does a piece of work: at most one at a time each, but for NONE. */
enum engine_kind {
    ENGINE_NONE,
    ENGINE_COMPUTE,
    ENGINE_IN,
    ENGINE_OUT,
    ENGINE_PEER,
    ENGINE_FROM_PEER,
    ENGINES
};
/* Adds ms of work to a stream; false: no such stream. */
bool stream_work(cudaStream_t handle, enum engine_kind kind, double ms);
/* The end of its work; sets it: a graph's nodes follow each other in an order of their own. */
double stream_end(cudaStream_t handle);
void stream_set_end(cudaStream_t handle, double ms);
/* The stream itself, or one of this thread's own for work of another device that it stands for. */
cudaStream_t stream_beside(cudaStream_t handle, int device);
/* Streams and events are no part of it any more. */
void streams_forget(const struct capture *c);
/* When work issued to it now would begin. */
double stream_ready(cudaStream_t handle);
/* Work of several devices' streams together, which may begin when all are ready; `out` and `in`
 * say whose link is busy which way. */
struct meeting {
    cudaStream_t stream;
    int device;
    double ready;
    bool out, in;
};
void streams_meet(const struct meeting *m, int n, double ms);
/* Modelled time since stream_span_reset() until all work issued since is done; when the last
 * piece of it begins and ends. */
void stream_span_reset(void);
double stream_span_ms(void);
void stream_last_work(double *start_ms, double *end_ms);
/* The host is busy for so long. */
void host_work(double ms);

/* ---- managed memory (managed.c) ---- */
/* Of so many bytes from addr on that are touched or prefetched there, those that have to move.
 * device: cudaCpuDeviceId for the host. */
uint64_t managed_move(uint64_t addr, uint64_t bytes, int device);
/* The same of what a kernel of the current device touched of an allocation. */
uint64_t managed_touched(const struct managed_sectors *m);
/* The host waits for a stream's work. */
void stream_wait(cudaStream_t handle);
void streams_reset(void); /* of the current device */
/* Handles as the _ptsz functions mean them: 0 is the thread's own stream. */
static inline cudaStream_t per_thread(cudaStream_t s)
{
    return s ? s : cudaStreamPerThread;
}
void events_reset(void); /* likewise */
cudaError_t event_create(cudaEvent_t *out, unsigned flags);
/* The file that stands for the event in other processes (share.h), made when first asked for. */
cudaError_t event_share(cudaEvent_t event, int *file);

/* ---- memory (memory.c) ---- */
/* Says why there is none. */
cudaError_t rt_no_memory(const char *function, uint64_t size, bool of_the_device);
enum side { SIDE_HOST, SIDE_DEVICE, SIDE_BOTH }; /* who may touch an address */
enum side address_side(const void *p, const struct mem_alloc **a);
void pools_reset(void);        /* likewise */
void pool_give(uint64_t addr); /* it is freed; if it came from a pool, that knows */
bool pool_owns(uint64_t addr);
/* cudaFree() and its kind; host: cudaFreeHost(). */
cudaError_t free_memory(const char *function, void *p, bool host);

/* ---- launching (launch.c) ---- */
int dynamic_shared_limit(struct kernel *k); /* on the current device */
/* A kernel by itself: what it asks for comes back in *children. */
cudaError_t launch_one(struct emu_launch *l, cudaStream_t stream, struct device_work **children);
/* Does what a kernel asked for, and frees that (children.c); *steps: taken so far. */
cudaError_t children_run(struct device_work *todo, cudaStream_t stream, uint64_t *steps);

/* ---- what kernels ask about, too: no error of the host thread's is left behind ---- */
cudaError_t device_attribute(int *value, int attr, int device); /* device.c */
cudaError_t device_limit(uint64_t *value, int limit, unsigned device);
int device_cache_config(void);
struct kernel *kernel_of(struct emu_func *f); /* on the current device; NULL: none (register.c) */
cudaError_t kernel_attributes(struct cudaFuncAttributes *out, struct kernel *k); /* func.c */

/* ---- sums (warplab_api.c) ---- */
void sums_add(const struct emu_result *r);
void sums_add_ms(double ms);
double host_now_us(void);

#endif
