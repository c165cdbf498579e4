/* profile.h - the device profile: the constants of one GPU (profiles/NAME.conf). */
#ifndef EMULATOR_PROFILE_H
#define EMULATOR_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct device_profile {
    char name[64];   /* "NVIDIA H200" */
    const char *key; /* "h200" */
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
    double tensor_flop_per_cycle; /* of an SM's tensor cores: dense f16, at their best */
    /* What mma.sync and wmma get of them, by the factors' type: f16 and bf16, tf32, f64, of 8 bits,
     * single bits. */
    double mma_f16_flop_per_cycle, mma_tf32_flop_per_cycle, mma_f64_flop_per_cycle;
    double mma_int8_flop_per_cycle, mma_int1_flop_per_cycle;
    double mma_warp_part; /* of that, what a warp gets that has its scheduler for itself */
    double dram_gbps, l2_gbps, shared_bytes_per_cycle;
    double dram_spread_cycles; /* later, of twice as many lines the last */
    double dram_latency_cycles, l2_latency_cycles, l1_latency_cycles, shared_latency_cycles;
    double alu_latency_cycles, fp64_latency_cycles, special_latency_cycles;
    double division_latency_cycles, int_division_latency_cycles, matrix_latency_cycles;
    double wgmma_latency_cycles; /* from the last product's end until who waits goes on */
    double branch_cycles;        /* from a branch to its target's first instruction */
    double barrier_cycles, barrier_warp_cycles; /* from the last arrival on: that, and by warp */
    double cluster_barrier_cycles, cluster_barrier_warp_cycles; /* likewise, of a cluster */
    /* From an arrival at an mbarrier until who waits goes on; at another block's of the cluster;
     * from a bulk copy's first byte being asked for, of L2, until then. */
    double mbarrier_cycles, mbarrier_peer_cycles, bulk_latency_cycles;
    double machine_insts_per_ptx, division_insts; /* the latter: that a division is made of */
    double block_issue_cycles; /* a scheduler's, from one instruction of a block to its next */
    double block_start_cycles, block_start_warp_cycles; /* on an SM, one and each of its warps */
    double block_every_cycles; /* of the device, from one block's start to the next one's */
    double bank_wait_cycles;   /* a warp's, for each pass of its request after the first */
    double l1_pass_cycles,
        l1_lines_per_pass; /* a pass through L1; lines that its tags find in one */
    double l1_sectors_per_cycle, l2_sm_bytes_per_cycle, atomic_passes_per_cycle; /* of an SM */
    /* Likewise, that bulk copies bring: many; one alone, once it comes. */
    double bulk_bytes_per_cycle, bulk_burst_bytes_per_cycle;
    double atomic_chain_cycles; /* from one request for atomics at an address to the next */
    double const_cache_bytes, const_miss_cycles; /* constants that are fast; a load of others */
    double bounds_norm; /* how the bounds of a launch's time add up: count/MODEL.md */
    double launch_overhead_us, event_overhead_us;
    /* Copies between host and device: pinned memory one way, and each way while both are under
     * way; pageable memory, to the device from a cache of the host and from beyond it. */
    double pcie_gbps, pcie_both_gbps, copy_in_latency_us, copy_out_latency_us;
    double pageable_in_latency_us, pageable_in_gbps, pageable_in_far_gbps, pageable_out_gbps;
    double host_cache_mb;
    double mapped_gbps, mapped_both_gbps; /* kernels on the host's memory */
    /* Managed pages: prefetched; moved because they were touched. */
    double prefetch_latency_us, prefetch_in_gbps, prefetch_out_gbps;
    double fault_latency_us, fault_in_gbps, fault_out_gbps;
    /* Between two of these, one way; 0: neither has access to the other's memory. */
    double peer_gbps, peer_latency_us;
    double staged_gbps, staged_latency_us; /* without access: through the host */
};
const struct device_profile *device_profile(void); /* the one selected */
/* One of those built in; false when there is none of that name. */
bool device_profile_named(const char *key, struct device_profile *out);

#endif
