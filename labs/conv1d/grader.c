/* grader.c - what the convolution is marked by.
 *
 * The lecture's kernels and conv_naive are given and carry no marks; rows without points see to
 * it that they stay as they are. n * width is the number of multiply-adds, and of words read if
 * nothing is ever used twice: gates bound totals by it, which no work beside can lower, and close
 * the other ways that an input or a weight could come by.
 */
#include "grading/mark/rubric.h"

/* clang-format off */
#define CASE(name_, n_, width_) {.name = name_, .n = n_, .param = width_, .dtype = DT_F32, .flags = CASE_CHECK}
/* Of very large and very small numbers, too. */
#define ANY_CASE(name_, n_, width_) {.name = name_, .n = n_, .param = width_, .dtype = DT_F32, .flags = CASE_CHECK | CASE_SPECIAL}
static const struct lab_case cases[] = {
    ANY_CASE("one", 1, 1), ANY_CASE("small", 5, 255), ANY_CASE("tail", 1000, 6), ANY_CASE("odd", 1021, 17),
    ANY_CASE("wide", 1537, 255), ANY_CASE("three", 2048, 3), CASE("gate", 4090, 64) /* a part of a block at the end */,
    CASE("fours", 1002, 20), CASE("mean", 383, 3), CASE("mean-tail", 300, 3), CASE("speed", 1 << 17, 63),
};
/* Great widths in four parts, each of which is drawn from. */
#define WIDTHS(id, from, to) {.name = id, .kind = "few outputs, a great width", .like = "small", .n_min = 1, .n_max = 200, .param_min = from, .param_max = to}
static const struct hidden_case hidden[] = {
    WIDTHS("hidden-from-96", 96, 135), WIDTHS("hidden-from-136", 136, 175), WIDTHS("hidden-from-176", 176, 215), WIDTHS("hidden-from-216", 216, 255),
    {.name = "hidden-halo",  .kind = "a halo of about a block",        .like = "small", .n_min = 129, .n_max = 300, .params = ONE_OF(128, 129, 130)},
    {.name = "hidden-any",   .kind = "any length and width",           .like = "odd",   .n_min = 128, .n_max = 8191, .param_min = 1, .param_max = 127, .any_scale = true, .work_max = 300000},
    {.name = "hidden-wide",  .kind = "a great width, any length",      .like = "wide",  .n_min = 100, .n_max = 8191, .param_min = 96, .param_max = 255, .any_scale = true, .work_max = 500000},
    {.name = "hidden-long",  .kind = "any length and width",           .like = "odd",   .n_min = 8192, .n_max = 65535, .param_min = 3, .param_max = 127, .any_scale = true, .work_max = 400000},
    {.name = "hidden-short", .kind = "few outputs, any width",         .like = "small", .n_min = 1,   .n_max = 127,  .param_min = 1, .param_max = 255, .any_scale = true, .work_max = 1 << 15},
    {.name = "hidden-large", .kind = "more than 65,536 outputs",       .like = "three", .n_min = (1 << 17) + 96, .n_max = 140000, .param_min = 2, .param_max = 4} /* 17 bits are too few, too */,
    {.name = "hidden-high",  .kind = "more than 65,536 outputs",       .like = "three", .n_min = 1 << 16, .n_max = (1 << 17) + 95, .param_min = 3, .param_max = 6},
    {.name = "hidden-higher", .kind = "more than 65,536 outputs",     .like = "three", .n_min = 1 << 16, .n_max = (1 << 17) + 95, .param_min = 7, .param_max = 14},
    {.name = "hidden-narrow", .kind = "any length, a width of 1 or 2",  .like = "odd",   .n_min = 8192, .n_max = (1 << 17) + 95, .param_min = 1, .param_max = 2, .any_scale = true},
    {.name = "hidden-great", .kind = "many outputs and a great width", .like = "wide",  .n_min = 5000, .n_max = 55000, .param_min = 64, .param_max = 255, .any_scale = true, .work_max = 3000000},
    {.name = "hidden-vast",  .kind = "many outputs and a great width", .like = "wide",  .n_min = 55001, .n_max = (1 << 17) - 1, .param_min = 64, .param_max = 255, .any_scale = true, .work_max = 7000000},
    {.name = "hidden-most",  .kind = "many outputs and a great width", .like = "wide",  .n_min = 1 << 15, .n_max = 75000, .param_min = 128, .param_max = 255, .any_scale = true, .work_max = 5500000},
    {.name = "hidden-gate",  .kind = "thousands of outputs",           .like = "gate",  .n_min = 3000, .n_max = 5000, .params = ONE_OF(48, 56, 64, 72, 80)},
    {.name = "hidden-banks", .kind = "thousands of outputs, a great width", .like = "gate", .n_min = 1500, .n_max = (1 << 17) - 1, .param_min = 100, .param_max = 255, .any_scale = true, .work_max = 600000},
    {.name = "hidden-banks-few", .kind = "thousands of outputs, any width", .like = "gate", .n_min = 1500, .n_max = 16383, .any_scale = true, .params = ONE_OF(33, 34, 41, 42, 49, 50, 57, 58, 65, 66, 73, 74, 81, 82, 89, 90)},
    {.name = "hidden-gate-long", .kind = "more than 65,536 outputs", .like = "gate", .n_min = (1 << 16) + 1, .n_max = 80000, .params = ONE_OF(32, 40, 48)},
    {.name = "hidden-gate-any", .kind = "thousands of outputs, any width", .like = "gate", .n_min = 1500, .n_max = (1 << 17) - 1, .param_min = 33, .param_max = 255, .any_scale = true, .work_max = 600000},
    {.name = "hidden-gate-narrow", .kind = "thousands of outputs, a small width", .like = "gate", .n_min = 32768, .n_max = (1 << 17) - 1, .param_min = 15, .param_max = 32, .any_scale = true, .work_max = 1100000},
    {.name = "hidden-gate-thin", .kind = "thousands of outputs, a small width", .like = "gate", .n_min = 1500, .n_max = 32767, .param_min = 15, .param_max = 32, .any_scale = true, .work_max = 300000},
    {.name = "hidden-gate-few", .kind = "thousands of outputs, a small width", .like = "gate", .n_min = 10000, .n_max = 65535, .param_min = 8, .param_max = 14},
    {.name = "hidden-gate-far", .kind = "more than 131,072 outputs", .like = "gate", .n_min = (1 << 17) + 1, .n_max = 133000, .param_min = 8, .param_max = 58},
    {.name = "hidden-speed", .kind = "many outputs, a width about 61", .like = "speed", .n_min = 125000, .n_max = 135000, .param_min = 59, .param_max = 63} /* more do not lie in the cache of constants */,
};

#define CASES "one small tail fours odd wide three hidden-any hidden-long hidden-wide hidden-short hidden-narrow hidden-high hidden-higher hidden-large hidden-great hidden-vast hidden-most hidden-gate hidden-gate-any hidden-gate-narrow hidden-gate-thin hidden-gate-few hidden-gate-far hidden-halo hidden-from-96 hidden-from-136 hidden-from-176 hidden-from-216"
#define CLEAN "small tail wide hidden-any hidden-long hidden-wide hidden-large"
#define GATES "gate hidden-gate"
/* All words that would be read if none were used twice, in bytes. */
#define ALL_BYTES   "elem * n * param"
#define ALL_THREADS "elem * max(n, threads) * param"
/* Who multiplies doubles may keep doubles in the tile. */
#define TILE_WORDS  "(1 + flop_fp64 / (flop_fp32 + flop_fp64 + 1))"
/* In conv_const only who stores as many, and multiplies doubles, may read as many: beside a tile of floats
 * there is no room for weights, and no load beside the one of each product. */
#define STORED_WORDS "min(" TILE_WORDS ", max(1, shared_st_bytes / (elem * (n + blocks * param))))"
#define ONE_LOAD "128 * (global_ld_requests + shared_ld_requests) <= 1.15 * " ALL_THREADS " + 2 * elem * n * max(1, param / 60)"
/* What is read by other ways than loads from global, shared and constant memory. */
#define FEW_OTHERS "tensor_flop + global_atom_requests + shared_atom_requests + async_sends == 0 && 32 * local_ld_requests <= 0.05 * n * param"
/* Tiles and halos, with the outputs of a block's threads or more than these: warps that keep a tile
 * each fetch more halos, into more room. */
#define TILES(outputs) "1.2 * max(elem * (" outputs "), shared_block_bytes)"
/* No warp has more than its outputs and a halo: no copy of inputs for each weight. */
#define ONE_EACH "1.2 * max(elem * (threads + blocks * param), min(shared_block_bytes, elem * (max(n, threads) + warps * (param + 16))))"
/* No more words than products, read by whole warps. */
#define WHOLE_WARPS "min(1.1 * " TILE_WORDS " * " ALL_THREADS " - shared_ld_bytes, min(1.01 * " ALL_THREADS " + " ONE_EACH " - global_ld_bytes, shared_ld_lanes_32 - 0.9 * shared_ld_requests))"
/* Inputs do not come from other lanes, and no thread makes the outputs of several. A weight may: all
 * lanes get the same one. Inputs that all get, one after the other, are more. */
#define BY_ITSELF "32 * (shuffles - shuffles_one + exchanges) <= 0.05 * n * param && shuffles_one <= 1.1 * param * warps && inst_executed_max_warp * (warps - warps / blocks) <= 1.5 * inst_executed"
/* No product is of an input that has not been in shared memory: a weight for all lanes may come so. */
#define NOT_STRAIGHT "influence(straight) <= 0.01"
/* Lanes and warps are at work, but for some of the last block: sixteen outputs a lane there. */
#define ALL_WORK "flop_fp32_slots <= 1.25 * (flop_fp32 + 2 * 32 * 16 * param) && inst_executed_max_warp * (warps - warps / blocks) <= 1.7 * inst_executed"
/* A thread's outputs share what is read for them, by loads or from other lanes. */
#define REUSED ALL_WORK " && shared_ld_bytes + 0.4 * 128 * (shuffles + exchanges) <= (0.6 + 1 / param) * " ALL_BYTES " && global_ld_bytes <= 4 * elem * n && global_ld_bytes <= " TILES("n + blocks * (param + 16)") " && threads <= n / 2 + 1024 && " FEW_OTHERS
/* Weights that are no whole eight may each be followed by inputs one word at a time, four lanes of
 * eight in one bank; outputs that go through the tile may meet there, too. */
#define REST "0.1 * n * (param - 8 * ceil((param - 7) / 8))"
#define GIVEN "It is there to compare yours with: leave it as it was."
static const struct rubric_row rows[] = {
    {"given-conv3_naive", 0, "The given conv3_naive is still right", ROW_CORRECT, "conv3_naive", .cases = "mean mean-tail", .hint = GIVEN},
    {"given-conv3_shared", 0, "The given conv3_shared is still right", ROW_CORRECT, "conv3_shared", .cases = "mean mean-tail", .hint = GIVEN},
    {"given-conv3_shared-clean", 0, "The given conv3_shared has no race and no bad access", ROW_CHECKS, "conv3_shared", .cases = "mean mean-tail", .hint = GIVEN},
    {"given-conv_naive", 0, "The given conv_naive is still right", ROW_CORRECT, "conv_naive", .cases = "small tail odd", .hint = GIVEN},

    {"shared-ok", 3, "conv_shared is right for any length and width", ROW_CORRECT, "conv_shared", .cases = CASES,
     .hint = "Take width 255 and blocks of 128: how many inputs does a block need, and how many does each thread fetch?"},
    {"shared-clean", 2, "conv_shared has no race and no bad access", ROW_CHECKS, "conv_shared", .cases = CLEAN,
     .hint = "Every thread must reach the barrier, those past n too; nothing is read past in[n + width - 2]."},
    {"shared-reuse", 2, "conv_shared reads its inputs from shared memory", ROW_GATE, "conv_shared", .cases = GATES " hidden-gate-any hidden-gate-narrow hidden-gate-few hidden-gate-far hidden-great hidden-vast",
     .gate = "shared_ld_bytes >= 0.9 * " ALL_BYTES " && global_sectors <= 1.4 * ref.global_sectors + 32 * param && " FEW_OTHERS " && "
             /* the weights come from global memory for every product, or once a block; an input never does: where
              * words of inputs go to all lanes, and the weights slide by in shared memory, more are read than
              * there are products, or by fewer lanes */
             "max(min(global_ld_bytes - 0.9 * " ALL_BYTES ", " WHOLE_WARPS "), elem * param * warps + " ONE_EACH " - global_ld_bytes) >= 0 && inst_executed_max_warp <= 20 * param + 600 && " BY_ITSELF " && influence(others) >= 0.9 && " NOT_STRAIGHT,
     .asks = "inputs from global memory once a block, and from shared memory for each of their products",
     .hint = "Each input should leave global memory once a block, and be read from shared memory for each of its products; the weights may still come from global memory."},

    {"const-ok", 2, "conv_const is right for any length and width", ROW_CORRECT, "conv_const", .cases = CASES,
     .hint = "Is it conv_shared but for the weights? The array must be called conv_weights."},
    {"const-clean", 1, "conv_const has no race and no bad access", ROW_CHECKS, "conv_const", .cases = CLEAN,
     .hint = "CHECK=1 names the line and the thread."},
    {"const-reuse", 1, "conv_const fetches each input about once", ROW_GATE, "conv_const", .cases = GATES " hidden-gate-any hidden-gate-narrow hidden-gate-few hidden-gate-far hidden-great hidden-vast",
     .gate = "global_ld_bytes <= " ONE_EACH " && " FEW_OTHERS " && " NOT_STRAIGHT,
     .hint = "Per block: the tile and its halo, and nothing else from global memory."},
    {"const-used", 2, "conv_const takes its weights from constant memory", ROW_GATE, "conv_const", .cases = GATES " hidden-gate-any hidden-gate-narrow hidden-gate-few hidden-gate-far hidden-great hidden-vast",
     .gate = "32 * shuffles <= 0.05 * n * param && const_ld_requests >= 0.2 * param * warps && const_ld_sectors <= 1.05 * const_ld_requests && global_ld_bytes + shared_ld_bytes <= " STORED_WORDS " * (1.04 * " ALL_THREADS " + 2 * elem * n * max(1, param / 60))"
             /* one output a thread: with the inputs of several there would be room for weights from elsewhere */
             " && global_ld_bytes + shared_ld_bytes + 128 * global_atom_requests >= 0.9 * " ALL_BYTES
             " && shared_atom_requests + async_sends + tensor_flop == 0 && 32 * local_ld_requests <= 0.05 * n * param && const_ld_bytes >= 0.9 * " ALL_BYTES " && " ALL_WORK " && " BY_ITSELF " && " ONE_LOAD,
     .hint = "Read conv_weights[j], the __constant__ array, in the loop, for one output a thread: several are conv_multi's."},

    {"multi-ok", 3, "conv_multi is right for any length and width", ROW_CORRECT, "conv_multi", .cases = CASES,
     .hint = "Widths that are no multiple of your step, and a last thread with fewer outputs than the others: both need care."},
    {"multi-clean", 2, "conv_multi has no race and no bad access", ROW_CHECKS, "conv_multi", .cases = CLEAN,
     .hint = "The last thread's window reaches furthest: how long must the tile be?"},
    {"multi-reuse", 3, "conv_multi uses what it reads several times", ROW_GATE, "conv_multi", .elsewhere = 5, /* of few outputs lanes go without */ .cases = GATES " hidden-gate-any hidden-gate-narrow hidden-gate-thin hidden-gate-few hidden-gate-far hidden-great hidden-vast",
     .gate = REUSED,
     .hint = "Neighbouring outputs of a thread share all but one input. Which words could stay in registers for the next weight?"},
    {"multi-banks", 1, "conv_multi reads shared memory without conflicts", ROW_GATE, "conv_multi", .cases = GATES " hidden-gate-long hidden-banks hidden-banks-few",
     /* the second: parts of a warp that read one after the other have no conflict, and more wavefronts; outputs may go through the tile as words */
     .gate = "shared_ld_bank_conflicts <= 0.001 * n * param + 0.02 * n + 32 * blocks + " REST " && shared_ld_wavefronts <= 1.25 * shared_ld_bytes / 128 + n / 32 + 2 * warps + " REST " && shared_ld_bytes >= 0.025 * " ALL_BYTES
             " && global_ld_bytes <= 4 * elem * n && global_atom_requests + shared_atom_requests + async_sends == 0 && influence(others) >= 0.9",
     .hint = "If thread t starts at word V t, at which stride do the lanes read? An odd one, or whole float4, is free."},
    {"multi-fast", 2, "conv_multi keeps up with ours", ROW_SPEED, "conv_multi", .elsewhere = 5, .cases = "hidden-speed", .ratio = 0.35, .gate = REUSED,
     .hint = "Per multiply-add, how many words do you read from shared memory, and how many wavefronts is that?"},
};
/* clang-format on */

const struct rubric rubric_conv1d = {
    .lab = "conv1d",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
