/* harness.c - the coalescing lab: variants, cases, CPU reference, launch plan.
 *
 * Four experiments share the lab; a case's `op` says which one it belongs to, and only the
 * variants of that experiment run on it. Bytes are the useful ones, so GB/s is what the
 * program gets of the memory's bandwidth, whatever else the memory had to move.
 */
#include "lab/lab.h"
#include "lab/random.h"
#include "lab/special.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum experiment { STRIDE, OFFSET, ENERGY, TRANSPOSE };
enum { IN, OUT, NBUFFERS };
enum { TILE = 32, FIELDS = 8, FIELDS_USED = 4 };

/* Flags of variants: the experiment, and how particles are laid out. */
enum { EXPERIMENT = 15, SOA = 16 };

#define FLAT .record = {.block_x = 256, .block_y = 1}
#define TILE_SHAPE                                                                                 \
    .has_record = true, .record = {.block_x = TILE, .block_y = 8}, .min = {.block_y = 1},          \
    .max = {.block_y = 32, .shared_bytes = 48 << 10}
#define MANY_EACH(x, n)                                                                            \
    .has_record = true, .optional = true, .record = {.block_x = x, .block_y = 1, .items = n},      \
    .min = {.block_x = 1, .items = 1}, .max = {.block_x = 1024, .items = 128}

/* clang-format off */
static const struct lab_variant variants[] = {
    {.name = "strided_copy", .number = "1", .what = "copy, elements `stride` apart", FLAT, .flags = STRIDE},
    {.name = "offset_copy", .number = "2", .what = "copy, shifted by `offset`", FLAT, .flags = OFFSET},
    {.name = "copy_four", .number = "2b", .what = "the same, four elements a thread", MANY_EACH(256, 4), .flags = OFFSET},
    {.name = "energy_aos", .number = "3", .what = "array of structures", FLAT, .flags = ENERGY},
    {.name = "energy_soa", .number = "4", .what = "structure of arrays", FLAT, .flags = ENERGY | SOA},
    {.name = "energy_aos_vec", .number = "5", .what = "array of structures, 16-byte loads", FLAT, .flags = ENERGY},
    {.name = "transpose_naive", .number = "6", .what = "transpose, element by element", TILE_SHAPE, .flags = TRANSPOSE},
    {.name = "transpose_shared", .number = "7", .what = "transpose through shared memory", TILE_SHAPE, .flags = TRANSPOSE},
    {.name = "transpose_vec", .number = "8", .what = "the same, 16 bytes at a time", MANY_EACH(256, 64), .flags = TRANSPOSE},
};

/* Lengths for strides are primes, so that every stride reaches every element once. On the
 * emulator counts are exact at any length; a GPU needs more data than its L2 holds. */
enum { PRIME_CHECK = 4093, PRIME_SMALL = 2097143, PRIME_LARGE = 33554393 };
#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define LARGE CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define COPY(what, id, p, length, flag) {.name = what #p id, .n = length, .param = p, .dtype = DT_F32, .op = STRIDE, .flags = flag}
#define STRIDE_OF(p) COPY("stride=", "", p, PRIME_SMALL, SMALL), COPY("stride=", "-n=2^25", p, PRIME_LARGE, LARGE)
#define SHIFT(id, p, length, flag) {.name = "offset=" #p id, .n = length, .param = p, .dtype = DT_F32, .op = OFFSET, .flags = flag}
#define OFFSET_OF(p) SHIFT("", p, 1 << 21, SMALL), SHIFT("-n=2^25", p, 1 << 25, LARGE)
#define PARTICLES(id, length, flag) {.name = id, .n = length, .dtype = DT_F32, .op = ENERGY, .flags = flag}
#define MATRIX(id, w, h, flag) {.name = id, .n = w, .m = h, .dtype = DT_F32, .op = TRANSPOSE, .flags = flag}

static const struct lab_case cases[] = {
    COPY("short-stride=", "", 1, 1, CHECK),
    COPY("short-stride=", "", 7, PRIME_CHECK, CHECK),
    STRIDE_OF(1), STRIDE_OF(2), STRIDE_OF(4), STRIDE_OF(8), STRIDE_OF(16), STRIDE_OF(32),
    STRIDE_OF(3), STRIDE_OF(5), STRIDE_OF(7), STRIDE_OF(9), STRIDE_OF(17), STRIDE_OF(31), STRIDE_OF(33),

    SHIFT("-n=1000", 3, 1000, CHECK),
    SHIFT("-n=5003", 3, 5003, CHECK), /* several blocks, and a part of one */
    OFFSET_OF(0), OFFSET_OF(1), OFFSET_OF(2), OFFSET_OF(4), OFFSET_OF(8), OFFSET_OF(16), OFFSET_OF(31), OFFSET_OF(32),

    PARTICLES("particles=0", 0, CHECK),
    PARTICLES("particles=1", 1, CHECK),
    PARTICLES("particles=1000", 1000, CHECK),
    PARTICLES("particles-special", 1003, CHECK | CASE_SPECIAL),
    PARTICLES("particles=2^20", 1 << 20, SMALL),
    PARTICLES("particles=2^22", 1 << 22, LARGE),

    MATRIX("1x1", 1, 1, CHECK),
    MATRIX("33x31", 33, 31, CHECK),
    MATRIX("1000x1", 1000, 1, CHECK),
    MATRIX("100x333", 100, 333, CHECK),
    MATRIX("68x36", 68, 36, CHECK), /* multiples of 4, as the large ones: rows start on 16 bytes */
    MATRIX("2048x1024", 2048, 1024, SMALL),
    MATRIX("8192x4096", 8192, 4096, LARGE),
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

static uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

static struct plan_arg u32_arg(uint64_t x)
{
    return (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)x};
}

/* One launch, called (in, out, n) or (in, out, n, stride | offset | height). A record's items is
 * how many elements a thread copies, or the side of the tile that a block turns. */
static void plan_step(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const struct launch_record *r)
{
    struct plan_step *s = &p->steps[p->nsteps++];
    bool turns = experiment_of(c) == TRANSPOSE;
    uint64_t each = r->items ? r->items
                    : turns  ? TILE
                             : 1,
             a_block = turns ? each : each * r->block_x;

    lab_name(s->kernel, sizeof(s->kernel), "%s", v->name);
    s->block[0] = r->block_x;
    s->block[1] = r->block_y;
    s->block[2] = s->grid[1] = s->grid[2] = 1;
    s->shared_bytes = r->shared_bytes;
    s->grid[0] = c->n ? ceil_div(c->n, a_block) : 1;
    s->nargs = 3;
    s->args[0] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = IN};
    s->args[1] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = OUT};
    s->args[2] = u32_arg(c->n);
    if (turns) {
        s->grid[1] = c->m ? ceil_div(c->m, a_block) : 1;
        s->args[s->nargs++] = u32_arg(c->m);
    } else if (experiment_of(c) != ENERGY) {
        s->args[s->nargs++] = u32_arg((uint64_t)c->param);
    }
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    return b ? gcd(b, a % b) : a;
}

static bool case_is_usable(const struct lab_case *c, uint64_t count, char *err, size_t errsize)
{
    if (c->dtype != DT_F32)
        snprintf(err, errsize, "%s: this lab's kernels are for f32", c->name);
    else if (c->param < 0 ||
             (experiment_of(c) == STRIDE ? count * (uint64_t)c->param : count) >> 32)
        snprintf(err, errsize, "%s: too large for this lab's 32-bit indices", c->name);
    else if (experiment_of(c) == STRIDE && c->n > 1 && gcd(c->n, (uint64_t)c->param) != 1)
        snprintf(err, errsize,
                 "%s: n and the stride share a factor, so some elements would be copied twice and "
                 "others never: take a prime n, 2097143 or 33554393",
                 c->name);
    else
        return true;
    return false;
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    static const double useful[] = {[STRIDE] = 8, [OFFSET] = 8, [ENERGY] = 20, [TRANSPOSE] = 8};
    uint64_t count = experiment_of(c) == TRANSPOSE ? c->n * c->m : c->n;

    if (r->block_x * r->block_y == 0 || r->block_x * r->block_y > d->max_threads_per_block) {
        snprintf(err, errsize, "%s: a block of %u x %u threads; this device allows 1 to %u in all",
                 v->name, r->block_x, r->block_y, d->max_threads_per_block);
        return false;
    }
    if (!case_is_usable(c, count, err, errsize))
        return false;
    memset(p, 0, sizeof(*p));
    p->nbuffers = NBUFFERS;
    p->buffers[IN] = (struct lab_buffer){.name = "in", .dtype = DT_F32, .count = count};
    p->buffers[OUT] =
        (struct lab_buffer){.name = "out", .role = BUF_OUTPUT, .dtype = DT_F32, .count = count};
    if (experiment_of(c) == ENERGY)
        p->buffers[IN].count *= FIELDS;
    if (experiment_of(c) == OFFSET)
        p->buffers[IN].count += (uint64_t)c->param;
    p->bytes = useful[c->op] * (double)count;
    plan_step(p, v, c, r);
    return true;
}

/* Positive, from LEAST to MOST: no energy is near 0. How large each is is drawn, too, so that no
 * bit of it can be known. Those of special cases are of any sign and size. */
#define LEAST_EXPONENT (-4)
#define EXPONENTS      8
#define LEAST          0.0625 /* 2^LEAST_EXPONENT */
#define MOST           16.0
/* Pairs of numbers, a vector's worth at once where the processor multiplies 64 bits so. */
#if defined(__x86_64__) && !defined(WITH_ASAN)
__attribute__((target_clones("arch=x86-64-v4", "default")))
#endif
__attribute__((optimize("O3"))) static void
fill(uint64_t *pairs, uint64_t seed, uint64_t n)
{
    enum { BIAS = 127, MANTISSA = 23 };
    const uint64_t both = 0x100000001u;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = random_u64(seed, i);
        pairs[i] = (r >> (32 - MANTISSA) & ((1u << MANTISSA) - 1) * both) |
                   ((r & (EXPONENTS - 1) * both) + (BIAS + LEAST_EXPONENT) * both) << MANTISSA;
    }
}

/* A particle at rest, in either layout. */
static void add_rest(uint64_t particle, uint64_t n, float *data)
{
    for (uint64_t f = 0; f < 3; f++)
        data[particle * FIELDS + f] = data[f * n + particle] = 0;
}

/* Of energies numbers of either sign, and all of another size: none of their products leaves the
 * range of f32. They get no finite number whose square overflows, and infinities or subnormal
 * numbers: where a product of both stops being a number depends on the order of the factors. */
static void add_special_energies(const struct lab_case *c, uint64_t seed, uint64_t n, float *data)
{
    enum { STRETCH = 1 << 13 };
    uint64_t r = random_u64(seed, n), length = n < STRETCH ? n : STRETCH;
    float size = ldexpf(1, (int)(r >> 32 & 63) - 32), *first = data + r % (n - length + 1);
    unsigned tiny_or_infinite = c->n % 2 ? SPECIAL_TINY : SPECIAL_INFINITE;

    for (uint64_t i = 0; i < n; i++)
        data[i] *= random_u64(~seed, i / 64) >> i % 64 & 1 ? -size : size;
    special_sprinkle(DT_F32, SPECIAL_ALL & ~tiny_or_infinite, seed, length, first);
    for (uint64_t i = 0; i < length; i++)
        first[i] *= isfinite(first[i]) && fabsf(first[i]) > 0x1p100f ? 0x1p-90f : 1;
    add_rest(r % c->n, c->n, data);
}

/* Of copies any bits at all, and of a stretch that begins anywhere numbers of all sizes: of
 * millions those would take longer than the kernel. */
static void make_special(const struct lab_case *c, uint64_t seed, uint64_t n, float *data)
{
    enum { STRETCH = 1 << 13 };
    uint64_t r = random_u64(seed, n), length = n < STRETCH ? n : STRETCH;

    if (experiment_of(c) == ENERGY) {
        add_special_energies(c, seed, n, data);
        return;
    }
    for (uint64_t i = 0; i < n; i += 2) {
        uint64_t bits = random_u64(seed, i);

        memcpy(data + i, &bits, i + 1 < n ? sizeof(bits) : sizeof(*data));
    }
    special_fill(DT_F32, seed, length, data + r % (n - length + 1));
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t n = p->buffers[b].count, last;

    fill(data, seed, n / 2);
    if (n % 2) {
        fill(&last, random_u64(seed, 0), 1);
        memcpy((uint32_t *)data + n - 1, &last, sizeof(uint32_t));
    }
    if (n && c->flags & CASE_SPECIAL)
        make_special(c, seed, n, data);
}

/* Five roundings, none of which can cancel, for each energy: 6 u relative leaves one to spare,
 * u = 2^-24. What is lost below the least normal number is a unit there, times the other factor. */
static void reference_energy(const struct lab_case *c, bool soa, const float *in, float *out,
                             double *tolerance)
{
    uint64_t next = soa ? 1 : FIELDS, field = soa ? c->n : 1;

    for (uint64_t i = 0; i < c->n; i++) {
        double squares = 0, mass = (double)in[i * next + 3 * field], sum;

        if (!lab_asks(c, OUT, i))
            continue;
        for (unsigned f = 0; f < 3; f++)
            squares += (double)in[i * next + f * field] * (double)in[i * next + f * field];
        sum = squares * 0.5 * mass;
        out[i] = (float)sum;
        tolerance[i] =
            isfinite(sum) ? 6 * 0x1p-24 * fabs(sum) + 4 * 0x1p-149 * (1 + squares + fabs(mass)) : 0;
    }
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    const float *in = inputs[IN];
    float *out = expected[OUT];
    uint64_t n = p->buffers[OUT].count;

    if (experiment_of(c) == ENERGY) {
        reference_energy(c, v->flags & SOA, in, out, tolerance[OUT]);
        return;
    }
    if (tolerance)
        tolerance[OUT] = NULL; /* a copy */
    if (experiment_of(c) == TRANSPOSE) {
        for (uint64_t y = 0; y < c->m; y++)
            for (uint64_t x = 0; x < c->n; x++)
                out[x * c->m + y] = in[y * c->n + x];
        return;
    }
    memcpy(out, in + (experiment_of(c) == OFFSET ? c->param : 0), n * sizeof(*out));
}

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v;
    return experiment_of(c) == ENERGY ? MADE_OTHERWISE : MADE_SUM;
}

/* Copies are of one element, energies of four fields. */
static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    uint64_t at = element;

    (void)p;
    if (experiment_of(c) == OFFSET)
        at += (uint64_t)c->param;
    else if (experiment_of(c) == TRANSPOSE)
        at = element % c->m * c->n + element / c->m;
    else if (experiment_of(c) == ENERGY)
        at = v->flags & SOA ? t * c->n + element : element * FIELDS + t;
    *out = (struct lab_term){.times = 1, .nfactors = 1, .factor = {{IN, at}}};
    return t < (experiment_of(c) == ENERGY ? FIELDS_USED : 1);
}

/* Fields in other roles: which is taken as x, y and z, and which as the mass. Of a sum of squares
 * it is the mass that matters. */
static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    static const char *const names[FIELDS_USED] = {"vx", "vy", "vz", "mass"};
    const float *in = inputs[IN], *got = output;
    uint64_t next = v->flags & SOA ? 1 : FIELDS, field = v->flags & SOA ? c->n : 1;

    (void)p, (void)b, (void)element;
    for (unsigned mass = 0; mass < 3 && experiment_of(c) == ENERGY; mass++) {
        bool all = c->n > 0;

        for (uint64_t i = 0; i < c->n && all; i++) {
            double sum = 0, last = (double)in[i * next + mass * field];

            for (unsigned f = 0; f < FIELDS_USED; f++) {
                double part = (double)in[i * next + f * field];

                sum += f == mass ? 0 : part * part;
            }
            all = fabs(got[i] - 0.5 * last * sum) <= 1e-6 * last * sum;
        }
        if (!all)
            continue;
        snprintf(
            words, size,
            "what it would be if field %u (%s) were the mass and field 3 one of the three that "
            "are squared; so is all of out",
            mass, names[mass]);
        return true;
    }
    return false;
}

static uint64_t row(const struct plan *p, const struct lab_case *c, int b)
{
    (void)p;
    return experiment_of(c) != TRANSPOSE ? 0 : b == IN ? c->n : c->m;
}

static const struct lab_column columns[] = {
    {"sectors", "a load", "global_ld_sectors/global_ld_requests"},
    {"sectors", "a store", "global_st_sectors/global_st_requests"},
    {"wavefr.", "a load", "shared_ld_wavefronts/shared_ld_requests"},
    {0},
};

#define PER_LOAD  "global_ld_sectors/global_ld_requests"
#define PER_STORE "global_st_sectors/global_st_requests"
#define SECTORS   "sectors a load touches: "
static const struct lab_prediction predictions[] = {
    {"stride_1", SECTORS "copy with stride 1", PER_LOAD, "strided_copy", "stride=1", 0.05},
    {"stride_2", SECTORS "copy with stride 2", PER_LOAD, "strided_copy", "stride=2", 0.05},
    {"stride_8", SECTORS "copy with stride 8", PER_LOAD, "strided_copy", "stride=8", 0.05},
    {"stride_33", SECTORS "copy with stride 33", PER_LOAD, "strided_copy", "stride=33", 0.05},
    {"offset_1", SECTORS "copy from 1 element on", PER_LOAD, "offset_copy", "offset=1", 0.05},
    {"offset_8", SECTORS "copy from 8 elements on", PER_LOAD, "offset_copy", "offset=8", 0.05},
    {"aos", SECTORS "a field, array of structures", PER_LOAD, "energy_aos", "particles=2^20", 0.05},
    {"soa", SECTORS "a field, structure of arrays", PER_LOAD, "energy_soa", "particles=2^20", 0.05},
    {"transpose_naive", "sectors a store touches: naive transpose", PER_STORE, "transpose_naive",
     "2048x1024", 0.05},
};

static const struct lab_goal goals[] = {
    {"strided_copy", "stride=32", "global_ld_sectors / global_ld_requests >= 24",
     "neighbouring lanes copy neighbouring elements, and the stride is gone"},
    {"energy_aos_vec", "particles=2^20", "global_ld_bytes / global_ld_requests >= 256",
     "its loads are of 4 bytes a lane"},
    {"energy_aos_vec", "particles=2^20", "global_ld_bytes / n <= 18",
     "it loads more of a particle than the energy needs"},
    {"energy_soa", "particles=2^20", "global_ld_sectors / global_ld_requests <= 16",
     "neighbouring lanes still read distant words"},
    {"transpose_shared", "2048x1024", "global_st_sectors / global_st_requests <= 16",
     "its stores are still spread over rows"},
    {"transpose_shared", "2048x1024", "global_ld_sectors / global_ld_requests <= 16",
     "its loads are spread over rows instead"},
    {"transpose_shared", "2048x1024", "shared_ld_bank_conflicts / shared_ld_requests <= 0.1",
     "its loads from the tile have bank conflicts"},
    {"transpose_shared", "2048x1024", "shared_st_bank_conflicts / shared_st_requests <= 0.1",
     "its stores to the tile have bank conflicts"},
    {0},
};

const struct lab lab_coalescing = {
    .name = "coalescing",
    .title = "Coalescing: the same bytes in different orders",
    .bytes_formula = "useful bytes: 8 n (copies), 20 n (energies), 8 n m (transposes)",
    .param_name = "stride",
    .record_items = "copy_four: elements a thread; transpose_vec: the tile's side",
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
    .row = row,
    .extents = "nm",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
