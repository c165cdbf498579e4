/* texture_quick.c - plain fetches of a whole warp at once: points of one to three dimensions,
 * linear filtering of one and two, of one level. The arithmetic is exec/texture.c's, which says
 * why; here each step is a loop over the lanes. What is rare is left to it.
 */
#include "texture_quick.h"
#include <float.h>

#define TAPS 4
#define FAR  0x1p22 /* texels: more than any texture has, and 256 of each still fit 32 bits */

/* ---- texels of a warp ---- */
struct axis {
    u32 at[2][WARP]; /* always inside */
    s32 weight[WARP];
    u32 outside[2]; /* lanes whose texel is the border's */
};
struct taps {
    u64 address[TAPS][WARP], sector[TAPS][WARP];
    s32 weight[TAPS][WARP]; /* 0: is not read */
    u32 n;
};

/* ---- one axis ---- */
static void in_texels(const struct texture *t, const u32 *x, u32 n, u8 mode, f64 *at)
{
    f64 period = mode == TEX_WRAP ? 1 : mode == TEX_MIRROR ? 2 : 0;
    LANES
    {
        f64 v = (f64)f32_bits(x[i]);
        at[i] = v == v ? v : 0;
    }
    if (t->normalized)
        LANES at[i] = floor(at[i] * 0x1p21) * 0x1p-21;
    if (t->normalized && period > 0)
        LANES
        {
            f64 part = at[i] - period * floor(at[i] * (1 / period));
            at[i] = fabs(at[i]) <= FLT_MAX ? part : 0;
        }
    f64 scale = t->normalized ? n : 1;
    LANES
    {
        f64 v = at[i] * scale;
        v = v < -FAR ? -FAR : v;
        at[i] = v > FAR ? FAR : v;
    }
}
static u32 address(s32 *at, s32 n, u8 mode)
{
    u32 outside = 0;
    switch (mode) {
    case TEX_WRAP: /* at most one period away, as coordinates are within one */
        LANES
        {
            s32 k = at[i] < 0 ? at[i] + n : at[i];
            at[i] = k >= n ? k - n : k;
        }
        break;
    case TEX_MIRROR: /* from -1, which is 0, to 2 n, which is, too */
        LANES
        {
            s32 k = at[i] < 0 ? 0 : at[i];
            k = k >= n ? 2 * n - 1 - k : k;
            at[i] = k < 0 ? 0 : k;
        }
        break;
    default:
        for (int i = 0; mode == TEX_BORDER && i < WARP; i++)
            outside |= (u32)(at[i] < 0 || at[i] >= n) << i;
        LANES
        {
            s32 k = at[i] < 0 ? 0 : at[i];
            at[i] = k >= n ? n - 1 : k;
        }
    }
    return outside;
}
static void axis_of(const struct texture *t, const u32 *x, u32 n, u8 mode, bool two, struct axis *a)
{
    f64 at[WARP];
    s32 k[2][WARP];
    in_texels(t, x, n, mode, at);
    if (two)
        LANES
        {
            s32 f = (s32)floor(at[i] * 256 + 0.5) - 128;
            k[0][i] = f >> 8;
            k[1][i] = k[0][i] + 1;
            a->weight[i] = mode == TEX_CLAMP && (k[0][i] < 0 || k[1][i] >= (s32)n) ? 0 : f & 255;
        }
    else
        LANES
        {
            k[0][i] = k[1][i] = (s32)floor(at[i]);
            a->weight[i] = 0;
        }
    for (int e = 0; e < (two ? 2 : 1); e++) {
        a->outside[e] = address(k[e], (s32)n, mode);
        memcpy(a->at[e], k[e], sizeof(k[e]));
    }
}
/* Whole coordinates know no mode. */
static void axis_at(const u32 *x, u32 n, struct axis *a)
{
    a->outside[0] = 0;
    for (int i = 0; i < WARP; i++)
        a->outside[0] |= (u32)(x[i] >= n) << i;
    LANES a->at[0][i] = x[i] < n ? x[i] : 0;
}

/* ---- which texels, and by what weights ---- */
static void weights(const struct axis *a, unsigned dims, struct taps *p)
{
    LANES
    {
        s32 x = a[0].weight[i], y = dims > 1 ? a[1].weight[i] : 0;
        s32 high = (x * y + 128) >> 8, low = ((256 - x) * y + 127) >> 8;
        p->weight[0][i] = 256 - x - low;
        p->weight[1][i] = x - high;
        p->weight[2][i] = low;
        p->weight[3][i] = high;
    }
}
static void place_taps(const struct texture *t, const struct axis *a, unsigned dims, struct taps *p)
{
    const struct texture_level *l = &t->level[0];
    u32 bytes = texel_bytes(t->format);
    static const u32 none[WARP];
    for (u32 k = 0; k < p->n; k++) {
        const u32 *x = a[0].at[k & 1], *y = dims > 1 ? a[1].at[k >> 1] : none,
                  *z = dims > 2 ? a[2].at[0] : none;
        LANES
        {
            u64 row = (u64)x[i] * bytes;
            p->address[k][i] = l->address + row + y[i] * l->pitch + z[i] * l->slice;
            p->sector[k][i] = t->rows || dims == 1 ? p->address[k][i] / 32
                                                   : ((u64)z[i] << 20 | y[i] / 2) << 20 | row / 16;
        }
    }
}
/* Lanes that read a border. */
static u32 on_border(const struct axis *a, unsigned dims, const struct taps *p)
{
    u32 all = 0;
    for (u32 k = 0; k < p->n; k++) {
        u32 outside = a[0].outside[k & 1], used = 0;
        if (dims > 1)
            outside |= a[1].outside[k >> 1];
        if (dims > 2)
            outside |= a[2].outside[0];
        for (int i = 0; outside && i < WARP; i++)
            used |= (u32)(p->weight[k][i] != 0) << i;
        all |= outside & used;
    }
    return all;
}

/* ---- texels ---- */
static void read_channel(const struct texture *t, const u64 *address, intptr_t delta, u32 c, u32 *x)
{
    u32 size = t->format.bits / 8;
    bool sign = t->format.kind == TEXEL_SIGNED;
    delta += (intptr_t)(c * size);
    if (size == 1)
        LANES x[i] = *(const u8 *)((intptr_t)address[i] + delta);
    else if (size == 2)
        LANES x[i] = *(const u16 *)((intptr_t)address[i] + delta);
    else
        LANES x[i] = *(const u32 *)((intptr_t)address[i] + delta);
    if (sign && size == 1)
        LANES x[i] = (u32)(s8)x[i];
    else if (sign && size == 2)
        LANES x[i] = (u32)(s16)x[i];
}
/* Of f16 and f32 texels the floats, of those that are read as normalised numbers, too. */
static void to_floats(const struct texture *t, u32 *x)
{
    f32 most = t->format.kind == TEXEL_SIGNED ? (t->format.bits == 8 ? 127.0f : 32767.0f)
                                              : (t->format.bits == 8 ? 255.0f : 65535.0f);
    if (t->format.kind == TEXEL_FLOAT && t->format.bits == 16)
        LANES
        {
            u32 e = x[i] >> 10 & 31, m = x[i] & 1023, sign = (x[i] & 0x8000) << 16;
            u32 plain = (e == 31 ? 0x7f800000u : (e + 112) << 23) | m << 13;
            x[i] = sign | (e ? plain : bits_f32((f32)(s32)m * 0x1p-24f));
        }
    else if (t->format.kind == TEXEL_SIGNED)
        LANES
        {
            f32 f = (f32)(s32)x[i] / most;
            x[i] = bits_f32(f < -1 ? -1 : f);
        }
    else if (t->format.kind == TEXEL_UNSIGNED)
        LANES x[i] = bits_f32((f32)(s32)x[i] / most);
}

/* ---- filters ---- */
static void weigh_normal(const struct texture *t, u32 x[TAPS][WARP], const struct taps *p,
                         u64 *result)
{
    bool sign = t->format.kind == TEXEL_SIGNED, narrow = t->format.bits == 8;
    s32 sum[WARP], scale = narrow && !sign ? 257 : 1;
    LANES sum[i] = 0;
    for (u32 k = 0; k < p->n; k++)
        LANES sum[i] += (s32)x[k][i] * scale * p->weight[k][i];
    if (sign && narrow)
        LANES sum[i] += (sum[i] + 64 + (sum[i] >> 12) * 16) >> 7;
    else
        LANES sum[i] = (sum[i] + 128) >> 8;
    f32 most = sign ? 32767 : 65535;
    LANES
    {
        s32 s = sign && sum[i] < -32767 ? -32767 : sum[i];
        result[i] = bits_f32((f32)s / most);
    }
}
/* As weigh_floats() of exec/texture.c, in doubles, which hold each of its integers. `bits`: of a
 * result. Returns lanes with infinities or NaN, whose results are not valid. */
static u32 weigh_floats(u32 x[TAPS][WARP], const struct taps *p, int bits, u64 *result)
{
    enum { BIAS = 1023, HALF = 1022, SPECIAL = 2047 };
    const u64 least = 800, drop = 53 - (u64)bits;
    f64 v[TAPS][WARP], sum[WARP];
    u64 top[WARP];
    u32 special = 0;
    LANES top[i] = least; /* below the exponent of any float */
    for (u32 k = 0; k < p->n; k++)
        LANES
        {
            v[k][i] = (f64)f32_bits(p->weight[k][i] ? x[k][i] : 0);
            u64 e = bits_f64(v[k][i]) >> 52 & SPECIAL;
            top[i] = e > top[i] ? e : top[i];
        }
    LANES sum[i] = 0;
    for (u32 k = 0; k < p->n; k++)
        LANES
        { /* cut off four bits behind those of a result */
            f64 scale = f64_bits((u64)(BIAS + HALF + bits + 4 - top[i]) << 52);
            sum[i] += trunc(v[k][i] * scale) * p->weight[k][i];
        }
    LANES
    { /* to nearest, ties away from zero: the half of what is dropped is added to the fraction */
        u64 whole = bits_f64(sum[i]) + (1ull << (drop - 1));
        f64 unit = f64_bits((top[i] - HALF - (u64)bits - 12 + BIAS) << 52);
        f64 r = f64_bits(whole >> drop << drop) * unit, exact = sum[i] * unit;
        if (bits == 11) { /* a subnormal f16 */
            f64 tiny = floor(fabs(exact) * 0x1p24 + 0.5) * 0x1p-24;
            r = fabs(exact) < 0x1p-14 ? copysign(tiny, exact) : r;
        }
        result[i] = bits_f32((f32)(r + 0.0));
    }
    for (int i = 0; i < WARP; i++)
        special |= (u32)(top[i] == SPECIAL) << i;
    return special;
}

/* ---- fetches ---- */
bool texture_quick(const struct texture *t, const struct texture_op *op)
{
    bool two = t->linear && texture_floats(t) && !op->whole;
    if (op->op != OP_tex || op->layered || op->cube || t->layered || t->cube || t->srgb ||
        t->nlevels != 1 || t->dims != op->dims || (two && t->dims > 2))
        return false;
    if (op->whole)
        return t->rows && t->dims == 1 && op->lod == LOD_NONE;
    for (unsigned d = 0; d < t->dims && !t->normalized; d++)
        if (t->address[d] == TEX_WRAP || t->address[d] == TEX_MIRROR)
            return false;
    return !(t->rows && t->dims == 1);
}
static void note(const struct taps *p, u32 mask, struct touched *all)
{
    u32 of[TAPS] = {0};
    for (u32 rest = mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        u32 n = 0;
        for (u32 k = 0; k < p->n; k++) {
            u32 used = p->weight[k][lane] != 0;
            all->address[n][lane] = p->address[k][lane];
            all->sector[lane][n] = p->sector[k][lane];
            of[n] |= used << lane;
            n += used;
        }
        all->n[lane] = n;
    }
    for (all->rounds = 0; all->rounds < TAPS && of[all->rounds]; all->rounds++)
        all->mask[all->rounds] = of[all->rounds];
}
u32 texture_quick_fetch(const struct texture *t, const struct texture_op *op, intptr_t delta,
                        const struct lanes *l, u32 mask, u64 result[4][WARP], struct touched *all)
{
    const struct texture_level *v = &t->level[0];
    const u32 size[3] = {v->width, v->height, v->depth};
    bool floats = texture_floats(t), two = t->linear && floats && !op->whole;
    struct axis a[3];
    struct taps p = {.n = !two ? 1 : t->dims > 1 ? 4 : 2};
    u32 x[TAPS][WARP], left = 0;
    for (unsigned d = 0; d < t->dims; d++)
        if (op->whole)
            axis_at(l->at[d], size[d], &a[d]);
        else
            axis_of(t, l->at[d], size[d], t->address[d], two, &a[d]);
    if (two)
        weights(a, t->dims, &p);
    else
        LANES p.weight[0][i] = 256;
    place_taps(t, a, t->dims, &p);
    left = on_border(a, t->dims, &p);
    for (u32 c = 0; c < 4; c++) {
        if (c >= t->format.channels) {
            LANES result[c][i] = 0;
            continue;
        }
        for (u32 k = 0; k < p.n; k++) {
            read_channel(t, p.address[k], delta, c, x[k]);
            if (floats && !(two && t->to_float))
                to_floats(t, x[k]);
        }
        if (two && t->to_float)
            weigh_normal(t, x, &p, result[c]);
        else if (two)
            left |= weigh_floats(x, &p, t->format.bits == 32 ? 24 : 11, result[c]);
        else
            LANES result[c][i] = x[0][i];
    }
    note(&p, mask & ~left, all);
    return mask & left;
}
