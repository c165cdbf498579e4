/* grader.c - what the uses of reductions are marked by: the ten kernels a student writes. */
#include "grading/mark/rubric.h"

enum { PRODUCT, ALL, ANY, DOT, TREE, COUNT, HISTOGRAM, SOFTMAX, GRID }; /* as in harness.c */

enum { ANY_SPREAD = 1, ONE_ABOVE = 2 }; /* param of a softmax, as there */
/* k of a case whose few results may be the same whatever one of the warps has. */
enum { NOT_ALL_WARPS = 1 };
/* clang-format off */
#define ROWS(id, what, type, columns, rows) {.name = id, .n = columns, .m = rows, .dtype = type, .op = what, .flags = CASE_CHECK}
#define SPECIAL(id, what, type, columns, rows) {.name = id, .n = columns, .m = rows, .dtype = type, .op = what, .flags = CASE_CHECK | CASE_SPECIAL}
#define LIST(id, what, count) {.name = id, .n = count, .dtype = DT_U32, .op = what, .flags = CASE_CHECK | CASE_DATA}
static const struct lab_case cases[] = {
    ROWS("product-none", PRODUCT, DT_U32, 0, 2), ROWS("product-one", PRODUCT, DT_U32, 1, 3), ROWS("product-some", PRODUCT, DT_U32, 701, 24), ROWS("product-odd", PRODUCT, DT_U32, 1003, 20),
    ROWS("and-none", ALL, DT_U32, 0, 2), ROWS("and-one", ALL, DT_U32, 1, 3), ROWS("and-some", ALL, DT_U32, 701, 24), ROWS("and-odd", ALL, DT_U32, 1003, 20),
    ROWS("or-none", ANY, DT_U32, 0, 2), ROWS("or-one", ANY, DT_U32, 1, 3), ROWS("or-some", ANY, DT_U32, 701, 24), ROWS("or-odd", ANY, DT_U32, 1003, 20),
    ROWS("dot-none", DOT, DT_F32, 0, 2), ROWS("dot-odd", DOT, DT_F32, 1003, 5), ROWS("dot-short", DOT, DT_F32, 304, 24), ROWS("dot-some", DOT, DT_F32, 704, 24), ROWS("dot-whole", DOT, DT_F32, 4096, 8),
    ROWS("tree-none", TREE, DT_U32, 0, 2), ROWS("tree-row", TREE, DT_U32, 300, 1), ROWS("tree-one", TREE, DT_U32, 1, 2), ROWS("tree-part", TREE, DT_U32, 300, 7), ROWS("tree-full", TREE, DT_U32, 512, 9),
    LIST("count-none", COUNT, 0), LIST("count-one", COUNT, 1), LIST("count-short", COUNT, 250), LIST("count-part", COUNT, 9001), LIST("count-full", COUNT, 1 << 15),
    LIST("bins-none", HISTOGRAM, 0), LIST("bins-one", HISTOGRAM, 1), LIST("bins-short", HISTOGRAM, 250), LIST("bins-part", HISTOGRAM, 9001), LIST("bins-full", HISTOGRAM, 1 << 15),
    ROWS("soft-one", SOFTMAX, DT_F32, 1, 3), ROWS("soft-many", SOFTMAX, DT_F32, 3, 300), ROWS("soft-odd", SOFTMAX, DT_F32, 1003, 5), ROWS("soft-whole", SOFTMAX, DT_F32, 2048, 8),
    /* rows whose elements lie from next to the largest to 100 below it; all of them that far below it that their sum is just to be seen */
    {.name = "soft-spread", .n = 700, .m = 24, .param = ANY_SPREAD, .dtype = DT_F32, .op = SOFTMAX, .flags = CASE_CHECK}, {.name = "soft-above", .n = 7000, .m = 12, .param = ONE_ABOVE, .dtype = DT_F32, .op = SOFTMAX, .flags = CASE_CHECK},
    SPECIAL("product-special", PRODUCT, DT_U32, 701, 12), SPECIAL("and-special", ALL, DT_U32, 701, 12), SPECIAL("or-special", ANY, DT_U32, 701, 12),
    SPECIAL("dot-special", DOT, DT_F32, 300, 10), SPECIAL("soft-special", SOFTMAX, DT_F32, 300, 6),
    {.name = "count-special", .n = 9001, .dtype = DT_U32, .op = COUNT, .flags = CASE_CHECK | CASE_DATA | CASE_SPECIAL},
    {.name = "bins-equal", .n = 8192, .dtype = DT_U32, .op = HISTOGRAM, .flags = CASE_CHECK | CASE_DATA | CASE_SPECIAL},
    {.name = "grid", .n = 1003, .param = 5, .dtype = DT_U32, .op = GRID, .flags = CASE_CHECK},
};
#define ANY_ROWS(id, base, from, to) {.name = id, .kind = "other rows", .like = base, .n_min = from, .n_max = to, .m_min = 17, .m_max = 40}
#define SOME_OF_ROWS(id, base, from, to) {.name = id, .kind = "dozens of rows of hundreds of elements", .like = base, .n_min = from, .n_max = to, .m_min = 41, .m_max = 60}
#define DOZENS_OF_ROWS(id, base) {.name = id, .kind = "more rows of hundreds of elements", .like = base, .n_min = 257, .n_max = 600, .m_min = 61, .m_max = 99}
#define FEW_OF_ROWS(id, base) {.name = id, .kind = "short rows", .like = base, .n_min = 2, .n_max = 1099, .any_scale = true, .m_min = 5, .m_max = 9}
#define LONG_ROWS(id, base, rows, which) {.name = id, .kind = "long rows", .like = base, .n_min = 3001, .n_max = 11999, .any_scale = true, .m_min = rows, .m_max = rows + 1, .k_min = which, .k_max = which}
#define FEW_OF_LIST(id, base) {.name = id, .kind = "few elements", .like = base, .n_min = 2, .n_max = 299, .any_scale = true}
#define ANY_LIST(id, base) {.name = id, .kind = "any length", .like = base, .n_min = 1200, .n_max = 65535, .any_scale = true}
#define SOME_OF_LIST(id, base) {.name = id, .kind = "a block of elements, or less", .like = base, .n_min = 150, .n_max = 1199, .any_scale = true}
#define MORE_LIST(id, base) {.name = id, .kind = "tens of thousands of elements", .like = base, .n_min = 1 << 16, .n_max = (1 << 17) + 95}
#define MANY_ROWS(id, base, most) {.name = id, .kind = "many rows", .like = base, .n_min = 1, .n_max = 3000, .m_min = 10, .m_max = 9000, .any_scale = true, .work_max = most}
#define GRID_OF_ROWS(id, base) {.name = id, .kind = "dozens and hundreds of rows of thousands of elements", .like = base, .n_min = 1110, .n_max = 3000, .m_min = 43, .m_max = 400, .any_scale = true, .work_max = 200000}
#define FAR_ROWS(id, base, most, which) {.name = id, .kind = "rows of many elements", .like = base, .n_min = 12000, .n_max = 140000, .m_min = 1, .m_max = 5, .k_min = which, .k_max = which, .any_scale = true, .work_max = most}
#define FAR_LIST(id, base) {.name = id, .kind = "more than 65536 elements", .like = base, .n_min = (1 << 17) + 96, .n_max = 133000} /* 17 bits are too few, too */
static const struct hidden_case hidden[] = {
    GRID_OF_ROWS("hidden-product-grid", "product-odd"), FEW_OF_ROWS("hidden-product-few", "product-odd"), SOME_OF_ROWS("hidden-product-short", "product-odd", 257, 440), SOME_OF_ROWS("hidden-product-some", "product-odd", 441, 999), ANY_ROWS("hidden-product", "product-odd", 1100, 3000), DOZENS_OF_ROWS("hidden-product-dozens", "product-odd"), MANY_ROWS("hidden-product-many", "product-odd", 40000), FAR_ROWS("hidden-product-far", "product-odd", 70000, 0), LONG_ROWS("hidden-product-long", "product-odd", 16, 0) /* more than 65536 */,
    GRID_OF_ROWS("hidden-and-grid", "and-odd"), FEW_OF_ROWS("hidden-and-few", "and-odd"), SOME_OF_ROWS("hidden-and-short", "and-odd", 257, 440), SOME_OF_ROWS("hidden-and-some", "and-odd", 441, 999), ANY_ROWS("hidden-and", "and-odd", 1100, 3000), DOZENS_OF_ROWS("hidden-and-dozens", "and-odd"), MANY_ROWS("hidden-and-many", "and-odd", 15000), FAR_ROWS("hidden-and-far", "and-odd", 30000, NOT_ALL_WARPS), LONG_ROWS("hidden-and-long", "and-odd", 2, NOT_ALL_WARPS),
    GRID_OF_ROWS("hidden-or-grid", "or-odd"), FEW_OF_ROWS("hidden-or-few", "or-odd"), SOME_OF_ROWS("hidden-or-short", "or-odd", 257, 440), SOME_OF_ROWS("hidden-or-some", "or-odd", 441, 999), ANY_ROWS("hidden-or", "or-odd", 1100, 3000), DOZENS_OF_ROWS("hidden-or-dozens", "or-odd"), MANY_ROWS("hidden-or-many", "or-odd", 15000), FAR_ROWS("hidden-or-far", "or-odd", 30000, NOT_ALL_WARPS), LONG_ROWS("hidden-or-long", "or-odd", 2, NOT_ALL_WARPS),
    GRID_OF_ROWS("hidden-dot-grid", "dot-odd"), FEW_OF_ROWS("hidden-dot-few", "dot-odd"), ANY_ROWS("hidden-dot", "dot-odd", 1100, 3000),
    {.name = "hidden-dot-some", .kind = "dozens of rows of hundreds of elements", .like = "dot-some", .n_min = 400, .n_max = 1000, .multiple = 8, .any_scale = true, .m_min = 41, .m_max = 80},
    {.name = "hidden-dot-middle", .kind = "longer rows", .like = "dot-whole", .n_min = 3001, .n_max = (1 << 17) - 1, .any_scale = true, .m_min = 1, .m_max = 4, .work_max = (1 << 17) - 1},
    MANY_ROWS("hidden-dot-many", "dot-odd", 40000),
    {.name = "hidden-dot-long", .kind = "long rows", .like = "dot-whole", .n_min = (1 << 17) + 96, .n_max = 133000, .multiple = 8, .m_min = 1, .m_max = 2},
    {.name = "hidden-tree-few", .kind = "short rows", .like = "tree-part", .n_min = 2, .n_max = 199, .any_scale = true, .m_min = 17, .m_max = 40},
    ANY_ROWS("hidden-tree", "tree-part", 200, 511),
    {.name = "hidden-tree-many", .kind = "many rows", .like = "tree-part", .n_min = 1, .n_max = 512, .m_min = 41, .m_max = 4200, .any_scale = true, .work_max = 40000},
    {.name = "hidden-tree-grid", .kind = "hundreds of rows of hundreds of elements", .like = "tree-part", .n_min = 180, .n_max = 511, .m_min = 260, .m_max = 640},
    {.name = "hidden-tree-full", .kind = "whole blocks", .like = "tree-full", .m_min = 10, .m_max = 255, .any_scale = true},
    FEW_OF_LIST("hidden-count-few", "count-part"), SOME_OF_LIST("hidden-count-some", "count-part"), ANY_LIST("hidden-count", "count-part"), MORE_LIST("hidden-count-more", "count-part"), FAR_LIST("hidden-count-far", "count-part"),
    FEW_OF_LIST("hidden-bins-few", "bins-part"), SOME_OF_LIST("hidden-bins-some", "bins-part"), ANY_LIST("hidden-bins", "bins-part"), MORE_LIST("hidden-bins-more", "bins-part"), FAR_LIST("hidden-bins-far", "bins-part"),
    {.name = "hidden-soft-few", .kind = "short rows", .like = "soft-many", .n_min = 2, .n_max = 127, .any_scale = true, .m_min = 30, .m_max = 60},
    {.name = "hidden-soft-some", .kind = "rows of hundreds of elements", .like = "soft-odd", .n_min = 400, .n_max = 1000, .m_min = 5, .m_max = 9},
    {.name = "hidden-soft-more", .kind = "rows of a thousand elements and more", .like = "soft-odd", .n_min = 1001, .n_max = 2303, .m_min = 5, .m_max = 9},
    {.name = "hidden-soft", .kind = "other rows, more than 65536 elements", .like = "soft-odd", .n_min = 2500, .n_max = 5000, .m_min = 27, .m_max = 29},
    {.name = "hidden-soft-many", .kind = "many rows of a few hundred elements", .like = "soft-many", .n_min = 20, .n_max = 600, .m_min = 60, .m_max = 1200, .any_scale = true, .work_max = 40000},
    {.name = "hidden-soft-grid", .kind = "dozens of rows of thousands of elements", .like = "soft-many", .n_min = 1450, .n_max = 6000, .m_min = 32, .m_max = 100, .any_scale = true, .work_max = 150000},
    {.name = "hidden-soft-long", .kind = "long rows", .like = "soft-many", .n_min = 6000, .n_max = 140000, .m_min = 1, .m_max = 3, .any_scale = true, .work_max = 40000},
    {.name = "hidden-soft-any", .kind = "any rows", .like = "soft-many", .n_min = 1, .n_max = 140000, .m_min = 1, .m_max = 4200, .any_scale = true, .work_max = 40000},
    {.name = "hidden-soft-far", .kind = "rows of more than 40,000 elements, far from 0", .like = "soft-special", .n_min = 40001, .n_max = 140000, .any_scale = true, .m_min = 2, .m_max = 2},
    {.name = "hidden-soft-spread", .kind = "rows of any spread", .like = "soft-spread", .n_min = 2, .n_max = 2400, .m_min = 12, .m_max = 200, .any_scale = true, .work_max = 40000},
    {.name = "hidden-soft-above", .kind = "long rows, one element above all others", .like = "soft-above", .n_min = 3000, .n_max = 8000, .m_min = 6, .m_max = 12},
    {.name = "hidden-product-special", .kind = "rows of which some have a 0", .like = "product-special", .n_min = 2, .n_max = 900, .any_scale = true},
    {.name = "hidden-and-special", .kind = "rows of which some have a 0", .like = "and-special", .n_min = 2, .n_max = 900, .any_scale = true},
    {.name = "hidden-or-special", .kind = "rows of which some have an element with all bits set", .like = "or-special", .n_min = 2, .n_max = 900, .any_scale = true},
    {.name = "hidden-dot-special", .kind = "huge and tiny numbers, infinities, NaN", .like = "dot-special", .n_min = 33, .n_max = 700},
    {.name = "hidden-soft-special", .kind = "rows far from 0", .like = "soft-special", .n_min = 33, .n_max = 700},
    {.name = "hidden-count-special", .kind = "numbers near 0 and near the greatest", .like = "count-special", .n_min = 3000, .n_max = 9000},
    {.name = "hidden-bins-equal", .kind = "all in one bin", .like = "bins-equal", .n_min = 8192, .n_max = 12288, .multiple = 4096},
    {.name = "hidden-soft-whole", .kind = "whole sectors", .like = "soft-whole", .n_min = 2304, .n_max = 4864, .multiple = 256, .m_min = 3, .m_max = 9},
};

/* Bounds are totals that the task itself fixes.
 *
 * READ(times, slack): a warp's loads use their sectors whole, and read the input so often. Of softmax,
 * every second row may have an element far above all others: theirs are 0, whatever is disturbed.
 * ROUNDS: the tree's shape, by how many lanes load from shared memory, and no other way from thread
 * to thread. Of degree 4: 512, 128, 32, 8, 2, 1; of degree 8: 512, 64, 8, 1. A round's warps load
 * each child once, or have their own in a register; each of these rounds there is, whoever makes
 * two of them one, and what it loads is added. Rounds of degree 2 have as many full warps, and fewer loads by 8 lanes, 2 or 1.
 * The last child has one address: where no lane loads it alone, the compiler lets all 16 warps do
 * so, or those that are left, and one lane take it. */
#define READ(times, slack) "32 * global_sectors <= " times " * bytes + " slack
#define NOT_ALONE "max(0, blocks - shared_ld_lanes_1)"
#define FULL      "shared_ld_lanes_32 - 16 * " NOT_ALONE
#define ONLY_SHARED \
    "inst_executed_max_warp <= 350 && global_ld_bytes <= 1.05 * bytes && shared_ld_bytes >= 500 * elem * blocks && shared_ld_bytes <= elem * (720 * blocks + 512 * " NOT_ALONE ") && " \
    "shuffles + exchanges + global_atom_requests + global_red_requests + shared_atom_requests + async_sends + local_ld_requests + mbarrier_arrivals == 0 && " \
    "influence(others) >= 0.9 && shared_ld_lanes_16 + shared_ld_lanes_4 == 0 && inst_executed <= 1000 * blocks && "
#define ROUNDS_4 ONLY_SHARED \
    "barriers + warp_syncs <= 6.1 * warps && shared_ld_lanes_32 >= 5 * blocks + " NOT_ALONE " && shared_ld_lanes_8 >= blocks && " \
    "shared_ld_lanes_2 >= blocks && " FULL " <= 7 * min(shared_ld_lanes_8, shared_ld_lanes_2) && " FULL " <= 20.5 * blocks && shared_ld_lanes_8 <= 4 * blocks && " \
    "shared_ld_lanes_2 <= 4 * blocks && shared_ld_lanes_1 <= 4 * blocks && influence(lanes_8) >= 0.9 && influence(lanes_2) >= 0.9"
#define ROUNDS_8 ONLY_SHARED \
    "barriers + warp_syncs <= 4.1 * warps && shared_ld_lanes_32 >= 2 * blocks && shared_ld_lanes_8 >= blocks && " \
    "shared_ld_lanes_1 >= blocks && shared_ld_lanes_32 <= 3 * min(shared_ld_lanes_8, shared_ld_lanes_1) && shared_ld_lanes_32 <= 16.5 * blocks && shared_ld_lanes_8 <= 8 * blocks && " \
    "shared_ld_lanes_2 == 0 && shared_ld_lanes_1 <= 9 * blocks && influence(lanes_8) >= 0.9"
/* The longest chain of instructions is a thread's share and a tree, half as many again as ours, or
 * twice: no thread adds all of a block's values alone, and no block or warp does what is everybody's.
 * Ours takes 8 instructions a round of a row and 83 beside, 10 and 85 where two are multiplied, 10
 * and 37 to 50 of a list. So the reference need not be run. */
#define OF_ROW  "inst_executed_max_warp <= 12 * n / 256 + 256"
/* A sum of products may be told what rounding took from it: as many more as it then adds, up to 10. */
#define OF_ROWS "inst_executed_max_warp <= 15 * n / 256 + 262 + min(10 * n / 256, max(0, flop_fp32 - flops) / threads)"
#define OF_LIST(times, beside) "inst_executed_max_warp <= " times " * n / threads + " beside
/* And most of its warps have as much to do as the busiest: where one of eight does all, in loads that
 * the compiler has unrolled, its chain is no longer than the reference's. */
#define ALL_WARPS "inst_executed_max_warp * warps <= 2.2 * inst_executed * max(1, 1000 / n)"
/* Of lists and of softmax, whose threads have more to do than a tree is, no half of them is idle. Of
 * a short list, whose elements go to a few warps four a thread, that is asked less. */
#define ALL_WARPS_OF_LIST "inst_executed_max_warp * warps <= 1.7 * inst_executed * max(1, 8192 / n)"
#define ALL_WARPS_OF_SOFT "inst_executed_max_warp * warps <= 1.7 * inst_executed * max(1, 1250 / n)"
/* In each block by itself, too, however few blocks have a part of a short list. */
#define IN_BLOCKS "inst_executed_busiest * warps <= 1.7 * inst_executed * blocks * max(1, 200 / n)"
/* Of a count one thread may add up at the end what a warp has, one after the other: 100 instructions,
 * which are most of what there is to do for a short list. Who loads it shows there what a warp does. */
#define COUNTED_IN_BLOCKS \
    "(inst_executed_busiest - 100 * blocks * min(1, 1000 / n)) * warps <= 1.7 * inst_executed * blocks * max(1, 200 / n) && " \
    "warps * global_ld_squares <= 1.3 * max(blocks, 1024 / n) * global_ld_bytes * global_ld_bytes"
/* A row's result is made of what all of the block's warps load, not one beside others that pretend,
 * nor half of them: of few rows the second tells more. */
#define ALL_LOAD "influence(half_warps) >= 0.9"
/* Of a short row whose threads take four words each, in four requests or in one, no more warps need
 * have a part than a quarter of what its requests would be enough for. */
#define EACH_LOADS(most, share) "influence(one_warp) >= min(" most ", " share " * global_ld_requests / warps) - k"
/* Of rows that have elements for all of a block's warps, four by four, all load about as much. */
#define ALL_SHARE "warps * global_ld_squares <= 1.3 * max(1, 1024 / n) * global_ld_bytes * global_ld_bytes"
/* And of all lanes: a full warp has 128 bytes a request; each warp may have one that is not full. */
#define ALL_LANES "global_ld_bytes >= 100 * (global_ld_requests - warps) && global_ld_lanes >= 31 * (global_ld_requests - warps)"
/* Elements meet in registers and shared memory; an atomic a warp may join what the warps have. */
#define NOT_BY_ATOMICS "global_atom_requests + global_red_requests + async_sends <= 2 * warps"
/* The array is read once, by all threads; the results' sectors are few, and so are the loads of who
 * reads other blocks' counts. */
#define READ_ONCE "32 * global_sectors <= 1.05 * bytes + 64 * blocks + 64 * warps && global_ld_bytes <= 1.01 * bytes + 64 * blocks"

#define GIVEN   "It is there to compare yours with: leave it as it was."
#define CHECKED "Run it with CHECK=1: it names the line, the thread and the address."
#define NEUTRAL "What does a thread bring whose part of the row is empty? It must change nothing: 0 is that for a sum."
#define ALONE   "Who does what while one thread adds up a row? Each thread adds up its share, and a tree the threads'."
#define ROUNDS  "How many values are left after each round? The threads that add are the first ones, each adds all children of its value, and then one barrier follows."
#define ZERO    "Is what is shared set to zero before anybody adds to it, and does everybody wait until it is?"

static const struct rubric_row rows[] = {
    {"given-tree_2", 0, "The given tree_2 is still right", ROW_CORRECT, "tree_2", .cases = "tree-one tree-part tree-full", .hint = GIVEN},
    {"given-count_each", 0, "The given count_each is still right", ROW_CORRECT, "count_each", .cases = "count-none count-part", .hint = GIVEN},
    {"given-softmax_thread", 0, "The given softmax_thread is still right", ROW_CORRECT, "softmax_thread", .cases = "soft-one soft-many soft-odd", .hint = GIVEN},
    {"given-sum_grid", 0, "The given sum_grid is still right", ROW_CORRECT, "sum_grid", .cases = "grid", .hint = GIVEN},

    {"product-ok", 1, "The products are right", ROW_CORRECT, "product_rows", .cases = "product-none product-one product-odd hidden-product-few hidden-product hidden-product-grid hidden-product-long hidden-product-many hidden-product-far hidden-product-special", .hint = NEUTRAL},
    {"product-clean", 1, "Product: no race, no bad access", ROW_CHECKS, "product_rows", .cases = "product-odd hidden-product-few hidden-product", .hint = CHECKED},
    {"product-tree", 1, "Product: all threads of a block share in it", ROW_GATE, "product_rows", .if_right = "hidden-product-many hidden-product-dozens", .cases = "product-some product-odd hidden-product-short hidden-product-some hidden-product hidden-product-long hidden-product-far",
     .gate = OF_ROW " && " NOT_BY_ATOMICS " && " ALL_WARPS " && " EACH_LOADS("0.85", "0.22") " && " ALL_SHARE " && " ALL_LANES, .hint = ALONE},
    {"and-ok", 0.25, "The bits set in all are right", ROW_CORRECT, "and_rows", .cases = "and-none and-one and-odd hidden-and-few hidden-and hidden-and-grid hidden-and-long hidden-and-many hidden-and-far hidden-and-special", .hint = NEUTRAL},
    {"and-clean", 0.25, "And: no race, no bad access", ROW_CHECKS, "and_rows", .cases = "and-odd hidden-and-few hidden-and", .hint = CHECKED},
    {"and-tree", 0.5, "And: all threads of a block share in it", ROW_GATE, "and_rows", .if_right = "hidden-and-many hidden-and-dozens", .cases = "and-some and-odd hidden-and-short hidden-and-some hidden-and hidden-and-long hidden-and-far",
     .gate = OF_ROW " && " NOT_BY_ATOMICS " && " ALL_WARPS " && " EACH_LOADS("0.7", "0.22") " && " ALL_SHARE " && " ALL_LANES, .hint = ALONE},
    {"or-ok", 0.25, "The bits set in any are right", ROW_CORRECT, "or_rows", .cases = "or-none or-one or-odd hidden-or-few hidden-or hidden-or-grid hidden-or-long hidden-or-many hidden-or-far hidden-or-special", .hint = NEUTRAL},
    {"or-clean", 0.25, "Or: no race, no bad access", ROW_CHECKS, "or_rows", .cases = "or-odd hidden-or-few hidden-or", .hint = CHECKED},
    {"or-tree", 0.5, "Or: all threads of a block share in it", ROW_GATE, "or_rows", .if_right = "hidden-or-many hidden-or-dozens", .cases = "or-some or-odd hidden-or-short hidden-or-some hidden-or hidden-or-long hidden-or-far",
     .gate = OF_ROW " && " NOT_BY_ATOMICS " && " ALL_WARPS " && " EACH_LOADS("0.7", "0.22") " && " ALL_SHARE " && " ALL_LANES, .hint = ALONE},
    {"dot-ok", 2, "The dot products are right", ROW_CORRECT, "dot_rows", .cases = "dot-none dot-odd dot-whole hidden-dot-few hidden-dot hidden-dot-grid hidden-dot-many hidden-dot-middle hidden-dot-long hidden-dot-special",
     .hint = "Multiply in float, element by element; add the products as you added the others. " NEUTRAL},
    {"dot-clean", 1, "Dot product: no race, no bad access", ROW_CHECKS, "dot_rows", .cases = "dot-odd hidden-dot-few hidden-dot", .hint = CHECKED},
    {"dot-once", 1, "Dot product: each element is read once, in whole sectors", ROW_GATE, "dot_rows", .elsewhere = 1.3, .cases = "dot-short dot-some dot-whole hidden-dot-some hidden-dot-long",
     .gate = READ("1.05", "64 * blocks") " && " OF_ROWS " && " NOT_BY_ATOMICS " && " ALL_WARPS " && influence(half_warps) >= 0.8" /* of eight rows one may be as near as that to what it was */ " && " EACH_LOADS("0.85", "0.11") " && " ALL_SHARE,
     .hint = "Which elements do lanes 0 and 1 load in the same instruction? They should be neighbours. And does a thread add up what the others have?"},

    {"tree4-ok", 1, "Degree 4: the sums are right", ROW_CORRECT, "tree_4", .cases = "tree-none tree-row tree-one tree-part tree-full hidden-tree-few hidden-tree hidden-tree-full hidden-tree-many hidden-tree-grid",
     .hint = "512, 128, 32, 8, and then? 2 is no multiple of 4: who adds the last two?"},
    {"tree4-clean", 1, "Degree 4: no race, no bad access", ROW_CHECKS, "tree_4", .cases = "tree-full hidden-tree-few hidden-tree", .hint = CHECKED},
    {"tree4-rounds", 1, "Degree 4: five rounds", ROW_GATE, "tree_4", .cases = "tree-full hidden-tree hidden-tree-full", .gate = ROUNDS_4, .hint = ROUNDS},
    {"tree8-ok", 1, "Degree 8: the sums are right", ROW_CORRECT, "tree_8", .cases = "tree-none tree-row tree-one tree-part tree-full hidden-tree-few hidden-tree hidden-tree-full hidden-tree-many hidden-tree-grid",
     .hint = "512, 64, 8, 1: whose are the eight children of value t?"},
    {"tree8-clean", 1, "Degree 8: no race, no bad access", ROW_CHECKS, "tree_8", .cases = "tree-full hidden-tree-few hidden-tree", .hint = CHECKED},
    {"tree8-rounds", 1, "Degree 8: three rounds", ROW_GATE, "tree_8", .cases = "tree-full hidden-tree hidden-tree-full", .gate = ROUNDS_8, .hint = ROUNDS},

    {"block-ok", 1, "Count by block: the counts are right", ROW_CORRECT, "count_block", .cases = "count-none count-one count-part count-full hidden-count-few hidden-count-some hidden-count hidden-count-more hidden-count-far hidden-count-special", .hint = ZERO},
    {"block-clean", 1, "Count by block: no race, no bad access", ROW_CHECKS, "count_block", .cases = "count-part hidden-count-few hidden-count-some hidden-count hidden-count-more hidden-count-far", .hint = ZERO " CHECK=1 names the line."},
    {"block-atomics", 1, "Count by block: an atomic a block", ROW_GATE, "count_block", .elsewhere = HERE_ONLY, .larger = 1.5, .cases = "count-short count-part count-full hidden-count-few hidden-count-some hidden-count hidden-count-more hidden-count-far",
     .gate = "global_atom_passes <= blocks && " READ_ONCE " && inst_executed <= 40 * n / 32 + 400 * blocks && " OF_LIST("20", "216") " && " ALL_WARPS_OF_LIST " && " COUNTED_IN_BLOCKS,
     .hint = "Which thread of a block adds to out, and how often? And does each warp have its part of the list?"},
    {"warp-ok", 0.5, "Count by warp: the counts are right", ROW_CORRECT, "count_warp", .cases = "count-none count-one count-part count-full hidden-count-few hidden-count-some hidden-count hidden-count-more hidden-count-far hidden-count-special",
     .hint = "In the last round some lanes have no element. Do all lanes that the mask names take part?"},
    {"warp-clean", 0.5, "Count by warp: no race, no bad access", ROW_CHECKS, "count_warp", .cases = "count-part hidden-count-few hidden-count-some hidden-count hidden-count-more hidden-count-far", .hint = CHECKED},
    {"warp-atomics", 2, "Count by warp: an atomic a warp, and no shared memory", ROW_GATE, "count_warp", .elsewhere = HERE_ONLY, .larger = 1.5, .cases = "count-short count-part count-full hidden-count-few hidden-count-some hidden-count hidden-count-more hidden-count-far",
     .gate = "global_atom_passes <= warps && shared_block_bytes + barriers + local_st_requests == 0 && " READ_ONCE " && inst_executed <= 40 * n / 32 + 400 * warps && " OF_LIST("20", "240") " && " ALL_WARPS_OF_LIST " && " IN_BLOCKS " && influence(absent) == 0",
     .hint = "Add up in a register what a thread counts, then the 32 of a warp, all of which the mask names; or ask for the lanes' votes. Each warp has its part of the list."},
    {"bins-ok", 2, "Histogram: all bins are right", ROW_CORRECT, "histogram", .cases = "bins-none bins-one bins-part bins-full hidden-bins-few hidden-bins-some hidden-bins hidden-bins-more hidden-bins-far hidden-bins-equal", .hint = ZERO},
    {"bins-clean", 1, "Histogram: no race, no bad access", ROW_CHECKS, "histogram", .cases = "bins-part hidden-bins-few hidden-bins-some hidden-bins hidden-bins-more hidden-bins-far", .hint = ZERO " CHECK=1 names the line."},
    {"bins-atomics", 1, "Histogram: a block adds each bin once", ROW_GATE, "histogram", .elsewhere = HERE_ONLY, .larger = 1.5, .cases = "bins-short bins-part bins-full hidden-bins-few hidden-bins-some hidden-bins hidden-bins-more hidden-bins-far",
     .gate = "global_atom_lanes <= 64 * blocks && " READ_ONCE " && inst_executed <= 60 * n / 32 + 2000 * blocks && " OF_LIST("30", "270 + 64 * 256 / 32") " && " ALL_WARPS_OF_LIST " && " IN_BLOCKS,
     .hint = "A block's histogram lies in shared memory; how many atomics does it take to add 64 bins to the grid's? And does each warp have its part of the list?"},

    {"soft-ok", 2, "Softmax: the results are right", ROW_CORRECT, "softmax_block", .cases = "soft-one soft-many soft-odd soft-whole hidden-soft-few hidden-soft hidden-soft-grid hidden-soft-many hidden-soft-long hidden-soft-any hidden-soft-whole hidden-soft-special hidden-soft-far soft-spread soft-above hidden-soft-spread hidden-soft-above",
     .hint = "Which is the largest argument that exp() can have as a float, and which do you give it? All threads need the largest element and the sum."},
    {"soft-clean", 1, "Softmax: no race, no bad access", ROW_CHECKS, "softmax_block", .cases = "soft-odd hidden-soft-few hidden-soft",
     .hint = "Two reductions that share an array: may the second begin while somebody still reads the first one's result? CHECK=1 names both lines."},
    {"soft-sectors", 2, "Softmax: three passes over a row at most, in whole sectors", ROW_GATE, "softmax_block", .if_right = "hidden-soft-many hidden-soft-long", .cases = "soft-whole soft-odd hidden-soft-whole hidden-soft-some hidden-soft-more hidden-soft",
     .gate = /* powers may be stored, and divided where they lie */ "global_ld_sectors <= 1.06 * ref.global_ld_sectors + 4 * blocks && global_st_sectors <= 2.12 * ref.global_st_sectors + 4 * blocks && global_atom_requests + global_red_requests == 0 && influence(others) + influence(shuffle) >= 0.45 && influence(half_warps) >= 0.5 && inst_executed_max_warp <= 2 * ref.inst_executed_max_warp + 300 && " ALL_WARPS_OF_SOFT,
     .hint = "Two trees, and neighbouring threads take neighbouring elements, in each of the passes."},
};
/* clang-format on */

const struct rubric rubric_reduction_uses = {
    .lab = "reduction_uses",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
