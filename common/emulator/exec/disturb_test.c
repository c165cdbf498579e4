/* disturb_test.c - what is disturbed reaches results that are made from it, and no others. */
#include "disturb.h"
#include "testing.h"
#include <math.h>
#include <string.h>

/* How many of out[0..n) differ from the undisturbed run's when a class is disturbed. */
static int changed(struct program p, int class, int n)
{
    uint32_t before[WORDS];
    int differ = 0;

    disturb_set(0);
    cr_assert_eq(launch(p), cudaSuccess, "%s", emu_error_text());
    memcpy(before, out, sizeof(before));
    disturb_set(1u << class);
    cr_assert_eq(launch(p), cudaSuccess, "%s", emu_error_text());
    disturb_set(0);
    for (int i = 0; i < n; i++)
        differ += out[i] != before[i];
    return differ;
}

/* %r0 is what is brought, from a word that holds the lane's number or 17; %r7 the result. */
#define SHARED                                                                                     \
    "shl.b32 %r1, %t, 2;\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [%r1], %t;\n"
#define GLOBAL "st.global.u32 [%mine+4096], %t;\n"
#define DONE   "st.global.u32 [%mine], %r7;"
#define FIVE                                                                                       \
    "add.f32 %f3, %f3, %f3;\nadd.f32 %f3, %f3, %f3;\nadd.f32 %f3, %f3, %f3;\n"                     \
    "add.f32 %f3, %f3, %f3;\nadd.f32 %f3, %f3, %f3;\n"
#define FLOATS FIVE FIVE FIVE FIVE
/* Two elements; %r0 is left in s. */
#define TWO  GLOBAL SHARED "ld.global.u32 %r0, [%mine+4096];\nld.global.u32 %r3, [%mine+4100];\n"
#define LEFT "st.shared.u32 [%r1], %r0;\nld.shared.u32 %r7, [%r1];\n" DONE
/* 128 bytes from global memory into s, by a bulk copy of lane 0, or by cp.async of each lane. */
#define MBARRIER(count)                                                                            \
    GLOBAL SHARED "setp.eq.u32 %p1, %t, 0;\n@%p1 mbarrier.init.shared.b64 [s+512], " count         \
                  ";\nbar.sync 0;\n"
#define BULK                                                                                       \
    MBARRIER("1")                                                                                  \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d1, [s+512], 128;\n"                               \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out+4096], "    \
    "128, [s+512];\n"
#define ARRIVES                                                                                    \
    MBARRIER("32")                                                                                 \
    "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\n"                                          \
    "cp.async.mbarrier.arrive.noinc.shared.b64 [s+512];\n"
#define WAITED                                                                                     \
    "AGAIN: mbarrier.test_wait.parity.shared.b64 %p0, [s+512], 0;\n@!%p0 bra AGAIN;\n"             \
    "ld.shared.u32 %r7, [%r1];\n" DONE
/* 16 times 8 halves at s, all of the lowest 16 bits of %r5; a's are ones. */
#define WGMMA                                                                                      \
    "prmt.b32 %r5, %r5, %r5, 0x1010;\nmov.u32 %r2, s;\nshl.b32 %r1, %t, 3;\n"                      \
    "add.u32 %r1, %r1, %r2;\nst.shared.v2.u32 [%r1], {%r5, %r5};\nfence.proxy.async;\n"            \
    "shr.u32 %r2, %r2, 4;\ncvt.u64.u32 %d1, %r2;\nor.b64 %d1, %d1, 0x0000001000080000;\n"          \
    "mov.u32 %r0, 0x3c003c00;\nmov.f32 %f0, 0f3f800000;\nmov.f32 %f1, %f0;\n"                      \
    "setp.eq.u32 %p0, %t, %t;\nwgmma.fence.sync.aligned;\n"                                        \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "                     \
    "{%r0, %r0, %r0, %r0}, %d1, %p0, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\n"                 \
    "wgmma.wait_group.sync.aligned 0;\nmov.b32 %r7, %f1;\n" DONE
#define WGMMA_64                                                                                   \
    "{ .shared .align 128 .b8 b[2048];\n.reg .b32 %c<16>;\n.reg .b64 %e;\nmov.u32 %r2, b;\n"       \
    "shr.u32 %r2, %r2, 4;\ncvt.u64.u32 %e, %r2;\nor.b64 %e, %e, 0x0000001000080000;\n"             \
    "mov.u32 %r0, 0;\nwgmma.fence.sync.aligned;\n"                                                 \
    "wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, " \
    "%c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15}, {%r0, %r0, %r0, %r0}, %e, 0, 1, 1, 0;\n"       \
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0; }\n"
/* Beside s, functions that are called: they load what is at an address, compute, and use it. */
#define ROOM                                                                                       \
    ".shared .align 16 .b8 s[1024];\n"                                                             \
    ".func (.param .b32 got) far(.param .b64 from)\n{\n"                                           \
    ".reg .b32 %r<2>;\n.reg .b64 %d0;\n.reg .f32 %f<4>;\nld.param.u64 %d0, [from];\n"              \
    "ld.global.u32 %r0, [%d0];\n" FLOATS FLOATS "add.u32 %r1, %r0, 1;\n"                           \
    "st.param.b32 [got], %r1;\nret;\n}\n"                                                          \
    ".func (.param .b32 got) near(.param .b64 from)\n{\n"                                          \
    ".reg .b32 %r<2>;\n.reg .b64 %d0;\n.reg .f32 %f<4>;\nld.param.u64 %d0, [from];\n"              \
    "ld.global.u32 %r0, [%d0];\n" FIVE "add.u32 %r1, %r0, 1;\n"                                    \
    "st.param.b32 [got], %r1;\nret;\n}\n" LOOSE
#define LOOSE                                                                                      \
    ".func (.param .b32 got) loose()\n{\n.reg .b32 %r<2>;\nst.param.b32 [got], %r1;\nret;\n}\n"
#define CALLS(f)                                                                                   \
    "add.u64 %d0, %mine, 4096;\n{\n.param .b64 a;\n.param .b32 b;\nst.param.b64 [a], %d0;\n"       \
    "call (b), " f ", (a);\nld.param.b32 %r7, [b];\n}\n"

static const struct {
    const char *body;
    int class, changed;
} rows[] = {
    {SHARED "ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_shared_ld, 32},
    {SHARED "ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_global_ld, 0},
    {GLOBAL "ld.global.u32 %r7, [%mine+4096];\n" DONE, DISTURB_global_ld, 32},
    {GLOBAL "ld.global.u32 %r7, [%mine+4096];\n" DONE, DISTURB_shared_ld, 0},
    {SHARED "ld.shared.v2.u32 {%r6, %r7}, [s];\n" DONE, DISTURB_shared_ld, 32},
    {SHARED "setp.lt.u32 %p0, %t, 5;\nmov.u32 %r7, 1;\n@%p0 ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_shared_ld, 5},
    /* by a generic address: half of the lanes read shared memory, half global */
    {SHARED GLOBAL
     "cvt.u64.u32 %d0, %r1;\ncvta.shared.u64 %d0, %d0;\nadd.u64 %d1, %mine, 4096;\n"
     "setp.lt.u32 %p0, %t, 12;\nselp.b64 %d0, %d0, %d1, %p0;\nld.u32 %r7, [%d0];\n" DONE,
     DISTURB_shared_ld, 12},
    {SHARED GLOBAL
     "cvt.u64.u32 %d0, %r1;\ncvta.shared.u64 %d0, %d0;\nadd.u64 %d1, %mine, 4096;\n"
     "setp.lt.u32 %p0, %t, 12;\nselp.b64 %d0, %d0, %d1, %p0;\nld.u32 %r7, [%d0];\n" DONE,
     DISTURB_global_ld, 20},
    /* a dummy: loaded, multiplied by 0, and added */
    {SHARED "ld.shared.u32 %r0, [%r1];\nmad.lo.u32 %r7, %r0, 0, %t;\n" DONE, DISTURB_shared_ld, 0},
    /* the same word twice, subtracted: they do not cancel */
    {SHARED "ld.shared.u32 %r0, [%r1];\nld.shared.u32 %r3, [%r1];\nsub.u32 %r7, %r0, %r3;\n" DONE,
     DISTURB_shared_ld, 32},
    {SHARED "mov.u32 %r7, 0;\nmov.u32 %r5, 0;\nTOP: ld.shared.u32 %r0, [%r1];\n"
            "sub.u32 %r7, %r0, %r7;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, 2;\n"
            "@%p0 bra TOP;\n" DONE,
     DISTURB_shared_ld, 32},
    {"shfl.sync.bfly.b32 %r7, %t, 1, 31, -1;\n" DONE, DISTURB_shuffle, 32},
    {"redux.sync.add.s32 %r7, %t, -1;\n" DONE, DISTURB_shuffle, 32},
    /* from lanes that are named and there; past the mask, of lanes that have none there; exited */
    {"shfl.sync.down.b32 %r7, %t, 1, 31, -1;\n" DONE, DISTURB_absent, 0},
    {"shfl.sync.down.b32 %r7, %t, 16, 31, -1;\n" DONE, DISTURB_absent, 0},
    {"mov.u32 %r7, 0;\nsetp.lt.u32 %p0, %t, 8;\n"
     "@%p0 shfl.sync.down.b32 %r7, %t, 4, 31, 0xff;\n" DONE,
     DISTURB_absent, 4},
    {"setp.gt.u32 %p0, %t, 15;\n@%p0 exit;\nshfl.sync.idx.b32 %r7, %t, 20, 31, -1;\n" DONE,
     DISTURB_absent, 16},
    /* never set; set by some lanes; in a function that is called */
    {"add.u32 %r7, %r7, %t;\n" DONE, DISTURB_unset, 32},
    {"setp.lt.u32 %p0, %t, 9;\n@%p0 mov.u32 %r7, 1;\n" DONE, DISTURB_unset, 23},
    {"mov.u32 %r7, %t;\n" DONE, DISTURB_unset, 0},
    {"add.u32 %r7, %r7, %t;\n" DONE, DISTURB_absent, 0},
    {"{\n.param .b32 b;\ncall (b), loose, ();\nld.param.b32 %r7, [b];\n}\n" DONE, DISTURB_unset,
     32},
    {"shfl.sync.bfly.b32 %r7, %t, 1, 31, -1;\n" DONE, DISTURB_shared_ld, 0},
    {"atom.global.add.u32 %r7, [%mine+4096], 1;\n" DONE, DISTURB_atom, 32},
    {"red.global.add.u32 [%mine+4096], 1;\nmov.u32 %r7, 1;\n" DONE, DISTURB_atom, 0},
    {GLOBAL SHARED "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\ncp.async.wait_all;\n"
                   "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_async, 32},
    {GLOBAL SHARED "cp.async.ca.shared.global [%r1+256], [%mine+4096], 4;\ncp.async.wait_all;\n"
                   "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_async, 0},
    {"vote.sync.ballot.b32 %r7, 1, -1;\n" DONE, DISTURB_shuffle, 32},
    {"match.any.sync.b32 %r7, %t, -1;\n" DONE, DISTURB_shuffle, 32},
    {"movmatrix.sync.aligned.m8n8.trans.b16 %r7, %t;\n" DONE, DISTURB_shuffle, 32},
    /* what a thread stored itself is no other's; its neighbour's is, in parts of a word, too */
    {SHARED "ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_others, 0},
    {SHARED "bar.sync 0;\nxor.b32 %r1, %r1, 4;\nld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_others,
     32},
    {SHARED "bar.sync 0;\nld.shared.u32 %r7, [s+16];\n" DONE, DISTURB_others, 31},
    {SHARED "bar.sync 0;\nsetp.eq.u32 %p0, %t, 2;\nmov.u32 %r0, 7;\n"
            "@%p0 st.shared.u16 [s+14], %r0;\nbar.sync 0;\nld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_others, 1},
    {SHARED "bar.sync 0;\nxor.b32 %r1, %r1, 4;\natom.shared.exch.b32 %r0, [%r1], 5;\n"
            "bar.sync 0;\nld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_others, 32},
    {GLOBAL SHARED "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\ncp.async.wait_all;\n"
                   "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_others, 0},
    {GLOBAL SHARED "xor.b32 %r2, %r1, 4;\ncp.async.ca.shared.global [%r2], [%mine+4096], 4;\n"
                   "cp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_others, 32},
    /* loaded 40 floats before its use, and 20; carried on by moves; a choice waits for it,
       though not for other loads; in a loop */
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\n" FLOATS FLOATS "mov.u32 %r7, %r0;\n" DONE,
     DISTURB_ahead, 32},
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\n" FLOATS "mov.u32 %r7, %r0;\n" DONE, DISTURB_ahead,
     0},
    /* each lane's own word, computed with, converted first or stored elsewhere; by way of shared
       memory; one word for all */
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nadd.u32 %r7, %r0, 1;\n" DONE, DISTURB_straight, 32},
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\ncvt.rn.f32.u32 %f0, %r0;\nadd.f32 %f0, %f0, %f0;\n"
            "mov.b32 %r7, %f0;\n" DONE,
     DISTURB_straight, 32},
    {GLOBAL "ld.global.u32 %r7, [%mine+4096];\n" DONE, DISTURB_straight, 32},
    {GLOBAL SHARED "ld.global.u32 %r0, [%mine+4096];\ncvt.rn.f32.u32 %f0, %r0;\n"
                   "st.shared.f32 [%r1], %f0;\nld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_straight, 0},
    {GLOBAL "ld.global.u32 %r0, [%out+4100];\nadd.u32 %r7, %r0, 1;\n" DONE, DISTURB_straight, 0},
    {GLOBAL CALLS("near") DONE, DISTURB_straight, 32},
    /* stored to shared memory as it is, of another type, by a generic address; stored elsewhere;
       handed to a function */
    {GLOBAL SHARED "ld.global.u32 %r0, [%mine+4096];\nst.shared.u32 [%r1], %r0;\n"
                   "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_parked, 32},
    {GLOBAL SHARED "ld.global.u32 %r0, [%mine+4096];\ncvt.rn.f32.u32 %f0, %r0;\n"
                   "cvt.u64.u32 %d0, %r1;\ncvta.shared.u64 %d0, %d0;\nst.f32 [%d0], %f0;\n"
                   "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_parked, 32},
    {GLOBAL "ld.global.u32 %r7, [%mine+4096];\n" DONE, DISTURB_parked, 0},
    {GLOBAL CALLS("near") DONE, DISTURB_parked, 0},
    /* after something else was added; 0 times another, or too little of it; itself, and taken away
       again; another was chosen, or not; another, in one lane of two; another, then a third */
    {TWO "add.u32 %r0, %r0, 1;\nadd.u32 %r0, %r0, %t;\n" LEFT, DISTURB_parked, 32},
    {TWO "mul.lo.u32 %r3, %r3, %cta;\nadd.u32 %r0, %r0, %r3;\n" LEFT, DISTURB_parked, 32},
    {TWO "mad.lo.u32 %r3, %r3, %cta, 1;\nadd.u32 %r0, %r0, %r3;\n" LEFT, DISTURB_parked, 32},
    {TWO "add.u32 %r0, %r0, 1;\ncvt.rn.f32.u32 %f0, %r0;\ncvt.rn.f32.u32 %f1, %r3;\nadd.f32 %f0, "
         "%f0, 0f3f800000;\n"
         "fma.rn.f32 %f1, %f1, 0f0da24260, %f0;\nmov.b32 %r0, %f1;\n" LEFT,
     DISTURB_parked, 32},
    {TWO "add.u32 %r3, %r0, %r0;\nsub.u32 %r0, %r3, %r0;\n" LEFT, DISTURB_parked, 32},
    {TWO "min.s32 %r0, %r0, %r3;\n" LEFT, DISTURB_parked, 32},
    {TWO "setp.eq.u32 %p0, %cta, 0;\nselp.b32 %r0, %r0, %r3, %p0;\n" LEFT, DISTURB_parked, 32},
    {".local .b32 l;\n" TWO "st.local.u32 [l], %r0;\nld.local.u32 %r0, [l];\n" LEFT, DISTURB_parked,
     32},
    {TWO "add.cc.u32 %r0, %r0, 0;\n" LEFT, DISTURB_parked, 32},
    {TWO "xor.b32 %r0, %r0, %r3;\n" LEFT, DISTURB_parked, 32},
    {TWO "shl.b32 %r3, %r3, 16;\nor.b32 %r0, %r0, %r3;\n" LEFT, DISTURB_parked, 32},
    {TWO "sub.cc.u32 %r2, %t, 1;\naddc.u32 %r0, %r0, 0;\n" LEFT, DISTURB_parked, 32},
    {TWO "add.cc.u32 %r0, %r0, %r3;\n" LEFT, DISTURB_parked, 0},
    {TWO "add.u32 %r0, %r0, %r3;\n" LEFT, DISTURB_parked, 0},
    {TWO "and.b32 %r2, %t, 1;\nsetp.eq.u32 %p0, %r2, 0;\n@%p0 add.u32 %r0, %r0, %r3;\n" LEFT,
     DISTURB_parked, 16},
    {TWO "add.u32 %r0, %r0, %r3;\nld.global.u32 %r3, [%mine+4104];\nadd.u32 %r0, %r0, %r3;\n" LEFT,
     DISTURB_parked, 0},
    /* one in 64 of 256 words that are added up: hardly a lane has none; of one word, hardly one */
    {SHARED "mov.u32 %r7, 0;\nmov.u32 %r5, 0;\nTOP: ld.shared.u32 %r0, [%r1];\n"
            "add.u32 %r7, %r0, %r7;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, 256;\n"
            "@%p0 bra TOP;\n" DONE,
     DISTURB_one_in_64, 32},
    {SHARED "ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_one_in_64, 0},
    {GLOBAL "ld.global.u32 %r7, [%mine+4096];\n" DONE, DISTURB_one_in_64, 0},
    /* by so many lanes at once, and by more or fewer */
    {SHARED "setp.lt.u32 %p0, %t, 8;\n@%p0 ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_lanes_8, 8},
    {SHARED "setp.lt.u32 %p0, %t, 3;\n@%p0 ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_lanes_2, 3},
    {SHARED "setp.lt.u32 %p0, %t, 8;\n@%p0 ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_lanes_2, 0},
    {SHARED "setp.lt.u32 %p0, %t, 16;\n@%p0 ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_lanes_8, 0},
    {SHARED "setp.lt.u32 %p0, %t, 1;\n@%p0 ld.shared.u32 %r7, [%r1];\n" DONE, DISTURB_lanes_2, 0},
    {GLOBAL "setp.lt.u32 %p0, %t, 8;\n@%p0 ld.global.u32 %r7, [%mine+4096];\n" DONE,
     DISTURB_lanes_8, 0},
    /* all of it in a function that is called; or used by being handed out of one */
    {GLOBAL CALLS("far") DONE, DISTURB_ahead, 32},
    {GLOBAL FIVE CALLS("far") DONE, DISTURB_at_once, 0},
    {GLOBAL CALLS("near") FLOATS FLOATS DONE, DISTURB_ahead, 0},
    {GLOBAL FIVE CALLS("near") FLOATS FLOATS DONE, DISTURB_at_once, 32},
    {GLOBAL CALLS("far") DONE, DISTURB_again, 0},
    {GLOBAL CALLS("far") CALLS("far") DONE, DISTURB_again, 32},
    /* 40 are few where there were 4,000 before */
    {GLOBAL
     "mov.u32 %r5, 0;\nTOP: " FLOATS FLOATS "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, 100;\n"
     "@%p0 bra TOP;\nld.global.u32 %r0, [%mine+4096];\n" FLOATS FLOATS "mov.u32 %r7, %r0;\n" DONE,
     DISTURB_ahead, 0},
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nsetp.lt.u32 %p0, %t, 9;\n"
            "selp.b32 %r3, %r0, 0, %p0;\nmov.u32 %r7, %r3;\n" FLOATS FLOATS DONE,
     DISTURB_ahead, 0},
    {GLOBAL
     "ld.global.u32 %r0, [%mine+4096];\nsetp.lt.u32 %p0, %t, 9;\n"
     "selp.b32 %r3, %r0, 0, %p0;\nld.global.u32 %r1, [%mine+4096];\nmov.u32 %r7, %r1;\n" DONE,
     DISTURB_again, 0},
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nadd.u32 %r7, %r0, 1;\n" FLOATS FLOATS DONE,
     DISTURB_ahead, 0},
    /* a copy is used: so it has come */
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nshr.u32 %r3, %r0, 1;\n"
            "setp.eq.u32 %p0, %r3, 5;\n" FLOATS FLOATS "mov.u32 %r7, %r0;\n" DONE,
     DISTURB_ahead, 0},
    {FIVE GLOBAL "ld.global.u32 %r0, [%mine+4096];\nshr.u32 %r3, %r0, 1;\n"
                 "setp.eq.u32 %p0, %r3, 5;\n" FLOATS FLOATS "mov.u32 %r7, %r0;\n" DONE,
     DISTURB_at_once, 32},
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\n" FLOATS FLOATS "mov.u32 %r0, 5;\n"
            "mov.u32 %r7, %r0;\n" DONE,
     DISTURB_ahead, 0},
    {GLOBAL "mov.u32 %r5, 0;\nmov.u32 %r3, 0;\nmov.u32 %r7, 0;\n"
            "TOP: add.u32 %r7, %r7, %r3;\nld.global.u32 %r0, [%mine+4096];\n" FLOATS FLOATS
            "mov.u32 %r3, %r0;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, 2;\n"
            "@%p0 bra TOP;\n" DONE,
     DISTURB_ahead, 32},
    {GLOBAL "setp.lt.u32 %p0, %t, 7;\n@%p0 ld.global.v2.u32 {%r6, %r7}, [%out+4096];\n"
            "@!%p0 mov.u32 %r7, 3;\n" FLOATS FLOATS DONE,
     DISTURB_ahead, 7},
    {GLOBAL SHARED
     "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\ncp.async.commit_group;\n" FLOATS FLOATS
     "cp.async.wait_all;\nld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_ahead, 32},
    {GLOBAL SHARED FLOATS FLOATS "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\n"
                                 "cp.async.commit_group;\ncp.async.wait_all;\n" FLOATS FLOATS
                                 "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_ahead, 0},
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nmov.b64 %d0, {%r0, %t};\n" FLOATS FLOATS
            "mov.b64 {%r7, %r6}, %d0;\n" DONE,
     DISTURB_ahead, 32},
    {GLOBAL
     "ld.global.u32 %r0, [%mine+4096];\ncvt.u64.u32 %d0, %r0;\nshl.b64 %d0, %d0, 32;\n" FLOATS
         FLOATS "shr.u64 %d0, %d0, 32;\ncvt.u32.u64 %r7, %d0;\n" DONE,
     DISTURB_ahead, 32},
    /* its bits moved, and something else put among them, which waits for it */
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nor.b32 %r3, %r0, 0;\n" FLOATS FLOATS
            "mov.u32 %r7, %r3;\n" DONE,
     DISTURB_ahead, 32},
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nor.b32 %r3, %r0, %t;\n" FLOATS FLOATS
            "mov.u32 %r7, %r3;\n" DONE,
     DISTURB_ahead, 0},
    /* not before the first float; and 20 later */
    {GLOBAL "ld.global.u32 %r7, [%mine+4096];\n" DONE, DISTURB_at_once, 0},
    {GLOBAL FIVE "ld.global.u32 %r7, [%mine+4096];\n" DONE, DISTURB_at_once, 32},
    {GLOBAL FIVE "ld.global.u32 %r7, [%mine+4096];\n" FLOATS DONE, DISTURB_at_once, 32},
    {GLOBAL FIVE "ld.global.u32 %r7, [%mine+4096];\n" FLOATS FLOATS DONE, DISTURB_at_once, 0},
    {GLOBAL SHARED FIVE "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\ncp.async.wait_all;\n"
                        "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_at_once, 32},
    /* before anything is used, and after it; by copies */
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nld.global.u32 %r3, [%mine+4096];\n"
            "add.u32 %r7, %r0, %r3;\n" DONE,
     DISTURB_again, 0},
    {GLOBAL "ld.global.u32 %r0, [%mine+4096];\nmov.u32 %r3, %r0;\n"
            "ld.global.u32 %r5, [%mine+4096];\nadd.u32 %r7, %r3, %r5;\n" DONE,
     DISTURB_again, 0},
    {GLOBAL
     "ld.global.u32 %r0, [%mine+4096];\nadd.u32 %r3, %r0, 1;\n"
     "setp.lt.u32 %p0, %t, 7;\nmov.u32 %r7, 0;\n@%p0 ld.global.u32 %r7, [%mine+4096];\n" DONE,
     DISTURB_again, 7},
    {GLOBAL SHARED "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\ncp.async.wait_all;\n"
                   "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_again, 0},
    {GLOBAL SHARED "cp.async.ca.shared.global [%r1+128], [%mine+4096], 4;\ncp.async.wait_all;\n"
                   "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\ncp.async.wait_all;\n"
                   "ld.shared.u32 %r7, [%r1];\n" DONE,
     DISTURB_again, 32},
    /* a bulk copy, and one that arrives at an mbarrier: flown until the wait; by a warp that
       computes */
    {BULK FLOATS FLOATS WAITED, DISTURB_ahead, 32},
    {FIVE BULK FLOATS FLOATS WAITED, DISTURB_at_once, 0},
    {FIVE BULK FIVE WAITED, DISTURB_at_once, 32},
    {FIVE BULK FIVE WAITED, DISTURB_ahead, 0},
    {BULK WGMMA_64 WGMMA_64 WGMMA_64 WGMMA_64 WAITED, DISTURB_ahead, 32}, /* 8 mma each */
    {BULK WGMMA_64 WGMMA_64 WGMMA_64 WAITED, DISTURB_ahead, 0},
    {FIVE ARRIVES FLOATS FLOATS WAITED, DISTURB_ahead, 32},
    {FIVE ARRIVES FLOATS FLOATS WAITED, DISTURB_at_once, 0},
    {FIVE ARRIVES FIVE WAITED, DISTURB_at_once, 32},
    /* NaN of numbers, 0 in its place, in seven lanes; one that comes of it; an infinity */
    {"mov.f32 %f0, 0f7f800000;\nsetp.lt.u32 %p0, %t, 7;\nmov.f32 %f1, 0f3f800000;\n"
     "@%p0 sub.f32 %f1, %f0, %f0;\nmov.b32 %r7, %f1;\n" DONE,
     DISTURB_nan, 7},
    {"mov.f32 %f0, 0f7fc00000;\nadd.f32 %f1, %f0, %f0;\nmov.b32 %r7, %f1;\n" DONE, DISTURB_nan, 0},
    {"mov.f32 %f0, 0f7f000000;\nmul.f32 %f1, %f0, %f0;\nmov.b32 %r7, %f1;\n" DONE, DISTURB_nan, 0},
    /* what is only added to a product of zeros is not made by it */
    {"mov.f32 %f0, 0f3f800000;\nmov.u32 %r0, 0;\nmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
     "{%f0, %f1, %f2, %f3}, {%r0, %r0}, {%r0}, {%f0, %f0, %f0, %f0};\nmov.b32 %r7, %f1;\n" DONE,
     DISTURB_tensor, 0},
    {"mov.u32 %r0, 0x3c003c00;\nmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
     "{%f0, %f1, %f2, %f3}, {%r0, %r0}, {%r0}, {%f0, %f0, %f0, %f0};\nmov.b32 %r7, %f1;\n" DONE,
     DISTURB_tensor, 32},
    {"mov.u32 %r5, 0;\n" WGMMA, DISTURB_tensor, 0},
    {"mov.u32 %r5, 0x3c00;\n" WGMMA, DISTURB_tensor, 32},
};

Test(disturb, reaches_what_is_made_from_it)
{
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        struct program p = {.target = "sm_90a", .before = ROOM, .body = rows[k].body};
        int n = changed(p, rows[k].class, 32);
        cr_expect_eq(n, rows[k].changed, "%s: %d changed, not %d", rows[k].body, n,
                     rows[k].changed);
    }
}

/* A second warp fetches for the first: when that has computed 20, or at once, it asks, and waits
 * where it has to; the first computes more, and waits. */
#define FETCHED(asks, more, told, waits)                                                           \
    FETCHES(                                                                                       \
        "ASKED: mbarrier.test_wait.parity.shared.b64 %p0, [s+520], 0;\n@!%p0 bra ASKED;\n" asks,   \
        more, told, waits)
#define FETCHES(asks, more, told, waits)                                                           \
    "st.global.u32 [%mine+4096], %t;\nsetp.lt.u32 %p1, %t, 32;\nsetp.eq.u32 %p2, %t, 0;\n"         \
    "mov.u32 %r2, s;\nand.b32 %r1, %t, 31;\nshl.b32 %r1, %r1, 2;\nadd.u32 %r1, %r1, %r2;\n"        \
    "@%p2 mbarrier.init.shared.b64 [s+512], 32;\n@%p2 mbarrier.init.shared.b64 [s+520], 32;\n"     \
    "bar.sync 0;\n@!%p1 bra FETCHES;\n" FLOATS                                                     \
    "mbarrier.arrive.shared.b64 %d1, [s+520];\n" more waits "ld.shared.u32 %r7, [%r1];\n" DONE     \
    "\nret;\nFETCHES:\n" asks told
#define COPIES "cp.async.ca.shared.global [%r1], [%mine+4096], 4;\n"
#define LOADS  "ld.global.u32 %r0, [%mine+4096];\nst.shared.u32 [%r1], %r0;\n"
#define ALL    "cp.async.wait_all;\n"
#define NOINC  "cp.async.mbarrier.arrive.noinc.shared.b64 [s+512];\n"
#define ARRIVE "mbarrier.arrive.shared.b64 %d1, [s+512];\n"
#define AWAIT  "AGAIN: mbarrier.test_wait.parity.shared.b64 %p0, [s+512], 0;\n@!%p0 bra AGAIN;\n"
#define BAR_1  "bar.arrive 1, 64;\n"
#define BAR_2  "bar.sync 1, 64;\n"

Test(disturb, goes_by_those_that_are_fetched_for)
{
    static const struct {
        const char *body;
        int class, changed;
    } pairs[] = {
        {FETCHED(COPIES, FLOATS FLOATS, NOINC, AWAIT), DISTURB_ahead, 32},
        {FETCHED(COPIES, FLOATS FLOATS, NOINC, AWAIT), DISTURB_at_once, 0},
        {FETCHED(COPIES, FIVE, NOINC, AWAIT), DISTURB_ahead, 0},
        {FETCHED(COPIES, FIVE, NOINC, AWAIT), DISTURB_at_once, 32},
        /* it waits for them itself, and tells of it */
        {FETCHED(COPIES, FLOATS FLOATS, ALL ARRIVE, AWAIT), DISTURB_ahead, 32},
        {FETCHED(COPIES, FLOATS FLOATS, ALL ARRIVE, AWAIT), DISTURB_at_once, 0},
        {FETCHED(COPIES, FIVE, ALL ARRIVE, AWAIT), DISTURB_at_once, 32},
        {FETCHED(COPIES, FLOATS FLOATS, ALL BAR_1, BAR_2), DISTURB_ahead, 32},
        {FETCHED(COPIES, FIVE, ALL BAR_1, BAR_2), DISTURB_at_once, 32},
        /* by registers */
        {FETCHED(LOADS, FLOATS FLOATS, ARRIVE, AWAIT), DISTURB_ahead, 32},
        {FETCHED(LOADS, FIVE, ARRIVE, AWAIT), DISTURB_at_once, 32},
        {FETCHED(LOADS, FLOATS FLOATS, BAR_1, BAR_2), DISTURB_ahead, 32},
        {FETCHED(LOADS, FLOATS FLOATS, BAR_1, BAR_2), DISTURB_at_once, 0},
        /* before it has heard of anybody */
        {FETCHES(LOADS, FLOATS, ARRIVE, AWAIT), DISTURB_ahead, 32},
        {FETCHES(LOADS, FIVE, ARRIVE, AWAIT), DISTURB_ahead, 0},
        {FETCHES(LOADS, FLOATS, BAR_1, BAR_2), DISTURB_ahead, 32},
        /* something else than handed on; a warp that computes, if only a little */
        {FETCHED("ld.global.u32 %r0, [%mine+4096];\nadd.u32 %r0, %r0, 0;\nst.shared.u32 [%r1], "
                 "%r0;\n",
                 FLOATS FLOATS, ARRIVE, AWAIT),
         DISTURB_at_once, 32},
        {FETCHED("add.f32 %f3, %f3, %f3;\n" COPIES, FIVE, NOINC, AWAIT), DISTURB_at_once, 32},
    };
    for (size_t k = 0; k < sizeof(pairs) / sizeof(*pairs); k++) {
        struct program p = {.target = "sm_90a", .before = ROOM, .body = pairs[k].body, .block = 64};
        int n = changed(p, pairs[k].class, 32);
        cr_expect_eq(n, pairs[k].changed, "row %zu: %d changed, not %d", k, n, pairs[k].changed);
    }
}

/* Of each block the odd warps or the even ones, not the same in all; the whole of one warp. */
Test(disturb, half_of_the_warps)
{
    struct program p = {.body = "shl.b32 %r0, %cta, 7;\nadd.u32 %r0, %r0, %t;\n"
                                "mul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %out, %d0;\n"
                                "ld.global.u32 %r7, [%d0+8192];\nst.global.u32 [%d0], %r7;\n",
                        .grid = 8,
                        .block = 128};
    int first = 0;

    cr_expect_eq(changed(p, DISTURB_half_warps, 1024), 512);
    for (int k = 0; k < 8; k++) {
        const uint32_t *o = out + 128 * k; /* of zeros, what is not 0 was disturbed */
        cr_expect_eq(!!o[0], !!o[64]);
        cr_expect_eq(!o[0], !!o[32]);
        cr_expect_eq(!o[0], !!o[96]);
        first += !!o[0];
    }
    cr_expect(first > 0 && first < 8, "%d", first);
    p.block = 32;
    cr_expect_eq(changed(p, DISTURB_half_warps, 1024), 256);
}

/* Of each block one warp, of each row of the grid one block: all of them have their turn. */
Test(disturb, one_warp_and_one_block)
{
    struct program p = {.body = "mov.u32 %r1, %ctaid.y;\nshl.b32 %r1, %r1, 2;\n"
                                "add.u32 %r0, %r1, %cta;\nshl.b32 %r0, %r0, 7;\n"
                                "add.u32 %r0, %r0, %t;\n"
                                "mul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %out, %d0;\n"
                                "ld.global.u32 %r7, [%d0+8192];\nst.global.u32 [%d0], %r7;\n",
                        .grid = 4,
                        .grid_yz = {2, 1},
                        .block = 128};
    int of_warp[4] = {0}, of_row[2] = {0};

    cr_expect_eq(changed(p, DISTURB_one_warp, 1024), 8 * 32);
    for (int k = 0; k < 32; k++) /* of zeros, what is not 0 was disturbed */
        of_warp[k % 4] += !!out[32 * k];
    for (int k = 0; k < 4; k++) /* a row has one, the same in all its blocks */
        cr_expect(of_warp[k] == 0 || of_warp[k] == 4, "warp %d: %d", k, of_warp[k]);
    cr_expect_eq(changed(p, DISTURB_one_block, 1024), 2 * 128);
    for (int k = 0; k < 8; k++)
        of_row[k / 4] += !!out[128 * k];
    cr_expect(of_row[0] == 1 && of_row[1] == 1, "%d %d", of_row[0], of_row[1]);

    p.grid = 8;
    p.grid_yz[0] = 1;
    memset(of_warp, 0, sizeof(of_warp));
    cr_expect_eq(changed(p, DISTURB_one_warp, 1024), 8 * 32);
    for (int k = 0; k < 32; k++)
        of_warp[k % 4] += !!out[32 * k];
    for (int k = 0; k < 4; k++)
        cr_expect(of_warp[k] >= 1 && of_warp[k] <= 3, "warp %d: %d", k, of_warp[k]);
}

/* The same bits each time; none once it is over; and other lanes' registers stay as they were. */
Test(disturb, is_the_same_each_time)
{
    struct program p = {.before = ROOM, .body = rows[0].body};
    uint32_t first[32];

    disturb_set(1u << DISTURB_shared_ld);
    cr_assert_eq(launch(p), cudaSuccess);
    memcpy(first, out, sizeof(first));
    cr_assert_eq(launch(p), cudaSuccess);
    cr_expect_arr_eq(out, first, sizeof(first));
    cr_assert_eq(disturb_set(0), 1u << DISTURB_shared_ld);
    cr_assert_eq(launch(p), cudaSuccess);
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(out[i], i);
}

/* Floating-point values stay numbers, of a size that sums notice and no formats overflow. */
Test(disturb, keeps_numbers_sane)
{
    struct site site = {.index = 3};
    struct insn in = {.site = &site};
    struct block block = {.index = 1};
    struct warp w = {.block = &block};
    for (w.executed = 0; w.executed < 1000; w.executed++)
        for (int lane = 0; lane < 32; lane++) {
            float f = 1.5f;
            double d = 1.5;
            uint32_t u;
            uint64_t v;
            memcpy(&u, &f, 4);
            memcpy(&v, &d, 8);
            u ^= (uint32_t)disturb_bits(&w, &in, lane, 0, 4);
            v ^= disturb_bits(&w, &in, lane, 0, 8);
            memcpy(&f, &u, 4);
            memcpy(&d, &v, 8);
            cr_assert(isfinite(f) && fabsf(f - 1.5f) > 0.1f && fabsf(f) < 1000, "%g", (double)f);
            cr_assert(isfinite(d) && fabs(d - 1.5) > 0.05 && fabs(d) < 1000, "%g", d);
            cr_assert(disturb_bits(&w, &in, lane, 0, 1) - 1 < 0xff);
            cr_assert(disturb_bits(&w, &in, lane, 0, 2) - 1 < 0xffff);
        }
}
