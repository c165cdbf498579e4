/* texture_count.c - a warp's lanes over texels in many ways, which `ncu` can count (--only counted;
 * it takes 40 launches at a time).
 */
#include "texture.h"
#include <stdio.h>
#include <string.h>

/* Lane l is at (l % across * right, l / across * down); the next warp 4 rows below. */
struct pattern {
    const char *name;
    int across, right, down;
};
static const struct pattern patterns[] = {
    {"row", 32, 1, 0},   {"every 2nd", 32, 2, 0}, {"every 3rd", 32, 3, 0}, {"every 4th", 32, 4, 0},
    {"column", 1, 0, 1}, {"16 x 2", 16, 1, 1},    {"8 x 4", 8, 1, 1},      {"4 x 8", 4, 1, 1},
    {"2 x 16", 2, 1, 1}, {"one place", 32, 0, 0}, {"scattered", 0, 0, 0},
};
enum { PATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

static void draw(const struct pattern *p, points in, float offset, bool whole, int unit)
{
    uint64_t seed = 3;
    memset(in, 0, sizeof(points));
    for (int k = 0; k < POINTS; k++) {
        int lane = k % 32, y = k / 32 * 4, x = 0;
        if (p->across) {
            x = lane % p->across * p->right;
            y += lane / p->across * p->down;
        } else {
            x = (int)(hopper_random(&seed) % 120);
            y = (int)(hopper_random(&seed) % 60);
        }
        if (whole) {
            in[k][0].s = x * unit;
            in[k][1].s = y;
        } else {
            in[k][0].f = (float)x + offset;
            in[k][1].f = (float)y + offset;
            in[k][2].f = 1;
        }
    }
}
static void count(struct texture t, const char *what, const struct pattern *p, const char *body,
                  float offset, bool whole)
{
    char name[512], shape[256];
    points in;
    uint32_t out[POINTS][4];
    texture_name(&t, shape);
    sprintf(name, "counted %s at %g %s of %s", what, (double)offset, p->name, shape);
    if (!hopper_wanted(name))
        return;
    draw(p, in, offset, whole, t.surface ? (int)texture_texel(&t) : 1);
    cudaError_t e = texture_make(&t, 1);
    if (!e)
        e = texture_run(body, t.surface ? t.surf : t.object, in, out);
    texture_result(name, e, out, sizeof(out));
    texture_free(&t);
}
#define TO "{%r0, %r1, %r2, %r3}, [%l0, "
void count_cases(void)
{
    static const struct {
        enum channel type;
        uint32_t channels;
        const char *load, *store;
    } formats[] = {{C_U8, 1, "suld.b.2d.b8.trap {%h0}, [%l0, {%r10, %r11}];",
                    "sust.b.2d.b8.trap [%l0, {%r10, %r11}], {%h0};"},
                   {C_F32, 1, "suld.b.2d.b32.trap {%r0}, [%l0, {%r10, %r11}];",
                    "sust.b.2d.b32.trap [%l0, {%r10, %r11}], {%r0};"},
                   {C_F32, 4, "suld.b.2d.v4.b32.trap {%r0, %r1, %r2, %r3}, [%l0, {%r10, %r11}];",
                    "sust.b.2d.v4.b32.trap [%l0, {%r10, %r11}], {%r0, %r1, %r2, %r3};"}};
    static const char two[] = "tex.2d.v4.f32.f32 " TO "{%r10, %r11}];",
                      three[] = "tex.3d.v4.f32.f32 " TO "{%r10, %r11, %r12, %r12}];",
                      layer[] = "tex.a2d.v4.f32.f32 " TO "{%r14, %r10, %r11, %r11}];",
                      line[] = "tex.1d.v4.f32.s32 " TO "{%r10}];",
                      gather[] = "tld4.r.2d.v4.f32.f32 " TO "{%r10, %r11}];";
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < PATTERNS; k++) {
            const struct pattern *p = &patterns[k];
            struct texture t = {.geometry = G_2D,
                                .type = formats[f].type,
                                .channels = formats[f].channels,
                                .width = 128,
                                .height = 64,
                                .norm_read = f == 0},
                           s = t;
            count(t, "tex", p, two, 0.5f, false);
            t.linear = true;
            count(t, "tex", p, two, 0.5f, false);
            count(t, "tex", p, two, 1.0f, false);
            count(t, "tld4", p, gather, 1.0f, false);
            t.geometry = G_PITCH;
            t.linear = false;
            count(t, "tex", p, two, 0.5f, false);
            t.geometry = G_LINEAR;
            t.height = 0;
            count(t, "tex s32", p, line, 0, true);
            s.surface = true;
            count(s, "suld", p, formats[f].load, 0, true);
            count(s, "sust", p, formats[f].store, 0, true);
            t.height = 64;
            t.depth = 4;
            t.geometry = G_3D;
            count(t, "tex", p, three, 0.5f, false);
            t.linear = true;
            count(t, "tex", p, three, 1.0f, false);
            t.geometry = G_A2D;
            count(t, "tex", p, layer, 0.5f, false);
        }
}
