/* texture.c - texture fetches: coordinates, addressing modes, levels, filters (programming guide,
 * "Texture Fetching"; PTX ISA 9.7.10).
 */
#include "texture.h"
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- texels ---- */
union texel {
    float f[4];
    uint32_t u[4];
};
static float half_to_float(uint16_t h)
{
    uint32_t e = h >> 10 & 31, m = h & 1023u, sign = (uint32_t)(h & 0x8000u) << 16, bits;
    float f;
    if (e == 0) {
        f = (float)m * 0x1p-24f;
        return sign ? -f : f;
    }
    bits = sign | (e == 31 ? 0x7f800000u : (e + 112) << 23) | m << 13;
    memcpy(&f, &bits, 4);
    return f;
}
/* Is this channel one of a colour, that becomes an f16? */
static bool is_srgb(const struct texture *t, int channel)
{
    return t->srgb && t->to_float && t->format.bits == 8 && t->format.kind == TEXEL_UNSIGNED &&
           channel < 3;
}
static float srgb_to_linear(uint32_t byte)
{
    double x = byte / 255.0, y = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
    int e;
    frexp(y, &e);
    e = e - 11 > -24 ? e - 11 : -24;
    return (float)ldexp(rint(ldexp(y, -e)), e);
}
static float channel_float(const struct texture *t, uint32_t raw, int channel)
{
    float f;
    if (t->format.kind == TEXEL_FLOAT && t->format.bits == 16)
        return half_to_float((uint16_t)raw);
    if (t->format.kind == TEXEL_FLOAT) {
        memcpy(&f, &raw, 4);
        return f;
    }
    if (t->format.kind == TEXEL_UNSIGNED) {
        if (is_srgb(t, channel))
            return srgb_to_linear(raw);
        return (float)raw / (t->format.bits == 8 ? 255.0f : 65535.0f);
    }
    f = (float)(int32_t)raw / (t->format.bits == 8 ? 127.0f : 32767.0f);
    return f < -1 ? -1 : f;
}
static uint32_t read_channel(const struct texture *t, const uint8_t *p)
{
    uint16_t h;
    uint32_t x;
    bool sign = t->format.kind == TEXEL_SIGNED;
    switch (t->format.bits) {
    case 8:
        return sign ? (uint32_t)(int8_t)*p : *p;
    case 16:
        memcpy(&h, p, 2);
        return sign ? (uint32_t)(int16_t)h : h;
    default:
        memcpy(&x, p, 4);
        return x;
    }
}
static float cut_to_half(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits &= 0xffffe000u;
    memcpy(&x, &bits, 4);
    return fabsf(x) < 0x1p-14f ? truncf(x * 0x1p24f) * 0x1p-24f : x;
}
/* The border's channels: of normalised numbers the nearest that texels could hold, of others the
 * low bits of the floats. */
static union texel border(const struct texture *t, bool raw)
{
    union texel x = {0};
    bool sign = t->format.kind == TEXEL_SIGNED;
    float most = (float)((1ull << (t->format.bits - sign)) - 1), least = sign ? -1 : 0;
    for (int k = 0; k < t->format.channels; k++) {
        float b = t->border[k], n = rintf((b < least ? least : b > 1 ? 1 : b) * most);
        uint32_t bits;
        memcpy(&bits, &b, 4);
        if (t->to_float && raw && !is_srgb(t, k))
            x.u[k] = (uint32_t)(int32_t)n;
        else if (t->to_float)
            x.f[k] = is_srgb(t, k) ? srgb_to_linear((uint32_t)n) : n / most;
        else if (t->format.kind == TEXEL_FLOAT)
            x.f[k] = t->format.bits == 16 ? cut_to_half(b) : b;
        else
            x.u[k] = read_channel(t, (const uint8_t *)&bits);
    }
    return x;
}
/* raw: normalised numbers as the integers that they are stored as */
static union texel read_texel(const struct texture *t, const uint8_t *p, bool raw)
{
    union texel x = {0};
    for (int k = 0; k < t->format.channels; k++) {
        uint32_t bits = read_channel(t, p + k * (t->format.bits / 8));
        if (texture_floats(t) && !(raw && t->to_float && !is_srgb(t, k)))
            x.f[k] = channel_float(t, bits, k);
        else
            x.u[k] = bits;
    }
    return x;
}

/* ---- one axis ---- */
#define ONE 256 /* of a weight */
struct axis {
    int64_t at[2];
    bool inside[2];
    uint32_t weight; /* of the second, of ONE */
};
static bool address(int64_t *i, int64_t n, uint8_t mode)
{
    int64_t k;
    switch (mode) {
    case TEX_WRAP:
        *i = (*i % n + n) % n;
        return true;
    case TEX_MIRROR:
        k = (*i % (2 * n) + 2 * n) % (2 * n);
        *i = k < n ? k : 2 * n - 1 - k;
        return true;
    case TEX_BORDER:
        return *i >= 0 && *i < n;
    default:
        *i = *i < 0 ? 0 : *i >= n ? n - 1 : *i;
        return true;
    }
}
/* Of texels, as a fixed-point number of 8 bits behind the point. */
static int64_t fixed(double x)
{
    x = floor(x * ONE + 0.5);
    return x < -0x1p40 ? (int64_t)-0x1p40 : x > 0x1p40 ? (int64_t)0x1p40 : (int64_t)x;
}
/* In texels of n. A normalised coordinate has 21 bits behind the point, and of one that repeats
 * only the part within its period counts: of an infinite one nothing. */
static double in_texels(const struct texture *t, float x, uint32_t n, uint8_t mode)
{
    double at = isnan(x) ? 0 : x, period = mode == TEX_WRAP ? 1 : mode == TEX_MIRROR ? 2 : 0;
    if (t->normalized)
        at = floor(at * 0x1p21) * 0x1p-21;
    if (t->normalized && period > 0)
        at = isinf(at) ? 0 : at - period * floor(at / period);
    return fabs(at) > 0x1p40 ? copysign(0x1p40, at) : t->normalized ? at * n : at;
}
static struct axis axis_of(const struct texture *t, float x, uint32_t n, uint8_t mode, bool two)
{
    struct axis a = {0};
    double at = in_texels(t, x, n, mode);
    int64_t f = two ? fixed(at) - ONE / 2 : 0;
    a.at[0] = two ? f >> 8 : (int64_t)floor(at);
    a.at[1] = a.at[0] + 1;
    a.weight = (uint32_t)f & (ONE - 1);
    if (mode == TEX_CLAMP && (a.at[0] < 0 || a.at[1] >= n)) /* both are the same texel */
        a.weight = 0;
    for (int k = 0; k < 2; k++)
        a.inside[k] = address(&a.at[k], n, mode);
    return a;
}
/* Whole coordinates know no mode: what is outside is nothing. */
static struct axis axis_at(int32_t i, uint32_t n)
{
    return (struct axis){.at = {i}, .inside = {i >= 0 && (uint32_t)i < n}};
}

/* ---- a level ---- */
struct place {
    const struct texture *t;
    intptr_t delta;
    struct texture_taps *taps;
};
static union texel tap(const struct place *p, const struct texture_level *l, const struct axis *a,
                       int bits, uint32_t layer, bool raw)
{
    const struct axis *x = &a[0], *y = &a[1], *z = &a[2];
    int i = bits & 1, j = bits >> 1 & 1, k = bits >> 2;
    if (!x->inside[i] || !y->inside[j] || !z->inside[k])
        return border(p->t, raw);
    uint64_t at = l->address + (uint64_t)x->at[i] * texel_bytes(p->t->format) +
                  (uint64_t)y->at[j] * l->pitch + ((uint64_t)z->at[k] + layer) * l->slice;
    if (p->taps->n < MOST_TAPS)
        p->taps->address[p->taps->n++] = at;
    return read_texel(p->t, (const uint8_t *)((intptr_t)at + p->delta), raw);
}
/* ---- filters ---- */
/* Weights of texels, of ONE in all: split by level, then z, x, y, each time rounded; ties go to the
 * second, of y to the one that keeps the sum of rounded products. Four texels are a plane. */
#define PLANES 4
struct mix {
    union texel x[4 * PLANES];
    int w[4 * PLANES], n;
};
static void split(int whole, uint32_t weight, int tie, int *low, int *high)
{
    *high = (int)((uint32_t)whole * weight + ONE / 2 - (uint32_t)tie) / ONE;
    *low = whole - *high;
}
static void weights(const struct axis *a, unsigned dims, int whole, int w[8])
{
    int plane[2] = {whole, 0};
    memset(w, 0, 8 * sizeof(*w));
    if (dims > 2)
        split(whole, a[2].weight, 0, &plane[0], &plane[1]);
    for (int z = 0; z < 2; z++) {
        int *q = w + 4 * z;
        split(plane[z], a[0].weight, 0, &q[0], &q[1]);
        if (dims > 1) {
            split(q[1], a[1].weight, 0, &q[1], &q[3]);
            split(q[0], a[1].weight, 1, &q[0], &q[2]);
        }
    }
}
#define HALF_BITS 11
/* A sum of units of 2^e as a float of so many bits: to nearest, ties away from zero. */
static float round_sum(__int128 sum, int e, int bits)
{
    unsigned __int128 m = (unsigned __int128)(sum < 0 ? -sum : sum);
    uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    int length = high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
    int beyond = length - bits;
    if (bits == HALF_BITS && beyond < -24 - e) /* a subnormal f16 */
        beyond = -24 - e;
    if (beyond > length)
        return 0;
    if (beyond > 0) {
        m = (m >> beyond) + (m >> (beyond - 1) & 1);
        e += beyond;
    }
    float f = ldexpf((float)(uint64_t)m, e);
    return sum < 0 ? -f : f;
}
/* A plane's up to four numbers are cut off four bits behind as many as a result has (24, of f16
 * 11), counted from the largest's leading one; then all is exact. Units of 2^*e. */
static int64_t plane_sum(const float *x, const int *w, int n, int bits, int *e)
{
    int most = INT_MIN, kept = bits + 4, k;
    int64_t sum = 0;
    for (k = 0; k < n; k++)
        if (w[k] && x[k] != 0) {
            frexpf(x[k], e);
            most = *e > most ? *e : most;
        }
    *e = 0;
    if (most == INT_MIN)
        return 0;
    for (k = 0; k < n; k++)
        sum += (int64_t)ldexp((double)x[k], kept - most) * w[k];
    *e = most - kept - 8;
    return sum;
}
#define APART 80 /* bits; what is further below another changes nothing */
static float weigh_floats(const float *x, const int *w, int n, int bits)
{
    float special = 0;
    int64_t plane[PLANES];
    int e[PLANES], top = INT_MIN, low = INT_MAX;
    for (int k = 0; k < n; k++)
        if (w[k] && !isfinite(x[k]))
            special += x[k];
    if (special != 0) /* NaN, too */
        return special;
    for (int p = 0; p < n / 4; p++) {
        plane[p] = plane_sum(x + 4 * p, w + 4 * p, 4, bits, &e[p]);
        if (plane[p])
            top = e[p] > top ? e[p] : top;
    }
    for (int p = 0; p < n / 4; p++)
        if (plane[p] && e[p] >= top - APART)
            low = e[p] < low ? e[p] : low;
    __int128 sum = 0;
    for (int p = 0; p < n / 4; p++)
        if (plane[p] && e[p] >= low)
            sum += plane[p] * ((__int128)1 << (e[p] - low));
    return sum ? round_sum(sum, low, bits) : 0;
}
/* Normalised numbers, as texels have them, are filtered as integers of 16 bits. Those of 8 bits
 * with a sign are widened behind the sum, in which 128 is 129 and a bit, by steps of 4096. */
static float weigh_normal(const struct texture *t, const int32_t *x, const int *w, int n)
{
    bool sign = t->format.kind == TEXEL_SIGNED, narrow = t->format.bits == 8;
    int32_t sum = 0, scale = narrow && !sign ? 257 : 1;
    for (int k = 0; k < n; k++)
        sum += x[k] * scale * w[k];
    if (sign && narrow)
        sum += (sum + 64 + (sum >> 12) * 16) >> 7;
    else
        sum = (sum + ONE / 2) >> 8;
    return sign ? (float)(sum < -32767 ? -32767 : sum) / 32767 : (float)sum / 65535;
}
static float weigh(const struct texture *t, const struct mix *m, int c)
{
    int32_t whole[4 * PLANES];
    float f[4 * PLANES];
    for (int k = 0; k < m->n; k++) {
        whole[k] = (int32_t)m->x[k].u[c];
        f[k] = m->x[k].f[c];
    }
    return t->to_float && !is_srgb(t, c)
               ? weigh_normal(t, whole, m->w, m->n)
               : weigh_floats(f, m->w, m->n, t->format.bits == 32 ? 24 : HALF_BITS);
}
/* Adds a level's texels. */
static void blend(const struct place *p, const struct texture_level *l, const struct axis *a,
                  unsigned dims, uint32_t layer, int whole, struct mix *m)
{
    weights(a, dims, whole, m->w + m->n);
    for (int k = 0; k < (dims > 2 ? 8 : 4); k++, m->n++)
        m->x[m->n] = m->w[m->n] ? tap(p, l, a, k, layer, true) : (union texel){0};
}
static union texel gather(const struct place *p, const struct texture_level *l,
                          const struct axis *a, uint32_t layer, int component)
{
    static const int order[4] = {2, 3, 1, 0}; /* counter-clockwise, from the lower left */
    union texel v;
    for (int k = 0; k < 4; k++)
        v.u[k] = tap(p, l, a, order[k], layer, false).u[component];
    return v;
}

/* ---- cubes ---- */
/* The face that a direction points to, z before y before x; *s and *t become -1 to 1. */
static uint32_t face_of(const float v[3], float *s, float *t)
{
    float x = fabsf(v[0]), y = fabsf(v[1]), z = fabsf(v[2]);
    if (z >= x && z >= y) {
        *s = (v[2] < 0 ? -v[0] : v[0]) * (1 / z);
        *t = -v[1] * (1 / z);
        return 4 + (v[2] < 0);
    }
    if (y >= x) {
        *s = v[0] * (1 / y);
        *t = (v[1] < 0 ? -v[2] : v[2]) * (1 / y);
        return 2 + (v[1] < 0);
    }
    *s = (v[0] < 0 ? v[2] : -v[2]) * (1 / x);
    *t = -v[1] * (1 / x);
    return v[0] < 0;
}

/* ---- a fetch ---- */
/* What of a level goes into the mix, of ONE `whole`; a gather's result goes to *v. */
static void of_level(const struct place *p, const struct texture_fetch *f,
                     const struct texture_level *l, int whole, struct mix *m, union texel *v)
{
    const struct texture *t = p->t;
    struct axis a[3] = {
        {.inside = {true, true}}, {.inside = {true, true}}, {.inside = {true, true}}};
    const uint32_t size[3] = {l->width, l->height, l->depth};
    uint32_t layer = f->layered ? f->layer : 0, cubes = t->cube ? t->layers / 6 : t->layers;
    unsigned dims = f->cube ? 2 : f->dims;
    float at[3] = {f->at[0], f->at[1], f->at[2]};
    *v = (union texel){0};
    if (!t->layered && !t->cube)
        layer = 0;
    else if (layer >= cubes && f->whole)
        return;
    else if (layer >= cubes)
        layer = cubes - 1;
    if (f->cube) {
        layer = layer * 6 + face_of(f->at, &at[0], &at[1]);
        at[0] = (at[0] + 1) / 2;
        at[1] = (at[1] + 1) / 2;
    }
    bool two = (t->linear && texture_floats(t) && !f->whole && !f->point) || f->gather;
    for (unsigned d = 0; d < dims; d++)
        a[d] = f->whole ? axis_at(f->whole_at[d], size[d])
                        : axis_of(t, at[d], size[d], t->address[d], two);
    if (f->gather)
        *v = gather(p, l, a, layer, f->component);
    else if (two || whole < ONE)
        blend(p, l, a, dims, layer, whole, m);
    else
        *v = tap(p, l, a, 0, layer, false);
}
static float length(const struct texture_level *l, const float *d, unsigned dims)
{
    float x = d[0] * (float)l->width, y = dims > 1 ? d[1] * (float)l->height : 0,
          z = dims > 2 ? d[2] * (float)l->depth : 0;
    return sqrtf(x * x + y * y + z * z);
}
/* Levels have 8 bits behind the point. */
static int fixed_lod(float lod)
{
    return !(lod > -1000) ? -1000 * ONE : lod > 1000 ? 1000 * ONE : (int)floorf(lod * ONE);
}
static int lod_of(const struct texture *t, const struct texture_fetch *f)
{
    float lod = f->whole ? (float)f->whole_lod : f->lod;
    if (f->detail == DETAIL_NONE)
        lod = 0;
    if (f->detail == DETAIL_GRADIENT)
        lod = log2f(
            fmaxf(length(&t->level[0], f->dx, f->dims), length(&t->level[0], f->dy, f->dims)));
    int at = fixed_lod(lod) + fixed_lod(t->bias), last = (int)(t->nlevels - 1) * ONE;
    int least = fixed_lod(t->least), most = fixed_lod(t->most);
    at = at < least ? least : at > most ? most : at;
    return at < 0 ? 0 : at > last ? last : at;
}
void texture_fetch(const struct texture *t, const struct texture_fetch *f, intptr_t delta,
                   uint32_t v[4], struct texture_taps *taps)
{
    struct place p = {t, delta, taps};
    struct texture_fetch plain = *f;
    taps->n = 0;
    if (f->whole && f->detail == DETAIL_LEVEL && (f->dims > 1 || f->layered)) {
        memset(v, 0, 4 * sizeof(*v));
        if (f->whole_lod < 0 || (uint32_t)f->whole_lod >= t->nlevels)
            return;
        plain.whole = false; /* then they are ordinary ones, of points */
        plain.point = true;
        plain.lod = (float)f->whole_lod;
        for (unsigned d = 0; d < 3; d++)
            plain.at[d] = (float)f->whole_at[d];
        f = &plain;
    }
    if (f->dims == 1 && !f->layered && t->rows != f->whole) { /* memory has whole ones alone */
        memset(v, 0, 4 * sizeof(*v));
        return;
    }
    int at = t->nlevels > 1 ? lod_of(t, f) : 0;
    struct mix m = {.n = 0};
    union texel x;
    if (t->mip_linear && texture_floats(t) && t->nlevels > 1) {
        int part[2];
        split(ONE, (uint32_t)at & (ONE - 1), 0, &part[0], &part[1]);
        of_level(&p, f, &t->level[at >> 8], part[0], &m, &x);
        if (part[1])
            of_level(&p, f, &t->level[(at >> 8) + 1], part[1], &m, &x);
    } else {
        of_level(&p, f, &t->level[(at + ONE / 2) / ONE], ONE, &m, &x);
    }
    for (int c = 0; c < 4 && m.n; c++)
        x.f[c] = c < t->format.channels ? weigh(t, &m, c) : 0;
    memcpy(v, x.u, sizeof(x.u));
}

/* ---- sectors ---- */
/* In an array a sector is 16 bytes of each of two rows; memory has them side by side. */
uint64_t texture_sector(const struct texture *t, uint64_t at)
{
    if (t->rows || t->dims == 1)
        return at / 32;
    uint32_t k = 0;
    while (k + 1 < t->nlevels && at >= t->level[k + 1].address)
        k++;
    const struct texture_level *l = &t->level[k];
    uint64_t in = at - l->address, z = in / l->slice, y = in % l->slice / l->pitch,
             x = in % l->pitch;
    return (((uint64_t)k << 20 | z) << 20 | y / 2) << 20 | x / 16;
}
