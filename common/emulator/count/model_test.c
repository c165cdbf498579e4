/* model_test.c - modelled against measured times.
 *
 * H200: medians on the device (CUDA 13.0). Counters are the emulator's, of a launch `scale`
 * times smaller; the kernels are linear in it. Reductions of 2^30 ints, copy and 3-point
 * convolution of 2^26 floats, matrices of 1024 x 1024. The blocks of the copy (256), the
 * convolution (128) and the matrices (32 x 32) were not recorded with the times; they are
 * taken to be what is usual.
 * G80: the lecture's reductions of 2^22 ints in blocks of 128, with the same counters. A
 * G80's rules count more wavefronts (rules.c) and its compiler made other instructions; issue
 * and memory bound these steps, not banks.
 */
#include "model.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* clang-format off */
static const struct row {
    const char *name;
    double ms;         /* measured */
    int tolerance;     /* percent */
    uint64_t blocks;   /* of the measured launch */
    uint32_t threads, registers;
    uint64_t scale, inst, div, loads, ld_sectors, st_sectors;
    uint64_t s_loads, s_ld_waves, s_st_waves, barriers, l2, unique, lines;
} rows[] = {
/*   kernel                        ms      %  blocks   thr   rg  scale inst     div     loads    ld sect  st sect s loads s ld wv s st wv barrier  l2       uniq    lines */
    {"reduction 1",                8.837, 15, 8388608,  128, 13, 256, 14778368, 917504,  131072,   524288,  32768, 1540096, 1540096, 884736, 1048576,  557056, 528384,   163840},
    {"reduction 2",                5.836, 20, 8388608,  128, 13, 256, 12615680,      0,  131072,   524288,  32768,  557056, 1540096, 884736, 1048576,  557056, 528384,   163840},
    {"reduction 3",                5.107, 10, 8388608,  128, 12, 256,  9994240,      0,  131072,   524288,  32768,  557056,  557056, 393216, 1048576,  557056, 528384,   163840},
    {"reduction 4",                2.554, 10, 4194304,  128, 12, 256,  5390336,      0,  131072,   524288,  16384,  278528,  278528, 196608,  524288,  540672, 528384,   147456},
    {"reduction 5",                2.544, 15, 4194304,  128, 13, 256,  3047424,      0,  131072,   524288,  16384,  278528,  278528, 196608,  131072,  540672, 528384,   147456},
    {"reduction 6",                2.543, 15, 4194304,  128, 12, 256,  2523136,      0,  131072,   524288,  16384,  278528,  278528, 196608,  131072,  540672, 528384,   147456},
    {"reduction 7, 64 blocks",     23.86, 10,      64,  128, 15, 256,   796032,      0,  131072,   524288,     64,    1088,    1088,    768,     512,  524352, 524352,   131136},
    {"reduction 7, 256 blocks",     5.98, 10,     256,  128, 15, 256,   824832,      0,  131072,   524288,    256,    4352,    4352,   3072,    2048,  524544, 524544,   131328},
    {"reduction 7, 1024 blocks",   1.695, 20,    1024,  128, 15, 256,   940032,      0,  131072,   524288,   1024,   17408,   17408,  12288,    8192,  525312, 525312,   132096},
    {"reduction 7, 4096 blocks",    1.09, 15,    4096,  128, 15, 256,  1400832,      0,  131072,   524288,   4096,   69632,   69632,  49152,   32768,  528384, 528384,   135168},
    {"reduction beyond 7",         0.952,  5,    1056,  256, 17, 256,   609632,      0,   32768,   524288,      0,    8448,    8448,   8448,    8448,  525344, 525344,   132128},
    {"copy",                      0.2242, 25,  262144,  256, 12,  16,  2097152,      0,  131072,   524288, 524288,       0,       0,      0,       0, 1048576, 1048576,   262144},
    {"convolution, naive",        0.3246, 30,  524288,  128, 16,  16,  4194304,      0,  393216,  1835006, 524288,       0,       0,      0,       0, 1114111, 1048576,   786431},
    {"convolution, shared",       0.3242, 20,  524288,  128, 15,  16,  4947966,      0,  196606,   589822, 524288,  393216,  393216, 196608,  131072, 1114110, 1048576,   327679},
    {"matmul, x along columns",    0.341, 25,    1024, 1024, 29,  64,  2965504,      0, 1048576,  2621440,   8192,       0,       0,      0,       0,  149888,   6144,  1050624},
    {"matmul, x along rows",       4.383, 10,    1024, 1024, 29,  64,  2965504,      0, 1048576, 17301504,  65536,       0,       0,      0,       0,  435872,   6144, 17367040},
};
/* clang-format on */
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct device_profile h200 = {
    .cc_major = 9,
    .sms = 132,
    .warp_size = 32,
    .max_threads_per_block = 1024,
    .max_threads_per_sm = 2048,
    .max_blocks_per_sm = 32,
    .registers_per_sm = 65536,
    .registers_per_block = 65536,
    .max_registers_per_thread = 255,
    .register_allocation_unit = 256,
    .shared_per_sm = 233472,
    .shared_per_block = 49152,
    .shared_per_block_optin = 232448,
    .shared_reserved_per_block = 1024,
    .shared_allocation_unit = 128,
    .l2_bytes = 62914560,
    .banks = 32,
    .bank_bytes = 4,
    .sector_bytes = 32,
    .clock_mhz = 1980,
    .issue_per_cycle = 4,
    .fp32_lanes = 128,
    .fp64_lanes = 64,
    .fp16_lanes = 256,
    .sfu_lanes = 16,
    .int_lanes = 64,
    .tensor_flop_per_cycle = 4096,
    .dram_gbps = 4500,
    .l2_gbps = 5500,
    .shared_bytes_per_cycle = 128,
    .dram_latency_cycles = 650,
    .l2_latency_cycles = 260,
    .shared_latency_cycles = 30,
    .alu_latency_cycles = 4,
    .launch_overhead_us = 2.5,
};
static const struct device_profile g80 = {
    .cc_major = 1,
    .sms = 16,
    .warp_size = 32,
    .max_threads_per_block = 512,
    .max_threads_per_sm = 768,
    .max_blocks_per_sm = 8,
    .registers_per_sm = 8192,
    .registers_per_block = 8192,
    .max_registers_per_thread = 124,
    .register_allocation_unit = 256,
    .shared_per_sm = 16384,
    .shared_per_block = 16384,
    .shared_allocation_unit = 512,
    .banks = 16,
    .bank_bytes = 4,
    .sector_bytes = 32,
    .clock_mhz = 1350,
    .issue_per_cycle = 1,
    .fp32_lanes = 8,
    .int_lanes = 8,
    .sfu_lanes = 2,
    .dram_gbps = 73,
    .shared_bytes_per_cycle = 32,
    .dram_latency_cycles = 500,
    .shared_latency_cycles = 24,
    .alu_latency_cycles = 24,
    .launch_overhead_us = 7,
};

static struct counters counters_of(const struct row *r, uint64_t scale)
{
    return (struct counters){
        .inst_executed = r->inst * scale,
        .div_ops = r->div * scale,
        .global_ld_requests = r->loads * scale,
        .global_ld_sectors = r->ld_sectors * scale,
        .global_st_requests = (r->st_sectors + 3) / 4 * scale,
        .global_st_sectors = r->st_sectors * scale,
        .shared_ld_requests = r->s_loads * scale,
        .shared_ld_wavefronts = r->s_ld_waves * scale,
        .shared_st_wavefronts = r->s_st_waves * scale,
        .barriers = r->barriers * scale,
    };
}

static double modelled(const struct row *r, const struct device_profile *d, uint64_t scale,
                       uint64_t blocks, struct emu_result *out)
{
    struct counters c = counters_of(r, scale);
    struct model_launch l = {.blocks = blocks, .threads_per_block = r->threads};

    if (d->l2_bytes) {
        l.l2_sectors = r->l2 * scale;
        l.unique_sectors = r->unique * scale;
        l.l1_lines = r->lines * scale;
    }
    l.occupancy = occupancy_of(d, r->threads, d == &g80 ? 10 : r->registers, 528);
    model_time(&c, &l, d, out);
    return out->modelled_ms;
}

Test(model, h200_as_measured)
{
    for (size_t i = 0; i < ROWS; i++) {
        struct emu_result out = {0};
        double t = modelled(&rows[i], &h200, rows[i].scale, rows[i].blocks, &out);
        double off = 100 * (t / rows[i].ms - 1);

        cr_expect(fabs(off) <= rows[i].tolerance, "%s: %.4f ms, measured %.4f, %+.0f%%, bound %s",
                  rows[i].name, t, rows[i].ms, off, out.bound);
    }
}

Test(model, g80_ladder_of_the_lecture)
{
    static const double measured[] = {8.054, 3.456, 1.722, 0.965, 0.536, 0.381, 0.268};
    double t[7];

    for (int i = 0; i < 7; i++) {
        struct emu_result out = {0};

        t[i] = modelled(&rows[i], &g80, 1, i < 6 ? rows[i].blocks / 256 : 64, &out);
        cr_expect(fabs(t[i] / measured[i] - 1) < 0.35, "step %d: %.3f ms, measured %.3f", i + 1,
                  t[i], measured[i]);
        cr_expect(i == 0 || t[i] < t[i - 1], "step %d is slower than the one before", i + 1);
    }
    cr_expect(t[0] / t[6] > 25 && t[0] / t[6] < 40, "30 x in all, modelled %.1f", t[0] / t[6]);
}

/* ---- single effects ---- */

static struct emu_result one(struct counters c, uint64_t blocks, uint32_t threads)
{
    struct model_launch l = {.blocks = blocks, .threads_per_block = threads};
    struct emu_result out = {0};

    l.occupancy = occupancy_of(&h200, threads, 32, 0);
    model_time(&c, &l, &h200, &out);
    return out;
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
        {"tensor", {.tensor_flop = 1ull << 48}},
        {"shared", {.shared_ld_wavefronts = 1u << 30}},
        {"l1", {.global_st_requests = 1u << 27, .global_st_sectors = 1u << 20}},
        {"dram", {.global_ld_requests = 1u << 25, .global_ld_sectors = 1u << 27}},
        {"atomics", {.global_atom_passes = 1u << 27}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        cr_expect_str_eq(one(cases[i].c, 132 * 64, 256).bound, cases[i].bound, "%s: %s",
                         cases[i].bound, one(cases[i].c, 132 * 64, 256).bound);
    cr_expect_str_eq(one((struct counters){.inst_executed = 100}, 1, 32).bound, "launch");
    cr_expect_str_eq(
        one((struct counters){.global_ld_requests = 1u << 20, .global_ld_sectors = 1u << 20}, 1, 32)
            .bound,
        "latency");
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

    double t = one(c, 132, 256).modelled_ms - 0.0025, u = one(more, 133, 256).modelled_ms - 0.0025;

    cr_expect(fabs(u / t - 2) < 0.05, "%.4f ms after %.4f", u, t);
}

Test(model, copies)
{
    struct device_profile d = h200;

    d.pcie_gbps = 50;
    d.pcie_latency_us = 10;
    cr_expect_float_eq(model_copy_ms(&d, 50000000, true), 1.01, 1e-9);
    cr_expect_float_eq(model_copy_ms(&d, 4500000, false), 0.0045, 1e-9);
}
