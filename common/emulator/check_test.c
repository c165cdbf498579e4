/* check_test.c - the checker fed with events by hand, as the interpreter would send them.
 *
 * Each test plays one small kernel and states which findings there must be. Criterion runs
 * a test in a process of its own, so every one starts with no findings.
 */
#include "check.h"
#include "code.h"
#include "mem.h"
#include "warplab.h"
#include <inttypes.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 100, BLOCKS = 4 };
static struct site sites[LINES];
static struct block_info blocks[BLOCKS];
static struct listener *l;
static uint8_t shared[BLOCKS][65536];
static struct emu_func *the_func;
static uint64_t data, other; /* two device allocations of 64 KiB */

static const struct site *line(uint32_t n, const char *opcode)
{
    sites[n] = (struct site){.line = n, .file = "k.cu", .opcode = opcode, .index = n};
    return &sites[n];
}

static void block_start(uint32_t i, uint32_t nblocks, uint32_t threads)
{
    static uint64_t launch;

    if (i == 0)
        launch++;
    blocks[i] = (struct block_info){
        .kernel = "k",
        .func = the_func,
        .launch = launch,
        .index = i,
        .ctaid = {i, 0, 0},
        .ntid = {threads, 1, 1},
        .nctaid = {nblocks, 1, 1},
        .threads = threads,
        .warps = (threads + 31) / 32,
        .shared_bytes = sizeof shared[0],
        .shared_extent = sizeof shared[0],
        .shared = shared[i],
    };
    if (i == 0)
        l->launch_begin(l, &blocks[0]);
    l->block_begin(l, &blocks[i]);
}

/* A launch of n blocks of which all run at once. */
static void launch(uint32_t n, uint32_t threads)
{
    l = check_listener();
    if (!data) {
        check_enable();
        data = mem_alloc(65536, 256, MEM_DEVICE, NULL)->addr;
        other = mem_alloc(65536, 256, MEM_DEVICE, NULL)->addr;
        check_host_write(data, 65536);
    }
    for (uint32_t i = 0; i < n; i++)
        block_start(i, n, threads);
}

/* What an access has in common in these kernels: lane i is at base + i * step,
 * a step of 0 meaning 4, unless all are at the same place. */
struct move {
    enum access_space space;
    enum access_kind kind;
    uint64_t base;
    int64_t step;
    bool same;
    uint8_t size, order, scope;
    bool is_volatile, collective;
    uint32_t mask;
    bool same_value, cas;
};

static void go(uint32_t block, uint32_t warp, uint32_t n, struct move m)
{
    uint64_t addr[32];
    uint32_t words[32], *value[4] = {words, words, words, words};
    struct access a = {
        .site = line(n, m.cas ? "atom.global.cas.b32" : "op"),
        .kind = m.kind,
        .space = m.space,
        .is_volatile = m.is_volatile,
        .collective = m.collective,
        .order = m.order,
        .scope = m.scope,
        .size = m.size ? m.size : 4,
        .warp = warp,
        .mask = m.mask ? m.mask : ~0u,
        .addr = addr,
        .value = m.kind == ACCESS_STORE ? (const uint32_t *const *)value : NULL,
    };

    for (int64_t i = 0; i < 32; i++) {
        addr[i] = m.base + (m.same ? 0 : (uint64_t)(i * (m.step ? m.step : 4)));
        words[i] = m.same_value ? 7 : 1000 * n + (uint32_t)i + 1;
    }
    l->access(l, &blocks[block], &a);
}

#define SH(...) ((struct move){.space = ACCESS_SHARED, __VA_ARGS__})
#define GL(...) ((struct move){.space = ACCESS_GLOBAL, __VA_ARGS__})
#define LO(...) ((struct move){.space = ACCESS_LOCAL, .same = true, __VA_ARGS__})
#define LD      .kind = ACCESS_LOAD
#define ST      .kind = ACCESS_STORE
#define AT      .kind = ACCESS_ATOMIC, .order = 1, .scope = 3
#define CAS     AT, .same = true, .cas = true
#define ONE     .mask = 1

static void arrive(uint32_t block, uint32_t warp, uint32_t n, uint32_t id, const char *opcode)
{
    l->barrier_arrive(l, &blocks[block], line(n, opcode), warp, ~0u, id, true);
}

static void syncthreads(uint32_t block)
{
    for (uint32_t w = 0; w < blocks[block].warps; w++)
        arrive(block, w, 99, 0, "barrier.sync");
    l->barrier_leave(l, &blocks[block], 0);
}

static void syncwarp(uint32_t block, uint32_t warp, uint32_t mask, bool sync)
{
    l->warp_sync(l, &blocks[block], line(98, "bar.warp.sync"), warp, mask, sync);
}

static void fence(uint32_t block, uint32_t warp, uint8_t scope)
{
    l->fence(l, &blocks[block], line(97, "fence.acq_rel.gpu"), warp, ~0u, scope, 6);
}

static void finish(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        l->block_end(l, &blocks[i]);
    l->launch_end(l, &blocks[0]);
}

/* Findings so far are exactly one of this kind at this line (0: at none); kind NULL: none. */
static void expect(const char *kind, unsigned at)
{
    char where[32];
    size_t n = warplabFindingCount();

    if (!kind) {
        cr_assert_eq(n, 0, "unexpected: %s", n ? warplabFinding(0) : "");
        return;
    }
    cr_assert_eq(n, 1, "expected one %s, got %zu, last %s", kind, n,
                 n ? warplabFinding(n - 1) : "");
    snprintf(where, sizeof where, "\"line\":%u", at);
    cr_assert(strstr(warplabFinding(0), kind), "not %s: %s", kind, warplabFinding(0));
    cr_assert(!at || strstr(warplabFinding(0), where), "not at line %u: %s", at, warplabFinding(0));
}

static void expect_text(const char *text)
{
    cr_assert(strstr(warplabFinding(0), text), "no '%s' in %s", text, warplabFinding(0));
}

/* ---- shared memory ---- */

/* s[t] = ..; [barrier]; .. = s[t + 1] */
static void neighbours(bool barrier)
{
    launch(1, 64);
    for (uint32_t w = 0; w < 2; w++)
        go(0, w, 10, SH(ST, .base = w * 128));
    if (barrier)
        syncthreads(0);
    for (uint32_t w = 0; w < 2; w++)
        go(0, w, 12, SH(LD, .base = w * 128 + 4, .mask = w ? 0x7fffffff : ~0u));
    finish(1);
}

Test(check, shared_without_barrier)
{
    neighbours(false);
    expect("shared-race", 12);
    expect_text("\"other\":{\"access\":\"write\",\"line\":10");
}

Test(check, shared_with_barrier)
{
    neighbours(true);
    neighbours(true);
    expect(NULL, 0);
}

/* A collective access and a plain one by a warp's lanes, each of the very element that is, here,
 * its own: on a GPU it may be another's. */
static void by_the_warp(struct move first, struct move second, bool sync)
{
    launch(1, 32);
    go(0, 0, 9, SH(ST));
    syncthreads(0);
    go(0, 0, 10, first);
    if (sync)
        syncwarp(0, 0, ~0u, true);
    go(0, 0, 11, second);
    finish(1);
}

#define WHOLE .collective = true

Test(check, stored_by_the_warp_read_by_a_lane)
{
    by_the_warp(SH(ST, WHOLE), SH(LD), false);
    expect("shared-race", 11);
    expect_text("warp 0 as one wrote it");
}

Test(check, stored_by_the_warp_stored_by_a_lane)
{
    by_the_warp(SH(ST, WHOLE), SH(ST), false);
    expect("shared-race", 11);
}

Test(check, read_by_the_warp_stored_by_a_lane)
{
    by_the_warp(SH(LD, WHOLE), SH(ST), false);
    expect("shared-race", 11);
}

Test(check, stored_by_a_lane_read_by_the_warp)
{
    by_the_warp(SH(ST), SH(LD, WHOLE), false);
    expect("shared-race", 11);
}

Test(check, read_by_a_lane_stored_by_the_warp)
{
    by_the_warp(SH(LD), SH(ST, WHOLE), false);
    expect("shared-race", 11);
}

/* The warp's own reading does not hide that a lane read, too. */
Test(check, read_by_both_stored_by_the_warp)
{
    launch(1, 32);
    go(0, 0, 9, SH(ST));
    syncthreads(0);
    go(0, 0, 10, SH(LD));
    go(0, 0, 11, SH(LD, WHOLE));
    go(0, 0, 12, SH(ST, WHOLE));
    finish(1);
    expect("shared-race", 12);
}

Test(check, by_the_warp_and_by_lanes_with_syncwarp)
{
    by_the_warp(SH(ST, WHOLE), SH(LD), true);
    by_the_warp(SH(LD, WHOLE), SH(ST), true);
    by_the_warp(SH(ST), SH(LD, WHOLE), true);
    by_the_warp(SH(LD), SH(ST, WHOLE), true);
    expect(NULL, 0);
}

/* Granted, whichever lanes stand for the warp. */
Test(check, by_the_warp_and_again_by_the_warp)
{
    by_the_warp(SH(ST, WHOLE), SH(LD, WHOLE, .base = 124, .step = -4), false);
    by_the_warp(SH(LD, WHOLE), SH(LD, WHOLE, .base = 124, .step = -4), false);
    by_the_warp(SH(LD, WHOLE), SH(ST, WHOLE, .base = 124, .step = -4), false);
    expect(NULL, 0);
}

Test(check, stored_by_two_warps)
{
    launch(1, 64);
    go(0, 0, 10, SH(ST, WHOLE));
    go(0, 1, 11, SH(ST, WHOLE));
    finish(1);
    expect("shared-race", 11);
}

/* Every warp reads the word, then one writes it: whoever it is, another one has read. */
static void read_then_write(uint32_t writer, bool barrier)
{
    launch(1, 128);
    go(0, 0, 9, SH(ST, ONE));
    syncthreads(0);
    for (uint32_t w = 0; w < 4; w++)
        go(0, w, 10, SH(LD, .same = true));
    if (barrier)
        syncthreads(0);
    go(0, writer, 12, SH(ST, ONE));
    finish(1);
}

Test(check, shared_write_after_reads)
{
    read_then_write(0, true);
    read_then_write(3, true);
    expect(NULL, 0);
    read_then_write(0, false);
    expect("shared-race", 12);
}

Test(check, shared_write_after_reads_last)
{
    read_then_write(3, false);
    expect("shared-race", 12);
}

static void inside_a_warp(uint32_t mask, bool sync)
{
    launch(1, 32);
    go(0, 0, 10, SH(ST));
    if (mask)
        syncwarp(0, 0, mask, sync);
    go(0, 0, 12, SH(LD, .base = 4, .mask = 0x7f)); /* lane i reads what lane i + 1 wrote */
    finish(1);
}

Test(check, warp_without_sync)
{
    inside_a_warp(0, true);
    expect("shared-race", 12);
    expect_text("__syncwarp() missing between line 10 and line 12");
}

Test(check, warp_shuffle_orders_nothing)
{
    inside_a_warp(~0u, false);
    expect("shared-race", 12);
}

Test(check, warp_with_sync)
{
    inside_a_warp(~0u, true);
    inside_a_warp(0xff, true);
    expect(NULL, 0);
}

Test(check, warp_sync_of_too_few)
{
    inside_a_warp(0x7f, true);
    expect("shared-race", 12);
}

/* A volatile read, modify, write by halves of a warp: the lecture's warpReduce. */
Test(check, volatile_is_no_barrier)
{
    launch(1, 32);
    go(0, 0, 10, SH(ST, .is_volatile = true));
    go(0, 0, 12, SH(LD, .is_volatile = true, .base = 64, .mask = 0xffff));
    finish(1);
    expect("shared-race", 12);
}

Test(check, broadcast_then_write)
{
    launch(1, 32);
    go(0, 0, 9, SH(ST, ONE));
    syncwarp(0, 0, ~0u, true);
    go(0, 0, 10, SH(LD, .same = true));
    go(0, 0, 12, SH(ST, ONE, .same = true));
    finish(1);
    expect("shared-race", 12);
}

Test(check, one_instruction_two_values)
{
    launch(1, 32);
    go(0, 0, 10, SH(ST, .same = true));
    finish(1);
    expect("shared-race", 10);
}

Test(check, one_instruction_one_value)
{
    launch(1, 32);
    go(0, 0, 10, SH(ST, .same = true, .same_value = true));
    finish(1);
    expect(NULL, 0);
}

Test(check, storing_what_is_there)
{
    uint32_t seven = 7;

    launch(1, 64);
    go(0, 0, 10, SH(ST, .same = true, .same_value = true));
    memcpy(shared[0], &seven, 4);
    go(0, 1, 12, SH(ST, .same = true, .same_value = true));
    expect(NULL, 0);
    seven = 8;
    memcpy(shared[0], &seven, 4);
    go(0, 1, 13, SH(ST, .same = true, .same_value = true, .mask = 2));
    finish(1);
    expect("shared-race", 13);
}

Test(check, bytes_of_one_word)
{
    launch(1, 64);
    go(0, 0, 10, SH(ST, .step = 2, .size = 1));
    go(0, 1, 11, SH(ST, .step = 2, .size = 1, .base = 1));
    syncthreads(0);
    go(0, 1, 12, SH(LD, .mask = 0xffff));
    expect(NULL, 0);
    go(0, 0, 13, SH(ST, .step = 2, .size = 1, .base = 6));
    finish(1);
    expect("shared-race", 13);
}

Test(check, shared_atomics)
{
    launch(1, 64);
    go(0, 0, 9, SH(ST));
    syncthreads(0);
    go(0, 0, 10, SH(AT, .same = true));
    go(0, 1, 10, SH(AT, .same = true));
    expect(NULL, 0);
    go(0, 1, 12, SH(LD, ONE));
    finish(1);
    expect("shared-race", 12);
}

/* Producers bar.arrive, consumers bar.sync; the way back is not ordered. */
Test(check, named_barriers)
{
    launch(1, 96);
    go(0, 0, 10, SH(ST));
    arrive(0, 0, 11, 1, "barrier.arrive");
    arrive(0, 1, 12, 1, "barrier.sync");
    l->barrier_leave(l, &blocks[0], 1);
    go(0, 1, 13, SH(LD));
    go(0, 1, 14, SH(ST, .base = 512));
    expect(NULL, 0);
    go(0, 0, 15, SH(LD, .base = 512));
    finish(1);
    expect("shared-race", 15);
}

Test(check, named_barrier_and_outsider)
{
    launch(1, 96);
    go(0, 0, 10, SH(ST));
    arrive(0, 0, 11, 1, "barrier.sync");
    arrive(0, 1, 11, 1, "barrier.sync");
    l->barrier_leave(l, &blocks[0], 1);
    go(0, 2, 13, SH(LD));
    finish(1);
    expect("shared-race", 13);
}

/* A lock in shared memory: CAS, fence, work, fence, exchange. */
static void lock_in_shared(bool fenced)
{
    launch(1, 64);
    go(0, 0, 8, SH(ST, ONE));
    go(0, 0, 9, SH(ST, ONE, .base = 8));
    syncthreads(0);
    for (uint32_t w = 0; w < 2; w++) {
        go(0, w, 10, SH(AT, ONE));
        if (fenced)
            fence(0, w, 1);
        go(0, w, 11, SH(LD, ONE, .base = 8));
        go(0, w, 12, SH(ST, ONE, .base = 8));
        if (fenced)
            fence(0, w, 1);
        go(0, w, 13, SH(AT, ONE));
    }
    finish(1);
}

Test(check, shared_lock)
{
    lock_in_shared(true);
    expect(NULL, 0);
    lock_in_shared(false);
    cr_assert_gt(warplabFindingCount(), 0);
}

/* ---- global memory ---- */

Test(check, blocks_share_a_word)
{
    launch(2, 32);
    go(0, 0, 10, GL(ST, .base = data));
    go(1, 0, 12, GL(LD, .base = data + 64));
    finish(2);
    expect("global-race", 12);
    expect_text("\"block\":[0,0,0]");
}

Test(check, write_after_read_of_other_block)
{
    launch(3, 32);
    go(0, 0, 10, GL(LD, .base = data));
    go(1, 0, 10, GL(LD, .base = data));
    go(2, 0, 10, GL(LD, .base = data));
    expect(NULL, 0);
    go(1, 0, 12, GL(ST, .base = data));
    finish(3);
    expect("global-race", 12);
}

Test(check, launches_are_ordered)
{
    launch(2, 32);
    go(0, 0, 10, GL(ST, .base = data));
    finish(2);
    launch(2, 32);
    go(1, 0, 12, GL(LD, .base = data));
    finish(2);
    expect(NULL, 0);
}

Test(check, global_inside_a_block)
{
    launch(1, 64);
    go(0, 0, 10, GL(ST, .base = data));
    syncthreads(0);
    go(0, 1, 11, GL(LD, .base = data));
    expect(NULL, 0);
    go(0, 0, 12, GL(ST, .base = data));
    finish(1);
    expect("global-race", 12);
}

Test(check, atomics_of_blocks)
{
    launch(2, 32);
    go(0, 0, 10, GL(AT, .base = data, .same = true));
    go(1, 0, 10, GL(AT, .base = data, .same = true));
    expect(NULL, 0);
    go(1, 0, 11, GL(ST, .base = data, ONE));
    finish(2);
    expect("global-race", 11);
}

Test(check, block_scope_is_too_narrow)
{
    launch(2, 64);
    go(0, 0, 10, GL(.kind = ACCESS_ATOMIC, .order = 1, .scope = 1, .base = data, ONE));
    go(0, 1, 10, GL(.kind = ACCESS_ATOMIC, .order = 1, .scope = 1, .base = data, ONE));
    expect(NULL, 0);
    go(1, 0, 12, GL(.kind = ACCESS_ATOMIC, .order = 1, .scope = 1, .base = data, ONE));
    finish(2);
    expect("global-race", 12);
}

/* threadFenceReduction: each block stores its sum, fences, takes a ticket; the last one
 * reads all sums after a barrier. */
static void last_block(uint8_t scope)
{
    launch(3, 64);
    for (uint32_t b = 0; b < 3; b++) {
        go(b, 0, 10, GL(ST, .base = data + 4 * b, ONE));
        if (scope)
            fence(b, 0, scope);
        go(b, 0, 12, GL(AT, .base = data + 4096, ONE));
        syncthreads(b);
    }
    go(2, 1, 14, GL(LD, .base = data, .mask = 7));
    finish(3);
}

Test(check, last_block)
{
    last_block(3);
    expect(NULL, 0);
}

Test(check, last_block_without_fence)
{
    last_block(0);
    expect("global-race", 14);
}

Test(check, last_block_with_block_fence)
{
    last_block(1);
    expect("global-race", 14);
}

/* All threads store and fence for themselves, then one of another warp takes the ticket. */
Test(check, everyone_fences)
{
    launch(2, 64);
    go(0, 1, 10, GL(ST, .base = data));
    fence(0, 0, 3);
    fence(0, 1, 3);
    syncthreads(0);
    go(0, 0, 12, GL(AT, .base = data + 4096, ONE));
    go(1, 0, 12, GL(AT, .base = data + 4096, ONE));
    go(1, 0, 14, GL(LD, .base = data));
    finish(2);
    expect(NULL, 0);
}

static void grid_sync(uint32_t nblocks)
{
    for (uint32_t b = 0; b < nblocks; b++) {
        for (uint32_t w = 0; w < blocks[b].warps; w++)
            arrive(b, w, 90, 0, "barrier.sync");
        l->barrier_leave(l, &blocks[b], 0);
        fence(b, 0, 3);
        go(b, 0, 91, GL(AT, .base = data + 8192, ONE));
    }
    for (uint32_t b = 0; b < nblocks; b++) {
        go(b, 0, 92, GL(LD, .base = data + 8192, .order = 2, .scope = 3, ONE));
        fence(b, 0, 3);
        syncthreads(b);
    }
}

Test(check, grid_sync)
{
    launch(3, 64);
    for (int round = 0; round < 3; round++) {
        for (uint32_t b = 0; b < 3; b++)
            go(b, 1, 10, GL(ST, .base = data + 128 * b));
        grid_sync(3);
        for (uint32_t b = 0; b < 3; b++)
            go(b, 0, 12, GL(LD, .base = data + 128 * ((b + 1) % 3)));
        grid_sync(3);
    }
    finish(3);
    expect(NULL, 0);
}

/* Chained flags: 0 tells 1, 1 tells 2 (another flag), 2 reads what 0 wrote. */
static void flags(bool relaxed, bool fences)
{
    struct move set = GL(ST, ONE, .is_volatile = true), get = GL(LD, ONE, .is_volatile = true);

    set.order = get.order = relaxed;
    set.scope = get.scope = relaxed ? 3 : 0;
    launch(3, 32);
    go(0, 0, 10, GL(ST, .base = data));
    for (uint32_t b = 0; b < 2; b++) {
        if (fences)
            fence(b, 0, 3);
        set.base = get.base = data + 4096 + 512 * b;
        go(b, 0, 11, set);
        go(b + 1, 0, 12, get);
        if (fences)
            fence(b + 1, 0, 3);
    }
    go(2, 0, 14, GL(LD, .base = data));
    finish(3);
}

Test(check, volatile_flags)
{
    flags(false, true);
    flags(true, true);
    expect(NULL, 0);
}

Test(check, flags_without_fence)
{
    flags(false, false);
    expect("global-race", 14);
}

Test(check, release_and_acquire)
{
    launch(2, 32);
    go(0, 0, 10, GL(ST, .base = data));
    go(0, 0, 11, GL(ST, .base = data + 4096, .order = 4, .scope = 3, ONE));
    go(0, 0, 12, GL(ST, .base = data + 512));
    go(1, 0, 13, GL(LD, .base = data + 4096, .order = 2, .scope = 3, ONE));
    go(1, 0, 14, GL(LD, .base = data));
    expect(NULL, 0);
    go(1, 0, 15, GL(LD, .base = data + 512)); /* stored after the release */
    finish(2);
    expect("global-race", 15);
}

Test(check, looking_before_it_is_released)
{
    launch(2, 32);
    go(0, 0, 10, GL(ST, .base = data));
    go(1, 0, 13, GL(LD, .base = data + 4096, .order = 2, .scope = 3, ONE));
    go(1, 0, 14, GL(LD, .base = data));
    go(0, 0, 11, GL(ST, .base = data + 4096, .order = 4, .scope = 3, ONE));
    finish(2);
    expect("global-race", 14);
}

/* ---- reads that a compare-and-swap follows ---- */

/* Everyone: old = *p; then atomicCAS(p, …), in two blocks of which one is later. */
Test(check, cas_loop)
{
    launch(3, 64);
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t w = 0; w < 2; w++)
            go(b, w, 10, GL(LD, .base = data, .same = true));
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t b = 0; b < 2; b++)
            for (uint32_t w = 0; w < 2; w++)
                go(b, w, 12, GL(CAS, .base = data, .mask = round ? 0xf0 : ~0u));
    go(2, 0, 10, GL(LD, .base = data, .same = true));
    go(2, 0, 12, GL(CAS, .base = data));
    finish(3);
    expect(NULL, 0);
}

Test(check, cas_loop_in_shared_memory)
{
    launch(1, 64);
    go(0, 0, 9, SH(ST, ONE));
    syncthreads(0);
    for (uint32_t w = 0; w < 2; w++) {
        go(0, w, 10, SH(LD, .same = true));
        go(0, w, 12, SH(CAS));
    }
    finish(1);
    expect(NULL, 0);
}

/* The lanes of a warp part: the last one, for which the cell stands, goes first. */
Test(check, cas_loop_lane_by_lane)
{
    launch(1, 32);
    go(0, 0, 10, GL(LD, .base = data, .same = true));
    for (uint32_t m = 1u << 31; m; m >>= 1)
        go(0, 0, 12, GL(CAS, .base = data, .mask = m));
    finish(1);
    expect(NULL, 0);
}

Test(check, one_reads_and_does_not_swap)
{
    launch(2, 32);
    go(1, 0, 10, GL(LD, .base = data, ONE));
    go(0, 0, 12, GL(CAS, .base = data));
    go(0, 0, 12, GL(CAS, .base = data));
    expect(NULL, 0); /* it still may */
    finish(2);
    expect("global-race", 12);
    expect_text("\"other\":{\"access\":\"read\",\"line\":10");
}

/* if (*p == 0) atomicAdd(p, 1); */
Test(check, reads_and_adds)
{
    launch(2, 32);
    go(0, 0, 12, GL(AT, .base = data, ONE));
    go(1, 0, 10, GL(LD, .base = data, ONE));
    expect(NULL, 0);
    go(1, 0, 12, GL(AT, .base = data, ONE));
    expect("global-race", 10);
    finish(2);
}

Test(check, reads_here_and_swaps_there)
{
    launch(2, 32);
    go(0, 0, 12, GL(CAS, .base = data, ONE));
    go(1, 0, 10, GL(LD, .base = data, ONE));
    go(1, 0, 12, GL(CAS, .base = data + 4, ONE));
    finish(2);
    expect("global-race", 10);
}

Test(check, reader_swaps_elsewhere_lane)
{
    launch(2, 32);
    go(0, 0, 12, GL(CAS, .base = data, ONE));
    go(1, 0, 10, GL(LD, .base = data, .mask = 2, .same = true));
    go(1, 0, 12, GL(CAS, .base = data, .mask = 4));
    finish(2);
    expect("global-race", 10);
}

Test(check, reader_is_gone)
{
    launch(2, 32);
    go(0, 0, 10, GL(LD, .base = data, ONE));
    l->block_end(l, &blocks[0]);
    go(1, 0, 12, GL(CAS, .base = data, ONE));
    expect("global-race", 12);
    l->block_end(l, &blocks[1]);
    l->launch_end(l, &blocks[0]);
}

/* Four of one thread's reads are kept in mind, a fifth is one too many. */
static void reads_of(uint32_t n)
{
    launch(2, 32);
    for (uint32_t i = 0; i < n; i++)
        go(0, 0, 12, GL(CAS, .base = data + 4 * i, ONE));
    for (uint32_t i = 0; i < n; i++)
        go(1, 0, 10, GL(LD, .base = data + 4 * i, ONE));
    for (uint32_t i = 0; i < n; i++)
        go(1, 0, 12, GL(CAS, .base = data + 4 * i, ONE));
    finish(2);
}

Test(check, four_places_read_then_swapped)
{
    reads_of(4);
    expect(NULL, 0);
}

Test(check, five_places_read_then_swapped)
{
    reads_of(5);
    expect("global-race", 10);
}

Test(check, reader_kept_from_swapping)
{
    launch(2, 32);
    go(0, 0, 12, GL(CAS, .base = data, ONE));
    go(1, 0, 10, GL(LD, .base = data, ONE));
    l->launch_end(l, &blocks[0]); /* a fault somewhere: no block ends */
    expect(NULL, 0);
}

/* Plain stores are not excused. */
Test(check, stores_and_swaps)
{
    launch(2, 32);
    go(0, 0, 12, GL(CAS, .base = data, ONE));
    go(1, 0, 10, GL(ST, .base = data, ONE));
    expect("global-race", 10);
    finish(2);
}

/* ---- never written ---- */

Test(check, unwritten_global)
{
    launch(1, 32);
    go(0, 0, 10, GL(LD, .base = data));
    go(0, 0, 11, GL(ST, .base = other, .mask = 0xff));
    go(0, 0, 12, GL(LD, .base = other, .mask = 0xff));
    syncwarp(0, 0, ~0u, true);
    go(0, 0, 13, GL(LD, .base = other + 28, .size = 8, ONE)); /* half of it is written */
    expect(NULL, 0);
    go(0, 0, 14, GL(LD, .base = other, .mask = 0x1ff));
    finish(1);
    expect("uninitialised-read", 14);
    expect_text("\"thread\":");
    expect_text("byte 32 of a 65536-byte block from cudaMalloc");
}

Test(check, host_copies_carry_it)
{
    launch(1, 32);
    check_host_copy(other + 4096, data, 12288);
    check_host_copy(data, other, 8192); /* its first page was never written */
    go(0, 0, 10, GL(LD, .base = other + 4096));
    go(0, 0, 10, GL(LD, .base = data + 4096));
    expect(NULL, 0);
    go(0, 0, 12, GL(LD, .base = data));
    finish(1);
    expect("uninitialised-read", 12);
}

Test(check, copies_of_parts)
{
    launch(1, 32);
    check_host_write(other + 100, 20);
    check_host_copy(data + 8, other + 92, 40); /* written: 16..36 */
    go(0, 0, 10, GL(LD, .base = data, .mask = 3));
    go(0, 0, 10, GL(LD, .base = data + 16, .mask = 31));
    expect(NULL, 0);
    go(0, 0, 12, GL(LD, .base = data + 12, ONE));
    finish(1);
    expect("uninitialised-read", 12);
}

Test(check, unwritten_shared)
{
    launch(1, 32);
    go(0, 0, 9, SH(ST));
    finish(1);
    launch(1, 32);
    go(0, 0, 10, SH(LD)); /* another block wrote it, not this one */
    finish(1);
    expect("uninitialised-read", 10);
}

/* Without line information: what to do about it is said. */
Test(check, unwritten_shared_somewhere)
{
    uint64_t addr[32] = {0};
    struct site s = {.ptx_line = 30, .opcode = "ld.shared.u32"};
    struct access a = {.site = &s, .space = ACCESS_SHARED, .size = 4, .mask = 1, .addr = addr};

    launch(1, 32);
    l->access(l, &blocks[0], &a);
    finish(1);
    expect("uninitialised-read", 0);
    expect_text("nvcc -lineinfo");
    expect_text("a library's code");
}

/* And where the sources include CUB, whose merges do so, it is no finding. */
Test(check, unwritten_shared_perhaps_by_cub)
{
    struct ptx_var v = {.name = "_ZN4x7thrust3seqE"}, w = {.name = "_ZN4x6thrust3seqE"};
    struct ptx_var *vars[] = {&v};
    struct ptx_module ptx = {.vars = vars, .nvars = 1}, *all[] = {&ptx};
    struct emu_module m = {.ptx = all, .nptx = 1};
    struct emu_func f = {.module = &m};
    uint64_t addr[32] = {0};
    struct site s = {.ptx_line = 30, .opcode = "ld.shared.u32"};
    struct access a = {.site = &s, .space = ACCESS_SHARED, .size = 4, .mask = 1, .addr = addr};

    for (int i = 0; i < 2; i++) {
        vars[0] = i ? &v : &w;
        the_func = &f;
        launch(1, 32);
        l->access(l, &blocks[0], &a);
        finish(1);
        cr_assert_eq(warplabFindingCount(), (size_t)i);
    }
}

Test(check, unwritten_local)
{
    launch(1, 32);
    go(0, 0, 10, LO(ST, .base = 16, .mask = 0xf));
    go(0, 0, 11, LO(LD, .base = 16, .mask = 0xf));
    expect(NULL, 0);
    go(0, 0, 12, LO(LD, .base = 16, .mask = 0x1f));
    finish(1);
    expect("uninitialised-read", 12);
}

/* ---- barriers ---- */

Test(check, barrier_in_a_branch)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(10, "barrier.sync"), 0, 0xffff, 0, false);
    expect(NULL, 0);
    l->barrier_arrive(l, &blocks[0], line(12, "barrier.sync"), 1, 0xffff, 0, true);
    expect(NULL, 0); /* the others may be about to exit */
    l->barrier_leave(l, &blocks[0], 0);
    expect("barrier-divergence", 12);
}

Test(check, barrier_never_left)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(12, "barrier.sync"), 1, 0xffff, 0, true);
    l->launch_end(l, &blocks[0]); /* deadlock: the block does not end */
    expect("barrier-divergence", 12);
}

Test(check, part_of_a_warp_exits_late)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(12, "barrier.sync"), 1, 0xffff, 0, true);
    l->lanes_exit(l, &blocks[0], 1, 0xffff0000);
    l->barrier_leave(l, &blocks[0], 0);
    finish(1);
    expect("barrier-exited", 12);
}

Test(check, barrier_after_exit)
{
    launch(1, 40);
    for (uint32_t w = 0; w < 2; w++)
        l->barrier_arrive(l, &blocks[0], line(10, "bar.sync"), w, w ? 0xff : ~0u, 0, true);
    l->barrier_leave(l, &blocks[0], 0);
    expect(NULL, 0);
    l->lanes_exit(l, &blocks[0], 1, 0xf0);
    l->barrier_arrive(l, &blocks[0], line(12, "bar.sync"), 0, ~0u, 0, true);
    expect("barrier-exited", 12);
    expect_text("\"thread\":");
}

Test(check, exit_while_others_wait)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(12, "bar.sync"), 0, ~0u, 0, true);
    l->lanes_exit(l, &blocks[0], 1, ~0u);
    expect("barrier-exited", 12);
}

/* ---- addresses, leaks ---- */

Test(check, addresses_in_words)
{
    char s[256];

    launch(1, 32);
    check_describe_address(other + 65536 + 12, s, sizeof s);
    cr_assert(strstr(s, "12 bytes after a 65536-byte block from cudaMalloc"), "%s", s);
    check_describe_address(MEM_SHARED_BASE + 8, s, sizeof s);
    cr_assert_str_eq(s, "byte 8 of the block's shared memory");
    check_describe_address(0, s, sizeof s);
    cr_assert_str_eq(s, "the null pointer");
    mem_free(other);
    check_describe_address(other + 4, s, sizeof s);
    cr_assert(strstr(s, "byte 4 of a freed 65536-byte block"), "%s", s);
}

/* qemu-user with pages of 64 KiB lists no stack. */
static bool listed(const void *p)
{
    FILE *f = fopen("/proc/self/maps", "r");
    uint64_t from = 1, to = 0;
    char line[512];

    while (f && !(from <= (uint64_t)p && (uint64_t)p < to) && fgets(line, sizeof line, f))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) != 2)
            break;
    if (f)
        fclose(f);
    return from <= (uint64_t)p && (uint64_t)p < to;
}

Test(check, addresses_of_the_host)
{
    static int global = 1;
    int local = 1, *heap = malloc(4);
    char s[256];

    if (!listed(&local))
        cr_skip_test("/proc/self/maps does not have the stack");
    launch(1, 32);
    check_describe_address((uint64_t)&local, s, sizeof s);
    cr_assert(strstr(s, "of the host's"), "%s", s);
    check_describe_address((uint64_t)heap, s, sizeof s);
    cr_assert(strstr(s, "of the host's (from malloc"), "%s", s);
    check_describe_address((uint64_t)&global, s, sizeof s);
    cr_assert(strstr(s, "of the host's (a global variable"), "%s", s);
    check_describe_address(24, s, sizeof s);
    cr_assert_str_eq(s, "24 bytes after the null pointer");
    check_describe_address(1ull << 47, s, sizeof s);
    cr_assert(strstr(s, "neither the device nor the host"), "%s", s);
    check_describe_address(other + 65536 + (1 << 20), s, sizeof s);
    cr_assert(strstr(s, "near no allocation: 1048576 bytes after the nearest, a 65536"), "%s", s);
    check_describe_address(other + 65535 + (1 << 20), s, sizeof s);
    cr_assert(strstr(s, "1048575 bytes after") == s, "%s", s);
    free(heap);
}

Test(check, no_leaks_after_a_fault)
{
    launch(1, 32);
    finish(1);
    check_leaks(true); /* cudaFree fails then, so nothing can be said */
    expect(NULL, 0);
}

Test(check, leaks)
{
    launch(1, 32);
    finish(1);
    check_free(other);
    mem_free(other);
    check_leaks(false);
    expect("leak", 0);
    expect_text("65536-byte block from cudaMalloc");
}

/* ---- matrices ---- */

/* One wmma access; lane 5's address and pitch are `other` bytes off. */
static void matrix(uint32_t mask, uint64_t addr, uint64_t pitch, uint32_t fragment, uint64_t other)
{
    uint64_t addrs[32], pitches[32];
    struct matrix_move m = {line(10, "wmma.load"), 0, mask, fragment, addrs, pitches};

    launch(1, 32);
    for (uint32_t i = 0; i < 32; i++) {
        addrs[i] = data + addr + (i == 5 ? other : 0);
        pitches[i] = pitch;
    }
    l->matrix(l, &blocks[0], &m);
    finish(1);
}

Test(check, matrices_as_cuda_wants_them)
{
    matrix(~0u, 0, 32, 32, 0);
    matrix(~0u, 96, 80, 32, 0);
    matrix(~0u, 16, 16, 16, 0);
    matrix(~0u, 8, 24, 8, 0); /* 8-bit elements: a lane holds 8 bytes */
    expect(NULL, 0);
}

Test(check, matrix_off_its_alignment)
{
    matrix(~0u, 16, 32, 32, 0);
    expect("wmma-operands", 10);
    expect_text("byte 16 of ");
}

Test(check, matrix_with_odd_rows)
{
    matrix(~0u, 0, 68, 32, 0);
    expect("wmma-operands", 10);
    expect_text("68 bytes apart");
}

Test(check, matrix_of_each_lane)
{
    matrix(~0u, 0, 32, 32, 32);
    expect("wmma-operands", 10);
}

Test(check, matrix_for_half_a_warp)
{
    matrix(0xffff, 0, 32, 32, 0);
    expect("wmma-operands", 10);
    expect_text("16 threads of the warp");
}
