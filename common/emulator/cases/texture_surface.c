/* texture_surface.c - suld, sust, sured and suq: each width, geometry and boundary mode, and what
 * the array holds after.
 *
 * Threads store to places of their own, but for those outside that a clamp brings in: these store
 * what all store. A trap ends the context: a process of its own sees it.
 */
#include "texture.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const geometry_text[] = {"1d", "2d", "3d", "a1d", "a2d", "a2d", "a2d"};
static const char *const coordinate_text[] = {
    "{%r10}",
    "{%r10, %r11}",
    "{%r10, %r11, %r12, %r12}",
    "{%r14, %r10}",
    "{%r14, %r10, %r11, %r11}",
    "{%r14, %r10, %r11, %r11}",
    "{%r14, %r10, %r11, %r11}",
};
static struct texture surface(enum geometry g, enum channel c, uint32_t channels)
{
    bool flat = g == G_1D || g == G_A1D, cube = g >= G_CUBE;
    return (struct texture){.geometry = g,
                            .type = c,
                            .channels = channels,
                            .width = 8,
                            .height = flat   ? 0
                                      : cube ? 8
                                             : 4,
                            .depth = g == G_CUBE    ? 6
                                     : g == G_ACUBE ? 12
                                     : g >= G_3D    ? 3
                                                    : 0,
                            .surface = true,
                            .small_random = true};
}
/* Thread k's place: from `outside` below to above the surface, x in units of `unit`. */
static void draw(const struct texture *t, int outside, uint32_t unit, bool same, points p)
{
    uint64_t seed = 7;
    int width = (int)(t->width * texture_texel(t) / unit) + 2 * outside;
    int height = t->height ? (int)t->height + 2 * outside : 1;
    int depth = t->depth ? (int)t->depth + 2 * outside : 1;
    for (int k = 0; k < POINTS; k++) {
        int at = k % (width * height * depth);
        bool first = k < width * height * depth;
        p[k][0].s = first ? (at % width - outside) * (int)unit : 100000;
        p[k][1].s = t->height ? at / width % height - outside : 0;
        p[k][2].s = t->depth ? at / width / height - outside : 0;
        p[k][4] = p[k][2];
        for (int d = 6; d < WORDS; d++)
            p[k][d].u = same ? 0x01234567u * (uint32_t)d : hopper_random(&seed);
        if (t->type == C_F32 && !same)
            p[k][6].f = (float)p[k][6].s * 0x1p-31f;
    }
}
static void run(const struct texture *like, const char *name, const char *body, points in)
{
    struct texture t = *like;
    struct {
        uint32_t out[POINTS][4];
        uint8_t array[16384];
    } result = {0};
    size_t n = 0;
    if (!hopper_wanted(name))
        return;
    cudaError_t e = texture_make(&t, 99);
    if (!e)
        e = texture_run(body, t.surf, in, result.out);
    if (!e) {
        uint8_t *array = texture_contents(&t, &n);
        memcpy(result.array, array, n);
        free(array);
    }
    texture_result(name, e, &result, sizeof(result.out) + n);
    texture_free(&t);
}
/* Operands of loads and stores of so many elements of so many bits, in %r0… or from %r18… */
static void operands(int bits, int n, char *list, char *before, char *after, bool store)
{
    static const char *const small[] = {"%h0", "%h1", "%h2", "%h3"};
    static const char *const from[] = {"%r16", "%r17", "%r18", "%r19"};
    static const char *const wide[] = {"%l4", "%l5"};
    *list = *before = *after = 0;
    for (int k = 0; k < n; k++) {
        char reg[16];
        sprintf(reg, "%s", bits < 32 ? small[k] : bits == 64 ? wide[k] : store ? from[k] : "%r");
        if (bits == 32 && !store)
            sprintf(reg, "%%r%d", k);
        sprintf(list + strlen(list), "%s%s", k ? ", " : "{", reg);
        if (bits < 32) {
            sprintf(before + strlen(before), "cvt.u16.u32 %s, %s;\n", small[k], from[k]);
            sprintf(after + strlen(after), "cvt.u32.u16 %%r%d, %s;\n", k, small[k]);
        } else if (bits == 64) {
            sprintf(before + strlen(before), "mov.b64 %s, {%s, %s};\n", wide[k], from[2 * k],
                    from[2 * k + 1]);
            sprintf(after + strlen(after), "mov.b64 {%%r%d, %%r%d}, %s;\n", 2 * k, 2 * k + 1,
                    wide[k]);
        }
    }
    strcat(list, "}");
}
static void moves(void)
{
    static const char *const modes[] = {"trap", "clamp", "zero"};
    static const struct {
        enum channel type;
        uint32_t channels;
    } formats[] = {{C_U8, 1}, {C_U8, 4}, {C_U16, 1}, {C_F32, 1}, {C_U32, 2}, {C_F32, 4}};
    for (int f = 0; f < 6; f++)
        for (int g = G_1D; g <= G_ACUBE; g++)
            for (int bits = 8; bits <= 64; bits *= 2)
                for (int n = 1; n <= (bits == 64 ? 2 : 4); n *= 2)
                    for (int m = 0; m < 3; m++) {
                        struct texture t =
                            surface((enum geometry)g, formats[f].type, formats[f].channels);
                        uint32_t unit = (uint32_t)(bits * n / 8);
                        bool own = unit == texture_texel(&t);
                        if ((!own && (g != G_2D || m == 2)) || unit > t.width * texture_texel(&t))
                            continue;
                        char name[256], shape[128], body[1024], list[64], before[256], after[256];
                        points in;
                        texture_name(&t, shape);
                        char vec[8] = "";
                        if (n > 1)
                            sprintf(vec, ".v%d", n);
                        draw(&t, m ? 1 : 0, unit, true, in);
                        if (!m)
                            for (int k = 0; k < POINTS; k++)
                                if (in[k][0].s == 100000)
                                    in[k][0].s = 0;
                        sprintf(name, "suld.b%s.b%d.%s of %s", vec, bits, modes[m], shape);
                        operands(bits, n, list, before, after, false);
                        sprintf(body, "suld.b.%s%s.b%d.%s %s, [%%l0, %s];\n%s", geometry_text[g],
                                vec, bits, modes[m], list, coordinate_text[g], after);
                        run(&t, name, body, in);
                        draw(&t, m ? 1 : 0, unit, m == 1, in);
                        if (!m) /* the rest store what the first does */
                            for (int k = 0; k < POINTS; k++)
                                if (in[k][0].s == 100000)
                                    memcpy(in[k], in[0], sizeof(in[k]));
                        sprintf(name, "sust.b%s.b%d.%s of %s", vec, bits, modes[m], shape);
                        operands(bits, n, list, before, after, true);
                        sprintf(body, "%ssust.b.%s%s.b%d.%s [%%l0, %s], %s;", before,
                                geometry_text[g], vec, bits, modes[m], coordinate_text[g], list);
                        run(&t, name, body, in);
                    }
}
static void formatted(void)
{
    static const char *const modes[] = {"zero", "clamp"};
    for (int c = 0; c < CHANNELS; c++)
        for (uint32_t n = 1; n <= 4; n *= 2)
            for (int m = 0; m < 2; m++) {
                char name[256], shape[128], body[256];
                points in;
                struct texture t = surface(G_2D, (enum channel)c, n);
                texture_name(&t, shape);
                sprintf(name, "sust.p.v4.b32.%s of %s", modes[m], shape);
                draw(&t, 1, texture_texel(&t), m, in);
                for (int k = 0; k < POINTS; k++) /* samples, not bytes */
                    if (in[k][0].s != 100000)
                        in[k][0].s /= (int)texture_texel(&t);
                sprintf(body,
                        "sust.p.2d.v4.b32.%s [%%l0, {%%r10, %%r11}], {%%r16, %%r17, %%r18, "
                        "%%r19};",
                        modes[m]);
                run(&t, name, body, in);
            }
}
static void reductions(void)
{
    static const char *const operations[] = {"add.u32", "add.s32", "add.u64", "min.u32",
                                             "min.s32", "max.u32", "max.s32", "min.u64",
                                             "max.s64", "and.b32", "or.b32"};
    static const char *const modes[] = {"zero", "clamp"};
    for (int k = 0; k < 11; k++)
        for (int g = G_1D; g <= G_3D; g++)
            for (int m = 0; m < 2; m++)
                for (int p = 0; p < 2; p++) {
                    bool wide = strstr(operations[k], "64");
                    if (wide && p && !strncmp(operations[k], "add", 3))
                        continue; /* there is none */
                    char name[256], shape[128], body[256], op[8];
                    points in;
                    sprintf(op, "%.3s", operations[k]);
                    op[strcspn(op, ".")] = 0;
                    const char *type = strchr(operations[k], '.') + 1;
                    struct texture t =
                        surface((enum geometry)g, *type == 's' ? C_S32 : C_U32, wide ? 2 : 1);
                    if (p)
                        type = wide ? "b64" : "b32";
                    texture_name(&t, shape);
                    sprintf(name, "sured.%c.%s.%s.%s of %s", "bp"[p], op, type, modes[m], shape);
                    draw(&t, 1, texture_texel(&t), false, in);
                    for (int i = 0; i < POINTS; i++)
                        if (p && in[i][0].s != 100000)
                            in[i][0].s /= (int)texture_texel(&t);
                    sprintf(body,
                            "mov.b64 %%l4, {%%r16, %%r17};\nsured.%c.%s.%s.%s.%s [%%l0, %s], %s;",
                            "bp"[p], op, geometry_text[g], type, modes[m], coordinate_text[g],
                            wide ? "%l4" : "%r16");
                    run(&t, name, body, in);
                }
}
static void queries(void)
{
    static const char *const what[] = {
        "width",         "height",     "depth",        "channel_data_type",
        "channel_order", "array_size", "memory_layout"};
    for (int k = 0; k < 3; k++)
        for (int g = G_1D; g <= G_ACUBE; g++) {
            char name[128], body[128];
            struct texture t = surface((enum geometry)g, g & 1 ? C_F32 : C_U8, 2);
            points in = {0};
            sprintf(body, "suq.%s.b32 %%r0, [%%l0];", what[k]);
            sprintf(name, "suq.%s of %d", what[k], g);
            run(&t, name, body, in);
        }
    for (int k = 0; k < 3; k++) {
        static const char *const types[] = {"texref", "samplerref", "surfref"};
        char name[64], body[128];
        struct texture t = surface(G_2D, C_F32, 1);
        points in = {0};
        sprintf(body, "istypep.%s %%p1, %%l0;\nselp.u32 %%r0, 1, 0, %%p1;", types[k]);
        sprintf(name, "istypep.%s", types[k]);
        run(&t, name, body, in);
    }
}

/* ---- what ends a context ---- */
struct end {
    const char *name, *body;
    int x, y;
    bool surface, object;
    enum geometry geometry;
    enum channel type;
    uint32_t channels;
};
static int end_here(const struct end *x)
{
    struct texture t = surface(x->geometry, x->type, x->channels);
    points in = {0};
    uint32_t out[POINTS][4];
    t.surface = x->surface;
    hopper_need(texture_make(&t, 5), "making a surface");
    in[40][0].s = x->x;
    in[40][1].s = x->y;
    return (int)texture_run(x->body, !x->object ? 0 : x->surface ? t.surf : t.object, in, out);
}
static int in_a_child(const struct end *x)
{
    int e = cudaErrorUnknown, ends[2];
    fflush(NULL);
    if (pipe(ends))
        abort();
    pid_t child = fork();
    if (child == 0) {
        e = end_here(x);
        _exit(write(ends[1], &e, sizeof(e)) != sizeof(e));
    }
    close(ends[1]);
    if (read(ends[0], &e, sizeof(e)) != sizeof(e))
        e = cudaErrorUnknown;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return e;
}
static void ends(void)
{
#define LOAD "suld.b.2d.b32.trap {%r0}, [%l0, {%r10, %r11}];"
    static const struct end all[] = {
        {"suld.trap right of it", LOAD, 32, 0, true, true, G_2D, C_F32, 1},
        {"suld.trap left of it", LOAD, -4, 0, true, true, G_2D, C_F32, 1},
        {"suld.trap below it", LOAD, 0, 4, true, true, G_2D, C_F32, 1},
        {"suld.trap at byte 2", LOAD, 2, 0, true, true, G_2D, C_F32, 1},
        {"suld.zero at byte 2", "suld.b.2d.b32.zero {%r0}, [%l0, {%r10, %r11}];", 2, 0, true, true,
         G_2D, C_F32, 1},
        {"suld of texels twice as wide", "suld.b.2d.v2.b32.trap {%r0, %r1}, [%l0, {%r10, %r11}];",
         0, 0, true, true, G_2D, C_F32, 1},
        {"suld of texels half as wide", "suld.b.2d.b16.trap {%h0}, [%l0, {%r10, %r11}];", 2, 0,
         true, true, G_2D, C_F32, 1},
        {"sust.trap right of it", "sust.b.2d.b32.trap [%l0, {%r10, %r11}], {%r0};", 32, 0, true,
         true, G_2D, C_F32, 1},
        {"sured.trap below it", "sured.b.add.2d.u32.trap [%l0, {%r10, %r11}], %r0;", 0, 4, true,
         true, G_2D, C_U32, 1},
        {"tex.3d of 2d", "tex.3d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%l0, {%r10, %r11, %r12, %r12}];",
         0, 0, false, true, G_2D, C_F32, 1},
        {"tex.1d of 2d", "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%l0, {%r10}];", 0, 0, false,
         true, G_2D, C_F32, 1},
        {"tex.a2d of 2d",
         "tex.a2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%l0, {%r14, %r10, %r11, %r11}];", 0, 0, false,
         true, G_2D, C_F32, 1},
        {"tex s32 of floats", "tex.2d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%l0, {%r10, %r11}];", 0, 0,
         false, true, G_2D, C_F32, 1},
        {"suld.3d of 2d", "suld.b.3d.b32.trap {%r0}, [%l0, {%r10, %r11, %r12, %r12}];", 0, 0, true,
         true, G_2D, C_F32, 1},
        {"suld.1d of 2d", "suld.b.1d.b32.trap {%r0}, [%l0, {%r10}];", 0, 0, true, true, G_2D, C_F32,
         1},
    };
#undef LOAD
    enum { ENDS = sizeof(all) / sizeof(all[0]) };
    int errors[ENDS];
    for (int k = 0; k < ENDS; k++)
        errors[k] = hopper_wanted(all[k].name) ? in_a_child(&all[k]) : 0;
    for (int k = 0; k < ENDS; k++) /* a name asked for is a use of the device */
        if (hopper_wanted(all[k].name))
            hopper_error(all[k].name, cudaGetErrorName((cudaError_t)errors[k]));
}

/* Before anything else has used the device: its first cases fork. */
void surface_cases(void)
{
    ends();
    moves();
    formatted();
    reductions();
    queries();
}
