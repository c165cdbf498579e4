/* grader.c - what the reduction lab is marked by.
 *
 * Each step: right on lengths and types that differ (-ok), free of races and bad accesses
 * (-clean), and doing what the step is about, by a count (-gate). Step 1 is given.
 */
#include "grading/mark/rubric.h"

#define CHECKED(id, length, type, oper)                                                            \
    {                                                                                              \
        .name = id, .n = length, .dtype = type, .op = oper, .flags = CASE_CHECK                    \
    }
#define FORCED(size)                                                                               \
    {                                                                                              \
        .name = "in-" #size, .n = 1234, .param = size, .dtype = DT_I32, .flags = CASE_CHECK        \
    }
enum { SUM, MIN, MAX }; /* as in harness.c */

static const struct lab_case cases[] = {
    CHECKED("none", 0, DT_I32, SUM),
    CHECKED("one", 1, DT_I32, SUM),
    CHECKED("warp", 32, DT_I32, SUM),
    CHECKED("tail", 1000, DT_I32, SUM),
    CHECKED("levels", 20011, DT_I32, SUM), /* a prime; three levels */
    CHECKED("gate", 1 << 14, DT_I32, SUM),
    CHECKED("long", (1 << 20) + 7, DT_I32, SUM),   /* more elements than threads fit the device */
    CHECKED("longer", (7 << 19) + 5, DT_I32, SUM), /* two rounds of two loads of four */
    CHECKED("float", 5003, DT_F32, SUM),
    CHECKED("float-none", 0, DT_F32, SUM),
    CHECKED("double", 1025, DT_F64, SUM),
    CHECKED("min", 3001, DT_I32, MIN),
    CHECKED("max", 3001, DT_I32, MAX),
    CHECKED("max-none", 0, DT_I32, MAX),
    FORCED(1),
    FORCED(2),
    FORCED(8),
    FORCED(64),
    FORCED(256),
    FORCED(512),
};

static const struct hidden_case hidden[] = {
    {.name = "hidden",
     .kind = "an integer sum over several blocks",
     .like = "tail",
     .n_min = 1000,
     .n_max = 30000},
    {.name = "hidden-max", .kind = "a maximum", .like = "max", .n_min = 100, .n_max = 9000},
};

#define LENGTHS                                                                                    \
    "none one warp tail levels gate float float-none double min max max-none hidden hidden-max"
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
#define CLEAN(nr)                                                                                  \
    {                                                                                              \
        "r" nr "-clean", 0.5, "Step " nr " has no race and no bad access", ROW_CHECKS,             \
            "reduce" nr, .cases = "tail gate", .hint = CHECK_HINT                                  \
    }
#define GATE(nr, points, what, condition, advice)                                                  \
    {                                                                                              \
        "r" nr "-gate", points, what, ROW_GATE, "reduce" nr, .cases = "gate", .gate = condition,   \
                                                             .hint = advice                        \
    }

/* clang-format off */
static const struct rubric_row rows[] = {
    {"given", 0, "Step 1, which was given, is still right", ROW_CORRECT, "reduce1", .cases = "none one tail levels float double min max max-none",
     .hint = "Step 1 is the one to compare with: leave it as it was."},
    {"given-clean", 0, "Step 1, which was given, has no race and no bad access", ROW_CHECKS, "reduce1", .cases = "tail",
     .hint = "Step 1 is the one to compare with: leave it as it was."},
    OK("2", 1, ""), CLEAN("2"),
    GATE("2", 1, "Step 2: warps retire together", "divergent_branches <= 3 * warps + 8 * blocks",
         "Which warps still have a thread at work in the second round of the tree? Working threads should be the first of the block."),
    OK("3", 1.5, ""), CLEAN("3"),
    GATE("3", 1, "Step 3 has no bank conflicts", "shared_ld_bank_conflicts + shared_st_bank_conflicts == 0",
         "Write down the words that lanes 0, 1 and 2 load in one round: are they neighbours?"),
    OK("4", 2, ""), CLEAN("4"),
    OK("5", 1.5, ""), CLEAN("5"),
    GATE("5", 1, "Step 5 needs few block barriers", "barriers <= 5 * warps",
         "How many warps still work when 64 elements are left? Whom would a barrier of the whole block wait for?"),
    OK("6", 1.5, " in-1 in-2 in-8 in-64 in-256 in-512"), CLEAN("6"),
    GATE("6", 1, "Step 6 has no loop left", "branches <= 1.5 * ref.branches + 16 * warps && inst_executed <= 1.5 * ref.inst_executed",
         "The compiler knows `block`: is there a loop, or a comparison with blockDim.x, that it need not keep?"),
    OK("7", 1, " long in-1 in-64 in-256 in-512"), CLEAN("7"),
    {"r7-gate", 1, "Step 7 loads neighbouring elements", ROW_GATE, "reduce7", .cases = "long",
     .gate = "global_ld_sectors / global_ld_requests <= 4.2",
     .hint = "When lane 0 is at element i, where is lane 1? A warp's loads should lie side by side in every round."},
    OK("8", 1, " long"), CLEAN("8"),
    GATE("8", 1, "Step 8: one value a warp through shared memory", "shared_st_bytes <= 1.1 * elem * warps && barriers <= 2 * warps",
         "How many values does a warp of 32 have to tell the others, once its lanes have talked to each other by shuffles?"),
    OK("9", 0.5, " longer"), CLEAN("9"),
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
