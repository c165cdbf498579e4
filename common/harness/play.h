/* play.h - for tests: a lab of one kernel, whose body and function the test chooses.
 *
 *     kernel(const T *a, const T *b, T *out, unsigned n), one block of n threads, thread t
 *
 * The function is the case's op: what out should be of a and b.
 */
#ifndef HARNESS_PLAY_H
#define HARNESS_PLAY_H

#include "compile.h"
#include "experiment.h"
#include "base/alloc.h"
#include "base/file.h"
#include "lab/dtype.h"
#include "lab/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* TRIANGLE: element i is added i + 5 times. TOLD: a sum of which only play_recognise() can tell. */
enum function { SUM, TRIANGLE, COPY, PRODUCT, LEAST, GREATEST, SQUARES, TOLD };
enum { A, B, OUT };

static inline bool play_plan(const struct lab_variant *v, const struct lab_case *c,
                             const struct launch_record *r, const struct device_limits *d,
                             struct plan *p, char *err, size_t errsize)
{
    static const char *const names[] = {"a", "b", "out"};
    uint64_t made = c->op == COPY || c->op == SQUARES ? c->n : 1;

    (void)r, (void)d, (void)err, (void)errsize;
    *p = (struct plan){.nbuffers = 3, .nsteps = 1};
    for (int i = 0; i < 3; i++) {
        p->buffers[i] = (struct lab_buffer){.role = i == OUT ? BUF_OUTPUT : BUF_INPUT,
                                            .dtype = c->dtype,
                                            .count = i == OUT ? made : c->n};
        lab_name(p->buffers[i].name, sizeof(p->buffers[i].name), "%s", names[i]);
        p->steps[0].args[i] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = i};
    }
    lab_name(p->steps[0].kernel, sizeof(p->steps[0].kernel), "%s", v->name);
    p->steps[0].args[3] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)c->n};
    p->steps[0].nargs = 4;
    for (int k = 0; k < 3; k++) {
        p->steps[0].grid[k] = 1;
        p->steps[0].block[k] = k ? 1 : (uint32_t)c->n;
    }
    return true;
}

static inline void play_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                              void *data)
{
    for (uint64_t i = 0; i < p->buffers[b].count; i++)
        dtype_set(c->dtype, data, i, (double)(random_u64(seed + (uint64_t)b, i) % 100));
}

static inline void play_reference(const struct plan *p, const struct lab_variant *v,
                                  const struct lab_case *c, const void *const *inputs,
                                  void **expected, double **tolerance)
{
    double all = c->op == LEAST ? 1e9 : c->op == GREATEST ? -1e9 : 0;

    (void)p, (void)v, (void)tolerance;
    for (uint64_t i = 0; i < c->n; i++) {
        double a = dtype_get(c->dtype, inputs[A], i), b = dtype_get(c->dtype, inputs[B], i);

        if (c->op == COPY || c->op == SQUARES)
            dtype_set(c->dtype, expected[OUT], i, c->op == COPY ? a : a * a + b);
        else if (c->op == LEAST || c->op == GREATEST)
            all = (c->op == LEAST ? a < all : a > all) ? a : all;
        else
            all += c->op == SUM || c->op == TOLD ? a
                   : c->op == TRIANGLE           ? (double)(i + 5) * a
                                                 : a * b;
    }
    if (c->op != COPY && c->op != SQUARES)
        dtype_set(c->dtype, expected[OUT], 0, all);
}

static inline enum lab_made play_made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v;
    return c->op == TOLD       ? MADE_UNKNOWN
           : c->op == SQUARES  ? MADE_OTHERWISE
           : c->op == LEAST    ? MADE_MIN
           : c->op == GREATEST ? MADE_MAX
                               : MADE_SUM;
}

static inline bool play_term(const struct plan *p, const struct lab_variant *v,
                             const struct lab_case *c, uint64_t element, uint64_t t,
                             struct lab_term *out)
{
    bool each = c->op == COPY || c->op == SQUARES;

    (void)p, (void)v;
    *out = (struct lab_term){.times = c->op == TRIANGLE ? (double)(t + 5) : 1,
                             .nfactors = 1,
                             .factor = {{A, each ? element : t}}};
    if (c->op == PRODUCT) {
        out->nfactors = 2;
        out->factor[1] = (struct lab_factor){B, t};
    }
    if (c->op == SQUARES)
        out->factor[0].buffer = t ? B : A;
    return t < (c->op == COPY ? 1 : c->op == SQUARES ? 2 : c->n);
}

static inline bool play_recognise(const struct plan *p, const struct lab_variant *v,
                                  const struct lab_case *c, const void *const *inputs, int b,
                                  const void *output, uint64_t element, char *words, size_t size)
{
    double first = dtype_get(c->dtype, inputs[A], 0);

    (void)p, (void)v, (void)b;
    snprintf(words, size, "a[0] alone, %.9g", first);
    return c->op == TOLD && dtype_get(c->dtype, output, element) == first;
}

static const struct lab_variant play_variant = {.name = "kernel", .record = {.block_x = 64}};
static const struct lab play_lab = {.name = "play",
                                    .variants = &play_variant,
                                    .nvariants = 1,
                                    .plan = play_plan,
                                    .make_input = play_input,
                                    .reference = play_reference,
                                    .made = play_made,
                                    .term = play_term,
                                    .recognise = play_recognise,
                                    .extents = "n"};
static const struct machine play_machine = {.emulator = true,
                                            .limits = {.sms = 132,
                                                       .max_threads_per_block = 1024,
                                                       .max_threads_per_sm = 2048,
                                                       .shared_per_block = 48 << 10,
                                                       .cc = 90},
                                            .memory_bytes = 1 << 30};
static struct module play_module;
static struct verify play_verify = {
    .lab = &play_lab, .machine = &play_machine, .module = &play_module, .seed = 3};
static int play_recovered; /* errors that the experiment was recovered from */

static inline void play_recover(void *user, cudaError_t e)
{
    (void)user, (void)e;
    play_recovered++;
}

static inline struct lab_case play_case(enum function f, enum dtype dtype, uint64_t n)
{
    return (struct lab_case){.name = "play", .n = n, .dtype = dtype, .op = f};
}

/* Compiles and loads it. */
static inline struct experiment play_open(enum dtype dtype, const char *body)
{
    struct compile_request r = {.arch = EMULATOR_ARCH, .toolkit = CUDA_INCLUDE};
    const char *type = dtype == DT_I32 ? "int" : "float";
    char path[] = "/tmp/play_test_XXXXXX";
    struct compiled c;
    struct text why = {0};
    char *source = xformat("extern \"C\" __global__ void kernel(const %s *a, const %s *b, %s *out, "
                           "unsigned n)\n{ unsigned t = threadIdx.x; %s }\n",
                           type, type, type, body);

    close(mkstemp(path));
    cr_assert(file_save(path, source, strlen(source), &why), "%s", text_str(&why));
    r.path = path;
    cr_assert(compile_cuda(&r, &c), "%s", c.log);
    unlink(path);
    module_unload(&play_module);
    cr_assert(module_load(&play_module, "play.cu", c.image, c.size, &why), "%s", text_str(&why));
    compiled_free(&c);
    free(source);
    play_recovered = 0;
    return (struct experiment){.verify = &play_verify,
                               .variant = &play_variant,
                               .record = play_variant.record,
                               .recover = play_recover,
                               .runs = 1000,
                               .instructions = 1 << 20,
                               .steps = 1 << 16};
}

#endif
