/* peers_main.c - make bench-peers: the last rung of a ladder beside what a user would call instead.
 *
 * Both work in one process on the same inputs and take turns, so that a clock that drifts is
 * everybody's. First their results are held to the lab's CPU reference. Then each round takes a
 * sample of one and of the other, as a lab's run does (time.c):
 *
 *   hot    one call that is not timed, then a batch of calls between two events
 *   cold   a memset of twice the L2, then one call between two events
 *
 * Times are medians with the 95 % confidence interval of the median. A ratio is the median of the
 * rounds' own: the peer's time over the rung's, so that above 1 the rung is the faster one.
 */
#include "compile.h"
#include "peers.h"
#include "timing.h"
#include "base/alloc.h"
#include "base/csv.h"
#include "base/file.h"
#include "lab/dataset.h"
#include "lab/dtype.h"
#include "lab/plan.h"
#include "lab/result.h"
#include "run/run.h"

#include <argp.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if __has_include("version.h")
#include "version.h"
#endif
#ifndef WARPLAB_VERSION
#define WARPLAB_VERSION ""
#endif

/* ---- who is compared with whom ---- */

enum { SUM, MIN, MAX };            /* op of the reduction lab's cases … */
enum { STRIDE, OFFSET, TURN = 3 }; /* … and of the coalescing lab's */

struct match {
    const char *lab, *variant, *peer;
    peer_call *call;
    bool same_result; /* else the peer does other work, of as many bytes: a copy */
    const struct lab_case *cases;
    int ncases;
};

/* clang-format off */
#define LENGTH(exp, type, what) {.name = "2^" #exp, .n = 1ull << (exp), .dtype = type, .op = what}
#define FOUR(a, b, c, d, type, what) LENGTH(a, type, what), LENGTH(b, type, what), LENGTH(c, type, what), LENGTH(d, type, what)
#define EVERY_LENGTH(type, what) \
    FOUR(0, 1, 2, 3, type, what), FOUR(4, 5, 6, 7, type, what), FOUR(8, 9, 10, 11, type, what), \
    FOUR(12, 13, 14, 15, type, what), FOUR(16, 17, 18, 19, type, what), FOUR(20, 21, 22, 23, type, what), \
    FOUR(24, 25, 26, 27, type, what), LENGTH(28, type, what), LENGTH(29, type, what), LENGTH(30, type, what)
#define SOME_LENGTHS(type, what) FOUR(0, 5, 10, 12, type, what), FOUR(14, 17, 20, 22, type, what), FOUR(24, 26, 28, 30, type, what)
#define WIDTH(w) {.name = "2^26 width " #w, .n = 1 << 26, .param = w, .dtype = DT_F32}
#define PRODUCT(m_, n_, k_, type) {.name = #m_ " x " #n_ " x " #k_, .n = n_, .m = m_, .k = k_, .dtype = type}
#define SQUARES(type) \
    PRODUCT(256, 256, 256, type), PRODUCT(512, 512, 512, type), PRODUCT(1024, 1024, 1024, type), \
    PRODUCT(2048, 2048, 2048, type), PRODUCT(4096, 4096, 4096, type), PRODUCT(8192, 8192, 8192, type)
static const struct lab_case
    sums_i32[] = {EVERY_LENGTH(DT_I32, SUM)}, sums_f32[] = {EVERY_LENGTH(DT_F32, SUM)},
    minima[] = {SOME_LENGTHS(DT_I32, MIN)}, maxima[] = {SOME_LENGTHS(DT_I32, MAX)},
    widths[] = {WIDTH(3), WIDTH(15), WIDTH(31), WIDTH(47), WIDTH(63), WIDTH(127), WIDTH(255)},
    strides[] = {{.name = "33554393 words", .n = 33554393, .param = 1, .dtype = DT_F32, .op = STRIDE}},
    offsets[] = {{.name = "2^25 words", .n = 1 << 25, .dtype = DT_F32, .op = OFFSET}},
    shifts[] = {{.name = "2^25 words from 1 on", .n = 1 << 25, .param = 1, .dtype = DT_F32, .op = OFFSET}},
    turns[] = {{.name = "8192 x 4096", .n = 8192, .m = 4096, .dtype = DT_F32, .op = TURN}},
    products[] = {SQUARES(DT_F32), PRODUCT(8192, 128, 1024, DT_F32), PRODUCT(128, 8192, 1024, DT_F32),
                  PRODUCT(256, 256, 16384, DT_F32), PRODUCT(4096, 4096, 64, DT_F32), PRODUCT(1000, 1003, 1001, DT_F32)},
    large_products[] = {PRODUCT(2048, 2048, 2048, DT_F32), PRODUCT(4096, 4096, 4096, DT_F32), PRODUCT(8192, 8192, 8192, DT_F32), PRODUCT(4096, 4096, 64, DT_F32)},
    small_halves[] = {PRODUCT(256, 256, 256, DT_F16), PRODUCT(512, 512, 512, DT_F16), PRODUCT(1024, 1024, 1024, DT_F16)},
    halves[] = {SQUARES(DT_F16), PRODUCT(16384, 16384, 16384, DT_F16)},
    brains[] = {PRODUCT(2048, 2048, 2048, DT_BF16), PRODUCT(4096, 4096, 4096, DT_BF16), PRODUCT(8192, 8192, 8192, DT_BF16)};
#define CASES(list) list, sizeof(list) / sizeof((list)[0])
static const struct match matches[] = {
    /* lab        the last rung       its peer                    how             results */
    {"reduction", "reduce9",          "cub::DeviceReduce::Sum",   peer_sum_i32,   true,  CASES(sums_i32)},
    {"reduction", "reduce9",          "cub::DeviceReduce::Sum",   peer_sum_f32,   true,  CASES(sums_f32)},
    {"reduction", "reduce9",          "cub::DeviceReduce::Min",   peer_min_i32,   true,  CASES(minima)},
    {"reduction", "reduce9",          "cub::DeviceReduce::Max",   peer_max_i32,   true,  CASES(maxima)},
    {"conv1d",    "conv_multi",       "cudaMemcpy on the device", peer_copy,      false, CASES(widths)},
    {"coalescing", "strided_copy",    "cudaMemcpy on the device", peer_copy,      true,  CASES(strides)},
    {"coalescing", "copy_four",       "cudaMemcpy on the device", peer_copy,      true,  CASES(offsets)},
    {"coalescing", "copy_four",       "cudaMemcpy on the device", peer_copy,      false, CASES(shifts)},
    {"coalescing", "transpose_vec",   "cudaMemcpy on the device", peer_copy,      false, CASES(turns)},
    {"matmul",    "mm_sliced",        "cublasSgemm",              peer_sgemm,     true,  CASES(products)},
    {"matmul",    "mm_large",         "cublasSgemm",             peer_sgemm,     true,  CASES(large_products)},
    {"matmul",    "mm_small",         "cublasLtMatmul",          peer_gemm_f16,  true,  CASES(small_halves)},
    {"matmul",    "mm_store",         "cublasLtMatmul",           peer_gemm_f16,  true,  CASES(halves)},
    {"matmul",    "mm_bf16",          "cublasLtMatmul",           peer_gemm_bf16, true,  CASES(brains)},
};
/* clang-format on */
enum { NMATCHES = sizeof(matches) / sizeof(matches[0]) };

enum { MOST_ROUNDS = 51, FEWEST_ROUNDS = 7, MOST_BATCH = 50, SEED = 20260917 };
#define BATCH_MS 0.5
#define CASE_MS  1500 /* of a case, hot and cold together */

/* ---- one pair ---- */

/* What takes turns: the rung, and beside it the peer with an output of its own. */
struct pair {
    const struct match *match;
    const struct lab *lab;
    const struct lab_variant *variant;
    const struct lab_case *input;
    struct launch_record record;
    struct plan plan;
    struct job job;
    struct exec exec;
    struct peer_work work;
    int out; /* the plan's output */
};
struct bench {
    struct machine machine;
    struct module module; /* of `loaded` */
    const struct lab *loaded;
    cudaEvent_t start, stop;
    void *flush;
    size_t flush_bytes;
    struct text csv;
};
enum who { RUNG, PEER, BOTH };
struct samples {
    double ms[BOTH][MOST_ROUNDS], ratio[MOST_ROUNDS];
};

static void cuda(cudaError_t e, const char *what)
{
    if (e != cudaSuccess)
        die("%s: %s", what, cudaGetErrorString(e));
}

static void once(struct pair *p, enum who who)
{
    const char *why = who == PEER ? p->match->call(&p->work) : NULL;

    if (why)
        die("%s: %s", p->match->peer, why);
    if (who == RUNG && !exec_launch(&p->exec))
        die("%s: %s", p->match->variant, p->exec.message);
}

static double sample(struct bench *b, struct pair *p, enum who who, bool cold, int batch)
{
    float ms = 0;

    if (!exec_refill(&p->exec))
        die("%s", p->exec.message);
    if (cold)
        cuda(cudaMemsetAsync(b->flush, 0x5a, b->flush_bytes, NULL), "memset");
    else
        once(p, who);
    cuda(cudaEventRecord(b->start, NULL), "event");
    for (int i = 0; i < batch; i++)
        once(p, who);
    cuda(cudaEventRecord(b->stop, NULL), "event");
    cuda(cudaDeviceSynchronize(), p->match->variant);
    cuda(cudaEventElapsedTime(&ms, b->start, b->stop), "event");
    return (double)ms / batch;
}

static int clamp(double x, int least, int most)
{
    return x < least ? least : x > most ? most : (int)x;
}

/* The other goes first each round. */
static int rounds(struct bench *b, struct pair *p, bool cold, struct samples *s)
{
    double first[BOTH];
    int batch[BOTH];

    for (int who = 0; who < BOTH; who++) {
        sample(b, p, (enum who)who, false, 1); /* for the clocks to rise */
        first[who] = fmax(sample(b, p, (enum who)who, false, 1), 1e-4);
        batch[who] = cold ? 1 : clamp(BATCH_MS / first[who], 1, MOST_BATCH);
    }
    double each = first[RUNG] * (batch[RUNG] + 1) + first[PEER] * (batch[PEER] + 1);
    int n = clamp(CASE_MS / 2.0 / each, FEWEST_ROUNDS, MOST_ROUNDS);

    for (int i = 0; i < n; i++) {
        for (int turn = 0; turn < BOTH; turn++) {
            enum who who = (enum who)((turn + i) % BOTH);

            s->ms[who][i] = sample(b, p, who, cold, batch[who]);
        }
        s->ratio[i] = s->ms[PEER][i] / s->ms[RUNG][i];
    }
    return n;
}

/* ---- results ---- */

static const char *held_to_reference(struct pair *p)
{
    struct outputs o = {.stage = STAGE_DONE, .changed = -1};
    struct result r;

    if (!exec_finish(&p->exec) || !run_collect(&p->exec, &p->job, &o))
        die("%s", p->exec.message);
    result_of(p->lab, p->variant, p->input, SEED, &p->record, &p->job, &o, &r);
    const char *word = r.end == RUN_OK ? "pass" : run_end_words[r.end];
    result_free(&r);
    outputs_free(&o);
    return word;
}

/* The peer's result is put where the rung's was, and judged as that. */
static const char *judge_peer(struct pair *p)
{
    once(p, PEER);
    cuda(cudaDeviceSynchronize(), p->match->peer);
    if (!p->match->same_result)
        return "other work";
    cuda(cudaMemcpy(p->exec.data[p->out], p->work.out, p->work.out_bytes, cudaMemcpyDeviceToDevice),
         "copy");
    return held_to_reference(p);
}

/* ---- the record and the table ---- */

static void put_number(struct bench *b, double value)
{
    char cell[40];

    snprintf(cell, sizeof(cell), "%.9g", value);
    csv_put_exact(&b->csv, cell);
}

static void put_times(struct bench *b, struct samples *s, int n)
{
    for (int list = 0; list <= BOTH; list++) {
        struct spread x = interval_of(list == BOTH ? s->ratio : s->ms[list], n);

        put_number(b, x.median);
        put_number(b, x.lo);
        put_number(b, x.hi);
    }
}

static const char *heading(void)
{
    return "lab,variant,number,peer,case,n,m,k,param,dtype,op,block,grid,device,bytes,flops,"
           "correct,peer_correct,hot_rounds,hot_ms,hot_lo_ms,hot_hi_ms,peer_hot_ms,peer_hot_lo_ms,"
           "peer_hot_hi_ms,hot_ratio,hot_ratio_lo,hot_ratio_hi,cold_rounds,cold_ms,cold_lo_ms,"
           "cold_hi_ms,peer_cold_ms,peer_cold_lo_ms,peer_cold_hi_ms,cold_ratio,cold_ratio_lo,"
           "cold_ratio_hi,date,version\n";
}

static void put_case(struct bench *b, const struct pair *p, const char *rung, const char *peer)
{
    const struct plan_step *s = &p->plan.steps[0];

    csv_put_exact(&b->csv, p->lab->name);
    csv_put_exact(&b->csv, p->variant->name);
    csv_put_exact(&b->csv, p->variant->number);
    csv_put_exact(&b->csv, p->match->peer);
    csv_put_exact(&b->csv, p->input->name);
    text_addf(&b->csv, ",%llu,%llu,%llu,%lld", (unsigned long long)p->input->n,
              (unsigned long long)p->input->m, (unsigned long long)p->input->k,
              (long long)p->input->param);
    csv_put_exact(&b->csv, dtype_name(p->input->dtype));
    text_addf(&b->csv, ",%d,%ux%u,%ux%ux%u", p->input->op, s->block[0], s->block[1], s->grid[0],
              s->grid[1], s->grid[2]);
    csv_put_exact(&b->csv, b->machine.device);
    put_number(b, p->plan.bytes);
    put_number(b, p->plan.flops);
    csv_put_exact(&b->csv, rung);
    csv_put_exact(&b->csv, peer);
}

static void put_end(struct bench *b)
{
    char date[32];
    time_t now = time(NULL);

    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    csv_put_exact(&b->csv, date);
    csv_put_exact(&b->csv, WARPLAB_VERSION);
    csv_end(&b->csv);
}

static void print_heading(void)
{
    printf("%-17s %-18s %11s %11s  %-21s %11s %11s  %-21s %7s %7s  %s\n", "rung", "case", "hot ms",
           "peer ms", "ratio", "cold ms", "peer ms", "ratio", "GB/s", "TFLOP/s", "results");
}

static void print_times(struct samples *s, int n)
{
    struct spread ratio = interval_of(s->ratio, n);

    printf(" %11.5f %11.5f  %5.3f [%5.3f, %5.3f]", interval_of(s->ms[RUNG], n).median,
           interval_of(s->ms[PEER], n).median, ratio.median, ratio.lo, ratio.hi);
}

/* ---- the whole of it ---- */

static void load(struct bench *b, const struct lab *lab)
{
    char *path = xformat("%s/solutions/%s/%s.cu", course_root(), lab->name, lab->name);
    struct compile_request r = {.path = path, .arch = b->machine.arch, .toolkit = CUDA_INCLUDE};
    struct compiled c;
    struct text why = {0};

    if (b->loaded == lab)
        return;
    if (b->loaded)
        module_unload(&b->module);
    if (!compile_cuda(&r, &c))
        die("%s", c.log);
    if (!module_load(&b->module, path, c.image, c.size, &why))
        die("%s", why.s);
    b->loaded = lab;
    compiled_free(&c);
}

static const struct lab *find_lab(const char *name)
{
    for (int i = 0; i < all_labs_count; i++)
        if (!strcmp(all_labs[i]->name, name))
            return all_labs[i];
    die("there is no lab %s", name);
}

static const struct lab_variant *find_variant(const struct lab *lab, const char *name)
{
    for (int i = 0; i < lab->nvariants; i++)
        if (!strcmp(lab->variants[i].name, name))
            return &lab->variants[i];
    die("lab %s has no variant %s", lab->name, name);
}

static void open_pair(struct bench *b, struct pair *p, struct dataset *d)
{
    struct job_options options = {.poison = POISON_ALL, .seed = SEED};
    struct exec_options memory = run_memory(&options);
    struct text note = {0}, why = {0};
    char err[512] = "";
    int ins = 0;

    if (!module_record(&b->module, p->variant, &p->record, NULL, &note, &why))
        die("%s", why.s);
    if (!plan_make(p->lab, p->variant, p->input, &p->record, &b->machine.limits, &p->plan, err,
                   sizeof(err)))
        die("%s", err);
    dataset_make(d, p->lab, &p->plan, p->input, SEED);
    p->job = dataset_job(d, &p->plan, &options);
    if (!exec_open(&p->exec, &p->plan, &b->module, &memory) || !run_fill(&p->exec, &p->job))
        die("%s: %s", p->match->variant, p->exec.message);
    p->work = (struct peer_work){.n = p->input->n, .m = p->input->m, .k = p->input->k};
    for (int i = 0; i < p->plan.nbuffers; i++) {
        if (p->plan.buffers[i].role == BUF_INPUT && ins < 2)
            p->work.in[ins++] = p->exec.data[i];
        if (p->plan.buffers[i].role == BUF_OUTPUT)
            p->out = i;
    }
    p->work.out_bytes = plan_buffer_bytes(&p->plan, p->out);
    cuda(cudaMalloc(&p->work.out, p->work.out_bytes), "memory for the peer's result");
    cuda(cudaMemset(p->work.out, 0xa5, p->work.out_bytes), "memset");
}

static bool compare_pair(struct bench *b, const struct match *m, const struct lab_case *input)
{
    struct pair p = {.match = m, .lab = find_lab(m->lab)};
    struct lab_case seeded = *input;
    struct dataset data = {0};
    struct samples s;
    int n = 0;

    load(b, p.lab);
    seeded.seed = SEED;
    p.input = &seeded;
    p.variant = find_variant(p.lab, m->variant);
    open_pair(b, &p, &data);
    once(&p, RUNG);
    const char *rung = held_to_reference(&p), *peer = judge_peer(&p);
    bool good = !strcmp(rung, "pass") && (!m->same_result || !strcmp(peer, "pass"));

    printf("%-17s %-18s", m->variant, input->name);
    put_case(b, &p, rung, peer);
    for (int cold = 0; cold < 2; cold++) {
        n = rounds(b, &p, cold, &s);
        text_addf(&b->csv, ",%d", n);
        put_times(b, &s, n);
        print_times(&s, n);
    }
    double ms = interval_of(s.ms[RUNG], n).median;
    printf(" %7.0f %7.2f  %s, %s\n", p.plan.bytes / ms / 1e6, p.plan.flops / ms / 1e9, rung, peer);
    fflush(stdout);
    put_end(b);
    cudaFree(p.work.out);
    exec_close(&p.exec);
    dataset_free(&data);
    return good;
}

struct words { /* NULL: not given */
    const char *lab, *kernel, *cases, *csv;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;

    switch (key) {
    case 'l':
        words->lab = arg;
        return 0;
    case 'k':
        words->kernel = arg;
        return 0;
    case 'c':
        words->csv = arg;
        return 0;
    case 'n':
        words->cases = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void put_command(struct bench *b, const struct words *words)
{
    text_add(&b->csv, "# command: make bench-peers");
    if (words->lab)
        text_addf(&b->csv, " LAB=%s", words->lab);
    if (words->kernel)
        text_addf(&b->csv, " KERNEL=%s", words->kernel);
    if (words->cases)
        text_addf(&b->csv, " CASE='%s'", words->cases);
    text_addf(&b->csv, "\n%s", heading());
}

static void open_bench(struct bench *b)
{
    struct text why = {0};

    if (!machine_open(&b->machine, &why))
        die("%s", why.s);
    if (b->machine.emulator)
        die("this is the emulator's runtime; the toolkit's libraries need a GPU");
    b->flush_bytes = 2 * b->machine.l2_bytes;
    cuda(cudaMalloc(&b->flush, b->flush_bytes), "memory of twice the L2");
    cuda(cudaEventCreate(&b->start), "event");
    cuda(cudaEventCreate(&b->stop), "event");
}

int main(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"lab", 'l', "NAME", 0, "The last rungs of this lab alone", 0},
        {"kernel", 'k', "NAME", 0, "This rung alone", 0},
        {"case", 'n', "PATTERN", 0, "Cases of that name alone, as '2^1?' or '*x 64'", 0},
        {"csv", 'c', "FILE", 0, "Write the record here", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Times the last rung of each ladder and the toolkit's own code by turns on a GPU. "
               "Ratios are the peer's time over the rung's: above 1 the rung is faster."};
    struct words words = {0};
    struct bench b = {0};
    struct text why = {0};
    int pairs = 0;
    bool good = true;

    if (argp_parse(&argp, argc, argv, 0, NULL, &words))
        return 2;
    open_bench(&b);
    put_command(&b, &words);
    printf("%s; ratios: the peer's time over the rung's\n", b.machine.device);
    const struct match *above = NULL;
    for (const struct match *m = matches; m < matches + NMATCHES; m++) {
        if ((words.lab && strcmp(words.lab, m->lab)) ||
            (words.kernel && strcmp(words.kernel, m->variant)))
            continue;
        for (int c = 0; c < m->ncases; c++) {
            if (words.cases && fnmatch(words.cases, m->cases[c].name, 0))
                continue;
            if (!above || strcmp(above->lab, m->lab) || strcmp(above->peer, m->peer)) {
                printf("\n%s, peer %s\n", m->lab, m->peer);
                print_heading();
            }
            above = m;
            good = compare_pair(&b, m, &m->cases[c]) && good;
            pairs++;
        }
    }
    if (!pairs)
        die("no such case of such a kernel has a peer");
    if (words.csv && !file_save(words.csv, b.csv.s, b.csv.length, &why))
        die("%s", why.s);
    return good ? 0 : 1;
}
