/* grader.c - what bank conflicts are marked by.
 *
 * The loops and transpose_conflict are given and carry no marks; rows without points see to it
 * that they stay as they are. Cases are small: a conflict is the same in every block.
 */
#include "grading/mark/rubric.h"

enum { OP_STRIDE, OP_TILE }; /* as in harness.c */

/* clang-format off */
/* s0, as all multiples of 1024, reads one word for all lanes: many results at little cost. */
#define STRIDE(s) {.name = "s" #s, .n = 512, .param = s, .dtype = DT_U32, .op = OP_STRIDE, .flags = CASE_CHECK | CASE_SPECIAL}
#define SHAPE(name_, m_, n_, whole_) {.name = name_, .m = m_, .n = n_, .param = whole_, .dtype = DT_F32, .op = OP_TILE, .flags = CASE_CHECK | CASE_SPECIAL}
static const struct lab_case cases[] = {
    STRIDE(0), STRIDE(1), STRIDE(2), STRIDE(3), STRIDE(4), STRIDE(8), STRIDE(16), STRIDE(32),
    {.name = "tail", .n = 1000, .param = 5, .dtype = DT_U32, .op = OP_STRIDE, .flags = CASE_CHECK | CASE_SPECIAL},
    SHAPE("one", 1, 1, 0), SHAPE("tall", 100, 33, 0), SHAPE("wide", 31, 130, 0), SHAPE("odd", 63, 70, 0),
    SHAPE("whole", 96, 64, 1), SHAPE("m64", 64, 64, 1), SHAPE("m128", 128, 64, 1), SHAPE("m160", 160, 64, 1), SHAPE("m320", 320, 64, 1),
    SHAPE("m1025", 1025, 70, 0), SHAPE("m1051", 1051, 70, 0), SHAPE("m1087", 1087, 70, 0),
    SHAPE("square37", 37, 37, 0), SHAPE("square61", 61, 61, 0), SHAPE("square90", 90, 90, 0), SHAPE("square131", 131, 131, 0), SHAPE("square204", 204, 204, 0),
    SHAPE("high", 1087, 63, 0), SHAPE("higher", 2079, 31, 0), SHAPE("low", 63, 1087, 0), SHAPE("lower", 31, 2079, 0),
    SHAPE("speed", 1024, 1024, 1), SHAPE("speed-low", 512, 2048, 1), SHAPE("speed-high", 2048, 512, 1),
};
static const struct hidden_case hidden[] = {
    {.name = "hidden-n",     .kind = "any number of results, any stride", .like = "s4", .n_min = 1, .n_max = 1200, .param_min = 1, .param_max = 1 << 20, .any_scale = true, .work_max = 1ull << 40},
    {.name = "hidden-many",  .kind = "more results, any stride", .like = "s4", .n_min = 1100, .n_max = 4095, .param_min = 1, .param_max = 1 << 20, .any_scale = true, .work_max = 1ull << 40},
    {.name = "hidden-middle", .kind = "thousands of results, any stride", .like = "s4", .n_min = 1201, .n_max = 1 << 16, .param_min = 1, .param_max = 1 << 20, .any_scale = true, .work_max = 1ull << 40},
    /* by which nearly all words are other threads' */
    {.name = "hidden-odd", .kind = "an odd stride", .like = "s4", .n_min = 300, .n_max = 1200, .params = ONE_OF(5, 7, 9, 11, 13, 15, 19, 23, 35, 47, 63, 101, 127, 255, 383)},
    {.name = "hidden-even", .kind = "an even stride", .like = "s4", .n_min = 449, .n_max = 1023, .params = ONE_OF(2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 64, 96, 128, 254, 382)},
    {.name = "hidden-far",   .kind = "more than 65,536 results", .like = "s0", .n_min = 65537, .n_max = 67000, .params = ONE_OF(0, 16, 512, 1024, 3072, 524288)},
    {.name = "hidden-farther", .kind = "more than 65,536 results, any stride", .like = "s4", .n_min = (1 << 16) + 1, .n_max = 200000, .param_min = 1, .param_max = 1 << 20, .any_scale = true, .work_max = 1ull << 40},
    {.name = "hidden-more",  .kind = "a power of two as the stride, more results", .like = "s1", .n_min = 1025, .n_max = 1 << 17, .any_scale = true, .params = ONE_OF(2, 4, 8, 16, 32)},
    {.name = "hidden-power", .kind = "a power of two as the stride", .like = "s1", .n_min = 256, .n_max = 448, .multiple = 64, .params = ONE_OF(1, 2, 4, 8, 16, 32)},
    {.name = "hidden-least", .kind = "a power of two as the stride, few results", .like = "s1", .n_min = 32, .n_max = 255, .params = ONE_OF(2, 4, 8, 16, 32)},
    {.name = "hidden-beyond", .kind = "a power of two as the stride, more than 131,072 results", .like = "s1", .n_min = (1 << 17) + 1, .n_max = 133000, .params = ONE_OF(4, 8, 16, 32)},
    {.name = "hidden-between", .kind = "a power of two as the stride", .like = "s1", .n_min = 449, .n_max = 1023, .params = ONE_OF(2, 4, 8, 16, 32)},
    {.name = "hidden-shape", .kind = "a matrix of any shape", .like = "tall", .n_min = 1, .n_max = 2199, .m_min = 1, .m_max = 2199, .any_scale = true, .work_max = 60000},
    {.name = "hidden-large", .kind = "both sides above 1024, rows of an odd length", .like = "m1025 m1051 m1087", .n_min = 1025, .n_max = 1100},
    {.name = "hidden-broad", .kind = "rows of more than a thousand, dozens of them or hundreds", .like = "tall", .n_min = 1024, .n_max = 2199, .m_min = 64, .m_max = 511, .any_scale = true, .work_max = 250000},
    {.name = "hidden-steep", .kind = "more than a thousand rows of dozens or hundreds", .like = "tall", .n_min = 64, .n_max = 511, .m_min = 1024, .m_max = 2199, .any_scale = true, .work_max = 250000},
    {.name = "hidden-square", .kind = "a square matrix", .like = "square37 square61 square90 square131 square204"},
    {.name = "hidden-high",  .kind = "a matrix with many rows", .like = "high higher"},
    {.name = "hidden-low",   .kind = "a matrix with long rows", .like = "low lower"},
    {.name = "hidden-speed", .kind = "a large matrix of whole tiles", .like = "speed speed-low speed-high"},
    {.name = "hidden-whole", .kind = "a matrix of whole tiles", .like = "m64 whole m128 m160 m320", .n_min = 32, .n_max = 320, .any_scale = true, .multiple = 32},
};

/* A gate's conditions that several rows share. Bounds are totals that the task itself fixes, for
 * no read that nobody needs makes a conflict less of them.
 *
 * READS: the 256 reads a thread, of a table that the block loads and stores once; no other way. */
#define TABLE "8064" /* bytes: 4 * WORDS */
/* All warps have their part, but for those of the last block. */
#define ALL_WARPS(times) "inst_executed_max_warp * (warps - warps / blocks) <= " times " * inst_executed"
#define READS \
    "shared_ld_bytes >= 0.95 * bytes && shared_ld_bytes <= 1.05 * 1024 * threads && " \
    "shared_st_bytes <= 1.1 * " TABLE " * blocks && global_ld_bytes <= 1.05 * " TABLE " * blocks && " \
    "async_sends + shared_atom_requests + global_atom_requests + local_ld_requests + shuffles + exchanges == 0 && " \
    "inst_executed <= 320 * threads && " ALL_WARPS("1.15")
/* TURNED: each element once through the tile, without a conflict, and no other way; and what comes
 * out of the tile is what is written. Who goes down columns in global memory, or tells other lanes
 * by votes, has nothing to turn in the tile. Lanes that read one after the other have no conflict,
 * and as many wavefronts as if they had. */
#define TURNED \
    "shared_ld_bank_conflicts + shared_st_bank_conflicts <= 0.02 * m * n / 32 && " \
    "shared_ld_wavefronts <= 35 * blocks && shared_st_wavefronts <= 35 * blocks && " \
    "shared_ld_bytes >= elem * m * n && shared_ld_bytes <= 1.05 * 4096 * blocks && " \
    "shared_st_bytes >= elem * m * n && shared_st_bytes <= 1.05 * 4096 * blocks && " \
    "async_sends + shared_atom_requests + local_ld_requests + shuffles + exchanges == 0 && " \
    "32 * global_sectors <= 2 * bytes && inst_executed <= 4096 * blocks && " ALL_WARPS("1.7") " && influence(others) >= 0.9"
/* IN_ROWS: no sector is moved for a part of it, by whatever instruction; where rows begin anywhere
 * (param 0), for half of it. There nobody moves 16 bytes at once, and squares of 4 x 4 elements that
 * a thread turns in its registers are no way round the tile. */
#define IN_ROWS \
    "worst(32 * global_ld_sectors / global_ld_bytes) <= 2.1 - param && worst(32 * global_st_sectors / global_st_bytes) <= 2.1 - param && " \
    "32 * global_sectors <= (2 - 0.95 * param) * bytes && global_atom_requests + global_red_requests == 0 && " ALL_WARPS("1.7")
/* What is read of a padded tile of whole rows goes further than its words would side by side, with
 * rows of 60 words 1.85 times as far; of a part of the tile at a time, too. */
#define LONGER_BY(parts) "max(1.003 * shared_st_bytes - " parts " * shared_ld_span, " parts " * shared_ld_span - 1.87 * shared_st_bytes)"
#define PADDED "param * min(" LONGER_BY("1") ", min(" LONGER_BY("2") ", " LONGER_BY("4") ")) <= 0"
/* What tells the two tiles apart. In one that is padded the words of a column are evenly spaced;
 * where 32 x 32 words must do they cannot be, or columns or rows would share a bank. Rows of an
 * odd length are written word by word; others (param 1) may be in words of 16 bytes (more than
 * 4 a lane on average), which a right kernel gathers in another order. */
#define WIDE     "min(param, global_ld_bytes + global_st_bytes - 160 * (global_ld_requests + global_st_requests))"
#define EVENLY   PADDED " && max(shared_ld_strided / shared_ld_requests, " WIDE ") >= 0.9"
#define UNEVENLY "shared_ld_strided <= 0.5 * shared_ld_requests && shared_block_bytes <= 4096 * blocks && " NO_SPARE
/* A part of the tile at a time has room for padding, and lanes that take its columns' words in another
 * order are not evenly spaced. In one without a word to spare each word is stored once, or as often as
 * there are parts. */
#define OFF_BY(parts) "max(shared_st_bytes - " parts " * shared_block_bytes, " parts " * shared_block_bytes - shared_st_bytes)"
#define NO_SPARE      "param * min(" OFF_BY("1") ", min(" OFF_BY("2") ", " OFF_BY("4") ")) <= 0.02 * shared_st_bytes"

/* ONCE: a double each way, or a zero stored before it, and no way round. The words are other threads', but at stride 1 and
 * where a stride leaves many of them where they are; at even strides they share banks. What comes
 * from global memory lies side by side, at every stride. Warps past the end may be idle. */
#define ONCE \
    "shared_ld_bytes >= 8 * n && shared_ld_bytes <= 8 * threads && shared_st_bytes >= 8 * n && shared_st_bytes <= 16 * threads && " \
    "global_ld_bytes <= 8 * n && global_lane_steps <= 1.1 * (global_ld_bytes + global_st_bytes) && async_sends + shared_atom_requests + global_atom_requests + local_ld_requests + shuffles + exchanges == 0 && " \
    "shared_ld_wavefronts >= 0.9 * ref.shared_ld_wavefronts && influence(others) >= 0.9 && " \
    "inst_executed_max_warp * warps <= 1.3 * inst_executed + inst_executed_max_warp * (warps - 0.03125 * n)"

#define STRIDES "s1 s2 s4 s8 s16 s32"
#define TILES   "one whole tall wide odd hidden-shape hidden-square hidden-large hidden-broad hidden-steep hidden-high hidden-low"
#define GIVEN   "It is there to compare yours with: leave it as it was."
#define GIVEN_ROWS(kernel, cases_, checked) \
    {"given-" kernel, 0, "The given " kernel " is still right", ROW_CORRECT, kernel, .cases = cases_, .hint = GIVEN}, \
    {"given-" kernel "-clean", 0, "The given " kernel " has no race and no bad access", ROW_CHECKS, kernel, .cases = checked, .hint = GIVEN}
static const struct rubric_row rows[] = {
    {"once-ok", 1, "bank_once's words are the right ones", ROW_CORRECT, "bank_once", .cases = STRIDES " s0 s3 tail hidden-n hidden-odd hidden-even hidden-middle hidden-far hidden-farther",
     .hint = "Thread t stores at t and reads at stride * t % 512. What lies there if the input has ended before?"},
    {"once-clean", 1, "bank_once has no race and no bad access", ROW_CHECKS, "bank_once", .cases = "tail s3 hidden-n hidden-odd hidden-even hidden-many hidden-far",
     .hint = "The word that a thread reads is another one's: who has stored it, and how do you know?"},
    {"once-reads", 1, "bank_once reads its words from shared memory, once each", ROW_GATE, "bank_once", .elsewhere = 1.2, .cases = "s3 s32 hidden-odd hidden-even hidden-far",
     .gate = ONCE, .hint = "One load from global memory, one store to shared memory, one load from there, one store: at every stride. The conflicts are what is to be seen."},
    GIVEN_ROWS("bank_loop4", "tail", "tail"),
    GIVEN_ROWS("bank_loop8", "tail", "tail"),
    GIVEN_ROWS("bank_loop16", "tail", "tail"),
    GIVEN_ROWS("transpose_conflict", "one tall wide", "tall"),
    {"fixed-ok", 2, "bank_fixed's sums are right", ROW_CORRECT, "bank_fixed", .cases = STRIDES " s0 s3 tail hidden-n hidden-between hidden-many hidden-middle hidden-more hidden-beyond",
     .hint = "Write down place(i) for i = 0 … 63: is any place taken twice, or past the end of sm?"},
    {"fixed-clean", 1, "bank_fixed has no race and no bad access", ROW_CHECKS, "bank_fixed", .cases = "tail hidden-power hidden-many", /* each read is checked: 65,536 results would take as long as the rest */
     .hint = "Two elements in one place race; a place past FIXED_WORDS is out of bounds."},
    {"fixed-free", 3, "bank_fixed is free of conflicts at strides 1, 2, 4, 8, 16, 32", ROW_GATE, "bank_fixed", .cases = STRIDES " hidden-least hidden-power hidden-between hidden-more hidden-beyond", .elsewhere = HERE_ONLY, /* padding has conflicts at others */
     .gate = "shared_ld_bank_conflicts <= 0.02 * bytes / 128 && " READS " && shared_ld_wavefronts <= 1.3 * 8 * threads && influence(one_in_64) >= 0.9",
     .hint = "At stride 32 the lanes want elements 0, 32, 64, …: all in bank 0 before. Make each row start in another bank."},
    {"fixed-reads", 1, "bank_fixed still reads every word from shared memory", ROW_GATE, "bank_fixed", .cases = "s32 hidden-power s3 hidden-many", /* fixed-free has READS beyond 2^17 */
     .gate = READS " && influence(others) >= 0.9 && influence(one_in_64) >= 0.9",
     .hint = "The 256 reads a thread are the experiment: move the words, keep the reads."},

    {"padded-ok", 2, "transpose_padded is right for any shape", ROW_CORRECT, "transpose_padded", .cases = TILES,
     .hint = "In the second half the output is n x m and the block's tile is (blockIdx.y, blockIdx.x)."},
    {"padded-clean", 1, "transpose_padded has no race and no bad access", ROW_CHECKS, "transpose_padded", .cases = "tall hidden-shape hidden-whole hidden-high",
     .hint = "Other threads wrote what you read: is there a barrier, and do all threads reach it?"},
    {"padded-banks", 2, "transpose_padded has no bank conflicts", ROW_GATE, "transpose_padded", .cases = "odd hidden-whole hidden-large hidden-high hidden-low",
     .gate = TURNED " && " EVENLY, .asks = "rows of the tile that are longer than their elements, and of 60 words at most",
     .hint = "Elements of a column are one row length apart: which row length sends 32 of them to 32 banks?"},
    {"padded-coalesced", 1, "transpose_padded reads and writes global memory in rows", ROW_GATE, "transpose_padded", .cases = "whole hidden-whole hidden-large hidden-high hidden-low",
     .gate = IN_ROWS,
     .hint = "Only the tile may be read across. Lanes must differ in the fastest index of in and of out."},

    {"swizzled-ok", 2, "transpose_swizzled is right for any shape", ROW_CORRECT, "transpose_swizzled", .cases = TILES,
     .hint = "Read element (r, x) where you wrote it: write both index expressions down side by side."},
    {"swizzled-clean", 1, "transpose_swizzled has no race and no bad access", ROW_CHECKS, "transpose_swizzled", .cases = "tall hidden-shape hidden-whole hidden-high",
     .hint = "An exchange of columns stays within 0 … 31 and is its own row's alone."},
    {"swizzled-banks", 2, "transpose_swizzled has no bank conflicts", ROW_GATE, "transpose_swizzled", .cases = "whole hidden-whole hidden-large hidden-high hidden-low",
     .gate = TURNED " && " UNEVENLY, .asks = "no more shared memory than the tile's words, and each of them stored once",
     .hint = "Along a column the row number takes 32 values: combine it with the column number so that the result does too."},
    {"swizzled-coalesced", 1, "transpose_swizzled reads and writes global memory in rows", ROW_GATE, "transpose_swizzled", .cases = "whole hidden-whole hidden-large hidden-high hidden-low",
     .gate = IN_ROWS,
     .hint = "Exchange columns in the tile, not in the matrices."},
    {"swizzled-fast", 1, "transpose_swizzled keeps up with ours", ROW_SPEED, "transpose_swizzled", .cases = "speed hidden-speed", .gpu_cases = "4096x4096", .ratio = 0.8, .gpu_ratio = 0.58, /* of 512 threads, right: 0.64 */ .gate = "barriers <= 8 * warps", /* what a model of time makes light of */
     .hint = "The same bytes move as in transpose_conflict: look for extra instructions or idle threads."},
};
/* clang-format on */

const struct rubric rubric_bank_conflicts = {
    .lab = "bank_conflicts",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
