/* exec_test.c - guards, poison and variables of the module, on the emulator. */
#include "harness/compile.h"
#include "emulator.h"
#include "exec.h"
#include "look.h"
#include "run.h"
#include "base/alloc.h"
#include "base/file.h"
#include "lab/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct lab lab_testlab;

#define N 1000 /* the lab's third case: 8 blocks of 128, 24 threads too many */

static struct module module;
static struct plan plan;
static struct exec ex;

static const char *before = ""; /* the kernel */
static void load(const char *body)
{
    static const struct device_limits limits = {.max_threads_per_block = 1024};
    struct compile_request r = {.arch = "compute_90", .toolkit = CUDA_INCLUDE};
    char path[] = "/tmp/exec_test_XXXXXX", err[500], *source;
    struct compiled c;
    struct text why = {0};

    source = xformat("__constant__ int weight[2];\n%s"
                     "extern \"C\" __global__ void scale(const int *x, int *y, unsigned n)\n"
                     "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; %s }\n",
                     before, body);
    close(mkstemp(path));
    cr_assert(file_save(path, source, strlen(source), &why), "%s", text_str(&why));
    r.path = path;
    cr_assert(compile_cuda(&r, &c), "%s", c.log);
    unlink(path);
    cr_assert(module_load(&module, "test.cu", c.image, c.size, &why), "%s", why.s);
    compiled_free(&c);
    free(source);
    cr_assert(lab_testlab.plan(&lab_testlab.variants[0], &lab_testlab.cases[2],
                               &lab_testlab.variants[0].record, &limits, &plan, err, sizeof(err)));
}

static bool go(const char *body, size_t guard, enum poison poison, int *y)
{
    struct exec_options o = {.guard_bytes = guard, .poison = poison, .seed = 3};
    int x[N] = {0};

    load(body);
    cr_assert(exec_open(&ex, &plan, &module, &o), "%s", ex.message);
    cr_assert(exec_upload(&ex, 0, x) && exec_poison(&ex), "%s", ex.message);
    bool ok = exec_launch(&ex) && exec_finish(&ex);
    if (ok && y)
        cr_assert(exec_download(&ex, 1, y), "%s", ex.message);
    return ok;
}

Test(exec, a_write_past_the_end_breaks_the_guard)
{
    cr_assert_not(go("y[i] = 2 * x[i] + 1;", 4096, POISON_ALL, NULL));
    cr_assert(strstr(ex.message, "wrote outside y: 1 bytes past its end (1000 elements)"), "%s",
              ex.message);
}

Test(exec, a_write_before_the_start_breaks_the_guard)
{
    cr_assert_not(go("if (!i) y[-2] = 1;", 4096, POISON_ALL, NULL));
    cr_assert(strstr(ex.message, "before its start"), "%s", ex.message);
}

Test(exec, an_honest_kernel_passes_with_guards)
{
    int y[N];

    cr_assert(go("if (i < n) y[i] = 2 * x[i] + 1;", 4096, POISON_ALL, y), "%s", ex.message);
    cr_assert_eq(y[N - 1], 1);
}

Test(exec, without_guards_the_emulator_faults)
{
    cr_assert_not(go("y[i] = 2 * x[i] + 1;", 0, POISON_ALL, NULL));
    cr_assert_eq(ex.error, cudaErrorIllegalAddress, "%s", ex.message);
}

Test(exec, nothing_written_is_poison)
{
    unsigned char bytes[N * sizeof(int)];

    cr_assert(go("", 0, POISON_ALL, (int *)bytes), "%s", ex.message);
    for (size_t i = 0; i < sizeof(bytes); i++)
        cr_assert_eq(bytes[i], poison_byte(3));
}

/* Two sets of inputs on one module: each launch sees its own weights. */
Test(exec, variables_are_filled_again_when_inputs_take_turns)
{
    struct exec_options o = {.poison = POISON_ALL, .seed = 3};
    struct exec two[2];
    int x[N] = {0}, weight[2][2] = {{5, 7}, {11, 13}}, y[N];

    load("if (i < n) y[i] = weight[i % 2];");
    plan.buffers[plan.nbuffers++] = (struct lab_buffer){"w", BUF_INPUT, DT_I32, 2, "weight"};
    for (int i = 0; i < 2; i++) {
        cr_assert(exec_open(&two[i], &plan, &module, &o), "%s", two[i].message);
        cr_assert(exec_upload(&two[i], 0, x) && exec_upload(&two[i], 2, weight[i]));
    }
    for (int i = 0; i < 4; i++) {
        struct exec *e = &two[i % 2];

        cr_assert(exec_refill(e) && exec_launch(e) && exec_finish(e), "%s", e->message);
        cr_assert(exec_download(e, 1, y));
        cr_assert(y[0] == weight[i % 2][0] && y[1] == weight[i % 2][1], "%d %d", y[0], y[1]);
    }
    for (int i = 0; i < 2; i++)
        exec_close(&two[i]);
}

/* A case's part of the module's array is one element: behind it nobody has set anything. */
Test(exec, the_rest_of_a_variable_is_no_earlier_case_s)
{
    static const enum poison poisons[] = {POISON_ALL, POISON_OUTPUTS};
    int x[N] = {0}, weight[2] = {5, 7}, y[N], other = 0;

    load("if (i < n) y[i] = weight[i % 2];");
    plan.buffers[plan.nbuffers++] = (struct lab_buffer){"w", BUF_INPUT, DT_I32, 2, "weight"};
    for (uint64_t count = 2; count >= 1; count--) {
        for (int i = 0; i < 2; i++) {
            struct exec_options o = {.poison = poisons[i], .seed = 3};

            plan.buffers[2].count = count;
            memset(&other, i ? 0 : poison_byte(3), sizeof(other));
            cr_assert(exec_open(&ex, &plan, &module, &o), "%s", ex.message);
            cr_assert(exec_upload(&ex, 0, x) && exec_upload(&ex, 2, weight), "%s", ex.message);
            cr_assert(exec_launch(&ex) && exec_finish(&ex) && exec_download(&ex, 1, y));
            cr_expect_eq(y[0], 5);
            cr_expect_eq(y[1], count == 2 ? 7 : other, "%d", y[1]);
            exec_close(&ex);
        }
    }
}

Test(exec, a_changed_input_is_seen)
{
    int x[N] = {0};
    uint64_t at;

    cr_assert(go("if (i == 5) ((int *)x)[i] = 1;", 0, POISON_ALL, NULL), "%s", ex.message);
    cr_assert_not(exec_unchanged(&ex, 0, x, &at));
    cr_assert(strstr(ex.message, "input x at index 5"), "%s", ex.message);
    cr_assert_eq(at, 5);
}

/* The transform of a plane with a single 1 at the corner is 1 everywhere. */
static int32_t error_of(const int *x, unsigned disturb)
{
    struct outputs o;
    struct job j = {.plan = &plan,
                    .inputs = {x},
                    .options = {.steps = 100000, .disturb = disturb, .look = LOOK_APART}};
    run_here(&module, &j, &o);
    int32_t error = o.error;
    outputs_free(&o);
    return error;
}

/* A trial that takes too long leaves the device as it was, and any other run a lost one. */
Test(exec, goes_on_after_a_trial)
{
    int endless[N] = {1}, ends[N] = {0};
    load("if (i < n) { while (*(volatile const int *)x) ; y[i] = x[i]; }");
    for (int d = 0; d < DISTURB_COUNT; d++)
        if (DISTURB_TRIALS >> d & 1) {
            cr_expect_eq(error_of(endless, 1u << d), cudaErrorLaunchTimeout, "%d", d);
            cr_expect_eq(error_of(ends, 0), 0, "%d", d);
        }
    cr_expect_eq(error_of(endless, 1u << DISTURB_one_warp), cudaErrorLaunchTimeout);
    cr_expect_eq(error_of(ends, 0), cudaErrorLaunchTimeout);
}

Test(exec, transforms_with_cufft)
{
    enum { ROWS = 4, COLUMNS = 6, NUMBERS = 2 * ROWS * COLUMNS };
    static const struct module no_module;
    struct exec_options o = {.poison = POISON_ALL, .seed = 3};
    float x[NUMBERS] = {1}, y[NUMBERS];
    struct plan p = {
        .nbuffers = 2,
        .buffers = {{"x", BUF_INPUT, DT_F32, NUMBERS, ""}, {"y", BUF_OUTPUT, DT_F32, NUMBERS, ""}}};

    lab_fft(&p, "cufftExecC2C", 0, 1, ROWS, COLUMNS, true);
    lab_fft(&p, "cufftExecC2C", 1, 1, ROWS, COLUMNS, false);
    lab_fft(&p, "cufftExecC2C", 1, 1, ROWS, COLUMNS, true);
    cr_assert(exec_open(&ex, &p, &no_module, &o), "%s", ex.message);
    cr_assert(exec_upload(&ex, 0, x) && exec_poison(&ex), "%s", ex.message);
    cr_assert(exec_launch(&ex) && exec_finish(&ex), "%s", ex.message);
    cr_assert(exec_download(&ex, 1, y), "%s", ex.message);
    for (int i = 0; i < NUMBERS; i++)
        cr_assert(fabsf(y[i] - (i % 2 ? 0 : ROWS * COLUMNS)) <= 1e-5f, "number %d: %g", i, y[i]);
    exec_close(&ex);
}

/* Each rank has its part of x scaled into y, where the rest is 0, and y is summed over all: what
 * every rank then has, and one of them copies out, is the whole. */
static bool go_in_ranks(int ranks, int *y)
{
    struct exec_options o = {.poison = POISON_OUTPUTS, .seed = 3};
    int x[N];

    load("unsigned all = gridDim.x * blockDim.x;"
         "for (; i < 1000; i += all) y[i] = 0;"
         "__syncthreads(); i = blockIdx.x * blockDim.x + threadIdx.x;"
         "for (; i < n; i += all) y[x[i]] = 2 * x[i] + 1;");
    for (int i = 0; i < N; i++)
        x[i] = i;
    plan.memory = PINNED;
    plan.ranks = ranks;
    plan.steps[0].grid[0] = 1; /* so that its barrier is the grid's */
    for (uint32_t r = 0; r < (uint32_t)ranks; r++) {
        uint64_t from = (uint64_t)N * r / (uint64_t)ranks,
                 count = (uint64_t)N * (r + 1) / (uint64_t)ranks - from;

        plan.steps[r] = plan.steps[0];
        plan.steps[r].args[0].offset = from;
        plan.steps[r].args[2].v.u32 = (uint32_t)count;
        plan.ops[plan.nops++] = (struct plan_op){
            .kind = OP_COPY_IN, .stream = 1, .rank = r, .index = 0, .offset = from, .count = count};
        plan.ops[plan.nops++] = (struct plan_op){.kind = OP_RECORD, .stream = 1, .rank = r};
        plan.ops[plan.nops++] = (struct plan_op){.kind = OP_WAIT, .stream = 2, .rank = r};
        plan.ops[plan.nops++] =
            (struct plan_op){.kind = OP_LAUNCH, .stream = 2, .rank = r, .index = (int)r};
    }
    plan.nsteps = ranks;
    plan.ops[plan.nops++] = (struct plan_op){.kind = OP_SUM, .stream = 2, .index = 1, .count = N};
    plan.ops[plan.nops++] = (struct plan_op){
        .kind = OP_COPY_OUT, .stream = 2, .rank = (uint32_t)ranks - 1, .index = 1, .count = N};
    return exec_open(&ex, &plan, &module, &o) && exec_upload(&ex, 0, x) && exec_poison(&ex) &&
           exec_launch(&ex) && exec_finish(&ex) && exec_download(&ex, 1, y);
}

Test(exec, ranks_add_up)
{
    static const int all[] = {1, 2, 3, 16};

    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        int y[N];

        cr_assert(go_in_ranks(all[k], y), "%d ranks: %s", all[k], ex.message);
        for (int i = 0; i < N; i++)
            cr_assert_eq(y[i], 2 * i + 1, "%d ranks: y[%d] = %d", all[k], i, y[i]);
        exec_close(&ex);
        module_unload(&module);
    }
}

/* Inputs lie on every rank's device; each has its row of y, which the first rank fetches. */
Test(exec, ranks_are_fetched_from)
{
    static const int all[] = {1, 2, 3};

    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        struct exec_options o = {.poison = POISON_OUTPUTS, .seed = 3};
        int x[N], y[3 * N], n = all[k];

        load("for (; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i] + 1;");
        for (int i = 0; i < N; i++)
            x[i] = i;
        plan.memory = RESIDENT;
        plan.ranks = n;
        plan.buffers[1].count = (uint64_t)n * N;
        plan.nsteps = n;
        for (uint32_t r = 0; r < (uint32_t)n; r++) {
            plan.steps[r] = plan.steps[0];
            plan.steps[r].args[1].offset = (uint64_t)r * N;
            plan.ops[plan.nops++] = (struct plan_op){.stream = 3, .rank = r, .index = (int)r};
        }
        for (uint32_t r = 0; r < (uint32_t)n; r++)
            plan.ops[plan.nops++] = (struct plan_op){.kind = OP_FETCH,
                                                     .stream = 3,
                                                     .rank = r,
                                                     .index = 1,
                                                     .offset = (uint64_t)r * N,
                                                     .count = N};
        cr_assert(exec_open(&ex, &plan, &module, &o) && exec_upload(&ex, 0, x) && exec_poison(&ex),
                  "%s", ex.message);
        emulator_reset();
        cr_assert(exec_launch(&ex) && exec_finish(&ex) && exec_download(&ex, 1, y), "%s",
                  ex.message);
        for (int i = 0; i < n * N; i++)
            cr_assert_eq(y[i], 2 * (i % N) + 1, "%d ranks: y[%d] = %d", n, i, y[i]);
        double all = 0; /* each launch did as much as the next, and together what was counted */
        for (int i = 0; i < plan.nops; i++) {
            bool launch = plan.ops[i].kind == OP_LAUNCH;

            cr_expect_eq(ex.times[i].work, launch ? ex.times[0].work : 0, "op %d", i);
            cr_expect_eq(ex.times[i].loaded, launch ? N * 4 / 32 : 0, "op %d", i);
            all += ex.times[i].work;
        }
        cr_expect(all > 0 && all == emulator_counter("inst_executed"), "%g", all);
        exec_close(&ex);
        module_unload(&module);
    }
}

/* Two kernels store to one place of rank 0: a race, unless the operations order them. */
Test(exec, kernels_of_streams_race)
{
    static const struct {
        const char *words;
        struct plan_op ops[7];
        bool race;
    } rows[] = {
#define LAUNCH(s, i) {.kind = OP_LAUNCH, .stream = s, .index = i}
#define RECORD(r, s, e)                                                                            \
    {                                                                                              \
        .kind = OP_RECORD, .rank = r, .stream = s, .event = e                                      \
    }
#define WAIT(r, s, e)                                                                              \
    {                                                                                              \
        .kind = OP_WAIT, .rank = r, .stream = s, .event = e                                        \
    }
#define SUM(s)                                                                                     \
    {                                                                                              \
        .kind = OP_SUM, .stream = s, .index = 1                                                    \
    }
#define FETCH(r, s)                                                                                \
    {                                                                                              \
        .kind = OP_FETCH, .rank = r, .stream = s, .index = 1                                       \
    }
        {"of one stream", {LAUNCH(1, 0), LAUNCH(1, 1)}, false},
        {"of two", {LAUNCH(1, 0), LAUNCH(2, 1)}, true},
        {"waited for", {LAUNCH(1, 0), RECORD(0, 1, 3), WAIT(0, 2, 3), LAUNCH(2, 1)}, false},
        {"recorded before", {RECORD(0, 1, 3), LAUNCH(1, 0), WAIT(0, 2, 3), LAUNCH(2, 1)}, true},
        {"the event's last record counts",
         {LAUNCH(1, 0), RECORD(0, 1, 3), RECORD(0, 4, 3), WAIT(0, 2, 3), LAUNCH(2, 1)},
         true},
        {"by way of a third stream",
         {LAUNCH(1, 0), RECORD(0, 1, 3), WAIT(0, 4, 3), RECORD(0, 4, 3), WAIT(0, 2, 3),
          LAUNCH(2, 1)},
         false},
        {"by way of another rank",
         {LAUNCH(1, 0), SUM(1), RECORD(1, 1, 3), WAIT(1, 2, 3), FETCH(1, 2), LAUNCH(2, 1)},
         false},
        {"that rank's streams are in no order",
         {LAUNCH(1, 0), SUM(1), RECORD(1, 1, 3), FETCH(1, 2), LAUNCH(2, 1)},
         true},
    };
    struct exec_options o = {.poison = POISON_OUTPUTS, .seed = 3};
    int x[N] = {0};

    emulator_set_check(true);
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        load("if (!i) y[0] = n;");
        plan.memory = PINNED;
        plan.ranks = 2;
        plan.nsteps = 2;
        plan.steps[1] = plan.steps[0];
        plan.steps[1].args[2].v.u32--;
        plan.nops = 7;
        memcpy(plan.ops, rows[k].ops, sizeof(rows[k].ops));
        while (!memcmp(&plan.ops[plan.nops - 1], &(struct plan_op){0}, sizeof(struct plan_op)))
            plan.nops--;
        size_t n = emulator_findings();
        cr_assert(exec_open(&ex, &plan, &module, &o) && exec_upload(&ex, 0, x) &&
                      exec_poison(&ex) && exec_launch(&ex) && exec_finish(&ex),
                  "%s: %s", rows[k].words, ex.message);
        cr_expect_eq(emulator_findings() > n, rows[k].race, "%s", rows[k].words);
        exec_close(&ex);
        module_unload(&module);
    }
    emulator_set_check(false);
}

/* A kernel of another rank's device that fails is told as any. */
Test(exec, a_fault_of_another_rank_is_seen)
{
    struct exec_options o = {.poison = POISON_OUTPUTS, .seed = 3};
    int x[N] = {0};

    load("if (i < n) y[i + 2000] = x[i];");
    plan.memory = PINNED;
    plan.ranks = 2;
    plan.nops = 1;
    plan.ops[0] = (struct plan_op){.kind = OP_LAUNCH, .rank = 1};
    cr_assert(exec_open(&ex, &plan, &module, &o) && exec_upload(&ex, 0, x) && exec_poison(&ex));
    cr_assert_not(exec_launch(&ex));
    cr_assert_eq(ex.error, cudaErrorIllegalAddress, "%s", ex.message);
    cr_assert(strstr(ex.message, "scale: the launch failed"), "%s", ex.message);
}

/* Of 64 sums a thread the compiler has to be asked, in blocks of 1024; not in smaller ones, and not
 * where it is told how large they are. */
Test(exec, a_block_may_have_too_many_registers)
{
    static const struct {
        const char *before;
        bool tight;
    } rows[] = {{"", false},
                {"LAUNCH(scale, 1024);", true},
                {"LAUNCH(scale, 256);", false},
                {"LAUNCH(scale, 32, 32);", true},
                {"LAUNCH(few, 1024); KERNEL few(int *x) { x[0]++; }", false},
                {"LAUNCH(k, 512); KERNEL __launch_bounds__(512) k(int *x) { MANY }", false},
                {"LAUNCH(k, 512); KERNEL k(int *x) { MANY }", true}};
    const char *many = "#define MANY int s[96]; for (int k = 0; k < 96; k++) s[k] = "
                       "x[k * 1024 + threadIdx.x]; __syncthreads(); for (int k = 0; k < 96; k++) "
                       "x[k * 1024 + threadIdx.x] = s[95 - k];\n#include \"warplab.cuh\"\n";

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        char *both = xformat("%s%s\n", many, rows[k].before);
        before = both;
        load("{ int *x = y; MANY }");
        cr_expect_eq(module_is_tight(&module), rows[k].tight, "%s", rows[k].before);
        module_unload(&module);
        free(both);
    }
}
