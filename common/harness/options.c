/* options.c - the command line of a lab's program, the same for every lab (options.h). */
#include "options.h"
#include "lab/dtype.h"
#include "base/alloc.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_N = 256,
    OPT_M,
    OPT_K,
    OPT_PARAM,
    OPT_DTYPE,
    OPT_NO_TIME,
    OPT_NO_RECORDS,
    OPT_STEPS,
    OPT_PROFILE_PASS,
    OPT_NCU,
    OPT_NCU_METRICS,
    OPT_PREDICT,
    OPT_CSV,
    OPT_TIMELINE,
    OPT_JSON,
    OPT_SEED,
    OPT_CAUSES,
    OPT_UNTIMED
};

static const struct argp_option table[] = {
    {0, 0, 0, 0, "What runs:", 1},
    {"solution", 's', 0, 0, "The reference solution instead of your file", 1},
    {"file", 'f', "FILE.cu", 0, "This file instead of labs/LAB/LAB.cu", 1},
    {"module", 'm', "FILE", 0, "A compiled image (PTX, cubin, fatbin) as it is", 1},
    {"kernel", 'k', "LIST", 0, "Only these variants: numbers or names, separated by commas", 1},
    {0, 0, 0, 0, "On what:", 2},
    {"case", 'c', "LIST", 0, "Only these cases, separated by commas (--list names them)", 2},
    {"n", OPT_N, "N", 0, "A case of your own: size (2^20 is understood)", 2},
    {"rows", OPT_M, "M", 0, "… its second extent (default: as --n where the lab has one)", 2},
    {"inner", OPT_K, "K", 0, "… its third extent", 2},
    {"param", OPT_PARAM, "P", 0, "… the lab's own knob: stride, width, paths", 2},
    {"dtype", OPT_DTYPE, "TYPE", 0, "… its element type: i32 u32 f32 f64 f16 bf16 i64", 2},
    {"seed", OPT_SEED, "SEED", 0, "Of the inputs (default 20260917)", 2},
    {"quick", 'q', 0, 0, "Only the small cases of a plain `make`", 2},
    {"untimed", OPT_UNTIMED, 0, 0, "Only the cases that are checked and not timed: smaller still",
     2},
    {0, 0, 0, 0, "How:", 3},
    {"check", 'C', 0, 0,
     "Watch memory, races and barriers (the emulator; on a GPU `make run CHECK=1` does it)", 3},
    {"no-time", OPT_NO_TIME, 0, 0, "Only check the results", 3},
    {"reps", 'r', "N", 0, "Timed samples on a GPU (default 21)", 3},
    {"steps", OPT_STEPS, "N", 0,
     "What a launch may take on the emulator: warp instructions, slow ones as several (2^30)", 3},
    {0, 0, 0, 0, "Output:", 4},
    {"list", 'l', 0, 0, "Variants and cases, and nothing else", 4},
    {"csv", OPT_CSV, "FILE", 0, "Write the run record there (common/harness/RECORDS.md)", 4},
    {"timeline", OPT_TIMELINE, "FILE", 0,
     "Write there when each step of a schedule ran, of labs that have them", 4},
    {"json", OPT_JSON, "FILE", 0, "The same as JSON", 4},
    {"no-records", OPT_NO_RECORDS, 0, 0, "Write no record under build/records", 4},
    {"predictions", OPT_PREDICT, "FILE", 0, "Instead of labs/LAB/predict.txt", 4},
    {"causes", OPT_CAUSES, 0, 0, "Name the cause of each failure in one word, for tests", 4},
    {"verbose", 'v', 0, 0, "Name every case that is checked, and tell every failure and every row",
     4},
    {0, 0, 0, 0, "Nsight Compute (`make run PROFILE=1` uses these):", 5},
    {"profile-pass", OPT_PROFILE_PASS, 0, 0, "Launch each variant once on each timed case", 5},
    {"ncu-metrics", OPT_NCU_METRICS, 0, 0, "Print the metrics to ask for", 5},
    {"ncu", OPT_NCU, "FILE", 0, "Take counters from this CSV of a profile pass", 5},
    {0}};

/* "4096", "2^12", "2^12-1", "2^12+1". */
static bool parse_size(const char *s, uint64_t *out)
{
    char *end;
    unsigned long long x;

    errno = 0;
    x = strtoull(s, &end, 0);
    if (end == s || *s == '-' || errno)
        return false;
    if (*end == '^') {
        unsigned long long power = strtoull(end + 1, &end, 10);

        if (x != 2 || power > 62)
            return false;
        x = 1ull << power;
    }
    if (*end == '+' || *end == '-') {
        bool minus = *end == '-';
        unsigned long long y = strtoull(end + 1, &end, 10);

        x = minus ? x - y : x + y;
    }
    *out = x;
    return !*end && x < 1ull << 62;
}

void refuse(const struct lab *lab, const char *next)
{
    fflush(stderr);
    printf("next: make run LAB=%s %s\n", lab->name, next);
    exit(2);
}

/* A value that is none: told, with a command that exists. Not while it is tried in silence. */
static void refuse_value(const struct argp_state *state, const char *option, const char *arg,
                         const char *wants, const char *instead)
{
    if (state->flags & ARGP_NO_ERRS)
        return;
    fprintf(stderr, "%s: --%s: \"%s\" is %s\n", all_labs[0]->name, option, arg, wants);
    refuse(all_labs[0], instead);
}

static uint64_t size_or_die(struct argp_state *state, const char *name, const char *arg)
{
    uint64_t x = 0;

    if (!parse_size(arg, &x)) {
        char *instead =
            strncmp(name, "n ", 2) ? xformat("ARGS='--%s 100'", name) : xstrdup("N=100");

        refuse_value(state, name, arg, "not a number like 1000003, 2^20 or 2^20-1", instead);
        free(instead);
    }
    return x;
}

static error_t parse_case(int key, char *arg, struct argp_state *state, struct run_options *o)
{
    switch (key) {
    case OPT_N:
        o->n = size_or_die(state, "n (N=)", arg);
        o->has_n = true;
        return 0;
    case OPT_M:
        o->m = size_or_die(state, "rows", arg);
        o->has_m = true;
        return 0;
    case OPT_K:
        o->k = size_or_die(state, "inner", arg);
        o->has_k = true;
        return 0;
    case OPT_PARAM:
        o->param = (int64_t)size_or_die(state, "param", arg);
        o->has_param = true;
        return 0;
    case OPT_DTYPE:
        o->has_dtype = dtype_parse(arg, &o->dtype);
        if (!o->has_dtype)
            refuse_value(state, "dtype", arg, "no element type",
                         "ARGS=--help lists them, and the other options");
        return 0;
    case OPT_SEED:
        o->seed = size_or_die(state, "seed", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool *flag_of(int key, struct run_options *o)
{
    const struct {
        int key;
        bool *flag;
    } flags[] = {
        {'s', &o->solution},
        {'C', &o->check},
        {'q', &o->quick},
        {OPT_UNTIMED, &o->untimed},
        {'l', &o->list},
        {'v', &o->verbose},
        {OPT_NO_TIME, &o->no_time},
        {OPT_CAUSES, &o->causes},
        {OPT_NO_RECORDS, &o->no_records},
        {OPT_PROFILE_PASS, &o->profile_pass},
        {OPT_NCU_METRICS, &o->ncu_metrics},
    };

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (flags[i].key == key)
            return flags[i].flag;
    }
    return NULL;
}

static const char **text_of(int key, struct run_options *o)
{
    const struct {
        int key;
        const char **text;
    } texts[] = {
        {'f', &o->file},
        {'m', &o->module},
        {'k', &o->kernels},
        {'c', &o->cases},
        {OPT_CSV, &o->csv},
        {OPT_JSON, &o->json},
        {OPT_TIMELINE, &o->timeline},
        {OPT_NCU, &o->ncu},
        {OPT_PREDICT, &o->predictions},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].key == key)
            return texts[i].text;
    }
    return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    if (flag_of(key, o)) {
        *flag_of(key, o) = true;
        return 0;
    }
    if (text_of(key, o)) {
        *text_of(key, o) = arg;
        return 0;
    }
    switch (key) {
    case 'r':
        o->reps = (int)size_or_die(state, "reps", arg);
        return 0;
    case OPT_STEPS:
        o->steps = size_or_die(state, "steps", arg);
        return 0;
    default:
        return parse_case(key, arg, state, o);
    }
}

/* argp would name the program as if it were on the path, and two commands. Tried in silence first:
 * what is not taken is refused here, with one that exists. */
static void refuse_unknown(int argc, char **argv, const struct argp *argp, const struct lab *lab)
{
    struct run_options unused = {0};

    if (!argp_parse(argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_ERRS, NULL, &unused))
        return;
    fprintf(stderr, "%s: no such option, or its value is missing:", lab->name);
    for (int i = 1; i < argc; i++)
        fprintf(stderr, " %s", argv[i]);
    fputc('\n', stderr);
    refuse(lab, "ARGS=--help lists the options");
}

void options_parse(int argc, char **argv, const struct lab *lab, struct run_options *o)
{
    char *doc = xformat("%s: %s\vWithout options, your labs/%s/%s.cu is compiled, every "
                        "kernel is checked on every case, then timed. The exit status is 0 "
                        "only if all of it is right.",
                        lab->name, lab->title, lab->name, lab->name);
    struct argp argp = {.options = table, .parser = parse, .doc = doc};

    argp_err_exit_status = 2;
    *o = (struct run_options){.seed = OPTIONS_SEED, .steps = 1ull << 30, .reps = 21};
    refuse_unknown(argc, argv, &argp, lab);
    if (argp_parse(&argp, argc, argv, 0, NULL, o))
        exit(2);
    free(doc);
}
