/* lab.h - what a lab is: tables, a CPU reference and a launch plan.
 *
 * A lab's harness.c defines one `const struct lab lab_NAME` and nothing runs by itself. The
 * same lab object serves the harness (harness/main.c: check, time, table, records) and the grader,
 * which is why the parts are separate:
 *
 *   make_input  host memory from a seed          (trusted; never sees the student's code)
 *   reference   expected output on the CPU       (trusted; never near the student's code)
 *   plan        which kernels to launch how      (data: it can be sent to a sandbox)
 *   run         carries a job out on a module (run/run.h): the only part that touches the
 *               student's code. It knows no lab. result.h compares what came of it.
 *
 * Sizes are in elements unless a name says bytes.
 */
#ifndef LAB_H
#define LAB_H

#include "schedule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype { DT_I32, DT_U32, DT_F32, DT_F64, DT_F16, DT_I64, DT_BF16, DT_COUNT };
size_t dtype_size(enum dtype t);
const char *dtype_name(enum dtype t);

#define LAB_MAX_BUFFERS 8
#define LAB_MAX_ARGS    12
#define LAB_MAX_STEPS   72
#define LAB_MAX_OPS     512
#define LAB_MAX_RANKS   16

/* One input of a lab: what the student's kernel is run on. `param` is the lab's own knob
 * (stride, width, paths, …), `m`,`k` further extents (matmul: m×k times k×n). */
struct lab_case {
    const char *name; /* "n=2^22", unique in the lab */
    uint64_t n, m, k;
    int64_t param;
    enum dtype dtype;
    int op;         /* lab-defined: sum, min, max … */
    uint64_t seed;  /* 0: the run's seed. In reference(): what the inputs were made from */
    unsigned flags; /* CASE_* */
    uint32_t block; /* takes the place of the launch record's block_x; 0: as the record says */
    const uint64_t *const *asked; /* in reference(): see lab_asks(); NULL: all is compared */
};

/* In reference(): is element i of output b compared? Where a kernel is run on purpose such that it
 * leaves most of an output unwritten, the rest need not be worked out: 64 elements are a bit. */
static inline bool lab_asks(const struct lab_case *c, int b, uint64_t i)
{
    return !c->asked || !c->asked[b] || c->asked[b][i / 4096] >> i / 64 % 64 & 1;
}

enum {
    CASE_CHECK = 1,
    CASE_TIME = 2,
    CASE_QUICK = 4 /* part of a plain `make` */,
    CASE_EMULATOR_ONLY = 8,
    CASE_GPU_ONLY = 16,
    CASE_DATA = 32,   /* counts depend on what the data are, not only on how many */
    CASE_SPECIAL = 64 /* inputs hold numbers that programs are seldom tried on (special.h), too */
};

enum buffer_role { BUF_INPUT, BUF_OUTPUT, BUF_SCRATCH };
struct lab_buffer {
    char name[32]; /* a C identifier, for messages */
    enum buffer_role role;
    enum dtype dtype;
    uint64_t count; /* elements; 0 is allowed */
    /* Not "": the buffer is not allocated but is this variable of the student's module
     * (`__constant__`, found with cudaLibraryGetGlobal, at least count elements long); it is
     * filled like the other inputs, again when these take turns, and is no argument. A missing
     * variable is the student's error, named in the message. */
    char symbol[32];
};

/* How a tensor kernel's blocks share its work, and which of its arguments are tensor maps: as in
 * device/tensor.cuh. Of a box the first number is elements of a row. */
#define LAB_MAX_MAPS 4
enum tensor_type { TENSOR_NONE, TENSOR_F16, TENSOR_F32, TENSOR_BF16, TENSOR_TYPE_COUNT };
struct tensor_record {
    uint32_t tile[2]; /* rows and columns of the output that a block makes at a time */
    uint32_t cluster; /* blocks; 0 and 1: none */
    uint32_t persistent;
    struct tensor_map_record {
        uint32_t argument, type, box[2], swizzle, promotion;
    } map[LAB_MAX_MAPS]; /* up to the first of TENSOR_NONE */
};

/* The launch record as read from the student's module (warplab.cuh), or the variant's default. */
struct launch_record {
    uint32_t block_x, block_y, items, shared_bytes;
    struct tensor_record tensor;     /* of a variant that has one */
    const struct schedule *schedule; /* of a variant that has one, else NULL */
};

/* ARG_TENSOR: a tensor map of a buffer, which is rows of `offset` elements. */
enum arg_kind { ARG_BUFFER, ARG_U32, ARG_I32, ARG_U64, ARG_F32, ARG_F64, ARG_TENSOR };
struct plan_arg {
    enum arg_kind kind;
    int buffer;      /* ARG_BUFFER, ARG_TENSOR: index into plan.buffers */
    uint64_t offset; /* ARG_BUFFER: elements */
    union {
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        float f32;
        double f64;
        struct plan_box {
            uint16_t width, height;     /* elements of a row, rows */
            uint8_t swizzle, promotion; /* as the driver numbers them */
        } box;
    } v;
};
/* A step launches a kernel of the student's, or has cuFFT transform a plane of f32 numbers, or of
 * pairs of them: set with lab_fft(). */
enum step_kind { STEP_KERNEL, STEP_FFT };
struct plan_step {
    enum step_kind kind;
    char kernel[64]; /* set with lab_name(); of STEP_FFT cuFFT's call */
    uint32_t grid[3], block[3], shared_bytes;
    int nargs;
    struct plan_arg args[LAB_MAX_ARGS];
};
/* Where inputs and outputs lie on the host is part of what is run: then `ops` say what is done in
 * which order on which stream, each step launched by one of them. Inputs begin on the host, outputs
 * are read there. */
enum op_kind { OP_LAUNCH, OP_COPY_IN, OP_COPY_OUT, OP_RECORD, OP_WAIT, OP_SUM, OP_FETCH };
struct plan_op {
    enum op_kind kind;
    uint32_t stream, event; /* of its rank */
    uint32_t rank;          /* whose device does it; OP_SUM: all, on that stream of each;
                             * OP_FETCH: the first, once that stream of this rank is so far */
    int index;              /* OP_LAUNCH: the step; copies and sums: the buffer */
    uint64_t offset, count; /* elements, of copies; of a launch, to be told */
};
struct plan {
    int nbuffers, nsteps, nops;
    /* 0 and 1: one. Each has a device, with a place for every buffer; OP_SUM makes each one's
     * elements the sum of all ranks'; OP_FETCH brings a rank's to the first one's. */
    int ranks;
    /* NO_MEMORY: inputs are on the device, steps follow each other; RESIDENT: they are on each
     * rank's, results are read from the first one's */
    enum host_memory memory;
    struct lab_buffer buffers[LAB_MAX_BUFFERS];
    /* Elements that the kernels' type of a buffer holds, 2 of a float2; messages count these.
     * 0: one */
    uint32_t parts[LAB_MAX_BUFFERS];
    struct plan_step steps[LAB_MAX_STEPS];
    struct plan_op ops[LAB_MAX_OPS];
    double bytes, flops; /* by the lab's stated formulas, for GB/s and GFLOP/s */
    bool on_chip;        /* bytes are shared memory's: few of them cross the memory bus */
};

/* Writes a name into a field of a plan. One that is too long is not cut to another: it leaves
 * the field without an end, which plan_check() refuses in words. */
void lab_name(char *field, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a transform: "cufftExecC2C" (forward or not), R2C or C2R, of rows x columns elements, which
 * begin with the buffers. Only C2C may be in place. */
void lab_fft(struct plan *p, const char *call, int in, int out, uint32_t rows, uint32_t columns,
             bool forward);

struct lab_variant {
    const char *name;            /* "reduce3", also its kernel's name unless `kernels` says more */
    const char *number;          /* "3": as the lectures number it */
    const char *what;            /* one line: "sequential addressing" */
    const char *kernels;         /* space-separated kernels the module must have; NULL: name */
    bool has_record;             /* the student's file may hold LAUNCH(name, …) */
    struct launch_record record; /* default */
    struct launch_record min, max; /* allowed range of each field; 0: fixed to default */
    unsigned flags;                /* lab-defined */
    bool optional;     /* missing in the module: skipped, not an error (the student's own best) */
    bool has_schedule; /* the file must hold SCHEDULE(name) */
    bool has_tensor;   /* … may hold TENSOR(name) */
    uint32_t cc_least, cc_most; /* compute capabilities that have its instructions: 90; 0: all */
};

struct lab_mismatch {
    uint64_t index;
    double expected, got;
    int64_t expected_i64, got_i64; /* of DT_I64, which a double rounds */
};

struct device_limits { /* what plan() may know of the machine */
    uint32_t sms, max_threads_per_block, max_threads_per_sm, shared_per_block;
    uint32_t cc; /* 90 */
};

/* One of what an output element is made of: a constant times the product of one or two elements of
 * the inputs. */
struct lab_term {
    double times;
    int nfactors;
    struct lab_factor {
        int buffer;
        uint64_t index;
    } factor[2];
};
enum lab_made {
    MADE_OTHERWISE, /* somehow, and each term matters */
    MADE_SUM,
    MADE_MIN,
    MADE_MAX,
    MADE_FOLD,   /* unit() says of what: of `zero`s and a `one` that one comes */
    MADE_UNKNOWN /* a term need not matter: only recognise() can tell */
};

struct lab {
    const char *name, *title;
    /* The student's file is a whole program, host code too, which nvcc builds (run/program.h). Its
     * plan has buffers and no step, its variants no kernel's name. */
    bool program;
    /* Of a program, for each variant: PART_NONE, its runs; else no variant of its own, but a part
     * of the first one's work, whose time that one prints in a line "NAME 0.125 ms". */
    const enum lab_part { PART_NONE, PART_DEVICE, PART_HOST /* by the host's clock */ } * parts;
    const char *bytes_formula, *flops_formula; /* printed above the table, e.g. "4 n" */
    const char *record_items;                  /* what LAUNCH's third field means here */
    const char *param_name;                    /* "stride"; NULL when unused */
    const struct lab_variant *variants;
    int nvariants;
    const struct lab_case *cases;
    int ncases;
    /* True when the variant runs on the case (a double-only kernel, a width limit). NULL: always.
     */
    bool (*applies)(const struct lab_variant *v, const struct lab_case *c);
    /* Fills plan for this variant, case and launch record. False with a message in err
     * when the record cannot be used. All buffers' counts are set here. */
    bool (*plan)(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *out,
                 char *err, size_t errsize);
    /* Fills host memory of input buffer b (plan.buffers[b].count elements) from seed. */
    void (*make_input)(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data);
    /* expected: one host array per BUF_OUTPUT buffer (others NULL), from the input arrays.
     * tolerance[b]: per-element absolute bound arrays of doubles for float outputs; set to NULL:
     * the very bits. Arrays are allocated by the caller to the buffers' counts. Bounds
     * follow from the case and its inputs, never from the plan's grid or block: the record is
     * the student's. Where only a part is compared, c->seed draws which. */
    void (*reference)(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance);
    /* Optional: how many elements of output b are compared (the rest is scratch). NULL: all. */
    uint64_t (*output_count)(const struct plan *p, const struct lab_case *c, int b);
    /* Optional, to find out why a kernel is wrong (harness/diagnose.h): how the terms of an element
     * of an output become it, and what they are (the same in each output); false when there is no
     * term t. A copy is a sum of one. NULL: nothing is known of them, MADE_UNKNOWN. */
    enum lab_made (*made)(const struct lab_variant *v, const struct lab_case *c);
    bool (*term)(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out);
    /* Optional: of an output that counts elements of input 0: a value that element `element` of it
     * counts, and one that it does not. All n elements are to be counted. Of a fold: an element
     * that is the result among neutral ones, and the neutral one. */
    bool (*unit)(const struct lab_variant *v, const struct lab_case *c, uint64_t element,
                 double *one, double *zero);
    /* Optional: of a function that is no sum: what element `element` of output b holds instead of
     * its own value, in words ("the result of path 2, where path 1 belongs"), when that is exactly
     * what it holds. Or, with ", and should be " in them, an example alone. Several lines: it is
     * each of these; those that are so by chance are left out. */
    bool (*recognise)(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size);
    /* Optional, where recognise() says nothing: changes inputs to some of which more can be told,
     * 0, 1 and so on; false: there are no more. numbers: elements of the output that were numbers,
     * with the usual inputs. What came of them, in words, as recognise(): */
    bool (*arrange)(const struct plan *p, const struct lab_case *c, int which, uint64_t numbers,
                    void *const *data);
    bool (*recognise_arranged)(const struct plan *p, const struct lab_variant *v,
                               const struct lab_case *c, int which, const void *const *inputs,
                               const void *output, uint64_t element, char *words, size_t size);
    /* Optional: how many devices a case needs. NULL: one. */
    int (*ranks)(const struct lab_case *c);
    /* Optional: is this element of an output compared, as c->seed draws, or has it to be possible
     * alone? NULL: all are compared. */
    bool (*compares)(const struct lab_case *c, uint64_t element);
    /* Optional: elements of a row of buffer b, 0: it has one dimension. */
    uint64_t (*row)(const struct plan *p, const struct lab_case *c, int b);
    /* Which of n, m, k and p(aram) are extents, that a case can be made smaller in: "nmk". */
    const char *extents;
    /* Threads a block that the handout tells to try, as well as what the record has; then 0. */
    uint32_t blocks[4];
    /* reference() holds for any numbers in its inputs, not only for what make_input() makes. */
    bool any_numbers;
    bool integer_bounds; /* the reference gives integers a tolerance, too, or NULL */
    bool tells_errors;   /* how far results are off has two columns of the table */
    /* The counters (common/emulator/base/counters.h) worth a column in this lab's table, at most
     * four, then a {0}: two words of at most 7 characters, one above the other, and what is
     * counted, "global_ld_sectors/global_ld_requests" for a ratio. */
    const struct lab_column {
        const char *over, *name, *counter;
    } * columns;
    /* Optional, then a {0}: what a step is for, where its counts on a timed case of the emulator's
     * show it for certain. goal: a condition (gate.h) on its counters, and on what amounts.h names;
     * with another step's name and a point before them, on that step's; or on influence(CLASS)
     * alone; a program's on what program_fact() names, too (job.h). says: what is seen where it
     * does not hold. */
    const struct lab_goal {
        const char *variant, *case_name, *goal, *says;
    } * goals;
    /* Predictions asked for in predict.txt: key, question, counter expression, variant, case. */
    const struct lab_prediction {
        const char *key, *question, *expression, *variant, *case_name;
        double tolerance; /* relative */
    } * predictions;
    int npredictions;
};

/* PART_… of a variant; PART_NONE where the lab has no parts. */
static inline enum lab_part lab_part(const struct lab *lab, const struct lab_variant *v)
{
    return lab->parts ? lab->parts[v - lab->variants] : PART_NONE;
}

/* Each lab is found by this name in its object file; labs.c is generated by make. */
extern const struct lab *const all_labs[];
extern const int all_labs_count;

#endif
