/* proto.h - what the grader and the runner in the box say to each other.
 *
 * Raw structs over the box's standard input and output: both ends are the same build on the
 * same machine. The runner interprets a submission's code, so the grader trusts no length,
 * count or text that comes back: each is bounded before use.
 *
 *      grader                         runner
 *      hello, module           ──▶
 *                              ◀──    loaded, text
 *      ASK: names              ──▶
 *                              ◀──    answers
 *      RUN: plan, inputs       ──▶
 *                              ◀──    reply, texts, outputs
 *      (end of input)          ──▶    ends
 *
 * Started as `grade-runner probe` it reads nothing, tries the device and sends back loaded, text.
 */
#ifndef GRADING_PROTO_H
#define GRADING_PROTO_H

#include "emulator/base/counters.h"
#include "lab/lab.h"

enum {
    PROTO_MAGIC = 0x57505237,
    PROTO_MAX_TEXT = 4 << 20,
    PROTO_MAX_TRACE = 3 << 20, /* the rest of a trace is not sent */
    PROTO_NAME = 96
};

struct msg_hello {
    uint32_t magic, module_bytes;
    char name[64]; /* of the file, in messages */
};

struct msg_loaded {
    uint32_t magic;
    int32_t error;       /* not 0: the module could not be loaded */
    uint32_t text_bytes; /* what went wrong */
    uint32_t emulated;
    char device[64], version[96];
    struct device_limits limits;
    double dram_gbps; /* a GPU's peak; 0: not known */
    uint32_t sm_mhz;  /* probe: the SMs' clock, idle; 0: not known */
};

enum msg_kind { MSG_ASK = 1, MSG_RUN };

/* Followed by count names of PROTO_NAME bytes; answered by count msg_answer. */
struct msg_ask {
    uint32_t kind, count;
};
enum { RECORD_NONE, RECORD_GIVEN, RECORD_BAD /* not of the record's size */ };
struct msg_answer {
    uint32_t has_record; /* of NAME_launch */
    struct launch_record record;
};

/* Followed by the plan as plan_write() makes it and the data of every BUF_INPUT buffer, in order.
 */
struct msg_run {
    uint32_t kind;
    uint32_t check;      /* with the emulator's checks */
    uint32_t want_lines; /* counters by source line, and the first kernel's first block traced */
    uint32_t timed;      /* GPU: take the time of the launches */
    uint32_t plan_bytes; /* at most PLAN_MAX_PACKED */
    uint64_t steps;      /* warp instructions a launch */
    uint64_t poison;     /* pattern that fills outputs and scratch */
};

enum { STAGE_OPEN = 1 /* a kernel or variable is missing, memory */, STAGE_RUN, STAGE_DONE };
struct msg_reply {
    int32_t error;  /* cudaError_t, 0 also when the failure was not CUDA's */
    uint32_t stage; /* STAGE_DONE: the outputs of every BUF_OUTPUT buffer follow the texts */
    uint32_t error_bytes, findings_bytes, lines_bytes, trace_bytes; /* texts that follow */
    uint32_t sm_mhz;       /* of a GPU right after a timed run; 0: not known */
    uint64_t counters[64]; /* order of counters.h */
    double modelled_ms, occupancy;
    char bound[32], limiter[32];
    double measured_ms; /* 0: not timed */
    uint64_t input_sum; /* data_sum() of all inputs, read back after the run */
};

static inline uint64_t data_sum(uint64_t sum, const void *data, uint64_t n)
{
    const unsigned char *p = data;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t w;
        __builtin_memcpy(&w, p, 8);
        sum = (sum ^ w) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    for (; n; n--, p++)
        sum = (sum ^ *p) * 0x100000001b3u;
    return sum;
}

#endif
