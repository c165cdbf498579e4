/* tensor_test.c - sums of tensor instructions: the fast way (ops/tensor_fast.h) makes the bits that
 * the slow one (ops/tensor.h) makes, or says that it cannot, whatever the bits of the factors. What
 * hardware makes of them: cases/ops.txt, cases/hopper_wgmma.c. */
#define LEVEL base
#include "ops/tensor_fast.h"
#include <criterion/criterion.h>

#ifdef WITH_ASAN /* ten times as slow there, and what it looks for is in each round */
enum { LINES = 24, ROUNDS = 60 };
#else
enum { LINES = 24, ROUNDS = 400 };
#endif
/* What factors and sums look like: any bits; numbers near 1; far apart; most of them zeros; pairs
 * that cancel; the smallest of the type; a few infinities and NaN among zeros and small ones. */
enum kind { ANY, NEAR_ONE, APART, ZEROS, CANCEL, SMALL, SPECIAL, KINDS };

static uint32_t draw(void)
{
    static uint64_t state = 20261123;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}
/* A finite f32 whose exponent is between those. */
static uint32_t number(int least, int most)
{
    uint32_t e = (uint32_t)(127 + least + (int)(draw() % (uint32_t)(most - least + 1)));

    return (draw() & 0x807fffff) | e << 23;
}
static uint32_t of_kind(enum kind kind)
{
    switch (kind) {
    case ANY:
        return draw();
    case NEAR_ONE:
    case CANCEL:
        return number(-4, 3);
    case APART:
        return draw() % 8 ? number(-70, 70) : number(-126, 127);
    case ZEROS:
        return draw() % 8 ? draw() & 0x80000000 : number(-126, 127);
    case SMALL:
        return number(-53, -47);
    default: /* SPECIAL */
        if (draw() % 4096)
            return draw() % 2 ? 0 : number(-14, -12);
        return 0x7f800000 | (draw() % 2 ? draw() : draw() & 0x80000000);
    }
}
/* As an element of the type, in the low bits; of narrow ones any bits will do, near 1 or not. */
static uint32_t element(enum kind kind, unsigned type)
{
    uint32_t v = of_kind(kind), s = v >> 31;
    bool any = kind == ANY || kind == APART;

    if (kind == SMALL && type != PTX_TF32 && type != PTX_BF16)
        return type == PTX_F16 ? draw() & 0x8fff : draw() & 0x8f;
    switch (type) {
    case PTX_TF32:
        return v;
    case PTX_BF16:
        return v >> 16;
    case PTX_F16:
        return any ? v >> 16 : float_to_half(f32_bits(v), 0);
    case PTX_E5M2:
        return any ? v >> 24 : float_to_half(f32_bits(v), 0) >> 8u;
    default: /* PTX_E4M3 */
        return any                    ? v >> 24
               : kind == ZEROS        ? s << 7
               : v << 1 >= 0xff000000 ? 0x7f
                                      : v >> 24 & 0xbf;
    }
}
static u32 bytes_of(unsigned type)
{
    return type == PTX_TF32 ? 4 : type == PTX_E4M3 || type == PTX_E5M2 ? 1 : 2;
}
static void fill(uint8_t *to, unsigned type, u32 n, enum kind kind)
{
    for (u32 i = 0; i < n; i++) {
        uint32_t v = element(kind, type);

        memcpy(to + (size_t)i * bytes_of(type), &v, bytes_of(type));
    }
}

struct product {
    unsigned type, sum;
    u32 k;
    uint8_t x[TENSOR_K * WIDE * 4], y[LINES * TENSOR_K * 4];
    f32 xv[TENSOR_K * WIDE], yv[LINES * TENSOR_K];
    s32 xe[TENSOR_K * WIDE], ye[LINES * TENSOR_K];
    u32 c[LINES * WIDE];
};
static void make(struct product *m, enum kind kind)
{
    u32 bytes = bytes_of(m->type);

    fill(m->x, m->type, m->k * WIDE, kind);
    fill(m->y, m->type, m->k * LINES, kind);
    for (u32 p = 1; p < m->k && kind == CANCEL; p += 2) {
        memcpy(m->x + p * WIDE * bytes, m->x + (p - 1) * WIDE * bytes, WIDE * bytes);
        for (u32 i = 0; i < WIDE; i++) /* but for a few, whose last bits differ */
            m->x[(p * WIDE + i + 1) * bytes - 1] ^= 0x80;
        for (u32 i = 0; i < WIDE; i++)
            m->x[(p * WIDE + i) * bytes] ^= draw() % 4 == 0;
        for (u32 j = 0; j < LINES; j++)
            memcpy(m->y + (j * m->k + p) * bytes, m->y + (j * m->k + p - 1) * bytes, bytes);
    }
    for (u32 i = 0; i < LINES * WIDE; i++) {
        uint32_t v = of_kind(kind);

        m->c[i] = m->sum == PTX_F16 ? half_bits(float_to_half(f32_bits(v), 0)) : v;
    }
}
/* c of line j and place i as the slow way makes it; false where something is not finite */
static bool slowly(const struct product *m, u32 j, u32 i, u32 *sum)
{
    s32 least = least_exponent(m->type), ea[TENSOR_K], eb[TENSOR_K];
    f32 a[TENSOR_K], b[TENSOR_K], c = f32_bits(m->c[j * WIDE + i]);
    bool finite = isfinite(c);

    for (u32 p = 0; p < m->k; p++) {
        f32 x = m->xv[p * WIDE + i], y = m->yv[j * m->k + p];

        finite = finite && isfinite(x) && isfinite(y);
        a[p] = tensor_split(x, least, &ea[p]);
        b[p] = tensor_split(y, least, &eb[p]);
    }
    if (finite)
        tensor_add(&c, 1, m->k, a, ea, b, eb, tensor_bits(m->type, m->sum));
    *sum = bits_f32(c);
    return finite;
}
/* True where the fast way was gone to its end, whose sums are then the slow one's. */
static bool agree(struct product *m, enum kind kind)
{
    u32 fast[LINES * WIDE], want;

    make(m, kind);
    memcpy(fast, m->c, sizeof(fast));
    bool went = tensor_read(m->x, m->type, m->k * WIDE, false, m->xv, m->xe);
    went &= tensor_read(m->y, m->type, m->k * LINES, false, m->yv, m->ye);
    went = went &&
           tensor_lines(fast, LINES, WIDE, m->k, &(struct tensor_side){m->xv, m->xe, 1, WIDE},
                        &(struct tensor_side){m->yv, m->ye, m->k, 1}, tensor_bits(m->type, m->sum));
    for (u32 j = 0; j < LINES && went; j++)
        for (u32 i = 0; i < WIDE; i++) {
            cr_assert(slowly(m, j, i, &want), "type %u, kind %d: not finite, and not seen", m->type,
                      kind);
            cr_assert_eq(fast[j * WIDE + i], want, "type %u, k %u, kind %d: %08x, not %08x",
                         m->type, m->k, kind, fast[j * WIDE + i], want);
        }
    return went;
}

static const struct {
    unsigned type, sum;
    u32 k;
} products[] = {{PTX_F16, PTX_F32, 8},   {PTX_F16, PTX_F32, 16},  {PTX_F16, PTX_F16, 8},
                {PTX_F16, PTX_F16, 16},  {PTX_BF16, PTX_F32, 8},  {PTX_BF16, PTX_F32, 16},
                {PTX_TF32, PTX_F32, 4},  {PTX_TF32, PTX_F32, 8},  {PTX_E4M3, PTX_F32, 32},
                {PTX_E4M3, PTX_F16, 32}, {PTX_E5M2, PTX_F32, 32}, {PTX_E5M2, PTX_F16, 32}};

Test(tensor, the_fast_way_is_the_slow_one_or_none)
{
    static struct product m;

    for (size_t k = 0; k < sizeof(products) / sizeof(products[0]); k++) {
        int went[KINDS] = {0};

        m.type = products[k].type;
        m.sum = products[k].sum;
        m.k = products[k].k;
        for (int i = 0; i < ROUNDS; i++)
            for (enum kind kind = 0; kind < KINDS; kind++)
                went[kind] += agree(&m, kind);
        cr_expect_eq(went[NEAR_ONE], ROUNDS);
        cr_expect_eq(went[CANCEL], ROUNDS);
        cr_expect_eq(went[SMALL], ROUNDS);
        cr_expect_eq(went[ANY], 0);
        cr_expect(went[SPECIAL] > 0 && went[SPECIAL] < ROUNDS);
    }
}

/* The numbers at the edges of what goes fast: one product and one sum each. */
Test(tensor, the_edges)
{
    static struct product m = {.type = PTX_TF32, .sum = PTX_F32, .k = 4};
    int went = 0, all = 0;
    u32 fast[WIDE], want;

    for (int e = -126; e <= 127; e++)
        for (int f = -126; f <= 127; f++, all++) {
            u32 x[4 * WIDE] = {0}, y[4] = {number(f / 2, f / 2)};

            for (u32 i = 0; i < WIDE; i++) {
                x[i] = number(e, e);
                fast[i] = m.c[i] = i % 3 ? number(f, f) : 0;
            }
            tensor_read(x, PTX_TF32, m.k * WIDE, false, m.xv, m.xe);
            tensor_read(y, PTX_TF32, m.k, false, m.yv, m.ye);
            if (!tensor_lines(fast, 1, WIDE, m.k, &(struct tensor_side){m.xv, m.xe, 1, WIDE},
                              &(struct tensor_side){m.yv, m.ye, m.k, 1},
                              tensor_bits(PTX_TF32, PTX_F32)))
                continue;
            went++;
            for (u32 i = 0; i < WIDE; i++) {
                cr_assert(slowly(&m, 0, i, &want));
                cr_assert_eq(fast[i], want, "2^%d * 2^%d + 2^%d: %08x, not %08x", e, f / 2, f,
                             fast[i], want);
            }
        }
    cr_expect(went > all / 2 && went < all, "%d of %d", went, all);
}

Test(tensor, converts_as_half_does)
{
    for (u32 h = 0; h < 0x10000; h++)
        cr_assert_eq(half_bits(h), bits_f32(half_to_float((u16)h)), "%04x", h);
    for (u32 b = 0; b < 0x80; b++) {
        u32 e = b >> 3, m = b & 7;
        f64 want = e ? ldexp(8 + m, (int)e - 10) : ldexp(m, -9);

        cr_assert(b == 0x7f ? isnan(f32_bits(e4m3_bits(b))) : f32_bits(e4m3_bits(b)) == want,
                  "%02x", b);
        cr_assert_eq(e4m3_bits(b | 0x80), e4m3_bits(b) | 0x80000000);
    }
    for (int i = 0; i < 1 << 20; i++) {
        u32 u = i % 2 ? number(-27, 17) & ~(draw() % 2 * 0xfffu) : draw();

        if (!isnan(f32_bits(u)))
            cr_assert_eq(tensor_to_half(u), sum_to_half(f32_bits(u)), "%08x", u);
    }
}

Test(tensor, adds_whole_numbers)
{
    static f32 x[TENSOR_K * WIDE], y[TENSOR_K];
    static const u32 ks[] = {16, 32};

    for (int round = 0; round < 10 * ROUNDS; round++) {
        u32 k = ks[round % 2], c[WIDE], before[WIDE];
        int least = round % 3 ? -128 : 0; /* s8 or u8 */
        bool saturates = round % 5 == 0;

        for (u32 i = 0; i < k * WIDE; i++)
            x[i] = (f32)((int)(draw() % 256) + least);
        for (u32 i = 0; i < k; i++)
            y[i] = (f32)((int)(draw() % 256) + least);
        for (u32 i = 0; i < WIDE; i++)
            before[i] = c[i] = round % 7 ? draw() : (u32)INT32_MAX + draw() % 4096;
        tensor_whole_lines(c, 1, WIDE, k, &(struct tensor_side){x, NULL, 1, WIDE},
                           &(struct tensor_side){y, NULL, k, 1}, saturates);
        for (u32 i = 0; i < WIDE; i++) {
            s64 sum = (s32)before[i];

            for (u32 p = 0; p < k; p++)
                sum += (s64)x[p * WIDE + i] * (s64)y[p];
            if (saturates)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            cr_assert_eq(c[i], (u32)sum);
        }
    }
}
