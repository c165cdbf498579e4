/* held_test.c - reads that a compare-and-swap follows, and those it does not; reads of
 * local memory that a store follows. */
#include "play.h"

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

/* x.bit = 1 of a variable never set, in a debug build: the word is read, changed and stored. */
Test(check, a_bit_field_is_set)
{
    launch(1, 64);
    for (uint32_t w = 0; w < 2; w++) {
        go(0, w, 10, LO(LD, .base = 16));
        go(0, w, 10, LO(ST, .base = 16));
        go(0, w, 11, LO(LD, .base = 16));
    }
    finish(1);
    expect(NULL, 0);
}

Test(check, a_word_is_read_before_another_is_stored)
{
    launch(1, 32);
    go(0, 0, 10, LO(LD, .base = 16));
    go(0, 0, 11, LO(ST, .base = 20));
    go(0, 0, 12, LO(ST, .base = 16));
    finish(1);
    expect("uninitialised-read", 10);
}

Test(check, a_word_is_stored_by_fewer_lanes)
{
    launch(1, 32);
    go(0, 0, 10, LO(LD, .base = 16));
    go(0, 0, 11, LO(ST, .base = 16, .mask = ~1u));
    finish(1);
    expect("uninitialised-read", 10);
}
