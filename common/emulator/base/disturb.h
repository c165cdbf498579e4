/* disturb.h - classes of instructions whose results a launch can be told to disturb.
 *
 * One row a class: identifier, what it disturbs. A set of them is a mask of 1 << DISTURB_….
 */
#ifndef EMULATOR_DISTURB_H
#define EMULATOR_DISTURB_H

/* clang-format off */
#define DISTURBANCES(X)                                                                            \
    X(shared_ld, "what is loaded from shared memory")                                              \
    X(global_ld, "what is loaded from global memory into registers")                               \
    X(shuffle, "what lanes hand each other: shfl, redux")                                          \
    X(tensor, "products of matrices: mma, wmma.mma")                                               \
    X(async, "what cp.async and bulk copies bring into shared memory")                             \
    X(atom, "what atomics return")
/* clang-format on */

enum disturbance {
#define X(id, text) DISTURB_##id,
    DISTURBANCES(X)
#undef X
        DISTURB_COUNT
};

#endif
