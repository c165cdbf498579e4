/* maps_test.c - a module's own record, from the file to a tensor copy that uses its map. */
#include "harness/compile.h"
#include "exec.h"
#include "maps.h"
#include "base/alloc.h"
#include "base/file.h"
#include "lab/machine.h"
#include "lab/plan.h"
#include "lab/tensor.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 16, ROWS = 8, BOX = 4 }; /* x is 8 rows of 16, y a box of it: 4 rows */

static bool planned(const struct lab_variant *v, const struct lab_case *c,
                    const struct launch_record *r, const struct device_limits *d, struct plan *p,
                    char *err, size_t errsize)
{
    struct plan_step *s = &p->steps[0];

    p->nbuffers = 2;
    p->buffers[0] = (struct lab_buffer){"x", BUF_INPUT, DT_F32, WIDTH * ROWS, ""};
    p->buffers[1] = (struct lab_buffer){"y", BUF_OUTPUT, DT_F32, WIDTH * BOX, ""};
    p->nsteps = 1;
    *s = (struct plan_step){.kernel = "fetch", .block = {32, 1, 1}, .nargs = 2};
    s->args[1].buffer = 1;
    return tensor_grid(v, r, d, c->m, c->n, s, err, errsize);
}

static uint64_t row(const struct plan *p, const struct lab_case *c, int b)
{
    (void)p, (void)c, (void)b;
    return WIDTH;
}

static const struct lab lab = {.name = "maps", .plan = planned, .row = row};
static const struct lab_variant variant = {.name = "fetch",
                                           .has_tensor = true,
                                           .has_record = true,
                                           .record = {.block_x = 32, .tensor = {.tile = {1, 1}}}};
static struct module module;
static struct plan plan;
static struct exec ex;

#define RECORD "TENSOR(fetch) = {.tile = {64, 64}, .map = {{0, TENSOR_F32, {16, 4}}}};"
#define BY_MAP "const __grid_constant__ CUtensorMap x"
#define FETCHES                                                                                    \
    "__shared__ __align__(128) float s[64]; __shared__ mbarrier b;"                                \
    "if (threadIdx.x == 0) { mbarrier_init(&b, 1); fence_mbarrier_init();"                         \
    "mbarrier_arrive_expect_tx(&b, 256); tensor_load_2d(shared_address(s), &x, 0, 2, &b); }"       \
    "__syncthreads(); mbarrier_wait(&b, 0);"                                                       \
    "for (int i = threadIdx.x; i < 64; i += 32) y[i] = s[i];"

/* True when all of it is right as far as exec_open(). */
static bool open_file(const char *record, const char *parameter, const char *body)
{
    static const struct device_limits limits = {.sms = 1, .max_threads_per_block = 1024};
    const struct lab_case c = {.m = 1, .n = 1};
    struct compile_request r = {.arch = EMULATOR_ARCH, .toolkit = CUDA_INCLUDE};
    char path[] = "/tmp/maps_test_XXXXXX", err[500] = "";
    char *source = xformat("#include \"warplab.cuh\"\n#include \"tensor.cuh\"\n%s\n"
                           "KERNEL fetch(%s, float *y) { %s }\n",
                           record, parameter, body);
    struct launch_record used;
    struct compiled image;
    struct text why = {0}, note = {0};

    close(mkstemp(path));
    cr_assert(file_save(path, source, strlen(source), &why), "%s", text_str(&why));
    r.path = path;
    cr_assert(compile_cuda(&r, &image), "%s", image.log);
    unlink(path);
    module_unload(&module);
    cr_assert(module_load(&module, "test.cu", image.image, image.size, &why), "%s", text_str(&why));
    compiled_free(&image);
    free(source);
    cr_assert(module_record(&module, &variant, &used, NULL, &note, &why), "%s", text_str(&why));
    cr_assert(plan_make(&lab, &variant, &c, &used, &limits, &plan, err, sizeof(err)), "%s", err);
    return exec_open(&ex, &plan, &module, &(struct exec_options){.seed = 3});
}

Test(maps, a_kernel_copies_by_one)
{
    float x[WIDTH * ROWS], y[WIDTH * BOX];

    for (int i = 0; i < WIDTH * ROWS; i++)
        x[i] = (float)i;
    cr_assert(open_file(RECORD, BY_MAP, FETCHES), "%s", ex.message);
    cr_assert(exec_upload(&ex, 0, x) && exec_poison(&ex) && exec_launch(&ex) && exec_finish(&ex) &&
                  exec_download(&ex, 1, y),
              "%s", ex.message);
    cr_expect_arr_eq(y, x + 2 * WIDTH, sizeof(y));
    exec_close(&ex);
}

Test(maps, record_and_parameters_say_the_same)
{
    cr_expect_not(open_file("", BY_MAP, FETCHES));
    cr_expect(strstr(ex.message, "no line of its TENSOR record is of argument 0"), "%s",
              ex.message);
    exec_close(&ex);
    cr_expect_not(open_file(RECORD, "const float *x", "y[0] = x[0];"));
    cr_expect(strstr(ex.message, "must be a const __grid_constant__ CUtensorMap"), "%s",
              ex.message);
    exec_close(&ex);
}
