/* texture_fetch.c - tex, tld4 and txq: each geometry, format, addressing mode and filter, at points
 * inside, on texels' borders, far outside, and where faces of a cube meet.
 */
#include "texture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum spread { RANDOM, BORDERS, FINE, FAR, DIRECTIONS, SEAMS, SPREADS };
static const char *const spreads[] = {"random", "borders", "fine", "far", "directions", "seams"};

/* ---- points ---- */
static float uniform(uint64_t *s, float lo, float hi)
{
    return lo + (hi - lo) * ((float)(hopper_random(s) >> 8) * 0x1p-24f);
}
static float far_away(uint64_t *s)
{
    static const float special[] = {0,        -0.0f,      INFINITY, -INFINITY,     NAN,    1e10f,
                                    -1e10f,   3e9f,       -3e9f,    2147483648.0f, 1e-40f, -1e-30f,
                                    16777216, 8388608.5f, 65536.5f, -32768.25f};
    uint32_t r = hopper_random(s);
    if (r & 1)
        return special[r >> 8 & 15];
    return ldexpf(uniform(s, -1, 1), (int)(r >> 8 & 31) - 4);
}
/* On an axis of so many texels. */
static float coordinate(enum spread how, uint32_t k, float size, uint64_t *s)
{
    switch (how) {
    case RANDOM:
        return uniform(s, -0.75f * size, 1.75f * size);
    case BORDERS: { /* about multiples of 1/512, a bit to either side */
        float at = floorf(uniform(s, -1, size + 1)) + (float)(hopper_random(s) & 511) / 512.0f;
        uint32_t way = hopper_random(s) & 3;
        return way == 0   ? at
               : way == 1 ? nextafterf(at, -1e9f)
               : way == 2 ? nextafterf(at, 1e9f)
                          : at + 1.0f / 4096;
    }
    case FINE:
        return 1.4f + (float)k / 192.0f;
    default:
        return far_away(s);
    }
}
static void direction(enum spread how, float v[3], uint64_t *s)
{
    for (int k = 0; k < 3; k++)
        v[k] = uniform(s, -1, 1);
    if (how != SEAMS)
        return;
    uint32_t r = hopper_random(s); /* two or three components nearly, or quite, the same size */
    float size = uniform(s, 0.1f, 4);
    for (int k = 0; k < 3; k++)
        if (r >> 8 & 1 || k != (int)(r % 3)) {
            uint32_t near = r >> (10 + 3 * k) & 7;
            v[k] = (r >> (20 + k) & 1 ? size : -size) *
                   (near < 2 ? 1.0f : 1.0f - (float)near * (r >> 30 & 1 ? 0.0009f : 0.03f));
        }
}
static bool is_cube(const struct texture *t)
{
    return t->geometry == G_CUBE || t->geometry == G_ACUBE;
}
static uint32_t layers(const struct texture *t)
{
    return t->geometry == G_ACUBE                         ? t->depth / 6
           : t->geometry == G_A1D || t->geometry == G_A2D ? t->depth
                                                          : 1;
}
static void draw(const struct texture *t, enum spread how, bool whole, points p, uint64_t seed)
{
    const float size[3] = {(float)t->width, (float)t->height, (float)t->depth};
    for (uint32_t k = 0; k < POINTS; k++) {
        if (is_cube(t)) {
            float v[3];
            direction(how, v, &seed);
            for (int d = 0; d < 3; d++)
                p[k][d].f = v[d];
        }
        for (int d = 0; d < 3 && !is_cube(t); d++) {
            float x = coordinate(how, d == 0 ? k : k * 7 % POINTS, size[d], &seed);
            if (whole)
                p[k][d].s = how == FAR ? (int32_t)hopper_random(&seed) : (int32_t)floorf(x);
            else
                p[k][d].f = t->normalized && size[d] > 0 && how != FAR ? x / size[d] : x;
        }
        p[k][3] = p[k][2];
        p[k][4].u = hopper_random(&seed) % (layers(t) + 2);
        if (hopper_random(&seed) % 64 == 0)
            p[k][4].u = hopper_random(&seed);
        if (whole)
            p[k][5].s = (int32_t)(hopper_random(&seed) % 8) - 1;
        else
            p[k][5].f = k % 4 ? uniform(&seed, -1.5f, 7) : (float)((int)(k / 4) - 32) / 16;
        for (int d = 6; d < WORDS; d++)
            p[k][d].f = ldexpf(uniform(&seed, -1, 1), (int)(hopper_random(&seed) & 7) - 4) /
                        (t->normalized ? size[0] : 1);
    }
}

/* ---- instructions ---- */
static const char *const geometry_text[] = {"1d",   "2d",    "3d", "a1d", "a2d",
                                            "cube", "acube", "1d", "2d"};
static const char *const coordinate_text[] = {"{%r10}",
                                              "{%r10, %r11}",
                                              "{%r10, %r11, %r12, %r13}",
                                              "{%r14, %r10}",
                                              "{%r14, %r10, %r11, %r11}",
                                              "{%r10, %r11, %r12, %r13}",
                                              "{%r14, %r10, %r11, %r12}",
                                              "{%r10}",
                                              "{%r10, %r11}"};
static const char *const gradient_text[] = {"{%r16}, {%r19}",
                                            "{%r16, %r17}, {%r19, %r20}",
                                            "{%r16, %r17, %r18, %r18}, {%r19, %r20, %r21, %r21}",
                                            "{%r16}, {%r19}",
                                            "{%r16, %r17}, {%r19, %r20}",
                                            "{%r16, %r17, %r18, %r18}, {%r19, %r20, %r21, %r21}",
                                            "{%r16, %r17, %r18, %r18}, {%r19, %r20, %r21, %r21}",
                                            "{%r16}, {%r19}",
                                            "{%r16, %r17}, {%r19, %r20}"};

/* "tex", "tex.level", "tex.grad", "tex.base" or "tld4.r" for this texture. */
static void instruction(const struct texture *t, const char *what, const char *type, char *text)
{
    const char *d = !strcmp(type, "f16x2") ? "{%r0, %r1}" : "{%r0, %r1, %r2, %r3}";
    bool half = !strcmp(type, "f16");
    bool whole = strstr(what, " s32");
    int n = sprintf(text, "%.*s.%s.%s.%s.%s %s, [%%l0, %s]", (int)strcspn(what, " "), what,
                    geometry_text[t->geometry], strcmp(type, "f16x2") ? "v4" : "v2", type,
                    whole ? "s32" : "f32", half ? "{%h0, %h1, %h2, %h3}" : d,
                    coordinate_text[t->geometry]);
    if (strstr(what, ".level"))
        n += sprintf(text + n, ", %%r15");
    if (strstr(what, ".grad"))
        n += sprintf(text + n, ", %s", gradient_text[t->geometry]);
    sprintf(text + n, ";%s", half ? "\nmov.b32 %r0, {%h0, %h1};\nmov.b32 %r1, {%h2, %h3};" : "");
}
/* What an H200 does here by a rule that nobody knows, or that the emulator does not model: it is
 * not held to these. sRGB's table; anisotropy and the levels that gradients choose; how a direction
 * that points between two faces is divided; f16 texels of three dimensions, and 16 texels of two
 * levels, one unit in the last place; levels below a view's first; integers that a view divides. */
static bool open_question(const struct texture *t, const char *what, enum spread how)
{
    bool three = t->geometry == G_3D, cube = t->geometry == G_CUBE || t->geometry == G_ACUBE;
    return t->srgb || t->anisotropy || strstr(what, "grad") || (cube && how == SEAMS) ||
           (cube && t->linear) || (three && t->linear && t->type == C_F16) ||
           (three && t->linear && t->mip_linear) || (t->view && t->levels) ||
           (t->view == cudaResViewFormatUnsignedChar4 && t->type == C_U32) ||
           (strstr(what, "level s32") && t->bias > 0);
}
/* `what` may end in " s32": whole coordinates. */
static void fetch_as(const struct texture *like, const char *what, const char *type,
                     enum spread how)
{
    char name[512], body[512];
    struct texture t = *like;
    int n = sprintf(name, "%s %s %s of ", what, type, spreads[how]);
    texture_name(&t, name + n);
    if (!hopper_wanted(name) || open_question(&t, what, how))
        return;
    points in;
    uint32_t out[POINTS][4];
    uint64_t seed = hopper_hash(name, strlen(name));
    draw(&t, how, strstr(what, " s32"), in, seed);
    instruction(&t, what, type, body);
    cudaError_t e = texture_make(&t, seed);
    if (!e)
        e = texture_run(body, t.object, in, out);
    texture_result(name, e, out, sizeof(out));
    texture_free(&t);
}
static void fetch(const struct texture *t, const char *what, enum spread how)
{
    bool sign = t->type == C_S8 || t->type == C_S16 || t->type == C_S32;
    fetch_as(t, what, texture_is_float(t) ? "f32" : sign ? "s32" : "u32", how);
}
static struct texture texture(enum geometry g, enum channel c, uint32_t channels, uint32_t width,
                              uint32_t height, uint32_t depth)
{
    return (struct texture){
        .geometry = g,
        .type = c,
        .channels = channels,
        .width = width,
        .height = height,
        .depth = depth,
        .address = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp}};
}

/* ---- suites ---- */
static bool narrow(enum channel c) /* has a normalised reading */
{
    return c <= C_S16;
}
static void formats(void)
{
    for (int c = 0; c < CHANNELS; c++)
        for (uint32_t n = 1; n <= 4; n *= 2)
            for (int read = 0; read < (narrow((enum channel)c) ? 2 : 1); read++) {
                struct texture t = texture(G_2D, (enum channel)c, n, 13, 7, 0);
                t.norm_read = read;
                fetch(&t, "tex", RANDOM);
                t.address[0] = t.address[1] = cudaAddressModeBorder;
                t.border = true;
                fetch(&t, "tex", RANDOM);
                t.linear = texture_is_float(&t);
                if (t.linear) {
                    fetch(&t, "tex", RANDOM);
                    t.steps = true;
                    fetch(&t, "tex", FINE);
                }
            }
}
static void fractions(void)
{
    static const enum channel types[] = {C_F32, C_F16, C_U8, C_S8, C_U16, C_S16};
    for (int k = 0; k < 6; k++)
        for (int g = G_1D; g <= G_3D; g++)
            for (int v = 0; v < 4; v++)
                for (int how = RANDOM; how <= FINE; how++) {
                    struct texture t = texture((enum geometry)g, types[k], v & 2 ? 1 : 2, 8,
                                               g >= G_2D ? 8 : 0, g == G_3D ? 8 : 0);
                    t.linear = true;
                    t.norm_read = narrow(types[k]);
                    t.normalized = v & 1;
                    t.steps = v & 2;
                    fetch(&t, "tex", (enum spread)how);
                    if (v == 1) {
                        t.width = 11;
                        fetch(&t, "tex", (enum spread)how);
                    }
                }
}
static void modes(void)
{
    static const enum geometry all[] = {G_1D, G_2D, G_3D, G_A1D, G_A2D, G_PITCH};
    for (int k = 0; k < 6; k++)
        for (int m = 0; m < 64; m++) {
            enum geometry g = all[k];
            bool flat = g == G_1D || g == G_A1D, deep = g == G_3D;
            if ((flat && m > 3) || (!deep && m > 15) || (deep && m % 5 != 1))
                continue;
            for (int v = 0; v < 8; v++) {
                struct texture t = texture(g, C_F32, v & 4 ? 1 : 4, v & 4 ? 16 : 13,
                                           flat    ? 0
                                           : v & 4 ? 8
                                                   : 7,
                                           deep                       ? 5
                                           : g == G_A1D || g == G_A2D ? 3
                                                                      : 0);
                t.normalized = v & 1;
                t.linear = v & 2;
                t.address[0] = m & 3;
                t.address[1] = m >> 2 & 3;
                t.address[2] = m >> 4 & 3;
                t.border = v & 4;
                fetch(&t, "tex", RANDOM);
                if (m % 5 == 0) {
                    fetch(&t, "tex", BORDERS);
                    fetch(&t, "tex", FAR);
                }
            }
        }
}
static void whole_coordinates(void)
{
    static const enum geometry all[] = {G_LINEAR, G_1D, G_2D, G_3D, G_A1D, G_A2D, G_PITCH};
    for (int k = 0; k < 7; k++)
        for (int m = 0; m < 4; m++)
            for (int v = 0; v < 4; v++) {
                enum geometry g = all[k];
                bool flat = g == G_1D || g == G_A1D || g == G_LINEAR;
                struct texture t = texture(g, v & 1 ? C_U8 : C_F32, v & 1 ? 4 : 1, 16, flat ? 0 : 8,
                                           g == G_3D || g == G_A1D || g == G_A2D ? 4 : 0);
                t.address[0] = t.address[1] = t.address[2] = m;
                t.norm_read = v == 3;
                t.normalized = v == 2;
                t.linear = v == 2;
                fetch(&t, "tex s32", RANDOM);
                fetch(&t, "tex s32", FAR);
            }
    for (int c = 0; c < CHANNELS; c++)
        for (uint32_t n = 1; n <= 4; n *= 2) {
            struct texture t = texture(G_LINEAR, (enum channel)c, n, 64, 0, 0);
            fetch(&t, "tex s32", RANDOM);
            t.norm_read = narrow((enum channel)c);
            fetch(&t, "tex s32", RANDOM);
            fetch(&t, "tex", RANDOM);
        }
}
static void cubes(void)
{
    static const enum channel types[] = {C_F32, C_U8, C_S16, C_U32};
    for (int g = G_CUBE; g <= G_ACUBE; g++)
        for (int k = 0; k < 4; k++)
            for (int linear = 0; linear < (k < 3 ? 2 : 1); linear++)
                for (int m = 0; m < 4; m++)
                    for (int how = DIRECTIONS; how <= SEAMS; how++) {
                        uint32_t size = m & 1 ? 8 : 5;
                        struct texture t = texture((enum geometry)g, types[k], k == 1 ? 4 : 1, size,
                                                   size, g == G_CUBE ? 6 : 18);
                        t.linear = linear;
                        t.norm_read = k == 1 || k == 2;
                        t.normalized = true;
                        t.address[0] = t.address[1] = t.address[2] = m;
                        fetch(&t, "tex", (enum spread)how);
                    }
}
static void levels(void)
{
    static const enum geometry all[] = {G_1D, G_2D, G_3D, G_A1D, G_A2D, G_CUBE, G_ACUBE};
    static const char *const what[] = {"tex", "tex.level", "tex.grad", "tex.base", "tex.level s32"};
    for (int k = 0; k < 7; k++)
        for (int v = 0; v < 8; v++)
            for (int w = 0; w < 5; w++) {
                enum geometry g = all[k];
                bool cube = g >= G_CUBE, flat = g == G_1D || g == G_A1D;
                struct texture t = texture(g, k == 3 ? C_U8 : C_F32, 1, 32,
                                           cube   ? 32
                                           : flat ? 0
                                                  : 16,
                                           g == G_3D                  ? 8
                                           : g == G_CUBE              ? 6
                                           : g == G_ACUBE             ? 12
                                           : g == G_A1D || g == G_A2D ? 3
                                                                      : 0);
                t.norm_read = t.type == C_U8;
                t.normalized = w != 4;
                t.levels = v & 4 ? 6 : 4;
                t.linear = v & 1;
                t.mip_linear = v & 2;
                t.address[0] = v & 4 ? cudaAddressModeWrap : cudaAddressModeClamp;
                t.steps = (v & 3) == 2;
                if (v == 4 || v == 7) {
                    t.bias = 0.3f;
                    t.least = 0.7f;
                    t.most = 3.4f;
                }
                if (w < 4 || !cube)
                    fetch(&t, what[w], cube ? DIRECTIONS : RANDOM);
            }
    for (int v = 0; v < 6; v++) {
        struct texture t = texture(G_2D, C_F32, 1, 64, 64, 0);
        t.normalized = true;
        t.levels = 7;
        t.linear = true;
        t.mip_linear = v & 1;
        t.anisotropy = v < 2 ? 2 : v < 4 ? 16 : 0;
        fetch(&t, "tex.grad", RANDOM);
        fetch(&t, "tex.level", RANDOM);
    }
}
static void gathers(void)
{
    static const enum channel types[] = {C_F32, C_U8, C_S32, C_U8};
    static const char *const what[] = {"tld4.r", "tld4.g", "tld4.b", "tld4.a"};
    for (int k = 0; k < 4; k++)
        for (int w = 0; w < 4; w++)
            for (int m = 0; m < 4; m++)
                for (int v = 0; v < 2; v++) {
                    struct texture t = texture(G_2D, types[k], 4, 13, 7, 0);
                    t.norm_read = k == 1;
                    t.normalized = v;
                    t.linear = v;
                    t.address[0] = t.address[1] = m;
                    t.border = k == 0;
                    fetch(&t, what[w], RANDOM);
                    if (w == 0)
                        fetch(&t, what[w], BORDERS);
                }
}
static void other_types(void)
{
    static const char *const types[] = {"f16", "f16x2", "u32", "s32", "f32"};
    for (int k = 0; k < 5; k++)
        for (int c = 0; c < CHANNELS; c++)
            for (int read = 0; read < (narrow((enum channel)c) ? 2 : 1); read++) {
                struct texture t = texture(G_2D, (enum channel)c, 4, 13, 7, 0);
                t.norm_read = read;
                fetch_as(&t, "tex", types[k], RANDOM);
                t.linear = texture_is_float(&t);
                if (t.linear)
                    fetch_as(&t, "tex", types[k], BORDERS);
            }
    for (int v = 0; v < 4; v++) {
        struct texture t = texture(G_2D, C_U8, v & 2 ? 4 : 1, 16, 16, 0);
        t.norm_read = t.srgb = true;
        t.linear = v & 1;
        fetch(&t, "tex", RANDOM);
        t.steps = true;
        fetch(&t, "tex", FINE);
    }
}
static void views(void)
{
    static const struct {
        int view;
        enum channel type;
        uint32_t channels;
        bool read;
    } all[] = {{cudaResViewFormatFloat1, C_U32, 1, 0},
               {cudaResViewFormatUnsignedChar4, C_U32, 1, 0},
               {cudaResViewFormatUnsignedChar4, C_U8, 4, 0},
               {cudaResViewFormatSignedChar4, C_U8, 4, 1},
               {cudaResViewFormatHalf2, C_U32, 1, 0},
               {cudaResViewFormatHalf4, C_F32, 2, 0},
               {cudaResViewFormatUnsignedShort2, C_F32, 1, 1},
               {cudaResViewFormatFloat1, C_F32, 1, 0}};
    for (int k = 0; k < 8; k++)
        for (int v = 0; v < 3; v++) {
            struct texture t = texture(v == 2 ? G_A2D : G_2D, all[k].type, all[k].channels, 16, 16,
                                       v == 2 ? 5 : 0);
            t.view = all[k].view;
            t.norm_read = all[k].read;
            if (v == 1) {
                t.levels = 5;
                t.first_level = 1;
                t.last_level = 3;
            }
            if (v == 2) {
                t.first_layer = 1;
                t.last_layer = 3;
            }
            fetch_as(&t, v == 1 ? "tex.level" : "tex", all[k].read ? "f32" : "u32", RANDOM);
        }
}
static void queries(void)
{
    static const char *const what[] = {"width", "height", "depth"};
    for (int k = 0; k < 3; k++)
        for (int g = G_1D; g <= G_PITCH; g++) {
            char name[128], body[128];
            struct texture t = texture((enum geometry)g, g & 1 ? C_F32 : C_U8, 2, 16,
                                       g == G_1D || g == G_A1D || g == G_LINEAR ? 0
                                       : g >= G_CUBE && g <= G_ACUBE            ? 16
                                                                                : 8,
                                       g == G_CUBE                             ? 6
                                       : g == G_ACUBE                          ? 12
                                       : g == G_3D || g == G_A1D || g == G_A2D ? 3
                                                                               : 0);
            t.levels = g == G_2D ? 3 : 0;
            sprintf(body, "txq.%s.b32 %%r0, [%%l0];", what[k]);
            sprintf(name, "txq.%s of %d", what[k], g);
            if (!hopper_wanted(name))
                continue;
            points in = {0};
            uint32_t out[POINTS][4];
            cudaError_t e = texture_make(&t, 1);
            if (!e)
                e = texture_run(body, t.object, in, out);
            texture_result(name, e, out, 16);
            texture_free(&t);
        }
}

void fetch_cases(void)
{
    formats();
    fractions();
    modes();
    whole_coordinates();
    cubes();
    levels();
    gathers();
    other_types();
    views();
    queries();
}
