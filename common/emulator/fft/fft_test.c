/* fft_test.c - cuFFT's calls against a transform by its definition, on every kind of layout.
 *
 * Where there is a toolkit with NVIDIA's cufft.h, its names and numbers are those tested: ours are
 * compiled into the library.
 */
#include "base/alloc.h"
#include "emulator/base/error.h"
#include "emulator/runtime/warplab.h"
#if __has_include(<cufft.h>)
#include <cufft.h>
#include <cufftXt.h>
#else
#include "cufft_api.h"
cufftResult cufftXtSetCallback(cufftHandle plan, void **routine, int type, void **info);
#endif
#include <criterion/criterion.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) cr_assert_eq((call), 0, "%s", #call)

/* ---- the definition ---- */

struct number {
    double re, im;
};

/* A transform of n[0] x n[1] x n[2] numbers, by three sums; sign -1 forward, 1 inverse. */
static void define(const int n[3], const struct number *x, struct number *y, int sign)
{
    size_t total = (size_t)n[0] * n[1] * n[2];
    struct number *from = xcalloc(total, sizeof(*from)), *to = xcalloc(total, sizeof(*to));

    memcpy(from, x, total * sizeof(*x));
    for (int d = 0; d < 3; d++) {
        size_t inner = d == 0 ? (size_t)n[1] * n[2] : d == 1 ? (size_t)n[2] : 1;

        for (size_t i = 0; i < total; i++) {
            size_t k = i / inner % n[d], first = i - k * inner;

            to[i] = (struct number){0, 0};
            for (size_t j = 0; j < (size_t)n[d]; j++) {
                double turn = sign * 2 * M_PI * (double)(j * k % n[d]) / n[d];
                struct number v = from[first + j * inner];

                to[i].re += v.re * cos(turn) - v.im * sin(turn);
                to[i].im += v.re * sin(turn) + v.im * cos(turn);
            }
        }
        struct number *other = from;
        from = to;
        to = other;
    }
    memcpy(y, from, total * sizeof(*y));
    free(from);
    free(to);
}

/* ---- a case ---- */

struct kase {
    cufftType type;
    int rank, n[3], batch;
    bool in_place, advanced;
    int direction;
};

/* Elements of one side: how many, where, and of how many numbers each. */
struct half {
    int n[3]; /* of the three dimensions, ones first */
    int embed[3], stride, dist;
    bool real;
};

static bool is_double(cufftType t)
{
    return t == CUFFT_Z2Z || t == CUFFT_D2Z || t == CUFFT_Z2D;
}

static bool real_side(cufftType t, bool output)
{
    return output ? t == CUFFT_C2R || t == CUFFT_Z2D : t == CUFFT_R2C || t == CUFFT_D2Z;
}

static struct half half_of(const struct kase *c, bool output)
{
    struct half h = {.n = {1, 1, 1}, .stride = 1, .real = real_side(c->type, output)};
    bool mixed = c->type != CUFFT_C2C && c->type != CUFFT_Z2Z;
    int whole = c->n[c->rank - 1], extra = c->advanced ? 2 : 0;

    for (int d = 0; d < c->rank; d++)
        h.n[3 - c->rank + d] = c->n[d];
    if (mixed && !h.real)
        h.n[2] = whole / 2 + 1;
    memcpy(h.embed, h.n, sizeof(h.n));
    h.embed[2] += extra;
    h.embed[1] += extra / 2;
    if (h.real && c->in_place)
        h.embed[2] = 2 * (whole / 2 + 1 + extra);
    /* a stride on both sides, so that in place no two elements meet that should not */
    h.stride = c->advanced && !(mixed && c->in_place) ? 3 : 1;
    h.dist = h.embed[0] * h.embed[1] * h.embed[2] * h.stride;
    return h;
}

static size_t at(const struct half *h, int batch, size_t i)
{
    size_t z = i % h->n[2], y = i / h->n[2] % h->n[1], x = i / h->n[2] / h->n[1];

    return (size_t)batch * h->dist + ((x * h->embed[1] + y) * h->embed[2] + z) * h->stride;
}

static size_t count(const struct half *h)
{
    return (size_t)h->n[0] * h->n[1] * h->n[2];
}

static size_t bytes_of(const struct kase *c, const struct half *h)
{
    size_t element = (is_double(c->type) ? 8 : 4) * (h->real ? 1 : 2);

    return element * (size_t)h->dist * c->batch;
}

static double number_at(const struct kase *c, const void *raw, size_t i)
{
    return is_double(c->type) ? ((const double *)raw)[i] : ((const float *)raw)[i];
}

static void set(const struct kase *c, void *raw, size_t i, double v)
{
    if (is_double(c->type))
        ((double *)raw)[i] = v;
    else
        ((float *)raw)[i] = (float)v;
}

/* Numbers in [-1, 1], that a float holds. */
static double any_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 16) / 32768 - 1;
}

/* What goes in and what is to come out of one batch, as whole complex arrays. */
static void make_batch(const struct kase *c, uint32_t *state, struct number *in, struct number *out)
{
    struct half side = half_of(c, real_side(c->type, true));
    int whole[3] = {side.n[0], side.n[1], c->n[c->rank - 1]};
    size_t total = (size_t)whole[0] * whole[1] * whole[2];
    bool mixed = c->type != CUFFT_C2C && c->type != CUFFT_Z2Z;

    for (size_t i = 0; i < total; i++)
        in[i] = (struct number){any_number(state), mixed ? 0 : any_number(state)};
    if (!real_side(c->type, true)) {
        define(whole, in, out, c->direction);
        return;
    }
    /* to real numbers: of a spectrum that has them, n times what it came from */
    memcpy(out, in, total * sizeof(*in));
    define(whole, out, in, CUFFT_FORWARD);
    for (size_t i = 0; i < total; i++)
        out[i].re *= (double)total;
}

/* Element i of a side, of the whole array. */
static size_t in_whole(const struct kase *c, const struct half *h, size_t i)
{
    return i / h->n[2] * c->n[c->rank - 1] + i % h->n[2];
}

static cufftHandle plan_of(const struct kase *c, const struct half *in, const struct half *out)
{
    cufftHandle plan;
    int n[3], i[3], o[3];

    for (int d = 0; d < c->rank; d++) {
        n[d] = c->n[d];
        i[d] = in->embed[3 - c->rank + d];
        o[d] = out->embed[3 - c->rank + d];
    }
    if (c->advanced)
        OK(cufftPlanMany(&plan, c->rank, n, i, in->stride, in->dist, o, out->stride, out->dist,
                         c->type, c->batch));
    else if (c->rank == 1)
        OK(cufftPlan1d(&plan, n[0], c->type, c->batch));
    else if (c->batch > 1)
        OK(cufftPlanMany(&plan, c->rank, n, NULL, 7, 7, NULL, 7, 7, c->type, c->batch));
    else if (c->rank == 2)
        OK(cufftPlan2d(&plan, n[0], n[1], c->type));
    else
        OK(cufftPlan3d(&plan, n[0], n[1], n[2], c->type));
    return plan;
}

static cufftResult run(const struct kase *c, cufftHandle plan, void *in, void *out)
{
    switch (c->type) {
    case CUFFT_C2C:
        return cufftExecC2C(plan, in, out, c->direction);
    case CUFFT_Z2Z:
        return cufftExecZ2Z(plan, in, out, c->direction);
    case CUFFT_R2C:
        return cufftExecR2C(plan, in, out);
    case CUFFT_D2Z:
        return cufftExecD2Z(plan, in, out);
    case CUFFT_C2R:
        return cufftExecC2R(plan, in, out);
    default:
        return cufftExecZ2D(plan, in, out);
    }
}

#define UNTOUCHED 77.0 /* what lies where no element is */

struct trial {
    struct kase c;
    struct half in, out;
    size_t total, numbers, bytes; /* elements of the whole array; of the memory of a side */
    struct number *x, *y;         /* by batch: what goes in, what is to come out */
    void *host;
    char what[200];
};

static void describe(struct trial *t)
{
    const struct kase *c = &t->c;

    snprintf(t->what, sizeof(t->what),
             "type %x, %d x %d x %d of rank %d, batch %d,%s%s, direction %d", c->type, c->n[0],
             c->n[1], c->n[2], c->rank, c->batch, c->in_place ? " in place" : "",
             c->advanced ? " strided" : "", c->direction);
}

static struct trial trial_of(const struct kase *c)
{
    struct trial t = {.c = *c, .in = half_of(c, false), .out = half_of(c, true), .total = 1};
    size_t in_bytes = bytes_of(c, &t.in), out_bytes = bytes_of(c, &t.out);

    for (int d = 0; d < c->rank; d++)
        t.total *= (size_t)c->n[d];
    t.bytes = in_bytes > out_bytes ? in_bytes : out_bytes;
    t.numbers = t.bytes / (is_double(c->type) ? 8 : 4);
    t.host = xmalloc(t.bytes);
    t.x = xcalloc(t.total * (size_t)c->batch, sizeof(*t.x));
    t.y = xcalloc(t.total * (size_t)c->batch, sizeof(*t.y));
    describe(&t);
    return t;
}

static void *to_device(const struct trial *t)
{
    void *p;

    OK(cudaMalloc(&p, t->bytes));
    OK(cudaMemcpy(p, t->host, t->bytes, cudaMemcpyHostToDevice));
    return p;
}

static void clear(const struct trial *t)
{
    for (size_t i = 0; i < t->numbers; i++)
        set(&t->c, t->host, i, UNTOUCHED);
}

static void lay_out_input(const struct trial *t)
{
    uint32_t state = 1;

    clear(t);
    for (int b = 0; b < t->c.batch; b++) {
        make_batch(&t->c, &state, t->x + b * t->total, t->y + b * t->total);
        for (size_t i = 0; i < count(&t->in); i++) {
            const struct number *v = &t->x[b * t->total + in_whole(&t->c, &t->in, i)];
            size_t k = at(&t->in, b, i);

            set(&t->c, t->host, t->in.real ? k : 2 * k, v->re);
            if (!t->in.real)
                set(&t->c, t->host, 2 * k + 1, v->im);
        }
    }
}

/* A number of the result, which is then set aside. */
static void same(const struct trial *t, int batch, size_t element, size_t i, double want)
{
    /* what comes back to real numbers is n times as large */
    double most = (double)t->total * (real_side(t->c.type, true) ? (double)t->total : 1);
    double got = number_at(&t->c, t->host, i);

    cr_assert(fabs(got - want) <= (is_double(t->c.type) ? 1e-14 : 3e-7) * most,
              "%s: batch %d, element %zu: %g not %g", t->what, batch, element, got, want);
    set(&t->c, t->host, i, UNTOUCHED);
}

static void compare(const struct trial *t)
{
    for (int b = 0; b < t->c.batch; b++)
        for (size_t i = 0; i < count(&t->out); i++) {
            const struct number *v = &t->y[b * t->total + in_whole(&t->c, &t->out, i)];
            size_t k = at(&t->out, b, i);

            same(t, b, i, t->out.real ? k : 2 * k, v->re);
            if (!t->out.real)
                same(t, b, i, 2 * k + 1, v->im);
        }
    for (size_t i = 0; !t->c.in_place && i < t->numbers; i++)
        cr_assert(number_at(&t->c, t->host, i) == UNTOUCHED,
                  "%s: number %zu is of no element and was written", t->what, i);
}

/* The same transform, asked for by the data types of its sides. */
static cufftHandle xt_plan_of(const struct kase *c, const struct half *in, const struct half *out)
{
    cudaDataType complex = is_double(c->type) ? CUDA_C_64F : CUDA_C_32F;
    cudaDataType real = is_double(c->type) ? CUDA_R_64F : CUDA_R_32F;
    cudaDataType from = in->real ? real : complex, to = out->real ? real : complex;
    long long n[3], i[3], o[3];
    size_t size, same_size;
    cufftHandle plan;

    for (int d = 0; d < c->rank; d++) {
        n[d] = c->n[d];
        i[d] = in->embed[3 - c->rank + d];
        o[d] = out->embed[3 - c->rank + d];
    }
    OK(cufftCreate(&plan));
    OK(cufftXtGetSizeMany(plan, c->rank, n, i, in->stride, in->dist, from, o, out->stride,
                          out->dist, to, c->batch, &size, complex));
    OK(cufftXtMakePlanMany(plan, c->rank, n, i, in->stride, in->dist, from, o, out->stride,
                           out->dist, to, c->batch, &same_size, complex));
    cr_assert_eq(size, same_size);
    return plan;
}

static void try_plan(struct kase c, bool xt)
{
    struct trial t = trial_of(&c);
    cufftHandle plan = (xt ? xt_plan_of : plan_of)(&c, &t.in, &t.out);

    lay_out_input(&t);
    void *from = to_device(&t), *to = from;
    if (!c.in_place) {
        clear(&t);
        to = to_device(&t);
    }
    cr_assert_eq(xt ? cufftXtExec(plan, from, to, c.direction) : run(&c, plan, from, to),
                 CUFFT_SUCCESS, "%s", t.what);
    OK(cufftDestroy(plan));
    OK(cudaMemcpy(t.host, to, t.bytes, cudaMemcpyDeviceToHost));
    compare(&t);
    OK(cudaFree(from));
    if (to != from)
        OK(cudaFree(to));
    free(t.host);
    free(t.x);
    free(t.y);
}

static void try(struct kase c)
{
    try_plan(c, false);
}

static const cufftType types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};

/* Every type, place and layout; both directions where there are two. */
static void try_all(int rank, int x, int y, int z, int batch)
{
    for (size_t t = 0; t < 6; t++)
        for (int in_place = 0; in_place < 2; in_place++)
            for (int advanced = 0; advanced < 2; advanced++) {
                struct kase c = {types[t], rank,          {x, y, z},    batch,
                                 in_place, advanced != 0, CUFFT_FORWARD};

                try(c);
                c.direction = CUFFT_INVERSE;
                if (c.type == CUFFT_C2C || c.type == CUFFT_Z2Z)
                    try(c);
            }
}

Test(cufft, of_one_dimension)
{
    /* ones, primes, their powers and products; beyond 31 a prime is done another way */
    static const int lengths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   12,  16, 25,
                                  27, 30, 31, 32, 37, 62, 64, 74, 121, 128, 211};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
        try_all(1, lengths[i], 1, 1, i % 2 ? 1 : 3);
}

Test(cufft, of_two_dimensions)
{
    static const int shapes[][2] = {{1, 1}, {4, 4}, {8, 6},  {5, 7},
                                    {1, 9}, {9, 1}, {37, 4}, {2, 41}};

    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        try_all(2, shapes[i][0], shapes[i][1], 1, i % 3 ? 1 : 2);
}

Test(cufft, of_three_dimensions)
{
    static const int shapes[][3] = {{1, 1, 1}, {2, 3, 4}, {5, 4, 3}, {4, 1, 6}, {3, 37, 2}};

    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        try_all(3, shapes[i][0], shapes[i][1], shapes[i][2], i % 2 ? 2 : 1);
}

Test(cufft, of_many_elements)
{
    try((struct kase){CUFFT_C2C, 1, {4096, 1, 1}, 1, false, false, CUFFT_FORWARD});
    try((struct kase){CUFFT_Z2Z, 1, {4093, 1, 1}, 1, true, false, CUFFT_INVERSE});
    try((struct kase){CUFFT_R2C, 2, {96, 100, 1}, 1, true, false, CUFFT_FORWARD});
}

/* ---- beside the numbers ---- */

#define N 8

static cufftHandle plan;
static float *data;

static void set_up(void)
{
    static float zero[2 * N];

    OK(cudaMalloc((void **)&data, sizeof(zero)));
    OK(cudaMemcpy(data, zero, sizeof(zero), cudaMemcpyHostToDevice));
    OK(cufftPlan1d(&plan, N, CUFFT_C2C, 1));
}

static void quiet(void)
{
    warplabSetQuiet(2);
    set_up();
}

Test(cufft, refuses_what_makes_no_plan, .init = quiet)
{
    int n[3] = {4, 0, 4};
    cufftHandle p;
    size_t size;

    cr_expect_eq(cufftPlan1d(&p, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
    cr_expect_eq(cufftPlan1d(&p, -5, CUFFT_R2C, 1), CUFFT_INVALID_SIZE);
    cr_expect_eq(cufftPlan1d(&p, 8, CUFFT_C2C, 0), CUFFT_INVALID_SIZE);
    cr_expect_eq(cufftPlan2d(&p, 8, 0, CUFFT_C2C), CUFFT_INVALID_SIZE);
    cr_expect_eq(cufftPlan3d(&p, 1 << 30, 1 << 30, 1 << 30, CUFFT_Z2Z), CUFFT_INVALID_SIZE);
    cr_expect_eq(cufftPlan2d(&p, 1 << 20, 1 << 20, CUFFT_C2C), CUFFT_ALLOC_FAILED);
    cr_expect_eq(cufftPlan1d(&p, 8, (cufftType)1, 1), CUFFT_INVALID_TYPE);
    cr_expect_eq(cufftPlan1d(NULL, 8, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
    cr_expect_eq(cufftPlanMany(&p, 3, n, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
    cr_expect_eq(cufftPlanMany(&p, 4, n, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1),
                 CUFFT_INVALID_VALUE);
    n[1] = 4;
    cr_expect_eq(cufftPlanMany(&p, 2, n, n, 1, 16, NULL, 1, 16, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
    cr_expect_eq(cufftPlanMany(&p, 2, n, NULL, 1, 16, n, 1, 16, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
    cr_expect_str_eq(emu_error_text(),
                     "cufftPlanMany: onembed is given and inembed is NULL: both, or neither");
    cr_expect_eq(cufftEstimate1d(0, CUFFT_C2C, 1, &size), CUFFT_INVALID_SIZE);
    cr_expect_eq(cufftGetProperty((libraryPropertyType)9, n), CUFFT_INVALID_TYPE);
    OK(cufftCreate(&p));
    cr_expect_eq(cufftGetSize(p, &size), CUFFT_INVALID_PLAN);
    OK(cufftMakePlan1d(p, 8, CUFFT_C2C, 1, &size));
    cr_expect_eq(size, 64);
    cr_expect_eq(cufftMakePlan1d(p, 8, CUFFT_C2C, 1, &size), CUFFT_INVALID_PLAN);
    OK(cufftDestroy(p));
    cr_expect_eq(cufftDestroy(p), CUFFT_INVALID_PLAN);
    cr_expect_eq(cufftDestroy(-1), CUFFT_INVALID_PLAN);
}

Test(cufft, refuses_what_the_plan_is_not_for, .init = quiet)
{
    cufftHandle p;

    cr_expect_eq(cufftExecC2C(plan, (void *)data, (void *)data, 0), CUFFT_INVALID_VALUE);
    cr_expect_eq(cufftExecC2C(plan, NULL, (void *)data, CUFFT_FORWARD), CUFFT_INVALID_VALUE);
    cr_expect_eq(cufftExecC2C(plan, (void *)(data + 1), (void *)data, 1), CUFFT_INVALID_VALUE);
    cr_expect_eq(cufftExecC2C(plan, (void *)data, (void *)(data + 1), 1), CUFFT_INVALID_VALUE);
    cr_expect_eq(cufftExecR2C(plan, (void *)data, (void *)data), CUFFT_INVALID_TYPE);
    cr_expect_eq(cufftExecC2C(plan + 9, (void *)data, (void *)data, 1), CUFFT_INVALID_PLAN);
    OK(cufftPlan1d(&p, N / 2, CUFFT_R2C, 1));
    cr_expect_eq(cufftExecR2C(p, (void *)(data + 1), (void *)data), CUFFT_INVALID_VALUE);
    cr_expect_str_eq(emu_error_text(), "cufftExecR2C: data at an address that is no multiple of a "
                                       "complex number's size, 8");
    OK(cufftCreate(&p));
    cr_expect_eq(cufftExecC2C(p, (void *)data, (void *)data, 1), CUFFT_INVALID_PLAN);
    cr_expect_eq(cudaDeviceSynchronize(), cudaSuccess, "none of them is the device's fault");
}

Test(cufft, says_why_it_refuses, .init = quiet)
{
    cufftHandle p;

    cufftPlan2d(&p, 8, 0, CUFFT_C2C);
    cr_expect_str_eq(emu_error_text(),
                     "cufftPlan2d: a transform of 0 elements: there is at least one");
}

Test(cufft, names_what_it_does_not_have, .init = quiet)
{
    cr_expect_eq((int)cufftXtSetCallback(0, NULL, 0, NULL), 16);
    cr_expect_str_eq(emu_error_text(),
                     "cufftXtSetCallback: callbacks: not supported by the emulator");
}

Test(cufft, work_areas_are_given_or_taken, .init = quiet)
{
    size_t free_before, free_now, size, total, estimate;
    cufftHandle p;
    void *area;

    OK(cufftCreate(&p));
    OK(cudaMemGetInfo(&free_before, &total));
    OK(cufftSetAutoAllocation(p, 0));
    OK(cufftMakePlan2d(p, 16, 16, CUFFT_Z2Z, &size));
    cr_expect_eq(size, 16 * 16 * 16);
    OK(cufftEstimate2d(16, 16, CUFFT_Z2Z, &estimate));
    cr_expect_eq(size, estimate);
    OK(cudaMemGetInfo(&free_now, &total));
    cr_expect_eq(free_now, free_before, "nothing was allocated");
    cr_expect_eq(cufftExecZ2Z(p, (void *)data, (void *)data, 1), CUFFT_NO_WORKSPACE);
    OK(cudaMalloc(&area, size));
    OK(cufftSetWorkArea(p, area));
    void *numbers;
    OK(cudaMalloc(&numbers, size));
    OK(cufftExecZ2Z(p, numbers, numbers, 1));
    OK(cudaFree(numbers));
    OK(cudaFree(area));
    OK(cufftDestroy(p));
    OK(cufftPlan2d(&p, 16, 16, CUFFT_D2Z));
    OK(cufftGetSize(p, &size));
    cr_expect_eq(size, 16 * 9 * 16, "half of the last dimension");
    OK(cufftDestroy(p));
    OK(cudaMemGetInfo(&free_now, &total));
    cr_expect_eq(free_now, free_before, "destroyed with the plan");
}

Test(cufft, is_ordered_in_its_stream, .init = quiet)
{
    cudaStream_t stream;
    cudaEvent_t before, after;
    float ms, on_stream;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&after));
    OK(cufftSetStream(plan, stream));
    OK(cudaEventRecord(before, stream));
    OK(cudaEventRecord(after, stream));
    OK(cudaEventElapsedTime(&ms, before, after));
    OK(cudaEventRecord(before, stream));
    OK(cufftExecC2C(plan, (void *)data, (void *)data, CUFFT_FORWARD));
    OK(cudaEventRecord(after, stream));
    OK(cudaEventElapsedTime(&on_stream, before, after));
    cr_expect_gt(on_stream, ms, "the transform takes its time there");
    OK(cudaStreamDestroy(stream));
    cr_expect_eq(cufftExecC2C(plan, (void *)data, (void *)data, 1), CUFFT_EXEC_FAILED);
}

Test(cufft, tells_a_bad_address_as_a_kernel_does, .init = quiet)
{
    OK(cudaFree(data));
    OK(cufftExecC2C(plan, (void *)data, (void *)data, CUFFT_FORWARD));
    cr_expect_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_assert_eq(warplabFindingCount(), 1);
    cr_expect(strstr(warplabFinding(0), "cufftExecC2C reads 8 bytes at "), "%s", warplabFinding(0));
    cr_expect(strstr(warplabFinding(0), "a freed 64-byte block"), "%s", warplabFinding(0));
    cr_expect_eq(cufftExecC2C(plan, (void *)data, (void *)data, 1), CUFFT_EXEC_FAILED);
}

Test(cufft, tells_where_an_array_ends, .init = quiet)
{
    cufftHandle p;

    OK(cufftPlan1d(&p, N, CUFFT_C2C, 2));
    OK(cufftExecC2C(p, (void *)data, (void *)data, CUFFT_FORWARD));
    cr_expect_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_expect(strstr(warplabFinding(0), "0 bytes after a 64-byte block"), "%s", warplabFinding(0));
}

Test(cufft, finds_what_nobody_wrote, .init = quiet)
{
    static float zero[N];
    float *other;

    warplabSetCheck(1);
    OK(cudaMalloc((void **)&other, 2 * sizeof(zero)));
    OK(cudaMemcpy(other, zero, sizeof(zero), cudaMemcpyHostToDevice));
    OK(cufftExecC2C(plan, (void *)data, (void *)data, CUFFT_FORWARD));
    cr_assert_eq(warplabFindingCount(), 0, "written before the checks");
    OK(cufftExecC2C(plan, (void *)other, (void *)data, CUFFT_FORWARD));
    cr_assert_eq(warplabFindingCount(), 1);
    cr_expect(strstr(warplabFinding(0), "uninitialised-read"), "%s", warplabFinding(0));
    cr_expect(strstr(warplabFinding(0), "byte 32 of a 64-byte block"), "%s", warplabFinding(0));
    OK(cufftExecC2C(plan, (void *)data, (void *)other, CUFFT_FORWARD));
    OK(cufftExecC2C(plan, (void *)other, (void *)other, CUFFT_FORWARD));
    cr_expect_eq(warplabFindingCount(), 1, "a transform wrote it");
    OK(cudaDeviceSynchronize());
}

Test(cufft, data_types_say_which_transform)
{
    static const cufftType types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R,
                                      CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};
    for (int k = 0; k < 6; k++) {
        int direction = real_side(types[k], true) ? CUFFT_INVERSE : CUFFT_FORWARD;

        try_plan((struct kase){types[k], 2, {6, 5}, 3, .direction = direction}, true);
    }
    long long n = 8;
    size_t size;
    cufftHandle plan;
    OK(cufftCreate(&plan));
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_expect_eq(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 8, CUDA_C_16F, NULL, 1, 8, CUDA_C_16F, 1,
                                     &size, CUDA_C_16F),
                 CUFFT_NOT_SUPPORTED);
}
