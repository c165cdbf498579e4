/* grader.c - what the lab of several GPUs is marked by: shares, kernels, six schedules. The box has
 * one GPU at most, so that times are modelled ones on any machine. */
#include "grading/mark/rubric.h"

enum { SHARES, BALL, VECTOR, MANY }; /* as in harness.c */

/* clang-format off */
#define CASE(id, what, sets, count, ranks) {.name = id, .n = count, .m = sets, .param = ranks, .dtype = DT_I64, .op = what, .flags = CASE_CHECK}
#define SPECIAL(id, what, sets, count, ranks) {.name = id, .n = count, .m = sets, .param = ranks, .dtype = DT_I64, .op = what, .flags = CASE_CHECK | CASE_SPECIAL}
#define IDLE(id, what, count, ranks, idle) {.name = id, .n = count, .m = 1, .k = idle, .param = ranks, .dtype = DT_I64, .op = what, .flags = CASE_CHECK}
static const struct lab_case cases[] = {
    {.name = "s-one", .n = 1, .m = 1, .param = 1, .dtype = DT_U32, .op = SHARES, .flags = CASE_CHECK}, {.name = "s-many", .n = 2000, .m = 1, .param = 1, .dtype = DT_U32, .op = SHARES, .flags = CASE_CHECK},
    CASE("b-one", BALL, 1, 1, 1), CASE("b-few", BALL, 1, 2, 4), CASE("b-odd", BALL, 1, 779, 4), IDLE("b-idle", BALL, 515, 2, 3), CASE("b-even", BALL, 1, 4096, 2), CASE("b-2^13", BALL, 1, 8192, 2), CASE("b-long", BALL, 1, 1 << 20, 4),
    CASE("v-one", VECTOR, 1, 1, 1), CASE("v-few", VECTOR, 1, 3, 4), CASE("v-odd", VECTOR, 1, 777, 3), IDLE("v-idle", VECTOR, 515, 2, 3), CASE("v-even", VECTOR, 1, 65536, 4), CASE("v-long", VECTOR, 1, 1 << 22, 4),
    CASE("m-one", MANY, 1, 1, 1), CASE("m-few", MANY, 33, 2, 4), CASE("m-odd", MANY, 777, 5, 3), CASE("m-even", MANY, 4096, 8, 2), CASE("m-long", MANY, 2048, 128, 4),
    /* a point just outside the ball, or just inside; sums that are great */
    SPECIAL("b-outside", BALL, 1, 4096, 2), SPECIAL("b-inside", BALL, 1, 4097, 3), SPECIAL("m-outside", MANY, 2, 4096, 2), SPECIAL("m-inside", MANY, 3, 4097, 1), SPECIAL("v-great", VECTOR, 1, 5003, 2),
};
/* Bounds on instructions: 124 a warp of points, or 154 where it counts them by votes and numbers them
 * in 64 bits, some 150 a warp beside them, or 182 where a thread asks for a share of its rank's, and
 * something more than these; of sets 84 a warp. A share that begins amid a sector asks for a fourth
 * more of them than one that does not: what lanes ask for is counted in bytes, too. A few sets may be
 * one rank's. */
/* No size is left out up to what a run here can take: few, more, and a corner of many of all. */
static const struct hidden_case hidden[] = {
    {.name = "hidden-s",      .kind = "any shares", .like = "s-many", .n_min = 2, .n_max = 3000, .any_scale = true},
    {.name = "hidden-many-s", .kind = "tens of thousands of shares", .like = "s-many", .n_min = 3001, .n_max = 140000, .any_scale = true},
    {.name = "hidden-b",      .kind = "any number of points", .like = "b-even b-odd", .n_min = 2, .n_max = 5000, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-more-b", .kind = "thousands of points", .like = "b-odd", .n_min = 5001, .n_max = 40000, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-some-b", .kind = "a few thousand points on several GPUs", .like = "b-even", .n_min = 1500, .n_max = 5000, .param_min = 2, .param_max = 4},
    {.name = "hidden-wide-b", .kind = "tens of thousands of points", .like = "b-odd", .n_min = 40001, .n_max = 140000, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-broad-b", .kind = "hundreds of thousands of points", .like = "b-odd", .n_min = 140001, .n_max = 280000, .param_min = 1, .param_max = 4},
    {.name = "hidden-many-b", .kind = "more points than a grid has threads", .like = "b-one", .n_min = 280001, .n_max = 420000},
    {.name = "hidden-long-b", .kind = "some million points on several GPUs", .like = "b-long", .n_min = 280001, .n_max = 1120003, .any_scale = true, .work_max = 2400000, .param_min = 2, .param_max = 4},
    {.name = "hidden-deep-b", .kind = "millions of points on several GPUs", .like = "b-long", .n_min = 1120004, .n_max = 1 << 22, .any_scale = true, .param_min = 2, .param_max = 4},
    {.name = "hidden-far-b", .kind = "more points than 22 bits count", .like = "b-long", .n_min = (1 << 22) + 60000, .n_max = 4400000, .param_min = 2, .param_max = 4},
    {.name = "hidden-fast-b", .kind = "points that several GPUs have in a moment", .like = "b-even", .n_min = 20000, .n_max = 160000, .any_scale = true, .param_min = 2, .param_max = 4},
    {.name = "hidden-fast-more-b", .kind = "thousands of points on several GPUs", .like = "b-odd", .n_min = 5001, .n_max = 20000, .param_min = 2, .param_max = 4},
    {.name = "hidden-fast-broad-b", .kind = "hundreds of thousands of points on several GPUs", .like = "b-odd", .n_min = 140001, .n_max = 280000, .param_min = 2, .param_max = 4},
    {.name = "hidden-idle-b", .kind = "blocks without points", .like = "b-idle", .n_min = 2000, .n_max = 20000, .k_min = 10, .k_max = 250, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-small-b", .kind = "hundreds of points on several GPUs", .like = "b-odd", .n_min = 600, .n_max = 1499, .param_min = 2, .param_max = 4},
    {.name = "hidden-near-b", .kind = "a point next to the ball's surface", .like = "b-outside b-inside", .n_min = 4096, .n_max = 6000, .param_min = 1, .param_max = 4},
    {.name = "hidden-near-m", .kind = "a point next to the ball's surface, of some sets", .like = "m-outside m-inside", .n_min = 4096, .n_max = 6000, .m_min = 1, .m_max = 6, .param_min = 1, .param_max = 4},
    {.name = "hidden-great-v", .kind = "millions of elements of one sign", .like = "v-great", .n_min = 4000000, .n_max = 4400000, .params = ONE_OF(1, 2)},
    {.name = "hidden-v",      .kind = "any number of elements", .like = "v-even v-odd", .n_min = 2, .n_max = 9000, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-some-v", .kind = "thousands of elements", .like = "v-odd", .n_min = 1500, .n_max = 9000, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-more-v", .kind = "tens of thousands of elements", .like = "v-odd", .n_min = 9001, .n_max = 290000, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-wide-v", .kind = "more elements than a grid has threads", .like = "v-odd", .n_min = 290001, .n_max = 1150000, .any_scale = true, .params = ONE_OF(1)},
    {.name = "hidden-mid-v",  .kind = "hundreds of thousands of elements on several GPUs", .like = "v-odd", .n_min = 290001, .n_max = 1150000, .any_scale = true, .param_min = 2, .param_max = 4},
    {.name = "hidden-long-v", .kind = "some million elements on several GPUs", .like = "v-long", .n_min = 1150001, .n_max = 4200000, .param_min = 2, .param_max = 4},
    {.name = "hidden-far-v", .kind = "more elements than 22 bits count", .like = "v-long", .n_min = (1 << 22) + 60000, .n_max = 4400000, .param_min = 1, .param_max = 4},
    {.name = "hidden-idle-v", .kind = "blocks without elements", .like = "v-idle", .n_min = 2000, .n_max = 60000, .k_min = 10, .k_max = 250, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-small-v", .kind = "hundreds of elements on several GPUs", .like = "v-odd", .n_min = 400, .n_max = 1499, .param_min = 2, .param_max = 4},
    {.name = "hidden-m",      .kind = "any number of sets", .like = "m-even m-odd", .n_min = 1, .n_max = 255, .m_min = 2, .m_max = 4599, .any_scale = true, .param_min = 1, .param_max = 4, .work_max = 120000},
    {.name = "hidden-deep-m", .kind = "sets of many points", .like = "m-even m-odd", .n_min = 191, .n_max = 4239, .m_min = 2, .m_max = 100, .any_scale = true, .param_min = 2, .param_max = 4, .work_max = 130000},
    {.name = "hidden-some-m", .kind = "a hundred points of a thousand sets", .like = "m-even m-odd", .n_min = 81, .n_max = 190, .m_min = 1000, .m_max = 1024, .params = ONE_OF(2, 4)} /* of which whole blocks of 256 are even shares, too */,
    {.name = "hidden-part-m", .kind = "hundreds of sets, fewer than blocks that are even shares", .like = "m-even", .n_min = 16, .n_max = 80, .m_min = 600, .m_max = 999, .params = ONE_OF(2, 4)},
    {.name = "hidden-low-m",  .kind = "tens of points of two thousand sets", .like = "m-even", .n_min = 9, .n_max = 80, .m_min = 2024, .m_max = 2048, .params = ONE_OF(2, 4)},
    {.name = "hidden-grid-m", .kind = "hundreds of points of a thousand sets", .like = "m-even", .n_min = 256, .n_max = 600, .m_min = 1000, .m_max = 1024, .params = ONE_OF(2, 4)},
    {.name = "hidden-both-m", .kind = "thousands of points of hundreds of sets", .like = "m-even m-odd", .n_min = 610, .n_max = 4000, .m_min = 105, .m_max = 999, .any_scale = true, .param_min = 2, .param_max = 4, .work_max = 1200000},
    {.name = "hidden-gap-m",  .kind = "hundreds of points of hundreds of sets", .like = "m-even", .n_min = 256, .n_max = 2000, .m_min = 101, .m_max = 599, .any_scale = true, .work_max = 300000, .params = ONE_OF(2, 3, 4)},
    {.name = "hidden-far-m",  .kind = "more points of a set than 16 bits count", .like = "m-odd", .n_min = 66000, .n_max = 70000, .m_min = 1, .m_max = 2, .param_min = 1, .param_max = 4},
    {.name = "hidden-more-m", .kind = "tens of thousands of sets", .like = "m-odd", .n_min = 1, .n_max = 7, .m_min = 3001, .m_max = 192063, .any_scale = true, .param_min = 1, .param_max = 4, .work_max = 300000},
    {.name = "hidden-many-m", .kind = "more sets than 18 bits count", .like = "m-even", .n_min = 1, .n_max = 1, .m_min = (1 << 18) + 96, .m_max = 275000, .param_min = 1, .param_max = 2},
    {.name = "hidden-long-m", .kind = "many points of many sets, on several GPUs", .like = "m-long", .n_min = 40, .n_max = 160, .m_min = 4600, .m_max = 7400, .work_max = 740000, .param_min = 2, .param_max = 4},
    {.name = "hidden-fast-m", .kind = "some sets, in chunks", .like = "m-even", .n_min = 8, .n_max = 15, .m_min = 6000, .m_max = 9000, .param_min = 2, .param_max = 4},
};

/* An atomic that changes nothing is a load, too. */
#define SECTORS(of) of " <= 1.3 * n / 8 + 80 * param + 8 * blocks"
#define CHECKED "Run it with CHECK=1: it names the line, the thread and the address."

/* Of each launch the busiest warp: its lanes' points, one after the other, and two sums. `threads`
 * are those that look at points and, of each rank, a block that adds their sums up. */
#define BY_ALL_BLOCKS                                                                              \
    "inst_executed_max_warp <= param * (170 * ceil(n / (threads - 256 * param)) + 310)"
/* Of all warps together, where each takes as many rounds as there are points for a thread: lanes with
 * one point more may be in any. */
#define FEW_BESIDE                                                                                 \
    "inst_executed <= 5 * (threads - 256 * param) * ceil(n / (threads - 256 * param)) + "        \
    "200 * warps"
/* The longest of a vector. Who loads four words at a time has work for a fourth of the threads of a
 * short one. */
#define VECTOR_BY_BLOCKS                                                                           \
    "inst_executed_max_warp <= param * (15 * ceil(n / (threads - 256 * param)) + 300)"
/* A thread has one set of a launch, of which it may have all points: no block has others' sets. */
#define SETS_BY_BLOCKS "inst_executed_max_warp <= launches * (140 * n + 310)"
/* A rank has its part of each set, or of each launch whole blocks of sets in turn. */
#define EVEN_PARTS                                                                                 \
    "skew <= max(1.15 + 3 / n, 1.03 * 256 * launches * ceil(m / (256 * launches)) / m)"

static const struct rubric_row rows[] = {
    {"shares-ok", 2, "Shares are the whole, once, for any n and number of ranks", ROW_CORRECT, "shares", .cases = "s-one s-many hidden-s hidden-many-s",
     .hint = "Write down the shares of 7 for 3 ranks, and of 2 for 4. And how large is n * rank at most?"},
    {"shares-clean", 1, "Shares: no bad access", ROW_CHECKS, "shares", .cases = "s-many hidden-s hidden-many-s", .hint = CHECKED},
    {"gather-ok", 3, "Points: fetched and added, they are right", ROW_CORRECT, "ball_gather", .cases = "b-one b-few b-odd b-idle b-even hidden-idle-b hidden-b hidden-more-b hidden-wide-b hidden-broad-b hidden-many-b b-outside b-inside hidden-near-b",
     .hint = "A share may have more points than the grid has threads, or none: what does a block of an empty share write?"},
    {"gather-clean", 1, "Points: no bad access", ROW_CHECKS, "ball_gather", .cases = "b-odd hidden-b hidden-idle-b hidden-broad-b", .hint = CHECKED},
    {"sum-ok", 2, "Points: the sum of all ranks is right", ROW_CORRECT, "ball_sum", .cases = "b-one b-few b-odd b-idle hidden-idle-b hidden-b hidden-more-b hidden-wide-b hidden-broad-b hidden-long-b hidden-deep-b hidden-far-b b-outside b-inside hidden-near-b",
     .hint = "Two steps: what every rank finds, and where they meet."},
    {"sum-shared", 1, "Points: each rank has its share, and no more", ROW_GATE, "ball_sum", .elsewhere = HERE_ONLY, .cases = "b-odd b-even hidden-small-b hidden-some-b hidden-more-b hidden-wide-b hidden-broad-b hidden-long-b hidden-deep-b hidden-far-b",
     .gate = "skew <= 1.03 + 500 / n && " FEW_BESIDE " && " BY_ALL_BLOCKS " && flop_fp32 + flop_fp64 == 0", .hint = "A rank that looks at all points, and keeps its own, is no faster than one GPU alone. Points near the ball's surface are told right by integers only. Or one rank works longer than the others, which wait for it in the sum. Who has how many points, of the ranks and of a rank's blocks? And what does your loop take for each point, or a thread before it, beside in_ball()?"},
    {"sum-fast", 1, "Points: one sum, no more", ROW_SPEED, "ball_sum", .cases = "b-even b-2^13 hidden-fast-b hidden-fast-more-b hidden-fast-broad-b hidden-long-b hidden-deep-b hidden-far-b", .evidence = EV_MODELLED, .ratio = 0.9, .tolerance = 0.02,
     .gate = BY_ALL_BLOCKS " && skew <= 1.03 + 500 / n", .elsewhere = HERE_ONLY,
     .hint = "A sum costs microseconds whatever its size. How many do you need? And has each thread of the grid its part of the points?"},
    {"vector-ok", 3, "Vector: the sum of all ranks is right", ROW_CORRECT, "vector_sum", .cases = "v-one v-few v-odd v-idle v-even hidden-idle-v hidden-v hidden-more-v hidden-wide-v hidden-mid-v hidden-long-v hidden-far-v v-great hidden-great-v",
     .hint = "More elements than the grid has threads: who takes the rest? Is one sum of yours 32 bits wide?"},
    {"vector-clean", 1, "Vector: no bad access", ROW_CHECKS, "vector_sum", .cases = "v-odd hidden-v hidden-idle-v hidden-wide-v", .hint = CHECKED},
    {"vector-once", 2, "Vector: each rank reads its share, in whole sectors", ROW_GATE, "vector_sum", .cases = "v-odd v-even hidden-small-v hidden-some-v hidden-more-v hidden-wide-v hidden-mid-v hidden-long-v hidden-far-v",
     .gate = "global_ld_bytes <= 4.05 * n + 256 * param + 8 * blocks && " SECTORS("global_ld_sectors") " && " SECTORS("global_sectors - global_st_sectors") " && skew <= 1.16 + min(0.09, 40000 / n) && skew_loaded <= 1.16 + min(0.09, 40000 / n) && " VECTOR_BY_BLOCKS /* 15 / 13: one of three shares begins amid a sector */, .hint = "A rank that reads all elements, and keeps its own, moves as many bytes as one GPU alone. And neighbouring lanes take neighbouring elements, all blocks some of them."},
    {"many-gather-ok", 3, "Many results: fetched and added, they are right", ROW_CORRECT, "many_gather", .cases = "m-one m-few m-odd hidden-m hidden-both-m hidden-grid-m hidden-deep-m hidden-far-m hidden-more-m hidden-many-m m-outside m-inside hidden-near-m",
     .hint = "Which set does thread j have in a chunk that begins at `first`, and where do other ranks' results of it lie?"},
    {"many-clean", 1, "Many results: no bad access", ROW_CHECKS, "many_gather", .cases = "m-odd hidden-m", .hint = CHECKED},
    {"many-sum-ok", 2, "Many results: in one sum, they are right", ROW_CORRECT, "many_sum", .cases = "m-one m-few m-odd hidden-m hidden-both-m hidden-low-m hidden-grid-m hidden-deep-m hidden-far-m hidden-more-m hidden-many-m m-outside m-inside hidden-near-m hidden-long-m",
     .hint = "As schedule 2."},
    {"many-shared", 1, "Many results: each rank has its share, and no more", ROW_GATE, "many_sum", .elsewhere = HERE_ONLY, .cases = "m-even hidden-m m-long hidden-part-m hidden-some-m hidden-low-m hidden-gap-m hidden-grid-m hidden-deep-m hidden-fast-m hidden-long-m",
     .gate = EVEN_PARTS " && " SETS_BY_BLOCKS " && inst_executed <= 4.3 * n * (m + 31) + 84 * warps", .hint = "A rank that looks at all points, and keeps its own, is no faster than one GPU alone. Or one rank works longer than the others, which wait for it in the sum, or one block than its rank's others."},
    {"chunks-ok", 3, "In chunks: results are right, sums go on beside kernels", ROW_CORRECT, "many_chunks", .cases = "m-one m-few m-odd m-even hidden-m hidden-both-m hidden-grid-m hidden-deep-m hidden-far-m hidden-more-m hidden-many-m m-outside m-inside hidden-near-m",
     .hint = "Kernels on one stream, sums on another; an event a chunk hands it on. No kernel has to wait for a sum."},
    {"chunks-fast", 2, "In chunks: no more of them than pay", ROW_SPEED, "many_chunks", .cases = "m-even hidden-fast-m hidden-long-m", .evidence = EV_MODELLED, .ratio = 0.85, .tolerance = 0.02,
     .gate = EVEN_PARTS " && " SETS_BY_BLOCKS " && inst_executed <= 4.3 * n * (m + 31) + 84 * warps", .elsewhere = HERE_ONLY,
     .hint = "Each sum costs its microseconds again. How many chunks hide enough? And has each rank its share of every set, and no more?"},
};
/* clang-format on */

const struct rubric rubric_multi_gpu = {
    .lab = "multi_gpu",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
