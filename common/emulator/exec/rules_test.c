/* rules_test.c - a G80's coalescing and banks, on patterns counted by hand.
 *
 * Lane l of a pattern is at byte `at` + `step` * f(l); the two halves of a warp add up.
 */
#include "emulator/base/mem.h"
#include "emulator/base/error.h"
#include "emulator/base/profile.h"
#include "launch.h"
#include "rules.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL ~0u

static const struct device_profile g80 = {.banks = 16,
                                          .bank_bytes = 4,
                                          .sector_bytes = 32,
                                          .coalescing_group = 16,
                                          .coalescing_rules = 1};

static uint64_t same(uint64_t l)
{
    return l;
}
static uint64_t none(uint64_t l)
{
    return 0 * l;
}
static uint64_t swapped(uint64_t l)
{
    return l ^ 1;
}
static uint64_t upper_swapped(uint64_t l)
{
    return l < 16 ? l : l ^ 1;
}
static uint64_t pairs(uint64_t l)
{
    return l / 2;
}
static uint64_t odd(uint64_t l)
{
    return l & 1;
}

struct pattern {
    const char *name;
    uint64_t (*f)(uint64_t l);
    uint32_t at, step, size, mask;
    uint64_t units, conflicts;
};

static struct rule_count counted(const struct pattern *p, enum access_space space,
                                 enum access_kind kind)
{
    uint64_t addr[32];
    struct rule_count n = {0};
    struct access a = {
        .space = space, .kind = kind, .size = (uint8_t)p->size, .mask = p->mask, .addr = addr};

    for (uint64_t l = 0; l < 32; l++)
        addr[l] = p->at + p->step * p->f(l);
    rules_count(&g80, &a, &n);
    return n;
}

Test(rules, global_memory_coalesces_in_order_or_not_at_all)
{
    /* clang-format off */
    static const struct pattern rows[] = {
        /* pattern                         f              at    step size mask        sectors */
        {"neighbours",                     same,          4096,   4,  4,  ALL,        4, 0},
        {"shifted by half a warp",         same,          4160,   4,  4,  ALL,        4, 0},
        {"shifted by a word",              same,          4100,   4,  4,  ALL,       32, 0},
        {"every other word",               same,          4096,   8,  4,  ALL,       32, 0},
        {"pairs of lanes swapped",         swapped,       4096,   4,  4,  ALL,       32, 0},
        {"swapped in one half only",       upper_swapped, 4096,   4,  4,  ALL,       18, 0},
        {"all lanes at one word",          none,          4096,   4,  4,  ALL,       32, 0},
        {"even lanes alone, in order",     same,          4096,   4,  4,  0x55555555, 4, 0},
        {"even lanes alone, out of place", same,          4100,   4,  4,  0x55555555, 16, 0},
        {"one lane, in its place",         same,          4096,   4,  4,  1u << 20,   2, 0},
        {"one lane, out of its place",     same,          4100,   4,  4,  1u << 20,   1, 0},
        {"8-byte neighbours",              same,          4096,   8,  8,  ALL,        8, 0},
        {"8-byte neighbours, half off",    same,          4160,   8,  8,  ALL,       32, 0},
        {"16-byte neighbours",             same,          4096,  16, 16,  ALL,       16, 0},
        {"16-byte neighbours, half off",   same,          4160,  16, 16,  ALL,       32, 0},
        {"bytes",                          same,          4096,   1,  1,  ALL,       32, 0},
        {"2-byte words",                   same,          4096,   2,  2,  ALL,       32, 0},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rule_count n = counted(&rows[i], ACCESS_GLOBAL, i % 2 ? ACCESS_LOAD : ACCESS_STORE);

        cr_expect_eq(n.sectors, rows[i].units, "%s: %lu sectors", rows[i].name, n.sectors);
        cr_expect_eq(n.wavefronts + n.conflicts, 0);
    }
    cr_expect_eq(counted(&rows[0], ACCESS_GLOBAL, ACCESS_ATOMIC).sectors, 32);
}

Test(rules, sixteen_banks_serve_half_a_warp)
{
    /* clang-format off */
    static const struct pattern rows[] = {
        /* pattern                             f      at step size mask  wavefronts, conflicts */
        {"neighbours",                         same,   0,  4,  4, ALL,          2,  0},
        {"one half alone",                     same,   0,  4,  4, 0xffff0000,   1,  0},
        {"stride 2",                           same,   0,  8,  4, ALL,          4,  2},
        {"stride 4",                           same,   0, 16,  4, ALL,          8,  6},
        {"stride 16",                          same,   0, 64,  4, ALL,         32, 30},
        {"stride 17",                          same,   0, 68,  4, ALL,          2,  0},
        {"one word for all",                   none,  40,  4,  4, ALL,          2,  0},
        {"a word for two: no second broadcast", pairs, 0,  4,  4, ALL,          4,  2},
        {"two words of one bank",              odd,    0, 64,  4, ALL,          4,  2},
        {"bytes: four lanes a word",           same,   0,  1,  1, ALL,          8,  6},
        {"8 bytes: two words, stride 2 each",  same,   0,  8,  8, ALL,          8,  4},
        {"16 bytes: four words, stride 4 each", same,  0, 16, 16, ALL,         32, 24},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rule_count n = counted(&rows[i], ACCESS_SHARED, ACCESS_LOAD);

        cr_expect_eq(n.wavefronts, rows[i].units, "%s: %lu", rows[i].name, n.wavefronts);
        cr_expect_eq(n.conflicts, rows[i].conflicts, "%s: %lu", rows[i].name, n.conflicts);
        cr_expect_eq(n.sectors, 0);
    }
}

Test(rules, local_memory_is_laid_out_by_lane)
{
    static const struct pattern rows[] = {
        {"one offset", none, 8, 4, 4, ALL, 4, 0},
        {"one offset, 8 bytes", none, 8, 8, 8, ALL, 8, 0},
        {"an offset each", same, 8, 4, 4, ALL, 32, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rule_count n = counted(&rows[i], ACCESS_LOCAL, ACCESS_LOAD);

        cr_expect_eq(n.sectors, rows[i].units, "%s: %lu", rows[i].name, n.sectors);
    }
}

/* ---- through a launch ---- */

/* Lane l of each of 128 threads: loads word 2 l, stores word l, both of global memory; the
 * same of shared memory the other way round. */
static const char kernel[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                             ".shared .b32 tile[256];\n"
                             ".visible .entry k(.param .u64 p)\n{\n"
                             ".reg .b32 %t, %s, %r;\n.reg .b64 %p, %w, %n;\n"
                             "ld.param.u64 %p, [p];\nmov.u32 %t, %tid.x;\n"
                             "mul.wide.u32 %w, %t, 8;\nadd.u64 %w, %p, %w;\n"
                             "mul.wide.u32 %n, %t, 4;\nadd.u64 %n, %p, %n;\n"
                             "mov.u32 %s, tile;\nmad.lo.u32 %s, %t, 8, %s;\n"
                             "ld.global.u32 %r, [%w];\nst.shared.u32 [%s], %r;\n"
                             "mad.lo.u32 %s, %t, -4, %s;\n"
                             "ld.shared.u32 %r, [%s];\nst.global.u32 [%n], %r;\nret;\n}\n";

static struct counters launched(const char *device)
{
    const char *texts[] = {kernel};
    size_t lengths[] = {sizeof(kernel) - 1};
    struct emu_module *m;
    struct emu_result r;

    setenv("WARPLAB_DEVICE", device, 1);
    cr_assert_eq(emu_module_load(texts, lengths, 1, "test", &m), cudaSuccess, "%s",
                 emu_error_text());
    struct mem_alloc *a = mem_alloc(1024, 256, MEM_DEVICE, NULL);
    struct emu_launch l = {.func = emu_module_func(m, "k"),
                           .grid = {8, 1, 1},
                           .block = {128, 1, 1},
                           .params = &a->addr};
    cr_assert_eq(emu_launch(&l, &r), cudaSuccess, "%s", emu_error_text());
    return r.counters;
}

Test(rules, a_launch_on_a_g80)
{
    struct counters c = launched("g80");

    cr_expect_eq(c.global_ld_requests, 32);
    cr_expect_eq(c.global_ld_sectors, 32 * 32);
    cr_expect_eq(c.global_ld_bytes, 32 * 128);
    cr_expect_eq(c.global_st_sectors, 32 * 4);
    cr_expect_eq(c.shared_st_requests, 32);
    cr_expect_eq(c.shared_st_wavefronts, 32 * 4);
    cr_expect_eq(c.shared_st_bank_conflicts, 32 * 2);
    cr_expect_eq(c.shared_ld_wavefronts, 32 * 2);
    cr_expect_eq(c.shared_ld_bank_conflicts, 0);
}

Test(rules, the_same_launch_on_an_h200)
{
    struct counters c = launched("h200");

    cr_expect_eq(c.global_ld_requests, 32);
    cr_expect_eq(c.global_ld_sectors, 32 * 8);
    cr_expect_eq(c.global_st_sectors, 32 * 4);
    cr_expect_eq(c.shared_st_wavefronts, 32 * 2);
    cr_expect_eq(c.shared_st_bank_conflicts, 32);
    cr_expect_eq(c.shared_ld_wavefronts, 32);
    cr_expect_eq(c.shared_ld_bank_conflicts, 0);
}
