/* grader.c - what matrix multiplication is marked by.
 *
 * 2 m n k words would be loaded if nothing were ever used twice. Gates bound totals by that,
 * which no work beside can lower, on shapes in which tiles of up to 128 are whole; and they
 * close the other ways that an operand could come by. mm_naive is given: a row without points
 * sees to it that it stays as it is.
 */
#include "grading/mark/rubric.h"

/* clang-format off */
/* Shapes that are drawn are listed where their sides go together. */
#define SHAPE(name_, m_, n_, k_, type) {.name = name_, .n = n_, .m = m_, .k = k_, .dtype = type, .flags = CASE_CHECK}
#define F32(name_, m_, n_, k_) SHAPE(name_, m_, n_, k_, DT_F32)
#define F16(name_, m_, n_, k_) SHAPE(name_, m_, n_, k_, DT_F16)
static const struct lab_case cases[] = {
    F32("square", 128, 128, 64), F32("tall", 256, 128, 64), F32("odd", 39, 45, 50), F32("speed", 1024, 1024, 64), F32("speed-wide", 512, 2048, 64), F32("speed-tall", 2048, 512, 64),
    F32("broad", 128, 256, 64), F32("long", 128, 128, 128),
    F32("whole-96", 384, 384, 96), F32("whole-96-high", 768, 384, 96), F32("whole-96-wide", 384, 768, 96),
    F32("many-wide", 256, 384, 64), F32("many-high", 384, 256, 64),
    F32("tiles-high", 96, 32, 48), F32("tiles-low", 32, 128, 64), F32("tiles-64", 64, 64, 64), F32("tiles-deep", 32, 64, 96),
    {.name = "special", .n = 45, .m = 39, .k = 50, .dtype = DT_F32, .flags = CASE_CHECK | CASE_SPECIAL},
    {.name = "infinite", .n = 45, .m = 39, .k = 50, .param = 2, .dtype = DT_F32, .flags = CASE_CHECK | CASE_SPECIAL},
    {.name = "special16", .n = 48, .m = 40, .k = 56, .dtype = DT_F16, .flags = CASE_SPECIAL},
    F32("cube-48", 48, 48, 48), F32("cube-64", 64, 64, 64), F32("cube-81", 81, 81, 81), F32("cube-96", 96, 96, 96),
    F32("nearly", 252, 124, 96), F32("nearly-wide", 124, 252, 96), F32("nearly-long", 252, 124, 192), F32("nearly-high", 508, 124, 96),
    F32("deep", 36, 37, 1823), F32("deeper", 30, 31, 2203),

    F32("ragged", 254, 126, 37), F32("ragged-low", 126, 254, 35), F32("ragged-high", 510, 127, 19), F32("ragged-wide", 127, 510, 18), F32("ragged-higher", 1022, 126, 9), F32("ragged-wider", 126, 1021, 10),
    F16("whole-96-16", 384, 384, 64), F16("whole-96-high16", 768, 384, 64), F16("whole-96-wide16", 384, 768, 64),
    F16("square16", 128, 128, 64), F16("tall16", 256, 128, 64), F16("broad16", 128, 256, 64), F16("long16", 128, 128, 128),
    F16("maps16", 136, 264, 72), F16("maps-low16", 40, 520, 136), F16("maps-high16", 392, 24, 200), F16("maps-deep16", 72, 40, 1032), F16("maps-long16", 56, 72, 520),
    /* more tiles than blocks that stay; two tiles, one above the other, that share b's */
    {.name = "stay16", .n = 8, .m = 460, .k = 136, .param = 2, .dtype = DT_F16, .flags = CASE_CHECK}, {.name = "stay-long16", .n = 8, .m = 460, .k = 392, .param = 2, .dtype = DT_F16, .flags = CASE_CHECK},
    {.name = "stay-four16", .n = 8, .m = 1500, .k = 72, .param = 4, .dtype = DT_F16, .flags = CASE_CHECK}, {.name = "stay-three16", .n = 8, .m = 1500, .k = 72, .param = 3, .dtype = DT_F16, .flags = CASE_CHECK}, F16("steps16", 72, 256, 328), F16("steps-long16", 72, 128, 1048), F16("columns16", 72, 320, 264), F16("pair16", 256, 256, 64), F16("pair-wide16", 256, 192, 64), F16("pair-long16", 248, 192, 128),
    F16("one16", 1, 1, 1), F16("none16", 5, 7, 0), F16("odd16", 39, 45, 50), F16("tiles-high16", 96, 32, 48), F16("tiles-low16", 32, 128, 64), F16("tiles-64-16", 64, 64, 64),
    F16("deep16", 36, 37, 1823), F16("deeper16", 30, 31, 2203),
};
static const struct hidden_case hidden[] = {
    {.name = "hidden-shape", .kind = "matrices of any shape",        .like = "odd",   .n_min = 48, .n_max = 120, .m_min = 40, .m_max = 120, .k_min = 33, .k_max = 70},
    {.name = "hidden-wide",  .kind = "a few rows and a long k",      .like = "odd",   .n_min = 10, .n_max = 250, .m_min = 1,  .m_max = 20,  .k_min = 64, .k_max = 130, .multiple = 4},
    {.name = "hidden-tall",  .kind = "many rows of a few elements",  .like = "odd",   .n_min = 4,  .n_max = 20,  .m_min = 160, .m_max = 400, .k_min = 33, .k_max = 66},
    {.name = "hidden-even",  .kind = "small matrices of whole tiles", .like = "tiles-high tiles-low tiles-64 tiles-deep"},
    {.name = "hidden-cube",  .kind = "three sides of one length",    .like = "cube-48 cube-64 cube-81 cube-96"},
    {.name = "hidden-special", .kind = "huge and tiny numbers, NaN", .like = "special", .n_min = 33, .n_max = 90, .m_min = 20, .m_max = 60, .k_min = 17, .k_max = 70},
    {.name = "hidden-infinite", .kind = "infinities in b", .like = "infinite", .n_min = 33, .n_max = 90, .m_min = 20, .m_max = 60, .k_min = 35, .k_max = 63},
    {.name = "hidden-special16", .kind = "huge and tiny halves, NaN", .like = "special16", .n_min = 33, .n_max = 96, .m_min = 20, .m_max = 60, .k_min = 17, .k_max = 72, .multiple = 8, .k_multiple = 8},
    {.name = "hidden-columns", .kind = "long rows, tiles not quite whole", .like = "ragged-low ragged-wide ragged-wider"},
    {.name = "hidden-higher", .kind = "more than 65,536 outputs, many rows", .like = "odd", .m_min = 1024, .m_max = 2199, .n_min = 65, .n_max = 130, .k_min = 1, .k_max = 4, .work_max = 300000},
    {.name = "hidden-wider", .kind = "more than 65,536 outputs, long rows", .like = "odd",  .n_min = 1024, .n_max = 2199, .m_min = 65, .m_max = 130, .k_min = 1, .k_max = 4, .work_max = 300000},
    {.name = "hidden-great", .kind = "all three sides above 130",    .like = "odd",   .n_min = 131, .n_max = 600, .m_min = 131, .m_max = 600, .k_min = 131, .k_max = 600, .any_scale = true, .work_max = 3000000},
    {.name = "hidden-flat", .kind = "more than 256 rows and columns, a short k", .like = "odd", .n_min = 257, .n_max = 1100, .m_min = 257, .m_max = 1100, .k_min = 16, .k_max = 130, .any_scale = true, .work_max = 3000000},
    {.name = "hidden-flat16", .kind = "16 bits, more than 256 rows and columns, a short k", .like = "odd16", .n_min = 257, .n_max = 1100, .m_min = 257, .m_max = 1100, .k_min = 16, .k_max = 130, .any_scale = true, .work_max = 3000000},
    {.name = "hidden-vast", .kind = "all three sides above 130, one of them long", .like = "odd", .n_min = 131, .n_max = 2095, .m_min = 131, .m_max = 2095, .k_min = 131, .k_max = 2095, .any_scale = true, .work_max = 12000000},
    {.name = "hidden-vaster", .kind = "all three sides above 256",    .like = "odd",   .n_min = 257, .n_max = 320, .m_min = 257, .m_max = 320, .k_min = 257, .k_max = 320, .work_max = 18000000},
    {.name = "hidden-blocks", .kind = "whole tiles, all three sides above 130", .like = "odd", .n_min = 131, .n_max = 320, .m_min = 131, .m_max = 320, .k_min = 131, .k_max = 320, .work_max = 4000000, .multiple = 16, .m_multiple = 16, .k_multiple = 16},
    {.name = "hidden-long",  .kind = "a long k",                     .like = "odd",   .n_min = 5, .n_max = 40, .m_min = 5, .m_max = 40, .k_min = 1400, .k_max = 2199, .work_max = 250000},
    {.name = "hidden-reuse", .kind = "any shape, a long k",          .like = "odd",   .n_min = 56, .n_max = 130, .m_min = 48, .m_max = 130, .k_min = 310, .k_max = 700, .any_scale = true, .work_max = 2500000},
    {.name = "hidden-reuse-mid", .kind = "any shape, a middling k",  .like = "odd",   .n_min = 56, .n_max = 130, .m_min = 48, .m_max = 130, .k_min = 73, .k_max = 309, .any_scale = true, .work_max = 2500000},
    {.name = "hidden-mid",   .kind = "a middling k",                 .like = "odd",   .n_min = 20, .n_max = 60, .m_min = 20, .m_max = 60, .k_min = 175, .k_max = 1399, .any_scale = true, .work_max = 700000},
    {.name = "hidden-any",   .kind = "matrices of any three sides",  .like = "odd",   .n_min = 1, .n_max = 2199, .m_min = 1, .m_max = 2199, .k_min = 1, .k_max = 2199, .any_scale = true, .work_max = 600000},
    {.name = "hidden-long16", .kind = "16-bit matrices, a long k",   .like = "odd16", .n_min = 5, .n_max = 40, .m_min = 5, .m_max = 40, .k_min = 1400, .k_max = 2199, .work_max = 250000},
    {.name = "hidden-mid16", .kind = "16-bit matrices, a middling k", .like = "odd16", .n_min = 20, .n_max = 60, .m_min = 20, .m_max = 60, .k_min = 175, .k_max = 1399, .any_scale = true, .work_max = 700000},
    {.name = "hidden-any16", .kind = "16-bit matrices of any three sides", .like = "odd16", .n_min = 1, .n_max = 2199, .m_min = 1, .m_max = 2199, .k_min = 1, .k_max = 2199, .any_scale = true, .work_max = 600000},
    {.name = "hidden-deep",  .kind = "more than 65,536 inputs",      .like = "deep deeper"},
    {.name = "hidden-16",    .kind = "16-bit matrices of any shape", .like = "odd16", .n_min = 40, .n_max = 120, .m_min = 40, .m_max = 120, .k_min = 33, .k_max = 70},
    {.name = "hidden-tall16", .kind = "many 16-bit rows",            .like = "odd16", .n_min = 4,  .n_max = 20,  .m_min = 160, .m_max = 400, .k_min = 33, .k_max = 66},
    {.name = "hidden-even16", .kind = "small 16-bit matrices of whole tiles", .like = "tiles-high16 tiles-low16 tiles-64-16"},
    {.name = "hidden-higher16", .kind = "more than 65,536 outputs, many 16-bit rows", .like = "odd16", .m_min = 1024, .m_max = 2199, .n_min = 65, .n_max = 130, .k_min = 1, .k_max = 4, .work_max = 300000},
    {.name = "hidden-wider16", .kind = "more than 65,536 outputs, long 16-bit rows", .like = "odd16", .n_min = 1024, .n_max = 2199, .m_min = 65, .m_max = 130, .k_min = 1, .k_max = 4, .work_max = 300000},
    {.name = "hidden-great16", .kind = "16 bits, all three sides above 130", .like = "odd16", .n_min = 131, .n_max = 600, .m_min = 131, .m_max = 600, .k_min = 131, .k_max = 600, .any_scale = true, .work_max = 3000000},
    {.name = "hidden-vast16", .kind = "16 bits, all three sides above 130, one of them long", .like = "odd16", .n_min = 131, .n_max = 2095, .m_min = 131, .m_max = 2095, .k_min = 131, .k_max = 2095, .any_scale = true, .work_max = 12000000},
    {.name = "hidden-deep16",  .kind = "more than 65,536 inputs",    .like = "deep16 deeper16"},
    /* for gates: whole tiles of up to 128 (or all but whole, at no public size), of k any number or whole tiles of up to 64 */
    {.name = "hidden-tiles", .kind = "whole tiles, any k",           .like = "square tall broad", .k_min = 40, .k_max = 72},
    {.name = "hidden-tiles-long", .kind = "whole tiles, a long k",   .like = "tall broad", .k_min = 73, .k_max = 309},
    {.name = "hidden-square-long", .kind = "whole tiles, a long k",  .like = "square", .k_min = 310, .k_max = 600},
    {.name = "hidden-tiles-many", .kind = "more than 65,536 outputs, whole tiles", .like = "many-wide many-high", .k_min = 33, .k_max = 160, .k_multiple = 32},
    {.name = "hidden-ragged", .kind = "tiles not quite whole",       .like = "ragged ragged-low ragged-high ragged-wide ragged-higher ragged-wider"},
    {.name = "hidden-whole", .kind = "whole tiles",                  .like = "square tall broad", .k_min = 1, .k_max = 192, .k_multiple = 96},
    {.name = "hidden-whole-96", .kind = "whole tiles, those of 96 too", .like = "whole-96 whole-96-high whole-96-wide", .k_min = 1, .k_max = 192, .k_multiple = 96},
    {.name = "hidden-nearly", .kind = "tiles not quite whole, of whole float4", .like = "nearly nearly-wide nearly-long nearly-high"},
    {.name = "hidden-speed", .kind = "a million outputs",            .like = "speed speed-wide speed-tall"},
    {.name = "hidden-maps16", .kind = "16-bit matrices with rows of multiples of 16 bytes", .like = "maps-low16 maps-high16 maps-deep16 maps-long16", .m_min = 1, .m_max = 600, .n_min = 8, .n_max = 1096, .any_scale = true, .work_max = 30000, .multiple = 8},
    {.name = "hidden-maps-more16", .kind = "16-bit matrices of several tiles both ways", .like = "maps16", .n_min = 264, .n_max = 519, .m_min = 257, .m_max = 519, .k_min = 8, .k_max = 200, .work_max = 8000000, .multiple = 8, .k_multiple = 8},
    {.name = "hidden-past16", .kind = "more than 16 rows of 16-bit tiles, a little more than whole ones", .like = "maps16", .n_min = 1032, .n_max = 1032, .m_min = 2056, .m_max = 2120, .k_min = 8, .k_max = 16, .work_max = 40000000, .multiple = 8, .k_multiple = 8},
    /* more tiles of 128 by 256 than a product of 1024 by 1024 has */
    {.name = "hidden-maps-most16", .kind = "16-bit matrices of more than 32 tiles", .like = "maps16", .n_min = 1032, .n_max = 1096, .m_min = 1025, .m_max = 1096, .k_min = 8, .k_max = 8, .multiple = 8},
    {.name = "hidden-stay16", .kind = "more 16-bit tiles than blocks that stay", .like = "stay16 stay-long16", .m_min = 390, .m_max = 512},
    {.name = "hidden-stay-more16", .kind = "a dozen 16-bit tiles of a few blocks that stay", .like = "stay-four16 stay-three16", .m_min = 1290, .m_max = 1660},
    {.name = "hidden-pair16", .kind = "16-bit tiles that share b's", .like = "pair16 pair-wide16 pair-long16"},
    {.name = "hidden-steps16", .kind = "16-bit matrices of many steps", .like = "steps-long16", .m_min = 117, .m_max = 128 /* a tile's boxes of 16 rows and more have 600 bytes each */},
    {.name = "hidden-columns16", .kind = "16-bit matrices of many columns", .like = "columns16", .n_min = 257, .n_max = 384, .m_min = 50, .m_max = 120, .k_min = 257, .k_max = 328, .multiple = 8, .k_multiple = 8},
    {.name = "hidden-rows16", .kind = "16-bit matrices of many rows", .like = "steps-long16", .m_min = 121, .m_max = 600, .k_min = 264, .k_max = 400, .any_scale = true, .work_max = 70000, .k_multiple = 8},
    {.name = "hidden-whole-96-16", .kind = "16-bit matrices of whole tiles, those of 96 too", .like = "whole-96-16 whole-96-high16 whole-96-wide16"},
    {.name = "hidden-tiles16", .kind = "16-bit matrices of whole tiles", .like = "square16 tall16 broad16 long16"},
};

#define F32_CASES "1x1x1 k=0 row column square odd 100x72x52 hidden-shape hidden-wide hidden-tall hidden-even hidden-higher hidden-wider hidden-mid hidden-deep hidden-any hidden-great hidden-flat hidden-vast hidden-blocks hidden-cube hidden-special"
#define F16_CASES "one16 none16 square16 odd16 hidden-16 hidden-tall16 hidden-even16 hidden-higher16 hidden-wider16 hidden-mid16 hidden-deep16 hidden-any16 hidden-great16 hidden-flat16 hidden-vast16 special16 hidden-special16"
#define CLEAN     "odd hidden-shape hidden-wide hidden-tall hidden-even hidden-great hidden-long"
#define WHOLE     "square hidden-whole"
#define TILES16   "square16 hidden-tiles16"
#define STEPS16   "steps16 hidden-steps16 hidden-columns16"
#define MAPS16    "square16 maps16 hidden-maps16 hidden-maps-more16 special16"
/* All words that would be loaded if none were used twice, in bytes. */
#define ALL_BYTES "2 * m * n * k * elem"
/* What is read by other ways than loads from global and shared memory: by atomics, by shuffles from
 * other lanes, from local memory; and that all of it is not as much as one word a product. */
#define NO_GLOBAL_ATOMICS "global_atom_requests + async_sends == 0"
#define NO_ATOMICS "global_atom_requests + shared_atom_requests + async_sends == 0"
/* A block fetches its tile's words once: of one of P x Q outputs 1/P + 1/Q words a product, whose
 * square is 4 / (P Q) and, at four times as long as wide, 6.25 / (P Q). */
#define FETCHED_ONCE "global_ld_bytes * global_ld_bytes <= 7 * elem * elem * m * n * k * k * blocks"
#define LARGE_TILE "global_ld_bytes <= 1.05 / 32 * " ALL_BYTES " && " FETCHED_ONCE " && " NO_GLOBAL_ATOMICS
/* Tensor cores come last: until then products are the threads' own, also those of numbers in pieces. */
#define OWN_PRODUCTS "tensor_flop == 0"
/* Integers, which no flop counts, need an instruction a product; fetching may take its time. */
#define TENSOR_SUMS "tensor_flop >= flops && flop_fp16 + flop_fp32 + flop_fp64 <= 0.1 * flops"
#define TENSOR_WORK TENSOR_SUMS " && tensor_flop <= 1.6 * flops && inst_executed <= 0.0157 * m * n * k + 40 * global_ld_requests"
/* What goes by while copies are on their way is the product's own: in whole tiles of up to 128 by 256,
 * no more. */
#define NO_MORE_SUMS "tensor_flop <= 2.2 * 128 * ceil(m / 128) * 256 * ceil(n / 256) * 64 * ceil(k / 64)"
#define BY_TENSOR_CORES TENSOR_WORK " && influence(tensor) >= 0.9"
/* What is right and has nothing from elsewhere is made of what copies bring. By tensor map these are large:
 * a warp's cp.async has 512 bytes at most. */
#define BY_COPIES "global_ld_bytes == async_bytes && " NO_GLOBAL_ATOMICS
#define BY_MAPS   BY_COPIES " && 600 * worst(inst_executed / async_bytes) <= 1"
/* Operands come from the tile: not from other lanes or local memory, beside a tile that is read for
 * nothing and that only results pass through. */
#define FROM_TILE "shared_ld_bytes >= 0.05 * " ALL_BYTES " && 32 * (shuffles + exchanges + local_ld_requests) <= 0.1 * m * n * k && " OWN_PRODUCTS " && influence(others) >= 0.9"
#define OTHERS OWN_PRODUCTS " && 32 * (shuffles + exchanges + local_ld_requests + global_atom_requests + shared_atom_requests + async_sends)"
#define FEW_OTHERS OTHERS " <= 0.6 * m * n * k"
static const struct rubric_row rows[] = {
    {"given-mm_naive", 0, "The given mm_naive is still right", ROW_CORRECT, "mm_naive", .cases = "row odd",
     .hint = "It is there to compare yours with: leave it as it was."},
    {"coalesced-ok", 1, "mm_coalesced is right for any shape", ROW_CORRECT, "mm_coalesced", .cases = F32_CASES,
     .hint = "Take m = 1, n = 257: how many threads have a row, how many a column, and what do the others do?"},
    {"coalesced-clean", 1, "mm_coalesced stays inside its matrices", ROW_CHECKS, "mm_coalesced", .cases = "odd row hidden-shape hidden-tall",
     .hint = "CHECK=1 names the line and the thread. Which rows and columns do the last blocks reach?"},
    {"coalesced-sectors", 2, "mm_coalesced's lanes read neighbouring or equal words", ROW_GATE, "mm_coalesced", .elsewhere = 3, .cases = "square hidden-shape hidden-ragged hidden-great",
     .gate = "global_sectors <= 0.25 * m * n * k && global_ld_bytes >= 0.45 * " ALL_BYTES " && worst(global_ld_sectors * 32 / global_ld_bytes) <= 1.7"
             " && shared_ld_bytes <= 0.25 * m * n * k && " NO_ATOMICS " && " FEW_OTHERS,
     .hint = "The lanes of a warp differ in threadIdx.x first. Which of the two matrices do they read at addresses far apart? One output a thread, its words straight from global memory: sharing comes later."},

    {"registers-ok", 2, "mm_registers is right for any shape", ROW_CORRECT, "mm_registers", .cases = F32_CASES,
     .hint = "Give a thread a tile that hangs over the edge of c: what does it load there, and what may it store?"},
    {"registers-clean", 1, "mm_registers stays inside its matrices", ROW_CHECKS, "mm_registers", .cases = "odd row hidden-shape hidden-tall",
     .hint = "CHECK=1 names the line. Each of the V rows and V columns needs its own question."},
    {"registers-reuse", 2, "mm_registers loads at most half as much as the naive kernel", ROW_GATE, "mm_registers", .elsewhere = HERE_ONLY, .cases = "square hidden-shape hidden-ragged hidden-columns hidden-great hidden-flat hidden-vast hidden-reuse hidden-reuse-mid",
     /* of low matrices most lanes that shuffle have no row */
     .gate = "global_ld_bytes <= 1.05 / 2 * " ALL_BYTES " && shared_ld_bytes <= 0.25 * m * n * k && " NO_ATOMICS " && " OTHERS " <= 0.9 * m * n * k",
     .hint = "Per step of k, a thread should load V + V words for its V x V products, from global memory into registers. Are the sums kept in registers over all of k?"},
    {"registers-reuse4", 1, "mm_registers loads at most a quarter", ROW_GATE, "mm_registers", .elsewhere = HERE_ONLY, .cases = "square hidden-square-long hidden-tiles-long hidden-nearly hidden-ragged hidden-columns",
     .gate = "global_ld_bytes <= 1.05 / 4 * " ALL_BYTES " && shared_ld_bytes <= 0.25 * m * n * k && " NO_ATOMICS " && " FEW_OTHERS,
     .hint = "The formula is 2 N^3 / V words, for what comes from global memory straight into registers: V is 4 or more. Does a thread that has no column of c load words of a?"},

    {"shared-ok", 2, "mm_shared is right for any shape", ROW_CORRECT, "mm_shared", .cases = F32_CASES " hidden-infinite",
     .hint = "What is in the last tile where k ends before the tile does?"},
    {"shared-clean", 2, "mm_shared has no race and no bad access", ROW_CHECKS, "mm_shared", .cases = CLEAN,
     .hint = "Two barriers a tile: one before anybody reads it, one before anybody overwrites it."},
    {"shared-reuse", 2, "mm_shared loads a tile once a block", ROW_GATE, "mm_shared", .cases = "hidden-even hidden-tiles hidden-ragged",
     .gate = "global_ld_bytes <= 1.05 / 16 * " ALL_BYTES " && shared_ld_bytes >= 0.45 * " ALL_BYTES " && " NO_GLOBAL_ATOMICS " && " FEW_OTHERS
             /* not 16 x 16 outputs in registers, by every 256th thread */
             " && threads >= 0.2 * m * n && inst_executed_max_warp * warps <= 1.5 * inst_executed && inst_executed <= 3.5 * ref.inst_executed && influence(others) >= 0.9",
     .hint = "A block needs 2 L k words from global memory, each fetched by one thread only: 2 N^3 / L in all. All others take them from shared memory, two for each product of one output a thread, and few instructions beside these."},

    {"tiled-ok", 2, "mm_tiled is right for any shape", ROW_CORRECT, "mm_tiled", .cases = F32_CASES " hidden-vaster hidden-infinite",
     .hint = "Fill what hangs over with zeros when you fetch; guard the store."},
    {"tiled-clean", 2, "mm_tiled has no race and no bad access", ROW_CHECKS, "mm_tiled", .cases = CLEAN,
     .hint = "Who reads an element that another thread fetched? What stands between the two?"},
    {"tiled-global", 1, "mm_tiled loads a large tile once a block", ROW_GATE, "mm_tiled", .cases = WHOLE " hidden-ragged",
     .gate = LARGE_TILE " && 32 * (shuffles + exchanges + local_ld_requests) <= 0.1 * m * n * k",
     .hint = "2 N^3 / L words: how large is your L?"},
    {"tiled-sectors", 1, "mm_tiled's fetching is coalesced", ROW_GATE, "mm_tiled", .elsewhere = 5, .cases = WHOLE,
     .gate = "worst(global_ld_sectors * 32 / global_ld_bytes) <= 2.1 && global_ld_sectors * 32 <= 1.6 * global_ld_bytes && " NO_GLOBAL_ATOMICS
             /* what is loaded goes into the tile, unless everybody loads all */
             " && max(1.1 * shared_st_bytes - global_ld_bytes, global_ld_bytes - 1.05 / 32 * " ALL_BYTES ") >= 0",
     .hint = "Let neighbouring threads fetch neighbouring words of a row, whatever they use later."},
    {"tiled-shared", 2, "mm_tiled uses each word from shared memory several times", ROW_GATE, "mm_tiled", .elsewhere = 5 /* tiles of 96 that hang over */, .cases = "hidden-whole-96",
     .gate = "shared_ld_bytes <= 1.05 / 4 * " ALL_BYTES " && global_ld_bytes <= 1.05 / 32 * " ALL_BYTES
             " && 32 * global_atom_requests <= 0.2 * m * n * k && " FEW_OTHERS " && " FROM_TILE,
     .hint = "2 N^3 / V words from shared memory: how large is your V, and are the V + V operands in registers?"},

    {"vector-ok", 2, "mm_vector is right for any shape", ROW_CORRECT, "mm_vector", .cases = F32_CASES " hidden-infinite",
     .hint = "A float4 at an address that is no multiple of 16 is an error. When do a row's float4 lie right?"},
    {"vector-clean", 1, "mm_vector has no race and no bad access", ROW_CHECKS, "mm_vector", .cases = CLEAN,
     .hint = "CHECK=1 names both lines of a race."},
    {"vector-wide", 2, "mm_vector loads 16 bytes a lane", ROW_GATE, "mm_vector", .cases = "hidden-whole hidden-nearly",
     .gate = "300 * worst(global_ld_requests / global_ld_bytes) <= 1 && 300 * worst(shared_ld_requests / shared_ld_bytes) <= 1"
             " && " LARGE_TILE " && " NO_ATOMICS " && " FROM_TILE,
     .hint = "32 lanes of 16 bytes are 512 bytes a request, from global and from shared memory."},
    {"vector-banks", 1, "mm_vector reads shared memory without conflicts", ROW_GATE, "mm_vector", .elsewhere = 5, .cases = WHOLE,
     /* the second: parts of a warp that read one after the other have no conflict, and more wavefronts */
     .gate = "shared_ld_bank_conflicts <= 0.0004 * m * n * k && shared_ld_wavefronts <= 1.1 * shared_ld_bytes / 128 && " FROM_TILE " && global_ld_sectors * 32 <= 1.05 / 32 * " ALL_BYTES " && " NO_ATOMICS,
     .hint = "A 16-byte read is served eight lanes at a time: do those eight read 128 neighbouring bytes, or the same ones?"},

    {"pipeline-ok", 2, "mm_pipeline is right for any shape", ROW_CORRECT, "mm_pipeline", .cases = F32_CASES " hidden-infinite",
     .hint = "Count tiles: how many are fetched before the loop, in it, and how many are multiplied after it? What if there is only one, or none?"},
    {"pipeline-clean", 2, "mm_pipeline has no race and no bad access", ROW_CHECKS, "mm_pipeline", .cases = CLEAN,
     .hint = "Between two barriers one set of tiles is only read, the other only written."},
    {"pipeline-barriers", 1, "mm_pipeline waits once a tile", ROW_GATE, "mm_pipeline", .cases = WHOLE " hidden-nearly hidden-tiles-many", .influence_on_each = true, .elsewhere = HERE_ONLY, .larger = 1.3, /* warps that no output falls to have only barriers */
     .gate = "fences == 0 && barriers + warp_syncs <= (k / 8 + 2) * warps && barriers_close <= 2 * warps && inst_executed_max_warp * warps <= 2.2 * inst_executed"
             /* a wait for each tile, of two: who has room for one waits for it somewhere else, too;
              * copies that are on their way while others are used have two anyhow */
             " && max(min(-mbarrier_arrivals, shared_block_bytes * (barriers + warp_syncs) - 1.8 * global_ld_bytes * warps), async_bytes - 0.99 * global_ld_bytes) >= 0 && flop_fp16 + flop_fp32 + flop_fp64 <= 1.1 * 2 * k * (m + 64) * (n + 64)" /* half a tile of 128 hangs over */
             " && " LARGE_TILE " && " NO_ATOMICS " && " FROM_TILE " && influence(at_once) == 0 && influence(ahead) >= 0.9",
     .hint = "With two sets of tiles, of 8 steps or more, what did the second barrier protect? And when does a thread first need a word of the next tile: before it multiplies this one, or after?"},
    {"pipeline-fast", 2, "mm_pipeline keeps up with ours", ROW_SPEED, "mm_pipeline", .cases = "hidden-speed", .ratio = 0.55,
     /* by time mm_vector is no other than a right pipeline of another shape (grading/h200.txt) */
     /* so the speed asked is that of the slowest right way, and k has two tiles of 32 steps */
     .gate = "influence(ahead) >= 0.9", .elsewhere = HERE_ONLY,
     .hint = "Are the next tile's loads under way while this one is multiplied? Beside that, nothing but the barriers should differ from mm_vector."},

    {"tensor-ok", 2, "mm_tensor is right for any shape", ROW_CORRECT, "mm_tensor", .cases = F16_CASES,
     .hint = "The fragments are always whole: what is in them past the edge, and who keeps store_matrix_sync inside c?"},
    {"tensor-clean", 1, "mm_tensor has no race and no bad access", ROW_CHECKS, "mm_tensor", .cases = "odd16 hidden-16 hidden-tall16 hidden-even16 hidden-great16 hidden-long16",
     .hint = "Fragments are read by whole warps, tiles fetched by whole blocks: a barrier belongs between."},
    {"tensor-used", 2, "mm_tensor's products are made by tensor cores", ROW_GATE, "mm_tensor", .elsewhere = 5, .cases = "hidden-whole-96-16",
     .gate = "tensor_flop >= flops && tensor_flop <= 1.6 * flops && flop_fp16 + flop_fp32 + flop_fp64 <= 0.1 * flops"
             /* integers, which no flop counts, need an instruction a product; fetching may take its time, and storing a little */
             " && inst_executed <= 0.0157 * m * n * k + 0.1 * m * n + 40 * global_ld_requests && global_ld_bytes >= 30 * global_ld_requests"
             " && influence(tensor) >= 0.9",
     .hint = "Every multiply-add should come from mma_sync, and none should be made twice. Beside them few instructions are needed."},
    {"tensor-reuse", 1, "mm_tensor shares its tiles", ROW_GATE, "mm_tensor", .cases = TILES16,
     .gate = LARGE_TILE " && influence(others) >= 0.9",
     .hint = "2 N^3 / L words for a block of L x L outputs: do the warps of a block fetch together?"},

    {"mma-ok", 1, "mm_mma is right for any shape", ROW_CORRECT, "mm_mma", .cases = F16_CASES " hidden-past16",
     .hint = "A chunk of 16 bytes that lies outside comes as zeros; where rows do not begin at multiples of 16 bytes, cp_async_16 cannot be used."},
    {"mma-clean", 1, "mm_mma has no race and no bad access", ROW_CHECKS, "mm_mma", .cases = "odd16 maps16 hidden-maps16 hidden-great16 hidden-steps16",
     .hint = "Which stage does anybody still read when the next one is asked for?"},
    {"mma-used", 0.5, "mm_mma's products are made by tensor cores", ROW_GATE, "mm_mma", .cases = "hidden-tiles16", .gate = BY_TENSOR_CORES,
     .hint = "Every multiply-add should come from mma_m16n8k16_f16, and none should be made twice."},
    {"mma-ahead", 0.5, "mm_mma's stages are on their way while others are multiplied", ROW_GATE, "mm_mma", .influence_on_each = true, .cases = STEPS16 " hidden-rows16",
     .gate = BY_COPIES " && " NO_MORE_SUMS " && influence(at_once) == 0 && influence(ahead) >= 0.9",
     .hint = "With three stages, which of them does cp_async_wait wait for, and how many may still be on their way?"},
    {"tma-ok", 0.5, "mm_tma is right", ROW_CORRECT, "mm_tma", .cases = MAPS16 " hidden-past16",
     .hint = "Does the mbarrier expect as many bytes as all boxes of a stage have, zeros past the edges included?"},
    {"tma-clean", 0.5, "mm_tma waits for what it fetches", ROW_CHECKS, "mm_tma", .cases = "square16 " STEPS16, .gate = BY_COPIES,
     .hint = "Who waits for an mbarrier's stage before it reads it, and who reads a stage that is asked for again?"},
    {"tma-used", 0.5, "mm_tma's tiles come by tensor map", ROW_GATE, "mm_tma", .cases = "hidden-tiles16", .gate = TENSOR_WORK " && " BY_MAPS,
     .hint = "No thread loads an element of a or b, or copies 16 bytes of them: one asks for a whole box."},
    {"wgmma-ok", 1, "mm_wgmma is right", ROW_CORRECT, "mm_wgmma", .cases = MAPS16 " hidden-past16",
     .hint = "Print what a descriptor says of one chunk: start, lead, 1024 from atom to atom."},
    {"wgmma-clean", 0.5, "mm_wgmma waits for what it fetches", ROW_CHECKS, "mm_wgmma", .cases = "square16 " STEPS16, .gate = BY_COPIES,
     .hint = "A product that is still on its way reads its stage, and its sums are nobody's: wgmma_wait before either is touched."},
    {"wgmma-used", 1, "mm_wgmma's operands are multiplied where they lie", ROW_GATE, "mm_wgmma", .cases = "hidden-tiles16",
     .gate = BY_TENSOR_CORES " && shared_ld_bytes + shared_atom_requests == 0 && wgmma_ops >= tensor_flop && " BY_COPIES, /* nor straight from global memory */
     .hint = "No fragment passes through registers: wgmma_m64n128k16_f16 reads both factors by descriptor."},
    {"roles-ok", 0.5, "mm_roles is right", ROW_CORRECT, "mm_roles", .cases = MAPS16 " hidden-maps-most16",
     .hint = "A wait for `empty` before its first round must pass: wait for the other parity."},
    {"roles-clean", 0.5, "mm_roles's warps wait for each other", ROW_CHECKS, "mm_roles", .cases = "square16 " STEPS16, .gate = BY_COPIES,
     .hint = "Fetchers wait for `empty`, multipliers for `full`: which of the two is missing where CHECK=1 names a line?"},
    {"roles-used", 0.5, "mm_roles's warps do not wait for the whole block", ROW_GATE, "mm_roles", .influence_on_each = true, .cases = "hidden-steps16 hidden-rows16",
     .gate = BY_MAPS " && " TENSOR_SUMS " && " NO_MORE_SUMS " && barriers <= 4 * warps && shared_atom_requests == 0 && shared_ld_requests <= 8 * warps && mbarrier_arrivals <= (k / 64 + 1) * warps && tma_ld_busy == 0 && influence(ahead) >= 0.9",
     .hint = "One warp fetches, and does nothing else. It waits for `empty`, whoever multiplies for `full`, stage by stage: where would a barrier of the block still be needed?"},
    {"persistent-ok", 0.5, "mm_persistent is right", ROW_CORRECT, "mm_persistent", .cases = MAPS16 " hidden-maps-most16 hidden-stay16 hidden-stay-more16",
     .hint = "Stages are counted over all tiles of a block: does the parity go on with them?"},
    {"persistent-clean", 0.5, "mm_persistent waits from tile to tile", ROW_CHECKS, "mm_persistent", .cases = "square16 stay-long16 hidden-stay16", .gate = BY_COPIES,
     .hint = "The first stage of the next tile is the last one's of this tile, or after it: who may still read it?"},
    {"persistent-used", 0.5, "mm_persistent's blocks make many tiles", ROW_GATE, "mm_persistent", .cases = "hidden-stay16 hidden-stay-more16",
     .gate = BY_COPIES " && " TENSOR_SUMS " && blocks == param && inst_executed_max_warp * warps <= 2.5 * inst_executed && influence(one_block) >= 0.15 && influence(one_block) <= 0.85 && inst_executed_max_warp * blocks <= 1.6 * inst_executed_busiest" /* tiles are all blocks', and none has many more than another */,
     .hint = "What does the record say of it, and which tile does a block take after its first?"},
    {"store-ok", 0.5, "mm_store is right", ROW_CORRECT, "mm_store", .cases = MAPS16 " hidden-maps-most16 hidden-stay16 hidden-stay-more16",
     .hint = "Who has written the place that is copied, and how does the copy come to see it?"},
    {"store-clean", 0.5, "mm_store waits for what it stores", ROW_CHECKS, "mm_store", .cases = "square16 stay-long16 hidden-stay16", .gate = BY_COPIES,
     .hint = "A copy that leaves reads shared memory: who writes there again, and who has waited for it?"},
    {"store-used", 0.5, "mm_store's results leave by tensor map", ROW_GATE, "mm_store", .cases = "hidden-tiles16",
     .gate = TENSOR_SUMS " && " BY_MAPS " && 600 * worst(inst_executed / global_st_bytes) <= 1 && global_red_requests == 0",
     .hint = "No thread stores to c: results are put into shared memory, and one thread asks for the copy of a box."},
    {"cluster-ok", 0.5, "mm_cluster is right", ROW_CORRECT, "mm_cluster", .cases = MAPS16 " hidden-maps-most16 hidden-stay16 hidden-stay-more16",
     .hint = "How many arrive at `empty`, and at whose? How many bytes does each block's `full` expect?"},
    {"cluster-clean", 0.5, "mm_cluster's blocks wait for each other", ROW_CHECKS, "mm_cluster", .cases = "square16 stay-long16 hidden-stay16", .gate = BY_COPIES,
     .hint = "A block that has gone cannot be written to, nor told: what does the pair do first, and what last?"},
    {"cluster-used", 0.5, "mm_cluster's blocks fetch a shared tile once", ROW_GATE, "mm_cluster", .cases = "hidden-pair16", .elsewhere = 1.2,
     .gate = BY_MAPS " && " TENSOR_SUMS " && blocks >= 2 && async_bytes <= 1.05 * elem * (m + n) * k"
             " && tma_ld_bytes >= async_bytes + 0.9 * elem * n * k" /* b's go to two blocks */,
     .hint = "Two blocks, one above the other, need the same columns of b: which half of them does each ask for, and for whom?"},
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
