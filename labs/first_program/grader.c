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
/* Between any two of these bounds one size is drawn: a program that tells sizes apart does so on
 * the host, where nobody looks for it. */
#define DRAWN(id, what, least, most)                                                               \
    {                                                                                              \
        .name = id, .kind = what, .like = "tail", .n_min = least, .n_max = most, .any_scale = true \
    }
static const struct hidden_case hidden[] = {
    DRAWN("hidden-few", "a few elements", 2, 299),
    DRAWN("hidden-hundreds", "hundreds of elements", 300, 1199),
    DRAWN("hidden-thousands", "thousands of elements", 1200, 4999),
    DRAWN("hidden-more", "more than 5000 elements", 5000, 16383),
    DRAWN("hidden-some", "tens of thousands of elements", 16384, 32767),
    DRAWN("hidden-many", "tens of thousands of elements", 32768, 65536),
    DRAWN("hidden-17", "more than 65536 elements", 65537, 131072),
    DRAWN("hidden-18", "more than 131072 elements", 131073, 262144),
    DRAWN("hidden-19", "more than 262144 elements", 262145, 524288),
    DRAWN("hidden-20", "more than 524288 elements", 524289, 1 << 20),
};
#define SIZES                                                                                      \
    "hidden-few hidden-hundreds hidden-thousands hidden-more hidden-some hidden-many hidden-17 "   \
    "hidden-18"

/* Whose time on the CPU is more than a clock of microseconds or the last printed digit misses. */
#define TIMED "max(n - 16000, 0)"

/* What is printed is what events told: of one pair, or of two pairs together. */
#define TOLD(part)                                                                                 \
    "printed." part " <= told." part " + 0.00001 && printed." part " >= told." part " - 0.00001 "  \
    "&& "

static const struct rubric_row rows[] = {
    {"results", 4, "the results are right", ROW_CORRECT, "saxpy",
     .cases = "empty one tail many hidden-19 hidden-20 " SIZES,
     .hint = "Which thread handles the last element? And what is a grid of 0 blocks?"},
    {"clean", 1, "no bad access", ROW_CHECKS, "saxpy", .cases = "one tail hidden-more hidden-17",
     .hint = "make run LAB=first_program CHECK=1 names the line."},
    {"kernel", 2, "the kernel computes the result, in one launch", ROW_GATE, "saxpy",
     .cases = "tail many " SIZES,
     .gate = "record.launches == 1 && flop_fp32 >= 2 * n && global_st_bytes >= 4 * n && "
             "global_ld_bytes >= 8 * n && global_ld_bytes <= 9 * n + 2048 && "
             "inst_lanes_1 <= n / 8 + 500 && inst_executed_max_warp <= n / 1500 + 80 && "
             "inst_executed <= 2 * n + 40000 && "
             "influence(global_ld) >= min(0.999, 1 - 1.5 / n)",
     .hint = "What is written is to be what the kernel stored: x and y are loaded, a x + y is "
             "stored, a thread an element, by as many blocks as n asks for, in one launch."},
    {"copies", 1, "x and y go there once, the result comes back", ROW_GATE, "saxpy",
     .cases = "tail " SIZES,
     .gate = "record.memcpyHtoD >= 8 * n && record.memcpyHtoD <= 8 * n + 1024 && "
             "record.memcpyDtoH >= 4 * n && record.memcpyDtoH <= 4 * n + 1024",
     .hint = "cudaMalloc, then cudaMemcpy with cudaMemcpyHostToDevice for x and for y, and "
             "cudaMemcpyDeviceToHost for the result: how many bytes has each?"},
    {"times", 2, "events take the times", ROW_GATE, "saxpy", .cases = "many " SIZES,
     .gate =
         "calls.cudaEventRecord >= 2 && calls.cudaEventElapsedTime >= 1 && "
         "calls.cudaEventSynchronize + calls.cudaStreamSynchronize + "
         "calls.cudaDeviceSynchronize + calls.cudaEventQuery >= 1 && "
         "printed.kernel >= record.modelled_ms && "
         "printed.kernel <= record.modelled_ms + 0.003 && "
         "printed.to_device >= 0.99 * record.in_ns / 1e6 && "
         "printed.to_device <= 2 * record.in_ns / 1e6 + 0.05 && "
         "printed.to_host >= 0.99 * record.out_ns / 1e6 && "
         "printed.to_host <= 2 * record.out_ns / 1e6 + 0.05 && " TOLD("kernel") TOLD("to_device")
             TOLD("to_host") "printed.to_device + printed.kernel + printed.to_host <= "
                             "record.elapsed_ns / 1e6 + 0.0001 && "
                             "printed.cpu >= 12 * " TIMED
                             " / 500e6 && printed.cpu <= record.wall_ms && "
                             "rate.kernel * printed.kernel >= 0.97 * 12 * n / 1e6 - 0.06 * "
                             "printed.kernel && "
                             "rate.kernel * printed.kernel <= 1.03 * 12 * n / 1e6 + 0.06 * "
                             "printed.kernel && "
                             "rate.to_device * printed.to_device >= 0.97 * 8 * n / 1e6 - 0.06 * "
                             "printed.to_device && "
                             "rate.to_device * printed.to_device <= 1.03 * 8 * n / 1e6 + 0.06 * "
                             "printed.to_device && "
                             "rate.to_host * printed.to_host >= 0.97 * 4 * n / 1e6 - 0.06 * "
                             "printed.to_host && "
                             "rate.to_host * printed.to_host <= 1.03 * 4 * n / 1e6 + 0.06 * "
                             "printed.to_host && "
                             "rate.cpu * (printed.cpu + 6e-6) >= 0.97 * 12 * " TIMED
                             " / 1e6 - 0.06 * printed.cpu && "
                             "rate.cpu * (printed.cpu - 6e-6) <= 1.03 * 12 * n / 1e6 + 0.06 * "
                             "printed.cpu",
     .hint = "One event right before the launch, one right after it, wait for the second, then "
             "cudaEventElapsedTime: print all four times in the given form, with the GB/s that "
             "they make."},
    {"freed", 1, "all memory and all events are freed", ROW_GATE, "saxpy",
     .cases = "empty one tail " SIZES,
     .gate = "record.left + record.left_at_reset == 0 && record.launches >= min(n, 1) && "
             "calls.cudaEventDestroy == calls.cudaEventCreate + calls.cudaEventCreateWithFlags",
     .hint =
         "A cudaFree for each cudaMalloc, on every way out, also that of n = 0; a cudaEventDestroy "
         "for each event. cudaDeviceReset() in their place does not count."},
    {"compared", 2, "the CPU's results find a wrong one", ROW_FAULTS, "saxpy", .cases = SIZES,
     .faults = "back:last back:first|back:any|back:swapped|back:zero back:sign|back:many "
               "back:evened|back:exchanged "
               "back:slight|disturb:global_ld|back:small|back:nan|back:infinite|back:huge",
     .hint = "Write the device's result, compute the same on the CPU, compare each element with a "
             "tolerance: what is further away is told on stderr, and the status is not 0."},
    {"fault-memory", 2, "a cudaMalloc that fails is told, and ends well", ROW_FAULTS, "saxpy",
     .cases = SIZES, .faults = "cudaMalloc*:each cudaHostAlloc:each",
     .hint = "Every call returns a cudaError_t: say which call and cudaGetErrorString() on stderr, "
             "free what there is already, return something else than 0 from main. Try "
             "build/bin/warprun --fail cudaMalloc:2."},
    {"fault-copy", 2, "a cudaMemcpy that fails is told, and ends well", ROW_FAULTS, "saxpy",
     .cases = SIZES, .faults = "cudaMemcpy*:each",
     .hint = "Each copy returns an error, the one back, too: after it nothing is to be written."},
    {"fault-launch", 2, "a launch that fails is told, and ends well", ROW_FAULTS, "saxpy",
     .cases = SIZES, .faults = "cudaLaunch*:any cudaGraphInstantiate*:any cudaGraphLaunch*:any",
     .hint = "<<<…>>> returns nothing: who tells of it? cudaGetLastError()."},
    {"fault-events", 1, "an event that fails is told, and ends well", ROW_FAULTS, "saxpy",
     .cases = SIZES,
     .faults = "cudaEventCreate*:each cudaEventRecord*:each cudaEventSynchronize:each "
               "cudaDeviceSynchronize:each cudaStreamSynchronize*:each cudaEventElapsedTime:each "
               "cudaStreamCreate*:each cudaStreamWaitEvent*:each cudaEventQuery:any "
               "cudaStreamQuery*:any cudaMemset*:each cudaHostRegister:each",
     .hint = "cudaEventCreate, cudaEventRecord, cudaEventSynchronize and cudaEventElapsedTime "
             "return errors, as all calls do."},
    {"fault-end", 1, "what fails in the end is told", ROW_FAULTS, "saxpy", .cases = SIZES,
     .faults = "disk:full disk:late cudaFree*:each cudaEventDestroy:each cudaStreamDestroy:each "
               "cudaHostUnregister:each others:each",
     .hint = "A disk can be full: fwrite and fclose tell. cudaFree and cudaEventDestroy return "
             "errors, too, as any other call: say so, free the rest all the same, and let main "
             "return something else than 0."},
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
