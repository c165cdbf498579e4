/* grader.c - what the Poisson lab is marked by: the three kernels a student writes. */
#include "grading/mark/rubric.h"

enum { NOISE, BUMP, DIFFERENCES, IRREGULAR, ALIKE }; /* as in harness.c */

/* clang-format off */
#define PLANE(id, columns, rows, what) {.name = id, .n = columns, .m = rows, .op = what, .dtype = DT_F32, .flags = CASE_CHECK}
static const struct lab_case cases[] = {
    PLANE("one", 1, 1, NOISE), PLANE("row", 17, 1, NOISE), PLANE("column", 1, 19, NOISE), PLANE("odd", 33, 21, NOISE), PLANE("even", 40, 18, NOISE),
    PLANE("square", 256, 256, NOISE), PLANE("lecture", 64, 64, BUMP), PLANE("wide", 300, 25, NOISE), PLANE("high", 30, 275, NOISE), PLANE("many", 512, 256, NOISE),
    PLANE("broad", 1024, 16, NOISE), PLANE("large", 1024, 1024, NOISE), PLANE("whole-blocks", 1022, 2, NOISE), PLANE("ragged", 1001, 81, NOISE),
};
/* Planes of all shapes up to the greatest length either way, and of 100,000 numbers and more four:
 * what is left out where both sides are great has to be seen at any ratio of the two. By the usual
 * wave numbers the last waves of a long row are less than a plane's rounding: some have others. */
static const struct hidden_case hidden[] = {
    {.name = "hidden-plane", .kind = "a plane of any shape", .like = "odd", .n_min = 2, .n_max = 80, .m_min = 2, .m_max = 80, .any_scale = true, .ops = ONE_OF(NOISE, DIFFERENCES, IRREGULAR)},
    {.name = "hidden-long", .kind = "a long plane, wave numbers of differences", .like = "odd", .n_min = 81, .n_max = 2400, .m_min = 2, .m_max = 80, .any_scale = true, .work_max = 40000, .ops = ONE_OF(DIFFERENCES)},
    {.name = "hidden-high", .kind = "a high plane, wave numbers of differences", .like = "odd", .n_min = 2, .n_max = 80, .m_min = 81, .m_max = 2400, .any_scale = true, .work_max = 40000, .ops = ONE_OF(DIFFERENCES)},
    {.name = "hidden-longest", .kind = "as long a plane as there may be", .like = "odd", .n_min = 2401, .n_max = 16384, .m_min = 2, .m_max = 7, .work_max = 33000, .ops = ONE_OF(ALIKE)},
    {.name = "hidden-highest", .kind = "as high a plane as there may be", .like = "odd", .n_min = 2, .n_max = 7, .m_min = 2401, .m_max = 16384, .work_max = 33000, .ops = ONE_OF(ALIKE)},
    {.name = "hidden-band", .kind = "some of the longest rows that there may be", .like = "odd", .n_min = 15000, .n_max = 16384, .m_min = 8, .m_max = 14, .work_max = 220000, .ops = ONE_OF(ALIKE)},
    {.name = "hidden-pillar", .kind = "some of the highest columns that there may be", .like = "odd", .n_min = 8, .n_max = 14, .m_min = 15000, .m_max = 16384, .work_max = 220000, .ops = ONE_OF(ALIKE)},
    {.name = "hidden-large", .kind = "a larger plane, wave numbers of no rule", .like = "odd", .n_min = 81, .n_max = 540, .m_min = 81, .m_max = 320, .any_scale = true, .work_max = 70000, .ops = ONE_OF(IRREGULAR)},
    {.name = "hidden-broad", .kind = "a plane much wider than high", .like = "odd", .n_min = 641, .n_max = 2400, .m_min = 81, .m_max = 200, .any_scale = true, .work_max = 65000, .ops = ONE_OF(DIFFERENCES)},
    {.name = "hidden-vast", .kind = "a plane wide and high", .like = "odd", .n_min = 560, .n_max = 590, .m_min = 565, .m_max = 575, .ops = ONE_OF(DIFFERENCES)},
    {.name = "hidden-far", .kind = "a plane of thousands of columns, and of tens of rows", .like = "odd", .n_min = 2480, .n_max = 3300, .m_min = 70, .m_max = 90, .work_max = 220000, .ops = ONE_OF(DIFFERENCES)},
    {.name = "hidden-tower", .kind = "a plane of thousands of rows", .like = "odd", .n_min = 66, .n_max = 170, .m_min = 1201, .m_max = 3300, .any_scale = true, .work_max = 220000, .ops = ONE_OF(DIFFERENCES)},
    {.name = "hidden-low", .kind = "a plane of tens of rows", .like = "odd", .n_min = 81, .n_max = 2400, .m_min = 40, .m_max = 80, .any_scale = true, .work_max = 60000, .ops = ONE_OF(DIFFERENCES)},
    {.name = "hidden-narrow", .kind = "a plane of tens of columns", .like = "odd", .n_min = 40, .n_max = 80, .m_min = 81, .m_max = 2400, .any_scale = true, .work_max = 60000, .ops = ONE_OF(DIFFERENCES)},
};

#define SHAPES  "one row column odd even wide high lecture many whole-blocks hidden-plane hidden-long hidden-high hidden-longest hidden-highest hidden-band hidden-pillar hidden-large hidden-broad hidden-vast hidden-far hidden-tower"
#define GIVEN   "It is there to compare yours with: leave it as it was."
/* Threads of rows that a low plane does not have may load their column's wave number. */
#define BEYOND  "max(0, threads - m * (n / 2 + 1))"
#define CHECKED "Run it with CHECK=1: it names the line, the thread and the address."

static const struct rubric_row rows[] = {
    {"given-solve_naive", 0, "The given solve_naive is still right", ROW_CORRECT, "solve_naive", .cases = "one odd even lecture", .hint = GIVEN},
    {"given-read_pairs", 0, "The given pairs_to_real is still right", ROW_CORRECT, "read_pairs", .cases = "one odd even lecture", .hint = GIVEN},
    {"shared-ok", 3, "Shared wave numbers: u is right", ROW_CORRECT, "solve_shared", .cases = SHAPES,
     .hint = "Which threads of a block load the wave numbers of its columns, which those of its rows? What if the block is wider than what is left of the plane?"},
    {"shared-clean", 2, "Shared wave numbers: no race and no bad access", ROW_CHECKS, "solve_shared", .cases = "one odd even hidden-plane hidden-long hidden-large hidden-far",
     .hint = CHECKED " What one thread stores in shared memory, another loads: what must lie between?"},
    {"shared-once", 3, "Shared wave numbers: each is loaded once a block", ROW_GATE, "solve_shared", .elsewhere = 1.25, .cases = "square hidden-large hidden-broad hidden-vast hidden-low hidden-narrow",
     /* a block of T threads has no more than 32 + T / 32 wave numbers, unless it is odd, and there
      * are three kernels of as many blocks; a load for each part of a wave is right; an atomic, which is no load, is none;
      * in blocks that are not a multiple of 8 wide, rows begin amid sectors: 7 wide have 1.6 times as many */
     .gate = "global_ld_bytes <= 16 * n * m + min(1.2 * n * m, 4 * (32 * blocks + threads / 32) / 3) && global_sectors <= 1.65 * ref.global_sectors + 2 * m && global_atom_requests + global_red_requests + async_sends == 0 && influence(others) >= 0.9",
     .hint = "r, both parts of c, and c's real part are 16 bytes for each number. What do you load beyond that? And does each thread have its wave numbers from shared memory?"},
    {"half-ok", 4, "Half of the waves: u is right", ROW_CORRECT, "solve_half", .cases = SHAPES,
     .hint = "How many waves has a row? Where does the second row begin? The rows are all there: ky as before."},
    {"half-clean", 2, "Half of the waves: no bad access", ROW_CHECKS, "solve_half", .cases = "one odd even hidden-plane hidden-long", .hint = CHECKED},
    {"half-whole", 2, "Half of the waves: sectors are used whole", ROW_GATE, "solve_half", .elsewhere = 1.25, .cases = "square ragged hidden-large hidden-broad hidden-vast",
     /* in whole sectors a request of 32 lanes has 8 or 9, of float4 17; in rows of 16 lanes one
      * more. A load or store that goes by columns at times has more, unless it is made often */
     .gate = "global_sectors <= 1.15 * ref.global_sectors && worst(global_ld_sectors / max(global_ld_requests, global_ld_bytes / 256)) <= 9.8 && worst(global_st_sectors / max(global_st_requests, global_st_bytes / 256)) <= 9.8 && global_ld_bytes <= 25 * m * (n / 2 + 1) + 4.2 * n * m && global_st_bytes <= 8.4 * m * (n / 2 + 1) + 4.2 * n * m",
     .hint = "Neighbouring threads are to have neighbouring waves: which index is made from threadIdx.x?"},
    {"fused-ok", 4, "One kernel: u is right", ROW_CORRECT, "solve_fused", .cases = SHAPES,
     .hint = "What is u too large by, if nobody scales? Where can the factor go in?"},
    {"fused-clean", 1, "One kernel: no bad access", ROW_CHECKS, "solve_fused", .cases = "one odd even hidden-plane hidden-long", .hint = CHECKED},
    {"fused-once", 3, "One kernel: each wave is loaded once and stored once", ROW_GATE, "solve_fused", .elsewhere = 1.25, .cases = "square hidden-large hidden-broad hidden-vast",
     .gate = "global_ld_bytes <= 1.1 * 16 * m * (n / 2 + 1) + 512 * m + 4 * " BEYOND " && global_ld_requests <= 3.3 * m * (n / 2 + 32) / 32 + " BEYOND " / 32 && global_st_requests <= 1.1 * m * (n / 2 + 32) / 32 && global_sectors <= 1.3 * ref.global_sectors + 3 * m",
     .hint = "A wave's two parts lie side by side, and the waves of a row too: how few loads, stores and sectors can a warp do with?"},
    {"fused-fast", 2, "One kernel: little time beside the transforms", ROW_SPEED, "solve_fused", .cases = "large hidden-vast", .gpu_cases = "large", .ratio = 0.94, .gpu_ratio = 0.85, .tolerance = 0.03,
     /* on an H200 time does not tell who goes by columns (0.89) from right files (0.92) */
     .gate = "thread_inst_fp64 == 0 && global_sectors <= 2.5 * ref.global_sectors",
     .hint = "Which threads of a warp have neighbouring waves? What is a thread doing while its load is under way? And is it all in floats?"},
};
/* clang-format on */

const struct rubric rubric_poisson = {
    .lab = "poisson",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
