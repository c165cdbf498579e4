/* emu.h - the emulator's core, as the runtime API (cudart_*.c) sees it.
 *
 * Interface: load a module, find its functions and variables, launch. Errors are
 * cudaError_t; the text that helps a person comes through emu_error_text().
 * All calls are thread safe. A launch runs to completion before emu_launch returns:
 * streams are an order of launches, not of time ("Not modelled: overlap in host time").
 */
#ifndef EMULATOR_EMU_H
#define EMULATOR_EMU_H

#include "counters.h"
#include <driver_types.h> /* cudaError_t */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu_module;
struct emu_func;

struct emu_func_info {
    const char *name;
    uint32_t shared_bytes; /* static */
    uint32_t const_bytes;
    uint32_t local_bytes;     /* per thread */
    uint32_t registers;       /* per thread */
    bool registers_estimated; /* true: from PTX liveness; false: from machine code */
    uint32_t max_threads;     /* per block, from .maxntid or the device's limit */
    uint32_t reqntid[3];      /* 0 when not given */
    uint32_t ptx_version;     /* 90 */
    uint32_t nparams;
    uint32_t param_bytes; /* all parameters, laid out as the launch wants them */
    const uint32_t *param_offset, *param_size; /* bytes, nparams each */
};

/* Loads PTX text (one module; several translation units linked with -rdc are passed
 * together, ntexts > 1). On failure returns the error a GPU's driver gives
 * (cudaErrorInvalidPtx, cudaErrorUnsupportedPtxVersion, …) and prints the located reason
 * once on stderr; emu_error_text() keeps it. `name` names the program in messages. */
cudaError_t emu_module_load(const char *const *texts, const size_t *lengths, int ntexts,
                            const char *name, struct emu_module **out);
void emu_module_unload(struct emu_module *m);

struct emu_func *emu_module_func(struct emu_module *m, const char *name); /* NULL: none */
uint32_t emu_module_func_count(struct emu_module *m);
struct emu_func *emu_module_func_at(struct emu_module *m, uint32_t i); /* entries only */
const struct emu_func_info *emu_func_info(struct emu_func *f);
/* Address and size of a .global/.const variable. False: no such variable. */
bool emu_module_var(struct emu_module *m, const char *name, uint64_t *addr, uint64_t *size,
                    bool *managed);
/* Registers from machine code's metadata, when the runtime found a cubin beside the PTX. */
void emu_func_set_registers(struct emu_func *f, uint32_t registers);

struct emu_launch {
    struct emu_func *func;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* 0, 0, 0: as the kernel was compiled for */
    uint32_t shared_bytes; /* dynamic */
    const void *params;    /* func_info.param_bytes */
    bool cooperative, nonportable_cluster;
    uint64_t stream; /* for the profile only */
};

/* Validates (sizes against the device profile) and runs. Counters and modelled time of
 * the launch are in *result when it is not NULL, and in the profile when one is on. */
struct emu_result {
    struct counters counters;
    double modelled_ms;            /* see model.c */
    const char *bound;             /* what bounds it in the model: "issue", "dram", … */
    double occupancy;              /* theoretical, 0..1 */
    const char *occupancy_limiter; /* "registers", "shared memory", "blocks", "warps" */
    uint32_t blocks_per_sm;
};
cudaError_t emu_launch(const struct emu_launch *l, struct emu_result *result);

/* Blocks of f that fit one SM of the device profile. */
uint32_t emu_occupancy(struct emu_func *f, uint32_t block_threads, uint32_t dynamic_shared,
                       const char **limiter);

/* The text of the last failure on this thread, "" when none. */
const char *emu_error_text(void);

/* ---- options (environment WARPLAB_*, or warprun's flags) ---- */
struct emu_options {
    int threads;         /* WARPLAB_THREADS; 0: all cores */
    uint64_t steps;      /* WARPLAB_STEPS: warp instructions a launch may take; 0: no limit */
    bool check;          /* WARPLAB_CHECK */
    const char *profile; /* WARPLAB_PROFILE: file, .csv or .json; NULL: none */
    const char *device;  /* WARPLAB_DEVICE: profile name */
    bool sample;         /* WARPLAB_SAMPLE=0: no sample of accesses for the time model, whose
                            times are then too long (benchmarks); counters are always on */
};
const struct emu_options *emu_options(void); /* read once from the environment */

/* ---- device profile (device.c; profiles/NAME.conf) ---- */
struct device_profile {
    char name[64]; /* "NVIDIA H200" */
    char key[32];  /* "h200" */
    uint32_t cc_major, cc_minor;
    uint32_t sms, warp_size, max_threads_per_block, max_threads_per_sm, max_blocks_per_sm;
    uint32_t max_block_dim[3];
    uint32_t max_grid_dim[3];
    uint32_t registers_per_sm, registers_per_block, max_registers_per_thread;
    uint32_t register_allocation_unit; /* registers, per warp */
    uint32_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved_per_block;
    uint32_t shared_allocation_unit;
    uint32_t const_bytes;
    uint64_t memory_bytes, l2_bytes;
    uint32_t banks, bank_bytes, sector_bytes;
    uint32_t coalescing_group; /* lanes whose accesses combine: 32, or 16 on G80 */
    uint32_t coalescing_rules; /* 0: sectors; 1: strict, G80's in-order segments */
    double clock_mhz, memory_clock_mhz;
    uint32_t memory_bus_bits;
    uint32_t issue_per_cycle; /* warp instructions an SM issues a cycle */
    uint32_t fp32_lanes, fp64_lanes, fp16_lanes, sfu_lanes, int_lanes; /* per SM and cycle */
    double tensor_flop_per_cycle;                                      /* dense f16, per SM */
    double dram_gbps, l2_gbps, shared_bytes_per_cycle;
    double dram_latency_cycles, l2_latency_cycles, shared_latency_cycles, alu_latency_cycles;
    double launch_overhead_us, event_overhead_us, pcie_gbps, pcie_latency_us;
};
const struct device_profile *device_profile(void); /* the one selected */

#endif
