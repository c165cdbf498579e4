/* rubric.h - what a lab's grader.c says: the rows of its mark sheet, and nothing else.
 *
 * A lab defines one `const struct rubric rubric_NAME` (NAME is its folder's). It is data:
 * the engine (engine.c) knows no lab, and grader.c holds no code. README.md shows one.
 */
#ifndef GRADING_RUBRIC_H
#define GRADING_RUBRIC_H

#include "lab/lab.h"

enum row_kind {
    ROW_CORRECT, /* right results on every case named; a program's also when work is late */
    ROW_GATE,    /* a condition on counters, summed over the case's launches */
    /* No finding of the emulator's checks (memory, races, barriers): on its cases and, of those
     * that the variant's ROW_CORRECT rows name, on small public and hidden ones. */
    ROW_CHECKS,
    ROW_SPEED, /* time against the reference solution's, same variant and case */
    /* Of a program (lab->program): calls are made to fail, and it says so, writes no result, frees
     * what it has and ends with a status that is not 0. */
    ROW_FAULTS,
};

/* ROW_CHECKS: which findings count. 0 means all of them. */
enum { CHECK_MEMORY = 1, CHECK_UNINIT = 2, CHECK_RACE = 4, CHECK_BARRIER = 8 };

/* Which evidence a row accepts; 0 means the kind's own default: GATE and CHECKS counted,
 * SPEED modelled or measured, CORRECT either machine. */
enum { EV_COUNTED = 1, EV_MODELLED = 2, EV_MEASURED = 4 };

enum { HERE_ONLY = -1 };
enum { GATE_READABLE = 200 }; /* characters of a comparison's left side */

struct rubric_row {
    const char *id; /* short, stable, unique: "r3-banks"; exports and `expect:` lines use it */
    double points;
    const char *title; /* what a student reads: "Step 3 has no bank conflicts" */
    enum row_kind kind;
    const char *variant; /* a lab_variant's name */
    /* Names of cases, separated by spaces: the rubric's own, the hidden ones, the lab's.
     * NULL: CORRECT and CHECKS take every CASE_CHECK case of the lab that applies. GATE
     * and SPEED must name theirs. Every case must hold. */
    const char *cases;
    /* ROW_GATE: a comparison, or several joined by "&&". Names: counters.h's; the case's n,
     * m, k, param; bytes and flops of the plan; elem (bytes of the case's dtype); threads,
     * warps, blocks, launches of the run; of a schedule bytes_in, bytes_out, copies, streams, of
     * ranks sums and fetches, and overlap: how many of the three engines are busy on average;
     * beside: of the kernels' time the part in which something is copied; skew: how many times as
     * many warp instructions as a rank on average the busiest one's kernels have, skew_loaded: of
     * sectors loaded; ref.COUNTER for the reference solution's count on the same case. Operators +
     * - * / ( ) and <= >= < > ==. A division by zero fails.
     *
     *   min(A, B)  max(A, B)  ceil(A)
     *   worst(EXPR)       the largest EXPR of any one instruction of the submission; counters in
     *                     it are that instruction's, n or ref.COUNTER the run's. Instructions
     *                     where EXPR is not finite are left out; none left: the row fails
     *   ref.worst(EXPR)   of the reference solution
     *   influence(CLASS)  the share, 0 to 1, of the compared results that are wrong when what a
     *                     class of instructions brings is disturbed: shared_ld, others,
     *                     one_in_64, lanes_8, lanes_2, global_ld, half_warps, one_warp, one_block,
     * ahead, at_once, again, straight, parked, shuffle, tensor, async, atom
     *                     (common/emulator/base/disturb.h). The run is made once more for it. When
     *                     that one does not come to its end the share is not known, and no
     *                     comparison with it holds
     *
     *   calls.FUNCTION, record.FACT   of a program, from the runtime's own record
     *                     (common/emulator/runtime/record.c): record.left == 0; and wall_ms, the
     *                     clock's time from its start to its end
     *   printed.NAME      of a program: the milliseconds of a line "NAME 0.125 ms 98 GB/s" that it
     *   rate.NAME         printed, and the rate
     *   told.NAME         of what events told the program, a time or two together, the nearest to
     *                     printed.NAME
     *
     * Averages can be talked up by dummy work: judge totals, and the worst instruction.
     * "global_sectors <= 1.05 * ref.global_sectors && worst(shared_ld_bank_conflicts) == 0 &&
     *  influence(shared_ld) >= 0.9"
     * What each fact can tell: grading/mark/EVIDENCE.md.
     *
     * ROW_SPEED may have one, too: fast counts only where it holds; and ROW_CHECKS, without
     * influences: where nothing of the kind is done, there is nothing to find. Others: NULL. */
    const char *gate;
    /* With a gate that has a condition nobody could read (GATE_READABLE): it in words. */
    const char *asks;
    /* ROW_GATE: cases on which it must hold, too, if results are right there: sizes of a block that
     * the kernel need not be made for. Without its influences. */
    const char *if_right;
    /* With a gate: on cases on which results are compared, and which the row does not name, its
     * totals may be so many times what is asked, or what the reference needs there; 0: 2,
     * HERE_ONLY: it is not looked at there. */
    double elsewhere;
    /* With HERE_ONLY: the same at sizes that the kernel singles out, and that are larger than any
     * that rows on results of its variant draw; 0: it is not looked at there either. */
    double larger;
    /* With influences: they are asked for on each hidden case, and not on one of them that is
     * drawn. Each takes a run. */
    bool influence_on_each;
    /* ROW_FAULTS: what fails, one in a run, separated by spaces: "cudaMalloc:2", the second call;
     * "cudaMalloc:any", one of those that the program makes, drawn from secret and submission;
     * "cudaMalloc:each", all of them, in turn over the row's cases; more than 16 are too many;
     * "cudaMalloc*:each", so of each function that begins so and is called; "others:each", of each
     * that is called and that no row names (its result may have been written by then); the error
     * that a call fails with is drawn, too;
     * "disturb:global_ld", what the kernel loads, "back:first", "back:last" and "back:any", one
     * element of the result that is copied back, "back:slight", one by a thousandth,
     * "back:nan", one as no number, "back:infinite", one as infinity, "back:huge", one as 1e30,
     * "back:sign", one with the other sign, "back:small", the one nearest to 0 by 1, "back:many",
     * the first 2^k of them, as many as there are, "back:zero", all as 0, "back:swapped", two in
     * each other's place, the first and the last, "back:exchanged", two that are drawn,
     * "back:evened", eight neighbours by errors that make each other up (results are then to be
     * told as wrong), "disk:full", no result can be written, "disk:late", not all of one of more
     * than 16 KiB. A call that the program does not make is passed over. Of "back:nan|back:small"
     * each of the row's cases has one, in turn.
     */
    const char *faults;
    unsigned checks;   /* ROW_CHECKS: CHECK_*, 0 for all */
    unsigned evidence; /* EV_*, 0 for the kind's default */
    /* ROW_SPEED: least (reference time / student's time); 0.8 lets them be 1.25 times slower. */
    double ratio;
    /* ROW_SPEED: the same measured on a GPU, where the time of a right kernel depends on more than
     * the model of it knows; 0: ratio. */
    double gpu_ratio;
    /* ROW_SPEED, on a GPU: the cases that are timed there, in place of `cases`: large enough to
     * take more than a launch does. The emulator never runs them. NULL: `cases`. */
    const char *gpu_cases;
    double tolerance;    /* ROW_SPEED: relative slack on ratio. Others: unused */
    const char *hint;    /* shown on failure; one or two sentences; never the answer */
    const char *line_of; /* ROW_GATE: counter whose heaviest line is named; NULL: gate's first */
};

/* What a row on speed asks for, modelled or measured. */
static inline double row_ratio(const struct rubric_row *r, bool measured)
{
    return measured && r->gpu_ratio > 0 ? r->gpu_ratio : r->ratio;
}

/* Whether a row on speed is measured where there is a GPU. */
static inline bool row_measured(const struct rubric_row *r)
{
    return !r->evidence || r->evidence & EV_MEASURED;
}

/* Some values, of which a hidden case draws one: .ops = ONE_OF(MIN, MAX). */
struct one_of {
    const int64_t *v;
    int n; /* 0: nothing is drawn */
};
#define ONE_OF(...)                                                                                \
    {                                                                                              \
        .v = (const int64_t[]){__VA_ARGS__},                                                       \
        .n = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)                              \
    }

/* A case that is drawn when a submission is marked, from the instructor's secret, the source
 * text's digest and the variant: the same for one text, others for the next. Any row may name
 * it. A student is told its kind and the sort of failure, and no value: no size, no index, no
 * count, nothing that was expected or came out.
 *
 *     {.name = "hidden-float", .kind = "a float sum over several blocks",
 *      .like = "float double", .n_min = 1000, .n_max = 70000, .blocks = ONE_OF(64, 128, 256)}
 *
 * Inputs need no field. Their seeds are drawn in the same way for every case of a marked run,
 * public ones too; what the lab's make_input() makes (values, extremes and their places,
 * weights) is to follow from its seed alone, so that no answer carries over.
 *
 * Where a row compares with the reference solution (a gate with `ref.`, a speed), the sizes are
 * one of POOL_DRAWS sets that the secret fixes for the class, so that the reference is run once
 * a set and not once a submission. Of these not even the line of a fault is told. It is run on
 * inputs of its own unless the case that this one is like has CASE_DATA (lab.h): then on the
 * submission's, each time.
 *
 * In practice (no secret) the same are drawn once for everybody, and all is shown. */
struct hidden_case {
    const char *name; /* "hidden-odd" */
    const char *kind; /* what is told of it, after "a hidden case: " */
    /* Cases of this rubric or the lab, separated by spaces: one is drawn, and what is not drawn
     * below is as it is there. Several are for what goes together: "min max float double". */
    const char *like;
    uint64_t n_min, n_max, m_min, m_max, k_min, k_max; /* uniform, where max is not 0 */
    /* These by their octave first: 100 is as likely as 10,000. One that max cuts to less than half
     * belongs to the one before. */
    bool any_scale;
    /* The product of those of n, m, k and param that are drawn from a range is at most this: one of
     * them, which is drawn too, makes room for the others, down to its minimum, then the next. So
     * each can be great beside any other, at a cost that is known. With any_scale param, too, is
     * drawn by its octave. 0: no bound. */
    uint64_t work_max;
    /* n, m and k are rounded up to multiples of these, after all that; 0 or 1: any */
    uint64_t multiple, m_multiple, k_multiple;
    bool prime;                   /* n is made the next prime that is above param, after that */
    int64_t param_min, param_max; /* uniform, where one is not 0 */
    struct one_of params, dtypes, ops;
    /* Forces block_x of the launch record: for variants that have one and whose kernels take
     * any block of these, whatever the student's record says. */
    struct one_of blocks;
};
enum { POOL_DRAWS = 8 };

struct rubric {
    const char *lab;
    const struct rubric_row *rows;
    int nrows;
    const struct lab_case *cases; /* cases used in marking only, looked up first; may be NULL */
    int ncases;
    const struct hidden_case *hidden;
    int nhidden;
};

/* Made by grading.mk from labs/<lab>/grader.c. */
extern const struct rubric *const all_rubrics[];
extern const int all_rubrics_count;

#endif
