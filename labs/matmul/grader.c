/* grader.c - what matrix multiplication is marked by.
 *
 * Counts are taken at 128 x 128 x 128, where every tile of up to 128 is full. 2 m n k is the
 * number of words that would be loaded if nothing were ever used twice. mm_naive is given: a row
 * without points sees to it that it stays as it is.
 */
#include "grading/mark/rubric.h"

/* clang-format off */
static const struct lab_case cases[] = {
    {.name = "square",  .n = 128, .m = 128, .k = 128, .dtype = DT_F32, .flags = CASE_CHECK},
    {.name = "odd",     .n = 45,  .m = 39,  .k = 50,  .dtype = DT_F32, .flags = CASE_CHECK},
    {.name = "speed",   .n = 256, .m = 256, .k = 256, .dtype = DT_F32, .flags = CASE_CHECK},
    {.name = "square16", .n = 128, .m = 128, .k = 128, .dtype = DT_F16, .flags = CASE_CHECK},
    {.name = "one16",   .n = 1,   .m = 1,   .k = 1,   .dtype = DT_F16, .flags = CASE_CHECK},
    {.name = "none16",  .n = 7,   .m = 5,   .k = 0,   .dtype = DT_F16, .flags = CASE_CHECK},
    {.name = "odd16",   .n = 45,  .m = 39,  .k = 50,  .dtype = DT_F16, .flags = CASE_CHECK},
};
static const struct hidden_case hidden[] = {
    {.name = "hidden-shape", .kind = "matrices of any shape", .like = "odd",   .n_min = 20, .n_max = 150, .m_min = 20, .m_max = 150, .k_min = 1, .k_max = 90},
    {.name = "hidden-wide", .kind = "a few rows and a long k",  .like = "odd",   .n_min = 10, .n_max = 40,  .m_min = 1,  .m_max = 20,  .k_min = 64, .k_max = 200, .multiple = 4},
    {.name = "hidden-16", .kind = "16-bit matrices of any shape",    .like = "odd16", .n_min = 20, .n_max = 150, .m_min = 20, .m_max = 150, .k_min = 1, .k_max = 90},
};

#define F32_CASES "1x1x1 k=0 row column square odd 100x72x52 hidden-shape hidden-wide"
#define F16_CASES "one16 none16 square16 odd16 hidden-16"
static const struct rubric_row rows[] = {
    {"given-mm_naive", 0, "The given mm_naive is still right", ROW_CORRECT, "mm_naive", .cases = "row odd",
     .hint = "It is there to compare yours with: leave it as it was."},
    {"coalesced-ok", 1, "mm_coalesced is right for any shape", ROW_CORRECT, "mm_coalesced", .cases = F32_CASES,
     .hint = "Take m = 1, n = 257: how many threads have a row, how many a column, and what do the others do?"},
    {"coalesced-clean", 1, "mm_coalesced stays inside its matrices", ROW_CHECKS, "mm_coalesced", .cases = "odd row",
     .hint = "CHECK=1 names the line and the thread. Which rows and columns do the last blocks reach?"},
    {"coalesced-sectors", 2, "mm_coalesced's lanes read neighbouring or equal words", ROW_GATE, "mm_coalesced", .cases = "square",
     .gate = "global_ld_sectors * 32 <= 1.1 * global_ld_bytes",
     .hint = "The lanes of a warp differ in threadIdx.x first. Which of the two matrices do they read at addresses far apart?"},

    {"registers-ok", 2, "mm_registers is right for any shape", ROW_CORRECT, "mm_registers", .cases = F32_CASES,
     .hint = "Give a thread a tile that hangs over the edge of c: what does it load there, and what may it store?"},
    {"registers-clean", 1, "mm_registers stays inside its matrices", ROW_CHECKS, "mm_registers", .cases = "odd row",
     .hint = "CHECK=1 names the line. Each of the V rows and V columns needs its own question."},
    {"registers-reuse", 2, "mm_registers loads at most half as much as the naive kernel", ROW_GATE, "mm_registers", .cases = "square",
     .gate = "global_ld_bytes <= 1.05 * 2 * m * n * k * elem / 2",
     .hint = "Per step of k, a thread should load V + V words for its V x V products. Are the sums kept in registers over all of k?"},
    {"registers-reuse4", 1, "mm_registers loads at most a quarter", ROW_GATE, "mm_registers", .cases = "square",
     .gate = "global_ld_bytes <= 1.05 * 2 * m * n * k * elem / 4",
     .hint = "The formula is 2 N^3 / V words."},

    {"shared-ok", 2, "mm_shared is right for any shape", ROW_CORRECT, "mm_shared", .cases = F32_CASES,
     .hint = "What is in the last tile where k ends before the tile does?"},
    {"shared-clean", 2, "mm_shared has no race and no bad access", ROW_CHECKS, "mm_shared", .cases = "square odd",
     .hint = "Two barriers a tile: one before anybody reads it, one before anybody overwrites it."},
    {"shared-reuse", 2, "mm_shared loads a tile once a block", ROW_GATE, "mm_shared", .cases = "square",
     .gate = "global_ld_bytes <= 1.05 * 2 * m * n * k * elem / 16",
     .hint = "A block needs 2 L k words from global memory, each fetched by one thread only: 2 N^3 / L in all."},

    {"tiled-ok", 2, "mm_tiled is right for any shape", ROW_CORRECT, "mm_tiled", .cases = F32_CASES,
     .hint = "Fill what hangs over with zeros when you fetch; guard the store."},
    {"tiled-clean", 2, "mm_tiled has no race and no bad access", ROW_CHECKS, "mm_tiled", .cases = "square odd",
     .hint = "Who reads an element that another thread fetched? What stands between the two?"},
    {"tiled-global", 1, "mm_tiled loads a large tile once a block", ROW_GATE, "mm_tiled", .cases = "square",
     .gate = "global_ld_bytes <= 1.05 * 2 * m * n * k * elem / 32",
     .hint = "2 N^3 / L words: how large is your L?"},
    {"tiled-sectors", 1, "mm_tiled's fetching is coalesced", ROW_GATE, "mm_tiled", .cases = "square",
     .gate = "global_ld_sectors * 32 <= 2.1 * global_ld_bytes",
     .hint = "Let neighbouring threads fetch neighbouring words of a row, whatever they use later."},
    {"tiled-shared", 2, "mm_tiled uses each word from shared memory several times", ROW_GATE, "mm_tiled", .cases = "square",
     .gate = "shared_ld_bytes <= 1.05 * 2 * m * n * k * elem / 4",
     .hint = "2 N^3 / V words from shared memory: how large is your V, and are the V + V operands in registers?"},

    {"vector-ok", 2, "mm_vector is right for any shape", ROW_CORRECT, "mm_vector", .cases = F32_CASES,
     .hint = "A float4 at an address that is no multiple of 16 is an error. When do a row's float4 lie right?"},
    {"vector-clean", 1, "mm_vector has no race and no bad access", ROW_CHECKS, "mm_vector", .cases = "square odd",
     .hint = "CHECK=1 names both lines of a race."},
    {"vector-wide", 2, "mm_vector loads 16 bytes a lane", ROW_GATE, "mm_vector", .cases = "square",
     .gate = "global_ld_bytes / global_ld_requests >= 400 && shared_ld_bytes / shared_ld_requests >= 400",
     .hint = "32 lanes of 16 bytes are 512 bytes a request, from global and from shared memory."},
    {"vector-banks", 1, "mm_vector reads shared memory without conflicts", ROW_GATE, "mm_vector", .cases = "square",
     .gate = "shared_ld_bank_conflicts <= 0.05 * shared_ld_wavefronts",
     .hint = "A 16-byte read is served eight lanes at a time: do those eight read 128 neighbouring bytes, or the same ones?"},

    {"pipeline-ok", 2, "mm_pipeline is right for any shape", ROW_CORRECT, "mm_pipeline", .cases = F32_CASES,
     .hint = "Count tiles: how many are fetched before the loop, in it, and how many are multiplied after it? What if there is only one, or none?"},
    {"pipeline-clean", 2, "mm_pipeline has no race and no bad access", ROW_CHECKS, "mm_pipeline", .cases = "square odd",
     .hint = "Between two barriers one set of tiles is only read, the other only written."},
    {"pipeline-barriers", 1, "mm_pipeline waits once a tile", ROW_GATE, "mm_pipeline", .cases = "square",
     .gate = "barriers / warps <= k / 16 + 2",
     .hint = "With two sets of tiles, of 16 steps or more, what did the second barrier protect?"},
    {"pipeline-fast", 2, "mm_pipeline keeps up with ours", ROW_SPEED, "mm_pipeline", .cases = "speed", .ratio = 0.6,
     .hint = "Compare its counters with mm_vector's: nothing but the barriers should have changed."},

    {"tensor-ok", 2, "mm_tensor is right for any shape", ROW_CORRECT, "mm_tensor", .cases = F16_CASES,
     .hint = "The fragments are always whole: what is in them past the edge, and who keeps store_matrix_sync inside c?"},
    {"tensor-clean", 1, "mm_tensor has no race and no bad access", ROW_CHECKS, "mm_tensor", .cases = "square16 odd16",
     .hint = "Fragments are read by whole warps, tiles fetched by whole blocks: a barrier belongs between."},
    {"tensor-used", 2, "mm_tensor's products are made by tensor cores", ROW_GATE, "mm_tensor", .cases = "square16",
     .gate = "tensor_flop >= flops && tensor_flop <= 1.2 * flops && flop_fp16 + flop_fp32 <= 0.1 * flops",
     .hint = "Every multiply-add should come from mma_sync, and none should be made twice."},
    {"tensor-reuse", 1, "mm_tensor shares its tiles", ROW_GATE, "mm_tensor", .cases = "square16",
     .gate = "global_ld_bytes <= 1.05 * 2 * m * n * k * elem / 32",
     .hint = "2 N^3 / L words for a block of L x L outputs: do the warps of a block fetch together?"},
};
/* clang-format on */

const struct rubric rubric_matmul = {
    .lab = "matmul",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
