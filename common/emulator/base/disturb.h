/* disturb.h - classes of instructions whose results a launch can be told to disturb.
 *
 * One row a class: identifier, what it disturbs. A set of them is a mask of 1 << DISTURB_….
 */
#ifndef EMULATOR_DISTURB_H
#define EMULATOR_DISTURB_H

/* clang-format off */
#define DISTURBANCES(X)                                                                            \
    X(shared_ld, "what is loaded from shared memory")                                              \
    X(one_in_64, "one in 64 of the words that lanes load from shared memory")                      \
    X(lanes_8, "what 8 to 15 lanes of a warp load together from shared memory")                    \
    X(lanes_2, "what 2 or 3 lanes of a warp load together from shared memory")                     \
    X(global_ld, "what is loaded from global memory into registers")                               \
    X(others, "what is loaded from shared memory and another thread stored there")                 \
    X(ahead, "what is loaded from global memory long before it is used")                           \
    X(at_once, "what is loaded from global memory amid the work, and waited for at once")          \
    X(again, "what is loaded from global memory after something loaded was used")                  \
    X(straight, "what lanes load from global memory, each its own, and compute with at once")         \
    X(parked, "what goes into shared memory and is made of one loaded element alone")           \
    X(shuffle, "what lanes tell each other: shfl, redux, vote, match, movmatrix")                  \
    X(tensor, "what products of matrices add: mma, wmma.mma, wgmma")                               \
    X(async, "what cp.async and bulk copies bring into shared memory")                             \
    X(atom, "what atomics return")                                                                 \
    X(half_warps, "what half of a block's warps load: the odd ones or the even ones")              \
    X(one_warp, "what one warp of each block loads")                                               \
    X(one_block, "what one block of each row of the grid loads, or makes by products of matrices")                                   \
    X(absent, "what a shuffle brings from a lane that its mask does not name, or that is not there") \
    X(unset, "what registers hold that nothing has set")                                           \
    X(nan, "what is computed to be NaN, of nothing that is")                                       \
    X(compared, "nothing: it is kept which comparisons are the same in all threads")        \
    X(outcomes, "nothing: a few blocks run, and it is kept how instructions turn out in them")     \
    X(few, "nothing: the same few blocks run, the others do not")                                  \
    X(backwards, "nothing: the last block and each block's last warp come first")                  \
    X(reordered, "nothing: blocks come in a drawn order, and each block's warps after each barrier") \
    X(parted, "nothing: so they do, and lanes part where they share words by no plain access") \
    X(late, "nothing: so they do, and what a block stores but has not fenced others see late") \
    X(crowded, "nothing: so it is, and as many blocks as a GPU holds take turns")
/* clang-format on */

/* Amid the work: not before the warp's first such instruction. Long: so many floating-point and
 * tensor instructions of the warp, and of all that it has executed until then such a part, from
 * the load, or the commit of an asynchronous copy, to the first instruction that uses the value,
 * or the wait; at once: fewer. A wgmma is as many as the mma.m16n8k16 it stands for. */
enum { DISTURB_AHEAD = 32, DISTURB_AHEAD_PART = 32 };

enum disturbance {
#define X(id, text) DISTURB_##id,
    DISTURBANCES(X)
#undef X
        DISTURB_COUNT
};

/* Those that disturb nothing: of such a run it is asked how far it comes. */
enum { DISTURB_TRIALS = 1 << DISTURB_compared | 1 << DISTURB_outcomes | 1 << DISTURB_few };

#endif
