/* counts_main.c - small kernels for counters: each executes one kind of instruction a few times, so
 * that what Nsight Compute counts of it on a GPU can be set beside what the emulator does
 * (counts.py). The kernel's name says what it is.
 *
 *   ptxcounts [--only TEXT]
 *
 * A kernel is warps of one block, or of two of a cluster. %r0 is the thread, %r1 shared memory s,
 * zeros at first, %r2 an mbarrier for one arrival, %r3 the block's rank, %r4 the lane, %r5 and %r6
 * the next block's s and mbarrier, %l0 global memory, %l1 to %l3 tensor maps; what %r30 holds in
 * the end is stored, so that nothing before it goes away.
 */
#include "hopper.h"
#include <stdlib.h>
#include <string.h>

#define ROOM  16384
#define TIMES 4
#define BYTES (1 << 16)

struct kernel {
    char name[64];
    uint32_t blocks, warps;
    char *words;
};
static const char *only;
static uint32_t ran;
static uint8_t *device;
static struct hopper_map maps[3];

static void put_kernel(FILE *o, const struct kernel *k)
{
    fprintf(o, ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry %s(", k->name);
    for (int i = 0; i < 3; i++)
        fprintf(o, ".param .align 128 .b8 map%d[128], ", i);
    fprintf(o,
            ".param .u64 pg)\n.reqntid %u .reqnctapercluster %u\n{\n"
            ".reg .b32 %%r<50>;\n.reg .b64 %%l<40>;\n.reg .b16 %%h<4>;\n.reg .pred %%p<9>;\n"
            ".reg .b32 %%a<16>;\n.reg .b32 %%b<16>;\n.reg .b32 %%d<128>;\n"
            ".reg .b64 %%A<16>;\n.reg .b64 %%B<16>;\n.reg .b64 %%D<16>;\n"
            ".shared .align 1024 .b8 s[%d];\n.shared .align 8 .b64 bar[2];\n"
            "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r4, %%laneid;\nmov.u32 %%r3, %%cluster_ctarank;\n"
            "mov.u32 %%r1, s;\nmov.u32 %%r2, bar;\nxor.b32 %%r7, %%r3, %u;\n"
            "mapa.shared::cluster.u32 %%r5, %%r1, %%r7;\n"
            "mapa.shared::cluster.u32 %%r6, %%r2, %%r7;\nld.param.u64 %%l0, [pg];\n",
            32 * k->warps, k->blocks, ROOM, k->blocks - 1);
    for (int i = 0; i < 3; i++)
        fprintf(o, "mov.b64 %%l%d, map%d;\ncvta.param.u64 %%l%d, %%l%d;\n", i + 1, i, i + 1, i + 1);
    fprintf(o,
            "mov.u32 %%r30, 0;\nshl.b32 %%r8, %%r0, 4;\nmov.u32 %%r9, 0;\n"
            "F:\nadd.u32 %%r10, %%r1, %%r8;\nst.shared.v4.b32 [%%r10], {%%r9, %%r9, %%r9, %%r9};\n"
            "add.u32 %%r8, %%r8, %u;\nsetp.lt.u32 %%p0, %%r8, %d;\n@%%p0 bra F;\n"
            "setp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra I;\nmbarrier.init.shared::cta.b64 [%%r2], 1;\n"
            "fence.mbarrier_init.release.cluster;\nI:\nfence.proxy.async;\nbar.sync 0;\n%s"
            "mul.wide.u32 %%l9, %%r0, 4;\nadd.u64 %%l9, %%l0, %%l9;\n"
            "st.global.b32 [%%l9+32768], %%r30;\nret;\n}\n",
            32 * 16 * k->warps, ROOM, k->words);
}
static void run(const struct kernel *k)
{
    cudaLibrary_t lib;
    cudaKernel_t kernel;
    char *ptx = NULL;
    size_t size;
    if (only && !strstr(k->name, only))
        return;
    FILE *o = open_memstream(&ptx, &size);
    put_kernel(o, k);
    fclose(o);
    hopper_need(cudaLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0), k->name);
    hopper_need(cudaLibraryGetKernel(&kernel, lib, k->name), k->name);
    void *args[] = {&maps[0], &maps[1], &maps[2], &device};
    hopper_need(cudaLaunchKernel((const void *)kernel, (dim3){k->blocks, 1, 1},
                                 (dim3){32 * k->warps, 1, 1}, args, 0, NULL),
                k->name);
    hopper_need(cudaDeviceSynchronize(), k->name);
    cudaLibraryUnload(lib);
    free(ptx);
    ran++;
}
/* words: begun with begin() */
static FILE *begin(struct kernel *k, uint32_t blocks, uint32_t warps)
{
    static size_t size;
    *k = (struct kernel){.blocks = blocks, .warps = warps};
    return open_memstream(&k->words, &size);
}
static void end(FILE *o, struct kernel *k)
{
    fclose(o);
    run(k);
    free(k->words);
}

/* ---- products ---- */
static void put_list(FILE *o, const char *name, uint32_t n)
{
    fprintf(o, "{");
    for (uint32_t i = 0; i < n; i++)
        fprintf(o, "%s%%%s%u", i ? ", " : "", name, i);
    fprintf(o, "}");
}
static void put_loads(FILE *o, const char *name, uint32_t n, bool wide)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(o, "ld.volatile.shared.b%d %%%s%u, [%%r1+%u];\n", wide ? 64 : 32, name, i, 8 * i);
}
static void put_xor(FILE *o, const char *name, uint32_t n, bool wide)
{
    for (uint32_t i = 0; i < n; i++) {
        if (wide)
            fprintf(o, "cvt.u32.u64 %%r9, %%%s%u;\nxor.b32 %%r30, %%r30, %%r9;\n", name, i);
        else
            fprintf(o, "xor.b32 %%r30, %%r30, %%%s%u;\n", name, i);
    }
}
struct product {
    const char *shape, *types;
    uint32_t a, b, d; /* registers */
};
static void name_product(struct kernel *k, const char *op, const struct product *p)
{
    snprintf(k->name, sizeof(k->name), "%s_%s_%s", op, p->shape, p->types);
    for (char *c = k->name; *c; c++)
        *c = *c == '.' ? '_' : *c;
}
static void mma(const struct product *p)
{
    struct kernel k;
    FILE *o = begin(&k, 1, 1);
    bool wide = strstr(p->types, "f64") != NULL;
    const char *a = wide ? "A" : "a", *b = wide ? "B" : "b", *d = wide ? "D" : "d";
    name_product(&k, "mma", p);
    put_loads(o, a, p->a, wide);
    put_loads(o, b, p->b, wide);
    put_loads(o, d, p->d, wide);
    for (int i = 0; i < TIMES; i++) {
        fprintf(o, "mma.sync.aligned.%s.row.col.%s ", p->shape, p->types);
        put_list(o, d, p->d);
        fprintf(o, ", ");
        put_list(o, a, p->a);
        fprintf(o, ", ");
        put_list(o, b, p->b);
        fprintf(o, ", ");
        put_list(o, d, p->d);
        fprintf(o, ";\n");
    }
    put_xor(o, d, p->d, wide);
    end(o, &k);
}
/* types: of d and c, or of all four; loads: of a */
static void wmma(const struct product *p, const char *of, const char *sum)
{
    struct kernel k;
    FILE *o = begin(&k, 1, 1);
    bool wide = !strcmp(of, "f64");
    const char *a = wide ? "A" : "a", *b = wide ? "B" : "b", *d = wide ? "D" : "d";
    name_product(&k, "wmma", p);
    fprintf(o, "mov.u32 %%r8, 16;\n");
    for (int i = 0; i < 2; i++) {
        fprintf(o, "wmma.load.%s.sync.aligned.row.%s.shared.%s ", i ? "b" : "a", p->shape, of);
        put_list(o, i ? b : a, i ? p->b : p->a);
        fprintf(o, ", [%%r1+%d], %%r8;\n", 4096 * i);
    }
    fprintf(o, "wmma.load.c.sync.aligned.row.%s.shared.%s ", p->shape, sum);
    put_list(o, d, p->d);
    fprintf(o, ", [%%r1+8192], %%r8;\n");
    for (int i = 0; i < TIMES; i++) {
        fprintf(o, "wmma.mma.sync.aligned.row.row.%s.%s ", p->shape, p->types);
        put_list(o, d, p->d);
        fprintf(o, ", ");
        put_list(o, a, p->a);
        fprintf(o, ", ");
        put_list(o, b, p->b);
        fprintf(o, ", ");
        put_list(o, d, p->d);
        fprintf(o, ";\n");
    }
    fprintf(o, "wmma.store.d.sync.aligned.row.%s.shared.%s [%%r1+12288], ", p->shape, sum);
    put_list(o, d, p->d);
    fprintf(o, ", %%r8;\nld.shared.b32 %%r30, [%%r1+12288];\n");
    end(o, &k);
}
static void wgmma(uint32_t n, uint32_t kk, const char *types, bool from_registers)
{
    struct kernel k;
    struct product p = {.types = types};
    char shape[20];
    FILE *o = begin(&k, 1, 4);
    bool half = !strncmp(types, "f16", 3), whole = !strncmp(types, "s32", 3), bits = kk == 256;
    uint32_t sums = half ? n / 4 : n / 2;
    snprintf(shape, sizeof(shape), "m64n%uk%u", n, kk);
    p.shape = shape;
    name_product(&k, from_registers ? "wgmma_r" : "wgmma", &p);
    put_loads(o, "a", 4, false);
    put_loads(o, "d", sums, false);
    fprintf(o,
            "shr.u32 %%r8, %%r1, 4;\ncvt.u64.u32 %%l8, %%r8;\nor.b64 %%l8, %%l8, %llu;\n"
            "setp.ne.u32 %%p2, %%r1, 0xffffffff;\nwgmma.fence.sync.aligned;\n",
            128ull >> 4 << 16 | 256ull >> 4 << 32);
    for (int i = 0; i < TIMES; i++) {
        fprintf(o, "wgmma.mma_async.sync.aligned.%s.%s%s ", shape, types, bits ? ".and.popc" : "");
        put_list(o, "d", sums);
        fprintf(o, ", ");
        if (from_registers)
            put_list(o, "a", 4);
        else
            fprintf(o, "%%l8");
        fprintf(o, ", %%l8, %%p2%s%s;\n", whole ? "" : ", 1, 1",
                kk != 16         ? ""
                : from_registers ? ", 0"
                                 : ", 0, 0");
    }
    fprintf(o, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    put_xor(o, "d", sums, false);
    end(o, &k);
}
static void products(void)
{
    static const struct product mmas[] = {
        {"m16n8k8", "f32.f16.f16.f32", 2, 1, 4},   {"m16n8k16", "f32.f16.f16.f32", 4, 2, 4},
        {"m16n8k8", "f16.f16.f16.f16", 2, 1, 2},   {"m16n8k16", "f16.f16.f16.f16", 4, 2, 2},
        {"m16n8k8", "f32.bf16.bf16.f32", 2, 1, 4}, {"m16n8k16", "f32.bf16.bf16.f32", 4, 2, 4},
        {"m16n8k4", "f32.tf32.tf32.f32", 2, 1, 4}, {"m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4},
        {"m8n8k16", "s32.s8.s8.s32", 1, 1, 2},     {"m16n8k16", "s32.s8.s8.s32", 2, 1, 4},
        {"m16n8k32", "s32.s8.s8.s32", 4, 2, 4},    {"m16n8k32", "s32.u8.s8.s32", 4, 2, 4},
        {"m8n8k4", "f64.f64.f64.f64", 1, 1, 2},    {"m16n8k4", "f64.f64.f64.f64", 2, 1, 4},
        {"m16n8k8", "f64.f64.f64.f64", 4, 2, 4},   {"m16n8k16", "f64.f64.f64.f64", 8, 4, 4},
    };
    for (size_t i = 0; i < sizeof(mmas) / sizeof(*mmas); i++)
        mma(&mmas[i]);
    wmma(&(struct product){"m16n16k16", "f32.f32", 8, 8, 8}, "f16", "f32");
    wmma(&(struct product){"m16n16k16", "f16.f16", 8, 8, 4}, "f16", "f16");
    wmma(&(struct product){"m32n8k16", "f32.f32", 8, 8, 8}, "f16", "f32");
    wmma(&(struct product){"m8n32k16", "f32.f32", 8, 8, 8}, "f16", "f32");
    wmma(&(struct product){"m16n16k16", "f32.bf16.bf16.f32", 4, 4, 8}, "bf16", "f32");
    wmma(&(struct product){"m16n16k8", "f32.tf32.tf32.f32", 4, 4, 8}, "tf32", "f32");
    wmma(&(struct product){"m16n16k16", "s32.s8.s8.s32", 2, 2, 8}, "s8", "s32");
    wmma(&(struct product){"m32n8k16", "s32.u8.u8.s32", 4, 1, 8}, "u8", "s32");
    wmma(&(struct product){"m8n8k4", "f64.f64.f64.f64", 1, 1, 2}, "f64", "f64");
    wgmma(8, 16, "f32.f16.f16", false);
    wgmma(64, 16, "f32.f16.f16", false);
    wgmma(256, 16, "f32.f16.f16", false);
    wgmma(64, 16, "f32.f16.f16", true);
    wgmma(64, 16, "f16.f16.f16", false);
    wgmma(64, 16, "f32.bf16.bf16", false);
    wgmma(64, 8, "f32.tf32.tf32", false);
    wgmma(64, 32, "f32.e4m3.e4m3", false);
    wgmma(64, 32, "f16.e4m3.e5m2", false);
    wgmma(64, 32, "f32.e5m2.e5m2", true);
    wgmma(64, 32, "s32.s8.s8", false);
    wgmma(64, 32, "s32.u8.s8", true);
    wgmma(64, 256, "s32.b1.b1", false);
}

/* ---- matrices to and from registers ---- */
static void matrix(const char *op, uint32_t n, const char *trans, uint32_t pitch)
{
    struct kernel k;
    FILE *o = begin(&k, 1, 1);
    bool stores = op[0] == 's';
    snprintf(k.name, sizeof(k.name), "%s_x%u%s_%u", op, n, *trans ? "_trans" : "", pitch);
    if (stores)
        put_loads(o, "a", n, false);
    fprintf(o, "mad.lo.u32 %%r8, %%r4, %u, %%r1;\n", pitch);
    for (int i = 0; i < TIMES; i++) {
        fprintf(o, "%s.sync.aligned.m8n8.x%u%s.shared.b16 ", op, n, trans);
        if (stores)
            fprintf(o, "[%%r8+%d], ", 16 * i);
        put_list(o, "a", n);
        fprintf(o, stores ? ";\n" : ", [%%r8+%d];\n", 16 * i);
        if (!stores)
            put_xor(o, "a", n, false);
    }
    if (stores)
        fprintf(o, "bar.warp.sync 0xffffffff;\nld.shared.b32 %%r30, [%%r8];\n");
    end(o, &k);
}
static void copy(const char *how, uint32_t bytes, uint32_t pitch)
{
    struct kernel k;
    FILE *o = begin(&k, 1, 1);
    snprintf(k.name, sizeof(k.name), "cp_async_%s_%u_%u", how, bytes, pitch);
    fprintf(o,
            "mad.lo.u32 %%r8, %%r4, %u, %%r1;\nmul.wide.u32 %%l8, %%r4, %u;\n"
            "add.u64 %%l8, %%l0, %%l8;\n",
            pitch, bytes);
    for (int i = 0; i < TIMES; i++)
        fprintf(o, "cp.async.%s.shared.global [%%r8+%d], [%%l8+%d], %u;\n", how, 16 * i, 512 * i,
                bytes);
    fprintf(o, "cp.async.wait_all;\nld.shared.b32 %%r30, [%%r8];\n");
    end(o, &k);
}
static void matrices(void)
{
    static const uint32_t pitches[] = {0, 16, 32, 48, 64, 128, 144};
    for (size_t i = 0; i < sizeof(pitches) / sizeof(*pitches); i++) {
        matrix("ldmatrix", 4, "", pitches[i]);
        matrix("ldmatrix", 4, ".trans", pitches[i]);
        matrix("stmatrix", 4, "", pitches[i]);
        matrix("stmatrix", 4, ".trans", pitches[i]);
    }
    for (uint32_t n = 1; n <= 2; n++)
        for (uint32_t pitch = 16; pitch <= 64; pitch += 48) {
            matrix("ldmatrix", n, "", pitch);
            matrix("ldmatrix", n, ".trans", pitch);
            matrix("stmatrix", n, "", pitch);
        }
    copy("ca", 4, 4);
    copy("ca", 4, 128);
    copy("ca", 8, 8);
    copy("ca", 16, 16);
    copy("cg", 16, 16);
    copy("cg", 16, 128);
}

/* ---- bulk copies: by thread 0 of each block, or of the first one ---- */
#define ARRIVES "mbarrier::complete_tx::bytes"
static void bulk(const char *name, uint32_t blocks, uint32_t bytes, const char *words)
{
    struct kernel k;
    FILE *o = begin(&k, blocks, 1);
    snprintf(k.name, sizeof(k.name), "%s", name);
    if (blocks > 1)
        fprintf(o, "barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    fprintf(o, "mov.u16 %%h0, 3;\nmov.u32 %%r8, 4;\nmov.u32 %%r9, 4;\nmov.u32 %%r10, 2;\n"
               "mov.u32 %%r11, 60;\nmov.u32 %%r12, 16;\n@%%p1 bra W;\n");
    if (bytes)
        fprintf(o, "mbarrier.arrive.expect_tx.shared::cta.b64 %%l9, [%%r2], %u;\n", bytes);
    fprintf(o, "%s", words);
    if (!bytes)
        fprintf(o, "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
    fprintf(o, "W:\n");
    if (bytes)
        fprintf(o, "mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r2], 0, 1000000;\n"
                   "@!%%p3 bra W;\n");
    if (blocks > 1)
        fprintf(o, "barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    end(o, &k);
}
#define TILE(d, map, at)                                                                           \
    "cp.async.bulk.tensor." d ".shared::cluster.global.tile." ARRIVES " [%r1+1024], [" map ", " at \
    "], [%r2];\n"
#define STORE(map, at)                                                                             \
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [" map ", " at "], [%r1+1024];\n"
#define REDUCE(map, at)                                                                            \
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [" map ", " at          \
    "], [%r1+1024];\n"
#define LOAD(from, n)                                                                              \
    "cp.async.bulk.shared::cluster.global." ARRIVES " [%r1+1024], [" from "], " #n ", [%r2];\n"
static void bulks(void)
{
    bulk("tma_tile", 1, 512, TILE("2d", "%l1", "{%r12, %r8}"));
    bulk("tma_tile_shifted", 1, 512, TILE("2d", "%l1", "{%r8, %r8}"));
    bulk("tma_tile_corner", 1, 512, TILE("2d", "%l1", "{%r11, %r11}"));
    bulk("tma_tile_right", 1, 512, TILE("2d", "%l1", "{%r11, %r8}"));
    bulk("tma_tile_below", 1, 512, TILE("2d", "%l1", "{%r12, %r11}"));
    bulk("tma_tile_below_shifted", 1, 512, TILE("2d", "%l1", "{%r8, %r11}"));
    bulk("tma_tile_left", 1, 512, "mov.u32 %r13, -8;\n" TILE("2d", "%l1", "{%r13, %r8}"));
    bulk("tma_tile_left_of_all", 1, 512, "mov.u32 %r13, -4;\n" TILE("2d", "%l1", "{%r13, %r8}"));
    bulk("tma_tile_outside", 1, 512, "mov.u32 %r13, 640;\n" TILE("2d", "%l1", "{%r13, %r13}"));
    bulk("tma_tile_swizzled", 1, 1024, TILE("2d", "%l2", "{%r12, %r8}"));
    bulk("tma_tile_3d", 1, 256, TILE("3d", "%l3", "{%r8, %r9, %r10}"));
    bulk("tma_tile_four", 1, 2048,
         TILE("2d", "%l1", "{%r12, %r8}") TILE("2d", "%l1", "{%r12, %r9}")
             TILE("2d", "%l1", "{%r9, %r8}") TILE("2d", "%l1", "{%r9, %r12}"));
    bulk("tma_tile_both", 2, 512, TILE("2d", "%l1", "{%r12, %r8}"));
    bulk("tma_tile_multicast", 2, 512,
         "setp.ne.u32 %p2, %r3, 0;\n@%p2 bra W;\n"
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile." ARRIVES
         ".multicast::cluster [%r1+1024], [%l1, {%r12, %r8}], [%r2], %h0;\n");
    bulk("tma_tile_store", 1, 0, STORE("%l1", "{%r12, %r8}"));
    bulk("tma_tile_store_shifted", 1, 0, STORE("%l1", "{%r8, %r8}"));
    bulk("tma_tile_store_corner", 1, 0, STORE("%l1", "{%r11, %r11}"));
    bulk("tma_tile_add", 1, 0, REDUCE("%l1", "{%r12, %r8}"));
    bulk("tma_tile_add_shifted", 1, 0, REDUCE("%l1", "{%r8, %r8}"));
    bulk("tma_prefetch", 1, 0,
         "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%l1, {%r12, %r8}];\n");
    bulk("bulk_16", 1, 16, LOAD("%l0", 16));
    bulk("bulk_48_at_16", 1, 48, LOAD("%l0+16", 48));
    bulk("bulk_2048", 1, 2048, LOAD("%l0", 2048));
    bulk("bulk_multicast", 2, 512,
         "setp.ne.u32 %p2, %r3, 0;\n@%p2 bra W;\n"
         "cp.async.bulk.shared::cluster.global." ARRIVES
         ".multicast::cluster [%r1+1024], [%l0], 512, [%r2], %h0;\n");
    bulk("bulk_store_512", 1, 0,
         "cp.async.bulk.global.shared::cta.bulk_group [%l0], [%r1], 512;\n");
    bulk("bulk_store_48_at_16", 1, 0,
         "cp.async.bulk.global.shared::cta.bulk_group [%l0+16], [%r1], 48;\n");
    bulk("bulk_add_512", 1, 0,
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%l0], [%r1], 512;\n");
    bulk("bulk_peer_512", 2, 512,
         "cp.async.bulk.shared::cluster.shared::cta." ARRIVES " [%r5+1024], [%r1], 512, [%r6];\n");
    bulk("bulk_peer_add_512", 2, 512,
         "cp.reduce.async.bulk.shared::cluster.shared::cta." ARRIVES
         ".add.u32 [%r5+1024], [%r1], 512, [%r6];\n");
    bulk("bulk_prefetch", 1, 0, "cp.async.bulk.prefetch.L2.global [%l0], 512;\n");
    bulk("st_async", 2, 4, "st.async.weak.shared::cluster." ARRIVES ".b32 [%r5], %r8, [%r6];\n");
    bulk("red_async", 2, 4,
         "red.async.relaxed.cluster.shared::cluster." ARRIVES ".add.u32 [%r5], %r8, [%r6];\n");
}

/* ---- barriers, by four warps ---- */
static void barrier(const char *name, uint32_t blocks, const char *words)
{
    struct kernel k;
    FILE *o = begin(&k, blocks, 4);
    snprintf(k.name, sizeof(k.name), "%s", name);
    fprintf(o, "%s", words);
    end(o, &k);
}
#define FOUR(x) x x x x
/* Another mbarrier, for more arrivals than come. */
#define OTHER                                                                                      \
    "add.u32 %r8, %r2, 8;\n@%p1 bra O;\nmbarrier.init.shared::cta.b64 [%r8], 1000;\nO:\n"          \
    "bar.sync 0;\n"
static void barriers(void)
{
    barrier("nothing", 1, "");
    barrier("bar_sync", 1, FOUR("bar.sync 0;\n"));
    barrier("bar_sync_pair", 1,
            "and.b32 %r8, %r0, 64;\nshr.u32 %r8, %r8, 6;\nadd.u32 %r8, %r8, 1;\n" FOUR(
                "bar.sync %r8, 64;\n"));
    barrier("bar_arrive", 1,
            "setp.lt.u32 %p2, %r0, 64;\n@%p2 bra A;\nbar.sync 1, 128;\nbra B;\nA:\n"
            "bar.arrive 1, 128;\nB:\n");
    barrier("bar_red", 1,
            "setp.eq.u32 %p2, %r0, 5;\n" FOUR(
                "bar.red.popc.u32 %r8, 0, %p2;\nxor.b32 %r30, %r30, %r8;\n"));
    barrier("bar_warp", 1, FOUR("bar.warp.sync 0xffffffff;\n"));
    barrier("cluster_barrier", 2, FOUR("barrier.cluster.arrive;\nbarrier.cluster.wait;\n"));
    barrier("mbarrier_arrive", 1, OTHER FOUR("mbarrier.arrive.shared::cta.b64 %l9, [%r8];\n"));
    barrier("mbarrier_arrive_one", 1,
            OTHER "setp.ne.u32 %p2, %r4, 0;\n@%p2 bra A;\n" FOUR(
                "mbarrier.arrive.shared::cta.b64 %l9, [%r8];\n") "A:\n");
    barrier("mbarrier_expect", 1,
            OTHER FOUR("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r8], 16;\n"));
    barrier("mbarrier_wait", 1,
            OTHER FOUR("mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r8], 1;\n"
                       "selp.b32 %r9, 1, 2, %p3;\nadd.u32 %r30, %r30, %r9;\n"));
    barrier("mbarrier_test", 1,
            OTHER FOUR("mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r8], 1;\n"
                       "selp.b32 %r9, 1, 2, %p3;\nadd.u32 %r30, %r30, %r9;\n"));
    barrier("fence_proxy_async", 1, FOUR("fence.proxy.async;\n"));
    barrier("membar_gl", 1, FOUR("membar.gl;\n"));
}

static void make_map(struct hopper_map *t, uint32_t type, uint32_t rank, const uint64_t *extent,
                     const uint64_t *stride, const uint32_t *box, uint32_t swizzle)
{
    typedef int encoder(struct hopper_map *, uint32_t, uint32_t, void *, const uint64_t *,
                        const uint64_t *, const uint32_t *, const uint32_t *, uint32_t, uint32_t,
                        uint32_t, uint32_t);
    static const uint32_t step[] = {1, 1, 1};
    enum cudaDriverEntryPointQueryResult found;
    encoder *encode;
    hopper_need(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                                 cudaEnableDefault, &found),
                "cuTensorMapEncodeTiled");
    hopper_need(encode(t, type, rank, device, extent, stride, box, step, 0, swizzle, 0, 0)
                    ? cudaErrorInvalidValue
                    : cudaSuccess,
                "a tensor map");
}
void hopper_need(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "ptxcounts: %s: %s\n", what, cudaGetErrorString(e));
    exit(2);
}
int main(int argc, char **argv)
{
    enum { U32 = 2, F16 = 6 };
    only = argc == 3 && !strcmp(argv[1], "--only") ? argv[2] : NULL;
    if (argc != 1 && !only) {
        fprintf(stderr, "usage: ptxcounts [--only TEXT]\n");
        return 2;
    }
    hopper_need(cudaMalloc((void **)&device, BYTES), "cudaMalloc");
    hopper_need(cudaMemset(device, 0, BYTES), "cudaMemset");
    make_map(&maps[0], U32, 2, (const uint64_t[]){64, 64}, (const uint64_t[]){256},
             (const uint32_t[]){16, 8}, 0);
    make_map(&maps[1], F16, 2, (const uint64_t[]){128, 64}, (const uint64_t[]){256},
             (const uint32_t[]){64, 8}, 3);
    make_map(&maps[2], U32, 3, (const uint64_t[]){12, 10, 6}, (const uint64_t[]){48, 480},
             (const uint32_t[]){8, 4, 2}, 0);
    products();
    matrices();
    bulks();
    barriers();
    printf("%u kernels\n", ran);
    return !ran;
}
