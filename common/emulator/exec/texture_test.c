/* texture_test.c - fetches, surfaces, what they count and how they fail. What an H200 makes of many
 * more: cases/texture_*.c. */
#include "testing.h"
#include "emulator/base/texture.h"
#include <string.h>

/* 4 x 2 floats, 0 to 7, in memory of their own. */
static struct mem_alloc *memory;
static uint64_t object(struct texture like)
{
    memory = mem_alloc(32, 512, MEM_DEVICE, NULL);
    for (int k = 0; k < 8; k++)
        ((float *)memory->host)[k] = (float)k;
    if (!like.format.bits)
        like.format = (struct texel_format){32, 1, TEXEL_FLOAT};
    like.dims = 2;
    like.layers = like.nlevels = 1;
    like.level[0] = (struct texture_level){memory->addr, 4, 2, 1, 16, 32};
    like.base = memory->addr;
    like.bytes = 32;
    return texture_add(&like);
}
/* Each lane fetches at (lane, 0.5). */
static cudaError_t fetch(uint64_t handle, const char *more)
{
    static char body[1024];
    snprintf(body, sizeof(body),
             "mov.u64 %%d0, 0x%llx;\ncvt.rn.f32.u32 %%f0, %%t;\nmov.f32 %%f1, 0f3F000000;\n%s\n"
             "st.global.f32 [%%mine], %%f2;\n",
             (unsigned long long)handle, more);
    return launch((struct program){.body = body});
}
#define TEX "tex.2d.v4.f32.f32 {%f2, _, _, _}, [%d0, {%f0, %f1}];"
static float result_of(int lane)
{
    float f;
    memcpy(&f, &out[lane], 4);
    return f;
}

Test(texture, points_and_lines)
{
    cr_assert_eq(fetch(object((struct texture){.address = {TEX_CLAMP, TEX_CLAMP}}), TEX), 0, "%s",
                 emu_error_text());
    cr_expect_eq(result_of(2), 2);
    cr_expect_eq(result_of(31), 3); /* clamped */
    fetch(object((struct texture){.linear = true, .address = {TEX_CLAMP, TEX_CLAMP}}), TEX);
    cr_expect_eq(result_of(2), 1.5);
    fetch(object((struct texture){.linear = true, .address = {TEX_BORDER, TEX_CLAMP}}), TEX);
    cr_expect_eq(result_of(4), 1.5); /* half of 3, half of the border */
    cr_expect_eq(result_of(6), 0);
}
/* As ncu counts on an H200. */
Test(texture, counts_by_groups_of_lanes)
{
    fetch(object((struct texture){.address = {TEX_CLAMP, TEX_CLAMP}}), TEX);
    cr_expect_eq(result.counters.texture_requests, 8);
    cr_expect_eq(result.counters.texture_sectors, 8);
    cr_expect_eq(result.counters.global_sectors - result.counters.global_st_sectors, 8);
    fetch(object((struct texture){.linear = true, .address = {TEX_BORDER, TEX_CLAMP}}), TEX);
    cr_expect_eq(result.counters.texture_requests, 8);
    cr_expect_eq(result.counters.texture_sectors, 2); /* all else is border */
}
Test(texture, knows_its_objects)
{
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_expect_eq(fetch(12345, TEX), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "no texture or surface object"), "%s", emu_error_text());
    cr_expect_eq(fetch(object((struct texture){.surface = true}), TEX), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "a surface object"), "%s", emu_error_text());
    uint64_t handle = object((struct texture){0});
    mem_free(memory->addr);
    cr_expect_eq(fetch(handle, TEX), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "freed"), "%s", emu_error_text());
    cr_expect(texture_remove(handle) && !texture_find(handle) && !texture_remove(handle));
}
/* Plain memory that is shorter than its object says is a fault where it ends, not before. */
Test(texture, plain_memory_ends_where_it_ends)
{
    static const char fetch_at[] = "add.s32 %%r0, %%t, %d;\n"
                                   "tex.1d.v4.f32.s32 {%%f2, _, _, _}, [%%d0, {%%r0}];";
    char text[128];
    struct texture like = *texture_find(object((struct texture){.rows = true}));
    like.dims = 1;
    like.level[0] = (struct texture_level){memory->addr, 100, 1, 1, 400, 400};
    like.bytes = 400;
    snprintf(text, sizeof(text), fetch_at, -24);
    cr_assert_eq(fetch(texture_add(&like), text), 0, "%s", emu_error_text());
    cr_expect_eq(result_of(23), 0);
    cr_expect_eq(result_of(31), 7);
    cr_assert(freopen("/dev/null", "w", stderr));
    snprintf(text, sizeof(text), fetch_at, -23);
    cr_expect_eq(fetch(texture_add(&like), text), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "read of 4 bytes") &&
                  strstr(emu_error_text(), "thread (31,0,0)"),
              "%s", emu_error_text());
    like.bytes = 32;
    like.level[0].width = 8; /* what it says is there: nothing is read behind it */
    cr_expect_eq(fetch(texture_add(&like), text), 0, "%s", emu_error_text());
    cr_expect_eq(result_of(31), 0);
}
Test(texture, surfaces_have_ends)
{
    static const char read[] = "mul.lo.u32 %%r0, %%t, 4;\nmov.u32 %%r1, 1;\n"
                               "suld.b.2d.b32.%s {%%f2}, [%%d0, {%%r0, %%r1}];";
    char text[256];
    cr_assert(freopen("/dev/null", "w", stderr));
    snprintf(text, sizeof(text), read, "zero");
    cr_assert_eq(fetch(object((struct texture){.surface = true}), text), 0, "%s", emu_error_text());
    cr_expect_eq(result_of(1), 5);
    cr_expect_eq(result_of(4), 0);
    cr_expect_eq(result.counters.surface_ld_requests, 4);
    cr_expect_eq(result.counters.surface_ld_sectors, 1);
    snprintf(text, sizeof(text), read, "clamp");
    fetch(object((struct texture){.surface = true}), text);
    cr_expect_eq(result_of(4), 7);
    snprintf(text, sizeof(text), read, "trap");
    cr_expect_eq(fetch(object((struct texture){.surface = true}), text), cudaErrorIllegalAddress);
    cr_expect(strstr(emu_error_text(), "outside of the surface, at byte 16, row 1, of 4 x 2"), "%s",
              emu_error_text());
}

/* A warp that fetches from one object is quick; one of two objects goes lane by lane. */
static void quick_or_not(struct texture like, const char *what)
{
    static const char both[] = "mad.rn.f32 %%f0, %%f0, 0f3E570A3D, 0fBF9D70A4;\n"
                               "mov.u64 %%d1, 0x%llx;\nand.b32 %%r0, %%t, 1;\n"
                               "setp.eq.u32 %%p0, %%r0, 1;\nsetp.ne.u32 %%p1, %%t, 7;\n"
                               "@%%p0 mov.u64 %%d0, %%d1;\nmov.f32 %%f2, 0f42000000;\n"
                               "@%%p1 %s";
    uint64_t one = object(like), other = texture_add(texture_find(one));
    uint32_t quick[32];
    char text[512];
    snprintf(text, sizeof(text), both, (unsigned long long)one, TEX);
    cr_assert_eq(fetch(one, text), 0, "%s", emu_error_text());
    memcpy(quick, out, sizeof(quick));
    uint64_t sectors = result.counters.texture_sectors;
    snprintf(text, sizeof(text), both, (unsigned long long)other, TEX);
    cr_assert_eq(fetch(one, text), 0, "%s", emu_error_text());
    cr_expect_arr_eq(out, quick, sizeof(quick), "%s", what);
    cr_expect_eq(result.counters.texture_sectors, sectors, "%s: %lu", what, sectors);
    cr_expect_eq(result_of(7), 32, "%s", what); /* was off */
}
Test(texture, warps_and_lanes_agree)
{
    static const struct texel_format formats[] = {{32, 1, TEXEL_FLOAT},    {16, 2, TEXEL_FLOAT},
                                                  {8, 4, TEXEL_UNSIGNED},  {8, 1, TEXEL_SIGNED},
                                                  {16, 2, TEXEL_UNSIGNED}, {16, 1, TEXEL_SIGNED}};
    for (unsigned k = 0; k < 4 * 4 * sizeof(formats) / sizeof(*formats); k++) {
        struct texture t = {.format = formats[k / 16],
                            .to_float = formats[k / 16].kind != TEXEL_FLOAT,
                            .linear = k & 1,
                            .normalized = k & 2,
                            .address = {k / 4 % 4, (k / 4 + 1) % 4},
                            .border = {0.25f}};
        char what[64];
        snprintf(what, sizeof(what), "format %u, mode %u, %s, %s", k / 16, k / 4 % 4,
                 t.linear ? "linear" : "points", t.normalized ? "normalised" : "texels");
        quick_or_not(t, what);
    }
}

/* With its line, the instruction, and what to use instead. */
Test(texture, what_is_refused_says_what_else)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"tex.2d.v4.f32.f32 {%f2,%f2,%f2,%f2}, [%d0, {%f0,%f1}], {%r0,%r1};", "add the offset"},
        {"tex.2dms.v4.f32.s32 {%f2,%f2,%f2,%f2}, [%d0, {%r0,%r1,%r2,%r3}];", "a layer a sample"},
        {"tex.2d.v4.f32.f32 {%f2,%f2,%f2,%f2}, [t, {%f0,%f1}];", "cudaCreateTextureObject"},
        {"txq.width.b32 %r0, [t];", "cudaCreateTextureObject"},
        {"txq.channel_order.b32 %r0, [%d0];", "as an argument"}};
    cr_assert(freopen("/dev/null", "w", stderr));
    for (unsigned k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char body[256], line[16];
        snprintf(body, sizeof(body), ".loc 1 %u 0\n%s", 40 + k, rows[k].text);
        snprintf(line, sizeof(line), "k.cu:%u", 40 + k);
        struct program p = {.before = ".global .u64 t;", .body = body};
        cr_expect_neq(launch(p), cudaSuccess, "%s", body);
        cr_expect(strstr(emu_error_text(), line) && strstr(emu_error_text(), rows[k].says),
                  "%s: %s", body, emu_error_text());
    }
}
