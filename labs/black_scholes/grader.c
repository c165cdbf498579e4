/* grader.c - what the Black-Scholes lab is marked by: four kernels and two schedules. */
#include "grading/mark/rubric.h"

/* As in harness.c: what a case's op says. */
enum { SOME_ARE_NONE = 1, NO_VOLATILITY = 2, RATE_BELOW_0 = 4, ANY_PRICE = 8, ANY_SCALE = 16 };

/* clang-format off */
#define OPTIONS(id, count, percent, volatility, what) {.name = id, .n = count, .k = percent, .param = volatility, .op = what, .dtype = DT_F32, .flags = CASE_CHECK}
/* Blocks of a warp in `many`: no grid has as many threads as it has options. */
static const struct lab_case cases[] = {
    OPTIONS("none", 0, 2, 30, 0), OPTIONS("one", 1, 2, 30, 0), OPTIONS("odd", 1003, 2, 30, 0), OPTIONS("other-market", 4096, 7, 55, 0), OPTIONS("no-rate", 130, 0, 20, 0),
    OPTIONS("below-0", 700, 4, 3, RATE_BELOW_0), OPTIONS("any", 700, 9, 160, ANY_PRICE), OPTIONS("any-below-0", 300, 6, 80, RATE_BELOW_0 | ANY_PRICE), OPTIONS("calm", 500, 3, 1, ANY_PRICE),
    OPTIONS("scale", 1200, 5, 30, ANY_SCALE), OPTIONS("scale-below-0", 1200, 3, 10, ANY_SCALE | RATE_BELOW_0),
    OPTIONS("some-none", 2001, 2, 30, SOME_ARE_NONE), OPTIONS("some-none-no-rate", 130, 0, 20, SOME_ARE_NONE), OPTIONS("volatility-nan", 66, 2, 30, NO_VOLATILITY), OPTIONS("volatility-below-0", 66, 0, -30, 0), OPTIONS("volatility-0", 66, 0, 0, 0),
    {.name = "many", .n = 100000, .k = 2, .param = 30, .dtype = DT_F32, .flags = CASE_CHECK, .block = 32},
    OPTIONS("fill", 1 << 18, 2, 30, 0), OPTIONS("large", 900000, 2, 30, 0), OPTIONS("large-gpu", 3 << 20, 2, 30, 0), OPTIONS("copies-gpu", 1 << 20, 2, 30, 0),
};
#define ANY_MARKET .any_scale = true, .k_min = 1, .k_max = 12, .param_min = 5, .param_max = 90
/* What is no option is none at any rate. */
#define ANY_NONE .ops = ONE_OF(SOME_ARE_NONE, SOME_ARE_NONE | RATE_BELOW_0, SOME_ARE_NONE | ANY_PRICE)
#define ANY_OPTIONS .ops = ONE_OF(0, RATE_BELOW_0, ANY_PRICE)
static const struct hidden_case hidden[] = {
    {.name = "hidden",       .kind = "any number of options, rate and volatility", .like = "odd", .n_min = 2, .n_max = 9000, ANY_MARKET},
    {.name = "hidden-market", .kind = "any price, strike and time, any rate, also below 0", .like = "below-0 any any-below-0", .n_min = 2, .n_max = 9000, .any_scale = true, .k_min = 1, .k_max = 6, .param_min = 1, .param_max = 200},
    {.name = "hidden-calm",  .kind = "little volatility, any price, strike and time", .like = "calm", .n_min = 400, .n_max = 4000, .any_scale = true, .k_min = 1, .k_max = 6, .param_min = 1, .param_max = 6},
    {.name = "hidden-more-market", .kind = "thousands of options, any price, strike and time, high rates", .like = "any any-below-0", .n_min = 9001, .n_max = 70000, .any_scale = true, .k_min = 13, .k_max = 20, .param_min = 92, .param_max = 200},
    {.name = "hidden-more-calm", .kind = "thousands of options, no rate and little volatility", .like = "no-rate", .n_min = 9001, .n_max = 70000, .any_scale = true, .param_min = 1, .param_max = 4},
    {.name = "hidden-scale", .kind = "prices, strikes, times and rates of any size", .like = "scale", .n_min = 1000, .n_max = 6000, .any_scale = true, .k_min = 1, .k_max = 20, .param_min = 1, .param_max = 200},
    {.name = "hidden-scale-below-0", .kind = "prices, strikes and times of any size, any rate below 0", .like = "scale-below-0", .n_min = 1000, .n_max = 6000, .any_scale = true, .k_min = 1, .k_max = 20, .param_min = 1, .param_max = 200},
    {.name = "hidden-more-scale", .kind = "thousands of options of any size, any rate", .like = "scale scale-below-0", .n_min = 9001, .n_max = 40000, .any_scale = true, .k_min = 1, .k_max = 20, .param_min = 1, .param_max = 200},
    {.name = "hidden-some",  .kind = "hundreds of options, any rate and volatility", .like = "odd", .n_min = 300, .n_max = 9000, ANY_MARKET, ANY_OPTIONS},
    {.name = "hidden-more",  .kind = "thousands of options, any rate and volatility", .like = "odd", .n_min = 9001, .n_max = 131071, ANY_MARKET, ANY_OPTIONS},
    {.name = "hidden-17",    .kind = "more options than 2^17", .like = "odd", .n_min = (1 << 17) + 1, .n_max = 1 << 18, ANY_MARKET, ANY_OPTIONS},
    {.name = "hidden-block", .kind = "any number of options, other blocks", .like = "odd", .n_min = 2, .n_max = 60000, ANY_MARKET, .blocks = ONE_OF(64, 128)},
    {.name = "hidden-none",  .kind = "any number, of which some are no options", .like = "some-none", .n_min = 2, .n_max = 9000, ANY_MARKET, ANY_NONE},
    {.name = "hidden-more-none", .kind = "thousands, of which some are no options, and a rate below 0", .like = "some-none", .n_min = 9001, .n_max = 200000, ANY_MARKET, .ops = ONE_OF(SOME_ARE_NONE | RATE_BELOW_0)},
    {.name = "hidden-many-none", .kind = "thousands, of which some are no options, and a rate above 0", .like = "some-none", .n_min = 12000, .n_max = 200000, ANY_MARKET, .ops = ONE_OF(SOME_ARE_NONE, SOME_ARE_NONE | ANY_PRICE)},
    {.name = "hidden-below-0", .kind = "a volatility below 0", .like = "volatility-below-0", .n_min = 2, .n_max = 20000, .any_scale = true, .k_min = 1, .k_max = 12, .param_min = -200, .param_max = -1, .ops = ONE_OF(0, RATE_BELOW_0)},
    {.name = "hidden-no-volatility", .kind = "no volatility, and a rate below 0", .like = "volatility-0", .n_min = 2, .n_max = 20000, .any_scale = true, .k_min = 1, .k_max = 12, .ops = ONE_OF(RATE_BELOW_0, NO_VOLATILITY | RATE_BELOW_0)},
    {.name = "hidden-many",  .kind = "more options than a grid has threads", .like = "many", .n_min = (1 << 18) + 96, .n_max = 280000, ANY_MARKET},
    {.name = "hidden-fill",  .kind = "as many options as a GPU has threads", .like = "fill", .n_min = 280000, .n_max = 420000, ANY_MARKET},
    {.name = "hidden-fills", .kind = "several times as many options as a GPU has threads", .like = "fill", .n_min = 460000, .n_max = 900000, ANY_MARKET},
    {.name = "hidden-large", .kind = "about a million options", .like = "large", .n_min = 780000, .n_max = 1400000, ANY_MARKET},
};

#define GIVEN   "It is there to compare yours with: leave it as it was."
#define CHECKED "Run it with CHECK=1: it names the line, the thread and the address."
#define NONE    "What becomes of a comparison with NaN? Of the quotient of two numbers that are both below 0? Of fminf() and fmaxf() with one NaN?"
#define LEAN    "thread_inst_fp64 == 0 && global_sectors <= 1.02 * ref.global_sectors + 32 && local_st_sectors + global_atom_requests + global_red_requests + async_sends == 0"
/* Three options by the last thread. */
#define WIDE    "global_ld_requests <= 3 * n / 128 + 15 && global_st_requests <= 2 * n / 128 + 10"
/* The busiest warp has no more options than there are for each, at what one of them takes. Where a
 * branch is some options' alone, the whole warp takes it; and one warp, of whose lanes some have an
 * option less, may walk another loop for these. */
#define SPREAD "inst_executed_max_warp <= 1.2 * ceil(n / threads) * thread_inst_executed_pred_on / n + 30"
/* Who walks along five pointers and counts rounds has some 20 instructions a thread more than the
 * reference before the first option: of one option a thread that is more than 15 %. */
#define FEW "thread_inst_executed_pred_on <= 1.15 * ref.thread_inst_executed_pred_on + 20 * threads + " MORE
/* A thread of the reference's divides once, and works out what is the same for its options in 27
 * instructions: so many may each thread have that it does not have itself. */
#define MORE    "27 * max(0, threads - 32 * ref.div_ops)"

/* Three for each thread, before its options: where it has several, as in `many`, one for each is more. */
#define FEW_DIVISIONS "div_ops <= 3 * warps + 0.1 * n / 32"

static const struct rubric_row rows[] = {
    {"given-move", 0, "The given move is still right", ROW_CORRECT, "move", .cases = "one odd other-market", .hint = GIVEN},
    {"given-pageable", 0, "The given schedule is still right", ROW_CORRECT, "pageable", .cases = "one odd", .hint = GIVEN},
    {"direct-ok", 4, "Calls and puts, an option a thread", ROW_CORRECT, "direct", .cases = "none one odd other-market no-rate below-0 any any-below-0 calm hidden hidden-market hidden-calm hidden-more-market hidden-more-calm scale scale-below-0 hidden-scale hidden-scale-below-0 hidden-more-scale hidden-more hidden-17",
     .hint = "Work one option out by hand, step by step: d1, d2, N of both. For d above 0 the polynomial gives what is missing from 1."},
    {"direct-none", 1, "What is no option has no price", ROW_CORRECT, "direct", .cases = "some-none some-none-no-rate volatility-nan volatility-below-0 volatility-0 hidden-none hidden-more-none hidden-many-none hidden-below-0 hidden-no-volatility", .hint = NONE},
    {"direct-float", 1, "Floats alone", ROW_GATE, "direct", .cases = "other-market hidden hidden-more hidden-17", .gate = LEAN,
     .hint = "A literal without f is a double, and makes what it is added to or multiplied by one. So does a function without f at its end."},
    {"direct-clean", 1, "No bad access", ROW_CHECKS, "direct", .cases = "one odd hidden hidden-more", .hint = CHECKED},
    {"strided-ok", 2, "A fixed grid, any number of options", ROW_CORRECT, "strided", .cases = "none one odd many no-rate below-0 any any-below-0 calm hidden hidden-market hidden-calm hidden-more-market hidden-more-calm scale scale-below-0 hidden-scale hidden-scale-below-0 hidden-more-scale hidden-some hidden-more hidden-17 hidden-block hidden-many hidden-fill",
     .hint = "With 3 threads and 8 options: which ones has thread 0? How far is it from one to the next?"},
    {"strided-clean", 1, "A fixed grid: no bad access", ROW_CHECKS, "strided", .cases = "odd hidden hidden-more", .hint = CHECKED},
    {"strided-fills", 2, "A fixed grid that fills the GPU, in whole sectors", ROW_SPEED, "strided", .cases = "fill hidden-fill hidden-fills", .gpu_cases = "large-gpu", .ratio = 0.78, .tolerance = 0.02,
     .gate = "inst_executed_max_warp <= 5 * ref.inst_executed_max_warp && threads / min(n, 132 * 2048) >= 0.45 && " SPREAD " && " LEAN, .elsewhere = 1.2, .hint = "How many threads can 132 SMs hold, and how many has your grid? Lanes should be neighbours. If both are so, what costs is arithmetic."},
    {"fast-ok", 1, "Fast functions: still right", ROW_CORRECT, "fast", .cases = "none one odd many no-rate below-0 any any-below-0 calm hidden hidden-market hidden-calm hidden-more-market hidden-more-calm scale scale-below-0 hidden-scale hidden-scale-below-0 hidden-more-scale hidden-some hidden-more hidden-17 hidden-block hidden-many hidden-fill",
     .hint = "Each fast function has a range where it is good: the CUDA C++ Programming Guide's table of intrinsic functions. What is divided by a small number should be exact."},
    {"fast-none", 1, "Fast functions: what is no option has no price", ROW_CORRECT, "fast", .cases = "some-none some-none-no-rate volatility-nan volatility-below-0 volatility-0 hidden-none hidden-more-none hidden-many-none hidden-below-0 hidden-no-volatility", .hint = NONE},
    {"fast-clean", 1, "Fast functions: no bad access", ROW_CHECKS, "fast", .cases = "odd hidden hidden-more", .hint = CHECKED},
    {"fast-short", 3, "Fast functions: few instructions", ROW_GATE, "fast", .cases = "odd many hidden-some hidden-more hidden-17 hidden-block hidden-many hidden-fill",
     .gate = FEW " && " SPREAD " && " FEW_DIVISIONS " && " LEAN, .elsewhere = 1.2,
     .hint = "What is the same for all options is worked out once. A division that has to be exact is a dozen instructions, so that three a thread are allowed; so are logf and expf. 15 % more instructions than ours are allowed, and 20 more a thread."},
    {"vector-ok", 2, "Four options a load: right", ROW_CORRECT, "vector", .cases = "none one odd many no-rate below-0 any any-below-0 calm hidden hidden-market hidden-calm hidden-more-market hidden-more-calm scale scale-below-0 hidden-scale hidden-scale-below-0 hidden-more-scale hidden-some hidden-more hidden-block hidden-many hidden-17 hidden-large",
     .hint = "1003 options: which thread has the last three, and what may it load?"},
    {"vector-none", 1, "Four options a load: what is no option has no price", ROW_CORRECT, "vector", .cases = "some-none some-none-no-rate volatility-nan volatility-below-0 volatility-0 hidden-none hidden-more-none hidden-many-none hidden-below-0 hidden-no-volatility", .hint = NONE},
    {"vector-clean", 1, "Four options a load: no bad access", ROW_CHECKS, "vector", .cases = "one odd hidden hidden-more", .hint = CHECKED},
    {"vector-wide", 2, "Four options a load: 16 bytes a lane", ROW_GATE, "vector", .cases = "odd many hidden-many hidden hidden-some hidden-more hidden-17",
     .gate = WIDE " && " LEAN,
     .hint = "A float4 is one load for four options. How many loads has a warp for its 128?"},
    {"vector-fast", 3, "As fast as memory lets it", ROW_SPEED, "vector", .cases = "large hidden-large", .gpu_cases = "large-gpu", .ratio = 0.9, .tolerance = 0.03,
     .gate = "inst_executed_max_warp <= 1.25 * ref.inst_executed_max_warp * inst_executed / ref.inst_executed && " WIDE " && " LEAN, .hint = "Is it the memory that it waits for? Compare with move: what is left of the difference is arithmetic."},
    {"pinned-ok", 1, "Pinned: right", ROW_CORRECT, "pinned", .cases = "one odd hidden hidden-more hidden-large", .hint = "It is the given schedule, with another memory."},
    {"pinned-fast", 1, "Pinned: as fast as the bus", ROW_SPEED, "pinned", .cases = "large hidden-large", .gpu_cases = "copies-gpu", .ratio = 0.9, .tolerance = 0.02,
     .gate = "bytes_in == 12 * n && bytes_out == 8 * n", .hint = "Every copy costs microseconds before its first byte: how many do you need?"},
    {"overlap-ok", 2, "Overlap: right", ROW_CORRECT, "overlap", .cases = "one odd hidden hidden-more hidden-large",
     .hint = "All three steps of a chunk on one stream, the next chunk on another."},
    {"overlap-fast", 4, "Overlap: both directions at once", ROW_SPEED, "overlap", .cases = "large hidden-large", .gpu_cases = "copies-gpu", .ratio = 0.9, .tolerance = 0.02,
     .gate = "overlap >= 1.25 && bytes_in == 12 * n && bytes_out == 8 * n",
     .hint = "Draw who works when, a row each for copies in, kernels, copies out. Few chunks overlap little; each costs five copies' start."},
};
/* clang-format on */

const struct rubric rubric_black_scholes = {
    .lab = "black_scholes",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
