/* race_test.c - what is a race, and what orders two accesses. */
#include "play.h"

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
    expect_text("warp 0, all its lanes together, wrote it");
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
    expect_text("two lanes store to one place: has each a place of its own");
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
    expect_text("__syncwarp() missing between line 10 and line 12");
    expect_text("an atomic at line 12, too");
}

/* Of one pair of lines the threads furthest apart are told: what is missing is the block's barrier.
 */
Test(check, the_pair_across_warps)
{
    launch(1, 64);
    go(0, 0, 10, SH(ST));
    go(0, 1, 10, SH(ST, .base = 128));
    go(0, 0, 11, SH(LD, .base = 4, .mask = 0x7fffffff)); /* its neighbour lane's */
    go(0, 1, 11, SH(LD, .mask = 1));                     /* warp 0's */
    finish(1);
    expect("shared-race", 11);
    expect_text("__syncthreads() missing between line 10 and line 11");
    expect_text("\"distance\":\"block\"");
}

/* if (t < left) { .. = s[..]; s[t] = ..; }: a barrier in the branch would not be met by all. */
static void in_a_branch(uint32_t lanes)
{
    launch(1, 64);
    for (uint32_t w = 0; w < 2; w++)
        go(0, w, 10, SH(LD, .base = w * 128, .mask = lanes));
    for (uint32_t w = 0; w < 2; w++)
        go(0, w, 11, SH(ST, .base = 128 - w * 128, .mask = lanes));
    finish(1);
    expect("shared-race", 11);
    expect_text("__syncthreads() missing between line 10 and line 11?");
}

Test(check, a_barrier_is_for_all)
{
    in_a_branch(0xffff);
    expect_text("It has to stand where all threads of the block come");
}

Test(check, a_barrier_where_all_come)
{
    in_a_branch(~0u);
    cr_expect_not(strstr(warplabFinding(0), "It has to stand"));
}

/* s[0] = 0 by one thread, whose own atomic comes next, and then the other warp's. */
static void store_and_atomics(bool barrier)
{
    launch(1, 64);
    go(0, 0, 10, SH(ST, ONE));
    if (barrier)
        syncthreads(0);
    go(0, 0, 11, SH(AT, ONE));
    go(0, 0, 12, SH(AT, ONE));
    go(0, 1, 11, SH(AT, ONE));
    finish(1);
}

Test(check, a_store_before_its_own_warps_atomics)
{
    store_and_atomics(false);
    expect("shared-race", 11);
    expect_text("\"other\":{\"access\":\"write\",\"line\":10");
    expect_text("\"distance\":\"block\"");
}

Test(check, a_store_before_a_barrier_and_atomics)
{
    store_and_atomics(true);
    expect(NULL, 0);
}

/* s[0] += v by all threads: a read and a write of one line, the write by several. */
Test(check, an_update_without_an_atomic)
{
    launch(1, 64);
    for (uint32_t w = 0; w < 2; w++) {
        go(0, w, 10, SH(LD, .same = true));
        go(0, w, 10, SH(ST, .same = true));
    }
    finish(1);
    expect_text("updates get lost without an atomic");
    expect_text("\"update\":true");
}

/* y[threadIdx.x] += v by two blocks: each word is one thread's of each, as if blockIdx were
 * forgotten. out[0] += v by a thread of each is an update that they share. */
Test(check, an_update_by_the_same_thread_of_other_blocks)
{
    launch(2, 32);
    for (uint32_t b = 0; b < 2; b++) {
        go(b, 0, 10, GL(LD, .base = data));
        go(b, 0, 10, GL(ST, .base = data));
    }
    finish(2);
    expect_text("is blockIdx missing in its index?");
    expect_text("\"update\":false");
}

Test(check, an_update_by_one_thread_of_each_block)
{
    launch(2, 32);
    for (uint32_t b = 0; b < 2; b++) {
        go(b, 0, 10, GL(LD, .base = data, ONE));
        go(b, 0, 10, GL(ST, .base = data, ONE));
    }
    finish(2);
    expect_text("several threads read this word, change it and write it back");
    expect_text("\"update\":true");
}

/* Producers bar.arrive, consumers bar.sync; the way back is not ordered. */
Test(check, named_barriers)
{
    launch(1, 96);
    go(0, 0, 10, SH(ST));
    arrive(0, 0, 11, 1, false);
    arrive(0, 1, 12, 1, true);
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
    arrive(0, 0, 11, 1, true);
    arrive(0, 1, 11, 1, true);
    l->barrier_leave(l, &blocks[0], 1);
    go(0, 2, 13, SH(LD));
    finish(1);
    expect("shared-race", 13);
}

/* Warps 0 and 1 meet, then 1 and 2: 2 knows what 0 did, and 0 nothing of 2. */
static void chained_barriers(void)
{
    launch(1, 128);
    for (uint32_t n = 0; n < 5; n++) /* clocks of their own */
        syncwarp(0, 0, ~0u, true);
    go(0, 0, 10, SH(ST));
    go(0, 2, 11, SH(ST, .base = 512));
    for (uint32_t w = 0; w < 2; w++) {
        arrive(0, w, 12, 1 + w, true);
        arrive(0, w + 1, 12, 1 + w, true);
        l->barrier_leave(l, &blocks[0], 1 + w);
    }
}

Test(check, barriers_are_handed_on)
{
    chained_barriers();
    go(0, 2, 13, SH(LD));
    expect(NULL, 0);
    go(0, 3, 14, SH(LD)); /* it met nobody */
    finish(1);
    expect("shared-race", 14);
}

Test(check, barriers_are_not_handed_back)
{
    chained_barriers();
    go(0, 1, 13, SH(LD, .base = 512));
    expect(NULL, 0);
    go(0, 0, 14, SH(LD, .base = 512));
    finish(1);
    expect("shared-race", 14);
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
    expect_text("has each thread an element of its own? If so, the index is wrong");
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
            arrive(b, w, 90, 0, true);
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

/* Block 0 writes and releases, block 1's first warp acquires. */
static void first_warp_learns(void)
{
    launch(2, 96);
    go(0, 0, 10, GL(ST, .base = data));
    go(0, 0, 11, GL(ST, .base = data + 4096, .order = 4, .scope = 3, ONE));
    go(1, 0, 12, GL(LD, .base = data + 4096, .order = 2, .scope = 3, ONE));
}

Test(check, what_one_warp_learned_all_know_after_a_barrier)
{
    first_warp_learns();
    syncthreads(1);
    go(1, 1, 14, GL(LD, .base = data));
    go(1, 2, 15, GL(LD, .base = data));
    finish(2);
    expect(NULL, 0);
}

Test(check, what_one_warp_learned_those_of_its_barrier_know)
{
    first_warp_learns();
    arrive(1, 0, 13, 1, true);
    arrive(1, 1, 13, 1, true);
    l->barrier_leave(l, &blocks[1], 1);
    go(1, 1, 14, GL(LD, .base = data));
    expect(NULL, 0);
    go(1, 2, 15, GL(LD, .base = data)); /* it was not there */
    finish(2);
    expect("global-race", 15);
}

Test(check, who_only_arrives_learns_nothing)
{
    first_warp_learns();
    arrive(1, 0, 13, 1, true);
    arrive(1, 1, 13, 1, false);
    l->barrier_leave(l, &blocks[1], 1);
    go(1, 1, 14, GL(LD, .base = data));
    finish(2);
    expect("global-race", 14);
}

#define FLAG AT, .base = data + 4096, .same = true

/* The checker keeps its last answer: what has been learned since counts all the same. */
static void asked_twice(bool learns)
{
    launch(1, 96);
    fence(0, 0, 3);
    go(0, 0, 10, GL(FLAG));
    go(0, 1, 11, GL(FLAG));
    go(0, 0, 12, GL(LD, .base = data));
    go(0, 2, 12, GL(LD, .base = data));
    go(0, 1, 13, GL(LD, .base = data)); /* a third reader: is the first one's read over? */
    fence(0, 0, 3);
    go(0, 0, 14, GL(FLAG));
    if (learns)
        go(0, 1, 15, GL(FLAG));
    go(0, 1, 16, GL(ST, .base = data)); /* and now? */
    finish(1);
}

Test(check, asked_again_when_it_was_learned)
{
    asked_twice(true);
    expect(NULL, 0);
}

Test(check, asked_again_when_nothing_was_learned)
{
    asked_twice(false);
    expect("global-race", 16);
}

/* However much was published before the write, it was not. */
Test(check, published_often_and_then_not)
{
    launch(1, 64);
    for (int i = 0; i < 5000; i++) {
        fence(0, 0, 3);
        go(0, 0, 10, GL(FLAG));
    }
    go(0, 0, 12, GL(ST, .base = data));
    go(0, 1, 11, GL(FLAG));
    go(0, 1, 13, GL(LD, .base = data));
    finish(1);
    expect("global-race", 13);
}
