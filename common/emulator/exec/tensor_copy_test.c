/* tensor_copy_test.c - copies of tiles: what a wrong one is told, and what a right one counts.
 * What they move: cases/hopper_tensor.c, on an H200. */
#include "testing.h"
#include "tensor_map.h"
#include <string.h>

#define TILE ".shared .align 1024 .b8 s[4096];\n.shared .align 8 .b64 bar;"
#define SET                                                                                        \
    "mov.u32 %r0, s;\nmov.u32 %r1, bar;\nadd.u64 %d0, %out, 8192;\nsetp.ne.u32 %p0, %t, 0;\n"      \
    "@%p0 bra END;\n"

/* The map lies in the second half of the buffer, the tensor of 8 x 16 words in the first; a kernel
 * of 32 threads writes the map word by word. */
static cudaError_t copy(const char *body)
{
    static char text[8192];
    struct tensor_map m = {.mark = TENSOR_MAP_MARK,
                           .type = 2,
                           .rank = 2,
                           .last = {15, 7},
                           .stride = {64},
                           .box = {16, 4, 1, 1, 1},
                           .step = {1, 1, 1, 1, 1}};
    uint32_t word[TENSOR_MAP_BYTES / 4] = {0};
    int n = snprintf(text, sizeof(text), "%s", SET);
    memcpy(word, &m, sizeof(m));
    for (unsigned k = 0; k < TENSOR_MAP_BYTES / 4; k++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "st.global.u32 [%%d0+%u], %u;\n", 4 * k,
                      word[k]);
    snprintf(text + n, sizeof(text) - (size_t)n,
             "st.global.u64 [%%d0+%zu], %%out;\nmov.u32 %%r2, 7;\nst.global.u32 [%%out+64], %%r2;\n"
             "mbarrier.init.shared.b64 [%%r1], 1;\nmov.u32 %%r3, 0;\nmov.u32 %%r4, 1;\n%s\nEND:",
             offsetof(struct tensor_map, address), body);
    return launch((struct program){.target = "sm_90", .before = TILE, .body = text});
}
static void expect_fault(cudaError_t e, const char *words, const char *body)
{
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_expect_eq(copy(body), e, "%s", emu_error_text());
    cr_expect(strstr(emu_error_text(), words), "%s", emu_error_text());
}
#define LOAD(to, map)                                                                              \
    "mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], 256;\n"                                      \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [" to        \
    "], [" map ", {%r3, %r4}], [%r1];\n"
#define WAIT "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;\n@!%p1 bra W;\n"
#define STORE                                                                                      \
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d0, {%r3, %r4}], [%r0];\n"       \
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"

Test(tensor_copy, moves_and_counts)
{
    cr_assert_eq(copy(LOAD("%r0", "%d0") WAIT "ld.shared.u32 %r5, [s];\n"
                                              "st.global.u32 [%out+4], %r5;"),
                 cudaSuccess, "%s", emu_error_text());
    cr_expect_eq(out[1], 7); /* row 1 came first */
    cr_expect_eq(result.counters.global_ld_bytes, 256);
    cr_expect_eq(result.counters.global_ld_sectors, 8);
    cr_expect_eq(result.counters.async_bytes, 256);
    cr_assert_eq(copy("mov.u32 %r5, 9;\nst.shared.u32 [s], %r5;\nfence.proxy.async;\n" STORE),
                 cudaSuccess, "%s", emu_error_text());
    cr_expect_eq(out[16], 9);
}

/* Where it lies and where it goes are told in registers of their own until then. */
Test(tensor_copy, keeps_its_coordinates)
{
    cr_assert_eq(copy("mov.u32 %r5, 11;\nst.global.u32 [%out+80], %r5;\nadd.u32 %r6, %r3, 4;\n"
                      "add.u32 %r7, %r0, 1024;\nadd.u32 %r8, %r7, 0;\n"
                      "mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], 256;\n"
                      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                      ".mbarrier::complete_tx::bytes [%r8], [%d0, {%r6, %r4}], [%r1];\n" WAIT
                      "ld.shared.u32 %r5, [s+1024];\nst.global.u32 [%out+4], %r5;"),
                 cudaSuccess, "%s", emu_error_text());
    cr_expect_eq(out[1], 11);
}

Test(tensor_copy, says_what_is_wrong)
{
    expect_fault(cudaErrorIllegalInstruction, "no multiple of 16 bytes",
                 "mov.u32 %r3, 1;\n" LOAD("%r0", "%d0"));
    expect_fault(cudaErrorIllegalInstruction, "below 0", "mov.u32 %r4, -1;\n" STORE);
    expect_fault(cudaErrorMisalignedAddress, "no multiple of 128", LOAD("%r0+16", "%d0"));
    expect_fault(cudaErrorIllegalAddress, "of shared memory", LOAD("%r0+3968", "%d0"));
    expect_fault(cudaErrorIllegalInstruction, "cuTensorMapEncodeTiled makes one",
                 LOAD("%r0", "%out"));
}

/* The tensor says that it goes on, the memory ends. */
Test(tensor_copy, keeps_to_memory)
{
    expect_fault(cudaErrorIllegalAddress, "illegal address",
                 "mov.u64 %d2, 0xffff000000000;\nst.global.u64 [%d0+8], %d2;\n" LOAD("%r0", "%d0"));
}

/* A map is memory that a kernel can write: one that no encoder made must not lead anywhere. */
Test(tensor_copy, believes_no_map)
{
    static const struct {
        size_t at;
        unsigned bytes, value;
    } forged[] = {
        {offsetof(struct tensor_map, type), 1, 200},
        {offsetof(struct tensor_map, swizzle), 1, 77},
        {offsetof(struct tensor_map, swizzle), 1, 1}, /* rows of 64 bytes are wider than that */
        {offsetof(struct tensor_map, box), 2, 60000},
        {offsetof(struct tensor_map, box), 2, 3},
        {offsetof(struct tensor_map, box) + 2, 2, 0},
        {offsetof(struct tensor_map, box) + 4, 2, 60000},
        {offsetof(struct tensor_map, step) + 1, 1, 0},
    };
    for (size_t k = 0; k < sizeof(forged) / sizeof(forged[0]); k++) {
        char body[1024];
        snprintf(body, sizeof(body), "mov.u32 %%r5, %u;\nst.global.u%u [%%d0+%zu], %%r5;\n%s",
                 forged[k].value, 8 * forged[k].bytes, forged[k].at, LOAD("%r0", "%d0"));
        expect_fault(cudaErrorIllegalInstruction, "cuTensorMapEncodeTiled makes one", body);
    }
}

/* The other mode's instruction, and a wrong number of offsets, are refused with their line. */
Test(tensor_copy, keeps_to_its_mode)
{
    expect_fault(
        cudaErrorIllegalInstruction, "has 2 dimensions",
        ".reg .b16 %h;\nmov.u16 %h, 0;\n"
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
        "[%r0], [%d0, {%r3, %r3, %r3}], [%r1], {%h};\n");
    expect_fault(cudaErrorIllegalInstruction, "of the other mode",
                 "st.global.u8 [%d0+5], 3;\n"
                 "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group "
                 "[%d0, {%r3, %r3, %r3}], [%r0];\n");
    static const char *const wrong[] = {
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
        "[%r0], [%d0, {%r3, %r3, %r3}], [%r1], {%h, %h};",
        "cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group "
        "[%d0, {%r3, %r3}], [%r0];",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%d0, {%r3, %r3, %r3}];",
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 5, 1;",
        "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d0], 1;"};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char body[400];

        snprintf(body, sizeof(body), ".reg .b16 %%h;\n.loc 1 7 0\n%s", wrong[i]);
        cr_expect_neq(launch((struct program){.target = "sm_90a", .before = TILE, .body = body}),
                      cudaSuccess);
        cr_expect(strstr(emu_error_text(), "k.cu:7"), "%zu: %s", i, emu_error_text());
    }
}

/* A kernel that makes the box two rows lower. */
Test(tensor_copy, takes_the_map_as_a_kernel_changed_it)
{
    cr_assert_eq(copy("tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 1, 2;\n"
                      "mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], 128;\n"
                      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                      ".mbarrier::complete_tx::bytes [%r0], [%d0, {%r3, %r4}], [%r1];\n" WAIT
                      "ld.shared.u32 %r5, [s];\nst.global.u32 [%out+4], %r5;"),
                 cudaSuccess, "%s", emu_error_text());
    cr_expect_eq(out[1], 7);
    cr_expect_eq(result.counters.async_bytes, 128);
    expect_fault(cudaErrorIllegalAddress, "illegal address",
                 "tensormap.replace.tile.box_dim.global.b1024.b32 [%d0+0xfffffffffff00000], 1, 2;");
}
