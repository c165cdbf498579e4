/* alu_rows.h - lane-wise integer and floating-point instructions, one row each.
 *
 * Expanded into handlers (exec_alu.c) and into the list of handler names (handlers_list.h).
 * Row: name, destination type, source types, result from a, b, c.
 */
/* clang-format off */
#define ALU1_ROWS(X)                                                  \
    X(mov_16, u16, u16, a)                                            \
    X(mov_32, u32, u32, a)                                            \
    X(mov_64, u64, u64, a)                                            \
    X(not_16, u16, u16, ~a)                                           \
    X(not_32, u32, u32, ~a)                                           \
    X(not_64, u64, u64, ~a)                                           \
    X(cnot_16, u16, u16, a == 0)                                      \
    X(cnot_32, u32, u32, a == 0)                                      \
    X(cnot_64, u64, u64, a == 0)                                      \
    X(neg_s16, u16, u16, -a)                                          \
    X(neg_s32, u32, u32, -a)                                          \
    X(neg_s64, u64, u64, -a)                                          \
    X(abs_s16, u16, s16, a < 0 ? -a : a)                              \
    X(abs_s32, u32, s32, a < 0 ? -(u32)a : (u32)a)                    \
    X(abs_s64, u64, s64, a < 0 ? -(u64)a : (u64)a)                    \
    X(neg_f64, u64, u64, is_nan64(a) ? a | QUIET : a ^ 1ull << 63)    \
    X(abs_f64, u64, u64, is_nan64(a) ? a | QUIET : a & ~(1ull << 63)) \
    X(zext_16_32, u32, u16, a)                                        \
    X(sext_16_32, s32, s16, a)                                        \
    X(zext_16_64, u64, u16, a)                                        \
    X(sext_16_64, s64, s16, a)                                        \
    X(zext_32_64, u64, u32, a)                                        \
    X(sext_32_64, s64, s32, a)                                        \
    X(trunc_32_16, u16, u32, a)                                       \
    X(trunc_64_16, u16, u64, a)                                       \
    X(trunc_64_32, u32, u64, a)                                       \
    X(zext8_16_16, u16, u16, (u8)a)                                   \
    X(zext8_32_32, u32, u32, (u8)a)                                   \
    X(zext16_32_32, u32, u32, (u16)a)                                 \
    X(sext16_32_32, s32, s32, (s16)a)                                 \
    X(sext8_16_16, u16, u16, (s16)(s8)a)                              \
    X(sext8_32_32, s32, s32, (s8)a)                                   \
    X(sext8_16_32, s32, u16, (s8)a)                                   \
    X(cvt_f32_bf16, u32, u16, (u32)a << 16)                           \
    X(cvt_f32_s32, f32, s32, (f32)a)                                  \
    X(cvt_f32_u32, f32, u32, (f32)a)                                  \
    X(cvt_f64_s32, f64, s32, (f64)a)                                  \
    X(cvt_f64_u32, f64, u32, (f64)a)                                  \
    X(cvt_f64_f32, f64, f32, (f64)a)                                  \
    X(cvt_f32_f64, f32, f64, (f32)a)                                  \
    X(cvta_shared, u64, u64, a + MEM_SHARED_BASE)                     \
    X(cvta_local, u64, u64, a + MEM_LOCAL_BASE)                       \
    X(cvta_param, u64, u64, a + MEM_PARAM_BASE)                       \
    X(uncvta, u64, u64, a & ~MEM_WINDOW_MASK)                         \
    X(rcp_f32, f32, f32, canonical(1.0f / a))                         \
    X(rcp_f64, f64, f64, nan1(1.0 / a, a))                            \
    X(sqrt_f32, f32, f32, canonical(sqrtf(a)))                        \
    X(sqrt_f64, f64, f64, nan1(sqrt(a), a))

#define ALU2_ROWS(X)                                                                               \
    X(add_16, u16, u16, u16, a + b)                                                                \
    X(add_32, u32, u32, u32, a + b)                                                                \
    X(add_64, u64, u64, u64, a + b)                                                                \
    X(sub_16, u16, u16, u16, a - b)                                                                \
    X(sub_32, u32, u32, u32, a - b)                                                                \
    X(sub_64, u64, u64, u64, a - b)                                                                \
    X(mul_lo_16, u16, u16, u16, (u32)a * b)                                                        \
    X(mul_lo_32, u32, u32, u32, a * b)                                                             \
    X(mul_lo_64, u64, u64, u64, a * b)                                                             \
    X(mul_hi_u16, u16, u16, u16, ((u32)a * b) >> 16)                                               \
    X(mul_hi_s16, u16, s16, s16, ((s32)a * b) >> 16)                                               \
    X(mul_hi_u32, u32, u32, u32, ((u64)a * b) >> 32)                                               \
    X(mul_hi_s32, u32, s32, s32, ((s64)a * b) >> 32)                                               \
    X(mul_hi_u64, u64, u64, u64, ((u128)a * b) >> 64)                                              \
    X(mul_hi_s64, u64, s64, s64, ((s128)a * b) >> 64)                                              \
    X(mul_wide_u16, u32, u16, u16, (u32)a * b)                                                     \
    X(mul_wide_s16, s32, s16, s16, (s32)a * b)                                                     \
    X(mul_wide_u32, u64, u32, u32, ( u64)a * b)                                                    \
    X(mul_wide_s32, s64, s32, s32, (s64)a * b)                                                     \
    X(and_16, u16, u16, u16, a & b)                                                                \
    X(and_32, u32, u32, u32, a & b)                                                                \
    X(and_64, u64, u64, u64, a & b)                                                                \
    X(or_16, u16, u16, u16, a | b)                                                                 \
    X(or_32, u32, u32, u32, a | b)                                                                 \
    X(or_64, u64, u64, u64, a | b)                                                                 \
    X(xor_16, u16, u16, u16, a ^ b)                                                                \
    X(xor_32, u32, u32, u32, a ^ b)                                                                \
    X(xor_64, u64, u64, u64, a ^ b)                                                                \
    X(shl_16, u16, u16, u32, b > 15 ? 0 : (u32)a << b)                                             \
    X(shl_32, u32, u32, u32, b > 31 ? 0 : a << (b & 31))                                           \
    X(shl_64, u64, u64, u32, b > 63 ? 0 : a << (b & 63))                                           \
    X(shr_u16, u16, u16, u32, b > 15 ? 0 : a >> (b & 15))                                          \
    X(shr_u32, u32, u32, u32, b > 31 ? 0 : a >> (b & 31))                                          \
    X(shr_u64, u64, u64, u32, b > 63 ? 0 : a >> (b & 63))                                          \
    X(shr_s16, s16, s16, u32, a >> (b > 15 ? 15 : b))                                              \
    X(shr_s32, s32, s32, u32, a >> (b > 31 ? 31 : b))                                              \
    X(shr_s64, s64, s64, u32, a >> (b > 63 ? 63 : b))                                              \
    X(min_u16, u16, u16, u16, a < b ? a : b)                                                       \
    X(min_s16, s16, s16, s16, a < b ? a : b)                                                       \
    X(min_u32, u32, u32, u32, a < b ? a : b)                                                       \
    X(min_s32, s32, s32, s32, a < b ? a : b)                                                       \
    X(min_u64, u64, u64, u64, a < b ? a : b)                                                       \
    X(min_s64, s64, s64, s64, a < b ? a : b)                                                       \
    X(max_u16, u16, u16, u16, a > b ? a : b)                                                       \
    X(max_s16, s16, s16, s16, a > b ? a : b)                                                       \
    X(max_u32, u32, u32, u32, a > b ? a : b)                                                       \
    X(max_s32, s32, s32, s32, a > b ? a : b)                                                       \
    X(max_u64, u64, u64, u64, a > b ? a : b)                                                       \
    X(max_s64, s64, s64, s64, a > b ? a : b)                                                       \
    X(min_relu_s32, s32, s32, s32, (a < b ? a : b) < 0 ? 0 : a < b ? a : b)                        \
    X(max_relu_s32, s32, s32, s32, (a > b ? a : b) < 0 ? 0 : a > b ? a : b)                        \
    X(div_u16, u16, u16, u16, b ? a / b : 0xffff)                                                  \
    X(div_s16, s16, s16, s16, b == 0 ? -1 : a / b)                                                 \
    X(div_u32, u32, u32, u32, b ? (u32)((f64)a / (f64)b) : 0xffffffffu)                            \
    X(div_s32, s32, s32, s32, b == 0 ? -1 : b == -1 ? (s32)(0u - (u32)a) : (s32)((f64)a / (f64)b)) \
    X(div_u64, u64, u64, u64, b ? a / b : ~0ull)                                                   \
    X(div_s64, s64, s64, s64, b == 0 ? -1 : b == -1 ? (s64)(0ull - (u64)a) : a / b)                \
    X(rem_u16, u16, u16, u16, b ? a % b : 0xffff)                                                  \
    X(rem_s16, s16, s16, s16, b == 0 ? -1 : a % b)                                                 \
    X(rem_u32, u32, u32, u32, b ? a - (u32)((f64)a / (f64)b) * b : 0xffffffffu)                    \
    X(rem_s32, s32, s32, s32, b == 0 ? -1 : b == -1 ? 0 : a - (s32)((f64)a / (f64)b) * b)          \
    X(rem_u64, u64, u64, u64, b ? a % b : ~0ull)                                                   \
    X(rem_s64, s64, s64, s64, b == 0 ? -1 : b == -1 ? 0 : a % b)                                   \
    X(add_f32, f32, f32, f32, canonical(a + b))                                                    \
    X(sub_f32, f32, f32, f32, canonical(a - b))                                                    \
    X(mul_f32, f32, f32, f32, canonical(a * b))                                                    \
    X(div_f32, f32, f32, f32, canonical( a / b))                                                   \
    X(add_f64, f64, f64, f64, nan2(a + b, a, b))                                                   \
    X(sub_f64, f64, f64, f64, nan2(a - b, a, b))                                                   \
    X(mul_f64, f64, f64, f64, nan2(a * b, a, b))                                                   \
    X(div_f64, f64, f64, f64, nan2(a / b, b, a))                                                   \
    X(add_sat_s32, s32, s32, s32, clamp_s32( (s64) a + b))                                         \
    X(sub_sat_s32, s32, s32, s32, clamp_s32( (s64) a - b))

#define ALU3_ROWS(X)                                                                                         \
    X(mad_lo_16, u16, u16, u16, u16, (u32)a * b + c)                                                         \
    X(mad_lo_32, u32, u32, u32, u32, a * b + c)                                                              \
    X(mad_lo_64, u64, u64, u64, u64, a * b + c)                                                              \
    X(mad_hi_u16, u16, u16, u16, u16, (((u32)a * b) >> 16) + c)                                              \
    X(mad_hi_s16, u16, s16, s16, u16, (u32)(((s32)a * b) >> 16) + c)                                         \
    X(mad_hi_u32, u32, u32, u32, u32, (u32)(((u64)a * b) >> 32) + c)                                         \
    X(mad_hi_s32, u32, s32, s32, u32, (u32)(((s64)a * b) >> 32) + c)                                         \
    X(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32((((s64)a * b) >> 32) + c))                               \
    X(mad_hi_u64, u64, u64, u64, u64, (u64)(((u128)a * b) >> 64) + c)                                        \
    X(mad_hi_s64, u64, s64, s64, u64, (u64)(((s128)a * b) >> 64) + c)                                        \
    X(mad_wide_u16, u32, u16, u16, u32, (u32)a * b + c)                                                      \
    X(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a * b) + c)                                               \
    X(mad_wide_u32, u64, u32, u32, u64, (u64)a * b + c)                                                      \
    X(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a * b) + c)                                               \
    X(fma_f32, f32, f32, f32, f32, canonical( fmaf(a, b, c)))                                                \
    X(fma_f64, f64, f64, f64, f64, nan3(fma(a, b, c), a, b, c))                                              \
    X(sad_u16, u16, u16, u16, u16, c + (a < b ? b - a : a - b))                                              \
    X(sad_s16, u16, s16, s16, u16, c + (a < b ? b - a : a - b))                                              \
    X(sad_u32, u32, u32, u32, u32, c + (a < b ? b - a : a - b))                                              \
    X(sad_s32, u32, s32, s32, u32, c + (a < b ? (u32)b - (u32)a : (u32)a - (u32)b))                          \
    X(sad_u64, u64, u64, u64, u64, c + (a < b ? b - a : a - b))                                              \
    X(sad_s64, u64, s64, s64, u64, c + (a < b ? (u64)b - (u64)a : (u64)a - (u64)b))                          \
    X(slct_16_s32, u16, u16, u16, s32, c >= 0 ? a : b)                                                       \
    X(slct_32_s32, u32, u32, u32, s32, c >= 0 ? a : b)                                                       \
    X(slct_64_s32, u64, u64, u64, s32, c >= 0 ? a : b)                                                       \
    X(slct_16_f32, u16, u16, u16, f32, c >= 0 ? a : b)                                                       \
    X(slct_32_f32, u32, u32, u32, f32, c >= 0 ? a : b)                                                       \
    X(slct_64_f32, u64, u64, u64, f32, c >= 0 ? a : b)                                                       \
    X(mul24_lo_u32, u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c)                                 \
    X(mul24_lo_s32, u32, u32, u32, u32, (u32)((s32)(a << 8) >> 8) * (u32)((s32)(b << 8) >> 8) + c)           \
    X(mul24_hi_u32, u32, u32, u32, u32, (u32)(((u64)(a & 0xffffff) * (b & 0xffffff)) >> 16) + c)             \
    X(mul24_hi_s32, u32, u32, u32, u32, (u32)(((s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8)) >> 16) + c) \
    X(absdiff4_uu, u32, u32, u32, u32, absdiff4(a, b, 0, 0) + 0 * c)                                         \
    X(absdiff4_us, u32, u32, u32, u32, absdiff4(a, b, 0, 1) + 0 * c)                                         \
    X(absdiff4_su, u32, u32, u32, u32, absdiff4(a, b, 1, 0) + 0 * c)                                         \
    X(absdiff4_ss, u32, u32, u32, u32, absdiff4(a, b, 1, 1) + 0 * c)                                         \
    X(absdiff4_uu_add, u32, u32, u32, u32, add4(absdiff4(a, b, 0, 0)) + c)                                   \
    X(absdiff2_uu, u32, u32, u32, u32, absdiff2(a, b, 0, 0) + 0 * c)                                         \
    X(absdiff2_us, u32, u32, u32, u32, absdiff2(a, b, 0, 1) + 0 * c)                                         \
    X(absdiff2_su, u32, u32, u32, u32, absdiff2(a, b, 1, 0) + 0 * c)                                         \
    X(absdiff2_ss, u32, u32, u32, u32, absdiff2(a, b, 1, 1) + 0 * c)                                         \
    X(absdiff2_uu_add, u32, u32, u32, u32, add2(absdiff2(a, b, 0, 0)) + c)                                   \
    X(shf_l_clamp, u32, u32, u32, u32, (u32)((((u64)b << 32 | a) << (c > 32 ? 32 : c)) >> 32))               \
    X(shf_l_wrap, u32, u32, u32, u32, (u32)((((u64)b << 32 | a) << (c & 31)) >> 32))                         \
    X(shf_r_clamp, u32, u32, u32, u32, (u32)(((u64)b << 32 | a) >> (c > 32 ? 32 : c)))                       \
    X(shf_r_wrap, u32, u32, u32, u32, (u32)(((u64)b << 32 | a) >> (c & 31)))                                 \
    X(slct_16_f32x, u16, u16, u16, f32, c > -0x1p-126f ? a : b)                                              \
    X(slct_32_f32x, u32, u32, u32, f32, c > -0x1p-126f ? a : b)                                              \
    X(slct_64_f32x, u64, u64, u64, f32, c > -0x1p-126f ? a : b)

/* Comparisons: one handler per type (setp_, set_); is it a float? */
#define CMP_TYPES(X) \
    X(16, u16, 0)    \
    X(u16, u16, 0)   \
    X(s16, s16, 0)   \
    X(32, u32, 0)    \
    X(u32, u32, 0)   \
    X(s32, s32, 0)   \
    X(64, u64, 0)    \
    X(u64, u64, 0)   \
    X(s64, s64, 0)   \
    X(f32, f32, 1)   \
    X(f64, f64, 1)

