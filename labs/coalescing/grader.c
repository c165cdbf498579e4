/* grader.c - what the coalescing lab is marked by: the four kernels a student writes. */
#include "grading/mark/rubric.h"

enum { STRIDE, OFFSET, ENERGY, TRANSPOSE }; /* as in harness.c */

#define PARTICLES(id, length)                                                                      \
    {                                                                                              \
        .name = id, .n = length, .dtype = DT_F32, .op = ENERGY, .flags = CASE_CHECK                \
    }
#define MATRIX(id, w, h)                                                                           \
    {                                                                                              \
        .name = id, .n = w, .m = h, .dtype = DT_F32, .op = TRANSPOSE,                              \
        .flags = CASE_CHECK | CASE_SPECIAL                                                         \
    }

/* A stride of about a part of n: behind the end a warp comes again to sectors that it has touched.
 * So few are touched by that stride alone, or by its like: beside these, all strides from 8 on
 * touch one for each lane. */
#define FOLD(prime, stride)                                                                        \
    {                                                                                              \
        .name = "fold-" #prime "-" #stride, .n = prime, .param = stride, .dtype = DT_F32,          \
        .op = STRIDE, .flags = CASE_CHECK | CASE_SPECIAL                                           \
    }
#define FOLD_NEAR                                                                                  \
    "fold-251-18 fold-251-23 fold-251-25 fold-251-36 fold-251-42 fold-251-50 fold-509-32 "         \
    "fold-509-51 fold-769-55 fold-769-59 fold-769-64 fold-1021-51 fold-1021-64"
#define FOLD_FAR                                                                                   \
    "fold-509-85 fold-509-102 fold-1021-102 fold-1021-146 fold-1021-204 fold-2039-340 "            \
    "fold-2039-408 fold-2039-680 fold-4093-1023 fold-4093-1364 fold-4093-1637"
/* k of a case whose fields begin anywhere in a sector: who takes four neighbours a thread there,
 * since vectors cannot be loaded, moves four times the sectors. */
enum { ANYWHERE = 3 };

static const struct lab_case cases[] = {
    {.name = "stride",
     .n = 1009,
     .param = 7,
     .dtype = DT_F32,
     .op = STRIDE,
     .flags = CASE_CHECK | CASE_SPECIAL},
    {.name = "far-apart",
     .n = 4093,
     .param = 16,
     .dtype = DT_F32,
     .op = STRIDE,
     .flags = CASE_CHECK},

    FOLD(251, 18),
    FOLD(251, 23),
    FOLD(251, 25),
    FOLD(251, 36),
    FOLD(251, 42),
    FOLD(251, 50),
    FOLD(509, 32),
    FOLD(509, 51),
    FOLD(769, 55),
    FOLD(769, 59),
    FOLD(769, 64),
    FOLD(1021, 51),
    FOLD(1021, 64),
    FOLD(509, 85),
    FOLD(509, 102),
    FOLD(1021, 102),
    FOLD(1021, 146),
    FOLD(1021, 204),
    FOLD(2039, 340),
    FOLD(2039, 408),
    FOLD(2039, 680),
    FOLD(4093, 1023),
    FOLD(4093, 1364),
    FOLD(4093, 1637),
    {.name = "near", .n = 4093, .param = 2, .dtype = DT_F32, .op = STRIDE, .flags = CASE_CHECK},
    {.name = "offset", .n = 1001, .param = 3, .dtype = DT_F32, .op = OFFSET, .flags = CASE_CHECK},
    PARTICLES("none", 0),
    PARTICLES("one", 1),
    {.name = "tail",
     .n = 1001,
     .k = ANYWHERE,
     .dtype = DT_F32,
     .op = ENERGY,
     .flags = CASE_CHECK | CASE_SPECIAL},
    PARTICLES("aligned", 4096),
    MATRIX("no-column", 0, 40),
    MATRIX("no-row", 40, 0),
    MATRIX("dot", 1, 1),
    MATRIX("small", 33, 31),
    MATRIX("row", 300, 1),
    MATRIX("column", 1, 300),
    MATRIX("odd", 100, 77),
    MATRIX("square", 64, 64),
    MATRIX("rectangle", 128, 96),
    MATRIX("tall", 64, 160),
    MATRIX("high", 35, 1061),
    MATRIX("higher", 33, 1123),
    MATRIX("long", 1061, 35),
    MATRIX("longer", 1123, 33),
    MATRIX("widest", (1 << 16) + 33, 1),
    MATRIX("highest", 1, (1 << 16) + 33),
    MATRIX("high328", 72, 328),
    MATRIX("high344", 72, 344),
    MATRIX("high360", 72, 360),
    MATRIX("high648", 72, 648),
};
/* Some beyond 65536, where a number of 16 bits begins again. Those of gates begin their rows and
 * fields at sectors. */
static const struct hidden_case hidden[] = {
    {.name = "hidden-stride",
     .kind = "any stride",
     .like = "stride",
     .n_min = 2,
     .n_max = 1 << 17,
     .param_min = 1,
     .param_max = 40000,
     .any_scale = true,
     .work_max = 1 << 30,
     .prime = true},
    {.name = "hidden-stride-few",
     .kind = "few elements",
     .like = "stride",
     .n_min = 2,
     .n_max = 2047,
     .param_min = 1,
     .param_max = 255,
     .any_scale = true,
     .work_max = 1 << 19,
     .prime = true},
    {.name = "hidden-stride-far", /* 17 bits are too few */
     .kind = "more than 65536 elements",
     .like = "stride",
     .n_min = 1 << 17,
     .n_max = 200000,
     .param_min = 2,
     .param_max = 1008,
     .prime = true},
    {.name = "hidden-stride-product", /* more than 28 bits, less than 31 */
     .kind = "a stride of thousands",
     .like = "stride",
     .n_min = 1 << 15,
     .n_max = 100000,
     .param_min = 8200,
     .param_max = 21000,
     .prime = true},
    {.name = "hidden-near",
     .kind = "several elements in one sector",
     .like = "stride",
     .n_min = 4096,
     .n_max = (1 << 17) - 1,
     .param_min = 2,
     .param_max = 7,
     .any_scale = true,
     .work_max = 1 << 20,
     .prime = true},
    {.name = "hidden-apart",
     .kind = "no two elements in one sector",
     .like = "stride",
     .n_min = 4096,
     .n_max = (1 << 17) - 1,
     .param_min = 8,
     .param_max = 16383,
     .any_scale = true,
     .work_max = 1 << 30,
     .prime = true},
    {.name = "hidden-apart-few",
     .kind = "no two elements in one sector",
     .like = "stride",
     .n_min = 1024,
     .n_max = 2040,
     .param_min = 8,
     .param_max = 1023,
     .any_scale = true,
     .work_max = 1 << 30,
     .prime = true},
    {.name = "hidden-apart-some",
     .kind = "no two elements in one sector",
     .like = "stride",
     .n_min = 2041,
     .n_max = 3066,
     .param_min = 8,
     .param_max = 1023,
     .any_scale = true,
     .work_max = 1 << 30,
     .prime = true},
    {.name = "hidden-fold", .kind = "a stride that comes round within a warp", .like = FOLD_NEAR},
    {.name = "hidden-fold-far",
     .kind = "a stride that comes round within a warp",
     .like = FOLD_FAR},
    {.name = "hidden-particles",
     .kind = "any number of particles",
     .like = "tail",
     .n_min = 1000,
     .n_max = 65535,
     .any_scale = true},
    {.name = "hidden-few",
     .kind = "few particles",
     .like = "tail",
     .n_min = 2,
     .n_max = 999,
     .any_scale = true},
    {.name = "hidden-fewest",
     .kind = "few particles",
     .like = "tail",
     .n_min = 2,
     .n_max = 199,
     .any_scale = true},
    {.name = "hidden-some", .kind = "few particles", .like = "tail", .n_min = 200, .n_max = 999},
    {.name = "hidden-more",
     .kind = "more than 65536 particles",
     .like = "tail",
     .n_min = 1 << 16,
     .n_max = (1 << 17) + 95},
    {.name = "hidden-many",
     .kind = "more than 65536 particles",
     .like = "aligned",
     .n_min = (1 << 17) + 96, /* 17 bits are too few, too */
     .n_max = 133000,
     .multiple = 8},
    {.name = "hidden-aligned",
     .kind = "full blocks of particles",
     .like = "aligned",
     .n_min = 3000,
     .n_max = 9000,
     .multiple = 256},
    {.name = "hidden-matrix",
     .kind = "a matrix of any shape",
     .like = "odd",
     .n_min = 20,
     .n_max = 639,
     .m_min = 10,
     .m_max = 319,
     .any_scale = true},
    {.name = "hidden-any",
     .kind = "a matrix of any shape",
     .like = "odd",
     .n_min = 1,
     .n_max = 2199,
     .m_min = 1,
     .m_max = 2199,
     .any_scale = true,
     .work_max = 50000},
    {.name = "hidden-wide",
     .kind = "rows of thousands",
     .like = "odd",
     .n_min = 2200,
     .n_max = 1 << 15,
     .m_min = 1,
     .m_max = 6,
     .any_scale = true,
     .work_max = 1 << 16},
    {.name = "hidden-widest", .kind = "a matrix with a side above 65536", .like = "widest highest"},
    {.name = "hidden-tallest",
     .kind = "thousands of rows",
     .like = "odd",
     .n_min = 1,
     .n_max = 6,
     .m_min = 2200,
     .m_max = 1 << 15,
     .any_scale = true,
     .work_max = 1 << 16},
    {.name = "hidden-low",
     .kind = "a matrix of few rows",
     .like = "odd",
     .n_min = 200,
     .n_max = 639,
     .m_min = 12,
     .m_max = 50},
    {.name = "hidden-high", .kind = "a matrix of more than a thousand rows", .like = "high higher"},
    {.name = "hidden-long", .kind = "rows of more than a thousand", .like = "long longer"},
    {.name = "hidden-large",
     .kind = "a matrix of more than 65536 elements",
     .like = "high328 high344 high360",
     .n_min = 328,
     .n_max = 392,
     .multiple = 8},
    {.name = "hidden-larger",
     .kind = "a matrix large both ways",
     .like = "high648",
     .n_min = 648, /* 17 bits are too few here, too */
     .n_max = 680,
     .multiple = 8},
    {.name = "hidden-largest",
     .kind = "a matrix large both ways, of no whole tiles",
     .like = "odd",
     .n_min = 681,
     .n_max = 1100,
     .m_min = 681,
     .m_max = 1100,
     .work_max = 800000},
    {.name = "hidden-broad",
     .kind = "rows of more than a thousand, dozens of them or hundreds",
     .like = "odd",
     .n_min = 1024,
     .n_max = 2199,
     .m_min = 64,
     .m_max = 680,
     .any_scale = true,
     .work_max = 300000},
    {.name = "hidden-steep",
     .kind = "more than a thousand rows of dozens or hundreds",
     .like = "odd",
     .n_min = 64,
     .n_max = 680,
     .m_min = 1024,
     .m_max = 2199,
     .any_scale = true,
     .work_max = 300000},
    {.name = "hidden-tiles",
     .kind = "a matrix of whole tiles",
     .like = "rectangle tall",
     .n_min = 33,
     .n_max = 1055,
     .any_scale = true,
     .multiple = 32},
};

#define COUNTS                                                                                     \
    "one tail aligned none hidden-few hidden-fewest hidden-particles hidden-more hidden-many"
#define SHAPES                                                                                     \
    "no-column no-row dot small row column odd square rectangle hidden-matrix hidden-any hidden-low hidden-high hidden-long      \
    hidden-large hidden-larger hidden-largest hidden-broad hidden-steep hidden-wide hidden-tallest hidden-widest"
/* From lane to lane it is as far as asked, whatever sectors are touched on the way: how often a
 * warp comes round, and back by as much as there is, depends on which threads are one. */
#define SPACED                                                                                     \
    " && global_lane_steps >= 0.6 * ref.global_lane_steps && global_lane_steps <= 1.6 * "          \
    "ref.global_lane_steps"
/* A field that begins anywhere is a sector more a request. Many more are for who takes four
 * neighbours a thread, and stores these: lanes that put results in order for others load what they
 * like. */
#define OF_FOUR "k * max(0.2, 1 - shared_st_bytes - shuffles - exchanges)"
/* Of that room nothing is for lanes that ask in turn: a load is by all of a warp. */
#define ALL_LANES "32 * global_ld_requests <= 4.4 * max(n, 32 * warps) + 8 * 32 * warps / blocks"
/* All ways to memory but stores: an atomic that adds nothing is a load, too. */
#define LOADED "global_sectors - global_st_sectors"
/* Of loads first, then of all of these: what is said of a failure is about the first that does not
 * hold. */
#define SECTORS_LOADED(most) "global_ld_sectors <= " most " && " LOADED " <= " most
#define NO_ATOMICS           "global_atom_requests + global_red_requests + async_sends == 0"
/* Energies go out in whole sectors, too; a warp may begin amid one. */
#define STORED "global_st_sectors <= 1.3 * 4 * n / 32 + 16"
/* Rows in and rows out, each once, by loads and stores of whole sectors. */
#define A_SIDE "1.05 * 4 * n * m / 32 + 8"
#define BY_ROWS                                                                                    \
    "global_ld_sectors <= " A_SIDE " && global_st_sectors <= " A_SIDE                              \
    " && global_sectors <= 2 * (" A_SIDE ")"
/* A tile's rows are 32 wavefronts, its columns without a conflict, too. Lanes that read one after
 * the other have no conflict, and as many wavefronts as if they had. Of pieces of 16 bytes at an
 * edge a few count as conflicts. */
#define FEW_WAVEFRONTS "shared_ld_wavefronts <= 35 * blocks && shared_st_wavefronts <= 35 * blocks"
#define GIVEN          "It is there to compare yours with: leave it as it was."
#define CHECKED        "Run it with CHECK=1: it names the line, the thread and the address."

/* Where rows begin anywhere, squares of 4 x 4 elements that a thread turns in its registers move
 * four times the sectors: what passes through the tile is turned there. */
/* clang-format off */
static const struct rubric_row rows[] = {
    {"stride-ok", 2, "Copy with a stride: the copy is right", ROW_CORRECT, "strided_copy", .cases = "stride far-apart near hidden-stride-few hidden-stride hidden-apart hidden-stride-far hidden-stride-product",
     .hint = "Thread 0 has element 0, thread 1 element stride, thread 2 element 2 * stride; behind the last element comes the first."},
    {"stride-clean", 1, "Copy with a stride: no race and no bad access", ROW_CHECKS, "strided_copy", .cases = "stride hidden-stride-few hidden-stride hidden-stride-far", .hint = CHECKED},
    {"stride-apart", 1, "Copy with a stride: neighbours copy what is stride apart", ROW_GATE, "strided_copy", .cases = "far-apart near hidden-apart hidden-apart-few hidden-apart-some hidden-stride-product hidden-near hidden-fold hidden-fold-far",
     .gate = "global_ld_requests <= 1.1 * ref.global_ld_requests + 8 && global_ld_sectors >= 0.95 * ref.global_ld_sectors && global_ld_sectors <= 1.2 * ref.global_ld_sectors + 8 && global_ld_bytes <= 4 * n && global_st_sectors >= 0.95 * ref.global_st_sectors && global_st_sectors <= 1.2 * ref.global_st_sectors + 8 && global_st_bytes <= 4 * n && global_atom_requests + global_red_requests + async_sends == 0" SPACED,
     .hint = "Neighbouring threads are to copy elements that are stride apart: the experiment is to see what that asks for."},
    {"given-offset_copy", 0, "The given offset_copy is still right", ROW_CORRECT, "offset_copy", .cases = "offset", .hint = GIVEN},
    {"given-energy_aos", 0, "The given energy_aos is still right", ROW_CORRECT, "energy_aos", .cases = "one tail", .hint = GIVEN},
    {"given-transpose_naive", 0, "The given transpose_naive is still right", ROW_CORRECT, "transpose_naive", .cases = "dot column odd", .hint = GIVEN},
    {"soa-ok", 2, "Structure of arrays: energies are right", ROW_CORRECT, "energy_soa", .cases = COUNTS,
     .hint = "Where does the second field begin, when there are n particles? Does the last thread have one?"},
    {"soa-clean", 1, "Structure of arrays: no bad access", ROW_CHECKS, "energy_soa", .cases = "tail none hidden-few hidden-particles hidden-many", .hint = CHECKED},
    {"soa-coalesced", 2, "Structure of arrays: loads and stores use sectors whole", ROW_GATE, "energy_soa", .cases = "aligned hidden-aligned hidden-some hidden-many hidden-particles hidden-more",
     .gate = SECTORS_LOADED("(1.05 + " OF_FOUR ") * 16 * n / 32 + 16") " && " NO_ATOMICS " && " STORED " && " ALL_LANES,
     .hint = "Take one load, or the store, and write down the addresses of lanes 0, 1 and 2: how far apart are they?"},
    {"vec-ok", 2, "16-byte loads: energies are right", ROW_CORRECT, "energy_aos_vec", .cases = COUNTS,
     .hint = "Which field comes in which component of the vector? Does the last thread have a particle?"},
    {"vec-clean", 1, "16-byte loads: no bad access", ROW_CHECKS, "energy_aos_vec", .cases = "tail none hidden-few hidden-particles hidden-many", .hint = CHECKED},
    {"vec-one", 2, "16-byte loads: one load a particle", ROW_GATE, "energy_aos_vec", .cases = "aligned hidden-aligned hidden-fewest hidden-some hidden-many hidden-particles hidden-more",
     .gate = "global_ld_requests <= 1.05 * n / 32 + 8 && global_ld_bytes <= 16.5 * n && global_ld_bytes >= 16 * n && " SECTORS_LOADED("1.05 * n + 16") " && worst(16 * thread_inst_executed_pred_on / global_ld_bytes) <= 1 && " NO_ATOMICS " && " STORED,
     .hint = "How many load instructions does a thread execute, and how many bytes does each bring that the energy needs?"},
    {"tile-ok", 3, "Transpose through shared memory is right", ROW_CORRECT, "transpose_shared", .cases = SHAPES,
     .hint = "Try a 2 x 3 matrix by hand. The guard for reading is about the input's shape, the one for writing about the output's."},
    {"tile-clean", 2, "Transpose: no race and no bad access", ROW_CHECKS, "transpose_shared", .cases = "small rectangle hidden-tiles hidden-large hidden-matrix",
     .hint = CHECKED " What one thread stores in the tile, another loads: what must lie between?"},
    {"tile-coalesced", 3, "Transpose: rows are read and rows are written", ROW_GATE, "transpose_shared", .cases = "rectangle hidden-tiles hidden-large hidden-larger",
     .gate = BY_ROWS,
     .hint = "Neighbouring lanes must load neighbouring elements, and store neighbouring ones: only the tile is read across."},
    {"tile-banks", 2, "Transpose: the tile has no bank conflicts", ROW_GATE, "transpose_shared", .cases = "odd rectangle hidden-tiles hidden-large hidden-larger hidden-largest hidden-matrix",
     .gate = "shared_ld_bytes >= 4 * n * m && shared_st_bytes >= 4 * n * m && shared_ld_bank_conflicts + shared_st_bank_conflicts <= 0.1 * n * m / 32 && shared_atom_requests + async_sends == 0 && global_ld_bytes + global_st_bytes <= 8 * n * m && 32 * global_sectors <= 2 * 8 * n * m && shared_ld_bytes <= 1.05 * 4096 * blocks && shared_st_bytes <= 1.05 * 4096 * blocks && " FEW_WAVEFRONTS " && influence(others) >= 0.8 && shuffles + exchanges + tensor_flop == 0",
     .hint = "In which banks do the 32 words of one column of the tile lie? What if its rows were one word longer? (A tile is for reading rows and writing rows: first see to that.)"},
};
/* clang-format on */

const struct rubric rubric_coalescing = {
    .lab = "coalescing",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
