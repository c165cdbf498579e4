/* mem.h - device memory: what is allocated where.
 *
 * A device address is a plain 64-bit number. Device memory lives in a window of
 * address space that host code cannot touch (PROT_NONE, so a host access faults, as on
 * a GPU); its contents are at a second place that only the emulator knows
 * (mem_alloc.host). Managed and pinned memory is host memory: addr == (uint64_t)host.
 * Allocation costs nothing until touched.
 *
 *   0              MEM_WINDOW        2^48        2*2^48      3*2^48
 *   | host memory  | device memory | shared    | local     | param   |
 *
 * The last three are windows of the generic address space (PTX ISA 5.1): an offset in a
 * block's shared memory, in a thread's local memory, in the launch's parameters.
 *
 * Several devices share the window, as on a GPU with unified addresses: an address says whose
 * memory it is, and each has an account of its own. Kernels of one reach what another has where
 * mem_peer() has opened it, or its pool is.
 *
 * Thread safety: mem_find may run on any thread while another allocates or frees.
 */
#ifndef EMULATOR_MEM_H
#define EMULATOR_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEM_SHARED_BASE (1ull << 48)
#define MEM_LOCAL_BASE  (2ull << 48)
#define MEM_PARAM_BASE  (3ull << 48)
#define MEM_WINDOW_MASK (~0ull << 48)

#define MEM_MANAGED_PAGE 4096
#define MEM_DEVICES      16 /* at most */

enum mem_kind {
    MEM_DEVICE,     /* cudaMalloc and friends */
    MEM_GLOBAL,     /* a module's .global or .const variable; label is its name */
    MEM_HEAP,       /* malloc() in a kernel */
    MEM_MANAGED,    /* cudaMallocManaged, __managed__ */
    MEM_PINNED,     /* cudaMallocHost, cudaHostAlloc */
    MEM_REGISTERED, /* cudaHostRegister: host is the caller's own memory */
    MEM_WORKSPACE,  /* the emulator's own: cooperative-launch workspace, printf buffer */
    MEM_IMPORTED,   /* another process's, mapped here; that one counts it */
};

struct mem_alloc {
    uint64_t addr, size; /* bytes */
    uint8_t *host;       /* contents of addr */
    enum mem_kind kind;
    bool live;         /* false after mem_free; kept to explain a use after free */
    bool read_only;    /* .const variables */
    uint64_t serial;   /* 1, 2, … in order of allocation */
    const char *label; /* variable name, or what mem_name() called it; NULL: none */
    uint32_t element;  /* bytes of one of its elements; 0: not known */
    uint64_t elements; /* how many; fewer than fit when none are to be touched */
    uint8_t *shadow;   /* owned by the checker (check.c): NULL until it wants it */
    uint8_t *moved;    /* MEM_MANAGED, a byte a page: 1 + the device it lies on (managed.c) */
    uint8_t device;    /* whose it is; of host memory, which was current */
    bool pooled;       /* other devices reach it by `reach` alone: 1 << device */
    uint16_t reach;
    bool reserved;   /* mem_reserve(): its address is kept while nothing is there */
    uint64_t mapped; /* bytes of a mapping of its own that host is; 0: none */
    int file;        /* -1 or the mapping's, closed with it */
};

/* Reserves the window; called once, by whoever comes first. Panics with a message when
 * the address space cannot be had. */
void mem_init(void);

/* Allocates size > 0 bytes at a multiple of align (a power of two, at least 256 is used).
 * Contents of MEM_DEVICE and MEM_HEAP are unspecified on a GPU; here they are zero.
 * NULL when more than the device's memory would be in use. */
struct mem_alloc *mem_alloc_on(unsigned device, uint64_t size, uint64_t align, enum mem_kind kind,
                               const char *label);
struct mem_alloc *mem_alloc(uint64_t size, uint64_t align, enum mem_kind kind,
                            const char *label); /* on device 0 */
/* Registers host memory as MEM_REGISTERED (addr == host). NULL when it overlaps another. */
struct mem_alloc *mem_register(void *host, uint64_t size);
/* Frees the allocation that starts at addr. False when there is none alive. Freed
 * addresses are not reused while fresh ones are left. */
bool mem_free(uint64_t addr);

/* Frees what kernels have allocated, and makes addresses behind all that lives fresh again; true:
 * there was such memory. While nothing runs. */
bool mem_forget(void);

/* An address at which `size` bytes of MEM_DEVICE come and go: nothing is there until mem_back(),
 * nor after mem_free(). 0: there is no address. */
uint64_t mem_reserve(unsigned device, uint64_t size);
bool mem_back(uint64_t addr); /* false: no more memory, or it is there */
void mem_unreserve(uint64_t addr);

/* Memory whose contents are a mapping that the caller has made, which goes with it. NULL: no room.
 */
struct mem_alloc *mem_adopt(unsigned device, uint64_t size, enum mem_kind kind, void *host,
                            uint64_t mapped);
/* The contents of MEM_DEVICE move to a mapping, which goes with it as its file does. No launch may
 * run. */
void mem_move(uint64_t addr, void *host, uint64_t mapped, int file);

/* Zeroes what it holds, unless that is a mapping of its own. */
void mem_wipe(const struct mem_alloc *m);

/* The live allocation that contains addr, or NULL. */
const struct mem_alloc *mem_find(uint64_t addr);
/* Kernels of `device` reach `other`'s memory from now on, or no longer. False: that was so. */
bool mem_peer(unsigned device, unsigned other, bool on);
/* The same of the memory at addr, which comes from a pool: those of 1 << device. */
void mem_pool_reach(uint64_t addr, uint16_t reach);
/* It is that device's from now on. */
void mem_hand_over(struct mem_alloc *a, unsigned device);
/* Is either open to the other? */
bool mem_linked(unsigned device, unsigned other);
/* May kernels of `device` use it? */
bool mem_reaches(unsigned device, const struct mem_alloc *a);
/* True for any address of the window that host code cannot touch. */
bool mem_in_window(uint64_t addr);
/* True for any address that managed and pinned memory may get. */
bool mem_in_host_window(uint64_t addr);
/* For messages: the allocation that starts at addr is an array of this name. False when there is
 * none alive. */
bool mem_name(uint64_t addr, const char *name, uint32_t element, uint64_t elements);
/* For messages: the allocation (live or freed) nearest to addr, NULL when there is none. */
const struct mem_alloc *mem_nearest(uint64_t addr);
/* Host pointer to [addr, addr+len), which must lie within one live allocation, else NULL. */
void *mem_host(uint64_t addr, uint64_t len);

/* Calls fn for each live allocation in order of serial (leak report). */
void mem_each(void (*fn)(const struct mem_alloc *a, void *arg), void *arg);
void mem_usage(unsigned device, uint64_t *in_use, uint64_t *peak);
uint64_t mem_window(void);          /* bytes of addresses for all devices; less under ulimit -v */
void mem_set_limit(uint64_t bytes); /* the device profile's memory size, of each */
/* Bytes of nothing behind every later cudaMalloc: an address past the end of an array is then told
 * as that array's, not as one before the next. Returns the former gap; 0 at first. */
uint64_t mem_set_gap(uint64_t bytes);
/* cudaLimitMallocHeapSize: what kernels may have allocated at once (MEM_HEAP), each block
 * rounded up to 16 bytes; 8 MiB at first. */
void mem_set_heap_limit(unsigned device, uint64_t bytes);
/* Counts every mem_alloc and mem_free: a cached lookup is valid while this is unchanged. */
extern _Atomic uint64_t mem_generation;
/* cudaDeviceReset: frees all of the device's but MEM_REGISTERED, MEM_WORKSPACE. Nobody reaches it
 * any more, nor it another. */
void mem_reset(unsigned device);

#endif
