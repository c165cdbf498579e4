/* grader.c - what the first program is marked by. */
#include "grading/mark/rubric.h"

#define SIZE(id, count)                                                                            \
    {                                                                                              \
        .name = id, .n = count, .dtype = DT_F32, .flags = CASE_CHECK                               \
    }
static const struct lab_case cases[] = {
    SIZE("empty", 0),
    SIZE("one", 1),
    SIZE("tail", 1000),
    SIZE("many", 66000),
};
static const struct hidden_case hidden[] = {
    {.name = "hidden-few",
     .kind = "a few elements",
     .like = "tail",
     .n_min = 2,
     .n_max = 299,
     .any_scale = true},
    {.name = "hidden-size",
     .kind = "any number of elements",
     .like = "tail",
     .n_min = 300,
     .n_max = 65535,
     .any_scale = true},
    {.name = "hidden-many",
     .kind = "more than 65536 elements",
     .like = "many",
     .n_min = 1 << 16,
     .n_max = 262143,
     .any_scale = true},
    {.name = "hidden-far",
     .kind = "more than 131072 elements",
     .like = "many",
     .n_min = (1 << 17) + 1,
     .n_max = 150000},
    {.name = "hidden-farther",
     .kind = "more than 262144 elements",
     .like = "many",
     .n_min = (1 << 18) + 1,
     .n_max = 280000},
    {.name = "hidden-fault",
     .kind = "any number of elements",
     .like = "tail",
     .n_min = 5000,
     .n_max = 30000},
    {.name = "hidden-some",
     .kind = "tens of thousands of elements",
     .like = "tail",
     .n_min = 20000,
     .n_max = 65535},
    {.name = "hidden-fault-some",
     .kind = "tens of thousands of elements",
     .like = "tail",
     .n_min = 30001,
     .n_max = 65536},
    {.name = "hidden-fault-far",
     .kind = "more than 65536 elements",
     .like = "tail",
     .n_min = (1 << 16) + 1,
     .n_max = 140000},
};

static const struct rubric_row rows[] = {
    {"results", 4, "the results are right", ROW_CORRECT, "saxpy",
     .cases = "empty one tail many hidden-few hidden-size hidden-many hidden-far hidden-farther",
     .hint = "Which thread handles the last element? And what is a grid of 0 blocks?"},
    {"clean", 1, "no bad access", ROW_CHECKS, "saxpy", .cases = "one tail hidden-size hidden-many",
     .hint = "make run LAB=first_program CHECK=1 names the line."},
    {"kernel", 2, "the kernel computes the result, in one launch", ROW_GATE, "saxpy",
     .cases = "tail many hidden-few hidden-size hidden-many",
     .gate = "record.launches == 1 && flop_fp32 >= 2 * n && global_st_bytes >= 4 * n && "
             "global_ld_bytes >= 8 * n && global_ld_bytes <= 9 * n + 2048 && "
             "inst_lanes_1 <= n / 8 + 500 && inst_executed_max_warp <= n / 1500 + 80 && "
             "inst_executed <= 2 * n + 40000 && "
             "influence(global_ld) >= min(0.999, 1 - 1.5 / n)",
     .hint = "What is written is to be what the kernel stored: x and y are loaded, a x + y is "
             "stored, a thread an element, by as many blocks as n asks for, in one launch."},
    {"copies", 1, "x and y go there once, the result comes back", ROW_GATE, "saxpy",
     .cases = "tail hidden-size hidden-many",
     .gate = "record.memcpyHtoD >= 8 * n && record.memcpyHtoD <= 8 * n + 1024 && "
             "record.memcpyDtoH >= 4 * n && record.memcpyDtoH <= 4 * n + 1024",
     .hint = "cudaMalloc, then cudaMemcpy with cudaMemcpyHostToDevice for x and for y, and "
             "cudaMemcpyDeviceToHost for the result: how many bytes has each?"},
    {"times", 2, "events take the times", ROW_GATE, "saxpy",
     .cases = "many hidden-some hidden-many",
     .gate = "calls.cudaEventRecord >= 2 && calls.cudaEventElapsedTime >= 1 && "
             "calls.cudaEventSynchronize + calls.cudaStreamSynchronize + "
             "calls.cudaDeviceSynchronize + calls.cudaEventQuery >= 1 && "
             "printed.kernel >= record.modelled_ms && "
             "printed.kernel <= record.modelled_ms + 0.003 && "
             "printed.to_device >= 0.99 * record.in_ns / 1e6 && "
             "printed.to_device <= 2 * record.in_ns / 1e6 + 0.05 && "
             "printed.to_host >= 0.99 * record.out_ns / 1e6 && "
             "printed.to_host <= 2 * record.out_ns / 1e6 + 0.05 && "
             "printed.to_device + printed.kernel + printed.to_host <= "
             "record.elapsed_ns / 1e6 + 0.0001 && printed.cpu >= 12 * n / 500e6 && printed.cpu "
             "<= record.wall_ms && "
             "rate.kernel * printed.kernel >= 0.97 * 12 * n / 1e6 && "
             "rate.kernel * printed.kernel <= 1.03 * 12 * n / 1e6 && "
             "rate.to_device * printed.to_device >= 0.97 * 8 * n / 1e6 && "
             "rate.to_device * printed.to_device <= 1.03 * 8 * n / 1e6 && "
             "rate.to_host * printed.to_host >= 0.97 * 4 * n / 1e6 && "
             "rate.to_host * printed.to_host <= 1.03 * 4 * n / 1e6 && "
             "rate.cpu * printed.cpu >= 0.97 * 12 * n / 1e6 - 0.06 * printed.cpu && "
             "rate.cpu * printed.cpu <= 1.03 * 12 * n / 1e6 + 0.06 * printed.cpu",
     .hint = "One event right before the launch, one right after it, wait for the second, then "
             "cudaEventElapsedTime: print all four times in the given form, with the GB/s that "
             "they make."},
    {"freed", 1, "all memory and all events are freed", ROW_GATE, "saxpy",
     .cases = "empty one tail hidden-size hidden-many",
     .gate = "record.left == 0 && record.launches >= min(n, 1) && calls.cudaEventDestroy == "
             "calls.cudaEventCreate + calls.cudaEventCreateWithFlags",
     .hint =
         "A cudaFree for each cudaMalloc, on every way out, also that of n = 0; a cudaEventDestroy "
         "for each event."},
    {"compared", 2, "the CPU's results find a wrong one", ROW_FAULTS, "saxpy",
     .cases = "hidden-few hidden-size hidden-far",
     .faults = "disturb:global_ld back:first back:last back:any back:slight back:small back:nan "
               "back:swapped",
     .hint = "Write the device's result, compute the same on the CPU, compare each element with a "
             "tolerance: what is further away is told on stderr, and the status is not 0."},
    {"fault-memory", 2, "a cudaMalloc that fails is told, and ends well", ROW_FAULTS, "saxpy",
     .cases = "tail hidden-fault hidden-fault-some hidden-fault-far",
     .faults = "cudaMalloc:1 cudaMalloc:2 cudaMalloc:3 cudaMallocAsync:1 cudaMallocAsync:2 "
               "cudaMallocHost:1 cudaHostAlloc:1",
     .hint = "Every call returns a cudaError_t: say which call and cudaGetErrorString() on stderr, "
             "free what there is already, return something else than 0 from main. Try "
             "build/bin/warprun --fail cudaMalloc:2."},
    {"fault-copy", 2, "a cudaMemcpy that fails is told, and ends well", ROW_FAULTS, "saxpy",
     .cases = "tail hidden-fault hidden-fault-some hidden-fault-far",
     .faults = "cudaMemcpy:1 cudaMemcpy:2 cudaMemcpy:3 cudaMemcpyAsync:1 cudaMemcpyAsync:2 "
               "cudaMemcpyAsync:3",
     .hint = "Each copy returns an error, the one back, too: after it nothing is to be written."},
    {"fault-launch", 2, "a launch that fails is told, and ends well", ROW_FAULTS, "saxpy",
     .cases = "tail hidden-fault hidden-fault-some hidden-fault-far",
     .faults = "cudaLaunchKernel:1 cudaLaunchKernelExC:1",
     .hint = "<<<…>>> returns nothing: who tells of it? cudaGetLastError()."},
    {"fault-events", 1, "an event that fails is told, and ends well", ROW_FAULTS, "saxpy",
     .cases = "tail hidden-fault hidden-fault-some hidden-fault-far",
     .faults = "cudaEventCreate:each cudaEventRecord:each cudaEventSynchronize:1 "
               "cudaDeviceSynchronize:1 cudaStreamSynchronize:1 cudaEventElapsedTime:each",
     .hint = "cudaEventCreate, cudaEventRecord, cudaEventSynchronize and cudaEventElapsedTime "
             "return errors, as all calls do."},
    {"fault-end", 1, "what fails in the end is told", ROW_FAULTS, "saxpy",
     .cases = "tail hidden-fault hidden-fault-some hidden-fault-far",
     .faults = "disk:full cudaFree:1 cudaFree:2 cudaFreeAsync:1 cudaFreeAsync:2 cudaFreeHost:1 "
               "cudaEventDestroy:each",
     .hint = "A disk can be full: fwrite and fclose tell. cudaFree and cudaEventDestroy return "
             "errors, too: say so, free the rest all the same, and let main return something else "
             "than 0."},
};
const struct rubric rubric_first_program = {
    .lab = "first_program",
    .rows = rows,
    .nrows = sizeof(rows) / sizeof(rows[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .hidden = hidden,
    .nhidden = sizeof(hidden) / sizeof(hidden[0]),
};
