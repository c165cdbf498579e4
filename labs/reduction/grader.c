/* grader.c - what the reduction lab is marked by.
 *
 * Each step: right on lengths and types that differ (-ok), free of races and bad accesses
 * (-clean), and doing what the step is about, by counts (-gate). Step 1 is given.
 *
 * A gate bounds what the step saves and asks for what it is made of. Bounds are in warps and
 * blocks of the student's own launch, so that any record will do; where a small block would hide
 * the difference to the step before, it is looked at in blocks of 64 (AT_LEAST_64).
 */
#include "grading/mark/rubric.h"

#define CHECKED(id, length, type, oper)                                                            \
    {                                                                                              \
        .name = id, .n = length, .dtype = type, .op = oper, .flags = CASE_CHECK                    \
    }
#define AT_LEAST_64(id, length, type, oper, ...)                                                   \
    {                                                                                              \
        .name = id, .n = length, .param = -64, .dtype = type, .op = oper, .flags = CASE_CHECK,     \
        __VA_ARGS__                                                                                \
    }
#define SPECIAL(id, type, oper, which)                                                             \
    {                                                                                              \
        .name = "special-" id, .n = 200, .m = which, .dtype = type, .op = oper,                    \
        .flags = CASE_CHECK | CASE_SPECIAL                                                         \
    }
enum { SUM, MIN, MAX }; /* as in harness.c */
/* k of a case whose result may have stayed in one thread's register from load to store, so that
 * nothing else need have an influence on it: the least or the greatest of an array. */
enum { EXTREME = 2 };
/* m, as in harness.c: what each block made is compared; of floats some are huge, all
 * tiny, one is infinite, one NaN; of ints one is far from all others. All are alike, or one of two.
 */
enum { LEVEL0_ONLY = 1, GREAT, SMALL, INFINITE, NOT_A_NUMBER, APART, EQUAL, OF_TWO };

static const struct lab_case cases[] = {
    CHECKED("none", 0, DT_I32, SUM),
    CHECKED("one", 1, DT_I32, SUM),
    CHECKED("warp", 32, DT_I32, SUM),
    CHECKED("tail", 1000, DT_I32, SUM),
    CHECKED("long", (1 << 20) + 7, DT_I32, SUM),   /* more elements than threads fit the device */
    CHECKED("longer", (7 << 19) + 5, DT_I32, SUM), /* two rounds of two loads of four */
    /* more than a warp, or a block, of step 9 takes alone with four loads of 16 bytes each */
    CHECKED("past-warp", 527, DT_I32, SUM),
    CHECKED("past-warp-double", 263, DT_F64, SUM),
    CHECKED("past-block", 8492, DT_I32, SUM),
    CHECKED("past-block-double", 4196, DT_F64, SUM),
    CHECKED("float", 1003, DT_F32, SUM),
    CHECKED("float-none", 0, DT_F32, SUM),
    CHECKED("double", 1025, DT_F64, SUM),
    CHECKED("min", 1001, DT_I32, MIN),
    CHECKED("max", 1001, DT_I32, MAX),
    CHECKED("max-none", 0, DT_I32, MAX),
    SPECIAL("sum", DT_I32, SUM, 0),
    SPECIAL("min", DT_I32, MIN, 0),
    SPECIAL("max", DT_I32, MAX, 0),
    SPECIAL("min-apart", DT_I32, MIN, APART),
    SPECIAL("max-apart", DT_I32, MAX, APART),
    SPECIAL("sum-equal", DT_I32, SUM, EQUAL),
    SPECIAL("sum-two", DT_I32, SUM, OF_TWO),
    SPECIAL("min-two", DT_I32, MIN, OF_TWO),
    SPECIAL("max-two", DT_I32, MAX, OF_TWO),
    SPECIAL("float-equal", DT_F32, SUM, EQUAL),
    SPECIAL("double-two", DT_F64, SUM, OF_TWO),
    SPECIAL("float-great", DT_F32, SUM, GREAT),
    SPECIAL("float-small", DT_F32, SUM, SMALL),
    SPECIAL("float-infinite", DT_F32, SUM, INFINITE),
    SPECIAL("float-nan", DT_F32, SUM, NOT_A_NUMBER),
    SPECIAL("double-great", DT_F64, SUM, GREAT),
    SPECIAL("double-small", DT_F64, SUM, SMALL),
    SPECIAL("double-infinite", DT_F64, SUM, INFINITE),
    SPECIAL("double-nan", DT_F64, SUM, NOT_A_NUMBER),
    AT_LEAST_64("gate", 1 << 14, DT_I32, SUM),
    AT_LEAST_64("gate-float", 9001, DT_F32, SUM),
    AT_LEAST_64("gate-double", 9001, DT_F64, SUM),
    AT_LEAST_64("gate-min", 9001, DT_I32, MIN, .k = EXTREME),
    AT_LEAST_64("gate-max", 9001, DT_I32, MAX, .k = EXTREME),
    AT_LEAST_64("gate-blocks", 9001, DT_I32, SUM, .m = LEVEL0_ONLY),
};

/* Each kernel of the five, and each block size that steps 6 and 7 have code for. */
#define ANY_KERNEL "tail float double min max"
#define ANY_GATE   "gate gate-float gate-double gate-min gate-max"
/* Gates look at each of these, too: of any type and about any length it is the same work. */
#define SEVERAL(id, what, same_as)                                                                 \
    {                                                                                              \
        .name = id, .kind = what, .like = same_as, .n_min = 1024, .n_max = 16383,                  \
        .any_scale = true                                                                          \
    }
#define IN(size, least, most, same_as) IN_NAMED("in-" #size, size, least, most, same_as)
#define IN_NAMED(id, size, least, most, same_as)                                                   \
    {                                                                                              \
        .name = id, .kind = "in blocks of " #size, .like = same_as, .n_min = least, .n_max = most, \
        .any_scale = true, .blocks = ONE_OF(size)                                                  \
    }
/* Of a sum, which is wrong where an element is added twice. */
#define SUM_IN(size) IN_NAMED("sum-in-" #size, size, 1000, 15999, "gate")

/* Of each kernel that step 6 is compiled to that has a tree with rounds, as its loop may be left in
 * any of them. */
#define UNROLLED(type, size)                                                                       \
    {                                                                                              \
        .name = "six-" #type "-" #size, .kind = "in blocks of " #size, .like = "gate-" #type,      \
        .n_min = 1000, .n_max = 1999, .blocks = ONE_OF(size)                                       \
    }
#define UNROLLED_IN(size)                                                                          \
    UNROLLED(float, size), UNROLLED(double, size), UNROLLED(min, size), UNROLLED(max, size)

#define FAR(type)                                                                                  \
    {                                                                                              \
        .name = "far-" #type, .kind = "more than 65,536 elements", .like = "gate-" #type,          \
        .n_min = (1 << 16) + 1, .n_max = (1 << 17) + 99                                            \
    }

#define SPECIAL_LIKE(id, words)                                                                    \
    {                                                                                              \
        .name = "hidden-special-" id, .kind = words, .like = "special-" id, .n_min = 33,           \
        .n_max = 600                                                                               \
    }

static const struct hidden_case hidden[] = {
    {.name = "hidden-blocks", /* so many that the last one is one of many */
     .kind = "an integer sum, of which each block's is compared",
     .like = "gate-blocks",
     .n_min = 22000,
     .n_max = 40000},
    SEVERAL("hidden-sum", "an integer sum over several blocks", "gate"),
    SEVERAL("hidden-float", "a float sum over several blocks", "gate-float"),
    SEVERAL("hidden-double", "a double sum over several blocks", "gate-double"),
    SEVERAL("hidden-min", "a minimum over several blocks", "gate-min"),
    SEVERAL("hidden-max", "a maximum over several blocks", "gate-max"),
    {.name = "hidden-few",
     .kind = "any kernel, of few elements",
     .like = ANY_KERNEL,
     .n_min = 2,
     .n_max = 1023,
     .any_scale = true},
    {.name = "hidden-middle",
     .kind = "any kernel, over hundreds of blocks",
     .like = ANY_GATE,
     .n_min = 1 << 14,
     .n_max = (1 << 16) - 1,
     .any_scale = true},
    {.name = "hidden-large",
     .kind = "any kernel, over many blocks",
     .like = ANY_GATE,
     .n_min = 65536,
     .n_max = (1 << 17) + 99},
    /* Of each type, as a fault may be one type's. Of so many elements up to a half lie where a
     * number of 16 bits begins again, so that the least or the greatest may. */
    FAR(float),
    FAR(double),
    FAR(min),
    FAR(max),
    /* Of ints, whose sum tells each element: of floats a few do not matter among so many. */
    {.name = "hidden-between",
     .kind = "an integer sum of hundreds of thousands of elements",
     .like = "gate",
     .n_min = (1 << 17) + 100,
     .n_max = (1 << 20) + 99,
     .any_scale = true},
    {.name = "hidden-far",
     .kind = "an integer sum of more than a million elements",
     .like = "gate",
     .n_min = (1 << 20) + 100, /* 20 bits are too few, too */
     .n_max = 1400000},
    {.name = "hidden-long",
     .kind = "a sum of float or double, of more elements than threads fit the device",
     .like = "float double",
     .n_min = 1000000,
     .n_max = 1100000},
    /* Of step 7: in those before, and in a right one of step 8 with an element a thread, so many
     * are more instructions than a run may take. */
    {.name = "hidden-huge",
     .kind = "an integer sum of more than 2^24 elements",
     .like = "tail",
     .n_min = (1 << 24) + 1,
     .n_max = (1 << 24) + 9999},
    {.name = "hidden-rounds",
     .kind = "any sum, of more elements than threads that fit the device load in one round",
     .like = "tail float double",
     .n_min = 4400000,
     .n_max = 4600000},
    {.name = "hidden-share-int",
     .kind = "any kernel of ints, of tens or hundreds of thousands of elements",
     .like = "tail",
     .n_min = 1 << 14,
     .n_max = 1000000,
     .any_scale = true,
     .ops = ONE_OF(SUM, MIN, MAX)},
    {.name = "hidden-share-float",
     .kind = "a float sum of tens or hundreds of thousands of elements",
     .like = "float",
     .n_min = 1 << 14,
     .n_max = 1000000,
     .any_scale = true},
    {.name = "hidden-share-double",
     .kind = "a double sum of tens or hundreds of thousands of elements",
     .like = "double",
     .n_min = 1 << 14,
     .n_max = 1000000,
     .any_scale = true},
    SPECIAL_LIKE("sum", "an integer sum with the least and the greatest numbers"),
    SPECIAL_LIKE("min", "the least of numbers as great as can be"),
    SPECIAL_LIKE("max", "the greatest of numbers as small as can be"),
    SPECIAL_LIKE("min-apart", "the least, far below 0, of numbers far above"),
    SPECIAL_LIKE("max-apart", "the greatest, far above 0, of numbers far below"),
    SPECIAL_LIKE("sum-equal", "an integer sum of numbers that are all alike"),
    SPECIAL_LIKE("sum-two", "an integer sum of two numbers, many times each"),
    SPECIAL_LIKE("min-two", "the least of two numbers, many times each"),
    SPECIAL_LIKE("max-two", "the greatest of two numbers, many times each"),
    SPECIAL_LIKE("float-equal", "a float sum of numbers that are all alike"),
    SPECIAL_LIKE("double-two", "a double sum of two numbers, many times each"),
    SPECIAL_LIKE("float-great", "a float sum with huge numbers"),
    SPECIAL_LIKE("float-small", "a float sum of tiny numbers"),
    SPECIAL_LIKE("float-infinite", "a float sum with one that is infinite"),
    SPECIAL_LIKE("float-nan", "a float sum with one that is no number"),
    SPECIAL_LIKE("double-great", "a double sum with huge numbers"),
    SPECIAL_LIKE("double-small", "a double sum of tiny numbers"),
    SPECIAL_LIKE("double-infinite", "a double sum with one that is infinite"),
    SPECIAL_LIKE("double-nan", "a double sum with one that is no number"),
    IN(1, 300, 1199, ANY_KERNEL),
    IN(2, 300, 1199, ANY_KERNEL),
    IN(4, 300, 1199, ANY_KERNEL),
    IN(8, 300, 1199, ANY_KERNEL),
    IN(16, 300, 1199, ANY_KERNEL),
    IN(32, 300, 1199, ANY_KERNEL),
    IN(64, 500, 7999, ANY_GATE),
    IN(128, 500, 7999, ANY_GATE),
    IN(256, 1000, 15999, ANY_GATE),
    IN(512, 1000, 15999, ANY_GATE),
    SUM_IN(64),
    SUM_IN(128),
    SUM_IN(256),
    SUM_IN(512),
    UNROLLED_IN(64),
    UNROLLED_IN(128),
    UNROLLED_IN(256),
    UNROLLED_IN(512),
};

#define SPECIALS                                                                                   \
    "hidden-special-sum hidden-special-min hidden-special-max hidden-special-min-apart "           \
    "hidden-special-max-apart hidden-special-sum-equal hidden-special-sum-two "                    \
    "hidden-special-min-two hidden-special-max-two hidden-special-float-equal "                    \
    "hidden-special-double-two hidden-special-float-great "                                        \
    "hidden-special-float-small hidden-special-float-infinite hidden-special-float-nan "           \
    "hidden-special-double-great "                                                                 \
    "hidden-special-double-small hidden-special-double-infinite hidden-special-double-nan "
#define LENGTHS                                                                                    \
    SPECIALS "none one warp tail float float-none double min max max-none hidden-few "             \
             "far-float far-double far-min far-max hidden-between " ANY_GATED
#define ANY_DRAWN                                                                                  \
    "hidden-sum hidden-float hidden-double hidden-min hidden-max hidden-middle hidden-large"
/* There the bounds hold to the letter, too: elsewhere they are loose. */
#define ANY_GATED ANY_DRAWN " hidden-far"
#define KINDS     "tail hidden-few " ANY_DRAWN
#define BLOCKS    " in-1 in-2 in-4 in-8 in-16 in-32 in-64 in-128 in-256 in-512"
/* Blocks of other sizes than the record's. */
#define SUMS_IN      "sum-in-64 sum-in-128 sum-in-256 sum-in-512"
#define SIX_IN(size) "six-float-" size " six-double-" size " six-min-" size " six-max-" size " "
#define UNROLLED_ALL SIX_IN("64") SIX_IN("128") SIX_IN("256") SIX_IN("512") SUMS_IN
#define TAIL                                                                                       \
    "Which element does each thread of the last block load, when the length is no multiple of "    \
    "the block? And what does it bring when there is none?"
#define CHECK_HINT                                                                                 \
    "Run it with CHECK=1: it names the line. Between one thread's store to shared memory and "     \
    "another's load of it there must be a barrier that both reach."
#define OK(nr, points, more)                                                                       \
    {                                                                                              \
        "r" nr "-ok", points, "Step " nr " is right", ROW_CORRECT, "reduce" nr,                    \
            .cases = LENGTHS more, .hint = TAIL                                                    \
    }
#define CLEAN(nr, more)                                                                            \
    {                                                                                              \
        "r" nr "-clean", 0.5, "Step " nr " has no race and no bad access", ROW_CHECKS,             \
            "reduce" nr, .cases = KINDS more, .hint = CHECK_HINT                                   \
    }
#define GATE(nr, points, what, on, condition, advice, ...)                                         \
    {                                                                                              \
        "r" nr "-gate", points, what, ROW_GATE, "reduce" nr, .cases = on, .gate = condition,       \
                                                             .hint = advice, __VA_ARGS__           \
    }

/* ---- what the gates are made of ---- */

/* Loads of shared memory by a part of a warp. A tree whose warps retire has a load or two in each
 * of its last five rounds, in a block of any size. Step 1's has them in every warp, and a thread
 * that adds alone has all of its own. */
#define PARTIAL                                                                                    \
    "shared_ld_lanes_1 + shared_ld_lanes_2 + shared_ld_lanes_4 + shared_ld_lanes_8 + "             \
    "shared_ld_lanes_16"
/* One lane alone loads a pair and the result, or in a tree of degree 4 four and it: more, of four
 * words each, is a sum in turn, which a float's instructions tell and an int's do not.
 * A round of a tree loads half as many pairs as the one before, and in the last warp 64 words at
 * most. Lanes that each add all of a block's numbers have full warps' loads alone, but of many more
 * bytes. */
#define RETIRES                                                                                    \
    PARTIAL " <= 14 * blocks && shared_ld_lanes_1 <= 6 * blocks && shared_ld_bytes <= elem * "     \
            "(2.1 * threads + 420 * blocks)"
/* All values but the last warp's pass through shared memory at least once, and no other way. The
 * bytes of global memory are those of elements and partial results, so that none is scratch. */
#define THROUGH_SHARED                                                                             \
    "shared_st_bytes >= 0.9 * elem * (threads - 32 * blocks) && "                                  \
    "shared_ld_bytes >= 0.9 * elem * (threads - 32 * blocks) && "                                  \
    "shared_atom_requests + global_atom_requests + global_red_requests + async_sends == 0 && "     \
    "global_ld_bytes + global_st_bytes <= 1.05 * elem * (n + 2 * blocks)"
/* In blocks of 64, too, the first round's working threads fill a warp, or in rounds of
 * degree 4 some do. */
#define FULL_WARPS "shared_ld_lanes_32 >= 0.5 * (warps - blocks)"
/* Until then nobody loads who has nothing to add: in blocks of 64 there would be room for all lanes
 * in all rounds. */
#define NOBODY_STAYS "shared_ld_bytes <= elem * (2.1 * threads + 100 * blocks)"
#define TREE                                                                                       \
    FULL_WARPS " && " RETIRES " && " NOBODY_STAYS " && " PARTIAL                                   \
               " >= 3 * blocks && shuffles == 0 && " THROUGH_SHARED MADE_OF_IT " && " BY_HALVES    \
               " && influence(shuffle) == 0 && " FULL_WARPS
/* From step 5 on the last warp may do its rounds as it likes, by five shuffles of 4 bytes, too, or
 * by an instruction that is worth as many. */
#define TREE_TO_WARP                                                                               \
    RETIRES " && shuffles + 5 * exchanges <= 1.3 * elem * blocks && " THROUGH_SHARED
/* Of floats it is counted how many instructions add: one a warp while loading, half as many and
 * four more in the rounds. Few lanes that add many each are as short in loads of 16 bytes. */
#define BY_HALVES    "flop_fp32_slots <= 32 * 1.3 * (2 * warps + 5 * blocks)"
#define MADE_OF_IT   " && influence(others) >= 0.9 - k"
#define NO_CONFLICTS "shared_ld_bank_conflicts + shared_st_bank_conflicts == 0"
/* A block of 64 needs one barrier, of 128 two, ... of 1024 five. As many are left for kernels that
 * take two a round: 2, 4, ... 10. Step 4 has 7, 8, ... 11, and is caught in all. Who waits at an
 * mbarrier waits, too. */
#define FEW_BARRIERS                                                                               \
    "mbarrier_arrivals == 0 && barriers <= min(min(2.3 * warps + 0.5 * warps * warps / blocks, "   \
    "4.3 * warps + 0.25 * warps * warps / blocks), 6.3 * warps + 0.125 * warps * warps / blocks)"
/* Each block's result is made of what each of its warps brings, whatever the number of results. */
#define ALL_LOAD "influence(one_warp) >= 0.9 - k"
/* Two elements have been added before one goes to shared memory; in the last block some may have
 * nothing to be added to (where blocks are compared, of ints, m is 1). Of floats it is seen that
 * instructions add before anybody waits: one a warp, of the two that there are with the tree's. */
#define NOT_PARKED                                                                                 \
    "influence(parked) <= 1.5 - m && async_bytes == 0 && floats_first >= min(0.9 * warps, "        \
    "flop_fp32 / 128)"
/* One value a warp is left, and no lane tells the others but by shuffles: five of 4 bytes, and
 * five more for the last warp, or for all. Ints have other instructions for it, floats not; votes
 * would hand values over bit by bit.
 * Elements that asynchronous copies bring are read once each, and of warps' values each thread may
 * read all of a block's: lanes do not add up their warp's elements from there. */
#define BY_SHUFFLES                                                                                \
    "shared_st_bytes - async_bytes <= 1.1 * elem * warps && barriers <= 2 * warps && "             \
    "shuffles >= min(1.2 * elem * warps, flop_fp32 + flop_fp64) && "                               \
    "shuffles <= 2.6 * elem * warps && exchanges <= 2.6 * warps && "                               \
    "shared_ld_bytes <= async_bytes + 300 * elem * warps && " PARTIAL " <= 2 * warps && "          \
    "shared_atom_requests + global_atom_requests + global_red_requests + async_sends == 0 && "     \
    "influence(shuffle) >= 0.9 - k"
/* The longest chain of instructions is a thread's share and a tree: no few blocks have all. */
#define OWN_SHARE "inst_executed_max_warp <= 20 * n / threads + 500"
/* Where threads have many elements each, all have about as many: the busiest warp's chain is not
 * much longer than all warps' on average and a tree. No half of the blocks, and no warp of each,
 * has all. */
#define EVEN_SHARES "inst_executed_max_warp <= 1.3 * inst_executed / warps + 450"
/* Where there is enough for all blocks, most warps have as much to do as the busiest; but one block
 * adds all blocks' sums, which in blocks of a warp are a hundred a thread. */
#define MOST_WARPS                                                                                 \
    "inst_executed_max_warp * warps <= 3.6 * inst_executed * max(1, 3000000 / n) + "               \
    "14 * warps * blocks * blocks / threads"
/* And all warps load about as much as each other: of a short array some have nothing to load. Where
 * threads have dozens of elements each, up to 16 in a round, a round more or less is little. */
#define ALL_SHARE                                                                                  \
    "warps * global_ld_squares <= min(1.6, 1.1 + 64 * threads / n * threads / n) * "               \
    "global_ld_bytes * global_ld_bytes * max(1, 3000000 / n)"
/* By all lanes, but for a last part: few that load wide words each move as many bytes. */
#define ALL_LANES                                                                                  \
    "global_ld_lanes >= 0.75 * min(32, threads / blocks) * (global_ld_requests - 2 * warps)"
/* One thread adds few numbers. In blocks of more than 16 warps lane 0 of each may store its warp's
 * sum twice: of the elements, and of blocks' sums. */
#define FEW_ALONE "inst_lanes_1 <= max(80 * blocks, 48 * blocks + 2 * warps)"
/* Each element is loaded once, in whole sectors. */
#define COALESCED                                                                                  \
    "global_ld_sectors <= 1.05 * elem * n / 32 + 2 * blocks + 16 && "                              \
    "global_sectors <= 1.05 * elem * n / 32 + 3 * blocks + 16"

/* clang-format off */
static const struct rubric_row rows[] = {
    {"given", 0, "Step 1, which was given, is still right", ROW_CORRECT, "reduce1", .cases = "none one tail float double min max max-none hidden-sum",
     .hint = "Step 1 is the one to compare with: leave it as it was."},
    {"given-clean", 0, "Step 1, which was given, has no race and no bad access", ROW_CHECKS, "reduce1", .cases = "tail",
     .hint = "Step 1 is the one to compare with: leave it as it was."},
    OK("2", 1, ""), CLEAN("2", ""),
    GATE("2", 1, "Step 2: warps retire together", "gate " ANY_GATED, "divergent_branches <= 3 * warps + 8 * blocks && " TREE,
         "Which warps still have a thread at work in the second round of the tree? Working threads should be the first of the block."),
    OK("3", 1.5, ""), CLEAN("3", ""),
    GATE("3", 1, "Step 3 has no bank conflicts", "gate " ANY_GATED, NO_CONFLICTS " && " TREE,
         "Write down the words that lanes 0, 1 and 2 load in one round: are they neighbours? A tree it should still be."),
    OK("4", 1, ""), CLEAN("4", ""),
    GATE("4", 1, "Step 4 adds while it loads", "gate gate-blocks hidden-blocks " ANY_GATED, ALL_LOAD " && " NOT_PARKED " && shared_st_bytes <= 2.05 * elem * threads && " NO_CONFLICTS " && " TREE,
         "If half of the additions are done while loading, how many values of a block's 256 elements are left for the tree in shared memory?"),
    OK("5", 1.5, ""), CLEAN("5", ""),
    GATE("5", 1, "Step 5 needs few block barriers", "gate gate-blocks hidden-blocks " ANY_GATED, ALL_LOAD " && " FEW_BARRIERS " && inst_executed <= 100 * warps + 80 * blocks && " NO_CONFLICTS " && " TREE_TO_WARP MADE_OF_IT " && " BY_HALVES,
         "How many warps still work when 64 elements are left? Whom would a barrier of the whole block wait for?", .if_right = SUMS_IN),
    OK("6", 1.5, BLOCKS), CLEAN("6", BLOCKS),
    GATE("6", 1, "Step 6 has no loop left", UNROLLED_ALL " gate-blocks hidden-blocks hidden-large hidden-far", ALL_LOAD " && branches_back == 0 && worst(inst_executed) <= 1.05 * warps + 2 * blocks && " FEW_BARRIERS " && " NO_CONFLICTS " && " TREE_TO_WARP MADE_OF_IT " && " BY_HALVES,
         "The compiler knows `block`: is there a loop, or a comparison with blockDim.x, that it need not keep?"),
    OK("7", 1, " long hidden-long hidden-huge" BLOCKS), CLEAN("7", BLOCKS),
    GATE("7", 1, "Step 7 adds many neighbouring elements a thread", "long hidden-long hidden-huge hidden-share-int hidden-share-float hidden-share-double in-256 in-512", "threads <= max(0.3 * n, 300000) && " COALESCED " && " NO_CONFLICTS " && " TREE_TO_WARP " && " OWN_SHARE " && " EVEN_SHARES " && " ALL_SHARE " && " ALL_LANES,
         "When lane 0 is at element i, where is lane 1? A warp's loads should lie side by side in every round, and the grid be much smaller than the array."),
    OK("8", 1, " long"), CLEAN("8", ""),
    GATE("8", 1, "Step 8: one value a warp through shared memory", "gate gate-float hidden-rounds " ANY_GATED, BY_SHUFFLES " && " COALESCED " && " OWN_SHARE " && " EVEN_SHARES " && " ALL_SHARE,
         "How many values does a warp of 32 have to tell the others, once its lanes have talked to each other by shuffles? And has each warp its share of the elements?"),
    OK("9", 0.25, " past-warp past-warp-double past-block past-block-double longer hidden-rounds"), CLEAN("9", ""),
    GATE("9", 0.25, "Step 9 shares the work among its threads", "longer hidden-large gate gate-float gate-double gate-min gate-max hidden-sum hidden-float hidden-double hidden-middle", MOST_WARPS " && " ALL_SHARE " && " ALL_LANES " && global_sectors <= 1.1 * elem * n / 32 + 8 * blocks + 64 && " FEW_ALONE " && inst_executed_max_warp <= 16 * n / threads + 400 + 14 * blocks * blocks / threads", /* a thread's share, and a tree */
         "How many elements does each of the grid's threads load, do neighbouring lanes have neighbouring words in each load, and how many does one thread add alone at the end?"),
};
/* clang-format on */

const struct rubric rubric_reduction = {
    .lab = "reduction",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
