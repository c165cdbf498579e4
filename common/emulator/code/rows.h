/* rows.h - lane-wise integer and floating-point handlers, one row each: the body is all there is.
 *
 * Expanded into handlers (exec/ops/alu.c) and into the list of them (handlers.def). Row: family,
 * its tag (handlers.h), destination type, source types, result from a, b, c. Rows without a
 * family have their handler's name instead.
 */
#ifndef EMULATOR_ROWS_H
#define EMULATOR_ROWS_H

/* clang-format off */
#define ROWS_1(X)                                                      \
    X(mov, 16, u16, u16, a)                                            \
    X(mov, 32, u32, u32, a)                                            \
    X(mov, 64, u64, u64, a)                                            \
    X(not, 16, u16, u16, ~a)                                           \
    X(not, 32, u32, u32, ~a)                                           \
    X(not, 64, u64, u64, ~a)                                           \
    X(cnot, 16, u16, u16, a == 0)                                      \
    X(cnot, 32, u32, u32, a == 0)                                      \
    X(cnot, 64, u64, u64, a == 0)                                      \
    X(neg, s16, u16, u16, -a)                                          \
    X(neg, s32, u32, u32, -a)                                          \
    X(neg, s64, u64, u64, -a)                                          \
    X(abs, s16, u16, s16, a < 0 ? -a : a)                              \
    X(abs, s32, u32, s32, a < 0 ? -(u32)a : (u32)a)                    \
    X(abs, s64, u64, s64, a < 0 ? -(u64)a : (u64)a)                    \
    X(neg, f64, u64, u64, is_nan64(a) ? a | QUIET : a ^ 1ull << 63)    \
    X(abs, f64, u64, u64, is_nan64(a) ? a | QUIET : a & ~(1ull << 63)) \
    X(rcp, f32, f32, f32, canonical(1.0f / a))                         \
    X(rcp, f64, f64, f64, nan1(1.0 / a, a))                            \
    X(sqrt, f32, f32, f32, canonical(sqrtf(a)))                        \
    X(sqrt, f64, f64, f64, nan1(sqrt(a), a))

#define ROWS_2(X)                                                                                   \
    X(add, 16, u16, u16, u16, a + b)                                                                \
    X(add, 32, u32, u32, u32, a + b)                                                                \
    X(add, 64, u64, u64, u64, a + b)                                                                \
    X(sub, 16, u16, u16, u16, a - b)                                                                \
    X(sub, 32, u32, u32, u32, a - b)                                                                \
    X(sub, 64, u64, u64, u64, a - b)                                                                \
    X(mul_lo, 16, u16, u16, u16, (u32)a * b)                                                        \
    X(mul_lo, 32, u32, u32, u32, a * b)                                                             \
    X(mul_lo, 64, u64, u64, u64, a * b)                                                             \
    X(mul_hi, u16, u16, u16, u16, ((u32)a * b) >> 16)                                               \
    X(mul_hi, s16, u16, s16, s16, ((s32)a * b) >> 16)                                               \
    X(mul_hi, u32, u32, u32, u32, ((u64)a * b) >> 32)                                               \
    X(mul_hi, s32, u32, s32, s32, ((s64)a * b) >> 32)                                               \
    X(mul_hi, u64, u64, u64, u64, ((u128)a * b) >> 64)                                              \
    X(mul_hi, s64, u64, s64, s64, ((s128)a * b) >> 64)                                              \
    X(mul_wide, u16, u32, u16, u16, (u32)a * b)                                                     \
    X(mul_wide, s16, s32, s16, s16, (s32)a * b)                                                     \
    X(mul_wide, u32, u64, u32, u32, (u64)a * b)                                                     \
    X(mul_wide, s32, s64, s32, s32, (s64)a * b)                                                     \
    X(and, 16, u16, u16, u16, a & b)                                                                \
    X(and, 32, u32, u32, u32, a & b)                                                                \
    X(and, 64, u64, u64, u64, a & b)                                                                \
    X(or, 16, u16, u16, u16, a | b)                                                                 \
    X(or, 32, u32, u32, u32, a | b)                                                                 \
    X(or, 64, u64, u64, u64, a | b)                                                                 \
    X(xor, 16, u16, u16, u16, a ^ b)                                                                \
    X(xor, 32, u32, u32, u32, a ^ b)                                                                \
    X(xor, 64, u64, u64, u64, a ^ b)                                                                \
    X(shl, 16, u16, u16, u32, b > 15 ? 0 : (u32)a << b)                                             \
    X(shl, 32, u32, u32, u32, b > 31 ? 0 : a << (b & 31))                                           \
    X(shl, 64, u64, u64, u32, b > 63 ? 0 : a << (b & 63))                                           \
    X(shr, u16, u16, u16, u32, b > 15 ? 0 : a >> (b & 15))                                          \
    X(shr, u32, u32, u32, u32, b > 31 ? 0 : a >> (b & 31))                                          \
    X(shr, u64, u64, u64, u32, b > 63 ? 0 : a >> (b & 63))                                          \
    X(shr, s16, s16, s16, u32, a >> (b > 15 ? 15 : b))                                              \
    X(shr, s32, s32, s32, u32, a >> (b > 31 ? 31 : b))                                              \
    X(shr, s64, s64, s64, u32, a >> (b > 63 ? 63 : b))                                              \
    X(min, u16, u16, u16, u16, a < b ? a : b)                                                       \
    X(min, s16, s16, s16, s16, a < b ? a : b)                                                       \
    X(min, u32, u32, u32, u32, a < b ? a : b)                                                       \
    X(min, s32, s32, s32, s32, a < b ? a : b)                                                       \
    X(min, u64, u64, u64, u64, a < b ? a : b)                                                       \
    X(min, s64, s64, s64, s64, a < b ? a : b)                                                       \
    X(max, u16, u16, u16, u16, a > b ? a : b)                                                       \
    X(max, s16, s16, s16, s16, a > b ? a : b)                                                       \
    X(max, u32, u32, u32, u32, a > b ? a : b)                                                       \
    X(max, s32, s32, s32, s32, a > b ? a : b)                                                       \
    X(max, u64, u64, u64, u64, a > b ? a : b)                                                       \
    X(max, s64, s64, s64, s64, a > b ? a : b)                                                       \
    X(min_relu, s32, s32, s32, s32, (a < b ? a : b) < 0 ? 0 : a < b ? a : b)                        \
    X(max_relu, s32, s32, s32, s32, (a > b ? a : b) < 0 ? 0 : a > b ? a : b)                        \
    X(div, u16, u16, u16, u16, b ? a / b : 0xffff)                                                  \
    X(div, s16, s16, s16, s16, b == 0 ? -1 : a / b)                                                 \
    X(div, u32, u32, u32, u32, b ? (u32)((f64)a / (f64)b) : 0xffffffffu)                            \
    X(div, s32, s32, s32, s32, b == 0 ? -1 : b == -1 ? (s32)(0u - (u32)a) : (s32)((f64)a / (f64)b)) \
    X(div, u64, u64, u64, u64, b ? a / b : ~0ull)                                                   \
    X(div, s64, s64, s64, s64, b == 0 ? -1 : b == -1 ? (s64)(0ull - (u64)a) : a / b)                \
    X(rem, u16, u16, u16, u16, b ? a % b : 0xffff)                                                  \
    X(rem, s16, s16, s16, s16, b == 0 ? -1 : a % b)                                                 \
    X(rem, u32, u32, u32, u32, b ? a - (u32)((f64)a / (f64)b) * b : 0xffffffffu)                    \
    X(rem, s32, s32, s32, s32, b == 0 ? -1 : b == -1 ? 0 : a - (s32)((f64)a / (f64)b) * b)          \
    X(rem, u64, u64, u64, u64, b ? a % b : ~0ull)                                                   \
    X(rem, s64, s64, s64, s64, b == 0 ? -1 : b == -1 ? 0 : a % b)                                   \
    X(add, f32, f32, f32, f32, canonical(a + b))                                                    \
    X(sub, f32, f32, f32, f32, canonical(a - b))                                                    \
    X(mul, f32, f32, f32, f32, canonical(a * b))                                                    \
    X(div, f32, f32, f32, f32, canonical(a / b))                                                    \
    X(add, f64, f64, f64, f64, nan2(a + b, a, b))                                                   \
    X(sub, f64, f64, f64, f64, nan2(a - b, a, b))                                                   \
    X(mul, f64, f64, f64, f64, nan2(a * b, a, b))                                                   \
    X(div, f64, f64, f64, f64, nan2(a / b, b, a))                                                   \
    X(add_sat, s32, s32, s32, s32, clamp_s32((s64)a + b))                                           \
    X(sub_sat, s32, s32, s32, s32, clamp_s32((s64)a - b))

#define ROWS_3(X)                                                                                             \
    X(mad_lo, 16, u16, u16, u16, u16, (u32)a * b + c)                                                         \
    X(mad_lo, 32, u32, u32, u32, u32, a * b + c)                                                              \
    X(mad_lo, 64, u64, u64, u64, u64, a * b + c)                                                              \
    X(mad_hi, u16, u16, u16, u16, u16, (((u32)a * b) >> 16) + c)                                              \
    X(mad_hi, s16, u16, s16, s16, u16, (u32)(((s32)a * b) >> 16) + c)                                         \
    X(mad_hi, u32, u32, u32, u32, u32, (u32)(((u64)a * b) >> 32) + c)                                         \
    X(mad_hi, s32, u32, s32, s32, u32, (u32)(((s64)a * b) >> 32) + c)                                         \
    X(mad_hi_sat, s32, s32, s32, s32, s32, clamp_s32((((s64)a * b) >> 32) + c))                               \
    X(mad_hi, u64, u64, u64, u64, u64, (u64)(((u128)a * b) >> 64) + c)                                        \
    X(mad_hi, s64, u64, s64, s64, u64, (u64)(((s128)a * b) >> 64) + c)                                        \
    X(mad_wide, u16, u32, u16, u16, u32, (u32)a * b + c)                                                      \
    X(mad_wide, s16, u32, s16, s16, u32, (u32)((s32)a * b) + c)                                               \
    X(mad_wide, u32, u64, u32, u32, u64, (u64)a * b + c)                                                      \
    X(mad_wide, s32, u64, s32, s32, u64, (u64)((s64)a * b) + c)                                               \
    X(fma, f32, f32, f32, f32, f32, canonical(fmaf(a, b, c)))                                                 \
    X(fma, f64, f64, f64, f64, f64, nan3(fma(a, b, c), a, b, c))                                              \
    X(sad, u16, u16, u16, u16, u16, c + (a < b ? b - a : a - b))                                              \
    X(sad, s16, u16, s16, s16, u16, c + (a < b ? b - a : a - b))                                              \
    X(sad, u32, u32, u32, u32, u32, c + (a < b ? b - a : a - b))                                              \
    X(sad, s32, u32, s32, s32, u32, c + (a < b ? (u32)b - (u32)a : (u32)a - (u32)b))                          \
    X(sad, u64, u64, u64, u64, u64, c + (a < b ? b - a : a - b))                                              \
    X(sad, s64, u64, s64, s64, u64, c + (a < b ? (u64)b - (u64)a : (u64)a - (u64)b))                          \
    X(slct_s32, 16, u16, u16, u16, s32, c >= 0 ? a : b)                                                       \
    X(slct_s32, 32, u32, u32, u32, s32, c >= 0 ? a : b)                                                       \
    X(slct_s32, 64, u64, u64, u64, s32, c >= 0 ? a : b)                                                       \
    X(slct_f32, 16, u16, u16, u16, f32, c >= 0 ? a : b)                                                       \
    X(slct_f32, 32, u32, u32, u32, f32, c >= 0 ? a : b)                                                       \
    X(slct_f32, 64, u64, u64, u64, f32, c >= 0 ? a : b)                                                       \
    X(mul24_lo, u32, u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c)                                 \
    X(mul24_lo, s32, u32, u32, u32, u32, (u32)((s32)(a << 8) >> 8) * (u32)((s32)(b << 8) >> 8) + c)           \
    X(mul24_hi, u32, u32, u32, u32, u32, (u32)(((u64)(a & 0xffffff) * (b & 0xffffff)) >> 16) + c)             \
    X(mul24_hi, s32, u32, u32, u32, u32, (u32)(((s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8)) >> 16) + c) \
    X(slct_f32x, 16, u16, u16, u16, f32, c > -0x1p-126f ? a : b)                                              \
    X(slct_f32x, 32, u32, u32, u32, f32, c > -0x1p-126f ? a : b)                                              \
    X(slct_f32x, 64, u64, u64, u64, f32, c > -0x1p-126f ? a : b)

/* handler, destination type, source type, result from a */
#define CONVERSION_ROWS(X)                        \
    X(zext_16_32, u32, u16, a)                    \
    X(sext_16_32, s32, s16, a)                    \
    X(zext_16_64, u64, u16, a)                    \
    X(sext_16_64, s64, s16, a)                    \
    X(zext_32_64, u64, u32, a)                    \
    X(sext_32_64, s64, s32, a)                    \
    X(trunc_32_16, u16, u32, a)                   \
    X(trunc_64_16, u16, u64, a)                   \
    X(trunc_64_32, u32, u64, a)                   \
    X(zext8_16_16, u16, u16, (u8)a)               \
    X(zext8_32_32, u32, u32, (u8)a)               \
    X(zext16_32_32, u32, u32, (u16)a)             \
    X(sext16_32_32, s32, s32, (s16)a)             \
    X(sext8_16_16, u16, u16, (s16)(s8)a)          \
    X(sext8_32_32, s32, s32, (s8)a)               \
    X(sext8_16_32, s32, u16, (s8)a)               \
    X(cvt_f32_bf16, u32, u16, (u32)a << 16)       \
    X(cvt_f32_s32, f32, s32, (f32)a)              \
    X(cvt_f32_u32, f32, u32, (f32)a)              \
    X(cvt_f64_s32, f64, s32, (f64)a)              \
    X(cvt_f64_u32, f64, u32, (f64)a)              \
    X(cvt_f64_f32, f64, f32, (f64)a)              \
    X(cvt_f32_f64, f32, f64, (f32)a)              \
    X(cvta_shared, u64, u64, a + MEM_SHARED_BASE) \
    X(cvta_local, u64, u64, a + MEM_LOCAL_BASE)   \
    X(cvta_param, u64, u64, a + MEM_PARAM_BASE)   \
    X(uncvta, u64, u64, a & ~MEM_WINDOW_MASK)

/* the same of three sources: funnel shifts */
#define SHIFT_ROWS(X)                                                                          \
    X(shf_l_clamp, u32, u32, u32, u32, (u32)((((u64)b << 32 | a) << (c > 32 ? 32 : c)) >> 32)) \
    X(shf_l_wrap, u32, u32, u32, u32, (u32)((((u64)b << 32 | a) << (c & 31)) >> 32))           \
    X(shf_r_clamp, u32, u32, u32, u32, (u32)(((u64)b << 32 | a) >> (c > 32 ? 32 : c)))         \
    X(shf_r_wrap, u32, u32, u32, u32, (u32)(((u64)b << 32 | a) >> (c & 31)))

/* Comparisons: a handler of setp and of set for each type; is it a float? */
#define COMPARISON_ROWS(X) \
    X(16, u16, 0)          \
    X(u16, u16, 0)         \
    X(s16, s16, 0)         \
    X(32, u32, 0)          \
    X(u32, u32, 0)         \
    X(s32, s32, 0)         \
    X(64, u64, 0)          \
    X(u64, u64, 0)         \
    X(s64, s64, 0)         \
    X(f32, f32, 1)         \
    X(f64, f64, 1)

/* clang-format on */
#endif
