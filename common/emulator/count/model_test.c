/* model_test.c - the model's single effects. How near it comes to measured times: ladders_test.c.
 */
#include "model.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct device_profile h200;

static void setup(void)
{
    cr_assert(device_profile_named("h200", &h200));
}

TestSuite(model, .init = setup);

static struct emu_result sampled(struct counters c, struct sampled s, uint64_t blocks,
                                 uint32_t threads)
{
    struct model_launch l = {.blocks = blocks, .threads_per_block = threads, .sampled = s};
    struct emu_result out = {0};

    l.occupancy = occupancy_of(&h200, threads, 32, 0);
    model_time(&c, &l, &h200, &out);
    return out;
}

static struct emu_result one(struct counters c, uint64_t blocks, uint32_t threads)
{
    return sampled(c, (struct sampled){0}, blocks, threads);
}

Test(model, each_bound_can_be_the_one)
{
    static const struct {
        const char *bound;
        struct counters c;
    } cases[] = {
        {"issue", {.inst_executed = 1u << 30}},
        {"fp32", {.flop_fp32 = 1ull << 42}},
        {"fp64", {.flop_fp64 = 1ull << 42}},
        {"fp16", {.flop_fp16 = 1ull << 42}},
        {"sfu", {.sfu_ops = 1u << 30}},
        {"tensor", {.tensor_flop = 1ull << 48, .tensor_ops_fp16 = 1ull << 48}},
        {"shared", {.shared_ld_wavefronts = 1u << 30}},
        {"l1", {.global_st_requests = 1u << 27, .global_st_sectors = 1u << 20}},
        {"dram", {.global_ld_requests = 1u << 25, .global_ld_sectors = 1u << 27}},
        {"atomics", {.global_atom_passes = 1u << 27}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        cr_expect_str_eq(one(cases[i].c, 132 * 64, 256).bound, cases[i].bound, "%s: %s",
                         cases[i].bound, one(cases[i].c, 132 * 64, 256).bound);
    cr_expect_str_eq(one((struct counters){.inst_executed = 100}, 1, 32).bound, "launch");
    struct sampled s = {.known = true, .life_l2 = 1e6, .life_dram = 1e6};
    cr_expect_str_eq(sampled((struct counters){.inst_executed = 100}, s, 1, 32).bound, "latency");
    s = (struct sampled){.known = true, .const_visits = 1u << 30, .const_bytes = 1 << 10};
    cr_expect_str_eq(sampled((struct counters){.inst_executed = 1}, s, 132, 32).bound, "const");
    cr_expect_str_eq(one((struct counters){.inst_executed = 100}, 1u << 20, 32).bound, "blocks");
}

Test(model, conflicts_double_the_time)
{
    double before = 0;

    for (int way = 1; way <= 32; way *= 2) {
        struct counters c = {.shared_ld_requests = 1u << 24,
                             .shared_ld_wavefronts = (uint64_t)way << 24};
        double t = one(c, 132 * 8, 256).modelled_ms - h200.launch_overhead_us * 1e-3;

        cr_expect(way < 4 || fabs(t / before - 2) < 0.05, "%d ways: %.4f after %.4f ms", way, t,
                  before);
        before = t;
    }
}

Test(model, a_last_partial_wave_costs_a_whole_one)
{
    struct counters c = {.inst_executed = 132u << 20};
    struct counters more = {.inst_executed = 133u << 20};

    double o = h200.launch_overhead_us * 1e-3;
    double t = one(c, 132, 256).modelled_ms - o, u = one(more, 133, 256).modelled_ms - o;

    cr_expect(fabs(u / t - 2) < 0.05, "%.4f ms after %.4f", u, t);
}

/* Two waves of blocks live twice as long as one, whatever they do, and the second one starts. */
Test(model, waves_of_blocks)
{
    struct sampled s = {.known = true, .life_l2 = 1e5, .life_dram = 2e5};
    struct counters c = {.inst_executed = 1};
    uint64_t wave = 132 * 8;
    double o = h200.launch_overhead_us * 1e-3;
    double t = sampled(c, s, wave, 256).modelled_ms - o;
    double u = sampled(c, s, wave + 1, 256).modelled_ms - o;

    double start = h200.block_start_cycles + 8 * h200.block_start_warp_cycles;

    cr_expect(fabs(t * h200.clock_mhz * 1e3 / 1e5 - 1) < 0.01, "%.4f ms", t);
    cr_expect(fabs(u * h200.clock_mhz * 1e3 / (2e5 + start) - 1) < 1e-3, "%.4f ms", u);
}

/* A block that is alone on its SM lives as long as its warps issue; of several, each can be in the
 * others' way. */
Test(model, what_a_block_alone_issues_is_in_its_life)
{
    for (uint64_t blocks = 132; blocks <= 264; blocks += 132) {
        struct counters c = {.inst_executed = blocks * 400000, .flop_fp32 = blocks * 25600000};
        struct sampled s = {.known = true, .life_l2 = 1e5, .life_dram = 1e5};
        double idle = sampled((struct counters){.inst_executed = 1}, s, blocks, 256).modelled_ms;
        double busy = sampled(c, s, blocks, 256).modelled_ms;

        cr_expect(blocks == 132 ? fabs(busy / idle - 1) < 1e-3 : busy > 1.1 * idle, "%.4f, %.4f ms",
                  busy, idle);
        s.life_l2 = s.life_dram = 1;
        cr_expect_gt(sampled(c, s, blocks, 256).modelled_ms, 0.8 * idle);
    }
}

/* Bounds that are as long as each other get in each other's way. */
Test(model, equal_bounds_add_up_by_the_norm)
{
    struct counters a = {.flop_fp32 = 1ull << 42};
    struct counters both = {.flop_fp32 = 1ull << 42, .flop_fp16 = 1ull << 43};
    double o = h200.launch_overhead_us * 1e-3;
    double t = one(a, 132, 256).modelled_ms - o, u = one(both, 132, 256).modelled_ms - o;

    cr_expect(fabs(u / t - pow(2, 1 / h200.bounds_norm)) < 1e-3, "%.4f ms after %.4f", u, t);
}

/* The first constants that do not fit make each load of one slow. */
Test(model, constants_that_do_not_fit)
{
    struct counters c = {.const_ld_requests = 1u << 28};
    struct sampled s = {
        .known = true, .const_visits = 1u << 28, .const_bytes = (uint64_t)h200.const_cache_bytes};
    double fits = sampled(c, s, 132, 256).modelled_ms;

    s.const_bytes += 32;
    cr_expect_gt(sampled(c, s, 132, 256).modelled_ms, 100 * fits);
}

/* As many passes, at many addresses and at one. */
Test(model, atomics_at_one_address_wait_for_each_other)
{
    struct counters c = {.global_atom_passes = 1 << 20, .global_red_requests = 1 << 20};
    struct sampled s = {.known = true};
    double apart = sampled(c, s, 132, 256).modelled_ms;

    s.atom_chain = 1 << 20;
    cr_expect_gt(sampled(c, s, 132, 256).modelled_ms,
                 30 * (apart - 2 * h200.launch_overhead_us * 1e-3));
    cr_expect_str_eq(sampled(c, s, 132, 256).bound, "atomics");
}

Test(model, copies)
{
    struct device_profile d = h200;

    d.pcie_gbps = 50;
    d.copy_in_latency_us = 10;
    d.copy_out_latency_us = 20;
    d.pageable_in_gbps = 10;
    d.pageable_in_far_gbps = 5;
    d.pageable_out_gbps = 8;
    d.host_cache_mb = 20;
    d.pageable_in_latency_us = 10;
    cr_expect_float_eq(model_copy_ms(&d, 50000000, (struct copy_path){COPY_IN, PINNED_MEMORY}),
                       1.01, 1e-9);
    cr_expect_float_eq(model_copy_ms(&d, 50000000, (struct copy_path){COPY_OUT, PINNED_MEMORY}),
                       1.02, 1e-9);
    cr_expect_float_eq(model_copy_ms(&d, 50000000, (struct copy_path){COPY_IN, PAGEABLE_MEMORY}),
                       0.01 + 2 + 6, 1e-9);
    cr_expect_float_eq(model_copy_ms(&d, 40000000, (struct copy_path){COPY_OUT, PAGEABLE_MEMORY}),
                       0.02 + 5, 1e-9);
    cr_expect_eq(model_copy_ms(&d, 40000000, (struct copy_path){COPY_ON_HOST, PAGEABLE_MEMORY}), 0);
    cr_expect_float_eq(
        model_copy_ms(&d, 4500000, (struct copy_path){COPY_ON_DEVICE, PINNED_MEMORY}),
        d.launch_overhead_us * 1e-3 + 9.0 / d.dram_gbps, 1e-9);
}

/* mma.sync gets less of the tensor cores than wgmma does; each type its own rate. */
Test(model, tensor_cores_by_instruction_and_type)
{
    const uint64_t ops = 1ull << 44;
    struct counters f16 = {.tensor_flop = ops, .tensor_ops_fp16 = ops}, wgmma = f16;
    struct counters tf32 = {.tensor_flop = ops, .tensor_ops_tf32 = ops};

    wgmma.wgmma_ops = ops;
    double sync = one(f16, 132 * 64, 256).modelled_ms,
           async = one(wgmma, 132 * 64, 256).modelled_ms;
    double slow = one(tf32, 132 * 64, 256).modelled_ms;
    double rates = h200.tensor_flop_per_cycle / h200.mma_f16_flop_per_cycle;
    cr_expect(rates > 1 && fabs(sync / async / rates - 1) < 0.01, "%g and %g ms", sync, async);
    rates = h200.mma_f16_flop_per_cycle / h200.mma_tf32_flop_per_cycle;
    cr_expect(fabs(slow / sync / rates - 1) < 0.01, "%g and %g ms", slow, sync);
}
