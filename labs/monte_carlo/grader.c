/* grader.c - what the Monte Carlo lab is marked by: the six kernels that a student writes, and the
 * switch. */
#include "grading/mark/rubric.h"

enum { TWISTER, PHILOX, NORMALS, ARRAY, PRICES }; /* as in harness.c */
enum { SOME_BAD = 1, ANY_SCALE = 2 };

/* clang-format off */
#define WORDS(id, what, count, streams) {.name = id, .n = count, .m = streams, .dtype = DT_U32, .op = what, .flags = CASE_CHECK}
#define NUMBERS(id, count) {.name = id, .n = count, .dtype = DT_F32, .op = NORMALS, .flags = CASE_CHECK}
#define CALLS(id, what, paths, options, bad) {.name = id, .n = paths, .m = options, .param = bad, .dtype = DT_F32, .op = what, .flags = CASE_CHECK}

static const struct lab_case cases[] = {
    WORDS("t1", TWISTER, 1, 1), WORDS("t33", TWISTER, 33, 70), WORDS("t17", TWISTER, 17, 257),
    WORDS("p1", PHILOX, 1, 0), WORDS("p777", PHILOX, 777, 0),
    NUMBERS("z1", 1), NUMBERS("z777", 777),
    CALLS("a1", ARRAY, 1, 1, 0), CALLS("a2", ARRAY, 2, 9, 0), CALLS("a777", ARRAY, 777, 17, SOME_BAD), CALLS("a-none", ARRAY, 40, 75, SOME_BAD), CALLS("a2048", ARRAY, 2048, 9, 0),
    CALLS("b1", PRICES, 1, 1, 0), CALLS("b2", PRICES, 2, 9, 0), CALLS("b777", PRICES, 777, 17, SOME_BAD), CALLS("b-none", PRICES, 40, 75, SOME_BAD), CALLS("b2048", PRICES, 2048, 9, 0), CALLS("b5003", PRICES, 5003, 3, 0),
    CALLS("a-scale", ARRAY, 600, 80, ANY_SCALE), CALLS("b-scale", PRICES, 600, 80, ANY_SCALE),
    CALLS("b-long", PRICES, 1 << 14, 4, 0), CALLS("b-many", PRICES, 1500, 40, 0), CALLS("b-long-gpu", PRICES, 1 << 20, 64, 0),
    CALLS("b-wide", PRICES, 1 << 15, 4, 0), CALLS("b-wide-gpu", PRICES, 1 << 22, 4, 0),
    CALLS("few-paths", PRICES, 9000, 16, 0),
    CALLS("many-paths", PRICES, 1 << 16, 16, 0), CALLS("many-paths-gpu", PRICES, 1 << 18, 64, 0),
};
static const struct hidden_case hidden[] = {
    {.name = "hidden-t",      .kind = "any number of twisters, of any length", .like = "t33", .n_min = 1, .n_max = 200, .m_min = 2, .m_max = 600, .any_scale = true},
    {.name = "hidden-more-t", .kind = "thousands of words of a twister", .like = "t33", .n_min = 201, .n_max = 40000, .m_min = 1, .m_max = 20, .any_scale = true},
    {.name = "hidden-long-t", .kind = "more than 65536 words of a twister", .like = "t33", .n_min = 65600, .n_max = 80000, .m_min = 1, .m_max = 3},
    {.name = "hidden-many-t", .kind = "thousands of twisters", .like = "t33", .n_min = 1, .n_max = 120, .m_min = 601, .m_max = 4096, .any_scale = true},
    {.name = "hidden-mid-t",  .kind = "a hundred words and more of thousands of twisters", .like = "t33", .n_min = 121, .n_max = 200, .m_min = 601, .m_max = 4096, .any_scale = true, .work_max = 400000},
    {.name = "hidden-both-t", .kind = "hundreds of words of thousands of twisters", .like = "t33", .n_min = 201, .n_max = 300, .m_min = 1500, .m_max = 4096},
    {.name = "hidden-grid-t", .kind = "hundreds of words of tens of twisters", .like = "t33", .n_min = 201, .n_max = 40000, .m_min = 21, .m_max = 4096, .any_scale = true, .work_max = 1200000},
    {.name = "hidden-p",      .kind = "any number of counters", .like = "p777", .n_min = 2, .n_max = 3000, .any_scale = true},
    {.name = "hidden-more-p", .kind = "thousands of counters", .like = "p777", .n_min = 3001, .n_max = 24000, .any_scale = true},
    {.name = "hidden-wide-p", .kind = "tens of thousands of counters", .like = "p777", .n_min = 24001, .n_max = 131071, .any_scale = true},
    {.name = "hidden-many-p", .kind = "more than 65536 counters", .like = "p777", .n_min = (1 << 17) + 96, .n_max = 200000},
    {.name = "hidden-z",      .kind = "any number of pairs", .like = "z777", .n_min = 2, .n_max = 3000, .any_scale = true},
    {.name = "hidden-more-z", .kind = "thousands of pairs", .like = "z777", .n_min = 3001, .n_max = 24000, .any_scale = true},
    {.name = "hidden-wide-z", .kind = "tens of thousands of pairs", .like = "z777", .n_min = 24001, .n_max = 131071, .any_scale = true},
    {.name = "hidden-many-z", .kind = "more than 65536 pairs", .like = "z777", .n_min = (1 << 17) + 96, .n_max = 200000},
    {.name = "hidden-a",      .kind = "any number of paths and options, numbers from memory", .like = "a777 a2048", .n_min = 2, .n_max = 4000, .m_min = 1, .m_max = 60, .any_scale = true},
    {.name = "hidden-wide-a", .kind = "hundreds of options, numbers from memory", .like = "a777 a2048", .n_min = 5, .n_max = 600, .m_min = 61, .m_max = 1500, .any_scale = true},
    {.name = "hidden-deep-a", .kind = "thousands of numbers from memory, tens of options", .like = "a2048", .n_min = 4001, .n_max = 16000, .m_min = 5, .m_max = 40, .any_scale = true},
    {.name = "hidden-more-a", .kind = "tens of thousands of numbers from memory", .like = "a2048", .n_min = 4001, .n_max = 190000, .m_min = 1, .m_max = 4, .any_scale = true},
    {.name = "hidden-many-a", .kind = "more than 65536 numbers from memory", .like = "a2048", .n_min = 190001, .n_max = 240000, .m_min = 1, .m_max = 3},
    {.name = "hidden-grid-a", .kind = "thousands of numbers from memory, hundreds of options", .like = "a777 a2048", .n_min = 601, .n_max = 16000, .m_min = 61, .m_max = 1500, .any_scale = true, .work_max = 1000000},
    {.name = "hidden-far-a",  .kind = "tens of thousands of numbers from memory, some options", .like = "a2048", .n_min = 16001, .n_max = 190000, .m_min = 5, .m_max = 60, .any_scale = true, .work_max = 1000000},
    {.name = "hidden-scale-a", .kind = "options of any size, numbers from memory", .like = "a-scale", .n_min = 40, .n_max = 8000, .m_min = 30, .m_max = 600, .any_scale = true, .work_max = 200000},
    {.name = "hidden-scale-b", .kind = "options of any size", .like = "b-scale", .n_min = 40, .n_max = 8000, .m_min = 30, .m_max = 600, .any_scale = true, .work_max = 200000},
    {.name = "hidden-b",      .kind = "any number of paths and options", .like = "b777 b2048", .n_min = 2, .n_max = 6000, .m_min = 1, .m_max = 60, .any_scale = true},
    {.name = "hidden-more-b", .kind = "tens of thousands of paths", .like = "b2048", .n_min = 6001, .n_max = 262000, .m_min = 1, .m_max = 3, .any_scale = true},
    {.name = "hidden-many-b", .kind = "more than 65536 times 4 paths", .like = "b2048", .n_min = 262200, .n_max = 300000, .m_min = 1, .m_max = 1},
    {.name = "hidden-wide-b", .kind = "hundreds of options", .like = "b777 b2048", .n_min = 5, .n_max = 300, .m_min = 61, .m_max = 480, .any_scale = true},
    {.name = "hidden-deep-b", .kind = "hundreds of options, more paths than their threads have at a time", .like = "b777 b2048", .n_min = 1100, .n_max = 1300, .m_min = 530, .m_max = 700},
    {.name = "hidden-mid-b",  .kind = "hundreds of options and of paths", .like = "b777 b2048", .n_min = 301, .n_max = 1300, .m_min = 61, .m_max = 700, .any_scale = true, .work_max = 400000},
    {.name = "hidden-grid-b", .kind = "hundreds of options, thousands of paths", .like = "b777 b2048", .n_min = 1301, .n_max = 9000, .m_min = 64, .m_max = 460, .any_scale = true, .work_max = 600000},
    {.name = "hidden-long-b", .kind = "other long simulations", .like = "b-long", .n_min = 1100, .n_max = 24000, .any_scale = true, .m_min = 2, .m_max = 63},
    {.name = "hidden-few-b",  .kind = "other long simulations of a few options", .like = "b-wide", .n_min = 10000, .n_max = 80000, .any_scale = true, .m_min = 2, .m_max = 7},
    {.name = "hidden-most-b", .kind = "longer simulations of a few options", .like = "b-wide", .n_min = 80001, .n_max = 262000, .any_scale = true, .m_min = 1, .m_max = 2},
    {.name = "hidden-switch", .kind = "tens of thousands of paths for the switch", .like = "many-paths", .n_min = 48000, .n_max = 64000, .m_min = 9, .m_max = 12},
    {.name = "hidden-few-paths", .kind = "thousands of paths for the switch", .like = "few-paths", .n_min = 5000, .n_max = 9000, .m_min = 12, .m_max = 20},
    {.name = "hidden-many-o", .kind = "thousands of paths of tens of options", .like = "b2048", .n_min = 9000, .n_max = 16000, .m_min = 17, .m_max = 30},
    {.name = "hidden-far-o",  .kind = "more than 65536 paths of some options", .like = "b2048", .n_min = 65600, .n_max = 110000, .m_min = 5, .m_max = 8, .work_max = 600000},
};

/* Numbers that a thread makes for itself need no memory, of no kind: shared memory is for its sums. */
#define NO_MEMORY "global_sectors <= 1.5 * ref.global_sectors + 64 && local_st_sectors == 0 && shared_st_bytes <= 32 * threads"
/* No warp is there for show: of any of them the option that it has loaded tells. */
#define ALL_WARPS "influence(one_warp) >= 0.9"
/* Nor a lane: most that an instruction could do is done. */
#define ALL_LANES "flop_fp32_slots <= 1.3 * flop_fp32"
/* Launches take most of the time, so that it tells little of work. */
#define LONGEST "inst_executed_max_warp <= 3 * ref.inst_executed_max_warp"
/* The busiest warp is as far above the others as the reference's: none has another's part. */
#define EVEN "inst_executed_max_warp <= 1.2 * ref.inst_executed_max_warp * inst_executed / ref.inst_executed"
/* The same of an array's numbers: of thousands no loop leaves a warp many less, and beside them the
 * warp that ends the sum, or has four numbers more, may have some 80 instructions. */
#define EVENER "inst_executed_max_warp <= (1.1 + min(0.1, 600 / n)) * ref.inst_executed_max_warp * inst_executed / ref.inst_executed + 80"
#define CHECKED "Run it with CHECK=1: it names the line, the thread and the address."

static const struct rubric_row rows[] = {
    {"given-price_curand", 0, "The given price_curand is still right", ROW_CORRECT, "price_curand", .cases = "b1 b2 b777 b2048 b5003 hidden-b",
     .hint = "It is there to compare yours with: leave it as it was. (Where cuRAND's headers are not installed there is none.)"},
    {"twister-ok", 2, "Twisters: all words are right", ROW_CORRECT, "twister", .cases = "t1 t33 t17 hidden-t hidden-more-t hidden-long-t hidden-many-t hidden-mid-t hidden-both-t hidden-grid-t",
     .hint = "Write down the first 18 words of one twister: which of them does word 17 need, which word 18?"},
    {"twister-clean", 1, "Twisters: no bad access", ROW_CHECKS, "twister", .cases = "t33 hidden-t hidden-many-t", .hint = CHECKED},
    {"twister-registers", 2, "Twisters: the state stays in registers", ROW_GATE, "twister", .cases = "t33 hidden-t hidden-more-t hidden-long-t hidden-many-t hidden-mid-t hidden-both-t hidden-grid-t",
     .gate = "local_ld_sectors + local_st_sectors == 0 && inst_executed_max_warp <= 1.6 * ref.inst_executed_max_warp && global_sectors <= 1.1 * ref.global_sectors + n + 64 && shared_ld_bytes + shared_st_bytes + async_sends == 0", .hint = "Registers have no index at run time. When does the compiler know which of the 17 words a step is about?"},
    {"philox-ok", 2, "Philox: all words are right", ROW_CORRECT, "philox", .cases = "p1 p777 hidden-p hidden-more-p hidden-wide-p hidden-many-p",
     .hint = "Counter 0 and key 0 make 6627e8d5 e169c58d bc57ac4c 9b00dbd8. What is it after one round?"},
    {"philox-clean", 1, "Philox: no bad access", ROW_CHECKS, "philox", .cases = "p777 hidden-p hidden-wide-p", .hint = CHECKED},
    {"normals-ok", 2, "Box and Muller: all numbers are right", ROW_CORRECT, "normals", .cases = "z1 z777 hidden-z hidden-more-z hidden-wide-z hidden-many-z",
     .hint = "Which word makes the radius, which the angle? Which of the two numbers is the sine's?"},
    {"normals-clean", 1, "Box and Muller: no bad access", ROW_CHECKS, "normals", .cases = "z777 hidden-z hidden-wide-z", .hint = CHECKED},
    {"array-ok", 3, "Numbers from memory: prices and intervals are right", ROW_CORRECT, "price_array", .cases = "a1 a2 a777 a2048 a-none hidden-a hidden-wide-a hidden-deep-a hidden-more-a hidden-many-a hidden-grid-a hidden-far-a a-scale hidden-scale-a",
     .hint = "Take one option and two paths by hand. And what does your kernel say of an option whose volatility is NaN, of a single path?"},
    {"array-clean", 1, "Numbers from memory: no bad access", ROW_CHECKS, "price_array", .cases = "a777 hidden-a hidden-deep-a", .hint = CHECKED},
    {"array-whole", 1, "Numbers from memory: sectors are used whole", ROW_GATE, "price_array", .cases = "a777 a2048 hidden-a hidden-wide-a hidden-deep-a hidden-more-a hidden-many-a",
     .gate = "global_ld_sectors <= 1.05 * m * n / 8 + 100 * m && global_sectors <= 1.05 * m * n / 8 + 110 * m && inst_executed <= m * n + 400 * warps && " EVENER " && influence(one_warp) >= 0.6 - 1 / m - max(0, 512 - n)",
     .hint = "All threads of the block have paths of its option. Which numbers do lanes 0 and 1 load in the same instruction? They should be neighbours. And has each warp as many paths as the others?"},
    {"block-ok", 3, "Own numbers: prices and intervals are right", ROW_CORRECT, "price_block", .cases = "b1 b2 b777 b2048 b-none hidden-b hidden-more-b hidden-many-b hidden-wide-b hidden-deep-b hidden-long-b hidden-mid-b hidden-grid-b hidden-few-b b-scale hidden-scale-b",
     .hint = "A price is right when it is that of these very paths, each taken once: which counter has path 5 of option 3, and which of its four numbers? A formula knows nothing of them."},
    {"block-clean", 1, "Own numbers: no bad access", ROW_CHECKS, "price_block", .cases = "b777 hidden-b", .hint = CHECKED},
    {"block-speed", 2, "Own numbers: as fast as the reference", ROW_SPEED, "price_block", .cases = "b-long b-many b2048 hidden-long-b", .gpu_cases = "b-long-gpu", .ratio = 0.5, .tolerance = 0.05,
     .gate = LONGEST " && " EVEN " && inst_executed <= 2.6 * ref.inst_executed && " NO_MEMORY " && " ALL_LANES " && " ALL_WARPS, .elsewhere = 1.2,
     .hint = "How many of a counter's four words do you use? Is anything worked out for each path that is the same for all paths of the option? And which lanes of a warp have nothing to do in its last round?"},
    {"blocks-ok", 3, "Several blocks: prices and intervals are right", ROW_CORRECT, "price_blocks", .cases = "b1 b2 b777 b2048 b-none b5003 hidden-b hidden-more-b hidden-many-b hidden-wide-b hidden-deep-b hidden-mid-b hidden-grid-b hidden-few-b hidden-many-o hidden-far-o b-scale hidden-scale-b",
     .hint = "Each path belongs to one thread of one block. Which paths has block 1 of 2? What does the second kernel add?"},
    {"blocks-clean", 1, "Several blocks: no bad access", ROW_CHECKS, "price_blocks", .cases = "b777 b5003 hidden-b", .hint = CHECKED},
    {"blocks-order", 1, "Several blocks: the same seed, the same bits", ROW_GATE, "price_blocks", .cases = "b5003 hidden-b hidden-few-b hidden-wide-b",
     .gate = "global_atom_requests + global_red_requests + shared_atom_requests + mbarrier_arrivals + async_sends == 0 && clock_reads == 0 && global_st_bytes <= ref.global_st_bytes", .hint = "In which order do atomics add? And nothing may hang on when a warp gets its turn. Floats that are added in another order come to another sum."},
    {"blocks-speed", 2, "Several blocks: as fast as the reference", ROW_SPEED, "price_blocks", .cases = "b-wide hidden-few-b hidden-most-b hidden-many-o", .gpu_cases = "b-wide-gpu", .ratio = 0.5, .tolerance = 0.05,
     .gate = LONGEST " && " EVEN " && inst_executed <= 1.8 * ref.inst_executed && " NO_MEMORY " && " ALL_LANES " && influence(one_block) >= 0.9 && " ALL_WARPS, .elsewhere = 1.5,
     .hint = "How many paths has the thread that has most? They should be spread over all blocks alike."},
    {"switch-few", 1, "The switch: few paths", ROW_SPEED, "price_switch", .cases = "few-paths hidden-few-paths", .ratio = 0.5, .tolerance = 0.05, .evidence = EV_MODELLED,
     /* blocks tell which of the two is taken; how fast a slower one may be, its own row says */
     .gate = "blocks <= m", .elsewhere = HERE_ONLY,
     /* one launch of a few microseconds, timed once, is the host's as much as the GPU's: an H200 that
      * takes 1.6 times as long for several blocks when launches follow each other did not tell */
     .hint = "What does a second launch cost? (Or is it price_block itself that is slow?) Look at price_block and price_blocks in the tables of few paths. The switch of 2008 was measured on another GPU."},
    {"switch-many", 1, "The switch: many paths", ROW_SPEED, "price_switch", .cases = "many-paths hidden-switch", .gpu_cases = "many-paths-gpu", .ratio = 0.75, .tolerance = 0.05,
     .hint = "How many of the GPU's 132 SMs have something to do with one block an option?"},
};
/* clang-format on */

const struct rubric rubric_monte_carlo = {
    .lab = "monte_carlo",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
