/* grader.c - what the latency lab is marked by: the five kernels a student writes. */
#include "grading/mark/rubric.h"

enum { ARITHMETIC, WALK, COPY, FIT, SCHEDULE }; /* as in harness.c */
enum { FOUR_WARPS = 132 * 4 * 32 };             /* on each SM of an H200: a scheduler has one */

/* clang-format off */
#define STEPS(id, count, rounds, w) {.name = id, .n = count, .k = rounds, .param = w, .dtype = DT_F32, .op = ARITHMETIC, .flags = CASE_CHECK | CASE_SPECIAL}
#define WALKS(id, count, length, rounds, w) {.name = id, .n = count, .m = length, .k = rounds, .param = w, .dtype = DT_U32, .op = WALK, .flags = CASE_CHECK}
#define COPIES(id, count, w) {.name = id, .n = count, .param = w, .dtype = DT_F32, .op = COPY, .flags = CASE_CHECK | CASE_SPECIAL}
#define KERNELS(id, count) {.name = id, .n = count, .dtype = DT_U32, .op = FIT, .flags = CASE_CHECK}
#define GRIDS(id, count, blocks) {.name = id, .n = count, .k = blocks, .dtype = DT_U32, .op = SCHEDULE, .flags = CASE_CHECK}

static const struct lab_case cases[] = {
    STEPS("x1", 1, 5, 0), STEPS("x1002", 1002, 40, 0), STEPS("x1024", 1024, 17, 0), STEPS("x-none", 1002, 0, 0),
    STEPS("block-of-64", 2112, 512, 8), STEPS("block-of-128", 2112, 512, 0), STEPS("block-of-256", 2112, 512, 32),
    STEPS("few-warps", FOUR_WARPS, 1024, 4), STEPS("few-warps-gpu", 132 * 16, 8192, 4),
    WALKS("w1", 1, 1, 1, 0), WALKS("w1002", 1002, 512, 9, 0), WALKS("w1001", 1001, 64, 20, 0), WALKS("w1024", 1024, 2048, 12, 0), WALKS("w-none", 1002, 512, 0, 0), WALKS("w-long", 66000, 1 << 17, 3, 0), WALKS("w-odd", 777, 200, 9, 0), WALKS("w-odd-long", 300, 100003, 9, 0),
    {.name = "w-rings", .n = 777, .m = 300, .k = 1000, .dtype = DT_U32, .op = WALK, .flags = CASE_CHECK | CASE_SPECIAL},
    WALKS("walks-of-64", 2112, 3000, 64, 8), WALKS("walks-of-128", 2112, 3000, 64, 0), WALKS("walks-of-256", 2112, 3000, 64, 32),
    WALKS("far-walks", FOUR_WARPS, 1 << 19, 12, 4), WALKS("few-walks", FOUR_WARPS, 1 << 16, 64, 4), WALKS("few-short", FOUR_WARPS, 1 << 14, 64, 4), WALKS("few-shorter", FOUR_WARPS, 1 << 11, 64, 4), WALKS("few-long", FOUR_WARPS, 1 << 18, 64, 4), WALKS("few-walks-gpu", FOUR_WARPS, 1 << 18, 256, 4),
    COPIES("c1", 1, 8), COPIES("c5003", 5003, 16), COPIES("c4096", 4096, 64), COPIES("c1025", 1025, 32),
    COPIES("eight-warps", 1 << 20, 8), COPIES("eight-warps-gpu", 1 << 20, 8),
    KERNELS("k1", 1), KERNELS("k500", 500),
    GRIDS("g1", 1, 300), GRIDS("g150", 150, 20), GRIDS("g33", 33, 1),
};
/* Many walks go along a list of 2^17, where a place of 16 bits begins again. With m, grids have so
 * few SMs, and places of each: as many blocks as 17 bits count would take long otherwise. What is
 * timed has four for each thread: where one with three goes another way than its warp, that warp
 * takes both ways, and of few warps it is the whole time. */
#define ANY_WARPS .params = ONE_OF(0, 8, 32) /* blocks of 128, 64 and 256 threads */
static const struct hidden_case hidden[] = {
    {.name = "hidden-x",      .kind = "any number of numbers, any number of steps", .like = "x1002", .n_min = 5, .n_max = 3000, .k_min = 1, .k_max = 1023, .any_scale = true, ANY_WARPS},
    {.name = "hidden-more-x", .kind = "tens of thousands of numbers", .like = "x1002", .n_min = 34000, .n_max = 131071, .multiple = 4, .any_scale = true, .k_min = 128, .k_max = 400, .work_max = 13000000},
    {.name = "hidden-wide-x", .kind = "thousands of numbers", .like = "x1002", .n_min = 3001, .n_max = 131071, .k_min = 1, .k_max = 200, .any_scale = true, ANY_WARPS},
    {.name = "hidden-many-x", .kind = "more than 65536 numbers", .like = "x1002", .n_min = (1 << 17) + 100, .n_max = 280000, .k_min = 2, .k_max = 31, .any_scale = true, ANY_WARPS},
    {.name = "hidden-deep-x", .kind = "thousands of steps", .like = "x1002", .n_min = 5, .n_max = 120, .multiple = 4, .k_min = 1024, .k_max = 65535, .any_scale = true, ANY_WARPS},
    {.name = "hidden-long-x", .kind = "more than 65536 steps", .like = "x1002", .n_min = 3, .n_max = 30, .k_min = 65600, .k_max = 80000},
    {.name = "hidden-none-x", .kind = "no step", .like = "x-none", .n_min = 5, .n_max = 3000, .any_scale = true, ANY_WARPS},
    {.name = "hidden-none-w", .kind = "walks of no step", .like = "w-none", .n_min = 5, .n_max = 3000, .any_scale = true, ANY_WARPS},
    {.name = "hidden-w",      .kind = "any number of walks along any list", .like = "w1002 w1001 w1024 w-odd w-odd-long few-shorter w-long", .n_min = 5, .n_max = 3000, .k_min = 1, .k_max = 1023, .any_scale = true, ANY_WARPS},
    {.name = "hidden-rings",  .kind = "walks along a list of several rings", .like = "w-rings", .n_min = 5, .n_max = 200, .m_min = 100, .m_max = 3000, .k_min = 1000, .k_max = 2500, .any_scale = true, ANY_WARPS},
    {.name = "hidden-more-w", .kind = "tens of thousands of walks", .like = "few-shorter few-short", .n_min = 34000, .n_max = 180000, .multiple = 4, .any_scale = true, .k_min = 16, .k_max = 127, .work_max = 4400000},
    {.name = "hidden-wide-w", .kind = "thousands of walks", .like = "w1001 w-odd w-odd-long few-shorter few-short w-long", .n_min = 3001, .n_max = 131071, .k_min = 1, .k_max = 31, .any_scale = true, ANY_WARPS},
    {.name = "hidden-many-w", .kind = "more than 65536 walks along as long a list", .like = "w-long", .n_min = (1 << 17) + 100, .n_max = 180000, .k_min = 2, .k_max = 7, .any_scale = true, ANY_WARPS},
    {.name = "hidden-deep-w", .kind = "thousands of steps along a list", .like = "w1001 w1024 w-odd w-long", .n_min = 5, .n_max = 120, .multiple = 4, .k_min = 1024, .k_max = 65535, .any_scale = true, ANY_WARPS},
    {.name = "hidden-long-w", .kind = "more than 65536 steps along a list", .like = "w-long", .n_min = 3, .n_max = 30, .k_min = 65600, .k_max = 80000},
    {.name = "hidden-c",      .kind = "a copy of any length", .like = "c5003", .n_min = 5, .n_max = 20000, .any_scale = true, .params = ONE_OF(8, 16, 24, 32, 48, 64)},
    {.name = "hidden-some-c", .kind = "a copy of thousands of elements, whole blocks", .like = "c5003", .n_min = 4097, .n_max = 20000, .multiple = 1024, .params = ONE_OF(8, 16, 24, 32, 48, 64)},
    {.name = "hidden-one-c", .kind = "a copy by a block or two, whole ones", .like = "c5003", .n_min = 1, .n_max = 2048, .multiple = 1024, .params = ONE_OF(8, 16, 24, 32, 48, 64)},
    {.name = "hidden-odd-c", .kind = "a copy of thousands of elements", .like = "c5003", .n_min = 1026, .n_max = 20000, .any_scale = true, .params = ONE_OF(8, 16, 32, 64)},
    {.name = "hidden-whole-c", .kind = "a copy of tens of thousands of elements, whole blocks", .like = "c5003", .n_min = 20001, .n_max = 60000, .multiple = 1024, .params = ONE_OF(8, 16, 32, 64)},
    {.name = "hidden-more-c", .kind = "a copy of tens of thousands of elements", .like = "c5003", .n_min = 20001, .n_max = 131071, .any_scale = true, .params = ONE_OF(8, 16, 32, 64)},
    {.name = "hidden-many-c", .kind = "a copy of more than 65536 elements", .like = "c5003", .n_min = (1 << 17) + 100, .n_max = 300000, .any_scale = true, .params = ONE_OF(8, 16, 24, 32, 48, 64)},
    {.name = "hidden-both-x", .kind = "many numbers and many steps", .like = "few-warps", .n_min = 121, .n_max = 33792, .multiple = 4, .k_min = 1200, .k_max = 16000, .any_scale = true, .work_max = 6000000},
    {.name = "hidden-great-x", .kind = "many numbers and many steps", .like = "few-warps", .n_min = 4096, .n_max = 33792, .multiple = 4, .k_min = 2048, .k_max = 8191, .any_scale = true, .work_max = 12000000},
    {.name = "hidden-few-x",  .kind = "few warps and many steps", .like = "few-warps", .n_min = 121, .n_max = 2 * FOUR_WARPS, .multiple = 4, .k_min = 127, .k_max = 1199, .any_scale = true},
    {.name = "hidden-short-x", .kind = "hardly any warps and about a hundred steps", .like = "few-warps", .n_min = 5, .n_max = 700, .multiple = 4, .k_min = 70, .k_max = 126, .any_scale = true},
    {.name = "hidden-some-x", .kind = "few warps and about a hundred steps", .like = "few-warps", .n_min = 500, .n_max = FOUR_WARPS, .multiple = 4, .k_min = 88, .k_max = 126, .any_scale = true},
    {.name = "hidden-shorter-x", .kind = "few warps and tens of steps", .like = "few-warps", .n_min = 500, .n_max = FOUR_WARPS, .multiple = 4, .k_min = 70, .k_max = 87},
    {.name = "hidden-low-x", .kind = "hardly any warps and hundreds of steps", .like = "few-warps", .n_min = 5, .n_max = 120, .multiple = 4, .k_min = 127, .k_max = 1023, .any_scale = true},
    {.name = "hidden-low-w", .kind = "hardly any walks, hundreds of steps", .like = "few-shorter", .n_min = 5, .n_max = 120, .multiple = 4, .m_min = 64, .m_max = 1 << 18, .k_min = 64, .k_max = 1023, .any_scale = true},
    {.name = "hidden-some-w", .kind = "hundreds of steps along a list", .like = "few-shorter", .n_min = 121, .n_max = 700, .multiple = 4, .m_min = 3001, .m_max = 1 << 18, .any_scale = true, .k_min = 128, .k_max = 1023},
    {.name = "hidden-both-w", .kind = "many walks of many steps", .like = "few-shorter w-odd-long w-long", .n_min = 701, .n_max = 9000, .multiple = 4, .k_min = 128, .k_max = 1500, .any_scale = true, .work_max = 1500000},
    {.name = "hidden-most-w", .kind = "thousands of walks of hundreds of steps", .like = "few-shorter w-odd-long w-long", .n_min = 9001, .n_max = 33792, .multiple = 4, .k_min = 128, .k_max = 600, .any_scale = true, .work_max = 4400000},
    {.name = "hidden-deeper-w", .kind = "some walks of thousands of steps", .like = "few-shorter w-odd-long w-long", .n_min = 121, .n_max = 700, .multiple = 4, .k_min = 1024, .k_max = 9000, .any_scale = true, .work_max = 1500000},
    {.name = "hidden-corner-w", .kind = "hundreds of walks of more than a thousand steps", .like = "few-shorter", .n_min = 701, .n_max = 1100, .multiple = 4, .m_min = 3001, .m_max = 100000, .k_min = 1501, .k_max = 2000, .any_scale = true},
    {.name = "hidden-great-w", .kind = "thousands of walks of thousands of steps", .like = "few-shorter w-odd-long w-long", .n_min = 2048, .n_max = 8191, .multiple = 4, .k_min = 2048, .k_max = 8191, .any_scale = true, .work_max = 6000000},
    {.name = "hidden-few-w",  .kind = "few walks along a list of another length", .like = "few-shorter", .n_min = 121, .n_max = 2 * FOUR_WARPS, .multiple = 4, .any_scale = true, .m_min = 64, .m_max = 1 << 18, .k_min = 16, .k_max = 127},
    {.name = "hidden-few-c",  .kind = "a long copy by few warps", .like = "eight-warps", .n_min = (1 << 17) + 100, .n_max = 1199999, .any_scale = true},
    {.name = "hidden-k",      .kind = "other kernels and SMs", .like = "k500", .n_min = 2, .n_max = 3000, .any_scale = true},
    {.name = "hidden-more-k", .kind = "thousands of kernels", .like = "k500", .n_min = 3001, .n_max = 65535, .any_scale = true},
    {.name = "hidden-17-k", .kind = "more than 65536 kernels", .like = "k500", .n_min = (1 << 16) + 1, .n_max = 1 << 17},
    {.name = "hidden-many-k", .kind = "more than 131072 kernels", .like = "k500", .n_min = (1 << 17) + 100, .n_max = 150000},
    {.name = "hidden-g",      .kind = "other grids", .like = "g150", .n_min = 2, .n_max = 500, .k_min = 2, .k_max = 60, .any_scale = true},
    {.name = "hidden-more-g", .kind = "hundreds of grids", .like = "g150", .n_min = 501, .n_max = 65535, .any_scale = true, .m_min = 3, .m_max = 3, .k_min = 2, .k_max = 20, .work_max = 400000},
    {.name = "hidden-both-g", .kind = "hundreds of grids of tens of blocks", .like = "g150", .n_min = 512, .n_max = 5000, .any_scale = true, .m_min = 3, .m_max = 3, .k_min = 32, .k_max = 260, .work_max = 240000},
    {.name = "hidden-long-g", .kind = "grids of many blocks", .like = "g150", .n_min = 2, .n_max = 500, .any_scale = true, .m_min = 4, .m_max = 4, .k_min = 61, .k_max = 1500, .work_max = 400000},
    {.name = "hidden-many-g", .kind = "grids of thousands of blocks", .like = "g150", .n_min = 31, .n_max = 32, .m_min = 2, .m_max = 2, .k_min = 4200, .k_max = 4400},
    {.name = "hidden-far-g",  .kind = "more than 65536 grids", .like = "g150", .n_min = (1 << 16) + 100, .n_max = 70000, .m_min = 2, .m_max = 2, .k_min = 2, .k_max = 2},
};

/* Of copy-overlap: in a last block that is not whole, one load may be waited for before the next. */
#define NONE_AGAIN "influence(again) <= 0.05 + min(1, 4 * threads - n) * (n - 4 * (threads - threads / blocks)) / n"
#define GIVEN   "It is there to compare yours with: leave it as it was."
#define CHECKED "Run it with CHECK=1: it names the line, the thread and the address."

static const struct rubric_row rows[] = {
    {"given-steps_1", 0, "The given steps_1 is still right", ROW_CORRECT, "steps_1", .cases = "x1 x1002", .hint = GIVEN},
    {"given-walk_1", 0, "The given walk_1 is still right", ROW_CORRECT, "walk_1", .cases = "w1 w1002", .hint = GIVEN},
    {"given-copy_1", 0, "The given copy_1 is still right", ROW_CORRECT, "copy_1", .cases = "c1 c5003", .hint = GIVEN},
    {"steps-ok", 2, "Four chains a thread: all numbers are right", ROW_CORRECT, "steps_4", .cases = "x1 x1002 x1024 hidden-x hidden-none-x hidden-wide-x hidden-more-x hidden-many-x hidden-deep-x hidden-long-x hidden-few-x hidden-both-x hidden-great-x hidden-short-x hidden-some-x hidden-shorter-x hidden-low-x",
     .hint = "Which four numbers has thread 0, which the last thread? There need not be four for each."},
    {"steps-clean", 1, "Four chains a thread: no bad access", ROW_CHECKS, "steps_4", .cases = "x1002 hidden-x hidden-wide-x", .hint = CHECKED},
    {"steps-overlap", 3, "Four chains a thread: while one waits, another goes on", ROW_SPEED, "steps_4", .cases = "few-warps block-of-64 block-of-128 block-of-256 hidden-few-x hidden-both-x hidden-great-x hidden-short-x hidden-some-x hidden-shorter-x hidden-low-x hidden-more-x hidden-deep-x", .gpu_cases = "few-warps-gpu", .ratio = 0.92, .tolerance = 0.05,
     .hint = "Write down the first eight multiply-adds of a thread in their order: how many of them could start before the first is done? And how many instructions has the loop beside them?"},
    {"walk-ok", 2, "Four walks a thread: all ends are right", ROW_CORRECT, "walk_4", .cases = "w1 w1002 w1024 w-odd w-odd-long hidden-w hidden-none-w hidden-rings hidden-wide-w hidden-more-w hidden-many-w hidden-deep-w hidden-long-w hidden-few-w hidden-some-w hidden-both-w hidden-most-w hidden-deeper-w hidden-low-w hidden-corner-w hidden-great-w",
     .hint = "Where does each of a thread's walks begin? There need not be four for each thread."},
    {"walk-clean", 1, "Four walks a thread: no bad access", ROW_CHECKS, "walk_4", .cases = "w1002 hidden-w hidden-wide-w", .hint = CHECKED},
    {"walk-overlap", 3, "Four walks a thread: four loads under way at once", ROW_SPEED, "walk_4", .cases = "few-walks far-walks walks-of-64 walks-of-128 walks-of-256 hidden-few-w hidden-some-w hidden-both-w hidden-most-w hidden-deeper-w hidden-low-w hidden-corner-w hidden-great-w hidden-more-w hidden-deep-w", .gpu_cases = "few-walks-gpu", .ratio = 0.9, .tolerance = 0.05,
     .hint = "When does the second walk make its first step: after the first walk's first step, or after its last? And do all lanes of a warp go through the same loop?"},
    {"copy-ok", 2, "Copy, four elements a thread: the copy is right", ROW_CORRECT, "copy_4", .cases = "c1 c5003 c4096 hidden-c hidden-odd-c hidden-one-c hidden-some-c hidden-whole-c hidden-more-c hidden-many-c hidden-few-c",
     .hint = "A block copies 4 * blockDim.x elements. Does the last block have so many?"},
    {"copy-clean", 1, "Copy: no bad access", ROW_CHECKS, "copy_4", .cases = "c5003 hidden-c hidden-more-c hidden-many-c", .hint = CHECKED},
    {"copy-whole", 1, "Copy: sectors are used whole", ROW_GATE, "copy_4", .cases = "c4096 hidden-c hidden-more-c hidden-many-c hidden-few-c",
     .gate = "global_ld_sectors <= 1.02 * n / 8 + 40 && global_st_sectors <= 1.02 * n / 8 + 8 && 8 * global_sectors <= 2.04 * n + 512 && global_atom_requests == 0",
     .hint = "Which elements do lanes 0 and 1 load in the same instruction? They should be neighbours."},
    {"copy-overlap", 3, "Copy: more bytes under way, with the same few warps", ROW_SPEED, "copy_4", .cases = "eight-warps c1025 c4096 c5003 hidden-odd-c hidden-one-c hidden-some-c hidden-whole-c hidden-few-c hidden-more-c", .gpu_cases = "eight-warps-gpu", .ratio = 0.7, .tolerance = 0.05, .gate = "barriers + warp_syncs + mbarrier_waits + fences == 0 && " NONE_AGAIN,
     .hint = "Must the second load wait for the first store? The compiler thinks so: in and out could be the same memory."},
    {"fit-ok", 4, "Blocks that fit an SM", ROW_CORRECT, "blocks_fit", .cases = "k1 k500 hidden-k hidden-more-k hidden-17-k hidden-many-k",
     .hint = "Four limits: threads, blocks, registers, shared memory. What is rounded up, and what is it rounded up to? Warps are whole."},
    {"fit-clean", 1, "Blocks that fit: no bad access", ROW_CHECKS, "blocks_fit", .cases = "k500 hidden-k hidden-many-k", .hint = CHECKED},
    {"schedule-ok", 5, "Which block runs where, and when", ROW_CORRECT, "schedule", .cases = "g1 g33 g150 hidden-g hidden-more-g hidden-both-g hidden-long-g hidden-many-g hidden-far-g",
     .hint = "Work out three SMs with two places each and eight blocks by hand. Where do blocks 0, 1, 2, 3 go? Who is free first after that?"},
    {"schedule-clean", 1, "Schedule: no bad access", ROW_CHECKS, "schedule", .cases = "g150 hidden-g hidden-far-g", .hint = CHECKED},
};
/* clang-format on */

const struct rubric rubric_latency_hiding = {
    .lab = "latency_hiding",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
