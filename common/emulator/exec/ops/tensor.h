/* tensor.h - how tensor cores add products: for mma, wmma and wgmma.
 *
 * No document fixes it; Hopper's way was read off an H200 and is kept to bit for bit (the dense
 * rows of cases/ops.txt, cases/wgmma.h200): the exact products and the number that they are added
 * to are cut off so many bits below the largest exponent among them (a product's is the sum of its
 * factors'), added, and the sum is cut off to f32; of e4m3 and e5m2 to fewer bits than it has.
 */
#ifndef EMULATOR_EXEC_TENSOR_H
#define EMULATOR_EXEC_TENSOR_H

#include "lanes.h"

#define TENSOR_COLUMNS 256    /* of one product, at most */
#define LEAST_F32      (-126) /* exponents of subnormals, */
#define LEAST_F16      (-14)  /* as those of the smallest normal numbers */
#define LEAST_E4M3     (-6)
#define OF_ZERO        (-10000) /* takes no part */

/* Bits behind the leading one, of what is added and of a sum; a sum in f16 is not cut off but
 * rounded, whatever the factors. */
struct tensor_bits {
    s32 added, sum;
    bool to_half; /* the f32 that is made keeps in its last bit that something was cut off */
};
static inline struct tensor_bits tensor_bits(unsigned factor, unsigned sum)
{
    bool fp8 = factor == PTX_E4M3 || factor == PTX_E5M2, half = sum == PTX_F16;
    return (struct tensor_bits){fp8 ? 13 : 25, fp8 && !half ? 13 : 23, half};
}

/* 2^k, of k below -126 no more than 2^-126: what is multiplied by it is cut off to 0 */
static inline f32 tensor_power(s32 k)
{
    k = k > LEAST_F32 ? k : LEAST_F32;
    return f32_bits((u32)(k + 127) << 23);
}
/* A finite factor v as part * 2^*e, with |part| in [1, 2), or less where *e is `least`. */
static inline f32 tensor_split(f32 v, s32 least, s32 *e)
{
    s32 x = (s32)(bits_f32(v) >> 23 & 0xff) - 127;
    x = x < least ? least : x;
    *e = v == 0 ? OF_ZERO : x;
    return (f32)((f64)v * f64_bits((u64)(1023 - x) << 52));
}
/* Towards zero to f32; beyond its range infinite; zero is +0. */
static inline f32 cut_to_f32(f64 v, struct tensor_bits bits)
{
    f64 normal = f64_bits(bits_f64(v) & ~0ull << (52 - bits.sum));
    f64 subnormal = trunc(v * 0x1p149) * 0x1p-149;
    f64 r = fabs(v) < 0x1p-126 ? subnormal : normal;
    f32 f = (f32)(fabs(r) >= 0x1p128 ? copysign(INFINITY, r) : r + 0.0);
    return bits.to_half && r != v && isfinite(f) ? f32_bits(bits_f32(f) | 1) : f;
}
/* c[j] += the sum over p of a[p] * b[p * n + j], parts and exponents as tensor_split() makes them:
 * n sums, k products each. */
#ifdef WITH_ASAN /* what is not finite becomes an integer that nobody takes */
__attribute__((no_sanitize("float-cast-overflow")))
#endif
static inline void
tensor_add(f32 *c, u32 n, u32 k, const f32 *a, const s32 *ea, const f32 *b, const s32 *eb,
           struct tensor_bits bits)
{
    enum { AT_A_TIME = 8 }; /* products whose sum an s32 holds: each is below 2^27 */
    s32 top[TENSOR_COLUMNS], kept = bits.added;
    u32 some[TENSOR_COLUMNS]; /* wraps where a factor is not finite, and nobody takes the sum */
    f64 sum[TENSOR_COLUMNS];
    for (u32 j = 0; j < n; j++) {
        s32 e = (s32)(bits_f32(c[j]) >> 23 & 0xff) - 127;
        top[j] = e > LEAST_F32 ? e : LEAST_F32;
    }
    for (u32 p = 0; p < k; p++)
        for (u32 j = 0; j < n; j++) {
            s32 e = ea[p] + eb[p * n + j];
            top[j] = e > top[j] ? e : top[j];
        }
    for (u32 j = 0; j < n; j++) /* c times a power of two is exact in f64 */
        sum[j] = trunc((f64)c[j] * f64_bits((u64)(1023 + kept - top[j]) << 52));
    for (u32 first = 0; first < k; first += AT_A_TIME) {
        for (u32 j = 0; j < n; j++)
            some[j] = 0;
        for (u32 p = first; p < first + AT_A_TIME && p < k; p++)
            for (u32 j = 0; j < n; j++)
                some[j] += (u32)(s32)(a[p] * b[p * n + j] *
                                      tensor_power(ea[p] + eb[p * n + j] - top[j] + kept));
        for (u32 j = 0; j < n; j++)
            sum[j] += (s32)some[j];
    }
    for (u32 j = 0; j < n; j++)
        c[j] = cut_to_f32(sum[j] * f64_bits((u64)(1023 - kept + top[j]) << 52), bits);
}

#endif
