/* hopper_bulk.c - copies of bytes in all directions and to several blocks of a cluster, elements
 * sent to another block, mbarriers, and what a block says of itself (registers, dependencies).
 *
 * Each block has ROOM bytes of shared memory and an mbarrier, which its thread 0 sets up for one
 * arrival, its own, and for the bytes that the case brings to it. Then a row's instructions are
 * executed, by thread 0, a warp or all; each block waits, and what shared and global memory hold is
 * hashed whole, with the words that the row left in %r30 to %r37 of thread 0.
 *
 * %r1 s, %r2 the mbarrier, %r3 the block's rank, %r4 its lane, %r5 and %r6 the next block's s and
 * mbarrier; %l1 and %l2 global memory read and written, ROOM bytes a block; %l3 the tensor map.
 */
#include "hopper.h"
#include <stdlib.h>
#include <string.h>

#define ROOM  4096
#define MOST  4 /* blocks */
#define WORDS 8 /* of results */
#define MEET  "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n"

enum who { ONE, A_WARP, ALL };
struct row {
    uint32_t blocks;
    enum who who;
    uint32_t bytes, brought; /* to the blocks that this mask names */
    const char *words;
};
static uint8_t *device_from, *device_to;

static void put_kernel(FILE *o, const struct row *r)
{
    fprintf(o,
            ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k("
            ".param .align 128 .b8 map[128], .param .u64 pf, .param .u64 pt)\n"
            ".reqntid 128 .reqnctapercluster %u\n{\n"
            ".reg .b32 %%r<50>;\n.reg .b64 %%l<30>;\n.reg .b16 %%h<4>;\n.reg .pred %%p<9>;\n"
            ".shared .align 1024 .b8 s[%d];\n.shared .align 8 .b64 bar[2];\n"
            "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r4, %%laneid;\nmov.u32 %%r3, %%cluster_ctarank;\n"
            "mov.u32 %%r1, s;\nmov.u32 %%r2, bar;\nadd.u32 %%r7, %%r3, 1;\n"
            "rem.u32 %%r7, %%r7, %u;\nmapa.shared::cluster.u32 %%r5, %%r1, %%r7;\n"
            "mapa.shared::cluster.u32 %%r6, %%r2, %%r7;\nld.param.u64 %%l1, [pf];\n"
            "ld.param.u64 %%l2, [pt];\nmov.b64 %%l3, map;\ncvta.param.u64 %%l3, %%l3;\n"
            "mul.wide.u32 %%l4, %%r3, %d;\nadd.u64 %%l1, %%l1, %%l4;\nadd.u64 %%l2, %%l2, %%l4;\n",
            r->blocks, ROOM, r->blocks, ROOM);
    for (int k = 0; k < WORDS; k++)
        fprintf(o, "mov.u32 %%r%d, 0;\n", 30 + k);
    fprintf(o,
            "mov.u32 %%r8, %%r0;\nF:\nshl.b32 %%r9, %%r8, 2;\ncvt.u64.u32 %%l5, %%r9;\n"
            "add.u64 %%l5, %%l1, %%l5;\nld.global.b32 %%r10, [%%l5+%d];\nadd.u32 %%r9, %%r9, "
            "%%r1;\nst.shared.b32 [%%r9], %%r10;\nadd.u32 %%r8, %%r8, 128;\n"
            "setp.lt.u32 %%p0, %%r8, %d;\n@%%p0 bra F;\n"
            "setp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra I;\nmbarrier.init.shared::cta.b64 [%%r2], 1;\n"
            "fence.mbarrier_init.release.cluster;\n",
            MOST * ROOM, ROOM / 4);
    if (r->brought)
        fprintf(o,
                "shr.u32 %%r8, %u, %%r3;\nand.b32 %%r8, %%r8, 1;\nmul.lo.u32 %%r8, %%r8, %u;\n"
                "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%r2], %%r8;\n",
                r->brought, r->bytes);
    fprintf(o, "I:\nfence.proxy.async;\n" MEET "%s%s",
            r->who == ONE      ? "@%p1 bra J;\n"
            : r->who == A_WARP ? "setp.ge.u32 %p2, %r0, 32;\n@%p2 bra J;\n"
                               : "",
            r->words);
    fprintf(o, "J:\n");
    if (r->brought)
        fprintf(o, "@%%p1 bra K;\nmbarrier.arrive.shared::cta.b64 %%l9, [%%r2];\nK:\n"
                   "mbarrier.try_wait.parity.shared::cta.b64 %%p2, [%%r2], 0;\n@!%%p2 bra K;\n");
    fprintf(o,
            "barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %%r8, %%r0;\nG:\n"
            "shl.b32 %%r9, %%r8, 2;\ncvt.u64.u32 %%l5, %%r9;\nadd.u64 %%l5, %%l2, %%l5;\n"
            "add.u32 %%r9, %%r9, %%r1;\nld.shared.b32 %%r10, [%%r9];\n"
            "st.global.b32 [%%l5+%d], %%r10;\nadd.u32 %%r8, %%r8, 128;\n"
            "setp.lt.u32 %%p0, %%r8, %d;\n@%%p0 bra G;\n@%%p1 bra L;\n"
            "mul.wide.u32 %%l4, %%r3, %d;\nsub.u64 %%l2, %%l2, %%l4;\n"
            "mul.wide.u32 %%l4, %%r3, %d;\nadd.u64 %%l2, %%l2, %%l4;\n",
            MOST * ROOM, ROOM / 4, ROOM, 4 * WORDS);
    for (int k = 0; k < WORDS; k++)
        fprintf(o, "st.global.b32 [%%l2+%d], %%r%d;\n", 2 * MOST * ROOM + 4 * k, 30 + k);
    fprintf(o, "L:\nret;\n}\n");
}
static void draw(uint8_t *to, size_t n)
{
    uint64_t state = 815;
    for (size_t i = 0; i < n; i += 4) { /* of no type an infinity or NaN */
        uint32_t x = hopper_random(&state) & 0xbfffbfffu;
        memcpy(to + i, &x, 4);
    }
}
static void use(const char *name, const struct row *r)
{
    static uint8_t from[2 * MOST * ROOM], to[2 * MOST * ROOM + MOST * WORDS * 4];
    static struct hopper_map map;
    char *ptx = NULL;
    size_t size;
    if (!hopper_wanted(name))
        return;
    draw(from, sizeof(from));
    draw(to, sizeof(to));
    hopper_tile(&map, device_from, (const uint64_t[]){64, 64}, (const uint32_t[]){16, 8});
    hopper_need(cudaMemcpy(device_from, from, sizeof(from), cudaMemcpyHostToDevice), name);
    hopper_need(cudaMemcpy(device_to, to, sizeof(to), cudaMemcpyHostToDevice), name);
    FILE *o = open_memstream(&ptx, &size);
    put_kernel(o, r);
    fclose(o);
    void *args[] = {&map, &device_from, &device_to};
    cudaError_t e = hopper_run(ptx, r->blocks, args);
    free(ptx);
    if (e != cudaSuccess) {
        hopper_fault(name, e);
        return;
    }
    hopper_need(cudaMemcpy(to, device_to, sizeof(to), cudaMemcpyDeviceToHost), name);
    hopper_result(name, hopper_hash(to, sizeof(to)));
}
static void row(const char *name, uint32_t blocks, enum who who, uint32_t bytes, uint32_t brought,
                const char *words)
{
    use(name, &(struct row){blocks, who, bytes, brought, words});
}

/* ---- which ---- */
#define ARRIVES "mbarrier::complete_tx::bytes"
static void copies(void)
{
    static const uint32_t sizes[] = {16, 32, 48, 1008, 2048};
    char name[100], words[1000];
    for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
        uint32_t n = sizes[k];
        snprintf(name, sizeof(name), "bulk load %u", n);
        snprintf(words, sizeof(words),
                 "cp.async.bulk.shared::cluster.global." ARRIVES
                 " [%%r1+32], [%%l1+16], %u, [%%r2];\n",
                 n);
        row(name, 1, ONE, n, 1, words);
        snprintf(name, sizeof(name), "bulk load to the next of two blocks %u", n);
        snprintf(words, sizeof(words),
                 "cp.async.bulk.shared::cluster.global." ARRIVES
                 " [%%r5+32], [%%l1+16], %u, [%%r6];\n",
                 n);
        row(name, 2, ONE, n, 3, words);
        snprintf(name, sizeof(name), "bulk load to the next of four blocks %u", n);
        row(name, 4, ONE, n, 15, words);
        snprintf(name, sizeof(name), "bulk copy to the next block %u", n);
        snprintf(words, sizeof(words),
                 "cp.async.bulk.shared::cluster.shared::cta." ARRIVES
                 " [%%r5+2048], [%%r1+16], %u, [%%r6];\n",
                 n);
        if (n < 2048) /* no block reads what the other one writes */
            row(name, 2, ONE, n, 3, words);
        snprintf(name, sizeof(name), "bulk store %u", n);
        snprintf(words, sizeof(words),
                 "cp.async.bulk.global.shared::cta.bulk_group [%%l2+16], [%%r1+32], %u;\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group%s 0;\n",
                 n, k & 1 ? ".read" : "");
        row(name, 2, ONE, 0, 0, words);
    }
    for (uint32_t blocks = 1; blocks <= MOST; blocks *= 2)
        for (uint32_t mask = 1; mask < 1u << blocks; mask++)
            for (uint32_t rank = 0; rank < blocks; rank += 3) {
                char asks[100];
                snprintf(asks, sizeof(asks),
                         "mov.u16 %%h0, %u;\nsetp.ne.u32 %%p3, %%r3, %u;\n@%%p3 bra J;\n", mask,
                         rank);
                snprintf(name, sizeof(name), "multicast of bytes %u of %u blocks by %u", mask,
                         blocks, rank);
                snprintf(words, sizeof(words),
                         "%scp.async.bulk.shared::cluster.global." ARRIVES
                         ".multicast::cluster [%%r1+32], [%%l1+16], 272, [%%r2], %%h0;\n",
                         asks);
                row(name, blocks, ONE, 272, mask | 1u << MOST, words);
                snprintf(name, sizeof(name), "multicast of a tile %u of %u blocks by %u", mask,
                         blocks, rank);
                snprintf(words, sizeof(words),
                         "%smov.u32 %%r8, 56;\nmov.u32 %%r9, 7;\n"
                         "cp.async.bulk.tensor.2d.shared::cluster.global.tile." ARRIVES
                         ".multicast::cluster [%%r1+1024], [%%l3, {%%r8, %%r9}], [%%r2], %%h0;\n",
                         asks);
                row(name, blocks, ONE, 512, mask | 1u << MOST, words);
            }
    row("prefetch of bytes", 1, ONE, 0, 0, "cp.async.bulk.prefetch.L2.global [%l1], 64;\n");
    row("prefetch of a tile", 1, ONE, 0, 0,
        "mov.u32 %r8, 8;\ncp.async.bulk.prefetch.tensor.2d.L2.global.tile [%l3, {%r8, %r8}];\n");
}
static void reductions(void)
{
    static const struct {
        const char *op, *types, *shared; /* in global memory; in shared memory; by red.async */
        const char *sent;
    } rows[] = {
        {"add", "u32 s32 u64 f32 f64 noftz.f16 noftz.bf16", "u32 s32 u64", "u32 s32 u64 s64"},
        {"min", "u32 s32 u64 s64 f16 bf16", "u32 s32", "u32 s32"},
        {"max", "u32 s32 u64 s64 f16 bf16", "u32 s32", "u32 s32"},
        {"inc", "u32", "u32", "u32"},
        {"dec", "u32", "u32", "u32"},
        {"and", "b32 b64", "b32", "b32"},
        {"or", "b32 b64", "b32", "b32"},
        {"xor", "b32 b64", "b32", "b32"}};
    char name[100], words[1000], type[20];
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        int n;
        for (const char *t = rows[k].types; sscanf(t, "%19s%n", type, &n) == 1; t += n) {
            snprintf(name, sizeof(name), "bulk reduction in global memory %s.%s", rows[k].op, type);
            snprintf(words, sizeof(words),
                     "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s "
                     "[%%l2+16], [%%r1+32], 1024;\n"
                     "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                     rows[k].op, type);
            row(name, 2, ONE, 0, 0, words);
        }
        for (const char *t = rows[k].shared; sscanf(t, "%19s%n", type, &n) == 1; t += n) {
            snprintf(name, sizeof(name), "bulk reduction in the next block %s.%s", rows[k].op,
                     type);
            snprintf(words, sizeof(words),
                     "cp.reduce.async.bulk.shared::cluster.shared::cta." ARRIVES
                     ".%s.%s [%%r5+2048], [%%r1+32], 1024, [%%r6];\n",
                     rows[k].op, type);
            row(name, 2, ONE, 1024, 3, words);
        }
        for (const char *t = rows[k].sent; sscanf(t, "%19s%n", type, &n) == 1; t += n) {
            bool wide = strstr(type, "64") != NULL;
            snprintf(name, sizeof(name), "red.async %s.%s", rows[k].op, type);
            snprintf(words, sizeof(words),
                     "and.b32 %%r8, %%r4, 7;\nmad.lo.u32 %%r8, %%r8, %d, %%r5;\n"
                     "shl.b32 %%r9, %%r4, 3;\nadd.u32 %%r9, %%r9, %%r1;\n"
                     "ld.shared.b64 %%l6, [%%r9+1024];\ncvt.u32.u64 %%r9, %%l6;\n"
                     "red.async.relaxed.cluster.shared::cluster." ARRIVES
                     ".%s.%s [%%r8], %s, [%%r6];\n",
                     wide ? 8 : 4, rows[k].op, type, wide ? "%l6" : "%r9");
            row(name, 2, A_WARP, wide ? 256 : 128, 3, words);
        }
    }
}
static void elements(void)
{
    static const struct {
        const char *type, *value;
        uint32_t bytes;
    } rows[] = {{"b32", "%r9", 4},
                {"u64", "%l6", 8},
                {"v2.s32", "{%r9, %r4}", 8},
                {"v4.f32", "{%r9, %r4, %r9, %r0}", 16},
                {"v2.b64", "{%l6, %l1}", 16}};
    char name[100], words[1000];
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        snprintf(name, sizeof(name), "st.async %s", rows[k].type);
        snprintf(words, sizeof(words),
                 "mad.lo.u32 %%r8, %%r4, %u, %%r5;\nshl.b32 %%r9, %%r4, 3;\n"
                 "add.u32 %%r9, %%r9, %%r1;\nld.shared.b64 %%l6, [%%r9+1024];\nmov.u64 %%l1, 99;\n"
                 "cvt.u32.u64 %%r9, %%l6;\n"
                 "st.async.weak.shared::cluster." ARRIVES ".%s [%%r8+16], %s, [%%r6];\n",
                 rows[k].bytes, rows[k].type, rows[k].value);
        row(name, 2, A_WARP, 32 * rows[k].bytes, 3, words);
    }
}
/* Of an mbarrier at %r8: how many arrivals are pending, whether phase 0 and whether phase 1 is
 * over. */
#define ASK(to, a, b)                                                                              \
    "mbarrier.test_wait.parity.shared::cta.b64 %p4, [%r8], 0;\n"                                   \
    "mbarrier.test_wait.parity.shared::cta.b64 %p5, [%r8], 1;\n"                                   \
    "selp.u32 %r" #a ", 1, 2, %p4;\nselp.u32 %r" #b ", 1, 2, %p5;\n" to
#define PENDING(to) "mbarrier.pending_count.b64 %r" #to ", %l9;\n"
#define BEGIN(n)    "add.u32 %r8, %r2, 8;\nmbarrier.init.shared::cta.b64 [%r8], " #n ";\n"
static void mbarriers(void)
{
    row("mbarrier of 3", 1, ONE, 0, 0,
        BEGIN(3) "mbarrier.arrive.shared::cta.b64 %l9, [%r8];\n" PENDING(30)
            ASK("", 31, 32) "mbarrier.arrive.shared::cta.b64 %l8, [%r8], 2;\n"
                            "mbarrier.test_wait.shared::cta.b64 %p6, [%r8], %l9;\n"
                            "selp.u32 %r33, 1, 2, %p6;\n" ASK(
                                "", 34, 35) "mbarrier.arrive.shared::cta.b64 %l9, "
                                            "[%r8];\n" PENDING(36) "mbarrier.try_wait.shared::"
                                                                   "cta.b64 %p6, [%r8], %l9;\n"
                                                                   "selp.u32 %r37, 1, 2, "
                                                                   "%p6;\n");
    row("mbarrier drops", 1, ONE, 0, 0,
        BEGIN(3) "mbarrier.arrive_drop.shared::cta.b64 %l9, [%r8];\n" PENDING(
            30) "mbarrier.arrive."
                "shared::cta.b64 "
                "%l9, [%r8], "
                "2;\n" ASK("", 31, 32) "mbarrier.arrive.shared::cta.b64 %l9, [%r8];\n" PENDING(
                    33) "mbarrier.arrive.shared::cta.b64 %l9, [%r8];\n" ASK("", 34,
                                                                            35) "mbarrier"
                                                                                ".arrive_"
                                                                                "drop."
                                                                                "noComple"
                                                                                "te."
                                                                                "shared::"
                                                                                "cta.b64 "
                                                                                "%l9, "
                                                                                "[%r8], "
                                                                                "1;"
                                                                                "\n" PENDING(36));
    row("mbarrier drops and expects", 1, ONE, 0, 0,
        BEGIN(2) "mbarrier.arrive_drop.expect_tx.shared::cta.b64 %l9, [%r8], 32;\n" PENDING(
            30) "mbarrier.arrive.shared::cta.b64 %l9, [%r8];\n" ASK("", 31,
                                                                    32) "mbarrier.complete_tx."
                                                                        "relaxed.cta.shared::"
                                                                        "cta.b64 [%r8], "
                                                                        "32;\n" ASK(
                                                                            "", 33,
                                                                            34) "mbarri"
                                                                                "er."
                                                                                "arrive"
                                                                                ".share"
                                                                                "d::"
                                                                                "cta."
                                                                                "b64 "
                                                                                "%l9, "
                                                                                "[%r8];"
                                                                                "\n" PENDING(35)
                                                                                    ASK("", 36,
                                                                                        37));
    row("mbarrier arrives without completing", 1, ONE, 0, 0,
        BEGIN(4) "mbarrier.arrive.noComplete.shared::cta.b64 %l9, [%r8], 3;\n" PENDING(
            30) "mbarrier.arrive.shared::cta.b64 %l9, [%r8];\n" PENDING(31) ASK("", 32, 33));
    row("mbarrier bytes before they are expected", 1, ONE, 0, 0,
        BEGIN(2) "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 16;\n" ASK(
            "", 30,
            31) "mbarrier.arrive.expect_tx.shared::cta.b64 %l9, [%r8], 48;\n" PENDING(32) "mbarrier"
                                                                                          ".arrive."
                                                                                          "release."
                                                                                          "cta."
                                                                                          "shared::"
                                                                                          "cta.b64 "
                                                                                          "%l9, "
                                                                                          "[%r8];"
                                                                                          "\n" ASK("", 33, 34) "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 32;\n" ASK(
                                                                                              "",
                                                                                              35,
                                                                                              36));
    row("mbarrier by generic addresses", 1, ONE, 0, 0,
        "mov.b64 %l6, bar;\ncvta.shared.u64 %l6, %l6;\nadd.u64 %l6, %l6, 8;\n"
        "mbarrier.init.b64 [%l6], 2;\nmbarrier.arrive.b64 %l9, [%l6];\n" PENDING(
            30) "mbarrier.arrive.expect_tx.release.cta.b64 %l9, [%l6], 16;\n" PENDING(31) "mbarrier"
                                                                                          ".test_"
                                                                                          "wait."
                                                                                          "parity."
                                                                                          "acquire."
                                                                                          "cta.b64 "
                                                                                          "%p4, "
                                                                                          "[%l6], "
                                                                                          "0;"
                                                                                          "\nselp."
                                                                                          "u32 "
                                                                                          "%r32, "
                                                                                          "1, 2, "
                                                                                          "%p4;\n"
                                                                                          "mbarrier"
                                                                                          ".complet"
                                                                                          "e_tx."
                                                                                          "b64 "
                                                                                          "[%l6], "
                                                                                          "16;\n"
                                                                                          "mbarrier"
                                                                                          ".try_"
                                                                                          "wait."
                                                                                          "parity."
                                                                                          "b64 "
                                                                                          "%p4, "
                                                                                          "[%l6], "
                                                                                          "0, "
                                                                                          "1000;"
                                                                                          "\nselp."
                                                                                          "u32 "
                                                                                          "%r33, "
                                                                                          "1, 2, "
                                                                                          "%p4;\n"
                                                                                          "mbarrier"
                                                                                          ".inval."
                                                                                          "b64 "
                                                                                          "[%l6];"
                                                                                          "\n");
    /* the other block's, whose thread 0 waits at J for 64 bytes that are never copied */
    row("mbarrier of the next block", 2, ONE, 64, 3,
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r6], 64;\n");
    row("mbarrier of the next block expects", 2, ALL, 0, 3,
        "@%p1 bra X;\nmbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r6], 32;\n"
        "X:\n" MEET "@%p1 bra J;\n"
        "cp.async.bulk.shared::cluster.global." ARRIVES " [%r5+32], [%l1+16], 32, [%r6];\n");
    row("mbarrier of the next block, arrivals", 4, ALL, 0, 0,
        "@%p1 bra X;\n" BEGIN(
            5) "fence.mbarrier_init.release.cluster;\nX:\n" MEET
               "@%p1 bra J;\nadd.u32 %r9, %r6, 8;\n"
               "mbarrier.arrive.shared::cluster.b64 _, [%r9];\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9], 2;\n"
               "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r9], 16;\n"
               "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r9], 16;\n"
               "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r9];\n"
               "W:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r8], 0, 100;\n"
               "@!%p4 bra W;\nmbarrier.arrive.shared::cta.b64 %l9, [%r8];\n" PENDING(30));
}
static void others(void)
{
    row("registers given back", 1, ALL, 0, 0, "setmaxnreg.dec.sync.aligned.u32 24;\n");
    row("dependencies of grids", 1, ALL, 0, 0,
        "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\n");
    row("fences of proxies", 2, ALL, 0, 0,
        "fence.proxy.alias;\nfence.proxy.async;\nfence.proxy.async.global;\n"
        "fence.proxy.async.shared::cta;\nfence.proxy.tensormap::generic.release.gpu;\n"
        "fence.proxy.tensormap::generic.acquire.gpu [%l1], 128;\nfence.acq_rel.cluster;\n"
        "fence.mbarrier_init.release.cluster;\n");
    row("one lane elected", 1, A_WARP, 0, 0,
        "elect.sync %r30|%p4, 0xffffffff;\nselp.u32 %r31, 1, 2, %p4;\n");
}
void bulk_cases(void)
{
    hopper_need(cudaMalloc((void **)&device_from, 2 * MOST * ROOM), "cudaMalloc");
    hopper_need(cudaMalloc((void **)&device_to, 2 * MOST * ROOM + MOST * WORDS * 4), "cudaMalloc");
    copies();
    reductions();
    elements();
    mbarriers();
    others();
}
#define ARRIVE(n)   "mbarrier.arrive.shared::cta.b64 %l9, [%r8]" n ";\n"
#define EXPECT(n)   "mbarrier.arrive.expect_tx.shared::cta.b64 %l9, [%r8], " n ";\n"
#define COMPLETE(n) "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], " n ";\n"
/* More arrivals than a phase has pending, and bytes than it counts. */
void arrival_cases(void)
{
    static const struct {
        const char *name, *count, *words;
    } rows[] = {
        {"3 of 2", "2", ARRIVE(", 3")},
        {"2 of 2", "2", ARRIVE(", 2")},
        {"drops 3 of 2", "2", "mbarrier.arrive_drop.shared::cta.b64 %l9, [%r8], 3;\n"},
        {"drops 2 of 2", "2", "mbarrier.arrive_drop.shared::cta.b64 %l9, [%r8], 2;\n"},
        {"drops all, then one", "2",
         "mbarrier.arrive_drop.shared::cta.b64 %l9, [%r8], 2;\n" ARRIVE("")},
        {"2 of 2 without completing", "2",
         "mbarrier.arrive.noComplete.shared::cta.b64 %l9, [%r8], 2;\n"},
        {"3 of 2 without completing", "2",
         "mbarrier.arrive.noComplete.shared::cta.b64 %l9, [%r8], 3;\n"},
        {"while bytes are awaited", "1", EXPECT("16") ARRIVE("")},
        {"while bytes are awaited, with more", "1", EXPECT("16") EXPECT("16")},
        {"while bytes are awaited, of copies", "1",
         EXPECT("16") "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r8];\n"},
        {"while bytes are awaited, added by copies", "1",
         EXPECT("16") "cp.async.mbarrier.arrive.shared::cta.b64 [%r8];\n"},
        {"of a count of 1048575", "1048575", ARRIVE(", 1048575")},
        {"after inval", "2", "mbarrier.inval.shared::cta.b64 [%r8];\n" ARRIVE("")},
        {"expecting 1048575 bytes", "2", EXPECT("1048575")},
        {"of bytes that no one expects", "2", COMPLETE("1048575") ARRIVE("") EXPECT("1048575")},
    };
    char name[100], words[1000];
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        snprintf(name, sizeof(name), "arrivals %s", rows[k].name);
        snprintf(words, sizeof(words),
                 "add.u32 %%r8, %%r2, 8;\nmbarrier.init.shared::cta.b64 [%%r8], %s;\n%s"
                 "mbarrier.test_wait.parity.shared::cta.b64 %%p4, [%%r8], 0;\n"
                 "selp.u32 %%r30, 1, 2, %%p4;\n"
                 "mbarrier.test_wait.parity.shared::cta.b64 %%p4, [%%r8], 1;\n"
                 "selp.u32 %%r31, 1, 2, %%p4;\n",
                 rows[k].count, rows[k].words);
        row(name, 1, ONE, 0, 0, words);
    }
    for (int n = 8; n <= 32; n += 12) {
        snprintf(name, sizeof(name), "arrivals of 32 lanes at %d", n);
        snprintf(words, sizeof(words),
                 "add.u32 %%r8, %%r2, 8;\n@!%%p1 mbarrier.init.shared::cta.b64 [%%r8], %d;\n"
                 "bar.warp.sync 0xffffffff;\nmbarrier.arrive.shared::cta.b64 %%l9, [%%r8];\n"
                 "bar.warp.sync 0xffffffff;\n",
                 n);
        row(name, 1, A_WARP, 0, 0, words);
    }
    row("arrivals at the next block, 3 of 2", 2, ALL, 0, 0,
        "@%p1 bra X;\nadd.u32 %r8, %r2, 8;\nadd.u32 %r9, %r6, 8;\n"
        "mbarrier.init.shared::cta.b64 [%r8], 2;\nfence.mbarrier_init.release.cluster;\n"
        "X:\n" MEET "@%p1 bra J;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9], 3;\n");
}
