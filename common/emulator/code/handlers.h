/* handlers.h - the handlers there are, by the file that defines them.
 *
 * The lane-wise ones come from alu_rows.h; handlers_list.h has them all.
 */
#ifndef EMULATOR_HANDLERS_H
#define EMULATOR_HANDLERS_H

#include "alu_rows.h"
#include "more_rows.h"

/* clang-format off */
#define CONTROL_HANDLERS(X)                                                                        \
    X(guard)                                                                                       \
    X(bra) X(bra_uni) X(jump) X(brx) X(ret) X(exit_lanes) X(call) X(barrier) X(trap) X(brkpt)      \
        X(nop) X(nanosleep)
#define PREDICATE_HANDLERS(X)                                                                      \
    X(mov_pred)                                                                                    \
    X(not_pred) X(and_pred) X(or_pred) X(xor_pred) X(selp_16) X(selp_32) X(selp_64) X(selp_pred)
#define MEMORY_HANDLERS(X)                                                                         \
    X(ld_global)                                                                                   \
    X(ld_global_4) X(ld_global_8) X(ld_shared) X(ld_shared_4) X(ld_local) X(ld_param)              \
        X(ld_generic) X(ld_frame) X(st_global) X(st_global_4) X(st_global_8) X(st_shared)          \
            X(st_shared_4) X(st_local) X(st_generic) X(st_frame) X(atom_global) X(atom_shared)     \
                X(atom_generic) X(ld_cluster) X(st_cluster) X(atom_cluster) X(fence) X(isspacep) X(prefetch) X(local_address) X(alloca)        \
                    X(stacksave) X(stackrestore)
#define WARP_HANDLERS(X)                                                                           \
    X(shfl)                                                                                        \
    X(vote) X(match) X(redux) X(activemask) X(elect) X(bar_warp_sync) X(clock) X(pack) X(unpack)   \
        X(envreg) X(movmatrix)
#define FLOAT_HANDLERS(X)                                                                          \
    X(add_f32x)                                                                                    \
    X(sub_f32x) X(mul_f32x) X(fma_f32x) X(div_f32x) X(rcp_f32x) X(sqrt_f32x) X(add_f64x)           \
        X(sub_f64x) X(mul_f64x) X(fma_f64x) X(div_f64x) X(rcp_f64x) X(sqrt_f64x) X(min_f32)        \
            X(max_f32) X(min_f64) X(max_f64) X(neg_f32) X(abs_f32) X(copysign_f32) X(copysign_f64) \
                X(testp_f32) X(testp_f64) X(approx_f32) X(approx_f64) X(div_approx_f32) X(cvt_any)
#define MISC_HANDLERS(X)                                                                           \
    X(add_carry_32)                                                                                \
    X(add_carry_64) X(sub_carry_32) X(sub_carry_64) X(mad_carry_32) X(mad_carry_64) X(popc) X(clz) \
        X(bfind) X(brev) X(bfe) X(bfi) X(prmt) X(lop3) X(bmsk) X(szext) X(fns) X(dp4a) X(dp2a)

/* clang-format on */
enum handler_id {
#define H(name) H_##name,
#include "handlers_list.h"
#undef H
    H_COUNT
};

#endif
