/* grader.c - what the transfers lab is marked by: a kernel and five schedules. */
#include "grading/mark/rubric.h"

/* clang-format off */
#define WORK(id, count, rounds) {.name = id, .n = count, .k = rounds, .dtype = DT_F32, .flags = CASE_CHECK | CASE_SPECIAL}
#define LARGE(id, count, rounds) {.name = id, .n = count, .k = rounds, .dtype = DT_F32, .flags = CASE_CHECK}
static const struct lab_case cases[] = {
    WORK("one", 1, 5), WORK("odd", 1003, 9), WORK("none-left", 4096, 3), WORK("some", 40002, 2), WORK("no-step", 777, 0),
    LARGE("large", 1 << 20, 24), LARGE("large-gpu", 1 << 22, 128),
};
/* All lengths and numbers of steps, by their octave, and both at once. */
static const struct hidden_case hidden[] = {
    {.name = "hidden",       .kind = "any number of elements and steps", .like = "odd", .n_min = 2, .n_max = 9000, .k_min = 2, .k_max = 1000, .any_scale = true},
    {.name = "hidden-more",  .kind = "tens of thousands of elements", .like = "odd", .n_min = 9001, .n_max = 131071, .k_min = 1, .k_max = 127, .any_scale = true},
    {.name = "hidden-many",  .kind = "more than 65536 elements", .like = "odd", .n_min = 1 << 17, .n_max = 1000000, .k_min = 1, .k_max = 7, .any_scale = true},
    {.name = "hidden-long",  .kind = "thousands of steps", .like = "odd", .n_min = 3, .n_max = 200, .k_min = 1001, .k_max = 65535, .any_scale = true},
    {.name = "hidden-longer", .kind = "more than 65536 steps", .like = "odd", .n_min = 3, .n_max = 30, .k_min = 65600, .k_max = 262143},
    {.name = "hidden-far",   .kind = "more steps than 18 bits count", .like = "odd", .n_min = 2, .n_max = 9, .k_min = 1 << 18, .k_max = (1 << 19) + 1999},
    {.name = "hidden-longest", .kind = "more steps than 19 bits count", .like = "odd", .n_min = 2, .n_max = 9, .k_min = (1 << 19) + 2000, .k_max = 1 << 20},
    {.name = "hidden-both",  .kind = "tens of thousands of elements, hundreds of steps", .like = "odd", .n_min = 9001, .n_max = 60000, .k_min = 128, .k_max = 1000, .any_scale = true, .work_max = 10000000},
    {.name = "hidden-corner", .kind = "more than 60,000 elements, a hundred steps and more", .like = "odd", .n_min = 60100, .n_max = 75000, .k_min = 130, .k_max = 160, .work_max = 10000000},
    {.name = "hidden-deep",  .kind = "hundreds of elements, thousands of steps", .like = "odd", .n_min = 201, .n_max = 9000, .k_min = 1001, .k_max = 65535, .any_scale = true, .work_max = 10000000},
    {.name = "hidden-large", .kind = "about a million elements", .like = "large", .n_min = 800000, .n_max = 1500000, .k_min = 1, .k_max = 24},
};

/* Copies in beside copies out are an overlap, too. */
#define COPIES_BESIDE "beside >= 0.25"
#define CHECKED "Run it with CHECK=1: it names the line, the thread and the address."

static const struct rubric_row rows[] = {
    {"work-ok", 3, "The kernel, in one piece from pageable memory", ROW_CORRECT, "pageable", .cases = "one some odd none-left no-step hidden hidden-more hidden-many hidden-long hidden-longer hidden-far hidden-longest hidden-both hidden-corner hidden-deep",
     .hint = "Work the first two steps of one element out by hand. How many elements has the last block?"},
    {"work-clean", 1, "The kernel: no bad access", ROW_CHECKS, "pageable", .cases = "odd hidden hidden-many", .hint = CHECKED},
    {"pinned-ok", 2, "Pinned: results are right", ROW_CORRECT, "pinned", .cases = "one odd some hidden hidden-more hidden-many hidden-large",
     .hint = "It is the first schedule, with another memory."},
    {"pinned-once", 1, "Pinned: each byte goes over the bus once each way", ROW_GATE, "pinned", .cases = "odd large hidden hidden-large",
     .gate = "bytes_in == 4 * n && bytes_out == 4 * n", .hint = "How many bytes are the input, how many the results?"},
    {"pinned-fast", 1, "Pinned: as fast as the bus", ROW_SPEED, "pinned", .cases = "large hidden-large", .gpu_cases = "large-gpu", .ratio = 0.9, .tolerance = 0.02,
     .hint = "Every copy costs microseconds before its first byte: how many do you need?"},
    {"mapped-ok", 2, "Mapped: results are right", ROW_CORRECT, "mapped", .cases = "one odd some hidden hidden-more hidden-many hidden-large",
     .hint = "There is only one sort of step to take."},
    {"mapped-fast", 1, "Mapped: in one launch's time", ROW_SPEED, "mapped", .cases = "large hidden-large", .gpu_cases = "large-gpu", .tolerance = 0.02,
     .ratio = 0.8 /* a warp's words may lie in five sectors for four */, .gpu_ratio = 0.9,
     .gate = "launches == 1 && global_ld_bytes <= 4.4 * n + 4096 && global_st_bytes <= 4.4 * n + 4096",
     .hint = "What does a second launch bring here? Each element goes over the bus once each way, beside its neighbours."},
    {"managed-ok", 2, "Managed: results are right", ROW_CORRECT, "managed", .cases = "one odd some hidden hidden-more hidden-many hidden-large",
     .hint = "A schedule of one step is right already, if slow."},
    {"managed-fast", 2, "Managed: pages are moved before they are touched, both ways", ROW_SPEED, "managed", .cases = "large hidden-large", .gpu_cases = "large-gpu", .ratio = 0.7, .tolerance = 0.02,
     .gate = "bytes_in == 4 * n && bytes_out == 4 * n",
     .hint = "Who touches the input first, and who the results? Both can be spared waiting for pages, one by one."},
    {"streams-ok", 3, "Two streams: results are right", ROW_CORRECT, "two_streams", .cases = "one odd none-left some hidden hidden-more hidden-many hidden-large",
     .hint = "All three steps of a chunk on one stream, the next chunk on the other."},
    {"streams-overlap", 3, "Two streams: copies and kernels at the same time", ROW_SPEED, "two_streams", .cases = "large hidden-large", .gpu_cases = "large-gpu", .ratio = 0.8, .tolerance = 0.02,
     .gate = "overlap >= 1.25 && " COPIES_BESIDE " && bytes_in == 4 * n && bytes_out == 4 * n",
     .hint = "Draw who works when, a row each for copies in, kernels, copies out. While one chunk is worked on, what could the bus do?"},
    {"pipeline-ok", 3, "Pipeline: results are right", ROW_CORRECT, "pipeline", .cases = "one odd none-left some hidden hidden-more hidden-many hidden-large",
     .hint = "What has to be over before a chunk's kernel, and before its copy back? Say it with an event each."},
    {"pipeline-overlap", 4, "Pipeline: both directions and the kernel at once", ROW_SPEED, "pipeline", .cases = "large hidden-large", .gpu_cases = "large-gpu", .ratio = 0.8, .tolerance = 0.02,
     .gate = "overlap >= 1.25 && " COPIES_BESIDE " && bytes_in == 4 * n && bytes_out == 4 * n",
     .hint = "Does a stream wait for more than it needs? One event of the whole input is an order, too, but it is no pipeline. Few chunks overlap little, many cost more."},
};
/* clang-format on */

const struct rubric rubric_transfers = {
    .lab = "transfers",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
