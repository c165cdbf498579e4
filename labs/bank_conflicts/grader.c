/* grader.c - what bank conflicts are marked by.
 *
 * bank_once, the loops and transpose_conflict are given and carry no marks; rows without points
 * see to it that they stay as they are. Cases are small: a conflict is the same in every block.
 */
#include "grading/mark/rubric.h"

enum { OP_STRIDE, OP_TILE }; /* as in harness.c */

/* clang-format off */
#define STRIDE(s) {.name = "s" #s, .n = 1024, .param = s, .dtype = DT_U32, .op = OP_STRIDE, .flags = CASE_CHECK}
#define SHAPE(name_, m_, n_) {.name = name_, .m = m_, .n = n_, .dtype = DT_F32, .op = OP_TILE, .flags = CASE_CHECK}
static const struct lab_case cases[] = {
    STRIDE(1), STRIDE(2), STRIDE(3), STRIDE(4), STRIDE(7), STRIDE(8), STRIDE(16), STRIDE(32),
    {.name = "tail", .n = 1000, .param = 5, .dtype = DT_U32, .op = OP_STRIDE, .flags = CASE_CHECK},
    SHAPE("one", 1, 1), SHAPE("whole", 96, 64), SHAPE("tall", 100, 33), SHAPE("wide", 31, 130),
    SHAPE("speed", 512, 512),
};
static const struct hidden_case hidden[] = {
    {.name = "hidden-n", .kind = "any number of elements",     .like = "s4",   .n_min = 1,  .n_max = 2000},
    {.name = "hidden-shape", .kind = "a matrix of any shape", .like = "tall", .n_min = 20, .n_max = 200, .m_min = 20, .m_max = 200},
};

#define STRIDES "s1 s2 s4 s8 s16 s32"
#define TILES   "one whole tall wide hidden-shape"
#define GIVEN   "It is there to compare yours with: leave it as it was."
#define GIVEN_ROWS(kernel, cases_, checked) \
    {"given-" kernel, 0, "The given " kernel " is still right", ROW_CORRECT, kernel, .cases = cases_, .hint = GIVEN}, \
    {"given-" kernel "-clean", 0, "The given " kernel " has no race and no bad access", ROW_CHECKS, kernel, .cases = checked, .hint = GIVEN}
static const struct rubric_row rows[] = {
    GIVEN_ROWS("bank_once", "tail s3", "tail"),
    GIVEN_ROWS("bank_loop4", "tail", "tail"),
    GIVEN_ROWS("bank_loop8", "tail", "tail"),
    GIVEN_ROWS("bank_loop16", "tail", "tail"),
    GIVEN_ROWS("transpose_conflict", "one tall wide", "tall"),
    {"fixed-ok", 2, "bank_fixed's sums are right", ROW_CORRECT, "bank_fixed", .cases = STRIDES " s3 s7 tail hidden-n",
     .hint = "Write down place(i) for i = 0 … 63: is any place taken twice, or past the end of sm?"},
    {"fixed-clean", 1, "bank_fixed has no race and no bad access", ROW_CHECKS, "bank_fixed", .cases = "s4 tail",
     .hint = "Two elements in one place race; a place past FIXED_WORDS is out of bounds."},
    {"fixed-free", 3, "bank_fixed is free of conflicts at strides 1, 2, 4, 8, 16, 32", ROW_GATE, "bank_fixed", .cases = STRIDES,
     .gate = "shared_ld_wavefronts <= 1.05 * shared_ld_requests",
     .hint = "At stride 32 the lanes want elements 0, 32, 64, …: all in bank 0 before. Make each row start in another bank."},
    {"fixed-reads", 1, "bank_fixed still reads every word from shared memory", ROW_GATE, "bank_fixed", .cases = "s32",
     .gate = "shared_ld_bytes >= 0.95 * bytes",
     .hint = "The 256 reads a thread are the experiment: move the words, keep the reads."},

    {"padded-ok", 2, "transpose_padded is right for any shape", ROW_CORRECT, "transpose_padded", .cases = TILES,
     .hint = "In the second half the output is n x m and the block's tile is (blockIdx.y, blockIdx.x)."},
    {"padded-clean", 1, "transpose_padded has no race and no bad access", ROW_CHECKS, "transpose_padded", .cases = "whole tall",
     .hint = "Other threads wrote what you read: is there a barrier, and do all threads reach it?"},
    {"padded-banks", 2, "transpose_padded has no bank conflicts", ROW_GATE, "transpose_padded", .cases = "whole",
     .gate = "shared_ld_bytes >= elem * m * n && shared_ld_bank_conflicts + shared_st_bank_conflicts <= 0.05 * shared_ld_requests",
     .hint = "Elements of a column are one row length apart: which row length sends 32 of them to 32 banks?"},
    {"padded-coalesced", 1, "transpose_padded reads and writes global memory in rows", ROW_GATE, "transpose_padded", .cases = "whole",
     .gate = "global_ld_sectors <= 4.1 * global_ld_requests && global_st_sectors <= 4.1 * global_st_requests",
     .hint = "Only the tile may be read across. Lanes must differ in the fastest index of in and of out."},

    {"swizzled-ok", 2, "transpose_swizzled is right for any shape", ROW_CORRECT, "transpose_swizzled", .cases = TILES,
     .hint = "Read element (r, x) where you wrote it: write both index expressions down side by side."},
    {"swizzled-clean", 1, "transpose_swizzled has no race and no bad access", ROW_CHECKS, "transpose_swizzled", .cases = "whole tall",
     .hint = "An exchange of columns stays within 0 … 31 and is its own row's alone."},
    {"swizzled-banks", 2, "transpose_swizzled has no bank conflicts", ROW_GATE, "transpose_swizzled", .cases = "whole",
     .gate = "shared_ld_bytes >= elem * m * n && shared_ld_bank_conflicts + shared_st_bank_conflicts <= 0.05 * shared_ld_requests",
     .hint = "Along a column the row number takes 32 values: combine it with the column number so that the result does too."},
    {"swizzled-coalesced", 1, "transpose_swizzled reads and writes global memory in rows", ROW_GATE, "transpose_swizzled", .cases = "whole",
     .gate = "global_ld_sectors <= 4.1 * global_ld_requests && global_st_sectors <= 4.1 * global_st_requests",
     .hint = "Exchange columns in the tile, not in the matrices."},
    {"swizzled-fast", 1, "transpose_swizzled keeps up with ours", ROW_SPEED, "transpose_swizzled", .cases = "speed", .ratio = 0.7,
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
