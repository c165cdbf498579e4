/* harness.c - the divergence lab: variants, cases, CPU reference, launch plan.
 *
 * Every element is put through one of 32 paths: 256 fused multiply-adds with the path's own
 * constants. What differs is which path an element takes and which thread does it. Each
 * fused multiply-add is exact by definition, so results are compared for equality.
 */
#include "lab/lab.h"
#include "lab/random.h"
#include "lab/special.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum experiment { BRANCH, PATHS, MIXED, MIXED_DATA };
enum { IN, OUT, KIND, NBUFFERS };
enum { BLOCK = 256, WARP = 32, STEPS = 256, KINDS = 4, MOST_PATHS = 32 };

/* MIXED_DATA's param: kinds in equal shares everywhere, in shares as the seed will in each block,
 * or in each block in some order. */
enum { EVEN, UNEVEN, IN_ORDER };

/* Flags of variants: the experiment, and which of its two branches a whole warp shares. */
enum { EXPERIMENT = 15, BY_WARP = 16 };

#define ROW(id, nr, text, flag, ...)                                                               \
    {                                                                                              \
        .name = id, .number = nr, .what = text, .record = {.block_x = BLOCK, .block_y = 1},        \
        .flags = flag, __VA_ARGS__                                                                 \
    }

/* clang-format off */
static const struct lab_variant variants[] = {
    ROW("branch_warp",   "1", "every other warp takes the other branch",   BRANCH | BY_WARP),
    ROW("branch_thread", "2", "every other thread takes the other branch", BRANCH),
    ROW("paths",         "3", "1 to 32 paths a warp",                      PATHS),
    ROW("mixed",         "4", "four kinds of work, by place",              MIXED),
    ROW("coherent",      "5", "the same, one kind a warp",                 MIXED),
    ROW("mixed_data",    "6", "four kinds of work, in the data",           MIXED_DATA),
    ROW("coherent_data", "7", "the same, sorted in the block",             MIXED_DATA),
};

#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define LARGE CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define CASE(id, length, which, flag) {.name = id, .n = length, .dtype = DT_F32, .op = which, .flags = flag}
#define PATHS_OF(p) \
    {.name = "paths=" #p, .n = 1 << 17, .param = p, .dtype = DT_F32, .op = PATHS, .flags = SMALL}, \
    {.name = "paths=" #p "-n=2^22", .n = 1 << 22, .param = p, .dtype = DT_F32, .op = PATHS, .flags = LARGE}

static const struct lab_case cases[] = {
    CASE("branch-n=0", 0, BRANCH, CHECK),
    CASE("branch-n=1001", 1001, BRANCH, CHECK),
    CASE("branch-n=2^19", 1 << 19, BRANCH, SMALL),
    CASE("branch-n=2^22", 1 << 22, BRANCH, LARGE),
    {.name = "short-paths=5", .n = 1001, .param = 5, .dtype = DT_F32, .op = PATHS, .flags = CHECK},
    PATHS_OF(1), PATHS_OF(2), PATHS_OF(4), PATHS_OF(8), PATHS_OF(16), PATHS_OF(32),
    CASE("mixed-n=1", 1, MIXED, CHECK),
    CASE("mixed-n=255", 255, MIXED, CHECK),
    CASE("mixed-n=1001", 1001, MIXED, CHECK),
    CASE("mixed-n=4096", 4096, MIXED, CHECK),
    CASE("mixed-n=2^17", 1 << 17, MIXED, SMALL),
    CASE("mixed-n=2^22", 1 << 22, MIXED, LARGE),
    CASE("data-n=1", 1, MIXED_DATA, CHECK),
    CASE("data-n=257", 257, MIXED_DATA, CHECK),
    CASE("data-n=1001", 1001, MIXED_DATA, CHECK),
    CASE("data-n=4096", 4096, MIXED_DATA, CHECK),
    CASE("data-n=2^17", 1 << 17, MIXED_DATA, SMALL),
    CASE("data-n=2^22", 1 << 22, MIXED_DATA, LARGE),
};
/* clang-format on */

static enum experiment experiment_of(const struct lab_case *c)
{
    return (enum experiment)c->op;
}

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    return (v->flags & EXPERIMENT) == experiment_of(c);
}

static void add_buffer_arg(struct plan_step *s, int b)
{
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = b};
}

static void add_u32_arg(struct plan_step *s, uint64_t x)
{
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)x};
}

/* One launch: (in, out, n), (in, out, n, paths) or (in, kind, out, n). */
static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    (void)d;
    if (c->n >> 31) {
        snprintf(err, errsize, "%s: too large for this lab's 32-bit indices", c->name);
        return false;
    }
    if (c->dtype != DT_F32 ||
        (experiment_of(c) == PATHS && (c->param < 1 || c->param > MOST_PATHS))) {
        snprintf(err, errsize, "%s: this lab's kernels are for f32, and for 1 to 32 paths",
                 c->name);
        return false;
    }
    if (experiment_of(c) == MIXED_DATA && (c->param < EVEN || c->param > IN_ORDER)) {
        snprintf(err, errsize,
                 "%s: kinds come in equal shares (0), uneven ones (1) or in order (2)", c->name);
        return false;
    }
    memset(p, 0, sizeof(*p));
    p->nbuffers = NBUFFERS;
    p->buffers[IN] = (struct lab_buffer){.name = "in", .dtype = DT_F32, .count = c->n};
    p->buffers[OUT] =
        (struct lab_buffer){.name = "out", .role = BUF_OUTPUT, .dtype = DT_F32, .count = c->n};
    p->buffers[KIND] = (struct lab_buffer){.name = "kind", .dtype = DT_I32};
    p->bytes = 8.0 * (double)c->n;
    p->flops = 2.0 * STEPS * (double)c->n;

    struct plan_step *s = &p->steps[p->nsteps++];

    lab_name(s->kernel, sizeof(s->kernel), "%s", v->name);
    s->block[0] = r->block_x;
    s->block[1] = s->block[2] = s->grid[1] = s->grid[2] = 1;
    s->grid[0] = c->n ? (uint32_t)((c->n + r->block_x - 1) / r->block_x) : 1;
    add_buffer_arg(s, IN);
    if (experiment_of(c) == MIXED_DATA) {
        p->buffers[KIND].count = c->n;
        p->bytes += 4.0 * (double)c->n;
        add_buffer_arg(s, KIND);
    }
    add_buffer_arg(s, OUT);
    add_u32_arg(s, c->n);
    if (experiment_of(c) == PATHS)
        add_u32_arg(s, (uint64_t)c->param);
    return true;
}

/* In four blocks, in a row: one kind alone, one with a few of another, two in halves, equal shares;
 * and in four more two kinds, in shares as the seed will. */
static int32_t uneven_kind(uint64_t seed, uint64_t i)
{
    uint64_t block = random_u64(seed ^ MIXED_DATA, i / BLOCK), one = random_u64(seed ^ KIND, i);
    int32_t often = (int32_t)(block >> 8 & 0xff) % KINDS;
    int32_t other = (int32_t)(block >> 16 & 0xff) % KINDS;

    if ((i / BLOCK + seed) % 8 >= 4)
        return (one >> 32) % BLOCK < 64 + (block >> 32) % (BLOCK - 63) ? often : other;
    switch ((i / BLOCK + seed) % 4) {
    case 0:
        return often;
    case 1:
        return one % 64 ? often : other;
    case 2:
        return one % 2 ? often : other;
    }
    return (int32_t)(one % KINDS);
}

/* In eight blocks, in a row: by turns, every 1, 2, 4, 8 or 16 elements another, the same backwards,
 * and two as the seed will. */
static int32_t ordered_kind(uint64_t seed, uint64_t i)
{
    uint64_t block = random_u64(seed ^ MIXED_DATA, i / BLOCK);
    uint64_t form = (i / BLOCK + seed) % 8, run = form < 5 ? form : form == 5 ? 0 : block % 7;
    bool back = form == 5 || (form > 5 && block >> 8 & 1);
    uint64_t turn = (i >> run) + (form > 5 ? block >> 16 & 0xff : 0);

    return (int32_t)(back ? KINDS - 1 - turn % KINDS : turn % KINDS);
}

static int32_t kind_of(const struct lab_case *c, uint64_t seed, uint64_t i)
{
    return c->param == UNEVEN     ? uneven_kind(seed, i)
           : c->param == IN_ORDER ? ordered_kind(seed, i)
                                  : (int32_t)(random_u64(seed ^ KIND, i) % KINDS);
}

/* Half of the elements, in a row that begins anywhere, are of any size: a step rounds all of them
 * as the CPU does. Of the others, which stay near their result's size, each bit counts. */
static void add_special(float *in, uint64_t n, uint64_t stream)
{
    uint64_t length = (n + 1) / 2;

    special_sprinkle(DT_F32, SPECIAL_ALL, stream, n, in);
    special_fill(DT_F32, random_u64(stream, n), length, in + stream % (n - length + 1));
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    for (uint64_t i = 0; i < p->buffers[b].count; i++) {
        if (b == KIND)
            ((int32_t *)data)[i] = kind_of(c, seed, i);
        else
            ((float *)data)[i] = random_f32(seed, i);
    }
    if (b == IN && c->flags & CASE_SPECIAL)
        add_special(data, p->buffers[b].count, seed ^ IN);
}

/* The path of element i, as the kernels' source says. */
static unsigned path_of(const struct lab_variant *v, const struct lab_case *c, const int32_t *kind,
                        uint64_t i)
{
    unsigned tid = (unsigned)(i % BLOCK);

    switch (experiment_of(c)) {
    case BRANCH:
        return v->flags & BY_WARP ? tid / WARP % 2 : tid % 2;
    case PATHS:
        return tid % (unsigned)c->param;
    case MIXED:
        return (unsigned)(i % KINDS);
    case MIXED_DATA:
        return (unsigned)kind[i];
    }
    return 0;
}

/* Many chains side by side, so that the compiler can put them into vectors. Without a level
 * that has fused multiply-add (x86-64-v3), each is a call into libm: right, but slow. */
enum { CHAINS = 64 };
#if defined(__x86_64__) && !defined(WITH_ASAN)
__attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
__attribute__((optimize("O3"))) static void
work(float *restrict x, const float *restrict a, const float *restrict b)
{
    for (int i = 0; i < STEPS; i++)
        for (int l = 0; l < CHAINS; l++)
            x[l] = __builtin_fmaf(x[l], a[l], b[l]);
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    uint64_t n = p->buffers[OUT].count;
    const float *in = inputs[IN];
    float x[CHAINS] = {0}, a[CHAINS] = {0}, b[CHAINS] = {0};

    for (uint64_t i = 0; i < n; i += CHAINS) {
        uint64_t size = n - i < CHAINS ? n - i : CHAINS;

        if (!lab_asks(c, OUT, i))
            continue;
        for (uint64_t l = 0; l < size; l++) {
            float path = (float)path_of(v, c, inputs[KIND], i + l);

            x[l] = in[i + l];
            a[l] = 0.9921875f + path * 0.0001220703125f; /* as in divergence.cu: exact */
            b[l] = 0.03125f + path * 0.0078125f;
        }
        work(x, a, b);
        memcpy((float *)expected[OUT] + i, x, size * sizeof(*x));
    }
    if (tolerance && tolerance[OUT])
        memset(tolerance[OUT], 0, n * sizeof(double));
}

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v, (void)c;
    return MADE_OTHERWISE;
}

/* An element, and its kind where that is in the data. */
static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    (void)p, (void)v;
    *out = (struct lab_term){.times = 1, .nfactors = 1, .factor = {{t ? KIND : IN, element}}};
    return t < (experiment_of(c) == MIXED_DATA ? 2 : 1);
}

/* The chain of `steps` multiply-adds of a path, each fused or rounded twice. */
static float chain(float x, unsigned path, int steps, bool fused)
{
    float a = 0.9921875f + (float)path * 0.0001220703125f;
    float b = 0.03125f + (float)path * 0.0078125f;

    for (int i = 0; i < steps; i++) {
        volatile float product = x * a;

        x = fused ? __builtin_fmaf(x, a, b) : product + b;
    }
    return x;
}

/* Of the elements whose path it is, several, none is what it makes of them. */
static bool nobody_takes(const struct lab_variant *v, const struct lab_case *c,
                         const void *const *inputs, const float *got, unsigned path)
{
    const float *in = inputs[IN];
    uint64_t n = 0;

    for (uint64_t i = 0; i < c->n; i++) {
        if (path_of(v, c, inputs[KIND], i) != path)
            continue;
        if (chain(in[i], path, STEPS, true) == got[i])
            return false;
        n++;
    }
    return n > 1;
}

/* Of this element: another path's work, other numbers of steps, steps rounded twice. */
static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    float x = ((const float *)inputs[IN])[element], got = ((const float *)output)[element];
    unsigned own = path_of(v, c, inputs[KIND], element);

    (void)p, (void)b;
    for (unsigned path = 0; path < MOST_PATHS; path++) {
        if (path != own && chain(x, path, STEPS, true) == got) {
            snprintf(words, size, "what path %u makes of in[%llu]; its path is %u%s", path,
                     (unsigned long long)element, own,
                     nobody_takes(v, c, inputs, output, own)
                         ? "; no element with that path takes it"
                         : "");
            return true;
        }
    }
    if (chain(chain(x, own, STEPS, true), own, STEPS, true) == got) {
        snprintf(words, size, "what its path makes of it when the work is done twice");
        return true;
    }
    for (int steps = 0; steps < 2 * STEPS; steps++) {
        if (steps != STEPS && chain(x, own, steps, true) == got &&
            chain(x, own, STEPS, true) != got) {
            snprintf(words, size, "what %d multiply-adds make of it, not %d", steps, STEPS);
            return true;
        }
    }
    if (chain(x, own, STEPS, false) != got)
        return false;
    snprintf(words, size,
             "what its path makes when the product is rounded before the addition: fmaf() "
             "rounds once");
    return true;
}

static const struct lab_column columns[] = {
    {"active", "lanes", "thread_inst_executed/inst_executed"},
    {"diverg.", "branch.", "divergent_branches"},
    {"warps'", "instr.", "inst_executed"},
    {0},
};

#define LANES "thread_inst_executed/inst_executed"
static const struct lab_prediction predictions[] = {
    {"lanes_branch_warp", "active lanes of 32, a branch by warp", LANES, "branch_warp",
     "branch-n=2^19", 0.05},
    {"lanes_branch_thread", "active lanes of 32, a branch by thread", LANES, "branch_thread",
     "branch-n=2^19", 0.1},
    {"lanes_paths_8", "active lanes with 8 paths", LANES, "paths", "paths=8", 0.15},
    {"lanes_paths_32", "active lanes with 32 paths", LANES, "paths", "paths=32", 0.15},
    {"lanes_coherent", "active lanes of your reorganised kernel", LANES, "coherent", "mixed-n=2^17",
     0.05},
};

static const struct lab_goal goals[] = {
    {"branch_warp", "branch-n=2^19", "thread_inst_executed / inst_executed >= 24",
     "its warps still have few lanes at work at once: do the lanes of a warp take several paths?"},
    {"branch_warp", "branch-n=2^19", "flop_fp32 / flops <= 1.2",
     "it does more than one path's work for an element"},
    {"branch_thread", "branch-n=2^19", "thread_inst_executed / inst_executed <= 24",
     "lanes of its warps do not part, whose cost it is to show"},
    {"branch_thread", "branch-n=2^19", "flop_fp32 / flops <= 1.2",
     "it does more than one path's work for an element"},
    {"coherent", "mixed-n=2^17", "thread_inst_executed / inst_executed >= 16",
     "its warps still have few lanes at work at once: do the lanes of a warp have several kinds of "
     "work, as in mixed?"},
    {"coherent", "mixed-n=2^17", "flop_fp32 / flops <= 1.2",
     "it does more than one path's work for an element"},
    /* Small enough for changes that a wrong kernel is tried with. */
    {"coherent", "mixed-n=4096", "thread_inst_executed / inst_executed >= 16",
     "its warps still have few lanes at work at once: do the lanes of a warp have several kinds of "
     "work, as in mixed?"},
    {"coherent_data", "data-n=4096", "thread_inst_executed / inst_executed >= 16",
     "its warps still have few lanes at work at once: do the lanes of a warp have several kinds of "
     "work, as in mixed_data?"},
    {"coherent_data", "data-n=2^17", "thread_inst_executed / inst_executed >= 16",
     "its warps still have few lanes at work at once: do the lanes of a warp have several kinds of "
     "work, as in mixed_data?"},
    {"coherent_data", "data-n=2^17", "flop_fp32 / flops <= 1.2",
     "it does more than one path's work for an element"},
    {0},
};

const struct lab lab_divergence = {
    .name = "divergence",
    .title = "Divergence: lanes that want different code",
    .bytes_formula = "8 n (12 n where the kind is in the data)",
    .flops_formula = "512 n (256 fused multiply-adds an element)",
    .record_items = "not used",
    .param_name = "paths",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .applies = applies,
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .made = made,
    .term = term,
    .recognise = recognise,
    .extents = "n",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
