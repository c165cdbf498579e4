/* traffic_test.c - what a block's L1 keeps and what goes on to L2. */
#include "emulator/base/mem.h"
#include "traffic.h"
#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>

static uint64_t data;
static struct counters counted;

static void load(struct listener *l, struct block_info *b, uint64_t from, uint64_t step,
                 enum access_kind kind)
{
    uint64_t addr[32];
    struct access a = {.kind = kind, .space = ACCESS_GLOBAL, .size = 4, .mask = ~0u, .addr = addr};

    for (uint64_t i = 0; i < 32; i++)
        addr[i] = data + from + i * step;
    l->access(l, b, &a);
}

/* One block of one: whatever fn does, with `sectors` counted for the launch. */
static struct model_launch run(void (*fn)(struct listener *l, struct block_info *b),
                               uint64_t sectors)
{
    static uint64_t serial;
    struct listener *l = traffic_listener();
    struct block_info b = {
        .launch = ++serial, .nctaid = {1, 1, 1}, .ntid = {256, 1, 1}, .threads = 256, .warps = 8};
    struct model_launch m = {0};

    if (!data)
        data = mem_alloc(1 << 26, 4096, MEM_DEVICE, NULL)->addr; /* more than L2 */
    counted = (struct counters){.global_ld_sectors = sectors, .const_ld_requests = 20};
    l->block_begin(l, &b);
    fn(l, &b);
    l->block_end(l, &b);
    traffic_result(b.launch, &counted, &m);
    return m;
}

static void twice(struct listener *l, struct block_info *b)
{
    load(l, b, 0, 4, ACCESS_LOAD);
    load(l, b, 0, 4, ACCESS_LOAD);
}

Test(traffic, the_second_load_hits)
{
    struct model_launch m = run(twice, 8);

    cr_assert_eq(m.sampled.l2_sectors, 4);
    cr_assert_eq(m.sampled.l1_passes, 2);
    cr_assert_eq(m.sampled.dram_sectors, 4);
}

/* A bulk copy of 256 bytes, in pieces of 16. */
static void bulk(struct listener *l, struct block_info *b, enum access_kind kind)
{
    static const struct site site = {.opcode = "cp.async.bulk.tensor.2d"};
    uint64_t addr[32];
    struct access a = {.site = &site,
                       .kind = kind,
                       .space = ACCESS_GLOBAL,
                       .size = 16,
                       .mask = 1,
                       .is_async = true,
                       .addr = addr};

    for (uint64_t k = 0; k < 256; k += 16) {
        addr[0] = data + k;
        l->access(l, b, &a);
    }
}

static void bulk_twice(struct listener *l, struct block_info *b)
{
    bulk(l, b, ACCESS_LOAD);
    bulk(l, b, ACCESS_LOAD);
}

static void bulk_store(struct listener *l, struct block_info *b)
{
    bulk(l, b, ACCESS_STORE);
}

Test(traffic, bulk_copies_pass_l1_by)
{
    struct model_launch m = run(bulk_twice, 16);

    cr_assert_eq(m.sampled.l2_sectors, 16);
    cr_assert_eq(m.sampled.l1_passes, 0);
    cr_assert_eq(m.sampled.l2_repeated, 0);
    cr_assert_eq(m.sampled.dram_sectors, 8);
}

/* All bytes of its sectors are new: DRAM need not bring the old ones. */
Test(traffic, bulk_stores_write_whole_sectors)
{
    cr_assert_eq(run(bulk_store, 8).sampled.dram_sectors, 8);
}

/* Times are of launches that find their data where the one before left it. */
Test(traffic, what_fits_l2_is_there)
{
    data = mem_alloc(1 << 20, 4096, MEM_DEVICE, NULL)->addr;
    struct model_launch m = run(twice, 8);

    cr_assert_eq(m.sampled.l2_sectors, 4);
    cr_assert_eq(m.sampled.dram_sectors, 0);
}

static void constants(struct listener *l, struct block_info *b)
{
    static const struct site site = {.opcode = "ld.const.f32"};
    uint64_t addr[32];
    struct access a = {.site = &site, .space = ACCESS_GLOBAL, .size = 4, .mask = ~0u, .addr = addr};

    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < 32; i++)
            addr[i] = data + 4 * (uint64_t)k;
        l->access(l, b, &a);
    }
    load(l, b, 1 << 10, 4, ACCESS_LOAD);
}

/* They have a cache of their own: of the sectors counted, loads' alone go on to L2. */
Test(traffic, constants_are_apart)
{
    struct model_launch m = run(constants, 4);

    cr_assert_eq(m.sampled.l2_sectors, 4);
    cr_assert_eq(m.sampled.const_bytes, 96); /* 80 of them are read */
    cr_assert_eq(m.sampled.const_visits, 2); /* lines of 64 */
}

static void strided(struct listener *l, struct block_info *b)
{
    load(l, b, 0, 128, ACCESS_LOAD);
}

Test(traffic, a_line_each)
{
    struct model_launch m = run(strided, 32);

    cr_assert_eq(m.sampled.l2_sectors, 32);
    cr_assert_eq(m.sampled.l1_passes, 32);
}

static void spread(struct listener *l, struct block_info *b)
{
    load(l, b, 0, 132, ACCESS_LOAD);
    load(l, b, 0, 132, ACCESS_LOAD);
}

/* Lines that L1 has not, a pass each; those that it has, several in one where banks allow it. */
Test(traffic, lines_in_banks_of_their_own)
{
    uint32_t found = (uint32_t)ceil(32 / device_profile()->l1_lines_per_pass);

    cr_assert_eq(run(spread, 64).sampled.l1_passes, 32 + found);
}

static void stores(struct listener *l, struct block_info *b)
{
    load(l, b, 0, 4, ACCESS_STORE);
    load(l, b, 0, 4, ACCESS_STORE);
}

Test(traffic, stores_go_through)
{
    cr_assert_eq(run(stores, 8).sampled.l2_sectors, 8);
}

static void too_much(struct listener *l, struct block_info *b)
{
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < 1 << 20; at += 128)
            load(l, b, at, 4, ACCESS_LOAD);
}

Test(traffic, more_than_l1_holds)
{
    struct model_launch m = run(too_much, 65536);

    cr_assert_gt(m.sampled.l2_sectors, 60000);
}

static void a_quarter_twice(struct listener *l, struct block_info *b)
{
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < 1 << 16; at += 128)
            load(l, b, at, 4, ACCESS_LOAD);
}

/* A block that is alone on its SM has all of its L1. */
Test(traffic, a_small_grid_shares_no_l1)
{
    cr_assert_eq(run(a_quarter_twice, 4096).sampled.l2_sectors, 2048);
}

static void endless(struct listener *l, struct block_info *b)
{
    for (uint64_t i = 0; i < 5000; i++)
        load(l, b, i % 8192 * 128, 4, ACCESS_LOAD);
}

/* The first 4096 requests decide: they all miss, so all are taken to. */
Test(traffic, the_beginning_stands_for_the_rest)
{
    cr_assert_eq(run(endless, 20000).sampled.l2_sectors, 20000);
}

Test(traffic, sample)
{
    int n = 0;

    static const uint32_t line[3] = {100000, 1, 1}, plane[3] = {400, 250, 1}, one[3] = {1, 1, 1},
                          eight[3] = {2, 2, 2};
    int in_plane = 0;

    for (uint64_t i = 0; i < 100000; i++) {
        n += traffic_wants(i, line);
        in_plane += traffic_wants(i, plane);
    }
    cr_assert_eq(n, 8);
    cr_assert_eq(in_plane, 8);
    cr_assert(traffic_wants(12500, line) && traffic_wants(12501, line));
    cr_assert(traffic_wants(37500, plane) && traffic_wants(37500 + 400, plane));
    cr_assert(traffic_wants(0, one));
    cr_assert(traffic_wants(7, eight));
}

/* Others, of grids of any size as many, and by another number others again. */
Test(traffic, sample_elsewhere)
{
    uint64_t sums[2] = {0};

    for (uint64_t at = 1; at <= 2; at++) {
        cr_assert_eq(traffic_set_sample_at(at), at - 1);
        for (uint32_t width = 9; width < 3000; width = 2 * width - 1) {
            const uint32_t line[3] = {width, 1, 1};
            int n = 0;

            for (uint64_t i = 0; i < width; i++) {
                n += traffic_wants(i, line);
                sums[at - 1] += traffic_wants(i, line) ? i : 0;
            }
            cr_assert(n == 8 || width < 16, "%d of %u", n, width);
        }
    }
    traffic_set_sample_at(0);
    cr_assert_neq(sums[0], sums[1]);
}

/* Where a launch fails, its blocks do not end: what was kept of them, 32 KiB each, must go. */
Test(traffic, blocks_that_never_end)
{
    struct listener *l = traffic_listener();
    struct block_info b = {.nctaid = {1, 1, 1}, .ntid = {32, 1, 1}, .threads = 32};
    struct model_launch m = {0};

    data = mem_alloc(1 << 20, 4096, MEM_DEVICE, NULL)->addr;
    counted = (struct counters){.global_ld_sectors = 8};
    size_t before = mallinfo2().uordblks;
    for (b.launch = 1; b.launch < 100; b.launch++) {
        l->block_begin(l, &b);
        cr_assert_not_null(b.user[l->slot]);
        twice(l, &b);
        traffic_result(b.launch, &counted, &m);
        cr_assert_eq(m.sampled.l2_sectors, 0);
    }
    cr_assert_lt(mallinfo2().uordblks, before + (1 << 20));
}

static uint64_t block_index;

/* Of 100 blocks, each of which makes so many requests. */
static struct model_launch run_grid(void (*fn)(struct listener *l, struct block_info *b),
                                    uint64_t requests)
{
    static uint64_t serial = 1 << 20;
    struct listener *l = traffic_listener();
    struct model_launch m = {0};

    data = data ? data : mem_alloc(1 << 26, 4096, MEM_DEVICE, NULL)->addr;
    counted = (struct counters){.global_red_requests = 100 * requests};
    serial++;
    for (block_index = 0; block_index < 100; block_index++) {
        struct block_info b = {.launch = serial,
                               .index = block_index,
                               .nctaid = {100, 1, 1},
                               .ntid = {256, 1, 1},
                               .threads = 256,
                               .warps = 8};

        l->block_begin(l, &b);
        fn(l, &b);
        l->block_end(l, &b);
    }
    traffic_result(serial, &counted, &m);
    return m;
}

static void one_counter(struct listener *l, struct block_info *b)
{
    load(l, b, 0, 0, ACCESS_ATOMIC);
    load(l, b, 64, 4, ACCESS_ATOMIC);
    load(l, b, 0, 0, ACCESS_ATOMIC);
}

static void own_counters(struct listener *l, struct block_info *b)
{
    load(l, b, 4 * block_index, 0, ACCESS_ATOMIC);
    load(l, b, 4 * block_index, 0, ACCESS_ATOMIC);
}

/* Lanes at one address are one request; all blocks of the grid wait at one that all share. */
Test(traffic, the_longest_queue_for_atomics)
{
    cr_assert_eq(run_grid(one_counter, 3).sampled.atom_chain, 200);
    cr_assert_eq(run_grid(own_counters, 2).sampled.atom_chain, 2);
    cr_assert_eq(run(twice, 8).sampled.atom_chain, 0);
}
