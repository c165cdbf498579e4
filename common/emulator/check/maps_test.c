/* maps_test.c - what the checker says of tensor maps that a kernel writes and then copies by. */
#include "emulator/exec/tensor_map.h"
#include "emulator/exec/testing.h"
#include "emulator/runtime/warplab.h"
#include <string.h>

#define VARIABLES                                                                                  \
    ".shared .align 1024 .b8 s[4096];\n.shared .align 128 .b8 m[128];\n"                           \
    ".shared .align 8 .b64 bar;"
#define RELEASE "fence.proxy.tensormap::generic.release.gpu;\n"
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%d0], 128;\n"
#define OTHERS  "fence.proxy.tensormap::generic.acquire.gpu [%d0+128], 128;\n"
#define BRING                                                                                      \
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "      \
    "[%d0], [%r8], 128;\n"
#define CHANGE                                                                                     \
    "tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d2;\nbar.warp.sync "           \
    "0xffffffff;\n"
#define LOAD                                                                                       \
    "@!%p0 mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], 256;\n"                                \
    "@!%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "      \
    "[%r0], [%d0, {%r3, %r4}], [%r1];\n"
#define STORE                                                                                      \
    "@!%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d0, {%r3, %r4}], "         \
    "[%r0];\n@!%p0 cp.async.bulk.commit_group;\n@!%p0 cp.async.bulk.wait_group 0;\n"

/* A map of 8 x 16 words at the buffer's start is written into its second half, or into shared
 * memory; then comes the body. */
static void use_map(bool shared, const char *body)
{
    static char text[1 << 14];
    struct tensor_map m = {.mark = TENSOR_MAP_MARK,
                           .type = 2,
                           .rank = 2,
                           .last = {15, 7},
                           .stride = {64},
                           .box = {16, 4, 1, 1, 1},
                           .step = {1, 1, 1, 1, 1}};
    uint32_t word[TENSOR_MAP_BYTES / 4] = {0};
    const char *space = shared ? "shared" : "global", *at = shared ? "%r8" : "%d0";
    int n = snprintf(text, sizeof(text),
                     "mov.u32 %%r0, s;\nmov.u32 %%r1, bar;\nmov.u32 %%r8, m;\n"
                     "add.u64 %%d0, %%out, 8192;\nmov.u64 %%d2, %%out;\nmov.u32 %%r3, 0;\n"
                     "mov.u32 %%r4, 1;\nsetp.ne.u32 %%p0, %%t, 0;\n"
                     "@!%%p0 mbarrier.init.shared.b64 [%%r1], 1;\n");
    memcpy(word, &m, sizeof(m));
    for (unsigned k = 0; k < TENSOR_MAP_BYTES / 4; k++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "@!%%p0 st.%s.u32 [%s+%u], %u;\n", space,
                      at, 4 * k, word[k]);
    snprintf(text + n, sizeof(text) - (size_t)n,
             "@!%%p0 st.%s.u64 [%s+%zu], %%out;\nbar.warp.sync 0xffffffff;\n%sbar.sync 0;\n", space,
             at, offsetof(struct tensor_map, address), body);
    RUN(.target = "sm_90a", .before = VARIABLES, .body = text);
}
/* What is found of maps; NULL: nothing. */
static const char *found(bool shared, const char *body)
{
    size_t before = warplabFindingCount();
    warplabSetCheck(1);
    cr_assert(freopen("/dev/null", "w", stderr));
    use_map(shared, body);
    for (size_t k = before; k < warplabFindingCount(); k++)
        if (strstr(warplabFinding(k), "\"tensormap-proxy\""))
            return warplabFinding(k);
    return NULL;
}
static void expect(bool shared, const char *words, const char *body)
{
    const char *f = found(shared, body);
    cr_expect(words ? f && strstr(f, words) : !f, "%s\nbehind\n%s", f ? f : "nothing", body);
}

Test(maps, written_ones_need_both_fences)
{
    expect(false, NULL, RELEASE ACQUIRE LOAD);
    expect(false, NULL, RELEASE "bar.sync 0;\n" ACQUIRE STORE);
    expect(false, "may know the one before", LOAD);
    expect(false, "may know the one before", STORE);
    expect(false, "may know the one before", RELEASE LOAD);
    expect(false, "may know the one before", RELEASE OTHERS LOAD);
    expect(false, "nothing hands it", ACQUIRE LOAD);
    expect(false, "may know the one before", "fence.proxy.async;\nfence.acq_rel.gpu;\n" LOAD);
}

Test(maps, copied_ones_are_released)
{
    expect(true, NULL, BRING ACQUIRE LOAD);
    expect(true, "may know the one before", BRING LOAD);
    expect(true, "may know the one before", ACQUIRE BRING LOAD);
}

Test(maps, changed_ones_need_them_again)
{
    expect(false, NULL, RELEASE ACQUIRE STORE CHANGE RELEASE ACQUIRE STORE);
    expect(false, "may know the one before", RELEASE ACQUIRE STORE CHANGE RELEASE STORE);
    expect(false, "nothing hands it", RELEASE ACQUIRE STORE CHANGE ACQUIRE STORE);
}

Test(maps, both_lines_are_told)
{
    const char *f = found(true, ".loc 1 7 0\n" BRING ".loc 1 9 0\n" LOAD);
    cr_assert(f);
    cr_expect(strstr(f, "\"line\":9") && strstr(f, "k.cu:7 "), "%s", f);
}
