/* grader.c - what the divergence lab is marked by: the two kernels a student reorganises. */
#include "grading/mark/rubric.h"

enum { BRANCH, PATHS, MIXED, MIXED_DATA }; /* as in harness.c */

#define ELEMENTS(id, which, length)                                                                \
    {                                                                                              \
        .name = id, .n = length, .dtype = DT_F32, .op = which, .flags = CASE_CHECK                 \
    }
#define GIVEN "It is there to compare yours with: leave it as it was."
static const struct lab_case cases[] = {
    ELEMENTS("branch", BRANCH, 777),
    {.name = "paths", .n = 777, .param = 32, .dtype = DT_F32, .op = PATHS, .flags = CASE_CHECK},
    ELEMENTS("none", MIXED, 0),
    ELEMENTS("one", MIXED, 1),
    ELEMENTS("tail", MIXED, 1003),
    ELEMENTS("full", MIXED, 2048),
    ELEMENTS("data-none", MIXED_DATA, 0),
    ELEMENTS("data-one", MIXED_DATA, 1),
    ELEMENTS("data-tail", MIXED_DATA, 1003),
    ELEMENTS("data-full", MIXED_DATA, 4096),
};
static const struct hidden_case hidden[] = {
    {.name = "hidden",
     .kind = "any number of elements, kinds by place",
     .like = "tail",
     .n_min = 200,
     .n_max = 3000},
    {.name = "hidden-data",
     .kind = "any number of elements, kinds by data",
     .like = "data-tail",
     .n_min = 200,
     .n_max = 3000},
};

/* clang-format off */
static const struct rubric_row rows[] = {
    {"given-branch_warp", 0, "The given branch_warp is still right", ROW_CORRECT, "branch_warp", .cases = "branch", .hint = GIVEN},
    {"given-branch_thread", 0, "The given branch_thread is still right", ROW_CORRECT, "branch_thread", .cases = "branch", .hint = GIVEN},
    {"given-paths", 0, "The given paths is still right", ROW_CORRECT, "paths", .cases = "paths", .hint = GIVEN},
    {"given-mixed", 0, "The given mixed is still right", ROW_CORRECT, "mixed", .cases = "none one tail full", .hint = GIVEN},
    {"given-mixed_data", 0, "The given mixed_data is still right", ROW_CORRECT, "mixed_data", .cases = "data-none data-one data-tail data-full", .hint = GIVEN},
    {"place-ok", 4, "Reorganised by place: the same results", ROW_CORRECT, "coherent", .cases = "none one tail full hidden",
     .hint = "Each element of the block must be taken by exactly one thread, also in the last block."},
    {"place-clean", 1, "Reorganised by place: no race, no bad access", ROW_CHECKS, "coherent", .cases = "tail",
     .hint = "Run it with CHECK=1: it names the line, the thread and the address."},
    {"place-lanes", 5, "Reorganised by place: all lanes work", ROW_GATE, "coherent", .cases = "full",
     .gate = "thread_inst_executed / inst_executed >= 30",
     .hint = "Which elements do lanes 0, 1 and 2 of a warp take? Their numbers should leave the same remainder by 4."},
    {"data-ok", 4, "Reorganised by data: the same results", ROW_CORRECT, "coherent_data", .cases = "data-none data-one data-tail data-full hidden-data",
     .hint = "Is your order a permutation: is each of the block's elements in it once, and none twice?"},
    {"data-clean", 2, "Reorganised by data: no race, no bad access", ROW_CHECKS, "coherent_data", .cases = "data-tail data-full",
     .hint = "Run it with CHECK=1. What one thread leaves in shared memory is there for the others only after a barrier, and what nobody left there is anything."},
    {"data-lanes", 4, "Reorganised by data: most lanes work", ROW_GATE, "coherent_data", .cases = "data-full",
     .gate = "thread_inst_executed / inst_executed >= 19",
     .hint = "How many kinds of work can still meet in one warp, if the whole block's elements are in order?"},
};
/* clang-format on */

const struct rubric rubric_divergence = {
    .lab = "divergence",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
