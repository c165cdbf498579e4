/* grader.c - what the divergence lab is marked by: the lecture's two branches, and the two kernels
 * that a student reorganises. */
#include "grading/mark/rubric.h"

enum { BRANCH, PATHS, MIXED, MIXED_DATA }; /* as in harness.c */

#define ELEMENTS(id, which, length, more)                                                          \
    {                                                                                              \
        .name = id, .n = length, .dtype = DT_F32, .op = which, .flags = CASE_CHECK | (more)        \
    }
/* k of a case of whole blocks. */
enum { WHOLE = 1 };
/* k of a case in which a warp may have up to three elements more by themselves. */
enum { TAIL = 1 };

#define GIVEN   "It is there to compare yours with: leave it as it was."
#define CHECKED "Run it with CHECK=1: it names the line, the thread and the address."
static const struct lab_case cases[] = {
    ELEMENTS("branch-none", BRANCH, 0, CASE_SPECIAL),
    ELEMENTS("branch-one", BRANCH, 1, CASE_SPECIAL),
    ELEMENTS("branch", BRANCH, 777, CASE_SPECIAL),
    {.name = "branch-full",
     .n = 1024,
     .k = WHOLE,
     .dtype = DT_F32,
     .op = BRANCH,
     .flags = CASE_CHECK},
    {.name = "paths", .n = 290, .param = 32, .dtype = DT_F32, .op = PATHS, .flags = CASE_CHECK},
    ELEMENTS("none", MIXED, 0, CASE_SPECIAL),
    ELEMENTS("one", MIXED, 1, CASE_SPECIAL),
    {.name = "tail",
     .n = 1003,
     .k = TAIL,
     .dtype = DT_F32,
     .op = MIXED,
     .flags = CASE_CHECK | CASE_SPECIAL},
    ELEMENTS("full", MIXED, 2048, 0),
    ELEMENTS("data-none", MIXED_DATA, 0, CASE_SPECIAL),
    ELEMENTS("data-one", MIXED_DATA, 1, CASE_SPECIAL),
    ELEMENTS("data-tail", MIXED_DATA, 1003, CASE_SPECIAL),
    ELEMENTS("data-full", MIXED_DATA, 4096, 0),
    {.name = "data-uneven",
     .n = 1003,
     .param = 1,
     .dtype = DT_F32,
     .op = MIXED_DATA,
     .flags = CASE_SPECIAL},
    {.name = "data-ordered",
     .n = 2048,
     .param = 2,
     .dtype = DT_F32,
     .op = MIXED_DATA,
     .flags = CASE_SPECIAL},
};
#define LENGTHS(id, what, which, from, to)                                                         \
    {                                                                                              \
        .name = id, .kind = what, .like = which, .n_min = from, .n_max = to, .any_scale = true     \
    }
/* So many that it can be seen who waits. */
#define SOME(id, which, from, to)                                                                  \
    {                                                                                              \
        .name = id, .kind = "few elements", .like = which, .n_min = from, .n_max = to              \
    }
/* Beyond 17 bits, too. */
#define MORE_THAN_17_BITS ((1 << 17) + 1)
#define FAR(id, which)    LENGTHS(id, "more than 65,536 elements", which, MORE_THAN_17_BITS, 133000)
static const struct hidden_case hidden[] = {
    LENGTHS("hidden-few-branch", "few elements", "branch", 2, 1023),
    LENGTHS("hidden-few", "few elements", "tail", 2, 1023),
    LENGTHS("hidden-data-few", "few elements", "data-tail", 2, 1023),
    SOME("hidden-some-branch", "branch", 200, 511),
    SOME("hidden-several-branch", "branch", 512, 1023),
    SOME("hidden-least", "tail", 112, 199),
    SOME("hidden-some", "tail", 200, 511),
    SOME("hidden-several", "tail", 512, 1023),
    SOME("hidden-least-data", "data-tail", 64, 199),
    SOME("hidden-some-data", "data-tail", 200, 511),
    SOME("hidden-several-data", "data-tail", 512, 1023),
    LENGTHS("hidden-branch", "any length", "branch", 1024, (1 << 16) - 1),
    LENGTHS("hidden-branch-middle", "any length", "branch", 1 << 16, (1 << 17) - 1),
    FAR("hidden-branch-far", "branch"),
    {.name = "hidden-branch-full",
     .kind = "whole blocks",
     .like = "branch-full",
     .n_min = 512,
     .n_max = 4096,
     .any_scale = true,
     .multiple = 256},
    LENGTHS("hidden", "any length", "tail", 1024, (1 << 16) - 1),
    LENGTHS("hidden-middle", "any length", "tail", 1 << 16, (5 << 14) - 1),
    LENGTHS("hidden-upper", "any length", "tail", 5 << 14, 1 << 17),
    FAR("hidden-far", "tail"),
    LENGTHS("hidden-data", "any length", "data-tail", 1024, (1 << 16) - 1),
    LENGTHS("hidden-data-some", "one or two thousand elements", "data-tail", 1024, 2047),
    LENGTHS("hidden-data-middle", "kinds in uneven shares", "data-uneven", 1 << 16, (5 << 14) - 1),
    LENGTHS("hidden-data-upper", "kinds in some order", "data-ordered", 5 << 14, 1 << 17),
    FAR("hidden-data-far", "data-tail"),
    LENGTHS("hidden-uneven", "kinds in uneven shares", "data-uneven", 5100, 20399),
    LENGTHS("hidden-uneven-long", "kinds in uneven shares", "data-uneven", 20400, (1 << 16) - 1),
    LENGTHS("hidden-ordered", "kinds in some order", "data-ordered", 2048, 16383),
    {.name = "hidden-full",
     .kind = "whole blocks",
     .like = "full",
     .n_min = 2304,
     .n_max = 4096,
     .multiple = 256},
    {.name = "hidden-data-full",
     .kind = "whole blocks",
     .like = "data-full",
     .n_min = 2048,
     .n_max = 3840,
     .multiple = 256},
};

/* clang-format off */
/* What the gates judge by are totals, of which `flops`, the 256 multiply-adds an element, is the
 * measure: a full warp's worth of them is flops / 64 instructions. What is added to a limit is for
 * the last block, of which there may be one element, or one of each kind: so few elements can be
 * looked at, too.
 *
 * IDLE: lanes that wait, summed over all instructions. Work that nobody needs makes them no fewer.
 * IN_WORK: lanes that wait in the multiply-adds; passes of a warp with but one lane are 32 such.
 * SAME_WORK: the work itself, once, and in no other type; a loop that is not unrolled has some six
 * instructions for each multiply-add of a warp, by however many of its lanes. By data, each thread may
 * compare its kind with those of all 256, of which each takes a dozen.
 * OWN_CODE: a path's constants are in its code. Who chooses them lane by lane has no lane idle and
 * no element moved. Where they are not chosen, and none is idle, a warp's elements are of one kind.
 * ALL_WARPS: where every other warp has gone home, the lanes of the rest have work all the time.
 * Who takes four elements a thread by one load has a quarter of the warps at work, and at the end
 * one of them has up to seven elements a lane.
 * IN_BLOCKS: the same of each block by itself, so that what the last one may do is no room for the
 * others.
 * IN_WHOLE_BLOCKS: where k says that all are, there is no more room than the warps themselves differ.
 * BY_PLACE: lanes that are on have words beside each other, as many apart as they are themselves.
 * BY_HALVES: the multiply-adds are by half of a warp's lanes; not by all, and some more by one. */
#define IDLE "32 * inst_executed - thread_inst_executed_pred_on"
#define WORK_AND(beside) "flop_fp32 >= 0.99 * flops && flop_fp32 <= 1.05 * flops + 512 * 256 && inst_executed <= 8 * flop_fp32_slots / 64 + " beside " * warps && " \
    "flop_fp16 + flop_fp64 + tensor_flop == 0"
#define SAME_WORK WORK_AND("200")
#define OWN_CODE "flop_fp32_coded >= 0.95 * flops"
#define IN_WORK(times, passes) "flop_fp32_slots <= " times " * flops + " passes " * 32 * 512"
#define ALL_WARPS(times) "inst_executed_max_warp * warps <= " times " * inst_executed + 8 * 2048"
#define IN_BLOCKS(times) "inst_executed_busiest * warps <= blocks * (" times " * inst_executed + 8 * 2048)"
#define IN_WHOLE_BLOCKS "k * inst_executed_busiest * warps <= 1.4 * blocks * inst_executed"
#define BY_PLACE  "global_lane_steps <= 1.1 * (global_ld_bytes + global_st_bytes)"
#define BY_HALVES "64 * inst_lanes_16 >= 0.95 * flop_fp32_slots - 2 * 32 * 512"

static const struct rubric_row rows[] = {
    {"warp-ok", 0.5, "Branch by warp: each element gets its warp's work", ROW_CORRECT, "branch_warp", .cases = "branch-none branch-one branch branch-full hidden-few-branch hidden-branch hidden-branch-middle hidden-branch-far hidden-branch-full",
     .hint = "threadIdx.x / 32 is the number of a thread's warp in its block. Does the last thread have an element?"},
    {"warp-clean", 0.5, "Branch by warp: no bad access", ROW_CHECKS, "branch_warp", .cases = "branch hidden-few-branch", .hint = CHECKED},
    {"warp-lanes", 1, "Branch by warp: no lane waits", ROW_GATE, "branch_warp", .cases = "branch-full hidden-branch-full hidden-some-branch hidden-several-branch hidden-branch hidden-branch-middle hidden-branch-far",
     .gate = IDLE " <= 0.05 * flops + 300 * 256 && " IN_WORK("1.0005", "8") " && " SAME_WORK " && " OWN_CODE " && " ALL_WARPS("1.6") " && " IN_WHOLE_BLOCKS,
     .hint = "Ask once, and let each branch do the whole of its work. Each path keeps its own code."},
    {"thread-ok", 0.5, "Branch by thread: each element gets its thread's work", ROW_CORRECT, "branch_thread", .cases = "branch-none branch-one branch branch-full hidden-few-branch hidden-branch hidden-branch-middle hidden-branch-far hidden-branch-full",
     .hint = "Even threads and odd ones. Does the last thread have an element?"},
    {"thread-clean", 0.5, "Branch by thread: no bad access", ROW_CHECKS, "branch_thread", .cases = "branch hidden-few-branch", .hint = CHECKED},
    {"thread-both", 1, "Branch by thread: each warp walks both branches", ROW_GATE, "branch_thread", .cases = "branch-full hidden-branch-full hidden-some-branch hidden-several-branch hidden-branch hidden-branch-middle hidden-branch-far",
     .gate = "flop_fp32_slots >= 1.9 * flops && " IN_WORK("2.1", "16") " && " BY_HALVES " && " BY_PLACE " && shared_st_bytes + shuffles == 0 && exchanges <= 2 * warps && " /* a vote makes groups, as those of each half */  SAME_WORK " && " OWN_CODE " && " ALL_WARPS("1.6") " && " IN_WHOLE_BLOCKS,
     .hint = "Thread i does element i, in code of its own path: this kernel is to show what that costs. To rearrange comes later."},
    {"given-paths", 0, "The given paths is still right", ROW_CORRECT, "paths", .cases = "paths", .hint = GIVEN},
    {"given-mixed", 0, "The given mixed is still right", ROW_CORRECT, "mixed", .cases = "none one tail full", .hint = GIVEN},
    {"given-mixed_data", 0, "The given mixed_data is still right", ROW_CORRECT, "mixed_data", .cases = "data-none data-one data-tail data-full", .hint = GIVEN},
    {"place-ok", 4, "Reorganised by place: the same results", ROW_CORRECT, "coherent", .cases = "none one tail full hidden-few hidden hidden-middle hidden-upper hidden-far hidden-full",
     .hint = "Each element of the block must be taken by exactly one thread, also in the last block."},
    {"place-clean", 1, "Reorganised by place: no race, no bad access", ROW_CHECKS, "coherent", .cases = "tail hidden-few hidden-middle", .hint = CHECKED},
    {"place-lanes", 5, "Reorganised by place: all lanes work", ROW_GATE, "coherent", .cases = "full hidden-full hidden-least hidden-some hidden-several hidden hidden-middle hidden-upper hidden-far",
     .gate = IDLE " <= 0.05 * flops + 900 * 256 && " IN_WORK("1.002", "8") " && " SAME_WORK " && " OWN_CODE " && " ALL_WARPS("(5 + 2.4 * k)") " && " IN_BLOCKS("4.6"), /* a loop that is not unrolled waits as often as it goes round */
     .hint = "Which elements do lanes 0, 1 and 2 of a warp take? Their numbers should leave the same remainder by 4. Each path keeps its own code."},
    {"data-ok", 4, "Reorganised by data: the same results", ROW_CORRECT, "coherent_data", .cases = "data-none data-one data-tail data-full hidden-data-few hidden-data-some hidden-data hidden-uneven hidden-uneven-long hidden-ordered hidden-data-middle hidden-data-upper hidden-data-far hidden-data-full",
     .hint = "Is your order a permutation: is each of the block's elements in it once, and none twice?"},
    {"data-clean", 2, "Reorganised by data: no race, no bad access", ROW_CHECKS, "coherent_data", .cases = "data-tail data-full hidden-data-few hidden-uneven hidden-data-middle",
     .hint = "Run it with CHECK=1. What one thread leaves in shared memory is there for the others only after a barrier, and what nobody left there is anything."},
    {"data-lanes", 4, "Reorganised by data: most lanes work", ROW_GATE, "coherent_data", .cases = "data-full hidden-data-full hidden-least-data hidden-some-data hidden-several-data hidden-data hidden-uneven hidden-uneven-long hidden-ordered hidden-data-middle hidden-data-upper hidden-data-far",
     .gate = "thread_inst_executed >= 19 * inst_executed - 32 * 4 * 2048 && " IN_WORK("(1.41 - 0.22 * param + 0.045 * param * (param - 1))", "4") " && " IDLE " <= 2 * flops + 900 * 256 && " WORK_AND("3000") " && " OWN_CODE " && " ALL_WARPS("6.2") " && " IN_BLOCKS("4.6"),
     .hint = "How many kinds of work can still meet in one warp, if the whole block's elements are in order? Each path keeps its own code."},
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
